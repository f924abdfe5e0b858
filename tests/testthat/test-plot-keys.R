# Keys and names in base graphics: none hides the data, runs out of the figure or is left out without a word.
skip_on_cran() # a slow file
twelve <- twelve_classes()

two_classes <- function() {
  set.seed(9)
  x <- matrix(rnorm(600), 300)
  y <- factor(ifelse(x[, 1] + rnorm(300) * 1.2 > 0, "yes", "no"))
  mkl(x, y, kernels = linear_kernel(), C = 0.05, control = quiet())
}

test_that("the key of margins is above the figure, on any ground and in letters of any size", {
  fit <- two_classes()
  draws <- list(
    drawn_text(plot(fit, "margins")), drawn_text(plot(fit, "margins", main = "A title")),
    drawn_text(plot(fit, "margins"), pointsize = 24),
    drawn_text({ par(mfrow = c(2, 2), cex = 1.4); plot(fit, "margins") }, 700, 525)
  )
  for (drawn in draws) {
    key <- drawn[grepl("support vector", drawn$text), ]
    expect_identical(nrow(key), 3L)
    expect_true(all(key$y > drawn$y[drawn$text == "boundary"]))
    expect_true(all(key$y > drawn$y[drawn$text == "yes"]))
  }
  file <- tempfile(fileext = ".pdf")
  pdf(file, 350 / 72, 300 / 72, compress = FALSE, bg = "grey80")
  plot(fit, "margins")
  dev.off()
  expect_false(any(grepl("^1.000 1.000 1.000 (scn|rg)", readLines(file, warn = FALSE), useBytes = TRUE)))
})

test_that("names of classes stand beyond the bars", {
  drawn <- drawn_text(plot(two_classes(), "margins"), 350, 300)
  counts <- drawn[drawn$text == "15", ] # the highest bar has 15 rows
  expect_gt(drawn$y[drawn$text == "yes"], max(counts$y))
  expect_lt(drawn$y[drawn$text == "no"], min(counts$y))
})

test_that("classes that margins leave out are told below the title of the axis", {
  drawn <- drawn_text(plot(twelve$fit, "margins"))
  note <- drawn[startsWith(drawn$text, "not shown: 2 classes"), ]
  title <- drawn[startsWith(drawn$text, "training rows:"), ]
  expect_gt(title$y - note$y, 7)
})

test_that("keys of many curves tell how many have no room", {
  for (which in c("roc", "pr")) {
    for (size in list(c(350, 300), c(360, 360), c(700, 525), c(1600, 1200))) {
      drawn <- drawn_text(plot(twelve$tested, which), size[1], size[2])
      expect_identical(entries_told(drawn$text, "class "), 12)
      expect_identical(sum(drawn$text == "chance"), 1L)
      expect_true(all(drawn$y > 0 & drawn$y < size[2]))
    }
  }
  expect_identical(entries_told(drawn_text(plot(twelve$tested, "calibration"))$text, "class "), 12)
  set.seed(1)
  views <- stats::setNames(lapply(1:30, function(k) matrix(rnorm(80), 40)), paste0("view", 1:30))
  fit <- mkl(views, factor(rep(c("a", "b"), 20)), gaussian_kernel(c(1, 4)), control = quiet())
  for (size in list(c(350, 300), c(700, 525))) {
    drawn <- drawn_text(plot(fit, "widths"), size[1], size[2])
    expect_identical(entries_told(drawn$text, "view"), 30)
  }
})

test_that("keys above bounds have rows, and shorten names to the width of the figure", {
  bound <- rademacher_bound(rep(c(1, 4 / 3, 2, 4, Inf), 8), M = rep(10^(1:8), each = 5), n = 1000, R = 1)
  for (width in c(350, 700)) {
    expect_identical(entries_told(drawn_text(plot(bound), width, 0.75 * width)$text, "M = "), 8)
  }
  long <- paste("test errors of a machine whose name is long, far too long for a figure, number", 1:3)
  beside <- stats::setNames(rep(list(data.frame(p = 1:2, value = 0.1)), 3), long)
  drawn <- drawn_text(plot(rademacher_bound(1:2, 10, 100, 1), beside = beside))
  names <- drawn[grepl("number [123]$", drawn$text), ]
  expect_identical(nrow(names), 3L)
  expect_true(all(nchar(names$text) <= 45))
})

test_that("primal and dual objectives are told apart in small figures", {
  drawn <- drawn_text(plot(two_classes(), "convergence"))
  expect_true(all(c("primal (upper bound)", "dual (lower bound)", "tol = 0.001") %in% drawn$text))
})

test_that("names of classes beside a boundary are readable or counted", {
  x <- twelve$x
  fit <- mkl(x, twelve$y, gaussian_kernel(1), control = quiet())
  file <- tempfile(fileext = ".pdf")
  for (width in c(350, 700)) {
    drawn <- drawn_text(plot(fit, "boundary", data = x, resolution = 20), width, 0.8 * width)
    expect_identical(entries_told(drawn$text, "class "), 12)
  }
  pdf(file, 350 / 72, 300 / 72, compress = FALSE)
  plot(fit, "boundary", data = x, resolution = 20)
  dev.off()
  size <- as.numeric(sub(".* Tf ([0-9.]+) .*", "\\1", grep("class 01", readLines(file, warn = FALSE), value = TRUE,
                                                           useBytes = TRUE)))
  expect_gte(size, 6)
})

test_that("a boundary of numbers has a key of plain values, whose lines it draws", {
  set.seed(1)
  x <- matrix(rnorm(80), 40)
  fit <- mkl(x, 5e8 + 1e6 * sin(x[, 1]), gaussian_kernel(1), control = quiet())
  text <- drawn_text(plot(fit, "boundary", data = x, resolution = 20))$text
  expect_false(any(grepl("e+", text, fixed = TRUE)))
  expect_gte(sum(grepl("^(49|50)[0-9]{7}$", text)), 3)
  expect_identical(anyDuplicated(grep("^(49|50)[0-9]{7}$", text, value = TRUE)), 0L)
  skip_if_not_installed("ggplot2")
  layers <- vapply(ggplot2::autoplot(fit, "boundary", data = x, resolution = 20)$layers,
                   function(layer) class(layer$geom)[1], "")
  expect_true("GeomContour" %in% layers)
})

test_that("a position profile has a panel for each model, and a title only if one is given", {
  set.seed(1)
  dna <- vapply(1:60, function(i) paste(sample(c("A", "C", "G", "T"), 20, TRUE), collapse = ""), "")
  y <- factor(rep(c("first", "second", "a class of a name that is too long for the margin of a plot"), 20))
  fit <- mkl(dna, y, weighted_degree_kernel(2), control = quiet())
  drawn <- drawn_text(plot(fit, "profile"))
  expect_true(all(c("first", "second") %in% drawn$text))
  names <- drawn[drawn$text %in% c("first", "second") | grepl("margin of a plot|of a plot", drawn$text), ]
  expect_identical(anyDuplicated(round(names$y)), 0L)
  expect_true(all(names$x > 0))
  expect_false(any(grepl("each position", drawn$text)))
  expect_true("Sites" %in% drawn_text(plot(fit, "profile", main = "Sites"))$text)
  skip_if_not_installed("ggplot2")
  expect_identical(nlevels(ggplot2::layer_data(ggplot2::autoplot(fit, "profile"))$PANEL), 3L)
})

test_that("shares of views are written only where bars leave room", {
  set.seed(1)
  views <- stats::setNames(lapply(1:30, function(k) matrix(rnorm(80), 40)), paste0("view", 1:30))
  y <- factor(rep(c("a", "b"), 20))
  shares <- function(views, ...) {
    fit <- mkl(views, y, gaussian_kernel(c(1, 4)), control = quiet())
    drawn <- drawn_text(plot(fit, "weights", zeros = TRUE, most = 60, by = "kernel"), ...)
    sum(grepl("% of the fitted function", drawn$text))
  }
  expect_equal(shares(views, 700, 525), 0)
  expect_equal(shares(views[1:3], 700, 525), 3)
})

test_that("an area without an interval has none in its key, and a class without rows no share", {
  fit <- mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), gaussian_kernel(2), control = quiet())
  one <- assess(fit, iris[c(51, 150), 1:4], droplevels(iris$Species[c(51, 150)]), draws = 20)
  text <- drawn_text(plot(one, "roc"))$text
  expect_identical(grep("area", text, value = TRUE), "area 1.000")
  expect_false(any(grepl("NA", text)))
  half <- assess(fit, iris[101:120, 1:4], factor(rep("virginica", 20), levels(fit$y)), draws = 20)
  drawn <- drawn_text(plot(half, "confusion"))$text
  expect_false("0 %" %in% drawn)
  expect_true(any(grepl("^[0-9]+ %$", drawn)))
})

test_that("long titles have several lines, within the figure", {
  fit <- two_classes()
  title <- "A rather long main title for the margins of two classes of normal rows"
  words <- strsplit(title, " ")[[1]]
  for (draw in list(function() plot(fit, "margins", main = title), function() plot(fit, "convergence", main = title))) {
    drawn <- drawn_text(draw())
    lines <- drawn[vapply(drawn$text, function(text) grepl(text, title, fixed = TRUE) && nchar(text) > 8, NA), ]
    expect_gt(nrow(lines), 1)
    expect_identical(strsplit(paste(lines$text, collapse = " "), " ")[[1]], words)
    expect_true(all(lines$x > 0 & lines$y < 300))
  }
  expect_false(any(endsWith(drawn_text(plot(fit, "margins", main = title), 1400, 900)$text, "the margins")))
  skip_if_not_installed("ggplot2")
  expect_match(ggplot2::autoplot(fit, "margins", main = title)$labels$title, "^A rather.*\n.*rows$")
})

test_that("titles of two panels do not touch in small figures", {
  file <- tempfile(fileext = ".pdf")
  pdf(file, 350 / 72, 300 / 72, compress = FALSE, useKerning = FALSE)
  par(mfrow = c(2, 2))
  plot(two_classes(), "convergence")
  width <- 72 * strwidth("relative gap", "inches", cex = 1 / (12 * par("cex"))) # points, in letters of one point
  dev.off()
  lines <- grep("[(](objective|relative gap)[)]", readLines(file, warn = FALSE), value = TRUE, useBytes = TRUE)
  numbers <- lapply(strsplit(lines, " "), function(line) as.numeric(line[c(5, 9)])) # size, lower end
  expect_gt(numbers[[1]][2], numbers[[2]][2] + width * numbers[[2]][1])
})

test_that("steps of the objectives are all shown, or a note says which are not", {
  fit <- two_classes()
  steps <- function(gap, objective) {
    fit$history <- fit$history[rep(1L, 4L), ]
    fit$history[c("iteration", "time", "objective", "gap")] <- list(1:4, c(0.01, 0.02, 0.03, 0.05), objective, gap)
    fit
  }
  note <- "not shown: objectives while the gap is above 0.5"
  near <- steps(c(0.55, 0.4, 0.01, 5e-4), c(2, 3, 3.9, 4))
  far <- steps(c(0.99, 0.4, 0.01, 5e-4), c(2, 3, 3.9, 4))
  expect_false(note %in% drawn_text(plot(near, "convergence"))$text)
  expect_true(note %in% drawn_text(plot(far, "convergence"))$text)
  skip_if_not_installed("ggplot2")
  known <- function(fit) {
    data <- ggplot2::autoplot(fit, "convergence")$data
    unname(table(data$line[!is.na(data$y)])[c("primal (upper bound)", "dual (lower bound)", "relative gap")])
  }
  expect_identical(as.vector(known(near)), c(4L, 4L, 4L))
  expect_identical(as.vector(known(far)), c(3L, 3L, 4L))
  expect_identical(ggplot2::autoplot(far, "convergence")$labels$caption, note)
})

test_that("keys and notes say what colours and fillings mean", {
  inside <- drawn_text(plot(mkl(as.matrix(faithful), kernels = gaussian_kernel(1), control = quiet()), "boundary",
                            data = as.matrix(faithful), resolution = 20))
  expect_true(all(c("inside", "outside") %in% inside$text))
  expect_true("dark: errors" %in% drawn_text(plot(twelve$fit, "margins"))$text)
  fit <- two_classes()
  set.seed(1)
  x <- matrix(rnorm(120), 60)
  found <- permutation_importance(fit, x, factor(ifelse(x[, 1] > 0, "yes", "no")), by = "feature", repeats = 2)
  expect_true("filled: adjusted p < 0.05" %in% drawn_text(plot(found))$text)
  few <- which(!(twelve$y %in% c("class 01", "class 02")) | seq_along(twelve$y) %% 24 < 12)[1:110]
  unequal <- assess(twelve$fit, twelve$x[few, ], twelve$y[few], draws = 20)
  expect_true("chance of each class" %in% drawn_text(plot(unequal, "pr"), 700, 525)$text)
  skip_if_not_installed("ggplot2")
  chance <- ggplot2::layer_data(ggplot2::autoplot(unequal, "pr"), 1)
  expect_identical(chance$colour, ggplot2::layer_data(ggplot2::autoplot(unequal, "pr"), 2)$colour[
    match(1:12, ggplot2::layer_data(ggplot2::autoplot(unequal, "pr"), 2)$group)])
  expect_identical(ggplot2::autoplot(unequal, "pr")$labels$subtitle, "dashed: chance of each class")
  expect_identical(ggplot2::autoplot(twelve$fit, "margins")$labels$subtitle,
                   "on the right: training error; dark: errors")
})

test_that("high figures show margins of more classes", {
  classes <- function(height) sum(startsWith(drawn_text(plot(twelve$fit, "margins"), 700, height)$text, "class "))
  expect_identical(classes(300), 10L)
  expect_identical(classes(600), 12L)
})

test_that("names of models above panels are wrapped before they are cut", {
  y <- factor(rep(c("Blue female crab", "Orange female crab", "Blue male crab", "Orange male crab"), 15))
  set.seed(2)
  fit <- mkl(matrix(rnorm(120), 60), y, gaussian_kernel(c(1, 4)), control = quiet())
  drawn <- drawn_text(plot(fit, "weights"))$text
  expect_identical(sum(drawn == "crab" | endsWith(drawn, " crab")), 4L)
  expect_false(any(grepl("...", drawn, fixed = TRUE)))
})
