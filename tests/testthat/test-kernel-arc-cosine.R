# The arc-cosine kernel of order 1 against its formula, and against the hidden layer that it stands for.

arc_cosine <- function(x, z = x) {
  judge_pairs(x, z, function(u, v) {
    size <- sqrt(sum(u^2)) * sqrt(sum(v^2))
    angle <- if (size > 0) acos(max(-1, min(1, sum(u * v) / size))) else 0
    size * (sin(angle) + (pi - angle) * cos(angle)) / pi
  })
}
sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")

d <- judge_clouds(60, 4)
d$x[1, ] <- 0
d$x[2, ] <- -d$x[3, ]
set.seed(2)
z <- matrix(rnorm(9 * 4), 9, dimnames = list(NULL, colnames(d$x)))

test_that("values are those of the definition", {
  expect_equal(unname(kernel_matrix(arc_cosine_kernel(), d$x)), arc_cosine(d$x), tolerance = 1e-13)
  expect_equal(unname(kernel_matrix(arc_cosine_kernel(), d$x, z)), arc_cosine(d$x, z), tolerance = 1e-13)
  expect_equal(unname(kernel_matrix(arc_cosine_kernel(), sparse(d$x), sparse(z))), arc_cosine(d$x, z),
               tolerance = 1e-13)
  expect_equal(unname(kernel_matrix(on_features(arc_cosine_kernel(), c(1, 3)), d$x)), arc_cosine(d$x[, c(1, 3)]),
               tolerance = 1e-13)
  # opposite rows, a row of zeros, and a row with itself
  K <- unname(kernel_matrix(arc_cosine_kernel(), d$x))
  expect_equal(K[1, ], rep(0, 60))
  expect_equal(K[2, 3], 0)
  expect_equal(diag(K), unname(rowSums(d$x^2)))
  expect_gt(min(eigen(K, symmetric = TRUE)$values), -1e-12)
  # twice the mean over weights w of max(w'x, 0) max(w'z, 0)
  w <- matrix(rnorm(4 * 2e5), 4)
  hidden <- pmax(d$x[4:8, ] %*% w, 0)
  expect_equal(unname(2 * tcrossprod(hidden) / 2e5), K[4:8, 4:8], tolerance = 0.02)
})

test_that("fits are certified by the matrix of the definition, alone and beside other kernels", {
  skip_on_cran()
  sets <- list(arc_cosine_kernel(), c(arc_cosine_kernel(), gaussian_kernel(c(1, 4)), linear_kernel()))
  for (set in sets) for (how in c("none", "multiplicative", "trace")) for (p in c(1, 2)) {
    fit <- mkl(d$x, d$y, set, p = p, normalize = how, scale = FALSE, control = quiet(tol = 1e-6))
    K <- c(list(arc_cosine(d$x)), if (length(set) > 1) {
      c(lapply(c(1, 4), function(w) judge_gaussian(d$x, width = w)), list(judge_linear(d$x)))
    })
    expect_certified(fit, lapply(K, function(k) judge_normalize(k, how)$train))
    expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-8)
    expect_equal(predict(fit, d$x, type = "decision"), predict(fit, type = "decision"), tolerance = 1e-10)
  }
})

test_that("new rows get the decision values of the matrix, by each normalisation", {
  x <- d$x[-1, ]
  for (how in list("multiplicative", "spherical", c("centre", "spherical"), "centre")) {
    fit <- mkl(x, d$y[-1], arc_cosine_kernel(), normalize = how, scale = FALSE, control = quiet(tol = 1e-6))
    new <- judge_normalize(arc_cosine(x), how, arc_cosine(z, x), rowSums(z^2))$new
    expect_equal(unname(predict(fit, z, type = "decision")), drop(fit$theta * new %*% fit$alpha) + unname(fit$offset),
                 tolerance = 1e-8)
  }
  path <- tempfile(fileext = ".json")
  write_model(fit, path)
  expect_identical(predict(read_model(path), z, type = "decision"), predict(fit, z, type = "decision"))
})

test_that("the other models and kinds of data take it", {
  skip_on_cran()
  y <- d$x[, 1] + d$x[, 2]^2
  set <- c(arc_cosine_kernel(), gaussian_kernel(c(1, 4)))
  expect_lte(mkl(d$x, y, set, control = quiet(tol = 1e-4))$gap, 1e-4)
  expect_lte(mkl(sparse(d$x), d$y, set, scale = FALSE, control = quiet(tol = 1e-4))$gap, 1e-4)
  expect_lte(mkl_gomp(d$x, y, set, control = quiet())$gap, 1e-6)
  expect_lte(mkl(d$x, d$y, per_feature(arc_cosine_kernel()), control = quiet(tol = 1e-4))$gap, 1e-4)
  sequential <- mkl_sequential(d$x, d$y, set, control = quiet(tol = 1e-6))
  whole <- mkl(d$x, d$y, set, p = 1, control = quiet(tol = 1e-6))
  expect_equal(sequential$objective, whole$objective, tolerance = 1e-5)
  expect_true(mkl_path(d$x, d$y, set, C = c(0.5, 2), tol = 0.05, control = quiet())$certified)
  wide <- matrix(sin(seq_len(30 * 500)), 30)
  expect_certified(mkl(wide, d$y[1:30], arc_cosine_kernel(), scale = FALSE, normalize = "none",
                       control = quiet(tol = 1e-4)), list(arc_cosine(wide)))
  set.seed(1)
  cv <- cv_mkl(d$x, d$y, set, p = c(1, 2), C = c(0.5, 2), folds = 3, control = quiet())
  expect_length(cv$fit$theta, 3)
})

test_that("a set made by hand is refused", {
  broken <- unclass(arc_cosine_kernel())
  broken$parameters <- list(list(width = 1))
  expect_error(mkl(d$x, d$y, structure(broken, class = "kernel_set")), class = "manykernels_invalid_argument")
})
