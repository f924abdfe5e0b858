# One Gaussian kernel for each pixel: no two kernels share a distance.
# usage: Rscript bench/per-feature.R [n=2000] [p=4/3] [width=1] [limit=180]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 2000, p = 4 / 3, width = 1, limit = 180)

digits <- fresh("read_digits(%d)", settings$n)
taken <- with_memory(fit_mkl(digits, settings$p, settings$limit,
                                   per_feature(gaussian_kernel(settings$width))))
section("A Gaussian for each feature", sprintf(
  "MNIST odd/even, n = %d, %d kernels, C = 1, p = %s, gap 1e-3.", settings$n,
  length(taken$value$theta), round(settings$p, 2)), data.frame(
  time = seconds_text(taken$seconds), peak = megabytes_text(taken$megabytes),
  support = length(taken$value$support), gap = gap_text(taken$value)
))
work <- sprintf("%d per-feature Gaussians, n = %d, p = %s, gap 1e-3", length(taken$value$theta),
                settings$n, round(settings$p, 2))
note <- gaps_note(list(taken$value))
report_bars(bar(work, taken$seconds, 60, 15, " s", note),
            bar(paste0(work, ": peak memory"), taken$megabytes / 1024, 2, 1, " GB", note))
