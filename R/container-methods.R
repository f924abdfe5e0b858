# Fits to containers: methods choose the parts of a container to use and call the default methods.

# ---- the choice ----------------------------------------------------------------------------------

# The response; a column of colData needs quotes.
quoted_variable <- function(y, expression, x) {
  table <- if (holds_tables(x)) joined_tables(x, "x") else if (is_table(x)) x
  known <- table$columns %||% names(sample_variables(x, "x"))
  named <- is.name(expression) && as.character(expression) %in% known
  tryCatch(if (is.function(y) && named) stop("it is a function"), error = function(e) {
    mk_abort(sprintf("Give `y` as text to name a column of %s, as in `y = \"%s\"`: %s.",
                     if (!is.null(table)) "`x`" else "colData",
                     if (named) as.character(expression) else known[1L], conditionMessage(e)),
             "unknown_variable", "y", known, parent = e)
  })
  y
}

# The fit of a default method to the chosen views, with the call to it.
fit_container <- function(fit, generic, call, x, y, y_expression, assay, colData, kernels = NULL, ...) {
  call[[1L]] <- as.name(generic)
  if (is_table_on_disk(x)) x <- open_table(x, "x")
  tables <- is_table(x) || holds_tables(x)
  views <- if (!tables) unpacked(x, "x", join_sets(kernels), assay, colData, fit = TRUE)
  given <- list(views, ...)
  if (!is.null(kernels)) given$kernels <- kernels
  if (!missing(y)) given["y"] <- list(quoted_variable(y, y_expression, x))
  if (tables) given[[1L]] <- tables_without(x, given, assay, colData)
  check_variables_apart(colData, given)
  with_call(do.call(fit, given, quote = TRUE), call)
}

# A table, or a list of views with tables, without the columns that arguments name, which become variables of
# its samples.
tables_without <- function(x, given, assay, colData) {
  if (!is.null(c(assay, colData))) {
    abort_unsupported(if (is.null(assay)) "colData" else "assay", paste(
      "Choose columns of a table by `dplyr::select()`: `assay` and `colData` are for Bioconductor's containers."
    ))
  }
  columns <- if (is_table(x)) x$columns else joined_tables(x, "x")$columns
  named <- unlist(Filter(function(x) is.character(x) && length(x) == 1L,
                         given[c("y", "group", "folds", "weights")]))
  for (argument in names(named)) check_variable(named[[argument]], argument, "`x`", columns)
  if (is_table(x)) return(with_variables(x, named))
  x <- open_tables(x, paste0("x$", names(x)))
  x[] <- lapply(x, function(view) if (is_table(view)) with_variables(view, named) else view)
  x
}

# Columns of colData in the view and in another part, too.
check_variables_apart <- function(colData, given) {
  for (name in c("y", "group", "folds", "weights")) {
    if (!is.character(given[[name]]) || length(given[[name]]) != 1L || !given[[name]] %in% colData) next
    say <- if (name == "y") mk_abort else mk_warn
    say(sprintf("Leave `%s` out of `colData`: it is given as `%s`, and the model would learn from it.",
                given[[name]], name), if (name == "y") "invalid_argument" else "predictor", "colData",
               given[[name]])
  }
}

# ---- methods -------------------------------------------------------------------------------------

#' @rdname bioconductor
#' @param x The container, a `SummarizedExperiment` or `MultiAssayExperiment`.
#' @param y The response, or the name of a column of `colData`.
#' @param kernels,... Arguments of the default methods.
#' @param assay Names (or numbers) of the assays to use. `NULL` means the views that `kernels` use,
#'   or else the first assay of each experiment, with a message.
#' @param colData Names of columns of `colData` to use as a further view, called `colData`.
#' @export
mkl.mk_container <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl.default, "mkl", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
cv_mkl.mk_container <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(cv_mkl.default, "cv_mkl", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl_path.mk_container <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_path.default, "mkl_path", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl_gomp.mk_container <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_gomp.default, "mkl_gomp", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl_sequential.mk_container <- function(x, y, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_sequential.default, "mkl_sequential", match.call(), x, y, substitute(y), assay, colData,
                NULL, ...)
}

#' @rdname bioconductor
#' @export
mllkm.mk_container <- function(x, y, ..., assay = NULL, colData = NULL) {
  fit_container(mllkm.default, "mllkm", match.call(), x, y, substitute(y), assay, colData, NULL, ...)
}
