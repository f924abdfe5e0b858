# Kernel files as they are read: their header, their checksum and their values.

# Faults of files, by the core's codes.
file_faults <- c(
  "does not exist or can't be read",
  "is not a kernel file, as write_kernel() makes it",
  "was written on a computer of another byte order: write it again on this one",
  "was written by a later version of manykernels",
  "is truncated, or has extra bytes at its end: write it again",
  "is damaged: its header is not what was written"
)

file_changed <- "has changed since it was written: its values don't fit its checksum"

abort_file <- function(path, fault, argument) {
  mk_abort(sprintf("The kernel file `%s` %s.", path, fault), "kernel_file", argument, path)
}

# The mapped file and the content of its header.
open_kernel_file <- function(path, argument = "file") {
  opened <- from_core(.Call(C_mk_file_open, enc2native(path)))
  if (opened$fault > 0L) abort_file(path, file_faults[opened$fault], argument)
  opened
}

verify_file <- function(opened, path, argument = "file") {
  same <- from_core(.Call(C_mk_file_verify, opened$pointer, thread_count()))
  if (!same) abort_file(path, file_changed, argument)
}

file_stamp <- function(path) {
  info <- file.info(path, extra_cols = FALSE)
  c(bytes = info$size, modified = as.numeric(info$mtime))
}

clock_step <- 2 # seconds: the coarsest resolution of times in file systems

# A file with the same size and time as when its values were verified is not verified again, unless it was so
# new then that a later change may have the same time.
is_verified <- function(file) {
  identical(file_stamp(file$path), file$stamp) &&
    file$verified - file$stamp[["modified"]] > clock_step
}

# The mapped file of a precomputed kernel.
kernel_file_pointer <- function(file) {
  opened <- open_kernel_file(file$path, "kernels")
  if (!identical(opened$checksum, file$checksum) || opened$rows != file$size) {
    abort_file(file$path, "holds another matrix than when the kernel was made", "kernels")
  }
  if (!is_verified(file)) verify_file(opened, file$path, "kernels")
  opened$pointer
}

file_values <- function(file, rows, columns) {
  from_core(.Call(C_mk_file_values, kernel_file_pointer(file), rows, columns))
}

file_diagonal <- function(file, rows) {
  pointer <- kernel_file_pointer(file)
  vapply(rows, function(i) from_core(.Call(C_mk_file_values, pointer, i, i))[1L], 0)
}

# A whole file as a matrix in memory.
read_kernel_file <- function(path, argument) {
  opened <- open_kernel_file(path, argument)
  verify_file(opened, path, argument)
  values <- from_core(.Call(C_mk_file_values, opened$pointer, seq_len(opened$rows),
                            seq_len(opened$cols)))
  if (!is.null(opened$row_names) || !is.null(opened$col_names)) {
    dimnames(values) <- list(opened$row_names, opened$col_names)
  }
  values
}

check_paths <- function(file, argument = "file") {
  fine <- is.character(file) && length(file) > 0L && !anyNA(file) && all(nzchar(file))
  if (!fine) abort_argument(file, argument, "one path, or several")
  if (anyDuplicated(file)) {
    mk_abort(sprintf("`%s` must hold different paths, but `%s` appears twice.", argument,
                     file[anyDuplicated(file)]), "invalid_argument", argument, file)
  }
  stats::setNames(path.expand(as.vector(file)), names(file))
}

absolute_path <- function(file) {
  stats::setNames(normalizePath(file, winslash = "/", mustWork = FALSE), names(file))
}

# Text of a kernel's file when its parameters are shown.
file_text <- function(file) {
  if (is.null(file)) return("")
  sprintf(", %s precision, in %s", if (file$single) "single" else "double", basename(file$path))
}
