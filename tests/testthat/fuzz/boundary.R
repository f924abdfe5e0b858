# Calls every routine that the package registers with generated arguments: each call must end in an R
# error or a value, never in a crash, and soon after a time limit of R. Writes how far it is to a file,
# so that after a crash, or a call that never returns, it is known which call it was, and goes on behind it.
# usage: Rscript boundary.R [calls by routine] [seed]    (the package on R's library path)
# Prints a line "| what | count | failures |".

arguments <- commandArgs(trailingOnly = TRUE)
turns <- if (length(arguments) > 0L) as.integer(arguments[[1L]]) else 40L
seed <- if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 1L
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]])
here <- dirname(script)

most_seconds <- 1 # R's limit for a call, which the core's polls see
patience <- 20 # seconds after which a call that came back is a hang
batch <- 1000L # calls of one process, which is ended if they take longer than their limits allow

call_routine <- function(name, arguments) {
  setTimeLimit(elapsed = most_seconds, transient = TRUE)
  on.exit(setTimeLimit())
  tryCatch({
    do.call(.Call, c(list(routines[[name]]), arguments), quote = TRUE)
    "value"
  }, error = function(e) if (nzchar(conditionMessage(e))) "error" else "silent")
}

# From turn `from` on; `place` tells the parent where it is.
run_calls <- function(from, place) {
  suppressMessages(library(manykernels))
  source(file.path(here, "calls.R"))
  options(manykernels.threads = 2L)
  valid <- suppressMessages(valid_calls())
  lacking <- setdiff(names(routines), names(valid))
  if (length(lacking)) stop("no valid call of ", paste(lacking, collapse = ", "))
  hostile <- hostile_values(valid)
  # the last one leaves the process with one thread
  names <- c(setdiff(names(routines), "mk_stay_alone"), "mk_stay_alone")
  work <- expand.grid(turn = seq_len(turns), name = names, stringsAsFactors = FALSE)
  counts <- c(value = 0L, error = 0L, silent = 0L, slow = 0L)
  to <- min(nrow(work), from + batch - 1L)
  for (k in seq(from, length.out = to - from + 1L)) {
    set.seed(seed * 1000003L + k)
    name <- work$name[[k]]
    own <- changed_call(name, valid[[name]], hostile)
    cat(k, name, counts, "\n", file = place)
    start <- proc.time()[["elapsed"]]
    outcome <- call_routine(name, own)
    spent <- proc.time()[["elapsed"]] - start
    counts[[outcome]] <- counts[[outcome]] + 1L
    if (spent > patience) counts[["slow"]] <- counts[["slow"]] + 1L
    if (spent > patience || outcome == "silent") {
      cat(sprintf("call %d of %s: %s, %.1f s\n", k, name, outcome, spent))
    }
  }
  gc() # finalizers of what the calls left
  cat(to + 1L, if (to == nrow(work)) "end" else "batch", counts, "\n", file = place)
}

# One child, in a folder of its own, as a hostile path may be a valid one. Its status; 124: it took too long.
call_child <- function(from, place, output) {
  folder <- tempfile("calls")
  dir.create(folder)
  command <- sprintf(
    "cd %s && exec %s %s %d %d child %d %s", shQuote(folder),
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(normalizePath(script)), turns, seed, from,
    shQuote(place)
  )
  suppressWarnings(system2("sh", c("-c", shQuote(command)), stdout = output, stderr = output,
                           timeout = batch * most_seconds + 5 * patience))
}

# Children until one gets to the end.
drive <- function() {
  counts <- c(value = 0, error = 0, silent = 0, slow = 0)
  crashes <- 0L
  from <- 1L
  repeat {
    place <- tempfile("place")
    output <- tempfile("output")
    status <- call_child(from, place, output)
    if (!file.exists(place)) stop("no call was made:\n", paste(readLines(output), collapse = "\n"))
    at <- strsplit(readLines(place), " ")[[1L]]
    counts <- counts + as.numeric(at[3:6])
    told <- grep("^call ", readLines(output), value = TRUE)
    if (length(told)) writeLines(told, stderr())
    if (at[[2L]] == "end") break
    if (at[[2L]] == "batch") {
      from <- as.integer(at[[1L]])
      next
    }
    crashes <- crashes + 1L
    cat(sprintf("call %s of %s %s (status %d):\n", at[[1L]], at[[2L]],
                if (status == 124L) "never returned" else "ended the process", status),
        utils::tail(readLines(output), 40L), file = stderr(), sep = "\n")
    from <- as.integer(at[[1L]]) + 1L
    if (crashes >= 20L) break
  }
  failures <- crashes + counts[["silent"]] + counts[["slow"]]
  cat(sprintf("| hostile calls of the core, seed %d: %.0f errors, %.0f values | %.0f | %.0f |\n", seed,
              counts[["error"]], counts[["value"]], sum(counts[1:3]) + crashes, failures))
  if (failures > 0) quit(status = 1L)
}

if (length(arguments) > 2L && arguments[[3L]] == "child") {
  run_calls(as.integer(arguments[[4L]]), arguments[[5L]])
} else {
  drive()
}
