# The figures of plot() by ggplot2, from the same prepared data.

#' @rdname plot.mkl
#' @method autoplot mkl_fit
#' @rawNamespace S3method(ggplot2::autoplot,mkl_fit)
autoplot.mkl_fit <- function(object, which = "weights", most = 30L, value = c("share", "theta"),
                             main = NULL, zeros = FALSE, data = NULL, by = NULL, resolution = 150L,
                             ...) {
  object <- fit_within(object, "no plots")
  check_dots_empty(...)
  which <- check_choice(which, plot_choices, "which")
  check_alignment(which, FALSE, data)
  given <- c(most = !missing(most), value = !missing(value), zeros = !missing(zeros),
             data = !is.null(data), by = !is.null(by), resolution = !missing(resolution))
  check_serves_plot(names(given)[given], which)
  options <- check_plot_options(most, if (!missing(value)) value, zeros, by, resolution)
  check_main(main)
  ggplot_one(object, which, options, data) + ggplot2::labs(title = in_lines(main))
}

ggplot_one <- function(x, which, options, data = NULL) {
  switch(which,
    weights = ggplot_weights(
      weight_data(x, options$most, options$value, options$by, options$zeros)
    ),
    convergence = ggplot_convergence(x),
    margins = ggplot_margins(x),
    alignment = autoplot.kernel_alignment(fit_alignment(x, data, options$most, options$zeros)),
    widths = ggplot_widths(width_data(x, options$value)),
    boundary = ggplot_boundary(boundary_data(x, data, options$resolution)),
    profile = ggplot_profile(x)
  )
}

#' @rdname plot.mllkm
#' @method autoplot mllkm
#' @rawNamespace S3method(ggplot2::autoplot,mllkm)
autoplot.mllkm <- function(object, which = NULL, data = NULL, most = 30L,
                           value = c("share", "theta"), main = NULL, resolution = 150L, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  which <- check_choice(which %||% if (has_plane(object)) "boundary" else "weights", local_plots,
                        "which")
  given <- c(data = !is.null(data), most = !missing(most), value = !missing(value),
             resolution = !missing(resolution))
  check_serves_plot(names(given)[given], which, local_plots)
  options <- check_plot_options(most, if (!missing(value)) value, resolution = resolution)
  check_main(main)
  ggplot_one(object, which, options, data) + ggplot2::labs(title = in_lines(main))
}

#' @rdname plot.mkl_gomp
#' @method autoplot mkl_gomp
#' @rawNamespace S3method(ggplot2::autoplot,mkl_gomp)
autoplot.mkl_gomp <- function(object, which = "path", most = 30L, main = NULL, by = NULL, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  which <- check_choice(which, c("path", "weights"), "which")
  check_serves_plot(c(if (!missing(most)) "most", if (!is.null(by)) "by"), which, "weights")
  check_main(main)
  options <- check_plot_options(most, by = by)
  check_steps_taken(object)
  plot <- if (which == "path") ggplot_path(object) else
    ggplot_weights(weight_data(object, options$most, "share", options$by, FALSE))
  plot + ggplot2::labs(title = in_lines(main))
}

#' @rdname plot.mkl_path
#' @method autoplot mkl_path
#' @rawNamespace S3method(ggplot2::autoplot,mkl_path)
autoplot.mkl_path <- function(object, which = c("weights", "gap", "map"),
                              most = if (which == "map") 30L else 6L, main = NULL, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  which <- check_choice(which, c("weights", "gap", "map"), "which")
  most <- check_count(most, "most")
  check_main(main)
  if (which == "map") return(ggplot_weights(path_map(object, most)) + ggplot2::labs(title = in_lines(main)))
  scale <- path_scale(object)
  plot <- if (which == "weights") ggplot_path_weights(object, scale, most) else
    ggplot_path_gaps(object, scale)
  plot + ggplot2::scale_x_continuous(breaks = scale$map(scale$ticks), labels = paste0(" ", scale$labels, " "),
                                     guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = object$over, title = in_lines(main))
}

# ---- weights -------------------------------------------------------------------------------------

ggplot_weights <- function(data) {
  rows <- data$rows(1)
  table <- data$table[data$table$kernel %in% rows$kernel, ]
  at <- match(table$kernel, rows$kernel)
  table$row <- factor(at, rev(seq_along(rows$kernel)))
  views <- unique(rows$view)
  shares <- if (length(views) <= MOST_WRAPPED) head_shares(rows, data$table)
  table$group <- factor(rows$view[at], views, paste0(strip_titles(group_titles(rows, views)),
                                                     if (length(shares)) sprintf("\n%.0f %%", 100 * shares)))
  table$fill <- rows$colour[at]
  if (!is.null(table$model)) {
    table$model <- panel_factor(table$model)
  }
  labels <- short_labels(rows, MOST_LETTERS)
  many <- length(unique(table$model)) > most_panels || !is.null(data$along)
  plot <- if (many) ggplot_weight_map(table, data) else ggplot_weight_bars(table, data)
  size <- tapply(table$value, table$row, max)
  plot <- plot + ggplot2::scale_y_discrete(labels = function(row) labels[as.integer(row)],
                                           breaks = function(rows) largest_labelled(rows, size)) +
    ggplot2::labs(caption = unshown_text(rows))
  columns <- if (!is.null(table$panel)) ggplot2::vars(.data$panel) else
    if (!is.null(table$model) && !many) ggplot2::vars(.data$model)
  if (is.null(columns) && !nrow(rows$heads)) return(plot)
  plot + ggplot2::facet_grid(if (nrow(rows$heads)) ggplot2::vars(.data$group), columns,
                             scales = "free_y", space = "free_y") +
    panel_theme(if (!is.null(columns)) table$panel %||% table$model)
}

group_titles <- function(rows, views) {
  if (nrow(rows$heads)) rows$heads$label[match(views, rows$heads$view)] else views
}

ggplot_weight_bars <- function(table, data) {
  models <- max(length(unique(table$model)), 1L)
  table$number <- bar_numbers(table, data$by, models)
  table <- table[order(-table$value), ] # the largest have their numbers first
  figure(table, ggplot2::aes(.data$value, .data$row, fill = .data$fill)) +
    ggplot2::geom_col(width = 0.75) + ggplot2::scale_fill_identity() +
    (if (!is.null(table$number)) {
      ggplot2::geom_text(ggplot2::aes(label = .data$number), hjust = -0.1, size = 2.8, colour = ink$soft,
                         check_overlap = TRUE)
    }) +
    ggplot2::scale_x_continuous(
      expand = ggplot2::expansion(c(0, if (data$by == "kernel") 0.16 else max(0.6 / models, 0.2 * models))),
      # labels of neighbouring panels would touch
      breaks = function(limits) pretty(limits, if (is.null(table$model)) 5 else 2)
    ) +
    ggplot2::guides(x = ggplot2::guide_axis(check.overlap = TRUE), y = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = data$label, y = NULL)
}

# Numbers at the ends of bars: of kernels their values, of sums their shares and how many kernels have weight.
bar_numbers <- function(table, by, models) {
  if (by != "kernel" && models > 1L) return(sprintf("%.0f %%", 100 * table$share))
  if (by == "kernel") return(if (models == 1L) bar_values(table$value))
  sprintf("%.1f %%, %d of %d active", 100 * table$share, table$active, table$kernels)
}

ggplot_weight_map <- function(table, data) {
  along <- data$along
  edges <- along$edges %||% (seq_len(nlevels(table$model) + 1L) - 0.5)
  column <- as.integer(table$model)
  table$at <- (utils::head(edges, -1) + diff(edges) / 2)[column]
  table$width <- diff(edges)[column]
  plot <- figure(table, ggplot2::aes(.data$at, .data$row, fill = .data$value)) +
    ggplot2::geom_tile(ggplot2::aes(width = .data$width), colour = if (length(edges) <= 61L) ink$grid else NA) +
    ggplot2::scale_fill_gradientn(colours = weight_shades(), limits = c(0, NA)) +
    ggplot2::scale_x_continuous(breaks = along$at %||% seq_len(nlevels(table$model)),
                                labels = along$labels %||% levels(table$model), expand = c(0, 0),
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    ggplot2::labs(x = along$title, y = NULL,
                  fill = if (data$value == "theta") expression(theta[m]) else "share")
  if (!is.null(along)) return(plot)
  plot + ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

# ---- convergence and margins ---------------------------------------------------------------------

ggplot_convergence <- function(x) {
  shared <- !has_models(x) || shares_weights(x$strategy)
  models <- if (shared) models_of(x)[1] else models_of(x)
  time <- time_scale(unlist(lapply(models, function(model) model$history$time)))
  table <- do.call(rbind, Map(function(model, name) {
    convergence_table(model$history, time$factor, if (shared) NULL else name)
  }, models, names(models) %||% ""))
  table$panel <- factor(table$panel, unique(table$panel))
  table$line <- factor(table$line, unique(table$line))
  tolerance <- data.frame(panel = factor(gap_panel, levels(table$panel)), y = log_values(x$control$tol))
  plot <- figure(table, ggplot2::aes(.data$time, .data$y, colour = .data$line, linetype = .data$line)) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$y), tolerance, linetype = 2,
                        colour = ink$soft) +
    (if (max(table(table$line)) > 1) ggplot2::geom_line(na.rm = TRUE)) +
    ggplot2::geom_point(size = 0.8, na.rm = TRUE) +
    (if (shared) {
      list(ggplot2::scale_colour_manual(name = NULL, values = c(rev(view_colours(2)), ink$text)),
           ggplot2::scale_linetype_manual(name = NULL, values = rep(1, 3)), legend_above())
    } else curve_scales(length(models), legend_names)) +
    ggplot2::labs(x = time$label, y = NULL, subtitle = paste("dashed:", tol_text(x$control$tol)),
                  caption = if (shared) early_note(shown_objectives(models[[1L]]$history)))
  plot + ggplot2::facet_grid(rows = ggplot2::vars(.data$panel), scales = "free_y", switch = "y") +
    ggplot2::theme(strip.text.y.left = ggplot2::element_text(angle = 90, face = "plain", hjust = 0.5),
                   panel.spacing.y = ggplot2::unit(1, "lines")) +
    log_panel_scale()
}

gap_panel <- "relative gap"

# Logarithms share a scale with other panels' values: this far below zero they are told apart from these.
LOG_PANEL <- -1e6

log_values <- function(values) log10(values) + LOG_PANEL

# An axis with round numbers for log_values(), and R's own ticks for other values.
log_panel_scale <- function() {
  is_log <- function(values) all(values < LOG_PANEL / 2, na.rm = TRUE)
  breaks <- function(limits) {
    at <- every(limits)
    at[at >= limits[1L] & at <= limits[2L]]
  }
  every <- function(limits) {
    if (!is_log(limits)) return(pretty(limits, 4))
    log10(log_ticks(limits - LOG_PANEL)) + LOG_PANEL
  }
  # LOG_PANEL leaves ten digits
  labels <- function(at) if (is_log(at)) power_labels(round(at - LOG_PANEL, 6)) else tick_text(at)
  ggplot2::scale_y_continuous(breaks = breaks, labels = labels)
}

# Objectives and the gap of one model, or its gap alone under the model's name.
convergence_table <- function(history, factor, name) {
  gap <- data.frame(time = factor * history$time, y = log_values(positive_gap(history)),
                    line = name %||% "relative gap", panel = gap_panel)
  if (!is.null(name)) return(gap)
  objectives <- data.frame(
    time = rep(factor * history$time, 2), y = unlist(shown_objectives(history)),
    line = rep(c("primal (upper bound)", "dual (lower bound)"), each = nrow(history)),
    panel = "objective"
  )
  rbind(objectives, gap)
}

ggplot_margins <- function(x) {
  if (has_models(x)) return(ggplot_bands(margin_bands(x)))
  switch(kind_of(x), classes = ggplot_two_sided(x), numbers = , times = ggplot_fitted(x),
         one_class = ggplot_scores(x))
}

# Counts by state (rows) and bin as a table; colour: of the first state, the others are lighter.
bin_table <- function(counts, breaks, colour) {
  data.frame(
    state = factor(rep(state_names, ncol(counts)), rev(state_names)),
    shade = rep(state_shades(colour), ncol(counts)),
    at = rep(utils::head(breaks, -1) + diff(breaks) / 2, each = nrow(counts)),
    rows = as.vector(counts)
  )
}

# legend: the colour that it has; names: of the states.
ggplot_bins <- function(table, breaks, legend, names = state_names) {
  figure(table, ggplot2::aes(.data$at, .data$rows, fill = .data$shade, group = .data$state)) +
    ggplot2::geom_col(width = breaks[2] - breaks[1], colour = "white", linewidth = 0.1) +
    ggplot2::scale_fill_identity(
      guide = ggplot2::guide_legend(override.aes = list(fill = state_shades(legend))),
      breaks = utils::head(table$shade, length(state_names)), labels = unname(names)
    ) +
    ggplot2::labs(y = "training rows", fill = NULL) + legend_above()
}

ggplot_two_sided <- function(fit) {
  data <- two_sided_data(fit)
  colours <- view_colours(2)
  table <- rbind(cbind(bin_table(data$up, data$breaks, colours[2]), class = fit$levels[2]),
                 cbind(bin_table(-data$down, data$breaks, colours[1]), class = fit$levels[1]))
  table$class <- factor(table$class, rev(fit$levels), strip_titles(rev(fit$levels)))
  ggplot_bins(table, data$breaks, "#4D4D4D", margin_state_names) +
    (if (data$breaks[1] <= 0) ggplot2::geom_vline(xintercept = 0, colour = ink$soft)) +
    ggplot2::geom_vline(xintercept = 1, linetype = 2, colour = ink$soft) +
    ggplot2::facet_grid(rows = ggplot2::vars(.data$class)) +
    ggplot2::labs(x = margin_title, subtitle = if (data$one_bar) one_bar_note,
                  caption = if (data$breaks[1] > 0) beyond_axis("boundary"))
}

ggplot_scores <- function(fit) {
  data <- score_data(fit)
  colour <- view_colours(1)
  ggplot_bins(bin_table(data$counts, data$breaks, colour), data$breaks, colour) +
    ggplot2::geom_vline(xintercept = 0, colour = ink$text) +
    ggplot2::labs(x = score_title)
}

ggplot_fitted <- function(fit) {
  data <- fitted_data(fit)
  reach <- data$reach
  table <- data.frame(fitted = data$fitted, y = data$response, shape = data$shape,
                      state = factor(state_names[as.character(data$state)], state_names))
  figure(table, ggplot2::aes(.data$fitted, .data$y, colour = .data$state,
                                      shape = .data$shape)) +
    ggplot2::geom_abline(slope = 1, intercept = c(0, reach, -reach),
                         linetype = c(1, rep(2, 2 * length(reach))), colour = ink$soft) +
    ggplot2::geom_point() + ggplot2::scale_shape_identity() +
    ggplot2::scale_colour_manual(values = stats::setNames(state_shades(view_colours(1)),
                                                          state_names)) +
    plain_scale(ggplot2::scale_x_continuous) + plain_scale(ggplot2::scale_y_continuous) +
    alike_axes(data$fitted, data$response) +
    ggplot2::labs(x = data$x, y = data$y, colour = NULL) + legend_above()
}

ggplot_bands <- function(bands) {
  count <- ncol(bands$height)
  breaks <- bands$breaks
  shown <- paste0(strip_titles(colnames(bands$height)), if (count <= MOST_WRAPPED) paste0("\n", bands$note),
                  " ", bands$value)
  table <- data.frame(
    class = factor(rep(shown, each = nrow(bands$height)), shown),
    at = rep(utils::head(breaks, -1) + diff(breaks) / 2, count), rows = as.vector(bands$height),
    shade = as.vector(vapply(view_colours(count), band_shades, character(length(breaks) - 1L), breaks))
  )
  notes <- c(if (count > MOST_WRAPPED) paste("on the right:", bands$note), dark_note(bands))
  figure(table, ggplot2::aes(.data$at, .data$rows, fill = .data$shade)) +
    ggplot2::geom_col(width = breaks[2] - breaks[1], colour = "white", linewidth = 0.1) +
    (if (breaks[1] <= 0) ggplot2::geom_vline(xintercept = 0, colour = ink$text)) +
    ggplot2::scale_fill_identity() +
    ggplot2::facet_grid(rows = ggplot2::vars(.data$class)) +
    ggplot2::scale_y_continuous(breaks = if (count <= MOST_WRAPPED) c(0, 0.5, 1)) +
    ggplot2::labs(x = in_lines(bands$axis), y = "rows, as a part of the fullest bin",
                  caption = in_lines(bands_left_out(bands)),
                  subtitle = if (length(notes)) paste(notes, collapse = "; "))
}

# ---- paths ---------------------------------------------------------------------------------------

ggplot_path <- function(x) {
  errors <- path_error_columns(x)
  table <- data.frame(
    step = rep(x$path$step, length(errors) + 1L),
    y = c(unlist(errors, use.names = FALSE), log_values(improvement_shares(x))),
    line = rep(c(names(errors), names(x$path)[3L]), each = nrow(x$path)),
    panel = rep(c(attr(errors, "axis"), names(x$path)[3L]), nrow(x$path) * c(length(errors), 1L))
  )
  table$line <- factor(table$line, unique(table$line))
  figure(table, ggplot2::aes(.data$step, .data$y, colour = .data$line)) +
    ggplot2::geom_vline(xintercept = x$selected, linetype = 2, colour = ink$soft) +
    (if (nrow(x$path) > 1L) ggplot2::geom_line()) + ggplot2::geom_point(size = 0.8) +
    ggplot2::scale_colour_manual(values = c(view_colours(length(errors)), ink$text)) +
    ggplot2::facet_grid(rows = ggplot2::vars(.data$panel), scales = "free_y", switch = "y") +
    ggplot2::scale_x_continuous(breaks = whole_ticks(nrow(x$path)), expand = ggplot2::expansion(add = 0.5)) +
    log_panel_scale() + ggplot2::labs(x = "kernels", y = NULL, colour = NULL, subtitle = paste("dashed:", in_use(x))) +
    legend_above()
}

ggplot_path_weights <- function(x, scale, most) {
  theta <- path_weights(x)
  largest <- apply(theta, 2, max)
  top <- top_kernels(largest, most)
  used <- which(largest > 0)
  names <- colnames(theta)
  colour <- ifelse(used %in% top, names[used], "others")
  table <- data.frame(
    at = rep(scale$map(x$points[[x$over]]), length(used)), weight = as.vector(theta[, used]),
    kernel = rep(used, each = nrow(theta)), colour = rep(colour, each = nrow(theta))
  )
  levels <- c(names[top], if (length(used) > length(top)) "others")
  table$colour <- factor(table$colour, levels)
  figure(table, ggplot2::aes(.data$at, .data$weight, colour = .data$colour, linetype = .data$colour,
                             group = .data$kernel)) +
    (if (nrow(theta) > 1L) ggplot2::geom_line() else ggplot2::geom_point()) +
    curve_scales(length(top), legend_names, TRUE, ink$line) + ggplot2::expand_limits(y = 0) +
    ggplot2::labs(y = expression("kernel weight " * theta[m]))
}

ggplot_path_gaps <- function(x, scale) {
  finite <- x$intervals[is.finite(x$intervals$gap), ]
  steps <- data.frame(from = scale$map(finite$lower), to = scale$map(finite$upper),
                      gap = finite$gap)
  points <- data.frame(at = scale$map(x$points[[x$over]]), gap = x$points$gap)
  figure(points, ggplot2::aes(.data$at, .data$gap)) +
    ggplot2::geom_hline(yintercept = x$tol, linetype = 2, colour = ink$soft) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$from, xend = .data$to, yend = .data$gap,
                                       colour = gaps_of[1L]), steps) +
    ggplot2::geom_point(ggplot2::aes(colour = gaps_of[2L])) +
    ggplot2::scale_colour_manual(values = stats::setNames(view_colours(2), gaps_of)) +
    ggplot2::scale_y_continuous(labels = gap_labels) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(y = "relative gap", colour = NULL, subtitle = paste("dashed:", tol_text(x$tol))) + legend_above()
}
