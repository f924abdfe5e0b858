# The distribution of the margins of the training rows.

# Counts of rows in bins, up (positive class) and down, by what the rows are to the model.
two_sided_data <- function(fit) {
  used <- !is.na(fit$y)
  margin <- row_residuals(fit, "margin")[used]
  state <- row_states(fit)[used]
  positive <- (fit$y == fit$levels[2])[used]
  breaks <- margin_breaks(margin)
  # support vectors on the margin are at 1 up to the tolerance of the fit; they belong below it
  place <- margin - 1e-3 * (state == "free")
  list(breaks = breaks, state = state, one_bar = breaks[1] <= 0 && all(abs(margin - 1) <= 0.05),
       up = state_counts(place[positive], state[positive], breaks),
       down = -state_counts(place[!positive], state[!positive], breaks))
}

# Data of more columns than rows.
one_bar_note <- "All training rows\nare on the margin.\nRows held out:\nplot(cv, \"held_out\")"

# Two classes: histograms up and down, stacked by what the rows are to the model. Names of classes have room
# beyond the highest bars, and the key is above the figure, so that they hide none.
draw_two_sided <- function(fit, main) {
  data <- two_sided_data(fit)
  breaks <- data$breaks
  highest <- c(max(-colSums(data$down)), max(colSums(data$up)), 1)
  height <- 1.04 * max(highest)
  at <- pretty(c(-height, height), 6)
  at <- at[abs(at) <= height & at == round(at)]
  left <- left_margin(abs(at))
  key <- top_key(state_entries(data$state, "#4D4D4D", margin_state_names), left)
  margins <- c(line_inches(3), left, top_margin(main, key, 0.9), line_inches(1))
  name <- name_height(height, graphics::par("fin")[2] - sum(margins[c(1, 3)]))
  with_figure(margins, range(breaks), c(-1, 1) * (height + name), function() {
    draw_margin_lines(height, name)
    draw_stack(data$up, breaks, state_shades(view_colours(2)[2]))
    draw_stack(data$down, breaks, state_shades(view_colours(2)[1]))
    graphics::abline(h = 0, col = ink$text, lwd = 0.8)
    quiet_axis(2, at, abs(at))
    quiet_axis(1, pretty(range(breaks), 7))
    axis_title("training rows", 2, title_beyond(left), las = 0)
    axis_title(margin_title, 1, 1.9)
    draw_class_names(rev(fit$levels), height + 0.5 * name)
    if (data$one_bar) graphics::text(0.5, 0.5 * height, one_bar_note, cex = 0.75, col = ink$soft)
    draw_top_key(key, 0.9)
  }, main, main_line = title_line(key, 0.9))
}

# A line above and below bars of `height`, less in a panel of few inches.
name_height <- function(height, panel) {
  line <- min(line_inches(1.3), 0.12 * max(panel, 0))
  2 * height * line / max(panel - 2 * line, line)
}

margin_title <- expression("margin " * y[i] * " " * f(x[i]))

# Bins of one width that have 1 among their edges, and 0 unless all margins are near 1, as those of data with more
# columns than rows; the few margins far out go to the last ones.
margin_breaks <- function(margin) {
  margin <- margin[is.finite(margin)]
  spread <- stats::quantile(margin, c(0.005, 0.995), names = FALSE)
  near <- spread[1] > 0.5 && diff(spread) < NEAR_MARGINS && diff(spread) > ALIKE_MARGINS
  limits <- if (near) range(spread, 1) else range(spread, -0.5, 1.5)
  widths <- c(if (near) c(0.001, 0.002, 0.005, 0.01, 0.02), 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2^seq_len(40))
  width <- widths[which(diff(if (near) limits else spread) / widths <= 45)[1]]
  ends <- c(floor(limits[1] / width + 1e-9), ceiling(limits[2] / width - 1e-9))
  width * seq(ends[1], ends[2] + near)
}

NEAR_MARGINS <- 0.3   # spread of margins above which the axis begins at -0.5
ALIKE_MARGINS <- 0.01 # spread of margins that is no more than the accuracy of a fit

draw_margin_lines <- function(height, name) {
  limits <- graphics::par("usr")[1:2]
  if (limits[1] > 0) {
    graphics::segments(1, -height, 1, height + name, lty = 2, col = ink$soft)
    # the note is on the side of the margin that has more room
    left <- 1 - limits[1] > limits[2] - 1
    graphics::text(1, height + name, "margin", adj = c(as.numeric(left), -0.4), cex = 0.75, col = ink$soft, xpd = NA)
    graphics::text(limits[if (left) 1L else 2L], height + name, beyond_axis("boundary"),
                   adj = c(as.numeric(!left), -0.4), cex = 0.75, col = ink$soft, xpd = NA)
    return(invisible())
  }
  graphics::segments(0:1, -height, 0:1, height + name, lty = c(1, 2), col = ink$soft)
  names <- c("boundary", "margin")
  apart <- graphics::par("pin")[1] / diff(graphics::par("usr")[1:2]) / (1.2 * width_inches(names, cex = 0.75))
  graphics::text(0:1, height + name, names, adj = c(0.5, -0.4), cex = 0.75 * min(apart, 1), col = ink$soft, xpd = NA)
}

# Above and below the bars.
draw_class_names <- function(names, y) {
  room <- graphics::par("pin")[1] - line_inches(1)
  graphics::text(graphics::par("usr")[1] + graphics::strwidth("M"), c(y, -y),
                 fit_names(names, cex = 0.95, font = 2, room = room), adj = c(0, 0.5), font = 2,
                 col = rev(view_colours(2)), cex = 0.95)
}

# ---- several classes -----------------------------------------------------------------------------

# Margin of each row's own class; negative if another class wins.
class_margins <- function(x) {
  if (x$strategy != "ovo") return(own_margins(x$y, x$decision))
  pairs <- vapply(models_of(x), row_residuals, numeric(length(x$y)), "margin")
  apply(pairs, 1, min, na.rm = TRUE)
}

# most: how many bands are shown.
margin_bands <- function(x, most = MOST_BANDS_OF_ROWS) {
  if (is.null(x$outputs)) class_bands(x, most) else output_bands(x, most)
}

MOST_BANDS_OF_ROWS <- 10L # in a figure whose size is not known

# More in a high figure.
bands_that_fit <- function() {
  max(MOST_BANDS_OF_ROWS, floor((graphics::par("fin")[2] - line_inches(7)) / line_inches(1.8)))
}

# What is drawn for each class: the bins' counts as shares of its fullest bin, its training error and
# number of rows.
class_bands <- function(x, most = MOST_BANDS_OF_ROWS) {
  bands_of_classes(class_margins(x), x$y, "training error", class_margin_title(x), most)
}

bands_of_classes <- function(margin, truth, note, axis, most) {
  levels <- levels(truth)
  shown <- utils::head(levels, most)
  margins <- lapply(stats::setNames(nm = shown), function(level) margin[truth == level])
  error <- vapply(margins, function(own) mean(own <= 0), 0)
  c(binned_margins(margins, class_breaks(margin)),
    list(error = error, value = trimws(percent(error)), note = note, zero = "boundary", dark = "errors",
         more = c("class", "classes"),
         left_out = length(levels) - length(shown), names = levels[-seq_along(shown)], axis = axis))
}

# Bins by columns of `margins`; all margins may be in one bin.
binned_margins <- function(margins, breaks) {
  counts <- lapply(margins, function(own) {
    inside <- pmin(pmax(own, breaks[1]), breaks[length(breaks)])
    tabulate(findInterval(inside, breaks, all.inside = TRUE), length(breaks) - 1)
  })
  counts <- do.call(cbind, counts)
  list(breaks = breaks, height = sweep(counts, 2, apply(counts, 2, max), `/`),
       rows = colSums(counts))
}

# Bands of several responses or quantiles: margins of labels, and residuals otherwise, in units
# that all have in common.
output_bands <- function(x, most = MOST_BANDS_OF_ROWS) {
  models <- utils::head(models_of(x), most)
  labels <- x$outputs == "labels"
  margins <- lapply(models, function(model) {
    if (labels) return(unname(row_residuals(model, "margin")))
    unname(row_residuals(model, "response")) / model$scaling$response[["scale"]] %||% 1
  })
  errors <- output_errors(x)[seq_along(models), ]
  value <- errors[[2]]
  c(binned_margins(margins, class_breaks(unlist(margins))), list(
    value = if (x$outputs == "numbers") format_each(value) else trimws(percent(value)),
    note = switch(x$outputs, labels = "training error", numbers = "RMSE", quantiles = "rows below"),
    zero = if (labels) "boundary" else "fitted", dark = if (labels) "errors" else "below",
    more = paste0(output_words[[x$outputs]], c("", "s")),
    left_out = length(model_names(x)) - length(models),
    axis = if (labels) expression("training rows: margin " * y[i] * " " * f(x[i])) else
      if (is.null(models[[1]]$scaling$response)) "training rows: response minus fitted value" else
        "training rows: response minus fitted value, in standard deviations"
  ))
}

# Bins with 0, the boundary, among their edges. An axis that would be empty for a third from there on
# begins at the margins.
class_breaks <- function(margin) {
  spread <- stats::quantile(margin[is.finite(margin)], c(0.005, 0.995), names = FALSE)
  far <- spread[1] > diff(spread) / 2
  limits <- if (far) spread else range(spread, 0)
  widths <- c(0.01 * c(1, 2, 5, 10, 20, 50), 2^(0:40))
  width <- widths[which(diff(limits) / widths <= 45)[1]]
  ends <- c(floor(limits[1] / width), ceiling(limits[2] / width))
  width * seq(ends[1], max(ends[2], ends[1] + 1))
}

draw_bands <- function(bands, main) {
  count <- ncol(bands$height)
  labels <- shorten_apart(colnames(bands$height), 20L)
  sizes <- sprintf("of %s", vapply(bands$rows, count_of, "", "row"))
  more <- bands_left_out(bands)
  margins <- c(line_inches(3 + length(more)), width_inches(labels, cex = 0.9, font = 2) + line_inches(1.2),
               line_inches(if (is.null(main)) 1.8 else 3.4),
               width_inches(c(bands$note, bands$value, sizes), cex = 0.75) + line_inches(1))
  limits <- range(bands$breaks)
  with_figure(margins, limits, c(0, count), function() {
    at <- pretty(limits, 7)
    at <- at[at >= limits[1] & at <= limits[2]]
    graphics::segments(at, 0, at, count, col = ink$grid)
    roomy <- graphics::par("pin")[2] / count > line_inches(1.8)
    for (k in seq_len(count)) {
      base <- count - k
      draw_class_band(bands, k, base)
      graphics::mtext(labels[k], 2, 0.5, at = base + 0.4, font = 2,
                      col = view_colours(count)[k], cex = 0.9 * cex_here())
      graphics::mtext(paste0(bands$value[k], if (roomy) paste0("\n", sizes[k])), 4, 0.4,
                      at = base + 0.4, col = ink$soft, cex = 0.75 * cex_here())
    }
    draw_boundary_note(limits, count, bands$zero)
    draw_dark_note(dark_note(bands), limits, count, bands$zero)
    graphics::text(limits[2], count, bands$note, adj = c(-0.08, -0.5), cex = 0.75,
                   col = ink$text, xpd = NA)
    quiet_axis(1, at)
    axis_title(bands$axis, 1, 1.9)
    draw_left_out(more)
  }, main, main_line = 1.8)
}

# What dark bins are, where there are any.
dark_note <- function(bands) {
  if (any(bands$height[bands$breaks[-1] <= 1e-12, ] > 0)) paste("dark:", bands$dark)
}

# On the left of the note on the boundary, if it has room there.
draw_dark_note <- function(text, limits, top, zero) {
  room <- -limits[1] / diff(limits) * graphics::par("pin")[1] - width_inches(zero, cex = 0.75) / 2
  if (is.null(text) || width_inches(text, cex = 0.75) > room - line_inches(0.4)) return(invisible())
  graphics::text(limits[1], top, text, adj = c(0, -0.5), cex = 0.75, col = ink$soft, xpd = NA)
}

bands_left_out <- function(bands) {
  if (!bands$left_out) return(NULL)
  named <- if (length(bands$names)) sprintf(" (%s)", paste(c(shorten_apart(utils::head(bands$names, 3L), 20L),
                                                             if (length(bands$names) > 3L) "..."), collapse = ", "))
  paste0("not shown: ", count_of(bands$left_out, bands$more[1L], bands$more[2L]), named)
}

class_margin_title <- function(x) {
  if (x$strategy == "ovo") "training rows: smallest margin among the pairs of the true class" else
    "training rows: decision value of the true class minus the largest other"
}

draw_class_band <- function(bands, k, base) {
  edges <- bands$breaks
  shades <- band_shades(view_colours(ncol(bands$height))[k], edges)
  drawn <- bands$height[, k] > 0
  graphics::rect(utils::head(edges, -1)[drawn], base, edges[-1][drawn],
                 base + 0.88 * bands$height[drawn, k],
                 col = shades[drawn], border = "white", lwd = 0.5)
  graphics::segments(edges[1], base, edges[length(edges)], base, col = ink$line)
}

# Colours of the bins, lighter beyond the boundary.
band_shades <- function(colour, edges) ifelse(edges[-1] <= 1e-12, colour, lighten(colour, 0.45))

beyond_axis <- function(zero) paste0(zero, ": 0, left of this axis")

# Marks the boundary, or notes that it is left of the axis.
draw_boundary_note <- function(limits, top, zero) {
  inside <- limits[1] <= 0
  if (inside) graphics::segments(0, 0, 0, top, col = ink$text)
  graphics::text(if (inside) 0 else limits[1], top,
                 if (inside) zero else beyond_axis(zero),
                 adj = c(if (inside && limits[1] < 0) 0.5 else 0, -0.5), cex = 0.75,
                 col = ink$soft, xpd = NA)
}
