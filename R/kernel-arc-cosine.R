#' Arc-cosine kernel
#'
#' \deqn{k(x, z) = \frac{1}{\pi} \|x\| \|z\| (\sin t + (\pi - t) \cos t)}{k(x, z) = ||x|| ||z|| (sin t
#' + (pi - t) cos t) / pi} with t the angle between x and z. This is the arc-cosine kernel of order 1,
#' the inner product of x and z after one infinitely wide hidden layer of rectified linear units with
#' random weights.
#'
#' @details The kernel has no width: k(a x, a z) is a^2 k(x, z) for a > 0. It depends on the origin of the
#'   columns, which in fits is their mean unless `scale = FALSE` ([scaling]). A row of zeros has the value 0
#'   with every row.
#'
#' Arc-cosine kernels share their inner products with the polynomial kernels on the same columns.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel called `arc_cosine`.
#' @references Y. Cho and L. K. Saul (2009). Kernel methods for deep learning. *Advances in Neural
#'   Information Processing Systems* 22, 342-350, equations 3 and 6.
#' @family kernels
#' @export
#' @examples
#' x <- as.matrix(iris[1:4, 1:4])
#' kernel_matrix(arc_cosine_kernel(), x)
#' kernels <- c(arc_cosine_kernel(), gaussian_kernel(2^(0:3)))
#' fit <- mkl(iris[1:100, 1:4], iris$Species[1:100], kernels = kernels)
#' kernel_weights(fit)
arc_cosine_kernel <- function(...) {
  check_dots_empty(..., .hints = constructor_hints)
  new_kernel_set("arc_cosine", "arc_cosine", list(list()))
}
