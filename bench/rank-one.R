# A million kernels of rank one: a linear kernel on each column. The data take 8 GB and are never
# copied. LIBLINEAR, where it is installed, fits one linear machine to the first columns.
# usage: Rscript bench/rank-one.R [n=1000] [columns=1e6] [p=2] [peer=10000] [limit=120]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 1000, columns = 1e6, p = 2, peer = 10000, limit = 120)

fit <- function(data) {
  fit_mkl(data, settings$p, settings$limit, per_feature(linear_kernel()))
}

# type 3: hinge loss, L2 penalty; the bias is a feature
compare <- function(data) {
  part <- list(x = data$x[, seq_len(settings$peer)], y = data$y)
  turns <- in_turns(installed_programs(list(
    "LiblineaR, 1 kernel" = function() {
      LiblineaR::LiblineaR(part$x, part$y, type = 3, cost = 1, epsilon = 1e-3)
    },
    "manykernels, a kernel per column" = function() fit(part)
  )), 3)
  section(sprintf("Linear kernels, %d columns", settings$peer),
          sprintf("n = %d normal deviates; medians of 3 in turns.", settings$n), time_table(turns))
}

data <- make_wide(settings$n, settings$columns)
count <- format(settings$columns, big.mark = ",", scientific = FALSE)
taken <- with_memory(fit(data))
section("Kernels of rank one", sprintf("%d rows, a linear kernel on each column, p = %s, gap 1e-3.",
                                       settings$n, round(settings$p, 2)), data.frame(
  kernels = count,
  data = megabytes_text(8 * settings$n * settings$columns / 2^20),
  time = seconds_text(taken$seconds), `peak beyond the data` = megabytes_text(taken$megabytes),
  gap = gap_text(taken$value), check.names = FALSE
))
if (settings$peer < settings$columns) compare(data)
report_bars(bar(sprintf("n = %d, %s rank-one linear kernels, p = %s, gap 1e-3", settings$n, count,
                        round(settings$p, 2)),
                taken$seconds, 20, 8, " s", gaps_note(list(taken$value))))
