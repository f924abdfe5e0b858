# Predictions of new rows in the form of measures, and the response that they are compared with.

# Any type of prediction from decision values as predict() gives them.
prediction_from <- function(decision, type, object) {
  if (inherits(object, "mkl_gomp")) return(path_response(as.matrix(decision), type, object))
  meaning_of(decision, type, object)
}

# list(response, decision, prob) for measure_value(). Of several classes `decision` has a column for each.
measured_predictions <- function(object, decision) {
  scores <- decision
  if (is.matrix(scores) && !is.null(object$levels)) {
    scores <- class_scores(scores, object$strategy %||% "ovr", object$levels)
  }
  list(response = prediction_from(decision, "response", object), decision = scores,
       prob = if (gives_probabilities(object)) prediction_from(decision, "prob", object))
}

# The kind of measures that a fit has.
fit_measure_kind <- function(object) measure_kind(kind_of(object), fit_loss(object))

# NULL where the object has none, as those of mkl_gomp().
fit_loss <- function(object) {
  first <- first_model(object)
  if (!is.null(first$loss)) loss_of(first)
}

# The tau of its quantiles; NULL for other fits.
fit_tau <- function(object) {
  if (fit_measure_kind(object) != "quantiles") return(NULL)
  vapply(unname(models_of(object)), function(model) loss_of(model)$tau, 0)
}

# ---- the response of new rows --------------------------------------------------------------------

# The rows of new data that a response belongs to, in the order of their predictions.
given_samples <- function(names, n, newdata) {
  in_order <- function(view) {
    own <- row_names(view)
    NROW(view) == n && (is.null(own) || is_row_numbers(own) || identical(own, names))
  }
  assembled <- is_view_list(newdata) && !any(vapply(newdata, in_order, NA))
  c(sample_part(names, n, "newdata", "rows"),
    list(variables = row_variables(newdata, "newdata"), assembled = assembled))
}

# The response of the rows of `samples` in the form of the fit's own: a factor with its levels, numbers,
# times, or a matrix with its columns. Missing values stay: these rows can't be measured.
new_truth <- function(y, object, samples) {
  named <- is_variable(y, samples, object$levels)
  if (named) y <- take_variable(y, samples, "y")
  if (inherits(y, "Surv")) y <- times_of_surv(y)
  y <- unlabelled(y, type_of_kind(kind_of(object)))
  if (!named) y <- in_sample_order(y, samples, "y")
  check_value_count(y, samples, "y")
  own <- object$y
  if (is.matrix(own)) return(new_outputs(y, own))
  if (is.data.frame(y) && ncol(y) == 1L) y <- y[[1L]]
  if (length(dim(y)) == 1L || (is.matrix(y) && ncol(y) == 1L)) y <- drop_dim(y)
  if (kind_of(object) == "times") {
    if (!is_times(y)) abort_argument(y, "y", "a Surv object, as the fit is of censored times")
    return(replace_unknown_times(y))
  }
  if (is_times(y) || !is.null(dim(y))) abort_argument(y, "y", "a vector with one value per row")
  check_response_type(y)
  switch(kind_of(object), classes = new_classes(y, object$levels), one_class = new_inside(y),
         numbers = new_numbers(y, "y"))
}

# Matches classes by name: the order of the levels of `y` and levels without cases don't matter.
new_classes <- function(y, levels) {
  code <- if (is.numeric(y)) match(y, suppressWarnings(as.numeric(levels))) else
    match(as.character(y), levels)
  known <- !is.na(if (is.factor(y)) as.character(y) else y)
  strange <- unique(as.character(y[known & is.na(code)]))
  if (length(strange)) {
    advice <- if (all(is.na(code))) "Give the response that the fit was trained on." else
      "Leave other rows out of `newdata` and `y`."
    mk_abort(sprintf("`y` must have the classes of the fit, %s, not %s. %s", enumerate(levels, 10L),
                     enumerate(strange), advice), "unknown_classes", "y", strange)
  }
  structure(code, levels = levels, class = "factor")
}

new_numbers <- function(y, what) {
  if (!is.numeric(y)) abort_argument(y, what, "numbers, as the fit is a regression")
  if (any(is.infinite(y))) abort_argument(y[is.infinite(y)][1L], what, "finite numbers")
  as.double(y)
}

# The truth of new rows for a fit of one class.
new_inside <- function(y) {
  if (!is.logical(y)) {
    abort_argument(y, "y", "logical, TRUE for rows of the one class, or left out")
  }
  structure(y + 1L, levels = c("outside", "inside"), class = "factor")
}

new_outputs <- function(y, own) {
  expected <- sprintf("a matrix or data frame with the columns %s", enumerate(colnames(own), 10L))
  if (length(dim(y)) != 2L || ncol(y) != ncol(own)) abort_argument(y, "y", expected)
  y <- outputs_matrix(y)
  if (!is.null(colnames(y)) && !identical(colnames(y), paste0("y", seq_len(ncol(y))))) {
    lacking <- setdiff(colnames(own), colnames(y))
    if (length(lacking)) {
      mk_abort(sprintf("`y` must be %s; it lacks %s.", expected, enumerate(lacking)),
               "missing_columns", "y", lacking)
    }
    y <- y[, colnames(own), drop = FALSE]
  }
  colnames(y) <- colnames(own)
  if (!is_labels(own)) return(matrix(new_numbers(y, "y"), nrow(y), ncol(y), dimnames = dimnames(y)))
  if (!all(y %in% c(0, 1, NA))) abort_argument(y[!y %in% c(0, 1, NA)][1L], "y", "labels 0 and 1")
  storage.mode(y) <- storage.mode(own)
  y
}

replace_unknown_times <- function(y) {
  if (any(is.infinite(y))) abort_argument(y[is.infinite(y)][1L], "y", "finite times")
  y[is.na(side_of(y))] <- NA
  y
}

# TRUE for values (rows) of a response that are not missing.
is_known <- function(y) {
  if (is_times(y)) return(!is.na(as.vector(y)) & !is.na(side_of(y)))
  if (is.matrix(y)) rowSums(is.na(y)) == 0 else !is.na(y)
}

# The response that a formula has on its left-hand side.
formula_response <- function(object, newdata) {
  terms <- object$terms
  position <- if (is.null(terms)) 0L else attr(terms, "response")
  expression <- if (position) attr(terms, "variables")[[position + 1L]]
  if (is.null(expression) || !is.data.frame(newdata) || !any(all.vars(expression) %in% names(newdata))) {
    mk_abort(if (is.null(expression)) "`y` must be given: the response of the rows of `newdata`." else
      sprintf("`y` must be given, as `newdata` lacks the response `%s` of the formula.",
              deparse1(expression)), "invalid_argument", "y")
  }
  from_formula(eval(expression, newdata, environment(terms)))
}
