# Does choosing pay? Test errors of cv_mkl() with default kernels by its two rules, of the defaults of
# mkl(), and of e1071's tuned single Gaussian, over paired splits of the data sets that have classes.
# usage: Rscript bench/selection-accuracy.R [splits=20] [rows=500] [sets=all, or parts of names]
# stale after: model grid bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(splits = 20, rows = 500, sets = "all")

tuned_e1071 <- function(x, y, train) {
  x <- as.data.frame(one_table(x))
  names(x) <- make.unique(make.names(names(x)))
  varies <- vapply(x[train, ], function(v) length(unique(v)) > 1, NA)
  x <- data.matrix(x[varies])
  x[] <- scale(x, colMeans(x[train, ]), apply(x[train, ], 2, stats::sd))
  tuned <- e1071::tune.svm(x[train, ], y[train], gamma = 4^(-3:3) / ncol(x), cost = 10^(-1:3),
                           scale = FALSE, tunecontrol = e1071::tune.control(cross = 5))
  predict(tuned$best.model, x[-train, ])
}

split_errors <- function(data, seed) {
  set.seed(seed)
  n <- length(data$y)
  train <- sort(sample.int(n, min(settings$rows, round(2 * n / 3))))
  x <- pick(data$x, train)
  y <- data$y[train]
  wrong <- function(predicted) mean(predicted != data$y[-train])
  # the second choice is from the same folds and fits, which the file keeps
  file <- tempfile()
  on.exit(unlink(file))
  errors <- vapply(list(chosen = NULL, accuracy = "best"), function(rule) {
    cv <- suppressWarnings(cv_mkl(x, y, rule = rule, control = bench_control(), resume = file))
    wrong(predict(cv, pick(data$x, -train)))
  }, 0)
  c(errors,
    default = wrong(predict(mkl(x, y, control = bench_control()), pick(data$x, -train))),
    e1071 = wrong(tuned_e1071(data$x, data$y, train)))
}

difference_text <- function(difference) {
  sprintf("%+.4f (%.4f)", mean(difference), stats::sd(difference) / sqrt(length(difference)))
}

names <- if (identical(settings$sets, "all")) names(column_sets) else
  grep(paste(settings$sets, collapse = "|"), names(column_sets), value = TRUE)
rows <- lapply(names, function(name) {
  data <- attempt(column_sets[[name]]())
  if (is_failure(data) || !is.factor(data$y)) return(NULL)
  errors <- vapply(seq_len(settings$splits), function(seed) split_errors(data, seed), numeric(4))
  difference <- errors["chosen", ] - errors["e1071", ]
  row <- data.frame(
    data = name, n = length(data$y), chosen = sprintf("%.4f", mean(errors["chosen", ])),
    `by best accuracy` = sprintf("%.4f", mean(errors["accuracy", ])),
    `mkl() as it is` = sprintf("%.4f", mean(errors["default", ])),
    `e1071, tuned` = sprintf("%.4f", mean(errors["e1071", ])),
    `chosen - by accuracy` = difference_text(errors["chosen", ] - errors["accuracy", ]),
    `chosen - e1071` = difference_text(difference),
    verdict = if (mean(difference) > stats::sd(difference) / sqrt(length(difference))) "worse" else
      if (mean(difference) < -1e-12) "better" else "even", check.names = FALSE
  )
  message(name, " ", row$verdict)
  row
})
section("What choosing is worth", sprintf(paste(
  "Test error over %d splits (two thirds, at most %d rows, for training); cv_mkl() with default",
  "kernels, p and C, and by rule = \"best\" from the same fits; e1071::tune.svm() over 7 gamma and 5",
  "cost, columns standardised. In brackets the standard error of the paired difference."),
  settings$splits, settings$rows),
  do.call(rbind, rows))
