# The class of views: a named list of double matrices and dgCMatrix, all with the same rows. Attributes: n
# (rows; NA without views), single (x was not a list), encoders (per view: the coding of a data frame as
# numbers, or NULL), scaling (per view: the constants of its standardised columns, or NULL), has (per view:
# TRUE for samples that have it, or NULL: all), imputation (per view: its method, later with the values
# learnt, or NULL). Training views as they were given have `samples`, a list: `assembled` (TRUE: their order
# is that of no view), `joined` (TRUE: by names, which differ), `kept` (positions of those that stay; see
# missing-views.R), `variables` (a data frame; see bioconductor.R). Views out of a container have `container`, its class and code.

new_views <- function(views, n, single, encoders = vector("list", length(views)),
                      scaling = vector("list", length(views)),
                      has = vector("list", length(views))) {
  names(encoders) <- names(scaling) <- names(has) <- names(views)
  attributes(views) <- list(names = names(views), class = "mk_views", n = n, single = single,
                            encoders = encoders, scaling = scaling, has = has)
  views
}

is_single <- function(views) attr(views, "single", exact = TRUE)

plain_views <- function(views) {
  out <- unclass(views)
  attributes(out) <- list(names = names(out))
  out
}

view_columns <- function(view) {
  list(columns = colnames(view), width = ncol(view), sequences = is_sequences(view))
}

view_rows <- function(views) attr(views, "n", exact = TRUE)

view_row_names <- function(views) {
  for (view in plain_views(views)) if (!is.null(rownames(view))) return(rownames(view))
  NULL
}

# A dense view as it is; a sparse one as its parts; with them who has it, where not all samples do.
# Sequences have no columns.
core_view <- function(view, has = NULL) {
  if (!is.null(has)) return(list(view = core_view(view), has = as.double(has)))
  if (is_sequences(view)) return(list(dim = dim(view), p = c(0L, 0L), i = integer(), x = double()))
  if (is.matrix(view)) return(view)
  list(dim = view@Dim, p = view@p, i = view@i, x = view@x)
}

# A view of the same samples without anything else.
only_names <- function(view) {
  if (is_table(view)) return(matrix(0, view$n, 1L, dimnames = list(view$rows, NULL)))
  matrix(0, NROW(view), 1L, dimnames = list(row_names(view), NULL))
}

# sprintf() is several times as fast as paste0() for numbers.
column_names <- function(name, label) {
  sprintf(if (is.character(label)) "%s[%s]" else "%s[%d]", name, label)
}

# Sequences as they are given have names in place of row names.
row_names <- function(view) if (is.null(dim(view))) names(view) else rownames(view)
