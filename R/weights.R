#' Kernel weights and support vectors
#'
#' The kernel weights of a fit, and its support vectors, as data frames. They print in 15 lines at most;
#' `print(x, n = Inf)` shows all rows and columns.
#'
#' @param object A fit of class `mkl`, `mkl_multiclass` or `mkl_multioutput`.
#' @param sort `FALSE`: the kernels in the order of `coef()` and `fit$kernels`. `TRUE`: by decreasing
#'   `theta`, and equal ones by `share`; for several classes within each model.
#' @param by The unit of a row: `"kernel"`, or the sum over all kernels of a `"view"` or of a feature `"set"`
#'   within its view. A set is one of [on_features()], a column of [per_feature()], all columns, or a
#'   precomputed kernel.
#' @param features `TRUE`: the weights of features instead, for kernels that count words ([spectrum_kernel()]
#'   and similar kernels) and linear kernels on columns.
#' @param ... Not used; anything given is an error.
#'
#' @return `kernel_weights()`: a data frame with one row per kernel. Its columns are `kernel` (name), `view`
#'   (`NA` for precomputed kernels), `type`, `features`, `parameters` (text), `theta` (the weight) and
#'   `share`. The share of the fitted function is the kernel's part of its squared norm, \eqn{\theta_m^2 s_m /
#'   \sum_k \theta_k^2 s_k}{theta_m^2 s_m / sum_k theta_k^2 s_k} with \eqn{s_m = \alpha^\top K_m \alpha}{s_m =
#'   alpha' K_m alpha}. `theta` depends on the scale of the kernels, `share` does not. Neither measures
#'   importance: a view of many kernels gets weight even if it is noise. See [permutation_importance()]. For
#'   several classes a first column `model` names the model of each row (`"shared"` and `"joint"` have one set of rows,
#'   without `model`). With `by = "view"` or `"set"`: `view` (`"precomputed"` for such kernels), `set`,
#'   `kernels` and `active` (how many there are, and how many have positive weight), and the sums of `theta`
#'   and `share`; `sort = TRUE` orders by `share`.
#'
#' With `features = TRUE`: one row per feature with a weight, the largest first: `kernel`, `feature` (a word
#' or motif, see [kernel_features()], or a column) and `weight`. These kernels add to a decision value a
#' constant and the sum over features of weight times count (or column, as [standardised][scaling] in
#' training). Under spherical scaling the counts of a sequence are divided by their Euclidean length. Weights
#' of several linear kernels on one view are summed. For several classes there is a first column `model`.
#'
#' Kernels without explicit features, such as Gaussians, and linear kernels under spherical scaling or on
#' views that some samples lack, have no rows. The attribute `left_out` has the names of such kernels with
#' positive weight, and `share` the sum of `share` over all others (for several classes by model): the part of
#' the function's norm that the weights describe. If it is less than 1, a message reports it (class
#' `manykernels_message_features`). If no active kernel has features, the call is an error of class
#' `manykernels_unsupported`.
#'
#' `support()`: a data frame with one row per support vector. `row` is its row in the data that were given.
#'   (`fit$support` are positions among the rows used, which differ if `subset`, `na.action` or `missing_views
#'   = "drop"` left out rows.) `name` is the row name, or `NA`. `at_bound` is `TRUE` if `|alpha|` is at its
#'   upper limit: \eqn{C_i} for most losses, \eqn{C_i\delta}{C_i delta} for the Huber loss, none for
#'   `"squared"` and `"squared_hinge"`. Further columns are `class`, `alpha` (signed) and `margin`, \eqn{y_i
#'   f(x_i)}. For several classes there is a first column `model`. For regression `y` and `residual` take the
#'   places of `class` and `margin`; for one-class models there is `decision` alone. Packages \pkg{arules} and
#'   \pkg{distributions3} have a function `support()`, too; with one of them attached, write
#'   `manykernels::support()`.
#'
#' `coef()`: the kernel weights `theta`, a named vector, or for several classes without shared weights a
#'   matrix (kernels by models). `nobs()`: the number of training rows that count in the loss.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Proposition 2).
#' @seealso [mkl()], [plot.mkl()]
#' @examples
#' x <- iris[51:150, 1:4]
#' fit <- mkl(x, droplevels(iris$Species[51:150]), kernels = gaussian_kernel(2^(-1:3)), p = 1)
#' kernel_weights(fit, sort = TRUE)
#' kernel_weights(mkl(iris[1:4], iris$Species == "setosa", per_feature(gaussian_kernel(c(1, 4)))),
#'                sort = TRUE, by = "set")
#' head(support(fit))
#' coef(fit)
#' nobs(fit)
#' @export
kernel_weights <- function(object, ...) UseMethod("kernel_weights")

#' @rdname kernel_weights
#' @export
kernel_weights.mkl_fit <- function(object, sort = FALSE, by = c("kernel", "view", "set"),
                                   features = FALSE, ...) {
  object <- fit_within(object)
  check_dots_empty(...)
  if (check_flag(features, "features")) return(as_mkl_table(feature_weights(object)))
  fit_weights(object, sort, by)
}

# The table of a fit that has been checked.
fit_weights <- function(object, sort = FALSE, by = "kernel") {
  if (has_shared_weights(object)) return(model_weights(first_model(object), sort, by))
  if (!has_models(object)) return(model_weights(object, sort, by))
  as_kernel_weights(stack_models(object, model_weights, sort, by))
}

model_weights <- function(model, sort, by) weight_table(model, model$theta^2 * model$forms, sort, by)

weight_table <- function(object, norms, sort, by) {
  sort <- check_flag(sort, "sort")
  by <- check_choice(by, c("kernel", "view", "set"), "by")
  specs <- as.data.frame(object$kernels)
  table <- data.frame(
    kernel = specs$name, view = specs$view, type = specs$type, features = specs$features,
    parameters = specs$parameters, theta = unname(object$theta),
    share = unname(norm_share(norms)), stringsAsFactors = FALSE
  )
  if (by != "kernel") {
    table$set <- kernel_sets(object$kernels)
    table <- group_weights(table, by)
  }
  if (!sort) return(as_kernel_weights(table))
  falling <- if (by == "kernel") c("theta", "share") else c("share", "theta")
  table <- table[order(-table[[falling[1]]], -table[[falling[2]]]), ]
  rownames(table) <- NULL
  as_kernel_weights(table)
}

as_kernel_weights <- function(table) as_mkl_table(table, "kernel_weights")

as_mkl_table <- function(table, class = NULL) structure(table, class = c(class, "mkl_table", "data.frame"))

#' @rdname kernel_weights
#' @param x A table of class `mkl_table`.
#' @param n How many rows to print: a positive whole number, `Inf` for all rows and columns, `NULL` for as
#'   many as 15 lines hold.
#' @param digits The number of significant digits, a positive whole number.
#' @export
print.mkl_table <- function(x, digits = 3, n = NULL, ...) {
  if (inherits(x, "drop_view")) check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  table <- as.data.frame(unclass(x)[names(x)], optional = TRUE, stringsAsFactors = FALSE)
  first <- c("model", if (is.null(table$kernel)) c("view", "set"), "kernel", "theta", "share")
  table <- table[c(intersect(first, names(table)), setdiff(names(table), first))]
  if (!nrow(table)) return(print_short("No rows\n"))
  table <- utils::head(table, n %||% PRINTED_LINES)
  # differences that cancel leave rounding errors
  if (inherits(x, "drop_view")) table$change <- zapsmall(round(table$change, 12), digits)
  table[] <- lapply(table, function(column) {
    if (is.character(column)) replace(column, !is.na(column), shorten_apart(column[!is.na(column)])) else
      if (is.double(column)) format(column, digits = digits) else column
  })
  print_short(if (inherits(x, "drop_view")) {
                sprintf("What each view adds to %s (positive change: it helps)\n\n", attr(x, "measure"))
              },
              short_table(table, "row", n = n, total = nrow(x), right = TRUE, row.names = FALSE),
              if (has_crowded_view(x)) wrapped(paste(
                "Shares of the fitted function, not importance: a view of many kernels gets weight even if it",
                "is noise. permutation_importance() measures what predictions need."
              )), n = n)
  invisible(x)
}

# TRUE if a view of at least four kernels has at least a twentieth of the function.
has_crowded_view <- function(x) {
  if (!all(c("view", "share") %in% names(x))) return(FALSE)
  by_view <- paste(x$model, view_label(x), sep = "\r")
  kernels <- rowsum(as.double(x$kernels %||% rep(1, nrow(x))), by_view)
  share <- rowsum(x$share, by_view)
  any(kernels >= 4 & share >= 0.05)
}

ALL_COLUMNS <- "all columns" # the set of kernels that read whole views

# Names of the columns that each kernel uses.
kernel_sets <- function(kernels) {
  group <- kernel_field(kernels, "group")
  type <- kernel_field(kernels, "type")
  in_brackets <- name_parts_pattern
  names <- names(kernels)
  some <- lengths(kernel_field(kernels, "features")) > 0L
  set <- rep(ALL_COLUMNS, length(names))
  set[some] <- ifelse(grepl(in_brackets, names[some], perl = TRUE),
                      sub(in_brackets, "\\2", names[some], perl = TRUE),
                      features_text(pick_kernels(kernels, some)))
  set[!is.na(group)] <- group[!is.na(group)]
  set[type == "precomputed"] <- names[type == "precomputed"]
  set
}

# Sums over kernels by view, or by set within views; of each model where there are several.
group_weights <- function(weights, by) {
  keys <- weights[intersect(c("model", "view", if (by == "set") "set"), names(weights))]
  keys$view <- view_label(weights)
  key <- do.call(paste, c(keys, sep = "\r"))
  counts <- data.frame(kernels = 1L, active = as.integer(weights$theta > 0),
                       theta = weights$theta, share = weights$share)
  sums <- rowsum(counts, factor(key, unique(key)))
  out <- cbind(keys[!duplicated(key), , drop = FALSE], sums)
  rownames(out) <- NULL
  out
}

#' @rdname kernel_weights
#' @export
support <- function(object, ...) UseMethod("support")

#' @rdname kernel_weights
#' @export
support.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no rows of support vectors")
  check_dots_empty(...)
  refuse_without_support(object)
  if (!has_models(object)) return(as_mkl_table(support_table(object)))
  as_mkl_table(stack_models(object, function(model) {
    table <- support_table(model)
    if (!is.null(table$class)) table$class <- as.character(table$class)
    table
  }))
}

refuse_without_support <- function(object) {
  if (inherits(object, "mkl_gomp")) {
    abort_unsupported("object", paste("A fit of mkl_gomp() has no table of support vectors: it keeps every",
                                      "training row. `object$alpha` has their coefficients."))
  }
  if (!inherits(object, "mkl_path")) return(invisible())
  abort_unsupported("object", paste("Fit mkl() with the `C` and `p` of a point: a path has support vectors at",
                                    "each of its points. `object$alpha` has their coefficients."))
}

support_table <- function(object) {
  rows <- object$support
  kind <- kind_of(object)
  out <- data.frame(
    row = object$rows$used[rows] %||% rows,
    name = (names(object$alpha) %||% rep(NA_character_, length(object$alpha)))[rows],
    stringsAsFactors = FALSE
  )
  if (kind != "one_class") {
    out[[if (kind == "classes") "class" else "y"]] <- if (kind == "times")
      as.vector(object$y)[rows] else object$y[rows]
  }
  if (kind == "times") out$status <- times_status(object$y)[rows]
  out$alpha <- unname(object$alpha[rows])
  out$at_bound <- unname(at_bound(object))
  measure <- switch(kind, classes = "margin", numbers = , times = "residual",
                    one_class = "decision")
  out[[measure]] <- unname(switch(kind,
    classes = row_residuals(object, "margin"),
    numbers = , times = row_residuals(object, "response"), one_class = object$decision
  )[rows])
  out
}

#' @rdname kernel_weights
#' @export
coef.mkl_fit <- function(object, ...) {
  object <- fit_within(object)
  check_dots_empty(...)
  object$theta
}

#' @rdname kernel_weights
#' @export
nobs.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no rows to count")
  check_dots_empty(...)
  counted_rows(models_of(object))
}

#' @rdname kernel_weights
#' @importFrom stats weights
#' @export
weights.mkl_fit <- function(object, ...) {
  object <- fit_within(object, "no case weights")
  if (!is.null(object$weights)) stats::napredict(object$na.action, object$weights)
}

# The number of rows that count in the loss of any model, or output.
counted_rows <- function(models) {
  sum(Reduce(`|`, lapply(models, function(model) rowSums(as.matrix(model$cost)) > 0)))
}
