# Losses: what the core is told of them.

loss_names <- c("hinge", "squared_hinge", "logistic", "squared", "epsilon_insensitive", "huber",
                "one_class")

core_loss <- function(loss, parameter = 0, offset = loss != "one_class") {
  list(type = match(loss, loss_names) - 1L, parameter = parameter, offset = offset)
}
