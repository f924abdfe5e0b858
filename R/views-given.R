# Views and kernels as they were given, as far as they are used.

# Views and kernels as they were given, without the samples that are dropped; samples: all of them.
given_data <- function(x, kernels, missing_views, impute = NULL, empty = FALSE) {
  views <- as_views(x, missing_views = missing_views, kernels = kernels, impute = impute, empty = empty)
  if (!is.null(kernels)) check_is_set(kernels, "kernels") # as_views() has checked a set's fields
  samples <- data_samples(views, kernels, views_or_matrices(views, kernels))
  if (!is.null(samples$kept)) {
    kernels <- kernels_of_rows(kernels, views, samples$kept)
    views <- subset_views(views, samples$kept)
  }
  attr(views, "samples") <- NULL
  list(views = views, kernels = centre_kernels(kernels, missing_views), samples = samples)
}

# The number of rows.
views_or_matrices <- function(views, kernels) {
  if (length(views) || is.null(kernels)) view_rows(views) else precomputed_size(kernels)
}

need_views <- function(views) {
  if (length(views)) return(invisible())
  mk_abort("`x` must be given; it may be left out only if all `kernels` are precomputed.",
           "invalid_argument", "x", NULL)
}
