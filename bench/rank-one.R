# A million kernels of rank one: a linear kernel on each column. The data take 8 GB and are never
# copied. LIBLINEAR, where it is installed, fits one linear SVM to the first columns.
# usage: Rscript bench/rank-one.R [n=1000] [columns=1e6] [p=2] [peer=10000] [runs=5] [limit=120]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 1000, columns = 1e6, p = 2, peer = 10000, runs = 5, limit = 120)

fit <- function(data) {
  fit_mkl(data, settings$p, settings$limit, per_feature(linear_kernel()))
}

compare <- function(data) {
  part <- list(x = data$x[, seq_len(settings$peer)], y = data$y)
  turns <- in_turns(installed_programs(list(
    "LiblineaR, 1 kernel" = function() fit_liblinear(part$x, part$y),
    "mkl, a kernel per column" = function() fit(part)
  )), settings$runs)
  section(sprintf("Linear kernels, %d columns", settings$peer), sprintf(
    "n = %d normal deviates; %s.", settings$n, medians_text(settings$runs)), time_table(turns))
}

data <- make_wide(settings$n, settings$columns)
count <- format(settings$columns, big.mark = ",", scientific = FALSE)
taken <- measured(function() fit(data), settings$runs)
section("Kernels of rank one", sprintf(
  "%d rows (%s of data), a linear kernel on each column, p = %s, gap 1e-3.", settings$n,
  megabytes_text(8 * settings$n * settings$columns / 2^20), round(settings$p, 2)),
  taken_row(data.frame(kernels = count), taken))
if (settings$peer < settings$columns) compare(data)
report_bars(bar(sprintf("n = %d, %s rank-one linear kernels, p = %s, gap 1e-3", settings$n, count,
                        round(settings$p, 2)),
                taken$median, 20, 8, " s", list(taken$value)))
