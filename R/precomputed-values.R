# Values of precomputed kernels, in memory or in files.

# Rows of the matrix that a precomputed kernel's parameters hold; a fit keeps the size alone.
matrix_rows <- function(parameters) {
  parameters$size %||% parameters$file$size %||% dim(parameters$matrix %||% parameters$array)[1L]
}

array_slice <- function(array, slice) matrix(array[, , slice], dim(array)[1L], dim(array)[2L])

# Values of a precomputed kernel between some of its rows; all of them by default.
precomputed_values <- function(own, rows = NULL, columns = rows) {
  if (!is.null(own$file)) {
    all <- seq_len(own$file$size)
    return(file_values(own$file, rows %||% all, columns %||% all))
  }
  K <- own$matrix %||% array_slice(own$array, own$slice)
  if (is.null(rows)) K else K[rows, columns, drop = FALSE]
}

# The size of the precomputed kernels of a resolved set, NA when there are none.
precomputed_size <- function(kernels) {
  first <- match("precomputed", kernel_field(kernels, "type"))
  if (is.na(first)) NA_integer_ else matrix_rows(kernel_field(kernels, "parameters")[[first]])
}
