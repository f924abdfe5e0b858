# Group matching pursuit: the time of a path, what it takes when memory is short, and what other
# ways to compute the same path would take. One kernel is measured for those and counted for all: a
# factorisation by R's chol(), an eigendecomposition by R's eigen().
# usage: Rscript bench/gomp.R [n=1000,2000] [steps=20] [columns=20000] [runs=3] [limit=300]
# stale after: src/base src/kernel src/exact src/low-rank src/rows pursuit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(1000, 2000), steps = 20, columns = 20000, runs = 3, limit = 300)

pursue <- function(data, kernels, ...) {
  mkl_gomp(data$x, data$y, kernels, lambda = 1e-3, max_kernels = settings$steps,
           normalize = "none", scale = FALSE,
           control = bench_control(settings$limit, ...))
}

# Seconds of the parts of a plain path: factors of all kernels, one solve per kernel and step, one
# factor per step.
plain_path <- function(data, factor, solve) {
  K <- exp(-as.matrix(stats::dist(data$x))^2 / widths[25])
  diag(K) <- 1 + nrow(K) * 1e-3
  y <- ifelse(data$y == data$y[1], -1, 1)
  parts <- run_once(function() factor(K))
  once <- run_once(function() solve(parts$value, y))$seconds
  parts$seconds * length(widths) + once * length(widths) * settings$steps
}

gaussian_paths <- function(n) {
  data <- read_digits(n)
  all <- gaussian_kernel(widths)
  room <- sprintf("%.0fMB", 4 * 8 * n^2 / 2^20) # for four matrices
  turns <- in_turns(list(
    `pursuit, all factors kept` = function() pursue(data, all),
    `pursuit, one thread` = function() pursue(data, all, threads = 1),
    `pursuit, room for four matrices` = function() pursue(data, all, cache = room)
  ), settings$runs, enough = 60)
  plain <- c(
    `R: chol() of every kernel once` =
      plain_path(data, chol, function(L, y) backsolve(L, y, transpose = TRUE)),
    `R: eigen() of every kernel once` =
      plain_path(data, function(K) eigen(K, symmetric = TRUE), function(e, y) {
        crossprod(e$vectors, y)
      })
  )
  table <- time_table(turns)
  table$`bytes of factors and systems` <- vapply(turns$values, function(fit) {
    megabytes_text(fit$memory / 2^20)
  }, "")
  rest <- table[rep(1, length(plain)), ]
  rest[] <- "-"
  rest$program <- names(plain)
  rest$median <- seconds_text(plain)
  rest$ratio <- ratio_text(plain / turns$median[[1]])
  section(sprintf("A path of %d of 50 Gaussians, n = %d", settings$steps, n), sprintf(paste(
    "MNIST odd/even, penalty 1e-3, with the certificate of every step; %s. Ways in R: one kernel",
    "measured, times 50; kernel matrices, refits and certificates not counted."),
    medians_text(settings$runs)), rbind(table, rest))
  fits <- turns$values
  same <- all(vapply(fits, function(fit) identical(fit$order, fits[[1]]$order), NA))
  cat(sprintf("The paths are %s.\n\n", if (same) "the same" else "NOT the same"))
  rbind(
    bar(sprintf("path of %d of 50 Gaussians against chol() of all of them in R, n = %d",
                settings$steps, n), turns$median[[1]] / plain[[1]], 1, 0.3, fits = fits[1]),
    bar(sprintf("two threads against one, path of %d of 50 Gaussians, n = %d", settings$steps, n),
        turns$median[[2]] / turns$median[[1]], 1.3, 1.7, unit = "x faster", higher = TRUE,
        fits = fits[1:2])
  )
}

# One linear kernel per column, as in genomics: no matrix of rows by rows is made.
column_paths <- function(n, columns) {
  data <- make_wide(n, columns)
  program <- function() {
    mkl_gomp(data$x, data$y, per_feature(linear_kernel()), lambda = 1e-3,
             max_kernels = settings$steps, scale = FALSE,
             control = bench_control(settings$limit))
  }
  turns <- in_turns(list(`pursuit` = program), settings$runs, enough = 60)
  table <- time_table(turns)
  table$`bytes of factors and systems` <- megabytes_text(turns$values[[1]]$memory / 2^20)
  section(sprintf("A path of %d of %d columns, n = %d", settings$steps, columns, n),
          "One linear kernel per column.", table)
  bar(sprintf("path of %d of %d single columns, n = %d", settings$steps, columns, n),
      turns$median[[1]], 5, 2, unit = " s", fits = turns$values)
}

report_bars(do.call(rbind, lapply(settings$n, gaussian_paths)),
            column_paths(1000, settings$columns))
