# Names and codes of normalisations. Their constants are computed in C.

normalize_choices <- c("multiplicative", "spherical", "trace", "none")

# Checks a choice: c("centre", scaling) or one scaling alone.
check_normalize <- function(normalize, argument = "normalize") {
  if (!is.character(normalize) || anyNA(normalize) || length(normalize) == 0L) {
    abort_normalize(normalize, argument)
  }
  normalize[normalize == "center"] <- "centre"
  scaling <- normalize[normalize != "centre"]
  centre <- length(scaling) < length(normalize)
  if (length(scaling) == 0L) scaling <- "none"
  if (length(scaling) > 1L || !scaling %in% normalize_choices) abort_normalize(normalize, argument)
  c(if (centre) "centre", scaling)
}

abort_normalize <- function(normalize, argument) {
  several <- is.character(normalize) && length(normalize) > 1L
  found <- if (several) paste(dQuote(normalize, FALSE), collapse = ", ") else describe(normalize)
  mk_abort(
    sprintf("`%s` must be one of %s, alone or with \"centre\", not %s.", argument,
            paste(dQuote(normalize_choices, FALSE), collapse = ", "), found),
    "invalid_argument", argument, normalize
  )
}

# The codes for C: centre (logical) and scaling (0 none, 1 multiplicative, 2 spherical, 3 trace) of every
# kernel; a kernel's own choice takes precedence over `normalize`.
normalize_codes <- function(kernels, normalize) {
  own <- kernel_field(kernels, "normalize")
  own[lengths(own) == 0L] <- list(check_normalize(normalize))
  # checked choices are c("centre", scaling) or scaling alone
  size <- lengths(own)
  list(centre = size == 2L, scaling = match(unlist(own)[cumsum(size)], normalize_choices) %% 4L)
}
