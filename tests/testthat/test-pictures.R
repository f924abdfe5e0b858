# What pictures show in plain words: order, labels, bands, edges.

two_views <- function(...) {
  d <- judge_clouds(40, 12)
  mkl(list(a = d$x[, 1:6], b = d$x[, 7:12]), d$y, c(linear_kernel(), gaussian_kernel(c(1, 8))),
      control = mkl_control(progress = FALSE), ...)
}

test_that("bars of a view fall in size, and uniform weights are summed by view", {
  rows <- manykernels:::weight_data(two_views(p = 1.5), 30L, NULL, NULL, FALSE)
  bars <- rows$rows(1)
  size <- rows$table$value[match(bars$kernel, rows$table$kernel)]
  for (one in split(size, bars$view)) expect_false(is.unsorted(-one))
  uniform <- manykernels:::weight_data(two_views(p = Inf), 30L, NULL, NULL, FALSE)
  expect_identical(uniform$by, "view")
  expect_equal(sum(uniform$table$value), 1)
})

test_that("logarithmic axes have plain numbers", {
  expect_identical(manykernels:::power_labels(c(-7, -2, -1, 0, 1)), c("1e-07", "0.01", "0.1", "1", "10"))
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(two_views(), "convergence"))
  labels <- lapply(built$layout$panel_params, function(panel) stats::na.omit(panel$y$get_labels()))
  expect_true(all(labels[[2]] %in% c(sprintf("%g", 10^(-5:2)), "0.0001", "0.00001")))
  expect_false(any(grepl("e\\+|-1e", unlist(labels))))
})

test_that("the bands of curves are Wilson's intervals", {
  truth <- rep(c(FALSE, TRUE), c(6, 4))
  part <- data.frame(decision = c(1:6, 4.5, 7:9), positive = truth, weight = 1)
  band <- manykernels:::tradeoff_band(part, TRUE, 0.95)
  at <- which(band$x == 0 & !duplicated(band$x, fromLast = TRUE)) # three of four, without a false one
  expect_equal(unlist(band[at, c("low", "high")], use.names = FALSE),
               unclass(prop.test(3, 4, correct = FALSE)$conf.int)[1:2])
  precision <- manykernels:::tradeoff_band(part, FALSE, 0.95)
  expect_equal(nrow(precision), 4)
  expect_equal(unlist(precision[4, c("low", "high")], use.names = FALSE),
               unclass(prop.test(4, 6, correct = FALSE)$conf.int)[1:2])
})

test_that("a cross-validation draws the plots of its fit", {
  d <- judge_clouds(40)
  cv <- cv_mkl(d$x, d$y, gaussian_kernel(c(1, 8)), p = 2, C = 1, folds = 2, control = mkl_control(progress = FALSE))
  expect_draws(cv, "weights", most = 1)
  expect_draws(cv, c("roc", "convergence"))
  expect_classed(plot(cv, "nonsense"), "invalid_argument", "which")
  expect_classed(plot(cv, "roc", most = 1), "invalid_argument", "most")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(cv, "weights", most = 1), "ggplot")
})

test_that("edges between classes are finer than the grid", {
  data <- manykernels:::boundary_data(mllkm(iris[3:4], iris$Species, gamma = 1), iris[3:4], 20L)
  expect_length(data$axes[[1]], 80)
  expect_length(data$values, 80^2)
  steps <- matrix(1:9, 3)
  expect_equal(matrix(manykernels:::refined(cbind(as.vector(steps)), 3, 5), 5)[c(1, 3, 5), c(1, 3, 5)], steps + 0)
})
