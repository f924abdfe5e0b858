# kernel_weights(features = TRUE): the weights are right, and say which share of the function they are.

x <- as.matrix(iris[51:150, 1:4])
y <- droplevels(iris$Species[51:150])
kernels <- c(linear_kernel(), on_features(linear_kernel(), list(some = 2:3)), gaussian_kernel(c(1, 4)))

# Columns as the fit has standardised them.
standard <- function(fit, x) scale(x, fit$scaling$views$x$centre, fit$scaling$views$x$scale)

test_that("weights of columns are those of the decision values, in units of the response", {
  linear <- kernels[1:2]
  fits <- list(mkl(x, y, linear), mkl(x[, -1], x[, 1], linear[1]), mkl_gomp(x, y, linear),
               mkl(x, y, linear, normalize = c("centre", "multiplicative")))
  for (fit in fits) {
    expect_no_message(weights <- kernel_weights(fit, features = TRUE))
    parts <- standard(fit, x[, variable.names(fit)])[, weights$feature] %*% weights$weight
    expect_lt(diff(range(predict(fit, type = "decision") - parts)), 1e-10)
    expect_equal(attr(weights, "share"), 1)
    expect_identical(attr(weights, "left_out"), character())
  }
})

test_that("a share and the kernels left out are said", {
  fit <- mkl(x, y, kernels)
  expect_message(weights <- kernel_weights(fit, features = TRUE), "`gaussian(width=1)`, `gaussian(width=4)`",
                 fixed = TRUE, class = "manykernels_message_features")
  expect_identical(attr(weights, "left_out"), c("gaussian(width=1)", "gaussian(width=4)"))
  # the norm of each kernel's part, by its matrix
  z <- standard(fit, x)
  norms <- vapply(seq_along(kernels), function(m) {
    K <- kernel_matrix(kernels[m], z)
    K <- K / (mean(diag(K)) - mean(K))
    fit$theta[[m]]^2 * sum(fit$alpha * (K %*% fit$alpha))
  }, 0)
  expect_equal(attr(weights, "share"), sum(norms[1:2]) / sum(norms), tolerance = 1e-8)
  expect_equal(attr(weights, "share"), sum(kernel_weights(fit)$share[1:2]))
  expect_message(kernel_weights(fit, features = TRUE), sprintf("describe %.1f %%", 100 * attr(weights, "share")),
                 fixed = TRUE)
})

test_that("several models have a share each", {
  for (multiclass in c("ovr", "ovo", "shared", "joint")) {
    fit <- mkl(iris[1:4], iris$Species, kernels, multiclass = multiclass)
    expect_message(weights <- kernel_weights(fit, features = TRUE), class = "manykernels_message_features")
    table <- kernel_weights(fit)
    own <- tapply(table$share * (table$type == "linear"), table$model %||% rep("all", nrow(table)), sum)
    expect_equal(as.vector(attr(weights, "share")), unname(if (multiclass %in% c("shared", "joint")) rep(own, 3) else
      as.vector(own[names(fit$models)])))
    expect_named(attr(weights, "share"), names(fit$models))
    expect_identical(unique(weights$model), names(fit$models))
  }
  pursuit <- mkl_gomp(iris[1:4], iris$Species, kernels[1])
  weights <- kernel_weights(pursuit, features = TRUE)
  z <- standard(pursuit, iris[1:4])
  for (level in levels(iris$Species)) {
    own <- weights[weights$model == level, ]
    expect_lt(diff(range(predict(pursuit, type = "decision")[, level] - z[, own$feature] %*% own$weight)), 1e-10)
  }
})

test_that("kernels without features are refused, with advice that leads on", {
  spherical <- normalize_kernels(linear_kernel(), "spherical")
  partial <- list(a = x[, 1:2], b = x[1:60, 3:4])
  rownames(partial$a) <- rownames(partial$b) <- NULL
  rownames(partial$a) <- paste0("s", 1:100)
  rownames(partial$b) <- paste0("s", 1:60)
  for (fit in list(mkl(x, y, gaussian_kernel(2)), mkl(x, y, spherical), mllkm(x, y), mkl_gomp(x, y, spherical))) {
    expect_error(kernel_weights(fit, features = TRUE), "linear_kernel()", fixed = TRUE,
                 class = "manykernels_unsupported")
  }
  expect_identical(nrow(kernel_weights(mkl(x, y, linear_kernel()), features = TRUE)), 4L)
  fit <- suppressMessages(mkl(partial, y, linear_kernel(), missing_views = "neutral"))
  expect_message(weights <- kernel_weights(fit, features = TRUE), "`b:linear`", fixed = TRUE)
  expect_identical(weights$feature, intersect(weights$feature, colnames(x)[1:2]))
})

test_that("results of cross-validation and models of files say it, too", {
  set.seed(1)
  cv <- cv_mkl(x, y, kernels, p = 2, C = 1, folds = 2)
  expect_message(weights <- kernel_weights(cv, features = TRUE), class = "manykernels_message_features")
  skip_if_not_installed("jsonlite")
  file <- write_model(cv, tempfile(fileext = ".json"))
  on.exit(unlink(file))
  expect_message(read <- kernel_weights(read_model(file), features = TRUE), class = "manykernels_message_features")
  expect_equal(read, weights)
})
