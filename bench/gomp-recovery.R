# How often does matching pursuit take a bad kernel although the coherence of gomp_recovery() is below
# 1? Random cases without noise: linear kernels on sets of 1 or 2 columns, 2 or 3 good ones of 5, and a
# response in the range of the good kernels. And what is the coherence of Gaussians, at cut-offs of the
# eigenvalues that count as 0?
# usage: Rscript bench/gomp-recovery.R [cases=200]
# stale after: pursuit R/gomp-recovery.R R/kernels.R src/normalize

source("bench/common.R")
settings <- bench_arguments(cases = 200)

# ---- random cases --------------------------------------------------------------------------------

random_case <- function(good_count) {
  n <- sample(8:14, 1)
  width <- sample(2, 5, replace = TRUE)
  kernels <- on_features(linear_kernel(), split(seq_len(sum(width)), rep(1:5, width)))
  list(x = matrix(rnorm(n * sum(width)), n), kernels = kernels, good = seq_len(good_count),
       lambda = 10^runif(1, -3, 0))
}

# Whether a bad kernel comes before all good ones are taken.
takes_bad <- function(case) {
  Ks <- kernel_matrix(case$kernels, case$x, normalize = "multiplicative")
  y <- drop(Reduce(`+`, Ks[case$good]) %*% rnorm(nrow(case$x)))
  fit <- mkl_gomp(case$x, y, case$kernels, lambda = case$lambda, intercept = FALSE, scale = FALSE,
                  control = bench_control())
  order <- fit$order[seq_len(min(length(case$good), length(fit$order)))]
  !all(order %in% case$good)
}

one_case <- function(good_count) {
  repeat {
    case <- random_case(good_count)
    value <- gomp_recovery(case$kernels, case$x, case$good, case$lambda)$value
    if (value < 1) break
  }
  data.frame(good = good_count, coherence = value, bad = takes_bad(case))
}

set.seed(1)
cases <- do.call(rbind, lapply(rep_len(2:3, settings$cases), one_case))
rows <- lapply(split(cases, cases$good), function(part) {
  data.frame(`good kernels` = part$good[1], cases = nrow(part),
             `coherence, median` = signif(stats::median(part$coherence), 2),
             `took a bad kernel` = sum(part$bad), check.names = FALSE)
})
section("Coherence below 1, no noise",
        "Cases in which a bad kernel was taken before all good ones.", do.call(rbind, rows))

# ---- Gaussians -----------------------------------------------------------------------------------

# The formula of ?gomp_recovery with eigenvalues up to `cut_off` times the largest counted as 0.
coherence <- function(Ks, good, delta, cut_off) {
  root <- function(K) {
    parts <- eigen(K, symmetric = TRUE)
    values <- pmax(parts$values, 0)
    parts$vectors %*% (sqrt(values / (values + delta)) * t(parts$vectors))
  }
  roots <- lapply(Ks, root)
  parts <- eigen(Reduce(`+`, lapply(roots[good], crossprod)), symmetric = TRUE)
  kept <- parts$values > cut_off * parts$values[1]
  inverse <- parts$vectors[, kept] %*% (t(parts$vectors[, kept]) / parts$values[kept])
  max(vapply(roots[-good], function(other) {
    sum(vapply(roots[good], function(own) norm(own %*% inverse %*% other, "2"), 0))
  }, 0))
}

set.seed(2)
x <- matrix(rnorm(100 * 4), 100)
lambda <- 0.1
kernels <- per_feature(gaussian_kernel(2))
Ks <- kernel_matrix(kernels, x, normalize = "multiplicative")
powers <- c(-4, -6, -8, -10, -12)
section("Gaussians and the cut-off", sprintf(paste(
  "One Gaussian on each of 4 columns, 100 rows, 2 good kernels, lambda = %g; at its own cut-off (100",
  "n times the machine precision) gomp_recovery() gives %.3g."), lambda,
  gomp_recovery(kernels, x, 1:2, lambda)$value), data.frame(
    `cut-off` = sprintf("1e%d", powers),
    coherence = vapply(powers, function(k) signif(coherence(Ks, 1:2, lambda * 100, 10^k), 3), 0),
    check.names = FALSE))
