#' Predictions of a fit
#'
#' Predicts new rows by the active kernels (those with positive weight) between them and the support
#' vectors. Linear kernels use explicit weights of the columns, unless their scaling is spherical.
#'
#' @param object A fit of class `mkl`, `mkl_multiclass` or `mkl_multioutput`.
#' @param newdata New rows in the form of the training data: a matrix, data frame, sparse matrix or
#'   named list of views; for fits from a formula a data frame. Columns are matched by name, or by
#'   position if the training data had no names. Missing columns are an error that names them; further
#'   columns are ignored. Views that no active kernel uses may be missing; where they are given, only the
#'   names of their rows count. See Details for precomputed kernels. Rows of several views and matrices
#'   are matched by name, as in training (see [mkl()]); the result has the order of the first view with
#'   names. Without `newdata` the training rows that the fit uses are predicted; [fitted.mkl()] pads them.
#' @param type `"response"`: for classes a factor with the levels of the training response, for
#'   regression the predicted numbers, for one-class models a logical vector, `TRUE` for rows inside.
#'   `"decision"`: the decision values, for several classes a matrix with one column per model. For
#'   regression they are the response, and for one-class models the score \eqn{f(x) - 1}, at least 0
#'   inside. `"prob"`: a matrix with one column per level, whose rows sum to 1. It needs a fit with
#'   `loss = "logistic"` or `control = mkl_control(probability = TRUE)`.
#'
#'   Censored times: `"response"` and `"time"` are the predicted times. `"decision"` is the value of the
#'   model, the logarithm of the time unless `censored_loss(log = FALSE)`. `"risk"` is minus this value,
#'   so that a larger risk means an earlier event. Several responses or quantiles give matrices with a
#'   column for each. For labels `"response"` has 0 and 1 (`FALSE` and `TRUE`, as in training), and
#'   `"prob"` the probability of each label.
#'
#'   Names of these types in other packages work as well: `"class"`, `"numeric"` and `"raw"` for
#'   `"response"`, `"link"` and `"scores"` for `"decision"`, `"probabilities"`, `"probs"` and
#'   `"posterior"` for `"prob"`. `"class"` is for classes and labels only, `"numeric"` for numbers only.
#' @param na.action What to do with rows of `newdata` that have missing values (`NA` or `NaN`) in
#'   columns that the fit uses, as in [stats::predict.lm()]: a function or its name. The default,
#'   [stats::na.pass()], gives `NA` for such rows; [stats::na.omit()] leaves them out of the result,
#'   and [stats::na.fail()] makes them an error. Infinite values are always an error.
#' @param compress `NULL`, or a positive number: the rows are predicted by fewer support vectors, which
#'   changes no decision value by more than this number. See [compress()] for its meaning and cost.
#' @param ... Not used; anything given is an error.
#'
#' @details *Many rows.* Rows are predicted 50,000 at a time on all threads (see [mkl_control()]), which
#' bounds the memory beyond `newdata` and its standardised columns.
#'
#' *Precomputed kernels.* `newdata` is a (new x training rows) matrix, a list of these named by
#' kernel, or a new x training x M array. Inactive kernels may be missing. In place of a matrix it may
#' have the path of a file that [write_kernel()] wrote. Columns are matched to the names of the training
#' matrices, or by position if either has none. If other kernels are active, too, give one list with the
#' matrices and the views. For spherical scaling `attr(newdata[[m]], "diagonal")` must hold the values
#' \eqn{k(z, z)} of the new rows. For kernels of given distances ([gaussian_kernel()]) give the (new x
#' training rows) distances under their name, or alone if all kernels are of distances.
#'
#' *Classes.* With two classes the second level is predicted if the decision value is positive, or above the
#' `threshold` of the fit (see [mkl()]). With several classes `"ovr"`, `"shared"` and `"joint"` predict the level with
#' the largest decision value, and `"ovo"` the level with most votes among the pairs. The sum of the decision
#' values in favour of a level decides ties.
#'
#' *Probabilities.* For the logistic loss probabilities come from the model itself: \eqn{1/(1 +
#' \exp(-f))}{1/(1 + exp(-f))} of the decision value \eqn{f}, for several classes combined as below. For other
#' losses probabilities are Platt's sigmoid \eqn{1/(1 + \exp(A f + B))}{1/(1 + exp(A f + B))} of the decision
#' value. It is fitted to the decision values of a stratified five-fold cross-validation (set a seed for the
#' same folds) that keeps a `group` together, with Newton's method as corrected by Lin, Lin and Weng (2007). A
#' rising step function (isotonic regression, Zadrozny and Elkan 2002) takes its place if its log loss on
#' folds that are held out in turn is smaller by more than a standard error. [cv_mkl()] calibrates its fit in
#' the same way, by the decision values of the chosen cell on the rows held out; with `probability = TRUE` or
#' class weights, also for the logistic loss. For several classes the sigmoids of `"ovr"`, `"shared"` and `"joint"` are
#' scaled to sum 1, and those of `"ovo"` are coupled by the second method of Wu, Lin and Weng (2004). The most
#' probable class may differ from the predicted one near the decision boundary. There are fewer folds if a
#' class has fewer than five rows (or groups). If it has only one, the sigmoid of its models is fitted to the
#' decision values of the training rows, with a warning (class `manykernels_warning_few_cases`); `print()`
#' shows it, too, and `probability$held_out` of the fit is `FALSE`. A sigmoid with `A` > 0 reverses the order
#' of the decision values, which is a warning of class `manykernels_warning_sigmoid`.
#'
#' @return As many values (rows) as `newdata` has rows, in their order, with their names, unless
#'   `na.action` leaves rows out. Rows with missing values are `NA`.
#'
#' @section Errors:
#' Errors have the class `manykernels_error`: wrong form of `newdata`, missing columns
#' (`manykernels_missing_columns`), missing views, infinite values, missing values where `na.action`
#' refuses them (both `manykernels_missing_values`), and `manykernels_no_probability` for
#' `type = "prob"` without fitted probabilities. If columns that were constant in training have other
#' values in `newdata`, a warning of class `manykernels_warning_constant_column` names them.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 2.2, the decision function).
#'
#' Platt, J. (2000). Probabilities for SV machines. In *Advances in Large Margin Classifiers*, MIT
#' Press, 61--74.
#'
#' Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for
#' support vector machines. *Machine Learning* **68**, 267--276.
#'
#' Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass probability
#' estimates. *Proceedings of KDD*, 694--699.
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class
#' classification by pairwise coupling. *Journal of Machine Learning Research* **5**, 975--1005.
#'
#' @seealso [mkl()], [fitted.mkl()], [assess()] for the accuracy of predictions
#' @examples
#' train <- seq(1, 150, by = 2)
#' set.seed(1)
#' fit <- mkl(iris[train, 1:4], iris$Species[train], kernels = gaussian_kernel(c(0.5, 2, 8)),
#'            control = mkl_control(probability = TRUE))
#' table(predict(fit, iris[-train, ]), iris$Species[-train])
#' head(predict(fit, iris[-train, ], type = "decision"))
#' head(predict(fit, iris[-train, ], type = "prob"))
#' @aliases predict.mkl predict.mkl_multiclass
#' @rdname predict.mkl
#' @export
predict.mkl_fit <- function(object, newdata,
                            type = c("response", "decision", "prob", "time", "risk"),
                            na.action = stats::na.pass, compress = NULL, ...) {
  object <- check_object(object)
  check_predict_dots(missing(newdata), ...)
  type <- check_predict_type(type, object)
  if (!is.null(compress)) {
    if (missing(newdata)) abort_argument(compress, "compress", "left out without `newdata`")
    tolerance <- check_number(compress, "compress", 0, lower_open = TRUE)
    object <- compressed_model(object, tolerance, "compress")$fit
  }
  if (missing(newdata) && was_read(object)) abort_no_newdata()
  decision <- if (missing(newdata)) training_decision(object) else
    new_decision(object, newdata, na.action)
  meaning_of(decision, type, object)
}

# Predictions from decision values: a vector, or a matrix with a column for each model.
meaning_of <- function(decision, type, object) {
  if (has_models(object)) several_predictions(decision, type, object) else
    one_prediction(if (is.matrix(decision)) decision[, 1] else decision, type, object)
}

# Predictions from the decision values of a single model.
one_prediction <- function(decision, type, object) {
  switch(type,
    response = switch(kind_of(object),
      classes = two_levels(decision, object$levels, fit_threshold(object)), numbers = decision,
      times = time_values(decision, loss_of(object)), one_class = decision >= 0
    ),
    time = time_values(decision, loss_of(object)),
    risk = -decision,
    decision = decision,
    prob = sigmoid_matrix(decision, object)
  )
}

# Predictions from the decision values of several models.
several_predictions <- function(decision, type, object) {
  switch(type,
    response = multiclass_response(decision, object),
    decision = decision,
    prob = multiclass_probability(decision, object)
  )
}

#' Fitted values and residuals
#'
#' The predictions for the training rows, and their errors.
#'
#' @param object A fit, for `fitted()` also a result of [cv_mkl()] or [mkl_path()].
#' @param type Which residuals:
#'   * `"response"` (regression, where it is the default, and censored times): \eqn{y_i - f(x_i)}{y_i -
#'     f(x_i)}, of censored times in the units of the model, by default log time;
#'   * `"loss"` (the default otherwise): the loss of each row as in the table of [losses], without
#'     weights; for hinge loss 0 beyond the margin, over 1 for misclassified rows; of `multiclass =
#'     "joint"` in the column of the row's class, and 0 in the others;
#'   * `"margin"` (classes): \eqn{y_i f(x_i)}, y being 1 or -1.
#' @param ... For `fitted()` what [predict()][predict.mkl()] of the object takes beside `newdata`: `type`, for
#'   fits of [mkl_gomp()] `kernels`, for paths `C` or `p`. Otherwise not used; anything given is an error.
#' @return For `fitted()` as in [predict.mkl()]. For `residuals()` a numeric vector with one value per
#'   row, or for several classes, responses or quantiles a matrix with one column per model. Rows that a
#'   model leaves out (pairs of levels) are `NA`. If the formula's `na.action` is [stats::na.exclude()],
#'   rows left out are padded with `NA`. A type of residuals that the model doesn't have is an error of
#'   class `manykernels_unsupported`.
#' @seealso [predict.mkl()], [plot.mkl()]
#' @examples
#' fit <- mkl(Species ~ ., iris[51:150, ], kernels = gaussian_kernel(c(0.5, 2)))
#' table(fitted(fit), iris$Species[51:150])
#' summary(residuals(fit))
#' mean(residuals(fit, "margin") < 0) # training error
#'
#' numbers <- mkl(mpg ~ ., mtcars, loss = "squared")
#' sqrt(mean(residuals(numbers)^2))
#' @aliases fitted.mkl fitted.mkl_multiclass residuals.mkl residuals.mkl_multiclass
#' @rdname fitted.mkl
#' @export
fitted.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no fitted values")
  given <- ...names() %||% ""
  if (any(nzchar(given) & startsWith("newdata", given))) {
    mk_abort("Use `predict()` for new rows: `fitted()` has no argument `newdata`.", "unknown_argument",
             "newdata")
  }
  stats::napredict(object$na.action, stats::predict(object, , ...))
}

#' @rdname fitted.mkl
#' @export
residuals.mkl_fit <- function(object, type = NULL, ...) {
  object <- fit_within(object, "no residuals")
  check_dots_empty(...)
  type <- check_residual_type(type, object)
  stats::naresid(object$na.action, training_residuals(object, type))
}

# A vector, or of several models a matrix with a column for each.
training_residuals <- function(object, type) {
  if (!has_models(object)) {
    if (type == "loss") refuse_alone(object, "type")
    return(row_residuals(object, type))
  }
  values <- if (type == "loss" && identical(object$strategy, "joint")) {
    joint_residuals(object$decision, object$y)
  } else {
    vapply(models_of(object), row_residuals, numeric(nrow(object$decision)), type)
  }
  dimnames(values) <- dimnames(object$decision)
  values
}

check_residual_type <- function(type, object) {
  choices <- c("response", "loss", "margin")
  kind <- kind_of(object)
  type <- check_choice(type %||% if (kind == "numbers") "response" else "loss", choices, "type")
  needed <- list(response = c("numbers", "times"), margin = "classes")
  if (type != "loss" && !kind %in% needed[[type]]) {
    abort_unsupported("type", sprintf(
      "`type = \"%s\"` is for %s; this is a fit of the %s%s.", type,
      if (type == "margin") "classes" else "regression", format(loss_of(object)),
      switch(kind, classes = " to classes", numbers = " to numbers", times = " to times",
             one_class = "")
    ), type)
  }
  type
}

# Refuses new rows under another name, which would leave the training rows to be predicted.
check_predict_dots <- function(no_newdata, ...) {
  given <- if (...length()) ...names()[1]
  if (no_newdata && ...length() && !is.null(given) && grepl("^(new|data|x$|test)", given)) {
    mk_abort(sprintf("`%s` is not an argument here: new rows go into `newdata`.", given),
             "invalid_argument", given)
  }
  check_dots_empty(..., .hints = predict_hints)
}

# ---- classes from decision values ----------------------------------------------------------------

# A type of prediction by the name it has here, or by one that it has elsewhere.
check_type <- function(type, choices, object) {
  given <- type
  type <- check_choice(type_elsewhere(type), choices, "type")
  classes <- !is.null(object$levels) || is_labels(object$y)
  if ((type == "prob" || any(given %in% c("class", "classes"))) && !classes) {
    abort_unsupported("type", sprintf("`type = \"%s\"` is for classes, but this fit has none.",
                                      given), given)
  }
  if (identical(given, "numeric") && classes) {
    abort_unsupported("type", "`type = \"numeric\"` is for numbers, but this is a fit of classes.", given)
  }
  if (type %in% c("time", "risk") && kind_of(object) != "times") {
    abort_unsupported("type", sprintf(paste("`type = \"%s\"` is for censored times, and this is a",
                                            "fit of the %s."), given, format(loss_of(object))), given)
  }
  type
}

# need: the fit that has probabilities.
check_predict_type <- function(type, object,
                               need = paste("a fit with `control = mkl_control(probability = TRUE)`",
                                            "or `loss = \"logistic\"`")) {
  type <- check_type(type, c("response", "decision", "prob", "time", "risk"), object)
  if (type != "prob") return(type)
  if (is.null(first_model(object)$probability)) {
    mk_abort(sprintf("`type = \"prob\"` needs %s.", need), "no_probability", "type", type)
  }
  type
}

two_levels <- function(decision, levels, threshold = 0) {
  structure((decision > threshold) + 1L, names = names(decision), levels = levels, class = "factor")
}

training_decision <- function(object) object$decision

training_prediction <- function(object, type = "response") {
  meaning_of(training_decision(object), type, object)
}

# ---- new rows ------------------------------------------------------------------------------------

# Decision values of new rows: a vector, or a matrix with one column per model.
new_decision <- function(object, newdata, na.action) {
  na.action <- check_na_action(na.action)
  if (!is.null(object$terms)) newdata <- new_design(object, newdata)
  fit <- made_once(object, decider)
  rows <- new_rows(fit$models, newdata, missing = TRUE, read = fit$read)
  decision <- matrix(0, rows$n, fit$count, dimnames = list(NULL, model_names(object)))
  for (block in prediction_blocks(rows$n)) {
    part <- block_of_rows(rows, block)
    decision[block, ] <- if (fit$joint) decide_joint(fit$models[[1L]], part) else
      decide_all(fit$models, part)
  }
  decision <- pad_rows(decision, rows, na.action)
  if (!has_models(object)) decision[, 1] else decision
}

# What decision values need of a fit, whatever the rows are.
decider <- function(object) {
  joint <- joint_model(object)
  models <- if (is.null(joint)) lapply(models_of(object), with_evaluated) else list(joint)
  list(models = models, joint = !is.null(joint), read = read_parts(models),
       count = if (is.null(joint)) length(models) else length(joint$each$offset))
}

PREDICTED_ROWS <- 50000L # at a time: the memory beside `newdata` stays the same for any number of rows

prediction_blocks <- function(n) {
  lapply(seq_len(ceiling(n / PREDICTED_ROWS)), function(k) {
    seq.int((k - 1L) * PREDICTED_ROWS + 1L, min(k * PREDICTED_ROWS, n))
  })
}

block_of_rows <- function(rows, block) {
  if (length(block) == rows$n) return(rows)
  rows$views <- subset_views(rows$views, block)
  rows$matrices <- lapply(rows$matrices, take_new_rows, block)
  rows$names <- rows$names[block]
  rows$number <- rows$number[block]
  rows$n <- length(block)
  rows
}

# Rows that overflow come back as NA, with a warning.
without_overflow <- function(decision, rows) {
  if (all(is.finite(decision))) return(decision)
  over <- rowSums(!is.finite(decision)) > 0
  label <- rows$all_names[rows$number[over]] %||% rows$number[over]
  mk_warn(sprintf(paste(
    "Check the size of the numbers in %s %s of `%s`: kernel values overflow double precision there, and",
    "the prediction is NA."
  ), if (sum(over) == 1L) "row" else "rows", enumerate(label, 5L), rows$argument), "not_finite",
  rows$argument, rows$number[over])
  decision[over, ] <- NA
  decision
}

# Rows with missing values come back as NA, or as `na.action` says.
pad_rows <- function(decision, rows, na.action) {
  decision <- without_overflow(decision, rows)
  names <- list(rows$all_names, colnames(decision))
  if (all(rows$complete)) return(`dimnames<-`(decision, names))
  out <- matrix(NA_real_, length(rows$complete), ncol(decision), dimnames = names)
  out[rows$complete, ] <- decision
  out[rows_kept(rows$complete, na.action), , drop = FALSE]
}

# Rows that `na.action` leaves of a data frame with missing values in the same rows.
rows_kept <- function(complete, na.action) {
  frame <- data.frame(value = ifelse(complete, 0, NA))
  kept <- tryCatch(na.action(frame), error = function(e) {
    mk_abort(sprintf("`na.action` refuses `newdata`, which has missing values in %s: %s.",
                     count_of(sum(!complete), "row"), conditionMessage(e)),
             "missing_values", "newdata", which(!complete), parent = e)
  })
  if (!is.data.frame(kept) || !all(row.names(kept) %in% row.names(frame))) {
    mk_abort(sprintf("`na.action` must return the rows of a data frame that it keeps, not %s.",
                     describe(kept)), "invalid_argument", "na.action", kept)
  }
  match(row.names(kept), row.names(frame))
}

# What predictions of models read: views, their columns, the kernels on these, and precomputed kernels.
read_parts <- function(models) {
  first <- models[[1]]
  used <- function(views) lapply(stats::setNames(nm = views), function(view) used_in_models(models, view))
  if (inherits(first, "mllkm")) {
    views <- names(first$data$layout)
    return(list(views = views, columns = used(views), precomputed = character(), kernels = no_kernels()))
  }
  active <- first$theta > 0
  for (model in models[-1L]) active <- active | model$theta > 0
  given <- kernel_field(first$kernels, "type") == "precomputed"
  kernels <- leaf_kernels(pick_kernels(first$kernels, which(active & !given)))
  views <- unique(kernel_field(kernels, "view"))
  list(views = views, columns = used(views), precomputed = names(first$kernels)[active & given],
       kernels = kernels)
}

# New data split into what the evaluated and the precomputed kernels of the models need. missing:
# rows with missing values are left out, not refused.
new_rows <- function(models, newdata, missing = FALSE, argument = "newdata", read = read_parts(models)) {
  first <- models[[1]]
  newdata <- unpacked_new(newdata, argument, first$data$layout)
  precomputed <- read$precomputed
  needed <- read$views
  used <- read$columns
  parts <- split_newdata(newdata, first, precomputed, missing = missing)
  parts$matrices <- given_matrices(parts$matrices, first$kernels, newdata)
  for (name in precomputed) check_diagonal(parts$matrices[[name]], name, first, missing)
  views <- match_views(first$data$layout, parts$views, needed, used = used, missing = missing,
                       missing_views = missing_views_of(first))
  if (argument == "newdata") warn_moved(first$data$layout, views, used, argument)
  check_new_sequences(read$kernels, views, argument)
  n <- c(if (length(needed)) view_rows(views), vapply(parts$matrices, nrow, 0L))
  if (any(n != n[1])) {
    mk_abort(sprintf("The parts of `newdata` must have the same number of rows, not %s.",
                     paste(unique(n), collapse = ", ")), "dimension", "newdata", n)
  }
  aligned <- align_matrices(parts$matrices, views, "newdata")
  complete <- rep(TRUE, n[[1]])
  for (name in names(views)) complete <- complete & !view_gaps(views[[name]], used[[name]])
  for (values in aligned$matrices) complete <- complete & !matrix_gaps(values)
  if (missing_views_of(first) == "drop") complete <- complete_samples(views_have(views), complete)
  complete_rows(views, aligned, complete, argument)
}

# names: of these rows; all_names: with those that aren't complete.
complete_rows <- function(views, aligned, complete, argument) {
  number <- which(complete)
  names <- aligned$samples$names
  if (!all(complete)) {
    views <- subset_views(views, number)
    aligned$matrices <- lapply(aligned$matrices, take_new_rows, number)
  }
  list(views = views, matrices = aligned$matrices, n = length(number), names = names[number],
       number = number, argument = argument, complete = complete, all_names = names)
}

# TRUE for rows of a view with missing values in the columns used (NULL: all), for sequences anywhere.
view_gaps <- function(view, used = NULL) {
  if (is_sequences(view)) return(.subset2(view, "missing"))
  if (!anyNA(if (is.matrix(view)) view else view@x)) return(logical(nrow(view)))
  if (!is.null(used)) view <- view[, used, drop = FALSE]
  unname(Matrix::rowSums(is.na(view)) > 0)
}

matrix_gaps <- function(values) {
  diagonal <- attr(values, "diagonal")
  view_gaps(values) | (if (is.null(diagonal)) FALSE else is.na(diagonal))
}

# Matrices of new rows with these in the order of the views', or of the first matrix with names.
# frames: which views were data frames.
align_matrices <- function(matrices, views, argument, frames = logical(length(views))) {
  codes <- if (is_single(views)) argument else sprintf("%s$%s", argument, names(views))
  own <- c(view_parts(views, codes, frames), if (length(matrices)) matrix_parts(matrices, argument))
  samples <- reference_part(own)
  for (m in seq_along(matrices)) {
    matrices[[m]] <- take_new_rows(matrices[[m]], sample_order(own[[length(views) + m]], samples, argument))
  }
  list(matrices = matrices, samples = samples)
}

matrix_parts <- function(matrices, argument) {
  unname(Map(function(values, name) {
    sample_part(rownames(values), nrow(values), sprintf("%s$%s", argument, name), "rows")
  }, matrices, names(matrices)))
}

take_new_rows <- function(values, order) {
  if (is.null(order)) return(values)
  structure(values[order, , drop = FALSE], diagonal = attr(values, "diagonal")[order])
}

# The columns of a view that active kernels of any model read, NULL when one reads them all.
used_in_models <- function(models, view) {
  columns <- do.call(c, unname(lapply(models, function(model) {
    both <- c(model$data$columns, model$data$linear$columns)
    unname(both[names(both) == view])
  })))
  if (all(lengths(columns) > 0L)) unique(unlist(columns))
}

# Returns decision values, rows by models. Words of sequences are counted once for all models.
decide_all <- function(models, rows) {
  words <- if (!inherits(models[[1L]], "mllkm")) decide_words(models, rows)
  vapply(seq_along(models), function(k) decide(models[[k]], rows, words[, k]), numeric(rows$n))
}

# words: the part of kernels that decide_words() has.
decide <- function(object, rows, words) {
  value <- if (inherits(object, "mllkm")) decide_anchors(object, rows$views) else
    decide_kernels(object, rows, words)
  response_units(value, object$scaling$response) - threshold_of(object$loss)
}

decide_kernels <- function(object, rows, words) {
  evaluated <- object$evaluated %||% with_evaluated(object)$evaluated
  value <- object$offset + words
  if (!is.null(object$data$linear)) value <- value + decide_linear(object$data$linear, rows$views)
  if (length(evaluated$theta)) {
    handle <- kept_handle(object, rows, evaluated$kept)
    warn_beyond(object$compression, handle)
    value <- value + drop(from_core(.Call(C_mk_predict, handle, evaluated$theta, evaluated$alpha,
                                          thread_count(object$control))))
  }
  for (m in evaluated$precomputed) {
    value <- value + decide_precomputed(object, rows$matrices[[names(object$theta)[m]]], m)
  }
  value
}

# A model with what the core evaluates, and its precomputed kernels.
with_evaluated <- function(object) {
  if (inherits(object, "mllkm")) return(object)
  active <- object$theta > 0 & length(object$support) > 0
  which <- which(is_evaluated(object$kernels, object$constants, active) & !is_scored(object))
  object$evaluated <- list(
    kept = kept_kernels(object, which), theta = unname(object$theta[which]),
    alpha = matrix(unname(object$alpha[object$data$rows])),
    precomputed = which(active & kernel_field(object$kernels, "type") == "precomputed")
  )
  object
}

gives_probabilities <- function(x) {
  !inherits(x, "mkl_gomp") && !is.null(first_model(x)$probability)
}

# Layout of the views of the training data.
layout_of <- function(object) {
  (object$data %||% first_model(object)$data)$layout
}
