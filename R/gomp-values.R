# Values of the chosen kernels at new rows, step by step.

# The first s kernels as a model whose new rows are read like those of mkl().
path_model <- function(object, s) {
  chosen <- seq_along(object$kernels) %in% object$order[seq_len(s)]
  list(
    theta = stats::setNames(as.double(chosen), names(object$kernels)), kernels = object$kernels,
    constants = object$constants, data = object$data, missing_views = object$missing_views,
    alpha = numeric(dim(object$coefficients)[1])
  )
}

# The offsets of some steps, outputs x steps; the squared loss has the same at all of them.
step_offsets <- function(object, steps) {
  if (is.null(object$offsets)) return(matrix(object$offset, length(object$offset), length(steps)))
  if (all(steps == 0)) matrix(object$offset) else object$offsets[, steps, drop = FALSE]
}

# rows x outputs x steps: the functions of some steps at new rows.
new_path_values <- function(object, rows, steps) {
  size <- dim(object$coefficients)
  out <- array(rep(step_offsets(object, steps), each = rows$n), c(rows$n, size[2], length(steps)))
  order <- object$order[seq_len(max(steps, 0))]
  if (!length(order) || rows$n == 0) return(out)
  precomputed <- kernel_field(object$kernels, "type")[order] == "precomputed"
  for (place in which(precomputed)) {
    out <- out + add_precomputed(object, rows, order[place], which(steps >= place), steps)
  }
  if (all(precomputed)) out else out + evaluated_path(object, rows, order, !precomputed, steps)
}

add_precomputed <- function(object, rows, m, blocks, steps) {
  size <- dim(object$coefficients)
  given <- rows$matrices[[names(object$kernels)[m]]]
  values <- normalised_values(object, given, m, object$data$rows)
  out <- array(0, c(rows$n, size[2], length(steps)))
  alpha <- matrix(object$coefficients[, , steps[blocks]], size[1])
  out[, , blocks] <- values %*% alpha
  out
}

# The part of the kernels that are evaluated between new rows and all training rows.
evaluated_path <- function(object, rows, order, evaluated, steps) {
  size <- dim(object$coefficients)
  out <- array(0, c(rows$n, size[2], length(steps)))
  last <- cumsum(evaluated)[steps]
  known <- steps[last > 0]
  object$data <- data_of_views(object$data, kernel_field(
    leaf_kernels(pick_kernels(object$kernels, order[evaluated])), "view"))
  handle <- rows_handle(object, rows, order[evaluated])
  out[, , last > 0] <- from_core(
    .Call(C_mk_path_values, handle, seq_len(sum(evaluated)), last[last > 0],
          matrix(object$coefficients[, , known], size[1]), seq_len(size[1]),
          size[1] + seq_len(rows$n), size[1], thread_count(object$control))
  )
  out
}

# The kept parts of some views; new rows may lack the others.
data_of_views <- function(data, names) {
  data$columns <- data$columns[intersect(names(data$columns), names)]
  data$views <- narrow_views(data$views, lapply(data$columns, function(used) NULL))
  data
}
