# Costs of other forms of the problem that have the same predictor as solution.

#' The cost of an equivalent problem
#'
#' [mkl()] bounds the norm of the kernel weights and penalises squared lengths, the Ivanov form
#' \deqn{\min_{w, b, \|\theta\|_p \le 1} C \sum_i V_i + \frac12 \sum_m \|w_m\|^2/\theta_m.}{
#' C sum_i V_i + (1/2) sum_m |w_m|^2 / theta_m with ||theta||_p <= 1.} Papers and programs also use the
#' Tikhonov form \deqn{\min_{w, b, \theta} C \sum_i V_i + \frac12 \sum_m \|w_m\|^2/\theta_m + \mu
#' \|\theta\|_p^2}{C sum_i V_i + (1/2) sum_m |w_m|^2 / theta_m + mu ||theta||_p^2} and the group-lasso
#' form, whose norm is not squared, \deqn{\min_{w, b} C \sum_i V_i + \Bigl(\sum_m
#' \|w_m\|^q\Bigr)^{1/q}, \quad q = 2p/(p + 1).}{C sum_i V_i + (sum_m |w_m|^q)^(1/q), q = 2p/(p + 1).}
#' Each solution of one form is a solution of the others at another C. This function finds that C.
#'
#' @details Let R be the penalty of the fit, \eqn{\frac12 \sum_m \|w_m\|^2/\theta_m}{(1/2) sum_m |w_m|^2 /
#' theta_m}. The weights of the Tikhonov form are t times those of the fit with \eqn{t^3 = R/(2\mu)}{t^3 =
#' R/(2 mu)}, and its cost is C/t. The cost of the group-lasso form is \eqn{C/\sqrt{2R}}{C/sqrt(2R)}. Both
#' follow from setting derivatives to 0, and have the accuracy of the fit.
#'
#' Give `C` to fit the other form at this cost. The call of the fit is then repeated, as by
#' [update()][stats::update], until its equivalent cost is `C`, which takes about ten fits. A small cost of
#' the group-lasso form has the solution w = 0, which no finite C of [mkl()] gives; it is an error.
#'
#' @param fit A fit of [mkl()] with one model (two classes, numbers, or one class) and an lp norm.
#' @param form `"tikhonov"` or `"group_lasso"`.
#' @param mu A positive number, for the Tikhonov form; the group-lasso form has no use for it.
#' @param C `NULL`, or the cost in the other form, a positive number.
#' @param tol With `C`: the largest relative difference of the equivalent cost from it, a positive number.
#' @return A list with `form`; `C`, the cost in that form; `theta`, its kernel weights (of the group-lasso
#'   form, which has none, those of the fit); `radius`, their lp norm; `penalty`, the term that the form adds
#'   to the losses; and `fit`, the fit that has the same predictor. Errors: class `manykernels_unsupported`
#'   for other fits and for fits without support vectors; `manykernels_no_equivalent` if no C was found.
#' @references M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien (2011). lp-norm multiple kernel
#'   learning. *Journal of Machine Learning Research* 12, 953-997, Theorem 1 and section 2.
#' @seealso [lp_norm()]
#' @export
#' @examples
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- droplevels(iris$Species[51:150])
#' fit <- mkl(x, y, gaussian_kernel(c(1, 4)), p = 1.5)
#' equivalent_cost(fit, "tikhonov", mu = 2)[c("C", "theta")]
#' same <- equivalent_cost(fit, "group_lasso", C = 0.5)
#' same$fit$C # the C of mkl() that has the predictor of the group lasso with C = 0.5
equivalent_cost <- function(fit, form = c("tikhonov", "group_lasso"), mu = 1, C = NULL, tol = 1e-3) {
  check_given(c(fit = missing(fit)))
  check_class(fit, "mkl", "fit", "a fit of mkl() with one model")
  check_object(fit)
  form <- check_choice(form, c("tikhonov", "group_lasso"), "form")
  mu <- check_number(mu, "mu", lower = 0, lower_open = TRUE)
  tol <- check_number(tol, "tol", lower = 0, lower_open = TRUE)
  if (!identical(fit$norm, "lp")) {
    abort_unsupported("fit", "`fit` must have an lp norm: give `p` to mkl().")
  }
  if (is.null(C)) return(equivalent_form(fit, form, mu))
  C <- check_number(C, "C", lower = 0, lower_open = TRUE)
  equivalent_fit(fit, form, mu, C, tol, parent.frame())
}

equivalent_form <- function(fit, form, mu) {
  R <- sum(fit$theta * fit$forms) / 2
  if (R <= 0) {
    abort_unsupported("fit", "`fit` has no support vectors: its function is a constant in every form.")
  }
  lasso <- form == "group_lasso"
  t <- if (lasso) 1 else (R / (2 * mu))^(1 / 3)
  list(form = form, C = fit$C / if (lasso) sqrt(2 * R) else t, theta = t * fit$theta,
       radius = t * lp_length(fit$theta, fit$p, fit$penalty$weights),
       penalty = if (lasso) sqrt(2 * R) else R / t + mu * t^2, fit = fit)
}

lp_length <- function(x, p, weights = NULL) {
  if (is.infinite(p)) max(x) else sum((weights %||% 1) * x^p)^(1 / p)
}

# The equivalent cost rises with that of the fit: secants on logarithms.
equivalent_fit <- function(fit, form, mu, C, tol, caller) {
  seen <- NULL
  for (turn in seq_len(50L)) {
    now <- equivalent_form(fit, form, mu)
    if (abs(now$C / C - 1) <= tol) return(now)
    seen <- rbind(seen, log(c(fit$C, now$C)))
    slope <- if (nrow(seen) > 1L) diff(utils::tail(seen, 2L))
    slope <- if (is.null(slope) || slope[1L] == 0) 2 else slope[1L] / slope[2L]
    slope <- if (is.finite(slope)) min(max(slope, 0.2), 10) else 2
    call <- stats::update(fit, evaluate = FALSE)
    call$C <- exp(seen[turn, 1L] + slope * (log(C) - seen[turn, 2L]))
    fit <- eval(call, caller)
    if (!any(fit$forms > 0)) break # so small a cost that nothing is left
  }
  mk_abort(sprintf("No C of mkl() was found whose cost in the form \"%s\" is %s; the nearest had %s.", form,
                   number_text(C), number_text(exp(seen[which.min(abs(seen[, 2L] - log(C))), 2L]))),
           "no_equivalent", "C", C)
}
