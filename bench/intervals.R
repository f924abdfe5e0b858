# How often the intervals of assess() cover the true value: a fit that stays as it is meets many test sets,
# and its true values are those on very many rows.
# usage: Rscript bench/intervals.R [repeats=2000] [draws=500] [large=200000]
# stale after: R/assess.R R/assess-intervals.R R/assess-compare.R R/measures.R

source("bench/common.R")
settings <- bench_arguments(repeats = 2000, draws = 500, large = 2e5)
quiet <- bench_control()

# ---- data ----------------------------------------------------------------------------------------

# Rows of groups of `size` that have half of the variance of columns and response in common.
draw_rows <- function(n, size = 1) {
  groups <- ceiling(n / size)
  shared <- function(k) {
    both <- matrix(rnorm(groups * k), groups)[rep(seq_len(groups), each = size)[seq_len(n)], , drop = FALSE]
    sqrt(0.5) * (both + matrix(rnorm(n * k), n))
  }
  x <- shared(4)
  colnames(x) <- letters[1:4]
  signal <- x[, 1] + 0.7 * x[, 2] + shared(1)[, 1]
  list(x = x, signal = signal, group = rep(seq_len(groups), each = size)[seq_len(n)])
}

as_classes <- function(signal, share) factor(signal > qnorm(1 - share, sd = sqrt(2.49)), labels = c("no", "yes"))

# About a third of the times are censored.
as_times <- function(signal) {
  event <- exp(signal)
  censored <- rexp(length(signal), 0.25)
  survival::Surv(pmin(event, censored), event <= censored)
}

# ---- coverage ------------------------------------------------------------------------------------

# A row for each measure: the share of test sets whose interval covers the value on many rows.
coverage <- function(what, fit, response, measures, n, size = 1, grouped = size > 1) {
  assess_rows <- function(n, size, group, draws) {
    data <- draw_rows(n, size)
    found <- assess(fit, data$x, response(data$signal), measures, group = if (group) data$group,
                    draws = draws)
    if (is.null(found$comparisons)) return(found$measures)
    table <- found$comparisons
    data.frame(measure = table$measure, estimate = table$difference, table[c("lower", "upper")],
               interval = table$test)
  }
  truth <- assess_rows(settings$large, 1, FALSE, 1)$estimate
  tables <- lapply(seq_len(settings$repeats), function(k) assess_rows(n, size, grouped, settings$draws))
  covers <- vapply(tables, function(table) table$lower <= truth & truth <= table$upper, logical(length(truth)))
  covers <- matrix(covers, length(truth))
  first <- tables[[1]]
  data.frame(`test sets` = what, measure = first$measure, interval = first$interval, value = sprintf("%.3f", truth),
             covered = sprintf("%.1f %%", 100 * rowMeans(covers, na.rm = TRUE)),
             `without interval` = sprintf("%.1f %%", 100 * rowMeans(is.na(covers))), check.names = FALSE)
}

set.seed(1)
train <- draw_rows(300)
classes <- function(share) function(signal) as_classes(signal, share)
fit_classes <- function(columns, share) {
  mkl(train$x[, columns], as_classes(train$signal, share), linear_kernel(), loss = "logistic", control = quiet)
}
even <- fit_classes(1:4, 0.5)
rare <- fit_classes(1:4, 0.2)
numbers <- mkl(train$x, train$signal, linear_kernel(), control = quiet)
of_classes <- c("accuracy", "balanced_accuracy", "sensitivity", "f1", "mcc", "auc", "auprc", "brier")
rows <- list(
  coverage("60 rows", even, classes(0.5), of_classes, 60),
  coverage("200 rows, 20 % positive", rare, classes(0.2), of_classes, 200),
  coverage("30 groups of 5", even, classes(0.5), of_classes, 150, 5),
  coverage("30 groups of 5, taken as 150 rows", even, classes(0.5), c("accuracy", "auc"), 150, 5, FALSE),
  coverage("60 rows", numbers, identity, c("rmse", "mae", "r2"), 60),
  coverage("30 groups of 5", numbers, identity, c("rmse", "mae", "r2"), 150, 5),
  coverage("100 rows, two fits: their difference", list(a = even, b = fit_classes(2:4, 0.5)), classes(0.5),
           c("accuracy", "auc", "brier"), 100)
)
if (has_package("survival")) {
  settings$large <- min(settings$large, 20000) # all pairs of rows are looked at
  times <- mkl(train$x, as_times(train$signal), linear_kernel(), control = quiet)
  rows <- c(rows, list(coverage("80 rows", times, as_times, "concordance", 80),
                       coverage("30 groups of 5", times, as_times, "concordance", 150, 5)))
}
section("Intervals of assess(), level 95 %", paste(
  "A fit of 300 rows is assessed on", settings$repeats, "test sets, with", settings$draws, "bootstrap draws. The",
  "true value is that on", format(settings$large, big.mark = ",", scientific = FALSE), "rows or more. Groups have",
  "half of the variance of columns and response in common."
), do.call(rbind, rows))
