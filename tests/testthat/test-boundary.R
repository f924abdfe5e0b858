# Hostile calls of every routine of the core, in a process of their own; many more by hand:
# Rscript tests/testthat/fuzz/boundary.R 1000
test_that("no call of the core ends the process, hangs or fails without a word", {
  skip_unless_slow()
  library <- dirname(find.package("manykernels"))
  paths <- paste(c(library, .libPaths()), collapse = .Platform$path.sep)
  calls <- if (nzchar(Sys.getenv("MANYKERNELS_SLOW"))) "100" else "8"
  output <- tempfile()
  status <- system2(file.path(R.home("bin"), "Rscript"),
                    c(shQuote(normalizePath(test_path("fuzz", "boundary.R"))), calls, "7"),
                    stdout = output, stderr = output, env = paste0("R_LIBS=", shQuote(paths)))
  expect_identical(status, 0L, label = paste(readLines(output), collapse = "\n"))
})
