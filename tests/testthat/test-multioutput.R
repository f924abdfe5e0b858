# Three labels and three numbers over the same rows.
skip_on_cran() # a slow file
responses <- function(n = 45, seed = 8) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n, dimnames = list(NULL, c("a", "b")))
  score <- cbind(up = x[, 1], far = rowSums(x^2) - 1.5, both = x[, 1] * x[, 2]) +
    0.3 * rnorm(3 * n)
  list(x = x, labels = 1 * (score > 0), numbers = sweep(score, 2, c(1, 10, 1000), `*`))
}

test_that("models of labels are those of each column", {
  skip_unless_slow()
  d <- responses()
  Ks <- matrices_of_two(d$x)
  for (intercept in c(TRUE, FALSE)) for (loss in c("hinge", "squared_hinge", "logistic", "squared")) {
    fit <- mkl(d$x, d$labels, kernels_of_two(), loss = loss, intercept = intercept, scale = FALSE,
               control = quiet(tol = 1e-6))
    for (name in colnames(d$labels)) {
      one <- mkl(d$x, factor(d$labels[, name]), kernels_of_two(), loss = loss,
                 intercept = intercept, scale = FALSE, control = quiet(tol = 1e-6))
      expect_fit_certified(fit$models[[name]], Ks, info = paste(loss, name))
      expect_identical(fit$models[[name]]$alpha, one$alpha)
      expect_identical(fit$models[[name]]$levels, c("0", "1"))
      expect_identical(unname(predict(fit, d$x)[, name]),
                       as.integer(as.character(unname(predict(one, d$x)))))
    }
    expect_equal(duality_gap(fit, d$x, d$labels)$gap, fit$gap, tolerance = 1e-3)
  }
})

test_that("models of numbers are those of each column, in its units", {
  d <- responses()
  weights <- rep(c(1, 0, 2), 15)
  for (loss in list("squared", epsilon_loss(0.2), huber_loss(1), quantile_loss(0.3))) {
    fit <- mkl(d$x, d$numbers, kernels_of_two(), p = 4 / 3, loss = loss, weights = weights,
               control = quiet(tol = 1e-6))
    for (name in colnames(d$numbers)) {
      one <- mkl(d$x, d$numbers[, name], kernels_of_two(), p = 4 / 3, loss = loss,
                 weights = weights, control = quiet(tol = 1e-6))
      expect_identical(fit$models[[name]]$alpha, one$alpha)
      expect_equal(unname(predict(fit, d$x)[, name]), unname(predict(one, d$x)))
    }
    expect_equal(duality_gap(fit, d$x, d$numbers)$gap, fit$gap, tolerance = 1e-3)
    expect_equal(residuals(fit), d$numbers - fit$decision)
    expect_true(all(residuals(fit, "loss") >= 0))
  }
})

test_that("shared weights solve the joint problem", {
  d <- responses()
  Ks <- matrices_of_two(d$x)
  signs <- 2 * d$labels - 1
  for (p in c(1, 4 / 3, 2, Inf)) for (tol in c(1e-3, 1e-6)) {
    fit <- mkl(d$x, d$labels, kernels_of_two(), p = p, multiclass = "shared", scale = FALSE,
               control = quiet(tol = tol))
    alpha <- vapply(fit$models, function(model) unname(model$alpha), numeric(45))
    verdict <- judge_gap(Ks, unname(fit$theta), alpha, signs, 1, p)
    expect_true(verdict$theta_ok && verdict$box_ok && verdict$sum_ok)
    expect_lte(verdict$gap, tol + 1e-9)
    expect_equal(duality_gap(fit, d$x, d$labels)$gap, fit$gap[[1]], tolerance = 1e-4,
                 ignore_attr = TRUE)
  }
  for (optimizer in c("interleaved", "wrapper", "newton", "cutting_plane", "level")) {
    fit <- mkl(d$x, d$numbers, kernels_of_two(), p = 1, multiclass = "shared",
               control = quiet(tol = 1e-5, optimizer = optimizer))
    expect_true(fit$converged, info = optimizer)
    expect_equal(duality_gap(fit, d$x, d$numbers)$gap, fit$gap[[1]], tolerance = 1e-3,
                 ignore_attr = TRUE)
  }
})

test_that("labels come in the type that was given, columns by name", {
  d <- responses()
  given <- list(d$labels == 1, d$labels, as.data.frame(d$labels), as.data.frame(d$labels == 1))
  for (y in given) {
    fit <- mkl(d$x, y, kernels_of_two(), control = quiet())
    expect_s3_class(fit, c("mkl_multioutput", "mkl_multiclass", "mkl_fit"), exact = TRUE)
    expect_identical(names(fit$models), c("up", "far", "both"))
    predicted <- predict(fit, d$x[1:5, ])
    expect_identical(dimnames(predicted), list(NULL, c("up", "far", "both")))
    expect_identical(is.logical(predicted), is.logical(as.matrix(y)))
    expect_identical(predicted == 1, `rownames<-`(predict(fit, d$x[1:5, ], "decision"), NULL) > 0)
    expect_identical(fitted(fit), predict(fit))
    expect_equal(duality_gap(fit, d$x, y)$gap, fit$gap, tolerance = 1e-3)
  }
  plain <- mkl(d$x, unname(d$labels), kernels_of_two(), control = quiet())
  expect_identical(colnames(predict(plain)), c("y1", "y2", "y3"))
  rownames(d$x) <- paste0("s", 1:45)
  shuffled <- sample(45)
  y <- d$labels
  rownames(y) <- rownames(d$x)
  expect_message(matched <- mkl(d$x, y[shuffled, ], kernels_of_two(), control = quiet()),
                 "order of the rows")
  expect_identical(unname(matched$decision), unname(plain$decision))
  expect_identical(rownames(predict(matched)), rownames(d$x))
  # numbers whatever they are where the loss is for numbers
  expect_identical(mkl(d$x, d$labels, kernels_of_two(), loss = "huber", control = quiet())$outputs,
                   "numbers")
  one <- mkl(d$x, d$labels[, "up", drop = FALSE], kernels_of_two(), control = quiet())
  expect_s3_class(one, c("mkl", "mkl_fit"), exact = TRUE)
})

test_that("weights of classes and cases, probabilities", {
  d <- responses(60)
  plain <- mkl(d$x, d$labels, kernels_of_two(), C = 0.1, control = quiet(tol = 1e-6))
  for (class_weights in list(c("1" = 4), "balanced")) {
    fit <- update(plain, class_weights = class_weights)
    one <- mkl(d$x, factor(d$labels[, 2]), kernels_of_two(), C = 0.1, class_weights = class_weights,
               control = quiet(tol = 1e-6))
    expect_identical(fit$models$far$cost, one$cost)
    expect_identical(fit$models$far$alpha, one$alpha)
  }
  expect_gt(mean(predict(update(plain, class_weights = c("1" = 4)))), mean(predict(plain)))
  for (loss in c("hinge", "logistic")) {
    set.seed(1)
    sure <- mkl(d$x, d$labels, kernels_of_two(), loss = loss,
                control = quiet(probability = loss == "hinge"))
    p <- predict(sure, d$x, "prob")
    expect_identical(dimnames(p), list(NULL, colnames(d$labels)))
    expect_true(all(p > 0 & p < 1))
    expect_gt(mean((p > 0.5) == d$labels), 0.8)
  }
  expect_error(predict(plain, d$x, "prob"), class = "manykernels_no_probability")
  rare <- suppressWarnings(mkl(d$x, cbind(d$labels, rare = rep(1:0, c(3, nrow(d$x) - 3))),
                               kernels_of_two(), control = quiet(probability = TRUE)))
  expect_false(anyNA(predict(rare, d$x, "prob")))
})

test_that("methods of several models serve several responses", {
  d <- responses()
  labels <- mkl(d$x, d$labels, kernels_of_two(), control = quiet())
  numbers <- mkl(d$x, d$numbers, kernels_of_two(), multiclass = "shared", control = quiet())
  expect_identical(dim(coef(labels)), c(2L, 3L))
  expect_length(coef(numbers), 2)
  expect_identical(unique(kernel_weights(labels)$model), c("up", "far", "both"))
  expect_identical(nrow(kernel_weights(numbers)), 2L)
  expect_identical(nobs(labels), 45L)
  expect_named(support(labels), c("model", "row", "name", "class", "alpha", "at_bound", "margin"))
  expect_named(support(numbers), c("model", "row", "name", "y", "alpha", "at_bound", "residual"))
  expect_equal(summary(labels)$outputs$error, unname(colMeans(predict(labels) != d$labels)))
  expect_equal(summary(numbers)$outputs$error,
               unname(sqrt(colMeans((predict(numbers) - d$numbers)^2))))
  expect_identical(update(labels, C = 3)$C, 3)
  warm <- mkl(d$x, d$labels, kernels_of_two(), C = 2, control = quiet(start = labels))
  expect_true(warm$converged)
  file <- tempfile(fileext = ".rds")
  saveRDS(labels, file)
  expect_identical(predict(readRDS(file), d$x), predict(labels, d$x))
  sequential <- mkl_sequential(d$x, d$labels, gaussian_kernel(2^(0:4)), control = quiet())
  expect_identical(dim(predict(sequential, d$x)), c(45L, 3L))
  expect_equal(duality_gap(sequential, d$x, d$labels)$gap, sequential$gap, tolerance = 1e-3)
  show <- function(fit) {
    lines <- gsub("[0-9]*\\.[0-9]+(e[-+]?[0-9]+)?|converged *[0-9]+ *", "<x>",
                  hide_digits(capture.output(print(fit))))
    cat(gsub(" +$", "", gsub(" +", " ", lines)), sep = "\n")
  }
  expect_snapshot({
    show(labels)
    show(summary(numbers))
  })
  pdf(NULL)
  on.exit(dev.off())
  quantiles <- mkl(d$x, d$numbers[, 1], kernels_of_two(), loss = quantile_loss(c(0.2, 0.8)),
                   control = quiet())
  many <- mkl(d$x, matrix(rnorm(45 * 12), 45), kernels_of_two(), scale = FALSE, control = quiet())
  for (fit in list(labels, numbers, quantiles, many)) {
    expect_no_warning(plot(fit))
    expect_no_warning(plot(fit, data = d$x))
  }
})

test_that("cross-validation averages its measures over the columns", {
  d <- responses(60)
  set.seed(2)
  cv <- cv_mkl(d$x, d$labels, kernels_of_two(), p = c(1, 2), C = c(0.1, 1), folds = 4,
               measure = c("accuracy", "auc"), multiclass = "shared", control = quiet())
  expect_identical(cv$measure, "accuracy")
  held <- cv$predictions
  right <- rowMeans(held$truth == held$response)
  expect_equal(cv$results$mean[cv$best_row], mean(tapply(right, held$fold, mean)))
  expect_identical(colnames(held$truth), colnames(d$labels))
  auc <- vapply(split(seq_len(60), held$fold), function(rows) {
    mean(vapply(1:3, function(k) {
      positive <- held$truth[rows, k] == 1
      pairs <- outer(held$decision[rows[positive], k], held$decision[rows[!positive], k], "-")
      mean((pairs > 0) + (pairs == 0) / 2)
    }, 0), na.rm = TRUE)
  }, 0)
  expect_equal(cv$results$auc[cv$best_row], mean(auc))
  expect_s3_class(cv$fit, "mkl_multioutput")
  own <- cv_mkl(d$x, d$labels, kernels_of_two(), p = cv$best$p, C = cv$best$C, folds = cv$resamples,
                multiclass = "shared", control = quiet(),
                measure = function(truth, response) mean(truth == response))
  expect_equal(own$results$mean, cv$results$mean[cv$best_row])
  sure <- cv_mkl(d$x, d$labels, kernels_of_two(), p = 2, C = c(0.1, 1), folds = 3,
                 measure = c("log_loss", "brier"), control = quiet(probability = TRUE))
  expect_true(all(sure$predictions$prob > 0 & sure$predictions$prob < 1))
  numbers <- cv_mkl(d$x, d$numbers, kernels_of_two(), p = 2, C = c(0.1, 1), folds = 3,
                    measure = c("r2", "rmse"), nested = 2, control = quiet())
  expect_identical(numbers$measure, "r2")
  held <- numbers$predictions
  rmse <- vapply(split(seq_len(60), held$fold), function(rows) {
    mean(sqrt(colMeans((held$truth - held$response)[rows, ]^2)))
  }, 0)
  expect_equal(numbers$results$rmse[numbers$best_row], mean(rmse))
  expect_output(print(numbers), "r2")
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(plot(cv))
})

test_that("folds have the rarest labels alike", {
  labels <- cbind(common = rep(1:0, c(30, 10)), rare = rep(c(1, 0), c(4, 36)))
  x <- matrix(sin(1:80), 40)
  resamples <- function(folds) {
    cv_mkl(x, labels, linear_kernel(), p = 2, C = 1, folds = folds, control = quiet())$resamples
  }
  set.seed(1)
  drawn <- resamples(4)
  expect_identical(vapply(drawn, function(one) sum(labels[one$test, 2]), 0), rep(1, 4))
  # of the rows without the rarest label the folds have the others alike
  expect_lte(diff(range(vapply(drawn, function(one) sum(labels[one$test, 1]), 0))), 1)
  expect_error(resamples(rep(1:2, c(10, 30))), class = "manykernels_too_few")
})

test_that("mkl_gomp() takes labels as it takes numbers", {
  d <- responses()
  kernels <- gaussian_kernel(2^(-1:3))
  labels <- mkl_gomp(d$x, d$labels, kernels, max_kernels = 3, control = quiet())
  signs <- mkl_gomp(d$x, 2 * d$labels - 1, kernels, max_kernels = 3, control = quiet())
  expect_identical(labels$path$kernel, signs$path$kernel)
  expect_equal(predict(labels, d$x, "decision"), predict(signs, d$x), ignore_attr = TRUE)
  expect_identical(unname(predict(labels, d$x)), unname(1L * (predict(signs, d$x) > 0)))
  expect_identical(colnames(predict(labels, d$x[1:3, ])), colnames(d$labels))
  expect_equal(labels$path$training_error[3], mean(predict(labels) != d$labels))
  expect_equal(duality_gap(labels, d$x, d$labels)$gap, labels$gap, tolerance = 1e-6)
  expect_equal(summary(labels)$error, mean(predict(labels) != d$labels))
  expect_output(print(labels), "3 labels")
  chosen <- mkl_gomp(d$x, d$labels == 1, kernels, lambda = c(0.01, 1), control = quiet(),
                     validation = list(x = d$x, y = d$labels == 1))
  expect_equal(min(chosen$tuning$error), mean(predict(chosen) != d$labels))
  expect_type(predict(chosen), "logical")
  set.seed(1)
  folded <- mkl_gomp(d$x, d$labels, kernels, lambda = c(0.01, 1), folds = 3, control = quiet())
  expect_true(all(folded$tuning$error < 0.5))
  set.seed(1)
  cv <- cv_mkl(d$x, d$labels, kernels, model = "mkl_gomp", lambda = c(0.01, 1), control = quiet())
  expect_true(all(is.finite(cv$results$accuracy)))
  expect_error(duality_gap(labels, d$x, 1 - d$labels), class = "manykernels_mismatch")
  expect_error(mkl_gomp(d$x, d$labels, kernels, lambda = c(0.01, 1), control = quiet(),
                        validation = list(x = d$x, y = d$numbers)),
               class = "manykernels_invalid_argument")
})

test_that("bad tables of responses are refused", {
  d <- responses()
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(d$x, cbind(d$labels, always = 1))
    mkl(d$x, cbind(d$labels == 1, never = FALSE))
    mkl(d$x, cbind(d$numbers, always = 3))
    mkl(d$x, cbind(d$labels, unsure = replace(d$labels[, 1], 4, NA)))
    mkl(d$x, cbind(d$numbers, endless = Inf))
    mkl(d$x, cbind(a = 1:45, a = 45:1))
    mkl(d$x, data.frame(a = letters[1:3], b = 1:45))
    mkl(d$x, data.frame(a = factor(d$labels[, 1]), b = factor(d$labels[, 2])))
    mkl(d$x, matrix("a", 45, 2))
    mkl(d$x, d$labels[-1, ])
    mkl(d$x, d$labels, multiclass = "ovo")
    mkl(d$x, d$labels, class_weights = c(up = 2))
    mkl(d$x, d$numbers, class_weights = "balanced")
    mkl(d$x, d$numbers, loss = "hinge")
    mkl(d$x, d$labels == 1, loss = "huber")
    mkl(d$x, d$labels, weights = d$labels[, 1])
    mkl(d$x, d$numbers, control = mkl_control(probability = TRUE))
    mkl_path(d$x, d$labels)
    mllkm(d$x, d$labels)
    cv_mkl(d$x, d$labels, model = "mllkm")
    cv_mkl(d$x, d$labels, kernels_of_two(), measure = "rmse")
    risk_bound(mkl(d$x, d$labels, kernels_of_two(), control = quiet()), d$x)
    mkl(d$x, d$labels, kernels_of_two(),
        control = quiet(start = mkl(d$x, d$numbers, kernels_of_two(), control = quiet())))
  })
})

test_that("genes of yeast have their functions", {
  skip_unless_slow()
  yeast <- shared_yeast_labels(400)
  own <- mkl(yeast$x, yeast$labels, control = quiet())
  shared <- mkl(yeast$x, yeast$labels, multiclass = "shared", control = quiet())
  expect_true(own$converged && shared$converged)
  expect_lt(max(duality_gap(own, yeast$x, yeast$labels)$gap), 1e-3)
  expect_lt(duality_gap(shared, yeast$x, yeast$labels)$gap, 1e-3)
  expect_gt(mean(predict(own) == yeast$labels), 0.8)
})

test_that("tables of fits and of cross-validations", {
  skip_if_not_installed("generics")
  d <- responses()
  labels <- mkl(d$x, d$labels, kernels_of_two(), loss = "logistic", control = quiet())
  names <- colnames(d$labels)
  expect_named(generics::augment(labels),
               c(outer(names, c("y", ".pred_class", ".pred", ".decision"),
                       function(name, what) paste0(what, "_", name))))
  numbers <- mkl(d$x, d$numbers, kernels_of_two(), control = quiet())
  expect_equal(generics::augment(numbers)$.resid_far, unname(residuals(numbers)[, "far"]))
  quantiles <- mkl(d$x, d$numbers[, 1], kernels_of_two(), loss = quantile_loss(c(0.2, 0.8)),
                   control = quiet())
  expect_named(generics::augment(quantiles, newdata = d$x[1:3, ]),
               c("a", "b", ".fitted_0.2", ".fitted_0.8"))
  for (fit in list(labels, numbers, quantiles)) {
    expect_equal(generics::glance(fit)$training_error, summary(fit)$error)
    expect_identical(nrow(generics::tidy(fit)), 2L * length(fit$models))
  }
  set.seed(1)
  cv <- cv_mkl(d$x, d$labels, kernels_of_two(), p = 2, C = 1, folds = 3, control = quiet())
  expect_true(all(c(".pred_class_up", ".decision_up") %in% names(generics::augment(cv))))
  skip_if_not_installed("ggplot2")
  for (fit in list(labels, numbers, quantiles)) {
    expect_s3_class(ggplot2::autoplot(fit, "margins"), "ggplot")
  }
  expect_error(plot(labels, "boundary"), class = "manykernels_unsupported")
})
