# Linear kernels as feature blocks: the same fits as from matrices, whatever the sets of columns, and
# whether all columns stand in the rows or a few stand for all.

skip_on_cran() # a slow file
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
  skip_unless_slow()
  few <- wide_data(40, 30)
  many <- wide_data(40, 500) # more columns than rows of the solver take
  sets <- list(as.list(1:30), overlapping(30, 20, 6), as.list(1:500), overlapping(500, 60, 40))
  for (case in seq_along(sets)) {
    data <- if (case < 3) few else many
    for (how in list("none", c("centre", "trace"), "multiplicative")) {
      matrices <- set_matrices(data$x, sets[[case]], how)
      for (p in c(1, 4 / 3, 2, 8, Inf)) {
        fit <- mkl(data$x, data$y, on_features(linear_kernel(), sets[[case]]), p = p, C = 0.3,
                   normalize = how, control = quiet(tol = 1e-4), scale = FALSE)
        expect_identical(fit$status, "converged", info = paste(case, p, how[1]))
        expect_certified(fit, matrices)
      }
    }
  }
})

# More columns than rows of the solver take: a few of them stand for all.
very_wide <- function() {
  set.seed(1)
  x <- matrix(rnorm(260 * 20000), 260)
  list(x = x, y = factor(rowSums(x[, 1:30]) + rnorm(260) > 0))
}

# The judge for kernels of one column each, not normalised: all forms at once.
expect_rank_one_certified <- function(fit, x, tol) {
  g <- drop(crossprod(x, fit$alpha))
  f <- drop(x %*% (unname(fit$theta) * g))
  sign <- judge_signs(fit)
  p <- fit$p
  upper <- judge_offset(f, sign, fit$cost)$loss +
    0.5 * judge_norm(fit$theta * abs(g), 2 * p / (p + 1))^2
  lower <- sum(sign * fit$alpha) - 0.5 * judge_norm(g^2, p / (p - 1))
  expect_equal(c(fit$primal, fit$objective), c(upper, lower), tolerance = 1e-8)
  expect_lte((upper - lower) / upper, tol)
}

test_that("tight tolerances are reached where few columns stand for all", {
  skip_unless_slow()
  data <- very_wide()
  for (p in c(4 / 3, 2)) {
    fit <- mkl(data$x, data$y, per_feature(linear_kernel()), p = p, normalize = "none",
               control = quiet(tol = 1e-7), scale = FALSE)
    expect_rank_one_certified(fit, data$x, 1e-7)
  }
})

test_that("few columns stand for all beside other kernels and for several classes", {
  skip_unless_slow()
  data <- very_wide()
  z <- judge_clouds(260, 3, 0)$x
  kernels <- c(on_view(per_feature(linear_kernel()), "x"), on_view(gaussian_kernel(c(1, 4)), "z"))
  views <- list(x = data$x, z = z)
  fit <- mkl(views, data$y, kernels, p = 4 / 3, control = quiet(tol = 1e-4), scale = FALSE)
  expect_true(fit$converged)
  expect_lte(duality_gap(fit, views, data$y)$gap, 1e-4)
  classes <- cut(data$x[, 1] + data$x[, 2], c(-Inf, -1, 1, Inf), letters[1:3])
  fit <- mkl(data$x, classes, per_feature(linear_kernel()), p = 2, multiclass = "shared",
             control = quiet(tol = 1e-4), scale = FALSE)
  expect_true(all(fit$converged))
  expect_lte(duality_gap(fit, data$x, classes)$gap, 1e-4)
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
                 control = quiet(tol = 1e-4), scale = FALSE)
      expect_certified(fit, plain)
      new <- list(a = a[40:31, ], b = other[40:31, ])
      expect_equal(unname(predict(fit, new, "decision")), unname(fit$decision[40:31]),
                   tolerance = 1e-6)
      gap <- duality_gap(fit, list(a = a, b = other), data$y)
      expect_equal(gap$gap, fit$gap, tolerance = 1e-6)
    }
  }
})

test_that("sets of columns mix with Gaussians and precomputed kernels", {
  data <- wide_data(40, 60)
  z <- judge_clouds(40, 3, 0)$x
  K <- judge_gaussian(z, z, 2)
  sets <- overlapping(60, 20, 6)
  kernels <- c(on_features(on_view(linear_kernel(), "x"), sets), on_view(gaussian_kernel(c(1, 4)), "z"),
               precomputed_kernel(list(K = K)))
  x <- list(x = data$x, z = z, K = K)
  for (how in list("multiplicative", c("centre", "trace"))) for (p in c(1, 4 / 3, Inf)) {
    fit <- mkl(x, data$y, kernels, p = p, normalize = how, control = quiet(tol = 1e-4),
               scale = FALSE)
    expect_certified(fit, c(set_matrices(data$x, sets, how), lapply(
      list(judge_gaussian(z, z, 1), judge_gaussian(z, z, 4), K),
      function(k) judge_normalize(k, how)$train
    )))
    expect_equal(predict(fit, x, "decision"), fit$decision, tolerance = 1e-6, ignore_attr = TRUE)
    expect_equal(duality_gap(fit, x, data$y)$gap, fit$gap, tolerance = 1e-6)
  }
})

test_that("p near 1 finds the few of many columns that matter", {
  data <- wide_data(40, 2500) # too many to solve for all at once
  for (p in c(1, 1.01)) {
    fit <- mkl(data$x, data$y, per_feature(linear_kernel()), p = p, control = quiet(tol = 1e-4),
               scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_certified(fit, set_matrices(data$x, as.list(1:2500), "multiplicative"))
    expect_lt(sum(fit$theta > 0), 1000)
    again <- mkl(data$x, data$y, per_feature(linear_kernel()), p = p,
                 control = quiet(tol = 1e-4, start = fit), scale = FALSE)
    expect_lte(again$gap, 1e-4)
  }
  expect_warning(
    short <- mkl(data$x, data$y, per_feature(linear_kernel()), p = 1,
                 control = quiet(max_iter = 3, tol = 1e-6), scale = FALSE),
    class = "manykernels_warning_not_converged"
  )
  expect_identical(short$status, "iteration_limit")
  expect_true(is.finite(short$gap))
})

test_that("classes that share theta have one set of columns", {
  set.seed(4)
  x <- matrix(rnorm(60 * 600), 60)
  y <- factor(rep(c("a", "b", "c"), 20))
  x[, 1] <- x[, 1] + 2 * (y == "a")
  x[, 2] <- x[, 2] + 2 * (y == "b")
  fit <- mkl(x, y, per_feature(linear_kernel()), p = 2, multiclass = "shared",
             control = quiet(tol = 1e-4), scale = FALSE)
  expect_true(all(fit$converged))
  expect_lte(duality_gap(fit, x, y)$gap, 1e-4)
  expect_equal(predict(fit, x, "decision"), fit$decision, tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("twenty thousand kernels on single columns fit in a moment and are small", {
  data <- very_wide()
  fit <- mkl(data$x, data$y, per_feature(linear_kernel()), p = 2, normalize = "none",
             control = quiet(), scale = FALSE)
  expect_true(fit$converged)
  expect_rank_one_certified(fit, data$x, 1e-3)
  expect_null(fit$data$views)
  expect_equal(unname(predict(fit, data$x[1:5, ], "decision")), unname(fit$decision[1:5]))
})
