# Values that belong to the rows, such as the response or the patient, and are predictors, too.

# Warns of predictors that are `values` again, as by `.`. columns: a data frame of predictors.
warn_predictor <- function(values, argument, columns) {
  if (!is.atomic(values) || length(dim(values)) > 1L || length(unique(values)) < 2L) {
    return(invisible())
  }
  name <- same_columns(values, argument, columns)
  if (!length(name)) return(invisible())
  mk_warn(sprintf(paste(
    "`%s` is a predictor, too: leave `%s` out of the data, as in `y ~ . - %s`, or the model learns",
    "from it."
  ), argument, name[1L], code_name(name[1L])), "predictor", argument, name)
}

# The names of columns with the same values; a group is the same under other names. Fractions are measured, and
# name no groups: they may be the same in all rows of one.
same_columns <- function(values, argument, columns) {
  codes <- argument == "group" && anyDuplicated(values) > 0L
  same <- vapply(columns, function(column) {
    if (!is.null(dim(column)) || length(column) != length(values) || inherits(column, "hardhat_case_weights")) {
      return(FALSE)
    }
    named <- codes && !(is.double(column) && any(column %% 1 != 0, na.rm = TRUE))
    code <- if (named) function(x) match(x, unique(x)) else as.character
    identical(code(column), code(values))
  }, NA)
  names(columns)[same]
}

# A column of the data, of any view, that is given as `argument`.
warn_row_column <- function(values, argument, x) {
  values <- named_values(values, x)
  if (!is.atomic(values) || !is_name(values) && !anyDuplicated(values)) return(invisible())
  warn_columns(values, argument, x, function(view, values) {
    twin <- which(duplicated(values))[1L]
    view[twin, ] == view[match(values[twin], values), ]
  })
}

# Points out a response that is also a predictor, or that is NULL because a column has another name.
watch_response <- function(y, x) {
  code <- eval.parent(quote(substitute(y)))
  warn_response_column(y, x)
  if (is.null(y)) inform_no_column(code)
}

# A response such as data$clas, a column that is not there, is no request for a model of one class. Formula
# methods pass parts$y, which is one.
inform_no_column <- function(code) {
  if (!is.call(code) || !as.character(code[[1L]])[1L] %in% c("$", "[[") || identical(code, quote(parts$y))) {
    return(invisible())
  }
  mk_inform(sprintf("`y = %s` is NULL, so this is a model of one class: is it the name of a column?", deparse1(code)),
            "no_response", "y")
}

# The response among the data, as by mkl(iris, iris$Species).
warn_response_column <- function(y, x) {
  y <- named_values(y, x)
  if (!is.factor(y) && is.object(y) || !length(y)) return(invisible())
  warn_columns(y, "y", x, function(view, y) as.character(view[1L, ]) == as.character(y[1L]))
}

is_name <- function(values) is.character(values) && length(values) == 1L

# The column of colData, or of a table among views, that is named; the name of a column of the only table stays.
named_values <- function(values, x) {
  if (!is_name(values)) return(values)
  variables <- attr(x, "variables", exact = TRUE)
  if (values %in% names(variables)) {
    return(if (is.atomic(variables[[values]])) stats::setNames(variables[[values]], row.names(variables)))
  }
  owner <- if (is_view_list(x)) Find(function(view) is_table(view) && values %in% view$variables, x)
  if (is.null(owner)) values else table_variable(owner, values)
}

# may_be: which columns of a matrix are worth a look.
warn_columns <- function(values, argument, x, may_be) {
  if (!is.atomic(values) || length(dim(values)) > 1L) return(invisible())
  for (view in lapply(if (is_view_list(x)) x else list(x), plain_object)) {
    own <- values_of_rows(values, view)
    if (is_table(view)) view <- suspects_of(view, values, argument)
    table <- (is.matrix(view) && is.numeric(view)) || methods::is(view, "sparseMatrix")
    if (table && nrow(view) == length(own)) {
      suspects <- which(may_be(view, own))
      if (length(suspects)) view <- as.data.frame(as.matrix(view[, suspects, drop = FALSE]))
    }
    if (is.data.frame(view)) warn_predictor(attr(view, "values") %||% own, argument, view)
  }
}

# Returns the values in the order of the rows, where all have names.
values_of_rows <- function(values, view) {
  at <- named_rows(rownames(view), names(values))
  if (is.null(at) || anyNA(at)) values else values[at]
}

# The columns of a table on disk that begin as the values do, read as a whole, with these values; most tables
# have none.
suspects_of <- function(table, values, argument) {
  first <- table$head()
  name <- if (is_name(values)) values
  own <- if (is.null(name)) as_stored(table, values)[seq_len(nrow(first))] else first[[name]]
  if (is.null(own) || argument == "group" && !anyDuplicated(own)) return(NULL)
  suspects <- same_columns(own, argument, first[setdiff(names(first), table$variables)])
  if (!length(suspects)) return(NULL)
  columns <- lapply(stats::setNames(nm = suspects), table_variable, table = table)
  structure(columns, class = "data.frame", row.names = .set_row_names(table$n),
            values = if (is.null(name)) as_stored(table, values) else table_variable(table, name))
}

# Values as a table of single precision would have them.
as_stored <- function(table, values) {
  if (is.double(values) && !is.null(table$rounded)) table$rounded(values) else values
}
