# Objects of every class with each field removed, shortened, lengthened, changed or with NA in it, in
# every use that users make of them: a result, or an error with a class. Prints lines for
# bench/reliability.md, and to the error stream what failed.
# usage: Rscript bench/reliability/damaged.R [objects, such as mkl,path]   (all: an hour)

suppressMessages(library(manykernels))
source("tests/testthat/helper-objects.R")
only <- strsplit(commandArgs(trailingOnly = TRUE)[1], ",")[[1]]
Sys.setenv(R_TESTS = "")
grDevices::pdf(NULL)
options(warn = -1)

made <- suppressMessages(fits_of_every_class())
uses <- uses_of_fits(made$x)

# A use that the sound object is refused by R itself, for want of a method, is none of its class.
has_method <- function(use, object) {
  problem <- problem_of(use, object)
  is.null(problem) || inherits(problem, "manykernels_error")
}

failed_total <- 0L
for (name in if (anyNA(only)) names(made$fits) else only) {
  object <- made$fits[[name]]
  works <- Filter(function(use) has_method(use, object), uses)
  objects <- damaged(object, thorough = TRUE)
  failed <- 0L
  for (label in names(objects)) for (use in names(works)) {
    problem <- problem_of(works[[use]], objects[[label]])
    if (is.null(problem) || inherits(problem, "manykernels_error")) next
    failed <- failed + 1L
    message(sprintf("%s, %s, %s: %s", name, label, use, conditionMessage(problem)))
  }
  cat(sprintf("| damaged objects in every use: %s, %d objects, %d uses | %d | %d |\n", name,
              length(objects), length(works), length(objects) * length(works), failed))
  failed_total <- failed_total + failed
}
quit(status = as.integer(failed_total > 0L))
