# Methods of paths: models, weights and predictions anywhere in the range.

# ---- a place on the path -------------------------------------------------------------------------

# The place of a value of C (or p) between points `from` and `from` + 1, with this share of the later one;
# at a point the share is 0.
locate <- function(path, C, p) {
  given <- list(C = C, p = p)
  other <- setdiff(c("C", "p"), path$over)
  if (!is.null(given[[other]])) {
    mk_abort(sprintf("`%s` is not for this path, which is over %s.", other, path$over),
             "invalid_argument", other, given[[other]])
  }
  if (is.null(given[[path$over]])) {
    mk_abort(sprintf("`%s` must be given, a number from %s to %s.", path$over,
                     format(path$range[1]), format(path$range[2])), "invalid_argument", path$over)
  }
  at <- check_number(given[[path$over]], path$over, lower = path$range[1], upper = path$range[2],
                     allow_inf = TRUE)
  points <- path$points[[path$over]]
  from <- findInterval(at, points, rightmost.closed = FALSE)
  axis <- list(name = path$over)
  share <- if (at == points[from]) 0 else mixture_share(axis, points[from], points[from + 1], at)
  list(from = from, share = share)
}

# (1 - share) of the values at one point and share of those at the next.
mixed <- function(place, values) {
  first <- values(place$from)
  if (place$share == 0) return(first)
  (1 - place$share) * first + place$share * values(place$from + 1)
}

# The models of all tasks at a point.
models_at <- function(path, point) {
  group_of <- rep(seq_along(path$groups), lengths(path$groups))
  models <- lapply(seq_along(path$models), function(task) {
    model <- path$models[[task]]
    model$theta <- path_theta(path, point, group_of[task])
    model$alpha <- path$alpha[, task, point]
    model$support <- unname(which(model$alpha != 0))
    model$offset <- path$offset[task, point]
    model$data <- path$data
    model$data["linear"] <- list(path$linear[[point]][[task]])
    model$data$diagonal <- lapply(path$data$diagonal, `[`,
                                  match(model$support, which(rowSums(path$alpha != 0) > 0)))
    model
  })
  stats::setNames(models, names(path$models))
}

path_theta <- function(path, point, group) {
  if (is.matrix(path$theta)) path$theta[point, ] else path$theta[point, , group]
}

# ---- predictions ---------------------------------------------------------------------------------

#' Predictions anywhere on a path
#'
#' Predicts by the model of any C (or p) within the path's range, also between its points, and gives that
#' model's kernel weights, fitted values and residuals.
#'
#' @param object A path made by [mkl_path()].
#' @param newdata New rows, as in [predict.mkl()]; the training rows without it.
#' @param C,p The place on the path: a value of C or p, whichever varies along it, within its range.
#' @param type,na.action As in [predict.mkl()]; `"prob"` needs the logistic loss, `"time"` and `"risk"`
#'   censored times.
#' @param sort,by As in [kernel_weights()].
#' @param ... Not used; anything given is an error.
#'
#' @return `predict()` and `fitted()`: as for a fit of [mkl()]. The model is the one that the path certifies:
#'   at a point that of the point, elsewhere the mixture of its neighbours (see [mkl_path()]).
#'
#'   `coef()`: the kernel weights at `C` (or `p`), a named vector, or a matrix (kernels by models) for
#'   several classes with weights of their own. Without `C` and `p` those of all points, `object$theta`.
#'   `kernel_weights()`: the table of [kernel_weights()] there. Between points, weights are mixed like
#'   the functions, and shares are those of the mixture.
#' @section Errors:
#' As in [predict.mkl()]; class `manykernels_invalid_argument` for places off the path.
#' @seealso [mkl_path()]
#' @examples
#' path <- mkl_path(iris[1:4], iris$Species, gaussian_kernel(c(0.5, 2, 8)), C = c(0.1, 10),
#'                  tol = 0.05, multiclass = "shared")
#' table(predict(path, iris, C = 2), iris$Species)
#' kernel_weights(path, C = 2)
#' @export
predict.mkl_path <- function(object, newdata, C = NULL, p = NULL,
                             type = c("response", "decision", "prob", "time", "risk"),
                             na.action = stats::na.pass, ...) {
  object <- check_object(object)
  check_predict_dots(missing(newdata), ...)
  whole <- path_whole(object)
  type <- check_predict_type(type, whole,
                             need = "a path with `loss = \"logistic\"`")
  place <- locate(object, C, p)
  decision <- if (missing(newdata)) training_values(object, place) else
    new_values(object, newdata, place, na.action)
  prediction_from(decision, type, whole)
}

# Parts of the fit that predictions at any point need.
path_whole <- function(path) {
  fields <- c("levels", "strategy", "loss", "loss_parameter")
  c(unclass(path)[fields], if (length(path$models) > 1L) unclass(path)["models"] else
    list(probability = path$models[[1]]$probability))
}

training_values <- function(path, place) {
  values <- mixed(place, function(point) path$decision[, , point, drop = FALSE])
  matrix(values, dim(values)[1], dimnames = dimnames(values)[1:2])
}

# Decision values of the functions of both points at new rows, at once.
new_values <- function(path, newdata, place, na.action) {
  points <- place$from + 0:(place$share > 0)
  object <- path
  object$models <- unlist(lapply(points, function(point) models_at(path, point)), recursive = FALSE)
  decision <- new_decision(object, newdata, na.action)
  tasks <- length(path$models)
  mixed(list(from = 1, share = place$share), function(k) {
    decision[, (k - 1) * tasks + seq_len(tasks), drop = FALSE]
  })
}

# ---- weights -------------------------------------------------------------------------------------

#' @rdname predict.mkl_path
#' @export
coef.mkl_path <- function(object, C = NULL, p = NULL, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  if (is.null(C) && is.null(p)) return(object$theta)
  place <- locate(object, C, p)
  if (is.matrix(object$theta)) return(mixed(place, function(k) object$theta[k, ]))
  mixed(place, function(k) object$theta[k, , ])
}

#' @rdname predict.mkl_path
#' @export
kernel_weights.mkl_path <- function(object, C = NULL, p = NULL, sort = FALSE,
                                    by = c("kernel", "view", "set"), ...) {
  object <- check_object(object)
  check_dots_empty(...)
  path_kernel_weights(object, C, p, sort, by)
}

# The table of a path that has been checked.
path_kernel_weights <- function(object, C = NULL, p = NULL, sort = FALSE, by = "kernel") {
  place <- locate(object, C, p)
  groups <- seq_along(object$groups)
  models <- lapply(groups, function(g) {
    list(theta = mixed(place, function(k) path_theta(object, k, g)), kernels = object$kernels,
         norms = mixture_norms(object, place, g))
  })
  table <- function(model, ...) weight_table(model, model$norms, sort, by)
  if (length(models) == 1L) return(table(models[[1]]))
  as_kernel_weights(stack_models(list(models = stats::setNames(models, model_names(object))), table))
}

# Squared norms of the kernels' parts of a mixture.
mixture_norms <- function(path, place, g) {
  own <- function(k) path_theta(path, k, g)^2 * path$forms[, g, k]
  if (place$share == 0) return(own(place$from))
  both <- path_theta(path, place$from, g) * path_theta(path, place$from + 1, g)
  mixed_forms(own(place$from), both * path$cross[[place$from]][, g], own(place$from + 1),
              place$share)[, 1]
}

# ---- print and summary ---------------------------------------------------------------------------

#' @export
print.mkl_path <- function(x, digits = 3, n = NULL, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  n <- check_shown(n)
  fixed <- setdiff(c("C", "p"), x$over)
  range <- sprintf("Over %s from %s to %s%s, %s\n", x$over, format(x$range[1], digits = 4),
              format(x$range[2], digits = 4),
              if (fixed == "C" || x$norm == "lp") sprintf(" at %s = %s", fixed, format(x[[fixed]]))
              else sprintf(" with the %s norm", sub("_", " ", x$norm)),
              format(loss_of(x)))
  size <- sprintf("%s, %s; %s\n%s\n\n", count_of(dim(x$alpha)[1], "row"), count_of(length(x$kernels), "kernel"),
                  sprintf("%s in %.2g s", count_of(nrow(x$points), "point"), x$seconds), path_gap_text(x))
  print_short(call_text(x, "Path of multiple kernel learning", n), range, size,
              points_table(x$points, digits, n), n = n)
  invisible(x)
}

path_gap_text <- function(x) {
  gaps <- c(x$intervals$gap, x$points$gap)
  state <- if (x$certified) "within" else if (all(gaps <= x$tol)) "so far within" else "NOT within"
  sprintf("Relative duality gap at most %s at every %s in the range: %s tol = %s%s",
          format(max(gaps), digits = 2), x$over, state, format(x$tol),
          if (x$status == "converged") "" else paste0(" (", sub("_", " ", x$status), ")"))
}

# At most six points where n is NULL, evenly spaced, the first and the last among them.
points_table <- function(points, digits, n) {
  shown <- points[spaced_rows(nrow(points), n %||% 6L), 1:6]
  shown[] <- lapply(shown, format, digits = digits)
  short_table(shown, "point", n = Inf, total = nrow(points), row.names = FALSE)
}

#' @export
summary.mkl_path <- function(object, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  structure(list(path = object), class = "summary.mkl_path")
}

#' @export
print.summary.mkl_path <- function(x, digits = 3, ...) {
  x <- check_object(x)
  digits <- check_digits(digits)
  path <- x$path
  print_short(call_text(path, "Path of multiple kernel learning", Inf), path_gap_text(path), "\nPoints:\n",
              points_table(path$points, digits, Inf), n = Inf)
  if (nrow(path$intervals)) {
    cat("\nLargest gaps between them:\n")
    largest <- utils::head(order(-path$intervals$gap), 5L)
    print(format(path$intervals[sort(largest), ], digits = digits), row.names = FALSE)
  }
  invisible(x)
}
