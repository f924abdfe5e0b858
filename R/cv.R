# ---- the grid and the plan -----------------------------------------------------------------------

cv_models <- c("mkl", "mkl_gomp", "mllkm")

# given: which of the grid's arguments the user gave, by name.
cv_grid <- function(model, p, C, norm, lambda, gamma, given) {
  wanted <- switch(model, mkl = c("p", "C", "norm"), mkl_gomp = "lambda", mllkm = c("gamma", "C"))
  odd <- setdiff(given, wanted)
  if (length(odd)) {
    mk_abort(sprintf("`%s` is not for `model = \"%s\"`, whose grid is of %s.", odd[1], model,
                     paste0("`", wanted, "`", collapse = " and ")), "invalid_argument", odd[1])
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

# The columns of `results` that say which cell it is: `inner` varies first.
grid_table <- function(plan) {
  cells <- expand.grid(inner = seq_along(plan$inner), outer = seq_along(plan$outer))
  columns <- stats::setNames(list(plan$inner[cells$inner]), utils::tail(plan$tuned, 1))
  if (length(plan$tuned) == 2) {
    values <- switch(plan$tuned[1],
      p = vapply(plan$outer, `[[`, 0, "p"),
      norm = factor(make.unique(vapply(plan$outer, format, "")),
                    unique(make.unique(vapply(plan$outer, format, "")))),
      gamma = unlist(plan$outer)
    )
    columns <- c(stats::setNames(list(values[cells$outer]), plan$tuned[1]), columns)
  }
  list2DF(columns)
}

# What serves every cell, and how cells are fitted.
cv_plan <- function(x, y, kernels, weights, settings, grid, model, arguments) {
  raw <- if (model == "mllkm") single_view(x) else as_views(x)
  centred <- !is.null(y)
  if (!is.null(kernels)) check_kernel_set(kernels)
  # errors about kernels and data before anything else; numbers of rows, names in order
  data <- if (model == "mllkm") list(views = raw, n = view_rows(raw)) else
    bridge_data(raw, kernels, settings$scale, centred)
  samples <- data_samples(data$views, data$kernels, data$n)
  response <- check_response(y, samples, settings$loss)
  settings <- complete_settings(settings, response)
  check_named_levels(settings$class_weights, response)
  anchored <- !is.null(kernels) && any(vapply(kernel_field(kernels, "parameters"), function(own) {
    "map" %in% names(own) && is.null(own$anchor)
  }, NA))
  shared <- model == "mkl" && !anchored
  c(grid, list(
    raw = raw, centred = centred, kernels = if (!is.null(kernels)) ordered_kernels(kernels, raw),
    response = response, weights = check_weights(weights, response, samples), n = data$n,
    samples = samples, settings = settings, model = model, arguments = arguments,
    fit = switch(model, mkl = mkl.default, mkl_gomp = mkl_gomp.default, mllkm = mllkm.default),
    open = if (shared) open_resample else open_refit,
    chain = if (shared) run_chain else refit_chain
  ))
}

# Precomputed kernels in the order of the views' rows, so that positions mean the same everywhere.
ordered_kernels <- function(kernels, views) {
  suppressMessages(order_kernels(kernels, views), "manykernels_message_row_order")
}

# ---- scores --------------------------------------------------------------------------------------

# One row for each resample and cell.
score_cells <- function(plan, resamples, outcomes, measures) {
  table <- grid_table(plan)
  rows <- lapply(seq_along(resamples), function(r) {
    cells <- unlist(outcomes[[r]], recursive = FALSE)
    values <- t(vapply(cells, cell_measures, numeric(length(measures)), plan = plan,
                       resample = resamples[[r]], measures = measures))
    if (length(measures) == 1) values <- t(values)
    colnames(values) <- vapply(measures, `[[`, "", "name")
    each <- function(field, type) vapply(cells, function(cell) cell[[field]] %||% type, type)
    cbind(`repeat` = resamples[[r]]$repeat_number, fold = resamples[[r]]$fold, table, values,
          kernels = each("kernels", NA_real_), support = each("support", NA_real_),
          status = each("status", NA_character_), gap = each("gap", NA_real_),
          seconds = each("seconds", NA_real_), message = each("message", NA_character_))
  })
  do.call(rbind, rows)
}

cell_measures <- function(cell, plan, resample, measures) {
  if (is.null(cell$response)) return(rep(NA_real_, length(measures)))
  test <- resample$test
  scores <- cell$decision
  if (is.factor(plan$response) && plan$settings$multiclass == "ovo" && ncol(scores) > 1) {
    scores <- pair_scores(scores, levels(plan$response))
  }
  vapply(measures, measure_value, 0, truth = plan$response[test], response = cell$response,
         decision = if (ncol(scores) == 1) scores[, 1] else scores, prob = cell$prob,
         weights = plan$weights[test], training_outside = cell$training_outside)
}

# Means and standard errors over the resamples, one row for each cell.
summarise_cells <- function(plan, by_fold, measures) {
  table <- grid_table(plan)
  cell <- rep(seq_len(nrow(table)), length.out = nrow(by_fold))
  over <- function(column, f) unname(vapply(split(by_fold[[column]], cell), f, 0))
  values <- lapply(measures, function(measure) {
    found <- list(over(measure$name, mean_known), over(measure$name, standard_error))
    stats::setNames(found, paste0(measure$name, c("", "_se")))
  })
  first <- measures[[1]]$name
  counted <- over(first, function(x) sum(!is.na(x)))
  list2DF(c(
    as.list(table), list(mean = values[[1]][[1]], se = values[[1]][[2]], folds = counted),
    unlist(values, recursive = FALSE),
    list(kernels = over("kernels", mean_known), support = over("support", mean_known),
         gap = over("gap", function(x) if (all(is.na(x))) NA_real_ else max(x, na.rm = TRUE)),
         seconds = over("seconds", function(x) sum(x, na.rm = TRUE)),
         failed = over("status", function(x) sum(x != "converged")))
  ))
}

mean_known <- function(x) if (all(is.na(x))) NA_real_ else mean(x, na.rm = TRUE)

standard_error <- function(x) {
  x <- x[!is.na(x)]
  if (length(x) < 2) NA_real_ else stats::sd(x) / sqrt(length(x))
}

# The row that is chosen. Cells that lack folds take no part where others have them all.
choose_cell <- function(results, larger, rule) {
  value <- if (larger) results$mean else -results$mean
  value[results$folds < max(results$folds)] <- NA
  if (all(is.na(value))) return(NA_integer_)
  best <- max(value, na.rm = TRUE)
  leader <- which.max(value)
  slack <- if (rule == "one_se" && !is.na(results$se[leader])) results$se[leader] else 0
  eligible <- which(value >= best - slack - 1e-12 * abs(best))
  eligible[do.call(order, simplicity(results[eligible, , drop = FALSE]))][1]
}

# Columns by which simpler models come first: smaller C (larger lambda), then smaller p or gamma.
simplicity <- function(results) {
  first <- if (!is.null(results$lambda)) -results$lambda else results$C
  other <- results$p %||% results$gamma %||% results$norm
  list(first, if (is.null(other)) numeric(length(first)) else as.numeric(other))
}
