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

# Bytes that the system, the limit of address space (`ulimit -v`), the container and the process's groups, such
# as those of Slurm's jobs, have left for this process; NA where none says it.
free_memory <- function(system = "/proc/meminfo", groups = "/sys/fs/cgroup", process = "/proc/self") {
  limits <- c(file.path(process, "limits"), file.path(process, "status"))
  left <- c(1024 * number_in(system, "^MemAvailable: +"),
            number_in(limits[1L], "^Max address space +") - 1024 * number_in(limits[2L], "^VmSize:[ \t]+"),
            vapply(memory_groups(groups, file.path(process, "cgroup")), left_in_group, 0))
  if (all(is.na(left))) NA_real_ else max(min(left, na.rm = TRUE), 0)
}

# The first number after a pattern in a file, or NA.
number_in <- function(file, pattern = "^") {
  lines <- tryCatch(suppressWarnings(readLines(file)), error = function(e) character())
  found <- regmatches(lines, regexpr(paste0(pattern, "[0-9]+"), lines))
  if (length(found)) as.numeric(sub(pattern, "", found[1L])) else NA_real_
}

# The folders of the groups that a process is in and of those around them, in versions 2 and 1 of Linux's
# control groups.
memory_groups <- function(root, list) {
  lines <- tryCatch(suppressWarnings(readLines(list)), error = function(e) character())
  folders <- c(root, file.path(root, "memory"))
  for (k in 1:2) {
    own <- grep(c("^0::/.", "^[0-9]+:memory:/.")[k], lines, value = TRUE)[1L]
    parts <- strsplit(sub("^[^/]*/", "", own), "/")[[1L]]
    if (!is.na(own)) folders <- c(folders, Reduce(file.path, parts, folders[k], accumulate = TRUE)[-1L])
  }
  folders
}

# Files that the system keeps in memory are given up for others.
left_in_group <- function(folder) {
  number <- function(names, pattern = "^") {
    found <- vapply(file.path(folder, names), number_in, 0, pattern)
    if (all(is.na(found))) NA_real_ else found[!is.na(found)][[1L]]
  }
  kept <- number("memory.stat", "^inactive_file +")
  number(c("memory.max", "memory.limit_in_bytes")) - number(c("memory.current", "memory.usage_in_bytes")) +
    max(kept, 0, na.rm = TRUE)
}
