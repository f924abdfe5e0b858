# Kernel weights over resamples as dots with intervals.

#' Plots of the stability of kernels
#'
#' The mean weight of each kernel over resamples as a dot with its interval, by view, and on the right
#' how often it was chosen, that is, had a weight above 0. The paler a dot, the more seldom.
#'
#' @param x,object A result of [kernel_stability()].
#' @param most The most kernels to show, those with the largest means; a note tells what was left out.
#' @param zeros Whether to show kernels that were never chosen, too.
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#' @seealso [kernel_stability()], [plot.mkl()]
#' @export
plot.kernel_stability <- function(x, most = 30L, zeros = FALSE, main = NULL, ...) {
  check_dots_empty(...)
  check_main(main)
  data <- stability_data(x, check_count(most, "most"), check_flag(zeros, "zeros"))
  draw_stability(data, main)
  invisible(x)
}

#' @rdname plot.kernel_stability
#' @exportS3Method ggplot2::autoplot
autoplot.kernel_stability <- function(object, most = 30L, zeros = FALSE, main = NULL, ...) {
  check_dots_empty(...)
  check_main(main)
  data <- stability_data(object, check_count(most, "most"), check_flag(zeros, "zeros"))
  shown <- data$rows
  table <- data$table[match(shown$kernel, data$table$kernel), ]
  table$label <- factor(seq_along(shown$kernel), rev(seq_along(shown$kernel)))
  labels <- rev(shorten_apart(paste0(shown$set, shown$rest)))
  table$group <- factor(shown$view, unique(shown$view))
  ggplot2::ggplot(table, ggplot2::aes(.data$mean, .data$label, colour = .data$group)) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.8) +
    ggplot2::geom_point(ggplot2::aes(alpha = .data$chosen), size = 2.5) +
    ggplot2::scale_alpha_continuous(range = c(0.25, 1), limits = c(0, 1)) +
    ggplot2::scale_y_discrete(labels = stats::setNames(labels, levels(table$label))) +
    ggplot2::scale_colour_manual(values = unique(shown$colour), guide = "none") +
    ggplot2::facet_grid(ggplot2::vars(.data$group), scales = "free_y", space = "free_y") +
    ggplot2::expand_limits(x = 0) +
    ggplot2::labs(x = "kernel weight", y = NULL, alpha = "chosen", title = main)
}

# The table with the column that rows are laid out by, and the rows.
stability_data <- function(x, most, zeros) {
  table <- as.data.frame(x)
  table$value <- table$mean
  rows <- bar_rows(table, most, zeros, head_rows(table, most, zeros))
  rows$label <- fit_labels(rows, cex = 0.85)
  rows$heads$label <- fit_names(rows$heads$label, cex = 0.9, font = 2)
  list(table = table, rows = rows)
}

draw_stability <- function(data, main) {
  rows <- data$rows
  own <- data$table[match(rows$kernel, data$table$kernel), ]
  xlim <- c(min(own$lower, 0), 1.04 * max(own$upper, 1e-12))
  margins <- weight_margins(rows, main, TRUE)
  margins[4] <- line_inches(4)
  with_figure(margins, xlim, c(rows$bottom, 0.3), function() {
    at <- within_limits(pretty(xlim, 6), xlim)
    graphics::segments(at, 0.3, at, rows$bottom, col = ink$grid)
    graphics::segments(0, 0.3, 0, rows$bottom, col = ink$line)
    graphics::segments(own$lower, rows$y, own$upper, rows$y, lwd = 2,
                       col = vapply(rows$colour, lighten, "", 0.45))
    shade <- mapply(lighten, rows$colour, 0.8 * (1 - own$chosen))
    graphics::points(own$mean, rows$y, pch = 21, bg = shade, col = rows$colour, lwd = 1.3,
                     cex = min(1.3, max(0.6, 6 * row_inches(rows))))
    draw_row_labels(rows, data$table)
    labelled <- labelled_rows(rows, data$table)
    graphics::axis(4, rows$y[labelled], sprintf("%.0f %%", 100 * own$chosen[labelled]), lwd = 0,
                   cex.axis = label_cex(rows), col.axis = ink$soft, line = -0.4, gap.axis = -1)
    graphics::text(xlim[2], 0.3, " chosen in", adj = c(0, -0.6), cex = 0.75, col = ink$soft,
                   xpd = NA)
    quiet_axis(1, at, format(at, trim = TRUE, digits = 3))
    axis_title("kernel weight", 1, 1.6)
    draw_left_out(rows)
  }, main)
}
