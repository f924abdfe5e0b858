# A fit over a stream of kernels: the call of the core, the kernels that it selected, the
# constructor.

call_sequential <- function(problem, targets, cost, start, progress) {
  settings <- problem$settings
  dictionary <- problem$data$resolved
  result <- from_stream(.Call(C_mk_sequential, problem$stream, targets, cost,
                              core_loss(settings$loss, settings$intercept),
                              core_control(settings$control, settings$deadline, settings$stopping),
                              settings$sequential, progress),
                        dictionary, problem$data$views, settings$normalize,
                        thread_count(settings$control))
  if (is.null(result)) abort_no_time("one kernel was evaluated")
  keep_fitted(dictionary$kept, result$selected)
  result
}

# Joins the kernels that any model has selected: the problem then has these kernels, for all models.
join_selected <- function(problem, fits) {
  selected <- sort(unique(unlist(lapply(fits, function(fit) fit$result$selected))))
  data <- problem$data
  constant <- from_core(.Call(C_mk_stream_constants, problem$stream))
  if (all(selected %in% constant)) abort_no_time("one kernel that varies was evaluated")
  inform_constant(numbered_labels(data$resolved, constant))
  data$kernels <- numbered_kernels(data$resolved, selected)
  # each of them was normalised in the pass; the deadline must not lose the fit
  opened <- open_handle(data, replace(problem$settings, "deadline", Inf))
  problem[c("data", "handle", "constants")] <- list(data, opened$handle, opened$constants)
  fits <- lapply(fits, function(fit) {
    fit$result[c("theta", "forms")] <- spread_weights(problem, fit$result, selected)
    fit$result$chosen <- selected
    fit
  })
  list(problem = problem, fits = fits)
}

# Words for kernels of a dictionary: the names of the first, the numbers of the others.
numbered_labels <- function(dictionary, numbers) {
  labels <- sprintf("kernel %.0f", numbers)
  first <- seq_len(min(length(numbers), 5L))
  if (length(first)) {
    labels[first] <- sprintf("`%s`", names(numbered_kernels(dictionary, numbers[first])))
  }
  labels
}

# Weights and strengths of one model over the kernels of all.
spread_weights <- function(problem, result, selected) {
  own <- match(result$selected, selected)
  theta <- numeric(length(selected))
  theta[own] <- result$theta
  forms <- result$forms
  if (length(own) < length(selected)) {
    forms <- from_core(.Call(C_mk_forms, problem$handle, result$alpha, rep(1L, length(selected)), FALSE,
                             thread_count(problem$settings$control)))
  }
  list(theta, forms)
}

# A fit over a dictionary: that of mkl() with further fields.
new_sequential <- function(problem, result, t, task, sigmoid) {
  fit <- new_mkl(problem, result, t, task, sigmoid)
  data <- problem$data
  fit$selected <- result$chosen
  fit$size <- data$resolved$size
  fit$dictionary <- if (keeps_dictionary(data$resolved)) data$dictionary
  fit$largest <- result$largest
  fit$passes <- sum(fit$history$scanned >= fit$size)
  class(fit) <- c("mkl_sequential", class(fit))
  fit
}

# Precomputed matrices belong to the training data; a function makes its own.
keeps_dictionary <- function(dictionary) {
  !is.null(dictionary$f) || !any(vapply(dictionary$parts, function(part) {
    any(kernel_field(part$kernels, "type") == "precomputed")
  }, NA))
}
