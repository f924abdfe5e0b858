# Checked data as a problem for the optimiser: normalised kernels, targets and costs.

open_problem <- function(data, settings) {
  c(list(data = data, settings = settings),
    if (is.null(data$resolved)) open_handle(data, settings) else
      list(stream = open_stream(data$resolved, data$views, settings$normalize,
                                thread_count(settings$control))))
}

open_handle <- function(data, settings) {
  threads <- thread_count(settings$control)
  make <- function(which) {
    kernels <- pick_kernels(data$kernels, which)
    keep_values(kernel_handle(kernels, data$views, data$n, threads), kernels, settings$control)
  }
  handle <- data$handle %||% make(seq_along(data$kernels))
  progress <- share_progress("Normalisation", settings$control$progress)
  on.exit(progress$done())
  opened <- varying_handle(handle, data$kernels, settings$normalize, threads, make,
                           deadline = latest_end(settings), tell = progress$tell)
  inform_constant(constant_labels(data$kernels, is_constant(opened$constants)))
  opened
}

# Targets and costs of the models, one column each.
pose_tasks <- function(n, response, weights, settings) {
  tasks <- response_tasks(response, settings$loss, settings$multiclass)
  joint <- length(tasks) > 1 && shares_weights(settings$multiclass)
  own <- lapply(tasks, function(task) model_scale(of_task(task, response), settings$loss))
  # the functions of users are of the response as it is
  scale <- if (is_custom(settings$loss)) FALSE else settings$scale
  scaling <- unname(lapply(own, response_scaling, weights, scale))
  columns <- function(f) matrix(vapply(seq_along(tasks), f, numeric(n)), n)
  targets <- columns(function(t) {
    task_targets(tasks[[t]], standard_response(own[[t]], scaling[[t]]), n)
  })
  cost <- columns(function(t) {
    task_cost(targets[, t], own[[t]], weights, settings$class_weights, settings$C, is_joint_loss(settings$loss))
  })
  check_cost(cost, targets, response, weights, settings$class_weights)
  list(tasks = tasks, targets = targets, cost = cost, weights = weights, response = response,
       scaling = scaling, joint = joint)
}

check_named_levels <- function(class_weights, response) {
  known <- class_levels(response)
  unknown <- setdiff(names(class_weights), known)
  if (length(unknown)) {
    mk_abort(paste0("`class_weights` names ", enumerate(unknown), ", but the levels of `y` are ",
                    enumerate(known, 10), "."), "invalid_argument", "class_weights",
             unknown)
  }
}
