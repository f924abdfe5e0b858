# The features of kernels that count words, and the maps of locally linear ones.

#' Features of string kernels and locally linear kernels
#'
#' Returns the counts of words behind [spectrum_kernel()] and similar kernels, or the maps
#' \eqn{\phi_c(x) = h_c(x)(x - c)}{phi_c(x) = h_c(x) (x - c)} behind [locally_linear_kernel()]. The
#' kernel matrix (before normalisation) is the product of the matrix of features with its transpose.
#'
#' @param kernels A [kernel set][kernel_set] of kernels that count words, or of locally linear kernels; or a fit of
#'   [mllkm()], whose active maps are shown.
#' @param x The data: sequences (a character vector, an `XStringSet` of package \pkg{Biostrings}) or
#'   numbers as in [mkl()], or a named list of views that holds them. Columns are not standardised, except by a fit,
#'   which reads rows as its predictions do.
#' @return For words a sparse matrix (class `dgCMatrix`) with one row for each sequence and one column
#'   for each word that occurs, named by the word: `"ACG"`, `"A..T"` with skipped letters, `"12:ACG"`
#'   for a word at position 12. For a locally linear kernel a matrix with the rows of `x` and a column for
#'   each column that the kernel reads. For several kernels, and for a fit, a named list of them (for a fit with
#'   several models a list of such lists); the function of a fit is their sum, times the rows of its `coefficients`,
#'   plus its `offset`. Errors: class
#'   `manykernels_unsupported` for kernels that have no such features, and those with another `power` than 1.
#' @seealso [spectrum_kernel()], [kernel_weights()] for the weight of each feature in a fit.
#' @examples
#' x <- c(a = "ACGTACGT", b = "ACGTTC")
#' kernel_features(spectrum_kernel(2), x)
#' Matrix::tcrossprod(kernel_features(spectrum_kernel(2), x))
#'
#' near <- locally_linear_kernel("gaussian", gamma = 2, anchors = c(5, 1.5))
#' head(kernel_features(near, as.matrix(iris[3:4])))
#' @export
kernel_features <- function(kernels, x) {
  check_given(c(kernels = missing(kernels), x = missing(x)))
  if (inherits(kernels, "mllkm")) return(fit_features(check_object(kernels, "kernels"), x))
  check_kernel_set(kernels)
  views <- as_views(x)
  kernels <- resolve_kernels(kernels, views)
  other <- which(!kernel_field(kernels, "type") %in% c(word_types, "locally_linear"))
  if (length(other)) {
    mk_abort(sprintf("Kernel `%s` neither counts words nor is locally linear: it has no features to show.",
                     names(kernels)[other[1L]]), "unsupported", "kernels", names(kernels)[other])
  }
  power <- vapply(kernel_field(kernels, "parameters"), function(own) own$power %||% 1, 0)
  if (any(power != 1)) {
    mk_abort(sprintf(paste("Give kernel `%s` with `power = 1`: with power %s its matrix is not the product of the",
                           "features."), names(kernels)[power != 1][1L], number_text(power[power != 1][1L])),
             "unsupported", "kernels", names(kernels)[power != 1])
  }
  out <- lapply(seq_along(kernels), function(m) {
    view <- views[[kernels[[m]]$view]]
    if (!nrow(view)) return(no_features(kernels[[m]], view))
    if (kernels[[m]]$type == "locally_linear") local_features(kernels[[m]], view) else
      word_matrix(kernels[[m]], view, names = TRUE)
  })
  if (length(out) == 1L) out[[1L]] else stats::setNames(out, names(kernels))
}

# Without rows there are no words.
no_features <- function(kernel, view) {
  if (kernel$type == "locally_linear") return(local_features(kernel, view))
  new_sparse(list(p = 0L, i = integer(), x = numeric()), c(0L, 0L))
}

# The maps of the active kernels at rows that are read as for predictions.
fit_features <- function(fit, x) {
  models <- models_of(fit)
  if (!is.null(fit$terms)) x <- new_design(fit, x, "x")
  view <- plain_views(new_rows(models, x, argument = "x")$views)[[1L]]
  out <- lapply(models, function(model) {
    stats::setNames(lapply(seq_along(model$kernels), function(m) local_features(model$kernels[[m]], view)),
                    names(model$kernels))
  })
  if (has_models(fit)) out else out[[1L]]
}

# h_c(x) (x - c) of each row.
local_features <- function(kernel, view) {
  x <- as.matrix(view)
  if (!is.null(kernel$features)) x <- x[, kernel$features, drop = FALSE]
  own <- kernel$parameters
  off <- sweep(x, 2, own$anchor)
  r <- if (own$componentwise) abs(off) else sqrt(rowSums(off^2))
  off * switch(own$map, exponential = exp(-own$gamma * r), gaussian = exp(-own$gamma * r^2),
               linear = pmax(0, 1 - own$gamma * r), squared = pmax(0, 1 - own$gamma * r^2))
}
