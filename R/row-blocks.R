# Tables on disk as views: read in blocks of rows into one matrix in a temporary file, which is mapped into
# memory. The system loads the parts of it that are in use, and drops them when memory is short.

BLOCK_VALUES <- 2^20 # numbers of a block: 8 MB

# The sources of tables: classes, the packages that read them, and open(x), which gives a list: n, columns
# (their names), each(columns, use), which calls use(block) for all blocks of rows in their order, and head(),
# a data frame of the first rows; of matrices also width and rows (names), and columns may be NULL. rounded(x):
# numbers as they are stored, where this isn't double precision.
table_kinds <- list(
  list(class = c("Dataset", "ArrowTabular", "arrow_dplyr_query"), needs = c("arrow", "dplyr"),
       open = function(x) open_arrow(x)),
  list(class = "tbl_sql", needs = c("DBI", "dbplyr", "dplyr"), open = function(x) open_database(x)),
  list(class = "DelayedMatrix", needs = "DelayedArray", open = function(x) open_delayed(x)),
  list(class = "float32", needs = "float", open = function(x) {
    c(open_matrix(x, float::dbl), list(rounded = function(x) float::dbl(float::fl(x))))
  })
)

table_kind <- function(x) if (is.object(x)) Find(function(kind) inherits(x, kind$class), table_kinds)

is_table_on_disk <- function(x) !is.null(table_kind(x))

# Whether some views of a list are tables on disk.
holds_tables <- function(x) is.list(x) && !is.object(x) && any(vapply(x, is_table_on_disk, NA))

# The columns of all tables in a list of views, as those of one table.
joined_tables <- function(views, argument) {
  tables <- Filter(is_table, open_tables(views, paste0(argument, "$", names(views))))
  owner <- function(name) Find(function(table) all(name %in% table$columns), tables)
  structure(list(columns = unique(unlist(lapply(tables, `[[`, "columns"))), rows = tables[[1L]]$rows,
                 each = function(columns, use) owner(columns)$each(columns, use)), class = "mk_table")
}

# A table as it will be read: columns that are not in the view are variables of the samples.
open_table <- function(x, label) {
  kind <- table_kind(x)
  absent <- Filter(function(package) !requireNamespace(package, quietly = TRUE), kind$needs)
  if (length(absent)) {
    abort_unsupported(label, sprintf("Install %s, which `%s`, %s, needs: %s.",
                                     if (length(absent) == 1L) "the package" else "the packages", label,
                                     describe(x), paste(absent, collapse = ", ")))
  }
  structure(kind$open(x), class = "mk_table")
}

is_table <- function(x) inherits(x, "mk_table")

open_tables <- function(x, labels) {
  for (k in which(vapply(x, is_table_on_disk, NA))) x[[k]] <- open_table(x[[k]], labels[k])
  x
}

open_arrow <- function(x) {
  x <- dplyr::ungroup(x)
  each <- function(columns, use) {
    chosen <- dplyr::select(x, dplyr::all_of(columns))
    rows <- max(1L, BLOCK_VALUES %/% length(columns))
    reader <- arrow::Scanner$create(chosen, batch_size = rows)$ToRecordBatchReader() # keeps the order of rows
    while (!is.null(batch <- reader$read_next_batch())) if (batch$num_rows > 0L) use(as.data.frame(batch))
  }
  list(n = as.numeric(arrow::Scanner$create(x)$CountRows()), columns = names(x), each = each,
       head = function() some_rows(x))
}

open_database <- function(x) {
  n <- dplyr::collect(dplyr::count(dplyr::ungroup(x), name = "rows"))[["rows"]]
  list(n = as.numeric(n), columns = colnames(x), head = function() some_rows(x), each = function(columns, use) {
    chosen <- dplyr::select(x, dplyr::all_of(columns))
    answer <- DBI::dbSendQuery(dbplyr::remote_con(x), dbplyr::sql_render(chosen))
    on.exit(DBI::dbClearResult(answer))
    repeat {
      block <- DBI::dbFetch(answer, n = max(1L, BLOCK_VALUES %/% length(columns)))
      if (!nrow(block)) break
      use(block)
    }
  })
}

some_rows <- function(x) as.data.frame(dplyr::collect(utils::head(x, 1000L)))

open_delayed <- function(x) {
  chunk <- DelayedArray::chunkdim(x)[1L]
  open_matrix(x, as.matrix, if (length(chunk)) chunk else 1L)
}

# Blocks of a matrix, whole chunks of the file at a time.
open_matrix <- function(x, as_numbers, chunk = 1L) {
  n <- nrow(x)
  names <- colnames(x) %||% paste0("V", seq_len(ncol(x)))
  first <- function() {
    rows <- seq_len(min(n, max(1L, min(1000L, BLOCK_VALUES %/% max(ncol(x), 1L)))))
    stats::setNames(as.data.frame(as_numbers(x[rows, , drop = FALSE])), names)
  }
  list(n = n, columns = colnames(x), width = ncol(x), rows = rownames(x), head = first, each = function(columns, use) {
    width <- if (is.null(columns)) ncol(x) else length(columns)
    height <- max(1, BLOCK_VALUES %/% max(width, 1) %/% chunk) * chunk
    at <- if (!is.null(columns)) match(columns, names)
    for (from in seq(1, n, by = height)[n > 0]) {
      rows <- seq.int(from, min(from + height - 1, n))
      use(as_numbers(if (is.null(at)) x[rows, , drop = FALSE] else x[rows, at, drop = FALSE]))
    }
  })
}

# A matrix in a temporary file. fill(write) calls write(block) for its blocks of rows in order, and returns its
# dimnames.
matrix_in_file <- function(n, width, label, fill) {
  if (n > .Machine$integer.max) {
    mk_abort(sprintf("Give fewer rows of `%s`: it has %.0f, and a fit takes at most %d.", label, n,
                     .Machine$integer.max), "dimension", label)
  }
  file <- tempfile("view-")
  on.exit(unlink(file)) # the mapping keeps it
  done <- 0
  names <- fill(function(block) {
    if (done + nrow(block) > n) abort_changed(label)
    written <- .Call(C_mk_write_rows, file, block, as.integer(done + 1), as.integer(n))
    if (!written) abort_no_room(n, width, label)
    done <<- done + nrow(block)
  })
  if (done < n) abort_changed(label)
  .Call(C_mk_column_file, file, as.integer(n), as.integer(width), names) %||% abort_no_room(n, width, label)
}

abort_changed <- function(label) {
  mk_abort(sprintf("Call again when nothing writes to `%s`: its number of rows changed while it was read.",
                   label),
           "table", label)
}

abort_no_room <- function(n, width, label) {
  mk_abort(sprintf(paste("Make room in the temporary folder, %s, or start R with TMPDIR set to a folder of a",
                         "larger disk: `%s` takes %s there."), tempdir(), label, format_bytes(8 * n * width)),
           "table", label)
}

as_doubles <- function(x) {
  if (!is.matrix(x)) x <- as.matrix(x)
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# A matrix of integers or logical values as numbers; a large one goes into a file, not into memory once more.
doubles_of <- function(x, label) {
  if (length(x) >= FILE_VALUES) map_in_file(x, label, as_doubles) else as_doubles(x)
}

FILE_VALUES <- 2^23 # 64 MB

# f(block) of all blocks of rows of a matrix, in a file.
map_in_file <- function(x, label, f) {
  matrix_in_file(nrow(x), ncol(x), label, function(write) {
    open_matrix(x, f)$each(NULL, write)
    dimnames(x) %||% list(NULL, NULL)
  })
}
