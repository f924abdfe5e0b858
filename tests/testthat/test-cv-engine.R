skip_on_cran() # a slow file
d <- cv_data()
mixed <- c(linear_kernel(), gaussian_kernel(c(0.5, 2, 8)), polynomial_kernel(2))

# ---- shared work is no other work ----------------------------------------------------------------

# The linear kernel and the two widest Gaussians of each view, of what mkl() takes by default.
smooth_kernels <- function(x, scale = TRUE, ...) {
  kernels <- mkl(x, control = quiet(), scale = scale)$kernels
  width <- vapply(as.list(kernels), function(one) one$parameters$width %||% Inf, 0)
  view <- vapply(as.list(kernels), `[[`, "", "view")
  kernels[unlist(lapply(unique(view), function(v) {
    utils::tail(which(view == v)[order(width[view == v])], 3)
  }))]
}

# Every cell's decision values against those of mkl() on the training rows. grid: of its arguments.
expect_cold <- function(x, y, kernels, ..., C = c(0.3, 3), p = c(1, 2), weights = NULL,
                        matrices = NULL, other = NULL, scores = identity) {
  grid <- if (is.null(list(...)[["norm"]])) list(p = p)
  n <- if (is.null(y)) nrow(as.matrix(x)) else length(y)
  folds <- rep(1:2, length.out = n)
  given <- c(list(x = x, kernels = kernels, C = C, weights = weights, folds = folds,
                  control = quiet(tol = 1e-7), ...), grid)
  given["y"] <- list(y)
  found <- suppressMessages(do.call(cell_decisions, given))
  expect_true(all(found$cv$by_fold$status == "converged"))
  expect_true(all(found$cv$by_fold$gap <= 1e-7))
  for (r in 1:2) {
    resample <- found$cv$resamples[[r]]
    expect_identical(resample$test, which(folds == r))
    parts <- cold_parts(x, resample$train, resample$test, kernels, matrices, other)
    for (cell in seq_len(nrow(found$cv$results))) {
      own <- as.list(found$cv$results[cell, c(names(grid), "C"), drop = FALSE])
      smooth <- identical(found$cv$results$set[cell], "smooth")
      fit <- suppressMessages(do.call(mkl, c(
        list(x = parts$x, y = y[resample$train],
             kernels = if (smooth) smooth_kernels(parts$x, ...) else parts$kernels,
             weights = weights[resample$train], control = quiet(tol = 1e-7), ...), own
      )))
      decision <- scores(unname(as.matrix(predict(fit, parts$newdata, type = "decision"))))
      expect_equal(found$decisions[[r]][[cell]], decision, tolerance = 1e-3)
    }
  }
  invisible(found$cv)
}

test_that("cells are what mkl() makes of the training rows: normalisation and scaling", {
  skip_unless_slow()
  for (how in list("multiplicative", "spherical", "trace", "none", "centre",
                   c("centre", "multiplicative"), c("centre", "spherical"), c("centre", "trace"))) {
    expect_cold(d$x, d$y, mixed, normalize = how)
  }
  expect_cold(d$x, d$y, mixed, scale = FALSE)
  expect_cold(d$x, d$y, mixed, scale = FALSE, normalize = c("centre", "multiplicative"))
  expect_cold(d$x, d$y, c(normalize_kernels(linear_kernel(), c("centre", "trace")),
                          normalize_kernels(gaussian_kernel(2), "spherical"), gaussian_kernel(8)))
})

test_that("cells are what mkl() makes of the training rows: kernels and data", {
  skip_unless_slow()
  expect_cold(d$x, d$y, NULL)
  expect_cold(d$x, d$y, NULL, scale = FALSE)
  expect_cold(as.data.frame(d$x), d$y, mixed)
  expect_cold(d$x, d$y, per_feature(gaussian_kernel(c(0.5, 2))))
  expect_cold(d$x, d$y, per_feature(linear_kernel()), normalize = c("centre", "multiplicative"))
  expect_cold(list(a = d$x[, 1:2], b = d$x[, 3:4]), d$y, mixed)
  expect_cold(list(a = d$x[, 1:2], b = d$x[, 3:4]), d$y, NULL)
  manhattan <- function(a, b) {
    all <- as.matrix(dist(rbind(a, b), "manhattan"))
    exp(-all[seq_len(nrow(a)), nrow(a) + seq_len(nrow(b)), drop = FALSE])
  }
  expect_cold(d$x, d$y, c(function_kernel(manhattan), gaussian_kernel(1)))
  expect_cold(d$x, d$y, function_kernel(manhattan), normalize = c("centre", "multiplicative"))
  matrices <- list(k1 = exp(-as.matrix(dist(d$x))^2), k2 = tcrossprod(d$x))
  matrices <- lapply(matrices, unname)
  for (how in c("multiplicative", "spherical")) {
    expect_cold(NULL, d$y, precomputed_kernel(matrices), matrices = matrices, normalize = how)
  }
  expect_cold(d$x, d$y, c(precomputed_kernel(matrices["k1"]), gaussian_kernel(2)),
              matrices = matrices["k1"], other = gaussian_kernel(2))
  sparse <- Matrix::Matrix(d$x * (d$x > 1.5), sparse = TRUE)
  expect_cold(sparse, d$y, mixed)
  expect_cold(sparse, d$y, mixed, normalize = c("centre", "multiplicative"))
  anchored <- locally_linear_kernel(gamma = c(0.1, 1), anchors = d$x[c(1, 30, 70), ])
  expect_cold(d$x, d$y, c(anchored, gaussian_kernel(2)))
  expect_cold(d$x[1:45, ], d$y[1:45], locally_linear_kernel(gamma = 1))
})

test_that("cells are what mkl() makes of the training rows: losses", {
  skip_unless_slow()
  for (loss in c("squared_hinge", "logistic", "squared")) {
    expect_cold(d$x, d$y, mixed, loss = loss)
  }
  for (loss in list(NULL, "squared", huber_loss(0.5), epsilon_loss(0.2))) {
    expect_cold(d$x[, 1:3], d$x[, 4], mixed, loss = loss)
  }
  expect_cold(d$x, NULL, gaussian_kernel(c(1, 4)))
  expect_cold(d$x, d$y, mixed, intercept = FALSE)
})

test_that("cells are what mkl() makes of the training rows: norms", {
  expect_cold(d$x, d$y, mixed, p = c(4 / 3, Inf))
  expect_cold(d$x, d$y, mixed, norm = elastic_net_norm(0.3))
  expect_cold(d$x, d$y, gaussian_kernel(c(0.5, 2)), norm = quadratic_norm(diag(2) + 0.2))
  expect_cold(d$x, d$y, mixed, norm = block_norm(1.5))
  norms <- list(elastic_net_norm(0), elastic_net_norm(0.5), lp_norm(2))
  cv <- cv_mkl(d$x, d$y, mixed, norm = norms, C = c(0.3, 3), folds = rep(1:3, 25),
               control = quiet(tol = 1e-7))
  expect_identical(levels(cv$results$norm), vapply(norms, format, ""))
  expect_identical(cv$tuned, c("norm", "C"))
  expect_s3_class(cv$best$norm, "mkl_norm")
  for (k in 1:3) {
    alone <- cv_mkl(d$x, d$y, mixed, norm = norms[[k]], C = c(0.3, 3), folds = rep(1:3, 25),
                    control = quiet(tol = 1e-7))
    mine <- cv$by_fold$norm == format(norms[[k]])
    expect_identical(cv$by_fold$accuracy[mine], alone$by_fold$accuracy)
  }
})

test_that("models of linear kernels alone don't shift what the others' words say", {
  x <- cbind(c(-3, -2, -1, 1, 2, 3, 1, -1, 2), c(1, 1, 1, 1, 1, 1, 3, 3, 4))
  fit <- mkl(x, factor(rep(c("a", "b", "c"), each = 3)), c(linear_kernel(), gaussian_kernel(1)), p = 1,
             C = 0.01, multiclass = "ovo", control = quiet())
  expect_true(any(lengths(lapply(fit$models, function(model) model$data$views)) == 0))
  for (model in fit$models) expect_length(is_scored(model), 2)
  expect_no_warning(predict(fit, x))
})

test_that("cells are what mkl() makes of the training rows: classes and weights", {
  skip_unless_slow()
  expect_cold(d$x, d$classes, mixed)
  expect_cold(d$x, d$classes, mixed, multiclass = "shared")
  expect_cold(d$x, d$classes, mixed, multiclass = "ovo",
              scores = function(pairs) unname(pair_scores(pairs, levels(d$classes))))
  set.seed(3)
  weights <- runif(75, 0.5, 2)
  expect_cold(d$x, d$y, mixed, weights = weights)
  expect_cold(d$x, d$y, mixed, class_weights = "balanced", weights = weights)
  expect_cold(d$x, d$classes, mixed, class_weights = "balanced")
  expect_cold(d$x, d$classes, mixed, class_weights = "balanced", multiclass = "shared")
  expect_cold(d$x, d$y, mixed, class_weights = c("TRUE" = 3, "FALSE" = 1))
  expect_cold(d$x[, 1:3], d$x[, 4], mixed, weights = weights)
})

test_that("columns that are constant in the training rows are what mkl() makes of them", {
  x <- cbind(d$x[, 1:2], late = ifelse(seq_len(75) %% 2 == 0, 0, d$x[, 3]), same = 3)
  expect_cold(x, d$y, mixed)
  frame <- data.frame(d$x[, 1:2], rare = factor(ifelse(seq_len(75) %in% c(3, 9), "r", "s")),
                      three = factor(rep(c("a", "b", "c"), 25)))
  expect_cold(frame, d$y, mixed)
  expect_cold(frame, d$y, NULL)
})

test_that("rows of weight 0 take no part, in fits or measures", {
  weights <- rep(c(1, 1, 1, 0, 1), 15)
  cv <- cv_mkl(d$x, d$y, mixed, p = 2, C = 1, weights = weights, folds = rep(1:3, 25),
               control = quiet(tol = 1e-7))
  own <- cv$predictions
  expect_identical(nrow(own), 75L)
  right <- own$response == own$truth
  by_hand <- tapply(right * weights[own$row], own$fold, sum) / tapply(weights[own$row], own$fold, sum)
  expect_equal(cv$by_fold$accuracy, as.vector(by_hand))
})

# ---- nothing of the rows held out ----------------------------------------------------------------

# The fits of the training rows must be the same whatever the other rows are, up to rounding: what it
# can do to sums over kernel rows is bounded by the largest of all rows, and the gap pays for it. So
# fits are compared where `tol` is small, and constants are, too.
expect_no_leak <- function(x, y, kernels, change, ..., tolerance = 1e-4) {
  test <- seq(2, length(y %||% x[, 1]), 4)
  train <- setdiff(seq_along(y %||% x[, 1]), test)
  fits <- function(x, y, kernels) {
    plan <- small_plan(x, y, kernels, p = c(4 / 3, 2), control = quiet(tol = 1e-10), ...)
    resample_fits(plan, train)
  }
  before <- fits(x, y, kernels)
  changed <- change(x, y, kernels, test)
  after <- fits(changed$x, changed$y, changed$kernels)
  expect_equal(after$opened$constants$scale, before$opened$constants$scale, tolerance = 1e-12)
  expect_equal(after$opened$constants$total, before$opened$constants$total, tolerance = 1e-12)
  expect_equal(known_means(after, train), known_means(before, train), tolerance = 1e-12)
  for (k in seq_along(before$cells)) for (j in seq_along(before$cells[[k]])) {
    a <- before$cells[[k]][[j]]
    b <- after$cells[[k]][[j]]
    for (g in seq_along(a)) {
      expect_equal(b[[g]]$theta, a[[g]]$theta, tolerance = tolerance)
      expect_equal(b[[g]]$objective, a[[g]]$objective, tolerance = 1e-5)
      expect_equal(as.matrix(b[[g]]$decision)[train, ], as.matrix(a[[g]]$decision)[train, ],
                   tolerance = tolerance)
      expect_true(all(as.matrix(a[[g]]$alpha)[test, ] == 0))
      expect_true(all(as.matrix(b[[g]]$alpha)[test, ] == 0))
    }
  }
  expect_gt(max(abs(as.matrix(after$cells[[1]][[1]][[1]]$decision)[test, ] -
                      as.matrix(before$cells[[1]][[1]][[1]]$decision)[test, ])), 1e-6)
}

known_means <- function(fits, train) {
  lapply(fits$opened$constants$centre_list, function(mean) if (!is.null(mean)) mean[train])
}

other_rows <- function(x, rows, factor = 3) {
  x[rows, ] <- 5 - factor * x[rev(rows), ]
  x
}

change_x <- function(x, y, kernels, test) list(x = other_rows(x, test), y = y, kernels = kernels)

change_both <- function(x, y, kernels, test) {
  y[test] <- if (is.factor(y)) rev(levels(y))[as.integer(y[test])] else 100 - y[test]
  list(x = other_rows(x, test), y = y, kernels = kernels)
}

test_that("nothing of the rows held out leaks into a fold's fits", {
  for (how in list("multiplicative", "spherical", "trace", c("centre", "multiplicative"),
                   c("centre", "spherical"))) {
    expect_no_leak(d$x, d$y, mixed, change_both, normalize = how)
  }
  expect_no_leak(d$x, d$y, NULL, change_both)
  expect_no_leak(d$x, d$y, NULL, change_both, scale = FALSE)
  expect_no_leak(d$x, d$y, mixed, change_both, scale = FALSE, class_weights = "balanced")
  expect_no_leak(d$x, d$classes, mixed, change_both)
  expect_no_leak(d$x, d$classes, mixed, change_both, multiclass = "shared")
  expect_no_leak(d$x, d$x[, 4] + 0.1, mixed, change_both)
  expect_no_leak(d$x, NULL, gaussian_kernel(c(1, 4)), change_x)
  views <- function(x, y, kernels, test) {
    list(x = lapply(x, other_rows, test), y = y, kernels = kernels)
  }
  expect_no_leak(list(a = d$x[, 1:2], b = d$x[, 3:4]), d$y, mixed, views)
  sparse <- function(x, y, kernels, test) {
    x[test, ] <- x[rev(test), ] * 3
    list(x = x, y = y, kernels = kernels)
  }
  for (how in list("multiplicative", c("centre", "multiplicative"))) {
    expect_no_leak(Matrix::Matrix(d$x * (d$x > 1.5), sparse = TRUE), d$y, mixed, sparse,
                   normalize = how)
  }
})

test_that("nothing of matrices' and functions' values for rows held out leaks", {
  matrices <- function(x, y, kernels, test) {
    x <- other_rows(d$x, test)
    list(x = NULL, y = y, kernels = precomputed_kernel(list(tcrossprod(x), exp(-as.matrix(dist(x))))))
  }
  given <- precomputed_kernel(list(tcrossprod(d$x), exp(-as.matrix(dist(d$x)))))
  for (how in list("multiplicative", "spherical", c("centre", "multiplicative"))) {
    expect_no_leak(NULL, d$y, given, matrices, normalize = how)
  }
  expect_no_leak(d$x, d$y, function_kernel(function(a, b) (1 + tcrossprod(a, b))^2), change_both)
})

test_that("weights of rows held out count in their measure only", {
  weights <- rep(1, 75)
  run <- function(weights) {
    cv_mkl(d$x, d$y, mixed, p = 2, C = c(0.1, 1), weights = weights, control = quiet(),
           folds = list(1:25 * 3L))
  }
  before <- run(weights)
  after <- run(replace(weights, 1:25 * 3L, 1:25))
  expect_identical(after$weights, before$weights)
  expect_identical(after$predictions, before$predictions)
  right <- before$predictions$response == before$predictions$truth
  expect_equal(after$results$accuracy[after$best_row], sum(right * 1:25) / sum(1:25))
})

test_that("held-out rows far from all others leave fits as good as they were", {
  far <- d$x
  test <- seq(2, 75, 4)
  far[test, ] <- far[test, ] * 1e5
  kernels <- gaussian_kernel(c(1, 4))
  train <- setdiff(1:75, test)
  found <- resample_fits(small_plan(far, d$y, kernels, scale = FALSE), train)
  Ks <- lapply(c(1, 4), function(w) judge_normalize(judge_gaussian(far[train, ], width = w))$train)
  signs <- ifelse(d$y[train] == "TRUE", 1, -1)
  for (k in 1:2) for (j in 1:3) {
    one <- found$cells[[k]][[j]][[1]]
    verdict <- judge_gap(Ks, one$theta, one$alpha[train], signs, rep(c(0.1, 1, 10)[j], length(train)),
                         c(1, 2)[k])
    expect_lte(verdict$gap, 1e-3)
  }
})

# ---- certificates --------------------------------------------------------------------------------

test_that("every cell's gap holds by the judge's own arithmetic, reused solutions' too", {
  apart <- judge_clouds(40, shift = 8)
  near <- judge_clouds(40, shift = 1)
  train <- setdiff(1:40, seq(3, 40, 5))
  C <- 10^(-1:4)
  reused <- 0
  for (data in list(apart, near)) {
    plan <- small_plan(data$x, data$y, gaussian_kernel(c(2, 8)), p = c(1, 2, Inf), C = C,
                       scale = FALSE)
    found <- resample_fits(plan, train)
    Ks <- lapply(c(2, 8), function(w) {
      judge_normalize(judge_gaussian(data$x[train, ], width = w))$train
    })
    signs <- ifelse(data$y[train] == "yes", 1, -1)
    for (k in 1:3) for (j in seq_along(C)) {
      one <- found$cells[[k]][[j]][[1]]
      verdict <- judge_gap(Ks, one$theta, one$alpha[train], signs, rep(C[j], length(train)),
                           c(1, 2, Inf)[k])
      expect_true(verdict$theta_ok && verdict$box_ok && verdict$sum_ok)
      expect_lte(verdict$gap, 1e-3)
      expect_lt(verdict$gap, one$gap + 1e-9)
      before <- if (j > 1) found$cells[[k]][[j - 1]][[1]]
      if (j > 1) reused <- reused + identical(one$alpha, before$alpha)
    }
  }
  expect_gt(reused, 3) # what the test is about has happened
})

test_that("cells' gaps are those that the exact certificate finds for their pairs, for all losses", {
  losses <- list(hinge = d$y, squared_hinge = d$y, logistic = d$y, squared = d$x[, 4],
                 huber = d$x[, 4], epsilon_insensitive = d$x[, 4])
  train <- setdiff(1:75, seq(2, 75, 4))
  for (loss in names(losses)) {
    C <- 10^(-2:3)
    plan <- small_plan(d$x[, 1:3], losses[[loss]], mixed, p = 4 / 3, C = C, loss = loss)
    found <- resample_fits(plan, train)
    problem <- found$problem
    for (j in seq_along(C)) {
      one <- found$cells[[1]][[j]][[1]]
      verdict <- .Call(C_mk_gap, found$opened$handles[[1]], one$theta, as.matrix(one$alpha),
                       core_targets(problem$targets, problem$response), C[j] * problem$cost,
                       core_loss(plan$settings$loss, plan$settings$intercept),
                       core_norm(problem$norms[[1]]), 1L)
      expect_lte(verdict$gap, one$gap + 1e-9)
      expect_lte(one$gap, 1e-3)
    }
  }
})

test_that("functions are called as often for many cells and folds as for few", {
  calls <- 0
  f <- function(a, b) {
    calls <<- calls + 1
    tcrossprod(a, b) + 1
  }
  count <- function(..., final = TRUE) {
    calls <<- 0
    cv_mkl(d$x, d$y, function_kernel(f), scale = FALSE, control = quiet(), ...)
    calls
  }
  # the last fit, which calls again for each solve, is the same
  few <- count(p = 2, C = 1, folds = rep(1:2, length.out = 75))
  expect_identical(count(p = 2, C = 1, folds = rep(1:7, length.out = 75)), few)
  calls <- 0
  plan <- small_plan(d$x, d$y, function_kernel(f), scale = FALSE, p = c(1, 2, 4), C = 2^(-3:3))
  after_plan <- calls
  run_plan(plan, resamples(5, 3, plan$response, NULL, 75, NULL),
           list(seeds = 1:15, deadline = Inf, BPPARAM = NULL))
  many <- calls - after_plan
  calls <- 0
  plan <- small_plan(d$x, d$y, function_kernel(f), scale = FALSE, p = 1, C = 1)
  after_plan <- calls
  run_plan(plan, resamples(5, 1, plan$response, NULL, 75, NULL)[1],
           list(seeds = 1:5, deadline = Inf, BPPARAM = NULL))
  expect_identical(many, calls - after_plan)
})

# ---- the core's entry ----------------------------------------------------------------------------

test_that("hostile calls of the core are R errors", {
  near <- judge_clouds(12)
  data <- bridge_data(near$x, gaussian_kernel(1:2))
  handle <- kernel_handle(data$kernels, data$views, 12L, 1L)
  control <- core_control(quiet())
  hinge <- core_loss(check_loss("hinge"), TRUE)
  chain <- list(set = handle, y = matrix(rep(c(-1, 1), 6)), cost = matrix(1, 12, 1), norm = 2,
                known = list())
  changed <- function(...) list(utils::modifyList(chain, list(...)))
  grid <- function(chains = list(chain), loss = hinge, scales = c(0.1, 1), control. = control,
                   limit = Inf, progress = NULL) {
    .Call(C_mk_fit_grid, chains, loss, scales, control., limit, progress)
  }
  found <- grid()
  expect_length(found, 1)
  expect_length(found[[1]], 2)
  expect_identical(grid(list()), list())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    grid(NULL)
    grid(1:3)
    grid(list(NULL))
    grid(list(1))
    grid(list(chain[-1]))
    grid(changed(set = 1))
    grid(changed(set = "a"))
    grid(changed(y = rep(1, 11)))
    grid(changed(y = "a"))
    grid(changed(y = matrix(rep(c(-1, NaN), 6))))
    grid(changed(y = matrix(rep(c(-1, 3), 6))))
    grid(changed(cost = matrix(1, 12, 2)))
    grid(changed(cost = matrix(-1, 12, 1)))
    grid(changed(cost = matrix(Inf, 12, 1)))
    grid(changed(cost = "a"))
    grid(changed(norm = 0.5))
    grid(changed(norm = NaN))
    grid(changed(norm = "a"))
    grid(loss = NULL)
    grid(loss = 99)
    grid(scales = NULL)
    grid(scales = c(1, 0.1))
    grid(scales = c(1, 1))
    grid(scales = -1)
    grid(scales = NaN)
    grid(scales = Inf)
    grid(scales = "a")
    grid(control. = NULL)
    grid(control. = list())
    grid(control. = replace(control, "threads", list(-1L)))
    grid(control. = replace(control, "tol", list(NaN)))
    grid(control. = replace(control, "optimizer", list(17L)))
    grid(control. = replace(control, "optimizer", list(5L)))
    grid(limit = -1)
    grid(limit = NaN)
    grid(limit = NULL)
    grid(progress = 3)
  })
  expect_length(grid(scales = numeric())[[1]], 0)
  none <- grid(limit = 0)[[1]]
  for (cell in none) expect_null(cell$theta)
  no_cost <- grid(changed(cost = matrix(0, 12, 1)))[[1]]
  for (cell in no_cost) expect_true(is.null(cell$theta) || all(cell$alpha == 0))
  dead <- unserialize(serialize(handle, NULL))
  expect_error(grid(changed(set = dead)))
  other <- kernel_handle(data$kernels, data$views, 12L, 1L)
  expect_length(grid(list(chain, changed(set = other)[[1]])), 2)
})

test_that("what a chain is said to have solved is checked", {
  near <- judge_clouds(12)
  data <- bridge_data(near$x, gaussian_kernel(1:2))
  handle <- kernel_handle(data$kernels, data$views, 12L, 1L)
  chain <- list(set = handle, y = matrix(rep(c(-1, 1), 6)), cost = matrix(1, 12, 1), norm = 2,
                known = list())
  grid <- function(known, scales = 1) {
    chain$known <- known
    .Call(C_mk_fit_grid, list(chain), core_loss(check_loss("hinge"), TRUE), scales,
          core_control(quiet()), Inf, NULL)
  }
  whole <- grid(list(), c(0.1, 0.3, 1))[[1]]
  first <- c(whole[[1]], scale = 0.1)
  second <- c(whole[[2]], scale = 0.3)
  values <- c("theta", "alpha", "gap")
  expect_identical(grid(list(second, first))[[1]][[1]][values], whole[[3]][values])
  changed <- function(...) list(utils::modifyList(second, list(...)))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    grid(NULL)
    grid(3)
    grid(list(1))
    grid(list(list()))
    grid(list(second, first, first))
    grid(list(first, second))
    grid(list(second, second))
    grid(list(second), 0.3)
    grid(changed(scale = 0))
    grid(changed(scale = NaN))
    grid(changed(theta = c(-1, 1)))
    grid(changed(theta = 1))
    grid(changed(alpha = numeric(11)))
    grid(changed(alpha = rep(Inf, 12)))
    grid(changed(offset = numeric()))
    grid(changed(forms = "a"))
    grid(changed(decision = 1:12))
    grid(changed(slack = numeric(12)))
    grid(changed(primal = "a"))
  })
})

test_that("chains go on from where they were left, to the same numbers", {
  runs <- list(
    small_plan(d$x, d$y, gaussian_kernel(c(1, 4)), C = c(1, 10, 0.1)),
    small_plan(d$x, d$classes, gaussian_kernel(c(1, 4)), loss = "logistic"),
    small_plan(d$x, d$classes, linear_kernel(), multiclass = "shared"),
    small_plan(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet(probability = TRUE)),
    small_plan(d$x, d$x[, 1], per_feature(linear_kernel()), loss = epsilon_loss(0.1))
  )
  test <- 1:25 * 3
  for (plan in runs) {
    part <- list(opened = open_resample(plan, seq_len(75)[-test]), seed = 1, outer = 1:2, unit = 5:6,
                 resample = list(train = seq_len(75)[-test], test = test), begun = list(NULL, NULL))
    run <- function(part, keep = NULL) {
      cells <- run_chains(plan, list(part), Inf, function(share) NULL, keep)[[1]]
      lapply(cells, lapply, function(cell) cell[names(cell) != "seconds"])
    }
    whole <- run(part)
    kept <- list()
    keep <- function(unit, begun) kept[[length(kept) + 1]] <<- list(unit = unit, begun = begun)
    expect_identical(run(part, keep), whole)
    expect_identical(vapply(kept, `[[`, 0L, "unit"), rep(5:6, 2))
    expect_identical(vapply(kept, function(one) length(one$begun$cells), 0L), rep(1:2, each = 2))
    # one chain from its first cell, the other from its second
    part$begun <- list(kept[[1]]$begun, kept[[4]]$begun)
    file <- tempfile()
    saveRDS(part$begun, file)
    part$begun <- readRDS(file)
    shares <- numeric()
    again <- run_chains(plan, list(part), Inf, function(share) shares <<- c(shares, share), keep)
    expect_identical(lapply(again[[1]], lapply, function(cell) cell[names(cell) != "seconds"]), whole)
    expect_gt(shares[1], 1 / 2)
    expect_equal(max(shares), 1)
  }
})

test_that("functions are called by the session's own thread, whatever the number of threads", {
  f <- function_kernel(function(a, b) (1 + tcrossprod(a, b))^2)
  data <- bridge_data(d$x, f)
  handle <- kernel_handle(data$kernels, data$views, 75L, 2L)
  chain <- list(set = handle, y = matrix(ifelse(d$y == "TRUE", 1, -1)), cost = matrix(1, 75, 1),
                norm = 2, known = list())
  control <- core_control(quiet(threads = 2))
  hinge <- core_loss(check_loss("hinge"), TRUE)
  found <- .Call(C_mk_fit_grid, rep(list(chain), 6), hinge, c(0.1, 1), control, Inf, NULL)
  for (one in found) expect_identical(one[[2]]$theta, found[[1]][[2]]$theta)
})

test_that("failing functions and progress that fails leave an R error or a message", {
  near <- judge_clouds(12)
  broken <- FALSE
  f <- function_kernel(function(a, b) if (broken) stop("no value") else tcrossprod(a, b))
  data <- bridge_data(near$x, f)
  handle <- kernel_handle(data$kernels, data$views, 12L, 1L)
  chain <- list(set = handle, y = matrix(rep(c(-1, 1), 6)), cost = matrix(1, 12, 1), norm = 2,
                known = list())
  hinge <- core_loss(check_loss("hinge"), TRUE)
  call <- function(progress = NULL) {
    from_core(.Call(C_mk_fit_grid, list(chain), hinge, c(0.1, 1), core_control(quiet()), Inf,
                    progress))
  }
  expect_error(call(function(...) stop("no progress")), "no progress")
  broken <- TRUE
  outcome <- tryCatch(call(), error = identity)
  if (inherits(outcome, "error")) expect_match(conditionMessage(outcome), "no value") else
    expect_type(outcome[[1]][[1]]$message, "character")
})

# ---- folds ---------------------------------------------------------------------------------------

drawn <- function(folds = 5, repeats = 1, response = NULL, group = NULL,
                  n = max(length(response), length(group)), weights = NULL, seed = 1) {
  set.seed(seed)
  resamples(folds, repeats, response, group, n, weights)
}

test_ids <- function(found) lapply(found, `[[`, "test")

# Each row is held out once in each repeat, and trained on otherwise.
expect_partition <- function(found, n, repeats = 1) {
  of <- vapply(found, `[[`, 1L, "repeat_number")
  expect_identical(unique(of), seq_len(repeats))
  for (r in seq_len(repeats)) {
    expect_identical(sort(unlist(test_ids(found[of == r]))), seq_len(n))
  }
  for (one in found) {
    expect_identical(sort(c(one$train, one$test)), seq_len(n))
    expect_false(is.unsorted(one$train) || is.unsorted(one$test))
  }
}

test_that("folds are even in number and by class, for all repeats, and depend on the seed alone", {
  y <- factor(rep(c("a", "b", "c"), c(50, 23, 10))[sample.int(83)])
  found <- drawn(5, 3, y)
  expect_length(found, 15)
  expect_identical(vapply(found, `[[`, 1L, "fold"), rep(1:5, 3))
  expect_partition(found, 83, 3)
  for (one in found) {
    expect_true(length(one$test) %in% 16:17)
    cases <- table(y[one$test])
    expect_true(all(abs(cases - table(y) / 5) < 1))
  }
  expect_identical(found, drawn(5, 3, y))
  expect_false(identical(test_ids(found)[1:5], test_ids(found)[6:10]))
  expect_false(identical(found, drawn(5, 3, y, seed = 2)))
})

test_that("numbers are spread by quantile groups, no response at random", {
  set.seed(3)
  y <- rexp(100)
  found <- drawn(5, 1, y)
  expect_partition(found, 100)
  fifth <- findInterval(rank(y), c(21, 41, 61, 81))
  for (one in found) expect_identical(as.vector(table(fifth[one$test])), rep(4L, 5))
  expect_partition(drawn(4, 2, c(0, 0, 0, 0, 0, 0, 1, 2)), 8, 2)
  expect_partition(drawn(7, 1, NULL, n = 30), 30)
  expect_partition(drawn(9, 1, as.numeric(1:9)), 9)
})

test_that("leaving one out is as many folds as rows", {
  y <- factor(rep(c("a", "b"), c(3, 4)))
  expect_no_warning(found <- drawn(7, 1, y))
  expect_partition(found, 7)
  expect_identical(lengths(test_ids(found)), rep(1L, 7))
})

test_that("groups stay together, classes as even as they permit", {
  set.seed(4)
  group <- sample(rep(paste("patient", 1:30), sample(1:8, 30, TRUE)))
  y <- factor(ifelse(runif(length(group)) < 0.3, "case", "control"))
  found <- drawn(5, 2, y, group)
  expect_partition(found, length(group), 2)
  for (one in found) {
    expect_length(intersect(group[one$test], group[one$train]), 0)
    expect_lt(max(abs(table(y[one$test]) / table(y) - 0.2)), 0.1)
  }
  # groups of one size that are of one class each: as even as single rows
  group <- rep(1:20, each = 3)
  y <- factor(rep(c("a", "b"), each = 30))
  for (one in drawn(5, 1, y, group)) expect_identical(as.vector(table(y[one$test])), c(6L, 6L))
  # numbers, and no response: sizes are even
  for (response in list(as.numeric(seq_along(group)), NULL)) {
    expect_identical(lengths(test_ids(drawn(4, 1, response, group, n = 60))), rep(15L, 4))
  }
  # a factor, with levels that have no rows, is as good as its values
  expect_identical(drawn(5, 1, y, group), drawn(5, 1, y, factor(group, 1:25)))
  # unequal groups are drawn anew in every repeat, and nearly as even
  group <- rep(1:19, c(1:18, 29))
  found <- drawn(4, 20, factor(rep(c("a", "b"), 100)), group)
  expect_gt(length(unique(test_ids(found))), 60)
  expect_lt(max(abs(lengths(test_ids(found)) / 50 - 1)), 0.4)
  # one large group leaves a fold for itself
  expect_partition(drawn(3, 1, NULL, c(rep("big", 50), letters[1:10]), n = 60), 60)
})

test_that("rows without weight take no part in what is even", {
  y <- factor(rep(c("a", "b"), 30))
  weights <- rep(c(1, 0), each = 30)
  found <- drawn(5, 1, y, weights = weights)
  expect_partition(found, 60)
  for (one in found) {
    expect_identical(as.vector(table(y[one$test[weights[one$test] > 0]])), c(3L, 3L))
    expect_identical(sum(weights[one$test] == 0), 6L)
  }
  expect_classed(drawn(40, 1, y, weights = weights), "too_few", "folds")
  expect_partition(drawn(3, 1, y, rep(1:6, 10), weights = weights), 60)
})

test_that("own folds: one per row, NA for rows that are always trained on", {
  found <- drawn(c(2, 1, 2, NA, 1), n = 5)
  expect_identical(found[[1]], list(repeat_number = 1L, fold = 1, train = c(1L, 3L, 4L),
                                    test = c(2L, 5L)))
  expect_identical(found[[2]]$test, c(1L, 3L))
  sites <- factor(c("Oslo", "Bern", "Oslo", "Bern"), c("Oslo", "Rome", "Bern"))
  by_site <- drawn(sites, n = 4)
  expect_identical(vapply(by_site, `[[`, "", "fold"), c("Oslo", "Bern"))
  expect_identical(test_ids(drawn(as.character(sites), n = 4)), rev(test_ids(by_site)))
  expect_identical(test_ids(drawn(c(NA, 1, NA), n = 3)), list(2L))
})

test_that("own folds: lists of held-out rows, or of both parts", {
  found <- drawn(list(c(3, 1), 2), n = 4)
  expect_identical(found[[1]], list(repeat_number = 1L, fold = 1L, train = c(2L, 4L),
                                    test = c(1L, 3L)))
  expect_identical(found[[2]]$train, c(1L, 3L, 4L))
  both <- drawn(list(first = list(train = c(4, 2), test = 1)), n = 4)
  expect_identical(both[[1]], list(repeat_number = 1L, fold = "first", train = c(2L, 4L), test = 1L))
  expect_identical(drawn(both, n = 4), both)
  two <- drawn(2, repeats = 2, n = 6)
  expect_identical(drawn(two, n = 6), two)
  odd <- function(...) drawn(list(list(train = 1:2, test = 3, ...)), n = 4)
  expect_classed(odd(repeat_number = 0), "invalid_argument", "folds[[1]]$repeat_number")
  expect_classed(odd(fold = 1:2), "invalid_argument", "folds[[1]]$fold")
})

test_that("folds that can't be are classed errors", {
  y <- factor(rep(c("a", "b"), c(10, 1)))
  expect_classed(drawn(3, 1, y), "too_few", "y")
  y <- factor(rep(c("a", "b", "c"), c(10, 3, 2)))
  warned <- expect_warning(drawn(5, 1, y), class = "manykernels_warning_few_cases")
  expect_identical(warned$value, c("b", "c"))
  n <- 6
  refused <- function(folds, class = "invalid_argument", argument = "folds", ...) {
    expect_classed(drawn(folds, n = n, ...), class, argument)
  }
  for (folds in list(1, 0, 2.5, NA_real_, Inf, "5", TRUE, NULL, mean, list(),
                     data.frame(a = 1:6))) {
    class <- if (length(folds) == 1 && is.atomic(folds) && !is.numeric(folds)) "length" else
      "invalid_argument"
    refused(folds, class)
  }
  refused(7, "too_few")
  refused(1:5, "length")
  refused(rep(1, 6))
  refused(rep(NA, 6))
  refused(list(1:6))
  refused(list(1:2, integer()), argument = "folds[[2]]")
  refused(list(1:2, 7), argument = "folds[[2]]")
  refused(list(0), argument = "folds[[1]]")
  refused(list(c(1, 1)), argument = "folds[[1]]")
  refused(list("a"), argument = "folds[[1]]")
  refused(list(list(train = 1:3, test = 3:4)))
  refused(list(list(train = integer(), test = 3:4)), argument = "folds[[1]]$train")
  refused(list(list(train = 1:3)), argument = "folds[[1]]")
  refused(list(list(training = 1:3, test = 4)), argument = "folds[[1]]")
  refused(rep(1:2, 3), argument = "repeats", repeats = 2)
  refused(3, argument = "repeats", repeats = 0)
  refused(3, "length", "group", group = 1:5)
  refused(3, "missing_values", "group", group = c(1:5, NA))
  refused(3, "invalid_argument", "group", group = list(1, 2))
  refused(3, "too_few", group = c(1, 1, 1, 2, 2, 2))
  refused(rep(1:2, 3), group = rep(1:3, each = 2))
  expect_silent(drawn(rep(1:2, each = 3), group = rep(1:2, each = 3)))
  # training rows without a class
  y <- factor(c("a", "a", "b", "b", "a", "a"))
  refused(c(1, 1, 2, 2, 1, 1), "too_few", response = y)
  refused(list(list(train = 1:2, test = 3)), "too_few", response = y)
  refused(2, "too_few", response = y, group = c(1, 2, 3, 3, 4, 5))
  refused(c(1, 1, 1, 2, 2, 2), "too_few", response = y, weights = c(1, 1, 1, 0, 1, 1))
})

test_that("messages of folds name what is wrong", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    drawn(7, n = 6)
    drawn(3, group = c(1, 1, 2, 2))
    drawn(3, response = factor(c("a", "a", "a", "b")))
    drawn(rep(1:2, each = 2), response = factor(c("a", "a", "b", "b")))
    drawn(list(list(train = 1:3, test = 3:4)), n = 4)
    drawn(c(1, 2, 1, 2), group = c(1, 1, 2, 2))
  })
  expect_snapshot(invisible(drawn(5, response = factor(rep(c("a", "b"), c(10, 3))))), cnd_class = TRUE)
})
