# The kernel set of predictions, on rows that a fit keeps and new ones.

# Kernels `which` on the kept rows followed by the new ones.
rows_handle <- function(object, rows, which) kept_handle(object, rows, kept_kernels(object, which))

kept_handle <- function(object, rows, kept) {
  count <- length(object$data$rows)
  check_new_lengths(leaf_kernels(kept$kernels), object$data$views, rows$views, rows$argument)
  both <- bind_views(object$data$views, narrow_views(rows$views, object$data$columns))
  handle <- kernel_handle(kept$kernels, both, count + rows$n, thread_count(object$control))
  install_constants(handle, kept$constants, count, object$data$every_row, kept$kernels, rows)
  handle
}

# Kernels `which` on the columns that the fit keeps, with their constants on its kept rows.
kept_kernels <- function(object, which) {
  list(kernels = narrow_features(pick_kernels(object$kernels, which), object$data$columns),
       constants = pick_constants(object$constants, which, object$data$rows))
}

pick_constants <- function(constants, which, rows) {
  constants <- lapply(constants, `[`, which)
  centred <- which(constants$centre)
  constants$centre_list[centred] <- lapply(constants$centre_list[centred], `[`, rows)
  constants
}
