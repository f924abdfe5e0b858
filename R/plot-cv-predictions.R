# Out-of-fold predictions of two classes: ROC and precision-recall curves, calibration.

# Columns resample, row, positive, decision, prob (of the second level, or NA) and weight.
two_class_predictions <- function(x, which) {
  found <- x$predictions
  if (!is.factor(found$truth) || nlevels(found$truth) != 2) {
    abort_unsupported("which", sprintf("`which = \"%s\"` is for two classes.", which), which)
  }
  prob <- if (!is.null(found$prob)) found$prob[, levels(found$truth)[2]]
  if (which == "calibration" && is.null(prob)) {
    mk_abort(paste("`which = \"calibration\"` needs probabilities:",
                   "cv_mkl(..., control = mkl_control(probability = TRUE))."),
             "no_probability", "which", which)
  }
  data.frame(
    resample = paste(found[["repeat"]], found$fold), row = found$row,
    positive = found$truth == levels(found$truth)[2], decision = found$decision,
    prob = prob %||% NA_real_, weight = x$fit$weights[found$row] %||% 1,
    name = levels(found$truth)[2]
  )
}

# One curve for each fold that has both classes, of all rows where none has; and their mean at even
# places. Tables with x and y.
tradeoff_data <- function(predictions, which) {
  predictions <- predictions[predictions$weight > 0, ]
  parts <- split(predictions, predictions$resample)
  parts <- parts[vapply(parts, function(part) length(unique(part$positive)) == 2, NA)]
  if (!length(parts)) parts <- list(predictions)
  curves <- lapply(unname(parts), if (which == "roc") roc_curve else pr_curve)
  areas <- vapply(parts, function(part) {
    area <- if (which == "roc") binary_auc else binary_auprc
    area(part$decision, part$positive, part$weight)
  }, 0)
  x <- seq(0, 1, 0.01)
  at <- if (which == "roc") roc_height else pr_height
  heights <- rowMeans(matrix(vapply(curves, at, x, x), length(x)))
  mean <- data.frame(x = x, y = heights)
  if (which == "roc") mean <- rbind(data.frame(x = 0, y = 0), mean)
  share <- sum(predictions$weight[predictions$positive]) / sum(predictions$weight)
  list(type = which, curves = curves, mean = mean, area = mean(areas),
       chance = if (which == "roc") c(0, 1) else c(share, share), name = predictions$name[1],
       x = if (which == "roc") "false positive rate" else "recall",
       y = if (which == "roc") "true positive rate" else "precision")
}

roc_curve <- function(part) {
  down <- ranked_weights(part$decision, part$positive, part$weight)
  data.frame(x = c(0, down$negative / max(down$negative)),
             y = c(0, down$positive / max(down$positive)))
}

# Steps: each precision holds for the recall gained down to its threshold; thresholds that gain none
# are left out.
pr_curve <- function(part) {
  down <- ranked_weights(part$decision, part$positive, part$weight)
  recall <- down$positive / max(down$positive)
  precision <- down$positive / (down$positive + down$negative)
  gain <- diff(c(0, recall)) > 0
  data.frame(x = c(0, utils::head(rep(recall[gain], each = 2), -1)),
             y = rep(precision[gain], each = 2))
}

# The upper end where the curve is vertical.
roc_height <- function(curve, x) {
  k <- findInterval(x, curve$x)
  after <- pmin(k + 1, nrow(curve))
  part <- (x - curve$x[k]) / pmax(curve$x[after] - curve$x[k], .Machine$double.xmin)
  curve$y[k] + part * (curve$y[after] - curve$y[k])
}

# The precision of the first step that reaches a recall, which may differ by rounding.
pr_height <- function(curve, x) {
  ends <- seq(2, nrow(curve), by = 2)
  curve$y[ends][findInterval(x - 1e-12, curve$x[ends], left.open = TRUE) + 1]
}

# Enough for the shape of the curve, few enough for narrow intervals.
calibration_groups <- 10L

calibration_data <- function(predictions) {
  predictions <- predictions[predictions$weight > 0 & !is.na(predictions$prob), ]
  prob <- tapply(predictions$prob, predictions$row, mean)
  once <- predictions[match(names(prob), predictions$row), ]
  breaks <- stats::quantile(prob, seq_len(calibration_groups - 1) / calibration_groups)
  group <- findInterval(prob, unique(breaks), left.open = TRUE)
  sums <- function(v) as.vector(rowsum(as.vector(v), group))
  total <- sums(once$weight)
  share <- sums(once$weight * once$positive) / total
  table <- data.frame(x = sums(once$weight * prob) / total, y = share)
  table[c("low", "high")] <- wilson_interval(share, total)
  list(type = "calibration", table = table, prob = as.vector(prob), name = once$name[1])
}

wilson_interval <- function(share, n, z = stats::qnorm(0.975)) {
  middle <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  list(pmax(middle - half, 0), pmin(middle + half, 1))
}

# A square from 0 to 1 both ways.
with_unit_square <- function(main, x, y, draw) {
  margins <- c(line_inches(3.2), line_inches(4.2), line_inches(if (is.null(main)) 1.6 else 3.2),
               line_inches(1))
  spare <- graphics::par("fin") - c(sum(margins[c(2, 4)]), sum(margins[c(1, 3)]))
  margins[if (spare[1] > spare[2]) 4 else 3] <-
    margins[if (spare[1] > spare[2]) 4 else 3] + abs(diff(spare))
  with_figure(margins, c(-0.02, 1.02), c(-0.02, 1.02), function() {
    at <- seq(0, 1, 0.2)
    graphics::segments(0, at, 1, at, col = ink$grid)
    graphics::segments(at, 0, at, 1, col = ink$grid)
    draw()
    quiet_axis(1, at)
    quiet_axis(2, at)
    axis_title(x, 1, 1.9)
    axis_title(y, 2, 2.8, las = 0)
  }, main)
}

draw_tradeoff <- function(data, main) {
  colour <- view_colours(1)
  with_unit_square(main, data$x, data$y, function() {
    graphics::segments(0, data$chance[1], 1, data$chance[2], lty = 2, col = ink$soft)
    for (curve in data$curves) graphics::lines(curve, col = lighten(colour, 0.65))
    graphics::lines(data$mean, col = colour, lwd = 2.5)
    low <- if (data$type == "roc") "bottomright" else "bottomleft"
    graphics::legend(low, tradeoff_entries(data), inset = 0.03, cex = 0.8, text.col = ink$text,
                     col = c(colour, lighten(colour, 0.65), ink$soft), lty = c(1, 1, 2),
                     lwd = c(2.5, 1, 1), bg = "white", box.col = NA)
  })
}

tradeoff_entries <- function(data) {
  c(sprintf("mean, area %.3f", data$area),
    if (length(data$curves) > 1) sprintf("%d folds", length(data$curves)) else "all rows", "chance")
}

draw_calibration <- function(data, main) {
  table <- data$table
  colour <- view_colours(1)
  counts <- graphics::hist(data$prob, seq(0, 1, 0.05), plot = FALSE)$counts
  titles <- calibration_titles(data)
  with_unit_square(main, titles$x, titles$y, function() {
    graphics::segments(0, 0, 1, 1, lty = 2, col = ink$soft)
    left <- seq(0, 0.95, 0.05)
    graphics::rect(left, 0, left + 0.05, 0.15 * counts / max(counts), col = ink$grid,
                   border = "white")
    graphics::segments(table$x, table$low, table$x, table$high, col = lighten(colour, 0.4),
                       lwd = 1.5)
    graphics::lines(table$x, table$y, col = colour, lwd = 2)
    graphics::points(table$x, table$y, col = colour, pch = 16)
  })
}

calibration_titles <- function(data) {
  name <- shorten(data$name, 20L)
  list(x = sprintf("predicted probability of \"%s\"", name),
       y = sprintf("observed share of \"%s\"", name))
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_tradeoff <- function(data) {
  colour <- view_colours(1)
  table <- do.call(rbind, Map(cbind, data$curves, fold = seq_along(data$curves)))
  ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::annotate("segment", x = 0, xend = 1, y = data$chance[1], yend = data$chance[2],
                      linetype = 2, colour = ink$soft) +
    ggplot2::geom_path(ggplot2::aes(group = .data$fold), colour = lighten(colour, 0.65)) +
    ggplot2::geom_path(data = data$mean, colour = colour, linewidth = 1) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = data$x, y = data$y, subtitle = tradeoff_entries(data)[1])
}

ggplot_calibration <- function(data) {
  titles <- calibration_titles(data)
  colour <- view_colours(1)
  ggplot2::ggplot(data$table, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::annotate("segment", x = 0, xend = 1, y = 0, yend = 1, linetype = 2,
                      colour = ink$soft) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$low, ymax = .data$high),
                            colour = lighten(colour, 0.4)) +
    (if (nrow(data$table) > 1) ggplot2::geom_line(colour = colour)) +
    ggplot2::geom_point(colour = colour) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = titles$x, y = titles$y)
}
