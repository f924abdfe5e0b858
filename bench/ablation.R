# What each mechanism beyond the plain algorithm is worth (src/base/mechanisms.h): a build without it
# beside the product's on the kinds of work of bench/work.R. Sessions of the builds take turns, the
# product's between every few others; what counts is processor time on one thread, against the
# product's sessions before and after, the median of the rounds, and the number of SVMs solved,
# which no clock disturbs. Cells where the first round shows the same fit in the same time are not
# repeated. The table goes to bench/results/ablation.md after each round, with
# bench/ablation-notes.md above it: what was deleted, and what is kept for other reasons.
# usage: Rscript bench/ablation.R [runs=3] [mechanisms=REGEX] [works=REGEX] [cells=some|all]
#          [limit=5] [file=bench/results/ablation.md] [more=0]
# limit: a fit stops after so many times what the product takes. more=1: rounds add to those of the
# last call, with its builds and cells; runs=0: only the table is made, of what is there.
# stale after: fit src/grid bench/work.R

# ---- one session: child LIBRARY WORK CELLS FILE ---------------------------------------------------

arguments <- commandArgs(trailingOnly = TRUE)

# Tells one theta from another.
mark_of <- function(model) sum(model$theta * seq_along(model$theta))

# Short fits several times: the median.
time_cell <- function(fit) {
  seconds <- c()
  while (sum(seconds) < 0.15 && length(seconds) < 3) {
    time <- system.time(value <- suppressWarnings(fit(threads = 1)))
    seconds <- c(seconds, time[["user.self"]] + time[["sys.self"]])
  }
  models <- if (is.null(value$models)) list(value) else value$models
  count <- function(name) sum(vapply(models, function(model) model[[name]], 0))
  data.frame(seconds = stats::median(seconds), solves = count("solves"), gap = max(value$gap),
             certified = all(value$status == "converged"),
             mark = sum(vapply(models, mark_of, 0)))
}

if (identical(arguments[1], "child")) {
  library(manykernels, lib.loc = arguments[2])
  source("bench/work.R")
  limits <- readRDS(arguments[4]) # by cell
  max_time <- Inf
  quiet <- function(tol = 1e-3, ...) {
    mkl_control(tol = tol, progress = FALSE, max_time = max_time, ...)
  }
  fits <- readRDS(arguments[3])
  rows <- lapply(names(limits), function(cell) {
    max_time <<- limits[[cell]]
    cbind(cell = cell, time_cell(fits[[cell]]))
  })
  saveRDS(do.call(rbind, rows), arguments[5])
  quit(save = "no")
}

source("bench/report.R")

# ---- settings -------------------------------------------------------------------------------------

option <- function(name, default) {
  given <- grep(paste0("^", name, "="), arguments, value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1]) else default
}
runs <- as.integer(option("runs", 3))
limit <- as.numeric(option("limit", 5))
target <- option("file", "bench/results/ablation.md")
PRODUCT_EVERY <- 6 # other sessions between two of the product's: a minute or two
LEAST_LIMIT <- 2   # seconds
SAME_TIME <- 0.1   # what two sessions of one build may differ by, in logarithms
folder <- ".build/ablation"
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

# Of each kind, by number: more of them would leave no time for rounds.
some_cells <- list(
  `wide views, p >> n` = 1:2, `gene sets, 500 x 3` = 2, `mixed set, 68 kernels` = c(1, 5),
  `views of different kinds` = 1:2, `precomputed, 30 matrices` = c(1, 3),
  `few columns, noise` = c(1, 3, 5), `many columns` = c(1, 4), `per-feature, 442 kernels` = c(1, 6),
  `10,000 rows` = 2, `C from 0.01 to 1000` = c(1, 7, 10), `paths over C` = 1:2,
  `gap 1e-6` = c(1:2, 4:5), `3,000 Gaussians` = 1, genotypes = c(1, 3),
  `ten classes` = c(1, 4), regression = c(1, 3, 4), `sparse 0/1 columns` = c(1, 3),
  `5,000 linear kernels` = c(1, 3), `57 linear kernels` = c(1, 3), `losses and norms` = 1:5
)

# Mechanisms that only some kinds can meet; the others count as 1x without being measured.
linear_kinds <- "^wide|^mixed|^views|^ten|linear kernels" # linear kernels on columns of their own
touched_kinds <- c(
  THIN_COLUMNS = "linear kernels", SAMPLED_COLUMNS = linear_kinds,
  LEARNING = linear_kinds, LOOSE_SVMS = linear_kinds,
  STORED_MIXTURE = linear_kinds, COLUMN_GENERATION = linear_kinds, EARLY_INTERIOR = linear_kinds,
  LOW_RANK = "genotypes|^kernels|^per-feature",
  NEWTON_PRICE = linear_kinds
)

# The comment above each switch is what the table says of it.
read_mechanisms <- function(file = "src/base/mechanisms.h") {
  lines <- readLines(file)
  at <- grep("^#ifndef MK_WITH_", lines)
  comments <- vapply(at, function(k) {
    first <- max(grep("^/\\*", lines[seq_len(k)]))
    gsub("^/\\*|\\*/", " ", paste(lines[first:(k - 1)], collapse = "\n"))
  }, "")
  comments <- gsub("\\s*\n[ *]*", " ", comments)
  stats::setNames(trimws(comments), sub("^#ifndef MK_WITH_", "", lines[at]))
}

all_mechanisms <- read_mechanisms()
stopifnot("a switch that stands twice" = !anyDuplicated(names(all_mechanisms)))
mechanisms <- grep(option("mechanisms", "."), names(all_mechanisms), value = TRUE)

# ---- builds ---------------------------------------------------------------------------------------

run <- function(command, ...) {
  status <- system2(command, c(...), stdout = file.path(folder, "build.log"),
                    stderr = file.path(folder, "build.log"))
  if (status != 0) stop(command, " failed, see ", folder, "/build.log", call. = FALSE)
}

r_install <- function(library, flags, ...) {
  makevars <- file.path(normalizePath(folder), "Makevars")
  writeLines(paste("CPPFLAGS +=", flags), makevars)
  Sys.setenv(R_MAKEVARS_USER = makevars)
  on.exit(Sys.unsetenv("R_MAKEVARS_USER"))
  run(file.path(R.home("bin"), "R"), "CMD", "INSTALL", "--no-docs", "--no-test-load",
      paste0("--library=", library), ..., file.path(folder, "source"))
}

# The product's objects stay; a build without a mechanism makes those anew that mention it.
source_copy <- file.path(folder, "source")
build_product <- function() {
  unlink(file.path(folder, c("source", "library")), recursive = TRUE)
  dir.create(file.path(folder, "library", "product"), recursive = TRUE)
  dir.create(source_copy)
  file.copy(c("DESCRIPTION", "NAMESPACE", "R", "src", "data", "inst"), source_copy,
            recursive = TRUE, copy.date = TRUE)
  unlink(list.files(source_copy, "[.](o|so)$", recursive = TRUE, full.names = TRUE))
  r_install(file.path(folder, "library", "product"), "")
}

build_without <- function(name) {
  library <- file.path(folder, "library", name)
  unlink(library, recursive = TRUE)
  dir.create(library)
  file.copy(file.path(folder, "library", "product", "manykernels"), library, recursive = TRUE)
  switch_name <- paste0("MK_WITH_", name)
  files <- list.files(file.path(source_copy, "src"), "[.]c$", recursive = TRUE, full.names = TRUE)
  mentions <- Filter(function(file) any(grepl(paste0("\\b", switch_name, "\\b"), readLines(file))),
                     files)
  stopifnot("a switch that no file mentions" = length(mentions) > 0)
  objects <- sub("c$", "o", mentions)
  unlink(objects)
  r_install(library, paste0("-D", switch_name, "=0"), "--libs-only")
  unlink(objects)
}

# ---- sessions -------------------------------------------------------------------------------------

# The data of all cells, once.
prepare_work <- function() {
  library(manykernels, lib.loc = file.path(folder, "library", "product"))
  source("bench/data.R")
  source("bench/work.R")
  kinds <- grep(option("works", "."), names(works), value = TRUE)
  fits <- lapply(stats::setNames(kinds, kinds), function(kind) {
    all <- works[[kind]]()
    if (option("cells", "some") == "all" || is.null(some_cells[[kind]])) all else
      all[some_cells[[kind]]]
  })
  fits <- unlist(lapply(kinds, function(kind) {
    stats::setNames(fits[[kind]], paste(kind, names(fits[[kind]]), sep = ": "))
  }))
  saveRDS(fits, file.path(folder, "work.rds"), compress = FALSE)
  stats::setNames(rep(Inf, length(fits)), names(fits))
}

# limits: seconds, by the cells that are asked for.
session <- function(build, limits) {
  files <- file.path(folder, c("work.rds", "limits.rds", "session.rds"))
  saveRDS(limits, files[2])
  unlink(files[3])
  status <- system2(file.path(R.home("bin"), "Rscript"), c(
    "bench/ablation.R", "child", file.path(folder, "library", build), files))
  stopifnot("a session failed" = status == 0 && file.exists(files[3]))
  rows <- readRDS(files[3])
  message(format(Sys.time(), "%H:%M:%S "), build, sprintf(" %.1f s", sum(rows$seconds)))
  cbind(build = build, rows)
}

touched_cells <- function(build, cells) {
  if (!build %in% names(touched_kinds)) return(cells)
  grep(touched_kinds[[build]], cells, value = TRUE)
}

# One round: a list of sessions, the product's among them and at both ends.
one_round <- function(builds, limits, cells) {
  sessions <- list(session("product", limits))
  if (all(is.infinite(limits)))
    limits[] <- pmax(LEAST_LIMIT, limit * sessions[[1]]$seconds)
  for (k in seq_along(builds)) {
    own <- if (is.null(cells)) touched_cells(builds[k], names(limits)) else cells[[builds[k]]]
    if (length(own)) sessions <- c(sessions, list(session(builds[k], limits[own])))
    if (k %% PRODUCT_EVERY == 0 || k == length(builds))
      sessions <- c(sessions, list(session("product", limits)))
  }
  sessions
}

# Where a build's fit or its time was another one in the first round.
cells_worth_repeating <- function(round) {
  ratios <- ratios_of_round(round)
  ratios <- ratios[ratios$differs | abs(log(ratios$ratio)) > SAME_TIME, ]
  split(ratios$cell, ratios$build)
}

# ---- the table ------------------------------------------------------------------------------------

geometric <- function(x) exp(mean(log(x)))

# Each session against those of the product around it; the product's own against its neighbours.
ratios_of_round <- function(sessions) {
  is_product <- vapply(sessions, function(s) s$build[1] == "product", NA)
  do.call(rbind, lapply(seq_along(sessions), function(k) {
    before <- utils::tail(which(is_product & seq_along(sessions) < k), 1)
    after <- utils::head(which(is_product & seq_along(sessions) > k), 1)
    beside <- sessions[c(before, after)]
    own <- sessions[[k]]
    at <- match(own$cell, beside[[1]]$cell)
    seconds <- do.call(cbind, lapply(beside, function(s) pmax(s$seconds[at], 1e-3)))
    base <- apply(seconds, 1, geometric)
    cbind(own, ratio = pmax(own$seconds, 1e-3) / base,
          solves_ratio = own$solves / beside[[1]]$solves[at],
          differs = own$mark != beside[[1]]$mark[at])
  }))
}

# A fifth over all, or half of a kind of work and no kind a tenth.
verdict <- function(cells, all) {
  kinds <- tapply(cells$ratio, sub(": .*", "", cells$cell), geometric)
  most <- which.max(cells$ratio)
  lost <- sum(!cells$certified)
  saves <- sprintf("saves %.0f %% of %s", 100 * (1 - 1 / cells$ratio[most]), cells$cell[most])
  text <- if (all >= 1 / 0.8) sprintf("stays: saves %.0f %% over all", 100 * (1 - 1 / all)) else
    if (cells$ratio[most] < 2) "goes" else
    if (min(kinds) >= 0.9) paste("stays:", saves) else
    sprintf("stays or goes: %s, but %s takes %.2fx without it", saves, names(which.min(kinds)),
            min(kinds))
  if (lost > 0) sprintf("%s; %d not certified in time without it", text, lost) else text
}

# all_cells: their number; those that were not measured count as 1.
table_row <- function(name, cells, all_cells) {
  all <- exp(sum(log(cells$ratio)) / all_cells)
  solves <- exp(sum(log(cells$solves_ratio)) / all_cells)
  text <- if (name == "product") "(noise: the product against itself)" else
    sprintf("`%s`: %s", name, all_mechanisms[[name]])
  worst <- which.max(cells$ratio)
  best <- which.min(cells$ratio)
  sprintf("| %s | %.2fx | %s%.2fx (%s) | %.2fx (%s) | %.2fx | %d | %s |", text,
          all, if (cells$certified[worst]) "" else "> ", cells$ratio[worst],
          cells$cell[worst], cells$ratio[best], cells$cell[best], solves,
          sum(cells$differs > 0), if (name == "product") "-" else verdict(cells, all))
}

write_table <- function(rounds) {
  ratios <- do.call(rbind, lapply(rounds, ratios_of_round))
  cells <- stats::aggregate(cbind(ratio, solves_ratio, differs) ~ cell + build, ratios,
                            stats::median)
  certified <- stats::aggregate(certified ~ cell + build, ratios, all)
  cells <- merge(cells, certified, by = c("cell", "build"))
  taken <- stats::aggregate(seconds ~ cell, ratios[ratios$build == "product", ], stats::median)
  builds <- intersect(c("product", names(all_mechanisms)), cells$build)
  kinds <- length(unique(sub(": .*", "", cells$cell)))
  turns <- table(unlist(lapply(rounds, function(round) round[[1]]$cell)))
  turns <- paste(unique(range(turns)), collapse = " to ")
  lines <- c(
    result_head("ablation", paste(c("Rscript bench/ablation.R", arguments), collapse = " ")),
    "What each mechanism of the optimisers (`src/base/mechanisms.h`) is worth.",
    sprintf(paste(
      "Time of a fit without the mechanism, in parts of the product's: %d cells of %d kinds of",
      "work (`bench/work.R`), processor time on one thread, medians of %s rounds in turns, each",
      "against the product's sessions before and after (%.0f s of fits each). A fit was stopped",
      "after %g times what the product takes, and %g s at least (`>`). \"SVM solves\" are in parts",
      "of the product's, too; \"other fits\" are the cells whose weights differ."),
      nrow(taken), kinds, turns, sum(taken$seconds), limit, LEAST_LIMIT), "",
    paste("The rule: a mechanism stays if it saves a fifth over all (1.25x without it), or half on a",
          "kind of work (2x) and costs none a tenth (0.9x, the mean of a kind)."), "",
    readLines("bench/ablation-notes.md"), "",
    "| without | geometric mean | worst cell | best cell | SVM solves | other fits | verdict |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    vapply(builds, function(name) {
      table_row(name, cells[cells$build == name, ], nrow(taken))
    }, ""))
  writeLines(lines, target)
}

# ---- all ------------------------------------------------------------------------------------------

kept <- file.path(folder, "rounds.rds")
goes_on <- (option("more", "0") == "1" || runs == 0) && file.exists(kept)
rounds <- if (goes_on) readRDS(kept) else list()
if (goes_on) {
  cells <- rounds[[1]][[1]]$cell
  limits <- stats::setNames(rep(Inf, length(cells)), cells)
} else {
  build_product()
  for (name in mechanisms) build_without(name)
  limits <- prepare_work()
}
for (round in seq_len(runs)) {
  cells <- if (length(rounds)) cells_worth_repeating(rounds[[1]])
  rounds <- c(rounds, list(one_round(mechanisms, limits, cells)))
  saveRDS(rounds, kept)
  write_table(rounds)
}
if (runs == 0) write_table(rounds)
cat(readLines(target), sep = "\n")
