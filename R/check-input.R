# Input that could be read as numbers of the data but hardly ever is meant so: kernels and distances
# in the place of features, identifiers as classes, dates.

# ---- kernels and distances -----------------------------------------------------------------------

# Views that are kernels already, or distances, before they need names.
refuse_kernels <- function(x, argument) {
  named <- nzchar(names(x) %||% character(length(x)))
  Map(refuse_kernel_class, x, ifelse(named, paste0(argument, "$", names(x)),
                                     sprintf("%s[[%d]]", argument, seq_along(x))))
}

# Refuses classes that are no matrix of features, in new data, too.
refuse_kernel_class <- function(x, label) {
  if (inherits(x, c("kernel_set", "kernel_dictionary"))) {
    abort_kernel(label, "is a set of kernels, not data", sprintf(paste(
      "give it by name, `%1$s(x, y, kernels = k)`, or `%1$s(y = y, kernels = k)` where all kernels",
      "are precomputed"
    ), called_with_kernels()))
  }
  if (inherits(x, c("kernelMatrix", "KernelMatrix"))) {
    abort_kernel(label, "is a kernel matrix, not features", precomputed_advice(label))
  }
  if (inherits(x, "dist")) {
    abort_kernel(label, "holds distances, not features", sprintf(paste(
      "give `gaussian_kernel(width, distance = %s)` among the `kernels`; widths are in squared units",
      "of the distance"
    ), label))
  }
  if (is.numeric(x) && length(dim(x)) == 3L) {
    abort_kernel(label, sprintf("is %s, not a matrix of features", describe(x)),
                 paste(precomputed_advice(label), "if these are kernel matrices"))
  }
}

# Refuses symmetric matrices among the views that kernels use: kernels, correlations or distances. Diagonal
# ones may be features, and data frames always are.
refuse_symmetric <- function(views, read = names(views)) {
  frames <- !vapply(attr(views, "encoders", exact = TRUE), is.null, NA)
  for (name in setdiff(read, c(NA, names(views)[frames]))) {
    refuse_symmetric_view(views[[name]], if (is_single(views)) "x" else paste0("x$", name))
  }
}

refuse_symmetric_view <- function(x, label) {
  refuse <- function(what, advice) {
    abort_kernel(label, sprintf(what, nrow(x), ncol(x)),
                 sprintf("%s, or `as.data.frame(%s)` if its columns are features", advice, label))
  }
  if (is_symmetric_matrix(x)) {
    refuse("is a symmetric %d x %d matrix, a kernel or distances, not features", precomputed_advice(label))
  }
  names <- if (is.matrix(x)) dimnames(x)
  if (!is.null(names[[1L]]) && identical(names[[1L]], names[[2L]])) {
    refuse("is a %d x %d matrix of samples and samples by its names, similarities or distances, not features",
           sub("precomputed", "score", precomputed_advice(label)))
  }
}

is_symmetric_matrix <- function(x) {
  if (!is.matrix(x) || nrow(x) != ncol(x) || nrow(x) < 3L) return(FALSE)
  names <- Filter(Negate(is.null), dimnames(x))
  if (length(names) == 2L && !identical(names[[1L]], names[[2L]])) return(FALSE)
  alike <- function(a, b) isTRUE(all(abs(a - b) <= 1e-8 * max(abs(a))))
  if (!alike(x[1L, ], x[, 1L])) return(FALSE)
  alike(x, t(x)) && any(x[lower.tri(x)] != 0)
}

# The function that was called, if it takes `kernels`.
called_with_kernels <- function() {
  name <- called_function()
  if (name %in% c("mllkm", "mkl_sequential")) "mkl" else name
}

precomputed_advice <- function(label) {
  if (label == "x") return(sprintf("give `%s(y = y, kernels = precomputed_kernel(x))`", called_with_kernels()))
  sprintf("give `precomputed_kernel(%s)` among the `kernels`", label)
}

abort_kernel <- function(label, what, advice) {
  mk_abort(sprintf("`%s` %s: %s.", label, what, advice), "kernel_as_data", label)
}

# ---- identifiers ---------------------------------------------------------------------------------

# More than 10 values, and nine or more for every ten rows: indicators of them would separate every training
# row from all others, and be 0 on new ones.
is_identifier <- function(column) {
  if (!(is.factor(column) && nlevels(column) > 10L || is.character(column))) return(FALSE)
  known <- column[!is.na(column)]
  distinct <- length(unique(as.vector(known)))
  distinct > 10L && distinct >= 0.9 * length(known)
}

# Columns of a data frame or a model frame.
check_identifiers <- function(x, label) {
  if (!is.data.frame(x)) return(invisible())
  for (name in names(x)) {
    if (is_identifier(x[[name]])) abort_identifier(x[[name]], paste0(label, "$", name), label)
  }
}

abort_identifier <- function(column, label, frame) {
  advice <- if (is_text_of_numbers(column)) {
    sprintf("Make it numbers, as by `as.numeric(as.character(%s))`", label)
  } else if (is_text_of_sequences(column)) {
    sprintf("Sequences are a view of their own, as in `x = list(sequence = %s, other = ...)`", label)
  } else {
    sprintf("Leave it out, or make it row names, as by `rownames(%s) <- %s`", frame, label)
  }
  mk_abort(sprintf("`%s` identifies rows: it is %s with %s. %s.", label,
                   if (is.factor(column)) "a factor" else "text", values_text(column), advice),
           "identifier", label, column)
}

# A response whose classes are the rows.
refuse_identifier_response <- function(y, argument = "y") {
  if (!is_identifier(if (is.numeric(y)) as.character(y) else y)) return(invisible())
  advice <- if (is.numeric(y)) {
    "For regression give `type = \"regression\"`."
  } else if (is_text_of_numbers(y)) {
    sprintf("For regression make it numbers, as by `as.numeric(as.character(%s))`.", argument)
  } else {
    "Give the classes of the rows, or numbers for regression."
  }
  known <- y[!is.na(y)]
  mk_abort(sprintf("`%s` has %s in %s, nearly one for each row. %s", argument,
                   count_of(length(unique(as.vector(known))), "class", "classes"),
                   count_of(length(known), "row"), advice), "identifier", argument)
}

values_text <- function(column) {
  known <- column[!is.na(column)]
  sprintf("%s in %s", count_of(length(unique(as.vector(known))), "distinct value"),
          count_of(length(known), "row"))
}

# Numbers that were read as text, but for a few entries such as "?".
is_text_of_numbers <- function(column) {
  values <- unique(as.character(column))
  mean(!is.na(suppressWarnings(as.numeric(values)))) >= 0.9
}

# Long words of one length or another, in letters alone and few different ones.
is_text_of_sequences <- function(column) {
  if (!is.character(column)) return(FALSE)
  known <- column[!is.na(column)]
  letters <- unique(strsplit(toupper(paste(known, collapse = "")), "")[[1L]])
  stats::median(nchar(known)) >= 10 && length(letters) <= 26L && all(letters %in% LETTERS)
}

# ---- offsets -------------------------------------------------------------------------------------

# Interfaces that make a data frame of a formula have a column of an offset() term.
refuse_offset <- function(x, label) {
  if (!is.data.frame(x)) return(invisible())
  terms <- grep("^(stats::)?offset\\(", names(x), value = TRUE)
  if (length(terms)) {
    mk_abort(sprintf(paste(
      "`%s` has an offset() term as a column, `%s`, which would be a predictor. Take it out of the",
      "formula; in a regression subtract it from the response instead."
    ), label, terms[1L]), "unsupported", label, terms)
  }
}

# ---- dates ---------------------------------------------------------------------------------------

# Dates have no natural unit: days and seconds would make different kernels.
refuse_dates <- function(column, label) {
  if (!inherits(column, c("Date", "POSIXt", "difftime"))) return(invisible())
  mk_abort(sprintf(paste(
    "`%s` holds %s (class \"%s\"), whose unit you must choose: give numbers, as by",
    "`as.numeric(%s)`."
  ), label, if (inherits(column, "difftime")) "time spans" else "dates or times", class(column)[1L],
  label), "invalid_argument", label, class(column))
}

# Package bit64 stores its integers in the bits of doubles, which without it mean something else.
refuse_long_integers <- function(x, label) {
  if (!inherits(x, "integer64")) return(invisible())
  mk_abort(sprintf(paste("`%s` holds 64-bit integers (class \"integer64\"): make them numbers by",
                         "`bit64::as.double.integer64(%s)`."),
                   label, label), "invalid_argument", label, class(x))
}

# Weights of haven, perhaps with labels, and of hardhat are numbers.
plain_weights <- function(weights) {
  if (inherits(weights, c("haven_labelled", "hardhat_case_weights"))) without_user_missing(weights) else weights
}

# Case weights of hardhat say how rows count, and nothing about the samples.
refuse_case_weights <- function(column, label) {
  if (!inherits(column, "hardhat_case_weights")) return(invisible())
  mk_abort(sprintf("Give `%s` as `weights` and not among the predictors: it holds case weights of package hardhat.",
                   label), "predictor", label, class(column))
}

# SPSS has values that mean missing.
without_user_missing <- function(y) {
  values <- stats::setNames(as.vector(unclass(y)), names(y))
  range <- attr(y, "na_range", exact = TRUE)
  gone <- values %in% attr(y, "na_values", exact = TRUE)
  if (length(range) == 2L) gone <- gone | (values >= range[1L] & values <= range[2L])
  replace(values, which(gone), NA)
}

# ---- numbers that look like classes --------------------------------------------------------------

# Informs if the response has at most 10 whole numbers, each for three rows or more on average.
inform_regression <- function(y) {
  distinct <- unique(as.vector(y))
  few <- length(distinct) > 2L && length(distinct) <= 10L && length(y) >= 3L * length(distinct)
  if (!few || any(distinct != round(distinct))) return(invisible())
  mk_inform(sprintf(paste(
    "`y` holds %d distinct whole numbers, so this is a regression; for classes give",
    "`factor(y)`."
  ), length(distinct)), "regression", "y", sort(distinct))
}

# Informs if the response has two numbers, in a column or in all of a matrix, which may be a regression's.
inform_classes <- function(y) {
  if (!is.numeric(y)) return(invisible())
  distinct <- sort(unique(as.vector(y)))
  if (length(distinct) != 2L) return(invisible())
  mk_inform(sprintf(paste(
    "`y` holds only the numbers %s and %s, so %s; for a regression give `type = \"regression\"`."
  ), format(distinct[1L]), format(distinct[2L]), if (is.matrix(y))
    "its columns are labels" else "this is a classification"), "classification", "y", distinct)
}
