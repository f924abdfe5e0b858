skip_on_cran() # a slow file
others <- c("wrapper", "newton", "cutting_plane", "level", "reduced_gradient")

# Those that serve p; the analytic step has no guarantee at p = 1.
serving <- function(p) setdiff(others, if (p == 1) "wrapper" else "reduced_gradient")

# Half of the rows, standardised, as the level method's paper has them, or fewer.
half_of <- function(name, most = Inf) {
  data <- shared_uci(name)
  set.seed(1)
  rows <- sample(nrow(data$x), min(most, nrow(data$x) %/% 2))
  x <- scale(data$x[rows, ])
  list(x = x[, colSums(!is.finite(x)) == 0], y = data$y[rows])
}

level_kernels <- function() c(gaussian_kernel(2^(-3:6)), polynomial_kernel(1:3))

fit_with <- function(data, optimizer, kernels = level_kernels(), ..., tol = 1e-6, exact = TRUE,
                     max_time = Inf) {
  mkl(data$x, data$y, kernels, normalize = "trace", ...,
      control = quiet(optimizer = optimizer, tol = tol, exact = exact, max_time = max_time),
      scale = FALSE)
}

expect_agree <- function(fit, best, tol = 1e-5) {
  expect_true(fit$converged, label = fit$control$optimizer)
  expect_lte(abs(fit$objective / best$objective - 1), tol)
  expect_lt(max(abs(fit$theta - best$theta)), 2e-2 * max(best$theta))
}

test_that("all optimisers end at the same optimum", {
  d <- judge_clouds(60)
  for (p in c(1, 4 / 3, 2, 4)) {
    best <- fit_with(d, "interleaved", p = p, tol = 1e-8)
    for (optimizer in serving(p)) {
      tol <- if (optimizer == "reduced_gradient") 1e-3 else 1e-6
      fit <- fit_with(d, optimizer, p = p, tol = tol)
      expect_true(fit$converged, label = optimizer)
      expect_lte(fit$gap, fit$control$tol)
      expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-6)
      expect_lte(abs(fit$objective / best$objective - 1), fit$control$tol)
      expect_gte(fit$solves, fit$iterations)
    }
  }
})

# Five precomputed kernels, two of which get all the weight at p = 1: the level method's programs come
# to the end of double precision before its bounds meet.
few_kernels <- function() {
  set.seed(3)
  x <- matrix(rnorm(40 * 3), 40)
  y <- ifelse(x[, 1] + 0.5 * x[, 2]^2 + 0.7 * rnorm(40) > 0.3, 1, -1)
  D <- as.matrix(dist(x))^2
  list(y = factor(y),
       kernels = precomputed_kernel(list(a = tcrossprod(x), b = exp(-D / 0.5), c = exp(-D / 2),
                                         d = exp(-D / 8), e = tcrossprod(x[, 3]))))
}

test_that("where rounding is the limit every optimiser stops and says so", {
  d <- few_kernels()
  fit_to <- function(optimizer, p, tol) {
    suppressWarnings(mkl(y = d$y, kernels = d$kernels, p = p, C = 1, normalize = "none",
                         control = quiet(optimizer, tol = tol, exact = TRUE, threads = 1,
                                         max_iter = 5000)))
  }
  for (p in c(1, 4 / 3, 2)) {
    for (optimizer in c("interleaved", serving(p))) {
      name <- paste(optimizer, p)
      fine <- fit_to(optimizer, p, 1e-8)
      expect_identical(fine$status, "converged", label = name)
      expect_lte(fine$gap, 1e-8, label = name)
      finest <- fit_to(optimizer, p, 1e-14) # finer than doubles are
      expect_identical(finest$status, "stalled", label = name)
      expect_false(finest$converged, label = name)
      expect_gt(finest$gap, 1e-14, label = name)
      expect_lt(finest$gap, 1e-6, label = name)
      expect_lt(finest$iterations, 350, label = name) # whatever the rounding errors of the machine
    }
  }
})

# Columns enough for kernels by the hundred.
many_columns <- function(n = 60, columns = 10) {
  set.seed(8)
  x <- matrix(round(rnorm(n * columns), 1), n)
  list(x = x, y = factor(ifelse(x[, 1]^2 + x[, 2] + 0.5 * rnorm(n) > 1, "in", "out")))
}

test_that("rounds with some of many kernels end where all at once do", {
  skip_unless_slow()
  d <- many_columns()
  kernels <- per_feature(c(gaussian_kernel(2^(-1:4)), polynomial_kernel(2:3)))
  for (loss in c("hinge", "squared_hinge", "logistic")) {
    for (p in c(1, 1.02)) {
      fit <- mkl(d$x, d$y, kernels, p = p, C = 5, loss = loss, control = quiet(tol = 1e-6),
                 scale = FALSE)
      plain <- update(fit, control = quiet(tol = 1e-6, precision = "double"))
      rough <- update(fit, control = quiet(tol = 1e-2, trace = TRUE))
      expect_true(fit$converged && rough$converged)
      expect_lte(abs(fit$objective / plain$objective - 1), 2e-6)
      expect_lte(abs(rough$objective / plain$objective - 1), 1e-2)
      for (one in list(fit, rough)) {
        expect_equal(duality_gap(one, d$x, d$y)$gap, one$gap, tolerance = 1e-6)
        expect_false(is.unsorted(one$history$iteration))
        expect_equal(one$history$gap[nrow(one$history)], one$gap)
      }
      expect_equal(unname(rough$history$theta[nrow(rough$history), ]), unname(rough$theta))
      again <- update(fit, C = 6, control = quiet(tol = 1e-4, start = fit))
      expect_true(again$converged)
    }
  }
})

test_that("rounds with some kernels do not depend on the order of rows and kernels", {
  d <- many_columns()
  kernels <- per_feature(c(gaussian_kernel(2^(-1:4)), polynomial_kernel(2:3)))
  fit <- mkl(d$x, d$y, kernels, p = 1, control = quiet(tol = 1e-5), scale = FALSE)
  rows <- rev(seq_len(nrow(d$x)))
  turned <- mkl(d$x[rows, ], d$y[rows], kernels, p = 1, control = quiet(tol = 1e-5), scale = FALSE)
  backwards <- mkl(d$x[, 10:1], d$y, kernels, p = 1, control = quiet(tol = 1e-5), scale = FALSE)
  weighted <- mkl(d$x, d$y, kernels, p = 1, weights = rep(0:1, c(9, 51)), control = quiet(),
                  scale = FALSE)
  without <- mkl(d$x[-(1:9), ], d$y[-(1:9)], kernels, p = 1, normalize = "none", control = quiet(),
                 scale = FALSE)
  expect_equal(turned$objective, fit$objective, tolerance = 2e-5)
  expect_equal(backwards$objective, fit$objective, tolerance = 2e-5)
  expect_true(weighted$converged && without$converged)
  expect_true(all(weighted$alpha[1:9] == 0))
})

test_that("where theta is fixed all optimisers solve one machine", {
  d <- judge_clouds(60)
  best <- fit_with(d, "interleaved", p = Inf)
  for (optimizer in others) {
    fit <- fit_with(d, optimizer, p = Inf)
    expect_equal(fit$objective, best$objective, tolerance = 1e-6)
    expect_identical(unname(fit$theta), rep(1, 13))
    expect_lte(fit$solves, 2)
  }
})

test_that("inexact machines lead to the same optimum", {
  d <- judge_clouds(60)
  for (optimizer in c("wrapper", "newton", "cutting_plane", "level")) {
    exact <- fit_with(d, optimizer, p = 4 / 3)
    inexact <- fit_with(d, optimizer, p = 4 / 3, exact = FALSE)
    expect_true(inexact$converged)
    expect_lte(abs(inexact$objective / exact$objective - 1), 1e-6)
  }
})

test_that("ionosphere and pima: all optimisers agree on objective and theta", {
  for (name in c("ionosphere", "pima")) {
    d <- half_of(name)
    for (p in c(1, 4 / 3, 2, 4)) {
      best <- fit_with(d, "interleaved", p = p, C = 100)
      for (optimizer in setdiff(serving(p), "reduced_gradient")) {
        expect_agree(fit_with(d, optimizer, p = p, C = 100), best)
      }
    }
  }
})

test_that("hundreds of kernels: all optimisers agree", {
  skip_unless_slow()
  for (name in c("ionosphere", "pima")) {
    d <- half_of(name, most = 120)
    kernels <- c(level_kernels(), per_feature(level_kernels()))
    for (p in c(1, 4 / 3, 2, 4)) {
      best <- fit_with(d, "interleaved", kernels, p = p, C = 100)
      slow <- if (p == 1) c("cutting_plane", "reduced_gradient")
      for (optimizer in setdiff(serving(p), slow)) {
        fit <- fit_with(d, optimizer, kernels, p = p, C = 100)
        expect_true(fit$converged)
        expect_lte(abs(fit$objective / best$objective - 1), 1e-5)
      }
      for (optimizer in slow) {
        fit <- fit_with(d, optimizer, kernels, p = p, C = 100, tol = 1e-2)
        expect_true(fit$converged)
        expect_lte(abs(fit$objective / best$objective - 1), 1e-2)
      }
    }
  }
})

test_that("the reduced gradient leaves kinks, where few kernels are singular", {
  skip_unless_slow()
  kernels <- per_feature(c(gaussian_kernel(2^(1:4)), polynomial_kernel(1:2)))
  for (seed in c(3, 4, 5, 8)) {
    set.seed(seed)
    x <- matrix(sample(c(-1, 0, 1), 60 * 8, TRUE), 60)
    y <- ifelse(x[, 1] + x[, 2] * x[, 3] + 0.3 * rnorm(60) > 0, 1, -1)
    fit <- fit_with(list(x = x, y = factor(y)), "reduced_gradient", kernels, p = 1, C = 100,
                    tol = 1e-2)
    expect_true(fit$converged)
  }
})

test_that("weights of the norm are known to all that serve them", {
  d <- judge_clouds(60)
  for (p in c(1, 2)) {
    norm <- lp_norm(p, weights = seq(0.5, 2, length.out = 13))
    best <- fit_with(d, "interleaved", norm = norm)
    for (optimizer in setdiff(serving(p), "reduced_gradient")) {
      fit <- fit_with(d, optimizer, norm = norm)
      expect_true(fit$converged)
      expect_equal(fit$objective, best$objective, tolerance = 1e-5)
    }
  }
  norm <- lp_norm(1, weights = seq(0.5, 2, length.out = 13))
  expect_true(fit_with(d, "reduced_gradient", norm = norm, tol = 1e-3)$converged)
})

test_that("wrapper and newton serve every norm", {
  d <- judge_clouds(60)
  norms <- list(quadratic_norm(diag(13) + 0.3), block_norm(4), elastic_net_norm(0.5))
  for (norm in norms) {
    best <- fit_with(d, "interleaved", norm = norm, tol = 1e-4)
    for (optimizer in c("wrapper", "newton")) {
      fit <- fit_with(d, optimizer, norm = norm, tol = 1e-4)
      expect_true(fit$converged, label = paste(optimizer, norm$type))
      expect_equal(fit$objective, best$objective, tolerance = 1e-4)
    }
  }
})

test_that("what an optimiser does not serve is an error that says so", {
  d <- judge_clouds(20)
  for (norm in list(quadratic_norm(diag(13)), block_norm(4), elastic_net_norm(0.5))) {
    for (optimizer in c("cutting_plane", "level", "reduced_gradient")) {
      expect_classed(fit_with(d, optimizer, norm = norm), "unsupported", "optimizer")
    }
  }
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(d, "reduced_gradient", p = 2)
    fit_with(d, "level", norm = block_norm(4))
  })
})

test_that("several tasks may share theta", {
  d <- judge_triangle(45)
  shared <- function(optimizer) {
    mkl(d$x, d$y, level_kernels(), p = 4 / 3, multiclass = "shared",
        control = quiet(optimizer = optimizer, tol = 1e-5), scale = FALSE)
  }
  best <- shared("interleaved")
  for (optimizer in setdiff(others, "reduced_gradient")) {
    fit <- shared(optimizer)
    expect_true(all(fit$converged))
    expect_equal(fit$models[[1]]$objective, best$models[[1]]$objective, tolerance = 1e-5)
    expect_identical(fit$models[[1]]$theta, fit$models[[2]]$theta)
  }
})

# ---- history -------------------------------------------------------------------------------------

test_that("history counts solves and keeps theta", {
  d <- judge_clouds(60)
  for (optimizer in others) {
    fit <- fit_with(d, optimizer, p = 1, tol = 1e-2)
    h <- fit$history
    bounds <- if (optimizer %in% c("level", "cutting_plane")) c("lower", "upper", "delta")
    expect_named(h, c("iteration", "time", "objective", "gap", "active_kernels", "support_vectors",
                      "solves", bounds, "theta"))
    expect_true(all(diff(h$solves) >= 0) && all(diff(h$iteration) >= 0))
    expect_identical(h$solves[nrow(h)], fit$solves)
    expect_identical(h$iteration[nrow(h)], fit$iterations)
    expect_identical(dim(h$theta), c(nrow(h), 13L))
    expect_identical(h$theta[nrow(h), ], fit$theta)
    expect_equal(unname(rowSums(h$theta)), rep(1, nrow(h)), tolerance = 1e-8)
    expect_equal(unname(rowSums(h$theta > 0)), h$active_kernels)
    expect_equal(unname(h$theta[1, ]), rep(1 / 13, 13))
    expect_true(all(diff(h$gap) <= 1e-9)) # of the best pair so far
  }
  # a line search solves more than once for an iteration
  expect_gt(fit$solves, fit$iterations)
})

test_that("theta is traced where it is asked for", {
  d <- judge_clouds(60)
  plain <- mkl(d$x, d$y, level_kernels(), control = quiet(), scale = FALSE)
  expect_null(plain$history$theta)
  expect_gte(plain$solves, 1)
  traced <- mkl(d$x, d$y, level_kernels(), control = quiet(trace = TRUE), scale = FALSE)
  expect_identical(dim(traced$history$theta), c(nrow(traced$history), 13L))
  expect_identical(traced$history$theta[nrow(traced$history), ], traced$theta)
  expect_identical(plain$theta, traced$theta)
  without <- mkl(d$x, d$y, level_kernels(), control = quiet(optimizer = "level", trace = FALSE),
                 scale = FALSE)
  expect_null(without$history$theta)
  # what doesn't fit is NA
  small <- fit_with(d, "level", p = 1)
  little <- mkl(d$x, d$y, level_kernels(), p = 1, normalize = "trace", control = quiet(
    optimizer = "level", tol = 1e-6, cache = 16 * 13 * 8 * 3
  ), scale = FALSE)
  expect_true(nrow(little$history) > 3 && !anyNA(small$history$theta))
  expect_identical(which(is.na(little$history$theta[, 1])), 4:nrow(little$history))
})

test_that("thousands of columns are traced, too", {
  set.seed(1)
  x <- matrix(rnorm(40 * 1500), 40)
  y <- factor(rowSums(x[, 1:3]) > 0)
  fit <- mkl(x, y, per_feature(linear_kernel()), p = 1, control = quiet(trace = TRUE),
             scale = FALSE)
  expect_identical(dim(fit$history$theta), c(nrow(fit$history), 1500L))
  expect_identical(fit$history$theta[nrow(fit$history), ], fit$theta)
  expect_gt(fit$solves, 0)
})

test_that("convergence can be drawn for all", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  d <- judge_clouds(40)
  for (optimizer in others) {
    expect_no_error(plot(fit_with(d, optimizer, p = 1, tol = 1e-2), "convergence"))
  }
})

# ---- limits and starts ---------------------------------------------------------------------------

test_that("limits end a fit with its best pair and its true gap", {
  d <- judge_clouds(100)
  for (optimizer in others) {
    for (limit in list(list(max_iter = 2), list(max_time = 1e-9))) {
      control <- do.call(quiet, c(limit, optimizer = optimizer, tol = 1e-9))
      expect_warning(fit <- mkl(d$x, d$y, level_kernels(), p = 1, C = 100, control = control,
                                scale = FALSE),
                     class = "manykernels_warning_not_converged")
      by_time <- names(limit) == "max_time"
      expect_identical(fit$status, if (by_time) "time_limit" else "iteration_limit")
      expect_lte(fit$iterations, 2)
      expect_false(fit$converged)
      expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-6)
    }
  }
})

test_that("a later limit never ends with a worse pair", {
  skip_unless_slow()
  d <- judge_clouds(120, 5)
  y <- d$y
  y[1:30] <- rev(y[1:30])
  kernels <- c(gaussian_kernel(2^(-4:4)), per_feature(gaussian_kernel(c(0.1, 1))))
  for (optimizer in c("interleaved", others)) {
    gaps <- vapply(1:8, function(limit) {
      suppressWarnings(mkl(d$x, y, kernels, p = 1, C = 100,
                           control = quiet(optimizer = optimizer, tol = 1e-9,
                                           max_iter = limit), scale = FALSE))$gap
    }, 0)
    expect_true(all(diff(gaps) <= 1e-6 * gaps[-1]))
  }
})

test_that("a start saves solves", {
  d <- judge_clouds(100)
  for (optimizer in setdiff(others, "cutting_plane")) {
    first <- fit_with(d, optimizer, p = 1, C = 10, tol = 1e-2)
    again <- mkl(d$x, d$y, level_kernels(), p = 1, C = 10, normalize = "trace",
                 control = quiet(optimizer = optimizer, tol = 1e-2, start = first), scale = FALSE)
    expect_true(again$converged)
    expect_lt(again$solves, first$solves)
  }
})

test_that("more than a thousand rows begin in single precision", {
  skip_unless_slow()
  d <- judge_clouds(1200)
  best <- fit_with(d, "interleaved", gaussian_kernel(2^(-1:4)), p = 4 / 3, tol = 1e-5)
  for (optimizer in setdiff(others, "reduced_gradient")) {
    fit <- fit_with(d, optimizer, gaussian_kernel(2^(-1:4)), p = 4 / 3, tol = 1e-5)
    expect_true(fit$converged)
    expect_equal(fit$objective, best$objective, tolerance = 1e-5)
  }
})

test_that("indefinite kernels and useless ones end honestly", {
  skip_unless_slow()
  set.seed(4)
  K <- lapply(1:4, function(k) {
    A <- matrix(rnorm(30 * 30), 30)
    A + t(A)
  })
  K <- c(K, list(matrix(0, 30, 30) + diag(30) * 1e-12))
  names(K) <- paste0("k", 1:5)
  y <- factor(rep(1:2, 15))
  for (optimizer in others) {
    control <- quiet(optimizer = optimizer, max_time = 1)
    fit <- tryCatch(
      suppressWarnings(mkl(NULL, y, precomputed_kernel(K), p = 1, normalize = "none",
                           control = control, scale = FALSE)),
      manykernels_error = identity
    )
    expect_true(inherits(fit, "manykernels_error") || fit$status %in% c(
      "converged", "stalled", "time_limit"
    ))
  }
})

# ---- losses --------------------------------------------------------------------------------------

test_that("all losses are served by all optimisers", {
  d <- judge_clouds(60)
  set.seed(1)
  number <- ifelse(d$y == "yes", 1, -1) + rnorm(60)
  responses <- list(hinge = d$y, squared_hinge = d$y, logistic = d$y, one_class = NULL,
                    squared = number, epsilon_insensitive = number, huber = number)
  losses <- list(epsilon_insensitive = epsilon_loss(0.1), huber = huber_loss(0.5))
  for (name in names(responses)) {
    data <- list(x = d$x, y = responses[[name]])
    loss <- if (is.null(losses[[name]])) name else losses[[name]]
    for (p in c(1, 2)) {
      best <- fit_with(data, "interleaved", loss = loss, p = p, C = 5)
      expect_identical(best$loss, name)
      for (optimizer in setdiff(serving(p), "reduced_gradient")) {
        fit <- fit_with(data, optimizer, loss = loss, p = p, C = 5)
        expect_identical(fit$status, "converged", label = paste(name, optimizer))
        expect_lte(fit$gap, 1e-6)
        expect_lte(abs(fit$objective / best$objective - 1), 2e-6)
      }
    }
  }
})

# The last working sets differ by few rows from those before.
test_that("weights of overlapping clouds are certified whatever their rows", {
  for (seed in 1:6) {
    set.seed(seed)
    y <- rep(c(-1, 1), length.out = 2000)
    x <- matrix(rnorm(2000 * 10), 2000) + 0.5 * y
    kernels <- gaussian_kernel(20 * 1.5^(-6:6))
    fit <- mkl(x, factor(y), kernels, p = 4 / 3, C = 1, normalize = "none",
               control = mkl_control(trace = TRUE), scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(duality_gap(fit, x, factor(y))$gap, 1e-3)
  }
})

# Mixtures and sums of so many come from Gaussians of few other widths; large C shows what that costs.
test_that("hundreds of Gaussians on the same columns are certified to small gaps", {
  clouds <- judge_clouds(n = 80, d = 3)
  widths <- 3 * 2^seq(-3, 3, length.out = 300)
  distances <- as.matrix(dist(clouds$x))^2
  Ks <- lapply(widths, function(width) exp(-distances / width))
  for (p in c(1, 4 / 3)) {
    fit <- mkl(clouds$x, clouds$y, gaussian_kernel(widths), p = p, C = 1000, normalize = "none",
               scale = FALSE, control = mkl_control(tol = 1e-8))
    expect_identical(fit$status, "converged")
    expect_certified(fit, Ks)
  }
})

# Too few support vectors lead Newton steps astray: the next ones must be of more of them.
test_that("samples of support vectors that mislead Newton steps grow", {
  solves <- vapply(1:3, function(seed) {
    set.seed(seed)
    y <- rep(c(-1, 1), length.out = 3000)
    x <- matrix(rnorm(3000 * 10), 3000)
    x[, 1:3] <- x[, 1:3] + 0.8 * y
    fit <- mkl(x, factor(y), gaussian_kernel(24 * 1.2^(-25:24)), p = 1, C = 1, normalize = "none",
               scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(fit$gap, 1e-3)
    fit$solves
  }, 0)
  expect_lt(sum(solves), 65) # twice as many otherwise
})

test_that("thousands of rows of which most are support vectors", {
  skip_unless_slow()
  set.seed(3)
  x <- matrix(rnorm(7500 * 30), 7500)
  y <- factor(rowSums(x) / sqrt(30) + 0.5 * rnorm(7500) > 0)
  fit <- mkl(x, y, gaussian_kernel(60 * 1.5^(-8:7)), p = 4 / 3, C = 1, normalize = "none",
             scale = FALSE)
  expect_identical(fit$status, "converged")
  expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
})

# The offset that is best for all rows leaves as many of the common class in the wrong as there are
# rows of the rare one: fits with p = 1 went on for ever, others took 51 rows at a time.
test_that("a rare class does not hide the rows that the working set lacks", {
  set.seed(4)
  x <- matrix(rnorm(3000 * 10), 3000)
  y <- factor(seq_len(3000) <= 40, labels = c("common", "rare"))
  x[y == "rare", 1] <- x[y == "rare", 1] + 1
  for (p in c(1, 4 / 3)) {
    fit <- mkl(x, y, gaussian_kernel(20 * 1.2^(-25:24)), p = p, C = 1, normalize = "none",
               control = mkl_control(max_iter = 60), scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
    expect_lt(fit$solves, 25)
  }
})

test_that("a tenth of the labels flipped, p = 1", {
  skip_unless_slow()
  for (cell in list(c(1, 1), c(2, 1), c(3, 1), c(2, 100), c(6, 100))) {
    set.seed(cell[1])
    x <- matrix(rnorm(4000 * 5), 4000)
    y <- factor(xor(rowSums(x[, 1:2]^2) > 1.5, runif(4000) < 0.1))
    fit <- mkl(x, y, gaussian_kernel(10 * 1.2^(-25:24)), p = 1, C = cell[2], normalize = "none",
               scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
  }
})

test_that("Newton steps do not go to and fro between two ends", {
  skip_unless_slow()
  solves <- vapply(c(1, 2, 4), function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(2000 * 8), 2000)
    rare <- seq_len(2000) <= 20
    x[rare, 1] <- x[rare, 1] + 1
    fit <- mkl(x, factor(rare), gaussian_kernel(16 * 1.2^(-25:24)), norm = elastic_net_norm(0.5),
               normalize = "none", control = mkl_control(max_iter = 80), scale = FALSE)
    expect_lte(duality_gap(fit, x, factor(rare))$gap, 1e-3)
    fit$solves
  }, 0)
  expect_lt(sum(solves), 120) # 153, each four times as dear, otherwise
})

test_that("two overlapping classes in few columns", {
  skip_unless_slow()
  for (seed in 1:4) for (p in c(4 / 3, 2)) {
    set.seed(seed)
    y <- rep(c(-1, 1), length.out = 5000)
    x <- matrix(rnorm(5000 * 5), 5000)
    x[, 1] <- x[, 1] + y
    fit <- mkl(x, factor(y), gaussian_kernel(10 * 1.2^(-25:24)), p = p, C = 1, normalize = "none",
               scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(duality_gap(fit, x, factor(y))$gap, 1e-3)
  }
})

test_that("samples end where there are no more rows of any weight", {
  set.seed(5)
  x <- matrix(rnorm(3000 * 5), 3000)
  y <- factor(x[, 1] + rnorm(3000) > 0)
  for (count in c(120, 500)) {
    weights <- rep(c(1, 0), c(count, 3000 - count))
    fit <- mkl(x, y, gaussian_kernel(10 * 1.5^(-8:7)), p = 4 / 3, C = 1, weights = weights,
               normalize = "none", scale = FALSE)
    part <- mkl(x[weights > 0, ], y[weights > 0], gaussian_kernel(10 * 1.5^(-8:7)), p = 4 / 3,
                C = 1, normalize = "none", scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(abs(fit$objective - part$objective), 2e-3 * part$objective)
  }
})

test_that("a fit that stalls tries another way before it says so", {
  kernels <- c(linear_kernel(), per_feature(linear_kernel()))
  control <- function(...) mkl_control(progress = FALSE, ...)
  set.seed(110)
  x <- matrix(rnorm(500), 100)
  y <- factor(x[, 1] + 0 * rnorm(100) > 0)
  E <- 1e6 * crossprod(matrix(rnorm(36), 6))
  fit <- mkl(x, y, kernels, norm = quadratic_norm(E), C = 1e4, normalize = "spherical",
             control = control(), scale = FALSE)
  expect_true(fit$converged)
  expect_equal(duality_gap(fit, x)$gap, fit$gap)
  expect_false(is.unsorted(fit$history$time))
  expect_equal(fit$history$gap[nrow(fit$history)], fit$gap)
  # within the same limits
  stopped <- suppressWarnings(
    mkl(x, y, kernels, norm = quadratic_norm(E), C = 1e4, normalize = "spherical",
        control = control(max_iter = 2, tol = 1e-7), scale = FALSE)
  )
  expect_identical(stopped$status, "iteration_limit")
  set.seed(104)
  x <- matrix(rnorm(500), 100)
  y <- factor(x[, 1] > 0)
  E <- solve(0.05 * diag(6) + 0.95)
  fit <- mkl(x, y, kernels, norm = quadratic_norm(E), control = control(trace = TRUE),
             scale = FALSE)
  expect_true(fit$converged)
  expect_identical(nrow(fit$history$theta), nrow(fit$history))
})
