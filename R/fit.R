# From checked arguments to fits: settings, data and kernels for the core, the calls of the core,
# and the constructor of class `mkl`.

# ---- bridge --------------------------------------------------------------------------------------

check_settings <- function(p, C, loss, norm, normalize, class_weights, multiclass, control,
                           intercept, type = "auto") {
  norm <- check_norm(norm, p)
  control <- check_control(control)
  check_serves(control$optimizer, norm)
  list(
    deadline = seconds_now() + control$max_time,
    p = norm$p %||% NA_real_,
    C = check_number(C, "C", lower = 0, lower_open = TRUE),
    loss = check_loss(loss),
    type = check_problem_type(type),
    norm = norm,
    normalize = check_normalize(normalize),
    class_weights = check_class_weights(class_weights),
    multiclass = check_choice(multiclass, c("ovr", "ovo", "shared"), "multiclass"),
    control = control,
    intercept = if (!is.null(intercept)) check_flag(intercept, "intercept")
  )
}

# A grid in the place of one value.
refuse_grid <- function(x, argument) {
  if (!is.numeric(x) || length(x) < 2L) return(invisible())
  mk_abort(sprintf("`%s` must be one number, not %d. cv_mkl() chooses between several values.", argument,
                   length(x)), "invalid_argument", argument, x)
}

# What the response decides, and what it rules out.
complete_settings <- function(settings, response) {
  settings$loss <- settings$loss %||% default_loss(response)
  settings$type <- type_of_response(response)
  if (!is_classes(response)) check_no_classes(settings, response)
  refuse_neutral(settings, response)
  if (!is.factor(response) && (is.matrix(response) || length(settings$loss$tau) > 1) &&
        settings$multiclass == "ovo") {
    mk_abort(paste("`multiclass = \"ovo\"` is for pairs of classes; with several responses or",
                   "quantiles it is \"ovr\", weights of their own, or \"shared\", one vector for",
                   "all."),
             "invalid_argument", "multiclass", "ovo")
  }
  if (is.null(response) && isTRUE(settings$intercept)) {
    mk_abort(paste("`intercept = TRUE` is not for one-class models, whose functions have no",
                   "offset."), "invalid_argument", "intercept", TRUE)
  }
  settings$intercept <- settings$intercept %||% !is.null(response)
  settings
}

check_no_classes <- function(settings, response) {
  given <- c(class_weights = !is.null(settings$class_weights),
             probability = settings$control$probability)
  if (any(given)) {
    argument <- names(which(given))[1]
    mk_abort(sprintf("`%s` is for classes, but %s.", argument,
                     if (is.null(response)) "there is no `y`" else
                       if (is_times(response)) "`y` is a time to predict" else
                         "`y` is a number to predict"),
             "invalid_argument", argument)
  }
}

# Views, resolved kernels, the number of rows and whose they are; of default kernels the handle, too.
bridge_data <- function(x, kernels, scale = FALSE, centred = TRUE, threads = thread_count(),
                        missing_views = "error", deadline = Inf) {
  given <- given_data(x, kernels, missing_views)
  raw <- given$views
  views <- standard_views(raw, scale_for(scale, kernels, raw), centred)
  if (is.null(kernels)) {
    need_views(views)
    refuse_symmetric(raw)
    return(c(default_handle(views, threads),
             list(views = views, n = view_rows(views), samples = given$samples)))
  }
  kernels <- resolve_kernels(given$kernels, views, deadline = deadline)
  refuse_symmetric(raw, kernel_field(kernels, "view"))
  list(views = views, kernels = kernels, samples = given$samples,
       n = if (length(views)) view_rows(views) else precomputed_size(kernels))
}

# Views and kernels as they were given, without the samples that are dropped; samples: all of them.
given_data <- function(x, kernels, missing_views) {
  views <- as_views(x, missing_views = missing_views, kernels = kernels)
  if (!is.null(kernels)) check_kernel_set(kernels)
  samples <- data_samples(views, kernels, views_or_matrices(views, kernels))
  if (!is.null(samples$kept)) {
    kernels <- kernels_of_rows(kernels, views, samples$kept)
    views <- subset_views(views, samples$kept)
  }
  attr(views, "samples") <- NULL
  list(views = views, kernels = centre_kernels(kernels, missing_views), samples = samples)
}

# The number of rows.
views_or_matrices <- function(views, kernels) {
  if (length(views) || is.null(kernels)) view_rows(views) else precomputed_size(kernels)
}

need_views <- function(views) {
  if (length(views)) return(invisible())
  mk_abort("`x` must be given; it may be left out only if all `kernels` are precomputed.",
           "invalid_argument", "x", NULL)
}

# ---- implementation ------------------------------------------------------------------------------

# Every model of a fit works on one set of normalised kernels.
fit_classes <- function(data, response, weights, settings, call) {
  check_named_levels(settings$class_weights, response)
  settings$norm <- norm_of_kernels(settings$norm, names(data$kernels))
  problem <- c(open_problem(data, settings), pose_tasks(data$n, response, weights, settings),
               list(call = call))
  finish_fit(problem)
}

# One model for each task, and what comes of them.
finish_fit <- function(problem) {
  models <- fit_models(problem)
  if (length(models) == 1) models[[1]] else
    if (is.factor(problem$response)) new_mkl_multiclass(models, problem) else
      new_mkl_multioutput(models, problem)
}

# What the models are to learn: targets and costs, one column each.
pose_tasks <- function(n, response, weights, settings) {
  tasks <- response_tasks(response, settings$loss, settings$multiclass)
  own <- lapply(tasks, function(task) model_scale(of_task(task, response), settings$loss))
  scaling <- unname(lapply(own, response_scaling, weights, settings$scale))
  columns <- function(f) matrix(vapply(seq_along(tasks), f, numeric(n)), n)
  targets <- columns(function(t) {
    task_targets(tasks[[t]], standard_response(own[[t]], scaling[[t]]), n)
  })
  cost <- columns(function(t) {
    task_cost(targets[, t], own[[t]], weights, settings$class_weights, settings$C)
  })
  check_cost(cost, targets, response, weights, settings$class_weights)
  list(tasks = tasks, targets = targets, cost = cost, weights = weights, response = response,
       scaling = scaling, joint = length(tasks) > 1 && settings$multiclass == "shared")
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
    keep_values(kernel_handle(kernels, data$views, data$n, threads), settings$control)
  }
  handle <- data$handle %||% make(seq_along(data$kernels))
  opened <- varying_handle(handle, data$kernels, settings$normalize, threads, make,
                           deadline = latest_end(settings))
  inform_constant(constant_labels(data$kernels, is_constant(opened$constants)))
  opened
}

fit_models <- function(problem) {
  check_start_fits(problem$settings$control$start, problem)
  problem$groups <- task_groups(problem)
  if (needs_folds(problem$settings)) problem$folds <- fold_rows(problem)
  table <- core_parts(problem)
  results <- fit_parts(problem, table)
  warn_not_converged(results[table$part == 0], results[table$part > 0], problem)
  fits <- lapply(seq_along(problem$groups), function(k) {
    own <- results[table$group == k]
    tasks <- problem$groups[[k]]
    list(group = tasks, result = own[[1]],
         sigmoids = sigmoids_of(problem, tasks, lapply(own, `[[`, "decision")))
  })
  make <- problem$construct %||% new_mkl
  if (!is.null(problem$stream)) {
    joined <- join_selected(problem, fits)
    problem <- joined$problem
    fits <- joined$fits
    make <- new_sequential
  }
  models <- lapply(fits, function(fit) {
    lapply(seq_along(fit$group), function(t) {
      make(problem, fit$result, t, fit$group[t], fit$sigmoids[[t]])
    })
  })
  models <- stats::setNames(unlist(models, recursive = FALSE), names(problem$tasks))
  warn_sigmoids(models)
  models
}

# The results of all parts of core_parts(). Each has its share of the time that is left. What some leave
# goes to those that time has cut, which go on from where they were.
fit_parts <- function(problem, table) {
  control <- problem$settings$control
  progress <- run_progress("Fit", length(problem$groups), control$progress, gap_share(control$tol))
  on.exit(progress$done())
  results <- vector("list", nrow(table))
  open <- seq_len(nrow(table))
  repeat {
    for (k in seq_along(open)) {
      at <- open[k]
      results[[at]] <- fit_part(problem, table[at, ], results[[at]], progress,
                                length(open) - k + 1)
      if (results[[at]]$status == "time_limit") problem$settings$short <- TRUE
    }
    late <- vapply(results, function(result) result$status == "time_limit", NA)
    open <- which(late)
    if (!any(late) || !can_go_on(problem) || !has_time(problem$settings)) return(results)
  }
}

# Fits over kernels at hand can start from a solution.
can_go_on <- function(problem) is.null(problem$solve) && is.null(problem$stream)

# Enough for another round.
has_time <- function(settings) seconds_until(settings$deadline) > 0.02 * settings$control$max_time

# One call of the core. before: the result that it goes on from, or NULL.
fit_part <- function(problem, part, before, progress, fits_left) {
  group <- problem$groups[[part$group]]
  cost <- problem$cost[, group, drop = FALSE]
  tell <- NULL
  if (part$part > 0) cost[problem$folds == part$part, ] <- 0 else
    tell <- progress$tell(part$group, if (length(group) == 1) names(problem$tasks)[group])
  start <- if (!is.null(before)) solution_start(before) else
    if (part$part == 0) start_values(problem$settings$control$start, group, problem)
  result <- run_core(problem, problem$targets[, group, drop = FALSE],
                     group_cost(problem, group, cost), start, tell, fits_left)
  if (part$part == 0 && part$group < length(problem$groups)) progress$done(part$group)
  if (is.null(before)) result else continued_result(before, result)
}

solution_start <- function(result) {
  list(theta = feasible_theta(result$theta), alpha = result$alpha, decision = NULL)
}

# A result with what came before it in its record. The better certificate counts.
continued_result <- function(before, result) {
  if (result$gap > before$gap) {
    kept <- before
    kept$status <- result$status
  } else {
    kept <- result
  }
  kept$history <- continued_history(before$history, result$history)
  for (field in c("iterations", "solves")) kept[[field]] <- before[[field]] + result[[field]]
  kept$memory <- max(before$memory, result$memory)
  kept
}

continued_history <- function(before, after) {
  for (field in intersect(c("iteration", "time", "solves"), names(after))) {
    after[[field]] <- after[[field]] + max(before[[field]], 0)
  }
  Map(function(a, b) if (is.matrix(a)) rbind(a, b) else c(a, b), before, after[names(before)])
}

# Tasks that share theta are fitted together.
task_groups <- function(problem) {
  tasks <- seq_along(problem$tasks)
  if (problem$joint) list(tasks) else as.list(tasks)
}

# Costs of tasks that share theta as the core takes them.
group_cost <- function(problem, group, cost) {
  core_cost(cost, lapply(problem$tasks[group], task_loss, problem$settings$loss),
            side_of(problem$response))
}

# One call of the optimiser: T tasks (columns of targets and cost) that share theta. cost: as by
# group_cost(); tell: what it calls with its progress, or NULL; fits_left: that share the problem's
# time, this one among them.
run_core <- function(problem, targets, cost, start = NULL, tell = NULL, fits_left = 1) {
  problem$settings <- share_of_time(problem$settings, fits_left)
  solve <- problem$solve %||% (if (is.null(problem$stream)) solve_kernels else call_sequential)
  result <- solve(problem, core_targets(targets, problem$response), cost, start, tell)
  result$status <- core_status[result$status + 1]
  result
}

solve_kernels <- function(problem, targets, cost, start, progress) {
  settings <- problem$settings
  handle <- problem$handle
  if (!is.null(start)) start$theta <- to_handle(start$theta, handle)
  result <- from_core(.Call(C_mk_fit, handle, targets, cost,
                            core_loss(settings$loss, settings$intercept),
                            core_norm(settings$norm, handle),
                            core_control(settings$control, settings$deadline), start, progress))
  result_from_handle(result, handle)
}

# The core has no third class: rows that a task leaves out cost nothing, whatever they are.
core_targets <- function(targets, response) {
  if (is.factor(response)) targets[targets == 0] <- 1
  targets
}

# Errors of the core with the classes of the package. The call is evaluated here, not before.
from_core <- function(expr) {
  tryCatch(expr, simpleError = function(e) {
    if (conditionMessage(e) == core_callback) {
      mk_abort("A kernel function in C failed.", "function_kernel", "kernels")
    }
    mk_abort(conditionMessage(e), "core", call = conditionCall(e))
  })
}

core_callback <- "a kernel function failed" # in C: those in R signal errors of their own

# In the order of the core's codes. An interrupt never gets here: it goes on as a condition.
core_status <- c("converged", "time_limit", "iteration_limit", "interrupted", "stalled")

stalled_hint <- paste(" Kernels may be indefinite, or have values of very different scale",
                      "(see `normalize`), or `C` may be extreme.")

# One warning for all fits of a call. results: of the groups of tasks; crossed: of folds of the
# probabilities. The condition's argument is `max_time` if time was short for these: another call may need less.
warn_not_converged <- function(results, crossed, problem) {
  is_open <- function(results) vapply(results, function(one) one$status != "converged", NA)
  open <- list(results = results[is_open(results)], crossed = crossed[is_open(crossed)])
  if (!any(lengths(open))) return(invisible())
  late <- any(vapply(open$crossed, function(one) one$status == "time_limit", NA))
  text <- c(
    if (length(open$results)) open_text(results, is_open(results), problem),
    if (length(open$crossed)) {
      sprintf("%d of %d cross-validation fits for the probabilities did not converge%s.",
              length(open$crossed), length(crossed), if (late) " within `max_time`" else "")
    }
  )
  mk_warn(paste(text, collapse = " "), "not_converged",
          if (late) "max_time" else if (length(open$results)) "tol" else "probability",
          max(vapply(if (length(open$results)) open$results else open$crossed, `[[`, 0, "gap")))
}

open_text <- function(results, is_open, problem) {
  bad <- which(is_open)
  gap <- vapply(results, `[[`, 0, "gap")
  worst <- bad[which.max(gap[bad])]
  status <- results[[worst]]$status
  reason <- switch(status,
    time_limit = "the time limit `max_time` was reached",
    iteration_limit = "the iteration limit `max_iter` was reached",
    stalled = "no further progress was possible in floating-point arithmetic",
    status
  )
  which_models <- if (length(results) > 1) {
    sprintf("%d of %d models did not converge; the worst (`%s`)", length(bad), length(results),
            names(problem$tasks)[worst])
  } else {
    "The fit did not converge; it"
  }
  hint <- if (status == "stalled" && gap[worst] > 0.1) stalled_hint else ""
  sprintf("%s stopped at relative gap %.2g, above `tol` = %g: %s.%s", which_models, gap[worst],
          problem$settings$control$tol, reason, hint)
}

# ---- warm starts ---------------------------------------------------------------------------------

check_start_fits <- function(start, problem) {
  if (is.null(start)) return(invisible())
  models <- models_of(start)
  model <- models[[1]]
  found <- c(length(model$alpha), length(model$theta), length(models))
  wanted <- c(problem$data$n, length(problem$data$kernels), length(problem$tasks))
  if (!all(found == wanted)) {
    first <- which(found != wanted)[1]
    mk_abort(sprintf("`start` must be a fit with %s, as this one, not %d.",
                     count_of(wanted[first], c("row", "kernel", "model")[first]), found[first]),
             "length", "start", found)
  }
  if (kind_of(model) != response_kind(problem$response)) {
    mk_abort(sprintf("`start` must be a fit to the same kind of response, not of the %s.",
                     format(loss_of(model))), "invalid_argument", "start")
  }
}

response_kind <- function(response) {
  if (is.null(response)) "one_class" else if (is_classes(response)) "classes" else
    if (is_times(response)) "times" else "numbers"
}

start_values <- function(start, group, problem) {
  if (is.null(start)) return(NULL)
  models <- models_of(start)[group]
  alpha <- vapply(models, function(model) unname(model$alpha), numeric(problem$data$n))
  list(theta = feasible_theta(models[[1]]$theta), alpha = alpha, decision = NULL)
}

# A weight of exactly 0 would never leave it by multiplicative steps. The core brings theta onto the
# sphere of the norm.
feasible_theta <- function(theta) pmax(unname(theta), 1e-4 * max(theta))

# ---- constructor ---------------------------------------------------------------------------------

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
  decision <- response_units(result$decision[, t], scaling) - threshold_of(loss)
  structure(list(
    theta = theta, alpha = alpha, offset = result$offset[t], support = support,
    objective = result$objective, primal = result$primal, gap = result$gap,
    converged = result$status == "converged", status = result$status,
    iterations = result$iterations, solves = result$solves,
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
    probability = sigmoid, normalize = settings$normalize, missing_views = settings$missing_views,
    control = without_start(settings$control), memory = result$memory, version = model_version
  ), class = c("mkl", "mkl_fit"))
}

# One row for each step; theta, where it was traced, is a matrix column.
history_frame <- function(history, kernels) {
  theta <- history$theta
  frame <- list2DF(history[names(history) != "theta"])
  if (!is.null(theta)) frame$theta <- matrix(theta, nrow(frame), dimnames = list(NULL, kernels))
  frame
}

without_start <- function(control) {
  control["start"] <- list(NULL)
  control
}

# Kernel matrices belong to the training data: the fit keeps their size in place of them, or their
# file.
without_matrices <- function(kernels) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  parameters <- kernel_field(kernels, "parameters")
  size <- precomputed_size(kernels)
  parameters[precomputed] <- lapply(parameters[precomputed], function(own) {
    if (!is.null(own$file)) return(own)
    c(list(size = size), own[intersect(names(own), c("rows", "scores", "distance", "width"))])
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

precomputed_diagonal <- function(own, rows) {
  if (!is.null(own$file)) return(file_diagonal(own$file, rows))
  if (!is.null(own$matrix)) return(diag(own$matrix)[rows])
  own$array[cbind(rows, rows, own$slice, deparse.level = 0)]
}

view_row_names <- function(views) {
  for (view in plain_views(views)) if (!is.null(rownames(view))) return(rownames(view))
  NULL
}
