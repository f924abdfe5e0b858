# Many rows: 50,000 digits, the MNIST test digits and their copies moved by one pixel; and noisy classes,
# by both optimisers of the default, in processor seconds and in passes, the cost of predicting the
# training rows once in the same run. The numbers beside MANY_SAMPLES in src/optimizer/optimizers.c are these.
# usage: Rscript bench/many-rows.R [n=50000] [p=2] [runs=5] [limit=300] [cache=6GB]
#                                  [noisy=12500,25000,50000,100000]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 50000, p = 2, runs = 5, limit = 300, cache = "6GB",
                            noisy = c(12500, 25000, 50000, 100000))

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

# ---- noisy classes -------------------------------------------------------------------------------

noisy_classes <- function(n, d = 10) {
  set.seed(1)
  x <- matrix(rnorm(n * d), n)
  inside <- rowSums(x[, 1:3]^2) > 2.4
  list(x = x, y = factor(xor(inside, runif(n) < 0.1)))
}

processor_seconds <- function(work) sum(system.time(work())[c("user.self", "sys.self")])

noisy_row <- function(n, optimizer) {
  data <- noisy_classes(n)
  fit <- NULL
  seconds <- processor_seconds(function() {
    fit <<- mkl(data$x, data$y, gaussian_kernel(10 * 2^seq(-4, 5, length.out = 20)), p = 4 / 3,
                control = bench_control(settings$limit, optimizer = optimizer, threads = 1))
  })
  pass <- processor_seconds(function() predict(fit, data$x))
  data.frame(n = n, optimizer = optimizer, `processor time` = sprintf("%.1f s", seconds),
             passes = signif(seconds / pass, 3), memory = sprintf("%.0f MB", fit$memory / 1024^2),
             `support vectors` = length(fit$support), gap = signif(fit$gap, 2), check.names = FALSE)
}

rows <- expand.grid(optimizer = c("interleaved", "chunking"), n = settings$noisy,
                    stringsAsFactors = FALSE)
section("Noisy classes", "10 columns, 10 % label noise, 20 Gaussians, hinge loss, p = 4/3, one thread.",
        do.call(rbind, Map(noisy_row, rows$n, rows$optimizer)))
