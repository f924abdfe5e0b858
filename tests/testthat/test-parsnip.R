skip_if_not_installed("parsnip")
skip_if_not_installed("rlang")

spec <- function(mode = "classification", ...) svm_mkl(mode, cost = 2, norm_p = 4 / 3, ...)
direct <- function(x, y, ...) mkl(x, y, C = 2, p = 4 / 3, ...)

test_that("a specification fits what mkl() fits", {
  set.seed(1)
  fit <- parsnip::fit(spec(), Species ~ ., iris)
  set.seed(1)
  plain <- direct(iris[1:4], iris$Species, control = mkl_control(probability = TRUE))
  expect_s3_class(fit$fit, "mkl_multiclass")
  expect_lt(max(fit$fit$gap), 1e-3)
  expect_equal(coef(fit$fit), coef(plain))
  new <- iris[c(1, 51, 101), ]
  expect_identical(predict(fit, new)$.pred_class, unname(predict(plain, new)))
  prob <- predict(fit, new, type = "prob")
  expect_named(prob, paste0(".pred_", levels(iris$Species)))
  expect_equal(unname(as.matrix(prob)), unname(predict(plain, new, type = "prob")))
  expect_equal(predict(fit, new, type = "raw"), predict(plain, new, type = "decision"))
  expect_true(all(c(".pred_class", ".pred_setosa") %in% names(parsnip::augment(fit, new))))
})

test_that("regression, two classes, factors, matrices, and engine arguments work", {
  fit <- parsnip::fit(spec("regression"), mpg ~ ., mtcars)
  expect_equal(predict(fit, mtcars)$.pred, unname(predict(direct(mtcars[-1], mtcars$mpg), mtcars)))
  cars <- transform(mtcars, gear = factor(gear), am = factor(am))
  engine <- parsnip::set_engine(spec(), "manykernels", kernels = gaussian_kernel(c(1, 10)),
                                control = mkl_control())
  fit <- parsnip::fit(engine, am ~ gear + wt + hp, cars)
  expect_identical(names(coef(fit$fit)), names(gaussian_kernel(c(1, 10))))
  expect_s3_class(predict(fit, cars)$.pred_class, "factor")
  fit <- parsnip::fit_xy(spec("regression"), mtcars[-1], mtcars$mpg)
  expect_s3_class(fit$fit, "mkl")
})

test_that("case weights reach the fit", {
  skip_if_not_installed("hardhat")
  weights <- rep(c(1, 3), 16)
  fit <- parsnip::fit(spec("regression"), mpg ~ wt + hp, mtcars,
                      case_weights = hardhat::importance_weights(weights))
  plain <- direct(mtcars[c("wt", "hp")], mtcars$mpg, weights = weights)
  expect_equal(predict(fit, mtcars)$.pred, unname(predict(plain, mtcars)))
})

test_that("a specification is updated", {
  expect_identical(rlang::eval_tidy(update(spec(), cost = 8)$args$cost), 8)
  expect_output(print(spec()), "svm.mkl Model Specification")
})

test_that("cost and norm are tuned in a workflow with a recipe", {
  skip_if_not_installed("tune")
  skip_if_not_installed("workflows")
  skip_if_not_installed("recipes")
  skip_if_not_installed("rsample")
  skip_if_not_installed("dials")
  tuned <- svm_mkl("classification", cost = hardhat::tune(), norm_p = hardhat::tune())
  tuned <- parsnip::set_engine(tuned, "manykernels", control = mkl_control(), loss = "logistic")
  recipe <- recipes::step_pca(recipes::recipe(Species ~ ., iris), recipes::all_numeric_predictors(),
                              num_comp = 3)
  flow <- workflows::workflow(recipe, tuned)
  parameters <- hardhat::extract_parameter_set_dials(flow)
  expect_setequal(parameters$id, c("cost", "norm_p"))
  expect_true(all(dials::value_seq(norm_p(), 4) >= 1))
  set.seed(1)
  results <- tune::tune_grid(flow, rsample::vfold_cv(iris, 2),
                             grid = data.frame(cost = c(1, 4), norm_p = c(1, Inf)))
  best <- tune::select_best(results, metric = "accuracy")
  final <- parsnip::fit(tune::finalize_workflow(flow, best), iris)
  expect_gt(mean(predict(final, iris)$.pred_class == iris$Species), 0.9)
})

test_that("a level without training rows has probability 0", {
  fit <- suppressMessages(parsnip::fit(spec(), Species ~ ., iris[c(1:40, 101:140), ]))
  prob <- predict(fit, iris[c(1, 51, 101), ], type = "prob")
  expect_named(prob, paste0(".pred_", levels(iris$Species)))
  expect_identical(prob$.pred_versicolor, c(0, 0, 0))
  expect_equal(rowSums(prob), c(1, 1, 1))
  expect_identical(levels(predict(fit, iris[1:3, ])$.pred_class), levels(iris$Species))
  skip_if_not_installed("tune")
  folds <- rsample::manual_rset(list(
    rsample::make_splits(list(analysis = 1:90, assessment = 91:150), iris),
    rsample::make_splits(list(analysis = 40:150, assessment = 1:39), iris)
  ), c("lacks one", "has all"))
  flow <- workflows::workflow(Species ~ ., spec())
  results <- suppressMessages(tune::fit_resamples(flow, folds, metrics = yardstick::metric_set(
    yardstick::mn_log_loss, yardstick::accuracy
  )))
  expect_identical(nrow(tune::collect_notes(results)), 0L)
  expect_identical(tune::collect_metrics(results)$n, c(2L, 2L))
})

test_that("sparse predictors stay sparse", {
  skip_if_not_installed("sparsevctrs")
  dense <- as.matrix(iris[2:4])
  dense[dense < 1.5] <- 0
  sparse <- Matrix::Matrix(dense, sparse = TRUE)
  plain <- direct(sparse, iris$Sepal.Length)
  fit <- parsnip::fit_xy(spec("regression"), sparse, iris$Sepal.Length)
  expect_s4_class(fit$fit$data$views[[1]], "dgCMatrix")
  expect_equal(predict(fit, sparse)$.pred, unname(predict(plain, sparse)))
  expect_equal(predict(fit, as.data.frame(dense))$.pred, unname(predict(plain, dense)))
})

test_that("an offset() is no predictor", {
  cars <- transform(mtcars, size = log(disp))
  expect_error(parsnip::fit(spec("regression"), mpg ~ wt + offset(size), cars),
               "subtract it from the response", class = "manykernels_unsupported")
  fit <- parsnip::fit(spec("regression"), mpg - size ~ wt, cars)
  expect_s3_class(fit$fit, "mkl")
})

test_that("formulas keep what parsnip would drop or keep without a word", {
  linear <- parsnip::set_engine(spec("regression"), "manykernels", kernels = linear_kernel())
  columns <- function(formula) variable.names(parsnip::fit(linear, formula, mtcars)$fit)
  for (formula in c(mpg ~ wt * hp, mpg ~ (wt + hp)^2, mpg ~ wt:hp)) {
    expect_error(columns(formula), "step_interact", class = "manykernels_formula")
  }
  expect_identical(columns(mpg ~ I(wt * hp) + wt), c("I(wt * hp)", "wt"))
  expect_identical(columns(mpg ~ . - wt), setdiff(names(mtcars), c("mpg", "wt")))
  expect_error(columns(mpg ~ . - wt + offset(hp)), "offset", class = "manykernels_unsupported")
  expect_error(columns("mpg"), "must be a formula")
})

test_that("the mode alone decides what is fitted", {
  typed <- parsnip::set_engine(spec("regression"), "manykernels", type = "classification")
  expect_warning(fit <- parsnip::fit(typed, am ~ wt, mtcars), "`type`")
  expect_identical(fit$fit$loss, "epsilon_insensitive")
})

test_that("tables are refused for training and taken for predictions", {
  skip_if_not_installed("HDF5Array")
  x <- as.matrix(iris[1:4])
  stored <- HDF5Array::writeHDF5Array(x, tempfile(fileext = ".h5"), "x", with.dimnames = TRUE)
  expect_error(parsnip::fit_xy(spec("regression"), stored[, 2:4], iris$Sepal.Length), "HDF5Matrix|Delayed")
  fit <- parsnip::extract_fit_engine(parsnip::fit_xy(spec("regression"), x[, 2:4], iris$Sepal.Length))
  expect_equal(predict(fit, stored), predict(fit, x), ignore_attr = TRUE)
})
