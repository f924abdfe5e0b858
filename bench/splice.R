# Splice sites by several sequence kernels at once. C. elegans: acceptor sites against other AG, at
# one site in eleven and at the real share of 3.3 %: weighted degree, spectrum and the local
# composition on either side, each alone, their plain sum and mixtures, by the areas under the ROC
# and the precision-recall curves. UCI: two kinds of junctions and neither, by accuracy.
# C is the one that does best on a third of the training rows.
# usage: Rscript bench/splice.R [n=20000] [test=20000] [repeats=3] [p=1,4/3,2,4] [C=0.25,1,4]
#   [junctions=5]

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(n = 20000, test = 20000, repeats = 3, p = c(1, 4 / 3, 2, 4),
                            C = c(0.25, 1, 4), junctions = 5)

# Intron and exon differ in composition; the site itself lies at letters `site` and following.
kernels_around <- function(degree, k, site) {
  list(`weighted degree` = weighted_degree_kernel(degree),
       spectrum = spectrum_kernel(k),
       composition = c(spectrum_kernel(2, part = sprintf("first %d", site - 1)),
                       spectrum_kernel(2, part = sprintf("last %d", site))))
}

# One name for each way of learning: kernels and p.
ways <- function(kernels) {
  all <- do.call(c, unname(kernels))
  single <- lapply(kernels, function(k) list(kernels = k, p = Inf))
  norms <- lapply(c(settings$p, Inf), function(p) list(kernels = all, p = p))
  names(norms) <- c(paste("mixture, p =", round(settings$p, 2)), "plain sum")
  c(single, norms)
}

fit_way <- function(way, x, y, C) {
  quiet(mkl(x, y, way$kernels, p = way$p, C = C, normalize = "spherical", control = bench_control()))
}

# The measures of the C that is best on held rows by the first measure.
run_way <- function(way, train, test, measure) {
  held <- seq_len(length(train$y) %/% 3)
  scores <- vapply(settings$C, function(C) {
    fit <- fit_way(way, train$x[-held], train$y[-held], C)
    measure(fit, train$x[held], train$y[held])[1]
  }, 0)
  C <- settings$C[which.max(scores)]
  time <- system.time(fit <- fit_way(way, train$x, train$y, C))[["elapsed"]]
  c(measure(fit, test$x, test$y), C = C, seconds = time, gap = max(fit$gap))
}

pick_rows <- function(data, rows) list(x = data$x[rows], y = data$y[rows])

# One column per repeat for each way.
run_all <- function(repeats, draw, kernels, measure) {
  lapply(ways(kernels), function(way) {
    vapply(seq_len(repeats), function(seed) {
      data <- draw(seed)
      run_way(way, data$train, data$test, measure)
    }, numeric(length(measure_names[[1]]) + 3))
  })
}
