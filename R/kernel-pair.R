# Kernels of pairs of objects, from kernels of the objects.

#' Kernels of pairs
#'
#' Kernels of edges between objects, such as a drug and its target or two proteins. An edge from object a
#' to object b is a row with the numbers of both.
#' `pair_kernel(K, L)` is the Kronecker kernel of edges between two sets,
#' \deqn{k((a, b), (c, d)) = K_{ac} L_{bd}}{k((a, b), (c, d)) = K_ac L_bd} and `pair_kernel(K)` that of
#' unordered pairs of one set,
#' \deqn{k((a, b), (c, d)) = K_{ac} K_{bd} + K_{ad} K_{bc}}{k((a, b), (c, d)) = K_ac K_bd + K_ad K_bc} Use
#' `pair_kernel(K, K)` for directed edges within one set.
#'
#' @details The data, or the view, have two columns with whole numbers: the number of an object among the rows
#' of `K`, and of one among those of `L`. [on_features()] chooses the two among more columns; the first of
#' them belongs to `K`. `match(name, rownames(K))` turns names into numbers. 0 stands for no object, and the
#' kernel of such an edge is 0 with every other. The view is not standardised, as for [tanimoto_kernel()].
#'
#' `K` and `L` must have all objects, those of later predictions included. A fit keeps both matrices.
#'
#' The matrix over all edges is never formed: an edge's kernel row comes from rows of `K` and `L`. The sum
#' over n support vectors for m edges, in certificates and predictions, is one product of matrices, with about
#' n nrow(L) + m nrow(K) multiplications in place of n m.
#'
#' @param K,L Kernel matrices of objects: a symmetric matrix, or a list of them, as [precomputed_kernel()]
#'   takes it; or its result. `L = NULL`: pairs of objects of `K`, without order.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] of kernels of type `"pair"`, one for each matrix of `K` with each of
#'   `L` (first all with the first of `L`), called `pair(K1,L1)` by the matrices' names. Errors: those of
#'   [precomputed_kernel()]; when the set is used with data, class `manykernels_kernel_view` for other columns
#'   than two, and `manykernels_unknown_object` for numbers that no object has; `manykernels_standardised`
#'   if `scale` names the view.
#' @references J. Basilico and T. Hofmann (2004). Unifying collaborative and content-based filtering.
#'   *International Conference on Machine Learning* 21 (the Kronecker kernel).
#'
#'   A. Ben-Hur and W. S. Noble (2005). Kernel methods for predicting protein-protein interactions.
#'   *Bioinformatics* 21, i38-i46 (unordered pairs).
#' @family kernels
#' @export
#' @examples
#' set.seed(1)
#' drugs <- matrix(rnorm(30), 10)
#' targets <- matrix(rnorm(24), 8)
#' edges <- as.matrix(expand.grid(drug = 1:10, target = 1:8))
#' y <- rowSums(drugs[edges[, 1], ] * targets[edges[, 2], ]) > 0
#' k <- pair_kernel(tcrossprod(drugs), list(linear = tcrossprod(targets), same = diag(8)))
#' fit <- mkl(edges, y, kernels = k)
#' kernel_weights(fit)
#' predict(fit, edges[1:3, ])
pair_kernel <- function(K, L = NULL, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(K = missing(K)))
  K <- object_kernels(K, "K")
  L <- if (!is.null(L)) object_kernels(L, "L")
  choice <- expand.grid(K = seq_along(K$matrix), L = seq_along(L$matrix %||% 1))
  parameters <- Map(function(k, l) list(K = K$matrix[[k]], L = L$matrix[[l]]), choice$K, choice$L)
  shown <- if (is.null(L)) K$name[choice$K] else paste(K$name[choice$K], L$name[choice$L], sep = ",")
  new_kernel_set(sprintf("pair(%s)", shown), "pair", unname(parameters))
}

object_kernels <- function(K, argument) {
  if (!inherits(K, "kernel_set")) {
    K <- matrices_as_kernels(K, argument, indefinite_advice("precomputed", argument, argument))
  }
  if (any(kernel_field(K, "type") != "precomputed")) {
    abort_argument(K, argument, "kernel matrices of objects, or a set of precomputed kernels")
  }
  list(name = names(K), matrix = lapply(kernel_field(K, "parameters"), precomputed_values))
}

# Exchanges the matrices of pairs whose first column stands behind the second: later the columns are in the
# order of the data.
turn_pairs <- function(kernels, features) {
  pairs <- kernel_field(kernels, "type") == "pair" & lengths(features) == 2L
  turned <- which(pairs & vapply(features, is.unsorted, NA))
  parameters <- kernel_field(kernels, "parameters")
  parameters[turned] <- lapply(parameters[turned], function(own) {
    if (is.null(own$L)) own else list(K = own$L, L = own$K)
  })
  modify_kernels(kernels, parameters = parameters)
}

# Resolves pairs on data: both columns then have numbers of objects, and 0 for samples that lack the view.
resolve_pairs <- function(kernels, views) {
  for (m in which(kernel_field(kernels, "type") == "pair")) {
    name <- kernel_field(kernels, "view")[m]
    columns <- kernel_field(kernels, "features")[[m]] %||% seq_len(ncol(views[[name]]))
    if (length(columns) != 2L) {
      mk_abort(sprintf(paste("Kernel `%s` pairs objects: choose two columns of the view `%s` by on_features(),",
                             "not %d."),
                       names(kernels)[m], name, length(columns)), "kernel_view", "kernels", names(kernels)[m])
    }
  }
  kernels
}

# A kernel of the core over the pairs of its view.
core_pairs <- function(kernel, views) {
  own <- kernel$parameters
  view <- views[[kernel$view]]
  columns <- kernel$features %||% 1:2
  number <- function(side, size) {
    value <- as.vector(view[, columns[side]])
    unknown <- which(value != round(value) | value < 0 | value > size)
    if (length(unknown)) {
      mk_abort(sprintf("Kernel `%s` pairs objects 1 to %d of `%s`, but a row has %s.", kernel$name, size,
                       if (side == 1L || is.null(own$L)) "K" else "L", number_text(value[unknown[1L]])),
               "unknown_object", "x", value[unknown])
    }
    as.integer(value)
  }
  from_core(.Call(C_mk_pairs, number(1L, nrow(own$K)), number(2L, nrow(own$L %||% own$K)), own$K, own$L))
}
