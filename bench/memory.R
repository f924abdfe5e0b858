# How much memory a fit takes beyond the session with its data, at most.
# usage: Rscript bench/memory.R [n=10000] [p=4/3] [limit=60]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, p = 4 / 3, limit = 60)

digits <- fresh("read_digits(%d)", settings$n)
taken <- with_memory(fit_mkl(digits, settings$p, settings$limit))
section("Memory", sprintf("MNIST odd/even, n = %d, 50 Gaussians, C = 1, p = %s, gap 1e-3.",
                          settings$n, round(settings$p, 2)), data.frame(
  time = seconds_text(taken$seconds), peak = megabytes_text(taken$megabytes),
  `the fit's account` = megabytes_text(taken$value$memory / 2^20), gap = gap_text(taken$value),
  check.names = FALSE
))
report_bars(bar(sprintf("n = %d: peak memory over the session with data loaded", settings$n),
                taken$megabytes, 700, 400, " MB", gaps_note(list(taken$value))))
