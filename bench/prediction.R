# Prediction: new rows times support vectors times kernels.
# usage: Rscript bench/prediction.R [n=10000] [new=10000] [p=4/3] [runs=5] [limit=60]
# stale after: fit R/predict.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 10000, new = 10000, p = 4 / 3, runs = 5, limit = 60)

digits <- read_digits(settings$n + settings$new)
train <- seq_len(settings$n)
known <- list(x = digits$x[train, ], y = digits$y[train])
new <- digits$x[-train, ]
fit <- quiet(fit_mkl(known, settings$p, settings$limit))
plain <- attempt(fit_e1071(known$x, known$y, widths[26]))
turns <- in_turns(installed_programs(list(
  "e1071, 1 kernel" = function() stats::predict(plain, new),
  "mkl, 50 kernels" = function() predict(fit, new)
)), settings$runs)
section("Prediction", sprintf(paste(
  "%d new digits, 50 Gaussians, %d support vectors (e1071: %s); %s."),
  settings$new, length(fit$support), if (is_failure(plain)) "-" else plain$tot.nSV,
  medians_text(settings$runs)), time_table(turns))
report_bars(bar(sprintf("predict: %d rows x %d support vectors x 50 kernels", settings$new,
                        length(fit$support)),
                turns$median[["mkl, 50 kernels"]], 1, unit = " s", fits = list(fit)))
