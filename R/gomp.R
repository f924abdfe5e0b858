#' Sparse multiple kernel learning by group matching pursuit
#'
#' Takes kernels one at a time. Each step picks the kernel that explains most of the current residual,
#' and then refits all chosen kernels together by regularised least squares (kernel ridge regression), or as a
#' support vector machine or a logistic regression.
#' `max_kernels` controls the number of kernels and `lambda` the smoothness of the function. One fit
#' gives the whole path, from one kernel to `max_kernels`. A validation set or cross-validation chooses
#' a point on it.
#'
#' @param x,kernels The data and the kernels, as in [mkl()].
#' @param formula,data,subset,na.action,contrasts As in [mkl()].
#' @param y The response, one value (row) per row of `x`. A factor, a character or logical vector, or a
#'   numeric vector with two distinct values means classification. Two classes are fitted as -1 and +1
#'   (the second level). More classes are fitted as one column of -1 and +1 for each class; all columns
#'   share the kernels. A matrix of 0 and 1 (`FALSE` and `TRUE`) holds labels, each fitted as a column
#'   of -1 and +1 and predicted as 0 and 1. Other numeric vectors and numeric matrices mean regression
#'   with one or several outputs. Set `type` if the values leave it open.
#' @param type `"classification"`, `"regression"`, or `"auto"`: `y` decides. See [mkl()].
#' @param lambda The weight of the penalty, a positive number. It may be several numbers if `validation`
#'   or `folds` is given to choose between them.
#' @param max_kernels The largest number of kernels, a positive whole number; `NULL`: 50, or all if
#'   there are fewer.
#' @param loss `"squared"`, for any response; `"hinge"` or `"logistic"`, for classes and labels. See the section
#'   on the hinge and the logistic loss.
#' @param epsilon The path ends when the largest improvement is no more than `epsilon`, a
#'   non-negative number on the scale of `sum(y^2)`. For the other losses it is compared with the norm of the
#'   gradient. See Details.
#' @param candidates How many kernels each step tries, drawn at random from those not yet taken: a positive
#'   whole number; `NULL`: all. A step over a large dictionary then factors few kernels. The path depends on
#'   the draw (see [set.seed()]), which is the same for all `folds` and `lambda`. Random subsets are those of
#'   the paper's section 3.
#' @param validation A validation set, `list(x = , y = )` with `x` as `newdata` in [predict.mkl()]. The
#'   fit uses the number of kernels with the smallest error on it.
#' @param folds In place of `validation`, for cross-validation: the number of random folds, the fold of
#'   each row, lists of rows or resamples of other packages, all as in [cv_mkl()]. Everything is learnt in the
#'   folds, also scaling and imputed values. The path is then fitted to all rows.
#' @param group `NULL`, or a vector with one value per row, such as the patient: random `folds` keep rows
#'   of one group together, and given ones must do so. With a formula it may be a column of `data`.
#' @param measure The criterion of `folds` or `validation`: the name of one of the [measures], or a function
#'   as there; an error for labels. `NULL`: the share of wrong classes or labels, or the mean squared error.
#' @param intercept Whether to subtract the mean of `y` before fitting and add it to predictions;
#'   `NULL`: for regression and labels only. With centred kernels
#'   (`normalize = c("centre", "multiplicative")`) and without weights the mean is the optimal offset. For the
#'   hinge and the logistic loss: whether each refit has an offset of its own; `NULL`: it has one.
#' @param normalize How kernels are normalised, as in [mkl()].
#' @param weights Case weights, one non-negative finite number per row, not all zero. The fit depends on
#'   their ratios alone, as squared errors are averaged with them. They count in the path, in the mean
#'   that is subtracted, in training errors and in the errors of `folds`. With a formula they may be a
#'   column of `data`.
#' @param class_weights Factors that multiply the case weights by class, as in [mkl()]: a positive
#'   numeric vector named by level, or `"balanced"`. The sum of all weights stays that of the case
#'   weights.
#' @param scale Whether to standardise the columns, as in [mkl()]; see [scaling]. The response stays as
#'   it is.
#' @param missing_views As in [mkl()]: what to do with samples that lack a view ([missing_views]).
#' @param control Settings by [mkl_control()], of which `tol`, `cache`, `threads`, `max_time` and
#'   `progress` are used here.
#' @param impute As in [mkl()]: how to fill missing cells ([imputation]).
#' @param threshold For two classes: the decision value above which the second level is predicted, a number.
#'   `NULL` is 0. [cv_mkl()] with `model = "mkl_gomp"` also chooses it, by `"balanced"` or `"youden"`.
#' @param BPPARAM A `BiocParallelParam` of package BiocParallel on which the paths of the folds run, or `NULL`:
#'   the workers of [future::plan()], if one is set, as in [cv_mkl()].
#' @param ... Not used; anything given is an error.
#'
#' @details
#' With n rows, a set G of kernels and \eqn{K_G = \sum_{m \in G} K_m}{K_G = sum of K_m over G}, the
#' fit minimises
#' \deqn{\frac1n \sum_i (y_i - f(x_i))^2 + \lambda \|f\|^2}{ 1/n sum_i (y_i - f(x_i))^2 + lambda
#'   ||f||^2} over sums of functions of the chosen kernels: with \eqn{\delta = \lambda n}{delta = lambda
#'   n} it is \eqn{f = \sum_{m \in G} \sum_j \alpha_j k_m(x_j, \cdot)}{f = sum of alpha_j k_m(x_j, .)
#'   over G and j}, \eqn{\alpha = (K_G + \delta I)^{-1} y}{alpha = (K_G + delta I)^-1 y}, and leaves the
#'   residual \eqn{r = \delta \alpha}{r = delta alpha}. The next kernel is the one with the largest
#'   improvement \deqn{I_j = r^\top K_j (K_j + \delta I)^{-1} r,}{I_j = r' K_j (K_j + delta I)^-1 r,}
#'   summed over outputs where there are several. This is n times the drop of the objective from `0` to
#'   the best function of kernel j, as an approximation of the residual: at most \eqn{\|r\|^2}{||r||^2},
#'   never negative. (The paper prints \eqn{I - \lambda(K_j + \lambda l I)^{-1}}{I - lambda (K_j +
#'   lambda l I)^-1}. This lacks a factor l, the number of rows. The order of the kernels is the same.)
#'   Among improvements that differ by less than 1e-10 of the largest, the first kernel is taken. The
#'   path also ends if no improvement differs from 0 in double precision.
#'
#' With weights \eqn{w_i} the mean of squared errors is weighted, and n is their sum. This is the problem
#' above for the kernel values \eqn{\sqrt{w_i} k_m(x_i, x_j) \sqrt{w_j}}{sqrt(w_i) k_m(x_i, x_j) sqrt(w_j)}
#' and the response \eqn{\sqrt{w_i} y_i}{sqrt(w_i) y_i}. A row of weight 2 counts like two equal rows, one of
#' weight 0 like none, except in the constants of standardised columns and normalised kernels.
#'
#' The penalty must be positive. Without it, kernels such as Gaussians could fit any response exactly.
#'
#' @section Hinge and logistic loss:
#' The paper's problem (equation 5) has any convex loss V: the mean of \eqn{V(y_i, f(x_i))}{V(y_i, f(x_i))} plus
#' \eqn{\lambda \|f\|^2}{lambda ||f||^2}. For the chosen kernels this is the support vector machine, or kernel
#' logistic regression, over their sum, with `C` = \eqn{1/(2 \lambda n)}{1/(2 lambda n)}: the problem of [mkl()] with
#' `p = Inf`, whose weights are all 1. Each step solves it again by the optimiser of [mkl()], from the last
#' solution. With several classes or labels every column of signs has its own function and offset over the same
#' kernels.
#'
#' The next kernel is the one for whose functions the gradient of the mean loss is largest. With the dual variables
#' \eqn{\alpha_t}{alpha_t} of column t, its norm for kernel j is \deqn{g_j = 2 \lambda \Big(\sum_t \alpha_t^\top
#' K_j \alpha_t\Big)^{1/2},}{g_j = 2 lambda sqrt(sum_t alpha_t' K_j alpha_t),} the group norm over all columns: one
#' selection for all classes. It is in the column `gradient` of `path`, in place of `improvement`. The first
#' step's variables are those of the best constants, or of 0 without offsets. (Where both signs have a hinge
#' loss of margin 1, they are in proportion to the cost on either side.) Norms within their rounding errors are 0,
#' and ties are as above. Refits are within `tol`, and so is a choice between norms that differ by less. The
#' dual variables of the hinge loss, and of others made of straight lines, may not be unique where rows tie; the
#' order of the rows can then change which kernel is taken next.
#'
#' @section Certificate:
#' For the kernels taken the problem is convex, with primal value \eqn{\frac{1}{2\delta} \sum_i (y_i -
#' f(x_i))^2 + \frac12 \|f\|^2}{ 1/(2 delta) sum_i (y_i - f(x_i))^2 + 1/2 ||f||^2} (the problem of
#' [mkl()] with squared loss and `C` = 1/delta) and dual value \eqn{y^\top\alpha - \frac\delta2
#' \alpha^\top\alpha - \frac12 \alpha^\top K_G \alpha}{y'alpha - delta/2 alpha'alpha - 1/2 alpha'K_G
#' alpha}. Their difference is \eqn{\|y - (K_G + \delta I)\alpha\|^2 / (2\delta)}{||y - (K_G + delta I)
#' alpha||^2 / (2 delta)}. The relative gap of each step is computed from it by separate code, with
#' kernel values from their plain definition. For the hinge and the logistic loss it is the certificate of [mkl()].
#' It is in `path$gap`; `gap` is that of the chosen number of kernels. It proves that the refit is right, not
#' that no other kernels would have been better.
#'
#' @section Speed and memory:
#' The matrices \eqn{K_j + \delta I}{K_j + delta I} are factored once, in about n^3/3 operations each,
#' and each step takes n^2 operations per kernel and output from the factors. Linear kernels on d < n/2
#' columns take n d^2 and n d instead, and no matrix of rows by rows is made for them. Gaussians and
#' polynomials on the same columns share distances and dot products. Factors take n^2/2 numbers each,
#' within the budget `cache` of [mkl_control()]; factors beyond it are recomputed at every step. One
#' kernel matrix and one system of the refit are needed beyond the budget. Kernels are spread over the
#' threads. Labels with class weights, and several classes with balanced ones, weigh rows differently in
#' each column. All of this is then needed for each column.
#'
#' The hinge and the logistic loss need no factors: a step evaluates every kernel between the support vectors,
#' and takes one fit of [mkl()] over the chosen kernels.
#'
#' @return An object of class `c("mkl_gomp", "mkl", "mkl_fit")`, a list with
#' \item{path}{a data frame with one row for each step: `step`, `kernel` (its name), `improvement` (or
#'   `gradient`), `objective` (the dual value), `training_error` (misclassified share, mean squared error, or
#'   the `measure`, with a minus sign where larger is better), `validation_error` where there is one, `gap`
#'   and `time` (seconds).}
#' \item{theta}{named by kernel: 1 for the chosen kernels, 0 for the others.}
#' \item{selected}{the number of kernels that predictions use: the best on validation, or all of the
#'   path.}
#' \item{alpha, offset}{of that number of kernels: a vector and a number, for several outputs a
#'   matrix (rows by outputs) and a vector.}
#' \item{objective, primal, gap, converged, status}{see the section on the certificate, and
#'   [mkl()].}
#' \item{order, coefficients, offsets}{the path's kernels by number, alpha by row, output and step, and, unless
#'   the loss is squared, the offsets by output and step.}
#' \item{lambda, C, loss}{the (chosen) penalty, 1/(lambda n), or 1/(2 lambda n) unless the loss is squared, with n
#'   the sum of the case weights, and the name of the loss.}
#' \item{tuning}{with `validation` or `folds`: a data frame with `lambda`, `kernels` and `error`, which
#'   is minus the `measure` where larger is better.}
#' \item{kept}{how many kernels' factors were kept.}
#' \item{weights, cost, values}{the case weights, or `NULL`; `C` times the weight of each row, a matrix
#'   if outputs differ in it; the functions' values at the training rows, by row, output and step
#'   (`NULL` for the squared loss without weights).}
#' \item{levels, kernels, constants, terms, call, forms, decision}{as in [mkl()].}
#' \item{y, data, normalize, control, memory}{as in [mkl()].}
#'
#' Its methods are [predict.mkl_gomp()], [plot.mkl_gomp()], `print()`, `summary()`, `fitted()`, `residuals()`,
#' [coef()][kernel_weights()] (theta), [kernel_weights()], [nobs()][kernel_weights()], [duality_gap()] and
#' `update()`. A fit keeps all training rows of the columns that the chosen kernels use, and [support()] is an
#' error.
#'
#' @section Errors:
#' As in [mkl()]. Class `manykernels_unsupported` for the hinge or the logistic loss and a numeric response. Class `manykernels_indefinite` if a kernel's matrix plus \eqn{\delta I}{delta I} isn't
#' positive definite in double precision. A warning of class `manykernels_warning_not_converged` if
#' `max_time` ended the path, or the gap is above `tol`.
#'
#' @references
#' Sindhwani, V. and Lozano, A. C. (2011). Non-parametric group orthogonal matching pursuit for
#' sparse learning with multiple kernels. *Advances in Neural Information Processing Systems*
#' **24**.
#' @seealso Start with [cv_mkl()] and `model = "mkl_gomp"`, which chooses `lambda` by any measure.
#'   [gomp_recovery()] for conditions under which it finds the right kernels, [gomp_bound()] for a bound on
#'   the risk; [mkl()] with p = 1 is sparse by a convex penalty.
#' @examples
#' set.seed(1)
#' toy <- simulate_mkl_toy(100, nu = 0.82)
#' other <- simulate_mkl_toy(1000, nu = 0.82)
#' fit <- mkl_gomp(toy$x, toy$y, per_feature(linear_kernel()), max_kernels = 20,
#'                 validation = list(x = other$x, y = other$y))
#' fit
#' plot(fit)
#' which(coef(fit) > 0)
#' predict(fit, other$x[1:5, ], kernels = 3)
#'
#' # several classes share the kernels
#' mkl_gomp(iris[1:4], iris$Species, gaussian_kernel(2^(-2:4)), folds = 5)$path
#'
#' # support vector machines in place of least squares
#' mkl_gomp(iris[1:4], iris$Species, gaussian_kernel(2^(-2:4)), max_kernels = 3, loss = "hinge")
#' @export
mkl_gomp <- function(x, ...) {
  if (is_container(x)) UseMethod("mkl_gomp", any_container) else UseMethod("mkl_gomp")
}

#' @rdname mkl_gomp
#' @export
mkl_gomp.default <- function(x = NULL, y, kernels = NULL, lambda = 0.1, max_kernels = NULL,
                             epsilon = 0, validation = NULL, folds = NULL, intercept = NULL,
                             normalize = "multiplicative", class_weights = NULL, weights = NULL,
                             control = mkl_control(), scale = TRUE,
                             missing_views = c("error", "drop", "neutral"),
                             type = c("auto", "classification", "regression"), group = NULL,
                             impute = NULL, measure = NULL, BPPARAM = NULL, candidates = NULL,
                             loss = "squared", threshold = NULL, ...) {
  refuse_abbreviated(gomp_hints)
  check_dots_empty(..., .hints = gomp_hints)
  call <- match.call()
  call[[1]] <- quote(mkl_gomp)
  settings <- gomp_settings(lambda, max_kernels, epsilon, intercept, normalize, control)
  settings$class_weights <- check_class_weights(class_weights)
  settings$threshold <- check_pursuit_threshold(threshold)
  settings$loss <- check_pursuit_loss(loss)
  if (settings$loss != "squared") settings$intercept <- settings$intercept %||% TRUE
  for (name in c("group", "folds")) warn_row_column(get(name), name, x)
  if (!missing(y)) warn_response_column(y, x)
  given <- list(type = check_problem_type(type, c("auto", "classification", "regression")), settings = settings,
                scale = scale, missing_views = check_missing_views(missing_views), impute = impute,
                candidates = if (!is.null(candidates)) check_count(candidates, "candidates"))
  prepared <- gomp_problem(x, if (!missing(y)) y, kernels, weights, given)
  problem <- c(prepared$problem, list(call = call))
  data <- problem$data
  settings <- problem$settings
  problem$response$measure <- gomp_measure(measure, problem$response, folds, validation)
  folds <- gomp_resamples(folds, group, problem$response, data, validation)
  check_choosable(settings$lambda, folds, validation)
  tuning <- if (!is.null(folds)) {
    plan <- fold_plan(x, kernels, weights = prepared$weights, problem, given)
    cross_errors(plan, problem$response, folds, choose_backend(BPPARAM, list(data$kernels, settings)))
  }
  lambda <- if (is.null(tuning)) settings$lambda else best_row(tuning)$lambda
  progress <- gomp_progress(problem, length(lambda))
  on.exit(progress$done())
  models <- lapply(seq_along(lambda), function(k) {
    gomp_model(problem, lambda[k], progress$tell(k), length(lambda) - k + 1)
  })
  if (!is.null(validation)) tuning <- validation_errors(models, validation, problem$response$measure)
  fit <- new_gomp(problem, chosen_model(models, tuning), tuning)
  warn_path(fit)
  note_dropped(fit, data$samples)
}

#' @rdname mkl_gomp
#' @export
mkl_gomp.formula <- function(formula, data, ..., validation = NULL, folds, group, subset, weights,
                             na.action, contrasts = NULL) {
  call <- match.call()
  caller <- parent.frame()
  data <- if (!missing(data)) plain_object(data)
  fit_formula("mkl_gomp", call, data, contrasts, caller, function(parts) {
    by_row <- row_arguments(call, c("folds", "group"), data, parts, caller)
    if (!is.null(by_row$folds)) refuse_repeated_rows(parts$memory$rows)
    validation <- formula_validation(validation, parts$memory, !is.null(call$impute))
    mkl_gomp.default(parts$x, parts$y, validation = validation, folds = by_row$folds,
                     group = by_row$group, weights = parts$weights, ...)
  })
}

# ---- arguments -----------------------------------------------------------------------------------

gomp_settings <- function(lambda, max_kernels, epsilon, intercept, normalize, control) {
  control <- check_control(control)
  refuse_chunking(control, "mkl_gomp()")
  unused <- c(start = !is.null(control$start), probability = control$probability)
  if (any(unused)) {
    mk_abort(sprintf("`%s` of mkl_control() is for mkl(), not for mkl_gomp().",
                     names(unused)[unused][1]), "unsupported", names(unused)[unused][1])
  }
  list(
    deadline = seconds_now() + control$max_time,
    lambda = check_numbers(lambda, "lambda", lower = 0, lower_open = TRUE),
    max_kernels = if (is.null(max_kernels)) 50L else check_count(max_kernels, "max_kernels"),
    epsilon = check_number(epsilon, "epsilon", lower = 0, allow_inf = TRUE),
    intercept = if (!is.null(intercept)) check_flag(intercept, "intercept"),
    normalize = check_normalize(normalize), control = control
  )
}

# Resamples, as those of cv_mkl(); NULL without `folds`.
gomp_resamples <- function(folds, group, response, data, validation) {
  if (is.null(folds)) {
    if (is.null(group)) return(NULL)
    mk_abort("`group` is for `folds`, such as `folds = 5`, which then keep rows of a group together.",
             "invalid_argument", "group")
  }
  if (!is.null(validation)) {
    mk_abort("`folds` and `validation` must not both be given.", "invalid_argument", "folds")
  }
  folds <- folds_of_samples(given_splits(folds, data$samples$n), data$samples)
  resamples(folds, 1L, response$y, of_samples(group, data$samples, "group"), data$n, response$weights)
}

check_choosable <- function(lambda, folds, validation) {
  if (length(lambda) > 1 && is.null(folds) && is.null(validation)) {
    mk_abort(sprintf(paste("`lambda` must be one number, not %d, where neither `validation` nor",
                           "`folds` can choose between several."), length(lambda)),
             "invalid_argument", "lambda", lambda)
  }
}
