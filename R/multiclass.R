# Several classes: the constructor of `mkl_multiclass` and its decisions.

new_mkl_multiclass <- function(models, problem) {
  settings <- problem$settings
  first <- models[[1]]
  each <- function(field, type) vapply(models, `[[`, type, field)
  decision <- named_matrix(vapply(models, `[[`, numeric(problem$data$n), "decision"),
                           names(first$decision), models)
  structure(list(
    models = pack_models(models, decision, rows_of_models(models, problem$data$views)),
    levels = levels(problem$response), strategy = settings$multiclass,
    theta = if (problem$joint) first$theta else joint_theta(models), decision = decision,
    objective = each("objective", 0), primal = each("primal", 0), gap = each("gap", 0),
    converged = all(each("converged", NA)), status = each("status", ""),
    p = settings$p, norm = settings$norm$type, penalty = settings$norm, C = settings$C,
    loss = settings$loss$type, loss_parameter = loss_parameter(settings$loss),
    intercept = settings$intercept,
    kernels = first$kernels, terms = NULL, call = problem$call,
    y = problem$response, weights = problem$weights, scaling = first$scaling,
    normalize = settings$normalize, missing_views = settings$missing_views, control = first$control,
    version = model_version
  ), class = c("mkl_multiclass", "mkl_fit"))
}

# A column for each model, where all have the same kernels; else a list.
joint_theta <- function(models) {
  theta <- lapply(models, `[[`, "theta")
  kernels <- lapply(theta, names)
  if (!all(vapply(kernels, identical, NA, kernels[[1]]))) return(theta)
  named_matrix(unlist(theta), kernels[[1]], models)
}

named_matrix <- function(values, row_names, models) {
  matrix(values, ncol = length(models), dimnames = list(row_names, names(models)))
}

multiclass_response <- function(decision, object) {
  if (!is.null(object$outputs)) return(output_response(decision, object$y))
  scores <- class_scores(decision, object$strategy, object$levels)
  largest <- max.col(replace(scores, is.na(scores), 0), ties.method = "first")
  largest[is.na(rowSums(scores))] <- NA
  class <- factor(object$levels[largest], levels = object$levels)
  stats::setNames(class, rownames(decision))
}

# One column for each class, larger for the more likely; of two classes one for the second.
class_scores <- function(decision, strategy, levels) {
  if (strategy == "ovo" && ncol(decision) > 1) pair_scores(decision, levels) else decision
}

# Votes of the pairs, plus at most 1/4 either way that orders equal votes by the sums of decision
# values.
pair_scores <- function(decision, levels) {
  pairs <- utils::combn(levels, 2)
  won <- decision > 0
  votes <- sums_of_pairs(won, !won, pairs, levels)
  sums <- sums_of_pairs(decision, -decision, pairs, levels)
  largest <- apply(sums, 1, function(s) if (anyNA(s)) 0 else max(abs(s)))
  votes + sums / (4 * pmax(largest, .Machine$double.xmin))
}

# Rows x levels: for each level the sum over its pairs, of `second` where it is the second level of the
# pair, which is positive, and of `first` where it is the first.
sums_of_pairs <- function(second, first, pairs, levels) {
  sums <- vapply(levels, function(level) {
    rowSums(second[, pairs[2, ] == level, drop = FALSE]) + rowSums(first[, pairs[1, ] == level, drop = FALSE])
  }, numeric(nrow(second)))
  matrix(sums, nrow(second), length(levels), dimnames = list(rownames(second), levels))
}

# Labels as they were given, numbers as they are.
output_response <- function(decision, y) {
  if (!is_labels(y)) return(decision)
  out <- decision > 0
  storage.mode(out) <- storage.mode(y)
  out
}
