# The rule "margin", and what is done where no rule is given.
skip_on_cran() # a slow file
d <- cv_data()
pair <- gaussian_kernel(c(1, 8))
noisy <- noisy_classes(d$y)
cv_with <- function(x = d$x, y = noisy, kernels = pair, p = c(1, 2), C = 2^(-3:3), ...,
                    folds = rep(1:3, 25), control = quiet()) {
  cv_mkl(x, y, kernels, p = p, C = C, folds = folds, control = control, ...)
}

# The row that the rule must choose, from the means alone.
margin_row <- function(results, larger = TRUE, tol = 1e-3) {
  mean <- if (larger) results$mean else -results$mean
  leaders <- which(mean >= max(mean) - 1e-10)
  if (!is.null(results$set)) leaders <- leaders[order(results$kernels[leaders])]
  se <- results$se[leaders[1]]
  near <- which(mean >= max(mean) - (if (is.na(se)) 0 else se) - 1e-10)
  loss <- results$margin_loss[near]
  # losses that agree within the tolerance of the fits are ties, which the simplest cell wins
  tied <- near[loss <= min(loss) * (1 + tol)]
  kernels <- if (!is.null(results$set)) results$kernels[tied] else 0 * tied
  first <- if (is.null(results$lambda)) results$C[tied] else -results$lambda[tied]
  tied[order(kernels, first, (results$p %||% results$gamma %||% numeric(nrow(results)))[tied])[1]]
}

expect_margin_choice <- function(cv) {
  expect_identical(cv$rule, "margin")
  expect_identical(cv$best_row, margin_row(cv$results, cv$larger))
  expect_identical(cv$best, as.list(cv$results[cv$best_row, cv$tuned, drop = FALSE]))
  expect_identical(cv$results$mean, cv$results[[cv$measure]])
  expect_identical(sum(names(cv$results) == "margin_loss"), 1L)
  expect_false(anyNA(cv$by_fold$margin_loss))
}

test_that("results say which cell the rule must choose", {
  skip_unless_slow()
  cv <- cv_with()
  expect_margin_choice(cv)
  expect_gt(cv$results$se[which.max(cv$results$mean)], 0)
  expect_false(cv$best_row == which.max(cv$results$mean)) # or nothing is tested
  expect_margin_choice(cv_with(kernels = NULL))
  expect_margin_choice(cv_with(kernels = list(a = pair, b = linear_kernel())))
  expect_margin_choice(cv_with(y = d$classes, C = c(0.1, 1, 10)))
  expect_margin_choice(cv_with(y = d$classes, C = c(0.1, 1, 10), multiclass = "ovo"))
  expect_margin_choice(cv_with(weights = rep(c(0:2, 1, 3), 15)))
  expect_margin_choice(cv_with(folds = list(1:25)))
  gomp <- cv_mkl(d$x, noisy, pair, model = "mkl_gomp", lambda = c(0.01, 0.1, 1), folds = rep(1:3, 25))
  expect_margin_choice(gomp)
  local <- cv_mkl(d$x, noisy, model = "mllkm", gamma = c(1, 3), C = c(1, 10), folds = rep(1:3, 25),
                  control = quiet())
  expect_margin_choice(local)
  labels <- cbind(a = noisy == "TRUE", b = d$x[, 1] > 6)
  expect_margin_choice(cv_with(y = labels))
})

test_that("the rule works with every measure, which is shown first", {
  skip_unless_slow()
  cost <- structure(function(truth, response, ...) sum(truth != response), larger = FALSE)
  for (measure in list("accuracy", "auc", "balanced_accuracy", c("mcc", "margin_loss", "f1"),
                       list(cost = cost, "auc"))) {
    cv <- cv_with(measure = measure, rule = "margin")
    expect_margin_choice(cv)
    expect_identical(cv$measure, if (is.list(measure)) "cost" else measure[1])
  }
  log_loss <- cv_with(measure = "log_loss", rule = "margin", loss = "logistic")
  expect_margin_choice(log_loss)
  expect_false(log_loss$larger)
  least <- cv_with(measure = "margin_loss", rule = "margin")
  expect_margin_choice(least)
  expect_identical(least$best_row, which.min(least$results$margin_loss))
  expect_length(least$measures, 1)
})

test_that("the rule is ours where the measure is, for classes; else the best mean counts", {
  few <- list(p = 2, C = c(0.1, 1))
  rule_of <- function(...) do.call(cv_with, c(list(...), few))$rule
  expect_identical(rule_of(), "margin")
  expect_identical(rule_of(rule = NULL), "margin")
  expect_identical(rule_of(y = d$classes), "margin")
  expect_identical(rule_of(y = cbind(a = noisy == "TRUE", b = d$y == "TRUE")), "margin")
  expect_identical(rule_of(measure = "accuracy"), "best")
  expect_identical(rule_of(rule = "one_se"), "one_se")
  expect_identical(rule_of(rule = "best"), "best")
  expect_identical(rule_of(y = d$x[, 1], x = d$x[, -1]), "best")
  expect_identical(rule_of(y = d$x[, 1:2], x = d$x[, -(1:2)]), "best")
  expect_identical(rule_of(y = NULL), "best")
  expect_identical(cv_mkl(Species ~ ., iris[51:150, ], kernels = pair, p = 2, C = 1, folds = 2,
                          control = quiet())$rule, "margin")
  expect_length(cv_with(p = 2, C = 1, rule = "best")$measures, 1)
})

test_that("a response that has no classes is refused by the name of the rule", {
  x <- d$x[, -(1:2)]
  expect_classed(cv_with(x, d$x[, 1], rule = "margin"), "invalid_argument", "rule")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    cv_with(x, d$x[, 1], rule = "margin")
    cv_with(x, d$x[, 1:2], rule = "margin")
    cv_with(x, d$x[, 1], rule = "margin", loss = quantile_loss(0.9))
    cv_with(x, survival::Surv(d$x[, 1], d$x[, 2] > 3), rule = "margin")
    cv_with(y = NULL, rule = "margin")
    cv_with(rule = c("best", "margin"))
    cv_with(rule = NA)
    cv_with(rule = "margin", measure = list(margin_loss = "auc"))
    cv_with(rule = "margin", measure = list(margin_loss_se = function(truth, ...) 1))
  })
})

test_that("views are dropped by the rule, also of results that measure more", {
  skip_unless_slow()
  views <- list(petal = d$x[, 3:4], sepal = d$x[, 1:2])
  for (measure in list(NULL, c("auc", "mcc"), c("f1", "margin_loss"))) {
    cv <- cv_with(views, measure = measure, rule = "margin")
    found <- drop_view(cv, views, noisy, pair)
    alone <- cv_with(views["sepal"], measure = measure, rule = "margin")
    expect_margin_choice(alone)
    expect_identical(as.list(found[1, c("p", "C")]), alone$best)
    expect_equal(found$without[1], alone$results$mean[alone$best_row])
    expect_identical(attr(found, "measure"), cv$measure)
  }
  kept <- drop_view(cv, views, noisy, pair, tune = FALSE)
  expect_identical(kept$C, rep(cv$best$C, 2))
})

test_that("a file of parts serves every rule", {
  file <- tempfile()
  on.exit(unlink(file))
  set.seed(1)
  cv <- cv_with(folds = 3, resume = file)
  set.seed(1)
  best <- cv_with(folds = 3, resume = file, rule = "best")
  expect_identical(best$by_fold$seconds, cv$by_fold$seconds)
  tied <- which(best$results$mean > max(best$results$mean) - 1e-12)
  expect_identical(best$best_row, tied[which.min(best$results$margin_loss[tied])])
})

test_that("what shows a choice knows the rule", {
  set.seed(1)
  cv <- cv_with(folds = 3, control = quiet(tol = 1e-8))
  no_gaps <- function(lines) gsub("[0-9.]+e-[0-9]+", "<gap>", gsub(" +gap", " gap", lines))
  expect_snapshot(cv, transform = no_gaps)
  expect_snapshot(summary(cv), transform = no_gaps)
  top <- summary(cv)$top
  expect_identical(rownames(top)[1], as.character(cv$best_row))
  near <- cv$results$mean >= max(cv$results$mean) - cv$results$se[which.max(cv$results$mean)] - 1e-10
  shown <- min(sum(near), 10)
  expect_identical(head(top$margin_loss, shown), head(sort(cv$results$margin_loss[near]), shown))
  least <- summary(cv_with(measure = "margin_loss", rule = "margin"))
  expect_output(print(least), "The best cells")
  expect_draws(cv)
  expect_draws(cv, measure = "margin_loss")
})

test_that("an object whose rule lacks its measure isn't one of ours", {
  cv <- cv_with(p = 2, C = c(0.1, 1))
  cv$measures <- cv$measures[1]
  expect_error(print(cv), "its field `rule`", class = "manykernels_invalid_object")
})

test_that("ties of any measure are broken by the margin loss, then by the simpler model", {
  # classes of unlike size that a small C puts on one side, all in the right order
  set.seed(1)
  x <- matrix(rnorm(200), 100)
  y <- factor(ifelse(seq_len(100) > 85, "rare", "usual"))
  x[y == "rare", 1] <- x[y == "rare", 1] + 6
  cv <- cv_mkl(x, y, linear_kernel(), p = 2, C = c(1e-3, 1), measure = "auc", folds = rep(1:5, 20),
               control = mkl_control(progress = FALSE))
  expect_identical(cv$results$auc, c(1, 1))
  expect_identical(cv$best$C, 1)
  expect_gt(mean(cv$predictions$response == cv$predictions$truth), 0.98)
})

test_that("stratified folds in which one class is predicted have a standard error, and few groups no intervals", {
  set.seed(1)
  x <- matrix(rnorm(200), 100)
  y <- rep(c("no", "yes"), c(90, 10))
  quiet <- mkl_control(progress = FALSE, threads = 1)
  cv <- cv_mkl(x, y, gaussian_kernel(2), p = 2, C = 0.01, class_weights = NULL, folds = 5, control = quiet)
  expect_equal(cv$by_fold$accuracy, rep(0.9, 5))
  # of a fold's mean over 20 rows the variance is .09 / 20; folds count for 1/5 + 20/80
  expect_equal(cv$results$accuracy_se, sqrt((1 / 5 + 20 / 80) * 0.09 / 20))
  cv <- suppressWarnings(cv_mkl(x, rep(c("no", "yes"), 50), gaussian_kernel(2), p = 2, C = 1, group = rep(1:4, 25),
                                folds = 4, control = quiet))
  expect_identical(cv$estimate$lower, c(NA_real_, NA_real_))
  expect_false(anyNA(cv$estimate$estimate))
  expect_output(print(cv), "intervals need 6 groups")
})
