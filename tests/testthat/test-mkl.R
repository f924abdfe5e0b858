kernels_of <- function(x, how = "multiplicative") {
  raw <- list(judge_linear(x), judge_polynomial(x), judge_gaussian(x, width = 1),
              judge_gaussian(x, width = 8))
  lapply(raw, function(K) judge_normalize(K, how)$train)
}
four_kernels <- function() c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(1, 8)))

test_that("fits are certified by the judge for every norm", {
  d <- judge_clouds(40)
  Ks <- kernels_of(d$x)
  for (p in c(1, 32 / 31, 4 / 3, 2, 4, 16, Inf)) {
    for (C in c(0.1, 10)) {
      fit <- mkl(d$x, d$y, four_kernels(), p = p, C = C, control = quiet(tol = 1e-4), scale = FALSE)
      expect_certified(fit, Ks)
      expect_true(fit$converged)
      expect_identical(fit$status, "converged")
    }
  }
})

test_that("fits are certified for every normalisation", {
  d <- judge_clouds(36)
  for (how in list("spherical", "trace", "none", "centre", c("centre", "multiplicative"),
                   c("centre", "spherical"), c("centre", "trace"))) {
    fit <- mkl(d$x, d$y, four_kernels(), p = 4 / 3, C = 2, normalize = how, control = quiet(),
               scale = FALSE)
    expect_certified(fit, kernels_of(d$x, how))
  }
})

test_that("a fit has the documented fields", {
  d <- judge_clouds(30)
  rownames(d$x) <- paste0("r", 1:30)
  fit <- mkl(d$x, d$y, four_kernels(), control = quiet(), scale = FALSE)
  expect_s3_class(fit, "mkl")
  expect_named(fit$theta, names(four_kernels()))
  expect_named(fit$alpha, rownames(d$x))
  expect_named(fit$decision, rownames(d$x))
  expect_identical(fit$support, unname(which(fit$alpha != 0)))
  expect_named(fit$history, c("iteration", "time", "objective", "gap", "active_kernels",
                              "support_vectors", "solves"))
  expect_s3_class(fit$history, "data.frame")
  expect_identical(fit$levels, c("no", "yes"))
  expect_identical(fit$y, d$y)
  expect_identical(fit$cost, rep(1, 30))
  expect_identical(fit$call, quote(mkl(x = d$x, y = d$y, kernels = four_kernels(),
                                       control = quiet(), scale = FALSE)))
  expect_null(fit$terms)
  expect_identical(fit[c("p", "norm", "C", "loss")],
                   list(p = 2, norm = "lp", C = 1, loss = "hinge"))
})

test_that("every kind of two-class response means the same, the second level positive", {
  d <- judge_clouds(30)
  yes <- d$y == "yes"
  reference <- mkl(d$x, d$y, linear_kernel(), control = quiet(), scale = FALSE)
  responses <- list(as.character(d$y), yes, as.numeric(yes), ifelse(yes, 7L, -7L), matrix(yes))
  for (y in responses) {
    fit <- mkl(d$x, y, linear_kernel(), control = quiet(), scale = FALSE)
    expect_identical(fit$decision, reference$decision)
  }
  expect_gt(mean(reference$decision[yes]), mean(reference$decision[!yes]))
  expect_identical(mkl(d$x, yes, linear_kernel(), control = quiet(),
                       scale = FALSE)$levels, c("FALSE", "TRUE"))
})

test_that("class and case weights multiply C", {
  d <- judge_clouds(40)
  w <- rep(c(1, 2, 0.5, 3), 10)
  fit <- mkl(d$x, d$y, four_kernels(), C = 2, class_weights = c(yes = 3), weights = w,
             control = quiet(), scale = FALSE)
  expect_equal(fit$cost, 2 * w * ifelse(d$y == "yes", 3, 1))
  expect_certified(fit, kernels_of(d$x))

  few <- c(1:20, seq(21, 39, 2)) # 20 no, 10 yes
  balanced <- mkl(d$x[few, ], d$y[few], linear_kernel(), class_weights = "balanced",
                  control = quiet(), scale = FALSE)
  expect_equal(as.numeric(tapply(balanced$cost, d$y[few], sum)), c(15, 15))
})

test_that("rows of weight zero don't count, and a weight of two is a row twice", {
  d <- judge_clouds(30)
  control <- quiet(tol = 1e-8)
  w <- rep(c(1, 2, 0, 1, 1), 6)
  fit <- mkl(d$x, d$y, four_kernels(), weights = w, normalize = "none", control = control,
             scale = FALSE)
  expect_true(all(fit$alpha[w == 0] == 0))
  rows <- rep(1:30, w)
  twice <- mkl(d$x[rows, ], d$y[rows], four_kernels(), normalize = "none", control = control,
               scale = FALSE)
  expect_equal(fit$objective, twice$objective, tolerance = 1e-6)
  expect_equal(fit$theta, twice$theta, tolerance = 1e-3)
  expect_equal(nobs(fit), 24)
})

test_that("permuted kernels and rows, and scaled kernels, change the fit as theory says", {
  d <- judge_clouds(36)
  control <- quiet(tol = 1e-8)
  fit <- mkl(d$x, d$y, four_kernels(), p = 4 / 3, normalize = "none", control = control,
             scale = FALSE)
  permuted <- mkl(d$x[36:1, ], d$y[36:1], four_kernels()[c(3, 1, 4, 2)], p = 4 / 3,
                  normalize = "none", control = control, scale = FALSE)
  expect_equal(permuted$theta[names(fit$theta)], fit$theta, tolerance = 1e-4)
  expect_equal(rev(permuted$decision), fit$decision, tolerance = 1e-3)

  x <- d$x
  Ks <- list(a = judge_linear(x), b = judge_gaussian(x, width = 2))
  one <- mkl(NULL, d$y, precomputed_kernel(Ks), C = 3, normalize = "none", control = control,
             scale = FALSE)
  ten <- mkl(NULL, d$y, precomputed_kernel(lapply(Ks, `*`, 10)), C = 0.3, normalize = "none",
             control = control, scale = FALSE)
  expect_equal(ten$theta, one$theta, tolerance = 1e-4)
  expect_equal(ten$decision, one$decision, tolerance = 1e-3)
})

test_that("p = Inf is a support vector machine on the sum of the kernels", {
  skip_if_not_installed("kernlab")
  d <- judge_clouds(60)
  fit <- mkl(d$x, d$y, four_kernels(), p = Inf, control = quiet(tol = 1e-8), scale = FALSE)
  expect_equal(unname(fit$theta), rep(1, 4))
  K <- Reduce(`+`, kernels_of(d$x))
  svm <- kernlab::ksvm(kernlab::as.kernelMatrix(K), d$y, C = 1, tol = 1e-8, shrinking = FALSE)
  values <- kernlab::predict(svm, kernlab::as.kernelMatrix(K[, kernlab::SVindex(svm)]), "decision")
  agree <- sign(sum(values * fit$decision))
  expect_equal(agree * drop(values), fit$decision, tolerance = 1e-3)
})

test_that("data frames, formulas, sparse matrices and precomputed kernels agree", {
  d <- judge_clouds(40)
  kernels <- gaussian_kernel(c(1, 8))
  fit <- mkl(d$x, d$y, kernels, control = quiet(), scale = FALSE)
  frame <- as.data.frame(d$x)
  expect_equal(mkl(frame, d$y, kernels, control = quiet(), scale = FALSE)$decision, fit$decision)
  frame$y <- d$y
  expect_equal(mkl(y ~ ., frame, kernels = kernels, control = quiet(),
                   scale = FALSE)$decision, fit$decision)
  sparse <- mkl(Matrix::Matrix(d$x, sparse = TRUE), d$y, kernels, control = quiet(tol = 1e-7),
                scale = FALSE)
  expect_equal(sparse$objective, fit$objective, tolerance = 2e-3)
  expect_s4_class(sparse$data$views$x, "dgCMatrix")
  Ks <- list(judge_gaussian(d$x, width = 1), judge_gaussian(d$x, width = 8))
  given <- mkl(NULL, d$y, precomputed_kernel(Ks), control = quiet(), scale = FALSE)
  expect_certified(given, lapply(Ks, function(K) judge_normalize(K)$train))
})

test_that("views, default kernels and function kernels make fits", {
  d <- judge_clouds(40)
  views <- list(a = d$x[, 1, drop = FALSE], b = d$x[, 2:3])
  fit <- mkl(views, d$y, control = quiet(), scale = FALSE)
  expect_length(fit$theta, 16)
  expect_setequal(kernel_weights(fit)$view, c("a", "b"))

  f <- function(X, Z) exp(-abs(outer(X[, 1], Z[, 1], "-")))
  own <- mkl(views, d$y, on_view(function_kernel(f, "laplace"), "a"), control = quiet(),
             scale = FALSE)
  K <- judge_normalize(f(views$a, views$a))$train
  expect_certified(own, list(K))
})

test_that("the formula method codes, subsets and drops rows as lm() does", {
  d <- judge_clouds(40)
  frame <- data.frame(d$x, y = d$y, g = factor(rep(c("u", "v", "w", "u"), 10)), w = 1:40 / 20)
  fit <- mkl(y ~ v1 + g + v1:v2, frame, kernels = linear_kernel(), control = quiet(), scale = FALSE)
  X <- model.matrix(y ~ v1 + g + v1:v2, frame)[, -1]
  expect_certified(fit, list(judge_normalize(judge_linear(X))$train))
  expect_s3_class(fit$terms, "terms")
  expect_identical(all.vars(formula(fit)), c("y", "v1", "g", "v2"))

  coded <- mkl(y ~ g, frame, kernels = linear_kernel(), contrasts = list(g = "contr.sum"),
               control = quiet(), scale = FALSE)
  expect_identical(coded$contrasts, list(g = "contr.sum"))

  part <- mkl(y ~ v1 + v2, frame, subset = w > 0.5, weights = w, kernels = linear_kernel(),
              control = quiet(), scale = FALSE)
  expect_equal(part$weights, frame$w[frame$w > 0.5])

  frame$v1[c(3, 9)] <- NA
  dropped <- mkl(y ~ v1 + v2, frame, kernels = linear_kernel(), control = quiet(), scale = FALSE)
  expect_length(dropped$alpha, 38)
  padded <- mkl(y ~ v1 + v2, frame, kernels = linear_kernel(), na.action = na.exclude,
                control = quiet(), scale = FALSE)
  expect_length(fitted(padded), 40)
  expect_identical(which(is.na(residuals(padded))), c(3L, 9L))
})

test_that("a formula's environment is kept only where it is needed", {
  d <- judge_clouds(30)
  make <- function() {
    ballast <- rnorm(1e5)
    frame <- data.frame(d$x, y = d$y)
    mkl(y ~ ., frame, kernels = linear_kernel(), control = quiet(), scale = FALSE)
  }
  expect_identical(environment(make()$terms), globalenv())
  expect_lt(length(serialize(make(), NULL)), 1e5)
  local_power <- 2
  kept <- mkl(y ~ I(v1^local_power), data.frame(d$x, y = d$y), kernels = linear_kernel(),
              control = quiet(), scale = FALSE)
  expect_false(identical(environment(kept$terms), globalenv()))
})

test_that("data are never copied", {
  skip_if_not(capabilities("profmem"), "R without memory profiling")
  d <- judge_clouds(60, 4)
  x <- d$x
  copies <- capture.output({
    tracemem(x)
    fit <- mkl(x, d$y, c(per_feature(linear_kernel()), gaussian_kernel(4)), control = quiet(),
               scale = FALSE)
    duality_gap(fit, x, d$y)
    untracemem(x)
  })
  expect_identical(grep("tracemem", copies, value = TRUE), character())
})

test_that("a kernel for each of many columns makes no list of them", {
  x <- matrix(stats::rnorm(4 * 3000), 4)
  kernels <- mkl(x, factor(c(1, 1, 2, 2)), per_feature(linear_kernel()), control = quiet())$kernels
  expect_identical(unclass(kernels)$features, 1:3000)
  expect_identical(names(kernels)[c(1, 3000)], c("linear[1]", "linear[3000]"))
  expect_identical(kernels[[7]]$features, 7L)
  expect_identical(as.data.frame(kernels)$features, as.character(1:3000))
  both <- c(kernels[2:3], gaussian_kernel(1:2))
  expect_identical(unclass(both)$features, list(2L, 3L, NULL, NULL))
  expect_identical(names(unique(c(kernels[2], kernels[2:3]))), c("linear[2]", "linear[3]"))
})

test_that("fits survive saving, hold no pointers, and are small", {
  d <- judge_clouds(200, 20)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(5, 50)), control = quiet(), scale = FALSE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  new <- judge_clouds(20, 20, seed = 9)$x
  expect_identical(predict(again, new, "decision"), predict(fit, new, "decision"))
  expect_false("externalptr" %in% rapply(unclass(fit), typeof, how = "unlist"))
  expect_identical(nrow(fit$data$views$x), length(fit$support))

  sparse <- mkl(d$x, d$y, per_feature(linear_kernel()), p = 1, control = quiet(), scale = FALSE)
  expect_null(sparse$data$views)
  expect_length(sparse$data$linear$weights$x, sum(sparse$theta > 0))
  expect_equal(predict(sparse, d$x, "decision"), sparse$decision, tolerance = 1e-8)

  K <- judge_linear(d$x)
  given <- mkl(NULL, d$y, precomputed_kernel(K), control = quiet(), scale = FALSE)
  expect_lt(object.size(given), object.size(K) / 2)
})

test_that("update() fits again", {
  d <- judge_clouds(30)
  frame <- data.frame(d$x, y = d$y)
  fit <- mkl(y ~ ., frame, kernels = linear_kernel(), control = quiet(), scale = FALSE)
  expect_identical(update(fit, C = 5)$C, 5)
  expect_identical(all.vars(formula(update(fit, . ~ . - v3))), c("y", "v1", "v2"))
  bare <- mkl(y ~ ., frame, linear_kernel(), 1, control = quiet(), scale = FALSE)
  expect_identical(update(bare, C = 5)$C, 5)
  expect_identical(update(bare, . ~ . - v3)$p, 1)
  greedy <- mkl_gomp(y ~ ., frame, linear_kernel(), 0.3, scale = FALSE)
  expect_identical(update(greedy, normalize = "trace")$lambda, 0.3)
  few <- mkl_sequential(y ~ ., frame, gaussian_kernel(1:3), 4, control = quiet(), scale = FALSE)
  expect_identical(update(few, normalize = "trace")$C, 4)
  local <- mllkm(y ~ ., frame, "linear", 0.5, control = quiet(), scale = FALSE)
  expect_identical(update(local, C = 2)$call$map, "linear")
  plain <- mkl(d$x, d$y, linear_kernel(), control = quiet(), scale = FALSE)
  expect_identical(update(plain, p = 1)$p, 1)
})

test_that("warm starts reach the same solution", {
  d <- judge_clouds(60)
  control <- quiet(tol = 1e-7)
  fit <- mkl(d$x, d$y, four_kernels(), p = 4 / 3, C = 1, control = control, scale = FALSE)
  for (change in list(list(C = 0.2), list(C = 5), list(p = 1), list(p = Inf),
                      list(class_weights = c(yes = 0.5)))) {
    cold <- do.call(mkl, c(list(d$x, d$y, four_kernels(), control = control),
                           modifyList(list(p = 4 / 3), change)))
    warm <- do.call(mkl, c(list(d$x, d$y, four_kernels(), control = quiet(tol = 1e-7, start = fit)),
                           modifyList(list(p = 4 / 3), change)))
    expect_equal(warm$objective, cold$objective, tolerance = 1e-6)
    expect_null(warm$control$start)
  }
})

test_that("a fit that stops early says so", {
  d <- judge_clouds(60)
  expect_warning(
    fit <- mkl(d$x, d$y, four_kernels(), C = 100, control = quiet(tol = 1e-9, max_iter = 1),
               scale = FALSE),
    "limit `max_iter` was reached", class = "manykernels_warning_not_converged"
  )
  expect_false(fit$converged)
  expect_identical(fit$status, "iteration_limit")
  expect_gt(fit$gap, 1e-9)
})

test_that("progress is reported in place", {
  d <- judge_clouds(30)
  lines <- capture.output(
    fit <- mkl(d$x, d$y, linear_kernel(), control = mkl_control(progress = TRUE), scale = FALSE),
    type = "message"
  )
  expect_match(lines, "relative gap", all = FALSE)
  t <- judge_triangle()
  lines <- capture.output(
    fit <- mkl(t$x, t$y, linear_kernel(), multiclass = "ovo", control = mkl_control(progress = TRUE)),
    type = "message"
  )
  expect_match(lines, sprintf("[%s] iteration ", names(fit$models)[2]), fixed = TRUE, all = FALSE)
  expect_match(lines, "\\] iteration [0-9]+  objective [0-9.e+-]+  relative gap [0-9.e-]+  [0-9.]+ s",
               all = FALSE)
})

test_that("fits with thousands of free variables are certified and agree however they are reached", {
  skip_unless_slow()
  set.seed(1)
  x <- matrix(rnorm(2200 * 3), 2200)
  y <- factor(xor(rowSums(x[, 1:2]^2) > 1.5, runif(2200) < 0.1))
  fit <- function(p, ...) {
    mkl(x, y, kernels = gaussian_kernel(2^(-5:4)), p = p, C = 100, normalize = "none",
        control = mkl_control(tol = 1e-5, progress = FALSE, ...), scale = FALSE)
  }
  for (p in c(1, 4 / 3)) {
    free <- fit(p) # theta's curvature comes from a sample of the variables
    tight <- fit(p, cache = "8 MB", precision = "double") # not all rows fit
    expect_gt(length(free$support), 1500)
    for (one in list(free, tight)) expect_lte(duality_gap(one, x, y)$gap, 1e-5)
    expect_equal(free$objective, tight$objective, tolerance = 2e-5)
    expect_equal(kernel_weights(free), kernel_weights(tight), tolerance = 0.02)
  }
})

test_that("blocks of features beside other kernels need no room for all rows", {
  set.seed(4)
  x <- matrix(rnorm(1100 * 6), 1100, dimnames = list(NULL, paste0("x", 1:6)))
  y <- factor(x[, 1] * x[, 2] + sin(2 * x[, 3]) + 0.5 * rnorm(1100) > 0)
  fit <- function(p, cache) {
    mkl(x, y, c(per_feature(linear_kernel()), gaussian_kernel(8)), p = p,
        control = mkl_control(cache = cache, max_time = 20, progress = FALSE), scale = FALSE)
  }
  for (p in c(1, 2)) {
    ample <- fit(p, NULL)
    for (cache in c("500KB", "800KB", "2MB")) {
      tight <- fit(p, cache)
      expect_identical(tight$status, "converged")
      expect_equal(tight$objective, ample$objective, tolerance = 2e-3)
      expect_lt(tight$solves, 2 * ample$solves) # where rows crowded each other out: up to 56, not 11
    }
  }
})

test_that("rows and systems share a budget", {
  skip_unless_slow()
  set.seed(8)
  x <- matrix(rnorm(2500 * 4), 2500)
  y <- x[, 1] * x[, 2] + sin(2 * x[, 3]) + 0.5 * rnorm(2500)
  for (cache in c(32, 48) * 2^20) {
    fit <- mkl(x, y, gaussian_kernel(2^(-1:5)), p = 1.2, C = 1, loss = "squared",
               control = mkl_control(cache = cache, progress = FALSE), scale = FALSE)
    expect_identical(fit$status, "converged")
    expect_lte(fit$memory, cache) # a system of all rows would take 13 MB, the rows 25 MB
  }
})

test_that("a response that is no column is told of, and a model of one class that is asked for is not", {
  k <- gaussian_kernel(1)
  expect_message(fit <- mkl(iris[1:4], iris$Specis, k, control = quiet()), "`y = iris\\$Specis` is NULL",
                 class = "manykernels_message_no_response")
  expect_identical(fit$loss, "one_class")
  expect_no_message(mkl(iris[1:4], NULL, k, control = quiet()))
  expect_no_message(mkl(iris[1:4], kernels = k, control = quiet()))
  expect_no_message(mkl(~ Petal.Width, iris, kernels = k, control = quiet()))
  fits <- list(function(...) mkl_path(..., kernels = k, C = c(0.1, 1), tol = 0.1),
               function(...) mkl_sequential(..., dictionary = k), mllkm,
               function(...) cv_mkl(..., kernels = k, C = 1, p = 1, folds = 2))
  for (fit in fits) {
    expect_message(fit(iris[1:4], iris$Specis, control = quiet()), class = "manykernels_message_no_response")
    expect_no_message(fit(~ Petal.Width, iris, control = quiet()))
  }
})
