# Other forms of the problem, solved in plain R, against the fits that equivalent_cost() says have their
# predictors.

set.seed(1)
x <- matrix(rnorm(40 * 3), 40)
y <- x[, 1] + sin(2 * x[, 2]) + 0.2 * rnorm(40)
kernels <- c(linear_kernel(), gaussian_kernel(c(1, 8)))
K <- list(judge_linear(x), judge_gaussian(x), judge_gaussian(x, width = 8))
mix <- function(theta) Reduce(`+`, Map(`*`, theta, K))

# The least over w of C sum (y - f)^2 / 2 + sum |w_m|^2 / (2 theta_m), and f there.
ridge <- function(theta, C) {
  alpha <- solve(mix(theta) + diag(40) / C, y)
  list(value = sum(y * alpha) / 2, f = drop(mix(theta) %*% alpha), forms = judge_forms(K, alpha))
}
fit_at <- function(p, C = 2) {
  mkl(x, y, kernels, p = p, C = C, loss = "squared", intercept = FALSE, normalize = "none", scale = FALSE,
      control = quiet(tol = 1e-9))
}

test_that("the Tikhonov form has the same predictor", {
  for (p in c(1.5, 2, 4)) for (mu in c(0.1, 3)) {
    fit <- fit_at(p)
    same <- equivalent_cost(fit, "tikhonov", mu = mu)
    objective <- function(v) ridge(exp(v), same$C)$value + mu * judge_norm(exp(v), p)^2
    found <- optim(log(same$theta) + 0.3, objective, method = "BFGS", control = list(reltol = 1e-14, maxit = 500))
    theta <- exp(found$par)
    expect_equal(theta, unname(same$theta), tolerance = 1e-3, ignore_attr = TRUE)
    expect_equal(ridge(theta, same$C)$f, unname(predict(fit)), tolerance = 1e-4, ignore_attr = TRUE)
    expect_equal(same$radius, judge_norm(same$theta, p), tolerance = 1e-12)
    loss <- sum((y - predict(fit))^2) / 2
    expect_equal(found$value, same$C * loss + same$penalty, tolerance = 1e-6)
  }
})

test_that("the group lasso has the same predictor", {
  for (p in c(1, 2)) {
    fit <- fit_at(p)
    same <- equivalent_cost(fit, "group_lasso")
    q <- 2 * p / (p + 1)
    length <- fit$theta * sqrt(fit$forms)
    expect_equal(same$penalty, sum(length^q)^(1 / q), tolerance = 1e-4)
    # w minimises C L + |w|: so does it, for its own length, C L + |w|^2 / (2 |w*|) + |w*| / 2
    # and no scaling of w or of theta does better
    value <- function(s) same$C * sum((y - s * predict(fit))^2) / 2 + s * same$penalty
    expect_equal(optimize(value, c(0.5, 2), tol = 1e-8)$minimum, 1, tolerance = 1e-4)
  }
})

test_that("a given cost of the other form is found", {
  fit <- mkl(x, y, kernels, p = 1.5, C = 2, loss = "squared", intercept = FALSE, normalize = "none",
             scale = FALSE, control = quiet(tol = 1e-9))
  for (form in c("tikhonov", "group_lasso")) {
    there <- equivalent_cost(fit, form, mu = 0.7, C = 1.3, tol = 1e-6)
    expect_equal(there$C, 1.3, tolerance = 1e-5)
    expect_equal(equivalent_cost(there$fit, form, mu = 0.7)$C, 1.3, tolerance = 1e-5)
    back <- equivalent_cost(fit, form, mu = 0.7, C = equivalent_cost(fit, form, mu = 0.7)$C)
    expect_equal(back$fit$C, 2, tolerance = 1e-2)
  }
  expect_error(equivalent_cost(fit, "group_lasso", C = 1e-6), class = "manykernels_no_equivalent")
})

test_that("other fits are refused", {
  expect_error(equivalent_cost(mkl(x, y, kernels, norm = elastic_net_norm(0.5), control = quiet())),
               class = "manykernels_unsupported")
  expect_error(equivalent_cost(mkl_gomp(x, y, kernels)), class = "manykernels_error")
  expect_error(equivalent_cost(1), class = "manykernels_invalid_argument")
})
