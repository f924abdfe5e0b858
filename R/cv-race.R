# Cells that can't win are stopped after the first resamples.

BEATEN_BY <- 1       # standard errors of the paired difference of the losses
ENOUGH_UNITS <- 100L # held-out rows, or groups of them, that a difference is judged by
MANY_UNITS <- 500L   # number of units above which the best scaling and p can be separated

# The position of the best cell so far with the scaling that is searched on with; NULL: none has a value.
leader_of <- function(search) {
  own <- which(search$cells$scale == search$scale)
  best <- judge_cells(search$judge, search$results[own, , drop = FALSE])
  if (!is.na(best)) as.list(search$cells[own[best], c("outer", "inner")])
}

# cells: a data frame of outer, inner and perhaps scale; those that were tried before are left out, unless
# they were stopped without having lost. race: whether the first resamples may stop some of them.
try_cells <- function(search, cells, how, race = TRUE) {
  cells$scale <- cells$scale %||% rep(search$scale, nrow(cells))
  place <- match(cell_keys(cells), cell_keys(search$cells))
  kept <- is.na(place) | search$cells$waits[place]
  cells <- cells[kept, c("outer", "inner", "scale"), drop = FALSE]
  place <- place[kept]
  if (!nrow(cells)) return(search)
  cells$search <- rep(how, nrow(cells))
  known <- lapply(place, function(k) if (!is.na(k)) lapply(search$outcomes, `[[`, k))
  again <- place[!is.na(place)]
  if (length(again)) search <- without_cells(search, again)
  found <- if (race) race_cells(search, cells, how, known) else
    list(outcomes = run_cells(search, cells, search$on), going = rep(TRUE, nrow(cells)))
  cells$waits <- !found$going & startsWith(how, "scaling")
  search$cells <- rbind(search$cells, cells)
  search$outcomes <- Map(c, search$outcomes, found$outcomes)
  search$results <- rbind(search$results, results_of(search, cells, found$outcomes))
  search
}

# list(outcomes (by resample, then cell), going). how: what the round is called; known: outcomes in the
# first resamples, by cell and then resample, NULL for cells that have none.
race_cells <- function(search, cells, how, known = vector("list", nrow(cells))) {
  count <- scout_count(search)
  if (!count) return(list(outcomes = run_cells(search, cells, search$on), going = rep(TRUE, nrow(cells))))
  scouts <- search$on[seq_len(count)]
  others <- search$on[-seq_len(count)]
  new <- lengths(known) == 0L
  first <- lapply(seq_len(count), function(r) lapply(known, function(own) if (length(own)) own[[r]]))
  if (any(new)) {
    first <- Map(function(all, own) replace(all, new, own), first,
                 run_cells(search, cells[new, , drop = FALSE], scouts))
  }
  going <- is_going(search, cells, scouts, first, how)
  rest <- rep(list(rep(list(failed_cell(status = "stopped")), nrow(cells))), length(others))
  if (any(going)) {
    found <- run_cells(search, cells[going, , drop = FALSE], others)
    rest <- Map(function(all, own) replace(all, going, own), rest, found)
  }
  list(outcomes = c(first, rest), going = going)
}

# How many resamples come first; 0 if too few are left for the others.
scout_count <- function(search) {
  units <- lapply(search$on, function(r) held_out_units(search, r))
  enough <- which(vapply(seq_along(units), function(k) {
    length(unique(unlist(units[seq_len(k)])))
  }, 0L) >= ENOUGH_UNITS)
  if (length(enough) && 2L * enough[1L] < length(units)) enough[1L] else 0L
}

held_out_units <- function(search, r) {
  test <- search$run$resamples[[r]]$test
  search$run$group[test] %||% test
}

# TRUE for cells that go on. A cell is stopped if it loses to the best one known in the first resamples: its
# loss is larger by more than chance, and the measure is no better. The best cell of each scaling goes on,
# unless many rows were held out; then only the best p goes on. Of the leader's neighbours those that are
# better go on. outcomes: by resample, then cell.
is_going <- function(search, cells, scouts, outcomes, how) {
  plan <- search$plan
  count <- nrow(cells)
  leader <- leading_outcomes(search, length(scouts))
  all <- Map(c, leader, outcomes)
  by_cell <- lapply(seq_along(all[[1L]]), function(k) lapply(all, `[[`, k))
  resamples <- search$run$resamples[scouts]
  by_cell <- lapply(by_cell, interpret_cell, plan, resamples)
  losses <- lapply(by_cell, function(own) unlist(Map(row_losses, own, list(plan), resamples)))
  test <- unlist(lapply(resamples, `[[`, "test"))
  known <- lengths(losses) == length(test)
  if (sum(known) < 2L) return(rep(TRUE, count))
  weights <- judged_weights(plan$weights[test] %||% rep(1, length(test)), plan,
                            response_rows(plan$response, test))
  unit <- unlist(lapply(scouts, held_out_units, search = search))
  mean <- rep(NA_real_, length(losses))
  mean[known] <- vapply(losses[known], stats::weighted.mean, 0, weights)
  best <- which.min(mean)
  value <- vapply(by_cell, function(own) {
    mean_known(unlist(Map(cell_measures, own, list(plan), resamples, list(search$judge$measures[1L]))))
  }, 0)
  if (!search$judge$measures[[1L]]$larger) value <- -value
  beaten <- known & !(value > value[best]) %in% TRUE
  beaten[beaten] <- vapply(losses[beaten], function(loss) is_larger(loss - losses[[best]], weights, unit), NA)
  going <- utils::tail(!beaten, count)
  own <- utils::tail(mean, count)
  many <- length(unique(unit)) >= MANY_UNITS
  least <- stats::ave(own, cells$scale, FUN = function(loss) min(loss, Inf, na.rm = TRUE))
  best_only <- is.na(own) | own == least
  better <- if (length(leader[[1L]])) is.na(own) | own < mean[1L] else rep(TRUE, count)
  switch(how,
    scaling = , `scaling of a view` = going & best_only & !many,
    p = going & (!many | (best_only & better)),
    refined = going & better,
    going
  )
}

# The outcomes of the leader in the first resamples: of each a list of none or one. The leader is that of the
# scaling that is searched on with, of all until it has cells.
leading_outcomes <- function(search, count) {
  own <- which(search$cells$scale == search$scale)
  if (!length(own)) own <- seq_len(nrow(search$cells))
  best <- if (length(own)) own[judge_cells(search$judge, search$results[own, , drop = FALSE])]
  lapply(search$outcomes[seq_len(count)], function(own) if (length(best) && !is.na(best)) own[best] else list())
}

# Whether the mean is above 0 by more than chance; rows of a unit (group) count as one.
is_larger <- function(difference, weights, unit) {
  sums <- rowsum(cbind(weights * difference, weights), unit)
  mean <- sum(sums[, 1L]) / sum(sums[, 2L])
  deviation <- sums[, 1L] - mean * sums[, 2L]
  se <- sqrt(sum(deviation^2)) / sum(sums[, 2L])
  mean > BEATEN_BY * se
}

# The loss of each held-out row; NULL where the model has none.
row_losses <- function(cell, plan, resample) {
  if (is.null(cell$response) || is.null(plan$response)) return(NULL)
  truth <- response_rows(plan$response, resample$test)
  loss <- plan$settings$loss
  if (is.factor(truth)) {
    scores <- class_scores(cell$decision, plan$settings$multiclass, levels(truth))
    margin <- own_margins(truth, if (ncol(scores) == 1) scores[, 1] else scores)
    return(margin_losses(scaled_margins(margin)))
  }
  if (is_times(truth)) return(time_losses(truth, cell$decision[, 1], loss))
  if (is_labels(truth)) {
    margins <- (2 * truth - 1) * cell$decision
    return(rowMeans(apply(margins, 2, function(own) margin_losses(scaled_margins(own)))))
  }
  error <- as.vector(unclass(truth)) - cell$decision
  if (is.null(loss$tau)) {
    unit <- if (is.matrix(truth)) apply(truth, 2, stats::var) else 1
    return(rowMeans(error^2 / rep(pmax(unit, .Machine$double.xmin), each = nrow(error))))
  }
  tau <- rep(loss$tau, each = nrow(error))
  rowMeans(pmax(tau * error, (tau - 1) * error))
}
