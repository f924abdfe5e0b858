# Fits with fewer support vectors, whose decision values differ by a certified amount at most.

#' Compress a fit for prediction
#'
#' `compress()` replaces the support vectors of a fit by a few of them, with coefficients of their own, so
#' that no decision value changes by more than `tolerance`. Predictions take time in proportion to the number
#' of support vectors.
#'
#' @param object A fit of [mkl()] or [mkl_sequential()], a result of [cv_mkl()], whose fit to all rows is
#'   compressed, or a model of [read_model()]. All its active kernels must be of columns, and not centred.
#' @param tolerance The largest change of a decision value, a positive number, in the units of
#'   `predict(type = "decision")`: 1 is the margin of a hinge loss; for regression these are the units of
#'   the response (for censored times, of the model's log time).
#' @param ... Not used; anything given is an error.
#' @return An object of class `mkl_model`, as [read_model()] returns it: `predict(model, newdata)` works
#'   as for the fit, `kernel_weights()`, `coef()` and [write_model()] as well; methods that need training
#'   rows are errors. Its `fit` (with several classes or responses: each of `fit$models`) has a list
#'   `compression`: `error` is the certified bound, at most `tolerance`; `support_vectors` their number before;
#'   `norms` and `largest`, by evaluated kernel, are the numbers that the bound is made of (see Details).
#'
#' @details *The bound.* Let \eqn{f} be the decision function of the fit, \eqn{g} that of the compressed model,
#' and \eqn{\delta} the differences of their coefficients. By the inequality of Cauchy and Schwarz, for every
#' row \eqn{x}, \deqn{|f(x) - g(x)| \le \sum_m \theta_m \sqrt{\delta' K_m \delta} \sqrt{k_m(x,
#' x)}.}{|f(x) - g(x)| <= sum_m theta_m sqrt(delta'K_m delta) sqrt(k_m(x, x)).} The forms \eqn{\delta' K_m
#' \delta} are computed from all support vectors in double precision, with bounds of their rounding errors
#' added, by the code of the certificate of [duality_gap()], however \eqn{g} was found. For Gaussians \eqn{k_m(x,
#' x)} is a constant, so that the bound holds for all rows. For kernels without such a constant, as polynomials,
#' it holds for rows whose \eqn{k_m(x, x)} are at most the largest of the support vectors. For others `predict()`
#' computes the bound from the rows, and warns if it exceeds `tolerance` (class
#' `manykernels_warning_compression`). Linear kernels have explicit weights and don't change.
#'
#' The bound holds for every possible row; don't take it for the change at a typical one. `compress()` suits
#' smooth functions, of wide kernels and few columns, which take few points. Kernels so narrow that each row is
#' near few support vectors can't be compressed to a small tolerance: the error of class
#' `manykernels_no_compression` gives the size that is possible.
#'
#' *The points.* Support vectors join one after another, each time the one that brings \eqn{g}, the projection
#' of \eqn{f} onto their kernels, closest to \eqn{f} (f/P-greedy, Mueller and Schaback 2009). There are at most
#' 2,000, or a tenth of the support vectors if that is more, and as many as fit into half of the `cache` of
#' [mkl_control()]. With several models each has points of its own.
#'
#' *The cost.* Compressing \eqn{n} support vectors to \eqn{r} evaluates \eqn{n^2 + nr} pairs, about as many as
#' one prediction of the support vectors themselves, and takes \eqn{n r^2} multiplications and \eqn{8nr} bytes. It
#' pays when more rows than that are predicted. `predict(fit, newdata, compress = tolerance)` compresses
#' in every call; keep `compress(fit, tolerance)` for several.
#'
#' @section Errors:
#' `manykernels_unsupported` for kernels that can't be compressed (of sequences, precomputed or centred), and
#' fits without support vectors of their own ([mkl_gomp()], [mllkm()], [mkl_path()]);
#' `manykernels_no_compression` if the tolerance needs more points than may be used.
#' @references
#' Mueller, S. and Schaback, R. (2009). A Newton basis for kernel spaces. *Journal of Approximation Theory*
#' **161**, 645--655.
#' @seealso [predict.mkl()], [write_model()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1200), 600)
#' y <- factor(rowSums(x^2) + rnorm(600) / 2 > 1.5)
#' fit <- mkl(x, y, gaussian_kernel(c(4, 8, 16)))
#' small <- compress(fit, tolerance = 0.1)
#' small
#' range(predict(small, x, type = "decision") - predict(fit, x, type = "decision"))
#' @export
compress <- function(object, tolerance, ...) {
  check_dots_empty(..., .hints = compress_hints)
  check_given(c(object = missing(object), tolerance = missing(tolerance)))
  compressed_model(object, check_number(tolerance, "tolerance", 0, lower_open = TRUE))
}

compressed_model <- function(object, tolerance, argument = "tolerance") {
  refuse_path(object, "object")
  check_class(object, c("mkl", "mkl_multiclass", "cv_mkl", "mkl_model"), "object",
              "a fit, a result of cv_mkl() or a model of read_model()")
  fit <- fit_within(object)
  for (model in models_of(fit)) check_compressible(model)
  small <- exchanged_fields(fit, function(model) compress_one(model, tolerance, argument))
  structure(list(fit = small, package = as.character(utils::packageVersion("manykernels")),
                 version = model_version), class = c("mkl_model", "mkl_holder", "mkl_fit"))
}

check_compressible <- function(model) {
  if (inherits(model, c("mkl_gomp", "mllkm"))) {
    abort_unsupported("object", sprintf("Predict with the fit itself: fits of %s() have no support vectors.",
                                        class(model)[1L]))
  }
  kernels <- model$kernels
  constants <- model$constants
  type <- kernel_field(kernels, "type")
  other <- !has_weights(kernels, constants) & model$theta > 0
  centred <- other & (constants$centre | lengths(constants$centre_list) > 0L)
  given <- other & type %in% c("precomputed", sequence_types)
  bad <- which(centred | given)
  if (!length(bad)) return(invisible())
  what <- if (!given[bad[1L]]) "is centred" else if (type[bad[1L]] == "precomputed") "is precomputed" else
    "compares sequences"
  abort_unsupported("object", sprintf(paste(
    "Predict with the fit itself, without compression: kernel `%s` %s, and only kernels of columns that are",
    "not centred can be compressed."
  ), names(kernels)[bad[1L]], what))
}

# ---- one model -----------------------------------------------------------------------------------

compress_one <- function(model, tolerance, argument) {
  evaluated <- which(is_evaluated(model$kernels, model$constants, model$theta > 0))
  place <- which(model$alpha[model$data$rows] != 0)
  before <- model$compression %||% list(norms = 0, largest = 0, support_vectors = length(place))
  if (!length(evaluated) || !length(place)) {
    model$compression <- c(list(error = 0, tolerance = tolerance), before)
    return(model)
  }
  whole <- list(
    theta = unname(model$theta[evaluated]), alpha = unname(model$alpha[model$data$rows[place]]),
    handle = support_handle(model, evaluated, place), unit = unit_of(model)
  )
  threads <- thread_count(model$control)
  whole$largest <- from_core(.Call(C_mk_largest_diagonal, whole$handle)) * (1 + 1e-12)
  most <- most_points(length(place), model$control)
  left <- max(0, tolerance - bound_at(before$norms, before$largest))
  goal <- (left / whole$unit)^2 / sum(whole$theta * whole$largest)
  found <- from_core(.Call(C_mk_reduce, whole$handle, whole$theta, whole$alpha, goal, most, threads))
  alpha <- replace(numeric(length(place)), found$sample, found$beta)
  norms <- difference_norms(whole, alpha, threads) + before$norms
  largest <- pmax(whole$largest, before$largest)
  error <- bound_at(norms, largest)
  if (error > tolerance && most == length(place)) { # rounding stopped it: all stay as they are
    alpha <- whole$alpha
    norms <- 0 * whole$largest + before$norms
    error <- bound_at(norms, largest)
  }
  if (error > tolerance) {
    # what the points stop at for any theta
    possible <- sqrt(sum(norms^2 / whole$theta)) * sqrt(sum(whole$theta * largest))
    abort_no_compression(c(error, possible), tolerance, most, length(place), argument)
  }
  with_points(model, model$data$rows[place], alpha, list(
    error = error, tolerance = tolerance, norms = norms, largest = largest,
    support_vectors = before$support_vectors
  ))
}

unit_of <- function(model) {
  scaling <- model$scaling$response
  if (is.null(scaling)) 1 else scaling[["scale"]]
}

# At most this many points: their columns take half of the cache.
most_points <- function(n, control) {
  bytes <- cache_budget(control) / 2
  as.integer(max(1, min(n, max(2000, n / 10), bytes / (8 * n))))
}

# The kernels on the support vectors alone.
support_handle <- function(model, evaluated, place) {
  kept <- kept_kernels(model, evaluated)
  n <- length(place)
  handle <- kernel_handle(kept$kernels, subset_views(model$data$views, place), n, thread_count(model$control))
  install_constants(handle, kept$constants, n, FALSE, kept$kernels, NULL)
  handle
}

# theta_m sqrt(delta'K_m delta), in units of the decision values. The root of the form's rounding error also
# covers the rounding errors of predictions.
difference_norms <- function(whole, alpha, threads) {
  delta <- matrix(whole$alpha - alpha)
  forms <- from_core(.Call(C_mk_forms, whole$handle, delta, rep(1L, length(whole$theta)), TRUE, threads))
  whole$unit * whole$theta * (sqrt(pmax(forms[, 1L], 0)) + sqrt(forms[, 2L])) * (1 + 1e-12)
}

bound_at <- function(norms, largest) sum(norms * sqrt(largest))

# rows: the training rows that `alpha` belongs to.
with_points <- function(model, rows, alpha, compression) {
  points <- which(alpha != 0)
  kept <- rows[points]
  model$data$views <- subset_views(model$data$views, match(kept, model$data$rows))
  model$data$rows <- kept
  model$data$every_row <- FALSE
  model$alpha[] <- 0
  model$alpha[kept] <- alpha[points]
  model$support <- kept
  model$compression <- compression
  model
}

# error: the bound, and a tolerance that the points reach.
abort_no_compression <- function(error, tolerance, most, support_vectors, argument) {
  digit <- 10^floor(log10(error[2L]))
  possible <- ceiling(error[2L] / digit) * digit
  mk_abort(sprintf(paste(
    "Give a larger `%s`, such as %s: %s of %s can't change all decision values by less than %s. The bound that",
    "they reach is %s."
  ), argument, format(possible), count_of(most, "point"), count_of(support_vectors, "support vector"),
  format(tolerance), format(error[1L], digits = 3L)), "no_compression", argument, error[1L])
}

# ---- predictions ---------------------------------------------------------------------------------

# The bound of a compressed model for all rows of a handle, if these have larger kernel values than its
# support vectors had.
warn_beyond <- function(compression, handle) {
  if (is.null(compression)) return(invisible())
  error <- bound_at(compression$norms, pmax(from_core(.Call(C_mk_largest_diagonal, handle)),
                                            compression$largest))
  if (error <= compression$tolerance) return(invisible())
  mk_warn(sprintf(paste(
    "Compress with a smaller tolerance than %s, or predict with the fit itself: rows of `newdata` are farther",
    "from 0 than the support vectors, and their decision values may be off by up to %s."
  ), format(compression$tolerance), format(error, digits = 3L)), "compression", "newdata", error)
}

# A line on what was compressed, by model.
compression_text <- function(models) {
  models <- Filter(function(model) !is.null(model$compression), models)
  if (!length(models)) return("")
  before <- sum(vapply(models, function(model) model$compression$support_vectors, 0))
  wrapped(sprintf("Compressed from %s to %s: decision values change by at most %s (certified)",
                  count_of(before, "support vector"),
                  format(sum(vapply(models, function(model) length(model$support), 0L)), big.mark = ","),
                  format(max(vapply(models, function(model) model$compression$error, 0)), digits = 2L)))
}
