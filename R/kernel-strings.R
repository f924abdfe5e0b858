# String kernels with explicit features: constructors. word-features.R resolves them on sequences.

#' String kernels that count words
#'
#' These kernels compare sequences by the words that they have in common:
#' \deqn{k(x, z) = \sum_u c_u(x)\, c_u(z),}{k(x, z) = sum_u c_u(x) c_u(z),}
#' where \eqn{c_u(x)}{c_u(x)} counts how often the word u occurs in x. The kernels differ in what a word
#' is.
#'
#' * `spectrum_kernel()`: k letters in a row (k-mers).
#' * `mismatch_kernel()`: k-mers, each of which counts for all k-mers that differ in at most `m`
#'   letters.
#' * `gapped_kernel()`: letters chosen by a mask, such as the first and the last of four.
#' * `gappy_pair_kernel()`: two k-mers with 0 to `m` letters between them; each distance gives another word.
#' * `motif_kernel()`: the given motifs.
#' * `protein_motif_kernels()`: the 64 kernels of Zien and Ong (2007) for proteins. These are all 16
#'   masks of up to five letters that begin with a letter, each on the whole sequence, its first 15, its
#'   first 60 and its last 15 letters.
#'
#' Only the words that occur are kept, as sparse counts. A prediction therefore takes one pass over the
#' words of a new sequence for any number of support vectors. (Kernels with a `power`, and centred ones
#' under spherical scaling, are compared with each support vector.) [kernel_features()] returns the
#' counts, and `kernel_weights(fit, features = TRUE)` the weight of each word in a fit.
#'
#' @section Letters:
#' Lower-case letters count as upper-case ones. T and U are one letter: a model of DNA predicts RNA, and the
#' other way round. Letters outside the alphabet, such as N in DNA or X in proteins, are unknown; a word that
#' contains one does not count. Letters between the two k-mers of a `gappy_pair_kernel()`, and those that a
#' mask of `gapped_kernel()` skips, are not part of the word, which counts even with an N there. (Package
#' kebabs leaves such pairs out.)
#'
#' `alphabet = "auto"` means the alphabet of a `DNAStringSet`, `RNAStringSet` or `AAStringSet`. Text is
#' DNA or RNA if it has only the letters of IUPAC for bases, among them those for ambiguous bases such
#' as R, Y and N, and more than half are A, C, G, T, U or N. Text with other letters means proteins: the
#' 20 amino acids and U, selenocysteine, as in package kebabs (the size of the alphabet matters in
#' [mismatch_kernel()]). The gap signs `-`, `.`, `*`, `+`, `?` and `~` are unknown letters of any
#' alphabet. Text with other signs, text with more B, J, O and Z than proteins have (5 in 100), such as
#' English, and DNA mixed with proteins are an error: name the alphabet then.
#'
#' New sequences must have the alphabet of those in training. Sequences of another class, and sets with
#' more unknown than known letters, are an error. If this applies to some sequences only, a warning
#' names them.
#'
#' A sequence that is empty or shorter than the words is a row of zeros. Its kernel values are 0 under
#' any normalisation. (With a `power` other than 1, `normalize = "spherical"` refuses such sequences,
#' and names them.)
#'
#' @param k Positive whole numbers, the length of words; one kernel for each.
#' @param presence `TRUE`: a word counts once if it occurs, not each time.
#' @param reverse_complement `TRUE`: a word and its reverse complement are the same word. For DNA and
#'   RNA.
#' @param distance_weight,width `NULL`, or the weight of a word at different positions of two sequences, a
#'   function of the distance d of the positions with `width` (positive numbers) in letters. `"linear"` is
#'   max(0, 1 - d / width), `"exponential"` is exp(-d / width), and `"gaussian"` is exp(-(d / width)^2).
#'   `"swd"` is 1 / (2 (d + 1)) and takes no `width`. Such kernels have no explicit features, and take
#'   `alphabet` alone of the arguments below.
#' @param position_specific `TRUE`: words count only where two sequences have them at the same
#'   position.
#' @param power A positive whole number: the kernel is raised to this power. Kernels with a power other
#'   than 1 have no weights by word.
#' @param part `"whole"`, or the letters to read: `"first 15"`, `"last 15"`, and so on.
#' @param alphabet `"dna"`, `"rna"`, `"protein"`, the letters themselves (as one string or as a vector
#'   of ASCII letters or signs without blanks, at most 64), or `"auto"`.
#' @param m For `mismatch_kernel()`: whole numbers below `k`, how many letters may differ. For
#'   `gappy_pair_kernel()`: whole numbers from 0 on, the largest distance of the two k-mers.
#' @param pattern Strings of 1 (read) and 0 (any letter) that begin and end with 1, such as `"1001"`;
#'   one kernel for each.
#' @param motifs A character vector of motifs, which together make one kernel. A motif consists of
#'   letters, `.` for any letter of the alphabet, `[AC]` for one of several, and `[^AC]` for any but
#'   these.
#' @param ... Not used; anything given is an error.
#' @details Arguments `k`, `m` and `pattern` are vectors; one of length 1 is repeated to the length of
#'   the longest. A word may read at most 64 letters, and there must be fewer than 2^53 possible words
#'   (26 letters of DNA, 12 of proteins). The words of all sequences must be fewer than 2^31; each
#'   mismatch that is allowed multiplies them by about `k` times the letters of the alphabet.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; when the set is used with
#'   data, `manykernels_kernel_view` if a view has no sequences, `manykernels_too_large` for too many words,
#'   `manykernels_sequence_alphabet` for sequences of another alphabet (the warning has class
#'   `manykernels_warning_sequence_alphabet`).
#' @references
#' Leslie, C., Eskin, E. and Noble, W. S. (2002). The spectrum kernel: a string kernel for SVM protein
#' classification. *Pacific Symposium on Biocomputing*, 564--575.
#'
#' Leslie, C., Eskin, E., Weston, J. and Noble, W. S. (2003). Mismatch string kernels for SVM protein
#' classification. *Advances in Neural Information Processing Systems* 15.
#'
#' Zien, A. and Ong, C. S. (2007). Multiclass multiple kernel learning. *Proceedings of the 24th
#' International Conference on Machine Learning*.
#' @seealso [weighted_degree_kernel()] for signals at a known position, [kernel_features()],
#'   [kernel_weights()], [read_fasta()].
#' @family kernels
#' @examples
#' x <- c(a = "ACGTACGTAC", b = "ACGTTCGTAC", c = "TTGTACGAAC")
#' kernel_matrix(spectrum_kernel(k = 2), x)
#' c(spectrum_kernel(1:3), gapped_kernel("101"), gappy_pair_kernel(k = 1, m = 2))
#' kernel_matrix(motif_kernel(c("A[CG]G", "T.C")), x)
#' length(protein_motif_kernels())
#' @name string_kernels
NULL

#' @rdname string_kernels
#' @export
spectrum_kernel <- function(k = 3, presence = FALSE, reverse_complement = FALSE,
                            distance_weight = NULL, width = NULL, position_specific = FALSE,
                            power = 1, part = "whole", alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  if (!is.null(distance_weight)) {
    plain <- list(presence = presence, reverse_complement = reverse_complement,
                  position_specific = position_specific)
    refuse_with_distance(plain, power, part)
    return(distance_spectrum(k, distance_weight, width, alphabet))
  }
  if (!is.null(width)) {
    mk_abort("`width` goes with `distance_weight`, which is NULL.", "invalid_argument", "width", width)
  }
  own <- recycle_parameters(k = check_counts(k, "k", upper = 64L))
  word_kernels("spectrum", own, presence = presence, reverse_complement = reverse_complement,
               position_specific = position_specific, power = power, part = part,
               alphabet = alphabet)
}

refuse_with_distance <- function(flags, power, part) {
  given <- c(names(flags)[!vapply(flags, identical, NA, FALSE)], if (!identical(power, 1)) "power",
             if (!identical(part, "whole")) "part")
  if (length(given)) {
    mk_abort(sprintf("`%s` is not for spectra with `distance_weight`.", given[1L]),
             "invalid_argument", given[1L])
  }
}

#' @rdname string_kernels
#' @export
mismatch_kernel <- function(k = 3, m = 1, presence = FALSE, power = 1, part = "whole",
                            alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  own <- recycle_parameters(k = check_counts(k, "k", upper = 64L), m = check_counts(m, "m", lower = 0L))
  bad <- which(own$m >= own$k)
  if (length(bad)) {
    abort_argument(own$m[bad[1L]], "m", sprintf("smaller than `k` (%d)", own$k[bad[1L]]))
  }
  word_kernels("mismatch", own, presence = presence, power = power, part = part,
               alphabet = alphabet)
}

#' @rdname string_kernels
#' @export
gapped_kernel <- function(pattern = "1001", presence = FALSE, position_specific = FALSE, power = 1,
                          part = "whole", alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  good <- is.character(pattern) && length(pattern) > 0L && !anyNA(pattern) &&
    all(grepl("^1([01]*1)?$", pattern) & nchar(pattern) <= 64L)
  if (!good) {
    abort_argument(pattern, "pattern", paste("strings of at most 64 digits 1 and 0 that begin and end",
                                             "with 1, such as \"1001\""))
  }
  word_kernels("gapped", list(pattern = pattern), presence = presence,
               position_specific = position_specific, power = power, part = part,
               alphabet = alphabet)
}

#' @rdname string_kernels
#' @export
gappy_pair_kernel <- function(k = 1, m = 2, presence = FALSE, position_specific = FALSE, power = 1,
                              part = "whole", alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  own <- recycle_parameters(k = check_counts(k, "k", upper = 32L),
                            m = check_counts(m, "m", lower = 0L, upper = 1000L))
  word_kernels("gappy_pair", own, presence = presence, position_specific = position_specific,
               power = power, part = part, alphabet = alphabet)
}

#' @rdname string_kernels
#' @export
motif_kernel <- function(motifs, presence = FALSE, power = 1, part = "whole", alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(motifs = missing(motifs)))
  places <- "^([^\\[\\].^]|[.]|\\[\\^?[^\\[\\].^]+\\])+$"
  good <- is.character(motifs) && length(motifs) > 0L && !anyNA(motifs) &&
    all(grepl(places, motifs, perl = TRUE)) && !anyDuplicated(toupper(motifs))
  if (!good) {
    abort_argument(motifs, "motifs", paste("different strings of letters, `.`, `[AC]` and `[^AC]`,",
                                           "such as \"A[CG].T\""))
  }
  word_kernels("motif", list(motifs = list(toupper(motifs))), presence = presence, power = power,
               part = part, alphabet = alphabet)
}

#' @rdname string_kernels
#' @export
protein_motif_kernels <- function(alphabet = "protein", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  inner <- unlist(lapply(0:3, function(size) {
    if (size == 0L) return("")
    do.call(paste0, rev(expand.grid(rep(list(0:1), size))))
  }))
  masks <- c("1", paste0("1", inner, "1"))
  sets <- lapply(c("whole", "first 15", "first 60", "last 15"), function(part) {
    gapped_kernel(masks, part = part, alphabet = alphabet)
  })
  do.call(c, sets)
}

# ---- all of them ---------------------------------------------------------------------------------

# own: parameters with a value for each kernel, a list of vectors; ...: parameters that all share.
word_kernels <- function(type, own, presence, power, part, alphabet, ...) {
  flags <- list(presence = presence, ...)
  shared <- c(Map(check_flag, flags, names(flags)),
              list(power = check_count(power, "power"), part = check_part(part),
                   alphabet = check_alphabet(alphabet)))
  if (isTRUE(shared$reverse_complement) && shared$alphabet == "protein") {
    mk_abort("`reverse_complement` is for DNA and RNA, not for proteins.", "invalid_argument",
             "reverse_complement", TRUE)
  }
  parameters <- lapply(seq_along(own[[1L]]), function(m) c(lapply(own, `[[`, m), shared))
  new_kernel_set(vapply(parameters, word_kernel_name, "", type = type), type, parameters)
}

word_kernel_name <- function(parameters, type) {
  number <- vapply(parameters[c("k", "m")], function(x) if (is.null(x)) NA else x, 0)
  flags <- c("presence", "reverse_complement", "position_specific")
  flags <- flags[vapply(parameters[flags], isTRUE, NA)]
  sprintf("%s(%s)", type, paste(collapse = ",", c(
    paste0(c("k=", "m="), number)[!is.na(number)], parameters$pattern,
    if (type == "motif") count_of(length(parameters$motifs), "motif"), gsub("_", " ", flags),
    if (parameters$power != 1) paste0("power=", parameters$power),
    if (parameters$part != "whole") parameters$part
  )))
}

# "whole", "first 15", "last 15"
check_part <- function(part) {
  good <- is.character(part) && length(part) == 1L && !is.na(part) &&
    grepl("^(whole|(first|last) [1-9][0-9]{0,8})$", part)
  if (!good) abort_argument(part, "part", "\"whole\", \"first 15\", \"last 15\" or so")
  part
}

# Checks parameters by the constructor that takes them as arguments.
remake_words <- function(parameters, make) {
  needed <- setdiff(names(formals(make)), c("distance_weight", "width", "..."))
  check_lists(parameters, needed)
  for (own in unique(parameters)) do.call(make, own[needed])
}
