# Normal scores: each column of a view mapped so that its training rows are normally distributed. The
# map is linear between knots, and the same for training rows and new ones.

MOST_KNOTS <- 200L # of a column: a fit keeps the knots

# The knots of columns that are standardised already, a matrix of values and scores each; NULL for columns
# with fewer than three different values, such as indicators, which stay as they are.
score_knots <- function(view, rows = NULL) {
  rows <- rows %||% seq_len(nrow(view))
  lapply(seq_len(ncol(view)), function(j) column_knots(view[rows, j]))
}

column_knots <- function(x) {
  found <- rle(sort(x))
  values <- found$values
  if (length(values) < 3L) return(NULL)
  # the middle of the ranks of equal values
  scores <- stats::qnorm((cumsum(found$lengths) - found$lengths / 2) / length(x))
  kept <- unique(round(seq(1, length(values), length.out = MOST_KNOTS)))
  cbind(value = values[kept], score = scores[kept])
}

# Beyond the training rows' range the score is that of its end.
normal_scored <- function(view, knots, from = "value", to = "score") {
  for (j in which(lengths(knots) > 0L)) {
    view[, j] <- stats::approx(knots[[j]][, from], knots[[j]][, to], view[, j], rule = 2,
                               ties = "ordered")$y
  }
  view
}
