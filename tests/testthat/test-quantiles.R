# Noise whose size depends on the second column.
skip_on_cran() # a slow file
fan <- function(n = 50, seed = 3) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n, dimnames = list(NULL, c("a", "b")))
  list(x = x, y = x[, 1] + exp(x[, 2] / 2) * rnorm(n))
}

test_that("without kernels that help, the fit is the sample's quantile", {
  # one constant feature of no use: f is the offset
  K <- diag(5) * 1e-9
  y <- c(1, 2, 4, 7, 11)
  for (tau in c(0.1, 0.5, 0.9)) {
    fit <- mkl(y = y, kernels = precomputed_kernel(K), normalize = "none", scale = FALSE,
               loss = quantile_loss(tau), control = quiet(tol = 1e-8))
    expect_equal(unname(fitted(fit)), rep(quantile(y, tau, type = 1, names = FALSE), 5),
                 tolerance = 1e-6)
    # alpha is C tau above, -C (1 - tau) below, and sums to 0
    expect_equal(unname(fit$alpha[y > fitted(fit)[1] + 0.1]), rep(tau, sum(y > fitted(fit)[1] + 0.1)))
    expect_equal(sum(fit$alpha), 0)
  }
})

test_that("two rows by hand", {
  # K = identity, y = 0 and 3, no offset, C = 1: alpha is y clipped to [-(1 - tau), tau]
  fit <- mkl(y = c(0.2, 3), kernels = precomputed_kernel(diag(2)), normalize = "none", scale = FALSE,
             loss = quantile_loss(0.25), intercept = FALSE, control = quiet(tol = 1e-10))
  expect_equal(unname(fit$alpha), c(0.2, 0.25))
  expect_equal(unname(fit$decision), c(0.2, 0.25))
  # 1/2 (0.2^2 + 0.25^2) + 0.25 (3 - 0.25)
  expect_equal(fit$primal, (0.2^2 + 0.25^2) / 2 + 0.25 * 2.75, tolerance = 1e-9)
  expect_equal(unname(residuals(fit, "loss")), c(0, 0.25 * 2.75), tolerance = 1e-8)
})

test_that("fits are certified by definition", {
  d <- fan()
  Ks <- matrices_of_two(d$x)
  weights <- rep(c(1, 2, 0, 0.5, 1), 10)
  for (tau in c(0.1, 0.5, 0.8)) for (p in c(1, 4 / 3, 2, Inf)) for (tol in c(1e-3, 1e-6)) {
    for (intercept in c(TRUE, FALSE)) {
      fit <- mkl(d$x, d$y, kernels_of_two(), p = p, loss = quantile_loss(tau), scale = FALSE,
                 C = if (tol > 1e-4) 0.3 else 5, intercept = intercept, control = quiet(tol = tol),
                 weights = if (p == 2) weights)
      expect_fit_certified(fit, Ks, info = paste(tau, p, tol, intercept))
      expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-6)
    }
  }
  centred <- mkl(d$x, d$y, kernels_of_two(), loss = "quantile", scale = FALSE,
                 normalize = c("centre", "multiplicative"), control = quiet(tol = 1e-6))
  Ks <- matrices_of_two(d$x, c("centre", "multiplicative"))
  expect_fit_certified(centred, Ks)
})

test_that("every optimiser finds the same", {
  d <- fan()
  best <- mkl(d$x, d$y, kernels_of_two(), p = 1, loss = quantile_loss(0.2),
              control = quiet(tol = 1e-8))$objective
  for (optimizer in c("interleaved", "wrapper", "newton", "cutting_plane", "level",
                      "reduced_gradient")) {
    fit <- mkl(d$x, d$y, kernels_of_two(), p = 1, loss = quantile_loss(0.2),
               control = quiet(tol = 1e-5, optimizer = optimizer))
    expect_true(fit$converged, info = optimizer)
    expect_equal(fit$objective, best, tolerance = 2e-5, info = optimizer)
  }
})

test_that("a working set, and every norm", {
  set.seed(1)
  x <- matrix(rnorm(3000), 1500)
  y <- x[, 1] + rnorm(1500)
  whole <- mkl(x, y, gaussian_kernel(c(1, 8)), p = 4 / 3, C = 0.1, loss = quantile_loss(0.05),
               control = quiet(tol = 1e-5))
  expect_true(whole$converged)
  expect_equal(duality_gap(whole, x, y)$gap, whole$gap, tolerance = 1e-4)
  expect_equal(mean(y < fitted(whole)), 0.05, tolerance = 0.1)
  d <- fan()
  for (norm in list(lp_norm(1.5, c(1, 3)), quadratic_norm(diag(2) + 0.3), block_norm(4),
                    elastic_net_norm(0.5))) {
    fit <- mkl(d$x, d$y, kernels_of_two(), norm = norm, loss = quantile_loss(0.3), scale = FALSE,
               control = quiet(tol = 1e-6))
    expect_fit_certified(fit, matrices_of_two(d$x), info = format(norm))
  }
})

test_that("one kernel is kernlab's kqr", {
  skip_if_not_installed("kernlab")
  d <- fan(60)
  pinball <- function(f, tau) sum(pmax(tau * (d$y - f), (tau - 1) * (d$y - f)))
  for (tau in c(0.1, 0.5, 0.75)) for (C in c(0.5, 5)) {
    fit <- mkl(d$x, d$y, gaussian_kernel(4), C = C, loss = quantile_loss(tau), normalize = "none",
               scale = FALSE, control = quiet(tol = 1e-9))
    other <- kernlab::kqr(d$x, d$y, scaled = FALSE, tau = tau, C = C, kernel = "rbfdot",
                          kpar = list(sigma = 1 / 4))
    expect_equal(pinball(fitted(fit), tau), pinball(drop(kernlab::fitted(other)), tau),
                 tolerance = 1e-3)
    expect_equal(unname(fit$alpha), as.vector(kernlab::alpha(other)), tolerance = 1e-3)
    new <- d$x + 0.1
    expect_equal(unname(predict(fit, new)), as.vector(kernlab::predict(other, new)),
                 tolerance = 0.02)
  }
})

test_that("several quantiles are the models of each", {
  d <- fan()
  several <- mkl(d$x, d$y, kernels_of_two(), loss = quantile_loss(c(0.9, 0.1, 0.5)),
                 control = quiet(tol = 1e-8))
  expect_s3_class(several, c("mkl_multioutput", "mkl_multiclass", "mkl_fit"), exact = TRUE)
  expect_identical(names(several$models), c("0.1", "0.5", "0.9"))
  for (tau in c(0.1, 0.5, 0.9)) {
    one <- mkl(d$x, d$y, kernels_of_two(), loss = quantile_loss(tau), control = quiet(tol = 1e-8))
    name <- format(tau)
    expect_equal(several$models[[name]]$objective, one$objective)
    expect_equal(several$decision[, name], one$decision, tolerance = 1e-6)
    expect_identical(several$models[[name]]$loss_parameter, c(tau = tau))
    expect_equal(mean(d$y < one$decision), tau, tolerance = 0.2)
  }
  new <- d$x[1:4, ] + 0.1
  expect_identical(dim(predict(several, new)), c(4L, 3L))
  expect_identical(colnames(predict(several, new)), c("0.1", "0.5", "0.9"))
  expect_identical(predict(several, new, "decision"), predict(several, new))
  expect_equal(predict(several, d$x), several$decision, tolerance = 1e-9)
  expect_equal(duality_gap(several, d$x, d$y)$gap, several$gap, tolerance = 1e-3)
  expect_true(all(residuals(several, "loss") >= 0))
  expect_equal(residuals(several), d$y - several$decision)
  shared <- update(several, multiclass = "shared", p = 1)
  expect_length(shared$theta, 2)
  expect_equal(duality_gap(shared, d$x, d$y)$gap, shared$gap[[1]], tolerance = 1e-3,
               ignore_attr = TRUE)
})

test_that("crossings are counted", {
  skip_unless_slow()
  # the share of the rows in which some larger quantile is below a smaller one
  crossing_share <- function(quantiles) mean(apply(quantiles, 1, is.unsorted))
  d <- fan(80)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(0.1, 1)), loss = quantile_loss(seq(0.1, 0.9, 0.1)), C = 100,
             control = quiet())
  sorted <- t(apply(predict(fit), 1, sort))
  crossing <- mean(rowSums(abs(sorted - predict(fit)) > 0) > 0)
  expect_gt(crossing, 0)
  expect_identical(quantile_crossing(fit), crossing)
  incomplete <- d$x[1:10, ]
  incomplete[1, 1] <- NA # counts neither way
  expect_identical(quantile_crossing(fit, incomplete), quantile_crossing(fit, d$x[2:10, ]))
  expect_identical(quantile_crossing(fit, d$x[1:10, ]), crossing_share(predict(fit, d$x[1:10, ])))
  cv <- cv_mkl(d$x, d$y, gaussian_kernel(c(1, 4)), p = 2, C = c(1, 10), folds = 2, repeats = 1,
               loss = quantile_loss(c(0.4, 0.6)), control = mkl_control(progress = FALSE))
  expect_identical(quantile_crossing(cv, d$x), quantile_crossing(cv$fit, d$x))
  expect_output(print(fit), "Quantiles cross in")
  expect_equal(summary(fit)$outputs$below, unname(colMeans(d$y < fit$decision)))
  expect_output(print(summary(fit)), "below the predicted quantile")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    quantile_crossing(1)
    quantile_crossing(fit$models[[1]])
  })
})

test_that("cross-validation measures the pinball loss", {
  d <- fan(60)
  set.seed(1)
  cv <- cv_mkl(d$x, d$y, kernels_of_two(), p = c(1, 2), C = c(0.1, 1), loss = quantile_loss(0.2),
               folds = 4, control = quiet())
  expect_identical(cv$measure, "pinball")
  expect_false(cv$larger)
  held <- cv$predictions
  error <- held$truth - held$response
  by_fold <- tapply(pmax(0.2 * error, -0.8 * error), held$fold, mean)
  expect_equal(cv$results$mean[cv$best_row], mean(by_fold))
  # a fold by hand
  train <- cv$resamples[[1]]$train
  test <- cv$resamples[[1]]$test
  fit <- mkl(d$x[train, ], d$y[train], kernels_of_two(), p = cv$best$p, C = cv$best$C,
             loss = quantile_loss(0.2), control = quiet(tol = 1e-6))
  sharp <- cv_mkl(d$x, d$y, kernels_of_two(), p = cv$best$p, C = cv$best$C,
                  loss = quantile_loss(0.2), folds = cv$resamples, control = quiet(tol = 1e-6))
  expect_equal(sharp$predictions$response[sharp$predictions$fold == 1],
               unname(predict(fit, d$x[test, ])), tolerance = 1e-3)
  several <- cv_mkl(d$x, d$y, kernels_of_two(), p = 2, C = c(0.1, 1), folds = 3,
                    loss = quantile_loss(c(0.2, 0.8)), measure = c("pinball", "mae"),
                    control = quiet())
  held <- several$predictions
  each <- vapply(1:2, function(k) {
    error <- held$truth - held$response[, k]
    mean(tapply(pmax(c(0.2, 0.8)[k] * error, (c(0.2, 0.8)[k] - 1) * error), held$fold, mean))
  }, 0)
  expect_equal(several$results$mean[several$best_row], mean(each))
  expect_error(cv_mkl(d$x, d$y, kernels_of_two(), measure = "pinball"),
               class = "manykernels_invalid_argument")
})

test_that("paths, dictionaries and anchors take a quantile", {
  d <- fan()
  path <- mkl_path(d$x, d$y, kernels_of_two(), C = c(0.1, 10), loss = quantile_loss(0.3),
                   tol = 0.01, control = quiet())
  expect_true(path$certified)
  there <- mkl(d$x, d$y, kernels_of_two(), C = 1.7, loss = quantile_loss(0.3),
               control = quiet(tol = 1e-8))
  f <- (predict(path, C = 1.7) - there$scaling$response[["centre"]]) /
    there$scaling$response[["scale"]]
  expect_length(f, 50)
  expect_lt(max(abs(predict(path, C = 1.7) - fitted(there))), 0.5)
  sequential <- mkl_sequential(d$x, d$y, gaussian_kernel(2^(0:5)), loss = quantile_loss(0.3),
                               control = quiet())
  expect_equal(duality_gap(sequential, d$x, d$y)$gap, sequential$gap, tolerance = 1e-3)
  local <- mllkm(d$x, d$y, loss = quantile_loss(0.3), control = quiet())
  expect_true(local$converged)
  expect_equal(duality_gap(local, d$x, d$y)$gap, local$gap, tolerance = 1e-3)
})

test_that("bad quantiles are refused", {
  d <- fan()
  expect_identical(quantile_loss(c(0.9, 0.1))$tau, c(0.1, 0.9))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    quantile_loss(0)
    quantile_loss(1)
    quantile_loss(c(0.5, NA))
    quantile_loss(numeric())
    quantile_loss("a half")
    quantile_loss(c(0.1, 0.1))
    mkl(d$x, d$y, loss = structure(list(type = "quantile", tau = 3), class = "mkl_loss"))
    mkl(d$x, factor(d$y > 0), loss = "quantile")
    mkl(d$x, d$y, loss = quantile_loss(c(0.1, 0.9)), multiclass = "ovo")
    mkl(d$x, cbind(d$y, d$y), loss = quantile_loss(c(0.1, 0.9)))
    mkl_path(d$x, d$y, kernels_of_two(), loss = quantile_loss(c(0.1, 0.9)))
    mllkm(d$x, d$y, loss = quantile_loss(c(0.1, 0.9)))
    predict(mkl(d$x, d$y, kernels_of_two(), loss = "quantile", control = quiet()), type = "time")
  })
  expect_snapshot({
    quantile_loss()
    quantile_loss(c(0.1, 0.5))
  })
})
