# FASTA files.

fasta <- function(...) {
  file <- tempfile(fileext = ".fasta")
  writeLines(c(...), file)
  file
}

test_that("sequences are read with their names", {
  expect_identical(read_fasta(fasta("; old comment", ">a first", "ACGT", "ac gt", "", "> b", ">c", "T")),
                   c(a = "ACGTacgt", b = "", c = "T"))
  expect_identical(read_fasta(fasta(">", "ACGT")), "ACGT")
  file <- tempfile(fileext = ".fasta.gz")
  connection <- gzfile(file, "w")
  writeLines(c(">a", "ACGT"), connection)
  close(connection)
  expect_identical(read_fasta(file), c(a = "ACGT"))
  k <- kernel_matrix(spectrum_kernel(2), read_fasta(file))
  expect_identical(dimnames(k), list("a", "a"))
})

test_that("what is no FASTA is refused", {
  expect_error(read_fasta(3), class = "manykernels_invalid_argument")
  expect_error(read_fasta("no such file"), class = "manykernels_file")
  expect_error(read_fasta(fasta("ACGT")), class = "manykernels_file")
  expect_error(read_fasta(fasta(character())), class = "manykernels_file")
})
