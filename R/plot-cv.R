# Plots of a cross-validation: arguments, and the data that base graphics and ggplot2 draw.

#' Plots of a cross-validation
#'
#' Draws the measure over the grid as a heat map or as curves, and for classes the quality of the
#' out-of-fold predictions of the chosen cell.
#'
#' @param x,object A result of [cv_mkl()].
#' @param which What to draw, for `plot()` one or several of
#'   * `"grid"`: the measure in all cells as a heat map, darker for better values, with numbers if there
#'     are at most 60 cells. The chosen cell has a thick frame. If the rule chose a cell whose mean is not
#'     the best, the best one has a thin frame. Grey cells lack folds and were not eligible. A
#'     grid along a single argument is drawn as a curve.
#'   * `"curve"`: the measure with its standard errors against the last argument of the grid, on a
#'     logarithmic scale, with a line for each value of the other one. Points of several lines are moved
#'     apart a little. The chosen cell has a ring; a dashed line is one standard error from the
#'     best mean. Open symbols lack folds.
#'   * `"roc"`, `"pr"`: the ROC curve and the precision-recall curve of the second level on the rows held
#'     out, with the area below it, for ROC with its interval (DeLong, DeLong and Clarke-Pearson 1988). A
#'     row counts once, by the mean of its decision values over the repeats. The area therefore differs a
#'     little from `results$auc`, the mean over the folds. Pale lines are the folds that have both classes.
#'     For several classes a curve for each against the others.
#'   * `"calibration"`: the observed share of the second level against its predicted probability, in up
#'     to 10 groups of equally many rows, with 95 % intervals (Wilson 1927). The probabilities of a row
#'     are averaged over the repeats. For several classes a curve for each.
#'   * `"held_out"`: the distribution of the margins \eqn{y f(x)} of the rows held out, by class, as in
#'     [plot.mkl()] for several classes. A row counts once, by its mean over the repeats. With more columns
#'     than rows all training rows may be on the margin, and only rows held out show how far apart the
#'     classes are.
#'   * `"weights"`, `"convergence"` and all others of [plot.mkl()]: that plot of the chosen fit to all rows.
#'
#'   Up to three curves have intervals of 95 % for each threshold (Wilson 1927; pale bands) or group (lines).
#' @param measure For `"grid"` and `"curve"`: the name of one of the measures; `NULL` is the first.
#' @param main Title, one string; `NULL` for none.
#' @param ask Whether to wait for the user between plots on an interactive device.
#' @param ... For plots of the fit the arguments of [plot.mkl()], such as `most`; otherwise not used.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot. Errors:
#'   class `manykernels_invalid_argument` for measures that were not computed, `manykernels_unsupported`
#'   for `"roc"`, `"pr"`, `"calibration"` and `"held_out"` if the response isn't classes, `manykernels_no_probability`
#'   for `"calibration"` without probabilities.
#' @references
#' DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or more
#' correlated receiver operating characteristic curves. *Biometrics* **44**, 837--845.
#'
#' Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* **22**, 209--212.
#' @seealso [cv_mkl()], [measures]
#' @examples
#' set.seed(1)
#' cv <- cv_mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), loss = "logistic",
#'              kernels = gaussian_kernel(c(0.5, 2, 8)), p = c(1, 4/3, 2), C = 10^(-2:2))
#' plot(cv, "grid")
#' plot(cv, "curve")
#' plot(cv, "roc")
#' plot(cv, "calibration")
#' @export
plot.cv_mkl <- function(x, which = c("grid", "curve"), measure = NULL, main = NULL,
                        ask = length(which) > 1 && grDevices::dev.interactive() &&
                          prod(graphics::par("mfrow")) < length(which), ...) {
  x <- check_object(x)
  which <- check_which(which, c(cv_plots, plot_choices))
  of_fit <- intersect(which, plot_choices)
  if (!length(of_fit)) check_dots_empty(...)
  check_main(main)
  if (!is.null(measure)) check_measure_drawn(which, cell_plots)
  own <- unique(lapply(setdiff(which, of_fit), cv_plot_data, x = x, measure = measure, most = bands_that_fit()))
  draw_each(c(own, of_fit), ask, function(data) {
    if (is.character(data)) return(plot(fit_within(x), data, main = main, ...))
    switch(data$type, grid = draw_grid(data, main), curve = draw_measure(data, main),
           calibration = draw_calibration(data, main), held_out = draw_bands(data, main),
           draw_tradeoff(data, main))
  })
  invisible(x)
}

#' @rdname plot.cv_mkl
#' @method autoplot cv_mkl
#' @rawNamespace S3method(ggplot2::autoplot,cv_mkl)
autoplot.cv_mkl <- function(object, which = "grid", measure = NULL, main = NULL, ...) {
  object <- check_object(object)
  which <- check_choice(which, c(cv_plots, plot_choices), "which")
  check_main(main)
  if (!is.null(measure)) check_measure_drawn(which, cell_plots)
  if (which %in% plot_choices) return(ggplot2::autoplot(fit_within(object), which, main = main, ...))
  check_dots_empty(...)
  data <- cv_plot_data(object, which, measure)
  plot <- switch(data$type, grid = ggplot_grid(data), curve = ggplot_measure(data),
                 calibration = ggplot_calibration(data), held_out = ggplot_bands(data),
                 ggplot_tradeoff(data))
  plot + ggplot2::labs(title = in_lines(main))
}

cell_plots <- c("grid", "curve")
cv_plots <- c(cell_plots, "roc", "pr", "calibration", "held_out")

# served: the plots that `measure` has a meaning for.
check_measure_drawn <- function(which, served) {
  if (any(served %in% which)) return(invisible())
  mk_abort(sprintf("`measure` is for `which = %s`, which is not drawn here.",
                   paste(dQuote(served, FALSE), collapse = "` or `")), "invalid_argument", "measure")
}

# ---- what is drawn -------------------------------------------------------------------------------

# list(type, ...), all that drawing asks for.
cv_plot_data <- function(x, which, measure, most = MOST_BANDS_OF_ROWS) {
  if (which %in% cell_plots) return(cell_data(x, which, measure))
  if (which == "held_out") return(held_out_bands(x, most))
  predictions <- predictions_by_class(x, which)
  if (which != "calibration") return(tradeoff_data(predictions, which))
  list(type = which, classes = lapply(predictions, class_calibration))
}

# A table with a row for each cell: value, its place between the extremes, se, inner and outer (codes
# of the two dimensions' values), complete, chosen, best. Dimensions of one value are no dimensions.
cell_data <- function(x, which, measure) {
  x <- of_best_scale(x)
  results <- x$results
  known <- vapply(x$measures, `[[`, "", "name")
  measure <- check_choice(measure %||% x$measure, known, "measure")
  chosen_by <- measure == x$measure
  larger <- x$measures[[match(measure, known)]]$larger
  outer <- utils::head(x$tuned, -1)
  dimensions <- list(grid_dimension(utils::tail(x$tuned, 1), results),
                     if (length(outer)) outer_dimension(outer, results))
  several <- lengths(lapply(dimensions, `[[`, "labels")) > 1
  inner <- dimensions[[if (any(several)) which(several)[1] else 1]]
  outer <- if (all(several) && length(several) == 2) dimensions[[2]]
  table <- data.frame(
    value = results[[measure]], se = results[[paste0(measure, "_se")]], inner = inner$code,
    outer = outer$code %||% 1L, complete = results$folds == max(results$folds),
    chosen = seq_len(nrow(results)) %in% x$best_row
  )
  table$value[!is.finite(table$value)] <- NA
  if (all(is.na(table$value))) {
    mk_abort(sprintf("No cell has a value of `%s` to be plotted.", measure), "invalid_argument", "x")
  }
  leader <- best_cell(table, larger)
  # a chosen cell whose mean is the best one is no other than the best
  tied <- any(table$chosen & table$complete & table$value %in% table$value[leader])
  table$best <- chosen_by & if (tied) table$chosen else seq_len(nrow(table)) %in% leader
  table$place <- place_between(table$value, table$value[table$complete])
  line <- if (chosen_by) table$value[leader] + (if (larger) -1 else 1) * table$se[leader]
  list(type = if (is.null(outer)) "curve" else which, table = table, inner = inner, outer = outer,
       measure = measure, larger = larger, line = line[is.finite(line)])
}

# The cells that have the scaling, and the class weights, of the best one.
of_best_scale <- function(x) {
  for (column in intersect(c("scale", "class_weights"), x$tuned)) {
    own <- which(x$results[[column]] == x$results[[column]][x$best_row])
    x$best_row <- match(x$best_row, own)
    x$results <- x$results[own, , drop = FALSE]
    x$tuned <- setdiff(x$tuned, column)
  }
  x
}

# 0 for the least value, 1 for the largest.
place_between <- function(value, all) {
  limits <- range(all, na.rm = TRUE)
  pmin(pmax((value - limits[1]) / max(diff(limits), .Machine$double.xmin), 0), 1)
}

best_cell <- function(table, larger) {
  value <- ifelse(table$complete, table$value, NA)
  if (larger) which.max(value) else which.min(value)
}

# Kernel sets stand one after the other, each with its norms.
outer_dimension <- function(names, results) {
  if (length(names) == 1) return(grid_dimension(names, results))
  each <- lapply(names, grid_dimension, results = results)
  place <- each[[1]]$code * (max(each[[2]]$code) + 1) + each[[2]]$code
  first <- !duplicated(place)
  first <- which(first)[order(place[first])]
  own <- lapply(each, function(one) one$labels[one$code])
  list(name = paste(names, collapse = ", "), code = match(place, place[first]),
       at = seq_along(first), labels = paste(own[[1]], own[[2]], sep = ", ")[first],
       entries = sprintf("%s, %s = %s", own[[1]], names[2], own[[2]])[first])
}

# Places and labels of an argument's values on an axis.
grid_dimension <- function(name, results) {
  column <- results[[name]]
  values <- if (is.factor(column)) levels(column) else
    if (is.character(column)) unique(column) else sort(unique(column))
  labels <- switch(name, p = format_norm(values), set = values, norm = shorten_apart(values, 26L),
                   format_each(values))
  list(
    name = name, code = match(column, values),
    at = switch(name, p = norm_position(values), set = , norm = seq_along(values), log10(values)),
    labels = labels, entries = paste(name, "=", labels)
  )
}
