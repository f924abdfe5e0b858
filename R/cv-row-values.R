# The contribution of each row to the measures of a cell over all resamples that hold it out, and standard
# errors. Repeats are averaged within a row: only rows are independent of each other.

# For each measure list(sum, weight), matrices of rows by cells: the sums over the resamples of row values
# times their share of the fold's weight, and of the shares. The sum of `sum` over that of `weight` is the
# mean over the folds. No predictions are kept, so many repeats take no more memory than one.
cell_row_values <- function(plan, resamples, outcomes, measures) {
  cells <- length(cells_of(outcomes[[1L]]))
  sum <- weight <- array(0, c(plan$n, cells, length(measures)))
  for (r in seq_along(resamples)) {
    test <- resamples[[r]]$test
    own <- plan$weights[test] %||% rep(1, length(test))
    own <- own / max(base::sum(own), .Machine$double.xmin)
    outcome <- cells_of(outcomes[[r]])
    for (k in seq_along(measures)) {
      found <- fold_row_values(outcome, plan, resamples[[r]], measures[[k]])
      share <- own * (!is.na(found))
      sum[test, , k] <- sum[test, , k] + replace(found, is.na(found), 0) * share
      weight[test, , k] <- weight[test, , k] + share
    }
  }
  part <- function(values, k) matrix(values[, , k], plan$n)
  found <- lapply(seq_along(measures), function(k) list(sum = part(sum, k), weight = part(weight, k)))
  stats::setNames(found, vapply(measures, `[[`, "", "name"))
}

# The rows held out by the cells.
fold_row_values <- function(cells, plan, resample, measure) {
  n <- length(resample$test)
  values <- vapply(cells, function(cell) {
    if (is.null(cell$response)) return(rep(NA_real_, n))
    do.call(row_contributions, c(list(measure), held_out_data(cell, plan, resample)), quote = TRUE)
  }, numeric(n))
  matrix(values, n)
}

# list(se, df), for each cell the standard error of its mean and the degrees of freedom that it has, after
# Nadeau and Bengio (2003): folds share most of their training rows, so their variance counts for the share
# of the rows that a fold holds out and, again, for the ratio of test to training rows. Folds of a repeat
# vary around its mean; where repeats have a single fold, all folds around theirs. Stratified folds in which one
# class is predicted have equal accuracies by construction: what rows say of a fold's mean takes the place then.
corrected_errors <- function(values, resamples) {
  means <- fold_means(values, resamples)
  part <- attr(means, "repeat")
  if (any(table(part) < 2L)) part <- rep(1L, length(part))
  spread <- df <- numeric(ncol(means))
  for (rows in split(seq_along(part), part)) {
    own <- means[rows, , drop = FALSE]
    centre <- colMeans(own, na.rm = TRUE)
    spread <- spread + colSums((own - rep(centre, each = nrow(own)))^2, na.rm = TRUE)
    df <- df + pmax(colSums(!is.na(own)) - 1L, 0L)
  }
  variance <- spread / df
  alike <- (variance <= (1e-8 * colMeans(means, na.rm = TRUE))^2) %in% TRUE
  variance[alike] <- attr(means, "variance")[alike]
  se <- sqrt(split_factor(resamples) * variance)
  list(se = replace(se, df < 1, NA_real_), df = df)
}

# Fold means of values averaged over the repeats: resamples by cells, NaN where a cell has none. Attributes: the
# `repeat` of each resample; the `variance` of a mean by its rows, for each cell the mean over the folds.
fold_means <- function(values, resamples) {
  number <- vapply(resamples, `[[`, 0L, "repeat_number")
  found <- lapply(split(resamples, number), function(own) {
    test <- lapply(own, `[[`, "test")
    fold <- rep(seq_along(test), lengths(test))
    rows <- unlist(test)
    sum <- values$sum[rows, , drop = FALSE]
    weight <- values$weight[rows, , drop = FALSE]
    total <- rowsum(weight, fold)
    mean <- rowsum(sum, fold) / total
    list(mean = mean, variance = rowsum((sum - mean[fold, , drop = FALSE] * weight)^2, fold) / total^2)
  })
  part <- function(name) do.call(rbind, lapply(found, `[[`, name))
  structure(part("mean"), `repeat` = sort(number), variance = colMeans(part("variance"), na.rm = TRUE))
}

# 1 / J + n_test / n_train of Nadeau and Bengio. folds: J, by default as many as hold out every row once.
split_factor <- function(resamples, folds = NULL) {
  test <- lapply(resamples, `[[`, "test")
  held_out <- mean(lengths(test))
  train <- mean(vapply(resamples, function(one) length(unique(one$train)), 0L))
  1 / (folds %||% (length(unique(unlist(test))) / held_out)) + held_out / train
}
