test_that("choices have one form", {
  chosen <- function(normalize) normalize_kernels(linear_kernel(), normalize)[[1]]$normalize
  expect_identical(chosen("trace"), "trace")
  expect_identical(chosen("centre"), c("centre", "none"))
  expect_identical(chosen("center"), c("centre", "none"))
  expect_identical(chosen(c("spherical", "center")), c("centre", "spherical"))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    chosen("max")
    chosen(c("trace", "none"))
    chosen(c("centre", "max"))
    chosen(character())
    chosen(NULL)
    chosen(NA_character_)
    normalize_kernels(linear_kernel(), TRUE)
    normalize_kernels("linear", "trace")
  })
})

test_that("a kernel's own choice goes before the fit's", {
  k <- c(linear_kernel(), normalize_kernels(gaussian_kernel(1:2), c("centre", "trace")),
         normalize_kernels(linear_kernel(), "none"))
  d <- judge_clouds(20)
  constants <- function(k, normalize) {
    fit <- mkl(d$x, d$y, k, normalize = normalize, control = mkl_control(progress = FALSE), scale = FALSE)
    fit$constants[c("centre", "scaling")]
  }
  expect_identical(constants(k, "multiplicative"),
                   list(centre = c(FALSE, TRUE, TRUE, FALSE), scaling = c(1L, 3L, 3L, 0L)))
  expect_identical(constants(k[1], c("centre", "spherical")),
                   list(centre = TRUE, scaling = 2L))
})

test_that("normalised matrices are as defined", {
  x <- as.matrix(iris[c(1:5, 51:55, 101:105), 1:4])
  z <- as.matrix(iris[c(6:8, 56:58), 1:4])
  k <- c(linear_kernel(), gaussian_kernel(3), polynomial_kernel(3))
  raw <- list(judge_linear, function(x, z = x) judge_gaussian(x, z, 3),
              function(x, z = x) judge_polynomial(x, z, 3))
  choices <- list("none", "multiplicative", "spherical", "trace")
  choices <- c(choices, lapply(choices, function(choice) c("centre", choice)))
  for (choice in choices) {
    train <- kernel_matrix(k, x, normalize = choice)
    new <- kernel_matrix(k, x, z, normalize = choice)
    for (m in seq_along(k)) {
      judge <- judge_normalize(raw[[m]](x), choice, raw[[m]](z, x), diag(raw[[m]](z)))
      expect_equal(train[[m]], judge$train, tolerance = 1e-10, ignore_attr = TRUE)
      expect_equal(t(new[[m]]), judge$new, tolerance = 1e-10, ignore_attr = TRUE)
    }
  }
})

test_that("the choice of a set is used by kernel_matrix", {
  x <- as.matrix(iris[1:10, 1:4])
  k <- c(normalize_kernels(linear_kernel(), "trace"), gaussian_kernel(1))
  K <- kernel_matrix(k, x, normalize = "multiplicative")
  expect_equal(sum(diag(K[[1]])), 1)
  expect_equal(mean(diag(K[[2]])) - mean(K[[2]]), 1)
})

test_that("kernels that can't be normalised are named", {
  x <- matrix(c(1, 1, 1, 2, 3, 5), 3, dimnames = list(NULL, c("a", "b")))
  k <- per_feature(linear_kernel())
  zero <- rbind(0, x)
  flat <- list(u = matrix(0, 3, 2), v = x)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(k, x, normalize = "multiplicative")
    kernel_matrix(k, x, normalize = c("centre", "multiplicative"))
    kernel_matrix(k, x, normalize = c("centre", "trace"))
    kernel_matrix(linear_kernel(), zero, normalize = "spherical")
    kernel_matrix(c(linear_kernel(), polynomial_kernel(2)), flat, normalize = "multiplicative")
  })
  expect_error(kernel_matrix(k, x, normalize = "multiplicative"),
               class = "manykernels_constant_kernel")
  expect_silent(kernel_matrix(k, x))
})

test_that("the message about a kernel without scale is true of its values", {
  x <- as.matrix(iris[1:20, 1:4])
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(linear_kernel(), matrix(0, 3, 2))
    kernel_matrix(linear_kernel(), matrix(1, 3, 2), normalize = "centre")
    kernel_matrix(linear_kernel(), x + 1e9, normalize = "multiplicative")
    kernel_matrix(linear_kernel(), x * 1e-200, normalize = "multiplicative")
    kernel_matrix(linear_kernel(), x * 1e200, normalize = "multiplicative")
  })
  expect_warning(indefinite <- precomputed_kernel(matrix(c(0, 1, 1, 0), 2)))
  expect_snapshot(error = TRUE, cnd_class = TRUE, kernel_matrix(indefinite, NULL, normalize = "multiplicative"))
})

test_that("new rows without length are errors that name rows and kernel", {
  d <- judge_clouds(20)
  t <- judge_triangle()
  quiet <- mkl_control(progress = FALSE)
  kernels <- list(linear_kernel(), polynomial_kernel(2, offset = 0), on_features(linear_kernel(), 2),
                  function_kernel(function(X, Z) as.matrix(X %*% t(Z)), "dot"),
                  locally_linear_kernel(gamma = 1, anchors = rep(0, 3)))
  new <- replace(d$x[1:4, ], cbind(rep(c(2, 4), 3), rep(1:3, each = 2)), 0)
  named <- new
  rownames(named) <- c("ann", "bob", "cid", "dan")
  no_length <- function(expr, argument = "newdata", rows = "`2`, `4`") {
    problem <- expect_error(expr, rows, class = "manykernels_constant_kernel")
    expect_identical(problem$argument, argument)
    expect_equal(problem$value, c(2, 4))
  }
  for (k in kernels) {
    expect_error(mkl(new, d$y[1:4], k, normalize = "spherical", control = quiet, scale = FALSE),
                 class = "manykernels_constant_kernel")
    fit <- mkl(d$x, d$y, k, normalize = "spherical", control = quiet, scale = FALSE)
    no_length(predict(fit, new))
    no_length(predict(fit, named), rows = "`bob`, `dan`")
    expect_no_error(predict(fit, new[c(1, 3), ]))
    if (k[[1]]$type != "function") {
      no_length(predict(fit, Matrix::Matrix(new, sparse = TRUE)))
    }
    no_length(kernel_matrix(k, d$x, new, normalize = "spherical"), "z")
    no_length(predict(mkl_gomp(d$x, d$y, k, normalize = "spherical", control = quiet,
                               scale = FALSE), new))
    no_length(predict(mkl_sequential(d$x, d$y, k, normalize = "spherical", control = quiet,
                                     scale = FALSE), new))
  }
  three <- mkl(d$x, rep(c("a", "b", "c", "a"), 5), linear_kernel(), normalize = "spherical",
               control = quiet, scale = FALSE)
  no_length(predict(three, new))
  no_length(mkl_gomp(d$x, d$y, linear_kernel(), normalize = "spherical",
                     validation = list(x = new, y = d$y[1:4]), control = quiet,
                     scale = FALSE), "validation$x")
  centred <- mkl(d$x, d$y, linear_kernel(), normalize = c("centre", "spherical"), control = quiet,
                 scale = FALSE)
  expect_error(predict(centred, rbind(d$x[1, ], colMeans(d$x))), "`2`.*once centred",
               class = "manykernels_constant_kernel")
  # a formula leaves out incomplete rows, but counts them
  frame <- data.frame(d$x, y = d$y)
  fit <- mkl(y ~ ., frame, kernels = linear_kernel(), normalize = "spherical", control = quiet,
             scale = FALSE)
  incomplete <- frame[1:4, ]
  incomplete[1, 1] <- NA
  incomplete[c(2, 4), 1:3] <- 0
  no_length(predict(fit, incomplete))
})

# Without an offset alphas don't sum to 0, and what centring takes off a kernel's sums counts: here of
# Gaussians whose sums come from tables, against their matrices.
test_that("centred Gaussians of many widths are fitted without an offset", {
  d <- judge_clouds(100)
  width <- 2^(-2:3)
  how <- c("centre", "multiplicative")
  K <- lapply(width, function(w) judge_normalize(judge_gaussian(d$x, width = w), how)$train)
  control <- mkl_control(tol = 1e-6, progress = FALSE)
  for (p in c(1, 2)) {
    fit <- mkl(d$x, d$y, gaussian_kernel(width), p = p, intercept = FALSE, normalize = how,
               scale = FALSE, control = control)
    plain <- mkl(y = d$y, kernels = precomputed_kernel(K), p = p, intercept = FALSE,
                 normalize = "none", control = control)
    expect_true(fit$converged)
    expect_lte(fit$gap, 1e-6)
    expect_gt(abs(sum(fit$alpha)), 1e-3) # else nothing is seen here
    expect_equal(fit$objective, plain$objective, tolerance = 2e-6)
    expect_equal(unname(fit$theta), unname(plain$theta), tolerance = 1e-2)
  }
})
