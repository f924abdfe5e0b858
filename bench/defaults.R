# Are p = 2 and C = 1 sensible for those who won't tune? Held-out errors over a grid of p and C with
# default kernels, on shared data and some of R's: how far is each fixed cell from the best of
# its set, and from a cell that was chosen on other folds?
# usage: Rscript bench/defaults.R [p=1,4/3,2,Inf] [C=0.03125,...,128] [rows=1000] [folds=5]
#        [small=300] [sets=all]
# stale after: model grid bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(p = c(1, 4/3, 2, Inf), C = 2^(-5:7), rows = 1000, folds = 5, small = 300,
                            sets = "all")
default <- c(p = 2, C = 1) # of mkl()

# The same rows for all cells; sets with few rows are divided twice.
held_out_errors <- function(data) {
  set.seed(1)
  n <- length(data$y)
  rows <- if (n > settings$rows) sort(sample.int(n, settings$rows)) else seq_len(n)
  x <- pick(data$x, rows)
  y <- data$y[rows]
  cv <- suppressWarnings(suppressMessages(
    cv_mkl(x, if (is.factor(y)) droplevels(y) else y, p = settings$p, C = settings$C,
           folds = settings$folds, repeats = if (length(rows) <= settings$small) 2 else 1,
           control = mkl_control(progress = FALSE, threads = 1))
  ))
  by_fold <- cv$by_fold
  if (!is.null(by_fold$set)) by_fold <- by_fold[by_fold$set == "all", ] # the kernels of mkl()
  by_fold$error <- if (is.factor(y)) 100 * (1 - by_fold$accuracy) else
    100 * by_fold$rmse / stats::sd(y)
  list(errors = error_table(by_fold), classes = if (is.factor(y)) nlevels(droplevels(y)),
       n = length(y), uncertified = sum(by_fold$status != "converged"),
       seconds = sum(by_fold$seconds, na.rm = TRUE))
}

# Folds by cells. The columns of `cells` say which they are.
cells <- expand.grid(C = settings$C, p = settings$p)
error_table <- function(by_fold) {
  vapply(seq_len(nrow(cells)), function(k) {
    by_fold$error[by_fold$p == cells$p[k] & by_fold$C == cells$C[k]]
  }, numeric(nrow(by_fold) / nrow(cells)))
}

# The error of what the other folds would have chosen: what tuning is worth without the optimism of
# the smallest of many means.
tuned_error <- function(errors) {
  mean(vapply(seq_len(nrow(errors)), function(k) {
    errors[k, which.min(colMeans(errors[-k, , drop = FALSE]))]
  }, 0))
}

at_default <- function(name) cells[[name]] == default[[name]]
rank_among <- function(errors, of, at) rank(errors[of])[match(TRUE, at[of])]

set_row <- function(name, result) {
  means <- colMeans(result$errors)
  best <- which.min(means)
  both <- at_default("C") & at_default("p")
  data.frame(
    data = name, n = result$n, classes = if (is.null(result$classes)) "-" else result$classes,
    best = sprintf("%.1f", means[best]),
    at = sprintf("p = %.3g, C = %g", cells$p[best], cells$C[best]),
    `p = 2, C = 1` = sprintf("%.1f", means[both]), regret = sprintf("%.1f", means[both] - means[best]),
    tuned = sprintf("%.1f", tuned_error(result$errors)),
    `rank of C = 1` = rank_among(means, at_default("p"), both),
    `rank of p = 2` = rank_among(means, at_default("C"), both),
    `rank of both` = rank(means)[both],
    uncertified = result$uncertified, seconds = round(result$seconds), check.names = FALSE
  )
}

# A value for each cell as a table of p by C.
cell_table <- function(values) {
  table <- matrix(sprintf("%.1f", values), length(settings$p), byrow = TRUE)
  colnames(table) <- sprintf("C = %g", settings$C)
  data.frame(p = sprintf("%.3g", settings$p), table, check.names = FALSE)
}

# The mean over sets, sets by cells: of what exceeds the best cell of the set, and of ranks.
report_cells <- function(kind, results) {
  means <- t(vapply(results, function(result) colMeans(result$errors), numeric(nrow(cells))))
  regret <- means - apply(means, 1, min)
  tuned <- vapply(results, function(result) tuned_error(result$errors), 0) - apply(means, 1, min)
  both <- at_default("C") & at_default("p")
  note <- sprintf(paste(
    "Mean over %d sets of what the cell's error exceeds that of the best cell of the set. That of",
    "p = 2, C = 1 is %.2f, rank %g of %d cells. A cell chosen on the other folds exceeds it by %.2f."),
    length(results), mean(regret[, both]), rank(colMeans(regret))[both], nrow(cells), mean(tuned))
  section(paste("Regret,", kind), note, cell_table(colMeans(regret)))
  section(paste("Largest regret,", kind), "The same, of the set where it is largest.",
          cell_table(apply(regret, 2, max)))
  section(paste("Ranks,", kind), sprintf("Mean rank of a cell among %d on its set.", nrow(cells)),
          cell_table(rowMeans(apply(means, 1, rank))))
}

sets <- c(column_sets, splice = read_splice, a9a = function() read_a9a(2000))
chosen <- if (identical(settings$sets, "all")) names(sets) else settings$sets
results <- lapply(stats::setNames(nm = chosen), function(name) {
  result <- attempt(held_out_errors(sets[[name]]()))
  if (is_failure(result)) message("defaults: ", name, ": ", result$message)
  result
})
results <- Filter(Negate(is_failure), results)
section("By set", sprintf(paste(
  "Held-out error in %%, of regressions RMSE in %% of the standard deviation (%d folds, twice for",
  "at most %d rows; at most %d rows of a set), with default kernels; `tuned` is the cell that the",
  "other folds would choose. Ranks start at 1, of %d values of C at p = 2, of %d values of p at",
  "C = 1, and of all cells. `uncertified` counts fits that stopped before tol."), settings$folds,
  settings$small, settings$rows, length(settings$C), length(settings$p)),
  do.call(rbind, Map(set_row, names(results), results)))
classes <- vapply(results, function(result) !is.null(result$classes), NA)
if (any(classes)) report_cells("classes", results[classes])
if (!all(classes)) report_cells("regressions", results[!classes])
