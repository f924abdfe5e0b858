#' Recovery of the right kernels by group matching pursuit
#'
#' If the response is, without noise, a sum of functions of a few "good" kernels, [mkl_gomp()] should take
#' these and no others. The coherence of the good kernels with the "bad" ones bounds how much larger the
#' improvement of a bad kernel can be than that of the best good one.
#'
#' @param kernels,x,normalize A kernel set, the data, and how kernels are scaled, as in
#'   [mkl_gomp()].
#' @param good The good kernels: their names, or their positions among the kernels as resolved on
#'   the data (see `names(coef(fit))`).
#' @param scale Whether to standardise columns first, as fits do: `TRUE`, `FALSE` or by view; see [scaling].
#' @param lambda The weight of the penalty, a positive number, as in [mkl_gomp()].
#' @return An object of class `gomp_recovery`, a list with a print method. `value` is the largest
#'   coherence, `coherence` that of each bad kernel (named), `good` has the good kernels' names, and
#'   `first_step` is `TRUE` if `value` is below 1. Further fields are `lambda`, `n`, `source` and
#'   `version`. Errors: those of [mkl()] about data and kernels, `manykernels_invalid_argument` for
#'   `good` and `lambda`.
#'
#' @details With n rows, delta = lambda n and \eqn{Q_j = (K_j (K_j + \delta I)^{-1})^{1/2}}{Q_j = (K_j (K_j +
#' delta I)^-1)^(1/2)}, the improvement of kernel j is \eqn{I_j = \|Q_j r\|^2}{I_j = ||Q_j r||^2} for the
#' residual r. The coherence of the bad kernel j is \deqn{\mu_j = \max_{\|v\| = 1} \sum_{i \in G} \|Q_i T^+
#' Q_j v\|, \quad T = \sum_{i \in G} Q_i^2,}{ mu_j = max over unit vectors v of the sum over good i of ||Q_i
#' T^+ Q_j v||, T = sum over good i of Q_i^2,} with a pseudo-inverse; `value` is the largest of them. This is
#' the norm that the paper takes of its coherence matrix (equation 8, with the order of its factors
#' corrected). As \eqn{T}{T} and \eqn{K_G = \sum_{i \in G} K_i}{K_G = sum over good i of K_i} have the same
#' range, its factors \eqn{K_G (K_G T K_G)^+ K_G}{K_G (K_G T K_G)^+ K_G} are just \eqn{T^+}{T^+}. The maximum
#' is not a convex problem: `coherence` and `value` are upper bounds, never above the sum of spectral norms,
#' and `attained` is what a vector v was found for. Where they differ, in random cases, it is by up to a
#' tenth. Eigenvalues below 100 n times the machine precision, relative to the largest, count as 0.
#'
#' @section What is proved:
#' For every residual r in the range of \eqn{K_G}{K_G}, that is, every function of the good kernels
#' on the training rows, and every bad kernel j: \eqn{\sqrt{I_j} \le \mu_j \max_{i \in G}
#' \sqrt{I_i}}{sqrt(I_j) <= mu_j max over good i of sqrt(I_i)}. For
#' \eqn{r = T T^+ r}{r = T T^+ r}, so that \eqn{Q_j r = \sum_i Q_j T^+ Q_i\, Q_i r}{Q_j r = sum over
#' good i of (Q_j T^+ Q_i) Q_i r}. The same holds for the total residual of several outputs.
#'
#' So let `value` be below 1 and the response noiseless: in the range of \eqn{K_G}{K_G}, with `intercept
#' = FALSE`, or centred kernels and response. Then at every step the largest improvement over *all* good
#' kernels is above that of every bad one. Hence the first step takes a good kernel. So does each later
#' step after only good ones, unless the largest good improvement is at a kernel that was taken already.
#'
#' Theorem 2 of the paper claims more, namely that all steps take good kernels. But a refit with a
#' penalty leaves part of the residual within the kernels already taken. Their improvement may be the
#' largest among the good kernels. Kernels are not taken twice, and the improvement of the others is not
#' bounded. The last example has good columns (1, 0, 0) and (0, 1, 0), a bad one (0.6, 0, 0.8), the
#' response (1, 0.1, 0) and delta = 1: the coherence is 0.6. The first step takes the first column and
#' leaves the residual (0.5, 0.1, 0), of which the bad column explains 0.3^2 / 2 and the other good one
#' 0.1^2 / 2. Random cases show it, too: of those without noise whose coherence was below 1,
#' `r recovery_text()` took a bad kernel before all good ones (`bench/gomp-recovery.R` in the sources).
#'
#' The coherence is informative for kernels of low rank, such as linear ones on few columns. A Gaussian
#' has full rank, with eigenvalues down to 0, and its coherence is a matter of the cut-off, relative to
#' the largest, below which eigenvalues count as 0: with a Gaussian on each of four columns it is
#' `r cut_off_text()`.
#' @references
#' Sindhwani, V. and Lozano, A. C. (2011). Non-parametric group orthogonal matching pursuit for
#' sparse learning with multiple kernels. *Advances in Neural Information Processing Systems* **24**
#' (Theorem 2).
#' @seealso [mkl_gomp()], [gomp_bound()]
#' @examples
#' # columns that are almost orthogonal have a small coherence
#' set.seed(1)
#' x <- matrix(rnorm(200 * 6), 200)
#' recovery <- gomp_recovery(per_feature(linear_kernel()), x, good = 1:2, lambda = 0.1)
#' recovery
#' fit <- mkl_gomp(x, 2 * x[, 1] - x[, 2], per_feature(linear_kernel()), intercept = FALSE)
#' fit$path$kernel[1:2]
#'
#' # below 1, and yet the second step takes a bad kernel
#' x <- cbind(good1 = c(1, 0, 0), good2 = c(0, 1, 0), bad = c(0.6, 0, 0.8))
#' kernels <- per_feature(linear_kernel())
#' gomp_recovery(kernels, x, good = 1:2, lambda = 1/3, normalize = "none")$value
#' mkl_gomp(x, c(1, 0.1, 0), kernels, lambda = 1/3, normalize = "none", intercept = FALSE)$path
#' @export
gomp_recovery <- function(kernels, x = NULL, good, lambda = 0.1, normalize = "multiplicative",
                          scale = FALSE) {
  check_given(c(kernels = missing(kernels), good = missing(good)))
  lambda <- check_number(lambda, "lambda", lower = 0, lower_open = TRUE)
  problem <- open_kernels(x, kernels, normalize, scale)
  names <- names(problem$kernels)
  good <- check_good(good, names)
  root <- function(m) penalised_root(kernel_values(problem, m), lambda * problem$n)
  own <- lapply(good, root)
  inverse <- pseudo_inverse(Reduce(`+`, lapply(own, tcrossprod)))
  bad <- setdiff(seq_along(names), good)
  bounds <- vapply(bad, function(j) {
    other <- inverse %*% root(j)
    induced_norm(lapply(own, crossprod, other))
  }, numeric(2))
  coherence <- bounds[1L, ]
  structure(list(
    value = max(coherence, 0), attained = max(bounds[2L, ], 0),
    coherence = stats::setNames(coherence, names[bad]),
    good = names[good], first_step = max(coherence, 0) < 1, lambda = lambda, n = problem$n,
    source = "Sindhwani and Lozano (2011), Theorem 2, as far as it is proved: see ?gomp_recovery",
    version = model_version
  ), class = "gomp_recovery")
}

# Positions of the good kernels, some but not all.
check_good <- function(good, names) {
  if (is.character(good)) {
    unknown <- setdiff(good, names)
    if (length(unknown)) {
      mk_abort(sprintf("`good` names %s, but the kernels are %s.", enumerate(unknown),
                       enumerate(names, 5L)), "invalid_argument", "good", unknown)
    }
    good <- match(good, names)
  }
  good <- unique(check_counts(good, "good", upper = length(names)))
  if (length(good) == length(names)) {
    mk_abort("`good` must leave at least one kernel that is bad.", "invalid_argument", "good")
  }
  good
}

kernel_values <- function(problem, m) {
  rows <- seq_len(problem$n)
  own <- match(m, handle_kernels(problem$handle, problem$kernels))
  if (is.na(own)) return(matrix(0, problem$n, problem$n))
  K <- from_core(.Call(C_mk_matrix, problem$handle, own, rows, rows, problem$threads))
  check_kernel_values(K, names(problem$kernels)[m])
}

# W with Q = W V' (V orthonormal), where Q^2 = K (K + delta I)^-1.
penalised_root <- function(K, delta) {
  parts <- positive_part(K)
  sweep(parts$vectors, 2, sqrt(parts$values / (parts$values + delta)), `*`)
}

pseudo_inverse <- function(T) {
  parts <- positive_part(T)
  tcrossprod(sweep(parts$vectors, 2, parts$values, `/`), parts$vectors)
}

# Eigenvalues that double precision tells from 0, and their vectors. What rounding makes of a 0 is a
# few units of the last place; an inverse of it would be anything.
positive_part <- function(K) {
  parts <- eigen(K, symmetric = TRUE)
  positive <- parts$values > 100 * nrow(K) * .Machine$double.eps * max(parts$values)
  list(values = parts$values[positive], vectors = parts$vectors[, positive, drop = FALSE])
}

# Bounds of the largest sum_i |A_i v| over unit vectors v: by Cauchy and Schwarz its square is at most
# sum(c) times the largest eigenvalue of sum_i A_i'A_i / c_i for any positive c, with equality where c_i =
# |A_i v| at an eigenvector v. Each turn moves c towards that of the last eigenvector, and attains the
# second number.
induced_norm <- function(blocks, turns = 100L) {
  blocks <- Filter(length, blocks)
  weight <- vapply(blocks, spectral_norm, 0)
  if (!any(weight > 0)) return(c(0, 0))
  least <- 1e-9 * max(weight)
  bounds <- c(sum(weight), 0)
  grams <- lapply(blocks, crossprod)
  for (turn in seq_len(turns)) {
    weight <- pmax(weight, least)
    top <- eigen(Reduce(`+`, Map(`/`, grams, weight)), symmetric = TRUE)
    own <- vapply(blocks, function(A) sqrt(sum((A %*% top$vectors[, 1L])^2)), 0)
    bounds <- c(min(bounds[1L], sqrt(sum(weight) * top$values[1L])), max(bounds[2L], sum(own)))
    if (diff(rev(bounds)) <= 1e-12 * bounds[1L]) break
    weight <- sqrt(weight * pmax(own, least))
  }
  bounds
}

spectral_norm <- function(x) if (length(x)) svd(x, 0, 0)$d[1] else 0

#' @export
print.gomp_recovery <- function(x, digits = 4, n = NULL, ...) {
  check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  head <- sprintf("Coherence of %s with %s, %s, lambda = %s\n\n",
              count_of(length(x$good), "good kernel"),
              count_of(length(x$coherence), "bad one", "others"), count_of(x$n, "row"),
              format(x$lambda, digits = digits))
  largest <- sort(x$coherence, decreasing = TRUE)
  table <- data.frame(kernel = shorten_apart(names(largest)), coherence = format(largest, digits = digits))
  statement <- if (x$first_step) {
    paste("The largest is below 1: without noise the first step takes a good kernel, and so does",
          "every later step at which the largest good improvement isn't at a kernel taken already.")
  } else {
    "The largest is not below 1: nothing is proved."
  }
  print_short(head, short_table(table, "kernel", n = n, right = TRUE, row.names = FALSE), "\n",
              wrapped(statement), wrapped(x$source),
              n = n)
  invisible(x)
}
