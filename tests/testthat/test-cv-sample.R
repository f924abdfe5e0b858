# Choices on a sample of many rows: said, checked on half of it, and the fit is to all.
skip_on_cran() # a slow file

rows <- function(n) {
  set.seed(7)
  x <- matrix(rnorm(n * 3), n, dimnames = list(NULL, c("a", "b", "c")))
  list(x = x, y = factor(ifelse(x[, 1]^2 + x[, 2] + rnorm(n) / 2 > 1, "in", "out")),
       number = x[, 1] + sin(2 * x[, 2]) + rnorm(n) / 3)
}
quiet <- mkl_control(progress = FALSE, tol = 0.01)

sampled <- function(...) {
  set.seed(1)
  suppressMessages(cv_mkl(..., folds = 3, control = quiet), "manykernels_message_sample")
}

test_that("the sample, its standard error and its check are told", {
  d <- rows(600)
  set.seed(1)
  expect_message(
    cv <- cv_mkl(d$x, d$y, gaussian_kernel(c(1, 4)), p = 2, C = 10^(-2:1), folds = 3, sample_size = 200, control = quiet),
    "on 200 of 600 rows and checked on 100", class = "manykernels_message_sample"
  )
  expect_identical(cv$sample$of, 600L)
  expect_gte(cv$sample$rows, 200)
  expect_lte(cv$sample$rows, 202)
  expect_length(unique(unlist(lapply(cv$resamples, `[[`, "test"))), cv$sample$rows)
  expect_length(cv$fit$alpha, 600)
  expect_identical(cv$sample$se, cv$results[[paste0(cv$sample$measure, "_se")]][cv$best_row])
  expect_output(print(cv), "Chosen on 20[0-2] of 600 rows: .* standard error")
  expect_true(is.logical(cv$sample$stable))
  expect_length(predict(cv, d$x), 600)
  shares <- table(d$y[unique(unlist(lapply(cv$resamples, `[[`, "test")))]) / cv$sample$rows
  expect_equal(as.vector(shares), as.vector(table(d$y) / 600), tolerance = 0.02)
})

test_that("the choice is that of a cross-validation of these rows alone", {
  d <- rows(500)
  cv <- sampled(d$x, d$number, gaussian_kernel(c(1, 4)), p = 2, C = 10^(-2:1), sample_size = 150, scale = FALSE)
  own <- sort(unique(unlist(lapply(cv$resamples, `[[`, "test"))))
  fold <- integer(500)
  for (k in seq_along(cv$resamples)) fold[cv$resamples[[k]]$test] <- k
  alone <- cv_mkl(d$x[own, ], d$number[own], gaussian_kernel(c(1, 4)), p = 2, C = 10^(-2:1), folds = fold[own],
                  scale = FALSE, control = quiet)
  expect_equal(cv$results$mse, alone$results$mse, tolerance = 0.02)
  expect_identical(cv$best$C, alone$best$C)
})

test_that("searches, groups, several classes, other models and files take samples, too", {
  skip_unless_slow()
  d <- rows(400)
  group <- rep(1:80, 5)
  cv <- sampled(d$x, d$y, p = 2, C = 1:2, sample_size = 120, group = group)
  for (one in cv$resamples) expect_length(intersect(group[one$train], group[one$test]), 0)
  adaptive <- suppressWarnings(sampled(d$x, d$y, sample_size = 120))
  expect_type(adaptive$sample$loss, "double")
  expect_output(print(adaptive), "Chosen on 12")
  class <- factor(c(rep("rare", 12), rep(c("x", "y"), 194)))
  three <- suppressWarnings(sampled(d$x, class, gaussian_kernel(1), p = 2, C = 1:2, sample_size = 60))
  expect_setequal(levels(droplevels(three$predictions$truth)), levels(class))
  gomp <- suppressWarnings(sampled(d$x, d$number, gaussian_kernel(c(1, 4)), model = "mkl_gomp", lambda = c(0.1, 1), sample_size = 100))
  expect_identical(gomp$sample$of, 400L)
  file <- tempfile()
  calls <- lapply(1:2, function(k) sampled(d$x, d$y, gaussian_kernel(1), p = 2, C = 1:2, sample_size = 100, resume = file))
  expect_identical(calls[[1]]$results, calls[[2]]$results)
  expect_identical(calls[[1]]$sample, calls[[2]]$sample)
})

test_that("another cell that is as good as the chosen one is told", {
  set.seed(2)
  x <- matrix(rnorm(4000), 1000)
  y <- factor(x[, 1] * x[, 2] + rnorm(1000) > 0)
  set.seed(1)
  cv <- suppressMessages(cv_mkl(x, y, gaussian_kernel(c(2, 8)), p = c(1, 2), C = c(0.1, 1, 10), sample_size = 200,
                                control = mkl_control(progress = FALSE, threads = 1)))
  expect_identical(cv$best, list(p = 2, C = 1))
  expect_identical(cv$sample[c("half", "loss", "stable")], list(half = list(p = 2, C = 10), loss = 0, stable = TRUE))
  shown <- gsub("\n *", " ", paste(capture.output(print(cv)), collapse = "\n"))
  expect_match(shown, "Stable: half of them choose another cell, p = 2, C = 10, which is no worse on all of them.",
               fixed = TRUE)
  cv$best <- cv$sample$half
  expect_output(print(cv), "Half of them\\s+choose the same")
})

test_that("samples are refused where they make no sense", {
  d <- rows(100)
  call <- function(...) cv_mkl(d$x, d$y, gaussian_kernel(1), p = 2, C = 1, control = quiet, ...)
  expect_error(call(sample_size = 5), class = "manykernels_invalid_argument")
  expect_error(call(sample_size = 50, nested = 3), "sample_size = Inf", class = "manykernels_invalid_argument")
  expect_error(call(sample_size = 50, folds = rep(1:4, 25)), "sample_size = Inf")
  expect_null(call(folds = 2, sample_size = 100)$sample)
})

test_that("a rare class has its share of a sample", {
  set.seed(2)
  x <- matrix(rnorm(1000), 500)
  y <- rep(c("a", "b"), c(480, 20))
  cv <- suppressWarnings(suppressMessages(cv_mkl(
    x, y, gaussian_kernel(2), p = 2, C = 1, class_weights = NULL, folds = 2, sample_size = 100,
    control = mkl_control(progress = FALSE, threads = 1)
  )))
  expect_identical(as.vector(table(cv$predictions$truth)), c(96L, 4L))
})
