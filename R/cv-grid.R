# The grid of a cross-validation and its plan: what serves every cell.

# Arguments of cv_mkl() that are the model's own.
model_arguments <- c("loss", "normalize", "class_weights", "multiclass", "intercept", "scale")

# given: names of arguments of the model; ... arguments that cv_mkl() does not have.
check_model_arguments <- function(given, model, ...) {
  if (model == "mkl") check_dots_empty(..., .hints = cv_hints)
  reserved <- c("validation", "folds") # cv_mkl() makes them
  odd <- setdiff(given, setdiff(names(formals(model_function(model))), reserved))
  if (length(odd)) {
    mk_abort(sprintf("`%s` is not an argument of cv_mkl() with `model = \"%s\"`.", odd[1], model),
             "invalid_argument", odd[1])
  }
}

# Data shared by all cells, and the way to fit a cell.
cv_plan <- function(x, y, kernels, weights, settings, grid, model, arguments) {
  refuse_chunking(settings$control,
                  "cv_mkl(), whose own file is `resume`, and whose workers are those of the plan")
  if (!is.null(settings$control$start)) {
    abort_unsupported("start", "`start` of mkl_control() is for one fit, not for a grid of them.")
  }
  missing_views <- settings$missing_views
  if (model == "mkl_gomp") {
    check_given(c(y = is.null(y)))
    check_pursuit_loss(arguments$loss)
  }
  own <- cv_models[[model]]
  if (!own$kernels) refuse_neutral_view(missing_views)
  raw <- if (!own$kernels) single_view(x, settings$impute) else
    as_views(x, missing_views = missing_views, kernels = join_sets(kernels), impute = settings$impute)
  centred <- !is.null(y)
  choices <- kernel_choices(kernels, raw, model)
  grid <- cross_sets(grid, choices)
  given <- given_data(raw, choices$kernels, missing_views)
  raw <- given$views
  kernels <- given$kernels
  samples <- given$samples
  scales <- list()
  if (identical(settings$scale, "auto")) {
    scales <- scale_candidates(raw, kernels)
    settings$scale <- arguments$scale <- if (length(scales)) scales[[1L]] else TRUE
  }
  if (length(scales) > 1L) grid$tuned <- c("scale", grid$tuned)
  chosen <- scale_for(settings$scale, kernels, raw)
  if (own$shares && !identical(chosen, settings$scale)) {
    settings$scale <- arguments$scale <- chosen # a set without the Tanimoto kernel is fitted alike
  }
  data <- grid_data(raw, kernels, own$kernels)
  if (own$shares) {
    names <- lapply(grid$sets, pick_set, kernels = names(data$kernels))
    Map(norm_of_kernels, grid$outer, names[grid$set])
  }
  prepared <- prepare_response(y, weights, samples, settings,
                               code = function(...) code_response(..., refuse = own$refuse))
  response <- prepared$response
  settings <- prepared$settings
  anchored <- !is.null(kernels) && any(vapply(kernel_field(kernels, "parameters"), function(own) {
    "map" %in% names(own) && is.null(own$anchor)
  }, NA))
  shared <- own$shares && !anchored
  models <- if (shares_weights(settings$multiclass)) 1 else
    length(response_tasks(response, settings$loss, settings$multiclass))
  c(grid, list(
    models = models, raw = raw, centred = centred, scales = scales,
    kernels = if (!is.null(kernels)) ordered_kernels(kernels, raw),
    response = response, weights = prepared$weights, n = data$n,
    samples = samples, settings = settings, model = model, arguments = arguments,
    open = if (shared) open_resample else open_refit,
    chains = if (shared) run_chains else refit_chains
  ))
}

# Whether all cells are known before any is fitted.
is_fixed_grid <- function(plan) !is_adaptive(plan) && length(plan$scales) < 2L

is_adaptive <- function(plan) identical(plan$search, "adaptive")

# Errors about kernels and data before anything else. Widths of default kernels are still to come.
grid_data <- function(raw, kernels, reads_kernels) {
  if (!reads_kernels) return(list(n = view_rows(raw)))
  if (is.null(kernels)) {
    need_views(raw)
    kernels <- kernels_around(raw, 1)
  }
  kernels <- resolve_kernels(kernels, raw)
  refuse_symmetric(raw, kernel_field(leaf_kernels(kernels), "view"))
  list(kernels = kernels, n = if (length(raw)) view_rows(raw) else precomputed_size(kernels))
}
