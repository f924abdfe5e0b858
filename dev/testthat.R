# Runs every test file of tests/testthat, one after the other in each of two processes, and accounts for all of
# them: a file that ends, kills or interrupts its process, takes too long or gives fewer results than it
# has tests is a failure with its name, and so is a test that expects nothing. A process that lost its file is
# replaced. Writes "passed failed skipped files tests" to $MK_RESULT (expectations; files and tests that must
# run), what failed to $MK_RESULT.failures, what was skipped, with the reason, to $MK_RESULT.skipped, and the
# seconds of each test to $MK_RESULT.seconds.
# usage: Rscript dev/testthat.R [library] [filter]
# tests/testthat.R sources this file inside R CMD check where MANYKERNELS_TEST_RUNNER names it.

seconds_per_file <- as.numeric(Sys.getenv("SECONDS_PER_FILE", "1200"))
processes <- 2 # the machines that this is for have two cores

runner <- Sys.getenv("MANYKERNELS_TEST_RUNNER")
in_check <- nzchar(runner)
arguments <- if (in_check) character() else commandArgs(trailingOnly = TRUE)
root <- if (in_check) dirname(dirname(runner)) else getwd()
folder <- if (in_check) "testthat" else file.path("tests", "testthat")
library_folder <- if (in_check) .libPaths()[1] else
  normalizePath(if (length(arguments) > 0) arguments[1] else ".build/lib", mustWork = TRUE)
filter <- if (length(arguments) > 1) arguments[2] else "."

.libPaths(c(library_folder, .libPaths()))
stopifnot(dirname(find.package("manykernels")) == .libPaths()[1])
shared <- file.path(root, "..", "shared")
if (dir.exists(shared) && !nzchar(Sys.getenv("MANYKERNELS_SHARED"))) {
  Sys.setenv(MANYKERNELS_SHARED = normalizePath(shared))
}
# R_TESTS names a start-up file of R CMD check that processes in other folders don't find.
Sys.setenv(MC_CORES = "1", R_TESTS = "")

# ---- what must run -------------------------------------------------------------------------------

# The files of the sources, not those of a copy, which may have lost some.
sources <- file.path(root, "tests", "testthat")
test_files <- list.files(sources, "^test-.*[.]R$")
test_files <- test_files[grepl(filter, sub("^test-(.*)[.]R$", "\\1", test_files))]
first <- read.dcf(file.path(root, "DESCRIPTION"), "Config/testthat/start-first")[1]
first <- sprintf("test-%s.R", strsplit(first, "[, \n]+")[[1]])
test_files <- c(intersect(first, test_files), setdiff(test_files, first))
inputs <- list.files(file.path(sources, c("former", "fuzz", "saved")), full.names = TRUE)
inputs <- file.path(basename(dirname(inputs)), basename(inputs))

# How many tests the code of a file has.
count_tests <- function(file) {
  is_test <- function(code) {
    if (!is.call(code)) return(0)
    identical(code[[1]], quote(test_that)) + sum(vapply(as.list(code), is_test, 0))
  }
  sum(vapply(as.list(parse(file, keep.source = FALSE)), is_test, 0))
}

# ---- one file -----------------------------------------------------------------------------------

# Runs a file; returns a row for each test's result (test, kind, message, seconds since the test began).
run_file <- function(folder, file) {
  library(testthat)
  library(manykernels)
  rows <- list()
  now <- function() proc.time()[["elapsed"]]
  began <- now()
  reporter <- R6::R6Class(inherit = testthat::Reporter, public = list(
    start_test = function(context, test) began <<- now(),
    add_result = function(context, test, result) {
      rows[[length(rows) + 1]] <<- data.frame(
        test = if (is.null(test)) "" else test, kind = sub("^expectation_", "", class(result)[1]),
        message = conditionMessage(result), seconds = now() - began
      )
    }
  ))$new()
  testthat::test_file(file.path(folder, file), reporter = reporter, package = "manykernels",
                      load_package = "installed", stop_on_failure = FALSE)
  do.call(rbind, rows)
}

# A process that runs one file after the other.
new_session <- function() {
  callr::r_session$new(callr::r_session_options(libpath = .libPaths()))
}

start <- function(file, session) {
  session$call(run_file, list(folder, file))
  list(file = file, session = session, began = Sys.time(), used = processor_time(session))
}

processor_time <- function(session) {
  tryCatch(sum(session$get_cpu_times(), na.rm = TRUE), error = function(e) 0) # it has ended
}

# Processor time, since a busy machine is no failure; a tenth of the clock's counts for files that wait.
seconds_of <- function(job) {
  max(processor_time(job$session) - job$used, as.numeric(Sys.time() - job$began, units = "secs") / 10)
}

# The rows of a file that has ended, or why it has none.
outcome <- function(job) {
  spent <- seconds_of(job)
  answer <- if (is_done(job)) job$session$read()
  rows <- answer$result
  seconds <- as.numeric(Sys.time() - job$began, units = "secs")
  lost <- if (is.data.frame(rows)) NULL else if (spent > seconds_per_file) {
    sprintf("took more than %g s", seconds_per_file)
  } else {
    "gave no results, its process was interrupted or ended by itself"
  }
  problem <- if (!is.null(answer$error)) conditionMessage(answer$error)
  output <- strsplit(as.character(c(answer$stdout, answer$stderr, problem)), "\n")
  list(rows = rows, lost = lost, seconds = seconds, output = unlist(output))
}

is_done <- function(job) job$session$poll_process(0) == "ready"

run_all <- function(files) {
  outcomes <- list()
  running <- list()
  idle <- list()
  while (length(files) > 0 || length(running) > 0) {
    while (length(files) > 0 && length(running) < processes) {
      session <- if (length(idle)) idle[[1]] else new_session()
      idle <- idle[-1]
      running <- c(running, list(start(files[1], session)))
      files <- files[-1]
    }
    ended <- vapply(running, function(job) is_done(job) || seconds_of(job) > seconds_per_file, NA)
    for (job in running[ended]) {
      outcomes[[job$file]] <- outcome(job)
      # A process that lost its file is not used again.
      if (is.null(outcomes[[job$file]]$lost)) idle <- c(idle, list(job$session)) else job$session$kill_tree()
    }
    running <- running[!ended]
    Sys.sleep(0.05)
  }
  for (session in idle) session$close()
  outcomes
}

# ---- the account ---------------------------------------------------------------------------------

# passed, failed, skipped, and lines on the latter two, of one file.
account <- function(file, outcome) {
  wanted <- count_tests(file.path(sources, file))
  rows <- outcome$rows
  if (!is.null(outcome$lost)) {
    return(list(passed = 0, failed = 1, skipped = 0, skips = NULL,
                failures = paste(c(paste0(file, ": ", outcome$lost), utils::tail(outcome$output, 5)), collapse = "\n  ")))
  }
  empty <- rows$kind == "skip" & rows$message == "Reason: empty test"
  # A snapshot that is written for the first time has tested nothing.
  fresh <- rows$kind == "warning" & startsWith(rows$message, "Adding new") & nzchar(Sys.getenv("CI"))
  failed <- rows$kind %in% c("failure", "error") | empty | fresh
  skipped <- rows$kind == "skip" & !empty
  whole_file <- any(skipped & rows$test == "")
  lines <- gsub("\n+", "\n  ", trimws(sprintf("%s: %s: %s", file, rows$test, rows$message)))
  lines[empty] <- sprintf("%s: %s: expects nothing", file, rows$test[empty])
  failures <- lines[failed]
  tests <- sum(!duplicated(rows$test) & rows$test != "")
  if (!whole_file && tests < wanted) {
    failures <- c(failures, sprintf("%s: %d of %d tests gave results", file, tests, wanted))
  }
  reasons <- sub("^Reason: ", "", rows$message[skipped])
  skips <- if (any(skipped)) sprintf("%s: %s: %s", file, if (whole_file) "all tests" else
    paste(table(reasons), ifelse(table(reasons) == 1, "test", "tests")), names(table(reasons)))
  list(passed = sum(rows$kind == "success"), failed = length(failures), skipped = sum(skipped),
       failures = failures, skips = skips)
}

outcomes <- run_all(test_files)
accounts <- Map(account, names(outcomes), outcomes)
total <- function(what) sum(vapply(accounts, `[[`, 0, what))
failures <- unlist(lapply(accounts, `[[`, "failures"), use.names = FALSE)
skips <- unlist(lapply(accounts, `[[`, "skips"), use.names = FALSE)
gone <- inputs[!file.exists(file.path(folder, inputs))]
failures <- c(failures, sprintf("%s: the tests have no copy of it", gone))
passed <- total("passed")
failed <- total("failed") + length(gone)
if (length(outcomes) == 0) {
  failed <- 1
  failures <- paste("no test file matches", filter)
}

slowest <- sort(vapply(outcomes, `[[`, 0, "seconds"), decreasing = TRUE)
cat("slowest files:", utils::head(sprintf("%s %.0f s", names(slowest), slowest), 8), sep = "\n  ")
none <- data.frame(file = character(), test = character(), seconds = numeric())
taken <- do.call(rbind, c(list(none), lapply(names(outcomes), function(file) {
  rows <- outcomes[[file]]$rows
  if (NROW(rows)) data.frame(file, stats::aggregate(seconds ~ test, rows, max))
})))
taken <- taken[order(-taken$seconds), ]
cat("slowest tests:", with(utils::head(taken, 8), sprintf("%s: %s %.0f s", file, test, seconds)), sep = "\n  ")
cat("\n")
cat(paste("FAILED", failures, recycle0 = TRUE), paste("skipped", skips, recycle0 = TRUE), sep = "\n")
cat(sprintf("testthat: %d passed, %d failed, %d skipped\n", passed, failed, total("skipped")))
# By file, for bench/reliability.md.
if (filter != ".") {
  cat(sprintf("| expectations of %s | %d | %d |\n", names(accounts),
              vapply(accounts, function(a) a$passed + a$failed, 0), vapply(accounts, `[[`, 0, "failed")),
      sep = "")
}

target <- Sys.getenv("MK_RESULT")
if (in_check) target <- Sys.getenv("MANYKERNELS_TEST_RESULT")
if (nzchar(target)) {
  tests <- sum(vapply(file.path(sources, test_files), count_tests, 0))
  writeLines(paste(passed, failed, total("skipped"), length(test_files) + length(inputs), tests), target)
  writeLines(as.character(failures), paste0(target, ".failures"))
  writeLines(as.character(skips), paste0(target, ".skipped"))
  utils::write.csv(taken, paste0(target, ".seconds"), row.names = FALSE)
}
if (failed > 0 || passed == 0) quit(status = 1)
