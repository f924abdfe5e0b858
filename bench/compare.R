# This build beside another one on all kinds of work (bench/work.R), in turns: each round is a new
# session of either build, and what counts is processor time on one thread, the median of the rounds,
# and the number of SVMs solved, which no clock disturbs.
# usage: Rscript bench/compare.R OLD_LIBRARY [runs=5] [pattern=REGEX]
# OLD_LIBRARY: a library folder with the other build; this one is the first library of R_LIBS.
# stale after: fit src/grid bench/work.R

arguments <- commandArgs(trailingOnly = TRUE)

# ---- one round, in a session of its own: child LIBRARY PATTERN FILE -------------------------------

if (identical(arguments[1], "child")) {
  library(manykernels, lib.loc = arguments[2])
  source("bench/data.R")
  source("bench/work.R")
  rows <- list()
  for (work in grep(arguments[3], names(works), value = TRUE)) {
    fits <- works[[work]]()
    for (cell in names(fits)) {
      time <- system.time(fit <- suppressWarnings(fits[[cell]](threads = 1)))
      solves <- if (is.null(fit$models)) fit$solves else
        sum(vapply(fit$models, function(model) model$solves, 0))
      rows[[length(rows) + 1]] <- data.frame(work = work, cell = cell, solves = solves,
                                             seconds = time[["user.self"]] + time[["sys.self"]],
                                             gap = max(fit$gap))
    }
  }
  saveRDS(do.call(rbind, rows), arguments[4])
  quit(save = "no")
}

# ---- all rounds -----------------------------------------------------------------------------------

source("bench/common.R")
stopifnot("name the library of the other build" = length(arguments) > 0 && dir.exists(arguments[1]))
option <- function(name, default) {
  given <- grep(paste0("^", name, "="), arguments[-1], value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1]) else default
}
libraries <- c(old = normalizePath(arguments[1]), new = dirname(find.package("manykernels")))
runs <- as.integer(option("runs", 5))
pattern <- option("pattern", ".")

round_of <- function(build) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  script <- c("bench/compare.R", "child", shQuote(libraries[[build]]), shQuote(pattern), file)
  status <- system2(file.path(R.home("bin"), "Rscript"), script)
  stopifnot("a round failed" = status == 0)
  cbind(build = build, readRDS(file))
}
rounds <- do.call(rbind, lapply(seq_len(runs), function(run) {
  do.call(rbind, lapply(names(libraries), round_of))
}))

medians <- stats::aggregate(cbind(seconds, solves, gap) ~ work + cell + build, rounds, stats::median)
both <- merge(medians[medians$build == "old", -3], medians[medians$build == "new", -3],
              by = c("work", "cell"), suffixes = c(".old", ".new"))
both <- both[order(match(both$work, unique(rounds$work))), ]
both$ratio <- both$seconds.new / both$seconds.old
geometric <- function(x) exp(mean(log(x)))

cat("| work | cell | old (s) | new (s) | ratio | solves | gap |\n| --- | --- | --- | --- | --- | --- | --- |\n")
cat(sprintf("| %s | %s | %.2f | %.2f | %.2fx | %g -> %g | %.1e |\n", both$work, both$cell,
            both$seconds.old, both$seconds.new, both$ratio, both$solves.old, both$solves.new,
            both$gap.new), sep = "")
cat("\n| work | geometric mean |\n| --- | --- |\n")
means <- tapply(both$ratio, factor(both$work, unique(both$work)), geometric)
cat(sprintf("| %s | %.2fx |\n", names(means), means), sep = "")
cat(sprintf("\nOver all %d cells: geometric mean %.2fx, worst %.2fx; %d rounds of each build.\n",
            nrow(both), geometric(both$ratio), max(both$ratio), runs))
