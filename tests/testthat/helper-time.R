# Limits of milliseconds: a machine that stands still for longer than a limit may be exceeded, half a
# second, leaves no fit. That is an error, and rightly; then the fit is made again.
unless_late <- function(fit) {
  began <- Sys.time()
  tryCatch(fit(), manykernels_time_limit = function(e) {
    expect_gt(as.numeric(Sys.time() - began, units = "secs"), 0.5)
    unless_late(fit)
  })
}
