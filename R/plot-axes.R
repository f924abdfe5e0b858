# Labels along axes that have room for them: of ticks on the left, and of cells and bars.

# Margin on the left for labels and a title, and the line of the title.
left_margin <- function(labels) width_inches(labels, cex = 0.85) + line_inches(2.2)
title_beyond <- function(margin) margin / line_inches() - 1.1

# Labels `step` inches apart shrink where they would touch; from the smallest readable size on only
# some are shown.
label_cex_at <- function(step) min(0.75, max(0.5, 0.95 * step / line_inches()))

labels_shown <- function(count, step, cex) {
  seq(1L, count, by = max(1L, ceiling(cex * line_inches() / step)))
}

# Round whole numbers from 1 to `last`.
whole_ticks <- function(last) within_limits(unique(round(pretty(c(1, last), 6))), c(1, last))

# TRUE if labels of cells have no room side by side in so many inches, and are turned.
is_turned <- function(labels, inches) 1.1 * width_inches(labels, cex = 0.85) > inches / length(labels)

# Margin below cells for their labels and a title.
below_margin <- function(labels, inches) {
  if (is_turned(labels, inches)) width_inches(labels, cex = 0.75) + line_inches(2) else line_inches(3.2)
}

# Labels of columns and rows of cells, at 1, 2, 3, ...
draw_columns_axis <- function(labels) {
  if (is_turned(labels, graphics::par("pin")[1])) return(draw_column_names(labels))
  draw_index_axis(1, labels)
}

draw_rows_axis <- function(labels) draw_index_axis(2, labels, label_cex_at(graphics::par("pin")[2] / length(labels)))

draw_index_axis <- function(side, labels, cex = 0.85) {
  count <- length(labels)
  shown <- if (side == 1) seq_len(count) else labels_shown(count, graphics::par("pin")[2] / count, cex)
  graphics::axis(side, shown, labels[shown], lwd = 0, cex.axis = cex, col.axis = ink$text, line = -0.4,
                 gap.axis = -1)
}

draw_column_names <- function(columns) {
  step <- graphics::par("pin")[1] / length(columns)
  shown <- labels_shown(length(columns), step, label_cex_at(step))
  graphics::axis(1, shown, columns[shown], lwd = 0, las = 2, cex.axis = label_cex_at(step), col.axis = ink$text,
                 line = -0.4, gap.axis = -1)
}

# ---- ggplot2 -------------------------------------------------------------------------------------

# Labels that are many or long are turned, as the figure's size is not known.
turned_text <- function(labels) {
  if (max(nchar(labels)) * length(labels) <= 30L) return(NULL)
  ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

# Names of rows in the order in which guide_axis(check.overlap = TRUE) keeps those of the largest: it draws the
# first label, the last one, and then those in the middle, as far as they are clear of labels drawn before.
largest_labelled <- function(names, size) {
  out <- names
  out[overlap_order(length(names))] <- names[order(-size[names])]
  out
}

overlap_order <- function(n) if (n < 3L) seq_len(n) else c(1L, n, middle_first(2L, n - 1L))

middle_first <- function(from, to) {
  if (from > to) return(integer())
  middle <- from - 1L + (to - from + 2L) %/% 2L
  c(middle, middle_first(from, middle - 1L), middle_first(middle + 1L, to))
}

# A title in lines that a small figure has room for.
in_lines <- function(title) {
  if (!is.character(title)) return(title)
  paste(strwrap(strsplit(title, "\n", fixed = TRUE)[[1L]], 45L), collapse = "\n")
}

# A numeric axis of a ggplot: plain numbers, few enough for a small figure.
plain_scale <- function(scale) {
  scale(breaks = function(limits) within_limits(pretty(limits, 4), limits), labels = tick_text,
        guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# One range on both axes.
alike_axes <- function(x, y) {
  limits <- range(x, y, finite = TRUE)
  ggplot2::expand_limits(x = limits, y = limits)
}

# The column `number` of the data in each row, at the right end of a panel, below a heading. largest: of the
# values on the axis; ticks: about how many; room: for the numbers, as a part of the axis.
numbers_on_right <- function(head, largest, ticks = 5, room = 0.3) {
  breaks <- function(limits) within_limits(pretty(c(limits[1], largest), ticks), c(-Inf, largest))
  list(ggplot2::geom_text(ggplot2::aes(x = Inf, label = .data$number), hjust = 1.05, size = 2.8, colour = ink$soft),
       ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0.05, room)), breaks = breaks,
                                   guide = ggplot2::guide_axis(check.overlap = TRUE)),
       ggplot2::labs(subtitle = paste("on the right:", head)),
       ggplot2::theme(plot.subtitle = ggplot2::element_text(hjust = 1, size = 8, colour = ink$soft)))
}
