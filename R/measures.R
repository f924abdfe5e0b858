# Measures of predictions: checks of a user's choice, evaluation, the formulas, and their table. Weights of rows
# may be a matrix with a column for each draw of the bootstrap; a formula then has a value for each.

#' Measures of predictions
#'
#' The argument `measure` of [cv_mkl()] (`measures` of [assess()]) takes names from this page, functions, or a
#' list of both. The first one chooses the model, and all are reported. Without `measure`, models for classes
#' are chosen by the accuracy and, within one standard error of the best, by the margin loss (`rule =
#' "margin"`).
#'
#' Each measure is computed on the held-out rows of a fold with their case weights \eqn{w_i}. Rows of weight
#' zero don't count. `"margin_loss"`, `"log_loss"`, `"brier"`, `"rmse"`, `"mae"`, `"pinball"`, `"time_loss"`
#' and `"outside_shift"` are better when smaller, all others when larger. With several responses or quantiles,
#' each is measured separately (also by functions), and the value is their mean. Labels count as classes.
#'
#' | name | for | value |
#' | --- | --- | --- |
#' | `"accuracy"` (default) | classes | share of the weight that is predicted correctly |
#' | `"balanced_accuracy"` | classes | mean over the classes of the share predicted correctly |
#' | `"auc"` | classes | area under the ROC curve |
#' | `"auprc"` | classes | area under the precision-recall curve |
#' | `"mcc"` | classes | Matthews correlation coefficient |
#' | `"sensitivity"` | classes | share of the cases of the second level that is predicted as such |
#' | `"specificity"` | classes | share of the other cases that is not predicted as the second level |
#' | `"precision"` | classes | share of the rows predicted as the second level that belongs to it |
#' | `"f1"` | classes | \eqn{2 TP / (2 TP + FP + FN)}{2 TP / (2 TP + FP + FN)} |
#' | `"margin_loss"` | classes | \eqn{\sum_i w_i \log_2(1 + e^{-2 m_i / s}) / \sum_i w_i}{sum_i w_i log2(1 + exp(-2 m_i / s)) / sum_i w_i} of the margins \eqn{m_i} |
#' | `"log_loss"` | probabilities | \eqn{-\sum_i w_i \log p_i(y_i) / \sum_i w_i}{-sum_i w_i log p_i(y_i) / sum_i w_i} |
#' | `"brier"` | probabilities | \eqn{\frac12\sum_i w_i \sum_k (p_i(k) - [y_i = k])^2 / \sum_i w_i}{sum_i w_i sum_k (p_i(k) - [y_i = k])^2 / (2 sum_i w_i)} |
#' | `"loss"` (default) | numbers with a [custom_loss()] | \eqn{\sum_i w_i (V(f_i, y_i) - \min_t V(t, y_i)) / \sum_i w_i}{sum_i w_i (V(f_i, y_i) - min_t V(t, y_i)) / sum_i w_i}; `"rmse"`, `"mae"` and `"r2"` are for these, too |
#' | `"rmse"` (default) | numbers | \eqn{(\sum_i w_i (y_i - f_i)^2 / \sum_i w_i)^{1/2}}{sqrt(sum_i w_i (y_i - f_i)^2 / sum_i w_i)} |
#' | `"mae"` | numbers | \eqn{\sum_i w_i |y_i - f_i| / \sum_i w_i}{sum_i w_i |y_i - f_i| / sum_i w_i} |
#' | `"r2"` | numbers | \eqn{1 - \sum_i w_i (y_i - f_i)^2 / \sum_i w_i (y_i - \bar y)^2}{1 - sum_i w_i (y_i - f_i)^2 / sum_i w_i (y_i - mean(y))^2}, with the weighted mean of the held-out rows |
#' | `"pinball"` (default) | quantiles | \eqn{\sum_i w_i \max(\tau(y_i - f_i), (\tau - 1)(y_i - f_i)) / \sum_i w_i}{sum_i w_i max(tau (y_i - f_i), (tau - 1) (y_i - f_i)) / sum_i w_i}; `"mae"` is for quantiles, too |
#' | `"concordance"` (default) | censored times | the share of pairs predicted in the right order |
#' | `"time_loss"` | censored times | mean absolute error of the log times; an error towards where a censored time may lie counts 0 |
#' | `"inside"` | one class | share of the weight inside the region |
#' | `"outside_shift"` (default) | one class | \eqn{|s_{test} / s_{train} - 1|}{|s_test / s_train - 1|}, of the shares inside |
#'
#' \describe{
#' \item{`"auc"`}{Two classes: the probability that a case of the second level has a larger decision
#'   value than one of the first, ties counting half (Hanley and McNeil 1982). More: the mean over
#'   all pairs of classes of Hand and Till (2001), each pair judged by the decision values of either
#'   class; for `multiclass = "ovo"` these are the votes.}
#' \item{`"auprc"`}{Average precision: the sum over the distinct decision values of the precision
#'   down to it times the recall gained there, without interpolation (Davis and Goadrich 2006).
#'   The second level is the positive class; for more than two classes the mean over the classes,
#'   each against all others. Chance gives the share of the positive class.}
#' \item{`"mcc"`}{The correlation of truth and prediction; for more than two classes
#'   \eqn{R_K} (Gorodkin 2004). 0 where all rows get the same prediction.}
#' \item{`"f1"`, `"sensitivity"`, `"specificity"`, `"precision"`}{For the second level; for more than two
#'   classes the mean over the classes, each against all others.}
#' \item{`"margin_loss"`}{A row's margin \eqn{m_i} is the decision value towards its class. For more than two
#'   classes it is the lead of its class over the best other one. s is the root mean square of the margins, so
#'   the scale of the decision values doesn't matter. As the measure depends on how far each row is from the
#'   boundary, it differs between cells with the same accuracy, which are many if there are few rows; `rule =
#'   "margin"` of [cv_mkl()] chooses between these by it. Where [cv_mkl()] tries balanced class weights, all
#'   classes count alike in it. Whether a choice by it alone makes fewer errors differs from data to data.}
#' \item{`"log_loss"`, `"brier"`}{These need probabilities: `control = mkl_control(probability = TRUE)`, or
#'   `loss = "logistic"`. Probabilities below 2.2e-16 count as 2.2e-16 in the logarithm. The Brier score
#'   (Brier 1950) is halved, so that it lies in \[0, 1\] and is the squared error of one probability for
#'   two classes.}
#' \item{`"concordance"`}{Harrell's C (Harrell et al. 1982): among the pairs of rows for which it is known
#'   whose event came first, the share whose predicted times are in this order. Tied predictions count half; a
#'   pair weighs \eqn{w_i w_j}. Pairs of events at the same time don't count. If one row has its event when
#'   another is censored, the event came first. Chance gives 0.5.}
#' \item{`"time_loss"`}{On the scale of the model, so of the times themselves with `censored_loss(log =
#'   FALSE)`. It varies less than the concordance, and breaks its ties in [cv_mkl()].}
#' \item{`"outside_shift"`}{The right share of rows outside is unknown without labels, but a region with a
#'   smaller share of the held-out rows than of the training rows inside is overfitted. The measure is the
#'   relative difference of these shares (compare Tax and Müller 2004); `NA` if no training row is inside. It
#'   finds overfitted regions, but does not compare small regions with large ones. To choose their size, fix
#'   `C` by the share to be left outside, or give a function that uses some known outliers.} }
#'
#' A value is `NA` if it has no meaning on the held-out rows for any prediction. This concerns `"auc"`,
#' `"auprc"`, `"mcc"` and `"balanced_accuracy"` with one class alone, `"f1"` and `"sensitivity"` without cases
#' of the positive class, `"specificity"` without others, `"r2"` with equal responses, and `"concordance"`
#' without a pair in known order. Means over classes use the classes that have cases. All cells of a grid therefore miss the same
#' folds. `"outside_shift"` and `"precision"` are exceptions: the latter is `NA` if no row is predicted as the
#' second level.
#'
#' @section Functions:
#' A function may have any of the arguments `truth`, `response`, `decision`, `prob` and `weights`.
#' `truth` is a factor, numbers, for censored times a `Surv` object, or `NULL` for one class. `response`
#' has the predictions, of the same type (logical for one class). `decision` has the decision values: a
#' vector, or a matrix with one column per class. `prob` is a matrix with one column per class, or
#' `NULL` without probabilities. `weights` is always a vector. It must return one number, or `NA`.
#' Larger values are better, unless the function has an attribute:
#' `structure(function(truth, response, ...) ..., larger = FALSE)`.
#'
#' In a list, the names of the elements become the names of the columns. A function without a name is
#' called `"measure"`.
#'
#' @section Errors:
#' Class `manykernels_invalid_argument`: unknown names, measures for other models, functions with other
#' arguments or results. Class `manykernels_no_probability`: `"log_loss"` or `"brier"` without
#' probabilities. Class `manykernels_measure`: a function that fails.
#'
#' @references
#' Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. *Monthly Weather
#' Review* **78**, 1--3.
#'
#' Davis, J. and Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
#' *Proceedings of the 23rd International Conference on Machine Learning*, 233--240.
#'
#' Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation coefficient.
#' *Computational Biology and Chemistry* **28**, 367--374.
#'
#' Harrell, F. E., Califf, R. M., Pryor, D. B., Lee, K. L. and Rosati, R. A. (1982). Evaluating the
#' yield of medical tests. *JAMA* **247**, 2543--2546.
#'
#' Hand, D. J. and Till, R. J. (2001). A simple generalisation of the area under the ROC curve for
#' multiple class classification problems. *Machine Learning* **45**, 171--186.
#'
#' Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver operating
#' characteristic (ROC) curve. *Radiology* **143**, 29--36.
#'
#' Tax, D. M. J. and Müller, K.-R. (2004). A consistency-based model selection for one-class
#' classification. *Proceedings of the 17th International Conference on Pattern Recognition* **3**,
#' 363--366.
#' @seealso [cv_mkl()], [assess()] for these on new rows, with intervals
#' @examples
#' # several at once, one of them a function: the cost of errors, 5 for those of the second level
#' cost <- function(truth, response, ...) {
#'   mean((truth != response) * ifelse(truth == levels(truth)[2], 5, 1))
#' }
#' set.seed(1)
#' cv <- cv_mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]),
#'              kernels = gaussian_kernel(c(0.5, 2, 8)), p = 1, C = c(0.1, 1),
#'              measure = list("auc", "mcc", cost = structure(cost, larger = FALSE)))
#' cv$results[c("C", "auc", "mcc", "cost")]
#' @name measures
NULL

measure_arguments <- c("truth", "response", "decision", "prob", "weights")

# Names of the other columns of results, which a measure must not take.
result_columns <- c("repeat", "fold", "set", "p", "norm", "C", "lambda", "gamma", "mean", "se", "folds",
                    "scale", "class_weights", "search", "kernels", "support", "status", "gap", "seconds",
                    "message", "failed")

# ---- the user's choice ---------------------------------------------------------------------------

# list(name, larger, f) for each. kind: as by measure_kind(); probability: whether fits have probabilities;
# argument: the name of the caller's argument.
check_measure <- function(measure, kind, probability = FALSE, argument = "measure") {
  measure <- measure %||% measures_for(kind)[1]
  if (is.function(measure)) measure <- list(measure)
  if (!(is.character(measure) || is.list(measure)) || is.object(measure) || !length(measure)) {
    abort_argument(measure, argument, "names of measures, a function, or a list of both")
  }
  given <- names(measure) %||% rep("", length(measure))
  found <- lapply(seq_along(measure), function(k) {
    one <- measure[[k]]
    if (is.function(one)) function_measure(one, given[k], argument) else
      named_measure(one, given[k], kind, probability, argument)
  })
  check_measure_names(vapply(found, `[[`, "", "name"), argument)
  found
}

# The first is the default.
measures_for <- function(kind) {
  found <- names(measure_table)[vapply(measure_table, function(row) kind %in% row$kind, NA)]
  if (kind == "quantiles") rev(found) else found
}

# The kind of measures for a response of a kind, as by response_kind().
measure_kind <- function(kind, loss) {
  loss_kind(loss) %||% switch(kind, classes = "classification", numbers = "regression", kind)
}

# The kind that a loss has for itself; NULL: the response decides.
loss_kind <- function(loss) {
  switch(loss$type %||% "", quantile = "quantiles", custom = if (loss$response == "numbers") "custom")
}

named_measure <- function(measure, name, kind, probability, argument = "measure") {
  available <- measures_for(kind)
  if (!is.character(measure) || length(measure) != 1 || !measure %in% available) {
    abort_argument(measure, argument, sprintf(
      "a function or, for %s, %s",
      kind_text(kind), choices_text(available)
    ))
  }
  row <- measure_table[[measure]]
  if (row$probability && !probability) {
    mk_abort(sprintf(paste("`%s = \"%s\"` needs probabilities: give",
                           "`control = mkl_control(probability = TRUE)`, or `loss = \"logistic\"`."),
                     argument, measure), "no_probability", argument, measure)
  }
  list(name = if (nzchar(name)) name else measure, larger = row$larger, f = row$f, own = FALSE)
}

kind_text <- function(kind) {
  switch(kind, classification = "classes", regression = "numbers", one_class = "one class",
         quantiles = "quantiles", times = "censored times", custom = "numbers with a custom loss")
}

# Measures with the steadier loss that breaks ties of a kind of response, where there is one.
with_tie_loss <- function(measures, kind) {
  loss <- tie_losses[kind]
  if (is.na(loss)) measures else with_loss(measures, loss[[1L]], kind)
}

# The margin loss in which all classes count alike, in the place of the plain one.
with_balanced_loss <- function(measures) {
  lapply(measures, function(measure) {
    if (identical(measure$f, margin_loss_measure)) measure$f <- balanced_margin_loss_measure
    measure
  })
}

tie_losses <- c(classification = "margin_loss", times = "time_loss")

with_loss <- function(measures, loss, kind) {
  own <- named_measure(loss, "", kind, FALSE)
  if (any(vapply(measures, identical, NA, own))) return(measures)
  names <- vapply(measures, `[[`, "", "name")
  taken <- intersect(c(names, paste0(names, "_se")), paste0(loss, c("", "_se")))
  if (length(taken)) {
    mk_abort(sprintf(paste("`measure` must not give another column the name `%s`, as the results",
                           "have one that breaks ties."), taken[1]),
             "invalid_argument", "measure", names)
  }
  c(measures, list(own))
}

function_measure <- function(f, name, argument = "measure") {
  taken <- formals(args(f))
  needed <- names(taken)[vapply(taken, function(default) identical(default, quote(expr = )), NA)]
  odd <- setdiff(needed, c(measure_arguments, "..."))
  if (length(odd) || !any(c(measure_arguments, "...") %in% names(taken))) {
    mk_abort(sprintf("A function in `%s` must have arguments among %s, not %s.", argument,
                     paste0("`", measure_arguments, "`", collapse = ", "),
                     if (length(odd)) paste0("`", odd[1], "`") else "others"),
             "invalid_argument", argument, f)
  }
  larger <- attr(f, "larger") %||% TRUE
  if (!isTRUE(larger) && !isFALSE(larger)) {
    abort_argument(larger, "attr(measure, \"larger\")", "TRUE or FALSE")
  }
  list(name = if (nzchar(name)) name else "measure", larger = larger, f = f, own = TRUE)
}

# Every `measure` makes two columns, the second of its standard error; `measures` make rows.
check_measure_names <- function(names, argument) {
  as_columns <- argument == "measure"
  taken <- if (as_columns) names[names %in% result_columns]
  if (length(taken)) {
    mk_abort(sprintf("A measure must not be called `%s`, as results have such a column.", taken[1]),
             "invalid_argument", argument, taken[1])
  }
  own <- if (as_columns) c(names, paste0(names, "_se")) else names
  if (anyDuplicated(own)) {
    mk_abort(sprintf(paste("`%s` must have different names, but has `%s` twice. Leave one out, or give names, as in",
                           "`list(a = , b = )`."), argument, own[duplicated(own)][1]),
             "invalid_argument", argument, names)
  }
}

# ---- a value -------------------------------------------------------------------------------------

# One number for held-out rows, or one for each column of `weights` (not of a user's function). decision: a
# vector (the second level where positive), or a matrix with a column for each level; training_outside: for one
# class, the share of training rows outside; tau: of quantiles. Of several responses or quantiles the mean over
# them.
measure_value <- function(measure, truth, response, decision, prob = NULL, weights = NULL,
                          training_outside = NULL, tau = NULL, loss = NULL) {
  weights <- weights %||% rep(1, NROW(decision))
  if (is.matrix(response)) {
    each <- each_response(measure_value, numeric(NCOL(weights)), measure, truth, response, decision, prob,
                          weights, tau, loss)
    return(known_means(matrix(each, ncol(response), byrow = TRUE)))
  }
  counted <- if (is.matrix(weights)) rowSums(weights) > 0 else weights > 0
  if (!any(counted)) return(rep(NA_real_, NCOL(weights)))
  if (measure$own && is_times(truth)) truth <- surv_of_times(truth)
  rows <- function(x) if (is.null(x) || all(counted)) x else response_rows(x, counted)
  arguments <- list(truth = rows(truth), response = rows(response), decision = rows(decision),
                    prob = rows(prob), weights = rows(weights))
  if (measure$own) return(own_value(measure, arguments))
  known <- c(list(training_outside = training_outside, tau = tau), if (!is.null(loss)) list(loss = loss))
  value <- do.call(measure$f, c(arguments, known), quote = TRUE)
  replace(as.double(value), is.nan(value), NA)
}

# The sum of a vector, or of each column.
sums_of <- function(x) if (is.matrix(x)) colSums(x) else sum(x)

mean_by <- function(values, weights) sums_of(weights * values) / sums_of(weights)

# The mean of the known values of each column.
known_means <- function(x) apply(x, 2L, mean_known)

# The value of a formula that takes one vector of weights, for each column.
each_draw <- function(weights, value) if (is.matrix(weights)) apply(weights, 2L, value) else value(weights)

# A function of a measure for each of several responses.
each_response <- function(f, value, measure, truth, response, decision, prob, weights, tau, loss) {
  vapply(seq_len(ncol(response)), function(k) {
    own <- of_column(k, truth, response, prob)
    f(measure, own$truth, own$response, decision[, k], own$prob, weights,
      tau = if (length(tau) > 1) tau[k] else tau, loss = loss)
  }, value)
}

# One of several responses, as a measure gets it alone: labels are classes.
of_column <- function(k, truth, response, prob) {
  if (!is.matrix(truth)) return(list(truth = truth, response = response[, k]))
  if (!is_labels(truth)) return(list(truth = truth[, k], response = response[, k]))
  list(truth = label_factor(truth[, k]), response = label_factor(response[, k]),
       prob = if (!is.null(prob)) {
         matrix(c(1 - prob[, k], prob[, k]), ncol = 2, dimnames = list(NULL, label_levels(truth)))
       })
}

own_value <- function(measure, arguments) {
  taken <- names(formals(args(measure$f)))
  if (!"..." %in% taken) arguments <- arguments[intersect(names(arguments), taken)]
  what <- sprintf("The function of measure `%s`", measure$name)
  value <- call_user(do.call(measure$f, arguments, quote = TRUE), what, "measure", "measure")
  number <- is.numeric(value) || (is.logical(value) && all(is.na(value)))
  if (!number || length(value) != 1) {
    mk_abort(sprintf("%s must return one number, not %s.", what, describe(value)),
             "invalid_argument", "measure", value)
  }
  if (is.nan(value)) NA_real_ else as.double(value)
}

# ---- classes -------------------------------------------------------------------------------------

# An array of weights by truth (rows), prediction (columns) and column of `weights`.
confusion <- function(truth, response, weights) {
  k <- nlevels(truth)
  code <- if (identical(levels(response), levels(truth))) as.integer(response) else
    match(response, levels(truth))
  sums <- rowsum(weights, as.integer(truth) + k * (code - 1L))
  counts <- matrix(0, k^2, ncol(sums))
  counts[as.integer(rownames(sums)), ] <- sums
  array(counts, c(k, k, ncol(sums)))
}

# Matrices of classes by columns of `weights`: the weights that are right, and those by truth and prediction.
class_sums <- function(counts) {
  k <- dim(counts)[1L]
  list(right = matrix(counts, k^2)[seq(1L, k^2, k + 1L), , drop = FALSE],
       truth = colSums(aperm(counts, c(2L, 1L, 3L))), response = colSums(counts))
}

accuracy_measure <- function(truth, response, weights, ...) mean_by(response == truth, weights)

balanced_accuracy_measure <- function(truth, response, weights, ...) {
  sums <- class_sums(confusion(truth, response, weights))
  value <- known_means(sums$right / sums$truth) # classes without cases are 0 / 0
  replace(value, colSums(sums$truth > 0) < 2, NA)
}

# The covariance of truth and prediction, both as indicators of the classes, over the root of the
# product of their variances.
mcc_measure <- function(truth, response, weights, ...) {
  counts <- confusion(truth, response, weights)
  shares <- class_sums(counts / rep(sums_of(weights), each = nlevels(truth)^2))
  value <- (colSums(shares$right) - colSums(shares$truth * shares$response)) /
    sqrt((1 - colSums(shares$truth^2)) * (1 - colSums(shares$response^2)))
  value[colSums(shares$response > 0) < 2] <- 0
  replace(value, colSums(shares$truth > 0) < 2, NA)
}

# Value for the second level; for more than two levels the mean over those with cases and a value.
of_classes <- function(each, sums) {
  each[sums$truth == 0] <- NA
  if (nrow(each) == 2) each[2, ] else known_means(each)
}

f1_measure <- function(truth, response, weights, ...) {
  sums <- class_sums(confusion(truth, response, weights))
  of_classes(2 * sums$right / (sums$truth + sums$response), sums)
}

sensitivity_measure <- function(truth, response, weights, ...) {
  sums <- class_sums(confusion(truth, response, weights))
  of_classes(sums$right / sums$truth, sums)
}

specificity_measure <- function(truth, response, weights, ...) {
  counts <- confusion(truth, response, weights)
  sums <- class_sums(counts)
  others <- rep(colSums(counts, dims = 2L), each = nrow(sums$truth)) - sums$truth
  each <- (others - sums$response + sums$right) / others
  if (nrow(each) == 2) each[2, ] else of_classes(each, sums)
}

precision_measure <- function(truth, response, weights, ...) {
  sums <- class_sums(confusion(truth, response, weights))
  each <- sums$right / sums$response
  if (nrow(each) == 2) each[2, ] else of_classes(each, sums)
}

# ---- scores of classes ---------------------------------------------------------------------------

# Decision values of training rows, to be ranked: equal rows differ by rounding alone, and are ties.
tied_values <- function(decision) {
  rising <- order(decision)
  values <- decision[rising]
  apart <- diff(values) > 1e-8 * max(abs(values), 0)
  decision[rising] <- values[c(TRUE, apart)][cumsum(c(TRUE, apart))]
  decision
}

# Weights of positive and of other rows down to each distinct score, from the largest score on.
ranked_weights <- function(scores, positive, weights) lapply(ranked_sums(scores, positive, weights), as.vector)

# Matrices of the weights of positive and of other rows down to each distinct score, with a column for each of
# `weights`.
ranked_sums <- function(scores, positive, weights) {
  falling <- order(scores, decreasing = TRUE)
  scores <- scores[falling]
  last <- c(scores[-1L] != scores[-length(scores)], TRUE)
  weights <- as.matrix(weights)[falling, , drop = FALSE]
  down <- function(own) running_sums(weights * own[falling])[last, , drop = FALSE]
  list(positive = down(positive), negative = down(!positive))
}

# Running sums of each column, by the shorter side of the matrix.
running_sums <- function(x) {
  if (ncol(x) < nrow(x)) return(apply(x, 2L, cumsum))
  for (k in seq_len(nrow(x))[-1L]) x[k, ] <- x[k - 1L, ] + x[k, ]
  x
}

# Running sums at the place before.
sums_before <- function(x) rbind(0, x[-nrow(x), , drop = FALSE])

# The trapezoids below the ROC curve, which give ties half.
binary_auc <- function(scores, positive, weights) {
  if (!any(positive) || all(positive)) return(rep(NA_real_, NCOL(weights)))
  down <- ranked_sums(scores, positive, weights)
  steps <- down$negative - sums_before(down$negative)
  heights <- down$positive + sums_before(down$positive)
  last <- nrow(heights)
  colSums(steps * heights / 2) / (down$positive[last, ] * down$negative[last, ])
}

binary_auprc <- function(scores, positive, weights) {
  if (!any(positive) || all(positive)) return(rep(NA_real_, NCOL(weights)))
  down <- ranked_sums(scores, positive, weights)
  steps <- down$positive - sums_before(down$positive)
  areas <- steps * down$positive / (down$positive + down$negative)
  areas[steps == 0] <- 0 # of rows that are not drawn: 0 / 0
  last <- nrow(steps)
  replace(colSums(areas) / down$positive[last, ], down$negative[last, ] == 0, NA)
}

auc_measure <- function(truth, decision, weights, ...) {
  if (!is.matrix(decision)) return(binary_auc(decision, truth == levels(truth)[2], weights))
  code <- as.integer(truth)
  one_way <- function(i, j) {
    rows <- code %in% c(i, j)
    binary_auc(decision[rows, i], code[rows] == i, response_rows(weights, rows))
  }
  pairs <- utils::combn(nlevels(truth), 2)
  each <- mapply(one_way, c(pairs[1, ], pairs[2, ]), c(pairs[2, ], pairs[1, ]))
  known_means(matrix(each, 2 * ncol(pairs), byrow = TRUE))
}

auprc_measure <- function(truth, decision, weights, ...) {
  if (!is.matrix(decision)) return(binary_auprc(decision, truth == levels(truth)[2], weights))
  each <- vapply(seq_len(nlevels(truth)), function(k) {
    binary_auprc(decision[, k], as.integer(truth) == k, weights)
  }, numeric(NCOL(weights)))
  known_means(matrix(each, nlevels(truth), byrow = TRUE))
}

# Lead of each row's class; negative if the prediction is wrong.
own_margins <- function(truth, decision) {
  if (!is.matrix(decision)) return(ifelse(truth == levels(truth)[2], 1, -1) * decision)
  own <- cbind(seq_along(truth), as.integer(truth))
  ahead <- decision[own]
  decision[own] <- -Inf
  ahead - decision[cbind(seq_along(truth), max.col(decision, "first"))]
}

# Divides the margins by their root mean square.
scaled_margins <- function(margin, weights = rep(1, length(margin))) {
  scale <- sqrt(sum(weights * margin^2) / sum(weights))
  if (scale > 0) margin / scale else margin
}

margin_losses <- function(margin) (pmax(-2 * margin, 0) + log1p(exp(-2 * abs(margin)))) / log(2)

margin_loss_measure <- function(truth, decision, weights, ...) {
  margin <- own_margins(truth, decision)
  each_draw(weights, function(own) mean_by(margin_losses(scaled_margins(margin, own)), own))
}

# Factors of rows that give every class the same weight.
balance_of <- function(truth, weights) {
  of_class <- as.vector(rowsum(weights, factor(truth, levels(truth)), reorder = TRUE)) # classes that are there
  total <- replace(numeric(nlevels(truth)), sort(unique(as.integer(truth))), of_class)
  factor <- sum(weights) / (sum(total > 0) * total[as.integer(truth)])
  replace(factor, weights == 0, 0)
}

balanced_margin_loss_measure <- function(truth, decision, weights, ...) {
  margin_loss_measure(truth, decision, weights * balance_of(truth, weights))
}

# ---- probabilities -------------------------------------------------------------------------------

log_losses <- function(truth, prob) {
  own <- prob[cbind(seq_along(truth), as.integer(truth))]
  -log(pmax(own, .Machine$double.eps))
}

log_loss_measure <- function(truth, prob, weights, ...) {
  mean_by(log_losses(truth, prob), weights)
}

brier_losses <- function(truth, prob) {
  indicator <- diag(nlevels(truth))[as.integer(truth), , drop = FALSE]
  rowSums((prob - indicator)^2) / 2
}

brier_measure <- function(truth, prob, weights, ...) {
  mean_by(brier_losses(truth, prob), weights)
}

# ---- numbers, one class --------------------------------------------------------------------------

custom_loss_measure <- function(truth, decision, weights, loss, ...) {
  mean_by(loss_values(loss, decision, truth), weights)
}

rmse_measure <- function(truth, response, weights, ...) {
  sqrt(mean_by((truth - response)^2, weights))
}

mae_measure <- function(truth, response, weights, ...) {
  mean_by(abs(truth - response), weights)
}

r2_measure <- function(truth, response, weights, ...) {
  each_draw(weights, function(own) {
    if (length(unique(truth[own > 0])) == 1) return(NA_real_)
    1 - sum(own * (truth - response)^2) / sum(own * (truth - mean_by(truth, own))^2)
  })
}

# tau of an error above, 1 - tau of one below.
pinball_losses <- function(truth, response, tau) {
  error <- truth - response
  pmax(tau * error, (tau - 1) * error)
}

pinball_measure <- function(truth, response, weights, tau, ...) {
  mean_by(pinball_losses(truth, response, tau), weights)
}

# Harrell's C: of the pairs whose order is known, the share that is predicted in this order.
concordance_measure <- function(truth, decision, weights, ...) {
  each_draw(weights, function(own) {
    pairs <- ordered_pairs(truth, decision, own)
    if (any(pairs$known > 0)) sum(pairs$right) / sum(pairs$known) else NA_real_
  })
}

# For each row the weight of the pairs in known order that it is part of, and of those predicted right.
ordered_pairs <- function(truth, decision, weights) {
  time <- as.vector(truth)
  side <- side_of(truth)
  known <- right <- numeric(length(time))
  for (i in which(side <= 0)) {
    later <- which(side >= 0 & (time > time[i] | (time == time[i] & side > side[i])))
    pair <- weights[i] * weights[later]
    ahead <- decision[later] - decision[i]
    won <- pair * ((ahead > 0) + (ahead == 0) / 2)
    known[later] <- known[later] + pair
    right[later] <- right[later] + won
    known[i] <- known[i] + sum(pair)
    right[i] <- right[i] + sum(won)
  }
  list(known = known, right = right)
}

# The absolute error of the (log) times; that of a censored time counts only on the side that it excludes.
time_loss_measure <- function(truth, decision, weights, loss = censored_loss(), ...) {
  mean_by(time_losses(truth, decision, loss), weights)
}

time_losses <- function(truth, decision, loss) {
  loss$epsilon <- 0
  loss_values(loss, decision, as.vector(model_scale(truth, loss)), side_of(truth))
}

inside_measure <- function(response, weights, ...) mean_by(response, weights)

outside_shift_measure <- function(response, weights, training_outside, ...) {
  inside <- if (training_outside %in% 1) NA_real_ else 1 - training_outside
  abs(mean_by(response, weights) / inside - 1)
}

# ---- the table -----------------------------------------------------------------------------------

# range: of its values, where it has limits.
new_measure <- function(kind, f, range = c(-Inf, Inf), larger = TRUE, probability = FALSE) {
  list(kind = kind, f = f, range = range, larger = larger, probability = probability)
}

# Losses are at least 0.
loss_measure <- function(kind, f, probability = FALSE) {
  new_measure(kind, f, c(0, Inf), larger = FALSE, probability)
}

# All measures, in the order of the documentation; the first of a kind is its default.
measure_table <- list(
  accuracy = new_measure("classification", accuracy_measure, c(0, 1)),
  balanced_accuracy = new_measure("classification", balanced_accuracy_measure, c(0, 1)),
  auc = new_measure("classification", auc_measure, c(0, 1)),
  auprc = new_measure("classification", auprc_measure, c(0, 1)),
  mcc = new_measure("classification", mcc_measure, c(-1, 1)),
  sensitivity = new_measure("classification", sensitivity_measure, c(0, 1)),
  specificity = new_measure("classification", specificity_measure, c(0, 1)),
  precision = new_measure("classification", precision_measure, c(0, 1)),
  f1 = new_measure("classification", f1_measure, c(0, 1)),
  margin_loss = loss_measure("classification", margin_loss_measure),
  log_loss = loss_measure("classification", log_loss_measure, probability = TRUE),
  brier = loss_measure("classification", brier_measure, probability = TRUE),
  loss = loss_measure("custom", custom_loss_measure),
  rmse = loss_measure(c("regression", "custom"), rmse_measure),
  mae = loss_measure(c("regression", "quantiles", "custom"), mae_measure),
  pinball = loss_measure("quantiles", pinball_measure),
  concordance = new_measure("times", concordance_measure, c(0, 1)),
  time_loss = loss_measure("times", time_loss_measure),
  r2 = new_measure(c("regression", "custom"), r2_measure, c(-Inf, 1)),
  outside_shift = loss_measure("one_class", outside_shift_measure),
  inside = new_measure("one_class", inside_measure, c(0, 1)),
  # of no kind: cv_mkl() puts it in the place of the margin loss where a class is rare
  balanced_margin_loss = loss_measure(character(), balanced_margin_loss_measure)
)
