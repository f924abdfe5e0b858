# Several responses, or several quantiles of one: the constructor of `mkl_multioutput`, which is a
# `mkl_multiclass` without classes, and its own texts.

new_mkl_multioutput <- function(models, problem) {
  object <- new_mkl_multiclass(models, problem)
  object$strategy <- if (problem$joint) "shared" else "own"
  object$outputs <- if (is_labels(problem$response)) "labels" else
    if (is.matrix(problem$response)) "numbers" else "quantiles"
  class(object) <- c("mkl_multioutput", class(object))
  object
}

# ---- print and summary ---------------------------------------------------------------------------

# "3 quantiles, kernel weights of their own"
several_text <- function(x) {
  sprintf("%s, kernel weights %s", count_of(length(model_names(x)), output_words[[x$outputs]]),
          if (x$strategy == "shared") "shared" else "of their own")
}

# One row for each output: the training error, or for quantiles the share of rows below.
output_errors <- function(object) {
  each <- function(f) unname(vapply(models_of(object), f, 0))
  values <- switch(object$outputs,
    labels = list(error = each(function(model) {
      mean((model$decision > 0) != (own_targets(model) > 0))
    })),
    numbers = list(error = each(training_rmse)),
    quantiles = list(below = each(share_below))
  )
  data.frame(output = model_names(object), values)
}

# error: the mean over the outputs; for quantiles the mean of their pinball losses.
output_summary <- function(object) {
  each <- output_errors(object)
  error <- if (object$outputs == "quantiles") vapply(models_of(object), training_pinball, 0) else
    each$error
  list(confusion = NULL, error = mean(error), outputs = each)
}

print_output_errors <- function(x, digits) {
  cat("\n", wrapped(switch(names(x$outputs)[2],
    below = "Training rows, share of responses below the predicted quantile:",
    error = if (kind_of(x$fit) == "classes") "Training rows, share of wrong labels:" else
      "Training rows, root mean squared error:"
  )), sep = "")
  print(x$outputs, digits = digits, right = FALSE, row.names = FALSE)
}
