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

# One below the other, as needles at the same positions would hide each other.
plot_profile <- function(x, main) {
  lines <- profile_lines(x)
  shown <- utils::head(lines, MOST_PROFILES)
  count <- length(shown)
  names <- if (count > 1L) fit_names(names(shown), cex = 0.85, room = 0.3 * graphics::par("fin")[1])
  largest <- max(vapply(shown, function(line) max(line$value), 0))
  at <- profile_ticks(largest, count)
  tick <- width_inches(format_each(at), cex = 0.85) + line_inches(1)
  left <- line_inches(1.7) + if (count > 1L) width_inches(names, cex = 0.85, font = 2) + line_inches(0.2) else tick
  more <- if (length(lines) > count) sprintf("%d more not shown", length(lines) - count)
  margins <- c(line_inches(3 + length(more)), left, line_inches(if (is.null(main)) 0.6 else 2.4),
               if (count > 1L) tick else line_inches(0.8))
  span <- range(unlist(lapply(shown, `[[`, "position"))) + c(-0.5, 0.5)
  with_figure(margins, span, c(0, count), function() {
    for (k in seq_len(count)) {
      base <- count - k
      heights <- base + 0.9 * at / largest
      graphics::segments(span[1], heights, span[2], heights, col = ink$grid)
      draw_needles(shown[[k]], base, 0.9 / largest, view_colours(count)[k])
      quiet_axis(if (count > 1L) 4 else 2, heights, format_each(at))
      if (count > 1L) {
        graphics::mtext(names[k], 2, 0.4, at = base + 0.4, font = 2, col = view_colours(count)[k],
                        cex = 0.85 * cex_here())
      }
    }
    quiet_axis(1, within_limits(pretty(span), span))
    axis_title(profile_titles[1], 1, 1.9)
    axis_title(profile_titles[2], 2, title_beyond(left), las = 0)
    draw_left_out(more)
  }, main, main_line = 0.8)
}

MOST_PROFILES <- 10L
profile_titles <- c("position", "share of the squared norm")

# Few where there are several panels.
profile_ticks <- function(largest, count) {
  at <- within_limits(pretty(c(0, largest), 4), c(0, largest))
  if (count > 1L) range(at) else at
}

draw_needles <- function(line, base, scale, colour) {
  points <- 72 * graphics::par("pin")[1] / diff(graphics::par("usr")[1:2])
  graphics::segments(line$position, base, line$position, base + scale * line$value, col = colour, lend = "butt",
                     lwd = min(2, max(0.5, 0.9 * points)))
  graphics::abline(h = base, col = ink$line)
}

ggplot_profile <- function(x) {
  lines <- profile_lines(x)
  shown <- utils::head(lines, MOST_PROFILES)
  table <- do.call(rbind, Map(cbind, shown, line = factor(names(shown), names(shown), strip_titles(names(shown)))))
  plot <- figure(table, ggplot2::aes(.data$position, .data$value, colour = .data$line)) +
    ggplot2::geom_segment(ggplot2::aes(xend = .data$position, yend = 0), linewidth = 0.8) +
    ggplot2::scale_colour_manual(values = view_colours(length(shown)), guide = "none") +
    ggplot2::labs(x = profile_titles[1], y = profile_titles[2],
                  caption = if (length(lines) > length(shown)) {
                    sprintf("%d more not shown", length(lines) - length(shown))
                  })
  if (length(shown) == 1L) return(plot)
  plot + ggplot2::facet_grid(rows = ggplot2::vars(.data$line)) +
    ggplot2::scale_y_continuous(breaks = function(limits) profile_ticks(limits[2L], length(shown)))
}
