# Where is a protein? The experiment of Kloft et al. (2011, table 1) and Sindhwani and Lozano (2011,
# figure 2) on the public successor of their data: models of one class each or with shared weights, over
# p, and matching pursuit beside the best single kernel and the sum of all. Everything is chosen on the training
# rows; table-1.R has the first paper's own protocol, its grid and both its normalisations.
# usage: Rscript bench/localization.R [rows=600] [splits=5] [p=1,8/7,2,Inf] [plant=1,0]
# stale after: model grid strings pursuit bench/proteins.R

source("bench/common.R")
source("bench/data.R")
source("bench/proteins.R")
settings <- bench_arguments(rows = 600, splits = 5, p = c(1, 8 / 7, 2, Inf), plant = 1:0)

costs <- 2^(-2:5)
penalties <- 10^(-4:0)
kernels <- protein_kernels

pick_rows <- function(x, rows) list(sequence = x$sequence[rows], profile = x$profile[rows, ])

# One minus the mean correlation on a third of the rows; C by three folds of the others.
split_errors <- function(seed, data) {
  set.seed(seed)
  test <- sort(sample.int(length(data$y), round(length(data$y) / 3)))
  x <- pick_rows(data$x, -test)
  y <- data$y[-test]
  held <- pick_rows(data$x, test)
  error <- function(fit, ...) 1 - matthews(predict(fit, held, ...), data$y[test])
  by_norm <- function(strategy) {
    vapply(settings$p, function(p) {
      error(cv_mkl(x, y, kernels, p = p, C = costs, folds = 3, multiclass = strategy, measure = "mcc",
                   normalize = "spherical", control = bench_control()))
    }, 0)
  }
  pursuit <- function(...) {
    mkl_gomp(x, y, kernels, max_kernels = length(kernels), normalize = "spherical",
             control = bench_control(), ...)
  }
  chosen <- pursuit(lambda = penalties, folds = 3)
  last <- subset(chosen$tuning, kernels == max(kernels))
  all <- pursuit(lambda = last$lambda[which.min(last$error)])
  single <- cv_mkl(x, y, stats::setNames(lapply(seq_along(kernels), function(m) kernels[m]),
                                         names(kernels)),
                   p = Inf, C = c(1, 8), folds = 3, measure = "mcc", normalize = "spherical",
                   control = bench_control())
  errors <- c(own = by_norm("ovr"), shared = by_norm("shared"), pursuit = error(chosen),
              sum = error(all), single = error(single), taken = chosen$selected)
  message("split ", seed, ": ", paste(format(errors, digits = 4), collapse = " "))
  errors
}

run <- function(name, plant) {
  data <- read_proteins(plant, settings$rows)
  runs <- 100 * vapply(seq_len(settings$splits), split_errors, numeric(2 * length(settings$p) + 4), data)
  shown <- sprintf("%.1f +- %.1f", rowMeans(runs), apply(runs, 1, stats::sd) / sqrt(ncol(runs)))
  at <- seq_along(settings$p)
  data.frame(
    data = sprintf("%s, %d rows, %d classes", name, length(data$y), nlevels(data$y)),
    model = c(sprintf("own weights, p = %s", format(settings$p, digits = 3)),
              sprintf("shared weights, p = %s", format(settings$p, digits = 3)),
              sprintf("matching pursuit, %.0f of %d kernels",
                      mean(runs["taken", ]) / 100, length(kernels)),
              "least squares on the sum", "best single kernel"),
    `1 - mean correlation, %` = shown[c(at, length(at) + at, 2 * length(at) + 1:3)], check.names = FALSE
  )
}

section("One minus the mean Matthews correlation", sprintf(paste(
  "In percent, over the classes, on a third of the rows, and its standard error over %d splits. %d",
  "kernels: 64 on motifs (16 masks, 4 parts of the sequence), 6 Gaussians on profiles. C, the penalty,",
  "the length of the pursuit and the best single kernel are chosen by three folds of the other rows."),
  settings$splits, length(kernels)),
  do.call(rbind, lapply(settings$plant, function(plant) run(c("non-plant", "plant")[plant + 1], plant))))
