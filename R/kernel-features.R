# The features of kernels that count words.

#' Features of string kernels
#'
#' Returns the counts of words behind [spectrum_kernel()] and similar kernels. The kernel matrix (before
#' normalisation) is the product of the count matrix with its transpose.
#'
#' @param kernels A [kernel set][kernel_set] of kernels that count words.
#' @param x Sequences: a character vector, an `XStringSet` of package \pkg{Biostrings}, or a named list
#'   of views that holds them.
#' @return A sparse matrix (class `dgCMatrix`) with one row for each sequence and one column for each
#'   word that occurs, named by the word: `"ACG"`, `"A..T"` with skipped letters, `"12:ACG"` for a word
#'   at position 12. For several kernels a named list of them. Errors: class `manykernels_unsupported`
#'   for kernels that have no such features.
#' @seealso [spectrum_kernel()], [kernel_weights()] for the weight of each feature in a fit.
#' @examples
#' x <- c(a = "ACGTACGT", b = "ACGTTC")
#' kernel_features(spectrum_kernel(2), x)
#' Matrix::tcrossprod(kernel_features(spectrum_kernel(2), x))
#' @export
kernel_features <- function(kernels, x) {
  check_given(c(kernels = missing(kernels), x = missing(x)))
  check_kernel_set(kernels)
  views <- as_views(x)
  kernels <- resolve_kernels(kernels, views)
  other <- which(!kernel_field(kernels, "type") %in% word_types)
  if (length(other)) {
    mk_abort(sprintf("Kernel `%s` doesn't count words: it has no features to show.",
                     names(kernels)[other[1L]]), "unsupported", "kernels", names(kernels)[other])
  }
  out <- lapply(seq_along(kernels), function(m) {
    word_matrix(kernels[[m]], views[[kernels[[m]]$view]], names = TRUE)
  })
  if (length(out) == 1L) out[[1L]] else stats::setNames(out, names(kernels))
}
