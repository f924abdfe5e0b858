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
  plot + ggplot2::theme(text = ggplot2::element_blank(), axis.text = ggplot2::element_blank())
}
