# What the benchmarks share: arguments, timing in turns, peak memory, tables and bars.

suppressPackageStartupMessages(library(manykernels))

has_package <- function(name) requireNamespace(name, quietly = TRUE)
peers <- Filter(has_package, c("e1071", "kernlab", "LiblineaR")) # loaded before anything is timed

# Arguments of a script with their defaults, as in `Rscript bench/x.R n=2000,4000 p=4/3 runs=3`.
bench_arguments <- function(...) {
  settings <- list(...)
  for (given in strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)) {
    if (length(given) != 2 || !given[1] %in% names(settings)) {
      stop("arguments are ", paste0(names(settings), "=", collapse = ", "), " not ",
           paste(given, collapse = "="), call. = FALSE)
    }
    parts <- strsplit(given[2], ",", fixed = TRUE)[[1]]
    if (!given[1] %in% c("runs", "limit", "peer")) options(bench.other_size = TRUE)
    settings[[given[1]]] <- if (is.character(settings[[given[1]]])) parts else {
      vapply(strsplit(parts, "/", fixed = TRUE), function(x) Reduce(`/`, as.numeric(x)), 0)
    }
  }
  settings
}

widths <- 1.2^(0:49)

# limit: seconds after which a fit stops, uncertified.
bench_control <- function(limit = Inf, ...) mkl_control(progress = FALSE, max_time = limit, ...)

# The fit that scripts time; Gaussian kernels unless told otherwise.
fit_mkl <- function(data, p, limit, kernels = gaussian_kernel(widths), C = 1, ...) {
  mkl(data$x, data$y, kernels, p = p, C = C, normalize = "none",
      control = bench_control(limit, ...))
}

# A fit that isn't certified still counts, with what it reached; other warnings stop the benchmark.
quiet <- function(expr) {
  withCallingHandlers(expr, manykernels_warning_not_converged = function(w) {
    invokeRestart("muffleWarning")
  })
}

# ---- time ----------------------------------------------------------------------------------------

# Runs programs (functions without arguments) in turns; warms up nothing, R's own compiler has done
# its work when the package was installed. Returns seconds (runs x programs) and the last values.
in_turns <- function(programs, runs) {
  seconds <- matrix(NA_real_, runs, length(programs), dimnames = list(NULL, names(programs)))
  values <- vector("list", length(programs))
  names(values) <- names(programs)
  for (run in seq_len(runs)) {
    for (i in seq_along(programs)) {
      values[i] <- list(NULL)
      gc(FALSE)
      time <- system.time(values[i] <- list(quiet(programs[[i]]())), gcFirst = FALSE)
      seconds[run, i] <- time[["elapsed"]]
    }
  }
  list(seconds = seconds, median = apply(seconds, 2, stats::median), values = values)
}

# One row per program: times, ratio to the program `base`, and what a fit reached.
time_table <- function(turns, base = 1) {
  data.frame(
    program = names(turns$median),
    median = seconds_text(turns$median),
    `fastest to slowest` = apply(turns$seconds, 2, function(s) {
      paste(seconds_text(min(s)), "to", seconds_text(max(s)))
    }),
    ratio = sprintf("%.2f", turns$median / turns$median[base]),
    gap = vapply(turns$values, gap_text, ""),
    row.names = NULL, check.names = FALSE
  )
}

seconds_text <- function(seconds) {
  sprintf("%.*f s", ifelse(seconds >= 100, 0L, ifelse(seconds >= 10, 1L, 3L)), seconds)
}

# The certificate of a fit; of several models the worst. Nothing for other programs' values.
gap_text <- function(fit) {
  if (!inherits(fit, c("mkl", "mkl_multiclass"))) return("-")
  stopped <- setdiff(fit$status, "converged")
  paste0(format(max(fit$gap), digits = 2), if (length(stopped)) sprintf(" (%s)", stopped[1]))
}

# ---- memory --------------------------------------------------------------------------------------

process_status <- function(field) {
  file <- "/proc/self/status"
  if (!file.exists(file)) return(NA_real_)
  line <- grep(paste0("^", field, ":"), readLines(file), value = TRUE)
  if (length(line) == 0) return(NA_real_)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# The value of an expression, its time, and how much memory (MB) it took at most beyond what the
# process held before; NA where the system doesn't tell.
with_memory <- function(expr) {
  gc(full = TRUE)
  reset <- tryCatch({
    cat("5", file = "/proc/self/clear_refs")
    TRUE
  }, error = function(e) FALSE, warning = function(w) FALSE)
  before <- if (reset) process_status("VmRSS") else NA_real_
  seconds <- system.time(value <- quiet(expr), gcFirst = FALSE)[["elapsed"]]
  list(value = value, seconds = seconds, megabytes = process_status("VmHWM") - before)
}

# Data made in another session, as the text `code` says with bench/data.R: this one then holds them
# and nothing that making them left behind, which the next computation would use unseen.
fresh <- function(code, ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  script <- sprintf("source(\"bench/data.R\"); saveRDS(%s, \"%s\", compress = FALSE)",
                    sprintf(code, ...), file)
  status <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(script)))
  stopifnot("the data could not be made" = status == 0)
  readRDS(file)
}

# The same for a computation: in a child of this session, which is left as it was.
in_child <- function(expr) {
  if (.Platform$OS.type != "unix") return(expr)
  value <- parallel::mccollect(parallel::mcparallel(expr))[[1]]
  if (inherits(value, "try-error")) stop(attr(value, "condition"))
  value
}

megabytes_text <- function(megabytes) {
  ifelse(is.na(megabytes), "unknown", sprintf("%.0f MB", megabytes))
}

# ---- results -------------------------------------------------------------------------------------

# A section of results: Markdown that reads well in a terminal too.
section <- function(title, text, table) {
  cat("### ", title, "\n\n", sep = "")
  if (nzchar(text)) cat(strwrap(text, 100), "", sep = "\n")
  markdown_table(table)
}

markdown_table <- function(table) {
  cells <- rbind(names(table), as.matrix(format(table, justify = "left")))
  cells <- apply(cells, 2, function(column) format(trimws(column)))
  rule <- strrep("-", nchar(cells[1, ]))
  rows <- apply(rbind(cells[1, ], rule, cells[-1, , drop = FALSE]), 1, paste, collapse = " | ")
  cat(paste("|", rows, "|"), "", sep = "\n")
}

# A measured value against its bar and the further goal, for the table of bars; no verdict at sizes
# other than the default ones. unit follows the value directly; higher: more is better.
bar <- function(work, value, bar, stretch, unit = "x", note = "", higher = FALSE) {
  met <- function(goal) if (higher) value >= goal else value <= goal
  sign <- if (higher) ">= " else "<= "
  verdict <- if (is.na(value)) "unknown" else
    if (getOption("bench.other_size", FALSE)) "other size" else
      if (met(stretch)) "stretch" else if (met(bar)) "bar" else "missed"
  data.frame(work = work, measured = paste0(signif(value, 3), unit),
             bar = paste0(sign, bar, unit), stretch = paste0(sign, stretch, unit),
             verdict = verdict, note = note)
}

# Shows bars, and hands them to bench/all.R where that runs the script.
report_bars <- function(...) {
  bars <- rbind(...)
  section("Bars", "", bars)
  folder <- Sys.getenv("MK_BENCH_BARS")
  if (nzchar(folder)) saveRDS(bars, tempfile("bars-", folder, ".rds"))
}

# The worst gap, for a bar's note: a time counts together with what it proves.
gaps_note <- function(fits) {
  gaps <- vapply(fits, function(fit) max(fit$gap), 0)
  unfinished <- sum(!vapply(fits, `[[`, NA, "converged"))
  paste0("gap ", format(max(gaps), digits = 2),
         if (unfinished) sprintf(", %d of %d NOT certified", unfinished, length(fits)))
}

# Lines that say where and with what results were made.
machine_lines <- function() {
  processor <- tryCatch(
    sub(".*: ", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1]),
    error = function(e) Sys.info()[["machine"]], warning = function(w) Sys.info()[["machine"]]
  )
  memory <- tryCatch(as.numeric(gsub("[^0-9]", "", readLines("/proc/meminfo", 1))) / 2^20,
                     error = function(e) NA, warning = function(w) NA)
  packages <- c("manykernels", peers)
  versions <- vapply(packages, function(name) format(utils::packageVersion(name)), "")
  c(sprintf("%s, %d cores, %.0f GB; %s", processor, parallel::detectCores(), memory,
            R.version.string),
    sprintf("BLAS %s; %s", basename(extSoftVersion()[["BLAS"]]),
            paste(packages, versions, collapse = ", ")))
}

# ---- the other programs --------------------------------------------------------------------------

# One plain support vector machine with one Gaussian kernel. fitted = FALSE spares e1071 the
# prediction of its training rows.
fit_e1071 <- function(x, y, width, C = 1) {
  e1071::svm(x, y, type = "C-classification", kernel = "radial", gamma = 1 / width, cost = C,
             scale = FALSE, fitted = FALSE)
}

# With its default shrinking kernlab returns wrong models on some of these data.
fit_kernlab <- function(x, y, width, C = 1) {
  kernlab::ksvm(x, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = 1 / width), C = C,
                scaled = FALSE, shrinking = FALSE, fit = FALSE)
}

# Those of `programs` whose package is installed; names start with the package's name.
installed_programs <- function(programs) {
  programs[sub("[ ,].*", "", names(programs)) %in% c("manykernels", peers)]
}
