# The parent class of all fits, and fits that earlier versions saved without it.

test_that("every fit is of class mkl_fit, its parent class", {
  fits <- fits_of_every_class()$fits
  for (name in setdiff(names(fits), c("path", "cv"))) {
    expect_identical(utils::tail(class(fits[[!!name]]), 1L), "mkl_fit")
  }
  expect_s3_class(fits$multiclass$models[[1L]], c("mkl", "mkl_fit"), exact = TRUE)
})

test_that("a fit without the parent class answers as one with it, and comes back with it", {
  made <- fits_of_every_class()
  for (name in c("mkl", "multiclass", "outputs", "gomp", "sequential", "mllkm", "mllkm_classes")) {
    fit <- made$fits[[name]]
    earlier <- fit
    class(earlier) <- setdiff(class(fit), "mkl_fit")
    expect_identical(predict(earlier, made$x), predict(fit, made$x), info = name)
    expect_identical(coef(earlier), coef(fit), info = name)
    expect_identical(fitted(earlier), fitted(fit), info = name)
    expect_identical(nobs(earlier), nobs(fit), info = name)
    expect_identical(kernel_weights(earlier), kernel_weights(fit), info = name)
    expect_identical(duality_gap(earlier, made$x), duality_gap(fit, made$x), info = name)
    expect_identical(summary(earlier)$fit, fit, info = name)
    if (requireNamespace("generics", quietly = TRUE)) {
      expect_identical(generics::tidy(earlier), generics::tidy(fit), info = name)
    }
  }
})

test_that("a call checks objects at most twice", {
  made <- fits_of_every_class()
  x <- made$x
  newx <- x[1:3, , drop = FALSE]
  uses <- list(
    predict = function(fit) predict(fit, newx), training = function(fit) predict(fit),
    fitted = fitted, residuals = residuals, coef = coef, nobs = nobs, kernel_weights = kernel_weights,
    support = support, summary = summary, print = print, duality_gap = function(fit) duality_gap(fit, x),
    tidy = function(fit) generics::tidy(fit), glance = function(fit) generics::glance(fit),
    augment = function(fit) generics::augment(fit, newdata = newx),
    variable.names = variable.names, case.names = case.names, formula = formula
  )
  if (!requireNamespace("generics", quietly = TRUE)) uses[c("tidy", "glance", "augment")] <- NULL
  checks <- new.env()
  namespace <- asNamespace("manykernels")
  suppressMessages(trace("check_object", bquote({
    checks <- .(checks)
    checks$count <- checks$count + 1
  }), where = namespace, print = FALSE))
  on.exit(suppressMessages(untrace("check_object", where = namespace)))
  for (name in names(made$fits)) for (use in names(uses)) {
    checks$count <- 0
    problem_of(function(fit) invisible(uses[[use]](fit)), made$fits[[name]])
    expect_lte(checks$count, 2, label = sprintf("checks by %s() of %s", use, name))
  }
})
