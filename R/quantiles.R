# Several quantiles of one response: their crossings, and the share of rows below each.

#' Crossing of predicted quantiles
#'
#' Each quantile has a model of its own, so the prediction for a larger `tau` may lie below that for a
#' smaller one. `quantile_crossing()` returns the share of rows in which some pair of neighbouring
#' quantiles is in the wrong order. `print()` of a fit shows it for the training rows. Sorting the
#' predictions of each row removes the crossings and makes predictions no worse (Chernozhukov,
#' Fernández-Val and Galichon 2010).
#'
#' @param object A fit of [mkl()], or a result of [cv_mkl()], with several `tau` in [quantile_loss()].
#' @param newdata New rows as in [predict.mkl()]; without, the training rows.
#' @param ... Not used; anything given is an error.
#' @return A number between 0 and 1; rows with missing predictions don't count. Errors: class
#'   `manykernels_unsupported` for fits without several quantiles, and those of [predict.mkl()].
#' @references
#' Chernozhukov, V., Fernández-Val, I. and Galichon, A. (2010). Quantile and probability curves
#' without crossing. *Econometrica* **78**, 1093--1125.
#' @seealso [quantile_loss()]
#' @examples
#' fit <- mkl(dist ~ speed, cars, gaussian_kernel(c(0.5, 2, 8)),
#'            loss = quantile_loss(c(0.1, 0.5, 0.9)), C = 10)
#' quantile_crossing(fit)
#' head(predict(fit, data.frame(speed = 10:12)))
#' @export
quantile_crossing <- function(object, newdata, ...) {
  check_dots_empty(...)
  if (inherits(object, "cv_mkl")) object <- fit_within(object)
  if (inherits(object, "mkl_multioutput")) check_object(object)
  if (!inherits(object, "mkl_multioutput") || object$outputs != "quantiles") {
    abort_unsupported("object", paste("`object` must be a fit of mkl() with several `tau` in",
                                      "quantile_loss()."))
  }
  predicted <- if (missing(newdata)) stats::predict(object) else stats::predict(object, newdata)
  crossing_share(predicted)
}

# Columns are quantiles, from the smallest on.
crossing_share <- function(predicted) {
  steps <- predicted[, -1, drop = FALSE] - predicted[, -ncol(predicted), drop = FALSE]
  mean(rowSums(steps < 0) > 0, na.rm = TRUE)
}

crossing_text <- function(x) {
  if (x$outputs != "quantiles") return("")
  sprintf("Quantiles cross in %s of the training rows\n",
          trimws(percent(crossing_share(x$decision))))
}

# Share of the training rows below the fitted quantile.
share_below <- function(model) mean(model$y < model$decision)

training_pinball <- function(model) mean(loss_values(loss_of(model), model$decision, model$y))
