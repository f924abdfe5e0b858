# DALEX reads the right predictions of every kind of fit, without a predict_function.

skip_if_not_installed("DALEX")

x <- iris[51:150, 1:4]
y <- droplevels(iris$Species[51:150])
is_second <- as.numeric(y == "virginica")
explain <- function(fit, data, y, ...) DALEX::explain(fit, data, y, ..., verbose = FALSE)

test_that("two classes: the probability of the second level", {
  set.seed(1)
  fits <- list(
    mkl(x, y, loss = "logistic"), mkl(as.matrix(x), y, control = mkl_control(probability = TRUE)),
    mkl(Species ~ ., data.frame(x, Species = y), loss = "logistic"),
    cv_mkl(x, y, linear_kernel(), p = 2, C = 1, folds = 2, loss = "logistic")
  )
  for (fit in fits) {
    explainer <- explain(fit, x, is_second)
    expect_identical(explainer$y_hat, unname(predict(fit, x, type = "prob")[, "virginica"]))
    expect_identical(explainer$model_info$type, "classification")
    expect_identical(explainer$model_info$package, "manykernels")
    expect_gt(DALEX::model_performance(explainer)$measures$auc, 0.9)
  }
  first <- explain(fits[[1]], x, 1 - is_second, predict_function_target_column = "versicolor")
  expect_equal(first$y_hat, 1 - unname(predict(fits[[1]], x, type = "prob")[, 2]))
  expect_equal(first$residuals, 1 - is_second - first$y_hat)
})

test_that("several classes: a column for each", {
  fit <- mkl(iris[1:4], iris$Species, loss = "logistic")
  explainer <- explain(fit, iris[1:4], iris$Species)
  expect_identical(explainer$y_hat, predict(fit, iris[1:4], type = "prob"))
  expect_identical(explainer$model_info$type, "multiclass")
  set.seed(1)
  parts <- DALEX::model_parts(explainer, B = 2)
  loss <- tapply(parts$dropout_loss, parts$variable, mean)
  expect_gt(loss[["Petal.Length"]], loss[["_full_model_"]])
  one <- explain(fit, iris[1:4], as.numeric(iris$Species == "setosa"), predict_function_target_column = "setosa")
  expect_identical(one$model_info$type, "classification")
  expect_equal(one$y_hat, unname(predict(fit, iris[1:4], type = "prob")[, "setosa"]))
})

test_that("numbers, several responses, labels and one class", {
  fit <- mkl(mpg ~ ., mtcars)
  explainer <- explain(fit, mtcars[-1], mtcars$mpg)
  expect_equal(unname(explainer$y_hat), unname(predict(fit, mtcars)))
  expect_identical(explainer$model_info$type, "regression")
  # the formula's own data are found
  expect_identical(DALEX::explain(fit, verbose = FALSE)$y_hat, explainer$y_hat)
  for (other in list(mkl_sequential(mtcars[-1], mtcars$mpg, kernel_dictionary(linear_kernel(), sets = as.list(1:10))),
                     mkl_gomp(mtcars[-1], mtcars$mpg), mllkm(as.matrix(mtcars[-1]), mtcars$mpg))) {
    expect_equal(unname(explain(other, mtcars[-1], mtcars$mpg)$y_hat), unname(predict(other, mtcars[-1])))
  }
  two <- mkl(mtcars[-(1:2)], as.matrix(mtcars[1:2]))
  expect_equal(unname(explain(two, mtcars[-(1:2)], mtcars$mpg, predict_function_target_column = "mpg")$y_hat),
               unname(predict(two, mtcars[-(1:2)])[, "mpg"]))
  labels <- cbind(a = mtcars$am == 1, b = mtcars$vs == 1)
  tagged <- mkl(mtcars[1:7], labels, loss = "logistic")
  expect_equal(unname(explain(tagged, mtcars[1:7], mtcars$vs, predict_function_target_column = "b")$y_hat),
               unname(predict(tagged, mtcars[1:7], type = "prob")[, "b"]))
  inside <- mkl(x, kernels = gaussian_kernel(2))
  expect_equal(unname(explain(inside, x, NULL)$y_hat), unname(predict(inside, x, type = "decision")))
})

test_that("several views are one table", {
  views <- list(petal = as.matrix(x[3:4]), sepal = x[1:2], one = x[1])
  fit <- mkl(views, y, loss = "logistic")
  expected <- unname(predict(fit, views, type = "prob")[, 2])
  table <- data.frame(views, check.names = FALSE)
  expect_identical(explain(fit, table, is_second)$y_hat, expected)
  names(table) <- sub("petal.", "", names(table), fixed = TRUE) # where no other view has them
  expect_identical(DALEX::yhat(fit, table[sample(ncol(table))]), expected)
  expect_identical(DALEX::yhat(fit, views), expected)
  expect_error(DALEX::yhat(fit, x), "data.frame(views, check.names = FALSE)", fixed = TRUE,
               class = "manykernels_missing_columns")
  set.seed(1)
  parts <- DALEX::model_parts(explain(fit, table, is_second), B = 2)
  expect_setequal(setdiff(parts$variable, c("_baseline_", "_full_model_")), names(table))

  unnamed <- lapply(views[1:2], function(view) unname(as.matrix(view)))
  fit <- mkl(unnamed, y, loss = "logistic")
  expect_identical(DALEX::yhat(fit, data.frame(unnamed)), unname(predict(fit, unnamed, type = "prob")[, 2]))

  sequences <- vapply(seq_along(y), function(k) paste(sample(c("A", "C", "G", "T"), 12, TRUE), collapse = ""), "")
  mixed <- list(dna = sequences, numbers = views$petal)
  fit <- mkl(mixed, y, loss = "logistic")
  expect_identical(DALEX::yhat(fit, data.frame(mixed, check.names = FALSE)),
                   unname(predict(fit, mixed, type = "prob")[, 2]))
  fit <- mkl(sequences, y, loss = "logistic")
  expect_identical(DALEX::yhat(fit, data.frame(dna = sequences)), unname(predict(fit, sequences, type = "prob")[, 2]))
})

test_that("models of files", {
  skip_if_not_installed("jsonlite")
  fit <- mkl(x, y, loss = "logistic")
  file <- write_model(fit, tempfile(fileext = ".json"))
  on.exit(unlink(file))
  expect_identical(explain(read_model(file), x, is_second)$y_hat, unname(predict(fit, x, type = "prob")[, 2]))
})

test_that("fits without probabilities and without columns say what to do", {
  fit <- mkl(x, y)
  expect_error(DALEX::yhat(fit, x), "DALEX::yhat(model, data, type = \"decision\")", fixed = TRUE,
               class = "manykernels_no_probability")
  decided <- explain(fit, x, is_second,
                     predict_function = function(model, data) DALEX::yhat(model, data, type = "decision"))
  expect_identical(decided$y_hat, predict(fit, x, type = "decision"))
  expect_error(DALEX::yhat(mkl_path(x, y, linear_kernel(), C = c(0.1, 1)), x), "that you have chosen",
               class = "manykernels_unsupported")
  K <- tcrossprod(scale(x))
  fit <- mkl(y = y, kernels = precomputed_kernel(K), loss = "logistic")
  expect_error(DALEX::yhat(fit, x), "predict_function", class = "manykernels_unsupported")
})
