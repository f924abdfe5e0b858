# Kernels that count words of sequences on acceptor splice sites of C. elegans, 141 letters, two
# threads: the Gram matrix of 3,000, a certified fit of 11,000, and 10,000 predictions. Seconds of user
# time, and elapsed ones, which are worth something on an idle machine only.
# usage: Rscript bench/strings.R
# stale after: fit strings

source("bench/common.R")
source("bench/data.R")
source("bench/sequences.R")
options(manykernels.threads = 2L)

seconds <- function(expression) {
  time <- system.time(expression)
  sprintf("%.2f (%.2f)", time[["user.self"]], time[["elapsed"]])
}

measure <- function(name, kernels, data) {
  gram <- seconds(kernel_matrix(kernels[1], data$x[1:3000]))
  fit <- NULL
  fitted <- seconds(fit <- mkl(data$x, data$y, kernels))
  predicted <- seconds(predict(fit, data$x[1:10000]))
  data.frame(kernel = name, `Gram matrix of 3,000` = gram, `fit of 11,000` = fitted,
             gap = gap_text(fit), `10,000 predictions` = predicted, check.names = FALSE)
}

data <- read_acceptors(3301, 7699)
rows <- rbind(measure("spectrum, k = 6", spectrum_kernel(6), data),
          measure("spectrum, k = 6, reverse complement", spectrum_kernel(6, reverse_complement = TRUE),
                  data),
          measure("mismatch, k = 5, m = 1", mismatch_kernel(5, 1), data))
section("Kernels that count words", paste(
  "Acceptor splice sites of C. elegans, 141 letters; two threads; seconds of user time (elapsed)."),
  rows)
