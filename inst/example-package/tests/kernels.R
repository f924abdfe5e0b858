# Both kernels against their definition in R, alone and on threads, in fits, predictions and
# cross-validation; and after a fit was saved.
library(manykernels)
library(mkexample)
set.seed(1)

certified <- function(fit, ...) {
  stopifnot(fit$converged, fit$gap <= 1e-3, duality_gap(fit, ...)$gap <= 1e-3)
}
on_threads <- function(threads) mkl_control(threads = threads, progress = FALSE)

# ---- columns of numbers ----
n <- 300
x <- matrix(rpois(n * 8, 4), n)
x[, 1] <- x[, 1] + rep(c(0, 3), n / 2)
y <- factor(rep(c("low", "high"), n / 2))
by_hand <- function(X, Z, power = 1) {
  apply(Z, 1, function(z) rowSums(pmin(X, rep(z, each = nrow(X)))^power))
}
k <- intersection_kernel(2)
stopifnot(all.equal(kernel_matrix(k, x), by_hand(x, x, 2)))
fits <- lapply(1:2, function(threads) {
  mkl(x, y, c(k, gaussian_kernel(c(10, 100))), scale = FALSE, control = on_threads(threads))
})
plain <- mkl(x, y, c(function_kernel(function(X, Z) by_hand(X, Z, 2), "intersection"),
                     gaussian_kernel(c(10, 100))), scale = FALSE, control = on_threads(1))
for (fit in fits) {
  certified(fit, x, y)
  stopifnot(abs(fit$objective - plain$objective) < 1e-3 * plain$objective)
}
new <- matrix(rpois(160, 5), 20)
stopifnot(all.equal(predict(fits[[2]], new, type = "decision"),
                    predict(fits[[1]], new, type = "decision"), tolerance = 0.05))
cv <- cv_mkl(x, y, k, p = 2, C = c(0.01, 0.1), folds = 3, scale = FALSE)
stopifnot(max(cv$results$mean) > 0.7)

file <- tempfile()
saveRDS(fits[[1]], file)
stopifnot(identical(predict(readRDS(file), new), predict(fits[[1]], new)))
negative <- tryCatch(mkl(-x, y, k, scale = FALSE), error = identity)
stopifnot(inherits(negative, "manykernels_function_kernel"))

# ---- positions of graphs ----
random_graph <- function(kind) {
  edges <- cbind(sample(12, 20, TRUE), sample(12, 20, TRUE))
  list(labels = sample(4, 12, TRUE, prob = if (kind) c(4, 1, 1, 1) else c(1, 1, 1, 4)), edges = edges)
}
kind <- rep(c(TRUE, FALSE), 60)
graphs <- lapply(kind, random_graph)
all <- graph_collection(graphs)
data <- list(graph = cbind(position = seq_along(graphs)), size = cbind(rnorm(120), rnorm(120)))
kernels <- c(on_view(graph_kernel(all), "graph"), on_view(gaussian_kernel(1:2), "size"))
fit <- mkl(data, kind, kernels, scale = c(graph = FALSE), control = on_threads(2))
certified(fit, data, kind)

pairs <- function(g, h) {
  ends <- function(graph) {
    two <- matrix(graph$labels[graph$edges], ncol = 2)
    paste(pmin(two[, 1], two[, 2]), pmax(two[, 1], two[, 2]))
  }
  sum(outer(ends(g), ends(h), "=="))
}
K <- kernel_matrix(graph_kernel(all), cbind(1:6))
stopifnot(all.equal(K, outer(1:6, 1:6, Vectorize(function(i, j) pairs(graphs[[i]], graphs[[j]])))))

# the same fit in C, and one on matrices by its definition
cosine <- function(K) {
  root <- sqrt(diag(K))
  K / ifelse(root == 0, 1, root) / rep(ifelse(root == 0, 1, root), each = nrow(K))
}
C_all <- cosine(kernel_matrix(graph_kernel(all), cbind(seq_along(graphs))))
sign <- ifelse(kind, 1, -1)[1:80]
C_fits <- lapply(1:2, function(threads) graph_fit(all, sign, C = 2, p = 4 / 3, threads = threads))
powers <- list(C_all[1:80, 1:80], C_all[1:80, 1:80]^2, C_all[1:80, 1:80]^3)
plain <- mkl(NULL, sign, precomputed_kernel(powers), p = 4 / 3, C = 2, normalize = "none",
             control = on_threads(1))
for (one in C_fits) {
  by_definition <- C_all[81:120, 1:80] %*% one$alpha * one$theta[1] +
    C_all[81:120, 1:80]^2 %*% one$alpha * one$theta[2] +
    C_all[81:120, 1:80]^3 %*% one$alpha * one$theta[3] + one$offset
  stopifnot(one$converged, one$gap <= 1e-3, abs(one$objective - plain$objective) <= 1e-3 * plain$primal,
            abs(one$primal - plain$primal) <= 2e-3 * plain$primal,
            all.equal(graph_decision(one, all), drop(by_definition)),
            all.equal(sum(one$theta^(4 / 3)), 1), abs(sum(one$alpha)) < 1e-8)
}
stopifnot(inherits(try(graph_fit(all, sign, C = -1), silent = TRUE), "try-error"))

# new graphs join the collection; their positions are new data
new <- add_graphs(all, lapply(kind[1:40], random_graph))
newdata <- list(graph = cbind(position = new), size = cbind(rnorm(40), rnorm(40)))
stopifnot(mean(predict(fit, newdata) == kind[1:40]) > 0.8)

# a saved fit has the collection with it
saveRDS(list(fit = fit, newdata = newdata), file)
again <- readRDS(file)
stopifnot(identical(predict(again$fit, again$newdata), predict(fit, newdata)))
cat("all is well\n")
