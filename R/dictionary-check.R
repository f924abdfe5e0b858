# Checks of a dictionary of kernels, by its constructor and again by its methods.

check_dictionary <- function(x, argument = "dictionary") {
  check_form(x, argument)
  as_made(check_dictionary_fields(own_fields(x)), argument, "kernel_dictionary()")
  x
}

check_dictionary_fields <- function(fields) {
  check_dictionary_size(fields)
  check_field(fields, "f", is.null(fields$f) || is.function(fields$f), "be a function")
  if (is.null(fields$f)) check_parts(fields$parts, fields$size)
}

# Checks the fields that length() needs.
check_dictionary_size <- function(fields) {
  check_fields(fields, c("parts", "size"), "f")
  check_size_of(fields$size)
}

check_size_of <- function(size) check_count(size, "size", upper = 1e12)

check_parts <- function(parts, size) {
  if (!is.list(parts) || !length(parts)) refuse_field("parts", "be a list")
  for (part in parts) {
    if (!is.list(part)) refuse_field("parts", "hold lists")
    check_kernel_set(part$kernels, "parts")
    check_not_empty(part$kernels, "parts")
    if (is.null(part$column)) next
    check_open_kernels(part$kernels)
    if (!is.character(part$column) || anyNA(part$column)) check_counts(part$column, "column")
    check_counts(part$length, "length")
    several <- length(part$length) > 1L
    fits <- if (several) sum(part$length) == length(part$column) else
      length(part$column) %% part$length == 0
    if (!fits) refuse_field("parts", "hold as many columns as its sets have")
    labelled <- is.null(part$label) ||
      (is.character(part$label) && length(part$label) == set_count(part))
    if (!labelled) refuse_field("parts", "hold a label for each set")
  }
  if (sum(vapply(parts, part_size, 0)) != size) refuse_field("size", "be that of its parts")
}

check_not_empty <- function(kernels, argument) {
  if (length(kernels) > 0L) return(invisible())
  mk_abort(sprintf("`%s` is an empty kernel set.", argument), "invalid_argument", argument)
}

check_open_kernels <- function(kernels) {
  check_reads_columns(kernels)
  taken <- which(lengths(kernel_field(kernels, "features")) > 0L | kernel_field(kernels, "each"))
  if (length(taken)) {
    mk_abort(sprintf("Kernel `%s` already uses columns of its own: it can't be put on `sets`.",
                     names(kernels)[taken[1L]]),
             "invalid_argument", "kernels", names(kernels)[taken])
  }
  functions <- which(kernel_field(kernels, "type") %in% c("function", "pair"))
  if (length(functions)) {
    abort_unsupported("kernels", sprintf(paste(
      "Kernel `%s` is a function, or of pairs: it can't be put on `sets`. on_features() can do that."
    ), names(kernels)[functions[1L]]))
  }
}

part_size <- function(part) as.double(length(part$kernels)) * set_count(part)

set_count <- function(part) {
  if (is.null(part$column)) return(1)
  if (length(part$length) == 1L) length(part$column) / part$length else length(part$length)
}
