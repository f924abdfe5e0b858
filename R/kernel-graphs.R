# Kernels of a network. A network is a list: operator (a name in network_operators), its parameters `values`,
# the Laplacian L that it is a function of, `null` (a basis of the null space of L), and the names of the
# nodes. Networks of samples become precomputed kernels; those of features kernels x'Qz (kernel-quadratic.R).

#' Kernels of a network
#'
#' Kernels of the nodes of an undirected network, from its Laplacian \eqn{L = D - A} or the
#' normalised one \eqn{\tilde L = D^{-1/2} (D - A) D^{-1/2}}{Ln = D^(-1/2) (D - A) D^(-1/2)};
#' \eqn{A} holds the weights of the edges, \eqn{D} the degrees.
#'
#' * `diffusion_kernel()`: \eqn{Q = \exp(-\beta L)}{Q = exp(-beta L)}, the heat that reaches one
#'   node from another after time `beta`.
#' * `laplacian_kernel()`: \eqn{Q = (I + \gamma L)^{-1}}{Q = (I + gamma L)^-1}, the regularised
#'   Laplacian; for `gamma = Inf` the pseudoinverse \eqn{L^+}{L+}, the limit of \eqn{\gamma Q}{gamma Q}
#'   without the constant on each connected component.
#' * `random_walk_kernel()`: \eqn{Q = (a I - \tilde L)^p}{Q = (a I - Ln)^p}, a lazy random walk of
#' `p` steps.
#'
#' Each is positive semidefinite.
#'
#' @section Samples or features: With `nodes = "samples"` the samples are nodes of the network, and
#' the kernel is \eqn{Q}: a [precomputed kernel][precomputed_kernel] whose rows are matched to the
#' samples of views and of `y` by name. To fit on some of the nodes and to predict others, take the
#' rows and columns of [kernel_matrix()]; see the example. The memory is 8 bytes for each pair of
#' nodes.
#'
#' With `nodes = "features"` the columns of a view are nodes, such as genes on pathways. Samples \eqn{x,
#' z} are compared along the network by \eqn{k(x, z) = x^\top Q z}{k(x, z) = x'Qz}. This is the linear
#' kernel of expression that has been smoothed by a root of \eqn{Q}. Columns are matched to nodes by
#' name, or by position if the nodes have no names (then their numbers must agree). Columns that aren't
#' nodes are left out, with a message of class `manykernels_message_features`. Nodes that aren't columns
#' stay in the network, as 0 in each sample. In a fit the columns are standardised ([scaling]). Sets of
#' genes ([on_features()]) use their columns on the whole network.
#'
#' No matrix of features by features is made. \eqn{Q} is applied to the samples by polynomials of the sparse
#' Laplacian. A sparse Cholesky factor of package Matrix is needed for `gamma = Inf`, an odd `p`, and if
#' `gamma` times the largest degree exceeds about 100. It stays sparse for pathways, but is nearly dense for a
#' large, closely connected network, such as all known protein interactions; use `normalized = TRUE` or
#' another kernel there. A fit keeps the Laplacian and, except under spherical scaling, one explicit weight
#' for each column.
#'
#' @param A The network: a symmetric matrix of edge weights, at least 0, dense or of the package Matrix
#'   (sparse stays sparse); or an undirected `igraph`, whose edge attribute `weight` is used if there is
#'   one. Names of rows and columns are the names of nodes. The diagonal is ignored. Nodes without edges
#'   are allowed.
#' @param beta Positive numbers, in units of 1 / edge weight (without unit when normalised).
#' @param gamma Positive numbers or `Inf`, in the same units.
#' @param a Numbers of at least 2, without unit.
#' @param p Numbers of steps, whole numbers from 1 to 100.
#' @param nodes The nodes of the network: `"samples"` or `"features"`.
#' @param normalized Whether to take the normalised Laplacian, which makes hubs count less: `TRUE` or `FALSE`.
#' @param ... Not used; anything given is an error.
#' @details The parameters are vectors; one of length 1 is repeated to the length of the longest.
#'   Polynomials are Chebyshev's, to double precision.
#' @return A [kernel set][kernel_set] with one kernel for each value (pair of values) of the parameters.
#'   Errors: class `manykernels_invalid_argument`, `manykernels_dimension` (not square),
#'   `manykernels_not_symmetric` (directed networks, too), `manykernels_missing_values`,
#'   `manykernels_row_order` (rows and columns have other names), `manykernels_duplicated_samples` (two nodes
#'   of one name), `manykernels_unsupported` (package igraph isn't installed). When a kernel of features is
#'   used with data: `manykernels_unknown_feature` if no column is a node, `manykernels_dimension`, and
#'   `manykernels_unsupported` after [per_feature()], since single columns have no network.
#' @references R. I. Kondor and J. Lafferty (2002). Diffusion kernels on graphs and other discrete
#'   structures. *ICML*, 315-322.
#'
#'   A. J. Smola and R. Kondor (2003). Kernels and regularization on graphs. *COLT*, 144-158.
#'
#'   F. Rapaport, A. Zinovyev, M. Dutreix, E. Barillot and J.-P. Vert (2007). Classification of
#'   microarray data using gene networks. *BMC Bioinformatics* 8, 35 (networks of features).
#' @family kernels
#' @name network_kernels
#' @examples
#' # a ring of ten nodes
#' A <- matrix(0, 10, 10, dimnames = list(letters[1:10], letters[1:10]))
#' A[cbind(1:10, c(2:10, 1))] <- 1
#' A <- A + t(A)
#'
#' # nodes are samples: fit on six, predict four
#' K <- kernel_matrix(diffusion_kernel(A, beta = 1))
#' known <- c("a", "b", "c", "f", "g", "h")
#' fit <- mkl(y = c(1, 1, 1, 0, 0, 0) == 1, kernels = precomputed_kernel(K[known, known]))
#' predict(fit, K[c("d", "e", "i", "j"), known])
#'
#' # nodes are features: expression smoothed along the network
#' x <- matrix(rnorm(40 * 10), 40, dimnames = list(NULL, letters[1:10]))
#' y <- rowMeans(x[, 1:4]) + rnorm(40, sd = 0.3)
#' k <- c(linear_kernel(), laplacian_kernel(A, gamma = c(1, 10), nodes = "features"))
#' fit <- mkl(x, y, kernels = k)
#' kernel_weights(fit)[c("kernel", "theta")]
NULL

#' @rdname network_kernels
#' @export
diffusion_kernel <- function(A, beta = 1, nodes = c("samples", "features"), normalized = FALSE, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(A = missing(A)))
  values <- list(beta = check_numbers(beta, "beta", 0, lower_open = TRUE))
  network_kernels(A, "diffusion", values, nodes, check_flag(normalized, "normalized"))
}

#' @rdname network_kernels
#' @export
laplacian_kernel <- function(A, gamma = 1, nodes = c("samples", "features"), normalized = FALSE, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(A = missing(A)))
  values <- list(gamma = check_numbers(gamma, "gamma", 0, lower_open = TRUE, allow_inf = TRUE))
  network_kernels(A, "laplacian", values, nodes, check_flag(normalized, "normalized"))
}

#' @rdname network_kernels
#' @export
random_walk_kernel <- function(A, a = 2, p = 2, nodes = c("samples", "features"), ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(A = missing(A)))
  values <- recycle_parameters(a = check_numbers(a, "a", 2),
                               p = as.double(check_counts(p, "p", upper = 100L)))
  network_kernels(A, "random_walk", values, nodes, normalized = TRUE)
}

network_kernels <- function(A, operator, values, nodes, normalized) {
  nodes <- check_choice(nodes, c("samples", "features"), "nodes")
  A <- check_adjacency(A)
  degree <- Matrix::rowSums(A)
  laplacian <- network_laplacian(A, degree, normalized)
  null <- if (normalized) ifelse(degree > 0, sqrt(degree), 1) else rep(1, length(degree))
  shown <- lapply(values, number_text)
  name <- sprintf("%s(%s%s)", operator,
                  do.call(paste, c(Map(paste0, names(values), "=", shown), sep = ",")),
                  if (normalized && operator != "random_walk") ",normalized" else "")
  networks <- unname(do.call(Map, c(list(function(...) {
    list(operator = operator, values = c(...), laplacian = laplacian, null = unname(null),
         names = rownames(A))
  }), values)))
  if (nodes == "features") {
    return(new_kernel_set(name, "network", lapply(networks, function(network) {
      c(as.list(network$values), list(network = network))
    })))
  }
  precomputed_kernel(stats::setNames(lapply(networks, node_matrix), name))
}

# Q between all nodes.
node_matrix <- function(network) {
  Q <- network_product(network, diag(nrow(network$laplacian)))
  Q <- (Q + t(Q)) / 2
  if (!is.null(network$names)) dimnames(Q) <- list(network$names, network$names)
  Q
}

# ---- the network ---------------------------------------------------------------------------------

# A symmetric dgCMatrix with an empty diagonal; names of nodes, if there are any, on its rows.
check_adjacency <- function(A) {
  if (inherits(A, "igraph")) A <- igraph_adjacency(A)
  if (is.matrix(A) && (is.numeric(A) || is.logical(A))) {
    A <- Matrix::Matrix(unclass(A) * 1, sparse = TRUE)
  }
  if (!inherits(A, "Matrix")) {
    abort_argument(A, "A", "a symmetric matrix of edge weights, dense or of the package Matrix, or an igraph")
  }
  check_square(A, "A")
  names <- sample_names(A, "A")
  if (anyDuplicated(names)) {
    mk_abort(sprintf("`A` has more than one node called %s.", enumerate(unique(names[duplicated(names)]))),
             "duplicated_samples", "A", names)
  }
  A <- methods::as(methods::as(methods::as(A, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  check_finite(A, "A")
  if (any(A@x < 0)) abort_argument(min(A@x), "A", "edge weights of at least 0")
  check_undirected(A)
  Matrix::diag(A) <- 0
  A <- Matrix::drop0(A)
  dimnames(A) <- list(names, names)
  A
}

check_undirected <- function(A) {
  worst <- max(abs(A - Matrix::t(A)))
  if (worst <= 1e-8 * max(A)) return(invisible())
  mk_abort(sprintf(paste(
    "`A` must be symmetric, an undirected network, but A[i, j] and A[j, i] differ by up to %s: give",
    "`A + t(A)` to ignore the directions."
  ), format(worst, digits = 3L)), "not_symmetric", "A", worst)
}

igraph_adjacency <- function(graph) {
  if (!requireNamespace("igraph", quietly = TRUE)) {
    abort_unsupported("A", "`A` is an igraph, which needs the package igraph.")
  }
  weighted <- "weight" %in% igraph::edge_attr_names(graph)
  igraph::as_adjacency_matrix(graph, sparse = TRUE, attr = if (weighted) "weight")
}

# Nodes without edges have rows of zeros, normalised or not.
network_laplacian <- function(A, degree, normalized) {
  L <- Matrix::Diagonal(x = degree) - A
  if (normalized) {
    root <- Matrix::Diagonal(x = ifelse(degree > 0, 1 / sqrt(degree), 0))
    L <- root %*% L %*% root
  }
  L <- methods::as(methods::as(L, "generalMatrix"), "CsparseMatrix")
  dimnames(L) <- list(NULL, NULL)
  L
}

# ---- networks of features ------------------------------------------------------------------------

# node: that of each column in use. Nodes that aren't columns are 0.
on_nodes <- function(network, W) {
  out <- matrix(0, nrow(network$laplacian), ncol(W))
  out[network$node, ] <- W
  out
}

smooth_weights <- function(network, w) {
  network_product(network, on_nodes(network, as.matrix(w)))[network$node, ]
}

smooth_columns <- function(network, x) {
  t(network_operators[[network$operator]]$root(network, on_nodes(network, as.matrix(Matrix::t(x)))))
}

# Resolves networks on data: the columns that are nodes, and their nodes. Kernels of one network give one
# message about columns that are left out.
resolve_networks <- function(kernels, views) {
  mine <- which(kernel_field(kernels, "type") == "network")
  if (!length(mine)) return(kernels)
  features <- kernel_field(kernels, "features")
  parameters <- kernel_field(kernels, "parameters")
  group <- kernel_field(kernels, "group")
  lost <- list()
  for (m in mine) {
    if (!is.null(parameters[[m]]$network$node)) next
    view <- views[[kernel_field(kernels, "view")[m]]]
    read <- features[[m]] %||% seq_len(ncol(view))
    node <- nodes_of_columns(parameters[[m]]$network, view, read, kernels[[m]])
    lost[[names(kernels)[m]]] <- colnames(view)[read[is.na(node)]]
    features[[m]] <- read[!is.na(node)]
    parameters[[m]]$network$node <- node[!is.na(node)]
    if (is.na(group[m])) group[m] <- "nodes"
  }
  inform_nodes(lost[lengths(lost) > 0L])
  modify_kernels(kernels, features = features, parameters = parameters, group = group)
}

# lost: columns that are no nodes, by kernel.
inform_nodes <- function(lost) {
  if (!length(lost)) return(invisible())
  columns <- unique(unlist(lost))
  one <- length(columns) == 1L
  mk_inform(sprintf("%s %s of the network of %s and %s left out: %s.",
                    count_of(length(columns), "column"), if (one) "is not a node" else "are not nodes",
                    enumerate(names(lost)), if (one) "was" else "were", enumerate(columns)),
            "features", "kernels", columns)
}

# The node that each column is, or NA.
nodes_of_columns <- function(network, view, read, kernel) {
  if (is.null(network$names)) {
    count <- nrow(network$laplacian)
    if (count == ncol(view)) return(read)
    mk_abort(sprintf(paste("Kernel `%s` is of a network with %s, without names, but the view `%s` has %s:",
                           "name the nodes."), kernel$name, count_of(count, "node"), kernel$view,
                     count_of(ncol(view), "column")), "dimension", "kernels", count)
  }
  node <- match(colnames(view)[read], network$names)
  if (!any(!is.na(node))) abort_no_nodes(network, view, kernel)
  twice <- network$names[node[duplicated(node, incomparables = NA)]]
  if (length(twice)) {
    mk_abort(sprintf("Several columns of the view `%s` are the node %s of kernel `%s`.", kernel$view,
                     enumerate(unique(twice)), kernel$name), "duplicated_columns", "kernels", twice)
  }
  node
}

abort_no_nodes <- function(network, view, kernel) {
  columns <- colnames(view)
  mk_abort(sprintf(paste("No column of the view `%s` is a node of kernel `%s`: its nodes are %s, the view",
                         "%s."), kernel$view, kernel$name, enumerate(network$names),
                   if (is.null(columns)) "has no column names" else paste("has", enumerate(columns))),
           "unknown_feature", "kernels", columns)
}
