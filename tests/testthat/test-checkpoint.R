# A fit that was killed goes on from its file, to the bit to the same end.
skip_on_cran() # a slow file

data_of <- function(n = 3000) {
  set.seed(5)
  x <- matrix(rnorm(n * 4), n)
  inside <- rowSums(x[, 1:2]^2) > 1.4
  list(x = x, y = factor(xor(inside, runif(n) < 0.1)), class = factor(sample(3, n, replace = TRUE)))
}
widths <- gaussian_kernel(4 * 2^(-3:3))
keeping <- function(file, ...) mkl_control(checkpoint = file, progress = FALSE, threads = 1, tol = 1e-4, ...)
fields <- c("theta", "alpha", "offset", "gap", "objective", "primal", "decision", "iterations", "support")
expect_same_end <- function(fit, whole) {
  for (field in fields) expect_identical(fit[[field]], whole[[field]], label = field)
  untimed <- function(fit) fit$history[names(fit$history) != "time"]
  expect_identical(untimed(fit), untimed(whole))
}


# Runs the fit in a process that is killed after so many writes, or whose disk is full after the first; what
# it prints.
fit_elsewhere <- function(file, kill = Inf, probability = FALSE, full = FALSE, fit = "two") {
  script <- tempfile(fileext = ".R")
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(manykernels)",
    "space <- asNamespace('manykernels')",
    "written <- 0",
    "before <- space$write_whole",
    "unlockBinding('write_whole', space)",
    "space$write_whole <- function(...) {",
    "  done <- before(...)",
    "  written <<- written + 1",
    sprintf("  if (written == %s) tools::pskill(Sys.getpid(), tools::SIGKILL)", kill),
    if (full) "  if (written == 1) system2('prlimit', c('--pid', Sys.getpid(), '--fsize=9000'))",
    "  done",
    "}",
    "unlockBinding('BETWEEN_WRITES', space)",
    "space$BETWEEN_WRITES <- 0",
    paste("data_of <-", paste(deparse(data_of), collapse = "\n")),
    paste("widths <-", paste(deparse(quote(gaussian_kernel(4 * 2^(-3:3)))), collapse = "")),
    paste("keeping <-", paste(deparse(keeping), collapse = "\n")),
    "d <- data_of()",
    sprintf("file <- %s", deparse(file)),
    "fit <- tryCatch(",
    switch(fit,
      two = sprintf("  mkl(d$x, d$y, widths, p = 4/3, control = keeping(file, probability = %s)),", probability),
      three = "  mkl(d$x, d$class, widths, p = 2, control = keeping(file)),",
      sum = "  mkl(d$x, d$y, widths, norm = sum_norm(lp_norm(1), lp_norm(2)), control = keeping(file)),"),
    "  warning = class, error = conditionMessage)",
    "if (is.character(fit)) cat(fit) else cat(format(fit$gap, digits = 15))"
  ), script)
  shell <- sprintf("trap '' XFSZ; %s %s 2>/dev/null", shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script))
  paste(suppressWarnings(system2("sh", c("-c", shQuote(shell)), stdout = TRUE)), collapse = " ")
}

test_that("a killed fit goes on to the same end", {
  skip_on_os("windows")
  d <- data_of()
  whole <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(tempfile()))
  expect_identical(whole$optimizer, "chunking")
  expect_null(whole$control$checkpoint)
  file <- tempfile()
  for (kill in c(2, 4, 7)) { # the first is the file without a state
    expect_identical(fit_elsewhere(file, kill), "")
    expect_true(file.exists(file))
    expect_identical(list.files(dirname(file), paste0(basename(file), "-")), character())
    if (kill == 2) early <- readBin(file, "raw", 1e7)
  }
  expect_false(identical(readBin(file, "raw", 1e7), early))
  fit <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file))
  expect_same_end(fit, whole)
  # and it is there at once then
  again <- system.time(kept <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file)))
  expect_identical(kept$alpha, whole$alpha)
})

test_that("several models and the folds of probabilities are kept, too", {
  skip_unless_slow()
  skip_on_os("windows")
  d <- data_of()
  whole <- mkl(d$x, d$class, widths, p = 2, control = keeping(tempfile()))
  file <- tempfile()
  expect_identical(fit_elsewhere(file, 9, fit = "three"), "")
  fit <- mkl(d$x, d$class, widths, p = 2, control = keeping(file))
  for (k in 1:3) expect_same_end(fit$models[[k]], whole$models[[k]])
  set.seed(1)
  file <- tempfile()
  expect_identical(fit_elsewhere(file, 20, probability = TRUE), "")
  fit <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file, probability = TRUE))
  expect_true(fit$converged)
})

test_that("a limit of time leaves a file to go on from", {
  d <- data_of()
  file <- tempfile()
  whole <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(tempfile()))
  cut <- suppressWarnings(mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file, max_time = 0.3)))
  fit <- mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file))
  if (cut$status == "time_limit") expect_true(fit$converged)
  expect_lte(fit$gap, 1e-4)
})

test_that("a full disk loses nothing", {
  skip_on_os("windows")
  skip_if_not(nzchar(Sys.which("prlimit")))
  file <- tempfile()
  said <- fit_elsewhere(file, full = TRUE)
  expect_match(said, "manykernels_warning_checkpoint")
  expect_true(file.exists(file))
  d <- data_of()
  expect_true(mkl(d$x, d$y, widths, p = 4 / 3, control = keeping(file))$converged)
})

test_that("files that are damaged, cut short or of another call are refused by name", {
  d <- data_of(300)
  file <- tempfile()
  fit <- function(C = 1, ...) mkl(d$x, d$y, widths, C = C, control = keeping(file, ...))
  fit()
  draft <- paste0(file, c("-1a", "-2b")) # of processes that were killed, and that still write
  file.create(draft)
  Sys.setFileTime(draft[1L], Sys.time() - 3600)
  fit()
  expect_identical(file.exists(draft), c(FALSE, TRUE))
  refused <- function(expr, pattern) expect_error(expr, pattern, class = "manykernels_checkpoint")
  refused(fit(C = 2), paste0(basename(file), ".*another call: other C or weights"))
  d$x[1] <- d$x[1] + 1
  refused(fit(), "other data")
  d <- data_of(300)
  whole <- readBin(file, "raw", 1e7)
  writeBin(utils::head(whole, -10), file)
  refused(fit(), "truncated.*Delete it")
  for (bytes in c(20, 40, 60)) {
    writeBin(utils::head(whole, bytes), file)
    refused(fit(), "truncated.*Delete it")
  }
  first <- seq_len(which(whole == charToRaw("\n"))[1L])
  writeBin(c(charToRaw(sub("[0-9.]+", "0.0.1", rawToChar(whole[first]))), whole[-first]), file)
  refused(fit(), "was written by manykernels 0.0.1")
  writeBin(replace(whole, length(whole) - 20, xor(whole[length(whole) - 20], as.raw(255))), file)
  refused(fit(), "damaged")
  saveRDS(1, file)
  refused(fit(), "not written by mkl")
  expect_error(mkl_control(checkpoint = 1), class = "manykernels_invalid_argument")
  expect_error(mkl_control("newton", checkpoint = file), class = "manykernels_unsupported")
  file <- file.path(tempfile(), "none")
  expect_error(fit(), "does not exist", class = "manykernels_invalid_argument")
})

test_that("a killed fit with a norm by functions goes on, certified", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_on_cran()
  d <- data_of()
  norm <- sum_norm(lp_norm(1), lp_norm(2))
  whole <- mkl(d$x, d$y, widths, norm = norm, control = keeping(tempfile()))
  file <- tempfile()
  for (kill in c(2, 5)) expect_identical(fit_elsewhere(file, kill, fit = "sum"), "")
  fit <- mkl(d$x, d$y, widths, norm = norm, control = keeping(file))
  expect_identical(fit$status, "converged")
  expect_lte(fit$gap, 1e-4)
  expect_equal(fit$primal, whole$primal, tolerance = 1e-4)
  expect_identical(mkl(d$x, d$y, widths, norm = norm, control = keeping(file))$alpha, fit$alpha)
})

test_that("it is for mkl() alone", {
  d <- data_of(60)
  control <- keeping(tempfile())
  for (call in list(
    function() mkl_gomp(d$x, d$y, widths, control = control), function() mllkm(d$x, d$y, control = control),
    function() mkl_path(d$x, d$y, widths, C = 1:2, control = control),
    function() mkl_sequential(d$x, d$y, widths, control = control),
    function() cv_mkl(d$x, d$y, widths, C = 1:2, folds = 2, control = control)
  )) {
    expect_error(call(), "checkpoint.*is for mkl", class = "manykernels_unsupported")
  }
})
