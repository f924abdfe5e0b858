# Sizes beyond 2^31: rows x rows and rows x kernels, by kernels that are cheap. Each fit's gap is the
# certificate's; the memory is the process's peak.
# usage: Rscript bench/sizes.R [n=50000]   prints lines for bench/reliability.md

arguments <- commandArgs(trailingOnly = TRUE)
n <- if (length(arguments)) as.integer(sub("n=", "", arguments[1])) else 50000L
suppressMessages(library(manykernels))
library(Matrix)
control <- mkl_control(tol = 1e-2, progress = FALSE, threads = 2)
set.seed(1)

peak <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  as.numeric(sub("\\D*(\\d+).*", "\\1", grep("^VmHWM", status, value = TRUE))) / 1024
}

# One line: what, how large, whether it ended as it should, seconds and megabytes.
try_size <- function(what, size, make, good) {
  began <- proc.time()[[3]]
  value <- tryCatch(make(), error = identity)
  fine <- !inherits(value, "error") && good(value)
  if (inherits(value, "error")) message(what, ": ", conditionMessage(value))
  cat(sprintf("| size %.2g x 2^31, %s (%.0f s, peak %.0f MB) | 1 | %d |\n", size / 2^31, what,
              proc.time()[[3]] - began, peak(), !fine))
}

converged <- function(fit) fit$converged && fit$gap <= 1e-2
x <- matrix(rnorm(2 * n), n)
y <- factor(ifelse(x[, 1] + 0.3 * rnorm(n) > 0, "a", "b"))
numeric_y <- x[, 1] + 0.1 * rnorm(n)
linear <- linear_kernel()
squared <- as.numeric(n)^2
for (loss in c("hinge", "squared_hinge", "logistic")) {
  try_size(paste("rows x rows, one linear kernel,", loss, "loss"), squared,
           function() mkl(x, y, linear, C = 0.01, loss = loss, control = control), converged)
}
try_size("rows x rows, one linear kernel, squared loss", squared,
         function() mkl(x, numeric_y, linear, C = 0.01, loss = "squared", control = control), converged)
try_size("rows x rows, three Gaussians, few support vectors", squared, function() {
  far <- cbind(ifelse(y == "a", 3, -3) + 0.1 * rnorm(n))
  mkl(far, y, gaussian_kernel(c(4, 16, 64)), C = 1, control = control)
}, converged)
try_size("rows x rows, group matching pursuit on linear kernels", squared,
         function() mkl_gomp(x, numeric_y, linear, max_kernels = 1, control = control),
         function(fit) nrow(fit$path) == 1)

# A few entries in each of so many columns. These fits are long; what they know after a minute has a
# gap all the same.
columns <- ceiling(1.05 * 2^31 / n)
entries <- 3 * columns
wide <- sparseMatrix(i = sample.int(n, entries, TRUE), j = rep(seq_len(columns), 3),
                     x = rnorm(entries), dims = c(n, columns))
wide[, 1] <- x[, 1]
limited <- control
limited$max_time <- 60
for (p in c(1, 2)) {
  try_size(sprintf("rows x kernels, %d linear kernels on a column each, p = %g", columns, p),
           as.numeric(n) * columns,
           function() suppressWarnings(mkl(wide, y, per_feature(linear_kernel()), p = p, C = 0.1,
                                           control = limited)),
           function(fit) is.finite(fit$gap) && fit$gap >= 0)
}
