# The optimisers of mkl_control() beside each other: MNIST, odd against even digits, 50 Gaussians on
# all columns, which all of them solve on all rows at once.
# usage: Rscript bench/optimizers.R [n=1000] [p=1,4/3,2,4] [runs=3] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 1000, p = c(1, 4 / 3, 2, 4), runs = 3, limit = 60)
data <- fresh("read_digits(%d)", settings$n)
optimizers <- c("interleaved", "wrapper", "newton", "cutting_plane", "level", "reduced_gradient")

one_fit <- function(optimizer, p) {
  function() fit_mkl(data, p, settings$limit, optimizer = optimizer)
}

one_p <- function(p) {
  possible <- if (p == 1) optimizers else setdiff(optimizers, "reduced_gradient")
  programs <- lapply(stats::setNames(nm = possible), one_fit, p)
  turns <- in_turns(programs, settings$runs)
  data.frame(p = signif(p, 3), optimizer = possible, median = seconds_text(turns$median),
             `fastest to slowest` = apply(turns$seconds, 2, spread_text),
             `SVM solves` = vapply(turns$values, `[[`, 0, "solves"),
             gap = vapply(turns$values, gap_text, ""), row.names = NULL, check.names = FALSE)
}

section("Optimisers", sprintf("n = %d, 50 Gaussians, C = 1, gap 1e-3; %s.", settings$n,
                              medians_text(settings$runs)),
        do.call(rbind, lapply(settings$p, one_p)))
