# Out-of-fold predictions of classes: ROC and precision-recall curves, calibration. Of two classes the
# second level is the positive one; of several each in turn, against the others.

# A table for each positive class: resample, row, positive, decision, prob (of the class, or NA), weight, and the
# group where rows have one.
predictions_by_class <- function(x, which) {
  found <- class_predictions(x, which)
  if (which == "calibration" && is.null(found$prob)) {
    mk_abort(paste("`which = \"calibration\"` needs probabilities:",
                   "cv_mkl(..., control = mkl_control(probability = TRUE))."),
             "no_probability", "which", which)
  }
  levels <- levels(found$truth)
  positive <- if (length(levels) == 2) levels[2] else levels
  decision <- class_scores(as.matrix(found$decision), x$settings$multiclass, levels)
  parts <- lapply(seq_along(positive), function(k) {
    part <- data.frame(
      resample = paste(found[["repeat"]], found$fold), row = found$row,
      positive = found$truth == positive[k], decision = decision[, k],
      prob = if (is.null(found$prob)) NA_real_ else found$prob[, positive[k]],
      weight = x$fit$weights[found$row] %||% 1
    )
    part$group <- x$group[found$row]
    part
  })
  stats::setNames(parts, positive)
}

class_predictions <- function(x, which) {
  found <- in_used_rows(x)$predictions
  if (is.factor(found$truth)) return(found)
  abort_unsupported("which", sprintf("`which = \"%s\"` is for classes.", which), which)
}

# The margins of the rows held out, a row's mean over the repeats.
held_out_bands <- function(x, most = MOST_BANDS_OF_ROWS) {
  found <- class_predictions(x, "held_out")
  scores <- class_scores(as.matrix(found$decision), x$settings$multiclass, levels(found$truth))
  margin <- own_margins(found$truth, if (ncol(scores) > 1L) scores else scores[, 1L])
  first <- found[!duplicated(found$row), ]
  margin <- as.vector(tapply(margin, found$row, mean)[as.character(first$row)])
  axis <- if (ncol(scores) > 1L) "rows held out: score of the true class minus the largest other" else
    expression("rows held out: margin " * y[i] * " " * f(x[i]))
  c(type = "held_out", bands_of_classes(margin, first$truth, "held-out error", axis, most))
}

# list(type, classes, x, y)
tradeoff_data <- function(predictions, which, level = 0.95) {
  list(type = which, classes = lapply(predictions, class_tradeoff, which = which, level = level),
       x = if (which == "roc") "false positive rate" else "recall",
       y = if (which == "roc") "true positive rate" else "precision")
}

# The curve of all rows, which count once, by their mean decision value over the repeats; its area, for ROC
# with DeLong's interval; and a curve for each fold that has both classes. Tables with x and y.
class_tradeoff <- function(predictions, which, level = 0.95) {
  predictions <- predictions[predictions$weight > 0, ]
  once <- once_per_row(predictions, "decision")
  share <- sum(once$weight[once$positive]) / sum(once$weight)
  roc <- which == "roc"
  curve <- if (roc) roc_curve else pr_curve
  folds <- if (!is.null(predictions$resample)) split(predictions, predictions$resample)
  folds <- Filter(function(part) has_both(part$positive), folds)
  found <- if (roc) auc_influence(once$decision, once$positive, once$weight)
  list(
    curve = curve(once), band = tradeoff_band(once, roc, level), curves = lapply(unname(folds), curve),
    area = if (roc) found$area else binary_auprc(once$decision, once$positive, once$weight),
    limits = if (roc) unlist(normal_interval(found$area, area_variance(found$influence, once), level, "")[2:3]),
    chance = if (roc) c(0, 1) else c(share, share)
  )
}

area_variance <- function(influence, once) {
  if (is.null(once$group)) delong_variance(influence, once$positive) else sandwich_variance(influence, once$group)
}

# Wilson's interval of the true positive rate (ROC) or precision at each threshold; weights count as equal ones,
# and a group as one row.
tradeoff_band <- function(once, roc, level) {
  down <- ranked_weights(once$decision, once$positive, once$weight)
  called <- down$positive + down$negative
  among <- once$positive | !roc
  own <- once$weight[among]
  units <- if (is.null(once$group)) own else rowsum(own, once$group[among])
  equal <- equal_weights(units) / sum(own)
  found <- if (roc) down$positive > -1 else diff(c(0, down$positive)) > 0
  limits <- wilson_interval(if (roc) down$positive / max(down$positive) else down$positive / called,
                            equal * if (roc) max(down$positive) else called, stats::qnorm((1 + level) / 2))
  data.frame(x = if (roc) down$negative / max(down$negative) else down$positive / max(down$positive),
             low = limits[[1L]], high = limits[[2L]])[found, ]
}

# Bands of more curves than this would hide each other.
MOST_BANDS <- 3L

# A row for each sample, with the mean of a column over the repeats.
once_per_row <- function(predictions, column) {
  mean <- tapply(predictions[[column]], predictions$row, mean)
  once <- predictions[match(names(mean), predictions$row), ]
  once[[column]] <- as.vector(mean)
  once
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

# Enough for the shape of the curve, few enough for narrow intervals.
calibration_groups <- 10L

class_calibration <- function(predictions, level = 0.95) {
  predictions <- predictions[predictions$weight > 0 & !is.na(predictions$prob), ]
  once <- once_per_row(predictions, "prob")
  prob <- once$prob
  breaks <- stats::quantile(prob, seq_len(calibration_groups - 1) / calibration_groups)
  group <- findInterval(prob, unique(breaks), left.open = TRUE)
  sums <- function(v) as.vector(rowsum(as.vector(v), group))
  total <- sums(once$weight)
  share <- sums(once$weight * once$positive) / total
  table <- data.frame(x = sums(once$weight * prob) / total, y = share)
  rows <- vapply(split(once, group), equal_rows, 0)
  table[c("low", "high")] <- wilson_interval(share, rows, stats::qnorm((1 + level) / 2))
  list(table = table, prob = prob)
}

# A square from 0 to 1 both ways, or a higher rectangle where a legend leaves little width. right: inches kept free
# there.
with_unit_square <- function(main, x, y, draw, right = line_inches(1)) {
  margins <- c(line_inches(3.2), line_inches(4.2), line_inches(if (is.null(main)) 1.6 else 3.2),
               right)
  spare <- pmax(graphics::par("fin") - c(sum(margins[c(2, 4)]), sum(margins[c(1, 3)])), 0.01)
  height <- min(spare[1] * max(1, spare[2] / spare[1] / 1.3), spare[2])
  margins[3:4] <- margins[3:4] + c(spare[2] - height, max(spare[1] - spare[2], 0))
  margins[4] <- margins[4] + fit_title(main, margins)$inches # as much as it takes from the height
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

# Folds are drawn where there is one curve alone. Curves of precision, and several of ROC, leave no corner
# free: their legend is beside them.
draw_tradeoff <- function(data, main) {
  key <- tradeoff_key(data)
  entries <- key$entries
  several <- nrow(entries) > 1
  beside <- data$type == "pr" || several
  right <- if (beside) side_margin(c(entries$text, key$last$text)) else line_inches(1)
  with_unit_square(main, data$x, data$y, right = right, draw = function() {
    chance <- chance_lines(data)
    graphics::segments(0, chance$from, 1, chance$to, lty = 2, col = chance$colour)
    for (k in seq_along(data$classes)) draw_one_tradeoff(data$classes[[k]], entries[k, ], nrow(entries))
    if (beside) return(draw_side_key(entries, key$last, key$lines))
    draw_corner_key(rbind(entries, key$last))
  })
}

# The lines of guessing: of several classes in their colours where they differ.
chance_lines <- function(data) {
  lines <- do.call(rbind, lapply(unname(data$classes), `[[`, "chance"))
  lines <- data.frame(from = lines[, 1L], to = lines[, 2L], colour = view_colours(nrow(lines)))
  if (nrow(unique(lines[1:2])) > 1L) return(lines)
  replace(lines[1L, ], "colour", ink$soft)
}

chance_text <- function(data) if (nrow(chance_lines(data)) > 1L) "chance of each class" else "chance"

draw_one_tradeoff <- function(class, entry, curves) {
  if (curves <= MOST_BANDS) {
    graphics::polygon(c(class$band$x, rev(class$band$x)), c(class$band$low, rev(class$band$high)), border = NA,
                      col = grDevices::adjustcolor(entry$colour, 0.15))
  }
  if (curves == 1) for (curve in class$curves) graphics::lines(curve, col = lighten(entry$colour, 0.65))
  graphics::lines(class$curve, col = entry$colour, lty = entry$lty, lwd = 2.5)
}

# Draws the key in the lower right corner, smaller in small figures.
draw_corner_key <- function(entries) {
  fits <- graphics::par("pin")[1] / (width_inches(entries$text, cex = KEY_CEX) + line_inches(2.5))
  graphics::legend("bottomright", inset = 0.03, legend = entries$text, cex = KEY_CEX * min(fits, 1),
                   text.col = ink$text, col = entries$colour, lty = entries$lty, lwd = entries$lwd, bty = "n",
                   seg.len = 1.4)
}

# Entries of the curves and, as `last`, of folds and chance; lines: of text in an entry. Names have their area
# below them, or beside them, without its interval, where there is no height for two lines.
tradeoff_key <- function(data) {
  folds <- length(data$classes[[1]]$curves)
  areas <- tradeoff_areas(data)
  several <- length(areas) > 1
  names <- side_names(names(areas))
  lines <- if (several && length(areas) < side_rows(2)) 2 else 1
  text <- if (!several) areas else
    if (lines == 2) paste(names, areas, sep = "\n") else paste(names, tradeoff_areas(data, FALSE), sep = ", ")
  chance <- key_entries(chance_text(data), ink$soft, 2, 1)
  list(entries = curve_entries(text), lines = lines,
       last = if (several || !folds) chance else
         rbind(key_entries(count_of(folds, "fold"), lighten(view_colours(1), 0.65), 1, 1), chance))
}

# The area of each curve, for ROC with its interval if it has one.
tradeoff_areas <- function(data, interval = TRUE) {
  vapply(data$classes, function(class) {
    limits <- if (interval && length(class$limits) && !anyNA(class$limits)) {
      sprintf(" (%.3f to %.3f)", class$limits[1], class$limits[2])
    }
    paste0(sprintf("area %.3f", class$area), limits)
  }, "")
}

draw_calibration <- function(data, main) {
  titles <- calibration_titles(data)
  entries <- curve_entries(side_names(names(data$classes)), pch = 16)
  several <- nrow(entries) > 1
  right <- if (several) side_margin(entries$text) else line_inches(1)
  with_unit_square(main, titles$x, titles$y, right = right, draw = function() {
    graphics::segments(0, 0, 1, 1, lty = 2, col = ink$soft)
    if (!several) {
      bars <- probability_bars(data)
      graphics::rect(bars$from, 0, bars$to, bars$height, col = ink$grid, border = "white")
    }
    for (k in seq_len(nrow(entries))) {
      table <- data$classes[[k]]$table
      colour <- entries$colour[k]
      if (nrow(entries) <= MOST_BANDS) {
        graphics::segments(table$x, table$low, table$x, table$high, col = lighten(colour, 0.4), lwd = 1.5)
      }
      graphics::lines(table$x, table$y, col = colour, lty = entries$lty[k], lwd = 2)
      graphics::points(table$x, table$y, col = colour, pch = 16)
    }
    if (several) draw_side_key(entries)
  })
}

# Low bars with the number of rows by probability.
probability_bars <- function(data) {
  edges <- seq(0, 1, 0.05)
  counts <- graphics::hist(data$classes[[1]]$prob, edges, plot = FALSE)$counts
  data.frame(from = utils::head(edges, -1), to = edges[-1], height = 0.15 * counts / max(counts))
}

# name: of the class where the curves are those of several fits.
calibration_titles <- function(data) {
  of_class <- data$name %||% if (length(data$classes) == 1) names(data$classes)
  name <- if (!is.null(of_class)) sprintf("\"%s\"", shorten(of_class, 20L)) else "a class"
  list(x = paste("predicted probability of", name), y = paste("observed share of", name))
}

# ---- ggplot2 -------------------------------------------------------------------------------------

# The tables of all classes, one below the other; `class` says whose row it is.
bind_classes <- function(data, field) {
  table <- do.call(rbind, lapply(names(data$classes), function(class) {
    cbind(data$classes[[class]][[field]], class = class)
  }))
  table$class <- factor(table$class, names(data$classes))
  table
}

ggplot_tradeoff <- function(data) {
  count <- length(data$classes)
  chance <- chance_lines(data)
  curves <- data$classes[[1]]$curves
  folds <- if (count == 1 && length(curves)) {
    ggplot2::geom_path(ggplot2::aes(group = .data$fold), colour = lighten(view_colours(1), 0.65),
                       data = do.call(rbind, Map(cbind, curves, fold = seq_along(curves))))
  }
  band <- if (count <= MOST_BANDS) {
    ggplot2::geom_ribbon(ggplot2::aes(.data$x, ymin = .data$low, ymax = .data$high, fill = .data$class),
                         alpha = 0.15,
                         data = bind_classes(data, "band"), inherit.aes = FALSE, show.legend = FALSE)
  }
  two_lines <- count <= MOST_TWO_LINES
  figure(bind_classes(data, "curve"), ggplot2::aes(.data$x, .data$y)) + band +
    ggplot2::scale_fill_manual(values = view_colours(count)) +
    ggplot2::annotate("segment", x = 0, xend = 1, y = chance$from, yend = chance$to, linetype = 2,
                      colour = chance$colour) +
    folds + ggplot2::geom_path(ggplot2::aes(colour = .data$class, linetype = .data$class), linewidth = 1) +
    curve_scales(count, paste(shorten_apart(names(data$classes), 20L), tradeoff_areas(data, two_lines),
                              sep = if (two_lines) "\n" else ", ")) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = data$x, y = data$y, subtitle = paste(c(
      if (count == 1) tradeoff_areas(data),
      paste0("dashed: ", chance_text(data),
             if (!is.null(folds)) paste("; pale:", count_of(length(curves), "fold")))
    ), collapse = "\n")) +
    ggplot2::theme(legend.key.height = ggplot2::unit(if (two_lines) 2 else 0.8, "lines"))
}

# Legends of more entries have one line for each.
MOST_TWO_LINES <- 6L

ggplot_calibration <- function(data) {
  titles <- calibration_titles(data)
  count <- length(data$classes)
  table <- bind_classes(data, "table")
  figure(table, ggplot2::aes(.data$x, .data$y, colour = .data$class)) +
    (if (count == 1) {
      ggplot2::geom_rect(ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$height),
                         probability_bars(data), inherit.aes = FALSE, fill = ink$grid, colour = "white")
    }) +
    ggplot2::annotate("segment", x = 0, xend = 1, y = 0, yend = 1, linetype = 2,
                      colour = ink$soft) +
    (if (count <= MOST_BANDS) {
      ggplot2::geom_linerange(ggplot2::aes(ymin = .data$low, ymax = .data$high), alpha = 0.6)
    }) +
    (if (nrow(table) > count) ggplot2::geom_line(ggplot2::aes(linetype = .data$class))) + ggplot2::geom_point() +
    curve_scales(count, shorten_apart(names(data$classes), 20L)) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = titles$x, y = titles$y)
}
