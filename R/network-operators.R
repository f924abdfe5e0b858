# Operators on the nodes of a network; kernel-graphs.R describes networks.

# For each operator Q W, and R'W with R R' = Q; W: nodes by anything, dense.
network_operators <- list(
  diffusion = list(
    product = function(network, W) diffuse(network, 1, W),
    root = function(network, W) diffuse(network, 1 / 2, W)
  ),
  laplacian = list(
    product = function(network, W) invert_laplacian(network, W, half = FALSE),
    root = function(network, W) invert_laplacian(network, W, half = TRUE)
  ),
  random_walk = list(
    product = function(network, W) walk(network, network$values[["p"]], W),
    root = function(network, W) {
      p <- network$values[["p"]]
      W <- walk(network, ceiling(p / 2), W)
      if (p %% 2 == 0) return(W)
      # M^p = M^h M^-1 M^h with h = (p + 1) / 2; M may be singular where a = 2
      push <- 1e-13 * Matrix::Diagonal(nrow(W))
      solve_cholesky(walk_matrix(network) + push, W, half = TRUE)
    }
  )
)

network_product <- function(network, W) network_operators[[network$operator]]$product(network, W)

# Q^share W
diffuse <- function(network, share, W) {
  beta <- share * network$values[["beta"]]
  matrix_function(network$laplacian, function(lambda) exp(-beta * lambda), W)
}

# f(L) W by Chebyshev polynomials T_k, as sum_k weight_k T_k(M) W with the eigenvalues of M = 2 L /
# bound - I in [-1, 1]. NULL where that takes more than `most` of them.
matrix_function <- function(L, f, W, most = Inf) {
  bound <- max(Matrix::rowSums(abs(L))) # no eigenvalue is larger
  if (bound == 0) return(f(0) * W)
  weight <- chebyshev_weights(function(u) f(bound * u), most)
  if (is.null(weight)) return(NULL)
  M <- 2 / bound * L - Matrix::Diagonal(nrow(L))
  before <- W
  now <- as.matrix(M %*% W)
  sum <- weight[1L] * W
  for (w in weight[-1L]) {
    sum <- sum + w * now
    after <- 2 * as.matrix(M %*% now) - before
    before <- now
    now <- after
  }
  sum
}

# Weights of f on [0, 1] down to rounding, from its values at as many points (1 + cos(angle)) / 2 as
# it takes.
chebyshev_weights <- function(f, most) {
  for (terms in 2^(5:20)) {
    half_angle <- pi * seq(0, 2 * terms - 1) / (2 * terms)
    value <- f(cos(half_angle)^2)
    weight <- Re(stats::fft(value))[seq_len(terms)] / terms
    weight[1L] <- weight[1L] / 2
    needed <- max(which(abs(weight) > .Machine$double.eps * max(abs(value))))
    if (needed <= 0.75 * terms) return(if (needed <= most) weight[seq_len(needed)])
    if (terms > 2 * most) return(NULL)
  }
  weight
}

walk_matrix <- function(network) {
  network$values[["a"]] * Matrix::Diagonal(nrow(network$laplacian)) - network$laplacian
}

walk <- function(network, steps, W) {
  M <- walk_matrix(network)
  for (step in seq_len(steps)) W <- as.matrix(M %*% W)
  W
}

# (I + gamma L)^-1 W, or R'W of its root. A short polynomial is used if there is one, since factors of closely
# connected networks fill up; otherwise the sparse factor. For the pseudoinverse, W is projected off the null
# space of L, a vector for each connected component; L without one node of each component is invertible.
invert_laplacian <- function(network, W, half) {
  L <- network$laplacian
  gamma <- network$values[["gamma"]]
  if (is.finite(gamma)) {
    power <- if (half) -1 / 2 else -1
    return(matrix_function(L, function(lambda) (1 + gamma * lambda)^power, W, SHORT_POLYNOMIAL) %||%
             solve_cholesky(Matrix::Diagonal(nrow(L)) + gamma * L, W, half))
  }
  component <- components(L)
  W <- without_null_space(W, network$null, component)
  kept <- which(duplicated(component))
  W[-kept, ] <- 0
  if (!length(kept)) return(W * 0)
  W[kept, ] <- solve_cholesky(L[kept, kept, drop = FALSE], W[kept, , drop = FALSE], half)
  if (half) W else without_null_space(W, network$null, component)
}

SHORT_POLYNOMIAL <- 200 # terms

without_null_space <- function(W, null, component) {
  share <- rowsum(null * W, component, reorder = FALSE) /
    drop(rowsum(null^2, component, reorder = FALSE))
  W - null * unname(share[match(component, unique(component)), , drop = FALSE])
}

# The smallest number of a node in each node's connected component.
components <- function(L) {
  edge <- methods::as(L, "TsparseMatrix")
  from <- edge@i + 1L
  to <- edge@j + 1L
  label <- seq_len(nrow(L))
  repeat {
    lower <- pmin(label[from], label[to])
    turn <- order(lower, decreasing = TRUE) # the smallest comes last and stays
    parent <- seq_along(label)
    parent[label[from][turn]] <- lower[turn]
    new <- parent[label]
    while (any(parent[new] != new)) new <- parent[new]
    if (identical(new, label)) return(label)
    label <- new
  }
}

# S^-1 W = P'L^-T L^-1 P W of the factor S = P'L L'P, or half of it, L^-1 P W.
solve_cholesky <- function(S, W, half) {
  factor <- Matrix::Cholesky(Matrix::forceSymmetric(S), LDL = FALSE)
  if (!half) return(as.matrix(Matrix::solve(factor, W)))
  as.matrix(Matrix::solve(factor, Matrix::solve(factor, W, system = "P"), system = "L"))
}
