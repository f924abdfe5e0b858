# Precomputed kernels against the same kernels evaluated by the fit, and against plain matrices.

widths <- 4^(0:3)

matrices_of <- function(d) {
  squares <- as.matrix(stats::dist(d$x))^2
  lapply(widths, function(width) unname(exp(-squares / width)))
}

test_that("a fit of matrices is the fit of the kernels they came from", {
  d <- judge_clouds(1100) # more than are taken for candidates at once
  K <- matrices_of(d)
  given <- precomputed_kernel(K)
  for (p in c(1, 4 / 3, Inf)) {
    control <- quiet(tol = 1e-4)
    fit <- mkl(NULL, d$y, given, p = p, normalize = "none", control = control, scale = FALSE)
    own <- mkl(d$x, d$y, gaussian_kernel(widths), p = p, normalize = "none", control = control,
               scale = FALSE)
    expect_certified(fit, K)
    expect_equal(fit$objective, own$objective, tolerance = 2e-4)
    expect_equal(unname(fit$theta), unname(own$theta), tolerance = 0.05)
  }
})

test_that("every normalisation, little memory and sharp tolerances are certified", {
  d <- judge_clouds(300)
  K <- matrices_of(d)
  given <- precomputed_kernel(K)
  for (how in list("multiplicative", "trace", "spherical", c("centre", "spherical"))) {
    fit <- mkl(NULL, d$y, given, p = 4 / 3, normalize = how, control = quiet(cache = 1e4),
               scale = FALSE)
    own <- mkl(d$x, d$y, gaussian_kernel(widths), p = 4 / 3, normalize = how,
               control = quiet(tol = 1e-5), scale = FALSE)
    expect_true(fit$converged)
    expect_lt(abs(fit$objective - own$objective), 2e-3 * own$objective)
  }
  for (p in c(1, 2)) {
    fit <- mkl(NULL, d$y, given, p = p, C = 10, normalize = "none", control = quiet(tol = 1e-7),
               scale = FALSE)
    expect_true(fit$converged)
    expect_certified(fit, K)
  }
})

test_that("matrices, evaluated kernels and several classes go together", {
  d <- judge_clouds(120)
  y <- factor(rep(c("a", "b", "c"), 40))
  K <- precomputed_kernel(matrices_of(d)[[2]])
  both <- mkl(d$x, y, c(K, gaussian_kernel(16), linear_kernel()), p = 2, normalize = "none",
              control = quiet(tol = 1e-4), scale = FALSE)
  own <- mkl(d$x, y, c(gaussian_kernel(c(4, 16)), linear_kernel()), p = 2, normalize = "none",
             control = quiet(tol = 1e-4), scale = FALSE)
  objective <- function(fit) vapply(fit$models, `[[`, 0, "objective")
  expect_equal(objective(both), objective(own), tolerance = 5e-4)
})

test_that("only slices that need it are made symmetric", {
  K <- array(0, c(5, 5, 3))
  for (slice in 1:3) K[, , slice] <- diag(5) * slice
  K[1, 2, 2] <- 1e-11
  expect_message(k <- precomputed_kernel(K), "K\\[, , 2\\]",
                 class = "manykernels_message_symmetrised")
  expect_identical(kernel_matrix(k, NULL)[[2]][1:2, 1:2], matrix(c(2, 5e-12, 5e-12, 2), 2))
  K[4, 3, 3] <- NaN
  expect_error(suppressMessages(precomputed_kernel(K)), "K\\[, , 3\\]",
               class = "manykernels_missing_values")
  expect_identical(dim(kernel_matrix(precomputed_kernel(K[, , 1]))), c(5L, 5L))
})

test_that("negative eigenvalues are found in any matrix of a list", {
  K <- list(diag(300), diag(300), diag(300))
  K[[2]][200, 10] <- K[[2]][10, 200] <- 1.5
  K[[3]] <- K[[3]] - 2 / 300
  found <- character()
  withCallingHandlers(precomputed_kernel(K), warning = function(w) {
    found <<- c(found, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  expect_length(found, 2)
  expect_match(found, "precomputed[23]")
  expect_match(found[1], "-0.5", fixed = TRUE)
})

test_that("asymmetry of rounding is put right without a word", {
  x <- matrix(sin(1:4000), 40)
  K <- tcrossprod(x)
  K[upper.tri(K)] <- K[upper.tri(K)] * (1 + 1e-15)
  expect_silent(k <- precomputed_kernel(K))
  expect_true(isSymmetric(kernel_matrix(k, NULL), tol = 0))
  K[1, 2] <- K[1, 2] + 1e-10 * max(K)
  expect_message(precomputed_kernel(K), class = "manykernels_message_symmetrised")
})

test_that("a precomputed kernel may not have the name of a view, in any function", {
  d <- judge_clouds(40)
  K <- unname(tcrossprod(d$x))
  both <- function(name) c(precomputed_kernel(stats::setNames(list(K), name)), gaussian_kernel(c(1, 4)))
  views <- list(a = d$x[, 1, drop = FALSE], b = d$x[, 2, drop = FALSE])
  q <- quiet()
  refused <- function(call) expect_classed(call, "view_names", "kernels")
  refused(mkl(views, d$y, both("b"), control = q))
  refused(cv_mkl(views, d$y, both("b"), C = 1, p = 2, control = q))
  refused(cv_mkl(views, d$y, list(one = both("b"), two = gaussian_kernel(1)), C = 1, p = 2, control = q))
  refused(mkl_path(views, d$y, both("b"), C = c(0.1, 1), control = q))
  refused(mkl_gomp(views, d$y, both("b"), max_kernels = 2, control = q))
  refused(mkl_sequential(views, d$y, both("b"), control = q))
  refused(mkl(d$x, d$y, both("x"), control = q))
  expect_error(mkl(d$x, d$y, both("x"), control = q), "the matrix `x` has the same name", fixed = TRUE)
  # as advised: all that takes views and kernels by name
  cv <- cv_mkl(views, d$y, both("b_kernel"), C = 1, p = 2, folds = 3, control = q)
  expect_identical(drop_view(cv, views, d$y, both("b_kernel"))$view, c("a", "b", "b_kernel"))
  expect_identical(predict(cv, c(views, list(b_kernel = K))), unname(fitted(cv)))
  importance <- permutation_importance(cv, x = views, y = d$y, kernels = both("b_kernel"), repeats = 2)
  expect_setequal(importance$importance$view, c("a", "b", "b_kernel"))
})
