# The kernel set of predictions, on rows that a fit keeps and new ones.

# Kernels `which` on the kept rows followed by the new ones.
rows_handle <- function(object, rows, which) {
  kept <- object$data$rows
  columns <- object$data$columns
  kernels <- narrow_features(pick_kernels(object$kernels, which), columns)
  check_new_lengths(leaf_kernels(kernels), object$data$views, rows$views, rows$argument)
  both <- bind_views(object$data$views, narrow_views(rows$views, columns))
  handle <- kernel_handle(kernels, both, length(kept) + rows$n, thread_count(object$control))
  constants <- pick_constants(object$constants, which, kept)
  install_constants(handle, constants, length(kept), object$data$every_row, kernels, rows)
  handle
}

pick_constants <- function(constants, which, rows) {
  constants <- lapply(constants, `[`, which)
  centred <- which(constants$centre)
  constants$centre_list[centred] <- lapply(constants$centre_list[centred], `[`, rows)
  constants
}
