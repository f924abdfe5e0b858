# Cross-validated fits by the plain way: the model's own function on the training rows of each cell,
# predict() for the others. For models that share nothing between cells, and where anchors are the
# training rows themselves.

open_refit <- function(plan, train, ...) NULL

refit_chains <- function(plan, parts, deadline, tick, keep = NULL) {
  done <- 0
  cells <- length(plan$inner) * sum(lengths(lapply(parts, `[[`, "outer")))
  tell <- function(count) {
    done <<- done + count
    tick(done / cells)
  }
  lapply(parts, function(part) lapply(seq_along(part$outer), function(k) {
    refit_chain(plan, part, k, deadline, tell, keep)
  }))
}

# The k-th chain of a part. tell(count) is called with the number of finished cells.
refit_chain <- function(plan, part, k, deadline, tell, keep) {
  outer <- part$outer[k]
  data <- tryCatch(refit_data(plan, part$resample, plan$set[outer]), manykernels_error = identity)
  cells <- part$begun[[k]]$cells
  tell(length(cells))
  for (inner in utils::tail(plan$inner, length(plan$inner) - length(cells))) {
    cell <- with_seed(part$seed, try_refit(plan, data, plan$outer[[outer]], inner,
                                           deadline - seconds_now()))
    cells <- c(cells, list(cell))
    tell(1)
    if (!is.null(keep) && is_finished(cells)) keep(part$unit[k], list(cells = cells))
  }
  cells
}

try_refit <- function(plan, data, outer, inner, left) {
  if (inherits(data, "condition")) return(failed_cell(data))
  if (left <= 0) return(failed_cell())
  tryCatch(refit_cell(plan, data, outer, inner, left), manykernels_error = failed_cell)
}

refit_cell <- function(plan, data, outer, inner, left) {
  began <- seconds_now()
  control <- plan$settings$control
  control$progress <- control$probability <- FALSE # the folds calibrate the decision values
  control$max_time <- min(control$max_time, left)
  late <- FALSE
  fitted <- catch_constant(withCallingHandlers(
    refit(plan, data, outer, inner, control),
    manykernels_warning_not_converged = function(w) {
      late <<- late || identical(w$argument, "max_time")
      invokeRestart("muffleWarning")
    }
  ))
  fit <- fitted$value
  predicted <- function(type) {
    suppressWarnings(stats::predict(fit, data$newdata, type = type),
                     "manykernels_warning_constant_column") # all rows together may vary
  }
  decision <- predicted("decision")
  models <- models_of(fit)
  theta <- columns_alike(lapply(models, `[[`, "theta"))
  gap <- vapply(models, `[[`, 0, "gap")
  list(
    response = unname(predicted("response")),
    decision = unname_rows(as.matrix(decision)), theta = unname(theta), share = shares(models),
    kernels = mean(vapply(models, function(model) sum(model$theta > 0), 0)),
    support = if (inherits(fit, "mkl_gomp")) NA_real_ else
      length(unique(unlist(lapply(models, `[[`, "support")))),
    training_outside = if (is.null(data$y)) {
      outside <- models[[1]]$decision < 0
      stats::weighted.mean(outside, data$weights %||% rep(1, length(outside)))
    },
    status = if (late) "time_limit" else models[[which.max(gap)]]$status,
    gap = max(gap), message = constant_message(fitted$labels), constant = fitted$labels,
    seconds = seconds_now() - began
  )
}

# A fit of the plan's model to some rows at one cell of the grid.
refit <- function(plan, data, outer, inner, control = plan$settings$control) {
  arguments <- list(x = data$x, control = control)
  arguments["y"] <- list(data$y)
  arguments$type <- plan$settings$type
  own <- cv_models[[plan$model]]
  if (own$kernels) {
    arguments["kernels"] <- list(data$kernels)
    arguments$missing_views <- plan$settings$missing_views
  }
  if (!is.null(data$weights)) arguments$weights <- data$weights
  without_signals(
    do.call(model_function(plan$model), c(arguments, plan$arguments, own$cell(outer, inner)),
            quote = TRUE)
  )
}
