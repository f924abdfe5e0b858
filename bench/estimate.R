# What cv_mkl() expects of its choice on new samples: how often the interval of `estimate` covers the value that
# the chosen fit has on very many rows, and how far the mean of the chosen cell is off. Also how often
# drop_view() finds a view of noise significant.
# Each row of the tables has a seed of its own, and `processes` of them are made at a time.
# usage: Rscript bench/estimate.R [simulations=2000] [large=5000] [views=200] [repeats=10] [only=0] [processes=2]
# stale after: R/cv-estimate.R R/cv-row-values.R R/measure-influence.R R/cv-scores.R R/drop-view.R

source("bench/common.R")
settings <- bench_arguments(simulations = 2000, large = 5000, views = 200, repeats = 10, only = 0, processes = 2)
quiet <- bench_control(threads = 1)

# f(one) of each task, in the order of `tasks`; those of many repeats begin first.
each_in_turn <- function(tasks, f, repeats, seeds = seq_along(tasks)) {
  longest_first <- order(-repeats)
  found <- parallel::mclapply(longest_first, function(k) {
    set.seed(seeds[k])
    attempt(f(tasks[[k]]))
  }, mc.cores = settings$processes, mc.preschedule = FALSE)
  failed <- Filter(is_failure, found)
  if (length(failed)) stop(failed[[1L]]$message)
  stopifnot("a process died" = lengths(found) > 0L)
  found[order(longest_first)]
}

# ---- data ----------------------------------------------------------------------------------------

# Rows of groups of `size` that have half of the variance of columns and response in common.
draw_rows <- function(n, size = 1, signal = 1, curved = 0.4) {
  groups <- ceiling(n / size)
  shared <- function(k) {
    own <- matrix(rnorm(n * k), n)
    if (size == 1) return(own)
    sqrt(0.5) * (matrix(rnorm(groups * k), groups)[rep(seq_len(groups), each = size)[seq_len(n)], , drop = FALSE] + own)
  }
  x <- shared(8)
  colnames(x) <- letters[1:8]
  list(x = x, signal = signal * (0.7 * x[, 1] + curved * (x[, 2]^2 - 1)) + shared(1)[, 1],
       group = rep(seq_len(groups), each = size)[seq_len(n)])
}

as_classes <- function(signal) factor(signal > 0, labels = c("no", "yes"))

# About a third of the times are censored.
as_times <- function(signal) {
  event <- exp(signal)
  censored <- rexp(length(signal), 0.25)
  survival::Surv(pmin(event, censored), event <= censored)
}

# ---- coverage ------------------------------------------------------------------------------------

# 15 cells: three kernel sets with five values of C.
sets <- list(narrow = gaussian_kernel(4), wide = gaussian_kernel(32), plane = linear_kernel())

coverage <- function(what, response, measure, n, size = 1, repeats = 1, signal = 1, curved = 0.4) {
  one <- function() {
    data <- draw_rows(n, size, signal, curved)
    cv <- cv_mkl(data$x, response(data$signal), sets, p = 2, C = 4^(-2:2), folds = 5, repeats = repeats,
                 measure = measure, group = if (size > 1) data$group, control = quiet)
    new <- draw_rows(settings$large, 1, signal, curved)
    true <- assess(cv, new$x, response(new$signal), measure, draws = 1)$measures$estimate
    chosen <- cv$results[cv$best_row, ]
    c(true = true, mean = chosen$mean, estimate = cv$estimate$estimate,
      covered = cv$estimate$lower <= true && true <= cv$estimate$upper,
      by_se = abs(chosen$mean - true) <= 2 * chosen$se, width = cv$estimate$upper - cv$estimate$lower)
  }
  found <- rowMeans(replicate(settings$simulations, one()), na.rm = TRUE)
  shown <- function(name) sprintf("%.3f", found[[name]])
  data.frame(data = what, measure = measure, `on new rows` = shown("true"), `mean of the cell` = shown("mean"),
             estimate = shown("estimate"), covered = sprintf("%.1f %%", 100 * found[["covered"]]),
             `by mean and 2 s.e.` = sprintf("%.1f %%", 100 * found[["by_se"]]), width = shown("width"),
             check.names = FALSE)
}

cases <- list(
  list("80 rows", as_classes, "accuracy", 80),
  list("80 rows without signal", as_classes, "accuracy", 80, signal = 0),
  list("80 rows, repeats", as_classes, "accuracy", 80, repeats = settings$repeats),
  list("200 rows", as_classes, "accuracy", 200),
  list("40 groups of 4", as_classes, "accuracy", 160, 4),
  list("80 rows", as_classes, "auc", 80),
  list("80 rows, repeats", as_classes, "auc", 80, repeats = settings$repeats),
  list("40 groups of 4", as_classes, "auc", 160, 4),
  list("80 rows", identity, "rmse", 80),
  list("80 rows, repeats", identity, "rmse", 80, repeats = settings$repeats),
  list("200 rows", identity, "rmse", 200),
  list("40 groups of 4", identity, "rmse", 160, 4),
  list("80 rows", as_times, "concordance", 80),
  list("80 rows, repeats", as_times, "concordance", 80, repeats = settings$repeats),
  list("40 groups of 4", as_times, "concordance", 160, 4),
  list("100 rows, few errors", as_classes, "accuracy", 100, signal = 20, curved = 0),
  list("100 rows, few errors", as_classes, "auc", 100, signal = 20, curved = 0)
)
if (!has_package("survival")) cases <- Filter(function(case) case[[3]] != "concordance", cases)
chosen <- if (any(settings$only > 0)) settings$only else seq_along(cases)
cases <- cases[chosen]
repeats <- vapply(cases, function(case) if (is.null(case$repeats)) 1 else case$repeats, 0)
section("What to expect of a choice, intervals of 95 %", paste(
  "Each of", settings$simulations, "data sets is cross-validated by 5 folds (repeats:", settings$repeats,
  "times) over 15 cells, the best mean chooses. The true value is that of the fit to all rows on",
  format(settings$large, big.mark = ","), "new rows. Groups have half of the variance of columns and response in",
  "common."
), do.call(rbind, each_in_turn(cases, function(case) do.call(coverage, case), repeats, chosen)))

# ---- a view of noise -----------------------------------------------------------------------------

significant <- function(repeats) {
  rowMeans(replicate(settings$views, {
    data <- draw_rows(80)
    views <- list(all = data$x, noise = matrix(rnorm(80 * 8), 80))
    cv <- cv_mkl(views, as_classes(data$signal), gaussian_kernel(16), p = 2, C = 1, folds = 5, repeats = repeats,
                 measure = "accuracy", control = quiet)
    drop_view(cv, views, as_classes(data$signal), gaussian_kernel(16))$p_value < 0.05
  }))
}
if (settings$views > 0) {
  repeats <- c(1, 2 * settings$repeats)
  each <- each_in_turn(repeats, significant, repeats)
  section("drop_view(): how often a view is significant at 5 %", paste(
    settings$views, "data sets of 80 rows; 5 folds"
  ), data.frame(repeats,
                `the view with the signal` = sprintf("%.1f %%", 100 * vapply(each, `[[`, 0, 1)),
                `a view of noise` = sprintf("%.1f %%", 100 * vapply(each, `[[`, 0, 2)), check.names = FALSE))
}
