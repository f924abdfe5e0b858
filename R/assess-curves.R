# Curves of classes on new rows: ROC, precision and recall, calibration.

# A data frame of row, positive, decision, prob, weight and perhaps group for each class with a curve, as in
# plots of cross-validations: the second of two classes, each of more against the others, and each label.
set_sides <- function(set, parts, group = NULL) {
  if (set$kind != "classification") return(NULL)
  levels <- levels(set$truth)
  if (length(levels) == 2L) parts <- stats::setNames(list(set), levels[2L])
  if (length(levels) > 2L) parts <- lapply(stats::setNames(nm = levels), class_part, set, NULL)
  lapply(parts, function(part) {
    side <- data.frame(row = seq_along(part$weights), positive = as.integer(part$truth) == 2L, decision = part$decision,
                       prob = if (is.null(part$prob)) NA_real_ else part$prob[, 2L], weight = part$weights)
    side$group <- group
    side
  })
}

curve_tables <- function(sides, table) {
  sides <- Filter(function(side) has_both(side$positive), sides)
  if (!length(sides)) return(NULL)
  out <- do.call(rbind, Map(function(class, side) cbind(class = class, table(side)), names(sides), sides))
  rownames(out) <- NULL
  out
}

# A row for each threshold, from one above all decision values down to the smallest.
roc_table <- function(side) {
  down <- ranked_weights(side$decision, side$positive, side$weight)
  data.frame(threshold = c(Inf, falling_values(side$decision)),
             sensitivity = c(0, down$positive / max(down$positive)),
             specificity = 1 - c(0, down$negative / max(down$negative)))
}

pr_table <- function(side) {
  down <- ranked_weights(side$decision, side$positive, side$weight)
  data.frame(threshold = falling_values(side$decision), recall = down$positive / max(down$positive),
             precision = down$positive / (down$positive + down$negative))
}

falling_values <- function(x) sort(unique(x), decreasing = TRUE)

# ---- calibration ---------------------------------------------------------------------------------

calibration_tables <- function(sides, level) {
  curve <- do.call(rbind, Map(function(class, side) {
    table <- class_calibration(side, level)$table
    data.frame(class = class, predicted = table$x, observed = table$y, lower = table$low, upper = table$high)
  }, names(sides), sides))
  summary <- do.call(rbind, Map(function(class, side) {
    data.frame(class = class, calibration_slope(side, level), brier_parts(side))
  }, names(sides), sides))
  rownames(curve) <- rownames(summary) <- NULL
  list(curve = curve, summary = summary)
}

# A logistic regression of the class on the logit of its probability gives the slope; one with the slope
# fixed at 1 gives the intercept.
calibration_slope <- function(side, level) {
  bounded <- pmin(pmax(side$prob, .Machine$double.eps), 1 - .Machine$double.eps)
  logit <- stats::qlogis(bounded)
  intercept <- logistic_coefficient(cbind(rep(1, length(logit))), side, logit, level)
  slope <- logistic_coefficient(cbind(logit, 1), side, numeric(length(logit)), level)
  data.frame(intercept = intercept[1L], intercept_lower = intercept[2L], intercept_upper = intercept[3L],
             slope = slope[1L], slope_lower = slope[2L], slope_upper = slope[3L])
}

# The first coefficient with its interval; NA where there is no finite one. The variance of the likelihood holds
# for independent rows of equal weight alone.
logistic_coefficient <- function(x, side, offset, level) {
  none <- rep(NA_real_, 3L)
  if (!has_both(side$positive) || qr(x)$rank < ncol(x)) return(none)
  # weights that sum to the number of rows leave the variance of the likelihood its meaning
  weights <- side$weight / mean(side$weight)
  fit <- suppressWarnings(stats::glm.fit(x, as.double(side$positive), weights, offset = offset,
                                         family = stats::quasibinomial()))
  apart <- all(abs(fit$fitted.values - side$positive) < 1e-6)
  if (!fit$converged || apart || fit$rank < ncol(x)) return(none)
  inverse <- chol2inv(fit$qr$qr[seq_len(ncol(x)), seq_len(ncol(x)), drop = FALSE])
  first <- fit$qr$pivot == 1L
  usual <- is.null(side$group) && length(unique(side$weight)) == 1L
  variance <- if (usual) inverse[first, first] else {
    towards <- as.vector(x[, fit$qr$pivot, drop = FALSE] %*% inverse[, first])
    sandwich_variance(towards * weights * (side$positive - fit$fitted.values), side$group)
  }
  value <- fit$coefficients[[1L]]
  c(value, normal_limits(value, variance, level))
}

# The Brier score and its parts, with an isotonic regression in place of bins.
brier_parts <- function(side) {
  score <- function(p) sum(side$weight * (p - side$positive)^2) / sum(side$weight)
  share <- sum(side$weight * side$positive) / sum(side$weight)
  brier <- score(side$prob)
  recalibrated <- score(isotonic_shares(side))
  uncertainty <- score(share)
  data.frame(brier = brier, reliability = brier - recalibrated, resolution = uncertainty - recalibrated,
             uncertainty = uncertainty)
}

# Shares of the class that rise with its probability, by pooling neighbours in the wrong order.
isotonic_shares <- function(side) {
  value <- match(side$prob, sort(unique(side$prob)))
  weight <- as.vector(rowsum(side$weight, value))
  mean <- as.vector(rowsum(side$weight * side$positive, value)) / weight
  size <- rep(1L, length(mean))
  top <- 0L
  for (k in seq_along(mean)) {
    top <- top + 1L
    mean[top] <- mean[k]
    weight[top] <- weight[k]
    size[top] <- 1L
    while (top > 1L && mean[top - 1L] >= mean[top]) {
      joint <- weight[top - 1L] + weight[top]
      mean[top - 1L] <- (weight[top - 1L] * mean[top - 1L] + weight[top] * mean[top]) / joint
      weight[top - 1L] <- joint
      size[top - 1L] <- size[top - 1L] + size[top]
      top <- top - 1L
    }
  }
  rep(mean[seq_len(top)], size[seq_len(top)])[value]
}

class_part <- function(level, set, measures) {
  own <- function(x) structure((x == level) + 1L, levels = c("other", "own"), class = "factor")
  at <- match(level, levels(set$truth))
  prob <- if (!is.null(set$prob)) cbind(other = 1 - set$prob[, at], own = set$prob[, at])
  c(list(truth = own(set$truth), response = own(set$response), decision = set$decision[, at], prob = prob,
         measures = measures, class = level), set["weights"])
}
