# The adaptive search: which cells it tries, which it stops, what it chooses.
skip_on_cran() # a slow file
set.seed(3)
n <- 120
x <- matrix(rnorm(n * 4), n, dimnames = list(NULL, letters[1:4]))
y <- factor(x[, 1] + x[, 2]^2 - 1 + 0.5 * rnorm(n) > 0, labels = c("no", "yes"))
pair <- c(linear_kernel(), gaussian_kernel(c(2, 8)))
search_with <- function(..., kernels = pair, scale = TRUE, folds = rep(1:4, 30), control = quiet()) {
  cv_mkl(x, y, kernels, ..., scale = scale, folds = folds, control = control)
}

test_that("without a grid the search is adaptive, with one it is that grid", {
  cv <- search_with()
  expect_identical(cv$tuned, c("p", "C"))
  expect_true(all(cv$results$search %in% c("coarse C", "extended C", "p", "refined")))
  expect_identical(cv$results$C[1:3], c(0.5, 2, 8))
  expect_true(all(c(1, 4 / 3, 2, 4, Inf) %in% cv$results$p))
  for (given in list(list(p = 2), list(C = c(1, 10)), list(norm = lp_norm(2)))) {
    grid <- do.call(search_with, given)
    expect_identical(unique(grid$results$search), "grid")
    expect_false("scale" %in% names(grid$results))
  }
  expect_identical(nrow(search_with(C = c(1, 10))$results), 10L)
  asked <- search_with(search = "grid", C = 2^(-3:5), p = c(1, 2))
  expect_identical(nrow(asked$results), 18L)
})

test_that("cells are those of the engine, and the best one's neighbours were tried", {
  cv <- search_with(measure = "margin_loss")
  best <- cv$results[cv$best_row, ]
  near <- cv$results[cv$results$p == best$p, ]
  expect_true(all(c(best$C / 2, 2 * best$C) %in% near$C))
  expect_identical(anyDuplicated(cv$results[c("p", "C")]), 0L)
  grid <- search_with(p = best$p, C = best$C, measure = "margin_loss")
  expect_equal(grid$results$mean, best$mean, tolerance = 1e-2)
  fit <- mkl(x, y, pair, p = best$p, C = best$C, control = quiet())
  expect_equal(cv$fit$theta, fit$theta)
})

test_that("the axis is extended until its best value is not at the end", {
  # rows of small weight need a C that is as many times larger
  cv <- search_with(weights = rep(1 / 256, n))
  expect_gt(cv$best$C, 8)
  expect_true("extended C" %in% cv$results$search)
  line <- cv$results$C[cv$results$p == cv$best$p]
  expect_true(max(line) > cv$best$C || cv$best$C == 2^15)
})

test_that("values that are given are all that is tried", {
  cv <- search_with(search = "adaptive", p = c(1, 2), C = c(0.1, 1, 10, 100))
  expect_true(all(cv$results$p %in% c(1, 2)))
  expect_true(all(cv$results$C %in% c(0.1, 1, 10, 100)))
  norms <- search_with(search = "adaptive", norm = list(elastic_net_norm(0.5), lp_norm(2)), C = c(1, 4))
  expect_identical(norms$tuned, c("norm", "C"))
  expect_s3_class(norms$best$norm, "mkl_norm")
})

test_that("cells that lose in the first folds are stopped there", {
  set.seed(4)
  z <- matrix(rnorm(900 * 3), 900)
  class <- factor(z[, 1] * z[, 2] > 0)
  group <- rep(1:450, 2)
  cv <- cv_mkl(z, class, scale = TRUE, folds = 5, control = quiet())
  counts <- table(cv$results$folds)
  expect_setequal(names(counts), c("1", "5"))
  stopped <- cv$results$folds == 1
  expect_false(cv$best_row %in% which(stopped))
  expect_identical(sum(cv$by_fold$status == "stopped"), 4L * sum(stopped))
  expect_true(all(cv$results$failed == 0))
  expect_output(print(cv), "cells of set, p and C")
  expect_true(all(summary(cv)$top$folds == 5) || nrow(cv$results) - sum(stopped) < 10)
  expect_draws(cv)
  # groups count as one each: 90 of them in a fold are too few
  grouped <- cv_mkl(z, class, scale = TRUE, folds = 5, group = group, control = quiet())
  expect_setequal(unique(grouped$results$folds), c(2, 5))
})

test_that("censored times start from small C, and their ties are broken by the loss of times", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  times <- survival::Surv(exp(x[, 1] + 0.3 * rnorm(n)), rbinom(n, 1, 0.7))
  cv <- cv_mkl(x, times, pair, scale = TRUE, folds = rep(1:4, 30), control = quiet())
  expect_identical(cv$results$C[1:4], 2^c(-7, -4, -1, 2))
  expect_false(anyNA(cv$results$time_loss))
})

test_that("nested folds search by themselves, files go on with a search, plans change no number", {
  skip_unless_slow()
  file <- tempfile()
  on.exit(unlink(file))
  draw <- function(...) {
    set.seed(6)
    search_with(..., scale = "auto", folds = 3, nested = 2)
  }
  cv <- draw()
  expect_true(all(c("scale", "p", "C") %in% names(cv$nested$by_fold)))
  expect_same_numbers(draw(resume = file), cv)
  expect_identical(list.files(dirname(file), paste0("^", basename(file))), basename(file))
  again <- draw(resume = file)
  expect_same_numbers(again, cv)
  expect_identical(again$by_fold$seconds, draw(resume = file)$by_fold$seconds)
  unlink(file)
  cut <- suppressWarnings(tryCatch(draw(resume = file, max_time = 0.2), manykernels_no_choice = function(e) NULL))
  expect_same_numbers(draw(resume = file), cv)
  skip_if_not_installed("future")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old), add = TRUE)
  expect_same_numbers(draw(), cv)
})

test_that("folds share the distances of columns that are not scaled, which changes no number", {
  skip_unless_slow()
  skip_if_not_installed("future")
  wide <- list(wide = matrix(rnorm(n * 300), n), few = x)
  choose <- function() cv_mkl(wide, y, scale = FALSE, folds = rep(1:4, 30), control = quiet())
  cv <- choose()
  old <- future::plan(future::multisession, workers = 2) # a worker opens each fold by itself
  on.exit(future::plan(old))
  expect_same_numbers(choose(), cv)
})

test_that("views are dropped by a search of their own", {
  skip_unless_slow()
  views <- list(one = x[, 1:2], two = x[, 3:4])
  cv <- cv_mkl(views, y, folds = rep(1:4, 30), control = quiet())
  found <- drop_view(cv, views, y)
  expect_identical(found$view, c("one", "two"))
  expect_gt(found$change[1], found$change[2])
  kept <- drop_view(cv, views, y, tune = FALSE)
  expect_identical(kept$C, rep(cv$best$C, 2))
})

test_that("searches that are not there are refused", {
  expect_classed(search_with(search = "random"), "invalid_argument", "search")
  expect_classed(cv_mkl(x, y, model = "mllkm", search = "adaptive"), "unsupported", "search")
})
