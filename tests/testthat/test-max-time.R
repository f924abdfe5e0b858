# The time limit of a whole call. Times themselves are measured by bench/limits.R: a busy machine
# would fail here.
skip_on_cran() # a slow file

slow_kernels <- function(seconds) {
  function_kernel(function(X, Z) {
    Sys.sleep(seconds)
    tcrossprod(X, Z)
  })
}

two_classes <- function(n = 40) {
  set.seed(3)
  x <- matrix(rnorm(n * 3), n)
  list(x = x, y = factor(ifelse(x[, 1] + rnorm(n) > 0, "a", "b")))
}

limited <- function(seconds, ...) mkl_control(max_time = seconds, progress = FALSE, ...)

test_that("a fit without time is one of its own, with an honest gap", {
  d <- two_classes()
  for (kernels in list(gaussian_kernel(1:3), linear_kernel(), NULL)) {
    expect_warning(fit <- unless_late(function() mkl(d$x, d$y, kernels, control = limited(1e-9))),
                   "time limit")
    expect_equal(fit$status, "time_limit")
    expect_equal(fit$gap, duality_gap(fit, d$x, d$y)$gap, tolerance = 1e-8)
    expect_length(predict(fit, d$x), nrow(d$x))
  }
})

test_that("kernels that can't be normalised in time are an error", {
  skip_unless_slow()
  d <- two_classes()
  expect_error(mkl(d$x, d$y, slow_kernels(0.8), control = limited(0.1)),
               "before the kernels were normalised", class = "manykernels_time_limit")
})

test_that("models of several classes share the time", {
  d <- two_classes(60)
  y <- factor(rep(c("a", "b", "c"), 20))
  fit <- suppressWarnings(unless_late(function() {
    mkl(d$x, y, gaussian_kernel(1:3), C = 100, control = limited(1e-9))
  }))
  expect_equal(unique(vapply(fit$models, `[[`, "", "status")), "time_limit")
  long <- mkl(d$x, y, gaussian_kernel(1:3), control = limited(1000))
  expect_true(all(vapply(long$models, `[[`, NA, "converged")))
})

test_that("fits that time has cut are told in one warning that counts them", {
  k <- 6
  set.seed(1)
  y <- factor(rep(seq_len(k), each = 20))
  x <- matrix(rnorm(120 * 5), 120)
  told <- list()
  fit <- withCallingHandlers(
    unless_late(function() {
      mkl(x, y, gaussian_kernel(1:5), C = 100, multiclass = "ovo",
          control = limited(1e-9, probability = TRUE))
    }),
    manykernels_warning_not_converged = function(w) {
      told <<- c(told, conditionMessage(w))
      invokeRestart("muffleWarning")
    }, manykernels_warning_sigmoid = function(w) invokeRestart("muffleWarning")
  )
  expect_length(told, 1)
  expect_match(told[[1]], "^15 of 15 models did not converge.* 75 of 75 cross-validation fits")
})

# The certificate that measures how long one takes comes after a tenth of the limit. A fit that a busy machine
# brought near its limit is another one.
test_that("a limit that isn't reached changes nothing", {
  d <- two_classes(700)
  fit <- function(limit) {
    mkl(d$x, d$y, gaussian_kernel(2^(-4:3)), C = 10,
        control = limited(limit, threads = 1, tol = 1e-6))
  }
  seconds <- system.time(free <- fit(Inf))[["elapsed"]]
  for (limit in c(1e6, seconds * 3:5)) {
    taken <- system.time(within <- suppressWarnings(fit(limit)))[["elapsed"]]
    if (taken > limit / 2) next
    expect_identical(free$alpha, within$alpha)
    expect_identical(free$theta, within$theta)
  }
})

counted_function <- function() {
  calls <- new.env()
  calls$rows <- calls$values <- numeric()
  made <- function_kernel(function(X, Z) {
    calls$rows <- c(calls$rows, nrow(X))
    calls$values <- c(calls$values, nrow(X) * nrow(Z))
    apart <- as.matrix(stats::dist(rbind(X, Z)))[seq_len(nrow(X)), nrow(X) + seq_len(nrow(Z)), drop = FALSE]
    exp(-apart^2 / 9)
  })
  list(kernel = made, calls = calls)
}

test_that("a function is asked once for each value, if there is memory to keep them", {
  skip_unless_slow()
  d <- two_classes(300)
  kept <- counted_function()
  fit <- mkl(d$x, d$y, c(kept$kernel, gaussian_kernel(c(0.1, 100))), control = limited(Inf, tol = 1e-7))
  expect_true(fit$converged)
  expect_gt(fit$iterations, 1)
  expect_gt(fit$memory, 300^2 * 8)
  # few of them, on and near the diagonal, twice
  expect_lt(sum(kept$calls$values), 300^2)
  expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-6)
  matrix <- precomputed_kernel(kernel_matrix(kept$kernel, scale(d$x), scale = FALSE))
  same <- mkl(d$x, d$y, c(matrix, gaussian_kernel(c(0.1, 100))), control = limited(Inf, tol = 1e-7))
  expect_equal(fit$theta, same$theta, ignore_attr = TRUE, tolerance = 1e-5)
  asked <- length(kept$calls$values)
  unkept <- mkl(d$x, d$y, c(kept$kernel, gaussian_kernel(c(0.1, 100))),
                control = limited(Inf, tol = 1e-7, cache = 1e6))
  expect_gt(length(kept$calls$values), 2 * asked)
  expect_equal(fit$theta, unkept$theta, tolerance = 1e-5)
})

test_that("a dictionary of slow functions is no more evaluated when time is over", {
  d <- two_classes(300)
  calls <- 0
  slow <- function(i) {
    function_kernel(function(X, Z) {
      calls <<- calls + 1
      Sys.sleep(0.1)
      exp(-as.matrix(stats::dist(rbind(X, Z)))[seq_len(nrow(X)), nrow(X) + seq_len(nrow(Z))]^2 / i)
    }, name = paste("f", i))
  }
  expect_error(mkl_sequential(d$x, d$y, do.call(c, lapply(1:20, slow)), control = limited(0.2)),
               "before one kernel was evaluated", class = "manykernels_time_limit")
  # those of 0.7 seconds, and of one kernel to check
  expect_lte(calls, 11)
})

counted_dictionary <- function(size, seconds = 0) {
  calls <- new.env()
  calls$i <- numeric()
  made <- kernel_dictionary(function(i) {
    calls$i <- c(calls$i, i)
    Sys.sleep(seconds)
    gaussian_kernel(1 + i / 10)
  }, size = size)
  structure(made, calls = calls)
}

calls_of <- function(dictionary) attr(dictionary, "calls")$i

test_that("the function of a dictionary is called no more when time is over", {
  d <- two_classes()
  slow <- counted_dictionary(300, 0.05)
  expect_warning(fit <- mkl_sequential(d$x, d$y, slow, control = limited(0.5)), "time limit")
  expect_equal(fit$status, "time_limit")
  expect_length(predict(fit, d$x), nrow(d$x))
  # ten calls take all of the time
  expect_lte(length(calls_of(slow)), 12)
})

test_that("the function of a dictionary makes a kernel again only to scan it", {
  d <- two_classes(60)
  few <- counted_dictionary(5)
  mkl_sequential(d$x, d$y, few, control = limited(Inf))
  # the first also tells whose the rows are
  expect_equal(sort(calls_of(few)), c(1, 1:5))
})

test_that("kernels of models that are done are not made again for the fit's object", {
  d <- two_classes(60)
  y <- factor(ifelse(d$x[, 1] > 0.5, "c", ifelse(d$x[, 2] > 0, "a", "b")))
  calls <- 0
  columns <- function(i) {
    calls <<- calls + 1
    on_features(linear_kernel(), i)
  }
  fit <- mkl_sequential(d$x, y, columns, size = 3, control = limited(Inf))
  # the last model is of fewer kernels than the first
  expect_lt(sum(fit$models$c$theta > 0), sum(fit$models$a$theta > 0))
  expect_equal(calls, 4)
})

test_that("time is looked at between the calls of a function kernel", {
  d <- two_classes()
  calls <- 0
  slow <- function_kernel(function(X, Z) {
    calls <<- calls + 1
    if (calls > 3) Sys.sleep(0.7)
    tcrossprod(X, Z)
  })
  calls <- 0
  expect_error(mkl(d$x, d$y, slow, control = limited(0.1)), class = "manykernels_time_limit")
  expect_lte(calls, 6)
})
