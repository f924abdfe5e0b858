# Data other than digits, so that nothing is tuned to one set; times beside those of other programs.
# usage: Rscript bench/other-data.R [p=2] [rows=32561] [noise=5000] [runs=5] [enough=20] [limit=200]
#        [sets=a9a,splice,mfeat,noise]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(p = 2, rows = 32561, noise = 5000, runs = 5, enough = 20, limit = 200,
                            sets = c("a9a", "splice", "mfeat", "noise"))

# One matrix of all views. e1071 and LiblineaR take sparse rows as SparseM's.
peer_matrix <- function(x, sparse = has_package("SparseM")) {
  if (is.list(x)) return(do.call(cbind, unname(x)))
  if (is.matrix(x)) return(x)
  if (sparse) methods::as(x, "matrix.csr") else as.matrix(x)
}

# The same C and one Gaussian kernel, or one linear one (width NA).
peer_programs <- function(data, width, C) {
  x <- peer_matrix(data$x)
  dense <- peer_matrix(data$x, sparse = FALSE)
  installed_programs(if (is.na(width)) {
    list(LiblineaR = function() fit_liblinear(x, data$y, C))
  } else {
    list(e1071 = function() fit_e1071(x, data$y, width, C),
         kernlab = function() fit_kernlab(dense, data$y, width, C))
  })
}

# Every run is a child of this session and has its time limit.
compare <- function(title, data, kernels, width = NA, C = 1, tol = 1e-3) {
  ours <- list(mkl = function() fit_mkl(data, settings$p, settings$limit, kernels, C, tol = tol))
  turns <- in_turns(c(peer_programs(data, width, C), ours), settings$runs, settings$enough,
                    patience = settings$limit + 60)
  fit <- turns$values$mkl
  peer <- function(name) if (name %in% names(turns$median)) peer_text(turns, name) else "-"
  data.frame(data = title, n = length(data$y), kernels = if (is_fit(fit)) length(fit$theta) else NA,
             C = C, tol = tol, mkl = seconds_text(turns$median[["mkl"]]),
             e1071 = peer("e1071"), kernlab = peer("kernlab"), LiblineaR = peer("LiblineaR"),
             `mkl / e1071` = ratio_text(turns$median[["mkl"]] / turns$median["e1071"]),
             runs = sum(!is.na(turns$seconds[, "mkl"])), gap = gap_text(fit),
             `support vectors` = support_text(turns$values),
             row.names = NULL, check.names = FALSE)
}

# Other programs know no limit: their time, or why there is none.
peer_text <- function(turns, name) {
  value <- turns$values[[name]]
  if (is_failure(value)) value$message else seconds_text(turns$median[[name]])
}

# A set that can't be read or compared is a row that says so.
rows_of <- function(name) {
  rows <- attempt(sets[[name]]())
  if (!is_failure(rows)) return(rows)
  message("other-data: ", name, ": ", rows$message)
  empty <- stats::setNames(rep("-", length(columns)), columns)
  empty[c("data", "gap")] <- c(name, gap_text(rows))
  data.frame(as.list(empty), check.names = FALSE)
}

columns <- c("data", "n", "kernels", "C", "tol", "mkl", "e1071", "kernlab", "LiblineaR",
             "mkl / e1071", "runs", "gap", "support vectors")
sets <- list(
  a9a = function() {
    data <- read_a9a(settings$rows)
    rbind(compare("a9a, sparse", data, c(linear_kernel(), gaussian_kernel(2^(1:10))), 20),
          compare("a9a, a linear kernel per column", data, per_feature(linear_kernel())))
  },
  splice = function() {
    data <- read_splice()
    rbind(compare("splice, one-hot", data, gaussian_kernel(widths), 120),
          compare("splice, a linear kernel per column", data, per_feature(linear_kernel())))
  },
  mfeat = function() {
    data <- read_mfeat()
    compare("mfeat, 6 views", data, c(linear_kernel(), gaussian_kernel(4^(2:6))), 600)
  },
  # the narrowest of the first kernels tell all rows apart; with the others C is felt
  noise = function() {
    data <- make_noise(settings$noise)
    one <- function(title, exponents, C, tol) {
      compare(paste0("noise, 5 features, 10 % flipped", title), data,
              gaussian_kernel(1.2^exponents), 6, C, tol)
    }
    rbind(one("", -10:39, 100, 1e-3), one("", -10:39, 100, 1e-6),
          one(", wide kernels", 10:29, 100, 1e-3), one(", wide kernels", 10:29, 100, 1e-6),
          one(", wide kernels", 10:29, 1e4, 1e-3))
  }
)
section("Other data", sprintf(paste(
  "p = %s. e1071, kernlab: one Gaussian kernel; LiblineaR: a linear one; of the same C.",
  "Medians of at most %d runs in turns, no more after %g s; a fit stops after %g s."),
  round(settings$p, 2), settings$runs, settings$enough, settings$limit),
  do.call(rbind, lapply(settings$sets, rows_of)))
