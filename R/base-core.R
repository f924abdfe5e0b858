# Results of calls of the C core.

# Errors of the core with the classes of the package. The call is evaluated here, not before. needs: a
# sentence on the memory that it takes and what to do where there is less.
from_core <- function(expr, needs = "End other programs, or use fewer rows at a time.") {
  tryCatch(expr, simpleError = function(e) {
    if (conditionMessage(e) == core_no_memory) {
      mk_abort(paste("There is not enough free memory.", needs), "memory", "cache")
    }
    if (conditionMessage(e) == core_callback) {
      mk_abort("A kernel function in C failed.", "function_kernel", "kernels")
    }
    mk_abort(conditionMessage(e), "core", call = conditionCall(e))
  })
}

core_no_memory <- "not enough memory"
core_callback <- "a kernel function failed" # in C: those in R signal errors of their own

# Names of the core's status codes, in their order.
core_status <- c("converged", "time_limit", "iteration_limit", "interrupted", "stalled")

# Bytes that the system or the container has left for this process; NA where neither says it.
free_memory <- function(system = "/proc/meminfo", container = "/sys/fs/cgroup") {
  number <- function(file, pattern = "^") {
    lines <- tryCatch(suppressWarnings(readLines(file)), error = function(e) character())
    found <- regmatches(lines, regexpr(paste0(pattern, "[0-9]+"), lines))
    if (length(found)) as.numeric(sub(pattern, "", found[1L])) else NA_real_
  }
  own <- 1024 * number(system, "^MemAvailable: +")
  limit <- number(file.path(container, "memory.max")) - number(file.path(container, "memory.current")) +
    max(number(file.path(container, "memory.stat"), "^inactive_file +"), 0, na.rm = TRUE) # files kept in memory
  if (is.na(own) && is.na(limit)) NA_real_ else max(min(own, limit, na.rm = TRUE), 0)
}
