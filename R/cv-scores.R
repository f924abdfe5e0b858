# From the outcomes of cells to scores, their means, and the choice.

# One row for each resample and cell.
score_cells <- function(plan, resamples, outcomes, measures) {
  table <- grid_table(plan)
  rows <- lapply(seq_along(resamples), function(r) {
    cells <- unlist(outcomes[[r]], recursive = FALSE)
    values <- t(vapply(cells, cell_measures, numeric(length(measures)), plan = plan,
                       resample = resamples[[r]], measures = measures))
    if (length(measures) == 1) values <- t(values)
    colnames(values) <- vapply(measures, `[[`, "", "name")
    each <- function(field, type) vapply(cells, function(cell) cell[[field]] %||% type, type)
    cbind(`repeat` = resamples[[r]]$repeat_number, fold = resamples[[r]]$fold, table, values,
          kernels = each("kernels", NA_real_), support = each("support", NA_real_),
          status = each("status", NA_character_), gap = each("gap", NA_real_),
          seconds = each("seconds", NA_real_), message = each("message", NA_character_))
  })
  do.call(rbind, rows)
}

cell_measures <- function(cell, plan, resample, measures) {
  if (is.null(cell$response)) return(rep(NA_real_, length(measures)))
  data <- held_out_data(cell, plan, resample)
  vapply(measures, function(measure) do.call(measure_value, c(list(measure), data), quote = TRUE), 0)
}

# Means and standard errors over the resamples, one row for each cell. values: of cell_row_values().
summarise_cells <- function(plan, by_fold, measures, values, resamples) {
  table <- grid_table(plan)
  cell <- rep(seq_len(nrow(table)), length.out = nrow(by_fold))
  over <- function(column, f) unname(vapply(split(by_fold[[column]], cell), f, 0))
  values <- lapply(measures, function(measure) {
    found <- list(over(measure$name, mean_known), corrected_errors(values[[measure$name]], resamples)$se)
    stats::setNames(found, paste0(measure$name, c("", "_se")))
  })
  first <- measures[[1]]$name
  counted <- over(first, function(x) sum(!is.na(x)))
  list2DF(c(
    as.list(table), list(mean = values[[1]][[1]], se = values[[1]][[2]], folds = counted),
    unlist(values, recursive = FALSE),
    list(kernels = over("kernels", mean_known), support = over("support", mean_known),
         gap = over("gap", function(x) if (all(is.na(x))) NA_real_ else max(x, na.rm = TRUE)),
         seconds = over("seconds", function(x) sum(x, na.rm = TRUE)),
         failed = over("status", function(x) sum(x != "converged")))
  ))
}

# ---- the choice ----------------------------------------------------------------------------------

cv_rules <- c("best", "one_se", "margin")

# The row that is chosen. results: a data frame, or the list of its columns, which is quicker to take apart.
choose_cell <- function(results, larger, rule) {
  value <- cell_worth(results, larger)
  if (all(is.na(value))) return(NA_integer_)
  if (rule == "margin") {
    # comparable across kernel sets, so the set is not that of the leader by the mean
    near <- cells_near(results, value, one_se = TRUE)
    value <- replace(rep(NA_real_, length(value)), near, -results$margin_loss[near])
  }
  eligible <- cells_near(results, value, rule == "one_se")
  set <- results$set %||% rep(1, length(value))
  eligible <- eligible[set[eligible] == set[leading_cell(results, value)]]
  near <- take_cells(results, eligible)
  first <- if (rule != "one_se") list(tie_loss(near))
  eligible[do.call(order, c(first, simplicity(near)))][1]
}

# What breaks ties: the margin loss, which tells models apart that a coarse measure doesn't.
tie_loss <- function(results) {
  if (is.null(results$margin_loss)) numeric(length(results$mean)) else signif(results$margin_loss, 10)
}

take_cells <- function(results, rows) lapply(results, `[`, rows)

# The mean, or what is larger where it is better. Cells that lack folds take no part where others have
# them all.
cell_worth <- function(results, larger) {
  value <- if (larger) results$mean else -results$mean
  replace(value, results$folds < max(results$folds), NA)
}

# Rows as good as the best, or within its standard error.
cells_near <- function(results, value, one_se) {
  best <- max(value, na.rm = TRUE)
  se <- if (one_se) results$se[leading_cell(results, value)] else NA
  which(value >= best - (if (is.na(se)) 0 else se) - rounding_of(best))
}

# The best row, of equal ones that of the least margin loss, then of the set with fewer kernels.
leading_cell <- function(results, value) {
  best <- max(value, na.rm = TRUE)
  leader <- which(value >= best - rounding_of(best))
  kernels <- if (!is.null(results$set)) results$kernels[leader] else numeric(length(leader))
  leader[order(tie_loss(take_cells(results, leader)), kernels)][1]
}

rounding_of <- function(value) if (is.finite(value)) 1e-12 * abs(value) else 0

# Columns by which simpler models come first: smaller C (larger lambda), then smaller p or gamma.
# Settings of one kernel set mean something else for another.
simplicity <- function(results) {
  first <- if (!is.null(results$lambda)) -results$lambda else results$C
  other <- results$p %||% results$gamma %||% results$norm
  list(first, if (is.null(other)) numeric(length(first)) else as.numeric(other))
}

# Cells as a rule prefers them, the best first.
order_cells <- function(results, larger, rule) {
  worth <- if (larger) -results$mean else results$mean
  if (rule != "margin") return(order(worth, tie_loss(results)))
  near <- seq_len(nrow(results)) %in% cells_near(results, cell_worth(results, larger), one_se = TRUE)
  order(!near, ifelse(near, results$margin_loss, worth))
}

# Words for a rule.
rule_text <- function(rule) {
  switch(rule, best = "best mean", one_se = "simplest within one standard error",
         margin = "least margin loss within one standard error")
}

# The columns of `results` that say which cell it is: `inner` varies first.
grid_table <- function(plan) {
  cells <- expand.grid(inner = seq_along(plan$inner), outer = seq_along(plan$outer))
  columns <- lapply(stats::setNames(nm = plan$tuned), function(name) {
    switch(name,
      set = names(plan$sets)[plan$set][cells$outer],
      p = vapply(plan$outer, `[[`, 0, "p", USE.NAMES = FALSE)[cells$outer],
      norm = factor(names(plan$outer), unique(names(plan$outer)))[cells$outer],
      gamma = unlist(plan$outer)[cells$outer],
      plan$inner[cells$inner]
    )
  })
  list2DF(columns)
}
