# Kernels that do not vary over the training rows, such as those on a mutation that no row of a fold has. They
# add nothing to any function, so their weight is 0, and the handle of a fit has only the other kernels.
# Vectors over all kernels lose the values of constant ones on the way to the core, and get 0 for them on the
# way back.

# Kernels on views, normalised: list(handle, constants), as by varying_handle().
normalized_kernels <- function(kernels, views, n, normalize, threads) {
  make <- function(kernels) kernel_handle(kernels, views, n, threads)
  varying_handle(make(kernels), kernels, normalize, threads, function(varying) {
    make(pick_kernels(kernels, varying))
  })
}

# Normalises the kernels of a handle; the result's handle has those that vary over the training rows,
# and the constants of the others have `scale` 0. remake: a function of positions of kernels, that makes
# a handle of these; rows, deadline, tell: as in normalize_handle().
varying_handle <- function(handle, kernels, normalize, threads, remake, rows = NULL, deadline = Inf,
                           tell = NULL) {
  constants <- normalize_handle(handle, kernels, normalize, threads, rows, deadline, tell)
  varying <- which(!is_constant(constants))
  if (length(varying) == length(kernels)) return(list(handle = handle, constants = constants))
  if (!length(varying)) abort_all_constant(kernels)
  rest <- remake(varying)
  normalize_handle(rest, pick_kernels(kernels, varying), normalize, threads, rows, deadline)
  attr(rest, "varying") <- varying
  attr(rest, "kernels") <- length(kernels)
  list(handle = rest, constants = constants)
}

# ---- between all kernels and those of a handle ---------------------------------------------------

# The numbers of a handle's kernels among all; NULL where it has all of them.
varying_kernels <- function(handle) attr(handle, "varying", exact = TRUE)

# The numbers of the handle's kernels among `kernels`, which are all of the fit.
handle_kernels <- function(handle, kernels) varying_kernels(handle) %||% seq_along(kernels)

# x: a vector over all kernels, or a matrix with a row for each.
to_handle <- function(x, handle) {
  varying <- varying_kernels(handle)
  if (is.null(varying)) x else if (is.matrix(x)) x[varying, , drop = FALSE] else x[varying]
}

# x: a vector over the handle's kernels, or a matrix with a row for each.
from_handle <- function(x, handle) {
  varying <- varying_kernels(handle)
  if (is.null(varying)) return(x)
  kernels <- attr(handle, "kernels", exact = TRUE)
  if (is.matrix(x)) {
    out <- matrix(0, kernels, ncol(x))
    out[varying, ] <- x
    return(out)
  }
  out <- numeric(kernels)
  out[varying] <- x
  out
}

# A result of the core over all kernels.
result_from_handle <- function(result, handle) {
  result$theta <- from_handle(result$theta, handle)
  result$forms <- from_handle(result$forms, handle)
  trace <- result$history$theta
  if (!is.null(trace)) {
    rows <- vapply(seq_len(nrow(trace)), function(i) from_handle(trace[i, ], handle),
                   numeric(length(result$theta)))
    result$history$theta <- matrix(rows, nrow(trace), byrow = TRUE)
  }
  result
}

# ---- what users are told -------------------------------------------------------------------------

# Words for constant kernels: whole views, then single kernels.
constant_labels <- function(kernels, constant) {
  if (!any(constant)) return(character())
  view <- kernel_field(kernels, "view")
  several <- length(unique(stats::na.omit(view))) > 1L
  whole <- if (several) setdiff(view[constant], c(view[!constant], NA_character_))
  c(if (length(whole)) sprintf("all kernels of view `%s`", whole),
    sprintf("`%s`", names(kernels)[constant & !view %in% whole]))
}

# The message on constant kernels, or NA if there are none.
constant_message <- function(labels) {
  if (!length(labels)) return(NA_character_)
  sprintf("Kernels that do not vary over the training rows have weight 0: %s.", listed(labels, 5L))
}

# A line for print(): why these kernels have weight 0. Models of mllkm() have no constants.
constant_text <- function(x) {
  if (is.null(x$constants)) return("")
  labels <- constant_labels(x$kernels, is_constant(x$constants))
  if (!length(labels)) return("")
  sprintf("Weight 0, as they do not vary over the training rows: %s\n", listed(labels, 5L))
}

# The labels are the condition's value.
inform_constant <- function(labels) {
  if (length(labels)) mk_inform(constant_message(labels), "constant_kernels", "kernels", labels)
}

# list(value, labels): the value of an expression, and the labels of the constant kernels of its fits, whose
# message is suppressed.
catch_constant <- function(expr) {
  labels <- character()
  value <- withCallingHandlers(expr, manykernels_message_constant_kernels = function(message) {
    labels <<- union(labels, message$value)
    invokeRestart("muffleMessage")
  })
  list(value = value, labels = labels)
}

# One message for all resamples. labels: a list with those of each.
inform_constant_folds <- function(resamples, labels) {
  each <- unique(unlist(labels))
  if (!length(each)) return(invisible())
  shown <- utils::head(each, 5L)
  where <- vapply(shown, function(label) {
    folds_text(resamples, vapply(labels, function(own) label %in% own, NA))
  }, "")
  more <- if (length(each) > length(shown)) sprintf("; %d more", length(each) - length(shown)) else ""
  mk_inform(sprintf(paste("Kernels that do not vary over the training rows of a fold have weight 0",
                          "there: %s%s."), paste(sprintf("%s (%s)", shown, where), collapse = "; "),
                    more), "constant_kernels", "kernels", unname(labels))
}

# "folds 1 and 3", "every fold"; inner folds of `nested` are counted.
folds_text <- function(resamples, chosen) {
  if (all(chosen)) return("every fold")
  outer <- vapply(resamples, function(one) is.null(one$within), NA)
  repeats <- vapply(resamples, `[[`, 0L, "repeat_number")
  names <- vapply(resamples, function(one) as.character(one$fold), "")
  if (any(repeats > 1L)) names <- sprintf("%s of repeat %d", names, repeats)
  own <- names[chosen & outer]
  inner <- sum(chosen & !outer)
  paste(c(if (length(own)) sprintf("%s %s", if (length(own) == 1L) "fold" else "folds",
                                   listed(own)),
          if (inner) count_of(inner, "inner fold")), collapse = " and ")
}

abort_all_constant <- function(kernels) {
  views <- unique(stats::na.omit(kernel_field(kernels, "view")))
  mk_abort(sprintf(paste(
    "Give data or kernels that differ between the training rows: all kernels (%s) are 0 or the same for",
    "all of these rows%s."
  ), enumerate(names(kernels), 5L), if (length(views)) {
    sprintf(", in %s %s", if (length(views) == 1L) "view" else "views", enumerate(views, 5L))
  } else ""), "constant_kernel", "kernels", names(kernels))
}
