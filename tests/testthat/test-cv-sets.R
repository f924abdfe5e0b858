# Kernel sets that a grid chooses between.
skip_on_cran() # a slow file
quiet <- mkl_control(progress = FALSE, tol = 1e-6)
d <- cv_data()
narrow <- gaussian_kernel(c(0.25, 0.5, 1))
wide <- c(linear_kernel(), gaussian_kernel(c(1, 8))) # one kernel is in both
choose <- function(kernels, x = d$x, y = d$y, ..., folds = rep(1:3, 25), C = c(0.1, 1, 10)) {
  cv_mkl(x, y, kernels, C = C, folds = folds, control = quiet, ...)
}
numbers <- c("mean", "se", "accuracy", "support")

# The rows of each set are what that set alone gives.
expect_sets_alone <- function(sets, ..., tolerance = 1e-6) {
  cv <- choose(sets, ...)
  expect_identical(unique(cv$results$set), names(sets))
  for (name in names(sets)) {
    alone <- choose(sets[[name]], ...)
    mine <- cv$results[cv$results$set == name, ]
    shared <- intersect(numbers, names(mine))
    expect_equal(mine[shared], alone$results[shared], ignore_attr = "row.names",
                 tolerance = tolerance)
    expect_equal(mine$gap <= 1e-6, alone$results$gap <= 1e-6)
  }
  best <- choose(sets[[cv$best$set]], ...)
  expect_equal(cv$fit$theta, best$fit$theta, tolerance = 1e-3)
  expect_identical(names(cv$fit$kernels), names(best$fit$kernels))
  cv
}

test_that("each set's cells are those of the set alone", {
  skip_unless_slow()
  sets <- list(narrow = narrow, wide = wide)
  cv <- expect_sets_alone(sets, p = c(1, 2))
  expect_identical(cv$tuned, c("set", "p", "C"))
  expect_identical(nrow(cv$results), 12L)
  expect_named(cv$best, c("set", "p", "C"))
  expect_sets_alone(sets, p = 2, scale = FALSE, normalize = c("centre", "multiplicative"))
  expect_sets_alone(sets, y = d$classes, p = 2)
  expect_sets_alone(list(per = per_feature(linear_kernel()), all = narrow), p = 2)
  expect_sets_alone(list(a = on_view(narrow, "a"), both = narrow), p = 2,
                    x = list(a = d$x[, 1:2], b = d$x[, 3:4]))
})

test_that("matrices, functions and other models choose between sets, too", {
  K <- tcrossprod(scale(d$x))
  dot <- function(a, b) tcrossprod(a, b)
  expect_sets_alone(list(K = precomputed_kernel(K), f = function_kernel(dot), both = narrow), p = 2)
  gomp <- cv_mkl(d$x, d$y, list(narrow = narrow, wide = wide), lambda = c(0.01, 0.1),
                 model = "mkl_gomp", folds = rep(1:3, 25))
  expect_identical(gomp$tuned, c("set", "lambda"))
  alone <- cv_mkl(d$x, d$y, wide, lambda = c(0.01, 0.1), model = "mkl_gomp", folds = rep(1:3, 25))
  expect_equal(gomp$results$mean[3:4], alone$results$mean)
})

test_that("distances of wide views serve every set, and change nothing", {
  set.seed(4)
  x <- matrix(rnorm(75 * 400), 75) + 0.3 * (d$y == "TRUE")
  expect_sets_alone(list(narrow = gaussian_kernel(c(200, 400)),
                         wide = c(linear_kernel(), gaussian_kernel(3200))), x = x, p = 2)
})

test_that("by default there is a smooth set, with the largest p alone", {
  cv <- choose(NULL, p = c(1, 2))
  expect_identical(cv$results$set, rep(c("all", "smooth"), c(6, 3)))
  expect_identical(unique(cv$results$p[cv$results$set == "smooth"]), 2)
  line <- choose(NULL, x = d$x + 100 * (d$y == "TRUE"), p = 2) # every cell is perfect: fewer kernels are simpler
  expect_identical(line$best$set, "smooth")
  expect_identical(length(line$fit$kernels), 3L)
  views <- choose(NULL, x = list(a = d$x[, 1:2] + 100 * (d$y == "TRUE"), b = d$x[, 3:4]), p = 2)
  expect_identical(length(views$fit$kernels), 6L)
  expect_identical(dim(kernel_stability(line)$kernels)[1], 3L)
  expect_false("set" %in% choose(wide, p = 2)$tuned)
})

test_that("plots, what views add, and files know sets", {
  views <- list(a = d$x[, 1:2], b = d$x[, 3:4])
  sets <- list(one = gaussian_kernel(2), two = gaussian_kernel(c(1, 4)))
  file <- tempfile()
  set.seed(1)
  cv <- choose(sets, x = views, p = c(1, 2), resume = file)
  set.seed(1)
  expect_equal(choose(sets, x = views, p = c(1, 2), resume = file)$results, cv$results)
  expect_error(choose(rev(sets), x = views, p = c(1, 2), resume = file),
               class = "manykernels_resume")
  for (tune in c(TRUE, FALSE)) {
    dropped <- drop_view(cv, views, d$y, sets, tune = tune)
    expect_identical(dropped$view, c("a", "b"))
    expect_type(dropped$set, "character")
  }
  expect_match(capture.output(print(cv)), "12 cells of set, p and C", all = FALSE)
})

test_that("lists that are no lists of kernel sets are errors", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    choose(list())
    choose(list(a = narrow, a = wide))
    choose(list(a = narrow, b = 1))
    choose(list(a = narrow, wide), p = 2)
    mkl(d$x, d$y, list(a = narrow, b = wide))
  })
})
