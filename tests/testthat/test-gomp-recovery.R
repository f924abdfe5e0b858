# What is proved about group matching pursuit: recovery of the right kernels, and the risk bound.

gomp <- function(x, y, kernels, ..., control = quiet()) {
  mkl_gomp(x, y, kernels, ..., control = control, scale = FALSE)
}

# ---- recovery ------------------------------------------------------------------------------------

# The coherence as it is printed, order of factors put right: the largest of sum_i |A_i v|, by ascent from many
# vectors v.
judge_coherence <- function(Ks, good, delta) {
  root <- function(A) {
    e <- eigen((A + t(A)) / 2, TRUE)
    e$vectors %*% (sqrt(pmax(e$values, 0)) * t(e$vectors))
  }
  Q <- lapply(Ks, function(K) root(K %*% solve(K + diag(delta, nrow(K)))))
  K_G <- Reduce(`+`, Ks[good])
  middle <- Reduce(`+`, lapply(Q[good], function(q) K_G %*% q %*% q %*% K_G))
  e <- eigen((middle + t(middle)) / 2, TRUE)
  kept <- e$values > 1e-9 * max(e$values)
  inverse <- e$vectors[, kept, drop = FALSE] %*%
    (t(e$vectors[, kept, drop = FALSE]) / e$values[kept])
  vapply(setdiff(seq_along(Ks), good), function(j) {
    A <- lapply(good, function(i) Q[[i]] %*% K_G %*% inverse %*% K_G %*% Q[[j]])
    starts <- cbind(do.call(cbind, lapply(A, function(a) svd(a)$v[, 1:2])), svd(do.call(rbind, A))$v)
    max(apply(starts, 2, function(v) {
      for (turn in 1:300) {
        lengths <- vapply(A, function(a) sqrt(sum((a %*% v)^2)), 0)
        step <- Reduce(`+`, Map(function(a, l) if (l > 1e-12) crossprod(a, a %*% v) / l else 0 * v, A, lengths))
        if (sum(step^2) == 0) break
        v <- step / sqrt(sum(step^2))
      }
      sum(vapply(A, function(a) sqrt(sum((a %*% v)^2)), 0))
    }))
  }, 0)
}

# The coherence is an upper bound of a maximum, which is no convex problem.
expect_coherent <- function(found, truth) {
  expect_true(all(found$coherence >= truth * (1 - 1e-6)) && all(found$coherence <= truth * 1.15))
  expect_true(found$attained <= max(truth) * (1 + 1e-6) && found$attained >= max(truth) * 0.95)
}

test_that("the coherence is the paper's", {
  d <- judge_clouds(12, 6)
  kernels <- c(per_feature(linear_kernel()),
               on_features(polynomial_kernel(2), list(p = 1:2)))
  Ks <- kernel_matrix(kernels, d$x)
  found <- gomp_recovery(kernels, d$x, good = c("linear[v2]", "linear[v5]"), lambda = 0.2,
                         normalize = "none")
  expect_coherent(found, judge_coherence(unname(Ks), c(2, 5), 0.2 * 12))
  expect_identical(names(found$coherence), names(Ks)[-c(2, 5)])
  expect_equal(found$value, max(found$coherence))
  expect_equal(gomp_recovery(kernels, d$x, c(2, 5), 0.2, "none")$value, found$value)
})

test_that("rounding of kernels of low rank is not taken for rank", {
  skip_unless_slow()
  set.seed(4)
  for (k in 1:60) {
    n <- sample(5:9, 1)
    Ks <- lapply(1:5, function(m) tcrossprod(matrix(rnorm(n * sample(2, 1)), n)))
    names(Ks) <- paste0("k", 1:5)
    lambda <- 10^runif(1, -2, 1)
    found <- gomp_recovery(precomputed_kernel(Ks), NULL, 1:2, lambda, "none")
    expect_coherent(found, judge_coherence(Ks, 1:2, lambda * n))
  }
})

test_that("below 1 it bounds every bad improvement by the best good one, at every step", {
  set.seed(2)
  seen <- steps <- 0
  while (seen < 40) {
    n <- sample(8:14, 1)
    good <- seq_len(sample(2, 1))
    width <- sample(2, 4, replace = TRUE)
    x <- matrix(rnorm(n * sum(width)), n)
    sets <- split(seq_len(sum(width)), rep(1:4, width))
    kernels <- on_features(linear_kernel(), sets)
    lambda <- 10^runif(1, -3, 0)
    bound <- gomp_recovery(kernels, x, good, lambda)
    if (!bound$first_step) next
    seen <- seen + 1
    Ks <- unname(kernel_matrix(kernels, x, normalize = "multiplicative"))
    y <- Reduce(`+`, Ks[good]) %*% rnorm(n)
    fit <- gomp(x, drop(y), kernels, lambda = lambda, intercept = FALSE)
    delta <- lambda * n
    residual <- y
    for (s in seq_len(nrow(fit$path))) {
      offers <- vapply(Ks, function(K) sum(residual * (K %*% solve(K + diag(delta, n), residual))),
                       0)
      expect_true(sqrt(max(offers[-good])) <= bound$value * sqrt(max(offers[good])) * (1 + 1e-8))
      best <- good[which.max(offers[good])]
      if (best %in% fit$order[seq_len(s - 1)]) break # from here on nothing is claimed
      expect_identical(fit$order[s], best)
      steps <- steps + 1
      residual <- y - Reduce(`+`, Ks[fit$order[seq_len(s)]]) %*% fit$coefficients[, , s]
    }
  }
  expect_gt(steps, seen)
})

test_that("the printed theorem claims more: a bad kernel at the second step, by hand", {
  x <- cbind(good1 = c(1, 0, 0), good2 = c(0, 1, 0), bad = c(0.6, 0, 0.8))
  kernels <- per_feature(linear_kernel())
  bound <- gomp_recovery(kernels, x, 1:2, 1 / 3, "none")
  expect_equal(unname(bound$coherence), 0.6)
  fit <- gomp(x, c(1, 0.1, 0), kernels, lambda = 1 / 3, normalize = "none", intercept = FALSE)
  expect_identical(fit$path$kernel[1:2], c("linear[good1]", "linear[bad]"))
  expect_equal(fit$path$improvement[1:2], c(1 / 2, 0.3^2 / 2))
  # what is proved holds: the largest good improvement is at the kernel taken already
  expect_lt(0.3^2 / 2, 0.6^2 * 0.5^2 / 2 + 1e-15)
})

test_that("a recovery prints what is proved", {
  set.seed(3)
  x <- matrix(rnorm(600), 100)
  expect_snapshot(gomp_recovery(per_feature(linear_kernel()), x, 1:2))
  expect_snapshot(gomp_recovery(gaussian_kernel(c(5, 10)), x, 1))
})

# ---- risk bound ----------------------------------------------------------------------------------

test_that("the bound for chosen kernels counts the sets they are chosen from", {
  # a kernel for every sign vector up to its sign: one of them agrees with the random signs
  n <- 5
  signs <- t(cbind(1, as.matrix(expand.grid(rep(list(c(-1, 1)), n - 1)))))
  all <- precomputed_kernel(apply(signs, 2, tcrossprod, simplify = FALSE))
  together <- empirical_rademacher(all, NULL, 1, draws = Inf, normalize = "none")$value
  expect_equal(together, 1)
  expect_gt(together, rademacher_bound(Inf, 1, n, 1, "gomp")$value)
  one <- gomp_bound(3, 1, 2, 1000, delta = 0.1)
  chosen <- gomp_bound(3, 1, 2, 1000, delta = 0.1, M = 20)
  expect_equal(chosen$terms$complexity, one$terms$complexity)
  expect_equal(chosen$terms$confidence,
               4 * (1 + sqrt(6))^2 * sqrt((log(30) + log(choose(20, 3))) / 2000))
  expect_equal(gomp_bound(3, 1, 2, 1000, M = 3)$value, gomp_bound(3, 1, 2, 1000)$value)
  expect_classed(gomp_bound(3, 1, 2, 1000, M = 2), "invalid_argument", "M")
})

test_that("the bound of a fit is made of its own numbers", {
  d <- judge_clouds(80)
  kernels <- c(gaussian_kernel(c(1, 4)), linear_kernel())
  fit <- gomp(d$x, d$y, kernels, max_kernels = 2)
  bound <- gomp_bound(fit, x = d$x)
  Ks <- kernel_matrix(kernels, d$x, normalize = "multiplicative")
  norm <- sum(fit$alpha * (Reduce(`+`, Ks[fit$order]) %*% fit$alpha))
  tau <- 2^ceiling(log2(norm))
  kappa <- max(vapply(Ks, function(K) max(diag(K)), 0))
  expected <- gomp_bound(2, kappa, tau, 80, 1, 0.05 * 2^(-2 - abs(log2(tau))) / 3, M = 3)
  expect_equal(bound$terms$tau, tau)
  expect_equal(bound$terms$empirical, mean(residuals(fit)^2))
  expect_equal(bound$value, expected$value + mean(residuals(fit)^2))
  expect_output(print(bound), "empirical")
  withr::with_options(list(width = 60), expect_output(print(bound), format(bound$value, digits = 4)))
  expect_classed(gomp_bound(gomp(d$x, d$x[, 1], kernels), x = d$x), "unsupported", "s")
})

test_that("wrong arguments of a recovery are errors that name them", {
  d <- judge_clouds(20)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    gomp_recovery(linear_kernel(), d$x, 1)
    gomp_recovery(gaussian_kernel(1:2), d$x, "linear")
    gomp_recovery(gaussian_kernel(1:2), d$x, 3)
    gomp_recovery(gaussian_kernel(1:2), d$x, 1, lambda = 0)
  })
})
