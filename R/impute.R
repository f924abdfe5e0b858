# Imputation of missing cells, learnt from training rows and kept for new ones.

#' Missing cells
#'
#' Measurements may lack single values: a laboratory value that was not taken, a metabolite below the limit of
#' detection. With the argument `impute`, [mkl()], [cv_mkl()], [mkl_path()], [mkl_gomp()], [mkl_sequential()]
#' and [mllkm()] fill such cells by values learnt from the training rows, [cv_mkl()] in each fold from the
#' training rows of the fold alone. Fits keep these values, and `predict()`, [assess()],
#' [permutation_importance()] and [duality_gap()] use them to fill missing cells of their data.
#'
#' @section The argument `impute`:
#' `NULL` (the default): missing cells are an error, and new rows that have some are predicted as `NA`.
#' Otherwise one of
#' * `"median"`: the median of the column's known training values. For sparse views zeros count.
#' * `"knn"`: the mean of the column over the 10 nearest training rows that have a value in it (all of them if
#'   there are fewer). The distance is the mean squared difference over the columns that both rows have, each
#'   divided by its standard deviation. The fit keeps the training rows of the view. Sparse views are an
#'   error.
#' * `"half_minimum"`: half of the column's smallest known training value, for amounts that are missing
#'   because they are below the limit of detection. Negative values are an error; for amounts on a logarithmic
#'   scale give a function.
#' * a function of two matrices, `function(x, train)`: it returns `x` with its missing cells filled, as learnt
#'   from the training rows `train`, which have missing cells, too. In training, `x` is `train`, or in a fold
#'   all rows. The fit keeps the function and the training rows, and [write_model()] can't write it.
#'
#' For several views a list or vector named by view, such as
#' `c(clinical = "median", metabolites = "half_minimum")`. Views that are not named stay as they are.
#'
#' A message of class `manykernels_message_imputed` gives the number of imputed cells and their columns. Cells
#' are imputed before columns are standardised ([scaling]).
#'
#' @section Details:
#' * **Factors**, text and logical columns of data frames, and factors of formulas, take the most frequent
#'   level of the training rows (with `"knn"`, of the nearest ones), whatever the method; a function gets
#'   their indicators. Kernels of factors ([categorical_kernel()]) have a value for missing levels of their
#'   own, and need no imputation.
#' * **Infinite values** do not count as missing, and are an error.
#' * **Columns without any known value** in the training rows (of a fold) are zero there and in new rows, so
#'   they have no influence. The message names columns without any value in all rows.
#' * **Rows without any value** in a view are never imputed: these samples lack the view (see
#'   [missing_views]). In training they are an error unless `missing_views` allows them; new ones are
#'   predicted as `NA`, or without that view if `missing_views = "neutral"`.
#' * **Formulas**: with `impute`, rows with missing predictors stay (`na.action` is for the response and
#'   weights alone, unless you give it). Each column of the model matrix is imputed separately, so use plain
#'   variables rather than interactions.
#' * **Responses**, weights and precomputed kernels are not imputed.
#' * **Folds within one fit**, those of class probabilities, use columns that were imputed and standardised over
#'   all training rows.
#'
#' [svm_mkl()] (an engine argument), [mlr3_learners_mkl] (a parameter) and [caret_mkl()] (an argument of
#' `caret::train()`) take `impute`, too. `parsnip::fit()` and `caret::train()` leave out incomplete
#' rows where they are given a formula; give them `x` and `y`, or `na.action = na.pass` to `train()`.
#'
#' @section Errors:
#' Class `manykernels_invalid_argument`: an unknown method, negative values with `"half_minimum"`, a function
#' that returns something else than `x` filled. Class `manykernels_unknown_view`: a name that is no
#' view. Class `manykernels_unsupported`: `"knn"` or a function for a sparse view.
#' @references
#' Troyanskaya, O. and others (2001). Missing value estimation methods for DNA microarrays. *Bioinformatics*
#' **17**, 520--525 (`"knn"`).
#' @seealso [missing_views] for samples that lack a whole view.
#' @examples
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- droplevels(iris$Species[51:150])
#' x[cbind(c(3, 20, 71), c(1, 4, 4))] <- NA
#' fit <- mkl(x, y, kernels = gaussian_kernel(c(1, 4)), impute = "median")
#' predict(fit, x[c(3, 20, 71), ])
#'
#' # the mean, by a function
#' by_mean <- function(x, train) {
#'   gaps <- which(is.na(x), arr.ind = TRUE)
#'   x[gaps] <- colMeans(train, na.rm = TRUE)[gaps[, "col"]]
#'   x
#' }
#' fit <- mkl(x, y, kernels = gaussian_kernel(c(1, 4)), impute = by_mean)
#' @name imputation
NULL

impute_methods <- c("median", "knn", "half_minimum")

MOST_NEIGHBOURS <- 10L

# NULL, or a list of methods: one without a name for all views, or several named by view.
check_impute <- function(impute) {
  if (is.null(impute)) return(NULL)
  if (is.function(impute)) impute <- list(impute)
  fine <- (is.character(impute) || (is.list(impute) && !is.object(impute))) && length(impute) > 0L
  methods <- if (fine) as.list(impute)
  fine <- fine && all(vapply(methods, function(one) {
    is.function(one) || (is.character(one) && length(one) == 1L && one %in% impute_methods)
  }, NA))
  named <- !is.null(names(methods)) && all(nzchar(names(methods))) && !anyDuplicated(names(methods))
  if (!fine || !(named || length(methods) == 1L)) {
    abort_argument(impute, "impute", sprintf("%s or a function of two matrices, or these named by view",
                                             choices_text(impute_methods)))
  }
  if (!all(vapply(Filter(is.function, methods), takes_two, NA))) {
    mk_abort(paste("`impute` must be a function of two matrices, `function(x, train)`, which returns `x` with its",
                   "missing cells filled; this one takes fewer arguments."), "invalid_argument", "impute", impute)
  }
  methods
}

# For each view its method, or NULL.
methods_of_views <- function(impute, names) {
  if (is.null(impute)) return(vector("list", length(names)))
  if (is.null(names(impute))) return(rep(unname(impute), length(names)))
  unknown <- setdiff(names(impute), names)
  if (length(unknown)) {
    mk_abort(sprintf("`impute` names %s, but the views are %s.", enumerate(unknown), enumerate(names, 10L)),
             "unknown_view", "impute", unknown)
  }
  lapply(names, function(name) impute[[name]])
}

# ---- the views of training data ------------------------------------------------------------------

# The imputation of a view before it is learnt: list(method, blocks), NULL without a method. blocks: for each
# factor the positions of its columns, by name.
new_imputation <- function(method, view, encoder, raw, label) {
  if (is.null(method) || is_sequences(view)) return(NULL)
  blocks <- if (is.data.frame(raw)) frame_blocks(raw, encoder) else attr(raw, "blocks", exact = TRUE)
  if (!is.matrix(view) && needs_rows(method)) {
    abort_unsupported("impute", sprintf(
      "Use `impute = \"median\"` for `%s`, which is sparse, or give a dense matrix.", label
    ))
  }
  if (identical(method, "half_minimum")) refuse_negative(view, blocks, label)
  list(method = method, blocks = blocks)
}

# Factors, text and logical columns of a data frame.
frame_blocks <- function(frame, encoder) {
  width <- attr(encoder, "width")
  one <- lengths(encoder) > 0L | vapply(frame, is.logical, NA)
  stats::setNames(Map(function(last, width) seq_len(width) + last - width, cumsum(width)[one], width[one]),
                  names(frame)[one])
}

refuse_negative <- function(view, blocks, label) {
  values <- if (is.matrix(view)) view else view@x
  if (!any(values < 0, na.rm = TRUE)) return(invisible())
  negative <- which(vapply(seq_len(ncol(view)), function(j) any(view[, j] < 0, na.rm = TRUE), NA))
  negative <- setdiff(negative, unlist(blocks))
  if (!length(negative)) return(invisible())
  mk_abort(sprintf(paste(
    "Use `impute = \"median\"` or \"knn\" for `%s`: \"half_minimum\" is for amounts, but %s %s negative values."
  ), label, enumerate(colnames(view)[negative] %||% negative), if (length(negative) == 1L) "has" else "have"),
  "invalid_argument", "impute", negative)
}

views_imputation <- function(views) attr(views, "imputation", exact = TRUE)

# Says how many cells are missing, and where. blocks are one cell each.
inform_imputed <- function(views, argument) {
  has <- views_have(views)
  for (name in names(Filter(Negate(is.null), views_imputation(views)))) {
    own <- views_imputation(views)[[name]]
    view <- views[[name]]
    if (!is.null(has[[name]])) view <- view[has[[name]], , drop = FALSE]
    label <- if (is_single(views)) argument else paste0(argument, "$", name)
    found <- missing_cells(view, own$blocks)
    if (length(found$column)) inform_cells(found, view, own, label)
  }
}

# Rows and columns of cells that are missing; of a block the first column counts.
missing_cells <- function(view, blocks) {
  sparse <- !is.matrix(view)
  at <- which(is.na(if (sparse) view@x else view))
  column <- if (sparse) findInterval(at - 1L, view@p) else (at - 1L) %/% nrow(view) + 1L
  row <- if (sparse) view@i[at] + 1L else (at - 1L) %% nrow(view) + 1L
  counted <- !column %in% unlist(lapply(blocks, `[`, -1L))
  list(row = row[counted], column = column[counted],
       width = ncol(view) - sum(pmax(lengths(blocks) - 1L, 0L)))
}

inform_cells <- function(found, view, own, label) {
  count <- tabulate(found$column, ncol(view))
  worst <- utils::head(order(-count), sum(count > 0L))
  labels <- colnames(view) %||% as.character(seq_len(ncol(view)))
  labels[vapply(own$blocks, `[`, 0L, 1L)] <- names(own$blocks)
  names <- labels[worst]
  empty <- names[count[worst] == nrow(view)]
  mk_inform(paste0(sprintf(
    "Imputed %s of `%s` (%.2g %%) in %s and %d of %s by %s: %s.", count_of(length(found$row), "missing cell"),
    label, 100 * length(found$row) / (nrow(view) * found$width), count_of(length(unique(found$row)), "row"),
    length(worst), count_of(found$width, "column"),
    if (is.function(own$method)) "a function" else sprintf("\"%s\"", own$method),
    listed(sprintf("`%s` (%d)", names, count[worst]), 5L)
  ), if (length(empty)) {
    sprintf(" Without any value, and without influence: %s.", enumerate(empty, 5L))
  }), "imputed", "x", names)
}

# ---- learning and filling ------------------------------------------------------------------------

# Learns from the training rows `rows` (NULL: all): list(method, value, empty, blocks), for each column its
# value, and the positions of columns without any; rows: the training rows, for methods that need them.
learn_imputation <- function(own, view, rows = NULL) {
  if (is.null(own)) return(NULL)
  train <- if (is.null(rows)) view else view[rows, , drop = FALSE]
  # with all rows at hand, columns without missing cells need no value
  wanted <- if (is.null(rows)) seq_len(ncol(view)) else unique(c(missing_cells(view, NULL)$column))
  found <- column_values(train, wanted, if (is.function(own$method)) "median" else own$method)
  for (block in own$blocks) {
    common <- common_row(train[, block, drop = FALSE])
    if (!is.null(common)) found$value[block] <- common
  }
  c(own["method"], found, own["blocks"], if (needs_rows(own$method)) neighbour_rows(train))
}

needs_rows <- function(method) is.function(method) || method == "knn"

column_values <- function(train, wanted, method) {
  value <- numeric(ncol(train))
  empty <- integer()
  for (j in wanted) {
    known <- known_values(train, j)
    if (!length(known)) empty <- c(empty, j) else
      value[j] <- if (method == "half_minimum") min(known) / 2 else stats::median(known)
  }
  list(value = value, empty = empty)
}

known_values <- function(view, j) {
  if (is.matrix(view)) return(view[!is.na(view[, j]), j])
  stored <- view@x[view@p[j] + seq_len(view@p[j + 1L] - view@p[j])]
  c(stored[!is.na(stored)], numeric(nrow(view) - length(stored)))
}

# The most frequent row of those without missing values, the first of several; NULL if there is none.
common_row <- function(rows) {
  rows <- as.matrix(rows)
  rows <- rows[rowSums(is.na(rows)) == 0, , drop = FALSE]
  if (!nrow(rows)) return(NULL)
  key <- do.call(paste, as.data.frame(rows))
  rows[match(which.max(table(factor(key, sort(unique(key), method = "radix"))))[[1L]],
             as.integer(factor(key, sort(unique(key), method = "radix")))), ]
}

# The training rows, and the inverse scales of their columns in distances; columns with 0 take no part.
neighbour_rows <- function(train) {
  spread <- apply(train, 2L, stats::sd, na.rm = TRUE)
  inverse <- ifelse(is.na(spread) | spread == 0, 0, 1 / spread)
  list(rows = unname(train), inverse = unname(inverse))
}

# A view without missing cells. bare: whether rows without any value stay as they are.
impute_view <- function(view, own, bare = TRUE) {
  if (is.null(own)) return(view)
  if (!anyNA(if (is.matrix(view)) view else view@x)) return(without_empty(view, own))
  bare <- if (bare) Matrix::rowSums(is.na(view)) == ncol(view) else logical(nrow(view))
  if (!is.matrix(view)) return(without_empty(impute_sparse(view, own$value, bare), own))
  view[!bare, own$empty] <- 0
  gaps <- is.na(view) & !bare
  if (!any(gaps)) return(view)
  if (is.function(own$method)) return(impute_by_function(view, own, !bare))
  view[gaps] <- own$value[col(view)[gaps]]
  if (own$method == "knn") impute_by_neighbours(view, gaps, own) else view
}

# Columns without any training value are zero.
without_empty <- function(view, own) {
  if (length(own$empty)) view[, own$empty] <- 0
  view
}

impute_sparse <- function(view, value, bare) {
  gaps <- which(is.na(view@x) & !bare[view@i + 1L])
  view@x[gaps] <- value[findInterval(gaps - 1L, view@p)]
  view
}

impute_by_function <- function(view, own, chosen) {
  x <- view[chosen, , drop = FALSE]
  train <- own$rows
  colnames(train) <- colnames(view)
  train[, own$empty] <- 0
  filled <- call_user(own$method(x, train), "The function `impute`", "invalid_argument", "impute")
  known <- !is.na(x)
  if (!is.numeric(filled) || !identical(dim(filled), dim(x)) || !all(is.finite(filled)) ||
        any(filled[known] != x[known])) {
    mk_abort(paste("The function `impute` must return its first argument with finite numbers in place of the",
                   "missing cells, and all others as they are."), "invalid_argument", "impute", filled)
  }
  view[chosen, ] <- filled
  view
}

# view: filled already where no neighbour has a value; gaps: its cells that were missing.
impute_by_neighbours <- function(view, gaps, own) {
  train <- own$rows
  block <- integer(ncol(view))
  for (b in seq_along(own$blocks)) block[own$blocks[[b]]] <- b
  at <- which(rowSums(gaps) > 0)
  distance <- row_differences(replace(view[at, , drop = FALSE], gaps[at, , drop = FALSE], NA), train,
                              own$inverse)
  for (k in seq_along(at)) {
    order <- order(distance[k, ], na.last = NA)
    open <- which(gaps[at[k], ])
    plain <- open[block[open] == 0L]
    if (length(plain)) {
      value <- neighbour_means(train, order, plain)
      view[at[k], plain] <- ifelse(is.na(value), view[at[k], plain], value)
    }
    for (b in setdiff(unique(block[open]), 0L)) {
      columns <- own$blocks[[b]]
      known <- order[!is.na(train[order, columns[1L]])]
      common <- common_row(train[utils::head(known, MOST_NEIGHBOURS), columns, drop = FALSE])
      if (!is.null(common)) view[at[k], columns] <- common
    }
  }
  view
}

# Mean squared differences over the columns that both rows have; NA where they share none.
row_differences <- function(x, train, inverse) {
  scaled <- function(rows) rows * rep(inverse, each = nrow(rows))
  x <- scaled(x)
  train <- scaled(train)
  both <- function(rows) 1 * !is.na(rows) * rep(inverse > 0, each = nrow(rows))
  has_x <- both(x)
  has_train <- both(train)
  x[is.na(x)] <- 0
  train[is.na(train)] <- 0
  shared <- tcrossprod(has_x, has_train)
  sum <- tcrossprod(x^2, has_train) + tcrossprod(has_x, train^2) - 2 * tcrossprod(x, train)
  ifelse(shared > 0, pmax(sum, 0) / shared, NA)
}

# For each column the mean over the first rows of `order` that have a value in it.
neighbour_means <- function(train, order, columns) {
  near <- utils::head(order, 5L * MOST_NEIGHBOURS)
  found <- means_of_first(train[near, columns, drop = FALSE])
  few <- which(found$count < MOST_NEIGHBOURS)
  if (length(few) && length(near) < length(order)) {
    found$mean[few] <- means_of_first(train[order, columns[few], drop = FALSE])$mean
  }
  found$mean
}

means_of_first <- function(values) {
  known <- !is.na(values)
  place <- apply(known, 2L, cumsum)
  dim(place) <- dim(known)
  used <- known & place <= MOST_NEIGHBOURS
  values[!used] <- 0
  list(mean = colSums(values) / colSums(used), count = colSums(used))
}
