# Methods of assessments: text and tables.

#' @export
print.mkl_assessment <- function(x, digits = 3, ...) {
  check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  if (inherits(x, "mkl_comparison")) {
    if (length(x$fits) == 2L) print_pair(x, digits) else print_several(x, digits)
  } else {
    lines <- estimate_lines(x$measures, x$level, digits)
    print_short(assessment_title(x), short_lines(lines[-1L], "measure", "as.data.frame()", lines[1L]),
                paste0(assessment_notes(x), "\n", recycle0 = TRUE))
  }
  invisible(x)
}

assessment_title <- function(x) {
  truth <- x$predictions$truth
  counts <- if (is.factor(truth) && nlevels(truth) <= 6L) class_counts(truth)
  events <- if (x$kind == "times") count_of(sum(x$predictions$status == "event"), "event")
  paste0(count_of(x$rows, "new row"), if (length(c(counts, events))) ": ", counts, events)
}

# A heading, and a line for each measure with its interval.
estimate_lines <- function(table, level, digits) {
  number <- function(values) format_figures(values, digits)
  text <- cbind(c("", gsub("_", " ", table$measure)), c("estimate", number(table$estimate)),
                c(sprintf("%s %% interval", format(100 * level)), ifelse(
                  is.na(table$lower), "", sprintf("%s to %s", number(table$lower), number(table$upper))
                )), c("by", table$interval))
  text <- vapply(seq_len(ncol(text)), function(k) {
    formatC(text[, k], width = max(nchar(text[, k])), flag = if (k %in% c(1L, 4L)) "-" else "")
  }, character(nrow(text)))
  sub(" +$", "", apply(matrix(text, ncol = 4L), 1, paste, collapse = "  "))
}

# Each number with `digits` digits after the point, or significant digits if it is larger than 1.
format_figures <- function(values, digits) {
  vapply(values, function(value) {
    if (is.na(value)) return("NA")
    decimals <- if (abs(value) <= 1) digits else max(0, digits - 1 - floor(log10(abs(value))))
    formatC(value, digits = decimals, format = "f")
  }, "")
}

row_notes <- function(x) {
  c(if (any(x$left_out > 0)) paste("Left out:", left_out_text(x$left_out)),
    if (!is.null(x$groups)) sprintf("Intervals keep %s together", count_of(x$groups, "group")))
}

# Notes on rows and on values without an interval; the accuracy mostly has Wilson's.
assessment_notes <- function(x) {
  table <- x$measures
  lacking <- is.na(table$lower) & !is.na(table$estimate)
  if (!any(lacking)) return(row_notes(x))
  few_draws <- x$draws == 1L && "bootstrap" %in% table$interval[lacking]
  wilson <- any(table$measure == "accuracy" & table$interval == "Wilson")
  c(row_notes(x), paste0(
    "No interval: ", if (few_draws) "there is 1 draw alone; give more `draws`" else unvarying_text("value"),
    if (wilson && !few_draws) "; see that of the accuracy"
  ))
}

unvarying_text <- function(what) sprintf("the rows don't show how the %s varies", what)

# Notes on rows, on differences without an interval, and on intervals that contradict their p-value.
comparison_notes <- function(x) {
  table <- x$comparisons
  lacking <- is.na(table$lower) & !is.na(table$difference)
  without_zero <- table$lower > 0 | table$upper < 0
  apart <- which(without_zero & table$p_value > 1 - x$level | !without_zero & table$p_value < 1 - x$level)
  c(row_notes(x$fits[[1L]]), if (any(lacking)) paste("No interval:", unvarying_text("difference")),
    if (length(apart)) sprintf("Interval and p of %s disagree about 0, as they are made in different ways",
                               listed(gsub("_", " ", table$measure[apart]), 3L)))
}

# Each measure of each fit with its interval where there are few; otherwise a row for each fit, with as many
# measures as a line has room for.
print_several <- function(x, digits) {
  table <- do.call(rbind, lapply(unname(x$fits), `[[`, "measures"))
  names <- shorten_apart(names(x$fits), 30L)
  all <- nrow(table) <= 10L
  table$measure <- paste(rep(names, each = nrow(table) / length(names)), table$measure, sep = ": ")
  lines <- estimate_lines(table, x$level, digits)
  print_short(sprintf("%s compared on %s", count_of(length(x$fits), "fit"), assessment_title(x$fits[[1L]])),
              if (all) short_lines(lines[-1L], "value", "summary()", lines[1L]) else
                short_table(several_values(x, names, digits), "fit", "as.data.frame()"),
              sprintf("%s of %s with p-values: see tidy()",
                      if (all) "Differences" else "Intervals: see summary(); differences",
                      count_of(choose(length(names), 2L), "pair")),
              paste0(row_notes(x$fits[[1L]]), "\n", recycle0 = TRUE))
}

several_values <- function(x, names, digits) {
  measures <- gsub("_", " ", x$fits[[1L]]$measures$measure)
  values <- t(vapply(x$fits, function(fit) format_figures(fit$measures$estimate, digits),
                     character(length(measures))))
  matrix(values, length(names), dimnames = list(names, measures))
}

# A row for each measure of two fits, with the test of their difference.
print_pair <- function(x, digits) {
  table <- x$comparisons
  values <- vapply(x$fits, function(fit) format_figures(fit$measures$estimate, digits), character(nrow(table)))
  text <- cbind(matrix(values, nrow(table)), format_figures(table$difference, digits),
                interval_text(table, digits),
                format.pval(table$p_value, 2, 1e-4), table$test)
  dimnames(text) <- list(gsub("_", " ", table$measure), c(
    shorten_apart(names(x$fits), 15L), "difference", sprintf("%s %% interval", format(100 * x$level)), "p", "by"
  ))
  print_short(sprintf("2 fits compared on %s", assessment_title(x$fits[[1L]])),
              short_table(text, "measure", "as.data.frame()"),
              paste0(comparison_notes(x), "\n", recycle0 = TRUE))
}

interval_text <- function(table, digits) {
  ifelse(is.na(table$lower), "", sprintf("%s to %s", format_figures(table$lower, digits),
                                         format_figures(table$upper, digits)))
}

#' Methods for assessments
#'
#' `print()` shows the measures with their intervals, and for two fits their differences; for three or more the
#' intervals if they fit into 15 lines. `summary()` has all intervals. It also
#' shows the confusion matrix, the calibration, and the measures of each class, response or quantile.
#'
#' @param object,x A result of [assess()].
#' @param digits The number of digits after the point (for numbers above 1 of significant digits), a positive
#'   whole number.
#' @param row.names,optional As in [as.data.frame()].
#' @param what The table to return. For one fit: `"measures"`, `"parts"`, `"roc"`, `"pr"`, `"calibration"`
#'   (the curve) or `"predictions"`. For several fits: `"comparisons"`, or one of these with a column `fit`.
#' @param ... Not used; anything given is an error.
#' @return `print()`: the object, invisibly. `summary()`: an object of class `summary.mkl_assessment`, a list
#'   with `assessment`. `format()`: a character vector with the estimate and interval of each measure or
#'   difference, named by measure. `as.data.frame()`: the measures, or the comparisons of several fits.
#'   `tidy()`: the same as a tibble if package tibble is installed.
#' @seealso [assess()]
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- mkl(Species ~ ., iris[train, ], kernels = gaussian_kernel(c(0.5, 2, 8)))
#' set.seed(1)
#' tested <- assess(fit, iris[-train, ], draws = 200)
#' summary(tested)
#' format(tested)
#' as.data.frame(tested)
#' @name mkl_assessment-methods
NULL

#' @rdname mkl_assessment-methods
#' @export
summary.mkl_assessment <- function(object, ...) {
  check_object(object)
  check_dots_empty(...)
  structure(list(assessment = object), class = "summary.mkl_assessment")
}

#' @export
print.summary.mkl_assessment <- function(x, digits = 3, ...) {
  check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  x <- x$assessment
  if (inherits(x, "mkl_comparison")) {
    print(x, digits = digits)
    for (name in names(x$fits)) {
      cat("\n", name, ": ", sep = "")
      print_parts(x$fits[[name]], digits)
    }
    return(invisible(x))
  }
  print_parts(x, digits)
  invisible(x)
}

print_parts <- function(x, digits) {
  print(x, digits = digits)
  print_confusions(x$confusion)
  for (part in unique(x$parts$part)) {
    writeLines(c("", part_title(x, part), estimate_lines(x$parts[x$parts$part == part, ], x$level, digits)))
  }
  if (is.null(x$calibration)) return(invisible())
  ideal <- "Calibration (ideal: intercept 0, slope 1; Brier = reliability - resolution + uncertainty):"
  cat("\n", wrapped(ideal), sep = "")
  summary <- x$calibration$summary
  shown <- c("intercept", "slope", "brier", "reliability", "resolution", "uncertainty")
  print(data.frame(class = summary$class, lapply(summary[shown], format_figures, digits)), row.names = FALSE)
}

# Prints the confusion matrix, or that of each label; rows without a truth have only counts.
print_confusions <- function(confusion) {
  if (is.null(confusion)) return(invisible())
  if (!is.list(confusion)) confusion <- list(confusion)
  for (k in seq_along(confusion)) {
    cat(sprintf("\n%s%s:\n", paste(c("Predictions", names(confusion)[k]), collapse = " of "),
                if (length(dim(confusion[[k]])) == 2L) ", true classes in rows" else ""))
    print(confusion[[k]])
  }
}

part_title <- function(x, part) {
  if (part == "(mean)") return("Mean over the classes:")
  paste0(part, if (is.factor(x$predictions$truth)) " against the others", ":")
}

#' @rdname mkl_assessment-methods
#' @export
format.mkl_assessment <- function(x, digits = 3, ...) {
  check_object(x)
  check_dots_empty(...)
  digits <- check_digits(digits)
  table <- as.data.frame(x)
  if (!inherits(x, "mkl_comparison")) {
    return(stats::setNames(estimate_text_of(table$estimate, table, digits), table$measure))
  }
  stats::setNames(estimate_text_of(table$difference, table, digits),
                  sprintf("%s of %s - %s", table$measure, table$fit, table$with))
}

estimate_text_of <- function(estimate, table, digits) {
  known <- !is.na(table$lower)
  paste0(format_figures(estimate, digits), ifelse(known, sprintf(" (%s)", interval_text(table, digits)), ""))
}

#' @rdname mkl_assessment-methods
#' @export
as.data.frame.mkl_assessment <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_object(x)
  check_dots_empty(...)
  as.data.frame(if (inherits(x, "mkl_comparison")) x$comparisons else x$measures, row.names, optional)
}

assessment_tables <- c("measures", "parts", "roc", "pr", "calibration", "predictions")

#' @rdname mkl_assessment-methods
#' @method tidy mkl_assessment
#' @rawNamespace S3method(generics::tidy,mkl_assessment)
tidy.mkl_assessment <- function(x, what = NULL, ...) {
  check_object(x)
  check_dots_empty(...)
  several <- inherits(x, "mkl_comparison")
  choices <- c(if (several) "comparisons", assessment_tables)
  what <- check_choice(what %||% choices, choices, "what")
  if (what == "comparisons") return(as_table(x$comparisons))
  if (!several) return(as_table(assessment_table(x, what)))
  as_table(do.call(rbind, unname(Map(function(name, fit) {
    cbind(fit = name, assessment_table(fit, what))
  }, names(x$fits), x$fits))))
}

# Matrices of predictions have a column for each of theirs.
assessment_table <- function(x, what) {
  table <- if (what == "calibration") x$calibration$curve else x[[what]]
  if (is.null(table)) {
    abort_unsupported("what", sprintf(paste("`what = \"%s\"` is not there: classes have \"roc\" and \"pr\",",
                                            "with probabilities \"calibration\"; several classes, responses or",
                                            "quantiles have \"parts\"."), what), what)
  }
  if (what != "predictions") return(table)
  list2DF(do.call(c, unname(Map(spread_columns, names(table), unclass(table)))))
}
