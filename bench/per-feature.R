# One Gaussian kernel for each pixel: no two kernels share a distance.
# usage: Rscript bench/per-feature.R [n=2000] [p=4/3] [width=1] [runs=5] [limit=180]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 2000, p = 4 / 3, width = 1, runs = 5, limit = 180)

digits <- fresh("read_digits(%d)", settings$n)
kernels <- per_feature(gaussian_kernel(settings$width))
taken <- measured(function() fit_mkl(digits, settings$p, settings$limit, kernels), settings$runs)
section("A Gaussian for each feature", "MNIST odd/even, 784 kernels, C = 1, gap 1e-3.",
        taken_row(data.frame(n = settings$n, p = round(settings$p, 2)), taken))
work <- sprintf("784 per-feature Gaussians, n = %d, p = %s, gap 1e-3", settings$n,
                round(settings$p, 2))
fits <- list(taken$value)
report_bars(bar(work, taken$median, 60, 15, " s", fits),
            bar(paste0(work, ": peak memory"), taken$megabytes / 1024, 2, unit = " GB",
                fits = fits))
