# Similarity scores as kernels. With S = U diag(lambda) U' each transformation is K = S g(S) + c I, and new
# rows s of scores have the values s g(S), since c is added only between a sample and itself. A kernel's
# parameters keep g(S) as plain I + vectors diag(weights) vectors'.

#' Kernels from similarity scores
#'
#' Makes a precomputed kernel from a matrix of pairwise scores that need not be positive semidefinite, such as
#' alignment scores or similarities of drugs. It changes the eigenvalues of the matrix, and reports how.
#'
#' With the eigenvalues \eqn{\lambda_i} and eigenvectors \eqn{U} of the symmetric \eqn{S}:
#' * `"shift"` adds \eqn{-\lambda_{min}} to the diagonal where \eqn{\lambda_{min} < 0}: no score
#'   between two samples changes;
#' * `"clip"` sets negative eigenvalues to 0, which gives the nearest positive semidefinite matrix (in the
#'   Frobenius norm); `"nearest"` is another name for it;
#' * `"square"` takes \eqn{S S}, with the eigenvalues \eqn{\lambda_i^2}: samples are similar if they have
#'   similar scores with all samples;
#' * `"exp"` takes the matrix exponential \eqn{U \exp(\beta\lambda) U^\top}{U exp(beta lambda) U'},
#'   which also counts paths over other samples (it is not the exponential of each score).
#'
#' A matrix that is not symmetric is replaced by the mean of itself and its transpose, with a
#' message of class `manykernels_message_symmetrised` that gives the largest difference. Eigenvalues
#' within rounding of 0 count as 0. The eigendecomposition takes some \eqn{10 n^3} operations:
#' seconds for n = 1,000.
#'
#' **E-values** decrease with similarity and span many powers of ten. Give `-log10(E)`, limited to a range,
#' such as `-log10(pmin(pmax(E, 1e-50), 10))`; a value of 0 would be infinite. For distances use
#' [gaussian_kernel()] with `distance`.
#'
#' @section New samples: [predict()][predict.mkl()] and [duality_gap()] take **scores**: a (new x
#' training) matrix of the same kind as `S`, symmetrised by you if scores have a direction,
#' `(s(z, x) + s(x, z)) / 2`. All transformations have the form \eqn{K = S g(S) + c I}, and a new
#' row \eqn{s} becomes \eqn{s\,g(S)}{s g(S)}, since \eqn{c} belongs to a sample and itself:
#' * `"shift"`: \eqn{g = I}, \eqn{c = -\lambda_{min}}. The scores are the kernel values, unchanged.
#' * `"clip"`: \eqn{g} is the projection on the eigenvectors of the other eigenvalues, \eqn{c = 0}.
#' * `"square"`: \eqn{g = S}, \eqn{c = 0}.
#' * `"exp"`: \eqn{g(\lambda) = (\exp(\beta\lambda) - 1) / \lambda}{g(lambda) = (exp(beta lambda) -
#'   1) / lambda}, \eqn{c = 1}.
#'
#' A training sample given as a new one thus has its training values, except that `"shift"` and `"exp"`
#' lack \eqn{c} at the sample itself. A fit keeps the eigenvectors that are needed (up to \eqn{8n^2}
#' bytes; none for `"shift"`). A kernel set in place of a matrix, as in
#' `duality_gap(fit, score_kernel(S))`, has kernel values and is used as it is. For spherical scaling,
#' `attr(newdata, "diagonal")` holds kernel values of new rows with themselves, for `"shift"` the score
#' plus \eqn{c}. In [cv_mkl()] the spectrum is that of all samples; the response is not used for it.
#'
#' @param S A square numeric matrix of finite scores, larger for more similar samples, dense or of the
#'   package `Matrix`. Or a list of them, whose names become the kernels' names. Row and column names,
#'   where given, must be the same, and are matched to samples as those of [precomputed_kernel()].
#' @param transform `"shift"`, `"clip"`, `"nearest"`, `"square"` or `"exp"`.
#' @param beta A positive number, in units of 1 / score: for `"exp"` alone. The default, 1 divided by
#'   the largest absolute eigenvalue, changes the similarities little; with larger values the largest
#'   eigenvalues dominate.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one precomputed kernel for each matrix, called by its
#'   transformation where there is no name. Its attribute `spectrum`, which printing shows too, is a
#'   data frame with a row for each kernel. `smallest` and `largest` are eigenvalues of the scores,
#'   `negative` is the number below 0, and `changed` the number that the transformation has changed.
#'   `share` is the part of the sum of absolute eigenvalues that is negative. `constant` is \eqn{c}.
#'   `transform` and `beta` are those used. Errors: those of [precomputed_kernel()] except for
#'   asymmetry.
#' @references G. Wu, E. Y. Chang and Z. Zhang (2005). An analysis of transformation on non-positive
#'   semidefinite similarity matrix for kernel machines. *ICML workshop on learning with partially
#'   classified training data*.
#'
#'   Y. Chen, E. K. Garcia, M. R. Gupta, A. Rahimi and L. Cazzanti (2009). Similarity-based
#'   classification: concepts and algorithms. *Journal of Machine Learning Research* 10, 747-776
#'   (shift, clip and new samples).
#' @family kernels
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60), 30)
#' S <- -as.matrix(dist(x, "manhattan")) # indefinite
#' k <- score_kernel(S[1:20, 1:20], "clip")
#' k
#' attr(k, "spectrum")
#' fit <- mkl(y = x[1:20, 1] > 0, kernels = k)
#' table(predict(fit, S[21:30, 1:20]), x[21:30, 1] > 0)
score_kernel <- function(S, transform = c("shift", "clip", "exp", "square", "nearest"), beta = NULL, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  check_given(c(S = missing(S)))
  if (missing(transform)) transform <- "shift"
  transform <- check_choice(transform, c("shift", "clip", "exp", "square", "nearest"), "transform")
  if (!is.null(beta)) {
    if (transform != "exp") abort_argument(beta, "beta", "left out, unless `transform = \"exp\"`")
    beta <- check_number(beta, "beta", 0, lower_open = TRUE)
  }
  single <- !is.list(S) || is.data.frame(S)
  if (single) S <- list(S)
  label <- if (single) "S" else matrix_labels(names(S), length(S), "S")
  made <- Map(transformed_scores, S, label, transform, list(beta))
  size <- vapply(made, function(one) nrow(one$matrix), 0L)
  if (any(size != size[1L])) {
    mk_abort(sprintf("The matrices of `S` must have one size, not %s.", paste(unique(size), collapse = ", ")),
             "dimension", "S", size)
  }
  plain <- if (length(S) > 1L) paste0(transform, seq_along(S)) else transform
  given <- names(S) %||% rep("", length(S))
  names(made) <- ifelse(is.na(given) | !nzchar(given), plain, given)
  out <- precomputed_kernel(lapply(made, `[[`, "matrix"))
  parameters <- Map(function(own, made) c(own, list(scores = made$scores)),
                    kernel_field(out, "parameters"), made)
  out <- modify_kernels(out, parameters = unname(parameters))
  attr(out, "spectrum") <- do.call(rbind, lapply(made, function(one) one$scores$spectrum))
  out
}

# One matrix: the kernel, and `scores`, what new rows take and what was done.
transformed_scores <- function(S, label, transform, beta) {
  S <- square_matrix(S, label)
  names <- sample_names(S, label)
  S <- symmetric_scores(S, label)
  e <- eigen(S, symmetric = TRUE)
  largest <- max(abs(e$values))
  e$values[abs(e$values) <= nrow(S) * .Machine$double.eps * largest] <- 0
  scores <- switch(transform,
    shift = list(plain = 1, vectors = e$vectors[, 0L, drop = FALSE], weights = numeric(),
                 constant = max(0, -min(e$values))),
    square = list(plain = 0, vectors = e$vectors, weights = e$values, constant = 0),
    clip = , nearest = clip_scores(e, label), exp = exponential_scores(e, beta %||% (1 / max(largest, 1e-300)))
  )
  K <- score_values(S, scores)
  diag(K) <- diag(K) + scores$constant
  K <- (K + t(K)) / 2
  if (!is.null(names)) dimnames(K) <- list(names, names)
  negative <- sum(e$values < 0)
  changed <- switch(transform, shift = if (negative) nrow(S) else 0L, clip = , nearest = negative,
                    square = , exp = nrow(S))
  scores$spectrum <- data.frame(
    transform = transform, smallest = min(e$values), largest = max(e$values), negative = negative,
    changed = changed, share = sum(abs(e$values[e$values < 0])) / max(sum(abs(e$values)), 1e-300),
    constant = scores$constant, beta = scores$beta %||% NA_real_
  )
  list(matrix = K, scores = scores)
}

symmetric_scores <- function(S, label) {
  S <- unname(S)
  check_finite(S, label)
  worst <- max(abs(S - t(S)))
  if (worst > rounding_of_products * max(abs(S))) {
    mk_inform(sprintf(paste("`%s` was made symmetric, by the mean of S[i, j] and S[j, i], which differed by",
                            "up to %s (largest score %s)."), label, format(worst, digits = 3L),
                      format(max(abs(S)), digits = 3L)), "symmetrised", "S", worst)
  }
  (S + t(S)) / 2
}

# Clips by the smaller set of eigenvectors: those that are removed, or those that stay.
clip_scores <- function(e, label) {
  negative <- e$values < 0
  if (any(negative) && all(e$values <= 0)) {
    mk_abort(sprintf(paste(
      "Give \"shift\" or \"square\" as `transform`, or `-%1$s` if larger scores are of less similar samples:",
      "no eigenvalue of `%1$s` is positive, so a clipped matrix is 0."
    ), label), "invalid_argument", "transform")
  }
  few <- 2 * sum(negative) <= length(negative)
  vectors <- e$vectors[, if (few) negative else !negative, drop = FALSE]
  list(plain = as.numeric(few), vectors = vectors,
       weights = rep(if (few) -1 else 1, ncol(vectors)), constant = 0)
}

exponential_scores <- function(e, beta) {
  if (beta * max(e$values) > 700) {
    mk_abort(sprintf(paste("`beta` must be smaller: exp(beta * %s), of the largest eigenvalue, overflows;",
                           "the default is 1 / %s."), format(max(e$values), digits = 4L),
                     format(max(abs(e$values)), digits = 4L)), "invalid_argument", "beta", beta)
  }
  g <- expm1(beta * e$values) / e$values
  g[e$values == 0] <- beta
  list(plain = 0, vectors = e$vectors, weights = g, constant = 1, beta = beta)
}

# s g(S) of rows s.
score_values <- function(s, scores) {
  along <- sweep(s %*% scores$vectors, 2L, scores$weights, `*`)
  scores$plain * s + tcrossprod(along, scores$vectors)
}

# Kernel values of the matrices in `given`, by kernel. Matrices of score kernels are scores, unless a kernel
# set was given. own: whether they are of training samples with themselves.
given_matrices <- function(matrices, kernels, given, own = FALSE) {
  if (!length(matrices) || inherits(given, "kernel_set")) return(matrices)
  Map(function(values, name) {
    scores <- kernel_field(kernels, "parameters")[[match(name, names(kernels))]]$scores
    if (is.null(scores)) return(values)
    out <- score_values(values, scores)
    if (own) diag(out) <- diag(out) + scores$constant
    structure(out, dimnames = dimnames(values), diagonal = attr(values, "diagonal"))
  }, matrices, names(matrices))
}

# Lines about score kernels when a set is printed.
spectrum_lines <- function(kernels) {
  scores <- lapply(kernel_field(kernels, "parameters"), function(own) if (is.list(own)) own$scores)
  mine <- which(vapply(scores, are_scores, NA))
  if (!length(mine)) return(character())
  lines <- vapply(mine, function(m) {
    one <- scores[[m]]$spectrum
    sprintf("  %s: %s, smallest eigenvalue %.3g, %d changed, %.2g %% of the spectrum negative",
            names(kernels)[m], one$transform, one$smallest, one$changed, 100 * one$share)
  }, "")
  c("Spectrum of the scores:", lines)
}
