# The table in README.md: time, memory and accuracy of a certified fit with many kernels beside one
# support vector machine of e1071 and of kernlab with one kernel.
# usage: Rscript bench/facts.R [n=4000] [test=2000] [runs=3]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 4000, test = 2000, runs = 3)

digits <- fresh("read_digits(%d)", settings$n + settings$test)
train <- list(x = digits$x[seq_len(settings$n), ], y = digits$y[seq_len(settings$n)])
test <- list(x = digits$x[-seq_len(settings$n), ], y = digits$y[-seq_len(settings$n)])
width <- 1.2^25 # of the middle of the 50

programs <- list(
  `manykernels, 50 Gaussians` = function() fit_mkl(train, 4 / 3, Inf, C = 10),
  `e1071, one Gaussian` = function() fit_e1071(train$x, train$y, width, C = 10),
  `kernlab, one Gaussian` = function() fit_kernlab(train$x, train$y, width, C = 10)
)
programs <- programs[c(TRUE, has_package("e1071"), has_package("kernlab"))]

taken <- lapply(programs, measured, runs = settings$runs)
error_of <- function(fit) {
  predict <- if (isS4(fit)) kernlab::predict else stats::predict
  sprintf("%.2f %%", 100 * mean(predict(fit, test$x) != test$y))
}
table <- data.frame(
  program = names(programs),
  time = vapply(taken, function(one) seconds_text(one$median), ""),
  memory = vapply(taken, function(one) megabytes_text(one$megabytes), ""),
  `relative duality gap` = vapply(taken, function(one) gap_text(one$value), ""),
  `test error` = vapply(taken, function(one) error_of(one$value), ""), check.names = FALSE
)
section("Many kernels beside one", sprintf(paste(
  "MNIST, odd against even digits, %s rows of 784 columns, C = 10, %d cores; medians of %d runs.",
  "manykernels learns the weights of 50 widths; the others take one that suits these data.",
  "Errors on %s other digits."),
  format(settings$n, big.mark = ","), parallel::detectCores(), settings$runs,
  format(settings$test, big.mark = ",")), table)
