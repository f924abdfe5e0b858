# The judge of helper-judge.R for every norm and every loss: both sides of the gap, written from the
# definitions (src/MATHEMATICS.md, sections 1 and 2) and sharing nothing with the package.

`%||%` <- function(a, b) if (is.null(a)) b else a

# ---- norms ---------------------------------------------------------------------------------------

# max theta's over theta >= 0, theta' E^-1 theta <= 1: the best point of every face.
judge_ellipsoid <- function(s, E) {
  A <- solve(E)
  faces <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), length(s))))[-1, , drop = FALSE]
  values <- apply(faces, 1, function(face) {
    theta <- solve(A[face, face], s[face])
    if (any(theta < 0)) 0 else sqrt(sum(s[face] * theta))
  })
  max(values)
}

# max sum of theta_m s_m with theta = t/((1 - lambda) + lambda t), t on the simplex: equal slopes.
judge_elastic <- function(s, lambda) {
  at <- function(mu) pmax(sqrt(s * (1 - lambda) / mu) - (1 - lambda), 0) / lambda
  range <- c(1e-12, 1) * max(s) / (1 - lambda)
  mu <- uniroot(function(log_mu) sum(at(exp(log_mu))) - 1, log(range), tol = 1e-14)$root
  t <- at(exp(mu)) / sum(at(exp(mu)))
  sum(s * t / ((1 - lambda) + lambda * t))
}

judge_sides <- function(norm, theta, s) {
  s <- pmax(s, 0)
  w <- theta * sqrt(s)
  d <- norm$weights %||% rep(1, length(s))
  switch(norm$type,
    lp = {
      p <- norm$p
      a <- if (p == 1) Inf else if (is.infinite(p)) 1 else p / (p - 1)
      q <- if (is.infinite(p)) 2 else 2 * p / (p + 1)
      list(primal = judge_norm(w * sqrt(d^(1 / p)), q)^2, dual = judge_norm(s / d^(1 / p), a),
           size = judge_norm(d^(1 / p) * theta, p))
    },
    quadratic = list(primal = sum(theta * s), dual = judge_ellipsoid(s, norm$E),
                     size = sqrt(sum(theta * solve(norm$E, theta)))),
    block = {
      q <- norm$q
      a <- if (is.infinite(q)) 1 / 2 else q / (q - 1) / 2
      r <- if (is.infinite(q)) 1 else q / (q - 2)
      list(primal = judge_norm(w, q)^2, dual = judge_norm(s, a),
           size = if (q > 2) judge_norm(1 / theta, r) else judge_norm(theta, q / (2 - q)))
    },
    elastic_net = list(
      primal = (1 - norm$lambda) * sum(w)^2 + norm$lambda * sum(w^2),
      dual = judge_elastic(s, norm$lambda),
      size = sum((1 - norm$lambda) * theta / (1 - norm$lambda * theta))
    )
  )
}

# ---- two kernels over small data, and their matrices ---------------------------------------------

kernels_of_two <- function() c(linear_kernel(), gaussian_kernel(4))
matrices_of_two <- function(x, how = "multiplicative") {
  lapply(list(judge_linear(x), judge_gaussian(x, width = 4)),
         function(K) judge_normalize(K, how)$train)
}

# ---- losses --------------------------------------------------------------------------------------

# V(t, y) of one row; e: epsilon, delta or tau; side: of a censored time, 1 where the event is later.
judge_loss <- function(type, t, y, e = 0, side = 0) {
  switch(type,
    quantile = if (y > t) e * (y - t) else (1 - e) * (t - y),
    censored = if (y > t) (side >= 0) * max(0, y - t - e) else (side <= 0) * max(0, t - y - e),
    hinge = max(0, 1 - t * y),
    squared_hinge = max(0, 1 - t * y)^2 / 2,
    logistic = if (t * y > -30) log(1 + exp(-t * y)) else -t * y,
    squared = (y - t)^2 / 2,
    epsilon_insensitive = max(0, abs(y - t) - e),
    huber = if (abs(y - t) <= e) (y - t)^2 / 2 else e * abs(y - t) - e^2 / 2,
    one_class = max(0, 1 - t)
  )
}

# -C V*(-a / C, y) of one row, -Inf where a is not feasible (beyond rounding).
judge_gain <- function(type, a, y, C, e = 0, side = 0) {
  slack <- 1e-9 * C
  inside <- switch(type,
    quantile = a <= C * e + slack && a >= -C * (1 - e) - slack,
    censored = a <= C * (side >= 0) + slack && a >= -C * (side <= 0) - slack,
    hinge = , logistic = a * y >= -slack && a * y <= C + slack,
    squared_hinge = a * y >= -slack,
    squared = TRUE,
    epsilon_insensitive = abs(a) <= C + slack,
    huber = abs(a) <= C * e * (1 + 1e-9),
    one_class = a >= -slack && a <= C + slack
  )
  if (!inside) return(-Inf)
  if (C == 0) return(0)
  u <- min(max(y * a / C, 0), 1)
  entropy <- -sum(ifelse(c(u, 1 - u) > 0, c(u, 1 - u) * log(pmax(c(u, 1 - u), 1e-300)), 0))
  switch(type,
    quantile = y * a, censored = y * a - e * abs(a),
    hinge = y * a, one_class = a, logistic = C * entropy,
    squared_hinge = , squared = , huber = y * a - a^2 / (2 * C),
    epsilon_insensitive = y * a - e * abs(a)
  )
}

# The smallest sum of losses over all offsets: at a kink, or where a smooth convex sum is lowest.
judge_least_loss <- function(type, g, y, C, e, intercept, side = numeric(length(y))) {
  sum_at <- function(b) {
    sum(vapply(which(C > 0), function(i) C[i] * judge_loss(type, g[i] + b, y[i], e, side[i]), 0))
  }
  if (!intercept) return(sum_at(0))
  kinks <- switch(type, hinge = , quantile = y - g, epsilon_insensitive = , censored = c(y - g - e, y - g + e))
  if (length(kinks)) return(min(vapply(unique(kinks[rep(C > 0, length(kinks) / length(C))]),
                                       sum_at, 0)))
  span <- range(y - g) + c(-1, 1) * (20 + e)
  stats::optimize(sum_at, span, tol = 1e-11 * diff(span))$objective
}

# What the loss calls y: 1 or -1 for classes, the numbers, 1 where there is none.
judge_targets <- function(fit) {
  if (is.factor(fit$y)) return(judge_signs(fit))
  y <- as.vector(fit$y) %||% rep(1, length(fit$alpha))
  if (is.list(fit$loss_parameter) && fit$loss_parameter$log) y <- log(y)
  if (is.null(fit$scaling$response)) return(y)
  (y - fit$scaling$response[["centre"]]) / fit$scaling$response[["scale"]]
}

judge_parameter <- function(fit) if (length(fit$loss_parameter)) fit$loss_parameter[[1]] else 0

# Primal, dual and relative gap of a fit of any loss and norm. Ks: the normalised kernel matrices.
judge_fit <- function(fit, Ks) {
  y <- judge_targets(fit)
  e <- judge_parameter(fit)
  side <- attr(fit$y, "side") %||% numeric(length(y))
  alpha <- unname(fit$alpha)
  s <- judge_forms(Ks, alpha)
  sides <- judge_sides(fit$penalty, unname(fit$theta), s)
  f <- drop(Reduce(`+`, Map(`*`, Ks, fit$theta)) %*% alpha)
  upper <- judge_least_loss(fit$loss, f, y, fit$cost, e, fit$intercept, side) + sides$primal / 2
  lower <- sum(vapply(seq_along(y), function(i) {
    judge_gain(fit$loss, alpha[i], y[i], fit$cost[i], e, side[i])
  }, 0)) - sides$dual / 2
  list(upper = upper, lower = lower, gap = (upper - lower) / max(abs(upper), 1e-300), f = f,
       size = sides$size, sum = sum(alpha) / max(1, sum(abs(alpha))))
}

expect_fit_certified <- function(fit, Ks, tol = fit$control$tol, info = NULL, rounding = 1e-7) {
  verdict <- judge_fit(fit, Ks)
  testthat::expect_true(fit$converged, info = info)
  testthat::expect_true(all(fit$theta >= 0), info = info)
  testthat::expect_equal(verdict$size, 1, tolerance = 1e-6, info = info)
  if (fit$intercept) testthat::expect_lt(abs(verdict$sum), 1e-8)
  testthat::expect_lte(verdict$gap, tol + 1e-9)
  testthat::expect_equal(fit$primal, verdict$upper, tolerance = rounding, info = info)
  testthat::expect_equal(fit$objective, verdict$lower, tolerance = rounding, info = info)
  invisible(verdict)
}
