# The importance of views, kernels, feature sets and features for predictions of new rows.

#' Importance of views and features by permutation
#'
#' Swaps the values of a view, kernel, feature set or feature between rows, and measures how much worse the
#' predictions become. This shows which of them the fit needs to predict well. A kernel weight only shows how
#' large a part of the fitted function a kernel is: a view of pure noise can have a large weight.
#'
#' @param fit A fit of [mkl()], [mkl_gomp()], [mllkm()] or [mkl_sequential()], a model of [read_model()], or
#'   a result of [cv_mkl()]; see the section on rows held out.
#' @param newdata At least two new rows, as in [predict.mkl()]; not training rows, on which importances are
#'   too large. Rows without a response, or without a prediction as values are missing, are left out with a
#'   message.
#' @param y The response of these rows, in the form of the training response. For fits from a formula it may
#'   be left out if `newdata` has it. `NULL` for one class. A string names a column of `colData`
#'   ([bioconductor]) or of a table on disk ([tables]), also as `group`, `strata` and `weights`.
#' @param by What is swapped, one of
#'   * `"view"`: each view; a precomputed kernel counts as a view;
#'   * `"kernel"`: each kernel;
#'   * `"set"`: the kernels of each feature set of [on_features()] or [per_feature()];
#'   * `"feature"`: each column, in all kernels that use it. Factors are swapped with all their levels,
#'     and variables of a formula in all terms. A view of sequences and a precomputed kernel are one feature.
#'
#'   Or a named list of features that are swapped together, such as correlated ones: each element has names
#'   of features, of features with their view (`"mrna:TP53"`), or of views.
#' @param repeats How often to swap, a positive whole number.
#' @param measure One of the [measures] that [cv_mkl()] has for such a response, or a function whose values
#'   don't grow with the number of rows. `NULL`: the measure by which a `cv_mkl` was chosen; for other fits
#'   the default of [cv_mkl()], such as the accuracy.
#' @param group A vector with one value per row, such as the patient. Rows with the same value move together:
#'   they get the values of the rows of another group, in their order. The interval counts groups,
#'   not rows.
#' @param strata A vector with one value per row. Rows are swapped within a stratum only, so that the
#'   importance is conditional: the gain from a view beyond the information in the strata. Group numbers
#'   first, as by [cut()].
#' @param level The confidence level of the intervals, a number in (0, 1).
#' @param weights Case weights of the rows in the measure, one non-negative number per row; `NULL`: all 1.
#' @param x,kernels For rows held out: the data and kernels given to [cv_mkl()], which does not keep them.
#' @param BPPARAM A `BiocParallelParam` of package BiocParallel to run on, or `NULL`: the workers of
#'   [future::plan()], if one is set, as in [cv_mkl()]. The numbers are the same on any of them.
#' @param ... Not used; anything given is an error.
#'
#' @details Nothing is fitted again. A decision value is a sum over kernels, so a swap of a whole view
#' exchanges the terms of its kernels; in products with other views its own columns are swapped alone, and a
#' row such as `u*v` swaps the rows of that product as a whole. For a feature of a Gaussian, polynomial or linear kernel, only the
#' feature's terms in the distances and inner products to the support vectors change. Other kernels are
#' evaluated anew for each swap of a feature, which takes longer.
#'
#' The rows of each swap are one random cycle, so that no row keeps its own values. All units (views,
#' features) are swapped alike. Set a seed for the same swaps. A row whose stratum has no other row (or
#' group) keeps its values. Samples that lack a view neither give nor take its values.
#'
#' @section What the intervals cover:
#' The importance is that of this fit for new rows like these. The interval covers two sources of chance:
#' which rows were drawn, and the random swaps. It comes from a jackknife that leaves out each of 20 random
#' blocks of rows (groups), where a swap leaves with either of its two rows, and from the t distribution.
#' It doesn't cover how another training sample would have changed the fit. With fewer than about 40 rows it
#' is rough, and `NA` where leaving rows out makes no difference. The p-value is one-sided, of the hypothesis
#' that the importance is at most 0, and not below one over the number of orders of the rows. `p_adjusted` is
#' the one of Benjamini and Hochberg (1995) over all units of the call, which bounds the expected share of
#' false discoveries.
#'
#' Features with the same information can replace each other: each then has a small importance, though
#' both together matter. Swap them together by a list in `by`. An importance below 0 means that the fit
#' would predict better without the values.
#'
#' @section Rows held out:
#' For a result of [cv_mkl()] with `newdata`, its fit to all rows is measured on new rows. With `x`, `y` and
#' `kernels` in place of `newdata`, as they were given to [cv_mkl()], the held-out rows of each fold are used.
#' The chosen cell is then fitted again for each fold and repeat, since a cross-validation keeps no fits of
#' its folds. Rows are swapped within their fold. The measure is the mean over the folds. A block of the
#' jackknife has the same samples in all repeats. For a formula give its data as `x`. `group` and `strata` are
#' those of all rows. Without `group`, rows move one by one, and the interval counts the groups of the
#' cross-validation where it has some. It is conditional on the fits of the folds.
#'
#' @return An object of class `permutation_importance`, a list with
#' \item{importance}{a data frame with one row per unit, in the order of the fit: the columns `view`,
#'   `kernel`, `set`, `feature` or `group` that name it. `importance` is the loss in the measure, a mean over
#'   the swaps: positive numbers mean that the unit matters. `se` is its standard error; `lower` and `upper`
#'   are the ends of the interval. `p_value` and `p_adjusted`: see *What the intervals cover*.}
#' \item{repeats}{a matrix with the loss by unit and swap.}
#' \item{value, measure, larger}{the measure without swaps, its name, and whether larger values of it are
#' better.}
#' \item{kind, levels}{the kind of response, as in [assess()], and its classes, if it has some.}
#' \item{by, level, n, left_out, held_out}{the settings (`"group"` for a list), the number of rows used and of
#'   those left out, and whether the rows are those held out of a cross-validation.}
#' \item{version}{of the form of such results, a whole number.}
#'
#' `print()`, `summary()`, `as.data.frame()`, [`plot()`][plot.permutation_importance], `autoplot()` and
#' `tidy()` have methods, and so has `vip::vi()`, so that `vip::vip()` draws it.
#' `summary()` sorts the units by importance.
#'
#' @section Errors:
#' Those of [predict.mkl()] for `newdata`; `manykernels_length` for arguments that don't have one value per
#' row; `manykernels_invalid_argument` for unknown units or measures, measures that have no value on the rows
#' (such as the area under the ROC curve of one class), fewer than two rows, or groups and strata that leave
#' nothing to swap; `manykernels_unsupported` for paths of [mkl_path()], for kernels of
#' [mllkm()], and where a fit keeps linear kernels as one function that can't be divided.
#'
#' @references
#' Breiman, L. (2001). Random forests. *Machine Learning* **45**, 5--32 (section 10: importance by
#' permutation).
#'
#' Fisher, A., Rudin, C. and Dominici, F. (2019). All models are wrong, but many are useful. *Journal of
#' Machine Learning Research* **20**(177) (section 3: as a U-statistic, and its variance).
#'
#' Strobl, C., Boulesteix, A.-L., Kneib, T., Augustin, T. and Zeileis, A. (2008). Conditional variable
#' importance for random forests. *BMC Bioinformatics* **9**, 307 (within strata).
#'
#' Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. *Journal of the Royal
#' Statistical Society B* **57**, 289--300.
#' @seealso [kernel_weights()] for parts of the fitted function, [drop_view()] for what a view adds when the
#'   model is fitted without it, [measures]
#' @examples
#' train <- seq(1, 150, by = 2)
#' views <- list(petal = as.matrix(iris[3:4]), sepal = as.matrix(iris[1:2]))
#' views$noise <- matrix(sin(1:300), 150)
#' pick <- function(rows) lapply(views, function(view) view[rows, ])
#' fit <- mkl(pick(train), iris$Species[train])
#' set.seed(1)
#' permutation_importance(fit, pick(-train), iris$Species[-train])
#' permutation_importance(fit, pick(-train), iris$Species[-train], by = "feature")
#' @export
permutation_importance <- function(fit, newdata, y, by = c("view", "kernel", "set", "feature"),
                                   repeats = 20, measure = NULL, group = NULL, strata = NULL,
                                   level = 0.95, weights = NULL, x = NULL, kernels = NULL, BPPARAM = NULL,
                                   ...) {
  check_dots_empty(..., .hints = importance_hints)
  check_given(c(fit = missing(fit)))
  object <- check_explained(fit)
  by <- if (is.list(by)) by else check_choice(by, importance_by, "by")
  repeats <- check_count(repeats, "repeats", upper = 10000L)
  level <- check_number(level, "level", lower = 0, upper = 1, lower_open = TRUE, upper_open = TRUE)
  measure <- one_measure(measure, fit, object)
  own <- list(group = group, strata = strata, weights = weights)
  given <- list(missing(newdata), is.null(x) && is.null(kernels))
  check_importance_data(given, fit)
  response <- if (missing(y)) list() else list(y)
  source <- if (given[[1L]]) held_out_source(fit, x, response, kernels, own, repeats) else
    new_source(new_part(object, newdata, response, own, repeats), by)
  imputations <- lapply(unclass(layout_of(object)), `[[`, "imputation")
  backend <- choose_backend(BPPARAM, list(object$kernels, object$loss_parameter, imputations, measure))
  result <- explain_source(source, object, by, measure, level, backend)
  result$held_out <- given[[1L]]
  result
}

# The fit whose predictions are explained.
check_explained <- function(fit) {
  refuse_wrapped_fit(fit)
  refuse_path(fit, "fit")
  check_class(fit, c("mkl", "mkl_multiclass", "cv_mkl", "mkl_model"), "fit",
              "a fit of mkl(), mkl_gomp(), mllkm() or mkl_sequential(), or a result of cv_mkl()")
  object <- fit_within(fit)
  if (inherits(fit, "mkl_model") && kind_of(object) == "one_class") {
    abort_read_model("fit", "no share of training rows outside")
  }
  object
}

one_measure <- function(measure, fit, object) {
  if (is.null(measure) && inherits(fit, "cv_mkl")) return(fit$measures[[1L]])
  found <- check_measure(measure, fit_measure_kind(object), gives_probabilities(object))
  if (length(found) > 1L) abort_argument(measure, "measure", "one measure")
  found[[1L]]
}

# lacks: whether there are no new rows, and no training data.
check_importance_data <- function(lacks, fit) {
  if (!lacks[[1L]] && !lacks[[2L]]) {
    mk_abort("Give `newdata` for new rows, or `x` and `kernels` for rows held out, not both.",
             "invalid_argument", "newdata")
  }
  if (!lacks[[1L]]) return(invisible())
  if (!inherits(fit, "cv_mkl")) {
    mk_abort("`newdata` must be given: rows that are not training rows, with their response `y`.",
             "invalid_argument", "newdata")
  }
  if (lacks[[2L]]) {
    mk_abort(paste("Give `newdata` and `y` for new rows, or `x` (and `kernels`) and `y` as they were given to",
                   "cv_mkl() for the rows held out."), "invalid_argument", "newdata")
  }
}

# ---- rows ----------------------------------------------------------------------------------------

# A fit and the rows that it is judged on: list(object, rows, newdata, truth, weights, donors, blocks), without
# copies of the data: `newdata` is there for a formula alone. response: list(y), empty where it is not
# given. own: group, strata and weights of the rows.
new_part <- function(object, newdata, response, own, repeats) {
  models <- swap_models(object)
  check_has_kernels(models)
  design <- if (is.null(object$terms)) newdata else new_design(object, newdata)
  rows <- new_rows(models, design, missing = TRUE)
  samples <- given_samples(rows$all_names, length(rows$complete), newdata)
  truth <- response_of_rows(object, newdata, response, samples)
  own <- row_values(own, samples)
  answered <- if (is.null(truth)) rep(TRUE, samples$n) else is_known(truth)
  used <- answered & rows$complete
  if (sum(used) < 2L) {
    mk_abort(sprintf("`newdata` must have at least two rows with a response and without missing values, not %d.",
                     sum(used)), "invalid_argument", "newdata", sum(used))
  }
  inform_rows_left_out(c(response = sum(!answered), prediction = sum(answered & !used)))
  list(object = object, rows = block_of_rows(rows, match(which(used), rows$number)),
       newdata = if (!is.null(object$terms)) newdata,
       truth = if (!is.null(truth)) take_rows(truth, which(used)), weights = own$weights[used],
       donors = make_donors(own, which(used), repeats),
       blocks = draw_blocks(sum(used), dense(own$group[used])), number = which(used), n = sum(used),
       left_out = sum(!used), repeats = repeats)
}

check_has_kernels <- function(models) {
  uses <- vapply(models, function(model) inherits(model, "mllkm") || any(model$theta > 0), NA)
  if (any(uses)) return(invisible())
  abort_unsupported("fit", "No kernel of the fit has positive weight, so nothing matters to its predictions.")
}

# The response of the rows; NULL for one class without a response.
response_of_rows <- function(object, newdata, response, samples) {
  one_class <- kind_of(object) == "one_class"
  if (!length(response)) {
    if (one_class) return(NULL)
    if (is.null(object$terms)) check_given(c(y = TRUE))
    response <- list(formula_response(object, newdata))
  }
  if (is.null(response[[1L]])) {
    if (one_class) return(NULL)
    abort_argument(NULL, "y", "the response of the rows of `newdata`")
  }
  new_truth(response[[1L]], object, samples)
}

# One value per row, in the order of the rows.
row_values <- function(own, samples) {
  own <- Map(function(values, name) {
    if (is.null(values)) return(NULL)
    values <- in_sample_order(values, samples, name)
    check_value_count(values, samples, name)
    values
  }, own, names(own))
  if (!is.null(own$weights)) {
    own$weights <- check_numbers(unname(plain_weights(own$weights)), "weights", lower = 0)
    if (!any(own$weights > 0)) abort_argument(0, "weights", "positive for some rows")
  }
  own["group"] <- list(check_group(own$group, samples$n))
  own["strata"] <- list(check_group(own$strata, samples$n, "strata"))
  own
}

dense <- function(codes) if (!is.null(codes)) match(codes, unique(codes))

# A function that gives the swaps of the rows that have the values; other rows take no part.
make_donors <- function(own, used, repeats) {
  known <- new.env()
  group <- own$group[used]
  strata <- own$strata[used]
  draw <- function(has) {
    among <- which(has)
    donors <- matrix(seq_along(has), length(has), repeats)
    if (length(among)) {
      donors[among, ] <- among[draw_donors(length(among), repeats, group[among], strata[among])]
    }
    donors
  }
  known$all <- draw(rep(TRUE, length(used)))
  if (all(known$all == row(known$all))) abort_no_swaps(group)
  function(has = NULL) {
    if (is.null(has) || all(has)) return(known$all)
    key <- paste(which(!has), collapse = " ")
    if (is.null(known[[key]])) known[[key]] <- draw(has)
    known[[key]]
  }
}

abort_no_swaps <- function(group) {
  one_group <- length(unique(group)) == 1L
  mk_abort(if (one_group) {
    "`group` leaves nothing to swap: all rows are of one group. Give rows of several groups."
  } else {
    paste("`strata` leaves nothing to swap: every stratum has one row (or group). Give fewer strata with more",
          "rows (or groups) each.")
  }, "invalid_argument", if (one_group) "group" else "strata")
}

# ---- rows held out -------------------------------------------------------------------------------

# The chosen cell is fitted to the training rows of each fold, and the rows held out are its part.
held_out_source <- function(cv, x, response, kernels, own, repeats) {
  cv <- in_used_rows(cv)
  fit <- fit_within(cv)
  from_formula <- !is.null(fit$terms) && is.data.frame(x)
  y <- if (length(response)) response[[1L]] else
    if (from_formula) formula_response(fit, x)
  data <- x
  used <- NULL
  if (from_formula) {
    used <- order_again(cv, list(names = row.names(x)))[seq_len(cv$n)] %||% if (nrow(x) != cv$n) cv$rows$used
    all <- nrow(x)
    data <- take_rows(x, used)
    x <- new_design(fit, data, "x")
    cv$fit["terms"] <- list(NULL) # the columns of the formula are compared, not the data
    y <- take_rows(y, if (NROW(y) == all) used)
    own <- lapply(own, function(one) if (length(one) == all) take_rows(one, used) else one)
  }
  given <- given_again(cv, x, kernels, c(list(y = y), own[c("weights", "group", "strata")]))
  plan <- plan_again(cv, given)
  values <- c(given$own[c("group", "strata")], weights = list(plan$weights))
  samples <- plan$samples
  values[1:2] <- Map(function(one, name) {
    if (!is.null(one)) kept_values(in_sample_order(one, samples, name), samples)
  }, values[1:2], c("group", "strata"))
  values <- row_values(values, sample_part(NULL, plan$n, "x", "rows"))
  blocks <- draw_blocks(plan$n, dense(values$group %||% cv$group))
  plan <- narrow_plan(plan, cv$results[cv$best_row, cv$tuned, drop = FALSE])
  memory <- unclass(fit)[c("terms", "xlevels", "contrasts", "variables")]
  tests <- unlist(lapply(cv$resamples, `[[`, "test"))
  list(resamples = cv$resamples, seeds = sample.int(.Machine$integer.max, length(cv$resamples)),
       arguments = list(plan = plan, values = values, blocks = blocks, data = if (from_formula) data,
                        memory = memory, repeats = repeats),
       newdata = if (from_formula) data, parts = length(cv$resamples), blocks = max(blocks[tests]),
       rows = length(unique(tests)))
}

# memory: the record of the formula that a fit keeps, if it has one.
held_out_part <- function(resample, plan, values, blocks, data, memory, repeats) {
  test <- resample$test
  if (length(test) < 2L) {
    abort_unsupported("fit", paste("Give `newdata`, or a result of cv_mkl() with larger folds: rows are",
                                   "swapped within a fold, and a fold holds out one row alone."))
  }
  split <- refit_data(plan, resample, plan$set[1L])
  object <- refit(plan, split, plan$outer[[1L]], plan$inner[1L])
  newdata <- split$newdata
  if (!is.null(data)) {
    object[names(memory)] <- memory
    newdata <- data[test, , drop = FALSE]
  }
  truth <- response_rows(plan$response, test)
  own <- lapply(values, function(one) one[test])
  own$group <- dense(own$group)
  part <- withCallingHandlers(
    new_part(object, newdata, list(truth), own, repeats),
    manykernels_warning_constant_column = function(w) invokeRestart("muffleWarning")
  )
  part$number <- test[part$rows$number]
  part$blocks <- blocks[part$number]
  part
}

# ---- all together --------------------------------------------------------------------------------

# A source makes the parts of a call where they are used: list(newdata, parts, blocks, rows), where `parts` and
# `rows` are numbers, and the part itself or what held_out_part() takes.
new_source <- function(part, by) {
  # swaps among the rows that have a view are drawn before any worker needs them
  for (unit in importance_units(part$object, by, part$newdata)$units) part$donors(unit_has(part, unit))
  list(part = part, newdata = part$newdata, parts = 1L, blocks = max(part$blocks),
       rows = part$n + part$left_out)
}

source_part <- function(source, p) {
  source[["part"]] %||%
    with_seed(source$seeds[p], do.call(held_out_part, c(source$resamples[p], source$arguments), quote = TRUE))
}

# Scores the units of each part. A part is made once for all of its units in the pack. list(outcomes, used):
# `used` are the numbers of the parts' rows.
importance_chunk <- function(pack, source, steps, by, measure, tick) {
  outcomes <- vector("list", length(pack))
  used <- list()
  for (p in unique(steps$part[pack])) {
    own <- which(steps$part[pack] == p)
    part <- source_part(source, p)
    swaps <- open_swaps(part)
    units <- importance_units(part$object, by, part$newdata)$units[steps$unit[pack[own]]]
    outcomes[own] <- score_swaps(swaps, units, measure, part, source$blocks, tick)
    used <- c(used, list(part$number))
  }
  list(outcomes = outcomes, used = unlist(used))
}

# truth: the response of new rows; NULL for rows held out.
abort_no_value <- function(measure, truth) {
  one_class <- is.factor(truth) && length(unique(truth)) == 1L
  mk_abort(sprintf("The measure `%s` has no value on these rows%s.", measure$name,
                   if (one_class) sprintf(", all of the class `%s`", truth[1L]) else ""),
           "invalid_argument", "measure", measure$name)
}

explain_source <- function(source, object, by, measure, level, backend) {
  found <- importance_units(object, by, source$newdata)
  steps <- expand.grid(unit = seq_along(found$units), part = seq_len(source$parts))
  progress <- work_progress("Importance", nrow(steps),
                            first_model(object)$control$progress && backend$workers == 1)
  on.exit(progress$done())
  log <- new_work_log()
  used <- integer()
  scored <- do_work(
    nrow(steps), backend, "importance_chunk",
    list(source = source[names(source) != "newdata"], steps = steps, by = by, measure = measure,
         tick = progress$tick), log,
    receive = function(pack, part) {
      used <<- c(used, part$used)
      part$outcomes
    },
    give_up = function(lost, reason, outcomes) {
      labels <- unique(found$labels[[1L]][steps$unit[lost]])
      abort_lost(sprintf("%s `%s`", names(found$labels)[1L], labels), reason)
    }
  )
  work_report(log)
  own <- importance_table(lapply(split(scored, steps$part), bind_scores), measure$larger, level)
  if (is.na(own$base)) abort_no_value(measure, source[["part"]]$truth)
  n <- length(unique(used))
  structure(list(
    importance = cbind(found$labels, own$table), repeats = own$repeats, value = own$base,
    measure = measure$name, larger = measure$larger, by = if (is.list(by)) "group" else by, level = level,
    n = n, left_out = source$rows - n, held_out = FALSE, kind = fit_measure_kind(object),
    levels = object$levels, version = model_version
  ), class = "permutation_importance")
}
