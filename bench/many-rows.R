# Many rows: 50,000 digits, the MNIST test digits and their copies moved by one pixel.
# usage: Rscript bench/many-rows.R [n=50000] [p=2] [runs=5] [limit=300] [cache=6GB]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 50000, p = 2, runs = 5, limit = 300, cache = "6GB")

digits <- fresh("read_digits(%d)", settings$n)
fit <- function() fit_mkl(digits, settings$p, settings$limit, cache = settings$cache)
taken <- measured(fit, settings$runs)
section("Many rows", "Shifted MNIST digits odd/even, 50 Gaussians, C = 1, gap 1e-3.",
        taken_row(data.frame(n = settings$n, p = round(settings$p, 2), cache = settings$cache),
                  taken))
work <- sprintf("n = %d (shifted digits), p = %s, gap 1e-3", settings$n, round(settings$p, 2))
fits <- list(taken$value)
report_bars(bar(work, taken$median, 120, 30, " s", fits),
            bar(paste0(work, ": peak memory"), taken$megabytes / 1024, 8, 4, " GB", fits))
