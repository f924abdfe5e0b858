# Should columns be standardised? Test errors with scale = TRUE and FALSE, default kernels and
# settings, on all shared data that have columns and on some of package MASS; e1071 with its own
# default (which standardises) beside. Error rates, for regressions RMSE over the standard deviation.
# usage: Rscript bench/scaling.R [splits=5] [rows=700]
# stale after: model bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(splits = 5, rows = 700)

peer_predictions <- function(x, y, train) {
  x <- as.data.frame(one_table(x))
  names(x) <- make.unique(make.names(names(x)))
  data <- cbind(x, .y = y)
  varies <- vapply(data[train, ], function(v) length(unique(v)) > 1, NA)
  fit <- suppressWarnings(e1071::svm(.y ~ ., data[train, varies]))
  predict(fit, data[-train, varies])
}

loss_of_split <- function(predicted, y) {
  if (is.factor(y)) mean(predicted != y) else sqrt(mean((predicted - y)^2)) / stats::sd(y)
}

split_errors <- function(data, seed) {
  set.seed(seed)
  n <- length(data$y)
  train <- sort(sample.int(n, min(settings$rows, round(2 * n / 3))))
  ours <- function(scale) {
    fit <- suppressMessages(mkl(pick(data$x, train), data$y[train], scale = scale,
                                control = bench_control()))
    loss_of_split(predict(fit, pick(data$x, -train)), data$y[-train])
  }
  c(scaled = ours(TRUE), raw = ours(FALSE),
    e1071 = loss_of_split(peer_predictions(data$x, data$y, train), data$y[-train]))
}

rows <- lapply(names(column_sets), function(name) {
  data <- attempt(column_sets[[name]]())
  if (is_failure(data)) return(NULL)
  errors <- vapply(seq_len(settings$splits), function(seed) split_errors(data, seed), numeric(3))
  difference <- errors["scaled", ] - errors["raw", ]
  data.frame(
    data = name, n = length(data$y), columns = NCOL(one_table(data$x)),
    `scale = TRUE` = sprintf("%.3f", mean(errors["scaled", ])),
    `scale = FALSE` = sprintf("%.3f", mean(errors["raw", ])),
    `difference` = sprintf("%+.3f (%.3f)", mean(difference),
                           stats::sd(difference) / sqrt(settings$splits)),
    e1071 = sprintf("%.3f", mean(errors["e1071", ])), check.names = FALSE
  )
})
section("Standard columns", sprintf(paste(
  "Test error over %d splits (two thirds, at most %d rows, for training); default kernels, p = 2,",
  "C = 1; in brackets the standard error of the paired difference. Regressions: RMSE over the",
  "standard deviation."), settings$splits, settings$rows), do.call(rbind, rows))
