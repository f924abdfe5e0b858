# Many rows: the choice is made on a sample of them and checked by the choice on half of it; the fit is to all.

SAMPLED_FROM <- 50000L # rows; with fewer, all take part in the choice
CHOICE_SAMPLE <- 20000L

# The number of rows to choose on, or NULL for all. Folds of one's own say which rows take part.
check_sample_size <- function(size, n, folds, nested) {
  if (is.null(size)) size <- if (n > SAMPLED_FROM) CHOICE_SAMPLE else Inf
  size <- check_number(size, "sample_size", lower = 20, allow_inf = TRUE)
  if (size >= n) return(NULL)
  if (!is.numeric(folds) || length(folds) != 1L || !isFALSE(nested)) {
    mk_abort(paste("A sample is for a number of `folds` without `nested`. Set `sample_size = Inf` to choose",
                   "on all rows."), "invalid_argument", "sample_size", size)
  }
  size <- as.integer(size)
  mk_inform(sprintf(paste("The choice is made on %s of %s rows and checked on %s of them; the fit is to all.",
                          "`sample_size = Inf` chooses on all."), rows_number(size), rows_number(n),
                    rows_number(size %/% 2L)), "sample", "sample_size", size)
  size
}

rows_number <- function(n) format(n, big.mark = ",", scientific = FALSE)

# Rows in random order, by classes and groups: the first `size` of them have about the classes of all.
sampled_rows <- function(rows, size, response, group) {
  if (!is.null(group)) {
    groups <- sample(unique(group[rows]))
    ordered <- rows[order(match(group[rows], groups))]
    last <- group[ordered[min(size, length(ordered))]]
    return(sort(ordered[seq_len(max(which(group[ordered] == last)))]))
  }
  class <- if (is.factor(response)) response[rows] else rep(1L, length(rows))
  share <- size / length(rows)
  sort(unlist(lapply(split(rows, class, drop = TRUE), function(own) {
    own[sample.int(length(own), min(length(own), max(ceiling(share * length(own)), 2L)))]
  }), use.names = FALSE))
}

# Resamples of some rows, with their numbers among all.
resamples_within <- function(rows, folds, repeats, response, group, weights) {
  taken <- function(x) if (is.matrix(x)) x[rows, , drop = FALSE] else x[rows]
  found <- resamples(folds, repeats, if (!is.null(response)) taken(response),
                     if (!is.null(group)) taken(group), length(rows), if (!is.null(weights)) taken(weights))
  lapply(found, function(one) {
    one[c("train", "test")] <- list(rows[one$train], rows[one$test])
    one
  })
}

# What the choice on half of the sample, the cell `half`, is worth on the whole of it. found, chosen: the results
# there of this cell (NULL: none) and of the one that the whole chooses.
compare_choices <- function(half, found, chosen, measure) {
  name <- measure$name
  se <- chosen[[paste0(name, "_se")]]
  loss <- if (is.null(found)) NA_real_ else chosen[[name]] - found[[name]]
  if (!measure$larger) loss <- -loss
  list(half = half, loss = loss, se = se, stable = isTRUE(loss <= se || loss == 0))
}

choice_sample_text <- function(sample, best, digits) {
  if (is.null(sample)) return("")
  sprintf("Chosen on %s of %s rows: %s, standard error %s. %s\n", rows_number(sample$rows),
          rows_number(sample$of),
          sample$measure, format(sample$se, digits = digits), stable_text(sample, best, digits))
}

# best: the cell that the whole sample chooses.
stable_text <- function(sample, best, digits) {
  if (is.null(sample$half)) return("Not checked: the fit to half of them failed.")
  if (identical(sample$half, best)) return("Half of them choose the same.")
  half <- paste(sprintf("%s = %s", names(sample$half), vapply(sample$half, function(value) {
    if (is.numeric(value)) format(value, digits = digits) else format(value)[1L]
  }, "")), collapse = ", ")
  if (is.na(sample$loss)) {
    return(sprintf("Not checked: half of them choose %s, which has no value on all of them.", half))
  }
  if (sample$loss <= 0) {
    return(sprintf("Stable: half of them choose another cell, %s, which is no worse on all of them.", half))
  }
  sprintf("%s: half of them choose %s, which is %s worse on all of them.",
          if (sample$stable) "Stable within the standard error" else "NOT stable", half,
          format(sample$loss, digits = digits))
}
