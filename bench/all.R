# Runs the benchmarks, each in a session of its own, shows what they print, and keeps it in a file
# for each script in bench/results. What README and vignettes show of them is written anew.
# usage: Rscript bench/all.R quick|full [script ...]
# quick: small sizes, a few minutes; kept in bench/results/quick. full: the sizes of the bars, several
# hours.

source("bench/common.R")

# Sizes of a quick run; the scripts' defaults are those of a full one.
quick_arguments <- list(
  "low-dimensional" = "n=2000 runs=1 limit=20",
  "price-of-weights" = "n=2000 runs=3", "accuracy" = "n=2000 runs=3",
  "certificate" = "n=4000 runs=1", "memory" = "n=4000 runs=1",
  "many-rows" = "n=10500 runs=1 limit=20", "million-rows" = "n=1500,3000 limit=20", "many-kernels" = "kernels=50,1000 runs=3",
  "rank-one" = "columns=2000 peer=1000 runs=1 limit=20", "precomputed" = "n=1000 runs=1",
  "files" = "n=1000 kernels=10 runs=1",
  "ionosphere" = "runs=3", "level-table" = "sets=ionosphere,heart halves=1 limit=20",
  "level-figures" = "sets=breast,pima limit=10 steps=20 figure=bench/results/quick/level-figures.png",
  "runtime" = "n=250,500 M=10,100 rows=300 limit=3 figure=bench/results/quick/runtime.png",
  "per-feature" = "n=500 runs=1 limit=20", "threads" = "runs=1 cells=noise",
  "prediction" = "n=4000 new=2000 runs=1", "rademacher" = "n=2000 runs=1",
  "gomp" = "n=1000 columns=5000 runs=1",
  "gomp-accuracy" = "repeats=2 held=2000 splits=1 rows=300",
  "gomp-losses" = "splits=1 sets=sonar", "forms" = "sets=sonar p=2", "own-functions" = "sets=sonar p=2",
  "calibration" = "sets=wdbc rows=200",
  "toy" = "rows=50 repeats=5 block=0 figure=bench/results/quick/toy.png",
  "local-machines" = "train=300 held=200 test=500 columns=10 steps=5",
  "locally-linear" = "sets=a9a train=1000 held=1000 new=5000 runs=1 limit=20",
  "sequential" = "kernels=1e3,1e4 other=1e4 equal=500",
  "growth" = "what=p runs=1 limit=10",
  "path" = "sets=digits10 p=2 runs=1", "wide" = "n=200 runs=1",
  "mixed-sets" = "n=1000 runs=1",
  "other-data" = "rows=2000 noise=1000 runs=1 limit=10", "scaling" = "splits=2 rows=200",
  "weighted-degree" = "gram=1000 n=2000 new=2000 runs=1",
  "bounds" = "n=300 test=500 draws=50 repeats=2 figure=bench/results/quick/bounds.png",
  "edges" = "targets=2 repeats=1 negatives=1",
  "splice" = "n=300 test=500 large=0 repeats=2 p=1,2 C=1 junctions=1",
  "localization" = "rows=120 splits=1 p=1,2 plant=1",
  "table-1" = "rows=120 splits=2 p=1,2,Inf C=1/8,1,8",
  "tss" = "n=60,100 repeats=2 held=200 C=1 figure=bench/results/quick/tss.png",
  "joint" = "splits=1 p=4/3", "defaults" = "rows=200", "selection" = "n=600 runs=1 part=digits,tune",
  "selection-accuracy" = "splits=1 rows=100 sets=sonar,iris",
  "missing-views" = "splits=2 share=0.3",
  "importance" = "columns=200 simulations=10",
  "survival" = "splits=1 sets=veteran", "strings" = "", "facts" = "n=1000 test=1000 runs=1",
  "optimizers" = "n=300 runs=1", "gomp-recovery" = "cases=20",
  "intervals" = "repeats=20 draws=50 large=5000",
  "estimate" = "simulations=10 large=2000 views=5 repeats=2",
  "unequal" = "splits=1 part=glass,rare",
  "evidence" = "splits=2 rows=90 sets=iris,Cars93 limit=20", "nodes" = "", "jobs" = "n=250,500 kernels=5",
  "workers" = "n=3000 kernels=3 rows=150 columns=4 repeats=2"
)
# Seconds after which a script is given up.
patience <- c(quick = 180, full = 14400)
folders <- c(quick = "bench/results/quick", full = "bench/results")

arguments <- commandArgs(trailingOnly = TRUE)
mode <- if (length(arguments)) match.arg(arguments[1], names(patience)) else "quick"
scripts <- if (length(arguments) > 1) sub("\\.R$", "", basename(arguments[-1])) else
  names(quick_arguments)
stopifnot("no such script" = scripts %in% names(quick_arguments))

# What a script prints, without its messages, which go to the console; one that fails says so.
run_script <- function(name) {
  script <- c(file.path("bench", paste0(name, ".R")),
              if (mode == "quick") strsplit(quick_arguments[[name]], " ")[[1]])
  started <- Sys.time()
  lines <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE,
                                    timeout = patience[[mode]]))
  seconds <- as.numeric(Sys.time() - started, units = "secs")
  status <- attr(lines, "status")
  if (!is.null(status)) {
    reason <- if (status == 124) "gave up after" else "failed after"
    lines <- c(lines, "", sprintf("**`%s.R` %s %.0f s.**", name, reason, seconds))
  }
  writeLines(lines)
  head <- result_head(name, paste(c("Rscript", script), collapse = " "))
  dir.create(folders[[mode]], recursive = TRUE, showWarnings = FALSE)
  writeLines(c(head, lines), file.path(folders[[mode]], paste0(name, ".md")))
  is.null(status)
}

finished <- vapply(scripts, run_script, NA)
if (mode == "full") {
  source("bench/generated.R")
  write_generated()
}
if (!all(finished)) {
  message("not finished: ", paste(scripts[!finished], collapse = ", "))
  quit(status = 1)
}
