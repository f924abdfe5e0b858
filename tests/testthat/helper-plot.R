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

# Texts that `draw` writes on a page of so many pixels (72 for an inch): text, and where it begins.
drawn_text <- function(draw, width = 350, height = 300, ...) {
  file <- tempfile(fileext = ".pdf")
  pdf(file, width / 72, height / 72, compress = FALSE, useKerning = FALSE, ...)
  drawn <- FALSE
  on.exit(if (!drawn) dev.off())
  expect_no_warning(force(draw))
  drawn <- TRUE
  dev.off()
  lines <- grep("Tj$", readLines(file, warn = FALSE), value = TRUE, useBytes = TRUE)
  pattern <- ".* ([-0-9.]+) ([-0-9.]+) Tm \\((.*)\\) Tj$"
  data.frame(text = gsub("\\\\([()])", "\\1", sub(pattern, "\\3", lines, useBytes = TRUE)),
             x = as.numeric(sub(pattern, "\\1", lines, useBytes = TRUE)),
             y = as.numeric(sub(pattern, "\\2", lines, useBytes = TRUE)))
}

# Number of entries of a key that starts so, and of those that "and 5 more" counts.
entries_told <- function(text, start) {
  more <- grep("^and [0-9]+ more$", text, value = TRUE)
  sum(startsWith(text, start)) + if (length(more)) as.numeric(gsub("[^0-9]", "", more)) else 0
}

# Inches that a ggplot leaves to its panels on a page of so many pixels: across and up.
panel_inches <- function(plot, width = 350, height = 300) {
  pdf(NULL, width / 72, height / 72)
  on.exit(dev.off())
  table <- ggplot2::ggplotGrob(plot)
  c(width / 72 - sum(grid::convertWidth(table$widths, "inches", valueOnly = TRUE)),
    height / 72 - sum(grid::convertHeight(table$heights, "inches", valueOnly = TRUE)))
}

# A fit of twelve classes, its data, and its assessment on new rows.
twelve_classes <- function() {
  set.seed(1)
  y <- factor(rep(sprintf("class %02d", 1:12), 40))
  x <- cbind(as.integer(y) + rnorm(480), 3 * sin(as.integer(y)) + rnorm(480))
  fit <- mkl(x[1:240, ], y[1:240], gaussian_kernel(c(1, 4)), loss = "logistic", control = quiet())
  list(fit = fit, x = x[1:240, ], y = y[1:240], tested = assess(fit, x[241:480, ], y[241:480], draws = 50))
}
