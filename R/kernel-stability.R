#' Stability of kernel weights
#'
#' Shows how the kernel weights of the chosen cell of a cross-validation vary over its folds and repeats.
#' Kernels with stable weights would probably be chosen on other samples of the same kind, too.
#'
#' @param cv An object of class `cv_mkl` with `model` `"mkl"` or `"mkl_gomp"`. For meaningful intervals
#'   use many resamples, such as `folds = 5, repeats = 10`.
#' @param level The share of the resamples that an interval covers, a number in (0, 1).
#' @param value `"theta"`, the weights, or `"share"`, shares of the fitted function (see
#'   [kernel_weights()]).
#' @param ... Not used; anything given is an error.
#' @return An object of class `kernel_stability`, a list with
#' \item{kernels}{a data frame with one row for each kernel (and model). It has `model` (where models have
#'   weights of their own), `kernel`, `view`, the `mean` over the resamples with its standard error `se`,
#'   corrected for the rows that resamples share (Nadeau and Bengio 2003), the standard deviation `sd`, and
#'   `lower` and `upper` (quantiles of the resamples). `chosen` is the share of the resamples in which the
#'   weight is positive.}
#' \item{views}{the same for sums of shares by view; `chosen` is the share of the resamples in which any of
#'   the view's kernels is chosen.}
#' \item{weights}{a matrix of the weights (or shares), with a row for each row of `kernels` and a column for
#'   each resample.}
#' \item{view_weights}{the same for `views`: shares of views by resample.}
#' \item{resamples, level, value}{their number, and the settings.}
#' \item{version}{of the form of such results, a whole number.}
#'   Resamples share most of their rows. Intervals show how the weights vary with the sample; they are
#'   not confidence intervals. Errors: class `manykernels_unsupported` for models without kernel
#'   weights, and where the folds have different kernels.
#' @references
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* **52**,
#' 239--281.
#'
#' Meinshausen, N. and Bühlmann, P. (2010). Stability selection. *Journal of the Royal Statistical
#' Society B* **72**, 417--473 (how often something is chosen over subsamples).
#' @seealso [cv_mkl()], [drop_view()]
#' @examples
#' set.seed(1)
#' views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
#' cv <- cv_mkl(views, droplevels(iris$Species[51:150]), kernels = gaussian_kernel(c(1, 4)),
#'              p = 1, C = 1, folds = 4, repeats = 3)
#' kernel_stability(cv)
#' @export
kernel_stability <- function(cv, level = 0.95, value = c("theta", "share"), ...) {
  check_dots_empty(...)
  check_class(cv, "cv_mkl", "cv", "made by cv_mkl()")
  check_object(cv)
  level <- check_number(level, "level", lower = 0, upper = 1, lower_open = TRUE, upper_open = TRUE)
  value <- check_choice(value, c("theta", "share"), "value")
  known <- vapply(cv$weights, function(weights) !is.null(weights$theta), NA)
  found <- cv$weights[known]
  specs <- stable_kernels(cv, found)
  models <- ncol(found[[1]]$theta)
  labels <- data.frame(kernel = rep(specs$name, models), view = rep(specs$view, models))
  if (models > 1) labels <- cbind(model = rep(model_names(cv$fit), each = nrow(specs)), labels)
  factor <- split_factor(cv$resamples[known], length(found))
  weights <- stack_resamples(found, value)
  table <- weight_spread(weights, level, labels, factor)
  by_view <- sums_by_view(found, labels)
  structure(list(kernels = table, views = weight_spread(by_view$sums, level, by_view$labels, factor),
                 weights = weights, view_weights = by_view$sums, resamples = length(found),
                 level = level, value = value, version = model_version),
            class = "kernel_stability")
}

# The kernels as a data frame, if all resamples have them.
stable_kernels <- function(cv, found) {
  if (cv$model == "mllkm" || !length(found)) {
    abort_unsupported("cv", "`cv` must be of a model with kernel weights that was fitted.")
  }
  specs <- as.data.frame(held_fit(cv)$kernels)
  counts <- vapply(found, function(weights) nrow(weights$theta), 0L)
  if (any(counts != nrow(specs))) {
    abort_unsupported("cv", sprintf(
      paste("Give cv_mkl() `kernels`, as by `default_kernels(x)`: the folds of `cv` have different ones (%d to",
            "%d; all rows have %d)."),
      min(counts), max(counts), nrow(specs)
    ))
  }
  specs
}

# Rows: kernels of the first model, of the second, ...; columns: resamples.
stack_resamples <- function(found, field) {
  columns <- lapply(found, function(weights) as.vector(weights[[field]]))
  matrix(unlist(columns), ncol = length(columns))
}

# factor: of the variance over resamples, for that of their mean.
weight_spread <- function(values, level, labels, factor) {
  tails <- c((1 - level) / 2, (1 + level) / 2)
  limits <- apply(values, 1, stats::quantile, tails, names = FALSE)
  sd <- apply(values, 1, stats::sd)
  cbind(labels, data.frame(mean = rowMeans(values), se = sqrt(factor) * sd, sd = sd,
                           lower = limits[1, ], upper = limits[2, ],
                           chosen = rowMeans(values > 0)))
}

# list(sums, labels): shares of views by resample.
sums_by_view <- function(found, labels) {
  labels$view <- view_label(labels)
  keys <- labels[setdiff(names(labels), "kernel")]
  key <- factor(do.call(paste, c(keys, sep = "\r")), unique(do.call(paste, c(keys, sep = "\r"))))
  # without it, rounding errors would be the spread of a single view
  sums <- round(rowsum(stack_resamples(found, "share"), key, reorder = FALSE), 12)
  list(sums = unname(sums), labels = keys[!duplicated(key), , drop = FALSE])
}

#' @rdname kernel_stability
#' @param object A result of `kernel_stability()`.
#' @param ... Not used; anything given is an error.
#' @export
summary.kernel_stability <- function(object, ...) {
  check_object(object)
  check_dots_empty(...)
  structure(list(x = object), class = c("summary.kernel_stability", "mkl_whole"))
}

#' @export
print.kernel_stability <- function(x, digits = 3, n = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  n <- check_shown(n)
  rows <- order(-x$kernels$chosen, -x$kernels$mean)
  table <- function(table, unit) {
    if (!is.null(table$model)) unit <- "row"
    short_table(stability_text(table, digits), unit, n = n, right = TRUE, row.names = FALSE)
  }
  print_short(sprintf("Kernel weights (%s) over %s, intervals of %g %%\n\nBy view (share):\n", x$value,
                      count_of(x$resamples, "resample"), 100 * x$level),
              table(x$views, "view"), "\nBy kernel:\n", 
              table(x$kernels[rows, names(x$kernels) != "view"], "kernel"), n = n)
  invisible(x)
}

# Saved tables of earlier versions have no standard errors.
stability_text <- function(table, digits) {
  values <- intersect(c("mean", "se", "sd", "lower", "upper"), names(table))
  table[values] <- as.data.frame(fixed_digits(as.matrix(table[values]), digits))
  words <- intersect(c("model", "kernel", "view"), names(table))
  table[words] <- lapply(table[words], shorten_apart, 30L)
  table$chosen <- trimws(sprintf("%.0f %%", 100 * table$chosen))
  table
}
