#' Toy data of lp-norm multiple kernel learning
#'
#' Two classes with isotropic Gaussian distributions around opposite means, in `d` features of which only some
#' separate the classes (Kloft et al. 2011, section 6.1). The means are \eqn{\pm\rho\,\theta/\|\theta\|_2}{+-
#' rho theta / ||theta||_2} with a vector \eqn{\theta}{theta} of zeros and ones. With one linear kernel per
#' feature, the share `nu` of zeros is the share of kernels that are noise: sparse norms suit a large `nu`,
#' uniform weights `nu = 0`.
#'
#' @param n The number of rows, a whole number of at least 2; half of them, rounded down, are in the
#'   first class.
#' @param nu The share of features without information, a number in `[0, 1]`. It is rounded to whole
#'   features, and at least one is informative: `nu = 1` means a single one.
#' @param rho Half the distance of the class means, a non-negative number.
#' @param d The number of features, a positive whole number.
#' @return A list with `x` (an n times d matrix), `y` (a factor with levels `-1` and `1`), `theta` (the
#'   0/1 vector; the first features are the informative ones), `nu` (as rounded) and `mean` (of the
#'   class 1). `bayes_error` is the least error that any classifier can have,
#'   \eqn{\Phi(-\rho)}{pnorm(-rho)}. Random numbers are R's: see [set.seed()]. Errors: class
#'   `manykernels_invalid_argument`.
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 6.1).
#' @examples
#' set.seed(1)
#' toy <- simulate_mkl_toy(100, nu = 0.82)
#' sum(toy$theta)
#' fit <- mkl(toy$x, toy$y, per_feature(linear_kernel()), p = 4/3)
#' sum(coef(fit)[toy$theta == 1]) / sum(coef(fit))
#' @export
simulate_mkl_toy <- function(n, nu, rho = 1.75, d = 50) {
  check_given(c(n = missing(n), nu = missing(nu)))
  n <- check_count(n, "n", lower = 2L)
  nu <- check_number(nu, "nu", 0, 1)
  rho <- check_number(rho, "rho", lower = 0)
  d <- check_count(d, "d")
  informative <- max(round(d * (1 - nu)), 1)
  theta <- rep(c(1, 0), c(informative, d - informative))
  mean <- rho * theta / sqrt(sum(theta^2))
  sign <- rep(c(-1, 1), c(n %/% 2, n - n %/% 2))
  x <- matrix(stats::rnorm(n * d), n, d, dimnames = list(NULL, paste0("V", seq_len(d))))
  list(x = x + outer(sign, mean), y = factor(sign), theta = theta, nu = 1 - informative / d,
       mean = mean, bayes_error = stats::pnorm(-rho))
}
