skip_on_cran() # a slow file
views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
y <- droplevels(iris$Species[51:150])
quiet <- mkl_control(progress = FALSE)

# expect_match() takes seconds for each question to a whole page.
expect_shown <- function(text, part, ...) {
  expect_true(grepl(part, text, ...), label = sprintf("there is \"%s\"", part))
}

test_that("reports show data, kernels, choice, certificate, weights, errors and session", {
  skip_if_not_installed("rmarkdown")
  skip_if_not_installed("knitr")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  set.seed(1)
  cv <- cv_mkl(views, y, gaussian_kernel(c(1, 4)), p = c(1, 2), C = c(0.1, 1), folds = 3,
               control = quiet)
  file <- tempfile(fileext = ".html")
  found <- permutation_importance(cv, x = views, y = y, kernels = gaussian_kernel(c(1, 4)), repeats = 3)
  expect_identical(basename(report(cv, file, data = views, importance = found)), basename(file))
  text <- paste(readLines(file), collapse = "\n")
  for (part in c("Data", "Kernels", "Choice of the settings", "Certificate", "Importance", "Weights by view",
                 "Loss of accuracy when the values of a view are swapped between rows",
                 "Errors", "Session", "recomputed from the training data", "petal")) {
    expect_shown(text, part, fixed = TRUE)
  }
  # accuracy first, then importance, then weights
  expect_shown(text, "id=\"errors\".*id=\"importance\".*id=\"weights-by-view\"")
  expect_error(report(cv, file, importance = 1), class = "manykernels_invalid_argument")
})

test_that("the importance of another fit is refused", {
  d <- droplevels(iris[51:150, ])
  train <- seq(1, 100, 2)
  fit <- mkl(list(petal = d[train, 3:4], sepal = d[train, 1:2]), d$Species[train], linear_kernel(), control = quiet)
  new <- list(petal = d[-train, 3:4], sepal = d[-train, 1:2])
  refused <- function(fit, importance, text, ...) {
    expect_error(report(fit, tempfile(fileext = ".html"), importance = importance, ...), text, fixed = TRUE,
                 class = "manykernels_mismatch")
  }
  swapped <- function(...) permutation_importance(..., repeats = 2)
  other <- mkl(list(petal = d[train, 3:4], leaf = d[train, 1:2]), d$Species[train], linear_kernel(), control = quiet)
  of_view <- swapped(other, list(petal = d[-train, 3:4], leaf = d[-train, 1:2]), d$Species[-train])
  refused(fit, of_view, "but it has the view `leaf`, which the fit lacks")
  whole <- mkl(d[train, 1:4], d$Species[train], linear_kernel(), control = quiet)
  of_feature <- swapped(whole, d[-train, 1:4], d$Species[-train], by = "feature")
  fewer <- mkl(d[train, 1:3], d$Species[train], linear_kernel(), control = quiet)
  refused(fewer, of_feature, "but it has the feature")
  refused(whole, swapped(fewer, d[-train, 1:3], d$Species[-train], by = "feature"), "but it lacks the feature")
  refused(mkl(d[train, 1:4], d$Petal.Width[train], linear_kernel(), control = quiet), of_feature,
          "but it is for classes, and the fit for numbers")
  flowers <- mkl(iris[1:4], iris$Species, linear_kernel(), control = quiet)
  refused(flowers, of_feature, "but it lacks the class `setosa` of the fit")
  # by kernel, and of fits from a formula; a list
  refused(fit, list(swapped(fit, new, d$Species[-train]), swapped(whole, d[-train, 1:4], d$Species[-train], by = "kernel")),
          "but it has the kernel")
  formula <- mkl(Species ~ Petal.Width + Sepal.Width, d[train, ], linear_kernel(), control = quiet)
  refused(formula, of_feature, "but it has the feature")
  # of the fit itself an importance goes on to the next check
  for (by in list("view", "kernel", "set", "feature", list(all = c("Petal.Width", "Sepal.Width")))) {
    expect_error(report(formula, importance = swapped(formula, d[-train, ], by = by), quiet = 1),
                 class = "manykernels_invalid_argument")
  }
})

test_that("facts are there for fits of all kinds", {
  k <- gaussian_kernel(c(1, 4))
  for (fit in list(
    mkl(views, y, k, control = quiet), mkl(mpg ~ ., mtcars, kernels = k, control = quiet),
    mkl(views, kernels = k, control = quiet), mkl(iris[1:4], iris$Species, k, control = quiet),
    mkl_gomp(views, y, k), mkl_sequential(views$petal, y, k, control = quiet),
    mllkm(views$petal, y, control = quiet),
    mkl(y = y, kernels = precomputed_kernel(tcrossprod(views$petal)), control = quiet)
  )) {
    facts <- report_facts(fit)
    expect_equal(sum(facts$kernels$kernels), length(fit$kernels))
    expect_equal(facts$errors$estimate, summary(fit)$error)
    expect_equal(max(facts$models$gap), max(fit$gap))
  }
  one <- report_facts(mkl(views, y, k, control = quiet))
  expect_identical(one$data$value, c("100 rows", "petal: 2 columns", "sepal: 2 columns",
                                     "50 versicolor, 50 virginica",
                                     "lp-norm MKL, p = 2, hinge loss, C = 1"))
  # Wilson's interval at 0 errors of 100 is z^2 / (n + z^2)
  z <- qnorm(0.975)
  expect_equal(unlist(wilson_interval(0, 100)), c(0, z^2 / (100 + z^2)))
})

test_that("errors held out are those of the chosen cell, or of nested resampling", {
  set.seed(2)
  cv <- cv_mkl(views, y, gaussian_kernel(c(1, 4)), p = 2, C = c(0.1, 1), folds = 3, nested = TRUE,
               control = quiet)
  errors <- report_facts(cv)$errors
  nested <- cv$nested$estimate[1, ]
  limits <- c("estimate", "lower", "upper")
  of <- function(rows) unlist(errors[match(rows, errors$rows), limits], use.names = FALSE)
  expect_equal(of("held out, nested (choice included)"), pmin(nested$mean + c(0, -2, 2) * nested$se, 1))
  expect_equal(of("held out, mean of the chosen cell"), c(cv$results$mean[cv$best_row], NA, NA))
  expect_identical(of("new samples, expected"), unlist(cv$estimate[1, limits], use.names = FALSE))
  expect_match(report_facts(cv)$estimate_text, "about 95 of 100 such intervals contain the value[)].* among 2 by the held-out")
  cv[c("nested", "estimate")] <- NULL
  expect_identical(report_facts(cv)$errors$rows[-1], rep("held out, mean of the chosen cell", 2))
})

test_that("the caption says how often the held-out table counts a row", {
  skip_unless_slow()
  cv <- function(...) cv_mkl(views, y, gaussian_kernel(1), p = 1, C = 1, control = quiet, ...)
  twice <- report_facts(cv(folds = 3, repeats = 2))
  expect_equal(sum(twice$held_out), 2 * length(y))
  expect_identical(twice$held_out_caption, "Rows held out, by the chosen cell, each once in each of the 2 repeats")
  expect_identical(report_facts(cv(folds = 3))$held_out_caption, "Rows held out, by the chosen cell")
  skip_if_not_installed("rmarkdown")
  skip_if_not_installed("knitr")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  file <- tempfile(fileext = ".html")
  report(cv(folds = 3, repeats = 2), file)
  expect_shown(paste(readLines(file), collapse = " "), "each once in each of\\s+the 2 repeats: true classes")
})

test_that("what can't be reported is a classed error", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    report(1)
    report(mkl(views, y, gaussian_kernel(1)), file = 1)
    report(mkl(views, y, gaussian_kernel(1)), title = "x")
  })
})

test_that("folders and formats that don't exist are classed errors", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  fit <- mkl(views, y, gaussian_kernel(1))
  refused <- function(text, ...) expect_error(report(fit, ...), text, class = "manykernels_invalid_argument")
  refused("dir.create.*none", file.path(tempdir(), "none", "a.html"))
  refused("must be a file, not a folder", tempdir())
  refused("such as \"word_document\"", tempfile(fileext = ".docx"), format = "docx")
  refused("such as \"html_document\"", tempfile(), format = "a::b::c")
  refused("end in .docx", tempfile(fileext = ".html"), format = "word_document")
  expect_error(report(fit, tempfile(), format = "nopackage::a_document"), class = "manykernels_missing_package")
  old <- setwd(tempdir())
  on.exit(setwd(old))
  expect_true(file.exists(basename(report(fit, "relative.html"))))
  expect_error(report(fit, tempfile(), format = "render"), "quiet = FALSE", class = "manykernels_report")
})

test_that("responses and errors are called what they are", {
  skip_unless_slow()
  fact <- function(...) {
    facts <- report_facts(mkl(..., kernels = linear_kernel(), control = quiet))
    c(facts$data$value[facts$data$what == "response"], facts$errors$measure[1])
  }
  x <- mtcars[c("wt", "hp")]
  expect_identical(fact(x, factor(mtcars$am)), c("19 0, 13 1", "error"))
  expect_identical(fact(x), c("none (one class)", "proportion outside"))
  expect_identical(fact(x, mtcars$mpg), c("numbers from 10.4 to 33.9", "root mean squared error"))
  for (tau in list(0.5, c(0.2, 0.8))) {
    expect_identical(fact(x, mtcars$mpg, loss = quantile_loss(tau)),
                     c("numbers from 10.4 to 33.9", "pinball loss"))
  }
  labels <- cbind(manual = mtcars$am, straight = mtcars$vs)
  expect_identical(fact(x, labels),
                   c("labels: manual in 13 rows, straight in 14 rows", "share of wrong labels"))
  expect_identical(fact(x, as.matrix(mtcars[c("mpg", "qsec")])),
                   c("numbers: mpg from 10.4 to 33.9, qsec from 14.5 to 22.9", "root mean squared error"))
  gomp <- report_facts(mkl_gomp(x, labels, linear_kernel()))
  expect_identical(gomp$errors$measure, "share of wrong labels")
  skip_if_not_installed("survival")
  times <- survival::Surv(mtcars$mpg, mtcars$am)
  expect_identical(fact(x, times), c("13 events, 19 censored", "concordance"))
  fit <- mkl(x, times, linear_kernel(), control = quiet)
  expect_equal(report_facts(fit)$errors$estimate, training_concordance(fit))
})

test_that("the model is named with its settings", {
  model <- function(fit) tail(report_facts(fit)$data$value, 1)
  x <- mtcars[c("wt", "hp")]
  expect_identical(model(mkl(x, mtcars$mpg, linear_kernel(), p = 1, C = 3, loss = "squared", control = quiet)),
                   "lp-norm MKL, p = 1, squared loss, C = 3")
  expect_identical(model(mkl_gomp(x, mtcars$mpg, linear_kernel(), lambda = 0.5)),
                   "group matching pursuit, squared loss, lambda = 0.5")
  expect_identical(model(mllkm(x, factor(mtcars$am), control = quiet)), "locally linear, hinge loss, C = 1")
})

test_that("kernels that each class has of its own are all counted", {
  fit <- mllkm(iris[seq(1, 150, 3), 1:4], iris$Species[seq(1, 150, 3)], control = quiet)
  names <- unlist(lapply(fit$models, function(model) names(model$kernels)))
  expect_gt(length(unique(names)), length(fit$models[[1]]$kernels))
  expect_equal(sum(report_facts(fit)$kernels$kernels), length(unique(names)))
})

test_that("reports of one class and without intervals have no wrong words", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  file <- tempfile(fileext = ".md")
  report(mkl(iris[1:50, 1:4], kernels = linear_kernel(), control = quiet), file,
         format = "md_document")
  text <- paste(readLines(file), collapse = "\n")
  expect_match(text, "Training rows by prediction")
  expect_no_match(text, "true classes in rows")
  report(mkl(mpg ~ wt, mtcars, kernels = linear_kernel(), control = quiet), file,
         format = "md_document")
  text <- paste(readLines(file), collapse = "\n")
  expect_match(text, "root mean squared error")
  expect_no_match(sub("## Session.*", "", text), "\\bNA\\b")
})

test_that("a test set has a section of its own", {
  skip_unless_slow()
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  file <- tempfile(fileext = ".md")
  section <- function(...) {
    report(..., file = file, format = "md_document")
    text <- paste(readLines(file), collapse = "\n")
    sub("## Session.*", "", sub(".*## Test set", "", text))
  }
  rows <- seq(1, 100, 2)
  fit <- mkl(views$petal[rows, ], y[rows], linear_kernel(), loss = "logistic", control = quiet)
  set.seed(1)
  text <- section(fit, newdata = views$petal[-rows, ], y = y[-rows])
  for (part in c("50 new rows: 25 versicolor, 25 virginica", "accuracy", "Wilson", "DeLong", "true classes in rows",
                 "reliability", "test-curves-2.png", "ROC curve of the new rows.",
                 "alt=\"ROC curve of the predictions of new rows", "Calibration of the probabilities of the new rows.",
                 "alt=\"Observed shares of a class")) {
    expect_shown(text, part, fixed = TRUE)
  }
  numbers <- mkl(mpg ~ wt, mtcars[1:20, ], kernels = linear_kernel(), control = quiet)
  text <- section(numbers, newdata = mtcars[21:32, ])
  expect_match(text, "rmse")
  expect_no_match(text, "\\bNA\\b")
  one <- mkl(iris[1:40, 1:4], kernels = linear_kernel(), control = quiet)
  expect_match(section(one, newdata = iris[41:60, 1:4]), "inside")
  expect_error(report(fit, file, y = y), class = "manykernels_invalid_argument")
})

test_that("where LaTeX lacks a package, the error says what to install, and leaves no files", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("tinytex")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  folder <- tempfile("latex")
  dir.create(folder)
  writeLines(c("#!/bin/sh", "for tex; do :; done", # the last argument
               "log=${tex%.tex}.log", "[ \"${log##*/}\" = b.log ] && log=b.log", # as LaTeX does
               "echo \"! LaTeX Error: File \\`lmodern.sty' not found.\" >\"$log\"", "exit 1"),
             file.path(folder, "pdflatex"))
  Sys.chmod(file.path(folder, "pdflatex"), "755")
  old <- list(path = Sys.getenv("PATH"), options = options(tinytex.install_packages = FALSE))
  on.exit({ Sys.setenv(PATH = old$path); options(old$options) })
  Sys.setenv(PATH = paste(folder, old$path, sep = ":"))
  fit <- mkl(mpg ~ wt, mtcars, kernels = linear_kernel(), control = quiet)
  for (given in list(list("a.pdf"), list("a", format = "pdf_document"), list("b.pdf"))) {
    error <- expect_error(suppressWarnings(do.call(report, c(list(fit, file.path(folder, given[[1L]])), given[-1L]))),
                          class = "manykernels_missing_package")
    expect_match(conditionMessage(error), "the packages texlive-latex-recommended and lmodern", fixed = TRUE)
    expect_match(conditionMessage(error), "PDF needs what it lacks (File `lmodern.sty' not found)", fixed = TRUE)
  }
  expect_identical(list.files(folder), "pdflatex")
})

test_that("tables of Word have the widths of their words, and pictures a text", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  set.seed(1)
  cv <- cv_mkl(views, y, gaussian_kernel(c(1, 4)), p = 1, C = c(0.1, 1), folds = 3, control = quiet)
  folder <- tempfile("word")
  dir.create(folder)
  utils::unzip(report(cv, file.path(folder, "a.docx")), exdir = folder)
  text <- paste(readLines(file.path(folder, "word", "document.xml"), warn = FALSE), collapse = "\n")
  all_of <- function(pattern) regmatches(text, gregexpr(pattern, text))[[1]]
  tables <- all_of("<w:tblW [^>]*>")
  expect_gt(length(tables), 5)
  expect_match(tables, "pct")
  # a column of one letter keeps room for its word
  expect_gt(min(as.numeric(gsub("\\D", "", all_of("gridCol w:w=\"[0-9]+\"")))), 300)
  expect_match(all_of("<wp:docPr [^>]*>"), "descr=\"[^\"]+\"")
})

test_that("names are shown as they are, whatever they hold", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  name <- "A*02 ^+^ <cells> | `x` [a](b) $a^2$ -- \\(b\\)"
  odd <- stats::setNames(views, c(name, "other"))
  script <- "*B* <script>alert(1)</script>"
  fit <- mkl(odd, factor(y, labels = c("a", script)), gaussian_kernel(1), control = quiet)
  imported <- permutation_importance(fit, odd, fit$y, repeats = 3)
  file <- report(fit, tempfile(), newdata = odd, y = fit$y, importance = imported)
  expect_identical(tools::file_ext(file), "html") # the ending is added, and the path says so
  text <- paste(readLines(file), collapse = "\n")
  escaped <- function(x) gsub(">", "&gt;", gsub("<", "&lt;", x, fixed = TRUE), fixed = TRUE)
  expect_shown(text, paste0(escaped(name), "</td>"), fixed = TRUE)
  expect_shown(text, paste0("50 ", escaped(script)), fixed = TRUE)
  expect_false(grepl("<script>alert", text, fixed = TRUE))
  expect_false(grepl("mathjax", text, ignore.case = TRUE)) # nothing is fetched
  expect_identical(literal_table(data.frame(p_value = c(1e-10, 0.04)))[[1L]], c("&#60;0&#46;001", "0&#46;04"))
})

test_that("a test set without curves has a section of tables", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  fit <- mkl(views$petal, views$sepal[, 1], gaussian_kernel(4), loss = quantile_loss(c(0.1, 0.9)), control = quiet)
  file <- report(fit, tempfile(fileext = ".html"), newdata = views$petal, y = views$sepal[, 1])
  expect_shown(paste(readLines(file), collapse = "\n"), "Test set", fixed = TRUE)
  expect_error(plot(assess(fit, views$petal, views$sepal[, 1], draws = 10)), "several", class = "manykernels_unsupported")
  expect_error(report(fit, tempfile(fileext = ".html"), data = 1:3), "`data`", class = "manykernels_error")
})

test_that("intervals of nested folds stay within the limits of the measure", {
  set.seed(5)
  x <- matrix(rnorm(80), 40)
  two <- factor(rep(1:2, 20))
  x[two == 1, 1] <- x[two == 1, 1] + 3.2
  cv <- suppressWarnings(cv_mkl(x, two, gaussian_kernel(2), p = 1, C = c(0.1, 1), folds = 4, nested = 4,
                                control = quiet))
  expect_gt(cv$nested$estimate$mean[1] + 2 * cv$nested$estimate$se[1], 1) # or it would show nothing
  expect_identical(tail(held_out_errors(cv)$upper, 2)[1], 1)
})

test_that("on a full disk the old report stays, and the error says so", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  fit <- mkl(mpg ~ wt, mtcars, kernels = linear_kernel(), control = quiet)
  file <- file.path(small_disk(100), "a.html")
  writeLines("old", file)
  expect_error(report(fit, file), "^`file`, .*a.html, can't be written. Make room on its disk",
               class = "manykernels_report")
  expect_identical(readLines(file), "old")
  expect_identical(list.files(dirname(file)), "a.html")
})

test_that("a report in Markdown stands beside its pictures", {
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  fit <- mkl(mpg ~ ., mtcars, kernels = gaussian_kernel(c(1, 4)), control = quiet)
  folder <- tempfile("markdown")
  dir.create(folder)
  text <- readLines(report(fit, file.path(folder, "a.md")))
  pictures <- unlist(regmatches(text, gregexpr("a_files/[^\")]+[.]png", text)))
  expect_gt(length(pictures), 0)
  expect_true(all(file.exists(file.path(folder, pictures))))
  expect_setequal(list.files(folder), c("a.md", "a_files"))
})
