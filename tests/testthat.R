library(testthat)
library(manykernels)

# The developers' runner accounts for each file and test (dev/testthat.R); elsewhere testthat runs them.
runner <- Sys.getenv("MANYKERNELS_TEST_RUNNER")
if (nzchar(runner)) source(runner) else test_check("manykernels")
