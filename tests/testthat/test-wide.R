# Views with many more columns than rows: all pairs of rows are multiplied once, by R's BLAS or by
# the package itself, and normalisation, optimiser and certificate read them.

kernels <- function(d) c(linear_kernel(), polynomial_kernel(2, 1 / d), gaussian_kernel(d * c(1, 4)))
paths <- list(blas = TRUE, own = FALSE, measured = NULL)

on_path <- function(blas, expr) {
  old <- options(manykernels.blas = blas)
  on.exit(options(old))
  expr
}

wide_rows <- function(n = 40, d = 400, far = 0) {
  set.seed(7)
  y <- rep(c(-1, 1), length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, 1:20] <- x[, 1:20] + 0.5 * y
  x[2, ] <- x[4, ] # alike
  x[6, ] <- x[8, ] + 1e-7 * rnorm(d)
  list(x = x + far, y = factor(y), d = d)
}

judged <- function(fit, x, d) {
  matrices <- list(judge_linear(x), judge_polynomial(x, scale = 1 / d), judge_gaussian(x, width = d),
                   judge_gaussian(x, width = 4 * d))
  K <- lapply(matrices, function(K) judge_normalize(K)$train)
  judge_gap(K, fit$theta, fit$alpha, judge_signs(fit), fit$cost, fit$p)
}

test_that("fits and certificates agree on every path", {
  data <- wide_rows()
  for (p in c(1, 4 / 3, 2)) {
    fits <- lapply(paths, function(blas) {
      on_path(blas, mkl(data$x, data$y, kernels(data$d), p = p, scale = FALSE,
                        control = quiet(tol = 1e-7)))
    })
    for (fit in fits) {
      expect_true(fit$converged)
      expect_equal(fit$theta, fits$own$theta, tolerance = 1e-3)
      expect_equal(fit$alpha, fits$own$alpha, tolerance = 1e-3)
      expect_equal(fit$primal, fits$own$primal, tolerance = 1e-6)
      verdict <- judged(fit, data$x, data$d)
      for (blas in paths) {
        again <- on_path(blas, duality_gap(fit, data$x, data$y))
        expect_equal(again$primal, verdict$upper, tolerance = 1e-9)
        expect_equal(again$dual, verdict$lower, tolerance = 1e-9)
      }
    }
  }
})

test_that("rows far from zero and kernels that are centred or scaled by row stay accurate", {
  for (far in c(0, 1e3)) for (normalize in c("multiplicative", "spherical", "none")) {
    data <- wide_rows(far = far)
    k <- if (far) gaussian_kernel(data$d * c(1, 4)) else kernels(data$d)
    fit <- mkl(data$x, data$y, k, normalize = normalize, scale = FALSE, control = quiet())
    gaps <- vapply(paths, function(blas) on_path(blas, duality_gap(fit, data$x, data$y)$gap), 0)
    expect_equal(unname(gaps), rep(gaps[["own"]], 3), tolerance = 1e-6)
    expect_lte(gaps[["own"]], 1e-3)
  }
  far <- wide_rows(far = 1e4)
  fit <- mkl(far$x, far$y, linear_kernel(), scale = FALSE, control = quiet())
  near <- mkl(wide_rows()$x, far$y, linear_kernel(), scale = FALSE, control = quiet())
  expect_lte(duality_gap(fit, far$x)$gap, 1e-3)
  expect_equal(fit$primal, near$primal, tolerance = 1e-2)
})

test_that("a tampered fit on wide views is found out", {
  data <- wide_rows()
  fit <- mkl(data$x, data$y, kernels(data$d), scale = FALSE, control = quiet())
  fit$alpha <- fit$alpha * 0.5
  verdict <- judged(fit, data$x, data$d)
  for (blas in paths) {
    tampered <- on_path(blas, duality_gap(fit, data$x, data$y))
    expect_gt(tampered$gap, 0.05)
    expect_equal(tampered$gap, verdict$gap, tolerance = 1e-8)
  }
})

test_that("predictions and kernel matrices of wide views are those of their definition", {
  data <- wide_rows()
  new <- wide_rows(n = 30)$x + 0.1
  fit <- mkl(data$x, data$y, kernels(data$d), scale = FALSE, control = quiet())
  values <- lapply(paths, function(blas) on_path(blas, predict(fit, new, type = "decision")))
  expect_equal(values$blas, values$own, tolerance = 1e-10)
  expect_equal(values$measured, values$own, tolerance = 1e-10)
  for (blas in paths) on_path(blas, {
    expect_equal(unname(predict(fit, data$x, type = "decision")), unname(fit$decision),
                 tolerance = 1e-8)
    K <- kernel_matrix(gaussian_kernel(data$d), data$x, normalize = "none")
    expect_equal(unname(K), unname(judge_gaussian(data$x, width = data$d)), tolerance = 1e-12,
                 ignore_attr = TRUE)
  })
})

test_that("widths of default kernels are the same on every path", {
  data <- wide_rows()
  sets <- lapply(paths, function(blas) on_path(blas, as.data.frame(default_kernels(data$x))))
  expect_identical(sets$blas, sets$own)
  expect_identical(sets$measured, sets$own)
  median <- stats::median(dist(data$x)^2)
  widths <- default_kernels(data$x, scale = FALSE)
  expect_equal(widths[[5]]$parameters$width, signif(median, 4))
})

test_that("forked children fit wide views without the parent's threads", {
  skip_on_os("windows")
  data <- wide_rows()
  fit <- function() {
    on_path(TRUE, mkl(data$x, data$y, kernels(data$d), scale = FALSE, control = quiet())$theta)
  }
  own <- fit()
  child <- parallel::mcparallel(fit())
  answer <- parallel::mccollect(child, wait = FALSE, timeout = 60)
  if (is.null(answer)) tools::pskill(child$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(child)) # until it has ended
  expect_equal(answer[[1]], own, tolerance = 1e-6)
})

test_that("the option is TRUE, FALSE or not set", {
  data <- wide_rows()
  expect_error(on_path("yes", mkl(data$x, data$y, linear_kernel(), control = quiet())),
               "manykernels.blas", class = "manykernels_error")
})

test_that("default kernels are the same in a fit and outside, wherever their distances come from", {
  data <- wide_rows()
  few <- matrix(rnorm(120), 40)
  sparse <- Matrix::Matrix((few > 0.5) * few, sparse = TRUE)
  for (x in list(data$x, few, sparse, list(wide = data$x, few = few), data$x[, 1:100])) {
    for (scale in c(TRUE, FALSE)) {
      chosen <- default_kernels(x, scale = scale)
      given <- mkl(x, data$y, chosen, scale = scale, control = quiet())
      fit <- mkl(x, data$y, scale = scale, control = quiet())
      expect_equal(names(fit$theta), names(given$theta))
      expect_equal(fit$kernels, given$kernels)
      expect_equal(fit$constants, given$constants)
      expect_equal(fit$objective, given$objective, tolerance = 1e-3)
      expect_equal(duality_gap(fit, x, data$y)$gap, fit$gap, tolerance = 1e-6)
    }
  }
})

test_that("fits that nearly all rows support keep their views whole and predict the same", {
  data <- wide_rows()
  fit <- mkl(data$x, data$y, kernels(data$d), control = quiet())
  expect_gte(length(fit$support), 36)
  expect_length(fit$data$rows, 40)
  expect_equal(predict(fit, data$x, type = "decision"), fit$decision)
})

test_that("linear kernels that are too many to be mixed for every row are fitted and certified", {
  skip_unless_slow()
  set.seed(8)
  n <- 800
  x <- matrix(rnorm(n * 6600), n)
  y <- factor(x[, 1] + x[, 2] + x[, 3] + 3 * rnorm(n) > 0)
  fit <- mkl(x, y, per_feature(linear_kernel()), scale = FALSE, control = quiet(tol = 1e-4))
  expect_true(fit$converged)
  # K_theta is X D X', with D the weights times the scales of normalisation.
  weight <- fit$theta * fit$constants$scale
  f <- drop(x %*% (weight * crossprod(x, fit$alpha))) + fit$offset
  expect_equal(fit$decision, f, tolerance = 1e-8, ignore_attr = TRUE)
  expect_lte(duality_gap(fit, x, y)$gap, 1e-4)
})
