# Does the present build take longer than an earlier one? Both run the cells of bench/speed-cells.R in
# turns: each round of each kind of work is a new session of either build, and what counts is processor
# time on one thread, which other work on the machine disturbs little.
# usage: Rscript bench/speed.R [rounds=5] [cells=REGEX] [base=COMMIT] [from=bench/speed-cells.R]
#        Rscript bench/speed.R check
# cells: only the kinds of work whose name matches. base: the commit to compare with, in place of that
# of bench/speed-base; it is built in .build/base. from: another file with `works`, as bench/work.R.
# check: only the test of bench/speed-verdict.R. The present build is the first library of R_LIBS.
# Exits with status 1 if a cell is slower (bench/speed-verdict.R), fails, or is not certified. A whole
# run (all cells, 5 rounds or more) is kept in bench/results/speed.md.
# stale after: fit grid strings R/predict.R R/multiclass.R R/joint-model.R R/packed-models.R bench/work.R bench/speed-cells.R bench/level-kernels.R bench/speed-base

source("bench/speed-verdict.R")
arguments <- commandArgs(trailingOnly = TRUE)

least_seconds <- 0.5     # a cell runs again until it has taken as long
longest_session <- 900   # seconds on the clock
whole_rounds <- 5

# ---- one round of one kind of work: child LIBRARY FROM WORK FILE ----------------------------------

# R reads the package's functions when they are called first.
warm_up <- function() {
  data <- make_noise(60)
  stats::predict(fit_work(data, gaussian_kernel(c(1, 4)), threads = 1), data$x)
}

processor_seconds <- function() sum(proc.time()[c("user.self", "sys.self")])

# The mean processor time of a cell, and what its fit proves.
measure <- function(cell) {
  gc(FALSE)
  runs <- 0
  start <- processor_seconds()
  repeat {
    fit <- suppressWarnings(cell(threads = 1))
    runs <- runs + 1
    seconds <- processor_seconds() - start
    if (seconds >= least_seconds) break
  }
  models <- if (is.null(fit$models)) list(fit) else fit$models
  tol <- if (is.null(fit$control)) Inf else fit$control$tol
  total <- function(field) sum(vapply(models, function(model) {
    if (is.null(model[[field]])) NA_real_ else as.numeric(model[[field]])
  }, 0))
  data.frame(seconds = seconds / runs, solves = total("solves"), gap = max(fit$gap),
             certified = all(fit$status == "converged") && max(fit$gap) <= tol,
             dual = total("objective"), primal = total("primal"), error = NA_character_)
}

failed_row <- function(error) {
  data.frame(seconds = NA_real_, solves = NA_real_, gap = NA_real_, certified = NA, dual = NA_real_,
             primal = NA_real_, error = strtrim(gsub("\\s+", " ", error), 100))
}

measure_work <- function(work) {
  cells <- tryCatch(works[[work]](), not_in_build = function(e) NULL)
  if (is.null(cells)) return(data.frame(cell = NA_character_, failed_row(not_in_build)))
  do.call(rbind, lapply(names(cells), function(name) {
    row <- tryCatch(measure(cells[[name]]), error = function(e) failed_row(conditionMessage(e)))
    data.frame(cell = name, row)
  }))
}

if (identical(arguments[1], "child")) {
  library(manykernels, lib.loc = arguments[2])
  source("bench/data.R")
  source(arguments[3])
  warm_up()
  rows <- tryCatch(measure_work(arguments[4]), error = function(e) {
    data.frame(cell = NA_character_, failed_row(conditionMessage(e)))
  })
  saveRDS(rows, arguments[5])
  quit(save = "no")
}

# ---- both builds ---------------------------------------------------------------------------------

give_up <- function(...) {
  message("speed: ", ...)
  quit(status = 1)
}

git <- function(...) {
  tryCatch(suppressWarnings(system2("git", c(...), stdout = TRUE, stderr = FALSE)),
           error = function(e) character())
}

# The library with the build of a commit, made where it is not there yet.
base_library <- function(commit) {
  hash <- git("rev-parse", "--verify", "--quiet", paste0(commit, "^{commit}"))
  if (length(hash) != 1) {
    give_up("commit ", commit, " is not in this clone; `git fetch --unshallow` brings all commits.")
  }
  library <- file.path(".build/base", hash)
  if (dir.exists(library)) return(normalizePath(library))
  unfinished <- paste0(library, "-unfinished")
  unlink(unfinished, recursive = TRUE)
  source <- file.path(unfinished, "source")
  dir.create(source, recursive = TRUE)
  message("speed: building the base, ", commit)
  log <- ".build/base/install.log"
  status <- system(sprintf(
    "(git archive %s | tar -x -C %s && MAKEFLAGS=-j2 %s CMD INSTALL --no-docs --library=%s %s) >%s 2>&1",
    hash, source, shQuote(file.path(R.home("bin"), "R")), unfinished, source, log
  ))
  if (status != 0) give_up("commit ", commit, " could not be built; see ", log)
  unlink(source, recursive = TRUE)
  file.rename(unfinished, library)
  normalizePath(library)
}

one_round <- function(build, round, work) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  script <- c("bench/speed.R", "child", shQuote(c(libraries[[build]], from, work, file)))
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = FALSE,
                           env = c("OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1"),
                           timeout = longest_session))
  rows <- if (file.exists(file)) readRDS(file) else
    data.frame(cell = NA_character_, failed_row("the session died or took too long"))
  data.frame(work = work, build = build, round = round, rows)
}

# Builds begin in turns, too.
all_rounds <- function(work) {
  message("speed: ", work)
  do.call(rbind, lapply(seq_len(rounds), function(round) {
    order <- if (round %% 2) c("old", "new") else c("new", "old")
    do.call(rbind, lapply(order, one_round, round, work))
  }))
}

# ---- tables --------------------------------------------------------------------------------------

shown <- function(judged) {
  number <- function(x, format) ifelse(is.na(x), "-", sprintf(format, x))
  seconds <- function(x) ifelse(is.na(x), "-", format(signif(x, 3), trim = TRUE, scientific = FALSE,
                                                      drop0trailing = TRUE))
  each <- function(x) vapply(x, seconds, "")
  data.frame(
    work = judged$work, cell = judged$cell, `old, s` = each(judged$old), `new, s` = each(judged$new),
    ratio = number(judged$ratio, "%.2fx"),
    range = ifelse(is.na(judged$ratio), "-", sprintf("%.2f to %.2f", judged$lowest, judged$highest)),
    solves = paste(number(judged$old_solves, "%.0f"), "to", number(judged$new_solves, "%.0f")),
    `old gap` = number(judged$old_gap, "%.1e"), `new gap` = number(judged$new_gap, "%.1e"),
    verdict = judged$verdict, check.names = FALSE, row.names = NULL
  )
}

overall <- function(ratios) {
  sprintf("Over the %d cells that both builds certify: geometric mean %.2fx, from %.2fx to %.2fx.",
          length(ratios), exp(mean(log(ratios))), min(ratios), max(ratios))
}

titled <- function(title, text, judged) {
  if (nrow(judged)) section(title, text, shown(judged)) else
    cat(sprintf("### %s\n\n%s\n\n", title, text))
}

report <- function(judged) {
  slower <- judged$verdict == "slower"
  other <- !slower & !judged$verdict %in% passing
  ratios <- judged$ratio[judged$verdict %in% c("ok", "slower")]
  rule <- sprintf(paste(
    "Cells whose ratio of medians is above %.2fx while the lowest of a single round is above %.2fx:",
    "%d of %d."
  ), slower_median_ratio, slower_lowest_ratio, sum(slower), length(ratios))
  losses <- judged[slower, ]
  titled("Known losses", rule, losses[order(-losses$ratio), ])
  if (any(other)) titled("Failed or not certified", "", judged[other, ])
  titled("All cells", sprintf(paste(
    "Processor seconds on one thread, medians of %d rounds in turns; ratio of the medians, new / old,",
    "and its range over the rounds; the largest gap. %s"
  ), rounds, if (length(ratios)) overall(ratios) else ""), judged)
}

# ---- run -----------------------------------------------------------------------------------------

check_judge()
if (identical(arguments, "check")) quit(status = 0)

option <- function(name, default) {
  given <- grep(paste0("^", name, "="), arguments, value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1]) else default
}
unknown <- grep("^(rounds|cells|base|from)=.", arguments, value = TRUE, invert = TRUE)
if (length(unknown)) give_up("arguments are rounds=, cells=, base= and from=, not ", unknown[1])
rounds <- suppressWarnings(as.integer(option("rounds", whole_rounds)))
if (is.na(rounds) || rounds < 1) give_up("rounds= is a number of rounds, 1 or more.")
base <- option("base", readLines("bench/speed-base"))
own_cells <- "bench/speed-cells.R"
from <- option("from", own_cells)

source("bench/data.R")
source(from)
source("bench/common.R")
if (!dir.exists(shared_data)) give_up("the data are read from ", shared_data, ", which is not there.")
chosen <- grep(option("cells", "."), names(works), value = TRUE)
if (length(chosen) == 0) give_up("no kind of work matches cells=", option("cells", "."))
whole <- from == own_cells && rounds >= whole_rounds && identical(chosen, names(works))

dir.create(".build/speed", recursive = TRUE, showWarnings = FALSE)
libraries <- c(old = base_library(base), new = dirname(find.package("manykernels")))
judged <- judge(do.call(rbind, lapply(chosen, all_rounds)))
lines <- utils::capture.output(report(judged))
writeLines(lines)
if (whole) {
  call <- paste(c("Rscript bench/speed.R", arguments), collapse = " ")
  writeLines(c(result_head("speed", call, paste("- base:", base)), lines), "bench/results/speed.md")
}
quit(status = as.integer(!all(judged$verdict %in% passing)))
