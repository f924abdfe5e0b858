# Splice sites by several sequence kernels at once. C. elegans: acceptor sites against other AG, at
# one site in eleven and at the real share of 3.3 %: weighted degree, spectrum and the local
# composition on either side, each alone, their plain sum and mixtures, by the areas under the ROC
# and the precision-recall curves. UCI: two kinds of junctions and neither, by accuracy.
# C is the one that does best on a third of the training rows; at full size, which takes most of an hour,
# the one that was chosen most often on the small draws. large=0: without full size; junctions=0: without
# UCI's.
# usage: Rscript bench/splice.R [n=2000] [test=4000] [large=20000] [new=15000] [repeats=3] [p=1,4/3,2,4]
#   [C=0.25,1,4] [junctions=10]
# stale after: model strings

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(n = 2000, test = 4000, large = 20000, new = 15000, repeats = 3,
                            p = c(1, 4 / 3, 2, 4), C = c(0.25, 1, 4), junctions = 10)

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
  quiet(mkl(x, y, way$kernels, p = way$p, C = C, normalize = "spherical",
            control = bench_control()))
}

# The C that is best on held rows by the first measure.
choose_cost <- function(way, train, measure, costs) {
  if (length(costs) == 1) return(costs)
  held <- seq_len(length(train$y) %/% 3)
  rest <- pick_rows(train, -held)
  scores <- vapply(costs, function(C) {
    measure(fit_way(way, rest$x, rest$y, C), pick_rows(train, held))[1]
  }, 0)
  costs[which.max(scores)]
}

# The measures of a fit on test rows, and what it took.
run_way <- function(way, data, measure, costs) {
  train <- data$train
  C <- choose_cost(way, train, measure, costs)
  seconds <- system.time(fit <- fit_way(way, train$x, train$y, C))[["elapsed"]]
  c(measure(fit, data$test), C = C, seconds = seconds, gap = max(fit$gap))
}

pick_rows <- function(data, rows) list(x = data$x[rows], y = data$y[rows])

# By way: one column for each repeat.
run_ways <- function(ways, repeats, draw, measure, costs) {
  data <- lapply(seq_len(repeats), draw)
  lapply(ways, function(way) vapply(data, run_way, way = way, measure = measure, costs = costs,
                                    measure(NULL, NULL) |> c(C = 0, seconds = 0, gap = 0)))
}

most_frequent <- function(x) as.numeric(names(which.max(table(x))))

show_ways <- function(title, text, runs, measures) {
  best <- function(name) {
    mean <- vapply(runs, function(run) mean(run[name, ]), 0)
    ifelse(mean == max(mean), "best", "")
  }
  cells <- lapply(stats::setNames(nm = measures), function(name) {
    trimws(paste(vapply(runs, function(run) mean_text(run[name, ]), ""), best(name)))
  })
  median_of <- function(name) vapply(runs, function(run) stats::median(run[name, ]), 0)
  section(title, text, data.frame(
    kernels = names(runs), cells, `median C` = median_of("C"),
    `median time` = seconds_text(median_of("seconds")),
    gap = format(vapply(runs, function(run) max(run["gap", ]), 0), digits = 2),
    row.names = NULL, check.names = FALSE
  ))
}

# ---- acceptor sites ------------------------------------------------------------------------------

# Fits and rows; NULL for both: names alone.
rank_test <- function(fit, test) {
  if (is.null(fit)) return(c(auROC = 0, auPRC = 0))
  ranking_measures(predict(fit, test$x, type = "decision"), test$y)
}

# Training and test rows with the same share of sites.
draw_acceptors <- function(share, n, test) {
  function(seed) {
    positives <- round(share * (n + test))
    data <- read_acceptors(positives, n + test - positives, seed)
    list(train = pick_rows(data, seq_len(n)), test = pick_rows(data, -seq_len(n)))
  }
}

# Returns the values of C that were chosen.
run_acceptors <- function(title, share, n, test, costs) {
  runs <- run_ways(ways(kernels_around(22, 6, 61)), settings$repeats, draw_acceptors(share, n, test),
                   rank_test, costs)
  show_ways(title, sprintf(paste(
    "%d training and %d test windows, %.1f %% sites, %d draws: mean and its standard error.",
    "Weighted degree 22, spectrum of 6-mers, composition: 2-mers before and behind the site."
  ), n, test, 100 * share, settings$repeats), runs, c("auROC", "auPRC"))
  unlist(lapply(runs, function(run) run["C", ]))
}

# ---- junctions -----------------------------------------------------------------------------------

hit_rate <- function(fit, test) {
  if (is.null(fit)) return(c(accuracy = 0))
  c(accuracy = mean(predict(fit, test$x) == test$y))
}

draw_junctions <- function(seed) {
  data <- read_junctions()
  set.seed(seed)
  test <- sample(length(data$y), length(data$y) %/% 3)
  train <- sample(setdiff(seq_along(data$y), test))
  list(train = pick_rows(data, train), test = pick_rows(data, test))
}

run_junctions <- function() {
  runs <- run_ways(ways(kernels_around(6, 4, 31)), settings$junctions, draw_junctions, hit_rate,
                   settings$C)
  show_ways("UCI splice junctions", sprintf(paste(
    "Three classes, one against the rest, 60 letters; two thirds for training, %d splits. Weighted",
    "degree 6, spectrum of 4-mers, composition: 2-mers on either side of the junction."
  ), settings$junctions), runs, "accuracy")
}

shares <- c(`one in eleven` = 1 / 11, `3.3 %` = 0.033)
chosen <- lapply(names(shares), function(share) {
  run_acceptors(paste("C. elegans acceptor sites,", share), shares[[share]], settings$n, settings$test,
                settings$C)
})
if (settings$large) {
  for (share in names(shares)) {
    run_acceptors(paste("Full size: C. elegans acceptor sites,", share), shares[[share]], settings$large,
                  settings$new, most_frequent(unlist(chosen)))
  }
}
if (settings$junctions) run_junctions()
