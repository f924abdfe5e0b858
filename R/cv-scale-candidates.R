# The scalings that a cross-validation chooses from: each view standardised, as it is given, or by normal
# scores.

# The candidates that treat all views alike, each as mkl() takes it; an empty list where there is no
# choice. Views that other kernels than those of columns read stay standardised: their parameters may
# have the units of these columns.
scale_candidates <- function(views, kernels) {
  own <- scalable_views(views, kernels)
  if (!length(own)) return(list())
  lapply(stats::setNames(nm = scale_words), function(word) {
    if (is_single(views)) word else vapply(own, function(name) view_scale(views[[name]], word), "")
  })
}

# Normal scores would fill a sparse view.
view_scale <- function(view, word) if (word == "normal_scores" && !is.matrix(view)) "standard" else word

scalable_views <- function(views, kernels) {
  own <- names(views)[vapply(plain_views(views), has_units, NA)]
  if (!inherits(kernels, "kernel_set")) return(own)
  kernels <- leaf_kernels(kernels)
  bearing <- c(setdiff(column_kinds(), as_given_types), "precomputed")
  other <- kernel_field(kernels, "view")[!kernel_field(kernels, "type") %in% bearing]
  if (anyNA(other)) character() else setdiff(own, other)
}

# Columns of which at least one is no indicator.
has_units <- function(view) {
  if (is_sequences(view)) return(FALSE)
  values <- if (is.matrix(view)) view else view@x
  any(values != 0 & values != 1, na.rm = TRUE)
}
