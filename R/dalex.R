# Methods for package DALEX: predictions of a fit, and its kind.

#' Explainers of package DALEX
#'
#' With these methods `DALEX::explain(fit, data, y)` needs no `predict_function`.
#'
#' Explainers change the columns of one table. For a fit to several views this is
#' `data.frame(views, check.names = FALSE)`, whose columns are named by view and column, as in
#' `mrna.CCNA2`. The names of the columns alone do, too, as long as they identify the views. A view of
#' sequences is one column of text, named as the view.
#'
#' For DALEX, give `y` as numbers 0 and 1 for two classes (1 is the second level) and as a factor for
#' more.
#'
#' @param X.model,model A fit of [mkl()], [mkl_gomp()], [mkl_sequential()] or [mllkm()], a result of
#'   [cv_mkl()], or a model of [read_model()].
#' @param newdata A data frame or matrix of new rows: the columns of the training data, or of all views.
#' @param type `NULL` for the default of explainers (see Value), or a type of [predict.mkl()], such as
#'   `"decision"`.
#' @param is_multiclass `TRUE` if predictions are a matrix; DALEX sets it.
#' @param ... Not used.
#' @return `yhat()`: one number per row, or a matrix with a column for each class, label or response. Two
#'   classes: the probability of the second level. More classes or labels: the probability of each. Numbers
#'   and times: the prediction. One-class models: the decision value. `predict_function_target_column` of
#'   `DALEX::explain()` chooses a column. `model_info()`: a list of class `model_info` with `package`,
#'   `ver` and `type` (`"classification"`, `"multiclass"` or `"regression"`).
#'
#' @section Errors:
#' Class `manykernels_no_probability`: a fit to classes without probabilities. Give `control =
#' mkl_control(probability = TRUE)` or `loss = "logistic"` to the fit, or explain decision values by
#' `predict_function = function(model, data) DALEX::yhat(model, data, type = "decision")`. Class
#' `manykernels_missing_columns`: `newdata` lacks columns of a view. Class `manykernels_unsupported`: fits
#' with precomputed kernels, which have no columns. `DALEX::explain()` shows no text of errors; use
#' `DALEX::yhat(fit, data)` to see it.
#' @seealso [predict.mkl()]
#' @examplesIf requireNamespace("DALEX", quietly = TRUE)
#' views <- list(petal = iris[51:150, 3:4], sepal = iris[51:150, 1:2])
#' y <- droplevels(iris$Species[51:150])
#' fit <- mkl(views, y, loss = "logistic")
#' table <- data.frame(views, check.names = FALSE)
#' explainer <- DALEX::explain(fit, table, as.numeric(y == "virginica"), verbose = FALSE)
#' DALEX::model_performance(explainer)
#' @name dalex
NULL

#' @rdname dalex
#' @rawNamespace S3method(DALEX::yhat,mkl_fit)
yhat.mkl_fit <- function(X.model, newdata, type = NULL, ...) {
  refuse_path(X.model, "X.model")
  object <- explained_fit(X.model)
  values <- stats::predict(object, explained_rows(object, newdata), type = type %||% explained_type(object))
  if (is.data.frame(values)) values <- as.matrix(values)
  column <- attr(X.model, "predict_function_target_column", exact = TRUE)
  two_levels <- is.null(type) && kind_of(object) == "classes" && length(object$levels) == 2L
  if (is.matrix(values) && !is.null(column)) return(unname(values[, column]))
  if (is.matrix(values) && two_levels) unname(values[, 2L]) else values
}

#' @rdname dalex
#' @rawNamespace S3method(DALEX::model_info,mkl_fit)
model_info.mkl_fit <- function(model, is_multiclass = FALSE, ...) {
  object <- explained_fit(model)
  type <- if (!has_classes(object)) "regression" else if (is_multiclass) "multiclass" else "classification"
  structure(list(package = "manykernels", ver = as.character(utils::packageVersion("manykernels")),
                 type = type), class = "model_info")
}

explained_fit <- function(object) {
  object <- fit_within(object, argument = "X.model")
  attr(object, "predict_function_target_column") <- NULL # DALEX has put it there
  object
}

has_classes <- function(object) kind_of(object) == "classes" || is_labels(object$y)

explained_type <- function(object) {
  if (kind_of(object) == "one_class") return("decision")
  if (!has_classes(object)) return("response")
  if (!is.null(first_model(object)$probability)) return("prob")
  mk_abort(paste(
    "Fit with `control = mkl_control(probability = TRUE)` or `loss = \"logistic\"`, as explainers need",
    "probabilities and this fit has none. Or explain decision values by `predict_function =",
    "function(model, data) DALEX::yhat(model, data, type = \"decision\")`."
  ), "no_probability", "X.model")
}

# ---- one table of several views ------------------------------------------------------------------

explained_rows <- function(object, newdata) {
  layout <- layout_of(object)
  if (!is.null(object$terms) || is_view_list(newdata)) return(newdata)
  read <- read_parts(models_of(object))
  if (length(read$precomputed)) {
    abort_unsupported("newdata", sprintf(paste(
      "Give `predict_function`: kernel `%s` is precomputed, so predictions read no columns of a table."
    ), read$precomputed[1L]))
  }
  if (is_single(layout)) {
    return(if (isTRUE(layout[[1L]]$sequences) && length(dim(newdata)) == 2L) newdata[, 1L] else newdata)
  }
  lapply(stats::setNames(nm = read$views), function(name) columns_of_view(newdata, layout, name))
}

# The columns of a view in a table of all views, under the names that they have in the view.
columns_of_view <- function(table, layout, name) {
  columns <- lapply(unclass(layout), table_columns)
  own <- columns[[name]]
  long <- paste(name, own, sep = ".")
  others <- columns[names(columns) != name]
  by_view <- vapply(names(others), function(other) {
    all(paste(other, others[[other]], sep = ".") %in% colnames(table))
  }, NA)
  others <- unlist(others[!by_view])
  ways <- list(long, make.names(long), if (length(own) == 1L) name, if (!any(own %in% others)) own)
  found <- Filter(function(way) length(way) && all(way %in% colnames(table)), ways)
  if (!length(found)) {
    lacking <- setdiff(long, colnames(table))
    mk_abort(sprintf(paste(
      "Name columns by view and column, as `data.frame(views, check.names = FALSE)` does: `newdata` lacks %s",
      "of view `%s`."
    ), enumerate(lacking), name), "missing_columns", "newdata", lacking)
  }
  view <- table[, found[[1L]], drop = FALSE]
  if (isTRUE(layout[[name]]$sequences)) return(as.character(view[, 1L]))
  rownames(view) <- NULL # explainers repeat rows
  colnames(view) <- own
  if (is.null(layout[[name]]$encoder) && is.null(layout[[name]]$columns)) unname(as.matrix(view)) else view
}

# Names of a view's columns in a table.
table_columns <- function(view) {
  if (isTRUE(view$sequences)) return("sequence")
  names(view$encoder) %||% view$columns %||% as.character(seq_len(view$width))
}
