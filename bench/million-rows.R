# Noisy classes by both optimisers of the default, as rows become more: processor seconds on one thread, and
# passes, the cost of predicting the training rows once in the same run; the gap after each step of the weights.
# The numbers beside MANY_SAMPLES in src/optimizer/optimizers.c are these.
# usage: Rscript bench/million-rows.R [n=12500,25000,50000,100000] [limit=900]
# stale after: fit src/chunking

source("bench/common.R")
settings <- bench_arguments(n = c(12500, 25000, 50000, 100000), limit = 900)

noisy_classes <- function(n, d = 10) {
  set.seed(1)
  x <- matrix(rnorm(n * d), n)
  inside <- rowSums(x[, 1:3]^2) > 2.4
  list(x = x, y = factor(xor(inside, runif(n) < 0.1)))
}

processor_seconds <- function(work) sum(system.time(work())[c("user.self", "sys.self")])

# The fit with its processor seconds, and those of a pass.
timed_fit <- function(n, optimizer) {
  data <- noisy_classes(n)
  fit <- NULL
  seconds <- processor_seconds(function() {
    fit <<- mkl(data$x, data$y, gaussian_kernel(10 * 2^seq(-4, 5, length.out = 20)), p = 4 / 3,
                control = bench_control(settings$limit, optimizer = optimizer, threads = 1))
  })
  list(n = n, optimizer = optimizer, fit = fit, seconds = seconds,
       pass = processor_seconds(function() predict(fit, data$x)))
}

growth_row <- function(timed) {
  fit <- timed$fit
  data.frame(n = timed$n, optimizer = timed$optimizer, `processor time` = sprintf("%.1f s", timed$seconds),
             passes = signif(timed$seconds / timed$pass, 3),
             `a pass` = sprintf("%.2f s", timed$pass), memory = sprintf("%.0f MB", fit$memory / 1024^2),
             `support vectors` = length(fit$support), gap = signif(fit$gap, 2), check.names = FALSE)
}

# Shares of the fit's time on the clock, since the history has no processor time.
step_rows <- function(timed) {
  history <- timed$fit$history
  data.frame(step = seq_along(history$time) - 1,
             `share of time` = sprintf("%.0f %%", 100 * history$time / max(history$time)),
             gap = signif(history$gap, 2), check.names = FALSE)
}

runs <- expand.grid(optimizer = c("interleaved", "chunking"), n = settings$n, stringsAsFactors = FALSE)
timed <- Map(timed_fit, runs$n, runs$optimizer)
section("Noisy classes", "10 columns, 10 % label noise, 20 Gaussians, hinge loss, p = 4/3, C = 1, gap 1e-3, one thread.",
        do.call(rbind, lapply(timed, growth_row)))
last <- timed[[length(timed)]]
section("Steps of the weights", sprintf("%d rows by chunks; the last line is the certificate.", as.integer(last$n)),
        step_rows(last))
