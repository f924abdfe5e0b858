# Two workers of one thread against one process of one thread: one fit whose rows are shared
# (mkl_control(cluster = )), and a cross-validation. Seconds of the clock need a machine without other work;
# processor seconds of the calling session and of the busiest worker are those that waiting does not touch.
# usage: Rscript bench/workers.R [n=200000] [p=4/3] [kernels=20] [rows=1500] [columns=20] [repeats=10]
# stale after: fit R/blocks.R R/block-shares.R R/work-run.R R/work-backends.R R/cv-workers.R

source("bench/common.R")
s <- bench_arguments(n = 2e5, p = 4 / 3, kernels = 20, rows = 1500, columns = 20, repeats = 10)
Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep)) # of the workers
invisible(loadNamespace("future"))

noisy <- function(n, columns) {
  set.seed(1)
  x <- matrix(rnorm(n * columns), n)
  inside <- rowSums(x[, 1:3]^2) > 2.4
  list(x = x, y = factor(xor(inside, runif(n) < 0.1)))
}

processor_seconds <- function() sum(proc.time()[c("user.self", "sys.self")])

# list(row, value): a row of the table, and what f() gives on that many workers.
taken_on <- function(workers, f) {
  if (workers > 1) future::plan("multisession", workers = workers) else future::plan("sequential")
  seconds <- function() {
    nodes <- if (workers > 1) future::plan("backend")$workers
    c(processor_seconds(), if (workers > 1) unlist(parallel::clusterCall(nodes, processor_seconds)))
  }
  before <- seconds()
  clock <- system.time(value <- f(workers))[["elapsed"]]
  used <- seconds() - before
  list(row = data.frame(workers = workers, `clock (s)` = round(clock, 1), `session (processor s)` = round(used[[1L]], 1),
                        `busiest worker (processor s)` = if (workers > 1) round(max(used[-1L]), 1) else 0,
                        check.names = FALSE), value = value, clock = clock)
}

compare <- function(title, text, f) {
  taken <- lapply(1:2, taken_on, f)
  section(title, text, do.call(rbind, lapply(taken, `[[`, "row")))
  taken
}

data <- noisy(s$n, 10)
fits <- compare("One fit", sprintf("n = %d, %d Gaussian kernels on 10 columns, p = %.3g, chunking.", s$n, s$kernels, s$p),
                function(workers) {
  mkl(data$x, data$y, gaussian_kernel(10 * 2^seq(-4, 5, length.out = s$kernels)), p = s$p, normalize = "none",
      control = bench_control(optimizer = "chunking", threads = 1, cluster = if (workers > 1) TRUE))
})
grid <- noisy(s$rows, s$columns)
folds <- compare("Cross-validation", sprintf("n = %d, 5 Gaussian kernels on %d columns, 54 cells, 5 folds, %d repeats.",
                                             s$rows, s$columns, s$repeats), function(workers) {
  set.seed(7)
  cv_mkl(grid$x, grid$y, gaussian_kernel(s$columns * 2^(-2:2)), p = c(1, 4 / 3, 1.5, 2, 4, Inf), C = 2^(-3:5),
         folds = 5, repeats = s$repeats, control = bench_control(threads = 1))
})
future::plan("sequential")
section("What was sent", "", folds[[2L]]$value$work)
ratio <- function(taken) taken[[1L]]$clock / taken[[2L]]$clock
report_bars(
  bar(sprintf("n = %d, two workers over one process", s$n), ratio(fits), 1.6, fits = list(fits[[2L]]$value), higher = TRUE),
  bar(sprintf("cross-validation, %d fits, two workers over one process", 54 * 5 * s$repeats), ratio(folds), 1.67,
      higher = TRUE)
)
