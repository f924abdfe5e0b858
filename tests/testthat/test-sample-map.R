# The map of samples against kernel principal components computed in plain R.
views <- function(rows) list(petal = as.matrix(iris[rows, 3:4]), sepal = as.matrix(iris[rows, 1:2]))
train <- seq(51, 150, 2)
y <- droplevels(iris$Species[51:150])[seq(1, 100, 2)]
kernels <- c(gaussian_kernel(c(1, 4)), linear_kernel())

test_that("coordinates are the kernel principal components, and new samples are projected onto them", {
  for (normalize in list("multiplicative", c("centre", "spherical"))) {
    fit <- mkl(views(train), y, kernels, p = 2, normalize = normalize, control = quiet())
    map <- sample_map(fit, views(train))
    expect_s3_class(map, "sample_map")
    K <- kernel_matrix(fit$kernels, views(train), normalize = normalize, scale = TRUE)
    sum <- Reduce(`+`, Map(`*`, K, fit$theta))
    centre <- diag(50) - 1 / 50
    found <- eigen(centre %*% sum %*% centre, symmetric = TRUE)
    expect_equal(attr(map, "share"), found$values[1:2] / sum(found$values))
    for (k in 1:2) {
      expect_equal(abs(map[[paste0("component_", k)]]), abs(found$vectors[, k]) * sqrt(found$values[k]),
                   tolerance = 1e-8)
    }
    both <- sample_map(fit, views(train), newdata = views(train))
    expect_equal(both$component_1[51:100], map$component_1)
    expect_equal(both$component_2[51:100], map$component_2)
  }
})

test_that("errors, missing rows, groups and responses of formulas are known", {
  rows <- droplevels(iris[train, ])
  fit <- mkl(Species ~ ., rows, kernels = gaussian_kernel(2), control = quiet())
  new <- iris[train + 1, ]
  new[3, 1] <- NA
  map <- sample_map(fit, rows, new, group = rep(1:2, 50))
  expect_identical(map$set, rep(c("training", "new"), c(50L, 49L)))
  expect_identical(map$sample[51:53], c("52", "54", "58"))
  expect_identical(map$wrong[51:99], as.character(new$Species)[-3] != as.character(predict(fit, new[-3, ])))
  expect_identical(as.character(map$group[51:53]), c("1", "2", "2"))
  expect_identical(as.character(map$truth[51:99]), as.character(new$Species)[-3])
  number <- mkl(mpg ~ ., mtcars, kernels = gaussian_kernel(2), control = quiet())
  expect_equal(sample_map(number, mtcars)$truth, mtcars$mpg)
})

test_that("several classes, one class and more rows than landmarks have a map", {
  all <- mkl(iris[1:4], iris$Species, kernels, control = quiet())
  expect_equal(nrow(sample_map(all, iris[1:4])), 150L)
  one <- mkl(iris[1:50, 1:4], kernels = kernels, control = quiet())
  expect_identical(sample_map(one, iris[1:50, 1:4])$predicted, unname(predict(one)))
  set.seed(1)
  x <- matrix(rnorm(1100 * 3), 1100)
  many <- mkl(x, factor(x[, 1] > 0), gaussian_kernel(4), control = quiet())
  map <- sample_map(many, x, newdata = x[1:5, ])
  expect_equal(map$component_1[1101:1105], map$component_1[1:5])
})

test_that("maps are drawn", {
  fit <- mkl(views(train), y, kernels, control = quiet())
  map <- sample_map(fit, views(train), views(train + 1), y = droplevels(iris$Species[train + 1]),
                    group = rep(1:25, 4))
  expect_draws(map, main = "Flowers")
  expect_draws(sample_map(mkl(mtcars[2:5], mtcars$mpg, kernels, control = quiet()), mtcars[2:5]))
  skip_if_not_installed("ggplot2")
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(map)))
})

test_that("new samples are drawn last, larger and with an outline, and numbers have a title", {
  fit <- mkl(mtcars[2:5], mtcars$mpg, kernels, control = quiet())
  map <- sample_map(fit, mtcars[2:5], mtcars[1, 2:5])
  expect_true("response" %in% drawn_text(plot(map))$text)
  if (requireNamespace("survival", quietly = TRUE)) {
    times <- survival::Surv(mtcars$mpg, seq_len(32) > 5)
    survival <- mkl(mtcars[2:5], times, kernels, control = quiet())
    expect_true("time" %in% drawn_text(plot(sample_map(survival, mtcars[2:5])))$text)
  }
  skip_if_not_installed("ggplot2")
  plot <- ggplot2::autoplot(map)
  expect_identical(plot$scales$get_scales("colour")$name, "response")
  new <- ggplot2::layer_data(plot, 2)
  expect_identical(nrow(new), 1L)
  expect_identical(new$shape, 24)
  expect_gt(new$size, ggplot2::layer_data(plot, 1)$size[1])
})

test_that("numbers are told apart however small their spread is, and names of classes are no numbers", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  x <- matrix(rnorm(240), 60)
  drawn <- function(y) {
    fit <- suppressMessages(mkl(x, y, gaussian_kernel(1), control = quiet()))
    ggplot2::autoplot(sample_map(fit, x))
  }
  labels <- function(y) levels(drawn(y)$data$label)
  expect_identical(labels(2000 + (1:60) %% 12 + 1),
                   c("2001 to 2003", "2003 to 2005", "2005 to 2008", "2008 to 2010", "2010 to 2012"))
  expect_length(labels(c(rep(0, 50), 1:10)), 5)
  expect_identical(labels(1e6 + (1:60) %% 3), c("1000000", "1000001", "1000002"))
  colours <- unique(ggplot2::layer_data(drawn(factor(rep(c("up to 3", "down to 2", "none"), 20))))$colour)
  expect_setequal(colours, c("#0072B2", "#E69F00", "#009E73"))
})

test_that("more classes than colours differ in their symbols, and long names leave room", {
  skip_if_not_installed("ggplot2")
  y <- factor(rep(sprintf("class %02d of a name that is all too long for the legend of a map", 1:9), 20))
  set.seed(1)
  x <- cbind(as.integer(y) + rnorm(180), rnorm(180))
  map <- sample_map(mkl(x, y, gaussian_kernel(1), control = quiet()), x, newdata = x[1:9, ], y = y[1:9])
  data <- ggplot2::autoplot(map)$data
  looks <- unique(data[c("label", "colour", "symbol")])
  expect_identical(nrow(looks), 18L)
  expect_identical(anyDuplicated(looks[c("colour", "symbol")]), 0L)
  legend <- ggplot2::ggplot_build(ggplot2::autoplot(map))$plot$scales$get_scales("colour")$get_labels()
  expect_lte(max(nchar(legend)), 20)
  expect_identical(anyDuplicated(legend), 0L)
  expect_draws(map)
  expect_classed(plot(map[, c("sample", "component_1")]), "invalid_argument", "x")
})

test_that("wrong arguments are classed errors", {
  fit <- mkl(views(train), y, kernels, control = quiet())
  expect_error(sample_map(1), class = "manykernels_invalid_argument")
  expect_error(sample_map(fit, views(train), group = 1:3), "each of the 50 samples",
               class = "manykernels_invalid_argument")
  expect_error(sample_map(fit, views(train), y = y), "newdata", class = "manykernels_invalid_argument")
  expect_error(sample_map(mkl_gomp(views(train), y, kernels), views(train)), class = "manykernels_unsupported")
})

test_that("no new rows are no new samples", {
  fit <- mkl(iris[1:4], iris$Species, linear_kernel())
  none <- iris[0, 1:4]
  expect_equal(sample_map(fit, iris[1:4], newdata = none), sample_map(fit, iris[1:4]), ignore_attr = "row.names")
  both <- mkl(iris[1:2], iris[3:4], linear_kernel())
  expect_identical(dim(predict(both, none[1:2])), c(0L, 2L))
  expect_classed(assess(both, none[1:2], matrix(0, 0, 2)), "missing_values", "newdata")
  expect_classed(permutation_importance(both, none[1:2], matrix(0, 0, 2)), "invalid_argument", "newdata")
})
