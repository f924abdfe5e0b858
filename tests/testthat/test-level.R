# The level method's own settings and bounds.

set.seed(1)
x <- matrix(rnorm(60 * 4), 60)
y <- factor(x[, 1] * x[, 2] + 0.3 * rnorm(60) > 0)
kernels <- c(gaussian_kernel(2^(-1:3)), polynomial_kernel(1:2))
fit_level <- function(level, optimizer = "level", ...) {
  mkl(x, y, kernels, p = 1, control = quiet(optimizer = optimizer, tol = 1e-5, level = level, ...))
}

test_that("every level finds the optimum, between bounds that close in on it", {
  best <- mkl(x, y, kernels, p = 1, control = quiet(tol = 1e-8))
  fits <- lapply(list(NULL, 0.5, 0.9, c(0.3, 0.95)), fit_level)
  for (fit in fits) {
    expect_lte(fit$gap, 1e-5)
    expect_equal(fit$objective, best$objective, tolerance = 2e-5)
    bounds <- fit$history[!is.na(fit$history$delta), ]
    expect_gt(nrow(bounds), 2)
    expect_true(all(bounds$lower <= best$objective * (1 + 1e-5) & bounds$upper >= best$objective * (1 - 1e-5)))
    expect_true(all(diff(bounds$lower) >= -1e-12) && all(diff(bounds$upper) <= 1e-12))
    expect_equal(bounds$delta, bounds$upper - bounds$lower)
  }
  expect_identical(fit_level(c(0.9, 0.99))$history$delta, fits[[1]]$history$delta)
  expect_gt(length(unique(vapply(fits, function(fit) fit$solves, 0))), 1)
  expect_null(best$history$delta)
  expect_true("delta" %in% names(fit_level(NULL, "cutting_plane")$history))
})

test_that("levels are shares, of the level method alone", {
  for (bad in list(0, 1, c(0.5, 0.6, 0.7), "a", NA)) {
    expect_error(mkl_control("level", level = bad), class = "manykernels_invalid_argument")
  }
  expect_error(mkl_control(level = 0.5), "level", class = "manykernels_invalid_argument")
  expect_output(print(mkl_control("level", level = 0.5)), "level: +0.5, then 0.5")
})
