# Norms on kernel weights and on blocks, as values.

#' Norms for kernel weights
#'
#' Descriptions of the norms that multiple kernel learning can put on the kernel weights or on the
#' functions of the kernels. [rademacher_convert()] compares the classes they define; [mkl()] in
#' this version fits the lp-norm alone, chosen by its argument `p`.
#'
#' With \eqn{\|w_m\|}{||w_m||} the norm of the function of kernel m, a norm N defines the class of
#' all functions whose norm is at most 1:
#'
#' * `lp_norm(p)`: \eqn{(\sum_m \|w_m\|^q)^{1/q}}{(sum ||w_m||^q)^(1/q)} with q = 2p/(p+1), the
#'   class of lp-norm multiple kernel learning; with weights \eqn{d_m} those of
#'   \eqn{(\sum_m d_m \theta_m^p)^{1/p} \le 1}{(sum d_m theta_m^p)^(1/p) <= 1}, where
#'   \eqn{\|w_m\|}{||w_m||} is multiplied by \eqn{d_m^{1/(2p)}}{d_m^(1/(2p))};
#' * `block_norm(q)`: the same for any q from 1 to infinity;
#' * `elastic_net_norm(lambda)`: \eqn{((1-\lambda)(\sum_m\|w_m\|)^2 + \lambda\sum_m
#'   \|w_m\|^2)^{1/2}}{sqrt((1 - lambda) (sum ||w_m||)^2 + lambda sum ||w_m||^2)}.
#'
#' @param p The norm of the kernel weights, a number in `[1, Inf]`.
#' @param weights Positive weights, one for each kernel; `NULL` for equal ones.
#' @param q The exponent of the block norm, a number in `[1, Inf]`.
#' @param lambda A number in `[0, 1]`: 0 is p = 1, 1 is p = Inf.
#' @return An object of class `mkl_norm`, a list with `type` and its parameters.
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Proposition 5, sections 3.5 and 4.5).
#' @examples
#' rademacher_convert(0.1, M = 10, from = 1, to = block_norm(3))
#' rademacher_convert(0.1, M = 10, from = 1, to = elastic_net_norm(0.5))
#' @export
lp_norm <- function(p = 2, weights = NULL) {
  p <- check_number(p, "p", lower = 1, allow_inf = TRUE)
  if (!is.null(weights)) weights <- check_numbers(weights, "weights", lower = 0, lower_open = TRUE)
  new_norm("lp", p = p, weights = weights)
}

#' @rdname lp_norm
#' @export
block_norm <- function(q = 2) {
  new_norm("block", q = check_number(q, "q", lower = 1, allow_inf = TRUE))
}

#' @rdname lp_norm
#' @export
elastic_net_norm <- function(lambda = 0.5) {
  new_norm("elastic_net", lambda = check_number(lambda, "lambda", lower = 0, upper = 1))
}

new_norm <- function(type, ...) structure(list(type = type, ...), class = "mkl_norm")

#' @export
format.mkl_norm <- function(x, ...) {
  switch(x$type,
    lp = sprintf("lp-norm, p = %g%s", x$p, if (is.null(x$weights)) "" else ", weighted"),
    block = sprintf("block norm, q = %g", x$q),
    elastic_net = sprintf("elastic net, lambda = %g", x$lambda)
  )
}

#' @export
print.mkl_norm <- function(x, ...) {
  cat("Norm for multiple kernel learning: ", format(x), "\n", sep = "")
  invisible(x)
}

# The exponent of the block norm that belongs to lp-norm MKL.
block_exponent <- function(p) ifelse(is.infinite(p), 2, 2 * p / (p + 1))
