# The training data that a fit keeps for prediction: explicit weights of linear kernels, support vectors of
# the others.

# Linear kernels together are one linear function of a row, with a weight per column. Kernels under spherical
# scaling, which divides by the length of each row, are evaluated like all others. So are kernels of views
# that some training rows lack, which are centred by means of rows.
has_weights <- function(kernels, constants) {
  kernel_field(kernels, "type") %in% c("linear", quadratic_types) & !is_spherical(constants) &
    lengths(constants$centre_list) == 0L
}

# Kernels of views that some samples lack.
is_partial <- function(kernels, views) {
  partial <- names(views)[lengths(views_have(views)) > 0L]
  reads_view(kernels, partial)
}

# Active kernels that are evaluated between new rows and support vectors.
is_evaluated <- function(kernels, constants, active) {
  active & kernel_field(kernels, "type") != "precomputed" & !has_weights(kernels, constants)
}

# Kernels on columns that are made for them: centred, these are taken off their means.
has_columns <- function(kernels) {
  type <- kernel_field(kernels, "type")
  out <- type == "locally_linear"
  out[out] <- vapply(kernel_field(kernels, "parameters")[out], `[[`, NA, "componentwise")
  out | type %in% word_types
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
                        has_columns(kernels)[evaluated] |
                        is_partial(kernels, problem$data$views)[evaluated]))
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

# If nearly all rows are support vectors, views are kept whole: the fit becomes larger by a ninth at most, and
# needs no copy of them.
is_nearly_all <- function(support, n) length(support) >= 0.9 * n

# Per view that kernels use, the columns they use; NULL where they use all.
used_columns <- function(kernels, views) {
  kernels <- leaf_kernels(kernels)
  view <- kernel_field(kernels, "view")
  features <- kernel_field(kernels, "features")
  lapply(stats::setNames(nm = unique(view)), function(name) {
    own <- features[view == name]
    used <- if (all(lengths(own) > 0L)) sort(unique(unlist(own)))
    if (length(used) < ncol(views[[name]])) used
  })
}

# Features as positions among the columns kept; a view kept whole keeps its positions.
narrow_features <- function(kernels, columns) {
  if (all(lengths(columns) == 0L)) return(kernels)
  features <- Map(function(used, view) {
    kept <- columns[[view]]
    if (length(used) && !is.null(kept)) match(used, kept) else used
  }, kernel_field(kernels, "features"), kernel_field(kernels, "view"))
  modify_kernels(kernels, features = unname(features)) |> modify_factors(narrow_features, columns)
}

is_spherical <- function(constants) constants$scaling == 2L

# ---- linear kernels ------------------------------------------------------------------------------

# sum_m theta_m sum_j alpha_j k_m(x_j, z) = <w, z> - shift over the linear kernels and those x'Qz: by
# view the weights w and their columns (NULL: all). A centred kernel is <x_j - mean, z - mean>.
linear_part <- function(problem, theta, alpha) {
  kernels <- problem$data$kernels
  constants <- problem$constants
  mine <- which(theta > 0 & has_weights(kernels, constants))
  if (length(mine) == 0L) return(NULL)
  size <- theta[mine] * constants$scale[mine]
  centred <- constants$centre[mine]
  view <- kernel_field(kernels, "view")[mine]
  features <- kernel_field(kernels, "features")[mine]
  parameters <- kernel_field(kernels, "parameters")[mine]
  type <- kernel_field(kernels, "type")[mine]
  linear <- type == "linear"
  parts <- lapply(stats::setNames(nm = unique(view)), function(name) {
    x <- problem$data$views[[name]]
    sizes <- lapply(list(!centred, centred), function(kind) {
      one <- view == name & linear & kind
      column_sizes(features[one], size[one], ncol(x))
    })
    forms <- lapply(which(view == name & !linear), function(k) {
      list(own = parameters[[k]], type = type[k], columns = features[[k]], size = size[k],
           centred = centred[k])
    })
    view_weights(x, alpha, sizes[[1L]], sizes[[2L]], forms, thread_count(problem$settings$control))
  })
  list(weights = lapply(parts, `[[`, "weights"), columns = lapply(parts, `[[`, "columns"),
       shift = vapply(parts, `[[`, 0, "shift"))
}

# For each column the sum of the sizes of the kernels that use it.
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

# plain, centred: sizes of the columns in plain linear kernels and in centred ones; forms: kernels
# x'Qz, each a list with its columns and its size.
view_weights <- function(x, alpha, plain, centred, forms, threads) {
  size <- plain + centred
  read <- size > 0
  sums <- column_sums(x, alpha, threads)
  weights <- size * sums
  shift <- 0
  if (any(centred > 0) || any(vapply(forms, `[[`, NA, "centred"))) {
    means <- column_sums(x, rep(1 / nrow(x), nrow(x)), threads)
    weights <- weights - centred * sum(alpha) * means
    shift <- sum(centred * (sums - sum(alpha) * means) * means)
  }
  for (form in forms) {
    columns <- form$columns
    own <- sums[columns]
    if (form$centred) own <- own - sum(alpha) * means[columns]
    own <- form$size * quadratic_product(form$type, form$own, own)
    if (form$centred) shift <- shift + sum(own * means[columns])
    weights[columns] <- weights[columns] + own
    read[columns] <- TRUE
  }
  columns <- if (!all(read)) which(read)
  list(weights = if (is.null(columns)) weights else weights[columns], columns = columns,
       shift = shift)
}

column_sums <- function(x, weight, threads) {
  if (is.matrix(x)) return(from_core(.Call(C_mk_column_sums, x, weight, threads)))
  as.vector(Matrix::crossprod(x, weight))
}

# The linear kernels' part of the decision values of new rows.
decide_linear <- function(linear, views) {
  value <- 0
  for (name in names(linear$weights)) {
    x <- views[[name]]
    columns <- linear$columns[[name]]
    if (!is.null(columns)) x <- x[, columns, drop = FALSE]
    own <- as.vector(x %*% linear$weights[[name]]) - linear$shift[[name]]
    value <- value + own * (views_have(views)[[name]] %||% 1)
  }
  value
}

# ---- precomputed kernels -------------------------------------------------------------------------

# k(z, z) of the support vectors, which spherical scaling of a precomputed kernel asks for.
kept_diagonals <- function(problem, theta, support) {
  kernels <- problem$data$kernels
  wanted <- which(theta > 0 & kernel_field(kernels, "type") == "precomputed" &
                    is_spherical(problem$constants))
  diagonals <- lapply(wanted, function(m) {
    raw <- precomputed_diagonal(kernel_field(kernels, "parameters")[[m]], support)
    centre_diagonal(raw, problem$constants, m, problem$constants$centre_list[[m]][support])
  })
  stats::setNames(diagonals, names(kernels)[wanted])
}

# k(x, x) - 2 mean_j k(x, x_j) + total, where the kernel is centred
centre_diagonal <- function(self, constants, m, means) {
  if (!constants$centre[m]) return(self)
  self - 2 * means + constants$total[m]
}

precomputed_diagonal <- function(own, rows) {
  if (!is.null(own$file)) return(file_diagonal(own$file, rows))
  if (!is.null(own$matrix)) return(diag(own$matrix)[rows])
  own$array[cbind(rows, rows, own$slice, deparse.level = 0)]
}
