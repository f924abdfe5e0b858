# Forked workers: OpenMP's threads don't survive a fork, so a child that waited for them would hang.
# Each call has a time limit here, and its child is killed where it doesn't end. The limit is many times
# what this process takes, since builds with sanitizers are slow.

skip_on_cran() # a slow file
skip_on_os("windows")

in_child <- function(expr, seconds = patience(first)) {
  job <- parallel::mcparallel(expr)
  on.exit({
    tools::pskill(job$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(job))
  })
  got <- parallel::mccollect(job, wait = FALSE, timeout = seconds)
  if (is.null(got)) "no answer" else got[[1]]
}

# Seconds to wait for what takes a process without forks this long.
patience <- function(seconds) 40 + 20 * seconds

elapsed <- function(expr) system.time(expr)[["elapsed"]]

alone <- function(expr) {
  old <- options(manykernels.threads = 1)
  on.exit(options(old))
  expr
}

d <- judge_clouds(2000, 10)
# threads = NULL is what users have; two are there whatever the options of the machine say.
quietly <- function(...) mkl_control(progress = FALSE, ...)
first <- elapsed(fit <- mkl(d$x, d$y, control = quietly(threads = 2))) # the parent has used threads
fit$control$threads <- NULL
near <- mllkm(d$x[1:400, ], d$y[1:400], control = quietly(threads = 2))
near$control$threads <- NULL
k <- gaussian_kernel(c(5, 20, 80))

calls <- list(
  mkl = function() mkl(d$x, d$y, control = quietly())[c("theta", "alpha", "gap")],
  predict = function() predict(fit, d$x, type = "decision"),
  duality_gap = function() unclass(duality_gap(fit, d$x, d$y)),
  kernel_matrix = function() kernel_matrix(k, d$x[1:1000, ])[[2]],
  kernel_alignment = function() unclass(kernel_alignment(k, d$x, d$y)),
  default_kernels = function() as.data.frame(default_kernels(d$x)),
  empirical_rademacher = function() {
    set.seed(1)
    empirical_rademacher(k, d$x, draws = 20)
  },
  risk_bound = function() suppressWarnings(unclass(risk_bound(fit, d$x, d$y))),
  mkl_sequential = function() {
    mkl_sequential(d$x, d$y, k, control = quietly())[c("theta", "alpha", "gap")]
  },
  mllkm = function() mllkm(d$x, d$y, control = quietly())[c("theta", "coefficients", "gap")],
  mllkm_predict = function() predict(near, d$x, type = "decision"),
  mkl_gomp = function() {
    fit <- mkl_gomp(d$x, d$y, k, lambda = 0.01, control = quietly())
    list(fit$path$kernel, fit$alpha)
  }
)

test_that("what a parent with threads can do, its forked children can", {
  skip_unless_slow()
  for (name in names(calls)) {
    seconds <- elapsed(here <- alone(calls[[name]]()))
    there <- in_child(calls[[name]](), patience(seconds))
    expect_equal(there, here, tolerance = 1e-12, label = name)
    if (identical(there, "no answer")) break
  }
})

test_that("children of a fork and their children take one thread, their parent goes on with many", {
  # those of a process, which stay after a fit
  threads <- function() {
    mkl(d$x, d$y, control = quietly())
    as.integer(sub("\\D+", "", grep("^Threads:", readLines("/proc/self/status"), value = TRUE)))
  }
  if (file.exists("/proc/self/status")) {
    here <- threads()
    expect_identical(in_child(threads()), 1L)
    expect_identical(in_child(in_child(threads())), 1L)
    expect_gte(threads(), min(here, 2L))
  }
  asked <- in_child(mkl(d$x, d$y, control = quietly(threads = 2))$gap)
  expect_lte(asked, 1e-3)
  expect_identical(mkl(d$x, d$y, control = quietly(threads = 2))$theta, fit$theta)
})

# The output of R code in a session of its own, which ends with its children after a while.
session <- function(..., seconds = patience(first)) {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(c(sprintf("library_folder <- %s", deparse(.libPaths()[1])), ...), script)
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE,
                           timeout = seconds))
}

test_that("mclapply() runs fits side by side", {
  skip_on_cran()
  gaps <- session(
    "library(manykernels, lib.loc = library_folder)",
    "options(manykernels.threads = 2, mc.cores = 2)",
    "x <- matrix(sin((1:2e4)^2), 2000)",
    "y <- factor(x[, 1] * x[, 2] > 0)",
    "fit <- mkl(x, y)",
    "cat(unlist(parallel::mclapply(1:2, function(i) mkl(x, y, C = i)$gap)), sep = '\n')"
  )
  expect_length(gaps, 2)
  expect_true(all(as.double(gaps) <= 1e-3))
})

test_that("a child that loads the package itself takes one thread, too", {
  skip_on_cran()
  threads <- session(
    "job <- parallel::mcparallel({",
    "  loadNamespace('manykernels', lib.loc = library_folder)",
    "  x <- matrix(sin((1:600)^2), 200)",
    "  manykernels::mkl(x, factor(x[, 1] > x[, 2]))",
    "  sub('[^0-9]+', '', grep('^Threads:', readLines('/proc/self/status'), value = TRUE))",
    "})",
    "cat(parallel::mccollect(job)[[1]])"
  )
  expect_identical(threads, "1")
})
