x <- as.matrix(iris[seq(1, 150, 3), 1:4])
y <- iris$Species[seq(1, 150, 3)]
k <- gaussian_kernel(c(1, 4))
shown <- mkl_control(progress = TRUE, tol = 1e-6)
quiet <- mkl_control(progress = FALSE)

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
    expect_equal(found, if (name == "mkl_gomp") c(3, 100) else 100, label = name)
  }
  expect_equal(signals(cv_mkl(x, y == "setosa", model = "mllkm", C = 1:2, folds = 2, control = quiet)), 4)
})

test_that("the rounds of a search share their lines", {
  set.seed(1)
  lines <- capture.output(type = "message", suppressWarnings(
    cv_mkl(x, y, k, folds = 2, nested = TRUE, scale = TRUE, control = shown)
  ))
  rounds <- grep("^Cross-validation: [0-9]+ of [0-9]+, [0-9]+ s", lines)
  expect_gte(length(rounds), 1)
  expect_lte(length(rounds), 4) # a line every ten seconds
})

test_that("bars of cli move and close", {
  skip_if_not_installed("cli")
  old <- options(cli.dynamic = TRUE)
  on.exit(options(old))
  for (call in calls) expect_no_error(suppressMessages(invisible(call(shown))))
  set.seed(1)
  expect_identical(calls$signs(shown)$value, calls$signs(quiet)$value)
})

test_that("a long normalisation tells its progress", {
  skip_unless_slow()
  n <- 30000
  set.seed(1)
  wide <- matrix(rnorm(20 * n), n)
  kernels <- polynomial_kernel(rep(2:5, each = 15), offset = rep(1:15, 4))
  lines <- capture.output(type = "message", suppressWarnings(
    mkl(wide, wide[, 1] > 0, kernels, control = mkl_control(progress = TRUE, max_iter = 1, threads = 1))
  ))
  expect_match(lines, "Normalisation: 100 of 100", all = FALSE)
})
