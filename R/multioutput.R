# Several responses, or several quantiles of one: the constructor of `mkl_multioutput`, which is a
# `mkl_multiclass` without classes of its own, and what differs there.

new_mkl_multioutput <- function(models, problem) {
  object <- new_mkl_multiclass(models, problem)
  object$strategy <- if (problem$joint) "shared" else "own"
  object$outputs <- if (is_labels(problem$response)) "labels" else
    if (is.matrix(problem$response)) "numbers" else "quantiles"
  class(object) <- c("mkl_multioutput", class(object))
  object
}

output_words <- c(labels = "label", numbers = "response", quantiles = "quantile")

#' @rdname predict.mkl
#' @export
predict.mkl_multioutput <- function(object, newdata, type = c("response", "decision", "prob"),
                                    na.action = stats::na.pass, ...) {
  check_predict_dots(missing(newdata), ...)
  type <- check_predict_type(type, object)
  decision <- if (missing(newdata)) training_decision(object) else
    new_decision(object, newdata, na.action)
  switch(type,
    response = output_response(decision, object$y),
    decision = decision,
    prob = output_probability(decision, object$models)
  )
}

# Labels as they were given, numbers as they are.
output_response <- function(decision, y) {
  if (!is_labels(y)) return(decision)
  out <- decision > 0
  storage.mode(out) <- storage.mode(y)
  out
}

output_probability <- function(decision, models) {
  for (m in seq_along(models)) {
    decision[, m] <- sigmoid_value(models[[m]]$probability, decision[, m])
  }
  decision
}

#' @rdname fitted.mkl
#' @export
residuals.mkl_multioutput <- function(object, type = NULL, ...) {
  check_dots_empty(...)
  type <- check_residual_type(type, object)
  values <- vapply(object$models, row_residuals, numeric(nrow(object$decision)), type)
  dimnames(values) <- dimnames(object$decision)
  stats::naresid(object$na.action, values)
}

# ---- quantiles -----------------------------------------------------------------------------------

#' Where predicted quantiles cross
#'
#' Models of several quantiles are fitted one by one: nothing keeps the prediction of a larger `tau`
#' above that of a smaller one. This is the share of rows where some pair of neighbouring quantiles
#' is in the wrong order. `print()` shows it for the training rows. Sorting the predictions of each
#' row mends it, and makes them no worse (Chernozhukov, Fernández-Val and Galichon 2010).
#'
#' @param object A fit of [mkl()] with several `tau` in [quantile_loss()].
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
  if (!inherits(object, "mkl_multioutput") || object$outputs != "quantiles") {
    abort_unsupported("object", "`object` must be a fit of mkl() with several `tau` in quantile_loss().")
  }
  predicted <- if (missing(newdata)) stats::predict(object) else stats::predict(object, newdata)
  crossing_share(predicted)
}

# Columns are quantiles, from the smallest on.
crossing_share <- function(predicted) {
  steps <- predicted[, -1, drop = FALSE] - predicted[, -ncol(predicted), drop = FALSE]
  mean(rowSums(steps < 0) > 0, na.rm = TRUE)
}

# ---- print and summary ---------------------------------------------------------------------------

# "3 quantiles, kernel weights of their own"
several_text <- function(x) {
  sprintf("%s, kernel weights %s", count_of(length(x$models), output_words[[x$outputs]]),
          if (x$strategy == "shared") "shared" else "of their own")
}

crossing_text <- function(x) {
  if (x$outputs != "quantiles") return("")
  sprintf("Quantiles cross in %s of the training rows\n",
          trimws(percent(crossing_share(x$decision))))
}

# One row for each output: the training error, or for quantiles the share of rows below.
output_errors <- function(object) {
  each <- function(f) unname(vapply(object$models, f, 0))
  values <- switch(object$outputs,
    labels = list(error = each(function(model) mean((model$decision > 0) != (own_targets(model) > 0)))),
    numbers = list(error = each(training_rmse)),
    quantiles = list(below = each(share_below))
  )
  data.frame(output = names(object$models), values)
}

# Of the training rows, by how far the quantile is met.
share_below <- function(model) mean(model$y < model$decision)

print_output_errors <- function(x, digits) {
  cat(switch(names(x$outputs)[2],
    below = "\nTraining rows, share of responses below the predicted quantile:\n",
    error = if (kind_of(x$fit) == "classes") "\nTraining rows, share of wrong labels:\n" else
      "\nTraining rows, root mean squared error:\n"
  ))
  print(x$outputs, digits = digits, right = FALSE, row.names = FALSE)
}
