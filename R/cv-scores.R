# Computes scores and their means from the outcomes of cells, and chooses a cell.

# list(by_fold, values, results) of outcomes (by resample, then cell): of score_cells(), cell_row_values()
# and summarise_cells().
score_outcomes <- function(plan, resamples, outcomes, measures) {
  outcomes <- interpret_outcomes(outcomes, plan, resamples, measures)
  by_fold <- score_cells(plan, resamples, outcomes, measures)
  values <- cell_row_values(plan, resamples, outcomes, measures)
  list(by_fold = by_fold, values = values,
       results = summarise_cells(plan, by_fold, measures, values, resamples))
}

# One row for each resample and cell. Columns are filled where they are, as large grids have millions of values.
score_cells <- function(plan, resamples, outcomes, measures) {
  table <- grid_table(plan)
  names <- vapply(measures, `[[`, "", "name")
  count <- nrow(table)
  rows <- count * length(resamples)
  numbers <- c("kernels", "support", "gap", "seconds")
  found <- c(rep(list(rep(NA_real_, rows)), length(names) + 4L), rep(list(rep(NA_character_, rows)), 2L))
  names(found) <- c(names, numbers, "status", "message")
  for (r in seq_along(resamples)) {
    cells <- cells_of(outcomes[[r]])
    own <- (r - 1L) * count + seq_len(count)
    each <- function(field, type) vapply(cells, function(cell) cell[[field]] %||% type, type)
    for (k in seq_along(measures)) {
      found[[k]][own] <- vapply(cells, cell_measures, 0, plan, resamples[[r]], measures[k])
    }
    for (name in numbers) found[[name]][own] <- each(name, NA_real_)
    for (name in c("status", "message")) found[[name]][own] <- each(name, NA_character_)
  }
  of_resample <- function(field) rep(unlist(lapply(resamples, `[[`, field)), each = count)
  list2DF(c(list(`repeat` = of_resample("repeat_number"), fold = of_resample("fold")),
            lapply(as.list(table), rep, length(resamples)),
            found[c(names, "kernels", "support", "status", "gap", "seconds", "message")]))
}

cell_measures <- function(cell, plan, resample, measures) {
  if (is.null(cell$response)) return(rep(NA_real_, length(measures)))
  data <- held_out_data(cell, plan, resample)
  vapply(measures, function(measure) do.call(measure_value, c(list(measure), data), quote = TRUE), 0)
}

# Means and standard errors over the resamples, one row for each cell. values: of cell_row_values(). Columns of
# by_fold, which may have millions of values, are read where they are.
summarise_cells <- function(plan, by_fold, measures, values, resamples) {
  table <- grid_table(plan)
  cells <- nrow(table)
  mean_of <- function(name) {
    found <- .rowMeans(by_fold[[name]], cells, length(resamples), na.rm = TRUE)
    replace(found, is.nan(found), NA)
  }
  count_of_folds <- function(each) .rowSums(each, cells, length(resamples))
  values <- lapply(measures, function(measure) {
    found <- list(mean_of(measure$name), corrected_errors(values[[measure$name]], resamples)$se)
    stats::setNames(found, paste0(measure$name, c("", "_se")))
  })
  counted <- count_of_folds(!is.na(by_fold[[measures[[1]]$name]]))
  gaps <- lapply(seq_along(resamples), function(r) by_fold$gap[(r - 1L) * cells + seq_len(cells)])
  list2DF(c(
    as.list(table), list(mean = values[[1]][[1]], se = values[[1]][[2]], folds = counted),
    unlist(values, recursive = FALSE),
    list(kernels = mean_of("kernels"), support = mean_of("support"), gap = do.call(pmax, c(gaps, na.rm = TRUE)),
         seconds = .rowSums(by_fold$seconds, cells, length(resamples), na.rm = TRUE),
         failed = count_of_folds(!by_fold$status %in% c("converged", "stopped"))),
    list(search = plan$cells$search %||% rep("grid", cells))
  ))
}

# ---- the choice ----------------------------------------------------------------------------------

# The row that is chosen. results: a data frame, or the list of its columns, which is quicker to take apart;
# tol: relative differences of losses up to this are ties.
choose_cell <- function(results, larger, rule, tol = 0) {
  value <- cell_worth(results, larger)
  if (all(is.na(value))) return(NA_integer_)
  if (rule == "margin") {
    # comparable across kernel sets, so the set is not that of the leader by the mean
    near <- cells_near(results, value, one_se = TRUE)
    value <- replace(rep(NA_real_, length(value)), near, -results$margin_loss[near])
  }
  slack <- if (rule == "margin" || !larger || !is.null(results$time_loss)) tol else 0
  eligible <- cells_near(results, value, rule == "one_se", slack)
  if (length(eligible) == 1L) return(eligible)
  if (!is.null(results$set)) {
    own <- results$set[eligible] == results$set[leading_cell(results, value, slack, tol)]
    eligible <- eligible[own]
  }
  first <- if (rule != "one_se") list(tie_loss(results, eligible, tol))
  eligible[do.call(order, c(first, simplicity(results, eligible)))][1]
}

# The loss of some rows, which breaks ties of a coarse measure.
tie_loss <- function(results, rows, tol = 0) {
  loss <- results$margin_loss %||% results$time_loss
  if (is.null(loss)) return(numeric(length(rows)))
  loss <- loss[rows]
  signif(pmax(loss, min(loss, Inf, na.rm = TRUE) * (1 + tol)), 10)
}

# The mean, or what is larger where it is better. Cells that lack folds take no part where others have
# them all.
cell_worth <- function(results, larger) {
  value <- if (larger) results$mean else -results$mean
  replace(value, results$folds < max(results$folds), NA)
}

# Rows as good as the best, or within its standard error; slack: relative differences that are ties.
cells_near <- function(results, value, one_se, slack = 0) {
  best <- max(value, na.rm = TRUE)
  se <- if (one_se) results$se[leading_cell(results, value)] else NA
  which(value >= best - (if (is.na(se)) 0 else se) - rounding_of(best, slack))
}

# The best row, of equal ones that of the least margin loss, then of the set with fewer kernels.
leading_cell <- function(results, value, slack = 0, tol = 0) {
  best <- max(value, na.rm = TRUE)
  leader <- which(value >= best - rounding_of(best, slack))
  if (length(leader) == 1L) return(leader)
  kernels <- if (!is.null(results$set)) results$kernels[leader] else numeric(length(leader))
  leader[order(tie_loss(results, leader, tol), kernels)][1]
}

# Columns by which simpler models come first: smaller C (larger lambda), then smaller p or gamma.
# Settings of one kernel set mean something else for another.
simplicity <- function(results, rows) {
  first <- if (!is.null(results$lambda)) -results$lambda else results$C
  other <- results$p %||% results$gamma %||% results$norm
  list(first[rows], if (is.null(other)) numeric(length(rows)) else as.numeric(other[rows]))
}

# Cells as a rule prefers them, the best first.
order_cells <- function(results, larger, rule) {
  value <- cell_worth(results, larger)
  worth <- if (larger) -results$mean else results$mean
  if (rule != "margin") return(order(is.na(value), worth, tie_loss(results, seq_along(value))))
  near <- seq_len(nrow(results)) %in% cells_near(results, value, one_se = TRUE)
  order(!near, is.na(value), ifelse(near, results$margin_loss, worth))
}

# Words for a rule.
rule_text <- function(rule) {
  switch(rule, best = "best mean", one_se = "simplest within one standard error",
         margin = "least margin loss within one standard error")
}

# The columns of `results` that say which cell it is: of the whole grid, where `inner` varies first, or
# of the cells that a search has tried.
grid_table <- function(plan) {
  cells <- plan_cells(plan)
  columns <- lapply(stats::setNames(nm = plan$tuned), function(name) {
    switch(name,
      scale = names(plan$scales)[cells$scale],
      class_weights = class_weights_of(plan, cells$scale),
      set = names(plan$sets)[plan$set][cells$outer],
      p = vapply(plan$outer, `[[`, 0, "p", USE.NAMES = FALSE)[cells$outer],
      norm = factor(names(plan$outer), unique(names(plan$outer)))[cells$outer],
      gamma = unlist(plan$outer)[cells$outer],
      max_kernels = unlist(plan$outer)[cells$outer],
      plan$inner[cells$inner]
    )
  })
  list2DF(columns)
}

# Positions of the cells in the plan's `outer` and `inner`, and the number of their scaling.
plan_cells <- function(plan) {
  plan$cells %||% cbind(expand.grid(inner = seq_along(plan$inner), outer = seq_along(plan$outer)), scale = 1L)
}
