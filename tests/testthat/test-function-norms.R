# Sums of norms and norms of users: against the same norms in C, plain R solutions, and definitions.

skip_on_cran() # half a minute

sharp <- function(tol = 1e-7, ...) quiet(tol = tol, ...)
power_norm <- function(p, M = NULL) {
  force(p)
  size <- function(x, p) if (is.infinite(p)) max(x) else sum(x^p)^(1 / p)
  custom_norm(function(theta) size(theta, p), function(theta) (theta / size(theta, p))^(p - 1),
              function(s) size(s, p / (p - 1)), M, paste0("l", p))
}
ellipsoid <- function(E) {
  inverse <- solve(E)
  size <- function(x, A) sqrt(sum(x * (A %*% x)))
  custom_norm(function(theta) size(theta, inverse), function(theta) drop(inverse %*% theta) / size(theta, inverse),
              function(s) size(s, E), nrow(E))
}

data_of_norms <- function(n = 60) {
  set.seed(3)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  eta <- x[, 1] + sin(2 * x[, 2])
  list(x = x, number = eta + rnorm(n) / 3, class = factor(ifelse(eta + rnorm(n) / 2 > 0, "v", "u")),
       kernels = c(linear_kernel(), gaussian_kernel(c(0.3, 1, 4))))
}

test_that("a norm by functions gives the fit of the same norm in C", {
  d <- data_of_norms()
  E <- diag(4) + outer(c(1, -0.5, 0.4, 0.2), c(1, -0.5, 0.4, 0.2))
  weighted <- lp_norm(2, weights = 1:4)
  same <- c(lapply(c(1, 1.1, 4 / 3, 2, 4, 16), function(p) list(power_norm(p, 4), lp_norm(p))),
            lapply(c(1, 4 / 3, 4), function(p) list(sum_norm(lp_norm(p)), lp_norm(p))),
            list(list(sum_norm(weighted), weighted), list(ellipsoid(E), quadratic_norm(E))))
  for (one in same) {
    fit <- function(norm) mkl(d$x, d$class, d$kernels, norm = norm, control = sharp())
    own <- fit(one[[1]])
    other <- fit(one[[2]])
    label <- format(one[[2]])
    expect_true(own$converged, info = label)
    expect_equal(own$primal, other$primal, tolerance = 2e-7, info = label)
    expect_equal(own$objective, other$objective, tolerance = 2e-7, info = label)
    expect_equal(coef(own), coef(other), tolerance = 2e-3, info = label)
    again <- duality_gap(own, d$x)
    expect_equal(again$gap, own$gap, tolerance = 1e-6, info = label)
    expect_equal(unname(predict(own, d$x, type = "decision")), unname(own$decision), tolerance = 1e-8)
  }
})

test_that("weights of equal kernels are those by hand", {
  K <- tcrossprod(1:4)
  y <- c(-1, 0, 1, 3)
  fit <- function(M, ...) coef(mkl(y = y, kernels = do.call(c, rep(list(precomputed_kernel(K)), M)), normalize = "none",
                                   norm = sum_norm(lp_norm(1), lp_norm(2), ...), control = sharp()))
  expect_equal(unname(fit(1)), 1 / 2, tolerance = 1e-8)
  # theta + theta + sqrt(2) theta = 1
  expect_equal(unname(fit(2)), rep(1 / (2 + sqrt(2)), 2), tolerance = 1e-4)
  expect_equal(unname(fit(2, coefficients = c(3, 2))), rep(1 / (6 + 2 * sqrt(2)), 2), tolerance = 1e-4)
})

test_that("the fit is the optimum that plain R finds, and its dual value is the definition's", {
  d <- data_of_norms(40)
  K <- lapply(c(0.3, 1, 4), function(width) exp(-as.matrix(dist(d$x))^2 / width))
  kernels <- do.call(c, lapply(K, precomputed_kernel))
  C <- 2
  size <- function(theta) 0.5 * sum(theta) + 2 * sum(theta^3)^(1 / 3)
  norms <- list(sum_norm(lp_norm(1), lp_norm(3), coefficients = c(0.5, 2)),
                custom_norm(size, function(theta) 0.5 + 2 * (theta / sum(theta^3)^(1 / 3))^2, function(s) {
                  # for any theta with this ratio of weights the norm is known: the best ratio by search
                  value <- function(z) sum(exp(z) * s) / size(exp(z))
                  optim(log(s + 1e-9), value, control = list(fnscale = -1, reltol = 1e-14, maxit = 5000))$value
                }))
  aim <- function(z) {
    theta <- exp(z) / size(exp(z))
    sum(d$number * solve(Reduce(`+`, Map(`*`, theta, K)) + diag(40) / C, d$number)) / 2
  }
  best <- optim(numeric(3), aim, method = "BFGS", control = list(reltol = 1e-14))
  for (norm in norms) {
    fit <- mkl(y = d$number, kernels = kernels, normalize = "none", norm = norm, loss = "squared", C = C,
               intercept = FALSE, scale = c(x = FALSE, response = FALSE), control = quiet(tol = 1e-5))
    expect_equal(fit$primal, best$value, tolerance = 1e-5)
    expect_lte(fit$objective, best$value * (1 + 1e-9))
    expect_equal(unname(coef(fit)), exp(best$par) / size(exp(best$par)), tolerance = 0.02)
    expect_equal(size(coef(fit)), 1, tolerance = 1e-8)
    s <- vapply(K, function(one) sum(fit$alpha * (one %*% fit$alpha)), 0)
    value <- function(z) sum(exp(z) * s) / size(exp(z))
    worth <- optim(log(coef(fit)), value, control = list(fnscale = -1, reltol = 1e-14, maxit = 5000))$value
    expect_equal(fit$objective, sum(fit$alpha * d$number - fit$alpha^2 / (2 * C)) - worth / 2, tolerance = 1e-6)
  }
})

test_that("losses, several classes, weights, optimisers, starts and constant kernels take them", {
  d <- data_of_norms()
  norm <- sum_norm(lp_norm(1), lp_norm(2))
  three <- cut(d$number, c(-Inf, -0.7, 0.7, Inf), c("a", "b", "c"))
  gap <- function(fit) max(duality_gap(fit, fit_x)$gap)
  fit_x <- d$x
  for (multiclass in c("ovr", "ovo", "shared")) {
    fit <- function(norm) mkl(d$x, three, d$kernels, norm = norm, multiclass = multiclass, control = sharp())
    expect_equal(coef(fit(power_norm(4))), coef(fit(lp_norm(4))), tolerance = 2e-3)
    expect_lte(gap(fit(norm)), 1e-7)
  }
  for (loss in list("squared_hinge", "logistic", "squared")) {
    expect_lte(gap(mkl(d$x, d$class, d$kernels, norm = norm, loss = loss, control = sharp())), 1e-7)
  }
  for (loss in list(huber_loss(), epsilon_loss(), quantile_loss(c(0.2, 0.8)))) {
    expect_lte(gap(mkl(d$x, d$number, d$kernels, norm = norm, loss = loss, control = sharp())), 1e-7)
  }
  squared <- custom_loss(function(t, y) (t - y)^2 / 2, function(t, y) t - y, function(u, y) u^2 / 2 + u * y)
  own <- mkl(d$x, d$number, d$kernels, norm = norm, loss = squared, control = sharp())
  expect_lte(gap(own), 1e-7)
  expect_equal(own$primal, mkl(d$x, d$number, d$kernels, norm = norm, loss = "squared", control = sharp(),
                               scale = c(x = TRUE, response = FALSE))$primal, tolerance = 2e-7)
  expect_lte(mkl(d$x, kernels = d$kernels, norm = norm, loss = "one_class", control = sharp())$gap, 1e-7)
  for (optimizer in c("wrapper", "newton", "chunking")) {
    expect_lte(gap(mkl(d$x, d$class, d$kernels, norm = norm, control = quiet(optimizer = optimizer))), 1e-3)
  }
  for (optimizer in c("level", "cutting_plane", "reduced_gradient")) {
    expect_error(mkl(d$x, d$class, d$kernels, norm = norm, control = quiet(optimizer = optimizer)), "sum of lp-norms",
                 class = "manykernels_unsupported")
  }
  first <- mkl(d$x, d$class, d$kernels, norm = norm, weights = rep(1:2, 30), control = sharp())
  expect_lte(gap(mkl(d$x, d$class, d$kernels, norm = norm, control = sharp(start = first))), 1e-7)
  fit_x <- cbind(d$x, z = 0)
  for (norm in list(norm, power_norm(1.5))) {
    fit <- suppressMessages(mkl(fit_x, d$class, per_feature(gaussian_kernel(1)), norm = norm, control = sharp()))
    expect_identical(unname(coef(fit)[4]), 0)
    expect_lte(gap(fit), 1e-7)
  }
})

test_that("cv_mkl() and mkl_path() take them, and empirical complexities do", {
  skip_unless_slow()
  d <- data_of_norms()
  cv <- function(norm, ...) cv_mkl(d$x, d$class, d$kernels, C = c(0.1, 10), norm = norm, folds = rep(1:3, 20),
                                   control = sharp(1e-6), ...)
  own <- cv(list(power_norm(4), lp_norm(4), sum_norm(lp_norm(1), lp_norm(2))))
  expect_lte(max(own$by_fold$gap), 1e-6)
  expect_identical(own$results$accuracy[1:2], own$results$accuracy[3:4])
  expect_equal(own$results$margin_loss[1:2], own$results$margin_loss[3:4], tolerance = 1e-3)
  expect_lte(duality_gap(own, d$x)$gap, 1e-6)
  for (norm in list(power_norm(4), sum_norm(lp_norm(1), lp_norm(2)))) {
    path <- mkl_path(d$x, d$class, d$kernels, norm = norm, C = c(0.1, 1), control = quiet())
    expect_lte(max(path$intervals$gap), 1e-3)
  }
  complexity <- function(norm) {
    set.seed(1)
    empirical_rademacher(d$kernels, d$x, norm = norm, draws = 20)$value
  }
  expect_equal(complexity(power_norm(4)), complexity(lp_norm(4)))
  expect_equal(complexity(sum_norm(lp_norm(4), coefficients = 4)), complexity(lp_norm(4)) / 2)
  fit <- mkl(d$x, d$class, d$kernels, norm = power_norm(4), control = quiet())
  same <- mkl(d$x, d$class, d$kernels, norm = lp_norm(4), control = quiet())
  bound <- function(fit) {
    set.seed(1)
    suppressWarnings(risk_bound(fit, d$x, complexity = "empirical")$value)
  }
  expect_equal(bound(fit), bound(same), tolerance = 0.01)
  expect_error(risk_bound(fit, d$x), "complexity = \"empirical\"", class = "manykernels_unsupported")
  expect_error(rademacher_convert(0.1, 4, 1, power_norm(4)), "empirical_rademacher", class = "manykernels_unsupported")
})

test_that("norms with an l1 part are certified where most of many kernels have weight 0", {
  skip_unless_slow()
  set.seed(2)
  x <- matrix(rnorm(100 * 200), 100)[1:30, ]
  y <- factor(x[, 1] + x[, 2] > 0)
  fit <- function(norm, columns = 1:200, tol = 1e-3) {
    mkl(x[, columns], y, per_feature(linear_kernel()), norm = norm, control = quiet(tol = tol))
  }
  own <- fit(lp_norm(1), tol = 1e-6)
  for (norm in list(sum_norm(lp_norm(1)), custom_norm(sum, function(t) rep(1, length(t)), max))) {
    for (tol in c(1e-3, 1e-5)) {
      one <- fit(norm, tol = tol)
      expect_lte(one$gap, tol)
      expect_equal(one$objective, own$objective, tolerance = tol)
      expect_lt(one$solves, 150)
    }
  }
  few <- fit(sum_norm(lp_norm(1), lp_norm(2)), 1:20, 1e-5)
  expect_lte(few$gap, 1e-5)
  expect_identical(few$optimizer, "newton")
  expect_lte(fit(sum_norm(lp_norm(1), lp_norm(2)), tol = 1e-5)$gap, 1e-5)
})

test_that("thirty groups of 150 kernels are certified with every loss", {
  skip_unless_slow()
  G <- rep(1:30, each = 5)
  size <- function(v) sqrt(rowsum(v^2, G)[, 1])
  norm <- custom_norm(function(theta) sum(size(theta)), function(theta) theta / size(theta)[G], function(s) max(size(s)))
  set.seed(1)
  x <- matrix(rnorm(5000), 100, dimnames = list(NULL, paste0("v", 1:50)))
  number <- x[, 1] + 0.3 * rnorm(100)
  mixed <- x %*% matrix(rnorm(2500), 50) / 7
  class <- factor(rowSums(mixed) > 0)
  for (loss in c("squared", "epsilon_insensitive", "hinge", "logistic")) for (C in c(0.1, 1, 100)) {
    regression <- loss %in% c("squared", "epsilon_insensitive")
    fit <- mkl(if (regression) x else mixed, if (regression) number else class, per_feature(gaussian_kernel(c(0.5, 2, 8))),
               norm = norm, loss = loss, C = C, control = quiet())
    expect_lte(fit$gap, 1e-3, label = paste(loss, C))
  }
})

test_that("tidymodels, mlr3 and caret take norms and losses by functions", {
  for (package in c("parsnip", "mlr3", "paradox", "caret")) skip_if_not_installed(package)
  loss <- custom_loss(function(t, y) (t - y)^2 / 2, function(t, y) t - y, function(u, y) u^2 / 2 + u * y)
  own <- list(kernels = gaussian_kernel(c(1, 10)), loss = loss, norm = sum_norm(lp_norm(1), lp_norm(2)))
  plain <- unname(predict(do.call(mkl, c(list(as.matrix(mtcars[-1]), mtcars$mpg, C = 2), own)), as.matrix(mtcars[-1])))
  spec <- do.call(parsnip::set_engine, c(list(svm_mkl("regression", cost = 2), "manykernels"), own))
  expect_equal(predict(parsnip::fit(spec, mpg ~ ., mtcars), mtcars)$.pred, plain, tolerance = 1e-6)
  learner <- LearnerRegrMKL$new()
  learner$param_set$values <- c(list(C = 2), own)
  task <- mlr3::as_task_regr(mtcars, target = "mpg")
  expect_equal(learner$train(task)$predict(task)$response, plain, tolerance = 1e-2)
  tuned <- do.call(caret::train, c(list(mpg ~ ., mtcars, method = caret_mkl(own$kernels), loss = loss, norm = own$norm,
                                        tuneGrid = data.frame(C = 2, p = 1)),
                                   list(trControl = caret::trainControl("none"))))
  expect_equal(unname(predict(tuned, mtcars)), plain, tolerance = 1e-6)
})

test_that("fits keep the norm and print it", {
  d <- data_of_norms()
  fit <- mkl(d$x, d$class, d$kernels, norm = power_norm(4), control = quiet())
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(duality_gap(readRDS(file), d$x)$gap, duality_gap(fit, d$x)$gap)
  expect_output(print(fit), "Custom-norm MKL, l4")
  expect_output(print(power_norm(4)), "l4 norm")
  expect_error(write_model(fit, file), "function", class = "manykernels_unsupported")
  sum <- mkl(d$x, d$class, d$kernels, norm = sum_norm(lp_norm(1), lp_norm(2, weights = 1:4)), control = quiet())
  expect_output(print(sum), "Sum-norm MKL, 1 (p = 1) + 1 (p = 2, weighted)", fixed = TRUE)
  write_model(sum, file)
  expect_identical(predict(read_model(file), d$x), predict(sum, d$x))
})

test_that("functions that are not those of a norm are refused, with the place", {
  refused <- function(expr, text, class = "manykernels_invalid_argument") expect_error(expr, text, class = class)
  value <- function(theta) sqrt(sum(theta^2))
  slope <- function(theta) theta / sqrt(sum(theta^2))
  refused(custom_norm(value, slope), "`conjugate`")
  refused(custom_norm(value, 1, value), "`derivative` must be a function of theta")
  refused(custom_norm(value, function(theta) 2 * slope(theta), value, 3), "derivative of `value`")
  refused(custom_norm(value, slope, function(s) 2 * value(s), 3), "`conjugate` must be 1")
  refused(custom_norm(value, slope, function(s) value(s) * (1 - var(s)), 3), "`conjugate` must")
  refused(custom_norm(value, slope, max, 3), "`conjugate` must")
  refused(custom_norm(function(theta) sum(theta^2), function(theta) 2 * theta, value, 3), "twice as large")
  refused(custom_norm(function(theta) sum(sqrt(theta))^2, function(theta) sum(sqrt(theta)) / sqrt(theta), max, 3),
          "convex")
  refused(custom_norm(function(theta) -sum(theta), function(theta) -1 + 0 * theta, max, 3), "positive")
  refused(custom_norm(max, function(theta) as.numeric(seq_along(theta) == which.max(theta)), sum, 3),
          "`value` must have a derivative wherever all weights are positive, .* \\(1, 1, 1\\)")
  expect_s3_class(power_norm(32, 3), "mkl_norm")
  refused(custom_norm(value, sum, value, 3), "`derivative` must return as many finite numbers")
  refused(custom_norm(function(theta) NA, slope, value, 3), "`value` must return a finite number")
  refused(custom_norm(function(theta) stop("no"), slope, value, 3), "`value` of the norm failed: no")
  refused(custom_norm(value, slope, value, M = 0), "`M`")
  refused(sum_norm(), "lp_norm")
  refused(sum_norm(2), "lp_norm")
  refused(sum_norm(lp_norm(2), coefficients = -1), "`coefficients`")
  refused(sum_norm(lp_norm(2), coefficients = 1:2), "`coefficients` must have 1 number", "manykernels_length")
  for (norm in list(lp_norm(Inf), block_norm(4), sum_norm(lp_norm(1)))) {
    refused(sum_norm(lp_norm(1), norm), "custom_norm", "manykernels_unsupported")
  }
  d <- data_of_norms()
  late <- custom_norm(value, slope, function(s) value(s) / 2)
  refused(mkl(d$x, d$class, d$kernels, norm = late), "`conjugate` must be 1")
  refused(mkl(d$x, d$class, d$kernels, norm = sum_norm(lp_norm(1, weights = 1:3))), "3 weights", "manykernels_length")
})
