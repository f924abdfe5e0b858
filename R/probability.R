# Class probabilities: Platt's sigmoid on cross-validated decision values, and their coupling for
# several classes.

probability_folds <- 5L

# ---- cross-validated decision values -------------------------------------------------------------

# Fold of each row, stratified by class; rows without weight in no fold (0).
fold_rows <- function(problem) {
  response <- problem$response
  if (is_labels(response)) return(label_fold_rows(problem))
  counted <- rowSums(problem$cost) > 0
  counts <- table(response[counted])
  if (any(counts < probability_folds)) {
    few <- names(counts)[which.min(counts)]
    mk_abort(sprintf(paste(
      "`probability = TRUE` needs at least %d cases with positive weight in each class,",
      "one for each fold, but `%s` has %d. `loss = \"logistic\"` has probabilities without folds."
    ), probability_folds, few, min(counts)), "too_few", "probability", min(counts))
  }
  folds <- integer(length(response))
  folds[counted] <- random_folds(probability_folds, sum(counted), response[counted])
  folds
}

# For labels, stratified by the rarest that a row has.
label_fold_rows <- function(problem) {
  counted <- rowSums(problem$cost) > 0
  labels <- problem$response[counted, , drop = FALSE]
  counts <- rbind(colSums(labels), colSums(1 - labels))
  if (any(counts < probability_folds)) {
    few <- which.min(apply(counts, 2, min))
    mk_abort(sprintf(paste(
      "`probability = TRUE` needs at least %d rows of positive weight with and without each label,",
      "one for each fold, but `%s` has %d. `loss = \"logistic\"` has probabilities without folds."
    ), probability_folds, colnames(labels)[few], min(counts)), "too_few", "probability", min(counts))
  }
  folds <- integer(length(counted))
  folds[counted] <- random_folds(probability_folds, sum(counted), label_strata(labels))
  folds
}

# Decision values of each row from a model that didn't count it: its cost is 0 there, so one set
# of kernels serves all folds. Columns are the tasks that share theta.
cross_decisions <- function(problem, targets, cost, folds) {
  decision <- matrix(NA_real_, nrow(targets), ncol(targets))
  gaps <- numeric(probability_folds)
  status <- character(probability_folds)
  problem$settings$control$progress <- FALSE
  for (fold in seq_len(probability_folds)) {
    out <- folds == fold
    fold_cost <- cost
    fold_cost[out, ] <- 0
    result <- run_core(problem, targets, fold_cost, fits_left = probability_folds - fold + 1)
    decision[out, ] <- result$decision[out, ]
    gaps[fold] <- result$gap
    status[fold] <- result$status
  }
  warn_open_folds(status, gaps)
  decision
}

# The condition's argument is `max_time` if time was short: another call may need less.
warn_open_folds <- function(status, gaps) {
  open <- sum(status != "converged")
  if (!open) return(invisible())
  late <- "time_limit" %in% status
  mk_warn(sprintf("%d of %d cross-validation fits for the probabilities did not converge%s.", open,
                  length(status), if (late) " within `max_time`" else ""),
          "not_converged", if (late) "max_time" else "probability", max(gaps))
}

# Logistic loss has its sigmoid from the model itself.
needs_folds <- function(settings) settings$control$probability && settings$loss$type != "logistic"

# One sigmoid per task; NULL each without probabilities.
fit_sigmoids <- function(problem, targets, cost, folds) {
  decision <- if (!is.null(folds)) cross_decisions(problem, targets, cost, folds)
  sigmoids_of(problem, targets, decision, folds)
}

# decision: of each row by a model that didn't count it; NULL without probabilities.
sigmoids_of <- function(problem, targets, decision, folds) {
  if (problem$settings$loss$type == "logistic") {
    return(rep(list(list(A = -1, B = 0)), ncol(targets)))
  }
  if (is.null(decision)) return(vector("list", ncol(targets)))
  lapply(seq_len(ncol(targets)), function(t) {
    used <- folds > 0 & targets[, t] != 0
    fit_sigmoid(decision[used, t], targets[used, t])
  })
}

# ---- the sigmoid ---------------------------------------------------------------------------------

# Maximum likelihood of 1/(1 + exp(A f + B)) with Platt's targets, by Newton's method with
# backtracking (Lin, Lin and Weng 2007, Algorithm 1).
fit_sigmoid <- function(decision, signs, max_steps = 100L) {
  positive <- sum(signs > 0)
  negative <- sum(signs < 0)
  target <- ifelse(signs > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))
  par <- c(A = 0, B = log((negative + 1) / (positive + 1)))
  value <- sigmoid_loss(par, decision, target)
  for (step in seq_len(max_steps)) {
    model <- sigmoid_model(par, decision, target)
    if (max(abs(model$gradient)) < 1e-5) break
    direction <- -solve(model$hessian, model$gradient)
    slope <- sum(direction * model$gradient)
    size <- 1
    while (size >= 1e-10) {
      next_value <- sigmoid_loss(par + size * direction, decision, target)
      if (next_value < value + 1e-4 * size * slope) break
      size <- size / 2
    }
    if (size < 1e-10) break
    par <- par + size * direction
    value <- next_value
  }
  as.list(par)
}

# -sum(t log p + (1 - t) log(1 - p)), written so that neither exponential overflows
sigmoid_loss <- function(par, decision, target) {
  z <- par[[1]] * decision + par[[2]]
  sum(ifelse(z >= 0, target * z, (target - 1) * z) + log1p(exp(-abs(z))))
}

# Gradient and Hessian of the loss, the Hessian kept positive definite.
sigmoid_model <- function(par, decision, target) {
  p <- stats::plogis(-(par[[1]] * decision + par[[2]]))
  design <- cbind(decision, 1)
  list(
    gradient = drop(crossprod(design, target - p)),
    hessian = crossprod(design, design * (p * (1 - p))) + diag(1e-12, 2)
  )
}

sigmoid_value <- function(sigmoid, decision) {
  stats::plogis(-(sigmoid$A * decision + sigmoid$B))
}

# ---- probabilities of the classes ----------------------------------------------------------------

sigmoid_matrix <- function(decision, object) {
  positive <- unname(sigmoid_value(object$probability, decision))
  matrix(c(1 - positive, positive), ncol = 2, dimnames = list(names(decision), object$levels))
}

multiclass_probability <- function(decision, object) {
  if (!is.null(object$outputs)) return(output_probability(decision, object$models))
  sigmoids <- vapply(seq_along(object$models), function(m) {
    sigmoid_value(object$models[[m]]$probability, decision[, m])
  }, numeric(nrow(decision)))
  sigmoids <- matrix(sigmoids, nrow(decision), ncol(decision))
  out <- if (object$strategy == "ovo") {
    couple_pairs(sigmoids, length(object$levels))
  } else {
    sigmoids <- pmax(sigmoids, 1e-12)
    sigmoids / rowSums(sigmoids)
  }
  dimnames(out) <- list(rownames(decision), object$levels)
  out
}

# Rows of pairwise probabilities of the second level of each pair -> class probabilities.
couple_pairs <- function(second, k) {
  second <- pmin(pmax(second, 1e-7), 1 - 1e-7)
  pairs <- utils::combn(k, 2)
  out <- matrix(NA_real_, nrow(second), k)
  for (i in which(!is.na(rowSums(second)))) {
    r <- matrix(0, k, k)
    r[t(pairs)[, 2:1, drop = FALSE]] <- second[i, ]
    r[t(pairs)] <- 1 - second[i, ]
    out[i, ] <- couple(r)
  }
  out
}

# Minimises sum_{i != j} (r_ji p_i - r_ij p_j)^2 over the simplex: the second method of Wu, Lin and
# Weng (2004), whose optimum solves the linear system [Q 1; 1' 0] [p; b] = [0; 1]. Q is positive
# definite for r in (0, 1), and p is non-negative by their Theorem 2.
couple <- function(r) {
  k <- nrow(r)
  Q <- -t(r) * r
  diag(Q) <- colSums(r^2)
  system <- rbind(cbind(Q, 1), c(rep(1, k), 0))
  p <- pmax(solve(system, c(rep(0, k), 1))[seq_len(k)], 0)
  p / sum(p)
}
