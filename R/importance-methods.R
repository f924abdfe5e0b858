# Methods of permutation_importance() results: print, summary, tables.

#' Methods for importances
#'
#' Prints the importances of [permutation_importance()], the largest first, sums them up, and gives them as a
#' data frame or to package vip.
#'
#' @param x,object A result of [permutation_importance()].
#' @param digits Significant digits to print, a whole number from 1 to 22.
#' @param n How many units to print, those with the largest importance: a positive whole number, `Inf` for
#'   all, `NULL` for as many as 15 lines hold.
#' @param ... Not used; anything given is an error.
#' @return `print()`: the object, invisibly. `summary()`: an object that prints as a table of all units
#'   sorted by importance, a list with the data frame `importance` and the result `x`.
#'   `as.data.frame()`: the data frame `importance` of the result, sorted as it is there.
#'   `vip::vi()`, a method for package vip: a tibble of class `vi` with the columns `Variable`,
#'   `Importance` and `StDev` (the standard error), the largest importance first.
#' @seealso [permutation_importance()], [plot.permutation_importance]
#' @examples
#' fit <- mkl(Species ~ ., iris[seq(1, 150, 2), ])
#' found <- permutation_importance(fit, iris[seq(2, 150, 2), ], by = "feature")
#' found
#' summary(found)
#' as.data.frame(found)[c("feature", "importance")]
#' @name permutation_importance-methods
NULL

#' @rdname permutation_importance-methods
#' @export
print.permutation_importance <- function(x, digits = 3, n = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  print_importance(x, check_digits(digits), check_shown(n))
  invisible(x)
}

print_importance <- function(x, digits, n) {
  table <- sorted_importance(x)
  print_short(
    sprintf("%s\n%s\n\n", importance_title(x), importance_rows(x, digits)),
    short_table(importance_text(table, digits), x$by, "summary()", n, row.names = FALSE),
    sprintf("p: one-sided%s.\n", if (nrow(table) > 1L)
      sprintf(", adjusted over %d %ss (Benjamini-Hochberg)", nrow(table), x$by) else ""),
    sprintf("Intervals: how the same %s would do on other rows and by other swaps.\n",
            if (x$held_out) "fits" else "fit"), n = n
  )
}

importance_title <- function(x) {
  sprintf("%s when the values of a %s are swapped between rows", capital(loss_words(x)), x$by)
}

importance_rows <- function(x, digits) {
  sprintf("%s %s, %s without swaps, %s, intervals of %g %%", x$n,
          if (x$held_out) "rows held out of a cross-validation" else "new rows",
          format(x$value, digits = digits), count_of(ncol(x$repeats), "swap"), 100 * x$level)
}

# The sentence about an importance in report().
importance_sentence <- function(x) sprintf("%s: %s.", importance_title(x), importance_rows(x, 3L))

# "loss of accuracy", "rise of rmse"
loss_words <- function(x) {
  paste(if (x$larger) "loss of" else "rise of", gsub("_", " ", x$measure, fixed = TRUE))
}

sorted_importance <- function(x) {
  table <- x$importance[order(-x$importance$importance), , drop = FALSE]
  rownames(table) <- NULL
  table
}

unit_columns <- function(table) {
  intersect(c("feature", "set", "kernel", "group", "view"), names(table))
}

# Names of units; the view is added if there are several, or if it is the only label.
importance_text <- function(table, digits) {
  names <- table[unit_columns(table)]
  if (ncol(names) > 1L && length(unique(names$view)) == 1L) names$view <- NULL
  names[] <- lapply(names, shorten_apart, if (ncol(names) > 1L) 20L else 40L)
  values <- fixed_digits(as.matrix(table[c("importance", "lower", "upper")]), digits)
  cbind(names, as.data.frame(values), p = format.pval(table$p_adjusted, digits = 2, eps = 1e-4))
}

#' @rdname permutation_importance-methods
#' @export
summary.permutation_importance <- function(object, ...) {
  check_object(object)
  check_dots_empty(...)
  structure(list(importance = sorted_importance(object), x = object),
            class = c("summary.permutation_importance", "mkl_whole"))
}

#' @rdname permutation_importance-methods
#' @param row.names,optional Not used, as the units have names of their own.
#' @export
as.data.frame.permutation_importance <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_object(x)
  check_dots_empty(...)
  x$importance
}

#' @rdname mkl-tidiers
#' @method tidy permutation_importance
#' @rawNamespace S3method(generics::tidy,permutation_importance)
tidy.permutation_importance <- function(x, ...) {
  check_object(x)
  check_dots_empty(...)
  as_table(x$importance)
}

#' @rdname mkl-tidiers
#' @method glance permutation_importance
#' @rawNamespace S3method(generics::glance,permutation_importance)
glance.permutation_importance <- function(x, ...) {
  check_object(x)
  check_dots_empty(...)
  as_table(data.frame(measure = x$measure, value = x$value, by = x$by, units = nrow(x$importance),
                      n = x$n, repeats = ncol(x$repeats), level = x$level))
}

# Registers a method of vip::vi(), which vip::vip() uses.
register_vip <- function() {
  registerS3method("vi", "permutation_importance", vi_of_importance, asNamespace("vip"))
}

vi_of_importance <- function(object, ...) {
  check_object(object)
  check_dots_empty(...)
  table <- sorted_importance(object)
  as_vi <- as_table(data.frame(Variable = unit_names(table), Importance = table$importance, StDev = table$se))
  structure(as_vi, class = unique(c("vi", class(as_vi))), type = "permutation")
}

# One name for each unit, with its view where names would be the same.
unit_names <- function(table) {
  columns <- unit_columns(table)
  name <- table[[columns[1L]]]
  if (!anyDuplicated(name)) name else paste(table$view, name, sep = ":")
}
