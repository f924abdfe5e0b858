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
  expect_identical(held_out_errors(cv)$measure, rep(c("accuracy", "margin loss"), 2))
  expect_identical(unique(held_out_errors(cv)$rows),
                   c("held out, mean of the chosen cell", "new samples, expected"))
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
    expect_equal(estimate$se, unname(sqrt(1 / 3 + 1 / 2) * apply(cv$nested$by_fold[measures], 2, sd)))
    expect_identical(sort(cv$nested$predictions$row), 1:75)
  }
})

test_that("nested folds choose by the rule, too", {
  skip_unless_slow()
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
  expect_warning(warn_cells(by_fold, 1e-3), "18 were not fitted before", class = "manykernels_warning_cells")
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

# ---- what to expect of the choice: draws of the samples choose, the samples not drawn measure -----
d <- cv_data()
pair <- gaussian_kernel(c(1, 4))
accuracy <- list(list(name = "accuracy", larger = TRUE, f = accuracy_measure, own = FALSE))
# A cell's losses in each row, by hand; every row counts the same.
cells <- function(sum) list(accuracy = list(sum = sum, weight = matrix(1, nrow(sum), ncol(sum))))
grid <- function(sum, se = 0) {
  list2DF(list(C = seq_len(ncol(sum)), mean = colMeans(sum), se = rep(se, ncol(sum)), folds = rep(3, ncol(sum))))
}

# The same by a loop over the draws.
by_hand <- function(sum, draws, unit = seq_len(nrow(sum)), choose = function(means) which.max(means)) {
  scores <- vapply(seq_len(draws), function(k) {
    drawn <- sample.int(max(unit), max(unit), TRUE)
    rows <- unlist(lapply(drawn, function(u) which(unit == u)))
    left <- setdiff(seq_len(nrow(sum)), rows)
    if (!length(left)) return(NA_real_)
    mean(sum[left, choose(colMeans(sum[rows, , drop = FALSE]))])
  }, 0)
  limits <- quantile(scores, c(0.025, 0.975), names = FALSE, na.rm = TRUE)
  data.frame(measure = "accuracy", estimate = mean(scores, na.rm = TRUE), lower = limits[1], upper = limits[2])
}

test_that("three cells and six samples: by hand", {
  hits <- cbind(c(1, 1, 1, 0, 0, 0), c(0, 1, 1, 1, 1, 0), c(1, 0, 0, 1, 0, 0))
  for (sum in list(hits, hits[, 2, drop = FALSE])) {
    set.seed(1)
    found <- estimate_choice(cells(sum), grid(sum), TRUE, "best", accuracy, draws = 200)
    set.seed(1)
    expect_equal(found, by_hand(sum, 200))
  }
  # a single draw: rows 1 and 3 to 6 once or more, row 2 left out
  values <- cells(hits)
  times <- cbind(c(2, 0, 1, 1, 1, 1), c(0, 3, 3, 0, 0, 0))
  expect_equal(drawn_means(values$accuracy, times), rbind(c(3, 3, 3) / 6, c(6, 6, 0) / 6))
  expect_identical(choose_drawn(values, times, grid(hits), TRUE, "best"), c(1L, 1L)) # smaller C of equals
  expect_equal(score_left_out(values$accuracy, (times == 0) + 0, c(2L, 1L)), c(1, 1 / 4))
})

test_that("cells that lack folds are never chosen, however good", {
  set.seed(6)
  hits <- matrix(rbinom(80, 1, 0.6), 40)
  estimate <- function(values, results) {
    set.seed(7)
    estimate_choice(values, results, TRUE, "best", accuracy, draws = 50)
  }
  stopped <- cells(cbind(hits, rep(1:0, each = 20)))
  stopped$accuracy$weight[21:40, 3] <- 0
  results <- rbind(grid(hits), data.frame(C = 3, mean = 1, se = 0, folds = 1))
  expect_identical(estimate(stopped, results), estimate(cells(hits), grid(hits)))
})

test_that("groups are drawn together", {
  set.seed(2)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  group <- rep(1:8, each = 5)
  set.seed(3)
  found <- estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, rev(group), draws = 100)
  set.seed(3)
  expect_equal(found, by_hand(hits, 100, group))
  one <- estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, rep(1, 40), draws = 100)
  expect_identical(unlist(one[-1], use.names = FALSE), rep(NA_real_, 3))
})

test_that("rules choose in the draws as they do in the results", {
  set.seed(4)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  losses <- matrix(rexp(120), 40)
  values <- c(cells(hits), margin_loss = unname(cells(losses)))
  results <- cbind(grid(hits, 0.2), margin_loss = colMeans(losses))
  for (rule in cv_rules) {
    set.seed(5)
    found <- estimate_choice(values, results, TRUE, rule, accuracy, draws = 50)
    set.seed(5)
    scores <- replicate(50, {
      rows <- sample.int(40, 40, TRUE)
      results$mean <- colMeans(hits[rows, ])
      results$margin_loss <- colMeans(losses[rows, ])
      mean(hits[setdiff(1:40, rows), choose_cell(results, TRUE, rule)])
    })
    expect_equal(found$estimate, mean(scores))
  }
})

test_that("draws in blocks are the draws at once", {
  set.seed(6)
  hits <- matrix(rbinom(120, 1, 0.6), 40)
  run <- function(...) {
    set.seed(7)
    estimate_choice(cells(hits), grid(hits), TRUE, "best", accuracy, draws = 30, ...)
  }
  expect_equal(run(block = 100), run())
})

test_that("a cell alone is expected to be as good as its mean", {
  set.seed(1)
  for (y in list(d$y, d$classes, d$x[, 4] + 0)) {
    measure <- if (is.factor(y)) c("accuracy", "auc", "mcc") else c("rmse", "r2")
    cv <- cv_mkl(d$x[, 1:3], y, pair, p = 2, C = 1, folds = 5, repeats = 2, measure = measure, control = quiet())
    means <- unlist(cv$results[measure], use.names = FALSE)
    expect_identical(cv$estimate$measure, measure)
    expect_equal(cv$estimate$estimate, means, tolerance = 0.02)
    expect_true(all(cv$estimate$lower < means & means < cv$estimate$upper))
    expect_equal(weighted.mean(cv$row_values[, "value"], cv$row_values[, "weight"]), cv$results$mean)
  }
})

test_that("values of rows and standard errors are averaged over repeats first: by hand", {
  set.seed(2)
  weights <- rep(1:3, 25)
  cv <- cv_mkl(d$x[, 1:2], d$y, pair, p = 2, C = 1, folds = 5, repeats = 4, measure = "accuracy",
               weights = weights, control = quiet())
  own <- cv$predictions
  fold <- interaction(own$`repeat`, own$fold)
  share <- weights[own$row] / ave(weights[own$row], fold, FUN = sum)
  hit <- (own$response == own$truth) * share
  value <- as.vector(tapply(hit, own$row, sum) / tapply(share, own$row, sum))
  weight <- as.vector(tapply(share, own$row, sum))
  expect_equal(unname(cv$row_values), cbind(value, weight), ignore_attr = TRUE)
  spread <- vapply(1:4, function(r) {
    var(vapply(cv$resamples[4 * 0 + (r - 1) * 5 + 1:5], function(one) {
      weighted.mean(value[one$test], weight[one$test])
    }, 0))
  }, 0)
  expect_equal(cv$results$se, sqrt((1 / 5 + 1 / 4) * mean(spread)))
})

test_that("resamples of one fold each vary around their mean, and a single one not at all", {
  set.seed(3)
  splits <- lapply(1:6, function(k) {
    test <- sort(sample(75, 15))
    list(train = setdiff(1:75, test), test = test, repeat_number = k)
  })
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = splits, measure = "accuracy", control = quiet())
  value <- cv$row_values[, "value"]
  weight <- cv$row_values[, "weight"]
  means <- vapply(splits, function(one) weighted.mean(value[one$test], weight[one$test]), 0)
  tested <- length(unique(unlist(lapply(splits, `[[`, "test"))))
  expect_equal(cv$results$se, sqrt((15 / tested + 15 / 60) * var(means)))
  once <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = list(1:20), measure = "accuracy", control = quiet())
  expect_identical(once$results$se, NA_real_)
  expect_true(all(is.finite(unlist(once$estimate[-1])))) # 20 rows are there to draw
})

test_that("estimates are the same by the same seed, and use up no random numbers of their own", {
  run <- function(measure) {
    set.seed(8)
    cv <- cv_mkl(d$x, d$y, pair, p = c(1, 2), C = c(0.1, 1), measure = measure, control = quiet())
    list(estimate = cv$estimate, after = runif(1))
  }
  expect_identical(run("accuracy"), run("accuracy"))
  # a function is asked more often, but it draws nothing
  expect_identical(run(function(truth, response) mean(truth == response))$after, run("auc")$after)
})

test_that("cells that fail, rows without weight and rows that are never held out take no part", {
  set.seed(9)
  folds <- rep(c(NA, 1:4), 15)
  weights <- replace(rep(1, 75), 2, 0)
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = c(0.1, 1), folds = folds, weights = weights, control = quiet())
  left_out <- which(is.na(folds) | weights == 0)
  expect_identical(which(cv$row_values[, "weight"] == 0), left_out)
  expect_true(all(is.finite(unlist(cv$estimate[-1]))))
  values <- cells(matrix(rep(c(1, 0), each = 10), 10))
  values$accuracy$weight[1:5, 2] <- 0
  results <- grid(values$accuracy$sum)
  results$folds <- c(3, 2) # a cell that lacks a fold is never chosen
  expect_identical(estimate_choice(values, results, FALSE, "best", accuracy, draws = 20)$estimate, 1)
})

test_that("a choice by chance is not believed", {
  set.seed(10)
  y <- factor(rep(1:2, 30))
  x <- matrix(rnorm(60 * 5), 60)
  cv <- cv_mkl(x, y, gaussian_kernel(c(0.5, 4)), p = c(1, 2), C = 2^(-3:3), measure = "accuracy",
               control = quiet())
  expect_lt(cv$estimate$estimate, cv$results$mean[cv$best_row])
  expect_true(cv$estimate$lower < 0.5 && 0.5 < cv$estimate$upper)
})

test_that("estimates changed by hand are refused", {
  cv <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, control = quiet())
  cv$estimate$lower <- "low"
  expect_classed(print(cv), "invalid_object", "x")
})

# ---- a search: losses of rows, ties, scalings that are thought of -------------------------------------

test_that("a difference is judged by rows, or by groups of them", {
  set.seed(5)
  d <- rnorm(200, 0.2)
  weights <- rep(1, 200)
  expect_true(is_larger(d, weights, 1:200))
  expect_identical(is_larger(rep(d[1:4], each = 50), weights, rep(1:4, each = 50)),
                   mean(d[1:4]) > sqrt(sum((d[1:4] - mean(d[1:4]))^2)) / 4)
  expect_false(is_larger(rep(0, 200), weights, 1:200))
})

test_that("losses of rows are those of the measures", {
  cell <- list(decision = matrix(rnorm(10)), response = rnorm(10))
  plan <- list(response = factor(rep(1:2, 5)), settings = list(multiclass = "ovr", loss = list()))
  expect_equal(mean(row_losses(cell, plan, list(test = 1:10))),
               margin_loss_measure(plan$response, cell$decision[, 1], rep(1, 10)))
  plan$response <- rnorm(10)
  expect_equal(sqrt(mean(row_losses(cell, plan, list(test = 1:10)))),
               rmse_measure(plan$response, cell$decision[, 1], rep(1, 10)))
  plan$settings$loss <- list(type = "quantile", tau = 0.3)
  expect_equal(mean(row_losses(cell, plan, list(test = 1:10))),
               pinball_measure(plan$response, cell$decision[, 1], rep(1, 10), 0.3))
  plan$response <- new_times(rexp(10), rep(0:1, 5))
  plan$settings$loss <- censored_loss()
  expect_equal(mean(row_losses(cell, plan, list(test = 1:10))),
               time_loss_measure(plan$response, cell$decision[, 1], rep(1, 10)))
  labels <- matrix(rep(c(TRUE, FALSE), 10), 10)
  plan$response <- labels
  cell$decision <- matrix(rnorm(20), 10)
  expect_length(row_losses(cell, plan, list(test = 1:10)), 10)
  expect_null(row_losses(cell, list(response = NULL), list(test = 1:10)))
})

test_that("ties within the tolerance go to the smaller C, then the smaller p", {
  table <- data.frame(C = c(32, 4, 4, 1), p = c(2, 2, 1, 1), mean = c(1, 1 + 5e-4, 1 + 9e-4, 1.01),
                      se = 0.1, folds = 5L)
  expect_identical(choose_cell(table, FALSE, "best"), 1L)
  expect_identical(choose_cell(table, FALSE, "best", 1e-3), 3L)
  classes <- data.frame(C = c(32, 4, 4, 1), p = c(2, 2, 1, 1), mean = 0.9, se = 0.1, folds = 5L,
                        margin_loss = c(0.3, 0.3 + 1e-6, 0.3 + 2e-6, 0.4))
  for (rule in c("best", "margin")) {
    expect_identical(choose_cell(classes, TRUE, rule), 1L)
    expect_identical(choose_cell(classes, TRUE, rule, 1e-3), 3L)
  }
  times <- data.frame(C = c(4, 1, 0.5), p = 2, mean = c(0.7, 0.6999, 0.69), se = 0.1, folds = 5L,
                      time_loss = c(0.5, 0.4, 0.3))
  expect_identical(choose_cell(times, TRUE, "best", 1e-3), 2L)
})

test_that("what can't be scaled otherwise is left as it was", {
  skip_unless_slow()
  n <- 120
  tails <- heavy_tails(n)
  heavy <- tails$x
  y <- tails$y
  folds <- tails$folds
  bits <- matrix(rbinom(n * 4, 1, 0.4), n)
  expect_identical(scale_candidates(as_views(bits), NULL), list())
  words <- vapply(seq_len(n), function(i) paste(sample(c("A", "C", "G", "T"), 12, TRUE), collapse = ""), "")
  expect_identical(scale_candidates(as_views(words), NULL), list())
  expect_identical(scale_candidates(as_views(heavy), tanimoto_kernel()), list())
  expect_identical(scale_candidates(as_views(heavy), function_kernel(function(a, b) tcrossprod(a, b), "f")), list())
  expect_length(scale_candidates(as_views(heavy), linear_kernel()), 3)
  sparse <- list(s = Matrix::Matrix(heavy * (abs(heavy) > 1), sparse = TRUE), d = heavy)
  found <- scale_candidates(as_views(sparse), NULL)
  expect_identical(found$normal_scores, c(s = "standard", d = "normal_scores"))
  cv <- cv_mkl(sparse, y, folds = folds, control = quiet())
  expect_false(any(grepl("s = normal_scores", cv$results$scale)))
  K <- precomputed_kernel(tcrossprod(tails$root))
  expect_false("scale" %in% cv_mkl(NULL, y, K, folds = folds, control = quiet())$tuned)
})

test_that("views and distances of a resample serve its other scalings", {
  set.seed(1)
  views <- list(a = matrix(rnorm(400), 40), b = matrix(rexp(400), 40))
  plan <- small_plan(views, factor(rep(1:2, 20)))
  open <- function(scale, beside = list()) {
    plan$settings$scale <- scale
    open_resample(plan, 1:30, NULL, beside)
  }
  first <- open(c(a = "standard", b = "normal_scores"))
  alone <- open(c(a = "standard", b = "as_given"))
  lent <- open(c(a = "standard", b = "as_given"), list(first))
  expect_identical(lent$data$views, alone$data$views)
  expect_identical(kernel_field(lent$data$kernels, "parameters"), kernel_field(alone$data$kernels, "parameters"))
  expect_identical(c(first$bytes, alone$bytes, lent$bytes),
                   c(3 * as.numeric(object.size(views$a)) + 2 * 16 * 40^2,
                     as.numeric(object.size(views$a)) + 2 * 16 * 40^2, 16 * 40^2))
  first$data$views[["a"]][] <- 7
  expect_identical(open(c(a = "standard", b = "as_given"), list(first))$data$views[["a"]], first$data$views[["a"]])
  expect_identical(open(c(a = "as_given", b = "as_given"), list(first))$data$views[["a"]], views$a)
})

# ---- files of `resume` ---------------------------------------------------------------------------

kept_cv <- function(file = NULL, x = d$x, y = d$y, C = c(0.1, 1), ...) {
  set.seed(3)
  cv_mkl(x, y, gaussian_kernel(c(1, 8)), p = c(1, 2), C = C, folds = 4, resume = file,
         control = quiet(), ...)
}
reference <- kept_cv()

kept_bytes <- function(file) readBin(file, "raw", file.size(file))

in_folder <- function() {
  folder <- tempfile()
  dir.create(folder)
  file.path(folder, "store")
}

# Runs a call of kept_cv(store) in another process, which writes its result to a file.
script_of <- function(store, result, C = c(0.1, 1)) {
  script <- tempfile(fileext = ".R")
  dump(c("d", "quiet", "kept_cv"), script, envir = environment(kept_cv), control = c("all", "hexNumeric"))
  library <- dirname(getNamespaceInfo("manykernels", "path"))
  cat(sprintf(".libPaths(c(%s, .libPaths()))\nlibrary(manykernels)\nwarned <- character()\n", deparse(library)),
      sprintf("cv <- withCallingHandlers(kept_cv(%s, C = %s), warning = function(w) warned <<- class(w))\n",
              deparse(store), deparse1(C, control = "hexNumeric")),
      sprintf("saveRDS(list(cv = cv, warned = warned), %s)\n", deparse(result)), file = script, append = TRUE, sep = "")
  script
}

rscript <- file.path(R.home("bin"), "Rscript")

skip_unless_installed <- function() {
  skip_on_os("windows")
  skip_if_not(file.exists(file.path(getNamespaceInfo("manykernels", "path"), "Meta", "package.rds")),
              "an installed package")
}

test_that("a file that is no whole file of this call is refused by its name, and says what to do", {
  file <- in_folder()
  expect_same_numbers(kept_cv(file), reference)
  bytes <- kept_bytes(file)
  refused <- function(pattern, ...) {
    error <- expect_error(kept_cv(file, ...), pattern, class = "manykernels_resume")
    expect_match(conditionMessage(error), file, fixed = TRUE)
  }
  for (size in c(100, length(bytes) - 1)) {
    writeBin(bytes[seq_len(size)], file)
    refused("is truncated. Delete it")
  }
  for (byte in c(90, 500, length(bytes))) {
    writeBin(replace(bytes, byte, xor(bytes[byte], as.raw(1))), file)
    refused("is damaged. Delete it")
  }
  writeBin(c(bytes, as.raw(0)), file)
  refused("is damaged")
  writeBin(bytes, file)
  own <- nchar(sub(" [0-9a-f]{32} .*", "", readLines(file, 1, warn = FALSE)))
  writeBin(c(charToRaw("manykernels resume 0.0.1"), bytes[-seq_len(own)]), file)
  refused("was written by manykernels 0.0.1, and this is")
  for (other in list(raw(), charToRaw("manykernels"), as.raw(0:255), serialize(1, NULL))) {
    writeBin(other, file)
    refused("was not written by cv_mkl")
  }
  writeBin(bytes, file)
  refused("other data[.]", x = replace(d$x, 5, 0))
  refused("other response[.]", y = d$y[c(26:75, 1:25)])
  refused("other weights[.]", weights = 1:75)
  refused("other folds[.]", repeats = 2)
  refused("other settings[.]", loss = "squared_hinge")
  expect_identical(kept_bytes(file), bytes)
  expect_identical(list.files(dirname(file)), "store")
  expect_same_numbers(kept_cv(file), reference)
})

test_that("finished units count again after the damaged file was deleted, those of other folds do not", {
  file <- in_folder()
  other <- file.path(dirname(file), c("store.units.csv", "store.unit1.txt", "store2", "store-notes"))
  file.create(other)
  kept_cv(file)
  whole <- read_whole(file)$value
  run <- list(store = file, id = whole$id)
  marked <- stored_parts(file, 1, function(chains, r) chains[[1]])[[1]]
  marked[[1]]$seconds <- 1234 # known again by it
  expect_true(store_unit(run, 1, marked))
  writeBin(kept_bytes(file)[1:100], file)
  expect_error(kept_cv(file), class = "manykernels_resume")
  unlink(file)
  expect_identical(max(kept_cv(file)$by_fold$seconds), 1234)
  unlink(file)
  run$id <- "another"
  store_unit(run, 1, marked)
  cv <- kept_cv(file)
  expect_same_numbers(cv, reference)
  expect_lt(max(cv$by_fold$seconds), 1000)
  expect_true(all(file.exists(other)))
  expect_length(list.files(dirname(file)), 5)
})

test_that("a unit's file that is not whole is computed again, with a message that names it", {
  file <- in_folder()
  kept_cv(file)
  whole <- read_whole(file)$value
  chains <- stored_parts(file, 1, function(chains, r) chains)[[1]]
  whole$parts <- NULL
  write_whole(whole, file)
  run <- list(store = file, id = whole$id)
  for (unit in 1:2) store_unit(run, unit, chains[[unit]])
  unit <- unit_file(file, 2)
  writeBin(utils::head(kept_bytes(unit), -9), unit)
  message <- expect_message(cv <- kept_cv(file), "not whole were computed again: store.unit2",
                            class = "manykernels_message_resume")
  expect_same_numbers(cv, reference)
  expect_identical(list.files(dirname(file)), "store")
})

test_that("drafts of killed processes are removed, those of others are not", {
  file <- in_folder()
  kept_cv(file)
  whole <- read_whole(file)$value
  whole$parts <- NULL
  write_whole(whole, file)
  drafts <- paste0(file, c("-12ab", ".unit3-34cd", ".unit4-56ef"))
  file.create(drafts)
  Sys.setFileTime(drafts[1:2], Sys.time() - 3600)
  own <- open_store(file, function() whole$fingerprint, function() list())
  expect_identical(file.exists(drafts), c(FALSE, FALSE, TRUE))
  expect_same_numbers(kept_cv(file), reference)
  expect_identical(list.files(dirname(file)), "store")
})

test_that("of two processes that begin at once, one makes the file, and both use it", {
  file <- in_folder()
  expect_true(write_whole(1, file, create = TRUE))
  expect_false(write_whole(2, file, create = TRUE))
  expect_identical(read_whole(file), list(value = 1))
  expect_true(write_whole(3, file))
  expect_identical(read_whole(file)$value, 3)
  expect_identical(list.files(dirname(file)), "store")
})

test_that("processes that work with one file at once have the same numbers and leave one file", {
  skip_unless_slow()
  skip_unless_installed()
  file <- in_folder()
  results <- replicate(3, tempfile())
  for (result in results) system2(rscript, script_of(file, result), wait = FALSE, stdout = FALSE, stderr = FALSE)
  deadline <- Sys.time() + 120
  while (!all(file.exists(results)) && Sys.time() < deadline) Sys.sleep(0.1)
  Sys.sleep(0.5)
  for (result in results) {
    found <- readRDS(result)
    expect_same_numbers(found$cv, reference)
    expect_identical(found$warned, character())
  }
  expect_identical(list.files(dirname(file)), "store")
  expect_same_numbers(kept_cv(file), reference)
})

test_that("where nothing more can be written the call goes on, says so, and what was there stays", {
  skip_unless_installed()
  C <- 2^(-7:6)
  file <- in_folder()
  full <- kept_cv(file, C = C)
  whole <- read_whole(file)$value
  run <- list(store = file, id = whole$id)
  unit <- stored_parts(file, 1, function(chains, r) chains[[1]])[[1]]
  whole$parts <- NULL
  write_whole(whole, file)
  store_unit(run, 1, unit)
  before <- lapply(c(file, unit_file(file, 1)), kept_bytes)
  size <- ceiling(length(before[[1]]) / 512)
  expect_gt(length(before[[2]]), size * 512)
  # no file may become longer than the first one is
  result <- tempfile()
  script <- script_of(file, result, C)
  text <- sub("^saveRDS.*", sprintf("con <- pipe(%s, 'wb'); saveRDS(list(cv, warned), con); close(con)",
                                    deparse(paste("ulimit -f unlimited; cat >", result))), readLines(script))
  writeLines(text, script)
  limited <- sprintf("trap '' XFSZ; ulimit -S -f %d; %s %s", size, rscript, script)
  system2("sh", c("-c", shQuote(limited)), stdout = FALSE, stderr = FALSE)
  found <- readRDS(result)
  expect_same_numbers(found[[1]], full)
  expect_true("manykernels_warning_resume" %in% found[[2]])
  expect_identical(lapply(c(file, unit_file(file, 1)), kept_bytes), before)
  expect_false(any(grepl("-", basename(unit_files(file)))))
  expect_same_numbers(kept_cv(file, C = C), full)
  expect_identical(list.files(dirname(file)), "store")
})

test_that("a file whose end was cut by a full disk is found out before it takes another's place", {
  file <- tempfile()
  on.exit(unlink(file))
  save_in_turn(rnorm(1e4), list(1, 2), identity, file)
  expect_true(is_readable(file, 3L))
  bytes <- readBin(file, "raw", file.size(file))
  for (left in c(0, 0.5, 0.9)) {
    writeBin(bytes[seq_len(left * length(bytes))], file)
    expect_error(suppressWarnings(is_readable(file, 3L)))
  }
})

test_that("writing in vain leaves no file open", {
  skip_unless_installed()
  skip_on_os(c("windows", "mac", "solaris"))
  result <- tempfile()
  script <- tempfile(fileext = ".R")
  on.exit(unlink(c(result, script)))
  writeLines(sprintf(c(
    "write_whole <- getNamespace('manykernels')$write_whole",
    "done <- vapply(1:5, function(k) write_whole(list(rnorm(30000)), tempfile()), NA)",
    "open <- grep('deleted', Sys.readlink(list.files('/proc/self/fd', full.names = TRUE)))",
    "con <- pipe(%s, 'w'); cat(any(done), length(open), file = con); close(con)"
  ), deparse(paste("ulimit -f unlimited; cat >", result))), script)
  libraries <- paste(.libPaths(), collapse = ":")
  system2("sh", c("-c", shQuote(sprintf("trap '' XFSZ; ulimit -S -f 100; R_LIBS=%s %s --vanilla %s", libraries,
                                        file.path(R.home("bin"), "Rscript"), script))), stdout = FALSE, stderr = FALSE)
  expect_identical(readLines(result, warn = FALSE), "FALSE 0")
})

test_that("what another process has completed lacks nothing", {
  file <- in_folder()
  kept_cv(file)
  run <- list(store = file, log = list(unkept = TRUE))
  expect_no_warning(tell_files(run))
  whole <- read_whole(file)$value
  whole$parts <- NULL
  write_whole(whole, file)
  expect_warning(tell_files(run), class = "manykernels_warning_resume")
})

# ---- a sample of the rows ------------------------------------------------------------------------

test_that("a choice that half of the sample would not make is a warning", {
  own <- list(half = list(C = 2), loss = 0.2, se = 0.1, stable = FALSE)
  expect_match(stable_text(own, list(C = 1), 3), "NOT stable: half of them choose C = 2, which is 0.2 worse")
  best <- data.frame(accuracy = 0.9, accuracy_se = 0.05)
  measure <- list(name = "accuracy", larger = TRUE)
  stable <- function(found) compare_choices(list(C = 2), found, best, measure)$stable
  expect_false(stable(data.frame(accuracy = 0.7)))
  expect_true(stable(data.frame(accuracy = 0.86)))
  expect_true(stable(best))
  expect_false(stable(NULL))
})

test_that("the choice of the half counts on all folds of the sample, tried or not", {
  set.seed(2)
  n <- 900
  x <- matrix(rnorm(n * 3), n)
  y <- factor(ifelse(xor(rowSums(x[, 1:2]^2) > 1.4, runif(n) < 0.2), "b", "a"))
  cv <- suppressWarnings(suppressMessages(cv_mkl(x, y, gaussian_kernel(c(1, 8)), sample_size = 300, folds = 3,
                                                 scale = FALSE, control = quiet())))
  half <- cv$sample$half
  hand <- vapply(cv$resamples, function(one) {
    fit <- mkl(x[one$train, ], y[one$train], gaussian_kernel(c(1, 8)), p = half$p, C = half$C, scale = FALSE,
               control = quiet())
    mean(predict(fit, x[one$test, ]) == y[one$test])
  }, 0)
  expect_equal(cv$sample$loss, cv$results$accuracy[cv$best_row] - mean(hand), tolerance = 0.01)
})
