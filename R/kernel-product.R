# Products of kernels; resolve.R and set.R resolve them on data.

#' Products of kernels
#'
#' `a * b` is the kernel \eqn{k(x, z) = k_a(x, z) k_b(x, z)}{k(x, z) = k_a(x, z) k_b(x, z)}, on one view or on
#' two. Its features are products of a feature of `a` and one of `b`, that is interactions, which no sum of
#' the two kernels has.
#'
#' Kernels are multiplied one by one: the first of `a` by the first of `b`, and so on. A set of one
#' kernel is multiplied by each kernel of the other set. `a * b * c` is the product of three.
#'
#' @details A kernel that has no view ([on_view()]) takes that of its product, which is repeated on
#' every view of the data as other kernels are. The product of kernels on the views `mrna` and `mirna` is
#' a kernel on the view `mrna*mirna` in tables of weights. With `missing_views = "neutral"`
#' ([mkl()]) a sample has this view if it has both.
#'
#' Values are multiplied before normalisation: choose the normalisation of the product, `normalize_kernels(a *
#' b, "spherical")`. The certificate allows for the rounding errors of both. Products of a fit are evaluated
#' pair by pair and share no work with other kernels.
#'
#' Two [precomputed kernels][precomputed_kernel] become one, which is their product value by value. A
#' prediction then takes the new rows of both under their own names, or of the product under its name. A
#' precomputed kernel can't be multiplied by one that uses data: multiply it by
#' `precomputed_kernel(kernel_matrix(k, x))`.
#'
#' @param e1,e2 Kernel sets with as many kernels, or one of them with a single kernel.
#' @return A [kernel set][kernel_set] of kernels of type `"product"` (of precomputed ones `"precomputed"`),
#'   called `a*b`. Errors: class `manykernels_invalid_argument` for anything but two kernel sets, for numbers
#'   of kernels that don't fit, and for kernels with a normalisation of their own; `manykernels_unsupported`
#'   for other operators and for precomputed kernels times others; `manykernels_sample_names` and
#'   `manykernels_dimension` for precomputed kernels of other samples.
#' @references N. Aronszajn (1950). Theory of reproducing kernels. *Transactions of the American
#'   Mathematical Society* 68, 337-404, section I.8.
#' @family kernels
#' @examples
#' x <- as.matrix(iris[1:4, 1:4])
#' kernel_matrix(gaussian_kernel(2) * linear_kernel(), x)
#' k <- on_features(gaussian_kernel(1), 1:2) * on_features(gaussian_kernel(1), 3:4)
#' fit <- mkl(iris[1:100, 1:4], iris$Species[1:100], kernels = c(linear_kernel(), k))
#' kernel_weights(fit)
#' @name product_kernels
#' @aliases Ops.kernel_set
#' @export
Ops.kernel_set <- function(e1, e2) {
  if (.Generic != "*" || missing(e2)) {
    abort_unsupported("e1", sprintf(paste(
      "`%s` is not for kernels: join them by `c()`, then a fit learns the weight of each; `*` multiplies them."
    ), .Generic))
  }
  check_kernel_set(e1, "e1")
  check_kernel_set(e2, "e2")
  size <- c(length(e1), length(e2))
  if (any(size == 0L) || (size[1L] != size[2L] && min(size) > 1L)) {
    mk_abort(sprintf(paste("Multiply sets of as many kernels, or one kernel by each of a set: `e1` has",
                           "%d, `e2` has %d."), size[1L], size[2L]), "invalid_argument", "e2", size)
  }
  products <- Map(function(i, j) multiply_kernels(pick_kernels(e1, i), pick_kernels(e2, j)),
                  rep_len(seq_len(size[1L]), max(size)), rep_len(seq_len(size[2L]), max(size)))
  do.call(c, products)
}

multiply_kernels <- function(a, b) {
  given <- c(kernel_field(a, "type"), kernel_field(b, "type")) == "precomputed"
  names <- c(names(a), names(b))
  own <- lengths(c(kernel_field(a, "normalize"), kernel_field(b, "normalize"))) > 0L
  if (any(own)) {
    mk_abort(sprintf("Normalise the product, normalize_kernels(a * b, ...): kernel `%s` has its own.",
                     names[own][1L]), "invalid_argument", "e1", names[own])
  }
  if (all(given)) return(multiply_matrices(a, b))
  if (any(given)) {
    abort_unsupported("e1", sprintf(paste(
      "Kernel `%s` is precomputed, kernel `%s` uses data: multiply two precomputed kernels, one of them",
      "precomputed_kernel(kernel_matrix(k, x))."
    ), names[given], names[!given]))
  }
  parts <- c(factors_of(a), factors_of(b))
  new_kernel_set(paste(names, collapse = "*"), "product", list(list(parts = parts)),
                 view = joint_view(parts))
}

# The factors of one kernel: a product's parts, or itself.
factors_of <- function(kernel) {
  if (kernel_field(kernel, "type") == "product") kernel_field(kernel, "parameters")[[1L]]$parts else kernel
}

# The label of the views that parts read, NA as long as one of them is open.
joint_view <- function(parts) {
  view <- unique(kernel_field(parts, "view"))
  if (anyNA(view)) NA_character_ else paste(view, collapse = "*")
}

# ---- precomputed kernels -------------------------------------------------------------------------

multiply_matrices <- function(a, b) {
  own <- c(kernel_field(a, "parameters"), kernel_field(b, "parameters"))
  K <- lapply(own, function(one) {
    if (is.null(one$matrix %||% one$array %||% one$file)) {
      abort_unsupported("e1", "Fits keep no kernel matrices: multiply the kernels that were given to it.")
    }
    precomputed_values(one)
  })
  rows <- lapply(own, `[[`, "rows")
  if (nrow(K[[1L]]) != nrow(K[[2L]])) {
    mk_abort(sprintf("Precomputed kernels must be of the same samples: `%s` has %d, `%s` has %d.",
                     names(a), nrow(K[[1L]]), names(b), nrow(K[[2L]])), "dimension", "e2")
  }
  if (all(lengths(rows) > 0L)) {
    order <- match(rows[[1L]], rows[[2L]])
    if (anyNA(order)) {
      mk_abort(sprintf("Precomputed kernels must be of the same samples: `%s` lacks %s of `%s`.", names(b),
                       enumerate(rows[[1L]][is.na(order)]), names(a)), "sample_names", "e2")
    }
    K[[2L]] <- K[[2L]][order, order]
  }
  parts <- c(own[[1L]]$parts %||% names(a), own[[2L]]$parts %||% names(b))
  parameters <- list(matrix = unname(K[[1L]] * K[[2L]]), parts = parts)
  parameters$rows <- rows[[1L]] %||% rows[[2L]]
  new_kernel_set(paste(names(a), names(b), sep = "*"), "precomputed", list(parameters))
}

# New rows with the matrices of products in the place of those of their parts.
kernels_of_products <- function(newdata, kernels, argument) {
  parameters <- kernel_field(kernels, "parameters")
  products <- which(lengths(lapply(parameters, `[[`, "parts")) > 0L &
                      kernel_field(kernels, "type") == "precomputed")
  if (!length(products) || !is_view_list(newdata)) return(newdata)
  values <- list()
  for (m in products[!names(kernels)[products] %in% names(newdata)]) {
    parts <- parameters[[m]]$parts
    if (!all(parts %in% names(newdata))) next
    values[[names(kernels)[m]]] <- Reduce(multiply_values, lapply(newdata[parts], plain_matrix, argument))
  }
  used <- unlist(lapply(parameters[products], `[[`, "parts"))
  c(newdata[!names(newdata) %in% setdiff(used, names(kernels))], values)
}

# Values of new rows, matched by the names that both have.
multiply_values <- function(a, b) {
  if (!identical(dim(a), dim(b))) {
    mk_abort(sprintf("Matrices of factors must have the same size, not %s and %s.",
                     paste(dim(a), collapse = " x "), paste(dim(b), collapse = " x ")), "dimension", "newdata")
  }
  place <- function(side) {
    names <- list(dimnames(a)[[side]], dimnames(b)[[side]])
    order <- if (all(lengths(names) > 0L)) match(names[[1L]], names[[2L]])
    if (is.null(order) || anyNA(order)) seq_len(dim(a)[side]) else order
  }
  self <- list(attr(a, "diagonal"), attr(b, "diagonal"))
  rows <- place(1L)
  out <- a * b[rows, place(2L), drop = FALSE]
  attr(out, "diagonal") <- if (all(lengths(self) > 0L)) self[[1L]] * self[[2L]][rows]
  out
}
