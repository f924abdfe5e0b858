# Cases that once stopped short of their tolerance; the certificate is the judge of each.
skip_on_cran() # a slow file

expect_certified <- function(fit, tol) {
  testthat::expect_identical(fit$status, "converged")
  testthat::expect_lte(fit$gap, tol)
  testthat::expect_gte(fit$gap, -1e-12)
  testthat::expect_lt(abs(sum(fit$alpha)), 1e-8 * fit$C * length(fit$alpha))
}

judge_fit <- function(fit, Ks) {
  verdict <- judge_gap(Ks, fit$theta, fit$alpha, judge_signs(fit), fit$cost, fit$p)
  testthat::expect_true(verdict$theta_ok && verdict$box_ok && verdict$sum_ok)
  testthat::expect_lte(fit$gap, fit$control$tol)
  # the gap has what rounding may have done in it, which grows with C
  testthat::expect_gt(fit$gap, verdict$gap - 1e-8)
  testthat::expect_lt(fit$gap, verdict$gap + 1e-8 + 1e-9 * fit$C)
}

test_that("one linear kernel per feature is solved for every p", {
  d <- judge_clouds(200, 20)
  for (p in c(1, 1.01, 4 / 3, 2, Inf)) {
    for (C in c(0.1, 1, 100)) {
      fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = p, C = C,
                 control = mkl_control(tol = 1e-6, threads = 1, progress = FALSE), scale = FALSE)
      expect_certified(fit, 1e-6)
    }
  }
})

test_that("sparse weights are exact zeros at p = 1", {
  d <- judge_clouds(150, 3)
  fit <- mkl(d$x, d$y, gaussian_kernel(2^(-4:5)), p = 1,
             control = mkl_control(tol = 1e-6, threads = 1, progress = FALSE), scale = FALSE)
  expect_certified(fit, 1e-6)
  expect_gt(sum(fit$theta == 0), 0)
  expect_true(all(fit$theta == 0 | fit$theta > 1e-7))
})

test_that("a small cache costs time, not accuracy", {
  d <- judge_clouds(150, 4)
  kernels <- c(gaussian_kernel(2^(-2:4)), polynomial_kernel(1:3))
  for (p in c(1, 1.001, 2)) {
    for (cache in c("1 KB", "100 KB", "500 KB")) {
      fit <- mkl(d$x, d$y, kernels, p = p, C = 10,
                 control = mkl_control(tol = 1e-5, cache = cache, threads = 1, progress = FALSE),
                 scale = FALSE)
      expect_certified(fit, 1e-5)
    }
  }
})

test_that("a fit stopped at once tells its honest gap", {
  d <- judge_clouds(60, 7)
  widths <- 2^(-4:5)
  for (case in list(list(kernels = gaussian_kernel(1:3), p = 2),
                    list(kernels = per_feature(gaussian_kernel(widths)), p = 1))) {
    expect_warning(
      fit <- mkl(d$x, d$y, case$kernels, p = case$p, C = 2,
                 control = mkl_control(max_time = 1e-9, threads = 1, progress = FALSE),
                 scale = FALSE),
      class = "manykernels_warning_not_converged"
    )
    expect_identical(fit$status, "time_limit")
    expect_equal(sum(fit$theta^case$p), 1)
    judged <- duality_gap(fit, d$x, d$y)
    expect_equal(judged$gap, fit$gap)
    expect_gt(fit$gap, 1e-3)
  }
})

test_that("many kernels with nothing to learn still predict", {
  d <- judge_clouds(40, 7)
  for (loss in list("squared", epsilon_loss(3))) {
    y <- if (identical(loss, "squared")) rep(2, 40) else d$x[, 1]
    fit <- mkl(d$x, y, per_feature(gaussian_kernel(2^(-4:5))), p = 1, loss = loss,
               control = mkl_control(threads = 1, progress = FALSE), scale = FALSE)
    expect_identical(fit$gap, 0)
    expect_equal(sum(fit$theta), 1)
    expect_equal(unname(predict(fit, d$x)), rep(fit$offset, 40))
  }
})

test_that("many kernels on few rows are judged as the definition says", {
  d <- judge_clouds(50, 7)
  widths <- 2^(-4:5)
  Ks <- unlist(lapply(widths, function(w) {
    lapply(1:7, function(j) judge_gaussian(d$x[, j, drop = FALSE], width = w))
  }), recursive = FALSE)
  Ks <- lapply(Ks, function(K) judge_normalize(K)$train)
  Ks <- c(Ks, Ks[c(3, 3)], list(Ks[[5]] * 1e-12, Ks[[6]] * 1e6, diag(50)))
  given <- do.call(c, lapply(Ks, precomputed_kernel))
  computed <- per_feature(gaussian_kernel(widths))
  for (C in c(1e-2, 1, 1e3)) {
    for (tol in c(1e-2, 1e-4, 1e-6)) {
      control <- mkl_control(tol = tol, threads = 1, progress = FALSE)
      judge_fit(mkl(d$x, d$y, computed, p = 1, C = C, control = control, scale = FALSE), Ks[1:70])
      judge_fit(mkl(NULL, d$y, given, p = 1, C = C, normalize = "none", control = control,
                    scale = FALSE), Ks)
    }
  }
})

test_that("a start saves solves where kernels are many", {
  skip_unless_slow()
  solves <- rowSums(vapply(1:40, function(seed) { # of one set, chance decides
    d <- judge_clouds(100, seed)
    fit <- function(C, start = NULL) {
      mkl(d$x, d$y, per_feature(gaussian_kernel(2^(-4:5))), p = 1, C = C,
          control = mkl_control(tol = 1e-4, start = start, threads = 1, progress = FALSE),
          scale = FALSE)
    }
    warm <- fit(10, fit(9))
    expect_certified(warm, 1e-4)
    c(cold = fit(10)$solves, warm = warm$solves)
  }, numeric(2)))
  expect_lt(solves[["warm"]], 0.75 * solves[["cold"]])
})

test_that("large C ends, at the optimum or with the gap it has", {
  d <- judge_clouds(40, 2, shift = 4)
  for (C in c(1e4, 1e8)) {
    fit <- mkl(d$x, d$y, gaussian_kernel(c(0.5, 2, 8)), C = C,
               control = mkl_control(threads = 1, progress = FALSE), scale = FALSE)
    expect_certified(fit, 1e-3)
  }
  fit <- suppressWarnings(mkl(d$x, d$y, gaussian_kernel(c(0.5, 2, 8)), C = 1e100,
                              control = mkl_control(threads = 1, progress = FALSE), scale = FALSE))
  expect_true(fit$converged || fit$gap > 1e-3)
})

test_that("smooth kernels, noise and large C are solved to any tolerance", {
  skip_unless_slow()
  set.seed(1)
  n <- 1100
  x <- matrix(rnorm(n * 5), n)
  y <- factor(xor(rowSums(x[, 1:2]^2) > 1.5, runif(n) < 0.1))
  for (tol in c(1e-3, 1e-6)) {
    for (C in c(1e3, 1e4)) {
      fit <- mkl(x, y, gaussian_kernel(1.2^(10:29)), p = 4 / 3, C = C, normalize = "none",
                 control = mkl_control(tol = tol, threads = 1, progress = FALSE), scale = FALSE)
      expect_certified(fit, tol)
      expect_lte(duality_gap(fit, x, y)$gap, tol)
    }
  }
})

test_that("steps of p = 1 do not stay short where free variables are only sampled", {
  set.seed(2)
  y <- rep(c(-1, 1), 2500)
  x <- matrix(rnorm(5000 * 10), 5000)
  x[, 1:3] <- x[, 1:3] + 0.8 * y
  fit <- mkl(x, factor(y), gaussian_kernel(24 * 1.2^(-25:24)), p = 1, normalize = "none",
             control = mkl_control(threads = 1, progress = FALSE), scale = FALSE)
  expect_certified(fit, 1e-3)
  expect_lt(fit$iterations, 50) # 200 once
})

# Almost all samples violate at first.
test_that("fits that begin with few of many support vectors end at the optimum, or say how far it is", {
  skip_unless_slow()
  set.seed(3)
  n <- 1500
  x <- matrix(rnorm(n * 5), n)
  y <- factor(xor(rowSums(x[, 1:2]^2) > 3, runif(n) < 0.4), labels = c("few", "many"))
  kernels <- gaussian_kernel(20 * 1.2^seq(-25, 20, by = 5))
  fit_with <- function(..., class_weights = NULL, loss = "hinge") {
    suppressWarnings(mkl(x, y, kernels, p = 4 / 3, normalize = "none", loss = loss,
                         class_weights = class_weights,
                         control = mkl_control(..., threads = 1, progress = FALSE), scale = FALSE))
  }
  whole <- fit_with(candidate = FALSE, tol = 1e-6)
  fit <- fit_with(tol = 1e-6)
  expect_certified(fit, 1e-6)
  expect_equal(fit$objective, whole$objective, tolerance = 1e-5)
  expect_equal(fit$theta, whole$theta, tolerance = 1e-2)
  for (moves in 1:8) {
    stopped <- fit_with(max_iter = moves)
    expect_lte(max(abs(stopped$alpha)), 1)
    expect_lt(abs(sum(stopped$alpha)), 1e-8 * n)
    expect_true(all(stopped$history$objective <= whole$objective * (1 + 1e-6)))
    judged <- duality_gap(stopped, x, y)
    expect_equal(judged$gap, stopped$gap)
  }
  weighted <- fit_with(class_weights = c(few = 5, many = 1))
  expect_certified(weighted, 1e-3)
  expect_certified(fit_with(loss = "squared_hinge"), 1e-3)
})

test_that("a fit that ends early has alphas in their boxes", {
  skip_unless_slow()
  set.seed(3)
  n <- 2000
  x <- matrix(rnorm(n * 5), n)
  y <- factor(xor(rowSums(x[, 1:2]^2) > 3, runif(n) < 0.45))
  kernels <- c(gaussian_kernel(20 * 1.2^seq(-25, 20, by = 5)),
               per_feature(gaussian_kernel(c(0.1, 1, 10))))
  for (moves in 4:8) {
    fit <- suppressWarnings(mkl(x, y, kernels, p = 1.1, normalize = "none",
                                control = mkl_control(max_iter = moves, threads = 1,
                                                      progress = FALSE), scale = FALSE))
    expect_lte(max(abs(fit$alpha)), 1)
    expect_lt(abs(sum(fit$alpha)), 1e-8 * n)
  }
})
