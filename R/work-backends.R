# Backends do long work: this process, the workers of the plan of package future, or those of
# BiocParallel.

# list(workers, here, run, keep, advice): `here` of the workers are sure to be on this computer, and `keep` says
# whether they stay between packs, too, and can keep what they have read; `advice` says what to do where work is
# lost too often. run(packs, task, given, take) has task(pack, given...) done for each pack, where `task` names
# a function of the package, and `given` may be a file of share_given(). take(pack, result) is called as packs
# come back: result is list(value, seconds, waited, known), or the condition why the pack was lost. Its values
# are returned. used: kernels, settings and the like, whose functions the tasks call.
choose_backend <- function(BPPARAM = NULL, used = NULL) {
  if (!is.null(BPPARAM)) return(bioc_backend(BPPARAM))
  planned <- isNamespaceLoaded("future") && !inherits(future::plan(), "sequential")
  workers <- if (planned) future::nbrOfWorkers() else 1 # may be Inf
  if (workers == 1) return(list(workers = 1, here = 1, run = run_here))
  here <- if (inherits(future::plan(), c("multisession", "multicore"))) workers else 1
  keep <- inherits(future::plan(), "multisession")
  list(workers = workers, here = here, keep = keep, advice = plan_advice(),
       run = function(packs, task, given, take) {
    restore <- use_living_workers()
    on.exit(restore())
    run_futures(packs, task, given, take, session_values(used), workers)
  })
}

run_here <- function(packs, task, given, take) {
  lapply(packs, function(pack) take(pack, list(value = do_task(pack, task, given), seconds = 0, waited = 0)))
}

do_task <- function(pack, task, given) {
  do.call(get(task, asNamespace("manykernels")), c(list(pack), given), quote = TRUE)
}

# ---- on a worker ---------------------------------------------------------------------------------

# A worker's task needs no function of the package, which may be missing there or be another version.
task_on_worker <- function(pack, version, task, given, forks = NULL) {
  if (!is.null(forks)) file.create(file.path(forks, Sys.getpid()))
  found <- tryCatch(as.character(utils::packageVersion("manykernels")), error = function(e) "")
  if (found == version) return(getNamespace("manykernels")$do_pack(pack, task, given))
  list(lacking = TRUE, found = found, libraries = .libPaths())
}
environment(task_on_worker) <- baseenv()

# What all packs need, in a file that each worker reads once; where it can't be written, the object itself.
share_given <- function(given) {
  folder <- tempfile("work-")
  file <- file.path(folder, "given.rds")
  written <- tryCatch({
    dir.create(folder)
    saveRDS(given, file, compress = FALSE)
    TRUE
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (written) file else given
}

# Objects by their files, read when they are first asked for. One folder is that of one call.
kept_files <- new.env(parent = emptyenv())

kept_here <- function(file) {
  if (is.null(kept_files[[file]])) {
    earlier <- ls(kept_files)
    rm(list = earlier[dirname(earlier) != dirname(file)], envir = kept_files)
    kept_files[[file]] <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) abort_unread(file))
  }
  kept_files[[file]]
}

abort_unread <- function(file) {
  mk_abort(sprintf(paste("Start R on all computers with the environment variable TMPDIR set to a folder that",
                         "they share: the worker on %s can't read %s."), Sys.info()[["nodename"]], file),
           "unread_block", "cluster", file)
}

# Errors of the work are values, so all other errors are those of workers. A lack of memory counts as one:
# another worker may have more. Workers have one thread each by default.
do_pack <- function(pack, task, given) {
  old <- options(manykernels.threads = getOption("manykernels.threads") %||% 1L)
  on.exit(options(old))
  began <- seconds_now()
  known <- is.character(given) && !is.null(kept_files[[given]])
  value <- tryCatch(do_task(pack, task, if (is.character(given)) kept_here(given) else given), error = identity)
  error <- if (inherits(value, "error")) value
  list(value = if (is.null(error)) value, error = error, seconds = seconds_now() - began, known = known,
       short = !is.null(error) && grepl("cannot allocate", conditionMessage(error)))
}

# What a worker has returned: list(value, seconds, waited, known), or the condition why it was lost. known:
# whether it had the data already; since: seconds since it was sent.
received <- function(found, since) {
  if (inherits(found, "condition")) return(found)
  if (isTRUE(found$lacking)) abort_lacking(found)
  if (isTRUE(found$short)) return(found$error)
  if (!is.null(found$error)) stop(found$error)
  list(value = found$value, seconds = found$seconds, waited = max(0, since - found$seconds),
       known = isTRUE(found$known))
}

abort_lacking <- function(first) {
  mk_abort(sprintf(paste(
    "Install manykernels %1$s for the workers, or start them again after",
    "`.libPaths(c(\"%2$s\", .libPaths()))` and",
    "`Sys.setenv(R_LIBS = paste(.libPaths(), collapse = \"%3$s\"))`: they have %4$s in their libraries, %5$s."
  ), own_version(), dirname(getNamespaceInfo("manykernels", "path")), .Platform$path.sep,
  if (nzchar(first$found)) paste("version", first$found) else "no such package",
  enumerate(first$libraries)), "missing_package", "manykernels", first$found)
}

# ---- futures -------------------------------------------------------------------------------------

# Sends at most as many packs as there are workers; the next one follows when one has come back.
run_futures <- function(packs, task, given, take, session, workers) {
  results <- vector("list", length(packs))
  running <- list()
  on.exit(lapply(running, function(job) cancel_future(job$future)))
  sent <- 0L
  since <- seconds_now()
  while (sent < length(packs) || length(running)) {
    while (sent < length(packs) && length(running) < workers) {
      sent <- sent + 1L
      running[[as.character(sent)]] <- list(
        since = seconds_now(), future = send_future(packs[[sent]], task, given, session)
      )
    }
    back <- names(running)[vapply(running, function(job) is_back(job$future), NA)]
    for (k in back) {
      job <- running[[k]]
      running[[k]] <- NULL
      result <- received(future_value(job$future), seconds_now() - job$since)
      results[as.integer(k)] <- list(take(packs[[as.integer(k)]], result))
    }
    if (length(back)) since <- seconds_now() else Sys.sleep(poll_pause(seconds_now() - since))
  }
  results
}

# Seconds between questions whether packs are back: workers wait for a twentieth of their time at most, and
# queues are not asked more than once a second.
poll_pause <- function(since) min(max(since / 20, 0.02), 1)

# A future, or the condition why it can't be sent. Seeds are ours.
send_future <- function(pack, task, given, session) {
  work <- task_on_worker
  arguments <- list(pack, own_version(), task, given)
  tryCatch(without_echo(
    future::future(do.call(work, arguments),
                   globals = c(list(work = work, arguments = arguments), session$globals),
                   packages = session$packages, seed = NULL, lazy = FALSE)
  ), error = identity)
}

is_back <- function(future) {
  inherits(future, "condition") || tryCatch(without_echo(future::resolved(future)), error = function(e) TRUE)
}

future_value <- function(future) {
  if (inherits(future, "condition")) return(future)
  tryCatch(without_echo(future::value(future)), error = function(e) {
    remove_later(future)
    e
  })
}

# Function killJobs() of batchtools would call the job one that was never sent, for which the next future waits
# for ever.
kill_job <- function(future) {
  registry <- future$config$reg
  tryCatch({
    job <- getExportedValue("batchtools", "getJobTable")(future$config$jobid, reg = registry)
    suppressWarnings(registry$cluster.functions$killJob(registry, job$batch.id))
  }, error = function(e) NULL)
  remove_later(future)
}

# Removes the folder of a lost job once its future is garbage. Package future.batchtools would leave it there,
# with a copy of the data, and print the job's log. R runs this before the finalizer of that package, which is
# older.
remove_later <- function(future) {
  folder <- if (inherits(future, "BatchtoolsFuture")) future$config$reg$file.dir
  if (is.character(folder)) reg.finalizer(future, folder_remover(folder), onexit = TRUE)
}

folder_remover <- function(folder) function(future) unlink(folder, recursive = TRUE)

# Mutes the warnings of packages future and parallel about a lost worker.
without_echo <- function(code) {
  old <- options(show.error.messages = FALSE)
  on.exit(options(old))
  withCallingHandlers(code, warning = function(w) {
    if (grepl("FUTURE|running future|did not deliver", conditionMessage(w))) invokeRestart("muffleWarning")
  })
}

# Versions of the package before 1.40 can't cancel, and no version takes jobs out of a queue.
cancel_future <- function(future) {
  if (inherits(future, "BatchtoolsFuture")) return(kill_job(future))
  if (!"cancel" %in% getNamespaceExports("future") || inherits(future, "condition")) return(invisible())
  tryCatch(suppressWarnings(getExportedValue("future", "cancel")(future)), error = function(e) NULL)
}

# Removes ended workers of parallel::makeCluster() from the plan for this call, since they are not started
# again as those of other plans are. Returns the function that restores the plan.
use_living_workers <- function() {
  nodes <- formals(future::plan())$workers
  started_again <- future_replaces() && any(vapply(nodes, inherits, NA, "RichSOCKnode"))
  if (!inherits(nodes, "cluster") || started_again) return(function() NULL)
  lives <- vapply(seq_along(nodes), function(k) {
    !inherits(tryCatch(parallel::clusterCall(nodes[k], Sys.getpid), error = identity), "condition")
  }, NA)
  if (all(lives) || !any(lives)) return(function() NULL)
  set_plan(nodes[lives])
}

# Sets a plan of these nodes. Returns the function that restores the plan before; old versions of package future
# set a plan whose first worker has ended, and then fail.
set_plan <- function(nodes) {
  old <- future::plan()
  restore <- function() tryCatch(future::plan(old), error = function(e) NULL)
  tryCatch(future::plan(future::cluster, workers = nodes, gc = FALSE), error = function(e) {
    restore()
    stop(e)
  })
  restore
}

future_replaces <- function() utils::packageVersion("future") >= "1.40"

# What to do after losses, where package future sends work to workers that have ended.
plan_advice <- function() {
  if (future_replaces() || !inherits(future::plan(), "cluster")) return("")
  sprintf(paste(" Update package future, %s here, to 1.40 or later, which goes on without a lost worker, or",
                "start the workers again by future::plan() before you repeat the call."),
          utils::packageVersion("future"))
}

# Variables of the session's workspace, and attached packages, that the user's functions in `used` call.
session_values <- function(used) {
  functions <- own_functions(used)
  if (!length(functions)) return(list(globals = list()))
  names(functions) <- paste0("f", seq_along(functions))
  uses_all <- as.call(c(as.name("{"), lapply(names(functions), as.name)))
  found <- future::getGlobalsAndPackages(uses_all, list2env(functions, parent = globalenv()))
  here <- vapply(names(found$globals), exists, NA, envir = globalenv(), inherits = FALSE)
  list(globals = unclass(found$globals)[here], packages = found$packages)
}

# The functions of a list, at any depth, that are of no package.
own_functions <- function(x) {
  if (is.primitive(x) || is.function(x) && isNamespace(topenv(environment(x)))) return(NULL)
  if (is.function(x)) return(list(x))
  if (inherits(x, "kernel_set")) x <- kernel_field(x, "parameters")
  if (is.list(x)) unlist(lapply(unname(unclass(x)), own_functions))
}

# ---- BiocParallel --------------------------------------------------------------------------------

# Packs go out in rounds of one for each worker. A worker that ends takes all that the round has not returned
# with it, and the workers are started again.
bioc_backend <- function(BPPARAM) {
  need_package("BiocParallel", "`BPPARAM`")
  if (!methods::is(BPPARAM, "BiocParallelParam")) {
    abort_argument(BPPARAM, "BPPARAM", "a BiocParallelParam, such as SnowParam(2)")
  }
  workers <- BiocParallel::bpnworkers(BPPARAM)
  hosts <- !inherits(BPPARAM, c("MulticoreParam", "SnowParam")) ||
    is.character(BiocParallel::bpworkers(BPPARAM))
  list(workers = workers, here = if (hosts) 1 else workers, run = function(packs, task, given, take) {
    rounds <- split(packs, ceiling(seq_along(packs) / workers))
    forks <- if (inherits(BPPARAM, "MulticoreParam") && .Platform$OS.type == "unix") tempfile("forks-")
    on.exit(unlink(forks, recursive = TRUE))
    unlist(lapply(unname(rounds), function(packs) {
      began <- seconds_now()
      if (!is.null(forks)) dir.create(forks, showWarnings = FALSE)
      found <- tryCatch(without_echo(
        BiocParallel::bplapply(packs, task_on_worker, own_version(), task, given, forks, BPPARAM = BPPARAM)
      ), error = identity)
      if (inherits(found, "condition")) {
        stop_workers(BPPARAM)
        end_forks(forks)
        found <- rep(list(found), length(packs))
      }
      Map(take, packs, lapply(found, received, seconds_now() - began))
    }), recursive = FALSE)
  })
}

# bpstop() fails at a worker that has ended, and then BPPARAM counts as started.
stop_workers <- function(BPPARAM) {
  tryCatch(BiocParallel::bpstop(BPPARAM), error = function(e) if (methods::is(BPPARAM, "SnowParam")) {
    nodes <- BiocParallel::bpbackend(BPPARAM)
    for (k in seq_along(nodes)) tryCatch(parallel::stopCluster(nodes[k]), error = function(e) NULL)
    BiocParallel::bpbackend(BPPARAM) <- structure(list(), class = c("NULLcluster", "cluster"))
  })
}

# Forks that are alive when another one has died would answer in the next round. They have left their numbers as
# names of files.
end_forks <- function(folder) {
  if (is.null(folder)) return(invisible())
  tools::pskill(setdiff(as.integer(list.files(folder)), Sys.getpid()), tools::SIGKILL)
  unlink(folder, recursive = TRUE)
  # the next round would see them end otherwise
  suppressWarnings(getExportedValue("parallel", "mccollect")(wait = FALSE, timeout = 1))
}

need_package <- function(package, what) {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  mk_abort(sprintf("%s needs the package %s, which is not installed.", what, package),
           "missing_package", package)
}
