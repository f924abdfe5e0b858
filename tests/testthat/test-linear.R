# Linear kernels as feature blocks: the same fits as from matrices, whatever the sets of columns, and
# whether all columns stand in the rows or a few stand for all.

quiet <- function(...) mkl_control(progress = FALSE, ...)

wide_data <- function(n, d, signal = 5) {
  data <- judge_clouds(n, d, 0)
  data$x <- data$x + 0.3
  data$x[, seq_len(signal)] <- data$x[, seq_len(signal)] + 0.7 * (data$y == "yes")
  data
}

# Products of the columns in each set, by definition, and normalised.
set_matrices <- function(x, sets, how) {
  lapply(sets, function(set) {
    judge_normalize(tcrossprod(as.matrix(x[, set, drop = FALSE])), how)$train
  })
}

overlapping <- function(d, count, size) {
  lapply(seq_len(count), function(k) (k * 7 + seq_len(size) * (1 + k %% 3)) %% d + 1)
}

test_that("single columns and overlapping sets are certified for every p and normalisation", {
  few <- wide_data(40, 30)
  many <- wide_data(40, 500) # more columns than rows of the solver take
  sets <- list(as.list(1:30), overlapping(30, 20, 6), as.list(1:500), overlapping(500, 60, 40))
  for (case in seq_along(sets)) {
    data <- if (case < 3) few else many
    for (how in list("none", c("centre", "trace"), "multiplicative")) {
      matrices <- set_matrices(data$x, sets[[case]], how)
      for (p in c(1, 4 / 3, 2, 8, Inf)) {
        fit <- mkl(data$x, data$y, on_features(linear_kernel(), sets[[case]]), p = p, C = 0.3,
                   normalize = how, control = quiet(tol = 1e-4))
        expect_identical(fit$status, "converged", info = paste(case, p, how[1]))
        expect_certified(fit, matrices)
      }
    }
  }
})

test_that("tight tolerances are reached where few columns stand for all", {
  data <- wide_data(30, 600)
  matrices <- set_matrices(data$x, as.list(1:600), "multiplicative")
  for (p in c(4 / 3, 2)) {
    fit <- mkl(data$x, data$y, per_feature(linear_kernel()), p = p, control = quiet(tol = 1e-8))
    expect_certified(fit, matrices)
  }
})

test_that("sparse views, several views and other kernels mix", {
  skip_if_not_installed("Matrix")
  data <- wide_data(40, 400)
  data$x[abs(data$x) < 0.8] <- 0
  sparse <- Matrix::Matrix(data$x, sparse = TRUE)
  other <- judge_clouds(40, 3, 0)$x
  kernels <- c(on_view(per_feature(linear_kernel()), "a"), on_view(per_feature(linear_kernel()), "b"),
               on_view(gaussian_kernel(c(1, 4)), "b"), on_view(linear_kernel(), "b"),
               normalize_kernels(on_view(linear_kernel(), "a"), "spherical"))
  for (how in list("multiplicative", c("centre", "trace"))) {
    plain <- c(set_matrices(data$x, as.list(1:400), how), set_matrices(other, as.list(1:3), how),
               lapply(c(1, 4), function(w) judge_normalize(judge_gaussian(other, other, w), how)$train),
               set_matrices(other, list(1:3), how), set_matrices(data$x, list(1:400), "spherical"))
    for (a in list(data$x, sparse)) for (p in c(4 / 3, 2)) {
      fit <- mkl(list(a = a, b = other), data$y, kernels, p = p, normalize = how,
                 control = quiet(tol = 1e-4))
      expect_certified(fit, plain)
      new <- list(a = a[40:31, ], b = other[40:31, ])
      expect_equal(unname(predict(fit, new, "decision")), unname(fit$decision[40:31]),
                   tolerance = 1e-6)
      gap <- duality_gap(fit, list(a = a, b = other), data$y)
      expect_equal(gap$gap, fit$gap, tolerance = 1e-6)
    }
  }
})

test_that("classes that share theta have one set of columns", {
  set.seed(4)
  x <- matrix(rnorm(60 * 600), 60)
  y <- factor(rep(c("a", "b", "c"), 20))
  x[, 1] <- x[, 1] + 2 * (y == "a")
  x[, 2] <- x[, 2] + 2 * (y == "b")
  fit <- mkl(x, y, per_feature(linear_kernel()), p = 2, multiclass = "shared",
             control = quiet(tol = 1e-4))
  expect_true(all(fit$converged))
  expect_lte(duality_gap(fit, x, y)$gap, 1e-4)
  expect_equal(predict(fit, x, "decision"), fit$decision, tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("twenty thousand kernels on single columns fit in a moment and are small", {
  set.seed(1)
  x <- matrix(rnorm(300 * 20000), 300)
  y <- factor(rowSums(x[, 1:30]) + rnorm(300) > 0)
  fit <- mkl(x, y, per_feature(linear_kernel()), p = 2, normalize = "none", control = quiet())
  expect_true(fit$converged)
  # the judge, with all rank-one forms at once
  g <- drop(crossprod(x, fit$alpha))
  f <- drop(x %*% (unname(fit$theta) * g))
  sign <- judge_signs(fit)
  upper <- judge_offset(f, sign, fit$cost)$loss + 0.5 * judge_norm(fit$theta * abs(g), 4 / 3)^2
  lower <- sum(sign * fit$alpha) - 0.5 * judge_norm(g^2, 2)
  expect_equal(c(fit$primal, fit$objective), c(upper, lower), tolerance = 1e-8)
  expect_lte((upper - lower) / upper, 1e-3)
  expect_null(fit$data$views)
  expect_equal(unname(predict(fit, x[1:5, ], "decision")), unname(fit$decision[1:5]))
})
