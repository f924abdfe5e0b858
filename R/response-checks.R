# Checks that responses of all kinds have in common.

# One value (row) of y or weights for each sample.
check_value_count <- function(x, samples, argument) {
  n <- NROW(x)
  if (n == samples$n) return(invisible())
  if (argument == "y" && is.character(x) && n == 1L) refuse_column_name(x, samples)
  message <- sprintf("`%s` must have one value per row of %s (%d), not %d.", argument,
                     if (samples$kind == "training") samples$label else "the data", samples$n, n)
  turned <- if (argument == "y") {
    Find(function(view) identical(view$width, as.integer(n)), samples$views)
  }
  mk_abort(paste0(message, if (!is.null(turned)) wide_hint(turned, n)), "length", argument, n)
}

# Refuses the name of a column of plain data, which names the response only in containers and tables on disk.
refuse_column_name <- function(name, samples) {
  view <- Find(function(view) name %in% view$given, samples$views)
  if (is.null(view)) return(invisible())
  mk_abort(sprintf(paste("Give the column itself as `y`, `%s[, \"%s\"]`, and leave it out of `%s`%s: `y` is",
                         "the name of a column only for containers and tables on disk."), view$code, name,
                   view$code,
                   if (view$code == "x" && view$frame)
                     sprintf(", or a formula, `%s(%s ~ ., x)`", called_function(), name) else ""),
           "length", "y", name)
}

# Checks that `loss` and `type` allow a response that is not numeric.
check_classes_asked <- function(y, loss, kind) {
  if (kind == "censored") {
    mk_abort(paste0("`", if (is.null(loss)) "type` is \"censored\"" else "loss` is the censored loss",
                    ", for times: `y` must be a Surv object of package survival, as by ",
                    "Surv(time, status)."), "invalid_argument", if (is.null(loss)) "type" else "loss",
             loss)
  }
  if (kind == "regression" && is.null(loss)) {
    mk_abort(sprintf(paste(
      "`type` is \"regression\", but `y` is %s. Give numbers%s, or leave `type` out for classes."
    ), describe(y), numbers_advice(y)), "invalid_argument", "y", y)
  }
  if (kind == "regression") {
    mk_abort(sprintf(paste(
      "`loss` is the %s, for regression, but `y` holds classes. Give a numeric `y`, or a loss for",
      "classes: \"hinge\", \"squared_hinge\", \"logistic\" or \"squared\"."
    ), format(loss)), "invalid_argument", "loss", loss)
  }
}

# Advice for turning classes into numbers.
numbers_advice <- function(y) {
  numeric <- is.logical(y) || !anyNA(suppressWarnings(as.numeric(as.character(unique(y)))))
  if (is.character(y) && !numeric) return("")
  sprintf(", as by `%s`", if (!numeric) "as.integer(y)" else
    if (is.factor(y)) "as.numeric(as.character(y))" else "as.numeric(y)")
}

check_summable <- function(y, argument) {
  if (!is.numeric(y) || all(abs(y) < 1e307)) return(invisible())
  mk_abort(sprintf("Rescale `%s`: sums of values above 1e307 overflow double precision.", argument),
             "not_finite",
           argument, max(abs(y)))
}

# What to do about rows without a response. known: code that finds the others, %s for the response; all: ", "
# for a matrix.
missing_response_advice <- function(samples, known, all = "") {
  variable <- samples$response
  if (!is.null(variable) && is.null(samples$views[[1L]]$container)) { # of a table on disk
    return(sprintf(" Leave these rows out, as by `dplyr::filter(%s, !is.na(%s))`.", samples$views[[1L]]$code,
                   variable))
  }
  if (!is.null(variable)) {
    return(sprintf(" Leave these samples out, as by `keep <- %s` and %s.",
                   sprintf(known, paste0("x$", variable)), kept_rows_code(samples)))
  }
  sprintf(" Leave these rows out, as by `keep <- %s`, %s and `y[keep%s]`; a formula leaves out rows with NA.",
          sprintf(known, "y"), kept_rows_code(samples), all)
}

# Code that takes the rows `keep` of the data that a response belongs to.
kept_rows_code <- function(samples) {
  paste(c(if (length(samples$views)) kept_views_code(samples$views, isTRUE(samples$joined)),
          if (samples$matrices) "`K[keep, keep]` of kernel matrices"), collapse = ", ")
}

# parts: of the views; joined: whether they have different samples.
kept_views_code <- function(parts, joined) {
  own <- vapply(parts, function(part) sub("common", "keep", subsetting(part), fixed = TRUE), "")
  if (parts[[1L]]$code == "x" || !is.null(parts[[1L]]$container)) return(sprintf("`%s`", own[1L]))
  if (joined) {
    return("`lapply(x, function(view) view[rownames(view) %in% names(y)[keep], , drop = FALSE])`")
  }
  rows <- vapply(parts, `[[`, "", "kind") == "rows"
  if (all(rows)) "`lapply(x, function(view) view[keep, , drop = FALSE])`" else enumerate(own, 10L)
}

# A row among those that were given, by its name if it has one.
given_row <- function(samples, row, names) {
  if (is.null(names) && !is.null(samples$kept)) format(samples$kept[row]) else row_text(row, names)
}

# samples: those of a response, for the advice.
check_no_missing <- function(x, argument, samples = NULL) {
  # a factor may have a level NA, made by addNA()
  bad <- which(if (is.numeric(x)) !is.finite(x) else is.na(as.character(x)))
  if (length(bad)) {
    mk_abort(sprintf(
      "`%s` must have no missing or infinite values, but has %d; the first is at %s.%s", argument, length(bad),
      given_row(samples, (bad[1] - 1L) %% NROW(x) + 1L, rownames(x) %||% names(x)),
      if (is.null(samples)) "" else
        missing_response_advice(samples, if (is.numeric(x)) "is.finite(%s)" else "!is.na(%s)")
    ), "missing_values", argument, bad)
  }
}
