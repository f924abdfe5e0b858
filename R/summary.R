# Summaries of fits: weights, and errors on the training rows.

#' Summary of a fit
#'
#' Shows more than `print()`, which takes 15 lines at most: all kernels with a positive weight, the weights by
#' view, and how well the training rows are fitted. All objects of this package print in 15 lines at most and
#' print the number of lines that they leave out. For tables, `print(x, n = Inf)` shows all rows, and
#' `print(x, n = 20)` the first 20.
#'
#' @param object A fit of class `mkl`, `mkl_multiclass` or `mkl_multioutput`.
#' @param ... Not used; anything given is an error.
#' @return An object of class `summary.mkl`, a list with a print method. `fit` is the fit itself, and
#'   `weights` are those of [kernel_weights()]. `views` is a data frame with `view`, `kernels`, `active` and
#'   `share` of the fitted function, and `model` for several classes. `confusion` is the table of the training
#'   rows, truth by prediction (for one class the counts in and out; `NULL` for regression). `error` is the
#'   proportion misclassified, for regression the root mean squared error, for one class the proportion
#'   outside. Regressions also have `r_squared`, one minus the mean squared error over the variance of the
#'   response. For censored times `error` is one minus the concordance. For quantiles `error` is the pinball
#'   loss (see [measures]), and `below` the share of rows whose response lies below the predicted quantile.
#'   For several responses or quantiles `error` is the mean over them, and `outputs` a data frame with a row
#'   for each: its name as `output`, and its `error` or `below`.
#' @seealso [mkl()], [kernel_weights()]
#' @examples
#' fit <- mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]),
#'            kernels = gaussian_kernel(2^(-1:3)))
#' summary(fit)
#' @aliases summary.mkl summary.mkl_multiclass
#' @rdname summary.mkl
#' @export
summary.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no summary of its training")
  check_dots_empty(...)
  weights <- fit_weights(object)
  pursuit <- inherits(object, "mkl_gomp")
  structure(
    c(list(fit = object, weights = weights, views = view_shares(weights)),
      if (pursuit) pursuit_errors(object) else training_summary(object)),
    class = c(if (pursuit) "summary.mkl_gomp", "summary.mkl")
  )
}

# A summary whose print() shows all that print() of its object cuts.
#' @export
print.mkl_whole <- function(x, digits = 3, ...) {
  check_object(x)
  check_dots_empty(...)
  print(x$x, digits = digits, n = Inf)
  invisible(x)
}

#' @export
print.summary.mkl <- function(x, digits = 3, ...) {
  check_object(x)
  digits <- check_digits(digits)
  print(x$fit, digits = digits, n = Inf)
  print_views(x$views, "Share of the fitted function")
  if (inherits(x$fit, "mkl_gomp")) print_pursuit(x, digits) else print_training(x, digits)
  invisible(x)
}

print_training <- function(x, digits) {
  if (!is.null(x$outputs)) {
    print_output_errors(x, digits)
  } else if (!is.null(x$below)) {
    cat(sprintf("\nTraining rows: %s below the fitted quantile\n", trimws(percent(x$below))))
  } else if (kind_of(x$fit) == "times") {
    cat(sprintf("\nTraining rows: concordance %s\n", format(1 - x$error, digits = 4)))
  } else if (is.null(x$confusion)) {
    cat("\n", wrapped(sprintf("Training rows: root mean squared error %s, R squared %s",
                              format(x$error, digits = 4), format(x$r_squared, digits = 4))), sep = "")
  } else {
    print_confusion(x, if (kind_of(x$fit) == "classes") "error" else "outside")
  }
  if (inherits(x$fit, "mkl")) {
    cat("\n", wrapped(optimiser_text(x$fit)), sep = "")
  }
}

print_pursuit <- function(x, digits) {
  if (is.null(x$confusion)) {
    cat(sprintf("\nTraining rows, %s %s\n",
                if (is_labels(x$fit$y)) "share of wrong labels" else "mean squared error",
                format(x$error, digits = digits)))
  } else {
    print_confusion(x)
  }
  cat(sprintf("\nNormalisation: %s. Status %s.\n", paste(x$fit$normalize, collapse = ", "),
              sub("_", " ", x$fit$status)))
}
