# Results of calls of the C core.

# Errors of the core with the classes of the package. The call is evaluated here, not before.
from_core <- function(expr) {
  tryCatch(expr, simpleError = function(e) {
    if (conditionMessage(e) == core_callback) {
      mk_abort("A kernel function in C failed.", "function_kernel", "kernels")
    }
    mk_abort(conditionMessage(e), "core", call = conditionCall(e))
  })
}

core_callback <- "a kernel function failed" # in C: those in R signal errors of their own

# In the order of the core's codes. An interrupt never gets here: it goes on as a condition.
core_status <- c("converged", "time_limit", "iteration_limit", "interrupted", "stalled")
