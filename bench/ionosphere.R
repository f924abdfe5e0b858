# The level-method papers' protocol (bench/level-kernels.R) on the first of its random halves of the
# ionosphere data.
# usage: Rscript bench/ionosphere.R [runs=5] [limit=60]
# stale after: fit bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/level-kernels.R")
settings <- bench_arguments(runs = 5, limit = 60)

train <- random_half(read_level_set("ionosphere"), 1)$train
turns <- in_turns(list("mkl, p = 1" = function() fit_level(train, limit = settings$limit)),
                  settings$runs)
fit <- turns$values[[1]]
M <- if (is_fit(fit)) length(fit$theta) else NA
section("Ionosphere", sprintf("%d kernels, n = %d, gap 1e-2; median of %d runs.", M,
                              nrow(train$x), settings$runs), time_table(turns))
report_bars(bar(sprintf("ionosphere: %d kernels on single features and all features, n = %d, p = 1",
                        M, nrow(train$x)),
                turns$median[[1]], 0.5, 0.1, " s", turns$values))
