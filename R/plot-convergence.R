# Objectives and gap against time.

plot_convergence <- function(x, main) {
  if (!has_models(x) || shares_weights(x$strategy)) {
    draw_convergence(first_model(x), main)
  } else {
    draw_gaps(x, main)
  }
}

# One figure, two bands that share the time axis: objectives above, gap below. The bands are drawn
# in the coordinates of one plot, so that the figure fits into par(mfrow = ).
draw_convergence <- function(fit, main) {
  history <- fit$history
  time <- time_scale(history$time)
  gap <- positive_gap(history)
  objectives <- shown_objectives(history)
  upper <- band(range(unlist(objectives), na.rm = TRUE), 0.52, 1)
  lower <- gap_band(gap, fit$control$tol, 0, 0.42)
  colours <- view_colours(2)
  key <- top_key(key_entries(c("primal (upper bound)", "dual (lower bound)", tol_text(fit$control$tol)),
                             c(rev(colours), ink$soft), c(1, 1, 2), c(2, 2, 1)), line_inches(4.6))
  note <- early_note(objectives)
  margins <- c(line_inches(3 + length(note)), line_inches(4.6), top_margin(main, key), line_inches(1))
  with_figure(margins, time$limits, c(0, 1), function() {
    draw_band_grid(time, upper, lower)
    known <- !is.na(objectives$primal)
    graphics::polygon(c(time$at[known], rev(time$at[known])),
                      upper$map(c(objectives$primal[known], rev(objectives$dual[known]))),
                      col = "#0000000F", border = NA)
    draw_run(time$at, upper$map(objectives$primal), colours[2])
    draw_run(time$at, upper$map(objectives$dual), colours[1])
    with_clip(time$limits, lower$to, draw_run(time$at, lower$map(log10(gap)), ink$text))
    draw_tolerance(fit$control$tol, lower, time$limits)
    draw_band_axes(upper, lower, time)
    draw_left_out(note)
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

positive_gap <- function(history) pmax(history$gap, .Machine$double.eps)

# NA where the gap says nothing about them.
primal_values <- function(history) {
  ifelse(history$gap < 1 & history$objective > 0, history$objective / (1 - history$gap), NA)
}

draw_run <- function(x, y, colour, lty = 1) {
  graphics::lines(x, y, col = colour, lwd = 2, lty = lty)
  if (length(x) <= 60) graphics::points(x, y, pch = 16, cex = 0.55, col = colour)
}

draw_tolerance <- function(tol, lower, limits) {
  y <- lower$map(log10(tol))
  graphics::segments(limits[1], y, limits[2], y, lty = 2, col = ink$soft)
}

tol_text <- function(tol) sprintf("tol = %g", tol)

draw_band_grid <- function(time, upper, lower) {
  for (one in list(upper, lower)) {
    graphics::segments(time$ticks, one$to[1], time$ticks, one$to[2], col = ink$grid)
    y <- one$map(one$ticks)
    graphics::segments(time$limits[1], y, time$limits[2], y, col = ink$grid)
  }
}

draw_band_axes <- function(upper, lower, time, titles = c("objective", "relative gap")) {
  for (one in list(upper, lower)) {
    graphics::segments(time$limits[1], one$to[1], time$limits[1], one$to[2], col = ink$line)
    graphics::segments(time$limits[1], one$to[1], time$limits[2], one$to[1], col = ink$line)
  }
  quiet_axis(2, upper$map(upper$ticks), format(upper$ticks, trim = TRUE))
  draw_powers(lower)
  quiet_axis(1, time$ticks)
  room <- graphics::par("pin")[2] * (mean(upper$to) - mean(lower$to))
  axis_title(titles[1], 2, 3.3, at = mean(upper$to), room = room, las = 0)
  axis_title(titles[2], 2, 3.3, at = mean(lower$to), room = room, las = 0)
  axis_title(time$label, 1, 1.8)
}

# The gaps of all models of a fit for several classes.
draw_gaps <- function(x, main) {
  histories <- lapply(models_of(x), `[[`, "history")
  time <- time_scale(unlist(lapply(histories, `[[`, "time")))
  gaps <- lapply(histories, positive_gap)
  lower <- gap_band(unlist(gaps), x$control$tol, 0, 1)
  entries <- curve_entries(side_names(model_labels(x)))
  last <- key_entries(tol_text(x$control$tol), ink$soft, 2, 1)
  margins <- c(line_inches(3), line_inches(4.6), line_inches(if (is.null(main)) 1 else 2.5),
               side_margin(c(entries$text, last$text)))
  with_figure(margins, time$limits, c(0, 1), function() {
    draw_band_grid(time, lower, lower)
    with_clip(time$limits, lower$to, for (m in seq_along(gaps)) {
      draw_run(histories[[m]]$time * time$factor, lower$map(log10(gaps[[m]])), entries$colour[m], entries$lty[m])
    })
    draw_tolerance(x$control$tol, lower, time$limits)
    graphics::segments(time$limits[1], 0, time$limits[1:2], c(1, 0), col = ink$line)
    draw_powers(lower)
    quiet_axis(1, time$ticks)
    axis_title("relative gap", 2, 3.3, las = 0)
    axis_title(time$label, 1, 1.8)
    draw_side_key(entries, last)
  }, main)
}

# ---- scales --------------------------------------------------------------------------------------

# A map of the range `from` onto the part [low, high] of the vertical axis, with its ticks.
band <- function(from, low, high) {
  # ticks need room between numbers of double precision
  if (diff(from) <= 1e-9 * max(abs(from))) {
    from <- from + c(-0.5, 0.5) * max(abs(from[1]) * 1e-3, 1e-8)
  }
  from <- from + c(-0.04, 0.04) * diff(from)
  ticks <- pretty(from, 4)
  list(
    from = from, to = c(low, high), ticks = ticks[ticks >= from[1] & ticks <= from[2]],
    map = function(v) low + (v - from[1]) / (from[2] - from[1]) * (high - low)
  )
}

time_scale <- function(time) {
  if (!length(time)) abort_unsupported("x", "`x` holds no history of its fit.")
  small <- max(time) < 0.5
  factor <- if (small) 1000 else 1
  # what goes before the first step, reading the kernels, is no part of the curves
  limits <- range(time * factor)
  pad <- max(0.03 * diff(limits), 1e-3 * limits[2], 1e-6)
  limits <- c(max(limits[1] - pad, 0), limits[2] + pad)
  ticks <- pretty(limits, 5)
  ticks <- ticks[ticks >= limits[1] & ticks <= limits[2]]
  list(at = time * factor, factor = factor, limits = limits, ticks = ticks,
       label = if (small) "time (milliseconds)" else "time (seconds)")
}

# Primal and dual objectives, NA where they are not shown: steps of a gap above 1/2 that would flatten all
# others.
shown_objectives <- function(history) {
  objectives <- data.frame(primal = primal_values(history), dual = history$objective)
  late <- history$gap <= 0.5
  reach <- function(rows) diff(range(unlist(objectives[rows, ]), na.rm = TRUE))
  if (any(late) && reach(TRUE) > MOST_FLATTENED * reach(late)) objectives[!late, ] <- NA
  objectives
}

MOST_FLATTENED <- 3 # how much longer the axis of the objectives is with the first steps than without

early_note <- function(objectives) {
  if (anyNA(objectives$dual)) "not shown: objectives while the gap is above 0.5"
}

# Whole powers of 10, two of them at least; gaps beyond 1000 are cut off.
gap_band <- function(gap, tol, low, high) {
  from <- c(floor(log10(min(gap, tol))), ceiling(log10(max(min(max(gap), 1e3), tol))))
  if (diff(from) < 1) from[1] <- from[1] - 1
  out <- band(from, low, high)
  powers <- seq(from[1], from[2])
  step <- ceiling(length(powers) / (if (high - low < 0.6) 5 else 8))
  out$ticks <- powers[(powers - from[2]) %% step == 0]
  out
}

draw_powers <- function(lower) quiet_axis(2, lower$map(lower$ticks), power_labels(lower$ticks))

# "0.01", "0.1", "1", "10"; beyond six digits "1e-07".
power_labels <- function(powers) {
  vapply(powers, function(power) format(10^power, scientific = abs(power) > 5, digits = 3), "")
}

with_clip <- function(xlim, ylim, code) {
  graphics::clip(xlim[1], xlim[2], ylim[1], ylim[2])
  on.exit(do.call(graphics::clip, as.list(graphics::par("usr"))))
  force(code)
}
