# Multiple kernel learning over dictionaries that don't fit in memory: settings, data, certificate.

#' Sparse multiple kernel learning over a dictionary of any size
#'
#' Solves the problem of [mkl()] with `p = 1` for thousands or millions of kernels. The solution gives weight
#' to few of them, which are fitted in memory; the others are computed a block at a time to find those that
#' would improve the fit. The certificate covers the whole dictionary: the fit is within `tol` of the optimum
#' over all kernels.
#'
#' @param x,y,C,loss,class_weights,weights,multiclass,intercept The data, the response and the
#'   model, as in [mkl()]; `multiclass` has no `"joint"` here.
#' @param type The kind of problem, as in [mkl()].
#' @param formula,data,subset,na.action,contrasts As in [mkl()].
#' @param dictionary The kernels: a [kernel set][kernel_set] (or a list of such) of any size, or a
#'   [kernel_dictionary()], such as kernels on a million sets of columns. A function of one number `i`
#'   that returns kernel i works, too; see [kernel_dictionary()].
#' @param size The number of kernels of a function, a positive whole number; `NULL` otherwise.
#' @param normalize How each kernel is normalised, as in [mkl()].
#' @param scale Whether to standardise columns and the response of a regression, as in [mkl()]; see
#'   [scaling].
#' @param missing_views As in [mkl()]: what to do with samples that lack a view ([missing_views]).
#'   With `"drop"` a dictionary's precomputed kernels are those of the samples that stay.
#' @param insert The largest number of kernels that may join at once, a positive whole number; `NULL`:
#'   100 (fewer for more than 1,000 rows), plus half as many as have weight. It changes only the time.
#' @param recheck The size of a pool of the strongest kernels of the last full pass, which is checked
#'   between the passes over all kernels; `NULL`: one in fifty, between 4,000 and 50,000. It changes only the
#'   time.
#' @param group,threshold As in [mkl()]: rows that stay together in the folds of class probabilities and of a
#'   threshold, and the decision value above which the second of two classes is predicted.
#' @param control Settings by [mkl_control()]; `max_iter` counts passes, over all or over the pool. The
#'   optimiser is used for the fits on few kernels. `start` and `trace` are not available here.
#' @param impute As in [mkl()]: how to fill missing cells ([imputation]).
#' @param ... For the formula method, arguments of the default method. Otherwise not used, and
#'   anything given is an error.
#'
#' @details The dual of the problem with p = 1 depends on the kernels only through the largest of their
#' strengths \eqn{s_m = \alpha^\top K_m \alpha}{s_m = alpha' K_m alpha}: \eqn{\sum_i D_i(\alpha_i)
#' - \frac12 \max_m s_m}{sum_i D_i(alpha_i) - 1/2 max s_m} (see the losses of [mkl()]). Weights that are
#' optimal for some kernels are therefore optimal for all if no other kernel is stronger than these.
#' SequentialMKL (Picard, Algorithm 2) fits the active kernels, computes the strengths of the others,
#' lets the strongest that exceed the active ones join, and repeats. Here,
#'
#' * the first fit is on 64 evenly spaced kernels (fewer for more than 1,000 rows), and each fit starts
#'   from the one before and is only as exact as the present gap requires;
#' * between full passes only a pool of the strongest kernels is checked, as long as that makes
#'   progress;
#' * kernels whose weight has become zero are removed from the fit when many are active, but stay in the pool;
#' * of identical kernels only one joins after the first fit, which may have several.
#'
#' @section Speed and memory:
#' A pass takes time proportional to the number of kernels and the squared number of support vectors (linear
#' kernels: rows times columns). The first pass also computes the normalisation constants from all rows. Later
#' passes reuse them, one number for each kernel (except for centred kernels that are not linear and for
#' spherical scaling). A million Gaussians on sets of five columns and 351 rows take `r sequential_text()` of
#' processor time (`bench/sequential.R` in the sources). Kernels are spread over the threads; kernels of a
#' function are made one block after the other. The memory is three numbers for each kernel, the dictionary
#' itself, and `cache` of [mkl_control()] for the fits on the active kernels.
#'
#' @section Certificate:
#' `primal` is that of the fit; `objective`, the lower bound, has the largest strength of *all* kernels,
#' each computed in double precision from the data by the code that certifies fits of [mkl()]. So `gap`
#' is the relative duality gap of the whole problem. If `max_time` ends a fit, `gap` and the bound are
#' those of the last complete pass over all kernels. Before the first such pass `objective` is 0, a
#' lower bound of every optimum, and `gap` is 1; the call is an error of class `manykernels_time_limit`
#' if there was no time to evaluate even one kernel. [duality_gap()] recomputes everything from the
#' data, which takes as long as the first pass. Precomputed matrices, which fits don't keep, must be
#' given again as `dictionary`. Without them [duality_gap()] computes the primal value and the gain from
#' the data, takes the largest strength from the fit, and reports this in a message of class
#' `manykernels_message_dictionary`.
#'
#' @return An object of class `c("mkl_sequential", "mkl", "mkl_fit")`: a fit as [mkl()] returns it. `theta`,
#'   `kernels`, `constants` and `forms` contain only the kernels of positive weight; `theta` is named by
#'   them and sums to 1. Further fields are
#' \item{selected}{the numbers of these kernels in the dictionary.}
#' \item{size}{the number of kernels of the dictionary on the data.}
#' \item{dictionary}{the dictionary; `NULL` if it has precomputed matrices.}
#' \item{largest}{the largest strength of all kernels.}
#' \item{passes}{the number of full passes over all kernels.}
#' \item{history}{a data frame with a row for each pass over all or over the pool: `pass`, `scanned`
#'   (how many kernels), `inserted` (how many joined), `active_kernels` (of positive weight),
#'   `objective` and `gap` over the kernels scanned, `time` (seconds).}
#'
#' For several classes an object of class `c("mkl_sequential", "mkl_multiclass", "mkl_fit")`, whose models have
#' the kernels that any of them has selected.
#'
#' All methods of [mkl()] fits work on it, such as [predict()][predict.mkl()], [plot()][plot.mkl()] and
#' [kernel_weights()]. [risk_bound()] does not, since its function classes contain all kernels of the
#' dictionary.
#'
#' @section Errors:
#' As in [mkl()]. Kernels that do not vary over the training rows are skipped, and a message of class
#' `manykernels_message_constant_kernels` names them; if all of them are constant, or one can't be normalised
#' for another reason, it is an error of class `manykernels_constant_kernel`. Class `manykernels_dictionary`
#' if a function returns anything but one kernel. Errors of the function are passed on, and its warnings after
#' the fit, each once. Class `manykernels_unsupported` for settings that are not available here.
#'
#' @references
#' Picard, D. Multiple locally linear kernel machines. Algorithm 2 is SequentialMKL.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997: the problem is its equations 14 and 15.
#' @seealso [kernel_dictionary()], [mkl()], [mkl_gomp()] for greedy selection.
#' @examples
#' set.seed(1)
#' x <- as.matrix(iris[51:150, 1:4])
#' y <- droplevels(iris$Species[51:150])
#' products <- cbind(x, x^2, log(x))
#' subspaces <- kernel_dictionary(gaussian_kernel(c(2, 20)), sets = combn(ncol(products), 3))
#' fit <- mkl_sequential(products, y, subspaces)
#' fit
#' fit$history
#' table(predict(fit, products), y)
#'
#' # kernels made on demand
#' mkl_sequential(x, y, function(i) gaussian_kernel(1.05^i), size = 200)
#' @export
mkl_sequential <- function(x, ...) {
  if (is_container(x)) UseMethod("mkl_sequential", any_container) else UseMethod("mkl_sequential")
}

#' @rdname mkl_sequential
#' @export
mkl_sequential.default <- function(x = NULL, y, dictionary, C = 1, loss = NULL,
                                   normalize = "multiplicative", class_weights = NULL,
                                   weights = NULL, multiclass = c("ovr", "ovo", "shared"),
                                   control = mkl_control(), intercept = TRUE, size = NULL,
                                   insert = NULL, recheck = NULL, scale = TRUE,
                                   missing_views = c("error", "drop", "neutral"),
                                   type = c("auto", "classification", "regression", "censored",
                                            "one_class"), group = NULL, threshold = NULL, impute = NULL, ...) {
  refuse_abbreviated(sequential_hints)
  check_dots_empty(..., .hints = sequential_hints)
  call <- match.call()
  call[[1]] <- quote(mkl_sequential)
  settings <- check_settings(1, C, loss, NULL, normalize, class_weights,
                             check_separate(multiclass, "mkl_sequential()"), check_control(control),
                             if (!missing(intercept)) intercept, type)
  check_sequential_control(settings$control)
  settings$sequential <- list(
    insert = if (is.null(insert)) 0 else as.double(check_count(insert, "insert")),
    pool = if (is.null(recheck)) 0 else as.double(check_count(recheck, "recheck"))
  )
  if (missing(dictionary)) {
    mk_abort("`dictionary` must be given: the kernels to choose from.", "invalid_argument",
             "dictionary")
  }
  settings$threshold <- check_threshold(threshold)
  warn_row_column(group, "group", x)
  if (!missing(y)) watch_response(y, x)
  read <- function(settings, centred) {
    bridge_dictionary(x, as_dictionary(dictionary, size), settings$scale, centred, settings$missing_views,
                      settings$deadline, settings$impute)
  }
  prepared <- prepare_fit(read, if (!missing(y)) y, weights, settings, scale, missing_views, impute,
                          group)
  fit <- note_dropped(fit_classes(prepared, call), prepared$data$samples)
  class(fit) <- unique(c("mkl_sequential", class(fit)))
  fit
}

#' @rdname mkl_sequential
#' @export
mkl_sequential.formula <- function(formula, data, ..., group, subset, weights, na.action,
                                   contrasts = NULL) {
  call <- match.call()
  caller <- parent.frame()
  data <- if (!missing(data)) plain_object(data)
  fit_formula("mkl_sequential", call, data, contrasts, caller, function(parts) {
    group <- row_arguments(call, "group", data, parts, caller)$group
    mkl_sequential.default(parts$x, parts$y, weights = parts$weights, group = group, ...)
  })
}

check_sequential_control <- function(control) {
  refuse_chunking(control, "mkl_sequential()")
  unused <- c(start = !is.null(control$start), trace = isTRUE(control$trace))
  if (any(unused)) {
    name <- names(unused)[unused][1]
    abort_unsupported(name, sprintf("`%s` of mkl_control() is for mkl(), not for mkl_sequential().",
                                    name))
  }
}

# ---- bridge --------------------------------------------------------------------------------------

# Views, the dictionary as given and resolved, the number of rows and their samples.
bridge_dictionary <- function(x, dictionary, scale, centred, missing_views, deadline, impute) {
  raw <- as_views(x, missing_views = missing_views, impute = impute)
  refuse_symmetric(raw)
  kept <- attr(raw, "samples")$kept
  samples <- if (!is.null(kept)) data_samples(raw)
  if (!is.null(kept)) raw <- subset_views(raw, kept)
  views <- standard_views(raw, scale, centred)
  dictionary <- centre_dictionary(dictionary, missing_views)
  resolved <- resolve_dictionary(dictionary, views, deadline = deadline)
  if (is.na(resolved$n)) {
    mk_abort("`x` must be given: kernels of `dictionary` use data, only precomputed ones don't.",
             "invalid_argument", "x", NULL)
  }
  list(views = views, dictionary = dictionary, resolved = resolved, n = as.integer(resolved$n),
       samples = samples %||% data_samples(views, resolved$named, resolved$n))
}

# Every kernel is centred under "neutral".
centre_dictionary <- function(dictionary, missing_views) {
  d <- unclass(dictionary)
  f <- d$f
  if (is.null(f)) {
    d$parts <- lapply(d$parts, function(part) {
      part$kernels <- centre_kernels(part$kernels, missing_views)
      part
    })
  } else {
    d$f <- function(i) centre_kernels(made_kernel(f(i), i), missing_views)
  }
  structure(d, class = class(dictionary))
}

# ---- certificate ---------------------------------------------------------------------------------

#' @rdname duality_gap
#' @param dictionary For fits of [mkl_sequential()] to a dictionary with precomputed kernels, which
#'   the fit doesn't keep: the dictionary.
#' @export
duality_gap.mkl_sequential <- function(object, x, y, dictionary = NULL, ...) {
  object <- check_object(object)
  check_dots_empty(...)
  x <- if (missing(x)) NULL else x
  groups <- model_groups(object)
  first <- groups[[1]][[1]]
  size <- if (is.function(dictionary)) first$size
  dictionary <- dictionary %||% first$dictionary
  if (!is.null(dictionary)) dictionary <- as_dictionary(dictionary, size) else {
    mk_inform(paste("Give precomputed kernels again as `dictionary` for a full certificate: the fit doesn't",
                      "keep them, so the largest strength of all kernels is taken from the fit."),
              "dictionary", "dictionary")
    strongest <- vapply(groups, function(group) group[[1]]$largest, 0)
    data <- training_data(object, x)
    if (!missing(y)) check_same_response(object, y, data)
    return(certify(object, data, groups, strongest))
  }
  data <- dictionary_data(object, first, x, dictionary)
  if (!missing(y)) check_same_response(object, y, data)
  certify(object, data, groups, strongest_of(data, groups, object))
}

# The dictionary on the training data, resolved again, and the fit's kernels from it.
dictionary_data <- function(object, first, x, dictionary) {
  samples <- training_samples(object, x, "x")
  formula <- !is.null(object$terms)
  if (formula) x <- training_rows(object, x, samples, "x")
  n <- length(first$alpha)
  missing_views <- missing_views_of(first)
  views <- match_views(first$data$layout, x, names(first$data$layout), "x",
                       missing_views = missing_views)
  check_new_sequences(first$kernels, views, "x")
  frames <- formula | are_frames(x, views)
  before <- NULL
  if (missing_views == "drop" && length(views)) {
    whole <- drop_again(list(), views, frames, "x")
    views <- whole$views
    before <- whole$before
  }
  if (length(views) && view_rows(views) != n) abort_training_rows(n, view_rows(views), "x")
  given <- align_matrices(list(), views, "x", frames)$samples
  order <- if (!is.null(given)) sample_order(given, samples, "x")
  if (!is.null(order)) views <- subset_views(views, order)
  resolved <- resolve_dictionary(centre_dictionary(dictionary, missing_views), views,
                                 if (!is.null(samples$names)) samples)
  if (resolved$n != n) abort_training_rows(n, resolved$n, "x")
  if (resolved$size != first$size) {
    mk_abort(sprintf("`dictionary` must have the %s of the fit, not %s.",
                     count_of(first$size, "kernel"), format(resolved$size, big.mark = ",", scientific = FALSE)),
             "length", "dictionary", resolved$size)
  }
  list(views = views, kernels = numbered_kernels(resolved, first$selected), n = n,
       resolved = resolved, samples = samples, order = order, before = before)
}

strongest_of <- function(data, groups, object) {
  threads <- thread_count(object$control)
  stream <- open_stream(data$resolved, data$views, object$normalize, threads)
  vapply(groups, function(group) {
    alpha <- vapply(group, function(model) unname(model$alpha), numeric(data$n))
    max(from_stream(.Call(C_mk_stream_strengths, stream, alpha, threads), data$resolved,
                    data$views, object$normalize, threads))
  }, 0)
}

