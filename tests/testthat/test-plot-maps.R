# Heat maps of kernels along a path and over resamples, and alignments, in groups by view.
skip_on_cran() # a slow file
quiet <- mkl_control(progress = FALSE)
views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
y <- droplevels(iris$Species[51:150])
path <- mkl_path(views, y, gaussian_kernel(c(1, 8)), C = c(0.1, 10), p = 1, tol = 0.2)
set.seed(1)
folds <- rep(1:4, 25)
stability_of <- function(y, x = views) {
  kernel_stability(cv_mkl(x, y, gaussian_kernel(c(1, 8)), p = 1, C = 1, folds = folds, control = quiet))
}
stable <- stability_of(y)

test_that("a map of a path has its weights, in cells that meet half-way between the points", {
  expect_draws(path, "map")
  expect_draws(path, "map", most = 1, main = "Path")
  several <- mkl_path(iris[1:4], iris$Species, gaussian_kernel(c(1, 8)), p = c(1, 2), C = 1, tol = 0.2)
  expect_draws(several, "map")
  skip_if_not_installed("ggplot2")
  expect_no_warning(print(plot <- ggplot2::autoplot(path, "map")))
  cells <- plot$data
  expect_equal(tapply(cells$value, cells$kernel, max)[names(path$kernels)], apply(path$theta, 2, max),
               ignore_attr = TRUE)
  at <- log10(path$points$C)
  first <- cells[cells$kernel == cells$kernel[1], ]
  expect_equal(first$at - first$width / 2, c(-1, at[-1] - diff(at) / 2))
  expect_equal(sum(first$width), 2)
  expect_identical(levels(cells$group), c("petal", "sepal"))
  expect_no_warning(print(ggplot2::autoplot(several, "map", most = 1)))
})

test_that("a map of stability has the weights of each resample", {
  expect_draws(stable, which = "map")
  expect_equal(rowMeans(stable$weights), stable$kernels$mean)
  three <- stability_of(rep(letters[1:3], length.out = 100))
  expect_draws(three, which = "map", zeros = TRUE)
  expect_error(plot(replace(stable, "weights", list(NULL)), which = "map"), class = "manykernels_unsupported")
  skip_if_not_installed("ggplot2")
  expect_no_warning(print(ggplot2::autoplot(three, which = "map")))
  plot <- ggplot2::autoplot(stable, which = "map", zeros = TRUE)
  expect_equal(sort(plot$data$value), sort(as.vector(stable$weights)))
  expect_identical(range(plot$data$at), c(1, 4))
})

test_that("alignments stand by view", {
  k <- c(on_view(gaussian_kernel(c(1, 4)), "petal"), on_view(linear_kernel(), "sepal"),
         on_view(linear_kernel(), "petal"))
  a <- kernel_alignment(k, views, y)
  expect_identical(attr(a, "view"), c("petal", "petal", "sepal", "petal"))
  expect_draws(a)
  shown <- function(a) {
    skip_if_not_installed("ggplot2")
    ggplot2::autoplot(a)$data
  }
  cells <- shown(a)
  expect_identical(as.character(cells$row[1:4]), names(k)[c(1, 2, 4, 3)])
  one <- cells[cells$row == "petal:linear", ]
  expect_identical(one$alignment[one$column == "sepal:linear"], a["petal:linear", "sepal:linear"])
  expect_identical(one$alignment[one$column == "y"], attr(a, "response")[["petal:linear"]])
  attr(a, "view") <- NULL # of an earlier version
  expect_draws(a)
  expect_identical(as.character(shown(a)$row[1:4]), rownames(a))
})

first_points <- function(path, count) {
  first <- seq_len(count)
  for (field in c("points", "theta")) path[[field]] <- path[[field]][first, ]
  for (field in c("alpha", "decision", "forms")) path[[field]] <- path[[field]][, , first, drop = FALSE]
  path$offset <- path$offset[, first, drop = FALSE]
  path$intervals <- path$intervals[first[-count], ]
  path$cross <- path$cross[first[-count]]
  path
}

test_that("drawings stay as they are", {
  skip_unless_drawn_alike()
  # rounding changes weights and the number of points from machine to machine
  path <- first_points(path, 5L)
  path$points$C <- 10^seq(-1, 1, length.out = 5L)
  path$theta[] <- seq_along(path$theta) / length(path$theta)
  stable$weights[] <- seq_along(stable$weights) / length(stable$weights)
  vdiffr::expect_doppelganger("stability map", textless(ggplot2::autoplot(stable, which = "map")))
  a <- kernel_alignment(gaussian_kernel(c(1, 4)), views)
  a[] <- matrix(c(1, 0.1, 0.5, 0.3), 4, 4)
  vdiffr::expect_doppelganger("alignment by view", textless(ggplot2::autoplot(a)))
  vdiffr::expect_doppelganger("path map", textless(ggplot2::autoplot(path, "map")))
})
