# Standard columns: each column of a view minus its mean, over its standard deviation, with the
# constants of the training rows; and the response of a regression likewise.

#' Standardised columns
#'
#' Kernels compare rows over all columns of a view at once, so a column in large units outweighs all
#' others. Fits therefore standardise columns by default, as packages e1071 and kernlab do: `mkl()`,
#' `mkl_gomp()`, `mkl_sequential()` and `mllkm()` with `scale = TRUE`, and [default_kernels()], which
#' chooses widths for them.
#'
#' @details
#' The mean of the training rows is subtracted from each column, and the result is divided by their
#' standard deviation (with n - 1). The fit keeps the constants as `fit$scaling`.
#' [predict()][predict.mkl()] and [duality_gap()] apply them, so give them data in the original units.
#' Widths of [gaussian_kernel()], offsets of [polynomial_kernel()], `gamma` of [mllkm()] and the like
#' are in units of the standard columns. R functions given to [function_kernel()] get the standard
#' columns, too.
#'
#' Some columns are exceptions:
#' * **Indicators**, columns whose training values are all 0 or 1, such as those made from
#'   factors and logical vectors, are left as they are. A rare level would otherwise weigh more than a
#'   frequent one.
#' * **Constant columns** are centred only.
#' * Columns of **sparse** views are divided by their standard deviation, but not centred, since that
#'   would fill the matrix. Distances, and so Gaussian kernels, are the same either way.
#' * In **one-class models** no column is centred: centring would move the origin, from which such
#'   models separate the rows, into the rows.
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
#' `TRUE` or `FALSE`, or a logical vector named by view (`x` for data of one view), such as
#' `c(clinical = TRUE, spectra = FALSE)`; the name `response` stands for the response of a regression.
#' What is not named is standardised. Data of one view also take a logical vector with one value per
#' column (for data frames and formulas: per column of the model matrix), as in e1071.
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

check_scale <- function(scale) {
  plain <- is.logical(scale) && length(scale) > 0L && !anyNA(scale) && is.null(dim(scale))
  if (!plain || anyDuplicated(names(scale)[nzchar(names(scale))])) {
    abort_argument(scale, "scale", "TRUE or FALSE, or TRUE and FALSE named by view")
  }
  scale
}

# For each view TRUE, FALSE or one value per column.
scale_choice <- function(scale, views) {
  if (length(scale) == 1L && is.null(names(scale))) {
    return(rep(list(as.vector(scale)), length(views)))
  }
  if (is.null(names(scale))) {
    width <- if (is_single(views)) ncol(views[[1L]]) else 1L
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
  lapply(names(views), function(name) if (name %in% names(scale)) scale[[name]] else TRUE)
}

scales_response <- function(scale) {
  if (is.null(names(scale))) any(scale) else
    !"response" %in% names(scale) || scale[["response"]]
}

# ---- columns -------------------------------------------------------------------------------------

# Views with standard columns; they know the constants. centred: whether means are subtracted; rows:
# positions of the training rows, where these aren't all.
standard_views <- function(views, scale, centred = TRUE, rows = NULL) {
  if (length(views) == 0L) return(views)
  scaling <- views_constants(views, scale, centred, rows)
  out <- new_views(Map(standardise, plain_views(views), scaling), view_rows(views), is_single(views),
                   attr(views, "encoders", exact = TRUE), scaling, views_have(views))
  structure(out, samples = attr(views, "samples", exact = TRUE),
            container = attr(views, "container", exact = TRUE))
}

views_constants <- function(views, scale, centred = TRUE, rows = NULL) {
  Map(function(name, chosen) {
    column_scaling(views[[name]], chosen, centred, rows_having(views, name, rows))
  }, stats::setNames(nm = names(views)), scale_choice(scale, views))
}

# Centre and scale of each column, named by column; NULL where nothing is to be done.
column_scaling <- function(view, chosen, centred, rows = NULL) {
  if (!any(chosen) || is_sequences(view) || (!is.null(rows) && !length(rows))) return(NULL)
  if (!is.null(rows) && !is.matrix(view)) {
    view <- view[rows, , drop = FALSE]
    rows <- NULL
  }
  found <- from_core(.Call(C_mk_column_scaling, core_view(view), rows, thread_count()))
  if (!is.matrix(view) || !centred) found$centre[] <- 0
  found$centre[!chosen] <- 0
  found$scale[!chosen] <- 1
  if (all(found$centre == 0) && all(found$scale == 1)) return(NULL)
  lapply(found, stats::setNames, colnames(view))
}

standardise <- function(view, scaling) {
  if (is.null(scaling)) return(view)
  # sparse rows for columns that are centred, as those of dense training data are
  if (!is.matrix(view) && any(scaling$centre != 0)) view <- as.matrix(view)
  if (is.matrix(view)) {
    return(from_core(.Call(C_mk_standardize, view, unname(scaling$centre), unname(scaling$scale),
                           thread_count())))
  }
  view@x <- view@x / rep(unname(scaling$scale), diff(view@p))
  view
}

# Standard rows back in the units of the data.
in_data_units <- function(x, scaling) {
  if (is.null(scaling)) return(x)
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
