# Losses of users, by functions: against the same losses in C, plain R solutions, and definitions.

sharp <- function(tol = 1e-8, ...) quiet(tol = tol, ...)
entropy <- function(v) ifelse(v > 0, v * log(pmax(v, 1e-300)), 0)
squared <- custom_loss(function(t, y) (t - y)^2 / 2, function(t, y) t - y, function(u, y) u^2 / 2 + u * y,
                       y = c(-1, 3), name = "my squared")
absolute <- custom_loss(function(t, y) abs(t - y), function(t, y) sign(t - y),
                        function(u, y) ifelse(abs(u) <= 1 + 1e-12, u * y, Inf))
hinge <- custom_loss(function(t, y) pmax(0, 1 - t * y), function(t, y) ifelse(t * y < 1, -y, 0),
                     function(u, y) ifelse(u * y <= 1e-12 & u * y >= -1 - 1e-12, u * y, Inf), "classes")
logistic <- custom_loss(
  function(t, y) log1p(exp(-t * y)), function(t, y) -y / (1 + exp(t * y)), function(u, y) {
    v <- -u * y
    ifelse(v < 0 | v > 1, Inf, entropy(pmax(v, 0)) + entropy(pmax(1 - v, 0)))
  }, "classes")
poisson <- custom_loss(function(t, y) exp(t) - y * t, function(t, y) exp(t) - y,
                       function(u, y) ifelse(u + y < 0, Inf, entropy(pmax(u + y, 0)) - (u + y)),
                       y = 0:3, name = "Poisson")

data_of_losses <- function(n = 60) {
  set.seed(3)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  eta <- x[, 1] + sin(2 * x[, 2])
  list(x = x, number = eta + rnorm(n) / 3, class = factor(ifelse(eta + rnorm(n) / 2 > 0, "v", "u")),
       count = rpois(n, exp(eta / 2)), kernels = c(linear_kernel(), gaussian_kernel(c(1, 4))))
}
raw <- c(x = TRUE, response = FALSE)

test_that("a loss by functions gives the fit of the same loss in C", {
  d <- data_of_losses()
  same <- list(list(squared, "squared", d$number), list(absolute, epsilon_loss(0), d$number),
               list(hinge, "hinge", d$class), list(logistic, "logistic", d$class))
  for (one in same) for (norm in list(lp_norm(1), lp_norm(4 / 3), block_norm(4), elastic_net_norm(0.5))) {
    for (intercept in c(TRUE, FALSE)) {
      fit <- function(loss) mkl(d$x, one[[3]], d$kernels, loss = loss, norm = norm, intercept = intercept,
                                control = sharp(), scale = if (is.factor(one[[3]])) TRUE else raw)
      own <- fit(one[[1]])
      other <- fit(one[[2]])
      label <- paste(other$loss, format(norm), intercept)
      expect_true(own$converged, info = label)
      expect_equal(own$primal, other$primal, tolerance = 1e-7, info = label)
      expect_equal(own$objective, other$objective, tolerance = 1e-7, info = label)
      again <- duality_gap(own, d$x)
      expect_lte(again$gap, 1e-8)
      expect_equal(again$dual, own$objective, tolerance = 1e-8)
      expect_equal(unname(predict(own, d$x, type = "decision")), unname(own$decision), tolerance = 1e-8)
    }
  }
})

test_that("Poisson regression with one kernel is that of plain R", {
  d <- data_of_losses()
  K <- tcrossprod(d$x)
  fit <- mkl(y = d$count, kernels = precomputed_kernel(K), normalize = "none", loss = poisson, C = 0.3,
             control = sharp(1e-10))
  aim <- function(w) {
    t <- drop(d$x %*% w[1:3]) + w[4]
    0.3 * sum(exp(t) - d$count * t - d$count + ifelse(d$count > 0, d$count * log(pmax(d$count, 1)), 0)) +
      sum(w[1:3]^2) / 2
  }
  slope <- function(w) {
    r <- 0.3 * (exp(drop(d$x %*% w[1:3]) + w[4]) - d$count)
    c(crossprod(d$x, r) + w[1:3], sum(r))
  }
  best <- optim(numeric(4), aim, slope, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000))
  expect_equal(fit$primal, best$value, tolerance = 1e-8)
  expect_equal(unname(fit$decision), unname(drop(d$x %*% best$par[1:3]) + best$par[4]), tolerance = 1e-5)
  # by definition: gap, and alpha = -C dV/dt
  expect_equal(unname(fit$alpha), unname(0.3 * (d$count - exp(fit$decision))), tolerance = 1e-4)
  u <- -fit$alpha / 0.3
  least <- d$count - ifelse(d$count > 0, d$count * log(pmax(d$count, 1)), 0)
  dual <- sum(-0.3 * (entropy(u + d$count) - (u + d$count) + least)) - sum(fit$alpha * (K %*% fit$alpha)) / 2
  expect_equal(fit$objective, dual, tolerance = 1e-9)
})

test_that("several classes and responses, weights, optimisers and paths take them", {
  d <- data_of_losses()
  three <- cut(d$number, c(-Inf, -0.7, 0.7, Inf), c("a", "b", "c"))
  for (multiclass in c("ovr", "shared")) {
    fit <- function(loss) mkl(d$x, three, d$kernels, loss = loss, multiclass = multiclass, control = sharp())
    expect_equal(coef(fit(logistic)), coef(fit("logistic")), tolerance = 1e-4)
    expect_lte(max(duality_gap(fit(logistic), d$x)$gap), 1e-8)
  }
  both <- mkl(d$x, cbind(u = d$count, v = rev(d$count)), d$kernels, loss = poisson, control = sharp())
  expect_lte(max(duality_gap(both, d$x)$gap), 1e-8)
  w <- rep(1:0, c(50, 10))
  part <- mkl(d$x, d$count, d$kernels, loss = poisson, weights = w, control = sharp())
  expect_lte(duality_gap(part, d$x)$gap, 1e-8)
  expect_true(all(part$alpha[51:60] == 0))
  for (optimizer in c("wrapper", "level", "newton", "reduced_gradient")) {
    fit <- mkl(d$x, d$count, d$kernels, loss = poisson, p = 1, control = quiet(tol = 1e-4, optimizer = optimizer))
    expect_true(fit$converged, info = optimizer)
  }
  path <- mkl_path(d$x, d$class, d$kernels, loss = logistic, C = c(0.1, 10), control = quiet())
  expect_lte(max(path$intervals$gap), 1e-3)
})

test_that("cv_mkl() chooses by the loss, and its fits are certified by the functions", {
  d <- data_of_losses()
  cv <- cv_mkl(d$x, d$count, d$kernels, loss = poisson, C = c(0.1, 1), p = 2, folds = 3, control = quiet())
  expect_identical(cv$measure, "loss")
  expect_lte(max(cv$by_fold$gap), 1e-3)
  expect_lte(duality_gap(cv, d$x)$gap, 1e-3)
  expect_identical(assess(cv, d$x, d$count)$kind, "custom")
  same <- function(loss) cv_mkl(d$x, d$class, d$kernels, loss = loss, C = c(0.1, 1), p = 2,
                                folds = rep(1:3, 20), control = sharp())$results$accuracy
  expect_equal(same(hinge), same("hinge"))
})

test_that("cv_mkl() fits counts of a wide range as mkl() does", {
  d <- data_of_losses()
  wide <- 20 * d$count
  folds <- rep(1:3, 20)
  fit_to <- function(fit, x, y, ...) fit(x, y, gaussian_kernel(4), p = 1, loss = poisson, type = "regression",
                                         scale = TRUE, control = quiet(), ...)
  cv <- fit_to(cv_mkl, d$x, wide, C = c(0.01, 0.1), folds = folds)
  expect_lte(max(cv$by_fold$gap), 1e-3)
  fit <- fit_to(mkl, d$x[folds > 1, ], wide[folds > 1], C = 0.1)
  expect_equal(cv$by_fold$loss[cv$by_fold$fold == 1 & cv$by_fold$C == 0.1],
               assess(fit, d$x[folds == 1, ], wide[folds == 1], draws = 1)$measures$estimate, tolerance = 0.01)
})

test_that("fits keep the functions, and print the name", {
  d <- data_of_losses()
  fit <- mkl(d$x, d$count, d$kernels, loss = poisson, control = quiet())
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(duality_gap(readRDS(file), d$x)$gap, duality_gap(fit, d$x)$gap)
  expect_output(print(fit), "Poisson loss")
  expect_output(print(poisson), "Poisson loss")
  expect_gte(min(residuals(fit, type = "loss")), 0)
})

test_that("wrong functions are refused, with the place", {
  refused <- function(expr, text) expect_error(expr, text, class = "manykernels_invalid_argument")
  value <- function(t, y) (t - y)^2 / 2
  slope <- function(t, y) t - y
  dual <- function(u, y) u^2 / 2 + u * y
  refused(custom_loss(value, slope), "`conjugate`")
  refused(custom_loss(value, 1, dual), "`derivative` must be a function of t and y")
  refused(custom_loss(value, function(t, y) 2 * (t - y), dual, y = 1), "derivative of `value`")
  refused(custom_loss(function(t, y) cos(t), function(t, y) -sin(t), dual, y = 1), "convex")
  concave <- "not fall as t rises, for the loss must be convex, but does not for y = 1 near t = -1"
  for (conjugate in list(function(u, y) -u^2 / 4 + u * y, function(u, y) rep(Inf, length(u)))) {
    refused(custom_loss(function(t, y) -(t - y)^2, function(t, y) -2 * (t - y), conjugate, y = 1), concave)
  }
  refused(custom_loss(value, slope, function(u, y) u^2 / 4 + u * y, y = 1), "`conjugate` must be .* y = 1")
  refused(custom_loss(value, slope, function(u, y) u^2 + u * y, y = 1), "`conjugate` must be")
  refused(custom_loss(function(t, y) t, function(t, y) rep(1, length(t)),
                      function(u, y) ifelse(u == 1, 0, Inf), y = 1), "lower bound")
  refused(custom_loss(function(t) t, slope, dual, y = 1), "`value` of the loss failed")
  refused(custom_loss(value, function(t, y) 1:2, dual, y = 1), "`derivative` must return")
  # of the kink alone, between the slopes that the grid sees
  refused(custom_loss(function(t, y) abs(t - y), function(t, y) sign(t - y),
                      function(u, y) u * y - (1 - u^2), y = 1), "`conjugate` must be")
  d <- data_of_losses()
  late <- custom_loss(value, slope, function(u, y) u^2 / 4 + u * y)
  refused(mkl(d$x, d$number, d$kernels, loss = late), "`conjugate`")
  refused(mkl(d$x, d$number, d$kernels, loss = poisson), "lower bound")
  expect_error(mkl(d$x, d$number, d$kernels, loss = hinge), class = "manykernels_error")
  expect_error(mllkm(d$x, d$class, loss = hinge), "custom_loss", class = "manykernels_unsupported")
})
