quiet <- mkl_control(progress = FALSE)

test_that("drawings stay as they are", {
  skip_unless_drawn_alike()
  fit <- many_sets()
  # the fit's own weights, and with them its shares, differ by rounding from machine to machine
  fit$theta[] <- seq_along(fit$theta) / length(fit$theta)
  vdiffr::expect_doppelganger("weights along width", textless(ggplot2::autoplot(fit, "widths", value = "theta")))
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
