# The function of a fit to data of two columns, in the plane.

# TRUE if a fit uses a single view of two columns.
has_plane <- function(x) {
  layout <- layout_of(x)
  length(layout) == 1L && layout[[1L]]$width == 2L &&
    !any(kernel_field(x$kernels %||% first_model(x)$kernels, "type") == "precomputed")
}

# What is drawn: the grid's two axes, the values there (for several classes the number of the predicted
# one), the rows shown (x1, x2, class, support), the anchors of a locally linear model, labels.
boundary_data <- function(x, data, resolution) {
  if (!has_plane(x)) {
    abort_unsupported("which", "`which = \"boundary\"` is for data of two columns.", "boundary")
  }
  if (!is.null(x$outputs)) {
    abort_unsupported("which", paste("`which = \"boundary\"` is for one response: give one of the",
                                     "models, `x$models[[1]]` and so on."), "boundary")
  }
  models <- models_of(x)
  anchors <- do.call(rbind, unname(lapply(models, `[[`, "anchors")))
  rows <- if (is.null(data)) kept_points(x, models) else all_points(x, models, data)
  span <- plane_span(rbind(as.matrix(rows[c("x1", "x2")]), unname(anchors)), x)
  axes <- lapply(1:2, function(k) seq(span[1L, k], span[2L, k], length.out = resolution))
  values <- plane_values(x, models, as.matrix(expand.grid(axes)))
  if (has_models(x)) {
    steps <- min(4L * resolution, 800L)
    values <- as.integer(multiclass_response(refined(values, resolution, steps), x))
    axes <- lapply(1:2, function(k) seq(span[1L, k], span[2L, k], length.out = steps))
  }
  list(
    axes = axes, values = values, rows = rows,
    anchors = anchors, all_rows = !is.null(data), levels = x$levels, span = span,
    kind = if (!has_models(x)) kind_of(x) else "several", threshold = fit_threshold(x),
    labels = layout_of(x)[[1L]]$columns %||% c("column 1", "column 2")
  )
}

# The rows of the training data, in their own units.
all_points <- function(x, models, data) {
  standard <- as.matrix(plain_views(training_data(x, data, "data")$views)[[1L]])
  points_frame(x, models, in_data_units(standard, plane_scaling(x)), seq_len(nrow(standard)))
}

# The support vectors that a fit keeps; none where all kernels are kept as weights of columns.
kept_points <- function(x, models) {
  kept <- lapply(models, function(model) {
    view <- if (is.null(model$anchors)) plain_views(model$data$views)
    if (!length(view) || ncol(view[[1L]]) != 2L) return(NULL)
    standard <- as.matrix(view[[1L]])
    points_frame(x, models, in_data_units(standard, plane_scaling(x)), model$data$rows)
  })
  kept <- do.call(rbind, kept)
  if (is.null(kept)) return(points_frame(x, models, matrix(0, 0L, 2L), integer()))
  kept[kept$support & !duplicated(kept$row), ]
}

plane_scaling <- function(x) (x$scaling %||% first_model(x)$scaling)$views[[1L]]

points_frame <- function(x, models, points, rows) {
  support <- unique(unlist(lapply(models, `[[`, "support")))
  data.frame(row = rows, x1 = points[, 1L], x2 = points[, 2L],
             class = if (is.factor(x$y)) x$y[rows] else factor(rep("rows", length(rows))),
             support = rows %in% support)
}

# A little more than what is shown, or than most rows where nothing is.
plane_span <- function(points, x) {
  scaling <- plane_scaling(x)
  if (!nrow(points)) {
    if (is.null(scaling)) {
      mk_abort(paste("`data` must be the training data for `which = \"boundary\"`: the fit keeps",
                     "no rows."), "invalid_argument", "data")
    }
    points <- rbind(scaling$centre - 2.5 * scaling$scale, scaling$centre + 2.5 * scaling$scale)
  }
  span <- apply(points, 2L, grDevices::extendrange, f = 0.06)
  span[2L, ] <- span[2L, ] + (span[1L, ] == span[2L, ])
  unname(span)
}

plane_values <- function(x, models, grid) {
  layout <- layout_of(x)
  colnames(grid) <- layout[[1L]]$columns
  if (!is_single(layout)) grid <- stats::setNames(list(grid), names(layout))
  rows <- new_rows(models, grid)
  decision <- matrix(decide_all(models, rows), rows$n,
                     dimnames = list(NULL, names(models)))
  if (!has_models(x)) decision[, 1L] else decision
}

# Decision values between the points of the grid, so that the edges of several classes' regions are smooth.
refined <- function(values, resolution, steps) {
  between <- function(m) apply(m, 2L, function(column) stats::approx(column, n = steps)$y)
  apply(values, 2L, function(column) t(between(t(between(matrix(column, resolution))))))
}

# The number of the region at each place of the grid; NULL for numbers.
plane_regions <- function(data) {
  switch(data$kind, numbers = , times = NULL, several = data$values, 1L + (data$values > data$threshold))
}

region_labels <- function(data) data$levels %||% c("outside", "inside")

# The levels at which lines are drawn, and their types: the boundary, and the margins of two classes.
plane_lines <- function(data) {
  lines <- data.frame(level = c(data$threshold, -1, 1), type = c(1, 2, 2), width = c(2, 1, 1))
  wanted <- switch(data$kind, classes = 3L, one_class = 1L, 0L)
  lines <- utils::head(lines, wanted)
  lines[lines$level > min(data$values) & lines$level < max(data$values), ]
}

# Shades for numbers. The darkest are left out, as lines can't be seen on them.
number_shades <- function() grDevices::hcl.colors(32L, "Blues", rev = TRUE)[1:25]

# The values at which numbers have lines, and their key ticks.
number_levels <- function(values) within_limits(pretty(range(values), 6), range(values))

draw_boundary <- function(data, main) {
  span <- data$span
  numbers <- is.null(plane_regions(data))
  left <- left_margin(tick_text(pretty(span[, 2])))
  key <- top_key(boundary_entries(data), left)
  right <- if (numbers) width_inches(tick_text(number_levels(data$values)), cex = 0.75) + line_inches(2)
  margins <- c(line_inches(3), left, top_margin(main, key), right %||% line_inches(0.8))
  with_figure(margins, span[, 1], span[, 2], function() {
    draw_regions(data)
    draw_plane_rows(data)
    if (length(data$anchors)) {
      graphics::points(data$anchors, pch = 0, cex = 1.9, lwd = 1.6, col = ink$text)
    }
    for (side in 1:2) quiet_axis(side, pretty(span[, side]))
    graphics::box(col = ink$line)
    axis_title(data$labels[1], 1, 1.8)
    axis_title(data$labels[2], 2, title_beyond(left), las = 0)
    if (numbers) {
      values <- range(data$values)
      draw_colour_key(number_shades(), values[2], value_title, values[1], number_levels(values))
    }
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

value_title <- expression(f(x))

draw_regions <- function(data) {
  at <- data$axes
  values <- matrix(data$values, length(at[[1]]))
  region <- plane_regions(data)
  if (is.null(region)) {
    graphics::image(at[[1]], at[[2]], values, col = number_shades(), add = TRUE, useRaster = TRUE)
    return(graphics::contour(at[[1]], at[[2]], values, levels = number_levels(values), drawlabels = FALSE,
                             add = TRUE, col = ink$soft))
  }
  count <- length(region_labels(data))
  graphics::image(at[[1]], at[[2]], matrix(region, nrow(values)), zlim = c(1, count), add = TRUE,
                  col = area_colours(count), useRaster = TRUE)
  lines <- plane_lines(data)
  for (k in seq_len(nrow(lines))) {
    graphics::contour(at[[1]], at[[2]], values, levels = lines$level[k], drawlabels = FALSE,
                      add = TRUE, lty = lines$type[k], lwd = lines$width[k], col = ink$text)
  }
}

row_colours <- function(data) {
  if (is.null(data$levels)) ink$soft else view_colours(nlevels(data$rows$class))
}

draw_plane_rows <- function(data) {
  rows <- data$rows
  class <- as.integer(rows$class)
  graphics::points(rows$x1, rows$x2, pch = point_types(nlevels(rows$class))[class], cex = 0.7,
                   col = row_colours(data)[class])
  graphics::points(rows$x1[rows$support], rows$x2[rows$support], pch = 1, cex = 1.4, col = ink$soft)
}

boundary_entries <- function(data) {
  rbind(if (data$kind == "one_class") key_entries(rev(region_labels(data)), rev(area_colours(2L)), pch = 15),
        if (length(data$anchors)) key_entries("support kernel", ink$text, pch = 0, lwd = 1.6),
        if (any(data$rows$support)) key_entries("support vector", ink$soft, pch = 1, lwd = 1),
        if (length(data$levels)) {
          key_entries(data$levels, view_colours(length(data$levels)), pch = point_types(length(data$levels)))
        }) %||% key_entries(character(), character())
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_boundary <- function(data) {
  grid <- expand.grid(x1 = data$axes[[1]], x2 = data$axes[[2]])
  grid$value <- data$values
  region <- plane_regions(data)
  labels <- region_labels(data)
  plot <- figure(grid, ggplot2::aes(.data$x1, .data$x2))
  if (is.null(region)) {
    plot <- plot + ggplot2::geom_raster(ggplot2::aes(fill = .data$value)) +
      ggplot2::scale_fill_gradientn(colours = number_shades(), breaks = number_levels(data$values),
                                    labels = tick_text, name = value_title) +
      ggplot2::geom_contour(ggplot2::aes(z = .data$value), breaks = number_levels(data$values), colour = ink$soft,
                            linewidth = 0.3)
  } else {
    grid$region <- factor(labels[region], labels)
    lines <- plane_lines(data)
    plot <- plot + ggplot2::geom_raster(ggplot2::aes(fill = .data$region), grid) +
      ggplot2::scale_fill_manual(name = NULL, values = area_colours(length(labels)), drop = FALSE,
                                 labels = legend_names) +
      lapply(seq_len(nrow(lines)), function(k) {
        ggplot2::geom_contour(ggplot2::aes(z = .data$value), breaks = lines$level[k],
                              colour = ink$text, linetype = lines$type[k],
                              linewidth = 0.4 * lines$width[k])
      })
  }
  rows <- data$rows
  plot + ggplot2::geom_point(ggplot2::aes(colour = .data$class, shape = .data$class), rows, size = 1.2) +
    ggplot2::geom_point(data = rows[rows$support, ], shape = 1, size = 2.6, colour = ink$soft) +
    boundary_symbols(data) +
    (if (length(data$anchors)) {
      ggplot2::geom_point(data = data.frame(x1 = data$anchors[, 1], x2 = data$anchors[, 2]),
                          shape = 0, size = 3.5, colour = ink$text)
    }) +
    ggplot2::scale_x_continuous(expand = c(0, 0)) + ggplot2::scale_y_continuous(expand = c(0, 0)) +
    ggplot2::labs(x = data$labels[1], y = data$labels[2])
}

# Colours and symbols of the rows; in the legend of the regions where these are classes.
boundary_symbols <- function(data) {
  guide <- if (is.null(data$levels)) "none" else "legend"
  count <- nlevels(data$rows$class)
  list(ggplot2::scale_colour_manual(name = NULL, values = row_colours(data), drop = FALSE, guide = guide,
                                    labels = legend_names),
       ggplot2::scale_shape_manual(name = NULL, values = point_types(count), drop = FALSE, guide = guide,
                                   labels = legend_names),
       tight_legend(count))
}
