quiet <- mkl_control(progress = FALSE)
d <- cv_data()
views <- list(petal = d$x[, 3:4], sepal = d$x[, 1:2])
stable_cv <- function(..., y = d$y, p = 1, folds = 4, repeats = 2, control = quiet) {
  set.seed(3)
  cv_mkl(views, y, gaussian_kernel(c(1, 4)), p = p, C = 1, folds = folds, repeats = repeats,
         control = control, ...)
}

test_that("weights over resamples are summed up by kernel and view: by hand", {
  cv <- stable_cv()
  for (value in c("theta", "share")) for (level in c(0.5, 0.95)) {
    found <- kernel_stability(cv, level = level, value = value)
    expect_s3_class(found, "kernel_stability")
    expect_identical(found[c("resamples", "level", "value")],
                     list(resamples = 8L, level = level, value = value))
    W <- vapply(cv$weights, function(one) one[[value]][, 1], numeric(4))
    expect_identical(found$kernels$view, rep(c("petal", "sepal"), each = 2))
    expect_equal(found$kernels$mean, rowMeans(W))
    expect_equal(found$kernels$sd, apply(W, 1, sd))
    expect_equal(found$kernels$se, sqrt(1 / 8 + 1 / 3) * apply(W, 1, sd), tolerance = 0.01) # 75 rows by 4 folds
    expect_equal(found$kernels$chosen, rowMeans(W > 0))
    for (m in 1:4) {
      limits <- quantile(W[m, ], c((1 - level) / 2, (1 + level) / 2), names = FALSE)
      expect_equal(c(found$kernels$lower[m], found$kernels$upper[m]), limits)
    }
    S <- vapply(cv$weights, function(one) one$share[, 1], numeric(4))
    by_view <- rbind(S[1, ] + S[2, ], S[3, ] + S[4, ])
    expect_identical(found$views$view, c("petal", "sepal"))
    expect_equal(found$views$mean, rowMeans(by_view))
    expect_equal(found$views$chosen, rowMeans(by_view > 0))
    expect_equal(sum(found$views$mean), 1)
  }
})

test_that("weights are those of fits to the training rows", {
  fine <- mkl_control(tol = 1e-8, progress = FALSE)
  cv <- stable_cv(folds = rep(1:3, 25), repeats = 1, p = 2, scale = FALSE, control = fine)
  W <- vapply(1:3, function(r) {
    train <- cv$resamples[[r]]$train
    fit <- mkl(lapply(views, function(x) x[train, ]), d$y[train], gaussian_kernel(c(1, 4)), p = 2,
               C = 1, scale = FALSE, control = fine)
    kernel_weights(fit)$share
  }, numeric(4))
  expect_equal(kernel_stability(cv, value = "share")$kernels$mean, rowMeans(W), tolerance = 1e-3)
})

test_that("models with weights of their own have rows of their own", {
  found <- kernel_stability(stable_cv(y = d$classes))
  expect_identical(found$kernels$model, rep(levels(d$classes), each = 4))
  expect_identical(nrow(found$views), 6L)
  expect_equal(as.vector(tapply(found$views$mean, found$views$model, sum)), rep(1, 3))
  shared <- kernel_stability(stable_cv(y = d$classes, multiclass = "shared"))
  expect_null(shared$kernels$model)
  expect_identical(nrow(shared$kernels), 4L)
})

test_that("greedy models have weights, too", {
  set.seed(1)
  cv <- cv_mkl(mtcars[-1], mtcars$mpg, gaussian_kernel(c(4, 32)), model = "mkl_gomp", lambda = 0.1,
               folds = 4, max_kernels = 1, control = quiet)
  found <- kernel_stability(cv)
  expect_equal(sum(found$kernels$chosen), 1)
})

test_that("folds that failed are left out, one resample has no spread", {
  x <- cbind(c(rep(0, 70), 1:5), d$x[, 1])
  suppressWarnings(cv <- cv_mkl(x, d$y, on_features(gaussian_kernel(1), 1), p = 2, C = 1, scale = FALSE,
                                folds = c(rep(1:2, 35), rep(3, 5)), control = quiet))
  expect_identical(kernel_stability(cv)$resamples, 2L)
  one <- kernel_stability(stable_cv(folds = list(1:20), repeats = 1))
  expect_true(all(is.na(one$kernels$sd)))
  expect_identical(one$kernels$lower, one$kernels$upper)
})

test_that("what has no kernel weights is refused with a class", {
  cv <- stable_cv()
  expect_classed(kernel_stability(cv$fit), "invalid_argument", "cv")
  expect_classed(kernel_stability(cv, level = 1), "invalid_argument", "level")
  expect_classed(kernel_stability(cv, value = "alpha"), "invalid_argument", "value")
  expect_classed(kernel_stability(cv, 0.9, "theta", 3), "invalid_argument", "...")
  set.seed(1)
  local <- cv_mkl(d$x, d$y, model = "mllkm", gamma = 1, C = 1, folds = 2, control = quiet)
  expect_classed(kernel_stability(local), "unsupported", "cv")
  different <- cv
  different$weights[[3]]$theta <- different$weights[[3]]$theta[1:2, , drop = FALSE]
  expect_classed(kernel_stability(different), "unsupported", "cv")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_stability(1)
    kernel_stability(cv, level = 2)
    kernel_stability(cv, value = "alpha")
    kernel_stability(local)
    kernel_stability(different)
  })
})

test_that("stability prints", {
  set.seed(2)
  cv <- cv_mkl(views, d$y, gaussian_kernel(c(1, 4)), p = 2, C = 1, folds = 3, repeats = 2,
               control = mkl_control(tol = 1e-10, progress = FALSE))
  expect_snapshot(print(kernel_stability(cv), digits = 2))
  expect_snapshot(print(kernel_stability(cv, level = 0.5, value = "share"), digits = 2, n = 2))
  expect_classed(print(kernel_stability(cv), n = 0), "invalid_argument", "n")
  capture.output(expect_invisible(print(kernel_stability(cv))))
})

test_that("views keep their colours where another is not shown", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  x <- list(a = d$x[, 1:2], b = matrix(rnorm(2 * nrow(d$x)), ncol = 2), c = d$x[, 3:4])
  stability <- kernel_stability(cv_mkl(x, d$y, gaussian_kernel(1), p = 2, C = 1, folds = 3))
  colours <- function(most) unique(ggplot2::layer_data(ggplot2::autoplot(stability, most = most), 1)$colour)
  expect_length(colours(3), 3)
  expect_setequal(colours(2), colours(3)[-which.min(stability$kernels$mean)])
})

test_that("the summary shows all kernels", {
  set.seed(1)
  cv <- cv_mkl(iris[1:4], iris$Species == "setosa", kernels = gaussian_kernel(2^(-9:20)), p = 2, C = 1, folds = 3)
  stability <- kernel_stability(cv)
  expect_lte(length(capture.output(print(stability))), 15)
  expect_gt(length(capture.output(print(summary(stability)))), 30)
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::autoplot(stability)$data
  largest <- levels(drawn$kernel)[nlevels(drawn$kernel)]
  expect_identical(largest, as.character(drawn$kernel[which.max(drawn$mean)]))
})
