# Matching pursuit with the hinge and the logistic loss against their definition.

gomp <- function(x, y, kernels, ..., control = quiet()) {
  mkl_gomp(x, y, kernels, ..., control = control, scale = FALSE)
}

few_kernels <- function() c(gaussian_kernel(c(1, 4)), per_feature(linear_kernel()))

signs_of <- function(y) {
  if (is.matrix(y)) return(2 * y - 1)
  if (nlevels(y) == 2) return(matrix(2 * (as.integer(y) - 1.5)))
  vapply(levels(y), function(l) ifelse(y == l, 1, -1), numeric(length(y)))
}

# Every step by its definition: feasible dual variables, both values of the problem on the sum of the chosen
# kernels, and the next kernel by the norms of the gradient.
expect_pursuit <- function(fit, Ks, target, tol = fit$control$tol) {
  cost <- matrix(fit$cost, nrow(target), ncol(target))
  for (s in fit$path$step) {
    K <- Reduce(`+`, Ks[fit$order[seq_len(s)]])
    alpha <- matrix(fit$coefficients[, , s], nrow(target))
    expect_true(all(alpha * target >= 0 & abs(alpha) <= cost * (1 + 1e-12)))
    if (fit$intercept) expect_lt(max(abs(colSums(alpha))), 1e-8 * max(cost)) else expect_true(all(fit$offsets == 0))
    f <- sweep(K %*% alpha, 2, fit$offsets[, s], "+")
    expect_equal(unname(as.matrix(predict(fit, type = "decision", kernels = s))), unname(f), tolerance = 1e-7)
    primal <- sum(cost * mapply(judge_loss, fit$loss, f, target)) + sum(alpha * (K %*% alpha)) / 2
    dual <- sum(mapply(judge_gain, fit$loss, alpha, target, cost)) - sum(alpha * (K %*% alpha)) / 2
    expect_equal(fit$path$objective[s], dual, tolerance = 1e-6)
    expect_lt(abs((primal - dual) / primal - fit$path$gap[s]), 1e-6)
    expect_lte(fit$path$gap[s], tol)
    if (s == nrow(fit$path)) next
    norms <- 2 * fit$lambda * vapply(Ks, function(K) sqrt(sum(alpha * (K %*% alpha))), 0)
    norms[fit$order[seq_len(s)]] <- -Inf
    expect_identical(fit$order[s + 1], unname(which.max(norms)))
    expect_equal(fit$path$gradient[s + 1], max(norms), tolerance = 1e-7)
  }
}

test_that("three classes by hand: one kernel for all by the norm over classes", {
  v <- c(1, -1, 0)
  u <- c(1.5, 0, 0)
  y <- factor(1:3)
  K <- precomputed_kernel(list(b = tcrossprod(u), a = tcrossprod(v)))
  # C = 1/3. The norms by class are (2, 2, 0) for a and 1.5 for b: the group norm takes a, their sum would take
  # b. At f = 2/3 v of the first class all variables are still at their bounds.
  fit <- gomp(NULL, y, K, lambda = 0.5, normalize = "none", intercept = FALSE, loss = "hinge")
  expect_identical(fit$path$kernel, c("a", "b"))
  expect_equal(fit$path$gradient, sqrt(c(8, 6.75)) / 3)
  expect_equal(fit$path$objective[1], 7/9 + 7/9 + 1, tolerance = 1e-3)
  expect_equal(unname(predict(fit, type = "decision", kernels = 1)), cbind(v, -v, 0) * 2/3,
               tolerance = 1e-6, ignore_attr = TRUE)
  half <- gomp(NULL, y, K, lambda = 0.5, normalize = "none", intercept = FALSE, loss = "logistic")
  expect_equal(half$path$gradient[1], sqrt(8) / 6)
})

test_that("two classes by hand: the best constant comes first", {
  # three rows against one: the variables are (1, 1, 1, -3) C/3, and half of it times 3/2 for the logistic loss
  K <- precomputed_kernel(list(a = diag(c(1, 1, 1, 0)), b = diag(c(0, 0, 0, 1))))
  for (loss in c("hinge", "logistic")) {
    fit <- gomp(NULL, c(1, 1, 1, -1), K, lambda = 0.125, normalize = "none", loss = loss)
    expect_equal(fit$path$gradient[1], if (loss == "hinge") 1/4 else 3/16)
    expect_identical(fit$path$kernel[1], "b")
  }
})

test_that("paths are those of the definition, for classes, labels, weights and scalings", {
  skip_unless_slow()
  two <- judge_clouds(40)
  three <- judge_triangle(45)
  labels <- cbind(a = as.integer(three$y == levels(three$y)[1]), b = as.integer(three$x[, 2] > 0))
  weights <- rep(c(0, 1, 2.5), each = 15)
  for (loss in c("hinge", "logistic")) {
    for (how in list("multiplicative", c("centre", "spherical"))) {
      Ks <- kernel_matrix(few_kernels(), two$x, normalize = how)
      fit <- gomp(two$x, two$y, few_kernels(), loss = loss, lambda = 0.02, normalize = how)
      expect_pursuit(fit, Ks, signs_of(two$y))
      expect_equal(fit$C, 1 / (2 * 0.02 * 40))
      expect_equal(fit$gap, duality_gap(fit, two$x, two$y)$gap, tolerance = 1e-4)
    }
    Ks <- kernel_matrix(few_kernels(), three$x, normalize = "multiplicative")
    fit <- gomp(three$x, three$y, few_kernels(), loss = loss, weights = weights, intercept = FALSE)
    expect_pursuit(fit, Ks, signs_of(three$y))
    expect_equal(fit$cost, weights / (0.2 * sum(weights)))
    fit <- gomp(three$x, three$y, few_kernels(), loss = loss, weights = weights, class_weights = "balanced")
    expect_pursuit(fit, Ks, signs_of(three$y))
    expect_lte(duality_gap(fit, three$x)$gap, fit$control$tol)
    expect_pursuit(gomp(three$x, labels, few_kernels(), loss = loss, type = "classification"), Ks,
                   signs_of(labels))
  }
})

test_that("a step is mkl() with p = Inf over its kernels", {
  d <- judge_clouds(60)
  fit <- gomp(d$x, d$y, few_kernels(), loss = "logistic", lambda = 0.01, max_kernels = 3, control = quiet(tol = 1e-8))
  Ks <- kernel_matrix(few_kernels(), d$x, normalize = "multiplicative")
  other <- mkl(NULL, d$y, precomputed_kernel(Ks[fit$order]), p = Inf, C = fit$C, loss = "logistic", scale = FALSE,
               normalize = "none", control = quiet(tol = 1e-8))
  expect_equal(fit$objective, other$objective, tolerance = 1e-7)
  expect_equal(fit$offset, other$offset, tolerance = 1e-3)
  new <- judge_clouds(10, seed = 3)$x
  expect_equal(unname(predict(fit, new, type = "decision")),
               unname(as.vector(predict(gomp(d$x, d$y, few_kernels(), loss = "logistic", lambda = 0.01,
                                             control = quiet(tol = 1e-8)), new, type = "decision", kernels = 3))))
})

test_that("folds fit the training rows alone, and cv_mkl() chooses the number of kernels", {
  d <- judge_clouds(60)
  Ks <- kernel_matrix(few_kernels(), d$x, normalize = "multiplicative")
  fold <- rep(1:3, 20)
  fit <- gomp(NULL, d$y, precomputed_kernel(Ks), loss = "hinge", lambda = c(0.01, 1), folds = fold,
              normalize = "none", max_kernels = 3)
  wrong <- vapply(1:3, function(k) {
    own <- fold != k
    part <- gomp(NULL, d$y[own], precomputed_kernel(lapply(Ks, `[`, own, own)), loss = "hinge", lambda = 1,
                 normalize = "none", max_kernels = 3)
    vapply(1:3, function(s) sum(predict(part, lapply(Ks, `[`, !own, own), kernels = s) != d$y[!own]), 0)
  }, numeric(3))
  expect_equal(fit$tuning$error[fit$tuning$lambda == 1], rowSums(wrong) / 60)
  cv <- cv_mkl(d$x, d$y, few_kernels(), model = "mkl_gomp", loss = "hinge", lambda = c(0.01, 0.1),
               max_kernels = c(1, 3), folds = fold, control = quiet())
  expect_identical(cv$fit$loss, "hinge")
  expect_identical(cv$fit$selected, as.integer(cv$best$max_kernels))
})

test_that("fits travel, draw candidates, plot, and end where they are told", {
  d <- judge_triangle(45)
  fit <- gomp(d$x, d$y, few_kernels(), loss = "hinge", max_kernels = 3)
  file <- withr::local_tempfile()
  write_model(fit, file)
  again <- read_model(file)
  for (s in 1:3) {
    expect_equal(predict(again, d$x, type = "decision", kernels = s),
                 predict(fit, d$x, type = "decision", kernels = s), ignore_attr = TRUE)
  }
  none <- gomp(d$x, d$y, few_kernels(), loss = "hinge", epsilon = fit$path$gradient[1])
  expect_identical(nrow(none$path), 0L)
  expect_identical(duality_gap(none, d$x)$dual, none$objective)
  set.seed(1)
  drawn <- gomp(d$x, d$y, few_kernels(), loss = "hinge", candidates = 1)
  expect_setequal(drawn$order, seq_along(drawn$theta))
  withr::local_pdf(NULL)
  expect_identical(plot(fit), fit)
  expect_output(print(fit), "hinge loss, lambda = 0.1")
  expect_warning(late <- gomp(d$x, d$y, few_kernels(), loss = "hinge", control = quiet(max_time = 1e-9)),
                 class = "manykernels_warning_not_converged")
  expect_identical(nrow(late$path), 0L)
  expect_identical(unname(as.integer(predict(late))), rep(1L, 45))
})

test_that("losses and responses that cannot be are refused", {
  d <- judge_clouds(20)
  expect_classed(mkl_gomp(d$x, d$x[, 1], linear_kernel(), loss = "hinge"), "unsupported", "loss")
  expect_classed(mkl_gomp(d$x, d$y, linear_kernel(), loss = "huber"), "invalid_argument", "loss")
  expect_classed(mkl_gomp(d$x, d$y, linear_kernel(), loss = huber_loss()), "invalid_argument", "loss")
  expect_classed(cv_mkl(d$x, d$y, linear_kernel(), model = "mkl_gomp", loss = "squared_hinge"),
                 "invalid_argument", "loss")
  fit <- mkl_gomp(d$x, d$y, linear_kernel(), loss = "hinge")
  expect_classed(predict(fit, type = "prob"), "no_probability", "type")
  expect_classed(gomp_bound(fit, x = d$x), "unsupported", "s")
  expect_classed(risk_bound(fit), "unsupported", "fit")
  expect_classed(support(fit), "unsupported", "object")
})
