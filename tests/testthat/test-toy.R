test_that("the toy data are as described", {
  set.seed(1)
  toy <- simulate_mkl_toy(20001, nu = 0.82)
  expect_identical(dim(toy$x), c(20001L, 50L))
  expect_identical(as.vector(table(toy$y)), c(10000L, 10001L))
  expect_equal(sum(toy$theta), 9)
  expect_equal(toy$nu, 0.82)
  expect_equal(sqrt(sum(toy$mean^2)), 1.75)
  expect_equal(toy$mean, 1.75 * toy$theta / 3)
  expect_equal(toy$bayes_error, pnorm(-1.75))
  # means and covariances within five standard errors
  signed <- toy$x * ifelse(toy$y == "1", 1, -1)
  expect_lt(max(abs(colMeans(signed) - toy$mean)) * sqrt(20001), 5)
  spread <- crossprod(sweep(signed, 2, toy$mean)) / 20001
  expect_lt(max(abs(spread - diag(50))) * sqrt(20001 / 2), 5)
  # the Bayes classifier
  error <- mean((toy$x %*% toy$mean > 0) != (toy$y == "1"))
  expect_lt(abs(error - toy$bayes_error), 5 * sqrt(toy$bayes_error / 20001))
})

test_that("shares of noise are rounded, one feature at least is informative", {
  informative <- function(nu, d = 50) sum(simulate_mkl_toy(2, nu, d = d)$theta)
  expect_equal(vapply(c(0, 0.44, 0.64, 0.82, 0.92, 1), informative, 0), c(50, 28, 18, 9, 4, 1))
  expect_equal(informative(0.5, 1), 1)
  expect_equal(simulate_mkl_toy(2, 1)$nu, 0.98)
  set.seed(2)
  a <- simulate_mkl_toy(5, 0.5)
  set.seed(2)
  expect_identical(simulate_mkl_toy(5, 0.5), a)
  expect_equal(simulate_mkl_toy(4, 0, rho = 0)$mean, numeric(50))
})

test_that("wrong arguments are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    simulate_mkl_toy(1, 0)
    simulate_mkl_toy(10, 1.5)
    simulate_mkl_toy(10, NA)
    simulate_mkl_toy(10, 0, rho = -1)
    simulate_mkl_toy(10, 0, d = 0)
  })
})

test_that("the story of the paper's experiment: its extremes win at the ends, p = 4 is robust", {
  skip_unless_slow()
  set.seed(61)
  costs <- 10^c(-2.5, -1.5, -0.5)
  p <- c(1, 4, Inf)
  run <- function(nu) {
    train <- simulate_mkl_toy(50, nu)
    held <- simulate_mkl_toy(4000, nu)
    rate <- function(fit, rows) mean(predict(fit, held$x[rows, ]) != held$y[rows])
    rows <- split(seq_len(4000), rep(1:2, 2000))
    vapply(p, function(p) {
      fits <- lapply(costs, function(C) {
        mkl(train$x, train$y, per_feature(linear_kernel()), p = p, C = C,
            control = mkl_control(tol = 1e-5, progress = FALSE))
      })
      chosen <- fits[[which.min(vapply(fits, rate, 0, rows[[1]]))]]
      truth <- train$theta / sqrt(sum(train$theta))
      c(error = rate(chosen, rows[[2]]),
        weights = sqrt(sum((chosen$theta / sqrt(sum(chosen$theta^2)) - truth)^2)))
    }, c(error = 0, weights = 0))
  }
  shares <- c(0, 0.82, 1)
  mean_of <- vapply(shares, function(nu) Reduce(`+`, lapply(1:4, function(k) run(nu))) / 4,
                    matrix(0, 2, 3))
  error <- structure(mean_of["error", , ], dimnames = list(p = p, nu = shares))
  expect_identical(unname(apply(error, 2, which.min)), c(3L, 2L, 1L))
  expect_identical(unname(which.min(apply(error, 1, max))), 2L)
  expect_gt(error["1", "0"], error["Inf", "0"] + 0.04)
  expect_gt(error["Inf", "1"], error["1", "1"] + 0.08)
  expect_lt(error["1", "1"], pnorm(-1.75) + 0.01)
  weights <- structure(mean_of["weights", , ], dimnames = list(p = p, nu = shares))
  expect_lt(weights["1", "1"], 0.1)
  expect_equal(weights["Inf", "0"], 0, tolerance = 1e-12)
  expect_lt(weights["4", "0.82"], weights["Inf", "0.82"])
})
