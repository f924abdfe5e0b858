# Files that a call goes on from: their names, and whether they are of this call.

store_file <- function(file, argument) {
  file <- check_string(file, argument)
  file <- file.path(normalizePath(dirname(file), mustWork = FALSE), basename(file))
  if (dir.exists(dirname(file)) && !dir.exists(file)) return(file)
  mk_abort(if (dir.exists(file)) sprintf("`%s`, %s, must be a file, not a folder.", argument, file) else
    sprintf("Make the folder of `%s`, as by `dir.create(\"%s\", recursive = TRUE)`: it does not exist.",
            argument, dirname(file)), "invalid_argument", argument, file)
}

abort_unwritable <- function(file, argument, class = argument) {
  mk_abort(sprintf(paste("`%s`, %s, can't be written. Make room on its disk, or give the name of a file",
                         "in a folder that you may write to."), argument, file), class, argument, file)
}

# maker: the function that writes such files; again: what to do where one isn't whole.
known_store <- function(file, fingerprint, argument = "resume", maker = "cv_mkl()",
                        again = paste("Delete it and call again: with the same set.seed() before, the finished",
                                      "parts in the files beside it still count.")) {
  found <- read_whole(file)
  known <- found$value
  parts <- names(known$fingerprint$call)
  if (is.null(found$fault) && !identical(parts, names(fingerprint$call))) found$fault <- "foreign"
  differing <- if (is.null(found$fault)) differing_parts(known$fingerprint, fingerprint)
  if (is.null(found$fault) && !length(differing)) return(known)
  text <- switch(found$fault %||% "call",
    foreign = sprintf("was not written by %s. Give another name.", maker),
    version = sprintf(paste("was written by manykernels %s, and this is %s. Go on with that version,",
                            "or give another name."), found$version, own_version()),
    truncated = , damaged = sprintf("is %s. %s", found$fault, again),
    unread = sprintf("can't be checked: make room in the temporary folder, %s.", tempdir()),
    call = sprintf("is the file of another call: other %s. Give another name, or delete it.",
                   listed(differing))
  )
  mk_abort(sprintf("`%s`, %s, %s", argument, file, text), argument, argument, file)
}

# What is kept of a cross-validation that is done has all parts or rounds.
is_complete <- function(known) !is.null(known$parts) || isTRUE(known$complete)

# Files beside a store: units, those of rounds, and drafts of processes that were killed or still write.
unit_files <- function(store) {
  beside <- list.files(dirname(store), full.names = TRUE)
  own <- startsWith(basename(beside), basename(store))
  rest <- substring(basename(beside), nchar(basename(store)) + 1L)
  beside[own & grepl("^(|([.]unit[0-9a-f]+){1,2})(-[0-9a-f]+)?$", rest) & nzchar(rest)]
}

is_old_draft <- function(files) {
  grepl("-[0-9a-f]+$", files) & difftime(Sys.time(), file.mtime(files), units = "mins") > DRAFT_MINUTES
}

DRAFT_MINUTES <- 10 # a draft is renamed within seconds, or its process was killed
