surv <- function(...) {
  skip_if_not_installed("survival")
  survival::Surv(...)
}

# Times that the first column shortens, 40 % of them censored.
followed <- function(n = 50, seed = 5) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n, dimnames = list(NULL, c("a", "b")))
  time <- rexp(n, exp(x[, 1]))
  list(x = x, time = time, status = rbinom(n, 1, 0.6))
}

test_that("three rows by hand", {
  # K = identity, no offset, times as they are, epsilon = 0, C = 1: an event's alpha is its time
  # clipped to [-1, 1], a right-censored one's the same within [0, 1], a left-censored one's in [-1, 0]
  y <- surv(c(0.4, 0.7, -0.3, 5), c(1, 0, 0, 0))
  fit <- mkl(y = y, kernels = precomputed_kernel(diag(4)), normalize = "none", scale = FALSE,
             loss = censored_loss(0, log = FALSE), intercept = FALSE, control = quiet(tol = 1e-10))
  expect_equal(unname(fit$alpha), c(0.4, 0.7, 0, 1))
  expect_equal(fit$primal, (0.4^2 + 0.7^2 + 1) / 2 + 4, tolerance = 1e-8)
  expect_equal(unname(residuals(fit, "loss")), c(0, 0, 0, 4), tolerance = 1e-8)
  expect_identical(support(fit)$status,
                   factor(c("event", "later", "later"), c("before", "event", "later")))
  left <- mkl(y = surv(c(0.4, -0.7, 0.3), c(1, 0, 0), type = "left"),
              kernels = precomputed_kernel(diag(3)), normalize = "none", scale = FALSE,
              loss = censored_loss(0, log = FALSE), intercept = FALSE, control = quiet(tol = 1e-10))
  expect_equal(unname(left$alpha), c(0.4, -0.7, 0))
  # a tube of 0.1 takes 0.1 from each
  tube <- update(fit, loss = censored_loss(0.1, log = FALSE))
  expect_equal(unname(tube$alpha), c(0.3, 0.6, 0, 1))
})

test_that("without censored rows it is the epsilon-insensitive regression of log times", {
  d <- followed()
  times <- mkl(d$x, surv(d$time, rep(1, 50)), kernels_of_two(), control = quiet(tol = 1e-8))
  numbers <- mkl(d$x, log(d$time), kernels_of_two(), control = quiet(tol = 1e-8))
  expect_equal(times$objective, numbers$objective, tolerance = 1e-7)
  expect_equal(times$scaling$response, numbers$scaling$response)
  expect_equal(predict(times, d$x), exp(predict(numbers, d$x)), tolerance = 1e-5)
  expect_equal(predict(times, d$x, "time"), predict(times, d$x))
  expect_equal(predict(times, d$x, "risk"), -predict(times, d$x, "decision"))
  plain <- mkl(d$x, surv(d$time, rep(1, 50)), kernels_of_two(), loss = censored_loss(log = FALSE),
               control = quiet(tol = 1e-8))
  expect_equal(predict(plain, d$x, "time"), predict(plain, d$x, "decision"))
  expect_equal(plain$objective, mkl(d$x, d$time, kernels_of_two(),
                                    control = quiet(tol = 1e-8))$objective, tolerance = 1e-7)
})

test_that("fits are certified by definition", {
  d <- followed()
  y <- surv(d$time, d$status)
  Ks <- matrices_of_two(d$x)
  weights <- rep(c(1, 2, 0, 0.5, 1), 10)
  for (epsilon in c(0, 0.1)) for (p in c(1, 4 / 3, 2, Inf)) for (tol in c(1e-3, 1e-6)) {
    for (intercept in c(TRUE, FALSE)) {
      log <- p != 1
      fit <- mkl(d$x, y, kernels_of_two(), p = p, loss = censored_loss(epsilon, log), scale = FALSE,
                 C = if (tol > 1e-4) 0.3 else 5, intercept = intercept, control = quiet(tol = tol),
                 weights = if (p == 2) weights)
      expect_fit_certified(fit, Ks, info = paste(epsilon, p, tol, intercept, log))
      expect_equal(duality_gap(fit, d$x, y)$gap, fit$gap, tolerance = 1e-6)
      # a censored row is no support vector where the prediction lies beyond it, but for the gap
      beyond <- fit$decision - (if (log) base::log(d$time) else d$time)
      beyond <- pmax(beyond, 0) * (d$status == 0)
      expect_lte(sum(fit$alpha * beyond), fit$gap * fit$primal + 1e-9)
      expect_true(all(fit$alpha[d$status == 0] >= 0))
    }
  }
  standard <- mkl(d$x, y, kernels_of_two(), normalize = c("centre", "multiplicative"),
                  control = quiet(tol = 1e-6), scale = c(x = FALSE))
  Ks <- matrices_of_two(d$x, c("centre", "multiplicative"))
  expect_fit_certified(standard, Ks)
})

test_that("every optimiser finds the same", {
  d <- followed()
  y <- surv(d$time, d$status)
  best <- mkl(d$x, y, kernels_of_two(), p = 1, C = 10, control = quiet(tol = 1e-8))$objective
  for (optimizer in c("interleaved", "wrapper", "newton", "cutting_plane", "level",
                      "reduced_gradient")) {
    fit <- mkl(d$x, y, kernels_of_two(), p = 1, C = 10,
               control = quiet(tol = 1e-5, optimizer = optimizer))
    expect_true(fit$converged, info = optimizer)
    expect_equal(fit$objective, best, tolerance = 2e-5, info = optimizer)
  }
})

test_that("large sets are solved by their working set", {
  set.seed(2)
  x <- matrix(rnorm(3600), 1200)
  time <- exp(x[, 1] + 0.3 * rnorm(1200))
  y <- surv(pmin(time, 1), as.numeric(time <= 1))
  for (p in c(1, 2)) {
    fit <- mkl(x, y, gaussian_kernel(c(1, 4, 16)), p = p, control = quiet(tol = 1e-5))
    expect_true(fit$converged)
    expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-4)
  }
})

test_that("Surv objects that can't be fitted are refused", {
  skip_if_not_installed("survival")
  d <- followed()
  x <- d$x
  y <- survival::Surv(d$time, d$status)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(x, survival::Surv(replace(d$time, 3, NA), d$status))
    mkl(x, survival::Surv(replace(d$time, 3, -2), d$status))
    mkl(x, survival::Surv(replace(d$time, 3, 0), d$status))
    mkl(x, suppressWarnings(survival::Surv(d$time, replace(d$status, 2, 7))))
    mkl(x, survival::Surv(replace(d$time, 3, Inf), d$status))
    mkl(x, survival::Surv(d$time, 0 * d$status))
    mkl(x, survival::Surv(d$time, d$time + 1, d$status))
    mkl(x, survival::Surv(d$time, d$time + 1, rep(3, 50), type = "interval"))
    mkl(x, survival::Surv(d$time, factor(d$status + 2 * (d$time > 1))))
    mkl(x, y[-1])
    mkl(x, y, weights = 1 - d$status)
    mkl(x, y, loss = "hinge")
    mkl(x, y, loss = "squared")
    mkl(x, y, class_weights = "balanced")
    mkl(x, y, control = mkl_control(probability = TRUE))
    mkl(x, d$time, loss = "censored")
    mkl(x, cbind(d$time, d$status), loss = "censored")
    mkl_gomp(x, y)
    cv_mkl(x, y, kernels_of_two(), measure = "rmse")
    censored_loss(-1)
    censored_loss(log = NA)
    predict(mkl(x, d$time, kernels_of_two(), control = quiet()), type = "risk")
    predict(mkl(x, y, kernels_of_two(), control = quiet()), type = "prob")
    residuals(mkl(x, y, kernels_of_two(), control = quiet()), "margin")
    duality_gap(mkl(x, y, kernels_of_two(), control = quiet()), x,
                survival::Surv(d$time, 1 - d$status))
  })
})

test_that("equal training rows are ties of the concordance", {
  x <- cbind(a = rep(1:3, 20), b = rep(0:1, 30))
  y <- survival::Surv(rep(c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3), 6) + (1:60) / 100, rep(c(1, 1, 0), 20))
  fit <- mkl(x, y, gaussian_kernel(c(1, 5)))
  decision <- predict(fit, x, type = "decision")
  found <- survival::concordance(y ~ decision)$concordance[[1]]
  expect_equal(1 - summary(fit)$error, found)
  expect_output(print(fit), paste("training concordance", format(found, digits = 4)), fixed = TRUE)
})

test_that("cross-validation chooses by concordance, folds have events alike", {
  d <- followed(60)
  d$status <- as.numeric(seq_len(60) %in% order(d$time)[1:20])
  y <- surv(d$time, d$status)
  set.seed(1)
  cv <- cv_mkl(d$x, y, kernels_of_two(), p = c(1, 2), C = c(0.1, 1), folds = 4, repeats = 2,
               control = quiet())
  expect_identical(cv$measure, "concordance")
  events <- vapply(cv$resamples, function(one) sum(d$status[one$test]), 0)
  expect_identical(unique(events), 5)
  held <- cv$predictions
  expect_identical(as.character(held$status), ifelse(d$status[held$row] == 1, "event", "later"))
  expect_equal(held$truth, d$time[held$row])
  expect_equal(held$response, exp(held$decision))
  by_fold <- vapply(split(held, paste(held$`repeat`, held$fold)), function(part) {
    survival::concordance(survival::Surv(truth, status == "event") ~ response, part)$concordance
  }, 0)
  expect_equal(cv$results$mean[cv$best_row], mean(by_fold))
  own <- cv_mkl(d$x, y, kernels_of_two(), p = 2, C = 1, folds = cv$resamples, control = quiet(),
                measure = function(truth, response) survival::concordance(truth ~ response)$concordance)
  expect_equal(own$results$mean, cv$results$mean[cv$results$p == 2 & cv$results$C == 1])
  nested <- cv_mkl(d$x, y, kernels_of_two(), p = 2, C = c(0.1, 1), folds = 3, nested = 2,
                   control = quiet())
  expect_true(is.finite(nested$nested$estimate$mean))
  expect_error(cv_mkl(d$x, y, kernels_of_two(), p = 2, C = 1, folds = 2 - d$status),
               class = "manykernels_too_few")
})

test_that("formulas, names, new data, updates and saved fits", {
  skip_if_not_installed("survival")
  lung <- survival::lung
  Surv <- survival::Surv
  fit <- mkl(Surv(time, status) ~ age + sex + ph.ecog, lung, kernels = kernels_of_two(),
             control = quiet())
  expect_identical(fit$variables, c("age", "sex", "ph.ecog"))
  expect_length(fit$alpha, sum(complete.cases(lung[c("time", "status", "age", "sex", "ph.ecog")])))
  whole <- mkl(Surv(time, status) ~ ., stats::na.omit(lung), kernels = kernels_of_two(),
               control = quiet())
  expect_false(any(c("time", "status") %in% whole$variables))
  new <- lung[1:5, c("age", "sex", "ph.ecog")]
  expect_equal(predict(fit, new), exp(predict(fit, new, "decision")))
  expect_equal(unname(predict(fit, lung)[1:5]), unname(predict(fit, new)))
  expect_equal(duality_gap(fit, lung)$gap, fit$gap, tolerance = 1e-4)
  expect_lt(summary(fit)$error, 0.4)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new, "risk"), predict(fit, new, "risk"))
  without <- update(fit, intercept = FALSE, loss = censored_loss(0.5))
  expect_identical(without$loss_parameter, list(epsilon = 0.5, log = TRUE))
  expect_identical(without$offset, 0)
  shuffled <- sample(20)
  x <- as.matrix(lung[1:20, c("age", "sex")])
  rownames(x) <- letters[1:20]
  y <- Surv(lung$time[1:20], lung$status[1:20])
  named <- Surv(stats::setNames(lung$time[1:20], letters[1:20])[shuffled], lung$status[shuffled])
  plain <- mkl(x, y, kernels_of_two(), control = quiet())
  if (!is.null(rownames(unclass(named)))) {
    expect_message(matched <- mkl(x, named, kernels_of_two(), control = quiet()), "order of the rows")
    expect_equal(matched$objective, plain$objective)
  }
  warm <- mkl(x, y, kernels_of_two(), C = 2, control = quiet(start = plain))
  expect_true(warm$converged)
  expect_error(mkl(x, lung$time[1:20], kernels_of_two(), control = quiet(start = plain)),
               class = "manykernels_invalid_argument")
})

test_that("dictionaries and anchors take times", {
  d <- followed()
  y <- surv(d$time, d$status)
  for (fit in list(mkl_sequential(d$x, y, gaussian_kernel(2^(0:5)), control = quiet()),
                   mllkm(d$x, y, control = quiet()))) {
    expect_true(fit$converged)
    expect_equal(duality_gap(fit, d$x, y)$gap, fit$gap, tolerance = 1e-3)
    expect_equal(unname(predict(fit, d$x, "time")), unname(exp(fit$decision)), tolerance = 1e-6)
  }
})

test_that("fits print, are summarised and drawn", {
  d <- followed()
  fit <- mkl(d$x, surv(d$time, d$status), gaussian_kernel(4), control = quiet(tol = 1e-10))
  expect_snapshot(cat(hide_digits(capture.output(print(fit))), sep = "\n"))
  y <- surv(d$time, d$status)
  expect_equal(1 - summary(fit)$error, survival::concordance(y ~ fit$decision)$concordance[[1]])
  expect_output(print(summary(fit)), "Training rows: concordance")
  expect_named(support(fit), c("row", "name", "y", "status", "alpha", "at_bound", "residual"))
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(plot(fit))
  expect_no_warning(plot(fit, data = d$x))
})

test_that("tables of fits and of cross-validations", {
  skip_if_not_installed("generics")
  d <- followed()
  y <- surv(d$time, d$status)
  fit <- mkl(d$x, y, kernels_of_two(), control = quiet())
  expect_named(generics::augment(fit), c("y", "status", ".pred_time", ".pred_linear_pred"))
  expect_equal(generics::augment(fit, newdata = d$x)$.pred_time, unname(predict(fit)))
  expect_equal(generics::glance(fit)$training_error, summary(fit)$error)
  set.seed(1)
  cv <- cv_mkl(d$x, y, kernels_of_two(), p = 2, C = 1, folds = 3, control = quiet())
  held <- generics::augment(cv)
  expect_equal(held$.pred_time, cv$predictions$response[order(cv$predictions$row)])
  expect_identical(held$status == "event", d$status == 1)
})

test_that("new rows with missing values are predicted as `na.action` says, for every type", {
  d <- followed(30)
  frame <- data.frame(d$x, y = NA)
  frame$y <- surv(d$time, d$status)
  new <- data.frame(a = c(0.5, NA, -1, 0), b = c(1, 0, NA, 2), row.names = letters[1:4])
  fits <- list(mkl(d$x, frame$y, gaussian_kernel(2), control = quiet()),
               mkl(y ~ a + b, frame, kernels = gaussian_kernel(2), control = quiet()))
  for (fit in fits) for (type in c("response", "time", "risk", "decision")) {
    all <- predict(fit, new, type)
    expect_identical(names(all)[is.na(all)], c("b", "c"))
    expect_identical(predict(fit, new, type, na.action = NULL), all)
    for (left in list(na.omit, na.exclude, "na.omit")) {
      expect_identical(predict(fit, new, type, na.action = left), all[c(1, 4)])
    }
    expect_identical(predict(fit, new[c(1, 4), ], type), all[c(1, 4)])
    expect_error(predict(fit, new, type, na.action = na.fail), class = "manykernels_missing_values")
    expect_length(predict(fit, new[2, ], type, na.action = na.omit), 0)
  }
})
