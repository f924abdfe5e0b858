# Whether calls keep their time limit, within a tenth or a second, and their memory budget, within a
# fifth. Times are wall-clock times: for a quiet machine.
# usage: Rscript bench/limits.R [quick|full]   prints lines for bench/reliability.md

full <- identical(commandArgs(trailingOnly = TRUE)[1], "full")
suppressMessages(library(manykernels))
set.seed(1)
n <- if (full) 6000L else 2000L
x <- matrix(rnorm(n * 10), n)
y <- factor(ifelse(x[, 1] * x[, 2] + 0.5 * rnorm(n) > 0, "a", "b"))
three <- cut(x[, 1] * x[, 2] + 0.5 * rnorm(n), 3, c("a", "b", "c"))
gaussians <- gaussian_kernel(2^seq(-4, 4, length.out = 20))
quiet <- function(...) mkl_control(progress = FALSE, threads = 2, ...)
few <- seq_len(300)
slow <- do.call(c, lapply(1:10, function(width) {
  function_kernel(function(X, Z) {
    Sys.sleep(0.02)
    square <- outer(rowSums(X^2), rowSums(Z^2), "+") - 2 * tcrossprod(X, Z)
    exp(-square / width)
  }, paste("slow", width))
}))

# ---- time ----------------------------------------------------------------------------------------

calls <- list(
  `mkl()` = function(control) mkl(x, y, gaussians, p = 1.3, C = 10, control = control),
  `mkl(), default kernels` = function(control) mkl(x, y, C = 10, control = control),
  `mkl(), three classes` = function(control) mkl(x, three, gaussians, C = 10, control = control),
  `mkl(), squared loss` = function(control) {
    mkl(x, as.numeric(y), gaussians, loss = "squared", control = control)
  },
  `mkl(), level` = function(control) {
    control$optimizer <- "level"
    mkl(x, y, gaussians, p = 1, C = 10, control = control)
  },
  `mkl_path()` = function(control) mkl_path(x, y, gaussians, C = c(0.1, 10), control = control),
  `mkl_gomp()` = function(control) mkl_gomp(x, y, gaussians, control = control),
  `mkl_sequential()` = function(control) {
    mkl_sequential(x, y, kernel_dictionary(gaussian_kernel(2^seq(-4, 4, length.out = 50))), C = 10,
                   control = control)
  },
  `mllkm()` = function(control) mllkm(x, y, C = 10, control = control),
  `mkl(), slow R functions` = function(control) mkl(x[few, ], y[few], slow, control = control),
  `mkl_gomp(), slow R functions` = function(control) {
    mkl_gomp(x[few, ], y[few], slow, control = control)
  },
  `mkl_sequential(), slow R functions` = function(control) {
    mkl_sequential(x[few, ], y[few], slow, control = control)
  },
  `cv_mkl()` = function(control) {
    cv_mkl(x, y, gaussians, p = 2, C = 2^(0:3), max_time = control$max_time,
           control = quiet(max_time = control$max_time / 10))
  }
)
limits <- if (full) c(1, 4, 10) else 1
for (what in names(calls)) {
  for (limit in limits) {
    taken <- system.time(value <- suppressWarnings(tryCatch(calls[[what]](quiet(max_time = limit)),
                                                            error = identity)))[["elapsed"]]
    # the fit to all rows after a cross-validation has a limit of its own
    allowed <- if (what == "cv_mkl()") 1.1 * limit else limit
    late <- taken > allowed + max(1, 0.1 * limit)
    known <- !inherits(value, "error") || inherits(value, c("manykernels_time_limit", "manykernels_no_choice"))
    if (!known) message(what, ": ", conditionMessage(value))
    cat(sprintf("| time limit of %g s, %s: %.1f s | 1 | %d |\n", limit, what, taken, late || !known))
  }
}

# ---- memory --------------------------------------------------------------------------------------

# The peak of a session of its own over what it held before, in MB.
peak_of <- function(optimizer, cache, loss = "hinge", p = 1) {
  code <- sprintf(paste(
    "suppressMessages(library(manykernels)); set.seed(1); n <- %d; x <- matrix(rnorm(n * 10), n);",
    "y <- ifelse(x[, 1] * x[, 2] + 0.5 * rnorm(n) > 0, 1, -1);",
    "if ('%s' == 'hinge') y <- factor(y);",
    "now <- function(what) as.numeric(gsub('\\\\D', '', grep(what, readLines('/proc/self/status'), value = TRUE))) / 1024;",
    "k <- gaussian_kernel(2^seq(-4, 4, length.out = 20)); invisible(gc());",
    "invisible(suppressWarnings(mkl(x[1:50, ], y[1:50], k, control = mkl_control(progress = FALSE))));",
    "writeLines('5', '/proc/self/clear_refs'); before <- now('VmRSS');",
    "fit <- suppressWarnings(mkl(x, y, k, p = %g, loss = '%s', control = mkl_control('%s', cache = %g, max_time = 60, progress = FALSE)));",
    "cat(now('VmHWM') - before, fit$memory / 2^20)"
  ), n, loss, p, loss, optimizer, cache)
  scan(text = system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE), quiet = TRUE)
}

if (file.exists("/proc/self/clear_refs")) {
  optimizers <- if (full) c("interleaved", "wrapper", "newton", "cutting_plane", "level", "reduced_gradient") else "interleaved"
  for (optimizer in optimizers) {
    for (cache in c(32, 128) * 2^20) {
      found <- peak_of(optimizer, cache)
      cat(sprintf("| memory budget of %g MB, %s: peak %.0f MB, fit$memory %.0f MB | 1 | %d |\n",
                  cache / 2^20, optimizer, found[1], found[2], found[1] > 1.2 * cache / 2^20))
    }
  }
  for (loss in if (full) c("squared", "huber")) {
    found <- peak_of("interleaved", 64 * 2^20, loss)
    cat(sprintf("| memory budget of 64 MB, %s loss: peak %.0f MB, fit$memory %.0f MB | 1 | %d |\n",
                loss, found[1], found[2], found[1] > 1.2 * 64))
  }
}
