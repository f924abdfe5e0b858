# Sequences as views: how they are read, picked, matched and refused.

x <- c(a = "ACGT", b = "", c = "acgtt", d = "NNACG")
protein <- "ACDEFGHIKLMNPQRSTUVWY"

test_that("alphabets are guessed from the letters, or given", {
  guess <- function(...) letters_of(mkl(c(...), kernels = spectrum_kernel(1))$kernels)
  letters_of <- function(kernels) kernels[[1]]$parameters$alphabet
  expect_identical(guess("ACGT", "NNA"), "ACGT")
  expect_identical(guess("acgu", "aa"), "ACGU")
  expect_identical(guess("MKVL", "M"), protein)
  expect_identical(letters_of(spectrum_kernel(1, alphabet = "abca")), "ABC")
  expect_identical(letters_of(spectrum_kernel(1, alphabet = c("H", "P"))), "HP")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    spectrum_kernel(1, alphabet = NA)
    spectrum_kernel(1, alphabet = "")
    spectrum_kernel(1, alphabet = "\u00e4")
    spectrum_kernel(1, alphabet = character())
  })
})

test_that("sets of sequences from Biostrings are read", {
  skip_if_not_installed("Biostrings")
  plain <- kernel_matrix(weighted_degree_kernel(2), c(a = "ACGT", b = "ACTT"))
  expect_identical(kernel_matrix(weighted_degree_kernel(2),
                                 Biostrings::DNAStringSet(c(a = "ACGT", b = "ACTT"))), plain)
  expect_identical(unname(kernel_matrix(weighted_degree_kernel(2),
                                        Biostrings::RNAStringSet(c("ACGU", "ACUU")))),
                   unname(plain))
  expect_identical(kernel_matrix(weighted_degree_kernel(1), Biostrings::AAStringSet(c("MK", "MV"))),
                   matrix(c(2, 1, 1, 2), 2))
  # the class says what the letters are
  words <- function(x) colnames(kernel_features(spectrum_kernel(2), x))
  expect_setequal(words(Biostrings::DNAStringSet(c("ACRGT", "ACYNT"))), c("AC", "GT"))
  expect_setequal(words(c("ACRGT", "ACYNT")), c("AC", "GT")) # as text has
  peptides <- Biostrings::AAStringSet(c("ACGT", "TACG", "GGCA", "TTAC"))
  fit <- mkl(peptides, c("a", "b", "a", "b"), spectrum_kernel(1))
  expect_identical(fit$kernels[[1]]$parameters$alphabet, protein)
})

test_that("sequences are matched to a response and other views by name", {
  set.seed(1)
  sequences <- apply(matrix(sample(c("A", "C"), 400, TRUE), 40), 1, paste, collapse = "")
  names(sequences) <- paste0("s", 1:40)
  y <- factor(substr(sequences, 3, 3))
  fit <- mkl(sequences, y, weighted_degree_kernel(2))
  order <- sample(40)
  named <- setNames(y, names(sequences))[order]
  expect_message(again <- mkl(sequences, named, weighted_degree_kernel(2)),
                 class = "manykernels_message_row_order")
  expect_equal(again$alpha, fit$alpha)
  expect_named(predict(fit, sequences[5:7]), c("s5", "s6", "s7"))
  expect_error(mkl(sequences, named[1:30], weighted_degree_kernel(2)), class = "manykernels_length",
               regexp = "intersect(names(y), names(x))`, then `y[common]` and `x[common]`", fixed = TRUE)
})

test_that("missing sequences are refused in training and predicted as NA", {
  set.seed(2)
  sequences <- apply(matrix(sample(c("A", "C"), 400, TRUE), 40), 1, paste, collapse = "")
  y <- factor(substr(sequences, 3, 3))
  fit <- mkl(sequences, y, weighted_degree_kernel(2))
  expect_error(mkl(replace(sequences, 3:4, NA), y, weighted_degree_kernel(2)),
               class = "manykernels_missing_values")
  predicted <- predict(fit, c(sequences[1], NA, sequences[2]))
  expect_identical(which(is.na(predicted)), 2L)
  expect_identical(predicted[c(1, 3)], predict(fit, sequences[1:2]))
})

test_that("other machines take sequences", {
  set.seed(3)
  sequences <- apply(matrix(sample(c("A", "C"), 400, TRUE), 40), 1, paste, collapse = "")
  y <- factor(substr(sequences, 3, 3))
  kernels <- weighted_degree_kernel(c(1, 3))
  path <- mkl_path(sequences, y, kernels, C = c(0.1, 1))
  expect_identical(predict(path, sequences[1:9], C = 1), y[1:9], ignore_attr = TRUE)
  expect_identical(predict(mkl_gomp(sequences, y, kernels, lambda = 0.01), sequences[1:9]), y[1:9],
                   ignore_attr = TRUE)
  stream <- mkl_sequential(sequences, y, kernels)
  expect_lt(stream$gap, 1e-3)
  expect_identical(predict(stream, sequences[1:9]), y[1:9], ignore_attr = TRUE)
  expect_s3_class(mkl(sequences, kernels = kernels), "mkl")
  expect_s3_class(mkl(sequences, rnorm(40), kernels), "mkl")
})

test_that("what holds no sequences is refused", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    kernel_matrix(spectrum_kernel(1), c("ACGT", NA, NA))
    kernel_matrix(spectrum_kernel(1), matrix("A", 2, 2))
    kernel_matrix(spectrum_kernel(1), list("AC", "GT"))
    kernel_matrix(spectrum_kernel(1), c("AC", "\u00e4"))
    kernel_matrix(linear_kernel(), x)
    kernel_matrix(weighted_degree_kernel(2), list(u = diag(3), v = diag(3)))
    kernel_matrix(weighted_degree_kernel(2), c("AC", "GT"), diag(2))
    kernel_matrix(linear_kernel(), diag(2), c("AC", "GT"))
    per_feature(weighted_degree_kernel(2))
    on_features(weighted_degree_kernel(2), 1)
    mllkm(c("AC", "GT"), factor(1:2), "gaussian", gamma = 1)
  })
})

test_that("factors are refused with a hint", {
  expect_error(mkl(factor(c("ACGT", "AAAA", "CCCC")), c("a", "b", "a"), spectrum_kernel(2)),
               "is a factor. Sequences are text, `as.character\\(x\\)`",
               class = "manykernels_invalid_argument")
})
