# Files that are written whole or not at all. The first line has the version, the checksum and the size of the
# rest, by which damaged files are found.

FILE_LINE <- "^manykernels resume ([0-9.]+) ([0-9a-f]{32}) ([0-9]+)\n"

file_line <- function(body) {
  sprintf("manykernels resume %s %s %.0f\n", own_version(), tools::md5sum(body), file.size(body))
}

own_version <- function() as.character(utils::packageVersion("manykernels"))

# TRUE if the file was written; if not, as on a full disk, an old file stays. create: whether a file that
# another process has created meanwhile stays, too.
write_whole <- function(object, file, create = FALSE) {
  body <- tempfile()
  draft <- tempfile(paste0(basename(file), "-"), dirname(file))
  on.exit(unlink(c(body, draft)))
  whole <- tryCatch({
    saveRDS(object, body)
    line <- file_line(body)
    cat(line, file = draft)
    file.append(draft, body) && file.size(draft) == nchar(line) + file.size(body)
  }, error = function(e) FALSE, warning = function(w) FALSE)
  whole && suppressWarnings(
    (create && file.link(draft, file)) || (!(create && file.exists(file)) && file.rename(draft, file))
  )
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
  if (!length(found)) return(list(fault = "foreign"))
  if (found[2L] != own_version()) return(list(fault = "version", version = found[2L]))
  size <- as.numeric(found[4L])
  content <- readBin(input, "raw", size + 1)
  if (length(content) < size) return(list(fault = "truncated"))
  body <- tempfile()
  on.exit(unlink(body), add = TRUE)
  writeBin(content, body)
  if (file.size(body) != length(content)) return(list(fault = "unread")) # the temporary folder is full
  if (tools::md5sum(body) != found[3L]) return(list(fault = "damaged"))
  list(value = readRDS(body))
}

object_digest <- function(object) {
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(object, file, compress = FALSE, version = 2) # which writes 1:3 and c(1L, 2L, 3L) alike
  unname(tools::md5sum(file))
}
