# Are the probabilities of a chosen fit right? Each row of six sets of two classes gets a probability from
# cv_mkl(), chosen and calibrated on the other four fifths of the rows. The expected calibration error compares
# the mean probability of a bin with the share of its rows that have the class. Right probabilities do not have
# the error 0: what they would have is simulated, by labels drawn from them.
# usage: Rscript bench/calibration.R [sets=pima,breast,wdbc,spam,satellite,cells] [rows=1500] [bins=10]
# stale after: model grid bench/column-sets.R R/calibration.R R/probability.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(sets = c("pima", "breast", "wdbc", "spam", "satellite", "cells"), rows = 1500, bins = 10)
data_sets <- c(column_sets, more_column_sets, satellite = read_satellite)[settings$sets]

# Probabilities of the second class, each from a fit that has not seen its row.
held_probabilities <- function(data) {
  y <- factor(data$y)
  fold <- integer(length(y))
  for (rows in split(seq_along(y), y)) fold[rows] <- sample(rep_len(1:5, length(rows)))
  control <- bench_control(probability = TRUE)
  prob <- numeric(length(y))
  for (k in 1:5) {
    cv <- quiet(cv_mkl(pick(data$x, which(fold != k)), y[fold != k], control = control))
    prob[fold == k] <- predict(cv, pick(data$x, which(fold == k)), type = "prob")[, 2]
  }
  prob
}

# Bins of equal numbers of rows.
calibration_error <- function(prob, positive) {
  bin <- ceiling(settings$bins * rank(prob, ties.method = "first") / length(prob))
  sum(abs(tapply(prob - positive, bin, sum))) / length(prob)
}

measure_set <- function(name) {
  set.seed(1)
  data <- data_sets[[name]]()
  n <- length(data$y)
  rows <- sort(sample(n, min(n, settings$rows)))
  data <- list(x = pick(data$x, rows), y = factor(data$y[rows]))
  prob <- held_probabilities(data)
  positive <- data$y == levels(data$y)[2]
  right <- replicate(1000, calibration_error(prob, stats::runif(length(prob)) < prob))
  inside <- pmin(pmax(prob, 1e-10), 1 - 1e-10)
  slope <- stats::coef(stats::glm(positive ~ stats::qlogis(inside), family = stats::binomial()))[[2]]
  data.frame(set = name, rows = length(rows), `calibration error` = sprintf("%.3f", calibration_error(prob, positive)),
             `of right probabilities` = sprintf("%.3f (95 %%: %.3f)", mean(right), stats::quantile(right, 0.95)),
             `slope of the logit` = sprintf("%.2f", slope), Brier = sprintf("%.3f", mean((prob - positive)^2)),
             check.names = FALSE)
}

section("Calibration of the chosen fit", sprintf(paste(
  "cv_mkl() with its defaults, five outer folds; expected calibration error of the held-out probabilities in %d bins",
  "of equal size, and of labels drawn from these probabilities (mean of 1,000 draws, and their 95 %% quantile)."),
  settings$bins), do.call(rbind, lapply(names(data_sets), measure_set)))
