# Does group matching pursuit choose well? The experiments of Sindhwani and Lozano (2011): the toy
# data of section 5.1, with as many noise kernels as one likes, against lp-norm multiple kernel
# learning for least squares; and several classes whose outputs share the kernels, as in section
# 5.2, against the best single kernel and the sum of all (plant proteins by their composition of
# amino acids, and written digits by six sets of features).
# usage: Rscript bench/gomp-accuracy.R [repeats=10] [held=10000] [splits=5] [rows=800]
# stale after: model pursuit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(repeats = 10, held = 10000, splits = 5, rows = 800)
penalties <- 10^seq(-2, 2.5, by = 0.5)

# ---- toy data ------------------------------------------------------------------------------------

shares <- c(0, 0.44, 0.66, 0.82, 0.92, 0.98)
norms <- c(1, 4 / 3, 2, 4, Inf)
error_rate <- function(predicted, y) mean(predicted != y)

# Path, penalty and number of kernels by the validation set.
run_gomp <- function(data) {
  fit <- mkl_gomp(data$train$x, data$train$y, per_feature(linear_kernel()), lambda = penalties, scale = FALSE,
                  validation = data$held[c("x", "y")], control = bench_control())
  stopifnot(fit$converged)
  c(error = error_rate(predict(fit, data$test$x), data$test$y), kernels = sum(fit$theta),
    lambda = fit$lambda)
}

# The same with the lp-norm of the weights in place of the number of kernels: their baseline.
run_lp <- function(data, p) {
  best <- list(error = Inf)
  for (lambda in penalties) {
    fit <- lp_least_squares(data$train, lambda, p)
    error <- error_rate(predict(fit, data$held$x), data$held$y)
    if (error < best$error) best <- list(error = error, fit = fit, lambda = lambda)
  }
  c(error = error_rate(predict(best$fit, data$test$x), data$test$y),
    kernels = sum(best$fit$theta > 0), lambda = best$lambda)
}

lp_least_squares <- function(train, lambda, p) {
  fit <- mkl(train$x, train$y, per_feature(linear_kernel()), p = p, scale = FALSE,
             C = 1 / (lambda * nrow(train$x)), loss = "squared", intercept = FALSE,
             control = bench_control())
  stopifnot(fit$converged)
  fit
}

run_repeat <- function(seed, nu) {
  set.seed(seed)
  data <- list(train = simulate_mkl_toy(50, nu), held = simulate_mkl_toy(settings$held, nu),
               test = simulate_mkl_toy(settings$held, nu))
  cbind(gomp = run_gomp(data), vapply(norms, function(p) run_lp(data, p), numeric(3)))
}

run_toy <- function() {
  names <- c("pursuit", paste("p =", round(norms, 2)))
  runs <- array(unlist(lapply(shares, function(nu) lapply(seq_len(settings$repeats), run_repeat,
                                                          nu))),
                c(3, length(names), settings$repeats, length(shares)),
                list(c("error", "kernels", "lambda"), names, NULL, format(shares)))
  mean_of <- function(what) apply(runs[what, , , ], c(1, 3), mean)
  error <- 100 * mean_of("error")
  table <- data.frame(`noise kernels` = paste(100 * shares, "%"), t(round(error, 2)),
                      `kernels taken` = paste(mean_of("kernels")["pursuit", ], "of 50"),
                      `penalty (median)` = apply(runs["lambda", "pursuit", , ], 2, stats::median),
                      check.names = FALSE)
  section("Toy data, test error in percent", sprintf(paste(
    "50 rows, one linear kernel per feature; %d repeats with %d rows each for validation and test.",
    "The least error possible is %.2f %%."), settings$repeats, settings$held,
    100 * stats::pnorm(-1.75)), table)
  # paired differences from the best norm of each share, in standard errors
  best <- apply(error[-1, ], 2, which.min) + 1
  excess <- vapply(seq_along(shares), function(k) {
    difference <- 100 * (runs["error", 1, , k] - runs["error", best[k], , k])
    c(mean(difference), stats::sd(difference) / sqrt(length(difference)))
  }, numeric(2))
  section("Beyond the lower envelope of all norms", "Percentage points of test error, paired.",
          data.frame(`noise kernels` = paste(100 * shares, "%"),
                     `best norm` = rownames(error)[best],
                     `pursuit less best norm` = sprintf("%+.2f +- %.2f", excess[1, ], excess[2, ]),
                     check.names = FALSE))
  kernels <- mean_of("kernels")["pursuit", ]
  rbind(
    bar("toy data: pursuit's test error less that of the best norm, mean over all shares of noise",
        mean(excess[1, ]), 0, unit = " points"),
    bar("toy data: rank correlation of the kernels taken with the informative ones",
        stats::cor(kernels, 1 - shares, method = "spearman"), 0.9, unit = "", higher = TRUE)
  )
}

# ---- several classes -----------------------------------------------------------------------------

# Counts of single amino acids and pairs of them, in the whole sequence and parts of its beginning
# and its end.
read_plants <- function(n) {
  table <- utils::read.delim(gzfile(file.path(shared_data, "targetp2", "targetp2.tsv.gz")))
  table <- table[table$plant == 1 & table$class %in% c("cTP", "mTP", "SP", "noTP"), ]
  set.seed(1)
  # as many of the others as there are in the largest class, about the paper's 940
  rest <- which(table$class == "noTP")
  table <- table[c(which(table$class != "noTP"), sample(rest, 290)), ]
  table <- table[sample(nrow(table), min(n, nrow(table))), ]
  parts <- list(whole = table$seq, first15 = substr(table$seq, 1, 15),
                first60 = substr(table$seq, 1, 60),
                last15 = substr(table$seq, nchar(table$seq) - 14, nchar(table$seq)))
  views <- unlist(lapply(1:2, function(k) lapply(parts, count_words, k)), recursive = FALSE)
  names(views) <- paste0(names(parts), rep(c("", "-pairs"), each = length(parts)))
  list(x = views, y = factor(table$class))
}

count_words <- function(text, k) {
  words <- lapply(text, function(s) substring(s, seq_len(nchar(s) - k + 1), k:nchar(s)))
  known <- sort(unique(unlist(words)))
  counts <- t(vapply(words, function(w) tabulate(match(w, known), length(known)),
                     numeric(length(known))))
  colnames(counts) <- known
  sqrt(counts[, apply(counts, 2, stats::sd) > 0]) # Hellinger distances
}

read_digit_views <- function(n) {
  digits <- read_mfeat()
  set.seed(1)
  rows <- sample(nrow(digits$x[[1]]), n)
  list(x = lapply(digits$x, function(view) view[rows, ]),
       y = factor(rep(0:9, each = 200)[rows]))
}

class_penalties <- 10^seq(-4, 0)

# Everything is chosen by cross-validation on the training part.
run_split <- function(seed, data, kernels) {
  set.seed(seed)
  train <- sample(length(data$y), round(2 / 3 * length(data$y)))
  part <- function(rows) lapply(data$x, function(view) view[rows, , drop = FALSE])
  y <- data$y[train]
  folds <- sample(rep_len(1:3, length(train)))
  fit <- function(kernels, lambda = class_penalties) {
    mkl_gomp(part(train), y, kernels, lambda = lambda, max_kernels = length(kernels), folds = folds,
             control = bench_control())
  }
  test <- part(-train)
  score <- function(fit, steps = fit$selected) {
    matthews(predict(fit, test, kernels = steps), data$y[-train])
  }
  path <- fit(kernels)
  with_steps <- function(steps) {
    own <- path$tuning[path$tuning$kernels == steps, ]
    score(fit(kernels, own$lambda[which.min(own$error)]), steps)
  }
  singles <- lapply(seq_along(kernels), function(m) fit(kernels[m]))
  best <- which.min(vapply(singles, function(one) min(one$tuning$error), 0))
  c(single = score(singles[[best]]), sum = with_steps(length(kernels)), pursuit = score(path),
    quarter = with_steps(ceiling(length(kernels) / 4)), kernels = path$selected)
}

run_classes <- function(name, data) {
  if (is_failure(data)) stop(data$message)
  kernels <- default_kernels(data$x)
  kernels <- kernels[seq_along(kernels) %% 8 %in% c(1, 4, 5, 6)] # linear and three Gaussians
  runs <- vapply(seq_len(settings$splits), run_split, numeric(5), data, kernels)
  scores <- runs[1:4, , drop = FALSE]
  shown <- sprintf("%.3f +- %.3f", rowMeans(scores), apply(scores, 1, stats::sd) / sqrt(ncol(runs)))
  section(name, sprintf(paste(
    "%d rows, %d classes, %d kernels; mean Matthews correlation on a third of the rows and its",
    "standard error, %d splits; penalty and number of kernels by three-fold cross-validation."),
    length(data$y), nlevels(data$y), length(kernels), settings$splits),
    data.frame(`best single kernel` = shown[1], `sum of all` = shown[2], pursuit = shown[3],
               `kernels taken` = mean(runs["kernels", ]),
               `pursuit, a quarter of the kernels` = shown[4], check.names = FALSE))
  rbind(
    bar(paste0(name, ": pursuit's correlation less the best single kernel's"),
        mean(runs["pursuit", ] - runs["single", ]), 0, unit = "", higher = TRUE),
    bar(paste0(name, ": pursuit's correlation less that of the sum of all kernels"),
        mean(runs["pursuit", ] - runs["sum", ]), -0.01, 0, unit = "", higher = TRUE),
    bar(paste0(name, ": the same with a quarter of the kernels"),
        mean(runs["quarter", ] - runs["sum", ]), -0.02, 0, unit = "", higher = TRUE)
  )
}

report_bars(run_toy(), run_classes("Plant proteins", read_plants(settings$rows)),
            run_classes("Digits in six views", read_digit_views(settings$rows)))
