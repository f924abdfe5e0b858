#' Alignment of kernels
#'
#' Alignment of two kernels is the cosine of the angle between their matrices, \eqn{A_{mk} = \langle K_m,
#' K_k\rangle_F/(\|K_m\|_F \|K_k\|_F)}{ A[m, k] = <K_m, K_k> / (||K_m|| ||K_k||)}: 1 for kernels that differ
#' by a factor, and for positive semidefinite kernels never below 0. Centred alignment first subtracts the
#' mean in feature space. It can tell kernels apart that share a large constant part.
#'
#' The matrices are made block by block and never stored. The cost is about \eqn{n^2 M^2/2} operations
#' for n rows and M kernels, in addition to that of the kernel values.
#'
#' @param kernels A kernel set; also the `kernels` of a fit, unless precomputed.
#' @param x The data as in [mkl()]; may be left out if all kernels are precomputed.
#' @param y `NULL`, or a response with two levels (or two values), or numbers: the alignment of each kernel
#'   with the ideal kernel \eqn{y y^\top}{y y'} (values 1 and -1 for classes) is added to the result.
#' @param type What `y` is, as in [mkl()].
#' @param centre Whether to centre the kernels (and y) first, `TRUE` or `FALSE`.
#' @param normalize How to normalise first, as in [mkl()]; `"none"` by default. Alignment does not
#'   depend on the scale of a kernel, so only `"spherical"` makes a difference.
#' @param scale Whether to standardise columns first, as fits do: `TRUE`, `FALSE` or by view; see [scaling].
#' @return `kernel_alignment()`: a symmetric matrix with unit diagonal, named by kernel, of class
#'   `kernel_alignment`; with `y`, its attribute `response` is the vector of alignments with y. It may
#'   be given to [quadratic_norm()]. Its attribute `view` has the view of each kernel, and `version` gives the
#'   form of the result. Errors: those
#'   of [kernel_matrix()], and `manykernels_constant_kernel` if a kernel (or y) is constant and centred.
#'
#'   The plot method draws the matrix as a heat map in groups by view (with y, its alignments as a last
#'   column) in base graphics and returns x invisibly. `autoplot()`, which needs the package ggplot2, returns
#'   the same as a ggplot.
#' @references
#' Cristianini, N., Shawe-Taylor, J., Elisseeff, A. and Kandola, J. (2001). On kernel-target
#' alignment. *Advances in Neural Information Processing Systems* **14** (Definition 1).
#'
#' Cortes, C., Mohri, M. and Rostamizadeh, A. (2012). Algorithms for learning kernels based on
#' centered alignment. *Journal of Machine Learning Research* **13**, 795--828 (Definition 4).
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 3.5; its heat maps show plain
#' alignments).
#' @seealso [quadratic_norm()], [kernel_matrix()], and [plot.mkl()] for the kernels of a fit
#' @examples
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- droplevels(iris$Species[51:150])
#' a <- kernel_alignment(c(linear_kernel(), gaussian_kernel(c(0.5, 2, 8))), x, y, centre = TRUE)
#' a
#' plot(a)
#' @export
kernel_alignment <- function(kernels, x = NULL, y = NULL, centre = FALSE, normalize = "none",
                             scale = FALSE, type = c("auto", "classification", "regression")) {
  check_given(c(kernels = missing(kernels)))
  type <- check_problem_type(type, c("auto", "classification", "regression"))
  centre <- check_flag(centre, "centre")
  normalize <- check_normalize(normalize)
  data <- bridge_data(x, check_kernel_set(kernels), check_scale(scale))
  target <- alignment_target(y, data$samples, centre, type)
  threads <- thread_count()
  handle <- kernel_handle(data$kernels, data$views, data$n, threads)
  normalized <- function(kernels) {
    refuse_constant(normalize_handle(handle, kernels, normalize, threads), handle, kernels, threads)
  }
  if (centre) normalized(normalize_kernels(data$kernels, "centre")) # what is constant is found by that
  normalized(data$kernels)
  align_kernels(handle, data$kernels, target, centre, !is.null(y), threads)
}

# The kernels of a handle, as they are normalised there.
align_kernels <- function(handle, kernels, target, centre, with_target, threads) {
  products <- from_core(.Call(C_mk_inner_products, handle, target, centre, threads))
  kernel_names <- names(kernels)
  check_alignable(products, c(kernel_names, "y"), !with_target)
  size <- sqrt(diag(products))
  cosines <- pmin(pmax(products / outer(size, size), -1), 1)
  m <- seq_along(kernel_names)
  out <- matrix(cosines[m, m], length(m), dimnames = list(kernel_names, kernel_names))
  diag(out) <- 1
  response <- if (with_target) stats::setNames(cosines[-m, m], kernel_names)
  structure(out, response = response, view = view_label(as.data.frame(kernels)), centred = centre,
            version = model_version, class = "kernel_alignment")
}

alignment_target <- function(y, samples, centre, type) {
  if (is.null(y)) return(rep(1, samples$n))
  response <- check_response(y, samples, type = type)
  if (is.factor(response) && nlevels(response) != 2) {
    mk_abort(sprintf("`y` must have two levels for kernel_alignment(), not %d.",
                     nlevels(response)), "invalid_argument", "y", levels(response))
  }
  target <- if (is.factor(response)) 2 * (as.integer(response) - 1.5) else response
  if (centre) target - mean(target) else target
}

# The kernels of a fit with the largest weights, normalised as in the fit, with its response where
# that is two classes or numbers. Kernels that do not vary have no alignment.
fit_alignment <- function(fit, data, most, zeros) {
  trained <- training_data(fit, data, "data")
  models <- models_of(fit)
  weight <- do.call(pmax, lapply(models, function(model) unname(model$theta)))
  weight[is_constant(models[[1L]]$constants)] <- -1
  shown <- sum(weight > 0 | (zeros & weight == 0))
  chosen <- sort(order(-weight)[seq_len(min(most, max(shown, 1L)))])
  kernels <- pick_kernels(trained$kernels, chosen)
  threads <- thread_count(fit$control)
  handle <- kernel_handle(kernels, trained$views, trained$n, threads)
  normalize_handle(handle, kernels, fit$normalize, threads)
  with_target <- !has_models(fit) && kind_of(fit) != "one_class" && !anyNA(fit$y)
  centre <- "centre" %in% fit$normalize
  target <- if (with_target) own_targets(fit) else rep(1, trained$n)
  if (centre) target <- target - mean(target)
  left <- list(left_out = max(shown, 1L) - length(chosen), zeros = length(weight) - max(shown, 1L),
               left_share = 1 - sum(pmax(weight[chosen], 0)) / sum(pmax(weight, 0)))
  structure(align_kernels(handle, kernels, target, centre, with_target, threads), left_out = unshown_text(left))
}

# Kernels without variation have squares that are 0 up to rounding.
check_alignable <- function(products, names, no_target) {
  size <- diag(products)
  if (no_target) size <- utils::head(size, -1)
  bad <- which(!is.finite(size) | size <= 0)
  if (length(bad)) {
    mk_abort(sprintf("Kernel `%s` has no alignment: its matrix is %s.", names[bad[1]],
                     if (is.finite(size[bad[1]])) "constant" else "not finite"),
             "constant_kernel", "kernels", names[bad])
  }
}

#' @export
print.kernel_alignment <- function(x, digits = 3, n = NULL, ...) {
  check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  shown <- matrix(as.double(x), nrow(x), dimnames = dimnames(x))
  response <- attr(x, "response")
  if (!is.null(response)) shown <- cbind(y = response, shown)
  dimnames(shown) <- list(shorten_apart(rownames(shown), 30L), shorten_apart(colnames(shown), 16L))
  shown[] <- format(signif(shown, digits))
  print_short(if (attr(x, "centred")) "Centred kernel alignment\n" else "Kernel alignment\n",
              short_table(shown, "kernel", n = n), n = n)
  invisible(x)
}

#' @rdname kernel_alignment
#' @param main Title, one string; `NULL` for none.
#' @param ... Not used; anything given is an error.
#' @export
plot.kernel_alignment <- function(x, main = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  check_main(main)
  map <- alignment_map(x)
  values <- map$values
  rows <- nrow(values)
  at <- seq_len(ncol(values)) + 0.3 * (as.integer(map$part) - 1L) # views and y stand apart
  parts <- name_parts(rownames(values))
  labels <- fit_labels(parts, cex = 0.75, room = min(c(0.35, 0.4) * graphics::par("fin")))
  note <- alignment_note(x, parts)
  margins_at <- function(cex) {
    c(width_inches(labels, cex = cex) + line_inches(1 + length(note)),
      width_inches(labels, cex = cex) + line_inches(1),
      line_inches(if (is.null(main)) 1 else 2.5), line_inches(4.5))
  }
  # margins at the smallest label size are smaller, so labels do not overlap
  free <- graphics::par("fin")[2:1] - colSums(matrix(margins_at(0.75), 2, byrow = TRUE))
  cex <- label_cex_at(max(min(free / c(rows, max(at))), 0))
  margins <- margins_at(cex)
  low <- min(values) < -0.005
  shades <- if (low) grDevices::hcl.colors(64, "Blue-Red 3", rev = FALSE) else
    grDevices::hcl.colors(64, "Blues 3", rev = TRUE)
  shade <- if (low) 1 + floor(63 * (values + 1) / 2) else 1 + floor(63 * pmax(values, 0))
  with_figure(margins, c(0.5, max(at) + 0.5), c(at[rows] + 0.5, 0.5), function() {
    graphics::rect(rep(at, each = rows) - 0.5, at[seq_len(rows)] - 0.5, rep(at, each = rows) + 0.5,
                   at[seq_len(rows)] + 0.5, border = if (rows <= 60) ink$grid else NA, lwd = 0.5,
                   col = shades[shade])
    draw_map_labels(labels, at, rows, cex)
    if (length(note)) {
      graphics::mtext(rev(note), 1, adj = 1, col = ink$soft, outer = FALSE,
                      line = margins[1] / line_inches() - 1.1 - (seq_along(note) - 1), cex = 0.75 * cex_here())
    }
    draw_colour_key(shades, 1, "alignment", if (low) -1 else 0)
  }, main)
  invisible(x)
}

# Lines below a map: what all kernels have in common, and which kernels of a fit are left out.
alignment_note <- function(x, parts) c(if (!is.null(parts$common)) paste("kernels:", parts$common), attr(x, "left_out"))

# Draws names on the left and below, as many as have room; the response has a gap and its own label.
draw_map_labels <- function(labels, at, rows, cex) {
  step <- graphics::par("pin") / at[c(length(at), rows)]
  left <- labels_shown(rows, step[2], cex)
  graphics::axis(2, at[left], labels[left], lwd = 0, las = 1, cex.axis = cex, line = -0.4,
                 col.axis = ink$text, gap.axis = -1)
  response <- at[-seq_len(rows)]
  below <- labels_shown(rows, step[1], cex)
  if (length(response)) below <- below[(response - at[below]) * step[1] >= cex * line_inches()]
  graphics::axis(1, c(at[below], response), c(labels[below], if (length(response)) "y"), lwd = 0,
                 las = 2, cex.axis = cex, line = -0.4, col.axis = ink$text, gap.axis = -1)
}

#' @rdname kernel_alignment
#' @param object A result of `kernel_alignment()`.
#' @method autoplot kernel_alignment
#' @rawNamespace S3method(ggplot2::autoplot,kernel_alignment)
autoplot.kernel_alignment <- function(object, main = NULL, ...) {
  check_object(object)
  check_dots_empty(...)
  check_main(main)
  map <- alignment_map(object)
  values <- map$values
  many <- nrow(values) > 15L
  parts <- name_parts(rownames(values))
  labels <- make.unique(short_labels(parts, MOST_LETTERS))
  note <- alignment_note(object, parts)
  columns <- c(labels, colnames(values)[-seq_along(labels)])
  table <- data.frame(
    row = factor(rep(labels, ncol(values)), rev(labels)), view = map$part[seq_along(labels)],
    column = factor(rep(columns, each = nrow(values)), columns), part = rep(map$part, each = nrow(values)),
    alignment = as.vector(values)
  )
  low <- min(values) < -0.005
  colours <- if (low) grDevices::hcl.colors(64, "Blue-Red 3") else
    grDevices::hcl.colors(64, "Blues 3", rev = TRUE)
  plot <- figure(table, ggplot2::aes(.data$column, .data$row, fill = .data$alignment)) +
    ggplot2::geom_tile(colour = if (nrow(values) <= 60) ink$grid else NA) +
    ggplot2::scale_fill_gradientn(colours = colours, limits = c(if (low) -1 else 0, 1)) +
    ggplot2::labs(x = NULL, y = NULL, title = in_lines(main),
                  caption = if (length(note)) paste(note, collapse = "\n")) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5),
                   strip.text = ggplot2::element_blank())
  if (many) plot <- plot + ggplot2::theme(axis.text = ggplot2::element_text(size = max(3, 140 / nrow(values))))
  if (nlevels(map$part) == 1L) return(plot)
  plot + ggplot2::facet_grid(ggplot2::vars(.data$view), ggplot2::vars(.data$part), scales = "free",
                             space = "free")
}

# The values, kernels of a view beside each other, with the response as a last column; part: the view of each
# column. Objects of earlier versions have no views.
alignment_map <- function(x) {
  view <- attr(x, "view") %||% rep("", nrow(x))
  part <- factor(view, unique(view))
  order <- order(part)
  values <- matrix(as.double(x), nrow(x), dimnames = dimnames(x))[order, order, drop = FALSE]
  part <- part[order]
  response <- attr(x, "response")
  if (is.null(response)) return(list(values = values, part = part))
  list(values = cbind(values, y = response[order]),
       part = factor(c(as.integer(part), nlevels(part) + 1L), labels = c(levels(part), "y ")))
}
