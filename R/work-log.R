# A log of the work of a call on workers: packs that were sent, lost and done again, and files that were
# damaged or could not be written.

new_work_log <- function() {
  list2env(list(sent = list(), damaged = character(), unkept = FALSE), parent = emptyenv())
}

# A pack that was sent, and what came back. attempt: by unit, how often it had been sent before; sent: bytes.
note_sent <- function(log, pack, result, attempt, sent) {
  lost <- inherits(result, "condition")
  known <- function(value) if (lost) NA_real_ else value
  row <- data.frame(units = length(pack), attempt = max(attempt[pack]) + 1L,
                    seconds = known(result$seconds), waited = known(result$waited), sent = sent,
                    received = known(as.numeric(utils::object.size(result$value))),
                    lost = if (lost) loss_reason(result) else NA_character_)
  log$sent <- c(log$sent, list(row))
}

# The reason of a loss in one line, from the messages of packages and of the queue.
loss_reason <- function(condition) {
  text <- gsub("[[:space:]]+", " ", conditionMessage(condition))
  signs <- c(
    "out of time" = "TIME LIMIT|TIMEOUT|RUNLIMIT|walltime .*exceeded",
    "out of memory" = paste0("oom[-_ ]kill|OOM|OUT_OF_MEMORY|cannot allocate|not enough memory|memory limit|",
                             "MEMLIMIT|mem .*exceeded"),
    "the node failed" = "NODE.FAIL",
    "the queue started the job again, which needs `#SBATCH --no-requeue`" = "doJobCollection.*readRDS",
    "the job was cancelled" = "CANCELLED",
    "a job ended without a result" = "All jobs must be.* successfully computed", # of batchtools
    "the worker's process ended" = paste0("Killed|interrupted|SIGPIPE|(writing to|reading from) connection|",
                                          "environment subassignment|Expiration|terminated")
  )
  found <- names(signs)[vapply(signs, grepl, NA, text)]
  if (length(found)) return(found[1L])
  text <- trimws(sub(" *\\[future .*", "", text))
  if (nchar(text) > REASON_WIDTH) paste0(substr(text, 1L, REASON_WIDTH), "...") else text
}

REASON_WIDTH <- 300L

# part: of run_chunk().
note_files <- function(log, part) {
  log$damaged <- c(log$damaged, part$damaged)
  log$unkept <- log$unkept || part$unkept
}

# The table of what was sent to workers, NULL on one process; a message if some of it was lost. see: where it
# is shown.
work_report <- function(log, see = " See `work` of the result.") {
  if (!length(log$sent)) return(NULL)
  sent <- do.call(rbind, log$sent)
  lost <- which(!is.na(sent$lost))
  if (length(lost)) {
    reasons <- table(sent$lost[lost])
    verb <- if (length(lost) == 1L) "was" else "were"
    mk_inform(sprintf(paste("Of %d parts of the work that were sent to workers, %d %s lost and done again:",
                            "%s.%s"),
                      nrow(sent), length(lost), verb,
                      listed(sprintf("%s (%d)", names(reasons), reasons), 3L), see),
              "lost_work", "work", sent)
  }
  sent
}

tell_files <- function(run) {
  log <- run$log
  if (length(log$damaged)) {
    mk_inform(sprintf("Files of `resume` that were not whole were computed again: %s.",
                      listed(basename(log$damaged), 3L)), "resume", "resume", log$damaged)
  }
  # another process with the same file may have completed it, and taken away what this one was writing
  if (log$unkept && is.null(run$scratch) && !is_complete(read_whole(run$store)$value)) {
    mk_warn(sprintf(paste("`resume`, %s, lacks some of what was done: its disk is full, or it may not be",
                          "written to. What was there before is still there."), run$store), "resume", "resume",
            run$store)
  }
}
