quiet <- function(...) mkl_control(progress = FALSE, probability = TRUE, ...)

test_that("the sigmoid is the maximum of the penalised likelihood", {
  set.seed(4)
  f <- rnorm(80)
  signs <- ifelse(runif(80) < plogis(2 * f - 0.5), 1, -1)
  fit <- fit_sigmoid(f, signs)
  target <- ifelse(signs > 0, (sum(signs > 0) + 1) / (sum(signs > 0) + 2),
                   1 / (sum(signs < 0) + 2))
  loss <- function(par) {
    p <- 1 / (1 + exp(par[1] * f + par[2]))
    -sum(target * log(p) + (1 - target) * log(1 - p))
  }
  best <- optim(c(0, 0), loss, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(c(fit$A, fit$B), best$par, tolerance = 1e-4)
  expect_equal(sigmoid_loss(c(fit$A, fit$B), f, target), best$value, tolerance = 1e-8)
})

test_that("the sigmoid stays finite on separable and constant decision values", {
  sharp <- fit_sigmoid(c(-1000:-990, 990:1000), rep(c(-1, 1), each = 11))
  expect_true(all(is.finite(unlist(sharp))))
  expect_lt(sharp$A, 0)
  flat <- fit_sigmoid(rep(0, 20), rep(c(-1, 1), 10))
  expect_equal(sigmoid_value(flat, 0), 0.5)
})

test_that("pairwise coupling returns consistent probabilities", {
  p <- c(0.6, 0.3, 0.1)
  r <- outer(p, p, function(a, b) a / (a + b))
  diag(r) <- 0
  expect_equal(couple(r), p)
  pairs <- utils::combn(3, 2)
  second <- rbind(r[t(pairs)[, 2:1]], c(0, 0.5, 1))
  out <- couple_pairs(second, 3)
  expect_equal(out[1, ], p)
  expect_equal(sum(out[2, ]), 1)
  expect_true(all(out >= 0))
})

test_that("coupling minimises its objective over the simplex", {
  set.seed(1)
  r <- matrix(0, 4, 4)
  r[upper.tri(r)] <- runif(6)
  r[lower.tri(r)] <- 1 - t(r)[lower.tri(r)]
  loss <- function(p) sum(vapply(1:4, function(i) sum((r[-i, i] * p[i] - r[i, -i] * p[-i])^2), 0))
  best <- optim(rep(0, 3), function(v) loss(exp(c(0, v)) / sum(exp(c(0, v)))), method = "BFGS",
                control = list(reltol = 1e-14, maxit = 1000))
  expect_equal(loss(couple(r)), best$value, tolerance = 1e-6)
})

test_that("two-class probabilities are reproducible, ordered and calibrated in the large", {
  d <- judge_clouds(100, shift = 1.5)
  make <- function() {
    set.seed(3)
    mkl(d$x, d$y, gaussian_kernel(c(2, 8)), control = quiet())
  }
  fit <- make()
  expect_identical(make()$probability, fit$probability)
  new <- judge_clouds(30, seed = 8)$x
  prob <- predict(fit, new, "prob")
  expect_identical(colnames(prob), levels(d$y))
  expect_equal(rowSums(prob), rep(1, 30))
  expect_identical(order(prob[, "yes"]), order(predict(fit, new, "decision")))
  expect_equal(mean(predict(fit, type = "prob")[, "yes"]), 0.5, tolerance = 0.2)
})

test_that("probabilities of several classes sum to one for every strategy", {
  d <- judge_triangle(60)
  rownames(d$x) <- paste0("r", 1:60)
  for (how in c("ovr", "ovo", "shared")) {
    set.seed(1)
    fit <- mkl(d$x, d$y, gaussian_kernel(c(2, 8)), multiclass = how, control = quiet())
    prob <- predict(fit, d$x[1:10, ], "prob")
    expect_identical(dimnames(prob), list(rownames(d$x)[1:10], levels(d$y)))
    expect_equal(unname(rowSums(prob)), rep(1, 10))
    expect_gt(mean(levels(d$y)[max.col(prob)] == d$y[1:10]), 0.6)
  }
})

test_that("folds are stratified, leave out rows without weight, and need enough cases", {
  problem <- list(response = factor(rep(c("a", "b"), c(23, 10))), cost = matrix(1, 33, 1))
  problem$cost[1:3, 1] <- 0
  folds <- fold_rows(problem)
  expect_identical(folds[1:3], integer(3))
  expect_identical(as.vector(table(folds[4:23])), rep(4L, 5))
  expect_identical(as.vector(table(folds[24:33])), rep(2L, 5))
  d <- judge_clouds(30)
  few <- c(which(d$y == "no"), which(d$y == "yes")[1:4])
  expect_snapshot(error = TRUE, cnd_class = TRUE,
                  mkl(d$x[few, ], d$y[few], gaussian_kernel(2), control = quiet()))
  expect_classed(mkl(d$x[few, ], d$y[few], gaussian_kernel(2), control = quiet()),
                 "too_few", "probability")
})
