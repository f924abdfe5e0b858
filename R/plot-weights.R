# Kernel weights as bars, in groups by view: of kernels, or sums by view or feature set.

plot_weights <- function(x, most, value, main, zeros = FALSE, by = NULL) {
  data <- weight_data(x, most, value, by, zeros)
  layout <- row_layout(data, most, zeros)
  models <- unique(data$table$model)
  if (length(models) > most_panels) {
    columns <- model_labels(x)
    draw_heat(data, layout, columns, length(columns), main)
  } else {
    draw_bars(data$table, layout, models, data$label, main)
  }
}

row_layout <- function(data, most, zeros) {
  fit_row_labels(data$rows(head_rows(data$table, most, zeros)))
}

fit_row_labels <- function(rows) {
  rows$label <- fit_labels(rows, cex = 0.85)
  rows$heads$label <- fit_names(rows$heads$label, cex = 0.9, font = 2)
  rows
}

# A heat map of kernels by points of a path, or by resamples. along: the horizontal axis, list(edges, at,
# labels, title), whose cells are the table's models, from left to right.
heat_data <- function(table, value, most, zeros, along) {
  kernels <- table[!duplicated(table$kernel), c("kernel", "view")]
  kernels$value <- as.vector(tapply(table$value, factor(table$kernel, kernels$kernel), max))
  list(table = table, value = value, by = "kernel", along = along,
       label = if (value == "theta") expression("kernel weight " * theta[m]) else
         "share of the fitted function",
       rows = function(head) bar_rows(kernels, most, zeros, head))
}

draw_map <- function(data, most, zeros, main) {
  draw_heat(data, row_layout(data, most, zeros), NULL, length(data$along$edges) - 1L, main)
}

# What is drawn: a table with a column `value`, its label, and a function of the height of headings
# that lays out the rows. by, value: NULL for what suits the number of kernels.
weight_data <- function(x, most, value, by, zeros) {
  by <- by %||% suitable_sums(x, most)
  value <- value %||% "share"
  table <- fit_weights(x, by = by)
  if (by != "kernel") table <- sum_bars(table, value, most)
  table$value <- table[[value]]
  label <- if (value == "share") "share of the fitted function" else
    if (by == "kernel") expression("kernel weight " * theta[m]) else
      expression("sum of kernel weights " * theta[m])
  rows <- function(head) {
    if (by == "kernel") bar_rows(table, most, zeros, head) else sum_rows(table, head)
  }
  list(table = table, value = value, by = by, label = label, rows = rows)
}

# The height of a heading in rows, which are tight where many are shown.
head_rows <- function(table, most, zeros) {
  rows <- min(most, length(unique(table$kernel[zeros | table$value > 0])))
  height <- max(graphics::par("fin")[2] - line_inches(4), 0.1)
  max(1.4, 1.6 * line_inches() * rows / height)
}

# One row per kernel shown, top to bottom, with a heading per view, which says what its kernels have
# in common; y counts rows from the top.
bar_rows <- function(table, most, zeros = FALSE, head = 1.4) {
  first <- table[!duplicated(table$kernel), ] # models may have kernels of their own
  size <- tapply(table$value, factor(table$kernel, first$kernel), max)
  candidates <- if (zeros || !any(size > 0)) length(size) else sum(size > 0)
  shown <- utils::head(order(-size), min(most, candidates)) # the largest first, within each view
  view <- view_label(first)
  group <- factor(view[shown], unique(view))
  shown <- shown[order(group)]
  group <- sort(group)
  names <- first$kernel[shown]
  prefix <- paste0(group, ":")
  strip <- startsWith(names, prefix)
  names[strip] <- substring(names[strip], nchar(prefix[strip]) + 1)
  parts <- lapply(split(names, group, drop = TRUE), name_parts)
  of_views <- identical(names, as.character(group)) # sums by view
  text <- if (of_views) rep("", length(parts)) else group_heads(parts, any(strip))
  c(list(kernel = first$kernel[shown], set = unlist(lapply(parts, `[[`, "set"), use.names = FALSE),
         rest = unlist(lapply(parts, `[[`, "rest"), use.names = FALSE)),
    stack_rows(group, text, head),
    list(noun = if (of_views) "view" else "kernel", left_out = candidates - length(shown),
         zeros = length(size) - candidates,
         left_share = 1 - sum(size[shown]) / sum(size)))
}

# "expression: linear", "expression" or "linear"; a single view needs no mention where no kernel's
# name has it.
group_heads <- function(parts, named) {
  common <- vapply(parts, function(one) one$common %||% "", "")
  if (length(parts) == 1L && !named) return(unname(common))
  paste0(names(parts), ifelse(nzchar(common), ": ", ""), common)
}

draw_bars <- function(table, rows, models, label, main) {
  panels <- max(length(models), 1)
  gap <- 0.14
  titles <- if (panels > 1) panel_titles(models, rows, gap)
  top <- max(table$value, 1e-12) * 1.16
  above <- max(titles$lines, !is.null(rows$beside))
  margins <- weight_margins(rows, main, above)
  beside <- if (panels == 1) rows$beside
  if (!is.null(beside)) {
    margins[4] <- width_inches(c(beside, beside_title), cex = 0.75) + line_inches(0.8)
  }
  with_figure(margins, c(0, panels * (1 + gap) - gap), c(rows$bottom, 0.3), function() {
    for (panel in seq_len(panels)) {
      part <- if (is.null(models)) table else table[table$model == models[panel], ]
      draw_bar_panel(part, rows, left = (panel - 1) * (1 + gap), top, panels, gap)
      if (!is.null(titles)) {
        graphics::text((panel - 1) * (1 + gap), 0.3 + graphics::yinch(line_inches(0.25)), titles$text[panel],
                       adj = c(0, 0), font = 2, col = ink$text, cex = titles$cex, xpd = NA)
      }
    }
    draw_row_labels(rows, table)
    draw_beside(rows, beside)
    axis_title(label, 1, 1.6)
    draw_left_out(unshown_text(rows))
  }, main, main_line = 1 + max(titles$lines, 0)) # names of models are below it
}

# Names of models that fit above their panels, in up to three lines, with their size and the lines of text that
# they need. They are shortened only where the smallest letters have no room for them.
panel_titles <- function(models, rows, gap) {
  margins <- weight_margins(rows, NULL, 1)
  wide <- graphics::par("fin")[1] - margins[2] - margins[4]
  room <- (1 + 0.8 * gap) * wide / (length(models) * (1 + gap) - gap)
  names <- gsub(":", ": ", as.character(models), fixed = TRUE)
  words <- max(nchar(unlist(strsplit(names, " ", fixed = TRUE))))
  for (most in c(Inf, 30, 24, 18, 12, 9)) {
    short <- if (most < Inf) shorten_apart(names, most) else names
    for (cex in if (most < Inf) 0.6 else c(0.9, 0.75, 0.6)) {
      letters <- max(floor(room / width_inches("n", cex = cex, font = 2)), 3)
      text <- wrap_names(short, letters)
      lines <- max(lengths(strsplit(text, "\n", fixed = TRUE)))
      fits <- lines <= 3L && (most < Inf || words <= letters)
      if (fits) break
    }
    if (fits) break
  }
  list(text = text, cex = cex * min(1, room / width_inches(text, cex = cex, font = 2)), lines = 0.25 + lines * cex)
}

# titled: lines of text between the panel and the title.
weight_margins <- function(rows, main, titled) {
  labels <- width_inches(rows$label, cex = 0.85)
  heads <- width_inches(rows$heads$label, cex = 0.9, font = 2)
  c(line_inches(3 + notes(rows)), max(labels, heads) + line_inches(0.8),
    line_inches(if (is.null(main)) 0.5 + titled else 2.5 + titled), line_inches(0.8))
}

draw_bar_panel <- function(part, rows, left, top, panels, gap) {
  at <- pretty(c(0, top), if (panels == 1) 6 else 3)
  label <- 1.2 * width_inches(format(at), cex = 0.85) / (graphics::par("pin")[1] / (panels * (1 + gap) - gap))
  at <- at[at < top * if (panels == 1) 1 else min(0.88, 1 + gap - label)] # clear of the next panel
  room <- 1 / (1.1 * label) # labels side by side
  if (length(at) > room) at <- at[unique(c(if (room >= 2) 1L, length(at)))]
  graphics::segments(left + at / top, 0.3, left + at / top, rows$bottom, col = ink$grid)
  value <- part$value[match(rows$kernel, part$kernel)]
  value[is.na(value)] <- 0
  half <- min(0.36, 0.17 / row_inches(rows)) # few bars stay slim
  graphics::rect(left, rows$y - half, left + value / top, rows$y + half, col = rows$colour,
                 border = NA)
  graphics::segments(left, 0.3, left, rows$bottom, col = ink$line)
  # numbers only where they are clear of each other
  roomy <- row_inches(rows) >= line_inches(0.6) &&
    graphics::par("pin")[1] / max(panels, 1) >= line_inches(7) && is.null(rows$beside)
  if (roomy && length(value) * max(panels, 1) <= 90) {
    graphics::text(left + value / top, rows$y, bar_values(value), pos = 4, offset = 0.25, cex = 0.7,
                   col = ink$soft, xpd = NA)
  }
  quiet_axis(1, left + at / top, format(at, trim = TRUE, digits = 3))
}

bar_values <- function(value) ifelse(value == 0, "0", sprintf("%#.2g", value))

draw_row_labels <- function(rows, table) {
  labelled <- labelled_rows(rows, table)
  graphics::axis(2, rows$y[labelled], rows$label[labelled], lwd = 0, cex.axis = label_cex(rows),
                 col.axis = ink$text, line = -0.3, gap.axis = -1)
  if (!nrow(rows$heads)) return(invisible())
  shown <- match(rows$heads$view, rows$view)
  # a heading has the room of 1.4 rows
  fits <- 1.3 * row_inches(rows) / line_inches()
  cex <- min(0.9, max(0.5, fits))
  graphics::text(graphics::grconvertX(graphics::par("fig")[1] + 0, "ndc", "user"), rows$heads$y,
                 paste0(" ", rows$heads$label), adj = c(0, 0.5), font = 2, cex = cex,
                 col = rows$colour[shown], xpd = NA)
  share <- head_shares(rows, table)
  if (!length(share) || fits < 0.5) return(invisible())
  graphics::text(0, rows$heads$y, sprintf("%.0f %% of the fitted function", 100 * share),
                 adj = c(-0.03, 0.5), cex = min(0.75, fits), col = ink$soft, xpd = NA)
}

# The part of the fitted function of each view that has a heading; NULL where there are several models, or one
# view.
head_shares <- function(rows, table) {
  if (!is.null(table$model) || is.null(table$share) || nrow(rows$heads) < 2L) return(NULL)
  view <- view_label(table)
  vapply(rows$heads$view, function(v) sum(table$share[view == v]), 0)
}

# Row labels shrink where rows are tighter than text.
label_cex <- function(rows) min(0.85, max(0.55, 1.05 * row_inches(rows) / line_inches()))

# Only the largest weights are labelled if rows are narrower than the smallest text.
labelled_rows <- function(rows, table) {
  apart <- 0.5 * line_inches() / row_inches(rows)
  if (apart <= 1) return(seq_along(rows$y))
  size <- tapply(table$value, factor(table$kernel, rows$kernel), max)
  chosen <- integer()
  for (k in order(-size)) {
    if (all(abs(rows$y[chosen] - rows$y[k]) >= apart)) chosen <- c(chosen, k)
  }
  sort(chosen)
}

# TRUE if there is a line below the axis.
notes <- function(rows) isTRUE(rows$left_out > 0 || rows$zeros > 0)

unshown_text <- function(rows) {
  if (notes(rows)) paste("not shown:", paste(c(
    if (rows$left_out) sprintf("%s (%.1f %% of the sum)",
                               count_of(rows$left_out, paste("smaller", rows$noun)),
                               100 * max(rows$left_share, 0)),
    if (rows$zeros) paste(count_of(rows$zeros, rows$noun), "of weight zero")
  ), collapse = ", "))
}

# A dot with an interval in each row, and a text on its right. own: value, lower and upper of each row; table:
# what the labels of rows come from; fill: of the dots, and what it says; text, head: on the right; zero: the
# colour of the line at 0.
draw_intervals <- function(rows, own, table, xlim, fill, says, text, head, zero, label, main, left_out) {
  margins <- weight_margins(rows, main, TRUE)
  margins[4] <- width_inches(c(text, head), cex = 0.75) + line_inches(0.8)
  with_figure(margins, xlim, c(rows$bottom, 0.3), function() {
    at <- within_limits(pretty(xlim, 6), xlim)
    graphics::segments(at, 0.3, at, rows$bottom, col = ink$grid)
    graphics::segments(0, 0.3, 0, rows$bottom, col = zero)
    graphics::segments(own$lower, rows$y, own$upper, rows$y, lwd = 2,
                       col = vapply(rows$colour, lighten, "", 0.45))
    graphics::points(own$value, rows$y, pch = 21, bg = fill, col = rows$colour, lwd = 1.3,
                     cex = min(1.3, max(0.6, 6 * row_inches(rows))))
    draw_row_labels(rows, table)
    labelled <- labelled_rows(rows, table)
    graphics::axis(4, rows$y[labelled], text[labelled], lwd = 0, cex.axis = label_cex(rows),
                   col.axis = ink$soft, line = -0.4, gap.axis = -1)
    graphics::text(xlim[2], 0.3, paste0(" ", head), adj = c(0, -0.6), cex = 0.75, col = ink$soft, xpd = NA)
    if (width_inches(says, cex = 0.75) < graphics::par("pin")[1]) {
      graphics::text(xlim[1], 0.3, says, adj = c(0, -0.6), cex = 0.75, col = ink$soft, xpd = NA)
    }
    quiet_axis(1, at, format(at, trim = TRUE, digits = 3))
    axis_title(label, 1, 1.6)
    draw_left_out(left_out)
  }, main)
}

# Short names of models, on either side of the colon for pairs of classes.
model_labels <- function(x) {
  if (is.null(x$levels)) return(shorten_apart(model_names(x), 20L))
  short <- lapply(c(alone = 20L, pair = 15L), function(most) stats::setNames(shorten_apart(x$levels, most), x$levels))
  vapply(models_of(x), function(model) {
    if (length(model$task$negative) > 1) return(short$alone[[model$task$positive]])
    paste(short$pair[model$levels], collapse = " : ")
  }, "")
}

# Kernels by models, for many models, or along an axis.
draw_heat <- function(data, rows, columns, count, main) {
  along <- data$along
  edges <- along$edges %||% (seq_len(count + 1L) - 0.5)
  margins <- weight_margins(rows, main, FALSE)
  if (is.null(along)) margins[1] <- width_inches(columns, cex = 0.75) + line_inches(1 + notes(rows))
  margins[4] <- line_inches(4.5)
  shades <- weight_shades()
  top <- max(data$table$value, 1e-12)
  models <- unique(data$table$model)
  with_figure(margins, range(edges), c(rows$bottom, 0.3), function() {
    for (j in seq_len(count)) {
      part <- data$table[data$table$model == models[j], ]
      value <- part$value[match(rows$kernel, part$kernel)]
      graphics::rect(edges[j], rows$y - 0.5, edges[j + 1L], rows$y + 0.5, lwd = 0.5,
                     border = if (count <= 60L) ink$grid else NA, col = shades[1 + floor(63 * value / top)])
    }
    draw_row_labels(rows, data$table)
    if (is.null(along)) draw_column_names(columns) else {
      quiet_axis(1, along$at, along$labels)
      axis_title(along$title, 1, 1.8)
    }
    draw_colour_key(shades, top, if (data$value == "theta") expression(theta[m]) else "share")
    draw_left_out(unshown_text(rows), if (is.null(along)) margins[1] / line_inches() - 1.1 else 2.8)
  }, main)
}

weight_shades <- function() c("#FFFFFF", grDevices::hcl.colors(64, "Blues 3", rev = TRUE)[-1L])

draw_colour_key <- function(shades, top, label, low = 0, at = NULL) {
  corner <- graphics::par("usr")
  left <- corner[2] + graphics::xinch(line_inches(0.6))
  right <- left + graphics::xinch(line_inches(0.6))
  edges <- corner[3] + 0.6 * (corner[4] - corner[3]) * seq(0, 1, length.out = length(shades) + 1)
  graphics::rect(left, utils::head(edges, -1), right, edges[-1], col = shades, border = NA,
                 xpd = NA)
  graphics::rect(left, edges[1], right, edges[length(edges)], border = ink$line, xpd = NA)
  at <- at %||% if (top > low) within_limits(pretty(c(low, top), 4), c(low, top)) else top # where all are one
  place <- (at - low) / max(top - low, .Machine$double.xmin)
  graphics::text(right, edges[1] + place * (edges[length(edges)] - edges[1]),
                 tick_text(at), pos = 4, offset = 0.3, cex = 0.75, col = ink$text,
                 xpd = NA)
  graphics::text(left, edges[length(edges)], label, adj = c(0, -1.3), cex = 0.75, col = ink$text,
                 xpd = NA)
}
