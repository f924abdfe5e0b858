# The features of kernels that have explicit ones, and their weights in a fit.

#' Features of sequence kernels
#'
#' The counts of k-mers or motifs behind [spectrum_kernel()], [mismatch_kernel()], [gapped_kernel()],
#' [gappy_pair_kernel()] and [motif_kernel()]. The kernel matrix is their product:
#' `Matrix::tcrossprod(kernel_features(k, x))` has the values of `kernel_matrix(k, x)`.
#'
#' @param kernels A [kernel set][kernel_set] of kernels that count features.
#' @param x Sequences as in [spectrum_kernel()], or a named list of views.
#' @return A sparse matrix of class `dgCMatrix`, sequences by features, with columns for what occurs in
#'   x; a list of them, named by kernel, where there are several kernels. Columns are named by
#'   k-mer or motif: `"ACG"`; `"A..T"` where letters are not read; `"ACG@12"` for a k-mer at position
#'   12. Under `reverse_complement` the name is that of the strand that comes first in the alphabet.
#'   Errors: class `manykernels_unsupported` for kernels without explicit features, and those of
#'   [kernel_matrix()].
#' @seealso [kernel_weights()] with `features = TRUE` for the weights of features in a fit.
#' @export
#' @examples
#' x <- c(a = "ACGTACGTAC", b = "ACGTTCGTAC")
#' kernel_features(spectrum_kernel(k = 2), x)
#' kernel_features(gapped_kernel("1001"), x)
kernel_features <- function(kernels, x) {
  check_given(c(kernels = missing(kernels), x = missing(x)))
  check_kernel_set(kernels)
  views <- as_views(x)
  kernels <- resolve_kernels(kernels, views)
  check_features_known(kernels)
  matrices <- lapply(seq_along(names(kernels)), function(m) {
    own <- kernels[[m]]
    index <- string_index(kernels[m], views[[own$view]])
    keys <- index$keys[[1L]]
    parts <- count_columns(index$sequences[[1L]], index$specs[[1L]], keys, unit = FALSE)
    Matrix::sparseMatrix(
      i = parts$i, p = parts$p[seq_len(length(keys) + 1L)], x = parts$x, index1 = FALSE,
      dims = c(parts$dim[1L], length(keys)),
      dimnames = list(rownames(views[[own$view]]), feature_names(own$type, own$parameters, keys))
    )
  })
  if (length(matrices) == 1L) matrices[[1L]] else stats::setNames(matrices, names(kernels))
}

check_features_known <- function(kernels) {
  other <- which(!has_features(kernels))
  if (length(other)) {
    mk_abort(sprintf("Kernel `%s` has no explicit features; kernels of k-mers and motifs have.",
                     names(kernels)[other[1L]]), "unsupported", "kernels", names(kernels)[other])
  }
}

# One row for each feature with a weight: of k-mers and motifs, and of columns in linear kernels.
feature_table <- function(object) {
  rows <- c(lapply(object$data$linear$strings, function(part) {
    own <- object$kernels[[part$kernel]]
    data.frame(kernel = rep(part$kernel, length(part$keys)),
               feature = feature_names(own$type, own$parameters, part$keys),
               weight = part$weights)
  }), list(column_weights(object)))
  out <- do.call(rbind, rows)
  if (is.null(out)) {
    mk_abort("No kernel with positive weight has explicit features.", "unsupported", "features")
  }
  out <- out[order(-abs(out$weight)), ]
  rownames(out) <- NULL
  out
}

# The weights of linear kernels on the columns of a view are kept as their sum.
column_weights <- function(object) {
  linear <- object$data$linear
  active <- object$theta > 0 & kernel_field(object$kernels, "type") == "linear"
  rows <- lapply(names(linear$weights), function(view) {
    columns <- linear$columns[[view]] %||% seq_along(linear$weights[[view]])
    mine <- names(object$theta)[active & kernel_field(object$kernels, "view") == view]
    names <- object$data$layout[[view]]$columns[columns] %||% as.character(columns)
    data.frame(kernel = rep(if (length(mine) == 1L) mine else paste0(view, ":linear"), length(names)),
               feature = names, weight = linear$weights[[view]])
  })
  do.call(rbind, rows)
}
