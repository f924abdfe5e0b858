# Two threads against one: the cells of bench/speed-cells.R by seconds on the clock, in turns.
# usage: Rscript bench/threads.R [threads=2] [runs=5] [cells=all, or parts of names]
# stale after: fit grid strings R/predict.R R/multiclass.R R/joint-model.R R/packed-models.R bench/work.R bench/speed-cells.R bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/speed-cells.R")
settings <- bench_arguments(threads = 2, runs = 5, cells = "all")
dir.create(".build/speed", showWarnings = FALSE, recursive = TRUE)

least_seconds <- 0.2 # a cell runs again until it has taken as long
many_rows <- 4000    # from here on the second thread has to be worth it
many_bar <- 0.65
few_bar <- 1         # nothing is slower
noise <- 1.05        # of two medians of the same thing

clock <- function() proc.time()[["elapsed"]]

# The mean time of a cell on so many threads.
seconds_of <- function(cell, threads) {
  old <- options(manykernels.threads = threads)
  on.exit(options(old))
  gc(FALSE)
  runs <- 0
  start <- clock()
  while ((seconds <- clock() - start) < least_seconds) {
    suppressWarnings(cell(threads = threads))
    runs <- runs + 1
  }
  seconds / runs
}

# The rows that are fitted or predicted, as the names say it.
rows_of <- function(name) {
  if (grepl("one row", name)) return(1)
  rows <- regmatches(name, regexec("([0-9,]+) x [0-9]|([0-9,]+) rows", name))[[1L]][-1L]
  if (length(rows)) as.numeric(gsub(",", "", paste(rows, collapse = ""))) else NA
}

cell_row <- function(work, name, cell) {
  seconds <- replicate(settings$runs, c(seconds_of(cell, 1), seconds_of(cell, settings$threads)))
  median <- apply(seconds, 1, stats::median)
  ratio <- median[2] / median[1]
  rounds <- seconds[2, ] / seconds[1, ]
  bar <- if (isTRUE(rows_of(paste(work, name)) >= many_rows)) many_bar else few_bar
  message(sprintf("%s, %s: %.2f", work, name, ratio))
  data.frame(work, cell = name, `one thread, s` = format(signif(median[1], 3)), `two, s` = format(signif(median[2], 3)),
             ratio = sprintf("%.2f", ratio), range = sprintf("%.2f to %.2f", min(rounds), max(rounds)),
             bar, verdict = if (ratio <= bar * noise) "met" else "missed", check.names = FALSE)
}

chosen <- if (identical(settings$cells, "all")) names(works) else
  grep(paste(settings$cells, collapse = "|"), names(works), value = TRUE)
table <- do.call(rbind, lapply(chosen, function(work) {
  cells <- works[[work]]()
  do.call(rbind, Map(cell_row, work, names(cells), cells))
}))
met <- table$verdict == "met"
section("Threads", sprintf(paste(
  "Seconds on the clock with %d threads and with one; medians of %d rounds in turns, the ratio of the",
  "medians and its range over the rounds. The bar is %.2f from %s rows on, and %g for all others; %d of %d",
  "cells meet theirs (within %.0f %%, as medians of the same thing differ)."),
  settings$threads, settings$runs, many_bar, format(many_rows, big.mark = ","), few_bar, sum(met),
  length(met), 100 * (noise - 1)), table)
report_bars(
  bar("cells of 4,000 rows and more that take .65x on two threads", mean(met[table$bar == many_bar]), 1,
      unit = " of them", higher = TRUE),
  bar("other cells that two threads don't slow down", mean(met[table$bar == few_bar]), 1, unit = " of them",
      higher = TRUE)
)
