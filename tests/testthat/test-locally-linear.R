# Locally linear machines against their definition: features and kernels written down one by one.

skip_on_cran() # a slow file
machine <- function(..., control = quiet()) mllkm(..., control = control, scale = FALSE)

# phi_c(x), a row for each row of x.
judge_local <- function(x, c, map, gamma, componentwise = FALSE) {
  away <- sweep(as.matrix(x), 2, c)
  h <- switch(map,
    exponential = function(r) exp(-gamma * r), gaussian = function(r) exp(-gamma * r^2),
    linear = function(r) pmax(0, 1 - gamma * r), squared = function(r) pmax(0, 1 - gamma * r^2)
  )
  unname(if (componentwise) h(abs(away)) * away else h(sqrt(rowSums(away^2))) * away)
}

# All kernel matrices of a dictionary, anchor by anchor.
judge_dictionary <- function(x, anchors, maps, componentwise = FALSE) {
  Ks <- list()
  for (i in seq_len(nrow(anchors))) for (k in seq_len(nrow(maps))) {
    Ks[[length(Ks) + 1]] <-
      tcrossprod(judge_local(x, anchors[i, ], maps$map[k], maps$gamma[k], componentwise))
  }
  Ks
}

# Its weights as a vector over the whole dictionary.
all_weights <- function(fit) {
  replace(numeric(fit$dictionary$size), fit$dictionary$selected, fit$theta)
}

# The certificate over the whole dictionary by the judge, with an offset or without.
expect_whole_gap <- function(fit, Ks) {
  verdict <- judge_gap(Ks, all_weights(fit), fit$alpha, judge_signs(fit), fit$cost, 1)
  expect_true(verdict$theta_ok)
  expect_true(verdict$box_ok)
  if (fit$intercept) {
    expect_true(verdict$sum_ok)
    upper <- verdict$upper
  } else {
    f <- drop(verdict$decision)
    upper <- verdict$upper + sum(fit$cost * pmax(0, 1 - judge_signs(fit) * f)) -
      judge_offset(f, judge_signs(fit), fit$cost)$loss
  }
  expect_equal(fit$primal, upper, tolerance = 1e-8)
  expect_equal(fit$objective, verdict$lower, tolerance = 1e-8)
  expect_equal(fit$gap, (upper - verdict$lower) / upper, tolerance = 1e-6)
  expect_lte(fit$gap, fit$control$tol)
}

spiral <- function(n = 40, d = 3, seed = 2) {
  cloud <- judge_clouds(n, d, 0, seed)
  product <- cloud$x[, 1] * cloud$x[, min(d, 2)]
  cloud$y <- factor(ifelse(product + 0.3 * sin(seq_len(n)) > 0, "p", "n"))
  cloud
}

maps <- c("exponential", "gaussian", "linear", "squared")

test_that("a machine is multiple kernel learning with p = 1 on kernels made by the definition", {
  data <- spiral()
  for (map in maps) for (componentwise in c(FALSE, TRUE)) for (intercept in c(TRUE, FALSE)) {
    gamma <- c(0.1, 0.3)
    fit <- machine(data$x, data$y, map, gamma, C = 2, componentwise = componentwise,
                   intercept = intercept, control = quiet(tol = 1e-6))
    expect_s3_class(fit, c("mllkm", "mkl", "mkl_fit"), exact = TRUE)
    grid <- data.frame(map = map, gamma = gamma)
    Ks <- judge_dictionary(data$x, data$x, grid, componentwise)
    expect_whole_gap(fit, Ks)
    named <- stats::setNames(Ks, paste0("k", seq_along(Ks)))
    used <- vapply(Ks, function(K) any(K != 0), NA)
    plain <- mkl(NULL, data$y, precomputed_kernel(named[used]), p = 1, C = 2, normalize = "none",
                 intercept = intercept, control = quiet(tol = 1e-6), scale = FALSE)
    expect_equal(fit$objective, plain$objective, tolerance = 3e-6)
    expect_equal(fit$decision, plain$decision, tolerance = 0.02, ignore_attr = TRUE)
  }
})

test_that("mkl() takes the same kernels from their constructor", {
  skip_unless_slow()
  data <- spiral(30)
  anchors <- data$x[c(3, 8, 20), ] + 0.1
  for (map in maps) for (componentwise in c(FALSE, TRUE)) {
    kernels <- locally_linear_kernel(map, c(0.01, 0.02), componentwise, anchors)
    Ks <- judge_dictionary(data$x, anchors, data.frame(map = map, gamma = c(0.01, 0.02)),
                           componentwise)
    matrices <- kernel_matrix(kernels, data$x)
    for (m in seq_along(Ks)) expect_equal(unname(matrices[[m]]), Ks[[m]], tolerance = 1e-10)
    for (how in list("none", "multiplicative", "spherical", c("centre", "trace"))) {
      fit <- mkl(data$x, data$y, kernels, p = 4 / 3, normalize = how, scale = FALSE)
      normalised <- lapply(Ks, function(K) judge_normalize(K, how)$train)
      expect_certified(fit, normalised)
      new <- spiral(9, seed = 5)$x
      cross <- lapply(seq_along(Ks), function(m) {
        a <- anchors[(m + 1) %/% 2, ]
        g <- c(0.01, 0.02)[2 - m %% 2]
        phi <- judge_local(new, a, map, g, componentwise)
        known <- judge_local(data$x, a, map, g, componentwise)
        judge_normalize(Ks[[m]], how, tcrossprod(phi, known), rowSums(phi^2))$new
      })
      f <- Reduce(`+`, Map(function(K, t) t * K %*% fit$alpha, cross, fit$theta)) + fit$offset
      expect_equal(unname(predict(fit, new, "decision")), drop(f), tolerance = 1e-8)
    }
  }
  # every row an anchor, on some columns, by names
  k <- on_features(locally_linear_kernel("gaussian", 0.3), c("v3", "v1"))
  fit <- mkl(data$x, data$y, k, normalize = "none", scale = FALSE)
  expect_length(fit$theta, 30)
  part <- data$x[, c("v1", "v3")]
  expect_equal(unname(kernel_matrix(k, data$x)[[7]]),
               tcrossprod(judge_local(part, part[7, ], "gaussian", 0.3)), tolerance = 1e-10)
})

test_that("the explicit model is the kernel expansion", {
  data <- spiral(60)
  new <- spiral(25, seed = 9)$x
  for (map in maps) for (componentwise in c(FALSE, TRUE)) {
    fit <- machine(data$x, data$y, map, c(0.05, 0.2, 0.4), C = 5, componentwise = componentwise)
    f <- rep(fit$offset, nrow(new))
    for (m in seq_along(fit$theta)) {
      phi <- function(x) judge_local(x, fit$anchors[m, ], map, fit$gamma[m], componentwise)
      w <- fit$theta[m] * drop(crossprod(phi(data$x), fit$alpha))
      expect_equal(unname(fit$coefficients[m, ]), w, tolerance = 1e-10)
      expect_identical(fit$anchors[m, ], data$x[fit$anchor_rows[m], ])
      f <- f + drop(phi(new) %*% w)
    }
    expect_equal(unname(predict(fit, new, "decision")), f, tolerance = 1e-10)
    expect_equal(predict(fit, data$x, "decision"), fit$decision, tolerance = 1e-10,
                 ignore_attr = TRUE)
  }
})

test_that("two anchors by hand", {
  # one column, gaussian map: phi_0(x) = x exp(-x^2), phi_2(x) = (x - 2) exp(-(x - 2)^2)
  x <- matrix(c(-1, 1, 3, 1.5))
  y <- factor(c("a", "b", "b", "a"))
  fit <- machine(x, y, "gaussian", 1, C = 1, anchors = matrix(c(0, 2)), intercept = FALSE,
                 control = quiet(tol = 1e-8))
  Ks <- list(tcrossprod(x * exp(-x^2)), tcrossprod((x - 2) * exp(-(x - 2)^2)))
  expect_whole_gap(fit, Ks)
  expect_equal(fit$dictionary$size, 2)
  # one anchor: a linear machine on one feature, all alphas at the bound
  one <- machine(x, y, "gaussian", 1, C = 0.1, anchors = matrix(0), intercept = FALSE)
  phi <- drop(x * exp(-x^2))
  w <- sum(phi * c(-1, 1, 1, -1) * 0.1)
  expect_equal(unname(one$coefficients), matrix(w))
  expect_equal(one$primal, sum(0.1 * pmax(0, 1 - c(-1, 1, 1, -1) * phi * w)) + w^2 / 2)
  expect_equal(unname(one$theta), 1)
})

test_that("coordinate ascent finds the same machine, in any order", {
  data <- spiral(80)
  smo <- machine(data$x, data$y, "gaussian", c(0.1, 0.4), C = 3, intercept = FALSE,
                 control = quiet(tol = 1e-5))
  for (seed in 1:3) {
    set.seed(seed)
    sdca <- machine(data$x, data$y, "gaussian", c(0.1, 0.4), C = 3, intercept = FALSE,
                    solver = "sdca", control = quiet(tol = 1e-5))
    expect_equal(sdca$objective, smo$objective, tolerance = 2e-5)
    expect_true(sdca$converged)
    expect_equal(duality_gap(sdca, data$x, data$y)$gap, sdca$gap, tolerance = 1e-6)
  }
  set.seed(3)
  again <- machine(data$x, data$y, "gaussian", c(0.1, 0.4), C = 3, intercept = FALSE,
                   solver = "sdca", control = quiet(tol = 1e-5))
  expect_identical(again$alpha, sdca$alpha)
  expect_classed(machine(data$x, data$y, gamma = 1, solver = "sdca"), "unsupported", "solver")
  expect_classed(machine(data$x, data$y, gamma = 1, solver = "sdca", intercept = FALSE,
                         loss = "logistic"), "unsupported", "solver")
  expect_classed(machine(data$x, data$y, gamma = 1, solver = "other"), "invalid_argument", "solver")
})

test_that("the certificate is recomputed from the data", {
  data <- spiral(70)
  fit <- machine(data$x, data$y, c("gaussian", "squared"), c(0.1, 0.3), C = 2)
  gap <- duality_gap(fit, data$x, data$y)
  expect_equal(gap$gap, fit$gap, tolerance = 1e-8)
  expect_equal(gap$primal, fit$primal, tolerance = 1e-10)
  expect_equal(gap$dual, fit$objective, tolerance = 1e-10)
  expect_classed(duality_gap(fit, data$x[-1, ]), "length", "x")
  expect_classed(duality_gap(fit, data$x, rev(data$y)), "mismatch", "y")
  several <- machine(iris[1:4], iris$Species, gamma = 0.3)
  expect_equal(unname(duality_gap(several, iris[1:4])$gap), unname(several$gap), tolerance = 1e-7)
})

test_that("losses, weights and several classes", {
  data <- spiral(60)
  for (loss in c("squared_hinge", "logistic", "squared")) {
    fit <- machine(data$x, data$y, "gaussian", 0.2, loss = loss, C = 2)
    expect_true(fit$converged)
    expect_equal(duality_gap(fit, data$x)$gap, fit$gap, tolerance = 1e-6)
  }
  prob <- predict(machine(data$x, data$y, "gaussian", 0.2, loss = "logistic"), data$x, "prob")
  expect_equal(unname(rowSums(prob)), rep(1, 60))
  numbers <- machine(data$x, data$x[, 1]^2, "gaussian", c(0.05, 0.2), C = 10)
  expect_equal(unname(predict(numbers, data$x)), unname(numbers$decision), tolerance = 1e-10)
  expect_lt(mean(residuals(numbers)^2), 0.5 * var(data$x[, 1]^2))

  # a case of weight two is the same case twice
  w <- rep(1, 60)
  w[c(4, 9)] <- 2
  twice <- c(seq_len(60), 4, 9)
  one <- machine(data$x, data$y, "gaussian", 0.2, weights = w, control = quiet(tol = 1e-6))
  other <- machine(data$x[twice, ], data$y[twice], "gaussian", 0.2, control = quiet(tol = 1e-6))
  expect_equal(one$objective, other$objective, tolerance = 3e-6)

  for (multiclass in c("ovr", "ovo")) {
    fit <- machine(Species ~ ., iris, gamma = c(0.1, 0.4), C = 5, multiclass = multiclass)
    expect_s3_class(fit, c("mllkm_multiclass", "mllkm", "mkl_multiclass", "mkl_fit"), exact = TRUE)
    expect_gt(mean(predict(fit, iris) == iris$Species), 0.9)
    expect_equal(predict(fit, iris, "decision"), fit$decision, tolerance = 1e-10)
    expect_true(all(fit$converged))
    expect_s3_class(kernel_weights(fit), "data.frame")
    expect_s3_class(support(fit), "data.frame")
  }
  inside <- machine(iris[1:4], gamma = 0.1)
  expect_equal(predict(inside, iris[1:4], "decision"), inside$decision, tolerance = 1e-10)
  expect_type(predict(inside, iris[1:3, 1:4]), "logical")
  balanced <- machine(data$x, data$y, "gaussian", 0.2, class_weights = "balanced")
  expect_true(balanced$converged)
})

test_that("rows and columns may come in any order, twice, and moved", {
  data <- spiral(50)
  control <- quiet(tol = 1e-7)
  fit <- machine(data$x, data$y, "squared", c(0.05, 0.2), C = 2, control = control)
  order <- rev(seq_len(50))
  expect_equal(machine(data$x[order, ], data$y[order], "squared", c(0.05, 0.2), C = 2,
                       control = control)$objective, fit$objective, tolerance = 1e-6)
  turned <- machine(data$x[, 3:1], data$y, "squared", c(0.05, 0.2), C = 2, control = control)
  expect_equal(turned$objective, fit$objective, tolerance = 1e-6)
  expect_equal(predict(turned, data$x, "decision"), fit$decision, tolerance = 1e-3,
               ignore_attr = TRUE)
  moved <- machine(data$x + 1e4, data$y, "squared", c(0.05, 0.2), C = 2, control = control)
  expect_equal(moved$objective, fit$objective, tolerance = 1e-6)
  expect_equal(predict(moved, data$x + 1e4, "decision"), moved$decision, tolerance = 1e-8,
               ignore_attr = TRUE)
  doubled <- machine(data$x[rep(1:50, 2), ], data$y[rep(1:50, 2)], "squared", c(0.05, 0.2), C = 1,
                     control = control)
  expect_equal(doubled$objective, fit$objective, tolerance = 1e-6)
  constant <- machine(cbind(data$x, 7), data$y, "squared", c(0.05, 0.2), C = 2, control = control)
  expect_equal(constant$objective, fit$objective, tolerance = 1e-6)
  # lengths in other units: gamma in the inverse, C in the inverse square
  scaled <- machine(10 * data$x, data$y, "squared", c(0.05, 0.2) / 100, C = 2 / 100,
                    control = control)
  expect_equal(100 * scaled$objective, fit$objective, tolerance = 1e-6)
})

test_that("anchors may be given, views be sparse, frames have factors", {
  data <- spiral(60)
  anchors <- rbind(c(v3 = 0, v2 = 1, v1 = 0.5), c(0, 0, 0))
  fit <- machine(data$x, data$y, "gaussian", c(0.1, 0.5), anchors = anchors, C = 4)
  turned <- anchors[, c("v1", "v2", "v3")]
  Ks <- judge_dictionary(data$x, turned, data.frame(map = "gaussian", gamma = c(0.1, 0.5)))
  expect_whole_gap(fit, Ks)
  expect_true(all(fit$anchor_rows %in% 1:2))
  expect_equal(duality_gap(fit, data$x)$gap, fit$gap, tolerance = 1e-8)

  zeros <- data$x * (abs(data$x) > 0.7)
  sparse <- Matrix::Matrix(zeros, sparse = TRUE)
  for (componentwise in c(FALSE, TRUE)) {
    dense <- machine(zeros, data$y, "exponential", 0.5, componentwise = componentwise)
    thin <- machine(sparse, data$y, "exponential", 0.5, componentwise = componentwise)
    expect_equal(thin$objective, dense$objective, tolerance = 1e-3)
    expect_equal(predict(thin, sparse, "decision"), thin$decision, tolerance = 1e-10,
                 ignore_attr = TRUE)
    expect_equal(predict(thin, zeros[1:5, ], "decision"), thin$decision[1:5], tolerance = 1e-10,
                 ignore_attr = TRUE)
    expect_equal(duality_gap(thin, sparse)$gap, thin$gap, tolerance = 1e-8)
  }

  frame <- data.frame(data$x, kind = rep(c("u", "v", "w"), 20))
  fit <- machine(frame, data$y, gamma = 0.2)
  expect_identical(colnames(fit$anchors), c("v1", "v2", "v3", "kindu", "kindv", "kindw"))
  expect_identical(unname(predict(fit, frame[60:1, ])), unname(rev(predict(fit))))
  one <- machine(data$x[, 1, drop = FALSE], data$y, gamma = c(0.1, 1))
  expect_true(one$converged)
  single_name <- machine(list(only = data$x), data$y, gamma = 0.2)
  expect_equal(unname(predict(single_name, list(only = data$x), "decision")),
               unname(single_name$decision), tolerance = 1e-10)
})

test_that("wrong arguments are errors that name them", {
  data <- spiral(20)
  x <- data$x
  y <- data$y
  for (gamma in list(0, -1, NA, Inf, "a", numeric(), NULL == 1)) {
    expect_classed(machine(x, y, gamma = gamma), "invalid_argument", "gamma")
  }
  for (map in list("cubic", 1, character(), NA_character_)) {
    expect_classed(machine(x, y, map = map, gamma = 1), "invalid_argument", "map")
  }
  expect_classed(machine(x, y, gamma = 1, componentwise = NA), "invalid_argument", "componentwise")
  expect_classed(machine(x, y, gamma = 1, intercept = 2), "invalid_argument", "intercept")
  expect_classed(machine(x, y, gamma = 1, C = 0), "invalid_argument", "C")
  expect_classed(machine(x, y, gamma = 1, width = 2), "invalid_argument", "width")
  expect_classed(machine(unname(x), y, gamma = 1, anchors = matrix(1, 2, 5)), "dimension",
                 "anchors")
  expect_classed(machine(x, y, gamma = 1, anchors = matrix(NA_real_, 1, 3)), "missing_columns",
                 "anchors")
  expect_classed(machine(unname(x), y, gamma = 1, anchors = matrix(NA_real_, 1, 3)),
                 "missing_values", "anchors")
  expect_classed(machine(unname(x), y, gamma = 1, anchors = matrix(0, 0, 3)), "invalid_argument",
                 "anchors")
  for (anchors in list("a", list(1), TRUE, mean)) {
    expect_classed(machine(x, y, gamma = 1, anchors = anchors), "invalid_argument", "anchors")
  }
  expect_classed(machine(x * 1e200, y), "not_finite", "x")
  expect_error(machine(x * 1e200, y, gamma = 1), class = "manykernels_error")
  expect_classed(machine(list(a = x, b = x), y, gamma = 1), "unsupported", "x")
  expect_classed(machine(NULL, y, gamma = 1), "invalid_argument", "x")
  expect_classed(machine(x, y[-1], gamma = 1), "length", "y")
  expect_classed(machine(iris[1:4], iris$Species, multiclass = "shared"), "unsupported",
                 "multiclass")
  fit <- machine(x, y, gamma = 0.2)
  expect_classed(machine(x, y, gamma = 0.2, control = quiet(start = fit)), "unsupported", "start")
  expect_classed(predict(fit, x[, -1]), "missing_columns", "newdata")
  expect_classed(plot(fit, "boundary"), "unsupported", "which")
  expect_classed(risk_bound(fit, x, y), "unsupported", "fit")
  expect_classed(locally_linear_kernel("gaussian"), "invalid_argument", "gamma")
  expect_classed(locally_linear_kernel("gaussian", 1, anchors = "a"), "invalid_argument", "anchors")
  short <- locally_linear_kernel("gaussian", 1, anchors = 1:2)
  expect_classed(mkl(unname(x), y, short, scale = FALSE), "dimension", "anchors")
  same <- matrix(1, 20, 3)
  expect_error(machine(same, y, gamma = 1), class = "manykernels_error")
})

test_that("rows at an anchor add nothing to its kernel, not even rounding", {
  data <- spiral(20)
  # no row is near any other: nothing is left for any kernel
  for (map in maps) for (componentwise in c(FALSE, TRUE)) {
    expect_error(machine(data$x, data$y, map, 1e10, componentwise = componentwise),
                 class = "manykernels_constant_kernel")
  }
  # kernels of very small values, brought to one scale
  x <- 8 * data$x
  Ks <- lapply(judge_dictionary(x, x, data.frame(map = "gaussian", gamma = 0.05)),
               function(K) judge_normalize(K, "multiplicative")$train)
  matrices <- kernel_matrix(locally_linear_kernel("gaussian", 0.05), x,
                            normalize = "multiplicative")
  for (m in seq_along(Ks)) expect_equal(unname(matrices[[m]]), Ks[[m]], tolerance = 1e-12)
  expect_certified(mkl(x, data$y, locally_linear_kernel("gaussian", 0.05), scale = FALSE), Ks)
})

test_that("a row far away doesn't blur the others", {
  data <- spiral(60)
  data$x[17, 2] <- 1e9
  fit <- machine(data$x, data$y, gamma = 0.2, C = 5, control = quiet(tol = 1e-6))
  expect_true(fit$converged)
  Ks <- judge_dictionary(data$x, data$x, data.frame(map = "gaussian", gamma = 0.2))
  expect_whole_gap(fit, Ks)
  f <- Reduce(`+`, Map(function(K, t) t * drop(K %*% fit$alpha), Ks, all_weights(fit)))
  expect_equal(unname(predict(fit, data$x, "decision")), f + fit$offset, tolerance = 1e-12)
})

test_that("degenerate data end in a fit or a clear error", {
  data <- spiral(24)
  # maps so narrow that most kernels vanish, so wide that all are alike
  for (gamma in c(1e-8, 0.5)) {
    fit <- machine(data$x, data$y, "linear", gamma)
    expect_true(fit$converged)
  }
  expect_error(machine(data$x, data$y, "linear", 1e6), class = "manykernels_constant_kernel")
  two <- machine(data$x[c(1, 2), ], factor(c("a", "b")), gamma = 0.1)
  expect_true(two$converged)
  data <- spiral(90)
  limited <- suppressWarnings(machine(data$x, data$y, gamma = c(0.1, 1), C = 100,
                                      control = quiet(max_iter = 1, tol = 1e-9)))
  expect_false(limited$converged)
  expect_equal(predict(limited, data$x, "decision"), limited$decision, tolerance = 1e-9,
               ignore_attr = TRUE)
})

test_that("columns of componentwise maps keep to the budget, or say so", {
  data <- spiral(200)
  fit <- function(cache) machine(data$x, data$y, gamma = 0.2, componentwise = TRUE,
                                 control = quiet(cache = cache))
  expect_error(fit(1000), "`cache` is too small", class = "manykernels_core")
  expect_true(fit("100MB")$converged)
})

test_that("a saved fit predicts in a new session and keeps no data", {
  data <- spiral(60)
  fit <- machine(data$x, data$y, gamma = c(0.1, 0.4), C = 3)
  expect_null(fit$data$views)
  wide <- cbind(data$x, matrix(sin(seq_len(60 * 300)), 60))
  big <- machine(wide, data$y, gamma = 0.003)
  expect_lt(nrow(big$anchors), 60)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$x), predict(fit, data$x))
  script <- sprintf(paste(
    "library(manykernels); fit <- readRDS('%s')",
    "cat(predict(fit, matrix(c(0.1, 0.2, 0.3), 1, dimnames = list(NULL, c('v1', 'v2', 'v3'))),",
    "            'decision'), '\\n')", sep = "; "
  ), file)
  skip_on_cran()
  rscript <- file.path(R.home("bin"), "Rscript")
  paths <- paste(.libPaths(), collapse = .Platform$path.sep)
  code <- tempfile(fileext = ".R")
  writeLines(gsub("; +'", ", '", gsub(",;", ",", script)), code)
  out <- suppressWarnings(system2(rscript, code, stdout = TRUE, stderr = FALSE,
                                  env = paste0("R_LIBS=", paths)))
  new <- matrix(c(0.1, 0.2, 0.3), 1, dimnames = list(NULL, c("v1", "v2", "v3")))
  expect_equal(as.numeric(out), unname(predict(fit, new, "decision")), tolerance = 1e-6)
})

test_that("printing and plots", {
  data <- spiral(60)
  control <- quiet(tol = 1e-8)
  fit <- mllkm(data$x, data$y, c("gaussian", "linear"), c(0.1, 0.4), C = 3, control = control,
               scale = FALSE)
  several <- mllkm(Species ~ ., iris, gamma = c(0.1, 0.4), C = 5, control = control, scale = FALSE)
  expect_snapshot(print(fit), transform = hide_digits)
  expect_snapshot(print(summary(fit)), transform = hide_digits)
  expect_snapshot(print(several), transform = hide_digits)
  expect_snapshot(locally_linear_kernel(c("gaussian", "squared"), c(1, 2), anchors = diag(2)))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mllkm(data$x, data$y, gamma = -1)
    mllkm(data$x, data$y, map = "cubic", gamma = 1)
    mllkm(list(a = data$x, b = data$x), data$y, gamma = 1)
    mllkm(data$x, data$y, gamma = 1, solver = "sdca")
  })
  expect_identical(coef(fit), fit$theta)
  expect_identical(nobs(fit), 60L)
  plane <- machine(data$x[, 1:2], data$y, gamma = c(0.1, 0.5), C = 5)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(plane, data = data$x[, 1:2]), plane)
  expect_identical(plot(plane, "boundary"), plane)
  expect_identical(plot(fit), fit)
  flowers <- machine(iris[3:4], iris$Species, gamma = c(0.1, 0.5), C = 5)
  expect_identical(plot(flowers, "boundary", data = iris[3:4], main = "Flowers"), flowers)
  numbers <- machine(data$x[, 1:2], data$x[, 1]^2, gamma = 0.1)
  expect_identical(plot(numbers, "boundary", data = data$x[, 1:2]), numbers)
  for (resolution in list(2, 1e6, NA, "a")) {
    expect_classed(plot(plane, "boundary", resolution = resolution), "invalid_argument",
                   "resolution")
  }
  early <- suppressWarnings(machine(data$x, data$y, gamma = 0.1, control = quiet(max_time = 1e-9)))
  expect_identical(early$status, "time_limit")
  expect_identical(early$history$scanned, 0)
  expect_identical(plot(early), early)
})

test_that("fits whose time ends early predict what they fitted", {
  set.seed(7)
  x <- matrix(rnorm(15000), 1500)
  y <- sin(2 * x[, 1]) * x[, 2]
  fit <- suppressWarnings(machine(x, y, "linear", 0.25, C = 100,
                                  control = quiet(max_time = 0.3, tol = 1e-10)))
  expect_identical(fit$status, "time_limit")
  expect_equal(predict(fit, x), fit$decision, tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("time goes with the number of maps, and R's time limit ends it", {
  skip_unless_slow()
  data <- spiral(20, 2)
  took <- system.time(fit <- machine(data$x, data$y, gamma = 1:16000))
  expect_identical(fit$status, "converged")
  expect_lt(sum(took[1:2]), 6) # by one map after the other for each: 17 and more
  expect_identical(fit$dictionary$size, 320000L)
  strongest <- max(vapply(seq_len(20), function(a) {
    away <- sweep(data$x, 2, data$x[a, ])
    h <- exp(-outer(rowSums(away^2), 1:16000)) * as.vector(fit$alpha)
    max(colSums((t(away[, 1]) %*% h)^2) + colSums((t(away[, 2]) %*% h)^2), 0)
  }, 0))
  expect_equal(fit$dictionary$largest, strongest, tolerance = 1e-9)
  took <- system.time(expect_error({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    machine(data$x, data$y, gamma = seq_len(2e5))
  }, "time limit"))[["elapsed"]]
  setTimeLimit()
  expect_lt(took, 5)
})

test_that("kernel_features() shows the maps: their products are the kernels", {
  x <- as.matrix(iris[c(1:20, 60:80), 1:4])
  for (componentwise in c(FALSE, TRUE)) {
    k <- locally_linear_kernel(c("gaussian", "exponential", "linear", "squared"), c(0.2, 1), componentwise,
                               anchors = x[c(3, 30), ])
    k <- c(k, on_features(locally_linear_kernel("squared", 0.5, componentwise, x[5, ]), c(1, 3)))
    features <- kernel_features(k, x)
    K <- kernel_matrix(k, x, normalize = "none")
    expect_identical(names(features), names(K))
    for (m in names(K)) expect_equal(tcrossprod(features[[m]]), K[[m]], ignore_attr = TRUE, tolerance = 1e-12)
  }
  expect_identical(colnames(features[[17]]), colnames(x)[c(1, 3)])
  expect_error(kernel_features(gaussian_kernel(1), x), class = "manykernels_unsupported")
})
