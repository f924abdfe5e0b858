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
#' * `sum_norm(lp_norm(p1), lp_norm(p2), ...)`: \eqn{\theta \ge 0}, \eqn{\sum_k c_k \|\theta\|_{p_k} \le
#'   1}{ sum_k c_k ||theta||_p_k <= 1}, the weighted sum of lp-norms with finite p, each with or without weights.
#'   The dual subtracts half of the conjugate norm, the least of \eqn{\max_k \|s_k\|_{p_k^*}/c_k}{max over k of
#'   ||s_k||_p_k* / c_k} over \eqn{s = \sum_k s_k}{ s = sum_k s_k}. Kloft et al. (2011), section 2.3.1.
#' * `custom_norm(value, derivative, conjugate)`: \eqn{\theta \ge 0}, \eqn{N(\theta) \le 1}{ N(theta) <= 1} with
#'   a norm by your own functions; see the section below.
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
#' @section Norms of your own:
#' `custom_norm()` takes a norm as three functions of a vector with one number for each kernel, in order: the
#' norm of a \eqn{\theta \ge 0}{theta >= 0}, its derivative, a vector, at positive \eqn{\theta}{theta}, and the
#' conjugate norm \eqn{\|s\|_* = \max\{s^\top \theta : N(\theta) \le 1\}}{||s||_* = max of s'theta over
#' N(theta) <= 1}. The norm must have a derivative wherever all weights are positive, so \eqn{\max_m
#' \theta_m}{max theta_m} is not one; give a large p instead.
#'
#' The functions are checked at 40 vectors, and for kinks where all weights are equal: the norm must be positive
#' and twice as large at twice \eqn{\theta}{theta}, lie above its tangents (it is convex), and have that
#' derivative; the conjugate must be 1 at each derivative, and at least \eqn{s^\top \theta/N(\theta)}{s'theta /
#' N(theta)} everywhere. `custom_norm()` checks for `M` kernels, and [mkl()] for those of the fit.
#'
#' Fits with `sum_norm()` and `custom_norm()` solve a few problems with quadratic norms, each with the value, the
#' derivative and the curvature of the norm at the last weights: each such fit takes several fits of the core, and
#' optimisers for lp-norms alone cannot be chosen. The default solves them by `"newton"` (see [mkl_control()])
#' if there are as many kernels as rows, and where `"interleaved"` stalls because many weights are 0. The
#' certificate of each fit and [duality_gap()] are computed from the norm itself: the dual has \eqn{\|s +
#' \gamma\|_*}{||s + gamma||_*} with a \eqn{\gamma \ge 0}{gamma >= 0} (Kloft et al. 2011, Equation 9). They work
#' in [mkl()], [cv_mkl()] and [mkl_path()] over `C`, with all losses, and in [empirical_rademacher()]; bounds by
#' formulas don't take them. A fit keeps the functions, so [write_model()] can't write it; use [saveRDS()].
#'
#' @param p A number in \eqn{[1, \infty]}.
#' @param weights `NULL`, or positive finite numbers, one for each kernel in order, or named by
#'   kernel.
#' @param E A symmetric positive definite matrix with one row for each kernel in order, or with dimnames
#'   that name the kernels. A matrix of alignments is singular if one kernel is a combination of others;
#'   add a multiple of the identity then.
#' @param q A number in \eqn{[1, \infty]}.
#' @param lambda A number in \eqn{[0, 1]}.
#' @param ... One or several norms by `lp_norm()` with a finite `p`.
#' @param coefficients `NULL`, for ones, or a positive number for each norm.
#' @param value,derivative A function of the weights, a numeric vector: the norm, a number, and its derivative, a
#'   vector of that length. They return finite numbers.
#' @param conjugate A function of a numeric vector s: the conjugate norm, a finite number.
#' @param M `NULL`, or the number of kernels for which the functions are checked at once.
#' @param name A word for the norm in prints, a string.
#' @return An object of class `mkl_norm`, a list with `type` and its parameters; [rademacher_convert()]
#'   takes it, too. Errors: class
#'   `manykernels_invalid_argument`; sizes and names are compared with the kernels by [mkl()]
#'   (classes `manykernels_length`, `manykernels_names`). Functions that are not those of a norm are errors of class
#'   `manykernels_invalid_argument` that name the function and the place; `sum_norm()` of other norms is one of class
#'   `manykernels_unsupported`.
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
#' coef(mkl(x, y, kernels, norm = sum_norm(lp_norm(1), lp_norm(2), coefficients = c(0.7, 0.3))))
#'
#' # the second and third kernel count as one: the sum of the Euclidean norms of three groups
#' group <- c(1, 2, 2, 3)
#' size <- function(x) as.vector(sqrt(rowsum(x^2, group)))
#' grouped <- custom_norm(value = function(theta) sum(size(theta)),
#'                        derivative = function(theta) theta / size(theta)[group],
#'                        conjugate = function(s) max(size(s)), M = 4, name = "group")
#' fit <- mkl(x, y, kernels, norm = grouped)
#' coef(fit)
#' fit$gap
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

#' @rdname norms
#' @export
sum_norm <- function(..., coefficients = NULL) new_sum_norm(list(...), coefficients)

new_sum_norm <- function(norms, coefficients) {
  if (!is.list(norms) || !length(norms) || !all(vapply(norms, inherits, NA, "mkl_norm"))) {
    abort_argument(norms, "...", "one or several norms by lp_norm()")
  }
  norms <- lapply(unname(norms), remade_norm, "...")
  for (one in norms) {
    if (one$type != "lp" || is.infinite(one$p)) {
      abort_unsupported("...", sprintf(
        paste("Give lp-norms with a finite p, not the %s; a large one such as lp_norm(32) is near that of `p =",
              "Inf`. For a sum with another norm use custom_norm()."), format(one)
      ))
    }
  }
  coefficients <- if (is.null(coefficients)) rep(1, length(norms)) else
    check_numbers(coefficients, "coefficients", lower = 0, lower_open = TRUE)
  if (length(coefficients) != length(norms)) {
    mk_abort(sprintf("`coefficients` must have %s, one for each norm, not %d.",
                     count_of(length(norms), "number"),
                     length(coefficients)), "length", "coefficients", coefficients)
  }
  new_norm("sum", norms = norms, coefficients = coefficients)
}

#' @rdname norms
#' @export
custom_norm <- function(value, derivative, conjugate, M = NULL, name = "custom") {
  check_given(c(value = missing(value), derivative = missing(derivative), conjugate = missing(conjugate)))
  functions <- list(value = value, derivative = derivative, conjugate = conjugate)
  for (one in names(functions)) {
    if (!is.function(functions[[one]])) {
      abort_argument(functions[[one]], one, sprintf("a function of %s", norm_variable(one)))
    }
  }
  norm <- new_norm("custom", value = value, derivative = derivative, conjugate = conjugate,
                   M = if (!is.null(M)) check_count(M, "M"), name = check_string(name, "name"))
  if (!is.null(M)) check_norm_functions(norm, norm$M)
  norm
}

new_norm <- function(type, ...) {
  structure(list(type = type, ...), version = model_version, class = "mkl_norm")
}

# Makes the norm again by its constructor.
remade_norm <- function(x, argument) {
  makers <- list(lp = lp_norm, quadratic = quadratic_norm, block = block_norm,
                 elastic_net = elastic_net_norm, sum = new_sum_norm, custom = custom_norm)
  type <- known_type(x, names(makers), argument, "a constructor of norms")
  remade(without_type(x), makers[[type]], argument, paste0(type, "_norm()"))
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
              paste("NULL or made by lp_norm(), quadratic_norm(), block_norm(), elastic_net_norm(), sum_norm()",
                    "or custom_norm()"))
  remade_norm(norm, "norm")
}

# Weights and matrices in the order of the kernels, without names.
norm_of_kernels <- function(norm, kernels) {
  if (!is.null(norm$norms)) norm$norms <- lapply(norm$norms, norm_of_kernels, kernels)
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
    elastic_net = sprintf("Elastic-net MKL, lambda = %s", format(norm$lambda)),
    sum = paste("Sum-norm MKL,", sub("sum of lp-norms, ", "", format(norm), fixed = TRUE)),
    custom = paste("Custom-norm MKL,", norm$name)
  )
}

#' @export
format.mkl_norm <- function(x, ...) {
  x <- remade_norm(x, "x")
  switch(x$type,
    lp = sprintf("lp-norm, p = %g%s", x$p, if (is.null(x$weights)) "" else ", weighted"),
    quadratic = sprintf("quadratic norm, E %d x %d", nrow(x$E), ncol(x$E)),
    block = sprintf("block norm, q = %g", x$q),
    elastic_net = sprintf("elastic net, lambda = %g", x$lambda),
    sum = paste("sum of lp-norms,", paste0(sprintf("%g (", x$coefficients),
                                           sub("lp-norm, ", "", vapply(x$norms, format, "")), ")",
                                           collapse = " + ")),
    custom = paste(x$name, "norm")
  )
}

#' @export
print.mkl_norm <- function(x, ...) {
  writeLines(text_lines(paste0("Norm for multiple kernel learning: ", format(x))))
  invisible(x)
}

has_kernel_values <- function(norm) {
  !is.null(norm$weights) || !is.null(norm$E) || any(vapply(norm$norms, has_kernel_values, NA))
}

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

# Each kernel's share of the fitted function's squared norm; norms may be below 0 by rounding.
norm_share <- function(norms) {
  norms <- pmax(norms, 0)
  norms / max(sum(norms), .Machine$double.xmin)
}

# The primal and the dual side of a norm (src/problem/sides.c) for each column of forms
# s_m = alpha'K_m alpha, a row for each of the handle's kernels. primal: the squared norm of the function with
# weights theta; dual: that of the forms' roots in the dual norm.
norm_sides <- function(norm, theta, forms, handle = NULL) {
  if (has_functions(norm)) {
    return(function_sides(norm, from_handle(theta, handle), from_handle(as.matrix(forms), handle)))
  }
  from_core(.Call(C_mk_norm_sides, core_norm(norm, handle), theta, as.matrix(forms)))
}
