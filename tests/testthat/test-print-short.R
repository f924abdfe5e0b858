# One object of each kind that prints, of wide data with many kernels, classes and views.

wide_objects <- function() {
  set.seed(1)
  n <- 60
  views <- stats::setNames(lapply(1:6, function(v) {
    matrix(rnorm(n * 15), n, dimnames = list(paste0("sample_", 1:n), sprintf("gene_with_a_long_name_%d_%d", v, 1:15)))
  }), sprintf("view_with_a_rather_long_name_%d", 1:6))
  y <- rnorm(n) + views[[1]][, 1] > 0
  twelve <- factor(rep(paste("class with a long name", letters[1:12]), 5))
  kernels <- c(gaussian_kernel(2^(-3:9)), linear_kernel())
  control <- mkl_control(progress = FALSE)
  fit <- mkl(views, y, kernels, control = control)
  x <- views[[1]]
  many <- mkl(x, twelve, kernels, control = control)
  cv <- cv_mkl(views, y, kernels, p = c(1, 2), C = c(0.1, 1, 10), folds = 3, control = control,
               measure = c("accuracy", "auc", "mcc", "f1"), nested = 3)
  path <- mkl_path(x, twelve, kernels, C = c(0.01, 10), control = control)
  gomp <- mkl_gomp(x, rnorm(n), per_feature(gaussian_kernel(2^(0:3))), max_kernels = 20)
  importance <- permutation_importance(fit, views, y, by = "feature", repeats = 3)
  file <- tempfile(fileext = ".json")
  write_model(fit, file)
  times <- mkl(x, structure(cbind(time = rexp(n), status = rbinom(n, 1, 0.7)), class = "Surv", type = "right"), kernels)
  objects <- list(
    fit, many, mkl(x, twelve, kernels, multiclass = "ovo"), mkl(x, twelve, kernels, multiclass = "shared"),
    mkl(x, y, lapply(1:40, function(k) gaussian_kernel(k))  |> do.call(what = c), p = 1),
    mkl(x, x + 0.1 * matrix(rnorm(length(x)), n), kernels), mkl(x, rnorm(n), kernels, loss = quantile_loss(1:9 / 10)), mkl(x, kernels = kernels),
    mkl(x, rnorm(n), kernels), times, times$y, kernel_weights(fit), kernel_weights(many), kernel_weights(fit, by = "view"),
    kernel_weights(mkl(x, y, linear_kernel()), features = TRUE), support(many), fit$kernels, kernels, path, gomp, cv,
    mkl_gomp(x, twelve, per_feature(gaussian_kernel(1)), max_kernels = 20), mllkm(x[, 1:3], y, gamma = 2^(-3:3)),
    mllkm(x[, 1:3], twelve, gamma = 1), mkl_sequential(x, y, gaussian_kernel(2^seq(-3, 6, 0.1))),
    mkl_sequential(x, twelve, kernels), kernel_dictionary(do.call(c, lapply(1:20, function(k) on_features(linear_kernel(), k)))),
    kernel_alignment(fit$kernels, views, y), kernel_stability(cv), drop_view(cv, views, y, kernels, tune = FALSE),
    duality_gap(many, x), sample_map(fit, views, views, y), importance,
    assess(fit, views, y, draws = 50), assess(many, x, twelve, draws = 50), mkl_control(), lp_norm(2), huber_loss(1),
    assess(stats::setNames(rep(list(fit), 12), letters[1:12]), views, y, draws = 50), assess(list(a = fit, b = fit), views, y),
    suppressWarnings(risk_bound(fit, views, y, margin = 1:9)), rademacher_bound(1:30, 10, 100, 1), bound_by_norm(10, 100, 1),
    empirical_rademacher(kernels, x, 1:20, draws = 20), gomp_bound(10, 1:20, 100, 1, 1), read_model(file),
    gomp_recovery(gomp$kernels, x, 1:3, lambda = 1), LearnerClassifMKL
  )
  list(objects = objects, summaries = list(fit, many, cv, path, importance, objects[[33]]))
}

test_that("everything prints in 15 lines of 80 characters, and summaries say more", {
  skip_unless_slow()
  made <- suppressMessages(wide_objects())
  classes <- vapply(made$objects, function(one) class(one)[1L], "")
  printed <- lapply(made$objects, function(one) capture.output(print(one)))
  expect_identical(classes[lengths(printed) > 15], character())
  expect_identical(grep("^.{81,}", unlist(printed), value = TRUE), character())
  expect_identical(unlist(printed[!lengths(printed)]), NULL)
  summaries <- lapply(made$summaries, summary)
  for (one in summaries) expect_gt(length(capture.output(print(one))), 15)
  methods <- parseNamespaceFile("manykernels", dirname(system.file(package = "manykernels")))$S3methods
  methods <- methods[methods[, 1] == "print", 2]
  seen <- unique(unlist(lapply(c(made$objects, summaries), class)))
  expect_identical(setdiff(grep("^summary", methods, invert = TRUE, value = TRUE), seen), character())
})

test_that("what is left out is counted, with the call that shows it", {
  fit <- mkl(iris[1:4], iris$Species == "setosa", gaussian_kernel(2^(-9:30)), p = 4)
  lines <- capture.output(print(fit))
  expect_length(lines, 15)
  shown <- sum(grepl("^ gaussian", lines))
  expect_match(lines, sprintf("^... and %d more kernels: see print\\(x, n = Inf\\)$", 40 - shown), all = FALSE)
  expect_identical(sum(grepl("^ gaussian", capture.output(print(fit, n = Inf)))), 40L)
  expect_identical(sum(grepl("^ gaussian", capture.output(print(fit, n = 2)))), 2L)
  expect_match(capture.output(print(kernel_weights(fit), n = 3)), "... and 37 more rows", all = FALSE)
  expect_classed(print(fit, n = 0), "invalid_argument", "n")
  expect_classed(print(kernel_weights(fit), n = "a"), "invalid_argument", "n")
})

test_that("in a narrow window what is left out is still said in full", {
  views <- lapply(split(1:4, c("petal_measures", "sepal_measures")[c(2, 2, 1, 1)]), function(k) iris[k])
  fit <- mkl(views, iris$Species == "setosa", gaussian_kernel(2^(-9:9)), p = 4, control = quiet())
  old <- options(width = 40)
  on.exit(options(old))
  lines <- trimws(capture.output(print(kernel_weights(fit), n = 3)))
  text <- paste(lines, collapse = " ")
  expect_match(text, "\\.\\.\\. and 35 more rows and [0-9] more columns: see print\\(x, n = Inf\\)")
})

test_that("narrow windows have 15 lines, too, and summaries keep to the width", {
  y <- factor(rep(c("Blue female crab", "Orange female, Leptograpsus variegatus", "Blue male", "Orange male"), 15))
  set.seed(1)
  x <- list(front = matrix(rnorm(120), 60), shell = matrix(rnorm(120), 60))
  fits <- list(mkl(x, y, gaussian_kernel(2^(-4:4)), multiclass = "shared", control = quiet()),
               mkl(x, y, gaussian_kernel(2^(-4:4)), control = quiet()))
  two <- mkl(x, y == "Blue male", gaussian_kernel(1), loss = "logistic", control = quiet())
  tested <- assess(two, x, y == "Blue male", draws = 20)
  old <- options(width = 60)
  on.exit(options(old))
  for (fit in fits) {
    lines <- capture.output(print(fit))
    expect_lte(length(lines), 15)
    expect_lte(max(nchar(lines)), 60)
  }
  expect_match(capture.output(print(fits[[2]])), "^... and [0-9]+ more kernels, [23] more columns: print\\(x, n = Inf\\)$",
               all = FALSE)
  expect_lte(max(nchar(capture.output(print(summary(two))))), 60)
  expect_lte(length(capture.output(print(sample_map(two, x)))), 15)
  options(width = 80)
  expect_lte(max(nchar(capture.output(print(summary(tested))))), 80)
})

test_that("long arguments of a call are indented as others are", {
  fit <- mkl_sequential(iris[51:100, 1:4], rep(1:2, 25), control = quiet(), dictionary =
                          c(on_features(gaussian_kernel(c(0.5, 2, 8)), list(1:2, 2:3, 3:4)), linear_kernel()))
  expect_match(capture.output(print(fit)), "^    dictionary = ", all = FALSE)
})

test_that("long names of two classes are shortened", {
  class <- factor(rep(paste0(strrep("a_long_name_", 7), 1:2), 25))
  x <- iris[51:100, 1:4]
  for (fit in list(mkl(x, class, control = quiet()), mkl_gomp(x, class, gaussian_kernel(1:9), control = quiet()))) {
    lines <- capture.output(print(fit))
    expect_lte(length(lines), 15)
    expect_lte(max(nchar(lines)), 80)
  }
})
