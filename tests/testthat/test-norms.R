expect_norm_certified <- function(fit, Ks, tol = fit$control$tol) {
  s <- judge_forms(Ks, fit$alpha)
  y <- judge_signs(fit)
  sides <- judge_sides(fit$penalty, unname(fit$theta), s)
  f <- drop(Reduce(`+`, Map(`*`, Ks, fit$theta)) %*% fit$alpha)
  upper <- judge_offset(f, y, fit$cost)$loss + sides$primal / 2
  lower <- sum(y * fit$alpha) - sides$dual / 2
  expect_true(all(fit$theta >= 0))
  expect_equal(sides$size, 1, tolerance = 1e-6)
  expect_equal(fit$primal, upper, tolerance = 1e-7)
  expect_equal(fit$objective, lower, tolerance = 1e-7)
  expect_lte((upper - lower) / upper, tol + 1e-9)
}

E4 <- local({
  E <- matrix(c(1, 0.5, -0.4, 0.2, 0.5, 2, 0.3, -0.6, -0.4, 0.3, 1.5, 0.1, 0.2, -0.6, 0.1, 1), 4)
  (E + t(E)) / 2
})
all_norms <- list(
  lp_norm(4 / 3, c(1, 3, 0.2, 2)), lp_norm(1, c(2, 1, 1, 4)), lp_norm(5, c(2, 1, 1, 4)),
  lp_norm(Inf, 1:4), quadratic_norm(E4), quadratic_norm(1e4 * E4), block_norm(1), block_norm(1.5),
  block_norm(2), block_norm(2.2), block_norm(4), block_norm(20), block_norm(Inf),
  elastic_net_norm(0.01), elastic_net_norm(0.5), elastic_net_norm(0.99)
)
norm_kernels <- c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(1, 4)))
norm_matrices <- function(x) {
  lapply(list(judge_linear(x), judge_polynomial(x), judge_gaussian(x), judge_gaussian(x, width = 4)),
         function(K) judge_normalize(K)$train)
}

test_that("fits of every norm are certified by definition", {
  d <- judge_clouds(40)
  Ks <- norm_matrices(d$x)
  for (norm in all_norms) for (C in c(0.1, 1, 20)) for (tol in c(1e-3, 1e-6)) {
    fit <- mkl(d$x, d$y, norm_kernels, norm = norm, C = C, control = quiet(tol = tol),
               scale = FALSE)
    expect_true(fit$converged)
    expect_norm_certified(fit, Ks)
    again <- duality_gap(fit, d$x, d$y)
    expect_equal(again$gap, fit$gap, tolerance = 1e-4)
    expect_equal(again$dual, fit$objective, tolerance = 1e-9)
  }
})

test_that("two kernels by hand", {
  # one pair of points: s = t^2 (4, 16), so the optimum is 2/D(4, 16), D twice the dual term
  K <- matrix(c(1, -1, -1, 1), 2)
  kernels <- precomputed_kernel(list(a = K, b = 4 * K))
  hand <- function(norm) {
    mkl(NULL, factor(c("u", "v")), kernels, norm = norm, C = 10, normalize = "none",
        control = quiet(tol = 1e-9), scale = FALSE)
  }
  E <- matrix(c(1, -0.5, -0.5, 1), 2)
  cases <- list(
    list(lp_norm(2, c(1, 4)), sqrt(16 + 64)),  # (4, 16/2)
    list(lp_norm(1, c(1, 8)), 4),              # the largest of 4 and 16/8
    list(lp_norm(Inf, c(1, 8)), 20),
    list(quadratic_norm(diag(c(4, 1))), sqrt(4 * 16 + 256)),
    list(quadratic_norm(E), sqrt(192)),        # gamma = (4, 0)
    list(block_norm(Inf), 36),                 # (2 + 4)^2
    list(block_norm(4), (4^(2 / 3) + 16^(2 / 3))^(3 / 2)),
    list(elastic_net_norm(0.5), 16),           # r = 2
    list(elastic_net_norm(0), 16), list(elastic_net_norm(1), 20)
  )
  for (case in cases) expect_equal(hand(case[[1]])$objective, 2 / case[[2]], tolerance = 1e-8)
  expect_equal(unname(hand(quadratic_norm(E))$theta), c(0, 12 / sqrt(192)), tolerance = 1e-4)
  expect_equal(unname(hand(block_norm(Inf))$theta), c(3, 1.5), tolerance = 1e-4)
  expect_equal(unname(hand(lp_norm(1, c(1, 8)))$theta), c(1, 0), tolerance = 1e-6)
})

test_that("norms agree where they are the same", {
  d <- judge_clouds(60)
  fit <- function(..., kernels = norm_kernels) {
    mkl(d$x, d$y, kernels, ..., control = quiet(tol = 1e-8), scale = FALSE)
  }
  same <- function(a, b, tolerance = 1e-3) {
    expect_equal(a$objective, b$objective, tolerance = 2e-8)
    expect_equal(a$theta, b$theta, tolerance = tolerance)
  }
  same(fit(norm = quadratic_norm(diag(4))), fit(p = 2))
  for (p in c(1, 4 / 3, 2, 8)) {
    same(fit(norm = block_norm(2 * p / (p + 1))), fit(p = p))
    same(fit(norm = lp_norm(p, rep(1, 4))), fit(norm = lp_norm(p)))
  }
  same(fit(norm = block_norm(2)), fit(p = Inf))
  same(fit(norm = block_norm(2 + 1e-7)), fit(p = Inf))
  same(fit(norm = elastic_net_norm(0)), fit(p = 1))
  same(fit(norm = elastic_net_norm(1)), fit(p = Inf))
  expect_equal(fit(norm = elastic_net_norm(1e-7))$objective, fit(p = 1)$objective, tolerance = 1e-5)
  expect_equal(fit(norm = elastic_net_norm(1 - 1e-7))$objective, fit(p = Inf)$objective,
               tolerance = 1e-5)
})

test_that("a weight is a kernel of another scale", {
  d <- judge_clouds(40)
  Ks <- norm_matrices(d$x)
  weights <- c(1, 3, 0.2, 2)
  fit <- function(K, ...) {
    mkl(NULL, d$y, precomputed_kernel(K), ..., normalize = "none", control = quiet(tol = 1e-8),
        scale = FALSE)
  }
  names(Ks) <- letters[1:4]
  for (p in c(1, 1.5, 3)) {
    scaled <- Map(function(K, w) K / w^(1 / p), Ks, weights)
    a <- fit(Ks, norm = lp_norm(p, weights))
    b <- fit(scaled, p = p)
    expect_equal(a$objective, b$objective, tolerance = 1e-7)
    expect_equal(a$theta * weights^(1 / p), b$theta, tolerance = 1e-3)
  }
})

test_that("real data reach their tolerance with every norm", {
  skip_unless_slow()
  skip_on_cran()
  nutrimouse <- function() {
    read <- function(file) utils::read.csv(shared_file("data", "nutrimouse", file))
    list(x = list(gene = as.matrix(read("gene.csv.gz")[-1]),
                  lipid = as.matrix(read("lipid.csv.gz")[-1])),
         y = factor(read("labels.csv.gz")$genotype))
  }
  sets <- list(shared_uci("pima"), shared_uci("ionosphere"), nutrimouse(), shared_yeast(300))
  for (d in sets) {
    if (!is.list(d$x)) d$x <- scale(d$x)
    kernels <- default_kernels(d$x)
    M <- nrow(kernel_alignment(kernels, d$x))
    set.seed(3)
    A <- unclass(kernel_alignment(kernels, d$x, centre = TRUE))[seq_len(M), ]
    B <- crossprod(matrix(rnorm(M * M), M)) / M
    norms <- list(
      lp_norm(4 / 3, exp(rnorm(M))), lp_norm(1, exp(rnorm(M))),
      quadratic_norm(unname(A) + 0.05 * diag(M)), quadratic_norm(B + 0.1 * diag(M)),
      block_norm(3), block_norm(8), elastic_net_norm(0.05), elastic_net_norm(0.7)
    )
    for (norm in norms) for (C in c(0.1, 10)) for (tol in c(1e-3, 1e-6)) {
      fit <- mkl(d$x, d$y, kernels, norm = norm, C = C, control = quiet(tol = tol), scale = FALSE)
      expect_lte(duality_gap(fit, d$x, d$y)$gap, tol)
    }
  }
})

test_that("several classes, formulas, prediction, warm starts and saving work with norms", {
  t <- judge_triangle()
  Ks <- norm_matrices(t$x)
  for (norm in all_norms[c(1, 5, 11, 15)]) {
    fit <- mkl(t$x, t$y, norm_kernels, norm = norm, multiclass = "shared", control = quiet(),
               scale = FALSE)
    expect_true(fit$converged)
    expect_lte(duality_gap(fit, t$x, t$y)$gap, 1e-3)
    expect_identical(fit$norm, norm$type)
  }
  frame <- data.frame(judge_clouds(40)$x, y = judge_clouds(40)$y)
  fit <- mkl(y ~ ., frame, kernels = norm_kernels, norm = elastic_net_norm(0.4), control = quiet(),
             scale = FALSE)
  expect_equal(unname(predict(fit, frame, type = "decision")), unname(fit$decision),
               tolerance = 1e-8)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_equal(duality_gap(readRDS(file), frame)$gap, fit$gap, tolerance = 1e-4)
  for (norm in all_norms) {
    cold <- mkl(y ~ ., frame, kernels = norm_kernels, norm = norm, control = quiet(tol = 1e-6),
                scale = FALSE)
    warm <- update(cold, control = quiet(tol = 1e-6, start = cold))
    expect_true(warm$converged)
    expect_lte(warm$iterations, max(cold$iterations, 5))
    expect_equal(warm$objective, cold$objective, tolerance = 3e-6)
  }
})

test_that("weights and matrices are matched with the kernels", {
  d <- judge_clouds(30)
  fit <- function(norm) mkl(d$x, d$y, norm_kernels, norm = norm, control = quiet(tol = 1e-7),
                            scale = FALSE)
  names <- names(norm_kernels)
  weights <- c(1, 3, 0.2, 2)
  named <- stats::setNames(weights, names)
  expect_equal(fit(lp_norm(2, rev(named)))$theta, fit(lp_norm(2, weights))$theta)
  E <- matrix(E4, 4, dimnames = list(names, names))
  expect_equal(fit(quadratic_norm(E[4:1, 4:1]))$theta, fit(quadratic_norm(E4))$theta)
  expect_classed(fit(lp_norm(2, 1:3)), "length", "norm")
  expect_classed(fit(quadratic_norm(diag(5))), "length", "norm")
  expect_classed(fit(lp_norm(2, stats::setNames(weights, letters[1:4]))), "names", "norm")
  expect_identical(fit(lp_norm(3, weights))[c("p", "norm")], list(p = 3, norm = "lp"))
  expect_identical(fit(block_norm(4))$p, NA_real_)
})

test_that("wrong norms are errors that say what is wrong", {
  expect_classed(lp_norm(0.5), "invalid_argument", "p")
  expect_classed(lp_norm(2, c(1, 0)), "invalid_argument", "weights")
  expect_classed(lp_norm(2, c(1, NA)), "invalid_argument", "weights")
  expect_classed(lp_norm(2, c(1, Inf)), "invalid_argument", "weights")
  expect_classed(block_norm(0.9), "invalid_argument", "q")
  expect_classed(block_norm(NaN), "invalid_argument", "q")
  expect_classed(elastic_net_norm(1.1), "invalid_argument", "lambda")
  expect_classed(elastic_net_norm("all"), "invalid_argument", "lambda")
  bad <- list(1:3, "E", diag(0, 2), matrix(1, 2, 2), matrix(c(1, 2, 3, 4), 2), diag(c(1, NA)),
              -diag(2), matrix(0, 0, 0), matrix(c(1, 2, 2, 1), 2), diag(2)[, 1, drop = FALSE],
              diag(c(1e-300, 1)) * 1e-30)
  for (E in bad) expect_classed(quadratic_norm(E), "invalid_argument", "E")
})

test_that("norms print", {
  expect_output(print(lp_norm(3)), "lp-norm, p = 3")
  expect_output(print(lp_norm(3, 1:2)), "lp-norm, p = 3, weighted")
  expect_output(print(quadratic_norm(diag(3))), "quadratic norm, E 3 x 3")
  expect_output(print(block_norm(Inf)), "block norm, q = Inf")
  expect_output(print(elastic_net_norm(0.5)), "elastic net, lambda = 0.5")
  d <- judge_clouds(20)
  fit <- mkl(d$x, d$y, norm_kernels, norm = block_norm(4), control = quiet(), scale = FALSE)
  expect_output(print(fit), "Block-norm MKL, q = 4, hinge loss")
  expect_output(print(summary(fit)), "Block-norm MKL, q = 4")
})

test_that("kernels that hardly take part in block norms of large q leave fits accurate", {
  skip_unless_slow()
  set.seed(3)
  n <- 150
  x <- matrix(rnorm(n * 6), n)
  number <- x[, 1] + sin(2 * x[, 2]) + x[, 3] * x[, 4] + 0.3 * rnorm(n)
  kernels <- c(linear_kernel(), gaussian_kernel(c(2, 8)), polynomial_kernel(2))
  matrices <- unname(kernel_matrix(kernels, x, normalize = "multiplicative"))
  responses <- list(hinge = factor(number > 0), epsilon_insensitive = number, huber = number)
  for (q in c(64, Inf)) for (C in c(10, 100)) for (loss in names(responses)) {
    fit <- mkl(x, responses[[loss]], kernels, C = C, loss = loss, norm = block_norm(q),
               control = mkl_control(tol = 1e-6, progress = FALSE), scale = FALSE)
    label <- paste(q, C, loss)
    expect_true(fit$converged, info = label)
    expect_lte(fit$gap, 1e-6)
    expect_lte(judge_fit(fit, matrices)$gap, 2e-6) # weights of 1e6 make rounding visible
    if (C == 10) expect_fit_certified(fit, matrices, info = label)
    expect_gt(max(fit$theta), 1e4) # one hardly takes part: its alphas are all but orthogonal to it
  }
})
