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
# serves where no view and no kernel is changed by them. beside: the same resample with other scalings, whose
# views of the same scaling serve again, with the distances of their rows. alike: another resample with the same
# scalings, whose distances serve for views that are not scaled.
open_resample <- function(plan, train, before = NULL, beside = list(), alike = list()) {
  weights <- drawn_weights(plan$weights, train, plan$n) %||% as.double(tabulate(train, plan$n))
  train <- unique(train)
  words <- stats::setNames(scale_choice(plan$settings$scale, plan$raw), names(plan$raw))
  made <- views_made(words, beside)
  views <- standard_views(plan$raw, plan$settings$scale, plan$centred, train, made = made)
  same <- !is.null(before) && before$shareable
  own <- if (same) before$data else resample_data(plan, views, train, c(list(before), beside, alike))
  handles <- if (same) before$handles else lapply(plan$sets, set_handle, plan = plan, data = own)
  opened <- unname(Map(open_set, handles, plan$sets, MoreArgs = list(plan, own, train)))
  if (all(vapply(opened, inherits, NA, "condition"))) stop(opened[[1L]])
  lent <- c(names(made), if (length(alike)) names(views)[vapply(views_scaling(views), is.null, NA)])
  list(data = own, handles = handles, opened = opened, train = train, weights = weights,
       shareable = same || is_shareable(plan, views), words = words,
       bytes = opened_bytes(plan$raw, views, setdiff(names(views), lent)))
}

# Views that are scaled alike in other openings of the same resample, by name: list(view, scaling).
views_made <- function(words, beside) {
  made <- lapply(stats::setNames(nm = names(words)), function(name) {
    alike <- Find(function(one) identical(one$words[[name]], words[[name]]), beside)
    views <- alike$data$views
    if (!is.null(alike)) list(view = views[[name]], scaling = views_scaling(views)[[name]])
  })
  made[lengths(made) > 0L]
}

# What these views of an open resample take: their copies, with knots of normal scores, and the distances and
# products of all pairs of rows.
opened_bytes <- function(raw, views, names) {
  sum(vapply(names, function(name) {
    scaling <- views_scaling(views)[[name]]
    copies <- if (is.null(scaling)) 0 else if (is.null(scaling$scores)) 1 else 2
    copies * as.numeric(utils::object.size(raw[[name]])) + 16 * as.numeric(view_rows(views))^2
  }, 0))
}

# list(handle, constant) of a kernel set, by the constants of the training rows, or the condition where
# it can't be had. constant: labels of the kernels that do not vary there.
open_set <- function(handle, positions, plan, data, train) {
  kernels <- pick_set(data$computed, positions)
  positions <- positions %||% seq_along(kernels)
  opened <- tryCatch(
    varying_handle(handle, kernels, plan$settings$normalize, thread_count(plan$settings$control),
                   function(varying) set_handle(positions[varying], plan, data), train),
    manykernels_error = identity
  )
  if (inherits(opened, "condition")) return(opened)
  labels <- constant_labels(pick_set(data$kernels, positions), is_constant(opened$constants))
  list(handle = opened$handle, constant = labels)
}

# Views and kernels, those that the core computes with, and their handle. others: open resamples, whose
# distances serve again where views are the same.
resample_data <- function(plan, views, train, others = list()) {
  control <- plan$settings$control
  share <- function(handle) {
    for (one in others) if (!is.null(one)) from_core(.Call(C_mk_set_borrow_pairs, handle, one$data$handle))
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
    all(vapply(views_scaling(views), is.null, NA)) && !any(lengths(views_imputation(views)) > 0L)
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

# Costs at C = 1 and norms, for run_core() and its like.
pose_part <- function(plan, part) {
  settings <- plan$settings
  settings$C <- 1
  opened <- part$opened
  if (inherits(opened, "condition")) stop(opened)
  set <- plan$set[part$outer]
  names <- lapply(plan$sets, pick_set, kernels = names(opened$data$kernels))
  problem <- c(list(data = opened$data, settings = settings, sets = opened$opened[set],
                    norms = unname(Map(norm_of_kernels, plan$outer[part$outer], names[set]))),
               pose_tasks(plan$n, plan$response, opened$weights, settings))
  for (C in range(plan$inner)) {
    check_cost(C * problem$cost, problem$targets, problem$response, problem$weights,
               settings$class_weights)
  }
  problem$groups <- task_groups(problem)
  problem
}

# Outcomes of parts of the plan, each list(opened, resample, seed, outer, unit, begun), positions in the
# plan's `outer` with their units and what keep() was told of them: for each a list (outer, norms here)
# of lists (C). tick(share) is called with the share of them that is done; keep(unit, begun), if there is one, after
# each C how far a chain has come.
run_chains <- function(plan, parts, deadline, tick, keep = NULL) {
  chains <- lapply(parts, open_chains, plan = plan)
  part <- rep(seq_along(chains), lengths(chains))
  chains <- do.call(c, chains)
  rising <- order(plan$inner)
  steps <- if (is.null(keep)) list(rising) else as.list(rising)
  for (end in cumsum(lengths(steps))) {
    done <- vapply(chains, function(chain) length(chain$cells), 0L)
    open <- which(done < end)
    if (!length(open)) next
    C <- plan$inner[rising[seq(min(done[open]) + 1, end)]]
    share <- function(part) {
      tick((sum(done) + part * length(open) * length(C)) / (length(done) * length(rising)))
    }
    chains[open] <- advance_chains(chains[open], C, deadline, share)
    share(1) # the thread that ends last may not be the one that calls R
    if (is.null(keep) || end == length(rising)) next
    # chains that the time limit cut are computed again
    for (chain in chains[open]) if (is_finished(chain$cells)) keep(chain$unit, chain[c("cells", "last")])
  }
  cells <- lapply(chains, function(chain) chain$cells[order(rising)])
  unname(split(cells, part))
}

# A chain is list(problem, norm, resample, unit, cells, last): outcomes from the smallest C on, and the
# last two solutions of each problem of the core, from which it goes on.
open_chains <- function(plan, part) {
  problem <- tryCatch(pose_part(plan, part), manykernels_error = identity)
  lapply(seq_along(part$outer), function(norm) {
    reason <- if (inherits(problem, "condition")) problem else problem$sets[[norm]]
    if (inherits(reason, "condition")) {
      return(list(cells = rep(list(failed_cell(reason)), length(plan$inner))))
    }
    chain <- list(problem = problem, norm = norm, resample = part$resample, unit = part$unit[norm])
    c(chain, part$begun[[norm]] %||% list(cells = list(), last = NULL))
  })
}

# Advances chains by the next values of C. An error of the core counts for all of their cells.
advance_chains <- function(chains, C, deadline, tick) {
  results <- tryCatch(fit_chains(chains, C, deadline, tick), manykernels_error = identity)
  if (inherits(results, "condition")) {
    return(lapply(chains, function(chain) {
      chain$cells <- c(chain$cells, rep(list(failed_cell(results)), length(C)))
      chain
    }))
  }
  Map(function(chain, own) {
    cells <- lapply(seq_along(C), function(k) {
      set <- chain$problem$sets[[chain$norm]]
      cell_outcome(join_fits(lapply(own, `[[`, k), set$handle), chain$problem,
                   chain$resample, set$constant)
    })
    chain$cells <- c(chain$cells, cells)
    chain$last <- Map(last_solutions, own, chain$last %||% list(NULL), MoreArgs = list(C = C))
    chain
  }, chains, results)
}

# The last two of one problem of the core, the very last first. before: those of smaller C.
last_solutions <- function(fits, before, C) {
  fits <- Map(function(fit, C) c(fit, list(scale = C)), fits, C)
  found <- Filter(function(fit) !is.null(fit$theta), fits)
  utils::head(c(rev(found), before), 2)
}

# A fit for which time ran out may have converged with a step less than it takes otherwise.
is_finished <- function(cells) {
  !any(vapply(cells, function(cell) cell$status == "time_limit" || isTRUE(cell$late), NA))
}

failed_cell <- function(condition = NULL, status = if (is.null(condition)) "time_limit" else "error") {
  list(status = status, gap = NA_real_, seconds = NA_real_,
       message = if (is.null(condition)) NA_character_ else conditionMessage(condition))
}

# ---- fits ----------------------------------------------------------------------------------------

# Results by chain, problem of the core and C, which rises.
fit_chains <- function(chains, C, deadline, tick) {
  problems <- lapply(chains, core_problems)
  chain <- rep(seq_along(chains), lengths(problems))
  settings <- chains[[1]]$problem$settings
  fits <- length(chain) * length(C)
  loss <- settings$loss
  problems_of_core <- do.call(c, problems)
  norms <- lapply(chain, function(k) chains[[k]]$problem$norms[[chains[[k]]$norm]])
  alone <- is_custom(loss) | vapply(norms, has_functions, NA)
  results <- vector("list", length(chain))
  if (!all(alone)) {
    kernels <- sum(vapply(problems_of_core, function(one) attr(one$set, "kernels"), 0))
    use <- matrices_of_fit(nrow(problems_of_core[[1L]]$y), kernels, ncol(problems_of_core[[1L]]$y))
    results[!alone] <- from_core(.Call(
      C_mk_fit_grid, problems_of_core[!alone], core_loss(loss, settings$intercept), C,
      core_control(settings$control, use = use), seconds_until(deadline), function(done, ...) tick(done / fits)
    ), needs = memory_needed(settings$control, nrow(problems_of_core[[1L]]$y), 1, sum(!alone)))
  }
  results[alone] <- Map(expanded_cells, problems_of_core[alone], norms[alone],
                        MoreArgs = list(C = C, settings = settings, deadline = deadline))
  unname(split(results, chain))
}

# The cells of one problem with a loss or a norm by functions, one after another. Without time left they are empty.
expanded_cells <- function(problem, norm, C, settings, deadline) {
  settings$norm <- norm
  start <- if (length(problem$known)) c(problem$known[[1]][c("theta", "alpha")], list(decision = NULL))
  lapply(C, function(C) {
    began <- seconds_now()
    if (seconds_until(deadline) <= 0) return(list(message = NULL, seconds = 0))
    cost <- rapply(list(problem$cost), function(cost) C * cost, how = "replace")[[1]]
    call_core <- function(norm, loss, start, control) {
      from_core(.Call(C_mk_fit, problem$set, problem$y, cost, loss, core_norm(norm, problem$set),
                      core_control(control, deadline), start, NULL))
    }
    result <- solve_any(call_core, settings, problem$y, cost, problem$set, start)
    start <<- list(theta = result$theta, alpha = result$alpha, decision = NULL)
    c(result, list(seconds = seconds_now() - began))
  })
}

# Each group of tasks is a problem of the core.
core_problems <- function(chain) {
  problem <- chain$problem
  handle <- problem$sets[[chain$norm]]$handle
  norm <- problem$norms[[chain$norm]]
  norm <- if (!has_functions(norm)) core_norm(norm, handle)
  unname(Map(function(tasks, known) {
    list(set = handle, cost = group_cost(problem, tasks, problem$cost[, tasks, drop = FALSE]), norm = norm,
         y = core_targets(problem$targets[, tasks, drop = FALSE], problem$response, problem$settings$loss),
         known = as.list(known))
  }, problem$groups, chain$last %||% list(NULL)))
}

# The fits of a cell over a handle become results of the groups of tasks.
join_fits <- function(fits, handle = NULL) {
  lapply(fits, function(result) {
    if (is.null(result$theta)) return(result)
    result$status <- core_status[result$status + 1]
    result_from_handle(result, handle)
  })
}

# ---- what is kept of a cell ----------------------------------------------------------------------

# Values of the rows held out, and what the models are like. results: of the groups of tasks; constant:
# labels of kernels that do not vary over the training rows.
cell_outcome <- function(results, problem, resample, constant = character()) {
  missing <- Find(function(result) is.null(result$theta), results)
  if (!is.null(missing)) return(unfitted_cell(missing))
  decision <- do.call(cbind, lapply(results, `[[`, "decision"))
  for (t in seq_len(ncol(decision))) {
    decision[, t] <- response_units(decision[, t], problem$scaling[[t]])
  }
  decision <- decision - threshold_of(problem$settings$loss$type)
  colnames(decision) <- names(problem$tasks)
  status <- vapply(results, `[[`, "", "status")
  gap <- vapply(results, `[[`, 0, "gap")
  theta <- do.call(cbind, lapply(results, `[[`, "theta"))
  alpha <- do.call(cbind, lapply(results, `[[`, "alpha"))
  held_out <- decision[resample$test, , drop = FALSE]
  list(
    response = held_out_response(held_out, problem), decision = held_out, theta = theta,
    share = shares(results), kernels = mean(colSums(theta > 0)),
    support = sum(rowSums(alpha != 0) > 0),
    training_outside = if (is.null(problem$response)) {
      stats::weighted.mean(decision[, 1] < 0, problem$weights)
    },
    status = if ("time_limit" %in% status) "time_limit" else status[which.max(gap)],
    gap = max(gap), message = constant_message(constant), constant = constant,
    seconds = sum(vapply(results, `[[`, 0, "seconds")),
    late = any(vapply(results, function(result) isTRUE(result$late > 0), NA))
  )
}

NEEDS_OF_GRID <- paste("Fit fewer at a time, `mkl_control(threads = 1)` and fewer workers, or set a smaller",
                       "budget, as by `mkl_control(cache = \"500 MB\")`.")

# No fit was made: there was no time, or the core couldn't.
unfitted_cell <- function(result) {
  if (is.null(result$message)) return(failed_cell())
  failed_cell(tryCatch(from_core(stop(result$message, call. = FALSE), NEEDS_OF_GRID), error = identity))
}

# Predictions from decision values, by the settings and the response of a problem or plan.
held_out_response <- function(decision, problem) {
  response <- problem$response
  if (is.null(response)) return(decision[, 1] >= 0)
  if (is_labels(response)) return(output_response(decision, response))
  if (is_times(response)) return(time_values(decision[, 1], problem$settings$loss))
  if (!is.factor(response)) return(if (ncol(decision) > 1) decision else decision[, 1])
  if (ncol(decision) == 1) return(two_levels(decision[, 1], levels(response)))
  multiclass_response(decision, list(levels = levels(response), strategy = problem$settings$multiclass))
}

# Shares of the kernels in the fitted function, kernels by models.
shares <- function(models) {
  columns_alike(lapply(models, function(model) norm_share(model$theta^2 * model$forms)))
}

# Models of mllkm() have kernels of their own, which make no table: NULL.
columns_alike <- function(columns) {
  if (length(unique(lengths(columns))) == 1L) do.call(cbind, columns)
}
