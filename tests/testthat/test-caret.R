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
