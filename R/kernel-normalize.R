# The normalisation of single kernels.

#' Choose the normalisation of single kernels
#'
#' Kernels must be on the same scale, since the norm compares their weights. `mkl(normalize = )` chooses the
#' scaling for all kernels. `normalize_kernels()` chooses it for the kernels of a set, and overrides the
#' choice of the fit.
#'
#' With \eqn{n} training rows, each choice divides the kernel by a constant of the training data:
#'
#' * `"multiplicative"`: by \eqn{\frac1n\sum_i k(x_i,x_i) - \frac1{n^2}\sum_{ij}
#'   k(x_i,x_j)}{mean(diag(K)) - mean(K)}, the variance in feature space, which becomes 1;
#' * `"spherical"`: by \eqn{\sqrt{k(x,x)k(z,z)}}{sqrt(k(x, x) k(z, z))}, so that every row has
#'   length 1;
#' * `"trace"`: by \eqn{\sum_i k(x_i,x_i)}{sum(diag(K))}, the trace, which becomes 1;
#' * `"none"`: by 1.
#'
#' `"centre"` first moves the origin of the feature space to the mean of the training rows:
#' \eqn{k(x,z) - \frac1n\sum_i k(x_i,z) - \frac1n\sum_i k(x,x_i) + \frac1{n^2}\sum_{ij} k(x_i,x_j)}{k(x,
#' z) minus row mean minus column mean plus grand mean}. Alone it means `c("centre", "none")`. The constants are
#' kept in the fit and used for new rows.
#'
#' A kernel can't be normalised if its divisor is zero up to rounding. If it is 0, or (under
#' `"multiplicative"` or `"centre"`) the same for all training rows, fits give it weight 0, with a message
#' (see [mkl()]); [kernel_matrix()] and [kernel_alignment()] signal an error of class
#' `manykernels_constant_kernel`. Other reasons are errors of that class everywhere: single rows of zeros
#' under `"spherical"`, new ones included, or a variance too small beside the values for double precision.
#'
#' @param kernels A [kernel set][kernel_set].
#' @param normalize `"multiplicative"`, `"spherical"`, `"trace"` or `"none"`, alone or with
#'   `"centre"` (the spelling `"center"` will do) as in `c("centre", "multiplicative")`.
#' @param ... Not used; anything given is an error.
#' @return The kernel set with this choice for each of its kernels. Errors: class
#'   `manykernels_invalid_argument`.
#' @references M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien (2011). lp-norm multiple kernel
#'   learning. *Journal of Machine Learning Research* 12, 953-997, section 4.4.2.
#' @export
#' @examples
#' k <- c(normalize_kernels(linear_kernel(), c("centre", "trace")), gaussian_kernel(width = 4))
#' k
#' x <- as.matrix(iris[1:20, 1:4])
#' sum(diag(kernel_matrix(k, x)[[1]]))
normalize_kernels <- function(kernels, normalize = "multiplicative", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(kernels = missing(kernels)))
  check_kernel_set(kernels)
  choice <- check_normalize(normalize)
  modify_kernels(kernels, normalize = rep(list(choice), length(kernels)))
}
