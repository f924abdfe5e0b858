# Fits with norms by functions. Each round bounds the weights by the quadratic norm (Kloft et al. 2011, section
# 3.5) that has the value, the derivative and the curvature of the norm at the weights of the round before. The
# certificate is computed by the norm's own functions.

most_expansions <- 40L
least_damping <- 1e-6
most_damping <- 1e3

# A result of the core for any loss and norm. call_core: a function of a norm, a loss as the core takes it, a
# start and the control.
solve_any <- function(call_core, settings, targets, cost, handle, start) {
  tol <- settings$control$tol
  # Expansions at the last weights gain nothing until they are solved beyond the gap that is asked for.
  if (has_functions(settings$norm)) settings$control$tol <- tol / 10
  solve <- function(norm, start, control = settings$control) {
    call <- function(loss, start) call_core(norm, loss, start, control)
    if (!is_custom(settings$loss)) return(call(core_loss(settings$loss, settings$intercept), start))
    solve_custom(call, settings, targets, cost, norm, handle, start)
  }
  if (!has_functions(settings$norm)) return(solve(settings$norm, start))
  solve_expansions(solve, settings, targets, cost, handle, start, tol)
}

solve_expansions <- function(solve, settings, targets, cost, handle, start, tol) {
  norm <- settings$norm
  f <- functions_of(norm)
  M <- attr(handle, "kernels", exact = TRUE)
  if (norm$type == "custom") check_norm_functions(norm, M)
  theta <- if (is.list(start)) start$theta else to_handle(rep(1, M), handle)
  damping <- least_damping
  least <- 1e-2 # share of the largest weight
  control <- settings$control
  newton <- has_newton(control, settings$loss)
  if (newton && M >= nrow(targets)) control <- by_newton(control)
  s <- rep(1, length(theta))
  best <- lowest <- NULL
  raised <- FALSE
  for (round in seq_len(most_expansions)) {
    expansion <- expansion_at(f, theta, least, s, damping, handle)
    result <- solve(expansion, start, control)
    if (result$status == 4L && newton && control$optimizer != "newton") {
      control <- by_newton(control)
      result <- after_round(result, solve(expansion, start, control))
    }
    size <- f$value(from_handle(result$theta, handle))
    result$theta <- result$theta / size
    # The function stays as it is. Alphas that grew might leave their bounds.
    result$alpha <- result$alpha * min(size, 1)
    own <- certify_pair(handle, result$theta, result$alpha, targets, cost, settings$loss, settings$intercept,
                        norm, thread_count(settings$control))
    kept <- c("primal", "objective", "gap", "offset", "forms", "decision", "slack")
    result[kept] <- own[kept]
    best <- if (is.null(best)) result else after_round(best, result)
    if (best$gap <= tol || !result$status %in% c(0L, 4L) || damping > most_damping) break
    least <- min(least, max(best$gap, 1e-12))
    # Damping that rises from round to round leads back to the best theta so far. The first damping that does
    # better is kept for another round.
    if (is.null(lowest) || result$primal < lowest$primal) {
      lowest <- result
      if (!raised) damping <- max(damping / 10, least_damping)
      raised <- FALSE
    } else {
      damping <- 10 * max(damping, 1e-3)
      raised <- TRUE
    }
    theta <- lowest$theta
    s <- pmax(lowest$forms, 0)
    start <- list(theta = theta, alpha = lowest$alpha, decision = NULL)
  }
  finish_rounds(best, tol)
}

# Interleaved steps may stall where many weights are 0 at the optimum of a quadratic norm. Newton steps do not.
has_newton <- function(control, loss) {
  optimizer_of(control) %in% c("auto", "interleaved") && !is_joint_loss(loss)
}

by_newton <- function(control) {
  control$trace <- control$trace %||% FALSE
  control$optimizer <- "newton"
  control
}

# The quadratic norm theta'A theta, A = H + damping D: H is the norm's curvature, and D = R - R theta theta'R /
# theta'R theta, R diagonal, which changes neither value nor derivative at theta, makes A positive definite.
expansion_at <- function(f, theta, least, s, damping, handle) {
  M <- attr(handle, "kernels", exact = TRUE)
  varying <- varying_kernels(handle) %||% seq_len(M)
  theta <- pmax(from_handle(theta, handle), max(theta) * pmax(least * from_handle(s / max(s), handle), 1e-14))
  theta <- theta / f$value(theta)
  H <- norm_curvature(f, theta, varying)
  slope <- pmax(f$derivative(theta)[varying], 0)
  theta <- theta[varying]
  R <- (slope + 0.1 * mean(slope)) / pmax(theta, 0.1 * mean(theta))
  A <- H + damping * (diag(R, length(R)) - outer(R * theta, R * theta) / sum(R * theta^2))
  E <- diag(M)
  E[varying, varying] <- positive_inverse(A)
  new_norm("quadratic", E = E)
}
