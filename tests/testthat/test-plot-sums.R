quiet <- mkl_control(progress = FALSE)

many_sets <- function() {
  set.seed(1)
  x <- list(a = matrix(rnorm(40 * 30), 40, dimnames = list(NULL, paste0("g", 1:30))),
            b = matrix(rnorm(40 * 5), 40, dimnames = list(NULL, paste0("h", 1:5))))
  y <- factor(x$a[, 1] + x$b[, 1] > 0)
  sets <- stats::setNames(lapply(1:30, function(i) paste0("g", i)), paste0("set", 1:30))
  mkl(x, y, c(on_view(on_features(gaussian_kernel(c(1, 4)), sets), "a"),
              on_view(gaussian_kernel(c(1, 4)), "b")), control = quiet)
}

test_that("sums leave nothing out: every kernel is in some bar", {
  fit <- many_sets()
  for (most in c(1, 3, 40)) {
    bars <- sum_bars(kernel_weights(fit, by = "set"), "share", most)
    expect_equal(sum(bars$share), 1)
    expect_equal(sum(bars$kernels), 62)
    expect_lte(sum(!bars$rest), most + 1) # a single smaller set keeps its name
    for (view in unique(bars$view)) expect_false(is.unsorted(-bars$share[bars$view == view & !bars$rest]))
  }
  bars <- sum_bars(kernel_weights(fit, by = "set"), "share", 3)
  expect_match(bars$label[bars$rest], "^[0-9]+ smaller sets$")
  rows <- sum_rows(bars, 1.4)
  expect_length(unique(rows$y), nrow(bars))
  expect_identical(nrow(rows$heads), 2L)
})

test_that("many kernels are summed by set, or view, where bars would leave out much", {
  fit <- many_sets()
  expect_identical(suitable_sums(fit, 30), "set")
  expect_identical(suitable_sums(fit, 62), "kernel")
  x <- matrix(sin(1:120), 40)
  alike <- mkl(list(a = x, b = x^2), factor(x[, 1] > 0), gaussian_kernel(2^(1:20)), control = quiet)
  expect_identical(suitable_sums(alike, 5), "view")
  expect_identical(suitable_sums(mkl(x, factor(x[, 1] > 0), gaussian_kernel(2^(1:20)), p = Inf,
                                     control = quiet), 5), "kernel")
  expect_identical(weight_data(fit, 30, NULL, NULL, FALSE)$value, "share")
  expect_identical(weight_data(fit, 30, "theta", "set", FALSE)$value, "theta")
  expect_draws(fit, "weights")
  for (by in c("kernel", "view", "set")) expect_draws(fit, "weights", by = by, most = 4, main = by)
  expect_draws(mkl(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(1, 4))), control = quiet),
               "weights", by = "set", most = 2)
  expect_draws(mkl_gomp(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(1, 4)))), "weights",
               by = "set")
})

test_that("weights along width are sums over the kernels of a width, a curve for each view", {
  fit <- many_sets()
  data <- width_data(fit, "share")
  weights <- kernel_weights(fit)
  expect_identical(nrow(data$table), 4L)
  of <- weights$view == "a" & weights$parameters == "width = 4"
  expect_equal(data$table$value[data$table$view == "a" & data$table$width == 4],
               sum(weights$share[of]))
  expect_draws(fit, "widths")
  three <- mkl(iris[1:4], iris$Species, gaussian_kernel(2^(0:12)), control = quiet)
  expect_true(width_data(three, NULL)$several)
  expect_equal(mean_widths(width_data(three, "theta"))$value, unname(rowMeans(coef(three))))
  expect_draws(three, "widths", value = "share", main = "Three")
  expect_error(plot(mkl(iris[1:4], iris$Species, linear_kernel(), control = quiet), "widths"),
               class = "manykernels_unsupported")
})

test_that("the boundary in the plane is where the fit's own predictions change", {
  x <- as.matrix(iris[51:150, 3:4])
  y <- droplevels(iris$Species[51:150])
  k <- gaussian_kernel(c(0.5, 2))
  fits <- list(mkl(x, y, k, control = quiet), mkl(x, as.numeric(x[, 1]), k, control = quiet),
               mkl(x, kernels = k, control = quiet), mkl(x, y, linear_kernel(), control = quiet),
               mllkm(x, y, gamma = 1, control = quiet))
  for (fit in fits) {
    data <- boundary_data(fit, x, 12)
    grid <- as.matrix(expand.grid(data$axes))
    colnames(grid) <- colnames(x)
    expect_equal(data$values, unname(predict(fit, grid, type = "decision")))
    expect_equal(as.matrix(data$rows[c("x1", "x2")]), x, ignore_attr = TRUE)
    expect_identical(which(data$rows$support), sort(fit$support))
    expect_draws(fit, "boundary", data = x)
  }
  expect_draws(fits[[4]], "boundary") # a linear kernel keeps no rows, but the scale
  kept <- boundary_data(fits[[1]], NULL, 12)$rows
  expect_setequal(kept$row, fits[[1]]$support)
  expect_equal(as.matrix(kept[c("x1", "x2")]), x[kept$row, ], ignore_attr = TRUE)
  three <- mkl(iris[3:4], iris$Species, k, control = quiet)
  data <- boundary_data(three, iris[3:4], 12)
  grid <- as.data.frame(expand.grid(data$axes))
  names(grid) <- names(iris)[3:4]
  expect_identical(data$values, as.integer(predict(three, grid)))
  expect_draws(three, "boundary", main = "Three")
  expect_draws(mkl(mpg ~ wt + hp, mtcars, control = quiet), "boundary", data = mtcars)
  expect_error(plot(mkl(iris[1:4], iris$Species, k, control = quiet), "boundary"),
               class = "manykernels_unsupported")
  expect_error(plot(mkl(x, y, linear_kernel(), scale = FALSE, control = quiet), "boundary"),
               class = "manykernels_invalid_argument")
})

test_that("drawings stay as they are", {
  skip_unless_drawn_alike()
  fit <- many_sets()
  # the fit's own weights differ by rounding from machine to machine
  fit$theta[] <- seq_along(fit$theta) / length(fit$theta)
  vdiffr::expect_doppelganger("weights along width", textless(ggplot2::autoplot(fit, "widths")))
})

test_that("bars are shares of the fitted function, which tell kernels apart at p = Inf", {
  fit <- mkl(iris[1:4], iris$Species == "setosa", gaussian_kernel(c(0.1, 4, 100)), p = Inf, control = quiet)
  data <- weight_data(fit, 30L, NULL, NULL, FALSE)
  expect_identical(data$table$value, kernel_weights(fit)$share)
  expect_gt(max(data$table$value) / min(data$table$value), 2)
  expect_identical(data$label, "share of the fitted function")
  expect_length(unique(weight_data(fit, 30L, "theta", NULL, FALSE)$table$value), 1L)
})

test_that("printed weights of a view of many kernels are no importance", {
  note <- "not importance: a view of many kernels"
  printed <- function(x, ...) paste(capture.output(print(kernel_weights(x, ...))), collapse = "\n")
  many <- mkl(iris[1:4], iris$Species == "setosa", control = quiet)
  expect_match(printed(many), note)
  expect_match(printed(many, by = "view"), note)
  few <- mkl(iris[1:4], iris$Species == "setosa", gaussian_kernel(1:2), control = quiet)
  expect_no_match(printed(few), note)
  expect_match(printed(mkl(iris[1:4], iris$Species, control = quiet)), note)
  expect_s3_class(kernel_weights(few), "data.frame")
  expect_output(print(kernel_weights(many)[c("kernel", "theta")]), "kernel")
  expect_identical(as.data.frame(kernel_weights(few)), structure(kernel_weights(few), class = "data.frame"))
})
