# The kind of problem is what was asked for, by `type` or by the loss; y decides only where neither says
# it, and then a message says how.

skip_on_cran() # a slow file
set.seed(3)
n <- 40L
x <- matrix(rnorm(n * 3), n)
z <- x[, 1] + rnorm(n) / 3
two <- ifelse(z > 0, 3, 1)
kernel <- linear_kernel()
new <- x[1:5, ]

functions <- list(
  mkl = function(...) mkl(x, kernels = kernel, ...),
  mkl_path = function(...) mkl_path(x, kernels = kernel, C = c(0.5, 2), tol = 0.1, ...),
  cv_mkl = function(...) cv_mkl(x, kernels = kernel, p = 2, C = 1, folds = 3, ...),
  cv_gomp = function(...) cv_mkl(x, kernels = kernel, model = "mkl_gomp", lambda = 1, folds = 3, ...),
  cv_mllkm = function(...) cv_mkl(x, model = "mllkm", C = 1, folds = 3, ...),
  mkl_gomp = function(...) mkl_gomp(x, kernels = kernel, ...),
  mllkm = function(...) mllkm(x, ...),
  mkl_sequential = function(...) mkl_sequential(x, dictionary = kernel, ...)
)
predicted <- function(fit) {
  do.call(predict, c(list(fit, new), if (inherits(fit, "mkl_path")) list(C = 1)))
}

test_that("a regression is one whatever the values of y, in every function", {
  for (name in names(functions)) {
    fit <- expect_silent(functions[[name]](y = two, type = "regression"))
    expect_type(predicted(fit), "double")
    expect_gt(length(unique(predicted(fit))), 2)
    constant <- expect_silent(functions[[name]](y = rep(7, n), type = "regression"))
    expect_equal(unname(predicted(constant)), rep(7, 5), label = name)
  }
  # least squares of the values, by hand: with a ridge of 1 / C in standard units
  fit <- mkl(x, two, kernel, loss = "squared", type = "regression", normalize = "none",
             control = mkl_control(tol = 1e-10))
  s <- scale(x)
  t <- as.vector(scale(two))
  w <- solve(crossprod(s) + diag(3), crossprod(s, t))
  expect_equal(unname(fitted(fit)), as.vector(s %*% w) * sd(two) + mean(two), tolerance = 1e-5)
  expect_lt(duality_gap(fit, x, two)$gap, 1e-8)
})

test_that("a classification is one whatever the values of y, in every function", {
  three <- findInterval(z, c(-0.4, 0.4)) * 5
  for (name in names(functions)) {
    fit <- suppressWarnings(expect_message(functions[[name]](y = three, type = "classification"), NA))
    expect_identical(levels(predicted(fit)), c("0", "5", "10"), label = name)
  }
  expect_error(mkl(x, z, kernel, type = "classification"), class = "manykernels_identifier")
})

test_that("y alone decides by its values, and a message says what it was taken for", {
  for (name in names(functions)) {
    expect_message(fit <- functions[[name]](y = two), "numbers 1 and 3.*`type = \"regression\"`",
                   class = "manykernels_message_classification")
    expect_identical(levels(predicted(fit)), c("1", "3"), label = name)
  }
  expect_message(mkl(x, two, kernel, loss = "squared"), class = "manykernels_message_classification")
  for (loss in c("hinge", "logistic")) {
    expect_silent(mkl(x, two, kernel, loss = loss))
    expect_silent(mkl_gomp(x, two, kernel, loss = loss))
    expect_silent(mkl_gomp(x, cbind(u = two > 2, v = x[, 2] > 0) + 0, kernel, loss = loss))
  }
  expect_silent(mkl(x, factor(two), kernel))
  fit <- expect_silent(mkl(x, two, kernel, loss = "huber"))
  expect_type(fitted(fit), "double")
  expect_error(mkl(x, rep(7, n), kernel), "`type = \"regression\"`", class = "manykernels_one_class")
})

test_that("a matrix of 0 and 1 is labels, or numbers where that is asked for", {
  y <- cbind(u = +(z > 0), v = +(x[, 2] > 0))
  expect_message(labels <- mkl(x, y, kernel), class = "manykernels_message_classification")
  expect_identical(labels$outputs, "labels")
  numbers <- expect_silent(mkl(x, y, kernel, type = "regression"))
  expect_identical(numbers$outputs, "numbers")
  expect_equal(numbers$models$u$decision, mkl(x, y[, "u"], kernel, type = "regression")$decision)
  expect_equal(fitted(mkl_gomp(x, y, kernel, type = "regression")),
               fitted(mkl_gomp(x, y + 0.5, kernel)) - 0.5)
  constant <- mkl(x, cbind(z, 2), kernel, type = "regression")
  expect_equal(unname(predict(constant, new)[, 2]), rep(2, 5))
  expect_error(mkl(x, cbind(z, x[, 2]), kernel, type = "classification"), "factor",
               class = "manykernels_invalid_argument")
})

test_that("what contradicts the type is refused, with a way on that works", {
  refused <- function(..., text) {
    expect_error(mkl(x, ..., kernels = kernel), text, class = "manykernels_invalid_argument")
  }
  refused(two, type = "regression", loss = "hinge", text = "which is for `type = \"classification\"`")
  refused(two, type = "classification", loss = "huber", text = "which is for `type = \"regression\"`")
  refused(factor(two), type = "regression", text = "`as.numeric\\(as.character\\(y\\)\\)`")
  refused(factor(letters[two]), type = "regression", text = "`as.integer\\(y\\)`")
  refused(two > 2, type = "regression", text = "`as.numeric\\(y\\)`")
  refused(type = "regression", text = "`y` must be given")
  refused(z, type = "one_class", text = "must be left out")
  refused(z, type = "censored", text = "Surv")
  refused(z, type = "eps-regression", text = "give `type = \"regression\"`")
  refused(z, type = 1, text = "one of \"auto\"")
})

test_that("drop_view() asks for the kind of its cross-validation", {
  views <- list(a = x[, 1, drop = FALSE], b = x[, 2:3])
  cv <- cv_mkl(views, two, kernel, p = 2, C = 1, folds = 2, loss = "squared", type = "regression")
  expect_identical(attr(expect_silent(drop_view(cv, views, two, kernel)), "measure"), "rmse")
})

test_that("a kernel alignment takes two numbers as such where that is asked for", {
  alike <- function(...) attr(kernel_alignment(kernel, x, ...), "response")[["linear"]]
  cosine <- function(t) sum(tcrossprod(x) * tcrossprod(t)) / sqrt(sum(tcrossprod(x)^2)) / sum(t^2)
  expect_equal(alike(two, type = "regression"), cosine(two))
  expect_message(value <- alike(two), class = "manykernels_message_classification")
  expect_equal(value, cosine(two - 2))
})

test_that("parsnip, mlr3 and caret fit the kind that they were asked for", {
  skip_unless_slow()
  frame <- data.frame(x)
  if (requireNamespace("parsnip", quietly = TRUE)) {
    for (y in list(two, rep(7, n))) {
      fit <- parsnip::fit_xy(svm_mkl("regression"), frame, y)
      expect_equal(predict(fit, frame)$.pred, unname(predict(mkl(frame, y, type = "regression"), frame)))
    }
  }
  if (requireNamespace("mlr3", quietly = TRUE)) {
    for (y in list(two, rep(7, n))) {
      learner <- LearnerRegrMKL$new()
      task <- mlr3::as_task_regr(cbind(frame, y = y), target = "y")
      expect_equal(learner$train(task)$predict(task)$response,
                   unname(predict(mkl(frame, y, type = "regression"), frame)))
    }
  }
  if (requireNamespace("caret", quietly = TRUE)) {
    tuned <- suppressWarnings(caret::train(
      frame, two, method = caret_mkl(), tuneGrid = data.frame(C = 1, p = 2),
      trControl = caret::trainControl("cv", number = 2)
    ))
    expect_equal(unname(predict(tuned, frame)),
                 unname(predict(mkl(frame, two, C = 1, type = "regression"), frame)))
  }
})

test_that("starts, ends and status of spells are not three responses", {
  table <- cbind(start = exp(z), stop = exp(z) + 1, status = rep(0:1, n / 2))
  for (name in names(functions)) {
    for (y in list(table, data.frame(table[, 3:1]))) {
      expect_error(functions[[name]](y = y), "`survival::Surv\\(stop - start, status\\)`.*`type = \"regression\"`",
                   class = "manykernels_times_table", label = name)
    }
  }
  expect_error(mkl(cbind(start, stop, status) ~ ., data.frame(x, table)), class = "manykernels_times_table")
  pressure <- cbind(low = exp(z), high = exp(z) + 1, smokes = rep(0:1, n / 2))
  expect_message(mkl(x, pressure, kernel), "may hold", class = "manykernels_message_times_table")
  expect_silent(mkl(x, pressure[, c(2, 1, 3)] - cbind(z, 0, 0), kernel))
  expect_silent(mkl(x, pressure, kernel, type = "regression"))
})

test_that("times with their status in a column of its own are not two responses", {
  time <- exp(z)
  status <- rep(0:1, n / 2)
  tables <- list(cbind(time, status), cbind(status = status + 1, time), data.frame(time, status == 1))
  for (table in tables) {
    for (name in names(functions)) {
      expect_error(functions[[name]](y = table), "survival::Surv\\(time, status.*`type = \"regression\"`",
                   class = "manykernels_times_table", label = name)
    }
  }
  expect_error(mkl(x, unname(tables[[1]]), kernel), "`survival::Surv\\(y\\[, 1\\], y\\[, 2\\]\\)`")
  expect_error(mkl(cbind(time, status) ~ ., data.frame(x, time, status)),
               class = "manykernels_times_table")
  competing <- rep(0:2, length.out = n)
  for (name in names(functions)) {
    expect_error(functions[[name]](y = cbind(status = competing, time)), "`survival::Surv\\(time, status == 2\\)`",
                 class = "manykernels_times_table", label = name)
  }
  for (fit in list(mkl, cv_mkl, mkl_gomp, mkl_path, mllkm)) {
    expect_error(fit(cbind(time, status == 1) ~ ., data.frame(x, time, status)),
                 "`survival::Surv\\(time, status == 1\\)`", class = "manykernels_times_table")
  }
  expect_message(mkl(x, cbind(time, competing), kernel), "may hold times.*Surv\\(time, competing == 2\\)",
                 class = "manykernels_message_times_table")
  expect_silent(mkl(x, cbind(time, rep(0:4, length.out = n)), kernel))
  expect_silent(mkl(x, cbind(time, status = competing), kernel, type = "regression"))
  expect_identical(colnames(predict(mkl(cbind(log(time), z) ~ ., data.frame(x, z, time)))), c("log(time)", "z"))
  expect_identical(mkl(x, tables[[1]], kernel, type = "regression")$outputs, "numbers")
  expect_identical(mkl(x, cbind(z, status), kernel)$outputs, "numbers") # some are negative
})

test_that("values with labels are the classes that they name, or numbers", {
  labelled <- function(values, ...) {
    structure(values, ..., class = c("haven_labelled", "vctrs_vctr", "double"))
  }
  y <- labelled(two, labels = c(low = 1, high = 3))
  for (name in names(functions)) {
    expect_message(fit <- functions[[name]](y = y), "label for each value",
                   class = "manykernels_message_classification")
    expect_identical(levels(predicted(fit)), c("low", "high"), label = name)
    numbers <- expect_silent(functions[[name]](y = y, type = "regression"))
    expect_equal(predicted(numbers), predicted(functions[[name]](y = two, type = "regression")),
                 label = name)
  }
  score <- labelled(z, label = "a score", labels = c(none = 0))
  expect_equal(fitted(mkl(x, score, kernel)), fitted(mkl(x, z, kernel)))
  expect_lt(duality_gap(mkl(x, score, kernel), x, score)$gap, 1e-3)
  partly <- mkl(x, labelled(two, labels = c(low = 1)), kernel, type = "classification")
  expect_identical(partly$levels, c("low", "3"))
  # weights with labels, and those of hardhat, are numbers
  weights <- rep(c(1, 3), length.out = length(z))
  plain <- mkl(x, z, kernel, weights = weights)
  for (own in list(labelled(weights, label = "of the survey"),
                   structure(weights, class = c("hardhat_importance_weights", "hardhat_case_weights", "vctrs_vctr")))) {
    expect_equal(fitted(mkl(x, z, kernel, weights = own)), fitted(plain))
    expect_equal(assess(plain, x, z, weights = own, draws = 5)$measures$estimate,
                 assess(plain, x, z, weights = weights, draws = 5)$measures$estimate)
    expect_s3_class(permutation_importance(plain, x, z, weights = own, repeats = 2), "permutation_importance")
  }
  expect_error(mkl(x, z, kernel, weights = labelled(replace(weights, 2, 99), na_values = 99)),
               class = "manykernels_invalid_argument")
  missing <- labelled(replace(z, 4, 99), labels = c(none = 99), na_values = 99)
  expect_error(mkl(x, missing, kernel), class = "manykernels_missing_values")
  skip_if_not_installed("hardhat")
  frame <- data.frame(x, z = z, w = hardhat::importance_weights(weights))
  expect_equal(fitted(mkl(z ~ . - w, frame, kernel, weights = w)), fitted(plain), ignore_attr = TRUE)
  for (call in expression(mkl(z ~ ., frame, kernel), mkl(z ~ ., frame, kernel, weights = w), mkl(frame["w"], z, kernel),
                          mkl(list(a = x, b = frame["w"]), z, kernel))) {
    expect_error(eval(call), "w` as `weights` and not among", class = "manykernels_predictor")
  }
})
