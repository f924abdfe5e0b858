# Labels along axes in base graphics.
skip_on_cran() # a slow file
twelve <- twelve_classes()

test_that("every class has its labels in a confusion matrix", {
  for (size in list(c(350, 300), c(700, 525))) {
    text <- drawn_text(plot(twelve$tested, "confusion"), size[1], size[2])$text
    expect_identical(sum(grepl("^class [0-9]{2}$", text)), 24L)
  }
  y <- factor(paste("a class of a long name,", iris$Species[51:150]))
  tested <- assess(mkl(iris[51:150, 1:4], y, gaussian_kernel(2), control = quiet()), iris[51:150, 1:4], y, draws = 20)
  text <- drawn_text(plot(tested, "confusion"))$text
  expect_identical(sum(grepl("(ginica|sicolor)$", text)), 4L)
})

test_that("titles stand left of the labels of ticks, however long these are", {
  set.seed(1)
  x <- matrix(rnorm(240), 60)
  y <- 5e8 + 1e6 * rnorm(60)
  fit <- mkl(x, y, gaussian_kernel(1), control = quiet())
  tested <- assess(fit, x, y, draws = 20)
  for (drawn in list(drawn_text(plot(fit, "margins")), drawn_text(plot(tested, "predictions")))) {
    title <- drawn[startsWith(drawn$text, "response"), ]
    ticks <- drawn[grepl("^(49|50)[0-9]{7}$", drawn$text), ]
    left <- ticks[duplicated(ticks$x) | duplicated(ticks$x, fromLast = TRUE), ]
    expect_gt(nrow(left), 1)
    expect_lt(max(title$x), min(left$x))
    expect_gt(min(title$x), 0)
  }
})

test_that("measures are for plots that show one", {
  set.seed(1)
  cv <- cv_mkl(iris[51:150, 1:2], droplevels(iris$Species[51:150]), gaussian_kernel(1), p = 1, C = 1, folds = 3,
               control = quiet())
  expect_classed(plot(cv, "roc", measure = "accuracy"), "invalid_argument", "measure")
  expect_classed(plot(cv, "weights", measure = "accuracy"), "invalid_argument", "measure")
  expect_draws(cv, c("curve", "roc"), measure = "accuracy")
  skip_if_not_installed("ggplot2")
  expect_classed(ggplot2::autoplot(cv, "roc", measure = "accuracy"), "invalid_argument", "measure")
})

test_that("values beside a bound are of norms, and finite", {
  bound <- rademacher_bound(1:2, 10, 100, 1)
  beside <- function(...) plot(bound, beside = list(error = data.frame(...)))
  expect_error(beside(p = 1:2, value = c(1, NA)), "row 2 has p = 2, value = NA",
               class = "manykernels_invalid_argument")
  expect_classed(beside(p = c(0.5, 1), value = 1), "invalid_argument", "beside")
  expect_classed(beside(p = 0, value = 1), "invalid_argument", "beside")
  expect_classed(beside(p = NA_real_, value = 1), "invalid_argument", "beside")
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(beside(p = c(1, Inf), value = 0.1, standard_error = c(NA, 0.01)))
})
