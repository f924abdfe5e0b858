# Samples by their names. Views, kernel matrices, the response and weights are parts of the data;
# those that have names are brought into the order of one of them, the reference.

# A part of the data. names: those of the samples, or NULL; label: the part in words; code: the part as R
# code; kind: "rows" (of a matrix or data frame), "values" (of a vector), "kernel" (rows and columns) or
# "training" (the rows of a fit); columns, width: names and number of the columns of rows; container: the
# container that the rows come from, or NULL.
sample_part <- function(names, n, code, kind, label = sprintf("`%s`", code), columns = NULL,
                        width = NULL, container = NULL) {
  if (!any(nzchar(names) & !is.na(names))) names <- NULL
  list(names = names, n = n, label = label, code = code, kind = kind, columns = columns,
       width = width, container = container)
}

# frames: which views come from data frames, whose automatic row names are the row numbers.
view_parts <- function(views, codes, frames) {
  container <- attr(views, "container", exact = TRUE)
  views <- plain_views(views)
  lapply(seq_along(views), function(k) {
    view <- views[[k]]
    names <- row_names(view)
    if (is.null(names) && frames[[k]]) names <- as.character(seq_len(nrow(view)))
    kind <- if (is_text(view)) "values" else "rows"
    sample_part(names, NROW(view), codes[[k]], kind, columns = colnames(view), width = NCOL(view),
                container = container)
  })
}

# Parts of kernel matrices, one for each set of names; `kernels` of a part are positions in `rows`.
kernel_parts <- function(rows, size, name) {
  groups <- unique(Filter(Negate(is.null), rows))
  group <- match(rows, groups, nomatch = 0L)
  lapply(seq_along(groups), function(g) {
    mine <- which(group == g)
    label <- paste(if (length(mine) == 1L) "kernel" else "kernels", enumerate(name[mine]))
    c(sample_part(groups[[g]], size, "K", "kernel", label), list(kernels = mine))
  })
}

# A vector, a factor, or a matrix or data frame with one row for each sample.
value_part <- function(x, code) {
  table <- length(dim(x)) == 2L
  names <- if (is.data.frame(x)) row.names(x) else
    if (length(dim(x))) dimnames(x)[[1L]] else names(x)
  sample_part(names, NROW(x), code, if (table) "rows" else "values")
}

# The rows of views and kernels that a response and weights belong to; `views` are their parts.
data_samples <- function(views, kernels = NULL, n = view_rows(views)) {
  codes <- if (is_single(views)) "x" else sprintf("x$%s", names(views))
  encoders <- attr(views, "encoders", exact = TRUE)
  own <- view_parts(views, codes, !vapply(encoders, is.null, NA))
  own <- Map(function(part, encoder) {
    c(part, list(given = names(encoder) %||% part$columns, frame = !is.null(encoder)))
  }, own, encoders)
  out <- reference_part(c(own, precomputed_parts(kernels))) %||%
    sample_part(NULL, n, "x", "rows", "the data")
  known <- attr(views, "samples", exact = TRUE)
  if (isTRUE(known$assembled)) out$label <- "all views"
  matrices <- !is.null(kernels) && "precomputed" %in% kernel_field(leaf_kernels(kernels), "type")
  c(out, list(views = own, matrices = matrices), known)
}

precomputed_parts <- function(kernels) {
  if (is.null(kernels)) return(list())
  mine <- which(kernel_field(kernels, "type") == "precomputed")
  if (!length(mine)) return(list())
  parts <- kernel_parts(lapply(kernel_field(kernels, "parameters")[mine], `[[`, "rows"),
                        precomputed_size(kernels), names(kernels)[mine])
  lapply(parts, function(part) replace(part, "kernels", list(mine[part$kernels])))
}

# The first part with names; row numbers are names only if the first proper names are the same.
reference_part <- function(parts) {
  named <- parts[lengths(lapply(parts, `[[`, "names")) > 0L]
  if (length(named) < 2L) return(if (length(named)) named[[1L]])
  numbers <- vapply(named, function(part) is_row_numbers(part$names), NA)
  if (!all(numbers)) {
    proper <- named[[which(!numbers)[1L]]]$names
    named <- Filter(function(part) !is_row_numbers(part$names) || setequal(part$names, proper),
                    named)
  }
  named[[1L]]
}

is_row_numbers <- function(names) identical(names, as.character(seq_along(names)))

# For each part the positions that bring its samples into the order of the reference.
order_parts <- function(parts, argument, reference = reference_part(parts)) {
  lapply(parts, sample_order, reference, argument)
}

# The positions of a part's samples in the order of the reference; NULL if the order is right or there is
# nothing to match. Row numbers count as names only if the other side has the same.
sample_order <- function(part, reference, argument) {
  given <- part$names
  wanted <- reference$names
  if (is.null(given) || is.null(wanted) || identical(given, wanted)) return(NULL)
  same <- setequal(given, wanted)
  if (!same && (is_row_numbers(given) || is_row_numbers(wanted))) return(NULL)
  check_names(part, argument)
  check_names(reference, argument)
  if (!same) refuse_repeated(part, reference, argument)
  if (!same) refuse_numbered(part, reference, argument)
  if (!same) abort_other_samples(part, reference, argument)
  twice <- c(given[duplicated(given)], wanted[duplicated(wanted)])
  if (length(twice)) abort_ambiguous(part, reference, unique(twice), argument)
  inform_order(part, reference, argument)
  match(wanted, given)
}

# A vector, matrix or data frame in the order of the samples, or the name of a variable of theirs.
in_sample_order <- function(x, samples, code) {
  if (is_variable(x, samples)) return(take_variable(x, samples, code))
  part <- value_part(x, code)
  if (is.null(part$names) && isTRUE(samples$assembled) && part$n > 1L) abort_unnamed(part, samples)
  take_rows(x, sample_order(part, samples, code))
}

# Values of the samples that stay, of those that were given for all.
kept_values <- function(x, samples) {
  if (is.null(samples$kept) || NROW(x) != samples$n) x else take_rows(x, samples$kept)
}

# One value per sample, or NULL: those of the samples that are used, in their order.
of_samples <- function(x, samples, argument) {
  if (is.null(x)) return(NULL)
  x <- in_sample_order(x, samples, argument)
  if (argument == "group" && is.atomic(x) && length(x) == samples$n) {
    check_group_known(x, at = samples$kept %||% seq_along(x))
  }
  kept_values(x, samples)
}

# Refuses missing values of a group. at: the rows that are used.
check_group_known <- function(group, argument = "group", at = seq_along(group)) {
  bad <- at[is.na(group[at])]
  if (length(bad)) {
    mk_abort(sprintf("`%s` must have no missing values, but has %d; the first is at %s.", argument,
                     length(bad), row_text(bad[1L], names(group))), "missing_values", argument)
  }
}

take_rows <- function(x, order) {
  if (is.null(order)) return(x)
  if (length(dim(x)) == 2L) x[order, , drop = FALSE] else x[order]
}

samples_text <- function(part) {
  if (part$kind == "rows") paste("the rows of", part$label) else part$label
}

inform_order <- function(part, reference, argument) {
  mk_inform(sprintf("%s: put in the order of %s, by the names of the samples.", capital(part$label),
                    samples_text(reference)), "row_order", argument)
}

# Names that samples can be found by.
check_names <- function(part, argument) {
  bad <- which(is.na(part$names) | !nzchar(part$names))
  if (!length(bad)) return(invisible())
  mk_abort(sprintf("%s names some samples, but not all: the name of number %d is %s.",
                   capital(part$label), bad[1L],
                   if (is.na(part$names[bad[1L]])) "missing" else "empty"),
           "sample_names", argument, bad)
}

# Refuses repeated names, which are the reason that names of two parts differ.
refuse_repeated <- function(part, reference, argument) {
  for (one in list(part, reference)) {
    twice <- unique(one$names[duplicated(one$names)])
    if (!length(twice)) next
    other <- if (identical(one, part)) reference else part
    numbered <- any(sub("[.][0-9]+$", "", setdiff(other$names, one$names)) %in% twice)
    mk_abort(capital(sprintf(
      "%s has %s more than once. Make the names unique, or remove them, as by `%s`.%s", one$label,
      enumerate(twice), unnaming(one), if (numbered) sprintf(paste(
        " Data frames number repeated rows, such as `%s.1` in %s: where all views have the same rows,",
        "remove the names of both, `%s`, too."), twice[1L], other$label, unnaming(other)) else ""
    )), c("duplicated_samples", "sample_names"), argument, twice)
  }
}

# Refuses rows that a data frame has numbered, as in `x[c(1, 1), ]`, and that are the reason that names of two
# parts differ.
refuse_numbered <- function(part, reference, argument) {
  for (one in list(part, reference)) {
    other <- if (identical(one, part)) reference else part
    extra <- setdiff(one$names, other$names)
    first <- sub("[.][0-9]+$", "", extra)
    numbered <- first != extra & first %in% one$names
    if (!any(numbered)) next
    mk_abort(capital(sprintf(paste(
      "%s has %s more than once, as data frames number repeated rows: %s. Give each sample once; where both",
      "have the same rows, remove the names of both, `%s` and `%s`."
    ), one$label, enumerate(unique(first[numbered])), enumerate(extra[numbered]), unnaming(one),
    unnaming(other))), c("duplicated_samples", "sample_names"), argument, extra[numbered])
  }
}

# ---- samples that don't match --------------------------------------------------------------------

abort_ambiguous <- function(part, reference, twice, argument) {
  mk_abort(capital(sprintf(paste(
    "%s can't be matched to %s by name: %s more than once, and the order differs. Make the names",
    "unique, or remove them, as by `%s`."
  ), part$label, samples_text(reference),
  paste(enumerate(twice), if (length(twice) == 1L) "appears" else "appear"),
  unnaming(part))), "duplicated_samples", argument, twice)
}

abort_unnamed <- function(part, reference) {
  mk_abort(sprintf(paste(
    "%s must have names: the samples are those of several views, put together by name, as %s."
  ), capital(part$label), if (is.null(reference$views)) "no view of `newdata` has all of them in one order" else
    paste(reference$views[[1L]]$label, "does not have all of them")), "sample_names", part$code)
}

abort_other_samples <- function(part, reference, argument) {
  common <- intersect(part$names, reference$names)
  message <- if (length(common)) {
    sprintf("%s and %s have different names of samples: %s.", part$label, reference$label,
            difference_text(part, reference, length(common)))
  } else {
    sprintf("%s and %s have no names of samples in common: %s in %s, %s in %s.", part$label,
            reference$label, enumerate(part$names), part$label, enumerate(reference$names),
            reference$label)
  }
  size <- if (part$kind == "values" && is.null(part$width)) "length" else "dimension"
  class <- c("sample_names", if (part$n != reference$n) size, if (lack_some(part, reference)) "missing_views")
  mk_abort(paste(capital(message), matching_hint(part, reference, length(common))), class, argument,
           setdiff(part$names, common))
}

difference_text <- function(part, reference, common) {
  only <- function(one, other) {
    names <- setdiff(one$names, other$names)
    if (length(names)) sprintf("%d in %s only (%s)", length(names), one$label, enumerate(names))
  }
  paste(c(only(part, reference), only(reference, part), sprintf("%d in both", common)),
        collapse = ", ")
}

matching_hint <- function(part, reference, common) {
  turned <- transposed_part(part, reference$names) %||% transposed_part(reference, part$names)
  if (!is.null(turned)) return(transpose_hint(turned))
  if (reference$kind == "training") return("Give the same samples as in training.")
  several <- length(reference$views) > 1L && all(vapply(reference$views, `[[`, "", "kind") == "rows")
  if (several && is.null(reference$views[[1L]]$container) && common > 0L && part$kind != "kernel") {
    return(sprintf(paste(
      "Leave the others out of every view, as by `x <- lapply(x, function(view) view[rownames(view)",
      "%%in%% %s, , drop = FALSE])`%s."
    ), naming(part), if (common < part$n) sprintf(
      ", and then out of `%s`, `%s <- %s`", part$code, part$code,
      sub("common", sprintf("%s %%in%% unlist(lapply(x, rownames))", naming(part)), subsetting(part),
          fixed = TRUE)
    ) else ""))
  }
  if (part$kind == "kernel" && reference$kind == "kernel") {
    return("Give all matrices the samples that they share, as by `K[common, common]`.")
  }
  if (common == 0L) {
    other <- part$kind == "kernel" && is.null(reference$container)
    return(sprintf("Where they are the same samples row by row, remove the names: `%s`.",
                   unnaming(if (other) reference else part)))
  }
  both_views <- !is.null(part$width) && !is.null(reference$width)
  if (both_views && !is.null(part$container)) {
    return(sprintf(paste("Take the samples that all experiments have, as by",
                         "`MultiAssayExperiment::intersectColumns(%s)`; or see `missing_views` of mkl()."),
                   part$container$code))
  }
  sprintf("Take the samples that both have: `common <- intersect(%s, %s)`, then `%s` and `%s`%s.",
          naming(part), naming(reference), subsetting(part), subsetting(reference),
          if (both_views) "; or see `missing_views` of mkl()" else "")
}

# A part whose columns have the names of samples.
transposed_part <- function(part, samples) {
  if (!is.null(part$container) || !length(part$columns) || !length(samples)) return(NULL)
  if (mean(samples %in% part$columns) > 0.5) part
}

transpose_hint <- function(part) {
  sprintf("The columns of %s have names of samples; samples must be its rows: give `t(%s)`.",
          part$label, part$code)
}

# Description of a wrong number of rows if a reason is found; "" otherwise.
count_hint <- function(part, reference) {
  known <- !is.null(part$names) && !is.null(reference$names) &&
    !is_row_numbers(part$names) && !is_row_numbers(reference$names)
  if (known) {
    common <- length(intersect(part$names, reference$names))
    if (common > 0L) {
      return(paste0(" By name, ", difference_text(part, reference, common), ". ",
                    matching_hint(part, reference, common)))
    }
  }
  turned <- transposed_part(part, reference$names) %||% transposed_part(reference, part$names)
  if (!is.null(turned)) return(paste0(" ", transpose_hint(turned)))
  if (known && !is.null(transposed_part(part, reference$columns))) {
    return(sprintf(paste(" %s and %s share names of columns, not of rows; if these are the samples, give views",
                         "as `t(%s)`."),
                   capital(part$label), reference$label, part$code))
  }
  wide_hint(part, reference$n) %||% wide_hint(reference, part$n) %||% ""
}

wide_hint <- function(part, n) {
  if (!is.null(part$container) || !identical(part$width, as.integer(n))) return(NULL)
  sprintf(" %s has %d columns: if these are the samples, give `t(%s)`.", capital(part$label), n,
          part$code)
}

naming <- function(part) {
  text <- switch(part$container$class %||% part$kind, values = "names(%s)",
                 SummarizedExperiment = "colnames(%s)",
                 MultiAssayExperiment = "rownames(MultiAssayExperiment::colData(%s))", "rownames(%s)")
  sprintf(text, part$container$code %||% part$code)
}

subsetting <- function(part) {
  container <- part$container
  if (!is.null(container)) {
    several <- container$class == "MultiAssayExperiment"
    return(paste0(container$code, if (several) "[, common, ]" else "[, common]"))
  }
  index <- switch(part$kind, rows = "[common, ]", values = "[common]", kernel = "[common, common]")
  paste0(part$code, index)
}

unnaming <- function(part) {
  side <- switch(part$kind, values = "names", kernel = "dimnames", "rownames")
  sprintf("%s(%s) <- NULL", side, part$code)
}

capital <- function(text) {
  substr(text, 1L, 1L) <- toupper(substr(text, 1L, 1L))
  text
}

check_same_rows <- function(parts, names, argument) {
  rows <- vapply(parts, `[[`, 0L, "n")
  odd <- which(rows != rows[1L])
  if (length(odd) == 0L) return(invisible())
  message <- sprintf("The views of `%s` must have the same number of rows, not %s.", argument,
                     paste0(rows, " (`", names, "`)", collapse = ", "))
  apart <- lack_some(parts[[odd[1L]]], parts[[1L]])
  mk_abort(paste0(message, count_hint(parts[[odd[1L]]], parts[[1L]])),
           c("dimension", if (apart) "missing_views"), argument, rows)
}

# Whether two views have samples in common, by name, and others that only one of them has.
lack_some <- function(part, reference) {
  proper <- vapply(list(part, reference), function(one) {
    !is.null(one$width) && !is.null(one$names) && !is_row_numbers(one$names)
  }, NA)
  all(proper) && any(part$names %in% reference$names) && !setequal(part$names, reference$names)
}

# Whether x names a variable of the samples. The value of a single row may be text, too: one of the classes.
is_variable <- function(x, samples, classes = NULL) {
  variables <- samples$variables
  if (is.null(variables) || !is.character(x) || length(x) != 1L || !is.null(names(x))) return(FALSE)
  known <- if (is_table(variables)) variables$columns else names(variables)
  samples$n != 1L || x %in% setdiff(known, classes)
}

# Positions of samples among rows, by name; NULL unless both have names.
named_rows <- function(names, rows) if (length(names) && length(rows)) match(names, rows)

# Refuses the name of a column that a table lacks.
check_variable <- function(name, argument, label, columns) {
  if (name %in% columns) return(invisible())
  mk_abort(sprintf("Name a column of %s as `%s`: it has no `%s`, but %s.", label, argument, name,
                   enumerate(columns, 10L)), "unknown_variable", argument, name)
}

# In the order of the samples; those of a container that have no assay at all are left out.
take_variable <- function(name, samples, argument) {
  variables <- samples$variables
  if (is_table(variables)) {
    check_variable(name, argument, samples$label, variables$columns)
    return(take_rows(table_variable(variables, name), named_rows(samples$names, variables$rows)))
  }
  if (!name %in% names(variables)) {
    mk_abort(sprintf("`%s` is \"%s\", but colData has %s.", argument, name,
                     if (length(variables)) enumerate(names(variables), 10L) else "no columns"),
             "unknown_variable", argument, name)
  }
  value <- take_rows(variables[[name]], named_rows(samples$names, row.names(variables)))
  if (length(dim(value)) == 2L && !inherits(value, "Surv")) rownames(value) <- samples$names else
    names(value) <- samples$names
  value
}
