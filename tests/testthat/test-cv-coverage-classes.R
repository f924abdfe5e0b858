# The interval of `estimate` covers the value on new samples, of classes: 200 draws, each measured on 1,000 samples.
# bench/estimate.R has more measures, sizes and draws.

test_that("intervals cover the value on new samples", {
  skip_unless_slow()
  set.seed(11)
  expect_gte(estimate_coverage("accuracy", 80, 1, 1), LEAST_COVERED)
  expect_gte(estimate_coverage("auc", 30, 4, 2), LEAST_COVERED)
})
