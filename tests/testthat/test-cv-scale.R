# The scaling as a choice of the cross-validation.
n <- 120
tails <- heavy_tails(n)
heavy <- tails$x
root <- tails$root
y <- tails$y
folds <- tails$folds
scalings <- c("standard", "as_given", "normal_scores")

test_that("heavy tails are chosen to be scored, and the fit scales as the folds did", {
  cv <- cv_mkl(heavy, y, folds = folds, control = quiet())
  expect_identical(cv$tuned[1], "scale")
  expect_setequal(cv$results$scale, scalings)
  expect_identical(cv$best$scale, "normal_scores")
  expect_length(cv$fit$scaling$views$x$scores, 3)
  again <- mkl(heavy, y, kernels = cv$fit$kernels, p = cv$best$p, C = cv$best$C, scale = cv$best$scale,
               control = quiet())
  expect_equal(again$decision, cv$fit$decision, tolerance = 1e-3)
  expect_true(all(cv$results$scale[cv$results$search == "refined"] == "normal_scores"))
  expect_draws(cv)
  expect_output(print(cv), "scale = normal_scores")
})

test_that("constants of a scaling come from the training rows of the fold", {
  cv <- cv_mkl(heavy, y, gaussian_kernel(c(2, 8)), p = 2, C = 1, scale = "normal_scores", folds = folds,
               control = quiet(tol = 1e-8))
  fit <- mkl(heavy[folds != 1, ], y[folds != 1], gaussian_kernel(c(2, 8)), p = 2, C = 1,
             scale = "normal_scores", control = quiet(tol = 1e-8))
  own <- cv$predictions[cv$predictions$fold == 1, ]
  expect_equal(own$decision, unname(predict(fit, heavy[own$row, ], type = "decision")), tolerance = 1e-5)
})

test_that("several views are scaled alike first, then one by one", {
  views <- list(heavy = heavy, plain = matrix(rnorm(n * 2), n))
  cv <- cv_mkl(views, y, folds = folds, control = quiet())
  rounds <- cv$results$search
  expect_true(all(c("scaling", "scaling of a view") %in% rounds))
  expect_true(all(c("standard", "as_given", "normal_scores") %in% cv$results$scale))
  expect_named(cv$best$scale, c("heavy", "plain"))
  expect_identical(cv$best$scale[["heavy"]], "normal_scores")
  expect_s3_class(mkl(views, y, scale = cv$best$scale, control = quiet()), "mkl")
})

test_that("a grid chooses a scaling where it is asked to, other models, too", {
  skip_unless_slow()
  cv <- cv_mkl(heavy, y, gaussian_kernel(c(2, 8)), p = c(1, 2), C = c(0.5, 2, 8), scale = "auto", folds = folds,
               control = quiet())
  expect_identical(cv$best$scale, "normal_scores")
  expect_identical(sum(cv$results$scale == "normal_scores"), 6L)
  gomp <- cv_mkl(heavy, y, gaussian_kernel(c(2, 8)), model = "mkl_gomp", lambda = c(0.01, 0.1), scale = "auto",
                 folds = folds)
  expect_identical(gomp$best$scale, "normal_scores")
  expect_length(gomp$fit$scaling$views$x$scores, 3)
})

test_that("numbers, times and one class choose by their own measure", {
  numbers <- cv_mkl(heavy, root[, 1] + root[, 2], folds = folds, control = quiet())
  expect_identical(numbers$best$scale, "normal_scores")
  expect_false(is.null(numbers$fit$scaling$response))
  one <- cv_mkl(heavy, NULL, gaussian_kernel(c(2, 8)), folds = folds, control = quiet())
  expect_true(one$best$scale %in% scalings)
})

test_that("a wrong scaling is told what the function takes", {
  numbers <- as.matrix(iris[51:150, 1:4])
  class <- droplevels(iris$Species[51:150])
  expect_error(cv_mkl(numbers, class, scale = "log"), "\"auto\".*\"standard\".*\"as_given\".*\"normal_scores\"",
               class = "manykernels_invalid_argument")
  for (fit in list(mkl, mkl_path, mkl_gomp, mllkm)) {
    expect_error(fit(numbers, class, scale = "auto"), "Let cv_mkl() choose", fixed = TRUE,
                 class = "manykernels_invalid_argument")
  }
  expect_error(mkl(numbers, class, scale = "log"), "\"standard\".*\"as_given\".*\"normal_scores\"")
})
