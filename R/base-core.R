# Results of calls of the C core.

# Errors of the core with the classes of the package. The call is evaluated here, not before. needs: a
# sentence on the memory that it takes and what to do where there is less.
from_core <- function(expr, needs = "End other programs, or use fewer rows at a time.") {
  withCallingHandlers(expr, simpleError = function(e) {
    if (conditionMessage(e) == core_no_memory) {
      mk_abort(paste("There is not enough free memory.", needs), "memory", "cache")
    }
    if (conditionMessage(e) == core_callback) {
      mk_abort("A kernel function in C failed.", "function_kernel", "kernels")
    }
    if (conditionMessage(e) == core_not_finite) {
      mk_abort(paste("Rescale the data, as by `scale = TRUE`, or check the values of the kernels, `y` and",
                     "`C`: they or their sums are not finite in double precision."), c("not_finite", "core"),
               "kernels")
    }
    mk_abort(conditionMessage(e), "core", call = conditionCall(e))
  })
}

core_no_memory <- "not enough memory"
core_not_finite <- "a kernel value is not finite"
core_callback <- "a kernel function failed" # in C: those in R signal errors of their own

# Names of the core's status codes, in their order.
core_status <- c("converged", "time_limit", "iteration_limit", "interrupted", "stalled")

# Bytes that the system, the limit of address space (`ulimit -v`), the container and the process's groups, such
# as those of Slurm's jobs, have left for this process; NA where none says it. Each fit asks, so only files that
# are there are read, and of those without a limit nothing more.
free_memory <- function(system = "/proc/meminfo", groups = "/sys/fs/cgroup", process = "/proc/self") {
  left <- c(1024 * number_in(system, "^MemAvailable: +"), left_in_addresses(process),
            vapply(memory_groups(groups, file.path(process, "cgroup")), left_in_group, 0))
  if (all(is.na(left))) NA_real_ else max(min(left, na.rm = TRUE), 0)
}

lines_of <- function(file) {
  if (!file.exists(file)) return(character())
  tryCatch(suppressWarnings(readLines(file)), error = function(e) character())
}

# The first number after a pattern in a file, or NA.
number_in <- function(file, pattern = "^") {
  lines <- lines_of(file)
  found <- regmatches(lines, regexpr(paste0(pattern, "[0-9]+"), lines))
  if (length(found)) as.numeric(sub(pattern, "", found[1L])) else NA_real_
}

left_in_addresses <- function(process) {
  limit <- number_in(file.path(process, "limits"), "^Max address space +")
  if (is.na(limit)) return(NA_real_)
  limit - 1024 * number_in(file.path(process, "status"), "^VmSize:[ \t]+")
}

# The folders of the groups that a process is in and of those around them, in versions 2 and 1 of Linux's
# control groups.
memory_groups <- function(root, list) {
  lines <- lines_of(list)
  folders <- c(root, file.path(root, "memory"))
  for (k in 1:2) {
    own <- grep(c("^0::/.", "^[0-9]+:memory:/.")[k], lines, value = TRUE)[1L]
    parts <- strsplit(sub("^[^/]*/", "", own), "/")[[1L]]
    if (!is.na(own)) folders <- c(folders, Reduce(file.path, parts, folders[k], accumulate = TRUE)[-1L])
  }
  folders[dir.exists(folders)]
}

# Cached files count as free memory. A limit above any real memory counts as no limit.
left_in_group <- function(folder) {
  number <- function(names, pattern = "^") {
    there <- file.path(folder, names)
    there <- there[file.exists(there)]
    if (length(there)) number_in(there[1L], pattern) else NA_real_
  }
  limit <- number(c("memory.max", "memory.limit_in_bytes"))
  if (is.na(limit) || limit > beyond_memory) return(NA_real_)
  limit - number(c("memory.current", "memory.usage_in_bytes")) +
    max(number("memory.stat", "^inactive_file +"), 0, na.rm = TRUE)
}

beyond_memory <- 2^60 # bytes; version 1 of control groups writes almost 2^63 for no limit
