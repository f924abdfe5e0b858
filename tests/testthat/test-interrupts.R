# The first interrupt of a long call ends it with what there is, the second one at once.
skip_on_cran() # a slow file
skip_on_os("windows")

set.seed(1)
x <- matrix(rnorm(3000 * 20), 3000)
y <- factor(sample(c("a", "b", "c"), 3000, replace = TRUE))
two <- droplevels(y[y != "c"])
x_two <- x[y != "c", ]
x_many <- x_two[rep(seq_along(two), 12), ] # for what would end before it is interrupted
many <- factor(sample(c("a", "b"), nrow(x_many), replace = TRUE))
widths <- gaussian_kernel(2^(0:9))
endless <- function(optimizer = "auto", ...) mkl_control(optimizer, tol = 1e-14, max_time = 30, ...)

# Interrupts at these seconds from now.
interrupt_at <- function(...) {
  for (seconds in c(...)) {
    system(sprintf("(sleep %g; kill -INT %d) >/dev/null 2>&1", seconds, Sys.getpid()), wait = FALSE)
  }
}

# What comes of an interrupted call: its value, and the classes of its conditions.
interrupted <- function(call) {
  told <- character()
  began <- Sys.time()
  value <- withCallingHandlers(
    tryCatch(call(), interrupt = identity),
    message = function(m) {
      told <<- c(told, class(m))
      invokeRestart("muffleMessage")
    },
    warning = function(w) {
      told <<- c(told, class(w))
      invokeRestart("muffleWarning")
    }
  )
  Sys.sleep(2.1) # so that the next interrupt is a first one
  list(value = value, told = told, seconds = as.numeric(Sys.time() - began, units = "secs"))
}

# Interrupts a call after these seconds, or later where it had not come to its fit yet.
interrupted_fit <- function(seconds, call) {
  interrupt_at(seconds)
  ended <- interrupted(call)
  if (inherits(ended$value, "interrupt") && seconds < 10) interrupted_fit(2 * seconds, call) else ended
}

expect_ended_early <- function(ended) {
  expect_s3_class(ended$value, "mkl_fit")
  status <- vapply(if (is.null(ended$value$models)) list(ended$value) else ended$value$models, function(model) model$status, "")
  expect_true("interrupted" %in% status)
  expect_false("time_limit" %in% status)
  expect_true("manykernels_message_interrupted" %in% ended$told)
  expect_true("manykernels_warning_not_converged" %in% ended$told)
  expect_lt(ended$seconds, 20)
}

test_that("every optimiser leaves a fit with its true gap", {
  skip_unless_interrupts_arrive()
  slow <- nzchar(Sys.getenv("MANYKERNELS_SLOW"))
  for (optimizer in if (slow) c("auto", "cutting_plane") else "auto") {
    rows <- seq_len(if (optimizer == "chunking") nrow(x_many) else length(two))
    ended <- interrupted_fit(0.7, function() {
      mkl(x_many[rows, ], many[rows], widths, C = 1e4, p = 2, control = endless(optimizer))
    })
    expect_ended_early(ended)
    expect_equal(duality_gap(ended$value, x_many[rows, ], many[rows])$gap, ended$value$gap, tolerance = 1e-6)
  }
})

test_that("several models, other fits and progress end early, too", {
  skip_unless_interrupts_arrive()
  skip_unless_slow()
  calls <- list(
    function() mkl(x, y, widths, C = 1e4, p = 2, control = endless()),
    function() mkl(x, y, widths, C = 1e4, p = 1, multiclass = "shared", control = endless()),
    function() mkl_gomp(x, y, gaussian_kernel(2^seq(-9, 9, length.out = 200)), control = endless()),
    function() mkl_sequential(x_many[1:8000, ], many[1:8000], gaussian_kernel(2^seq(-3, 9, length.out = 60)), C = 1, control = endless()),
    function() mllkm(x_two, two, C = 1e3, control = endless(progress = TRUE))
  )
  for (call in calls) {
    capture.output(ended <- interrupted_fit(1, call), type = "message")
    expect_ended_early(ended)
  }
})

test_that("the second interrupt stops the call, and the first one a cross-validation", {
  skip_unless_interrupts_arrive()
  skip_unless_slow()
  interrupt_at(0.7, 1)
  twice <- interrupted(function() {
    for (k in 1:9) mkl(x_two, two, widths, C = 1e4, control = endless())
  })
  expect_s3_class(twice$value, "interrupt")
  interrupt_at(1)
  expect_s3_class(interrupted(function() {
    cv_mkl(x_two, two, widths, C = 10^(3:4), p = 2, folds = 3, control = endless())
  })$value, "interrupt")
})
