#' Recompute the certificate of a fit
#'
#' Computes the primal value, the dual value and the relative duality gap from the training data, the kernel
#' weights and the dual variables alone, in double precision. No sum, table or approximation of the optimiser
#' enters; both use the same definitions of kernels, losses and norms. The optimum lies between the dual and the
#' primal value. A relative gap of 1e-3 therefore proves that the fit is within 0.1 % of the optimum, whatever
#' the optimiser.
#'
#' @param object A fit of class `mkl`, `mkl_multiclass` or `mkl_multioutput`, or a result of [cv_mkl()],
#'   whose fit to all rows is certified. One model of a `"joint"` fit has no certificate of its own, an error of
#'   class `manykernels_unsupported`.
#' @param x The training data, with the same rows, in the form given to [mkl()]. For fits from a formula
#'   it is the data frame with all its variables; rows that `subset` or missing values excluded are left
#'   out again. For precomputed kernels it is the list of all training kernel matrices, or the kernel
#'   set (matrices in files are read from there, unless given). Rows with names in another order than in
#'   training are put in order, with a message; see the section on names of [mkl()]. Samples that lack a
#'   view are treated as in the fit ([missing_views]).
#' @param y The training response. It may be left out, as the fit keeps it; for one-class models it must be.
#'   It is compared with the response of the fit, by name if it has names, otherwise in the order of the rows
#'   of `x`.
#' @param ... Not used; anything given is an error.
#'
#' @return An object of class `duality_gap`, a list with a print method. `primal`, `dual`, `gap` (relative)
#'   and `model` (the model's name, `""` for two classes) have one value per model, one in all for `"shared"`
#'   and `"joint"`. `offset` has the best offsets, `tol` is the tolerance of the fit, and `version` is that of the
#'   form of the result.
#'
#' @details Kernel values are computed in blocks of rows, on all threads, and none are kept. Beyond the data
#'   this needs a few vectors with one value per row: 11 MB with 20,000 rows.
#'
#' With \eqn{s_m = \alpha^\top K_m \alpha}{s_m = alpha' K_m alpha} and q = 2p/(p+1), the primal
#' value is \eqn{\sum_i C_i V(f(x_i), y_i) + \frac12 (\sum_m (\theta_m \sqrt{s_m})^q)^{2/q}}{ sum_i C_i
#' V(f(x_i), y_i) + 1/2 (sum_m (theta_m sqrt(s_m))^q)^(2/q)} with the best offset. The dual value is
#' \eqn{\sum_i D_i(\alpha_i) - \frac12 \|s\|_{p^*}}{sum_i D_i(alpha_i) - 1/2 ||s||_p*} with p* =
#' p/(p-1). V and D of the loss are those in the table of [mkl()]. Other norms have their own terms (see
#' [norms]).
#'
#' The gap includes a bound on its own rounding: `primal` is raised and `dual` lowered by the possible
#' rounding errors of kernel values, of their sums and of the terms above. The true values therefore lie
#' between them, and the gap is never negative. For ordinary fits this is less than 1e-9. It grows with
#' `C`, with the number of rows, and with the size of kernel values relative to what remains after they
#' cancel. A fit whose `tol` is less than this bound has the status `"stalled"`. Kernels are computed
#' from the data; precomputed matrices and the values of kernel functions are used as given. Before the
#' evaluation dual variables are projected onto their box and, with an offset, onto sum zero. Gaussian
#' kernels of many widths on the same columns are evaluated by polynomials whose error is below 1e-19,
#' far less than rounding.
#'
#' For [mllkm()] the dual value has the largest \eqn{s_m}{s_m} of the whole dictionary, active or not.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (equations 14 and 15, Proposition 5).
#'
#' @seealso [mkl()], whose result has the same numbers in `primal`, `objective` and `gap`.
#' @examples
#' x <- iris[51:150, 1:4]
#' y <- droplevels(iris$Species[51:150])
#' fit <- mkl(x, y, kernels = gaussian_kernel(2^(-1:3)), p = 4/3)
#' duality_gap(fit, x, y)
#' fit$gap
#' @export
duality_gap <- function(object, x, y, ...) UseMethod("duality_gap")

#' @rdname duality_gap
#' @export
duality_gap.mkl_fit <- function(object, x, y, ...) {
  fit <- fit_within(object, "no certificate")
  # the fit's class may have a method of its own
  if (inherits(object, "cv_mkl")) return(duality_gap(fit, x, y, ...))
  if (inherits(object, "mkl_path")) {
    abort_unsupported("object", paste("See `object$points$gap` and `object$intervals$gap`: a path has a",
                                      "certificate at each of its points and between them."))
  }
  certify_fit(fit, x, y, ...)
}

certify_fit <- function(object, x, y, ...) {
  check_dots_empty(...)
  if (!has_models(object)) refuse_alone(object, "object")
  data <- training_data(object, if (missing(x)) NULL else x)
  if (!missing(y)) check_same_response(object, y, data)
  if (is_local(object)) certify_anchors(object, data, models_of(object)) else
    certify(object, data, model_groups(object))
}

# The models of a group share theta.
model_groups <- function(object) {
  if (has_shared_weights(object)) stats::setNames(list(models_of(object)), object$strategy) else
    lapply(models_of(object), list)
}

# Certificates of groups of models. strongest: the largest s_m of all kernels for each group, if the data have
# only some of the kernels.
certify <- function(object, data, groups, strongest = NULL) {
  threads <- thread_count(object$control)
  handle <- normalized_kernels(data$kernels, data$views, data$n, object$normalize, threads)$handle
  verdicts <- lapply(groups, certify_group, handle, object$penalty, threads)
  if (!is.null(strongest)) verdicts <- Map(over_all, verdicts, strongest)
  new_duality_gap(object, groups, verdicts)
}

new_duality_gap <- function(object, groups, verdicts) {
  structure(
    list(
      primal = vapply(verdicts, `[[`, 0, "primal"), dual = vapply(verdicts, `[[`, 0, "dual"),
      gap = vapply(verdicts, `[[`, 0, "gap"), model = names(groups) %||% "",
      offset = unlist(lapply(verdicts, `[[`, "offset"), use.names = FALSE),
      tol = object$control$tol, version = model_version
    ),
    class = "duality_gap"
  )
}

# The dual value with p = 1 where another kernel may be the strongest.
over_all <- function(verdict, strongest) {
  own <- 2 * (verdict$gain - verdict$dual)
  verdict$dual <- verdict$gain - 0.5 * max(own, strongest)
  verdict$gap <- max((verdict$primal - verdict$dual) / max(abs(verdict$primal), 1e-300), 0)
  verdict
}

# The dual value of a locally linear model has the largest s_m of the whole dictionary, active or not.
certify_anchors <- function(object, data, models) {
  view <- core_of_view(data$views)
  threads <- thread_count(object$control)
  new_duality_gap(object, models, lapply(models, function(model) {
    targets <- core_targets(matrix(own_targets(model)), if (kind_of(model) == "classes") model$y)
    from_core(.Call(C_mk_local_gap, view, model$dictionary$anchors,
                    core_maps(model$dictionary$maps), model$dictionary$selected,
                    unname(model$theta), unname(model$alpha), targets,
                    core_cost(matrix(unname(model$cost)), list(loss_of(model)), side_of(model$y)),
                    core_loss(loss_of(model), model$intercept),
                    threads))
  }))
}

certify_group <- function(models, handle, norm, threads) {
  column <- function(f) matrix(vapply(models, f, numeric(length(models[[1]]$alpha))),
                               ncol = length(models))
  first <- models[[1]]
  targets <- core_targets(column(own_targets), if (kind_of(first) == "classes") first$y, loss_of(first))
  alpha <- column(function(model) unname(model$alpha))
  cost <- core_cost(column(function(model) unname(model$cost)), lapply(models, loss_of),
                    side_of(first$y))
  certify_pair(handle, to_handle(unname(first$theta), handle), alpha, targets, cost, loss_of(first),
               first$intercept, norm, threads)
}

# The training data once more, as views and kernels with their matrices. argument: what the user calls
# them; samples: those of the training data; order: how the given rows came into their order (NULL: as
# they were).
training_data <- function(object, x, argument = "x") {
  first <- first_model(object)
  n <- length(first$alpha)
  samples <- training_samples(object, x, argument)
  formula <- !is.null(object$terms)
  if (formula) x <- training_rows(object, x, samples, argument)
  type <- kernel_field(first$kernels, "type")
  missing_views <- missing_views_of(first)
  needed <- if (missing_views == "drop") names(first$data$layout) else
    unique(kernel_field(leaf_kernels(pick_kernels(first$kernels, type != "precomputed")), "view"))
  precomputed <- names(first$kernels)[type == "precomputed"]
  files <- kept_in_files(first$kernels, x, only = length(needed) == 0L)
  if (inherits(x, "kernel_set")) x <- without_kernels(x, files)
  parts <- split_newdata(x, first, setdiff(precomputed, files), argument, square = TRUE)
  views <- match_views(first$data$layout, parts$views, needed, argument, missing_views = missing_views)
  check_new_sequences(leaf_kernels(first$kernels), views, argument)
  frames <- formula | are_frames(parts$views, views)
  given <- if (missing_views == "drop" && length(views)) drop_again(parts$matrices, views, frames, argument) else
    list(views = views, matrices = parts$matrices)
  views <- given$views
  rows <- c(if (length(needed)) view_rows(views), vapply(given$matrices, nrow, 0L))
  if (any(rows != n)) abort_training_rows(n, rows[rows != n][1], argument)
  aligned <- align_matrices(given$matrices, views, argument, frames)
  order <- if (!is.null(aligned$samples)) sample_order(aligned$samples, samples, argument)
  if (!is.null(order)) views <- subset_views(views, order)
  matrices <- given_matrices(lapply(aligned$matrices, take_new_rows, order), first$kernels, x,
                            own = TRUE)
  list(views = views, kernels = with_matrices(first$kernels, matrices), n = n, samples = samples,
       order = order, before = given$before)
}

# Removes the samples that lack a view. before: the former number of samples, and the samples that are left.
drop_again <- function(matrices, views, frames, argument) {
  matrices <- align_matrices(matrices, views, argument, frames)$matrices
  n <- view_rows(views)
  kept <- which(complete_samples(views_have(views), rep(TRUE, n)))
  list(views = subset_views(views, kept), matrices = lapply(matrices, take_new_rows, kept),
       before = list(n = n, kept = kept))
}

# TRUE for views that were data frames when they were given.
are_frames <- function(x, views) {
  vapply(names(views), function(name) is.data.frame(if (is_view_list(x)) x[[name]] else x), NA)
}

abort_training_rows <- function(n, found, argument) {
  mk_abort(sprintf("`%s` must have the %d rows of the training data, not %d.", argument, n, found), "length",
           argument, found)
}

# The samples of a fit by the names of its rows; row numbers if it was made from a data frame. x: the training
# data, which may have more names.
training_samples <- function(object, x, argument) {
  first <- first_model(object)
  n <- length(first$alpha)
  frames <- vapply(unclass(first$data$layout), function(view) !is.null(view$encoder), NA)
  numbered <- !is.null(object$terms) || any(frames)
  names <- names(first$alpha) %||% if (numbered) as.character(seq_len(n))
  c(sample_part(names, n, argument, "training", "the training data"),
    list(variables = row_variables(x, argument)))
}

# A formula's design matrix without the rows that were left out in training: by `subset`, or as
# predictors, response or weights were missing.
training_rows <- function(object, x, samples, argument) {
  rows <- object$rows
  whole <- is.data.frame(x) && !is.null(rows) && nrow(x) == rows$n
  if (whole) x <- used_in_training(x, rows, samples)
  design <- new_design(object, x, argument)
  imputes <- !is.null(first_model(object)$data$layout[[1L]]$imputation)
  complete <- if (imputes) rep(TRUE, nrow(design)) else stats::complete.cases(design)
  if (sum(complete) != samples$n) abort_training_rows(samples$n, sum(complete), argument)
  design[complete, , drop = FALSE]
}

# Selects the rows by name if all names are there, else by position.
used_in_training <- function(x, rows, samples) {
  position <- match(samples$names, row.names(x))
  if (length(position) != samples$n || anyNA(position)) position <- rows$used
  x[sort(position), , drop = FALSE]
}

# y without names has the order of the rows that were given with it.
check_same_response <- function(object, y, data) {
  own <- object$y
  y <- in_given_order(y, data)
  type <- if (is_labels(own)) "classification" else type_of_kind(kind_of(object))
  given <- check_response(y, data$samples, loss_of(object), type)
  different <- if (is.matrix(own)) {
    if (identical(dim(given), dim(own))) which(rowSums(given != own) > 0) else seq_len(nrow(own))
  } else if (is.null(object$levels)) {
    if (!is.numeric(given)) seq_along(own) else
      which(as.vector(given) != as.vector(own) | !same_sides(given, own))
  } else {
    # the response of all classes, or that of one of several models
    if (!setequal(levels(given), levels(own))) given <- task_response(object$task, given)
    position <- function(response) match(as.character(response), levels(own), 0L)
    which(position(given) != position(own))
  }
  if (length(different)) {
    mk_abort(sprintf(
      "`y` must be the training response, but differs from it in %s; the first is row %d.",
      count_of(length(different), "row"), different[1]
    ), "mismatch", "y", different)
  }
}

same_sides <- function(a, b) if (is_times(a) && is_times(b)) side_of(a) == side_of(b) else TRUE

in_given_order <- function(y, data) {
  if (is_variable(y, data$samples)) return(y)
  names <- value_part(y, "y")$names
  named <- !is.null(data$samples$names) && !is.null(names)
  if (!is.null(data$before)) {
    if (named) data$before$kept <- which(names %in% data$samples$names)
    y <- kept_values(y, data$before)
  }
  if (named || NROW(y) != data$n) y else take_rows(y, data$order)
}

#' @export
print.duality_gap <- function(x, digits = 7, n = NULL, ...) {
  check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  table <- data.frame(
    primal = format(x$primal, digits = digits), dual = format(x$dual, digits = digits),
    `relative gap` = format(x$gap, digits = 3), check.names = FALSE
  )
  if (!identical(x$model, "")) table <- cbind(model = shorten_apart(x$model, 30L), table)
  table <- table[order(-x$gap), , drop = FALSE]
  within <- all(x$gap <= x$tol)
  print_short("Certificate, recomputed from the training data in double precision\n",
              short_table(table, "model", n = n, right = TRUE, row.names = FALSE),
              sprintf("%s the tolerance of the fit (%g)\n", if (within) "within" else "NOT within", x$tol),
              n = n)
  invisible(x)
}
