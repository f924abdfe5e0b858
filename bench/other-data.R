# Data other than digits, so that nothing is tuned to one set; times beside those of one e1071 SVM.
# usage: Rscript bench/other-data.R [p=2] [rows=32561] [noise=5000] [limit=300] [sets=a9a,splice,mfeat,noise]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(p = 2, rows = 32561, noise = 5000, limit = 300,
                            sets = c("a9a", "splice", "mfeat", "noise"))

# e1071 takes sparse rows as SparseM's, or dense ones.
peer_matrix <- function(x) {
  if (is.list(x)) return(do.call(cbind, unname(x)))
  if (is.matrix(x)) return(x)
  if (has_package("SparseM")) return(methods::as(x, "matrix.csr"))
  as.matrix(x)
}

compare <- function(title, data, kernels, width, C = 1, tol = 1e-3) {
  x <- peer_matrix(data$x)
  fits <- list(
    e1071 = function() fit_e1071(x, data$y, width, C),
    mkl = function() fit_mkl(data, settings$p, settings$limit, kernels, C, tol = tol)
  )
  turns <- in_turns(fits, 1)
  fit <- turns$values$mkl
  data.frame(data = title, n = length(data$y), kernels = length(fit$theta), C = C, tol = tol,
             e1071 = seconds_text(turns$median[["e1071"]]),
             mkl = seconds_text(turns$median[["mkl"]]),
             ratio = sprintf("%.2f", turns$median[["mkl"]] / turns$median[["e1071"]]),
             gap = gap_text(fit),
             `support, e1071 and mkl` = paste(turns$values$e1071$tot.nSV, length(fit$support)),
             check.names = FALSE)
}

sets <- list(
  a9a = function() {
    compare("a9a, sparse", read_a9a(settings$rows), c(linear_kernel(), gaussian_kernel(2^(1:10))), 20)
  },
  splice = function() compare("splice, one-hot", read_splice(), gaussian_kernel(widths), 120),
  mfeat = function() {
    compare("mfeat, 6 views", read_mfeat(), c(linear_kernel(), gaussian_kernel(4^(2:6))), 600)
  },
  noise = function() {
    data <- make_noise(settings$noise)
    kernels <- gaussian_kernel(1.2^(-10:39))
    rbind(compare("noise, 5 features", data, kernels, 6, C = 100),
          compare("noise, 5 features", data, kernels, 6, C = 100, tol = 1e-6))
  }
)
section("Other data", sprintf(
  "p = %s; e1071: one Gaussian kernel, the same C. One run each; at most %g s for a fit.",
  round(settings$p, 2), settings$limit), do.call(rbind, lapply(sets[settings$sets], function(f) f())))
