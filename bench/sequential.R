# Dictionaries of up to a million kernels, p = 1, on a real set of few hundred rows: Gaussians on
# random sets of columns, linear kernels on such blocks, and Gaussians of many widths on all pairs of
# columns. Each fit in a session of its own, so that its peak memory is all that it takes.
# usage: Rscript bench/sequential.R [data=ionosphere] [columns=5] [kernels=1e3,1e4,1e5,1e6]
#        [other=1e6] [equal=2000] [limit=900]
# stale after: fit src/sequential src/rglue/sequential.c R/sequential.R R/sequential-steps.R R/dictionary.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(data = "ionosphere", columns = 5, kernels = 10^(3:6), other = 1e6,
                            equal = 2000, limit = 900)

# The first kernels are the same at every size. Of linear kernels on 5 of 33 columns there are no
# more than 237,336: some come several times.
draw_sets <- function(columns, size, count) {
  set.seed(1)
  vapply(seq_len(count), function(i) sort(sample.int(columns, size)), integer(size))
}

read_scaled <- function(name) {
  data <- read_level_set(name)
  list(x = scale(data$x), y = data$y)
}

# Kernels of `kind`, by number of kernels.
make_dictionary <- function(kind, columns, size, count) {
  if (kind == "pairs") { # per pair of features a Gaussian of many widths
    pairs <- utils::combn(columns, 2)
    return(kernel_dictionary(gaussian_kernel(2^seq(-4, 6, length.out = round(count / ncol(pairs)))),
                             sets = pairs))
  }
  kernel <- if (kind == "linear") linear_kernel() else gaussian_kernel(size)
  kernel_dictionary(kernel, sets = draw_sets(columns, size, count))
}

one_fit <- function(name, kind, size, count, limit, draw_sets, make_dictionary, read_scaled) {
  source("bench/data.R")
  environment(make_dictionary) <- environment(draw_sets) <- environment(read_scaled) <-
    environment()
  data <- read_scaled(name)
  dictionary <- make_dictionary(kind, ncol(data$x), size, count)
  time <- system.time({
    fit <- mkl_sequential(data$x, data$y, dictionary, control = bench_control(limit), scale = FALSE)
  })
  fit$dictionary <- NULL
  list(value = fit, seconds = time[["elapsed"]], median = time[["elapsed"]],
       processor = sum(time[1:2]), megabytes = process_status("VmHWM"))
}

run <- function(kind, count) {
  taken <- in_session(one_fit, settings$data, kind, settings$columns, count, settings$limit,
                      draw_sets, make_dictionary, read_scaled, limit = 2 * settings$limit)
  if (is_failure(taken)) c(not_taken(taken), processor = NA_real_) else taken
}

big <- function(count) format(count, big.mark = ",", scientific = FALSE)

show <- function(title, text, counts, taken) {
  section(title, text, do.call(rbind, Map(function(count, one) {
    fit <- one$value
    label <- data.frame(
      kernels = if (is_fit(fit)) big(fit$size) else big(count),
      passes = if (is_fit(fit)) fit$passes else NA,
      scanned = if (is_fit(fit)) big(sum(fit$history$scanned)) else NA,
      `processor time` = seconds_text(one$processor), check.names = FALSE
    )
    taken_row(label, one)
  }, counts, taken)))
}

gaussians <- lapply(settings$kernels, function(count) run("gaussian", count))
show("Gaussians on random sets of columns", sprintf(
  "%s, %d of the standardised columns each, C = 1, gap 1e-3; peak memory of the whole session.",
  settings$data, settings$columns), settings$kernels, gaussians)
others <- lapply(c("linear", "pairs"), run, settings$other)
show("Linear kernels on random sets of columns, and Gaussians on all pairs of columns", "",
     rep(settings$other, 2), others)

# ---- the same optimum ----------------------------------------------------------------------------

data <- read_scaled(settings$data)
dictionary <- make_dictionary("gaussian", ncol(data$x), settings$columns, settings$equal)
control <- bench_control(settings$limit, tol = 1e-6)
turns <- in_turns(list(
  "mkl(p = 1)" = function() {
    mkl(data$x, data$y, dictionary[seq_len(settings$equal)], p = 1, control = control, scale = FALSE)
  },
  "mkl_sequential()" = function() mkl_sequential(data$x, data$y, dictionary, control = control,
                                                  scale = FALSE)
), 3)
section("The same optimum", sprintf("%d Gaussians, gap 1e-6.", settings$equal), time_table(turns))
whole <- turns$values[[1]]
apart <- NA
if (all(vapply(turns$values, is_fit, NA))) {
  apart <- abs(whole$objective - turns$values[[2]]$objective) / whole$objective
}

# ---- bars ----------------------------------------------------------------------------------------

last <- length(gaussians)
most <- big(settings$kernels[last])
each <- vapply(gaussians, `[[`, 0, "median") / settings$kernels
fits <- lapply(c(gaussians[last], others), `[[`, "value")
label <- function(text) sprintf("%s: %s", settings$data, text)
report_bars(
  bar(label(sprintf("%s Gaussians on %d columns each, p = 1, gap 1e-3", most, settings$columns)),
      gaussians[[last]]$median, 300, 60, " s", fits[1]),
  bar(label("the same: peak memory of the session"), gaussians[[last]]$megabytes, 2000, 500, " MB",
      fits[1]),
  bar(label(sprintf("%s linear kernels on %d columns each", big(settings$other),
                    settings$columns)), others[[1]]$median, 300, 30, " s", fits[2]),
  bar(label(sprintf("%s Gaussians on pairs of columns", big(settings$other))),
      others[[2]]$median, 300, 60, " s", fits[3]),
  bar(label(sprintf("time for each kernel, %s against a tenth of that", most)),
      each[last] / each[max(1, last - 1)], 1.5, 1.1, "x", fits[1]),
  bar(label(sprintf("objective of mkl_sequential() against mkl(p = 1), %d kernels, gap 1e-6",
                    settings$equal)), apart, 1e-5, 1e-6, " of it", turns$values)
)
