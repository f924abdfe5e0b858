# The default kernels of a fit, and their widths.

#' Default kernels of a fit
#'
#' Each view gets a linear kernel and seven Gaussian kernels, with widths \eqn{2^{-3}, 2^{-2}, \dots,
#' 2^3}{2^-3, 2^-2, ..., 2^3} times the median squared distance between different rows. Each view of
#' sequences gets four spectrum kernels, `spectrum_kernel(k = 1:4)`.
#'
#' The median is taken over at most 500 evenly spaced rows, so the result is the same each time. If more than
#' half of the distances are zero, it is the median of the positive ones. If these rows are all the same, it
#' is the median of the positive distances from the first row to all others. If all rows of one of several
#' views are the same, it is 1, and fits give the kernels of this view weight 0. Widths are rounded to four
#' digits.
#'
#' @param x The data as in [mkl()]: a numeric matrix, data frame, sparse `Matrix`, or a named list
#'   of such views with the same rows.
#' @param scale Whether to standardise columns first, as the fit will: `TRUE`, `FALSE`, or a choice by
#'   view; see [scaling]. Give the same value to the fit.
#' @param missing_views What to do with samples that lack a view, as in [mkl()]: with `"drop"` the
#'   widths come from the samples that have all views, with `"neutral"` from those that have the view.
#' @return A [kernel set][kernel_set] of eight kernels for each view, four for sequences. Errors: class
#'   `manykernels_constant_kernel` if all rows of every view are the same, and those of [mkl()] about `x`.
#' @export
#' @examples
#' default_kernels(iris[, 1:4])
default_kernels <- function(x, scale = TRUE, missing_views = c("error", "drop", "neutral")) {
  check_given(c(x = missing(x)))
  check_scale(scale)
  views <- given_data(x, NULL, check_missing_views(missing_views))$views
  if (length(views) == 0L) abort_argument(x, "x", "data from which to choose kernels")
  scaling <- views_constants(views, scale)
  kernels_for(views, function(name, rows) {
    row_distances(views[[name]], rows, scaling[[name]])
  })
}

# distances: a function of a view's name and rows; among: the rows that widths follow from.
kernels_for <- function(views,
                        distances = function(name, rows) row_distances(views[[name]], rows),
                        among = seq_len(view_rows(views))) {
  medians <- lapply(names(views), function(name) {
    if (is_sequences(views[[name]])) return(NULL)
    median_distance(rows_having(views, name, among), view_label_of(views, name),
                    function(rows) distances(name, rows))
  })
  constant <- vapply(medians, identical, NA, 0)
  if (all(constant)) abort_same_rows(vapply(names(views), view_label_of, "", views = views), length(among))
  medians[constant] <- 1 # any width will do
  kernels_around(views, medians)
}

view_label_of <- function(views, name) if (is_single(views)) "x" else paste0("x$", name)

abort_same_rows <- function(labels, rows) {
  if (rows < 2L) {
    mk_abort(sprintf("Give at least two rows: widths of Gaussian kernels follow from distances between rows of %s.",
                     enumerate(labels)), "constant_kernel", labels[1L])
  }
  mk_abort(sprintf(paste("Give rows that differ, or rescale, as by `scale = TRUE`: all squared distances",
                         "between training rows of %s vanish in double precision, so no width of a Gaussian",
                         "kernel follows from them."),
                   enumerate(labels)), "constant_kernel", labels[1L])
}

# medians: of squared distances; none for sequences.
kernels_around <- function(views, medians) {
  sets <- Map(function(name, median) {
    set <- if (is_sequences(views[[name]])) spectrum_kernel(1:4) else
      bind_kernels(list(linear_kernel(), gaussian_kernel(signif(2^(-3:3) * median, 4L))))
    if (is_single(views)) set else on_view(set, name)
  }, names(views), medians)
  if (length(sets) == 1L) sets[[1L]] else bind_kernels(unname(sets))
}

# Default kernels and their handle, which is made before the widths are known: the widths follow from
# distances that a handle on wide views keeps for the fit. among: the rows that widths follow from; prepare: a
# function that is applied to the handle first.
default_handle <- function(views, threads, among = seq_len(view_rows(views)), prepare = identity) {
  kernels <- resolve_kernels(kernels_around(views, 1), views)
  handle <- kernel_handle(kernels, views, threads = threads)
  prepare(handle)
  first <- match(names(views), kernel_field(kernels, "view"))
  own <- kernels_for(views, function(name, rows) {
    kept <- from_core(.Call(C_mk_kept_distances, handle, first[match(name, names(views))], rows,
                            threads))
    kept %||% row_distances(views[[name]], rows)
  }, among)
  kernels <- with_widths_of(own, kernels)
  from_core(.Call(C_mk_set_widths, handle, core_parameters(kernels)[1L, ]))
  list(kernels = kernels, handle = handle)
}

# Resolved default kernels with the widths, and so the names, of unresolved ones.
with_widths_of <- function(own, kernels) {
  fixed <- kernel_field(kernels, "type") != "gaussian"
  parameters <- kernel_field(own, "parameters")
  parameters[fixed] <- kernel_field(kernels, "parameters")[fixed]
  modify_kernels(kernels, name = names(own), parameters = parameters)
}

# Squared distances between rows of a view; scaling: constants that make its columns standard.
row_distances <- function(view, rows, scaling = NULL) {
  if (!is.null(scaling$scores)) {
    view <- standardise(view[rows, , drop = FALSE], scaling)
    rows <- seq_along(rows)
    scaling <- NULL
  }
  if (is.matrix(view)) {
    return(from_core(.Call(C_mk_distances, view, rows, unname(scaling$scale), thread_count())))
  }
  sparse_distances(standardise(view[rows, , drop = FALSE], scaling))
}

# Median squared distance between at most 500 evenly spaced ones of these rows; 0 where all are the same.
# distances: a function of them.
median_distance <- function(among, label, distances) {
  if (!length(among)) return(0)
  distance <- distances(among[spaced_rows(length(among), 500L)])
  distance <- distance[lower.tri(distance)]
  if (!all(is.finite(distance))) {
    mk_abort(sprintf(paste(
      "Rescale `%s`, as by `scale = TRUE`, or check its largest numbers: squared distances of its rows",
      "overflow double precision, so no kernel width follows from them."
    ), label), "not_finite", label)
  }
  positive <- distance[distance > 0]
  if (length(positive) == 0L) positive <- rare_distances(among, distances)
  if (length(positive) == 0L) return(0)
  median <- stats::median(if (2L * length(positive) > length(distance)) distance else positive)
  if (median < 2^10 * .Machine$double.xmin) 0 else median # widths would underflow
}

# Positive distances from the first row to the others, for data whose evenly spaced rows are all the same.
rare_distances <- function(among, distances) {
  others <- among[-1L]
  if (length(among) <= 500L) return(numeric())
  found <- unlist(lapply(split(others, (seq_along(others) - 1L) %/% 499L), function(rows) {
    distances(c(among[1L], rows))[-1L, 1L]
  }))
  found[is.finite(found) & found > 0]
}

sparse_distances <- function(x) {
  product <- as.matrix(Matrix::tcrossprod(x))
  square <- diag(product)
  distance <- outer(square, square, "+") - 2 * product
  distance[distance < 1e-12 * max(square)] <- 0 # rounding
  distance
}
