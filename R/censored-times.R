# Times of which some are only known to lie beyond (or before) what was seen: the response of a
# censored regression. Numbers with a `side` each: 0 for an event, whose time is known, 1 where the
# event comes later (right-censored), -1 where it came before (left-censored).

new_times <- function(time, side, names = NULL) {
  structure(as.double(time), side = as.integer(side), names = names, class = "censored_times")
}

# NULL for other responses.
side_of <- function(y) attr(y, "side", exact = TRUE)

#' @export
`[.censored_times` <- function(x, i) {
  new_times(unclass(x)[i], side_of(x)[i], names(x)[i])
}

#' @export
format.censored_times <- function(x, ...) {
  paste0(format(as.vector(unclass(x)), ...), c("-", "", "+")[side_of(x) + 2L])
}

#' @export
print.censored_times <- function(x, ...) {
  print_short(short_lines(utils::capture.output(print(format(x, ...), quote = FALSE)), "line", "format(x)"))
  invisible(x)
}

status_words <- c("before", "event", "later")

times_status <- function(x) factor(status_words[side_of(x) + 2L], status_words)
times_of_status <- function(time, status) new_times(time, as.integer(status) - 2L)

# ---- from package survival -----------------------------------------------------------------------

# A `Surv` response; positions, names and missing values as they are.
times_of_surv <- function(y) {
  type <- attr(y, "type", exact = TRUE)
  values <- unclass(y)
  if (!type %in% c("right", "left", "interval")) {
    abort_unsupported("y", sprintf(paste(
      "`y` is a Surv object of type \"%s\", with %s. Censored regression takes one time per row:",
      "Surv(time, status)."
    ), type, if (grepl("counting", type)) "a start and an end of each row" else "several states"), y)
  }
  status <- values[, "status"]
  between <- which(type == "interval" & status == 3)
  if (length(between)) {
    abort_unsupported("y", sprintf(paste(
      "`y` must not be interval-censored, but row %s has a time between two limits. Events,",
      "right-censored and left-censored times are supported. Leave such rows out."
    ), row_text(between[1], rownames(values))), y)
  }
  side <- if (type == "interval") c(1L, 0L, -1L)[status + 1] else
    ifelse(status == 1, 0L, if (type == "right") 1L else -1L)
  new_times(values[, if (type == "interval") "time1" else "time"], side, rownames(values))
}

# Times on the scale of the model: logarithms, or the times themselves if the loss has `log = FALSE`. Other
# responses are returned unchanged.
model_scale <- function(response, loss) {
  if (!is_times(response) || !loss$log) return(response)
  new_times(log(as.vector(unclass(response))), side_of(response), names(response))
}

# Converts decision values to times.
time_values <- function(decision, loss) if (loss$log) exp(decision) else decision

check_times <- function(y, samples, loss, kind = "auto") {
  if (is.null(loss) && !kind %in% c("auto", "censored")) {
    mk_abort(sprintf(paste("`type` is \"%s\", but `y` holds times that may be censored. Leave `type`",
                           "out, or give the times themselves as `y`."), kind),
             "invalid_argument", "type", kind)
  }
  loss <- loss %||% censored_loss()
  if (loss$type != "censored") {
    mk_abort(sprintf(paste("`loss` is the %s, but `y` holds times that may be censored; these take",
                           "censored_loss()."), format(loss)), "invalid_argument", "loss", loss)
  }
  y <- in_sample_order(y, samples, "y")
  check_value_count(y, samples, "y")
  y <- kept_values(y, samples)
  bad <- which(!is.finite(y) | is.na(side_of(y)))
  if (length(bad)) {
    mk_abort(paste0(sprintf(paste(
      "`y` must have no missing or infinite times and a status of 0 or 1 each, but has %s",
      "otherwise; the first is row %s."
    ), count_of(length(bad), "row"), given_row(samples, bad[1], names(y))),
    missing_response_advice(samples, "is.finite(rowSums(as.matrix(%s)))")), "missing_values", "y", bad)
  }
  if (loss$log && any(y <= 0)) {
    bad <- which(y <= 0)[1]
    mk_abort(sprintf(paste(
      "`y` must have positive times, as the model is about their logarithms, but row %s has %s. For",
      "times as they are, `loss = censored_loss(log = FALSE)`."
    ), row_text(bad, names(y)), format(unclass(y)[[bad]])), "invalid_argument", "y", unclass(y)[[bad]])
  }
  check_both_sides(y, rep(TRUE, length(y)), "y")
  y
}

# A model without a row that bounds its times from above (or below) would predict infinite times.
check_both_sides <- function(y, counted, argument) {
  side <- side_of(y)[counted]
  if (any(side <= 0) && any(side >= 0)) return(invisible())
  mk_abort(sprintf("`y` must have an event%s: all times are %s-censored.",
                   if (argument == "weights") " of positive weight" else "",
                   if (all(side > 0)) "right" else "left"), "no_events", argument)
}

# Converts times to a Surv object, as users' functions expect; without package survival returns them as
# they are.
surv_of_times <- function(y) {
  if (!requireNamespace("survival", quietly = TRUE)) return(y)
  time <- as.vector(y)
  if (all(side_of(y) >= 0)) return(survival::Surv(time, side_of(y) == 0))
  survival::Surv(ifelse(side_of(y) < 0, -Inf, time), ifelse(side_of(y) > 0, Inf, time),
                 type = "interval2")
}
