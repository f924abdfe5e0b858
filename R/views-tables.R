# Tables on disk as views: their coding as numbers, and their rows in a matrix.

#' Data on disk
#'
#' The arguments `x` and `newdata` of [mkl()], [cv_mkl()], [predict()][predict.mkl()], [duality_gap()] and all
#' other functions, and each view in a list of views, may be a table or a matrix on disk. It is read in blocks of
#' rows, about 8 MB at a time.
#'
#' @details
#' | class | package | read by |
#' | --- | --- | --- |
#' | `Dataset`, `Table` or a query of these | arrow, dplyr | record batches |
#' | `tbl`, a table or query of a database such as DuckDB | DBI, dbplyr, dplyr | pages of the answer |
#' | `HDF5Array`, `DelayedMatrix` | DelayedArray | whole chunks of the file |
#' | `float32` | float | rows |
#'
#' Choose columns and rows by `dplyr::select()` and `dplyr::filter()`; the source does the work. A string as `y`,
#' `weights`, `group` or `folds` names a column, which is then no predictor: `mkl(table, "label")`, also for a
#' table in a list of views: `mkl(list(p = table), "label")`. The same table
#' is then for `predict(fit, table)`, `assess(fit, table, "label")` and `duality_gap(fit, table, "label")`. Do so
#' for tables and queries, whose rows have no names by which a response in memory could be matched: `y` in memory
#' is taken in the order of the rows. Text, factors and logical columns become columns of 0 and 1, as those of a
#' data frame; text with more than 1,000 values is an error. Formulas are for data frames.
#'
#' The frameworks parsnip, mlr3 and caret refuse tables before they call this package: train by [mkl()] or
#' [cv_mkl()] there. The `predict()` of `parsnip::extract_fit_engine(fit)` takes tables.
#'
#' The values become doubles in a file of the temporary folder ([tempdir()]), 8 bytes each, which is mapped
#' into memory: the system loads what is in use and drops it when memory is short. Standardised columns
#' ([scaling]) are a second such file. Both vanish with the fit. Set the environment variable `TMPDIR` before R
#' starts to have them on another disk. Integer and logical matrices of 8 million values or more go the same
#' way, so that memory holds no second copy. Imputed views ([imputation]), sparse matrices, training rows of a
#' cross-validation and the support vectors of a fit are in memory.
#'
#' @section Errors:
#' `manykernels_unsupported` where a package is missing, and for formulas; `manykernels_unknown_variable` for a
#' column that there isn't; `manykernels_identifier` for text with too many values; `manykernels_table` where the
#' temporary folder is full or the number of rows changes meanwhile. Errors of the source, such as those of a
#' file cut short, are its own.
#' @seealso [write_kernel()] for kernel matrices on disk, [bioconductor] for containers.
#' @examplesIf requireNamespace("dbplyr", quietly = TRUE) && requireNamespace("RSQLite", quietly = TRUE)
#' base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' DBI::dbWriteTable(base, "flowers", iris[51:150, ])
#' flowers <- dplyr::tbl(base, "flowers")
#' fit <- mkl(flowers, "Species", kernels = gaussian_kernel(c(1, 4)))
#' table(predict(fit, dplyr::select(flowers, -Species)), iris$Species[51:150])
#' DBI::dbDisconnect(base)
#' @name tables
#' @aliases arrow duckdb HDF5Array DelayedArray
NULL

# Sets columns of a table apart: they are variables of the samples, such as the response.
with_variables <- function(table, variables) {
  table$variables <- intersect(table$columns, variables)
  table$columns <- setdiff(table$columns, table$variables)
  if (length(table$variables) && !is.null(table$width)) table$width <- length(table$columns)
  table
}

# The coding of a table as numbers, as by view_encoder(), from a pass over its columns of text and factors.
table_encoder <- function(table, label) {
  if (!is.null(table$width)) return(NULL)
  first <- table$head()[table$columns]
  texts <- Filter(function(name) is.character(first[[name]]) || is.factor(first[[name]]), table$columns)
  levels <- list()
  if (length(texts)) table$each(texts, function(block) {
    for (name in texts) {
      own <- block[[name]]
      levels[[name]] <<- union(levels[[name]], if (is.factor(own)) levels(own) else unique(own[!is.na(own)]))
      if (length(levels[[name]]) > MOST_LEVELS) abort_levels(name, label)
    }
  })
  for (name in texts) {
    known <- as.character(levels[[name]])
    first[[name]] <- factor(first[[name]],
                            if (is.factor(first[[name]])) known else sort(known, method = "radix"))
  }
  view_encoder(first, label)
}

MOST_LEVELS <- 1000L # of a column of a table: it becomes as many columns of the view

abort_levels <- function(name, label) {
  mk_abort(sprintf(paste("Leave the column `%s` out, as by `dplyr::select(%s, -%s)`, or give numbers: it has",
                         "more than %d different values."), name, label, name, MOST_LEVELS), "identifier",
           label, name)
}

# A table as a matrix in a file, with its variables: list(view, variables). Missing values stay, for the checks
# of the whole.
read_table <- function(table, encoder, label) {
  columns <- if (is.null(encoder)) table$columns else names(encoder)
  width <- if (is.null(encoder)) table$width else sum(attr(encoder, "width"))
  if (width < 1) mk_abort(sprintf("`%s` has no columns.", label), "dimension", label)
  if (table$n < 1) return(empty_table(table, encoder, width))
  variables <- list()
  names <- NULL
  view <- matrix_in_file(table$n, width, label, function(write) {
    table$each(c(columns, table$variables), function(block) {
      if (is.null(encoder) && !length(table$variables)) {
        names <<- names %||% colnames(block)
        return(write(as_doubles(block)))
      }
      block <- short_integers(as.data.frame(block))
      variables <<- c(variables, list(block[table$variables]))
      block <- encode_frame(block, encoder %||% columns_alone(columns), label, missing = TRUE)
      names <<- names %||% colnames(block)
      write(block)
    })
    list(table$rows, names)
  })
  list(view = view, variables = if (length(table$variables)) do.call(rbind, variables))
}

# A table without rows, which new data may be, in the form of read_table().
empty_table <- function(table, encoder, width) {
  names <- if (is.null(encoder)) table$columns else unlist(Map(function(name, levels) {
    if (is.null(levels)) name else paste0(name, levels)
  }, names(encoder), encoder), use.names = FALSE)
  list(view = matrix(0, 0L, width, dimnames = list(NULL, names)),
       variables = if (length(table$variables)) short_integers(table$head()[table$variables]))
}

# A column of a table: a variable of its samples.
table_variable <- function(table, name) {
  blocks <- list()
  table$each(name, function(block) blocks <<- c(blocks, list(short_integers(as.data.frame(block)[1L]))))
  if (length(blocks)) do.call(rbind, blocks)[[1L]] else short_integers(table$head())[[name]]
}

# The coding of columns that are numbers already.
columns_alone <- function(columns) {
  structure(stats::setNames(vector("list", length(columns)), columns), width = rep(1L, length(columns)))
}

# Integers of 64 bits, which the packages that make them know as doubles.
short_integers <- function(block) {
  long <- vapply(block, inherits, NA, "integer64")
  block[long] <- lapply(block[long], as.double)
  block
}
