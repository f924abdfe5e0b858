# Predictions for the rows that each fold holds out.

held_out_frame <- function(plan, resamples, cells) {
  parts <- Map(function(resample, cell) {
    if (is.null(cell$response)) return(NULL)
    test <- resample$test
    frame <- data.frame(row = test)
    frame$name <- kept_values(plan$samples$names, plan$samples)[test]
    frame$`repeat` <- resample$repeat_number
    frame$fold <- resample$fold
    if (!is.null(plan$response)) frame$truth <- held_out_truth(plan$response, test)
    if (is_times(plan$response)) frame$status <- times_status(plan$response)[test]
    frame$response <- if (is.matrix(cell$response)) unname_rows(cell$response) else
      unname(cell$response)
    frame$decision <- if (ncol(cell$decision) == 1) unname(cell$decision[, 1]) else
      unname_rows(cell$decision)
    if (!is.null(cell$prob)) frame$prob <- unname_rows(cell$prob)
    frame
  }, resamples, cells)
  do.call(rbind, parts)
}

held_out_truth <- function(response, test) {
  own <- response_rows(response, test)
  if (is.matrix(own)) unname_rows(own) else if (is_times(own)) as.vector(own) else own
}

# What measure_value() takes of a cell.
held_out_data <- function(cell, plan, resample) {
  test <- resample$test
  scores <- cell$decision
  if (is.factor(plan$response)) {
    scores <- class_scores(scores, plan$settings$multiclass, levels(plan$response))
  }
  list(truth = response_rows(plan$response, test), response = cell$response,
       decision = if (ncol(scores) == 1) scores[, 1] else scores, prob = cell$prob,
       weights = plan$weights[test], training_outside = cell$training_outside,
       tau = plan$settings$loss$tau, loss = plan$settings$loss)
}
