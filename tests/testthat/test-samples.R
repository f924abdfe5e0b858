# Names of samples (rows, and columns of kernel matrices), names of columns, and new data without
# rows or with columns nobody reads.

d <- judge_clouds(20)
x <- d$x
rownames(x) <- paste0("s", 1:20)
back <- 20:1
K <- tcrossprod(x)
G <- judge_gaussian(x)
dimnames(G) <- dimnames(K)

test_that("precomputed kernels have one order of samples", {
  swapped <- K
  rownames(swapped) <- rev(rownames(K))
  one_side <- K
  colnames(one_side) <- NULL
  expect_silent(precomputed_kernel(list(K, unname(G), one_side)))
  expect_snapshot(error = TRUE, {
    precomputed_kernel(swapped)
    precomputed_kernel(list(K = K, G = G[back, back]))
    mkl(NULL, d$y, c(precomputed_kernel(K), precomputed_kernel(list(G = G[back, back]))))
    mkl(x[back, ], d$y, c(precomputed_kernel(K), linear_kernel()))
    mkl(list(u = x, v = x[back, ]), d$y, c(precomputed_kernel(K), linear_kernel()))
  })
  expect_classed(precomputed_kernel(swapped), "row_order", "K")
  expect_classed(precomputed_kernel(array(swapped, c(20, 20, 1), c(dimnames(swapped), list(NULL)))),
                 "row_order", "K")
})

test_that("matrices of new rows are matched to the training rows by name", {
  fit <- mkl(NULL, d$y, precomputed_kernel(list(K = K, G = G)), control = mkl_control(tol = 1e-5),
             scale = FALSE)
  expect_named(fit$alpha, rownames(x))
  expect_named(fit$decision, rownames(x))
  new <- list(K = K[1:5, ], G = G[1:5, ])
  expected <- fit$decision[1:5]
  by <- function(newdata) predict(fit, newdata, "decision")
  expect_equal(by(new), expected)
  expect_equal(by(list(K = new$K[, back], G = new$G)), expected)
  expect_equal(by(list(K = unname(new$K), G = unname(new$G))), unname(expected))
  expect_equal(by(list(K = Matrix::Matrix(new$K[, back]), G = new$G)), expected)
  expect_equal(by(list(K = cbind(new$K, other = 1), G = new$G)), expected)
  cube <- array(c(new$K[, back], new$G[, back]), c(5, 20, 2), list(NULL, rownames(x)[back], NULL))
  expect_equal(by(cube), unname(expected))
  expect_equal(duality_gap(fit, list(K = K, G = G))$gap, fit$gap, tolerance = 1e-3)
  expect_snapshot(error = TRUE, {
    by(list(K = new$K[, -3], G = new$G))
    by(list(K = cbind(new$K, s1 = 1), G = new$G))
    by(list(K = new$K, G = new$G[5:1, ]))
    by(list(K = new$K, x))
    duality_gap(fit, list(K = K[back, back], G = G[back, back]))
  })
  unnamed <- mkl(NULL, d$y, precomputed_kernel(unname(K)), scale = FALSE)
  expect_null(names(unnamed$alpha))
  expect_equal(predict(unnamed, K, "decision"), unnamed$decision, ignore_attr = TRUE)
})

test_that("spherical prediction checks the values of new rows with themselves", {
  fit <- mkl(NULL, d$y, precomputed_kernel(K), normalize = "spherical",
             control = mkl_control(tol = 1e-5), scale = FALSE)
  with_diagonal <- function(values) structure(K[1:3, back], diagonal = values)
  expect_equal(predict(fit, with_diagonal(diag(K)[1:3]), "decision"), fit$decision[1:3])
  expect_snapshot(error = TRUE, {
    predict(fit, with_diagonal("a"))
    predict(fit, with_diagonal(c(1, NA, 1)))
    predict(fit, with_diagonal(c(1, 0, 1)))
    predict(fit, with_diagonal(1:2))
  })
})

test_that("duplicated column names are fine until one is looked up", {
  twice <- x
  colnames(twice) <- c("a", "a", "b")
  fit <- mkl(twice, d$y, linear_kernel(), control = mkl_control(tol = 1e-5), scale = FALSE)
  expect_equal(predict(fit, twice, "decision"), fit$decision, tolerance = 1e-6)
  expect_equal(kernel_matrix(on_features(linear_kernel(), "b"), twice), tcrossprod(twice[, 3]),
               ignore_attr = TRUE)
  once <- mkl(x, d$y, linear_kernel(), scale = FALSE)
  expect_snapshot(error = TRUE, {
    mkl(twice, d$y, on_features(linear_kernel(), "a"))
    predict(fit, twice[, 3:1])
    predict(fit, unname(twice))
    predict(once, cbind(x, v1 = 1))
  })
  expect_classed(predict(fit, twice[, 3:1]), "duplicated_columns", "newdata")
})

test_that("views share samples only at the same rows", {
  other <- x
  rownames(other) <- c("s2", "s1", paste0("z", 3:20))
  expect_classed(as_views(list(u = x, v = other)), "row_order", "x")
  rownames(other) <- c("s1", paste0("z", 2:20))
  expect_silent(as_views(list(u = x, v = other)))
  rownames(other) <- 20:1 + 5
  numbered <- x
  rownames(numbered) <- 1:20
  expect_silent(as_views(list(u = numbered, v = other)))
  expect_classed(as_views(list(u = numbered, v = numbered[back, ])), "row_order", "x")
})

test_that("no new rows give empty results of the right type", {
  none <- factor(character(), levels(d$y))
  fits <- list(
    mkl(x, d$y, linear_kernel(), scale = FALSE), mkl(as.data.frame(x), d$y, linear_kernel(),
                                                     scale = FALSE),
    mkl(y ~ ., data.frame(x, y = d$y), kernels = linear_kernel(), scale = FALSE),
    mkl(NULL, d$y, precomputed_kernel(K), scale = FALSE)
  )
  new <- list(x[0, ], as.data.frame(x)[0, ], data.frame(x)[0, ], K[0, ])
  for (i in seq_along(fits)) {
    expect_identical(unname(predict(fits[[i]], new[[i]])), none)
    expect_identical(unname(predict(fits[[i]], new[[i]], "decision")), numeric())
  }
  several <- mkl(iris[1:4], iris$Species, linear_kernel(), scale = FALSE)
  expect_identical(dim(predict(several, iris[0, ], "decision")), c(0L, 3L))
  expect_length(predict(several, iris[0, ]), 0)
  expect_identical(dim(kernel_matrix(linear_kernel(), x, x[0, ])), c(20L, 0L))
  expect_classed(mkl(x[0, ], d$y[0], scale = FALSE), "dimension", "x")
})

test_that("columns that no active kernel reads may hold anything", {
  fit <- mkl(x, d$y, on_features(gaussian_kernel(2), "v1"), scale = FALSE)
  new <- x
  new[, 2:3] <- NA
  expect_identical(predict(fit, new), predict(fit, x))
  expect_identical(predict(fit, Matrix::Matrix(new, sparse = TRUE)), predict(fit, x))
  frame <- data.frame(g = rep(c("p", "q"), 10), x)
  fit <- mkl(frame, d$y, on_features(gaussian_kernel(2), "v1"), scale = FALSE)
  frame[c("g", "v2")] <- NA
  expect_identical(predict(fit, frame), predict(fit, cbind(x, g = "p") |> as.data.frame() |>
                                                  transform(v1 = x[, 1])))
  frame$v1[3] <- NA
  expect_classed(predict(fit, frame), "missing_values", "newdata")
})
