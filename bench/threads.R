# Two threads against one.
# usage: Rscript bench/threads.R [n=10000] [p=4/3] [threads=2] [runs=5] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, p = 4 / 3, threads = 2, runs = 5, limit = 60)

digits <- read_digits(settings$n)
fit <- function(threads) fit_mkl(digits, settings$p, settings$limit, threads = threads)
programs <- list(function() fit(1), function() fit(settings$threads))
names(programs) <- c("1 thread", paste(settings$threads, "threads"))
turns <- in_turns(programs, settings$runs)
section("Threads", sprintf(
  "MNIST odd/even, n = %d, 50 Gaussians, C = 1, p = %s, gap 1e-3; %s.",
  settings$n, round(settings$p, 2), medians_text(settings$runs)), time_table(turns))
report_bars(bar(sprintf("%d threads against 1, n = %d", settings$threads, settings$n),
                turns$median[[1]] / turns$median[[2]], 1.4, 1.8, "x faster",
                turns$values, higher = TRUE))
