# Normal scores of columns: the map, and what fits do with it.
set.seed(1)
skewed <- cbind(a = exp(rnorm(80)), b = rnorm(80)^3, flag = rep(0:1, 40), c = round(rexp(80), 1))
y <- factor(log(skewed[, 1]) + sign(skewed[, 2]) * abs(skewed[, 2])^(1 / 3) > 0)
pair <- c(linear_kernel(), gaussian_kernel(c(1, 8)))

test_that("the scores are normal quantiles of the ranks, ties at their mean rank", {
  fit <- mkl(skewed, y, pair, scale = "normal_scores", control = quiet())
  scores <- fit$scaling$views$x$scores
  expect_null(scores[[3]])
  by_hand <- function(x) qnorm((rank(x) - 0.5) / length(x))
  for (j in c(1, 2, 4)) {
    z <- (skewed[, j] - mean(skewed[, j])) / sd(skewed[, j])
    expect_equal(approx(scores[[j]][, "value"], scores[[j]][, "score"], z, rule = 2)$y, by_hand(skewed[, j]))
  }
  own <- cbind(by_hand(skewed[, 1]), by_hand(skewed[, 2]), skewed[, 3], by_hand(skewed[, 4]))
  by_hand_fit <- mkl(own, y, pair, scale = FALSE, control = quiet())
  expect_equal(unname(fit$decision), unname(by_hand_fit$decision), tolerance = 1e-8)
})

test_that("new rows are mapped between the training rows, and to their ends beyond", {
  fit <- mkl(skewed[, 1:2], y, linear_kernel(), scale = "normal_scores", control = quiet())
  at <- function(a) predict(fit, cbind(a = a, b = 0), type = "decision")
  a <- sort(skewed[, 1])
  middle <- at(mean(a[40:41]))
  expect_equal(middle, mean(at(a[40:41])))
  expect_equal(at(c(min(a) - 1e3, max(a) + 1e3)), at(range(a)))
  # a monotone change of a column changes nothing
  other <- mkl(cbind(a = log(skewed[, 1]), b = skewed[, 2]), y, linear_kernel(), scale = "normal_scores",
               control = quiet())
  expect_equal(unname(other$decision), unname(fit$decision), tolerance = 1e-6)
})

test_that("few knots are kept of many values, and training rows are mapped as new ones are", {
  set.seed(2)
  x <- cbind(rexp(600), rnorm(600))
  z <- factor(x[, 1] > 1)
  fit <- mkl(x, z, pair, scale = "normal_scores", control = quiet())
  expect_identical(nrow(fit$scaling$views$x$scores[[1]]), 200L)
  expect_equal(unname(predict(fit, x, type = "decision")), unname(fit$decision), tolerance = 1e-6)
  expect_lt(duality_gap(fit, x, z)$gap, 1.1e-3)
})

test_that("views are named, and the response stays standardised", {
  views <- list(one = skewed[, 1:2], two = skewed[, 3:4])
  fit <- mkl(views, skewed[, 1] * 10, on_view(pair, "one"), scale = c(one = "normal_scores", two = "as_given"),
             control = quiet())
  expect_length(fit$scaling$views$one$scores, 2)
  expect_null(fit$scaling$views$two)
  expect_equal(fit$scaling$response[["scale"]], sd(skewed[, 1] * 10))
  expect_match(capture.output(summary(fit)), "^Standardised: response. Normal scores: columns of `one`. Normalisation",
               all = FALSE)
  plain <- mkl(views, y, pair, scale = "standard", control = quiet())
  expect_identical(plain$alpha, mkl(views, y, pair, control = quiet())$alpha)
  as_given <- mkl(views, y, pair, scale = "as_given", control = quiet())
  expect_identical(as_given$alpha, mkl(views, y, pair, scale = FALSE, control = quiet())$alpha)
})

test_that("models with normal scores are written and read", {
  skip_if_not_installed("jsonlite")
  fit <- mkl(skewed, y, pair, scale = "normal_scores", control = quiet())
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_model(fit, file)
  expect_identical(predict(read_model(file), skewed + 0.01, type = "decision"),
                   predict(fit, skewed + 0.01, type = "decision"))
})

test_that("default kernels, greedy fits, anchors and paths know normal scores", {
  fit <- mkl(skewed, y, scale = "normal_scores", control = quiet())
  expect_identical(names(fit$kernels), names(default_kernels(skewed, scale = "normal_scores")))
  greedy <- mkl_gomp(skewed, y, pair, scale = "normal_scores")
  expect_equal(unname(predict(greedy, skewed, type = "decision")), unname(greedy$decision), tolerance = 1e-6)
  local <- mllkm(skewed[, 1:2], y, scale = "normal_scores", control = quiet())
  expect_equal(unname(predict(local, skewed[, 1:2], type = "decision")), unname(local$decision),
               tolerance = 1e-6)
  rows <- local$anchor_rows
  expect_equal(unname(local$anchors), unname(skewed[rows, 1:2, drop = FALSE]), tolerance = 1e-6)
})

test_that("sparse views are not filled, and a damaged map is no fit of ours", {
  sparse <- Matrix::Matrix(skewed, sparse = TRUE)
  expect_error(mkl(sparse, y, pair, scale = "normal_scores"), class = "manykernels_unsupported")
  fit <- mkl(skewed, y, pair, scale = "normal_scores", control = quiet())
  # sparse rows for a fit to dense ones
  expect_equal(predict(fit, sparse, type = "decision"), predict(fit, skewed, type = "decision"))
  fit$scaling$views$x$scores[[1]] <- fit$scaling$views$x$scores[[1]][2:1, ]
  expect_error(predict(fit, skewed), class = "manykernels_invalid_object")
})
