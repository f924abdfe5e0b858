# Compressed fits: decision values within the certified bound, which an independent computation confirms.
skip_on_cran() # a slow file
set.seed(1)
n <- 150
x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "e")))
size <- rowSums(x^2)
y <- factor(ifelse(size + rnorm(n) / 2 > 2, "out", "in"))
classes <- cut(size, c(0, 1, 3, Inf), c("u", "v", "w"))
wide <- gaussian_kernel(c(8, 16, 32))
quiet <- mkl_control(progress = FALSE, probability = FALSE)
new <- rbind(x[1:20, ] + 0.1, 3 * x[21:40, ], 100 * x[41:42, ])

certificates <- function(model) {
  models <- if (is.null(model$fit$models)) list(model$fit) else model$fit$models
  vapply(models, function(one) one$compression$error, 0)
}

# Fewer support vectors, and no decision value that differs by more than the bound of its model.
expect_within <- function(fit, tolerance, rows = new) {
  small <- compress(fit, tolerance)
  error <- certificates(small)
  expect_true(all(error <= tolerance))
  difference <- abs(as.matrix(predict(small, rows, type = "decision")) -
                      as.matrix(predict(fit, rows, type = "decision")))
  expect_true(all(apply(difference, 2, max) <= error + 1e-12))
  expect_gt(max(difference), 0)
  invisible(small)
}

test_that("the bound holds for every norm, loss and class, and for rows anywhere", {
  for (norm in list(lp_norm(1.2), elastic_net_norm(0.5), block_norm(2), quadratic_norm(diag(3)))) {
    small <- expect_within(mkl(x, y, wide, norm = norm, control = quiet), 0.05)
    expect_lt(length(small$fit$support), 75)
  }
  expect_within(mkl(x, y, wide, loss = "logistic", control = quiet), 0.05)
  expect_within(mkl(x, y, wide, loss = "squared_hinge", control = quiet), 0.05)
  expect_within(mkl(x, loss = "one_class", kernels = wide, control = quiet), 1e-4)
  for (way in c("ovr", "ovo", "shared", "joint")) {
    expect_within(mkl(x, classes, wide, multiclass = way, control = quiet), 0.05)
  }
  expect_within(mkl(x, cbind(one = size, two = x[, 1]), wide, loss = "squared", control = quiet), 0.5)
})

test_that("the tolerance is in units of the response", {
  small <- expect_within(mkl(x, 1000 * size, wide, loss = "epsilon_insensitive", control = quiet), 200)
  expect_gt(small$fit$compression$error, 20)
})

test_that("kernels of several views, spherical, sparse and missing", {
  views <- list(one = x, two = Matrix::Matrix(x * (x > 0), sparse = TRUE))
  kernels <- c(on_view(wide, c("one", "two")), on_view(laplace_kernel(20), "one"), on_view(linear_kernel(), "two"),
               normalize_kernels(on_view(linear_kernel(), "one"), "spherical"))
  rows <- lapply(views, function(view) view[1:40, ] * 1.1)
  expect_within(mkl(views, y, kernels, control = quiet), 0.2, rows)
})

test_that("the bound is the norm of the difference, kernel by kernel", {
  fit <- mkl(x, y, wide, normalize = "none", control = quiet)
  small <- compress(fit, 0.1)
  points <- small$fit$data$views[[1]]
  at <- match(do.call(paste, as.data.frame(points)), do.call(paste, as.data.frame(fit$data$views[[1]])))
  delta <- fit$alpha[fit$data$rows]
  delta[at] <- delta[at] - small$fit$alpha
  forms <- vapply(kernel_matrix(wide, fit$data$views[[1]]), function(K) sum(delta * (K %*% delta)), 0)
  expect_equal(small$fit$compression$error, sum(fit$theta * sqrt(forms)), tolerance = 1e-4)
  expect_gte(small$fit$compression$error, sum(fit$theta * sqrt(forms)))
})

test_that("rows with larger kernel values are told of", {
  fit <- mkl(x, y, polynomial_kernel(2:3), control = quiet)
  small <- compress(fit, 0.01)
  expect_silent(predict(small, x[fit$support, ]))
  expect_warning(predict(small, 100 * x), "may be off by up to", class = "manykernels_warning_compression")
  expect_within(mkl(x, y, c(polynomial_kernel(2), wide), control = quiet), 0.1, x)
})

test_that("predict() compresses, cross-validations and files as well", {
  fit <- mkl(x, y, wide, loss = "logistic", control = quiet)
  small <- compress(fit, 0.05)
  for (type in c("response", "decision", "prob")) {
    expect_identical(predict(fit, new, type = type, compress = 0.05), predict(small, new, type = type))
  }
  cv <- cv_mkl(x, y, wide, p = 2, C = 1, folds = 2, control = quiet)
  expect_identical(predict(cv, new, compress = 0.05), predict(compress(cv, 0.05), new))
  expect_output(print(small), "Compressed from 1.. support vectors to .*certified")
  expect_lte(max(nchar(capture.output(print(small)))), 80)
  expect_error(fitted(small), class = "manykernels_unsupported")
  twice <- compress(small, 0.2)
  expect_lte(max(abs(predict(twice, new, type = "decision") - predict(fit, new, type = "decision"))),
             certificates(twice))
  expect_gt(certificates(twice), certificates(small))
  skip_if_not_installed("jsonlite")
  file <- write_model(small, tempfile(fileext = ".json"))
  expect_identical(predict(read_model(file), new, type = "decision"), predict(small, new, type = "decision"))
  expect_identical(read_model(file)$fit$compression, small$fit$compression)
})

test_that("where no point can go, all support vectors stay", {
  fit <- mkl(x, y, gaussian_kernel(0.01), control = quiet)
  small <- compress(fit, 1e-9)
  expect_identical(length(small$fit$support), length(fit$support))
  expect_lte(certificates(small), 1e-9)
  linear <- compress(mkl(x, y, linear_kernel(), control = quiet), 1e-9)
  expect_identical(certificates(linear), 0)
})

test_that("what can't be compressed is refused", {
  refused <- function(fit) expect_error(compress(fit, 0.1), class = "manykernels_unsupported")
  refused(mkl(kernels = precomputed_kernel(tcrossprod(x)), y = y, control = quiet))
  refused(mkl(rep(c("ACGTAC", "TTGACA"), 10), rep(1:0, 10), spectrum_kernel(2), control = quiet))
  refused(mkl(x, y, wide, normalize = c("centre", "multiplicative"), control = quiet))
  refused(mkl_gomp(x, y, wide, control = quiet))
  refused(mllkm(x, y, control = quiet))
  refused(mkl_path(x, y, wide, C = c(0.1, 1)))
  fit <- mkl(x, y, wide, control = quiet)
  for (bad in list(0, -1, NA, "a", c(1, 2), NULL, Inf)) {
    expect_classed(compress(fit, bad), "invalid_argument", "tolerance")
  }
  expect_classed(predict(fit, new, compress = -1), "invalid_argument", "compress")
  expect_classed(predict(fit, compress = 0.1), "invalid_argument", "compress")
  expect_classed(compress(x, 0.1), "invalid_argument", "object")
})

test_that("a tolerance out of reach tells one within", {
  fit <- mkl(x, y, gaussian_kernel(0.5), control = quiet)
  fit$control$cache <- 60000 # about 25 points
  error <- tryCatch(compress(fit, 0.01), manykernels_no_compression = identity)
  expect_match(conditionMessage(error), "Give a larger `tolerance`, such as")
  possible <- as.numeric(sub(".*such as ([0-9.e+-]+):.*", "\\1", conditionMessage(error)))
  expect_lte(certificates(compress(fit, possible)), possible)
})

test_that("real data", {
  skip_if_not_installed("ggplot2")
  diamonds <- as.data.frame(ggplot2::diamonds)[seq(1, 53940, by = 40), ]
  fit <- mkl(log(price) ~ carat + depth + table, diamonds, kernels = gaussian_kernel(c(8, 32)), control = quiet)
  small <- expect_within(fit, 0.05, diamonds[1:300, ])
  expect_lt(length(small$fit$support), length(fit$support) / 4)
})
