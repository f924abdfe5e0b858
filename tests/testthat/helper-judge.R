# An independent judge: everything below follows the definitions word for word and shares no code
# with the package. It is slow on purpose.

# ---- kernel matrices by definition (rows of x against rows of z) --------------------------------

judge_pairs <- function(x, z, f) {
  x <- as.matrix(x)
  z <- as.matrix(z)
  out <- matrix(0, nrow(x), nrow(z))
  for (i in seq_len(nrow(x))) for (j in seq_len(nrow(z))) out[i, j] <- f(x[i, ], z[j, ])
  out
}

judge_linear <- function(x, z = x) judge_pairs(x, z, function(u, v) sum(u * v))

judge_polynomial <- function(x, z = x, degree = 2, scale = 1, offset = 1) {
  judge_pairs(x, z, function(u, v) (scale * sum(u * v) + offset)^degree)
}

judge_gaussian <- function(x, z = x, width = 1) {
  judge_pairs(x, z, function(u, v) exp(-sum((u - v)^2) / width))
}

# ---- normalisation -------------------------------------------------------------------------------

# One kernel's training matrix normalised, and (new x train) values normalised with the training
# constants. `new_diagonal` holds k(x, x) of the new rows; only the spherical scale asks for it.
judge_normalize <- function(K, how = "multiplicative", K_new = NULL, new_diagonal = NULL) {
  n <- nrow(K)
  self <- diag(K)
  if ("centre" %in% how) {
    mean_train <- vapply(seq_len(n), function(i) sum(K[i, ]) / n, 0)
    total <- sum(K) / n^2
    centred <- K
    for (i in seq_len(n)) for (j in seq_len(n)) {
      centred[i, j] <- K[i, j] - mean_train[i] - mean_train[j] + total
    }
    if (!is.null(K_new)) {
      mean_new <- apply(K_new, 1, mean)
      for (i in seq_len(nrow(K_new))) {
        K_new[i, ] <- K_new[i, ] - mean_new[i] - mean_train + total
      }
      if (!is.null(new_diagonal)) new_diagonal <- new_diagonal - 2 * mean_new + total
    }
    K <- centred
    self <- diag(K)
  }
  scale <- setdiff(how, "centre")
  if (!length(scale)) scale <- "none"
  if (scale == "spherical") {
    train <- K / sqrt(outer(self, self))
    new <- if (!is.null(K_new)) K_new / sqrt(outer(new_diagonal, self))
  } else {
    by <- switch(scale,
      none = 1,
      multiplicative = sum(self) / n - sum(K) / n^2,
      trace = sum(self)
    )
    train <- K / by
    new <- if (!is.null(K_new)) K_new / by
  }
  list(train = train, new = new)
}

# ---- the certificate -----------------------------------------------------------------------------

judge_forms <- function(Ks, alpha) vapply(Ks, function(K) sum(alpha * (K %*% alpha)), 0)

judge_norm <- function(v, p) {
  largest <- max(abs(v))
  if (is.infinite(p) || largest == 0) return(largest)
  largest * sum((abs(v) / largest)^p)^(1 / p)
}

# The hinge loss of g + b over all b is convex and piecewise linear: its minimum is at a breakpoint.
judge_offset <- function(g, y, C_i) {
  used <- which(C_i > 0)
  at <- unique(y[used] - g[used])
  loss <- vapply(at, function(b) sum((C_i * pmax(0, 1 - y * (g + b)))[used]), 0)
  list(b = at[which.min(loss)], loss = min(loss))
}

# upper, lower and relative gap of section 1 of the mathematics for the hinge loss. Ks: list of the
# normalised kernel matrices; y: +-1; C_i: one cost per row. Tasks: alpha, y and C_i may be matrices
# with one column per task that share theta.
judge_gap <- function(Ks, theta, alpha, y, C_i, p) {
  alpha <- as.matrix(alpha)
  y <- as.matrix(y)
  C_i <- matrix(C_i, nrow(y), ncol(y))
  K_theta <- Reduce(`+`, Map(function(K, t) K * t, Ks, theta))
  forms <- Reduce(`+`, lapply(seq_len(ncol(alpha)), function(t) judge_forms(Ks, alpha[, t])))
  forms <- pmax(forms, 0)
  q <- if (is.infinite(p)) 2 else 2 * p / (p + 1)
  dual_norm <- if (p == 1) Inf else if (is.infinite(p)) 1 else p / (p - 1)
  offsets <- lapply(seq_len(ncol(alpha)), function(t) {
    judge_offset(drop(K_theta %*% alpha[, t]), y[, t], C_i[, t])
  })
  loss <- sum(vapply(offsets, `[[`, 0, "loss"))
  upper <- loss + 0.5 * judge_norm(theta * sqrt(forms), q)^2
  lower <- sum(y * alpha) - 0.5 * judge_norm(forms, dual_norm)
  box <- y * alpha
  list(
    upper = upper, lower = lower, gap = (upper - lower) / max(abs(upper), 1e-300),
    offset = vapply(offsets, `[[`, 0, "b"),
    decision = K_theta %*% alpha,
    theta_ok = all(theta >= 0) && abs(judge_norm(theta, p) - 1) < 1e-8,
    box_ok = all(box >= -1e-9 * max(C_i)) && all(box <= C_i * (1 + 1e-9)),
    sum_ok = all(abs(colSums(alpha)) <= 1e-8 * pmax(1, colSums(abs(alpha))))
  )
}

# The expectation itself: the fit is what it claims to be, by the judge's own arithmetic.
expect_certified <- function(fit, Ks, tol = fit$control$tol) {
  verdict <- judge_gap(Ks, fit$theta, fit$alpha, judge_signs(fit), fit$cost, fit$p)
  testthat::expect_true(verdict$theta_ok)
  testthat::expect_true(verdict$box_ok)
  testthat::expect_true(verdict$sum_ok)
  testthat::expect_lte(verdict$gap, tol * (1 + 1e-6))
  testthat::expect_lt(abs(fit$gap - verdict$gap), 1e-9)
  testthat::expect_equal(fit$objective, verdict$lower, tolerance = 1e-8)
  testthat::expect_equal(fit$primal, verdict$upper, tolerance = 1e-8)
  invisible(verdict)
}

# A fit of two classes is certified by its matrices, and as good as a fit of these.
expect_as_from_matrices <- function(fit, y, matrices, ...) {
  other <- mkl(NULL, y, suppressMessages(precomputed_kernel(matrices)), ..., normalize = "none",
               control = mkl_control(progress = FALSE, tol = 1e-4))
  testthat::expect_identical(fit$status, "converged")
  expect_certified(fit, matrices)
  testthat::expect_equal(fit$objective, other$objective, tolerance = 2e-4)
}

judge_signs <- function(fit) ifelse(is.na(fit$y), 1, ifelse(fit$y == levels(fit$y)[2], 1, -1))

# ---- data every test file draws on ---------------------------------------------------------------

# Two overlapping clouds; the first column separates, the others are noise.
judge_clouds <- function(n = 40, d = 3, shift = 1.5, seed = 1) {
  old <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (!is.null(old)) assign(".Random.seed", old, globalenv()))
  set.seed(seed)
  x <- matrix(stats::rnorm(n * d), n, d, dimnames = list(NULL, paste0("v", seq_len(d))))
  y <- rep(c("no", "yes"), length.out = n)
  x[, 1] <- x[, 1] + shift * (y == "yes")
  list(x = x, y = factor(y))
}

# Three clouds on a triangle.
judge_triangle <- function(n = 45, seed = 2) {
  cloud <- judge_clouds(n, 2, 0, seed)
  y <- rep(c("a", "b", "c"), length.out = n)
  centre <- cbind(c(0, 2.5, 0), c(0, 0, 2.5))[match(y, c("a", "b", "c")), ]
  list(x = cloud$x + centre, y = factor(y))
}

# A condition of the given class that names the argument.
expect_classed <- function(code, class, argument) {
  condition <- testthat::expect_error(code, class = paste0("manykernels_", class))
  testthat::expect_s3_class(condition, "manykernels_error")
  testthat::expect_identical(condition$argument, argument)
  invisible(condition)
}

# Printed fits without the digits that depend on how far the optimiser went beyond tol.
hide_digits <- function(lines) {
  lines <- gsub("gap [0-9.e+-]+:", "gap <gap>:", lines)
  lines <- gsub("[0-9.]+e-[0-9]+ converged", "<gap> converged", lines)
  lines <- gsub("gap +status", "gap status", lines) # as wide as the digits
  gsub("[0-9,]+ iterations?", "<iterations>", lines)
}
