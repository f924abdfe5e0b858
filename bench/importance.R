# Importance by permutation: how long it takes, and whether its intervals keep what they promise. A view of
# noise has importance 0 by construction; that of a signal is what the same fit loses on many further rows.
# usage: Rscript bench/importance.R [columns=1000] [rows=200] [train=400] [repeats=20] [simulations=200] [part=time,intervals]
# stale after: model R/importance.R R/importance-swaps.R R/importance-scores.R src/exact/swapped.c

source("bench/common.R")
settings <- bench_arguments(columns = 1000, rows = 200, train = 400, repeats = 20, simulations = 200,
                            part = c("time", "intervals"))

rows_of <- function(views, rows) lapply(views, function(view) view[rows, , drop = FALSE])

# ---- time ----------------------------------------------------------------------------------------

# Processor seconds for all columns, by default kernels (a linear one and seven Gaussians).
time_row <- function(measure) {
  set.seed(1)
  n <- settings$train + settings$rows
  x <- matrix(rnorm(n * settings$columns), n)
  y <- factor(x[, 1] + x[, 2] * x[, 3] + rnorm(n) > 0)
  train <- seq_len(settings$train)
  fit <- mkl(x[train, ], y[train], control = bench_control(threads = 1))
  took <- system.time(permutation_importance(fit, x[-train, ], y[-train], by = "feature", repeats = settings$repeats,
                                             measure = measure))
  data.frame(measure = measure, `support vectors` = length(fit$support),
             `processor time` = seconds_text(sum(took[1:2])), seconds = sum(took[1:2]), check.names = FALSE)
}

bars <- list()
if ("time" %in% settings$part) {
  taken <- do.call(rbind, lapply(c("accuracy", "auc"), time_row))
  section("Time", sprintf(
    "%d features of %d rows, %d swaps of each, %d training rows, eight default kernels, one thread.",
    settings$columns, settings$rows, settings$repeats, settings$train
  ), taken[-4])
  work <- sprintf("importance of %d features, %d swaps, %d rows: processor time", settings$columns,
                  settings$repeats, settings$rows)
  bars <- c(bars, list(bar(work, taken$seconds[1], 20, unit = " s")))
}

# ---- intervals -----------------------------------------------------------------------------------

# One simulated study: two views, one of noise; the fit, and rows that it is judged on.
one_study <- function(train, test, kind, strength = 1, further = 4000) {
  n <- train + test + further
  views <- list(signal = matrix(rnorm(3 * n), n), noise = matrix(rnorm(20 * n), n))
  latent <- strength * (views$signal[, 1] + views$signal[, 2]) + rnorm(n)
  y <- if (kind == "classes") factor(latent > 0) else latent
  part <- rep(1:3, c(train, test, further))
  fit <- mkl(rows_of(views, part == 1), y[part == 1], control = bench_control(threads = 1))
  list(fit = fit, x = rows_of(views, part == 2), y = y[part == 2], more = rows_of(views, part == 3),
       more_y = y[part == 3])
}

# Whether the interval of noise has 0, and that of the signal what many further rows say.
judge_study <- function(train, test, kind, measure, grouped = FALSE) {
  study <- one_study(train, test, kind)
  group <- if (grouped) rep(seq_len(test), each = 2)
  twice <- if (grouped) rep(seq_len(test), each = 2) else seq_len(test)
  found <- permutation_importance(study$fit, rows_of(study$x, twice), study$y[twice], measure = measure,
                                  group = group)$importance
  true <- permutation_importance(study$fit, study$more, study$more_y, measure = measure, repeats = 2)$importance
  c(noise = found$lower[2] <= 0 && found$upper[2] >= 0,
    signal = found$lower[1] <= true$importance[1] && found$upper[1] >= true$importance[1],
    false = found$p_value[2] <= 0.05)
}

interval_row <- function(train, test, kind, measure, grouped) {
  set.seed(1)
  found <- rowMeans(replicate(settings$simulations, judge_study(train, test, kind, measure, grouped)))
  percent <- function(share) sprintf("%.1f %%", 100 * share)
  data.frame(`training rows` = train, `test rows` = test, measure = measure, groups = if (grouped) "pairs" else "-",
             `noise: interval has 0` = percent(found[["noise"]]),
             `signal: interval has the value` = percent(found[["signal"]]),
             `noise: p <= .05` = percent(found[["false"]]), share = found[["noise"]], check.names = FALSE)
}

if ("intervals" %in% settings$part) {
  cases <- list(list(100, 50, "classes", "accuracy", FALSE), list(100, 200, "classes", "accuracy", FALSE),
                list(60, 100, "classes", "auc", FALSE), list(100, 100, "classes", "margin_loss", FALSE),
                list(100, 100, "numbers", "rmse", FALSE), list(100, 100, "classes", "accuracy", TRUE))
  found <- do.call(rbind, lapply(cases, do.call, what = interval_row))
  section("Intervals", sprintf(paste(
    "%d simulated studies in each row: default kernels on a view of 3 columns, two of which matter, and one",
    "of 20 columns of noise. How often the interval of 95 %% has the true importance: 0 for the noise, for the",
    "signal what the same fit loses on 4,000 further rows."
  ), settings$simulations), found[-ncol(found)])
  bars <- c(bars, list(bar("importance of noise: least share of intervals with 0", min(found$share), 0.93, unit = "", higher = TRUE)))
}
do.call(report_bars, bars)
