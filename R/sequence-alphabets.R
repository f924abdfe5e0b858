# Alphabets of sequences: the likely alphabet of text, and checks that sequences have the alphabet of a
# kernel.

nucleotide_codes <- "ACGTURYSWKMBDHVN" # of IUPAC, with those for ambiguous bases
gap_signs <- "-.*+?~" # of alignments, and stop codons

# TRUE for A, C, G and one of T and U, with or without codes of ambiguous bases.
is_nucleic <- function(letters) {
  own <- strsplit(letters, "")[[1L]]
  all(c("A", "C", "G") %in% own) && sum(c("T", "U") %in% own) == 1L &&
    all(own %in% strsplit(nucleotide_codes, "")[[1L]])
}

# "nucleic", "protein", or "own" for letters that a user chose.
alphabet_kind <- function(letters) {
  if (is_nucleic(letters)) "nucleic" else if (letters == alphabets$protein) "protein" else "own"
}

# Number of the given letters in each sequence.
count_letters <- function(view, letters) {
  listed <- logical(256L)
  listed[as.integer(charToRaw(letters)) + 1L] <- TRUE
  count <- c(0L, cumsum(listed[as.integer(.subset2(view, "bytes")) + 1L]))
  diff(count[.subset2(view, "start") + 1])
}

# The different letters and signs of all sequences.
used_letters <- function(view) sort(strsplit(rawToChar(unique(.subset2(view, "bytes"))), "")[[1L]])

# Eight bases or more, three of them different, and no other letter: chance makes one in a million such
# proteins.
look_nucleic <- function(view) {
  bases <- count_letters(view, "ACGTU")
  other <- sequence_lengths(view) - bases - count_letters(view, paste0("N", gap_signs))
  different <- (count_letters(view, "A") > 0) + (count_letters(view, "C") > 0) +
    (count_letters(view, "G") > 0) + (count_letters(view, "TU") > 0)
  bases >= 8 & other == 0 & different >= 3
}

# ---- the alphabet of text ------------------------------------------------------------------------

# "dna", "rna" or "protein"; an error where text may be none of these, or several.
guess_alphabet <- function(view, label) {
  letters <- setdiff(used_letters(view), strsplit(gap_signs, "")[[1L]])
  odd <- setdiff(letters, LETTERS)
  if (length(odd)) abort_neither(view, label, enumerate(dQuote(odd, FALSE)))
  total <- sum(count_letters(view, paste(LETTERS, collapse = "")))
  share <- function(letters) sum(count_letters(view, letters)) / max(total, 1)
  if (all(letters %in% strsplit(nucleotide_codes, "")[[1L]])) {
    if (total == 0 || share("ACGTUN") > 0.5) {
      return(if ("U" %in% letters && !"T" %in% letters) "rna" else "dna")
    }
    return("protein")
  }
  nucleic <- which(look_nucleic(view))
  if (length(nucleic)) abort_mixture(view, nucleic, label)
  # about 9 in 100 letters of English, and 1 in 1,000 of proteins
  rare <- share("BJOZ")
  if (rare > 0.05) {
    abort_neither(view, label, sprintf("%.0f %% of its letters among B, J, O and Z", 100 * rare))
  }
  "protein"
}

abort_neither <- function(view, label, found) {
  own <- paste(intersect(used_letters(view), c(LETTERS, 0:9)), collapse = "")
  mk_abort(sprintf(paste(
    "Name the letters of `%s` by `alphabet =` of the kernels: \"dna\", \"rna\", \"protein\" or",
    "the letters themselves, as in `spectrum_kernel(3, alphabet = \"%s\")`. The text seems to be neither",
    "DNA or RNA nor proteins: it has %s."
  ), label, if (nzchar(own)) own else "ABC", found), "sequence_alphabet", label, own)
}

abort_mixture <- function(view, nucleic, label) {
  other <- which(count_letters(view, "EFIJLOPQXZ") > 0)
  most <- if (2 * length(nucleic) > nrow(view)) "dna" else "protein"
  mk_abort(sprintf(paste(
    "Make `%s` two views, or leave out what doesn't belong: sequence %d seems to be DNA or RNA, but",
    "sequence %d has letters that are neither. If all are of one kind, name it by `alphabet =` of the",
    "kernels, as in `spectrum_kernel(3, alphabet = \"%s\")`."
  ), label, nucleic[1L], other[1L], most), "sequence_alphabet", label, nucleic)
}

# ---- sequences and the alphabet of a kernel ------------------------------------------------------

# Letters of each sequence that the alphabet has, and letters of other alphabets. Gaps and the sign for
# any letter are neither.
known_letters <- function(view, letters) {
  kind <- alphabet_kind(letters)
  known <- if (kind == "nucleic") paste0(letters, "TU") else letters
  any <- switch(kind, nucleic = "N", protein = "X", own = "")
  blank <- setdiff(strsplit(paste0(gap_signs, any), "")[[1L]], strsplit(known, "")[[1L]])
  size <- sequence_lengths(view)
  count <- count_letters(view, known)
  data.frame(known = count, other = size - count - count_letters(view, paste(blank, collapse = "")),
             size = size)
}

check_declared <- function(view, letters, kernel, label) {
  declared <- .subset2(view, "alphabet")
  kind <- alphabet_kind(letters)
  if (is.null(declared) || kind == "own" || kind == (if (declared == "protein") declared else "nucleic")) {
    return(invisible())
  }
  words <- c(dna = "DNA", rna = "RNA", protein = "proteins", nucleic = "DNA or RNA")
  mk_abort(sprintf("Kernel `%s` uses %s, but `%s` holds %s.", kernel, words[[kind]], label,
                   words[[declared]]), "sequence_alphabet", label, declared)
}

# Training sequences: letters that a user named may be few, but not next to none.
check_letters <- function(view, letters, kernel, label) {
  check_declared(view, letters, kernel, label)
  found <- known_letters(view, letters)
  least <- if (alphabet_kind(letters) == "own") 0.1 else 0.5
  known <- sum(found$known)
  if (known >= least * (known + sum(found$other))) return(invisible())
  abort_letters(found, kernel, letters, label,
                "Name the letters of `%s` by `alphabet =` of the kernels")
}

# advice: a format of the argument
abort_letters <- function(found, kernel, letters, label, advice) {
  mk_abort(sprintf("%s: kernel `%s` uses %s, and only %d of %s %s among them.", sprintf(advice, label),
                   kernel, letters, sum(found$known), count_of(sum(found$size), "letter"),
                   if (sum(found$known) == 1) "is" else "are"), "sequence_alphabet", label, found)
}

# New sequences, once for each view and alphabet. Samples that lack a view are left out.
check_new_sequences <- function(kernels, new, argument) {
  mine <- which(reads_sequences(kernels))
  if (length(mine) == 0L) return(invisible())
  view <- kernel_field(kernels, "view")
  letters <- vapply(kernel_field(kernels, "parameters")[mine], `[[`, "", "alphabet")
  for (k in which(!duplicated(data.frame(view[mine], letters)))) {
    name <- view[mine[k]]
    if (!name %in% names(new)) next
    label <- if (is_single(new)) argument else paste0(argument, "$", name)
    rows <- which(views_have(new)[[name]] %||% rep(TRUE, view_rows(new)))
    check_new_letters(plain_views(new)[[name]], rows, letters[k], names(kernels)[mine[k]], label)
  }
}

check_new_letters <- function(view, rows, letters, kernel, label) {
  check_declared(view, letters, kernel, label)
  own <- view[rows, ]
  found <- known_letters(own, letters)
  if (sum(found$other) > sum(found$known)) {
    abort_letters(found, kernel, letters, label, "Give `%s` of the same alphabet as in training")
  }
  poor <- rows[found$size > 0 & found$known <= found$other]
  if (length(poor)) warn_letters(poor, "hardly a letter of", letters, kernel, label)
  if (alphabet_kind(letters) == "protein" && is.null(.subset2(view, "alphabet"))) {
    nucleic <- rows[look_nucleic(own)]
    if (length(nucleic)) warn_letters(nucleic, "only letters of DNA or RNA out of", letters, kernel, label)
  }
}

warn_letters <- function(rows, has, letters, kernel, label) {
  one <- length(rows) == 1L
  mk_warn(sprintf("Check %s %s of `%s`: %s %s %s, which kernel `%s` uses.", if (one) "row" else "rows",
                  enumerate(rows, 5L), label, if (one) "it has" else "they have", has, letters, kernel),
          "sequence_alphabet", label, rows)
}

# The letters of an alphabet; "auto" is that of the class, else the likely one of the text.
alphabet_letters <- function(alphabet, view, label = "x") {
  if (alphabet == "auto") alphabet <- .subset2(view, "alphabet") %||% guess_alphabet(view, label)
  if (alphabet %in% names(alphabets)) alphabets[[alphabet]] else alphabet
}

# Sequences for the core: letters' numbers from 0 on, 255 for unknown ones. T of DNA and U of RNA are one
# letter.
core_sequences <- function(view, letters) {
  code <- rep(as.raw(255L), 256L)
  nucleic <- is_nucleic(letters)
  letters <- as.integer(charToRaw(letters))
  code[letters + 1L] <- as.raw(seq_along(letters) - 1L)
  thymine <- as.integer(charToRaw("TU")) + 1L
  if (nucleic) code[thymine] <- code[intersect(thymine, letters + 1L)]
  list(code = code[as.integer(.subset2(view, "bytes")) + 1L], start = .subset2(view, "start"),
       letters = length(letters))
}
