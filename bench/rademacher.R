# What the empirical Rademacher complexity of 50 Gaussians costs, 200 sign vectors and all p of the
# papers' grid at once, against one pass over the kernel rows: every value of every kernel once, by
# the code of kernel_matrix(), which is one exponential each and runs on one thread. (The bare
# exponentials in vectors take a tenth of that, 0.8 ns each on the machine of the results: the bar
# would be met against these, too.) The same for 50 kernels that share nothing but their distances
# (centred ones), whose sums go one by one.
# usage: Rscript bench/rademacher.R [n=5000] [draws=200] [runs=3]
# stale after: src/base src/kernel src/exact src/low-rank src/rows src/normalize src/bound R/empirical-rademacher.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 5000, draws = 200, runs = 3)

digits <- read_digits(settings$n)
few <- digits$x[, order(-apply(digits$x, 2, stats::var))[1:20]]

# All values, some rows at a time; nothing is kept.
pass <- function(x, block = 200) {
  problem <- manykernels:::open_kernels(x, gaussian_kernel(widths), "none")
  rows <- seq_len(nrow(x))
  for (from in seq(1, nrow(x), by = block)) {
    for (m in seq_along(widths)) {
      .Call(manykernels:::C_mk_matrix, problem$handle, m, rows[from:min(from + block - 1, nrow(x))],
            rows, 1L)
    }
  }
  TRUE
}

complexity <- function(x, normalize = "none", threads = NULL) {
  old <- options(manykernels.threads = threads)
  on.exit(options(old))
  set.seed(1)
  empirical_rademacher(gaussian_kernel(widths), x, draws = settings$draws, normalize = normalize)
}

programs <- list(
  "a pass over all values, one thread" = function() pass(few),
  "empirical_rademacher(), one thread" = function() complexity(few, threads = 1),
  "empirical_rademacher(), all threads" = function() complexity(few),
  "the same on all features" = function() complexity(digits$x),
  "the same, centred kernels" = function() complexity(few, c("centre", "none"))
)
turns <- in_turns(programs, settings$runs)
section("Empirical Rademacher complexity", sprintf(
  "MNIST odd/even, n = %d, 20 features of the largest variance (or all), 50 Gaussians, %d sign
  vectors, 9 values of p; %s.", settings$n, settings$draws, medians_text(settings$runs)),
  time_table(turns)[1:4])
value <- turns$values[[2]]$terms
section("Values", "", data.frame(
  p = format(value$p, digits = 4), value = format(value$value, digits = 5),
  `standard error` = format(value$standard_error, digits = 2),
  `Corollary 9` = format(rademacher_bound(value$p, 50, settings$n, 1)$value, digits = 5),
  check.names = FALSE))
report_bars(bar(
  sprintf("empirical_rademacher(), n = %d, 50 Gaussians, %d signs, against a pass over all values",
          settings$n, settings$draws), turns$median[[2]] / turns$median[[1]], 2, 1))
