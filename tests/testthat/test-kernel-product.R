# Products of kernels against products of their matrices by definition.

sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
d <- judge_clouds(60, 4)
views <- list(a = d$x[, 1:2], b = d$x[, 3:4])
K_a <- judge_gaussian(views$a)
K_b <- judge_polynomial(views$b)
joint <- on_view(gaussian_kernel(1), "a") * on_view(polynomial_kernel(2), "b")

test_that("sets are multiplied one by one, and their products are products", {
  expect_identical(names(gaussian_kernel(1:2) * linear_kernel()),
                   c("gaussian(width=1)*linear", "gaussian(width=2)*linear"))
  expect_identical(names(linear_kernel() * gaussian_kernel(1:2))[2], "linear*gaussian(width=2)")
  three <- linear_kernel() * gaussian_kernel(1) * polynomial_kernel(2)
  expect_length(three[[1]]$parameters$parts, 3)
  expect_identical(joint[[1]]$view, "a*b")
  expect_identical(unique(c(joint, stats::setNames(joint, "again"))), joint)
  for (bad in list(quote(gaussian_kernel(1:2) * gaussian_kernel(1:3)), quote(2 * linear_kernel()),
                   quote(normalize_kernels(linear_kernel(), "trace") * linear_kernel()))) {
    expect_error(eval(bad), class = "manykernels_invalid_argument")
  }
  expect_error(linear_kernel() * precomputed_kernel(diag(3)), class = "manykernels_unsupported")
  expect_error(on_features(joint, 1), class = "manykernels_unsupported")
})

test_that("values are those of the definition", {
  expect_equal(unname(kernel_matrix(joint, views)), K_a * K_b, tolerance = 1e-13)
  expect_equal(unname(kernel_matrix(joint, lapply(views, sparse))), K_a * K_b, tolerance = 1e-13)
  expect_equal(unname(kernel_matrix(joint, views, lapply(views, head, 3))), (K_a * K_b)[, 1:3], tolerance = 1e-13)
  three <- linear_kernel() * gaussian_kernel(3) * laplace_kernel(2)
  K <- judge_linear(d$x) * judge_gaussian(d$x, width = 3) * exp(-sqrt(-log(judge_gaussian(d$x))) / 2)
  expect_equal(unname(kernel_matrix(three, d$x)), K, tolerance = 1e-12)
  each <- kernel_matrix(per_feature(linear_kernel()) * gaussian_kernel(1), d$x)
  expect_equal(unname(each[[3]]), judge_linear(d$x[, 3]) * judge_gaussian(d$x), tolerance = 1e-12)
  open <- kernel_matrix(on_view(gaussian_kernel(1), "a") * polynomial_kernel(2), views)
  expect_equal(unname(open[["b:gaussian(width=1)*polynomial(degree=2)"]] %||% open[[2]]), K_a * K_b,
               tolerance = 1e-13)
})

test_that("factors may be of any kind", {
  f <- function_kernel(function(X, Z) tcrossprod(X, Z) + 1)
  expect_equal(unname(kernel_matrix(f * gaussian_kernel(1), d$x)), (judge_linear(d$x) + 1) * judge_gaussian(d$x),
               tolerance = 1e-12)
  expect_lte(mkl(d$x, d$y, f * gaussian_kernel(1), control = quiet(tol = 1e-4))$gap, 1e-4)
  letters <- c("ACGT", "ACGA", "TTGA", "TCGA", "AAAA")
  both <- list(s = letters, t = letters, x = matrix(1:5 + 0))
  words <- on_view(spectrum_kernel(2), "s") * on_view(weighted_degree_kernel(2), "t") * on_view(linear_kernel(), "x")
  one <- kernel_matrix(c(on_view(spectrum_kernel(2), "s"), on_view(weighted_degree_kernel(2), "t")), both)
  expect_equal(kernel_matrix(words, both), one[[1]] * one[[2]] * tcrossprod(1:5), ignore_attr = TRUE)
  table <- data.frame(g = factor(c("u", "v", "u", "w")), h = c(1, 2, 4, 8))
  mixed <- categorical_kernel() * on_features(gaussian_kernel(9), "h")
  expect_equal(unname(kernel_matrix(mixed, table)),
               outer(table$g, table$g, `==`) * judge_gaussian(matrix(table$h), width = 9))
  local <- locally_linear_kernel("gaussian", gamma = 0.1, anchors = rep(0, 4))
  anchored <- local * linear_kernel()
  own <- kernel_matrix(local, d$x)
  expect_equal(kernel_matrix(anchored, d$x), own * judge_linear(d$x), ignore_attr = TRUE)
})

test_that("fits are certified by the matrix of the definition, and predict by it", {
  set <- c(joint, on_view(linear_kernel(), c("a", "b")))
  Ks <- list(K_a * K_b, judge_linear(views$a), judge_linear(views$b))
  for (how in list("none", "multiplicative", "spherical", c("centre", "trace"))) {
    fit <- mkl(views, d$y, set, p = 1.5, normalize = how, scale = FALSE, control = quiet(tol = 1e-6))
    expect_certified(fit, lapply(Ks, function(K) judge_normalize(K, how)$train))
    expect_equal(duality_gap(fit, views, d$y)$gap, fit$gap, tolerance = 1e-8)
    expect_equal(predict(fit, views, type = "decision"), predict(fit, type = "decision"), tolerance = 1e-10)
  }
  skip_if_not_installed("jsonlite")
  file <- write_model(fit, tempfile(fileext = ".json"))
  expect_identical(predict(read_model(file), views, type = "decision"), predict(fit, views, type = "decision"))
})

test_that("a sample has a product of views if it has them all", {
  lacking <- views
  lacking$a[1:3, ] <- NA
  lacking$b[4:5, ] <- NA
  K <- kernel_matrix(joint, lacking, missing_views = "neutral")
  expect_true(all(K[1:5, ] == 0) && all(K[-(1:5), -(1:5)] != 0))
  expect_equal(unname(K[-(1:5), -(1:5)]), judge_normalize((K_a * K_b)[-(1:5), -(1:5)], c("centre", "none"))$train,
               tolerance = 1e-10)
  fit <- mkl(lacking, d$y, c(joint, on_view(linear_kernel(), "a")), missing_views = "neutral",
             control = quiet(tol = 1e-5))
  expect_equal(predict(fit, lacking, type = "decision"), predict(fit, type = "decision"), tolerance = 1e-10)
  wide <- mkl_sequential(lacking, d$y, joint, missing_views = "neutral", control = quiet(tol = 1e-5))
  alone <- mkl(lacking, d$y, joint, p = 1, missing_views = "neutral", control = quiet(tol = 1e-5))
  expect_equal(wide$objective, alone$objective, tolerance = 1e-4)
})

test_that("precomputed kernels are multiplied value by value, and new rows are given in parts", {
  a <- `dimnames<-`(K_a, rep(list(sprintf("s%d", 1:60)), 2))
  b <- a[60:1, 60:1]
  product <- precomputed_kernel(list(u = a)) * precomputed_kernel(list(v = b))
  expect_equal(product[[1]]$parameters$matrix, unname(K_a^2))
  fit <- mkl(kernels = product, y = d$y, normalize = "spherical", control = quiet())
  diagonal <- function(K) structure(K, diagonal = rep(1, nrow(K)))
  new <- list(u = diagonal(a[1:4, ]), v = diagonal(b[57:60, ]))
  expect_equal(unname(predict(fit, new, type = "decision")), unname(predict(fit, type = "decision"))[1:4],
               tolerance = 1e-10)
  expect_equal(predict(fit, list(`u*v` = diagonal(a[1:4, ]^2)), type = "decision"),
               predict(fit, new, type = "decision"), tolerance = 1e-10)
  expect_error(product * precomputed_kernel(diag(3)), class = "manykernels_dimension")
  expect_error(precomputed_kernel(list(w = `dimnames<-`(diag(60), rep(list(paste0("t", 1:60)), 2)))) * product,
               class = "manykernels_sample_names")
  expect_error(fit$kernels * product, class = "manykernels_unsupported")
  expect_error(predict(fit, list(u = a[1:4, ], v = b[1:3, ])), class = "manykernels_dimension")
})

test_that("cross-validation, pursuit and importance take them", {
  set.seed(1)
  cv <- cv_mkl(views, d$y, c(joint, on_view(linear_kernel(), "a")), p = c(1, 2), C = 1, folds = 3, control = quiet())
  expect_length(cv$fit$theta, 2)
  path <- mkl_gomp(views, d$y, c(joint, on_view(linear_kernel(), "b")), control = quiet())
  expect_equal(predict(path, views), predict(path), ignore_attr = TRUE)
  expect_setequal(kernel_weights(cv$fit, by = "view")$view, c("a*b", "a"))
  expect_true("a*b" %in% as.data.frame(permutation_importance(cv$fit, views, d$y, repeats = 2))$view)
})
