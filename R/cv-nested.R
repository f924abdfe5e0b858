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

# The outcome of each resample at the cell that its own training rows choose. all: outcomes of all
# resamples where the cells are those of a fixed grid, or NULL.
nested_estimate <- function(plan, run, all, judge, reported) {
  outer <- run$resamples[seq_len(run$outer)]
  within <- vapply(run$resamples, function(one) one$within %||% 0L, 0L)
  found <- lapply(seq_along(outer), function(r) {
    own <- which(within == r)
    if (is.null(all)) search_cells(plan, run, own, judge) else list(plan = plan, outcomes = all[own])
  })
  scores <- lapply(seq_along(outer), function(r) {
    score_outcomes(found[[r]]$plan, run$resamples[within == r], found[[r]]$outcomes, judge$measures)
  })
  inner <- lapply(scores, `[[`, "by_fold")
  chosen <- vapply(scores, function(own) {
    judge_cells(judge, own$results)
  }, 0L)
  warn_nested(do.call(rbind, inner), is.na(chosen), plan$settings$control$tol)
  cells <- lapply(seq_along(outer), function(r) {
    if (is.na(chosen[r])) return(failed_cell(NULL))
    cell <- if (is.null(all)) outcome_of(found[[r]]$plan, run, chosen[r], r) else
      cells_of(all[[r]])[[chosen[r]]]
    own <- lapply(found[[r]]$outcomes, function(chains) cells_of(chains)[[chosen[r]]])
    apply_rules(cell, decision_rules(own, found[[r]]$plan, run$resamples[within == r])$all, plan)
  })
  tables <- lapply(seq_along(outer), function(r) grid_table(found[[r]]$plan)[chosen[r], , drop = FALSE])
  by_fold <- nested_table(plan, outer, do.call(rbind, tables), cells, reported)
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
    parts <- sprintf("Of the %d fits within the folds of `nested`, %s.", sum(by_fold$status != "stopped"),
                     paste(parts, collapse = "; "))
  }
  if (any(open)) {
    parts <- c(parts, sprintf("In %d of %d folds no cell could be chosen; the estimate leaves them out.",
                              sum(open), length(open)))
  }
  if (length(parts)) mk_warn(paste(parts, collapse = " "), "cells", "nested")
}

# A cell over one resample.
outcome_of <- function(plan, run, cell, r) {
  cells <- plan_cells(plan)[cell, ]
  run_cells(list(plan = plan, run = run), cells, r)[[1L]][[1L]]
}

# table: the values that were chosen in each resample.
nested_table <- function(plan, outer, table, cells, measures) {
  values <- Map(function(cell, resample) {
    stats::setNames(cell_measures(cell, plan, resample, measures),
                    vapply(measures, `[[`, "", "name"))
  }, cells, outer)
  cbind(data.frame(`repeat` = vapply(outer, `[[`, 0L, "repeat_number"),
                   fold = vapply(outer, function(one) as.character(one$fold), ""),
                   check.names = FALSE),
        table, do.call(rbind, values), row.names = NULL)
}
