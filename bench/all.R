# Runs the benchmarks, each in a session of its own, and shows what they print.
# usage: Rscript bench/all.R quick|full [script ...]
# quick: small sizes, a few minutes. full: the sizes of the bars (an hour or more); writes
# bench/RESULTS.md, every table, and the table of bars in bench/README.md, from the last full run of
# each script (kept in .build/bench).

source("bench/common.R")

# Sizes of a quick run; the scripts' defaults are those of a full one. The order is the reports'.
quick_arguments <- list(
  "speed-mark" = "n=4000 p=1,4/3 runs=1", "low-dimensional" = "n=2000 runs=1 limit=20",
  "price-of-weights" = "n=2000 runs=3", "accuracy" = "n=2000 runs=3",
  "certificate" = "n=4000 runs=1", "memory" = "n=4000", "many-rows" = "n=10500 limit=20",
  "many-kernels" = "kernels=50,1000 runs=3", "rank-one" = "columns=2000 peer=1000 limit=20",
  "precomputed" = "n=1000 runs=1", "ionosphere" = "runs=3", "per-feature" = "n=500 limit=20",
  "threads" = "n=4000 runs=3", "prediction" = "n=4000 new=2000 runs=1",
  "other-data" = "rows=2000 noise=1000 limit=20", "growth" = "what=p limit=10"
)
# Seconds after which a script is given up.
patience <- c(quick = 180, full = 3600)

arguments <- commandArgs(trailingOnly = TRUE)
mode <- if (length(arguments)) match.arg(arguments[1], names(patience)) else "quick"
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
  status <- attr(lines, "status")
  if (!is.null(status)) {
    reason <- if (status == 124) "gave up after" else "failed after"
    seconds <- as.numeric(Sys.time() - started, units = "secs")
    lines <- c("```", lines, "```", "", sprintf("`%s.R` %s %.0f s.", name, reason, seconds), "")
  }
  writeLines(lines)
  bars <- do.call(rbind, lapply(list.files(folder, full.names = TRUE), readRDS))
  list(date = Sys.Date(), lines = lines, bars = bars, failed = !is.null(status))
}

# The lines of a file between two marks replaced.
replace_between <- function(file, mark, lines) {
  old <- readLines(file)
  begin <- grep(sprintf("<!-- %s: begin", mark), old)
  end <- grep(sprintf("<!-- %s: end", mark), old)
  stopifnot(length(begin) == 1, length(end) == 1, begin < end)
  writeLines(c(old[seq_len(begin)], lines, old[end:length(old)]), file)
}

# When, where, with what; then the table of bars.
summarise <- function(results) {
  bars <- do.call(rbind, unname(lapply(results, `[[`, "bars")))
  dates <- vapply(results, function(result) format(result$date), "")
  c(paste("-", c(paste(unique(range(dates)), collapse = " to "), machine_lines())), "",
    if (!is.null(bars)) utils::capture.output(markdown_table(bars)))
}

# The last full results of all scripts, in their order, with these among them.
remember <- function(results, folder = ".build/bench") {
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  files <- stats::setNames(file.path(folder, paste0(names(quick_arguments), ".rds")),
                           names(quick_arguments))
  Map(saveRDS, results, files[names(results)])
  lapply(files[file.exists(files)], readRDS)
}

results <- list()
for (name in scripts) {
  results[[name]] <- run_script(name)
  known <- if (mode == "full") remember(results)
}
cat("## Bars\n\n")
writeLines(summarise(results))
if (mode == "full") {
  details <- unlist(lapply(known, `[[`, "lines"), use.names = FALSE)
  writeLines(c("# Results", "", "Written by `make bench-all`.", "", details), "bench/RESULTS.md")
  replace_between("bench/README.md", "results", c("", summarise(known)))
}
failed <- names(results)[vapply(results, `[[`, NA, "failed")]
if (length(failed)) {
  message("not finished: ", paste(failed, collapse = ", "))
  quit(status = 1)
}
