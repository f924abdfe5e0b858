# How objects are printed: text and tables in at most 15 lines together, with a count of what is left out.

PRINTED_LINES <- 15L

# Prints pieces: strings that end in a newline, and lists of short_table() or short_lines(). n: how many rows
# of each table; NULL for as many as there is room for. Empty lines make room first, then rows of the longest
# table.
print_short <- function(..., n = NULL) {
  pieces <- Filter(length, list(...))
  pieces <- lapply(pieces, function(piece) {
    if (is.list(piece)) piece else list(head = text_lines(piece), rows = character(), total = 0L)
  })
  rows <- lengths(lapply(pieces, `[[`, "rows"))
  shown <- pmin(rows, n %||% Inf)
  total <- vapply(pieces, function(piece) as.double(piece$total), 0)
  size <- function() {
    sum(lengths(lapply(pieces, `[[`, "head")), shown, lengths(Map(left_out_lines, pieces, total - shown)))
  }
  if (is.null(n) && size() > PRINTED_LINES) {
    pieces <- lapply(pieces, function(piece) replace(piece, "head", list(piece$head[nzchar(piece$head)])))
    while (size() > PRINTED_LINES && any(shown > 1)) {
      longest <- which.max(shown)
      shown[longest] <- shown[longest] - 1
    }
  }
  writeLines(unlist(Map(piece_lines, pieces, shown)))
}

# Lines of a string; long ones are wrapped and keep their indentation.
text_lines <- function(text) {
  if (is.null(text)) return(NULL)
  lines <- unlist(strsplit(text, "\n", fixed = TRUE))
  long <- nchar(lines, "width") > getOption("width")
  indent <- nchar(lines) - nchar(trimws(lines, "left"))
  unlist(Map(function(line, long, indent) {
    if (long) strwrap(line, getOption("width"), indent, indent + 2) else line
  }, lines, long, indent), use.names = FALSE)
}

piece_lines <- function(piece, shown) {
  c(piece$head, utils::head(piece$rows, shown), left_out_lines(piece, piece$total - shown))
}

# Says how many rows and columns are left out, in one line where it has room. Columns are named where a line has
# room for two names.
left_out_lines <- function(piece, rows) {
  columns <- piece$columns
  if (rows <= 0 && !length(columns)) return(NULL)
  line <- function(columns, and = " and ", see = "see ") {
    left_out <- c(if (rows > 0) count_of(rows, paste("more", piece$unit)), columns)
    sprintf("... and %s: %s%s", paste(left_out, collapse = and), see, piece$all)
  }
  counted <- if (length(columns)) count_of(length(columns), "more column")
  lines <- c(if (length(columns) <= 2L) line(if (length(columns)) paste("column", columns, collapse = " and ")),
             line(counted), line(counted, ", ", ""))
  fits <- nchar(lines, "width") <= getOption("width")
  if (any(fits)) lines[fits][1L] else text_lines(line(counted))
}

# Lines of which some may be left out. unit: what a line is; all: the call that shows all of them.
short_lines <- function(rows, unit, all = "print(x, n = Inf)", head = NULL, total = length(rows)) {
  if (length(rows)) list(head = text_lines(head), rows = unname(rows), unit = unit, all = all, total = total)
}

# A data frame or a matrix of strings as such lines; columns that a line has no room for are named or counted
# below. With n = Inf all rows and columns are there. total: rows of the whole table, if not all are given.
short_table <- function(table, unit, all = "print(x, n = Inf)", n = NULL, total = nrow(table), ...) {
  if (!nrow(table)) return(NULL)
  whole <- identical(n, Inf)
  shown <- utils::head(table, if (whole) nrow(table) else n %||% PRINTED_LINES)
  last <- if (whole) ncol(table) else
    fitting_columns(shown, rows = !is.data.frame(shown) || isTRUE(list(...)$row.names))
  lines <- table_lines(shown[, seq_len(last), drop = FALSE], if (whole) getOption("width") else 1e4L, ...)
  if (length(lines) != nrow(shown) + 1L) return(list(head = lines, rows = character(), total = 0L)) # wrapped
  piece <- short_lines(lines[-1L], unit, all, lines[1L], total)
  piece$columns <- colnames(table)[-seq_len(last)]
  piece
}

table_lines <- function(table, width, right = FALSE, ...) {
  old <- options(width = as.integer(width), max.print = .Machine$integer.max)
  on.exit(options(old))
  utils::capture.output(if (is.data.frame(table)) print(table, right = right, ...) else
    print(table, quote = FALSE, right = TRUE))
}

# How many of the first columns a line has room for.
fitting_columns <- function(table, rows) {
  cells <- vapply(seq_len(ncol(table)), function(k) {
    max(nchar(format(table[, k]), "width"), nchar(colnames(table)[k], "width"))
  }, 0)
  first <- if (rows) max(nchar(rownames(table), "width"), 0L) else 0L
  max(1L, sum(first + cumsum(cells + 1L) <= getOption("width")))
}

# NULL: as many rows as there is room for.
check_shown <- function(n, argument = "n") {
  if (is.null(n) || identical(n, Inf)) n else check_count(n, argument)
}

# Each string in lines of its own.
wrapped_lines <- function(text, prefix = "") {
  strwrap(text, max(getOption("width") - 2, 40), initial = prefix, prefix = strrep(" ", nchar(prefix)))
}
wrapped <- function(text) paste0(wrapped_lines(text), "\n", collapse = "")
