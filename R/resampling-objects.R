# Folds in the form of other packages, and the same folds among the rows that are used.

# `folds` that aren't one value per row as resamples(), lists of rows among n; others as they are. data: the
# data frame that these rows are of, if it is at hand.
given_splits <- function(folds, n, data = NULL) {
  if (inherits(folds, "rset")) return(own_repeats(rsample_splits(folds, n, data)))
  if (inherits(folds, "Resampling")) return(own_repeats(mlr3_splits(folds, n)))
  if (!is.list(folds) || is.object(folds)) return(check_fold_labels(folds))
  if (setequal(names(folds), c("train", "test"))) folds <- one_split(folds)
  if ("index" %in% names(folds)) return(own_repeats(caret_splits(folds, n)))
  listed_resamples(folds, n)
}

# `train` and `test` of one split, or lists of as many, as by caret::createTimeSlices().
one_split <- function(folds) {
  if (is.list(folds$train)) list(index = folds$train, indexOut = folds$test) else list(folds)
}

# An rset of rsample. A split without held-out rows of its own holds out all that it doesn't train on.
rsample_splits <- function(folds, n, data) {
  splits <- folds$splits
  check_split_rows(nrow(splits[[1]]$data), n, "rset")
  refuse_other_order(splits[[1]]$data, data)
  labels <- folds[["id2"]] %||% folds[["id"]]
  Map(function(split, label) {
    out <- if (anyNA(split$out_id)) setdiff(seq_len(n), split$in_id) else split$out_id
    list(fold = label, train = split$in_id, test = out)
  }, splits, labels)
}

# Refuses an rset of the same rows in another order, by a column whose values are the same but stand elsewhere.
refuse_other_order <- function(found, data) {
  moved <- vapply(intersect(names(found), names(data)), function(name) {
    one <- found[[name]]
    other <- data[[name]]
    is.atomic(one) && is.atomic(other) && !identical(one, other) && identical(sort(one), sort(other))
  }, NA)
  if (!any(moved)) return(invisible())
  mk_abort(sprintf(paste(
    "`folds`, an rset, has the rows of `data` in another order, see `%s`. Make it from `data` as it is given",
    "here."
  ), names(moved)[moved][1L]), "invalid_argument", "folds", found)
}

mlr3_splits <- function(folds, n) {
  if (!folds$is_instantiated) {
    mk_abort(paste("`folds` is a Resampling of mlr3 without rows: call its method",
                   "`instantiate(task)` first."), "invalid_argument", "folds")
  }
  check_split_rows(folds$task_nrow, n, "Resampling")
  lapply(seq_len(folds$iters), function(i) {
    list(fold = i, train = folds$train_set(i), test = folds$test_set(i))
  })
}

# `index` are lists of training rows, `indexOut` of held-out rows, by default all others.
caret_splits <- function(folds, n) {
  index <- folds[["index"]]
  if (is.null(index)) {
    mk_abort(paste("`folds` has no rows in `index`. Give a number of folds, or trainControl() lists",
                   "of training rows, `index = caret::createFolds(y, returnTrain = TRUE)`."),
             "invalid_argument", "folds")
  }
  if (!is.list(index)) abort_argument(index, "folds$index", "a list of training rows")
  out <- folds[["indexOut"]] %||% lapply(index, setdiff, x = seq_len(n))
  if (!is.list(out) || length(out) != length(index)) {
    abort_argument(out, "folds$indexOut", "a list of as many held-out rows as `index`")
  }
  Map(function(train, test, label) list(fold = label, train = train, test = test), unname(index),
      unname(out), names(index) %||% seq_along(index))
}

check_split_rows <- function(found, n, class) {
  if (found == n) return(invisible())
  mk_abort(sprintf("`folds`, an object of class %s, must be of the %d rows of the data, not of %d.",
                   class, n, found), "length", "folds", found)
}

# A new repeat begins where a row is held out again.
own_repeats <- function(splits) {
  number <- 1L
  held_out <- integer()
  for (k in seq_along(splits)) {
    if (any(splits[[k]]$test %in% held_out)) {
      number <- number + 1L
      held_out <- integer()
    }
    held_out <- c(held_out, splits[[k]]$test)
    splits[[k]]$repeat_number <- number
  }
  splits
}

# Splits among the rows that are used, at these positions (NULL: all rows), without folds that hold out none
# of them.
keep_splits <- function(splits, used) {
  if (is.null(used)) return(splits)
  kept <- lapply(splits, function(split) {
    split[c("train", "test")] <- lapply(split[c("train", "test")], function(rows) {
      as.integer(stats::na.omit(match(rows, used)))
    })
    split
  })
  Filter(function(split) length(split$test) > 0, kept)
}

# folds: as by given_splits().
folds_of_samples <- function(folds, samples) {
  if (is_splits(folds)) keep_splits(folds, samples$kept) else of_samples(folds, samples, "folds")
}

# A result in the row numbers of the user's data. rows: as by used_rows(), NULL where all are used.
in_data_rows <- function(cv, rows) {
  if (is.null(rows)) cv else renumber_rows(cv, function(row) rows$used[row])
}

# A cross-validation with row numbers among the rows used, in place of those of the data.
in_used_rows <- function(cv) {
  if (is.null(cv$rows)) cv else renumber_rows(cv, function(row) match(row, cv$rows$used))
}

renumber_rows <- function(cv, renumber) {
  cv$resamples <- lapply(cv$resamples, function(one) {
    one[c("train", "test")] <- lapply(one[c("train", "test")], renumber)
    one
  })
  if (!is.null(cv$predictions)) cv$predictions$row <- renumber(cv$predictions$row)
  if (!is.null(cv$nested$predictions)) {
    cv$nested$predictions$row <- renumber(cv$nested$predictions$row)
  }
  cv
}
