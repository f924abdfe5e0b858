# Kernels of pairs against the matrices over all pairs, formed by definition.

set.seed(1)
drugs <- matrix(rnorm(36), 12)
targets <- matrix(rnorm(32), 8)
K <- tcrossprod(drugs) + diag(12)
L <- exp(-as.matrix(dist(targets))^2)
dimnames(L) <- NULL
edges <- as.matrix(expand.grid(drug = 1:12, target = 1:8))[sample(96), ]
y <- rowSums(drugs[edges[, 1], ] * targets[edges[, 2], 1:3]) > 0
by_definition <- function(e, f = e) K[e[, 1], f[, 1]] * L[e[, 2], f[, 2]]
unordered <- function(e, f = e) K[e[, 1], f[, 1]] * K[e[, 2], f[, 2]] + K[e[, 1], f[, 2]] * K[e[, 2], f[, 1]]
same <- cbind(edges[, 1], (edges[, 1] + edges[, 2]) %% 12 + 1)

test_that("values are those of the definition", {
  expect_equal(unname(kernel_matrix(pair_kernel(K, L), edges)), by_definition(edges), tolerance = 1e-14)
  expect_equal(unname(kernel_matrix(pair_kernel(K), same)), unordered(same), tolerance = 1e-14)
  expect_equal(kernel_matrix(pair_kernel(K), same), kernel_matrix(pair_kernel(K), same[, 2:1]), tolerance = 1e-14)
  expect_equal(unname(kernel_matrix(pair_kernel(K, L), edges[1:60, ], edges[61:70, ])),
               by_definition(edges[1:60, ], edges[61:70, ]), tolerance = 1e-14)
  wide <- cbind(edges[, 1], 0.5, edges[, 2])
  expect_equal(kernel_matrix(on_features(pair_kernel(K, L), c(1, 3)), wide),
               kernel_matrix(pair_kernel(K, L), edges), ignore_attr = TRUE)
  expect_identical(names(pair_kernel(list(a = K, b = diag(12)), list(c = L))), c("pair(a,c)", "pair(b,c)"))
})

test_that("fits are certified by the matrices of the definition, and predict new pairs", {
  train <- edges[1:70, ]
  new <- edges[71:96, ]
  set <- c(pair_kernel(K, L), pair_kernel(diag(12), L))
  Ks <- list(by_definition(train), outer(train[, 1], train[, 1], `==`) * L[train[, 2], train[, 2]])
  for (how in list("none", "multiplicative", "spherical", c("centre", "trace"))) for (p in c(1, 2)) {
    fit <- mkl(train, y[1:70], set, p = p, normalize = how, control = quiet(tol = 1e-6))
    expect_certified(fit, lapply(Ks, function(K) judge_normalize(K, how)$train))
    expect_equal(duality_gap(fit, train, y[1:70])$gap, fit$gap, tolerance = 1e-7)
    expect_equal(predict(fit, train, type = "decision"), predict(fit, type = "decision"), tolerance = 1e-9)
  }
  fit <- mkl(train, y[1:70], pair_kernel(K, L), normalize = "none", control = quiet(tol = 1e-6))
  expect_equal(unname(predict(fit, new, type = "decision")),
               drop(fit$theta * by_definition(new, train) %*% fit$alpha) + unname(fit$offset), tolerance = 1e-10)
  one <- mkl(same, y, pair_kernel(K), normalize = "none", control = quiet(tol = 1e-6))
  expect_certified(one, list(unordered(same)))
  expect_equal(predict(one, same[, 2:1], type = "decision"), predict(one, type = "decision"), ignore_attr = TRUE,
               tolerance = 1e-10)
  skip_if_not_installed("jsonlite")
  file <- write_model(fit, tempfile(fileext = ".json"))
  expect_identical(predict(read_model(file), new, type = "decision"), predict(fit, new, type = "decision"))
})

test_that("the first of the chosen columns belongs to K", {
  turned <- cbind(target = edges[, 2], drug = edges[, 1], other = 0)
  for (columns in list(c("drug", "target"), 2:1)) {
    expect_equal(unname(kernel_matrix(on_features(pair_kernel(K, L), columns), turned)), by_definition(edges),
                 tolerance = 1e-13)
  }
  same <- edges[edges[, 1] <= nrow(L), ]
  expect_equal(kernel_matrix(on_features(pair_kernel(K), 2:1), same), kernel_matrix(pair_kernel(K), same))
  fit <- mkl(turned, y, on_features(pair_kernel(K, L), c("drug", "target")), control = quiet())
  expect_equal(predict(fit, turned[5:9, ], type = "decision"), fit$decision[5:9], tolerance = 1e-9)
})

test_that("pairs are a view beside others, which samples may lack, and factors of products", {
  views <- list(edge = edges, x = matrix(rnorm(96), 96))
  lacking <- views
  lacking$edge[1:4, ] <- NA
  set <- c(on_view(pair_kernel(K, L), "edge"), on_view(gaussian_kernel(1), "x"))
  fit <- mkl(lacking, y, set, missing_views = "neutral", control = quiet(tol = 1e-5))
  expect_lte(fit$gap, 1e-5)
  expect_equal(predict(fit, lacking, type = "decision"), predict(fit, type = "decision"), tolerance = 1e-9)
  product <- kernel_matrix(set[1] * set[2], views)
  expect_equal(unname(product), by_definition(edges) * judge_gaussian(views$x), tolerance = 1e-13)
  set.seed(1)
  cv <- cv_mkl(edges, y, pair_kernel(list(K, diag(12)), L), p = c(1, 2), C = 1, folds = 3, control = quiet())
  expect_length(cv$fit$theta, 2)
  expect_lte(mkl_gomp(edges, y, pair_kernel(K, L), control = quiet())$gap, 1e-6)
})

test_that("other columns, numbers and matrices are refused", {
  expect_error(mkl(cbind(edges, 1), y, pair_kernel(K, L)), class = "manykernels_kernel_view")
  expect_error(mkl(edges, y, pair_kernel(K)[c(1, 1)], scale = TRUE), NA)
  expect_error(mkl(edges[, 2:1], y, pair_kernel(K, L)), class = "manykernels_unknown_object")
  expect_error(mkl(edges + 0.5, y, pair_kernel(K, L)), class = "manykernels_unknown_object")
  fit <- mkl(edges, y, pair_kernel(K, L), control = quiet())
  expect_error(predict(fit, edges + 12), class = "manykernels_unknown_object")
  expect_error(pair_kernel(matrix(1:6, 2)), class = "manykernels_dimension")
  expect_error(pair_kernel(K, "a"), "`L` must be", class = "manykernels_invalid_argument")
  expect_error(pair_kernel(K, list(s = diag(2), t = matrix(1:6, 2))), "`L$t` must be", fixed = TRUE,
               class = "manykernels_dimension")
  expect_error(pair_kernel(gaussian_kernel(1)), class = "manykernels_invalid_argument")
  expect_error(per_feature(pair_kernel(K, L)), class = "manykernels_unsupported")
})
