# Plots of predictions of new rows: curves of classes as for cross-validations, the confusion matrix,
# predicted against true numbers, and the values of several fits.

#' Plots of an assessment
#'
#' Draws predictions of new rows and their measures. `plot()` uses base graphics, `autoplot()` package
#' ggplot2.
#'
#' @param x,object A result of [assess()].
#' @param which What to draw, for `plot()` one or several of
#'   * `"roc"`, `"pr"`: the ROC curve and the precision-recall curve, with the area below them, for ROC with
#'     its interval; for several classes a curve for each against the others. Up to three curves have a pale
#'     band: the interval of the true positive rate or precision at each threshold (Wilson 1927), where a
#'     `group` of [assess()] counts as one row;
#'   * `"calibration"`: the observed share of a class against its predicted probability, in up to 10 groups
#'     of equally many rows, with intervals. Grey bars show how many rows have which probability;
#'   * `"confusion"`: the confusion matrix, with shares of each true class;
#'   * `"predictions"`: the response against its prediction (numbers, times; censored times are triangles that
#'     point towards the event);
#'   * `"measures"`, for several fits: the value of one measure of each fit with its interval.
#'
#'   For several fits there are curves of two classes only. `NULL`: `"roc"` and `"calibration"` if there are
#'   such curves; otherwise `"confusion"` for classes, `"predictions"` for other responses, and `"measures"`
#'   for several fits.
#' @param measure For `"measures"`: the name of one of them; `NULL` is the first.
#' @param main Title, one string or expression; `NULL` for none.
#' @param ask Whether to wait for the user between plots on an interactive device.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot of the first of `which`. Errors: class
#'   `manykernels_unsupported` for what the response doesn't have, `manykernels_no_probability` for
#'   `"calibration"` without probabilities, `manykernels_invalid_argument`.
#' @seealso [assess()], [plot.cv_mkl()]
#' @examples
#' train <- seq(51, 150, by = 2)
#' fit <- mkl(iris[train, 1:4], droplevels(iris$Species[train]), loss = "logistic",
#'            kernels = gaussian_kernel(c(0.5, 2, 8)))
#' tested <- assess(fit, iris[train + 1, 1:4], iris$Species[train + 1], draws = 200)
#' plot(tested, "roc")
#' plot(tested, "calibration")
#' plot(tested, "confusion")
#' @export
plot.mkl_assessment <- function(x, which = NULL, measure = NULL, main = NULL,
                                ask = length(which) > 1 && grDevices::dev.interactive() &&
                                  prod(graphics::par("mfrow")) < length(which), ...) {
  check_object(x)
  check_dots_empty(...)
  which <- check_which(which %||% default_plots(x), assessment_plots)
  check_main(main)
  if (!is.null(measure)) check_measure_drawn(which, "measures")
  draw_each(lapply(which, assessment_data, x = x, measure = measure), ask, function(data) {
    switch(data$type, calibration = draw_calibration(data, main), confusion = draw_confusion(data, main),
           predictions = draw_predictions(data, main), measures = draw_values(data, main),
           draw_tradeoff(data, main))
  })
  invisible(x)
}

#' @rdname plot.mkl_assessment
#' @method autoplot mkl_assessment
#' @rawNamespace S3method(ggplot2::autoplot,mkl_assessment)
autoplot.mkl_assessment <- function(object, which = NULL, measure = NULL, main = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  which <- check_choice(which %||% default_plots(object)[1L], assessment_plots, "which")
  if (!is.null(measure)) check_measure_drawn(which, "measures")
  data <- assessment_data(object, which, measure)
  plot <- switch(data$type, calibration = ggplot_calibration(data), confusion = ggplot_confusion(data),
                 predictions = ggplot_predictions(data), measures = ggplot_values(data), ggplot_tradeoff(data))
  plot + ggplot2::labs(title = in_lines(main))
}

assessment_plots <- c("roc", "pr", "calibration", "confusion", "predictions", "measures")

# ---- what is drawn -------------------------------------------------------------------------------

default_plots <- function(x) {
  several <- inherits(x, "mkl_comparison")
  fits <- if (several) x$fits else list(x)
  one <- fits[[1L]]
  two <- is.factor(one$predictions$truth) && nlevels(one$predictions$truth) == 2L
  all_have <- function(curve) !any(vapply(fits, function(fit) is.null(fit[[curve]]), NA))
  curves <- if (!several || two) Filter(all_have, c("roc", "calibration"))
  if (length(curves)) return(curves)
  if (several) return("measures")
  if (one$kind == "classification") return("confusion")
  if (!has_one_prediction(one)) {
    abort_unsupported("x", paste("Draw as.data.frame(x$predictions) yourself: there is no plot for several",
                                 "responses or quantiles, nor for one class without `y`."), x)
  }
  "predictions"
}

# TRUE for one number or time for each row.
has_one_prediction <- function(x) {
  x$kind %in% c("regression", "custom", "times") && !is.matrix(x$predictions$response)
}

# TRUE where a report draws more than its tables have.
has_curves <- function(x) !is.null(x$roc) || has_one_prediction(x)

# list(type, ...), all that drawing asks for.
assessment_data <- function(x, which, measure) {
  if (which == "measures") return(value_data(x, measure))
  if (which %in% c("confusion", "predictions")) {
    if (inherits(x, "mkl_comparison")) abort_one_fit(which)
    return(if (which == "confusion") confusion_data(x) else prediction_data(x))
  }
  classes <- assessed_classes(x, which)
  if (which == "calibration") {
    return(list(type = which, classes = lapply(classes, class_calibration, x$level),
                name = attr(classes, "name", exact = TRUE)))
  }
  tradeoff_data(classes, which, x$level)
}

abort_one_fit <- function(which) {
  abort_unsupported("which", sprintf("`which = \"%s\"` is for one fit: plot one of `fits`.", which), which)
}

# For each curve its rows. Several fits have one each, of the second class.
assessed_classes <- function(x, which, name = NULL) {
  if (inherits(x, "mkl_comparison")) {
    classes <- Map(assessed_classes, x$fits, which, names(x$fits))
    if (any(lengths(classes) > 1L)) abort_one_fit(which)
    return(structure(lapply(classes, `[[`, 1L), name = names(classes[[1L]])))
  }
  if (x$kind != "classification") {
    abort_unsupported("which", sprintf("`which = \"%s\"` is for classes.", which), which)
  }
  if (which == "calibration" && is.null(x$calibration)) {
    mk_abort(sprintf(paste("`which = \"calibration\"` needs a fit with probabilities%s:",
                           "`control = mkl_control(probability = TRUE)` or `loss = \"logistic\"`."),
                     if (is.null(name)) "" else sprintf(", and `%s` has none", name)),
             "no_probability", "which", which)
  }
  set <- c(as.list(x$predictions[c("truth", "response", "decision")]),
           list(prob = x$predictions$prob, weights = x$predictions$weight, kind = x$kind))
  sides <- set_sides(set, if (is.matrix(set$truth)) set_parts(set), x$predictions$group)
  if (which != "calibration") sides <- Filter(function(side) has_both(side$positive), sides)
  if (!length(sides)) {
    abort_unsupported("which", sprintf("`which = \"%s\"` needs new rows of both classes.", which), which)
  }
  sides
}

confusion_data <- function(x) {
  if (is.list(x$confusion)) {
    abort_unsupported("which", paste("`which = \"confusion\"` is for one response of classes; `x$confusion`",
                                     "has a table for each label."), "confusion")
  }
  if (length(dim(x$confusion)) != 2L) {
    abort_unsupported("which", "`which = \"confusion\"` is for a response of classes.", "confusion")
  }
  counts <- unclass(x$confusion)
  table <- data.frame(row = rep(rev(seq_len(nrow(counts))), ncol(counts)),
                      column = rep(seq_len(ncol(counts)), each = nrow(counts)),
                      count = as.vector(counts), share = as.vector(counts / rowSums(counts)))
  table$share[is.nan(table$share)] <- NA # a class without rows
  table$text <- paste0(format(table$count, trim = TRUE, digits = 3),
                       ifelse(table$count == 0, "", sprintf("\n%.0f %%", 100 * table$share)))
  table$ink <- ifelse(is.na(table$share) | table$share <= 0.55, ink$text, "white")
  list(type = "confusion", table = table, levels = rownames(counts))
}

prediction_data <- function(x) {
  table <- x$predictions
  if (!has_one_prediction(x)) {
    abort_unsupported("which", paste(
      "`which = \"predictions\"` is for one response of numbers or times;",
      "as.data.frame(x$predictions) has all of them."
    ),
                      "predictions")
  }
  logarithm <- x$kind == "times" && all(table$truth > 0 & table$response > 0)
  scale <- if (logarithm) log10 else identity
  list(type = "predictions", x = scale(table$response), y = scale(table$truth), logarithm = logarithm,
       shape = c(6L, 16L, 2L)[if (is.null(table$status)) 2L else as.integer(table$status)],
       labels = if (x$kind == "times") c("predicted time", "time (triangles: censored)") else
         c("predicted value", "response"))
}

# The values of one measure, a row for each fit.
value_data <- function(x, measure) {
  if (!inherits(x, "mkl_comparison")) {
    abort_unsupported("which", "`which = \"measures\"` is for several fits.", "measures")
  }
  known <- x$fits[[1L]]$measures$measure
  measure <- check_choice(measure %||% known[1L], known, "measure")
  table <- do.call(rbind, lapply(unname(x$fits), function(fit) fit$measures[fit$measures$measure == measure, ]))
  if (all(is.na(table$estimate))) {
    mk_abort(sprintf("No fit has a value of `%s` to be plotted.", measure), "invalid_argument", "measure",
             measure)
  }
  table$fit <- names(x$fits)
  list(type = "measures", table = table, measure = gsub("_", " ", measure))
}

# ---- base graphics -------------------------------------------------------------------------------

draw_confusion <- function(data, main) {
  table <- data$table
  k <- length(data$levels)
  names <- fit_names(data$levels, cex = 0.85, room = 0.25 * min(graphics::par("fin")))
  left <- left_margin(names)
  below <- below_margin(names, graphics::par("fin")[1] - left - line_inches(1))
  margins <- c(below, left, line_inches(if (is.null(main)) 1 else 2.6), line_inches(1))
  with_figure(margins, c(0.5, k + 0.5), c(0.5, k + 0.5), function() {
    shades <- measure_shades(TRUE)
    graphics::rect(table$column - 0.5, table$row - 0.5, table$column + 0.5, table$row + 0.5,
                   col = ifelse(is.na(table$share), lacking_colour, shades[1 + floor(63 * table$share)]),
                   border = "white")
    draw_counts(table, k)
    draw_columns_axis(names)
    draw_rows_axis(rev(names))
    axis_title("predicted class", 1, title_beyond(below))
    axis_title("true class", 2, title_beyond(left), las = 0)
  }, main)
}

# The count and the share of its row, as far as there is room.
draw_counts <- function(table, k) {
  inches <- graphics::par("pin") / k
  size <- min(0.9, 0.8 * inches[1] / width_inches(table$text), 0.35 * inches[2] / line_inches())
  if (size < 0.4) return(invisible())
  graphics::text(table$column, table$row, table$text, cex = size, col = table$ink)
}

draw_predictions <- function(data, main) {
  limits <- padded(c(data$x, data$y))
  at <- within_limits(if (data$logarithm) log10(log_ticks(limits)) else pretty(limits, 6), limits)
  labels <- if (data$logarithm) format_each(10^at) else tick_text(at)
  left <- left_margin(labels)
  margins <- c(line_inches(3), left, line_inches(if (is.null(main)) 1 else 2.5), line_inches(1))
  with_figure(margins, limits, limits, function() {
    graphics::segments(limits[1], at, limits[2], at, col = ink$grid)
    graphics::segments(at, limits[1], at, limits[2], col = ink$grid)
    graphics::abline(0, 1, col = ink$soft)
    graphics::points(data$x, data$y, pch = data$shape, cex = 0.75, col = view_colours(1))
    quiet_axis(1, at, labels)
    quiet_axis(2, at, labels)
    axis_title(data$labels[1], 1, 1.9)
    axis_title(data$labels[2], 2, title_beyond(left), las = 0)
  }, main)
}

draw_values <- function(data, main) {
  table <- data$table
  rows <- rev(seq_len(nrow(table)))
  names <- shorten_apart(table$fit, 30L)
  limits <- padded(unlist(table[c("estimate", "lower", "upper")]))
  margins <- c(line_inches(3), width_inches(names, cex = 0.85) + line_inches(1.2),
               line_inches(if (is.null(main)) 1 else 2.6), line_inches(1))
  with_figure(margins, limits, c(0.5, nrow(table) + 0.5), function() {
    at <- within_limits(pretty(limits, 6), limits)
    graphics::segments(at, 0.5, at, nrow(table) + 0.5, col = ink$grid)
    colour <- view_colours(nrow(table))
    graphics::segments(table$lower, rows, table$upper, rows, lwd = 2, col = vapply(colour, lighten, "", 0.4))
    graphics::points(table$estimate, rows, pch = 16, col = colour)
    quiet_axis(1, at)
    draw_rows_axis(rev(names))
    axis_title(data$measure, 1, 1.9)
  }, main)
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_confusion <- function(data) {
  names <- shorten_apart(data$levels, 20L)
  k <- length(names)
  figure(data$table, ggplot2::aes(.data$column, .data$row, fill = .data$share)) +
    ggplot2::geom_tile(colour = "white") +
    ggplot2::geom_text(ggplot2::aes(label = .data$text), size = min(3, 20 / k), lineheight = 0.9,
                       colour = data$table$ink) +
    ggplot2::scale_fill_gradientn(colours = measure_shades(TRUE), limits = c(0, 1), na.value = lacking_colour) +
    ggplot2::scale_x_continuous(breaks = seq_len(k), labels = names, expand = c(0, 0)) +
    ggplot2::scale_y_continuous(breaks = seq_len(k), labels = rev(names), expand = c(0, 0)) +
    ggplot2::labs(x = "predicted class", y = "true class", fill = "share of\nthe class") + turned_text(names)
}

ggplot_predictions <- function(data) {
  table <- data.frame(x = data$x, y = data$y, shape = data$shape)
  number_scale <- if (!data$logarithm) plain_scale else function(scale) {
    scale(breaks = function(limits) log10(log_ticks(limits)), labels = function(at) format_each(10^at))
  }
  figure(table, ggplot2::aes(.data$x, .data$y, shape = .data$shape)) +
    ggplot2::geom_abline(slope = 1, intercept = 0, colour = ink$soft) +
    ggplot2::geom_point(colour = view_colours(1)) + ggplot2::scale_shape_identity() +
    number_scale(ggplot2::scale_x_continuous) + number_scale(ggplot2::scale_y_continuous) +
    alike_axes(data$x, data$y) +
    ggplot2::labs(x = data$labels[1], y = data$labels[2])
}

ggplot_values <- function(data) {
  table <- data$table
  table$fit <- factor(table$fit, rev(table$fit), rev(shorten_apart(table$fit, MOST_LETTERS)))
  table <- table[!is.na(table$estimate), ]
  figure(table, ggplot2::aes(.data$estimate, .data$fit, colour = .data$fit)) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), alpha = 0.6, na.rm = TRUE) +
    ggplot2::geom_point() +
    ggplot2::scale_colour_manual(values = rev(view_colours(nrow(data$table))), guide = "none") +
    ggplot2::labs(x = data$measure, y = NULL)
}
