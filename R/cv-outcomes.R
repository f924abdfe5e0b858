# Outcomes of many cells and resamples stay in files of a temporary folder, since together they would fill the
# memory. In their place in the list (by resample, then chain) stands list(file, position).

OUTCOME_BYTES <- 3000 # of a fit without its held-out rows
HELD_BYTES <- 16e6    # of outcomes that are in memory at once; more of them are put away

# The predicted size of the outcomes of all cells, in bytes.
outcomes_size <- function(plan, resamples) {
  held_out <- sum(lengths(lapply(resamples, `[[`, "test")))
  length(plan$outer) * length(plan$inner) * (OUTCOME_BYTES * length(resamples) + 12 * held_out * plan$models)
}

# The folder for outcomes that are too large for the memory, or NULL. The rounds of a search have few cells.
outcomes_folder <- function(plan, resamples) {
  if (!is_fixed_grid(plan) || outcomes_size(plan, resamples) <= 2 * HELD_BYTES) return(NULL)
  folder <- tempfile("outcomes-")
  if (dir.create(folder, showWarnings = FALSE)) folder
}

# Outcomes of units, in one file for each of their resamples; where it can't be written they stay in memory.
put_away <- function(outcomes, resample, folder) {
  if (is.null(folder)) return(outcomes)
  for (own in split(seq_along(outcomes), resample)) {
    file <- tempfile("", folder)
    written <- tryCatch({
      saveRDS(outcomes[own], file, compress = FALSE)
      TRUE
    }, error = function(e) FALSE, warning = function(w) FALSE)
    if (written) outcomes[own] <- lapply(seq_along(own), function(k) list(file = file, position = k)) else
      unlink(file)
  }
  outcomes
}

is_put_away <- function(chain) !is.null(names(chain))

folder_of <- function(outcomes) {
  first <- outcomes[[1L]][[1L]]
  if (is_put_away(first)) dirname(first$file)
}

# The chains of a resample, read where they were put away.
chains_of <- function(chains) {
  away <- which(vapply(chains, is_put_away, NA))
  for (own in split(away, vapply(chains[away], `[[`, "", "file"))) {
    chains[own] <- readRDS(chains[[own[1L]]]$file)[vapply(chains[own], `[[`, 0L, "position")]
  }
  chains
}

# The cells of a resample, those of a chain next to each other.
cells_of <- function(chains) unlist(chains_of(chains), recursive = FALSE)

# Blocks of cells whose outcomes over all resamples are in memory at once.
cell_blocks <- function(plan, resamples, count) {
  size <- outcomes_size(plan, resamples) / (length(plan$outer) * length(plan$inner))
  split(seq_len(count), ceiling(seq_len(count) / max(1, HELD_BYTES %/% size)))
}
