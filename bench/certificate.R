# What the certificate costs: duality_gap(), which every fit has inside, against the fit's rest.
# usage: Rscript bench/certificate.R [n=10000] [p=4/3] [runs=5] [limit=60]
# stale after: fit R/duality-gap.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, p = 4 / 3, runs = 5, limit = 60)

digits <- read_digits(settings$n)
fit <- NULL
turns <- in_turns(list(
  "mkl()" = function() fit <<- fit_mkl(digits, settings$p, settings$limit),
  "duality_gap()" = function() duality_gap(fit, digits$x, digits$y)
), settings$runs)
rest <- turns$median[["mkl()"]] - turns$median[["duality_gap()"]]
section("The certificate", sprintf(
  "MNIST odd/even, n = %d, 50 Gaussians, C = 1, p = %s, gap 1e-3; %s.",
  settings$n, round(settings$p, 2), medians_text(settings$runs)), time_table(turns))
report_bars(bar(sprintf("duality_gap() against the rest of the fit, n = %d", settings$n),
                turns$median[["duality_gap()"]] / max(rest, 0), 1, 0.4,
                fits = turns$values[1]))
