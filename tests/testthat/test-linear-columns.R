# Linear kernels of few columns on many rows, which are solved by their columns: the same fits as
# from matrices, certified for all p and C, with the columns that data have.
skip_on_cran() # a slow file

# Answers to questions, 0 or 1, with columns among them that are constant, repeated or all but zero;
# labels depend on some and are noisy.
survey <- function(n, d) {
  set.seed(1)
  x <- matrix(rbinom(n * d, 1, rep(runif(d, 0.02, 0.4), each = n)), n)
  x[, 1] <- c(1, numeric(n - 1))
  x[, 2] <- 1
  x[, 3] <- x[, 4]
  score <- drop(x[, 5:9] %*% c(2, -2, 1, 1, -1)) + rnorm(n)
  list(x = x, y = factor(ifelse(score > median(score), "yes", "no")))
}

test_that("fits by columns are those from matrices", {
  data <- survey(1050, 10)
  data$x[, 1] <- 0
  sets <- list(3:5, 6, 7:10, c(1, 2, 5, 9))
  for (how in list("none", c("centre", "trace"))) {
    kernels <- lapply(sets, function(set) tcrossprod(data$x[, set, drop = FALSE]))
    matrices <- lapply(kernels, function(K) judge_normalize(K, how)$train)
    for (p in c(1, 4 / 3, Inf)) {
      fit <- mkl(data$x, data$y, on_features(linear_kernel(), sets), p = p, C = 0.5,
                 normalize = how, control = quiet(tol = 1e-4))
      expect_as_from_matrices(fit, data$y, matrices, p = p, C = 0.5)
    }
  }
})

# No column has mean 0, so without an intercept fits differ from those on centred columns.
test_that("fits without an intercept are those from matrices, too", {
  skip_unless_slow()
  data <- survey(1050, 10)
  data$x <- data$x + 2
  sets <- list(3:5, 6, 7:10, c(1, 2, 5, 9))
  kernels <- lapply(sets, function(set) tcrossprod(data$x[, set, drop = FALSE]))
  number <- drop(data$x %*% seq(-1, 1, length.out = 10)) + rnorm(1050)
  for (how in list("none", c("centre", "trace"))) {
    matrices <- lapply(kernels, function(K) judge_normalize(K, how)$train)
    for (loss in c("hinge", "epsilon_insensitive", "logistic")) {
      y <- if (loss == "epsilon_insensitive") number else data$y
      for (p in c(1, 2)) {
        fit <- mkl(data$x, y, on_features(linear_kernel(), sets), p = p, C = 5, loss = loss,
                   intercept = FALSE, normalize = how, scale = FALSE,
                   control = quiet(tol = 1e-4))
        other <- mkl(NULL, y, suppressMessages(precomputed_kernel(matrices)), p = p, C = 5,
                     loss = loss, intercept = FALSE, normalize = "none", scale = FALSE,
                     control = quiet(tol = 1e-4))
        expect_identical(fit$status, "converged")
        expect_lte(duality_gap(fit, data$x, y)$gap, 1e-4)
        expect_equal(fit$objective, other$objective, tolerance = 2e-4)
      }
    }
  }
})

test_that("the tube of regression over single columns is in interior points once", {
  set.seed(1)
  x <- matrix(rnorm(600 * 60), 600)
  y <- drop(x[, 1:4] %*% c(1, -1, 0.5, 0.5)) + rnorm(600)
  for (C in c(0.1, 1, 10)) {
    fit <- mkl(x, y, per_feature(linear_kernel()), p = 1, C = C, control = quiet(max_iter = 20))
    expect_identical(fit$status, "converged", info = C)
    expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
  }
})

# Samples' first guesses at weights are far off there: all of them take part from the start.
test_that("regression with nearly as many single columns as rows takes few moves", {
  skip_unless_slow()
  set.seed(1)
  x <- matrix(rnorm(1050 * 700), 1050)
  y <- drop(x[, 1:4] %*% c(1, -1, 0.5, 0.5)) + rnorm(1050)
  for (p in c(4 / 3, 2)) {
    fit <- mkl(x, y, per_feature(linear_kernel()), p = p, C = 10, control = quiet(max_iter = 20))
    expect_identical(fit$status, "converged", info = p)
    expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
  }
})

# Where steps in turns lead to and fro, interior points by columns see to the end.
test_that("p = 1 over skewed columns takes few moves", {
  skip_unless_slow()
  set.seed(3)
  x <- matrix(rexp(2500 * 50)^1.5, 2500)
  score <- x[, 1] - x[, 2] + 0.3 * x[, 5] + 0.2 * x[, 7] * x[, 9]
  class <- factor(score + rnorm(2500) > 0)
  for (C in c(0.1, 1, 30)) {
    for (intercept in c(TRUE, FALSE)) {
      fit <- mkl(x, class, per_feature(linear_kernel()), p = 1, C = C, intercept = intercept,
                 scale = FALSE, control = quiet(max_iter = 40))
      expect_identical(fit$status, "converged", info = C)
      expect_lte(duality_gap(fit, x, class)$gap, 1e-3)
    }
  }
  three <- factor(max.col(cbind(x[, 1] - x[, 2], x[, 3], 1) + matrix(rnorm(7500), 2500)))
  for (intercept in c(TRUE, FALSE)) {
    fit <- mkl(x, three, per_feature(linear_kernel()), p = 1, multiclass = "shared",
               intercept = intercept, scale = FALSE, control = quiet(max_iter = 40))
    expect_true(all(fit$converged))
    expect_lte(max(duality_gap(fit, x, three)$gap), 1e-3)
  }
  number <- score + rnorm(2500)
  fit <- mkl(x, number, per_feature(linear_kernel()), p = 1, control = quiet(tol = 1e-5))
  expect_lte(duality_gap(fit, x, number)$gap, 1e-5)
})

test_that("surveys are certified for every p and C, dense and sparse", {
  skip_unless_slow()
  skip_if_not_installed("Matrix")
  data <- survey(6000, 40)
  sparse <- Matrix::Matrix(data$x, sparse = TRUE)
  for (C in c(0.01, 1, 100)) {
    for (p in c(1, 4 / 3, 2, Inf)) {
      for (x in list(data$x, sparse)) {
        # Each thread adds its own working memory.
        fit <- mkl(x, data$y, per_feature(linear_kernel()), p = p, C = C, normalize = "none",
                   control = quiet(threads = 1))
        expect_identical(fit$status, "converged", info = paste(C, p))
        expect_lte(duality_gap(fit, x, data$y)$gap, 1e-3)
        expect_lt(fit$memory, 2^24)
      }
    }
  }
})

test_that("one linear kernel, several classes and weights are served too", {
  data <- survey(3000, 12)
  y <- factor(ifelse(data$x[, 8] == 1, "maybe", as.character(data$y)))
  weights <- rep(c(0, 1, 2), length.out = 3000)
  for (kernels in list(linear_kernel(), per_feature(linear_kernel()))) {
    one <- mkl(data$x, data$y, kernels, weights = weights, normalize = "none", control = quiet())
    expect_true(one$converged)
    expect_true(all(one$alpha[weights == 0] == 0))
    shared <- mkl(data$x, y, kernels, p = 2, normalize = "none", multiclass = "shared",
                  control = quiet())
    expect_true(all(shared$converged))
    expect_lte(max(duality_gap(shared, data$x, y)$gap), 1e-3)
  }
})

test_that("time limits leave an honest gap, and fits start from others", {
  data <- survey(6000, 40)
  fit <- function(...) {
    mkl(data$x, data$y, per_feature(linear_kernel()), p = 1, C = 1,
        normalize = "none", control = quiet(...))
  }
  expect_warning(short <- fit(max_time = 1e-6), "time limit")
  expect_equal(duality_gap(short, data$x, data$y)$gap, short$gap, tolerance = 1e-6)
  whole <- fit()
  again <- fit(start = whole)
  expect_true(again$converged)
  expect_lte(again$iterations, whole$iterations)
})

test_that("thousands of columns and p = 1 take few moves with every loss", {
  set.seed(2)
  x <- matrix(rnorm(150 * 2500), 150)
  number <- drop(x[, 1:10] %*% rep(c(1, -1), 5)) + rnorm(150)
  class <- factor(number > 0)
  for (loss in c("squared", "huber", "squared_hinge", "logistic", "hinge")) {
    y <- if (loss %in% c("squared", "huber")) number else class
    fit <- mkl(x, y, per_feature(linear_kernel()), p = 1, C = 100, loss = loss,
               control = quiet(tol = 1e-3, max_iter = 40))
    expect_identical(fit$status, "converged", info = loss)
    expect_lte(duality_gap(fit, x)$gap, 1e-3)
  }
})
