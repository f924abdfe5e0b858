# Time and memory of computations, and what stands in place of those that fail.

# ---- failures ------------------------------------------------------------------------------------

failure <- function(message) structure(list(message = message), class = "bench_failure")

is_failure <- function(value) inherits(value, "bench_failure")

attempt <- function(expr) {
  tryCatch(expr, error = function(e) failure(conditionMessage(e)))
}

# A fit that isn't certified still counts, with what it reached.
quiet <- function(expr) {
  withCallingHandlers(expr, manykernels_warning_not_converged = function(w) {
    invokeRestart("muffleWarning")
  })
}

# The value of an expression, computed in a child of this session, which is left as it was; a
# failure where the child dies or takes longer than `limit` seconds. This session must not have used
# threads.
in_child <- function(expr, limit = Inf) {
  if (.Platform$OS.type != "unix") return(attempt(expr))
  child <- parallel::mcparallel(attempt(expr))
  answer <- suppressWarnings( # of a death: the failure says it
    parallel::mccollect(child, wait = FALSE, timeout = min(limit, 1e6))
  )
  if (is.null(answer)) tools::pskill(child$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(child)) # until it has ended
  if (is.null(answer)) return(failure(sprintf("stopped after %g s", limit)))
  if (is.null(answer[[1]])) failure("the process died") else answer[[1]]
}

# ---- time ----------------------------------------------------------------------------------------

# One run of a program (a function without arguments): its seconds and its value, which may be a
# failure. With patience (seconds) it runs in a child.
run_once <- function(program, patience = Inf) {
  run <- function() {
    gc(FALSE)
    start <- proc.time()[["elapsed"]]
    value <- quiet(program())
    list(seconds = proc.time()[["elapsed"]] - start, value = value)
  }
  result <- if (is.finite(patience)) in_child(run(), patience) else attempt(run())
  if (is_failure(result)) list(seconds = NA_real_, value = result) else result
}

# Runs programs in turns, a failed one not again; further turns only while all took less than
# `enough` seconds. Warms up nothing: R's own compiler has done its work when the package was
# installed. Returns seconds (runs x programs), medians (NA: failed) and the last values.
in_turns <- function(programs, runs, enough = Inf, patience = Inf) {
  seconds <- matrix(NA_real_, runs, length(programs), dimnames = list(NULL, names(programs)))
  values <- stats::setNames(vector("list", length(programs)), names(programs))
  for (run in seq_len(runs)) {
    if (run > 1 && sum(seconds, na.rm = TRUE) > enough) break
    for (i in seq_along(programs)) {
      if (is_failure(values[[i]])) next
      values[i] <- list(NULL)
      result <- run_once(programs[[i]], patience)
      seconds[run, i] <- result$seconds
      values[[i]] <- result$value
    }
  }
  seconds[, vapply(values, is_failure, NA)] <- NA
  list(seconds = seconds, values = values,
       median = apply(seconds, 2, function(s) stats::median(s[!is.na(s)])))
}

# ---- memory --------------------------------------------------------------------------------------

process_status <- function(field) {
  file <- "/proc/self/status"
  if (!file.exists(file)) return(NA_real_)
  line <- grep(paste0("^", field, ":"), readLines(file), value = TRUE)
  if (length(line) == 0) return(NA_real_)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# What the process holds (MB), from where on its peak counts; NA where the system doesn't tell.
reset_peak <- function() {
  gc(full = TRUE)
  reset <- tryCatch({
    cat("5", file = "/proc/self/clear_refs")
    TRUE
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (reset) process_status("VmRSS") else NA_real_
}

# Repeated runs of one program: seconds and last value, and how much memory (MB) it took at most
# beyond what the process held before. No further run after `enough` seconds.
measured <- function(program, runs = 1, enough = Inf) {
  seconds <- megabytes <- numeric()
  value <- NULL
  while (length(seconds) < runs && sum(seconds) < enough && !is_failure(value)) {
    value <- NULL
    before <- reset_peak()
    result <- run_once(program)
    value <- result$value
    seconds <- c(seconds, result$seconds)
    megabytes <- c(megabytes, process_status("VmHWM") - before)
  }
  list(value = value, seconds = seconds, megabytes = max(megabytes),
       median = if (is_failure(value)) NA_real_ else stats::median(seconds))
}

# f(...) in a session of its own, which has read bench/common.R and holds nothing but the arguments:
# what the memory of a small fit adds to would hide in what this one, or a child of it, holds unused.
# A failure where it ends without an answer or takes longer than `limit` seconds.
in_session <- function(f, ..., limit = 0) {
  files <- tempfile(c("job", "answer"), fileext = ".rds")
  on.exit(unlink(files))
  saveRDS(list(f = f, arguments = list(...)), files[1], compress = FALSE)
  script <- sprintf(paste("source(\"bench/common.R\"); job <- readRDS(\"%s\");",
                          "saveRDS(attempt(do.call(job$f, job$arguments)), \"%s\")"),
                    files[1], files[2])
  suppressWarnings( # of a time out: the failure says it
    system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(script)), timeout = limit)
  )
  if (file.exists(files[2])) readRDS(files[2]) else failure("the session ended without an answer")
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
