# The Rademacher complexity on the data at hand, by random signs.

#' Empirical Rademacher complexity of multiple kernel learning
#'
#' Measures how well functions of lp-norm multiple kernel learning with norm at most 1 can follow random
#' signs on these rows. It needs no bound on the kernels and takes into account how similar they are.
#' The value is \deqn{\hat\Re(H^p) = \frac1n E_\sigma \sqrt{\|(\sigma^\top K_m \sigma)_m\|_{p^*}},\quad
#' p^* = p/(p-1),}{Re = 1/n E sqrt(|| (s' K_m s)_m ||_p*), p* = p/(p - 1),} estimated from random sign
#' vectors (Monte Carlo). They are the same for all p.
#'
#' Each pair of rows is evaluated once for all sign vectors and kernels; no kernel matrix is stored.
#' Many uncentred Gaussians on the same columns are summed by distance, in narrow bins. They change no
#' kernel value by more than 2.4e-4 of its diagonal (5e-4 if the largest distance is more than about
#' 4,000 times the narrowest width, and so on). These changes average out over the random signs and are
#' a small part of the Monte Carlo error. Other kernel values are rounded to single precision for the
#' sums.
#'
#' `upper` holds with probability `level` over the sign vectors, for any number of them
#' (McDiarmid's inequality): value + \eqn{\sqrt{2 \|(\max_i k_m(x_i,x_i))_m\|_{p^*}
#' \ln(1/(1-level)) / (n\,draws)}}{sqrt(2 ||(max_i k_m(x_i, x_i))_m||_p* ln(1/(1 - level)) /
#' (n draws))}.
#'
#' @param kernels A kernel set; `NULL` for [default_kernels()].
#' @param x The data as in [mkl()]; `NULL` when all kernels are precomputed.
#' @param p Norms of the kernel weights, a vector of numbers in `[1, Inf]`; by default those of the papers.
#' @param norm One of [norms] in place of `p`; weights and matrices are in the order of the kernels, or
#'   named by kernel.
#' @param draws The number of sign vectors, a positive whole number. `Inf` takes all of them, for at most 15
#'   rows; the value is then exact.
#' @param normalize How kernels are normalised, as in [mkl()]. The constants come from these rows.
#' @param scale Whether to standardise columns first, as fits do: `TRUE`, `FALSE` or by view; see [scaling].
#' @param level The probability for `upper`, a number in (0, 1). With `draws = Inf` the value is exact,
#'   and `upper` equals it for any `level`.
#' @param progress Whether to show progress, as in [mkl_control()].
#' @return An object of class `empirical_rademacher`: `value` (one for each p), `terms` (a data frame with
#'   `p`, or `norm` in words, and `value`, `standard_error` and `upper`), `draws`, `n`, `M`, `source`.
#'   `print()`, and with `p` `plot()` and `autoplot()`, work on it. Random signs come from R's generator; see
#'   [set.seed()]. Errors: those of [mkl()] about data and kernels, and class `manykernels_core` for kernel
#'   values that are not finite.
#' @references
#' Bartlett, P. L. and Mendelson, S. (2002). Rademacher and Gaussian complexities: risk bounds and
#' structural results. *Journal of Machine Learning Research* **3**, 463--482.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 5).
#' @seealso [rademacher_bound()], [risk_bound()]
#' @examples
#' set.seed(1)
#' x <- as.matrix(iris[1:4])
#' empirical_rademacher(gaussian_kernel(2^(-2:4)), x, p = c(1, 2, Inf))
#' rademacher_bound(c(1, 2, Inf), kernels = gaussian_kernel(2^(-2:4)), x = x)$value
#' empirical_rademacher(gaussian_kernel(2^(-2:4)), x, norm = elastic_net_norm(0.5))
#' @export
empirical_rademacher <- function(kernels, x = NULL, p = norm_grid, draws = 200,
                                 normalize = "multiplicative", level = 0.95, scale = FALSE,
                                 progress = getOption("manykernels.progress", interactive()), norm = NULL) {
  check_given(c(kernels = missing(kernels)))
  if (!is.null(norm) && !missing(p)) {
    mk_abort("`p` must not be given together with `norm`, which takes its place.", "invalid_argument", "p")
  }
  p <- check_numbers(p, "p", lower = 1, allow_inf = TRUE)
  if (!identical(draws, Inf)) draws <- check_count(draws, "draws")
  level <- check_number(level, "level", 0, 1, lower_open = TRUE, upper_open = TRUE)
  problem <- open_kernels(x, kernels, normalize, scale)
  norms <- if (is.null(norm)) lapply(p, lp_norm) else
    list(norm_of_kernels(check_norm(norm), names(problem$kernels)))
  progress <- run_progress("Random signs", 1, check_flag(progress, "progress"),
                           function(percent, draws, rows) percent / 100,
                           "%d %% of %.0f sign vectors on %.0f rows  %.1f s")
  on.exit(progress$done())
  estimate <- estimate_complexity(problem$handle, problem$n, norms, draws, problem$threads, level,
                                  progress$tell(1))
  estimate <- if (is.null(norm)) cbind(p = p, estimate) else cbind(norm = format(norm), estimate)
  new_bound(
    "empirical_rademacher", estimate$value, estimate,
    paste("Bartlett and Mendelson (2002): empirical Rademacher complexity;",
          if (is.infinite(draws)) "all sign vectors" else "Monte Carlo over random signs"),
    draws = if (is.infinite(draws)) 2^problem$n else draws, n = problem$n,
    M = length(problem$kernels), level = level
  )
}

# A data frame with a row for each norm: value, standard_error, upper.
estimate_complexity <- function(handle, n, norms, draws, threads, level, tell = NULL) {
  forms <- from_core(.Call(C_mk_sign_forms, handle, sign_matrix(n, draws), threads, tell))
  largest <- from_core(.Call(C_mk_largest_diagonal, handle))
  rows <- lapply(norms, function(norm) {
    squares <- norm_sides(norm, numeric(nrow(forms)), cbind(largest, forms), handle)$dual
    values <- sqrt(squares[-1L]) / n
    exact <- is.infinite(draws)
    error <- if (exact) 0 else if (draws > 1) stats::sd(values) / sqrt(draws) else NA_real_
    slack <- if (exact) 0 else sqrt(2 * squares[1L] * log(1 / (1 - level)) / (n * draws))
    data.frame(value = mean(values), standard_error = error, upper = mean(values) + slack)
  })
  do.call(rbind, rows)
}

# Random signs by columns. For `draws = Inf` all sign vectors up to a common sign, which changes no form.
sign_matrix <- function(n, draws) {
  if (is.finite(draws)) {
    if (as.double(n) * draws > .Machine$integer.max) {
      mk_abort(sprintf("`draws` can be at most %d for %s, not %s.", .Machine$integer.max %/% n,
                       count_of(n, "row"), format(draws)), "invalid_argument", "draws", draws)
    }
    return(matrix(2L * sample.int(2L, n * draws, TRUE) - 3L, n))
  }
  if (n > 15) {
    mk_abort(sprintf("`draws` can be Inf for at most 15 rows, not for %d.", n), "invalid_argument",
             "draws", n)
  }
  rest <- as.matrix(expand.grid(rep(list(c(-1L, 1L)), n - 1)))
  t(unname(if (n == 1) matrix(1L) else cbind(1L, rest)))
}
