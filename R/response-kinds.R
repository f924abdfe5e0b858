# Kinds of responses: classes, labels, several outputs, times.

is_outputs_table <- function(y) {
  (is.matrix(y) || is.data.frame(y)) && ncol(y) > 1L && !is_times(y)
}

is_labels <- function(response) is.matrix(response) && !is.double(response)

# TRUE if the models predict classes.
is_classes <- function(response) is.factor(response) || is_labels(response)

# The levels of the classes, those of all columns; NULL for others.
class_levels <- function(response) if (is_labels(response)) label_levels(response) else levels(response)

label_levels <- function(labels) if (is.logical(labels)) c("FALSE", "TRUE") else c("0", "1")

label_factor <- function(labels) {
  structure(as.vector(labels) + 1L, levels = label_levels(labels), class = "factor")
}

response_kind <- function(response) {
  if (is.null(response)) "one_class" else if (is_classes(response)) "classes" else
    if (is_times(response)) "times" else "numbers"
}

is_times <- function(x) inherits(x, "censored_times")

output_words <- c(labels = "label", numbers = "response", quantiles = "quantile")
