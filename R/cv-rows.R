# The rows of a resample: what a fit of its training part is given, and what it predicts.

refit_data <- function(plan, resample, set) {
  weights <- drawn_weights(plan$weights, resample$train, plan$n)
  resample$train <- unique(resample$train)
  rows <- function(which) if (length(plan$raw)) subset_views(plan$raw, which)
  training <- replace(plan, "raw", list(rows(resample$train))) # default widths are those of the training rows
  kernels <- kernels_of_set(if (is.null(plan$kernels)) training else plan, set)
  precomputed <- if (!is.null(kernels)) which(kernel_field(kernels, "type") == "precomputed")
  if (!is.null(kernels)) kernels <- with_shares_of(kernels, plan$raw, resample$train)
  newdata <- rows(resample$test)
  if (length(precomputed)) {
    parameters <- kernel_field(kernels, "parameters")
    matrices <- lapply(parameters[precomputed], function(own) {
      structure(precomputed_values(own, resample$test, resample$train),
                diagonal = precomputed_diagonal(own, resample$test))
    })
    newdata <- c(stats::setNames(matrices, names(kernels)[precomputed]),
                 if (!is.null(newdata)) plain_views(newdata))
    parameters[precomputed] <- lapply(parameters[precomputed], function(own) {
      own[names(own) != "scores"] # kernel values of new rows are there, too
    })
    parameters[precomputed] <- order_matrices(parameters[precomputed], resample$train, NULL)
    kernels <- modify_kernels(kernels, parameters = parameters)
  }
  list(x = rows(resample$train), y = response_rows(plan$response, resample$train), kernels = kernels,
       weights = weights[resample$train], newdata = newdata)
}

# Case weights of the n rows where a bootstrap drew training rows several times, 0 for others; NULL: all
# training rows have 1.
drawn_weights <- function(weights, train, n) {
  if (is.null(weights) && !anyDuplicated(train)) return(NULL)
  (weights %||% 1) * tabulate(train, n)
}

# Precomputed kernels in the order of the views' rows, so that positions mean the same everywhere.
ordered_kernels <- function(kernels, views) {
  suppressMessages(order_kernels(kernels, views), "manykernels_message_row_order")
}
