# Losses and norms that are R functions, and sums of norms that are one norm (Kloft et al. 2011, sections 2.2 and
# 2.3.1): are the fits those by the core's own? 10 Gaussians, half of the rows.
# usage: Rscript bench/own-functions.R [sets=sonar,heart,wdbc] [p=1.1,4/3,2,4]
# stale after: model R/loss-pieces.R R/norm-functions.R bench/data.R bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/level-kernels.R")
settings <- bench_arguments(sets = c("sonar", "heart", "wdbc"), p = c(1.1, 4 / 3, 2, 4))

kernels <- gaussian_kernel(2 * (2^(-3:6))^2)
lp_size <- function(x, p) sum(x^p)^(1 / p)

norm_by_functions <- function(p) {
  custom_norm(function(theta) lp_size(theta, p), function(theta) (theta / lp_size(theta, p))^(p - 1),
              function(s) lp_size(s, p / (p - 1)))
}
halves_of_norm <- function(p) sum_norm(lp_norm(p), lp_norm(p), coefficients = c(0.5, 0.5))
hinge_by_functions <- custom_loss(
  function(t, y) pmax(0, 1 - t * y), function(t, y) ifelse(t * y < 1, -y, 0),
  function(u, y) ifelse(u * y <= 1e-12 & u * y >= -1 - 1e-12, u * y, Inf), "classes"
)

# Differences from the core's own fit by one norm and the hinge loss: of the objective, relative; of decision values,
# over the largest; and the larger gap.
compare_functions <- function(data, p) {
  fit <- function(norm, loss) {
    mkl(data$x, data$y, kernels, C = 1, norm = norm, loss = loss, control = bench_control(tol = 1e-6))
  }
  own <- fit(lp_norm(p), "hinge")
  others <- list(`norm by functions` = fit(norm_by_functions(p), "hinge"),
                 `sum of two halves of the norm` = fit(halves_of_norm(p), "hinge"),
                 `loss by functions` = fit(lp_norm(p), hinge_by_functions))
  t(vapply(others, function(other) {
    c(objective = abs(other$objective / own$objective - 1),
      values = max(abs(predict(other, type = "decision") - predict(own, type = "decision"))) /
        max(abs(predict(own, type = "decision"))), gap = max(own$gap, other$gap))
  }, numeric(3)))
}

rows <- lapply(settings$sets, function(set) {
  data <- random_half(read_level_set(set), 1)$train
  worst <- Reduce(pmax, lapply(settings$p, compare_functions, data = data))
  data.frame(set = sprintf("%s, %d rows", set, nrow(data$x)), what = rownames(worst),
             `objectives differ` = signif(worst[, "objective"], 1), `decision values differ` = signif(worst[, "values"], 1),
             `largest gap` = signif(worst[, "gap"], 1), row.names = NULL, check.names = FALSE)
})
section("Losses, norms and sums of norms", sprintf(paste(
  "Fits by R functions and by two halves of a norm against those by the core's own loss and norm: hinge loss, C = 1,",
  "tol 1e-6, the worst of p = %s. Differences are relative."),
  paste(format(settings$p, digits = 3, trim = TRUE), collapse = ", ")), do.call(rbind, rows))
