#' Precomputed kernels
#'
#' Kernels given as matrices of all training rows against all training rows, in memory or in files.
#'
#' A matrix that is asymmetric by up to 1e-8 of its largest value is made symmetric, with a message of class
#' `manykernels_message_symmetrised` above 1e-12, the size of rounding errors. A larger asymmetry is an error.
#' A negative eigenvalue beyond rounding (below -1e-8 of the largest absolute value) gives a warning of class
#' `manykernels_warning_indefinite` with its size. The matrix is then not a kernel, and the problem of a fit
#' need not be convex. To bound the effort, only a few hundred rows of large or many matrices are checked
#' together for this. Row names and column names, if given, must be the same. Matrices with the same names in
#' another order are put in the order of the first one, and in a fit in that of the views, with a message; see
#' the section on names of [mkl()]. To predict, give the matrix of new rows against training rows; see
#' [predict.mkl()].
#'
#' **Files** of [write_kernel()] are mapped into memory: the system reads what a fit needs, and drops it when
#' memory is short, so matrices may be larger than memory. Beside them a fit takes no more than its `cache`
#' ([mkl_control()]). [write_kernel()] has checked that they are symmetric and finite. `precomputed_kernel()`
#' reads each file once to verify its checksum, and again if its size or time has changed. The set and the fit
#' keep the paths, which must be valid wherever they are used. Predictions of new rows need no file, and
#' [duality_gap()] reads the files itself. Files whose samples are in a different order from those of the
#' views are read into memory.
#'
#' @param K A symmetric numeric matrix, n x n, or a list of such matrices, whose names become the
#'   kernels' names. They must differ from the names of views in the same fit (an error of class
#'   `manykernels_view_names` there): new data are lists of both. Also an n x n x M array (its third
#'   `dimnames` become the names), a matrix of the `Matrix` package, or a kernel matrix of the packages
#'   kernlab (`kernelMatrix`) and kebabs (`KernelMatrix`). Symmetric double matrices and arrays are not
#'   copied, neither here nor in a fit.
#' @param file In place of `K`: paths of files written by [write_kernel()], whose names become the
#'   kernels' names; without names those of the files, without their extension.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel for each matrix, called `precomputed` (or
#'   `precomputed1`, `precomputed2`, ...) where there is no name. Errors: class `manykernels_kernel_file` for
#'   a file that is missing, foreign, truncated or changed, here and wherever the kernel is used;
#'   `manykernels_not_symmetric`; `manykernels_missing_values` (NA, NaN or infinite values);
#'   `manykernels_dimension` (not square, or of different sizes); `manykernels_row_order` (other names of rows
#'   than of columns); `manykernels_sample_names` (matrices of different samples);
#'   `manykernels_duplicated_samples`; `manykernels_invalid_argument` for other faults.
#' @family kernels
#' @export
#' @examples
#' x <- as.matrix(iris[1:20, 1:4])
#' precomputed_kernel(list(covariance = tcrossprod(x), distance = exp(-as.matrix(dist(x)))))
#'
#' file <- tempfile(fileext = ".kernel")
#' write_kernel(tcrossprod(x), file)
#' precomputed_kernel(file = c(covariance = file))
#' unlink(file)
precomputed_kernel <- function(K, file = NULL, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  if (!is.null(file)) {
    if (!missing(K)) {
      mk_abort("`K` must be left out where `file` is given.", "invalid_argument", "K", K)
    }
    return(file_kernels(file))
  }
  check_given(c(K = missing(K)))
  matrices_as_kernels(K, "K")
}

# argument: the name of the argument with the matrices; advice: what to do about an indefinite one.
matrices_as_kernels <- function(K, argument, advice = indefinite_advice("precomputed")) {
  if (is.array(K) && length(dim(K)) == 3L) return(precomputed_array(K, argument, advice))
  single <- !is.list(K) || is.data.frame(K)
  if (single) K <- list(K)
  if (length(K) == 0L) abort_argument(K, argument, "a symmetric matrix, a list of them or an array")
  name <- matrix_names(names(K), length(K))
  label <- if (single) argument else matrix_labels(names(K), length(K), argument)
  rows <- unname(Map(sample_names, K, label))
  matrices <- unname(Map(square_matrix, K, label))
  size <- vapply(matrices, nrow, 0L)
  odd <- which(size != size[1L])
  if (length(odd)) {
    part <- function(m) sample_part(rows[[m]], size[m], label[m], "kernel")
    mk_abort(paste0(sprintf("`%s` is a matrix of size %d, but `%s` of size %d.", label[odd[1L]],
                            size[odd[1L]], label[1L], size[1L]), count_hint(part(odd[1L]), part(1L))),
             "dimension", argument, size)
  }
  facts <- inspect_matrices(matrices)
  matrices <- Map(check_kernel_matrix, matrices, label, facts)
  Map(warn_indefinite, facts, name, advice)
  order_kernels(new_kernel_set(name, "precomputed",
                               Map(precomputed_parameters, unname(matrices), rows)), as_views(NULL))
}

precomputed_parameters <- function(matrix, rows) {
  c(list(matrix = matrix), if (!is.null(rows)) list(rows = rows))
}

# The names of a matrix's samples, which rows and columns must share.
sample_names <- function(K, label) {
  if (inherits(K, "dist")) refuse_kernel_class(K, label) # some packages give it dimensions
  names <- if (length(dim(K)) >= 2L) dimnames(K)
  both <- !is.null(names[[1L]]) && !is.null(names[[2L]])
  if (both && !identical(names[[1L]], names[[2L]])) {
    differ <- if (length(names[[1L]]) == length(names[[2L]])) which(names[[1L]] != names[[2L]])[1L]
    mk_abort(
      sprintf("`%s` must have the same row names and column names%s.", label,
              if (is.null(differ)) "" else
                sprintf(", but row %d is `%s` and column %d is `%s`", differ, names[[1L]][differ],
                        differ, names[[2L]][differ])),
      "row_order", label_argument(label), names[[2L]]
    )
  }
  names[[1L]] %||% names[[2L]]
}

# Slices of one array, which all kernels share.
precomputed_array <- function(K, argument, advice) {
  m <- dim(K)[3L]
  if (m == 0L) abort_argument(K, argument, "a symmetric matrix, a list of them or an array")
  if (!is.double(K)) {
    if (!is.numeric(K)) abort_argument(K, argument, "a numeric array")
    storage.mode(K) <- "double"
  }
  name <- matrix_names(dimnames(K)[[3L]], m)
  rows <- if (dim(K)[1L] == dim(K)[2L]) sample_names(K, argument)
  label <- sprintf("%s[, , %d]", argument, seq_len(m))
  check_square(K, label[1L])
  facts <- inspect_matrices(list(K))
  for (slice in which(!vapply(facts, is_fine, NA))) {
    K[, , slice] <- check_kernel_matrix(array_slice(K, slice), label[slice], facts[[slice]])
  }
  Map(warn_indefinite, facts, name, advice)
  new_kernel_set(name, "precomputed", lapply(seq_len(m), function(i) {
    c(list(array = K, slice = i), if (!is.null(rows)) list(rows = rows))
  }))
}

matrix_names <- function(name, m) {
  plain <- if (m == 1L) "precomputed" else paste0("precomputed", seq_len(m))
  if (is.null(name)) plain else ifelse(is.na(name) | !nzchar(name), plain, name)
}

matrix_labels <- function(name, m, argument) {
  place <- sprintf("%s[[%d]]", argument, seq_len(m))
  if (is.null(name)) place else ifelse(nzchar(name), paste0(argument, "$", name), place)
}

# A plain, square double matrix.
square_matrix <- function(K, label) {
  if (inherits(K, "Matrix")) K <- as.matrix(K)
  if (isS4(K) && is.matrix(K)) K <- K@.Data # kernlab, kebabs
  if (!is.matrix(K) || !is.numeric(K)) abort_argument(K, label, "a symmetric numeric matrix")
  if (is.object(K)) K <- unclass(K)
  check_square(K, label)
  if (!is.double(K)) storage.mode(K) <- "double"
  K
}

check_square <- function(K, label) {
  if (nrow(K) == ncol(K) && nrow(K) > 0L) return(invisible())
  mk_abort(sprintf("`%s` must be a square matrix, not %d x %d.", label, nrow(K), ncol(K)),
           "dimension", label_argument(label), dim(K))
}

# "K" of "K[[2]]" or "K$linear".
label_argument <- function(label) sub("[[$].*", "", label)

# Facts from the core about each matrix (each slice of an array), without copies.
inspect_matrices <- function(matrices) {
  facts <- from_core(.Call(C_mk_inspect, matrices, nrow(matrices[[1L]]), thread_count()))
  dimnames(facts) <- list(c("largest", "asymmetry", "smallest"), NULL)
  lapply(seq_len(ncol(facts)), function(m) as.list(facts[, m]))
}

# Products of rows summed in another order differ by up to this, relative to the largest: a sum of d terms
# differs by d times the rounding unit, here for some thousand columns.
rounding_of_products <- 1e-12

is_fine <- function(facts) is.finite(facts$largest) && facts$asymmetry == 0

# The matrix, symmetric and finite.
check_kernel_matrix <- function(K, label, facts, argument = "K") {
  if (is_fine(facts)) return(K)
  check_finite(K, label)
  worst <- facts$asymmetry
  if (worst > 1e-8 * facts$largest) {
    mk_abort(sprintf(paste("`%1$s` must be symmetric, but %2$s[i, j] and %2$s[j, i] differ by up to %3$s.",
                           "For the mean of both give `(%1$s + t(%1$s)) / 2`."),
                     label, argument, format(worst, digits = 3L)), "not_symmetric", argument, worst)
  }
  if (worst > rounding_of_products * facts$largest) {
    mk_inform(sprintf("`%1$s` was made symmetric: %2$s[i, j] and %2$s[j, i] differed by up to %3$s.",
                      label, argument, format(worst, digits = 3L)), "symmetrised", argument, worst)
  }
  (K + t(K)) / 2
}

warn_indefinite <- function(facts, name, advice) warn_negative(facts$smallest, facts$largest, name, advice)

# What to do about an indefinite kernel of a type whose values users choose. K: code of its matrix; made: of
# what has made it.
indefinite_advice <- function(type, K = "K", made = "precomputed_kernel(K)") {
  if (type == "function") {
    K <- "f(x, x)"
    made <- "function_kernel(f)"
  }
  advice <- sprintf(paste("`score_kernel(%s, \"clip\")` in place of `%s` makes it positive semidefinite, and",
                          "so do \"shift\", \"square\" and \"nearest\""), K, made)
  if (type == "function") paste0(advice, "; newdata is then `f(newdata, x)`") else advice
}

warn_negative <- function(smallest, largest, name, advice, where = "") {
  if (smallest >= -1e-8 * largest) return(invisible())
  mk_warn(
    paste(c(sprintf("Kernel `%s` is indefinite: %sits smallest eigenvalue is about %s.", name, where,
                    format(smallest, digits = 3L)), paste0(advice, "."),
            "A fit is certified for the matrix as it is."), collapse = " "),
    "indefinite", "K", smallest
  )
}

# Names of the training rows: the views', otherwise those of the precomputed kernels. Plain row
# numbers of matrices are no names.
training_names <- function(views, kernels) {
  names <- view_row_names(views)
  if (!is.null(names)) return(names)
  for (m in which(kernel_field(kernels, "type") == "precomputed")) {
    names <- kernel_field(kernels, "parameters")[[m]]$rows
    if (!is.null(names) && !is_row_numbers(names)) return(names)
  }
  NULL
}

# ---- values of new rows with the training rows -------------------------------

# Matrix, kernlab and kebabs objects, and files, as plain matrices.
plain_matrix <- function(values, argument = "newdata") {
  diagonal <- attr(values, "diagonal")
  if (is.character(values)) {
    if (length(values) != 1L) return(values)
    values <- read_kernel_file(check_paths(as.vector(values), argument), argument)
  } else if (inherits(values, "Matrix")) {
    values <- as.matrix(values)
  } else if (isS4(values) && is.matrix(values)) {
    values <- matrix(values@.Data, nrow(values), ncol(values), dimnames = dimnames(values))
  } else {
    return(values)
  }
  structure(values, diagonal = diagonal)
}

# The matrices of a set of precomputed kernels, a list named by kernel.
matrices_of_set <- function(kernels) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  check_size(kernels, as_views(NULL))
  matrices <- lapply(kernel_field(kernels, "parameters")[precomputed], function(own) {
    values <- precomputed_values(own)
    if (!is.null(own$rows)) dimnames(values) <- list(own$rows, own$rows)
    values
  })
  stats::setNames(matrices, names(kernels)[precomputed])
}

named_on_both_sides <- function(K) {
  names <- if (is.matrix(K) && nrow(K) == ncol(K)) Filter(Negate(is.null), dimnames(K))
  if (length(names) == 1L) dimnames(K) <- rep(unname(names), 2L)
  K
}

# Columns by the names of the training rows, where both have names. Row numbers of a training matrix
# count as names where newdata has all of them.
order_columns <- function(values, label, argument, rows) {
  given <- if (length(dim(values)) == 2L) colnames(values)
  if (is.null(given) || is.null(rows) || identical(given, rows)) return(values)
  if (is_row_numbers(rows) && !all(rows %in% given)) return(values)
  lacking <- setdiff(rows, given)
  if (length(lacking)) {
    mk_abort(sprintf("`%s` lacks %s of training rows: %s.", label,
                     count_of(length(lacking), "column"), enumerate(lacking)),
             "missing_columns", argument, lacking)
  }
  twice <- c(rows[duplicated(rows)], intersect(rows, given[duplicated(given)]))
  if (length(twice)) {
    mk_abort(sprintf("Columns of `%s` can't be matched to training rows: %s appears twice.", label,
                     enumerate(unique(twice), 1L)),
             "duplicated_columns", argument, unique(twice))
  }
  structure(values[, match(rows, given), drop = FALSE], diagonal = attr(values, "diagonal"))
}

# Precomputed kernels of files: a set keeps only the path and the header of a file.
file_kernels <- function(file) {
  paths <- absolute_path(check_paths(file))
  facts <- lapply(unname(paths), file_facts)
  size <- vapply(facts, function(own) own$file$size, 0L)
  odd <- which(size != size[1L])
  if (length(odd)) {
    mk_abort(sprintf("The kernel file `%s` holds a matrix of size %d, but `%s` of size %d.",
                     paths[odd[1L]], size[odd[1L]], paths[1L], size[1L]),
             "dimension", "file", size)
  }
  plain <- sub("[.][^.]*$", "", basename(paths))
  name <- names(file) %||% plain
  name <- ifelse(nzchar(name), name, plain)
  order_kernels(new_kernel_set(name, "precomputed", facts), as_views(NULL))
}

file_facts <- function(path) {
  began <- as.numeric(Sys.time())
  opened <- open_kernel_file(path)
  if (!opened$symmetric) {
    mk_abort(sprintf(paste("The kernel file `%s` holds new rows against training rows (%s x %s):",
                           "it goes into `newdata` of predict()."), path, opened$rows, opened$cols),
             "dimension", "file", path)
  }
  verify_file(opened, path)
  facts <- list(path = path, size = as.integer(opened$rows), single = opened$single,
                checksum = opened$checksum, stamp = file_stamp(path), verified = began)
  c(list(file = facts), if (!is.null(opened$row_names)) list(rows = opened$row_names))
}
