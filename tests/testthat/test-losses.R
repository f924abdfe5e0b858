skip_on_cran() # a slow file
sharp <- function(...) quiet(tol = 1e-10, ...)

for_classes <- c("hinge", "squared_hinge", "logistic", "squared")
for_numbers <- list("squared", epsilon_loss(0.2), epsilon_loss(0), huber_loss(0.5))

# 40 rows, a response of each kind.
clouds <- function(n = 40) {
  d <- judge_clouds(n)
  d$number <- unname(d$x[, 1]^2 + d$x[, 2] / 2 + 0.3 * sin(7 * d$x[, 3]))
  d
}
two_kernels <- function() c(linear_kernel(), gaussian_kernel(c(1, 4)))
two_matrices <- function(x, how = "multiplicative") {
  lapply(list(judge_linear(x), judge_gaussian(x), judge_gaussian(x, width = 4)),
         function(K) judge_normalize(K, how)$train)
}
one_kernel <- function(d, y, ..., width = 4) {
  mkl(d$x, y, gaussian_kernel(width), normalize = "none", ..., control = sharp(), scale = FALSE)
}

# What a fit is about, by its response.
kind <- function(fit) {
  if (is.null(fit$y)) "one_class" else if (is.factor(fit$y)) "classes" else "numbers"
}

# Every response with its losses: list(y, loss, name).
loss_cases <- function(d) {
  c(lapply(for_classes, function(loss) list(y = d$y, loss = loss)),
    lapply(for_numbers, function(loss) list(y = d$number, loss = loss)),
    list(list(y = NULL, loss = "one_class")))
}
fit_case <- function(case, x, ..., intercept = TRUE) {
  if (is.null(case$y)) return(mkl(x, loss = case$loss, ..., scale = FALSE))
  mkl(x, case$y, loss = case$loss, intercept = intercept, ..., scale = FALSE)
}

# ---- by definition -------------------------------------------------------------------------------

test_that("fits of every loss are certified by definition", {
  d <- clouds()
  Ks <- two_matrices(d$x)
  for (case in loss_cases(d)) for (intercept in c(TRUE, FALSE)) for (tol in c(1e-3, 1e-6)) {
    if (is.null(case$y) && intercept) next
    C <- if (tol > 1e-4) 0.1 else 10
    for (p in c(1, 4 / 3, Inf)) {
      fit <- fit_case(case, d$x, kernels = two_kernels(), p = p, C = C, intercept = intercept,
                      control = quiet(tol = tol))
      expect_fit_certified(fit, Ks, info = paste(fit$loss, p, C, tol))
      again <- if (is.null(case$y)) duality_gap(fit, d$x) else duality_gap(fit, d$x, case$y)
      expect_equal(again$primal, fit$primal, tolerance = 1e-9)
      expect_equal(again$dual, fit$objective, tolerance = 1e-9)
      if (!fit$intercept) expect_identical(fit$offset, 0)
    }
  }
})

test_that("every loss goes with every norm", {
  d <- clouds()
  Ks <- two_matrices(d$x)
  norms <- list(lp_norm(1.5, c(1, 3, 0.5)), quadratic_norm(diag(3) + 0.3), block_norm(1.3),
                block_norm(4), elastic_net_norm(0.5))
  for (case in loss_cases(d)) for (norm in norms) {
    fit <- fit_case(case, d$x, kernels = two_kernels(), norm = norm, control = quiet(tol = 1e-6))
    expect_fit_certified(fit, Ks, info = paste(fit$loss, format(norm)))
  }
})

# ---- one kernel, by other means ------------------------------------------------------------------

test_that("squared loss with one kernel is kernel ridge regression", {
  d <- clouds()
  K <- judge_gaussian(d$x, width = 4)
  n <- nrow(K)
  for (C in c(0.1, 5)) for (y in list(d$number, ifelse(d$y == "yes", 1, -1))) {
    given <- if (length(unique(y)) == 2) factor(y) else y
    with <- one_kernel(d, given, loss = "squared", C = C)
    system <- rbind(cbind(K + diag(n) / C, 1), c(rep(1, n), 0))
    by_hand <- solve(system, c(y, 0))
    expect_equal(unname(with$alpha), by_hand[1:n], tolerance = 1e-4)
    expect_equal(with$offset, by_hand[n + 1], tolerance = 1e-4)
    without <- one_kernel(d, given, loss = "squared", C = C, intercept = FALSE)
    expect_equal(unname(without$alpha), solve(K + diag(n) / C, y), tolerance = 1e-4)
    expect_identical(without$offset, 0)
    # the optimal value without an offset is y'(K + I/C)^-1 y / 2
    expect_equal(without$objective, sum(y * solve(K + diag(n) / C, y)) / 2, tolerance = 1e-9)
  }
})

# On one thread: conjugate gradients get there before a factor, or (logistic loss) don't.
test_that("large systems of losses without sparsity are solved to the tolerance", {
  skip_unless_slow()
  set.seed(1)
  n <- 1500L
  x <- matrix(rnorm(4 * n), n)
  y <- x[, 1] * x[, 2] + rnorm(n)
  control <- mkl_control(tol = 1e-7, threads = 1, progress = FALSE)
  two <- mkl(x, factor(y > 0), gaussian_kernel(c(2, 20)), loss = "logistic", C = 100, p = 2,
             scale = FALSE, control = control)
  expect_true(two$converged)
  expect_lte(duality_gap(two, x)$gap, 1e-7)
  fit <- mkl(x, y, gaussian_kernel(20), loss = "squared", normalize = "none", scale = FALSE,
             intercept = FALSE, control = control)
  alpha <- unname(fit$alpha)
  f <- unname(drop(exp(-as.matrix(dist(x))^2 / 20) %*% alpha))
  expect_equal(f + alpha, y, tolerance = 1e-3)
  expect_equal(fit$objective, sum(y * alpha) / 2, tolerance = 1e-3)
})

test_that("one-class with one kernel is LIBSVM's up to scaling", {
  skip_if_not_installed("e1071")
  d <- clouds(60)
  for (C in c(0.06, 0.2, 1)) {
    fit <- one_kernel(d, NULL, C = C)
    nu <- sum(fit$alpha) / (C * 60)
    other <- e1071::svm(d$x, type = "one-classification", kernel = "radial", gamma = 1 / 4, nu = nu,
                        scale = FALSE, tolerance = 1e-8)
    coefs <- numeric(60)
    coefs[other$index] <- other$coefs
    expect_equal(unname(fit$alpha) / C, coefs, tolerance = 1e-4)
    expect_equal(1 / C, other$rho, tolerance = 1e-4)
    clear <- abs(fit$decision) > 1e-5
    expect_identical(unname(predict(fit, d$x))[clear], unname(predict(other, d$x))[clear])
  }
  expect_type(predict(fit), "logical")
  expect_identical(predict(fit, type = "decision"), fit$decision)
})

test_that("epsilon-insensitive loss with one kernel is LIBSVM's regression", {
  skip_if_not_installed("e1071")
  d <- clouds(60)
  for (C in c(0.1, 3)) for (epsilon in c(0, 0.1, 0.5)) {
    fit <- one_kernel(d, d$number, loss = epsilon_loss(epsilon), C = C)
    other <- e1071::svm(d$x, d$number, type = "eps-regression", kernel = "radial", gamma = 1 / 4,
                        cost = C, epsilon = epsilon, scale = FALSE, tolerance = 1e-8)
    expect_equal(unname(fitted(fit)), unname(fitted(other)), tolerance = 1e-4)
    new <- d$x + 0.1
    expect_equal(unname(predict(fit, new)), unname(predict(other, new)), tolerance = 1e-4)
  }
})

test_that("smooth losses reach the optimum of a plain descent", {
  d <- clouds(30)
  root <- chol(judge_gaussian(d$x, width = 4) + diag(1e-9, 30))
  cases <- list(list("huber", 0.3, d$number), list("logistic", 0, ifelse(d$y == "yes", 1, -1)),
                list("squared_hinge", 0, ifelse(d$y == "yes", 1, -1)))
  for (case in cases) for (intercept in c(TRUE, FALSE)) {
    y <- case[[3]]
    value <- function(w) {
      f <- drop(crossprod(root, w[1:30])) + if (intercept) w[31] else 0
      2 * sum(mapply(judge_loss, case[[1]], f, y, case[[2]])) + sum(w[1:30]^2) / 2
    }
    found <- optim(numeric(30 + intercept), value, method = "BFGS",
                   control = list(maxit = 2000, reltol = 1e-13))
    loss <- if (case[[1]] == "huber") huber_loss(case[[2]]) else case[[1]]
    given <- if (case[[1]] == "huber") y else factor(y)
    fit <- one_kernel(d, given, loss = loss, C = 2, intercept = intercept)
    expect_equal(fit$primal, found$value, tolerance = 1e-6)
    expect_lte(fit$objective, found$value * (1 + 1e-7))
  }
})

# ---- limits --------------------------------------------------------------------------------------

test_that("losses go over into each other", {
  d <- clouds()
  fit <- function(loss, C = 1, y = d$number) {
    mkl(d$x, y, two_kernels(), p = 4 / 3, C = C, loss = loss, control = quiet(tol = 1e-8),
        scale = FALSE)
  }
  same <- function(a, b, tolerance) expect_equal(fitted(a, "decision"), fitted(b, "decision"),
                                                 tolerance = tolerance)
  same(fit(huber_loss(1e3)), fit("squared"), 1e-3)
  # epsilon to 0 is the absolute loss, and so is a narrow Huber loss, divided by its delta
  absolute <- fit(epsilon_loss(0))
  same(fit(epsilon_loss(1e-6)), absolute, 1e-3)
  same(fit(huber_loss(1e-4), C = 1e4), absolute, 1e-2)
  gaps <- vapply(c(0.3, 0.1, 0.03, 0.01), function(epsilon) {
    abs(fit(epsilon_loss(epsilon))$objective - absolute$objective)
  }, 0)
  expect_true(all(diff(gaps) < 0))
  # inside the tube there is nothing to pay
  flat <- fit(epsilon_loss(10))
  expect_length(flat$support, 0)
  expect_equal(flat$primal, 0)
  # the offset is in the feature space of a kernel that is large and constant
  wide <- mkl(d$x, d$number, precomputed_kernel(list(judge_gaussian(d$x) + 1e6)), loss = "squared",
              normalize = "none", intercept = FALSE, control = quiet(tol = 1e-8), scale = FALSE)
  own <- mkl(d$x, d$number, gaussian_kernel(1), loss = "squared", normalize = "none",
             control = quiet(tol = 1e-8), scale = FALSE)
  expect_equal(unname(fitted(wide)), unname(fitted(own)), tolerance = 1e-3)
})

test_that("logistic and hinge loss agree in direction where classes are apart", {
  x <- rbind(c(2, 0.3), c(1.5, 1), c(2.5, -1), c(-1, 0), c(-2, 1), c(-1.5, -2))
  y <- factor(rep(c("u", "v"), each = 3))
  direction <- function(loss, C) {
    fit <- mkl(x, y, linear_kernel(), loss = loss, C = C, normalize = "none",
               control = quiet(tol = 1e-8), scale = FALSE)
    w <- drop(crossprod(x, fit$alpha))
    w / sqrt(sum(w^2))
  }
  hard <- direction("hinge", 1e3)
  angles <- vapply(10^(0:6), function(C) 1 - sum(direction("logistic", C) * hard), 0)
  expect_lt(angles[7], 3e-3)
  expect_lt(angles[7], angles[1])
  expect_equal(direction("squared_hinge", 1e6), hard, tolerance = 1e-4)
})

test_that("squared loss and p = 1 on blocks of columns is the group lasso", {
  set.seed(3)
  x <- scale(matrix(rnorm(60 * 12), 60), scale = FALSE)
  y <- drop(x[, 1:3] %*% c(2, -1, 1) + x[, 7:9] %*% c(0.5, 1, 0) + rnorm(60))
  y <- y - mean(y)
  blocks <- split(1:12, rep(1:4, each = 3))
  names(blocks) <- letters[1:4]
  # min 1/2 ||y - X w||^2 + lambda sum ||w_g||, by proximal gradient steps
  group_lasso <- function(lambda) {
    step <- 1 / max(eigen(crossprod(x))$values)
    w <- numeric(12)
    for (k in 1:20000) {
      v <- w - step * drop(crossprod(x, x %*% w - y))
      for (g in blocks) v[g] <- v[g] * max(0, 1 - step * lambda / sqrt(sum(v[g]^2)))
      if (max(abs(v - w)) < 1e-13) break
      w <- v
    }
    w
  }
  fit_blocks <- function(p, C) {
    fit <- mkl(x, y, on_features(linear_kernel(), blocks), p = p, C = C, loss = "squared",
               normalize = "none", control = quiet(tol = 1e-6), scale = FALSE)
    expect_lt(fit$gap, 1e-6)
    rep(fit$theta, each = 3) * drop(crossprod(x, fit$alpha))
  }
  sizes <- function(w) vapply(blocks, function(g) sqrt(sum(w[g]^2)), 0)
  # the square of the sum of norms has the slope sum of norms: lambda = sum of norms / C
  for (C in c(0.05, 0.3)) {
    w <- fit_blocks(1, C)
    expect_equal(unname(w), group_lasso(sum(sizes(w)) / C), tolerance = 1e-3)
    expect_true(any(sizes(w) == 0))
    away <- vapply(c(1.3, 1.1, 1.01, 1.001), function(p) max(abs(fit_blocks(p, C) - w)), 0)
    expect_true(all(diff(away) < 0))
    expect_lt(away[4], 0.01)
  }
})

# ---- choosing the loss ---------------------------------------------------------------------------

test_that("the response chooses the loss, and the loss what two numbers mean", {
  d <- clouds(20)
  chosen <- function(y, ...) {
    fit <- mkl(d$x, y, linear_kernel(), ..., control = quiet(), scale = FALSE)
    c(fit$loss, kind(fit))
  }
  two <- rep(c(0, 5), 10)
  expect_identical(chosen(d$y), c("hinge", "classes"))
  expect_identical(chosen(as.character(d$y)), c("hinge", "classes"))
  expect_identical(chosen(two), c("hinge", "classes"))
  expect_identical(chosen(d$number), c("epsilon_insensitive", "numbers"))
  expect_identical(chosen(NULL), c("one_class", "one_class"))
  expect_identical(chosen(two, loss = "squared"), c("squared", "classes"))
  expect_identical(chosen(two, loss = "huber"), c("huber", "numbers"))
  expect_identical(chosen(two, loss = epsilon_loss(1)), c("epsilon_insensitive", "numbers"))
  expect_identical(chosen(d$number, loss = "squared"), c("squared", "numbers"))
  expect_identical(chosen(matrix(d$number), loss = "huber"), c("huber", "numbers"))
  expect_identical(chosen(1:20), c("epsilon_insensitive", "numbers"))
  expect_null(mkl(d$x, kernels = linear_kernel(), control = quiet(), scale = FALSE)$levels)
})

test_that("constant numbers are fitted by the offset", {
  d <- clouds(20)
  for (loss in for_numbers) for (y in c(3, 0.3, -1e5 / 7, 0)) {
    expect_no_warning(fit <- mkl(d$x, rep(y, 20), two_kernels(), loss = loss, control = quiet(),
                                 scale = FALSE))
    miss <- max(fit$loss_parameter[fit$loss != "huber"], 0) + 1e-9 * abs(y)
    expect_lte(max(abs(fitted(fit) - y)), miss)
    expect_lt(duality_gap(fit, d$x)$gap, 1e-3)
  }
  # one row, or one row that counts, is met exactly, too
  for (loss in list(epsilon_loss(0), huber_loss(1))) {
    for (intercept in c(TRUE, FALSE)) {
      one <- mkl(d$x[1, , drop = FALSE], 0.7, two_kernels(), loss = loss, normalize = "none",
                 C = 1e6, intercept = intercept, control = quiet(), scale = FALSE)
      expect_equal(unname(fitted(one)), 0.7, tolerance = 1e-4)
      counts <- mkl(d$x, d$number, two_kernels(), loss = loss, intercept = intercept, C = 1e6,
                    weights = rep(c(1, 0), c(1, 19)), control = quiet(), scale = FALSE)
      expect_equal(unname(fitted(counts)[1]), d$number[1], tolerance = 1e-4)
      expect_true(one$converged && counts$converged)
    }
  }
  alone <- mkl(d$x[1, , drop = FALSE], kernels = gaussian_kernel(1), normalize = "none",
               control = quiet(), scale = FALSE)
  expect_equal(unname(alone$alpha), 1)
  expect_classed(mkl(d$x, rep(3, 20), two_kernels(), scale = FALSE), "one_class", "y")
})

test_that("losses print and are checked", {
  expect_snapshot({
    epsilon_loss()
    huber_loss(1.345)
  })
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    epsilon_loss(-1)
    epsilon_loss("0.1")
    huber_loss(0)
    huber_loss(Inf)
    huber_loss(1:2)
  })
})

# ---- weights, warm starts, classes ---------------------------------------------------------------

test_that("case weights count rows, and rows of weight 0 not at all", {
  d <- clouds()
  weights <- rep(c(0, 1, 2, 1), 10)
  rows <- rep(1:40, weights)
  for (case in loss_cases(d)) {
    fit <- function(x, y, ...) {
      mkl(x, y, two_kernels(), loss = case$loss, normalize = "none", ...,
          control = quiet(tol = 1e-9), scale = FALSE)
    }
    weighted <- fit(d$x, case$y, weights = weights)
    repeated <- fit(d$x[rows, ], case$y[rows])
    expect_equal(weighted$objective, repeated$objective, tolerance = 1e-7)
    expect_equal(weighted$theta, repeated$theta, tolerance = 1e-2)
    expect_true(all(weighted$alpha[weights == 0] == 0))
    expect_equal(nobs(weighted), 30)
  }
})

test_that("class weights and several classes go with every loss for classes", {
  t <- judge_triangle()
  Ks <- lapply(list(judge_linear(t$x), judge_gaussian(t$x)), function(K) judge_normalize(K)$train)
  kernels <- c(linear_kernel(), gaussian_kernel(1))
  for (loss in for_classes) for (how in c("ovr", "ovo", "shared")) {
    fit <- mkl(t$x, t$y, kernels, p = 4 / 3, loss = loss, multiclass = how,
               class_weights = c(a = 2), control = quiet(tol = 1e-5), scale = FALSE)
    expect_true(fit$converged)
    expect_gt(mean(predict(fit) == t$y), 0.75)
    expect_equal(predict(fit, t$x, "decision"), unclass(fit$decision), tolerance = 1e-9)
    expect_equal(max(duality_gap(fit, t$x, t$y)$gap), max(fit$gap), tolerance = 1e-3)
    if (how == "ovr") for (model in fit$models) expect_fit_certified(model, Ks)
    expect_true(all(residuals(fit) >= 0, na.rm = TRUE))
  }
})

test_that("warm starts come from any loss of the same kind of response", {
  d <- clouds()
  for (case in loss_cases(d)) {
    fit <- function(C, ...) {
      fit_case(case, d$x, kernels = two_kernels(), p = 4 / 3, C = C, control = quiet(...))
    }
    cold <- fit(1, tol = 1e-8)
    for (C in c(0.1, 10)) {
      warm <- fit(1, tol = 1e-8, start = fit(C))
      expect_true(warm$converged)
      expect_equal(warm$objective, cold$objective, tolerance = 1e-7)
    }
    expect_lte(fit(1, start = cold)$iterations, fit(1)$iterations)
  }
  hinge <- mkl(d$x, d$y, two_kernels(), control = quiet(), scale = FALSE)
  logistic <- mkl(d$x, d$y, two_kernels(), loss = "logistic", control = quiet(start = hinge),
                  scale = FALSE)
  expect_true(logistic$converged)
  squared <- mkl(d$x, d$number, two_kernels(), loss = "squared", control = quiet(), scale = FALSE)
  tube <- mkl(d$x, d$number, two_kernels(), intercept = FALSE, control = quiet(start = squared),
              scale = FALSE)
  expect_true(tube$converged)
  expect_classed(mkl(d$x, d$number, two_kernels(), control = quiet(start = hinge), scale = FALSE),
                 "invalid_argument", "start")
})

# ---- methods -------------------------------------------------------------------------------------

test_that("predictions are the same from the training data, from new rows, and after saving", {
  d <- clouds()
  K <- list(u = judge_linear(d$x), v = judge_gaussian(d$x, width = 4))
  file <- tempfile(fileext = ".rds")
  for (case in loss_cases(d)) for (how in list("multiplicative", c("centre", "spherical"),
                                               c("centre", "trace"))) {
    if (is.null(case$y) && "centre" %in% how) next
    for (intercept in c(TRUE, FALSE)) for (precomputed in c(FALSE, TRUE)) {
      kernels <- if (precomputed) precomputed_kernel(K) else c(linear_kernel(), gaussian_kernel(4))
      fit <- fit_case(case, if (!precomputed) d$x, kernels = kernels, normalize = how,
                      intercept = intercept, control = quiet())
      new <- if (!precomputed) d$x else lapply(K, function(k) structure(k, diagonal = diag(k)))
      expect_equal(unname(predict(fit, new, "decision")), unname(fit$decision), tolerance = 1e-9)
      saveRDS(fit, file)
      expect_identical(predict(readRDS(file), new), predict(fit, new))
    }
  }
})

test_that("logistic loss has its probabilities from the model", {
  d <- clouds()
  fit <- mkl(d$x, d$y, two_kernels(), loss = "logistic", control = quiet(), scale = FALSE)
  new <- d$x + 0.2
  p <- predict(fit, new, "prob")
  expect_identical(colnames(p), c("no", "yes"))
  expect_equal(unname(p[, 2]), 1 / (1 + exp(-unname(predict(fit, new, "decision")))))
  expect_equal(unname(rowSums(p)), rep(1, 40))
  expect_identical(unname(predict(fit, new) == "yes"), unname(p[, 2] > 0.5))
  t <- judge_triangle()
  for (how in c("ovr", "ovo", "shared")) {
    several <- mkl(t$x, t$y, two_kernels(), loss = "logistic", multiclass = how, control = quiet(),
                   scale = FALSE)
    p <- predict(several, t$x, "prob")
    expect_identical(colnames(p), levels(t$y))
    expect_equal(unname(rowSums(p)), rep(1, 45))
    expect_gt(mean(levels(t$y)[max.col(p)] == t$y), 0.8)
  }
  # the others have them from cross-validation
  set.seed(4)
  squared <- mkl(d$x, d$y, two_kernels(), loss = "squared", control = quiet(probability = TRUE),
                 scale = FALSE)
  expect_equal(unname(rowSums(predict(squared, d$x, "prob"))), rep(1, 40))
  expect_classed(predict(mkl(d$x, d$y, two_kernels(), control = quiet(),
                             scale = FALSE), d$x, "prob"),
                 "no_probability", "type")
  expect_classed(predict(mkl(d$x, d$number, two_kernels(), control = quiet(),
                             scale = FALSE), d$x, "prob"),
                 "unsupported", "type")
})

test_that("residuals and support vectors are what the loss says", {
  d <- clouds()
  for (case in loss_cases(d)) {
    fit <- fit_case(case, d$x, kernels = two_kernels(), C = 0.5, control = quiet())
    y <- judge_targets(fit)
    f <- unname(fit$decision) + (fit$loss == "one_class")
    loss <- vapply(1:40, function(i) judge_loss(fit$loss, f[i], y[i], fit$loss_parameter %||% 0), 0)
    expect_equal(unname(residuals(fit, "loss")), loss, tolerance = 1e-12)
    if (is.numeric(fit$y)) expect_equal(unname(residuals(fit)), y - f)
    if (is.factor(fit$y)) expect_equal(unname(residuals(fit, "margin")), y * f)
    table <- support(fit)
    expect_identical(table$row, fit$support)
    expect_identical(names(table)[-(1:2)], switch(kind(fit),
      classes = c("class", "alpha", "at_bound", "margin"),
      numbers = c("y", "alpha", "at_bound", "residual"),
      one_class = c("alpha", "at_bound", "decision")
    ))
    if (fit$loss %in% c("squared", "squared_hinge")) expect_false(any(table$at_bound))
    if (fit$loss %in% c("epsilon_insensitive", "huber")) expect_true(any(table$at_bound))
    expect_equal(sum(kernel_weights(fit)$share), 1)
    expect_equal(coef(fit), fit$theta)
  }
  number <- mkl(d$x, d$number, two_kernels(), control = quiet(), scale = FALSE)
  other <- update(number, loss = huber_loss(2), C = 3, intercept = FALSE)
  expect_identical(other[c("loss", "C", "intercept")],
                   list(loss = "huber", C = 3, intercept = FALSE))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    residuals(number, "margin")
    residuals(mkl(d$x, d$y, two_kernels(), control = quiet()), "response")
    residuals(mkl(d$x, kernels = two_kernels(), control = quiet()), "margin")
    predict(number, d$x, "prob")
    risk_bound(number, d$x)
    duality_gap(number, d$x, d$number + 1)
    duality_gap(number, d$x, d$y)
    duality_gap(mkl(d$x, kernels = two_kernels(), control = quiet()), d$x, d$y)
    mkl(d$x, replace(d$number, 3, Inf), two_kernels())
    mkl(d$x, replace(d$number, 3, NA), two_kernels())
    mkl(d$x, cbind(d$number, 1), two_kernels())
    mkl(d$x, d$number[-1], two_kernels())
  })
})

test_that("formulas have numbers or nothing on their left", {
  d <- clouds()
  frame <- data.frame(d$x, y = d$number)
  frame$y[3] <- NA
  frame$v2[7] <- NA
  fit <- mkl(y ~ ., frame, kernels = two_kernels(), loss = "squared", na.action = na.exclude,
             control = quiet(), scale = FALSE)
  expect_length(residuals(fit), 40)
  expect_identical(which(is.na(residuals(fit))), c(`3` = 3L, `7` = 7L))
  expect_equal(unname(predict(fit, frame)[-c(3, 7)]), unname(fitted(fit)[-c(3, 7)]))
  expect_equal(duality_gap(fit, frame)$gap, fit$gap, tolerance = 1e-6)
  one <- mkl(~ v1 + v2, frame, kernels = two_kernels(), control = quiet(), scale = FALSE)
  expect_identical(one$loss, "one_class")
  expect_length(fitted(one), 39)
  expect_equal(unname(predict(one, frame)[-7]), unname(fitted(one)))
  expect_equal(duality_gap(one, frame)$gap, one$gap, tolerance = 1e-6)
})

test_that("fits print and are summarised", {
  d <- clouds()
  # numbers that depend on how far the optimiser went don't count
  show <- function(fit) {
    lines <- gsub("[0-9]*\\.[0-9]+", "<x>", hide_digits(capture.output(print(fit))))
    cat(gsub("[0-9]+ (in|out)", "<n> \\1", lines), sep = "\n")
  }
  one <- summary(mkl(d$x, kernels = gaussian_kernel(4), C = 0.05, control = sharp(), scale = FALSE))
  expect_identical(names(one$confusion), c("in", "out"))
  expect_equal(one$error, mean(one$fit$decision < 0))
  expect_output(print(one), "Training rows, outside")
  number <- summary(mkl(d$x, d$number, gaussian_kernel(4), control = quiet(), scale = FALSE))
  expect_equal(number$error, sqrt(mean((d$number - fitted(number$fit))^2)))
  expect_equal(number$r_squared, 1 - number$error^2 / mean((d$number - mean(d$number))^2))
  expect_snapshot({
    show(summary(mkl(d$x, d$number, gaussian_kernel(4), loss = "squared", intercept = FALSE,
                     control = sharp(), scale = FALSE)))
    show(mkl(d$x, d$number, gaussian_kernel(4), loss = huber_loss(0.1), control = sharp(),
             scale = FALSE))
    show(mkl(d$x, kernels = gaussian_kernel(4), C = 0.05, control = sharp(), scale = FALSE))
    show(summary(mkl(d$x, d$y, gaussian_kernel(4), loss = "logistic", control = sharp(),
                     scale = FALSE)))
  })
})

test_that("every plot is drawn for every loss", {
  d <- clouds()
  pdf(NULL)
  on.exit(dev.off())
  for (case in loss_cases(d)) {
    fit <- fit_case(case, d$x, kernels = two_kernels(), control = quiet())
    before <- par(no.readonly = TRUE)
    expect_no_warning(plot(fit))
    expect_no_warning(plot(fit, data = d$x))
    expect_identical(par(no.readonly = TRUE)$mai, before$mai)
  }
  flat <- mkl(d$x, rep(2, 40), two_kernels(), loss = "huber", control = quiet(), scale = FALSE)
  expect_no_warning(plot(flat, "margins", main = "Constant"))
})

test_that("risk bounds hold for fits of every loss for classes", {
  d <- clouds()
  for (loss in for_classes) for (intercept in c(TRUE, FALSE)) {
    fit <- mkl(d$x, d$y, two_kernels(), loss = loss, intercept = intercept, control = quiet(),
               scale = FALSE)
    bound <- suppressWarnings(risk_bound(fit, d$x, d$y))
    expect_equal(bound$offset, fit$offset)
    expect_equal(bound$terms$empirical, mean(pmin(1, pmax(0, 1 - residuals(fit, "margin")))),
                 tolerance = 1e-9)
  }
})

test_that("Huber's loss is fitted where it is all but the absolute value", {
  set.seed(1)
  x <- matrix(rnorm(400), 100)
  y <- x[, 1] + rnorm(100)
  fits <- list(
    mkl(x, y, gaussian_kernel(c(1, 8)), loss = huber_loss(1e-3), C = 1e4, control = quiet(),
        scale = FALSE),
    mkl(x, y, gaussian_kernel(1), loss = huber_loss(1e-6), C = 1e6, control = quiet(),
        scale = FALSE),
    mkl(x, 1e4 * y, gaussian_kernel(c(1, 8)), loss = huber_loss(1), C = 1e5, control = quiet(),
        scale = FALSE),
    mkl(x, 1e4 * y, gaussian_kernel(c(1, 8)), p = 1, loss = huber_loss(1e-2), C = 100,
        intercept = FALSE, control = quiet(), scale = FALSE)
  )
  for (fit in fits) {
    expect_true(fit$converged)
    expect_gt(max(abs(fit$alpha)), 0)
  }
})
