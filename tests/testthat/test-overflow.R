# Numbers whose kernel values overflow double precision.

d <- judge_clouds(40)
k <- polynomial_kernel(3)
new <- d$x[1:4, ]
new[2, 1] <- 1e150

test_that("new rows that overflow are NA with a warning that names them", {
  fits <- list(
    mkl(d$x, d$y, k), mkl(d$x, d$x[, 1], k), mkl(d$x, factor(rep(1:4, 10)), k),
    mkl(d$x, factor(rep(1:4, 10)), k, multiclass = "ovo"), mkl_gomp(d$x, d$y, k),
    mkl(d$x, factor(rep(1:2, 20)), k, control = mkl_control(probability = TRUE))
  )
  for (fit in fits) {
    expect_warning(value <- predict(fit, new), "row `2` of `newdata`",
                   class = "manykernels_warning_not_finite")
    expect_identical(which(is.na(value)), 2L)
    expect_equal(value[-2], predict(fit, new[-2, ]), ignore_attr = "names")
    expect_warning(decision <- predict(fit, new, type = "decision"),
                   class = "manykernels_warning_not_finite")
    expect_true(all(is.na(as.matrix(decision)[2, ])) && !anyNA(as.matrix(decision)[-2, ]))
  }
  expect_warning(value <- predict(fit, new, type = "prob"), class = "manykernels_warning_not_finite")
  expect_true(all(is.na(value[2, ])) && !anyNA(value[-2, ]))
  # missing values and overflow are told apart, and rows keep their names
  named <- data.frame(new, row.names = letters[1:4])
  fit <- mkl(data.frame(d$x), d$y, k)
  expect_warning(value <- predict(fit, replace(named, 1, c(NA, 1e150, 0, 0))), "row `b`",
                 class = "manykernels_warning_not_finite")
  expect_identical(unname(which(is.na(value))), 1:2)
  expect_silent(predict(mkl(d$x, d$y, gaussian_kernel(1)), new))
})

test_that("new rows that overflow when they are standardised are as far away as numbers go", {
  k <- gaussian_kernel(1)
  far <- replace(new, 2, .Machine$double.xmax)
  fit <- mkl(d$x / 100, d$y, k)
  expect_equal(predict(fit, far, type = "decision")[2], fit$offset, ignore_attr = TRUE)
  sparse <- function(x) Matrix::Matrix(x, sparse = TRUE)
  fit <- mkl(sparse(d$x / 100), d$y, k)
  expect_equal(predict(fit, sparse(far), type = "decision")[2], fit$offset, ignore_attr = TRUE)
  # and responses are an error
  for (y in list(d$x[, 1] * 3e307, d$x[, 1:2] * 3e307)) {
    expect_error(mkl(d$x, y, k), "^Rescale `y`", class = "manykernels_not_finite")
  }
})

test_that("training rows that overflow are an error that leads on", {
  large <- d$x * 1e160
  expect_error(mkl(large, d$y, scale = FALSE), "Rescale `x`, as by `scale = TRUE`",
               class = "manykernels_not_finite")
  one <- replace(d$x, 1, 1e300)
  expect_error(default_kernels(one, scale = FALSE), class = "manykernels_not_finite")
  expect_error(mkl(list(a = d$x, b = one), d$y, scale = FALSE), "`x$b`", fixed = TRUE,
               class = "manykernels_not_finite")
  expect_lte(mkl(large, d$y, scale = TRUE)$gap, 1e-3)
  expect_lte(mkl(one, d$y, scale = TRUE)$gap, 1e-3)
})

test_that("a certificate whose sides are not finite is an error, not a gap of 0", {
  refused <- function(expr) {
    expect_error(expr, "Rescale the data, as by `scale = TRUE`, or check", class = "manykernels_not_finite")
  }
  k <- gaussian_kernel(1)
  numbers <- d$x[, 1] / max(abs(d$x[, 1]))
  for (fit in list(mkl, mkl_sequential)) {
    refused(fit(d$x, numbers * 1e306, k, scale = FALSE))
    refused(fit(d$x, d$y, k, C = 1e305))
  }
  refused(mllkm(d$x, d$y, C = 1e305))
  refused(mkl(d$x, d$y, k, weights = rep(1e305, 40)))
  refused(mkl(d$x, factor(rep(1:4, 10)), k, C = 1e305, multiclass = "joint"))
  refused(mkl(d$x, numbers, k, C = 1e305, loss = "squared"))
  fit <- mkl(d$x, numbers * 1e140, k, scale = FALSE)
  expect_true(is.finite(fit$primal) && fit$gap <= 1e-3)
})

test_that("products of kernels that overflow in new rows predict NA with a warning, as other kernels do", {
  far <- rbind(d$x[1:2, ], 1e200)
  for (k in list(polynomial_kernel(2) * linear_kernel(), gaussian_kernel(1) * polynomial_kernel(4))) {
    fit <- mkl(d$x, d$y, k)
    expect_warning(value <- predict(fit, far, type = "decision"), "row `3`", class = "manykernels_warning_not_finite")
    expect_equal(value[1:2], predict(fit, d$x[1:2, ], type = "decision"), ignore_attr = TRUE)
    expect_true(is.na(value[3]))
    expect_error(kernel_matrix(k, far), "overflow", class = "manykernels_not_finite")
  }
  fit <- mkl(d$x, d$y, normalize_kernels(polynomial_kernel(3), "spherical"))
  expect_error(predict(fit, far), "overflows double precision", class = "manykernels_constant_kernel")
})

test_that("rows whose distances vanish in double precision are an error that leads on", {
  tiny <- d$x * 1e-160
  for (method in list(mkl, mkl_path, mkl_gomp, mllkm)) {
    expect_error(method(tiny, d$y, scale = FALSE), "rescale, as by `scale = TRUE`",
                 class = "manykernels_constant_kernel")
  }
  expect_lte(mkl(tiny, d$y)$gap, 1e-3)
  expect_no_warning(cv_mkl(d$x, d$x[, 1] * 1e200, gaussian_kernel(1), p = 2, C = 1, folds = 2))
})
