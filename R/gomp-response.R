# The response of mkl_gomp() as columns of targets, with weights.

# y: a factor or a numeric matrix; target: the matrix of outputs to be fitted. loss: NULL for the squared loss.
gomp_response <- function(y, samples, type = "auto", loss = NULL) {
  if (is.null(y)) mk_abort("`y` must be given.", "invalid_argument", "y")
  if (is_variable(y, samples)) {
    samples$response <- y
    y <- take_variable(y, samples, "y")
  }
  if (inherits(y, "Surv") || is_times(y)) {
    abort_unsupported("y", paste("`y` must not be a Surv object for mkl_gomp(), whose squared loss",
                                 "needs every time; mkl(), cv_mkl() and mkl_path() take censored ones."))
  }
  if (is_outputs_table(y) && holds_labels(y) && type != "regression") {
    labels <- check_outputs_table(y, samples, loss, asked_kind(loss, type))
    return(list(y = labels, levels = NULL, target = label_targets(labels), labels = TRUE))
  }
  y <- in_sample_order(unlabelled(y, type), samples, "y")
  if (is.data.frame(y) && all(vapply(y, is.numeric, NA))) y <- as.matrix(y)
  if (!is_outputs(y, type)) {
    y <- check_response(y, samples, loss, type)
    return(list(y = y, levels = levels(y), target = class_targets(y)))
  }
  target <- kept_values(check_outputs(y, samples$n, "y", samples), samples)
  if (type == "auto") refuse_times_table(target)
  if (ncol(target) == 1L && type == "auto") inform_regression(target)
  list(y = if (is.matrix(y)) target else drop(target), levels = NULL, target = target)
}

# Numbers of regression: where `type` leaves it to them, a matrix, or a vector with more than two values.
is_outputs <- function(y, type) {
  if (!is.numeric(y) || is.factor(y) || (is.object(y) && !is.matrix(y))) return(FALSE)
  type == "regression" || type == "auto" &&
    ((is.matrix(y) && ncol(y) > 1) || length(unique(as.vector(y))) > 2)
}

# A response of numbers, in training or later: a vector, a matrix or a data frame.
number_columns <- function(y, argument) {
  if (is.data.frame(y) && length(y) && all(vapply(y, is.numeric, NA))) y <- as.matrix(y)
  if (!is.numeric(y) || length(dim(y)) > 2) abort_argument(y, argument, "numeric, as in training")
  y
}

check_outputs <- function(y, n, argument, samples = NULL) {
  given <- y # with names
  y <- matrix(as.double(y), NROW(y), NCOL(y), dimnames = if (is.matrix(y)) dimnames(y))
  if (nrow(y) != n) {
    mk_abort(sprintf("`%s` must have one value per row of the data (%d), not %d.", argument, n,
                     nrow(y)), "length", argument, nrow(y))
  }
  check_no_missing(given, argument, samples)
  check_summable(y, argument)
  square <- sum(y^2)
  if (!is.finite(square) || (square == 0 && any(y != 0))) {
    mk_abort(sprintf("`%s` must not be so %s that its squares %s double precision: rescale it.",
                     argument, if (square == 0) "small" else "large",
                     if (square == 0) "vanish in" else "overflow"), "invalid_argument", argument,
             max(abs(y)))
  }
  y
}

# The weights of the squared errors at some rows, with the sum of the case weights in each output: a
# column for all outputs that have the same; NULL: all 1. Other rows don't count in what
# `class_weights` balances.
gomp_weights <- function(problem, rows) {
  response <- problem$response
  class_weights <- problem$settings$class_weights
  if (is.null(response$weights) && is.null(class_weights)) return(NULL)
  weights <- response$weights %||% rep(1, problem$data$n)
  weights[-rows] <- 0
  columns <- vapply(seq_len(ncol(response$target)), function(t) {
    own <- if (is_labels(response$y)) label_factor(response$y[, t]) else response$y
    own <- task_cost(response$target[, t], own, weights, class_weights, 1)[rows]
    own * (sum(weights) / sum(own))
  }, numeric(length(rows)))
  columns <- matrix(columns, length(rows))
  if (!all(is.finite(columns))) {
    mk_abort(paste0("`weights`", if (!is.null(class_weights)) " times `class_weights`",
                    " must be positive and finite for some rows", if (is_classes(response$y))
                      " of each class", ", and so without the rows of any fold."),
             "invalid_argument", "weights")
  }
  if (all(columns == columns[, 1])) columns[, 1, drop = FALSE] else columns
}

# One column of -1 and +1 for two levels, else one for each.
class_targets <- function(y) {
  signs <- vapply(two_class_tasks(levels(y), "ovr"), task_targets, numeric(length(y)), y)
  matrix(as.double(signs), length(y), dimnames = list(NULL, colnames(signs)))
}

# Another response of the kind that a fit was made for.
new_response <- function(y, n, fit) {
  if (is.null(fit$levels)) {
    if (is.logical(y)) storage.mode(y) <- "double"
    target <- check_outputs(number_columns(y, "validation$y"), n, "validation$y")
    if (ncol(target) != length(fit$offset)) {
      mk_abort(sprintf("`validation$y` must have %s, as in training, not %d.",
                       count_of(length(fit$offset), "column"), ncol(target)), "dimension",
               "validation", ncol(target))
    }
    if (is_labels(fit$y)) {
      if (!holds_labels(target)) {
        mk_abort("`validation$y` must be a matrix of labels, 0 and 1, as in training.",
                 "invalid_argument", "validation", y)
      }
      return(list(levels = NULL, target = label_targets(target), labels = TRUE))
    }
    return(list(levels = NULL, target = target))
  }
  if (length(y) != n) {
    mk_abort(sprintf("`validation$y` must have one value per row of `validation$x` (%d), not %d.",
                     n, length(y)), "length", "validation", length(y))
  }
  check_no_missing(y, "validation$y")
  y <- as.character(y)
  unknown <- setdiff(y, fit$levels)
  if (length(unknown)) {
    mk_abort(sprintf("`validation$y` has %s that the training data did not have: %s.",
                     if (length(unknown) == 1) "a level" else "levels", enumerate(unknown)),
             "unknown_level", "validation", unknown)
  }
  list(levels = fit$levels, y = factor(y, fit$levels))
}
