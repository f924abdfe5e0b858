# What a job of cv_mkl() on a cluster takes, to set its time and memory: processor time of a chain of fits (one
# fold, one p, all C), bytes that travel, and peak memory. One thread, Gaussian kernels on all columns, classes with
# noise.
# usage: Rscript bench/jobs.R [n=250,500,1000,2000] [kernels=5] [columns=20] [folds=5]
# stale after: model R/cv-engine.R R/cv-workers.R R/work-run.R

source("bench/common.R")
s <- bench_arguments(n = c(250, 500, 1000, 2000), kernels = 5, columns = 20, folds = 5)

job <- function(n, kernels, columns, folds) {
  set.seed(1)
  x <- matrix(stats::rnorm(n * columns), n)
  y <- factor(ifelse(x[, 1] * x[, 2] + x[, 3] + stats::rnorm(n) > 0, "a", "b"))
  set <- gaussian_kernel(2^seq(-2, 4, length.out = kernels))
  before <- reset_peak()
  began <- sum(proc.time()[c("user.self", "sys.self")])
  cv_mkl(x, y, set, p = c(1, 2), C = 2^(-3:5), folds = rep_len(seq_len(folds), n), scale = FALSE,
         control = mkl_control(threads = 1, progress = FALSE))
  seconds <- sum(proc.time()[c("user.self", "sys.self")]) - began
  data.frame(rows = n, kernels = kernels, chains = 2 * folds, `processor time, s` = round(seconds, 1),
             `of a chain, s` = signif(seconds / (2 * folds), 2),
             `data, MB` = round(as.numeric(utils::object.size(x)) / 1e6, 2),
             `peak over the session, MB` = round(process_status("VmHWM") - before), check.names = FALSE)
}

cells <- expand.grid(n = s$n, kernels = s$kernels)
table <- do.call(rbind, Map(function(n, kernels) in_session(job, n, kernels, s$columns, s$folds), cells$n, cells$kernels))
section("Sizes and times of jobs", sprintf(paste(
  "%g columns, %g folds, p = 1 and 2, 9 values of C from 1/8 to 32, one thread. A chain is one fold at one p with",
  "all C; its time is the mean, with the kernels of the fold and its share of the fit to all rows."), s$columns, s$folds), table)
