# Data frames as numbers: the coding of their columns, and blocks of rows by it.

# The coding of a data frame, for new data: each column's name, kind and levels. Levels have attributes
# `ordered` and, for kernels of factors, `absent`: whether missing and new ones may be rows of zeros. width:
# the number of columns that each becomes.
view_encoder <- function(x, label) {
  if (!is.data.frame(x)) return(NULL)
  if (anyDuplicated(names(x))) {
    twice <- unique(names(x)[duplicated(names(x))])
    mk_abort(sprintf("`%s` has more than one column called %s.", label, enumerate(twice)),
             "invalid_argument", label, twice)
  }
  encoder <- lapply(x, function(column) {
    if (is.factor(column)) return(structure(levels(column), ordered = is.ordered(column)))
    if (is.character(column) && NCOL(column) == 1L) sort(unique(column), method = "radix")
  })
  width <- Map(function(column, levels) max(length(levels), NCOL(column)), x, encoder)
  structure(encoder, width = as.integer(width))
}

# Numbers stay, logical becomes 0/1, factor and text one 0/1 column for each level.
encode_frame <- function(x, encoder, label, used = NULL, missing = FALSE) {
  x <- x[names(encoder)]
  if (!is.null(used)) x <- blank_unused(x, encoder, used)
  columns <- Map(encode_column, x, names(encoder), encoder, label, missing)
  if (length(columns) == 0L) return(matrix(0, nrow(x), 0L))
  out <- do.call(cbind, columns)
  automatic <- .row_names_info(x) <= 0L
  rownames(out) <- if (automatic) NULL else row.names(x)
  out
}

# Variables whose columns are not used may hold anything; blank columns take their place.
blank_unused <- function(x, encoder, used) {
  wanted <- seq_along(x) %in% rep(seq_along(x), attr(encoder, "width"))[used]
  plain <- !wanted & !vapply(x, is.matrix, NA)
  x[plain] <- lapply(encoder[plain], function(levels) rep(levels[1L] %||% 0, nrow(x)))
  x
}

encode_column <- function(column, name, levels, label, missing) {
  label <- paste0(label, "$", name)
  if (!is.null(levels)) return(indicators(column, name, levels, label, missing))
  refuse_dates(column, label)
  refuse_case_weights(column, label)
  refuse_long_integers(column, label)
  if (inherits(column, "haven_labelled")) column <- without_user_missing(column)
  text <- is.factor(column) || (is.character(column) && is.null(dim(column)))
  if (text) {
    code <- numbers_code(column, label)
    abort_argument(column, label, paste0("numbers, as in training (TRUE and FALSE count as such)",
                                         if (nzchar(code)) sprintf(", as by `%s`", code)))
  }
  if (!(is.numeric(column) || is.logical(column))) {
    abort_argument(column, label, "numeric, logical, a factor or text")
  }
  inner <- if (is.matrix(column)) paste0(name, ".", colnames(column) %||% seq_len(ncol(column)))
  matrix(as.double(column), NROW(column), NCOL(column), dimnames = list(NULL, inner %||% name))
}

# Code that makes a factor or text what the training column was: numbers, or TRUE and FALSE; or "".
numbers_code <- function(column, label) {
  known <- unique(as.character(column[!is.na(column)]))
  if (is_text_of_numbers(known)) return(sprintf("as.numeric(as.character(%s))", label))
  if (!anyNA(as.logical(known))) return(sprintf("as.logical(%s)", label))
  if (length(known) == 2L) sprintf("%s == %s", label, dQuote(max(known), FALSE)) else ""
}

abort_unknown_levels <- function(unknown, label, others = "") {
  mk_abort(sprintf(paste(
    "`%s` has %s that the training data did not have: %s%s. Fit to data that have or declare it, or set it to",
    "NA, a missing value."
  ), label, if (length(unknown) == 1L) "a level" else "levels", enumerate(unknown), others), "unknown_level",
  label, unknown)
}

indicators <- function(column, name, levels, label, missing) {
  value <- as.character(column)
  known <- !is.na(value)
  absent <- isTRUE(attr(levels, "absent"))
  others <- if (identical(attr(levels, "absent"), FALSE)) {
    "; kernels of factors allow for it, but another kernel uses this factor, too"
  } else ""
  if (!all(known) && !missing && !absent) {
    mk_abort(paste0(sprintf("`%s` has %s (%s %%); the first is in row %d%s.", label,
                            count_of(sum(!known), "missing value"), format(signif(100 * mean(!known), 2L)),
                            which(!known)[1L], others),
                    if (grepl("^x[$]", label)) paste(" Give mkl() or cv_mkl() `impute = \"median\"`, or leave",
                                                     "these rows out.")),
             "missing_values", label)
  }
  if (!length(levels) && length(value)) {
    mk_abort(sprintf("Leave `%s` out, as by `%s <- NULL`: it has no value in any row.", label, label),
             "missing_values", label)
  }
  code <- match(value, levels)
  if (anyNA(code[known]) && !absent) abort_unknown_levels(unique(value[known & is.na(code)]), label, others)
  out <- matrix(0, length(code), length(levels), dimnames = list(NULL, paste0(name, levels)))
  known <- !is.na(code)
  out[cbind(which(known), code[known])] <- 1
  if (!absent) out[!known, ] <- NA
  out
}
