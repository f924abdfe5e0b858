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
  expect_error(mkl_path(x, iris$Species, multiclass = "joint"), class = "manykernels_unsupported")
})
