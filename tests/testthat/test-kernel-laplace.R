# Laplace kernels against exp(-|x - z| / width), written out.

laplace <- function(x, z = x, width = 1) {
  judge_pairs(x, z, function(u, v) exp(-sqrt(sum((u - v)^2)) / width))
}
sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")

d <- judge_clouds(60, 4)
set.seed(2)
z <- matrix(rnorm(9 * 4), 9, dimnames = list(NULL, colnames(d$x)))
widths <- c(0.5, 2, 8)

test_that("values are those of the definition", {
  K <- kernel_matrix(laplace_kernel(widths), d$x)
  expect_identical(names(K), sprintf("laplace(width=%s)", widths))
  for (m in seq_along(widths)) expect_equal(unname(K[[m]]), laplace(d$x, width = widths[m]), tolerance = 1e-14)
  expect_equal(unname(kernel_matrix(laplace_kernel(2), d$x, z)), laplace(d$x, z, 2), tolerance = 1e-14)
  expect_equal(unname(kernel_matrix(laplace_kernel(2), sparse(d$x), sparse(z))), laplace(d$x, z, 2), tolerance = 1e-7)
  expect_equal(unname(kernel_matrix(on_features(laplace_kernel(2), c(1, 3)), d$x)), laplace(d$x[, c(1, 3)], width = 2),
               tolerance = 1e-14)
  each <- kernel_matrix(per_feature(laplace_kernel(2)), d$x)
  for (j in 1:4) expect_equal(unname(each[[j]]), laplace(d$x[, j, drop = FALSE], width = 2), tolerance = 1e-14)
  skip_if_not_installed("kernlab")
  expect_equal(unname(kernel_matrix(laplace_kernel(2), d$x)),
               unname(kernlab::kernelMatrix(kernlab::laplacedot(0.5), d$x)@.Data), tolerance = 1e-7)
})

test_that("fits are certified by the matrices of the definition, alone and beside other kernels", {
  skip_on_cran()
  sets <- list(laplace_kernel(widths), c(laplace_kernel(widths), gaussian_kernel(c(1, 4)), polynomial_kernel(2)))
  for (set in sets) for (how in c("none", "multiplicative", "spherical")) for (p in c(1, 2)) {
    fit <- mkl(d$x, d$y, set, p = p, normalize = how, scale = FALSE, control = quiet(tol = 1e-6))
    K <- c(lapply(widths, function(w) laplace(d$x, width = w)), if (length(set) > 3) {
      c(lapply(c(1, 4), function(w) judge_gaussian(d$x, width = w)), list(judge_polynomial(d$x)))
    })
    expect_certified(fit, lapply(K, function(k) judge_normalize(k, how)$train))
    expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-8)
    decision <- predict(fit, d$x, type = "decision")
    expect_equal(decision, predict(fit, type = "decision"), tolerance = 1e-10)
  }
})

test_that("new rows get the decision values of the matrices", {
  for (how in list("multiplicative", c("centre", "spherical"))) {
    fit <- mkl(d$x, d$y, laplace_kernel(widths), normalize = how, scale = FALSE, control = quiet(tol = 1e-6))
    parts <- lapply(widths, function(w) {
      judge_normalize(laplace(d$x, width = w), how, laplace(z, d$x, w), rep(1, 9))$new
    })
    f <- Reduce(`+`, Map(`*`, parts, fit$theta)) %*% fit$alpha + fit$offset
    expect_equal(unname(predict(fit, z, type = "decision")), drop(unname(f)), tolerance = 1e-10)
  }
  path <- tempfile(fileext = ".json")
  write_model(fit, path)
  expect_identical(predict(read_model(path), z, type = "decision"), predict(fit, z, type = "decision"))
  rds <- tempfile()
  saveRDS(fit, rds)
  expect_identical(predict(readRDS(rds), z, type = "decision"), predict(fit, z, type = "decision"))
})

test_that("the other models and kinds of data take them", {
  skip_on_cran()
  y <- d$x[, 1] + d$x[, 2]^2
  set <- laplace_kernel(widths)
  regression <- mkl(d$x, y, set, control = quiet(tol = 1e-4))
  expect_lte(regression$gap, 1e-4)
  expect_lte(mkl(sparse(d$x), d$y, set, scale = FALSE, control = quiet(tol = 1e-4))$gap, 1e-4)
  expect_lte(mkl_gomp(d$x, y, set, control = quiet())$gap, 1e-6)
  sequential <- mkl_sequential(d$x, d$y, set, control = quiet(tol = 1e-6))
  whole <- mkl(d$x, d$y, set, p = 1, control = quiet(tol = 1e-6))
  expect_equal(sequential$objective, whole$objective, tolerance = 1e-5)
  three <- mkl(d$x, cut(y, 3), set, multiclass = "shared", control = quiet(tol = 1e-4))
  expect_lte(three$models[[1]]$gap, 1e-4)
  expect_true(mkl_path(d$x, d$y, set, C = c(0.5, 2), tol = 0.05, control = quiet())$certified)
  wide <- matrix(sin(seq_len(30 * 500)), 30)
  expect_certified(mkl(wide, d$y[1:30], set, scale = FALSE, normalize = "none", control = quiet(tol = 1e-4)),
                   lapply(widths, function(w) laplace(wide, width = w)))
  set.seed(1)
  cv <- cv_mkl(d$x, d$y, laplace_kernel(2^(0:2)), p = c(1, 2), C = c(0.5, 2), folds = 3, control = quiet())
  expect_length(cv$fit$theta, 3)
  expect_identical(nrow(cv$results), 4L)
})

test_that("equal and nearly equal rows are no obstacle", {
  x <- rbind(d$x, d$x, d$x + 1e-9)
  y <- rep(d$y, 3)
  fit <- mkl(x, y, laplace_kernel(c(0.1, 1)), scale = FALSE, control = quiet(tol = 1e-6))
  expect_lte(fit$gap, 1e-6)
  far <- mkl(x + 1e4, y, laplace_kernel(c(0.1, 1)), scale = FALSE, control = quiet(tol = 1e-6))
  expect_equal(far$objective, fit$objective, tolerance = 1e-5)
})

test_that("bad widths and sets made by hand are refused", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    laplace_kernel(0)
    laplace_kernel(c(1, NA))
    laplace_kernel("a")
  })
  broken <- unclass(laplace_kernel(1:2))
  for (own in list(list(list(), list()), list(list(width = 1), list(w = 2)), list(list(width = -1), list(width = 1)),
                   list(list(width = 1:2), list(width = 1)))) {
    broken$parameters <- own
    expect_error(mkl(d$x, d$y, structure(broken, class = "kernel_set")), class = "manykernels_invalid_argument")
  }
})
