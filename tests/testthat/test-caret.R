skip_if_not_installed("caret")

test_that("train() tunes C and p, with class probabilities", {
  set.seed(1)
  tuned <- caret::train(
    Species ~ ., iris, method = caret_mkl(gaussian_kernel(c(1, 4))),
    tuneGrid = expand.grid(C = c(1, 4), p = c(1, Inf)),
    trControl = caret::trainControl("cv", number = 2, classProbs = TRUE)
  )
  expect_identical(nrow(tuned$results), 4L)
  expect_s3_class(tuned$finalModel, "mkl_multiclass")
  expect_lt(max(tuned$finalModel$gap), 1e-3)
  expect_identical(predict(tuned, iris[c(1, 51, 101), ]), unique(iris$Species))
  prob <- predict(tuned, iris[c(1, 51, 101), ], type = "prob")
  expect_named(prob, levels(iris$Species))
  expect_equal(unname(rowSums(prob)), rep(1, 3), tolerance = 1e-12)
})

test_that("regression with weights, the default grid, and further arguments work", {
  set.seed(1)
  tuned <- caret::train(mpg ~ ., mtcars, method = caret_mkl(), weights = rep(1:2, 16),
                        loss = epsilon_loss(0.1), tuneLength = 1,
                        trControl = caret::trainControl("cv", number = 2))
  plain <- mkl(as.matrix(mtcars[-1]), mtcars$mpg, C = tuned$bestTune$C, p = tuned$bestTune$p,
               weights = rep(1:2, 16), loss = epsilon_loss(0.1))
  expect_equal(unname(predict(tuned, mtcars)), unname(predict(plain, as.matrix(mtcars[-1]))))
  random <- caret_mkl()$grid(mtcars, mtcars$mpg, 5, "random")
  expect_true(all(random$C > 0 & random$p >= 1))
})

test_that("a level without training rows in a fold has probability 0", {
  set.seed(1)
  control <- caret::trainControl(
    index = list(lacks_one = 1:90, has_all = c(10:50, 60:140)), classProbs = TRUE,
    summaryFunction = caret::mnLogLoss, savePredictions = "all"
  )
  tuned <- suppressMessages(caret::train(
    iris[1:4], iris$Species, method = caret_mkl(gaussian_kernel(c(1, 4))), metric = "logLoss",
    tuneGrid = data.frame(C = 1, p = 2), trControl = control
  ))
  held_out <- tuned$pred[tuned$pred$Resample == "lacks_one", ]
  expect_identical(unique(held_out$virginica), 0)
  expect_equal(held_out$setosa + held_out$versicolor, rep(1, nrow(held_out)))
  expect_true(all(is.finite(tuned$resample$logLoss)))
})

test_that("a loss of several quantiles is refused", {
  train <- function(loss) {
    caret::train(mpg ~ wt, mtcars, caret_mkl(gaussian_kernel(1)), tuneGrid = data.frame(C = 1, p = 2), loss = loss,
                 trControl = caret::trainControl("none"))
  }
  expect_error(train(quantile_loss(c(0.1, 0.9))), "a loss of one quantile", class = "manykernels_unsupported")
  expect_identical(train(quantile_loss(0.5))$finalModel$loss, "quantile")
})

test_that("words of other packages are not completed to arguments", {
  train <- function(...) {
    caret::train(iris[1:4], iris$Species, caret_mkl(gaussian_kernel(1)), tuneGrid = data.frame(C = 1, p = 2),
                 trControl = caret::trainControl("none"), ...)
  }
  expect_error(train(cl = 2), "`cl` is not an argument here", class = "manykernels_error")
})
