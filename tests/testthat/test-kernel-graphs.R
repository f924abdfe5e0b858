set.seed(1)
p <- 25
edges <- matrix(rbinom(p^2, 1, 0.06) * runif(p^2), p) * upper.tri(diag(p))
edges[, p] <- 0 # a node without edges
A <- edges + t(edges)
dimnames(A) <- rep(list(paste0("g", seq_len(p))), 2)
degree <- rowSums(A)
L <- diag(degree) - A
root <- ifelse(degree > 0, 1 / sqrt(degree), 0)
Ln <- root * L * rep(root, each = p)
exponential <- function(M) with(eigen(M, symmetric = TRUE), vectors %*% (t(vectors) * exp(values)))
pseudoinverse <- function(M) {
  e <- eigen(M, symmetric = TRUE)
  kept <- e$values > 1e-10
  e$vectors[, kept] %*% (t(e$vectors[, kept]) / e$values[kept])
}
W <- function(a) a * diag(p) - Ln
plain <- list(
  exponential(-0.7 * L), exponential(-70 * L), exponential(-3 * Ln), solve(diag(p) + 0.7 * L),
  solve(diag(p) + 9 * Ln), pseudoinverse(L), pseudoinverse(Ln), W(2), W(3) %*% W(3),
  W(2) %*% W(2) %*% W(2)
)
kernels <- function(A, nodes) {
  c(diffusion_kernel(A, c(0.7, 70), nodes), diffusion_kernel(A, 3, nodes, normalized = TRUE),
    laplacian_kernel(A, 0.7, nodes), laplacian_kernel(A, 9, nodes, normalized = TRUE),
    laplacian_kernel(A, Inf, nodes), laplacian_kernel(A, Inf, nodes, normalized = TRUE),
    random_walk_kernel(A, c(2, 3, 2), 1:3, nodes))
}

n <- 50
x <- matrix(rnorm(n * 30), n, dimnames = list(
  paste0("s", 1:n), sample(c(paste0("g", 3:p), paste0("other", 1:7)))
))
y <- rowSums(x[, c("g3", "g4", "g5")]) + rnorm(n) > 0
shared <- intersect(rownames(A), colnames(x))

test_that("tiny cases by hand", {
  two <- matrix(c(0, 1, 1, 0), 2)
  same <- (1 + exp(-2)) / 2
  expect_equal(kernel_matrix(diffusion_kernel(two)), matrix(c(same, 1 - same, 1 - same, same), 2))
  expect_equal(kernel_matrix(laplacian_kernel(two)), matrix(c(2, 1, 1, 2) / 3, 2))
  expect_equal(kernel_matrix(laplacian_kernel(two, Inf)), matrix(c(1, -1, -1, 1) / 4, 2))
  expect_equal(kernel_matrix(random_walk_kernel(two, 2, 1)), matrix(1, 2, 2))
})

test_that("kernels of nodes are those of the definitions", {
  for (given in list(A, methods::as(Matrix::Matrix(A, sparse = TRUE), "CsparseMatrix"), A + diag(p))) {
    Q <- kernel_matrix(kernels(given, "samples"))
    for (m in seq_along(plain)) {
      expect_equal(unname(Q[[m]]), unname(plain[[m]]), tolerance = 1e-11)
      expect_identical(rownames(Q[[m]]), rownames(A))
    }
  }
  expect_snapshot(kernels(A, "features"))
})

test_that("long diffusion and large weights keep their digits", {
  far <- kernel_matrix(diffusion_kernel(1e4 * A, c(1e-3, 50)))
  expect_equal(unname(far[[1]]), exponential(-10 * L), tolerance = 1e-10)
  expect_equal(unname(far[[2]]), exponential(-5e5 * L), tolerance = 1e-8)
})

test_that("nodes are samples: matched by name, some predict others", {
  class <- setNames(plain[[1]][, 1] > median(plain[[1]][, 1]), rownames(A))
  fit <- suppressMessages(mkl(y = rev(class), kernels = diffusion_kernel(A, 1)))
  expect_lt(fit$gap, 1e-3)
  K <- kernel_matrix(diffusion_kernel(A, 1))
  some <- rownames(A)[1:15]
  part <- mkl(y = class[some], kernels = precomputed_kernel(K[some, some]))
  expect_length(predict(part, K[16:25, ]), 10)
  expect_error(mkl(x, y, kernels = diffusion_kernel(A, 1)), class = "manykernels_dimension")
})

test_that("kernels of features are x'Qz, on the nodes among the columns", {
  expect_message(K <- kernel_matrix(kernels(A, "features"), x), class = "manykernels_message_features")
  node <- match(shared, rownames(A))
  for (m in seq_along(plain)) {
    expect_equal(unname(K[[m]]), unname(x[, shared] %*% plain[[m]][node, node] %*% t(x[, shared])),
                 tolerance = 1e-10)
  }
  genes <- c("g4", "g9", "g11")
  expect_equal(unname(kernel_matrix(on_features(diffusion_kernel(A, 0.7, "features"), genes), x)),
               unname(x[, genes] %*% plain[[1]][genes |> match(rownames(A)), match(genes, rownames(A))] %*%
                        t(x[, genes])), tolerance = 1e-10)
  # nodes and columns without names go by position
  bare <- unname(x[, shared[1:20]])
  B <- unname(A[3:22, 3:22])
  expect_equal(kernel_matrix(laplacian_kernel(B, 2, "features"), bare),
               bare %*% solve(diag(20) + 2 * (diag(rowSums(B)) - B), t(bare)), tolerance = 1e-10)
  sparse <- methods::as(Matrix::Matrix(x * (x > 1), sparse = TRUE), "CsparseMatrix")
  expect_equal(suppressMessages(kernel_matrix(diffusion_kernel(A, 0.7, "features"), sparse)),
               suppressMessages(kernel_matrix(diffusion_kernel(A, 0.7, "features"), x * (x > 1))),
               tolerance = 1e-10)
})

test_that("fits are certified and predict by weights as by pairs", {
  x <- x[, shared]
  set <- c(kernels(A, "features"), gaussian_kernel(30), linear_kernel())
  for (normalize in list("multiplicative", "spherical", c("centre", "multiplicative"),
                         c("centre", "spherical"))) {
    fit <- mkl(x, y, kernels = set, normalize = normalize)
    expect_lt(fit$gap, 1e-3)
    expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-6)
    expect_equal(predict(fit, x[9:1, ncol(x):1], type = "decision"),
                 predict(fit, type = "decision")[9:1], tolerance = 1e-9)
  }
  k <- laplacian_kernel(A, 5, "features")
  views <- list(genes = x, other = matrix(rnorm(n * 3), n))
  two <- mkl(views, y, kernels = c(on_view(k, "genes"), on_view(gaussian_kernel(6), "other")))
  expect_lt(two$gap, 1e-3)
  expect_equal(predict(two, views, type = "decision"), predict(two, type = "decision"),
               tolerance = 1e-9)
  path <- tempfile()
  saveRDS(fit, path)
  expect_identical(predict(readRDS(path), x), predict(fit, x))
  expect_lt(mkl_gomp(x, y, k)$gap, 1e-3)
  by_function <- kernel_dictionary(function(i) set[i], size = 3)
  expect_lt(mkl_sequential(x, y, by_function)$gap, 1e-3)
  expect_equal(mkl_sequential(x, y, set)$objective, mkl(x, y, set, p = 1)$objective, tolerance = 1e-3)
})

test_that("weights of genes are smooth along the network", {
  x <- x[, shared]
  fit <- mkl(x, y, kernels = diffusion_kernel(A, 2, "features"), scale = FALSE, normalize = "none")
  node <- match(shared, rownames(A))
  Q <- exponential(-2 * L)[node, node]
  expect_equal(fit$data$linear$weights$x, drop(Q %*% crossprod(x, fit$alpha)), ignore_attr = TRUE,
               tolerance = 1e-9)
})

test_that("folds are those of fits by hand", {
  x <- x[, shared]
  k <- diffusion_kernel(A, 1, "features")
  folds <- rep(1:5, 10)
  cv <- cv_mkl(x, y, k, p = 1, C = 1, folds = folds)
  by_hand <- vapply(1:5, function(f) {
    fit <- mkl(x[folds != f, ], y[folds != f], kernels = k, p = 1)
    mean(predict(fit, x[folds == f, ]) == y[folds == f])
  }, 0)
  expect_equal(cv$results$mean, mean(by_hand), tolerance = 0.03)
})

test_that("igraph's networks are read", {
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_adjacency_matrix(A, "undirected", weighted = TRUE)
  expect_equal(kernel_matrix(diffusion_kernel(graph, 0.7)), kernel_matrix(diffusion_kernel(A, 0.7)))
  directed <- igraph::graph_from_adjacency_matrix(edges, "directed", weighted = TRUE)
  expect_error(diffusion_kernel(directed), class = "manykernels_not_symmetric")
})

test_that("bad input is refused", {
  expect_classed(diffusion_kernel(A[1:3, ]), "dimension", "A")
  expect_classed(diffusion_kernel(`rownames<-`(A, rev(rownames(A)))), "row_order", "A")
  twice <- A
  dimnames(twice) <- rep(list(rep("g", p)), 2)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    diffusion_kernel()
    diffusion_kernel("network")
    diffusion_kernel(A[1:3, ])
    diffusion_kernel(edges)
    diffusion_kernel(-A)
    diffusion_kernel(replace(A, 1, NA))
    diffusion_kernel(twice)
    diffusion_kernel(A, beta = 0)
    diffusion_kernel(A, nodes = "genes")
    diffusion_kernel(A, normalized = NA)
    laplacian_kernel(A, gamma = -1)
    random_walk_kernel(A, a = 1)
    random_walk_kernel(A, p = 1.5)
    random_walk_kernel(A, a = 2:4, p = 1:2)
    per_feature(diffusion_kernel(A, nodes = "features"))
    mkl(unname(x), y, kernels = diffusion_kernel(A, nodes = "features"))
    mkl(x, y, kernels = diffusion_kernel(unname(A), nodes = "features"))
    mkl(`colnames<-`(x[, 1:3], c("g1", "g1", "g2")), y, kernels = diffusion_kernel(A, 1, "features"))
    mkl_sequential(x, y, kernel_dictionary(diffusion_kernel(A, nodes = "features"), list(1:3)))
  })
})
