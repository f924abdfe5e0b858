# The interval of `estimate` covers the value on new samples, of numbers and times: 200 draws, each measured on 1,000 samples.

test_that("intervals cover the value on new samples", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  set.seed(11)
  for (measure in c("rmse", "concordance")) {
    expect_gte(estimate_coverage(measure, 80, 1, 1), LEAST_COVERED)
    expect_gte(estimate_coverage(measure, 30, 4, 2), LEAST_COVERED)
  }
})
