# R's own generics for models: formula, variables, cases and data.

#' Variables, cases and formulas of a fit
#'
#' The names of the columns that the kernels use, the names of the training rows, the formula, and the
#' data of the formula.
#'
#' @param object,x,formula A fit of [mkl()], [mkl_sequential()], [mkl_gomp()] or [mllkm()], or a
#'   result of [cv_mkl()] or [mkl_path()].
#' @param ... Not used; anything given is an error. For `model.frame()` arguments of its default method.
#' @return `variable.names()`: the columns of the data as coded, for several views a list by view;
#'   `NULL` without names. `case.names()`: the names of the training rows, or `NULL`. `formula()`: the
#'   formula. `model.frame()`: the data frame of the formula's variables for the training rows. It is
#'   recreated from the call, whose names are looked up in the calling environment, as in
#'   [stats::update()]. `nobs()` and `residuals()`: as for fits, see [kernel_weights()] and
#'   [residuals.mkl()]. Errors: class `manykernels_unsupported` for `formula()` and `model.frame()` of
#'   fits made without a formula.
#' @seealso [predict.mkl()], [kernel_weights()], [mkl-tidiers]
#' @examples
#' fit <- mkl(Species ~ ., iris[51:150, ], kernels = gaussian_kernel(c(0.5, 2)))
#' variable.names(fit)
#' head(case.names(fit), 3)
#' formula(fit)
#' head(model.frame(fit), 3)
#' @aliases variable.names.mkl variable.names.mkl_multiclass
#' @rdname variable.names.mkl
#' @importFrom stats variable.names
#' @export
variable.names.mkl_fit <- function(object, ...) {
  object <- fit_within(object)
  check_dots_empty(...)
  layout <- layout_of(object)
  columns <- lapply(unclass(layout), `[[`, "columns")
  attributes(columns) <- list(names = names(layout))
  if (length(columns) == 1L) columns[[1L]] else if (length(columns)) columns
}

#' @rdname variable.names.mkl
#' @importFrom stats case.names
#' @export
case.names.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no names of rows")
  check_dots_empty(...)
  names(object$alpha) %||% rownames(object$decision)
}

#' @rdname variable.names.mkl
#' @importFrom stats formula
#' @export
formula.mkl_fit <- function(x, ...) {
  x <- fit_within(x)
  check_dots_empty(...)
  need_formula(x)
  stats::formula(x$terms)
}

#' @rdname variable.names.mkl
#' @importFrom stats model.frame
#' @export
model.frame.mkl_fit <- function(formula, ...) {
  frame_again(fit_within(formula, "no model frame"), parent.frame(), ...)
}

frame_again <- function(x, caller, ...) {
  need_formula(x)
  call <- x$call
  parts <- c("formula", "data", "subset", "weights", "na.action")
  call <- call[c(1L, match(parts, names(call), 0L))]
  call[[1L]] <- quote(stats::model.frame)
  call$formula <- x$terms
  eval(as.call(c(as.list(call), list(...))), caller)
}

need_formula <- function(x) {
  if (!is.null(x$terms)) return(invisible())
  abort_unsupported("x", "The fit was made from data, not from a formula.")
}

# ---- paths ---------------------------------------------------------------------------------------

#' @rdname predict.mkl_path
#' @details `residuals()` are those of [residuals.mkl()] for the model at `C` (or `p`), whose `type` is
#'   the default one.
#' @export
residuals.mkl_path <- function(object, C = NULL, p = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  values <- training_values(object, locate(object, C, p))
  residuals <- if (identical(object$strategy, "joint")) joint_residuals(values, path_response_values(object)) else
    vapply(seq_along(object$models), function(task) {
      model <- object$models[[task]]
      model$decision <- values[, task]
      row_residuals(model, check_residual_type(NULL, model))
    }, values[, 1])
  dimnames(residuals) <- dimnames(values)
  stats::naresid(object$na.action, if (ncol(residuals) == 1L) residuals[, 1] else residuals)
}

# The response of all classes; the models of a path have the sides of one problem each.
path_response_values <- function(path) {
  models <- path$models
  if (length(models) == 1L) return(models[[1L]]$y)
  own <- lapply(models, function(model) {
    ifelse(as.integer(model$y) == 2L, model$task$positive[1L],
           if (length(model$task$negative) == 1L) model$task$negative else NA)
  })
  factor(Reduce(function(a, b) ifelse(is.na(a), b, a), own), path$levels)
}
