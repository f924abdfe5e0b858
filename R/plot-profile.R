# The plot of what each position of sequences adds to a fit; see position_profile().

# A table for each model and view, by name.
profile_lines <- function(x) {
  profile <- position_profile(x)
  if (is.null(profile)) {
    abort_unsupported("which", paste(
      "`which = \"profile\"` is for fits in which a kernel with positions has weight:",
      "weighted_degree_kernel(), or `position_specific = TRUE`."
    ), "profile")
  }
  several <- length(unique(profile$view)) > 1L
  line <- paste0(profile$model, if (several) paste0(ifelse(nzchar(profile$model), ", ", ""),
                                                    profile$view))
  split(profile, factor(line, unique(line)))
}

plot_profile <- function(x, main) {
  lines <- profile_lines(x)
  profile <- do.call(rbind, lines)
  colours <- view_colours(length(lines))
  old <- graphics::par(mar = c(4, 4.5, 2.5, 1), las = 1, col.axis = ink$soft, fg = ink$line,
                       col.lab = ink$text)
  on.exit(graphics::par(old))
  graphics::plot(NULL, xlim = range(profile$position), ylim = c(0, max(profile$value)), xlab = "Position",
                 ylab = "Share of the squared norm", main = main %||% "Share of each position",
                 bty = "n", col.main = ink$text, font.main = 1)
  for (k in seq_along(lines)) {
    graphics::lines(lines[[k]]$position, lines[[k]]$value, type = "h", lwd = 2, lend = "butt",
                    col = colours[k])
  }
  if (length(lines) > 1L) {
    graphics::legend("topright", names(lines), col = colours, lwd = 2, bty = "n",
                     text.col = ink$text)
  }
}
