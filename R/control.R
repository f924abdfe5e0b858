#' Settings of the optimiser
#'
#' Everything about *how* a fit is computed, as opposed to *what* is fitted: accuracy, memory,
#' threads, limits, progress, class probabilities and warm starts.
#'
#' @param optimizer The algorithm. `"interleaved"`, which moves the kernel weights while the support
#'   vector machine is still being solved, is the one available in this version; the other values
#'   are reserved and raise a condition of class `manykernels_unsupported`.
#' @param tol The relative duality gap at which a fit stops, a number from 1e-15 to below 1. It is
#'   the true gap, computed from the kernels in double precision: the dual objective of a fit with
#'   status `"converged"` is within `tol` of the optimum, relative to the primal value.
#' @param cache Memory for kernel rows: bytes (a number), or text such as `"500 MB"` or `"2GB"`
#'   (units B, KB, MB, GB, TB, powers of 1024). `NULL` takes the core's default. It bounds the
#'   kernel rows kept for reuse; the linear systems of Newton steps may take half as much besides,
#'   and at least 64 MB.
#' @param precision `"auto"` may use single precision as a model inside the optimiser, never for the
#'   certificate; `"double"` uses double precision throughout.
#' @param threads Number of threads, a whole number from 1 to 65536. `NULL` takes
#'   `getOption("manykernels.threads")` and, where that isn't set, all cores the system allows
#'   (the environment variable `OMP_THREAD_LIMIT` is obeyed).
#' @param max_iter Largest number of iterations of the optimiser; `Inf` for no limit.
#' @param max_time Largest time of one call of the optimiser, in seconds; `Inf` for no limit.
#'   It bounds the optimiser alone: the normalisation of the kernels and the final certificate come
#'   on top. A several-class fit by `"ovr"` or `"ovo"` calls it once per model.
#' @param progress Whether to report iteration, objective and gap in place on the standard error
#'   stream.
#' @param probability Whether to fit a sigmoid to cross-validated decision values, so that
#'   `predict(type = "prob")` is available; see [predict.mkl()]. Costs five further fits.
#' @param start A fit (class `mkl` or `mkl_multiclass`) on the same rows and as many kernels, from
#'   which to start, or `NULL`. Its solution is moved into the new constraints where it leaves them.
#'   Only the time to fit depends on it, within `tol`.
#' @param candidate Whether the optimiser may work on a growing set of candidate rows and look at
#'   the others from time to time (`TRUE`), or has to look at all rows in each step (`FALSE`:
#'   slower; there for comparisons).
#'
#' @return A list of class `mkl_control` with one element per argument; `cache` is in bytes (`NULL`:
#'   default).
#'
#' @section Errors:
#' Every value is checked here. Conditions have the class `manykernels_error` and the fields
#' `argument` and `value`.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Algorithm 2 is the interleaved
#' optimiser).
#'
#' @seealso [mkl()]
#' @examples
#' mkl_control(tol = 1e-5, cache = "500 MB")
#'
#' fit <- mkl(iris[1:100, 1:4], droplevels(iris$Species[1:100]), control = mkl_control(tol = 1e-6))
#' fit$gap
#' # a neighbouring problem, warm
#' update(fit, C = 2, control = mkl_control(start = fit))
#' @export
mkl_control <- function(optimizer = c("interleaved", "wrapper", "newton", "cutting_plane", "level",
                                      "reduced_gradient"),
                        tol = 1e-3, cache = NULL, precision = c("auto", "double"), threads = NULL,
                        max_iter = Inf, max_time = Inf, progress = interactive(),
                        probability = FALSE, start = NULL, candidate = TRUE) {
  structure(
    list(
      optimizer = check_optimizer(optimizer, eval(formals()$optimizer)),
      tol = check_number(tol, "tol", lower = 1e-15, upper = 1, upper_open = TRUE),
      cache = parse_bytes(cache),
      precision = check_choice(precision, c("auto", "double"), "precision"),
      threads = if (!is.null(threads)) check_threads(threads, "threads"),
      max_iter = check_number(max_iter, "max_iter", lower = 1, allow_inf = TRUE),
      max_time = check_number(max_time, "max_time", lower = 0, lower_open = TRUE,
                              allow_inf = TRUE),
      progress = check_flag(progress, "progress"),
      probability = check_flag(probability, "probability"),
      start = check_start(start),
      candidate = check_flag(candidate, "candidate")
    ),
    class = "mkl_control"
  )
}

check_optimizer <- function(optimizer, optimizers) {
  optimizer <- check_choice(optimizer, optimizers, "optimizer")
  if (optimizer != "interleaved") {
    mk_abort(
      sprintf("`optimizer = \"%s\"` is not available in this version; \"interleaved\" is.",
              optimizer),
      "unsupported", "optimizer", optimizer
    )
  }
  optimizer
}

check_start <- function(start) {
  if (is.null(start)) return(NULL)
  check_class(start, c("mkl", "mkl_multiclass"), "start", "a fit made by mkl(), or NULL")
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

check_threads <- function(threads, argument) check_count(threads, argument, upper = 65536L)

check_control <- function(control) {
  check_class(control, "mkl_control", "control", "made by mkl_control()")
}

# The number of threads to ask the core for; 0 leaves the choice to it.
thread_count <- function(control = NULL) {
  threads <- control$threads
  if (is.null(threads)) {
    threads <- getOption("manykernels.threads")
    if (!is.null(threads)) threads <- check_threads(threads, "options(manykernels.threads)")
  }
  if (is.null(threads)) 0L else as.integer(threads)
}

# What the core reads of the settings.
core_control <- function(control) {
  list(
    tol = control$tol,
    cache = if (is.null(control$cache)) 0 else control$cache,
    threads = thread_count(control),
    max_iter = control$max_iter,
    max_time = control$max_time,
    single = control$precision == "auto", candidate = control$candidate
  )
}

#' @export
print.mkl_control <- function(x, ...) {
  cat("Settings of an mkl() fit\n")
  shown <- x
  shown$cache <- if (is.null(x$cache)) "default" else format_bytes(x$cache)
  shown$threads <- if (is.null(x$threads)) "all available" else x$threads
  shown$start <- if (is.null(x$start)) "none" else paste("a fit of class", class(x$start)[1])
  labels <- format(paste0(names(shown), ":"))
  cat(sprintf("  %s %s\n", labels, vapply(shown, format, "")), sep = "")
  invisible(x)
}

format_bytes <- function(bytes) {
  units <- c("B", "KB", "MB", "GB", "TB")
  power <- min(max(floor(log(max(bytes, 1), 1024)), 0), length(units) - 1)
  paste(format(signif(bytes / 1024^power, 4)), units[power + 1])
}
