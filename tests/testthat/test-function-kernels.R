# R functions as kernels: what they signal, and where they jump to, goes through the core as it does
# through R.

d <- judge_clouds(60)
quietly <- mkl_control(progress = FALSE)

# tcrossprod(), but that `act` is done from the first call on that the core makes: three check it.
acting <- function(act, from = 4) {
  calls <- 0
  function_kernel(function(X, Z) {
    calls <<- calls + 1
    if (calls >= from) act()
    tcrossprod(X, Z)
  }, "f")
}

my_error <- function() stop(errorCondition("No such luck.", class = "my_error", detail = 42))

test_that("warnings, messages and other conditions reach the handlers around a call", {
  calls <- 0
  says <- function_kernel(function(X, Z) {
    calls <<- calls + 1
    warning("careful")
    message("hello")
    signalCondition(structure(class = c("mine", "condition"), list(message = "", call = NULL)))
    tcrossprod(X, Z)
  }, "f")
  expect_silent(fit <- suppressMessages(suppressWarnings(mkl(d$x, d$y, says, control = quietly))))
  heard <- c(warning = 0, message = 0, mine = 0)
  calls <- 0
  withCallingHandlers(
    {
      fit <- mkl(d$x, d$y, says, control = quietly)
      predict(fit, d$x)
      duality_gap(fit, d$x, d$y)
      kernel_matrix(says, d$x)
    },
    warning = function(w) {
      heard[["warning"]] <<- heard[["warning"]] + 1
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      heard[["message"]] <<- heard[["message"]] + 1
      invokeRestart("muffleMessage")
    },
    mine = function(c) heard[["mine"]] <<- heard[["mine"]] + 1
  )
  expect_gt(calls, 10)
  expect_identical(heard, c(warning = calls, message = calls, mine = calls))
  plain <- mkl(d$x, d$y, function_kernel(tcrossprod, "f"), control = quietly)
  expect_identical(fit$alpha, plain$alpha)
})

test_that("an error of a function is the parent of the package's", {
  ways <- list(
    check = function(k) mkl(d$x, d$y, k[[1]](1), control = quietly),
    fit = function(k) mkl(d$x, d$y, k[[1]](4), control = quietly),
    gomp = function(k) mkl_gomp(d$x, as.double(d$y), k[[1]](4), lambda = 0.1),
    sequential = function(k) mkl_sequential(d$x, d$y, k[[1]](4), control = quietly),
    matrix = function(k) kernel_matrix(k[[1]](4), d$x),
    rademacher = function(k) empirical_rademacher(k[[1]](4), d$x)
  )
  for (way in names(ways)) {
    e <- tryCatch(ways[[way]](list(function(from) acting(my_error, from))), error = identity)
    expect_s3_class(e, c("manykernels_function_kernel", "manykernels_error", "error", "condition"),
                    exact = TRUE)
    expect_s3_class(e$parent, "my_error")
    expect_identical(e$parent$detail, 42)
    expect_identical(e$argument, "f")
    expect_identical(conditionMessage(e), "The function of kernel `f` failed: No such luck.")
  }
  fails <- FALSE
  fit <- mkl(d$x, d$y, acting(function() if (fails) my_error()), control = quietly)
  fails <- TRUE
  expect_error(predict(fit, d$x), class = "manykernels_function_kernel")
  expect_error(duality_gap(fit, d$x, d$y), class = "manykernels_function_kernel")
})

test_that("an error of a dictionary's function is the parent of the package's", {
  f <- function(i) if (i > 70) my_error() else gaussian_kernel(i)
  e <- tryCatch(mkl_sequential(d$x, d$y, f, size = 100, control = quietly), error = identity)
  expect_s3_class(e, "manykernels_dictionary")
  expect_s3_class(e$parent, "my_error")
  expect_match(conditionMessage(e), "for kernel 71 failed: No such luck.", fixed = TRUE)
  expect_error(kernel_dictionary(f, size = 100)[[99]], class = "manykernels_dictionary")
})

test_that("errors that a function handles itself concern nobody", {
  handles <- function_kernel(function(X, Z) {
    try(stop("inner"), silent = TRUE)
    tryCatch(my_error(), error = function(e) NULL)
    tcrossprod(X, Z)
  }, "f")
  expect_silent(mkl(d$x, d$y, handles, control = quietly))
})

test_that("restarts from outside are in reach, from the function and from a handler", {
  restarted <- withRestarts(
    mkl(d$x, d$y, acting(function() invokeRestart("leave", "left")), control = quietly),
    leave = identity
  )
  expect_identical(restarted, "left")
  handled <- withRestarts(
    withCallingHandlers(
      mkl(d$x, d$y, acting(function() warning("careful")), control = quietly),
      warning = function(w) invokeRestart("leave", conditionMessage(w))
    ),
    leave = identity
  )
  expect_identical(handled, "careful")
  caught <- tryCatch(
    mkl(d$x, d$y, acting(function() warning("careful")), control = quietly),
    warning = conditionMessage
  )
  expect_identical(caught, "careful")
  early <- callCC(function(exit) mkl(d$x, d$y, acting(function() exit("early")), control = quietly))
  expect_identical(early, "early")
})

test_that("functions may fit themselves, and jump out of both fits", {
  inner <- function(kernel) mkl(d$x[1:20, ], d$y[1:20], kernel, control = quietly)
  nested <- acting(function() inner(acting(function() NULL)))
  expect_identical(mkl(d$x, d$y, nested, control = quietly)$status, "converged")
  e <- tryCatch(mkl(d$x, d$y, acting(function() inner(acting(my_error))), control = quietly),
                error = identity)
  expect_s3_class(e$parent, "manykernels_function_kernel")
  expect_s3_class(e$parent$parent, "my_error")
  tries <- acting(function() try(inner(acting(my_error)), silent = TRUE))
  expect_identical(mkl(d$x, d$y, tries, control = quietly)$status, "converged")
  jumps <- acting(function() inner(acting(function() invokeRestart("leave", "left"))))
  expect_identical(withRestarts(mkl(d$x, d$y, jumps, control = quietly), leave = identity), "left")
})

test_that("an interrupt and a time limit end a function", {
  skip_on_os("windows")
  skip_unless_interrupts_arrive()
  interrupted <- tryCatch(
    mkl(d$x, d$y, acting(function() {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      for (k in 1:500) Sys.sleep(0.01)
    }), control = quietly),
    interrupt = identity
  )
  expect_s3_class(interrupted, "interrupt")
  took <- system.time(expect_error({
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    mkl(d$x, d$y, acting(function() for (k in 1:500) Sys.sleep(0.01)), control = quietly)
  }, "time limit"))[["elapsed"]]
  setTimeLimit()
  expect_lt(took, 4)
})

resident <- function() {
  pages <- as.double(strsplit(readLines("/proc/self/statm"), " ", fixed = TRUE)[[1]][2])
  pages * 4096
}

test_that("jumps out of the core leave none of its memory behind", {
  skip_unless_slow()
  skip_if_not(file.exists("/proc/self/statm"))
  skip_if(nzchar(Sys.getenv("ASAN_OPTIONS")), "sanitizers keep what was freed")
  big <- judge_clouds(700)
  unkept <- mkl_control(progress = FALSE, cache = 8e6) # too little to keep values
  jump <- function() {
    callCC(function(exit) {
      calls <- 0
      f <- function(X, Z) {
        calls <<- calls + 1
        if (calls > 72) exit("out")
        tcrossprod(X, Z)
      }
      mkl(big$x, big$y, function_kernel(f, "f"), control = unkept)
    })
  }
  for (k in 1:60) expect_identical(jump(), "out") # by then R's own memory has its size
  gc()
  before <- resident()
  for (k in 1:180) jump()
  gc()
  expect_lt(resident() - before, 9e7) # what these fits have allocated is 180 MB, R's own memory may grow by 50
})

test_that("cv_mkl() warns once of an indefinite kernel, not in every fold", {
  set.seed(1)
  x <- matrix(rnorm(120), 40)
  y <- factor(x[, 1] + rnorm(40) > 0)
  k <- c(function_kernel(function(X, Z) tanh(tcrossprod(X, Z) - 1), "s"),
         function_kernel(function(X, Z) tanh(tcrossprod(X, Z) - 2), "t"))
  told <- character()
  for (nested in c(FALSE, TRUE)) {
    withCallingHandlers(cv_mkl(x, y, k, folds = 3, p = 2, C = 1, nested = nested),
                        manykernels_warning_indefinite = function(w) told <<- c(told, conditionMessage(w)),
                        warning = function(w) invokeRestart("muffleWarning"))
  }
  expect_identical(sub(":.*", "", told), rep(c("Kernel `s` is indefinite", "Kernel `t` is indefinite"), 2))
})
