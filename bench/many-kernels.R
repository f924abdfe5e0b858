# Many kernels on the same features: the time to fit against that of 50 kernels.
# usage: Rscript bench/many-kernels.R [n=1000] [kernels=50,1000,10000] [p=1,4/3,2] [runs=5]
#        [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 1000, kernels = c(50, 1000, 10000), p = c(1, 4 / 3, 2), runs = 5,
                            limit = 60)

digits <- read_digits(settings$n)
# All sets span the same widths.
fit <- function(M, p) {
  fit_mkl(digits, p, settings$limit, gaussian_kernel(1.2^seq(0, 49, length.out = M)))
}

compare <- function(p) {
  programs <- lapply(settings$kernels, function(M) function() fit(M, p))
  names(programs) <- paste(settings$kernels, "kernels")
  turns <- in_turns(programs, settings$runs)
  section(sprintf("Many kernels, p = %s", round(p, 2)), sprintf(
    "MNIST odd/even, n = %d, C = 1, gap 1e-3; %s.", settings$n, medians_text(settings$runs)),
    time_table(turns))
  last <- length(programs)
  bar(sprintf("n = %d, %d Gaussians against %d, p = %s", settings$n, settings$kernels[last],
              settings$kernels[1], round(p, 2)),
      turns$median[[last]] / turns$median[[1]], if (p == 1) 12 else 4, if (p == 1) 4 else 2,
      fits = turns$values)
}

report_bars(do.call(rbind, lapply(settings$p, compare)))
