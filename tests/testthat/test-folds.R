drawn <- function(folds = 5, repeats = 1, response = NULL, group = NULL,
                  n = max(length(response), length(group)), weights = NULL, seed = 1) {
  set.seed(seed)
  resamples(folds, repeats, response, group, n, weights)
}

test_ids <- function(found) lapply(found, `[[`, "test")

# Each row is held out once in each repeat, and trained on otherwise.
expect_partition <- function(found, n, repeats = 1) {
  of <- vapply(found, `[[`, 1L, "repeat_number")
  expect_identical(unique(of), seq_len(repeats))
  for (r in seq_len(repeats)) {
    expect_identical(sort(unlist(test_ids(found[of == r]))), seq_len(n))
  }
  for (one in found) {
    expect_identical(sort(c(one$train, one$test)), seq_len(n))
    expect_false(is.unsorted(one$train) || is.unsorted(one$test))
  }
}

test_that("folds are even in number and by class, for all repeats, and depend on the seed alone", {
  y <- factor(rep(c("a", "b", "c"), c(50, 23, 10))[sample.int(83)])
  found <- drawn(5, 3, y)
  expect_length(found, 15)
  expect_identical(vapply(found, `[[`, 1L, "fold"), rep(1:5, 3))
  expect_partition(found, 83, 3)
  for (one in found) {
    expect_true(length(one$test) %in% 16:17)
    cases <- table(y[one$test])
    expect_true(all(abs(cases - table(y) / 5) < 1))
  }
  expect_identical(found, drawn(5, 3, y))
  expect_false(identical(test_ids(found)[1:5], test_ids(found)[6:10]))
  expect_false(identical(found, drawn(5, 3, y, seed = 2)))
})

test_that("numbers are spread by quantile groups, no response at random", {
  set.seed(3)
  y <- rexp(100)
  found <- drawn(5, 1, y)
  expect_partition(found, 100)
  fifth <- findInterval(rank(y), c(21, 41, 61, 81))
  for (one in found) expect_identical(as.vector(table(fifth[one$test])), rep(4L, 5))
  expect_partition(drawn(4, 2, c(0, 0, 0, 0, 0, 0, 1, 2)), 8, 2)
  expect_partition(drawn(7, 1, NULL, n = 30), 30)
  expect_partition(drawn(9, 1, as.numeric(1:9)), 9)
})

test_that("leaving one out is as many folds as rows", {
  y <- factor(rep(c("a", "b"), c(3, 4)))
  expect_no_warning(found <- drawn(7, 1, y))
  expect_partition(found, 7)
  expect_identical(lengths(test_ids(found)), rep(1L, 7))
})

test_that("groups stay together, classes as even as they permit", {
  set.seed(4)
  group <- sample(rep(paste("patient", 1:30), sample(1:8, 30, TRUE)))
  y <- factor(ifelse(runif(length(group)) < 0.3, "case", "control"))
  found <- drawn(5, 2, y, group)
  expect_partition(found, length(group), 2)
  for (one in found) {
    expect_length(intersect(group[one$test], group[one$train]), 0)
    expect_lt(max(abs(table(y[one$test]) / table(y) - 0.2)), 0.1)
  }
  # groups of one size that are of one class each: as even as single rows
  group <- rep(1:20, each = 3)
  y <- factor(rep(c("a", "b"), each = 30))
  for (one in drawn(5, 1, y, group)) expect_identical(as.vector(table(y[one$test])), c(6L, 6L))
  # numbers, and no response: sizes are even
  for (response in list(as.numeric(seq_along(group)), NULL)) {
    expect_identical(lengths(test_ids(drawn(4, 1, response, group, n = 60))), rep(15L, 4))
  }
  # a factor, with levels that have no rows, is as good as its values
  expect_identical(drawn(5, 1, y, group), drawn(5, 1, y, factor(group, 1:25)))
  # unequal groups are drawn anew in every repeat, and nearly as even
  group <- rep(1:19, c(1:18, 29))
  found <- drawn(4, 20, factor(rep(c("a", "b"), 100)), group)
  expect_gt(length(unique(test_ids(found))), 60)
  expect_lt(max(abs(lengths(test_ids(found)) / 50 - 1)), 0.4)
  # one large group leaves a fold for itself
  expect_partition(drawn(3, 1, NULL, c(rep("big", 50), letters[1:10]), n = 60), 60)
})

test_that("rows without weight take no part in what is even", {
  y <- factor(rep(c("a", "b"), 30))
  weights <- rep(c(1, 0), each = 30)
  found <- drawn(5, 1, y, weights = weights)
  expect_partition(found, 60)
  for (one in found) {
    expect_identical(as.vector(table(y[one$test[weights[one$test] > 0]])), c(3L, 3L))
    expect_identical(sum(weights[one$test] == 0), 6L)
  }
  expect_classed(drawn(40, 1, y, weights = weights), "too_few", "folds")
  expect_partition(drawn(3, 1, y, rep(1:6, 10), weights = weights), 60)
})

test_that("own folds: one per row, NA for rows that are always trained on", {
  found <- drawn(c(2, 1, 2, NA, 1), n = 5)
  expect_identical(found[[1]], list(repeat_number = 1L, fold = 1, train = c(1L, 3L, 4L),
                                    test = c(2L, 5L)))
  expect_identical(found[[2]]$test, c(1L, 3L))
  sites <- factor(c("Oslo", "Bern", "Oslo", "Bern"), c("Oslo", "Rome", "Bern"))
  by_site <- drawn(sites, n = 4)
  expect_identical(vapply(by_site, `[[`, "", "fold"), c("Oslo", "Bern"))
  expect_identical(test_ids(drawn(as.character(sites), n = 4)), rev(test_ids(by_site)))
  expect_identical(test_ids(drawn(c(NA, 1, NA), n = 3)), list(2L))
})

test_that("own folds: lists of held-out rows, or of both parts", {
  found <- drawn(list(c(3, 1), 2), n = 4)
  expect_identical(found[[1]], list(repeat_number = 1L, fold = 1L, train = c(2L, 4L),
                                    test = c(1L, 3L)))
  expect_identical(found[[2]]$train, c(1L, 3L, 4L))
  both <- drawn(list(first = list(train = c(4, 2), test = 1)), n = 4)
  expect_identical(both[[1]], list(repeat_number = 1L, fold = "first", train = c(2L, 4L), test = 1L))
  expect_identical(drawn(both, n = 4), both)
  two <- drawn(2, repeats = 2, n = 6)
  expect_identical(drawn(two, n = 6), two)
  odd <- function(...) drawn(list(list(train = 1:2, test = 3, ...)), n = 4)
  expect_classed(odd(repeat_number = 0), "invalid_argument", "folds[[1]]$repeat_number")
  expect_classed(odd(fold = 1:2), "invalid_argument", "folds[[1]]$fold")
})

test_that("folds that can't be are classed errors", {
  y <- factor(rep(c("a", "b"), c(10, 1)))
  expect_classed(drawn(3, 1, y), "too_few", "y")
  y <- factor(rep(c("a", "b", "c"), c(10, 3, 2)))
  warned <- expect_warning(drawn(5, 1, y), class = "manykernels_warning_few_cases")
  expect_identical(warned$value, c("b", "c"))
  n <- 6
  refused <- function(folds, class = "invalid_argument", argument = "folds", ...) {
    expect_classed(drawn(folds, n = n, ...), class, argument)
  }
  for (folds in list(1, 0, 2.5, NA_real_, Inf, "5", TRUE, NULL, mean, list(),
                     data.frame(a = 1:6))) {
    class <- if (length(folds) == 1 && is.atomic(folds) && !is.numeric(folds)) "length" else
      "invalid_argument"
    refused(folds, class)
  }
  refused(7, "too_few")
  refused(1:5, "length")
  refused(rep(1, 6))
  refused(rep(NA, 6))
  refused(list(1:6))
  refused(list(1:2, integer()), argument = "folds[[2]]")
  refused(list(1:2, 7), argument = "folds[[2]]")
  refused(list(0), argument = "folds[[1]]")
  refused(list(c(1, 1)), argument = "folds[[1]]")
  refused(list("a"), argument = "folds[[1]]")
  refused(list(list(train = 1:3, test = 3:4)))
  refused(list(list(train = integer(), test = 3:4)), argument = "folds[[1]]$train")
  refused(list(list(train = 1:3)), argument = "folds[[1]]")
  refused(list(list(training = 1:3, test = 4)), argument = "folds[[1]]")
  refused(rep(1:2, 3), argument = "repeats", repeats = 2)
  refused(3, argument = "repeats", repeats = 0)
  refused(3, "length", "group", group = 1:5)
  refused(3, "missing_values", "group", group = c(1:5, NA))
  refused(3, "invalid_argument", "group", group = list(1, 2))
  refused(3, "too_few", group = c(1, 1, 1, 2, 2, 2))
  refused(rep(1:2, 3), group = rep(1:3, each = 2))
  expect_silent(drawn(rep(1:2, each = 3), group = rep(1:2, each = 3)))
  # training rows without a class
  y <- factor(c("a", "a", "b", "b", "a", "a"))
  refused(c(1, 1, 2, 2, 1, 1), "too_few", response = y)
  refused(list(list(train = 1:2, test = 3)), "too_few", response = y)
  refused(2, "too_few", response = y, group = c(1, 2, 3, 3, 4, 5))
  refused(c(1, 1, 1, 2, 2, 2), "too_few", response = y, weights = c(1, 1, 1, 0, 1, 1))
})

test_that("messages of folds name what is wrong", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    drawn(7, n = 6)
    drawn(3, group = c(1, 1, 2, 2))
    drawn(3, response = factor(c("a", "a", "a", "b")))
    drawn(rep(1:2, each = 2), response = factor(c("a", "a", "b", "b")))
    drawn(list(list(train = 1:3, test = 3:4)), n = 4)
    drawn(c(1, 2, 1, 2), group = c(1, 1, 2, 2))
  })
  expect_snapshot(invisible(drawn(5, response = factor(rep(c("a", "b"), c(10, 3))))), cnd_class = TRUE)
})
