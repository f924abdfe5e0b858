# The map of samples as points, with classes, groups and errors.

#' @rdname sample_map
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @export
plot.sample_map <- function(x, main = NULL, ...) {
  check_dots_empty(...)
  check_main(main)
  data <- map_data(x)
  entries <- key_entries(side_names(data$key$label), data$key$colour, lwd = 1, pch = data$key$symbol)
  entries <- rbind(if (length(data$title)) key_entries(data$title, NA), entries)
  signs <- utils::tail(c(FALSE, data$key$sign), nrow(entries))
  span <- data$span
  left <- left_margin(tick_text(pretty(span[, 2L])))
  margins <- c(line_inches(3), left, line_inches(if (is.null(main)) 0.6 else 2.2), side_margin(entries$text))
  with_figure(margins, span[, 1L], span[, 2L], function() {
    graphics::box(col = ink$line)
    for (side in 1:2) quiet_axis(side, pretty(span[, side]))
    axis_title(data$axes[1L], 1, 1.8)
    axis_title(data$axes[2L], 2, title_beyond(left), las = 0)
    draw_group_lines(data$points)
    draw_samples(data$points[!data$points$new, ], 0.8)
    draw_samples(data$points[data$points$new, ], 1.4)
    wrong <- data$points[data$points$wrong %in% TRUE, ]
    graphics::points(wrong$component_1, wrong$component_2, pch = ERROR_SYMBOL, cex = 2.1, col = ink$text)
    draw_side_key(entries[!signs, ], entries[signs, ])
  }, main, main_line = 0.8)
  invisible(x)
}

# Symbols of new samples have an outline.
draw_samples <- function(points, size) {
  graphics::points(points$component_1, points$component_2, pch = points$symbol, cex = size, bg = points$colour,
                   col = ifelse(points$new, ink$text, points$colour))
}

draw_group_lines <- function(points) {
  if (is.null(points$group)) return(invisible())
  graphics::segments(points$component_1, points$component_2, points$middle_1, points$middle_2, col = ink$line)
}

#' @rdname sample_map
#' @param object A result of `sample_map()`.
#' @method autoplot sample_map
#' @rawNamespace S3method(ggplot2::autoplot,sample_map)
autoplot.sample_map <- function(object, main = NULL, ...) {
  check_dots_empty(...)
  check_main(main)
  data <- map_data(object)
  points <- data$points
  signs <- data$key[data$key$sign & data$key$symbol != ERROR_SYMBOL, ]
  key <- data$key[!data$key$sign, ]
  points$label <- factor(points$label, key$label)
  plot <- figure(points, ggplot2::aes(.data$component_1, .data$component_2))
  if (!is.null(points$group)) {
    plot <- plot + ggplot2::geom_segment(ggplot2::aes(xend = .data$middle_1, yend = .data$middle_2),
                                         colour = ink$line)
  }
  plot + ggplot2::geom_point(ggplot2::aes(colour = .data$label, shape = .data$symbol)) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$symbol), points[points$new, ], size = 2.6, colour = ink$text,
                        fill = points$colour[points$new]) +
    ggplot2::geom_point(data = points[points$wrong %in% TRUE, ], shape = ERROR_SYMBOL, size = 4.4,
                        colour = ink$text) +
    ggplot2::scale_colour_manual(values = stats::setNames(key$colour, key$label), name = data$title,
                                 drop = FALSE, labels = legend_names,
                                 guide = ggplot2::guide_legend(override.aes = list(shape = key$symbol), order = 1)) +
    tight_legend(nrow(key)) +
    ggplot2::scale_shape_identity(guide = sign_guide(points), breaks = signs$symbol, labels = signs$label) +
    ggplot2::labs(x = data$axes[1L], y = data$axes[2L], title = in_lines(main),
                  caption = if (any(points$wrong %in% TRUE)) "in circles: errors")
}

# What symbols say, where there are training rows and new samples.
sign_guide <- function(points) {
  if (length(unique(points$set)) < 2L) return("none")
  ggplot2::guide_legend(title = NULL, override.aes = list(fill = ink$line, colour = ink$text, size = 2))
}

# A circle around a sample of another class than predicted.
ERROR_SYMBOL <- 1L

# What a plot reads of each sample.
map_columns <- c("set", "component_1", "component_2", "truth", "predicted", "wrong")

# Symbols of the classes. No two classes, and no training and new class, share symbol and colour.
training_symbols <- function(k) cycled(c(16, 15, 18), k)
new_symbols <- function(k) cycled(c(24, 25, 23), k)

new_sign_labels <- function(rounds) {
  from <- (rounds - 1L) * length(palette_colours) + 1L
  paste0("new sample", ifelse(rounds == 1L, "", sprintf(", from class %d on", from)))
}

# points: the samples with colour, symbol, label of their class, and the middle of their group; key: the legend;
# title: of the legend of numbers; axes: their titles; span: of the figure.
map_data <- function(map) {
  lacking <- setdiff(map_columns, names(map))
  if (length(lacking)) {
    mk_abort(sprintf("The map lacks its %s %s: plot the whole result of sample_map().",
                     if (length(lacking) == 1L) "column" else "columns", enumerate(lacking)),
             "invalid_argument", "x", map)
  }
  points <- as.data.frame(map)
  shown <- ifelse(is.na(points$truth), as.character(points$predicted), as.character(points$truth))
  values <- if (is.factor(points$predicted)) factor(shown, levels(points$predicted)) else
    value_classes(points)
  points$label <- as.character(values)
  points$colour <- map_colours(values)[as.integer(values)]
  points$colour[is.na(points$colour)] <- ink$soft
  new <- points$set == "new"
  code <- ifelse(is.na(values), 1L, as.integer(values))
  points$symbol <- ifelse(new, new_symbols(nlevels(values))[code], training_symbols(nlevels(values))[code])
  points$new <- new
  if (!is.null(points$group)) {
    for (k in 1:2) {
      points[[paste0("middle_", k)]] <- stats::ave(points[[paste0("component_", k)]], points$group)
    }
  }
  count <- nlevels(values)
  key <- data.frame(label = levels(values), colour = map_colours(values), sign = rep(FALSE, count),
                    symbol = if (count > length(palette_colours)) training_symbols(count) else rep(15, count))
  # each round through the colours has symbols of its own
  rounds <- seq_len(max(1L, ceiling(count / length(palette_colours))))
  signs <- data.frame(label = c("training row", new_sign_labels(rounds), "error"), colour = ink$text, sign = TRUE,
                      symbol = c(16, new_symbols(count)[1L + (rounds - 1L) * length(palette_colours)], ERROR_SYMBOL))
  needed <- c(any(new) && !all(new), signs$symbol[1L + rounds] %in% points$symbol[new], any(points$wrong %in% TRUE))
  list(points = points, key = rbind(key, signs[needed, ]),
       title = if (is.numeric(points$predicted)) attr(map, "response", exact = TRUE) %||% "response",
       span = map_span(points), axes = sprintf("component %d (%.0f %% of the variance)", 1:2, 100 * attr(map, "share")))
}

map_span <- function(points) {
  span <- vapply(points[c("component_1", "component_2")], grDevices::extendrange, numeric(2), f = 0.06)
  span[2L, ] <- span[2L, ] + (span[1L, ] == span[2L, ])
  span
}

# Numbers in at most MOST_VALUE_CLASSES classes in order; what has no single value is one class.
value_classes <- function(points) {
  value <- ifelse(is.na(points$truth), points$predicted, points$truth)
  if (all(is.na(value))) return(factor(rep("sample", nrow(points))))
  if (is.logical(value)) return(factor(value, c(TRUE, FALSE), c("inside", "outside")))
  known <- sort(unique(value))
  if (length(known) <= MOST_VALUE_CLASSES) return(ordered(value, known, exact_text(known)))
  limits <- value_limits(value)
  if (length(limits) < 3L) limits <- value_limits(known) # most values are one
  text <- exact_text(limits)
  names <- paste(utils::head(text, -1L), "to", text[-1L])
  ordered(names[findInterval(value, limits, all.inside = TRUE)], names)
}

MOST_VALUE_CLASSES <- 5L

# Ends of classes of equal counts, rounded to a hundredth of the spread or less.
value_limits <- function(value) {
  limits <- stats::quantile(value, seq(0, 1, 1 / MOST_VALUE_CLASSES), na.rm = TRUE, names = FALSE)
  unique(round(limits, 2 - floor(log10(diff(range(limits))))))
}

# All digits, which rounding has left few of.
exact_text <- function(x) format_each(x, digits = 15, scientific = 6)

# Classes that are in order, as numbers are, have shades of one colour.
map_colours <- function(values) {
  if (!is.ordered(values)) return(view_colours(nlevels(values)))
  grDevices::hcl.colors(nlevels(values) + 1L, "Blues", rev = TRUE)[-1L]
}
