# Importances as dots with intervals.

#' Plots of importances
#'
#' Draws the importance of each unit as a dot with its interval, the largest first, in groups by view if there
#' are several. The line is at 0, no importance. Filled dots have an adjusted p-value below one minus the
#' confidence level, and the numbers on the right are these p-values.
#'
#' @param x,object A result of [permutation_importance()].
#' @param most The number of units to show, those with the largest importance, a positive whole number; a note
#'   gives the number left out.
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: `x`, invisibly. `autoplot()`, which needs the package ggplot2: a ggplot.
#' @seealso [permutation_importance()], [plot.kernel_stability()]
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- mkl(Species ~ ., iris[train, ])
#' plot(permutation_importance(fit, iris[-train, ], by = "feature"))
#' @export
plot.permutation_importance <- function(x, most = 30L, main = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  check_main(main)
  data <- importance_data(x, check_count(most, "most"))
  draw_importance(data$table, fit_row_labels(data$rows), importance_label(x), filled_text(x), main)
  invisible(x)
}

#' @rdname plot.permutation_importance
#' @method autoplot permutation_importance
#' @rawNamespace S3method(ggplot2::autoplot,permutation_importance)
autoplot.permutation_importance <- function(object, most = 30L, main = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  data <- importance_data(object, check_count(most, "most"))
  table <- data$table
  table$row <- factor(seq_len(nrow(table)), rev(seq_len(nrow(table))))
  table$colour <- data$rows$colour
  table$group <- factor(data$rows$view, unique(data$rows$view), strip_titles(unique(data$rows$view)))
  table$number <- adjusted_p(table)
  plot <- figure(table, ggplot2::aes(.data$importance, .data$row, colour = .data$colour)) +
    ggplot2::geom_vline(xintercept = 0, colour = ink$line) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.8,
                            na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(fill = ifelse(.data$sure, .data$colour, "white")), shape = 21, size = 2.5,
                        na.rm = TRUE) +
    ggplot2::scale_colour_identity() + ggplot2::scale_fill_identity() +
    ggplot2::scale_y_discrete(labels = stats::setNames(shorten_apart(table$name, MOST_LETTERS), seq_len(nrow(table)))) +
    numbers_on_right(paste("adjusted p", filled_text(object), sep = "; "),
                     max(table$upper, table$importance, 0, na.rm = TRUE)) +
    ggplot2::labs(x = importance_label(object, "\n"), y = NULL, title = in_lines(main),
                  caption = less_important(data$rows))
  if (!nrow(data$rows$heads)) return(plot)
  plot + ggplot2::facet_grid(ggplot2::vars(.data$group), scales = "free_y", space = "free_y")
}

importance_label <- function(x, apart = " ") {
  sprintf("%s when swapped,%smean and %g %% interval", loss_words(x), apart, 100 * x$level)
}

filled_text <- function(x) sprintf("filled: adjusted p < %g", round(1 - x$level, 12))

adjusted_p <- function(table) {
  ifelse(is.na(table$p_adjusted), "", format.pval(table$p_adjusted, digits = 1, eps = 1e-3))
}

less_important <- function(rows) if (rows$left_out > 0) sprintf("not shown: %d less important", rows$left_out)

# The units that are shown, and where: by view where kernels, sets or features of several are shown.
importance_data <- function(x, most) {
  table <- utils::head(sorted_importance(x), most)
  columns <- unit_columns(table)
  table$name <- table[[columns[1L]]]
  grouped <- length(columns) > 1L && length(unique(x$importance$view)) > 1L
  prefix <- if (grouped) paste0(table$view, ":") else rep("", nrow(table))
  strip <- startsWith(table$name, prefix)
  table$name[strip] <- substring(table$name[strip], nchar(prefix[strip]) + 1L)
  by_view <- grouped || x$by == "view"
  place <- if (by_view) table$view else rep("", nrow(table))
  all <- if (by_view) unique(x$importance$view) else ""
  table <- table[order(match(place, unique(place))), , drop = FALSE]
  group <- factor(place[order(match(place, unique(place)))], all)
  text <- if (grouped) unique(as.character(group)) else rep("", nrow(table))
  table$sure <- !is.na(table$p_adjusted) & table$p_adjusted < 1 - x$level
  rows <- stack_rows(group, text, 1.4)
  rows <- c(list(kernel = as.character(seq_len(nrow(table))), set = table$name,
                 rest = rep("", nrow(table))), rows,
            list(left_out = nrow(x$importance) - nrow(table), zeros = 0L, left_share = 0))
  list(table = table, rows = rows)
}

draw_importance <- function(table, rows, label, says, main) {
  own <- data.frame(kernel = rows$kernel, value = table$importance, lower = table$lower, upper = table$upper)
  limits <- range(0, own$lower, own$upper, own$value, na.rm = TRUE)
  if (diff(limits) == 0) limits <- c(-0.01, 0.01)
  fill <- ifelse(table$sure, rows$colour, "white")
  draw_intervals(rows, own, own, limits + c(-0.04, 0.04) * diff(limits), fill, says, adjusted_p(table),
                 "adjusted p", ink$soft, label, main, less_important(rows))
}
