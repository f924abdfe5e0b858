# Kernels of low rank (on columns of few values, polynomials of few columns, such matrices), which are
# solved as linear kernels on columns: fits are certified by the kernels' definitions, and are those
# from matrices.
skip_on_cran() # a slow file

genotypes <- function(n, d) {
  set.seed(4)
  x <- matrix(rbinom(n * d, 2, rep(runif(d, 0.1, 0.5), each = n)), n)
  effect <- x[, 1] - x[, 2] + 0.7 * (x[, 3] == 1) - 0.5 * x[, 4]
  list(x = x, y = factor(ifelse(effect + rnorm(n) > mean(effect), "case", "control")),
       number = effect + rnorm(n))
}

column_kernels <- function() {
  per_feature(c(gaussian_kernel(c(0.5, 3)), polynomial_kernel(2), linear_kernel()))
}

by_definition <- function(x, kernels, how) {
  lapply(kernel_matrix(kernels, x), function(K) judge_normalize(unname(K), how)$train)
}

test_that("fits of kernels on genotypes are those from matrices", {
  skip_unless_slow()
  data <- genotypes(620, 6)
  kernels <- column_kernels()
  for (how in list("none", c("centre", "trace"), c("centre", "spherical"))) {
    matrices <- by_definition(data$x, kernels, how)
    for (p in c(1, 4 / 3, 2)) {
      fit <- mkl(data$x, data$y, kernels, p = p, C = 0.5, normalize = how, scale = FALSE,
                 control = quiet(tol = 1e-4))
      expect_as_from_matrices(fit, data$y, matrices, p = p, C = 0.5)
    }
  }
})

test_that("so are those of other losses, without an intercept and with weights", {
  data <- genotypes(620, 6)
  kernels <- column_kernels()
  for (loss in c("squared_hinge", "logistic", "epsilon_insensitive", "squared")) {
    numbers <- loss %in% c("epsilon_insensitive", "squared")
    y <- if (numbers) data$number else data$y
    for (intercept in c(TRUE, FALSE)) {
      fit <- mkl(data$x, y, kernels, p = 1, C = 2, loss = loss, intercept = intercept,
                 weights = rep(c(1, 2), 310), control = quiet(tol = 1e-6))
      expect_true(fit$converged)
      expect_equal(duality_gap(fit, data$x, y)$gap, fit$gap, tolerance = 1e-6)
      expect_equal(unname(predict(fit, data$x, type = if (numbers) "response" else "decision")),
                   unname(fitted(fit, type = if (numbers) "response" else "decision")),
                   tolerance = 1e-8)
    }
  }
})

test_that("p = 1 finds the few columns that matter, and leaves the others at zero", {
  skip_unless_slow()
  data <- genotypes(2000, 40)
  fit <- mkl(data$x > 0, data$y, per_feature(gaussian_kernel(1)), p = 1, C = 0.1, control = quiet())
  tight <- mkl(data$x > 0, data$y, per_feature(gaussian_kernel(1)), p = 1, C = 0.1,
               control = quiet(tol = 1e-8))
  expect_lte(fit$solves, 20) # 44 by samples, 6 s
  expect_identical(which(fit$theta > 0.01), which(tight$theta > 1e-3))
  expect_lt(sum(fit$theta > 0), 10)
  fit <- mkl(data$x, data$y, column_kernels(), p = 1, C = 1, control = quiet())
  expect_true(fit$converged)
  expect_lte(fit$solves, 30)
})

test_that("new values of a column are predicted by the kernels", {
  data <- genotypes(620, 6)
  kernels <- per_feature(gaussian_kernel(2))
  fit <- mkl(data$x, data$y, kernels, p = 2, scale = FALSE, normalize = "none", control = quiet())
  new <- matrix(runif(60, -1, 4), 10)
  values <- Reduce(`+`, lapply(1:6, function(j) {
    fit$theta[j] * exp(-outer(new[, j], data$x[, j], `-`)^2 / 2)
  }))
  expect_equal(unname(predict(fit, new, type = "decision")),
               drop(values %*% fit$alpha) + fit$offset, tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("folds and paths take the same way, and starts from other fits", {
  data <- genotypes(700, 8)
  kernels <- per_feature(gaussian_kernel(c(0.5, 3)))
  set.seed(1)
  cv <- cv_mkl(data$x, data$y, kernels, p = c(1, 2), C = c(0.1, 1), folds = 3, control = quiet())
  expect_true(all(cv$by_fold$gap <= 1e-3))
  path <- mkl_path(data$x, data$y, kernels, C = c(0.1, 10), p = 1, control = quiet())
  expect_true(path$certified)
  fit <- mkl(data$x, data$y, kernels, p = 1, C = 1, control = quiet())
  again <- mkl(data$x, data$y, kernels, p = 1, C = 1, control = quiet(start = fit))
  expect_lte(again$iterations, fit$iterations + 1)
  expect_lte(duality_gap(again, data$x, data$y)$gap, 1e-3)
})

test_that("polynomials of few columns and matrices of low rank go along", {
  set.seed(2)
  x <- matrix(rnorm(2400), 600)
  y <- factor(x[, 1] * x[, 2] + x[, 3] + rnorm(600) > 0)
  pairs <- combn(4, 2, simplify = FALSE)
  blocks <- outer(rep_len(1:3, 600), rep_len(1:3, 600), "==") * 1
  kernels <- c(on_features(c(linear_kernel(), polynomial_kernel(2)), pairs),
               precomputed_kernel(list(blocks = blocks)))
  for (p in c(1, 2)) {
    fit <- mkl(x, y, kernels, p = p, C = 0.5, normalize = "none", scale = FALSE, control = quiet())
    expect_true(fit$converged)
    expect_lte(fit$solves, 20)
    expect_certified(fit, lapply(kernel_matrix(kernels, x), unname))
  }
})

test_that("kernels of high rank among them leave all as they are", {
  set.seed(2)
  x <- matrix(rnorm(3000), 600)
  y <- factor(x[, 1] > 0)
  kernels <- c(per_feature(polynomial_kernel(2)), gaussian_kernel(1))
  fit <- mkl(x, y, kernels, p = 1, control = quiet(tol = 1e-6))
  expect_true(fit$converged)
  expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-6)
})
