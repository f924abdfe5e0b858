# A small cross-validation whose workers can be ended on request, for the tests on clusters:
# source()d in the folder of the test, with the package attached.
rows <- seq(51, 150)
x <- as.matrix(iris[rows, 1:4])
y <- droplevels(iris$Species[rows])
flag <- file.path(getwd(), "flag")

# A kernel that ends its worker as the file `flag` says: "how times".
deadly <- eval(substitute(function(a, b) {
  if (Sys.getpid() != MASTER && file.exists(FLAG)) {
    order <- strsplit(readLines(FLAG), " ")[[1]]
    times <- as.numeric(order[2]) - 1
    if (times > 0) writeLines(paste(order[1], times), FLAG) else unlink(FLAG)
    node <- paste0("nodename=", Sys.getenv("SLURMD_NODENAME"))
    switch(order[1],
      kill = tools::pskill(Sys.getpid(), tools::SIGKILL),
      cancel = system2("scancel", Sys.getenv("SLURM_JOB_ID")),
      memory = held <- numeric(1.2e8) + 1,
      drain = {
        system2("scontrol", c("update", node, "state=drain", "reason=test"))
        system2("scancel", Sys.getenv("SLURM_JOB_ID"))
      },
      down = system2("scontrol", c("update", node, "state=down", "reason=test"))
    )
    Sys.sleep(300)
  }
  tcrossprod(a, b)
}, list(FLAG = flag, MASTER = Sys.getpid())))

run <- function(...) {
  set.seed(1)
  cv_mkl(x, y, c(function_kernel(deadly), gaussian_kernel(c(1, 4))), p = c(1, 2), C = c(0.1, 1, 10), folds = 4,
         control = mkl_control(progress = FALSE), ...)
}

# What must be the same to the bit.
numbers <- function(cv) {
  cv$results$seconds <- cv$by_fold$seconds <- NULL
  c(unclass(cv)[c("results", "by_fold", "best", "predictions", "resamples", "weights")],
    unclass(cv$fit)[c("theta", "alpha", "offset", "gap")])
}

passed <- failed <- 0
check <- function(what, true) {
  cat(if (isTRUE(true)) "passed" else "FAILED", what, "\n")
  if (isTRUE(true)) passed <<- passed + 1 else failed <<- failed + 1
}
skip <- function(what, why) cat("skipped ", what, ": ", why, "\n", sep = "")
# TRUE if the packages are there.
have <- function(what, ...) {
  missing <- Filter(function(package) !requireNamespace(package, quietly = TRUE), c(...))
  if (length(missing)) skip(what, paste("no package", paste(missing, collapse = ", ")))
  !length(missing)
}

# Runs with workers that are ended; reason: a pattern of what the report must say of it.
check_lost <- function(how, reason, ..., times = 1) {
  writeLines(paste(how, times), flag)
  heard <- NULL
  began <- Sys.time()
  cv <- withCallingHandlers(run(...), manykernels_message_lost_work = function(m) {
    heard <<- c(heard, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  cat(heard, sep = "")
  check(sprintf("%s: lost work is done again (%.0f s)", how, as.numeric(Sys.time() - began, units = "secs")),
        identical(numbers(cv), reference) && sum(!is.na(cv$work$lost)) >= times && length(heard) == 1)
  check(sprintf("%s: the report gives the reason", how), grepl(reason, heard))
  unlink(flag)
}

finish <- function() {
  cat(sprintf("%d passed, %d failed\n", passed, failed))
  quit(status = failed > 0)
}
reference <- numbers(run())
