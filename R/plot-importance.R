# Importances as dots with intervals.

#' Plots of importances
#'
#' Draws the importance of each unit as a dot with its interval, the largest first, in groups by view if there
#' are several. The line is at 0, no importance. Filled dots have an adjusted p-value below one minus the
#' confidence level, and the numbers on the right are these p-values.
#'
#' @param x,object A result of [permutation_importance()].
#' @param most The number of units to show, those with the largest importance, a positive whole number; a note
#'   gives the number left out.
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#' @seealso [permutation_importance()], [plot.kernel_stability()]
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- mkl(Species ~ ., iris[train, ])
#' plot(permutation_importance(fit, iris[-train, ], by = "feature"))
#' @export
plot.permutation_importance <- function(x, most = 30L, main = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  check_main(main)
  data <- importance_data(x, check_count(most, "most"))
  data$rows$label <- fit_labels(data$rows, cex = 0.85)
  data$rows$heads$label <- fit_names(data$rows$heads$label, cex = 0.9, font = 2)
  draw_importance(data, importance_label(x), main)
  invisible(x)
}

#' @rdname plot.permutation_importance
#' @method autoplot permutation_importance
#' @rawNamespace S3method(ggplot2::autoplot,permutation_importance)
autoplot.permutation_importance <- function(object, most = 30L, main = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  data <- importance_data(object, check_count(most, "most"))
  table <- data$table
  table$row <- factor(seq_len(nrow(table)), rev(seq_len(nrow(table))))
  table$colour <- data$rows$colour
  table$group <- factor(data$rows$view, unique(data$rows$view))
  plot <- figure(table, ggplot2::aes(.data$importance, .data$row, colour = .data$colour)) +
    ggplot2::geom_vline(xintercept = 0, colour = ink$line) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.8,
                            na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(fill = ifelse(.data$sure, .data$colour, "white")), shape = 21, size = 2.5,
                        na.rm = TRUE) +
    ggplot2::scale_colour_identity() + ggplot2::scale_fill_identity() +
    ggplot2::scale_y_discrete(labels = stats::setNames(shorten_apart(table$name), seq_len(nrow(table)))) +
    ggplot2::labs(x = importance_label(object), y = NULL, title = main)
  if (!nrow(data$rows$heads)) return(plot)
  plot + ggplot2::facet_grid(ggplot2::vars(.data$group), scales = "free_y", space = "free_y")
}

importance_label <- function(x) {
  sprintf("%s when swapped, mean and %g %% interval", loss_words(x), 100 * x$level)
}

# The units that are shown, and where: by view where kernels, sets or features of several are shown.
importance_data <- function(x, most) {
  table <- utils::head(sorted_importance(x), most)
  columns <- unit_columns(table)
  table$name <- table[[columns[1L]]]
  grouped <- length(columns) > 1L && length(unique(x$importance$view)) > 1L
  prefix <- if (grouped) paste0(table$view, ":") else rep("", nrow(table))
  strip <- startsWith(table$name, prefix)
  table$name[strip] <- substring(table$name[strip], nchar(prefix[strip]) + 1L)
  by_view <- grouped || x$by == "view"
  place <- if (by_view) table$view else rep("", nrow(table))
  all <- if (by_view) unique(x$importance$view) else ""
  table <- table[order(match(place, unique(place))), , drop = FALSE]
  group <- factor(place[order(match(place, unique(place)))], all)
  text <- if (grouped) unique(as.character(group)) else rep("", nrow(table))
  table$sure <- !is.na(table$p_adjusted) & table$p_adjusted < 1 - x$level
  rows <- stack_rows(group, text, 1.4)
  rows <- c(list(kernel = as.character(seq_len(nrow(table))), set = table$name,
                 rest = rep("", nrow(table))), rows,
            list(left_out = nrow(x$importance) - nrow(table), zeros = 0L, left_share = 0))
  list(table = table, rows = rows)
}

draw_importance <- function(data, label, main) {
  rows <- data$rows
  own <- data$table
  limits <- range(0, own$lower, own$upper, own$importance, na.rm = TRUE)
  if (diff(limits) == 0) limits <- c(-0.01, 0.01)
  xlim <- limits + c(-0.04, 0.04) * diff(limits)
  p <- ifelse(is.na(own$p_adjusted), "", format.pval(own$p_adjusted, digits = 1, eps = 1e-3))
  margins <- weight_margins(rows, main, TRUE)
  margins[4] <- width_inches(c(p, "adjusted p"), cex = 0.75) + line_inches(0.8)
  with_figure(margins, xlim, c(rows$bottom, 0.3), function() {
    at <- within_limits(pretty(xlim, 6), xlim)
    graphics::segments(at, 0.3, at, rows$bottom, col = ink$grid)
    graphics::segments(0, 0.3, 0, rows$bottom, col = ink$soft)
    graphics::segments(own$lower, rows$y, own$upper, rows$y, lwd = 2,
                       col = vapply(rows$colour, lighten, "", 0.45))
    graphics::points(own$importance, rows$y, pch = 21, bg = ifelse(own$sure, rows$colour, "white"),
                     col = rows$colour, lwd = 1.3, cex = min(1.3, max(0.6, 6 * row_inches(rows))))
    table <- data.frame(kernel = rows$kernel, value = own$importance)
    draw_row_labels(rows, table)
    labelled <- labelled_rows(rows, table)
    graphics::axis(4, rows$y[labelled], p[labelled], lwd = 0, cex.axis = label_cex(rows),
                   col.axis = ink$soft, line = -0.4, gap.axis = -1)
    graphics::text(xlim[2], 0.3, " adjusted p", adj = c(0, -0.6), cex = 0.75, col = ink$soft, xpd = NA)
    quiet_axis(1, at, format(at, trim = TRUE, digits = 3))
    axis_title(label, 1, 1.6)
    if (rows$left_out > 0) {
      graphics::mtext(sprintf("not shown: %d less important", rows$left_out), 1, 2.8, adj = 1,
                      cex = 0.75 * cex_here(), col = ink$soft)
    }
  }, main)
}
