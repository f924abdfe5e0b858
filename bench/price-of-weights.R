# What learning the kernel weights costs: p = 4/3 against p = Inf, the plain support vector machine
# on the sum of the same kernels, fitted by the same program.
# usage: Rscript bench/price-of-weights.R [n=4000,10000] [p=4/3] [runs=5] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(4000, 10000), p = 4 / 3, runs = 5, limit = 60)

compare <- function(n) {
  digits <- read_digits(n)
  fit <- function(p) fit_mkl(digits, p, settings$limit)
  turns <- in_turns(list("p = Inf" = function() fit(Inf), "weights" = function() fit(settings$p)),
                    settings$runs)
  section(sprintf("The price of weights, n = %d", n), sprintf(
    "MNIST odd/even, 50 Gaussians, C = 1, gap 1e-3, p = %s against p = Inf; %s.",
    round(settings$p, 2), medians_text(settings$runs)), time_table(turns))
  bar(sprintf("MKL (p = %s) against our own p = Inf fit, n = %d", round(settings$p, 2), n),
      turns$median[[2]] / turns$median[[1]], 2, 1.3, fits = turns$values)
}

report_bars(do.call(rbind, lapply(settings$n, compare)))
