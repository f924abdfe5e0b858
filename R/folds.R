# Folds of cross-validation: as they are given, or drawn.

# The fold of each row, or NULL.
check_folds <- function(folds, response, validation) {
  if (is.null(folds)) return(NULL)
  if (!is.null(validation)) {
    mk_abort("`folds` and `validation` must not both be given.", "invalid_argument", "folds")
  }
  n <- nrow(response$target)
  if (length(folds) == 1) {
    folds <- check_count(folds, "folds", lower = 2L, upper = n)
    return(random_folds(folds, n, if (!is.null(response$levels)) response$y))
  }
  folds <- check_counts(folds, "folds")
  if (length(folds) != n) {
    mk_abort(sprintf("`folds` must be one number, or one per row of the data (%d), not %d.", n,
                     length(folds)), "length", "folds", length(folds))
  }
  if (length(unique(folds)) < 2) {
    mk_abort("`folds` must have at least two different values.", "invalid_argument", "folds", folds)
  }
  folds
}

# Spread evenly over rows at random, and over those of each class.
random_folds <- function(count, n, classes = NULL) {
  shuffled <- sample.int(n)
  if (!is.null(classes)) shuffled <- shuffled[order(classes[shuffled])]
  folds <- integer(n)
  folds[shuffled] <- rep_len(seq_len(count), n)
  folds
}
