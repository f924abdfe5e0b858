# Is the constraint on the norm of the kernel weights the same as a penalty on it (Kloft et al. 2011, Theorem 1)?
# For a fit of mkl(), equivalent_cost() says at which cost the Tikhonov form, C L + |w|^2 / (2 theta) +
# mu |theta|_p^2, and the group lasso, C L + |w|, have its predictor. Here both are solved by R's own optimiser
# from other starts: least squares, 10 Gaussians, half of the rows.
# usage: Rscript bench/forms.R [sets=sonar,heart,wdbc] [p=1.1,4/3,2,4] [mu=0.1,1,10]
# stale after: model R/equivalent-cost.R bench/data.R bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/level-kernels.R")
settings <- bench_arguments(sets = c("sonar", "heart", "wdbc"), p = c(1.1, 4 / 3, 2, 4), mu = c(0.1, 1, 10))

kernels <- gaussian_kernel(2 * (2^(-3:6))^2)
norm_of <- function(x, p) sum(x^p)^(1 / p)

# The least over w of C times half the squares + sum |w_m|^2 / (2 theta_m), its function values, and the squared
# lengths of w_m over theta_m^2.
ridge <- function(theta, C, Ks, y) {
  solution <- solve(Reduce(`+`, Map(`*`, theta, Ks)) + diag(length(y)) / C, y)
  list(value = sum(y * solution) / 2, f = y - solution / C,
       forms = vapply(Ks, function(K) sum(solution * (K %*% solution)), 0))
}

# Minimises a smooth function of log(theta) from the best equal weights. Steps to where it can't be computed are
# no steps.
minimise <- function(value, gradient, M) {
  objective <- function(v) tryCatch(value(exp(v)), error = function(e) Inf)
  start <- stats::optimize(function(v) objective(rep(v, M)), c(-10, 5))$minimum
  found <- stats::optim(rep(start, M), objective, function(v) gradient(exp(v)) * exp(v), method = "BFGS",
                        control = list(maxit = 2000, reltol = 1e-15))
  list(theta = exp(found$par), value = found$value)
}

solve_tikhonov <- function(C, mu, p, Ks, y) {
  minimise(function(theta) ridge(theta, C, Ks, y)$value + mu * norm_of(theta, p)^2,
           function(theta) -ridge(theta, C, Ks, y)$forms / 2 + 2 * mu * norm_of(theta, p)^(2 - p) * theta^(p - 1),
           length(Ks))
}

# |w| is the least of (|w|^2_theta + |theta|_p) / 2 over theta, as products of two sums are least where they agree.
solve_group_lasso <- function(C, p, Ks, y) {
  minimise(function(theta) ridge(theta, C, Ks, y)$value + norm_of(theta, p) / 2,
           function(theta) -ridge(theta, C, Ks, y)$forms / 2 + norm_of(theta, p)^(1 - p) * theta^(p - 1) / 2,
           length(Ks))
}

# How far an independent solution is from what equivalent_cost() says: its objective and its predictor.
compare <- function(theta, value, same, mine, Ks, y) {
  mine_value <- same$C * sum((y - mine)^2) / 2 + same$penalty
  c(objective = mine_value / value - 1, values = max(abs(ridge(theta, same$C, Ks, y)$f - mine)) / max(abs(mine)))
}

worst_row <- function(p, form, found) {
  data.frame(p = format(p, digits = 3), form = form, `objective above it` = signif(max(found["objective", ]), 1),
             `decision values differ` = signif(max(found["values", ]), 1), check.names = FALSE)
}

compare_forms <- function(data, p) {
  y <- ifelse(data$y == levels(data$y)[1], -1, 1)
  Ks <- unname(kernel_matrix(kernels, data$x, normalize = "none"))
  fit <- mkl(data$x, y, kernels, p = p, C = 1, loss = "squared", type = "regression", intercept = FALSE,
             normalize = "none", scale = FALSE, control = bench_control(tol = 1e-8))
  mine <- unname(predict(fit))
  against <- function(same, solved) compare(solved$theta, solved$value, same, mine, Ks, y)
  tikhonov <- vapply(settings$mu, function(mu) {
    same <- equivalent_cost(fit, "tikhonov", mu = mu)
    against(same, solve_tikhonov(same$C, mu, p, Ks, y))
  }, numeric(2))
  same <- equivalent_cost(fit, "group_lasso")
  rbind(worst_row(p, "Tikhonov", tikhonov),
        worst_row(p, "group lasso", cbind(against(same, solve_group_lasso(same$C, p, Ks, y)))))
}

rows <- lapply(settings$sets, function(set) {
  data <- random_half(read_level_set(set), 1)$train
  table <- do.call(rbind, lapply(settings$p, compare_forms, data = data))
  cbind(set = sprintf("%s, %d rows", set, nrow(data$x)), table)
})
section("Other forms of the problem", sprintf(paste(
  "mkl() at C = 1, tol 1e-8, and the other forms at the cost of equivalent_cost(), solved by R's optim();",
  "Tikhonov: the worst of mu = %s. Objective above it: that of mkl()'s solution over that of optim(), minus 1;",
  "the largest difference of decision values is relative to the largest value."),
  paste(settings$mu, collapse = ", ")), do.call(rbind, rows))
