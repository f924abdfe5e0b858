# Handles: kernel sets of the C core, made from resolved kernels and views.

kernel_handle <- function(kernels, given, n = view_rows(given), threads = thread_count()) {
  made <- with_made_columns(kernels, plain_views(given))
  kernels <- made$kernels
  views <- made$views
  type <- core_type(kernel_field(kernels, "type"))
  view <- match(kernel_field(kernels, "view"), names(views), nomatch = 0L)
  handle <- from_core(.Call(C_mk_set_new, core_views(made, given), type, view,
                            core_features(kernels), core_parameters(kernels),
                            core_data(kernels, views), as.integer(n), threads))
  structure(handle, rows = n, kernels = length(type))
}

# The views of with_made_columns(); given: those that they were made from.
core_views <- function(made, given) {
  has <- views_have(given) %||% vector("list", length(plain_views(given)))
  for (name in names(made$source)) {
    own <- Filter(Negate(is.null), has[made$source[[name]]])
    has[name] <- list(if (length(own)) Reduce(`&`, own))
  }
  lapply(stats::setNames(nm = names(made$views)), function(name) core_view(made$views[[name]], has[[name]]))
}

# Keeps distances and inner products of all pairs of rows for sets of many fits, within a quarter of the
# budget.
share_pairs <- function(handle, control) {
  use <- 8 * matrices_of_fit(attr(handle, "rows"), attr(handle, "kernels"))
  bytes <- cache_budget(control, use = use) / 4
  from_core(.Call(C_mk_set_keep_pairs, handle, bytes, thread_count(control)))
}

# Keeps the values of kernels that R evaluates for one fit, if all values take at most a quarter of the budget.
keep_values <- function(handle, kernels, control) {
  if (!any(kernel_field(kernels, "type") %in% function_types)) return(handle)
  bytes <- cache_budget(control) / 4
  from_core(.Call(C_mk_set_keep_values, handle, bytes))
}

core_type <- function(type) match(replace(type, type %in% function_types, "function"), core_kinds()$name)

function_types <- c("function", "product", "pair", match_types) # of which the core asks for values

# All kernels' columns in one vector, and the start of each kernel's; a kernel with none uses all columns of
# its view.
core_features <- function(kernels) {
  features <- kernel_field(kernels, "features")
  list(start = c(0, cumsum(as.double(lengths(features)))), column = as.integer(unlist(features)))
}

# 3 x M: the numbers that the core's kind has, (whether samples without length stay 0, 0, 0), (map,
# gamma, by component), or zeros
core_parameters <- function(kernels) {
  type <- kernel_field(kernels, "type")
  parameters <- kernel_field(kernels, "parameters")
  out <- matrix(0, 3L, length(type))
  kinds <- core_kinds()
  for (kind in which(lengths(kinds$parameter) > 0L & kinds$name %in% type)) {
    own <- type == kinds$name[kind]
    names <- kinds$parameter[[kind]]
    numbers <- parameters[own]
    if (length(names) > 1L) numbers <- lapply(numbers, `[`, names) # in this order
    out[seq_along(names), own] <- as.double(unlist(numbers, use.names = FALSE))
  }
  linear <- which(type == "linear")
  if (length(linear)) out[1L, linear] <- vapply(parameters[linear], function(p) isTRUE(p$zero_rows), 0)
  for (m in which(type %in% c(match_types, "product", "locally_linear"))) {
    own <- parameters[[m]]
    out[, m] <- switch(type[m],
      product = c(any(reads_sequences(product_parts(kernels, m))), 0, 0),
      locally_linear = c(match(own$map, local_maps), own$gamma, own$componentwise),
      c(1, 0, 0)
    )
  }
  out
}

# A matrix, an array with a slice, a mapped file, a closure or a pointer to C, or an anchor; NULL where the
# core computes by itself.
core_data <- function(kernels, views) {
  type <- kernel_field(kernels, "type")
  out <- vector("list", length(type))
  for (m in which(type %in% types_with_data)) {
    own <- kernel_field(kernels, "parameters")[[m]]
    out[[m]] <- switch(type[m],
      precomputed = if (!is.null(own$file)) kernel_file_pointer(own$file) else
        own$matrix %||% unname(own[c("array", "slice")]),
      "function" = if (is.null(own$native)) core_function(kernels[[m]], views) else own$native(),
      product = core_product(product_parts(kernels, m), views),
      pair = core_pairs(kernels[[m]], views),
      locally_linear = own$anchor,
      core_matches(kernels[[m]], views)
    )
  }
  out
}

types_with_data <- c("precomputed", "locally_linear", function_types)

core_product <- function(parts, views) {
  own <- views[!startsWith(names(views), made_mark)]
  from_core(.Call(C_mk_product, kernel_handle(parts, own, nrow(own[[1L]]))))
}

# The function that the core calls with row numbers i and j, which returns kernel values.
core_function <- function(kernel, views) {
  f <- kernel$parameters$f
  if (!is.null(kernel$parameters$native)) kernel$parameters$native() # or an error of its own
  view <- views[[kernel$view]]
  features <- kernel$features
  what <- sprintf("The function of kernel `%s`", kernel$name)
  rows <- function(i) {
    if (is.null(features)) view[i, , drop = FALSE] else view[i, features, drop = FALSE]
  }
  function(i, j) {
    values <- call_user(f(rows(i), rows(j)), what, "function_kernel", "f")
    check_function_values(values, length(i), length(j), what)
  }
}

check_function_values <- function(values, rows, columns, what) {
  if (isS4(values)) values <- as.matrix(values)
  if (!is.numeric(values) || length(values) != rows * columns || NROW(values) != rows) {
    mk_abort(
      sprintf("%s must return a numeric nrow(X) x nrow(Z) matrix, not %s.", what, describe(values)),
      "function_kernel", "f", values
    )
  }
  if (!is.finite(sum(values))) {
    bad <- which(!is.finite(values))
    if (length(bad)) {
      mk_abort(sprintf("%s returned %s.", what, format(values[bad[1L]])), "function_kernel", "f",
               values[bad[1L]])
    }
  }
  matrix(as.double(values), rows, columns)
}

# Checks functions of users on a few rows: f(X, Z) = t(f(Z, X)), and no negative eigenvalues.
check_function_kernels <- function(kernels, views, deadline) {
  kernels <- leaf_kernels(kernels)
  for (m in which(kernel_field(kernels, "type") == "function")) {
    if (seconds_now() > deadline || view_rows(views) == 0L) return(invisible())
    rows <- spaced_rows(view_rows(views), 20L)
    half <- rows[seq_len(ceiling(length(rows) / 2))]
    f <- core_function(kernels[[m]], views)
    whole <- f(rows, rows)
    part <- f(rows, half)
    differences <- c(whole - t(whole), part - t(f(half, rows)))
    check_function_symmetric(max(abs(differences)), max(abs(whole)), names(kernels)[m])
    values <- eigen((whole + t(whole)) / 2, symmetric = TRUE, only.values = TRUE)$values
    warn_negative(min(values), max(abs(values)), names(kernels)[m],
                  indefinite_advice("function"), "for some of the rows, ")
  }
}

check_function_symmetric <- function(worst, largest, name) {
  if (worst <= 1e-8 * largest) return(invisible())
  mk_abort(
    sprintf(paste("The function of kernel `%s` is not symmetric:",
                  "f(X, Z) and t(f(Z, X)) differ by up to %s. For the mean of both give",
                  "`function_kernel(function(X, Z) (f(X, Z) + t(f(Z, X))) / 2)`."), name,
            format(worst, digits = 3L)),
    "not_symmetric", "f", worst
  )
}

# Normalises the set on its own rows, or on those in `rows` (positions), and returns the constants:
# centre, scaling, scale, centre_list and total, each of length M; `scale` is 0 for kernels that do not
# vary over these rows, which stay as they are. deadline: as of seconds_now(); tell: as in share_progress().
normalize_handle <- function(handle, kernels, normalize, threads, rows = NULL, deadline = Inf, tell = NULL) {
  codes <- normalize_codes(kernels, normalize)
  constants <- from_core(.Call(C_mk_set_normalize, handle, codes$centre, codes$scaling, rows,
                               seconds_until(deadline), tell, threads))
  if (is.null(constants)) abort_no_time("the kernels were normalised")
  if (length(constants$bad)) abort_degenerate(constants$bad, handle, kernels, codes, threads, rows)
  constants$scale[constants$constant] <- 0
  constants$total[constants$constant] <- 0
  constants$centre[constants$constant] <- list(NULL)
  c(codes, list(scale = constants$scale, centre_list = constants$centre, total = constants$total))
}

is_constant <- function(constants) constants$scale == 0

# Refuses constant kernels in calls that need every kernel.
refuse_constant <- function(constants, handle, kernels, threads) {
  bad <- which(is_constant(constants))
  if (length(bad)) abort_degenerate(bad, handle, kernels, constants, threads)
}

# The error if the time limit is reached before there is a fit.
abort_no_time <- function(before) {
  mk_abort(sprintf("The time limit `max_time` was reached before %s: there is no fit.", before),
           "time_limit", "max_time")
}

# bad: the numbers of kernels that can't be normalised on `rows` (NULL: all).
abort_degenerate <- function(bad, handle, kernels, codes, threads, rows = NULL) {
  first <- bad[1L]
  choice <- normalize_choices[(codes$scaling[first] + 3L) %% 4L + 1L]
  values <- raw_values(handle, kernels, first, threads, rows)
  goal <- if (choice != "none") sprintf("normalised by \"%s\"", choice) else
    if (codes$centre[first]) "centred" else "used"
  others <- if (length(bad) == 1L) "" else
    sprintf(" (and %s)", count_of(length(bad) - 1L, "more kernel"))
  mk_abort(
    sprintf("Kernel `%s`%s can't be %s: it %s.", names(kernels)[first], others, goal,
            constant_reason(values, choice, codes$centre[first], kernel_field(kernels, "type")[first])),
    "constant_kernel", "kernels", names(kernels)[bad]
  )
}

# Values of kernel m before normalisation, which isn't installed where it failed, between the training
# rows: at most 200 evenly spaced ones, or all of a matrix in memory.
raw_values <- function(handle, kernels, m, threads, rows = NULL) {
  kernel <- kernels[[m]]
  own <- kernel$parameters
  rows <- rows %||% seq_len(attr(handle, "rows"))
  if (kernel$type == "precomputed" && is.null(own$file)) return(precomputed_values(own, rows, rows))
  rows <- rows[spaced_rows(length(rows), 200L)]
  from_core(.Call(C_mk_matrix, handle, m, rows, rows, threads))
}

# At most `most` of n rows, evenly spaced.
spaced_rows <- function(n, most) as.integer(unique(round(seq(1, n, length.out = min(n, most)))))

# Description of a kernel that cannot be scaled, according to its values.
constant_reason <- function(values, choice, centred, type) {
  if (!all(is.finite(values))) {
    return("has values that overflow double precision: rescale the data")
  }
  self <- diag(values)
  if (any(self < 0) || mean(self) - mean(values) < -1e-8 * max(abs(values)) ||
      any(values != 0) && all(self == 0)) {
    advice <- if (type %in% c("precomputed", "function")) paste0(". ", indefinite_advice(type))
    return(paste0("is indefinite: it has a negative variance on the training rows", advice))
  }
  if (choice == "spherical") {
    return(paste0("is 0 between a training row and itself", if (centred) ", once centred"))
  }
  if (all(values == 0)) return("is 0 for all training rows, in double precision")
  if (max(values) == min(values)) {
    return("does not vary between the training rows, in double precision")
  }
  paste("has no variance on the training rows beyond rounding errors:",
        "centre or rescale the data, or leave it out")
}

# Sets the constants of training rows in a handle whose first n_train rows are kept ones. full: whether these
# are all training rows. rows: labels of the new ones, see abort_zero_length().
install_constants <- function(handle, constants, n_train, full, kernels, rows) {
  bad <- from_core(.Call(C_mk_set_constants, handle, constants$centre, constants$scaling,
                         constants$scale, constants$centre_list, constants$total,
                         as.integer(n_train), full))
  if (!is.null(bad)) {
    abort_zero_length(names(kernels)[bad$kernel], bad$sample, constants$centre[bad$kernel], rows)
  }
}

# The error for new rows that spherical scaling would divide by 0. rows: their names (or NULL), their numbers
# in the data given, and its argument.
abort_zero_length <- function(kernel, sample, centred, rows) {
  number <- rows$number[sample]
  label <- if (is.null(rows$names)) number else rows$names[sample]
  several <- length(sample) > 1L
  mk_abort(
    sprintf(paste("Kernel `%s` can't be normalised by \"spherical\" for %s %s of `%s`:",
                  "it is 0 or overflows double precision between %s%s."),
            kernel, if (several) "rows" else "row", enumerate(label, 5L), rows$argument,
            if (several) "each of them and itself" else "it and itself",
            if (centred) ", once centred" else ""),
    "constant_kernel", rows$argument, number
  )
}
