# Effects of swaps on a measure, and their uncertainty.

# The scores of some units of one fit on its rows, a list for each unit: `base` is the measure of the rows as
# they are, `repeats` that of each swap. `base_left` and `left` leave out one of the blocks of rows at a time;
# a swap belongs to the blocks of both its rows. The two count the same rows equally often, so that what they
# have in common cancels. `part` is made by new_part(), `blocks` is the number of blocks in all parts.
score_swaps <- function(swaps, units, measure, part, blocks, tick) {
  judge <- measure_of(swaps$object, measure)
  as_they_are <- rep(1, part$repeats) %x% swaps$decision
  value <- judge(as_they_are)
  known <- new.env()
  lapply(units, function(unit) {
    tick(1)
    swapped <- swapped_decision(swaps, unit)
    has <- unit_has(swaps, unit)
    key <- paste(c("rows", if (!is.null(has)) which(!has)), collapse = " ")
    if (is.null(known[[key]])) {
      sets <- decided_rows(part, part$donors(has), blocks)
      known[[key]] <- list(sets = sets, base = lapply(sets, function(own) vapply(own, value, 0)))
    }
    base <- known[[key]]$base
    own <- if (all(swapped == as_they_are)) base else {
      value <- judge(swapped)
      lapply(known[[key]]$sets, function(sets) vapply(sets, value, 0))
    }
    c(own, list(base_left = base$left, base = base$repeats[1L]))
  })
}

# The scores of all units of one fit: `repeats` (units x repeats), `left` and `base_left` (units x blocks).
bind_scores <- function(scored) {
  rows <- function(field) do.call(rbind, lapply(scored, `[[`, field))
  list(base = scored[[1L]]$base, base_left = rows("base_left"), repeats = rows("repeats"), left = rows("left"))
}

# The decision values (rows in the first swap, in the second, ...) that each measure takes: list(repeats,
# left) of lists(which, truth, weights).
decided_rows <- function(part, donors, blocks) {
  n <- nrow(donors)
  rows <- function(which) {
    of <- (which - 1L) %% n + 1L
    list(which = which, truth = if (!is.null(part$truth)) take_rows(part$truth, of),
         weights = if (is.null(part$weights)) rep(1, length(of)) else part$weights[of])
  }
  own <- rep(part$blocks, ncol(donors))
  from <- part$blocks[donors]
  list(repeats = lapply(seq_len(ncol(donors)), function(r) rows((r - 1L) * n + seq_len(n))),
       left = lapply(seq_len(blocks), function(b) rows(which(own != b & from != b))))
}

# judge(decision)(rows): the measure of rows out of decided_rows().
measure_of <- function(object, measure) {
  tau <- fit_tau(object)
  loss <- fit_loss(object)
  outside <- if (kind_of(object) == "one_class") training_outside(object)
  function(decision) {
    if (!has_models(object) && !inherits(object, "mkl_gomp")) decision <- decision[, 1L] else
      colnames(decision) <- output_names(object)
    predicted <- measured_predictions(object, decision)
    scores <- drop_one(predicted$decision)
    function(rows) {
      prob <- if (!is.null(predicted$prob)) take_rows(predicted$prob, rows$which)
      measure_value(measure, rows$truth, take_rows(predicted$response, rows$which),
                    take_rows(scores, rows$which), prob, rows$weights, outside, tau, loss)
    }
  }
}

drop_one <- function(decision) {
  if (is.matrix(decision) && ncol(decision) == 1L) decision[, 1L] else decision
}

output_names <- function(object) {
  if (inherits(object, "mkl_gomp")) dimnames(object$coefficients)[[2L]] else model_names(object)
}

training_outside <- function(object) {
  stats::weighted.mean(object$decision < 0, object$weights %||% rep(1, length(object$decision)))
}

# ---- over all fits -------------------------------------------------------------------------------

# One row for each unit. parts: of bind_scores(); several fits count alike, as in a cross-validation.
importance_table <- function(parts, larger, level) {
  mean_of <- function(field) {
    values <- lapply(parts, `[[`, field)
    known <- Reduce(`+`, lapply(values, function(x) !is.na(x)))
    Reduce(`+`, lapply(values, function(x) replace(x, is.na(x), 0))) / replace(known, known == 0, NA)
  }
  sign <- if (larger) 1 else -1
  repeats <- sign * (mean_of("base") - mean_of("repeats"))
  left <- sign * (mean_of("base_left") - mean_of("left"))
  importance <- rowMeans(repeats)
  blocks <- rowSums(!is.na(left))
  se <- sqrt((blocks - 1) / blocks * rowSums((left - rowMeans(left, na.rm = TRUE))^2, na.rm = TRUE))
  se[blocks < 2 | se == 0] <- NA # of so few rows that leaving some out makes no difference
  # rounding gives units that change nothing a spread
  still <- rowSums(abs(repeats) > rounding_of(abs(mean_of("base")) + 1), na.rm = TRUE) == 0
  importance[still & !is.na(importance)] <- 0
  se[still & blocks > 1] <- 0
  reach <- stats::qt((1 + level) / 2, pmax(blocks - 1, 1)) * se
  p <- stats::pt(importance / se, pmax(blocks - 1, 1), lower.tail = FALSE)
  p <- pmax(p, 1 / factorial(pmin(blocks, 20))) # among so many orders of the rows
  p[which(se == 0)] <- 1
  list(table = data.frame(importance = importance, se = se, lower = importance - reach,
                          upper = importance + reach, p_value = p,
                          p_adjusted = stats::p.adjust(p, "BH")),
       repeats = repeats, base = mean_of("base"))
}
