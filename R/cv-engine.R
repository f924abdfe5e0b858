# The fits of a cross-validation, shared work done once: one set of kernels over all rows serves every
# cell of the grid. Rows that a resample holds out cost nothing, and constants of columns and kernels
# come from its training rows alone; decision values of all rows are part of each fit's certificate.
#
# A plan holds what doesn't depend on rows held out: raw views, kernels, response, weights, settings,
# and the grid: `outer`, a list (of norms here), and `inner`, numbers (C here). A resample is
# list(train, test), positions of rows. A chain is one of `outer` over all of `inner`, each fit warm
# from the last.

# ---- a resample made ready -----------------------------------------------------------------------

# Kernels over all rows by the constants of the training rows; the set of another resample of the plan
# serves where no view is changed by them.
open_resample <- function(plan, train, before = NULL) {
  views <- standard_views(plan$raw, plan$settings$scale, plan$centred, train)
  same <- !is.null(before) && before$shareable
  own <- if (same) before$data else resample_data(plan, views, train)
  threads <- thread_count(plan$settings$control)
  handle <- if (same) before$handle else
    kernel_handle(own$computed, own$views, own$n, threads)
  constants <- normalize_handle(handle, own$computed, plan$settings$normalize, threads, train)
  weights <- plan$weights %||% rep(1, own$n)
  weights[-train] <- 0
  list(data = own, handle = handle, constants = constants, train = train, weights = weights,
       shareable = same || is_shareable(plan, views))
}

resample_data <- function(plan, views, train) {
  kernels <- plan$kernels %||% kernels_for(subset_views(views, train))
  kernels <- resolve_kernels(kernels, views)
  list(views = views, kernels = kernels, computed = evaluate_functions(kernels, views),
       n = plan$n)
}

is_shareable <- function(plan, views) {
  !is.null(plan$kernels) && all(vapply(views_scaling(views), is.null, NA))
}

# R functions are asked once for all values between all rows, not once in every fit.
evaluate_functions <- function(kernels, views) {
  mine <- which(kernel_field(kernels, "type") == "function")
  if (!length(mine)) return(kernels)
  rows <- seq_len(view_rows(views))
  matrices <- lapply(mine, function(m) {
    values <- core_function(kernels[[m]], views)(rows, rows)
    (values + t(values)) / 2
  })
  type <- replace(kernel_field(kernels, "type"), mine, "precomputed")
  with_matrices(modify_kernels(kernels, type = type), stats::setNames(matrices, names(kernels)[mine]))
}

# ---- a chain -------------------------------------------------------------------------------------

# What run_core() and its like ask for, at C = 1.
pose_resample <- function(plan, opened, norm) {
  settings <- plan$settings
  settings$norm <- norm_of_kernels(norm, names(opened$data$kernels))
  settings$C <- 1
  settings$control$progress <- FALSE
  c(list(data = opened$data, settings = settings, handle = opened$handle,
         constants = opened$constants),
    pose_tasks(plan$n, plan$response, opened$weights, settings))
}

# One outcome for each C, in their order; the fits go from the smallest on.
run_chain <- function(plan, opened, resample, norm, deadline, tick) {
  outcomes <- vector("list", length(plan$inner))
  problem <- tryCatch(pose_resample(plan, opened, norm), manykernels_error = identity)
  starts <- NULL
  for (k in order(plan$inner)) {
    outcome <- if (inherits(problem, "condition")) failed_cell(problem) else
      run_cell(problem, plan$inner[k], resample, starts, deadline)
    starts <- outcome$starts %||% starts
    outcome$starts <- NULL
    outcomes[[k]] <- outcome
    tick()
  }
  outcomes
}

# A fit that fails or finds no time doesn't lose the others.
run_cell <- function(problem, C, resample, starts, deadline) {
  left <- deadline - seconds_now()
  if (left <= 0) return(failed_cell(NULL, "time_limit"))
  control <- problem$settings$control
  problem$settings$control$max_time <- min(control$max_time, left)
  tryCatch(solve_cell(problem, C, resample, starts), manykernels_error = failed_cell)
}

failed_cell <- function(condition, status = "error") {
  list(status = status, gap = NA_real_, seconds = NA_real_,
       message = if (is.null(condition)) NA_character_ else conditionMessage(condition))
}

# Of the clock that all processes share.
seconds_now <- function() as.numeric(Sys.time())

# starts: of the groups of tasks, from a smaller C, or NULL.
solve_cell <- function(problem, C, resample, starts) {
  began <- seconds_now()
  problem$cost <- C * problem$cost
  check_cost(problem$cost, problem$targets, problem$response, problem$weights,
             problem$settings$class_weights)
  groups <- task_groups(problem)
  folds <- if (needs_folds(problem$settings)) fold_rows(problem)
  results <- lapply(seq_along(groups), function(g) {
    targets <- problem$targets[, groups[[g]], drop = FALSE]
    cost <- problem$cost[, groups[[g]], drop = FALSE]
    result <- run_core(problem, targets, cost, rescaled_start(starts[[g]], C))
    result$sigmoids <- fit_sigmoids(problem, targets, cost, folds)
    result
  })
  c(cell_outcome(problem, results, resample),
    list(seconds = seconds_now() - began,
         starts = lapply(results, function(r) list(theta = r$theta, alpha = r$alpha, C = C))))
}

# Dual variables at their bounds, the most of them, move with C.
rescaled_start <- function(start, C) {
  if (is.null(start)) return(NULL)
  list(theta = feasible_theta(start$theta), alpha = start$alpha * (C / start$C))
}

# ---- what is kept of a cell ----------------------------------------------------------------------

# Values of the rows held out, and what the models are like.
cell_outcome <- function(problem, results, resample) {
  decision <- do.call(cbind, lapply(results, `[[`, "decision"))
  decision <- response_units(decision, problem$scaling) - threshold_of(problem$settings$loss)
  colnames(decision) <- names(problem$tasks)
  status <- vapply(results, `[[`, "", "status")
  gap <- vapply(results, `[[`, 0, "gap")
  theta <- do.call(cbind, lapply(results, `[[`, "theta"))
  alpha <- do.call(cbind, lapply(results, `[[`, "alpha"))
  sigmoids <- do.call(c, lapply(results, `[[`, "sigmoids"))
  held_out <- decision[resample$test, , drop = FALSE]
  c(held_out_values(problem, held_out, sigmoids), list(
    decision = held_out,
    theta = theta, share = shares(results), kernels = mean(colSums(theta > 0)),
    support = sum(rowSums(alpha != 0) > 0),
    training_outside = if (is.null(problem$response)) mean(decision[resample$train, ] < 0),
    status = status[which.max(gap)], gap = max(gap), message = NA_character_
  ))
}

# Predictions and probabilities from decision values.
held_out_values <- function(problem, decision, sigmoids) {
  response <- problem$response
  if (!is.factor(response)) {
    return(list(response = if (is.null(response)) decision[, 1] >= 0 else decision[, 1]))
  }
  object <- list(levels = levels(response), strategy = problem$settings$multiclass)
  fitted <- !vapply(sigmoids, is.null, NA)
  if (length(problem$tasks) == 1) {
    object$probability <- sigmoids[[1]]
    return(list(response = two_levels(decision[, 1], object$levels),
                prob = if (all(fitted)) sigmoid_matrix(decision[, 1], object)))
  }
  object$models <- lapply(sigmoids, function(sigmoid) list(probability = sigmoid))
  list(response = multiclass_response(decision, object),
       prob = if (all(fitted)) multiclass_probability(decision, object))
}
