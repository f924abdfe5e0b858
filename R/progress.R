# Progress of long calls: signals of progressr where someone listens, and what the screen shows: a bar
# of cli with the time left where lines can be redrawn, a line that is rewritten elsewhere.

# list(tick, done) for `steps` of work: tick(count) says that some more are done, done() that there is
# no more to come.
work_progress <- function(name, steps, shown) {
  signal <- if (isNamespaceLoaded("progressr")) progressr::progressor(steps, on_exit = FALSE)
  bar <- if (shown && requireNamespace("cli", quietly = TRUE)) {
    cli::cli_progress_bar(name, total = steps, .auto_close = FALSE)
  }
  list(
    tick = function(count) {
      if (count > 0 && !is.null(signal)) signal(amount = count)
      if (count > 0 && !is.null(bar)) cli::cli_progress_update(count, id = bar)
    },
    done = function() {
      if (!is.null(signal)) signal(type = "finish")
      if (!is.null(bar)) cli::cli_progress_done(id = bar)
    }
  )
}

# Calls tick() with how many of `steps` are new, of the share that is done.
increments <- function(tick, steps) {
  last <- 0
  function(share) {
    done <- max(last, floor(share * steps))
    tick(done - last)
    last <<- done
  }
}

# Fits within others, such as those of a cross-validation, are no work of their own.
without_signals <- function(value) {
  old <- options(progressr.enable = FALSE)
  on.exit(options(old))
  value
}

somebody_listens <- function() {
  isNamespaceLoaded("progressr") && isTRUE(getOption("progressr.enable", interactive()))
}

bar_can_move <- function() {
  requireNamespace("cli", quietly = TRUE) && cli::is_dynamic_tty()
}

# Progress of `runs` of the core, one after the other: list(tell, done), where tell(k, label) is what the
# core calls during the k-th, or NULL. share: how much of a run is done, of what the core says.
run_progress <- function(name, runs, shown, share, text = fit_line) {
  if (!shown && !somebody_listens()) {
    return(list(tell = function(k, label = NULL) NULL, done = function(k) NULL))
  }
  bar <- shown && bar_can_move()
  work <- work_progress(name, 100, bar)
  move <- increments(work$tick, 100)
  list(
    tell = function(k, label = NULL) {
      line <- if (shown && !bar) progress_line(label, text)
      most <- 0
      function(iteration, time, objective, gap) {
        most <<- max(most, min(share(iteration, objective, gap), 1), na.rm = TRUE)
        move((k - 1 + most) / runs)
        if (!is.null(line)) line(iteration, time, objective, gap, left = time * (1 / most - 1))
      }
    },
    # of the k-th run
    done = function(k = runs) {
      move(k / runs)
      if (shown && !bar) cat("\n", file = stderr())
      if (k == runs) work$done()
    }
  )
}

fit_line <- "iteration %d  objective %.6g  relative gap %.2g  %.1f s"

# The gap falls by about the same factor in each iteration: from the first one to the tolerance.
gap_share <- function(tol) {
  first <- NULL
  function(iteration, objective, gap) {
    if (!is.finite(gap) || gap <= tol) return(if (is.finite(gap)) 1 else 0)
    first <<- max(first, min(gap, 1))
    if (first <= tol) 1 else log(first / min(gap, first)) / log(first / tol)
  }
}

# The line that progress = TRUE rewrites in place. left: seconds, where that can be told.
progress_line <- function(label = NULL, text = fit_line) {
  width <- 0
  prefix <- if (is.null(label)) "" else paste0("[", label, "] ")
  function(iteration, time, objective, gap, left = Inf) {
    line <- paste0(prefix, sprintf(text, as.integer(iteration), objective, gap, time),
                   if (is.finite(left) && left >= 1) sprintf(", %.0f s left", left))
    cat("\r", formatC(line, width = -width), sep = "", file = stderr())
    width <<- max(width, nchar(line))
    invisible()
  }
}
