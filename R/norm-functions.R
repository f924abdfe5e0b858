# Norms by functions: those of users and sums of lp-norms. Their value, derivative and conjugate, which is the
# dual norm (Kloft et al. 2011, Equation 9), checks of users' functions, and curvature.

has_functions <- function(norm) norm$type %in% c("custom", "sum")

refuse_functions <- function(norm, argument, instead) {
  if (!has_functions(norm)) return(invisible())
  abort_unsupported(argument, sprintf("%s: there is no formula for the %s.", instead, format(norm)))
}

# value(theta), derivative(theta) and conjugate(s), for vectors that are not 0.
functions_of <- function(norm) {
  switch(norm$type,
    lp = lp_functions(norm$p, norm$weights %||% 1),
    sum = sum_functions(lapply(norm$norms, functions_of), norm$coefficients),
    custom = list(value = function(theta) norm_function(norm, "value", theta),
                  derivative = function(theta) norm_function(norm, "derivative", theta),
                  conjugate = function(s) norm_function(norm, "conjugate", s))
  )
}

# (sum_m d_m theta_m^p)^(1/p) for a finite p
lp_functions <- function(p, d) {
  power_norm <- function(x, d, p) {
    most <- max(x)
    if (is.infinite(p) || most == 0) most else most * sum(d * (x / most)^p)^(1 / p)
  }
  value <- function(theta) power_norm(theta, d, p)
  list(value = value, derivative = function(theta) d * (theta / value(theta))^(p - 1),
       conjugate = function(s) power_norm(s * d^(-1 / p), 1, p / (p - 1)))
}

# sum_k c_k ||theta||_k. Its conjugate is the least of max_k ||s_k||_k* / c_k over s = sum_k s_k. The best
# parts of s are in the ratio of the derivatives at the theta that is best for s.
sum_functions <- function(members, c) {
  value <- function(theta) sum(c * vapply(members, function(one) one$value(theta), 0))
  slopes <- function(theta) {
    matrix(vapply(seq_along(c), function(k) c[k] * members[[k]]$derivative(theta), theta), length(theta))
  }
  derivative <- function(theta) rowSums(slopes(theta))
  bound <- function(theta, s) {
    parts <- slopes(theta) / derivative(theta)
    max(vapply(seq_along(c), function(k) members[[k]]$conjugate(s * parts[, k]) / c[k], 0))
  }
  conjugate <- function(s) {
    if (max(s) <= 0) return(0)
    theta <- best_theta(value, derivative, s / max(s))
    least <- bound(theta, s)
    # Newton steps over the weights that are not 0
    for (step in 1:20) {
      above <- which(theta > 1e-6 * max(theta))
      H <- norm_curvature(list(value = value, derivative = derivative), theta, above)
      theta[above] <- pmax(positive_inverse(H) %*% s[above], 1e-9 * max(theta))
      found <- bound(theta, s)
      if (found > least * (1 - 1e-12)) break
      least <- found
    }
    least
  }
  list(value = value, derivative = derivative, conjugate = conjugate)
}

# The theta >= 0 that minimises ||theta||^2/2 - s'theta.
best_theta <- function(value, derivative, s) {
  start <- rep(1, length(s))
  start <- start * sum(s) / value(start)^2
  stats::optim(start, function(theta) value(theta)^2 / 2 - sum(s * theta),
               function(theta) value(theta) * derivative(theta) - s, method = "L-BFGS-B",
               lower = 1e-9 * start, control = list(factr = 1, pgtol = 0, maxit = 1000))$par
}

# The matrix H of second derivatives of ||theta||^2/2 in the coordinates `among`, for theta > 0 of norm 1. As
# the square grows with the square of theta, H theta is the derivative; what differences miss of this is added.
norm_curvature <- function(f, theta, among) {
  slope <- function(theta) (f$value(theta) * f$derivative(theta))[among]
  H <- vapply(among, function(m) {
    step <- replace(numeric(length(theta)), m, 1e-5 * theta[m])
    (slope(theta + step) - slope(theta - step)) / (2 * step[m])
  }, numeric(length(among)))
  H <- matrix(H, length(among))
  H <- (H + t(H)) / 2
  g <- slope(theta)
  size <- sum(g * theta[among])
  missed <- g - drop(H %*% theta[among])
  H + (outer(missed, g) + outer(g, missed)) / size - sum(missed * theta[among]) / size^2 * outer(g, g)
}

# The inverse of a matrix whose small eigenvalues, after a scaling to unit diagonal, are raised.
positive_inverse <- function(A) {
  own <- sqrt(pmax(diag(A), .Machine$double.eps * max(diag(A))))
  parts <- eigen(A / outer(own, own), symmetric = TRUE)
  values <- pmax(parts$values, 1e-9 * parts$values[1])
  E <- tcrossprod(parts$vectors / rep(sqrt(values), each = length(own))) / outer(own, own)
  (E + t(E)) / 2
}

# ---- both sides ----------------------------------------------------------------------------------

# Returns both sides of the norm of a user for vectors or matrices over all kernels, as norm_sides() does.
function_sides <- function(norm, theta, forms) {
  f <- functions_of(norm)
  sides <- vapply(seq_len(ncol(forms)), function(k) {
    one_side(f, norm, if (is.matrix(theta)) theta[, k] else theta, pmax(forms[, k], 0))
  }, c(primal = 0, dual = 0))
  as.list(as.data.frame(t(sides) * (1 + 64 * .Machine$double.eps)))
}

# primal: of theta scaled onto the sphere. dual: the least of ||s + gamma||_* over gamma = 0 and the one that
# raises s to a multiple of the derivative at theta, as it is at the optimum (Kloft et al. 2011, Equation 9).
one_side <- function(f, norm, theta, s) {
  if (max(s) == 0) return(c(0, 0))
  dual <- f$conjugate(s)
  if (max(theta) == 0) return(c(0, dual))
  size <- f$value(theta)
  value <- sum(theta * s)
  raised <- pmax(s, value / size * f$derivative(pmax(theta, 1e-10 * max(theta))))
  if (any(raised > s)) dual <- min(dual, f$conjugate(raised))
  if (dual * size < value * (1 - 1e-6)) {
    abort_norm("conjugate", "be at least s'theta / value(theta)", s)
  }
  c(size * value, dual)
}

# ---- functions of users --------------------------------------------------------------------------

norm_function <- function(norm, which, x) {
  x <- as.vector(x)
  out <- call_user(norm[[which]](x), sprintf("The function `%s` of the norm", which), "invalid_argument", which)
  size <- if (which == "derivative") length(x) else 1L
  if (!is.numeric(out) || length(out) != size || !all(is.finite(out))) {
    mk_abort(sprintf("`%s` must return %s for a vector of %d, not %s.", which,
                     if (size == 1L && which != "derivative") "a finite number" else "as many finite numbers",
                     length(x), describe(out)), "invalid_argument", which, out)
  }
  as.double(out)
}

norm_variable <- function(which) if (which == "conjugate") "s" else "theta"

abort_norm <- function(which, text, at) {
  mk_abort(sprintf("`%s` must %s, but does not near %s = (%s).", which, text, norm_variable(which),
                   paste(c(format(utils::head(at, 5), digits = 3), if (length(at) > 5) "..."),
                         collapse = ", ")),
           "invalid_argument", which, at)
}

# Compares the functions at 40 vectors of M positive numbers. The value must be proportional to theta, the
# derivative its own, the norm above its tangents at all other vectors (it is convex), and the conjugate at
# least s'theta / ||theta||, with equality where s is the derivative. Kinks are sought where all weights are
# equal.
check_norm_functions <- function(norm, M) {
  f <- functions_of(norm)
  at <- lapply(1:40, function(k) exp((k / 10) * (2 * spread_numbers(M, k) - 1)))
  refuse <- function(bad, which, text, at) if (any(bad)) abort_norm(which, text, at[[which(bad)[1]]])
  apply_each <- function(g, x = at) vapply(x, g, 0)
  values <- apply_each(f$value)
  refuse(values <= 0, "value", "be positive", at)
  refuse(abs(apply_each(function(x) f$value(2 * x)) - 2 * values) > 1e-6 * values, "value",
         "be twice as large at twice theta", at)
  slopes <- lapply(at, f$derivative)
  rise <- mapply(function(x, g, k) {
    d <- x * (spread_numbers(M, k + 57L) - 0.5)
    c((f$value(x + 1e-5 * d) - f$value(x - 1e-5 * d)) / 2e-5 - sum(g * d), sum(abs(g * d)))
  }, at, slopes, seq_along(at))
  euler <- abs(mapply(function(x, g) sum(g * x), at, slopes) - values)
  refuse(euler > 1e-5 * values | abs(rise[1, ]) > 1e-4 * (rise[2, ] + values), "derivative",
         "be the derivative of `value`", at)
  refuse(has_kink(f$value, M), "value", "have a derivative wherever all weights are positive", list(rep(1, M)))
  tangents <- vapply(slopes, function(g) apply_each(function(x) sum(g * x)), numeric(length(at)))
  refuse(apply(tangents, 1, max) > values * (1 + 1e-6), "value",
         "lie above its tangents (a norm is convex)", at)
  refuse(abs(apply_each(f$conjugate, slopes) - 1) > 1e-5, "conjugate", "be 1 at s = derivative(theta)", slopes)
  dual <- apply_each(f$conjugate)
  refuse(abs(apply_each(function(s) f$conjugate(2 * s)) - 2 * dual) > 1e-6 * dual, "conjugate",
         "be twice as large at twice s", at)
  most <- apply_each(function(s) max(apply_each(function(x) sum(s * x)) / values))
  refuse(dual < most * (1 - 1e-6), "conjugate", "be at least s'theta / value(theta) at every theta", at)
}

# Whether the slopes on both sides of equal weights differ, as those of the largest weight do.
has_kink <- function(value, M) {
  d <- 1e-5 * (spread_numbers(M, 1L) - 0.5)
  abs(value(1 + d) + value(1 - d) - 2 * value(rep(1, M))) > 1e-7 * value(rep(1, M))
}

# M numbers in [0, 1) without a pattern, the same in every session.
spread_numbers <- function(M, k) (seq_len(M) * 0.6180339887 + k * 0.7548776662) %% 1
