# Gaussian kernels of distances that are given.

d <- judge_clouds(30)
x <- d$x
rownames(x) <- paste0("s", 1:30)
train <- 1:20
between <- as.matrix(dist(x))
trees <- dist(x[train, ])
k <- gaussian_kernel(c(1, 4), distance = trees)
reference <- mkl(x[train, ], d$y[train], gaussian_kernel(c(1, 4)), scale = FALSE,
                 control = mkl_control(tol = 1e-6))
expected <- predict(reference, x[-train, ], "decision")

test_that("they are the kernels of the data that the distances come from", {
  expect_named(k, c("trees:gaussian(width=1)", "trees:gaussian(width=4)"))
  expect_equal(k[[2]]$parameters$matrix, exp(-between[train, train]^2 / 4), ignore_attr = TRUE)
  fit <- mkl(y = d$y[train], kernels = k, control = mkl_control(tol = 1e-6))
  expect_equal(fit$objective, reference$objective, tolerance = 1e-5)
  expect_equal(duality_gap(fit, trees, d$y[train])$gap, fit$gap, tolerance = 1e-2)
  new <- between[-train, train]
  for (newdata in list(new, list(trees = new), Matrix::Matrix(new), new[, 20:1])) {
    expect_equal(predict(fit, newdata, "decision"), expected, tolerance = 1e-3)
  }
  expect_named(fit$alpha, rownames(x)[train])
  expect_identical(is.na(unname(predict(fit, replace(new, cbind(2, 3), NA)))), 1:10 == 2)
})

test_that("beside data, centred and spherical, by names and in cross-validation", {
  fit <- mkl(x[train, ], d$y[train], c(k, linear_kernel()), normalize = c("centre", "spherical"),
             control = mkl_control(tol = 1e-6))
  by_data <- mkl(x[train, ], d$y[train], c(gaussian_kernel(c(1, 4)), linear_kernel()), scale = FALSE,
                 normalize = c("centre", "spherical"), control = mkl_control(tol = 1e-6))
  expect_equal(predict(fit, list(x = x[train, ], trees = trees), "decision"), fit$decision)
  expect_equal(fit$theta[1:2], by_data$theta[1:2], tolerance = 0.5, ignore_attr = TRUE)
  named <- stats::setNames(d$y[train], rownames(x)[train])
  expect_message(mkl(y = named[20:1], kernels = k), class = "manykernels_message_row_order")
  set.seed(1)
  cv <- cv_mkl(y = d$y[train], kernels = k, p = 1, C = 1, folds = 2)
  expect_length(predict(cv, between[-train, train]), 10)
})

test_that("several distances have names", {
  two <- gaussian_kernel(1, distance = list(all = trees, first = dist(x[train, 1])))
  expect_named(two, c("all:gaussian(width=1)", "first:gaussian(width=1)"))
  fit <- mkl(y = d$y[train], kernels = two)
  new <- list(first = as.matrix(dist(x[, 1]))[-train, train], all = between[-train, train])
  expect_length(predict(fit, new), 10)
  expect_named(gaussian_kernel(1, distance = dist(x)), "distance:gaussian(width=1)")
  unlabelled <- gaussian_kernel(1, distance = dist(unname(x)))
  expect_null(unlabelled[[1]]$parameters$rows)
})

test_that("bad distances are errors that say what was expected", {
  fit <- mkl(y = d$y[train], kernels = k)
  new <- between[-train, train]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    gaussian_kernel(1, distance = "a")
    gaussian_kernel(1, distance = -between)
    gaussian_kernel(1, distance = between + 1)
    gaussian_kernel(1, distance = between[1:3, ])
    gaussian_kernel(1, distance = replace(between, 2, 9))
    gaussian_kernel(1, distance = replace(between, 2, NA))
    gaussian_kernel(1, distance = list(trees))
    precomputed_kernel(trees)
    predict(fit, -new)
    predict(fit, new[, 1:3])
    predict(fit, list(other = new))
  })
  expect_warning(gaussian_kernel(9, distance = replace(between, between > 1, 50)),
                 class = "manykernels_warning_indefinite")
})
