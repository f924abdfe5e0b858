# Settings of most fits of tests.
quiet <- function(...) mkl_control(progress = FALSE, ...)
