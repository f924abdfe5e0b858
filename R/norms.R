# The norms that bound the kernel weights: constructors, checks, and their form in the core.

#' Norms of the kernel weights
#'
#' The argument `norm` of [mkl()] takes the place of `p` and determines how the kernel weights are
#' constrained. All norms share one optimiser, and each fit has its certificate (see [duality_gap()]).
#'
#' With \eqn{w_m} the weight vector of kernel \eqn{m} and \eqn{\theta_m} its weight in the mixture,
#' the norms add to the loss the least of
#' \eqn{\frac12 \sum_m \|w_m\|^2/\theta_m}{1/2 sum_m ||w_m||^2 / theta_m} over
#'
#' * `lp_norm(p, weights)`: \eqn{\theta \ge 0}, \eqn{\sum_m d_m \theta_m^p \le 1}{ sum_m d_m theta_m^p <= 1}
#'   with weights \eqn{d_m} (all 1 by default). A large \eqn{d_m} makes weight on kernel \eqn{m} cost more. In
#'   the limit `p = Inf` all \eqn{\theta_m} are 1 for any weights. Kloft et al. (2011), Equations 14 and 15.
#' * `quadratic_norm(E)`: \eqn{\theta \ge 0}, \eqn{\theta^\top E^{-1} \theta \le 1}{ theta' E^-1 theta
#'   <= 1}: weight on one kernel makes weight on another cost less if \eqn{E_{mk} > 0}{E[m, k] > 0}. `E`
#'   may come from [kernel_alignment()]. The dual subtracts \eqn{\frac12 \min_{\gamma \ge 0} \|s +
#'   \gamma\|_E}{1/2 min over gamma >= 0 of ||s + gamma||_E}, \eqn{s_m = \alpha^\top K_m \alpha}{s_m =
#'   alpha' K_m alpha}; `E` = identity is `lp_norm(2)`. Kloft et al. (2011), section 3.5. (Section 3.6
#'   of their report, arXiv:1003.0079, leaves out \eqn{\gamma}, which is needed unless \eqn{E s \ge
#'   0}{E s >= 0}.)
#' * `elastic_net_norm(lambda)`: \eqn{\theta_m = t_m/((1 - \lambda) + \lambda t_m)}{ theta_m = t_m/((1 -
#'   lambda) + lambda t_m)} with \eqn{t \ge 0}, \eqn{\sum_m t_m \le 1}{ sum_m t_m <= 1}. As a
#'   regulariser of the \eqn{w_m} it is \eqn{\frac12[(1 - \lambda)(\sum_m \|w_m\|)^2 + \lambda \sum_m
#'   \|w_m\|^2]}{ 1/2 [(1 - lambda) (sum_m ||w_m||)^2 + lambda sum_m ||w_m||^2]}. It leads from
#'   `lp_norm(1)` (`lambda = 0`) to the sum of all kernels (`lambda = 1`, `lp_norm(Inf)`). `theta` of a
#'   fit is the effective weight \eqn{\theta_m} of this formula, as predictions use it; the simplex
#'   weights are \eqn{t_m = (1 - \lambda)\theta_m/(1 - \lambda\theta_m)}{
#'   t_m = (1 - lambda) theta_m/(1 - lambda theta_m)}. Tomioka and Suzuki (2010).
#'
#' `block_norm(q)` is the regulariser
#' \eqn{\frac12 (\sum_m \|w_m\|^q)^{2/q}}{1/2 (sum_m ||w_m||^q)^(2/q)},
#' \eqn{1 \le q \le \infty}{1 <= q <= Inf}. Up to `q = 2` it is `lp_norm(q/(2 - q))`,
#' that is \eqn{q = 2p/(p + 1)}. For larger q it makes the kernels contribute more evenly than the plain
#' sum does. The weights are \eqn{\theta_m \propto s_m^{q^*/2 - 1}}{theta_m proportional to s_m^(q*/2 -
#' 1)}, \eqn{q^* = q/(q - 1)}, larger for kernels of small \eqn{s_m} and all at least 1, with
#' \eqn{\sum_m \theta_m^{-r} = 1}{sum_m theta_m^-r = 1}, \eqn{r = q/(q - 2)}. Kloft et al. (2011),
#' section 4.5.
#'
#' @param p A number in \eqn{[1, \infty]}.
#' @param weights `NULL`, or positive finite numbers, one for each kernel in order, or named by
#'   kernel.
#' @param E A symmetric positive definite matrix with one row for each kernel in order, or with dimnames
#'   that name the kernels. A matrix of alignments is singular if one kernel is a combination of others;
#'   add a multiple of the identity then.
#' @param q A number in \eqn{[1, \infty]}.
#' @param lambda A number in \eqn{[0, 1]}.
#' @return An object of class `mkl_norm`, a list with `type` and its parameters; [rademacher_convert()]
#'   takes it, too. Errors: class
#'   `manykernels_invalid_argument`; sizes and names are compared with the kernels by [mkl()]
#'   (classes `manykernels_length`, `manykernels_names`).
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997.
#'
#' Tomioka, R. and Suzuki, T. (2010). Sparsity-accuracy trade-off in MKL. arXiv:1001.2615.
#' @seealso [mkl()], [kernel_alignment()]
#' @examples
#' x <- iris[51:150, 1:4]
#' y <- droplevels(iris$Species[51:150])
#' kernels <- c(linear_kernel(), gaussian_kernel(c(0.5, 2, 8)))
#' coef(mkl(x, y, kernels, norm = elastic_net_norm(0.5)))
#' coef(mkl(x, y, kernels, norm = block_norm(4)))
#' coef(mkl(x, y, kernels, norm = lp_norm(4/3, weights = c(4, 1, 1, 1))))
#' E <- kernel_alignment(kernels, x, centre = TRUE)
#' coef(mkl(x, y, kernels, norm = quadratic_norm(E + 0.1 * diag(4))))
#' @name norms
NULL

#' @rdname norms
#' @export
lp_norm <- function(p = 2, weights = NULL) {
  p <- check_number(p, "p", lower = 1, allow_inf = TRUE)
  if (!is.null(weights)) {
    label <- names(weights)
    weights <- stats::setNames(check_numbers(weights, "weights", lower = 0, lower_open = TRUE),
                               label)
  }
  new_norm("lp", p = p, weights = weights)
}

#' @rdname norms
#' @export
quadratic_norm <- function(E) {
  check_given(c(E = missing(E)))
  new_norm("quadratic", E = check_definite(E))
}

#' @rdname norms
#' @export
block_norm <- function(q = 2) {
  new_norm("block", q = check_number(q, "q", lower = 1, allow_inf = TRUE))
}

#' @rdname norms
#' @export
elastic_net_norm <- function(lambda = 0.5) {
  new_norm("elastic_net", lambda = check_number(lambda, "lambda", lower = 0, upper = 1))
}

new_norm <- function(type, ...) {
  structure(list(type = type, ...), version = model_version, class = "mkl_norm")
}

# Makes the norm again by its constructor.
remade_norm <- function(x, argument) {
  makers <- c(lp = "lp_norm", quadratic = "quadratic_norm", block = "block_norm",
              elastic_net = "elastic_net_norm")
  type <- known_type(x, names(makers), argument, "a constructor of norms")
  remade(without_type(x), get(makers[[type]]), argument, paste0(makers[[type]], "()"))
}

# Norms and losses are lists of a type and the arguments of its constructor.
known_type <- function(x, types, argument, by) {
  check_form(x, argument)
  fields <- own_fields(x)
  type <- if (is.list(fields)) fields[["type"]]
  as_made(check_choice(type, types, "type"), argument, by)
}

without_type <- function(x) unclass(x)[names(unclass(x)) != "type"]

check_definite <- function(E) {
  expected <- "a symmetric positive definite matrix of finite numbers"
  if (!is.matrix(E) || !is.numeric(E) || nrow(E) != ncol(E) || !length(E)) {
    abort_argument(E, "E", expected)
  }
  plain <- matrix(as.double(E), nrow(E), dimnames = dimnames(E))
  bad <- plain[!is.finite(plain)]
  if (length(bad)) abort_argument(bad[1], "E", expected)
  if (!isSymmetric(unname(plain))) {
    mk_abort(sprintf("`E` must be %s; it is not symmetric.", expected), "invalid_argument", "E", E)
  }
  if (!identical(rownames(plain), colnames(plain))) {
    mk_abort("`E` must have the same names for its rows and its columns.", "invalid_argument", "E",
             dimnames(E))
  }
  own <- sqrt(pmax(diag(plain), 0))
  least <- if (min(own) > 0) {
    min(eigen(plain / outer(own, own), symmetric = TRUE, only.values = TRUE)$values)
  } else {
    -1
  }
  if (least < 1e-12 * nrow(plain)) {
    mk_abort(sprintf(paste("`E` must be %s; it is not positive definite in double precision. A",
                           "multiple of the identity helps: E + 0.01 * diag(%d)."), expected,
                     nrow(plain)), "invalid_argument", "E", least)
  }
  plain
}

# ---- in a fit ------------------------------------------------------------------------------------

check_norm <- function(norm, p) {
  if (is.null(norm)) return(lp_norm(p))
  check_class(norm, "mkl_norm", "norm",
              "NULL or made by lp_norm(), quadratic_norm(), block_norm() or elastic_net_norm()")
  remade_norm(norm, "norm")
}

# Weights and matrices in the order of the kernels, without names.
norm_of_kernels <- function(norm, kernels) {
  if (!is.null(norm$weights)) {
    norm$weights <- unname(norm$weights[norm_order(names(norm$weights), length(norm$weights),
                                                   kernels, "weights")])
  }
  if (!is.null(norm$E)) {
    order <- norm_order(rownames(norm$E), nrow(norm$E), kernels, "rows of `E`")
    norm$E <- unname(norm$E[order, order, drop = FALSE])
  }
  norm
}

norm_order <- function(names, size, kernels, what) {
  if (size != length(kernels)) {
    mk_abort(sprintf("`norm` has %d %s, but there are %s.", size, what,
                     count_of(length(kernels), "kernel")), "length", "norm", size)
  }
  if (is.null(names)) return(seq_along(kernels))
  order <- match(kernels, names)
  if (anyNA(order)) {
    mk_abort(sprintf("`norm` has no %s named %s; without names they are in the kernels' order.",
                     what, enumerate(kernels[is.na(order)])), "names", "norm", names)
  }
  order
}

# The norm as the core takes it: a number (p of the plain lp-norm), or type, parameter and values. handle: the
# kernels that it is for; NULL: all.
core_norm <- function(norm, handle = NULL) {
  norm <- norm_of_varying(norm, handle)
  type <- match(norm$type, c("lp", "quadratic", "block", "elastic_net")) - 1L
  if (type == 0L && is.null(norm$weights)) return(norm$p)
  values <- if (type == 0L) norm$weights else norm$E
  list(type = type, parameter = norm$p %||% norm$q %||% norm$lambda %||% 0, values = values)
}

norm_text <- function(norm) {
  switch(norm$type,
    lp = sprintf("%slp-norm MKL, p = %s", if (is.null(norm$weights)) "" else "Weighted ",
                 format(norm$p)),
    quadratic = sprintf("Quadratic-norm MKL, E %d x %d", nrow(norm$E), ncol(norm$E)),
    block = sprintf("Block-norm MKL, q = %s", format(norm$q)),
    elastic_net = sprintf("Elastic-net MKL, lambda = %s", format(norm$lambda))
  )
}

#' @export
format.mkl_norm <- function(x, ...) {
  x <- remade_norm(x, "x")
  switch(x$type,
    lp = sprintf("lp-norm, p = %g%s", x$p, if (is.null(x$weights)) "" else ", weighted"),
    quadratic = sprintf("quadratic norm, E %d x %d", nrow(x$E), ncol(x$E)),
    block = sprintf("block norm, q = %g", x$q),
    elastic_net = sprintf("elastic net, lambda = %g", x$lambda)
  )
}

#' @export
print.mkl_norm <- function(x, ...) {
  cat("Norm for multiple kernel learning: ", format(x), "\n", sep = "")
  invisible(x)
}

has_kernel_values <- function(norm) !is.null(norm$weights) || !is.null(norm$E)

# The exponent of the block norm that belongs to lp-norm MKL.
block_exponent <- function(p) ifelse(is.infinite(p), 2, 2 * p / (p + 1))

# The norm of weights that are 0 for constant kernels. theta'E^-1 theta keeps the values that it has.
norm_of_varying <- function(norm, handle) {
  varying <- varying_kernels(handle)
  if (is.null(varying)) return(norm)
  norm$weights <- norm$weights[varying]
  if (!is.null(norm$E)) {
    inverse <- chol2inv(chol(norm$E))[varying, varying, drop = FALSE]
    norm$E <- chol2inv(chol(inverse))
  }
  norm
}

# The numbers of a handle's kernels among all; NULL where it has all of them.
varying_kernels <- function(handle) attr(handle, "varying", exact = TRUE)

# Each kernel's share of the fitted function's squared norm; norms may be below 0 by rounding.
norm_share <- function(norms) {
  norms <- pmax(norms, 0)
  norms / max(sum(norms), .Machine$double.xmin)
}

# Both sides of a norm (src/problem/sides.c) for each column of forms s_m = alpha'K_m alpha, a row for each
# of the handle's kernels. primal: the squared norm of the function with weights theta; dual: that
# of the forms' roots in the dual norm.
norm_sides <- function(norm, theta, forms, handle = NULL) {
  from_core(.Call(C_mk_norm_sides, core_norm(norm, handle), theta, as.matrix(forms)))
}
