# All classes in one problem, `multiclass = "joint"`.

x <- as.matrix(iris[, 1:4])
kernels <- gaussian_kernel(2^(-1:2))

test_that("one kernel's dual agrees with a quadratic program", {
  skip_if_not_installed("quadprog")
  rows <- c(1:8, 51:58, 101:108)
  y <- iris$Species[rows]
  n <- length(y)
  fit <- mkl(x[rows, ], y, gaussian_kernel(2), p = Inf, multiclass = "joint", scale = FALSE,
             normalize = "none", control = mkl_control(tol = 1e-8))
  K <- exp(-as.matrix(dist(x[rows, ]))^2 / 2)
  own <- as.vector(outer(as.integer(y), 1:3, "==") * 1)
  solved <- quadprog::solve.QP(kronecker(diag(3), K) + 1e-10 * diag(3 * n), own,
                               t(rbind(kronecker(matrix(1, 1, 3), diag(n)), -diag(3 * n))),
                               c(rep(0, n), -own), meq = n)
  expect_equal(fit$objective[[1]], -solved$value, tolerance = 1e-6)
  expect_equal(unname(fit$decision), unname(K %*% matrix(solved$solution, n)), tolerance = 1e-4)
})

test_that("the certificate is of the joint loss", {
  for (p in c(1, 4 / 3, 2)) {
    fit <- mkl(x, iris$Species, kernels, p = p, multiclass = "joint", scale = FALSE)
    expect_true(fit$converged)
    again <- duality_gap(fit, x, iris$Species)
    expect_equal(unname(again$gap), fit$gap[[1]])
    loss <- apply(residuals(fit, type = "loss"), 1, max)
    w <- fit$theta * sqrt(fit$models[[1]]$forms)
    q <- 2 * p / (p + 1)
    expect_equal(unname(again$primal), sum(loss) + sum(w^q)^(2 / q) / 2, tolerance = 1e-8)
    expect_lt(max(abs(rowSums(fit$decision))), 1e-8)
  }
})

test_that("the order of the classes does not matter", {
  turned <- factor(iris$Species, rev(levels(iris$Species)))
  fits <- lapply(list(iris$Species, turned), function(y) {
    mkl(x, y, kernels, multiclass = "joint", control = mkl_control(tol = 1e-7))
  })
  expect_equal(fits[[1]]$theta, fits[[2]]$theta, tolerance = 1e-6)
  expect_equal(fits[[1]]$decision, fits[[2]]$decision[, levels(iris$Species)], tolerance = 1e-6)
})

test_that("what joint fits have not is refused", {
  fit <- function(...) mkl(x, iris$Species, kernels, multiclass = "joint", ...)
  expect_error(fit(intercept = TRUE), class = "manykernels_invalid_argument")
  expect_error(fit(loss = "logistic"), class = "manykernels_invalid_argument")
  expect_error(mkl(x, iris$Species, loss = "multiclass_hinge"), class = "manykernels_invalid_argument")
  for (optimizer in c("interleaved", "newton", "chunking")) {
    expect_error(fit(control = mkl_control(optimizer = optimizer)), class = "manykernels_unsupported")
  }
  expect_error(fit(control = mkl_control(checkpoint = tempfile())), class = "manykernels_unsupported")
  expect_error(fit(control = mkl_control(cluster = TRUE)), class = "manykernels_unsupported")
  expect_error(mkl(x, x[, 1], multiclass = "joint"), class = "manykernels_invalid_argument")
  expect_error(mkl(x, x[, 1:2], multiclass = "joint"), class = "manykernels_invalid_argument")
  expect_error(mkl(x, multiclass = "joint"), class = "manykernels_invalid_argument")
  expect_error(mllkm(x, iris$Species, multiclass = "joint"), class = "manykernels_unsupported")
  dictionary <- kernel_dictionary(linear_kernel(), list(one = 1:2, two = 3:4))
  expect_error(mkl_sequential(x, iris$Species, dictionary, multiclass = "joint"), class = "manykernels_unsupported")
  expect_error(mkl_gomp(x, iris$Species, kernels, multiclass = "joint"), class = "manykernels_invalid_argument")
  one <- fit()$models[[1]]
  expect_error(duality_gap(one, x), class = "manykernels_unsupported")
  expect_error(residuals(one), class = "manykernels_unsupported")
})

test_that("rows of weight 0 are no rows, and classes are balanced among all", {
  weights <- rep(c(1, 0, 2), 50)
  rows <- rep(1:150, weights)
  fit <- function(x, y, ...) {
    mkl(x, y, kernels, normalize = "none", scale = FALSE, multiclass = "joint", ..., control = mkl_control(tol = 1e-7))
  }
  weighted <- fit(x, iris$Species, weights = weights)
  repeated <- fit(x[rows, ], iris$Species[rows])
  expect_equal(weighted$theta, repeated$theta, tolerance = 1e-6)
  expect_equal(predict(weighted, x, "decision"), predict(repeated, x, "decision"), tolerance = 1e-5)
  rare <- c(1:50, 51:75, 101:110)
  balanced <- mkl(x[rare, ], iris$Species[rare], kernels, multiclass = "joint", class_weights = "balanced")
  expect_equal(as.vector(tapply(balanced$models[[1]]$cost, iris$Species[rare], sum)), rep(85 / 3, 3))
  expect_equal(balanced$models[[1]]$cost, balanced$models[[3]]$cost)
})

test_that("residuals are the loss, and its sum is the certificate's", {
  fit <- mkl(x, iris$Species, kernels, C = 0.3, multiclass = "joint", class_weights = c(virginica = 2))
  own <- cbind(1:150, as.integer(iris$Species))
  lost <- residuals(fit)
  expect_true(all(lost >= 0), all(lost[-own] == 0))
  f <- fit$decision
  by_hand <- vapply(1:150, function(i) max(0, 1 + f[i, -own[i, 2]] - f[own][i]), 0)
  expect_equal(unname(lost[own]), by_hand)
  w <- fit$theta * sqrt(fit$models[[1]]$forms)
  expect_equal(unname(duality_gap(fit, x)$primal), sum(fit$models[[1]]$cost * by_hand) + sum(w^(4 / 3))^(3 / 2) / 2)
})

test_that("paths and grids of joint fits agree with fits", {
  path <- mkl_path(x, iris$Species, kernels, C = c(0.1, 3), multiclass = "joint", tol = 1e-3)
  expect_true(path$certified)
  fit <- mkl(x, iris$Species, kernels, C = 1, multiclass = "joint", control = mkl_control(tol = 1e-6))
  expect_equal(predict(path, x, C = 1, type = "decision"), fit$decision, tolerance = 0.05, ignore_attr = TRUE)
  folds <- rep(1:3, 50)
  cv <- cv_mkl(x, iris$Species, kernels, p = 2, C = 1, folds = folds, multiclass = "joint", scale = FALSE)
  held_out <- unlist(lapply(1:3, function(fold) {
    out <- folds == fold
    own <- mkl(x[!out, ], iris$Species[!out], kernels, p = 2, multiclass = "joint", scale = FALSE)
    mean(predict(own, x[out, ]) == iris$Species[out])
  }))
  expect_equal(cv$results$accuracy, mean(held_out), tolerance = 0.02)
})
