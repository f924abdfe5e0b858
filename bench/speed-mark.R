# The speed mark: mkl() with 50 Gaussian kernels against e1071::svm() with one of them, on MNIST,
# odd against even digits, same rows, same C, in turns.
# usage: Rscript bench/speed-mark.R [n] [runs]      (from the package root; `make bench`)

source("bench/mnist.R")
library(manykernels)

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n <- if (length(arguments) > 0) arguments[1] else 4000L
runs <- if (length(arguments) > 1) arguments[2] else 5L

digits <- read_mnist(n)
widths <- 1.2^(0:49)
tolerance <- 1e-3

fit_mkl <- function(threads) {
  mkl(digits$x, digits$y, kernels = gaussian_kernel(widths), p = 4 / 3, C = 1, normalize = "none",
      control = mkl_control(tol = tolerance, threads = threads, progress = FALSE))
}
# fitted = FALSE spares e1071 the prediction of its training rows.
fit_svm <- function() {
  e1071::svm(digits$x, digits$y, type = "C-classification", kernel = "radial",
             gamma = 1 / 1.2^25, cost = 1, scale = FALSE, fitted = FALSE)
}

programs <- list(
  "e1071, 1 kernel" = fit_svm,
  "mkl, 50 kernels, 1 thread" = function() fit_mkl(1),
  "mkl, 50 kernels, all cores" = function() fit_mkl(NULL)
)
gaps <- rep(NA_real_, length(programs))
seconds <- matrix(NA_real_, runs, length(programs), dimnames = list(NULL, names(programs)))
for (run in seq_len(runs)) {
  for (i in seq_along(programs)) {
    gc(FALSE)
    seconds[run, i] <- system.time(fit <- programs[[i]]())[["elapsed"]]
    if (inherits(fit, "mkl")) {
      gaps[i] <- max(gaps[i], fit$gap, na.rm = TRUE)
      if (!fit$converged) warning("a fit did not converge: ", fit$status)
    }
  }
}

middle <- apply(seconds, 2, median)
cpu <- tryCatch(sub(".*: ", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1]),
                error = function(e) Sys.info()[["machine"]])
cat(sprintf("MNIST odd/even, n = %d, C = 1; mkl: p = 4/3, tol = %g; %d runs each, in turns\n",
            n, tolerance, runs))
cat(sprintf("%s, %d cores; %s; e1071 %s\n\n", cpu, parallel::detectCores(), R.version.string,
            format(packageVersion("e1071"))))
print(data.frame(
  median = sprintf("%.3f s", middle),
  fastest = sprintf("%.3f", apply(seconds, 2, min)),
  slowest = sprintf("%.3f", apply(seconds, 2, max)),
  ratio = sprintf("%.3f", middle / middle[1]),
  gap = ifelse(is.na(gaps), "-", format(gaps, digits = 2)),
  row.names = names(programs)
))
