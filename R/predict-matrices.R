# Kernel values of new rows that the user gives, in the place of precomputed kernels: found in `newdata`,
# checked, normalised.

# Kernel m from its (new x training) values.
decide_precomputed <- function(object, values, m) {
  support <- object$support
  drop(normalised_values(object, values, m, support) %*% (object$alpha[support] * object$theta[m]))
}

# (new x training) values of kernel m between new rows and the training rows `kept`, normalised.
normalised_values <- function(object, values, m, kept) {
  constants <- object$constants
  kernel <- values[, kept, drop = FALSE]
  means <- if (constants$centre[m]) rowMeans(values)
  if (constants$centre[m]) {
    kernel <- kernel - means + constants$total[m]
    kernel <- sweep(kernel, 2, constants$centre_list[[m]][kept])
  }
  kernel <- kernel * constants$scale[m]
  if (!is_spherical(constants)[m]) return(kernel)
  name <- names(object$kernels)[m]
  self <- centre_diagonal(attr(values, "diagonal"), constants, m, means)
  if (any(self <= 0)) abort_diagonal(name, "numbers that stay positive when centred", min(self))
  sweep(kernel / sqrt(self), 2, sqrt(object$data$diagonal[[name]]), `/`)
}

# ---- precomputed values in newdata ---------------------------------------------------------------

# list(views, matrices): matrices named by kernel, views in whatever form the user gave.
# square: they are the matrices of the training rows, whose names on one side are those of the other.
split_newdata <- function(newdata, model, precomputed, argument = "newdata", square = FALSE,
                          missing = FALSE) {
  if (!length(precomputed)) return(list(views = newdata, matrices = list()))
  all_names <- names(model$kernels)[kernel_field(model$kernels, "type") == "precomputed"]
  newdata <- kernels_of_distances(newdata, model$kernels, argument) |>
    kernels_of_products(model$kernels, argument)
  given <- as_matrix_list(newdata, all_names, argument)
  views <- given[setdiff(names(given), all_names)]
  lacking <- setdiff(precomputed, names(given))
  if (length(lacking)) {
    mk_abort(sprintf("`%s` lacks the matrix with training rows in columns of %s: %s.", argument,
                     count_of(length(lacking), "precomputed kernel"), enumerate(lacking)),
             "missing_kernels", argument, lacking)
  }
  matrices <- lapply(stats::setNames(nm = precomputed), function(name) {
    rows <- kernel_field(model$kernels, "parameters")[[match(name, names(model$kernels))]]$rows
    label <- paste0(argument, "$", name)
    values <- plain_matrix(given[[name]], argument)
    if (square) values <- named_on_both_sides(values)
    values <- order_columns(values, label, argument, rows)
    check_new_matrix(values, label, length(model$alpha), argument, missing)
  })
  if (is_single(model$data$layout) && length(views) == 1) views <- views[[1]]
  list(views = views, matrices = matrices)
}

# A matrix, an array or an unnamed list stands for the precomputed kernels in their order.
as_matrix_list <- function(newdata, all_names, argument) {
  if (is.null(newdata)) {
    mk_abort(sprintf("`%s` must be given: fits don't keep the matrices of precomputed kernels.",
                     argument), "invalid_argument", argument, NULL)
  }
  if (inherits(newdata, "kernel_set")) newdata <- matrices_of_set(newdata)
  if (is.character(newdata)) newdata <- as.list(newdata) # files
  if (length(dim(newdata)) == 3) {
    slices <- lapply(seq_len(dim(newdata)[3]), function(m) {
      matrix(newdata[, , m], dim(newdata)[1], dimnames = dimnames(newdata)[1:2])
    })
    newdata <- stats::setNames(slices, dimnames(newdata)[[3]])
  } else if (length(dim(newdata)) == 2 && !is.data.frame(newdata)) {
    newdata <- list(newdata)
  }
  if (!is_view_list(newdata)) {
    abort_argument(newdata, argument, "a list of kernel matrices with training rows in columns")
  }
  if (is.null(names(newdata)) && length(newdata) == length(all_names)) names(newdata) <- all_names
  if (is.null(names(newdata))) {
    mk_abort(sprintf("`%s` must be a list named by kernel, or hold %s in order, not %d.", argument,
                     count_of(length(all_names), "matrix", "matrices"), length(newdata)),
             "missing_kernels", argument, length(newdata))
  }
  if (!all(nzchar(names(newdata)))) {
    mk_abort(sprintf("`%s` is a list of matrices and views: part %d needs a name.", argument,
                     which(!nzchar(names(newdata)))[1]), "view_names", argument, names(newdata))
  }
  newdata
}

check_new_matrix <- function(values, label, n, argument, missing) {
  if (!(is.matrix(values) && is.numeric(values)) || ncol(values) != n) {
    mk_abort(sprintf("`%s` must be a numeric matrix with one column per training row (%d), not %s.",
                     label, n, describe(values)), "dimension", argument, dim(values))
  }
  check_no_missing(if (missing) values[!is.na(values)] else values, label)
  values
}

check_diagonal <- function(values, name, model, missing) {
  m <- match(name, names(model$kernels))
  if (!is_spherical(model$constants)[m]) return(invisible())
  diagonal <- attr(values, "diagonal")
  if (!is.null(diagonal) && !is.numeric(diagonal)) abort_diagonal(name, "numbers", diagonal)
  bad <- !is.finite(diagonal) | diagonal < 0 | (diagonal == 0 & !model$constants$centre[m])
  if (missing) bad <- bad & !is.na(diagonal)
  if (any(bad)) abort_diagonal(name, "positive finite numbers", diagonal[bad][1])
  if (length(diagonal) != nrow(values)) {
    mk_abort(sprintf(paste0(
      "`newdata$%s` needs attr(, \"diagonal\"), the kernel value k(z, z) of each new row z: ",
      "spherical scaling divides by them."
    ), name), "missing_diagonal", "newdata", name)
  }
}

abort_diagonal <- function(name, expected, found) {
  mk_abort(sprintf("attr(newdata$%s, \"diagonal\") must hold %s, not %s.", name, expected,
                   describe(found)), "missing_diagonal", "newdata", found)
}
