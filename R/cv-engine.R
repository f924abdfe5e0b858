# The fits of a cross-validation, shared work done once: one set of kernels over all rows serves every
# cell of the grid. Rows that a resample holds out cost nothing, and constants of columns and kernels
# come from its training rows alone; decision values of all rows are part of each fit's certificate.
#
# A plan holds what doesn't depend on rows held out: raw views, kernels, response, weights, settings,
# and the grid: `outer`, a list (of norms here), and `inner`, numbers (C here). A resample is
# list(train, test), positions of rows. A chain is one of `outer` over all of `inner`, each fit warm
# from the last; the core deals chains out to threads.

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

# ---- chains --------------------------------------------------------------------------------------

# What run_core() and its like ask for, at C = 1, but for the norm.
pose_resample <- function(plan, opened) {
  settings <- plan$settings
  settings$C <- 1
  c(list(data = opened$data, settings = settings, handle = opened$handle,
         constants = opened$constants),
    pose_tasks(plan$n, plan$response, opened$weights, settings))
}

# One outcome for each norm and C: a list (norms) of lists (C). tick(done) hears how many of the
# cells are done.
run_chains <- function(plan, opened, resample, norms, deadline, tick) {
  tryCatch({
    problem <- pose_resample(plan, opened)
    inner <- usable_costs(problem, plan$inner)
    results <- fit_chains(plan, problem, norms, plan$inner[inner$usable], deadline, tick)
    lapply(results, function(chain) {
      cells <- lapply(inner$problem, failed_cell)
      cells[inner$usable] <- lapply(chain, cell_outcome, problem, resample)
      cells
    })
  }, manykernels_error = function(e) {
    lapply(norms, function(norm) lapply(plan$inner, function(C) failed_cell(e)))
  })
}

# Which values of C give costs that a fit can take, and for each what is wrong with it, or NULL.
usable_costs <- function(problem, C) {
  wrong <- lapply(C, function(C) {
    tryCatch(check_cost(C * problem$cost, problem$targets, problem$response, problem$weights,
                        problem$settings$class_weights), manykernels_error = identity)
  })
  list(problem = wrong, usable = which(vapply(wrong, is.null, NA)))
}

failed_cell <- function(condition = NULL, status = if (is.null(condition)) "time_limit" else "error") {
  list(status = status, gap = NA_real_, seconds = NA_real_,
       message = if (is.null(condition)) NA_character_ else conditionMessage(condition))
}

# Of the clock that all processes share.
seconds_now <- function() as.numeric(Sys.time())

# ---- fits ----------------------------------------------------------------------------------------

# Results by norm, C and group of tasks. Each norm and group is a chain of the core, and so are the
# folds that probabilities take: a fit that doesn't count a row predicts it.
fit_chains <- function(plan, problem, norms, C, deadline, tick) {
  settings <- problem$settings
  groups <- task_groups(problem)
  folds <- if (needs_folds(settings)) fold_rows(problem)
  parts <- if (is.null(folds)) 0L else 0:probability_folds # 0: all rows
  table <- expand.grid(part = parts, group = seq_along(groups), norm = seq_along(norms))
  chains <- Map(function(part, group, norm) {
    tasks <- groups[[group]]
    cost <- problem$cost[, tasks, drop = FALSE]
    if (part > 0) cost[folds == part, ] <- 0
    list(y = core_targets(problem$targets[, tasks, drop = FALSE], problem$response), cost = cost,
         norm = core_norm(norm_of_kernels(norms[[norm]], names(problem$data$kernels))))
  }, table$part, table$group, table$norm)
  rising <- order(C)
  results <- from_core(.Call(
    C_mk_fit_grid, problem$handle, chains, core_loss(settings$loss, settings$intercept), C[rising],
    core_control(settings$control), max(deadline - seconds_now(), 0), function(done, ...) tick(done)
  ))
  cell <- function(norm, k) {
    lapply(seq_along(groups), function(group) {
      mine <- which(table$norm == norm & table$group == group)
      fits <- lapply(results[mine], `[[`, k)
      add_sigmoids(problem, groups[[group]], fits, folds)
    })
  }
  lapply(seq_along(norms), function(norm) lapply(order(rising), function(k) cell(norm, k)))
}

# The result of a group for all rows, and the sigmoids of its tasks. fits: all rows, then folds.
add_sigmoids <- function(problem, tasks, fits, folds) {
  result <- fits[[1]]
  if (is.null(result$theta)) return(result)
  result$status <- core_status[result$status + 1]
  targets <- problem$targets[, tasks, drop = FALSE]
  without <- lapply(fits[-1], `[[`, "decision")
  complete <- !is.null(folds) && !any(vapply(without, is.null, NA))
  decision <- if (complete) held_out_decisions(without, folds)
  if (complete || is.null(folds)) {
    result$sigmoids <- sigmoids_of(problem, targets, decision, folds)
  }
  result$seconds <- sum(vapply(fits, `[[`, 0, "seconds"))
  result
}

# Rows from the fit that didn't count them.
held_out_decisions <- function(without, folds) {
  decision <- matrix(NA_real_, length(folds), ncol(without[[1]]))
  for (fold in seq_along(without)) {
    out <- folds == fold
    decision[out, ] <- without[[fold]][out, ]
  }
  decision
}

# ---- what is kept of a cell ----------------------------------------------------------------------

# Values of the rows held out, and what the models are like. results: of the groups of tasks.
cell_outcome <- function(results, problem, resample) {
  missing <- Find(function(result) is.null(result$theta), results)
  if (!is.null(missing)) return(unfitted_cell(missing))
  decision <- do.call(cbind, lapply(results, `[[`, "decision"))
  decision <- response_units(decision, problem$scaling) - threshold_of(problem$settings$loss)
  colnames(decision) <- names(problem$tasks)
  status <- vapply(results, `[[`, "", "status")
  gap <- vapply(results, `[[`, 0, "gap")
  theta <- do.call(cbind, lapply(results, `[[`, "theta"))
  alpha <- do.call(cbind, lapply(results, `[[`, "alpha"))
  held_out <- decision[resample$test, , drop = FALSE]
  c(held_out_values(problem, held_out, lapply(results, `[[`, "sigmoids")), list(
    decision = held_out, theta = theta, share = shares(results), kernels = mean(colSums(theta > 0)),
    support = sum(rowSums(alpha != 0) > 0),
    training_outside = if (is.null(problem$response)) mean(decision[resample$train, ] < 0),
    status = status[which.max(gap)], gap = max(gap), message = NA_character_,
    seconds = sum(vapply(results, `[[`, 0, "seconds"))
  ))
}

# No fit was made: there was no time, or the core couldn't.
unfitted_cell <- function(result) {
  failed_cell(if (!is.null(result$message)) simpleError(result$message))
}

# Predictions and probabilities from decision values.
held_out_values <- function(problem, decision, sigmoids) {
  response <- problem$response
  sigmoids <- if (any(lengths(sigmoids) == 0)) list(NULL) else do.call(c, sigmoids)
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
