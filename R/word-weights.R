# The weight of each feature in a fit: of words in kernels of sequences, of columns in linear kernels.

# The table of features; attributes and a message tell the part of the function that it leaves out.
feature_weights <- function(object) {
  models <- if (has_models(object)) models_of(object) else outputs_of(object)
  described <- lapply(models, described_kernels)
  share <- unlist(Map(described_share, models, described))
  if (!any(lengths(described))) {
    abort_unsupported("features", paste(
      "Fit by mkl() with `linear_kernel()`, not under spherical scaling, or with kernels of words for",
      "weights of features: no kernel with positive weight has explicit features."
    ))
  }
  table <- if (length(models) == 1L) feature_table(models[[1L]]) else
    stack_models(list(models = models), feature_table)
  left_out <- unique(unlist(Map(function(model, described) {
    setdiff(names(model$theta)[is_active(model)], names(model$theta)[described])
  }, models, described)))
  if (length(left_out)) inform_left_out(left_out, share)
  structure(table, share = share, left_out = as.character(left_out))
}

# A pursuit of several outputs as models of one each.
outputs_of <- function(object) {
  alpha <- object$alpha
  if (!is.matrix(alpha)) return(list(object))
  lapply(stats::setNames(seq_len(ncol(alpha)), colnames(alpha)), function(k) {
    utils::modifyList(object, list(alpha = alpha[, k]))
  })
}

is_active <- function(object) object$theta > 0 & length(object$support) > 0L

# Kernels whose part of the function is a sum over features.
described_kernels <- function(object) {
  columns <- is_active(object) & has_weights(object$kernels, object$constants) &
    kernel_field(object$kernels, "view") %in% names(linear_of(object)$weights)
  sort(c(word_kernels_of(object), which(unname(columns))))
}

# Weights of columns; a fit of mkl_gomp() keeps rows in their place.
linear_of <- function(object) {
  if (!inherits(object, "mkl_gomp")) return(object$data$linear)
  kept <- object$data$columns
  problem <- list(data = list(kernels = narrow_features(object$kernels, kept), views = object$data$views),
                  constants = object$constants, settings = object["control"])
  linear <- linear_part(problem, object$theta, object$alpha)
  for (view in names(linear$weights)) {
    among <- linear$columns[[view]]
    linear$columns[view] <- list(if (is.null(among)) kept[[view]] else
      (kept[[view]] %||% seq_len(max(among)))[among])
  }
  linear
}

described_share <- function(object, described) sum(norm_share(object$theta^2 * object$forms)[described])

inform_left_out <- function(left_out, share) {
  range <- unique(trimws(percent(range(share))))
  mk_inform(sprintf(paste(
    "Weights of features describe %s of the function (the sum of `share` of their kernels). Left out, without",
    "explicit features: %s. Fit with `linear_kernel()` or kernels of words alone for weights that",
    "describe all of it."
  ), paste(range, collapse = " to "), enumerate(left_out)), "features", "features", left_out)
}

# One row for each feature with a weight, the largest first; in the units of the response.
feature_table <- function(object) {
  rows <- c(lapply(word_kernels_of(object), function(m) {
    weights <- word_weights(object, m)
    data.frame(kernel = rep(names(object$theta)[m], length(weights)), feature = names(weights),
               weight = unname(weights))
  }), list(column_weights(object)))
  out <- do.call(rbind, rows) %||%
    data.frame(kernel = character(), feature = character(), weight = numeric())
  if (!is.null(object$scaling$response)) out$weight <- out$weight * object$scaling$response[["scale"]]
  out <- out[order(-abs(out$weight)), ]
  rownames(out) <- NULL
  out
}

# Active kernels that are linear in counts of words, whose sequences the fit keeps.
word_kernels_of <- function(object) {
  mine <- which(is_active(object) & kernel_field(object$kernels, "type") %in% word_types)
  parameters <- kernel_field(object$kernels, "parameters")
  Filter(function(m) (parameters[[m]]$power %||% 1) == 1, mine)
}

# Weights w, named by word: kernel m adds <w, counts(z)> to a decision value, up to a constant.
word_weights <- function(object, m) {
  kernel <- object$kernels[[m]]
  kept <- kept_sequences(list(object), kernel$view)
  source <- word_source(kernel, kept$view)
  found <- weigh_words(list(object), m, source, kept$alpha)
  weights <- stats::setNames(found$weight[1L, ], if (length(found$code)) word_labels(source, found))
  weights[weights != 0]
}

# The sequences of a view that any of the models keeps, in the order of training, and each one's alphas.
kept_sequences <- function(models, view) {
  rows <- integer()
  for (model in models) {
    fresh <- which(!model$data$rows %in% rows)
    if (!length(fresh)) next
    own <- model$data$views[[view]][fresh, ]
    sequences <- if (length(rows)) bind_sequences(sequences, own) else own
    rows <- c(rows, model$data$rows[fresh])
  }
  order <- order(rows)
  alpha <- lapply(models, function(model) unname(model$alpha[rows[order]]))
  list(view = sequences[order, ], alpha = matrix(unlist(alpha), length(rows)))
}

# Words by their codes, their weights (models x words) and the constants that are subtracted. alpha: rows x
# models. Under spherical scaling counts are divided by their length. From counts of a centred kernel the mean
# of all rows is subtracted.
weigh_words <- function(models, m, source, alpha) {
  found <- count_words(source)
  if (!length(found$code)) {
    return(list(code = numeric(), weight = matrix(0, ncol(alpha), 0L), shift = numeric(ncol(alpha))))
  }
  constants <- models[[1L]]$constants
  counts <- sparse_counts(found, nrow(alpha))
  means <- if (constants$centre[m]) Matrix::colMeans(counts) else numeric(ncol(counts))
  if (is_spherical(constants)[m]) {
    square <- Matrix::rowSums(counts^2) - 2 * as.vector(counts %*% means) + sum(means^2)
    alpha <- alpha * ifelse(square > 0, 1 / sqrt(square), 0)
  }
  size <- constants$scale[m] * vapply(models, function(model) model$theta[[m]], 0)
  weight <- size * (t(as.matrix(Matrix::crossprod(counts, alpha))) - outer(colSums(alpha), means))
  list(code = found$code, weight = weight, shift = as.vector(weight %*% means))
}

# Active kernels whose part of decision values is computed from weights of words. Kernels with lengths of
# centred counts, or with means over the samples that have a view, are left to the core.
is_scored <- function(object) {
  words <- word_kernels_of(object)
  if (!length(words)) return(logical(length(object$theta)))
  constants <- object$constants
  # a model of linear kernels keeps no views
  has <- views_have(object$data$views)
  partial <- kernel_field(object$kernels, "view") %in% names(has)[lengths(has) > 0L]
  seq_along(object$theta) %in% words & !partial &
    !(constants$centre & is_spherical(constants))
}

# The parts of these kernels in the decision values (rows x models): one pass each over the words of kept and
# of new sequences, for any number of support vectors and models.
decide_words <- function(models, rows) {
  value <- matrix(0, rows$n, length(models))
  kernels <- models[[1L]]$kernels
  if (!any(kernel_field(kernels, "type") %in% word_types)) return(value)
  scored <- matrix(unlist(lapply(models, is_scored)), ncol = length(models))
  mine <- which(rowSums(scored) > 0)
  view <- kernel_field(kernels, "view")[mine]
  for (name in unique(view)) {
    own <- mine[view == name]
    several <- which(colSums(scored[own, , drop = FALSE]) > 0)
    kept <- kept_sequences(models[several], name)
    has <- views_have(rows$views)[[name]] %||% 1
    for (m in own) {
      part <- word_part(models[several], m, kept, rows$views[[name]])
      value[, several] <- value[, several] + has * part
    }
  }
  value
}

# Models without kernel m have no weight there.
word_part <- function(models, m, kept, new) {
  kernel <- models[[1L]]$kernels[[m]]
  positions <- max(word_positions(kernel, kept$view), word_positions(kernel, new))
  weights <- weigh_words(models, m, word_source(kernel, kept$view, positions), kept$alpha)
  spherical <- is_spherical(models[[1L]]$constants)[m]
  found <- score_words(word_source(kernel, new, positions), weights, spherical)
  value <- t(found$score - weights$shift)
  if (spherical) value * ifelse(found$square > 0, 1 / sqrt(found$square), 0) else value
}

# For each sequence the sums of its words' weights (models x sequences), and of the squares of their
# counts.
score_words <- function(source, weights, squares) {
  from_core(.Call(C_mk_word_scores, source$sequences, source$masks, source$options, weights$code,
                  weights$weight, squares))
}

# Weights of columns. Those of linear kernels on a view are stored as their sum.
column_weights <- function(object) {
  linear <- linear_of(object)
  described <- described_kernels(object)
  rows <- lapply(names(linear$weights), function(view) {
    weights <- linear$weights[[view]]
    columns <- linear$columns[[view]] %||% seq_along(weights)
    mine <- names(object$theta)[described][kernel_field(object$kernels, "view")[described] == view]
    names <- object$data$layout[[view]]$columns[columns] %||% as.character(columns)
    kernel <- if (length(mine) == 1L) mine else paste0(view, ":linear")
    data.frame(kernel = rep(kernel, length(names)), feature = names, weight = unname(weights))
  })
  do.call(rbind, rows)
}
