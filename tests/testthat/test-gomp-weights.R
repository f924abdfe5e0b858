# Matching pursuits with weights: a row of weight 2 is two rows, and the path is that of the
# definition, written down with solve().

set.seed(3)
n <- 40L
x <- matrix(rnorm(n * 4), n)
z <- x[, 1] + rnorm(n) / 2
kernels <- c(linear_kernel(), gaussian_kernel(c(2, 8)), per_feature(linear_kernel()))
kinds <- list(
  two = factor(ifelse(z > 0, "b", "a")),
  several = cut(z, c(-Inf, -0.5, 0.5, Inf), labels = c("l", "m", "h")),
  number = z, numbers = cbind(u = z, v = x[, 2]^2),
  labels = cbind(u = +(z > 0), v = +(x[, 2] > 0.3))
)
class_factors <- function(y) {
  if (is.matrix(y)) c("1" = 3, "0" = 0.5) else stats::setNames(seq_along(levels(y)) / 2, levels(y))
}
gomp <- function(x, y, ..., control = mkl_control(progress = FALSE)) {
  suppressMessages(mkl_gomp(x, y, kernels, ..., control = control, scale = FALSE))
}

# The definition with the weights of each output in a column.
judge_weighted <- function(fit, Y, weights) {
  Ks <- kernel_matrix(kernels, x, normalize = fit$normalize, scale = FALSE)
  delta <- fit$lambda * sum(weights) / ncol(weights)
  Y <- sweep(Y, 2, fit$offset)
  ridge <- function(K, t, y) {
    root <- sqrt(weights[, t])
    root * solve(root * t(root * t(K)) + diag(delta, n), root * y)
  }
  residual <- Y
  chosen <- integer()
  for (s in seq_along(fit$order)) {
    # r'D K~ (K~ + delta I)^-1 D r
    offers <- vapply(Ks, function(K) {
      sum(vapply(seq_len(ncol(Y)), function(t) {
        sum(weights[, t] * residual[, t] * (K %*% ridge(K, t, residual[, t])))
      }, 0))
    }, 0)
    offers[chosen] <- -Inf
    chosen[s] <- which.max(offers)
    expect_equal(fit$path$improvement[s], max(offers), tolerance = 1e-8)
    sum_K <- Reduce(`+`, Ks[chosen])
    alpha <- vapply(seq_len(ncol(Y)), function(t) ridge(sum_K, t, Y[, t]), numeric(n))
    expect_equal(matrix(fit$coefficients[, , s], n), alpha, tolerance = 1e-8)
    residual <- Y - sum_K %*% alpha
  }
  expect_identical(fit$order, chosen)
}

test_that("whole weights are repeated rows, for every kind of response", {
  weights <- rep(c(1, 0, 2, 1, 3), length.out = n)
  rows <- rep(seq_len(n), weights)
  for (kind in names(kinds)) {
    y <- kinds[[kind]]
    again <- if (is.matrix(y)) y[rows, ] else y[rows]
    for (intercept in c(TRUE, FALSE)) {
      weighted <- gomp(x, y, weights = weights, intercept = intercept, normalize = "none")
      repeated <- gomp(x[rows, ], again, intercept = intercept, normalize = "none")
      label <- paste(kind, if (!intercept) "without offset")
      same <- c("kernel", "improvement", "objective", "training_error")
      expect_equal(weighted$path[same], repeated$path[same], tolerance = 1e-8, label = label)
      expect_equal(weighted[c("offset", "C", "primal", "forms")],
                   repeated[c("offset", "C", "primal", "forms")], tolerance = 1e-8, label = label)
      for (steps in c(1, 4)) {
        expect_equal(predict(weighted, x, type = "decision", kernels = steps),
                     predict(repeated, x, type = "decision", kernels = steps), tolerance = 1e-8)
      }
      expect_equal(predict(weighted, type = "decision"), predict(weighted, x, type = "decision"),
                   ignore_attr = TRUE, label = label)
      expect_lt(max(weighted$path$gap), 1e-12)
      expect_lt(duality_gap(weighted, x, y)$gap, 1e-12)
      expect_identical(nobs(weighted), sum(weights > 0))
      if (!intercept) expect_identical(unique(weighted$offset), 0)
    }
  }
})

test_that("weights are ratios, and equal ones are none", {
  weights <- rep(c(1, 0.5, 2), length.out = n)
  one <- gomp(x, z, weights = weights)
  expect_equal(gomp(x, z, weights = 10 * weights)$coefficients, one$coefficients)
  expect_equal(gomp(x, z, weights = rep(3, n))$coefficients, gomp(x, z)$coefficients)
  expect_equal(one$cost / one$C, weights)
  expect_identical(weights(one), weights)
})

test_that("class weights weigh the rows of a class, of each label or class on its own where they must", {
  weights <- rep(c(1, 0.5, 2), length.out = n)
  for (kind in c("two", "several", "labels")) {
    y <- kinds[[kind]]
    signs <- if (is.matrix(y)) 2 * y - 1 else
      vapply(if (kind == "two") "b" else levels(y), function(l) ifelse(y == l, 1, -1), numeric(n))
    own <- class_factors(y)
    named <- weights * if (is.matrix(y)) own[as.character(y)] else own[as.character(y)][row(signs)]
    sides <- matrix(named, n)
    fit <- gomp(x, y, class_weights = own, weights = weights)
    expect_identical(is.matrix(fit$cost), is.matrix(y))
    sides <- sweep(sides, 2, sum(weights) / colSums(sides), `*`)
    judge_weighted(fit, signs, sides)
    expect_lt(max(fit$path$gap), 1e-12)
    balanced <- apply(signs, 2, function(side) {
      weights * sum(weights) / (2 * ifelse(side > 0, sum(weights[side > 0]), sum(weights[side < 0])))
    })
    fit <- gomp(x, y, class_weights = "balanced", weights = weights)
    expect_equal(as.vector(fit$cost / fit$C), as.vector(if (kind == "two") balanced[, 1] else balanced))
    judge_weighted(fit, signs, balanced)
  }
})

test_that("centred kernels and several outputs with weights follow the definition", {
  weights <- rep(c(1, 0.5, 0, 2), length.out = n)
  fit <- gomp(x, kinds$numbers, weights = weights, normalize = c("centre", "multiplicative"))
  expect_equal(unname(fit$offset), unname(colSums(weights * kinds$numbers) / sum(weights)))
  judge_weighted(fit, unname(kinds$numbers), cbind(weights, weights))
})

test_that("folds hold out rows of a fit with weights", {
  weights <- rep(c(1, 0, 2, 1, 3), length.out = n)
  rows <- rep(seq_len(n), weights)
  folds <- rep(1:4, each = 10)
  for (y in kinds[c("several", "number")]) {
    weighted <- gomp(x, y, weights = weights, folds = folds, lambda = c(0.1, 1), normalize = "none")
    repeated <- gomp(x[rows, ], y[rows], folds = folds[rows], lambda = c(0.1, 1), normalize = "none")
    expect_equal(weighted$tuning, repeated$tuning, tolerance = 1e-8)
  }
})

test_that("rows held out don't count in what balances the others", {
  y <- kinds$several
  # most rows of each class are in one fold, without which the balance is another
  folds <- ifelse(seq_len(n) %% 4 == 0, 4, as.integer(y))
  for (weights in list(rep(c(1, 0.5, 2), length.out = n), NULL)) {
    own <- if (is.null(weights)) rep(1, n) else weights
    balanced <- function(rows, ...) {
      gomp(x[rows, ], y[rows], weights = weights[rows], class_weights = "balanced", lambda = 3,
           normalize = "none", ...)
    }
    errors <- vapply(1:4, function(fold) {
      train <- which(folds != fold)
      test <- which(folds == fold)
      fit <- balanced(train)
      vapply(seq_along(fit$order), function(s) {
        sum(own[test] * (predict(fit, x[test, ], kernels = s) != y[test]))
      }, 0)
    }, numeric(7))
    expect_equal(balanced(seq_len(n), folds = folds)$tuning$error, rowSums(errors) / sum(own))
  }
})

test_that("weights go through formulas, cv_mkl() and files", {
  frame <- data.frame(x, z = z, w = rep(c(1, 0.5, 2), length.out = n))
  fit <- mkl_gomp(z ~ X1 + X2 + X3 + X4, frame, kernels = kernels, weights = w, scale = FALSE)
  expect_equal(fit$coefficients, gomp(as.matrix(frame[1:4]), z, weights = frame$w)$coefficients,
               ignore_attr = TRUE)
  cv <- cv_mkl(x, kinds$two, kernels, model = "mkl_gomp", lambda = c(0.1, 1), folds = 3,
               weights = frame$w, class_weights = "balanced", scale = FALSE)
  expect_equal(cv$fit$coefficients, gomp(x, kinds$two, weights = frame$w, class_weights = "balanced",
                                         lambda = cv$best$lambda)$coefficients, ignore_attr = TRUE)
  file <- tempfile(fileext = ".json")
  write_model(fit, file)
  expect_identical(unname(predict(read_model(file), frame[1:5, ])), unname(predict(fit, frame[1:5, ])))
})

test_that("wrong weights are errors that name them", {
  expect_classed <- function(fit, class, argument) {
    error <- expect_error(fit, class = paste0("manykernels_", class))
    expect_identical(error$argument, argument)
  }
  expect_classed(gomp(x, z, weights = 1:3), "length", "weights")
  expect_classed(gomp(x, z, weights = rep(0, n)), "invalid_argument", "weights")
  expect_classed(gomp(x, kinds$two, weights = +(z > 0)), "invalid_argument", "weights")
  expect_classed(gomp(x, kinds$two, class_weights = c(other = 2)), "invalid_argument", "class_weights")
  expect_classed(gomp(x, z, class_weights = c(a = 2)), "invalid_argument", "class_weights")
  expect_classed(gomp(x, z, weights = rep(1:0, c(10, 30)), folds = rep(1:4, each = 10)),
                 "invalid_argument", "weights")
  expect_error(gomp_bound(gomp(x, z, weights = 1:n, intercept = FALSE), x = x),
               class = "manykernels_unsupported")
})
