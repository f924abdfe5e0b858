# Gaussian kernels of given distances: precomputed kernels with the name of their distance and their width, so
# that new rows can be given by distances, too.

# distance: a `dist`, a matrix, or a named list of these; label: its name where it is one.
distance_kernels <- function(width, distance, label) {
  several <- is.list(distance) && !is.object(distance)
  if (several) {
    check_distance_names(names(distance), length(distance))
    codes <- paste0("distance$", names(distance))
  } else {
    distance <- stats::setNames(list(distance), label)
    codes <- "distance"
  }
  sets <- Map(function(one, name, code) {
    d <- check_distances(one, code)
    kernels <- lapply(width, function(w) exp(-d^2 / w))
    names(kernels) <- sprintf("%s:gaussian(width=%s)", name, number_text(width))
    set <- matrices_as_kernels(kernels, "distance", indefinite_advice(
      "precomputed", sprintf("exp(-as.matrix(%s)^2 / width)", code),
      sprintf("gaussian_kernel(width, distance = %s)", code)
    ))
    parameters <- Map(function(own, w) c(own, list(distance = name, width = w)),
                      kernel_field(set, "parameters"), width)
    modify_kernels(set, parameters = unname(parameters))
  }, distance, names(distance), codes)
  do.call(c, unname(sets))
}

check_distance_names <- function(names, n) {
  if (n > 0L && length(names) == n && !anyNA(names) && all(nzchar(names)) && !anyDuplicated(names)) {
    return(invisible())
  }
  mk_abort("`distance` is a list: each of its distances needs a name of its own.", "view_names",
           "distance", names)
}

# Distances between training rows, a symmetric matrix.
check_distances <- function(d, code) {
  d <- as_distances(d, code)
  check_square(d, code)
  if (any(diag(d) != 0)) {
    mk_abort(sprintf("`%s` must be 0 between a row and itself, as distances are, not %s.", code,
                     format(diag(d)[diag(d) != 0][1L])), "invalid_argument", code)
  }
  facts <- list(largest = max(d), asymmetry = max(abs(d - t(d))))
  check_kernel_matrix(d, code, facts, "distance")
}

# A plain matrix without negative numbers; a `dist` without labels has no names.
as_distances <- function(d, code) {
  if (inherits(d, "dist")) {
    labels <- attr(d, "Labels")
    d <- as.matrix(d)
    if (is.null(labels)) dimnames(d) <- NULL
  }
  if (inherits(d, "Matrix")) d <- as.matrix(d)
  if (!is.matrix(d) || !is.numeric(d)) {
    abort_argument(d, code, "a `dist` object or a numeric matrix of distances")
  }
  if (any(d < 0, na.rm = TRUE)) {
    mk_abort(sprintf("`%s` must hold distances, which are not negative, but has %s.", code,
                     format(min(d, na.rm = TRUE))), "invalid_argument", code)
  }
  d
}

# newdata with kernel values in place of distances, matched by the names of the distances; a matrix alone
# stands for the only distance.
kernels_of_distances <- function(newdata, kernels, argument) {
  kernels <- pick_kernels(kernels, kernel_field(kernels, "type") == "precomputed")
  parameters <- kernel_field(kernels, "parameters")
  label <- vapply(parameters, function(own) own$distance %||% NA_character_, "")
  labels <- unique(label[!is.na(label)])
  alone <- inherits(newdata, c("dist", "Matrix")) || is.matrix(newdata)
  if (alone && length(labels) == 1L && !anyNA(label)) newdata <- stats::setNames(list(newdata), labels)
  if (!is_view_list(newdata)) return(newdata)
  for (name in intersect(labels, names(newdata))) {
    d <- as_distances(newdata[[name]], paste0(argument, "$", name))
    mine <- which(label == name)
    values <- lapply(parameters[mine], function(own) {
      structure(exp(-d^2 / own$width), diagonal = rep(1, nrow(d)))
    })
    newdata <- c(newdata[names(newdata) != name], stats::setNames(values, names(kernels)[mine]))
  }
  newdata
}
