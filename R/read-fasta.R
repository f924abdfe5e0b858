#' Read sequences from a FASTA file
#'
#' Reads the sequences of a FASTA file, plain or compressed, as a character vector that all functions of the
#' package take. It needs no other package; results of `Biostrings::readDNAStringSet()` and similar functions
#' work as well.
#'
#' @param file One string: the name of the file, which may be compressed by gzip, bzip2 or xz.
#' @return A character vector with an element for each sequence, in the order of the file, named by the
#'   first word of its header; without names if a header has none. Letters are as in the file, without
#'   white space. Errors: class `manykernels_invalid_argument` if `file` isn't a file name,
#'   `manykernels_file` if the file can't be read or isn't FASTA.
#' @seealso [spectrum_kernel()], [weighted_degree_kernel()]
#' @export
#' @examples
#' file <- tempfile(fileext = ".fasta")
#' writeLines(c(">a first", "ACGT", "ACGA", ">b", "TTGA"), file)
#' read_fasta(file)
read_fasta <- function(file) {
  check_given(c(file = missing(file)))
  file <- check_string(file, "file")
  lines <- tryCatch(readLines(file, warn = FALSE), error = identity, warning = identity)
  if (inherits(lines, "condition")) {
    mk_abort(sprintf("`file` can't be read: %s.", conditionMessage(lines)), "file", "file", file,
             parent = lines)
  }
  lines <- trimws(lines)
  lines <- lines[nzchar(lines) & !startsWith(lines, ";")]
  header <- startsWith(lines, ">")
  if (!length(lines) || !header[1L]) {
    mk_abort(sprintf("`file` is not FASTA: it begins with %s, not with a header such as \">name\".",
                     if (length(lines)) dQuote(strtrim(lines[1L], 20L), FALSE) else "nothing"),
             "file", "file", file)
  }
  of <- factor(cumsum(header)[!header], seq_len(sum(header)))
  text <- vapply(split(gsub("[[:space:]]", "", lines[!header]), of), paste, "", collapse = "")
  name <- sub("^>[[:space:]]*", "", lines[header])
  name <- sub("[[:space:]].*", "", name)
  stats::setNames(unname(text), if (all(nzchar(name))) name)
}
