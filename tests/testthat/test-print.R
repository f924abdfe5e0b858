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
  expect_match(lines, "12 kernels, 12 with positive weight; the 10 largest:", all = FALSE)
  expect_identical(summary(fit)$views$view, c("a", "b"))
  expect_equal(sum(summary(fit)$views$share), 1)
})

test_that("a fit that didn't converge prints why", {
  fit <- small_fit()
  fit[c("status", "converged", "gap")] <- list("time_limit", FALSE, 0.02)
  expect_snapshot(cat(certificate_text(fit)), transform = hide_digits)
})

test_that("a call that holds data prints short", {
  d <- judge_clouds(40)
  fit <- do.call(mkl, list(d$x, d$y, linear_kernel(), control = quiet()))
  expect_lt(length(capture.output(print(fit))), 25)
})

test_that("warnings of fits that didn't converge name the limit and the worst machine", {
  model <- function(status, gap) list(status = status, gap = gap)
  expect_snapshot({
    warn_not_converged(list(model("time_limit", 0.02)), 1e-3, FALSE)
    warn_not_converged(list(model("stalled", 2e-9)), 1e-9, FALSE)
    warn_not_converged(list(a = model("converged", 1e-4), b = model("iteration_limit", 0.3),
                            c = model("iteration_limit", 0.1)), 1e-3, FALSE)
  })
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

test_that("data inside a call are not printed", {
  d <- judge_clouds(40)
  fit <- do.call(mkl, list(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet()))
  lines <- call_lines(fit$call)
  expect_lt(length(lines), 10)
  expect_true(all(nchar(lines) <= 100))
  expect_snapshot(writeLines(call_lines(quote(mkl(x = x, y = y, p = 4/3)))))
})
