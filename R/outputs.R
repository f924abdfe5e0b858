# Several responses at once, a column each: labels (a matrix of 0 and 1, or of FALSE and TRUE), or
# numbers. Labels are integers or logical values here, numbers are doubles.

check_outputs_table <- function(y, samples, loss, kind = "auto") {
  y <- in_sample_order(y, samples, "y")
  y <- outputs_matrix(y)
  check_value_count(y, samples, "y")
  y <- kept_values(y, samples)
  check_outputs_known(y, samples)
  check_several(loss)
  if (kind == "auto") refuse_times_table(y)
  if (kind == "regression" || !holds_labels(y)) {
    if (is.logical(y) || kind == "censored") check_classes_asked(y[, 1], loss, kind)
    if (kind == "classification") abort_no_labels(loss)
    storage.mode(y) <- "double"
    if (kind == "auto") check_outputs_vary(y)
    return(y)
  }
  if (!is.logical(y)) storage.mode(y) <- "integer"
  check_labels_vary(y, rep(TRUE, nrow(y)), "y")
  if (kind == "auto") inform_classes(y)
  y
}

outputs_matrix <- function(y) {
  if (is.data.frame(y)) {
    kinds <- vapply(y, function(column) {
      (is.numeric(column) && !is.object(column)) || is.logical(column)
    }, NA)
    if (!all(kinds)) {
      mk_abort(sprintf(paste(
        "`y` with several columns must hold numbers, or labels as 0 and 1 or FALSE and TRUE, but",
        "column `%s` is %s."
      ), names(y)[!kinds][1], describe(y[[which(!kinds)[1]]])), "invalid_argument", "y",
      y)
    }
    y <- as.matrix(y)
  }
  if (!(is.numeric(y) || is.logical(y)) || is.object(y)) {
    abort_argument(y, "y", "a vector, or a matrix of numbers or of labels 0 and 1")
  }
  names <- colnames(y) %||% paste0("y", seq_len(ncol(y)))
  names[!nzchar(names)] <- paste0("y", which(!nzchar(names)))
  bad <- duplicated(names)
  if (any(bad)) {
    mk_abort(sprintf("The columns of `y` must have different names, but \"%s\" appears twice.",
                     names[bad][1]), "invalid_argument", "y", names)
  }
  matrix(y, nrow(y), ncol(y), dimnames = list(rownames(y), names))
}

check_outputs_known <- function(y, samples) {
  bad <- which(if (is.logical(y)) is.na(y) else !is.finite(y), arr.ind = TRUE)
  if (!nrow(bad)) return(check_summable(y, "y"))
  mk_abort(paste0(sprintf(paste("`y` must have no missing or infinite values, but has %d; the first is in",
                                "row %s of column `%s`."), nrow(bad),
                          given_row(samples, bad[1, 1], rownames(y)), colnames(y)[bad[1, 2]]),
                  missing_response_advice(samples, "is.finite(rowSums(%s))", ", ")),
           "missing_values", "y", bad[, 1])
}

# Times with their status in a column of its own would become two regressions: an error where the values or the
# names say so, else a message.
refuse_times_table <- function(y) {
  if (NCOL(y) == 3L) return(refuse_spells_table(y))
  if (NCOL(y) != 2L) return(invisible())
  names <- colnames(y)
  codes <- lapply(1:2, function(k) status_codes(y[, k]))
  named <- grepl(status_names, names %||% c("", ""), ignore.case = TRUE)
  two <- vapply(codes, function(own) length(own) > 0L && (all(own %in% 0:1) || all(own %in% 1:2)), NA)
  likely <- (lengths(codes) > 0L) * (1 + two + named)
  status <- which.max(likely)
  codes <- codes[[status]]
  named <- named[status]
  two <- two[status]
  if (likely[1L] == likely[2L] || any(y[, -status] < 0) ||
      !(two || named || length(codes) %in% 2:3 && max(codes) < 4)) {
    return(invisible())
  }
  # names that outputs_matrix() has made, or none
  if (is.null(names) || any(!nzchar(names) | names == paste0("y", 1:2))) names <- c("y[, 1]", "y[, 2]")
  names <- c(names[-status], names[status])
  event <- if (two) names[2L] else sprintf("%s == %s", names[2L], format(max(codes)))
  text <- sprintf(paste(
    "`y` %s times, `%s`, and events, `%s`. For censored times give `survival::Surv(%s, %s)` of these",
    "columns%s to mkl() or cv_mkl(); for a regression of each column give `type = \"regression\"`."
  ), if (two || named) "seems to hold" else "may hold", names[1L], names[2L], names[1L], event,
  if (two) "" else ", with the code of an event,")
  if (two || named) mk_abort(text, "times_table", "y", names)
  mk_inform(text, "times_table", "y", names)
}

# Starts, ends and status of spells, as Surv() takes them, would become three regressions.
refuse_spells_table <- function(y) {
  names <- colnames(y)
  two <- vapply(1:3, function(k) {
    codes <- status_codes(y[, k])
    length(codes) > 0L && (all(codes %in% 0:1) || all(codes %in% 1:2))
  }, NA)
  if (sum(two) != 1L) return(invisible())
  times <- which(!two)
  if (all(y[, times[2L]] < y[, times[1L]])) times <- rev(times)
  if (!all(y[, times[1L]] < y[, times[2L]])) return(invisible())
  named <- any(grepl(status_names, names[two], ignore.case = TRUE),
               grepl(start_names, names[times[1L]], ignore.case = TRUE))
  if (is.null(names) || all(names == paste0("y", 1:3))) names <- sprintf("y[, %d]", 1:3)
  text <- sprintf(paste(
    "`y` %1$s the start and the end of spells, `%2$s` and `%3$s`, and events, `%4$s`. Censored regression",
    "takes one time per row: give `survival::Surv(%3$s - %2$s, %4$s)` of these columns to mkl() or cv_mkl(); for",
    "a regression of each column give `type = \"regression\"`."
  ), if (named) "seems to hold" else "may hold", names[times[1L]], names[times[2L]], names[two])
  if (named) mk_abort(text, "times_table", "y", names)
  mk_inform(text, "times_table", "y", names)
}

start_names <- "start|^(begin|entry|enter|from|time1?)$"

# A few whole numbers, as they code events; NULL for other values.
status_codes <- function(values) {
  codes <- unique(values)
  if (length(codes) <= 5L && all(codes >= 0 & codes == round(codes))) codes
}

status_names <- "status|event|censor|cens$|death|^(died|dead|deceased|delta|fail|failed|failure|relapse)$"

abort_no_labels <- function(loss) {
  mk_abort(paste0(
    "`", if (is.null(loss)) "type` is \"classification\"" else
      sprintf("loss` is the %s, for classes", format(loss)),
    ", but `y` is a matrix with values other than 0 and 1. Give a matrix of 0 and 1, or a ",
    if (is.null(loss)) "factor for several classes." else "loss for regression."
  ), "invalid_argument", if (is.null(loss)) "type" else "loss", loss)
}

# TRUE if all values are 0 or 1.
holds_labels <- function(y) {
  kinds <- vapply(as.list(if (is.data.frame(y)) y else list(y)), function(one) {
    (is.logical(one) || is.numeric(one)) && !is.factor(one)
  }, NA)
  all(kinds) && all(unlist(y) %in% 0:1)
}

label_targets <- function(labels) {
  matrix(2 * labels - 1, nrow(labels), ncol(labels), dimnames = dimnames(labels))
}

check_several <- function(loss) {
  if (is.null(loss) || !(loss$type == "censored" || length(loss$tau) > 1L)) return(invisible())
  mk_abort(if (loss$type == "censored") {
    "`loss` is the censored loss, which takes a Surv object as `y`, not a matrix."
  } else {
    "`loss` must have one `tau` where `y` has several columns: give one of both as one."
  }, "invalid_argument", "loss", loss)
}

check_labels_vary <- function(y, counted, argument) {
  share <- colMeans(y[counted, , drop = FALSE])
  flat <- which(share == 0 | share == 1)
  if (!length(flat)) return(invisible())
  mk_abort(sprintf(
    "Each column of `y` must have both labels%s, but column `%s` is always %s.",
    if (argument == "weights") " among the rows of positive weight" else "",
    colnames(y)[flat[1]], label_levels(y)[share[flat[1]] + 1]
  ), "one_class", argument, colnames(y)[flat])
}

check_outputs_vary <- function(y) {
  flat <- which(apply(y, 2, function(column) all(column == column[1])))
  if (!length(flat)) return(invisible())
  mk_abort(sprintf(paste("Each column of `y` must vary, but column `%s` is always %s. If that is",
                         "right, give `type = \"regression\"`."),
                   colnames(y)[flat[1]], format(y[1, flat[1]])), "constant", "y",
           colnames(y)[flat])
}

# Rows of any response.
response_rows <- function(response, rows) {
  if (is.matrix(response)) response[rows, , drop = FALSE] else response[rows]
}

# A function that refuses several responses or quantiles, for interfaces of one model.
refuse_several_in <- function(what) function(response, settings, samples) {
  if (!is.matrix(response) && length(settings$loss$tau) < 2) return(invisible())
  several <- if (is.matrix(response)) "y" else "loss"
  abort_unsupported(several, sprintf(paste("`%s` must have one %s for %s; mkl() and cv_mkl() take",
                                           "several."), several,
                                     if (several == "y") "column" else "`tau`", what))
}
