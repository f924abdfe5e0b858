# The cells of a cross-validation as a heat map.

# Cells of a heat map whose values can still be read.
most_printed_cells <- 60L

# Shades from the least value to the largest, the better the darker.
measure_shades <- function(larger) grDevices::hcl.colors(64, "Blues 3", rev = larger)

# Cells on which black can't be read.
is_dark <- function(data) {
  data$table$complete & (if (data$larger) data$table$place else 1 - data$table$place) > 0.55
}

chosen_colour <- "#D55E00"
lacking_colour <- "grey85"

draw_grid <- function(data, main) {
  table <- data$table
  limits <- range(table$value[table$complete], na.rm = TRUE)
  shades <- measure_shades(data$larger)
  columns <- length(data$inner$at)
  rows <- length(data$outer$at)
  label <- gsub("_", " ", data$measure)
  left <- left_margin(data$outer$labels)
  key <- top_key(cell_marks(table), left)
  right <- max(line_inches(4.5), width_inches(label, cex = 0.75) + line_inches(1.2))
  below <- below_margin(data$inner$labels, graphics::par("fin")[1] - left - right)
  margins <- c(below, left, top_margin(main, key), right)
  with_figure(margins, c(0.5, columns + 0.5), c(0.5, rows + 0.5), function() {
    shade <- ifelse(table$complete & !is.na(table$value), shades[1 + floor(63 * table$place)],
                    lacking_colour)
    draw_cells(table, shade, border = "white")
    if (nrow(table) <= most_printed_cells) {
      draw_cell_values(table, is_dark(data), graphics::par("pin")[1] / columns)
    }
    draw_cells(table[table$best & !table$chosen, ], border = chosen_colour, lwd = 1.5, inset = 0.03)
    draw_cells(table[table$chosen, ], border = chosen_colour, lwd = 4, inset = 0.03)
    draw_columns_axis(data$inner$labels)
    draw_rows_axis(data$outer$labels)
    axis_title(data$inner$name, 1, title_beyond(below))
    axis_title(data$outer$name, 2, title_beyond(left), las = 0)
    draw_colour_key(shades, limits[2], label, limits[1])
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

draw_cells <- function(table, fill = NA, inset = 0, ...) {
  if (!nrow(table)) return(invisible())
  half <- 0.5 - inset
  graphics::rect(table$inner - half, table$outer - half, table$inner + half, table$outer + half,
                 col = fill, ...)
}

# Numbers that don't fit their cells are left out.
draw_cell_values <- function(table, dark, room) {
  known <- !is.na(table$value)
  text <- format(table$value[known], digits = 3)
  size <- min(0.8, 0.8 * 0.85 * room / width_inches(text, cex = 0.8))
  if (size < 0.5) return(invisible())
  graphics::text(table$inner[known], table$outer[known], text, cex = size,
                 col = ifelse(dark[known], "white", ink$text))
}

cell_marks <- function(table) {
  marks <- key_entries(c("chosen", "best mean", "lacks folds"), c(chosen_colour, chosen_colour, lacking_colour),
                       lwd = c(3, 1.2, 1), pch = c(0, 0, 15))
  marks[c(any(table$chosen), any(table$best & !table$chosen), any(!table$complete)), ]
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_grid <- function(data) {
  table <- data$table
  frames <- table[table$chosen | table$best, ]
  frames$mark <- ifelse(frames$chosen, "chosen", "best mean")
  table$shown <- ifelse(table$complete, table$value, NA)
  table$ink <- ifelse(is_dark(data), "white", ink$text)
  table$text <- ifelse(is.na(table$value), "", format(table$value, digits = 3))
  figure(table, ggplot2::aes(.data$inner, .data$outer)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$shown), colour = "white") +
    (if (nrow(table) <= most_printed_cells) {
      ggplot2::geom_text(ggplot2::aes(label = .data$text), colour = table$ink, size = 3)
    }) +
    ggplot2::geom_tile(ggplot2::aes(linewidth = .data$mark), frames, fill = NA,
                       colour = chosen_colour, width = 0.94, height = 0.94) +
    ggplot2::scale_linewidth_manual(values = c(chosen = 1.6, `best mean` = 0.6)) +
    ggplot2::scale_fill_gradientn(colours = measure_shades(data$larger),
                                  labels = function(at) format(at, digits = 3), na.value = lacking_colour) +
    ggplot2::scale_x_continuous(breaks = seq_along(data$inner$at), labels = data$inner$labels,
                                expand = c(0, 0)) +
    ggplot2::scale_y_continuous(breaks = seq_along(data$outer$at), labels = data$outer$labels,
                                expand = c(0, 0)) +
    ggplot2::labs(x = data$inner$name, y = data$outer$name, fill = gsub("_", " ", data$measure),
                  linewidth = NULL) + turned_text(data$inner$labels)
}
