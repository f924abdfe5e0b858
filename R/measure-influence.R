# The contribution of each row to a measure. A row's value is the measure plus the row's influence, the slope
# of the measure in the row's share of the weight (the infinitesimal jackknife). The weighted mean of the
# values is the measure, and their mean over other draws of the rows is the measure there, to first order.
# Every measure thus becomes a mean over rows, for averages over repeats and for the bootstrap.

# A vector with one value per row, NA where the row has no weight, or the measure no value. Arguments as in
# measure_value().
row_contributions <- function(measure, truth, response, decision, prob = NULL, weights = NULL,
                       training_outside = NULL, tau = NULL, loss = NULL) {
  if (is.matrix(response)) {
    each <- each_response(row_contributions, numeric(nrow(response)), measure, truth, response, decision, prob,
                      weights, tau, loss)
    return(known_row_means(matrix(each, nrow(response))))
  }
  weights <- weights %||% rep(1, NROW(decision))
  counted <- weights > 0
  rows <- function(x) if (is.null(x) || all(counted)) x else response_rows(x, counted)
  data <- list(truth = rows(truth), response = rows(response), decision = rows(decision), prob = rows(prob),
               weights = weights[counted], training_outside = training_outside, tau = tau)
  data$loss <- loss
  value <- do.call(measure_value, c(list(measure), data), quote = TRUE)
  values <- rep(NA_real_, length(weights))
  if (is.na(value)) return(values)
  key <- measure_key(measure)
  influence <- if (nzchar(key)) {
    do.call(influence_table[[key]], c(data, value = value), quote = TRUE)
  } else own_influence(measure, data, value)
  values[counted] <- value + influence - stats::weighted.mean(influence, data$weights)
  values
}

known_row_means <- function(x) {
  means <- rowMeans(x, na.rm = TRUE)
  replace(means, is.nan(means), NA)
}

# The limits of a measure's values.
measure_range <- function(measure) {
  key <- measure_key(measure)
  if (nzchar(key)) measure_table[[key]]$range else c(-Inf, Inf)
}

# ---- functions of means --------------------------------------------------------------------------

# The mean of losses of margins over their scale, which depends on the rows, too.
margin_loss_influence <- function(truth, decision, weights, ...) {
  margin <- scaled_margins(own_margins(truth, decision), weights)
  slope <- sum(weights * margin * 2 * stats::plogis(-2 * margin)) / sum(weights) / log(2)
  margin_losses(margin) + slope * margin^2 / 2
}

balanced_margin_loss_influence <- function(truth, decision, weights, ...) {
  balance <- balance_of(truth, weights)
  margin <- scaled_margins(own_margins(truth, decision), weights * balance)
  slope <- sum(weights * balance * margin * 2 * stats::plogis(-2 * margin)) / sum(weights) / log(2)
  loss <- margin_losses(margin) + slope * margin^2 / 2
  sums <- rowsum(cbind(weights * loss, weights), as.integer(truth))
  means <- sums[, 1L] / sums[, 2L]
  balance * (loss - means[as.character(as.integer(truth))])
}

rmse_influence <- function(truth, response, value, ...) {
  if (value == 0) numeric(length(truth)) else (truth - response)^2 / (2 * value)
}

r2_influence <- function(truth, response, weights, value, ...) {
  mean <- sum(weights * truth) / sum(weights)
  spread <- sum(weights * (truth - mean)^2) / sum(weights)
  ((1 - value) * (truth - mean)^2 - (truth - response)^2) / spread
}

outside_shift_influence <- function(response, weights, training_outside, ...) {
  kept <- sum(weights[response]) / sum(weights) / (1 - training_outside)
  sign(kept - 1) * response / (1 - training_outside)
}

# Influences on a measure of the confusion matrix are its slopes in the cells, evaluated for one row of each.
confusion_influence <- function(measure) {
  force(measure)
  function(truth, response, weights, ...) {
    levels <- levels(truth)
    as_level <- function(code) factor(levels[code], levels)
    code <- as.integer(truth) + length(levels) * (match(response, levels) - 1L)
    cells <- sort(unique(code))
    counts <- as.vector(rowsum(weights, match(code, cells)))
    rows <- list(truth = as_level((cells - 1L) %% length(levels) + 1L),
                 response = as_level((cells - 1L) %/% length(levels) + 1L))
    slopes <- vapply(seq_along(cells), function(k) {
      step <- 1e-4 * counts[k]
      ends <- vapply(c(-step, step), function(by) {
        weights <- replace(counts, k, counts[k] + by)
        do.call(measure_table[[measure]]$f, c(rows, list(weights = weights)), quote = TRUE)
      }, 0)
      diff(ends) / (2 * step)
    }, 0)
    sum(weights) * slopes[match(code, cells)]
  }
}

# ---- functions of ranks --------------------------------------------------------------------------

auc_row_influence <- function(truth, decision, weights, ...) {
  if (!is.matrix(decision)) {
    return(sum(weights) * auc_slopes(decision, truth == levels(truth)[2], weights))
  }
  code <- as.integer(truth)
  pairs <- expand.grid(i = seq_len(nlevels(truth)), j = seq_len(nlevels(truth)))
  pairs <- pairs[pairs$i != pairs$j & pairs$i %in% code & pairs$j %in% code, ]
  each <- mapply(function(i, j) {
    rows <- which(code %in% c(i, j))
    replace(numeric(length(code)), rows, auc_slopes(decision[rows, i], code[rows] == i, weights[rows]))
  }, pairs$i, pairs$j, SIMPLIFY = FALSE)
  sum(weights) * Reduce(`+`, each) / length(each)
}

auc_slopes <- function(scores, positive, weights) auc_influence(scores, positive, weights)$influence / weights

auprc_influence <- function(truth, decision, weights, ...) {
  if (!is.matrix(decision)) {
    return(sum(weights) * auprc_slopes(decision, truth == levels(truth)[2], weights))
  }
  each <- vapply(seq_len(nlevels(truth)), function(k) {
    auprc_slopes(decision[, k], as.integer(truth) == k, weights)
  }, numeric(length(truth)))
  sum(weights) * known_row_means(matrix(each, length(truth)))
}

# A row changes the precision at its own score and at all smaller ones; a positive row also changes the weight
# of the precision at its score.
auprc_slopes <- function(scores, positive, weights) {
  if (!has_both(positive)) return(rep(NA_real_, length(scores)))
  down <- ranked_weights(scores, positive, weights)
  at <- match(scores, sort(unique(scores), decreasing = TRUE))
  total <- down$positive + down$negative
  share <- diff(c(0, down$positive)) / max(down$positive)
  below <- function(x) rev(cumsum(rev(x)))[at]
  precision <- down$positive / total
  value <- sum(share * precision)
  ifelse(positive,
         (precision[at] - value) / max(down$positive) + below(share * down$negative / total^2),
         -below(share * down$positive / total^2))
}

concordance_row_influence <- function(truth, decision, weights, ...) {
  data <- list(truth = truth, decision = decision, weights = weights)
  sum(weights) * concordance_influence(data)$influence / weights
}

# ---- a user's function ---------------------------------------------------------------------------

# Influences on a function of the user, by leaving out one row after another. A row gets influence 0 if the
# function has no value without it.
own_influence <- function(measure, data, value) {
  weights <- data$weights
  if (length(weights) < 2L) return(numeric(length(weights)))
  change <- vapply(seq_along(weights), function(i) {
    data <- take_measured(data, -i)
    left <- tryCatch(do.call(measure_value, c(list(measure), data), quote = TRUE),
                     manykernels_measure = function(e) NA_real_)
    if (is.na(left)) 0 else value - left
  }, 0)
  change * (sum(weights) - weights) / weights
}

# ---- the table -----------------------------------------------------------------------------------

# One for each measure; means over rows have the values of the rows.
influence_table <- list(
  accuracy = function(truth, response, ...) as.double(response == truth),
  balanced_accuracy = confusion_influence("balanced_accuracy"),
  auc = auc_row_influence,
  auprc = auprc_influence,
  mcc = confusion_influence("mcc"),
  sensitivity = confusion_influence("sensitivity"),
  specificity = confusion_influence("specificity"),
  precision = confusion_influence("precision"),
  f1 = confusion_influence("f1"),
  margin_loss = margin_loss_influence,
  balanced_margin_loss = balanced_margin_loss_influence,
  log_loss = function(truth, prob, ...) log_losses(truth, prob),
  brier = function(truth, prob, ...) brier_losses(truth, prob),
  rmse = rmse_influence,
  mae = function(truth, response, ...) abs(truth - response),
  pinball = function(truth, response, tau, ...) pinball_losses(truth, response, tau),
  loss = function(truth, decision, loss, ...) loss_values(loss, decision, truth),
  concordance = concordance_row_influence,
  time_loss = function(truth, decision, loss = censored_loss(), ...) time_losses(truth, decision, loss),
  r2 = r2_influence,
  outside_shift = outside_shift_influence,
  inside = function(response, ...) as.double(response)
)
