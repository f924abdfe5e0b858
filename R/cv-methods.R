# Methods of class `cv_mkl`.

#' Methods for cross-validated fits
#'
#' `print()` shows the chosen cell, the estimate for new samples, and whether the cell is at the end of the
#' grid; `summary()` also shows the best cells and, after nested resampling, the choice in each fold. All
#' other methods, such as `predict()`, are those of the fit to all rows, `object$fit`.
#'
#' @param x,object An object of class `cv_mkl`; for `predict()` and `residuals()` also a model of
#'   [read_model()].
#' @param digits The number of significant digits, a positive whole number.
#' @param n How many measures to print: a positive whole number, `Inf` for all, `NULL` for as many as 15 lines
#'   hold.
#' @param newdata,... For `predict()`, `residuals()` and all methods but `print()` and `summary()` the
#'   arguments of the fit's own
#'   method, such as `type`; see [predict.mkl()]. Otherwise not used; anything given is an error.
#' @return `print()`: the object, invisibly. `summary()`: an object of class `summary.cv_mkl`, a
#'   list with `cv` (the object), `top` (the best cells, a data frame as `results`; by `rule = "margin"`
#'   those within one standard error of the best mean come first, by their margin loss) and `views` (see
#'   [summary.mkl()]; `NULL` for models without kernel weights). The others: as for the fit.
#' @seealso [cv_mkl()], [plot.cv_mkl()], [kernel_stability()]
#' @examples
#' set.seed(1)
#' cv <- cv_mkl(iris[1:100, 1:4], droplevels(iris$Species[1:100]),
#'              kernels = gaussian_kernel(c(0.5, 2, 8)), p = c(1, 2), C = c(0.1, 1))
#' summary(cv)
#' predict(cv, iris[49:52, ], type = "decision")
#' coef(cv)
#' @name cv_mkl-methods
NULL

#' @rdname cv_mkl-methods
#' @export
print.cv_mkl <- function(x, digits = 3, n = NULL, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  n <- check_shown(n)
  failed <- sum(x$results$failed)
  print_short(
    call_text(x, sprintf("Cross-validation of %s()", x$model), n),
    sprintf("%s of %s, %s\nChosen: %s (%s)\n", count_of(nrow(x$results), "cell"),
            sub(", ([^,]*)$", " and \\1", paste(x$tuned, collapse = ", ")), resamples_text(x),
            best_text(x, digits),
            rule_text(x$rule)),
    choice_sample_text(x$sample, x$best, digits), edge_text(x, digits),
    short_lines(chosen_lines(x, digits), "measure"),
    lone_class_text(x$predictions$truth, x$predictions$response, remedies_tried(x)), threshold_text(x$fit, digits),
    choice_estimate_lines(x, digits), nested_lines(x$nested, digits),
    if (failed > 0) sprintf("%s without a certified fit; see `by_fold`\n", count_of(failed, "fit")), n = n
  )
  invisible(x)
}

# Remedies for predictions of a single class: TRUE for those that a cross-validation has or its search has tried.
remedies_tried <- function(cv) {
  settings <- cv$settings
  c(class_weights = !is.null(settings$class_weights) || "class_weights" %in% cv$tuned,
    threshold = !is.null(settings$threshold), loss = identical(settings$loss$type, "logistic"))
}

chosen_lines <- function(x, digits) {
  chosen <- x$results[x$best_row, ]
  vapply(x$measures, function(measure) {
    sprintf("  %s %s%s", measure$name,
            estimate_text(chosen[[measure$name]], chosen[[paste0(measure$name, "_se")]], digits),
            if (measure$name == "accuracy") largest_class_text(x, digits) else "")
  }, "")
}

# Words on the share of the largest class, the accuracy of predicting it alone; "" where no class is rare.
largest_class_text <- function(x, digits) {
  share <- unequal_shares(x$predictions$truth)
  if (is.null(share)) return("")
  sprintf("; largest class \"%s\": %s", shorten(names(share)[which.max(share)], 20L),
          format(max(share), digits = digits))
}

# What to expect of new samples, a line for each measure.
choice_estimate_lines <- function(x, digits) {
  estimate <- x$estimate
  if (is.null(estimate)) return(NULL)
  cells <- nrow(x$results)
  many <- if (cells > 1L) sprintf(", with the choice among %d cells allowed for", cells) else ""
  known <- !is.na(estimate$lower)
  limits <- sprintf(" (%s to %s)", format_each(estimate$lower, digits), format_each(estimate$upper, digits))
  intervals <- if (any(known)) sprintf("intervals made to hold the value %g %% of the time", 100 * ESTIMATE_LEVEL) else
    if (few_units(x)) sprintf("intervals need %d groups", FEWEST_UNITS) else "all draws are alike: no intervals"
  short_lines(sprintf("  %s %s%s", estimate$measure, format_each(estimate$estimate, digits), ifelse(known, limits, "")),
              "measure", head = sprintf("Expect on new samples%s (%s):", many, intervals))
}

few_units <- function(x) length(unique(x$group %||% seq_len(x$n))) < FEWEST_UNITS

resamples_text <- function(x) {
  sizes <- unique(table(vapply(x$resamples, `[[`, 0L, "repeat_number")))
  repeats <- length(unique(vapply(x$resamples, `[[`, 0L, "repeat_number")))
  if (length(sizes) > 1) return(sprintf("%d folds in %d repeats", length(x$resamples), repeats))
  folds <- count_of(sizes, "fold")
  if (repeats > 1) sprintf("%s, %d times", folds, repeats) else folds
}

best_text <- function(x, digits) {
  values <- vapply(x$best, function(value) {
    if (is.numeric(value)) format(value, digits = digits) else
      if (is.character(value)) scale_label(value) else format(value)
  }, "")
  paste(names(x$best), "=", values, collapse = ", ")
}

# Words of a scaling, or the name of a kernel set.
scale_label <- function(value) {
  if (length(unique(value)) == 1L) value[[1L]] else
    sprintf("(%s)", paste(names(value), "=", value, collapse = ", "))
}

# Values beyond those tried may be better still where the best is at their end, and better than the one beside
# it. The simplest cell is at the end for its own reason.
edge_text <- function(x, digits) {
  name <- intersect(c("C", "lambda"), x$tuned)
  if (x$rule == "one_se") return("")
  others <- x$results[setdiff(x$tuned, name)]
  alike <- Reduce(`&`, lapply(others, function(column) column == column[x$best_row]), TRUE)
  line <- x$results[alike, ]
  line <- line[order(line[[name]]), ]
  best <- x$results[[name]][x$best_row]
  at <- match(best, line[[name]])
  count <- nrow(line)
  if (count < 2 || !at %in% c(1, count)) return("")
  value <- line[[if (x$rule == "margin") "margin_loss" else "mean"]]
  beside <- value[if (at == 1) 2 else count - 1]
  if (is.na(beside) || beside == value[at]) return("")
  sprintf("  %s = %s is the %s tried; %s ones may be better\n", name, format(best, digits = digits),
          if (at == 1) "smallest" else "largest", if (at == 1) "smaller" else "larger")
}

estimate_text <- function(value, se, digits) {
  paste0(format(value, digits = digits),
         if (!is.na(se)) paste0(" (standard error ", format(se, digits = 2), ")"))
}

nested_lines <- function(nested, digits) {
  if (is.null(nested)) return(NULL)
  estimate <- nested$estimate
  short_lines(vapply(seq_len(nrow(estimate)), function(k) {
    sprintf("  %s %s", estimate$measure[k], estimate_text(estimate$mean[k], estimate$se[k], digits))
  }, ""), "measure", head = "Estimate for new data, choice included (nested folds):")
}

#' @rdname cv_mkl-methods
#' @export
summary.cv_mkl <- function(object, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  order <- order_cells(object$results, object$larger, object$rule)
  weights <- if (object$model == "mkl" && !is.null(object$fit)) fit_weights(object$fit)
  structure(list(cv = object, top = utils::head(object$results[order, ], 10L),
                 views = if (!is.null(weights)) view_shares(weights)), class = "summary.cv_mkl")
}

#' @export
print.summary.cv_mkl <- function(x, digits = 3, ...) {
  x <- check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  print(x$cv, digits = digits, n = Inf)
  cat("\nThe best cells:\n")
  print(x$top[shown_columns(x$cv)], digits = digits, row.names = FALSE)
  if (!is.null(x$views)) print_views(x$views, "Share of the fitted function (all rows)")
  if (!is.null(x$cv$nested)) {
    cat("\nChosen by nested resampling in each fold:\n")
    print(x$cv$nested$by_fold, digits = digits, row.names = FALSE)
  }
  invisible(x)
}

# Columns of `results` that say what a cell is worth.
shown_columns <- function(cv) {
  c(cv$tuned, "mean", "se", if (cv$rule == "margin" && cv$measure != "margin_loss") "margin_loss",
    "kernels", "support", "gap")
}
