test_that("conditions carry classes, argument and value", {
  error <- tryCatch(check_number(-1, "C", lower = 0, lower_open = TRUE), error = identity)
  expect_identical(class(error), c("manykernels_invalid_argument", "manykernels_error", "error",
                                   "condition"))
  expect_equal(error$argument, "C")
  expect_equal(error$value, -1)
  expect_null(conditionCall(error))

  expect_warning(mk_warn("Careful.", "test"), class = "manykernels_warning_test")
  expect_warning(mk_warn("Careful.", "test"), class = "manykernels_warning")
  expect_message(mk_inform("News.", "test"), "^News.\n$", class = "manykernels_message_test")
  expect_message(mk_inform("News.", "test"), class = "manykernels_message")
})

test_that("numbers are checked against their range", {
  expect_identical(check_number(3L, "C"), 3)
  expect_identical(check_number(c(a = 2), "C"), 2)
  expect_identical(check_number(Inf, "p", lower = 1, allow_inf = TRUE), Inf)
  expect_identical(check_numbers(1:3, "width", lower = 0), c(1, 2, 3))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    check_number("a", "C")
    check_number(1:2, "C")
    check_number(NULL, "C")
    check_number(NaN, "C")
    check_number(Inf, "C", lower = 0, lower_open = TRUE)
    check_number(0, "C", lower = 0, lower_open = TRUE)
    check_number(-1, "offset", lower = 0)
    check_number(0.5, "p", lower = 1, allow_inf = TRUE)
    check_number(0.5, "n", lower = 1)
    check_number(1, "level", lower = 0, upper = 1, lower_open = TRUE, upper_open = TRUE)
    check_number(TRUE, "C")
    check_number(as.Date("2020-01-01"), "C")
    check_numbers(c(1, -1), "width", lower = 0)
    check_numbers(numeric(), "width", lower = 0)
  })
})

test_that("whole numbers are checked", {
  expect_identical(check_count(3, "n"), 3L)
  expect_identical(check_counts(c(1, 2), "n"), 1:2)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    check_count(0, "folds")
    check_count(2.5, "folds", lower = 2L)
    check_count(2:3, "folds", lower = 2L)
    check_count(9, "folds", lower = 2L, upper = 5L)
    check_counts(c(1, NA), "degree")
    check_count(1e10, "max_iter")
    check_count(matrix(1:4, 2), "folds")
  })
})

test_that("flags, strings, choices and classes are checked", {
  expect_true(check_flag(TRUE, "progress"))
  expect_identical(check_string("a", "name"), "a")
  expect_identical(check_choice(c("a", "b"), c("a", "b"), "type"), "a")
  expect_identical(check_choice("b", c("a", "b"), "type"), "b")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    check_flag(NA, "progress")
    check_flag(1, "progress")
    check_string("", "name")
    check_string(c("a", "b"), "name")
    check_choice("c", c("a", "b"), "type")
    check_choice(factor("a"), c("a", "b"), "type")
    check_class(sum, "kernel_set", "kernels", "a kernel set")
    check_class(list(1, 2), "kernel_set", "kernels", "a kernel set")
  })
})

test_that("arguments nobody takes are errors", {
  f <- function(x, ...) check_dots_empty(...)
  expect_silent(f(1))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    f(1, widht = 2)
    f(1, 2)
  })
})

test_that("a time limit of R's ends a long fit in the core", {
  set.seed(1)
  x <- matrix(rnorm(4000 * 20), 4000)
  y <- factor(sample(c("a", "b"), 4000, replace = TRUE))
  took <- system.time(limited <- tryCatch({
    setTimeLimit(elapsed = 0.5, transient = TRUE)
    mkl(x, y, gaussian_kernel(2^(0:9)), C = 1e4, control = mkl_control(tol = 1e-10, max_time = 20))
  }, error = conditionMessage))[["elapsed"]]
  setTimeLimit()
  expect_match(limited, "time limit")
  expect_lt(took, 10)
})
