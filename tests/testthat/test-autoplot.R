# What plot() shows is in the pictures of autoplot(), too, and names leave room for the data.
skip_on_cran() # a slow file
skip_if_not_installed("ggplot2")
twelve <- twelve_classes()
long <- paste0("A_NAME_OF_SIXTY_LETTERS_THAT_NO_FIGURE_HAS_THE_ROOM_FOR_", c("ONE", "TWO", "SIX"))
labels_of <- function(plot, layer) ggplot2::layer_data(plot, layer)$label
text_of <- function(plot) {
  texts <- vapply(plot$layers, function(layer) inherits(layer$geom, "GeomText"), NA)
  labels_of(plot, which(texts))
}

test_that("long names leave room for the panels of a small figure", {
  skip_unless_slow()
  set.seed(1)
  x <- matrix(rnorm(180), 60, dimnames = list(NULL, long))
  y <- factor(rep(long[1:2], 30))
  views <- stats::setNames(lapply(1:3, function(k) x[, k, drop = FALSE]), long)
  fit <- mkl(views, y, gaussian_kernel(c(1, 4)), control = quiet())
  swapped <- permutation_importance(fit, views, y, by = "kernel", repeats = 2)
  single <- mkl(x, y, per_feature(gaussian_kernel(c(1, 4))), control = quiet())
  path <- mkl_path(x, y, per_feature(gaussian_kernel(c(1, 4))), C = c(0.1, 10), tol = 0.5)
  bound <- rademacher_bound(1:2, 10, 100, 1)
  beside <- stats::setNames(rep(list(data.frame(p = 1:2, value = 0.1)), 3), long)
  set.seed(1)
  dna <- vapply(1:60, function(i) paste(sample(c("A", "C", "G", "T"), 20, TRUE), collapse = ""), "")
  plots <- list(
    margins = ggplot2::autoplot(fit, "margins"), importance = ggplot2::autoplot(swapped),
    weights = ggplot2::autoplot(single, "weights"), path = ggplot2::autoplot(path),
    map = ggplot2::autoplot(path, "map"), beside = ggplot2::autoplot(bound, beside = beside),
    sample_map = ggplot2::autoplot(sample_map(single, x)),
    boundary = ggplot2::autoplot(mkl(x[, 1:2], y, gaussian_kernel(1), control = quiet()), "boundary", resolution = 20),
    boundary_12 = ggplot2::autoplot(mkl(twelve$x, twelve$y, gaussian_kernel(1), control = quiet()), "boundary",
                                    data = twelve$x, resolution = 20),
    alignment = ggplot2::autoplot(kernel_alignment(per_feature(gaussian_kernel(c(1, 4))), x, y)),
    profile = ggplot2::autoplot(mkl(dna, factor(rep(long, 20)), weighted_degree_kernel(2), control = quiet()),
                                "profile"),
    roc = ggplot2::autoplot(twelve$tested, "roc"), confusion = ggplot2::autoplot(twelve$tested, "confusion")
  )
  for (name in names(plots)) {
    room <- panel_inches(plots[[name]])
    expect_gt(room[1], 1.2, label = paste("width of", name))
    expect_gt(room[2], 1.2, label = paste("height of", name))
  }
})

test_that("more than seven curves differ in colour or line, in colours that are told apart", {
  for (plot in list(ggplot2::autoplot(twelve$tested, "roc"), ggplot2::autoplot(twelve$fit, "convergence"))) {
    lines <- which(vapply(plot$layers, function(layer) inherits(layer$geom, "GeomPath"), NA))
    looks <- unique(ggplot2::layer_data(plot, lines[length(lines)])[c("group", "colour", "linetype")])
    expect_identical(nrow(looks), 12L)
    expect_identical(anyDuplicated(looks[c("colour", "linetype")]), 0L)
    expect_lte(length(unique(looks$colour)), 7L)
  }
})

test_that("what is left out is told", {
  set.seed(1)
  x <- matrix(rnorm(240), 40, dimnames = list(NULL, letters[1:6]))
  y <- factor(rep(c("u", "v"), 20))
  fit <- mkl(x, y, per_feature(gaussian_kernel(c(1, 4))), control = quiet())
  expect_match(ggplot2::autoplot(fit, "weights", most = 2, by = "kernel")$labels$caption,
               "^not shown: 10 smaller kernels")
  path <- mkl_path(x, y, per_feature(gaussian_kernel(c(1, 4))), C = c(0.1, 10), tol = 0.5)
  expect_match(ggplot2::autoplot(path, "map", most = 3)$labels$caption, "^not shown: 9 smaller kernels")
  swapped <- permutation_importance(fit, x, y, by = "feature", repeats = 3)
  plot <- ggplot2::autoplot(swapped, most = 4)
  expect_identical(plot$labels$caption, "not shown: 2 less important")
  expect_match(plot$labels$subtitle, "adjusted p")
  expect_length(text_of(plot), 4)
  expect_true(all(text_of(plot) %in% drawn_text(plot(swapped, most = 4), 700, 525)$text))
  expect_match(ggplot2::autoplot(twelve$fit, "margins")$labels$caption, "^not shown: 2 classes \\(.*, .*\\)$")
})

test_that("stability tells how often a kernel was chosen, and heads no view that is alone", {
  set.seed(1)
  cv <- cv_mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), gaussian_kernel(2^(0:3)), p = 1, C = 1, folds = 4,
               control = quiet())
  stable <- kernel_stability(cv)
  plot <- ggplot2::autoplot(stable, zeros = TRUE)
  expect_setequal(text_of(plot), sprintf("%.0f %%", 100 * stable$kernels$chosen))
  expect_match(plot$labels$subtitle, "chosen in")
  expect_s3_class(plot$facet, "FacetNull")
})

test_that("calibration has bars of the rows, and the confusion matrix shares", {
  fit <- mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), gaussian_kernel(2), loss = "logistic",
             control = quiet())
  tested <- assess(fit, iris[51:150, 1:4], droplevels(iris$Species[51:150]), draws = 20)
  plot <- ggplot2::autoplot(tested, "calibration")
  bars <- ggplot2::layer_data(plot, 1L)
  counts <- table(cut(tested$predictions$prob[, 2], seq(0, 1, 0.05)))
  expect_equal(bars$ymax / max(bars$ymax), as.vector(counts / max(counts)))
  share <- tested$confusion / rowSums(tested$confusion)
  cells <- text_of(ggplot2::autoplot(tested, "confusion"))
  shown <- as.vector(tested$confusion) > 0
  expect_identical(sub(".*\n", "", cells)[shown], sprintf("%.0f %%", 100 * as.vector(share))[shown])
})

test_that("labels of many columns are turned", {
  turned <- function(plot) identical(plot$theme$axis.text.x$angle, 90)
  expect_true(turned(ggplot2::autoplot(twelve$tested, "confusion")))
  set.seed(1)
  cv <- cv_mkl(iris[51:150, 1:2], droplevels(iris$Species[51:150]), gaussian_kernel(1), p = 1:2, C = 10^(-6:2),
               folds = 2, control = quiet())
  expect_true(turned(ggplot2::autoplot(cv, "grid")))
})

test_that("steps of a path are whole numbers, and those in use are told", {
  x <- as.matrix(iris[1:4])
  path <- mkl_gomp(x, iris$Species, per_feature(gaussian_kernel(c(1, 4))))
  plot <- ggplot2::autoplot(path, "path")
  breaks <- ggplot2::ggplot_build(plot)$layout$panel_params[[1]]$x$get_breaks()
  expect_identical(breaks, round(breaks))
  expect_match(plot$labels$subtitle, sprintf("%d in use", path$selected))
  sums <- ggplot2::autoplot(path, "weights", by = "view")
  range <- ggplot2::ggplot_build(sums)$layout$panel_params[[1]]$x$continuous_range
  expect_gte(range[2], 1.25 * max(sums$data$value))
})

test_that("many views have headings of one line", {
  set.seed(1)
  views <- stats::setNames(lapply(1:15, function(k) matrix(rnorm(80), 40)), paste("a view of a long name,", 1:15))
  fit <- mkl(views, factor(rep(c("a", "b"), 20)), gaussian_kernel(c(1, 4)), control = quiet())
  heads <- levels(ggplot2::autoplot(fit, "weights", by = "kernel")$data$group)
  expect_false(any(grepl("\n", heads)))
  expect_lte(max(nchar(heads)), 16)
})

test_that("large numbers along axes are plain, and names of fits are short", {
  set.seed(1)
  x <- matrix(rnorm(120), 40)
  y <- 5e8 + 1e6 * x[, 1]
  fit <- mkl(x, y, gaussian_kernel(4), control = quiet())
  for (plot in list(ggplot2::autoplot(fit, "margins"), ggplot2::autoplot(assess(fit, x, y, draws = 20)))) {
    panel <- ggplot2::ggplot_build(plot)$layout$panel_params[[1]]
    expect_match(c(panel$x$get_labels(), panel$y$get_labels()), "^(49|50)[0-9]{7}$")
  }
  two <- factor(x[, 1] > 0)
  fits <- lapply(1:2, function(p) mkl(x, two, gaussian_kernel(1:2), p = p, control = quiet()))
  names(fits) <- long[1:2]
  compared <- ggplot2::autoplot(assess(fits, x, two, draws = 20), "measures")
  expect_lte(max(nchar(levels(compared$data$fit))), 24)
  expect_identical(nlevels(compared$data$fit), 2L)
})

test_that("the largest bars have their labels where not all have room", {
  set.seed(3)
  views <- lapply(1:30, function(j) matrix(rnorm(240), 80))
  names(views) <- sprintf("chromosome %02d copy number", 1:30)
  y <- factor(ifelse(views[[1]][, 1] + views[[2]][, 2] + rnorm(80) > 0, "yes", "no"))
  fit <- mkl(views, y, p = 1, control = quiet())
  weights <- kernel_weights(fit, sort = TRUE)
  largest <- weights[weights$share > 0.03 & !duplicated(weights$view), ]
  drawn <- drawn_text(print(ggplot2::autoplot(fit)), 400, 300)$text
  expect_lt(sum(grepl("^(gaussian|linear)", drawn)), sum(weights$theta > 0))
  expect_identical(setdiff(sub(".*:", "", largest$kernel), drawn), character())
})

test_that("axes, numbers and notes are those of plot()", {
  odd <- seq(1, 149, 2)
  path <- mkl_path(iris[odd, 1:4], iris$Species[odd], gaussian_kernel(c(1, 4)), C = c(0.1, 10), control = quiet())
  limits <- function(plot, axis) ggplot2::ggplot_build(plot)$layout$panel_params[[1]][[axis]]$limits
  expect_identical(limits(ggplot2::autoplot(path), "y")[1], 0)
  fit <- mkl(mtcars[2:5], mtcars$mpg, gaussian_kernel(c(1, 4)), control = quiet())
  tested <- assess(fit, mtcars[2:5], mtcars$mpg, draws = 20)
  for (plot in list(ggplot2::autoplot(fit, "margins"), ggplot2::autoplot(tested))) {
    expect_identical(limits(plot, "x"), limits(plot, "y"))
  }
  views <- list(a = iris[51:150, 1:2], b = iris[51:150, 3:4])
  y <- droplevels(iris$Species[51:150])
  bars <- ggplot2::autoplot(mkl(views, y, gaussian_kernel(c(1, 4)), control = quiet()))
  expect_identical(text_of(bars)[1], sprintf("%#.2g", max(bars$data$value)))
  expect_match(levels(bars$data$group)[1], "^a\n[0-9]+ %$")
  expect_match(text_of(ggplot2::autoplot(mkl(views, y, gaussian_kernel(c(1, 4)), p = Inf, control = quiet()))),
               "%, 2 of 2 active$")
  tested <- assess(mkl(views, y, gaussian_kernel(4), control = quiet()), views, y, draws = 20)
  expect_match(ggplot2::autoplot(tested, "roc")$labels$subtitle, "\ndashed: chance$")
})

test_that("a key has three digits, and headings keep words of up to 18 letters", {
  set.seed(1)
  x <- list(RNASeq2GeneNorm = matrix(rnorm(80), 40), b = matrix(rnorm(80), 40))
  y <- factor(x$b[, 1] > 0)
  cv <- cv_mkl(x, y, gaussian_kernel(1), p = 1:2, C = c(1, 4), folds = 3, control = quiet())
  key <- ggplot2::autoplot(cv)$scales$get_scales("fill")
  expect_identical(key$labels(0.8464286), "0.846")
  swapped <- permutation_importance(cv, x, y, by = "feature", repeats = 2)
  expect_true("RNASeq2GeneNorm" %in% levels(ggplot2::autoplot(swapped)$data$group))
})
