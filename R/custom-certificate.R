# Fits with losses of users: the certificate by their own functions, and rounds of the optimiser until it is
# reached. The core's own certificates are those of the pieces that it was given.

# A result of the core with primal, dual and gap by the user's functions. Both sides include bounds of the
# rounding errors, as in src/certificate/certificate.c. pair: list(theta, alpha, decision, offset, forms,
# slack).
certify_custom <- function(pair, loss, intercept, targets, cost, norm, handle) {
  alpha <- pair$alpha
  slack <- custom_slack(pair, ncol(alpha))
  f <- sweep(pair$decision, 2, pair$offset)
  offset <- if (intercept) vapply(seq_len(ncol(f)), function(t) {
    best_offset(loss, f[, t], targets[, t], cost[, t], pair$offset[t])
  }, 0) else numeric(ncol(f))
  f <- sweep(f, 2, offset, "+")
  own <- losses_near(loss, f, targets, cost, slack$value)
  gain <- gain_values(loss, as.vector(cost), as.vector(alpha), as.vector(targets))
  excess <- as.vector(own$loss) - gain + as.vector(alpha) * as.vector(f)
  size <- abs(as.vector(own$loss)) + abs(gain) + abs(as.vector(alpha * f)) + as.vector(cost)
  check_excess(excess, size, f, targets)
  share <- if (intercept) unbalanced_share(alpha) else numeric(ncol(alpha))
  unit <- 16 * .Machine$double.eps
  missed <- unit * sqrt(sum(size^2)) + sum(rep(share, each = nrow(alpha)) * abs(gain))
  pair$loss <- sum(own$loss) + own$lost
  pair$gain <- sum(gain) - missed - unit * abs(sum(gain))
  pair <- add_sides(pair, norm, handle, share, slack)
  pair$offset <- offset
  pair$decision <- f
  pair
}

# primal, dual and gap from the loss and the gain, with bounds of the rounding errors. share: see below.
add_sides <- function(pair, norm, handle, share, slack) {
  unit <- 16 * .Machine$double.eps
  part <- max(share) * slack$reach
  form <- pmax(pair$forms, 0) + slack$form
  sides <- norm_sides(norm, pair$theta, form + part * (2 * sqrt(form) + part), handle)
  pair$primal <- (1 + unit) * (pair$loss + sides$primal / 2)
  pair$objective <- pair$dual <- pair$gain - (1 + unit) * sides$dual / 2
  pair$gap <- max((pair$primal - pair$dual) / max(abs(pair$primal), 1e-300), 0)
  pair
}

custom_slack <- function(pair, tasks) {
  size <- length(pair$decision)
  kernels <- length(pair$forms)
  list(value = matrix(pair$slack[seq_len(size)], ncol = tasks),
       form = pair$slack[size + seq_len(kernels)], reach = pair$slack[size + kernels + seq_len(kernels)])
}

# The losses, and a bound of what errors of f can add to their sum.
losses_near <- function(loss, f, targets, cost, slack) {
  values <- function(f) {
    f[] <- ifelse(cost > 0, cost * loss_values(loss, f, targets), 0)
    f
  }
  own <- values(f)
  slack <- slack + 16 * .Machine$double.eps * (abs(f) + abs(targets))
  list(loss = own, lost = sqrt(sum(pmax(values(f + slack) - own, values(f - slack) - own, 0)^2)))
}

# How much of the heavier sign must shrink for a column's sum to be 0.
unbalanced_share <- function(alpha) {
  total <- colSums(alpha)
  heavier <- ifelse(total > 0, colSums(pmax(alpha, 0)), colSums(pmax(-alpha, 0)))
  ifelse(heavier > 0, abs(total) / heavier, 0)
}

# value(f) + conjugate(u) - f u is never negative.
check_excess <- function(excess, size, f, targets) {
  worst <- which.min(excess / size)
  if (!length(worst) || excess[worst] >= -1e-6 * size[worst]) return(invisible())
  mk_abort(sprintf(paste("`conjugate` is too small for y = %s near t = %s: the value at t plus the conjugate",
                         "at u must be at least t * u."), format(targets[worst]), format(f[worst])),
           "invalid_argument", "conjugate", f[worst])
}

# The b that minimises sum cost V(f + b, y): its derivative rises.
best_offset <- function(loss, f, y, cost, near) {
  used <- cost > 0
  slope <- function(b) {
    sum(cost[used] * suppressWarnings(as.double(loss$derivative(f[used] + b, y[used]))))
  }
  if (!any(used) || !is.finite(slope(near)) || slope(near) == 0) return(near)
  direction <- -sign(slope(near))
  step <- 1e-6 * max(1, abs(near))
  while (step < 1e6 * max(1, abs(near)) && isTRUE(slope(near + direction * step) * direction < 0)) {
    step <- 4 * step
  }
  ends <- c(near, near + direction * step)
  for (k in 1:100) {
    middle <- mean(ends)
    if (middle == ends[1] || middle == ends[2]) break
    ends[if (isTRUE(slope(middle) * direction < 0)) 1 else 2] <- middle
  }
  # of two neighbours, the one from which f leaves the losses as they are
  ends[1]
}

# Rounds of the optimiser with finer pieces, over a wider range of decision values, until the certificate by the
# functions themselves is within the tolerance. solve: a function of a loss for the core and a start.
solve_custom <- function(solve, settings, targets, cost, norm, handle, start) {
  loss <- settings$loss
  check_loss_functions(loss, targets)
  range <- loss_range(loss, targets)
  accuracy <- 0.01
  best <- NULL
  for (round in 1:5) {
    pieces <- loss_pieces(loss, targets, range, accuracy * settings$control$tol)
    result <- certify_custom(solve(core_loss(loss, settings$intercept, pieces), start), loss,
                             settings$intercept, targets, cost, norm, handle)
    best <- if (is.null(best)) result else after_round(best, result)
    if (best$gap <= settings$control$tol || !result$status %in% c(0L, 4L)) break
    outside <- range(result$decision)
    if (outside[1] < range[1] || outside[2] > range[2]) {
      range <- range(range, outside) + c(-1, 1) * diff(range)
    }
    accuracy <- accuracy / 30
    start <- list(theta = result$theta, alpha = result$alpha, decision = NULL)
  }
  finish_rounds(best, settings$control$tol)
}

# The best result with its own gap as the last one of the history.
finish_rounds <- function(best, tol) {
  if (best$status == 0L && best$gap > tol) best$status <- 4L
  if (best$gap <= tol) best$status <- 0L
  last <- length(best$history$gap)
  best$history$gap[last] <- best$gap
  best$history$objective[last] <- best$objective
  best
}

after_round <- function(before, result) {
  better <- if (result$gap <= before$gap) result else replace(before, "status", list(result$status))
  better[c("iterations", "solves")] <- list(before$iterations + result$iterations,
                                            before$solves + result$solves)
  better
}

# primal, dual, gap, offset, forms and decision of a pair by the definition of any loss and norm. theta: of the
# handle's kernels; targets, cost: as the core takes them.
certify_pair <- function(handle, theta, alpha, targets, cost, loss, intercept, norm, threads) {
  ask <- if (is_custom(loss)) new_loss("squared") else loss # it bounds no alpha
  plain <- if (has_functions(norm)) lp_norm(1) else norm
  found <- from_core(.Call(C_mk_gap, handle, theta, alpha, targets, cost, core_loss(ask, intercept),
                           core_norm(plain, handle), threads))
  if (!is_custom(loss) && !has_functions(norm)) return(found)
  pair <- c(found[c("loss", "gain", "offset", "forms", "decision", "slack")],
            list(theta = theta, alpha = alpha))
  if (is_custom(loss)) return(certify_custom(pair, loss, intercept, targets, cost, norm, handle))
  add_sides(pair, norm, handle, if (intercept) unbalanced_share(alpha) else 0, custom_slack(pair, ncol(alpha)))
}
