# From checked arguments to fits: settings, data and kernels for the core, and the calls of the core.

# ---- bridge --------------------------------------------------------------------------------------

# Refuses several values where one is needed.
refuse_grid <- function(x, argument) {
  if (!is.numeric(x) || length(x) < 2L) return(invisible())
  mk_abort(sprintf("`%s` must be one number, not %d. cv_mkl() chooses between several values.", argument,
                   length(x)), "invalid_argument", argument, x)
}

# Adds settings that the response determines, and refuses those that it rules out.
complete_settings <- function(settings, response) {
  settings$loss <- settings$loss %||% default_loss(response)
  settings$type <- type_of_kind(response_kind(response))
  if (!is_classes(response)) check_no_classes(settings, response)
  settings <- join_classes(settings, response)
  refuse_neutral(settings, response)
  if (!is.factor(response) && (is.matrix(response) || length(settings$loss$tau) > 1) &&
        settings$multiclass == "ovo") {
    mk_abort(paste("`multiclass = \"ovo\"` is for pairs of classes; with several responses or",
                   "quantiles it is \"ovr\", weights of their own, or \"shared\", one vector for",
                   "all."),
             "invalid_argument", "multiclass", "ovo")
  }
  if (!is.factor(response) && settings$multiclass == "joint") {
    mk_abort("Leave `multiclass` out, or give a factor as `y`: \"joint\" is for classes.", "invalid_argument",
             "multiclass", "joint")
  }
  if (is.null(response) && isTRUE(settings$intercept)) {
    mk_abort(paste("`intercept = TRUE` is not for one-class models, whose functions have no",
                   "offset."), "invalid_argument", "intercept", TRUE)
  }
  settings$intercept <- settings$intercept %||% !is.null(response)
  settings
}

# Settings with the loss of all classes together where `multiclass` is "joint" and there are more than two. Two
# classes are fitted by any loss, as by the other schemes.
join_classes <- function(settings, response) {
  several <- is.factor(response) && nlevels(response) > 2 && settings$multiclass == "joint"
  if (!several) {
    if (!is_joint_loss(settings$loss)) return(settings)
    mk_abort(paste("Leave `loss` out, or give `multiclass = \"joint\"`: the multi-class hinge loss is for",
                   "more than two classes that are fitted together."), "invalid_argument", "loss",
             settings$loss)
  }
  if (!settings$loss$type %in% c("hinge", joint_loss)) {
    mk_abort(sprintf(paste("Leave `loss` out, or choose another `multiclass`: \"joint\" has the multi-class",
                           "hinge loss, not the %s."), format(settings$loss)), "invalid_argument", "loss",
             settings$loss)
  }
  if (isTRUE(settings$intercept)) {
    mk_abort(paste("Leave `intercept` out, or choose another `multiclass`: the functions of \"joint\" have no",
                   "offset."), "invalid_argument", "intercept", TRUE)
  }
  refuse_chunking(settings$control, "joint fits of all classes")
  optimizer <- settings$control$optimizer
  if (!optimizer %in% joint_optimizers) {
    abort_unsupported("optimizer", sprintf(paste(
      "Leave `optimizer` out, or choose %s: \"%s\" does not solve the joint problem of all classes."),
      choices_text(joint_optimizers), optimizer), optimizer)
  }
  settings$loss <- new_loss(joint_loss)
  settings$intercept <- FALSE
  settings
}

joint_optimizers <- c("auto", "wrapper", "cutting_plane", "level", "reduced_gradient")

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

# Views, resolved kernels, the number of rows and the samples; for default kernels also the handle.
bridge_data <- function(x, kernels, scale = FALSE, centred = TRUE, threads = thread_count(),
                        missing_views = "error", deadline = Inf, impute = NULL) {
  given <- given_data(x, kernels, missing_views, impute)
  raw <- given$views
  views <- standard_views(raw, scale_for(scale, kernels, raw), centred)
  if (is.null(kernels)) {
    need_views(views)
    refuse_symmetric(raw)
    return(c(default_handle(views, threads),
             list(views = views, n = view_rows(views), samples = given$samples)))
  }
  kernels <- resolve_kernels(given$kernels, views, deadline = deadline)
  refuse_symmetric(raw, kernel_field(leaf_kernels(kernels), "view"))
  list(views = views, kernels = kernels, samples = given$samples,
       n = if (length(views)) view_rows(views) else precomputed_size(kernels))
}

# The common input of all models, from checked settings, the data and the response as they were given. A list:
#   data: what `read` returns, with views, kernels or a dictionary, the number of rows `n`, and `samples`;
#   response: coded as a factor, numbers, times or a matrix of labels or numbers, or NULL;
#   weights: one for each row, or NULL;
#   settings: completed by what the response determines, with the folds' `group` of each row, or NULL;
#   coded: what else `code` returns.
# read: a function of the settings, and of whether there is a response. code: see code_response().
prepare_fit <- function(read, y, weights, settings, scale, missing_views, impute = NULL, group = NULL,
                        code = code_response) {
  settings$scale <- check_scale(scale)
  settings["impute"] <- list(check_impute(impute))
  if (!missing(missing_views)) settings$missing_views <- check_missing_views(missing_views)
  data <- read(settings, !is.null(y))
  c(list(data = data), prepare_response(y, weights, data$samples, settings, group, code))
}

prepare_response <- function(y, weights, samples, settings, group = NULL, code = code_response) {
  coded <- code(y, samples, settings)
  settings <- centre_settings(coded$settings)
  check_named_levels(settings$class_weights, coded$response)
  check_threshold_serves(settings$threshold, coded$response)
  weights <- check_weights(weights, coded$response, samples)
  settings$group <- calibration_group(group, samples, settings)
  list(response = coded$response, weights = weights, settings = settings, coded = coded)
}

# The response and completed settings. refuse: an error for a response that the model can't serve.
code_response <- function(y, samples, settings, refuse = function(response, settings, samples) NULL) {
  response <- check_response(y, samples, settings$loss, settings$type)
  settings <- complete_settings(settings, response)
  refuse(response, settings, samples)
  list(response = response, settings = settings)
}

# Views and kernels of fits that are given both.
read_kernels <- function(x, kernels) {
  function(settings, centred) {
    bridge_data(x, kernels, settings$scale, centred, thread_count(settings$control), settings$missing_views,
                settings$deadline, settings$impute)
  }
}

# ---- implementation ------------------------------------------------------------------------------

# Every model of a fit works on one set of normalised kernels.
fit_classes <- function(prepared, call) finish_fit(pose_problem(prepared, call))

pose_problem <- function(prepared, call) {
  data <- prepared$data
  settings <- prepared$settings
  settings$norm <- norm_of_kernels(settings$norm, names(data$kernels))
  c(open_problem(data, settings), pose_tasks(data$n, prepared$response, prepared$weights, settings),
    list(call = call))
}

# One model for each task, and what comes of them.
finish_fit <- function(problem) {
  models <- fit_models(problem)
  if (length(models) == 1) models[[1]] else
    if (is.factor(problem$response)) new_mkl_multiclass(models, problem) else
      new_mkl_multioutput(models, problem)
}

fit_models <- function(problem) {
  check_start_fits(problem$settings$control$start, problem)
  problem$groups <- task_groups(problem)
  problem$settings["stopping"] <- list(new_stopping())
  if (needs_folds(problem$settings)) problem$folds <- fold_rows(problem)
  problem$blocks <- open_blocks(problem)
  on.exit(problem$blocks$close())
  checkpoint <- open_checkpoint(problem)
  problem$folds <- checkpoint$folds %||% problem$folds
  table <- core_parts(problem)
  results <- fit_parts(problem, table, checkpoint)
  warn_not_converged(results[table$part == 0], results[table$part > 0], problem)
  fits <- lapply(seq_along(problem$groups), function(k) {
    own <- results[table$group == k]
    tasks <- problem$groups[[k]]
    list(group = tasks, result = own[[1]],
         sigmoids = sigmoids_of(problem, tasks, lapply(own, `[[`, "decision")))
  })
  problem$settings$threshold <- threshold_from(problem, lapply(results, `[[`, "decision"))
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
fit_parts <- function(problem, table, checkpoint) {
  control <- problem$settings$control
  progress <- run_progress("Fit", length(problem$groups), control$progress, gap_share(control$tol))
  on.exit(progress$done())
  results <- lapply(seq_len(nrow(table)), function(at) checkpoint$result(at))
  open <- which(vapply(results, is.null, NA))
  repeat {
    for (k in seq_along(open)) {
      at <- open[k]
      results[[at]] <- fit_part(with_checkpoint(problem, checkpoint, at, results[[at]]),
                                lapply(table, `[[`, at), results[[at]], progress, length(open) - k + 1)
      if (!results[[at]]$status %in% c("time_limit", "interrupted")) checkpoint$keep(at, results[[at]])
      if (results[[at]]$status == "time_limit") problem$settings$short <- TRUE
    }
    late <- vapply(results, function(result) result$status == "time_limit", NA)
    open <- which(late)
    if (!any(late) || !can_go_on(problem) || !has_time(problem$settings)) break
  }
  checkpoint$warn()
  results
}

# before: the result that a part goes on from within this call, or NULL.
with_checkpoint <- function(problem, checkpoint, at, before) {
  if (!is.null(before)) return(problem)
  problem$settings$save <- checkpoint$save(at)
  problem$state <- checkpoint$start(at)
  problem
}

# Fits over kernels at hand can start from a solution.
can_go_on <- function(problem) is.null(problem$solve) && is.null(problem$stream)

# Whether the time left is enough for another round.
has_time <- function(settings) seconds_until(settings$deadline) > 0.02 * settings$control$max_time

# One call of the core. before: the result that it goes on from, or NULL.
fit_part <- function(problem, part, before, progress, fits_left) {
  group <- problem$groups[[part$group]]
  if (!is.null(before)) problem$settings$control <- go_on_by(before$optimizer, problem$settings$control)
  cost <- problem$cost[, group, drop = FALSE]
  tell <- NULL
  if (part$part > 0) cost[problem$folds == part$part, ] <- 0 else
    tell <- progress$tell(part$group, if (length(group) == 1) names(problem$tasks)[group])
  start <- if (!is.null(problem$state)) problem$state else if (!is.null(before)) solution_start(before) else
    if (part$part == 0) start_values(problem$settings$control$start, group, problem)
  result <- run_core(problem, problem$targets[, group, drop = FALSE],
                     group_cost(problem, group, cost), start, tell, fits_left)
  if (part$part == 0 && part$group < length(problem$groups)) progress$done(part$group)
  if (is.null(before)) result else continued_result(before, result)
}

# What goes on stays with its optimiser: a fit by "chunking" that was cut has few support vectors yet, so "auto"
# would take the other one.
go_on_by <- function(optimizer, control) {
  control$trace <- control$trace %||% !is_default_optimizer(control)
  control$optimizer <- core_optimizers[[optimizer + 1L]]
  control
}

solution_start <- function(result) {
  list(theta = feasible_theta(result$theta), alpha = result$alpha, decision = NULL)
}

# A result with the history of the one before. The better of the two certificates counts.
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

# One call of the optimiser: T tasks (columns of targets and cost) that share theta. cost: as by group_cost();
# tell: a function that it calls with its progress, or NULL; fits_left: the number of fits that share the time
# left, this one included.
run_core <- function(problem, targets, cost, start = NULL, tell = NULL, fits_left = 1) {
  problem$settings <- share_of_time(problem$settings, fits_left)
  solve <- problem$solve %||% (if (is.null(problem$stream)) solve_kernels else call_sequential)
  result <- solve(problem, core_targets(targets, problem$response, problem$settings$loss), cost, start, tell)
  result$status <- result_status(result, problem$settings)
  result
}

solve_kernels <- function(problem, targets, cost, start, progress) {
  settings <- problem$settings
  check_memory(settings$control, problem$data$n, ncol(targets))
  handle <- problem$handle
  if (is.list(start)) start$theta <- to_handle(start$theta, handle)
  use <- matrices_of_fit(problem$data$n, attr(handle, "kernels"), ncol(targets))
  call_core <- function(norm, loss, start, control) {
    from_core(.Call(C_mk_fit, handle, targets, cost, loss, core_norm(norm, handle),
                    core_control(control, settings$deadline, settings$stopping, settings$save,
                                 problem$blocks$ask, use),
                    start, progress),
              needs = memory_needed(control, problem$data$n, ncol(targets)))
  }
  result <- solve_any(call_core, settings, targets, cost, handle, start)
  result_from_handle(result, handle)
}

# Checks before fits begin that there is memory for those that run at the same time: for their vectors, and for a
# budget that was set as far as one matrix can use it. fits: in a process, which share its budget.
check_memory <- function(control, n, tasks, fits = 1, processes = 1, free = free_memory()) {
  sure <- processes * (min(control$cache %||% 0, fits * 8 * n^2) + fits * vectors_of_fit(n, tasks))
  if (sure < SMALL_FIT || is.na(free) || sure <= free) return(invisible())
  mk_abort(sprintf("Only %s of memory is free. %s", format_bytes(free),
                   memory_needed(control, n, tasks, fits, processes, free)), "memory", "cache")
}

# Bytes of 30 vectors as long as the rows: start, solution, those of a sample and of the optimiser.
vectors_of_fit <- function(n, tasks) 30 * 8 * n * tasks

# A sentence on the memory that fits at a time take, and a budget that there is room for.
memory_needed <- function(control, n, tasks, fits = 1, processes = 1, free = free_memory()) {
  cache <- cache_budget(control)
  vectors <- processes * fits * vectors_of_fit(n, tasks)
  room <- if (isTRUE(vectors > free)) 0 else min(cache / 8, cache_budget(list(), (free - vectors) / processes))
  several <- fits * processes > 1
  sprintf(paste("%s may take %s for kernel values (`cache`) and %s for vectors of %s %.0f rows.",
                "%s, %sor end other programs."),
          if (several) sprintf("These %.0f fits at a time", fits * processes) else "This fit",
          format_bytes(processes * cache), format_bytes(vectors), if (several) "their" else "its", n,
          if (room == 0) "Take fewer rows" else
            sprintf("Set a smaller budget, `mkl_control(cache = \"%s\")`", format_bytes(room)),
          if (processes > 1) "use fewer workers, " else if (several) "use fewer `threads`, " else "")
}

# Targets are 1 in the column of the row's class and else 0 for the joint loss. The core has no third class:
# rows that a task leaves out have cost 0, so their target does not matter.
core_targets <- function(targets, response, loss = NULL) {
  if (is_joint_loss(loss)) return(1 * (targets > 0))
  if (is.factor(response)) targets[targets == 0] <- 1
  targets
}

stalled_hint <- paste(" Kernels may be indefinite (see `score_kernel()`), or have values of very different",
                      "scale (see `normalize`), or `C` may be extreme.")

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
    interrupted = "the user stopped it",
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

start_values <- function(start, group, problem) {
  if (is.null(start)) return(NULL)
  models <- models_of(start)[group]
  alpha <- vapply(models, function(model) unname(model$alpha), numeric(problem$data$n))
  list(theta = feasible_theta(models[[1]]$theta), alpha = alpha, decision = NULL)
}

# Raises weights of 0, which multiplicative steps would never change. The core scales theta to the sphere of
# the norm.
feasible_theta <- function(theta) pmax(unname(theta), 1e-4 * max(theta))
