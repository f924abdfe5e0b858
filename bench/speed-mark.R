# The speed mark: mkl() with 50 Gaussian kernels against one plain support vector machine with one
# of them, on MNIST, odd against even digits, same rows, same C, in turns.
# usage: Rscript bench/speed-mark.R [n=4000,8000] [p=1,4/3,2,4] [runs=5] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(4000, 8000), p = c(1, 4 / 3, 2, 4), runs = 5, limit = 60)

compare <- function(n) {
  digits <- read_digits(n)
  models <- lapply(settings$p, function(p) function() fit_mkl(digits, p, settings$limit))
  names(models) <- paste("mkl, 50 kernels, p =", round(settings$p, 2))
  programs <- c(installed_programs(list(
    "e1071, 1 kernel" = function() fit_e1071(digits$x, digits$y, widths[26]),
    "kernlab, 1 kernel" = function() fit_kernlab(digits$x, digits$y, widths[26])
  )), models)
  turns <- in_turns(programs, settings$runs)
  section(sprintf("Speed mark, n = %d", n), sprintf(
    "MNIST odd/even, C = 1, %d Gaussian kernels, gap 1e-3; %s.",
    length(widths), medians_text(settings$runs)), time_table(turns))
  ratios <- turns$median[names(models)] / turns$median["e1071, 1 kernel"]
  large <- n >= 8000
  bar(sprintf("50 Gaussians against one e1071 SVM, n = %d, slowest of p = %s", n,
              paste(round(settings$p, 2), collapse = ", ")),
      max(ratios), if (large) 0.12 else 0.15, if (large) 0.06 else 0.08,
      fits = turns$values[names(models)])
}

report_bars(do.call(rbind, lapply(settings$n, compare)))
