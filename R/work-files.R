# Files that are written whole or not at all. The first line has the version, the checksum and the size of the
# rest, by which damaged files are found.

FILE_MARK <- "manykernels resume "
FILE_LINE <- "^manykernels resume ([0-9.]+) ([0-9a-f]{32}) ([0-9]+)\n"

file_line <- function(body) {
  sprintf("%s%s %s %.0f\n", FILE_MARK, own_version(), tools::md5sum(body), file.size(body))
}

own_version <- function() as.character(utils::packageVersion("manykernels"))

# TRUE if the file was written; if not, as on a full disk, an old file stays. create: whether a file that
# another process has created meanwhile stays, too. parts: objects that come after it, for stored_parts(), as
# part_of() gives them one after the other.
write_whole <- function(object, file, create = FALSE, parts = NULL, part_of = identity) {
  body <- tempfile()
  draft <- tempfile(paste0(basename(file), "-"), dirname(file))
  on.exit(unlink(c(body, draft)))
  # Files stay open where a warning is made a condition, so sizes tell whether all was written.
  whole <- tryCatch(suppressWarnings({
    save_in_turn(object, parts, part_of, body)
    line <- file_line(body)
    cat(line, file = draft)
    is_readable(body, 1L + length(parts)) && file.append(draft, body) &&
      file.size(draft) == nchar(line) + file.size(body)
  }), error = function(e) FALSE)
  whole && suppressWarnings(
    (create && file.link(draft, file)) || (!(create && file.exists(file)) && file.rename(draft, file))
  )
}

# TRUE if the file now is a copy of `from`; if not, as on a full disk, an old file stays.
replace_file <- function(file, from) {
  draft <- tempfile(paste0(basename(file), "-"), dirname(file))
  on.exit(unlink(draft))
  whole <- tryCatch(suppressWarnings(file.copy(from, draft)), error = function(e) FALSE)
  whole && file.size(draft) == file.size(from) && suppressWarnings(file.rename(draft, file))
}

# A full disk cuts the end of a compressed file without a word.
is_readable <- function(file, objects) {
  input <- gzfile(file, "rb")
  on.exit(close(input))
  for (k in seq_len(objects)) readRDS(input)
  TRUE
}

save_in_turn <- function(object, parts, part_of, file) {
  output <- gzfile(file, "wb")
  on.exit(close(output))
  saveRDS(object, output)
  for (part in parts) saveRDS(part_of(part), output)
}

# The parts of a file that read_whole() has found to be whole: a list of take(part, number).
stored_parts <- function(file, count, take) {
  input <- base::file(file, "rb")
  readLines(input, 1L, skipNul = TRUE)
  input <- gzcon(input)
  on.exit(close(input))
  readRDS(input)
  lapply(seq_len(count), function(k) take(readRDS(input), k))
}

# list(value), or list(fault, version): "foreign", "version", "truncated", "damaged" or "unread".
read_whole <- function(file) {
  tryCatch(suppressWarnings(read_checked(file)), error = function(e) list(fault = "foreign"))
}

read_checked <- function(file) {
  input <- base::file(file, "rb")
  on.exit(close(input))
  line <- readLines(input, 1L, skipNul = TRUE)
  found <- regmatches(line, regexec(sub("\n", "", FILE_LINE), line, useBytes = TRUE))[[1L]]
  if (!length(found)) return(list(fault = if (startsWith(line, FILE_MARK)) "truncated" else "foreign"))
  if (found[2L] != own_version()) return(list(fault = "version", version = found[2L]))
  body <- tempfile()
  on.exit(unlink(body), add = TRUE)
  size <- copy_rest(input, body)
  if (size < as.numeric(found[4L])) return(list(fault = "truncated"))
  if (file.size(body) != size) return(list(fault = "unread")) # the temporary folder is full
  if (tools::md5sum(body) != found[3L]) return(list(fault = "damaged"))
  list(value = readRDS(body))
}

# The number of bytes.
copy_rest <- function(input, file) {
  output <- base::file(file, "wb")
  on.exit(close(output))
  size <- 0
  while (length(block <- readBin(input, "raw", COPIED_BYTES))) {
    writeBin(block, output)
    size <- size + length(block)
  }
  size
}

COPIED_BYTES <- 1e6

object_digest <- function(object) {
  file <- tempfile()
  on.exit(unlink(file))
  # version 2 writes 1:3 and c(1L, 2L, 3L) alike
  tryCatch(saveRDS(object, file, compress = FALSE, version = 2), error = abort_full_folder, warning = abort_full_folder)
  unname(tools::md5sum(file))
}

abort_full_folder <- function(condition) {
  mk_abort(sprintf("The temporary folder, %s, can't be written to: make room on its disk.", tempdir()),
           "temporary_folder", parent = condition)
}
