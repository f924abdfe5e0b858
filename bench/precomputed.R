# Kernels given as a list of R matrices, never copied: time from the list to the fit, checks of the
# matrices included, and memory beyond the list.
# usage: Rscript bench/precomputed.R [n=2000] [kernels=50] [p=4/3] [runs=5] [limit=60]
# stale after: fit R/precomputed.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 2000, kernels = 50, p = 4 / 3, runs = 5, limit = 60)

data <- fresh("make_matrices(%d, %d)", settings$n, settings$kernels)
matrices <- data$x

fit <- function() {
  fit_mkl(list(y = data$y), settings$p, settings$limit, precomputed_kernel(matrices))
}
# e1071 takes no kernel matrices
middle <- matrices[[ceiling(settings$kernels / 2)]]
taken <- measured(fit)
turns <- in_turns(c(list("mkl" = fit), installed_programs(list(
  "kernlab, 1 matrix" = function() {
    kernlab::ksvm(kernlab::as.kernelMatrix(middle), data$y, type = "C-svc", C = 1,
                  shrinking = FALSE, fit = FALSE)
  }
))), settings$runs)
input <- 8 * settings$n^2 * settings$kernels / 2^20
section("Precomputed kernels", sprintf(paste(
  "%d matrices of n = %d (%.0f MB in a list), p = %s, C = 1, gap 1e-3; %s. The first fit took at",
  "most %s beyond the list."), settings$kernels, settings$n, input, round(settings$p, 2),
  medians_text(settings$runs), megabytes_text(taken$megabytes)), time_table(turns))
work <- sprintf("n = %d, M = %d precomputed (list of R matrices), p = %s", settings$n,
                settings$kernels, round(settings$p, 2))
fits <- c(turns$values["mkl"], list(taken$value))
report_bars(bar(work, turns$median[["mkl"]], 1.5, 0.8, " s", fits),
            bar(paste0(work, ": extra memory"), 100 * taken$megabytes / input, 25, 10,
                " % of the input", fits))
