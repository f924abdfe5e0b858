# Kernels that do not vary over the training rows have weight 0: the fit is the one without them, and a
# message names them.

hush <- function(expr) suppressMessages(expr, "manykernels_message_constant_kernels")
noted <- function(expr, text = "do not vary") {
  expect_message(expr, text, fixed = TRUE, class = "manykernels_message_constant_kernels")
}

d <- judge_clouds(48)
n <- 48
flat <- cbind(zero = rep(0, n), tenth = rep(0.1, n))
wide <- cbind(d$x, flat)
several <- list(main = d$x, mutation = matrix(0, n, 2), sparse = Matrix::Matrix(3, n, 2, sparse = TRUE),
                text = rep("ACGTTGCA", n), other = sqrt(abs(d$x)))
varies <- c("main", "other")

# The same problem without constant kernels, whose positions among all are `kept`.
expect_as_without <- function(fit, without, kept, x) {
  expect_identical(unname(fit$theta)[-kept], numeric(length(fit$theta) - length(kept)))
  expect_identical(unname(fit$constants$scale)[-kept], numeric(length(fit$theta) - length(kept)))
  expect_equal(unname(fit$theta)[kept], unname(without$theta), tolerance = 1e-8)
  expect_equal(fit$decision, without$decision, tolerance = 1e-8)
  expect_equal(fit$objective, without$objective, tolerance = 1e-8)
  expect_lte(fit$gap, fit$control$tol)
  expect_equal(duality_gap(fit, x)$gap, fit$gap, tolerance = 1e-6)
  expect_equal(unname(predict(fit, x, type = "decision")), unname(fit$decision), tolerance = 1e-8)
}

test_that("columns that are constant get weight 0, by every kernel and normalisation", {
  for (k in list(linear_kernel(), gaussian_kernel(2), polynomial_kernel(3, offset = 1))) {
    for (normalize in list("multiplicative", c("centre", "trace"))) {
      for (scale in c(TRUE, FALSE)) {
        noted(fit <- mkl(wide, d$y, per_feature(k), normalize = normalize, scale = scale,
                         control = quiet()), "[tenth]`")
        without <- mkl(d$x, d$y, per_feature(k), normalize = normalize, scale = scale, control = quiet())
        expect_as_without(fit, without, 1:3, wide)
      }
    }
  }
  zero <- wide[, -5]
  for (normalize in c("none", "trace", "spherical")) {
    noted(fit <- mkl(zero, d$y, per_feature(linear_kernel()), normalize = normalize, scale = FALSE,
                     control = quiet()), "`linear[zero]`")
    without <- mkl(d$x, d$y, per_feature(linear_kernel()), normalize = normalize, scale = FALSE,
                   control = quiet())
    expect_as_without(fit, without, 1:3, zero)
  }
  sets <- list(good = 1:2, constant = 4:5)
  noted(mkl(wide, d$y, on_features(gaussian_kernel(c(1, 4)), sets), control = quiet()),
        "`gaussian(width=1)[constant]`, `gaussian(width=4)[constant]`")
})

test_that("whole views, of every form, get weight 0, with default kernels, too", {
  noted(fit <- mkl(several, d$y, control = quiet()),
        "all kernels of view `mutation`, all kernels of view `sparse`, all kernels of view `text`")
  kept <- which(as.data.frame(fit$kernels)$view %in% varies)
  without <- mkl(several[varies], d$y, control = quiet())
  expect_as_without(fit, without, kept, several)
  new <- lapply(several, function(view) if (is.matrix(view)) view[1:5, ] + 1 else view)
  new$sparse <- several$sparse[1:5, ]
  new$text <- rep("GGCCAATT", 5)
  expect_equal(predict(fit, new, type = "decision"), predict(without, new[varies], type = "decision"),
               tolerance = 1e-8)
  weights <- kernel_weights(fit, by = "view")
  expect_identical(weights$active, c(8L, 0L, 0L, 0L, 8L))
  expect_output(print(fit), "Weight 0, as they do not vary over the training rows: all kernels of view")
  expect_snapshot(default_kernels(several[c("main", "mutation")])[9:16])
})

test_that("matrices and functions that are constant get weight 0", {
  K <- judge_linear(d$x)
  noisy <- function(X, Z) matrix(2, nrow(X), nrow(Z))
  kernels <- c(precomputed_kernel(list(zero = 0 * K, two = 0 * K + 2, good = K)),
               function_kernel(noisy, "same"))
  for (normalize in list("multiplicative", c("centre", "spherical"))) {
    noted(fit <- mkl(d$x, d$y, kernels, normalize = normalize, control = quiet()),
          "`zero`, `two`, `same`")
    expect_identical(fit$theta, c(zero = 0, two = 0, good = 1, same = 0))
    gap <- duality_gap(fit, list(x = d$x, zero = 0 * K, two = 0 * K + 2, good = K))$gap
    expect_equal(gap, fit$gap, tolerance = 1e-6)
  }
})

test_that("certificates hold for every norm, over the kernels that vary", {
  skip_on_cran()
  kernels <- per_feature(gaussian_kernel(c(1, 4)))
  kept <- c(1:3, 6:8)
  E <- diag(10) + outer(sin(1:10), sin(1:10)) / 2
  inner <- solve(solve(E)[kept, kept])
  for (p in c(1, 4 / 3, 2, Inf)) {
    fit <- hush(mkl(wide, d$y, kernels, p = p, control = quiet()))
    Ks <- lapply(kernel_matrix(kernels, d$x, normalize = "multiplicative", scale = TRUE), unname)
    own <- fit
    own$theta <- fit$theta[kept]
    expect_certified(own, Ks)
    expect_equal(unname(fit$theta[-kept]), numeric(4))
  }
  norms <- list(list(quadratic_norm(E), quadratic_norm((inner + t(inner)) / 2)),
                list(block_norm(3), block_norm(3)), list(elastic_net_norm(0.5), elastic_net_norm(0.5)),
                list(lp_norm(2, weights = 1:10), lp_norm(2, weights = (1:10)[kept])))
  for (norm in norms) {
    fit <- hush(mkl(wide, d$y, kernels, norm = norm[[1]], control = quiet()))
    without <- mkl(d$x, d$y, per_feature(gaussian_kernel(c(1, 4))), norm = norm[[2]], control = quiet())
    expect_identical(unname(fit$theta[-kept]), numeric(4))
    expect_equal(fit$objective, without$objective, tolerance = 1e-4)
    expect_equal(duality_gap(fit, wide)$gap, fit$gap, tolerance = 1e-6)
    if (norm[[1]]$type == "quadratic") {
      expect_equal(sum(fit$theta * solve(E, unname(fit$theta))), 1, tolerance = 1e-6)
    }
  }
  for (optimizer in c("wrapper", "newton", "cutting_plane", "level", "reduced_gradient")) {
    fit <- hush(mkl(wide, d$y, kernels, p = 1, control = quiet(optimizer = optimizer, trace = TRUE)))
    expect_lte(fit$gap, 1e-3)
    expect_identical(dim(fit$history$theta)[2], 10L)
    expect_true(all(fit$history$theta[, -kept] == 0))
  }
})

test_that("classes, responses, warm starts, updates and files know of them", {
  t <- judge_triangle(45)
  x <- cbind(t$x, flat = 1)
  kernels <- per_feature(gaussian_kernel(1))
  kept <- seq_len(ncol(t$x))
  for (multiclass in c("ovr", "ovo", "shared", "joint")) {
    noted(fit <- mkl(x, t$y, kernels, multiclass = multiclass, control = quiet()))
    expect_true(all(as.matrix(fit$theta)[-kept, ] == 0))
    expect_equal(max(duality_gap(fit, x)$gap), max(fit$gap), tolerance = 1e-6)
    expect_output(print(fit), "Weight 0, as they do not vary")
  }
  fit <- hush(mkl(wide, d$y, kernels, control = quiet(probability = TRUE)))
  warm <- hush(mkl(wide, d$y, kernels, C = 2, control = quiet(start = fit)))
  expect_lte(warm$gap, 1e-3)
  expect_equal(unname(warm$theta[4:5]), c(0, 0))
  noted(again <- update(fit, C = 2))
  expect_equal(again$objective, warm$objective, tolerance = 1e-2)
  file <- tempfile(fileext = ".json")
  write_model(fit, file)
  read <- read_model(file)
  expect_equal(predict(read, wide, type = "decision"), predict(fit, wide, type = "decision"))
  expect_identical(sum(kernel_weights(read)$theta == 0), 2L)
  expect_silent(plot(fit, "alignment", data = wide, zeros = TRUE))
})

test_that("paths, matching pursuit and dictionaries leave them out", {
  skip_on_cran()
  kernels <- per_feature(gaussian_kernel(c(1, 4)))
  for (over in list(list(C = c(0.1, 1)), list(C = 1, p = c(1.2, 3)))) {
    noted(path <- do.call(mkl_path, c(list(wide, d$y, kernels, control = quiet()), over)))
    without <- do.call(mkl_path, c(list(d$x, d$y, kernels, control = quiet()), over))
    expect_true(path$certified)
    expect_identical(range(path$theta[, c(4, 5, 9, 10)]), c(0, 0))
    expect_equal(path$points$objective, without$points$objective, tolerance = 1e-6)
    expect_equal(path$intervals$gap, without$intervals$gap, tolerance = 1e-4)
  }
  front <- wide[, 5:1] # numbers of the kernels that vary are not those in the core
  kept <- c(3:5, 8:10)
  noted(pursuit <- mkl_gomp(front, d$y, kernels, max_kernels = 4, control = quiet()))
  without <- mkl_gomp(front[, 3:5], d$y, kernels, max_kernels = 4, control = quiet())
  expect_equal(pursuit$order, kept[without$order])
  expect_equal(pursuit$decision, without$decision)
  expect_equal(duality_gap(pursuit, front)$gap, pursuit$gap, tolerance = 1e-6)
  expect_equal(predict(pursuit, front, type = "decision"), pursuit$decision)
  hush(expect_no_error(mkl_gomp(front, d$y, kernels, lambda = c(0.1, 1), folds = 3, control = quiet())))
  recovery <- hush(gomp_recovery(kernels, front, good = c(3, 8)))$coherence
  without <- gomp_recovery(kernels, front[, 3:5], good = c(1, 4))$coherence
  expect_equal(unname(recovery), c(0, 0, without[1:2], 0, 0, without[3:4]), ignore_attr = TRUE)

  noted(stream <- mkl_sequential(front, d$y, kernels, control = quiet()), "[tenth]`")
  without <- mkl_sequential(front[, 3:5], d$y, kernels, control = quiet())
  expect_equal(stream$objective, without$objective, tolerance = 1e-3)
  expect_equal(duality_gap(stream, front)$gap, stream$gap, tolerance = 1e-6)
  # more constant kernels than a first fit takes, and none that varies among them
  many <- function(i) if (i <= 150) matrix(1, n, n) else gaussian_kernel(i / 50)
  noted(stream <- mkl_sequential(d$x, d$y, many, size = 152, control = quiet()), "and 145 more")
  expect_true(all(stream$selected > 150))
  expect_error(mkl_sequential(d$x, d$y, function(i) matrix(i, n, n), size = 9, control = quiet()),
               class = "manykernels_constant_kernel")
})

test_that("nothing is fitted where no kernel varies, and the views are named", {
  nothing <- several[c("mutation", "sparse")]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(nothing, d$y, control = quiet())
    mkl(nothing, d$y, gaussian_kernel(c(1, 4)), control = quiet())
    mkl(flat, d$y, linear_kernel(), control = quiet())
    mkl_gomp(flat, d$y, per_feature(linear_kernel()), control = quiet())
    mkl_sequential(nothing, d$y, gaussian_kernel(1:3), control = quiet())
  })
  # variation that double precision can't see is no constant: the data are to be mended
  shifted <- cbind(d$x, far = 1e9 + d$x[, 1])
  expect_error(mkl(shifted, d$y, per_feature(linear_kernel()), scale = FALSE, control = quiet()),
               "centre or rescale the data", class = "manykernels_constant_kernel")
})

# ---- cross-validation ----------------------------------------------------------------------------

folds <- rep(1:3, each = 16)
rare <- list(main = d$x, mutation = matrix(replace(numeric(n), c(2, 5), 1)))

test_that("a fold's training rows decide, and one message names views, kernels and folds", {
  kernels <- per_feature(gaussian_kernel(c(1, 4)))
  heard <- capture_messages(cv <- cv_mkl(rare, d$y, kernels, p = 2, C = 1, folds = folds,
                                         control = quiet(tol = 1e-8)))
  expect_identical(heard, paste0(
    "Kernels that do not vary over the training rows of a fold have weight 0 there: all kernels of ",
    "view `mutation` (fold 1).\n"
  ))
  expect_identical(cv$by_fold$status, rep("converged", 3))
  expect_identical(is.na(cv$by_fold$message), c(FALSE, TRUE, TRUE))
  for (k in 1:3) {
    train <- folds != k
    rows <- function(which) list(main = rare$main[which, ], mutation = rare$mutation[which, , drop = FALSE])
    fit <- hush(mkl(rows(train), d$y[train], kernels, control = quiet(tol = 1e-8)))
    expect_equal(cv$weights[[k]]$theta[, 1], unname(fit$theta), tolerance = 1e-3)
    held_out <- cv$predictions[cv$predictions$fold == k, ]
    expect_equal(held_out$decision, unname(predict(fit, rows(!train), type = "decision")),
                 tolerance = 1e-4)
  }
  expect_identical(cv$weights[[1]]$theta[7:8, 1], c(0, 0))
  expect_identical(kernel_stability(cv)$resamples, 3L)
})

test_that("default kernels, nested folds, repeats, probabilities, pursuit and files, too", {
  skip_unless_slow()
  skip_on_cran()
  run <- function(...) cv_mkl(rare, d$y, p = 2, C = c(0.1, 1), control = quiet(), ...)
  noted(cv <- run(folds = folds, nested = 2), "`mutation` (fold 1")
  expect_true(all(cv$by_fold$status == "converged"))
  set.seed(1)
  noted(cv <- run(folds = 2, repeats = 3), " of repeat ")
  both <- list(with = gaussian_kernel(2), without = on_view(gaussian_kernel(2), "mutation"))
  expect_warning(noted(cv <- run(folds = folds, kernels = both)), "2 failed, the first: Give data",
                 class = "manykernels_warning_cells")
  expect_identical(cv$by_fold$status == "error", cv$by_fold$fold == 1 & cv$by_fold$set == "without")
  expect_no_error(hush(cv_mkl(rare, d$y, p = 2, C = 1, folds = folds, control = quiet(probability = TRUE))))
  noted(cv <- cv_mkl(rare, d$y, model = "mkl_gomp", lambda = c(0.1, 1), folds = folds,
                     control = quiet()), "`mutation` (fold 1)")
  expect_true(all(cv$by_fold$status == "converged"))
  file <- tempfile(fileext = ".rds")
  for (time in 1:2) noted(run(folds = folds, resume = file), "`mutation` (fold 1)")
  # constant over all rows is said once, not of the last fit again
  flat <- list(main = d$x, mutation = rare$mutation * 0)
  expect_length(capture_messages(cv_mkl(flat, d$y, p = 2, C = 1, folds = 2, control = quiet())), 1)
})

test_that("other interfaces fit what is left", {
  skip_if_not_installed("mlr3")
  data <- data.frame(wide, y = d$y)
  learner <- mlr3::lrn("classif.mkl", kernels = per_feature(linear_kernel()))
  task <- mlr3::as_task_classif(data, target = "y")
  noted(learner$train(task), "[tenth]`")
  expect_identical(sum(learner$model$theta == 0), 2L)
})
