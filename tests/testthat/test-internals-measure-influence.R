# A row's value: the weighted mean is the measure, and the slope in the row's weight is what was derived.
set.seed(1)
n <- 40
w <- runif(n, 0.5, 2)
classes_of <- function(k) {
  levels <- letters[seq_len(k)]
  truth <- factor(sample(levels, n, TRUE), levels)
  decision <- matrix(round(rnorm(n * k), 1), n)
  decision[cbind(seq_len(n), as.integer(truth))] <- decision[cbind(seq_len(n), as.integer(truth))] + 1
  prob <- exp(decision) / rowSums(exp(decision))
  response <- factor(levels[max.col(prob, "first")], levels)
  list(truth = truth, response = response, prob = prob, weights = w,
       decision = if (k == 2) decision[, 2] - decision[, 1] else decision)
}
numbers <- list(truth = rnorm(n), weights = w)
numbers$response <- numbers$decision <- numbers$truth + rnorm(n)
data_of <- function(kind) {
  switch(kind,
    classification = list(classes_of(2), classes_of(4)),
    regression = list(numbers), quantiles = list(c(numbers, tau = 0.3)),
    one_class = list(list(truth = NULL, response = numbers$decision > 0, decision = numbers$decision,
                          weights = w, training_outside = 0.1)),
    times = {
      skip_if_not_installed("survival")
      settings <- check_settings(2, 1, NULL, NULL, "none", NULL, "ovr", mkl_control(), NULL)
      y <- survival::Surv(rexp(n), rep(1:0, c(25, 15)))
      list(list(truth = check_response(y, list(n = n), settings$loss, "auto"), response = numbers$response,
                decision = numbers$decision, weights = w))
    }
  )
}
value_of <- function(measure, data) do.call(measure_value, c(list(measure), data))
rows_of <- function(measure, data) do.call(row_contributions, c(list(measure), data))

test_that("row values have the measure as their mean, and its slopes", {
  for (name in names(measure_table)) for (kind in measure_table[[name]]$kind) for (data in data_of(kind)) {
    measure <- check_measure(name, kind, TRUE)[[1]]
    found <- rows_of(measure, data)
    expect_equal(weighted.mean(found, w), value_of(measure, data), info = name)
    slopes <- vapply(seq_len(n), function(i) {
      moved <- lapply(c(-1e-5, 1e-5), function(by) {
        data$weights[i] <- w[i] + by
        value_of(measure, data)
      })
      sum(w) * (moved[[2]] - moved[[1]]) / 2e-5
    }, 0)
    expect_equal(found, value_of(measure, data) + slopes, tolerance = 1e-6, info = name)
  }
})

test_that("a function of the user is asked without each row", {
  data <- classes_of(2)
  own <- function(f) check_measure(f, "classification", FALSE)[[1]]
  hits <- as.double(data$response == data$truth)
  expect_equal(rows_of(own(function(truth, response, weights) weighted.mean(truth == response, weights)), data),
               hits)
  data$weights <- NULL
  spread <- function(decision) sd(decision)
  jackknife <- vapply(seq_len(n), function(i) sd(data$decision[-i]), 0)
  pseudo <- (n - 1) * (sd(data$decision) - jackknife)
  expect_equal(rows_of(own(spread), data), sd(data$decision) + pseudo - mean(pseudo))
  # without a row that it needs the function has no value, and the row no influence
  picky <- function(truth) if (length(truth) < n) NA else 1
  expect_identical(rows_of(own(picky), data), rep(1, n))
  failing <- function(truth) if (length(truth) < n) stop("too few") else 1
  expect_identical(rows_of(own(failing), data), rep(1, n))
})

test_that("rows without weight, and measures without a value, have none", {
  data <- classes_of(2)
  data$weights[1:3] <- 0
  measure <- check_measure("auc", "classification", FALSE)[[1]]
  found <- rows_of(measure, data)
  expect_identical(which(is.na(found)), 1:3)
  expect_equal(weighted.mean(found[-(1:3)], data$weights[-(1:3)]), value_of(measure, data))
  data$truth[] <- "a"
  expect_true(all(is.na(rows_of(measure, data))))
  data$weights[] <- 0
  expect_true(all(is.na(rows_of(check_measure("accuracy", "classification", FALSE)[[1]], data))))
})

test_that("several responses and quantiles have the mean of their values", {
  Y <- cbind(a = numbers$truth, b = rev(numbers$truth))
  P <- cbind(numbers$response, numbers$response)
  measure <- check_measure("rmse", "regression", FALSE)[[1]]
  found <- row_contributions(measure, Y, P, P, weights = w)
  each <- lapply(1:2, function(k) row_contributions(measure, Y[, k], P[, k], P[, k], weights = w))
  expect_equal(found, (each[[1]] + each[[2]]) / 2)
  pinball <- check_measure("pinball", "quantiles", FALSE)[[1]]
  both <- row_contributions(pinball, numbers$truth, P, P, weights = w, tau = c(0.1, 0.9))
  expect_equal(both, abs(numbers$truth - numbers$response) / 2) # tau and 1 - tau
})
