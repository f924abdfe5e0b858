# Limits of milliseconds: a machine that stands still for longer than a limit may be exceeded, half a
# second, leaves no fit. That is an error, and rightly; then the fit is made again.
unless_late <- function(fit) {
  began <- Sys.time()
  tryCatch(fit(), manykernels_time_limit = function(e) {
    expect_gt(as.numeric(Sys.time() - began, units = "secs"), 0.5)
    unless_late(fit)
  })
}

# The sums of steps signalled by each progressor, all of which must end.
signals <- function(code) {
  sums <- numeric()
  ends <- 0
  withCallingHandlers(
    progressr::with_progress(code, handlers = progressr::handler_void(), enable = TRUE),
    progression = function(p) {
      if (p$type == "initiate") sums <<- c(sums, 0)
      if (p$type == "update") sums[length(sums)] <<- sums[length(sums)] + p$amount
      if (p$type == "finish") ends <<- ends + 1
    }
  )
  expect_equal(ends, length(sums))
  sums
}
