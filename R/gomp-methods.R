# Methods of mkl_gomp() fits: predictions at any step of the path, tables, plots, the certificate.

# ---- predictions ---------------------------------------------------------------------------------

#' Predictions along the path of a group matching pursuit
#'
#' Predicts new rows with the first `kernels` kernels of the path.
#'
#' @param object A fit of [mkl_gomp()].
#' @param newdata New rows, as in [predict.mkl()]; the training rows without it. Matrices and views
#'   that only kernels beyond `kernels` need may be missing.
#' @param type `"response"`: a factor with the training levels, or numbers (a matrix for several
#'   outputs). `"decision"`: the functions' values: a vector, or a matrix with a column for each
#'   output. Other names for these are taken as in [predict.mkl()].
#' @param kernels How many kernels of the path, a whole number from 1 to the length of the path;
#'   `NULL`: the number the fit has chosen.
#' @param na.action What to do with rows that have missing values, as in [predict.mkl()].
#' @param ... Not used; anything given is an error.
#' @return As many values (rows) as `newdata` has rows, in their order, with their names. With two
#'   classes the second level is predicted if the function is positive, with several classes the level
#'   with the largest value.
#' @section Errors:
#' As in [predict.mkl()]; class `manykernels_no_probability` for `type = "prob"`, as there are no class
#' probabilities.
#' @seealso [mkl_gomp()]
#' @examples
#' fit <- mkl_gomp(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(0.5, 2))))
#' error <- function(s) mean(predict(fit, iris, kernels = s) != iris$Species)
#' vapply(fit$path$step, error, 0)
#' @export
predict.mkl_gomp <- function(object, newdata, type = c("response", "decision"), kernels = NULL,
                             na.action = stats::na.pass, ...) {
  object <- check_object(object)
  check_predict_dots(missing(newdata), ...)
  type <- check_path_type(type, object)
  s <- check_step(kernels, object)
  decision <- if (missing(newdata)) training_step(object, s) else
    new_step(object, newdata, s, na.action)
  path_response(decision, type, object)
}

check_path_type <- function(type, object) {
  if (identical(type_elsewhere(type), "prob")) {
    mk_abort(sprintf("`type = \"%s\"` is not available: mkl_gomp() has no class probabilities.",
                     type), "no_probability", "type", type)
  }
  check_type(type, c("response", "decision"), object)
}

check_step <- function(kernels, object) {
  if (is.null(kernels)) return(object$selected)
  most <- length(object$order)
  if (most == 0) abort_argument(kernels, "kernels", "NULL, as the path has no steps")
  check_count(kernels, "kernels", upper = most)
}

path_response <- function(decision, type, object) {
  if (type == "response" && !is.null(object$levels)) {
    return(decided_class(decision, object$levels, fit_threshold(object)))
  }
  if (type == "response" && is_labels(object$y)) return(output_response(decision, object$y))
  if (ncol(decision) == 1) decision[, 1] else decision
}

# The target of the fit: the response as a matrix.
fit_target <- function(object) {
  if (is_labels(object$y)) return(label_targets(unname(object$y)))
  if (is.null(object$levels)) as.matrix(unname(object$y)) else class_targets(object$y)
}

# The residual of a refit without weights is alpha / C.
training_step <- function(object, s) {
  size <- dim(object$coefficients)
  if (s == 0) {
    out <- matrix(object$offset, size[1], size[2], byrow = TRUE)
  } else if (!is.null(object$values)) {
    out <- matrix(object$values[, , s], size[1], size[2])
  } else {
    out <- fit_target(object) - object$coefficients[, , s] / object$C
  }
  dimnames(out) <- dimnames(object$coefficients)[1:2]
  out
}

new_step <- function(object, newdata, s, na.action) {
  na.action <- check_na_action(na.action)
  if (!is.null(object$terms)) newdata <- new_design(object, newdata)
  rows <- if (s > 0) new_rows(list(path_model(object, s)), newdata, missing = TRUE) else
    unread_rows(newdata, object$data$layout)
  decision <- matrix(new_path_values(object, rows, s), rows$n, length(object$offset),
                     dimnames = list(NULL, dimnames(object$coefficients)[[2]]))
  pad_rows(decision, rows, na.action)
}

# Rows for a function without kernels, which reads none of them.
unread_rows <- function(newdata, layout) {
  newdata <- unpacked_new(newdata, "newdata", layout)
  if (inherits(newdata, "mk_views")) newdata <- plain_views(newdata)
  first <- if (is_view_list(newdata)) newdata[[1]] else newdata
  list(n = NROW(first), complete = rep(TRUE, NROW(first)), all_names = rownames(first))
}

# ---- methods -------------------------------------------------------------------------------------

#' @rdname predict.mkl_gomp
#' @details `residuals()` are y less the function's values, with classes as -1 and +1, for all losses.
#' @export
residuals.mkl_gomp <- function(object, kernels = NULL, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  residual <- fit_target(object) - training_step(object, check_step(kernels, object))
  stats::naresid(object$na.action, if (ncol(residual) == 1) residual[, 1] else residual)
}

#' @rdname duality_gap
#' @export
duality_gap.mkl_gomp <- function(object, x, y, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  data <- pursuit_data(object, if (missing(x)) NULL else x)
  if (!missing(y)) check_same_outputs(object, y, data)
  verdict <- if (object$loss == "squared") certify_path(object, data) else
    certify_pursuit(object, data, fit_target(object))
  structure(c(verdict, list(model = "", offset = unname(object$offset), tol = object$control$tol,
                            version = model_version)), class = "duality_gap")
}

# The certificate of the chosen step of a least-squares path.
certify_path <- function(object, data) {
  problem <- training_handle(object, data)
  rows <- seq_len(problem$data$n)
  path <- list(kernel = object$order, rows = rows, offset = object$offset,
               alpha = matrix(object$coefficients, length(rows)))
  values <- path_functions(problem, path, rows)
  target <- fit_target(object)
  found <- path_certificate(values, object, target)
  step_certificate(found, object$selected, object, target)
}

# The training data once more, and the kernels on them.
pursuit_data <- function(object, x) {
  model <- object
  model$alpha <- model$y <- numeric(NROW(object$cost))
  names(model$alpha) <- rownames(object$coefficients)
  training_data(model, x)
}

training_handle <- function(object, data) {
  threads <- thread_count(object$control)
  handle <- normalized_kernels(data$kernels, data$views, data$n, object$normalize, threads)$handle
  list(handle = handle, data = data, settings = object["control"])
}

check_same_outputs <- function(object, y, data) {
  if (!is.null(object$levels) || is_labels(object$y)) {
    return(check_same_response(object, y, data))
  }
  y <- kept_values(in_sample_order(in_given_order(y, data), data$samples, "y"), data$samples)
  given <- check_outputs(number_columns(y, "y"), NROW(object$cost), "y")
  if (!identical(dim(given), dim(fit_target(object))) || any(given != fit_target(object))) {
    mk_abort("`y` must be the training response, but differs from it.", "mismatch", "y")
  }
}

# ---- tables --------------------------------------------------------------------------------------

#' @export
print.mkl_gomp <- function(x, digits = 3, n = NULL, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  head <- sprintf("%s%s, lambda = %s\n%s; %s\n",
                  call_text(x, "Group matching pursuit over kernels", n), format(new_loss(x$loss)),
                  format(x$lambda, digits = digits), rows_text(x), outputs_text(x))
  if (nrow(x$path)) {
    print_short(head, sprintf("%s\n\n%s, %d taken, %d in use%s:\n", certificate_text(x),
                              count_of(length(x$theta), "kernel"), nrow(x$path), x$selected,
                              if (is.null(x$tuning)) "" else " (the least validation error)"),
                steps_table(x, digits, n), constant_text(x), n = n)
  } else {
    print_short(head, sprintf("\nNo kernel was taken: %s.\n", switch(
      x$status,
      time_limit = "the time limit `max_time` was reached",
      interrupted = "the user stopped it",
      stalled = "the refit isn't positive definite in double precision",
      "none improves on the mean of the response, or on 0"
    )), n = n)
  }
  invisible(x)
}

outputs_text <- function(x) {
  if (is_labels(x$y)) return(count_of(ncol(x$y), "label"))
  if (is.null(x$levels)) return(count_of(length(x$offset), "output"))
  if (length(x$levels) > 2) return(sprintf("%d classes", length(x$levels)))
  sides_text(x$levels)
}

# The steps; where not all are shown, the one in use comes first.
steps_table <- function(x, digits, n) {
  errors <- path_error_columns(x)
  table <- x$path[!names(x$path) %in% c("gap", "time")]
  table[attr(errors, "columns")] <- errors
  names(table)[match(attr(errors, "columns"), names(table))] <- names(errors)
  number <- vapply(table, is.double, NA)
  table[number] <- lapply(table[number], format, digits = digits)
  names(table) <- gsub("_", " ", names(table))
  table$step <- paste0(table$step, ifelse(table$step == x$selected, " (in use)", ""))
  if (x$selected > 3L && x$selected > n %||% 3L) table <- rbind(table[x$selected, ], table[-x$selected, ])
  short_table(table, "step", n = n, row.names = FALSE)
}

# What the function in use does on the training rows.
pursuit_errors <- function(object) {
  classes <- !is.null(object$levels)
  predicted <- path_response(training_step(object, object$selected), "response", object)
  list(confusion = if (classes) table(truth = object$y, predicted = predicted),
       error = if (classes || is_labels(object$y)) mean(object$y != predicted) else
         mean((object$y - predicted)^2))
}

# ---- plots ---------------------------------------------------------------------------------------

#' Plots of a group matching pursuit
#'
#' Draws how the error falls with each kernel that is added, and what share each kernel in use has of the
#' function.
#'
#' @param x,object A fit of [mkl_gomp()].
#' @param which What to draw, one or both of
#'   * `"path"`: above, the training error (and the validation error, if the fit has one) against the
#'     number of kernels. The number in use is marked. Below, each step's improvement as a share of the
#'     response's sum of squares (or its gradient as a share of the first), on a logarithmic scale.
#'   * `"weights"`: the shares of the kernels in use in the squared norm of the function (see
#'     [kernel_weights()]), as in [plot.mkl()].
#' @param most,main,ask,by As in [plot.mkl()].
#' @param ... Not used; anything given is an error.
#' @return `plot()`: the fit, invisibly. Graphical parameters are restored. `autoplot()`, which needs
#'   package ggplot2: a ggplot.
#' @seealso [mkl_gomp()]
#' @examples
#' fit <- mkl_gomp(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(0.5, 2))), folds = 5)
#' plot(fit, "path")
#' plot(fit, "weights")
#' @export
plot.mkl_gomp <- function(x, which = c("path", "weights"), most = 30L, main = NULL, by = NULL,
                          ask = length(which) > 1 && grDevices::dev.interactive() &&
                            prod(graphics::par("mfrow")) < length(which), ...) {
  x <- check_object(x)
  check_dots_empty(...)
  which <- check_which(which, c("path", "weights"))
  check_serves_plot(c(if (!missing(most)) "most", if (!is.null(by)) "by"), which, "weights")
  check_main(main)
  options <- check_plot_options(most, by = by)
  check_steps_taken(x)
  draw_each(which, ask, function(one) {
    if (one == "path") draw_path(x, main) else
      plot_weights(x, options$most, "share", main, by = options$by)
  })
  invisible(x)
}

check_steps_taken <- function(x) {
  if (!nrow(x$path)) mk_abort("The path has no steps to be plotted.", "invalid_argument", "x")
}

# The errors of the path under the names that are shown, with those of the path's columns; of a measure its
# values. Attribute `axis`: what they are.
path_error_columns <- function(x) {
  columns <- intersect(c("training_error", "validation_error"), names(x$path))
  found <- as.list(x$path[columns])
  measure <- attr(x$path, "measure")
  if (!is.null(measure) && measure$larger) found <- lapply(found, `-`)
  axis <- if (is.null(measure)) "error" else gsub("_", " ", measure$name)
  structure(found, names = paste(sub("_error", "", columns), axis), columns = columns, axis = axis)
}

# Each step's improvement as a part of the response's sum of squares, or its gradient as a part of the first.
improvement_shares <- function(x) {
  if (x$loss != "squared") return(x$path$gradient / x$path$gradient[1L])
  x$path$improvement / sum((path_roots(x) * sweep(fit_target(x), 2, x$offset))^2)
}

# One figure, two bands that share the axis of steps.
draw_path <- function(x, main) {
  path <- x$path
  errors <- path_error_columns(x)
  axis <- attr(errors, "axis")
  # errors of classes start at 0, and without any the axis shows what one row is
  least <- if (axis == "error" && (!is.null(x$levels) || is_labels(x$y))) c(0, 1 / counted_rows(list(x)))
  upper <- band(range(unlist(errors), least), 0.47, 1)
  share <- improvement_shares(x)
  lower <- gap_band(share, max(share), 0, 0.37)
  steps <- list(limits = c(0.5, nrow(path) + 0.5), ticks = whole_ticks(nrow(path)), label = "kernels")
  colours <- view_colours(2)
  key <- top_key(key_entries(c(names(errors), in_use(x)), c(colours[seq_along(errors)], ink$soft),
                             rep(1:2, c(length(errors), 1L))), line_inches(4.6))
  margins <- c(line_inches(3), line_inches(4.6), top_margin(main, key), line_inches(1))
  with_figure(margins, steps$limits, c(0, 1), function() {
    draw_band_grid(steps, upper, lower)
    graphics::segments(x$selected, 0, x$selected, 1, lty = 2, col = ink$soft)
    for (k in seq_along(errors)) draw_run(path$step, upper$map(errors[[k]]), colours[k])
    with_clip(steps$limits, lower$to,
              draw_run(path$step, lower$map(log10(share)), ink$text))
    draw_band_axes(upper, lower, steps, c(axis, names(x$path)[3L]))
    draw_top_key(key)
  }, main, main_line = title_line(key))
}

in_use <- function(x) sprintf("%d in use", x$selected)
