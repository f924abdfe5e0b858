# Settings of a fit in the core's terms: optimisers, threads, bytes and time.

# start: a fit that mkl_control() has checked. Fits keep none.
new_control <- function(optimizer, tol, cache = NULL, precision, threads = NULL, max_iter, max_time,
                        progress, probability, start = NULL, candidate, exact, trace = NULL, level = NULL,
                        checkpoint = NULL, cluster = NULL) {
  structure(
    list(
      optimizer = check_choice(optimizer, optimizers, "optimizer"),
      tol = check_number(tol, "tol", lower = 1e-15, upper = 1, upper_open = TRUE),
      cache = parse_bytes(cache),
      precision = check_choice(precision, c("auto", "double"), "precision"),
      threads = if (!is.null(threads)) check_threads(threads, "threads"),
      max_iter = check_number(max_iter, "max_iter", lower = 1, allow_inf = TRUE),
      max_time = check_number(max_time, "max_time", lower = 0, lower_open = TRUE,
                              allow_inf = TRUE),
      progress = check_flag(progress, "progress"),
      probability = check_flag(probability, "probability"),
      start = start,
      candidate = check_flag(candidate, "candidate"),
      exact = check_flag(exact, "exact"),
      trace = if (!is.null(trace)) check_flag(trace, "trace"),
      level = if (!is.null(level)) check_level(level, optimizer),
      checkpoint = if (!is.null(checkpoint)) check_checkpoint(checkpoint, optimizer),
      cluster = if (!is.null(cluster)) check_cluster(cluster, optimizer)
    ),
    version = model_version, class = "mkl_control"
  )
}

# The level's share of the upper bound: one number for all steps, or the first and the last.
check_level <- function(level, optimizer) {
  level <- check_numbers(level, "level", lower = 0, lower_open = TRUE, upper = 1, upper_open = TRUE)
  if (length(level) > 2L) abort_argument(level, "level", "one number or two")
  if (!identical(optimizer, "level")) {
    mk_abort("`level` is a setting of the optimiser \"level\" alone.", "invalid_argument", "level", level)
  }
  rep_len(level, 2L)
}

check_checkpoint <- function(checkpoint, optimizer) {
  need_chunking("checkpoint", checkpoint, optimizer)
  check_string(checkpoint, "checkpoint")
}

check_cluster <- function(cluster, optimizer) {
  need_chunking("cluster", cluster, optimizer)
  if (!isTRUE(cluster) && !inherits(cluster, "cluster")) {
    abort_argument(cluster, "cluster", "TRUE, or a cluster such as parallel::makeCluster(2)")
  }
  cluster
}

need_chunking <- function(argument, value, optimizer) {
  if (optimizer[[1L]] %in% c("auto", "chunking")) return(invisible())
  abort_unsupported(argument, sprintf("`%s` is for the optimisers \"auto\" and \"chunking\".", argument), value)
}

# Chunks have a state that a file can hold, and passes that workers can share.
optimizer_of <- function(control) {
  if (is.null(control$checkpoint) && is.null(control$cluster)) control$optimizer else "chunking"
}

refuse_chunking <- function(control, what) {
  given <- c("checkpoint", "cluster")[c(!is.null(control$checkpoint), !is.null(control$cluster))]
  if (!length(given)) return(invisible())
  abort_unsupported(given[1L], sprintf("`%s` of mkl_control() is for mkl(), not for %s.", given[1L], what))
}

# Settings that an object keeps.
check_made_control <- function(control) {
  check_class(control, "mkl_control", "control", "made by mkl_control()")
  if (!is.null(control$start)) abort_argument(control$start, "start", "NULL")
  remade(control, new_control, "control", "mkl_control()")
}

optimizers <- c("auto", "interleaved", "wrapper", "newton", "cutting_plane", "level",
                "reduced_gradient", "chunking")

# The optimisers, in the order of the core's numbers.
core_optimizers <- c(optimizers[-1], "auto")

is_default_optimizer <- function(control) control$optimizer %in% c("auto", "interleaved")

check_serves <- function(optimizer, norm) {
  lp <- norm$type == "lp"
  serves <- switch(optimizer,
    cutting_plane = ,
    level = lp,
    reduced_gradient = lp && (norm$p == 1 || is.infinite(norm$p)),
    TRUE
  )
  if (serves) return(invisible())
  abort_unsupported("optimizer", sprintf(
    "`optimizer = \"%s\"` supports only %s, not the %s; \"auto\" supports all.", optimizer,
    if (optimizer == "reduced_gradient") "p = 1" else "lp-norms", format(norm)
  ), optimizer)
}

# "2GB", "500 MB", 1e9 -> bytes
parse_bytes <- function(cache) {
  if (is.null(cache)) return(NULL)
  if (is.character(cache) && length(cache) == 1 && !is.na(cache)) {
    pattern <- "^\\s*([0-9]*\\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\\s*([KMGT]?)B?\\s*$"
    parts <- regmatches(cache, regexec(pattern, cache, perl = TRUE, ignore.case = TRUE))[[1]]
    if (length(parts) == 3) {
      power <- match(toupper(parts[3]), c("", "K", "M", "G", "T")) - 1
      cache <- as.numeric(parts[2]) * 1024^power
    }
  }
  if (!is.numeric(cache) || length(cache) != 1 || !is.finite(cache) || cache <= 0 || cache > 9e18) {
    abort_argument(cache, "cache",
                   "a positive number of bytes up to 9e18 or text such as \"2GB\"")
  }
  as.double(cache)
}

format_bytes <- function(bytes) {
  units <- c("B", "KB", "MB", "GB", "TB")
  power <- min(max(floor(log(max(bytes, 1), 1024)), 0), length(units) - 1)
  paste(format(signif(bytes / 1024^power, 4)), units[power + 1])
}

check_threads <- function(threads, argument) check_count(threads, argument, upper = 65536L)

# The number of threads to ask the core for; 0 leaves the choice to it. Every call that computes gets its
# threads here, so this function checks the option for progress, too.
thread_count <- function(control = NULL) {
  blas <- getOption("manykernels.blas")
  if (!is.null(blas)) check_flag(blas, "options(manykernels.blas)")
  threads <- control$threads
  if (is.null(threads)) {
    threads <- getOption("manykernels.threads")
    if (!is.null(threads)) threads <- check_threads(threads, "options(manykernels.threads)")
  }
  as.integer(threads %||% session_threads())
}

# The default: one thread for a worker of a cluster, whose command line names its master; otherwise the limit
# that options or the environment set, or 0 for all cores.
session_threads <- function(arguments = commandArgs()) {
  if (any(startsWith(arguments, "MASTER="))) return(1L)
  said <- Sys.getenv(c("MC_CORES", "R_PARALLELLY_AVAILABLECORES_FALLBACK", "_R_CHECK_LIMIT_CORES_"),
                     names = FALSE)
  limit <- getOption("mc.cores")
  if (is.null(limit) && !any(nzchar(said))) return(0L)
  limit <- limit %||% c(said[1:2][nzchar(said[1:2])], "")[[1L]]
  limit <- suppressWarnings(as.integer(limit))[1L]
  if (!tolower(said[3L]) %in% c("", "false")) limit <- min(limit, 2L, na.rm = TRUE)
  if (is.na(limit)) 0L else max(limit, 1L)
}

# The budget in bytes. The default is a power of 2, so that it is the same whenever about as much memory is
# free. use: the most that there is use for; small fits don't ask how much is free.
cache_budget <- function(control, free = free_memory(), use = Inf) {
  control$cache %||% if (use < SMALL_FIT) default_cache else
    min(default_cache, 2^floor(log2(max(0.75 * free, LEAST_BUDGET))), na.rm = TRUE)
}

# Bytes of kernel matrices between the rows of all tasks.
matrices_of_fit <- function(n, kernels, tasks = 1) 8 * n^2 * kernels * tasks^2

SMALL_FIT <- 2^26 # bytes; the memory of smaller fits is not checked
default_cache <- if (.Machine$sizeof.pointer > 4L) 2^32 else 2^30 # bytes, as in the core
LEAST_BUDGET <- 2^24

# Settings for the core; deadline: that of the whole call, on the clock of seconds_now(); stopping: as by
# new_stopping(); save: what is called with the states that a fit can go on from; passes: what is asked for
# passes over all rows, as by open_blocks(); use: as by cache_budget().
core_control <- function(control, deadline = Inf, stopping = NULL, save = NULL, passes = NULL, use = Inf) {
  list(
    tol = control$tol,
    cache = cache_budget(control, use = use),
    threads = thread_count(control),
    max_iter = control$max_iter,
    max_time = min(control$max_time, seconds_until(deadline)),
    single = control$precision == "auto", candidate = control$candidate,
    optimizer = match(optimizer_of(control), core_optimizers) - 1L, exact = control$exact,
    trace = control$trace %||% !is_default_optimizer(control), level = control$level %||% c(0, 0),
    stopping = stopping, save = save, passes = passes
  )
}

# ---- interrupts ----------------------------------------------------------------------------------

# Returns a function that the core calls at the first interrupt of a call, which then ends with what there is;
# stopping(FALSE) is TRUE after such an interrupt. NULL for fits within other work, which an interrupt stops as a whole.
new_stopping <- function() {
  if (isTRUE(getOption("manykernels.within"))) return(NULL)
  asked <- FALSE
  function(ask = TRUE) {
    if (ask) {
      asked <<- TRUE
      mk_inform("Interrupted: the gap of the fit so far is computed. Interrupt again to stop at once.",
                "interrupted", "control")
    }
    asked
  }
}

is_stopped <- function(settings) !is.null(settings$stopping) && settings$stopping(FALSE)

# The status of a result of the core. What is left of a call that was interrupted has no time.
result_status <- function(result, settings) {
  status <- core_status[result$status + 1]
  if (status == "time_limit" && is_stopped(settings)) "interrupted" else status
}

stops_as_whole <- function(value) {
  old <- options(manykernels.within = TRUE)
  on.exit(options(old))
  value
}

# ---- time ----------------------------------------------------------------------------------------

# Seconds of the clock that all processes share.
seconds_now <- function() as.numeric(Sys.time())

seconds_until <- function(deadline) max(deadline - seconds_now(), 0)

# A call may be late by a tenth of its time or a second. Half of that is for what no fit can do without,
# half for the call of an R function that is under way then.
latest_end <- function(settings) settings$deadline + max(0.05 * settings$control$max_time, 0.5)

# The time that the first of `fits` fits may take: all that is left but a part of the equal shares of the
# others. Equal shares would stop a fit that takes longer than the others although all could end in time, and
# a fit that goes on later computes its kernel rows again. Once a fit was stopped (`short`) the others have
# equal shares.
share_of_time <- function(settings, fits) {
  if (is_stopped(settings)) settings$deadline <- -Inf
  reserved <- (if (isTRUE(settings$short)) 1 else RESERVED_SHARE) * (fits - 1) / fits
  settings$deadline <- seconds_now() + seconds_until(settings$deadline) * (1 - reserved)
  settings
}

RESERVED_SHARE <- 0.2
