# A measure of a cross-validation against the values of its grid.

draw_measure <- function(data, main) {
  table <- data$table
  colours <- curve_colours(max(table$outer))
  at <- dodged(data)
  error <- ifelse(is.na(table$se), 0, table$se)
  ylim <- padded(c(table$value - error, table$value + error, data$line))
  xlim <- padded(at)
  curves <- if (!is.null(data$outer)) rev(side_names(data$outer$entries))
  key <- top_key(measure_marks(data), line_inches(4.6))
  margins <- c(line_inches(3.2), line_inches(4.6), top_margin(main, key),
               if (is.null(curves)) line_inches(1) else side_margin(curves))
  with_figure(margins, xlim, ylim, function() {
    y <- within_limits(pretty(ylim, 6), ylim)
    graphics::segments(xlim[1], y, xlim[2], y, col = ink$grid)
    if (length(data$line)) {
      graphics::segments(xlim[1], data$line, xlim[2], data$line, lty = 2, col = ink$soft)
    }
    for (k in rev(seq_along(colours))) {
      own <- table$outer == k
      draw_one_measure(at[own], table[own, ], error[own], colours[k])
    }
    chosen <- table$chosen
    graphics::points(at[chosen], table$value[chosen], cex = 2, lwd = 2.5, col = ink$text)
    draw_spaced_axis(data$inner)
    quiet_axis(2, y)
    axis_title(dodged_title(data), 1, 1.9)
    axis_title(gsub("_", " ", data$measure), 2, 3.3, las = 0)
    if (length(curves)) draw_side_key(key_entries(curves, rev(colours), 1))
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

draw_one_measure <- function(at, table, error, colour) {
  graphics::segments(at, table$value - error, at, table$value + error,
                     col = lighten(colour, 0.4), lwd = 1.2)
  graphics::lines(at[order(at)], table$value[order(at)], col = colour, lwd = 2)
  graphics::points(at, table$value, col = colour, pch = 21, cex = 0.8,
                   bg = ifelse(table$complete, colour, "white"))
}

measure_marks <- function(data) {
  marks <- key_entries(c("chosen", "one standard error off the best", "lacks folds"), c(ink$text, ink$soft, ink$text),
                       c(NA, 2, NA), c(2.5, 1, 1), c(1, NA, 21))
  marks[c(any(data$table$chosen), length(data$line) > 0, any(!data$table$complete)), ]
}

# Several curves stand a little beside each other, so that their points and errors can be told apart.
dodged <- function(data) {
  table <- data$table
  count <- max(table$outer)
  step <- if (length(data$inner$at) > 1) min(diff(sort(data$inner$at))) else 0
  data$inner$at[table$inner] + 0.3 * step * ((table$outer - 0.5) / count - 0.5)
}

dodged_title <- function(data) {
  apart <- max(data$table$outer) > 1L && length(data$inner$at) > 1L
  paste0(data$inner$name, if (apart) " (points are moved apart)")
}

# Many are told apart by their order.
curve_colours <- function(count) {
  if (count <= 7) view_colours(count) else
    utils::head(grDevices::hcl.colors(count + 1, "Viridis"), count)
}

# A little wider than the values are, also where they are all one.
padded <- function(values) {
  limits <- range(values, na.rm = TRUE, finite = TRUE)
  limits + c(-0.05, 0.05) * max(diff(limits), 1e-3 * abs(limits[1]), 1e-6)
}

# The grid's own values, without those that would touch the one before.
draw_spaced_axis <- function(dimension) {
  inch <- diff(graphics::par("usr")[1:2]) / graphics::par("pin")[1]
  width <- 1.15 * graphics::strwidth(dimension$labels, units = "inches", cex = 0.85) * inch
  shown <- 1
  for (k in seq_along(dimension$at)[-1]) {
    last <- shown[length(shown)]
    apart <- dimension$at[k] - dimension$at[last]
    if (apart >= (width[k] + width[last]) / 2) shown <- c(shown, k)
  }
  quiet_axis(1, dimension$at[shown], dimension$labels[shown], gap.axis = -1)
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_measure <- function(data) {
  table <- data$table
  table$at <- dodged(data)
  table <- table[!is.na(table$value), ]
  table$line <- factor(data$outer$labels[table$outer] %||% rep("", nrow(table)),
                       data$outer$labels %||% "")
  table$error <- ifelse(is.na(table$se), 0, table$se)
  plot <- figure(table, ggplot2::aes(.data$at, .data$value, colour = .data$line)) +
    (if (length(data$line)) {
      ggplot2::geom_hline(yintercept = data$line, linetype = 2, colour = ink$soft)
    }) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$value - .data$error,
                                         ymax = .data$value + .data$error), alpha = 0.5) +
    (if (anyDuplicated(table$line)) ggplot2::geom_line()) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$complete)) +
    ggplot2::geom_point(data = table[table$chosen, ], shape = 1, size = 4, stroke = 1.2,
                        colour = ink$text) +
    ggplot2::scale_shape_manual(values = c(`TRUE` = 16, `FALSE` = 1), guide = "none") +
    ggplot2::scale_x_continuous(breaks = data$inner$at, labels = data$inner$labels,
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::scale_colour_manual(values = curve_colours(nlevels(table$line))) +
    ggplot2::labs(x = dodged_title(data), y = gsub("_", " ", data$measure), colour = data$outer$name)
  if (is.null(data$outer)) plot + ggplot2::guides(colour = "none") else plot
}
