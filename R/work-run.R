# Sends units of work to workers in packs, and once more what was lost: with a job that was cancelled or
# killed, or that had no time or memory left, or with its computer.

MOST_REPEATS <- 3L
PACKS_OF_WORKER <- 4L # of workers that keep the data; more packs make up for times that were not as predicted

# The values of `count` units. task(pack, given...) gives list(outcomes, ...) for the units of a pack;
# receive(pack, part) gives what is held of its outcomes as soon as they are back; give_up(units, reason,
# values) is called if units were lost too often. most: the largest number of units in a pack of a worker;
# seconds: the predicted time of each unit, of which the packs have nearly equal sums.
do_work <- function(count, backend, task, given, log, receive = function(pack, part) part$outcomes, give_up,
                    most = Inf, seconds = rep(1, count)) {
  values <- vector("list", count)
  losses <- integer(count)
  open <- seq_len(count)
  sent <- as.numeric(utils::object.size(given))
  each <- if (isTRUE(backend$keep)) PACKS_OF_WORKER else 1L
  if (each > 1L && count > backend$workers) {
    given <- share_given(given)
    if (is.character(given)) on.exit(unlink(dirname(given), recursive = TRUE))
  }
  take <- function(pack, result) {
    if (backend$workers > 1) note_sent(log, pack, result, losses, if (isTRUE(result$known)) 0 else sent)
    if (!inherits(result, "condition")) {
      values[pack] <<- receive(pack, result$value)
      open <<- setdiff(open, pack)
      return(NULL)
    }
    losses[pack] <<- losses[pack] + 1L
    result
  }
  while (length(open)) {
    packs <- if (backend$workers == 1) list(open) else
      packs_of(open, seconds, max(backend$workers * each, ceiling(length(open) / most)))
    lost <- Filter(Negate(is.null), backend$run(packs, task, given, take))
    if (any(losses > MOST_REPEATS)) {
      give_up(which(losses > MOST_REPEATS), final_reason(lost[[length(lost)]], backend), values)
    }
  }
  values
}

# Consecutive units, for each pack nearly the same time: neighbours share a resample's kernels.
packs_of <- function(units, seconds, count) {
  count <- max(1, min(count, length(units)))
  end <- cumsum(seconds[units])
  middle <- (end - seconds[units] / 2) / end[length(end)]
  unname(split(units, ceiling(middle * count)))
}

# The reason of the last loss as sentences.
final_reason <- function(condition, backend) {
  paste0(sub("[.]$", "", loss_reason(condition)), ".", backend$advice)
}

# labels: words for the units that were lost too often.
# way: a sentence on how to go on.
abort_lost <- function(labels, reason, way = "") {
  mk_abort(sprintf("Lost %d times on the workers: %s. The last time: %s%s", MOST_REPEATS + 1L,
                   listed(labels, 3L), reason, way), "lost_work", value = labels)
}
