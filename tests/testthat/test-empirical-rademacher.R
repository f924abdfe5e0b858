# The empirical Rademacher complexity against its definition.

skip_on_cran() # a slow file
grid <- c(1, 16 / 15, 4 / 3, 2, 4, Inf)

judge_dual_norm <- function(s, p) {
  s <- pmax(s, 0) # rounding
  if (p == 1) max(s) else if (is.infinite(p)) sum(s) else sum(s^(p / (p - 1)))^(1 - 1 / p)
}

# Over all sign vectors, by definition.
judge_complexity <- function(K, p) {
  n <- nrow(K[[1]])
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
  mean(apply(signs, 1, function(s) {
    sqrt(judge_dual_norm(vapply(K, function(K) sum(s * (K %*% s)), 0), p))
  })) / n
}

small <- judge_clouds(10)
kernels <- c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(0.5, 2, 8)),
             per_feature(linear_kernel()),
             precomputed_kernel(diag(10) + tcrossprod(small$x[, 1])),
             function_kernel(function(X, Z) tcrossprod(X[, 1], Z[, 1])^2 + 1, "square"))

test_that("all sign vectors give the definition, for every kind of kernel", {
  for (how in list("none", "multiplicative", "spherical", c("centre", "trace"))) {
    K <- kernel_matrix(kernels, small$x, normalize = how)
    exact <- empirical_rademacher(kernels, small$x, grid, draws = Inf, normalize = how)
    expect_equal(exact$value, vapply(grid, judge_complexity, 0, K = K), tolerance = 1e-6)
    expect_equal(exact$terms$standard_error, rep(0, length(grid)))
    expect_equal(exact$terms$upper, exact$value)
  }
  one <- empirical_rademacher(linear_kernel(), small$x[1, , drop = FALSE], 2, Inf, "none")
  expect_equal(one$value, sqrt(sum(small$x[1, ]^2)))
})

# sup <u, roots> over functions of norm at most 1, by the formulas of each norm's weights.
test_that("other norms by definition", {
  M <- 4
  set.seed(8)
  K <- lapply(1:M, function(m) tcrossprod(matrix(rnorm(20), 10)))
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), 10)))
  forms <- vapply(K, function(K) rowSums((signs %*% K) * signs), numeric(nrow(signs)))
  d <- c(1, 4, 0.5, 2)
  E <- tcrossprod(matrix(cos(1:16), 4)) + 0.3 * diag(4)
  simplex <- as.matrix(expand.grid(rep(list(seq(0, 1, 0.05)), 3)))
  simplex <- simplex[rowSums(simplex) <= 1, ]
  simplex <- cbind(simplex, 1 - rowSums(simplex))
  theta <- list(elastic = simplex / (0.4 + 0.6 * simplex),
                quadratic = simplex / sqrt(rowSums((simplex %*% solve(E)) * simplex)))
  best <- function(s, theta) max(theta %*% s)
  definitions <- list(
    list(lp_norm(2, d), function(s) sqrt(sum((s / sqrt(d))^2)), 1e-6),
    list(block_norm(4), function(s) sum(s^(2 / 3))^1.5, 1e-6), list(block_norm(1.5), function(s)
      sum(s^1.5)^(1 / 1.5), 1e-6),
    list(elastic_net_norm(0.6), function(s) best(s, theta$elastic), 0.01),
    list(quadratic_norm(E), function(s) best(s, theta$quadratic), 0.01)
  )
  for (one in definitions) {
    found <- empirical_rademacher(precomputed_kernel(K), norm = one[[1]], draws = Inf, normalize = "none")
    expected <- mean(apply(forms, 1, function(s) sqrt(one[[2]](s)))) / 10
    expect_equal(found$value, expected, tolerance = one[[3]])
    expect_gte(found$value, expected * (1 - 1e-6))
    expect_identical(found$terms$norm, format(one[[1]]))
  }
  expect_error(plot(found), class = "manykernels_unsupported")
  expect_error(empirical_rademacher(precomputed_kernel(K), p = 2, norm = block_norm(4)), "`p`",
               class = "manykernels_invalid_argument")
  expect_error(empirical_rademacher(precomputed_kernel(K), norm = lp_norm(2, 1:3)), class = "manykernels_length")
})

test_that("Monte Carlo is within three standard errors of enumeration", {
  for (n in c(5, 10, 15)) {
    x <- judge_clouds(16)$x[seq_len(n), ]
    k <- c(gaussian_kernel(c(0.5, 2, 8)), per_feature(linear_kernel()))
    exact <- empirical_rademacher(k, x, grid, draws = Inf)
    set.seed(n)
    for (draws in c(200, 700)) {
      sampled <- empirical_rademacher(k, x, grid, draws)
      expect_true(all(abs(sampled$value - exact$value) <= 3 * sampled$terms$standard_error))
      expect_true(all(sampled$terms$upper >= exact$value))
    }
  }
})

test_that("many Gaussians on many rows: forms of the very signs that were drawn", {
  skip_unless_slow()
  set.seed(4)
  x <- matrix(rnorm(700 * 3), 700)
  widths <- 1.3^(-10:29)
  for (how in c("none", "multiplicative")) {
    K <- kernel_matrix(gaussian_kernel(widths), x, normalize = how)
    set.seed(5)
    found <- empirical_rademacher(gaussian_kernel(widths), x, grid, draws = 30, normalize = how)
    set.seed(5)
    signs <- matrix(2 * sample.int(2, 700 * 30, TRUE) - 3, 700)
    forms <- vapply(K, function(K) colSums(signs * (K %*% signs)), numeric(30))
    for (k in seq_along(grid)) {
      values <- sqrt(apply(forms, 1, judge_dual_norm, grid[k])) / 700
      expect_equal(found$value[k], mean(values), tolerance = 1e-4)
      expect_equal(found$terms$standard_error[k], sd(values) / sqrt(30), tolerance = 0.02)
      # far below what chance does
      expect_lt(abs(found$value[k] - mean(values)), 0.05 * found$terms$standard_error[k])
    }
  }
})

test_that("kernels of any size have the same complexity, relative to it", {
  x <- as.matrix(iris[1:150, 1:4])
  K <- tcrossprod(x[, 1:2])
  at <- function(kernels, x = NULL) {
    set.seed(6)
    empirical_rademacher(kernels, x, 2, normalize = "none")$value
  }
  for (size in c(1e-300, 1e-60, 1e60, 1e280)) {
    expect_equal(at(precomputed_kernel(size * K)), sqrt(size) * at(precomputed_kernel(K)),
                 tolerance = 1e-6)
  }
  cubic <- polynomial_kernel(3, offset = 0)
  expect_equal(at(cubic, 1e15 * x), 1e45 * at(cubic, x), tolerance = 1e-6)
  # one row far larger than the others
  x[7, ] <- 1e12 * x[7, ]
  K <- tcrossprod(x)^3
  set.seed(6)
  signs <- matrix(2 * sample.int(2, 150 * 200, TRUE) - 3, 150)
  expect_equal(at(cubic, x), mean(sqrt(colSums(signs * (K %*% signs)))) / 150, tolerance = 1e-6)
  expect_error(at(cubic, 1e80 * x), "not finite", class = "manykernels_core")
  expect_error(at(linear_kernel(), 1e180 * x), "not finite", class = "manykernels_core")
})

test_that("the upper limit is McDiarmid's", {
  x <- as.matrix(iris[1:4])
  k <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  largest <- vapply(kernel_matrix(k, x, normalize = "multiplicative"), function(K) max(diag(K)), 0)
  found <- empirical_rademacher(k, x, grid, draws = 80, level = 0.9)
  size <- vapply(grid, judge_dual_norm, 0, s = largest)
  expect_equal(found$terms$upper - found$value, sqrt(2 * size * log(10) / (150 * 80)))
})

test_that("set.seed() rules, threads do not", {
  run <- function(threads) {
    old <- options(manykernels.threads = threads)
    on.exit(options(old))
    set.seed(3)
    empirical_rademacher(gaussian_kernel(2^(-3:5)), as.matrix(iris[1:4]), grid)$value
  }
  expect_identical(run(1), run(1))
  expect_equal(run(2), run(1), tolerance = 1e-9)
})

test_that("the value grows with p, scales with the kernels, and is below Corollary 9", {
  check <- function(x, kernels = NULL, normalize = "multiplicative") {
    set.seed(1)
    found <- empirical_rademacher(kernels, x, draws = 50, normalize = normalize)
    kernels <- if (is.null(kernels)) default_kernels(x) else kernels
    bound <- rademacher_bound(found$terms$p, kernels = kernels, x = x, normalize = normalize)
    expect_true(all(diff(found$value) >= -1e-12))
    expect_true(all(found$terms$upper < bound$value))
  }
  check(as.matrix(iris[1:4]))
  check(as.matrix(iris[1:4]), per_feature(gaussian_kernel(2^(-2:2))), "spherical")
  check(breast_tcga$train)
  check(breast_tcga$train, normalize = "trace")
  check(breast_tcga$train$mrna, per_feature(linear_kernel()))
  half <- normalize_kernels(linear_kernel(), "none")
  x <- as.matrix(iris[1:4])
  at <- function(x) {
    set.seed(1)
    empirical_rademacher(half, x, 2)$value
  }
  expect_equal(at(3 * x), 3 * at(x), tolerance = 1e-6)
})

test_that("it is below Corollary 9 on the benchmark sets, too", {
  for (name in c("ionosphere", "sonar", "pima", "breast_w", "wpbc")) {
    data <- shared_uci(name)
    x <- scale(data$x)
    kernels <- c(per_feature(linear_kernel()), gaussian_kernel(2^(-3:6)), polynomial_kernel(1:3))
    set.seed(1)
    for (how in c("multiplicative", "spherical", "trace")) {
      # a column can be 0 in a row: no length to divide by
      k <- if (how == "spherical") kernels[!grepl("linear", names(kernels))] else kernels
      found <- empirical_rademacher(k, x, draws = 50, normalize = how)
      bound <- rademacher_bound(found$terms$p, kernels = k, x = x, normalize = how)
      expect_true(all(found$terms$upper < bound$value))
    }
  }
})

test_that("other input: sparse, views, precomputed", {
  x <- as.matrix(iris[1:60, 1:4])
  at <- function(kernels, x) {
    set.seed(9)
    empirical_rademacher(kernels, x, c(1, 2))$value
  }
  k <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  dense <- at(k, x)
  expect_equal(at(k, Matrix::Matrix(x, sparse = TRUE)), dense, tolerance = 1e-6)
  expect_equal(at(on_view(k, "a"), list(a = x, b = x)), dense, tolerance = 1e-6)
  expect_equal(at(precomputed_kernel(kernel_matrix(k, x)), NULL), dense, tolerance = 1e-6)
})

test_that("it prints", {
  set.seed(1)
  expect_snapshot({
    empirical_rademacher(gaussian_kernel(c(1, 4)), as.matrix(iris[1:15, 1:4]), c(1, 2), draws = Inf)
  })
  expect_output(print(empirical_rademacher(linear_kernel(), as.matrix(iris[1:4]), 2)),
                "200 sign vectors")
})

test_that("wrong arguments are errors that name them", {
  x <- as.matrix(iris[1:20, 1:4])
  k <- gaussian_kernel(1)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    empirical_rademacher(k, x, p = 0)
    empirical_rademacher(k, x, p = NA)
    empirical_rademacher(k, x, draws = 0)
    empirical_rademacher(k, x, draws = 1e10)
    empirical_rademacher(k, x, draws = 2e9)
    empirical_rademacher(k, x, draws = Inf)
    empirical_rademacher(k, x, level = 1)
    empirical_rademacher("k", x)
    empirical_rademacher(k, NULL)
    empirical_rademacher(k, x, normalize = "best")
    empirical_rademacher(function_kernel(function(X, Z) stop("no"), "f"), x)
  })
})
