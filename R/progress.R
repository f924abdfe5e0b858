# Progress of long calls: signals of progressr if they are handled, and text. The text is a bar of cli with
# the time left where lines can be redrawn, a line that is rewritten in other terminals, and lines some
# seconds apart in a file.

SECONDS_BETWEEN_LINES <- 10
SECONDS_WORTH_TELLING <- 2

# list(tick, done) for `steps` of work: tick(count) reports that some more are done, done() ends the report.
# lines: the line_writer() of work of several rounds, which the caller ends.
work_progress <- function(name, steps, shown, lines = NULL) {
  force(name) # tick() travels to workers, and a promise would take the caller's data along
  force(steps)
  signal <- if (isNamespaceLoaded("progressr")) progressr::progressor(steps, on_exit = FALSE)
  bar <- if (shown && bar_can_move()) cli::cli_progress_bar(name, total = steps, .auto_close = FALSE)
  line <- if (shown && is.null(bar)) step_line(name, steps, lines %||% line_writer())
  ends <- is.null(lines)
  list(
    tick = function(count) {
      if (count <= 0) return(invisible())
      if (!is.null(signal)) signal(amount = count)
      if (!is.null(bar)) cli::cli_progress_update(count, id = bar)
      if (!is.null(line)) line$write(count)
    },
    done = function() {
      if (!is.null(signal)) signal(type = "finish")
      if (!is.null(bar)) cli::cli_progress_done(id = bar)
      if (!is.null(line) && ends) line$end()
    }
  )
}

# A function of the share that is done; it calls tick() with the number of new steps out of `steps`.
increments <- function(tick, steps) {
  last <- 0
  function(share) {
    done <- max(last, floor(share * steps))
    tick(done - last)
    last <<- done
  }
}

# list(tell, done) for work that reports the share of it that is done; it is shown once more than some seconds
# of it are left. tell: a function of the share, or NULL if progress is not shown.
share_progress <- function(name, shown) {
  if (!shown && !somebody_listens()) return(list(tell = NULL, done = function() NULL))
  began <- seconds_now()
  work <- NULL
  tell <- function(share) {
    left <- (seconds_now() - began) * (1 / share - 1)
    if (is.null(work) && left > SECONDS_WORTH_TELLING) work <<- work_progress(name, 100, shown)
    if (!is.null(work)) move(share)
  }
  move <- increments(function(count) work$tick(count), 100)
  list(tell = tell, done = function() if (!is.null(work)) work$done())
}

# Evaluates `value` without signals, for fits within others, such as those of a cross-validation.
without_signals <- function(value) {
  old <- options(progressr.enable = FALSE, manykernels.within = TRUE)
  on.exit(options(old))
  value
}

somebody_listens <- function() {
  isNamespaceLoaded("progressr") && isTRUE(getOption("progressr.enable", interactive()))
}

bar_can_move <- function() {
  requireNamespace("cli", quietly = TRUE) && cli::is_dynamic_tty()
}

# Progress of `runs` of the core, one after the other: list(tell, done), where tell(k, label) is the function
# that the core calls during the k-th, or NULL. share: the part of a run that is done, from the core's report.
run_progress <- function(name, runs, shown, share, text = fit_line) {
  if (!shown && !somebody_listens()) {
    return(list(tell = function(k, label = NULL) NULL, done = function(k) NULL))
  }
  bar <- shown && bar_can_move()
  work <- work_progress(name, 100, bar)
  move <- increments(work$tick, 100)
  line <- NULL
  list(
    tell = function(k, label = NULL) {
      if (shown && !bar) line <<- progress_line(label, text)
      most <- 0
      function(iteration, time, objective, gap, rows = 0) {
        most <<- max(most, min(share(iteration, objective, gap), 1), na.rm = TRUE)
        move((k - 1 + most) / runs)
        if (!is.null(line)) line$write(iteration, time, objective, gap, rows, time * (1 / most - 1))
      }
    },
    # of the k-th run
    done = function(k = runs) {
      move(k / runs)
      if (!is.null(line)) line$end()
      if (k == runs) work$done()
    }
  )
}

fit_line <- "iteration %d  objective %.6g  relative gap %.2g  %.1f s"

# The part of a run that is done, from the gap on its way to the tolerance: it falls by about the same factor
# in each iteration.
gap_share <- function(tol) {
  first <- NULL
  function(iteration, objective, gap) {
    if (!is.finite(gap) || gap <= tol) return(if (is.finite(gap)) 1 else 0)
    first <<- max(first, min(gap, 1))
    if (first <= tol) 1 else log(first / min(gap, first)) / log(first / tol)
  }
}

# list(write, end): the line that progress = TRUE shows. rows: of the kernel matrix so far, 0 if rows are not
# counted; left: seconds, where that can be told.
progress_line <- function(label = NULL, text = fit_line) {
  lines <- line_writer()
  prefix <- if (is.null(label)) "" else paste0("[", label, "] ")
  counted <- ""
  write <- function(iteration, time, objective, gap, rows = 0, left = Inf) {
    if (rows > 0) counted <<- sprintf(", %s rows/s",
                                      format(signif(rows / time, 3), big.mark = ",", scientific = FALSE))
    lines$write(paste0(prefix, sprintf(text, as.integer(iteration), objective, gap, time), counted,
                       time_left(left)), time)
  }
  list(write = write, end = lines$end)
}

# list(write, end): the line of work whose steps are done one by one; write() takes how many more are done.
step_line <- function(name, steps, lines = line_writer()) {
  began <- seconds_now()
  done <- 0
  write <- function(count) {
    done <<- done + count
    now <- seconds_now()
    time <- now - lines$began
    lines$write(paste0(sprintf("%s: %d of %d, %.0f s", name, as.integer(done), as.integer(steps), time),
                       time_left((now - began) * (steps / done - 1))), time)
  }
  list(write = write, end = lines$end)
}

time_left <- function(seconds) if (is.finite(seconds) && seconds >= 1) sprintf(", %.0f s left", seconds)

# list(write, end) for lines on the error stream: in place on a terminal; elsewhere lines of their own, seldom,
# and the last one at the end. time: in seconds since the work began, as by `began`.
line_writer <- function(in_place = isatty(stderr()), seldom = SECONDS_BETWEEN_LINES) {
  width <- 0
  last <- 0
  waiting <- NULL
  out <- function(...) cat(..., sep = "", file = stderr())
  list(
    began = seconds_now(),
    write = function(line, time) {
      if (in_place) {
        out("\r", formatC(line, width = -width))
        width <<- max(width, nchar(line))
      } else if (time - last >= seldom) {
        out(line, "\n")
        last <<- time
        waiting <<- NULL
      } else {
        waiting <<- line
      }
      invisible()
    },
    end = function() {
      if (in_place && width > 0) out("\n")
      if (!is.null(waiting)) out(waiting, "\n")
      waiting <<- NULL
      width <<- 0
    }
  )
}
