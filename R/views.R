# Input data as views, of training rows and of new rows.

# kernels: those that will use the data, as far as they are given; impute: as by check_impute(); empty: whether
# there may be no rows.
as_views <- function(x, argument = "x", missing_views = "error", kernels = NULL, impute = NULL, empty = FALSE) {
  if (inherits(kernels, "kernel_set")) check_kernel_set(kernels)
  if (inherits(x, "mk_views")) return(x)
  if (is.null(x)) return(new_views(list(), NA_integer_, FALSE))
  if (is.character(x) && length(x) == 1L && grepl("~", x, fixed = TRUE)) {
    mk_abort(sprintf("Give the formula without quotes, as in `%s(%s, data)`: `%s` is text.",
                     called_function(), x, argument),
             "invalid_argument", argument, x)
  }
  x <- unpacked(x, argument, kernels)
  variables <- sample_variables(x, argument)
  single <- !is_view_list(x)
  if (single) {
    x <- list(x = x)
  } else {
    refuse_kernels(x, argument)
    check_view_names(x, argument)
    x[] <- lapply(x, plain_object)
  }
  labels <- if (single) argument else paste0(argument, "$", names(x))
  x <- open_tables(x, labels)
  x[] <- lapply(x, function(view) nameless_columns_named(sparse_frame(view)))
  encoders <- Map(function(view, label, name) {
    refuse_offset(view, label)
    check_identifiers(view, label)
    let_be_absent(if (is_table(view)) table_encoder(view, label) else view_encoder(view, label), name, kernels)
  }, x, labels, names(x))
  methods <- methods_of_views(impute, names(x))
  for (k in which(vapply(x, is_table, NA))) {
    read <- read_table(x[[k]], encoders[[k]], labels[k])
    x[[k]] <- read$view
    variables <- if (is.null(variables)) read$variables else
      if (is.null(read$variables)) variables else cbind(variables, read$variables)
  }
  all <- gather_views(x, argument, labels, missing_views, imputes = lengths(methods) > 0L, function(view, k) {
    clean_view(view, labels[k], encoders[[k]], empty = empty || missing_views != "error",
               missing = !is.null(methods[[k]]))
  })
  views <- new_views(all$views, nrow(all$views[[1L]]), single, encoders, has = all$has)
  own <- Map(new_imputation, methods, plain_views(views), encoders, x, labels)
  if (any(lengths(own) > 0L)) {
    attr(views, "imputation") <- stats::setNames(own, names(views))
    inform_imputed(views, argument)
  }
  attr(views, "samples") <- list(assembled = all$assembled, joined = all$joined, variables = variables)
  attr(views, "container") <- attr(x, "container")
  settle_lacking(views, argument, missing_views)
}

is_view_list <- function(x) is.list(x) && !is.data.frame(x) && !is.object(x)

check_view_names <- function(x, argument) {
  if (length(x) == 0L) abort_argument(x, argument, "a matrix or a named list of matrices")
  name <- names(x)
  if (is.null(name) || anyNA(name) || !all(nzchar(name))) {
    strings <- all(vapply(x, is.character, NA) & lengths(x) == 1L)
    mk_abort(paste0(sprintf("`%s` is a list of views: every view needs a name.", argument),
                    if (strings) sprintf(" Sequences are a character vector: `unlist(%s)`.", argument)),
             "view_names", argument, name)
  }
  if (anyDuplicated(name)) {
    twice <- unique(name[duplicated(name)])
    mk_abort(sprintf("`%s` has more than one view called %s.", argument, enumerate(twice)),
             "view_names", argument, twice)
  }
}

# ---- one view --------------------------------------------------------------

# A double matrix or a dgCMatrix with finite values (in the columns used), at least one column and,
# unless it may be empty, one row. missing: NA may stay.
clean_view <- function(x, label, encoder = NULL, used = NULL, empty = FALSE, missing = FALSE) {
  refuse_kernel_class(x, label)
  if (is.data.frame(x)) x <- encode_frame(x, encoder, label, used, missing)
  if (is_sequences(x)) return(x)
  if (is_text(x)) return(clean_sequences(x, label, missing))
  if (is.factor(x)) {
    mk_abort(sprintf(paste("`%s` is a factor. Sequences are text, `as.character(%s)`; factors that",
                           "describe samples go into a data frame."), label, label),
             "invalid_argument", label, x)
  }
  x <- if (inherits(x, "Matrix")) clean_Matrix(x) else clean_matrix(x, label)
  if (nrow(x) == 0L && !empty) {
    mk_abort(sprintf("`%s` has no rows.", label), "dimension", label, dim(x))
  }
  if (ncol(x) == 0L) mk_abort(sprintf("`%s` has no columns.", label), "dimension", label, dim(x))
  check_finite(x, label, used, missing)
  x
}

clean_matrix <- function(x, label) {
  if (is.numeric(x) && is.null(dim(x))) {
    mk_abort(
      paste0("`", label, "` must be a matrix, not a vector; `matrix(", label, ", ncol = 1)` is ",
             "one column, `[i, , drop = FALSE]` keeps one row."),
      "invalid_argument", label, x
    )
  }
  refuse_long_integers(x, label)
  refuse_sequence_class(x, label)
  refuse_container_view(x, label)
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    abort_argument(x, label, "a numeric matrix, a data frame or a sparse Matrix")
  }
  plain <- all(names(attributes(x)) %in% c("dim", "dimnames"))
  if (!plain) x <- matrix(as.vector(x), nrow(x), ncol(x), dimnames = dimnames(x))
  if (is.double(x)) x else doubles_of(x, label)
}

# Sequences as other packages hold them.
refuse_sequence_class <- function(x, label) {
  letters <- is.list(x) && length(x) && all(vapply(x, is.character, NA))
  others <- c("DNAbin", "AAbin", "alignment", "XStringViews", "MultipleAlignment", "XString")
  if (!letters && !inherits(x, others)) {
    return(invisible())
  }
  mk_abort(sprintf(paste("Give sequences as text, one string for each sample, or as an XStringSet of package",
                         "Biostrings: `%s` is %s."), label, describe(x)), "invalid_argument", label, x)
}

# Sparse stays sparse, in compressed columns; the dense Matrix classes become a matrix.
clean_Matrix <- function(x) {
  if (inherits(x, "dgCMatrix")) return(x)
  if (!methods::is(x, "sparseMatrix")) {
    x <- as.matrix(x)
    storage.mode(x) <- "double"
    return(x)
  }
  methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

# A data frame of sparse columns, which tidymodels makes of a sparse matrix, as that matrix.
sparse_frame <- function(x) {
  if (!is.data.frame(x) || !isNamespaceLoaded("sparsevctrs")) return(x)
  from_sparsevctrs <- function(name) getExportedValue("sparsevctrs", name)
  if (!all(vapply(x, is.numeric, NA)) || !any(vapply(x, from_sparsevctrs("is_sparse_vector"), NA))) {
    return(x)
  }
  from_sparsevctrs("coerce_to_sparse_matrix")(x)
}

# Columns without a name among others that have one are named by their position.
nameless_columns_named <- function(x) {
  names <- colnames(x)
  nameless <- which(is.na(names) | !nzchar(names))
  if (length(nameless)) colnames(x)[nameless] <- nameless
  x
}

# Makes a sparse matrix of its parts i, p and x. Its class is defined once package Matrix is loaded.
new_sparse <- function(parts, dim, names = list(NULL, NULL)) {
  loadNamespace("Matrix")
  methods::new("dgCMatrix", i = parts$i, p = parts$p, x = parts$x, Dim = dim, Dimnames = names)
}

# Checks values in one pass in C without a copy; the details for a message are found only after a fault.
check_finite <- function(x, label, used = NULL, missing = FALSE) {
  sparse <- inherits(x, "dgCMatrix")
  values <- if (sparse) x@x else x
  finite <- from_core(.Call(C_mk_first_not_finite, values, thread_count())) == 0
  if (finite) return(invisible())
  bad <- which(if (missing) is.infinite(values) else !is.finite(values))
  column <- if (sparse) findInterval(bad - 1L, x@p) else (bad - 1L) %/% nrow(x) + 1L
  if (!is.null(used)) bad <- bad[column %in% used]
  if (length(bad) == 0L) return(invisible())
  at <- bad[1L]
  row <- row_text(if (sparse) x@i[at] + 1L else (at - 1L) %% nrow(x) + 1L, rownames(x))
  column <- if (sparse) findInterval(at - 1L, x@p) else (at - 1L) %/% nrow(x) + 1L
  name <- if (is.null(colnames(x))) column else paste0("`", colnames(x)[column], "`")
  trained <- grepl("^x($|[$])", label)
  if (is.na(values[at]) && trained) {
    abort_missing(x, if (sparse) x@x else x, bad, label, row, name)
  }
  found <- count_of(length(bad), "value is", "values are")
  mk_abort(
    sprintf("`%s` must hold finite numbers, but %s %s; the first is %s in %s.%s", label, found,
            if (missing) "infinite" else "NA, NaN or infinite", format(values[at]),
            paste0("row ", row, ", column ", name),
            if (trained) " Set infinite values to NA for `impute` of mkl(), or leave these rows out." else ""),
    "missing_values", label, values[at]
  )
}

# The error about missing values names the columns, their share and what to do.
abort_missing <- function(x, values, bad, label, row, name) {
  column <- if (is.matrix(x)) (bad - 1L) %/% nrow(x) + 1L else findInterval(bad - 1L, x@p)
  count <- tabulate(column, ncol(x))
  worst <- utils::head(order(-count), sum(count > 0))
  names <- colnames(x)[worst] %||% worst
  mk_abort(sprintf(paste(
    "`%s` must hold finite numbers, but %s (%s %%) %s NA, NaN or infinite; the first is %s in row %s,",
    "column %s. %s of %d without all values: %s. Two ways on: give mkl() or cv_mkl()",
    "`impute = \"median\"` or another method, which learns from the training rows alone, inside the folds,",
    "or leave rows out, as by `complete.cases()`; samples without any value in a view are for `missing_views`",
    "of mkl()."
  ), label, count_of(length(bad), "value"), format(signif(100 * length(bad) / (nrow(x) * ncol(x)), 2L)),
  if (length(bad) == 1L) "is" else "are", format(values[bad[1L]]), row, name,
  capital(count_of(length(worst), "column")), ncol(x),
  enumerate(sprintf("%s (%.0f %%)", names, 100 * count[worst] / nrow(x)), 5L)), "missing_values", label,
  names)
}

# ---- the layout of the training data, and new data in it -------------------

# A list with an entry for each view: columns (names, NULL when there are none),
# width, encoder, scaling, constant columns, whether it holds sequences, and what fills missing cells.
view_layout <- function(views) {
  if (inherits(views, "mk_layout")) return(views)
  encoders <- attr(views, "encoders", exact = TRUE)
  layout <- Map(
    function(view, encoder, scaling, imputation) {
      constant <- if (is.null(scaling$rotation)) constant_columns(view) # an axis is no column of the data
      c(view_columns(view), list(encoder = encoder, scaling = scaling, constant = constant),
        if (!is.null(imputation)) list(imputation = imputation))
    },
    plain_views(views), encoders, views_scaling(views), views_imputation(views) %||% list(NULL)
  )
  structure(layout, class = "mk_layout", single = is_single(views))
}

# Positions and (standard) values of the columns that never vary; NULL where all do.
constant_columns <- function(view) {
  n <- nrow(view)
  if (is_sequences(view) || n < 2L) return(NULL)
  at <- if (is.matrix(view)) {
    # few columns agree in some rows and not in all
    rows <- view[seq.int(1, n, length.out = min(n, 16)), , drop = FALSE]
    likely <- which(colSums(rows != rep(rows[1L, ], each = nrow(rows))) == 0)
    Filter(function(j) all(view[, j] == view[1L, j]), likely)
  } else {
    stored <- diff(view@p)
    full <- Filter(function(j) {
      values <- view@x[view@p[j] + seq_len(n)]
      all(values == values[1L])
    }, which(stored == n))
    sort(c(which(stored == 0L), full))
  }
  if (length(at)) list(at = at, value = unname(as.vector(view[1L, at])))
}

# Warns about columns that never varied in training but do now.
warn_moved <- function(layout, views, used, argument) {
  moved <- list()
  for (name in names(views)) if (!is.null(layout[[name]]$constant)) {
    moved[[name]] <- moved_columns(layout[[name]], views[[name]], used[[name]], views_have(views)[[name]])
  }
  moved <- moved[lengths(moved) > 0L]
  if (!length(moved)) return(invisible())
  several <- length(moved) > 1L
  label <- if (is_single(layout) || several) argument else paste0(argument, "$", names(moved))
  names <- unlist(if (several) Map(paste, names(moved), moved, sep = "$") else moved, use.names = FALSE)
  mk_warn(sprintf(paste(
    "`%s` has other values in %s than training, where %s never varied: leave such columns out of the",
    "model, or train on rows in which they vary. The model has no information about their values."
  ), label, enumerate(names), if (length(names) == 1L) "it" else "they"), "constant_column", argument,
  names)
}

moved_columns <- function(layout, view, used, has) {
  constant <- layout$constant
  read <- if (is.null(used)) rep(TRUE, length(constant$at)) else constant$at %in% used
  if (inherits(view, "dgCMatrix")) {
    read <- read & (constant$value != 0 | diff(view@p)[constant$at] > 0L)
  }
  at <- constant$at[read]
  rows <- if (is.null(has)) seq_len(nrow(view)) else which(has)
  if (!length(at) || !length(rows)) return(NULL)
  value <- constant$value[read]
  size <- abs(value) + if (is.null(layout$scaling)) 0 else abs(unname(layout$scaling$centre[at]))
  new <- as.matrix(view[rows, at, drop = FALSE])
  far <- abs(new - rep(value, each = length(rows))) > rep(1e-8 * size, each = length(rows))
  moved <- at[colSums(far, na.rm = TRUE) > 0]
  if (is.null(layout$columns)) sprintf("column %d", moved) else layout$columns[moved]
}

# newdata as views with the columns of the training data (`layout`: views or their layout) and their scaling.
# Only the views in `needed` are returned; others only add names of samples. `used`: by view, the positions of
# the columns whose values matter (NULL: all). There may be no rows. missing: whether NA may stay. Under
# "neutral", absent views have no samples.
match_views <- function(layout, newdata, needed = names(layout), argument = "newdata",
                        used = list(), missing = FALSE, missing_views = "error") {
  layout <- view_layout(layout)
  if (length(needed) == 0L) return(as_views(NULL))
  newdata <- unpacked_new(newdata, argument, layout)
  known <- if (inherits(newdata, "mk_views")) views_have(newdata)
  if (inherits(newdata, "mk_views")) newdata <- plain_views(newdata)
  if (is_view_list(newdata)) {
    check_view_names(newdata, argument)
    newdata[] <- lapply(newdata, plain_object)
  } else if (is_single(layout)) {
    newdata <- list(x = newdata)
  } else {
    expected <- sprintf("a list with the views of the training data (%s)",
                        enumerate(names(layout)))
    abort_argument(newdata, argument, expected)
  }
  newdata <- open_tables(newdata, if (is_single(layout)) argument else paste0(argument, "$", names(newdata)))
  lacking <- needed[!needed %in% names(newdata)]
  if (length(lacking) && (missing_views != "neutral" || length(lacking) == length(needed))) {
    mk_abort(sprintf("`%s` lacks %s %s.", argument,
                     if (length(lacking) == 1L) "the view" else "the views", enumerate(lacking)),
             "missing_views", argument, lacking)
  }
  given <- names(layout)[names(layout) %in% names(newdata)]
  read <- given %in% needed
  kept <- read | vapply(newdata[given], NROW, 0L) > 0L
  given <- given[kept]
  read <- read[kept]
  labels <- if (is_single(layout)) argument else paste0(argument, "$", given)
  own <- unclass(layout)[given]
  if (missing && missing_views == "error") missing_views <- NULL
  picked <- newdata[given]
  for (k in seq_along(given)) {
    view <- picked[[k]]
    # a list, as a view that is NULL must not remove its element
    picked[k] <- list(if (!read[k]) only_names(view) else
      if (is_table(view)) read_new_table(view, own[[k]], labels[k]) else
      pick_view(nameless_columns_named(sparse_frame(view)), own[[k]], labels[k]))
  }
  attr(picked, "container") <- attr(newdata, "container")
  fills <- lapply(own, `[[`, "imputation")
  all <- gather_views(picked, argument, labels, missing_views, function(view, k) {
    if (!read[k]) return(view)
    encoder <- own[[k]]$encoder %||% view_encoder(view, labels[k])
    filled <- !is.null(fills[[k]])
    clean_view(view, labels[k], if (is.data.frame(view)) encoder, if (!filled) used[[given[k]]], empty = TRUE,
               missing || filled)
  })
  has <- (known %||% all$has)[given[read]]
  views <- all$views[read]
  for (name in names(views)) {
    views[[name]] <- standardise(impute_view(views[[name]], fills[[name]]), own[[name]]$scaling)
  }
  n <- nrow(views[[1L]])
  for (name in lacking) {
    views[[name]] <- blank_view(n, layout[[name]])
    has[[name]] <- logical(n)
  }
  new_views(views, n, is_single(layout), has = unname(has))
}

# The columns of a table that a layout names, as a matrix.
read_new_table <- function(table, layout, label) {
  columns <- layout$columns
  if (!is.null(table$columns) && is.null(table$width)) columns <- names(layout$encoder) %||% columns
  pick_view(matrix(0, 0L, table$width %||% length(table$columns), dimnames = list(NULL, table$columns)),
            list(columns = columns, width = layout$width), label)
  if (is.null(table$width)) {
    table$columns <- columns %||% table$columns
    encoder <- layout$encoder %||% columns_alone(table$columns)
  } else if (!is.null(columns)) {
    table[c("columns", "width")] <- list(columns, length(columns))
  }
  read_table(table, if (is.null(table$width)) encoder, label)$view
}

# Columns are picked before values are checked, so other columns may hold anything.
pick_view <- function(x, layout, label) {
  if (isTRUE(layout$sequences)) {
    if (!is_text(x)) abort_argument(x, label, "sequences, as in training")
    return(x)
  }
  if (is_text(x)) abort_argument(x, label, "columns of numbers, as in training")
  if (is.data.frame(x) && !is.null(layout$encoder)) {
    return(pick_columns(x, names(layout$encoder), label))
  }
  if (!is.null(layout$columns)) return(pick_columns(x, layout$columns, label))
  if (length(dim(x)) == 2L && ncol(x) != layout$width) {
    mk_abort(sprintf("`%s` must have %s as in training, not %d.", label,
                     count_of(layout$width, "column"), ncol(x)),
             "dimension", label, ncol(x))
  }
  x
}

pick_columns <- function(x, columns, label) {
  if (length(dim(x)) != 2L) return(x) # clean_view() has the words for it
  if (identical(colnames(x), columns)) return(x)
  if (anyDuplicated(columns)) {
    mk_abort(
      sprintf(paste("`%s` must have the column names of the training data in the same order,",
                    "because some of them appear twice: %s."),
              label, enumerate(unique(columns[duplicated(columns)]))),
      "duplicated_columns", label, colnames(x)
    )
  }
  lacking <- setdiff(columns, colnames(x))
  if (length(lacking)) {
    mk_abort(
      sprintf("`%s` lacks %s of the training data: %s.", label,
              count_of(length(lacking), "column"), enumerate(lacking)),
      "missing_columns", label, lacking
    )
  }
  twice <- intersect(columns, colnames(x)[duplicated(colnames(x))])
  if (length(twice)) {
    mk_abort(sprintf("`%s` has more than one column called %s.", label, enumerate(twice)),
             "duplicated_columns", label, twice)
  }
  x[, match(columns, colnames(x)), drop = FALSE]
}

# ---- rows ------------------------------------------------------------------

# columns: by view, the columns to keep (NULL: all); views that it doesn't name are left out.
subset_views <- function(views, rows, columns = lapply(plain_views(views), function(view) NULL)) {
  out <- Map(function(view, used) {
    if (is.null(used)) view[rows, , drop = FALSE] else view[rows, used, drop = FALSE]
  }, plain_views(views)[names(columns)], columns)
  n <- if (length(out)) nrow(out[[1L]]) else NA_integer_
  has <- lapply(views_have(views)[names(columns)], function(one) one[rows])
  out <- new_views(out, n, is_single(views), attr(views, "encoders", exact = TRUE)[names(columns)], has = has)
  structure(out, imputation = views_imputation(views)[names(columns)])
}

narrow_views <- function(views, columns) {
  narrow <- plain_views(views)[names(columns)]
  for (name in names(columns)[!vapply(columns, is.null, NA)]) {
    narrow[[name]] <- narrow[[name]][, columns[[name]], drop = FALSE]
  }
  new_views(narrow, view_rows(views), is_single(views), has = views_have(views)[names(columns)])
}

# The rows of a, then those of b, for the views of a; sparse if either is sparse.
bind_views <- function(a, b) {
  if (length(a) == 0L) return(a)
  out <- plain_views(a)
  has <- views_have(a)
  for (name in names(a)) {
    has[name] <- list(bind_has(has[[name]], views_have(b)[[name]], view_rows(a), view_rows(b)))
    out[[name]] <- with_stand_ins(bind_rows(out[[name]], b[[name]]), has[[name]])
  }
  new_views(out, view_rows(a) + view_rows(b), is_single(a), attr(a, "encoders", exact = TRUE),
            has = has)
}

# Samples that lack a view have the values of one that has it there, see place_rows().
with_stand_ins <- function(view, has) {
  if (all(has)) return(view)
  view[replace(seq_along(has), !has, which(has)[1L]), , drop = FALSE]
}

bind_has <- function(a, b, rows_a, rows_b) {
  if (is.null(a) && is.null(b)) return(NULL)
  c(a %||% rep(TRUE, rows_a), b %||% rep(TRUE, rows_b))
}

# Column names are those of a; setting them where they are right already would copy.
bind_rows <- function(a, b) {
  if (is_sequences(a)) return(bind_sequences(a, b))
  names <- list(NULL, colnames(a))
  if (!identical(dimnames(a) %||% list(NULL, NULL), names)) dimnames(a) <- names
  if (!identical(dimnames(b) %||% list(NULL, NULL), names)) dimnames(b) <- names
  sparse <- c(inherits(a, "dgCMatrix"), inherits(b, "dgCMatrix"))
  if (sparse[1L] != sparse[2L]) {
    if (sparse[1L]) b <- methods::as(b, "CsparseMatrix") else a <- methods::as(a, "CsparseMatrix")
  }
  rbind(a, b)
}
