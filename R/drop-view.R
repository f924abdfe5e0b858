#' The gain from each view
#'
#' Refits the grid of a cross-validation without each view, on the same folds, and
#' compares the predictions of held-out rows. This shows how much worse predictions are without a view. A
#' kernel weight shows how much of a classifier is due to a view, but not whether another view could replace
#' it.
#'
#' @param cv An object of class `cv_mkl` with `model = "mkl"` or `"mkl_gomp"`.
#' @param x,y,kernels,weights The data given to [cv_mkl()], which does not keep them. If none is given, the
#'   names in the call of `cv` are looked up again, as in [stats::update()]. Rows with the names of samples
#'   may have any order. Another response, kernels of other names, other weights, or other values of `x` (in
#'   a sample of rows) are an error.
#' @param tune `TRUE`: choose from the whole grid without the view, with the scaling and the class weights of
#'   `cv`. `FALSE`: keep all chosen values, for a fraction of the time.
#' @param BPPARAM A `BiocParallelParam` of package BiocParallel to run on, or `NULL`: the workers of
#'   [future::plan()], if one is set, as in [cv_mkl()].
#' @param ... Not used; anything given is an error.
#' @return A data frame of class `drop_view` with one row for each `view`. `without` is the mean of the
#'   measure without the view. `change` is the mean over the folds of (with - without) if larger is better,
#'   else of (without - with), so positive numbers mean that the view helps. `se` is the standard error of
#'   this mean of paired differences, corrected for the rows that folds share. `p_value` is that of the
#'   corrected resampled t-test of the hypothesis that it is 0 (Nadeau and Bengio 2003), not adjusted for the
#'   number of views; it is `NA` where all folds have the same difference other than 0. Further columns have
#'   the values in use without the view, `NA` where they have no meaning, as `p` of a single kernel. Each
#'   precomputed kernel counts as a view. The attribute `measure` is the name of the measure, and `version` that of the form of the result. Errors: class `manykernels_unsupported` if there is only one
#'   view, if the norm has weights or a matrix for the kernels, or if every kernel reads every view, as products
#'   of kernels do (views that some kernel doesn't read are compared, and a message names the others);
#'   `manykernels_no_data` if the data of the call are not found again.
#' @references
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* **52**,
#' 239--281.
#' @seealso [cv_mkl()], [kernel_stability()]
#' @examples
#' set.seed(1)
#' views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
#' y <- droplevels(iris$Species[51:150])
#' kernels <- gaussian_kernel(c(1, 4))
#' cv <- cv_mkl(views, y, kernels, p = 2, C = c(0.1, 1, 10))
#' drop_view(cv)
#' drop_view(cv, views, y, kernels) # the same
#' @export
drop_view <- function(cv, x = NULL, y, kernels = NULL, weights = NULL, tune = TRUE, BPPARAM = NULL, ...) {
  check_dots_empty(...)
  check_class(cv, "cv_mkl", "cv", "made by cv_mkl()")
  check_object(cv)
  cv <- in_used_rows(cv)
  tune <- check_flag(tune, "tune")
  if (missing(x) && missing(y) && missing(kernels) && missing(weights)) {
    given <- data_again(cv, parent.frame())
    x <- given$x
    kernels <- given$kernels
    weights <- given$weights
    if (!is.null(given$y)) y <- given$y
  }
  if (cv$model == "mllkm") abort_unsupported("cv", "`cv` must be of a model with kernels of views.")
  if (cv$model == "mkl" && any(vapply(cv$grid$outer, has_kernel_values, NA))) {
    abort_unsupported("cv", paste("The norm of `cv` must not have a value for each kernel:",
                                  "it does not define a norm for the kernels of fewer views."))
  }
  given <- given_again(cv, x, kernels, list(y = if (!missing(y)) y, weights = weights))
  views <- given$views
  plan <- function(x, kernels) {
    plan <- plan_of(cv, x, given$own$y, kernels, given$own$weights)
    if (tune) plan else narrow_plan(plan, cv$results[cv$best_row, cv$tuned, drop = FALSE])
  }
  all <- plan(views, given$kernels)
  check_plan(all, cv)
  sources <- kernel_sources(views, all$kernels)
  if (length(sources) < 2) {
    abort_unsupported("x", "`x` must have at least two views: without the only one nothing remains.")
  }
  sources <- separable_sources(sources, all)
  seeds <- sample.int(.Machine$integer.max, length(cv$resamples))
  log <- new_work_log()
  rows <- lapply(sources, function(source) {
    scores_without(plan(views_without(views, source), kernels_without(all, source)), cv, seeds, log, BPPARAM)
  })
  work_report(log)
  out <- do.call(rbind, rows)
  structure(cbind(view = sources, out), class = c("drop_view", "mkl_table", "data.frame"),
            measure = cv$measure, version = model_version)
}

# Arguments of cv_mkl(), by the names in its call.
data_again <- function(cv, caller) {
  call <- as.list(cv$call)
  if (!is.null(call$formula)) {
    abort_unsupported("cv", "Give several views to cv_mkl() as a list, `x`: a formula has only one view.")
  }
  given <- call[intersect(c("x", "y", "kernels", "weights"), names(call))]
  tryCatch(lapply(given, eval, caller), error = function(e) {
    own <- vapply(given, function(one) if (is.language(one)) deparse1(one, backtick = TRUE) else "...", "")
    mk_abort(sprintf("Give the data of `cv` again, as in `drop_view(cv, %s)`: they are not found here (%s).",
                     paste(names(own), "=", own, collapse = ", "), conditionMessage(e)), "no_data", "x",
             parent = e)
  })
}

# The data of cv_mkl() again, in the order of its rows where both have names of samples. own: a list of values
# of the rows, or NULL.
given_again <- function(cv, x, kernels, own) {
  if (!is.null(container_package(x))) {
    first <- first_model(fit_within(cv))
    x <- unpacked_new(x, "x", first$data$layout)
  }
  views <- as_views(x, missing_views = cv$settings$missing_views, kernels = join_sets(kernels),
                    impute = cv$settings$impute)
  given <- list(views = views, kernels = kernels, own = own)
  samples <- data_samples(views, join_sets(kernels))
  order <- order_again(cv, samples)
  if (is.null(order)) return(given)
  inform_order(samples, list(kind = "training", label = "the rows of `cv`"), "x")
  given$own <- Map(function(values, code) {
    if (!is.null(values)) take_rows(in_sample_order(values, samples, code), order)
  }, own, names(own))
  known <- attr(views, "samples", exact = TRUE)
  if (!is.null(known$kept)) known$kept <- which(order %in% known$kept)
  given$views <- structure(subset_views(views, order), samples = known)
  ordered <- function(set) kernels_of_rows(set, views, order)
  given$kernels <- if (is.list(kernels) && !is.object(kernels)) lapply(kernels, ordered) else ordered(kernels)
  given
}

# Positions that bring samples into the order of the rows of `cv`, those that it left out behind them; NULL
# where they have that order, or other names.
order_again <- function(cv, samples) {
  known <- cv$predictions
  if (is.null(known$name)) return(NULL)
  wanted <- rep(NA_character_, cv$n)
  wanted[known$row] <- as.character(known$name)
  first <- match(wanted, samples$names)
  if (anyNA(first) || anyDuplicated(samples$names)) return(NULL)
  if (is.unsorted(first)) c(first, setdiff(seq_along(samples$names), first))
}

plan_of <- function(cv, views, response, kernels, weights) {
  settings <- cv$settings
  settings$scale <- scale_of_views(settings$scale, views)
  arguments <- cv$arguments
  if (!is.null(arguments$scale)) arguments$scale <- settings$scale
  cv_plan(views, response, kernels, weights, settings, cv$grid, cv$model, arguments)
}

# A scaling without the views that are not there.
scale_of_views <- function(scale, views) {
  if (is.null(names(scale))) return(scale)
  own <- scale[names(scale) %in% c(names(views), "response")]
  if (length(own)) own else TRUE
}

plan_again <- function(cv, given) {
  plan <- plan_of(cv, given$views, given$own$y, given$kernels, given$own$weights)
  check_plan(plan, cv)
  plan
}

check_plan <- function(plan, cv) {
  if (plan$n != cv$n) {
    mk_abort(sprintf("`x` must have the %d rows of `cv`, not %d.", cv$n, plan$n), "length", "x", plan$n)
  }
  check_cv_response(plan, cv)
  if (cv$model != "mllkm") check_cv_kernels(plan, cv)
  check_cv_weights(plan, cv)
  check_cv_data(plan, cv)
}

# Checks the response: the folds of `cv` would compare other rows as if they were its own.
check_cv_response <- function(plan, cv) {
  own <- if (!is.null(plan$response)) held_out_truth(plan$response, cv$predictions$row)
  if (isTRUE(all.equal(own, cv$predictions$truth, check.attributes = FALSE))) return(invisible())
  mk_abort("`y` must be the response that `cv` was made with, in the same order.",
           "invalid_argument", "y")
}

# Checks the kernels by the names of those in the fit of `cv`, which are of one set.
check_cv_kernels <- function(plan, cv) {
  if (is.null(cv$fit)) return(invisible())
  own <- names(all_kernels(plan))
  known <- names(cv$fit$kernels)
  if (all(known %in% own) && (length(plan$sets) > 1 || length(known) == length(own))) {
    return(invisible())
  }
  check_cv_views(plan$raw, cv)
  if (is.null(plan$kernels)) {
    mk_abort("Give `kernels`, too, as to cv_mkl(): `cv` was made with kernels, which it doesn't keep.",
             "invalid_argument", "kernels")
  }
  other <- c(setdiff(known, own), setdiff(own, known))
  mk_abort(sprintf(paste("`kernels` must be those that `cv` was made with, which it doesn't keep;",
                         "they differ in %s."), enumerate(other)), "invalid_argument", "kernels")
}

# Reports missing or extra views before differing kernels, since these follow from them.
check_cv_views <- function(views, cv) {
  layout <- layout_of(cv$fit)
  if (is.null(layout) || is_single(layout)) return(invisible())
  lacking <- setdiff(names(layout), names(views))
  extra <- setdiff(names(views), names(layout))
  if (!length(c(lacking, extra))) return(invisible())
  found <- c(if (length(lacking)) paste("lacks", enumerate(lacking)),
             if (length(extra)) sprintf("has %s, which `cv` has not", enumerate(extra)))
  mk_abort(sprintf("`x` must have the views that `cv` was made with, %s, but %s.", enumerate(names(layout), 10L),
                   paste(found, collapse = " and ")), "invalid_argument", "x", c(lacking, extra))
}

check_cv_weights <- function(plan, cv) {
  own <- plan$weights %||% rep(1, plan$n)
  known <- cv$fit$weights %||% rep(1, plan$n)
  if (is.null(cv$fit) || isTRUE(all.equal(own, known, check.attributes = FALSE))) return(invisible())
  mk_abort("`weights` must be those that `cv` was made with, in the same order.", "invalid_argument",
           "weights")
}

# Checks that the fit of `cv` predicts the rows as before. The folds of `cv` would compare other values, or
# rows in another order, as if they were its own.
check_cv_data <- function(plan, cv) {
  if (is.null(cv$fit)) return(invisible())
  rows <- unique(round(seq(1, plan$n, length.out = compared_rows)))
  known <- as.matrix(cv$fit$decision)[rows, , drop = FALSE]
  plan <- narrow_plan(plan, cv$results[cv$best_row, cv$tuned, drop = FALSE])
  newdata <- refit_data(plan, list(train = seq_len(plan$n), test = rows), plan$set)$newdata
  own <- tryCatch(as.matrix(stats::predict(cv$fit, newdata, type = "decision")),
                  manykernels_error = identity)
  alike <- all.equal(own, known, check.attributes = FALSE, tolerance = 1e-6)
  if (isTRUE(alike)) return(invisible())
  mk_abort(paste("`x` and `kernels` must have the values that `cv` was made with, in the same order:",
                 "its fit predicts other values from them."), "invalid_argument", "x",
           parent = if (inherits(own, "condition")) own)
}

compared_rows <- 100L # enough to find a difference, and quick

# The cell with these values alone.
narrow_plan <- function(plan, values) {
  table <- grid_table(plan)
  alike <- Map(function(column, value) as.character(column) == as.character(value), table,
               values[names(table)])
  plan <- cell_plan(plan, which(Reduce(`&`, alike))[1])
  plan$search <- "grid"
  plan
}

# Names of the views that kernels use, and of precomputed kernels.
kernel_sources <- function(views, kernels) {
  if (is.null(kernels)) return(names(views))
  type <- kernel_field(kernels, "type")
  view <- kernel_field(leaf_kernels(pick_kernels(kernels, type != "precomputed")), "view")
  read <- if (anyNA(view)) names(views) else intersect(names(views), view)
  c(read, names(kernels)[type == "precomputed"])
}

views_without <- function(views, source) {
  kept <- setdiff(names(views), source)
  if (!length(kept)) return(as_views(NULL))
  columns <- stats::setNames(vector("list", length(kept)), kept)
  out <- subset_views(views, seq_len(view_rows(views)), columns)
  structure(out, samples = attr(views, "samples", exact = TRUE))
}

# Removes the view's kernels from each kernel set; a set without any others takes no part.
kernels_without <- function(plan, source) {
  kernels <- plan$kernels
  if (is.null(kernels)) return(NULL)
  type <- kernel_field(kernels, "type")
  gone <- ifelse(type == "precomputed", names(kernels) == source,
                 reads_view(kernels, source))
  if (length(plan$sets) == 1) return(kernels[!gone])
  left <- lapply(plan$sets, function(positions) kernels[setdiff(positions, which(gone))])
  left[lengths(left) > 0]
}

# The sources that can be left out with a kernel remaining.
separable_sources <- function(sources, plan) {
  if (is.null(plan$kernels)) return(sources)
  left <- vapply(sources, function(source) length(kernels_without(plan, source)) > 0L, NA)
  if (all(left)) return(sources)
  text <- sprintf(paste("To measure the gain from %s, give cv_mkl() kernels of other views beside products of",
                        "kernels: every kernel reads %s, so without %s none is left."),
                  enumerate(sources[!left]), if (sum(!left) == 1L) "this view" else "these views",
                  if (sum(!left) == 1L) "it" else "one of them")
  if (!any(left)) abort_unsupported("cv", text)
  mk_inform(text, "drop_view", "cv", sources[!left])
  sources[left]
}

scores_without <- function(plan, cv, seeds, log, BPPARAM) {
  run <- list(resamples = cv$resamples, seeds = seeds, deadline = Inf, log = log, BPPARAM = BPPARAM)
  run <- open_rounds(run, plan)
  run$folder <- outcomes_folder(plan, cv$resamples)
  on.exit(unlink(run$folder, recursive = TRUE))
  measures <- with_tie_loss(cv$measures[1], measure_kind(response_kind(plan$response), plan$settings$loss))
  judge <- new_judge(measures, cv$rule, plan$settings$control$tol)
  found <- if (is_fixed_grid(plan)) list(plan = plan, outcomes = run_plan(plan, cv$resamples, run)) else
    search_cells(plan, run, seq_along(cv$resamples), judge)
  plan <- found$plan
  scores <- score_outcomes(plan, cv$resamples, found$outcomes, measures)
  by_fold <- scores$by_fold
  values <- scores$values
  results <- scores$results
  chosen <- judge_cells(judge, results)
  if (is.na(chosen)) abort_no_choice(by_fold)
  cells <- nrow(results)
  without <- by_fold[[cv$measure]][seq(chosen, nrow(by_fold), cells)]
  with <- cv$by_fold[[cv$measure]][seq(cv$best_row, nrow(cv$by_fold), nrow(cv$results))]
  change <- mean_known(if (cv$larger) with - without else without - with)
  found <- change_error(cv$row_values, values[[1L]], chosen, cv$resamples)
  settings <- results[chosen, plan$tuned, drop = FALSE]
  settings[setdiff(cv$tuned, plan$tuned)] <- NA # nothing is left to choose from
  kept <- setdiff(intersect(cv$tuned, c("class_weights", "scale")), plan$tuned)
  settings[kept] <- cv$results[cv$best_row, kept]
  if ("scale" %in% kept) settings$scale <- scale_label(plan$settings$scale)
  data.frame(without = mean_known(without), change = change, se = found$se,
             p_value = corrected_p(change, found), settings[cv$tuned], row.names = NULL)
}

# Gives list(se, df) of paired differences of row values. with: those of the chosen cell of `cv`.
change_error <- function(with, without, chosen, resamples) {
  weight <- with[, "weight"] * (without$weight[, chosen] > 0)
  difference <- with[, "value"] - without$sum[, chosen] / without$weight[, chosen]
  corrected_errors(list(sum = as.matrix(ifelse(weight > 0, weight * difference, 0)),
                        weight = as.matrix(weight)), resamples)
}

# Gives the p-value of the corrected resampled t-test.
corrected_p <- function(change, found) {
  if (is.na(change) || is.na(found$se)) return(NA_real_)
  if (found$se == 0) return(if (change == 0) 1 else NA_real_) # the folds don't show how it varies
  2 * stats::pt(-abs(change) / found$se, found$df)
}
