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
  list(breaks = breaks, one_bar = all(abs(margin - 1) <= 0.05),
       up = state_counts(place[positive], state[positive], breaks),
       down = -state_counts(place[!positive], state[!positive], breaks))
}

# Data of more columns than rows.
one_bar_note <- "All training rows\nare on the margin.\nRows held out:\nplot(cv, \"held_out\")"

# Two classes: histograms up and down, stacked by what the rows are to the model.
draw_two_sided <- function(fit, main) {
  data <- two_sided_data(fit)
  breaks <- data$breaks
  up <- data$up
  down <- data$down
  height <- max(colSums(up), -colSums(down), 1) * 1.12
  colours <- view_colours(2)
  margins <- c(line_inches(3), line_inches(3.8), line_inches(if (is.null(main)) 2 else 3.6),
               line_inches(1))
  with_figure(margins, range(breaks), c(-height, height), function() {
    draw_margin_lines(c(-height, height))
    draw_stack(up, breaks, state_shades(colours[1]))
    draw_stack(down, breaks, state_shades(colours[2]))
    graphics::abline(h = 0, col = ink$text, lwd = 0.8)
    at <- pretty(c(-height, height), 6)
    at <- at[abs(at) <= height & at == round(at)]
    quiet_axis(2, at, abs(at))
    quiet_axis(1, pretty(range(breaks), 7))
    axis_title("training rows", 2, 2.5, las = 0)
    axis_title(expression("margin " * y[i] * " " * f(x[i])), 1, 1.9)
    draw_class_names(shorten(rev(fit$levels), 24L), height, colours)
    draw_state_legend(-colSums(down), height)
    if (data$one_bar) graphics::text(0.5, 0.5 * height, one_bar_note, cex = 0.75, col = ink$soft)
  }, main)
}

row_states <- function(fit) {
  state <- rep("other", length(fit$alpha))
  state[fit$support] <- ifelse(at_bound(fit), "bound", "free")
  factor(state, c("bound", "free", "other"))
}

margin_state_names <- c(bound = "support vector, at the bound",
                        free = "support vector, on the margin", other = "not a support vector")

# Bins of one width that have 0 and 1 among their edges; the few margins far out go to the last
# ones.
margin_breaks <- function(margin) {
  margin <- margin[is.finite(margin)]
  spread <- stats::quantile(margin, c(0.005, 0.995), names = FALSE)
  width <- c(0.05, 0.1, 0.2, 0.25, 0.5, 1)
  width <- c(width, 2^seq_len(40))[which(diff(spread) / c(width, 2^seq_len(40)) <= 45)[1]]
  from <- floor(min(spread[1], -0.5) / width) * width
  to <- ceiling(max(spread[2], 1.5) / width) * width
  seq(from, to, by = width)
}

state_counts <- function(values, state, breaks) {
  bin <- findInterval(values, breaks, all.inside = TRUE)
  counts <- table(state, factor(bin, seq_len(length(breaks) - 1)))
  matrix(as.vector(counts), nrow(counts))
}

draw_margin_lines <- function(ylim) {
  graphics::segments(0:1, ylim[1], 0:1, ylim[2], lty = c(1, 2), col = ink$soft)
  graphics::text(0:1, ylim[2], c("boundary", "margin"), adj = c(0.5, -0.4), cex = 0.75,
                 col = ink$soft, xpd = NA)
}

# Above and below, on white, as long names reach over the boundary line.
draw_class_names <- function(names, height, colours) {
  left <- graphics::par("usr")[1] + graphics::strwidth("M")
  y <- height * c(0.95, -0.95)
  half <- 0.7 * graphics::strheight("M")
  width <- graphics::strwidth(names, cex = 0.95, font = 2)
  graphics::rect(left, y - half, left + width, y + half, col = "white", border = NA)
  graphics::text(left, y, names, adj = c(0, 0.5), font = 2, col = colours, cex = 0.95)
}

# Below the downward histogram, on the side where it is shorter.
draw_state_legend <- function(depth, height) {
  middle <- length(depth) %/% 2
  left <- max(depth[seq_len(middle)]) <= max(depth[-seq_len(middle)])
  corner <- graphics::par("usr")
  graphics::legend(corner[if (left) 1 else 2], -0.88 * height,
                   margin_state_names, xjust = if (left) 0 else 1, yjust = 0, fill = state_shades("#4D4D4D"),
                   border = NA, bg = "white", box.col = NA, cex = 0.8, text.col = ink$text)
}

# ---- several classes -----------------------------------------------------------------------------

# Margin of each row's own class; negative if another class wins.
class_margins <- function(x) {
  if (x$strategy != "ovo") return(own_margins(x$y, x$decision))
  pairs <- vapply(models_of(x), row_residuals, numeric(length(x$y)), "margin")
  apply(pairs, 1, min, na.rm = TRUE)
}

margin_bands <- function(x) if (is.null(x$outputs)) class_bands(x) else output_bands(x)

# What is drawn for each class: the bins' counts as shares of its fullest bin, its training error and
# number of rows.
class_bands <- function(x) bands_of_classes(class_margins(x), x$y, "training error", class_margin_title(x))

bands_of_classes <- function(margin, truth, note, axis, most = 10L) {
  levels <- levels(truth)
  shown <- utils::head(levels, most)
  margins <- lapply(stats::setNames(nm = shown), function(level) margin[truth == level])
  error <- vapply(margins, function(own) mean(own <= 0), 0)
  c(binned_margins(margins, class_breaks(margin)),
    list(error = error, value = trimws(percent(error)), note = note, zero = "boundary", more = "classes",
         left_out = length(levels) - length(shown), axis = axis))
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
output_bands <- function(x, most = 10L) {
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
    zero = if (labels) "boundary" else "fitted", more = paste0(output_words[[x$outputs]], "s"),
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
  margins <- c(line_inches(3), width_inches(labels, cex = 0.9, font = 2) + line_inches(1.2),
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
    graphics::text(limits[2], count, bands$note, adj = c(-0.08, -0.5), cex = 0.75,
                   col = ink$text, xpd = NA)
    quiet_axis(1, at)
    axis_title(bands$axis, 1, 1.9)
    if (bands$left_out) {
      graphics::mtext(sprintf("%d more %s not shown", bands$left_out, bands$more), 1, 1.9, adj = 1,
                      cex = 0.75 * cex_here(), col = ink$soft)
    }
  }, main, main_line = 1.8)
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

# Marks the boundary, or notes that it is left of the axis.
draw_boundary_note <- function(limits, top, zero) {
  inside <- limits[1] <= 0
  if (inside) graphics::segments(0, 0, 0, top, col = ink$text)
  graphics::text(if (inside) 0 else limits[1], top,
                 if (inside) zero else paste0(zero, ": 0, left of this axis"),
                 adj = c(if (inside && limits[1] < 0) 0.5 else 0, -0.5), cex = 0.75,
                 col = ink$soft, xpd = NA)
}
