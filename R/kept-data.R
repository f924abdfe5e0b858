# What a fit keeps of its training data for prediction: explicit weights of linear kernels, support
# vectors for the others.

# Linear kernels are one function of a row, whose weights are as long as the row, and so are those of
# sequences that count features. Spherical scaling divides by the length of each row: then linear
# kernels on columns are evaluated like all others.
has_weights <- function(kernels, constants) {
  (kernel_field(kernels, "type") == "linear" & !is_spherical(constants)) | has_features(kernels)
}

# Active kernels that are evaluated between new rows and support vectors.
is_evaluated <- function(kernels, constants, active) {
  active & kernel_field(kernels, "type") != "precomputed" & !has_weights(kernels, constants)
}

# Kernels on columns that the core makes: centred, these are taken off their means.
has_columns <- function(kernels) {
  out <- kernel_field(kernels, "type") == "locally_linear"
  out[out] <- vapply(kernel_field(kernels, "parameters")[out], `[[`, NA, "componentwise")
  out
}

# alpha: one value per row of the data; support: where it isn't zero. linear: of the linear kernels.
kept_data <- function(problem, theta, alpha, support,
                      linear = if (length(support)) linear_part(problem, theta, alpha)) {
  kernels <- problem$data$kernels
  constants <- problem$constants
  evaluated <- which(is_evaluated(kernels, constants, theta > 0))
  # centring subtracts a term that drops out where the alphas sum to 0, unless it is divided by row
  every_row <- any(constants$centre[evaluated] &
                     (is_spherical(constants)[evaluated] | !problem$settings$intercept |
                        has_columns(kernels)[evaluated]))
  rows <- if (every_row || is_nearly_all(support, problem$data$n)) seq_len(problem$data$n) else
    support
  columns <- used_columns(pick_kernels(kernels, evaluated), problem$data$views)
  list(
    views = if (length(columns) && length(rows)) {
      if (length(rows) == problem$data$n) narrow_views(problem$data$views, columns) else
        subset_views(problem$data$views, rows, columns)
    },
    rows = rows, columns = columns, every_row = every_row,
    linear = linear,
    layout = view_layout(problem$data$views),
    diagonal = kept_diagonals(problem, theta, support)
  )
}

# The views then stay whole: a fit becomes larger by a ninth at most, and needs no copy of them.
is_nearly_all <- function(support, n) length(support) >= 0.9 * n

# Per view that kernels use, the columns they use; NULL where they use all.
used_columns <- function(kernels, views) {
  view <- kernel_field(kernels, "view")
  features <- split(kernel_field(kernels, "features"), factor(view, unique(view)))
  Map(function(one, name) {
    used <- if (all(lengths(one) > 0L)) sort(unique(unlist(one)))
    if (length(used) < ncol(views[[name]])) used
  }, features, names(features))
}

# Features as positions among the columns kept; a view kept whole keeps its positions.
narrow_features <- function(kernels, columns) {
  features <- Map(function(used, view) {
    kept <- columns[[view]]
    if (length(used) && !is.null(kept)) match(used, kept) else used
  }, kernel_field(kernels, "features"), kernel_field(kernels, "view"))
  modify_kernels(kernels, features = unname(features))
}

is_spherical <- function(constants) constants$scaling == 2L

# ---- linear kernels ------------------------------------------------------------------------------

# sum_m theta_m sum_j alpha_j k_m(x_j, z) = <w, z> - shift over the linear kernels: by view the
# weights w and their columns (NULL: all). A centred kernel is <x_j - mean, z - mean>. Those that count
# features of sequences are `strings`.
linear_part <- function(problem, theta, alpha) {
  kernels <- problem$data$kernels
  constants <- problem$constants
  active <- theta > 0 & has_weights(kernels, constants)
  if (!any(active)) return(NULL)
  size <- theta * constants$scale
  strings <- which(active & has_features(kernels))
  c(column_part(problem, which(active & !has_features(kernels)), size, alpha),
    list(strings = string_parts(pick_kernels(kernels, strings), problem$data$views, alpha,
                                size[strings], lapply(constants[c("centre", "scaling")], `[`,
                                                      strings))))
}

# Of the linear kernels `mine`; size: of all kernels, theta times scale.
column_part <- function(problem, mine, size, alpha) {
  kernels <- problem$data$kernels
  constants <- problem$constants
  size <- size[mine]
  centred <- constants$centre[mine]
  view <- kernel_field(kernels, "view")[mine]
  features <- kernel_field(kernels, "features")[mine]
  parts <- lapply(stats::setNames(nm = unique(view)), function(name) {
    x <- problem$data$views[[name]]
    sizes <- lapply(list(view == name & !centred, view == name & centred), function(one) {
      column_sizes(features[one], size[one], ncol(x))
    })
    view_weights(x, alpha, sizes[[1L]], sizes[[2L]], thread_count(problem$settings$control))
  })
  list(weights = lapply(parts, `[[`, "weights"), columns = lapply(parts, `[[`, "columns"),
       shift = sum(vapply(parts, `[[`, 0, "shift")))
}

# For each column the sum of the sizes of the kernels that read it.
column_sizes <- function(features, size, width) {
  whole <- lengths(features) == 0L
  total <- rep(sum(size[whole]), width)
  column <- unlist(features[!whole])
  size <- rep(size[!whole], lengths(features[!whole]))
  if (anyDuplicated(column)) {
    size <- rowsum(size, column, reorder = FALSE)[, 1L]
    column <- unique(column)
  }
  total[column] <- total[column] + size
  total
}

# plain, centred: sizes of the columns in plain kernels and in centred ones.
view_weights <- function(x, alpha, plain, centred, threads) {
  size <- plain + centred
  columns <- if (any(size == 0)) which(size > 0)
  sums <- column_sums(x, alpha, threads)
  weights <- size * sums
  shift <- 0
  if (any(centred > 0)) {
    means <- column_sums(x, rep(1 / nrow(x), nrow(x)), threads)
    weights <- weights - centred * sum(alpha) * means
    shift <- sum(centred * (sums - sum(alpha) * means) * means)
  }
  list(weights = if (is.null(columns)) weights else weights[columns], columns = columns,
       shift = shift)
}

column_sums <- function(x, weight, threads) {
  if (is.matrix(x)) return(from_core(.Call(C_mk_column_sums, x, weight, threads)))
  as.vector(Matrix::crossprod(x, weight))
}

# The linear kernels' part of the decision values of new rows.
decide_linear <- function(linear, views) {
  value <- -linear$shift
  for (name in names(linear$weights)) {
    x <- views[[name]]
    columns <- linear$columns[[name]]
    if (!is.null(columns)) x <- x[, columns, drop = FALSE]
    value <- value + as.vector(x %*% linear$weights[[name]])
  }
  value + decide_strings(linear$strings, views)
}

# ---- precomputed kernels -------------------------------------------------------------------------

# k(z, z) of the support vectors, which spherical scaling of a precomputed kernel asks for.
kept_diagonals <- function(problem, theta, support) {
  kernels <- problem$data$kernels
  wanted <- which(theta > 0 & kernel_field(kernels, "type") == "precomputed" &
                    is_spherical(problem$constants))
  diagonals <- lapply(wanted, function(m) {
    raw <- precomputed_diagonal(kernels, m, support)
    centre_diagonal(raw, problem$constants, m, problem$constants$centre_list[[m]][support])
  })
  stats::setNames(diagonals, names(kernels)[wanted])
}

# k(x, x) - 2 mean_j k(x, x_j) + total, where the kernel is centred
centre_diagonal <- function(self, constants, m, means) {
  if (!constants$centre[m]) return(self)
  self - 2 * means + constants$total[m]
}
