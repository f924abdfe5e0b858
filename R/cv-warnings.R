# Descriptions of failures in the cells of a grid.

warn_cells <- function(by_fold, tol) {
  parts <- cells_text(by_fold, tol)
  if (!length(parts)) return(invisible())
  mk_warn(sprintf("Of the %d fits of the grid, %s. See `by_fold`.", sum(by_fold$status != "stopped"),
                  paste(parts, collapse = "; ")), "cells")
}

# Numbers of cells without a certified fit, by reason.
cells_text <- function(by_fold, tol) {
  counts <- table(factor(by_fold$status, c("error", "time_limit")))
  open <- sum(!by_fold$status %in% c("error", "time_limit", "converged", "stopped") |
                by_fold$status %in% "time_limit" & !is.na(by_fold$gap))
  unfitted <- sum(is.na(by_fold$gap) & by_fold$status %in% "time_limit")
  c(
    if (counts[["error"]]) {
      sprintf("%d failed, the first: %s", counts[["error"]],
              sub("[.]$", "", first_reason(by_fold)))
    },
    if (unfitted) sprintf("%d were not fitted before `max_time`", unfitted),
    if (open) sprintf("%d did not reach `tol` = %g, the largest gap is %.2g", open, tol,
                      max(by_fold$gap, na.rm = TRUE))
  )
}

# The reason of the first failure; NA if no cell failed.
first_reason <- function(by_fold) by_fold$message[match("error", by_fold$status)]

abort_no_choice <- function(by_fold) {
  reason <- first_reason(by_fold)
  if (is.na(reason)) {
    reason <- if (all(by_fold$status == "time_limit")) "no fit was made within `max_time`." else
      "the measure is not defined in any fold."
  }
  # A function that fills missing cells wrongly is an invalid argument in mkl(), and therefore here, too.
  of_impute <- startsWith(reason, "The function `impute`")
  mk_abort(paste("No cell of the grid can be chosen:", reason), c(if (of_impute) "invalid_argument", "no_choice"),
           if (of_impute) "impute")
}
