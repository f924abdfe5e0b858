# The weight of each feature in a fit: of words in kernels of sequences, of columns in linear kernels.

# One row for each feature with a weight, the largest first.
feature_table <- function(object) {
  rows <- c(lapply(word_kernels_of(object), function(m) {
    weights <- word_weights(object, m)
    data.frame(kernel = rep(names(object$theta)[m], length(weights)), feature = names(weights),
               weight = unname(weights))
  }), list(column_weights(object)))
  out <- do.call(rbind, rows)
  if (is.null(out)) {
    abort_unsupported("features", "No kernel with positive weight has explicit features.")
  }
  out <- out[order(-abs(out$weight)), ]
  rownames(out) <- NULL
  out
}

# Active kernels that are linear in counts of words, whose sequences the fit keeps.
word_kernels_of <- function(object) {
  power <- vapply(kernel_field(object$kernels, "parameters"), function(own) {
    if (is.list(own)) own$power %||% 1 else 1
  }, 0)
  which(object$theta > 0 & length(object$support) > 0L & power == 1 &
          kernel_field(object$kernels, "type") %in% word_types)
}

# w of the part <w, counts(z)> that kernel m has in a decision value, up to a constant. Under spherical
# scaling counts are divided by their length. A centred kernel's w has the mean taken off, which is
# nothing where alphas sum to 0.
word_weights <- function(object, m) {
  kernel <- object$kernels[[m]]
  rows <- object$data$rows
  counts <- word_matrix(kernel, object$data$views[[kernel$view]], names = TRUE)
  alpha <- unname(object$alpha[rows])
  centred <- object$constants$centre[m] && object$data$every_row
  means <- if (centred) Matrix::colMeans(counts) else numeric(ncol(counts))
  if (is_spherical(object$constants)[m]) {
    square <- Matrix::rowSums(counts^2) - 2 * as.vector(counts %*% means) + sum(means^2)
    alpha <- ifelse(square > 0, alpha / sqrt(square), 0)
  }
  weights <- as.vector(Matrix::crossprod(counts, alpha)) - sum(alpha) * means
  weights <- stats::setNames(object$theta[[m]] * object$constants$scale[m] * weights,
                             colnames(counts))
  weights[weights != 0]
}

# Those of linear kernels on the columns of a view are kept as their sum.
column_weights <- function(object) {
  linear <- object$data$linear
  type <- kernel_field(object$kernels, "type")
  rows <- lapply(names(linear$weights), function(view) {
    weights <- linear$weights[[view]]
    columns <- linear$columns[[view]] %||% seq_along(weights)
    mine <- names(object$theta)[object$theta > 0 & type == "linear" &
                                  kernel_field(object$kernels, "view") == view]
    names <- object$data$layout[[view]]$columns[columns] %||% as.character(columns)
    kernel <- if (length(mine) == 1L) mine else paste0(view, ":linear")
    data.frame(kernel = rep(kernel, length(names)), feature = names, weight = unname(weights))
  })
  do.call(rbind, rows)
}
