# Censored regression over views beside Cox regression and a survival SVM: concordance on rows held
# out, over paired splits.
# usage: Rscript bench/survival.R [splits=20] [sets=all]
# stale after: model grid R/censored-times.R bench/column-sets.R

source("bench/common.R")
source("bench/data.R")
source("bench/column-sets.R")
suppressPackageStartupMessages(library(survival))
settings <- bench_arguments(splits = 20, sets = "all")

# ---- models --------------------------------------------------------------------------------------

# Columns of a view by the training rows; of many columns the first components.
few_columns <- function(view, train, most = 10) {
  varies <- apply(view[train, , drop = FALSE], 2, stats::sd) > 0
  if (sum(varies) <= most) return(view[, varies, drop = FALSE])
  found <- stats::prcomp(view[train, varies], scale. = TRUE)
  stats::predict(found, view[, varies])[, 1:3]
}

cox_risk <- function(data, train, views) {
  columns <- do.call(cbind, lapply(data$x[views], few_columns, train))
  frame <- data.frame(time = data$time, status = data$status, columns)
  fit <- suppressWarnings(coxph(Surv(time, status) ~ ., frame[train, ]))
  stats::predict(fit, frame[-train, ], type = "lp")
}

svm_risk <- function(data, train) {
  all <- do.call(cbind, data$x)
  all <- all[, apply(all[train, ], 2, stats::sd) > 0]
  all <- scale(all, colMeans(all[train, ]), apply(all[train, ], 2, stats::sd))
  frame <- data.frame(time = data$time, status = data$status, all)
  fit <- survivalsvm::survivalsvm(Surv(time, status) ~ ., frame[train, ], type = "regression",
                                  gamma.mu = 1 / ncol(all), kernel = "add_kernel")
  -as.vector(stats::predict(fit, frame[-train, ])$predicted)
}

split_concordance <- function(data, seed) {
  set.seed(seed)
  n <- length(data$time)
  fold <- integer(n)
  for (status in 0:1) fold[data$status == status] <- sample(rep_len(1:3, sum(data$status == status)))
  train <- which(fold < 3)
  y <- Surv(data$time, data$status)
  held <- y[-train]
  score <- function(risk) concordance(held ~ risk, reverse = TRUE)$concordance
  ours <- function(fit) predict(fit, pick(data$x, -train), type = "risk")
  began <- proc.time()[[1]]
  chosen <- suppressWarnings(cv_mkl(pick(data$x, train), y[train], control = bench_control()))
  spent <- proc.time()[[1]] - began
  single <- if (length(data$x) > 1) {
    suppressWarnings(cv_mkl(data$x[[1]][train, ], y[train], control = bench_control()))
  }
  c(chosen = score(ours(chosen)),
    default = score(ours(mkl(pick(data$x, train), y[train], control = bench_control()))),
    first = if (is.null(single)) NA else
      score(predict(single, data$x[[1]][-train, ], type = "risk")),
    cox = score(cox_risk(data, train, names(data$x))),
    cox_first = if (is.null(single)) NA else score(cox_risk(data, train, 1)),
    svm = if (has_package("survivalsvm")) {
      tryCatch(score(svm_risk(data, train)), error = function(e) {
        message("survivalsvm: ", conditionMessage(e))
        NA
      })
    } else {
      NA
    },
    gap = max(chosen$fit$gap), seconds = spent)
}

# ---- the table -----------------------------------------------------------------------------------

mean_text <- function(x) if (all(is.na(x))) "-" else sprintf("%.3f", mean(x, na.rm = TRUE))

names <- if (identical(settings$sets, "all")) names(censored_sets) else settings$sets
rows <- lapply(names, function(name) {
  data <- attempt(censored_sets[[name]]())
  if (is_failure(data)) return(NULL)
  found <- vapply(seq_len(settings$splits), split_concordance, numeric(8), data = data)
  difference <- found["chosen", ] - found["cox", ]
  message(name)
  data.frame(
    data = name, n = length(data$time), events = sum(data$status),
    columns = paste(vapply(data$x, ncol, 0L), collapse = " + "),
    chosen = mean_text(found["chosen", ]), `mkl() as it is` = mean_text(found["default", ]),
    `chosen, first view` = mean_text(found["first", ]), `Cox` = mean_text(found["cox", ]),
    `Cox, first view` = mean_text(found["cox_first", ]), survivalsvm = mean_text(found["svm", ]),
    `chosen - Cox` = sprintf("%+.3f (%.3f)", mean(difference),
                             stats::sd(difference) / sqrt(length(difference))),
    `largest gap` = format(max(found["gap", ]), digits = 2),
    `CPU time of choosing` = seconds_text(stats::median(found["seconds", ])), check.names = FALSE
  )
})
section("Censored times", sprintf(paste(
  "Harrell's concordance on the third held out, over %d splits with events alike. Chosen: cv_mkl()",
  "with default kernels, p and C, on all views; also on the first view alone. Cox: coxph() on all",
  "columns, and on the first view. Views with more than 10 columns give it their first 3 principal",
  "components. survivalsvm: its type regression (Van Belle et al. 2011) on all columns, standardised,",
  "with the additive kernel and a weight of 1 over the number of columns. In brackets the standard",
  "error of the paired difference."),
  settings$splits), do.call(rbind, rows))
