# Prediction by a locally linear machine against Gaussian support vector machines that are as
# accurate: C and the scale (width, gamma) of all of them are chosen on the validation rows.
# usage: Rscript bench/locally-linear.R [sets=a9a,digits] [train=5000] [held=2500] [new=20000]
#   [components=30] [runs=5] [limit=120]
# stale after: fit src/sequential R/locally-linear.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(sets = c("a9a", "digits"), train = 5000, held = 2500, new = 20000,
                            components = 30, runs = 5, limit = 120)

# Rows to train on, to choose on, and to predict.
cut_rows <- function(data) {
  n <- nrow(data$x)
  ends <- cumsum(c(0, settings$train, settings$held))
  stopifnot(n > ends[3])
  parts <- list(train = seq(1, ends[2]), held = seq(ends[2] + 1, ends[3]),
                new = seq(ends[3] + 1, min(n, ends[3] + settings$new)))
  lapply(parts, function(rows) list(x = data$x[rows, , drop = FALSE], y = data$y[rows]))
}

sets <- list(
  a9a = function() {
    data <- read_a9a(settings$train + settings$held + settings$new)
    list(x = as.matrix(data$x), y = data$y)
  },
  digits = function() read_digit_components(min(10000, settings$train + settings$held +
                                                  settings$new), settings$components)
)

error_of <- function(fit, data) mean(stats::predict(fit, data$x) != data$y)

# The settings with the smallest error on the validation rows, and their fit.
choose <- function(grid, fit, parts) {
  best <- list(error = Inf)
  for (k in seq_len(nrow(grid))) {
    start <- proc.time()[["elapsed"]]
    one <- quiet(fit(grid[k, ]))
    seconds <- proc.time()[["elapsed"]] - start
    error <- error_of(one, parts$held)
    if (error < best$error) {
      best <- list(error = error, fit = one, at = grid[k, ], seconds = seconds)
    }
  }
  best
}

spread_of <- function(x) {
  rows <- x[seq(1, nrow(x), length.out = min(nrow(x), 500)), ]
  stats::median(stats::dist(rows)^2)
}

compare_set <- function(name) {
  parts <- cut_rows(sets[[name]]())
  train <- parts$train
  median <- spread_of(train$x)
  gaussian <- choose(expand.grid(scale = c(0.3, 0.6, 1.2, 2.5, 5), C = c(0.3, 1, 3, 10)),
    function(at) fit_mkl(train, 1, settings$limit, gaussian_kernel(at$scale * median), at$C), parts)
  local <- choose(expand.grid(scale = c(1, 10), C = c(0.1, 0.3, 1, 3, 10)), function(at) {
    mllkm(train$x, train$y, "gaussian", at$scale * c(0.1, 0.3, 1) / median, C = at$C, scale = FALSE,
          control = bench_control(settings$limit))
  }, parts)
  plain <- attempt(fit_e1071(train$x, train$y, gaussian$at$scale * median, gaussian$at$C))
  turns <- in_turns(installed_programs(list(
    "e1071, Gaussian" = function() stats::predict(plain, parts$new$x),
    "mkl, Gaussian" = function() predict(gaussian$fit, parts$new$x),
    "mkl, mllkm" = function() predict(local$fit, parts$new$x)
  )), settings$runs)
  wrong <- vapply(turns$values, function(found) {
    if (is_failure(found)) NA_real_ else 100 * mean(found != parts$new$y)
  }, 0)
  size <- c("e1071, Gaussian" = if (is_failure(plain)) NA else plain$tot.nSV,
            "mkl, Gaussian" = length(gaussian$fit$support), "mkl, mllkm" = length(local$fit$theta))
  table <- time_table(turns)[c("program", "median", "fastest to slowest", "ratio")]
  table$error <- sprintf("%.2f %%", wrong)
  table$size <- paste(size[names(turns$median)],
                      ifelse(names(turns$median) == "mkl, mllkm", "anchors", "support vectors"))
  section(sprintf("Locally linear models: %s", name), sprintf(paste(
    "%d rows to train, %d to choose C and scale, %d x %d to predict; %s. Chosen: Gaussian width",
    "%.3g, C = %g; mllkm gamma %s, C = %g, of %d candidates, fitted in %.1f s (gap %s)."),
    nrow(train$x), nrow(parts$held$x), nrow(parts$new$x), ncol(train$x),
    medians_text(settings$runs), gaussian$at$scale * median, gaussian$at$C,
    paste(signif(unique(local$fit$dictionary$maps$gamma), 2), collapse = ", "), local$at$C,
    local$fit$dictionary$size, local$seconds, gap_text(local$fit)), table)
  faster <- turns$median / turns$median[["mkl, mllkm"]]
  close <- wrong[["mkl, mllkm"]] - wrong
  list(name = name, faster = faster, close = close, fit = local$fit)
}

results <- lapply(settings$sets, compare_set)
peer <- intersect("e1071, Gaussian", names(results[[1]]$faster))
# Locally linear models don't come within a point on the digits: a table, but no bar.
bars <- lapply(Filter(function(one) one$name == "a9a", results), function(one) {
  near <- length(peer) && one$close[[peer]] <= 1
  bar(sprintf("mllkm predicts %s faster than e1071, within a point", one$name),
      if (near) one$faster[[peer]] else NA, 20, fits = list(one$fit), higher = TRUE)
})
if (length(bars)) do.call(report_bars, bars)
