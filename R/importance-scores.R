# What swaps do to a measure, and how sure that is.

# Of one fit and its rows: `base`, the measure of the rows as they are; `repeats` (units x repeats), of each
# swap; `base_left` and `left` (units x blocks): both without each block of rows. rows: list(truth, weights,
# blocks); units that no kernel reads change nothing.
score_swaps <- function(swaps, units, measure, rows, repeats, blocks, tick) {
  blocks <- seq_len(blocks)
  judge <- measure_of_rows(swaps$object, measure, rows)
  base <- judge(swaps$decision, seq_len(swaps$rows$n))
  weights <- rows$weights %||% rep(1, swaps$rows$n)
  base_left <- vapply(blocks, function(b) base(weights * (rows$blocks != b)), 0)
  whole <- base(weights)
  scored <- lapply(seq_along(units), function(u) {
    tick(1)
    swapped <- swapped_decision(swaps, units[[u]])
    score_unit(judge, swapped, weights, rows$blocks, length(blocks),
               swaps$donors(unit_has(swaps, units[[u]])))
  })
  field <- function(name, length) {
    matrix(unlist(lapply(scored, `[[`, name)), ncol = length, byrow = TRUE)
  }
  list(base = whole, base_left = base_left, repeats = field("repeats", repeats),
       left = field("left", length(blocks)))
}

# A swap is left out with the block of either row.
score_unit <- function(judge, decision, weights, blocks, count, donors) {
  n <- nrow(donors)
  value <- judge(decision, rep(seq_len(n), ncol(donors)))
  number <- rep(seq_len(ncol(donors)), each = n)
  weights <- rep(weights, ncol(donors))
  own <- rep(blocks, ncol(donors))
  from <- blocks[donors]
  list(repeats = vapply(seq_len(ncol(donors)), function(r) value(weights * (number == r)), 0),
       left = vapply(seq_len(count), function(b) value(weights * (own != b & from != b)), 0))
}

# judge(decision, which)(weights): the measure of decision values of the rows `which`.
measure_of_rows <- function(object, measure, rows) {
  tau <- fit_tau(object)
  outside <- if (kind_of(object) == "one_class") training_outside(object)
  function(decision, which) {
    if (is.null(object$models) && !inherits(object, "mkl_gomp")) decision <- decision[, 1L]
    else colnames(decision) <- output_names(object)
    predicted <- measured_predictions(object, decision)
    truth <- if (!is.null(rows$truth)) take_rows(rows$truth, which)
    function(weights) {
      measure_value(measure, truth, predicted$response, drop_one(predicted$decision), predicted$prob,
                    weights, outside, tau)
    }
  }
}

drop_one <- function(decision) {
  if (is.matrix(decision) && ncol(decision) == 1L) decision[, 1L] else decision
}

output_names <- function(object) {
  if (inherits(object, "mkl_gomp")) dimnames(object$coefficients)[[2L]] else names(object$models)
}

training_outside <- function(object) {
  stats::weighted.mean(object$decision < 0, object$weights %||% rep(1, length(object$decision)))
}

# ---- over all fits -------------------------------------------------------------------------------

# One row for each unit. parts: of score_swaps(); several fits count alike, as in a cross-validation.
importance_table <- function(parts, larger, level) {
  mean_of <- function(field) {
    values <- lapply(parts, `[[`, field)
    known <- Reduce(`+`, lapply(values, function(x) !is.na(x)))
    Reduce(`+`, lapply(values, function(x) replace(x, is.na(x), 0))) / replace(known, known == 0, NA)
  }
  sign <- if (larger) 1 else -1
  repeats <- sign * (mean_of("base") - mean_of("repeats"))
  left <- sign * (rep(mean_of("base_left"), each = nrow(repeats)) - mean_of("left"))
  importance <- rowMeans(repeats)
  blocks <- rowSums(!is.na(left))
  se <- sqrt((blocks - 1) / blocks * rowSums((left - rowMeans(left, na.rm = TRUE))^2, na.rm = TRUE))
  se[blocks < 2] <- NA
  # rounding gives units that change nothing a spread
  still <- rowSums(abs(repeats) > rounding_of(abs(mean_of("base")) + 1), na.rm = TRUE) == 0
  importance[still & !is.na(importance)] <- 0
  se[still & !is.na(se)] <- 0
  reach <- stats::qt((1 + level) / 2, pmax(blocks - 1, 1)) * se
  p <- stats::pt(importance / se, pmax(blocks - 1, 1), lower.tail = FALSE)
  p[which(se == 0)] <- as.numeric(importance[which(se == 0)] <= 0)
  list(table = data.frame(importance = importance, se = se, lower = importance - reach,
                          upper = importance + reach, p_value = p,
                          p_adjusted = stats::p.adjust(p, "BH")),
       repeats = repeats, base = mean_of("base"))
}
