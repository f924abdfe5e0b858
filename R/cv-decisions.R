# Classes by a threshold and probabilities from decision values of held-out rows. Both are learnt from the
# values of other folds, so they take no further fits.

has_probability <- function(plan) {
  cv_models[[plan$model]]$sigmoids && is_classes(plan$response) &&
    (plan$settings$control$probability || plan$settings$loss$type == "logistic")
}

# The logistic loss has probabilities of its own, which class weights would move.
has_own_probability <- function(plan) {
  plan$settings$loss$type == "logistic" && !plan$settings$control$probability && !isTRUE(plan$weighs) &&
    is.null(plan$settings$class_weights)
}

# Outcomes (by resample, then cell) with `response` beyond the threshold, and with `prob` where a measure
# reads it. The cells of a block come next to each other, as if they were a chain.
interpret_outcomes <- function(outcomes, plan, resamples, measures) {
  prob <- has_probability(plan) && any(vapply(measures, reads_probability, NA))
  if (!prob && is.null(plan$settings$threshold)) return(outcomes)
  count <- length(cells_of(outcomes[[1L]]))
  folder <- folder_of(outcomes)
  blocks <- if (is.null(folder)) list(seq_len(count)) else cell_blocks(plan, resamples, count)
  found <- lapply(blocks, function(block) {
    cells <- lapply(outcomes, function(chains) cells_of(chains)[block])
    each <- lapply(seq_along(block), function(k) interpret_cell(lapply(cells, `[[`, k), plan, resamples, prob))
    put_away(lapply(seq_along(outcomes), function(r) lapply(each, `[[`, r)), seq_along(outcomes), folder)
  })
  lapply(seq_along(outcomes), function(r) lapply(unname(found), `[[`, r))
}

# The outcomes of one cell by resample.
interpret_cell <- function(cells, plan, resamples, prob = has_probability(plan)) {
  rules <- decision_rules(cells, plan, resamples, prob)
  for (r in which(lengths(rules$crossed) > 0L)) cells[[r]] <- apply_rules(cells[[r]], rules$crossed[[r]], plan)
  cells
}

# list(all, crossed) of rules, each list(threshold, maps): `all` from all rows held out, `crossed` for each
# resample from the rows beside it (NULL where the cell wasn't fitted).
decision_rules <- function(cells, plan, resamples, prob = has_probability(plan)) {
  known <- which(!vapply(cells, function(cell) is.null(cell$response), NA))
  crossed <- vector("list", length(cells))
  if (!length(known) || (!prob && is.null(plan$settings$threshold))) return(list(crossed = crossed))
  values <- held_out_values(cells, plan, resamples, known)
  calibrated <- if (prob) lapply(seq_len(ncol(values$decision)), function(task) {
    if (has_own_probability(plan)) list(map = logistic_map) else calibrate_task(task, values)
  })
  of_fold <- function(k) {
    rows <- if (is.null(k)) seq_along(values$row) else values_beside(values$fold == k, values$part, values$row)
    list(threshold = learn_threshold(values, rows, plan$settings$threshold),
         maps = lapply(calibrated, function(task) {
           if (is.null(k)) task$map else task$crossed[[as.character(k)]] %||% task$map
         }))
  }
  crossed[known] <- lapply(known, of_fold)
  list(all = of_fold(NULL), crossed = crossed)
}

# Decision values of all resamples in `known`, with their rows, targets and weights.
held_out_values <- function(cells, plan, resamples, known) {
  test <- lapply(resamples[known], `[[`, "test")
  row <- unlist(test)
  part <- vapply(resamples[known], `[[`, 0L, "repeat_number")
  targets <- pose_tasks(plan$n, plan$response, plan$weights, plan$settings)$targets
  list(decision = do.call(rbind, lapply(cells[known], function(cell) unname(cell$decision))), row = row,
       fold = rep(known, lengths(test)), part = rep(part, lengths(test)),
       target = targets[row, , drop = FALSE], weights = (plan$weights %||% rep(1, plan$n))[row])
}

learn_threshold <- function(values, rows, threshold) {
  if (!is_threshold_rule(threshold)) return(threshold)
  choose_threshold(values$decision[rows, 1L], values$target[rows, 1L], values$weights[rows], threshold)
}

# The maps of a task, of rows that count in it; held_out is FALSE where these are all of one side.
calibrate_task <- function(task, values) {
  used <- which(values$target[, task] != 0 & values$weights > 0)
  target <- values$target[used, task]
  found <- calibrate(values$decision[used, task], target, values$fold[used], values$part[used],
                     values$row[used], values$weights[used])
  names(found$crossed) <- unique(values$fold[used])
  if (length(unique(target)) < 2L) found$map$held_out <- FALSE
  found
}

apply_rules <- function(cell, rules, plan) {
  if (is.null(cell$response)) return(cell)
  if (!is.null(rules$threshold)) {
    cell$response <- two_levels(cell$decision[, 1L], levels(plan$response), rules$threshold)
  }
  if (length(rules$maps)) cell$prob <- mapped_probability(cell$decision, rules$maps, plan)
  cell
}

mapped_probability <- function(decision, maps, plan) {
  models <- lapply(maps, function(map) list(probability = map))
  if (is_labels(plan$response)) return(output_probability(decision, models))
  object <- list(levels = levels(plan$response), strategy = plan$settings$multiclass, models = models,
                 probability = maps[[1L]])
  if (ncol(decision) == 1L) sigmoid_matrix(decision[, 1L], object) else multiclass_probability(decision, object)
}

# The fit to all rows with what its folds have learnt. Where they held out rows of one side of a task alone,
# the fit's own decision values calibrate it.
with_rules <- function(fit, rules, plan) {
  if (is.null(fit) || is.null(rules)) return(fit)
  fit$threshold <- rules$threshold
  if (!length(rules$maps)) return(fit)
  models <- models_of(fit)
  maps <- Map(function(map, model) {
    if (!isFALSE(map$held_out)) return(map)
    target <- own_targets(model)
    used <- target != 0 & model$cost > 0
    c(fit_sigmoid(model$decision[used], target[used]), list(held_out = FALSE))
  }, rules$maps, models)
  models <- Map(function(model, map) {
    model$probability <- map
    model
  }, models, maps)
  warn_sigmoids(models)
  fit$control$probability <- plan$settings$control$probability
  set_probabilities(fit, maps)
}

set_probabilities <- function(fit, maps) {
  models <- unclass(fit)[["models"]]
  if (is.null(models)) {
    fit$probability <- maps[[1L]]
    return(fit)
  }
  fields <- unclass(fit)
  if (is_packed(models)) models$parts$probability <- pack_values(maps) else
    models <- Map(function(model, map) replace(model, "probability", list(map)), models, maps)
  fields$models <- models
  structure(fields, class = class(fit))
}
