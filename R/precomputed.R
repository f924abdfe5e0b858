#' Precomputed kernels
#'
#' Kernels given as matrices of all training rows against all training rows.
#'
#' A matrix that is asymmetric by rounding (up to 1e-8 of its largest value) is made symmetric, with
#' a message of class `manykernels_message_symmetrised`; a larger asymmetry is an error. A negative
#' eigenvalue beyond rounding (below -1e-8 of the largest absolute value) gives a warning of class
#' `manykernels_warning_indefinite` with its size: the matrix is no kernel, and a fit is certified
#' only for what it is. To predict, give the matrix of new rows against training rows: see
#' [predict.mkl()].
#'
#' @param K A symmetric numeric matrix, n x n; a list of such matrices, whose names become the
#'   kernels' names; an n x n x M array (its third `dimnames` become the names); a matrix of the
#'   `Matrix` package; or a kernel matrix of the packages kernlab (`kernelMatrix`) and kebabs
#'   (`KernelMatrix`). Double matrices and arrays are not copied.
#' @return A [kernel set][kernel_set] with one kernel for each matrix, called `precomputed` (or
#'   `precomputed1`, `precomputed2`, ...) where there is no name. Errors: class
#'   `manykernels_not_symmetric`, `manykernels_missing_values` (NA, NaN or infinite values),
#'   `manykernels_dimension` (not square, or of different sizes), `manykernels_invalid_argument`.
#' @family kernels
#' @export
#' @examples
#' x <- as.matrix(iris[1:20, 1:4])
#' precomputed_kernel(list(covariance = tcrossprod(x), distance = exp(-as.matrix(dist(x)))))
precomputed_kernel <- function(K) {
  if (is.array(K) && length(dim(K)) == 3L) return(precomputed_array(K))
  single <- !is.list(K) || is.data.frame(K)
  if (single) K <- list(K)
  if (length(K) == 0L) abort_argument(K, "K", "a symmetric matrix, a list of them or an array")
  name <- matrix_names(names(K), length(K))
  label <- if (single) "K" else matrix_labels(names(K), length(K))
  matrices <- unname(Map(check_kernel_matrix, K, label))
  size <- vapply(matrices, nrow, 0L)
  if (any(size != size[1L])) {
    odd <- which(size != size[1L])[1L]
    mk_abort(sprintf("`%s` is a matrix of size %d, but `%s` of size %d.", label[odd], size[odd],
                     label[1L], size[1L]), "dimension", "K", size)
  }
  Map(warn_indefinite, matrices, name)
  new_kernel_set(name, "precomputed", lapply(matrices, function(matrix) list(matrix = matrix)))
}

# Slices of one array, which all kernels share.
precomputed_array <- function(K) {
  m <- dim(K)[3L]
  if (m == 0L) abort_argument(K, "K", "a symmetric matrix, a list of them or an array")
  if (!is.double(K)) {
    if (!is.numeric(K)) abort_argument(K, "K", "a numeric array")
    storage.mode(K) <- "double"
  }
  name <- matrix_names(dimnames(K)[[3L]], m)
  for (slice in seq_len(m)) {
    given <- array_slice(K, slice)
    checked <- check_kernel_matrix(given, sprintf("K[, , %d]", slice))
    if (!identical(given, checked)) K[, , slice] <- checked
    warn_indefinite(checked, name[slice])
  }
  new_kernel_set(name, "precomputed", lapply(seq_len(m), function(i) list(array = K, slice = i)))
}

array_slice <- function(array, slice) matrix(array[, , slice], dim(array)[1L], dim(array)[2L])

matrix_names <- function(name, m) {
  plain <- if (m == 1L) "precomputed" else paste0("precomputed", seq_len(m))
  if (is.null(name)) plain else ifelse(is.na(name) | !nzchar(name), plain, name)
}

matrix_labels <- function(name, m) {
  place <- sprintf("K[[%d]]", seq_len(m))
  if (is.null(name)) place else ifelse(nzchar(name), paste0("K$", name), place)
}

# A plain, square, finite, symmetric double matrix.
check_kernel_matrix <- function(K, label) {
  if (inherits(K, "Matrix")) K <- as.matrix(K)
  if (isS4(K) && is.matrix(K)) K <- K@.Data # kernlab, kebabs
  if (!is.matrix(K) || !is.numeric(K)) abort_argument(K, label, "a symmetric numeric matrix")
  if (is.object(K)) K <- unclass(K)
  if (nrow(K) != ncol(K) || nrow(K) == 0L) {
    mk_abort(sprintf("`%s` must be a square matrix, not %d x %d.", label, nrow(K), ncol(K)),
             "dimension", "K", dim(K))
  }
  if (!is.double(K)) storage.mode(K) <- "double"
  check_finite(K, label)
  make_symmetric(K, label)
}

make_symmetric <- function(K, label) {
  worst <- asymmetry(K)
  if (worst == 0) return(K)
  if (worst > 1e-8 * max(abs(range(K)))) {
    mk_abort(sprintf("`%s` must be symmetric, but K[i, j] and K[j, i] differ by up to %s.", label,
                     format(worst, digits = 3L)), "not_symmetric", "K", worst)
  }
  mk_inform(sprintf("`%s` was made symmetric: K[i, j] and K[j, i] differed by up to %s.", label,
                    format(worst, digits = 3L)), "symmetrised", "K", worst)
  (K + t(K)) / 2
}

# max |K - K'|, by column blocks: no second matrix.
asymmetry <- function(K) {
  starts <- seq(1L, ncol(K), by = 256L)
  max(vapply(starts, function(start) {
    block <- start:min(start + 255L, ncol(K))
    max(abs(K[, block, drop = FALSE] - t(K[block, , drop = FALSE])))
  }, 0))
}

warn_indefinite <- function(K, name) {
  smallest <- smallest_eigenvalue(K)
  if (smallest >= -1e-8 * max(abs(range(K)))) return(invisible())
  mk_warn(
    sprintf("Kernel `%s` is indefinite: its smallest eigenvalue is about %s. %s", name,
            format(smallest, digits = 3L), "A fit is certified for the matrix as it is."),
    "indefinite", "K", smallest
  )
}

smallest_eigenvalue <- function(K) .Call(C_mk_smallest_eigenvalue, K)[1L]

# Rows of the matrix that a precomputed kernel's parameters hold; a fit keeps the size alone.
matrix_rows <- function(parameters) {
  parameters$size %||% dim(parameters$matrix %||% parameters$array)[1L]
}

# The size of the precomputed kernels of a resolved set, NA when there are none.
precomputed_size <- function(kernels) {
  first <- match("precomputed", kernel_field(kernels, "type"))
  if (is.na(first)) NA_integer_ else matrix_rows(kernel_field(kernels, "parameters")[[first]])
}
