# Folds of cross-validation: as they are given, or drawn.

# Draws folds at random, of equal size and evenly over the rows of each class.
random_folds <- function(count, n, classes = NULL) {
  shuffled <- sample.int(n)
  if (!is.null(classes)) shuffled <- shuffled[order(classes[shuffled])]
  folds <- integer(n)
  folds[shuffled] <- rep_len(seq_len(count), n)
  folds
}

# ---- resamples of a cross-validation -------------------------------------------------------------

# Quantile groups of a numeric response that folds have alike (as many as in caret); fewer where a
# group would have fewer rows than there are folds.
response_groups <- 5L

# list(repeat_number, fold, train, test) for each, positions of rows in order; `train` has a row as often
# as it was drawn. folds: a number, the fold of each row (NA: always a training row), or a list of
# held-out rows, each perhaps as list(train, test); response: of check_response(); group, weights: NULL, or one
# per row.
resamples <- function(folds, repeats, response, group, n, weights) {
  group <- check_group(group, n)
  counted <- if (is.null(weights)) rep(TRUE, n) else weights > 0
  repeats <- check_count(repeats, "repeats")
  found <- if (is.numeric(folds) && length(folds) == 1) {
    drawn_resamples(folds, repeats, response, group, counted)
  } else {
    if (repeats > 1) {
      mk_abort("`repeats` is for a number of `folds`, not for your own folds.",
               "invalid_argument", "repeats", repeats)
    }
    if (is_splits(folds)) listed_resamples(folds, n) else labelled_resamples(folds, n)
  }
  check_groups_apart(found, group)
  check_training_classes(found, response, counted)
  found
}

is_splits <- function(folds) is.list(folds) && !is.object(folds)

new_resample <- function(repeat_number, fold, test, n, train = seq_len(n)[-test]) {
  list(repeat_number = repeat_number, fold = fold, train = train, test = test)
}

check_group <- function(group, n, argument = "group") {
  if (is.null(group)) return(NULL)
  if (!is.atomic(group) || length(dim(group)) > 1) {
    abort_argument(group, argument, "a vector or factor with one value per row")
  }
  if (length(group) != n) {
    mk_abort(sprintf("`%s` must have one value per row of the data (%d), not %d.", argument, n,
                     length(group)), "length", argument, length(group))
  }
  check_group_known(group, argument)
  match(group, unique(group))
}

# ---- drawn ---------------------------------------------------------------------------------------

drawn_resamples <- function(count, repeats, response, group, counted) {
  n <- length(counted)
  count <- check_count(count, "folds", lower = 2L)
  check_fold_count(count, response, group, counted)
  strata <- response_strata(response, count, counted)
  unlist(lapply(seq_len(repeats), function(r) {
    fold <- if (is.null(group)) random_strata(count, strata, counted) else
      spread_groups(count, group, strata, counted)
    lapply(seq_len(count), function(k) new_resample(r, k, which(fold == k), n))
  }), recursive = FALSE)
}

check_fold_count <- function(count, response, group, counted) {
  units <- if (is.null(group)) sum(counted) else length(unique(group[counted]))
  if (count > units) {
    what <- if (is.null(group)) "row" else "group"
    mk_abort(sprintf("`folds` must be at most the number of %ss%s, %d, not %d.", what,
                     if (all(counted)) "" else " with positive weight", units, count),
             "too_few", "folds", count)
  }
  if (!is.factor(response)) return(invisible())
  cases <- table(response[counted])
  if (any(cases < 2)) {
    mk_abort(sprintf(paste("Each class must have at least two rows, one to learn from and one held",
                         "out, but `%s` has one."), names(cases)[cases < 2][1]),
             "too_few", "y", names(cases)[cases < 2])
  }
  few <- names(cases)[cases < count]
  if (!length(few) || count == units) return(invisible())
  mk_warn(sprintf("%s %s fewer rows than the %d folds, so some folds lack %s.",
                  if (length(few) == 1) paste("Class", enumerate(few)) else paste("Classes", enumerate(few)),
                  if (length(few) == 1) "has" else "have", count,
                  if (length(few) == 1) "it" else "them"), "few_cases", "folds", few)
}

# Numbers of the classes or quantile groups that folds should have alike.
response_strata <- function(response, count, counted) {
  if (is.null(response)) return(rep(1L, length(counted)))
  if (is.factor(response)) return(as.integer(response))
  if (is_times(response)) return(side_of(response) + 2L)
  if (is_labels(response)) return(label_strata(response[counted, , drop = FALSE], response))
  if (is.matrix(response)) response <- rowMeans(scale(response))
  groups <- max(1L, min(response_groups, sum(counted) %/% count))
  breaks <- stats::quantile(response[counted], seq_len(groups - 1) / groups, names = FALSE)
  findInterval(response, unique(breaks), left.open = TRUE) + 1L
}

# The rarest label that each row of `labels` has, by how often rows of `known` have it.
label_strata <- function(known, labels = known) {
  rarest <- order(colSums(known))
  first <- max.col(cbind(labels[, rarest, drop = FALSE] + 0, 0.5), "first")
  as.integer(first)
}

# Rows of weight 0 are a stratum of their own.
random_strata <- function(count, strata, counted) {
  folds <- integer(length(strata))
  folds[counted] <- random_folds(count, sum(counted), strata[counted])
  folds[!counted] <- random_folds(count, sum(!counted))
  folds
}

# Assigns groups one after another, large ones first, each to the fold where the sum of squares of the
# strata's shares grows least, and among equal folds to the smallest. The order is partly random: by size
# alone, repeats would draw the same folds again.
spread_groups <- function(count, group, strata, counted) {
  kinds <- sort(unique(strata[counted]))
  cases <- unclass(table(group[counted], factor(strata[counted], kinds)))
  cases <- cases[match(seq_len(max(group)), rownames(cases)), , drop = FALSE]
  cases[is.na(cases)] <- 0
  total <- colSums(cases)
  folds <- matrix(0, count, length(kinds))
  chosen <- integer(max(group))
  for (g in order(-rowSums(cases) * stats::runif(max(group), 0.5, 1))) {
    growth <- folds %*% (cases[g, ] / total^2)
    first <- order(signif(growth, 8), rowSums(folds), stats::runif(count))[1]
    folds[first, ] <- folds[first, ] + cases[g, ]
    chosen[g] <- first
  }
  chosen[group]
}

# ---- given ---------------------------------------------------------------------------------------

check_fold_labels <- function(folds) {
  refuse_long_integers(folds, "folds")
  if (inherits(folds, "rsplit")) {
    mk_abort(paste("`folds` is one split of rsample: give `folds = list(index = list(as.integer(split)))` to",
                   "train on its training rows."), "invalid_argument", "folds", folds)
  }
  if (is.atomic(folds) && !is.null(folds) && length(dim(folds)) < 2L) return(folds)
  abort_argument(folds, "folds", paste("a number, the fold of each row, a list of held-out rows, or resamples",
                                       "of rsample, mlr3 or caret"))
}

labelled_resamples <- function(folds, n) {
  check_fold_labels(folds)
  if (length(folds) != n) {
    mk_abort(sprintf("`folds` must be one number, or one value per row of the data (%d), not %d.", n,
                     length(folds)), "length", "folds", length(folds))
  }
  labels <- sort(unique(as.vector(folds)))
  if (is.factor(folds)) labels <- intersect(levels(folds), labels)
  if (length(labels) < 2 && !(length(labels) == 1 && anyNA(folds))) {
    mk_abort("`folds` must have at least two different values.", "invalid_argument", "folds", folds)
  }
  lapply(labels, function(label) new_resample(1L, label, which(folds == label), n))
}

listed_resamples <- function(folds, n) {
  if (!length(folds)) abort_argument(folds, "folds", "a list of at least one set of rows")
  labels <- names(folds) %||% seq_along(folds)
  found <- lapply(seq_along(folds), function(k) {
    listed_resample(folds[[k]], labels[[k]], sprintf("folds[[%d]]", k), n)
  })
  bare <- !any(vapply(folds, is.list, NA))
  refuse_overlap(found, n, training = bare)
  if (bare && length(found) == 1L) refuse_large(found[[1L]])
  found
}

# own: held-out rows, or list(train, test); where: words for messages.
listed_resample <- function(own, label, where, n) {
  if (inherits(own, "rsplit")) {
    mk_abort(sprintf(paste(
      "`%s` is a split of rsample: give the whole set of splits, such as `folds = rsample::vfold_cv(data)`,",
      "or `folds = list(index = lapply(splits, as.integer))` for a list of splits."
    ), where), "invalid_argument", where)
  }
  if (!is.list(own)) {
    refuse_drawn_rows(own, where)
    test <- check_positions(own, where, n)
    if (length(test) < n) return(new_resample(1L, label, test, n))
    mk_abort(sprintf("`%s` must leave some rows to learn from.", where), "invalid_argument", "folds", n)
  }
  if (!all(c("train", "test") %in% names(own))) {
    abort_argument(own, where, "positions of rows, or list(train = , test = )")
  }
  repeat_number <- check_count(own$repeat_number %||% 1L, paste0(where, "$repeat_number"))
  test <- check_positions(own$test, paste0(where, "$test"), n)
  train <- sort(check_counts(own$train, paste0(where, "$train"), upper = n))
  both <- intersect(train, test)
  if (length(both)) {
    mk_abort(sprintf("`%s` must not have rows in `train` and `test`, but has %s.", where,
                     count_of(length(both), "such row")), "invalid_argument", "folds", both)
  }
  fold <- own$fold %||% label
  if (!is.atomic(fold) || length(fold) != 1 || is.na(fold)) {
    abort_argument(fold, paste0(where, "$fold"), "the name or number of the fold")
  }
  new_resample(repeat_number, fold, test, n, train)
}

# Refuses rows of a bootstrap, which are to train on.
refuse_drawn_rows <- function(rows, where) {
  if (!is.numeric(rows) || !anyDuplicated(rows)) return(invisible())
  mk_abort(sprintf(paste("`%s` holds out rows, each once, but has row %s twice. For lists of training rows, as",
                         "by `caret::createResample(y)`, give `folds = list(index = ...)`."),
                   where, format(rows[duplicated(rows)][1L])), "invalid_argument", where, rows)
}

# training: whether the list may have training rows in place of held-out ones.
refuse_overlap <- function(found, n, training) {
  repeats <- vapply(found, `[[`, 0L, "repeat_number")
  rows <- lapply(split(found, repeats), function(part) unlist(lapply(part, `[[`, "test")))
  twice <- unlist(lapply(rows, function(own) own[duplicated(own)]))
  if (!length(twice)) return(invisible())
  hint <- if (training) {
    paste("For lists of training rows, as by `caret::createFolds(y, returnTrain = TRUE)`, give",
          "`folds = list(index = ...)`. For repeated folds, give lists with `train`, `test` and",
          "`repeat_number`.")
  } else {
    "For repeated folds, give each list its `repeat_number`."
  }
  mk_abort(sprintf("`folds` must hold out each row once in a repeat, but %s in several folds. %s",
                   if (length(unique(twice)) == 1) sprintf("row %d is", twice[1]) else
                     sprintf("%d rows are, such as row %d,", length(unique(twice)), min(twice)), hint),
           "overlapping_folds", "folds", sort(unique(twice)))
}

# One bare set of most rows, as by caret::createDataPartition(), may be of training rows.
refuse_large <- function(split) {
  held_out <- length(split$test)
  trains <- length(split$train)
  if (held_out <= trains) return(invisible())
  mk_abort(sprintf(paste(
    "Say what the rows of `folds` are: to train on them, give `folds = list(index = ...)`; to hold them out,",
    "`folds = list(train = , test = )`. It is one set of %d of %d rows."
  ), held_out, held_out + trains), "invalid_argument", "folds", held_out)
}

check_positions <- function(rows, argument, n) {
  rows <- check_counts(rows, argument, upper = n)
  if (anyDuplicated(rows)) {
    mk_abort(sprintf("`%s` must have each row once, but has row %d twice.", argument,
                     rows[duplicated(rows)][1]), "invalid_argument", argument, rows)
  }
  sort(rows)
}

# ---- what all of them must keep ------------------------------------------------------------------

check_groups_apart <- function(resamples, group) {
  if (is.null(group)) return(invisible())
  for (one in resamples) {
    if (!any(group[one$test] %in% group[one$train])) next
    mk_abort(sprintf("`folds` must keep groups together, but fold %s splits one.", one$fold),
             "invalid_argument", "folds", one$fold)
  }
}

check_training_classes <- function(resamples, response, counted) {
  for (one in resamples) {
    lacking <- lacking_in(response, one$train[counted[one$train]])
    if (!length(lacking)) next
    mk_abort(sprintf("The training rows of each fold must have %s; those of fold %s lack %s.",
                     if (is.factor(response)) "all classes" else
                       if (is_times(response)) "events" else "rows with and without each label",
                     one$fold, if (is_times(response)) "them" else enumerate(lacking)),
             "too_few", "folds", lacking)
  }
}

# Classes, events or labels that a model needs and the rows lack.
lacking_in <- function(response, rows) {
  if (is.factor(response)) {
    return(levels(response)[tabulate(response[rows], nlevels(response)) == 0])
  }
  if (is_times(response)) return(if (!any(side_of(response)[rows] == 0)) "events")
  if (is_labels(response)) {
    share <- colMeans(response[rows, , drop = FALSE])
    return(colnames(response)[share == 0 | share == 1])
  }
  NULL
}
