# Counts of words: on data, a string kernel becomes a linear kernel on these (kernel-made-columns.R).

# Sequences by words that occur: a dgCMatrix, with at least one column. kernel: with its alphabet.
word_matrix <- function(kernel, view, names = FALSE) {
  source <- word_source(kernel, view)
  counts <- count_words(source)
  out <- sparse_counts(counts, nrow(view))
  if (names) dimnames(out) <- list(rownames(view), if (length(counts$code)) word_labels(source, counts))
  out
}

# The input of the core for a kernel's sequences. positions: the number of positions at which words count as
# different, by default that of the longest sequence.
word_source <- function(kernel, view, positions = word_positions(kernel, view)) {
  own <- kernel$parameters
  view <- part_of(view, own$part)
  masks <- word_masks(kernel$type, own)
  check_word_number(kernel, masks, positions)
  list(name = kernel$name, own = own, sequences = core_sequences(view, own$alphabet), masks = masks,
       options = word_options(kernel$type, own, positions))
}

# The number of positions of words; 0 if the kernel does not depend on them.
word_positions <- function(kernel, view) {
  if (!isTRUE(kernel$parameters$position_specific)) return(0)
  max(sequence_lengths(part_of(view, kernel$parameters$part)), 1)
}

# Parts p, i and x of a sparse matrix by columns, and the code of each column's word.
count_words <- function(source) {
  check_count_number(source)
  from_core(.Call(C_mk_words, source$sequences, source$masks, source$options))
}

# The core has no use for a view without columns.
sparse_counts <- function(counts, rows) {
  if (length(counts$code) == 0L) counts$p <- c(0L, 0L)
  new_sparse(counts, c(rows, length(counts$p) - 1L))
}

word_labels <- function(source, counts) {
  if (!is.null(source$own$motifs)) return(source$own$motifs[counts$code + 1])
  letters <- from_core(.Call(C_mk_word_letters, source$sequences, source$masks, source$options,
                             counts$code))
  word_names(letters, source$masks, source$own)
}

# The places of the letters of words, from 0, or motifs. Words of different masks are different.
word_masks <- function(type, own) {
  letters <- seq_len(own$k %||% 0L) - 1L
  switch(type,
    spectrum = , mismatch = list(letters),
    gapped = list(which(strsplit(own$pattern, "")[[1L]] == "1") - 1L),
    gappy_pair = lapply(0:own$m, function(gap) as.integer(c(letters, own$k + gap + letters))),
    motif = motif_letters(own$motifs, own$alphabet)
  )
}

word_options <- function(type, own, positions) {
  complement <- if (isTRUE(own$reverse_complement)) complement_of(own$alphabet)
  list(mismatches = if (type == "mismatch") own$m else 0L, positions = positions,
       presence = own$presence, complement = complement)
}

# Position of each letter's complement, from 0.
complement_of <- function(letters) {
  own <- strsplit(letters, "")[[1L]]
  pairs <- if ("U" %in% own) c(A = "U", C = "G", G = "C", U = "A") else
    c(A = "T", C = "G", G = "C", T = "A")
  if (!setequal(own, names(pairs))) {
    mk_abort(sprintf("`reverse_complement` is for DNA and RNA, not for the letters %s.", letters),
             "invalid_argument", "reverse_complement", TRUE)
  }
  match(pairs[own], own) - 1L
}

# Largest possible number of different words.
possible_words <- function(own, masks, positions) {
  if (!is.null(own$motifs)) return(length(masks))
  length(masks) * max(positions, 1) * nchar(own$alphabet)^max(lengths(masks))
}

check_word_number <- function(kernel, masks, positions) {
  own <- kernel$parameters
  if (possible_words(own, masks, positions) <= 2^53) return(invisible())
  mk_abort(sprintf("Kernel `%s` has too many possible words: %d letters of an alphabet of %d%s.",
                   kernel$name, max(lengths(masks)), nchar(own$alphabet),
                   if (positions > 1) sprintf(" at %d positions", as.integer(positions)) else ""),
           "too_large", "kernels", kernel$name)
}

# Refuses too many counts: each k-mer counts for all that differ from it in a few letters.
check_count_number <- function(source) {
  own <- source$own
  wrong <- seq(0, source$options$mismatches)
  each <- sum(choose(length(source$masks[[1L]]), wrong) * (nchar(own$alphabet) - 1)^wrong)
  counts <- sum(pmin(diff(source$sequences$start) * length(source$masks) * each,
                     possible_words(own, source$masks, source$options$positions)))
  if (counts <= .Machine$integer.max) return(invisible())
  mk_abort(sprintf(paste("Kernel `%s` may have to count %s words in these sequences, more than 2^31:",
                         "take shorter words%s."), source$name, format(counts, digits = 2),
                   if (length(wrong) > 1L) " or fewer mismatches" else ""),
           "too_large", "kernels", source$name)
}

# "ACG", "A..T" with skipped letters, "12:ACG" for a word at position 12.
word_names <- function(words, masks, own) {
  letters <- strsplit(own$alphabet, "")[[1L]]
  templates <- lapply(masks, function(mask) rep(".", max(mask) + 1L))
  text <- vapply(words, function(word) {
    out <- templates[[word[1L]]]
    out[masks[[word[1L]]] + 1L] <- letters[word[-(1:2)]]
    paste(out, collapse = "")
  }, "")
  if (!isTRUE(own$position_specific)) return(text)
  paste0(vapply(words, `[`, 0L, 2L), ":", text)
}

# For each motif which letters (rows) fit at each place.
motif_letters <- function(motifs, alphabet) {
  letters <- strsplit(alphabet, "")[[1L]]
  if (is_nucleic(alphabet)) motifs <- chartr("TU", if ("U" %in% letters) "UU" else "TT", motifs)
  lapply(motifs, function(motif) {
    places <- regmatches(motif, gregexpr("\\[[^]]*\\]|.", motif))[[1L]]
    vapply(places, function(place) {
      if (place == ".") return(rep(TRUE, length(letters)))
      named <- strsplit(gsub("^\\[\\^?|\\]$", "", place), "")[[1L]]
      if (startsWith(place, "[^")) !letters %in% named else letters %in% named
    }, logical(length(letters)))
  })
}

# The first or last letters of each sequence.
part_of <- function(view, part) {
  if (part == "whole") return(view)
  words <- strsplit(part, " ")[[1L]]
  start <- .subset2(view, "start")
  size <- pmin(diff(start), as.double(words[2L]))
  from <- if (words[1L] == "first") start[-length(start)] else start[-1L] - size
  new_sequences(.subset2(view, "bytes")[sequence(size, from + 1)], c(0, cumsum(size)),
                .subset2(view, "names"))
}
