# Lines of R and of the glue that testthat runs, by covr, file by file; those below the goal are
# shown, with the lines that nothing runs in .build/coverage/package.csv.
# usage: Rscript dev/coverage.R [filter of test files] [minutes]    (dev/tarball.sh has laid out the sources)
# Files whose turn hasn't come after so many minutes are left out and named: the figures are lower bounds.
goal <- 95
# What crashes leaves a core file, .build/coverage/core-<file of tests>: see keep_cores().
given <- commandArgs(trailingOnly = TRUE)
if (!nzchar(Sys.getenv("MK_CORES"))) { # once more, where processes may write them
  Sys.setenv(MK_CORES = "unlimited")
  quit(status = system(paste("ulimit -c unlimited 2>/dev/null; exec Rscript dev/coverage.R",
                             paste(shQuote(given), collapse = " "))))
}
filter <- if (length(given)) given[[1L]] else ".*"
minutes <- if (length(given) > 1L) as.numeric(given[[2L]]) else Inf
long <- c("references", "losses-data", "optimizers", "boundary", "hard", "fork", "determinism") # come last
# A copy: builds that come meanwhile lay out the sources anew, and counts lie beside the objects.
source_folder <- ".build/coverage-source/manykernels"
unlink(dirname(source_folder), recursive = TRUE)
dir.create(dirname(source_folder), recursive = TRUE)
file.copy(".build/source/manykernels", dirname(source_folder), recursive = TRUE)
shared <- normalizePath("../shared", mustWork = FALSE)

names <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
names <- grep(filter, names, value = TRUE)
names <- c(setdiff(names, long), intersect(names, long))
begun <- file.path(normalizePath(dirname(source_folder)), "begun") # after a crash its last line is the file

run <- bquote({
  Sys.setenv(NOT_CRAN = "true", MANYKERNELS_SLOW = "true", MANYKERNELS_SHARED = .(shared))
  library(manykernels)
  end <- Sys.time() + 60 * .(min(minutes, 1e4))
  for (name in .(names)) {
    if (Sys.time() > end) break
    cat(name, "\n", sep = "", file = .(begun), append = TRUE)
    testthat::test_dir(.(normalizePath("tests/testthat")), filter = paste0("^", name, "$"),
                       reporter = "silent", package = "manykernels", load_package = "installed",
                       stop_on_failure = FALSE)
  }
  # A process that a test killed has left half a file of counts.
  Sys.sleep(5)
  counts <- list.files(dirname(find.package("manykernels")), "^covr_trace_", full.names = TRUE)
  for (file in counts) tryCatch(readRDS(file), error = function(e) unlink(file))
})
# Core files lie where the process worked; the last file of tests that was begun is what crashed.
keep_cores <- function() {
  cores <- list.files(c("tests/testthat", dirname(source_folder)), "^core([.][0-9]+)?$",
                      full.names = TRUE, recursive = TRUE)
  last <- if (file.exists(begun)) utils::tail(readLines(begun), 1L) else "start"
  dir.create(".build/coverage", showWarnings = FALSE, recursive = TRUE)
  for (core in cores[!dir.exists(cores)]) {
    kept <- file.path(".build/coverage", paste0(basename(core), "-", last))
    if (file.copy(core, kept, overwrite = TRUE)) unlink(core)
    cat("A process crashed in ", last, ": gdb $(R RHOME)/bin/exec/R ", kept, "\n", sep = "")
  }
}

# covr's -O0 would make the core several times as slow.
options(covr.flags = c(CFLAGS = "-O1 --coverage", LDFLAGS = "--coverage"))
found <- tryCatch(
  covr::package_coverage(source_folder, type = "none", code = deparse(run), quiet = TRUE),
  finally = keep_cores())
lines <- covr::tally_coverage(found, by = "line")
dir.create(".build/coverage", showWarnings = FALSE, recursive = TRUE)
not_run <- lines[lines$value == 0, c("filename", "functions", "line")]
utils::write.csv(not_run, ".build/coverage/package.csv", row.names = FALSE)

left_out <- setdiff(names, readLines(begun))
if (length(left_out)) cat("No time for:", paste(left_out, collapse = ", "), "\n")
# The core's own tests count its lines, see coverage.sh.
parts <- list("R" = grepl("^R/", lines$filename),
              "the glue" = grepl("^src/(rglue/|init[.]c)", lines$filename))
enough <- TRUE
for (part in names(parts)) {
  own <- lines[parts[[part]], ]
  by_file <- tapply(own$value > 0, own$filename, mean)
  low <- sort(by_file[100 * by_file < goal])
  if (length(low)) cat(sprintf("%s: %.1f %%\n", names(low), 100 * low), sep = "")
  cat(sprintf("| lines of %s, of which testthat does not run | %d | %d |\n", part, nrow(own),
              sum(own$value == 0)))
  cat(sprintf("testthat runs %.1f %% of the lines of %s\n", 100 * mean(own$value > 0), part))
  enough <- enough && nrow(own) > 0 && 100 * mean(own$value > 0) >= goal
}
# Of what the C tests leave (coverage.sh has listed it), what testthat does not run either.
if (file.exists(".build/coverage/core.csv")) {
  left <- readLines(".build/coverage/core.csv")
  neither <- intersect(left, paste(not_run$filename, not_run$line, sep = ","))
  cat(sprintf("| of these, testthat does not run either | %d | %d |\n", length(left), length(neither)))
}
if (!enough) quit(status = 1)
