# Weighted degree kernels against the plain definition, reference matrices and their own properties.

# sum over positions a, b at most length(delta) - 1 apart of delta * w * sum_d beta of the d-mers
# there with so many mismatches. beta: (mismatches + 1) x degree.
plain_value <- function(x, z, beta, delta, w = NULL, alphabet = c("A", "C", "G", "T")) {
  x <- strsplit(x, "")[[1]]
  z <- strsplit(z, "")[[1]]
  sum <- 0
  for (a in seq_along(x)) for (b in seq_along(z)) {
    if (abs(a - b) >= length(delta)) next
    for (d in seq_len(ncol(beta))) {
      if (max(a + d - 1 - length(x), b + d - 1 - length(z)) > 0) break
      u <- x[a + seq_len(d) - 1]
      v <- z[b + seq_len(d) - 1]
      if (!all(c(u, v) %in% alphabet)) break
      m <- sum(u != v)
      if (m >= nrow(beta)) next
      sum <- sum + delta[abs(a - b) + 1] * beta[m + 1, d] * if (is.null(w)) 1 else w[min(a, b)]
    }
  }
  sum
}

plain_matrix <- function(x, z = x, ...) {
  outer(seq_along(x), seq_along(z), Vectorize(function(i, j) plain_value(x[i], z[j], ...)))
}

falling <- function(D) t(2 * (D:1) / (D * (D + 1)))

random_dna <- function(n, length, letters = c("A", "C", "G", "T")) {
  apply(matrix(sample(letters, n * length, TRUE), n), 1, paste, collapse = "")
}

# With unknown letters and long matches.
some_dna <- function(n = 12, length = 70) {
  x <- random_dna(n, length)
  substr(x[2], 3, 50) <- substr(x[1], 3, 50)
  substr(x[3], 11, 60) <- substr(x[1], 8, 57)
  substr(x[4], 20, 20) <- "N"
  x
}

# ---- values --------------------------------------------------------------------------------------

test_that("tiny kernels are right by hand", {
  # beta = 2/3, 1/3; matches at 1, 2, 4 of one letter and at 1 of two
  expect_equal(kernel_matrix(weighted_degree_kernel(2), c("ACGT", "ACTT"))[1, 2], 3 * 2 / 3 + 1 / 3)
  # A at 1 and 2: one match at distance 1, on one side
  x <- c("AC", "GA")
  expect_equal(kernel_matrix(weighted_degree_kernel(1, shift = 1), x)[1, 2], 1 / 4)
  expect_equal(kernel_matrix(weighted_degree_kernel(1, 1, "shogun"), x)[1, 2], 1 / 2)
  expect_equal(kernel_matrix(weighted_degree_kernel(1, 1, "swd"), x)[1, 2], 1 / 4)
  expect_equal(kernel_matrix(weighted_degree_kernel(1, 0, "swd"), x)[1, 1], 1)
  expect_equal(kernel_matrix(weighted_degree_kernel(1), c("ANNT", "ANCT"))[1, 2], 2)
  expect_equal(kernel_matrix(weighted_degree_kernel(1), c("acgt", "ACGT"))[1, 2], 4)
  expect_equal(kernel_matrix(weighted_degree_kernel(1, position_weights = c(1, 10)), c("AC", "AC")),
               matrix(11, 2, 2))
})

test_that("values are those of the reference matrices", {
  error <- function(kernels, name, ...) expect_lt(reference_error(kernels, "dna24", name, ...), 1e-12)
  error(weighted_degree_kernel(3), "shogun_wd_d3_s0_raw_dna24", FALSE)
  error(weighted_degree_kernel(3), "shogun_wdblock_d3_s0_raw_dna24", FALSE)
  error(weighted_degree_kernel(3, shift = 2, shift_weight = "shogun"),
        "shogun_wdshift_d3_s2_raw_dna24", FALSE)
  error(weighted_degree_kernel(3, mismatch = 1), "shogun_wdmm_d3_s1_raw_dna24", FALSE)
  error(weighted_degree_kernel(3, shift = 2), "paper_wds_d3_s2_raw_dna24", FALSE)
  error(weighted_degree_kernel(3), "wd_d3_mix_raw_dna24")
  error(weighted_degree_kernel(3, shift = 23, shift_weight = "swd"), "swd_d3_mix_raw_dna24")
})

test_that("proteins have reference matrices, too", {
  error <- function(kernels, name, ...) expect_lt(reference_error(kernels, "aa20", name, ...), 1e-12)
  error(weighted_degree_kernel(3), "wd_d3_mix_raw_aa20")
  error(weighted_degree_kernel(3, shift = 19, shift_weight = "swd"), "swd_d3_mix_raw_aa20")
})

test_that("values are those of the plain definition", {
  set.seed(1)
  x <- some_dna(4)
  same <- function(kernels, ...) {
    expect_equal(kernel_matrix(kernels, x), plain_matrix(x, ...), tolerance = 1e-12)
  }
  documented <- function(S) c(1, if (S) 1 / (2 * (seq_len(S) + 1)))
  same(weighted_degree_kernel(1), beta = falling(1), delta = 1)
  same(weighted_degree_kernel(22), beta = falling(22), delta = 1)
  same(weighted_degree_kernel(100), beta = falling(100), delta = 1)
  huge <- .Machine$integer.max
  expect_equal(kernel_matrix(weighted_degree_kernel(2, shift = huge), x),
               kernel_matrix(weighted_degree_kernel(2, shift = 69), x))
  expect_equal(kernel_matrix(weighted_degree_kernel(huge), x) * huge / 2,
               plain_matrix(x, beta = t(rep(1, 70)), delta = 1), tolerance = 1e-6)
  expect_error(kernel_matrix(spectrum_kernel(huge, distance_weight = "swd"), x),
               class = "manykernels_constant_kernel") # no k-mers: it is 0
  same(weighted_degree_kernel(4, shift = 5), beta = falling(4), delta = documented(5))
  same(weighted_degree_kernel(2, shift = 500), beta = falling(2), delta = documented(500))
  w <- runif(70)
  same(weighted_degree_kernel(4, position_weights = w), beta = falling(4), delta = 1, w = w)
  same(weighted_degree_kernel(4, 2, position_weights = w), beta = falling(4), delta = documented(2),
       w = w)
  same(weighted_degree_kernel(3, weights = c(0, 2, 1)), beta = t(c(0, 2, 1)), delta = 1)
  beta <- rbind(falling(3), falling(3) / (choose(3:1, 1)[3:1] * 3), 0)
  beta[2, 1] <- 0
  beta[3, 3] <- falling(3)[3] / (3 * 9)
  same(weighted_degree_kernel(3, mismatch = 2, shift = 1), beta = beta, delta = documented(1))
})

test_that("any alphabet will do", {
  set.seed(2)
  letters <- c("H", "P", "x")
  x <- random_dna(5, 20, letters)
  expect_equal(kernel_matrix(weighted_degree_kernel(3, alphabet = "HPX"), x),
               plain_matrix(toupper(x), beta = falling(3), delta = 1, alphabet = c("H", "P", "X")))
  expect_equal(kernel_matrix(weighted_degree_kernel(3, alphabet = c("P", "H")), x),
               plain_matrix(x, beta = falling(3), delta = 1, alphabet = c("H", "P")))
  u <- chartr("T", "U", random_dna(5, 20))
  expect_equal(kernel_matrix(weighted_degree_kernel(3), u),
               kernel_matrix(weighted_degree_kernel(3), chartr("U", "T", u)))
})

test_that("kernels are symmetric, positive semidefinite and don't see what they shouldn't", {
  set.seed(3)
  x <- some_dna(30)
  for (k in as.list(seq_len(3))) {
    kernels <- weighted_degree_kernel(5, shift = c(0, 3, 69))[k]
    values <- kernel_matrix(kernels, x)
    expect_identical(values, t(values))
    expect_gt(min(eigen(values, only.values = TRUE)$values), -1e-10 * max(values))
    # other names of the same letters
    expect_equal(kernel_matrix(kernels, chartr("ACGT", "TGAC", x)), values, tolerance = 1e-14)
    order <- sample(30)
    expect_equal(kernel_matrix(kernels, x[order]), values[order, order], tolerance = 1e-14)
  }
})

# ---- spectra weighted by distance ----------------------------------------------------------------

test_that("spectra weighted by distance are those of the reference matrices", {
  error <- function(kernels, name, ...) {
    for (set in c("dna24", "aa20")) {
      expect_lt(reference_error(kernels, set, paste0(name, "_", set), ...), 1e-12)
    }
  }
  error(spectrum_kernel(2, distance_weight = "linear", width = 5), "spectrum_k2_linw5_raw")
  error(spectrum_kernel(2, distance_weight = "exponential", width = 5), "spectrum_k2_expw5_raw")
  error(spectrum_kernel(2, distance_weight = "gaussian", width = 5), "spectrum_k2_gaussw5_raw")
  # mixtures: of normalised kernels, if at all
  swd <- spectrum_kernel(1:3, distance_weight = "swd")
  error(swd, "swd_d3_mix_raw", weights = 3:1 / 6)
  error(swd, "swd_d3_mix_norm", normalize = "spherical", weights = 3:1 / 6)
})

test_that("spectra weighted by distance take sequences of any length", {
  set.seed(4)
  x <- c(random_dna(2, 20), random_dna(1, 33), "ACN", "")
  delta <- pmax(0, 1 - (0:40) / 7)
  k <- spectrum_kernel(2, distance_weight = "linear", width = 7)
  expect_equal(kernel_matrix(k, x), plain_matrix(x, beta = t(c(0, 1)), delta = delta))
  # new ones may be longer than all in training
  z <- random_dna(2, 60)
  delta <- exp(-(0:60) / 3)
  k <- spectrum_kernel(2, distance_weight = "exponential", width = 3)
  expect_equal(kernel_matrix(k, x, z), plain_matrix(x, z, beta = t(c(0, 1)), delta = delta))
})

# ---- fits ----------------------------------------------------------------------------------------

# A signal around position 30, which moves a little.
signal_data <- function(n) {
  x <- random_dna(n, 60)
  y <- rep(c("decoy", "site"), length.out = n)
  for (i in which(y == "site")) {
    at <- 28 + sample(0:2, 1)
    substr(x[i], at, at + 4) <- sample(c("GATTC", "GATCC"), 1)
  }
  list(x = x, y = factor(y))
}

test_that("fits are certified and predictions are the expansion's", {
  set.seed(5)
  data <- signal_data(160)
  train <- seq_len(100)
  kernels <- c(weighted_degree_kernel(c(2, 6), shift = c(0, 3)), weighted_degree_kernel(3, mismatch = 1),
               spectrum_kernel(2, distance_weight = "linear", width = 4))
  for (normalize in list("multiplicative", "spherical", c("centre", "spherical"), "none")) {
    fit <- mkl(data$x[train], data$y[train], kernels, normalize = normalize)
    expect_true(fit$converged)
    expect_lt(duality_gap(fit, data$x[train], data$y[train])$gap, 1e-3)
    values <- kernel_matrix(kernels, data$x[train], data$x[-train], normalize = normalize)
    expansion <- Reduce(`+`, Map(function(k, theta) theta * drop(fit$alpha %*% k), values, fit$theta))
    decision <- predict(fit, data$x[-train], type = "decision")
    expect_equal(unname(decision), unname(expansion + fit$offset), tolerance = 1e-10)
    expect_gt(mean(predict(fit, data$x[-train]) == data$y[-train]), 0.8)
  }
})

test_that("fits are the same by matrices, threads and from a file", {
  set.seed(6)
  data <- signal_data(120)
  kernels <- weighted_degree_kernel(c(3, 8), shift = c(0, 2))
  control <- function(threads) mkl_control(tol = 1e-8, threads = threads)
  fit <- mkl(data$x, data$y, kernels, normalize = "spherical", control = control(1))
  matrices <- kernel_matrix(kernels, data$x)
  other <- mkl(NULL, data$y, precomputed_kernel(matrices), normalize = "spherical",
               control = control(1))
  expect_equal(unname(fit$theta), unname(other$theta), tolerance = 1e-5)
  expect_equal(fit$objective, other$objective, tolerance = 1e-7)
  two <- mkl(data$x, data$y, kernels, normalize = "spherical", control = control(2))
  expect_equal(two$theta, fit$theta, tolerance = 1e-6)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$x[1:5]), predict(fit, data$x[1:5]))
})

test_that("sequences stand beside columns, in cross-validation, too", {
  set.seed(7)
  data <- signal_data(90)
  x <- list(sequence = data$x, numbers = matrix(rnorm(180), 90))
  kernels <- c(weighted_degree_kernel(4), gaussian_kernel(2))
  fit <- mkl(x, data$y, kernels)
  expect_named(fit$theta, c("sequence:weighted_degree(degree=4)", "numbers:gaussian(width=2)"))
  expect_true(fit$converged)
  cv <- cv_mkl(x, data$y, kernels, p = c(1, 2), C = 1, folds = 3)
  expect_gt(max(cv$results$mean), 0.7)
})

# ---- names and refusals --------------------------------------------------------------------------

test_that("names tell kernels apart", {
  expect_named(weighted_degree_kernel(c(3, 10), shift = c(0, 2)),
               c("weighted_degree(degree=3)", "weighted_degree(degree=10,shift=2)"))
  expect_named(weighted_degree_kernel(3, mismatch = 1), "weighted_degree(degree=3,mismatch=1)")
  expect_length(unique(c(weighted_degree_kernel(3), weighted_degree_kernel(c(3, 4)))), 2)
  expect_length(unique(c(weighted_degree_kernel(3, 1), weighted_degree_kernel(3, 1, "shogun"))), 2)
  expect_snapshot(weighted_degree_kernel(c(3, 10), shift = c(0, 2)))
})

test_that("bad arguments are refused by name", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    weighted_degree_kernel(0)
    weighted_degree_kernel(c(2, 3), shift = c(1, 2, 3))
    weighted_degree_kernel(3, shift = -1)
    weighted_degree_kernel(3, shift = 1, shift_weight = "soft")
    weighted_degree_kernel(3, mismatch = 3)
    weighted_degree_kernel(3, position_weights = c(1, -1))
    weighted_degree_kernel(3, weights = c(1, 2))
    weighted_degree_kernel(3:4, weights = 1:3)
    weighted_degree_kernel(3, alphabet = 4)
    spectrum_kernel(2, distance_weight = "cubic", width = 3)
    spectrum_kernel(2, distance_weight = "linear")
    spectrum_kernel(2, distance_weight = "linear", width = 0)
    spectrum_kernel(2, distance_weight = "swd", width = 3)
  })
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(weighted_degree_kernel(2), c("ACG", "AC"))
    kernel_matrix(weighted_degree_kernel(2, position_weights = 1:2), c("ACG", "ACT"))
    kernel_matrix(weighted_degree_kernel(2), matrix(1:4, 2))
    kernel_matrix(weighted_degree_kernel(2) |> on_view("b"), list(a = c("A", "C"), b = diag(2)))
  })
  expect_error(kernel_matrix(weighted_degree_kernel(2), c("ACG", "AC")),
               class = "manykernels_sequence_length")
})

test_that("kernels that were made by hand are checked", {
  k <- unclass(weighted_degree_kernel(3))
  k$parameters[[1]]$degree <- 0L
  expect_error(kernel_matrix(structure(k, class = "kernel_set"), c("ACG", "ACT")),
               class = "manykernels_invalid_argument")
  k$parameters[[1]]$degree <- NULL
  expect_error(kernel_matrix(structure(k, class = "kernel_set"), c("ACG", "ACT")),
               class = "manykernels_invalid_argument")
})

test_that("new sequences of another length are refused", {
  set.seed(8)
  data <- signal_data(40)
  fit <- mkl(data$x, data$y, weighted_degree_kernel(3))
  expect_classed(predict(fit, substr(data$x, 1, 50)), "sequence_length", "newdata")
  expect_classed(predict(fit, c(data$x[1:2], "ACG")), "sequence_length", "newdata")
  expect_classed(kernel_matrix(weighted_degree_kernel(3), data$x, "ACG"), "sequence_length", "z")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(weighted_degree_kernel(2), c("ACG", "ACT"), c("ACG", "AC"))
    kernel_matrix(on_view(weighted_degree_kernel(2), "a"), list(a = c("ACG", "ACT")), list(a = ""))
  })
  # samples without the view have no length
  views <- list(a = data$x, b = cbind(seq_len(40)))
  k <- c(on_view(weighted_degree_kernel(3), "a"), on_view(gaussian_kernel(1), "b"))
  neutral <- suppressMessages(mkl(list(a = replace(data$x, 3, NA), b = views$b), data$y, k,
                                  missing_views = "neutral"))
  expect_true(is.finite(predict(neutral, list(a = NA_character_, b = cbind(3)), "decision")))
  expect_true(is.finite(predict(neutral, list(b = cbind(3)), "decision")))
})
