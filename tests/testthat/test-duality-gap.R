kernels <- function() c(linear_kernel(), gaussian_kernel(c(1, 4)))

judge_kernels <- function(x) {
  lapply(list(judge_linear(x), judge_gaussian(x), judge_gaussian(x, width = 4)),
         function(K) judge_normalize(K)$train)
}

test_that("the certificate comes again from the data and agrees with the judge", {
  d <- judge_clouds(40)
  for (p in c(1, 4 / 3, Inf)) {
    fit <- mkl(d$x, d$y, kernels(), p = p, control = quiet(), scale = FALSE)
    again <- duality_gap(fit, d$x, d$y)
    verdict <- judge_gap(judge_kernels(d$x), fit$theta, fit$alpha, judge_signs(fit), fit$cost, p)
    expect_equal(again$primal, verdict$upper, tolerance = 1e-10)
    expect_equal(again$dual, verdict$lower, tolerance = 1e-10)
    expect_lt(abs(again$gap - verdict$gap), 1e-10)
    expect_equal(again$primal, fit$primal, tolerance = 1e-8)
    expect_equal(duality_gap(fit, d$x)$gap, again$gap)
  }
})

test_that("the certificate finds out a tampered fit", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, kernels(), control = quiet(), scale = FALSE)
  fit$alpha <- fit$alpha * 0.5
  verdict <- judge_gap(judge_kernels(d$x), fit$theta, fit$alpha, judge_signs(fit), fit$cost, 2)
  tampered <- duality_gap(fit, d$x, d$y)
  expect_gt(tampered$gap, 0.05)
  expect_equal(tampered$gap, verdict$gap, tolerance = 1e-8)
  expect_output(print(tampered), "NOT within the tolerance")
})

test_that("formulas, views, precomputed kernels and several classes are certified", {
  d <- judge_clouds(40)
  frame <- data.frame(d$x, y = d$y)
  frame$v1[5] <- NA
  fit <- mkl(y ~ ., frame, kernels = kernels(), control = quiet(), scale = FALSE)
  expect_equal(duality_gap(fit, frame)$gap, fit$gap, tolerance = 1e-6)

  views <- list(a = d$x[, 1:2], b = d$x[, 3, drop = FALSE])
  fit <- mkl(views, d$y, kernels(), control = quiet(), scale = FALSE)
  expect_equal(duality_gap(fit, views, d$y)$gap, fit$gap, tolerance = 1e-6)

  K <- list(u = judge_linear(d$x), v = judge_gaussian(d$x))
  for (how in c("multiplicative", "spherical")) {
    fit <- mkl(NULL, d$y, precomputed_kernel(K), normalize = how, control = quiet(), scale = FALSE)
    expect_equal(duality_gap(fit, K, d$y)$gap, fit$gap, tolerance = 1e-6)
  }

  t <- judge_triangle()
  for (how in c("ovr", "ovo", "shared", "joint")) {
    fit <- mkl(t$x, t$y, kernels(), multiclass = how, control = quiet(), scale = FALSE)
    again <- duality_gap(fit, t$x, t$y)
    own <- if (how %in% c("shared", "joint")) fit$gap[1] else fit$gap
    expect_equal(unname(again$gap), unname(own), tolerance = 1e-6)
  }
})

test_that("certificates print", {
  verdict <- structure(
    list(primal = 12.5, dual = 12.4, gap = 0.008, model = "", offset = 0, tol = 1e-3,
         version = 1L),
    class = "duality_gap"
  )
  expect_snapshot(verdict)
  verdict[c("primal", "dual", "gap", "model")] <- list(c(2, 3), c(2, 3 - 1e-4), c(1e-9, 3e-5),
                                                       c("a", "b"))
  expect_snapshot(verdict)
})

test_that("other data than those of the training are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, kernels(), control = quiet(), scale = FALSE)
  frame <- data.frame(d$x, y = d$y)
  formula <- mkl(y ~ ., frame, kernels = kernels(), control = quiet(), scale = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    duality_gap(fit, d$x[-1, ])
    duality_gap(fit, d$x[, 1:2])
    duality_gap(fit)
    duality_gap(fit, d$x, d$y[-1])
    duality_gap(fit, d$x, rev(d$y))
    duality_gap(fit, d$x, d$y, 3)
    duality_gap(formula, frame[-1, ])
    duality_gap(formula, d$x)
  })
  expect_classed(duality_gap(fit, d$x, rev(d$y)), "mismatch", "y")
})

test_that("the training frame of a formula is taken with the rows that were left out", {
  d <- judge_clouds(40)
  frame <- data.frame(d$x, y = d$y, w = rep(1:2, 20))
  frame$v1[5] <- NA
  frame$y[9] <- NA
  frame$w[12] <- NA
  fit <- mkl(y ~ v1 + v2, frame, subset = v2 > -0.5, weights = w, kernels = kernels(),
             control = quiet(), scale = FALSE)
  expect_equal(duality_gap(fit, frame)$gap, fit$gap, tolerance = 1e-6)
  used <- frame$v2 > -0.5 & stats::complete.cases(frame)
  expect_lt(sum(used), 37)
  expect_equal(duality_gap(fit, frame[used, ])$gap, fit$gap, tolerance = 1e-6)
  padded <- mkl(y ~ v1 + v2, frame, na.action = na.exclude, kernels = kernels(), control = quiet(),
                scale = FALSE)
  expect_equal(duality_gap(padded, frame)$gap, padded$gap, tolerance = 1e-6)
  expect_length(fitted(padded), 40)
})

test_that("a gap that is known exactly is not undercut, nor exceeded by more than rounding", {
  # alpha sums to 0: the large constant of the kernel is no part of the problem, but of its rounding
  for (shift in c(0, 2^20, 2^40)) {
    K <- list(K = diag(8) + shift)
    y <- rep(c(1, -1), 4)
    fit <- suppressWarnings(mkl(NULL, factor(y), precomputed_kernel(K), normalize = "none",
                                control = quiet(), scale = FALSE))
    fit$alpha[] <- y / 2
    # f = alpha: 8 losses of 1/2, |w|^2 = 2, and 8 gains of 1/2
    verdict <- duality_gap(fit, K)
    expect_gte(verdict$primal, 5)
    expect_lte(verdict$dual, 3)
    expect_gte(verdict$gap, 0.4)
    expect_lt(verdict$gap, 0.4 + 1e-14 * (1 + shift))
  }
})

test_that("kernels that cancel have their rounding in the gap", {
  set.seed(5)
  x <- matrix(rnorm(120), 60)
  y <- factor(x[, 1] + rnorm(60) > 0)
  K <- judge_gaussian(x, width = 4)
  optimum <- mkl(NULL, y, precomputed_kernel(list(K = K)), normalize = "centre",
                 control = quiet(tol = 1e-9), scale = FALSE)
  for (shift in c(1e6, 1e9)) {
    far <- suppressWarnings(mkl(NULL, y, precomputed_kernel(list(K = K + shift)),
                                normalize = "centre", control = quiet(tol = 1e-8), scale = FALSE))
    expect_gt(far$gap, 0)
    expect_gte(far$primal, optimum$objective * (1 - 1e-9))
    expect_lte(far$objective, optimum$primal * (1 + shift * 1e-15))
    expect_identical(far$status, if (far$gap <= 1e-8) "converged" else "stalled")
  }
  # a column far from 0: its kernel is as well known as that of the column centred
  far <- mkl(x + 1e5, y, linear_kernel(), normalize = "centre", control = quiet(tol = 1e-6),
             scale = FALSE)
  expect_true(far$converged)
})

test_that("fits converge as far as double precision can tell, and no farther", {
  d <- judge_clouds(40)
  for (p in c(1, 4 / 3, 2, Inf)) {
    fit <- mkl(d$x, d$y, kernels(), p = p, control = quiet(tol = 1e-11), scale = FALSE)
    expect_true(fit$converged)
    fit <- suppressWarnings(mkl(d$x, d$y, kernels(), p = p, C = 1e7, control = quiet(tol = 1e-14),
                                scale = FALSE))
    expect_identical(fit$status, if (fit$gap <= 1e-14) "converged" else "stalled")
    expect_gt(fit$gap, 0)
    expect_identical(duality_gap(fit, d$x)$gap, fit$gap)
  }
  # what rounding may have done is nothing beside an ordinary tolerance
  fit <- mkl(d$x, d$y, kernels(), control = quiet(), scale = FALSE)
  verdict <- judge_gap(judge_kernels(d$x), fit$theta, fit$alpha, judge_signs(fit), fit$cost, 2)
  expect_lt(abs(fit$gap - verdict$gap), 1e-11)
})
