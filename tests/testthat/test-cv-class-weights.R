# Rare classes in cross-validation.

skip_on_cran() # a slow file
quiet <- mkl_control(progress = FALSE)

d <- local({
  set.seed(3)
  y <- factor(rep(c("no", "yes"), c(108, 12)))
  x <- matrix(rnorm(360), 120)
  x[y == "yes", 1] <- x[y == "yes", 1] + 1
  list(x = x, y = y)
})
cv_with <- function(...) {
  set.seed(1)
  cv_mkl(d$x, d$y, gaussian_kernel(4), folds = 4, control = quiet, ...)
}

test_that("balanced weights are tried where a class is rare, by the balanced accuracy", {
  cv <- cv_with()
  expect_identical(cv$measure, "balanced_accuracy")
  expect_identical(cv$rule, "margin")
  expect_setequal(cv$results$class_weights, c("equal", "balanced"))
  expect_identical(cv$best$class_weights, "balanced")
  expect_identical(cv$fit$cost, mkl(d$x, d$y, gaussian_kernel(4), C = cv$best$C, class_weights = "balanced", control = quiet)$cost)
  # both measures and the loss as they are computed from the predictions
  held <- split(cv$predictions, cv$predictions$fold)
  chosen <- cv$results[cv$best_row, ]
  balanced <- function(own) mean(tapply(own$response == own$truth, own$truth, mean), na.rm = TRUE)
  expect_equal(chosen$balanced_accuracy, mean(vapply(held, balanced, 0)))
  loss <- function(own) {
    w <- 1 / as.vector(table(own$truth)[own$truth])
    margin <- ifelse(own$truth == "yes", 1, -1) * own$decision
    stats::weighted.mean(log2(1 + exp(-2 * margin / sqrt(stats::weighted.mean(margin^2, w)))), w)
  }
  expect_equal(chosen$margin_loss, mean(vapply(held, loss, 0)))
  expect_setequal(cv$estimate$measure, c("balanced_accuracy", "accuracy", "margin_loss"))
  expect_false(anyNA(cv$estimate[-1]))
  expect_output(print(cv), "; largest class \"no\": 0.9", fixed = TRUE)
  expect_identical(cv_with(measure = "balanced_accuracy")$rule, "best")
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(cv))
})

test_that("what the user gives, and classes of similar size, leave the weights alone", {
  skip_unless_slow()
  expect_null(cv_with(class_weights = NULL)$results$class_weights)
  expect_null(cv_with(class_weights = "balanced")$results$class_weights)
  expect_null(cv_with(measure = "auc")$results$class_weights)
  expect_null(cv_with(p = 2, C = 1)$results$class_weights)
  expect_identical(cv_with(class_weights = NULL)$measure, "accuracy")
  set.seed(1)
  ten <- factor(rep(1:10, 12)) # a tenth each: none is rare
  expect_null(suppressWarnings(cv_mkl(d$x, ten, gaussian_kernel(4), p = 2, search = "adaptive", folds = 3,
                                      control = quiet))$results$class_weights)
})

test_that("a fit that predicts one class says so, and what to try", {
  set.seed(1)
  cv <- cv_mkl(d$x, d$y, gaussian_kernel(4), p = 2, C = 0.01, folds = 4, control = quiet)
  expect_output(print(cv), "All rows are predicted as \"no\". Try `class_weights = \"balanced\"`", fixed = TRUE)
  expect_output(print(cv$fit), "`threshold =\\s+\"balanced\"`")
  expect_no_match(capture.output(print(mkl(d$x, d$y, gaussian_kernel(4), class_weights = "balanced", control = quiet))),
                  "All rows")
})

test_that("what is in use already, or was tried, is not advised", {
  set.seed(1)
  lone <- function(...) {
    cv <- suppressWarnings(cv_mkl(d$x, rare, gaussian_kernel(0.01), p = 1, folds = 3, control = quiet, ...))
    list(cv = cv, text = paste(trimws(capture.output(print(cv, n = Inf))), collapse = " "))
  }
  rare <- factor(rep(c("r", "s"), c(3, nrow(d$x) - 3)))
  threshold_or_loss <- "as \"s\". Try `threshold = \"balanced\"`, or `loss = \"logistic\"`, to tell the other apart."
  expect_match(lone(C = 1, class_weights = "balanced")$text, threshold_or_loss, fixed = TRUE)
  searched <- lone(search = "adaptive")
  expect_true("class_weights" %in% searched$cv$tuned)
  expect_match(searched$text, threshold_or_loss, fixed = TRUE)
  expect_match(lone(C = 1, class_weights = "balanced", loss = "logistic")$text, "Try `threshold = \"balanced\"` to tell",
               fixed = TRUE)
  fit <- mkl(d$x, rare, gaussian_kernel(2), C = 1e-3, class_weights = c(r = 2), control = quiet)
  text <- paste(trimws(capture.output(print(fit))), collapse = " ")
  expect_match(text, threshold_or_loss, fixed = TRUE)
})

test_that("nested folds choose the weights anew, and three rows of a class are enough to go on", {
  skip_unless_slow()
  nested <- suppressWarnings(cv_with(nested = 3))
  expect_true(all(nested$nested$by_fold$class_weights %in% c("equal", "balanced")))
  rows <- c(1:108, 109:111)
  set.seed(1)
  cv <- suppressWarnings(cv_mkl(d$x[rows, ], d$y[rows], folds = 5, control = quiet))
  expect_s3_class(cv$fit, "mkl")
  expect_true("class_weights" %in% cv$tuned)
})

test_that("folds without the rare class do not raise the balanced accuracy", {
  set.seed(1)
  x <- matrix(rnorm(180), 60)
  y <- factor(rep(c("r", "s"), c(3, 57)))
  cv <- suppressWarnings(cv_mkl(x, y, gaussian_kernel(2), p = 1, C = 0.001, measure = "balanced_accuracy",
                                control = mkl_control(progress = FALSE)))
  expect_true(all(cv$predictions$response == "s"))
  expect_identical(cv$results$mean, 0.5)
  expect_identical(cv$results$folds, 3)
  expect_equal(cv$estimate$estimate[1], 0.5)
})
