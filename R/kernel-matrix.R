#' Kernel matrices
#'
#' Computes the matrices of a kernel set on data. Fits use these values without storing the matrices.
#'
#' @param kernels A kernel set; also the `kernels` of a fit, unless precomputed.
#' @param x The data as in [mkl()]: a numeric matrix, data frame, sparse `Matrix`, a named list of such
#'   views with the same rows. It may be left out if all kernels are precomputed.
#' @param z Other rows, in the form of `x`, whose columns are matched by name (by position where x has
#'   no names); by default the rows of x. It is an error for precomputed kernels, which have no values
#'   for other rows.
#' @param normalize How to normalise, as in [mkl()]; `"none"` by default. A choice made by
#'   [normalize_kernels()] takes precedence. The constants come from x, for the rows of z too.
#' @param scale Whether to standardise columns first, as fits do; see [scaling]. The constants come
#'   from x, for the rows of z too.
#' @param missing_views What to do with samples that lack a view, as in [mkl()]. With `"neutral"` kernels are
#'   centred, and rows and columns of such samples are 0; rows of z may lack views, too. With `"drop"` such
#'   samples are left out of x, and are an error in z.
#' @return A numeric matrix, `nrow(x)` times `nrow(z)`, with row names from the data; a list of
#'   these, named by kernel, where there are several kernels (kernels without a view on several
#'   views count once for each). Each matrix takes `8 * nrow(x) * nrow(z)` bytes. Errors: those of
#'   [mkl()] about x and kernels, class `manykernels_constant_kernel` where a kernel can't be
#'   normalised, and `manykernels_not_finite` where values overflow. Without rows of x or z the matrices have
#'   none.
#' @export
#' @examples
#' x <- as.matrix(iris[1:5, 1:4])
#' kernel_matrix(gaussian_kernel(width = 2), x)
#' kernel_matrix(c(linear_kernel(), polynomial_kernel(2)), x, x[1:2, ], normalize = "spherical")
kernel_matrix <- function(kernels, x = NULL, z = x, normalize = "none", scale = FALSE,
                          missing_views = c("error", "drop", "neutral")) {
  check_given(c(kernels = missing(kernels)))
  normalize <- check_normalize(normalize)
  missing_views <- check_missing_views(missing_views)
  source <- kernels_on_data(kernels, x, z, missing(z), normalize, scale, missing_views, empty = TRUE)
  named <- !vapply(source$names, is.null, NA)
  matrices <- lapply(seq_along(names(source$kernels)), function(m) {
    out <- matrix(0, source$n, length(source$columns))
    if (length(out)) {
      out <- source_values(source, m, seq_len(source$n), source$columns)
    }
    if (any(named)) dimnames(out) <- source$names
    out
  })
  if (length(matrices) == 1L) matrices[[1L]] else stats::setNames(matrices, names(source$kernels))
}

# Kernels on the n rows of x, followed by those of z unless they are the same: a handle, and the positions of
# its rows that are columns of matrices. empty: whether x may have no rows, and there is no handle then.
kernels_on_data <- function(kernels, x, z, same, normalize, scale, missing_views = "error", empty = FALSE) {
  check_kernel_set(kernels)
  given <- given_data(x, kernels, missing_views, empty = empty)
  raw <- given$views
  normalize <- centre_settings(list(normalize = normalize, missing_views = missing_views))$normalize
  none <- length(raw) && view_rows(raw) == 0L
  scale <- check_scale(scale)
  views <- if (none) raw else standard_views(raw, scale_for(scale, kernels, raw))
  kernels <- resolve_kernels(given$kernels, views)
  n <- if (length(views)) view_rows(views) else precomputed_size(kernels)
  threads <- thread_count()
  handle <- NULL
  if (!none) {
    handle <- kernel_handle(kernels, views, n, threads)
    constants <- normalize_handle(handle, kernels, normalize, threads)
    refuse_constant(constants, handle, kernels, threads)
  }
  columns <- seq_len(n)
  names <- rep(list(training_names(views, kernels)), 2L)
  if (!same) {
    other <- other_rows(kernels, views, z, missing_views)
    check_new_lengths(leaf_kernels(kernels), views, other, "z")
    check_new_sequences(leaf_kernels(kernels), other, "z")
    columns <- n + seq_len(view_rows(other))
    names[2L] <- list(view_row_names(other))
    if (!none) {
      handle <- kernel_handle(kernels, bind_views(views, other), n + view_rows(other), threads)
      rows <- list(names = names[[2L]], number = seq_along(columns), argument = "z")
      install_constants(handle, constants, n, full = TRUE, kernels, rows)
    }
  }
  list(kernels = kernels, handle = handle, n = n, columns = columns, names = names, same = same,
       threads = threads)
}

# Values of kernel m between rows of the handle.
source_values <- function(source, m, rows, columns) {
  values <- from_core(.Call(C_mk_matrix, source$handle, m, rows, columns, source$threads))
  check_kernel_values(values, names(source$kernels)[m])
}

check_kernel_values <- function(values, name) {
  if (is.finite(sum(values)) || all(is.finite(values))) return(values)
  mk_abort(
    sprintf("Kernel `%s` has values that overflow double precision: rescale the data.", name),
    "not_finite", "kernels", values[!is.finite(values)][1L]
  )
}

other_rows <- function(kernels, views, z, missing_views) {
  precomputed <- kernel_field(kernels, "type") == "precomputed"
  if (any(precomputed)) {
    mk_abort(
      sprintf("Kernel `%s` is precomputed: it has no values for the rows of `z`.",
              names(kernels)[precomputed][1L]),
      "invalid_argument", "z"
    )
  }
  match_views(views, z, argument = "z",
              missing_views = if (missing_views == "neutral") "neutral" else "error")
}
