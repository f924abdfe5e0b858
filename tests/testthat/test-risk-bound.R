# Bounds on the risk of fits: each term by hand, the grids, coverage, wrong arguments.

quiet <- function(...) mkl_control(progress = FALSE, tol = 1e-6, ...)
toy <- function(n, d = 2, rho = 4, seed = 1) {
  set.seed(seed)
  simulate_mkl_toy(n, nu = 0, rho = rho, d = d)
}

# Radius and margins of a fit by definition.
judge_facts <- function(fit, x, normalize = "multiplicative") {
  K <- kernel_matrix(fit$kernels, x, normalize = normalize)
  if (is.matrix(K)) K <- list(K)
  s <- vapply(K, function(K) sum(fit$alpha * (K %*% fit$alpha)), 0)
  q <- if (is.infinite(fit$p)) 2 else 2 * fit$p / (fit$p + 1)
  f <- Reduce(`+`, Map(`*`, fit$theta, K)) %*% fit$alpha + fit$offset
  list(radius = sum((fit$theta * sqrt(s))^q)^(1 / q),
       margins = drop(f) * (2 * (as.integer(fit$y) - 1.5)),
       R = sqrt(max(vapply(K, function(K) max(diag(K)), 0))))
}

test_that("every term is what the statement says", {
  d <- toy(300)
  for (p in c(1, 4 / 3, 2, Inf)) {
    fit <- mkl(d$x, d$y, c(per_feature(linear_kernel()), gaussian_kernel(8)), p = p, C = 0.01,
               control = quiet(), scale = FALSE)
    facts <- judge_facts(fit, d$x)
    suppressWarnings(bound <- risk_bound(fit, d$x, d$y, margin = c(0.5, 1, 3), delta = 0.1))
    terms <- bound$terms
    expect_equal(terms$margin, c(0.5, 1, 2))
    expect_equal(bound$radius, facts$radius, tolerance = 1e-9)
    expect_equal(terms$empirical, vapply(terms$margin, function(g) {
      mean(pmin(1, pmax(0, 1 - facts$margins / g)))
    }, 0), tolerance = 1e-9)
    # powers of 2 that are large enough, and their price
    expect_true(all(terms$radius >= bound$radius & terms$offset_limit >= abs(fit$offset)))
    expect_equal(log2(terms$radius), round(log2(terms$radius)))
    expect_equal(log2(terms$offset_limit), round(log2(terms$offset_limit)))
    price <- function(x) 2^-abs(log2(x)) / 3
    expect_equal(terms$delta,
                 0.1 * price(terms$margin) * price(terms$radius) * price(terms$offset_limit))
    expect_equal(terms$complexity, 4 / terms$margin * terms$radius *
                   rademacher_bound(p, 4 - 1, 300, facts$R)$value, tolerance = 1e-9)
    expect_equal(terms$offset, 4 / terms$margin * terms$offset_limit / sqrt(300))
    expect_equal(terms$confidence, sqrt(log(2 / terms$delta) / 600))
    expect_equal(bound$value,
                 terms$empirical + terms$complexity + terms$offset + terms$confidence)
  }
})

test_that("the prices of all grids add up to delta", {
  prices <- 2^-abs(-200:200) / 3
  expect_equal(sum(prices), 1)
})

test_that("the empirical version has its own factors and limit", {
  d <- toy(300)
  fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 4 / 3, C = 0.01, control = quiet(),
             scale = FALSE)
  set.seed(7)
  bound <- risk_bound(fit, d$x, d$y, complexity = "empirical", delta = 0.1, draws = 100)
  set.seed(7)
  own <- empirical_rademacher(per_feature(linear_kernel()), d$x, 4 / 3, draws = 100,
                              level = 1 - 0.01)
  expect_equal(bound$rademacher, own$terms$upper)
  expect_gt(own$terms$upper, own$value)
  terms <- bound$terms
  expect_equal(terms$complexity, 2 * terms$radius * own$terms$upper)
  expect_equal(terms$confidence, 3 * sqrt(log(2 / terms$delta) / 600))
  price <- function(x) 2^-abs(log2(x)) / 3
  expect_equal(terms$delta, 0.09 / 3 * price(terms$radius) * price(terms$offset_limit))
})

test_that("the earlier report and Theorem 8 by their formulas", {
  d <- toy(300)
  fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 2, C = 0.01, control = quiet(),
             scale = FALSE)
  R <- judge_facts(fit, d$x)$R
  suppressWarnings({
    old <- risk_bound(fit, d$x, complexity = "kloft_2010")
    eight <- risk_bound(fit, d$x, complexity = "cortes")
    given <- risk_bound(fit, d$x, R = 2 * R)
    plain <- risk_bound(fit, d$x)
  })
  expect_equal(old$terms$complexity,
               2 * old$terms$radius * rademacher_bound(2, 2, 300, R, "kloft_2010")$value)
  expect_equal(eight$terms$complexity,
               4 * eight$terms$radius * rademacher_bound(2, 2, 300, R, "cortes", q = 2)$value)
  expect_equal(given$terms$complexity, 2 * plain$terms$complexity)
  odd <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 1.4, C = 0.01, control = quiet(),
             scale = FALSE)
  expect_error(risk_bound(odd, d$x, complexity = "cortes"), class = "manykernels_bound")
})

test_that("other norms have their radius and a complexity carried over", {
  d <- toy(300)
  kernels <- c(per_feature(linear_kernel()), gaussian_kernel(8))
  M <- 3
  E <- diag(M) + 0.3
  norms <- list(lp_norm(2, c(1, 3, 0.5)), block_norm(4), elastic_net_norm(0.4), quadratic_norm(E))
  norms <- lapply(norms, function(norm) if (is.null(norm$weights)) norm else lp_norm(2, rep_len(norm$weights, M)))
  for (norm in norms) {
    fit <- mkl(d$x, d$y, kernels, norm = norm, C = 0.01, control = quiet(), scale = FALSE)
    facts <- judge_facts(fit, d$x)
    K <- kernel_matrix(fit$kernels, d$x, normalize = "multiplicative")
    u <- fit$theta * sqrt(vapply(K, function(K) sum(fit$alpha * (K %*% fit$alpha)), 0))
    radius <- switch(norm$type,
      lp = sum((u * norm$weights^0.25)^(4 / 3))^0.75, block = sum(u^4)^0.25,
      elastic_net = sqrt(0.6 * sum(u)^2 + 0.4 * sum(u^2)),
      quadratic = sqrt(sum(u^2 / fit$theta) * sqrt(drop(fit$theta %*% solve(E, fit$theta)))))
    suppressWarnings(bound <- risk_bound(fit, d$x, d$y))
    expect_equal(bound$radius, radius, tolerance = 1e-6)
    expect_output(print(bound), format(norm), fixed = TRUE)
    carried <- vapply(c(1, 4 / 3, 2, Inf), function(p) {
      rademacher_convert(rademacher_bound(p, M, 300, facts$R)$value, M, p, norm)$value
    }, 0)
    expect_lte(bound$rademacher, min(carried) * (1 + 1e-9))
    set.seed(5)
    suppressWarnings(signs <- risk_bound(fit, d$x, complexity = "empirical", draws = 50))
    set.seed(5)
    own <- empirical_rademacher(kernels, d$x, norm = norm, draws = 50, level = 1 - 0.005)
    expect_equal(signs$rademacher, own$terms$upper)
    expect_lt(signs$rademacher, bound$rademacher)
    expect_no_error(suppressWarnings(risk_bound(fit, d$x, complexity = "cortes")))
  }
})

test_that("the best margin is the best, and more data and larger delta help", {
  d <- toy(2000)
  fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 2, C = 1e-3, control = quiet(),
             scale = FALSE)
  best <- risk_bound(fit, d$x, margin = "best")
  suppressWarnings(all <- risk_bound(fit, d$x, margin = 2^(-10:10)))
  expect_equal(best$value, min(all$value))
  expect_lt(best$value, 1)
  expect_lt(risk_bound(fit, d$x, delta = 0.2)$value, risk_bound(fit, d$x, delta = 0.01)$value)
})

test_that("a vacuous bound is a warning, not hidden", {
  d <- toy(40)
  fit <- mkl(d$x, d$y, per_feature(linear_kernel()), control = quiet(), scale = FALSE)
  expect_warning(bound <- risk_bound(fit, d$x), class = "manykernels_warning_vacuous")
  expect_gt(bound$value, 1)
  expect_output(print(bound), "vacuous")
  expect_no_warning(risk_bound(mkl(toy(2000)$x, toy(2000)$y, per_feature(linear_kernel()),
                                   C = 1e-3, scale = FALSE), toy(2000)$x))
})

test_that("fits of all kinds have a bound", {
  d <- judge_clouds(40)
  bound <- function(...) suppressWarnings(risk_bound(...))
  table <- data.frame(d$x, class = d$y)
  by_formula <- mkl(class ~ ., table, kernels = gaussian_kernel(c(1, 4)), control = quiet(),
                    scale = FALSE)
  by_matrix <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet(), scale = FALSE)
  expect_equal(bound(by_formula, table)$value, bound(by_matrix, d$x, d$y)$value)
  K <- kernel_matrix(gaussian_kernel(c(1, 4)), d$x)
  by_K <- mkl(NULL, d$y, precomputed_kernel(K), control = quiet(), scale = FALSE)
  expect_equal(bound(by_K, K)$value, bound(by_matrix, d$x)$value, tolerance = 1e-6)
  three <- judge_triangle()
  many <- mkl(three$x, three$y, gaussian_kernel(c(1, 4)), control = quiet(), scale = FALSE)
  expect_s3_class(bound(many$models[[1]], three$x), "risk_bound")
  none <- by_matrix
  none$alpha[] <- 0
  none$offset <- 0
  expect_true(is.finite(bound(none, d$x)$value))
})

test_that("it prints terms, statement and assumptions", {
  d <- toy(2000)
  fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 2, C = 1e-3, control = quiet(),
             scale = FALSE)
  numbers <- function(lines) gsub(" +", " ", gsub("[0-9]+[.][0-9]+", "#", lines))
  expect_snapshot(risk_bound(fit, d$x, d$y, margin = c(0.5, 1)), transform = numbers)
  expect_output(print(risk_bound(fit, d$x, margin = "best", complexity = "empirical")),
                "random signs")
})

test_that("wrong arguments are errors that name them", {
  d <- judge_clouds(20)
  fit <- mkl(d$x, d$y, gaussian_kernel(1), control = quiet(), scale = FALSE)
  three <- judge_triangle()
  many <- mkl(three$x, three$y, gaussian_kernel(1), multiclass = "ovo", control = quiet(),
              scale = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    risk_bound("fit", d$x)
    risk_bound(many, three$x)
    risk_bound(many$models[[1]], three$x)
    risk_bound(fit)
    risk_bound(fit, d$x[-1, ])
    risk_bound(fit, d$x, rev(d$y))
    risk_bound(fit, d$x, margin = 0)
    risk_bound(fit, d$x, margin = "large")
    risk_bound(fit, d$x, delta = 0)
    risk_bound(fit, d$x, complexity = "vc")
    risk_bound(fit, d$x, R = -1)
    risk_bound(fit, d$x, R = 0.1)
    risk_bound(fit, d$x, complexity = "empirical", draws = 0)
    risk_bound(fit, d$x, gamma = 1)
  })
})

# The risk of a fit with linear kernels on single features is known: a linear function of x.
known_risk <- function(fit, toy) {
  axes <- rbind(0, diag(ncol(toy$x)))
  colnames(axes) <- colnames(toy$x)
  f <- predict(fit, axes, "decision")
  w <- f[-1] - f[1]
  side <- function(sign) stats::pnorm(-(sum(w * toy$mean) + sign * f[1]) / sqrt(sum(w^2)))
  (side(1) + side(-1)) / 2
}

test_that("95 % bounds hold on at least 95 % of samples with known risk", {
  skip_unless_slow()
  holds <- tight <- matrix(NA, 200, 4)
  for (k in 1:200) {
    d <- toy(1000, d = 1 + k %% 3, rho = 1 + k %% 4, seed = k)
    p <- if (k %% 20) c(4 / 3, 2, Inf)[1 + k %% 3] else 1
    fit <- mkl(d$x, d$y, per_feature(linear_kernel()), p = p,
               C = 10^(-3 + k %% 2), normalize = "none", control = quiet(), scale = FALSE)
    suppressWarnings(values <- c(
      risk_bound(fit, d$x)$value, risk_bound(fit, d$x, margin = "best")$value,
      risk_bound(fit, d$x, complexity = "empirical")$value,
      risk_bound(fit, d$x, margin = "best", complexity = "empirical")$value
    ))
    holds[k, ] <- values >= known_risk(fit, d)
    tight[k, ] <- values < 1
  }
  expect_true(all(colMeans(holds) >= 0.95))
  expect_gt(mean(tight[, 4]), 0.2) # not because it says nothing
})
