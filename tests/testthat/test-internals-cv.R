# The choice of a cell from tables by hand, the folds within folds, and what is done where time ends: parts
# of a cross-validation that no call brings about at will.

skip_on_cran() # a slow file

d <- cv_data()
pair <- gaussian_kernel(c(1, 8))
noisy <- noisy_classes(d$y)
cv_with <- function(x = d$x, y = d$y, kernels = pair, p = c(1, 2), C = c(0.1, 1), ...,
                    folds = rep(1:3, 25), control = quiet()) {
  cv_mkl(x, y, kernels, p = p, C = C, folds = folds, control = control, ...)
}

# ---- the choice ----------------------------------------------------------------------------------

table_of <- function(mean, se = 0.01, folds = 5L, C = c(1, 10), p = c(1, 2)) {
  cbind(expand.grid(C = C, p = p), data.frame(mean = mean, se = se, folds = folds))
}

test_that("the best is chosen, or the simplest near it: by hand", {
  means <- table_of(c(0.90, 0.94, 0.935, 0.945))
  expect_identical(choose_cell(means, TRUE, "best"), 4L)
  expect_identical(choose_cell(means, TRUE, "one_se"), 3L) # C = 1 before C = 10, then p
  expect_identical(choose_cell(means, FALSE, "best"), 1L)
  wide <- table_of(c(0.90, 0.94, 0.935, 0.945), se = 0.1)
  expect_identical(choose_cell(wide, TRUE, "one_se"), 1L)
  # the standard error is that of the best
  uneven <- table_of(c(0.90, 0.94, 0.935, 0.945), se = c(1, 1, 1, 0.001))
  expect_identical(choose_cell(uneven, TRUE, "one_se"), 4L)
  expect_identical(choose_cell(table_of(rep(0.9, 4)), TRUE, "best"), 1L)
  expect_identical(choose_cell(table_of(c(0.8, 0.9, 0.8, 0.9)), TRUE, "best"), 2L)
  # one fold has no standard error
  expect_identical(choose_cell(table_of(c(0.8, 0.9, 0.8, 0.91), se = NA), TRUE, "one_se"), 4L)
})

test_that("cells that lack folds or values are no choice where others have them", {
  expect_identical(choose_cell(table_of(c(0.9, 0.99, 0.8, 0.7), folds = c(5, 4, 5, 5)), TRUE, "best"),
                   1L)
  expect_identical(choose_cell(table_of(c(NA, 0.9, NA, 0.91), folds = c(0, 5, 0, 5)), TRUE, "best"),
                   4L)
  expect_identical(choose_cell(table_of(c(0.7, 0.8, 0.9, 0.6), folds = 2L), TRUE, "best"), 3L)
  expect_identical(choose_cell(table_of(rep(NA_real_, 4), folds = 0L), TRUE, "best"), NA_integer_)
})

test_that("larger lambda, smaller gamma and norms given first are simpler", {
  equal <- data.frame(mean = rep(1, 3), se = 0, folds = 2L)
  expect_identical(choose_cell(cbind(lambda = c(0.1, 1, 10), equal), TRUE, "best"), 3L)
  expect_identical(choose_cell(cbind(C = 1, gamma = c(3, 1, 2), equal), TRUE, "best"), 2L)
  expect_identical(choose_cell(cbind(norm = factor(c("z", "a", "b"), c("z", "a", "b")), C = c(2, 1, 1),
                                     equal), TRUE, "best"), 2L)
})

test_that("the rule of one standard error stays within the set of the best cell", {
  results <- data.frame(set = c("a", "a", "b", "b"), p = 2, C = c(1, 2, 0.1, 4), kernels = 3,
                        mean = c(0.8, 0.9, 0.89, 0.7), se = 0.2, folds = 5)
  expect_identical(choose_cell(results, TRUE, "one_se"), 1L)
  expect_identical(choose_cell(results, TRUE, "best"), 2L)
})

test_that("the least margin loss among cells near the best is chosen: by hand", {
  margin_table <- function(mean, loss, se = 0.01, folds = 5L) {
    data.frame(C = c(1, 10, 1, 10), p = c(1, 1, 2, 2), mean = mean, se = se, folds = folds,
               margin_loss = loss)
  }
  means <- c(0.9, 0.945, 0.94, 0.935)
  expect_identical(choose_cell(margin_table(means, c(0.1, 0.4, 0.3, 0.2)), TRUE, "margin"), 4L)
  expect_identical(choose_cell(margin_table(means, c(0.1, 0.4, 0.3, 0.2), se = 0.1), TRUE, "margin"), 1L)
  expect_identical(choose_cell(margin_table(means, c(0.1, 0.4, 0.3, 0.2), se = 0), TRUE, "margin"), 2L)
  expect_identical(choose_cell(margin_table(means, c(0.1, 0.4, 0.3, 0.2), se = NA), TRUE, "margin"), 2L)
  # smaller means are better
  expect_identical(choose_cell(margin_table(1 - means, c(0.1, 0.4, 0.3, 0.2)), FALSE, "margin"), 4L)
  # the simplest of equal ones: C before p
  expect_identical(choose_cell(margin_table(means, c(0.1, 0.3, 0.3, 0.3)), TRUE, "margin"), 3L)
  # the standard error is that of the best; cells that lack folds take no part
  uneven <- margin_table(means, c(0.1, 0.4, 0.3, 0.2), se = c(1, 0.006, 1, 1))
  expect_identical(choose_cell(uneven, TRUE, "margin"), 3L)
  lacking <- margin_table(means, c(0.1, 0.4, 0.3, 0.2), folds = c(5L, 5L, 5L, 4L))
  expect_identical(choose_cell(lacking, TRUE, "margin"), 3L)
  expect_identical(choose_cell(margin_table(rep(NA_real_, 4), 0.1), TRUE, "margin"), NA_integer_)
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
})

test_that("a choice at the end of the grid says so, unless the one beside it is as good", {
  told <- function(mean, best_row, rule = "best", C = c(1, 10, 100)) {
    x <- list(rule = rule, tuned = c("p", "C"), best_row = best_row,
              results = cbind(expand.grid(C = C, p = c(1, 2)), mean = mean))
    edge_text(x, 3)
  }
  expect_match(told(c(0.9, 0.8, 0.7, 0.1, 0.1, 0.1), 1L), "C = 1 is the smallest tried; smaller")
  expect_match(told(c(0, 0, 0, 0.7, 0.8, 0.9), 6L), "C = 100 is the largest tried; larger")
  expect_identical(told(c(0.9, 0.9, 0.7, 0.1, 0.1, 0.1), 1L), "")
  expect_identical(told(c(0.8, 0.9, 0.7, 0.1, 0.1, 0.1), 2L), "")
  expect_identical(told(c(0.9, 0.8, 0.7, 0.1, 0.1, 0.1), 1L, "one_se"), "")
  expect_identical(told(c(0.9, 0.8), 1L, C = 1), "")
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

test_that("reports and plots know the rule and the sets", {
  set.seed(1)
  cv <- cv_with(y = noisy, C = 2^(-3:3), folds = 3)
  tables <- report_choice(cv)
  expect_match(tables$choice, "(least margin loss within one standard error)", fixed = TRUE)
  expect_true("margin loss" %in% names(tables$cells))
  expect_identical(held_out_errors(cv)$measure, c("accuracy", "margin_loss"))
  expect_identical(unique(held_out_errors(cv)$rows), "held out (chosen among many cells)")
  sets <- cv_with(kernels = list(one = gaussian_kernel(2), two = pair))
  expect_identical(cv_plot_data(sets, "grid", NULL)$outer$labels, c("one, 1", "one, 2", "two, 1", "two, 2"))
})

# ---- the folds -----------------------------------------------------------------------------------

test_that("groups are never on both sides, in nested folds either", {
  group <- rep(1:25, each = 3)
  y <- factor(rep(c("a", "b", "b", "a", "a"), each = 3, length.out = 75))
  plan <- small_plan(d$x, y, pair)
  set.seed(8)
  run <- open_run(plan, list(folds = 4, repeats = 2, group = group, nested = 3, resume = NULL))
  expect_identical(run$outer, 8L)
  expect_length(run$resamples, 8 + 8 * 3)
  for (one in run$resamples) expect_length(intersect(group[one$train], group[one$test]), 0)
  for (one in run$resamples[-(1:8)]) {
    outer <- run$resamples[[one$within]]
    expect_true(all(c(one$train, one$test) %in% outer$train))
  }
  cv <- cv_with(y = y, group = paste("patient", group), folds = 4, nested = 2)
  expect_identical(nrow(cv$nested$predictions), 75L)
})

test_that("nested estimates are what choosing within the training rows gives: by hand", {
  measures <- c("accuracy", "auc")
  for (rule in c("best", "one_se")) {
    set.seed(5)
    cv <- cv_with(folds = 3, nested = 2, measure = measures, rule = rule,
                  control = quiet(tol = 1e-8))
    set.seed(5)
    run <- open_run(small_plan(d$x, d$y, pair), list(folds = 3, repeats = 1, nested = 2))
    expect_identical(run$resamples[1:3], cv$resamples)
    for (r in 1:3) {
      train <- cv$resamples[[r]]$train
      inner <- Filter(function(one) identical(one$within, r), run$resamples)
      own <- cv_mkl(d$x[train, ], d$y[train], pair, p = c(1, 2), C = c(0.1, 1), rule = rule,
                    folds = lapply(inner, function(one) {
                      list(train = match(one$train, train), test = match(one$test, train))
                    }), control = quiet(tol = 1e-8))
      found <- cv$nested$by_fold[r, ]
      expect_identical(as.list(found[c("p", "C")]), own$best)
      decision <- predict(own$fit, d$x[-train, ], type = "decision")
      expect_equal(found$accuracy, mean((decision >= 0) == (d$y[-train] == "TRUE")))
      mine <- cv$nested$predictions$fold == r
      expect_equal(cv$nested$predictions$decision[mine], unname(decision), tolerance = 1e-4)
    }
    estimate <- cv$nested$estimate
    expect_identical(estimate$measure, measures)
    expect_equal(estimate$mean, unname(colMeans(cv$nested$by_fold[measures])))
    expect_equal(estimate$se, unname(apply(cv$nested$by_fold[measures], 2, sd) / sqrt(3)))
    expect_identical(sort(cv$nested$predictions$row), 1:75)
  }
})

test_that("nested folds choose by the rule, too", {
  set.seed(5)
  cv <- cv_with(y = noisy, C = 2^(-3:3), folds = 3, nested = 2, control = quiet(tol = 1e-8))
  expect_identical(cv$nested$estimate$measure, c("accuracy", "margin_loss"))
  set.seed(5)
  plan <- small_plan(d$x, noisy, pair, C = 2^(-3:3))
  run <- open_run(plan, list(folds = 3, repeats = 1, nested = 2))
  for (r in 1:3) {
    train <- cv$resamples[[r]]$train
    inner <- Filter(function(one) identical(one$within, r), run$resamples)
    own <- cv_with(d$x[train, ], noisy[train], C = 2^(-3:3), control = quiet(tol = 1e-8), rule = "margin",
                   folds = lapply(inner, function(one) {
                     list(train = match(one$train, train), test = match(one$test, train))
                   }))
    expect_identical(own$rule, "margin")
    expect_identical(as.list(cv$nested$by_fold[r, c("p", "C")]), own$best)
  }
})

test_that("nested = TRUE takes as many inner folds", {
  plan <- small_plan(d$x, d$y, pair)
  count <- function(folds, nested) {
    length(open_run(plan, list(folds = folds, repeats = 1, nested = nested))$resamples)
  }
  expect_identical(count(3, TRUE), 12L)
  expect_identical(count(3, 2), 9L)
  expect_identical(count(rep(1:3, 25), TRUE), 18L)
  expect_identical(count(3, FALSE), 3L)
  expect_null(cv_with()$nested)
})

# ---- time, and what went wrong -------------------------------------------------------------------

test_that("time that runs out leaves cells open, and says so", {
  expect_error(cv_with(max_time = 1e-9), class = "manykernels_no_choice")
  plan <- small_plan(d$x, d$y, pair)
  resamples <- resamples(rep(1:3, 25), 1, plan$response, NULL, 75, NULL)
  outcomes <- run_plan(plan, resamples, list(seeds = 1:3, deadline = seconds_now() - 1))
  measures <- check_measure("accuracy", "classification")
  by_fold <- score_cells(plan, resamples, outcomes, measures)
  expect_identical(unique(by_fold$status), "time_limit")
  expect_true(all(is.na(by_fold$accuracy) & is.na(by_fold$gap)))
  expect_warning(warn_cells(by_fold, 1e-3), "18 found no time", class = "manykernels_warning_cells")
})

test_that("fits that the limit for the whole cuts are missing, those cut by their own are not", {
  cell <- list(status = "time_limit", gap = 0.1, seconds = 1, response = 1, message = NA_character_)
  control <- quiet()
  expect_identical(without_cut_fit(cell, control), failed_cell())
  control$max_time <- 0.9
  expect_identical(without_cut_fit(cell, control), cell)
  control$max_time <- Inf
  certified <- replace(cell, "gap", 1e-6)
  expect_identical(without_cut_fit(certified, control), certified)
  stalled <- replace(cell, "status", "stalled")
  expect_identical(without_cut_fit(stalled, control), stalled)
  expect_identical(without_cut_fit(failed_cell(), control), failed_cell())
})

test_that("kernels of a fold are not made where its fits have no time", {
  plan <- small_plan(d$x, d$y, pair)
  made <- 0
  plan$open <- function(...) {
    made <<- made + 1
    open_resample(...)
  }
  resamples <- resamples(rep(1:3, 25), 1, plan$response, NULL, 75, NULL)
  outcomes <- run_plan(plan, resamples, list(seeds = 1:3, deadline = seconds_now() - 1))
  expect_identical(made, 0)
  expect_identical(lengths(outcomes), rep(2L, 3))
  run_plan(plan, resamples, list(seeds = 1:3, deadline = Inf))
  expect_identical(made, 3)
})

test_that("folds of `nested` in which no cell could be chosen are counted", {
  told <- function(gap, open) {
    by_fold <- data.frame(status = "converged", gap = gap, message = NA_character_)
    tryCatch(warn_nested(by_fold, open, 1e-3), warning = conditionMessage)
  }
  expect_null(told(1e-4, c(FALSE, FALSE)))
  expect_identical(told(1e-4, c(TRUE, FALSE)),
                   "In 1 of 2 folds no cell could be chosen; the estimate leaves them out.")
})
