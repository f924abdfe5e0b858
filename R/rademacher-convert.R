# Rademacher complexities of one norm from those of another.

#' Carry a Rademacher complexity over to another norm
#'
#' A class of functions whose norm N is at most 1 lies in a multiple of the class of another norm.
#' The complexity of the first class is then at most that multiple of the complexity of the second: Theorem 6 of Kloft et al. (2011) for
#' two lp-norms, \eqn{\Re(H^p) \le \sqrt{M^{1/q-1/p}}\, \Re(H^q)}{Re(H^p) <= sqrt(M^(1/q - 1/p))
#' Re(H^q)} for q <= p, and Remark 7 for others.
#'
#' The multiple is the largest value of the norm `from` on functions whose norm `to` is 1. It is
#' exact for lp-norms, weighted lp-norms and block norms. For the elastic net it is an upper bound,
#' attained at the block norms with q = 1 and q >= 2. Where the class of `to` is a part of that of
#' `from`, as for lp-norms with p smaller than q, it is 1.
#'
#' A quadratic norm bounds the weights by \eqn{\theta^\top E^{-1}\theta \le 1}{theta' E^-1 theta <= 1},
#' and the multiple is the root of the largest lp-norm of such weights (or of what takes them in the other
#' direction). It is exact between a quadratic norm and p = 1 or `Inf`; for other p it is an upper
#' bound (Hoelder, with the eigenvalues of `E` at p = 2). Two norms without a factor of their own, such
#' as two quadratic norms, are joined by the plain lp-norm that makes the product of both factors
#' smallest.
#'
#' @param value Rademacher complexities, or bounds on them, for the norm `from`: a vector of
#'   non-negative numbers.
#' @param M The number of kernels, a positive whole number.
#' @param from,to Norms: a number p in `[1, Inf]` for the lp-norm, or one of [norms]. Weights and
#'   matrices with names have the same names in both.
#' @return An object of class `rademacher_bound`. `value` is valid for `to`. `terms` is a data frame
#'   with a row for each value and the constant in `factor`. `source` names the theorem and `version`
#'   the form of the object. Errors: classes `manykernels_invalid_argument`, `manykernels_length` and
#'   `manykernels_names` (of weights or matrices).
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Theorem 6,
#' Remark 7).
#' @seealso [rademacher_bound()], [empirical_rademacher()]
#' @examples
#' rademacher_convert(0.1, M = 100, from = 1, to = 2)
#' rademacher_convert(0.1, M = 4, from = 1, to = lp_norm(2, weights = c(1, 1, 2, 4)))
#' rademacher_convert(0.1, M = 3, from = 1, to = quadratic_norm(0.5 * diag(3) + 0.5))
#' @export
rademacher_convert <- function(value, M, from, to) {
  check_given(c(value = missing(value), M = missing(M), from = missing(from), to = missing(to)))
  value <- check_numbers(value, "value", lower = 0)
  M <- check_count(M, "M", upper = 2^53)
  from <- check_one_norm(from, "from", M)
  to <- check_one_norm(to, "to", M)
  if (!is.null(kernel_names(from)) && !is.null(kernel_names(to))) {
    order <- match(kernel_names(from), kernel_names(to))
    if (anyNA(order)) {
      mk_abort(sprintf("The %s of `to` must have the names of those of `from`.",
                       if (is.null(to$E)) "weights" else "rows"), "names", "to")
    }
    to$weights <- to$weights[order]
    if (!is.null(to$E)) to$E <- to$E[order, order, drop = FALSE]
  }
  factor <- if (identical(from, to)) 1 else norm_ratio(from, to, M)
  terms <- data.frame(from = format(from), to = format(to), M = M, value = value, factor = factor,
                      complexity = value * factor)
  lp <- from$type == "lp" && to$type == "lp" && is.null(c(from$weights, to$weights))
  source <- paste("Kloft, Brefeld, Sonnenburg and Zien (2011),",
                  if (lp) "Theorem 6" else "Remark 7")
  new_bound("rademacher_bound", value * factor, terms, source, type = "convert")
}

check_one_norm <- function(x, argument, M) {
  expected <- "a number in [1, Inf] or a norm such as `block_norm()`"
  if (inherits(x, "mkl_norm")) {
    x <- remade_norm(x, argument)
    refuse_functions(x, argument, "Use empirical_rademacher()")
  } else {
    if (!is.numeric(x) || is.object(x) || length(x) != 1L) abort_argument(x, argument, expected)
    x <- lp_norm(check_number(x, argument, lower = 1, allow_inf = TRUE))
  }
  size <- length(x$weights %||% if (!is.null(x$E)) diag(x$E))
  if (size && size != M) {
    what <- if (is.null(x$E)) "weight" else "row"
    mk_abort(sprintf("`%s` must have %s, as there are kernels, not %d.", argument, count_of(M, what), size),
             "length", argument, x$weights %||% x$E)
  }
  x
}

kernel_names <- function(norm) names(norm$weights) %||% rownames(norm$E)

as_lp <- function(norm) {
  if (norm$type == "block" && norm$q <= 2) lp_norm(norm$q / (2 - norm$q)) else norm
}

# Block norms as q and factors of the ||w_m||, one each or one for all; NULL for other norms.
as_block <- function(norm) {
  switch(norm$type,
    lp = list(q = block_exponent(norm$p), factor = (norm$weights %||% 1)^(0.5 / norm$p)),
    block = list(q = norm$q, factor = 1)
  )
}

# The largest N_from(u) / N_to(u) over u >= 0 in M dimensions, or an upper bound.
norm_ratio <- function(from, to, M) {
  from <- as_lp(from)
  to <- as_lp(to)
  a <- as_block(from)
  b <- as_block(to)
  if (!is.null(a) && !is.null(b)) return(block_ratio(a$q, b$q, a$factor / b$factor, M))
  types <- c(from$type, to$type)
  lp <- types == "lp"
  if (types[2L] == "quadratic" && lp[1L]) return(sqrt(to_quadratic(from, to$E)))
  if (types[1L] == "quadratic" && lp[2L]) return(sqrt(from_quadratic(from$E, to)))
  if (all(types == "elastic_net")) {
    return(sqrt(max(1, elastic_square(from$lambda, M) / elastic_square(to$lambda, M))))
  }
  if (types[1L] == "elastic_net" && all(b$factor == 1) && !is.null(b)) return(from_elastic(from$lambda, b$q, M))
  if (types[2L] == "elastic_net" && all(a$factor == 1) && !is.null(a)) return(to_elastic(to$lambda, a$q, M))
  min(vapply(c(norm_grid, from$p, to$p), function(p) {
    norm_ratio(from, lp_norm(p), M) * norm_ratio(lp_norm(p), to, M)
  }, 0))
}

# The largest weighted ||theta||_p over theta >= 0, theta'E^-1 theta <= 1: exact at p = 1 and Inf; between
# them by Hoelder, with the largest eigenvalue at p = 2.
to_quadratic <- function(lp, E) {
  M <- nrow(E)
  p <- lp$p
  E <- scaled_by(E, (lp$weights %||% 1)^(1 / p))
  most <- max(vapply(seq_len(M), function(m) quadratic_size(E, as.numeric(seq_len(M) == m)), 0))
  if (is.infinite(p)) return(most)
  one <- quadratic_size(E, rep(1, M))
  two <- min(sqrt(eigen(E, TRUE, only.values = TRUE)$values[1L]), one, sqrt(one * most))
  if (p <= 2) one^(2 / p - 1) * two^(2 - 2 / p) else two^(2 / p) * most^(1 - 2 / p)
}

# The largest gauge of theta in the quadratic norm's set, as far as it reaches below its elements, over weighted
# ||theta||_p <= 1: exact at p = 1 (a corner) and Inf (all at their largest).
from_quadratic <- function(E, lp) {
  M <- nrow(E)
  p <- lp$p
  inverse <- scaled_by(chol2inv(chol(E)), (lp$weights %||% 1)^(-1 / p))
  one <- max(vapply(seq_len(M), function(m) quadratic_size(inverse, as.numeric(seq_len(M) == m)), 0))
  two <- sqrt(eigen(inverse, TRUE, only.values = TRUE)$values[1L])
  min(one * M^(1 - 1 / p), two * M^max(0.5 - 1 / p, 0), quadratic_size(inverse, rep(1, M)))
}

scaled_by <- function(E, d) E * tcrossprod(rep_len(d, nrow(E)))

# The least ||s + gamma||_E over gamma >= 0.
quadratic_size <- function(E, s) norm_sides(quadratic_norm(E), numeric(length(s)), s)$dual

# The largest ||f u||_a / ||u||_b (Hoelder).
block_ratio <- function(a, b, f, M) {
  if (a >= b) return(max(f))
  r <- 1 / (1 / a - 1 / b)
  max(f) * (M * mean((f / max(f))^r))^(1 / r)
}

# (1 - lambda) S + lambda Q, S = ||u||_1^2 and Q = ||u||_2^2, where Q = 1
elastic_square <- function(lambda, S) (1 - lambda) * S + lambda

# N_from is the elastic net, ||u||_q = 1: S is at most M^(2 - 2/q), Q at most M^(1 - 2/q) or 1.
from_elastic <- function(lambda, q, M) {
  sqrt((1 - lambda) * M^(2 - 2 / q) + lambda * M^max(1 - 2 / q, 0))
}

# ||u||_q^2 <= S^(1-t) Q^t with 1/q = 1 - t/2 for q <= 2, and <= Q beyond; over S/Q from 1 to M.
to_elastic <- function(lambda, q, M) {
  t <- min(2 * (1 - 1 / q), 1)
  best <- if (t == 0 || lambda == 1) M else if (lambda == 0) 1 else
    (1 - t) * lambda / (t * (1 - lambda))
  S <- min(max(best, 1), M)
  sqrt(S^(1 - t) / elastic_square(lambda, S))
}
