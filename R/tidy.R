# Results as tables in the way of package generics: tidy(), glance() and augment().

#' Fits as tables
#'
#' Methods for the generics of package generics, which broom and the tidymodels share. `tidy()` returns
#' a row for each kernel (or support vector, view, feature set, cell), `glance()` one row for the whole
#' fit, and `augment()` the data with predictions. They are available once generics is loaded, for
#' example by `library(broom)` or `library(generics)`.
#'
#' @param x A fit of [mkl()], [mkl_sequential()], [mkl_gomp()] or [mllkm()], a result of [cv_mkl()] or
#'   [mkl_path()], a bound such as of [risk_bound()], or a result of [kernel_stability()] or
#'   [kernel_alignment()].
#' @param what The meaning of rows. Fits: `"kernels"` or `"support"`, the support vectors. `cv_mkl`: `"grid"`,
#'   the cells; `"kernels"` and `"support"` of the fit to all rows. Paths: `"kernels"`, at all points or at
#'   the one given as `C` (or `p`), or `"points"`. `kernel_stability`: `"kernels"` or `"views"`.
#' @param by For kernels: `"kernel"`, or sums by `"view"` or feature `"set"`, the largest share first;
#'   see [kernel_weights()].
#' @param C,p For paths: the place on it, see [predict.mkl_path()].
#' @param data The training data, a data frame or matrix with one row per training row, or all rows of
#'   the `data` of a formula. Its columns come before the predictions. Other forms, such as lists of
#'   views, add no columns. `NULL`: the response `y` takes its place.
#' @param newdata New data in the form that `predict()` takes; rows with missing values get `NA`. For a model of
#'   [read_model()], which has no training rows, `data` are new, too.
#' @param ... For `augment()` further arguments of `predict()`: `kernels` of [predict.mkl_gomp()],
#'   `C` or `p` of [predict.mkl_path()]. Otherwise not used; anything given is an error.
#'
#' @return Tibbles where package tibble is installed, else data frames.
#'
#' `tidy()`: for kernels `model` (of several classes, unless they share weights), `kernel`, `view`,
#' `type`, `features`, `parameters`, `weight` (theta) and `share` of the fitted function; by view or
#' set `view`, `set`, `kernels`, `active`, `weight`, `share` (see [kernel_weights()]). For support
#' vectors the columns of [support()]. For bounds their `terms` and `value`; for alignments `kernel`,
#' `with` and `alignment` of each pair.
#'
#' `glance()`: one row. Fits have `n` (training rows that count), `M` (kernels), `active_kernels` (with
#' positive weight in any model), `C` and `p` (`NA` for other norms). `gap` is the largest relative duality
#' gap of the models. `support_vectors` counts the rows that support any model (`NA` for least squares).
#' `training_error` is that of [summary.mkl()]. Further columns are `loss`, `models` and `converged`.
#' `cv_mkl`: these of the fit to all rows and `measure`, `estimate` and `std_error` of the chosen cell,
#' `corrected`, `lower` and `upper` (the estimate for new samples, see [cv_mkl()]), `cells`, `folds`,
#' `repeats`. Paths: `n`, `M`, `over`, `from`, `to`, `points`, `gap` (the largest anywhere), `tol`,
#' `certified`. Bounds: the row of `terms` with the smallest `value`, and the `source`. Alignments: `kernels`,
#' `centred`, `mean_alignment` (of all pairs of kernels; `NaN` for one kernel), and `best_kernel` with its
#' `best_alignment` with the response (`NA` without one).
#'
#' `augment()`: a row for each row of data. Classes: `.pred_class`, `.pred_<level>` where the fit has
#' probabilities, and `.decision` (`.decision_<model>` for several models). Numbers: `.fitted`, for training
#' rows `.resid`. Labels as classes, and several responses or quantiles with a column for each, such as
#' `.fitted_0.5`. Censored times: `.pred_time` and `.pred_linear_pred`, the model's value, which grows with
#' time. One class: `.fitted` (`TRUE` inside) and `.decision`. Row names become `.rownames`. Columns of the
#' data with these names, as those of another fit, are replaced. Training rows that a formula left out have
#' `NA`. For `cv_mkl` without `newdata` the predictions are those out of fold, one row for each repeat, with
#' `.row`, `.repeat` and `.fold`.
#'
#' Errors: class `manykernels_length` where `data` doesn't have the training rows,
#' `manykernels_unsupported` for support vectors of least squares, and those of `predict()`.
#' @seealso [kernel_weights()], [support()], [predict.mkl()]
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- mkl(Species ~ ., iris, kernels = gaussian_kernel(c(0.5, 2, 8)), loss = "logistic")
#' generics::tidy(fit)
#' generics::glance(fit)
#' generics::augment(fit, newdata = iris[c(1, 51, 101), ])
#' @name mkl-tidiers
NULL

as_table <- function(table) {
  if (requireNamespace("tibble", quietly = TRUE)) return(tibble::as_tibble(table))
  rownames(table) <- NULL
  as.data.frame(table)
}

# ---- tidy ----------------------------------------------------------------------------------------

#' @rdname mkl-tidiers
#' @method tidy mkl_fit
#' @rawNamespace S3method(generics::tidy,mkl_fit)
tidy.mkl_fit <- function(x, what = c("kernels", "support"), by = c("kernel", "view", "set"), ...) {
  x <- fit_within(x)
  check_dots_empty(...)
  switch(check_choice(what, c("kernels", "support"), "what"),
    kernels = weight_tibble(x, by), support = as_table(support(x))
  )
}

# Kernels in their own order, sums by falling share.
weight_tibble <- function(x, by, weigh = fit_weights, ...) {
  by <- check_choice(by, c("kernel", "view", "set"), "by")
  table <- weigh(x, by = by, sort = by != "kernel", ...)
  names(table)[names(table) == "theta"] <- "weight"
  as_table(table)
}

#' @rdname mkl-tidiers
#' @method tidy cv_mkl
#' @rawNamespace S3method(generics::tidy,cv_mkl)
tidy.cv_mkl <- function(x, what = c("grid", "kernels", "support"),
                        by = c("kernel", "view", "set"), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  what <- check_choice(what, c("grid", "kernels", "support"), "what")
  if (what != "grid") return(method_of("tidy", held_fit(x))(held_fit(x), what = what, by = by))
  as_table(cbind(x$results, chosen = seq_len(nrow(x$results)) == x$best_row))
}

# The method of tidy() or glance() for an object, with or without package generics.
method_of <- function(generic, x) {
  for (class in class(x)) {
    method <- get0(paste0(generic, ".", class), asNamespace("manykernels"), mode = "function")
    if (!is.null(method)) return(method)
  }
}

#' @rdname mkl-tidiers
#' @method tidy mkl_path
#' @rawNamespace S3method(generics::tidy,mkl_path)
tidy.mkl_path <- function(x, what = c("kernels", "points"), C = NULL, p = NULL,
                          by = c("kernel", "view", "set"), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  if (check_choice(what, c("kernels", "points"), "what") == "points") return(as_table(x$points))
  if (!is.null(C) || !is.null(p)) return(weight_tibble(x, by, path_kernel_weights, C = C, p = p))
  as_table(do.call(rbind, lapply(x$points[[x$over]], function(at) {
    place <- stats::setNames(list(at), x$over)
    cbind(list2DF(place), do.call(weight_tibble, c(list(x, by, path_kernel_weights), place)))
  })))
}

#' @rdname mkl-tidiers
#' @method tidy bound
#' @rawNamespace S3method(generics::tidy,bound)
tidy.bound <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  as_table(bound_table(x))
}

bound_table <- function(x) {
  table <- x$terms
  table$value <- x$value
  table
}

#' @rdname mkl-tidiers
#' @method tidy kernel_stability
#' @rawNamespace S3method(generics::tidy,kernel_stability)
tidy.kernel_stability <- function(x, what = c("kernels", "views"), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  as_table(x[[check_choice(what, c("kernels", "views"), "what")]])
}

#' @rdname mkl-tidiers
#' @method tidy kernel_alignment
#' @rawNamespace S3method(generics::tidy,kernel_alignment)
tidy.kernel_alignment <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  values <- cbind(matrix(as.double(x), nrow(x)), attr(x, "response"))
  with <- c(rownames(x), if (!is.null(attr(x, "response"))) "y")
  as_table(data.frame(kernel = rep(rownames(x), ncol(values)), with = rep(with, each = nrow(x)),
                      alignment = as.vector(values)))
}

# ---- glance --------------------------------------------------------------------------------------

#' @rdname mkl-tidiers
#' @method glance mkl_fit
#' @rawNamespace S3method(generics::glance,mkl_fit)
glance.mkl_fit <- function(x, ...) {
  x <- fit_within(x, "no summary of its training")
  check_dots_empty(...)
  models <- models_of(x)
  as_table(data.frame(
    n = counted_rows(models), M = as.double(dictionary_size(models[[1]])),
    active_kernels = active_count(models),
    C = x$C, p = x$p %||% NA_real_, gap = max(x$gap),
    support_vectors = if (inherits(x, "mkl_gomp")) NA_integer_ else
      length(unique(unlist(lapply(models, `[[`, "support")))),
    training_error = training_error(x), loss = x$loss, models = length(models),
    converged = all(x$converged)
  ))
}

training_error <- function(x) {
  if (inherits(x, "mkl_gomp")) pursuit_errors(x)$error else training_summary(x)$error
}

# Number of kernels to choose from.
dictionary_size <- function(model) model$dictionary$size %||% model$size %||% length(model$theta)

# Different kernels with positive weight in any model.
active_count <- function(models) {
  length(unique(unlist(lapply(models, function(model) names(model$theta)[model$theta > 0]))))
}

#' @rdname mkl-tidiers
#' @method glance cv_mkl
#' @rawNamespace S3method(generics::glance,cv_mkl)
glance.cv_mkl <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  chosen <- x$results[x$best_row, ]
  repeats <- length(unique(vapply(x$resamples, `[[`, 0L, "repeat_number")))
  as_table(cbind(
    method_of("glance", held_fit(x))(held_fit(x)), measure = x$measure, estimate = chosen$mean,
    std_error = chosen$se,
    corrected = x$estimate$estimate[1L], lower = x$estimate$lower[1L], upper = x$estimate$upper[1L],
    cells = nrow(x$results), folds = length(x$resamples) / repeats, repeats = repeats
  ))
}

#' @rdname mkl-tidiers
#' @method glance mkl_path
#' @rawNamespace S3method(generics::glance,mkl_path)
glance.mkl_path <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  as_table(data.frame(
    n = counted_rows(x$models), M = as.double(length(x$kernels)), over = x$over, from = x$range[1],
    to = x$range[2],
    points = nrow(x$points), gap = max(x$intervals$gap, x$points$gap), tol = x$tol,
    certified = x$certified
  ))
}

#' @rdname mkl-tidiers
#' @method glance bound
#' @rawNamespace S3method(generics::glance,bound)
glance.bound <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  table <- bound_table(x)
  as_table(cbind(table[which.min(table$value), , drop = FALSE], source = x$source))
}

#' @rdname mkl-tidiers
#' @method glance kernel_stability
#' @rawNamespace S3method(generics::glance,kernel_stability)
glance.kernel_stability <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  as_table(data.frame(kernels = length(unique(x$kernels$kernel)), resamples = x$resamples,
                      level = x$level, value = x$value))
}

#' @rdname mkl-tidiers
#' @method glance kernel_alignment
#' @rawNamespace S3method(generics::glance,kernel_alignment)
glance.kernel_alignment <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  values <- matrix(as.double(x), nrow(x))
  response <- attr(x, "response")
  best <- if (is.null(response)) NA_integer_ else which.max(response)
  as_table(data.frame(kernels = nrow(x), centred = attr(x, "centred"),
                      mean_alignment = mean(values[upper.tri(values)]),
                      best_kernel = rownames(x)[best],
                      best_alignment = if (is.null(response)) NA_real_ else unname(response[best])))
}

# ---- augment -------------------------------------------------------------------------------------

#' @rdname mkl-tidiers
#' @method augment mkl_fit
#' @rawNamespace S3method(generics::augment,mkl_fit)
augment.mkl_fit <- function(x, data = NULL, newdata = NULL, ...) {
  if (inherits(x, "mkl_model") && is.null(newdata)) {
    newdata <- data %||% abort_no_newdata()
    data <- NULL
  }
  x <- fit_within(x)
  if (!inherits(x, "mkl_path")) return(augment_fit(x, data, newdata, x, ...))
  x$y <- path_response_values(x)
  augment_fit(x, data, newdata, path_whole(x), ...)
}

# whole: the fit that gives decision values their meaning.
augment_fit <- function(x, data, newdata, whole, ...) {
  check_one_data(data, newdata)
  decision <- if (is.null(newdata)) stats::predict(x, type = "decision", ...) else
    stats::predict(x, newdata, type = "decision", ...)
  predicted <- predicted_columns(x, function(type) prediction_from(decision, type, whole))
  if (!is.null(newdata)) return(join_columns(data_columns(newdata), predicted))
  if (is.numeric(x$y) && !is_times(x$y) && !is_labels(x$y)) {
    predicted <- c(predicted, spread_columns(".resid", x$y - prediction_from(decision, "response", whole)))
  }
  training_table(x, data, predicted)
}

#' @rdname mkl-tidiers
#' @method augment cv_mkl
#' @rawNamespace S3method(generics::augment,cv_mkl)
augment.cv_mkl <- function(x, data = NULL, newdata = NULL, ...) {
  x <- check_object(x)
  check_one_data(data, newdata)
  if (!is.null(newdata)) return(augment_fit(held_fit(x), NULL, newdata, held_fit(x), ...))
  check_dots_empty(...)
  if (is.null(x$predictions)) abort_unsupported("x", "`x` has no predictions of rows held out.")
  found <- x$predictions[order(x$predictions[["repeat"]], x$predictions$row), ]
  if (!is.null(dim(found$decision))) colnames(found$decision) <- colnames(x$fit$decision)
  predicted <- list(.row = found$row, .repeat = found[["repeat"]], .fold = found$fold)
  classes <- is.factor(found$truth) || is_labels(found$truth)
  times <- !is.null(found$status)
  response <- if (classes) ".pred_class" else if (times) ".pred_time" else ".fitted"
  predicted <- c(predicted, spread_columns(response, found$response),
                 if (!is.null(found$prob)) spread_columns(".pred", found$prob),
                 if (classes) spread_columns(".decision", found$decision),
                 if (times) list(.pred_linear_pred = found$decision),
                 if (is.numeric(found$truth) && !classes && !times) {
                   spread_columns(".resid", found$truth - found$response)
                 })
  x$y <- if (times) times_of_status(found$truth, found$status) else found$truth
  position <- if (is.null(x$rows)) found$row else match(found$row, x$rows$used)
  training_table(x, data, predicted, position, x$n)
}

check_one_data <- function(data, newdata) {
  if (is.null(data) || is.null(newdata)) return(invisible())
  mk_abort("`data` and `newdata` must not both be given.", "invalid_argument", "newdata")
}

# A list of columns: class, probabilities where there are, and decision values, or fitted values.
predicted_columns <- function(x, predict) {
  if (is_times(x$y)) {
    return(list(.pred_time = unname(predict("time")), .pred_linear_pred = unname(predict("decision"))))
  }
  response <- predict("response")
  if (is_labels(x$y)) {
    return(c(spread_columns(".pred_class", response),
             if (gives_probabilities(x)) spread_columns(".pred", predict("prob")),
             spread_columns(".decision", predict("decision"))))
  }
  if (is.numeric(response)) return(spread_columns(".fitted", response))
  decision <- spread_columns(".decision", predict("decision"))
  if (is.logical(response)) return(c(spread_columns(".fitted", response), decision))
  c(spread_columns(".pred_class", response),
    if (gives_probabilities(x)) spread_columns(".pred", predict("prob")), decision)
}

# One column of this name, or one for each column of a matrix.
spread_columns <- function(name, values) {
  if (is.null(dim(values))) return(stats::setNames(list(unname(values)), name))
  labels <- colnames(values) %||% seq_len(ncol(values))
  columns <- lapply(seq_len(ncol(values)), function(j) unname(values[, j]))
  stats::setNames(columns, paste0(name, "_", labels))
}

# Columns of data frames and matrices, with row names as one of them; NULL for other forms.
data_columns <- function(data) {
  data <- plain_object(data)
  if (!is.data.frame(data) && !is.matrix(data)) return(NULL)
  names <- if (is.matrix(data)) rownames(data) else attr(data, "row.names")
  frame <- as.data.frame(data)
  rownames(frame) <- NULL
  if (!is.character(names)) frame else cbind(data.frame(.rownames = names), other_columns(frame, ".rownames"))
}

# The response as columns `y`; censored times with their status.
response_columns <- function(y) {
  if (is.null(y)) return(NULL)
  if (is_times(y)) return(data.frame(y = as.vector(y), status = times_status(y)))
  list2DF(spread_columns("y", y))
}

# Columns of the data with these names, as those of another fit, are replaced.
join_columns <- function(before, predicted) {
  after <- list2DF(predicted)
  as_table(if (is.null(before)) after else cbind(other_columns(before, names(after)), after))
}

other_columns <- function(frame, names) {
  frame[intersect(names(frame), names)] <- NULL
  frame
}

# The training data, or the response, with what was predicted for rows (numbers among n).
training_table <- function(x, data, predicted, rows = seq_len(n), n = length(predicted[[1]])) {
  before <- data_columns(data)
  count <- if (!is.null(before)) nrow(before) else if (is.list(data)) vapply(data, NROW, 0L) # views
  whole <- !is.null(x$rows) && all(count == x$rows$n)
  if (!whole && any(count != n)) {
    mk_abort(sprintf("`data` must have the %d training rows, not %d.", n, count[count != n][1L]), "length",
             "data", count)
  }
  if (is.null(before)) return(join_columns(response_columns(x$y), predicted))
  at <- if (whole) x$rows$used[rows] else rows
  if (whole && !anyDuplicated(at)) { # rows that weren't used are kept
    predicted <- lapply(predicted, function(column) column[match(seq_len(nrow(before)), at)])
    at <- seq_len(nrow(before))
  }
  join_columns(before[at, , drop = FALSE], predicted)
}
