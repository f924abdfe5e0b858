# Classes of unequal size by cv_mkl()'s defaults, and how well probabilities are calibrated.
# usage: Rscript bench/unequal.R [splits=4] [part=caravan,glass,tcga,rare,probability]
# stale after: R/cv-class-weights.R R/cv-decisions.R R/calibration.R R/threshold.R R/cv-search.R R/cv-race.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(splits = 4, part = "caravan,glass,tcga,rare,probability")
parts <- unlist(strsplit(settings$part, ","))
quiet <- bench_control()

rows_of <- function(x, rows) if (is.data.frame(x) || is.matrix(x)) x[rows, , drop = FALSE] else lapply(x, rows_of, rows)

balanced_error <- function(y, predicted) 1 - mean(tapply(predicted == y, y, mean))

# The fold of each row, every class spread evenly.
spread <- function(y, folds) {
  fold <- integer(length(y))
  for (own in split(seq_along(y), y)) fold[own] <- sample(rep_len(sample(folds), length(own)))
  fold
}

# Fits to the rows of all other folds and predicts one after the other; `held` counts the folds that are predicted.
predict_folds <- function(x, y, folds, held = folds, ...) {
  fold <- spread(y, folds)
  response <- y[rep(NA_integer_, length(y))]
  decision <- rep(NA_real_, length(y))
  for (k in seq_len(held)) {
    own <- fold == k
    cv <- suppressWarnings(cv_mkl(rows_of(x, !own), y[!own], control = quiet, ...))
    response[own] <- predict(cv, rows_of(x, own))
    if (nlevels(y) == 2) decision[own] <- predict(cv, rows_of(x, own), type = "decision")
  }
  known <- fold <= held
  out <- c(error = mean(response[known] != y[known]), balanced = balanced_error(y[known], response[known]))
  if (nlevels(y) == 2) {
    positive <- y[known] == levels(y)[2]
    ranks <- rank(decision[known])
    out["auc"] <- (mean(ranks[positive]) - (sum(positive) + 1) / 2) / sum(!positive)
  }
  out
}

percentages <- function(x) sprintf("%.1f %%", 100 * x)

# ---- errors --------------------------------------------------------------------------------------

rare <- function() {
  set.seed(3)
  x <- matrix(rnorm(150 * 5), 150)
  y <- factor(rep(c("common", "rare"), c(147, 3)))
  x[y == "rare", 1:2] <- x[y == "rare", 1:2] + 2.5
  list(x = x, y = y)
}

cases <- list(
  caravan = list("Caravan, 474 of 5,822 (ISLR2), a third held out", 3, 1, function() {
    table <- package_data("Caravan", "ISLR2")
    list(x = table[, 1:85], y = table$Purchase)
  }),
  glass = list("Glass, six classes (mlbench), 5 folds", 5, 5, function() {
    table <- package_data("Glass", "mlbench")
    list(x = table[, 1:9], y = table$Type)
  }),
  tcga = list("breast_tcga, three views, a third held out", 3, 1, function() {
    list(x = breast_tcga$train, y = breast_tcga$subtype_train)
  }),
  rare = list("147 against 3, 3 folds", 3, 3, rare)
)

measure_case <- function(name) {
  case <- cases[[name]]
  data <- case[[4]]()
  splits <- if (name == "tcga") 2 * settings$splits else settings$splits
  ways <- list(defaults = list(), `equal weights` = list(class_weights = NULL),
               `threshold = "balanced"` = list(class_weights = NULL, threshold = "balanced"))
  if (nlevels(data$y) > 2) ways[[3]] <- NULL
  rows <- lapply(names(ways), function(way) {
    found <- vapply(seq_len(splits), function(split) {
      set.seed(split)
      do.call(predict_folds, c(list(data$x, data$y, case[[2]], case[[3]]), ways[[way]]))
    }, numeric(if (nlevels(data$y) == 2) 3 else 2))
    found <- rowMeans(found)
    data.frame(data = case[[1]], weights = way, splits = splits, errors = percentages(found[["error"]]),
               `balanced error` = percentages(found[["balanced"]]),
               AUC = if (nlevels(data$y) == 2) sprintf("%.3f", found[["auc"]]) else "", check.names = FALSE)
  })
  do.call(rbind, rows)
}

known <- intersect(names(cases), parts)
if (!has_package("ISLR2")) known <- setdiff(known, "caravan")
if (length(known)) {
  section("Unequal classes", "Means over splits. Defaults: cv_mkl(x, y), which tries balanced class weights.",
          do.call(rbind, lapply(known, measure_case)))
}

# ---- probabilities -------------------------------------------------------------------------------

# The expected calibration error: the mean distance of the observed share from the mean probability in ten groups
# of equally many rows, by size.
calibration_error <- function(prob, event, groups = 10) {
  group <- ceiling(rank(prob, ties.method = "first") * groups / length(prob))
  sum(abs(tapply(event - prob, group, sum))) / length(prob)
}

sets <- list(
  spam = function() { table <- package_data("spam", "kernlab"); list(x = table[, -58], y = table$type) },
  satellite = read_satellite,
  letters = function() read_letters(6000),
  digits = function() read_digits(4000),
  diabetes = function() {
    table <- package_data("SynthDiabetes", "mlbench")
    list(x = table[, -ncol(table)], y = factor(table[[ncol(table)]]))
  },
  caravan = function() cases$caravan[[4]](),
  noise = function() make_noise(3000)
)
if (!has_package("ISLR2")) sets$caravan <- NULL

calibrated <- function(name) {
  data <- sets[[name]]()
  set.seed(1)
  train <- spread(data$y, 2) == 1
  cv <- suppressWarnings(cv_mkl(rows_of(data$x, train), data$y[train],
                                control = bench_control(probability = TRUE)))
  prob <- predict(cv, rows_of(data$x, !train), type = "prob")[, 2]
  event <- data$y[!train] == levels(data$y)[2]
  # what as many rows would give if every probability were right
  chance <- mean(replicate(200, calibration_error(prob, runif(length(prob)) < prob)))
  data.frame(data = name, `training rows` = sum(train), `new rows` = sum(!train),
             map = if (is.null(cv$fit$probability$A)) "isotonic" else "sigmoid",
             ECE = sprintf("%.3f", calibration_error(prob, event)), `by chance alone` = sprintf("%.3f", chance),
             `log loss` = sprintf("%.3f", -mean(log(ifelse(event, prob, 1 - prob)))), check.names = FALSE)
}
if ("probability" %in% parts) {
  section("Probabilities of cv_mkl()", paste(
    "Half of the rows is held out. ECE: expected calibration error, ten groups of equally many new rows; by chance",
    "alone it would be that of the next column if every probability were right."
  ), do.call(rbind, lapply(names(sets), calibrated)))
}
