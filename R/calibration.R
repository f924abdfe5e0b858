# Maps from decision values to the probability of the second level: Platt's sigmoid, list(A, B), or an
# isotonic map, list(decision, prob).

# Fits the map to values that no fit has counted. It is the sigmoid unless the isotonic map has a smaller log
# loss on folds that are held out in turn, by more than a standard error. signs: 1 or -1; fold: of each value;
# part: the repeat that the fold belongs to; row: which values are of the same row; weights: case weights, of
# which only the ratios count. Returns list(map, crossed): `crossed` has for each distinct fold, in the order of
# unique(), the map that leaves its rows out.
calibrate <- function(decision, signs, fold, part = rep(1L, length(fold)), row = seq_along(fold),
                      weights = rep(1, length(fold))) {
  folds <- unique(fold)
  others <- lapply(folds, function(k) values_beside(fold == k, part, row))
  sigmoid <- fit_sigmoid(decision, signs, weights)
  crossed <- lapply(others, function(own) fit_sigmoid(decision[own], signs[own], weights[own]))
  if (sigmoid$A < 0 && length(folds) > 1L) {
    isotonic <- lapply(others, function(own) fit_isotonic(decision[own], signs[own], weights[own]))
    loss <- function(maps) {
      value <- numeric(length(fold))
      for (k in seq_along(folds)) {
        own <- fold == folds[k]
        value[own] <- sigmoid_value(maps[[k]], decision[own])
      }
      -log(ifelse(signs > 0, value, 1 - value))
    }
    gain <- (loss(crossed) - loss(isotonic)) * weights / mean(weights)
    if (mean(gain) > stats::sd(gain) / sqrt(length(gain))) {
      return(list(map = fit_isotonic(decision, signs, weights), crossed = isotonic))
    }
  }
  list(map = sigmoid, crossed = crossed)
}

# The values that a fold is calibrated by: other folds of its repeat, else other rows, else all there are.
values_beside <- function(held_out, part, row) {
  others <- part == part[held_out][1L] & !held_out
  if (!any(others)) others <- !row %in% row[held_out]
  if (any(others)) which(others) else seq_along(row)
}

logistic_map <- list(A = -1, B = 0) # of the logistic loss itself

sigmoid_value <- function(map, decision) {
  if (!is.null(map$A)) return(stats::plogis(-(map$A * decision + map$B)))
  if (length(map$prob) == 1L) return(ifelse(is.na(decision), NA_real_, map$prob))
  stats::approx(map$decision, map$prob, decision, rule = 2)$y
}

# ---- the isotonic map ----------------------------------------------------------------------------

# The rising step function of least squares (pool adjacent violators), with Platt's targets, so that no
# probability is 0 or 1. Equal decision values are of one step; between two steps it is linear.
fit_isotonic <- function(decision, signs, weights = rep(1, length(signs))) {
  target <- platt_targets(signs, weights)
  order <- order(decision, -target)
  value <- rising_means(target[order], weights[order])
  step <- cumsum(c(TRUE, diff(value) > 1e-12))
  value <- value[match(step, step)] # without rounding
  ends <- sort(unique(c(which(!duplicated(step)), which(!duplicated(step, fromLast = TRUE)))))
  at <- decision[order][ends]
  kept <- !duplicated(at)
  list(decision = at[kept], prob = value[ends][kept])
}

# Weighted least squares by rising values: each block has the mean of its values, and takes up the block before
# it as long as that one's mean is not below.
rising_means <- function(value, weights) {
  mean <- total <- numeric(length(value))
  size <- integer(length(value))
  block <- 0L
  for (k in seq_along(value)) {
    block <- block + 1L
    mean[block] <- value[k]
    total[block] <- weights[k]
    size[block] <- 1L
    while (block > 1L && mean[block - 1L] >= mean[block]) {
      last <- block - 0:1
      block <- block - 1L
      mean[block] <- sum(total[last] * mean[last]) / sum(total[last])
      total[block] <- sum(total[last])
      size[block] <- sum(size[last])
    }
  }
  rep(mean[seq_len(block)], size[seq_len(block)])
}

# ---- the sigmoid ---------------------------------------------------------------------------------

# Platt's counts of either side, with case weights of mean 1.
side_counts <- function(signs, weights) {
  weights <- weights / mean(weights)
  c(positive = sum(weights[signs > 0]), negative = sum(weights[signs < 0]))
}

platt_targets <- function(signs, weights = rep(1, length(signs))) {
  count <- side_counts(signs, weights)
  ifelse(signs > 0, (count[["positive"]] + 1) / (count[["positive"]] + 2), 1 / (count[["negative"]] + 2))
}

# Maximum likelihood of 1/(1 + exp(A f + B)) with Platt's targets, by Newton's method with
# backtracking (Lin, Lin and Weng 2007, Algorithm 1).
fit_sigmoid <- function(decision, signs, weights = rep(1, length(signs)), max_steps = 100L) {
  count <- side_counts(signs, weights)
  prior <- log((count[["negative"]] + 1) / (count[["positive"]] + 1))
  if (max(decision) == min(decision)) return(list(A = 0, B = prior))
  target <- platt_targets(signs, weights)
  weights <- weights / mean(weights)
  par <- c(A = 0, B = prior)
  value <- sigmoid_loss(par, decision, target, weights)
  for (step in seq_len(max_steps)) {
    model <- sigmoid_model(par, decision, target, weights)
    if (max(abs(model$gradient)) < 1e-5) break
    direction <- -solve(model$hessian, model$gradient, tol = 0)
    slope <- sum(direction * model$gradient)
    size <- 1
    while (size >= 1e-10) {
      next_value <- sigmoid_loss(par + size * direction, decision, target, weights)
      if (next_value < value + 1e-4 * size * slope) break
      size <- size / 2
    }
    if (size < 1e-10) break
    par <- par + size * direction
    value <- next_value
  }
  as.list(par)
}

# -sum(w (t log p + (1 - t) log(1 - p))), written so that neither exponential overflows
sigmoid_loss <- function(par, decision, target, weights = 1) {
  z <- par[[1]] * decision + par[[2]]
  sum(weights * (ifelse(z >= 0, target * z, (target - 1) * z) + log1p(exp(-abs(z)))))
}

# Gradient and Hessian of the loss, the Hessian kept positive definite.
sigmoid_model <- function(par, decision, target, weights) {
  p <- stats::plogis(-(par[[1]] * decision + par[[2]]))
  design <- cbind(decision, 1)
  list(
    gradient = drop(crossprod(design, weights * (target - p))),
    hessian = crossprod(design, design * (weights * p * (1 - p))) + diag(1e-12, 2)
  )
}
