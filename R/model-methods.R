# Methods of objects that hold a fit, a cross-validation and a model that was read from a file, which have
# arguments of the fit's class. Most methods of `mkl_fit` take such objects as they are (fit_within()).

#' @rdname cv_mkl-methods
#' @export
predict.mkl_holder <- function(object, newdata, ...) {
  fit <- fit_within(object)
  if (!missing(newdata)) return(stats::predict(fit, newdata, ...))
  if (inherits(object, "mkl_model")) abort_no_newdata()
  stats::predict(fit, ...)
}

#' @rdname cv_mkl-methods
#' @export
residuals.mkl_holder <- function(object, ...) stats::residuals(fit_within(object, "no residuals"), ...)

# ---- models that were read -----------------------------------------------------------------------

#' @rdname write_model
#' @param x A model that was read; for `update()` see `object`.
#' @param ... Not used; anything given is an error.
#' @export
print.mkl_model <- function(x, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  models <- models_of(x$fit)
  rows <- max(vapply(models, function(model) length(model$data$rows), 0L))
  compressed <- compression_text(models)
  cat(sprintf("A model of class \"%s\", %s manykernels %s\n", class(x$fit)[1L],
              if (nzchar(compressed)) "compressed by" else "read from a file of", x$package))
  cat(sprintf("%s, %s; %s of the training data are in it\n", count_of(length(x$fit$kernels), "kernel"),
              count_of(length(models), "model"), if (rows) count_of(rows, "row") else "no rows"))
  cat(compressed)
  invisible(x)
}

#' @rdname write_model
#' @export
update.mkl_model <- function(object, ...) abort_read_model("object", "no data to fit again")
