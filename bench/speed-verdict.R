# Which cells of bench/speed.R are slower in the present build than in the base.

# A cell is slower when the ratio of the medians (new / old) and the lowest ratio of a single round
# are above these limits.
slower_median_ratio <- 1.15
slower_lowest_ratio <- 1.05

not_in_build <- "not in this build" # the error of a cell that calls what its build lacks
passing <- c("ok", "not in the base")

# Columns of rounds: work, cell, build ("old" or "new"), round, seconds, solves, gap, certified, dual
# and primal values, and error (NA where the cell ran). A row whose cell is NA speaks of all cells of
# its work. Returns one row for each cell.
judge <- function(rounds) {
  rounds <- name_cells(rounds)
  label <- paste(rounds$work, rounds$cell, sep = "\r")
  cells <- lapply(split(rounds, factor(label, unique(label))), judge_cell)
  do.call(rbind, c(cells, list(make.row.names = FALSE)))
}

name_cells <- function(rounds) {
  rows <- lapply(seq_len(nrow(rounds)), function(i) {
    row <- rounds[i, ]
    if (!is.na(row$cell)) return(row)
    known <- unique(rounds$cell[rounds$work == row$work & !is.na(rounds$cell)])
    data.frame(cell = if (length(known)) known else "all", row[names(row) != "cell"],
               row.names = NULL)
  })
  do.call(rbind, rows)
}

judge_cell <- function(rounds) {
  rounds <- rounds[order(rounds$round), ]
  old <- rounds[rounds$build == "old", ]
  new <- rounds[rounds$build == "new", ]
  ratios <- new$seconds[match(old$round, new$round)] / old$seconds
  middle <- function(x) stats::median(as.numeric(x))
  result <- data.frame(
    work = rounds$work[1], cell = rounds$cell[1], old = middle(old$seconds),
    new = middle(new$seconds), ratio = middle(new$seconds) / middle(old$seconds),
    lowest = min(ratios), highest = max(ratios), old_solves = middle(old$solves),
    new_solves = middle(new$solves), old_gap = max(old$gap), new_gap = max(new$gap)
  )
  result$verdict <- verdict(old, new, result)
  result
}

verdict <- function(old, new, result) {
  in_base <- !all(old$error %in% not_in_build)
  ran <- if (in_base) rbind(old, new) else new
  if (any(!is.na(ran$error))) return(paste("failed:", ran$error[!is.na(ran$error)][1]))
  if (!all(ran$certified)) return("not certified")
  if (!in_base) return("not in the base")
  if (!same_optimum(ran)) return("optima differ")
  slower <- result$ratio > slower_median_ratio && result$lowest > slower_lowest_ratio
  if (slower) "slower" else "ok"
}

# Each fit proves that the optimum lies between its dual and its primal value, so the intervals of two
# builds that solve one problem overlap.
same_optimum <- function(ran, rounding = 1e-9) {
  max(ran$dual) <= min(ran$primal) + rounding * max(abs(ran$primal))
}

# Stops where judge() would let a loss through, or would see one that is not there.
check_judge <- function() {
  made <- function(ratios, ...) {
    base <- data.frame(work = "work", cell = "cell", build = "old", round = seq_along(ratios),
                       seconds = 1, solves = 1, gap = 1e-4, certified = TRUE, dual = 1,
                       primal = 1.0001, error = NA_character_)
    judge(rbind(base, replace(transform(base, build = "new", seconds = ratios), names(list(...)),
                              list(...))))$verdict
  }
  stopifnot(
    made(c(1.1, 1.2, 1.3)) == "slower",
    made(c(1, 1.2, 1.4)) == "ok",
    made(c(1.1, 1.1, 1.1)) == "ok",
    made(c(1.2, 1.06, 1.3)) == "slower",
    made(c(0.5, 0.5, 0.5)) == "ok",
    made(c(1, 1, 1), certified = c(TRUE, FALSE, TRUE)) == "not certified",
    made(c(1, 1, 1), dual = 1.1, primal = 1.1001) == "optima differ",
    made(c(1, 1, NA), error = c(NA, NA, "it died")) == "failed: it died",
    made(c(NA, NA, NA), error = not_in_build) == paste("failed:", not_in_build),
    made(c(NA, 1, 1), cell = c(NA, "cell", "cell"), error = c("it died", NA, NA)) ==
      "failed: it died",
    made(c(NA, NA, NA), cell = NA_character_, error = "it died") == "failed: it died",
    !any(c("slower", "not certified", "optima differ", "failed: it died") %in% passing)
  )
}
