# Kernel matrices in files: written in blocks of rows, mapped into memory by the core.

#' Write a kernel matrix into a file
#'
#' Writes kernel matrices to files that [precomputed_kernel()] reads, so that a fit needs no memory for
#' them. Matrices are written in blocks of rows. The values of a kernel set are computed block by block,
#' so its matrices may be larger than memory.
#'
#' @details A fit of file kernels in double precision is the fit of the same matrices in memory, bit for bit.
#' Single precision takes half the space and half the time to read. The kernel is then the matrix of rounded
#' values, to which the certificate applies. Rounding may make a positive semidefinite matrix indefinite, by
#' about 1e-7 of its largest eigenvalue.
#'
#' The file begins with a header: a mark (`MKERNEL`), byte order, version, precision, size, names of rows and
#' columns, a checksum of the values and one of the header. The values follow row by row at a multiple of
#' 4,096 bytes, in the byte order of the computer; a computer with another byte order can't read them. A file
#' gets its name when it is complete. Do not change it while a session uses it: write another one, or replace
#' it by `write_kernel()`, which leaves the old one to sessions that still use it (Windows refuses that).
#'
#' @param K A symmetric numeric matrix of all training rows, as [precomputed_kernel()] takes it. Or a
#'   matrix of new rows (in its rows) against training rows (in its columns), which
#'   [predict()][predict.mkl] takes. Or a [kernel set][kernel_set], with its data in `x`.
#' @param file Where to write: one path for a matrix, as many as there are kernels for a kernel set. An
#'   existing file is replaced. A name ends in `.kernel` or has no ending: others, such as `.rds`, are refused,
#'   as they stand for other forms.
#' @param precision `"double"` (8 bytes for each value) or `"single"` (4 bytes; about 7 digits).
#' @param x For a kernel set: the data, as in [mkl()].
#' @param z For a kernel set: new rows, in the form of `x`. Then the file has a row for each of them
#'   and a column for each row of `x`, for [predict()][predict.mkl].
#' @param new `TRUE` if the rows of the matrix `K` are new ones; by default if it is not square.
#' @param normalize,scale For a kernel set: as in [kernel_matrix()]. A fit normalises its kernels
#'   itself, so write the values as they are.
#' @return The paths, invisibly, as absolute ones. Errors: for matrices those of [precomputed_kernel()],
#'   for kernel sets those of [kernel_matrix()]; class `manykernels_kernel_file` if the file can't be
#'   written, and `manykernels_not_finite` for values beyond the range of single precision (about 3e38).
#' @seealso [precomputed_kernel()]
#' @family kernels
#' @export
#' @examples
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- droplevels(iris$Species[51:150])
#' files <- tempfile(c("narrow", "wide"), fileext = ".kernel")
#' write_kernel(gaussian_kernel(c(1, 10)), files, "single", x = x)
#' kernels <- precomputed_kernel(file = c(narrow = files[1], wide = files[2]))
#' kernels
#' fit <- mkl(y = y, kernels = kernels)
#'
#' # new rows against training rows, from a file too
#' new <- tempfile(c("narrow", "wide"))
#' write_kernel(gaussian_kernel(c(1, 10)), new, x = x, z = x[1:3, ])
#' predict(fit, list(narrow = new[1], wide = new[2]))
#' unlink(c(files, new))
write_kernel <- function(K, file, precision = c("double", "single"), x = NULL, z = NULL, new = NULL,
                         normalize = "none", scale = FALSE) {
  check_given(c(K = missing(K), file = missing(file)))
  file <- check_paths(file)
  lapply(file, check_ending, "kernel", paste(
    "what precomputed_kernel() reads is written, and a matrix in other forms by `saveRDS(K, \"kernel.rds\")`",
    "or `write.csv(K, \"kernel.csv\")`"
  ))
  single <- check_choice(precision, c("double", "single"), "precision") == "single"
  if (!is.null(new)) check_flag(new, "new")
  if (inherits(K, "kernel_set")) {
    if (!is.null(new)) abort_with_set("new", "new rows go into `z`")
    write_set(kernels_on_data(K, x, z, is.null(z), check_normalize(normalize), scale), file, single)
  } else {
    if (!is.null(x) || !is.null(z)) {
      abort_with_matrix(if (is.null(x)) "z" else "x")
    }
    given <- c(normalize = !missing(normalize), scale = !missing(scale))
    if (any(given)) abort_with_matrix(names(which(given))[1L], "a matrix is written as it is")
    write_matrix(K, file, single, new)
  }
  invisible(absolute_path(file))
}

abort_with_set <- function(argument, hint) {
  mk_abort(sprintf("`%s` is not for kernel sets: %s.", argument, hint), "invalid_argument",
           argument)
}

abort_with_matrix <- function(argument, why = "it is the data of a kernel set") {
  mk_abort(sprintf("`%s` must be left out where `K` is a matrix: %s.", argument, why), "invalid_argument", argument)
}

# ---- writing -------------------------------------------------------------------------------------

write_matrix <- function(K, file, single, new) {
  if (length(file) != 1L) {
    mk_abort(sprintf("`file` must be one path for one matrix, not %d.", length(file)), "length",
             "file", file)
  }
  if (new %||% is_oblong(K)) return(write_new_rows(plain_matrix(K), file, single))
  rows <- sample_names(K, "K")
  K <- square_matrix(K, "K")
  facts <- inspect_matrices(list(K))[[1L]]
  K <- check_kernel_matrix(K, "K", facts)
  warn_indefinite(facts, "K", indefinite_advice("precomputed", made = "K"))
  # symmetric: columns are rows
  write_file(file, nrow(K), ncol(K), single, TRUE, list(rows, rows),
             function(part) K[, part, drop = FALSE])
}

is_oblong <- function(K) length(dim(K)) == 2L && nrow(K) != ncol(K)

write_new_rows <- function(K, file, single) {
  if (!is.matrix(K) || !is.numeric(K)) abort_argument(K, "K", "a numeric matrix")
  if (ncol(K) == 0L) abort_argument(K, "K", "a matrix with columns")
  check_finite(K, "K")
  write_file(file, nrow(K), ncol(K), single, FALSE, list(rownames(K), colnames(K)),
             function(part) t(K[part, , drop = FALSE]))
}

write_set <- function(source, file, single) {
  kernels <- names(source$kernels)
  if (length(file) != length(kernels)) {
    mk_abort(sprintf("`file` must have one path for each kernel (%d), not %d.", length(kernels),
                     length(file)), "length", "file", file)
  }
  for (m in seq_along(kernels)) {
    rows <- if (source$same) symmetric_rows(source, m) else function(part) {
      source_values(source, m, seq_len(source$n), source$columns[part])
    }
    write_file(file[m], length(source$columns), source$n, single, source$same,
               list(source$names[[2L]], source$names[[1L]]), rows)
  }
}

# Rows of a symmetric matrix. Values and their mirror images are computed once, so they are identical.
symmetric_rows <- function(source, m) {
  blocks <- row_blocks(source$n, source$n)
  function(part) {
    values <- lapply(blocks, function(other) {
      if (other[1L] <= part[1L]) return(source_values(source, m, other, part))
      t(source_values(source, m, part, other))
    })
    values <- do.call(rbind, values)
    own <- values[part, , drop = FALSE]
    own[lower.tri(own)] <- t(own)[lower.tri(own)]
    values[part, ] <- own
    values
  }
}

block_values <- 2^22 # at a time

row_blocks <- function(rows, columns) {
  size <- max(1, min(512, block_values %/% columns))
  lapply(seq_len(ceiling(rows / size)), function(k) seq((k - 1) * size + 1, min(k * size, rows)))
}

# block: a function of row numbers that gives these rows, as columns. The file has its name when it is
# complete.
write_file <- function(file, rows, columns, single, symmetric, names, block) {
  draft <- tempfile("kernel", dirname(file))
  on.exit(unlink(draft))
  written <- function(expr) {
    tryCatch(expr, simpleError = function(e) abort_unwritten(file, conditionMessage(e), e))
  }
  names <- lapply(names, function(own) if (!is.null(own)) enc2utf8(own))
  writer <- written(.Call(C_mk_file_create, draft, rows, columns, single, symmetric, names[[1L]],
                          names[[2L]]))
  for (part in row_blocks(rows, columns)) {
    values <- block(part)
    storage.mode(values) <- "double"
    if (single) check_single(values)
    written(.Call(C_mk_file_add, writer, values))
  }
  written(.Call(C_mk_file_finish, writer))
  if (!suppressWarnings(file.rename(draft, file))) abort_unwritten(file, "it can't be replaced")
}

abort_unwritten <- function(file, why, parent = NULL) {
  mk_abort(sprintf("The kernel file `%s` can't be written: %s.", file, why), "kernel_file", "file",
           file, parent = parent)
}

largest_single <- (2 - 2^-24) * 2^127 # what is smaller is rounded to a finite number

check_single <- function(values) {
  largest <- max(0, abs(values))
  if (largest < largest_single) return(invisible())
  mk_abort(sprintf("`K` has values up to %s, beyond the range of single precision: write \"double\".",
                   format(largest, digits = 3L)), "not_finite", "K", largest)
}

# ---- reading -------------------------------------------------------------------------------------

without_kernels <- function(kernels, names) {
  left <- !names(kernels) %in% names
  if (any(left)) kernels[left]
}

# Kernels of a fit that are read from their files: those without a matrix in `x`. only: whether `x` has only
# matrices.
kept_in_files <- function(kernels, x, only) {
  own <- vapply(kernel_field(kernels, "parameters"), function(own) !is.null(own$file), NA)
  files <- names(kernels)[own]
  if (is.null(x) || inherits(x, "kernel_set")) return(files)
  if (only && is.null(names(x))) character() else setdiff(files, names(x))
}
