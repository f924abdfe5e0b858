# What to expect of a choice: draws of the samples choose, and the samples not drawn measure.
quiet <- mkl_control(progress = FALSE)
d <- cv_data()
pair <- gaussian_kernel(c(1, 4))
accuracy <- list(list(name = "accuracy", larger = TRUE, f = accuracy_measure, own = FALSE))
# A cell's losses in each row, by hand; every row counts the same.
cells <- function(sum) list(accuracy = list(sum = sum, weight = matrix(1, nrow(sum), ncol(sum))))
grid <- function(sum, se = 0) {
  list2DF(list(C = seq_len(ncol(sum)), mean = colMeans(sum), se = rep(se, ncol(sum)), folds = rep(3, ncol(sum))))
}

# The same by a loop over the draws.
by_hand <- function(sum, draws, unit = seq_len(nrow(sum)), choose = function(means) which.max(means)) {
  scores <- vapply(seq_len(draws), function(k) {
    drawn <- sample.int(max(unit), max(unit), TRUE)
    rows <- unlist(lapply(drawn, function(u) which(unit == u)))
    left <- setdiff(seq_len(nrow(sum)), rows)
    if (!length(left)) return(NA_real_)
    mean(sum[left, choose(colMeans(sum[rows, , drop = FALSE]))])
  }, 0)
  limits <- quantile(scores, c(0.025, 0.975), names = FALSE, na.rm = TRUE)
  data.frame(measure = "accuracy", estimate = mean(scores, na.rm = TRUE), lower = limits[1], upper = limits[2])
}

test_that("three cells and six samples: by hand", {
  hits <- cbind(c(1, 1, 1, 0, 0, 0), c(0, 1, 1, 1, 1, 0), c(1, 0, 0, 1, 0, 0))
  for (sum in list(hits, hits[, 2, drop = FALSE])) {
    set.seed(1)
    found <- estimate_choice(cells(sum), grid(sum), TRUE, "best", accuracy, draws = 200)
    set.seed(1)
    expect_equal(found, by_hand(sum, 200))
  }
  # a single draw: rows 1 and 3 to 6 once or more, row 2 left out
  values <- cells(hits)
  times <- cbind(c(2, 0, 1, 1, 1, 1), c(0, 3, 3, 0, 0, 0))
  expect_equal(drawn_means(values$accuracy, times), rbind(c(3, 3, 3) / 6, c(6, 6, 0) / 6))
  expect_identical(choose_drawn(values, times, grid(hits), TRUE, "best"), c(1L, 1L)) # smaller C of equals
  expect_equal(score_left_out(values$accuracy, times, c(2L, 1L)), c(1, 1 / 4))
})

test_that("groups are drawn together", {
  set.seed(2)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  group <- rep(1:8, each = 5)
  set.seed(3)
  found <- estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, rev(group), draws = 100)
  set.seed(3)
  expect_equal(found, by_hand(hits, 100, group))
  one <- estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, rep(1, 40), draws = 100)
  expect_identical(unlist(one[-1], use.names = FALSE), rep(NA_real_, 3))
})

test_that("rules choose in the draws as they do in the results", {
  set.seed(4)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  losses <- matrix(rexp(120), 40)
  values <- c(cells(hits), margin_loss = unname(cells(losses)))
  results <- cbind(grid(hits, 0.2), margin_loss = colMeans(losses))
  for (rule in cv_rules) {
    set.seed(5)
    found <- estimate_choice(values, results, TRUE, rule, accuracy, draws = 50)
    set.seed(5)
    scores <- replicate(50, {
      rows <- sample.int(40, 40, TRUE)
      results$mean <- colMeans(hits[rows, ])
      results$margin_loss <- colMeans(losses[rows, ])
      mean(hits[setdiff(1:40, rows), choose_cell(results, TRUE, rule)])
    })
    expect_equal(found$estimate, mean(scores))
  }
})

test_that("draws in blocks are the draws at once", {
  set.seed(6)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  run <- function(...) {
    set.seed(7)
    estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, draws = 30, ...)
  }
  expect_equal(run(block = 100), run())
})

test_that("a cell alone is expected to be as good as its mean", {
  set.seed(1)
  for (y in list(d$y, d$classes, d$x[, 4] + 0)) {
    measure <- if (is.factor(y)) c("accuracy", "auc", "mcc") else c("rmse", "r2")
    cv <- cv_mkl(d$x[, 1:3], y, pair, p = 2, C = 1, folds = 5, repeats = 2, measure = measure, control = quiet)
    means <- unlist(cv$results[measure], use.names = FALSE)
    expect_identical(cv$estimate$measure, measure)
    expect_equal(cv$estimate$estimate, means, tolerance = 0.02)
    expect_true(all(cv$estimate$lower < means & means < cv$estimate$upper))
    expect_equal(weighted.mean(cv$row_values[, "value"], cv$row_values[, "weight"]), cv$results$mean)
  }
})

test_that("values of rows and standard errors are averaged over repeats first: by hand", {
  set.seed(2)
  weights <- rep(1:3, 25)
  cv <- cv_mkl(d$x[, 1:2], d$y, pair, p = 2, C = 1, folds = 5, repeats = 4, measure = "accuracy",
               weights = weights, control = quiet)
  own <- cv$predictions
  fold <- interaction(own$`repeat`, own$fold)
  share <- weights[own$row] / ave(weights[own$row], fold, FUN = sum)
  hit <- (own$response == own$truth) * share
  value <- as.vector(tapply(hit, own$row, sum) / tapply(share, own$row, sum))
  weight <- as.vector(tapply(share, own$row, sum))
  expect_equal(unname(cv$row_values), cbind(value, weight), ignore_attr = TRUE)
  spread <- vapply(1:4, function(r) {
    var(vapply(cv$resamples[4 * 0 + (r - 1) * 5 + 1:5], function(one) {
      weighted.mean(value[one$test], weight[one$test])
    }, 0))
  }, 0)
  expect_equal(cv$results$se, sqrt((1 / 5 + 1 / 4) * mean(spread)))
})

test_that("resamples of one fold each vary around their mean, and a single one not at all", {
  set.seed(3)
  splits <- lapply(1:6, function(k) {
    test <- sort(sample(75, 15))
    list(train = setdiff(1:75, test), test = test, repeat_number = k)
  })
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = splits, measure = "accuracy", control = quiet)
  value <- cv$row_values[, "value"]
  weight <- cv$row_values[, "weight"]
  means <- vapply(splits, function(one) weighted.mean(value[one$test], weight[one$test]), 0)
  tested <- length(unique(unlist(lapply(splits, `[[`, "test"))))
  expect_equal(cv$results$se, sqrt((15 / tested + 15 / 60) * var(means)))
  once <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = list(1:20), measure = "accuracy", control = quiet)
  expect_identical(once$results$se, NA_real_)
  expect_true(all(is.finite(unlist(once$estimate[-1])))) # 20 rows are there to draw
})

test_that("estimates are the same by the same seed, and use up no random numbers of their own", {
  run <- function(measure) {
    set.seed(8)
    cv <- cv_mkl(d$x, d$y, pair, p = c(1, 2), C = c(0.1, 1), measure = measure, control = quiet)
    list(estimate = cv$estimate, after = runif(1))
  }
  expect_identical(run("accuracy"), run("accuracy"))
  # a function is asked more often, but it draws nothing
  expect_identical(run(function(truth, response) mean(truth == response))$after, run("auc")$after)
})

test_that("cells that fail, rows without weight and rows that are never held out take no part", {
  set.seed(9)
  folds <- rep(c(NA, 1:4), 15)
  weights <- replace(rep(1, 75), 2, 0)
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = c(0.1, 1), folds = folds, weights = weights, control = quiet)
  left_out <- which(is.na(folds) | weights == 0)
  expect_identical(which(cv$row_values[, "weight"] == 0), left_out)
  expect_true(all(is.finite(unlist(cv$estimate[-1]))))
  values <- cells(matrix(rep(c(1, 0), each = 10), 10))
  values$accuracy$weight[1:5, 2] <- 0
  results <- grid(values$accuracy$sum)
  results$folds <- c(3, 2) # a cell that lacks a fold is never chosen
  expect_identical(estimate_choice(values, results, FALSE, "best", accuracy, draws = 20)$estimate, 1)
})

test_that("a choice by chance is not believed", {
  set.seed(10)
  y <- factor(rep(1:2, 30))
  x <- matrix(rnorm(60 * 5), 60)
  cv <- cv_mkl(x, y, gaussian_kernel(c(0.5, 4)), p = c(1, 2), C = 2^(-3:3), measure = "accuracy",
               control = quiet)
  expect_lt(cv$estimate$estimate, cv$results$mean[cv$best_row])
  expect_true(cv$estimate$lower < 0.5 && 0.5 < cv$estimate$upper)
})

test_that("estimates changed by hand are refused", {
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, control = quiet)
  cv$estimate$lower <- "low"
  expect_classed(print(cv), "invalid_object", "x")
})

test_that("intervals cover the value on new samples", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  # groups have half of the variance of columns and noise in common
  draw <- function(groups, size) {
    shared <- function(k) {
      own <- matrix(rnorm(groups * size * k), groups * size)
      if (size == 1) own else
        sqrt(0.5) * (matrix(rnorm(groups * k), groups)[rep(seq_len(groups), each = size), ] + own)
    }
    x <- shared(6)
    list(x = x, signal = 0.7 * x[, 1] + shared(1)[, 1], group = rep(seq_len(groups), each = size))
  }
  classes <- function(signal) factor(signal > 0)
  times <- function(signal) survival::Surv(pmin(exp(signal), 3), exp(signal) <= 3)
  covered <- function(response, measure, groups, size, repeats) {
    mean(replicate(200, {
      data <- draw(groups, size)
      cv <- cv_mkl(data$x, response(data$signal), list(a = gaussian_kernel(6), b = linear_kernel()), p = 2,
                   C = 4^(-2:1), measure = measure, repeats = repeats, group = if (size > 1) data$group,
                   control = quiet)
      new <- draw(1000, 1)
      true <- assess(cv, new$x, response(new$signal), measure, draws = 1)$measures$estimate
      cv$estimate$lower <= true && true <= cv$estimate$upper
    }))
  }
  set.seed(11)
  measures <- list(accuracy = classes, auc = classes, rmse = identity, concordance = times)
  for (measure in names(measures)) {
    # 200 draws of 95 % have a standard error of 1.5 %
    expect_gte(covered(measures[[measure]], measure, 80, 1, 1), 0.9)
    expect_gte(covered(measures[[measure]], measure, 30, 4, 2), 0.9)
  }
})
