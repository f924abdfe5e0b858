# The parent class of all fits, and fits that earlier versions saved without it.

test_that("whatever holds a fit is of class mkl_fit, its parent class", {
  fits <- fits_of_every_class()$fits
  for (name in names(fits)) expect_identical(utils::tail(class(fits[[!!name]]), 1L), "mkl_fit")
  expect_s3_class(fits$multiclass$models[[1L]], c("mkl", "mkl_fit"), exact = TRUE)
})

test_that("an object without its parent classes answers as one with them, and comes back with them", {
  skip_unless_slow()
  made <- fits_of_every_class()
  made$fits$model <- read_model(write_model(made$fits$mkl, tempfile(fileext = ".json")))
  uses <- uses_of_fits(made$x)
  uses <- uses[intersect(names(uses), c("print", "summary", "coef", "fitted", "residuals", "nobs", "new",
                                        "kernel_weights", "support", "weights", "tidy", "glance", "autoplot"))]
  outcome <- function(use, object) {
    printed <- utils::capture.output(value <- tryCatch(suppressMessages(use(object)), error = conditionMessage))
    if (inherits(value, "ggplot")) "a plot" else list(value, printed)
  }
  for (name in c("mkl", "multiclass", "gomp", "sequential", "mllkm_classes", "path", "cv", "model")) {
    fit <- made$fits[[name]]
    earlier <- fit
    class(earlier) <- setdiff(class(fit), c("mkl_fit", "mkl_holder", if (name == "mllkm_classes") "mllkm"))
    for (use in names(uses)) {
      expect_identical(outcome(uses[[use]], earlier), outcome(uses[[use]], fit), label = paste(use, name))
    }
  }
  summarised <- summary(structure(made$fits$gomp, class = c("mkl_gomp", "mkl")))
  expect_identical(summarised$fit, made$fits$gomp)
})

test_that("methods of a cross-validation and of a model that was read are those of the fit", {
  made <- fits_of_every_class()
  model <- read_model(write_model(made$fits$mkl, tempfile(fileext = ".json")))
  for (cv in list(made$fits$cv, cv_mkl(made$x, made$y, made$kernels, lambda = 1, model = "mkl_gomp", folds = 3))) {
    for (f in list(coef, fitted, residuals, nobs, kernel_weights, weights, case.names, variable.names, predict)) {
      expect_identical(f(cv), f(cv$fit))
    }
    expect_identical(duality_gap(cv, made$x, made$y), duality_gap(cv$fit, made$x, made$y))
  }
  expect_identical(fitted(made$fits$cv, "decision"), predict(made$fits$cv, type = "decision"))
  expect_identical(residuals(cv, kernels = 1), residuals(cv$fit, kernels = 1))
  expect_identical(fitted(cv, "decision", 1), predict(cv, type = "decision", kernels = 1))
  expect_identical(fitted(made$fits$path, 0.5), predict(made$fits$path, C = 0.5))
  expect_identical(nobs(made$fits$path), 20L)
  expect_classed(fitted(cv, newdata = made$x), "unknown_argument", "newdata")
  for (f in list(coef, variable.names, kernel_weights)) expect_identical(f(model), f(made$fits$mkl))
  for (f in list(nobs, fitted, residuals, support, weights, case.names, summary, plot, duality_gap, update)) {
    expect_error(f(model), "a model that was read has", class = "manykernels_unsupported")
  }
  expect_classed(support(made$fits$path), "unsupported", "object")
  expect_classed(duality_gap(made$fits$path), "unsupported", "object")
})
