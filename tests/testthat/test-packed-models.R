# Fits of several models hold what their models have alike once; users see whole models.

pairs_fit <- function(...) {
  set.seed(61)
  y <- factor(rep(letters[1:11], each = 8))
  centre <- matrix(rnorm(44, sd = 2), 11)
  x <- centre[as.integer(y), ] + matrix(rnorm(352), 88)
  fit <- mkl(x, y, ..., multiclass = "ovo", control = mkl_control(progress = FALSE, tol = 1e-3))
  list(fit = fit, x = x, y = y)
}

# The fit as versions saved it that held each model whole.
with_whole_models <- function(fit) {
  fit$models <- fit$models
  fit
}

test_that("models come out of a fit whole, each as its own fit", {
  made <- pairs_fit(gaussian_kernel(c(2, 8)))
  fit <- made$fit
  expect_length(fit$models, 55L)
  expect_named(fit$models, colnames(fit$decision))
  expect_identical(fit[["models"]], fit$models)
  pair <- fit$models[["a:b"]]
  expect_s3_class(pair, c("mkl", "mkl_fit"), exact = TRUE)
  expect_length(pair$alpha, 88L)
  expect_identical(pair$support, which(pair$alpha != 0))
  expect_true(all(made$y[pair$support] %in% c("a", "b")))
  expect_identical(pair$theta, fit$theta[, "a:b"])
  expect_identical(pair$decision, fit$decision[, "a:b"])
  expect_equal(predict(pair, made$x, type = "decision"), fit$decision[, "a:b"], tolerance = 1e-6)
  both <- made$y %in% c("a", "b")
  again <- mkl(made$x[both, ], droplevels(made$y[both]), gaussian_kernel(c(2, 8)),
               scale = FALSE, control = mkl_control(progress = FALSE))
  expect_identical(names(pair), names(again))
})

test_that("predictions of many models at once are those of each model", {
  kernels <- list(gaussian_kernel(c(2, 8)), c(linear_kernel(), gaussian_kernel(4), polynomial_kernel(2)),
                  per_feature(gaussian_kernel(c(1, 4))))
  normalize <- list("multiplicative", c("centre", "spherical"), "spherical")
  for (k in seq_along(kernels)) {
    made <- pairs_fit(kernels[[k]], normalize = normalize[[k]])
    each <- vapply(made$fit$models, predict, numeric(88), made$x, type = "decision")
    expect_equal(predict(made$fit, made$x, type = "decision"), each, tolerance = 1e-12,
                 ignore_attr = TRUE)
    whole <- with_whole_models(made$fit)
    expect_identical(predict(whole, made$x), predict(made$fit, made$x))
  }
})

test_that("a fit that holds its models whole answers as one that doesn't", {
  skip_unless_slow()
  made <- pairs_fit(gaussian_kernel(c(2, 8)))
  whole <- with_whole_models(made$fit)
  expect_identical(whole$models, made$fit$models)
  for (use in list(coef, fitted, residuals, nobs, kernel_weights, support, summary)) {
    a <- use(whole)
    b <- use(made$fit)
    if (inherits(a, "summary.mkl")) a$fit <- b$fit <- NULL
    expect_identical(a, b)
  }
  expect_identical(duality_gap(whole, made$x), duality_gap(made$fit, made$x))
  expect_lt(object.size(made$fit), 0.3 * object.size(whole))
})

test_that("a model that is changed in a fit stays changed", {
  fit <- pairs_fit(gaussian_kernel(c(2, 8)))$fit
  fit$models[[1L]]$offset <- 100
  expect_identical(fit$models[[1L]]$offset, 100)
  expect_true(all(predict(fit, matrix(0, 2, 4), type = "decision")[, 1L] > 90))
})

test_that("models whose kernel sets differ come out as they were", {
  x <- matrix(c(1:9, rep(0, 9)), 9)
  y <- factor(rep(c("a", "b", "c"), each = 3))
  fit <- mllkm(x, y, gamma = 0.5, scale = FALSE, control = mkl_control(progress = FALSE))
  sets <- lapply(fit$models, function(model) names(model$kernels))
  expect_identical(sets, lapply(fit$models, function(model) names(model$theta)))
  expect_identical(lapply(fit$models, coef), coef(fit))
  set.seed(62)
  views <- matrix(rnorm(240), 60)
  y <- cut(views[, 1]^2 + views[, 2], 3, labels = c("a", "b", "c"))
  for (size in 1:3) { # so many kernels are active in every model
    anchors <- views[seq_len(size), , drop = FALSE]
    fit <- mllkm(views, y, gamma = 0.1, anchors = anchors, scale = FALSE, control = mkl_control(progress = FALSE))
    for (model in fit$models) {
      expect_named(model$kernels, names(model$theta))
      expect_length(predict(model, views, type = "decision"), 60L)
    }
  }
})
