# The honest estimate of a cross-validated choice: made again within the training rows of each fold.

# Folds of the training rows of each resample; rows held out there take no part.
inner_resamples <- function(plan, outer, folds, group) {
  parts <- lapply(seq_along(outer), function(r) {
    drawn <- outer[[r]]$train
    train <- unique(drawn)
    inner <- withCallingHandlers(
      resamples(folds, 1L, response_rows(plan$response, train), group[train], length(train),
                plan$weights[train]),
      # has been said of the outer folds, or would be said of each
      manykernels_warning_few_cases = function(w) invokeRestart("muffleWarning"),
      manykernels_error = function(e) abort_nested(outer[[r]]$fold, e)
    )
    lapply(inner, function(one) {
      list(repeat_number = 1L, fold = one$fold, train = drawn[drawn %in% train[one$train]],
           test = train[one$test], within = r)
    })
  })
  unlist(parts, recursive = FALSE)
}

abort_nested <- function(fold, e) {
  mk_abort(sprintf("`nested` can't divide the training rows of fold %s: %s", fold, conditionMessage(e)),
           sub("^manykernels_", "", class(e)[1]), "nested", parent = e)
}

# The outcome of each resample at the cell that its own training rows choose by `measures`.
nested_estimate <- function(plan, run, outcomes, measures, reported, rule) {
  outer <- run$resamples[seq_len(run$outer)]
  within <- vapply(run$resamples, function(one) one$within %||% 0L, 0L)
  inner <- lapply(seq_along(outer), function(r) {
    score_cells(plan, run$resamples[within == r], outcomes[within == r], measures)
  })
  chosen <- vapply(seq_along(outer), function(r) {
    own <- run$resamples[within == r]
    values <- cell_row_values(plan, own, outcomes[within == r], measures)
    choose_cell(summarise_cells(plan, inner[[r]], measures, values, own), measures[[1]]$larger, rule)
  }, 0L)
  warn_nested(do.call(rbind, inner), is.na(chosen), plan$settings$control$tol)
  cells <- lapply(seq_along(outer), function(r) {
    if (is.na(chosen[r])) failed_cell(NULL) else
      unlist(outcomes[[r]], recursive = FALSE)[[chosen[r]]]
  })
  by_fold <- nested_table(plan, outer, chosen, cells, reported)
  names <- vapply(reported, `[[`, "", "name")
  values <- cell_row_values(plan, outer, lapply(cells, function(cell) list(list(cell))), reported)
  list(
    estimate = data.frame(measure = names,
                          mean = vapply(by_fold[names], mean_known, 0, USE.NAMES = FALSE),
                          se = vapply(values, function(own) corrected_errors(own, outer)$se, 0,
                                      USE.NAMES = FALSE)),
    by_fold = by_fold, predictions = held_out_frame(plan, outer, cells)
  )
}

warn_nested <- function(by_fold, open, tol) {
  parts <- cells_text(by_fold, tol)
  if (length(parts)) {
    parts <- sprintf("Of the %d fits within the folds of `nested`, %s.", nrow(by_fold),
                     paste(parts, collapse = "; "))
  }
  if (any(open)) {
    parts <- c(parts, sprintf("In %d of %d folds no cell could be chosen; the estimate leaves them out.",
                              sum(open), length(open)))
  }
  if (length(parts)) mk_warn(paste(parts, collapse = " "), "cells", "nested")
}

nested_table <- function(plan, outer, chosen, cells, measures) {
  values <- Map(function(cell, resample) {
    stats::setNames(cell_measures(cell, plan, resample, measures),
                    vapply(measures, `[[`, "", "name"))
  }, cells, outer)
  cbind(data.frame(`repeat` = vapply(outer, `[[`, 0L, "repeat_number"),
                   fold = vapply(outer, function(one) as.character(one$fold), ""),
                   check.names = FALSE),
        grid_table(plan)[chosen, , drop = FALSE], do.call(rbind, values), row.names = NULL)
}
