# Sends units of work to workers in packs, and once more what was lost: with a job that was cancelled or
# killed, or that had no time or memory left, or with its computer.

MOST_REPEATS <- 3L

# The values of `count` units. task(pack, given...) gives list(outcomes) for the units of a pack; hear(parts)
# gets the other elements of its lists; give_up(units, reason, values) is called if units were lost too often.
do_work <- function(count, backend, task, given, log, hear, give_up) {
  values <- vector("list", count)
  losses <- integer(count)
  open <- seq_len(count)
  while (length(open)) {
    packs <- chunks_of(open, backend$workers)
    results <- backend$run(packs, task, given)
    if (backend$workers > 1) note_sent(log, packs, results, losses)
    lost <- vapply(results, inherits, NA, "condition")
    parts <- lapply(results[!lost], `[[`, "value")
    hear(parts)
    values[unlist(packs[!lost])] <- unlist(lapply(parts, `[[`, "outcomes"), recursive = FALSE)
    open <- unlist(packs[lost])
    losses[open] <- losses[open] + 1L
    if (any(losses > MOST_REPEATS)) {
      last <- results[lost][[length(which(lost))]]
      give_up(which(losses > MOST_REPEATS), loss_reason(last), values)
    }
  }
  values
}

# Consecutive units, nearly as many for each worker: neighbours share a resample's kernels.
chunks_of <- function(units, workers) {
  workers <- max(1, min(workers, length(units)))
  unname(split(units, ceiling(seq_along(units) * workers / length(units))))
}

# labels: words for the units that were lost too often.
abort_lost <- function(labels, reason) {
  mk_abort(sprintf("Lost %d times on the workers: %s. The last time: %s.", MOST_REPEATS + 1L,
                   listed(labels, 3L),
                   sub("[.]$", "", reason)), "lost_work", value = labels)
}
