x <- matrix(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 4, dimnames = list(NULL, c("a", "b", "c")))

test_that("constructors are vectorised and name their kernels", {
  expect_identical(names(linear_kernel()), "linear")
  expect_identical(names(gaussian_kernel(2^(-1:1))),
                   c("gaussian(width=0.5)", "gaussian(width=1)", "gaussian(width=2)"))
  expect_identical(names(polynomial_kernel(1:2)), c("polynomial(degree=1)", "polynomial(degree=2)"))
  expect_identical(names(polynomial_kernel(2, scale = c(1, 0.5), offset = 0)),
                   c("polynomial(degree=2,offset=0)", "polynomial(degree=2,scale=0.5,offset=0)"))
  expect_identical(polynomial_kernel(2, 0.5, 3)[[1]]$parameters,
                   list(degree = 2, scale = 0.5, offset = 3))
  expect_identical(names(gaussian_kernel(c(1, 1 + 1e-10))),
                   c("gaussian(width=1)", "gaussian(width=1.0000000001)"))
  expect_identical(names(gaussian_kernel(c(1, 1, 1))),
                   c("gaussian(width=1)", "gaussian(width=1)#2", "gaussian(width=1)#3"))
  expect_identical(names(function_kernel(tcrossprod)), "tcrossprod")
  expect_identical(names(function_kernel(function(X, Z) X %*% t(Z))), "function")
  expect_identical(names(function_kernel(tcrossprod, "mine")), "mine")
})

test_that("bad parameters are errors", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    gaussian_kernel(0)
    gaussian_kernel(c(1, -2))
    gaussian_kernel(NA)
    gaussian_kernel(Inf)
    gaussian_kernel("1")
    gaussian_kernel(numeric())
    polynomial_kernel(1.5)
    polynomial_kernel(0)
    polynomial_kernel(2, scale = 0)
    polynomial_kernel(2, offset = -1)
    polynomial_kernel(1:3, scale = 1:2)
    function_kernel(3)
    function_kernel(function(x) x)
    function_kernel(tcrossprod, name = "")
  })
  expect_error(gaussian_kernel(0), class = "manykernels_invalid_argument")
})

test_that("sets behave like lists of kernels", {
  k <- c(linear_kernel(), NULL, gaussian_kernel(1:3))
  expect_s3_class(k, "kernel_set")
  expect_length(k, 4)
  expect_identical(names(k[2:3]), c("gaussian(width=1)", "gaussian(width=2)"))
  expect_identical(names(k[-1]), names(gaussian_kernel(1:3)))
  expect_identical(names(k["linear"]), "linear")
  expect_identical(names(k[c(TRUE, FALSE, FALSE, TRUE)]), c("linear", "gaussian(width=3)"))
  expect_identical(names(k[c(1, 1)]), c("linear", "linear#2"))
  expect_identical(k[], k)
  expect_identical(k$linear$type, "linear")
  expect_identical(k[["gaussian(width=2)"]]$parameters$width, 2)
  expect_identical(vapply(k, `[[`, "", "type"),
                   setNames(c("linear", rep("gaussian", 3)), names(k)))
  expect_identical(names(as.list(k)), names(k))
  expect_identical(rev(rev(k)), k)
  expect_identical(names(rep(k[1], 2)), c("linear", "linear#2"))
  expect_identical(names(head(k, 2)), names(k)[1:2])
  expect_true(all.equal(k, k[]))
  expect_output(str(list(k)), "A set of 4 kernels")
  names(k) <- letters[1:4]
  expect_identical(names(k), letters[1:4])
  expect_identical(names(c(k, k[1])), c("a", "b", "c", "d", "a#2"))
  expect_identical(names(c(k[1], k[1], setNames(k[2], "a#2"))), c("a", "a#2", "a#2#2"))
})

test_that("misuse of sets is an error", {
  k <- gaussian_kernel(1:3)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    k[5]
    k["linear"]
    k[["linear"]]
    k[[1:2]]
    k$linear
    k[NA]
    c(k, 3)
    k$a <- 1
    k[[1]] <- 1
    k[1] <- 1
    names(k) <- c("a", "b", "a")
    names(k) <- "a"
  })
})

test_that("sets print as a table", {
  k <- c(linear_kernel(), gaussian_kernel(c(1, 10)), polynomial_kernel(2, 0.5))
  expect_snapshot(cnd_class = TRUE, {
    k
    on_view(k[1:2], c("mirna", "mrna"))
    on_features(k[1:2], list(set_a = c("a", "b"), set_b = 1:5))
    on_features(k[1], 2:9)
    per_feature(on_view(k[1], "mrna"))
    c(k[1], normalize_kernels(k[2], c("centre", "trace")))
    gaussian_kernel(1:1e5)
    print(gaussian_kernel(1:5), n = 2)
    k[0]
    str(k)
    as.data.frame(k[2:3])
  })
})

test_that("on_view, on_features and per_feature name what they read", {
  k <- gaussian_kernel(1:2)
  expect_identical(
    names(on_view(k, c("u", "v"))),
    c("u:gaussian(width=1)", "u:gaussian(width=2)", "v:gaussian(width=1)", "v:gaussian(width=2)")
  )
  expect_identical(names(on_features(k[1], c("a", "b"))), "gaussian(width=1)[a,b]")
  expect_identical(names(on_features(k[1], list(s = "a", 2:3))),
                   c("gaussian(width=1)[s]", "gaussian(width=1)[2,3]"))
  expect_identical(on_features(k[1], c("b", "a", "b"))[[1]]$features, c("b", "a"))
  expect_identical(names(per_feature(per_feature(k[1]))), "gaussian(width=1)[each]")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    on_view(k, 1)
    on_view(k, "")
    on_view(on_view(k, "u"), "v")
    on_view("k", "v")
    on_features(k, list())
    on_features(k, -1)
    on_features(k, TRUE)
    on_features(k, c("a", NA))
    on_features(k, list(s = "a", t = c(1, 1.5)))
    on_features(k, list("a", character()))
    on_features(on_features(k, "a"), "b")
    per_feature(1)
    on_view(precomputed_kernel(diag(2)), "u")
  })
})

test_that("kernels without a view are repeated on every view, run by run", {
  views <- as_views(list(u = x, v = x[, 1:2]))
  k <- c(gaussian_kernel(1:2), on_view(linear_kernel(), "v"), gaussian_kernel(3))
  r <- resolve_kernels(k, views)
  expect_identical(names(r), c(
    "u:gaussian(width=1)", "u:gaussian(width=2)", "v:gaussian(width=1)", "v:gaussian(width=2)",
    "v:linear", "u:gaussian(width=3)", "v:gaussian(width=3)"
  ))
  expect_identical(kernel_field(r, "view"), c("u", "u", "v", "v", "v", "u", "v"))
  expect_identical(resolve_kernels(r, views), r)
  expect_identical(names(resolve_kernels(k[1:2], as_views(x))), names(k)[1:2])
  expect_identical(kernel_field(resolve_kernels(k[1], as_views(x)), "view"), "x")
})

test_that("features become increasing positions", {
  k <- on_features(c(linear_kernel(), gaussian_kernel(1)), list(s = c("c", "a"), t = c(3, 2)))
  r <- resolve_kernels(k, as_views(x))
  expect_identical(kernel_field(r, "features"), list(c(1L, 3L), c(1L, 3L), 2:3, 2:3))
  expect_identical(names(r), names(k))
  expect_identical(resolve_kernels(r, as_views(x)), r)
})

test_that("per_feature makes a kernel for each column", {
  k <- c(per_feature(gaussian_kernel(1:2)), linear_kernel())
  r <- resolve_kernels(k, as_views(x))
  expect_identical(names(r), c("gaussian(width=1)[a]", "gaussian(width=1)[b]",
                               "gaussian(width=1)[c]", "gaussian(width=2)[a]",
                               "gaussian(width=2)[b]", "gaussian(width=2)[c]", "linear"))
  expect_identical(kernel_field(r, "features"), list(1L, 2L, 3L, 1L, 2L, 3L, NULL))
  expect_false(any(kernel_field(r, "each")))
  expect_identical(names(resolve_kernels(k[1], as_views(unname(x)))),
                   paste0("gaussian(width=1)[", 1:3, "]"))
  views <- as_views(list(u = x, v = x[, "b", drop = FALSE]))
  expect_identical(names(resolve_kernels(per_feature(linear_kernel()), views)),
                   c("u:linear[a]", "u:linear[b]", "u:linear[c]", "v:linear[b]"))
  sets <- per_feature(on_features(linear_kernel(), list(s = c("c", "a"))))
  expect_identical(names(resolve_kernels(sets, as_views(x))), c("linear[s][a]", "linear[s][c]"))
})

test_that("a million columns take seconds, with shared parameters", {
  skip_unless_slow()
  skip_on_cran()
  wide <- Matrix::sparseMatrix(i = rep(1:10, 100), j = 1:1000 * 1000, x = 1, dims = c(10, 1e6))
  time <- system.time(r <- resolve_kernels(per_feature(gaussian_kernel(2)), as_views(wide)))
  expect_length(r, 1e6)
  expect_lt(sum(time[1:2]), 20) # processor time
  expect_lt(sum(system.time(out <- capture.output(print(r)))[1:2]), 2)
  expect_match(out[1], "A set of 1,000,000 kernels")
})

test_that("names of sets that are no columns are left out, and sets by their size", {
  k <- gaussian_kernel(1:2)
  sets <- list(one = c("a", "zz", "a"), two = c("b", "c"), none = c("qq", "ww"))
  views <- as_views(x)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    r <- resolve_kernels(on_features(k, sets), views)
    names(r)
    names(resolve_kernels(on_features(k, sets, min_size = 2), views))
    names(resolve_kernels(on_features(k, sets[1:2], max_size = 1), views))
    names(resolve_kernels(c(on_features(k, sets[1:2], max_size = 1), linear_kernel()), views))
    names(resolve_kernels(on_features(k, c("a", "zz")), views))
    resolve_kernels(on_features(k, sets, min_size = 3), views)
    resolve_kernels(on_features(k, sets[3]), views)
    resolve_kernels(on_features(k, list(pathway = c("TP53", "EGFR", "MYC", "KRAS"))), views)
    on_features(k, sets, min_size = 0)
    on_features(k, sets, min_size = 3, max_size = 2)
  })
  expect_identical(kernel_field(r, "features"), list(1L, 1L, 2:3, 2:3))
  expect_message(resolve_kernels(on_features(k, sets[1:2]), views),
                 class = "manykernels_message_features")
  expect_message(suppressMessages(resolve_kernels(on_features(k, sets, min_size = 2), views),
                                  classes = "manykernels_message_features"),
                 class = "manykernels_message_sets")
  expect_silent(resolve_kernels(on_features(k, list(1:2, c(2, 2)), min_size = 1), views))
  expect_silent(resolve_kernels(on_features(k, sets["two"]), views))
  expect_error(resolve_kernels(on_features(k, sets, min_size = 3), views) |> suppressMessages(),
               class = "manykernels_no_sets")
  joined <- c(on_features(k, sets[2], min_size = 2), on_features(k, list(three = 1:3)))
  expect_length(resolve_kernels(joined, views), 4)
  expect_identical(as.list(joined)[[1]]$limits, c(2, Inf))
})

test_that("fits on sets of which some columns were not measured predict and are certified", {
  d <- judge_clouds(30)
  sets <- list(s = c("v1", "gone"), t = c("v2", "v3"), u = "gone")
  kernels <- on_features(gaussian_kernel(c(1, 8)), sets)
  measured <- on_features(gaussian_kernel(c(1, 8)), list(s = "v1", t = c("v2", "v3")))
  quiet <- mkl_control(tol = 1e-5, progress = FALSE)
  expect_fit <- function(fit, own) {
    expect_equal(fit$theta, own$theta)
    expect_identical(predict(fit, d$x[1:5, ], "decision"), predict(own, d$x[1:5, ], "decision"))
    expect_equal(suppressMessages(duality_gap(fit, d$x, d$y))$gap, own$gap)
  }
  fit <- suppressMessages(mkl(d$x, d$y, kernels, control = quiet))
  expect_fit(fit, mkl(d$x, d$y, measured, control = quiet))
  expect_fit(suppressMessages(mkl_gomp(d$x, d$y, kernels)), mkl_gomp(d$x, d$y, measured))
  dictionary <- function(sets) kernel_dictionary(gaussian_kernel(c(1, 8)), sets)
  expect_message(fit <- mkl_sequential(d$x, d$y, dictionary(sets[1:2]), control = quiet),
                 "`gone`", class = "manykernels_message_features")
  expect_fit(fit, mkl_sequential(d$x, d$y, dictionary(list(s = "v1", t = c("v2", "v3"))),
                                 control = quiet))
  expect_error(mkl_sequential(d$x, d$y, dictionary(sets)), "`u`",
               class = "manykernels_unknown_feature")
})

test_that("kernels that don't fit the data are errors", {
  views <- as_views(list(u = x, v = x[, 1:2]))
  k <- linear_kernel()
  K <- precomputed_kernel(diag(3))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    resolve_kernels("linear", views)
    resolve_kernels(k[0], views)
    resolve_kernels(k, as_views(NULL))
    resolve_kernels(on_view(k, "w"), views)
    resolve_kernels(on_view(k, "w"), as_views(x))
    resolve_kernels(on_features(k, c("a", "d", "e")), as_views(x))
    resolve_kernels(on_features(k, list(s = "c")), views)
    resolve_kernels(on_features(k, 4), as_views(x))
    resolve_kernels(on_features(k, "a"), as_views(unname(x)))
    resolve_kernels(c(K, k), as_views(x))
    resolve_kernels(c(K, precomputed_kernel(diag(2))), as_views(NULL))
    resolve_kernels(without_matrices(K), as_views(NULL))
  })
  expect_error(resolve_kernels(on_view(k, "w"), views), class = "manykernels_unknown_view")
  expect_error(resolve_kernels(on_features(k, 4), views), class = "manykernels_unknown_feature")
  expect_error(resolve_kernels(c(K, k), views), class = "manykernels_dimension")
})

test_that("precomputed kernels take matrices, lists and arrays", {
  K <- tcrossprod(x)
  expect_identical(names(precomputed_kernel(K)), "precomputed")
  expect_identical(kernel_matrix(precomputed_kernel(K), NULL), K)
  expect_identical(names(precomputed_kernel(list(a = K, b = 2 * K))), c("a", "b"))
  expect_identical(names(precomputed_kernel(list(K, K))), c("precomputed1", "precomputed2"))
  cube <- array(c(K, 2 * K), c(4, 4, 2), list(NULL, NULL, c("p", "q")))
  slices <- precomputed_kernel(cube)
  expect_identical(names(slices), c("p", "q"))
  expect_identical(kernel_matrix(slices, NULL)$q, 2 * K)
  expect_identical(kernel_matrix(precomputed_kernel(Matrix::Diagonal(3)), NULL), diag(3),
                   ignore_attr = TRUE)
  expect_identical(kernel_matrix(precomputed_kernel(diag(2L)), NULL), diag(2))
  expect_identical(precomputed_size(slices), 4L)
  expect_identical(precomputed_size(linear_kernel()), NA_integer_)
})

test_that("kernlab's matrices and kernels are accepted", {
  skip_if_not_installed("kernlab")
  rbf <- kernlab::rbfdot(0.01)
  K <- suppressMessages(precomputed_kernel(kernlab::kernelMatrix(rbf, x)))
  expect_equal(kernel_matrix(K, NULL), exp(-0.01 * as.matrix(dist(x))^2), ignore_attr = TRUE)
  k <- function_kernel(rbf)
  expect_identical(names(k), "rbfkernel")
  expect_equal(k[[1]]$parameters$f(x, x[1:2, ]), kernel_matrix(K, NULL)[, 1:2],
               ignore_attr = TRUE)
})

test_that("precomputed kernels are made symmetric, or refused", {
  K <- tcrossprod(x)
  nearly <- K
  nearly[1, 2] <- nearly[1, 2] * (1 + 1e-11)
  expect_message(k <- precomputed_kernel(nearly), class = "manykernels_message_symmetrised")
  expect_true(isSymmetric(kernel_matrix(k, NULL), tol = 0))
  expect_snapshot(precomputed_kernel(list(nearly = nearly)), cnd_class = TRUE)
  large <- diag(600)
  large[600, 300] <- large[300, 600] <- 0.25
  expect_silent(precomputed_kernel(large))
  large[600, 300] <- 0.5
  expect_error(precomputed_kernel(large), class = "manykernels_not_symmetric")

  odd <- K
  odd[1, 2] <- 0
  missing <- K
  missing[1, 2] <- NA
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    precomputed_kernel(odd)
    precomputed_kernel(list(a = K, b = odd))
    precomputed_kernel(array(odd, c(4, 4, 1)))
    precomputed_kernel(missing)
    precomputed_kernel(K[, 1:3])
    precomputed_kernel(K[0, 0])
    precomputed_kernel(list(K, diag(2)))
    precomputed_kernel(list())
    precomputed_kernel("a")
    precomputed_kernel(1:3)
    precomputed_kernel(array("a", c(2, 2, 1)))
    precomputed_kernel(array(1, c(2, 3, 1)))
  })
})

test_that("an indefinite matrix gives a warning with its size", {
  expect_warning(precomputed_kernel(diag(c(3, -1, 2))), class = "manykernels_warning_indefinite")
  expect_snapshot(k <- precomputed_kernel(list(good = diag(3), bad = diag(c(3, -1, 2)))),
                  cnd_class = TRUE)
  expect_silent(precomputed_kernel(tcrossprod(x))) # rank 2: zero by rounding
})

test_that("default kernels have widths around the median distance", {
  k <- default_kernels(x)
  distance <- as.vector(dist(scale(x)))^2
  expect_identical(kernel_field(k, "type"), c("linear", rep("gaussian", 7)))
  widths <- vapply(as.list(k)[-1], function(spec) spec$parameters$width, 0, USE.NAMES = FALSE)
  expect_equal(widths, 2^(-3:3) * median(distance), tolerance = 1e-3)
  raw <- default_kernels(x, scale = FALSE)[[5]]$parameters$width
  expect_equal(raw, median(dist(x)^2), tolerance = 1e-3)
  sparse <- default_kernels(Matrix::Matrix(x, sparse = TRUE))
  expect_identical(names(sparse), names(k))
  two <- default_kernels(list(u = x, v = 2 * x))
  expect_identical(names(two)[c(1, 9)], c("u:linear", "v:linear"))
  expect_identical(names(default_kernels(as_views(x))), names(k))

  # one row in 1,200 that differs, between the 500 that are looked at first
  rare <- matrix(replace(numeric(1200), 601, 3))
  expect_identical(default_kernels(rare, scale = FALSE)[[5]]$parameters$width, 9)
  sparse <- Matrix::Matrix(rare, sparse = TRUE)
  expect_identical(default_kernels(sparse, scale = FALSE)[[5]]$parameters$width, 9)

  # more than half of the distances are 0
  repeated <- default_kernels(rbind(matrix(0, 20, 2), c(1, 1)))
  expect_identical(repeated[[5]]$parameters$width, 2)

  set.seed(1)
  before <- .Random.seed
  tall <- matrix(sin(1:3000), 1500)
  expect_identical(default_kernels(tall), default_kernels(tall))
  expect_identical(.Random.seed, before)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    default_kernels(NULL)
    default_kernels(matrix(1, 4, 2))
    default_kernels(list(u = 0 * x, v = matrix(1, 4, 2)))
    default_kernels(x[1, , drop = FALSE])
  })
})

test_that("sets survive saveRDS", {
  path <- tempfile()
  on.exit(unlink(path))
  k <- c(gaussian_kernel(1:3), function_kernel(tcrossprod))
  saveRDS(k, path)
  expect_identical(readRDS(path), k)
})

test_that("unique() and summary() know what kernels do", {
  K <- diag(3)
  k <- c(gaussian_kernel(c(1, 2, 1)), function_kernel(tcrossprod), function_kernel(tcrossprod),
         precomputed_kernel(list(a = K, b = K, c = 2 * K)), on_view(gaussian_kernel(1), "u"))
  expect_identical(names(unique(k)), c("gaussian(width=1)", "gaussian(width=2)", "tcrossprod", "a",
                                       "c", "u:gaussian(width=1)"))
  expect_snapshot(summary(k))
})

test_that("odd indices and parameters are classed errors", {
  g <- gaussian_kernel(1:3)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    g[list(1)]
    g[[0]]
    g[[-1]]
    g[c(-1, 1)]
    polynomial_kernel(1000)
    gaussian_kernel(5e-324)
    on_view(g, globalenv())
  })
})

test_that("names that come again are counted, and large sets take no long time", {
  skip_unless_slow()
  names_of <- function(name) names(do.call(c, lapply(name, function(one) function_kernel(sum, one))))
  expect_identical(names_of(c("b", "a", "b", "c", "b", "a")), c("b", "a", "b#2", "c", "b#3", "a#2"))
  expect_identical(names_of(c("a", "a#2", "a")), c("a", "a#2", "a#2#2"))
  many <- gaussian_kernel(seq_len(1e5))
  expect_lt(system.time(twice <- c(many, many))[["user.self"]], 5)
  expect_identical(names(twice)[c(1, 1e5 + 1)], c("gaussian(width=1)", "gaussian(width=1)#2"))
  local <- locally_linear_kernel("gaussian", seq_len(5000), anchors = cbind(1:2, 3:4))
  expect_lt(system.time(once <- unique(c(local, local)))[["user.self"]], 5)
  expect_identical(names(once), names(local))
})
