# Bounds on the Rademacher complexity over p beside the empirical value and the test error (Kloft et al.
# 2011, section 5): do the bounds rank the norms as the test errors do? Digits, odd against even, with
# Gaussians of many widths, and the toy data of section 6.1, where a share of the kernels is noise.
# usage: Rscript bench/bounds.R [n=1000] [test=2000] [draws=200] [repeats=5] [figure=bench/results/bounds.png]
# stale after: model R/norms.R R/risk-bound.R R/rademacher-convert.R R/empirical-rademacher.R src/bound

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = 1000, test = 2000, draws = 200, repeats = 5, figure = "bench/results/bounds.png")
norms <- c(1, 32 / 31, 16 / 15, 8 / 7, 4 / 3, 2, 4, 8, Inf)

digits_half <- function(seed) {
  all <- read_digits(10000)
  set.seed(seed)
  rows <- sample(10000, settings$n + settings$test)
  list(train = list(x = all$x[rows[seq_len(settings$n)], ], y = all$y[rows[seq_len(settings$n)]]),
       test = list(x = all$x[rows[-seq_len(settings$n)], ], y = all$y[rows[-seq_len(settings$n)]]))
}

toy_half <- function(nu) function(seed) {
  set.seed(seed)
  lapply(list(train = settings$n, test = settings$test), simulate_mkl_toy, nu = nu)
}

sets <- list(
  digits = list(half = digits_half, kernels = gaussian_kernel(widths), C = 1),
  "toy, no noise" = list(half = toy_half(0), kernels = per_feature(linear_kernel()), C = 0.01),
  "toy, 92 % noise" = list(half = toy_half(0.92), kernels = per_feature(linear_kernel()), C = 0.01)
)

# Errors (a row for each repeat) and radii of fits, and the bounds on the first repeat's training rows.
study <- function(set) {
  runs <- lapply(seq_len(settings$repeats), function(seed) {
    half <- set$half(seed)
    fits <- lapply(norms, function(p) {
      quiet(mkl(half$train$x, half$train$y, set$kernels, p = p, C = set$C, control = bench_control(tol = 1e-5)))
    })
    list(half = half,
         error = vapply(fits, function(fit) mean(predict(fit, half$test$x) != half$test$y), 0),
         risk = vapply(fits, function(fit) suppressWarnings(
           risk_bound(fit, half$train$x, margin = "best", complexity = "empirical")$value), 0))
  })
  x <- runs[[1]]$half$train$x
  set.seed(1)
  empirical <- empirical_rademacher(set$kernels, x, norms, settings$draws, scale = TRUE)
  errors <- do.call(rbind, lapply(runs, `[[`, "error"))
  list(bound = rademacher_bound(norms, kernels = set$kernels, x = x, scale = TRUE), empirical = empirical,
       error = data.frame(p = norms, value = colMeans(errors),
                          standard_error = apply(errors, 2, stats::sd) / sqrt(settings$repeats)),
       risk = data.frame(p = norms, value = rowMeans(vapply(runs, `[[`, numeric(length(norms)), "risk"))))
}

studies <- lapply(sets, study)
for (name in names(studies)) {
  one <- studies[[name]]
  section(sprintf("Bounds and errors: %s", name), sprintf(
    "n = %d, M = %d, %d repeats; complexities are of functions of norm 1, the risk bound is of the fits.",
    settings$n, one$bound$terms$M[1], settings$repeats), data.frame(
      p = round(norms, 3), `Corollary 9` = signif(one$bound$value, 3),
      `random signs` = signif(one$empirical$value, 3),
      `risk bound` = signif(one$risk$value, 3),
      `test error, %` = sprintf("%.2f +- %.2f", 100 * one$error$value, 100 * one$error$standard_error),
      check.names = FALSE))
}

dir.create(dirname(settings$figure), recursive = TRUE, showWarnings = FALSE)
for (k in seq_along(studies)) {
  file <- sub("[.]png$", sprintf("-%d.png", k), settings$figure)
  one <- studies[[k]]
  grDevices::png(file, 800, 500, res = 110)
  plot(one$bound, main = names(studies)[k], beside = list(
    "random signs" = one$empirical, "risk bound" = one$risk, "test error" = one$error))
  invisible(grDevices::dev.off())
  cat(sprintf("Figure: [%s](%s)\n\n", basename(file), basename(file)))
}

rank_of <- function(one, what) stats::cor(one[[what]]$value, one$error$value, method = "spearman")
section("Do bounds rank the norms as test errors do?", "Rank correlation over p.", data.frame(
  data = names(studies),
  `Corollary 9` = round(vapply(studies, rank_of, 0, "bound"), 2),
  `random signs` = round(vapply(studies, rank_of, 0, "empirical"), 2),
  `risk bound` = round(vapply(studies, rank_of, 0, "risk"), 2), check.names = FALSE, row.names = NULL))
