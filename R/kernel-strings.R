# Kernels of sequences that count k-mers or motifs: constructors, and what each counts. Sequences meet
# them in string-features.R.

#' Spectrum kernel
#'
#' Compares sequences by the words of `k` letters that they have: with \eqn{c_u(x)}{c_u(x)} the number
#' of times that the k-mer u occurs in x,
#' \deqn{k(x, z) = \sum_u c_u(x) c_u(z).}{k(x, z) = sum_u c_u(x) c_u(z).}
#' Sequences may differ in length. Fits and predictions are those of a linear kernel on counts:
#' only k-mers that occur take room, and a fit keeps a weight for each k-mer in place of support
#' vectors ([kernel_weights()] with `features = TRUE`).
#'
#' @section Sequences:
#' `x` (or a view of it) is a character vector with a sequence for each element, or a `DNAStringSet`,
#' `RNAStringSet` or `AAStringSet` of package Biostrings; [read_fasta()] reads files. Names of
#' sequences are names of samples.
#'
#' * Lower case is read as upper case.
#' * Letters outside of the alphabet (N, X, a gap, a stop) are unknown. A k-mer or motif that would
#'   read one is not counted; nothing is dropped and nothing is guessed.
#' * A sequence that is empty or too short has no k-mers: its row is 0. Under spherical scaling it
#'   stays 0, without an error, and is as far from every other sequence as can be.
#' * A k-mer that no training sequence has adds nothing to a prediction. It does
#'   count in the length of a sequence under spherical scaling.
#' * `NA` is an error that names the rows; in new rows it gives a prediction of `NA`.
#'
#' @section Alphabets:
#' `"dna"` is ACGT, `"rna"` ACGU, `"protein"` the 20 amino acids and U (selenocysteine), as in package
#' kebabs. `"auto"` takes DNA where the training sequences have no letter but A, C, G, T and N,
#' else RNA where they have none but A, C, G, U and N, else proteins. Other alphabets are given by
#' their letters, as one string or a vector, at most 64.
#'
#' K-mers are numbered by their letters as digits; the largest number must stay below 2^53. So `k`
#' may be 26 for DNA and 12 for proteins; less where k-mers are told apart by position. More is an error of class
#' `manykernels_too_long`. [weighted_degree_kernel()] has no such limit.
#'
#' @param k Positive whole numbers, letters of a word; one kernel for each (together with `presence`,
#'   `reverse_complement`, `position_specific`, `width` and `part`, each of which may have length 1).
#' @param presence Whether k-mers count once, however often they occur.
#' @param reverse_complement Whether a k-mer and its reverse complement are one, for DNA and RNA
#'   whose strand is not known.
#' @param position_specific Whether a k-mer counts only where the other sequence has it at the same
#'   position: \eqn{\sum_l I(u_l(x) = u_l(z))}{sum_l I(u_l(x) = u_l(z))}.
#' @param distance_weight `NULL`, or how much a k-mer counts that two sequences have d positions
#'   apart: `"linear"` \eqn{\max(0, 1 - d/w)}{max(0, 1 - d/w)}, `"exponential"`
#'   \eqn{\exp(-d/w)}{exp(-d/w)}, `"gaussian"` \eqn{\exp(-d^2/w^2)}{exp(-d^2/w^2)} with the `width` w, or
#'   `"swd"` \eqn{1/(2(d + 1))}{1/(2 (d + 1))}. Such kernels are sums over pairs of positions, without
#'   explicit features; they take none of the other choices.
#' @param width Positive numbers, w in positions, for `distance_weight` other than `"swd"`.
#' @param part Which letters are read: `"whole"`, or `"first 15"`, `"last 60"` and the like. Positions
#'   are counted from the beginning of the part.
#' @param alphabet `"auto"`, `"dna"`, `"rna"`, `"protein"`, or the letters; see Alphabets.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; when the set
#'   meets data, `manykernels_kernel_view` where these are no sequences, and `manykernels_too_long`.
#' @references
#' C. Leslie, E. Eskin and W. S. Noble (2002). The spectrum kernel: a string kernel for SVM protein
#' classification. *Pacific Symposium on Biocomputing* 7, 566-575.
#'
#' J. Palme, S. Hochreiter and U. Bodenhofer (2015). KeBABS: an R package for kernel-based analysis of
#' biological sequences. *Bioinformatics* 31, 2574-2576 (positions and distances).
#' @family kernels
#' @export
#' @examples
#' x <- c(a = "ACGTACGTAC", b = "ACGTTCGTAC", c = "TTGTACGAAC")
#' kernel_matrix(spectrum_kernel(k = 3), x)
#' kernel_matrix(spectrum_kernel(k = 3, reverse_complement = TRUE), x, normalize = "spherical")
#' spectrum_kernel(k = 1:4)
spectrum_kernel <- function(k = 3, presence = FALSE, reverse_complement = FALSE,
                            position_specific = FALSE, distance_weight = NULL, width = NULL,
                            part = "whole", alphabet = "auto") {
  if (is.null(distance_weight)) {
    if (!is.null(width)) {
      mk_abort("`width` is for a `distance_weight`, and there is none.", "invalid_argument", "width",
               width)
    }
    return(spectrum_features(k, presence, reverse_complement, position_specific, part, alphabet))
  }
  other <- c(presence = !identical(presence, FALSE),
             reverse_complement = !identical(reverse_complement, FALSE),
             position_specific = !identical(position_specific, FALSE),
             part = !identical(part, "whole"))
  if (any(other)) {
    name <- names(which(other))[1L]
    mk_abort(sprintf("`%s` can't be chosen together with `distance_weight`.", name),
             "invalid_argument", name)
  }
  distance_spectrum(k, distance_weight, width, alphabet)
}

spectrum_features <- function(k, presence, reverse_complement, position_specific, part, alphabet) {
  string_kernels("spectrum", alphabet,
                 k = check_letters(k, "k"), presence = check_flags(presence, "presence"),
                 reverse_complement = check_flags(reverse_complement, "reverse_complement"),
                 position_specific = check_flags(position_specific, "position_specific"),
                 part = check_part(part))
}

#' Mismatch kernel
#'
#' A [spectrum_kernel()] in which a k-mer counts for all k-mers that differ from it in at most `m`
#' letters: \eqn{c_u(x)}{c_u(x)} is the number of k-mers of x within m mismatches of u. All
#' \eqn{\sum_j {k \choose j} (A - 1)^j}{sum_j choose(k, j) (A - 1)^j} relatives in an alphabet of A letters
#' are counted, which is many for a large `m`.
#'
#' @inheritParams spectrum_kernel
#' @param k Positive whole numbers, letters of a word; one kernel for each (together with `m` and
#'   `part`, each of which may have length 1).
#' @param m Whole numbers from 0 to `k`: letters that may differ.
#' @inherit spectrum_kernel return
#' @inheritSection spectrum_kernel Sequences
#' @inheritSection spectrum_kernel Alphabets
#' @references
#' C. Leslie, E. Eskin, A. Cohen, J. Weston and W. S. Noble (2004). Mismatch string kernels for
#' discriminative protein classification. *Bioinformatics* 20, 467-476.
#' @family kernels
#' @export
#' @examples
#' x <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC")
#' kernel_matrix(mismatch_kernel(k = 3, m = 1), x)
mismatch_kernel <- function(k = 3, m = 1, part = "whole", alphabet = "auto") {
  own <- recycle_parameters(k = check_letters(k, "k"), m = check_counts(m, "m", lower = 0L))
  bad <- which(own$m > own$k)
  if (length(bad)) {
    abort_argument(own$m[bad[1L]], "m", sprintf("at most `k` (%d)", own$k[bad[1L]]))
  }
  string_kernels("mismatch", alphabet, k = own$k, m = own$m, part = check_part(part))
}

#' Gapped k-mers
#'
#' A [spectrum_kernel()] whose k-mers are read through a mask: with `pattern = "1001"` the
#' first and the fourth of four letters in a row, whatever stands between them.
#'
#' @inheritParams spectrum_kernel
#' @param pattern Strings of 1 (read) and 0 (not read) that begin and end with 1; one kernel for each
#'   (together with `presence`, `position_specific` and `part`, each of which may have length 1).
#' @inherit spectrum_kernel return
#' @inheritSection spectrum_kernel Sequences
#' @inheritSection spectrum_kernel Alphabets
#' @references
#' A. Zien and C. S. Ong (2007). Multiclass multiple kernel learning. *ICML* 24, 1191-1198.
#' @seealso [protein_motif_kernels()] for sets of these.
#' @family kernels
#' @export
#' @examples
#' x <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC")
#' kernel_matrix(gapped_kernel("1001"), x)
#' gapped_kernel(c("11", "101", "1001"), part = "first 15")
gapped_kernel <- function(pattern = "1001", presence = FALSE, position_specific = FALSE,
                          part = "whole", alphabet = "auto") {
  if (!is.character(pattern) || length(pattern) == 0L || anyNA(pattern)) {
    abort_argument(pattern, "pattern", "strings of 1 and 0 that begin and end with 1")
  }
  bad <- !grepl("^1([01]*1)?$", pattern)
  if (any(bad)) {
    abort_argument(pattern[bad][1L], "pattern", "strings of 1 and 0 that begin and end with 1")
  }
  string_kernels("gapped", alphabet, pattern = as.vector(pattern),
                 presence = check_flags(presence, "presence"),
                 position_specific = check_flags(position_specific, "position_specific"),
                 part = check_part(part))
}

#' Gappy pairs
#'
#' A kernel that counts pairs of k-mers with 0 to `m` letters between them: `AC..GT` is one for `k = 2`
#' and a gap of 2. Pairs with gaps of different length are different features, as in package kebabs.
#'
#' @inheritParams spectrum_kernel
#' @param k Positive whole numbers, letters of each k-mer of a pair; one kernel for each (together
#'   with `m`, `presence`, `position_specific` and `part`, each of which may have length 1).
#' @param m Whole numbers >= 0, the most letters between the two.
#' @inherit spectrum_kernel return
#' @inheritSection spectrum_kernel Sequences
#' @inheritSection spectrum_kernel Alphabets
#' @references
#' P. Kuksa, P.-H. Huang and V. Pavlovic (2008). Fast protein homology and fold detection with sparse
#' spatial sample kernels. *ICPR* 19.
#' @family kernels
#' @export
#' @examples
#' x <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC")
#' kernel_matrix(gappy_pair_kernel(k = 1, m = 2), x)
gappy_pair_kernel <- function(k = 1, m = 2, presence = FALSE, position_specific = FALSE,
                              part = "whole", alphabet = "auto") {
  string_kernels("gappy_pair", alphabet, k = check_letters(k, "k"),
                 m = check_counts(m, "m", lower = 0L, upper = 1000L),
                 presence = check_flags(presence, "presence"),
                 position_specific = check_flags(position_specific, "position_specific"),
                 part = check_part(part))
}

#' Motif kernel
#'
#' Counts how often each of some motifs occurs: \eqn{k(x, z) = \sum_u c_u(x) c_u(z)}{k(x, z) = sum_u
#' c_u(x) c_u(z)} over the motifs u. Occurrences may overlap.
#'
#' @inheritParams spectrum_kernel
#' @param motifs A character vector of motifs, or a list of such vectors: one kernel for each
#'   vector, called by the list's names. A motif is a row of letters, `.` (any known letter), `[CG]`
#'   (one of these) and `[^A]` (any but these).
#' @param presence Whether motifs count once, however often they occur; one value, or one for each
#'   kernel, as for `part`.
#' @inherit spectrum_kernel return
#' @inheritSection spectrum_kernel Sequences
#' @references
#' A. Ben-Hur and D. Brutlag (2003). Remote homology detection: a motif based approach. *Bioinformatics*
#' 19 (supplement 1), i26-i33.
#' @family kernels
#' @export
#' @examples
#' x <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC")
#' kernel_matrix(motif_kernel(c("A[CG]T", "C.G", "G[^A][AT]")), x)
motif_kernel <- function(motifs, presence = FALSE, part = "whole", alphabet = "auto") {
  check_given(c(motifs = missing(motifs)))
  if (!is.list(motifs)) motifs <- list(motifs)
  if (length(motifs) == 0L) abort_argument(motifs, "motifs", "motifs, or a list of them")
  string_kernels("motif", alphabet, label = names(motifs) %||% rep("", length(motifs)),
                 motifs = lapply(unname(motifs), check_motifs),
                 presence = check_flags(presence, "presence"), part = check_part(part))
}

# In upper case, each once.
check_motifs <- function(motifs) {
  expected <- "motifs such as \"A[CG]T\", \"C.G\" or \"G[^A]\""
  if (!is.character(motifs) || length(motifs) == 0L || anyNA(motifs)) {
    abort_argument(motifs, "motifs", expected)
  }
  motifs <- unique(toupper(as.vector(motifs)))
  bad <- !grepl("^([^][^]|\\[\\^?[^][^]+\\])+$", motifs)
  if (any(bad)) abort_argument(motifs[bad][1L], "motifs", expected)
  motifs
}

#' Kernels of protein motifs
#'
#' The 64 kernels by which the papers on multiple kernel learning tell where a protein goes: k-mers
#' read through each of the 16 masks of up to five letters that begin and end with a letter that is
#' read, on four parts of the sequence: all of it, its first 15 letters, its first 60, and its last 15.
#'
#' @param parts Parts of the sequence, as `part` of [gapped_kernel()].
#' @param span The most letters that a mask spans, from 1 to 8: \eqn{2^{span - 1}}{2^(span - 1)} masks.
#' @inheritParams spectrum_kernel
#' @return A [kernel set][kernel_set] of [gapped_kernel()]s: all masks on the first part, then all on
#'   the second, and so on. Errors: class `manykernels_invalid_argument`.
#' @references
#' A. Zien and C. S. Ong (2007). Multiclass multiple kernel learning. *ICML* 24, 1191-1198.
#' @family kernels
#' @export
#' @examples
#' protein_motif_kernels()
#' kernel_matrix(protein_motif_kernels()[c(1, 20)], c("MKTAYIAKQR", "MKVAYLAKHR"))
protein_motif_kernels <- function(parts = c("whole", "first 15", "first 60", "last 15"), span = 5,
                                  presence = FALSE, alphabet = "protein") {
  parts <- check_part(parts, "parts")
  span <- check_count(span, "span", upper = 8L)
  masks <- c("1", unlist(lapply(seq_len(span - 1L), function(inner) {
    bits <- expand.grid(rep(list(c("0", "1")), inner - 1L), stringsAsFactors = FALSE)
    middle <- if (inner > 1L) do.call(paste0, bits) else ""
    paste0("1", middle, "1")
  })))
  gapped_kernel(rep(masks, length(parts)), presence = check_flag(presence, "presence"),
                part = rep(parts, each = length(masks)), alphabet = alphabet)
}

# ---- arguments -----------------------------------------------------------------------------------

check_letters <- function(k, argument) check_counts(k, argument, upper = 52L) # 2^52: two letters

check_flags <- function(x, argument) {
  if (!is.logical(x) || length(x) == 0L || anyNA(x)) abort_argument(x, argument, "TRUE or FALSE")
  as.vector(x)
}

check_part <- function(part, argument = "part") {
  expected <- "\"whole\", or \"first 15\", \"last 60\" and the like"
  if (!is.character(part) || length(part) == 0L || anyNA(part)) {
    abort_argument(part, argument, expected)
  }
  bad <- !grepl("^(whole|(first|last) [1-9][0-9]{0,8})$", part)
  if (any(bad)) abort_argument(part[bad][1L], argument, expected)
  as.vector(part)
}

# One kernel for each set of parameters.
string_kernels <- function(type, alphabet, ...) {
  own <- recycle_parameters(...)
  own$alphabet <- rep_len(check_alphabet(alphabet), length(own[[1L]]))
  parameters <- lapply(seq_along(own[[1L]]), function(k) lapply(own, `[[`, k))
  new_kernel_set(vapply(parameters, string_name, "", type), type, parameters)
}

# spectrum(k=3,presence,first 15)
string_name <- function(own, type) {
  sprintf("%s(%s)", type, paste(string_parameters(own, type), collapse = ","))
}

string_parameters <- function(own, type) {
  main <- switch(type, motif = motif_label(own), gapped = own$pattern,
                 c(paste0("k=", own$k), if (!is.null(own$m)) paste0("m=", own$m)))
  flags <- c("presence", "reverse_complement", "position_specific")
  c(main, flags[vapply(flags, function(flag) isTRUE(own[[flag]]), NA)],
    if (own$part != "whole") own$part)
}

motif_label <- function(own) {
  if (nzchar(own$label)) return(own$label)
  if (length(own$motifs) == 1L) own$motifs else sprintf("%d motifs", length(own$motifs))
}
