# Bounds on the risk of a fitted model.

risk_sources <- c(
  kloft = paste("Kloft, Brefeld, Sonnenburg and Zien (2011), Corollary 11 (Corollary 10 with the",
                "margin loss) with the radius of equation 28"),
  empirical = paste("Bartlett and Mendelson (2002) with the empirical Rademacher complexity, the",
                    "margin loss and the radius of Kloft et al. (2011), equation 28"),
  kloft_2010 = paste("Kloft, Brefeld, Sonnenburg and Zien (2010), the earlier report: 2L and the",
                     "looser complexity, with the radius of Kloft et al. (2011), equation 28"),
  cortes = paste("Kloft, Brefeld, Sonnenburg and Zien (2011), Corollary 11 with the complexity of",
                 "Theorem 8")
)

#' Bound the risk of a fitted model
#'
#' Bounds the error rate on new samples from the training data alone. With probability at least 1 - `delta`
#' over samples, new cases are misclassified (or fall on the decision boundary) with a probability of at most
#' `value`. The bound needs no test set, and is far from tight for the same reason.
#'
#' With the margin loss \eqn{\min(1, (1 - t/\gamma)_+)}{min(1, (1 - t/gamma)+)}, the bound has these
#' terms:
#'
#' * `empirical`: the mean margin loss of the training rows;
#' * `complexity`: \eqn{(4/\gamma)\, r\, \Re(H^p)}{4/gamma r Re(H^p)} with [rademacher_bound()]
#'   (`"kloft"`: Corollary 9, `"cortes"`: Theorem 8, where it applies), half of that with the
#'   earlier report's bound (`"kloft_2010"`), or \eqn{(2/\gamma)\, r\, \hat\Re(H^p)}{
#'   2/gamma r Re(H^p)} with an upper confidence limit of [empirical_rademacher()] (`"empirical"`);
#' * `offset`: the same with \eqn{B/\sqrt n}{B/sqrt(n)} in place of \eqn{r \Re(H^p)}{r Re(H^p)}: the
#'   cost of adding an offset \eqn{|b| \le B}{|b| <= B} to all functions, as the classes \eqn{H^p}{H^p}
#'   have none and the fit has one;
#' * `confidence`: \eqn{\sqrt{\ln(2/\delta')/(2n)}}{sqrt(ln(2/delta') / (2n))}, three times that for
#'   `"empirical"`.
#'
#' The radius of the fit is \eqn{r = (\sum_m (\theta_m\sqrt{s_m})^q)^{1/q}}{r = (sum (theta_m
#' sqrt(s_m))^q)^(1/q)}, \eqn{s_m = \alpha^\top K_m\alpha}{s_m = alpha' K_m alpha}, q = 2p/(p+1). For other
#' [norms] it is the root of twice their regulariser (quadratic norm: at most that, by the fit's weights), and
#' the complexity is the smallest that [rademacher_convert()] carries over from the plain lp-norms of the
#' papers' grid, or with `"empirical"` that of the norm itself. Radius,
#' margin and offset depend on the data, but the theorems assume fixed ones. Each is therefore replaced by a
#' power of 2, \eqn{2^k}{2^k}: the margin by the next below; radius and offset by one at or above them, that with
#' the smallest bound. The statement for
#' \eqn{2^k}{2^k} may fail with probability \eqn{\delta 2^{-|k|}/3}{delta 2^-|k| / 3} only. For all three
#' together \eqn{\delta'}{delta'} is delta times three such factors. The statement then holds for all margins
#' at once, so the best may be chosen. With `"empirical"` a tenth of delta is for the random signs.
#'
#' Four quantities are treated as if they had been fixed before the data were seen, and the result lists them:
#' the norm, which cross-validation may have chosen; the constants of standardised columns and of the
#' kernels' normalisation; kernel parameters chosen from the data, such as those of [default_kernels()]; and
#' R, if it is not given.
#'
#' @param fit A fit of class `mkl`: two classes, or one of the models `fit$models` of a fit for
#'   several classes in which all rows take part.
#' @param x,y The training data and response, as in [duality_gap()]; y may be left out.
#' @param margin Margins: positive numbers, each rounded down to a power of 2; or `"best"` for the
#'   one with the smallest bound.
#' @param delta The probability that the statement fails, a number in (0, 1).
#' @param complexity How to compute the complexity: `"kloft"`, `"empirical"`, `"kloft_2010"` or `"cortes"`,
#'   see Details.
#' @param R A bound on \eqn{\sqrt{k_m(x,x)}}{sqrt(k_m(x, x))} of the normalised kernels, for all
#'   possible x: a number not below the largest on the training rows; `NULL`: that one. An error for
#'   `"empirical"`, which needs none: its confidence limit is that of the training rows.
#' @param draws The number of sign vectors for `"empirical"`, a positive whole number; an error for
#'   the others.
#' @param ... Not used; anything given is an error.
#' @return An object of class `risk_bound`. `value` has one bound for each margin. `terms` is a data frame
#'   with the terms above, the `margin` used, `radius`, `offset_limit` and `delta` (the part of it that
#'   remains for these). `radius` and `offset` are those of the fit, `notes` has the assumptions, and `source`
#'   names the theorem. A bound above 1 carries no information; if all are, there is a warning of class
#'   `manykernels_warning_vacuous`. `print()`, `plot()` and `autoplot()` (terms as stacked bars) work on it.
#'   Errors: those of [duality_gap()] about data that are not the fit's, and `manykernels_invalid_argument`.
#'   Further, `manykernels_unsupported` where rows take no part in a model, and `manykernels_bound` where a
#'   complexity does not apply to the fit's p or number of kernels.
#' @references
#' Bartlett, P. L. and Mendelson, S. (2002). Rademacher and Gaussian complexities: risk bounds and
#' structural results. *Journal of Machine Learning Research* **3**, 463--482.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Corollaries 10 and 11, equation 28).
#' @seealso [rademacher_bound()], [empirical_rademacher()], [duality_gap()]
#' @examples
#' set.seed(1)
#' toy <- simulate_mkl_toy(2000, nu = 0, rho = 4, d = 2)
#' fit <- mkl(toy$x, toy$y, per_feature(linear_kernel()), p = 2, C = 1e-3)
#' risk_bound(fit, toy$x, toy$y, margin = "best", complexity = "empirical")
#' @export
risk_bound <- function(fit, x, y, margin = 1, delta = 0.05,
                       complexity = c("kloft", "empirical", "kloft_2010", "cortes"), R = NULL,
                       draws = 200, ...) {
  check_dots_empty(...)
  check_given(c(fit = missing(fit)))
  check_two_class_fit(fit)
  complexity <- check_choice(complexity, names(risk_sources), "complexity")
  delta <- check_number(delta, "delta", 0, 1, lower_open = TRUE, upper_open = TRUE)
  margin <- check_margin(margin)
  check_complexity_arguments(complexity, R, !missing(draws))
  if (!is.null(R)) R <- check_number(R, "R", lower = 0)
  draws <- check_count(draws, "draws")
  data <- training_data(fit, if (missing(x)) NULL else x)
  if (!missing(y)) check_same_response(fit, y, data)
  facts <- fit_facts(fit, data)
  unit <- unit_complexity(facts, complexity, R, draws, delta)
  terms <- risk_terms(facts, unit, if (is.null(margin)) 2^(-30:30) else margin,
                      if (complexity == "empirical") 0.9 * delta else delta)
  if (is.null(margin)) terms <- terms[which.min(terms$value), ]
  rownames(terms) <- NULL
  value <- terms$value
  if (all(value > 1)) {
    mk_warn(sprintf(paste("The bound is vacuous: %s is more than 1. More rows, a larger margin, a",
                          "smaller `C` or fewer kernels would lower it."),
                    format(min(value), digits = 3)), "vacuous", "fit", value)
  }
  new_bound("risk_bound", value, terms[names(terms) != "value"], risk_sources[[complexity]],
            delta = delta, complexity = complexity, p = fit$p, norm = format(fit$penalty),
            n = facts$n, radius = facts$radius,
            offset = facts$offset, rademacher = unit$value, R = unit$R,
            notes = risk_notes(complexity, R, margin, draws))
}

# Signs are drawn for the empirical complexity, which needs no bound on the kernels.
check_complexity_arguments <- function(complexity, R, draws_given) {
  empirical <- complexity == "empirical"
  if (empirical && !is.null(R)) {
    mk_abort("`R` is not used by `complexity = \"empirical\"`.", "invalid_argument", "R", R)
  }
  if (!empirical && draws_given) {
    mk_abort(sprintf("`draws` is used by `complexity = \"empirical\"` alone, not by \"%s\".",
                     complexity), "invalid_argument", "draws")
  }
}

check_two_class_fit <- function(fit) {
  if (inherits(fit, c("mkl", "mkl_multiclass"))) check_object(fit)
  if (inherits(fit, "mkl_gomp")) {
    abort_unsupported("fit", if (fit$loss == "squared") {
      "Use gomp_bound(): `fit` is a least-squares fit of mkl_gomp(), and this bound is for other fits."
    } else {
      sprintf("Fit mkl() with `p = 1` instead: there is no bound for fits of mkl_gomp() with the %s.",
              format(new_loss(fit$loss)))
    })
  }
  if (inherits(fit, c("mkl_sequential", "mllkm"))) {
    abort_unsupported("fit", sprintf(paste("`fit` is a fit of %s(), which keeps few kernels of its",
                                           "dictionary; the bound is for all of them."),
                                     if (inherits(fit, "mllkm")) "mllkm" else "mkl_sequential"))
  }
  if (inherits(fit, "mkl_multiclass")) {
    mk_abort(paste("Give one of the models, `fit$models[[1]]` and so on: the bound is for one model",
                   "of two classes."), "invalid_argument", "fit")
  }
  check_class(fit, "mkl", "fit", "a fit of class \"mkl\"")
  if (kind_of(fit) != "classes") {
    abort_unsupported("fit", sprintf(
      "`fit` must be a model of two classes, not a fit of the %s%s: the bound is on the error rate.",
      format(loss_of(fit)), if (kind_of(fit) == "numbers") " to numbers" else ""
    ))
  }
  if (anyNA(fit$y)) {
    mk_abort(sprintf("`fit` must be a model in which all rows take part; %s don't.",
                     count_of(sum(is.na(fit$y)), "row")), "unsupported", "fit")
  }
}

# NULL for the best; else powers of 2.
check_margin <- function(margin) {
  if (identical(margin, "best")) return(NULL)
  if (!is.numeric(margin)) abort_argument(margin, "margin", "positive finite numbers or \"best\"")
  margin <- check_numbers(margin, "margin", lower = 0, lower_open = TRUE)
  2^floor(log2(margin))
}

# Quantities of the fit for the bound, recomputed from the data.
fit_facts <- function(fit, data) {
  threads <- thread_count(fit$control)
  handle <- normalized_kernels(data$kernels, data$views, data$n, fit$normalize, threads)$handle
  signs <- own_targets(fit)
  norm <- norm_of_kernels(fit$penalty, names(data$kernels))
  found <- certify_pair(handle, to_handle(unname(fit$theta), handle), matrix(unname(fit$alpha)), matrix(signs),
                        matrix(unname(fit$cost)), loss_of(fit), fit$intercept, norm, threads)
  sides <- norm_sides(norm, to_handle(unname(fit$theta), handle), found$forms, handle)
  list(handle = handle, n = data$n, M = length(data$kernels), threads = threads, norm = norm,
       radius = sqrt(sides$primal), offset = fit$offset,
       margins = signs * (found$decision[, 1] - found$offset + fit$offset))
}

# The complexity of functions of norm 1, and the factors of the theorem that uses it.
unit_complexity <- function(facts, complexity, R, draws, delta) {
  if (complexity == "empirical") {
    estimate <- estimate_complexity(facts$handle, facts$n, list(facts$norm), draws, facts$threads,
                                    1 - delta / 10)
    return(list(value = estimate$upper, factor = 2, spread = 3, R = NA_real_))
  }
  seen <- sqrt(max(from_core(.Call(C_mk_largest_diagonal, facts$handle))))
  if (!is.null(R) && R < seen * (1 - 1e-9)) {
    mk_abort(sprintf("`R` must be at least %s, its value on the training rows, not %s.",
                     format(seen, digits = 4), format(R, digits = 4)), "invalid_argument", "R", R)
  }
  R <- R %||% seen
  list(value = norm_complexity(facts$norm, facts$M, facts$n, R, complexity),
       factor = if (complexity == "kloft_2010") 2 else 4, spread = 1, R = R)
}

# The bound on the norm's class: that of the plain lp-norm, for other norms the smallest that Remark 7 carries
# over.
norm_complexity <- function(norm, M, n, R, type) {
  refuse_functions(norm, "complexity", "Use `complexity = \"empirical\"`")
  plain <- norm$type == "lp" && is.null(norm$weights)
  whole <- dual_exponent(norm_grid) %in% c(round(dual_exponent(norm_grid)), Inf)
  p <- if (plain) norm$p else if (type == "cortes") norm_grid[whole] else unique(c(norm_grid, as_lp(norm)$p))
  q <- if (type == "cortes") p else 1
  bounds <- complexity_bound(data.frame(p = p, M = as.double(M), n = as.double(n), R = R, q = q), type)
  if (plain) bounds else min(bounds * vapply(p, function(one) norm_ratio(lp_norm(one), norm, M), 0))
}

# One row per margin, with the powers of 2 for radius and offset that make the bound smallest.
risk_terms <- function(facts, unit, margin, delta) {
  grid <- expand.grid(radius = powers_from(facts$radius), offset_limit = powers_from(facts$offset))
  shrink <- function(power) 2^-abs(log2(power)) / 3
  rows <- lapply(margin, function(gamma) {
    left <- delta * shrink(gamma) * shrink(grid$radius) * shrink(grid$offset_limit)
    terms <- data.frame(
      margin = gamma, empirical = mean(pmin(1, pmax(0, 1 - facts$margins / gamma))),
      complexity = unit$factor / gamma * grid$radius * unit$value,
      offset = unit$factor / gamma * grid$offset_limit / sqrt(facts$n),
      confidence = unit$spread * sqrt(log(2 / left) / (2 * facts$n)),
      grid, delta = left
    )
    terms$value <- terms$empirical + terms$complexity + terms$offset + terms$confidence
    terms[which.min(terms$value), ]
  })
  do.call(rbind, rows)
}

risk_notes <- function(complexity, R, margin, draws) {
  c(
    paste("radius, margin and offset were known only after the data were seen: each goes over a",
          "grid of powers of 2 with a union bound"),
    "the fit's offset is part of the class, with a term of its own",
    paste("the norm, kernel parameters, scaling and normalisation constants count as fixed before the",
          "data were seen"),
    if (complexity == "empirical") {
      sprintf("random signs: upper confidence limit from %s, for a tenth of delta",
              count_of(draws, "sign vector"))
    } else if (is.null(R)) {
      "R is the largest on the training rows; strictly it must hold for all cases"
    },
    if (is.null(margin)) "the margin is the best of the grid"
  )
}
