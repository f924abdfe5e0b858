# What choosing C and p costs: cv_mkl() over 9 C, 5 p and 5 folds (225 models) beside one fit, the same
# models fitted one by one, and e1071; and cv_mkl() as it is on `n` rows, beside one fit of e1071.
# usage: Rscript bench/selection.R [runs=3] [n=4000] [part=wide,cold,digits,tune,default]
# stale after: fit grid bench/work.R bench/column-sets.R

source("bench/work.R")
source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
settings <- bench_arguments(runs = 3, n = 4000, part = c("wide", "cold", "digits", "tune", "default"))

tol <- 1e-3
quiet_control <- bench_control()

# The fit in a result is what says whether a time counts.
choose <- function(data, kernels = NULL, control = quiet_control, ...) {
  set.seed(1)
  cv <- cv_mkl(data$x, data$y, kernels, control = control, ...)
  stopifnot(all(cv_fits(cv)$gap <= tol))
  cv$fit
}

# 225 models: every cell in every fold.
costs <- 2^(-3:5)
exponents <- c(1, 4 / 3, 2, 4, Inf)
choose_all <- function(data, kernels = NULL, scale = TRUE) {
  choose(data, kernels, C = costs, p = exponents, folds = 5, search = "grid", scale = scale)
}

ratio_row <- function(work, turns, goal, stretch) {
  bar(work, turns$median[[2]] / turns$median[[1]], goal, stretch, fits = turns$values[2])
}

compare <- function(title, text, programs) {
  turns <- in_turns(programs, settings$runs)
  section(title, paste0(text, "; ", medians_text(settings$runs), "."), time_table(turns))
  turns
}

# ---- wide views: against one fit -----------------------------------------------------------------

wide <- function() {
  data <- wide_views()
  rows <- lapply(c(TRUE, FALSE), function(scale) {
    turns <- compare(
      sprintf("Wide views, scale = %s", scale),
      "600 rows, views of 20,000, 25,000 and 800 columns, default kernels",
      list("one mkl()" = function() mkl(data$x, data$y, scale = scale, control = quiet_control),
           "cv_mkl(), 225 models" = function() choose_all(data, scale = scale))
    )
    ratio_row(sprintf("225 models on wide views (scale = %s) against one mkl()", scale), turns, 4, 1.5)
  })
  do.call(rbind, rows)
}

# ---- against the same models one by one ----------------------------------------------------------

# Every cell by itself, for one fold: a fifth of the work.
fit_one_by_one <- function(data, kernels, train) {
  part <- pick(data$x, train)
  for (p in exponents) for (C in costs) {
    fit <- mkl(part, data$y[train], kernels, p = p, C = C, control = quiet_control)
    predict(fit, pick(data$x, -train))
  }
  fit
}

cold <- function() {
  names <- c("mfeat", "ionosphere", "sonar", "wdbc", "TCGA, four views", "TCGA, breast_tcga")
  rows <- lapply(names, function(name) {
    data <- column_sets[[name]]()
    set.seed(1)
    folds <- sample(rep_len(1:5, length(data$y)))
    one <- in_turns(list(
      "one by one" = function() fit_one_by_one(data, NULL, which(folds != 1)),
      "cv_mkl()" = function() choose_all(data)
    ), if (name == "mfeat") 1 else settings$runs)
    one$median[[1]] <- 5 * one$median[[1]]
    section(paste("One by one:", name), "Five times the 45 models of one fold, and cv_mkl().",
            time_table(one))
    ratio_row(sprintf("225 models on %s against one by one", name), one, 0.2, 0.1)
  })
  do.call(rbind, rows)
}

# ---- digits: against one plain SVM ---------------------------------------------------------------

digits <- function() {
  sets <- list("784 pixels" = read_digits(settings$n),
               "57 components" = read_digit_components(settings$n, 57))
  rows <- lapply(names(sets), function(name) {
    data <- sets[[name]]
    width <- 2 * sum(apply(data$x, 2, stats::var))
    turns <- compare(
      paste("Digits,", name), sprintf("%d digits, 50 Gaussians", settings$n),
      list("one e1071::svm()" = function() fit_e1071(data$x, data$y, width, C = 10),
           "cv_mkl(), 225 models" = function() choose_all(data, gaussian_kernel(widths), scale = FALSE))
    )
    ratio_row(sprintf("225 models on digits, %s, against one e1071::svm()", name), turns, 4, 1.5)
  })
  do.call(rbind, rows)
}

# ---- low dimension: against a tuned SVM ----------------------------------------------------------

tune_e1071 <- function(data) {
  set.seed(1)
  gamma <- 4^(-1:1) / ncol(data$x)
  tuned <- e1071::tune.svm(data$x, data$y, gamma = gamma, cost = 10^(0:2),
                           tunecontrol = e1071::tune.control(cross = 5))
  tuned$best.model
}

tune <- function() {
  sets <- list("clouds in 10 features" = make_clouds(settings$n, 10),
               "digits' first 20 components" = read_digit_components(settings$n, 20))
  rows <- lapply(names(sets), function(name) {
    data <- sets[[name]]
    turns <- compare(name, sprintf("n = %d, 50 Gaussians", settings$n), list(
      "e1071::tune.svm(), 3 x 3 cells" = function() tune_e1071(data),
      "cv_mkl(), 225 models" = function() choose_all(data, gaussian_kernel(widths))
    ))
    ratio_row(sprintf("225 models on %s against tune.svm(), 3 x 3 cells", name), turns, 1, 0.5)
  })
  do.call(rbind, rows)
}

# ---- as it is: against one plain SVM ---------------------------------------------------------------

# The rows that are not trained on, at most 4,000, give the errors.
default <- function() {
  sets <- list(satellite = read_satellite, letters = function() read_letters(20000),
               spam = more_column_sets$spam, digits = function() read_digits(10000))
  goals <- c(satellite = 10, letters = 12, spam = 8, digits = 1.5)
  rows <- lapply(names(sets), function(name) {
    data <- sets[[name]]()
    set.seed(2)
    train <- sample.int(length(data$y), settings$n)
    new <- utils::head(setdiff(sample.int(length(data$y)), train), 4000)
    part <- pick(data$x, train)
    programs <- list(
      "one e1071::svm()" = function() e1071::svm(data.matrix(part), data$y[train]),
      "cv_mkl()" = function() choose(list(x = part, y = data$y[train]), control = bench_control(threads = 1))
    )
    turns <- in_turns(programs, settings$runs)
    table <- time_table(turns)
    table$error <- vapply(turns$values, function(fit) {
      sprintf("%.4f", mean(predict(fit, data.matrix(pick(data$x, new))) != data$y[new]))
    }, "")
    section(sprintf("As it is: %s", name), sprintf(paste(
      "%d rows, %d columns, one thread; errors on %d other rows; %s."), settings$n, ncol(part), length(new),
      medians_text(settings$runs)), table)
    goal <- goals[[name]]
    ratio_row(sprintf("cv_mkl() as it is on %s against one e1071::svm()", name), turns, goal, goal)
  })
  do.call(rbind, rows)
}

parts <- list(wide = wide, cold = cold, digits = digits, tune = tune, default = default)
report_bars(do.call(rbind, lapply(parts[settings$part], function(part) part())))
