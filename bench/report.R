# Tables of results, bars, and where results were made.

# ---- cells ---------------------------------------------------------------------------------------

# NA: the program failed.
seconds_text <- function(seconds) {
  text <- sprintf("%.*f s", ifelse(!is.na(seconds) & seconds >= 100, 0L,
                                   ifelse(!is.na(seconds) & seconds >= 10, 1L, 3L)), seconds)
  ifelse(is.na(seconds), "failed", text)
}

spread_text <- function(seconds) {
  seconds <- seconds[!is.na(seconds)]
  if (length(seconds) < 2) return("-")
  paste(seconds_text(min(seconds)), "to", seconds_text(max(seconds)))
}

medians_text <- function(runs) {
  if (runs == 1) "one run each" else sprintf("medians of %d runs in turns", runs)
}

ratio_text <- function(ratio) ifelse(is.na(ratio), "-", sprintf("%.2f", ratio))

megabytes_text <- function(megabytes) {
  ifelse(is.na(megabytes), "unknown", sprintf("%.0f MB", megabytes))
}

is_fit <- function(value) inherits(value, c("mkl", "mkl_multiclass"))

# How many support vectors the fits and e1071's SVMs among several programs' values have.
support_text <- function(values) {
  count <- lapply(values, function(value) {
    if (is_fit(value)) length(value$support) else if (inherits(value, "svm")) value$tot.nSV
  })
  paste(names(unlist(count)), unlist(count), recycle0 = TRUE, collapse = ", ")
}

# The certificate of a fit, of several models the worst, or why there is none. Nothing for other
# programs' values.
gap_text <- function(fit) {
  if (is_failure(fit)) return(paste("failed:", strtrim(gsub("\\s+", " ", fit$message), 150)))
  if (!is_fit(fit)) return("-")
  stopped <- setdiff(fit$status, "converged")
  paste0(format(max(fit$gap), digits = 2), if (length(stopped)) sprintf(" (%s)", stopped[1]))
}

# ---- tables --------------------------------------------------------------------------------------

# A section of results: Markdown that reads well in a terminal too.
section <- function(title, text, table) {
  force(table) # which may print sections of its own
  cat("### ", title, "\n\n", sep = "")
  if (nzchar(text)) cat(strwrap(text, 100), "", sep = "\n")
  markdown_table(table)
}

markdown_table <- function(table) {
  cells <- rbind(names(table), as.matrix(format(table, justify = "left")))
  cells <- apply(cells, 2, function(column) format(trimws(gsub("|", "/", column, fixed = TRUE))))
  rule <- strrep("-", nchar(cells[1, ]))
  rows <- apply(rbind(cells[1, ], rule, cells[-1, , drop = FALSE]), 1, paste, collapse = " | ")
  cat(paste("|", rows, "|"), "", sep = "\n")
}

# One row per program of in_turns(): times, ratio to the program `base`, and what a fit reached.
time_table <- function(turns, base = 1) {
  data.frame(
    program = names(turns$median), median = seconds_text(turns$median),
    `fastest to slowest` = apply(turns$seconds, 2, spread_text),
    ratio = ratio_text(turns$median / turns$median[base]),
    gap = vapply(turns$values, gap_text, ""),
    row.names = NULL, check.names = FALSE
  )
}

# One row for what measured() found of a fit, after the columns `labels`.
taken_row <- function(labels, taken) {
  fit <- taken$value
  data.frame(
    labels, time = seconds_text(taken$median), `fastest to slowest` = spread_text(taken$seconds),
    runs = length(taken$seconds), peak = megabytes_text(taken$megabytes),
    `support vectors` = if (is_fit(fit)) length(fit$support) else NA,
    `kernels in use` = if (is_fit(fit)) sum(fit$theta > 0) else NA, gap = gap_text(fit),
    check.names = FALSE
  )
}

# In place of what measured() would have found.
not_taken <- function(failure) {
  list(value = failure, seconds = numeric(), median = NA_real_, megabytes = NA_real_)
}

# ---- bars ----------------------------------------------------------------------------------------

# A measured value (NA: failed) against its bar and the further goal, for the table of bars. fits:
# those it was measured on; a bar is met only where all are certified. No verdict at sizes other
# than the default ones. unit follows the value directly; higher: more is better.
bar <- function(work, value, bar, stretch = bar, unit = "x", fits = list(), higher = FALSE) {
  met <- function(goal) if (higher) value >= goal else value <= goal
  sign <- if (higher) ">= " else "<= "
  verdict <- if (is.na(value)) "none" else
    if (!all(vapply(fits, is_certified, NA))) "not certified" else
      if (getOption("bench.other_size", FALSE)) "other size" else
        if (met(stretch)) "stretch" else if (met(bar)) "bar" else "missed"
  data.frame(work = work, measured = if (is.na(value)) "-" else paste0(signif(value, 3), unit),
             bar = paste0(sign, bar, unit), stretch = paste0(sign, stretch, unit),
             verdict = verdict, note = gaps_note(fits), row.names = NULL)
}

is_certified <- function(fit) is_fit(fit) && all(fit$converged)

# The table of bench/README.md is made of these sections.
report_bars <- function(...) section("Bars", "", rbind(...))

# The worst gap, for a bar's note: a time counts together with what it proves.
gaps_note <- function(values) {
  wrong <- Filter(is_failure, values)
  if (length(wrong)) return(gap_text(wrong[[1]]))
  fits <- Filter(is_fit, values)
  if (length(fits) == 0) return("")
  gaps <- vapply(fits, function(fit) max(fit$gap), 0)
  unfinished <- sum(!vapply(fits, is_certified, NA))
  paste0("gap ", format(max(gaps), digits = 2),
         if (unfinished) sprintf(", %d of %d NOT certified", unfinished, length(fits)))
}

# ---- origin --------------------------------------------------------------------------------------

# The head of a file of results, written by all scripts: the call that made it, the commit, the date,
# the machine, and the paths whose change makes it stale (dev/stale.R reads it). notes: more lines.
result_head <- function(name, call = sprintf("Rscript bench/%s.R", name), notes = character()) {
  paths <- stale_paths(file.path("bench", paste0(name, ".R")))
  fields <- c(call = sprintf("`%s`", call), commit = current_commit(paths), date = format(Sys.Date()),
              machine = machine_line(), `stale after changes of` = paste(paths, collapse = " "))
  c(paste("#", name), "", sprintf("- %s: %s", names(fields), fields), notes, "")
}

# The paths that `# stale after:` in the head of a script lists; bench/stale-paths has names for
# several. The script itself and the benchmarks' data belong to all.
stale_paths <- function(script) {
  own <- sub("^# stale after: ", "", grep("^# stale after: ", readLines(script), value = TRUE))
  if (length(own) == 0) stop(script, " has no line `# stale after:`", call. = FALSE)
  lines <- grep("^[a-z]+: ", readLines("bench/stale-paths"), value = TRUE)
  groups <- strsplit(sub("^[a-z]+: ", "", lines), " ")
  names(groups) <- sub(":.*", "", lines)
  paths <- lapply(strsplit(own, " ")[[1]], function(one) {
    if (one %in% names(groups)) groups[[one]] else one
  })
  paths <- unique(c(script, "bench/data.R", unlist(paths)))
  if (!all(file.exists(paths))) {
    stop(script, ": no such path as ", paths[!file.exists(paths)][1], call. = FALSE)
  }
  paths
}

# The commit that is checked out; "-dirty" where one of the paths differs from it.
current_commit <- function(paths) {
  git <- function(...) {
    tryCatch(suppressWarnings(system2("git", c(...), stdout = TRUE, stderr = FALSE)),
             error = function(e) character())
  }
  commit <- git("rev-parse", "--short=7", "HEAD")
  if (length(commit) != 1) return("unknown")
  paste0(commit, if (length(git("status", "--porcelain", "--", paths))) "-dirty")
}

machine_line <- function() {
  processor <- sub(".*: ", "", system_line("/proc/cpuinfo", "model name"))
  memory <- as.numeric(gsub("[^0-9]", "", system_line("/proc/meminfo", "MemTotal"))) / 2^20
  packages <- intersect(c("manykernels", "e1071", "kernlab", "LiblineaR"), loadedNamespaces())
  versions <- vapply(packages, function(name) format(utils::packageVersion(name)), "")
  parts <- c(sprintf("%s, %d cores, %.0f GB",
                     if (is.na(processor)) Sys.info()[["machine"]] else processor,
                     parallel::detectCores(), memory),
             R.version.string, paste("BLAS", basename(extSoftVersion()[["BLAS"]])),
             paste(packages, versions, recycle0 = TRUE, collapse = ", "))
  paste(parts[nzchar(parts)], collapse = "; ")
}

# The first line of a file that matches; NA where there is none.
system_line <- function(file, pattern) {
  tryCatch(grep(pattern, readLines(file), value = TRUE)[1], error = function(e) NA_character_,
           warning = function(w) NA_character_)
}
