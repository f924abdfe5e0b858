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
#'     than six models; `"shared"` and `"joint"` are drawn as for two classes.
#'   * `"convergence"`: primal and dual objective, and below them the relative gap on a logarithmic
#'     scale with the tolerance, against time, from the first step of the optimiser on. Objectives of
#'     first steps that would flatten all others are left out, and a note says so. For several classes: the
#'     gaps of all models.
#'   * `"margins"`: the distribution of \eqn{y f(x)} on the training rows, one class upwards and the
#'     other downwards, with the decision boundary (0) and the margin (1). If all are on the margin, as in
#'     data of many columns, see `"held_out"` of [plot.cv_mkl()]. Shades show support vectors
#'     at the bound, those on the margin, and the other rows. For several classes: the distribution, by
#'     class, of the decision value of the true class minus the largest other one (for `"ovo"`, the
#'     smallest \eqn{y f(x)} of its pairs). It is scaled to its fullest bin and has the training error
#'     of the class beside it; errors are dark. `plot()` shows as many classes as the figure has room for, 10 at
#'     least, and `autoplot()` 10. If all rows are far on the right side, the axis begins there. For
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
#'     views have panels of their own.
#'
#'   The default is the first three, one after another, and `"alignment"` if `data` are given. An
#'   argument that concerns none of the plots drawn is an error.
#' @param by For `"weights"`: a bar for each `"kernel"`, or for the sum of each `"view"` or feature
#'   `"set"`, with a table of shares and numbers of kernels at the side (see [kernel_weights()]). The
#'   sets beyond `most` share a bar for each view. `NULL`: kernels if the `most` largest have 90 % of
#'   the sum of weights, otherwise sets, or views if there are no sets; views for `p = Inf` and several kernels in
#'   some view, which gives all
#'   kernels equal weights.
#' @param resolution For `"boundary"`: points of the grid in each direction, a whole number from 10
#'   to 2000.
#' @param most For `"weights"` and `"alignment"`: how many kernels to show, a positive whole number.
#'   Those with the largest weights are shown; a note reports what was left out.
#' @param value What bars and curves show: `"share"`, the share of the fitted function, or `"theta"`, the
#'   weight. Weights depend on how the kernels are scaled, and for `p = Inf` all are equal.
#' @param main Title, one string or expression; `NULL` for none.
#' @param zeros For `"weights"` and `"alignment"`: whether to show kernels of weight zero, too; a note
#'   gives the number hidden.
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
  x <- fit_within(x, "no plots")
  check_dots_empty(...)
  drawn <- check_which(which, plot_choices)
  drawn <- check_alignment(drawn, missing(which), data)
  given <- c(most = !missing(most), value = !missing(value), zeros = !missing(zeros),
             data = !is.null(data), by = !is.null(by), resolution = !missing(resolution))
  check_serves_plot(names(given)[given], drawn)
  options <- check_plot_options(most, if (!missing(value)) value, zeros, by, resolution)
  check_main(main)
  draw_each(drawn, ask, function(one) draw_one(x, one, options, main, data))
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

# ---- shared parts --------------------------------------------------------------------------------

plot_margins <- function(x, main) {
  if (has_models(x)) return(draw_bands(margin_bands(x, bands_that_fit()), main))
  switch(kind_of(x), classes = draw_two_sided(x, main),
         numbers = , times = draw_fitted(x, main), one_class = draw_scores(x, main))
}
