# Group matching pursuit by other losses and from random subsets of the dictionary (Sindhwani and Lozano 2011,
# section 6): test errors, kernels taken and time, compared with least squares over the whole dictionary and
# with lp-norm learning at p = 1 of the same kernels. Half of the rows train, folds of these choose the step.
# usage: Rscript bench/gomp-losses.R [splits=5] [sets=sonar,ionosphere,heart] [candidates=30]
# stale after: model pursuit bench/data.R bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/level-kernels.R")
settings <- bench_arguments(splits = 5, sets = c("sonar", "ionosphere", "heart"), candidates = 30)

dictionary <- function() {
  some <- gaussian_kernel(2 * (2^(-3:6))^2)
  c(some, per_feature(some))
}

pursuit <- function(data, ...) {
  mkl_gomp(data$x, data$y, dictionary(), max_kernels = 40, folds = 5, scale = FALSE, control = bench_control(), ...)
}

ways <- list(
  "squared loss" = function(data) pursuit(data),
  "squared loss, random candidates" = function(data) pursuit(data, candidates = settings$candidates),
  "hinge loss" = function(data) pursuit(data, loss = "hinge"),
  "logistic loss" = function(data) pursuit(data, loss = "logistic"),
  "mkl(), p = 1, C by folds" = function(data) {
    cv_mkl(data$x, data$y, dictionary(), p = 1, C = 10^(-1:2), folds = 5, scale = FALSE, control = bench_control())$fit
  }
)

# A row for each way: error in percent, kernels and seconds of one split.
measure_split <- function(data, split) {
  halves <- random_half(data, split)
  do.call(rbind, lapply(names(ways), function(way) {
    set.seed(split)
    run <- run_once(function() ways[[way]](halves$train))
    fit <- run$value
    data.frame(way = way, split = split, kernels = sum(fit$theta > 0), seconds = run$seconds,
               error = 100 * mean(predict(fit, halves$test$x) != halves$test$y))
  }))
}

mean_text <- function(x) sprintf("%.1f +- %.1f", mean(x), stats::sd(x) / sqrt(length(x)))

results <- do.call(rbind, lapply(settings$sets, function(set) {
  data <- read_level_set(set)
  cbind(set = set, do.call(rbind, lapply(seq_len(settings$splits), measure_split, data = data)))
}))
rows <- lapply(split(results, factor(results$set, settings$sets)), function(own) {
  reference <- own[own$way == names(ways)[1], ]
  columns <- ncol(read_level_set(own$set[1])$x)
  do.call(rbind, lapply(names(ways), function(way) {
    part <- own[own$way == way, ]
    data.frame(set = sprintf("%s, %d kernels", own$set[1], 10 * (columns + 1)), fit = way,
               `error in percent` = mean_text(part$error),
               `less that of squared loss` = mean_text(part$error - reference$error),
               `kernels taken` = stats::median(part$kernels), time = seconds_text(stats::median(part$seconds)),
               `time / squared loss` = ratio_text(stats::median(part$seconds / reference$seconds)),
               check.names = FALSE)
  }))
})
section("Pursuits by loss", sprintf(paste(
  "%d random halves, mean and its standard error; medians of the kernels taken and of seconds, folds included.",
  "Random candidates: each step looks at %d kernels."), settings$splits, settings$candidates), do.call(rbind, rows))
