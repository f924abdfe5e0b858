# Measures of fits on new rows: preparation, comparison, result.

#' Accuracy of a fit on new rows
#'
#' Compares predictions of new rows with their response. The result has measures with intervals, the confusion
#' matrix, and ROC, precision-recall and calibration curves. A list of fits is compared on the same rows, in
#' pairs.
#'
#' Use rows that the fit was neither trained nor chosen on; otherwise all figures are too good.
#'
#' @param fit A fit of [mkl()], [mkl_sequential()], [mkl_gomp()] or [mllkm()], a result of [cv_mkl()] (its
#'   fit to all rows), of [mkl_path()] (with `C` or `p`, the place on it) or of [read_model()]. Or a list
#'   of at least two of these with different names, to be compared.
#' @param newdata New rows, in the form that [predict()][predict.mkl()] takes. Several fits get the same;
#'   each uses the views and columns that it needs.
#' @param y The response of these rows, in the form that the fit was made with: a factor, whose levels may
#'   have any order, or text, numbers, a `Surv` object, or a matrix with one column per response. It is
#'   matched to the rows of `newdata` by name where both have names. With a formula it may be left out:
#'   `newdata` has it. For containers of Bioconductor it may be the name of a column of `colData`, for
#'   [tables] on disk that of a column; `group` and `weights`, too. For a fit of one class it is left
#'   out, or logical, `TRUE` for rows that belong to the class.
#' @param measures Names of [measures], a function as described there, or a list of both. `NULL` is a default
#'   by kind of response. For classes it is all but the margin loss, with `"log_loss"` and `"brier"` if all
#'   fits have probabilities, and without `"sensitivity"` and `"specificity"` (which are in `parts`) if there
#'   are more than two classes, or labels. For numbers it is `"rmse"`, `"mae"` and `"r2"`, for quantiles
#'   `"pinball"`, for censored times `"concordance"`, for one class `"inside"` and `"outside_shift"`.
#' @param level The level of the intervals, a number in (0, 1).
#' @param group A vector with one value per row, such as the patient: rows with the same value are drawn
#'   together by the bootstrap. Without it all rows count as independent.
#' @param weights Case weights of the new rows, numbers of at least 0. Rows of weight 0 don't count.
#' @param draws The number of bootstrap draws, a positive whole number. They use R's random numbers: set a
#'   seed for the same intervals.
#' @param ... `C` or `p` of [predict.mkl_path()], `kernels` of [predict.mkl_gomp()]. Anything else is an
#'   error.
#'
#' @return For one fit an object of class `mkl_assessment`, a list with
#' \item{measures}{a data frame with `measure`, `estimate`, `lower`, `upper`, and `interval`, the method.}
#' \item{parts}{the same for each class against all others (more than two classes), each response or
#'   each quantile, whose name is in `part`. Classes have a `part` called `"(mean)"`, too, the mean over
#'   those with cases. `NULL` for other fits.}
#' \item{confusion}{the weight (number) of rows by `truth` (rows) and `predicted` class (columns), a table
#'   with names; a list of these for labels; for one class without `y` the rows inside and outside; `NULL`
#'   for other responses.}
#' \item{roc, pr}{data frames with a row for each `threshold` on the decision value of a `class`:
#'   `sensitivity` and `specificity`, or `recall` and `precision`, of the rows at or above it. With two
#'   classes there is one curve, of the second level; with more there is one for each class. Classes
#'   without cases, or without other cases, have none. `NULL` without classes.}
#' \item{calibration}{where the fit has probabilities, a list of two data frames. `curve` has up to 10
#'   groups of equally many rows: `class`, the mean `predicted` probability, the `observed` share with
#'   `lower` and `upper` (Wilson). `summary` has for each class `intercept` and `slope` with their
#'   intervals, `brier` and its parts, see Details.}
#' \item{predictions}{a data frame with a row for each row that was used: `row` (of `newdata`), `name`,
#'   `truth` (of censored times also `status`), `response`, `decision`, `prob`, `weight`, `group`.}
#' \item{kind, rows, left_out, groups, level, draws}{the kind of response, the number of rows used, of rows
#'   left out as they have no `response` or no `prediction`, of groups, and the settings.}
#'
#' For several fits an object of class `mkl_comparison`, which extends `mkl_assessment`: a list with `fits`
#' (an assessment for each) and `comparisons`, a data frame with a row for each pair and measure: `fit`,
#' `with`, `measure`, the `difference` of their values (`fit` minus `with`) with `lower` and `upper`,
#' `p_value` that they are the same, and `test`. Rows are used where all fits have predictions. p-values
#' are not adjusted for the number of pairs.
#'
#' Both have the methods `print()`, `summary()`, `format()`, `as.data.frame()`, `tidy()`,
#' [`plot()`][plot.mkl_assessment] and `autoplot()`.
#'
#' @details *Intervals.* Rates (`"accuracy"`, for two classes `"sensitivity"`, `"specificity"` and
#' `"precision"`; `"inside"`) have Wilson's interval (1927). The area under the ROC curve of two classes
#' has that of DeLong, DeLong and Clarke-Pearson (1988), the concordance that of the infinitesimal
#' jackknife, as in package survival. All others have the percentiles of a bootstrap of the rows, moved
#' outwards for few rows as in Hesterberg (2015). With `group` the jackknife and the bootstrap are by
#' groups, and rates and areas get bootstrap intervals, too. The shares of the calibration curve keep Wilson's
#' interval, with fewer rows by the design effect of the groups (Kish 1965). Unequal weights count as
#' \eqn{(\sum_i w_i)^2 / \sum_i w_i^2}{(sum w)^2 / sum w^2} rows for Wilson's interval. Limits are
#' `NA` where the rows don't show how a measure varies: if (nearly) all draws have the same value, as after a
#' test without a single error, if the areas of DeLong and others have no variance, and for a single group.
#' Wilson's interval of the accuracy shows the uncertainty then. The mean over the classes is over those that
#' have cases among the rows, and in each draw over those that have cases in the draw.
#'
#' *Comparisons.* The accuracy is tested by McNemar's exact test on the rows where only one fit is right, and
#' for two classes the sensitivity and the specificity by the same test on the rows of their class. The area
#' of two classes is tested by DeLong's test, and the concordance by the jackknife. All other measures are
#' tested by the paired bootstrap, whose p-value is twice the share of draws in which the difference is on the
#' other side of 0. So are all but the concordance with `group`, and rates with unequal `weights`. With groups
#' the concordance has the t distribution with one degree of freedom less than groups. There are no p-value and
#' no limits where the rows don't show how a difference varies, as with a single group or if (nearly) all
#' draws are alike; the p-value is 1 if these differences are 0. The
#' interval of a difference of rates is always that of the bootstrap.
#'
#' *Calibration.* The slope \eqn{b} is that of the logistic regression \eqn{\mathrm{logit}\,P(y = 1) = a +
#' b\,\mathrm{logit}(p)}{logit P(y = 1) = a + b logit(p)}, and the intercept is \eqn{a} with \eqn{b = 1} (Van
#' Calster and others 2016): 1 and 0 are ideal, a slope below 1 means that probabilities are too extreme.
#' Either is `NA` where the regression has no finite solution. Their intervals are those of the likelihood,
#' and with unequal `weights` or with `group` those of the sandwich variance (Huber 1967). The Brier score of
#' a class is the mean of \eqn{(p - y)^2}. It is `reliability` - `resolution` + `uncertainty`, with the shares
#' \eqn{c} of an isotonic regression of \eqn{y} on \eqn{p} (Dimitriadis, Gneiting and Jordan 2021). The first
#' is the score of \eqn{p} minus that of \eqn{c}, 0 for calibrated probabilities. The third is the score of
#' the share of the class alone, and the second is the third minus the score of \eqn{c}. This is Murphy's
#' decomposition (1973) without a choice of bins.
#'
#' *Rows.* Rows with missing `y`, and rows without a prediction because they have missing values, are left out
#' with a message. If `y` lacks a class of the fit, measures that need it are `NA`, and means over classes are
#' over the others.
#'
#' @section Errors:
#' Class `manykernels_unknown_classes` for classes in `y` that the fit does not have,
#' `manykernels_missing_values` where no row is left, `manykernels_length` and
#' `manykernels_sample_names` for responses of other rows, `manykernels_mismatch` for fits of different
#' responses, those of [measures] and of [predict.mkl()].
#'
#' @references
#' DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or more
#' correlated receiver operating characteristic curves. *Biometrics* **44**, 837--845.
#'
#' Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021). Stable reliability diagrams for probabilistic
#' classifiers. *PNAS* **118**, e2016191118.
#'
#' Hesterberg, T. C. (2015). What teachers should know about the bootstrap. *The American Statistician*
#' **69**, 371--386.
#'
#' Huber, P. J. (1967). The behavior of maximum likelihood estimates under nonstandard conditions.
#' *Proceedings of the Fifth Berkeley Symposium on Mathematical Statistics and Probability* **1**,
#' 221--233.
#'
#' Kish, L. (1965). *Survey sampling*. Wiley, New York.
#'
#' McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
#' percentages. *Psychometrika* **12**, 153--157.
#'
#' Murphy, A. H. (1973). A new vector partition of the probability score. *Journal of Applied Meteorology*
#' **12**, 595--600.
#'
#' Van Calster, B., Nieboer, D., Vergouwe, Y., De Cock, B., Pencina, M. J. and Steyerberg, E. W. (2016). A
#' calibration hierarchy for risk models was defined. *Journal of Clinical Epidemiology* **74**,
#' 167--176.
#'
#' Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* **22**, 209--212.
#' @seealso [plot.mkl_assessment()], [measures], [cv_mkl()] for rows held out, [report()]
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- mkl(Species ~ ., iris[train, ], kernels = gaussian_kernel(c(0.5, 2, 8)))
#' set.seed(1)
#' tested <- assess(fit, iris[-train, ], draws = 200)
#' tested
#' tested$confusion
#'
#' one <- mkl(Species ~ Sepal.Width, iris[train, ], kernels = gaussian_kernel(2))
#' assess(list(all = fit, width = one), iris[-train, ], measures = "accuracy", draws = 200)
#' @export
assess <- function(fit, newdata, y, measures = NULL, level = 0.95, group = NULL, weights = NULL,
                   draws = 1000L, ...) {
  check_assess_dots(...)
  check_given(c(fit = missing(fit), newdata = missing(newdata)))
  level <- check_number(level, "level", 0, 1, lower_open = TRUE, upper_open = TRUE)
  draws <- check_count(draws, "draws")
  several <- !is_assessable(fit)
  fits <- lapply(assessed_fits(fit), predicting_fit)
  check_same_kind(fits)
  decide <- function(one, name) named_decision(one, name, newdata, ...)
  decisions <- if (several) Map(decide, fit, names(fit)) else
    list(stats::predict(fit, newdata, type = "decision", ...))
  samples <- new_samples(decisions[[1L]], newdata)
  y <- if (missing(y)) missing_response(fits, newdata) else y
  rows <- assessed_rows(y, fits[[1L]], decisions, samples, group, weights)
  sets <- Map(function(object, decision) measured_set(object, decision, rows, measures), fits, decisions)
  sets <- share_measures(sets)
  result <- assess_sets(sets, rows, level, draws, compare = several)
  if (several) result else result$fits[[1L]]
}

# ---- fits ----------------------------------------------------------------------------------------

is_assessable <- function(x) inherits(x, c("mkl", "mkl_multiclass", "cv_mkl", "mkl_path", "mkl_model"))

assessed_fits <- function(fit) {
  if (is_assessable(fit)) return(list(fit))
  for (one in if (is.list(fit) && !is.object(fit)) fit else list(fit)) refuse_wrapped_fit(one)
  if (!is.list(fit) || is.object(fit) || !all(vapply(fit, is_assessable, NA))) {
    abort_argument(fit, "fit", "a fit, a result of cv_mkl(), or a list of these")
  }
  names <- names(fit)
  if (length(fit) < 2L || is.null(names) || anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    mk_abort("`fit` must be a fit, or a list of at least two with different names, such as `list(a = , b = )`.",
             "invalid_argument", "fit", names)
  }
  fit
}

# The fit that predicts; for a path, the part that all its points have in common.
predicting_fit <- function(fit) {
  fit <- fit_within(fit)
  if (!inherits(fit, "mkl_path")) return(fit)
  c(path_whole(fit), list(y = path_response_values(fit), terms = fit$terms))
}

check_same_kind <- function(fits) {
  facts <- lapply(fits, function(fit) {
    list(fit_measure_kind(fit), fit$levels, if (is.matrix(fit$y)) colnames(fit$y), fit_tau(fit))
  })
  other <- which(!vapply(facts, identical, NA, facts[[1L]]))
  if (!length(other)) return(invisible())
  mk_abort(sprintf(paste("The fits must be of one response, with the same levels in the same order, but `%s`",
                         "and `%s` are not."), names(fits)[1L], names(fits)[other[1L]]), "mismatch", "fit")
}

# Decision values of one of several fits, whose name is in front of an error.
named_decision <- function(fit, name, newdata, ...) {
  tryCatch(stats::predict(fit, newdata, type = "decision", ...), manykernels_error = function(e) {
    e$message <- sprintf("For `%s`: %s", name, conditionMessage(e))
    stop(e)
  })
}

# The arguments of predict() that say which model of several is meant.
check_assess_dots <- function(...) {
  given <- if (...length()) ...names() %||% ""
  strange <- setdiff(given, c("C", "p", "kernels"))
  if (!length(strange)) return(invisible())
  name <- if (nzchar(strange[1L])) strange[1L] else "..."
  mk_abort(sprintf("`%s` is not an argument here%s.", name,
                   if (name == "...") " (an unnamed value was given)" else hint_text(assess_hints, name)),
           "invalid_argument", name)
}

# ---- rows ----------------------------------------------------------------------------------------

new_samples <- function(decision, newdata) {
  given_samples(if (is.matrix(decision)) rownames(decision) else names(decision), NROW(decision), newdata)
}

# The response of the new rows where `y` is missing: that of the first fit that names it in a formula.
missing_response <- function(fits, newdata) {
  if (kind_of(fits[[1L]]) == "one_class") return(NULL)
  has_response <- function(fit) !is.null(fit$terms) && attr(fit$terms, "response") > 0
  formula_response(Find(has_response, fits) %||% fits[[1L]], newdata)
}

# The rows that are used, with their numbers, names, truth, weights and codes of groups.
assessed_rows <- function(y, object, decisions, samples, group, weights) {
  if (is.null(y) && kind_of(object) != "one_class") {
    mk_abort("`y` must be given: the response of the rows of `newdata`.", "invalid_argument", "y")
  }
  truth <- if (!is.null(y)) new_truth(y, object, samples)
  weights <- new_weights(weights, samples)
  group <- if (!is.null(group)) check_group(in_sample_order(group, samples, "group"), samples$n)
  answered <- if (is.null(truth)) rep(TRUE, samples$n) else is_known(truth)
  predicted <- Reduce(`&`, lapply(decisions, function(decision) rowSums(is.na(as.matrix(decision))) == 0))
  left_out <- c(response = sum(!answered), prediction = sum(answered & !predicted))
  inform_rows_left_out(left_out)
  used <- which(answered & predicted & weights > 0)
  if (!length(used)) {
    mk_abort(sprintf("`newdata` must have a row with a response and a prediction%s, but has none.",
                     if (any(weights == 0)) " and a positive weight" else ""), "missing_values", "newdata")
  }
  list(row = used, name = samples$names[used], left_out = left_out, weights = weights[used],
       group = if (!is.null(group)) match(group[used], unique(group[used])),
       truth = if (!is.null(truth)) response_rows(truth, used))
}

new_weights <- function(weights, samples) {
  if (is.null(weights)) return(rep(1, samples$n))
  weights <- in_sample_order(plain_weights(weights), samples, "weights")
  weights <- check_numbers(unname(weights), "weights", lower = 0)
  check_value_count(weights, samples, "weights")
  weights
}

inform_rows_left_out <- function(left_out) {
  if (!any(left_out)) return(invisible())
  mk_inform(paste0("Left out: ", left_out_text(left_out), "."), "left_out", "newdata", left_out)
}

left_out_text <- function(left_out) {
  reasons <- c(response = "without a response", prediction = "without a prediction, as values are missing")
  gone <- left_out[left_out > 0]
  paste(vapply(gone, count_of, "", "row"), reasons[names(gone)], collapse = ", ")
}

# ---- what is measured ----------------------------------------------------------------------------

# The input of measure_value() for the used rows, and the measures. Rows inside and outside one class count as
# two classes.
measured_set <- function(object, decision, rows, measures) {
  decision <- response_rows(decision, rows$row)
  decision <- if (is.matrix(decision) && ncol(decision) > 1L) unname_rows(decision) else as.vector(decision)
  set <- measured_predictions(object, decision)
  kind <- fit_measure_kind(object)
  if (kind == "one_class" && !is.null(rows$truth)) {
    set$response <- new_inside(set$response)
    kind <- "classification"
  }
  set <- c(set, list(kind = kind, truth = rows$truth, weights = rows$weights, tau = fit_tau(object),
                     loss = fit_loss(object),
                     training_outside = if (kind == "one_class") share_outside(object)))
  several <- is.matrix(set$response)
  chosen <- measures %||% default_measures(kind, !is.null(set$prob), !several && nlevels(set$truth) == 2L)
  set$measures <- check_measure(chosen, kind, !is.null(set$prob), "measures")
  set$given <- !is.null(measures)
  set
}

# Fits are compared by what all of them have: some may lack probabilities.
share_measures <- function(sets) {
  names <- lapply(sets, function(set) vapply(set$measures, `[[`, "", "name"))
  Map(function(set, own) {
    set$measures <- set$measures[own %in% Reduce(intersect, names)]
    set
  }, sets, names)
}

# NA if the training rows are not known: measures that compare with them then have no value.
share_outside <- function(object) {
  if (!length(object$decision) || !any(object$decision != 0)) return(NA_real_)
  stats::weighted.mean(object$decision < 0, object$weights %||% rep(1, length(object$decision)))
}

default_measures <- function(kind, probability, two) {
  switch(kind,
    classification = c("accuracy", "balanced_accuracy", if (two) c("sensitivity", "specificity"), "precision",
                       "f1", "mcc", "auc", "auprc", if (probability) c("log_loss", "brier")),
    regression = c("rmse", "mae", "r2"), custom = "loss", quantiles = "pinball", times = "concordance",
    one_class = c("inside", "outside_shift")
  )
}

# Classes against all others, responses or quantiles as sets of their own; none of other sets. A label alone has
# the measures of two classes by default.
set_parts <- function(set) {
  if (is.matrix(set$response)) {
    probability <- !is.null(set$prob)
    if (isFALSE(set$given) && set$kind == "classification") {
      set$measures <- check_measure(default_measures(set$kind, probability, TRUE), set$kind, probability, "measures")
    }
    columns <- colnames(set$response) %||% set$tau
    return(stats::setNames(lapply(seq_len(ncol(set$response)), output_part, set = set), columns))
  }
  if (!is.factor(set$truth) || nlevels(set$truth) < 3L) return(NULL)
  measures <- if (!set$given) check_measure(
    c("sensitivity", "specificity", "precision", "f1", "auc", "auprc", if (!is.null(set$prob)) "brier"),
    "classification", !is.null(set$prob)
  ) else Filter(function(measure) !measure$own, set$measures)
  if (!length(measures)) return(NULL)
  lapply(stats::setNames(nm = levels(set$truth)), class_part, set = set, measures = measures)
}

output_part <- function(k, set) {
  own <- of_column(k, set$truth, set$response, set$prob)
  set[c("truth", "response", "prob")] <- own[c("truth", "response", "prob")]
  set$decision <- set$decision[, k]
  if (length(set$tau) > 1L) set$tau <- set$tau[k]
  set
}

# ---- figures -------------------------------------------------------------------------------------

# One bootstrap for all: the sets, which share their rows, and their parts.
assess_sets <- function(sets, rows, level, draws, compare) {
  parts <- lapply(sets, set_parts)
  all <- c(sets, unlist(unname(parts), recursive = FALSE))
  known <- lapply(all, function(set) lapply(set$measures, formula_interval, set, level, rows$group))
  all <- Map(set_draws, all, known, compare & seq_along(all) <= length(sets))
  with_mean <- is.factor(sets[[1L]]$truth) && length(all) > length(sets)
  needed <- compare || with_mean || any(vapply(unlist(known, recursive = FALSE), is.null, NA))
  values <- if (needed) bootstrap_values(all, rows$group, draws)
  tables <- lapply(seq_along(all), function(k) measure_rows(all[[k]], known[[k]], values[[k]], level))
  owner <- c(numeric(length(sets)), rep(seq_along(sets), lengths(parts)))
  fits <- lapply(stats::setNames(seq_along(sets), names(sets)), function(f) {
    own <- which(owner == f)
    table <- part_rows(parts[[f]], tables[own], values[own], level)
    new_assessment(sets[[f]], parts[[f]], tables[[f]], table, rows, level, draws)
  })
  if (!compare) return(list(fits = fits))
  structure(list(
    fits = fits, comparisons = compare_sets(sets, values[seq_along(sets)], rows, level),
    level = level, version = model_version
  ), class = c("mkl_comparison", "mkl_assessment"))
}

# Measures without a formula need draws. All do where classes are averaged or fits are compared, except for
# those whose differences have a formula, too.
set_draws <- function(set, known, compare) {
  jackknife <- vapply(known, function(one) identical(one$interval, "jackknife"), NA)
  set$drawn <- vapply(known, is.null, NA) | ((compare | !is.null(set$class)) & !jackknife)
  set
}

# A row for each measure. known: intervals by formula, NULL where the draws have it.
measure_rows <- function(set, known, values, level) {
  found <- lapply(seq_along(set$measures), function(k) {
    if (!is.null(known[[k]])) return(known[[k]])
    set$measures <- set$measures[k]
    bootstrap_interval(measure_values(set), values[, k], level, attr(values, "units"))
  })
  data.frame(measure = vapply(set$measures, `[[`, "", "name"), list_columns(found))
}

# The tables of all parts, of classes with their mean.
part_rows <- function(parts, tables, values, level) {
  if (!length(parts)) return(NULL)
  out <- do.call(rbind, Map(function(part, table) cbind(part = part, table), names(parts), tables))
  if (!is.null(parts[[1L]]$class)) out <- rbind(out, mean_rows(parts, tables, values, level))
  rownames(out) <- NULL
  out
}

# Means over the classes that have cases, in the rows and in each draw.
mean_rows <- function(parts, tables, values, level) {
  has_cases <- vapply(parts, function(part) any(part$truth == "own"), NA)
  found <- lapply(seq_along(parts[[1L]]$measures), function(k) {
    estimates <- vapply(tables[has_cases], function(table) table$estimate[k], 0)
    drawn <- if (!is.null(values)) {
      each <- lapply(values, function(own) ifelse(own[, "cases"] > 0, own[, k], NA))
      apply(do.call(cbind, each), 1L, mean_known)
    }
    bootstrap_interval(mean_known(estimates), drawn, level, attr(values[[1L]], "units"))
  })
  cbind(part = "(mean)", data.frame(measure = tables[[1L]]$measure, list_columns(found)))
}

# ---- the result ----------------------------------------------------------------------------------

new_assessment <- function(set, parts, measures, part_table, rows, level, draws) {
  sides <- set_sides(set, parts, rows$group)
  structure(list(
    measures = measures, parts = part_table, confusion = confusion_tables(set, parts),
    roc = curve_tables(sides, roc_table), pr = curve_tables(sides, pr_table),
    calibration = if (!is.null(set$prob)) calibration_tables(sides, level),
    predictions = prediction_frame(set, rows), kind = set$kind, rows = length(rows$row),
    left_out = rows$left_out, groups = if (!is.null(rows$group)) max(rows$group), level = level,
    draws = draws, version = model_version
  ), class = "mkl_assessment")
}

prediction_frame <- function(set, rows) {
  frame <- data.frame(row = rows$row)
  frame$name <- rows$name
  frame$truth <- if (is_times(set$truth)) as.vector(set$truth) else set$truth
  if (is_times(set$truth)) frame$status <- times_status(set$truth)
  frame$response <- set$response
  frame$decision <- set$decision
  frame$prob <- set$prob
  frame$weight <- rows$weights
  frame$group <- rows$group
  frame
}

# Weights by truth and prediction; of labels a table for each, of rows without a truth their counts.
confusion_tables <- function(set, parts) {
  if (set$kind == "one_class") {
    inside <- factor(set$response, c(TRUE, FALSE), c("inside", "outside"))
    return(as.table(stats::setNames(as.vector(tapply(set$weights, inside, sum, default = 0)), levels(inside))))
  }
  if (set$kind != "classification") return(NULL)
  if (is.matrix(set$truth)) return(lapply(parts, one_confusion))
  one_confusion(set)
}

one_confusion <- function(set) {
  counts <- confusion(set$truth, set$response, set$weights)
  levels <- levels(set$truth)
  as.table(matrix(counts, length(levels), dimnames = list(truth = levels, predicted = levels)))
}

# Fits of tidymodels contain a fit of this package.
refuse_wrapped_fit <- function(fit) {
  if (!inherits(fit, c("model_fit", "workflow"))) return(invisible())
  abort_argument(fit, "fit", "a fit of this package: give `hardhat::extract_fit_engine(fit)`")
}
