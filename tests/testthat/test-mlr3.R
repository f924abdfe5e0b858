skip_if_not_installed("mlr3")
skip_if_not_installed("paradox")

test_that("the classification learner fits what mkl() fits", {
  task <- mlr3::as_task_classif(iris, target = "Species")
  learner <- mlr3::lrn("classif.mkl", C = 2, p = 4 / 3)
  learner$train(task)
  x <- as.data.frame(task$data(cols = task$feature_names))
  plain <- mkl(x, iris$Species, C = 2, p = 4 / 3)
  expect_equal(coef(learner$model), coef(plain))
  expect_identical(learner$model$call, call("mkl", x = quote(x), y = quote(y), p = 4 / 3, C = 2,
                                              weights = quote(weights), control = quote(control),
                                              type = "classification"))
  expect_identical(learner$predict(task)$response, unname(predict(plain, iris)))
  learner$predict_type <- "prob"
  set.seed(1)
  prob <- learner$train(task)$predict(task)$prob
  expect_equal(dim(prob), c(150L, 3L))
  expect_equal(rowSums(prob), rep(1, 150), tolerance = 1e-12)
})

test_that("the regression learner and case weights work", {
  cars <- transform(mtcars, gear = factor(gear), w = rep(c(1, 3), 16))
  task <- mlr3::as_task_regr(cars, target = "mpg")
  task$set_col_roles("w", if ("weights_learner" %in% names(task$col_roles)) "weights_learner" else "weight")
  learner <- LearnerRegrMKL$new()
  learner$param_set$values <- list(p = Inf, kernels = gaussian_kernel(c(5, 50)))
  learner$train(task)
  plain <- mkl(as.data.frame(task$data(cols = task$feature_names)), cars$mpg,
               gaussian_kernel(c(5, 50)), p = Inf, weights = cars$w)
  expect_equal(learner$predict(task)$response, unname(predict(plain, cars)))
})

test_that("learners are resampled, tuned over their parameters and cloned", {
  task <- mlr3::as_task_classif(iris, target = "Species")
  learner <- LearnerClassifMKL$new()
  expect_true(all(c("C", "p") %in% learner$param_set$ids()))
  without <- LearnerRegrMKL$new()
  without$param_set$values <- list(intercept = FALSE)
  expect_identical(without$train(mlr3::tsk("mtcars"))$model$offset, 0)
  expect_error(learner$param_set$values <- list(p = 0.5), "p: Element 1 is not >= 1")
  set.seed(1)
  result <- mlr3::resample(task, learner$clone(deep = TRUE), mlr3::rsmp("cv", folds = 2))
  expect_lt(result$aggregate(), 0.1)
  expect_output(print(LearnerClassifMKL), "learner of mlr3")
})

test_that("learners by name are those of lrn()", {
  tasks <- list(classif = mlr3::as_task_classif(iris, target = "Species"),
                regr = mlr3::as_task_regr(mtcars, target = "mpg"))
  learners <- list(classif = LearnerClassifMKL, regr = LearnerRegrMKL)
  for (type in names(tasks)) {
    named <- learners[[type]]$new()
    listed <- mlr3::lrn(paste0(type, ".mkl"))
    expect_identical(class(named)[-1L], class(listed)[-1L])
    expect_identical(named$param_set$ids(), listed$param_set$ids())
    expect_identical(named$predict_types, listed$predict_types)
    for (learner in list(named, listed)) {
      learner$param_set$values <- list(C = 0.5, p = 1, kernels = gaussian_kernel(c(2, 20)))
      learner$train(tasks[[type]])
    }
    expect_identical(named$predict(tasks[[type]])$response, listed$predict(tasks[[type]])$response)
    expect_identical(named$model$C, 0.5)
  }
})

test_that("a task without features says what to do, and following it leads to a fit", {
  task <- mlr3::as_task_classif(iris, target = "Species")
  task$select(character())
  learner <- mlr3::lrn("classif.mkl")
  expect_error(learner$train(task), "task$set_col_roles(\"z\", \"feature\")", fixed = TRUE,
               class = "manykernels_dimension")
  task$set_col_roles(c("Petal.Length", "Petal.Width"), "feature")
  learner$train(task)
  expect_lte(max(vapply(learner$model$models, `[[`, 0, "gap")), 1e-3)
})
