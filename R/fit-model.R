# The constructor of class `mkl`.

# The fit of task `task`, column t of a result of the core.
new_mkl <- function(problem, result, t, task, sigmoid,
                    data = kept_data(problem, result$theta, result$alpha[, t], support)) {
  settings <- problem$settings
  loss <- task_loss(problem$tasks[[task]], settings$loss)
  scaling <- problem$scaling[[task]]
  kernels <- problem$data$kernels
  kernel_names <- names(kernels)
  row_names <- training_names(problem$data$views, kernels)
  theta <- stats::setNames(result$theta, kernel_names)
  alpha <- stats::setNames(result$alpha[, t], row_names)
  support <- unname(which(alpha != 0))
  decision <- response_units(result$decision[, t], scaling) - threshold_of(loss$type)
  structure(list(
    theta = theta, alpha = alpha, offset = result$offset[t], support = support,
    objective = result$objective, primal = result$primal, gap = result$gap,
    converged = result$status == "converged", status = result$status,
    iterations = result$iterations, solves = result$solves,
    optimizer = if (!is.null(result$optimizer)) core_optimizers[result$optimizer + 1L],
    history = history_frame(result$history, kernel_names),
    p = settings$p, norm = settings$norm$type, penalty = settings$norm, C = settings$C,
    loss = loss$type, loss_parameter = loss_parameter(loss), intercept = settings$intercept,
    levels = problem$tasks[[task]]$levels, task = problem$tasks[[task]],
    kernels = without_matrices(kernels), terms = NULL, call = problem$call,
    constants = problem$constants, forms = stats::setNames(result$forms, kernel_names),
    decision = stats::setNames(decision, row_names),
    y = task_response(problem$tasks[[task]], problem$response),
    cost = problem$cost[, task], weights = problem$weights,
    data = data,
    scaling = list(views = views_scaling(problem$data$views), response = scaling),
    probability = sigmoid, threshold = settings$threshold, normalize = settings$normalize,
    missing_views = settings$missing_views,
    control = without_start(settings$control), memory = result$memory, version = model_version
  ), class = c("mkl", "mkl_fit"))
}

# One row for each step; theta, where it was traced, is a matrix column.
history_frame <- function(history, kernels) {
  bounds <- c("lower", "upper", "delta")
  cuts <- history$upper != 0 | history$lower != 0 # the last lines are of the certificate
  history$delta <- history$upper - history$lower
  history[bounds] <- if (any(cuts)) lapply(history[bounds], replace, !cuts, NA)
  theta <- history$theta
  history$theta <- NULL
  frame <- list2DF(history)
  if (!is.null(theta)) frame$theta <- matrix(theta, nrow(frame), dimnames = list(NULL, kernels))
  frame
}

without_start <- function(control) {
  control[c("start", "checkpoint", "cluster")] <- list(NULL, NULL, NULL)
  control
}

# Kernel matrices belong to the training data: the fit keeps only their size, or their file.
without_matrices <- function(kernels) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  parameters <- kernel_field(kernels, "parameters")
  size <- precomputed_size(kernels)
  parameters[precomputed] <- lapply(parameters[precomputed], function(own) {
    if (!is.null(own$file)) return(own)
    c(list(size = size), own[intersect(names(own), c("rows", "scores", "distance", "width", "parts"))])
  })
  modify_kernels(kernels, parameters = parameters)
}

with_matrices <- function(kernels, matrices) {
  parameters <- kernel_field(kernels, "parameters")
  parameters[match(names(matrices), names(kernels))] <- lapply(unname(matrices), function(K) {
    storage.mode(K) <- "double"
    list(matrix = K)
  })
  modify_kernels(kernels, parameters = parameters)
}
