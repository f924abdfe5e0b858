# Maps of samples: kernel principal components of the weighted sum of a fit's kernels.

#' A map of the samples
#'
#' Places samples in the plane by the first two principal components of the weighted sum of a fit's kernels
#' (kernel principal component analysis). Samples with similar kernel values lie close together. New samples
#' are projected onto the components of the training rows.
#'
#' The kernels are normalised as in the fit. For several models (classes, responses) the weights are their
#' mean. With more than 1,000 training rows, components are computed from 1,000 evenly spaced ones, and all
#' rows are projected onto them.
#'
#' Apart from the weights the map does not use the response, so classes that overlap on it may still be
#' separate in the space of the kernels.
#'
#' @param fit A fit of [mkl()] or [mkl_sequential()], or a result of [cv_mkl()] that chose one.
#' @param x The training data, in the form that [duality_gap()] takes as `x`; a fit doesn't keep them.
#' @param newdata New samples, as in [predict.mkl()], or `NULL` for none. Rows with missing values are left out.
#' @param y The response of the rows of `newdata`, as in [assess()], to mark errors. `NULL`: the response of
#'   the fit's formula, if `newdata` has it; otherwise new samples are shown by their predicted class.
#' @param group A factor or vector with one value for each training row, followed by one for each row of
#'   `newdata` if these are given, for samples that belong together, such as those of one patient. Lines
#'   join each sample to the middle of its group.
#'
#' @return `sample_map()`: a data frame of class `sample_map` with a row for each sample and the columns
#'   * `sample`: its name or number, `set`: `"training"` or `"new"`;
#'   * `component_1`, `component_2`: its coordinates;
#'   * `truth`, `predicted`: the response and the prediction (of training rows that of the fit itself), and
#'     `wrong`: whether they are different classes, `NA` for responses other than classes;
#'   * `group`, if given.
#'
#'   The attribute `share` has the shares of the two components in the total variance of the training rows.
#'   `plot()`: the map, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' Class `manykernels_unsupported` for fits of [mllkm()] and [mkl_gomp()], whose models are no weighted sums of
#' given kernels, and those of [duality_gap()] and [predict.mkl()].
#' @references
#' Schoelkopf, B., Smola, A. and Mueller, K.-R. (1998). Nonlinear component analysis as a kernel eigenvalue
#' problem. *Neural Computation* **10**, 1299--1319.
#' @seealso [plot.mkl()], [kernel_weights()]
#' @examples
#' train <- seq(51, 150, by = 2)
#' fit <- mkl(Species ~ ., droplevels(iris[train, ]))
#' map <- sample_map(fit, iris[train, ], newdata = iris[train + 1, ], y = iris$Species[train + 1])
#' head(map)
#' plot(map)
#' @export
sample_map <- function(fit, x, newdata = NULL, y = NULL, group = NULL) {
  object <- mapped_fit(fit)
  check_test_set(newdata, c(y = !is.null(y)))
  data <- training_data(object, if (missing(x)) NULL else x)
  components <- sample_components(object, data)
  map <- training_samples_map(object, data, components)
  if (!is.null(newdata)) map <- rbind(map, new_samples_map(object, components, newdata, y))
  # rows with missing values lie nowhere
  shown <- !is.na(map$component_1)
  if (!is.null(group)) map$group <- map_groups(group, nrow(map))
  map <- map[shown, , drop = FALSE]
  row.names(map) <- NULL
  structure(map, share = components$share, response = if (is_times(object$y)) "time" else "response",
            class = c("sample_map", "mkl_table", "data.frame"))
}

mapped_fit <- function(fit) {
  if (!inherits(fit, c("mkl", "mkl_multiclass", "cv_mkl"))) {
    abort_argument(fit, "fit", "a fit or a result of cv_mkl()")
  }
  object <- fit_within(fit)
  if (inherits(object, c("mllkm", "mkl_gomp"))) {
    abort_unsupported("fit", paste("Locally linear fits and matching pursuits are no weighted sums of kernels:",
                                   "they have no map."), class(object)[1L])
  }
  object
}

# Refuses parts of a test set that are given without `newdata`.
check_test_set <- function(newdata, given) {
  if (!is.null(newdata) || !any(given)) return(invisible())
  name <- names(given)[given][1L]
  mk_abort(sprintf("`%s` is for the rows of `newdata`, which must be given, too.", name), "invalid_argument",
           name)
}

map_groups <- function(group, n) {
  if (!is.atomic(group) || length(group) != n) {
    abort_argument(group, "group", sprintf("a vector with a value for each of the %d samples shown", n))
  }
  factor(group)
}

# ---- components ----------------------------------------------------------------------------------

# The largest number of training rows that span the components.
MAP_LANDMARKS <- 1000L
# The number of rows that are projected at a time.
MAP_BLOCK_ROWS <- 4000L

# list(coordinates, coefficients, offset): coordinates of the training rows; their coefficients in the
# components, which sum to 0; the offset that subtracts the mean.
sample_components <- function(object, data) {
  models <- models_of(object)
  threads <- thread_count(object$control)
  theta <- Reduce(`+`, lapply(models, function(model) unname(model$theta))) / length(models)
  source <- normalized_kernels(data$kernels, data$views, data$n, object$normalize, threads)
  landmarks <- if (data$n <= MAP_LANDMARKS) seq_len(data$n) else
    unique(as.integer(seq(1, data$n, length.out = MAP_LANDMARKS)))
  weights <- to_handle(theta, source$handle)
  sums <- function(rows) weighted_sum(source$handle, weights, rows, landmarks, threads)
  kernel <- sums(landmarks)
  means <- colMeans(kernel)
  found <- eigen(kernel - outer(means, means, `+`) + mean(means), symmetric = TRUE)
  size <- pmax(found$values, 0)
  if (sum(size > 1e-10 * size[1L]) < 2L) {
    abort_unsupported("x", paste("The samples lie on a line in the space of the kernels: they have no map in",
                                 "the plane."))
  }
  vectors <- found$vectors[, 1:2] %*% diag(1 / sqrt(size[1:2]))
  vectors <- sweep(vectors, 2L, colMeans(vectors))
  coefficients <- matrix(0, data$n, 2L)
  coefficients[landmarks, ] <- vectors
  offset <- -drop(means %*% vectors)
  blocks <- split(seq_len(data$n), (seq_len(data$n) - 1L) %/% MAP_BLOCK_ROWS)
  coordinates <- do.call(rbind, lapply(unname(blocks), function(rows) sums(rows) %*% vectors))
  list(coordinates = sweep(coordinates, 2L, offset, `+`), coefficients = coefficients, offset = offset,
       share = size[1:2] / sum(size), theta = theta, constants = source$constants, data = data)
}

# sum_m theta_m k_m between rows of the handle.
weighted_sum <- function(handle, theta, rows, columns, threads) {
  sum <- matrix(0, length(rows), length(columns))
  for (m in which(theta > 0)) {
    sum <- sum + theta[m] * from_core(.Call(C_mk_matrix, handle, m, rows, columns, threads))
  }
  sum
}

# A model whose decision value is the component.
component_model <- function(object, components, k) {
  data <- components$data
  alpha <- components$coefficients[, k]
  support <- which(alpha != 0)
  theta <- stats::setNames(components$theta, names(data$kernels))
  problem <- list(data = data, constants = components$constants,
                  settings = list(intercept = TRUE, control = object$control))
  first <- first_model(object)
  own <- list(kernels = data$kernels, constants = components$constants, theta = theta, alpha = alpha,
              support = support, offset = components$offset[k],
              data = kept_data(problem, theta, alpha, support))
  own$data$layout <- first$data$layout # with the scaling of the columns, which `data` have behind them
  first[names(own)] <- own
  first
}

# ---- samples -------------------------------------------------------------------------------------

training_samples_map <- function(object, data, components) {
  names <- names(first_model(object)$alpha) %||% as.character(seq_len(data$n))
  samples_table(names, "training", components$coordinates, object$y, training_prediction(object))
}

new_samples_map <- function(object, components, newdata, y) {
  models <- lapply(1:2, function(k) component_model(object, components, k))
  design <- if (is.null(object$terms)) newdata else new_design(object, newdata)
  rows <- new_rows(models, design, missing = TRUE)
  words <- decide_words(models, rows)
  coordinates <- matrix(NA_real_, length(rows$complete), 2L)
  for (k in 1:2) coordinates[rows$complete, k] <- decide_kernels(models[[k]], rows, words[, k])
  # new_rows() has warned of columns that moved
  decision <- suppressWarnings(stats::predict(object, newdata, type = "decision"),
                               "manykernels_warning_constant_column")
  predicted <- meaning_of(decision, "response", object)
  samples <- new_samples(decision, newdata)
  y <- y %||% named_response(object, newdata)
  truth <- if (!is.null(y)) new_truth(y, object, samples)
  names <- rows$all_names %||% as.character(seq_len(nrow(coordinates)))
  samples_table(names, "new", coordinates, truth, predicted)
}

# The response that a formula names, where the new rows have it.
named_response <- function(object, newdata) {
  if (is.null(object$terms) || attr(object$terms, "response") == 0) return(NULL)
  if (all(all.vars(object$terms[[2L]]) %in% names(newdata))) formula_response(object, newdata)
}

# Responses of several columns have neither classes nor a value to show.
samples_table <- function(names, set, coordinates, truth, predicted) {
  n <- nrow(coordinates)
  value <- function(response) if (is.null(response) || !is.null(dim(response))) rep(NA, n) else
    if (is_times(response)) as.vector(response) else unname(response)
  truth <- value(truth)
  predicted <- value(predicted)
  classes <- is.factor(predicted)
  if (classes && !is.factor(truth)) truth <- factor(truth, levels(predicted))
  data.frame(
    sample = names, set = rep(set, n), component_1 = coordinates[, 1L], component_2 = coordinates[, 2L],
    truth = truth, predicted = predicted,
    wrong = if (classes) as.character(truth) != as.character(predicted) else rep(NA, n)
  )
}
