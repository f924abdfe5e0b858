# Weights and gaps along a path.

#' Plots of a path
#'
#' Draws how the kernel weights change along a path, and how large the duality gap is at and between its points.
#'
#' @param x,object A path made by [mkl_path()].
#' @param which `"weights"`: the kernel weights along C (or p), those of the largest kernels named;
#'   for several classes with weights of their own the largest of all models. `"gap"`: the largest
#'   relative duality gap of every interval (steps) and the gaps of the points (dots) with the
#'   tolerance. `"map"`: the weights at the points as a heat map of kernels by C (or p), in groups by view,
#'   the kernels of a view by falling weight.
#' @param most A positive whole number. For `"weights"`: how many kernels have a name and a colour; the others
#'   are grey. For `"map"`: how many kernels are shown, those with the largest weights; a note reports what was
#'   left out.
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#' @seealso [mkl_path()]
#' @examples
#' x <- iris[51:150, 1:4]
#' path <- mkl_path(x, droplevels(iris$Species[51:150]), gaussian_kernel(2^(-1:3)), C = c(0.1, 10),
#'                  p = 1, tol = 0.02)
#' plot(path)
#' plot(path, "gap")
#' plot(path, "map")
#' @export
plot.mkl_path <- function(x, which = c("weights", "gap", "map"), most = if (which == "map") 30L else 6L,
                          main = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  which <- check_choice(which, c("weights", "gap", "map"), "which")
  most <- check_count(most, "most")
  check_main(main)
  switch(which, weights = draw_path_weights(x, most, main), gap = draw_path_gaps(x, main),
         map = draw_map(path_map(x, most), most, FALSE, main))
  invisible(x)
}

# The horizontal axis: log C, or 1/p from p = Inf to p = 1.
path_scale <- function(x) {
  over_c <- x$over == "C"
  map <- if (over_c) log10 else function(p) -1 / p
  limits <- map(x$range)
  if (diff(limits) == 0) limits <- limits + c(-0.5, 0.5)
  ticks <- if (over_c) log_ticks(limits) else c(1, 1.1, 4 / 3, 2, 4, Inf)
  near <- 1e-9 * max(abs(limits))
  ticks <- ticks[map(ticks) >= limits[1] - near & map(ticks) <= limits[2] + near]
  list(map = map, limits = limits, ticks = ticks, labels = format_each(ticks))
}

# Points by kernels, the largest weight of all models.
path_weights <- function(x) if (is.matrix(x$theta)) x$theta else apply(x$theta, 1:2, max)

# The points of the path as cells of a heat map that meet half-way.
path_map <- function(x, most) {
  theta <- path_weights(x)
  scale <- path_scale(x)
  at <- scale$map(x$points[[x$over]])
  edges <- c(scale$limits[1], at[-1] - diff(at) / 2, scale$limits[2])
  specs <- as.data.frame(x$kernels)
  table <- data.frame(model = rep(as.character(seq_along(at)), ncol(theta)),
                      specs[rep(seq_len(nrow(specs)), each = length(at)), "view", drop = FALSE],
                      kernel = rep(specs$name, each = length(at)), value = as.vector(theta), row.names = NULL)
  heat_data(table, "theta", most, FALSE,
           list(edges = edges, at = scale$map(scale$ticks), labels = scale$labels, title = x$over))
}

draw_path_weights <- function(x, most, main) {
  theta <- path_weights(x)
  scale <- path_scale(x)
  top <- top_kernels(apply(theta, 2, max), most)
  others <- setdiff(which(apply(theta, 2, max) > 0), top)
  entries <- curve_entries(side_names(colnames(theta)[top]))
  last <- if (length(others)) key_entries("others", ink$line, 1)
  height <- 1.04 * max(theta)
  margins <- c(line_inches(3), line_inches(4), line_inches(if (is.null(main)) 1 else 2.5),
               side_margin(c(entries$text, last$text)))
  with_figure(margins, scale$limits, c(0, height), function() {
    draw_path_grid(scale, pretty(c(0, height), 5), height)
    at <- scale$map(x$points[[x$over]])
    for (m in others) graphics::lines(at, theta[, m], col = ink$line)
    for (k in rev(seq_along(top))) {
      graphics::lines(at, theta[, top[k]], col = entries$colour[k], lty = entries$lty[k], lwd = 2)
    }
    axis_title(expression("kernel weight " * theta[m]), 2, 2.8, las = 0)
    axis_title(x$over, 1, 1.8)
    draw_side_key(entries, last)
  }, main)
}

draw_path_grid <- function(scale, at, height) {
  at <- at[at <= height]
  graphics::segments(scale$limits[1], at, scale$limits[2], at, col = ink$grid)
  graphics::segments(scale$map(scale$ticks), 0, scale$map(scale$ticks), height, col = ink$grid)
  graphics::segments(scale$limits[1], 0, scale$limits[2], 0, col = ink$line)
  quiet_axis(1, scale$map(scale$ticks), scale$labels)
  quiet_axis(2, at, gap_labels(at))
}

draw_path_gaps <- function(x, main) {
  scale <- path_scale(x)
  finite <- x$intervals[is.finite(x$intervals$gap), ]
  height <- 1.08 * max(finite$gap, x$points$gap, x$tol)
  key <- top_key(key_entries(c(gaps_of, tol_text(x$tol)), c(view_colours(2), ink$soft), c(1, NA, 2), c(2, 1, 1),
                             c(NA, 16, NA)), line_inches(4.6))
  margins <- c(line_inches(3), line_inches(4.6), top_margin(main, key), line_inches(1))
  with_figure(margins, scale$limits, c(0, height), function() {
    draw_path_grid(scale, pretty(c(0, height), 5), height)
    graphics::segments(scale$limits[1], x$tol, scale$limits[2], x$tol, lty = 2, col = ink$soft)
    graphics::segments(scale$map(finite$lower), finite$gap, scale$map(finite$upper), finite$gap,
                       col = view_colours(1), lwd = 2)
    graphics::points(scale$map(x$points[[x$over]]), x$points$gap, pch = 16, cex = 0.8,
                     col = view_colours(2)[2])
    draw_top_key(key)
    axis_title("relative gap", 2, 3.6, las = 0)
    axis_title(x$over, 1, 1.8)
  }, main, main_line = title_line(key))
}

# "0.0008"; "1e-08".
gap_labels <- function(at) format_each(at, scientific = 3)

gaps_of <- c("largest between two points", "at a point")
