# Does choosing pay? Test errors of cv_mkl() as it is (adaptive search, scaling chosen), of all cells of
# the fixed grid on standard columns by its two rules, of the defaults of mkl(), and of e1071's tuned single
# Gaussian, over paired splits. For numbers the error is the root mean square over the standard deviation.
# usage: Rscript bench/selection-accuracy.R [splits=20] [rows=300] [sets=all, or parts of names] [peer=1]
#        peer=0 leaves out e1071
# stale after: model grid bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(splits = 20, rows = 300, sets = "all", peer = 1)

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
  truth <- data$y[-train]
  error <- function(predicted) {
    if (is.factor(truth)) mean(predicted != truth) else
      sqrt(mean((predicted - truth)^2)) / stats::sd(data$y)
  }
  folds <- sample(rep_len(1:5, length(y)))
  if (is.factor(y)) folds[order(y)] <- rep_len(sample(1:5), length(y)) # of each class alike
  # the second choice of the grid is from the same fits, which the file keeps
  file <- tempfile()
  on.exit(unlink(file))
  choose <- function(...) {
    seconds <- proc.time()
    cv <- suppressWarnings(cv_mkl(x, y, folds = folds, control = bench_control(), ...))
    c(error(predict(cv, pick(data$x, -train))), sum((proc.time() - seconds)[1:2]))
  }
  chosen <- choose()
  grid <- choose(search = "grid", scale = TRUE, resume = file)
  c(chosen = chosen[1], grid = grid[1],
    accuracy = choose(search = "grid", scale = TRUE, rule = "best", resume = file)[1],
    default = error(predict(mkl(x, y, control = bench_control()), pick(data$x, -train))),
    e1071 = if (settings$peer > 0 && is.factor(y)) error(tuned_e1071(data$x, data$y, train)) else NA,
    seconds = chosen[2], grid_seconds = grid[2])
}

difference_text <- function(difference) {
  if (anyNA(difference)) return("")
  sprintf("%+.4f (%.4f)", mean(difference), stats::sd(difference) / sqrt(length(difference)))
}

# "worse" and "better" by more than two standard errors.
verdict_of <- function(difference) {
  se <- stats::sd(difference) / sqrt(length(difference))
  if (mean(difference) > 2 * se + 1e-12) "worse" else if (mean(difference) < -2 * se - 1e-12) "better" else "even"
}

names <- if (identical(settings$sets, "all")) names(column_sets) else
  grep(paste(settings$sets, collapse = "|"), names(column_sets), value = TRUE)
rows <- lapply(names, function(name) {
  data <- attempt(column_sets[[name]]())
  if (is_failure(data)) return(NULL)
  errors <- vapply(seq_len(settings$splits), function(seed) split_errors(data, seed), numeric(7))
  rownames(errors) <- c("chosen", "grid", "accuracy", "default", "e1071", "seconds", "grid_seconds")
  mean_text <- function(what) if (anyNA(errors[what, ])) "" else sprintf("%.4f", mean(errors[what, ]))
  difference <- errors["chosen", ] - errors["grid", ]
  row <- data.frame(
    data = name, n = length(data$y), chosen = mean_text("chosen"), `fixed grid` = mean_text("grid"),
    `by best mean` = mean_text("accuracy"), `mkl() as it is` = mean_text("default"),
    `e1071, tuned` = mean_text("e1071"), `chosen - fixed grid` = difference_text(difference),
    `chosen - e1071` = difference_text(errors["chosen", ] - errors["e1071", ]),
    `time over the grid's` = sprintf("%.2f", sum(errors["seconds", ]) / sum(errors["grid_seconds", ])),
    verdict = verdict_of(difference), check.names = FALSE
  )
  message(name, " ", row$chosen, " ", row$`fixed grid`, " ", row$`chosen - fixed grid`, " ", row$verdict)
  row
})
section("What choosing is worth", sprintf(paste(
  "Test error over %d splits (two thirds, at most %d rows, for training); cv_mkl() with default",
  "kernels as it is, with the fixed grid on standard columns by its own rule and by rule = \"best\",",
  "all on the same folds; e1071::tune.svm() over 7 gamma and 5",
  "cost, columns standardised. In brackets the standard error of the paired difference; the verdict is",
  "that of chosen against the fixed grid, by two standard errors."),
  settings$splits, settings$rows),
  do.call(rbind, rows))
