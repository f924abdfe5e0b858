# Weighted degree kernels on acceptor sites of 141 bases: the kernel matrix of some windows, a fit of
# more, and predictions.
# usage: Rscript bench/weighted-degree.R [gram=3000] [n=11000] [new=10000] [degree=22] [shift=0]
#   [runs=3] [limit=200]
# stale after: fit strings

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
settings <- bench_arguments(gram = 3000, n = 11000, new = 10000, degree = 22, shift = 0, runs = 3,
                            limit = 200)

kernels <- weighted_degree_kernel(settings$degree, settings$shift)
all <- settings$n + settings$new
positives <- min(3301, round(all / 4))
data <- read_acceptors(positives, all - positives)
train <- seq_len(settings$n)
some <- data$x[seq_len(settings$gram)]
new <- data$x[-train]

turns <- in_turns(list(
  gram = function() kernel_matrix(kernels, some),
  fit = function() mkl(data$x[train], data$y[train], kernels, normalize = "spherical",
                       control = bench_control(settings$limit))
), settings$runs)
fit <- turns$values$fit
predicting <- in_turns(list(predict = function() predict(fit, new)), settings$runs)
turns$median <- c(turns$median, predicting$median)

section("Weighted degree", sprintf(paste(
  "%d letters, degree %d, shift %d; matrix of %d windows, fit of %d, predictions of %d with %d",
  "support vectors; %s."
), nchar(new[1]), settings$degree, settings$shift, settings$gram, settings$n, settings$new,
length(fit$support), medians_text(settings$runs)), data.frame(
  work = names(turns$median), median = seconds_text(turns$median),
  `fastest to slowest` = c(apply(turns$seconds, 2, spread_text), spread_text(predicting$seconds)),
  gap = c("-", gap_text(fit), "-"), row.names = NULL, check.names = FALSE
))
report_bars(
  bar(sprintf("weighted degree %d: kernel matrix of %d sequences", settings$degree, settings$gram),
      turns$median[["gram"]], 4, unit = " s"),
  bar(sprintf("weighted degree %d: fit of %d sequences", settings$degree, settings$n),
      turns$median[["fit"]], 60, unit = " s", fits = list(fit)),
  bar(sprintf("weighted degree %d: %d predictions", settings$degree, settings$new),
      turns$median[["predict"]], 0.5, unit = " s", fits = list(fit))
)
