# Keys of plots: entries with a line, a symbol or both, above a plot or beside it. Entries without room are
# counted in a last one.

KEY_CEX <- 0.8

# One row for each entry. Symbols 15 stand for areas.
key_entries <- function(text, colour, lty = NA, lwd = 2, pch = NA) {
  data.frame(text = as.character(text), colour = colour, lty = lty, lwd = lwd, pch = pch)
}

# Entries of curves or points whose colours, lines and symbols are in the order of their models.
curve_entries <- function(text, pch = NA) {
  key_entries(text, view_colours(length(text)), line_types(length(text)), pch = pch)
}

# Inches of a row of a key, and of the symbol before its text.
key_row_inches <- function(cex = KEY_CEX) line_inches(1.2 * cex)
key_symbol_inches <- function(cex = KEY_CEX) line_inches(2.1 * cex)

# The entries that fit into some rows, the last of them "and 5 more".
head_entries <- function(entries, rows) {
  count <- nrow(entries)
  if (count <= rows) return(entries)
  shown <- max(rows - 1, 0)
  rbind(entries[seq_len(shown), ], key_entries(sprintf("and %d more", count - shown), NA, 0))
}

# ---- above a plot --------------------------------------------------------------------------------

# The entries in columns, as many as have room from `left` inches on, with their places (inches) and rows. They
# shrink before any is left out.
top_key <- function(entries, left) {
  if (!nrow(entries)) return(list(entries = entries, inches = 0))
  room <- graphics::par("fin")[1] - left - line_inches(0.4)
  height <- 0.28 * graphics::par("fin")[2]
  for (cex in c(1, 0.8, 0.65) * KEY_CEX) {
    columns <- key_columns(entries$text, room, cex)
    rows <- max(floor(height / key_row_inches(cex)), 1)
    if (rows * length(columns) >= nrow(entries) && sum(columns) <= room) break
  }
  entries <- head_entries(entries, length(columns) * rows)
  entries$text <- fit_names(entries$text, cex = cex, room = max(columns, room) - key_symbol_inches(cex))
  place <- seq_len(nrow(entries)) - 1L
  entries$x <- c(0, cumsum(columns))[place %% length(columns) + 1L]
  entries$row <- place %/% length(columns) + 1L
  list(entries = entries, cex = cex, inches = max(entries$row) * key_row_inches(cex))
}

# Widths of as many columns as have room.
key_columns <- function(text, room, cex) {
  width <- graphics::strwidth(text, units = "inches", cex = cex) + key_symbol_inches(cex) + line_inches(0.75 * cex)
  for (count in rev(seq_along(width))) {
    columns <- as.vector(tapply(width, (seq_along(width) - 1L) %% count, max))
    if (sum(columns) <= room) break
  }
  columns
}

# Margin above a plot for a key, `above` lines between both, and a title; and the title's line.
top_margin <- function(main, key, above = 0) {
  key$inches + line_inches(above + if (is.null(main)) 0.6 else 2.4)
}
title_line <- function(key, above = 0) key$inches / line_inches() + above + 0.8

draw_top_key <- function(key, above = 0) {
  entries <- key$entries
  if (!nrow(entries)) return(invisible())
  corner <- graphics::par("usr")
  y <- line_inches(0.1 + above) + (max(entries$row) - entries$row + 0.5) * key_row_inches(key$cex)
  draw_entries(entries, corner[1] + graphics::xinch(entries$x), corner[4] + graphics::yinch(y), key$cex)
}

# ---- beside a plot -------------------------------------------------------------------------------

# Names in a key beside a plot, and the margin that it needs.
side_names <- function(names) fit_names(names, cex = KEY_CEX, room = 0.35 * graphics::par("fin")[1])
side_margin <- function(text) {
  width_inches(c(text, if (length(text) > 1) "and 99 more"), cex = KEY_CEX) + key_symbol_inches() + line_inches(1)
}

# Rows that have room in the height of the figure.
side_rows <- function(lines = 1) {
  max(floor((graphics::par("fin")[2] - line_inches(0.6)) / (lines * key_row_inches())), 1)
}

# Entries from the upper right corner of a plot downwards, or from higher up where they need it; `last` in any
# case; lines: of text in each.
draw_side_key <- function(entries, last = NULL, lines = 1) {
  entries <- rbind(head_entries(entries, side_rows(lines) - NROW(last)), last)
  corner <- graphics::par("usr")
  y <- (seq_len(nrow(entries)) - 0.5) * lines * key_row_inches()
  below <- graphics::par("fin")[2] * graphics::par("plt")[4] - line_inches(0.3)
  y <- y - max(nrow(entries) * lines * key_row_inches() - below, 0)
  draw_entries(entries, rep(corner[2] + graphics::xinch(line_inches(0.5)), length(y)), corner[4] - graphics::yinch(y))
}

# Draws the entries of a key at their left ends and mid-heights.
draw_entries <- function(entries, x, y, cex = KEY_CEX) {
  wide <- graphics::xinch(key_symbol_inches(cex))
  graphics::segments(x, y, x + 0.8 * wide, y, xpd = NA, col = entries$colour, lwd = entries$lwd,
                     lty = ifelse(is.na(entries$lty), 0, entries$lty))
  graphics::points(x + 0.4 * wide, y, pch = entries$pch, lwd = entries$lwd, col = entries$colour, xpd = NA,
                   cex = cex * ifelse(entries$pch %in% 15L, 1.6, 1.25))
  graphics::text(x + wide, y, entries$text, adj = c(0, 0.5), cex = cex, col = ink$text, xpd = NA)
}

# ---- ggplot2 -------------------------------------------------------------------------------------

# Colours and lines of curves, in one legend or none.
curve_scales <- function(count, labels = ggplot2::waiver(), legend = count > 1L, last = NULL) {
  guide <- if (legend) "legend" else "none"
  list(ggplot2::scale_colour_manual(name = NULL, values = c(view_colours(count), last), labels = labels, guide = guide),
       ggplot2::scale_linetype_manual(name = NULL, values = c(line_types(count), if (length(last)) 1), labels = labels,
                                      guide = guide),
       tight_legend(count))
}

# Legends of many entries have little between them.
tight_legend <- function(count) {
  if (count > MOST_WRAPPED) ggplot2::theme(legend.key.size = ggplot2::unit(0.8, "lines"))
}

# A legend above a plot, an entry a row, as the figure's width is not known.
legend_above <- function() {
  ggplot2::theme(legend.position = "top", legend.direction = "vertical", legend.justification = "left",
                 legend.key.size = ggplot2::unit(0.8, "lines"), legend.margin = ggplot2::margin())
}
