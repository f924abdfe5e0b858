#' Paths: all C for a p, or all p for a C
#'
#' Fits an [mkl()] model for **every** C in a range, not only on a grid. A few points are solved, each
#' starting from the one before. Between them the model is a mixture of its neighbours. The path chooses
#' its points so that the relative duality gap is provably at most `tol` everywhere in the range.
#' Predictions and kernel weights are available at any C of the range. Instead of C, p may vary.
#'
#' @inheritParams mkl
#' @param y The response, as in [mkl()], with one column.
#' @param loss The loss, as in [mkl()]; quantiles have one `tau`.
#' @param C The weight of the loss: two numbers, the ends of a range, or one number if `p` is a range.
#'   The default is the range from 0.01 to 1000, or 1 if `p` is a range.
#' @param p The norm of the kernel weights: one number in \eqn{[1, \infty]}, or two different ones,
#'   the ends of a range.
#' @param tol The largest relative duality gap that any model of the path may have, a number from
#'   1e-12 to below 1.
#' @param control Settings by [mkl_control()]; `max_time` is for the whole path. Its `tol` isn't
#'   used: points are solved to three tenths of the `tol` above. `probability = TRUE` and `start`
#'   are errors of class `manykernels_unsupported`.
#'
#' @return An object of class `c("mkl_path", "mkl_fit")`, a list with
#' \item{points}{a data frame with a row for each solved point: `C` or `p`, `objective` (the dual
#'   value), `primal`, `gap`, `kernels` (with positive weight), `support` (vectors), `iterations`,
#'   `seconds`, `status` (as of [mkl()]). For several classes with kernel weights of their own: sums of
#'   objectives and iterations, the largest gap, and kernels and support vectors of any model.}
#' \item{intervals}{a data frame with a row for each interval between points: `lower`, `upper`, and
#'   `gap`, which no model between them exceeds.}
#' \item{theta}{the kernel weights at the points: a matrix, points by kernels; for several classes with
#'   weights of their own an array, points by kernels by models.}
#' \item{over, range, C, p}{which of C and p varies, its range, and both as used. If the time ran out,
#'   `range` ends at the last point.}
#' \item{tol, certified, status}{the tolerance, whether the whole requested range is within it, and how
#'   the path ended. This is `"converged"`, `"time_limit"`, `"interrupted"` or `"stalled"` (some points
#'   or intervals stay above `tol`).}
#' \item{alpha, offset, decision}{arrays: rows by models by points, models by points, rows by models
#'   by points.}
#' \item{norm, loss, loss_parameter, levels, kernels, terms, call, seconds}{as of [mkl()]; the time
#'   of the whole path.}
#'
#' @section What is certified:
#' Between two neighbouring points a and b, at \eqn{C = (1 - t) C_a + t C_b}, the model is the mixture
#' \eqn{f = (1 - t) f_a + t f_b} of their functions, and the dual variables \eqn{\alpha = (1 - t)
#' \alpha_a + t \alpha_b} bound how good any model can be. They are feasible, as the boxes of the dual
#' variables are linear in C. Loss and norm of f, and the dual value of \eqn{\alpha}{alpha}, follow for
#' all t from the values at a and b and from one form \eqn{\alpha_a^\top K_m \alpha_b}{alpha_a' K_m
#' alpha_b} for each kernel. Along the mixture the primal value is convex and the dual value concave.
#' Chords over 16 pieces of the interval therefore bound the gap at all C in it, not only at the ends of
#' the pieces. Over p, mixtures are linear in 1/p, and norms are bounded by their log-convexity in 1/p
#' (Littlewood's inequality). An interval whose bound exceeds `tol` is divided. Giesen, Jaggi and Laue
#' (2012) keep solutions constant between points. They show that a number of points proportional to
#' 1/`tol` is enough for a problem of any size.
#'
#' For hinge, epsilon-insensitive and quantile losses C enters only by the bounds. Once no dual variable is at
#' its bound, a solution is therefore as good at every larger C. The path then goes straight to its end, and
#' the solution found there is used for all C whose bounds allow it.
#'
#' The bound includes rounding errors, as the certificates of the points do (see [duality_gap()]).
#'
#' @section When the path ends early:
#' At `max_time`, or at a user's interrupt after the first point, the call returns the path so far, with
#' its `range` and intervals, and a warning of class `manykernels_warning_not_converged`.
#'
#' @references
#' Giesen, J., Jaggi, M. and Laue, S. (2012). Approximating parameterized convex optimization
#' problems. *ACM Transactions on Algorithms* **9** (1), 10.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997.
#' @seealso [mkl()]; [predict.mkl_path()], [plot.mkl_path()]
#' @examples
#' x <- iris[51:150, 1:4]
#' y <- droplevels(iris$Species[51:150])
#' path <- mkl_path(x, y, gaussian_kernel(2^(-1:3)), C = c(0.1, 10), p = 4/3, tol = 0.01)
#' path
#' coef(path, C = 3)
#' table(predict(path, x, C = 3), y)
#' plot(path)
#' @export
mkl_path <- function(x, ...) {
  if (is_container(x)) UseMethod("mkl_path", any_container) else UseMethod("mkl_path")
}

#' @rdname mkl_path
#' @export
mkl_path.default <- function(x = NULL, y, kernels = NULL, C = c(0.01, 1000), p = 2, tol = 1e-3,
                             loss = NULL, norm = NULL, normalize = "multiplicative",
                             class_weights = NULL, weights = NULL,
                             multiclass = c("ovr", "ovo", "shared", "joint"), control = mkl_control(),
                             intercept = TRUE, scale = TRUE,
                             missing_views = c("error", "drop", "neutral"),
                             type = c("auto", "classification", "regression", "censored",
                                      "one_class"), impute = NULL, ...) {
  refuse_abbreviated(path_hints)
  check_dots_empty(..., .hints = path_hints)
  call <- match.call()
  call[[1]] <- quote(mkl_path)
  axis <- path_axis(C, p, missing(C), !is.null(norm))
  settings <- check_settings(axis$p[1], axis$C[1], loss, norm, normalize, class_weights, multiclass,
                             check_control(control), if (!missing(intercept)) intercept, type)
  settings <- path_settings(settings, axis, tol)
  if (!missing(y)) watch_response(y, x)
  prepared <- prepare_fit(read_kernels(x, kernels), if (!missing(y)) y, weights, settings, scale,
                          missing_views, impute,
                          code = function(...) code_response(..., refuse = refuse_several_in("mkl_path()")))
  began <- seconds_now()
  problem <- pose_problem(prepared, call)
  note_dropped(fit_path(problem, axis, check_path_tol(tol), began), prepared$data$samples)
}

#' @rdname mkl_path
#' @export
mkl_path.formula <- function(formula, data, ..., subset, weights, na.action, contrasts = NULL) {
  fit_formula("mkl_path", match.call(), if (!missing(data)) plain_object(data), contrasts, parent.frame(),
              function(parts) mkl_path.default(parts$x, parts$y, weights = parts$weights, ...))
}

# ---- arguments -----------------------------------------------------------------------------------

# list(name, range, C, p): range from the lowest place of the walk to the highest.
path_axis <- function(C, p, default, norm_given) {
  if (default && length(p) == 2L) C <- 1
  C <- check_numbers(C, "C", lower = 0, lower_open = TRUE)
  p <- check_numbers(p, "p", lower = 1, allow_inf = TRUE)
  if (norm_given && length(p) != 1L) {
    mk_abort("`p` must be one number where `norm` is given, which is used in its place.",
             "invalid_argument", "p", p)
  }
  check_range(C, "C")
  check_range(p, "p")
  if (length(C) == length(p)) {
    mk_abort(sprintf(paste("One of `C` and `p` must be a range, two different numbers, and the",
                           "other one number, but both are %s."),
                     if (length(C) == 1) "one number" else "ranges"), "invalid_argument", "C", C)
  }
  name <- if (length(C) == 2L) "C" else "p"
  list(name = name, range = if (name == "C") sort(C) else sort(p, decreasing = TRUE),
       C = sort(C), p = sort(p))
}

check_range <- function(x, argument) {
  if (length(x) == 1L || (length(x) == 2L && x[1] != x[2])) return(invisible())
  abort_argument(x, argument, "one number, or two different ones, the ends of a range")
}

check_path_tol <- function(tol) {
  check_number(tol, "tol", lower = 1e-12, upper = 1, upper_open = TRUE)
}

# Settings of the points. Costs are those of C = 1 where C varies.
path_settings <- function(settings, axis, tol) {
  if (settings$control$probability) {
    abort_unsupported("probability", paste("`probability = TRUE` is not for paths; only the",
                                           "logistic loss has probabilities there."), TRUE)
  }
  refuse_chunking(settings$control, "paths")
  if (!is.null(settings$control$start)) {
    abort_unsupported("start", "`start` is not for paths, whose points start from each other.")
  }
  if (axis$name == "p") {
    within <- axis_value(axis, mean(axis_place(axis, axis$p)))
    for (p in c(axis$p, within)) check_serves(settings$control$optimizer, lp_norm(p))
  }
  if (axis$name == "C") settings$C <- 1
  settings$control$tol <- point_share * check_path_tol(tol)
  settings
}

# ---- the path ------------------------------------------------------------------------------------

fit_path <- function(problem, axis, tol, began) {
  control <- problem$settings$control
  path <- list(problem = problem, axis = axis, tol = tol, groups = task_groups(problem))
  path$problem$settings$control$progress <- FALSE
  share_pairs(problem$handle, control)
  for (C in axis_cost(axis, axis$range)) {
    check_cost(C * problem$cost, problem$targets, problem$response, problem$weights,
               problem$settings$class_weights)
  }
  progress <- run_progress("Path", 1, control$progress, path_share(axis),
                           paste0("point %d  ", axis$name, " = %.4g  relative gap %.2g  %.1f s"))
  on.exit(progress$done())
  line <- progress$tell(1) %||% function(...) NULL
  tell <- function(count, at, gap) line(count, seconds_now() - began, at, gap)
  walk <- walk_path(path, tell)
  out <- new_mkl_path(path, walk, seconds_now() - began)
  warn_uncertified(out)
  out
}

# Progress of the walk: the share of the axis behind it.
path_share <- function(axis) {
  ends <- axis_place(axis, axis$range)
  function(count, at, gap) (axis_place(axis, at) - ends[1]) / diff(ends)
}

new_mkl_path <- function(path, walk, seconds) {
  problem <- path$problem
  points <- walk$points
  intervals <- walk$intervals
  if (path$axis$name == "p") { # the walk goes from the largest p down
    points <- rev(points)
    intervals <- lapply(rev(intervals), function(one) {
      one[c("lower", "upper")] <- one[c("upper", "lower")]
      one
    })
  }
  column <- function(field, type) vapply(intervals, `[[`, type, field)
  at <- vapply(points, `[[`, 0, "at")
  table <- data.frame(lower = column("lower", 0), upper = column("upper", 0),
                      gap = column("gap", 0))
  complete <- walk$status == "converged"
  certified <- complete && all(table$gap <= path$tol)
  c_and_p <- path$axis[c("C", "p")]
  c_and_p[[path$axis$name]] <- range(at)
  first <- new_mkl_parts(path, points)
  structure(c(
    list(points = point_table(path, points), intervals = table, theta = first$theta,
         over = path$axis$name, range = range(at)),
    c_and_p,
    list(tol = path$tol, certified = certified,
         status = if (complete && !certified) "stalled" else walk$status),
    first[names(first) != "theta"],
    list(cross = lapply(intervals, `[[`, "cross"), norm = problem$settings$norm$type,
         loss = problem$settings$loss$type,
         loss_parameter = loss_parameter(problem$settings$loss),
         intercept = problem$settings$intercept, levels = levels(problem$response),
         strategy = problem$settings$multiclass, groups = path$groups,
         kernels = first$models[[1]]$kernels, terms = NULL, call = problem$call, seconds = seconds,
         version = model_version)
  ), class = c("mkl_path", "mkl_fit"))
}

point_table <- function(path, points) {
  each <- function(f) vapply(points, function(point) f(point$results), 0)
  total <- function(field) each(function(results) sum(vapply(results, `[[`, 0, field)))
  any_of <- function(field) each(function(results) {
    sum(Reduce(`|`, lapply(results, function(one) rowSums(as.matrix(one[[field]] != 0)) > 0)))
  })
  table <- data.frame(
    at = vapply(points, `[[`, 0, "at"), objective = total("objective"), primal = total("primal"),
    gap = vapply(points, `[[`, 0, "gap"), kernels = any_of("theta"), support = any_of("alpha"),
    iterations = total("iterations"), seconds = vapply(points, `[[`, 0, "seconds"),
    status = vapply(points, function(point) {
      point$results[[which.max(vapply(point$results, `[[`, 0, "gap"))]]$status
    }, "")
  )
  names(table)[1] <- path$axis$name
  table
}

# The parts of the models at the points: one `mkl` object for each task without the fields that differ between
# points, and these fields by point. Training data are kept once, for all points.
new_mkl_parts <- function(path, points) {
  problem <- path$problem
  tasks <- names(problem$tasks)
  kernels <- names(problem$data$kernels)
  results <- lapply(points, `[[`, "results")
  gather <- function(field, rows) {
    values <- unlist(lapply(results, function(own) lapply(own, `[[`, field)))
    array(values, c(rows, length(problem$tasks), length(points)), list(NULL, tasks, NULL))
  }
  alpha <- gather("alpha", problem$data$n)
  theta <- array(unlist(lapply(results, function(own) lapply(own, `[[`, "theta"))),
                 c(length(kernels), length(path$groups), length(points)))
  forms <- array(unlist(lapply(results, function(own) lapply(own, `[[`, "forms"))), dim(theta))
  everywhere <- kept_everywhere(problem, theta, alpha)
  models <- path_models(path, points[[1]]$results, everywhere)
  decision <- gather("decision", problem$data$n)
  decision[] <- response_units(decision, problem$scaling[[1]]) - threshold_of(problem$settings$loss$type)
  rownames(decision) <- names(models[[1]]$alpha)
  list(theta = shown_theta(theta, kernels, if (length(path$groups) > 1) tasks), models = models,
       data = everywhere, linear = linear_parts(path, points), alpha = alpha,
       offset = drop_rows(gather("offset", 1)), decision = decision, forms = forms)
}

drop_rows <- function(x) matrix(x, dim(x)[2], dimnames = dimnames(x)[2:3])

# Points by kernels, and by models where these have weights of their own.
shown_theta <- function(theta, kernels, models) {
  if (is.null(models)) return(matrix(t(theta[, 1, ]), ncol = length(kernels),
                                     dimnames = list(NULL, kernels)))
  out <- aperm(theta, c(3, 1, 2))
  dimnames(out) <- list(NULL, kernels, models)
  out
}

# The training data of all kernels and rows that some point needs.
kept_everywhere <- function(problem, theta, alpha) {
  support <- which(rowSums(alpha != 0) > 0)
  kept_data(problem, apply(theta, 1, max), NULL, support, linear = NULL)
}

path_models <- function(path, results, data) {
  problem <- path$problem
  models <- lapply(seq_along(path$groups), function(g) {
    group <- path$groups[[g]]
    sigmoids <- sigmoids_of(problem, group, NULL)
    lapply(seq_along(group), function(t) {
      model <- new_mkl(problem, results[[g]], t, group[t], sigmoids[[t]], data)
      model[c("data", "decision", "history", "call")] <- NULL
      model
    })
  })
  stats::setNames(unlist(models, recursive = FALSE), names(problem$tasks))
}

# Weights of linear kernels: for each point a list with an element for each task.
linear_parts <- function(path, points) {
  problem <- path$problem
  if (!any(has_weights(problem$data$kernels, problem$constants))) return(NULL)
  lapply(points, function(point) {
    do.call(c, lapply(point$results, function(result) {
      lapply(seq_len(ncol(result$alpha)), function(t) {
        linear_part(problem, result$theta, result$alpha[, t])
      })
    }))
  })
}

warn_uncertified <- function(path) {
  if (path$certified) return(invisible())
  text <- switch(path$status,
    time_limit = , interrupted = sprintf(
      "The path ends at %s = %s%s: %s.", path$over,
      format(if (path$over == "C") path$range[2] else path$range[1], digits = 4),
      if (all(path$intervals$gap <= path$tol)) "" else ", with gaps above `tol`",
      if (path$status == "time_limit") "the time limit `max_time` was reached" else
        "the user stopped it"
    ),
    sprintf("%s of the path have relative gaps above `tol` = %s; the largest is %s.",
            count_of(sum(path$intervals$gap > path$tol), "interval"), format(path$tol),
            format(max(path$intervals$gap), digits = 2))
  )
  mk_warn(text, "not_converged", "tol", path$tol)
}
