# The protocol of the level-method papers: Gaussians of ten widths and polynomials of three degrees,
# on all features and on each of them, C = 100, p = 1, gap 1e-2, on half of the ionosphere data.
# usage: Rscript bench/ionosphere.R [n=175] [C=100] [runs=5] [limit=60]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 175, C = 100, runs = 5, limit = 60)

data <- read_level_set("ionosphere")
set.seed(1)
rows <- sample(nrow(data$x), settings$n)
x <- scale(data$x[rows, ])
x <- x[, colSums(is.finite(x)) > 0, drop = FALSE]
y <- data$y[rows]
kernels <- c(gaussian_kernel(2^(-3:6)), polynomial_kernel(1:3))
M <- length(kernels) * (ncol(x) + 1)
kernels <- c(kernels, per_feature(kernels))

turns <- in_turns(list("mkl, p = 1" = function() {
  mkl(x, y, kernels, p = 1, C = settings$C, normalize = "trace", scale = FALSE,
      control = bench_control(settings$limit, tol = 1e-2))
}), settings$runs)
section("Ionosphere", sprintf(paste(
  "%d kernels, n = %d, C = %g, normalised to unit trace, gap 1e-2; median of %d runs."), M,
  settings$n, settings$C, settings$runs), time_table(turns))
report_bars(bar(sprintf("ionosphere: %d kernels on single features and all features, n = %d, p = 1",
                        M, settings$n),
                turns$median[[1]], 0.5, 0.1, " s", turns$values))
