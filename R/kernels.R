# Constructors of kernel sets, and what modifies them. What happens when a set
# meets data is in resolve.R.

# Parameters of one length; length one is repeated.
recycle_parameters <- function(...) {
  parameters <- list(...)
  size <- lengths(parameters)
  m <- max(size)
  odd <- which(size != 1L & size != m)
  if (length(odd)) {
    mk_abort(
      sprintf("`%s` must have length 1 or %d like the longest parameter, not %d.",
              names(parameters)[odd[1L]], m, size[odd[1L]]),
      "invalid_argument", names(parameters)[odd[1L]], parameters[[odd[1L]]]
    )
  }
  lapply(parameters, rep_len, m)
}

#' Linear kernel
#'
#' \eqn{k(x, z) = \langle x, z\rangle}{k(x, z) = <x, z>}.
#'
#' @details If no other type of kernel reads the same columns, a fit treats linear kernels as weighted
#' columns, not as matrices of rows by rows. [per_feature()] may therefore make very many of them. For
#' prediction they become explicit weights of the columns (except under spherical scaling).
#' @return A [kernel set][kernel_set] with one kernel called `linear`.
#' @seealso [on_view()], [on_features()] and [per_feature()] to say what the kernel reads.
#' @family kernels
#' @export
#' @examples
#' linear_kernel()
#' on_view(linear_kernel(), c("mirna", "mrna"))
linear_kernel <- function() new_kernel_set("linear", "linear", list(list()))

#' Polynomial kernels
#'
#' \eqn{k(x, z) = (scale \langle x, z\rangle + offset)^{degree}}{k(x, z) = (scale <x, z> +
#' offset)^degree}. This is `kernlab::polydot(degree, scale, offset)`, and e1071's polynomial kernel
#' with `gamma = scale` and `coef0 = offset`.
#'
#' @param degree Whole numbers from 1 to 100.
#' @param scale Positive numbers, in units of 1 / (unit of x)^2.
#' @param offset Non-negative numbers, so that the kernel is positive semidefinite.
#' @details The parameters are vectors; one of length 1 is repeated to the length of the longest.
#' Polynomial kernels on the same columns share their dot products in a fit.
#' @return A [kernel set][kernel_set] with one kernel for each degree, scale and offset. The name shows
#'   scale and offset if they are not 1. Errors: class `manykernels_invalid_argument`.
#' @family kernels
#' @export
#' @examples
#' polynomial_kernel(degree = 1:3)
#' polynomial_kernel(degree = 2, scale = c(0.1, 1), offset = 0)
polynomial_kernel <- function(degree = 2, scale = 1, offset = 1) {
  parameters <- polynomial_parameters(degree, scale, offset)
  shown <- function(name) {
    ifelse(parameters[[name]] == 1, "", paste0(",", name, "=", number_text(parameters[[name]])))
  }
  name <- paste0("polynomial(degree=", parameters$degree, shown("scale"), shown("offset"), ")")
  specs <- Map(list, degree = parameters$degree, scale = parameters$scale,
               offset = parameters$offset)
  new_kernel_set(name, "polynomial", unname(specs))
}

polynomial_parameters <- function(degree, scale, offset) {
  recycle_parameters(
    degree = as.double(check_counts(degree, "degree", upper = 100L)),
    scale = check_numbers(scale, "scale", 0, lower_open = TRUE),
    offset = check_numbers(offset, "offset", 0)
  )
}

#' Gaussian kernels
#'
#' \eqn{k(x, z) = \exp(-\|x - z\|^2 / width)}{k(x, z) = exp(-||x - z||^2 / width)}, the RBF kernel. The
#' papers write the width as \eqn{2\sigma^2}{2 sigma^2}.
#'
#' The same kernel in other packages is `kernlab::rbfdot(sigma = 1 / width)` and
#' `e1071::svm(gamma = 1 / width)`. These packages standardise columns by default, as fits here do.
#' [default_kernels()] chooses widths from the data.
#'
#' With standardised columns, the default of fits ([scaling]), the squared distance of two rows is about
#' `2 * ncol(x)`.
#'
#' In a fit, Gaussian kernels of all widths on the same columns share their distances, and their
#' weighted sum is evaluated as one function. On 1,000 digits
#' `r widths_text()` (`bench/growth.R` in the sources).
#'
#' @param width Positive numbers, at least 5.6e-309, in squared units of the columns (for fits,
#'   of standard columns); one kernel for each.
#' @param distance `NULL`: Euclidean distances of the data. Otherwise distances between the training
#'   rows, in place of data: a `dist` object, or a symmetric matrix with 0 on the diagonal and no
#'   negative numbers. A named list of these gives one set of kernels for each. `width` is in their
#'   squared units: \eqn{k_{ij} = \exp(-d_{ij}^2/width)}{k_ij = exp(-d_ij^2 / width)}.
#' @details Kernels of given distances carry the name of the distance, as in
#' `phylogeny:gaussian(width=2)`. It is the name in the list, or that of the variable given as
#' `distance` (`distance` itself for an expression). These kernels are precomputed
#' ([precomputed_kernel()]), one matrix for each width. Samples are matched by the labels of the `dist`.
#' For new rows, give the matrix of their distances to the training rows:
#' `predict(fit, list(phylogeny = D))`, or `predict(fit, D)` if there is nothing else. If the distances
#' are not Euclidean, the kernel may be indefinite; a warning of class `manykernels_warning_indefinite`
#' says so.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; for distances
#'   also those of [precomputed_kernel()].
#' @references M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien (2011). lp-norm multiple kernel
#'   learning. *Journal of Machine Learning Research* 12, 953-997.
#' @family kernels
#' @export
#' @examples
#' gaussian_kernel(width = 2^(-2:2))
#' d <- dist(iris[1:30, 1:4])
#' names(gaussian_kernel(width = c(0.5, 2), distance = d))
#' x <- as.matrix(iris[1:4, 1:4])
#' kernel_matrix(gaussian_kernel(width = 2), x)
gaussian_kernel <- function(width = 1, distance = NULL) {
  expression <- substitute(distance)
  width <- check_widths(width)
  if (!is.null(distance)) {
    label <- if (is.name(expression)) format(expression) else "distance"
    return(distance_kernels(width, distance, label))
  }
  name <- paste0("gaussian(width=", number_text(width), ")")
  new_kernel_set(name, "gaussian", lapply(width, function(w) list(width = w)))
}

check_widths <- function(width) {
  width <- check_numbers(width, "width", 0, lower_open = TRUE)
  check_numbers(width, "width", 1 / .Machine$double.xmax) # 1 / width is finite
}

#' Kernels from R functions
#'
#' A kernel that an R function computes. R is called for each
#' block of rows, never in parallel, and no work is shared with other kernels. [mkl()], [mkl_path()] and
#' [mkl_gomp()] ask for each value once, if the matrices of all such kernels take at most a quarter of
#' `cache` of [mkl_control()]. For several fits evaluate it once, for [precomputed_kernel()]; [write_kernel()] writes
#' the matrix to a file. [native_kernel()] takes a function in C.
#'
#' @param f A function `f(X, Z)` of two numeric matrices (sparse `dgCMatrix` when the view is sparse)
#'   with the same columns, that returns the numeric matrix of `nrow(X)` times `nrow(Z)` kernel values.
#'   In a fit the columns are standardised unless `scale = FALSE` ([scaling]). The function must be
#'   symmetric, `f(X, Z) == t(f(Z, X))`, and positive semidefinite, and the value of a pair of rows must
#'   not depend on the other rows. This is checked on at most 20 rows of the data. Asymmetry is an
#'   error; a negative eigenvalue gives a warning of class `manykernels_warning_indefinite`. `f` may
#'   also be a `kernel` object of the kernlab package, such as `kernlab::laplacedot(0.1)`.
#' @param name One string, the kernel's name; by default the name of `f`.
#' @return A [kernel set][kernel_set] with one kernel. A fit keeps the function. Errors: class
#'   `manykernels_invalid_argument`. When the function is called: `manykernels_function_kernel` for a
#'   wrong result or an error, and `manykernels_not_symmetric` for an asymmetric result. An error of the
#'   function is in the field `parent` of the condition. Its warnings, messages and other conditions
#'   reach the handlers around the call, and it can use restarts outside the call.
#' @family kernels
#' @export
#' @examples
#' histogram <- function(X, Z) {
#'   apply(Z, 1, function(z) rowSums(pmin(X, rep(z, each = nrow(X)))))
#' }
#' k <- function_kernel(histogram)
#' kernel_matrix(k, abs(as.matrix(iris[1:4, 1:4])))
function_kernel <- function(f, name = NULL) {
  check_given(c(f = missing(f)))
  expression <- substitute(f)
  if (is.null(name)) {
    name <- if (is_kernlab(f)) class(f)[1L] else if (is.name(expression)) format(expression) else
      "function"
  }
  name <- check_string(name, "name")
  if (!is.function(f)) abort_argument(f, "f", "a function of two matrices, or a kernlab kernel")
  if (is_kernlab(f)) {
    f <- kernlab_function(f)
  } else if (!is.primitive(f) && length(formals(f)) < 2L && !"..." %in% names(formals(f))) {
    mk_abort("`f` must be a function of two matrices, f(X, Z); this one takes fewer arguments.",
             "invalid_argument", "f", f)
  }
  new_kernel_set(name, "function", list(list(f = f)))
}

is_kernlab <- function(f) isS4(f) && identical(attr(class(f), "package"), "kernlab")

kernlab_function <- function(kernel) {
  force(kernel)
  function(X, Z) {
    if (!requireNamespace("kernlab", quietly = TRUE)) {
      mk_abort("This kernel needs the package kernlab, which is not installed.", "unsupported", "f")
    }
    kernlab::kernelMatrix(kernel, as.matrix(X), as.matrix(Z))@.Data
  }
}

# ---- what a kernel reads -------------------------------------------------------

#' Say which view or columns kernels read
#'
#' A kernel reads all columns of every view by default. `on_view()` names the view. `on_features()`
#' names one or several subsets of columns, such as gene sets. `per_feature()` makes one kernel for each
#' column. All return kernel sets and can be combined: `gaussian_kernel(1:3) |> on_view("mrna") |>
#' on_features(gene_sets)`.
#'
#' Names and positions are looked up when the set meets data. The indicator columns of a factor are
#' named by factor and level, as in `model.matrix()`: `sexmale`. [categorical_kernel()] uses the names
#' of the factors. Order and repetition within a subset don't matter.
#'
#' Names without a column, such as genes that were not measured, are left out with a message of class
#' `manykernels_message_features`. Sets that then have fewer columns than `min_size`, or more than
#' `max_size`, are dropped with a message of class `manykernels_message_sets`. It is an error if no set
#' is left. It is also an error if none of the names is a column, as the view or the identifiers are
#' then probably wrong. Positions beyond the last column are always an error. A fit remembers the
#' columns that its kernels read.
#'
#' @param kernels A kernel set. Precomputed kernels read no data and are an error.
#' @param view Names of views, a character vector. Every kernel is repeated on each.
#' @param sets One subset of columns (names, or positive positions), or a list of subsets. Every kernel
#'   is repeated on each. The list's names become part of the kernels' names.
#' @param min_size,max_size The smallest and the largest number of columns that a set may have in the
#'   data: a positive whole number, and one that is not smaller, or `Inf`.
#' @return A [kernel set][kernel_set]: `length(kernels)` times the number of views or subsets, first all
#'   kernels on the first one, then all on the second. `per_feature()` returns as many kernels as
#'   before; each becomes one kernel per column when the set meets data (all columns for the first
#'   kernel, then all for the second). Errors: class `manykernels_invalid_argument` here; when the set
#'   meets data, `manykernels_unknown_view`, `manykernels_unknown_feature` (see Details),
#'   `manykernels_no_sets` (all are too small or too large) and `manykernels_duplicated_columns` (a name
#'   that several columns have).
#' @export
#' @examples
#' k <- gaussian_kernel(width = c(1, 10))
#' on_view(k, c("mirna", "mrna"))
#' on_features(k, list(small = c("a", "b"), large = c("b", "c", "d")))
#'
#' # one kernel for each column
#' x <- as.matrix(iris[1:3, 1:4])
#' names(kernel_matrix(per_feature(linear_kernel()), x))
on_view <- function(kernels, view) {
  check_given(c(kernels = missing(kernels), view = missing(view)))
  check_reads_data(kernels)
  if (!is.character(view) || length(view) == 0L || anyNA(view) || !all(nzchar(view))) {
    abort_argument(view, "view", "names of views")
  }
  taken <- which(!is.na(kernel_field(kernels, "view")))
  if (length(taken)) {
    mk_abort(sprintf("Kernel `%s` already reads the view `%s`.", names(kernels)[taken[1L]],
                     kernel_field(kernels, "view")[taken[1L]]),
             "invalid_argument", "kernels", names(kernels)[taken])
  }
  out <- pick_kernels(kernels, rep(seq_along(names(kernels)), length(view)))
  view <- rep(view, each = length(kernels))
  modify_kernels(out, view = view, name = unique_names(paste0(view, ":", names(out))))
}

#' @rdname on_view
#' @export
on_features <- function(kernels, sets, min_size = 1, max_size = Inf) {
  check_given(c(kernels = missing(kernels), sets = missing(sets)))
  check_reads_columns(kernels)
  limits <- check_limits(min_size, max_size)
  if (!is.list(sets)) sets <- list(sets)
  if (length(sets) == 0L) abort_argument(sets, "sets", "columns, or a list of them")
  label <- names(sets) %||% rep("", length(sets))
  sets <- Map(check_features, unname(sets), set_labels(label))
  taken <- which(lengths(kernel_field(kernels, "features")) > 0L)
  if (length(taken)) {
    mk_abort(sprintf("Kernel `%s` already reads a subset of columns.", names(kernels)[taken[1L]]),
             "invalid_argument", "kernels", names(kernels)[taken])
  }
  group <- ifelse(nzchar(label), label, NA_character_)
  shown <- ifelse(nzchar(label), label, vapply(sets, feature_label, ""))
  set <- rep(seq_along(sets), each = length(kernels))
  out <- pick_kernels(kernels, rep(seq_along(names(kernels)), length(sets)))
  name <- unique_names(paste0(names(out), "[", shown[set], "]"))
  modify_kernels(out, features = unname(sets)[set], group = group[set], name = name,
                 limits = rep(list(limits), length(set)))
}

# NULL where every size will do.
check_limits <- function(min_size, max_size) {
  least <- as.double(check_count(min_size, "min_size"))
  most <- if (identical(as.double(max_size), Inf)) Inf else
    as.double(check_count(max_size, "max_size", lower = as.integer(least)))
  if (least > 1 || is.finite(most)) c(least, most)
}

# "sets" for one subset, "sets$a" or "sets[[2]]" for one of several
set_labels <- function(label) {
  if (length(label) == 1L && !nzchar(label)) return("sets")
  ifelse(nzchar(label), paste0("sets$", label), sprintf("sets[[%d]]", seq_along(label)))
}

# Column names as they are; positions as integers. Without repetition.
check_features <- function(features, argument) {
  expected <- "names of columns, or positive whole numbers"
  if (length(features) == 0L || is.object(features)) abort_argument(features, argument, expected)
  if (is.character(features)) {
    if (anyNA(features)) abort_argument(NA_character_, argument, expected)
    return(unique(as.vector(features)))
  }
  if (!is.numeric(features)) abort_argument(features, argument, expected)
  unique(check_counts(features, argument))
}

#' @rdname on_view
#' @export
per_feature <- function(kernels) {
  check_given(c(kernels = missing(kernels)))
  check_reads_columns(kernels)
  network <- match("network", kernel_field(kernels, "type"))
  if (!is.na(network)) {
    abort_unsupported("kernels", sprintf("Kernel `%s` is of a network: its columns go together.",
                                         names(kernels)[network]))
  }
  new <- !kernel_field(kernels, "each")
  name <- paste0(names(kernels), ifelse(new, "[each]", ""))
  modify_kernels(kernels, each = rep(TRUE, length(kernels)), name = name)
}

# Columns are picked for kernels that read some.
check_reads_columns <- function(kernels) {
  check_reads_data(kernels)
  sequences <- which(reads_sequences(kernels))
  if (length(sequences)) {
    mk_abort(sprintf("Kernel `%s` reads sequences: it has no columns.",
                     names(kernels)[sequences[1L]]),
             "invalid_argument", "kernels", names(kernels)[sequences])
  }
}

check_reads_data <- function(kernels) {
  check_kernel_set(kernels)
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  if (length(precomputed)) {
    mk_abort(
      sprintf("Kernel `%s` is precomputed: it has no view and no columns.",
              names(kernels)[precomputed[1L]]),
      "invalid_argument", "kernels", names(kernels)[precomputed]
    )
  }
}

#' Default kernels of a fit
#'
#' Each view gets a linear kernel and seven Gaussian kernels, with widths \eqn{2^{-3}, 2^{-2}, \dots,
#' 2^3}{2^-3, 2^-2, ..., 2^3} times the median squared distance between different rows. Each view of
#' sequences gets four spectrum kernels, `spectrum_kernel(k = 1:4)`.
#'
#' The median is taken over at most 500 evenly spaced rows, so the result is the same each time. If more
#' than half of the distances are zero, it is the median of the positive ones. If these rows are all the
#' same, it is the median of the positive distances from the first row to all others. Widths are rounded to
#' four digits. If all rows of one of several views are the same, 1 takes the place of the median there:
#' fits give these kernels weight 0.
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
  if (all(constant)) abort_same_rows(vapply(names(views), view_label_of, "", views = views))
  medians[constant] <- 1 # no width is better than another
  kernels_around(views, medians)
}

view_label_of <- function(views, name) if (is_single(views)) "x" else paste0("x$", name)

abort_same_rows <- function(labels) {
  mk_abort(sprintf("All rows of %s are the same: there is no width for a Gaussian kernel.",
                   enumerate(labels)), "constant_kernel", labels[1L])
}

# medians: of squared distances; none for sequences.
kernels_around <- function(views, medians) {
  sets <- Map(function(name, median) {
    set <- if (is_sequences(views[[name]])) spectrum_kernel(1:4) else
      c(linear_kernel(), gaussian_kernel(signif(2^(-3:3) * median, 4L)))
    if (is_single(views)) set else on_view(set, name)
  }, names(views), medians)
  do.call(c, unname(sets))
}

# Default kernels and their handle. It is made before their widths are known, since these follow
# from distances that a handle on wide views keeps for the fit. among: the rows they follow from;
# prepare: what is done with the handle before.
default_handle <- function(views, threads, among = seq_len(view_rows(views)), prepare = identity) {
  kernels <- resolve_kernels(kernels_around(views, 1), views)
  handle <- kernel_handle(kernels, views, threads = threads)
  prepare(handle)
  first <- match(names(views), kernel_field(kernels, "view"))
  kernels <- resolve_kernels(kernels_for(views, function(name, rows) {
    kept <- from_core(.Call(C_mk_kept_distances, handle, first[match(name, names(views))], rows,
                            threads))
    kept %||% row_distances(views[[name]], rows)
  }, among), views)
  from_core(.Call(C_mk_set_widths, handle, core_parameters(kernels)[1L, ]))
  list(kernels = kernels, handle = handle)
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
  if (2L * length(positive) > length(distance)) stats::median(distance) else stats::median(positive)
}

# Positive distances from the first row to any other, where so few rows differ that no evenly spaced one
# does.
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
