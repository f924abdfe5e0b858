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

# w of the part <w, counts(z)> that kernel m has in a decision value, up to a constant, by the names of
# the words.
word_weights <- function(object, m) {
  kernel <- object$kernels[[m]]
  source <- word_source(kernel, object$data$views[[kernel$view]])
  found <- weigh_words(object, m, source)
  weights <- stats::setNames(found$weight, if (length(found$code)) word_labels(source, found))
  weights[weights != 0]
}

# Words by their codes, their weights, and the constant that is taken off. Under spherical scaling
# counts are divided by their length. A centred kernel's counts have the mean of all rows taken off.
weigh_words <- function(object, m, source) {
  found <- count_words(source)
  if (!length(found$code)) return(list(code = numeric(), weight = numeric(), shift = 0))
  rows <- object$data$rows
  counts <- sparse_counts(found, length(rows))
  alpha <- unname(object$alpha[rows])
  means <- if (object$constants$centre[m]) Matrix::colMeans(counts) else numeric(ncol(counts))
  if (is_spherical(object$constants)[m]) {
    square <- Matrix::rowSums(counts^2) - 2 * as.vector(counts %*% means) + sum(means^2)
    alpha <- ifelse(square > 0, alpha / sqrt(square), 0)
  }
  weight <- as.vector(Matrix::crossprod(counts, alpha)) - sum(alpha) * means
  weight <- object$theta[[m]] * object$constants$scale[m] * weight
  list(code = found$code, weight = weight, shift = sum(weight * means))
}

# Active kernels whose part of decision values comes from their words' weights alone. The lengths of
# centred counts, and means of those that have a view, are for the core.
is_scored <- function(object) {
  constants <- object$constants
  view <- kernel_field(object$kernels, "view")
  partial <- lengths(views_have(object$data$views)[view]) > 0L
  seq_along(object$theta) %in% word_kernels_of(object) & !partial &
    !(constants$centre & is_spherical(constants))
}

# The part of kernel m: one pass over the words of new sequences, however many support vectors.
decide_words <- function(object, rows, m) {
  kernel <- object$kernels[[m]]
  kept <- object$data$views[[kernel$view]]
  new <- rows$views[[kernel$view]]
  positions <- max(word_positions(kernel, kept), word_positions(kernel, new))
  weights <- weigh_words(object, m, word_source(kernel, kept, positions))
  spherical <- is_spherical(object$constants)[m]
  found <- score_words(word_source(kernel, new, positions), weights, spherical)
  value <- found$score - weights$shift
  if (spherical) value <- ifelse(found$square > 0, value / sqrt(found$square), 0)
  value * (views_have(rows$views)[[kernel$view]] %||% 1)
}

# For each sequence the sum of its words' weights, and of the squares of their counts.
score_words <- function(source, weights, squares) {
  from_core(.Call(C_mk_word_scores, source$sequences, source$masks, source$options, weights$code,
                  weights$weight, squares))
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
