# What rows are to a model: support vectors at the bound, free ones, and others.

row_states <- function(fit) {
  state <- rep("other", length(fit$alpha))
  state[fit$support] <- ifelse(at_bound(fit), "bound", "free")
  factor(state, c("bound", "free", "other"))
}

state_names <- c(bound = "support vector, at the bound", free = "support vector, free",
                 other = "not a support vector")

margin_state_names <- c(bound = "support vector, at the bound",
                        free = "support vector, on the margin", other = "not a support vector")

# From dark to light.
state_shades <- function(colour) c(colour, lighten(colour, 0.45), lighten(colour, 0.75))

# Only the states that rows have.
state_entries <- function(state, colour = view_colours(1), names = state_names) {
  used <- levels(state) %in% state
  key_entries(names[levels(state)][used], state_shades(colour)[used], pch = 15)
}

state_counts <- function(values, state, breaks) {
  bin <- findInterval(values, breaks, all.inside = TRUE)
  counts <- table(state, factor(bin, seq_len(length(breaks) - 1)))
  matrix(as.vector(counts), nrow(counts))
}

draw_stack <- function(counts, breaks, shades) {
  base <- numeric(ncol(counts))
  left <- utils::head(breaks, -1)
  for (s in seq_len(nrow(counts))) {
    graphics::rect(left, base, breaks[-1], base + counts[s, ], col = shades[s], border = "white",
                   lwd = 0.5)
    base <- base + counts[s, ]
  }
}
