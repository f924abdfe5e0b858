# Kernel matrices in files against the same matrices in memory: time, and memory beyond the session.
# What a mapped file takes of memory the system drops where it needs room, so that only private memory
# counts (RssAnon of /proc/self/status, looked at every 20 ms by a process beside).
# usage: Rscript bench/files.R [n=4000] [kernels=50] [p=4/3] [cache=500] [runs=3] [limit=120]
# cache: megabytes. The files take 12 n^2 bytes a kernel (9.6 GB by default) in R's temporary folder,
# and the matrices in memory 8 n^2.
# stale after: fit R/kernel-file.R R/precomputed.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 4000, kernels = 50, p = 4 / 3, cache = 500, runs = 3, limit = 120)

# One matrix at a time, each in both precisions; returns the paths, a column for each precision.
write_files <- function(folder) {
  digits <- read_digits(settings$n)
  distance <- as.matrix(stats::dist(digits$x))^2
  dimnames(distance) <- NULL
  width <- 1.2^seq(0, 49, length.out = settings$kernels)
  paths <- sapply(c("double", "single"), function(precision) {
    vapply(seq_along(width), function(k) {
      file <- file.path(folder, sprintf("%s%d.kernel", precision, k))
      write_kernel(exp(-distance / width[k]), file, precision)
    }, "")
  })
  list(paths = paths, y = digits$y)
}

# The largest private memory (MB) while an expression is computed, beyond that before it.
private_peak <- function(expr) {
  if (!file.exists("/proc/self/status")) return(NA_real_)
  log <- tempfile(c("log", "stop"))
  gc(full = TRUE)
  before <- process_status("RssAnon")
  look <- sprintf("grep RssAnon /proc/%d/status >> %s", Sys.getpid(), log[1])
  system(sprintf("while [ ! -e %s ] && %s; do sleep 0.02; done", log[2], look), wait = FALSE)
  force(expr)
  file.create(log[2])
  Sys.sleep(0.1) # until it has seen that
  max(as.numeric(gsub("[^0-9]", "", readLines(log[1])))) / 1024 - before
}

# In a session of its own: seconds of opening and of fits, memory, and the last fit.
run_fits <- function(paths, y, in_memory, settings, private_peak) {
  control <- bench_control(settings$limit)
  if (!in_memory) control <- mkl_control(progress = FALSE, max_time = settings$limit,
                                         cache = settings$cache * 1e6)
  if (in_memory) {
    matrices <- lapply(paths, function(file) kernel_matrix(precomputed_kernel(file = file)))
    opening <- run_once(function() precomputed_kernel(matrices))
  } else {
    opening <- run_once(function() precomputed_kernel(file = paths))
  }
  fit <- function() mkl(y = y, kernels = opening$value, p = settings$p, control = control)
  fits <- NULL
  megabytes <- private_peak(fits <- lapply(seq_len(settings$runs), function(run) run_once(fit)))
  list(opening = opening$seconds, seconds = vapply(fits, `[[`, 0, "seconds"),
       megabytes = megabytes, fit = fits[[1]]$value)
}

folder <- tempfile("files")
dir.create(folder)
files <- write_files(folder)
ways <- list(
  "double, in memory" = list("double", TRUE), "double, in files" = list("double", FALSE),
  "single, in memory (as doubles)" = list("single", TRUE), "single, in files" = list("single", FALSE)
)
results <- lapply(ways, function(way) {
  in_session(run_fits, unname(files$paths[, way[[1]]]), files$y, way[[2]], settings, private_peak)
})
unlink(folder, recursive = TRUE)

numbers <- function(k) lapply(results[[k]]$fit[c("theta", "alpha", "offset", "gap")], unname)
same <- function(a, b) identical(numbers(a), numbers(b))
median_of <- function(result) stats::median(result$seconds)
ratio <- function(k) median_of(results[[k]]) / median_of(results[[k - 1]])
table <- data.frame(
  kernels = names(ways),
  opening = seconds_text(vapply(results, `[[`, 0, "opening")),
  fit = seconds_text(vapply(results, median_of, 0)),
  slowest = seconds_text(vapply(results, function(result) max(result$seconds), 0)),
  ratio = c("1.00", ratio_text(ratio(2)), "1.00", ratio_text(ratio(4))),
  `private memory` = megabytes_text(vapply(results, `[[`, 0, "megabytes")),
  gap = vapply(results, function(result) gap_text(result$fit), ""), check.names = FALSE
)
gigabytes <- settings$kernels * settings$n^2 * c(8, 4) / 1e9
section("Kernel matrices in files", sprintf(paste(
  "%d matrices of n = %d: %.1f GB in double, %.1f GB in single precision; p = %s, C = 1, gap 1e-3,",
  "files with cache = %d MB. Medians of %d fits, each way in a session of its own; files are in the",
  "system's cache. Opening a file reads it once for its checksum, and matrices in memory are",
  "inspected. Fits of files and of memory are the same bit for bit: %s in double, %s in single",
  "precision. Memory is private memory beyond that of the session with its data."),
  settings$kernels, settings$n, gigabytes[1], gigabytes[2], round(settings$p, 2), settings$cache,
  settings$runs, if (same(1, 2)) "yes" else "NO", if (same(3, 4)) "yes" else "NO"), table)
work <- sprintf("n = %d, M = %d in files, %s precision", settings$n, settings$kernels,
                c("double", "single"))
fits <- lapply(results, `[[`, "fit")
report_bars(bar(paste0(work[1], ": time beside memory"), ratio(2), 4, 1.5, "x", fits[2]),
            bar(paste0(work[2], ": time beside memory"), ratio(4), 4, 1.5, "x", fits[4]),
            bar(paste0(work[2], ": private memory"), results[[4]]$megabytes, settings$cache,
                settings$cache / 2, " MB", fits[4]))
