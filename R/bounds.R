# Bounds that need numbers alone; what all bound objects share.

# ---- objects -------------------------------------------------------------------------------------

# value: the number or numbers; terms: a data frame with one row per value; source: the statement.
new_bound <- function(class, value, terms, source, ...) {
  structure(list(value = value, terms = terms, source = source, ..., version = model_version),
            class = c(class, "bound"))
}

# Whole rows of a table; a list would print each column on its own.
terms_table <- function(terms, digits, n) {
  shown <- as.data.frame(lapply(terms, function(column) {
    if (is.numeric(column)) format(column, digits = digits) else column
  }), check.names = FALSE, optional = TRUE)
  short_table(shown, "row", n = n, right = TRUE, row.names = FALSE)
}

# Arguments of one length or of length 1, as a data frame of doubles.
recycle_arguments <- function(...) as.data.frame(recycle_parameters(..., class = "length"))

dual_exponent <- function(p) ifelse(p == 1, Inf, ifelse(is.infinite(p), 1, p / (p - 1)))

# The p of the papers' experiments.
norm_grid <- c(1, 32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, 8, Inf)

# ---- Rademacher complexity -----------------------------------------------------------------------

bound_types <- c("kloft", "kloft_2010", "cortes", "gomp")

bound_sources <- c(
  kloft = "Kloft, Brefeld, Sonnenburg and Zien (2011), Corollary 9",
  kloft_2010 = "Kloft, Brefeld, Sonnenburg and Zien (2010), the earlier report of the same",
  cortes = paste("Cortes, Mohri and Rostamizadeh (2010) as in Kloft et al. (2011), Theorem 8,",
                 "carried over by Theorem 6"),
  gomp = "Sindhwani and Lozano (2011), Theorem 1: a sum of M kernels named beforehand"
)

#' Bounds on the Rademacher complexity of multiple kernel learning
#'
#' The Rademacher complexity \eqn{\Re(H^p)} measures how rich the class of functions of lp-norm multiple
#' kernel learning is, by how well the class follows random signs. These bounds depend only on the
#' numbers of rows and kernels. [empirical_rademacher()] computes the quantity itself from data.
#'
#' With c = 23/22, \eqn{p^* = p/(p-1)}{p* = p/(p - 1)} and \eqn{k_m(x,x) \le R^2}{k_m(x, x) <= R^2}:
#'
#' * `"kloft"`: \eqn{\sqrt{c M^{1/p^*} R^2 \min(e \lceil\log M\rceil, \lceil p^*\rceil) / n}}{ sqrt(c
#'   M^(1/p*) R^2 min(e ceil(log M), ceil(p*)) / n)}, where \eqn{\lceil p^*\rceil}{ceil(p*)} is 2 in the
#'   limit p = Inf. For a single kernel the class is the same for all p, so the value 2 of the limit is
#'   used throughout.
#' * `"kloft_2010"`: the same with \eqn{e\lceil\log M\rceil}{e ceil(log M)} in place of the minimum.
#' * `"cortes"`: for \eqn{H^q} with q = 1 \eqn{\sqrt{c e\lceil\log M\rceil R^2/n}}{
#'   sqrt(c e ceil(log M) R^2 / n)}, with q > 1 \eqn{\sqrt{c q^* M^{1/q^*} R^2/n}}{
#'   sqrt(c q* M^(1/q*) R^2 / n)}, where q* must be a whole number; carried over to p >= q by
#'   [rademacher_convert()]. `q = p` gives the bound on \eqn{H^p} itself.
#' * `"gomp"`: \eqn{\sqrt{M R^2/n}}{sqrt(M R^2 / n)} for a plain sum of M kernels (`p = Inf`) fixed in
#'   advance; see [gomp_bound()] for kernels that matching pursuit has chosen.
#'
#' All bounds are for functions of norm at most 1; multiply by the radius for others, as
#' [risk_bound()] does.
#'
#' @section Odd conjugates:
#' Kloft et al. state Theorem 8 for even whole numbers q*, but their Corollary 9 applies it to
#' \eqn{\lceil p^*\rceil}{ceil(p*)}, which may be odd. It holds for every whole number r: with
#' \eqn{|k_m(x,z)| \le \sqrt{k_m(x,x) k_m(z,z)}}{|k_m(x, z)| <= sqrt(k_m(x, x) k_m(z, z))} the moments
#' of random signs are at most those of normal variables, \eqn{E(\sigma^\top K_m\sigma)^r \le
#' (2r-1)!!\,(\mathrm{tr} K_m)^r}{E (s' K_m s)^r <= (2r - 1)!! tr(K_m)^r}, and \eqn{(2r-1)!! \le (c
#' r)^r}{(2r - 1)!! <= (c r)^r}. So `"cortes"` serves odd q* as well, and `"kloft"` all p.
#'
#' @param p Norms of the kernel weights, a vector of numbers in `[1, Inf]`.
#' @param M Numbers of kernels, a vector of positive whole numbers.
#' @param n Numbers of rows, a vector of positive whole numbers.
#' @param R Bounds on \eqn{\sqrt{k_m(x,x)}}{sqrt(k_m(x, x))} for all kernels and x, a vector of
#'   non-negative numbers. Strictly, it must hold for all possible data, not only for the sample.
#' @param type The bound, one of `"kloft"`, `"kloft_2010"`, `"cortes"` and `"gomp"`; see Details.
#' @param q For `"cortes"`: the norms whose bound is carried over to `p`, a vector of numbers in
#'   `[1, p]`.
#' @param kernels,x A kernel set and data as in [mkl()], in place of `M`, `n` and `R`: R is then the
#'   root of the largest value of a normalised kernel on the diagonal.
#' @param normalize How kernels are normalised, as in [mkl()].
#' @param scale Whether to standardise columns first, as fits do: `TRUE`, `FALSE` or by view; see [scaling].
#' @return An object of class `rademacher_bound`. `value` has the bounds, and `terms` is a data frame
#'   with the arguments and the factors of each. `source` names the theorem and `version` the form of
#'   the object. Arguments are recycled to the longest. `print()`, `plot()` and `autoplot()` (bound
#'   against p) work on it. Errors: classes `manykernels_invalid_argument`, `manykernels_length`, and
#'   `manykernels_bound` if a bound does not apply.
#' @references
#' Cortes, C., Mohri, M. and Rostamizadeh, A. (2010). Generalization bounds for learning kernels.
#' *Proceedings of the 27th International Conference on Machine Learning*, 247--254.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 5; the misprints of the theorems are
#' corrected here).
#' @seealso [empirical_rademacher()], [risk_bound()], [bound_by_norm()]
#' @examples
#' rademacher_bound(c(1, 4/3, 2, Inf), M = 50, n = 1000, R = 1)
#' rademacher_bound(2, M = 50, n = 1000, R = 1, type = "cortes", q = 2)
#' rademacher_bound(1, kernels = gaussian_kernel(2^(-2:4)), x = as.matrix(iris[1:4]))
#' @export
rademacher_bound <- function(p, M, n, R, type = c("kloft", "kloft_2010", "cortes", "gomp"), q = 1,
                             kernels = NULL, x = NULL, normalize = "multiplicative",
                             scale = FALSE) {
  check_given(c(p = missing(p)))
  type <- check_choice(type, bound_types, "type")
  if (!is.null(kernels) || !is.null(x)) {
    given <- c("M", "n", "R")[c(!missing(M), !missing(n), !missing(R))]
    if (length(given)) {
      mk_abort(sprintf("`%s` must not be given together with `kernels` and `x`, which determine it.",
                       given[1L]), "invalid_argument", given[1L])
    }
    size <- data_size(x, kernels, normalize, scale)
    M <- size$M
    n <- size$n
    R <- size$R
  } else if (missing(M) || missing(n) || missing(R)) {
    lacking <- c("M", "n", "R")[c(missing(M), missing(n), missing(R))][1L]
    mk_abort(sprintf("`%s` must be given, or `kernels` and `x`, which determine it.", lacking),
             "invalid_argument", lacking)
  } else if (!missing(normalize)) {
    mk_abort("`normalize` is for `kernels` and `x`, which are not given.", "invalid_argument",
             "normalize")
  }
  arguments <- check_bound_arguments(p, M, n, R, q)
  if (type != "cortes" && any(arguments$q != 1)) {
    mk_abort(sprintf("`q` is used by `type = \"cortes\"` alone, not by \"%s\".", type),
             "invalid_argument", "q", q)
  }
  value <- complexity_bound(arguments, type)
  terms <- data.frame(
    arguments[c("p", "M", "n", "R")], kernels_factor = arguments$M^(1 - 1 / arguments$p),
    complexity = value
  )
  if (type == "cortes") terms$q <- arguments$q
  new_bound("rademacher_bound", value, terms, bound_sources[[type]], type = type)
}

check_bound_arguments <- function(p, M, n, R, q) {
  recycle_arguments(
    p = check_numbers(p, "p", lower = 1, allow_inf = TRUE),
    M = check_sizes(M, "M"), n = check_sizes(n, "n"),
    R = check_numbers(R, "R", lower = 0),
    q = check_numbers(q, "q", lower = 1, allow_inf = TRUE)
  )
}

# Numbers of kernels or rows, which a formula takes as they are: more than can be stored, too.
check_sizes <- function(x, argument) check_counts(x, argument, upper = 2^53)

complexity_bound <- function(arguments, type) {
  a <- arguments
  value <- from_core(.Call(C_mk_rademacher, match(type, bound_types), a$p, a$M, a$n, a$R, a$q))
  bad <- which(is.nan(value))
  if (length(bad)) abort_bound(a[bad[1L], ], type)
  value
}

abort_bound <- function(row, type) {
  reason <- if (type == "gomp") {
    sprintf("is for a plain sum of kernels, `p = Inf`, not for p = %g", row$p)
  } else if (row$M < 2) {
    "needs at least 2 kernels: `M` is 1"
  } else if (row$q > row$p) {
    sprintf("carries over from `q` to larger p only, but q = %g > p = %g", row$q, row$p)
  } else {
    sprintf("needs a whole number q* = q/(q - 1) unless q = 1, but q* = %g for q = %g",
            dual_exponent(row$q), row$q)
  }
  mk_abort(sprintf("The bound \"%s\" %s.", type, reason), "bound",
           if (type == "gomp") "p" else if (row$M < 2) "M" else "q")
}

# M, n and R of kernels on data.
data_size <- function(x, kernels, normalize, scale) {
  problem <- open_kernels(x, kernels, normalize, scale)
  largest <- from_core(.Call(C_mk_largest_diagonal, problem$handle))
  list(M = length(problem$kernels), n = problem$n, R = sqrt(max(largest)))
}

# Kernels on data, normalised as in a fit.
open_kernels <- function(x, kernels, normalize, scale = FALSE) {
  normalize <- check_normalize(normalize)
  if (!is.null(kernels)) check_kernel_set(kernels)
  data <- bridge_data(x, kernels, check_scale(scale))
  threads <- thread_count()
  opened <- normalized_kernels(data$kernels, data$views, data$n, normalize, threads)
  inform_constant(constant_labels(data$kernels, is_constant(opened$constants)))
  list(handle = opened$handle, kernels = data$kernels, n = data$n, threads = threads)
}

# ---- group matching pursuit ----------------------------------------------------------------------

#' Risk bound for group matching pursuit with kernels
#'
#' Take the sums f of functions of `s` kernels with \eqn{\|f\|^2 \le \tau}{||f||^2 <= tau}, and among
#' them the one with the least squared error on the sample. With probability at least 1 - `delta` over
#' samples, its risk exceeds that of the best such function by at most \eqn{8L\sqrt{s\kappa\tau/n} +
#' 4L^2\sqrt{\log(3/\delta)/(2n)}}{8 L sqrt(s kappa tau / n) + 4 L^2 sqrt(log(3/delta) / (2n))}, \eqn{L
#' = Y + \sqrt{s\kappa\tau}}{L = Y + sqrt(s kappa tau)}. The statement concerns the minimiser, which
#' greedy pursuit need not find.
#'
#' @section The size of the dictionary:
#' The kernels must be named before the sample is seen. The paper states the bound for the best `s`
#' kernels of a dictionary of any size. Its proof does not show that. It bounds the Rademacher complexity of
#' each set of `s` kernels by \eqn{\sqrt{s\kappa\tau/n}}{sqrt(s kappa tau / n)}, but the complexity of
#' all sets together may be larger than that of each. An example has `s` = 1, `tau` = 1, and one kernel
#' \eqn{v(x)v(z)}{v(x) v(z)} for every function v of the n rows with values -1 and 1. Its complexity is
#' 1, as some v always agrees with the random signs, and not \eqn{1/\sqrt n}{1/sqrt(n)}. With `M`, the
#' size of the dictionary, the bound here holds for all sets of `s` kernels at once, by a union bound:
#' \eqn{\log(3/\delta) + \log\binom{M}{s}}{ log(3/delta) + log choose(M, s)} stands in place of
#' \eqn{\log(3/\delta)}{log(3/delta)}.
#'
#' @section A fit:
#' `s` may be a fit of [mkl_gomp()] with one output and without offset. The numbers of kernels in use
#' and in the dictionary, the squared norm, n and Y are then those of the fit. kappa is the largest
#' value on the diagonals of all kernels on the training rows; strictly it must hold for all x. The
#' number of kernels and the norm are known only after the data. The squared norm is therefore rounded
#' up to the next power of 2, and `delta` is divided among all numbers of kernels s and powers
#' \eqn{2^k}{2^k} as \eqn{\delta \cdot 2^{-s-|k|}/3}{delta 2^(-s - |k|) / 3}. The bound then concerns
#' the fit itself. Its risk exceeds that of the best function by at most the bound plus its own error on
#' the sample, the term `empirical`, since the least error on the sample isn't below 0.
#'
#' @param s Numbers of kernels in the sum, a vector of positive whole numbers; or a fit of
#'   [mkl_gomp()].
#' @param kappa Bounds on k(x, x) for all kernels and x, a vector of non-negative numbers.
#' @param tau Bounds on the squared norm of the function, a vector of non-negative numbers.
#' @param n Numbers of rows, a vector of positive whole numbers.
#' @param y_max Bounds Y on |y|, a vector of non-negative numbers.
#' @param delta Probabilities that the statement fails, a vector of numbers in (0, 1).
#' @param M The size of the dictionary that the kernels are chosen from, a vector of whole numbers of at
#'   least `s`; `NULL` for kernels fixed in advance.
#' @param x For a fit: its training data, as in [duality_gap()].
#' @return An object of class `gomp_bound`. `value` is the excess risk. `terms` is a data frame with the
#'   arguments, the Rademacher complexity \eqn{\sqrt{s\kappa\tau/n}}{sqrt(s kappa tau / n)} in
#'   `rademacher`, and the two terms `complexity` and `confidence`. `source` names the theorem and
#'   `version` the form of the object. Arguments are recycled to the longest. Errors: classes
#'   `manykernels_invalid_argument` and `manykernels_length`.
#' @references
#' Sindhwani, V. and Lozano, A. C. (2011). Non-parametric group orthogonal matching pursuit for
#' sparse learning with multiple kernels. *Advances in Neural Information Processing Systems* **24**
#' (Theorem 1).
#' @examples
#' gomp_bound(s = c(1, 5, 20), kappa = 1, tau = 1, n = 1e5)
#'
#' set.seed(1)
#' toy <- simulate_mkl_toy(2000, nu = 0.5, d = 4)
#' fit <- mkl_gomp(toy$x, toy$y, per_feature(linear_kernel()), lambda = 1)
#' gomp_bound(fit, x = toy$x)
#' @export
gomp_bound <- function(s, kappa, tau, n, y_max = 1, delta = 0.05, M = NULL, x = NULL) {
  check_given(c(s = missing(s)))
  if (inherits(s, "mkl_gomp")) {
    given <- c(kappa = !missing(kappa), tau = !missing(tau), n = !missing(n),
               y_max = !missing(y_max), M = !is.null(M))
    if (any(given)) {
      name <- names(which(given))[1L]
      mk_abort(sprintf("`%s` must not be given together with a fit, which determines it.", name),
               "invalid_argument", name)
    }
    return(bound_of_path(s, x, delta))
  }
  if (!is.null(x)) {
    mk_abort("Leave out `x`: it is only for a fit of mkl_gomp() as `s`.", "invalid_argument",
             "x")
  }
  check_given(c(kappa = missing(kappa), tau = missing(tau), n = missing(n)))
  s <- check_sizes(s, "s")
  a <- recycle_arguments(
    s = s, M = if (is.null(M)) s else check_sizes(M, "M"),
    kappa = check_numbers(kappa, "kappa", lower = 0),
    tau = check_numbers(tau, "tau", lower = 0), n = check_sizes(n, "n"),
    y_max = check_numbers(y_max, "y_max", lower = 0),
    delta = check_numbers(delta, "delta", 0, 1, lower_open = TRUE, upper_open = TRUE)
  )
  if (any(a$M < a$s)) abort_argument(min(a$M), "M", "at least `s`")
  sets <- lchoose(a$M, a$s)
  if (is.null(M)) a$M <- NULL
  unit <- complexity_bound(data.frame(p = Inf, M = a$s, n = a$n, R = sqrt(a$kappa), q = 1), "gomp")
  a$rademacher <- unit * sqrt(a$tau)
  lipschitz <- a$y_max + sqrt(a$s * a$kappa * a$tau)
  a$complexity <- 8 * lipschitz * a$rademacher
  a$confidence <- 4 * lipschitz^2 * sqrt((log(3 / a$delta) + sets) / (2 * a$n))
  new_bound("gomp_bound", a$complexity + a$confidence, a,
            paste("Sindhwani and Lozano (2011), Theorem 1: excess over the best function of the",
                  if (is.null(M)) "class of kernels named beforehand" else
                    "class of any s of M kernels (with a union bound)"))
}

# The bound with the quantities of a fit, for the fit itself.
bound_of_path <- function(fit, x, delta) {
  delta <- check_number(delta, "delta", 0, 1, lower_open = TRUE, upper_open = TRUE)
  if (fit$loss != "squared") {
    abort_unsupported("s", "`s` must be a fit with `loss = \"squared\"`, which the bound is for.")
  }
  if (any(fit$offset != 0) || length(fit$offset) > 1 || fit$selected == 0) {
    abort_unsupported("s", paste("`s` must be a fit with kernels, one output and no offset, as the bound's",
                                 "functions are; mkl_gomp() fits it with `intercept = FALSE`."))
  }
  if (!is.null(fit$values)) {
    abort_unsupported("s", "`s` must be a fit without weights: the bound is for the unweighted mean of errors.")
  }
  largest <- max(from_core(.Call(C_mk_largest_diagonal, training_handle(fit, pursuit_data(fit, x))$handle)))
  tau <- powers_from(sum(fit$forms))[1]
  left <- delta * 2^(-fit$selected - abs(log2(tau))) / 3
  target <- fit_target(fit)
  out <- gomp_bound(fit$selected, largest, tau, nrow(target), max(abs(target)), left,
                    M = length(fit$theta))
  out$terms$empirical <- sum((target - training_step(fit, fit$selected))^2) / nrow(target)
  out$value <- out$value + out$terms$empirical
  out$delta <- delta
  out
}

# ---- which p -------------------------------------------------------------------------------------

#' Risk bounds by norm, for sparse and for uniform true weights
#'
#' Two cases of Kloft et al. (2011, section 5.1): the best linear classifier on M features, one kernel
#' each, has all weights equal (`"uniform"`), or a single weight that is not zero (`"sparse"`). To
#' contain it, the class of lp-norm multiple kernel learning must have the radius
#' \eqn{M^{(p+1)/(2p)}}{M^((p + 1)/(2p))} in the first case and 1 in the second. The bound on the risk
#' beyond the empirical one is then \eqn{4L r\,\Re(H^p) + \sqrt{\ln(2/\delta)/(2n)}}{4 L r Re(H^p) +
#' sqrt(ln(2/delta) / (2n))} with [rademacher_bound()] for \eqn{\Re(H^p)}{Re(H^p)}. In the sparse case
#' it grows with p as \eqn{\sqrt{M^{1-1/p}}}{sqrt(M^(1 - 1/p))}. In the uniform case the powers of M
#' cancel: the squared bound is M^2 R^2 times a constant over n for all p, as printed. Only the
#' logarithmic factor then favours larger p.
#'
#' @param M The number of kernels, a whole number of at least 2.
#' @param n The number of rows, a positive whole number.
#' @param R A bound on \eqn{\sqrt{k_m(x,x)}}{sqrt(k_m(x, x))}, a non-negative number.
#' @param scenario `"uniform"`, `"sparse"`, or both.
#' @param p Norms, a vector of numbers in `[1, Inf]`; by default those of the papers.
#' @param lipschitz The loss's Lipschitz constant L, a non-negative number: 1/margin for the margin
#'   loss.
#' @param delta The probability that the statement fails, a number in (0, 1).
#' @return An object of class `bound_by_norm`. `value` has the bounds. `terms` is a data frame with
#'   `scenario`, `p`, `radius`, `complexity` and `confidence` of each. `best` has the p with the
#'   smallest bound of each scenario (the smallest such p). `source` names the theorem and `version` the
#'   form of the object. `plot()` and `autoplot()` draw the bound against p. Errors: class
#'   `manykernels_invalid_argument`.
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 5.1, examples 1 and 2; the radius of
#' example 2 corrected).
#' @examples
#' b <- bound_by_norm(M = 100, n = 1e4, R = 1)
#' b
#' plot(b)
#' @export
bound_by_norm <- function(M, n, R = 1, scenario = c("uniform", "sparse"), p = norm_grid,
                          lipschitz = 1, delta = 0.05) {
  check_given(c(M = missing(M), n = missing(n)))
  M <- check_count(M, "M", lower = 2L, upper = 2^53)
  n <- check_count(n, "n", upper = 2^53)
  R <- check_number(R, "R", lower = 0)
  p <- check_numbers(p, "p", lower = 1, allow_inf = TRUE)
  lipschitz <- check_number(lipschitz, "lipschitz", lower = 0)
  delta <- check_number(delta, "delta", 0, 1, lower_open = TRUE, upper_open = TRUE)
  if (!is.character(scenario) || !length(scenario) ||
        !all(scenario %in% c("uniform", "sparse"))) {
    abort_argument(scenario, "scenario", "\"uniform\", \"sparse\", or both")
  }
  terms <- expand.grid(p = p, scenario = unique(scenario), stringsAsFactors = FALSE)[2:1]
  arguments <- data.frame(p = terms$p, M = M, n = n, R = R, q = 1)
  arguments[] <- lapply(arguments, as.double)
  terms$radius <- ifelse(terms$scenario == "uniform", M^(0.5 + 0.5 / terms$p), 1)
  terms$complexity <- 4 * lipschitz * terms$radius * complexity_bound(arguments, "kloft")
  terms$confidence <- sqrt(log(2 / delta) / (2 * n))
  value <- terms$complexity + terms$confidence
  best <- vapply(split(seq_along(value), factor(terms$scenario, unique(scenario))), function(rows) {
    min(terms$p[rows][value[rows] <= min(value[rows]) * (1 + 1e-12)])
  }, 0)
  new_bound("bound_by_norm", value, terms,
            "Kloft, Brefeld, Sonnenburg and Zien (2011), equation 28 and section 5.1",
            best = best, M = M, n = n, R = R)
}

# Powers of 2 that are at least |x|, up to 1 or the first beyond it.
powers_from <- function(x) {
  least <- max(ceiling(log2(abs(x))), -60)
  2^(least:max(least, 0))
}
