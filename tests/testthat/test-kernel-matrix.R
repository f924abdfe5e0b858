x <- as.matrix(iris[c(1:6, 51:56), 1:4])
z <- as.matrix(iris[c(10, 60, 110), 1:4])

test_that("kernels are as defined", {
  k <- c(linear_kernel(), gaussian_kernel(c(0.5, 20)), polynomial_kernel(1:3, 0.3, 2))
  judge <- c(
    list(judge_linear),
    lapply(c(0.5, 20), function(width) function(x, z = x) judge_gaussian(x, z, width)),
    lapply(1:3, function(degree) function(x, z = x) judge_polynomial(x, z, degree, 0.3, 2))
  )
  K <- kernel_matrix(k, x)
  new <- kernel_matrix(k, x, z)
  expect_identical(names(K), names(k))
  for (m in seq_along(k)) {
    expect_equal(K[[m]], judge[[m]](x), tolerance = 1e-12, ignore_attr = TRUE)
    expect_equal(new[[m]], judge[[m]](x, z), tolerance = 1e-12, ignore_attr = TRUE)
  }
  expect_equal(kernel_matrix(k, x, x), K)
})

test_that("sparse, dense and data frame input agree", {
  holes <- x
  holes[holes < 3] <- 0
  sparse <- Matrix::Matrix(holes, sparse = TRUE)
  k <- c(linear_kernel(), gaussian_kernel(2), on_features(gaussian_kernel(2), c(2, 4)))
  expect_equal(kernel_matrix(k, sparse), kernel_matrix(k, holes), tolerance = 1e-12)
  expect_equal(kernel_matrix(k, sparse, holes[1:2, ]), kernel_matrix(k, holes, sparse[1:2, ]),
               tolerance = 1e-12)
  expect_equal(kernel_matrix(k, as.data.frame(holes)), kernel_matrix(k, holes))
})

test_that("views and features are read as told", {
  views <- list(u = x[, 1:2], v = x[, 3:4])
  K <- kernel_matrix(c(linear_kernel(), on_view(gaussian_kernel(1), "v")), views)
  expect_named(K, c("u:linear", "v:linear", "v:gaussian(width=1)"))
  expect_equal(K[[1]], judge_linear(x[, 1:2]), ignore_attr = TRUE)
  expect_equal(K[[3]], judge_gaussian(x[, 3:4]), ignore_attr = TRUE)
  each <- kernel_matrix(per_feature(gaussian_kernel(2)), x, z)
  expect_named(each, paste0("gaussian(width=2)[", colnames(x), "]"))
  expect_equal(each[[3]], judge_gaussian(x[, 3], z[, 3], 2), ignore_attr = TRUE)
  part <- kernel_matrix(on_features(polynomial_kernel(2), c(4, 1)), x)
  expect_equal(part, judge_polynomial(x[, c(1, 4)], degree = 2), ignore_attr = TRUE)
})

test_that("one kernel gives a matrix, with the row names of the data", {
  K <- kernel_matrix(linear_kernel(), x, z)
  expect_identical(dimnames(K), list(rownames(x), rownames(z)))
  expect_null(dimnames(kernel_matrix(linear_kernel(), unname(x))))
  fit <- mkl(x, kernels = linear_kernel(), scale = FALSE) # whose kernels have met the data
  expect_identical(kernel_matrix(fit$kernels, x),
                   kernel_matrix(linear_kernel(), x))
})

test_that("columns of z are matched by name", {
  expect_equal(kernel_matrix(gaussian_kernel(1), x, cbind(w = 1, z[, 4:1])),
               kernel_matrix(gaussian_kernel(1), x, z))
})

test_that("without rows there are matrices without rows or columns", {
  kernels <- c(linear_kernel(), gaussian_kernel(1), function_kernel(function(X, Z) tcrossprod(X, Z), "f"))
  size <- function(...) unique(lapply(kernel_matrix(kernels, ...), dim))
  expect_identical(size(x[0, ], x[1:3, 4:1], normalize = "spherical", scale = TRUE), list(c(0L, 3L)))
  expect_identical(size(x[1:3, ], x[0, ]), list(c(3L, 0L)))
  expect_identical(size(x[0, ]), list(c(0L, 0L)))
  expect_identical(colnames(kernel_matrix(linear_kernel(), x[0, ], x)), rownames(x))
  expect_identical(dim(kernel_matrix(spectrum_kernel(2), character(), c("ACG", "CG"))), c(0L, 2L))
  expect_error(kernel_matrix(kernels, x[0, ], x[, 1:2]), class = "manykernels_missing_columns")
  expect_error(mkl(x[0, ], kernels = kernels), class = "manykernels_dimension")
})

test_that("precomputed kernels come back, from lists and arrays", {
  K <- tcrossprod(x)
  expect_equal(kernel_matrix(precomputed_kernel(K), NULL), K, ignore_attr = TRUE)
  cube <- array(c(K, K^2), c(dim(K), 2))
  expect_equal(kernel_matrix(precomputed_kernel(cube), NULL)[[2]], K^2, ignore_attr = TRUE)
  both <- kernel_matrix(c(precomputed_kernel(K), linear_kernel()), x)
  expect_equal(both[[1]], both[[2]])
})

test_that("R functions are kernels", {
  f <- function(X, Z) exp(-outer(seq_len(nrow(X)), seq_len(nrow(Z)), Vectorize(function(i, j) {
    sum(abs(X[i, ] - Z[j, ]))
  })))
  K <- kernel_matrix(function_kernel(f), x)
  expect_equal(K, exp(-as.matrix(dist(x, "manhattan"))), ignore_attr = TRUE)
  K <- kernel_matrix(on_features(function_kernel(f), 2:3), x, z)
  expect_equal(K, f(x[, 2:3], z[, 2:3]), ignore_attr = TRUE)
  sparse <- kernel_matrix(function_kernel(function(X, Z) Matrix::tcrossprod(X, Z), "cross"),
                          Matrix::Matrix(x, sparse = TRUE))
  expect_equal(sparse, tcrossprod(x), ignore_attr = TRUE)
  skip_if_not_installed("kernlab")
  expect_equal(kernel_matrix(function_kernel(kernlab::rbfdot(0.1)), x),
               kernel_matrix(gaussian_kernel(10), x))
})

test_that("what goes wrong inside a function reaches the user", {
  x <- x[1:3, ]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(function_kernel(function(X, Z) stop("No such luck."), "f"), x)
    kernel_matrix(function_kernel(function(X, Z) "a", "f"), x)
    kernel_matrix(function_kernel(function(X, Z) diag(7), "f"), x)
    kernel_matrix(function_kernel(function(X, Z) matrix(NaN, nrow(X), nrow(Z)), "f"), x)
  })
  expect_error(kernel_matrix(function_kernel(function(X, Z) NULL, "f"), x),
               class = "manykernels_function_kernel")
})

test_that("bad calls are errors", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix("linear", x)
    kernel_matrix(linear_kernel(), NULL)
    kernel_matrix(linear_kernel(), x, z[, 1:2])
    kernel_matrix(precomputed_kernel(diag(12)), x, z)
    kernel_matrix(linear_kernel(), x, normalize = "max")
  })
})

test_that("functions are checked on a few rows", {
  lopsided <- function(X, Z) tcrossprod(X, Z) + outer(X[, 1], Z[, 2])
  negative <- function(X, Z) 1 - tcrossprod(X, Z)
  expect_snapshot(error = TRUE, cnd_class = TRUE, kernel_matrix(function_kernel(lopsided), x))
  expect_error(mkl(x, gl(2, 6), function_kernel(lopsided)), class = "manykernels_not_symmetric")
  expect_warning(kernel_matrix(function_kernel(negative), x),
                 class = "manykernels_warning_indefinite")
  expect_silent(kernel_matrix(function_kernel(tcrossprod), x[1, , drop = FALSE]))
})

test_that("values that overflow are an error that names the kernel", {
  expect_error(kernel_matrix(polynomial_kernel(100), 1e5 * x), "polynomial\\(degree=100\\)",
               class = "manykernels_not_finite")
})
