# Settings of most fits of tests.
quiet <- function(...) mkl_control(progress = FALSE, ...)

# A shell ignores interrupts for what it starts in the background of a script (`&`), and R 4.5 keeps to that.
skip_unless_interrupts_arrive <- function() {
  arrived <- tryCatch({
    tools::pskill(Sys.getpid(), tools::SIGINT)
    Sys.sleep(1)
    FALSE
  }, interrupt = function(condition) TRUE)
  skip_if_not(arrived, "R was started where interrupts are ignored")
}
