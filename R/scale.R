# Standardised columns: each column of a view minus its mean, over its standard deviation, with the constants
# of the training rows; and the response of a regression likewise.

#' Standardised columns
#'
#' Kernels compare rows over all columns of a view at once, so a column in large units outweighs all
#' others. Fits therefore standardise columns by default, as packages e1071 and kernlab do: `mkl()`,
#' `mkl_gomp()`, `mkl_sequential()` and `mllkm()` with `scale = TRUE`, and [default_kernels()], which
#' chooses widths for them.
#'
#' @details The mean of the training rows is subtracted from each column, and the result is divided by their
#' standard deviation (with n - 1). The fit keeps the constants as `fit$scaling`. [predict()][predict.mkl()]
#' and [duality_gap()] apply them, so give them data in the original units. Widths of [gaussian_kernel()],
#' offsets of [polynomial_kernel()], `gamma` of [mllkm()] and the like are in units of the standardised
#' columns, which R functions given to [function_kernel()] get, too.
#'
#' Some columns are exceptions:
#' * **Indicators**, columns whose training values are all 0 or 1, such as those made from
#'   factors and logical vectors, are left as they are. A rare level would otherwise weigh more than a
#'   frequent one.
#' * **Constant columns** are centred only.
#' * Columns of **sparse** views are divided by their standard deviation, but not centred, since that
#'   would fill the matrix. Distances, and so Gaussian kernels, are the same either way.
#' * In **one-class models** no column is centred, since they separate the rows from the origin.
#' * Views that a [tanimoto_kernel()] uses are left as they are.
#' * **Precomputed** kernels have no columns.
#'
#' In a regression the response is standardised, too, over the rows of positive case weight. Several
#' responses are standardised separately; for censored times it is the (log) times of all these rows.
#' `C`, `epsilon` of [epsilon_loss()] and `delta` of [huber_loss()] are then in units of its standard
#' deviation, and so are `alpha`, `offset`, `objective`, `primal` and the loss residuals of the fit.
#' Predictions, `fit$decision`, fitted values and residuals are in the response's own units.
#' [mkl_gomp()] uses the response as it is, since its path does not depend on the unit.
#'
#' If columns share a unit and their spread matters, as with pixels, spectra or principal components,
#' try `scale = FALSE`, too. [kernel_matrix()], [kernel_alignment()], [empirical_rademacher()]
#' and other functions that evaluate kernels without a fit use the columns as they are, unless
#' `scale = TRUE`.
#'
#' @section The argument `scale`:
#' `TRUE` or `FALSE`, or a logical vector named by view (`x` for data of one view), such as `c(clinical =
#' TRUE, spectra = FALSE)`; the name `response` stands for the response of a regression. Views and a response
#' that are not named are standardised. In place of logical values, the words `"standard"` (as `TRUE`),
#' `"as_given"` (as `FALSE`) and `"normal_scores"` can be given, one for all views or named by view; they do
#' not change the scaling of the response. Data of one view also take a logical vector with one value per
#' column (for data frames and formulas: per column of the model matrix), as in e1071.
#'
#' @section Normal scores:
#' `"normal_scores"` maps each column so that its training rows are nearly normally distributed: a value of
#' rank r of n (the mean rank of equal values) becomes the quantile of the standard normal distribution at (r -
#' 1/2) / n. Columns that are skewed or have a few large values then have the same weight as others. Between
#' at most 200 values of the training rows, which the fit keeps as `scores` of `fit$scaling`, the map is
#' linear, also for new rows; beyond them it is constant. Columns of one or two values are standardised.
#' Sparse views, which it would fill, are an error of class `manykernels_unsupported`.
#'
#' The best scaling depends on the data: [cv_mkl()] tries all three (`scale = "auto"`).
#'
#' @examples
#' x <- as.matrix(mtcars[, -1])
#' fit <- mkl(x, mtcars$mpg, kernels = gaussian_kernel(2^(2:6)))
#' fit$scaling$views$x$scale # standard deviations; 1 for indicators
#' fit$scaling$response
#'
#' # the same by hand
#' z <- scale(x, fit$scaling$views$x$centre, fit$scaling$views$x$scale)
#' y <- scale(mtcars$mpg)[, 1]
#' by_hand <- mkl(z, y, kernels = gaussian_kernel(2^(2:6)), scale = FALSE)
#' all.equal(predict(fit), predict(by_hand) * sd(mtcars$mpg) + mean(mtcars$mpg))
#' @name scaling
NULL

# ---- the choice ----------------------------------------------------------------------------------

scale_words <- c("standard", "as_given", "normal_scores")

scale_text <- "TRUE (\"standard\"), FALSE (\"as_given\") or \"normal_scores\", or these named by view"

# auto: whether a cross-validation may choose.
check_scale <- function(scale, auto = FALSE) {
  if (auto && identical(scale, "auto")) return(scale)
  if (identical(scale, "auto")) {
    mk_abort(paste0("Let cv_mkl() choose with `scale = \"auto\"`; one fit takes ", scale_text, "."),
             "invalid_argument", "scale", scale)
  }
  known <- is.logical(scale) || (is.character(scale) && all(scale %in% scale_words))
  plain <- known && length(scale) > 0L && !anyNA(scale) && is.null(dim(scale))
  if (!plain || anyDuplicated(names(scale)[nzchar(names(scale))])) {
    abort_argument(scale, "scale", paste0(if (auto) "\"auto\" (all views), ", scale_text))
  }
  scale
}

# For each view TRUE, FALSE, "normal_scores", or one logical value per column.
scale_choice <- function(scale, views) {
  if (length(scale) == 1L && is.null(names(scale))) {
    return(rep(list(scale_value(as.vector(scale))), length(views)))
  }
  if (is.null(names(scale))) {
    width <- if (is_single(views) && is.logical(scale)) ncol(views[[1L]]) else 1L
    if (length(scale) != width) {
      mk_abort(sprintf("`scale` must be TRUE or FALSE%s, not %d values.",
                       if (is_single(views)) sprintf(", or have one value per column (%d)", width)
                       else ", or be named by view", length(scale)), "length", "scale", scale)
    }
    return(list(scale))
  }
  unknown <- setdiff(names(scale), c(names(views), "response"))
  if (length(unknown)) {
    mk_abort(sprintf("`scale` names %s, but the views are %s.", enumerate(unknown),
                     enumerate(names(views), 10L)), "unknown_view", "scale", unknown)
  }
  lapply(names(views), function(name) if (name %in% names(scale)) scale_value(scale[[name]]) else TRUE)
}

scale_value <- function(word) switch(as.character(word), standard = TRUE, as_given = FALSE, word)

# Whether the response is standardised: a word is about columns, unless it is named `response`.
scales_response <- function(scale) {
  if ("response" %in% names(scale)) return(!isFALSE(scale_value(scale[["response"]])))
  if (is.null(names(scale)) && is.logical(scale)) any(scale) else TRUE
}

# ---- columns -------------------------------------------------------------------------------------

# Views with standardised columns and without missing cells, which keep the constants. centred: whether means
# are subtracted; rows: positions of the training rows, NULL for all; rotate: whether columns become principal
# components of all rows.
standard_views <- function(views, scale, centred = TRUE, rows = NULL, rotate = FALSE) {
  if (length(views) == 0L) return(views)
  learnt <- if (any(lengths(views_imputation(views)) > 0L)) learn_views(views, rows)
  if (!is.null(learnt)) views[] <- Map(impute_view, plain_views(views), learnt, bare = FALSE)
  scaling <- views_constants(views, scale, centred, rows)
  if (rotate) scaling <- Map(with_axes, scaling, plain_views(views))
  out <- new_views(Map(standardise, plain_views(views), scaling), view_rows(views), is_single(views),
                   attr(views, "encoders", exact = TRUE), scaling, views_have(views))
  structure(out, samples = attr(views, "samples", exact = TRUE), imputation = learnt,
            container = attr(views, "container", exact = TRUE))
}

# Learns the imputation of each view from the training rows that have it.
learn_views <- function(views, rows = NULL) {
  Map(function(own, view, name) {
    if (!is.null(own)) learn_imputation(own, view, rows_having(views, name, rows))
  }, views_imputation(views), plain_views(views), names(views))
}

views_constants <- function(views, scale, centred = TRUE, rows = NULL) {
  Map(function(name, chosen) {
    column_scaling(views[[name]], chosen, centred, rows_having(views, name, rows))
  }, stats::setNames(nm = names(views)), scale_choice(scale, views))
}

# Centre and scale of each column, named by column, and the knots of normal scores; NULL if no column changes.
column_scaling <- function(view, chosen, centred, rows = NULL) {
  if (is_sequences(view) || (!is.null(rows) && !length(rows))) return(NULL)
  scored <- identical(chosen, "normal_scores")
  if (scored && !is.matrix(view)) abort_sparse_scores()
  if (scored) chosen <- TRUE
  if (!any(chosen)) return(NULL)
  if (!is.null(rows) && !is.matrix(view)) {
    view <- view[rows, , drop = FALSE]
    rows <- NULL
  }
  found <- from_core(.Call(C_mk_column_scaling, core_view(view), rows, thread_count()))
  if (!is.matrix(view) || !centred) found$centre[] <- 0
  found$centre[!chosen] <- 0
  found$scale[!chosen] <- 1
  plain <- all(found$centre == 0) && all(found$scale == 1)
  if (scored) {
    scores <- score_knots(standardise(if (is.null(rows)) view else view[rows, , drop = FALSE], found))
    if (!any(lengths(scores) > 0L)) scored <- FALSE
  }
  if (plain && !scored) return(NULL)
  c(lapply(found[c("centre", "scale")], stats::setNames, colnames(view)),
    if (scored) list(scores = scores))
}

# The constants of a view with the principal axes of its standardised rows as `rotation`: the largest variance
# first, as many as columns.
with_axes <- function(scaling, view) {
  if (!is.matrix(view)) {
    abort_unsupported("rotate", "Use `rotate = FALSE`, or give a dense matrix: rotated columns are not sparse.",
                      TRUE)
  }
  plain <- stats::setNames(numeric(ncol(view)), colnames(view))
  scaling <- scaling %||% list(centre = plain, scale = plain + 1)
  x <- standardise(view, scaling)
  scaling$rotation <- svd(sweep(x, 2, colMeans(x)), nu = 0L, nv = ncol(x))$v
  scaling
}

# x in other orthogonal axes, with the names of its columns.
rotated <- function(x, rotation) {
  if (!is.null(rotation)) x[] <- x %*% rotation
  x
}

abort_sparse_scores <- function() {
  abort_unsupported("scale", paste(
    "Use `scale = TRUE` for sparse data, or give a dense matrix: normal scores, `scale =",
    "\"normal_scores\"`, would fill a sparse one."
  ), "normal_scores")
}

standardise <- function(view, scaling) {
  if (is.null(scaling)) return(view)
  if (.Call(C_mk_in_file, view)) return(map_in_file(view, "x", function(block) standardise(block, scaling)))
  # sparse rows for columns that are centred, as those of dense training data are
  dense <- any(scaling$centre != 0) || !is.null(scaling$scores) || !is.null(scaling$rotation)
  if (!is.matrix(view) && dense) view <- as.matrix(view)
  if (is.matrix(view)) {
    out <- from_core(.Call(C_mk_standardize, view, unname(scaling$centre), unname(scaling$scale),
                           thread_count()))
    return(rotated(normal_scored(out, scaling$scores), scaling$rotation))
  }
  view@x <- view@x / rep(unname(scaling$scale), diff(view@p))
  infinite <- which(is.infinite(view@x))
  view@x[infinite] <- sign(view@x[infinite]) * .Machine$double.xmax
  view
}

# Standard rows back in the units of the data.
in_data_units <- function(x, scaling) {
  if (is.null(scaling)) return(x)
  if (!is.null(scaling$rotation)) x <- rotated(x, t(scaling$rotation))
  x <- normal_scored(x, scaling$scores, "score", "value")
  x * rep(unname(scaling$scale), each = nrow(x)) + rep(unname(scaling$centre), each = nrow(x))
}

views_scaling <- function(views) attr(views, "scaling", exact = TRUE)

# ---- the response --------------------------------------------------------------------------------

# c(centre, scale) of numbers by the rows that count, or NULL.
response_scaling <- function(response, weights, scale) {
  if (!is.numeric(response) || !scales_response(scale)) return(NULL)
  counted <- as.vector(if (is.null(weights)) response else response[weights > 0])
  largest <- max(abs(counted)) # no square overflows or vanishes
  if (largest == 0) return(NULL)
  deviation <- stats::sd(counted / largest)
  varies <- isTRUE(deviation > sqrt(length(counted)) * .Machine$double.eps)
  c(centre = largest * mean(counted / largest), scale = if (varies) deviation * largest else 1)
}

standard_response <- function(response, scaling) {
  if (is.null(scaling)) response else (response - scaling[["centre"]]) / scaling[["scale"]]
}

response_units <- function(decision, scaling) {
  if (is.null(scaling)) decision else scaling[["centre"]] + scaling[["scale"]] * decision
}
