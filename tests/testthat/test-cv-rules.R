# The rule "margin", and what is done where no rule is given.
quiet <- function(...) mkl_control(progress = FALSE, ...)
d <- cv_data()
pair <- gaussian_kernel(c(1, 8))
set.seed(1)
flipped <- sample(75, 10)
noisy <- replace(d$y, flipped, rev(levels(d$y))[as.integer(d$y[flipped])])
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

test_that("the least margin loss among cells near the best is chosen: by hand", {
  table_of <- function(mean, loss, se = 0.01, folds = 5L) {
    data.frame(C = c(1, 10, 1, 10), p = c(1, 1, 2, 2), mean = mean, se = se, folds = folds,
               margin_loss = loss)
  }
  means <- c(0.9, 0.945, 0.94, 0.935)
  expect_identical(choose_cell(table_of(means, c(0.1, 0.4, 0.3, 0.2)), TRUE, "margin"), 4L)
  expect_identical(choose_cell(table_of(means, c(0.1, 0.4, 0.3, 0.2), se = 0.1), TRUE, "margin"), 1L)
  expect_identical(choose_cell(table_of(means, c(0.1, 0.4, 0.3, 0.2), se = 0), TRUE, "margin"), 2L)
  expect_identical(choose_cell(table_of(means, c(0.1, 0.4, 0.3, 0.2), se = NA), TRUE, "margin"), 2L)
  # smaller means are better
  expect_identical(choose_cell(table_of(1 - means, c(0.1, 0.4, 0.3, 0.2)), FALSE, "margin"), 4L)
  # the simplest of equal ones: C before p
  expect_identical(choose_cell(table_of(means, c(0.1, 0.3, 0.3, 0.3)), TRUE, "margin"), 3L)
  # the standard error is that of the best; cells that lack folds take no part
  uneven <- table_of(means, c(0.1, 0.4, 0.3, 0.2), se = c(1, 0.006, 1, 1))
  expect_identical(choose_cell(uneven, TRUE, "margin"), 3L)
  lacking <- table_of(means, c(0.1, 0.4, 0.3, 0.2), folds = c(5L, 5L, 5L, 4L))
  expect_identical(choose_cell(lacking, TRUE, "margin"), 3L)
  expect_identical(choose_cell(table_of(rep(NA_real_, 4), 0.1), TRUE, "margin"), NA_integer_)
})

test_that("the set may be another than that of the best, and in a draw has fewer kernels", {
  results <- data.frame(set = c("a", "a", "b", "b"), p = 2, C = c(1, 2, 1, 2), kernels = c(8, 8, 3, 3),
                        mean = c(0.9, 0.8, 0.88, 0.7), se = 0.05, folds = 5,
                        margin_loss = c(0.4, 0.3, 0.35, 0.1))
  expect_identical(choose_cell(results, TRUE, "margin"), 3L)
  expect_identical(choose_cell(results, TRUE, "one_se"), 1L)
  results$margin_loss[1] <- 0.35
  expect_identical(choose_cell(results, TRUE, "margin"), 3L)
  results$margin_loss[3] <- 0.36
  expect_identical(choose_cell(results, TRUE, "margin"), 1L)
})

test_that("results say which cell the rule must choose", {
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

test_that("nested folds choose by the rule, too", {
  set.seed(5)
  cv <- cv_with(folds = 3, nested = 2, control = quiet(tol = 1e-8))
  expect_identical(cv$nested$estimate$measure, c("accuracy", "margin_loss"))
  set.seed(5)
  plan <- small_plan(d$x, noisy, pair, C = 2^(-3:3))
  run <- open_run(plan, list(folds = 3, repeats = 1, nested = 2))
  for (r in 1:3) {
    train <- cv$resamples[[r]]$train
    inner <- Filter(function(one) identical(one$within, r), run$resamples)
    own <- cv_with(d$x[train, ], noisy[train], control = quiet(tol = 1e-8), rule = "margin",
                   folds = lapply(inner, function(one) {
                     list(train = match(one$train, train), test = match(one$test, train))
                   }))
    expect_margin_choice(own)
    expect_identical(as.list(cv$nested$by_fold[r, c("p", "C")]), own$best)
  }
})

test_that("views are dropped by the rule, also of results that measure more", {
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
  tables <- report_choice(cv)
  expect_match(tables$choice, "(least margin loss within one standard error)", fixed = TRUE)
  expect_true("margin loss" %in% names(tables$cells))
  expect_identical(held_out_errors(cv)$measure, c("accuracy", "margin_loss"))
  expect_identical(unique(held_out_errors(cv)$rows), "held out (chosen among many cells)")
  expect_draws(cv)
  expect_draws(cv, measure = "margin_loss")
})

test_that("a choice at the end of the grid is judged by the margin loss", {
  told <- function(loss, best_row) {
    x <- list(rule = "margin", tuned = c("p", "C"), best_row = best_row,
              results = cbind(expand.grid(C = c(1, 10, 100), p = c(1, 2)), mean = 0.9,
                              margin_loss = loss))
    edge_text(x, 3)
  }
  expect_match(told(c(0.1, 0.2, 0.3, 0.4, 0.4, 0.4), 1L), "C = 1 is the smallest tried; smaller")
  expect_match(told(c(0.9, 0.9, 0.9, 0.4, 0.3, 0.2), 6L), "C = 100 is the largest tried; larger")
  expect_identical(told(c(0.1, 0.1, 0.3, 0.4, 0.4, 0.4), 1L), "")
  expect_identical(told(c(0.3, 0.1, 0.3, 0.4, 0.4, 0.4), 2L), "")
})

test_that("an object whose rule lacks its measure isn't one of ours", {
  cv <- cv_with(p = 2, C = c(0.1, 1))
  cv$measures <- cv$measures[1]
  expect_error(print(cv), "its field `rule`", class = "manykernels_invalid_object")
})

test_that("ties of any measure are broken by the margin loss, then by the simpler model", {
  table <- data.frame(C = c(1, 10, 1, 10), p = c(1, 1, 2, 2), mean = 1, se = 0, folds = 5L,
                      margin_loss = c(0.9, 0.2, 0.2, 0.3))
  expect_identical(choose_cell(table, TRUE, "best"), 3L)
  expect_identical(choose_cell(table, TRUE, "margin"), 3L)
  expect_identical(choose_cell(table, TRUE, "one_se"), 1L) # the simplest near the best
  expect_identical(order_cells(table, TRUE, "best")[1:3], c(2L, 3L, 4L))
  table$margin_loss <- NULL # numbers
  expect_identical(choose_cell(table, TRUE, "best"), 1L)
  sets <- data.frame(set = c("a", "b"), C = 1, p = 2, kernels = c(2, 8), mean = 1, se = 0, folds = 5,
                     margin_loss = c(0.4, 0.3))
  expect_identical(choose_cell(sets, TRUE, "best"), 2L)
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
