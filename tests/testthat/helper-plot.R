# The object is drawn without warnings, given back invisibly, and par() left as it was.
expect_draws <- function(object, ...) {
  pdf(NULL)
  on.exit(dev.off())
  before <- par(no.readonly = TRUE)
  expect_no_warning(out <- withVisible(plot(object, ...)))
  after <- par(no.readonly = TRUE)
  same <- setdiff(names(before), c("usr", "xaxp", "yaxp"))
  expect_identical(after[same], before[same])
  expect_false(out$visible)
  expect_identical(out$value, object)
}

# Text differs by font: a ggplot without it, for comparisons of drawings.
textless <- function(plot) {
  none <- ggplot2::element_blank()
  plot + ggplot2::theme(text = none, axis.text = none, axis.text.x = none, strip.text = none)
}

# Drawings that are kept were made by ggplot2 3.4, whose legends take other room than those of 3.5.
skip_unless_drawn_alike <- function() {
  testthat::skip_on_cran()
  testthat::skip_if_not_installed("vdiffr")
  testthat::skip_if_not_installed("ggplot2")
  testthat::skip_if(utils::packageVersion("ggplot2") >= "3.5.0", "other legends by ggplot2 3.5")
}

# A fit of 62 kernels: two on each of 30 sets of one view, two on another.
many_sets <- function() {
  set.seed(1)
  x <- list(a = matrix(rnorm(40 * 30), 40, dimnames = list(NULL, paste0("g", 1:30))),
            b = matrix(rnorm(40 * 5), 40, dimnames = list(NULL, paste0("h", 1:5))))
  y <- factor(x$a[, 1] + x$b[, 1] > 0)
  sets <- stats::setNames(lapply(1:30, function(i) paste0("g", i)), paste0("set", 1:30))
  mkl(x, y, c(on_view(on_features(gaussian_kernel(c(1, 4)), sets), "a"),
              on_view(gaussian_kernel(c(1, 4)), "b")), control = mkl_control(progress = FALSE))
}
