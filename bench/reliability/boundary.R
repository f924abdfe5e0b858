# Hostile calls of the core (tests/testthat/fuzz/boundary.R), many of them. Prints its line of
# bench/reliability.md. usage: Rscript bench/reliability/boundary.R [short|long]
long <- !identical(commandArgs(trailingOnly = TRUE)[1], "short")
status <- system2(file.path(R.home("bin"), "Rscript"),
                  c("tests/testthat/fuzz/boundary.R", if (long) "1000" else "20", "3"))
quit(status = status)
