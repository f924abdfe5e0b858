tanimoto <- function(x, z) {
  products <- x %*% t(z)
  whole <- outer(rowSums(x^2), rowSums(z^2), `+`) - products
  ifelse(whole > 0, products / whole, 1)
}

set.seed(1)
bits <- matrix(rbinom(60 * 25, 1, 0.2), 60, dimnames = list(NULL, paste0("bit", 1:25)))
bits[1:2, ] <- 0
counts <- matrix(rpois(60 * 25, 0.6), 60, dimnames = list(NULL, paste0("n", 1:25)))
sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
y <- rowSums(counts[, 1:5]) + rnorm(60) > 3

test_that("values are those of the definition", {
  three <- rbind(c(1, 1, 0, 1), c(1, 0, 0, 1), c(0, 0, 1, 0), 0)
  expect_equal(kernel_matrix(tanimoto_kernel(), three),
               rbind(c(1, 2 / 3, 0, 0), c(2 / 3, 1, 0, 0), c(0, 0, 1, 0), c(0, 0, 0, 1)))
  for (x in list(bits, counts, counts - 0.5)) {
    expect_equal(kernel_matrix(tanimoto_kernel(), x), tanimoto(x, x), tolerance = 1e-14)
    expect_equal(kernel_matrix(tanimoto_kernel(), sparse(x)), tanimoto(x, x), tolerance = 1e-14)
    expect_equal(kernel_matrix(tanimoto_kernel(), x, x[3:9, ]), tanimoto(x, x[3:9, ]),
                 tolerance = 1e-14)
    expect_gt(min(eigen(tanimoto(x, x), symmetric = TRUE)$values), -1e-12)
  }
  some <- c("bit3", "bit7", "bit9")
  expect_equal(kernel_matrix(on_features(tanimoto_kernel(), some), bits),
               tanimoto(bits[, some], bits[, some]), tolerance = 1e-14)
})

test_that("fits are certified and predict as they were trained", {
  kernels <- c(tanimoto_kernel(), gaussian_kernel(c(5, 20)), polynomial_kernel(2))
  for (x in list(counts, sparse(counts))) {
    for (normalize in list("multiplicative", "spherical", c("centre", "multiplicative"))) {
      fit <- mkl(x, y, kernels = kernels, normalize = normalize)
      expect_lt(fit$gap, 1e-3)
      expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-6)
      expect_equal(predict(fit, x, type = "decision"), predict(fit, type = "decision"),
                   tolerance = 1e-10)
    }
  }
  own <- mkl(counts, y, kernels = tanimoto_kernel())
  given <- mkl(y = y, kernels = precomputed_kernel(tanimoto(counts, counts)))
  expect_equal(predict(own, counts[1:9, ], type = "decision"),
               predict(given, tanimoto(counts[1:9, ], counts), type = "decision"), tolerance = 5e-3)
  path <- tempfile()
  saveRDS(own, path)
  expect_identical(predict(readRDS(path), counts), predict(own, counts))
  expect_lt(mkl_gomp(counts, y, tanimoto_kernel())$gap, 1e-3)
  expect_lt(mkl(counts, rowSums(counts), kernels = kernels)$gap, 1e-3)
})

test_that("views that a Tanimoto kernel reads are not standardised", {
  fit <- mkl(list(a = counts, b = counts), y,
             kernels = c(on_view(tanimoto_kernel(), "a"), on_view(linear_kernel(), "b")))
  expect_null(fit$scaling$views$a)
  expect_false(is.null(fit$scaling$views$b))
  expect_snapshot(error = TRUE, cnd_class = TRUE, mkl(counts, y, kernels = tanimoto_kernel(), scale = c(x = TRUE)))
  by_function <- kernel_dictionary(function(i) tanimoto_kernel(), size = 1)
  expect_error(mkl_sequential(counts, y, by_function), class = "manykernels_standardised")
  expect_lt(mkl_sequential(counts, y, by_function, scale = FALSE)$gap, 1e-3)
  # of a set that is chosen against another one, too
  cv <- cv_mkl(counts, y, list(a = tanimoto_kernel(), b = gaussian_kernel(20)), p = 1, C = 1,
               folds = rep(1:3, 20))
  expect_null(cv$fit$scaling$views$x)
})

test_that("folds are those of fits by hand", {
  folds <- rep(1:3, 20)
  cv <- cv_mkl(counts, y, tanimoto_kernel(), p = 1, C = 1, folds = folds)
  by_hand <- vapply(1:3, function(f) {
    fit <- mkl(counts[folds != f, ], y[folds != f], kernels = tanimoto_kernel(), p = 1)
    mean(predict(fit, counts[folds == f, ]) == y[folds == f])
  }, 0)
  expect_equal(cv$results$mean, mean(by_hand), tolerance = 0.03)
})

test_that("sets show and refuse as others do", {
  expect_identical(names(on_view(tanimoto_kernel(), "a")), "a:tanimoto")
  made <- unclass(tanimoto_kernel())
  made$parameters <- list(list(width = 1))
  expect_snapshot(error = TRUE, cnd_class = TRUE, mkl(counts, y, kernels = structure(made, class = "kernel_set")))
})
