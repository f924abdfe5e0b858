# Sequences as a view. Letters are kept as upper-case bytes, one sequence after another; each kernel's
# alphabet determines which of them count. A view has one column, which stands for the sequence.

# missing: TRUE for sequences that are NA (empty here), which only new rows may be. alphabet: the name of the
# alphabet if the class of the sequences has one, or NULL.
new_sequences <- function(bytes, start, names = NULL, missing = logical(length(start) - 1L),
                          alphabet = NULL) {
  structure(list(bytes = bytes, start = start, names = names, missing = missing, alphabet = alphabet),
            class = "mk_sequences")
}

is_sequences <- function(view) inherits(view, "mk_sequences")

is_text <- function(x) is.character(x) || is_sequences(x) || inherits(x, "XStringSet")

# A character vector, or a set of sequences of package Biostrings.
clean_sequences <- function(x, label, missing = FALSE) {
  alphabet <- set_alphabet(x)
  if (inherits(x, "XStringSet")) x <- string_set_text(x, label)
  if (length(dim(x)) > 1L) {
    abort_argument(x, label, "numbers, or a character vector with a sequence for each row")
  }
  gaps <- unname(is.na(x))
  if (any(gaps) && !missing) abort_missing_sequences(which(gaps), label)
  x[gaps] <- ""
  x <- stats::setNames(toupper(enc2utf8(as.vector(x))), names(x))
  foreign <- which(Encoding(x) == "UTF-8")
  if (length(foreign)) {
    mk_abort(sprintf("`%s` must hold letters of ASCII; sequence %d has others.", label,
                     foreign[1L]), "invalid_argument", label, x[[foreign[1L]]])
  }
  new_sequences(charToRaw(paste(x, collapse = "")), c(0, cumsum(as.double(nchar(x)))),
                names(x), gaps, alphabet)
}

# The alphabet of a set of sequences by its class, whatever ambiguous letters it has.
set_alphabet <- function(x) {
  known <- c(dna = "DNAStringSet", rna = "RNAStringSet", protein = "AAStringSet")
  found <- vapply(known, inherits, NA, x = x)
  if (any(found)) names(known)[found]
}

string_set_text <- function(x, label) {
  if (!requireNamespace("Biostrings", quietly = TRUE)) {
    mk_abort(sprintf("`%s` needs the package Biostrings, which is not installed.", label),
             "unsupported", label)
  }
  as.character(x)
}

abort_missing_sequences <- function(rows, label) {
  mk_abort(sprintf("`%s` must hold sequences, but %s NA: %s %s.", label,
                   count_of(length(rows), "is", "are"), if (length(rows) == 1L) "row" else "rows",
                   enumerate(rows)), "missing_values", label, rows)
}

# ---- as tables have rows -------------------------------------------------------------------------

#' @export
dim.mk_sequences <- function(x) c(length(.subset2(x, "start")) - 1L, 1L)

#' @export
dimnames.mk_sequences <- function(x) {
  names <- .subset2(x, "names")
  if (!is.null(names)) list(names, NULL)
}

#' @export
`dimnames<-.mk_sequences` <- function(x, value) {
  attributes <- unclass(x)
  attributes["names"] <- list(value[[1L]])
  structure(attributes, class = class(x))
}

#' @export
`[.mk_sequences` <- function(x, i, j, drop = FALSE) {
  if (missing(i)) return(x)
  start <- .subset2(x, "start")
  names <- .subset2(x, "names")
  i <- seq_len(nrow(x))[if (is.character(i)) match(i, names) else i]
  size <- diff(start)[i]
  index <- sequence(size, from = start[i] + 1)
  new_sequences(.subset2(x, "bytes")[index], c(0, cumsum(size)), names[i],
                .subset2(x, "missing")[i], .subset2(x, "alphabet"))
}

# Sequences of a, then those of b.
bind_sequences <- function(a, b) {
  new_sequences(c(.subset2(a, "bytes"), .subset2(b, "bytes")),
                c(.subset2(a, "start"), sum(diff(.subset2(a, "start"))) + .subset2(b, "start")[-1L]),
                missing = c(.subset2(a, "missing"), .subset2(b, "missing")),
                alphabet = .subset2(a, "alphabet"))
}

sequence_lengths <- function(view) diff(.subset2(view, "start"))

# ---- letters -------------------------------------------------------------------------------------

alphabets <- list(dna = "ACGT", rna = "ACGU", protein = "ACDEFGHIKLMNPQRSTUVWY")

# Words such as "AA" name a kind of sequences elsewhere; here their letters would be the alphabet.
refuse_alphabet_word <- function(alphabet) {
  words <- "^(aa(string(set)?)?|amino.*|peptides?|prot.*|nucle.*|nts?|[dr]na.+)$"
  if (length(alphabet) != 1L || !grepl(words, alphabet, ignore.case = TRUE)) return(invisible())
  mk_abort(sprintf(paste("Give \"protein\" as `alphabet` for amino acids, \"dna\" or \"rna\" for nucleotides:",
                         "\"%s\" would be the letters of this word."), alphabet), "invalid_argument",
           "alphabet", alphabet)
}

# One string for the name of an alphabet, in small letters, or its letters.
check_alphabet <- function(alphabet) {
  expected <- "\"auto\", \"dna\", \"rna\", \"protein\" or the letters themselves"
  if (!is.character(alphabet) || anyNA(alphabet) || length(alphabet) == 0L) {
    abort_argument(alphabet, "alphabet", expected)
  }
  named <- length(alphabet) == 1L && tolower(alphabet) %in% c("auto", names(alphabets))
  if (named) return(tolower(alphabet))
  if (any(grepl("\\s", alphabet)) && !all(grepl("^\\s*$", alphabet))) {
    mk_abort(paste("`alphabet` has a blank: leave it out, as by `gsub(\"\\\\s\", \"\", alphabet)`. Words never",
                   "contain characters outside the alphabet, such as blanks."),
             "invalid_argument", "alphabet", alphabet)
  }
  refuse_alphabet_word(alphabet)
  letters <- unique(strsplit(toupper(paste(alphabet, collapse = "")), "")[[1L]])
  if (!length(letters) || length(letters) > 64L || !all(grepl("^[!-~]$", letters, perl = TRUE))) {
    abort_argument(alphabet, "alphabet", expected)
  }
  paste(letters, collapse = "")
}
