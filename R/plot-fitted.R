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
  with_figure(fitted_margins(main), limits, limits, function() {
    at <- pretty(limits, 6)
    at <- at[at >= limits[1] & at <= limits[2]]
    graphics::segments(limits[1], at, limits[2], at, col = ink$grid)
    graphics::segments(at, limits[1], at, limits[2], col = ink$grid)
    graphics::abline(0, 1, col = ink$soft)
    for (line in c(-data$reach, data$reach)) graphics::abline(line, 1, lty = 2, col = ink$soft)
    later <- order(data$state, decreasing = TRUE)
    graphics::points(data$fitted[later], data$response[later], pch = data$shape[later], cex = 0.75,
                     col = state_shades(view_colours(1))[as.integer(data$state)[later]])
    quiet_axis(1, at)
    quiet_axis(2, at)
    axis_title(data$x, 1, 1.9)
    axis_title(data$y, 2, 2.9, las = 0)
    draw_states_used(data$state, limits[1], limits[2])
  }, main)
}

fitted_margins <- function(main) {
  c(line_inches(3), line_inches(4.2), line_inches(if (is.null(main)) 1 else 2.5), line_inches(1))
}

state_names <- c(bound = "support vector, at the bound", free = "support vector, free",
                 other = "not a support vector")

# In the upper left corner; only the states that rows have.
draw_states_used <- function(state, left, top) {
  used <- levels(state) %in% state
  graphics::legend(left, top, state_names[levels(state)][used],
                   fill = state_shades(view_colours(1))[used], border = NA, bg = "white",
                   box.col = NA, cex = 0.8, text.col = ink$text)
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
  state <- data$state
  breaks <- data$breaks
  counts <- data$counts
  height <- 1.25 * max(colSums(counts), 1)
  with_figure(fitted_margins(main), range(breaks), c(0, height), function() {
    at <- pretty(c(0, height), 5)
    at <- at[at <= height & at == round(at)]
    graphics::segments(breaks[1], at, breaks[length(breaks)], at, col = ink$grid)
    draw_stack(counts, breaks, state_shades(view_colours(1)))
    graphics::segments(0, 0, 0, height, col = ink$text)
    quiet_axis(1, pretty(range(breaks), 6))
    quiet_axis(2, at)
    axis_title(expression("score " * f(x[i]) - 1 * ", inside where not negative"), 1, 1.9)
    axis_title("training rows", 2, 2.9, las = 0)
    draw_states_used(state, breaks[1], height)
  }, main)
}
