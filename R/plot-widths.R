# Weights of Gaussian kernels along their width, a curve for each view.

# A table with columns model, view, width, value (sums over the kernels of a width), `several` models
# or not, and the label of the values.
width_data <- function(x, value) {
  value <- value %||% "share"
  gaussian <- kernel_field(x$kernels, "type") == "gaussian"
  weights <- fit_weights(x)
  models <- unique(weights$model) %||% ""
  table <- data.frame(
    model = rep(models, each = length(gaussian)), view = view_label(weights), width = NA_real_,
    value = weights[[value]]
  )
  table$width[gaussian] <- as.double(unlist(kernel_field(x$kernels, "parameters")[gaussian]))
  table <- table[rep(gaussian, length(models)), ]
  if (length(unique(table$width)) < 2L) {
    abort_unsupported("which",
                      "`which = \"widths\"` is for fits with Gaussian kernels of several widths.")
  }
  table <- stats::aggregate(value ~ model + view + width, table, sum)
  table$view <- factor(table$view, unique(view_label(weights)))
  list(table = table[order(table$view, table$model, table$width), ], several = length(models) > 1L,
       label = if (value == "share") "share of the fitted function" else "kernel weight")
}

# The mean of the models, a table with view, width, value.
mean_widths <- function(data) stats::aggregate(value ~ view + width, data$table, mean)

draw_widths <- function(data, main) {
  table <- data$table
  views <- intersect(levels(table$view), as.character(table$view))
  entries <- curve_entries(side_names(views))
  right <- if (length(views) > 1L) side_margin(entries$text) else line_inches(1)
  limits <- padded(log10(table$width))
  height <- 1.05 * max(table$value, 1e-12)
  margins <- c(line_inches(3), line_inches(4), line_inches(if (is.null(main)) 1 else 2.5), right)
  with_figure(margins, limits, c(0, height), function() {
    y <- pretty(c(0, height), 5)
    y <- y[y <= height]
    graphics::segments(limits[1], y, limits[2], y, col = ink$grid)
    means <- mean_widths(data)
    for (k in seq_along(views)) {
      if (data$several) draw_each_model(table[table$view == views[k], ], lighten(entries$colour[k], 0.65))
      own <- means[means$view == views[k], ]
      graphics::lines(log10(own$width), own$value, col = entries$colour[k], lty = entries$lty[k], lwd = 2)
      graphics::points(log10(own$width), own$value, col = entries$colour[k], pch = 16, cex = 0.8)
    }
    ticks <- within_limits(log10(log_ticks(limits)), limits)
    quiet_axis(1, ticks, format_each(10^ticks))
    quiet_axis(2, y)
    axis_title(if (data$several) paste(data$label, "(mean of the models)", sep = " ") else data$label,
               2, 2.8, las = 0)
    axis_title("width of the Gaussian", 1, 1.8)
    if (length(views) > 1L) draw_side_key(entries)
  }, main)
}

draw_each_model <- function(table, colour) {
  for (one in split(table, table$model)) graphics::lines(log10(one$width), one$value, col = colour)
}

ggplot_widths <- function(data) {
  views <- length(unique(data$table$view))
  figure(data$table, ggplot2::aes(.data$width, .data$value, colour = .data$view,
                                          linetype = .data$view)) +
    (if (data$several) {
      ggplot2::geom_line(ggplot2::aes(group = interaction(.data$view, .data$model)), alpha = 0.3)
    }) +
    ggplot2::geom_line(data = mean_widths(data), linewidth = 1) +
    ggplot2::geom_point(data = mean_widths(data)) +
    ggplot2::scale_x_log10(breaks = function(limits) log_ticks(log10(limits)), labels = format_each,
                           guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::expand_limits(y = 0) +
    curve_scales(nlevels(data$table$view), legend_names, legend = views > 1L) +
    ggplot2::labs(x = "width of the Gaussian", y = data$label)
}
