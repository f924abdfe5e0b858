# Reference matrices of sequence kernels.

reference_file <- function(name) shared_file("reference", "strings", paste0(name, ".csv"))

# set: "dna24" or "aa20"
reference_sequences <- function(set) read.csv(reference_file(paste0("sequences_", set)))$seq

# Those of kebabs have names of rows and columns; those after Shogun have none.
reference_matrix <- function(name, named = TRUE) {
  file <- reference_file(name)
  unname(as.matrix(if (named) read.csv(file, row.names = 1) else read.csv(file, header = FALSE)))
}

# How far the kernel's values are from a reference matrix; `weights`: of a sum of several kernels.
reference_error <- function(kernels, set, name, named = TRUE, normalize = "none", weights = 1) {
  values <- kernel_matrix(kernels, reference_sequences(set), normalize = normalize)
  if (is.list(values)) values <- Reduce(`+`, Map(`*`, values, weights))
  max(abs(unname(values) - reference_matrix(name, named)))
}
