# Solutions of others, and the promise of a certified fit on real data, judged by helper-judge.R.

test_that("independent solutions on MNIST are reproduced", {
  digits <- shared_mnist(500)
  files <- c("1" = "lp_p1.txt", "4/3" = "lp_p1.3333333333333333.txt", "2" = "lp_p2.txt",
             "4" = "lp_p4.txt")
  p <- c(1, 4 / 3, 2, 4)
  for (i in seq_along(files)) {
    lines <- readLines(shared_file("reference", "mnist500", files[i]))
    header <- grep(" dual ", lines, value = TRUE)
    objective <- as.numeric(sub(".* dual ([0-9.e+-]+) .*", "\\1", header))
    kernels <- read.table(text = grep("^[0-9]+ [^ ]+ [^ ]+ [^ ]+$", lines, value = TRUE))
    expect_equal(nrow(kernels), 10L)
    fit <- mkl(digits$x, digits$y, gaussian_kernel(kernels$V2), p = p[i], C = 1, normalize = "none",
               control = mkl_control(tol = 1e-8, progress = FALSE), scale = FALSE)
    expect_lte(fit$gap, 1e-8)
    expect_equal(fit$objective, objective, tolerance = 1e-6, info = files[i])
    expect_lt(max(abs(fit$theta - kernels$V3)), 1e-4)
  }
})

# Thirteen kernels as in the level-method papers: matrices by definition for the judge, and a set.
level_matrices <- function(x) {
  product <- tcrossprod(x)
  distance <- as.matrix(stats::dist(x))^2
  c(lapply(2^(-3:6), function(width) exp(-distance / width)),
    lapply(1:3, function(degree) (product + 1)^degree))
}
level_kernels <- function() c(gaussian_kernel(2^(-3:6)), polynomial_kernel(1:3))

# Fits for every p and C, each judged; what is wrong is named in the failure.
expect_level_fits <- function(data, p, C, normalize, tol) {
  matrices <- lapply(level_matrices(data$x), function(K) judge_normalize(K, normalize)$train)
  # sums of 1e4 times kernel values of 1e5 leave the judge few digits; what they may have cost the
  # fit is part of its gap, and grows with C and the kernels' values
  plain <- normalize[1] == "none"
  rounding <- function(C) if (C > 1000 && plain) tol else 0.01 * tol
  owned <- function(C) 0.01 * tol + (if (plain) 1e-8 else 1e-9) * C
  for (one_p in p) for (one_C in C) {
    control <- mkl_control(tol = tol, max_time = 120, progress = FALSE)
    fit <- withCallingHandlers(
      mkl(data$x, data$y, level_kernels(), p = one_p, C = one_C, normalize = normalize,
          control = control, scale = FALSE),
      manykernels_warning_not_converged = function(w) if (plain) invokeRestart("muffleWarning")
    )
    verdict <- judge_gap(matrices, fit$theta, fit$alpha, judge_signs(fit), fit$cost, fit$p)
    case <- sprintf("p = %g, C = %g, %s", one_p, one_C, paste(normalize, collapse = "+"))
    expect_lte(verdict$gap, tol * (1 + 1e-6), label = paste("judged gap at", case))
    expect_lt(verdict$gap - fit$gap, rounding(one_C), label = paste("judged beside gap at", case))
    expect_lt(fit$gap - verdict$gap, owned(one_C), label = paste("gap beside judged at", case))
    feasible <- verdict$theta_ok && verdict$box_ok && verdict$sum_ok
    expect_true(feasible, label = paste("feasible at", case))
  }
}

standardized <- function(name) {
  data <- shared_uci(name)
  data$x <- scale(data$x)
  data
}

# Rows from all over the larger sets, fewer than `most`, as they would take most of the time.
spread <- function(data, most = 200) {
  rows <- seq(1, nrow(data$x), by = ceiling(nrow(data$x) / most))
  list(x = data$x[rows, ], y = data$y[rows])
}

test_that("fits are as good as they say: a few on sonar", {
  data <- standardized("sonar")
  expect_level_fits(data, c(1, 4 / 3, Inf), c(1, 100), "multiplicative", 1e-3)
  expect_level_fits(data, c(1, 4 / 3, Inf), 1, "spherical", 1e-6)
})

test_that("fits are as good as they say: five sets, all norms, costs and normalisations", {
  skip_unless_slow()
  norms <- c(1, 32 / 31, 8 / 7, 4 / 3, 2, 4, 16, Inf)
  costs <- c(0.1, 1, 100, 1e4)
  for (name in c("ionosphere", "sonar", "pima", "breast_w", "wpbc")) {
    data <- spread(standardized(name))
    for (normalize in list("multiplicative", "spherical", "trace", "none",
                           c("centre", "multiplicative"))) {
      expect_level_fits(data, norms, costs, normalize, 1e-3)
    }
    for (normalize in c("multiplicative", "none")) {
      expect_level_fits(data, norms, costs, normalize, 1e-6)
    }
    expect_level_fits(spread(shared_uci(name)), c(1, 2, Inf), costs, "multiplicative", 1e-3) # as they come
  }
})
