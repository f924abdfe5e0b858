# Bounds from numbers alone: values by hand, limits, order, and wrong arguments.

constant <- 23 / 22
grid <- c(1, 32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, 8, Inf)

test_that("Corollary 9 by hand", {
  # M = 10: ceil(log 10) = 3; p = 4/3: p* = 4, M^(1/4) = sqrt(sqrt(10)); p = 4: p* = 4/3, ceil 2
  value <- rademacher_bound(c(1, 4 / 3, 2, 4, Inf), 10, 50, 2)$value
  expect_equal(value, 2 * sqrt(constant / 50 * c(
    3 * exp(1), sqrt(sqrt(10)) * 4, sqrt(10) * 2, 10^0.75 * 2, 10 * 2
  )), tolerance = 1e-14)
  # the logarithm where it is the smaller one: p* = 16, M = 10
  expect_equal(rademacher_bound(16 / 15, 10, 50, 1)$value,
               sqrt(constant / 50 * 10^(1 / 16) * 3 * exp(1)))
  # M = 2: ceil(log 2) = 1
  expect_equal(rademacher_bound(c(1, 2, Inf), 2, 1, 1)$value,
               sqrt(constant * c(exp(1), sqrt(2) * 2, 2 * 2)))
  # sizes beyond what can be stored
  expect_equal(rademacher_bound(Inf, 1e10, 1e12, 1)$value, sqrt(constant * 2e-2))
  expect_equal(bound_by_norm(1e10, 1e12, scenario = "sparse", p = Inf)$terms$complexity,
               4 * sqrt(constant * 2e-2))
  # M = 1: one class for all p
  expect_equal(rademacher_bound(c(1, 1.01, 2, Inf), 1, 1, 1)$value, rep(sqrt(2 * constant), 4))
})

test_that("the other bounds by hand", {
  expect_equal(rademacher_bound(c(1, 2, Inf), 10, 50, 1, "kloft_2010")$value,
               sqrt(constant * 3 * exp(1) * c(1, sqrt(10), 10) / 50))
  # Theorem 8: first part; second part with p* = 2, 4, 6; carried over from q = 1
  expect_equal(rademacher_bound(1, 10, 50, 1, "cortes")$value, sqrt(constant * exp(1) * 3 / 50))
  p <- c(2, 4 / 3, 6 / 5)
  expect_equal(rademacher_bound(p, 10, 50, 1, "cortes", q = p)$value,
               sqrt(constant * c(2, 4, 6) * 10^(1 / c(2, 4, 6)) / 50))
  expect_equal(rademacher_bound(3, 10, 50, 1, "cortes")$value,
               10^(1 / 3) * sqrt(constant * exp(1) * 3 / 50))
  expect_equal(rademacher_bound(Inf, 10, 50, 3, "gomp")$value, 3 * sqrt(10 / 50))
  g <- gomp_bound(s = 4, kappa = 2, tau = 0.5, n = 100, y_max = 1, delta = 0.1)
  expect_equal(g$terms$rademacher, sqrt(4 * 2 * 0.5 / 100))
  expect_equal(g$value, 8 * 3 * 0.2 + 4 * 9 * sqrt(log(30) / 200))
})

test_that("limits and order are those of the theory", {
  at <- function(p, M = 20, n = 100, type = "kloft") rademacher_bound(p, M, n, 1, type)$value
  expect_equal(at(1 + 1e-9), at(1), tolerance = 1e-7)
  expect_equal(at(1e9), at(Inf), tolerance = 1e-7)
  expect_equal(at(grid, n = 400), at(grid, n = 100) / 2)
  expect_true(all(diff(at(grid, type = "kloft_2010")) > 0))
  for (p in grid) {
    expect_true(all(diff(at(rep(p, 999), M = 2:1000)) >= 0))
    expect_true(all(diff(at(rep(p, 99), n = 2:100)) < 0))
  }
  # beyond p = 2 the exponent p* counts as 2, and the bound grows with p
  expect_true(all(diff(at(c(2, 2.5, 3, 10, 100, Inf))) > 0))
})

test_that("Corollary 9 is below both of its parents, and equal to the smaller one", {
  for (M in c(2, 3, 10, 1000)) {
    for (dual in c(2, 4, 6, 10, 40)) { # ceil(p*)
      q <- dual / (dual - 1)
      exponents <- dual - c(0, 0.5, 0.99)
      for (p in c(exponents / (exponents - 1), if (dual == 2) Inf)) {
        own <- rademacher_bound(p, M, 30, 1)$value
        parents <- c(rademacher_bound(p, M, 30, 1, "cortes", q = 1)$value,
                     rademacher_bound(p, M, 30, 1, "cortes", q = min(q, p))$value)
        expect_equal(own, min(parents), tolerance = 1e-12)
        expect_lte(own, rademacher_bound(p, M, 30, 1, "kloft_2010")$value * (1 + 1e-12))
      }
    }
  }
})

test_that("Theorem 6 and Remark 7 carry over by what they say", {
  expect_equal(rademacher_convert(2, 16, 1, 2)$value, 2 * sqrt(16^0.5))
  expect_equal(rademacher_convert(2, 16, 2, Inf)$value, 2 * sqrt(16^0.5))
  expect_equal(rademacher_convert(c(1, 2), 16, 4 / 3, 4)$value, c(1, 2) * sqrt(16^0.5))
  expect_equal(rademacher_convert(2, 16, 2, 1)$value, 2)
  expect_equal(rademacher_convert(1, 7, 3, 3)$value, 1)
  # lp-norms are block norms with q = 2p/(p + 1)
  expect_equal(rademacher_convert(1, 9, 1, block_norm(4 / 3))$value,
               rademacher_convert(1, 9, 1, 2)$value)
  expect_equal(rademacher_convert(1, 9, 1, block_norm(Inf))$value, 9)
  expect_equal(rademacher_convert(1, 9, 2, lp_norm(4, rep(1, 9)))$value,
               rademacher_convert(1, 9, 2, 4)$value)
  # the elastic net between p = 1 and p = Inf
  expect_equal(rademacher_convert(1, 9, 1, elastic_net_norm(0))$value, 1)
  expect_equal(rademacher_convert(1, 9, 1, elastic_net_norm(1))$value, 3)
  expect_equal(rademacher_convert(1, 9, 1, elastic_net_norm(0.5))$value, 1 / sqrt(0.5 + 0.5 / 9))
  expect_equal(rademacher_convert(1, 9, elastic_net_norm(0), Inf)$value, 3)
  # p = 2, lambda = 0.8: four of the nine alike are the worst, 4^(3/4) / sqrt(0.2 * 16 + 0.8 * 4)
  expect_equal(rademacher_convert(1, 9, 2, elastic_net_norm(0.8))$value, 4^0.75 / sqrt(6.4))
  expect_equal(rademacher_convert(1, 9, elastic_net_norm(0.5), Inf)$value, sqrt(0.5 * 9 + 0.5))
})

test_that("weights with names are compared by name; many kernels take no memory", {
  one <- lp_norm(1, c(a = 1, b = 4))
  expect_identical(rademacher_convert(1, 2, one, lp_norm(1, c(b = 4, a = 1)))$value, 1)
  expect_equal(rademacher_convert(1, 2, one, lp_norm(1, c(1, 1)))$value, 2)
  expect_error(rademacher_convert(1, 2, one, lp_norm(1, c(a = 1, c = 4))),
               class = "manykernels_names")
  expect_equal(rademacher_convert(1, 1e12, 1, 2)$value, 1e3)
})

# The root of the least sum u^2 / theta over theta'E^-1 theta <= 1, from many starts.
judge_quadratic <- function(E, u) {
  inverse <- solve(E)
  value <- function(v) {
    theta <- exp(v)
    sum(theta * (inverse %*% theta))^0.5 * sum(u^2 / theta)
  }
  best <- list(par = log(u + 1e-3))
  for (method in c("BFGS", "Nelder-Mead", "BFGS")) {
    best <- stats::optim(best$par, value, method = method, control = list(maxit = 3000, reltol = 1e-13))
  }
  sqrt(best$value)
}

# N(from) / N(to) at many points never exceeds the constant, and comes close where it is exact.
test_that("the constants are the largest ratios of the norms", {
  skip_unless_slow()
  M <- 5
  size <- function(norm, u) {
    if (is.numeric(norm)) norm <- lp_norm(norm)
    if (norm$type == "quadratic") return(judge_quadratic(norm$E, u))
    q <- if (norm$type == "block") norm$q else if (identical(norm$p, Inf)) 2 else
      2 * norm$p / (norm$p + 1)
    if (norm$type == "elastic_net") {
      return(sqrt((1 - norm$lambda) * sum(u)^2 + norm$lambda * sum(u^2)))
    }
    if (!is.null(norm$weights)) u <- u * norm$weights^(1 / (2 * norm$p))
    if (is.infinite(q)) max(u) else sum(u^q)^(1 / q)
  }
  d <- c(0.2, 1, 1, 3, 9)
  norms <- list(1, 4 / 3, Inf, lp_norm(2, d), lp_norm(1.2, rev(d)), block_norm(3), block_norm(Inf),
                elastic_net_norm(0.3), elastic_net_norm(0.9), quadratic_norm(diag(M) + 0.5),
                quadratic_norm(tcrossprod(matrix(sin(1:25), 5)) + diag(0.2, M)))
  exact <- function(norm) is.numeric(norm) || norm$type %in% c("lp", "block")
  set.seed(2)
  points <- c(lapply(1:300, function(k) abs(rnorm(M))^sample(c(0.2, 1, 5), 1)),
              lapply(1:31, function(k) as.numeric(bitwAnd(k, 2^(0:4)) > 0)))
  sizes <- lapply(norms, function(norm) vapply(points, function(u) size(norm, u), 0))
  for (i in seq_along(norms)) for (j in seq_along(norms)) {
    from <- norms[[i]]
    to <- norms[[j]]
    constant <- rademacher_convert(1, M, from, to)$value
    ratios <- sizes[[i]] / sizes[[j]]
    expect_lte(max(ratios), constant * (1 + 1e-12))
    if (!exact(from) || !exact(to) || max(ratios) > constant * 0.99) next
    climb <- optim(log(points[[which.max(ratios)]] + 1e-4),
                   function(v) -size(from, exp(v)) / size(to, exp(v)), control = list(maxit = 3000))
    expect_gt(-climb$value, constant * 0.99)
  }
})

test_that("factors of quadratic norms by hand", {
  E <- matrix(c(1, 0.5, 0.5, 2), 2)
  # p = 1: the largest theta_1 + theta_2 on the ellipse is sqrt(1'E 1) = 2, where both are positive
  expect_equal(rademacher_convert(1, 2, 1, quadratic_norm(E))$value, sqrt(2))
  # p = Inf: the largest theta_m is sqrt(E_mm)
  expect_equal(rademacher_convert(1, 2, Inf, quadratic_norm(E))$value, 2^0.25)
  # back: at (1, 1), (1'E^-1 1) = 2/1.75; at a corner 1/sqrt(E_mm) = 1, as E has no negative entries
  expect_equal(rademacher_convert(1, 2, quadratic_norm(E), Inf)$value, (2 / 1.75)^0.25)
  expect_equal(rademacher_convert(1, 2, quadratic_norm(E), 1)$value, 1)
  # the identity is p = 2
  for (p in grid) {
    expect_equal(rademacher_convert(1, 3, p, quadratic_norm(diag(3)))$value, rademacher_convert(1, 3, p, 2)$value)
    expect_equal(rademacher_convert(1, 3, quadratic_norm(diag(3)), p)$value, rademacher_convert(1, 3, 2, p)$value)
  }
  named <- structure(E, dimnames = rep(list(c("a", "b")), 2))
  expect_equal(rademacher_convert(1, 2, quadratic_norm(named), quadratic_norm(named[2:1, 2:1]))$value,
               rademacher_convert(1, 2, quadratic_norm(E), quadratic_norm(E))$value)
  expect_error(rademacher_convert(1, 2, quadratic_norm(named), lp_norm(2, c(a = 1, c = 1))),
               class = "manykernels_names")
  expect_error(rademacher_convert(1, 3, 1, quadratic_norm(E)), "3 rows", class = "manykernels_length")
})

test_that("the moments that Theorem 8 needs hold for odd exponents, too", {
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), 8)))
  set.seed(3)
  for (k in 1:20) {
    K <- tcrossprod(matrix(rnorm(8 * (1 + k %% 3)), 8))
    forms <- rowSums((signs %*% K) * signs)
    for (r in 1:9) expect_lte(mean(forms^r), prod(2 * seq_len(r) - 1) * sum(diag(K))^r * (1 + 1e-9))
  }
  r <- 1:150
  expect_true(all(cumsum(log(2 * r - 1)) <= r * log(constant * r)))
  # q* = 3 and 1
  expect_equal(rademacher_bound(c(1.5, Inf), 8, 50, 1, "cortes", q = c(1.5, Inf))$value,
               sqrt(constant * c(3 * 2, 8) / 50))
})

test_that("the two cases of section 5.1", {
  b <- bound_by_norm(M = 100, n = 1e4, R = 2, p = c(1, 2, Inf), lipschitz = 3, delta = 0.1)
  uniform <- b$terms[b$terms$scenario == "uniform", ]
  sparse <- b$terms[b$terms$scenario == "sparse", ]
  # the powers of M cancel: M^2 c R^2 min(...) / n for every p
  expect_equal(uniform$complexity, 4 * 3 * 2 * 100 * sqrt(constant * c(exp(1) * 5, 2, 2) / 1e4))
  expect_equal(sparse$complexity, 12 * rademacher_bound(c(1, 2, Inf), 100, 1e4, 2)$value)
  expect_equal(b$terms$confidence, rep(sqrt(log(20) / 2e4), 6))
  expect_equal(b$best, c(uniform = 2, sparse = 1))
  expect_equal(b$value, b$terms$complexity + b$terms$confidence)
  expect_equal(bound_by_norm(100, 1e4, scenario = "sparse")$best, c(sparse = 4 / 3))
})

test_that("M, n and R come from data", {
  d <- judge_clouds(20)
  kernels <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  from_data <- rademacher_bound(2, kernels = kernels, x = d$x)
  K <- lapply(list(judge_linear(d$x), judge_gaussian(d$x), judge_gaussian(d$x, width = 4)),
              function(K) judge_normalize(K)$train)
  R <- sqrt(max(vapply(K, function(K) max(diag(K)), 0)))
  expect_equal(from_data$value, rademacher_bound(2, 3, 20, R)$value)
  for (how in c("spherical", "none", "trace")) {
    bound <- rademacher_bound(1, kernels = per_feature(linear_kernel()), x = d$x, normalize = how)
    K <- lapply(1:3, function(j) judge_normalize(judge_linear(d$x[, j, drop = FALSE]), how)$train)
    expect_equal(bound$terms$R, sqrt(max(vapply(K, function(K) max(diag(K)), 0))))
  }
})

test_that("objects print their numbers and sources", {
  expect_snapshot({
    rademacher_bound(c(1, 2, Inf), M = 10, n = 100, R = 1)
    rademacher_convert(0.5, 10, 1, block_norm(3))
    gomp_bound(2:3, 1, 1, 1e6)
    bound_by_norm(10, 1000, p = c(1, 2))
    elastic_net_norm(0.25)
    lp_norm(2, 1:3)
  })
})

test_that("wrong arguments are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    rademacher_bound(0.5, 10, 100, 1)
    rademacher_bound(2, 2.5, 100, 1)
    rademacher_bound(2, 10, 0, 1)
    rademacher_bound(2, 10, 100, -1)
    rademacher_bound(2, 10, 100, NaN)
    rademacher_bound("2", 10, 100, 1)
    rademacher_bound(c(1, 2), 10, c(1, 2, 3), 1)
    rademacher_bound(2, 10, 100, 1, "best")
    rademacher_bound(2, 10, 100, 1, q = 2)
    rademacher_bound(1.4, 10, 100, 1, "cortes", q = 1.4)
    rademacher_bound(1.5, 10, 100, 1, "cortes", q = 2)
    rademacher_bound(2, 1, 100, 1, "cortes")
    rademacher_bound(2, 10, 100, 1, "gomp")
    rademacher_bound(2, 10, kernels = gaussian_kernel(1), x = matrix(1:4, 2))
    rademacher_bound(2, kernels = "gaussian", x = matrix(1:4, 2))
    rademacher_bound(2, 10, 100)
    rademacher_bound(2)
    rademacher_convert(1, 10, 0, 2)
    rademacher_convert(1, 10, "l1", 2)
    rademacher_convert(1, 10, 1, lp_norm(2, 1:3))
    rademacher_convert(1, 10, structure(1, class = "mkl_norm"), 2)
    rademacher_convert(1, 10, 1, structure(list(type = "block", q = 0), class = "mkl_norm"))
    rademacher_convert(-1, 10, 1, 2)
    gomp_bound(0, 1, 1, 10)
    gomp_bound(1, 1, 1, 10, delta = 1)
    bound_by_norm(1, 10)
    bound_by_norm(10, 10, scenario = "dense")
    elastic_net_norm(2)
    lp_norm(2, c(1, 0))
    block_norm(NA)
  })
})

test_that("numbers of rows beyond integers print", {
  expect_output(print(bound_by_norm(5, 1e15)), "n = 1,000,000,000,000,000 rows", fixed = TRUE)
  expect_output(print(bound_by_norm(1e15, 5)), "M = 1,000,000,000,000,000 kernels", fixed = TRUE)
})

test_that("arguments without a meaning for the bound asked for are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, linear_kernel(), control = mkl_control(progress = FALSE))
  path <- mkl_gomp(d$x, d$y, linear_kernel(), intercept = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    gomp_bound(1, 1, 1, 100, x = d$x)
    gomp_bound(path, kappa = 1, x = d$x)
    gomp_bound(path, M = 3, x = d$x)
    rademacher_bound(2, 5, 100, 1, normalize = "trace")
    risk_bound(fit, d$x, draws = 10)
    risk_bound(fit, d$x, complexity = "empirical", R = 1)
  })
})
