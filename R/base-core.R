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
