# Models without classes: response against fitted values, and the scores of one-class models.

# On the scale of the model, with the half width of its tube. Triangles are censored times: the event
# comes later (or came before, where they point down).
fitted_data <- function(fit) {
  loss <- loss_of(fit)
  response <- as.vector(model_scale(fit$y, loss))
  reach <- loss$epsilon %||% loss$delta %||% numeric()
  logarithm <- isTRUE(loss$log)
  list(
    fitted = unname(fit$decision), response = response, state = row_states(fit),
    shape = c(6, 16, 2)[(side_of(fit$y) %||% rep(0L, length(response))) + 2L],
    reach = reach * (fit$scaling$response[["scale"]] %||% 1),
    x = if (logarithm) expression("fitted log time " * f(x[i])) else
      expression("fitted value " * f(x[i])),
    y = if (logarithm) "log time (triangles: censored)" else expression("response " * y[i])
  )
}

draw_fitted <- function(fit, main) {
  data <- fitted_data(fit)
  limits <- range(data$fitted, data$response)
  limits <- limits + c(-0.04, 0.04) * max(diff(limits), 1e-8 * max(abs(limits)), 1e-300)
  at <- within_limits(pretty(limits, 6), limits)
  with_states(data$state, main, limits, limits, at, data$y, function() {
    graphics::segments(limits[1], at, limits[2], at, col = ink$grid)
    graphics::segments(at, limits[1], at, limits[2], col = ink$grid)
    graphics::abline(0, 1, col = ink$soft)
    for (line in c(-data$reach, data$reach)) graphics::abline(line, 1, lty = 2, col = ink$soft)
    later <- order(data$state, decreasing = TRUE)
    graphics::points(data$fitted[later], data$response[later], pch = data$shape[later], cex = 0.75,
                     col = state_shades(view_colours(1))[as.integer(data$state)[later]])
    quiet_axis(1, at)
    axis_title(data$x, 1, 1.9)
  })
}

# A figure with the key of the rows' states above it, an axis with ticks on the left, and its title.
with_states <- function(state, main, xlim, ylim, at, title, draw) {
  left <- left_margin(tick_text(at))
  key <- top_key(state_entries(state), left)
  margins <- c(line_inches(3), left, top_margin(main, key), line_inches(1))
  with_figure(margins, xlim, ylim, function() {
    draw()
    quiet_axis(2, at)
    axis_title(title, 2, title_beyond(left), las = 0)
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

# Rows of negative scores are left of 0, as print() counts them.
score_data <- function(fit) {
  state <- row_states(fit)
  breaks <- pretty(range(fit$decision, 0), 40)
  breaks[which.min(abs(breaks))] <- 0 # without the rounding of multiples
  list(state = state, breaks = breaks, counts = state_counts(fit$decision, state, breaks))
}

# Histogram of the scores, stacked by what the rows are to the model.
draw_scores <- function(fit, main) {
  data <- score_data(fit)
  breaks <- data$breaks
  height <- 1.05 * max(colSums(data$counts), 1)
  at <- pretty(c(0, height), 5)
  at <- at[at <= height & at == round(at)]
  with_states(data$state, main, range(breaks), c(0, height), at, "training rows", function() {
    graphics::segments(breaks[1], at, breaks[length(breaks)], at, col = ink$grid)
    draw_stack(data$counts, breaks, state_shades(view_colours(1)))
    graphics::segments(0, 0, 0, height, col = ink$text)
    quiet_axis(1, pretty(range(breaks), 6))
    axis_title(score_title, 1, 1.9)
  })
}

score_title <- expression("score " * f(x[i]) - 1 * ", inside where not negative")
