# Weighted degree kernels against the plain definition, reference matrices and their own properties.

reference_folder <- function() {
  folder <- file.path(shared_folder("reference"), "strings")
  skip_if_not(dir.exists(folder), "the reference matrices")
  folder
}

# set: "dna24" or "aa20"
reference_sequences <- function(set) {
  table <- read.csv(file.path(reference_folder(), sprintf("sequences_%s.csv", set)))
  setNames(table$seq, table$id)
}

# Those of kebabs have names of rows and columns; those after Shogun have none.
reference_matrix <- function(name, named) {
  file <- file.path(reference_folder(), paste0(name, ".csv"))
  unname(as.matrix(if (named) read.csv(file, row.names = 1) else read.csv(file, header = FALSE)))
}

expect_reference <- function(kernels, set, name, named = TRUE) {
  values <- kernel_matrix(kernels, reference_sequences(set))
  if (is.list(values)) values <- values[[1L]]
  expect_equal(unname(as.matrix(values)), reference_matrix(name, named), tolerance = 1e-12,
               ignore_attr = TRUE, label = name)
}

# sum over positions a, b at most length(delta) - 1 apart of delta * w * sum_d beta of the d-mers
# there with so many mismatches. beta: (mismatches + 1) x degree.
plain_value <- function(x, z, beta, delta, w = rep(1, nchar(x)), alphabet = c("A", "C", "G", "T")) {
  x <- strsplit(x, "")[[1]]
  z <- strsplit(z, "")[[1]]
  sum <- 0
  for (a in seq_along(x)) for (b in seq_along(z)) {
    if (abs(a - b) >= length(delta)) next
    for (d in seq_len(ncol(beta))) {
      if (max(a + d - 1 - length(x), b + d - 1 - length(z)) > 0) break
      u <- x[a + seq_len(d) - 1]
      v <- z[b + seq_len(d) - 1]
      if (!all(c(u, v) %in% alphabet)) break
      m <- sum(u != v)
      if (m < nrow(beta)) sum <- sum + delta[abs(a - b) + 1] * w[min(a, b)] * beta[m + 1, d]
    }
  }
  sum
}

plain_matrix <- function(x, z = x, ...) {
  outer(seq_along(x), seq_along(z), Vectorize(function(i, j) plain_value(x[i], z[j], ...)))
}

falling <- function(D) t(2 * (D:1) / (D * (D + 1)))

random_dna <- function(n, length, letters = c("A", "C", "G", "T")) {
  apply(matrix(sample(letters, n * length, TRUE), n), 1, paste, collapse = "")
}
