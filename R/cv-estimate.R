# The estimate for the chosen cell on new samples: the bias-corrected bootstrap of Tsamardinos, Greasidou and
# Borboudakis (2018). Each draw of the samples chooses a cell, which is measured on the samples not drawn.

ESTIMATE_DRAWS <- 1000L
ESTIMATE_LEVEL <- 0.95
FEWEST_UNITS <- 6L # groups (or rows) from which intervals cover what they say: of 3 they cover 75 %, of 4 88 %

# A data frame with a row for each of `reported`. values: of cell_row_values(); results: of
# summarise_cells(), whose means are replaced by those of each draw; group: codes of rows that are drawn
# together, or NULL; tol: as for choose_cell().
estimate_choice <- function(values, results, larger, rule, reported, group = NULL, tol = 0,
                            draws = ESTIMATE_DRAWS, block = BLOCK_NUMBERS) {
  counted <- rowSums(values[[1L]]$weight) > 0
  whole <- results$folds == max(results$folds) # no other cell is ever chosen
  values <- lapply(values, lapply, function(x) x[counted, whole, drop = FALSE])
  results <- results[whole, ]
  unit <- if (is.null(group)) seq_len(sum(counted)) else match(group[counted], unique(group[counted]))
  names <- vapply(reported, `[[`, "", "name")
  scores <- matrix(NA_real_, 0L, length(names))
  if (max(0L, unit) > 1L) {
    blocks <- split(seq_len(draws), ceiling(seq_len(draws) / max(1, block %/% length(unit))))
    scores <- do.call(rbind, lapply(lengths(blocks), function(count) {
      times <- draw_units(max(unit), count)
      if (!is.null(group)) times <- times[unit, , drop = FALSE]
      chosen <- choose_drawn(values, times, results, larger, rule, tol)
      vapply(values[names], score_left_out, numeric(count), left = (times == 0) + 0, chosen = chosen)
    }))
  }
  limits <- vapply(seq_along(names), function(k) {
    left_out_limits(scores[, k], reported[[k]], units = max(0L, unit))
  }, numeric(2L))
  data.frame(measure = names, estimate = apply(scores, 2L, mean_known), lower = limits[1L, ],
             upper = limits[2L, ], row.names = NULL)
}

# Percentiles as they are: the rows not drawn are fewer than all rows, which about makes up for the training
# rows that folds share. Linear values may be beyond the limits of the measure.
# Draws that are all alike, as of a fit without a single error, don't show how a value varies: the accuracy has
# Wilson's interval then, other measures have none. Nor do draws of few units.
left_out_limits <- function(scores, measure, units) {
  known <- scores[!is.na(scores)]
  if (!length(known) || units < FEWEST_UNITS) return(c(NA_real_, NA_real_))
  limits <- stats::quantile(known, (1 + c(-1, 1) * ESTIMATE_LEVEL) / 2, names = FALSE)
  if (limits[1L] == limits[2L]) {
    if (measure_key(measure) != "accuracy") return(c(NA_real_, NA_real_))
    limits <- unlist(wilson_interval(limits[1L], units, stats::qnorm((1 + ESTIMATE_LEVEL) / 2)))
  }
  range <- measure_range(measure)
  pmin(pmax(limits, range[1L]), range[2L])
}

# The cell that each draw chooses. times: how often each row is drawn, rows by draws.
choose_drawn <- function(values, times, results, larger, rule, tol = 0) {
  if (nrow(results) == 1L) return(rep(1L, ncol(times)))
  results <- as.list(results)
  means <- drawn_means(values[[1L]], times)
  ties <- intersect(tie_losses, names(results))
  losses <- lapply(stats::setNames(nm = ties), function(loss) drawn_means(values[[loss]], times))
  vapply(seq_len(ncol(times)), function(k) {
    results$mean <- means[k, ]
    for (loss in ties) results[[loss]] <- losses[[loss]][k, ]
    choose_cell(results, larger, rule, tol)
  }, 0L)
}

# Draws by cells. Cells mostly have values of the same rows, then one of them has the weights of all.
drawn_means <- function(own, times) {
  weight <- own$weight
  if (all(weight == weight[, 1L])) weight <- weight[, 1L]
  totals <- crossprod(times, cbind(own$sum, weight, deparse.level = 0))
  cells <- seq_len(ncol(own$sum))
  weights <- totals[, -cells]
  means <- totals[, cells, drop = FALSE] / weights
  replace(means, is.nan(means), NA)
}

# The measure of the chosen cells on the rows that are not drawn; NA if these have no value. left: 1 for these
# rows, 0 for the others, rows by draws.
score_left_out <- function(own, left, chosen) {
  scores <- rep(NA_real_, ncol(left))
  for (cell in unique(stats::na.omit(chosen))) {
    draws <- which(chosen == cell)
    own_left <- if (length(draws) < ncol(left)) left[, draws, drop = FALSE] else left
    totals <- crossprod(own_left, cbind(own$sum[, cell], own$weight[, cell]))
    scores[draws] <- totals[, 1L] / totals[, 2L]
  }
  replace(scores, is.nan(scores), NA)
}
