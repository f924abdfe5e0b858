# Advice in messages: following it leads to a fit.

set.seed(1)
a <- matrix(rnorm(80), 20, dimnames = list(paste0("s", 1:20), letters[1:4]))
y <- stats::setNames(factor(rep(c("u", "v"), 10)), rownames(a))

test_that("a repeated sample name is named, and removing names leads on", {
  b <- a
  rownames(b)[2] <- "s1"
  expect_error(mkl(list(a = a, b = b), y), "`x$b` has `s1` more than once", fixed = TRUE,
               class = "manykernels_duplicated_samples")
  rownames(b) <- NULL
  expect_lte(mkl(list(a = a, b = b), y)$gap, 1e-3)
  # bootstrapped rows, which a data frame numbers
  rows <- rep(1:10, 2)
  views <- list(p = as.data.frame(a)[rows, ], q = a[rows, ])
  expect_error(mkl(views, unname(y)), "Data frames number repeated rows", class = "manykernels_duplicated_samples")
  rownames(views$q) <- NULL
  rownames(views$p) <- NULL
  expect_lte(mkl(views, unname(y))$gap, 1e-3)
})

test_that("samples without a label are left out of every view", {
  b <- matrix(rnorm(80), 20, dimnames = list(paste0("s", c(1:15, 21:25)), NULL))
  x <- list(a = a, b = b)
  for (missing_views in c("neutral", "drop")) {
    expect_error(suppressMessages(mkl(x, y[1:18], missing_views = missing_views)),
                 "view[rownames(view) %in% names(y), , drop = FALSE]", fixed = TRUE,
                 class = "manykernels_sample_names")
    known <- lapply(x, function(view) view[rownames(view) %in% names(y), , drop = FALSE])
    fit <- suppressMessages(mkl(known, y, missing_views = missing_views))
    expect_lte(fit$gap, 1e-3)
  }
})

test_that("formulas as text and after the data get a hint", {
  d <- data.frame(y = y, a)
  expect_error(mkl("y ~ .", d), "without quotes", class = "manykernels_invalid_argument")
  expect_error(cv_mkl("y ~ .", d), "without quotes", class = "manykernels_invalid_argument")
  expect_error(mkl(data = d, formula = y ~ .), "which come first", class = "manykernels_invalid_argument")
})

test_that("files are what their names say", {
  skip_if_not_installed("jsonlite")
  fit <- mkl(a, y)
  expect_error(write_model(fit, tempfile(fileext = ".rds")), "model.json", class = "manykernels_invalid_argument")
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  write_model(fit, file)
  model <- read_model(file)
  expect_error(duality_gap(model, a), "saveRDS", class = "manykernels_unsupported")
  expect_error(plot(model), "saveRDS", class = "manykernels_unsupported")
  expect_identical(unname(format_of_file("a.docx")), "word_document")
  expect_identical(format_of_file("dir.x/report"), "html_document")
  expect_error(format_of_file("a.txt"), ".html", class = "manykernels_invalid_argument")
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available())
  word <- tempfile(fileext = ".docx")
  on.exit(unlink(word), add = TRUE)
  report(fit, word)
  expect_identical(readBin(word, "raw", 2), charToRaw("PK"))
})
