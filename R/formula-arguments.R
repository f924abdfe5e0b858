# Checks of the arguments beside a formula, each by its own name, before R's model frames see them.

# A list or an environment with variables does, too.
check_formula_data <- function(data) {
  if (is.null(data) || is.data.frame(data) || is.environment(data)) return(invisible())
  if (!is.list(data) || inherits(data, "kernel_set")) {
    abort_argument(data, "data", paste0("a data frame with the variables of the formula",
                                        if (length(dim(data)) == 2L) ", as by `as.data.frame(data)`"))
  }
  tryCatch(as.data.frame(data, optional = TRUE), error = function(e) {
    mk_abort(sprintf("Give a data frame, or a list of variables with a value for each row, as `data`: %s.",
                     reason_text(e)), "invalid_argument", "data", data, parent = e)
  })
}

# NULL, or what model.matrix() takes.
check_contrasts <- function(contrasts) {
  if (is.null(contrasts)) return(NULL)
  fine <- is.list(contrasts) && !is.object(contrasts) && all(nzchar(names(contrasts) %||% "")) &&
    all(vapply(contrasts, is_contrast, NA))
  if (!fine) {
    abort_argument(contrasts, "contrasts", paste(
      "a list named by factor of functions, their names or matrices, such as `list(a = \"contr.sum\")`"
    ))
  }
  contrasts
}

is_contrast <- function(x) {
  is.function(x) || is.numeric(x) ||
    is.character(x) && length(x) == 1L && exists(x, mode = "function")
}

# A function that is NULL, or has its name given, as for model frames.
check_na_action <- function(na.action) {
  if (is.null(na.action)) return(stats::na.pass)
  named <- is.character(na.action) && length(na.action) == 1L && !na.action %in% c(NA, "")
  found <- if (named) get0(na.action, mode = "function") else na.action
  if (is.function(found)) return(found)
  abort_argument(na.action, "na.action", "NULL or a function such as na.pass or na.omit")
}

# The user's `na.action`, which names itself where it fails.
asked_action <- function(code, caller) {
  action <- check_na_action(eval(code, caller))
  function(frame) {
    tryCatch(action(frame), error = function(e) {
      mk_abort(sprintf("`na.action` refuses `data`: %s. Leave out these rows, as by `na.action = na.omit`.",
                       reason_text(e)), "missing_values", "data", parent = e)
    })
  }
}

# Refuses the name of a column as text: with a formula, arguments are evaluated in the data.
refuse_quoted <- function(value, argument, data) {
  if (!is.data.frame(data) || !is_name(value) || !value %in% names(data)) return(invisible())
  mk_abort(sprintf("Name the column without quotes, as in `%s = %s`: with a formula, `%s` is evaluated in `data`.",
                   argument, code_name(value), argument), "invalid_argument", argument, value)
}

# The value of an argument whose code is still to be run.
given_value <- function(value, argument) {
  tryCatch(value, error = function(e) {
    if (inherits(e, "manykernels_error")) stop(e)
    mk_abort(sprintf("`%s` can't be evaluated: %s. Give %s.", argument, reason_text(e), switch(
      argument, subset = "a condition on columns of `data`, or row numbers",
      folds = "the number of folds, or a vector with the fold of each row",
      contrasts = "a list named by factor, such as `list(a = \"contr.sum\")`",
      "a column of `data`, or a vector with a value for each row"
    )), "formula", argument, parent = e)
  })
}

check_row_weights <- function(weights, n, data) {
  if (!is.numeric(weights) || length(dim(weights)) > 1L) {
    abort_argument(weights, "weights", "a number for each row of `data`")
  }
  check_value_count(weights, list(n = n, kind = "data"), "weights")
}

# TRUE and FALSE, row numbers or row names. Factors would count by their codes.
check_subset <- function(subset, n, data) {
  kinds <- "TRUE and FALSE for each row, or numbers or names of rows"
  fine <- is.logical(subset) || is.numeric(subset) || is.character(subset)
  if (!fine || is.factor(subset) || is.logical(subset) && anyNA(subset) && all(is.na(subset))) {
    abort_argument(subset, "subset", kinds)
  }
  if (is.logical(subset)) {
    if (length(subset) && n %% length(subset)) check_value_count(subset, list(n = n, kind = "data"), "subset")
    return(invisible())
  }
  names <- if (is.data.frame(data)) row.names(data) else as.character(seq_len(n))
  odd <- if (is.character(subset)) !subset %in% names else
    !abs(subset) %in% 0:n | subset < 0 & any(subset > 0, na.rm = TRUE)
  if (!any(odd)) return(invisible())
  mk_abort(sprintf("`subset` must be %s: `data` has no row %s.", kinds,
                   enumerate(subset[odd])), "invalid_argument", "subset", subset[odd])
}

# R's own words, without the stop that ends the sentence they come to stand in.
reason_text <- function(e) sub("[.]?\\s*$", "", conditionMessage(e))
