# The file of a fit that can go on after its process was killed: results of the models that are done, and
# the state of the one in work.

# What fit_parts() asks: list(folds, result, start, save, keep, warn), by the number of a part of the fit.
open_checkpoint <- function(problem) {
  file <- problem$settings$control$checkpoint
  if (is.null(file)) return(no_checkpoint)
  file <- store_file(file, "checkpoint")
  unlink(Filter(is_old_draft, unit_files(file)))
  kept <- list(fingerprint = fit_fingerprint(problem), results = list(), folds = problem$folds)
  if (!file.exists(file) && !write_whole(kept, file)) abort_unwritable(file, "checkpoint")
  kept <- known_store(file, kept$fingerprint, "checkpoint", "mkl()", "Delete it and call again from the start.")
  lacks <- FALSE
  last <- took <- 0
  write <- function() {
    began <- seconds_now()
    lacks <<- !write_whole(kept, file)
    last <<- seconds_now()
    took <<- last - began
  }
  list(
    folds = kept$folds,
    result = function(at) kept$results[[as.character(at)]],
    start = function(at) if (identical(kept$at, at)) kept$state,
    save = function(at) {
      function(state) {
        kept[c("at", "state")] <<- list(at, state)
        if (seconds_now() - last >= BETWEEN_WRITES * took) write()
      }
    },
    keep = function(at, result) {
      kept$results[[as.character(at)]] <<- result
      kept[c("at", "state")] <<- list(NULL, NULL)
      write()
    },
    warn = function() {
      if (lacks) mk_warn(sprintf(paste("`checkpoint`, %s, lacks the last of what was done: its disk is full,",
                                       "or it may not be written to. What was there before is still there."),
                                 file),
                         "checkpoint", "checkpoint", file)
    }
  )
}

no_checkpoint <- list(
  result = function(at) NULL, start = function(at) NULL, save = function(at) NULL,
  keep = function(at, result) NULL, warn = function() NULL
)

BETWEEN_WRITES <- 20 # times what a write takes, so that files cost no more than a twentieth of a fit

# What the numbers of a fit depend on.
fit_fingerprint <- function(problem) {
  control <- problem$settings$control
  data <- problem$data
  settings <- problem$settings[setdiff(names(problem$settings), c("control", "deadline", "stopping"))]
  ways <- c("threads", "progress", "max_time", "checkpoint", "cluster")
  decisive <- list(
    data = c(lapply(plain_views(data$views), unname), given_kernel_values(data$views, data$kernels)),
    kernels = as.list(unclass(without_matrices(data$kernels))),
    response = problem["targets"], `C or weights` = problem["cost"],
    settings = list(settings, control[setdiff(names(control), ways)])
  )
  list(call = vapply(rapply(decisive, function_text, "function", how = "replace"), object_digest, ""))
}
