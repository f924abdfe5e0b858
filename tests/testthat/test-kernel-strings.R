# Kernels that count words against reference matrices, the plain definition and their own properties.

random_text <- function(n, length, letters = c("A", "C", "G", "T")) {
  vapply(seq_len(n), function(i) paste(sample(letters, length, TRUE), collapse = ""), "")
}

plain_spectrum <- function(x, k, presence = FALSE) {
  count <- function(u) {
    if (nchar(u) < k) return(integer())
    start <- seq_len(nchar(u) - k + 1)
    words <- substring(u, start, start + k - 1)
    words <- words[!grepl("[^ACGT]", words)]
    if (presence) unique(words) else words
  }
  words <- lapply(x, count)
  outer(seq_along(x), seq_along(x), Vectorize(function(i, j) {
    sum(outer(words[[i]], words[[j]], `==`))
  }))
}

test_that("kernels are those of the reference matrices", {
  expect_lt(reference_error(spectrum_kernel(k = 2), "dna24", "spectrum_k2_raw_dna24"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3), "dna24", "spectrum_k3_raw_dna24"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 2), "aa20", "spectrum_k2_raw_aa20"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3), "aa20", "spectrum_k3_raw_aa20"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3, presence = TRUE), "dna24",
                            "spectrum_k3_presence_raw_dna24"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3, presence = TRUE), "aa20",
                            "spectrum_k3_presence_raw_aa20"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3, reverse_complement = TRUE), "dna24",
                            "spectrum_k3_revcomp_raw_dna24"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3, position_specific = TRUE), "dna24",
                            "spectrum_k3_posspec_raw_dna24"), 1e-12)
  expect_lt(reference_error(spectrum_kernel(k = 3, position_specific = TRUE), "aa20",
                            "spectrum_k3_posspec_raw_aa20"), 1e-12)
  expect_lt(reference_error(mismatch_kernel(k = 3, m = 1), "dna24", "mismatch_k3_m1_raw_dna24"),
            1e-12)
  expect_lt(reference_error(mismatch_kernel(k = 3, m = 1), "aa20", "mismatch_k3_m1_raw_aa20"),
            1e-12)
  expect_lt(reference_error(gappy_pair_kernel(k = 1, m = 2), "dna24", "gappypair_k1_m2_raw_dna24"),
            1e-12)
  expect_lt(reference_error(gappy_pair_kernel(k = 1, m = 2), "aa20", "gappypair_k1_m2_raw_aa20"),
            1e-12)
  expect_lt(reference_error(gappy_pair_kernel(k = 1, m = 2, position_specific = TRUE), "dna24",
                            "gappypair_k1_m2_posspec_raw_dna24"), 1e-12)
  expect_lt(reference_error(gappy_pair_kernel(k = 1, m = 2, position_specific = TRUE), "aa20",
                            "gappypair_k1_m2_posspec_raw_aa20"), 1e-12)
  expect_lt(reference_error(motif_kernel(c("A[CG]T", "C.G", "G[^A][AT]", "C..G")), "dna24",
                            "motif_raw_dna24"), 1e-12)
})

test_that("normalised kernels, powers and mixtures are those of the reference matrices", {
  error <- function(kernels, set, name, ...) {
    reference_error(kernels, set, paste0(name, "_", set), normalize = "spherical", ...)
  }
  for (set in c("dna24", "aa20")) {
    expect_lt(error(spectrum_kernel(k = 2), set, "spectrum_k2_norm"), 1e-12)
    expect_lt(error(spectrum_kernel(k = 3), set, "spectrum_k3_norm"), 1e-12)
    expect_lt(error(mismatch_kernel(k = 3, m = 1), set, "mismatch_k3_m1_norm"), 1e-12)
    expect_lt(error(gappy_pair_kernel(k = 2, m = 3), set, "gappypair_k2_m3_norm"), 1e-12)
    expect_lt(error(spectrum_kernel(k = 2, power = 2), set, "spectrum_k2_pow2_norm"), 1e-12)
    # the program's mixtures begin with the coefficient of the shortest words
    mixture <- c(0.5, 0.33, 0.17)
    expect_lt(error(spectrum_kernel(k = 1:3), set, "spectrum_mix123_norm", weights = mixture), 1e-12)
    expect_lt(reference_error(spectrum_kernel(k = 1:3), set, paste0("spectrum_mix123_raw_", set),
                              weights = mixture), 1e-12)
  }
  x <- reference_sequences("dna24")
  values <- kernel_matrix(spectrum_kernel(k = 3), x[1:6], x[7:10], normalize = "spherical")
  expect_lt(max(abs(unname(values) - reference_matrix("spectrum_k3_norm_rect_dna24"))), 1e-12)
})

test_that("unknown letters, lower case and short sequences are as documented", {
  set.seed(1)
  x <- c(random_text(6, 30), "ACNGTACGT", "acgtnacg", "AC", "", "NNNN")
  for (k in 1:4) {
    expect_equal(unname(kernel_matrix(spectrum_kernel(k), x)), plain_spectrum(toupper(x), k))
    expect_equal(unname(kernel_matrix(spectrum_kernel(k, presence = TRUE), x)),
                 plain_spectrum(toupper(x), k, TRUE))
  }
  plain <- plain_spectrum(toupper(x), 3)
  length <- sqrt(diag(plain))
  expect_equal(unname(kernel_matrix(spectrum_kernel(3), x, normalize = "spherical")),
               ifelse(outer(length, length) > 0, plain / outer(length, length), 0))
  expect_error(kernel_matrix(spectrum_kernel(3, power = 2), x, normalize = "spherical"),
               class = "manykernels_constant_kernel")
  y <- rep(c("a", "b"), length.out = length(x))
  fit <- mkl(x, y, spectrum_kernel(2:3), normalize = "spherical")
  expect_lt(fit$gap, 1e-3)
  expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-6)
  expect_warning(unknown <- predict(fit, c("", "NN"), type = "decision"),
                 class = "manykernels_warning_sequence_alphabet")
  expect_equal(unname(unknown), rep(fit$offset, 2))
  expect_equal(kernel_matrix(spectrum_kernel(2, alphabet = "AB"), c("abba", "baab")),
               matrix(c(3, 2, 2, 3), 2))
  # a name is one in capitals, too, not its letters
  expect_equal(kernel_matrix(spectrum_kernel(2, alphabet = "DNA"), x),
               kernel_matrix(spectrum_kernel(2, alphabet = "dna"), x))
  expect_classed(spectrum_kernel(2, alphabet = "dna "), "invalid_argument", "alphabet")
})

test_that("parts read the first and the last letters", {
  x <- c("ACGTACGTTT", "GGGTACGA", "AC")
  expect_equal(unname(kernel_matrix(spectrum_kernel(2, part = "first 4"), x)),
               plain_spectrum(substr(x, 1, 4), 2))
  expect_equal(unname(kernel_matrix(spectrum_kernel(2, part = "last 3"), x)),
               plain_spectrum(substring(x, pmax(nchar(x) - 2, 1)), 2))
  k <- protein_motif_kernels()
  expect_length(k, 64)
  expect_identical(names(k)[c(1, 2, 17)], c("gapped(1)", "gapped(11)", "gapped(1,first 15)"))
})

test_that("kernels agree with each other", {
  set.seed(2)
  x <- random_text(8, 25)
  same <- function(a, b) expect_equal(kernel_matrix(a, x), kernel_matrix(b, x))
  same(mismatch_kernel(3, 0), spectrum_kernel(3))
  same(gapped_kernel("111"), spectrum_kernel(3))
  same(gappy_pair_kernel(2, 0), spectrum_kernel(4))
  same(motif_kernel(c("A", "C", "G", "T")), spectrum_kernel(1))
  pairs <- Reduce(`+`, kernel_matrix(gapped_kernel(c("11", "101", "1001")), x))
  expect_equal(kernel_matrix(gappy_pair_kernel(1, 2), x), pairs)
  expect_equal(kernel_matrix(spectrum_kernel(3, reverse_complement = TRUE), x),
               kernel_matrix(spectrum_kernel(3, reverse_complement = TRUE),
                             vapply(strsplit(chartr("ACGT", "TGCA", x), ""), function(u) {
                               paste(rev(u), collapse = "")
                             }, "")))
})

test_that("features are named, and their products are the kernel", {
  x <- c(a = "ACGTACGT", b = "ACGTTC", c = "A")
  k <- c(spectrum_kernel(2), gapped_kernel("101"), gappy_pair_kernel(1, 1), mismatch_kernel(2, 1),
         spectrum_kernel(2, position_specific = TRUE), motif_kernel(c("A[CG]", "G.A")))
  features <- kernel_features(k, x)
  expect_identical(names(features), names(k))
  products <- lapply(features, function(F) as.matrix(Matrix::tcrossprod(F)))
  expect_equal(products, kernel_matrix(k, x))
  expect_setequal(colnames(features[[1]]), c("AC", "CG", "GT", "TA", "TT", "TC"))
  expect_true(all(grepl("^[ACGT][.][ACGT]$", colnames(features[[2]]))))
  expect_true("1:AC" %in% colnames(features[[5]]))
  expect_s4_class(kernel_features(spectrum_kernel(2), x), "dgCMatrix")
  expect_error(spectrum_kernel(65, alphabet = "A"), "`k`", class = "manykernels_invalid_argument")
  expect_error(kernel_features(spectrum_kernel(2, power = 2), x), "power = 1", class = "manykernels_unsupported")
})

# Two classes that a word at a place tells apart.
planted <- function(n = 120, length = 30) {
  x <- random_text(n, length)
  substr(x[seq_len(n / 2)], 11, 14) <- "GATC"
  list(x = stats::setNames(x, paste0("s", seq_len(n))), y = factor(rep(1:2, each = n / 2)))
}

test_that("predictions are the kernel expansion, and the gap is certified", {
  set.seed(3)
  d <- planted()
  k <- c(spectrum_kernel(2:3), mismatch_kernel(3, 1), gapped_kernel("1001"),
         spectrum_kernel(2, position_specific = TRUE))
  new <- c(random_text(20, 40), "ACNNGATC")
  for (normalize in list("multiplicative", "spherical", c("centre", "trace"), "none")) {
    fit <- mkl(d$x, d$y, k, normalize = normalize)
    expect_lt(fit$gap, 1e-3)
    expect_lt(duality_gap(fit, d$x, d$y)$gap, 1e-3)
    matrices <- kernel_matrix(k, d$x, new, normalize = normalize)
    value <- Reduce(`+`, Map(function(K, theta) theta * fit$alpha %*% K, matrices, fit$theta))
    expect_equal(predict(fit, new, type = "decision"), as.vector(value) + fit$offset,
                 tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("models that are predicted together are as those alone", {
  set.seed(7)
  d <- planted()
  kinds <- factor(ifelse(d$y == d$y[1], "a", ifelse(seq_along(d$y) %% 2, "b", "c")))
  k <- c(spectrum_kernel(2), gappy_pair_kernel(1, 1), spectrum_kernel(2, position_specific = TRUE),
         spectrum_kernel(3, presence = TRUE, part = "first 9"))
  new <- c(random_text(20, 40), "ACNNGATC", "A", "")
  for (multiclass in c("ovr", "ovo", "shared")) {
    for (normalize in list("multiplicative", "spherical", c("centre", "trace"))) {
      fit <- mkl(d$x, kinds, k, p = 1.1, C = 0.05, normalize = normalize, multiclass = multiclass)
      if (multiclass == "ovr") {
        rows <- lapply(fit$models, function(model) model$data$rows)
        if (normalize[1] != "centre") expect_gt(length(unique(rows)), 1) # they keep different rows
      }
      together <- predict(fit, new, type = "decision")
      alone <- vapply(fit$models, function(model) predict(model, new, type = "decision"), numeric(23))
      expect_equal(together, alone, tolerance = 1e-12, ignore_attr = TRUE)
    }
  }
  # kernels that only some of the models have
  fit <- mkl(d$x, kinds, k, p = 1, C = 0.05)
  expect_false(all(vapply(fit$models, function(model) all(model$theta > 0), NA)))
  alone <- vapply(fit$models, function(model) predict(model, new, type = "decision"), numeric(23))
  expect_equal(predict(fit, new, type = "decision"), alone, tolerance = 1e-12, ignore_attr = TRUE)
  path <- mkl_path(d$x, kinds, spectrum_kernel(2:3), C = c(0.1, 1))
  expect_equal(predict(path, new, C = 1, type = "decision"),
               predict(path, c(new, new), C = 1, type = "decision")[1:23, ], ignore_attr = TRUE)
})

test_that("weights of words are those of the decision values", {
  set.seed(4)
  d <- planted()
  for (normalize in c("multiplicative", "spherical")) {
    fit <- mkl(d$x, d$y, c(spectrum_kernel(3), gappy_pair_kernel(1, 1)), normalize = normalize)
    weights <- kernel_weights(fit, features = TRUE)
    expect_false(is.unsorted(rev(abs(weights$weight))))
    value <- fit$offset
    for (name in names(fit$kernels)) {
      counts <- as.matrix(kernel_features(fit$kernels[name], d$x))
      if (normalize == "spherical") counts <- counts / sqrt(rowSums(counts^2))
      own <- weights[weights$kernel == name, ]
      value <- value + counts[, own$feature] %*% own$weight
    }
    expect_equal(as.vector(value), unname(fit$decision), tolerance = 1e-10)
  }
  linear <- mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), linear_kernel())
  expect_setequal(kernel_weights(linear, features = TRUE)$feature, names(iris)[1:4])
  gaussian <- mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), gaussian_kernel(2))
  expect_error(kernel_weights(gaussian, features = TRUE), class = "manykernels_unsupported")
  several <- mkl(d$x, factor(rep(1:3, 40)), spectrum_kernel(3))
  expect_setequal(kernel_weights(several, features = TRUE)$model, c("1", "2", "3"))
})

test_that("profiles show where classes differ", {
  set.seed(5)
  d <- planted()
  fit <- mkl(d$x, d$y, c(spectrum_kernel(2, position_specific = TRUE), spectrum_kernel(2)))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(fit, "profile"))
  other <- mkl(d$x, d$y, spectrum_kernel(2))
  expect_error(plot(other, "profile"), class = "manykernels_unsupported")
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::layer_data(ggplot2::autoplot(fit, "profile"))
  expect_equal(sum(drawn$y), 1)
  expect_true(all(drawn$x[order(-drawn$y)[1:3]] %in% 11:13))
  expect_error(ggplot2::autoplot(other, "profile"), class = "manykernels_unsupported")
})

test_that("views of sequences have default kernels, and stand beside others", {
  set.seed(6)
  d <- planted()
  expect_identical(names(default_kernels(d$x)), sprintf("spectrum(k=%d)", 1:4))
  views <- list(text = d$x, numbers = matrix(rnorm(240), 120))
  expect_length(default_kernels(views), 12)
  fit <- mkl(views, d$y)
  expect_lt(fit$gap, 1e-3)
  expect_equal(predict(fit, views, type = "decision"), fit$decision, tolerance = 1e-8,
               ignore_attr = TRUE)
  cv <- cv_mkl(d$x, d$y, p = 2, C = c(0.1, 1), folds = 3)
  expect_gt(max(cv$results$mean), 0.7)
})

test_that("what can't work is refused", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    spectrum_kernel(k = 0)
    spectrum_kernel(width = 2)
    spectrum_kernel(distance_weight = "swd", presence = TRUE)
    mismatch_kernel(k = 2, m = 2)
    gapped_kernel("0110")
    motif_kernel("A[C")
    spectrum_kernel(part = "middle 3")
    kernel_matrix(spectrum_kernel(3, reverse_complement = TRUE), "MKLV")
    kernel_matrix(spectrum_kernel(30), "ACGT")
    kernel_matrix(mismatch_kernel(9, 4), strrep("MKLVA", 40))
    kernel_matrix(spectrum_kernel(3), matrix(1:4, 2))
    kernel_features(weighted_degree_kernel(3), c("ACGT", "ACGA"))
    kernel_dictionary(spectrum_kernel(1:2), sets = list(1))
  })
})

test_that("predictions are the kernel expansion, whatever the normalisation", {
  set.seed(2)
  x <- random_text(40, 25)
  y <- factor(rep(c("a", "b"), 20))
  substr(x[y == "a"], 5, 9) <- "ACGTA"
  new <- c(x[5:1], "", "A", paste0(x[1], x[2], "NNN"), "NNNN", "acgtacgtacg")
  kernels <- c(spectrum_kernel(2:3), spectrum_kernel(2, presence = TRUE), mismatch_kernel(3, 1),
               spectrum_kernel(2, position_specific = TRUE), motif_kernel(c("ACG", "T.A")),
               spectrum_kernel(3, reverse_complement = TRUE), spectrum_kernel(2, power = 2),
               gappy_pair_kernel(1, 2, part = "first 9"))
  for (normalize in list("multiplicative", "spherical", "none", c("centre", "multiplicative"),
                         c("centre", "spherical"))) {
    mine <- if ("spherical" %in% normalize) kernels[-8] else kernels # powers have no length 0
    for (intercept in c(TRUE, FALSE)) {
      fit <- mkl(x, y, mine, C = 0.1, normalize = normalize, intercept = intercept)
      K <- kernel_matrix(mine, x, new, normalize = normalize)
      plain <- Reduce(`+`, Map(function(K, theta) theta * crossprod(K, fit$alpha), K, fit$theta))
      expect_equal(unname(predict(fit, new, "decision")), as.vector(plain) + fit$offset,
                   tolerance = 1e-10)
      expect_equal(predict(fit, x, "decision"), fit$decision, tolerance = 1e-10)
    }
  }
})

test_that("sequences without words are 0 in kernels of distances, too", {
  x <- c("ACGTAC", "", "CGTAAC", "NN")
  for (kernel in list(spectrum_kernel(2, distance_weight = "linear", width = 3),
                      spectrum_kernel(2, distance_weight = "swd"))) {
    K <- kernel_matrix(kernel, x, normalize = "spherical")
    expect_equal(diag(K), c(1, 0, 1, 0))
    expect_equal(K[c(2, 4), ], matrix(0, 2, 4))
  }
  expect_equal(diag(kernel_matrix(weighted_degree_kernel(2), c("ACG", "NNN"),
                                  normalize = "spherical")), 1:0)
})

test_that("dictionaries hold kernels of sequences", {
  set.seed(8)
  x <- list(text = random_text(30, 25), more = matrix(rnorm(90), 30))
  y <- factor(grepl("AC.*GT", x$text) | x$more[, 1] > 0.5)
  kernels <- c(on_view(c(spectrum_kernel(1:3), mismatch_kernel(3, 1), spectrum_kernel(2, power = 2),
                         motif_kernel(c("ACG", "G[CT]A")), weighted_degree_kernel(3)), "text"),
               on_view(gaussian_kernel(4), "more"))
  for (normalize in c("multiplicative", "spherical")) {
    control <- mkl_control(tol = 1e-7)
    fit <- mkl_sequential(x, y, c(kernel_dictionary(kernels[1:3]), kernel_dictionary(kernels[4:8])),
                          normalize = normalize, control = control)
    same <- mkl(x, y, kernels, p = 1, normalize = normalize, control = control)
    expect_equal(fit$objective, same$objective, tolerance = 1e-6)
    expect_equal(predict(fit, x, "decision"), predict(same, x, "decision"), tolerance = 1e-3)
    expect_lte(duality_gap(fit, x, y)$gap, 1e-7)
  }
})

test_that("no sequences have no words", {
  expect_identical(dim(kernel_features(spectrum_kernel(2), character(0))), c(0L, 0L))
  both <- kernel_features(c(spectrum_kernel(2), gappy_pair_kernel(1, 1)), character(0))
  expect_identical(lapply(unname(both), dim), list(c(0L, 0L), c(0L, 0L)))
})
