# Many rows: 50,000 digits, the MNIST test digits and their copies moved by one pixel.
# usage: Rscript bench/many-rows.R [n=50000] [p=2] [limit=300]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 50000, p = 2, limit = 300)

digits <- fresh("read_digits(%d)", settings$n)
taken <- with_memory(fit_mkl(digits, settings$p, settings$limit))
section("Many rows", sprintf("Shifted MNIST digits odd/even, n = %d, 50 Gaussians, C = 1, p = %s.",
                             settings$n, round(settings$p, 2)), data.frame(
  time = seconds_text(taken$seconds), peak = megabytes_text(taken$megabytes),
  support = length(taken$value$support), gap = gap_text(taken$value)
))
work <- sprintf("n = %d (shifted digits), p = %s, gap 1e-3", settings$n, round(settings$p, 2))
note <- gaps_note(list(taken$value))
report_bars(bar(work, taken$seconds, 120, 30, " s", note),
            bar(paste0(work, ": peak memory"), taken$megabytes / 1024, 8, 4, " GB", note))
