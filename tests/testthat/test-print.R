quiet <- function(...) mkl_control(tol = 1e-9, progress = FALSE, ...)

small_fit <- function(...) {
  d <- judge_clouds(40)
  mkl(d$x, d$y, c(linear_kernel(), gaussian_kernel(c(1, 8))), control = quiet(), ...)
}

test_that("fits of two classes print", {
  fit <- small_fit()
  expect_snapshot(fit, transform = hide_digits)
  expect_snapshot(summary(fit), transform = hide_digits)
  capture.output(expect_invisible(print(fit)))
})

test_that("fits of several classes print", {
  d <- judge_triangle()
  frame <- data.frame(d$x, y = d$y)
  frame$v1[2] <- NA
  fit <- mkl(y ~ ., frame, kernels = gaussian_kernel(c(1, 4)), multiclass = "ovo",
             control = quiet())
  expect_snapshot(print(fit, digits = 2), transform = hide_digits)
  expect_snapshot(summary(fit), transform = hide_digits)
  shared <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), multiclass = "shared", control = quiet())
  expect_snapshot(print(shared, digits = 2), transform = hide_digits)
})

test_that("many kernels and views are cut to the largest", {
  d <- judge_clouds(40, 12)
  fit <- mkl(list(a = d$x[, 1:6], b = d$x[, 7:12]), d$y, per_feature(linear_kernel()), p = 4,
             control = quiet())
  lines <- capture.output(print(fit))
  expect_match(lines, "12 kernels, 12 with positive weight, share of the fitted function:", all = FALSE)
  expect_match(lines, "^... and [0-9]+ more kernels", all = FALSE)
  expect_identical(summary(fit)$views$view, c("a", "b"))
  expect_equal(sum(summary(fit)$views$share), 1)
})

test_that("a call that holds data prints short", {
  d <- judge_clouds(40)
  fit <- do.call(mkl, list(d$x, d$y, linear_kernel(), control = quiet()))
  expect_lt(length(capture.output(print(fit))), 25)
})

test_that("kernel weights and support are tables", {
  fit <- small_fit()
  weights <- kernel_weights(fit)
  expect_named(weights, c("kernel", "view", "type", "features", "parameters", "theta", "share"))
  expect_equal(weights$share, unname(fit$theta^2 * fit$forms / sum(fit$theta^2 * fit$forms)))
  table <- support(fit)
  expect_named(table, c("row", "name", "class", "alpha", "at_bound", "margin"))
  expect_identical(table$row, fit$support)
  expect_identical(table$alpha, unname(fit$alpha[fit$support]))
  expect_true(all(table$margin[!table$at_bound] < 1.01))
  expect_identical(coef(fit), fit$theta)
})

test_that("largest weights are printed in falling order", {
  d <- judge_clouds(40, 12)
  fit <- mkl(list(a = d$x[, 1:6], b = d$x[, 7:12]), d$y, per_feature(linear_kernel()), p = 4,
             control = quiet())
  sorted <- kernel_weights(fit, sort = TRUE)
  plain <- kernel_weights(fit)
  expect_identical(plain$kernel, names(fit$theta))
  expect_false(is.unsorted(-sorted$theta))
  expect_equal(sorted, plain[order(-plain$theta), ], ignore_attr = "row.names")
  expect_classed(kernel_weights(fit, sort = NA), "invalid_argument", "sort")
  t <- judge_triangle()
  three <- mkl(t$x, t$y, gaussian_kernel(c(1, 4, 16)), control = quiet())
  table <- kernel_weights(three, sort = TRUE)
  expect_identical(unique(table$model), names(three$models))
  for (one in split(table, table$model)) expect_false(is.unsorted(-one$theta))
  expect_output(print(three), "with positive weight somewhere, sorted by their largest weight:")
})

test_that("models of several classes show the call of the user", {
  d <- judge_triangle()
  frame <- data.frame(d$x, y = d$y)
  shows <- function(fit, call) {
    expect_output(print(fit), call, fixed = TRUE)
    expect_output(print(fit$models[[2]]), call, fixed = TRUE)
  }
  k <- gaussian_kernel(c(1, 4))
  shows(mkl(y ~ ., frame, kernels = k, control = quiet()), "mkl(formula = y ~ ., data = frame")
  shows(mkl(frame[1:2], frame$y, kernels = k, control = quiet()), "mkl(x = frame[1:2], y = frame$y")
  shows(mllkm(y ~ ., frame, gamma = 1, control = quiet()), "mllkm(formula = y ~ .")
  shows(mkl_sequential(y ~ ., frame, dictionary = k, control = quiet()),
        "mkl_sequential(formula = y ~ .")
})

test_that("digits are checked", {
  fit <- small_fit()
  for (digits in list(NA, 0, -1, "a", NULL, 1e9)) {
    expect_classed(print(fit, digits = digits), "invalid_argument", "digits")
    expect_classed(print(summary(fit), digits = digits), "invalid_argument", "digits")
    expect_classed(print(duality_gap(fit, judge_clouds(40)$x), digits = digits),
                   "invalid_argument", "digits")
  }
})
