#' Multiple locally linear kernel machines
#'
#' Fits a classifier or regression that is linear in every neighbourhood. It is a sum of linear
#' functions, each of which belongs to one *anchor* and fades with the distance from it. Every training
#' row is a candidate for an anchor. Multiple kernel learning with p = 1 picks the few that matter,
#' without a kernel matrix for any of them. Predictions need no support vectors, only two inner products
#' for each active anchor. For 20,000 rows of census data they take
#' `r locally_linear_text()` (`bench/locally-linear.R` in the sources).
#'
#' @param x The data as in [mkl()], as one view: a numeric matrix, a data frame, or a sparse
#'   `Matrix`.
#' @param formula,data,subset,na.action,contrasts As in [mkl()].
#' @param y The response, as in [mkl()].
#' @param map,gamma,componentwise How a row fades with its distance from an anchor; see
#'   [locally_linear_kernel()]. With several maps and gammas each anchor comes with every
#'   combination. `gamma = NULL` takes \eqn{1/4, 1, 4}{1/4, 1, 4} over the median squared distance
#'   of two rows (its square root for the maps of the distance itself; for `componentwise` the
#'   median is divided by the number of columns first).
#' @param rotate Whether `map` is applied to principal components instead of columns (a Karhunen-Loeve transform), `TRUE`
#'   or `FALSE`: the axes of the standardised training rows, as by [stats::prcomp()], are kept in the fit and applied
#'   to new rows. It matters for `componentwise` maps, which suit columns that are not correlated; other maps depend
#'   on distances, which it doesn't change. Sparse data are an error.
#' @param C,loss,class_weights,weights,type,group,impute,threshold As in [mkl()] (`impute`: see [imputation]).
#' @param anchors The candidates for anchors: a numeric matrix or data frame with the columns of
#'   `x`; `NULL`: the rows of `x`.
#' @param intercept Whether the function has an offset, `TRUE` or `FALSE`; that of the paper has none.
#' @param solver `"smo"`: sequential minimal optimisation and Newton steps solve the inner support
#'   vector machines, with or without an offset. `"sdca"`: stochastic dual coordinate ascent, as in the
#'   paper (Algorithm 1), for the hinge loss with `intercept = FALSE`. Each epoch visits the rows in
#'   a new random order, the same ones after the same [set.seed()]. Both end with the same certificate.
#' @param multiclass More than two classes: `"ovr"` (each level against the others) or `"ovo"` (each
#'   pair of levels), every model with its own anchors.
#' @param control Settings by [mkl_control()]; `start` is not available here.
#' @param scale Whether to standardise columns and the response of a regression: `TRUE`, `FALSE`, or one
#'   value per column; see [scaling].
#' @param ... Not used; anything given is an error.
#'
#' @details With M = anchors x maps x gammas kernels \eqn{k_m(x, z) = \langle\phi_m(x), \phi_m(z)\rangle}{
#' k_m(x, z) = <phi_m(x), phi_m(z)>}, \eqn{\phi_m(x) = h_m(x)(x - c_m)}{phi_m(x) = h_m(x) (x - c_m)}, the
#' problem is that of [mkl()] with `p = 1` (Picard, equations 5 and 6). As in the paper, kernels are not
#' normalised. Columns are standardised ([scaling]), so that distances, `gamma` and \eqn{w_m} are those of
#' standardised columns. The solution is \deqn{f(x) = \sum_m h_m(x) \langle w_m, x - c_m\rangle + b, \quad w_m
#' = \theta_m \sum_j \alpha_j \phi_m(x_j),}{f(x) = sum_m h_m(x) <w_m, x - c_m> + b, w_m = theta_m sum_j
#' alpha_j phi_m(x_j),} a sum over the active kernels, those with \eqn{\theta_m > 0}{theta_m > 0}.
#'
#' SequentialMKL (Picard, Algorithm 2) keeps a set of active kernels, solves the problem on them, and
#' searches all others for those whose strength \eqn{s_m = \|\sum_j \alpha_j \phi_m(x_j)\|^2}{ s_m =
#' ||sum_j alpha_j phi_m(x_j)||^2} exceeds the largest active one. These join, until there are none. A
#' pass over all kernels takes about `2 M s d` operations for s support vectors and d columns, in blocks
#' and on all threads. (The update of SDCA that the paper prints with \eqn{y_j} is with \eqn{y_i}.)
#'
#' A fit keeps a copy of the anchors by rows, and two numbers for each row and active kernel.
#' `componentwise` maps take as many numbers as there are columns, within the budget `cache` of
#' [mkl_control()].
#'
#' @section Radii:
#' The maps `"linear"` and `"squared"` are 0 from a distance of \eqn{1/\gamma}{1/gamma} and
#' \eqn{1/\sqrt\gamma}{1/sqrt(gamma)} on. The prediction of a row that no active anchor reaches is the
#' offset alone. The radius should therefore be no less than the typical distance of two rows: `gamma`
#' up to 1 over the median distance (`"linear"`), or over the median squared distance (`"squared"`).
#' With many columns almost no two rows are closer than about half of that distance. With a shorter
#' radius most anchors reach no other row.
#'
#' @section Certificate:
#' `gap` is the relative duality gap over the whole dictionary: the lower bound has the largest strength
#' of all M kernels, active or not, in double precision. [duality_gap()] recomputes it from the data. If
#' `max_time` ends a fit, `gap` and the bound are those of the last pass over the dictionary. Before the
#' first pass `objective` is 0, a lower bound of every optimum, and `gap` is 1.
#'
#' @return For two classes and regression an object of class `c("mllkm", "mkl", "mkl_fit")`, with the fields of
#'   [mkl()] (`theta`, `forms` and `kernels` are of the active kernels only) and
#' \item{anchors}{the active kernels' anchors in the units of the data: a matrix (active x columns),
#'   named by kernel.}
#' \item{coefficients}{their \eqn{w_m}, per standardised column (with `rotate`, per principal component): a matrix
#'   (active x columns).}
#' \item{map, gamma, componentwise}{one value for each active kernel.}
#' \item{anchor_rows}{which row of `x` (of `anchors`, where given) each anchor is.}
#' \item{offset}{b.}
#' \item{dictionary}{a list with the `size` of the dictionary, its `maps` (a data frame), the
#'   `largest` strength, the number of each active kernel (`selected`), and the given `anchors`.}
#' \item{history}{a data frame with one row for each pass over the dictionary: `scanned` and `inserted`
#'   kernels, `active_kernels`, `objective` and `gap` over the kernels scanned, `time`. If the time
#'   ended before the first pass, it has one row without scanned kernels.}
#'
#' For more classes an object of class `c("mllkm_multiclass", "mllkm", "mkl_multiclass", "mkl_fit")`
#' with a list of such `models`.
#'
#' Its methods are those of [mkl()] fits: [predict.mkl()], `print()`, `summary()`, [plot.mllkm()],
#' `fitted()`, `residuals()`, [coef()][kernel_weights()] (theta), [kernel_weights()], [support()],
#' `nobs()`, [duality_gap()], `update()`. Of the data a fit keeps only the active anchors.
#'
#' @section Errors:
#' As in [mkl()]. Further, `manykernels_unsupported` for several views, `multiclass` of `"shared"` or `"joint"`, `solver
#' = "sdca"` with an offset or another loss, and warm starts. `manykernels_constant_kernel` where all
#' kernels vanish on all rows.
#'
#' @references
#' Picard, D. Multiple locally linear kernel machines (equations 1 to 7, Algorithms 1 and 2).
#' @seealso [cv_mkl()] with `model = "mllkm"` to choose `gamma` and `C`, the place to start;
#'   [mkl()], [locally_linear_kernel()], [mkl_sequential()] for other dictionaries.
#' @examples
#' set.seed(1)
#' x <- matrix(runif(600, -1, 1), ncol = 2, dimnames = list(NULL, c("a", "b")))
#' y <- factor(ifelse(x[, 2] > sin(3 * x[, 1]) / 2, "above", "below"))
#' fit <- mllkm(x, y, gamma = c(1, 4), C = 10)
#' fit
#' plot(fit, "boundary", data = x)
#' mean(predict(fit, x) == y)
#' dim(fit$coefficients)
#'
#' # three classes, by a formula
#' mllkm(Species ~ ., iris, map = c("gaussian", "squared"))
#'
#' # maps of single principal components
#' mllkm(Species ~ ., iris, componentwise = TRUE, rotate = TRUE)
#' @export
mllkm <- function(x, ...) if (is_container(x)) UseMethod("mllkm", any_container) else UseMethod("mllkm")

#' @rdname mllkm
#' @export
mllkm.default <- function(x = NULL, y, map = "gaussian", gamma = NULL, C = 1, anchors = NULL,
                          componentwise = FALSE, intercept = TRUE, solver = c("smo", "sdca"),
                          loss = NULL, class_weights = NULL, weights = NULL,
                          multiclass = c("ovr", "ovo"), control = mkl_control(), scale = TRUE,
                          type = c("auto", "classification", "regression", "censored", "one_class"),
                          group = NULL, threshold = NULL, impute = NULL, rotate = FALSE, ...) {
  refuse_abbreviated(mllkm_hints)
  check_dots_empty(..., .hints = mllkm_hints)
  call <- match.call()
  call[[1]] <- quote(mllkm)
  settings <- mllkm_settings(C, loss, class_weights, multiclass, control,
                             if (!missing(intercept)) intercept, solver, type)
  settings$threshold <- check_threshold(threshold)
  rotate <- check_flag(rotate, "rotate")
  warn_row_column(group, "group", x)
  if (!missing(y)) watch_response(y, x)
  read <- function(settings, centred) {
    views <- standard_views(single_view(x, settings$impute), settings$scale, centred, rotate = rotate)
    dictionary <- anchor_dictionary(views, map, gamma, componentwise, anchors)
    samples <- data_samples(views)
    list(views = views, n = samples$n, samples = samples, dictionary = dictionary)
  }
  code <- function(...) {
    coded <- code_response(..., refuse = refuse_several_in("mllkm()"))
    coded$settings <- check_sdca(coded$settings, solver)
    coded
  }
  prepared <- prepare_fit(read, if (!missing(y)) y, weights, settings, scale, impute = impute,
                          group = group, code = code)
  data <- prepared$data
  problem <- c(list(data = data[c("views", "n")], settings = prepared$settings, constants = NULL,
                    dictionary = data$dictionary, call = call, solve = solve_anchors,
                    construct = new_mllkm),
               pose_tasks(data$n, prepared$response, prepared$weights, prepared$settings))
  fit <- finish_fit(problem)
  if (has_models(fit)) class(fit) <- c("mllkm_multiclass", "mllkm", class(fit))
  fit
}

#' @rdname mllkm
#' @export
mllkm.formula <- function(formula, data, ..., group, subset, weights, na.action, contrasts = NULL) {
  call <- match.call()
  caller <- parent.frame()
  data <- if (!missing(data)) plain_object(data)
  fit_formula("mllkm", call, data, contrasts, caller, function(parts) {
    group <- row_arguments(call, "group", data, parts, caller)$group
    mllkm.default(parts$x, parts$y, weights = parts$weights, group = group, ...)
  })
}

# ---- arguments -----------------------------------------------------------------------------------

mllkm_settings <- function(C, loss, class_weights, multiclass, control, intercept, solver,
                           type) {
  multiclass <- check_separate(multiclass, "mllkm()", c("ovr", "ovo"))
  check_choice(solver, c("smo", "sdca"), "solver")
  settings <- check_settings(1, C, loss, NULL, "none", class_weights, multiclass, check_control(control),
                             intercept, type)
  refuse_chunking(settings$control, "mllkm()")
  if (!is.null(settings$control$start)) {
    abort_unsupported("start", "`start` of mkl_control() is not for mllkm().")
  }
  settings
}

# The paper's solver is for the paper's problem.
check_sdca <- function(settings, solver) {
  refuse_custom(settings$loss, "mllkm()")
  settings$solver <- check_choice(solver, c("smo", "sdca"), "solver")
  if (settings$solver == "smo") return(settings)
  if (settings$intercept || settings$loss$type != "hinge") {
    abort_unsupported("solver", paste(
      "`solver = \"sdca\"` is for the hinge loss with `intercept = FALSE`;",
      "\"smo\" supports all losses."
    ), "sdca")
  }
  settings
}

single_view <- function(x, impute = NULL) {
  views <- as_views(x, impute = impute)
  if (length(views) == 0L) {
    mk_abort("`x` must be given: a numeric matrix, a data frame or a sparse Matrix.",
             "invalid_argument", "x", NULL)
  }
  if (length(views) > 1L) {
    abort_unsupported("x", sprintf(
      "`x` must be one view, not %d: mllkm() has one space of anchors. %s", length(views),
      "cbind() them, or take mkl() with locally_linear_kernel() on each."
    ))
  }
  if (hold_sequences(views)) {
    abort_unsupported("x", paste(
      "Give mllkm() the kernel_features() of the sequences in `x`: it uses columns",
      "of numbers."
    ))
  }
  refuse_symmetric(views)
  views
}

# The kernels that can be chosen from: `maps` for every anchor.
anchor_dictionary <- function(views, map, gamma, componentwise, anchors) {
  view <- plain_views(views)[[1L]]
  given <- if (!is.null(anchors)) given_anchors(anchors, views)
  maps <- if (is.null(gamma)) default_maps(map, componentwise, view) else
    map_grid(map, gamma, componentwise)
  count <- if (is.null(given)) nrow(view) else nrow(given)
  list(maps = maps, anchors = given, size = count * nrow(maps))
}

# Converts anchors to numbers in the columns of the data.
given_anchors <- function(anchors, views) {
  anchors <- anchor_rows(anchors)
  matched <- match_views(views, stats::setNames(list(anchors), names(views)), argument = "anchors")
  given <- as.matrix(plain_views(matched)[[1L]])
  if (nrow(given) == 0L) abort_argument(anchors, "anchors", "at least one anchor")
  storage.mode(given) <- "double"
  given
}

# Around the median squared distance, on the scale of each map.
default_maps <- function(map, componentwise, view) {
  check_flag(componentwise, "componentwise")
  map_grid(map, 1, componentwise)
  median <- median_distance(seq_len(nrow(view)), "x", function(rows) row_distances(view, rows))
  if (median == 0) abort_same_rows("x", nrow(view))
  if (componentwise) median <- median / ncol(view)
  maps <- lapply(unique(map), function(one) {
    scale <- if (one %in% c("exponential", "linear")) sqrt(median) else median
    map_grid(one, signif(c(0.25, 1, 4) / scale, 4L), componentwise)
  })
  do.call(rbind, maps)
}

# ---- the core ------------------------------------------------------------------------------------

core_maps <- function(maps) {
  list(map = match(maps$map, local_maps), gamma = as.double(maps$gamma),
       componentwise = as.integer(maps$componentwise))
}

core_of_view <- function(views) core_view(plain_views(views)[[1L]])

# One model; the fields that all models have, and the explicit model.
solve_anchors <- function(problem, targets, cost, start, progress) {
  settings <- problem$settings
  # the order of the first epoch, and what permutes it for each next one
  order <- if (settings$solver == "sdca") c(sample.int(problem$data$n), sample.int(problem$data$n))
  result <- from_core(.Call(C_mk_local_fit, core_of_view(problem$data$views),
                            problem$dictionary$anchors, core_maps(problem$dictionary$maps),
                            targets, cost, core_loss(settings$loss, settings$intercept),
                            core_control(settings$control, settings$deadline, settings$stopping),
                            order, progress))
  if (is.null(result$solution)) abort_no_time("one kernel was evaluated")
  check_alive(result$solution)
  c(result$solution, result[c("anchors", "coefficients")])
}

# Maps that fade before the next row leave nothing to learn from.
check_alive <- function(solution) {
  if (solution$largest > 0 || all(solution$alpha == 0)) return(invisible())
  mk_abort(paste("All kernels are 0 for all training rows, in double precision: `gamma` is too",
                 "large, or all rows are the same."), "constant_kernel", "gamma")
}

# ---- constructor ---------------------------------------------------------------------------------

new_mllkm <- function(problem, result, t, task, sigmoid) {
  dictionary <- problem$dictionary
  maps <- dictionary$maps
  views <- problem$data$views
  of <- (result$selected - 1) %% nrow(maps) + 1
  row <- (result$selected - 1) %/% nrow(maps) + 1
  grid <- maps[of, , drop = FALSE]
  points <- lapply(seq_along(row), function(k) result$anchors[, k])
  problem$data$kernels <- anchor_kernels(grid, points, row, names(views))
  fit <- new_mkl(problem, result, t, task, sigmoid, data = anchor_data(views))
  scaling <- views_scaling(views)[[1L]]
  labels <- list(names(fit$theta), colnames(plain_views(views)[[1L]]))
  extra <- list(
    anchors = in_data_units(matrix(t(result$anchors), length(row), dimnames = labels), scaling),
    coefficients = matrix(t(result$coefficients), length(row), dimnames = list(
      labels[[1L]],
      if (is.null(scaling$rotation)) labels[[2L]] else paste0("PC", seq_len(ncol(scaling$rotation)))
    )),
    map = grid$map, gamma = grid$gamma, componentwise = grid$componentwise, anchor_rows = row,
    solver = problem$settings$solver,
    dictionary = c(dictionary, list(largest = result$largest, selected = result$selected))
  )
  structure(c(unclass(fit), extra), class = c("mllkm", class(fit)))
}

# The data that a fit keeps: the layout of the view, as there are no support vectors.
anchor_data <- function(views) {
  list(views = NULL, rows = integer(), columns = stats::setNames(list(NULL), names(views)),
       every_row = FALSE, linear = NULL, layout = view_layout(views), diagonal = NULL)
}

# The explicit model on new rows.
decide_anchors <- function(object, views) {
  maps <- data.frame(map = object$map, gamma = object$gamma,
                     componentwise = object$componentwise)
  anchors <- standardise(object$anchors, object$scaling$views[[1L]])
  from_core(.Call(C_mk_local_decide, core_of_view(views), t(anchors),
                  t(object$coefficients), core_maps(maps), as.double(object$offset),
                  thread_count(object$control)))
}
