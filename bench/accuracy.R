# The price of a hundred times the accuracy: gap 1e-5 against gap 1e-3.
# usage: Rscript bench/accuracy.R [n=10000] [p=4/3] [runs=5] [limit=120]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, p = 4 / 3, runs = 5, limit = 120)

digits <- read_digits(settings$n)
fit <- function(tol) fit_mkl(digits, settings$p, settings$limit, tol = tol)
turns <- in_turns(list("gap 1e-3" = function() fit(1e-3), "gap 1e-5" = function() fit(1e-5)),
                  settings$runs)
section("Accuracy", sprintf(
  "MNIST odd/even, n = %d, 50 Gaussians, C = 1, p = %s; %s.", settings$n,
  round(settings$p, 2), medians_text(settings$runs)), time_table(turns))
report_bars(bar(sprintf("gap 1e-5 against gap 1e-3, n = %d", settings$n),
                turns$median[[2]] / turns$median[[1]], 1.6, 1.3, fits = turns$values))
