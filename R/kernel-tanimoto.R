#' Tanimoto kernel
#'
#' \deqn{k(x, z) = \frac{\langle x, z\rangle}{\|x\|^2 + \|z\|^2 - \langle x, z\rangle}}{k(x, z) = <x, z>
#' / (|x|^2 + |z|^2 - <x, z>)} For columns of 0 and 1, such as fingerprints of molecules or members of
#' sets, this is the Jaccard index. It is the size of the intersection of two sets, divided by that of
#' their union.
#'
#' @details Counts and other non-negative numbers follow the same formula. It is not the ratio of minima
#' and maxima, a different kernel that agrees only for 0 and 1. Two rows of zeros have the value 1, and
#' a row of zeros has the value 0 with every other row.
#'
#' The formula depends on the zero of the columns. A view that a Tanimoto kernel uses is therefore not
#' standardised ([scaling]), also for other kernels that use it. To use standardised columns as well, give the
#' view a second time, under another name.
#'
#' Tanimoto kernels share their distances and inner products with the Gaussian, polynomial and linear kernels
#' on the same columns. Sparse views stay sparse. The kernel is positive semidefinite for all real numbers,
#' because \eqn{1 / (a + b)^j}{1 / (a + b)^j} is a kernel of positive a and b, and the value is the sum over
#' \eqn{j \ge 1}{j >= 1} of \eqn{(\langle x, z\rangle / (\|x\|^2 + \|z\|^2))^j}{(<x, z> / (|x|^2 + |z|^2))^j}.
#'
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel called `tanimoto`. If `scale` of a fit names its
#'   view, the fit is an error of class `manykernels_standardised`.
#' @references L. Ralaivola, S. J. Swamidass, H. Saigo and P. Baldi (2005). Graph kernels for
#'   chemical informatics. *Neural Networks* 18, 1093-1110.
#' @family kernels
#' @export
#' @examples
#' molecules <- rbind(a = c(1, 1, 0, 1), b = c(1, 0, 0, 1), c = c(0, 0, 1, 0))
#' kernel_matrix(tanimoto_kernel(), molecules) # a and b share 2 of 3 bits
#'
#' x <- matrix(rbinom(60 * 20, 1, 0.3), 60)
#' y <- x[, 1] + x[, 2] > x[, 3]
#' fit <- mkl(x, y, kernels = c(tanimoto_kernel(), gaussian_kernel(c(2, 8))))
#' fit$gap
tanimoto_kernel <- function(...) {
  check_dots_empty(..., .hints = constructor_hints)
  new_kernel_set("tanimoto", "tanimoto", list(list()))
}

# The choice of `scale`, without scaling of views for Tanimoto kernels or kernels of pairs unless it names
# them. kernels: a kernel set or NULL.
scale_for <- function(scale, kernels, views) {
  if (!inherits(kernels, "kernel_set") || length(views) == 0L) return(scale)
  kernels <- leaf_kernels(kernels)
  read <- unique(kernel_field(kernels, "view")[kernel_field(kernels, "type") %in% as_given_types])
  as_given <- setdiff(if (anyNA(read)) names(views) else read, names(scale))
  by_column <- is.null(names(scale)) && length(scale) > 1L
  if (by_column || !any(names(views) %in% as_given)) return(scale)
  words <- stats::setNames(vapply(scale_choice(scale, views), scale_word, ""), names(views))
  words <- c(replace(words, names(views) %in% as_given, "as_given"),
             response = scale_word(scales_response(scale)))
  if (is.logical(scale)) words == "standard" else words
}

scale_word <- function(value) if (isTRUE(value)) "standard" else if (isFALSE(value)) "as_given" else value

# Refuses kernels that need columns as they are, made by the function of a dictionary after scaling.
refuse_standard_columns <- function(kernels, views) {
  kernels <- leaf_kernels(kernels)
  scaled <- names(views)[lengths(views_scaling(views)) > 0L]
  bad <- which(kernel_field(kernels, "type") %in% as_given_types & kernel_field(kernels, "view") %in% scaled)
  if (!length(bad)) return(invisible())
  view <- kernel_field(kernels, "view")[bad[1L]]
  mk_abort(sprintf(paste("Kernel `%s` compares columns as they are, but the view `%s` is standardised:",
                         "give `scale = c(%s = FALSE)`."), names(kernels)[bad[1L]], view, view),
           "standardised", "scale", view)
}
