# How much memory a fit takes beyond the session with its data, at most.
# usage: Rscript bench/memory.R [n=10000] [p=4/3] [runs=5] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, p = 4 / 3, runs = 5, limit = 60)

digits <- fresh("read_digits(%d)", settings$n)
taken <- measured(function() fit_mkl(digits, settings$p, settings$limit), settings$runs)
account <- if (is_fit(taken$value)) taken$value$memory / 2^20 else NA
label <- data.frame(n = settings$n, p = round(settings$p, 2),
                    `the fit's account` = megabytes_text(account), check.names = FALSE)
section("Memory", "MNIST odd/even, 50 Gaussians, C = 1, gap 1e-3; the largest peak of all runs.",
        taken_row(label, taken))
report_bars(bar(sprintf("n = %d: peak memory over the session with data loaded", settings$n),
                taken$megabytes, 700, 400, " MB", list(taken$value)))
