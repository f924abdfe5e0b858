x <- as.matrix(iris[seq(1, 150, 3), 1:4])
y <- iris$Species[seq(1, 150, 3)]
k <- gaussian_kernel(c(1, 4))
shown <- mkl_control(progress = TRUE, tol = 1e-6)
quiet <- mkl_control(progress = FALSE)

# The sums of steps signalled by each progressor, all of which must end.
signals <- function(code) {
  sums <- numeric()
  ends <- 0
  withCallingHandlers(
    progressr::with_progress(code, handlers = progressr::handler_void(), enable = TRUE),
    progression = function(p) {
      if (p$type == "initiate") sums <<- c(sums, 0)
      if (p$type == "update") sums[length(sums)] <<- sums[length(sums)] + p$amount
      if (p$type == "finish") ends <<- ends + 1
    }
  )
  expect_equal(ends, length(sums))
  sums
}

calls <- list(
  mkl = function(control) mkl(x, y, k, control = control),
  shared = function(control) mkl(x, y, k, multiclass = "shared", control = control),
  mkl_gomp = function(control) mkl_gomp(x, y, k, folds = 3, control = control),
  mkl_sequential = function(control) mkl_sequential(x, y, k, control = control),
  mllkm = function(control) mllkm(x, y, control = control),
  mkl_path = function(control) mkl_path(x, y, k, C = c(0.1, 1), tol = 0.1, control = control),
  signs = function(control) {
    set.seed(1)
    empirical_rademacher(k, x, draws = 50, progress = control$progress)
  }
)

test_that("long calls report progress where it is asked for, and nothing elsewhere", {
  for (call in calls) {
    expect_silent(call(quiet))
    lines <- capture.output(call(shown), type = "message")
    expect_match(lines, "[0-9] s", all = FALSE)
  }
})

test_that("every long call signals all of its steps", {
  skip_if_not_installed("progressr")
  loadNamespace("progressr")
  for (name in names(calls)) {
    found <- signals(calls[[name]](quiet))
    expect_equal(found, rep(100, if (name == "mkl_gomp") 2 else 1), label = name)
  }
  expect_equal(signals(cv_mkl(x, y == "setosa", model = "mllkm", C = 1:2, folds = 2, control = quiet)), 4)
})

test_that("bars of cli move and close", {
  skip_if_not_installed("cli")
  old <- options(cli.dynamic = TRUE)
  on.exit(options(old))
  expect_true(bar_can_move())
  for (call in calls) expect_no_error(suppressMessages(invisible(call(shown))))
  set.seed(1)
  expect_identical(calls$signs(shown)$value, calls$signs(quiet)$value)
})

test_that("the time left is told from how far the gap has fallen", {
  share <- gap_share(1e-4)
  expect_identical(share(1, 0, 1), 0)
  expect_equal(share(2, 0, 1e-2), 0.5)
  expect_identical(share(3, 0, 1e-5), 1)
  expect_identical(gap_share(0.1)(1, 0, 0.05), 1)
  line <- progress_line()
  expect_match(capture.output(line(1, 2, 3, 0.1, left = 6), type = "message"), "2.0 s, 6 s left")
  expect_no_match(capture.output(line(1, 2, 3, 0.1, left = Inf), type = "message"), "left")
})

test_that("what is done only grows, from one model to the next", {
  skip_if_not_installed("progressr")
  run <- function() {
    progress <- run_progress("Fit", 2, FALSE, gap_share(1e-2))
    for (model in 1:2) {
      tell <- progress$tell(model)
      for (gap in c(1, 0.1, 0.5, 0.01)) tell(1, 1, 1, gap)
    }
    progress$done()
  }
  expect_equal(signals(run()), 100)
  expect_null(run_progress("Fit", 2, FALSE, gap_share(1e-2))$tell(1))
})
