# Runs the benchmarks, each in a session of its own, shows what they print, and keeps it: one file
# for each script and a table of all bars, in bench/results; the table in bench/README.md is made
# from that one.
# usage: Rscript bench/all.R quick|full|table [script ...]
# quick: small sizes, a few minutes; kept in bench/results/quick. full: the sizes of the bars, more
# than an hour. table: only the table in bench/README.md, from the results that are there.

source("bench/common.R")

# Sizes of a quick run; the scripts' defaults are those of a full one. The order is the table's.
quick_arguments <- list(
  "speed-mark" = "n=4000 p=1,4/3 runs=1", "low-dimensional" = "n=2000 runs=1 limit=20",
  "price-of-weights" = "n=2000 runs=3", "accuracy" = "n=2000 runs=3",
  "certificate" = "n=4000 runs=1", "memory" = "n=4000 runs=1",
  "many-rows" = "n=10500 runs=1 limit=20", "many-kernels" = "kernels=50,1000 runs=3",
  "rank-one" = "columns=2000 peer=1000 runs=1 limit=20", "precomputed" = "n=1000 runs=1",
  "files" = "n=1000 kernels=10 runs=1",
  "ionosphere" = "runs=3", "level-table" = "sets=ionosphere,heart halves=1 limit=20",
  "per-feature" = "n=500 runs=1 limit=20", "threads" = "n=4000 runs=3",
  "prediction" = "n=4000 new=2000 runs=1", "rademacher" = "n=2000 runs=1",
  "gomp" = "n=1000 columns=5000 runs=1",
  "gomp-accuracy" = "repeats=2 held=2000 splits=1 rows=300",
  "toy" = "rows=50 repeats=5 block=0 figure=bench/results/quick/toy.png",
  "locally-linear" = "sets=a9a train=1000 held=1000 new=5000 runs=1 limit=20",
  "sequential" = "kernels=1e3,1e4 other=1e4 equal=500",
  "growth" = "what=p runs=1 limit=10",
  "path" = "sets=digits10 p=2 runs=1", "wide" = "n=200 runs=1",
  "mixed-sets" = "n=1000 runs=1",
  "other-data" = "rows=2000 noise=1000 runs=1 limit=10", "scaling" = "splits=2 rows=200",
  "weighted-degree" = "gram=1000 n=2000 new=2000 runs=1",
  "splice" = "n=300 test=500 repeats=2 p=1,2 C=1 junctions=1",
  "tss" = "n=60,100 repeats=2 held=200 C=1 figure=bench/results/quick/tss.png",
  "defaults" = "rows=200", "selection" = "n=600 runs=1 part=digits,tune",
  "selection-accuracy" = "splits=1 rows=100 sets=sonar,iris",
  "missing-views" = "splits=2 share=0.3",
  "survival" = "splits=1 sets=veteran"
)
# Seconds after which a script is given up.
patience <- c(quick = 180, full = 7200)
folders <- c(quick = "bench/results/quick", full = "bench/results")

arguments <- commandArgs(trailingOnly = TRUE)
mode <- if (length(arguments)) match.arg(arguments[1], c(names(patience), "table")) else "quick"
scripts <- if (length(arguments) > 1) sub("\\.R$", "", basename(arguments[-1])) else
  names(quick_arguments)
stopifnot("no such script" = scripts %in% names(quick_arguments))

# What a script prints, and its bars; a script that fails says so in place of them.
run_script <- function(name) {
  folder <- tempfile("bars")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  Sys.setenv(MK_BENCH_BARS = folder)
  script <- c(file.path("bench", paste0(name, ".R")),
              if (mode == "quick") strsplit(quick_arguments[[name]], " ")[[1]])
  started <- Sys.time()
  lines <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE,
                                    stderr = TRUE, timeout = patience[[mode]]))
  seconds <- as.numeric(Sys.time() - started, units = "secs")
  status <- attr(lines, "status")
  if (!is.null(status)) {
    reason <- if (status == 124) "gave up after" else "failed after"
    lines <- c(lines, "", sprintf("**`%s.R` %s %.0f s.**", name, reason, seconds))
  }
  writeLines(lines)
  bars <- do.call(rbind, lapply(list.files(folder, full.names = TRUE), readRDS))
  if (is.null(bars) && !is.null(status)) {
    bars <- bar(paste0(name, ".R"), NA, NA)
    bars[c("bar", "stretch", "note")] <- c("-", "-", sprintf("%s %.0f s", reason, seconds))
  }
  list(call = paste(c("Rscript", script), collapse = " "), lines = lines, bars = bars,
       failed = !is.null(status))
}

# ---- what is kept --------------------------------------------------------------------------------

keep <- function(name, result, folder) {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  origin <- c(format(Sys.Date()), machine_lines())
  writeLines(c(paste("#", name), "", paste("-", c(paste0("`", result$call, "`"), origin)), "",
               result$lines), file.path(folder, paste0(name, ".md")))
  known <- read_bars(folder)
  if (!is.null(result$bars)) {
    known <- rbind(known[known$script != name, ],
                   data.frame(script = name, date = origin[1],
                              machine = paste(origin[-1], collapse = "; "), result$bars))
  }
  known <- known[order(match(known$script, names(quick_arguments))), ]
  utils::write.csv(known, file.path(folder, "bars.csv"), row.names = FALSE)
}

read_bars <- function(folder) {
  file <- file.path(folder, "bars.csv")
  if (file.exists(file)) utils::read.csv(file, colClasses = "character")
}

# When, where, with what; then the table of bars.
bars_table <- function(bars) {
  if (is.null(bars)) return("No results yet.")
  shown <- bars[c("work", "measured", "bar", "stretch", "verdict", "note", "date")]
  c(paste("-", unique(bars$machine)), "", utils::capture.output(markdown_table(shown)))
}

# The lines of a file between two marks replaced.
replace_between <- function(file, mark, lines) {
  old <- readLines(file)
  begin <- grep(sprintf("<!-- %s: begin", mark), old)
  end <- grep(sprintf("<!-- %s: end", mark), old)
  stopifnot(length(begin) == 1, length(end) == 1, begin < end)
  writeLines(c(old[seq_len(begin)], lines, old[end:length(old)]), file)
}

failed <- character()
if (mode != "table") {
  for (name in scripts) {
    result <- run_script(name)
    keep(name, result, folders[[mode]])
    if (result$failed) failed <- c(failed, name)
  }
  cat("## Bars\n\n")
  writeLines(bars_table(read_bars(folders[[mode]])))
}
if (mode != "quick") {
  replace_between("bench/README.md", "results", c("", bars_table(read_bars(folders[["full"]]))))
}
if (length(failed)) {
  message("not finished: ", paste(failed, collapse = ", "))
  quit(status = 1)
}
