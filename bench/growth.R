# How time and memory grow: with n, the number of kernels, the number of features, C and p. One cell
# varies one of them; each has its certificate, and stops at the time limit.
# usage: Rscript bench/growth.R [limit=120] [what=n,M,d,C,p]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(limit = 120, what = c("n", "M", "d", "C", "p"))

cell <- function(label, data, ...) in_child(measure(label, data, ...))

measure <- function(label, data, M = 50, C = 1, p = 4 / 3) {
  kernels <- gaussian_kernel(if (M == 1) 1.2^25 else 1.2^seq(0, 49, length.out = M))
  taken <- with_memory(fit_mkl(data, p, settings$limit, kernels, C))
  fit <- taken$value
  data.frame(cell = label, time = seconds_text(taken$seconds),
             peak = megabytes_text(taken$megabytes), support = length(fit$support),
             `kernels in use` = sum(fit$theta > 0), gap = gap_text(fit), check.names = FALSE)
}

grow <- function(what, title, values, f) {
  if (!what %in% settings$what) return(invisible())
  rows <- lapply(values, function(value) f(value, paste(what, "=", format(signif(value, 4)))))
  section(paste("Growth with", title), "", do.call(rbind, rows))
}

cat(strwrap(sprintf(paste(
  "MNIST odd/even (beyond 10,000 rows with digits moved by one pixel); n = 2000, 50 Gaussian kernels,",
  "C = 1, p = 4/3 and gap 1e-3 where a table doesn't say otherwise; at most %g s for a cell. Peak:",
  "memory beyond the session with its data."), settings$limit), 100), "", sep = "\n")

grow("n", "rows", c(500, 1000, 2000, 5000, 10000, 20000, 50000),
     function(n, label) cell(label, fresh("read_digits(%d)", n)))
digits <- fresh("read_digits(2000)")
small <- fresh("read_digits(1000)")
grow("M", "kernels (n = 1000)", c(1, 3, 10, 50, 100, 1000, 10000),
     function(M, label) cell(label, small, M = M))
grow("d", "features (principal components)", c(2, 5, 10, 20, 50, 100, 200),
     function(d, label) cell(label, fresh("read_digit_components(2000, %d)", d)))
grow("C", "C", 10^(-4:4), function(C, label) cell(label, digits, C = C))
grow("p", "p", c(1, 1.001, 1.05, 4 / 3, 2, 8, 64, Inf),
     function(p, label) cell(label, digits, p = p))
