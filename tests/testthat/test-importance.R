skip_on_cran() # a slow file
x <- as.matrix(iris[1:4])
odd <- seq(1, 150, by = 2)
new <- x[-odd, ]
truth <- iris$Species[-odd]
three <- mkl(x[odd, ], iris$Species[odd], gaussian_kernel(c(1, 4)))

test_that("where smaller is better, importances are what the measure rises by", {
  fit <- mkl(x[odd, -1], x[odd, 1])
  found <- permutation_importance(fit, new[, -1], new[, 1], by = "feature")
  expect_false(found$larger)
  expect_gt(found$importance$importance[2], 0.1)
  r2 <- permutation_importance(fit, new[, -1], new[, 1], by = "feature", measure = "r2")
  expect_true(r2$larger)
  expect_gt(r2$importance$importance[2], 0.1)
})

test_that("strata make the importance conditional", {
  set.seed(4)
  n <- 200
  site <- rep(1:2, n / 2)
  d <- data.frame(marker = site + rnorm(n, sd = 0.2), other = rnorm(n))
  y <- factor(site + 0.7 * d$other > 1.5)
  fit <- mkl(d[1:100, ], y[1:100])
  free <- permutation_importance(fit, d[101:200, ], y[101:200], by = "feature")$importance
  within <- permutation_importance(fit, d[101:200, ], y[101:200], by = "feature", strata = site[101:200])$importance
  expect_gt(free$lower[1], 0.1)
  expect_lt(within$importance[1], 0.1)
})

test_that("rows that can't be used are left out, and responses are matched", {
  holes <- new
  holes[c(2, 5), 3] <- NA
  unknown <- truth
  unknown[9] <- NA
  expect_message(found <- permutation_importance(three, holes, unknown),
                 "Left out: 1 row without a response, 2 rows without a prediction, as values are missing.",
                 class = "manykernels_message_left_out")
  expect_identical(c(found$n, found$left_out), c(72L, 3L))
  named <- new
  rownames(named) <- paste0("s", 1:75)
  turned <- setNames(rev(truth), rev(rownames(named)))
  expect_equal(suppressMessages(permutation_importance(three, named, turned))$value,
               permutation_importance(three, new, truth)$value)
  other <- factor(as.character(truth), rev(levels(truth)))
  expect_equal(permutation_importance(three, new, other)$value, permutation_importance(three, new, truth)$value)
})

test_that("what no kernel reads has importance 0", {
  views <- list(a = x[, 1:2], b = x[, 3:4])
  pick <- function(rows) lapply(views, function(view) view[rows, ])
  fit <- mkl(pick(odd), iris$Species[odd], on_view(gaussian_kernel(1), "b"))
  found <- permutation_importance(fit, pick(-odd), truth, by = "feature")$importance
  expect_identical(found$importance[1:2], c(0, 0))
  expect_identical(found$p_value[1:2], c(1, 1))
  expect_true(all(found$importance[3:4] > 0))
})

test_that("a measure without a value on the rows is an error that says why", {
  one_class <- truth == "setosa"
  expect_error(permutation_importance(three, new[one_class, ], truth[one_class], measure = "auc", repeats = 2),
               "The measure `auc` has no value on these rows, all of the class `setosa`.",
               fixed = TRUE, class = "manykernels_invalid_argument")
  numbers <- mkl(x[odd, -1], x[odd, 1], linear_kernel())
  expect_error(permutation_importance(numbers, new[1:9, -1], rep(5, 9), measure = "r2", repeats = 2),
               "The measure `r2` has no value on these rows.", fixed = TRUE)
})

test_that("few rows give no small p-value", {
  x <- cbind(u = c(-3, -2, -1, -0.5, 0.5, 1, 2, 3))
  fit <- mkl(x, factor(rep(c("a", "b"), each = 4)), linear_kernel())
  importance_of <- function(n) {
    set.seed(1)
    rows <- rep_len(c(1, 8), n)
    permutation_importance(fit, x[rows, , drop = FALSE], factor(c("a", "b"))[1 + (rows == 8)])$importance
  }
  four <- importance_of(4) # leaving a row out makes no difference
  expect_gt(four$importance, 0.3)
  expect_identical(c(four$se, four$lower, four$upper, four$p_value), rep(NA_real_, 4))
  expect_gte(importance_of(6)$p_value, 1 / 720)
})

test_that("weights of rows count in the measure", {
  w <- rep(c(1, 0, 2), 25)
  found <- permutation_importance(three, new, truth, weights = w)
  expect_equal(found$value, weighted.mean(predict(three, new) == truth, w))
})

test_that("rows held out are predicted by fits of their folds", {
  y <- droplevels(iris$Species[51:150])
  z <- x[51:150, ]
  k <- gaussian_kernel(c(1, 4))
  quiet <- mkl_control(progress = FALSE, tol = 1e-6)
  set.seed(5)
  cv <- cv_mkl(z, y, k, p = 2, C = c(0.1, 1), folds = 4, repeats = 2, control = quiet)
  found <- permutation_importance(cv, x = z, y = y, kernels = k, by = "feature")
  expect_true(found$held_out)
  expect_identical(found$n, 100L)
  expect_equal(found$value, cv$results$accuracy[cv$best_row], tolerance = 1e-6)
  expect_gt(found$importance$lower[4], 0)
  expect_false(permutation_importance(cv, z, y)$held_out)
  # a formula brings its variables
  d <- data.frame(z, f = factor(rep(1:2, 50)), y = y)
  d[7, 1] <- NA
  cv <- cv_mkl(y ~ Petal.Length * f + Sepal.Length, d, kernels = k, p = 2, C = 1, control = quiet)
  found <- permutation_importance(cv, x = d, kernels = k, by = "feature", group = rep(1:50, 2))
  expect_identical(found$importance$feature, c("Petal.Length", "f", "Sepal.Length"))
  expect_gt(found$importance$lower[1], 0.1)
  expect_identical(found$n, 99L)
  expect_error(permutation_importance(cv, x = `rownames<-`(d[c(1:7, 100:8), ], NULL), kernels = k), class = "manykernels_invalid_argument")
  cv <- cv_mkl(z, y, per_feature(k), model = "mkl_gomp", lambda = 0.01, folds = 3, control = quiet)
  found <- permutation_importance(cv, x = z, y = y, kernels = per_feature(k), by = "feature", repeats = 3)
  expect_identical(dim(found$repeats), c(4L, 3L))
  cv <- cv_mkl(z, y, model = "mllkm", gamma = 1, C = 1, folds = 3, control = quiet)
  found <- permutation_importance(cv, x = z, y = y, by = "feature", repeats = 3)
  expect_identical(dim(found$repeats), c(4L, 3L))
  K <- precomputed_kernel(list(A = tcrossprod(scale(z[, 1:2])), B = tcrossprod(scale(z[, 3:4]))))
  cv <- cv_mkl(NULL, y, K, p = 2, C = 1, control = quiet)
  found <- permutation_importance(cv, y = y, kernels = K)
  expect_gt(found$importance$lower[2], 0.1)
})

test_that("rows held out have the chosen one of the default kernel sets, and intervals by the groups of the folds", {
  skip_if_not_installed("MASS")
  crabs <- MASS::crabs[rep(c(TRUE, FALSE), 100), ]
  set.seed(1)
  cv <- cv_mkl(crabs[, 4:8], crabs$sex, scale = TRUE, p = 2, C = c(0.5, 2), folds = 4, group = rep(1:10, 10),
               control = mkl_control(progress = FALSE, threads = 1))
  expect_identical(cv$best$set, "smooth") # what is tested needs it
  expect_identical(cv$group, rep(1:10, 10))
  by_rows <- function(...) {
    set.seed(1)
    permutation_importance(cv, x = crabs[, 4:8], y = crabs$sex, by = "kernel", repeats = 3, ...)
  }
  found <- by_rows()
  expect_equal(found$value, cv$results$accuracy[cv$best_row])
  expect_identical(found$importance$kernel, kernel_weights(cv)$kernel)
  # the same swaps, other blocks of the jackknife
  ungrouped <- by_rows(group = 1:100)
  expect_gt(max(abs(found$importance$se - ungrouped$importance$se)), 1e-4)
})

test_that("censored times, labels, quantiles, one class, probabilities", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  veteran <- survival::veteran
  fit <- mkl(survival::Surv(time, status) ~ karno + age, veteran[1:100, ])
  found <- permutation_importance(fit, veteran[101:137, ], by = "feature")
  expect_identical(found$measure, "concordance")
  expect_gt(found$importance$importance[1], found$importance$importance[2])
  labels <- cbind(long = x[, 3] > 4, wide = x[, 2] > 3)
  fit <- mkl(x[odd, ], labels[odd, ])
  expect_gt(permutation_importance(fit, new, labels[-odd, ], by = "feature")$importance$lower[3], 0)
  fit <- mkl(x[odd, -1], x[odd, 1], loss = quantile_loss(c(0.2, 0.8)))
  expect_identical(permutation_importance(fit, new[, -1], new[, 1])$measure, "pinball")
  fit <- mkl(x[odd, ], type = "one_class", C = 0.1)
  expect_identical(permutation_importance(fit, new, by = "feature")$measure, "outside_shift")
  fit <- mkl(x[odd, ], iris$Species[odd], loss = "logistic")
  expect_gt(permutation_importance(fit, new, truth, measure = "log_loss")$importance$lower, 0)
  cost <- structure(function(truth, response) 100 * mean(truth != response), larger = FALSE)
  expect_gt(permutation_importance(three, new, truth, measure = list(cost = cost))$importance$lower, 10)
  # a class that is in one block alone
  few <- c(1:26, 75)
  found <- permutation_importance(three, new[few, ], truth[few], measure = "auc")
  expect_s3_class(found, "permutation_importance")
})

test_that("models of files", {
  skip_if_not_installed("jsonlite")
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_model(three, file)
  set.seed(1)
  own <- permutation_importance(three, new, truth, by = "feature")
  set.seed(1)
  expect_equal(permutation_importance(read_model(file), new, truth, by = "feature"), own)
})

test_that("methods", {
  set.seed(1)
  found <- permutation_importance(three, new, truth, by = "kernel")
  expect_snapshot(print(found))
  features <- permutation_importance(three, new, truth, by = "feature")
  expect_snapshot(print(features))
  many <- found
  many$importance <- found$importance[rep(1:2, 20), ]
  expect_length(capture.output(print(many)), 15)
  expect_gt(length(capture.output(print(summary(many)))), 40)
  expect_identical(as.data.frame(features), features$importance)
  expect_identical(summary(features)$importance$importance, sort(features$importance$importance, decreasing = TRUE))
  expect_draws(found)
  expect_draws(features, most = 2, main = "Two")
  expect_draws(permutation_importance(three, new, truth))
  broken <- found
  broken$importance$se <- "a"
  expect_error(print(broken), class = "manykernels_invalid_object")
  skip_if_not_installed("generics")
  expect_identical(generics::tidy(features)$feature, colnames(x))
  expect_identical(generics::glance(features)$units, 4L)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(found), "ggplot")
})

test_that("errors", {
  importance <- permutation_importance
  expect_snapshot(error = TRUE, {
    importance(three)
    importance(three, new)
    importance(three, new, truth[1:3])
    importance(three, new[1, , drop = FALSE], truth[1])
    importance(three, new, rep("rose", 75))
    importance(three, new, truth, by = "column")
    importance(three, new, truth, by = list("Sepal.Width"))
    importance(three, new, truth, by = list(sepal = "Sepal.Depth"))
    importance(three, new, truth, measure = c("auc", "accuracy"))
    importance(three, new, truth, measure = "rmse")
    importance(three, new, truth, group = rep(1, 75))
    importance(three, new, truth, strata = 1:75)
    importance(three, new, truth, group = 1:3)
    importance(three, new, truth, repeats = 0)
    importance(three, new, truth, x = new)
    importance(lm(Sepal.Length ~ 1, iris), new, truth)
    importance(mllkm(x[odd, ], iris$Species[odd] == "setosa"), new, truth == "setosa", by = "kernel")
  })
})

test_that("a view of noise is within its interval of 0", {
  skip_unless_slow()
  set.seed(11)
  hit <- replicate(100, {
    views <- list(signal = matrix(rnorm(600), 200), noise = matrix(rnorm(4000), 200))
    y <- factor(rowSums(views$signal) + rnorm(200) > 0)
    pick <- function(rows) lapply(views, function(view) view[rows, ])
    fit <- mkl(pick(1:100), y[1:100])
    own <- permutation_importance(fit, pick(101:200), y[101:200])$importance
    c(own$lower[2] <= 0 && own$upper[2] >= 0, own$p_value[2] <= 0.05, own$lower[1] > 0)
  })
  expect_gte(mean(hit[1, ]), 0.93)
  expect_lte(mean(hit[2, ]), 0.12)
  expect_gte(mean(hit[3, ]), 0.95)
})
