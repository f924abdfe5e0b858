# Plots of bounds against p, or of their terms as stacked bars: base graphics, and ggplot2.

#' Plot bounds
#'
#' Draws bounds against p, on an axis that is linear in 1 - 1/p (p = 1 on the left, p = Inf on the
#' right), or the terms of a bound as stacked bars. A risk bound has a bar for each margin, with a line
#' at 1, above which it carries no information. An excess risk has a bar for each number of kernels.
#'
#' @param x,object A bound of [rademacher_bound()], [empirical_rademacher()], [bound_by_norm()]
#'   (against p; the standard error as bars, the scenarios as lines on a logarithmic scale),
#'   [risk_bound()] or [gomp_bound()] (stacked bars).
#' @param main Title, one string; `NULL` for none.
#' @param beside What is drawn beside a bound against p, on the same axes: a list, named by what the lines
#'   are called, of such bounds or of data frames with columns `p` and `value` (and `standard_error`),
#'   such as test errors. `NULL` for nothing.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: the bound, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#'   Errors: class `manykernels_unsupported` for results without p, such as those of
#'   [rademacher_convert()].
#' @name plot.bound
#' @examples
#' plot(bound_by_norm(M = 100, n = 1e4))
#' p <- c(1, 4/3, 2, 4, Inf)
#' plot(rademacher_bound(p, M = 50, n = 1000, R = 1))
#' x <- as.matrix(iris[1:4])
#' plot(rademacher_bound(p, kernels = gaussian_kernel(2^(-2:4)), x = x),
#'      beside = list("random signs" = empirical_rademacher(gaussian_kernel(2^(-2:4)), x, p)))
NULL

#' @rdname plot.bound
#' @export
plot.bound <- function(x, main = NULL, beside = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  check_main(main)
  data <- with_beside(bound_plot_data(x), beside)
  if (is.null(data$bars)) draw_curves(data, main) else draw_stacks(data, main)
  invisible(x)
}

#' @rdname plot.bound
#' @method autoplot bound
#' @rawNamespace S3method(ggplot2::autoplot,bound)
autoplot.bound <- function(object, main = NULL, beside = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  data <- with_beside(bound_plot_data(object), beside)
  if (is.null(data$bars)) ggplot_curves(data, main) else ggplot_stacks(data, main)
}

# For curves: a table with p, y, low, high, line. For bars: a matrix, terms by bars, and where a
# line goes.
bound_plot_data <- function(x) {
  if (inherits(x, "risk_bound")) {
    terms <- c("empirical", "complexity", "offset", "confidence")
    bars <- t(as.matrix(x$terms[terms]))
    return(list(bars = bars, at = format(x$terms$margin, trim = TRUE, digits = 3),
                x = "margin", y = "bound on the risk", line = 1))
  }
  if (inherits(x, "gomp_bound")) {
    others <- label_rows(x$terms[c("kappa", "tau", "n", "y_max", "delta")])
    bars <- intersect(c("empirical", "complexity", "confidence"), names(x$terms))
    return(list(bars = t(as.matrix(x$terms[bars])),
                at = paste0(x$terms$s, ifelse(nzchar(others), ", ", ""), others),
                x = "kernels in the sum", y = "bound on the excess risk"))
  }
  if (is.null(x$terms$p)) {
    mk_abort(paste("Give a bound with several `p`: this one is of a single norm, and there is nothing to plot",
                   "it against."),
             "unsupported", "x")
  }
  table <- data.frame(p = x$terms$p, y = x$value, low = x$value, high = x$value, line = "")
  if (inherits(x, "empirical_rademacher")) {
    error <- ifelse(is.na(x$terms$standard_error), 0, x$terms$standard_error)
    table$low <- table$y - error
    table$high <- table$y + error
  } else if (inherits(x, "bound_by_norm")) {
    table$line <- x$terms$scenario
  } else {
    table$line <- label_rows(x$terms[c("M", "n", "R")])
    if (anyDuplicated(table[c("p", "line")])) {
      table$line <- label_rows(x$terms[intersect(c("M", "n", "R", "q"), names(x$terms))])
    }
  }
  log <- inherits(x, "bound_by_norm") # its scenarios differ by a power of M
  y <- if (log) "risk beyond the empirical one" else "Rademacher complexity"
  list(table = table[order(table$p), ], y = y, log = log && all(table$y > 0))
}

# Further lines in a plot against p. Lines of different sizes have a logarithmic axis.
with_beside <- function(data, beside) {
  if (is.null(beside)) return(data)
  if (!is.null(data$bars)) mk_abort("Leave out `beside`: this bound has no p.", "invalid_argument", "beside")
  if (!is.list(beside) || is.data.frame(beside) || inherits(beside, "bound") || is.null(names(beside)) ||
      !all(nzchar(names(beside)))) {
    abort_argument(beside, "beside", "a list with names of bounds or data frames")
  }
  data$table$line[data$table$line == ""] <- "bound"
  others <- Map(beside_line, beside, names(beside))
  data$table <- do.call(rbind, c(list(data$table), unname(others)))
  data$log <- all(data$table$low > 0) && max(data$table$y) > 10 * min(data$table$y)
  data$y <- "value"
  data
}

beside_line <- function(x, name) {
  if (inherits(x, "bound")) {
    check_object(x)
    table <- bound_plot_data(x)$table
    table$line <- trimws(paste(name, table$line))
    return(table)
  }
  if (!is.data.frame(x) || !is.numeric(x$p) || !is.numeric(x$value) || !nrow(x)) {
    abort_argument(x, "beside", "a list of bounds, or of data frames with columns `p` and `value`")
  }
  check_beside_values(x, name)
  error <- x$standard_error %||% 0
  error[is.na(error)] <- 0
  table <- data.frame(p = x$p, y = x$value, low = x$value - error, high = x$value + error, line = name)
  table[order(table$p), ]
}

check_beside_values <- function(x, name) {
  wrong <- which(is.na(x$p) | x$p < 1 | !is.finite(x$value))
  if (!length(wrong)) return(invisible())
  mk_abort(sprintf(paste("`beside$%s` must have `p` from 1 to Inf and a finite `value` in each row: row %d has",
                         "p = %g, value = %g. Leave such rows out."), name, wrong[1], x$p[wrong[1]], x$value[wrong[1]]),
           "invalid_argument", "beside", x)
}

# Labels that distinguish the rows of a table, such as "M = 5 n = 100".
label_rows <- function(table) {
  differ <- names(table)[vapply(table, function(v) length(unique(v)) > 1, NA)]
  text <- rep("", nrow(table))
  for (name in differ) text <- trimws(paste(text, sprintf("%s = %g", name, table[[name]])))
  text
}

norm_position <- function(p) 1 - 1 / p

# The shown p, those of the table where they are apart.
norm_ticks <- function(p) {
  p <- sort(unique(p))
  keep <- Reduce(function(kept, one) {
    if (norm_position(one) - norm_position(kept[length(kept)]) >= 0.06) c(kept, one) else kept
  }, p[-1], p[1])
  list(at = norm_position(keep), labels = format_norm(keep))
}

# 16/15 rather than 1.066667
format_norm <- function(p) {
  numerator <- round(p / (p - 1))
  simple <- p < 2 & p > 1 & abs(numerator / (numerator - 1) - p) < 1e-9
  ifelse(simple, sprintf("%g/%g", numerator, numerator - 1), sprintf("%.3g", p))
}

draw_curves <- function(data, main) {
  table <- data$table
  lines <- unique(table$line)
  entries <- curve_entries(lines)
  key <- top_key(if (length(lines) > 1) entries else entries[0, ], line_inches(4.6))
  map <- if (data$log) log10 else identity
  ylim <- curve_limits(c(table$y, table$low, table$high), data$log)
  margins <- c(line_inches(3.2), line_inches(4.6), top_margin(main, key), line_inches(0.8))
  with_figure(margins, c(-0.02, 1.02), ylim, function() {
    ticks <- norm_ticks(table$p)
    y <- if (data$log) log_ticks(ylim) else pretty(ylim)
    y <- y[map(y) >= ylim[1] & map(y) <= ylim[2]]
    graphics::segments(-0.02, map(y), 1.02, map(y), col = ink$grid)
    for (k in seq_along(lines)) {
      part <- table[table$line == lines[k], ]
      at <- norm_position(part$p)
      graphics::lines(at, map(part$y), col = entries$colour[k], lty = entries$lty[k], lwd = 2)
      graphics::points(at, map(part$y), col = entries$colour[k], pch = 16, cex = 0.7)
      graphics::segments(at, map(part$low), at, map(part$high), col = entries$colour[k])
    }
    quiet_axis(1, ticks$at, ticks$labels)
    quiet_axis(2, map(y), format(y, trim = TRUE, drop0trailing = TRUE))
    axis_title("p", 1, 1.9)
    axis_title(data$y, 2, 3.4, las = 0)
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

curve_limits <- function(values, log) {
  values <- range(values, na.rm = TRUE)
  if (log) return(log10(values) + c(-0.05, 0.05) * max(diff(log10(values)), 0.5))
  c(0, if (values[2] > 0) values[2] * 1.05 else 1)
}

draw_stacks <- function(data, main) {
  bars <- data$bars
  colours <- view_colours(nrow(bars))
  top <- max(colSums(bars), data$line)
  ylim <- c(0, if (top > 0) 1.05 * top else 1)
  key <- top_key(key_entries(rownames(bars), colours, pch = 15), line_inches(4.6))
  below <- below_margin(data$at, graphics::par("fin")[1] - line_inches(5.4))
  margins <- c(below, line_inches(4.6), top_margin(main, key), line_inches(0.8))
  with_figure(margins, c(0.4, ncol(bars) + 0.6), ylim, function() {
    y <- pretty(ylim)
    y <- y[y <= ylim[2]]
    graphics::segments(0.4, y, ncol(bars) + 0.6, y, col = ink$grid)
    for (k in seq_len(ncol(bars))) {
      edges <- c(0, cumsum(bars[, k]))
      graphics::rect(k - 0.32, utils::head(edges, -1), k + 0.32, edges[-1], col = colours,
                     border = NA)
    }
    graphics::abline(h = data$line, lty = 2, col = ink$text)
    draw_columns_axis(data$at)
    quiet_axis(2, y)
    axis_title(data$x, 1, title_beyond(below))
    axis_title(data$y, 2, 3.4, las = 0)
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

# ---- ggplot2 -------------------------------------------------------------------------------------

ggplot_curves <- function(data, main) {
  table <- data$table
  table$at <- norm_position(table$p)
  ticks <- norm_ticks(table$p)
  several <- length(unique(table$line)) > 1
  table$line <- factor(table$line, unique(table$line))
  plot <- figure(table, ggplot2::aes(.data$at, .data$y, colour = .data$line, linetype = .data$line)) +
    (if (anyDuplicated(table$line)) ggplot2::geom_line()) + ggplot2::geom_point() +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$low, ymax = .data$high), linetype = 1) +
    ggplot2::scale_x_continuous(breaks = ticks$at, labels = ticks$labels,
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    curve_scales(nlevels(table$line), labels = legend_names, legend = several) +
    ggplot2::labs(x = "p", y = data$y, title = in_lines(main))
  plot + if (data$log) ggplot2::scale_y_log10() else ggplot2::expand_limits(y = 0)
}

ggplot_stacks <- function(data, main) {
  bars <- data$bars
  table <- data.frame(
    term = factor(rep(rownames(bars), ncol(bars)), rev(rownames(bars))),
    bar = factor(rep(seq_along(data$at), each = nrow(bars))), size = as.vector(bars)
  )
  colours <- stats::setNames(view_colours(nrow(bars)), rownames(bars))
  figure(table, ggplot2::aes(.data$bar, .data$size, fill = .data$term)) +
    ggplot2::geom_col(width = 0.64) +
    (if (!is.null(data$line)) ggplot2::geom_hline(yintercept = data$line, linetype = 2)) +
    ggplot2::scale_x_discrete(labels = data$at) +
    ggplot2::scale_fill_manual(values = colours) +
    ggplot2::labs(x = data$x, y = data$y, fill = NULL, title = in_lines(main)) + turned_text(data$at)
}

utils::globalVariables(".data")
