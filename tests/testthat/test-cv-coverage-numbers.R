# The interval of `estimate` covers the value on new samples, of numbers and times: 200 draws, each measured on 1,000 samples.
# bench/estimate.R has more measures, sizes and draws.

test_that("intervals cover the value on new samples", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  set.seed(11)
  expect_gte(estimate_coverage("rmse", 30, 4, 2), LEAST_COVERED)
  expect_gte(estimate_coverage("concordance", 80, 1, 1), LEAST_COVERED)
})
