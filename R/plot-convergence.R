# Objectives and gap against time.

plot_convergence <- function(x, main) {
  if (is.null(x$models) || x$strategy == "shared") {
    draw_convergence((x$models %||% list(x))[[1]], main)
  } else {
    draw_gaps(x, main)
  }
}

# One figure, two bands that share the time axis: objectives above, gap below. The bands are drawn
# in the coordinates of one plot, so that the figure fits into par(mfrow = ).
draw_convergence <- function(fit, main) {
  history <- fit$history
  time <- time_scale(history$time)
  gap <- pmax(history$gap, .Machine$double.eps)
  primal <- ifelse(history$gap < 1 & history$objective > 0, history$objective / (1 - history$gap),
                   NA)
  upper <- band(objective_range(history, primal), 0.52, 1)
  lower <- band(log10(gap_range(gap, fit$control$tol)), 0, 0.42)
  colours <- view_colours(2)
  margins <- c(line_inches(3), line_inches(4.6), line_inches(if (is.null(main)) 1 else 2.5),
               line_inches(1))
  with_figure(margins, time$limits, c(0, 1), function() {
    draw_band_grid(time, upper, lower)
    with_clip(time$limits, upper$to, {
      known <- !is.na(primal)
      graphics::polygon(c(time$at[known], rev(time$at[known])),
                        upper$map(c(primal[known], rev(history$objective[known]))),
                        col = "#0000000F", border = NA)
      draw_run(time$at, upper$map(primal), colours[2])
      draw_run(time$at, upper$map(history$objective), colours[1])
    })
    draw_run(time$at, lower$map(log10(gap)), ink$text)
    draw_tolerance(fit$control$tol, lower, time$limits)
    draw_band_axes(upper, lower, time)
    graphics::legend(time$limits[2], upper$to[2], c("primal (upper bound)", "dual (lower bound)"),
                     col = rev(colours), lwd = 2, bty = "n", cex = 0.8, text.col = ink$text,
                     xjust = 1, yjust = 1, seg.len = 1.4)
  }, main)
}

draw_run <- function(x, y, colour) {
  graphics::lines(x, y, col = colour, lwd = 2)
  if (length(x) <= 60) graphics::points(x, y, pch = 16, cex = 0.55, col = colour)
}

draw_tolerance <- function(tol, lower, limits) {
  y <- lower$map(log10(tol))
  graphics::segments(limits[1], y, limits[2], y, lty = 2, col = ink$soft)
  graphics::text(limits[1], y, sprintf(" tol = %g", tol), adj = c(0, -0.4), cex = 0.75,
                 col = ink$soft)
}

draw_band_grid <- function(time, upper, lower) {
  for (one in list(upper, lower)) {
    graphics::segments(time$ticks, one$to[1], time$ticks, one$to[2], col = ink$grid)
    y <- one$map(one$ticks)
    graphics::segments(time$limits[1], y, time$limits[2], y, col = ink$grid)
  }
}

draw_band_axes <- function(upper, lower, time) {
  for (one in list(upper, lower)) {
    graphics::segments(time$limits[1], one$to[1], time$limits[1], one$to[2], col = ink$line)
    graphics::segments(time$limits[1], one$to[1], time$limits[2], one$to[1], col = ink$line)
  }
  quiet_axis(2, upper$map(upper$ticks), format(upper$ticks, trim = TRUE))
  powers <- unique(round(lower$ticks))
  powers <- powers[powers >= lower$from[1] & powers <= lower$from[2]]
  quiet_axis(2, lower$map(powers), parse(text = sprintf("10^%d", powers)))
  quiet_axis(1, time$ticks)
  axis_title("objective", 2, 3.3, at = mean(upper$to), las = 0)
  axis_title("relative gap", 2, 3.3, at = mean(lower$to), las = 0)
  axis_title(time$label, 1, 1.8)
}

# The gaps of all machines of a fit for several classes.
draw_gaps <- function(x, main) {
  histories <- lapply(x$models, `[[`, "history")
  time <- time_scale(unlist(lapply(histories, `[[`, "time")))
  gaps <- lapply(histories, function(history) pmax(history$gap, .Machine$double.eps))
  lower <- band(log10(gap_range(unlist(gaps), x$control$tol)), 0, 1)
  named <- length(gaps) <= 8
  colours <- if (named) view_colours(length(gaps)) else rep("#00000055", length(gaps))
  names <- shorten(names(x$models), 18L)
  right <- if (named) width_inches(names, cex = 0.8) + line_inches(2.4) else line_inches(1)
  margins <- c(line_inches(3), line_inches(4.6), line_inches(if (is.null(main)) 1 else 2.5), right)
  with_figure(margins, time$limits, c(0, 1), function() {
    draw_band_grid(time, lower, lower)
    for (m in seq_along(gaps)) {
      draw_run(histories[[m]]$time * time$factor, lower$map(log10(gaps[[m]])), colours[m])
    }
    draw_tolerance(x$control$tol, lower, time$limits)
    graphics::segments(time$limits[1], 0, time$limits[1:2], c(1, 0), col = ink$line)
    powers <- unique(round(lower$ticks))
    quiet_axis(2, lower$map(powers), parse(text = sprintf("10^%d", powers)))
    quiet_axis(1, time$ticks)
    axis_title("relative gap", 2, 3.3, las = 0)
    axis_title(time$label, 1, 1.8)
    if (named) {
      graphics::legend(time$limits[2], 1, names, col = colours, lwd = 2, bty = "n", cex = 0.8,
                       text.col = ink$text, seg.len = 1.4, xpd = NA)
    }
  }, main)
}

# ---- scales --------------------------------------------------------------------------------------

# A map of the range `from` onto the part [low, high] of the vertical axis, with its ticks.
band <- function(from, low, high) {
  if (diff(from) <= 0) from <- from + c(-0.5, 0.5) * max(abs(from[1]) * 1e-3, 1e-8)
  from <- from + c(-0.04, 0.04) * diff(from)
  ticks <- pretty(from, 4)
  list(
    from = from, to = c(low, high), ticks = ticks[ticks >= from[1] & ticks <= from[2]],
    map = function(v) low + (v - from[1]) / (from[2] - from[1]) * (high - low)
  )
}

time_scale <- function(time) {
  small <- max(time) < 0.5
  factor <- if (small) 1000 else 1
  limits <- c(0, max(time * factor, 1e-6) * 1.03)
  ticks <- pretty(limits, 5)
  list(at = time * factor, factor = factor, limits = limits, ticks = ticks[ticks <= limits[2]],
       label = if (small) "time (milliseconds)" else "time (seconds)")
}

# The first steps would flatten all others: the axis begins where the gap is below 1/2.
objective_range <- function(history, primal) {
  late <- history$gap <= 0.5
  if (!any(late)) late <- rep(TRUE, length(late))
  range(history$objective[late], primal[late], na.rm = TRUE)
}

gap_range <- function(gap, tol) {
  c(10^floor(log10(min(gap, tol))), 10^ceiling(log10(max(min(max(gap), 1), tol))))
}

with_clip <- function(xlim, ylim, code) {
  graphics::clip(xlim[1], xlim[2], ylim[1], ylim[2])
  on.exit(do.call(graphics::clip, as.list(graphics::par("usr"))))
  force(code)
}
