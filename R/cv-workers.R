# The chains of a cross-validation on one process or on several, as the user's plan says. A unit is one chain
# of one resample; a chunk is what a worker gets at once, so that data travel to it once.

# ---- units ---------------------------------------------------------------------------------------

# The outcomes of all resamples: a list (resamples) of lists (outer) of lists (inner).
run_plan <- function(plan, resamples, run) {
  if (!is.null(run$parts)) return(stored_outcomes(run))
  units <- expand.grid(outer = seq_along(plan$outer), resample = seq_along(resamples))
  backend <- choose_backend(run$BPPARAM, list(plan$kernels, plan$settings, plan$outer))
  check_grid_memory(plan, resamples, backend)
  shown <- plan$settings$control$progress && backend$workers == 1 # who else could draw a bar?
  progress <- work_progress("Cross-validation", nrow(units) * length(plan$inner), shown, run$lines)
  on.exit(progress$done())
  # what is kept open between rounds, and what is put away, stays in this process
  on_worker <- run[c("deadline", "store", "id", "seeds", "numbers",
                     if (backend$workers == 1) c("kept", "folder"))]
  # writing after each C costs more than small fits, so chains that were begun are kept for `resume` alone
  on_worker$keep_begun <- !is.null(run$store) && is.null(run$scratch)
  log <- run$log %||% new_work_log()
  outcomes <- do_work(
    nrow(units), backend, "run_chunk",
    list(plan = plan, resamples = resamples, units = units, run = on_worker, tick = progress$tick), log,
    receive = function(pack, part) {
      note_files(log, part)
      if (backend$workers == 1) part$outcomes else put_away(part$outcomes, units$resample[pack], run$folder)
    },
    give_up = function(lost, reason, outcomes) {
      for (unit in which(lengths(outcomes) > 0L)) store_unit(run, unit, chains_of(outcomes[unit])[[1L]])
      abort_lost(unit_labels(plan, resamples, units[lost, ]), reason)
    },
    most = HELD_BYTES / (outcomes_size(plan, resamples) / nrow(units)),
    seconds = chain_time(plan, units$outer) * lengths(lapply(resamples, `[[`, "train"))[units$resample]
  )
  outcomes <- lapply(seq_along(resamples), function(r) outcomes[units$resample == r])
  if (is.null(run$rounds)) close_store(run, outcomes)
  outcomes
}

# Checks that there is memory for the fits that run at the same time: chains on threads, or on workers of this
# computer.
check_grid_memory <- function(plan, resamples, backend) {
  chains <- length(plan$outer) * length(resamples) * max(1, plan$models)
  threads <- thread_count(plan$settings$control)
  if (threads == 0) threads <- .Call(C_mk_threads)
  fits <- if (backend$workers > 1) 1 else min(threads, chains)
  check_memory(plan$settings$control, plan$n, 1, fits, min(backend$here, chains))
}

# The time that chains take with the norms in `outer`, in units of the shortest, that of p = Inf. With 300 rows
# and default kernels p = 1 took 1.2 to 1.6 times the mean over six norms, and p = Inf 0.6 to 0.9.
chain_time <- function(plan, outer) {
  p <- vapply(plan$outer, function(norm) if (is.list(norm) && !is.null(norm$p)) norm$p else Inf, 0)
  unname(1 + 1 / p)[outer]
}

# Words for units.
unit_labels <- function(plan, resamples, units) {
  own <- resamples[units$resample]
  several <- length(unique(vapply(resamples, `[[`, 0L, "repeat_number"))) > 1L
  fold <- paste("fold", vapply(own, function(one) as.character(one$fold), ""))
  if (several) fold <- paste0("repeat ", vapply(own, `[[`, 0L, "repeat_number"), ", ", fold)
  norms <- if (length(plan$outer) > 1L) names(plan$outer)[units$outer]
  if (is.null(norms)) fold else sprintf("%s (%s)", fold, sub("^lp-norm, ", "", norms))
}

# On a worker: nothing but its arguments is known. Units of a resample are done together, and so
# many resamples that every thread has a chain. list(outcomes, damaged, unkept): files that were not whole,
# and whether others could not be written.
run_chunk <- function(chunk, plan, resamples, units, run, tick) {
  outcomes <- vector("list", length(chunk))
  damaged <- opened <- NULL
  unkept <- FALSE
  keep <- function(unit, begun = NULL, outcomes = NULL) {
    unkept <<- !store_unit(run, unit, outcomes, begun) || unkept
  }
  for (batch in thread_batches(unique(units$resample[chunk]), plan)) {
    own <- which(units$resample[chunk] %in% batch)
    stored <- lapply(chunk[own], function(unit) stored_unit(run, unit))
    damaged <- c(damaged, chunk[own][vapply(stored, function(one) !is.null(one$fault), NA)])
    found <- lapply(stored, `[[`, "outcomes")
    todo <- which(vapply(found, is.null, NA))
    tick((length(own) - length(todo)) * length(plan$inner))
    if (length(todo) && seconds_until(run$deadline) > 0) { # kernels alone may take long
      resample <- units$resample[chunk[own[todo]]]
      batch <- intersect(batch, resample)
      mine <- lapply(batch, function(r) todo[resample == r])
      opened <- lapply(seq_along(batch), function(k) {
        open_kept(plan, resamples[[batch[k]]], run, batch[k], if (k <= length(opened)) opened[[k]])
      })
      parts <- Map(function(r, mine, opened) {
        list(opened = opened, resample = resamples[[r]], seed = run$seeds[r],
             outer = units$outer[chunk[own[mine]]], unit = chunk[own[mine]],
             begun = lapply(stored[mine], `[[`, "begun"))
      }, batch, mine, opened)
      share_done <- increments(tick, length(todo) * length(plan$inner))
      found[unlist(mine)] <- unlist(plan$chains(plan, parts, run$deadline, share_done,
                                                if (run$keep_begun) keep), FALSE)
      share_done(1)
      for (k in todo) if (is_finished(found[[k]])) keep(chunk[own[k]], outcomes = found[[k]])
    }
    found <- lapply(found, function(cells) {
      lapply(cells %||% rep(list(failed_cell()), length(plan$inner)), without_cut_fit, plan$settings$control)
    })
    outcomes[own] <- put_away(found, units$resample[chunk[own]], run$folder)
  }
  list(outcomes = outcomes, damaged = unit_file(run$store, damaged), unkept = unkept)
}

# A fit that the limit for the whole has cut is missing; one cut by its own limit counts as it is.
without_cut_fit <- function(cell, control) {
  cut <- cell$status == "time_limit" && isTRUE(cell$gap > control$tol && cell$seconds < control$max_time)
  if (cut) failed_cell() else cell
}

# The condition where a resample's kernels can't be had, such as one that is constant there.
open_part <- function(plan, train, before, ...) {
  if (inherits(before, "condition")) before <- NULL
  tryCatch(plan$open(plan, train, before, ...), manykernels_error = identity)
}

# In a search a resample has kernels of its own, as those that another one has lent would differ in their last
# digits, and with them the numbers of other plans. What a round before has opened serves again, as far as half the
# budget keeps it, its views serve other scalings of the same resample, and the distances between rows of views that
# are not scaled serve other resamples.
open_kept <- function(plan, resample, run, r, before) {
  if (is.null(run$numbers)) return(open_part(plan, resample$train, before))
  if (!is.environment(run$kept)) return(open_part(plan, resample$train, NULL))
  key <- paste(plan$scaling, run$numbers[r])
  known <- run$kept[[key]]
  if (!is.null(known)) return(known)
  keys <- ls(run$kept)
  opened <- open_part(plan, resample$train, NULL,
                      beside = mget(keys[endsWith(keys, paste0(" ", run$numbers[r]))], run$kept),
                      alike = mget(utils::head(keys[startsWith(keys, paste0(plan$scaling, " "))], 1L), run$kept))
  if (is.null(opened$bytes)) return(opened)
  bytes <- opened$bytes + sum(unlist(eapply(run$kept, `[[`, "bytes")))
  if (bytes <= cache_budget(plan$settings$control) / 2) assign(key, opened, run$kept)
  opened
}

thread_batches <- function(resamples, plan) {
  threads <- thread_count(plan$settings$control)
  if (threads == 0) threads <- .Call(C_mk_threads)
  size <- ceiling(threads / (length(plan$outer) * plan$models))
  unname(split(resamples, ceiling(seq_along(resamples) / size)))
}
