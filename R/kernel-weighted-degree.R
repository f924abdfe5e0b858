# Weighted degree kernels: the constructor, and the kernels on sequences.

#' Weighted degree kernel
#'
#' Compares sequences of one length position by position. It counts the stretches of letters that two
#' sequences share at the same place, up to a length of `degree` letters: \deqn{k(x, z) = \sum_{d=1}^D
#' \beta_d \sum_l I(u_{l,d}(x) = u_{l,d}(z)),\quad \beta_d = \frac{2(D - d + 1)}{D(D + 1)},}{k(x, z) =
#' sum_d beta_d sum_l I(u_ld(x) = u_ld(z)), beta_d = 2 (D - d + 1) / (D (D + 1)),} where
#' \eqn{u_{l,d}(x)}{u_ld(x)} are the d letters of x from position l on. It is the kernel for signals at
#' a known place, such as splice sites. With `shift` S the same letters count up to S positions apart,
#' too: \deqn{\sum_{s=0}^S \delta_s (I(u_{l+s,d}(x) = u_{l,d}(z)) + I(u_{l,d}(x) = u_{l+s,d}(z)))}{
#' sum_s delta_s (I(u_(l+s)d(x) = u_ld(z)) + I(u_ld(x) = u_(l+s)d(z)))} takes the place of the
#' indicator.
#'
#' All sequences must have the same length, unlike for [spectrum_kernel()]. Letters outside the
#' alphabet, such as N, match nothing, not even each other. A stretch with such a letter doesn't count,
#' with a `mismatch` either.
#'
#' Values come from bit operations on whole sequences: with `degree = 22` a pair of 141 letters takes about 30
#' nanoseconds. Predictions and certificates don't compare pairs: for each position, one pass down a tree of
#' the support vectors' letters gives the sum over support vectors, up to rounding. Shifts multiply both times
#' by `2 * shift + 1`.
#'
#' @param degree Positive whole numbers, the largest number D of letters compared at once; one kernel
#'   for each (together with `shift` and `mismatch`, each of which may have length 1).
#' @param shift Whole numbers >= 0, how many positions apart matching letters may be.
#' @param shift_weight The weight of a match s positions apart, for s > 0 on either side:
#'   * `"documented"`: \eqn{\delta_s = 1/(2(s + 1))}{delta_s = 1/(2 (s + 1))} as in Kloft et al.; a match at
#'     the same position counts from both sides, so its weight is 1;
#'   * `"shogun"`: 1/(2s), and 1 at the same position, as in the program Shogun;
#'   * `"swd"`: 1/(2(s + 1)), and 1/2 at the same position, as in the package kebabs.
#' @param position_weights `NULL`, or non-negative numbers, one for each position: the weight of matches
#'   that start there. A shifted match starts at two positions, and has the weight of the first of them.
#'   With both weights and shifts the kernel need not be positive semidefinite.
#' @param mismatch Whole numbers from 0 to `degree - 1`: stretches with up to that many differing letters
#'   count, too. A stretch of d letters of which m differ has the weight \eqn{\beta_d / ({d \choose m} (A -
#'   1)^m)}{beta_d / (choose(d, m) (A - 1)^m)} for an alphabet of A letters, as in Shogun; m is smaller than d.
#' @param weights `NULL`, or non-negative numbers that take the place of
#'   \eqn{\beta_1, ..., \beta_D}{beta_1, ..., beta_D}, as many as the one `degree`.
#' @param alphabet The letters of the sequences, as in [spectrum_kernel()].
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; when the set is used with
#'   data, `manykernels_sequence_length` for sequences of different lengths or a wrong number of position
#'   weights.
#' @references
#' S. Sonnenburg, G. Raetsch, C. Schaefer and B. Schoelkopf (2006). Large scale multiple kernel
#' learning. *Journal of Machine Learning Research* 7, 1531-1565.
#'
#' M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien (2011). lp-norm multiple kernel learning. *Journal
#' of Machine Learning Research* 12, 953-997.
#' @family kernels
#' @export
#' @examples
#' x <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC")
#' kernel_matrix(weighted_degree_kernel(degree = 3), x)
#' weighted_degree_kernel(degree = c(3, 10), shift = c(0, 2))
weighted_degree_kernel <- function(degree = 3, shift = 0,
                                   shift_weight = c("documented", "shogun", "swd"),
                                   position_weights = NULL, mismatch = 0, weights = NULL,
                                   alphabet = "auto", ...) {
  check_dots_empty(..., .hints = constructor_hints)
  degree <- check_counts(degree, "degree")
  own <- recycle_parameters(degree = degree, shift = check_counts(shift, "shift", lower = 0L),
                            mismatch = check_counts(mismatch, "mismatch", lower = 0L))
  check_mismatch(own$mismatch, own$degree)
  shift_weight <- check_choice(shift_weight, c("documented", "shogun", "swd"), "shift_weight")
  position_weights <- check_weights_at(position_weights, "position_weights")
  weights <- check_degree_weights(weights, own$degree)
  alphabet <- check_alphabet(alphabet)
  parameters <- lapply(seq_along(own$degree), function(k) {
    list(degree = own$degree[k], shift = own$shift[k], shift_weight = shift_weight,
         mismatch = own$mismatch[k], position_weights = position_weights, weights = weights,
         alphabet = alphabet)
  })
  new_kernel_set(vapply(parameters, degree_name, ""), "weighted_degree", parameters)
}

check_mismatch <- function(mismatch, degree) {
  bad <- which(mismatch >= degree)
  if (length(bad)) {
    abort_argument(mismatch[bad[1L]], "mismatch",
                   sprintf("smaller than `degree` (%d)", degree[bad[1L]]))
  }
}

check_weights_at <- function(weights, argument) {
  if (!is.null(weights)) check_numbers(weights, argument, 0)
}

check_degree_weights <- function(weights, degree) {
  weights <- check_weights_at(weights, "weights")
  if (is.null(weights) || (length(degree) == 1L && length(weights) == degree)) return(weights)
  abort_argument(weights, "weights",
                 "one number for each length up to a single `degree`, or NULL")
}

degree_name <- function(p) {
  sprintf("weighted_degree(degree=%d%s%s)", p$degree,
          if (p$shift > 0L) paste0(",shift=", p$shift) else "",
          if (p$mismatch > 0L) paste0(",mismatch=", p$mismatch) else "")
}

# ---- on sequences --------------------------------------------------------------------------------

# Resolves alphabets: each becomes a string of letters, found and checked once for all kernels that share it.
resolve_alphabets <- function(kernels, views) {
  mine <- which(reads_sequences(kernels))
  if (length(mine) == 0L) return(kernels)
  parameters <- kernel_field(kernels, "parameters")
  view <- kernel_field(kernels, "view")
  alphabet <- vapply(parameters[mine], `[[`, "", "alphabet")
  for (same in split(mine, list(view[mine], alphabet), drop = TRUE)) {
    first <- same[1L]
    own <- views[[view[first]]]
    label <- if (is_single(views)) "x" else paste0("x$", view[first])
    letters <- alphabet_letters(parameters[[first]]$alphabet, own, label)
    check_letters(own, letters, names(kernels)[first], label)
    for (m in same) parameters[[m]]$alphabet <- letters
  }
  modify_kernels(kernels, parameters = parameters)
}

# A kernel of the core over the sequences of its view.
core_matches <- function(kernel, views) {
  view <- views[[kernel$view]]
  own <- kernel$parameters
  longest <- max(sequence_lengths(view), 1)
  if (kernel$type == "weighted_degree") check_one_length(kernel, view)
  sequences <- core_sequences(view, own$alphabet)
  matches <- switch(kernel$type,
    weighted_degree = list(weights = degree_weights(own, sequences$letters, longest),
                           shifts = shift_weights(own, longest)),
    distance_spectrum = list(weights = t(as.double(seq_len(min(own$k, longest + 1)) == own$k)),
                             shifts = distance_weights(own, seq_len(longest) - 1))
  )
  from_core(.Call(C_mk_weighted_degree, sequences, matches$weights, matches$shifts,
                  own$position_weights))
}

check_one_length <- function(kernel, view) {
  length <- range(sequence_lengths(view))
  expected <- length(kernel$parameters$position_weights)
  if (length[1L] != length[2L]) {
    mk_abort(sprintf(paste(
      "Kernel `%s` compares sequences position by position: they must have one length, not %d to",
      "%d letters. Cut windows around a common point, or use spectrum_kernel()."
    ), kernel$name, length[1L], length[2L]), "sequence_length", "x", length)
  }
  if (expected > 0L && expected != length[1L]) {
    mk_abort(sprintf("Kernel `%s` has %s, but sequences have %s.", kernel$name,
                     count_of(expected, "position weight"), count_of(length[1L], "letter")),
             "sequence_length", "position_weights", expected)
  }
}

# Checks the lengths of new sequences. Samples that lack a view count as empty.
check_new_lengths <- function(kernels, kept, new, argument) {
  for (m in which(kernel_field(kernels, "type") == "weighted_degree")) {
    name <- kernel_field(kernels, "view")[m]
    has <- which(views_have(new)[[name]] %||% rep(TRUE, view_rows(new)))
    length <- sequence_lengths(new[[name]])
    expected <- sequence_lengths(kept[[name]])[1L]
    odd <- has[length[has] != expected]
    if (!length(odd)) next
    label <- if (is_single(new)) argument else paste0(argument, "$", name)
    mk_abort(sprintf(paste(
      "Kernel `%s` compares sequences position by position: those of `%s` must have %s as in training,",
      "but number %d has %s."
    ), names(kernels)[m], label, count_of(expected, "letter"), odd[1L],
    count_of(length[odd[1L]], "letter")), "sequence_length", argument, odd)
  }
}

# (mismatch + 1) x degree, as far as sequences go.
degree_weights <- function(parameters, letters, longest) {
  D <- as.double(parameters$degree)
  d <- seq_len(min(D, longest))
  beta <- parameters$weights[d] %||% (2 * (D - d + 1) / (D * (D + 1)))
  share <- outer(0:min(parameters$mismatch, length(d) - 1L), d, function(m, d) {
    ifelse(m < d, 1 / (choose(d, m) * max(letters - 1, 1)^m), 0)
  })
  sweep(share, 2L, beta, `*`)
}

# Weights of matches 0, 1, ..., shift positions apart, up to the length of sequences.
shift_weights <- function(parameters, longest) {
  s <- seq_len(min(parameters$shift + 1, longest)) - 1
  switch(parameters$shift_weight,
    documented = ifelse(s == 0, 1, 1 / (2 * (s + 1))),
    shogun = ifelse(s == 0, 1, 1 / (2 * s)),
    swd = 1 / (2 * (s + 1))
  )
}

# Weights of common k-mers by their distance.
distance_weights <- function(parameters, distance) {
  switch(parameters$distance_weight,
    linear = pmax(0, 1 - distance / parameters$width),
    exponential = exp(-distance / parameters$width),
    gaussian = exp(-(distance / parameters$width)^2),
    swd = 1 / (2 * (distance + 1))
  )
}
