# Cells that a search tries: how they are judged, fitted and kept.
#
# A search is a list: plan (its `scales`, named, are the scalings that were thought of), run, on (the
# resamples that the choice is made by), judge (as by new_judge()), cells (a data frame with a row for
# each cell tried: outer, inner, scale, search), outcomes (by resample, then cell), results (as by
# summarise_cells(), a row for each cell) and scale, the name of the scaling that is searched on with.

# The criteria of cells: measures, the first of which decides by the rule, and the tolerance of the fits.
new_judge <- function(measures, rule, tol) list(measures = measures, rule = rule, tol = tol)

judge_cells <- function(judge, results) {
  choose_cell(results, judge$measures[[1]]$larger, judge$rule, judge$tol)
}

# ---- cells ---------------------------------------------------------------------------------------

without_cells <- function(search, rows) {
  search$cells <- search$cells[-rows, , drop = FALSE]
  search$results <- search$results[-rows, , drop = FALSE]
  search$outcomes <- lapply(search$outcomes, `[`, -rows)
  search
}

cell_keys <- function(cells) paste(cells$scale, cells$outer, cells$inner)

results_of <- function(search, cells, outcomes) {
  plan <- search$plan
  plan$cells <- cells
  score_outcomes(plan, search$run$resamples[search$on], lapply(outcomes, list), search$judge$measures)$results
}

# Outcomes by resample, then cell.
run_cells <- function(search, cells, on) {
  out <- rep(list(vector("list", nrow(cells))), length(on))
  for (rows in grids_of(cells)) {
    own <- cells[rows, ]
    part <- part_of_plan(search$plan, unique(own$outer), unique(own$inner), own$scale[1L])
    found <- run_round(part, search$run, on, own)
    for (r in seq_along(on)) out[[r]][rows] <- unlist(found[[r]], recursive = FALSE)
  }
  out
}

# Rows of cells that make grids, each in the order of grid_table(): of one scaling, norms that have the
# same values of C.
grids_of <- function(cells) {
  rows <- split(seq_len(nrow(cells)), paste(cells$scale, cells$outer))
  rows <- lapply(rows, function(own) own[order(cells$inner[own])])
  alike <- vapply(rows, function(own) paste(c(cells$scale[own[1L]], cells$inner[own]), collapse = " "), "")
  lapply(unname(split(rows, alike)), function(group) {
    group <- group[order(vapply(group, function(own) cells$outer[own[1L]], 0L))]
    unlist(group, use.names = FALSE)
  })
}

# The grid of some values of a plan, with one of its scalings.
part_of_plan <- function(plan, outer, inner, scale = NULL) {
  plan$cells <- NULL
  plan$outer <- plan$outer[outer]
  plan$set <- plan$set[outer]
  plan$inner <- plan$inner[inner]
  if (length(plan$scales)) {
    plan$settings$scale <- plan$arguments$scale <- plan$scales[[scale]]
    plan$scaling <- names(plan$scales)[scale]
  }
  weigh_classes(plan, scale)
}

# The outcomes of a grid over some resamples, or what is known of them from a call before. cells: its
# cells, by which it is known again.
run_round <- function(part, run, on, cells) {
  key <- object_digest(paste(c(part$scaling, part$settings$class_weights, cells$outer, "|", cells$inner, "|",
                             on), collapse = " "))
  known <- run$rounds[[key]]
  if (!is.null(known)) return(known)
  own <- run[c("deadline", "BPPARAM", "rounds", "kept", "id", "log", "scratch", "lines")]
  own$seeds <- run$seeds[on]
  own$numbers <- on
  if (!is.null(run$store)) own$store <- unit_file(run$store, key)
  outcomes <- run_plan(part, run$resamples[on], own)
  if (!is.null(run$store)) assign(key, outcomes, run$rounds)
  outcomes
}
