# The grid of a cross-validation and its plan: what serves every cell.

cv_models <- c("mkl", "mkl_gomp", "mllkm")

grid_arguments <- c("p", "C", "norm", "lambda", "gamma")

# Arguments of cv_mkl() that are the model's own.
model_arguments <- c("loss", "normalize", "class_weights", "multiclass", "intercept", "scale")

# given: names of arguments of the model; ... what cv_mkl() doesn't know.
check_model_arguments <- function(given, model, ...) {
  if (model == "mkl") check_dots_empty(..., .hints = cv_hints)
  reserved <- c("validation", "folds") # cv_mkl() makes them
  odd <- setdiff(given, setdiff(names(formals(model_function(model))), reserved))
  if (length(odd)) {
    mk_abort(sprintf("`%s` is not an argument of cv_mkl() with `model = \"%s\"`.", odd[1], model),
             "invalid_argument", odd[1])
  }
}

# given: which of the grid's arguments the user gave, by name.
cv_grid <- function(model, p, C, norm, lambda, gamma, given) {
  wanted <- switch(model, mkl = c("p", "C", "norm"), mkl_gomp = "lambda", mllkm = c("gamma", "C"))
  odd <- setdiff(given, wanted)
  if (length(odd)) {
    mk_abort(sprintf("`%s` is not for `model = \"%s\"`, whose grid is of %s.", odd[1], model,
                     enumerate(wanted)), "invalid_argument", odd[1])
  }
  if (model == "mkl_gomp") {
    return(list(tuned = "lambda", outer = list(NULL),
                inner = grid_values(lambda, "lambda", lower = 0, lower_open = TRUE)))
  }
  inner <- grid_values(C, "C", lower = 0, lower_open = TRUE)
  if (model == "mllkm") {
    outer <- if (is.null(gamma)) list(NULL) else
      as.list(grid_values(gamma, "gamma", lower = 0, lower_open = TRUE))
    return(list(tuned = c(if (!is.null(gamma)) "gamma", "C"), outer = outer, inner = inner))
  }
  norms <- grid_norms(norm, p, "p" %in% given)
  names(norms) <- make.unique(vapply(norms, format, ""))
  list(tuned = c(if (is.null(norm)) "p" else "norm", "C"), outer = norms, inner = inner)
}

grid_values <- function(x, argument, ...) {
  x <- check_numbers(x, argument, ...)
  if (anyDuplicated(x)) {
    mk_abort(sprintf("`%s` must have different values, but has %s twice.", argument,
                     format(x[duplicated(x)][1])), "invalid_argument", argument, x)
  }
  sort(x)
}

grid_norms <- function(norm, p, p_given) {
  if (is.null(norm)) {
    return(lapply(grid_values(p, "p", lower = 1, allow_inf = TRUE), lp_norm))
  }
  if (p_given) {
    mk_abort("`p` and `norm` must not both be given.", "invalid_argument", "norm")
  }
  norms <- if (inherits(norm, "mkl_norm")) list(norm) else norm
  if (!is.list(norms) || !length(norms)) {
    abort_argument(norm, "norm", "a norm, such as elastic_net_norm(0.5), or a list of norms")
  }
  lapply(unname(norms), check_norm)
}

# Data shared by all cells, and the way to fit a cell.
cv_plan <- function(x, y, kernels, weights, settings, grid, model, arguments) {
  if (!is.null(settings$control$start)) {
    abort_unsupported("start", "`start` of mkl_control() is for one fit, not for a grid of them.")
  }
  missing_views <- settings$missing_views
  if (model == "mkl_gomp") check_given(c(y = is.null(y)))
  if (model == "mllkm") refuse_neutral_view(missing_views)
  raw <- if (model == "mllkm") single_view(x) else
    as_views(x, missing_views = missing_views, kernels = join_sets(kernels))
  centred <- !is.null(y)
  choices <- kernel_choices(kernels, raw, model)
  grid <- cross_sets(grid, choices)
  given <- given_data(raw, choices$kernels, missing_views)
  raw <- given$views
  kernels <- given$kernels
  samples <- given$samples
  chosen <- scale_for(settings$scale, kernels, raw)
  if (model == "mkl" && !identical(chosen, settings$scale)) {
    settings$scale <- arguments$scale <- chosen # a set without the Tanimoto kernel is fitted alike
  }
  data <- grid_data(raw, kernels, model)
  if (model == "mkl") {
    names <- lapply(grid$sets, pick_set, kernels = names(data$kernels))
    Map(norm_of_kernels, grid$outer, names[grid$set])
  }
  response <- check_response(y, samples, settings$loss, settings$type)
  settings <- centre_settings(complete_settings(settings, response))
  if (model == "mllkm") refuse_several(response, settings$loss, "`model = \"mllkm\"`")
  if (model == "mkl_gomp" && is_times(response)) gomp_response(response, samples)
  check_named_levels(settings$class_weights, response)
  anchored <- !is.null(kernels) && any(vapply(kernel_field(kernels, "parameters"), function(own) {
    "map" %in% names(own) && is.null(own$anchor)
  }, NA))
  shared <- model == "mkl" && !anchored
  models <- if (settings$multiclass == "shared") 1 else
    length(response_tasks(response, settings$loss, settings$multiclass))
  c(grid, list(
    models = models, raw = raw, centred = centred,
    kernels = if (!is.null(kernels)) ordered_kernels(kernels, raw),
    response = response, weights = check_weights(weights, response, samples), n = data$n,
    samples = samples, settings = settings, model = model, arguments = arguments,
    open = if (shared) open_resample else open_refit,
    chains = if (shared) run_chains else refit_chains
  ))
}

# Errors about kernels and data before anything else. Widths of default kernels are still to come.
grid_data <- function(raw, kernels, model) {
  if (model == "mllkm") return(list(n = view_rows(raw)))
  if (is.null(kernels)) {
    need_views(raw)
    kernels <- kernels_around(raw, 1)
  }
  kernels <- resolve_kernels(kernels, raw)
  refuse_symmetric(raw, kernel_field(kernels, "view"))
  list(kernels = kernels, n = if (length(raw)) view_rows(raw) else precomputed_size(kernels))
}

# Precomputed kernels in the order of the views' rows, so that positions mean the same everywhere.
ordered_kernels <- function(kernels, views) {
  suppressMessages(order_kernels(kernels, views), "manykernels_message_row_order")
}
