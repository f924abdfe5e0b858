# Methods of mllkm() fits: tables of anchors, the boundary in the plane.

# ---- tables --------------------------------------------------------------------------------------

#' @export
print.mllkm <- function(x, digits = 3, n = NULL, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  title <- if (has_models(x)) "Multiple locally linear kernel machines" else
    "Multiple locally linear kernel machine"
  head <- sprintf("%s%s\n%s; ", call_text(x, title, n), loss_text(x), rows_text(x))
  if (has_models(x)) {
    table <- multiclass_table(x, digits)
    table$active <- vapply(models_of(x), function(model) length(model$theta), 0L)
    print_short(paste0(head, classes_text(x), candidates_text(first_model(x)), "\n\n"),
                short_table(table, "model", n = n, row.names = FALSE), n = n)
  } else {
    print_short(sprintf("%s%s\n%s\n\n%s; %s active:\n", head, response_text(x), certificate_text(x),
                        candidates_text(x), format(length(x$theta), big.mark = ",")),
                anchors_table(x, digits, n), sprintf("\n%s (in training)\n", support_text(x)), n = n)
  }
  invisible(x)
}

candidates_text <- function(x) {
  maps <- nrow(x$dictionary$maps)
  sprintf("%s%s%s", count_of(x$dictionary$size / maps, "candidate anchor"),
          if (maps == 1) "" else sprintf(" with %d maps each", maps),
          if (is.null(x$scaling$views[[1L]]$rotation)) "" else ", on principal axes")
}

anchors_table <- function(x, digits, n) {
  top <- top_kernels(x$theta, Inf)
  table <- data.frame(
    anchor = x$anchor_rows[top], map = paste0(x$map[top], ifelse(x$componentwise[top],
                                                                 " (componentwise)", "")),
    gamma = format(x$gamma[top], digits = digits), weight = format(x$theta[top], digits = digits),
    share = percent(norm_share(x$theta^2 * x$forms)[top])
  )
  short_table(table, "anchor", n = n, row.names = FALSE)
}

# ---- plots ---------------------------------------------------------------------------------------

#' Plots of a locally linear model
#'
#' Draws the regions of a model of two columns, and weights, convergence and margins of any model.
#'
#' @param x,object A fit of [mllkm()].
#' @param which What to draw, one or several of
#'   * `"boundary"`, for data of two columns: the regions where the function is positive and negative,
#'     as in Figure 2 of the paper (for several classes the predicted class, for regression the value).
#'     The boundary is a line, and the margins are dashed. Squares are the anchors of active kernels. If
#'     `data` are given, the rows are shown, with support vectors in circles.
#'   * `"weights"`, `"convergence"`, `"margins"`: as in [plot.mkl()]; `"convergence"` over the passes
#'     over the dictionary.
#'
#'   By default all plots that are possible.
#' @param data The training data for `"boundary"`, in the form given to [mllkm()]; a fit doesn't
#'   keep them.
#' @param most,value,main,ask As in [plot.mkl()].
#' @param resolution Points of the boundary's grid in each direction, a whole number from 10 to 2000.
#' @param ... Not used; anything given is an error.
#' @return `plot()`: the fit, invisibly. Graphical parameters are restored. `autoplot()`, which needs
#'   the package ggplot2: a ggplot.
#' @references
#' Picard, D. Multiple locally linear kernel machines (Figure 2).
#' @seealso [mllkm()]
#' @examples
#' x <- iris[51:150, 3:4]
#' fit <- mllkm(x, droplevels(iris$Species[51:150]), gamma = c(0.5, 2), C = 10)
#' plot(fit, "boundary", data = x)
#' plot(fit, "weights")
#' @export
plot.mllkm <- function(x, which = c("boundary", "weights", "convergence", "margins"), data = NULL,
                       most = 30L, value = c("share", "theta"), main = NULL, resolution = 150L,
                       ask = length(which) > 1 && grDevices::dev.interactive() &&
                         prod(graphics::par("mfrow")) < length(which), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  drawn <- check_which(which, local_plots)
  if (missing(which) && !has_plane(x)) drawn <- setdiff(drawn, "boundary")
  given <- c(data = !is.null(data), most = !missing(most), value = !missing(value),
             resolution = !missing(resolution))
  check_serves_plot(names(given)[given], drawn, local_plots)
  options <- check_plot_options(most, if (!missing(value)) value, resolution = resolution)
  check_main(main)
  draw_each(drawn, ask, function(one) draw_one(x, one, options, main, data))
  invisible(x)
}

local_plots <- c("boundary", "weights", "convergence", "margins")
