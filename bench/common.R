# What the benchmarks share: arguments, the fit that is timed, the other programs, a measure.

suppressPackageStartupMessages(library(manykernels))
source("bench/measure.R")
source("bench/report.R")

has_package <- function(name) requireNamespace(name, quietly = TRUE)
peers <- Filter(has_package, c("e1071", "kernlab", "LiblineaR")) # loaded before anything is timed

# Arguments of a script with their defaults, as in `Rscript bench/x.R n=2000,4000 p=4/3 runs=3`.
bench_arguments <- function(...) {
  settings <- list(...)
  for (given in strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)) {
    if (length(given) != 2 || !given[1] %in% names(settings)) {
      stop("arguments are ", paste0(names(settings), "=", collapse = ", "), " not ",
           paste(given, collapse = "="), call. = FALSE)
    }
    parts <- strsplit(given[2], ",", fixed = TRUE)[[1]]
    if (!given[1] %in% c("runs", "limit", "peer", "enough", "store", "old", "hours")) {
      options(bench.other_size = TRUE)
    }
    settings[[given[1]]] <- if (is.character(settings[[given[1]]])) parts else {
      vapply(strsplit(parts, "/", fixed = TRUE), function(x) Reduce(`/`, as.numeric(x)), 0)
    }
  }
  settings
}

# ---- our fits ------------------------------------------------------------------------------------

widths <- 1.2^(0:49)

# limit: seconds after which a fit stops, uncertified.
bench_control <- function(limit = Inf, ...) mkl_control(progress = FALSE, max_time = limit, ...)

# The fit that scripts time; Gaussian kernels unless told otherwise.
fit_mkl <- function(data, p, limit, kernels = gaussian_kernel(widths), C = 1, ...) {
  mkl(data$x, data$y, kernels, p = p, C = C, normalize = "none", scale = FALSE,
      control = bench_control(limit, ...))
}

# ---- the other programs --------------------------------------------------------------------------

# One plain support vector machine with one Gaussian kernel. fitted = FALSE spares e1071 the
# prediction of its training rows.
fit_e1071 <- function(x, y, width, C = 1) {
  e1071::svm(x, y, type = "C-classification", kernel = "radial", gamma = 1 / width, cost = C,
             scale = FALSE, fitted = FALSE)
}

# With its default shrinking kernlab returns wrong models on some of these data.
fit_kernlab <- function(x, y, width, C = 1) {
  kernlab::ksvm(x, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = 1 / width), C = C,
                scaled = FALSE, shrinking = FALSE, fit = FALSE)
}

# One linear SVM: type 3 is hinge loss with L2 penalty; the bias is a feature.
fit_liblinear <- function(x, y, C = 1) {
  LiblineaR::LiblineaR(x, y, type = 3, cost = C, epsilon = 1e-3)
}

# Those of `programs` whose package is installed; names start with the package's name.
installed_programs <- function(programs) {
  programs[sub("[ ,].*", "", names(programs)) %in% c("mkl", peers)]
}

# ---- measures ------------------------------------------------------------------------------------

# Matthews correlation of each class that has rows against the others, averaged; 0 for one that is never
# predicted.
matthews <- function(predicted, y) {
  mean(vapply(levels(y)[table(y) > 0], function(level) {
    mine <- predicted == level
    if (all(mine == mine[1])) 0 else stats::cor(mine, y == level)
  }, 0))
}
