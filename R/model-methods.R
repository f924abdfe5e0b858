# Methods of models that were read from a file: those that need no training data, and refusals of the others.

#' @rdname write_model
#' @param newdata New rows, as the fit's own method takes them.
#' @param ... Arguments of the fit's own methods.
#' @export
predict.mkl_model <- function(object, newdata, ...) {
  check_object(object)
  if (missing(newdata)) abort_no_newdata()
  stats::predict(object$fit, newdata, ...)
}

#' @rdname write_model
#' @export
kernel_weights.mkl_model <- function(object, ...) {
  check_object(object)
  kernel_weights(object$fit, ...)
}

abort_no_newdata <- function() {
  mk_abort("`newdata` must be given: a model that was read has no training rows.", "invalid_argument",
           "newdata")
}

#' @rdname write_model
#' @param x,formula A model that was read; for `duality_gap()` the training data.
#' @param y The training response.
#' @export
print.mkl_model <- function(x, ...) {
  check_object(x)
  check_dots_empty(...)
  models <- models_of(x$fit)
  rows <- max(vapply(models, function(model) length(model$data$rows), 0L))
  cat(sprintf("A model of class \"%s\", read from a file of manykernels %s\n", class(x$fit)[1L],
              x$package))
  cat(sprintf("%s, %s; %s of the training data are in it\n", count_of(length(x$fit$kernels), "kernel"),
              count_of(length(models), "model"), if (rows) count_of(rows, "row") else "no rows"))
  invisible(x)
}

#' @rdname write_model
#' @export
coef.mkl_model <- function(object, ...) {
  check_object(object)
  stats::coef(object$fit, ...)
}

#' @rdname write_model
#' @export
variable.names.mkl_model <- function(object, ...) {
  check_object(object)
  stats::variable.names(object$fit, ...)
}

#' @rdname write_model
#' @export
formula.mkl_model <- function(x, ...) {
  check_object(x)
  stats::formula(x$fit, ...)
}

#' @rdname write_model
#' @rawNamespace S3method(generics::tidy,mkl_model)
tidy.mkl_model <- function(x, ...) {
  check_object(x)
  generics::tidy(x$fit, ...)
}

#' @rdname write_model
#' @rawNamespace S3method(generics::augment,mkl_model)
augment.mkl_model <- function(x, newdata, ...) {
  check_object(x)
  if (missing(newdata)) abort_no_newdata()
  generics::augment(x$fit, newdata = newdata, ...)
}

# ---- what needs the training data ----------------------------------------------------------------

# A file has what prediction needs alone.
abort_read_model <- function(argument, what) {
  abort_unsupported(argument, sprintf(paste(
    "Use `predict()` and `kernel_weights()`: a model that was read has %s, as a file holds no training",
    "rows. Keep the fit itself by `saveRDS()` for these."
  ), what))
}

#' @rdname write_model
#' @export
duality_gap.mkl_model <- function(object, x, y, ...) abort_read_model("object", "no certificate")

#' @rdname write_model
#' @export
plot.mkl_model <- function(x, ...) abort_read_model("x", "no plots")

#' @rdname write_model
#' @rawNamespace S3method(ggplot2::autoplot,mkl_model)
autoplot.mkl_model <- function(object, ...) abort_read_model("object", "no plots")

#' @rdname write_model
#' @export
nobs.mkl_model <- function(object, ...) abort_read_model("object", "no rows to count")

#' @rdname write_model
#' @export
fitted.mkl_model <- function(object, ...) abort_read_model("object", "no fitted values")

#' @rdname write_model
#' @export
residuals.mkl_model <- function(object, ...) abort_read_model("object", "no residuals")

#' @rdname write_model
#' @export
support.mkl_model <- function(object, ...) abort_read_model("object", "no rows of support vectors")

#' @rdname write_model
#' @export
summary.mkl_model <- function(object, ...) abort_read_model("object", "no summary of its training")

#' @rdname write_model
#' @export
update.mkl_model <- function(object, ...) abort_read_model("object", "no data to fit again")

#' @rdname write_model
#' @export
weights.mkl_model <- function(object, ...) abort_read_model("object", "no case weights")

#' @rdname write_model
#' @export
case.names.mkl_model <- function(object, ...) abort_read_model("object", "no names of rows")

#' @rdname write_model
#' @export
model.frame.mkl_model <- function(formula, ...) abort_read_model("formula", "no model frame")

#' @rdname write_model
#' @rawNamespace S3method(generics::glance,mkl_model)
glance.mkl_model <- function(x, ...) abort_read_model("x", "no summary of its training")
