# Alphabets: what text is taken for, and sequences of another alphabet than the kernels'.

skip_on_cran() # a slow file
set.seed(1)
bases <- c("A", "C", "G", "T")
letter_sets <- c(dna = "ACGT", rna = "ACGU", protein = "ACDEFGHIKLMNPQRSTUVWY")
amino <- strsplit(letter_sets[["protein"]], "")[[1]]
drawn <- function(letters, n = 40, size = 30) {
  vapply(seq_len(n), function(i) paste(sample(letters, size, TRUE), collapse = ""), "")
}
y <- factor(rep(c("no", "yes"), 20))
dna <- drawn(bases)
substr(dna[y == "yes"], 8, 15) <- "GATTATTG"
proteins <- drawn(setdiff(amino, "U"))
rna <- chartr("T", "U", dna)
english <- c("The cat sat on the mat", "It's here", "hello world", "more of it")

# The alphabet that a fit to the text finds for a kernel that names none.
guess <- function(...) {
  text <- rep(c(...), 4)
  views <- list(text = text, number = matrix(sin(seq_along(text))))
  kernels <- c(on_view(linear_kernel(), "number"), on_view(spectrum_kernel(1), "text"))
  fit <- suppressMessages(mkl(views, kernels = kernels, control = mkl_control(progress = FALSE)))
  names(letter_sets)[match(fit$kernels[[2]]$parameters$alphabet, letter_sets)]
}

test_that("text is DNA or RNA with ambiguous letters and gaps, or proteins", {
  expect_identical(guess(dna), "dna")
  expect_identical(guess("ACGTRYN", "ACGNNTA", "acgtswkmbdhvn"), "dna")
  expect_identical(guess("ACGURYN", "AC-GU"), "rna")
  expect_identical(guess("ACGT", "ACGU"), "dna")
  expect_identical(guess("ACG-TT", "ACGTTT", "AC..T?"), "dna")
  expect_identical(guess(""), "dna")
  expect_identical(guess(proteins), "protein")
  expect_identical(guess("MKUL*", "MK-VLX", proteins), "protein")
  expect_identical(guess("MKWVKD", "KRKSRR"), "protein") # ambiguous bases alone are hardly DNA
  # ambiguous letters and gaps change no other value
  x <- c("ACGATT", "ACGTTT")
  k <- mismatch_kernel(3, 1)
  for (odd in c("ACG-TT", "ACGRYT", "NNNNNN")) {
    expect_equal(kernel_matrix(k, c(x, odd))[1:2, 1:2], kernel_matrix(k, x))
  }
})

test_that("text that is neither, and mixtures, are refused with a hint that leads on", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(spectrum_kernel(2), english)
    kernel_matrix(spectrum_kernel(2), c("hello", "world"))
    kernel_matrix(spectrum_kernel(2), c("1.5", "2"))
    kernel_matrix(weighted_degree_kernel(2), c(dna, proteins[1]))
    kernel_matrix(spectrum_kernel(2), list(s = c(dna[1], proteins), z = diag(41)))
  })
  expect_classed(mkl(c(dna[1:20], proteins[21:40]), y), "sequence_alphabet", "x")
  for (alphabet in c("protein", "DEHLORW")) {
    k <- kernel_matrix(spectrum_kernel(1, alphabet = alphabet), c("hello", "world"))
    expect_gt(k[1, 2], 0)
  }
  expect_silent(kernel_matrix(spectrum_kernel(2, alphabet = "dna"), c(dna, proteins[1])))
  expect_silent(kernel_matrix(spectrum_kernel(2, alphabet = "protein"), c(dna[1], proteins)))
  two <- list(dna = dna, protein = proteins)
  expect_silent(fit <- mkl(two, y))
  expect_identical(unique(vapply(seq_along(fit$kernels), function(m) {
    fit$kernels[[m]]$parameters$alphabet
  }, "")), unname(letter_sets[c("dna", "protein")]))
  # a blank in the alphabet is named, and what the message says works
  expect_classed(spectrum_kernel(2, alphabet = "ab c"), "invalid_argument", "alphabet")
  expect_error(spectrum_kernel(2, alphabet = "ab c"), "has a blank")
  expect_s3_class(spectrum_kernel(2, alphabet = gsub("\\s", "", "ab c")), "kernel_set")
})

kernels <- list(
  spectrum = spectrum_kernel(1:3), mismatch = mismatch_kernel(3), gapped = gapped_kernel("1001"),
  pair = gappy_pair_kernel(1, 2), motif = motif_kernel(c("GAT", "A[TG]U")),
  degree = weighted_degree_kernel(3), distance = spectrum_kernel(2, distance_weight = "swd"),
  complement = spectrum_kernel(2, reverse_complement = TRUE), power = spectrum_kernel(2, power = 2)
)

test_that("T and U are one letter in every kernel and entry", {
  skip_unless_slow()
  for (k in kernels) {
    fit <- mkl(dna, y, k)
    value <- predict(fit, dna, "decision")
    expect_identical(predict(fit, rna, "decision"), value)
    expect_identical(predict(fit, c(dna[1:20], rna[21:40]), "decision"), value)
    expect_identical(duality_gap(fit, rna)$gap, duality_gap(fit, dna)$gap)
    expect_equal(unname(predict(mkl(rna, y, k), dna, "decision")), unname(value))
    expect_identical(unname(kernel_matrix(k[1], dna[1:9], rna[1:9])), unname(kernel_matrix(k[1], dna[1:9])))
  }
  own <- mkl(dna, y, spectrum_kernel(2, alphabet = "ACGTN"))
  expect_identical(predict(own, rna, "decision"), predict(own, dna, "decision"))
  for (fit in list(mkl_gomp(dna, y, kernels$degree, lambda = 0.01), mkl_sequential(dna, y, kernels$degree))) {
    expect_identical(predict(fit, rna), predict(fit, dna))
    expect_identical(duality_gap(fit, rna)$gap, duality_gap(fit, dna)$gap)
  }
  skip_if_not_installed("Biostrings")
  fit <- mkl(Biostrings::DNAStringSet(dna), y, kernels$spectrum)
  expect_identical(predict(fit, Biostrings::RNAStringSet(rna)), predict(fit, dna))
})

test_that("new sequences of another alphabet are refused, and single ones named", {
  skip_unless_slow()
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  for (k in kernels) {
    fit <- mkl(dna, y, k)
    expect_classed(predict(fit, proteins), "sequence_alphabet", "newdata")
    expect_classed(predict(fit, c("MKWLLP", "??????")), "sequence_alphabet", "newdata")
    expect_classed(duality_gap(fit, proteins), "sequence_alphabet", "x")
    expect_classed(kernel_matrix(k, dna, proteins), "sequence_alphabet", "z")
    expect_silent(predict(fit, substr(c("ACNNGTRYACGTXACGACGTACGTACGTAC", dna), 1, 30)))
    odd <- c(dna[1], strrep("?", 30), proteins[1], dna[2])
    expect_warning(values <- predict(fit, odd, "decision"), "rows `2`, `3` of `newdata`",
                   class = "manykernels_warning_sequence_alphabet")
    expect_length(values, 4)
  }
  fit <- mkl(dna, y, kernels$spectrum)
  if (requireNamespace("jsonlite", quietly = TRUE)) {
    write_model(fit, file)
    expect_classed(predict(read_model(file), proteins), "sequence_alphabet", "newdata")
    expect_identical(unname(predict(read_model(file), rna)), unname(predict(fit, dna)))
  }
  expect_classed(predict(mkl_path(dna, y, kernels$degree, C = c(0.1, 1)), proteins, C = 1),
                 "sequence_alphabet", "newdata")
  expect_classed(predict(mkl(list(s = dna, z = matrix(rnorm(80), 40)), y),
                         list(s = proteins, z = matrix(0, 40, 2))), "sequence_alphabet", "newdata$s")
  expect_classed(duality_gap(mkl_sequential(dna, y, kernels$degree), proteins), "sequence_alphabet", "x")
  expect_classed(predict(mkl_gomp(dna, y, kernels$degree, lambda = 0.01), proteins),
                 "sequence_alphabet", "newdata")
  expect_classed(kernel_matrix(spectrum_kernel(2, alphabet = "dna"), proteins), "sequence_alphabet", "x")
  other <- mkl(proteins, y, spectrum_kernel(1))
  expect_warning(predict(other, dna), class = "manykernels_warning_sequence_alphabet")
  expect_warning(predict(mkl(c("HPHP", "PPHH", "HHHH", "PHPP"), y[1:4], spectrum_kernel(1, alphabet = "HP")),
                         c("HPPP", "MKLV")), "row `2`", class = "manykernels_warning_sequence_alphabet")
  # X and gaps are unknown letters of proteins
  expect_silent(predict(other, c(proteins[1], "XXXXMKLV---")))
  skip_if_not_installed("Biostrings")
  expect_classed(predict(fit, Biostrings::AAStringSet(proteins)), "sequence_alphabet", "newdata")
  expect_classed(predict(other, Biostrings::DNAStringSet(dna)), "sequence_alphabet", "newdata")
  expect_classed(mkl(Biostrings::DNAStringSet(dna), y, spectrum_kernel(2, alphabet = "protein")),
                 "sequence_alphabet", "x")
  expect_silent(predict(other, Biostrings::AAStringSet("ACGTACGTTTG")))
})

test_that("letters within the gap of a word are not read", {
  x <- c("ANC", "AGC")
  expect_equal(kernel_matrix(gappy_pair_kernel(1, 1), x)[1, ], c(1, 1)) # A.C; AG and GC have no N
  expect_equal(kernel_matrix(gapped_kernel("101"), x)[1, ], c(1, 1))
  expect_equal(colnames(kernel_features(gappy_pair_kernel(1, 1), x)), c("AG", "GC", "A.C"))
  expect_equal(unname(kernel_matrix(gappy_pair_kernel(1, 1), x)[2, 2]), 3)
})
