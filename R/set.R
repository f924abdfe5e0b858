# Handles: kernel sets of the C core, made from resolved kernels and views.

# `threads` is not used to make a set; the calls that compute take it themselves.
kernel_handle <- function(kernels, views, n = view_rows(views), threads = NULL) {
  type <- match(kernel_field(kernels, "type"), core_types)
  view <- match(kernel_field(kernels, "view"), names(views), nomatch = 0L)
  .Call(C_mk_set_new, lapply(plain_views(views), core_view), type, view,
        kernel_field(kernels, "features"), core_parameters(kernels),
        core_data(kernels, views), as.integer(n))
}

core_types <- c("linear", "polynomial", "gaussian", "precomputed", "function")

# A dense view as it is; a sparse one as its parts.
core_view <- function(view) {
  if (is.matrix(view)) return(view)
  list(dim = view@Dim, p = view@p, i = view@i, x = view@x)
}

# 3 x M: (width, 0, 0), (degree, scale, offset), or zeros
core_parameters <- function(kernels) {
  type <- kernel_field(kernels, "type")
  parameters <- kernel_field(kernels, "parameters")
  out <- matrix(0, 3L, length(type))
  gaussian <- type == "gaussian"
  out[1L, gaussian] <- vapply(parameters[gaussian], `[[`, 0, "width")
  polynomial <- type == "polynomial"
  out[, polynomial] <- vapply(parameters[polynomial], function(p) c(p$degree, p$scale, p$offset),
                              numeric(3L))
  out
}

# A matrix, an array with a slice, or a closure; NULL where the core computes by itself.
core_data <- function(kernels, views) {
  type <- kernel_field(kernels, "type")
  out <- vector("list", length(type))
  for (m in which(type == "precomputed")) {
    parameters <- kernel_field(kernels, "parameters")[[m]]
    out[[m]] <- parameters$matrix %||% unname(parameters[c("array", "slice")])
  }
  for (m in which(type == "function")) out[[m]] <- core_function(kernels[[m]], views)
  out
}

# What the core calls with row numbers i and j: it returns kernel values, or the
# condition that stopped them, so that the core can free its memory first.
core_function <- function(kernel, views) {
  f <- kernel$parameters$f
  view <- views[[kernel$view]]
  features <- kernel$features
  rows <- function(i) {
    if (is.null(features)) view[i, , drop = FALSE] else view[i, features, drop = FALSE]
  }
  function(i, j) {
    tryCatch(
      check_function_values(f(rows(i), rows(j)), length(i), length(j), kernel$name),
      error = identity, interrupt = identity
    )
  }
}

check_function_values <- function(values, rows, columns, name) {
  if (isS4(values)) values <- as.matrix(values)
  if (!is.numeric(values) || length(values) != rows * columns || NROW(values) != rows) {
    mk_abort(
      sprintf("The function of kernel `%s` must return a numeric nrow(X) x nrow(Z) matrix, not %s.",
              name, describe(values)),
      "function_kernel", "f", values
    )
  }
  if (!is.finite(sum(values))) {
    bad <- which(!is.finite(values))
    if (length(bad)) {
      mk_abort(sprintf("The function of kernel `%s` returned %s.", name, format(values[bad[1L]])),
               "function_kernel", "f", values[bad[1L]])
    }
  }
  matrix(as.double(values), rows, columns)
}

# Normalises the set on its own rows and returns the constants: centre, scaling,
# scale, centre_list and total, each of length M.
normalize_handle <- function(handle, kernels, normalize, threads) {
  codes <- normalize_codes(kernels, normalize)
  constants <- .Call(C_mk_set_normalize, handle, codes$centre, codes$scaling, threads)
  if (length(constants$bad)) abort_constant(constants$bad, kernels, codes$scaling)
  c(codes, list(scale = constants$scale, centre_list = constants$centre, total = constants$total))
}

abort_constant <- function(bad, kernels, scaling) {
  reason <- c(
    "does not vary between the training rows",
    "is 0 between a training row and itself",
    "has a trace of 0 on the training rows"
  )[scaling[bad[1L]]]
  method <- normalize_choices[scaling[bad[1L]]]
  others <- if (length(bad) == 1L) "" else
    sprintf(" (and %s)", count_of(length(bad) - 1L, "more kernel"))
  mk_abort(
    sprintf("Kernel `%s`%s can't be normalised by \"%s\": it %s.", names(kernels)[bad[1L]], others,
            method, reason),
    "constant_kernel", "kernels", names(kernels)[bad]
  )
}

# Constants of training rows in a set whose first n_train rows are kept ones.
# full: these are all training rows.
install_constants <- function(handle, constants, n_train, full) {
  .Call(C_mk_set_constants, handle, constants$centre, constants$scaling, constants$scale,
        constants$centre_list, constants$total, as.integer(n_train), full)
}
