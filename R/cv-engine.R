# The fits of a cross-validation, shared work done once: one set of kernels over all rows serves every
# cell of the grid. Rows that a resample holds out cost nothing, and constants of columns and kernels
# come from its training rows alone; decision values of all rows are part of each fit's certificate.
#
# A plan holds what doesn't depend on rows held out: raw views, kernels, response, weights, settings,
# and the grid: `outer`, a list (of norms here), each with the number of its kernel set in `set`, and
# `inner`, numbers (C here). A resample is list(train, test), positions of rows. A chain is one of
# `outer` over all of `inner`, each fit warm from the last; the core deals chains out to threads.

# ---- a resample made ready -----------------------------------------------------------------------

# Kernels over all rows by the constants of the training rows; the set of another resample of the plan
# serves where no view and no kernel is changed by them.
open_resample <- function(plan, train, before = NULL) {
  views <- standard_views(plan$raw, plan$settings$scale, plan$centred, train)
  same <- !is.null(before) && before$shareable
  own <- if (same) before$data else resample_data(plan, views, train, before$data)
  handles <- if (same) before$handles else lapply(plan$sets, set_handle, plan = plan, data = own)
  Map(function(handle, positions) {
    normalize_handle(handle, pick_set(own$computed, positions), plan$settings$normalize,
                     thread_count(plan$settings$control), train)
  }, handles, plan$sets)
  weights <- plan$weights %||% rep(1, own$n)
  weights[-train] <- 0
  list(data = own, handles = handles, train = train, weights = weights,
       shareable = same || is_shareable(plan, views))
}

# Views and kernels, those that the core computes with, and their handle. before: of another resample,
# whose distances serve again where nothing has been standardised.
resample_data <- function(plan, views, train, before = NULL) {
  control <- plan$settings$control
  share <- function(handle) {
    if (!is.null(before)) from_core(.Call(C_mk_set_borrow_pairs, handle, before$handle))
    share_pairs(handle, control)
  }
  data <- list(views = views, n = plan$n)
  if (is.null(plan$kernels)) {
    own <- default_handle(views, thread_count(control), train, share)
    return(c(own, list(computed = own$kernels), data))
  }
  kernels <- suppressMessages( # the plan has said it of the whole
    resolve_kernels(plan$kernels, views),
    classes = c("manykernels_message_features", "manykernels_message_sets")
  )
  kernels <- with_shares_of(kernels, views, train)
  computed <- evaluate_functions(kernels, views)
  handle <- kernel_handle(computed, views, plan$n, thread_count(control))
  share(handle)
  c(list(kernels = kernels, computed = computed, handle = handle), data)
}

# Kernels of a set; distances between rows are those that the handle of all kernels keeps.
set_handle <- function(positions, plan, data) {
  if (is.null(positions)) return(data$handle)
  handle <- kernel_handle(data$computed[positions], data$views, plan$n,
                          thread_count(plan$settings$control))
  from_core(.Call(C_mk_set_borrow_pairs, handle, data$handle))
}

is_shareable <- function(plan, views) {
  !is.null(plan$kernels) && !any(has_shares(plan$kernels)) &&
    all(vapply(views_scaling(views), is.null, NA))
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

# What run_core() and its like ask for, at C = 1, and the norms.
pose_part <- function(plan, part) {
  settings <- plan$settings
  settings$C <- 1
  opened <- part$opened
  if (inherits(opened, "condition")) stop(opened)
  set <- plan$set[part$outer]
  names <- lapply(plan$sets, pick_set, kernels = names(opened$data$kernels))
  problem <- c(list(data = opened$data, settings = settings, handles = opened$handles[set],
                    norms = unname(Map(norm_of_kernels, plan$outer[part$outer], names[set]))),
               pose_tasks(plan$n, plan$response, opened$weights, settings))
  for (C in range(plan$inner)) {
    check_cost(C * problem$cost, problem$targets, problem$response, problem$weights,
               settings$class_weights)
  }
  problem$groups <- task_groups(problem)
  problem$folds <- if (needs_folds(settings)) with_seed(part$seed, fold_rows(problem))
  problem
}

# Outcomes of parts of the plan, each list(opened, resample, outer), positions in the plan's `outer`:
# for each a list (outer, norms here) of lists (C). tick(share) hears which share of them is done.
run_chains <- function(plan, parts, deadline, tick) {
  posed <- lapply(parts, function(part) {
    tryCatch(pose_part(plan, part), manykernels_error = identity)
  })
  failed <- vapply(posed, inherits, NA, "condition")
  C <- plan$inner
  results <- vector("list", length(parts))
  results[!failed] <- tryCatch(
    fit_chains(posed[!failed], C, deadline, tick),
    manykernels_error = function(e) {
      posed[!failed] <<- list(e)
      failed[] <<- TRUE
      NULL
    }
  )
  Map(function(part, problem, failed, chains) {
    if (failed) return(lapply(part$outer, function(norm) lapply(C, function(C) failed_cell(problem))))
    lapply(chains, function(cells) lapply(cells, cell_outcome, problem, part$resample))
  }, parts, posed, failed, results)
}

failed_cell <- function(condition = NULL, status = if (is.null(condition)) "time_limit" else "error") {
  list(status = status, gap = NA_real_, seconds = NA_real_,
       message = if (is.null(condition)) NA_character_ else conditionMessage(condition))
}

# ---- fits ----------------------------------------------------------------------------------------

# Results by problem, norm, C and group of tasks.
fit_chains <- function(problems, C, deadline, tick) {
  if (!length(problems)) return(list())
  tables <- lapply(problems, chain_table)
  chains <- do.call(c, Map(problem_chains, problems, tables))
  settings <- problems[[1]]$settings
  rising <- order(C)
  fits <- length(chains) * length(C)
  results <- from_core(.Call(
    C_mk_fit_grid, chains, core_loss(settings$loss, settings$intercept), C[rising],
    core_control(settings$control), seconds_until(deadline), function(done, ...) tick(done / fits)
  ))
  results <- lapply(results, `[`, order(rising))
  last <- cumsum(vapply(tables, nrow, 0L))
  Map(function(problem, table, last) {
    join_chains(problem, table, results[last - rev(seq_len(nrow(table))) + 1L], length(C))
  }, problems, tables, last)
}

# Each norm and group of tasks is a chain of the core, and so are the folds that probabilities take:
# a fit that doesn't count a row predicts it. Part 0 counts all rows.
chain_table <- function(problem) {
  parts <- if (is.null(problem$folds)) 0L else 0:probability_folds
  expand.grid(part = parts, group = seq_along(problem$groups), norm = seq_along(problem$norms))
}

problem_chains <- function(problem, table) {
  unname(Map(function(part, group, norm) {
    tasks <- problem$groups[[group]]
    cost <- problem$cost[, tasks, drop = FALSE]
    if (part > 0) cost[problem$folds == part, ] <- 0
    list(set = problem$handles[[norm]], cost = group_cost(problem, tasks, cost), norm = core_norm(problem$norms[[norm]]),
         y = core_targets(problem$targets[, tasks, drop = FALSE], problem$response))
  }, table$part, table$group, table$norm))
}

join_chains <- function(problem, table, results, cells) {
  lapply(seq_along(problem$norms), function(norm) lapply(seq_len(cells), function(k) {
    lapply(seq_along(problem$groups), function(group) {
      mine <- which(table$norm == norm & table$group == group)
      add_sigmoids(problem, problem$groups[[group]], lapply(results[mine], `[[`, k))
    })
  }))
}

# The result of a group for all rows, and the sigmoids of its tasks. fits: all rows, then folds.
add_sigmoids <- function(problem, tasks, fits) {
  unfitted <- Find(function(fit) is.null(fit$theta), fits)
  if (!is.null(unfitted)) return(unfitted)
  result <- fits[[1]]
  folds <- problem$folds
  status <- core_status[vapply(fits, `[[`, 0, "status") + 1]
  # a fold that time cut short has to be made again, too
  result$status <- if ("time_limit" %in% status) "time_limit" else status[1]
  targets <- problem$targets[, tasks, drop = FALSE]
  decision <- if (!is.null(folds)) held_out_decisions(lapply(fits[-1], `[[`, "decision"), folds)
  result$sigmoids <- sigmoids_of(problem, targets, decision, folds)
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
  for (t in seq_len(ncol(decision))) {
    decision[, t] <- response_units(decision[, t], problem$scaling[[t]])
  }
  decision <- decision - threshold_of(problem$settings$loss)
  colnames(decision) <- names(problem$tasks)
  status <- vapply(results, `[[`, "", "status")
  gap <- vapply(results, `[[`, 0, "gap")
  theta <- do.call(cbind, lapply(results, `[[`, "theta"))
  alpha <- do.call(cbind, lapply(results, `[[`, "alpha"))
  held_out <- decision[resample$test, , drop = FALSE]
  c(held_out_values(problem, held_out, lapply(results, `[[`, "sigmoids")), list(
    decision = held_out, theta = theta, share = shares(results), kernels = mean(colSums(theta > 0)),
    support = sum(rowSums(alpha != 0) > 0),
    training_outside = if (is.null(problem$response)) {
      stats::weighted.mean(decision[, 1] < 0, problem$weights)
    },
    status = if ("time_limit" %in% status) "time_limit" else status[which.max(gap)],
    gap = max(gap), message = NA_character_,
    seconds = sum(vapply(results, `[[`, 0, "seconds"))
  ))
}

# No fit was made: there was no time, or the core couldn't.
unfitted_cell <- function(result) {
  failed_cell(if (!is.null(result$message)) simpleError(result$message))
}

held_out_labels <- function(response, decision, sigmoids) {
  models <- lapply(sigmoids, function(sigmoid) list(probability = sigmoid))
  list(response = output_response(decision, response),
       prob = if (!is.null(sigmoids[[1]])) output_probability(decision, models))
}

# Predictions and probabilities from decision values.
held_out_values <- function(problem, decision, sigmoids) {
  response <- problem$response
  sigmoids <- if (any(lengths(sigmoids) == 0)) list(NULL) else do.call(c, sigmoids)
  if (is_labels(response)) return(held_out_labels(response, decision, sigmoids))
  if (!is.factor(response)) {
    return(list(response = if (is.null(response)) decision[, 1] >= 0 else
      if (ncol(decision) > 1) decision else
        if (is_times(response)) time_values(decision[, 1], problem$settings$loss) else decision[, 1]))
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
