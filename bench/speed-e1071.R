# One fit and its predictions against one plain SVM of e1071, with the bars of each kind of work: processor
# time on one thread, medians of rounds in turns. Small data are fitted as users do, by svm(x, y) and
# mkl(x, y, kernels); larger ones without scaling, and without e1071's prediction of the training rows.
# usage: Rscript bench/speed-e1071.R [rounds=5] [cells=REGEX]
# Exits with status 1 if a bar is missed. A whole run is kept in bench/results/speed-e1071.md.
# stale after: fit R/predict.R R/multiclass.R R/joint-model.R R/packed-models.R bench/work.R bench/speed-cells.R

Sys.setenv(OMP_NUM_THREADS = 1, OMP_THREAD_LIMIT = 1) # e1071 has one thread, too
source("bench/common.R")
source("bench/data.R")
source("bench/speed-cells.R")

arguments <- commandArgs(trailingOnly = TRUE)
option <- function(name, default) {
  given <- grep(paste0("^", name, "="), arguments, value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1]) else default
}
rounds <- as.integer(option("rounds", "5"))
least_seconds <- 0.2 # a program runs again until it has taken as long

# ---- cells ---------------------------------------------------------------------------------------

# Each returns pairs of programs, ours and e1071's, named by cell, each with its bar.
pair <- function(bar, ours, theirs) list(bar = bar, ours = ours, theirs = theirs)

svm_of <- function(data, gamma, type = "C-classification", ...) {
  function() e1071::svm(data$x, data$y, type = type, gamma = gamma, cost = 1, scale = FALSE, fitted = FALSE, ...)
}

fits <- function(data, kernels, gamma, bar, name, type = "C-classification", p = norms, ...) {
  plain <- svm_of(data, gamma, type)
  pairs <- lapply(grid(data, kernels, p = p, ...), function(fit) pair(bar, function() fit(threads = 1), plain))
  stats::setNames(pairs, paste(name, names(pairs)))
}

small_fits <- function() {
  bars <- c(`100` = 1.5, `300` = 1, `1000` = 0.7)
  pairs <- lapply(names(bars), function(n) {
    data <- make_noise(as.numeric(n))
    pair(bars[[n]],
         function() mkl(data$x, data$y, gaussian_kernel(2^(-2:5)), control = quiet(threads = 1)),
         function() e1071::svm(data$x, data$y))
  })
  stats::setNames(pairs, paste("noise", names(bars), "x 5, 8 Gaussians, p = 2"))
}

predictions <- function() {
  data <- make_noise(1000)
  new <- make_noise(10000)$x
  fit <- mkl(data$x, data$y, gaussian_kernel(2^(-2:5)), control = quiet(threads = 1))
  plain <- e1071::svm(data$x, data$y)
  both <- function(bar, rows) {
    force(rows)
    pair(bar, function() predict(fit, rows), function() predict(plain, rows))
  }
  list(`predict one row` = both(3, new[1, , drop = FALSE]), `predict 10,000 rows` = both(0.25, new))
}

sixty_classes <- function() {
  data <- make_classes(1200, 10, 60, 6)
  fit <- fit_work(data, gaussian_kernel(10 * 2^(-3:4)), threads = 1, multiclass = "ovo")
  plain <- svm_of(data, 1 / 10)()
  whole <- e1071::svm(data$x, data$y) # with decision values of the training rows, as our fits
  rows <- data$x[1:600, ]
  theirs <- function() predict(plain, rows)
  list(`60 classes, one row, against 600 of e1071` = pair(1, function() predict(fit, rows[1, , drop = FALSE]), theirs),
       `60 classes, 600 rows` = pair(2, function() predict(fit, rows), theirs),
       `60 classes, bytes` = pair(2, object.size(fit), object.size(whole)),
       `60 classes, bytes on disk` = pair(2, length(serialize(fit, NULL)), length(serialize(whole, NULL))))
}

cells <- list(
  digits = function() {
    unlist(lapply(c(4000, 8000), function(n) {
      fits(read_digits(n), gaussian_kernel(widths), 1 / widths[26], 0.03, paste("digits", n))
    }), recursive = FALSE)
  },
  satellite = function() {
    data <- prepared(read_satellite())
    fits(data, gaussians(data, 50), 1 / ncol(data$x), 0.25, "satellite 6,435")
  },
  letters = function() {
    data <- prepared(read_letters(8000))
    fits(data, gaussians(data, 50), 1 / ncol(data$x), 0.4, "letters 8,000")
  },
  regression = function() {
    one <- function(n, d, bar) {
      data <- with_response(components(n, d))
      fits(data, gaussians(data, 20), 1 / d, bar, sprintf("regression %d x %d", n, d), "eps-regression",
           loss = "epsilon_insensitive")
    }
    c(one(4000, 10, 0.35), one(8000, 50, 0.08))
  },
  classes = function() {
    data <- prepared(make_classes(6000, 20, 3, 3))
    fits(data, gaussians(data, 20), 1 / 20, 1, "three classes", multiclass = "ovr")
  },
  small = small_fits, predict = predictions, sixty = sixty_classes
)

# ---- run -----------------------------------------------------------------------------------------

# Processor seconds of one call.
time_of <- function(program) {
  gc(FALSE)
  start <- sum(proc.time()[1:2])
  for (runs in seq_len(10000)) {
    suppressWarnings(program())
    seconds <- sum(proc.time()[1:2]) - start
    if (seconds >= least_seconds) return(seconds / runs)
  }
}

# One round of cells: ours and e1071's, which several cells may share.
one_round <- function(pairs) {
  theirs <- lapply(pairs, `[[`, "theirs")
  first <- vapply(theirs, function(program) which(vapply(theirs, identical, NA, program))[1L], 0L)
  plain <- vapply(theirs[unique(first)], seconds_of, 0)
  rbind(vapply(pairs, function(cell) seconds_of(cell$ours), 0), plain[match(first, unique(first))])
}

# Sizes are measured once.
seconds_of <- function(program) if (is.function(program)) time_of(program) else as.numeric(program)

rows_of <- function(pairs) {
  turns <- vapply(seq_len(rounds), function(round) one_round(pairs), matrix(0, 2L, length(pairs)))
  middle <- apply(turns, 1:2, stats::median)
  ratio <- middle[1L, ] / middle[2L, ]
  each <- matrix(turns[1L, , ] / turns[2L, , ], length(pairs))
  bar <- vapply(pairs, `[[`, 0, "bar")
  data.frame(cell = names(pairs), ours = signif(middle[1L, ], 3), e1071 = signif(middle[2L, ], 3),
             ratio = sprintf("%.2fx", ratio),
             range = sprintf("%.2f to %.2f", apply(each, 1L, min), apply(each, 1L, max)),
             bar = sprintf("<= %gx", bar), verdict = ifelse(ratio <= bar, "met", "missed"))
}

chosen <- grep(option("cells", "."), names(cells), value = TRUE)
if (!length(chosen)) quit(status = 0) # the pattern is for the cells of bench/speed.R
dir.create(".build/speed", recursive = TRUE, showWarnings = FALSE)
table <- do.call(rbind, lapply(chosen, function(name) {
  message("speed-e1071: ", name)
  rows_of(cells[[name]]())
}))
lines <- utils::capture.output(section("Against one SVM of e1071", sprintf(
  "Processor seconds (or bytes), one thread, medians of %d rounds in turns.", rounds), table))
writeLines(lines)
if (identical(chosen, names(cells)) && rounds >= 5) {
  writeLines(c(result_head("speed-e1071"), lines), "bench/results/speed-e1071.md")
}
quit(status = as.integer(any(table$verdict == "missed")))
