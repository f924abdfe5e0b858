# What a fit of mllkm() is asked for beyond what all fits are: the certificate over the dictionary,
# tables of anchors, the boundary in the plane.

# ---- the certificate -----------------------------------------------------------------------------

#' @rdname duality_gap
#' @details For [mllkm()] the dual value has the largest \eqn{s_m}{s_m} of the whole dictionary,
#'   active or not.
#' @export
duality_gap.mllkm <- function(object, x, y, ...) {
  check_dots_empty(...)
  data <- training_data(object, if (missing(x)) NULL else x)
  if (!missing(y)) check_same_response(object, y, data)
  certify_anchors(object, data, list(object))
}

#' @rdname duality_gap
#' @export
duality_gap.mllkm_multiclass <- function(object, x, y, ...) {
  check_dots_empty(...)
  data <- training_data(object, if (missing(x)) NULL else x)
  if (!missing(y)) check_same_response(object, y, data)
  certify_anchors(object, data, object$models)
}

certify_anchors <- function(object, data, models) {
  view <- core_of_view(data$views)
  threads <- thread_count(object$control)
  new_duality_gap(object, models, lapply(models, function(model) {
    targets <- core_targets(matrix(own_targets(model)), if (kind_of(model) == "classes") model$y)
    from_core(.Call(C_mk_local_gap, view, model$dictionary$anchors,
                    core_maps(model$dictionary$maps), model$dictionary$selected,
                    unname(model$theta), unname(model$alpha), targets,
                    core_cost(matrix(unname(model$cost)), list(loss_of(model)), side_of(model$y)),
                    core_loss(loss_of(model), has_intercept(model)),
                    threads))
  }))
}

# ---- tables --------------------------------------------------------------------------------------

#' @export
print.mllkm <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  print_call(x, "Multiple locally linear kernel machine")
  cat(loss_text(x), "\n", sep = "")
  cat(sprintf("%s; %s\n", rows_text(x), response_text(x)))
  cat(certificate_text(x), "\n\n", sep = "")
  cat(candidates_text(x), "; ", active_text(x), ":\n", sep = "")
  print_anchors(x, digits)
  cat("\n", support_text(x), " (in training)\n", sep = "")
  invisible(x)
}

candidates_text <- function(x) {
  maps <- nrow(x$dictionary$maps)
  sprintf("%s%s", count_of(x$dictionary$size / maps, "candidate anchor"),
          if (maps == 1) "" else sprintf(" with %d maps each", maps))
}

active_text <- function(x, most = 10L) {
  active <- length(x$theta)
  sprintf("%s active%s", format(active, big.mark = ","),
          if (active > most) sprintf(", the %d largest", most) else "")
}

print_anchors <- function(x, digits) {
  top <- top_kernels(x$theta)
  table <- data.frame(
    anchor = x$anchor_rows[top], map = paste0(x$map[top], ifelse(x$componentwise[top],
                                                                 " (componentwise)", "")),
    gamma = format(x$gamma[top], digits = digits), weight = format(x$theta[top], digits = digits),
    share = percent(norm_share(x$theta^2 * x$forms)[top])
  )
  print(table, right = FALSE, row.names = FALSE)
}

#' @export
print.mllkm_multiclass <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  print_call(x, "Multiple locally linear kernel machines")
  cat(loss_text(x), "\n", sep = "")
  cat(sprintf("%s; %d classes by %s: %s\n", rows_text(x), length(x$levels),
              strategy_text[[x$strategy]], count_of(length(x$models), "machine")))
  cat(candidates_text(x$models[[1]]), "\n\n", sep = "")
  table <- multiclass_table(x, digits)
  table$active <- vapply(x$models, function(model) length(model$theta), 0L)
  print(table, right = FALSE, row.names = FALSE)
  invisible(x)
}

#' @rdname kernel_weights
#' @export
kernel_weights.mllkm_multiclass <- function(object, sort = FALSE, ...) {
  check_dots_empty(...)
  stack_models(object, kernel_weights, sort = check_flag(sort, "sort"))
}

# ---- plots ---------------------------------------------------------------------------------------

#' Plots of a locally linear machine
#'
#' @param x A fit of [mllkm()].
#' @param which What to draw, one or several of
#'   * `"boundary"`, for data of two columns: where the function is positive and negative (the
#'     predicted class for several classes, the value for regression), with the boundary as a line
#'     and the margins dashed; the anchors of active kernels as squares; and, where `data` are
#'     given, the rows, support vectors in circles: Figure 2 of the paper.
#'   * `"weights"`, `"convergence"`, `"margins"`: as in [plot.mkl()]; `"convergence"` over the looks
#'     at the dictionary.
#'
#'   By default all that can be drawn.
#' @param data The training data for `"boundary"`, in the form given to [mllkm()]; a fit doesn't
#'   keep them.
#' @param most,value,main,ask As in [plot.mkl()].
#' @param resolution Points of the boundary's grid in each direction, a whole number from 10 to 2000.
#' @param ... Not used; anything given is an error.
#' @return The fit, invisibly. Graphical parameters are restored.
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
                       most = 30L, value = c("theta", "share"), main = NULL, resolution = 150L,
                       ask = length(which) > 1 && grDevices::dev.interactive() &&
                         prod(graphics::par("mfrow")) < length(which), ...) {
  check_dots_empty(...)
  choices <- c("boundary", "weights", "convergence", "margins")
  drawn <- check_which(which, choices)
  plane <- length((x$models %||% list(x))[[1]]$anchors[1, ]) == 2L
  if (missing(which) && !plane) drawn <- setdiff(drawn, "boundary")
  if ("boundary" %in% drawn && !plane) {
    abort_unsupported("which", "`which = \"boundary\"` is for data of two columns.", "boundary")
  }
  given <- c(data = !is.null(data), most = !missing(most), value = !missing(value),
             resolution = !missing(resolution))
  check_serves_plot(names(given)[given], drawn, choices)
  most <- check_count(most, "most")
  value <- check_choice(value, c("theta", "share"), "value")
  check_main(main)
  resolution <- check_count(resolution, "resolution", lower = 10L, upper = 2000L)
  if (check_flag(ask, "ask")) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (one in drawn) {
    if (one == "boundary") {
      draw_boundary(x, boundary_points(x, data), resolution, main)
    } else {
      draw_one(x, one, most, value, main)
    }
  }
  invisible(x)
}

#' @rdname plot.mllkm
#' @export
plot.mllkm_multiclass <- plot.mllkm

# The rows as they were in training, or NULL.
boundary_points <- function(x, data) {
  if (is.null(data)) return(NULL)
  standard <- as.matrix(plain_views(training_data(x, data)$views)[[1L]])
  in_data_units(standard, x$scaling$views[[1L]])
}

draw_boundary <- function(x, points, resolution, main) {
  models <- x$models %||% list(x)
  anchors <- do.call(rbind, unname(lapply(models, `[[`, "anchors")))
  span <- apply(rbind(points, anchors), 2, grDevices::extendrange, f = 0.06)
  span[2, ] <- span[2, ] + (span[1, ] == span[2, ])
  grid <- lapply(1:2, function(k) seq(span[1, k], span[2, k], length.out = resolution))
  values <- boundary_values(models, as.matrix(expand.grid(grid)), x)
  labels <- colnames(anchors) %||% c("column 1", "column 2")
  margins <- c(line_inches(3), line_inches(3.6), line_inches(if (is.null(main)) 1.6 else 3.4),
               line_inches(0.8))
  with_figure(margins, span[, 1], span[, 2], function() {
    draw_regions(grid, values, x)
    if (!is.null(points)) draw_training_rows(x, models, points)
    graphics::points(anchors, pch = 0, cex = 1.9, lwd = 1.6, col = ink$text)
    for (side in 1:2) quiet_axis(side, pretty(span[, side]))
    graphics::box(col = ink$line)
    axis_title(labels[1], 1, 1.8)
    axis_title(labels[2], 2, 2.5, las = 0)
    draw_boundary_legend(span, !is.null(points))
  }, main, main_line = 1.8)
}

# Decision values on the grid; for several classes the number of the predicted one.
boundary_values <- function(models, grid, x) {
  dimnames(grid) <- NULL
  rows <- list(views = list(standardise(grid, models[[1L]]$scaling$views[[1L]])))
  decision <- vapply(models, decide, numeric(nrow(grid)), rows)
  colnames(decision) <- names(models)
  if (is.null(x$models)) decision[, 1] else as.integer(multiclass_response(decision, x))
}

draw_regions <- function(grid, values, x) {
  values <- matrix(values, length(grid[[1]]))
  if (is.null(x$levels)) {
    colours <- grDevices::hcl.colors(32, "Blues", rev = TRUE)
    graphics::image(grid[[1]], grid[[2]], values, col = colours, add = TRUE, useRaster = TRUE)
    return(graphics::contour(grid[[1]], grid[[2]], values, add = TRUE, col = ink$text))
  }
  several <- !is.null(x$models)
  region <- if (several) values else matrix(1 + (values > 0), nrow(values))
  colours <- lighten(view_colours(length(x$levels)), 0.8)
  graphics::image(grid[[1]], grid[[2]], region, col = colours, zlim = c(1, length(x$levels)),
                  add = TRUE, useRaster = TRUE)
  if (several) return(invisible())
  line <- function(level, type, width) {
    if (min(values) < level && max(values) > level) {
      graphics::contour(grid[[1]], grid[[2]], values, levels = level, drawlabels = FALSE,
                        add = TRUE, lty = type, lwd = width, col = ink$text)
    }
  }
  line(0, 1, 2)
  line(-1, 2, 1)
  line(1, 2, 1)
}

draw_training_rows <- function(x, models, points) {
  colour <- if (is.null(x$levels)) ink$soft else view_colours(length(x$levels))[as.integer(x$y)]
  graphics::points(points, pch = 16, cex = 0.7, col = colour)
  support <- unique(unlist(lapply(models, `[[`, "support")))
  graphics::points(points[support, , drop = FALSE], pch = 1, cex = 1.4, col = ink$soft)
}

draw_boundary_legend <- function(span, rows) {
  text <- c("support kernel", if (rows) "support vector")
  graphics::legend(span[1, 1], span[2, 2] + graphics::yinch(line_inches(0.2)), text,
                   pch = c(0, 1)[seq_along(text)], pt.cex = c(1.6, 1.3)[seq_along(text)],
                   col = c(ink$text, ink$soft)[seq_along(text)], horiz = TRUE, bty = "n", cex = 0.8,
                   text.col = ink$text, xjust = 0, yjust = 0, xpd = NA)
}
