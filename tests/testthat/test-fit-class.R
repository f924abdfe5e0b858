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
