# Class probabilities: maps of cross-validated decision values (calibration.R), and their coupling for
# several classes.

probability_folds <- 5L

# ---- cross-validated decision values -------------------------------------------------------------

# The group of each row, as numbers, for the folds of probabilities.
calibration_group <- function(group, samples, settings) {
  if (is.null(group)) return(NULL)
  if (!settings$control$probability && !is_threshold_rule(settings$threshold)) {
    mk_abort(paste("`group` is for the folds of class probabilities,",
                   "`control = mkl_control(probability = TRUE)`. To keep groups together in",
                   "cross-validation, call cv_mkl(), which has `group`, too."),
             "invalid_argument", "group")
  }
  check_group(of_samples(group, samples, "group"),
              if (is.null(samples$kept)) samples$n else length(samples$kept))
}

# The fold of each row. Groups stay together, classes are spread evenly, and there are fewer folds if a side
# of a task has fewer rows (or groups). Rows are in no fold (0) if they have no weight, or if holding them out
# would leave a side of a task without rows.
fold_rows <- function(problem) {
  counted <- rowSums(problem$cost) > 0
  group <- problem$settings$group %||% seq_along(counted)
  sides <- task_sides(problem, counted)
  count <- calibration_folds(sides, group)
  strata <- calibration_strata(problem$response, counted)
  folds <- integer(length(counted))
  folds[counted] <- if (is.null(problem$settings$group)) {
    random_folds(count, sum(counted), strata[counted])
  } else {
    spread_groups(count, group, strata, counted)[counted]
  }
  always_trained(folds, sides, group)
}

# The rows of each side of each task.
task_sides <- function(problem, counted) {
  targets <- problem$targets
  unlist(lapply(seq_len(ncol(targets)), function(t) {
    list(which(counted & targets[, t] > 0), which(counted & targets[, t] < 0))
  }), recursive = FALSE)
}

calibration_folds <- function(sides, group) {
  units <- vapply(sides, function(rows) length(unique(group[rows])), 0L)
  min(probability_folds, units[units > 1])
}

# The classes, or the rarest label that a row has.
calibration_strata <- function(response, counted) {
  if (is_labels(response)) label_strata(response[counted, , drop = FALSE], response) else
    as.integer(response)
}

always_trained <- function(folds, sides, group) {
  repeat {
    lone <- Filter(function(rows) length(unique(folds[rows])) == 1 && folds[rows[1]] > 0, sides)
    if (!length(lone)) break
    folds[group %in% group[unlist(lone)]] <- 0L
  }
  match(folds, sort(unique(folds[folds > 0])), nomatch = 0L)
}

# TRUE for tasks with held-out rows of both sides.
is_calibrated <- function(problem, tasks) {
  held_out <- problem$folds > 0
  vapply(tasks, function(t) {
    target <- problem$targets[held_out, t]
    any(target > 0) && any(target < 0)
  }, NA)
}

# The fits that a problem takes: each group of tasks with all rows (part 0), and without each fold where
# sigmoids need them. A fit that doesn't count a row predicts it.
core_parts <- function(problem) {
  parts <- lapply(problem$groups, function(group) {
    crossed <- !is.null(problem$folds) && any(is_calibrated(problem, group))
    if (crossed) 0:max(problem$folds) else 0L
  })
  list2DF(list(part = unlist(parts), group = rep(seq_along(parts), lengths(parts))))
}

# Logistic loss has its sigmoid from the model itself.
needs_folds <- function(settings) {
  (settings$control$probability && settings$loss$type != "logistic") || is_threshold_rule(settings$threshold)
}

# Decision values of rows from the fits without them. without: decision values of these fits, by fold.
held_out_decisions <- function(without, folds) {
  decision <- matrix(NA_real_, length(folds), ncol(without[[1]]))
  for (fold in seq_along(without)) {
    out <- folds == fold
    decision[out, ] <- without[[fold]][out, ]
  }
  decision
}

# One sigmoid for each task of a group; NULL each without probabilities. decisions: of the fit to all rows,
# then of those without a fold. A task without held-out rows of both sides has its sigmoid from decision
# values of its training rows: `held_out` is FALSE.
sigmoids_of <- function(problem, tasks, decisions) {
  if (problem$settings$loss$type == "logistic") {
    return(rep(list(logistic_map), length(tasks)))
  }
  if (is.null(problem$folds) || !problem$settings$control$probability) return(vector("list", length(tasks)))
  held_out <- is_calibrated(problem, tasks)
  crossed <- if (any(held_out)) held_out_decisions(decisions[-1], problem$folds)
  lapply(seq_along(tasks), function(t) {
    target <- problem$targets[, tasks[t]]
    used <- target != 0 & if (held_out[t]) problem$folds > 0 else problem$cost[, tasks[t]] > 0
    decision <- if (held_out[t]) crossed[, t] else decisions[[1]][, t]
    weights <- (problem$weights %||% rep(1, length(target)))[used]
    if (!held_out[t]) return(c(fit_sigmoid(decision[used], target[used], weights), list(held_out = FALSE)))
    calibrate(decision[used], target[used], problem$folds[used], weights = weights)$map
  })
}

# The threshold of a fit of two classes. decisions: as for sigmoids_of().
threshold_from <- function(problem, decisions) {
  rule <- problem$settings$threshold
  if (!is_threshold_rule(rule)) return(rule)
  target <- problem$targets[, 1L]
  cost <- problem$cost[, 1L]
  if (!is_calibrated(problem, 1L)) {
    mk_warn(paste("Give a number as `threshold`, or `class_weights = \"balanced\"`: a class has too few rows",
                  "(or groups) to hold some out, so `threshold` is chosen by the decision values of the",
                  "training rows, and may be far from the best for new rows."), "few_cases", "threshold", rule)
    return(choose_threshold(tied_values(decisions[[1L]][, 1L]), target, cost, rule))
  }
  used <- problem$folds > 0
  crossed <- held_out_decisions(decisions[-1L], problem$folds)
  weights <- problem$weights %||% rep(1, length(target))
  choose_threshold(crossed[used, 1L], target[used], weights[used], rule)
}

# Warns about doubtful sigmoids of a fit. models: named by task.
warn_sigmoids <- function(models) {
  sigmoids <- lapply(models, `[[`, "probability")
  own <- vapply(sigmoids, function(one) isFALSE(one$held_out), NA)
  turned <- vapply(sigmoids, function(one) isTRUE(one$A > 0), NA)
  of <- function(chosen) {
    if (length(models) == 1) return("")
    sprintf(" of %s (%s)", count_of(sum(chosen), "model"), enumerate(names(models)[chosen]))
  }
  if (any(own)) {
    mk_warn(sprintf(paste0(
      "A class has too few rows (or groups) to hold some out: probabilities%s come from the decision ",
      "values of the training rows, with Platt's smoothing alone, and may be far from the truth."
    ), of(own)), "few_cases", "probability", names(models)[own])
  }
  if (any(turned)) {
    mk_warn(sprintf(paste0(
      "Don't rely on the probabilities%s: where rows were held out, larger decision values went with ",
      "the other class (`A` > 0), as they do by chance where `x` doesn't predict `y`. The most ",
      "probable class may differ from the predicted one."
    ), of(turned)), "sigmoid", "probability", names(models)[turned])
  }
}

# ---- probabilities of the classes ----------------------------------------------------------------

sigmoid_matrix <- function(decision, object) {
  positive <- unname(sigmoid_value(object$probability, decision))
  matrix(c(1 - positive, positive), ncol = 2, dimnames = list(names(decision), object$levels))
}

multiclass_probability <- function(decision, object) {
  if (!is.null(object$outputs)) return(output_probability(decision, models_of(object)))
  models <- models_of(object)
  sigmoids <- vapply(seq_along(models), function(m) {
    sigmoid_value(models[[m]]$probability, decision[, m])
  }, numeric(nrow(decision)))
  sigmoids <- matrix(sigmoids, nrow(decision), ncol(decision))
  out <- if (object$strategy == "ovo") {
    couple_pairs(sigmoids, length(object$levels))
  } else {
    sigmoids <- pmax(sigmoids, 1e-12)
    sigmoids / rowSums(sigmoids)
  }
  dimnames(out) <- list(rownames(decision), object$levels)
  out
}

# Rows of pairwise probabilities of the second level of each pair -> class probabilities.
couple_pairs <- function(second, k) {
  second <- pmin(pmax(second, 1e-7), 1 - 1e-7)
  pairs <- utils::combn(k, 2)
  out <- matrix(NA_real_, nrow(second), k)
  for (i in which(!is.na(rowSums(second)))) {
    r <- matrix(0, k, k)
    r[t(pairs)[, 2:1, drop = FALSE]] <- second[i, ]
    r[t(pairs)] <- 1 - second[i, ]
    out[i, ] <- couple(r)
  }
  out
}

# Minimises sum_{i != j} (r_ji p_i - r_ij p_j)^2 over the simplex: the second method of Wu, Lin and
# Weng (2004), whose optimum solves the linear system [Q 1; 1' 0] [p; b] = [0; 1]. Q is positive
# definite for r in (0, 1), and p is non-negative by their Theorem 2.
couple <- function(r) {
  k <- nrow(r)
  Q <- -t(r) * r
  diag(Q) <- colSums(r^2)
  system <- rbind(cbind(Q, 1), c(rep(1, k), 0))
  p <- pmax(solve(system, c(rep(0, k), 1))[seq_len(k)], 0)
  p / sum(p)
}

output_probability <- function(decision, models) {
  for (m in seq_along(models)) {
    decision[, m] <- sigmoid_value(models[[m]]$probability, decision[, m])
  }
  decision
}
