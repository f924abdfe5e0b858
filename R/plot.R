#' Plots of a fit
#'
#' Draws kernel weights, convergence, margins, the alignment of the kernels, or the decision boundary.
#' `plot()` uses base graphics; `autoplot()` draws the same data with package ggplot2.
#'
#' @param x,object A fit of class `mkl`, `mkl_multiclass` or `mkl_multioutput`.
#' @param which What to draw, one or, for `plot()`, several of
#'   * `"weights"`: the kernel weights as bars, grouped and coloured by view, with each view's share of
#'     the fitted function (see [kernel_weights()]). The heading of a group shows what its kernels have in
#'     common. The labels of the bars show how they differ, for example the gene set. For many kernels
#'     the bars are sums, see `by`. Several classes have one panel per model, or a heat map for more
#'     than six models; `"shared"` is drawn as for two classes.
#'   * `"convergence"`: primal and dual objective, and below them the relative gap on a logarithmic
#'     scale with the tolerance, against time, from the first step of the optimiser on. For several
#'     classes: the gaps of all models.
#'   * `"margins"`: the distribution of \eqn{y f(x)} on the training rows, one class upwards and the
#'     other downwards, with the decision boundary (0) and the margin (1). Shades show support vectors
#'     at the bound, those on the margin, and the other rows. For several classes: the distribution, by
#'     class, of the decision value of the true class minus the largest other one (for `"ovo"`, the
#'     smallest \eqn{y f(x)} of its pairs). It is scaled to its fullest bin and has the training error
#'     of the class beside it. If all rows are far on the right side, the axis begins there. For
#'     regression: the response against the fitted values, with lines at `epsilon` or `delta` of the
#'     loss; censored times are triangles that point towards the event. For one class: the scores. For
#'     several responses or quantiles: the distribution of the margins \eqn{y f(x)} (labels) or of the
#'     residuals of each.
#'   * `"alignment"`: the heat map of [kernel_alignment()] of the kernels with the largest weights,
#'     normalised as in the fit (centred if the fit centres), and with the response if it is two classes
#'     or numbers. A fit does not keep its training data, so give them as `data`.
#'   * `"widths"`: the weights (or shares) of Gaussian kernels along their width, a curve for each view;
#'     kernels of one width are summed. For several classes: the mean of the models, and a pale curve
#'     for each.
#'   * `"boundary"`, for data of two columns: the regions where the function is positive and negative
#'     (for several classes the predicted class, for regression the value), with the boundary as a line
#'     and the margins dashed. With `data` the training rows are shown, with support vectors in circles;
#'     without `data` the support vectors that the fit keeps.
#'
#'   * `"profile"`: which positions of the sequences separate the classes, for fits with
#'     [weighted_degree_kernel()]s or kernels with `position_specific = TRUE`. It shows the share of
#'     each position in the squared norm \eqn{\alpha^\top K_\theta \alpha}{alpha' K_theta alpha} of the
#'     function. A position is that at which a match begins. The shares of a model sum to 1. Classes and
#'     views have colours.
#'
#'   The default is the first three, one after another, and `"alignment"` if `data` are given. An
#'   argument that concerns none of the plots drawn is an error.
#' @param by For `"weights"`: a bar for each `"kernel"`, or for the sum of each `"view"` or feature
#'   `"set"`, with a table of shares and numbers of kernels at the side (see [kernel_weights()]). The
#'   sets beyond `most` share a bar for each view. `NULL`: kernels if the `most` largest have 90 % of
#'   the sum of weights, otherwise sets, or views if there are no sets.
#' @param resolution For `"boundary"`: points of the grid in each direction, a whole number from 10
#'   to 2000.
#' @param most For `"weights"` and `"alignment"`: how many kernels to show, a positive whole number.
#'   Those with the largest weights are shown; a note says what was left out.
#' @param value What bars and curves show: `"share"`, the share of the fitted function, or `"theta"`, the
#'   weight. Weights depend on how the kernels are scaled, and for `p = Inf` all are equal.
#' @param main Title, one string or expression; `NULL` for none.
#' @param zeros For `"weights"` and `"alignment"`: whether to show kernels of weight zero, too; a note
#'   says how many are hidden.
#' @param data The training data for `"alignment"` and `"boundary"`, in the form that [duality_gap()]
#'   takes as `x`.
#' @param ask Whether to wait for the user between plots on an interactive device.
#' @param ... Not used; anything given is an error.
#'
#' @return `plot()`: the fit, invisibly. Graphical parameters are restored. Each plot takes one figure,
#'   so `par(mfrow = )` combines them. `autoplot()`: a ggplot.
#' @seealso [mkl()], [kernel_weights()], [residuals.mkl()]
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Proposition 2 for the weights,
#' equations 14 and 15 for the objectives).
#' @examples
#' views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
#' fit <- mkl(views, droplevels(iris$Species[51:150]), p = 4/3, control = mkl_control(tol = 1e-6))
#' plot(fit, "weights")
#' plot(fit, "convergence")
#' plot(fit, "margins")
#' plot(fit, "alignment", data = views)
#' plot(fit, "widths")
#' @aliases plot.mkl plot.mkl_multiclass
#' @rdname plot.mkl
#' @export
plot.mkl_fit <- function(x, which = c("weights", "convergence", "margins", "alignment"), most = 30L,
                         value = c("share", "theta"), main = NULL, zeros = FALSE, data = NULL,
                         by = NULL, resolution = 150L,
                         ask = length(which) > 1 && grDevices::dev.interactive() &&
                           prod(graphics::par("mfrow")) < length(which), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  drawn <- check_which(which, plot_choices)
  drawn <- check_alignment(drawn, missing(which), data)
  given <- c(most = !missing(most), value = !missing(value), zeros = !missing(zeros),
             data = !is.null(data), by = !is.null(by), resolution = !missing(resolution))
  check_serves_plot(names(given)[given], drawn)
  options <- check_plot_options(most, if (!missing(value)) value, zeros, by, resolution)
  check_main(main)
  if (check_flag(ask, "ask")) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (one in drawn) draw_one(x, one, options, main, data)
  invisible(x)
}

# value, by: NULL where the plot decides.
check_plot_options <- function(most, value = NULL, zeros = FALSE, by = NULL, resolution = 150L) {
  list(
    most = check_count(most, "most"), zeros = check_flag(zeros, "zeros"),
    value = if (!is.null(value)) check_choice(value, c("theta", "share"), "value"),
    by = if (!is.null(by)) check_choice(by, c("kernel", "view", "set"), "by"),
    resolution = check_count(resolution, "resolution", lower = 10L, upper = 2000L)
  )
}

draw_one <- function(x, which, options, main, data = NULL) {
  switch(which,
    weights = plot_weights(x, options$most, options$value, main, options$zeros, options$by),
    convergence = plot_convergence(x, main),
    margins = plot_margins(x, main),
    alignment = plot(fit_alignment(x, data, options$most, options$zeros), main = main),
    widths = draw_widths(width_data(x, options$value), main),
    boundary = draw_boundary(boundary_data(x, data, options$resolution), main),
    profile = plot_profile(x, main)
  )
}

#' @rdname plot.mkl
#' @export

plot_choices <- c("weights", "convergence", "margins", "alignment", "widths", "boundary", "profile")

check_which <- function(which, choices) {
  if (!is.character(which) || !length(which) || !all(which %in% choices)) {
    found <- if (is.character(which)) setdiff(which, choices)[1] else which
    abort_argument(found, "which", paste("some of", paste(dQuote(choices, FALSE), collapse = ", ")))
  }
  unique(which)
}

# Alignments need the data: without them they are left out of the default, and an error otherwise.
check_alignment <- function(which, by_default, data) {
  if (by_default && is.null(data)) return(setdiff(which, "alignment"))
  if ("alignment" %in% which && is.null(data)) {
    mk_abort(paste("`data` must be the training data for `which = \"alignment\"`, as a fit doesn't",
                   "keep them."), "invalid_argument", "data")
  }
  which
}

# The plots that arguments have a meaning for; elsewhere they would be ignored.
plot_arguments <- list(most = c("weights", "alignment"), value = c("weights", "widths"),
                       zeros = c("weights", "alignment"), data = c("alignment", "boundary"),
                       by = "weights", resolution = "boundary")

check_serves_plot <- function(given, which, choices = plot_choices) {
  for (argument in given) {
    served <- intersect(plot_arguments[[argument]], choices)
    if (any(served %in% which)) next
    mk_abort(sprintf("`%s` is for `which = %s`, which is not drawn here.", argument,
                     paste(dQuote(served, FALSE), collapse = "` or `")),
             "invalid_argument", argument)
  }
}

# What title() takes as one title.
check_main <- function(main) {
  fine <- is.null(main) || ((is.character(main) || is.expression(main)) && length(main) == 1L) ||
    is.call(main) || is.symbol(main)
  if (!fine) abort_argument(main, "main", "NULL, one string or one expression")
}

# ---- shared parts --------------------------------------------------------------------------------

ink <- list(text = "grey15", soft = "grey45", line = "grey70", grid = "grey90")

# Colours that the colour-blind tell apart (Okabe and Ito, without yellow and black).
view_colours <- function(k) {
  few <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7F7F7F")
  if (k <= length(few)) few[seq_len(k)] else grDevices::hcl.colors(k, "Dark 3")
}

# A colour mixed with white.
lighten <- function(colour, share) {
  rgb <- grDevices::col2rgb(colour) / 255
  grDevices::rgb(t(rgb + (1 - rgb) * share))
}

# Opens a figure with margins that fit, runs `draw`, and leaves par() as it was.
with_figure <- function(margins, xlim, ylim, draw, main = NULL, main_line = 1) {
  check_figure_size(margins)
  old <- graphics::par(mai = margins, mgp = c(2.1, 0.5, 0), tcl = -0.25, las = 1, xpd = FALSE)
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(xlim, ylim, xaxs = "i", yaxs = "i")
  draw()
  if (!is.null(main)) {
    graphics::title(main = main, col.main = ink$text, cex.main = 1.1, line = main_line)
  }
}

check_figure_size <- function(margins) {
  size <- graphics::par("fin")
  needed <- c(sum(margins[c(2, 4)]), sum(margins[c(1, 3)])) + 0.4
  if (all(size >= needed)) return(invisible())
  mk_abort(sprintf(
    "The figure must be at least %.1f x %.1f inches for this plot, not %.1f x %.1f.",
    ceiling(10 * needed[1]) / 10, ceiling(10 * needed[2]) / 10, size[1], size[2]
  ), "figure_size", "figure", size)
}

# Inches of a line of text, and of the widest of some labels.
line_inches <- function(lines = 1) lines * graphics::par("csi")
width_inches <- function(labels, ...) max(graphics::strwidth(labels, units = "inches", ...), 0)

# Round numbers for a logarithmic axis from 10^limits[1] to 10^limits[2]; some may be beyond its ends.
log_ticks <- function(limits) {
  span <- diff(limits)
  if (span > 3) return(10^unique(round(pretty(limits, 6))))
  if (span > 1) return(c(outer(c(1, 2, 5), 10^(floor(limits[1]):ceiling(limits[2])))))
  ticks <- pretty(10^limits)
  ticks[ticks > 0]
}

quiet_axis <- function(side, at, labels = format(at, trim = TRUE), ...) {
  graphics::axis(side, at = at, labels = labels, lwd = 0, lwd.ticks = 0.8, col = ink$line,
                 col.axis = ink$text, cex.axis = 0.85, ...)
}

axis_title <- function(text, side, line, at = NA, ...) {
  graphics::mtext(text, side = side, line = line, at = at, col = ink$text,
                  cex = 0.9 * cex_here(), ...)
}

# mtext() ignores the cex that par(mfrow = ) sets.
cex_here <- function() graphics::par("cex")

# Long names lose their middle; what tells them apart is most often at the end.
shorten <- function(names, most = 45L) {
  long <- nchar(names) > most
  head <- (most - 3L) %/% 3L
  tail <- most - 3L - head
  size <- nchar(names)
  names[long] <- paste0(substr(names[long], 1, head), "...",
                        substr(names[long], size[long] - tail + 1, size[long]))
  names
}

# The same for names that must stay different: where two would become one, what they begin with in
# common is cut as far as they differ.
shorten_apart <- function(names, most = 45L) {
  short <- shorten(names, most)
  for (key in unique(short[duplicated(short)])) {
    same <- which(short == key)
    if (length(unique(names[same])) == 1L) next
    start <- max(common_length(names[same]) - 2L, 1L)
    rest <- paste0("...", substring(names[same], start))
    short[same] <- ifelse(nchar(rest) > most, paste0(substr(rest, 1L, most - 3L), "..."), rest)
  }
  short
}

# How many characters strings have in common from their beginning on.
common_length <- function(x) {
  letters <- strsplit(unique(x), "")
  first <- seq_len(min(lengths(letters)))
  differ <- Reduce(`|`, lapply(letters, function(own) own[first] != letters[[1L]][first]))
  c(which(differ), length(first) + 1L)[1L] - 1L
}

# Names short enough to leave half of the figure to the drawing.
fit_names <- function(names, ..., room = 0.5 * graphics::par("fin")[1]) {
  fit_labels(data.frame(set = names, rest = rep("", length(names))), ..., room = room)
}

# Labels out of what tells kernels apart: sets, which may be shortened, and the rest, which is not.
fit_labels <- function(parts, ..., room = 0.5 * graphics::par("fin")[1]) {
  sets <- unique(parts$set)
  for (most in c(45L, 38L, 32L, 26L, 20L, 15L)) {
    left <- max(most - max(nchar(parts$rest), 0L), 12L)
    short <- paste0(shorten_apart(sets, left)[match(parts$set, sets)], parts$rest)
    if (width_inches(short, ...) <= room) break
  }
  short
}

# The kernel, the columns that it reads, and its number among those of one name.
name_parts_pattern <- "^(.+?)\\[(.+)\\]((?:[#@][0-9]+)*)$"

# Names of kernels without what all have in common. `set`: the columns they read, or the name where
# it says none; `rest`: the kernel, where these differ; `common`: what is left out, or NULL.
name_parts <- function(names) {
  pattern <- name_parts_pattern
  on_columns <- grepl(pattern, names, perl = TRUE)
  base <- ifelse(on_columns, sub(pattern, "\\1", names, perl = TRUE), names)
  set <- ifelse(on_columns, sub(pattern, "\\2\\3", names, perl = TRUE), names)
  if (!all(on_columns) || !length(names)) {
    return(list(set = set, rest = ifelse(on_columns, paste0(", ", base), ""), common = NULL))
  }
  if (length(unique(base)) == 1L) {
    return(list(set = set, rest = rep("", length(set)), common = base[1L]))
  }
  type <- sub("[(].*", "", base)
  alike <- length(unique(type)) == 1L && all(grepl("^[^(]+[(].*[)]$", base))
  if (alike) base <- sub("^[^(]+[(](.*)[)]$", "\\1", base)
  list(set = set, rest = paste0(", ", base), common = if (alike) type[1L])
}

# Labels `step` inches apart shrink where they would touch; from the smallest readable size on only
# some are shown.
label_cex_at <- function(step) min(0.75, max(0.5, 0.95 * step / line_inches()))

labels_shown <- function(count, step, cex) {
  seq(1L, count, by = max(1L, ceiling(cex * line_inches() / step)))
}
