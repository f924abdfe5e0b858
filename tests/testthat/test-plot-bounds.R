bounds <- function() {
  set.seed(1)
  toy <- simulate_mkl_toy(200, nu = 0, rho = 4, d = 2)
  fit <- mkl(toy$x, toy$y, per_feature(linear_kernel()), C = 1e-3,
             control = mkl_control(progress = FALSE))
  list(
    rademacher_bound(c(1, 4 / 3, 2, Inf), 10, 100, 1), rademacher_bound(2, 10, 100, 0),
    rademacher_bound(c(1, 2, 1, 2), c(5, 5, 10, 10), 100, 1),
    empirical_rademacher(per_feature(linear_kernel()), toy$x, draws = 20),
    empirical_rademacher(per_feature(linear_kernel()), toy$x, 2, draws = 1),
    bound_by_norm(10, 100), bound_by_norm(10, 100, scenario = "sparse", p = 2),
    suppressWarnings(risk_bound(fit, toy$x, margin = c(0.5, 1))), gomp_bound(1:3, 1, 1, 1000),
    gomp_bound(1, 0, 0, 10, y_max = 0)
  )
}

test_that("bounds are drawn in base graphics, and par() is left alone", {
  pdf(NULL)
  on.exit(dev.off())
  before <- par(no.readonly = TRUE)
  for (bound in bounds()) {
    expect_no_warning(out <- withVisible(plot(bound)))
    expect_false(out$visible)
    expect_identical(out$value, bound)
    expect_no_warning(plot(bound, main = "A title"))
  }
  after <- par(no.readonly = TRUE)
  same <- setdiff(names(before), c("usr", "xaxp", "yaxp"))
  expect_identical(after[same], before[same])
})

test_that("bounds are drawn by ggplot2", {
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  for (bound in bounds()) {
    plot <- ggplot2::autoplot(bound, main = "A title")
    expect_s3_class(plot, "ggplot")
    expect_silent(print(plot))
  }
})

test_that("every bar is one bound, also where two have the same label", {
  skip_if_not_installed("ggplot2")
  bound <- gomp_bound(c(1, 1, 2), 1, 1, c(100, 1000, 100))
  drawn <- ggplot2::layer_data(ggplot2::autoplot(bound))
  expect_equal(as.numeric(tapply(drawn$ymax, drawn$x, max)), bound$value)
  expect_identical(unname(ggplot2::layer_scales(ggplot2::autoplot(bound))$x$get_labels()),
                   c("1, n = 100", "1, n = 1000", "2, n = 100"))
  set.seed(1)
  toy <- simulate_mkl_toy(200, nu = 0, rho = 4, d = 2)
  fit <- mkl(toy$x, toy$y, per_feature(linear_kernel()), C = 1e-3,
             control = mkl_control(progress = FALSE))
  bound <- suppressWarnings(risk_bound(fit, toy$x, margin = c(1, 1.5)))
  drawn <- ggplot2::layer_data(ggplot2::autoplot(bound))
  expect_equal(as.numeric(tapply(drawn$ymax, drawn$x, max)), bound$value)
})

test_that("bounds carried over from different q are different lines", {
  skip_if_not_installed("ggplot2")
  lines <- function(p, q) {
    unique(as.character(ggplot2::autoplot(rademacher_bound(p, 10, 100, 1, "cortes", q))$data$line))
  }
  expect_identical(lines(c(2, 4, 2, 4), c(1, 1, 2, 2)), c("q = 1", "q = 2"))
  expect_identical(lines(c(4 / 3, 2), c(4 / 3, 2)), "")
})

test_that("what can't be drawn is an error", {
  bound <- rademacher_convert(1, 10, 1, 2)
  expect_error(plot(bound), class = "manykernels_unsupported")
  expect_error(plot(rademacher_bound(2, 10, 100, 1), col = 2),
               class = "manykernels_invalid_argument")
})

test_that("bounds, random signs and errors stand in one plot", {
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  all <- bounds()
  errors <- data.frame(p = c(2, 1), value = c(0.1, 0.2), standard_error = 0.01)
  beside <- list(signs = all[[4]], error = errors)
  expect_no_warning(plot(all[[1]], beside = beside))
  drawn <- ggplot2::layer_data(ggplot2::autoplot(all[[1]], beside = beside), 2)
  expect_equal(as.numeric(table(drawn$group)), c(4, 9, 2))
  expect_equal(drawn$y[drawn$group == 3], c(0.2, 0.1))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    plot(all[[1]], beside = errors)
    plot(all[[1]], beside = list(errors))
    plot(all[[1]], beside = list(error = 1:3))
    plot(all[[8]], beside = beside)
    plot(rademacher_convert(0.1, 10, 1, 2))
  })
})
