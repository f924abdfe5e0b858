# Fits to containers: their methods choose what of a container is read, and the default methods go on.

# ---- the choice ----------------------------------------------------------------------------------

# The first assay of each experiment, and what else there is is said. fit: of a fit, which has arguments to
# choose by.
first_tables <- function(tables, argument, fit) {
  first <- vapply(tables, `[[`, NA, "first")
  if (all(first)) return(names(tables))
  others <- names(tables)[!first]
  advice <- if (fit) sprintf("Arguments `assay` and `colData` choose, as in `assay = %s`.", deparse1(names(tables))) else
    sprintf("Kernels choose that name views, as by `on_view(kernels, \"%s\")`.", others[1L])
  mk_inform(sprintf("`%s`: %s %s used, not %s. %s", argument, enumerate(names(tables)[first], 10L),
                    if (sum(first) == 1L) "is" else "are", enumerate(others, 10L), advice),
            "assay", argument, others)
  names(tables)[first]
}

# The tables that `assay` chooses: names of views, or of assays in every experiment that has them.
chosen_tables <- function(tables, assay) {
  if (is.numeric(assay)) assay <- names(tables)[check_counts(assay, "assay", upper = length(tables))]
  if (!is.character(assay) || !length(assay) || anyNA(assay)) {
    abort_argument(assay, "assay", "names of assays")
  }
  own <- vapply(tables, `[[`, "", "assay")
  unknown <- setdiff(assay, c(names(tables), own))
  if (length(unknown)) {
    mk_abort(sprintf("`assay` is %s, but `x` has %s.", paste(dQuote(unknown, FALSE), collapse = ", "),
                     enumerate(names(tables), 10L)), "unknown_view", "assay", unknown)
  }
  chosen <- names(tables) %in% assay | own %in% assay
  names(tables)[chosen]
}

# Columns of the samples' variables as a view.
variable_columns <- function(views, variables, columns) {
  if (!is.character(columns) || !length(columns) || anyNA(columns)) {
    abort_argument(columns, "colData", "names of columns of colData")
  }
  unknown <- setdiff(columns, names(variables))
  if (length(unknown)) {
    mk_abort(sprintf("`colData` is %s, but colData has %s.", paste(dQuote(unknown, FALSE), collapse = ", "),
                     if (length(variables)) enumerate(names(variables), 10L) else "no columns"),
             "unknown_variable", "colData", unknown)
  }
  only_present(views, variables[columns])
}

# The rows of `variables` whose sample is in one of the views.
only_present <- function(views, variables) {
  names <- unlist(lapply(unname(views), rownames))
  if (is.null(names)) return(variables)
  variables[row.names(variables) %in% names, , drop = FALSE]
}

# The response; a column of colData needs quotes.
quoted_variable <- function(y, expression, x) {
  known <- names(sample_variables(x, "x"))
  named <- is.name(expression) && as.character(expression) %in% known
  tryCatch(if (is.function(y) && named) stop("it is a function"), error = function(e) {
    mk_abort(sprintf("Give `y` as text to name a column of colData, as in `y = \"%s\"`: %s.",
                     if (named) as.character(expression) else known[1L], conditionMessage(e)),
             "unknown_variable", "y", known, parent = e)
  })
  y
}

# A formula reads one table, and a container has several.
refuse_container <- function(data, call) {
  package <- container_package(data)
  if (is.null(package)) return(invisible())
  response <- all.vars(call$formula)[1L]
  mk_abort(sprintf(paste(
    "Give the container as `x` and the name of a column of colData as `y`, as in `%s(%s, \"%s\")`:",
    "formulas are for data frames, and `data` is a %s."
  ), deparse1(call[[1L]]), if (is.name(call$data)) deparse1(call$data) else "x", response, package),
  "formula", "data", package)
}

# The fit of a default method to the chosen views, with the call to it.
fit_container <- function(fit, generic, call, x, y, y_expression, assay, colData, kernels = NULL, ...) {
  call[[1L]] <- as.name(generic)
  views <- unpacked(x, "x", join_sets(kernels), assay, colData, fit = TRUE)
  given <- list(views, ...)
  if (!is.null(kernels)) given$kernels <- kernels
  if (!missing(y)) given["y"] <- list(quoted_variable(y, y_expression, x))
  with_call(do.call(fit, given, quote = TRUE), call)
}

# ---- methods -------------------------------------------------------------------------------------

#' @rdname bioconductor
#' @param x The container.
#' @param y The response, or the name of a column of `colData`.
#' @param kernels,... Arguments of the default methods.
#' @param assay Names (or numbers) of the assays to use. `NULL` means the views that `kernels` read by
#'   name, or else the first assay of each experiment, with a message that says so.
#' @param colData Names of columns of `colData` to use as a further view, called `colData`.
#' @export
mkl.SummarizedExperiment <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl.default, "mkl", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl.MultiAssayExperiment <- mkl.SummarizedExperiment

#' @rdname bioconductor
#' @export
cv_mkl.SummarizedExperiment <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(cv_mkl.default, "cv_mkl", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
cv_mkl.MultiAssayExperiment <- cv_mkl.SummarizedExperiment

#' @rdname bioconductor
#' @export
mkl_path.SummarizedExperiment <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_path.default, "mkl_path", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl_path.MultiAssayExperiment <- mkl_path.SummarizedExperiment

#' @rdname bioconductor
#' @export
mkl_gomp.SummarizedExperiment <- function(x, y, kernels = NULL, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_gomp.default, "mkl_gomp", match.call(), x, y, substitute(y), assay, colData, kernels, ...)
}

#' @rdname bioconductor
#' @export
mkl_gomp.MultiAssayExperiment <- mkl_gomp.SummarizedExperiment

#' @rdname bioconductor
#' @export
mkl_sequential.SummarizedExperiment <- function(x, y, ..., assay = NULL, colData = NULL) {
  fit_container(mkl_sequential.default, "mkl_sequential", match.call(), x, y, substitute(y), assay, colData, NULL, ...)
}

#' @rdname bioconductor
#' @export
mkl_sequential.MultiAssayExperiment <- mkl_sequential.SummarizedExperiment

#' @rdname bioconductor
#' @export
mllkm.SummarizedExperiment <- function(x, y, ..., assay = NULL, colData = NULL) {
  fit_container(mllkm.default, "mllkm", match.call(), x, y, substitute(y), assay, colData, NULL, ...)
}

#' @rdname bioconductor
#' @export
mllkm.MultiAssayExperiment <- mllkm.SummarizedExperiment
