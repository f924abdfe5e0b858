# The chains of a cross-validation on one process or on several, as the user's plan says, and what is
# kept of them on the way. A unit is one chain of one resample; a chunk is what a worker gets at once,
# so that data travel to it once.

# ---- units ---------------------------------------------------------------------------------------

# The outcomes of all resamples: a list (resamples) of lists (outer) of lists (inner).
run_plan <- function(plan, resamples, run) {
  units <- expand.grid(outer = seq_along(plan$outer), resample = seq_along(resamples))
  if (!is.null(run$outcomes)) return(run$outcomes)
  backend <- choose_backend(run$BPPARAM, plan$kernels)
  chunks <- chunks_of(seq_len(nrow(units)), backend$workers)
  if (backend$workers > 1) {
    plan$settings$control$threads <- plan$settings$control$threads %||% 1L
  }
  shown <- plan$settings$control$progress && backend$workers == 1 # who else could draw a bar?
  progress <- work_progress("Cross-validation", nrow(units) * length(plan$inner), shown)
  on.exit(progress$done())
  # what is kept open between rounds stays in this process
  on_worker <- run[c("deadline", "store", "seeds", "numbers", if (backend$workers == 1) "kept")]
  parts <- backend$apply(chunks, plan = plan, resamples = resamples, units = units,
                         run = on_worker, tick = progress$tick)
  outcomes <- unlist(parts, recursive = FALSE)
  outcomes <- lapply(seq_along(resamples), function(r) outcomes[units$resample == r])
  if (is.null(run$rounds)) close_store(run, outcomes, nrow(units))
  outcomes
}

# Consecutive units, nearly as many for each worker: neighbours share a resample's kernels.
chunks_of <- function(units, workers) {
  workers <- max(1, min(workers, length(units)))
  unname(split(units, ceiling(seq_along(units) * workers / length(units))))
}

# On a worker: nothing but its arguments is known. Units of a resample are done together, and so
# many resamples that every thread has a chain.
run_chunk <- function(chunk, plan, resamples, units, run, tick) {
  stored <- lapply(chunk, function(unit) stored_unit(run$store, unit))
  outcomes <- lapply(stored, `[[`, "outcomes")
  todo <- which(vapply(outcomes, is.null, NA))
  keep <- if (!is.null(run$store)) function(unit, begun) store_unit(run$store, unit, begun = begun)
  tick((length(chunk) - length(todo)) * length(plan$inner))
  opened <- list()
  for (batch in thread_batches(unique(units$resample[chunk[todo]]), plan)) {
    if (seconds_until(run$deadline) == 0) break # kernels alone may take long
    mine <- lapply(batch, function(r) todo[units$resample[chunk[todo]] == r])
    opened <- lapply(seq_along(batch), function(k) {
      open_kept(plan, resamples[[batch[k]]], run, batch[k], if (k <= length(opened)) opened[[k]])
    })
    parts <- Map(function(r, mine, opened) {
      list(opened = opened, resample = resamples[[r]], seed = run$seeds[r],
           outer = units$outer[chunk[mine]], unit = chunk[mine],
           begun = lapply(stored[mine], `[[`, "begun"))
    }, batch, mine, opened)
    share_done <- increments(tick, length(unlist(mine)) * length(plan$inner))
    outcomes[unlist(mine)] <- unlist(plan$chains(plan, parts, run$deadline, share_done, keep), FALSE)
    share_done(1)
    for (k in unlist(mine)) {
      if (is_finished(outcomes[[k]])) store_unit(run$store, chunk[k], outcomes[[k]])
    }
  }
  control <- plan$settings$control
  lapply(outcomes, function(cells) {
    lapply(cells %||% rep(list(failed_cell()), length(plan$inner)), without_cut_fit, control)
  })
}

# A fit that the limit for the whole has cut is missing; one cut by its own limit counts as it is.
without_cut_fit <- function(cell, control) {
  cut <- cell$status == "time_limit" && isTRUE(cell$gap > control$tol && cell$seconds < control$max_time)
  if (cut) failed_cell() else cell
}

# The condition where a resample's kernels can't be had, such as one that is constant there.
open_part <- function(plan, train, before) {
  if (inherits(before, "condition")) before <- NULL
  tryCatch(plan$open(plan, train, before), manykernels_error = identity)
}

# In a search a resample is opened by itself, as kernels that another one has lent would differ in their
# last digits, and with them the numbers of other plans. What a round before has opened serves again.
open_kept <- function(plan, resample, run, r, before) {
  if (is.null(run$numbers)) return(open_part(plan, resample$train, before))
  key <- paste(plan$scaling, run$numbers[r])
  known <- run$kept[[key]]
  if (!is.null(known)) return(known)
  opened <- open_part(plan, resample$train, NULL)
  keep <- is.environment(run$kept) && length(run$kept) < most_kept(plan) && !inherits(opened, "condition")
  if (keep && !is.null(opened)) assign(key, opened, run$kept)
  opened
}

# How many resamples may stay open: copies of the views and the distances of all pairs of rows take at
# most half the budget.
most_kept <- function(plan) {
  budget <- plan$settings$control$cache %||% default_cache
  own <- 2 * as.numeric(utils::object.size(plan$raw)) + 16 * plan$n^2 * max(1, length(plan$raw))
  floor(budget / 2 / own)
}

thread_batches <- function(resamples, plan) {
  threads <- thread_count(plan$settings$control)
  if (threads == 0) threads <- .Call(C_mk_threads)
  size <- ceiling(threads / (length(plan$outer) * plan$models))
  unname(split(resamples, ceiling(seq_along(resamples) / size)))
}

# ---- where they run ------------------------------------------------------------------------------

# list(workers, apply): apply(chunks, ...) does run_chunk() for each of the chunks.
choose_backend <- function(BPPARAM = NULL, kernels = NULL) {
  if (!is.null(BPPARAM)) return(bioc_backend(BPPARAM))
  planned <- isNamespaceLoaded("future") && !inherits(future::plan(), "sequential")
  workers <- if (planned) future::nbrOfWorkers() else 1 # may be Inf
  if (workers == 1) return(list(workers = 1, apply = function(chunks, ...) lapply(chunks, run_chunk, ...)))
  need_package("future.apply", "a plan of the package future")
  list(workers = workers, apply = function(chunks, ...) {
    found <- session_values(kernels)
    # every chunk is a future; seeds are ours
    of_workers(future.apply::future_lapply(
      chunks, chunk_on_worker, own_version(), ..., future.seed = NULL, future.scheduling = Inf,
      future.globals = found$globals, future.packages = found$packages
    ))
  })
}

# A worker's task needs no function of the package, which may be missing there or be another version.
chunk_on_worker <- function(chunk, version, ...) {
  found <- tryCatch(as.character(utils::packageVersion("manykernels")), error = function(e) "")
  if (found == version) return(getNamespace("manykernels")$run_chunk(chunk, ...))
  list(lacking = TRUE, found = found, libraries = .libPaths())
}
environment(chunk_on_worker) <- baseenv()

own_version <- function() as.character(utils::packageVersion("manykernels"))

# The parts that workers have returned, unless one lacks the package.
of_workers <- function(parts) {
  lacking <- Filter(function(part) isTRUE(part$lacking), parts)
  if (!length(lacking)) return(parts)
  first <- lacking[[1L]]
  mk_abort(sprintf(paste(
    "Install manykernels %1$s for the workers, or start them again after `.libPaths(c(\"%2$s\", .libPaths()))` and",
    "`Sys.setenv(R_LIBS = paste(.libPaths(), collapse = \"%3$s\"))`: they have %4$s in their libraries, %5$s."
  ), own_version(), dirname(getNamespaceInfo("manykernels", "path")), .Platform$path.sep,
  if (nzchar(first$found)) paste("version", first$found) else "no such package",
  enumerate(first$libraries)), "missing_package", "manykernels", first$found)
}

# Variables of the session's workspace, and attached packages, that functions of kernels use.
session_values <- function(kernels) {
  functions <- if (!is.null(kernels)) lapply(kernel_field(kernels, "parameters"), `[[`, "f")
  functions <- Filter(is.function, functions)
  if (!length(functions)) return(list(globals = FALSE))
  names(functions) <- paste0("kernel", seq_along(functions))
  uses_all <- as.call(c(as.name("{"), lapply(names(functions), as.name)))
  found <- future::getGlobalsAndPackages(uses_all, list2env(functions, parent = globalenv()))
  here <- vapply(names(found$globals), exists, NA, envir = globalenv(), inherits = FALSE)
  list(globals = unclass(found$globals)[here], packages = found$packages)
}

bioc_backend <- function(BPPARAM) {
  need_package("BiocParallel", "`BPPARAM`")
  if (!methods::is(BPPARAM, "BiocParallelParam")) {
    abort_argument(BPPARAM, "BPPARAM", "a BiocParallelParam, such as SnowParam(2)")
  }
  list(workers = BiocParallel::bpnworkers(BPPARAM), apply = function(chunks, ...) {
    of_workers(BiocParallel::bplapply(chunks, chunk_on_worker, own_version(), ..., BPPARAM = BPPARAM))
  })
}

need_package <- function(package, what) {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  mk_abort(sprintf("%s needs the package %s, which is not installed.", what, package),
           "missing_package", package)
}

# ---- what is kept in a file ----------------------------------------------------------------------

# A file holds what decides the numbers (fingerprint, resamples, seeds) and, once all is done, the
# outcomes. Until then each unit is a file beside it, so that workers don't wait for each other;
# files appear whole or not at all.
# fingerprint, make: functions without arguments.
open_store <- function(file, fingerprint, make) {
  own <- make() # with a file, too, so that the session's random numbers go on alike
  if (is.null(file)) return(own)
  fingerprint <- fingerprint()
  file <- normalizePath(check_string(file, "resume"), mustWork = FALSE)
  if (!dir.exists(dirname(file))) {
    mk_abort(sprintf("The folder of `resume`, %s, does not exist.", dirname(file)),
             "invalid_argument", "resume", file)
  }
  if (!file.exists(file)) {
    unlink(unit_files(file)) # of a file that was deleted
    write_whole(c(list(fingerprint = fingerprint), own), file)
  }
  known <- read_whole(file)
  if (!is.list(known) || !is.list(known$fingerprint)) {
    mk_abort("`resume` is a file that was not written by cv_mkl().", "resume", "resume", file)
  }
  if (!same_fingerprint(known$fingerprint, fingerprint)) {
    mk_abort(paste("`resume` is the file of another call: data, kernels, grid or settings differ.",
                   "Give another name, or delete it."), "resume", "resume", file)
  }
  known$store <- file
  known
}

unit_file <- function(store, unit) sprintf("%s.unit%s", store, unit)

unit_files <- function(store) {
  beside <- list.files(dirname(store), full.names = TRUE)
  beside[startsWith(basename(beside), paste0(basename(store), ".unit"))]
}

stored_unit <- function(store, unit) {
  if (is.null(store) || !file.exists(unit_file(store, unit))) return(NULL)
  read_whole(unit_file(store, unit))
}

# The outcomes of a unit, or how far it has come. What the clock has kept from being computed is
# computed the next time.
store_unit <- function(store, unit, outcomes = NULL, begun = NULL) {
  if (!is.null(store)) write_whole(list(outcomes = outcomes, begun = begun), unit_file(store, unit))
}

# One file for all, once all is done.
close_store <- function(run, outcomes, units) {
  if (is.null(run$store)) return(invisible())
  files <- vapply(seq_len(units), function(unit) unit_file(run$store, unit), "")
  finished <- vapply(outcomes, function(chains) all(vapply(chains, is_finished, NA)), NA)
  if (!all(finished, file.exists(files))) return(invisible())
  kept <- run[c("fingerprint", "resamples", "outer", "seeds", "final_seed")]
  write_whole(c(kept, list(outcomes = outcomes)), run$store)
  unlink(unit_files(run$store)) # and what was half written when a process was killed
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
  if (is.null(run$store) || is.null(run$rounds)) return(invisible())
  rounds <- as.list(run$rounds)
  cells <- unlist(unlist(unlist(rounds, FALSE), FALSE), FALSE)
  if (!is_finished(cells)) return(invisible())
  kept <- run[c("fingerprint", "resamples", "outer", "seeds", "final_seed")]
  write_whole(c(kept, list(rounds = rounds)), run$store)
  unlink(unit_files(run$store))
}

# NULL where it isn't one of ours.
read_whole <- function(file) {
  tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
}

write_whole <- function(object, file) {
  draft <- tempfile(paste0(basename(file), "-"), dirname(file))
  saveRDS(object, draft)
  file.rename(draft, file)
}

# What the results depend on: `call`, a number that changes with anything but the values of data, and
# `totals` of these, as another machine may round a little otherwise what data were made of.
plan_fingerprint <- function(plan, run) {
  control <- plan$settings$control
  settings <- plan$settings[setdiff(names(plan$settings), "control")]
  data <- c(plain_views(plan$raw), given_kernel_values(plan$raw, plan$kernels))
  text <- vapply(data, is_text, NA)
  decisive <- list(
    utils::packageVersion("manykernels"), data[text],
    lapply(data[!text], function(values) list(dim(values), colnames(values))),
    if (!is.null(plan$kernels)) as.list(unclass(without_matrices(plan$kernels))), plan$response,
    plan$weights, plan[c("outer", "inner", "set", "sets", "model", "search", "scales")], plan$arguments, settings,
    control[setdiff(names(control), c("threads", "progress", "max_time"))],
    run[c("folds", "repeats", "group", "nested")]
  )
  file <- tempfile()
  on.exit(unlink(file))
  # version 2 writes 1:3 and c(1L, 2L, 3L) alike
  saveRDS(rapply(decisive, function_text, "function", how = "replace"), file, compress = FALSE,
          version = 2)
  list(call = unname(tools::md5sum(file)), totals = lapply(data[!text], column_totals))
}

text_digest <- function(text) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(text, file)
  unname(tools::md5sum(file))
}

same_fingerprint <- function(known, own) {
  identical(known$call, own$call) && all(as.logical(Map(same_totals, known$totals, own$totals)))
}

# Text of a function, equal before and after it was compiled and for another copy of its file.
function_text <- function(f) deparse(f, control = "digits17")

# Matrices of kernels that are in no file, and some values of functions, as the same text can mean
# different functions.
given_kernel_values <- function(views, kernels) {
  if (is.null(kernels)) return(NULL)
  parameters <- kernel_field(kernels, "parameters")
  precomputed <- kernel_field(kernels, "type") == "precomputed"
  in_memory <- precomputed & vapply(parameters, function(own) is.null(own$file), NA)
  c(lapply(parameters[in_memory], precomputed_values), function_values(views, kernels))
}

# Sums of the columns, in which every row counts, and how large they would be without signs.
column_totals <- function(values) {
  values[is.na(values)] <- 0
  weight <- sqrt(seq_len(nrow(values)))
  list(sum = as.vector(Matrix::crossprod(values, weight)),
       size = as.vector(Matrix::crossprod(abs(values), weight)))
}

same_totals <- function(known, own) all(abs(known$sum - own$sum) <= SAME_TOTAL * own$size)

SAME_TOTAL <- 1e-10 # relative; rounding is a thousand times less

digest_rows <- 20L # of a function's values

function_values <- function(views, kernels) {
  kernels <- leaf_kernels(kernels)
  kernels <- pick_kernels(kernels, kernel_field(kernels, "type") == "function")
  if (!length(kernels)) return(NULL)
  kernels <- kernels |> resolve_views(views) |> resolve_features(views)
  rows <- seq_len(min(digest_rows, view_rows(views)))
  lapply(seq_along(kernels), function(m) core_function(kernels[[m]], views)(rows, rows))
}
