#' Laplace kernels
#'
#' \eqn{k(x, z) = \exp(-\|x - z\| / width)}{k(x, z) = exp(-||x - z|| / width)}, the exponential
#' kernel of the Euclidean distance. It has a cusp where x = z, so that fits follow abrupt changes;
#' Gaussian kernels are smooth there.
#'
#' The same kernel in kernlab is `kernlab::laplacedot(sigma = 1 / width)`. The kernel of graphs is
#' [laplacian_kernel()].
#'
#' With standardised columns, the default of fits ([scaling]), the distance of two rows is about
#' `sqrt(2 * ncol(x))`.
#'
#' @param width Positive numbers, at least 5.6e-309, in units of the columns (for fits, of standard
#'   columns); one kernel for each.
#' @param ... Not used; anything given is an error.
#' @details Laplace kernels share their distances with the Gaussian kernels on the same columns. The square
#'   root magnifies rounding errors of rows that are nearly equal. Certificates allow for that, so with sparse
#'   views of more than 16,384 columns the gap may stay near 1e-5.
#' @return A [kernel set][kernel_set] with one kernel for each width. Errors: class
#'   `manykernels_invalid_argument`.
#' @references B. Schoelkopf and A. J. Smola (2002). *Learning with Kernels*. MIT Press, section 4.4.
#' @family kernels
#' @export
#' @examples
#' laplace_kernel(width = 2^(-1:1))
#' x <- as.matrix(iris[1:4, 1:4])
#' kernel_matrix(laplace_kernel(width = 2), x)
#' fit <- mkl(iris[1:100, 1:4], iris$Species[1:100], kernels = laplace_kernel(2^(0:3)))
#' kernel_weights(fit)
laplace_kernel <- function(width = 1, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  width <- check_widths(width)
  name <- paste0("laplace(width=", number_text(width), ")")
  new_kernel_set(name, "laplace", lapply(width, function(w) list(width = w)))
}
