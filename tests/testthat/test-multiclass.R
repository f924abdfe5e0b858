three <- function() c(linear_kernel(), gaussian_kernel(c(1, 4)))

triangle_kernels <- function(x) {
  raw <- list(judge_linear(x), judge_gaussian(x, width = 1), judge_gaussian(x, width = 4))
  lapply(raw, function(K) judge_normalize(K)$train)
}

test_that("one-vs-rest: each machine is certified and its own two-class fit", {
  d <- judge_triangle()
  fit <- mkl(d$x, d$y, three(), control = quiet(tol = 1e-6), scale = FALSE)
  expect_s3_class(fit, "mkl_multiclass")
  expect_named(fit$models, levels(d$y))
  expect_identical(dim(fit$theta), c(3L, 3L))
  for (level in levels(d$y)) {
    expect_certified(fit$models[[level]], triangle_kernels(d$x))
    alone <- mkl(d$x, d$y == level, three(), control = quiet(tol = 1e-6), scale = FALSE)
    expect_equal(fit$models[[level]]$decision, alone$decision, tolerance = 1e-4)
    expect_identical(fit$models[[level]]$levels, c(paste("not", level), level))
  }
  expect_equal(fit$decision, predict(fit, d$x, "decision"), tolerance = 1e-8)
  expect_identical(as.character(predict(fit, d$x)),
                   levels(d$y)[max.col(fit$decision, "first")])
  expect_gt(mean(fitted(fit) == d$y), 0.8)
})

test_that("one-vs-one: each pair is certified on its own rows, and the pairs vote", {
  d <- judge_triangle()
  fit <- mkl(d$x, d$y, three(), multiclass = "ovo", control = quiet(), scale = FALSE)
  expect_named(fit$models, c("a:b", "a:c", "b:c"))
  pair <- fit$models[["a:c"]]
  expect_identical(pair$levels, c("a", "c"))
  expect_true(all(pair$alpha[d$y == "b"] == 0))
  expect_certified(pair, triangle_kernels(d$x))
  expect_gt(mean(fitted(fit) == d$y), 0.8)
  expect_equal(nobs(fit), 45)
  expect_equal(nobs(pair), 30)
})

test_that("votes decide, ties by the sum of decision values", {
  x <- matrix(sin(1:30))
  fit <- mkl(x, factor(rep(c("a", "b", "c"), 10)), linear_kernel(), multiclass = "ovo", control = quiet())
  #                    a:b  a:c  b:c
  decision <- rbind(c(-1.0, -1.0, 5), # a twice
                    c(1.0, -2.0, 0.5), # one vote each; sums: a = 1, b = 0.5, c = -1.5
                    c(1.0, -0.5, 3)) # one vote each; sums: a = -0.5, b = -2, c = 2.5
  fit$decision[1:3, ] <- decision
  expect_identical(as.character(fitted(fit)[1:3]), c("a", "a", "c"))
  expect_true(is.na(predict(fit, matrix(NA_real_))))
})

test_that("shared: one theta, certified for all machines together", {
  d <- judge_triangle()
  fit <- mkl(d$x, d$y, three(), p = 4 / 3, multiclass = "shared", control = quiet(tol = 1e-5),
             scale = FALSE)
  expect_null(dim(fit$theta))
  for (model in fit$models) expect_identical(model$theta, fit$theta)
  alpha <- vapply(fit$models, `[[`, numeric(45), "alpha")
  signs <- vapply(fit$models, judge_signs, numeric(45))
  verdict <- judge_gap(triangle_kernels(d$x), fit$theta, alpha, signs, 1, 4 / 3)
  expect_true(verdict$theta_ok && verdict$box_ok && verdict$sum_ok)
  expect_lte(verdict$gap, 1e-5)
  expect_equal(fit$gap[[1]], verdict$gap, tolerance = 1e-3)
  expect_gt(mean(fitted(fit) == d$y), 0.8)
  expect_identical(nrow(kernel_weights(fit)), 3L)
})

test_that("a model of a fit predicts, certifies and prints by itself", {
  d <- judge_triangle()
  frame <- data.frame(d$x, y = d$y)
  for (how in c("ovr", "ovo", "shared", "joint")) {
    fit <- mkl(y ~ ., frame, kernels = three(), multiclass = how, control = quiet(), scale = FALSE)
    for (name in names(fit$models)) {
      expect_equal(predict(fit$models[[name]], frame, "decision"), fit$decision[, name],
                   tolerance = 1e-8)
    }
  }
  part <- mkl(y ~ ., frame, kernels = three(), multiclass = "ovo", control = quiet(),
              scale = FALSE)$models[[2]]
  expect_equal(duality_gap(part, frame, d$y)$gap, part$gap, tolerance = 1e-6)
  expect_output(print(part), "classes \"a\" and \"c\"")
})

test_that("tables are stacked by machine, rows and columns named", {
  d <- judge_triangle()
  rownames(d$x) <- paste0("row", 1:45)
  fit <- mkl(d$x, d$y, three(), control = quiet(), scale = FALSE)
  expect_identical(unique(kernel_weights(fit)$model), levels(d$y))
  expect_identical(nrow(support(fit)),
                   sum(vapply(fit$models, function(model) length(model$support), 0L)))
  expect_identical(dimnames(residuals(fit)), dimnames(fit$decision))
  expect_identical(dimnames(predict(fit, d$x, "decision")), list(rownames(d$x), levels(d$y)))
  expect_named(predict(fit, d$x), rownames(d$x))
  expect_identical(dim(predict(fit, d$x[1, , drop = FALSE], "decision")), c(1L, 3L))
  expect_identical(coef(fit), fit$theta)
})

test_that("weights balance each machine, and warm starts work for several classes", {
  d <- judge_triangle()
  fit <- mkl(d$x, d$y, three(), class_weights = "balanced", control = quiet(), scale = FALSE)
  for (model in fit$models) {
    expect_equal(as.numeric(tapply(model$cost, model$y, sum)), c(22.5, 22.5))
  }
  named <- mkl(d$x, d$y, three(), class_weights = c(a = 2, c = 3), control = quiet(), scale = FALSE)
  expect_equal(named$models$b$cost, c(a = 2, b = 1, c = 3)[as.character(d$y)], ignore_attr = TRUE)
  for (how in c("ovr", "ovo", "shared", "joint")) {
    cold <- mkl(d$x, d$y, three(), C = 3, multiclass = how, control = quiet(tol = 1e-6),
                scale = FALSE)
    start <- mkl(d$x, d$y, three(), multiclass = how, control = quiet(), scale = FALSE)
    warm <- mkl(d$x, d$y, three(), C = 3, multiclass = how,
                control = quiet(tol = 1e-6, start = start), scale = FALSE)
    expect_equal(warm$objective, cold$objective, tolerance = 1e-5)
  }
})

test_that("names of pairs are unambiguous", {
  pairs <- function(levels) {
    y <- factor(rep(levels, 5), levels)
    names(mkl(matrix(sin(seq_along(y))), y, linear_kernel(), multiclass = "ovo", control = quiet())$models)
  }
  odd <- pairs(c("a", "a:b", "b", "b:c"))
  expect_identical(anyDuplicated(odd), 0L)
  expect_identical(odd[1], "a : a:b")
  expect_identical(pairs(c("a", "b", "c")), c("a:b", "a:c", "b:c"))
})
