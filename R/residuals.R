# Residuals of the training rows, and which rows are at their bound.

row_residuals <- function(object, type) {
  y <- own_targets(object)
  if (kind_of(object) == "classes") y[y == 0] <- NA
  switch(type,
    response = as.vector(model_scale(object$y, loss_of(object))) - object$decision,
    margin = y * object$decision,
    loss = loss_values(loss_of(object), standard_response(object$decision, object$scaling$response),
                       y, side_of(object$y))
  )
}

# The losses of a joint model, each in the column of its row's class.
joint_residuals <- function(decision, y) {
  joint_values(decision, outer(as.integer(y), seq_len(ncol(decision)), "==") + 0)
}

training_rmse <- function(x) sqrt(mean(row_residuals(x, "response")^2))

at_bound <- function(x) {
  reach <- loss_reach(loss_of(x), x$cost, x$alpha, side_of(x$y))
  abs(x$alpha[x$support]) >= reach[x$support] * (1 - 1e-8)
}
