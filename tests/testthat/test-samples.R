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
  expect_snapshot(error = TRUE, cnd_class = TRUE, precomputed_kernel(swapped))
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
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    by(list(K = new$K[, -3], G = new$G))
    by(list(K = cbind(new$K, s1 = 1), G = new$G))
    by(list(K = new$K, x))
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
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    predict(fit, with_diagonal("a"))
    predict(fit, with_diagonal(c(1, Inf, 1)))
    predict(fit, with_diagonal(c(1, 0, 1)))
    predict(fit, with_diagonal(1:2))
  })
})

test_that("duplicated names are fine until they are matched", {
  twice <- x
  y <- d$y
  k <- linear_kernel()
  rownames(twice)[2] <- rownames(twice)[1]
  expect_equal(mkl(twice, y, k)$gap, mkl(unname(x), y, k)$gap)
  expect_s3_class(mkl(twice, stats::setNames(y, rownames(twice)), k), "mkl") # the same sequence
  matched <- function(...) expect_error(mkl(...), class = "manykernels_duplicated_samples")
  matched(twice, stats::setNames(y, rownames(x)), k)
  matched(twice, y, k, weights = stats::setNames(rep(1, length(y)), rownames(x)))
  matched(list(a = twice, b = x), y, k)
  matched(twice, y, c(k, precomputed_kernel(list(own = tcrossprod(x)))))
})

test_that("duplicated column names are fine until one is looked up", {
  twice <- x
  colnames(twice) <- c("a", "a", "b")
  fit <- mkl(twice, d$y, linear_kernel(), control = mkl_control(tol = 1e-5), scale = FALSE)
  expect_equal(predict(fit, twice, "decision"), fit$decision, tolerance = 1e-6)
  expect_equal(kernel_matrix(on_features(linear_kernel(), "b"), twice), tcrossprod(twice[, 3]),
               ignore_attr = TRUE)
  once <- mkl(x, d$y, linear_kernel(), scale = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(twice, d$y, on_features(linear_kernel(), "a"))
    predict(fit, twice[, 3:1])
    predict(fit, unname(twice))
    predict(once, cbind(x, v1 = 1))
  })
  expect_classed(predict(fit, twice[, 3:1]), "duplicated_columns", "newdata")
})

# ---- the order of samples ------------------------------------------------------------------------

k <- gaussian_kernel(c(1, 8))
y <- stats::setNames(d$y, rownames(x))
shuffle <- c(7, 3, 20, 1, 15, 11, 2, 18, 9, 5, 14, 6, 19, 4, 10, 17, 8, 13, 16, 12)
exact <- mkl_control(tol = 1e-6, progress = FALSE)

expect_ordered <- function(code, what) {
  expect_message(out <- code, what, fixed = TRUE, class = "manykernels_message_row_order")
  out
}

test_that("a named response is put in the order of the rows, whatever its form", {
  fit <- mkl(x, d$y, k, control = exact)
  frame <- data.frame(y = y, row.names = names(y))
  text <- array(as.character(y), 20, list(names(y)))
  column <- matrix(as.integer(y), 20, dimnames = list(names(y), NULL))
  for (form in list(y[shuffle], text[shuffle], frame[shuffle, , drop = FALSE],
                    column[shuffle, , drop = FALSE])) {
    again <- expect_ordered(mkl(x, form, k, control = exact), "`y`: put in the order of the rows of `x`")
    expect_equal(again$alpha, fit$alpha)
  }
  expect_silent(mkl(x, y, k, control = exact))
  expect_silent(mkl(unname(x), y[shuffle], k, control = exact))
  numbers <- x[, 1]
  expect_equal(expect_ordered(mkl(x, numbers[shuffle], k), "`y`")$alpha, mkl(x, numbers, k)$alpha)
})

test_that("named weights are put in order, and names of classes are no names of samples", {
  w <- stats::setNames(1:20 / 20, rownames(x))
  fit <- mkl(x, y, k, weights = w, control = exact)
  again <- expect_ordered(mkl(x, y, k, weights = w[shuffle], control = exact), "`weights`")
  expect_equal(again$alpha, fit$alpha)
  expect_silent(mkl(x, y, k, weights = c(no = 1, yes = 2)[as.character(y)], control = exact))
  expect_classed(mkl(x, y, k, weights = stats::setNames(w, paste0("z", 1:20))), "sample_names",
                 "weights")
})

test_that("every fit and every function of x and y matches names", {
  fits <- list(
    mkl = function(y) mkl(x, y, k, control = exact),
    gomp = function(y) mkl_gomp(x, y, k),
    mllkm = function(y) mllkm(x, y, gamma = 1, control = exact),
    sequential = function(y) mkl_sequential(x, y, k, control = exact)
  )
  for (make in fits) {
    fit <- make(y)
    expect_equal(expect_ordered(make(y[shuffle]), "`y`")$decision, fit$decision)
    gap <- duality_gap(fit, x, y)
    expect_equal(expect_ordered(duality_gap(fit, x, y[shuffle]), "`y`"), gap)
    expect_equal(expect_ordered(duality_gap(fit, x[shuffle, ], y), "`x`"), gap)
    # without names y has the order of the rows it comes with
    expect_equal(expect_ordered(duality_gap(fit, x[shuffle, ], unname(y[shuffle])), "`x`"), gap)
    expect_error(suppressMessages(duality_gap(fit, x[shuffle, ], unname(y))),
                 class = "manykernels_mismatch")
    strange <- x
    rownames(strange) <- paste0("z", 1:20)
    expect_classed(duality_gap(fit, strange), "sample_names", "x")
  }
  expect_equal(expect_ordered(kernel_alignment(k, x, y[shuffle]), "`y`"), kernel_alignment(k, x, y))
  outputs <- cbind(one = x[, 1], two = x[, 2]^2)
  expect_equal(expect_ordered(mkl_gomp(x, outputs[shuffle, ], k), "`y`")$alpha,
               mkl_gomp(x, outputs, k)$alpha)
  folds <- stats::setNames(rep(1:4, 5), rownames(x))
  expect_equal(expect_ordered(mkl_gomp(x, y, k, folds = folds[shuffle]), "`folds`")$tuning,
               mkl_gomp(x, y, k, folds = folds)$tuning)
  half <- list(x = x[1:10, ], y = y[1:10])
  expect_equal(expect_ordered(mkl_gomp(x, y, k, validation = list(x = half$x, y = half$y[10:1])),
                              "`validation$y`")$tuning,
               mkl_gomp(x, y, k, validation = half)$tuning)
  fit <- mkl(x, y, k, control = exact)
  expect_equal(suppressWarnings(expect_ordered(risk_bound(fit, x, y[shuffle]), "`y`")),
               suppressWarnings(risk_bound(fit, x, y)))
})

test_that("views are put in the order of the first one with names", {
  views <- list(u = x, v = x^2)
  mixed <- list(u = x, v = (x^2)[shuffle, ])
  fit <- mkl(views, y, k, control = exact)
  expect_equal(expect_ordered(mkl(mixed, y, k, control = exact), "`x$v`")$alpha, fit$alpha)
  sparse <- list(u = x, v = Matrix::Matrix(mixed$v, sparse = TRUE))
  # alphas are known to the root of the gap, and sparse products round in another way
  expect_equal(expect_ordered(mkl(sparse, y, k, control = exact), "`x$v`")$alpha, fit$alpha,
               tolerance = 1e-5)
  frames <- list(u = as.data.frame(x), v = as.data.frame(mixed$v))
  expect_equal(expect_ordered(mkl(frames, y, k, control = exact), "`x$v`")$alpha, fit$alpha)
  unnamed <- list(w = unname(x[, 1, drop = FALSE]), u = x, v = mixed$v)
  expect_ordered(mkl(unnamed, y, k, control = exact), "the rows of `x$u`")
  expect_equal(expect_ordered(predict(fit, mixed, "decision"), "`newdata$v`"), fit$decision)
  expect_equal(expect_ordered(duality_gap(fit, mixed, y), "`x$v`")$gap, fit$gap)
})

test_that("kernel matrices are put in the order of views, and of each other", {
  kernels <- precomputed_kernel(list(K = K, G = G))
  turned <- expect_ordered(precomputed_kernel(list(K = K, G = G[back, back])), "Kernel `G`: put")
  expect_identical(turned, kernels)
  fit <- mkl(x, y, c(kernels, k), control = exact)
  for (form in list(list(K = K[back, back], G = G[back, back]),
                    array(c(K[back, back], G[back, back]), c(20, 20, 2),
                          list(rownames(x)[back], NULL, c("K", "G"))))) {
    again <- expect_ordered(mkl(x, y, c(precomputed_kernel(form), k), control = exact),
                            "Kernels `K`, `G`: put in the order of the rows of `x`")
    expect_equal(again$alpha, fit$alpha)
  }
  alone <- mkl(y = y, kernels = kernels, control = exact)
  given <- list(K = K[shuffle, shuffle], G = G[shuffle, shuffle])
  expect_equal(expect_ordered(duality_gap(alone, given, unname(y[shuffle])), "`x$K`")$gap, alone$gap)
  expect_equal(duality_gap(alone, kernels, y)$gap, alone$gap)
  expect_equal(expect_ordered(predict(alone, list(K = K[1:5, ], G = G[5:1, ]), "decision"),
                              "`newdata$G`"), alone$decision[1:5])
  expect_equal(expect_ordered(mkl(y = y[shuffle], kernels = kernels, control = exact), "`y`")$alpha,
               alone$alpha)
  both <- c(kernel_dictionary(kernels[1]), kernel_dictionary(precomputed_kernel(G[back, back])))
  expect_ordered(mkl_sequential(y = y, dictionary = both, control = exact), "ernel `precomputed`")
})

test_that("variables of a formula from elsewhere are matched to the rows of the data", {
  frame <- data.frame(x)
  response <- y[shuffle]
  w <- stats::setNames(1:20 / 20, rownames(x))
  again <- expect_ordered(mkl(response ~ v1 + v2, frame, kernels = k, control = exact), "`response`")
  frame$y <- y
  expect_equal(again$alpha, mkl(y ~ v1 + v2, frame, kernels = k, control = exact)$alpha)
  turned <- w[shuffle]
  again <- expect_ordered(mkl(y ~ v1, frame, kernels = k, weights = turned, control = exact), "`turned`")
  expect_equal(again$alpha, mkl(y ~ v1, frame, kernels = k, weights = w, control = exact)$alpha)
  rows <- x
  again <- expect_ordered(mkl(response ~ rows, kernels = k, control = exact), "the rows of `rows`")
  expect_equal(unname(again$alpha), unname(mkl(x, y, k, control = exact)$alpha))
  some <- mkl(y ~ v1 + v2, frame, kernels = k, subset = v1 > 0, control = exact)
  expect_equal(expect_ordered(duality_gap(some, frame[shuffle, ]), "`x`")$gap, some$gap)
})

test_that("samples that don't match are errors that say which", {
  renamed <- function(object, names) {
    if (is.null(dim(object))) names(object) <- names else rownames(object) <- names
    object
  }
  strange <- c("q1", "q2", rownames(x)[-(1:2)])
  twice <- replace(rownames(x), 2, "s1")
  views <- list(u = x, v = x)
  fit <- mkl(x, y, k)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(x, renamed(y, strange), k)
    mkl(x, y[1:17], k)
    mkl(x, renamed(y, paste0("P", 1:20)), k)
    mkl(list(u = x, v = renamed(x, strange)), y, k)
    mkl(list(u = x, v = renamed(x, paste0("array", 1:20))), y, k)
    mkl(list(u = x, v = x[1:17, ]), y, k)
    mkl(t(x), y, k)
    mkl(unname(t(x)), d$y, k)
    mkl(list(u = x, v = t(x)), y, k)
    mkl(list(u = unname(x), v = unname(t(x))), y, k)
    mkl(list(u = t(x), v = rbind(w1 = x[, 1], w2 = x[, 2])), y, k)
    mkl(renamed(x, twice), renamed(y, twice)[back], k)
    mkl(x, y, c(precomputed_kernel(K[1:17, 1:17]), k))
    mkl(y = y, kernels = precomputed_kernel(K[1:17, 1:17]))
    precomputed_kernel(list(K = K[1:19, 1:19], G = G[2:20, 2:20]))
    duality_gap(fit, renamed(x, strange))
    predict(mkl(views, y, k), list(u = x[1:5, ], v = x[3:7, ]))
  })
  expect_classed(mkl(x, y[1:17], k), "sample_names", "y")
  expect_classed(mkl(x, y[1:17], k), "length", "y")
  expect_classed(mkl(list(u = x, v = x[1:17, ]), y, k), "dimension", "x")
  expect_classed(mkl(x, renamed(y, twice), k), "sample_names", "y")
  expect_silent(mkl(renamed(x, twice), renamed(y, twice), k))
  expect_silent(mkl(list(u = x, v = renamed(x, NULL)), y, k))
})

test_that("row numbers are names only where the other side has the same ones", {
  other <- x
  rownames(other) <- 20:1 + 5
  numbered <- x
  rownames(numbered) <- 1:20
  of_v <- on_view(linear_kernel(), "v")
  expect_silent(kernel_matrix(of_v, list(u = numbered, v = other)))
  expect_message(K <- kernel_matrix(of_v, list(u = numbered, v = numbered[back, ])), "x\\$v",
                 class = "manykernels_message_row_order")
  expect_identical(K, kernel_matrix(linear_kernel(), numbered))
  shuffled <- iris[150:1, ]
  expect_message(fit <- mkl(shuffled[1:4], iris["Species"], k), "`y`",
                 class = "manykernels_message_row_order")
  expect_identical(fit$y, shuffled$Species)
  some <- data.frame(y = as.character(shuffled$Species[1:100]))
  expect_silent(mkl(shuffled[1:100, 1:4], some, k))
  expect_message(again <- duality_gap(fit, iris[1:4]), class = "manykernels_message_row_order")
  expect_equal(again$gap, fit$gap)
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
  expect_identical(unname(which(is.na(predict(fit, frame)))), 3L)
  expect_classed(predict(fit, frame, na.action = na.fail), "missing_values", "newdata")
})

test_that("names that are missing or empty, or there twice, are errors where they matter", {
  y <- stats::setNames(d$y, rownames(x))
  named <- function(object, i, name) {
    names(object)[i] <- name
    object
  }
  rows <- function(object, i, name) {
    rownames(object)[i] <- name
    object
  }
  k <- gaussian_kernel(1)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(x, named(y, 3, NA), k)
    mkl(x, named(y, 3, ""), k)
    mkl(rows(x, 5, NA), y, k)
    mkl(list(a = x, b = rows(x, 5, NA)), d$y, k)
    mkl(list(a = rows(x, 2, "s1"), b = rows(x, 2, "s1")[20:1, ]), d$y, k)
  })
  expect_silent(mkl(rows(x, 5, NA), d$y, k))
  twice <- rows(x, 2, "s1")
  expect_silent(mkl(twice, stats::setNames(d$y, rownames(twice)), k))
})

test_that("with several views the advice for unlabelled samples names all of them", {
  set.seed(1)
  names <- paste0("s", 1:30)
  a <- matrix(rnorm(60), 30, dimnames = list(names, NULL))
  y <- stats::setNames(gl(2, 1, 20), names[c(1:18, 1:2)])
  names(y)[19:20] <- c("t1", "t2")
  for (views in list(list(a = a, b = a[1:25, ]), list(a = a[1:25, ], b = a[c(1:20, 26:28), ]), list(a = a, b = a))) {
    for (missing_views in if (nrow(views$b) == 30) "error" else c("neutral", "drop")) {
      fit <- function(x, y) suppressMessages(mkl(x, y, linear_kernel(), missing_views = missing_views))
      x <- views
      labels <- y
      error <- expect_error(fit(x, labels), class = "manykernels_sample_names")
      code <- regmatches(conditionMessage(error), gregexpr("`[xy] <- [^`]+`", conditionMessage(error)))[[1]]
      expect_length(code, 2)
      for (one in gsub("`", "", code)) {
        here <- list2env(list(x = x, y = labels), parent = globalenv())
        eval(str2lang(one), here)
        x <- here$x
        labels <- here$y
      }
      expect_equal(stats::nobs(fit(x, labels)), 18)
    }
  }
})
