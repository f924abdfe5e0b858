# Runs tests/testthat against the installed package and writes "passed failed skipped" to
# $MK_RESULT, counted in expectations; an error or a crashed file counts as a failure.
# usage: Rscript dev/testthat.R [library] [filter]

arguments <- commandArgs(trailingOnly = TRUE)
library_folder <- if (length(arguments) > 0) arguments[1] else ".build/lib"
filter <- if (length(arguments) > 1) arguments[2] else NULL
.libPaths(c(normalizePath(library_folder, mustWork = TRUE), .libPaths()))
shared <- normalizePath("../shared", mustWork = FALSE)
if (dir.exists(shared) && !nzchar(Sys.getenv("MANYKERNELS_SHARED"))) {
  Sys.setenv(MANYKERNELS_SHARED = shared)
}

library(testthat)
library(manykernels)
stopifnot(dirname(find.package("manykernels")) == .libPaths()[1])

# Two files at a time, as the machines that this is for have two cores; each in a process of its own,
# on one thread where a test doesn't ask for more.
Sys.setenv(TESTTHAT_PARALLEL = "TRUE", TESTTHAT_CPUS = "2", MC_CORES = "1")
results <- test_dir(
  "tests/testthat",
  filter = filter, package = "manykernels", load_package = "installed",
  reporter = Sys.getenv("MK_REPORTER", "check"), stop_on_failure = FALSE
)

kinds <- unlist(lapply(results, function(test) {
  vapply(test$results, function(result) {
    new_snapshot <- inherits(result, "expectation_warning") &&
      startsWith(conditionMessage(result), "Adding new")
    # A snapshot that is written for the first time has tested nothing.
    if (new_snapshot && nzchar(Sys.getenv("CI"))) "new_snapshot" else class(result)[1]
  }, character(1))
}))
failed <- sum(kinds %in% c("expectation_failure", "expectation_error", "new_snapshot"))
skipped <- sum(kinds == "expectation_skip")
passed <- sum(kinds == "expectation_success")
warned <- sum(kinds == "expectation_warning")
cat(sprintf("testthat: %d passed, %d failed, %d skipped, %d warnings\n",
            passed, failed, skipped, warned))

# Those that were asked for by name, for bench/reliability.md.
if (!is.null(filter)) {
  table <- as.data.frame(results)
  table$at_fault <- table$failed + table$error
  counts <- aggregate(cbind(nb, at_fault) ~ file, table, sum)
  cat(sprintf("| expectations of %s | %d | %d |\n", counts$file, counts$nb, counts$at_fault), sep = "")
}

# What failed, once more by name: dev/test.sh ends with it, where an output cut short still shows it.
is_failure <- function(result) inherits(result, c("expectation_failure", "expectation_error"))
failures <- unlist(lapply(results, function(test) {
  messages <- vapply(Filter(is_failure, test$results), conditionMessage, "")
  if (length(messages) > 0) c(paste0(test$file, ": ", test$test), messages)
}))

target <- Sys.getenv("MK_RESULT")
if (nzchar(target)) {
  writeLines(paste(passed, failed, skipped), target)
  if (length(failures) > 0) writeLines(failures, paste0(target, ".failures"))
}
if (failed > 0 || passed == 0) quit(status = 1)
