# The decision value above which the second level is predicted.

quiet <- function(...) mkl_control(progress = FALSE, ...)

# 150 rows, of which a fifth is "yes".
d <- local({
  set.seed(7)
  y <- factor(rep(c("no", "yes"), c(120, 30)))
  x <- matrix(rnorm(450), 150, dimnames = list(NULL, c("a", "b", "c")))
  x[y == "yes", 1] <- x[y == "yes", 1] + 1.2
  list(x = x, y = y, frame = data.frame(x, y = y))
})
right <- function(response, y, level) mean(response[y == level] == level)

test_that("a number is the boundary of all predictions, and nothing else changes", {
  plain <- mkl(d$x, d$y, gaussian_kernel(4), control = quiet())
  fit <- mkl(d$x, d$y, gaussian_kernel(4), threshold = -0.6, control = quiet())
  expect_identical(fit$decision, plain$decision)
  for (f in c(predict, fitted)) expect_identical(unname(f(fit) == "yes"), unname(fit$decision > -0.6))
  expect_identical(unname(predict(fit, d$x, type = "class") == "yes"),
                   unname(predict(fit, d$x, type = "decision") > -0.6))
  expect_identical(sum(summary(fit)$confusion[, "yes"]), sum(fit$decision > -0.6))
  expect_identical(sum(assess(fit, d$x, d$y)$predictions$response == "yes"), sum(fit$decision > -0.6))
  expect_output(print(fit), "Decision values above -0.6 predict \"yes\"", fixed = TRUE)
  expect_identical(update(fit, C = 2)$threshold, -0.6)
  skip_if_not_installed("jsonlite")
  model <- read_model(write_model(fit, tempfile()))
  expect_identical(predict(model, d$x), predict(fit, d$x))
})

test_that("rules choose by held-out values, the best there is", {
  for (rule in c("youden", "balanced")) {
    set.seed(1)
    cv <- cv_mkl(d$x, d$y, gaussian_kernel(c(2, 8)), p = 2, C = c(1, 4), threshold = rule, control = quiet())
    held <- cv$predictions
    rates <- function(threshold) {
      yes <- held$decision > threshold
      c(mean(yes[held$truth == "yes"]), mean(!yes[held$truth == "no"]))
    }
    found <- rates(cv$fit$threshold)
    every <- vapply(unique(held$decision), rates, numeric(2))
    if (rule == "youden") expect_equal(sum(found), max(colSums(every))) else
      expect_equal(abs(diff(found)), min(abs(every[1, ] - every[2, ])), tolerance = 0.02)
    # each fold by the others: nearly the same, but not the very one
    expect_gt(mean((held$response == "yes") == (held$decision > cv$fit$threshold)), 0.8)
    expect_equal(cv$results$mean[cv$best_row],
                 mean(tapply(held$response == held$truth, held$fold, mean)))
    expect_gt(right(held$response, held$truth, "yes"), 0.4)
    set.seed(1)
    fit <- mkl(d$x, d$y, gaussian_kernel(8), threshold = rule, control = quiet())
    expect_lt(fit$threshold, 0)
    expect_null(fit$probability)
  }
})

test_that("all models of cv_mkl(), groups, nested folds and weights go with a threshold", {
  group <- rep(1:75, each = 2)
  set.seed(1)
  cv <- cv_mkl(d$x, d$y, gaussian_kernel(4), p = 2, C = 1, group = group, folds = 3, nested = 3,
               weights = rep(c(1, 2), 75), threshold = "youden", control = quiet(probability = TRUE))
  expect_lt(cv$fit$threshold, 0)
  expect_gt(right(cv$nested$predictions$response, cv$nested$predictions$truth, "yes"), 0.3)
  expect_identical(dim(cv$nested$predictions$prob), c(150L, 2L))
  gomp <- cv_mkl(d$x, d$y, gaussian_kernel(4), model = "mkl_gomp", lambda = 1, folds = 3,
                 threshold = "balanced", control = quiet())
  expect_identical(unname(predict(gomp, d$x) == "yes"), unname(c(predict(gomp, d$x, type = "decision")) > gomp$fit$threshold))
  set.seed(1)
  expect_lt(mkl(d$x, d$y, gaussian_kernel(4), group = group, threshold = "youden", control = quiet())$threshold, 0)
  for (fit in list(mllkm(d$x, d$y, threshold = "youden", control = quiet()),
                   mkl_sequential(d$x, d$y, gaussian_kernel(c(2, 8)), threshold = "youden", control = quiet()))) {
    expect_identical(unname(predict(fit, d$x) == "yes"), unname(predict(fit, d$x, type = "decision") > fit$threshold))
    expect_false(fit$threshold == 0)
  }
})

test_that("a pursuit takes a number, in all its predictions", {
  plain <- mkl_gomp(d$x, d$y, gaussian_kernel(c(4, 8)), lambda = 1, control = quiet())
  fit <- mkl_gomp(y ~ a + b + c, d$frame, gaussian_kernel(c(4, 8)), lambda = 1, threshold = -0.6, control = quiet())
  expect_equal(c(fit$decision), c(plain$decision))
  for (response in list(predict(fit), fitted(fit), predict(fit, d$frame))) {
    expect_identical(unname(response == "yes"), unname(c(fit$decision) > -0.6))
  }
  expect_identical(sum(assess(fit, d$frame, d$y)$predictions$response == "yes"), sum(fit$decision > -0.6))
  expect_output(print(fit), "-0.6", fixed = TRUE)
  expect_identical(update(fit, lambda = 2)$threshold, -0.6)
  expect_error(mkl_gomp(iris[1:4], iris$Species, threshold = 0), class = "manykernels_invalid_argument")
  expect_error(mkl_gomp(d$x, as.numeric(d$x[, 1]), threshold = 0), class = "manykernels_invalid_argument")
})

test_that("other interfaces keep the threshold", {
  skip_unless_slow()
  expected <- unname(fitted(mkl(d$frame[1:3], d$y, gaussian_kernel(4), threshold = -0.6, control = quiet())))
  if (requireNamespace("parsnip", quietly = TRUE)) {
    spec <- parsnip::set_engine(svm_mkl("classification"), "manykernels", kernels = gaussian_kernel(4),
                                threshold = -0.6, control = quiet())
    fit <- parsnip::fit(spec, y ~ ., d$frame)
    expect_identical(predict(fit, d$frame)$.pred_class, expected)
  }
  if (requireNamespace("mlr3", quietly = TRUE)) {
    for (type in c("response", "prob")) {
      learner <- LearnerClassifMKL$new()
      learner$predict_type <- type
      learner$param_set$values <- list(kernels = gaussian_kernel(4), threshold = -0.6, control = quiet())
      learner$train(mlr3::as_task_classif(d$frame, target = "y"))
      expect_identical(as.character(learner$predict_newdata(d$frame)$response), as.character(expected))
    }
  }
  if (requireNamespace("caret", quietly = TRUE)) {
    set.seed(1)
    tuned <- caret::train(y ~ ., d$frame, method = caret_mkl(gaussian_kernel(4)), threshold = -0.6,
                          tuneGrid = data.frame(C = 1, p = 2), trControl = caret::trainControl("none"))
    expect_identical(as.character(predict(tuned, d$frame)), as.character(expected))
  }
})

test_that("what isn't a threshold, or has no boundary to move, is refused", {
  for (odd in list("mean", NA_real_, c(0, 1), TRUE, Inf)) {
    expect_classed(mkl(d$x, d$y, threshold = odd), "invalid_argument", "threshold")
    expect_classed(cv_mkl(d$x, d$y, threshold = odd), "invalid_argument", "threshold")
  }
  expect_classed(mkl(iris[1:4], iris$Species, threshold = 0), "invalid_argument", "threshold")
  expect_classed(cv_mkl(iris[1:4], iris$Species, threshold = "youden"), "invalid_argument", "threshold")
  expect_classed(mkl(d$x, d$x[, 1], threshold = 0), "invalid_argument", "threshold")
  expect_classed(mkl(d$x, cbind(u = 1:150 %% 2, v = 1:150 > 80), threshold = 0), "invalid_argument", "threshold")
  rows <- c(1:20, 150)
  expect_warning(mkl(d$x[rows, ], d$y[rows], gaussian_kernel(4), threshold = "youden", control = quiet()),
                 class = "manykernels_warning_few_cases")
})

test_that("a wrong word is an error that allows for numbers, too", {
  expect_error(mkl(iris[51:100, 1:4], rep(1:2, 25), gaussian_kernel(1), threshold = "best"),
               "or a decision value, a finite number, not \"best\"", class = "manykernels_invalid_argument")
})
