# Kernel matrices in the order of the samples.

# Precomputed kernels have their matrix, and the rows of x or of the first of them.
check_size <- function(kernels, views) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  if (length(precomputed) == 0L) return(invisible())
  parameters <- kernel_field(kernels, "parameters")[precomputed]
  size <- vapply(parameters, matrix_rows, 0L)
  gone <- precomputed[vapply(parameters, function(p) !is.null(p$size), NA)]
  if (length(gone)) {
    mk_abort(
      sprintf("Kernel `%s` is precomputed, and fits don't keep matrices: make it again from %s.",
              names(kernels)[gone[1L]], "its matrix"),
      "invalid_argument", "kernels", names(kernels)[gone]
    )
  }
  n <- if (length(views)) view_rows(views) else size[1L]
  odd <- which(size != n)
  if (length(odd) == 0L) return(invisible())
  reference <- if (length(views)) "`x`" else sprintf("kernel `%s`", names(kernels)[precomputed[1L]])
  message <- sprintf("Kernel `%s` is precomputed for %s, but %s has %s.",
                     names(kernels)[precomputed[odd[1L]]], count_of(size[odd[1L]], "row"),
                     reference, count_of(n, "row"))
  part <- function(m) {
    sample_part(parameters[[m]]$rows, size[m], "K", "kernel",
                sprintf("kernel `%s`", names(kernels)[precomputed[m]]))
  }
  other <- if (length(views)) data_samples(views) else part(1L)
  mk_abort(paste0(message, count_hint(part(odd[1L]), other)), "dimension", "kernels", size)
}

# Reorders named rows of precomputed kernels like those of the views, or like those of the first kernel.
order_kernels <- function(kernels, views, reference = NULL) {
  parts <- precomputed_parts(kernels)
  if (length(parts) == 0L) return(kernels)
  known <- data_samples(views, kernels)
  reference <- reference %||% known
  orders <- order_parts(parts, "kernels", reference)
  parameters <- kernel_field(kernels, "parameters")
  for (k in which(!vapply(orders, is.null, NA))) {
    mine <- parts[[k]]$kernels
    parameters[mine] <- order_matrices(parameters[mine], orders[[k]], reference$names)
  }
  modify_kernels(kernels, parameters = parameters)
}

# Rows and columns of kernel matrices in another order; slices of one array go on sharing it, files are
# read into memory.
order_matrices <- function(parameters, order, names) {
  old <- new <- NULL
  for (m in seq_along(parameters)) {
    own <- parameters[[m]]
    if (!is.null(own$file)) own <- list(matrix = precomputed_values(own, order))
    else if (!is.null(own$matrix)) own$matrix <- own$matrix[order, order, drop = FALSE]
    if (!is.null(own$array)) {
      if (!identical(old, own$array)) new <- own$array[order, order, , drop = FALSE]
      old <- own$array
      own$array <- new
    }
    own$rows <- names
    if (!is.null(own$scores)) {
      own$scores$vectors <- own$scores$vectors[order, , drop = FALSE]
    }
    parameters[[m]] <- own
  }
  parameters
}

# Matrices of the samples that stay.
kernels_of_rows <- function(kernels, views, kept) {
  if (is.null(kernels) || !"precomputed" %in% kernel_field(kernels, "type")) return(kernels)
  check_size(kernels, views)
  kernels <- order_kernels(kernels, views)
  parameters <- kernel_field(kernels, "parameters")
  mine <- kernel_field(kernels, "type") == "precomputed"
  parameters[mine] <- lapply(parameters[mine], function(own) {
    order_matrices(list(own), kept, own$rows[kept])[[1L]]
  })
  modify_kernels(kernels, parameters = parameters)
}
