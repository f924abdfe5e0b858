# Kernel weights over resamples as dots with intervals.

#' Plots of the stability of kernels
#'
#' Draws the mean weight of each kernel over resamples as a dot with its interval, by view. The numbers
#' on the right show how often the kernel was chosen, that is, had a weight above 0. Pale dots are
#' kernels that were chosen in few resamples; `autoplot()` of more than three models shows this alone.
#' A heat map shows the weights of each resample. Where all kernels have the same weight, as for `p = Inf`, the
#' shares of several views in the fitted function are drawn instead.
#'
#' @param x,object A result of [kernel_stability()]. Models with weights of their own are drawn one
#'   after another, or in columns by `autoplot()`.
#' @param most How many kernels to show, those with the largest means; a note reports what was left out.
#' @param zeros Whether to show kernels that were never chosen, too: `TRUE` or `FALSE`.
#' @param main Title, one string; `NULL` for none, or the model's name if there are several.
#' @param which `"intervals"`, or `"map"`: a heat map of kernels by resamples, in groups by view.
#' @param ask Whether to wait for the user between plots on an interactive device.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#' @seealso [kernel_stability()], [plot.mkl()]
#' @examples
#' set.seed(1)
#' views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
#' cv <- cv_mkl(views, droplevels(iris$Species[51:150]), kernels = gaussian_kernel(2^(-1:3)),
#'              p = 1, C = 1, folds = 4, repeats = 3)
#' plot(kernel_stability(cv))
#' plot(kernel_stability(cv), which = "map")
#' @export
plot.kernel_stability <- function(x, most = 30L, zeros = FALSE, main = NULL,
                                  ask = !is.null(x$kernels$model) &&
                                    grDevices::dev.interactive(),
                                  which = c("intervals", "map"), ...) {
  check_object(x)
  check_dots_empty(...)
  check_main(main)
  most <- check_count(most, "most")
  zeros <- check_flag(zeros, "zeros")
  which <- check_choice(which, c("intervals", "map"), "which")
  x <- drawn_stability(x)
  draw_each(stability_tables(x), ask, function(table) {
    main <- main %||% table$model[1]
    if (which == "map") draw_map(stability_map(x, table, most, zeros), most, zeros, main) else
      draw_stability(table, most, zeros, stability_label(x), main)
  })
  invisible(x)
}

#' @rdname plot.kernel_stability
#' @method autoplot kernel_stability
#' @rawNamespace S3method(ggplot2::autoplot,kernel_stability)
autoplot.kernel_stability <- function(object, most = 30L, zeros = FALSE, main = NULL,
                                      which = c("intervals", "map"), ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  object <- drawn_stability(object)
  if (check_choice(which, c("intervals", "map"), "which") == "map") {
    map <- stability_map(object, object$kernels, check_count(most, "most"), check_flag(zeros, "zeros"))
    return(ggplot_weights(map) + ggplot2::labs(title = in_lines(main)))
  }
  table <- ggplot_stability_data(object, check_count(most, "most"), check_flag(zeros, "zeros"))
  table$number <- chosen_text(table$chosen)
  largest <- max(table$upper, table$mean, 0)
  plot <- figure(table, ggplot2::aes(.data$mean, .data$kernel, colour = .data$group)) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.8) +
    ggplot2::geom_point(ggplot2::aes(alpha = .data$chosen), size = 2.5) +
    ggplot2::scale_alpha_continuous(range = c(0.25, 1), limits = c(0, 1), guide = "none") +
    (if (is.null(table$model)) numbers_on_right(chosen_head, largest) else
      if (nlevels(table$model) <= 3L) numbers_on_right(chosen_head, largest, 2, 1.2) else
        ggplot2::scale_x_continuous(breaks = function(limits) pretty(limits, 2),
                                    guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    ggplot2::scale_y_discrete(labels = stats::setNames(table$label, table$kernel)) +
    ggplot2::scale_colour_manual(values = attr(table, "colours"), guide = "none") +
    ggplot2::expand_limits(x = 0) +
    ggplot2::labs(x = stability_label(object, "\n"), y = NULL, title = in_lines(main),
                  caption = attr(table, "left_out"))
  columns <- if (!is.null(table$model)) ggplot2::vars(.data$model)
  views <- if (attr(table, "headed")) ggplot2::vars(.data$group)
  if (is.null(columns) && is.null(views)) return(plot)
  plot + ggplot2::facet_grid(views, columns, scales = "free_y", space = "free_y") +
    panel_theme(table$model)
}

# Views instead of kernels where all kernels of several views have the same weight, which says nothing.
drawn_stability <- function(x) {
  limits <- x$kernels[c("lower", "upper")]
  alike <- x$value == "theta" && min(limits) > 0 && diff(range(limits)) <= 1e-8 * max(limits)
  if (!alike || length(unique(x$views$view)) < 2L) return(x)
  x$kernels <- cbind(kernel = x$views$view, x$views)
  x$weights <- x$view_weights
  x$value <- "share"
  x
}

# Kernels that stand out in any model, in all of them. headed: whether views have headings.
ggplot_stability_data <- function(x, most, zeros) {
  rows <- lapply(stability_tables(x), function(table) bar_rows(with_value(table), most, zeros))
  shown <- unique(unlist(lapply(rows, `[[`, "kernel")))
  table <- x$kernels[x$kernels$kernel %in% shown, ]
  view <- view_label(table)
  table$group <- factor(view, unique(view), strip_titles(unique(view)))
  all <- unique(view_label(x$kernels)) # views keep their colours where others aren't shown
  inside <- startsWith(table$kernel, paste0(view, ":"))
  table$label <- shorten_apart(ifelse(inside, substring(table$kernel, nchar(view) + 2L), table$kernel), MOST_LETTERS)
  size <- tapply(table$mean, table$kernel, max)
  table$kernel <- factor(table$kernel, names(sort(size)))
  if (!is.null(table$model)) table$model <- panel_factor(table$model)
  several <- nlevels(table$group) > 1L && !all(table$label == view)
  structure(table, headed = several || any(inside),
            colours = view_colours(length(all))[match(unique(view), all)],
            left_out = if (length(rows) == 1L) unshown_text(rows[[1L]]))
}

# The weights of the kernels of `table` by resample; models are panels.
stability_map <- function(x, table, most, zeros) {
  if (is.null(x$weights)) {
    abort_unsupported("x", paste("Make it again by `kernel_stability(cv)`: an earlier version of the package,",
                                 "which made `x`, kept no weights of single resamples."))
  }
  rows <- match(row.names(table), row.names(x$kernels))
  own <- table[rep(seq_along(rows), x$resamples), ]
  out <- data.frame(model = rep(as.character(seq_len(x$resamples)), each = length(rows)),
                    own[c("kernel", "view")], value = as.vector(x$weights[rows, ]), row.names = NULL)
  if (length(unique(own$model)) > 1L) out$panel <- panel_factor(own$model)
  at <- unique(pmax(round(pretty(seq_len(x$resamples), if (is.null(out$panel)) 6 else 2)), 1))
  at <- at[at <= x$resamples]
  heat_data(out, x$value, most, zeros, list(edges = seq_len(x$resamples + 1L) - 0.5, at = at, labels = at,
                                           title = "resample"))
}

# One for each model.
stability_tables <- function(x) {
  models <- x$kernels$model
  if (is.null(models)) list(x$kernels) else split(x$kernels, factor(models, unique(models)))
}

stability_label <- function(x, apart = " ") {
  sprintf("%s,%smean and %g %% of the resamples",
          if (x$value == "theta") "kernel weight" else "share of the fitted function", apart,
          100 * x$level)
}

chosen_head <- "chosen in"
chosen_text <- function(share) sprintf("%.0f %%", 100 * share)

# The column that rows are laid out by.
with_value <- function(table) {
  table$model <- NULL
  table$value <- table$mean
  table
}

draw_stability <- function(table, most, zeros, label, main) {
  table <- with_value(table)
  rows <- row_layout(list(table = table, rows = function(head) bar_rows(table, most, zeros, head)), most, zeros)
  own <- table[match(rows$kernel, table$kernel), ]
  draw_intervals(rows, own, table, c(min(own$lower, 0), 1.04 * max(own$upper, 1e-12)),
                 mapply(lighten, rows$colour, 0.8 * (1 - own$chosen)),
                 if (any(own$chosen < 1)) "pale: chosen in few resamples", chosen_text(own$chosen),
                 chosen_head, ink$line, label, main, unshown_text(rows))
}
