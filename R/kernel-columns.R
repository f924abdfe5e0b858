# The views and columns that kernels use.

#' Choose the views or columns that kernels use
#'
#' A kernel uses all columns of every view by default. `on_view()` names the view. `on_features()`
#' names one or several subsets of columns, such as gene sets. `per_feature()` makes one kernel for each
#' column. All return kernel sets and can be combined: `gaussian_kernel(1:3) |> on_view("mrna") |>
#' on_features(gene_sets)`.
#'
#' Names and positions are looked up when the set is used with data. The indicator columns of a factor are
#' named by factor and level, as in `model.matrix()`: `sexmale`. [categorical_kernel()] uses the names of the
#' factors. Order and repetition within a subset don't matter.
#'
#' Names without a column, such as genes that were not measured, are left out with a message of class
#' `manykernels_message_features`. Sets that then have fewer columns than `min_size`, or more than `max_size`,
#' are dropped with a message of class `manykernels_message_sets`. It is an error if no set is left, or if
#' none of the names is a column, since the view or the identifiers are then probably wrong. Positions beyond
#' the last column are always an error. A fit stores which columns its kernels use.
#'
#' @param kernels A kernel set. Precomputed kernels use no data and are an error.
#' @param view Names of views, a character vector. Every kernel is repeated on each.
#' @param sets One subset of columns (names, or positive positions), or a list of subsets. Every kernel
#'   is repeated on each. The list's names become part of the kernels' names.
#' @param min_size,max_size The smallest and the largest number of columns that a set may have in the
#'   data: a positive whole number, and one that is not smaller, or `Inf`.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set]: `length(kernels)` times the number of views or subsets, first all
#'   kernels on the first one, then all on the second. `per_feature()` returns as many kernels as before; each
#'   becomes one kernel per column when the set is used with data (all columns for the first kernel, then all
#'   for the second). Errors: class `manykernels_invalid_argument`; when the set is used with data,
#'   `manykernels_unknown_view`, `manykernels_unknown_feature` (see Details), `manykernels_no_sets` (all are
#'   too small or too large) and `manykernels_duplicated_columns` (a name that several columns have).
#' @export
#' @examples
#' k <- gaussian_kernel(width = c(1, 10))
#' on_view(k, c("mirna", "mrna"))
#' on_features(k, list(small = c("a", "b"), large = c("b", "c", "d")))
#'
#' # one kernel for each column
#' x <- as.matrix(iris[1:3, 1:4])
#' names(kernel_matrix(per_feature(linear_kernel()), x))
on_view <- function(kernels, view, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(kernels = missing(kernels), view = missing(view)))
  check_reads_data(kernels)
  if (!is.character(view) || length(view) == 0L || anyNA(view) || !all(nzchar(view))) {
    abort_argument(view, "view", "names of views")
  }
  taken <- which(!is.na(kernel_field(kernels, "view")))
  if (length(taken)) {
    mk_abort(sprintf("Kernel `%s` already uses the view `%s`.", names(kernels)[taken[1L]],
                     kernel_field(kernels, "view")[taken[1L]]),
             "invalid_argument", "kernels", names(kernels)[taken])
  }
  out <- pick_kernels(kernels, rep(seq_along(names(kernels)), length(view)))
  view <- rep(view, each = length(kernels))
  modify_kernels(out, view = view, name = unique_names(paste0(view, ":", names(out))))
}

#' @rdname on_view
#' @export
on_features <- function(kernels, sets, min_size = 1, max_size = Inf, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(kernels = missing(kernels), sets = missing(sets)))
  check_reads_columns(kernels)
  limits <- check_limits(min_size, max_size)
  if (!is.list(sets)) sets <- list(sets)
  if (length(sets) == 0L) abort_argument(sets, "sets", "columns, or a list of them")
  label <- names(sets) %||% rep("", length(sets))
  sets <- Map(check_features, unname(sets), set_labels(label))
  taken <- which(lengths(kernel_field(kernels, "features")) > 0L)
  if (length(taken)) {
    mk_abort(sprintf("Kernel `%s` already uses a subset of columns.", names(kernels)[taken[1L]]),
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
per_feature <- function(kernels, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(kernels = missing(kernels)))
  check_reads_columns(kernels)
  pair <- match("pair", kernel_field(kernels, "type"))
  if (!is.na(pair)) {
    abort_unsupported("kernels", sprintf("Kernel `%s` is of pairs: its two columns go together.",
                                         names(kernels)[pair]))
  }
  network <- match("network", kernel_field(kernels, "type"))
  if (!is.na(network)) {
    abort_unsupported("kernels", sprintf("Kernel `%s` is of a network: its columns go together.",
                                         names(kernels)[network]))
  }
  new <- !kernel_field(kernels, "each")
  name <- paste0(names(kernels), ifelse(new, "[each]", ""))
  modify_kernels(kernels, each = rep(TRUE, length(kernels)), name = name)
}

# Refuses a choice of columns for kernels that use none.
check_reads_columns <- function(kernels) {
  check_reads_data(kernels)
  if (any(is_product(kernels))) {
    abort_unsupported("kernels", sprintf("Choose columns before you multiply: kernel `%s` is a product.",
                                         names(kernels)[is_product(kernels)][1L]))
  }
  sequences <- which(reads_sequences(kernels))
  if (length(sequences)) {
    mk_abort(sprintf("Kernel `%s` uses sequences: it has no columns.",
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
