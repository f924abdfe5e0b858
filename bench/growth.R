# How time and memory grow: with n, the number of kernels, the number of features, C and p. One cell
# varies one of them; each has its certificate, and stops at the time limit.
# usage: Rscript bench/growth.R [limit=120] [runs=5] [enough=20] [what=n,M,d,C,p]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(limit = 120, runs = 5, enough = 20, what = c("n", "M", "d", "C", "p"))

# In a session of its own, which starts anew for each cell.
measured_fit <- function(data, kernels, C, p, settings) {
  measured(function() fit_mkl(data, p, settings$limit, kernels, C), settings$runs, settings$enough)
}

cell <- function(data, M = 50, C = 1, p = 4 / 3) {
  kernels <- gaussian_kernel(if (M == 1) 1.2^25 else 1.2^seq(0, 49, length.out = M))
  in_session(measured_fit, data, kernels, C, p, settings,
             limit = 2 * settings$limit + settings$enough + 60)
}

# f: value of what varies to cell.
grow <- function(what, title, values, f) {
  if (!what %in% settings$what) return(invisible())
  taken <- lapply(values, function(value) {
    result <- attempt(f(value))
    if (is_failure(result)) not_taken(result) else result
  })
  label <- paste(what, "=", vapply(signif(values, 4), format, "", big.mark = ","))
  rows <- do.call(rbind, Map(taken_row, Map(function(cell) data.frame(cell = cell), label), taken))
  median <- vapply(taken, `[[`, 0, "median")
  rows$`time against last cell` <- ratio_text(median / c(NA, median[-length(median)]))
  rownames(rows) <- NULL
  section(paste("Growth with", title), "", rows)
}

cat(strwrap(sprintf(paste(
  "MNIST odd/even (beyond 10,000 rows with digits moved by one pixel); n = 2000, 50 Gaussian",
  "kernels, C = 1, p = 4/3 and gap 1e-3 where a table doesn't say otherwise; medians of at most %d",
  "runs, no more after %g s; a fit stops after %g s. Peak: memory beyond session and data."),
  settings$runs, settings$enough, settings$limit), 100), "", sep = "\n")

grow("n", "rows", c(500, 1000, 2000, 5000, 10000, 20000, 50000),
     function(n) cell(fresh("read_digits(%d)", n)))
digits <- fresh("read_digits(2000)")
small <- fresh("read_digits(1000)")
grow("M", "kernels (n = 1000)", c(1, 3, 10, 50, 100, 1000, 10000), function(M) cell(small, M = M))
grow("d", "features (principal components)", c(2, 5, 10, 20, 50, 100, 200),
     function(d) cell(fresh("read_digit_components(2000, %d)", d)))
grow("C", "C", 10^(-4:4), function(C) cell(digits, C = C))
grow("p", "p", c(1, 1.001, 1.05, 4 / 3, 2, 8, 64, Inf), function(p) cell(digits, p = p))
