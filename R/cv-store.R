# The file of `resume`. It has the input that determines the numbers (fingerprint, resamples, seeds) and, at
# the end, the outcomes. Until then each unit is a file beside it, so that workers don't wait for each other.
# Several processes may use one file: each file appears whole, and a unit has the same values in each process.

# fingerprint, make: functions without arguments. workers: without a file, what workers have done is kept in
# a temporary one, which is theirs, too, where they see it.
open_store <- function(file, fingerprint, make, workers = 1) {
  own <- make() # with a file, too, so that the session's random numbers go on alike
  if (is.null(file)) {
    scratch <- if (workers > 1) tempfile("cv_mkl-")
    return(c(own, if (workers > 1) list(store = scratch, id = basename(scratch), scratch = fingerprint)))
  }
  fingerprint <- fingerprint()
  file <- store_file(file, "resume")
  if (!file.exists(file)) create_store(file, fingerprint, own)
  known <- known_store(file, fingerprint)
  left_over <- unit_files(file)
  # of processes that were killed, or that went on after another one had ended
  unlink(if (is_complete(known)) left_over else left_over[is_old_draft(left_over)])
  known$store <- file
  known
}

# Units belong to the resamples and seeds that they were made with.
create_store <- function(file, fingerprint, own) {
  own$id <- object_digest(list(fingerprint$call, own))
  if (write_whole(c(list(fingerprint = fingerprint), own), file, create = TRUE)) return(invisible())
  if (file.exists(file)) return(invisible()) # by another process
  abort_unwritable(file, "resume")
}

# What is done when the work is given up, in a file that the next call can go on from.
rescue_store <- function(run) {
  if (is.null(run$scratch)) return(run$store)
  kept <- run[c("id", "resamples", "outer", "seeds", "final_seed")]
  rounds <- if (!is.null(run$rounds)) list(rounds = as.list(run$rounds))
  write_whole(c(list(fingerprint = run$scratch()), kept, rounds), run$store)
  run$store
}

# Gives the value of code. Work that is lost too often is an error that names the file to go on from.
with_rescue <- function(run, code) {
  rescued <- FALSE
  on.exit(if (!is.null(run$scratch) && !rescued) unlink(unit_files(run$store)))
  tryCatch(code, manykernels_lost_work = function(e) {
    rescued <<- TRUE
    file <- rescue_store(run)
    fleeting <- startsWith(normalizePath(file, mustWork = FALSE), normalizePath(tempdir()))
    mk_abort(sprintf("%s `cv_mkl(..., resume = \"%s\")` goes on from what is done%s.", conditionMessage(e), file,
                     if (fleeting && !interactive()) "; copy this file before R ends" else ""),
             "lost_work", "resume", e$value, parent = e)
  })
}

# ---- units ---------------------------------------------------------------------------------------

unit_file <- function(store, unit) sprintf("%s.unit%s", store, unit)

# What is kept of a unit, list(outcomes) or list(begun): nothing if it belongs to another run; list(fault)
# if its file is not whole.
stored_unit <- function(run, unit) {
  if (is.null(run$store) || !file.exists(unit_file(run$store, unit))) return(NULL)
  found <- read_whole(unit_file(run$store, unit))
  if (!is.null(found$fault)) return(found)
  if (identical(found$value$id, run$id)) found$value
}

# Keeps the outcomes of a unit, or how far it has come; FALSE where that fails. What the clock has kept
# from being computed is computed the next time.
store_unit <- function(run, unit, outcomes = NULL, begun = NULL) {
  if (is.null(run$store)) return(TRUE)
  kept <- list(id = run$id, outcomes = outcomes, begun = begun)
  # another process that has ended may have taken the draft away
  write_whole(kept, unit_file(run$store, unit)) || write_whole(kept, unit_file(run$store, unit))
}

# ---- the end -------------------------------------------------------------------------------------

# One file for all, once all is done, with the outcomes of one resample after the other.
close_store <- function(run, outcomes) {
  if (is.null(run$store) || !is.null(run$scratch)) return(invisible())
  finished <- vapply(outcomes, function(chains) is_finished(cells_of(chains)), NA)
  if (all(finished)) complete_store(run, list(parts = length(outcomes)), outcomes)
}

stored_outcomes <- function(run) {
  stored_parts(run$store, run$parts, function(chains, r) put_away(chains, rep(r, length(chains)), run$folder))
}

# A run of several rounds: their outcomes by their keys, which the file knows once all is done, and the
# resamples that stay open between them.
open_rounds <- function(run, plan) {
  if (is_fixed_grid(plan)) return(run)
  run$rounds <- list2env(as.list(run$rounds), parent = emptyenv())
  run$kept <- new.env(parent = emptyenv())
  run
}

close_rounds <- function(run) {
  if (is.null(run$store) || is.null(run$rounds) || !is.null(run$scratch)) return(invisible())
  rounds <- as.list(run$rounds)
  cells <- unlist(unlist(unlist(rounds, FALSE), FALSE), FALSE)
  if (is_finished(cells)) complete_store(run, list(rounds = rounds, complete = TRUE))
}

# The units stay where the file can't be written.
complete_store <- function(run, found, outcomes = NULL) {
  kept <- run[c("fingerprint", "id", "resamples", "outer", "seeds", "final_seed")]
  whole <- write_whole(c(kept, found), run$store, parts = outcomes, part_of = chains_of)
  if (whole) unlink(unit_files(run$store)) else run$log$unkept <- TRUE
}
