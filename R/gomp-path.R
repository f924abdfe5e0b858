# The path of a group matching pursuit: calls of the core, the choice of a point on it, and the
# constructor of class `mkl_gomp`.

# ---- the problem ---------------------------------------------------------------------------------

# The problem on some data: kernels, response, settings. given: settings, arguments as users give them, and a
# draw of candidates if there is one already.
gomp_problem <- function(x, y, kernels, weights, given) {
  code <- function(y, samples, settings) {
    outputs <- gomp_response(y, samples, given$type, if (settings$loss != "squared") new_loss(settings$loss))
    refuse_numbers(settings$loss, outputs)
    check_threshold_serves(settings$threshold, outputs$y)
    list(response = outputs$y, settings = settings, outputs = outputs)
  }
  prepared <- prepare_fit(read_kernels(x, kernels), y, weights, given$settings, given$scale,
                          given$missing_views, given$impute, code = code)
  data <- prepared$data
  settings <- prepared$settings
  settings["stopping"] <- list(new_stopping())
  settings$max_kernels <- min(settings$max_kernels, length(data$kernels))
  settings$candidates <- given$drawn %||%
    draw_candidates(given$candidates, length(data$kernels), settings$max_kernels)
  response <- prepared$coded$outputs
  response$weights <- prepared$weights
  c(prepared, list(problem = c(open_problem(data, settings), list(response = response))))
}

# ---- the core ------------------------------------------------------------------------------------

# The path on some of the rows: what the core returns, the offset, and its penalty. tell: what the core
# calls with its progress, or NULL; paths_left: that share the problem's time, this one among them.
run_gomp <- function(problem, lambda, rows = seq_len(problem$data$n), tell = NULL, paths_left = 1) {
  settings <- share_of_time(problem$settings, paths_left)
  target <- problem$response$target[rows, , drop = FALSE]
  weights <- gomp_weights(problem, rows)
  total <- sum(weights[, 1] %||% length(rows))
  numbers <- handle_kernels(problem$handle, problem$data$kernels)
  candidates <- handle_candidates(settings$candidates, problem)
  own <- list(rows = rows, lambda = lambda, weights = weights)
  if (settings$loss != "squared") {
    own$C <- 1 / (2 * lambda * total)
    result <- pursue_gradients(problem, settings, rows, own$C * abs(target) * as.vector(weights %||% 1),
                               2 * lambda, candidates, tell)
    result$kernel <- numbers[result$kernel]
    return(c(result, own, list(offset = result$constant$offset)))
  }
  centred <- settings$intercept %||% is.null(problem$response$levels)
  offset <- if (centred) colSums(weighted(target, weights)) / total else numeric(ncol(target))
  result <- from_core(.Call(C_mk_gomp, problem$handle, rows, sweep(target, 2, offset),
                            if (!is.null(weights)) sqrt(weights), lambda * total / length(rows),
                            settings$max_kernels, settings$epsilon,
                            candidates,
                            core_control(settings$control, settings$deadline, settings$stopping), tell))
  result$status <- result_status(result, settings)
  if (result$bad > 0) abort_indefinite(problem$data$kernels[numbers[result$bad]], lambda)
  result$kernel <- numbers[result$kernel]
  c(result, own, list(offset = offset, C = 1 / (lambda * total)))
}

# Random priorities of the kernels at each step; the candidates are those of the smallest.
draw_candidates <- function(count, M, steps) {
  if (!is.null(count) && count < M) list(count = count, priority = matrix(stats::runif(M * steps), M))
}

# The order at each step by the handle's numbers, as far as a step may have to pass over kernels taken.
handle_candidates <- function(candidates, problem) {
  own <- handle_kernels(problem$handle, problem$data$kernels)
  if (is.null(candidates) || candidates$count >= length(own)) return(NULL)
  steps <- seq_len(min(ncol(candidates$priority), length(own)))
  reach <- seq_len(min(length(own), candidates$count + length(steps)))
  order_of <- function(s) order(candidates$priority[own, s])[reach]
  list(count = candidates$count, drawn = vapply(steps, order_of, integer(length(reach))))
}

# weights: as by gomp_weights().
weighted <- function(x, weights) {
  if (is.null(weights)) x else x * as.vector(weights)
}

# Progress of `runs` paths, each of at most `steps` kernels.
gomp_progress <- function(problem, runs) {
  steps <- problem$settings$max_kernels
  run_progress("Matching pursuit", runs, problem$settings$control$progress,
               function(iteration, objective, gap) iteration / steps,
               paste("step %d  objective %.6g ",
                     if (problem$settings$loss == "squared") "improvement" else "gradient",
                     "%.2g  %.1f s"))
}

abort_indefinite <- function(kernel, lambda) {
  type <- kernel_field(kernel, "type")
  advice <- if (type %in% c("precomputed", "function")) paste0(" If it is, ", indefinite_advice(type), ".")
  mk_abort(paste0(sprintf(paste(
    "Kernel `%s` plus lambda n I isn't positive definite in double precision: `lambda` = %g is too small for",
    "its scale (see `normalize`), or the kernel is indefinite, or overflows."
  ), names(kernel), lambda), advice), "indefinite", "lambda", names(kernel))
}

# Functions along a path at some rows of its data: rows x outputs x steps.
path_functions <- function(problem, path, rows) {
  steps <- length(path$kernel)
  offsets <- path$offsets %||% path$offset
  values <- if (steps) {
    own <- match(path$kernel, handle_kernels(problem$handle, problem$data$kernels))
    from_core(.Call(C_mk_path_values, problem$handle, own, seq_len(steps), path$alpha, path$rows,
                    rows, problem$data$n, thread_count(problem$settings$control)))
  }
  out <- array(as.double(values), c(length(rows), NROW(offsets), steps))
  out + rep(as.double(offsets), each = length(rows))
}

# The share of wrong classes or labels, or the mean squared error of each step's function, weighted
# by the cases' weights.
path_errors <- function(values, response, rows = TRUE) {
  weights <- response$weights[rows]
  apply(values, 3, function(decision) {
    decision <- matrix(decision, dim(values)[1])
    if (!is.null(response$measure)) return(path_measure(decision, response, rows, weights))
    errors <- if (isTRUE(response$labels)) {
      (decision > 0) != (response$target[rows, , drop = FALSE] > 0)
    } else if (is.null(response$levels)) {
      (response$target[rows, , drop = FALSE] - decision)^2
    } else {
      decided_class(decision, response$levels) != response$y[rows]
    }
    if (is.null(weights)) mean(errors) else stats::weighted.mean(rowMeans(as.matrix(errors)), weights)
  })
}

# The measure as an error.
path_measure <- function(decision, response, rows, weights) {
  classes <- !is.null(response$levels)
  truth <- if (classes) response$y[rows] else response$target[rows, , drop = ncol(decision) == 1L]
  if (ncol(decision) == 1L) decision <- decision[, 1L]
  decided <- if (classes) decided_class(as.matrix(decision), response$levels) else decision
  if (classes && is.matrix(decision)) colnames(decision) <- response$levels
  value <- measure_value(response$measure, truth, unname(decided), decision, weights = weights)
  if (response$measure$larger) -value else value
}

# One measure, or NULL.
gomp_measure <- function(measure, response, folds, validation) {
  if (is.null(measure)) return(NULL)
  if (is.null(folds) && is.null(validation)) {
    mk_abort("`measure` is what `folds` or `validation` choose by, and neither is given.",
             "invalid_argument", "measure", measure)
  }
  if (isTRUE(response$labels)) {
    abort_unsupported("measure", "`measure` is not for labels, which are chosen by the share of wrong ones.")
  }
  found <- check_measure(measure, if (is.null(response$levels)) "regression" else "classification")
  if (length(found) > 1L) abort_argument(measure, "measure", "one measure")
  found[[1L]]
}

decided_class <- function(decision, levels, threshold = 0) {
  if (length(levels) == 2) return(two_levels(decision[, 1], levels, threshold))
  multiclass_response(decision, list(strategy = "ovr", levels = levels))
}

# ---- choosing ------------------------------------------------------------------------------------

# The smallest error; of several the one with the fewest kernels, then the largest penalty.
best_row <- function(tuning) {
  tuning[order(tuning$error, tuning$kernels, -tuning$lambda)[1], ]
}

# Error on the validation set by lambda and number of kernels.
validation_errors <- function(models, validation, measure) {
  validation <- check_validation(validation, models[[1]])
  validation$response$measure <- measure
  tables <- lapply(models, function(model) {
    steps <- seq_along(model$order)
    errors <- path_errors(new_path_values(model, validation$rows, steps), validation$response)
    data.frame(lambda = rep(model$lambda, length(steps)), kernels = steps,
               error = as.double(errors))
  })
  do.call(rbind, tables)
}

chosen_model <- function(models, tuning) {
  if (is.null(tuning) || !nrow(tuning)) return(models[[1]])
  lambda <- vapply(models, `[[`, 0, "lambda")
  models[[match(best_row(tuning)$lambda, lambda)]]
}

check_validation <- function(validation, fit) {
  if (!is.list(validation) || is.data.frame(validation) ||
        !setequal(names(validation), c("x", "y"))) {
    abort_argument(validation, "validation", "list(x = , y = )")
  }
  rows <- new_rows(list(path_model(fit, length(fit$order))), validation$x,
                   argument = "validation$x")
  if (rows$n == 0) mk_abort("`validation$x` has no rows.", "dimension", "validation")
  samples <- sample_part(rows$names, rows$n, "validation$x", "rows")
  y <- in_sample_order(validation$y, samples, "validation$y")
  list(rows = rows, response = new_response(y, rows$n, fit))
}

# ---- constructor ---------------------------------------------------------------------------------

# A path and what predictions of it need.
gomp_model <- function(problem, lambda, tell = NULL, paths_left = 1) {
  path <- run_gomp(problem, lambda, tell = tell, paths_left = paths_left)
  data <- problem$data
  target <- problem$response$target
  size <- c(data$n, ncol(target), length(path$kernel))
  rows <- training_names(data$views, data$kernels)
  list(
    order = path$kernel, lambda = lambda, offset = path$offset, levels = problem$response$levels,
    y = problem$response$y, C = path$C, cost = path_cost(path, size),
    coefficients = array(path$alpha, size, list(rows, colnames(target), NULL)),
    kernels = without_matrices(data$kernels), constants = problem$constants,
    data = gomp_data(problem, path$kernel), control = without_start(problem$settings$control),
    missing_views = problem$settings$missing_views, offsets = path$offsets, core = path
  )
}

# C_i of each row; a matrix where outputs differ.
path_cost <- function(path, size) {
  cost <- path$C * (path$weights %||% matrix(1, size[1]))
  if (ncol(cost) == 1) cost[, 1] else cost
}

# Data of the chosen kernels, all rows.
gomp_data <- function(problem, order) {
  data <- problem$data
  chosen <- seq_along(data$kernels) %in% order
  evaluated <- chosen & kernel_field(data$kernels, "type") != "precomputed"
  columns <- used_columns(pick_kernels(data$kernels, which(evaluated)), data$views)
  rows <- seq_len(data$n)
  list(
    views = if (length(columns)) subset_views(data$views, rows, columns),
    rows = rows, columns = columns, every_row = TRUE, linear = NULL,
    layout = view_layout(data$views), diagonal = kept_diagonals(problem, chosen, rows)
  )
}

# tuning: the errors that choose the number of kernels, or NULL for all.
new_gomp <- function(problem, model, tuning) {
  path <- model$core
  response <- problem$response
  n <- problem$data$n
  values <- path_functions(problem, path, seq_len(n))
  dimnames(values) <- dimnames(model$coefficients)
  certificate <- path$certificate %||% path_certificate(values, model, response$target)
  steps <- seq_along(path$kernel)
  own <- tuning[tuning$lambda == model$lambda & tuning$kernels %in% steps, ]
  table <- path_table(problem, path, values, certificate, own$error)
  s <- if (NROW(own)) best_row(own)$kernels else length(steps)
  verdict <- if (s == 0L && !is.null(path$constant)) {
    list(primal = path$constant$objective, dual = path$constant$objective, gap = 0)
  } else {
    step_certificate(certificate, s, model, response$target)
  }
  status <- if (path$status == "converged" && verdict$gap > model$control$tol) "stalled" else path$status
  names <- names(problem$data$kernels)
  structure(c(
    list(
      theta = stats::setNames(as.double(seq_along(names) %in% path$kernel[seq_len(s)]), names),
      alpha = step_outputs(model$coefficients, s, response),
      offset = if (s > 0L) step_offsets(model, s)[, 1L] else model$offset,
      support = if (s > 0) seq_len(n) else integer(), path = table, selected = s,
      objective = verdict$dual, primal = verdict$primal, gap = verdict$gap,
      converged = status == "converged", status = status, iterations = length(steps),
      loss = problem$settings$loss, intercept = problem$settings$intercept,
      forms = stats::setNames(path_forms(problem, path, s), names),
      decision = step_outputs(values, s, response, model$offset), y = response$y,
      weights = response$weights, values = if (!is.null(path$weights) || !is.null(path$offsets)) values,
      terms = NULL, call = problem$call,
      threshold = problem$settings$threshold, normalize = problem$settings$normalize, tuning = tuning,
      memory = path$memory,
      kept = path$kept, scaling = list(views = views_scaling(problem$data$views)),
      version = model_version
    ),
    model[c("order", "lambda", "levels", "C", "cost", "coefficients", "kernels", "constants", "data",
              "control", "missing_views", "offsets")]
  ), class = c("mkl_gomp", "mkl", "mkl_fit"))
}

path_table <- function(problem, path, values, certificate, validation_error) {
  table <- data.frame(
    step = seq_along(path$kernel), kernel = names(problem$data$kernels)[path$kernel],
    improvement = path$improvement, objective = certificate$dual,
    training_error = as.double(path_errors(values, problem$response))
  )
  if (!is.null(path$offsets)) names(table)[3L] <- "gradient"
  table$validation_error <- validation_error
  table$gap <- certificate$gap
  table$time <- path$seconds
  measure <- problem$response$measure
  if (!is.null(measure)) attr(table, "measure") <- measure[c("name", "larger")]
  table
}

# Step s of an array rows x outputs x steps: a vector for one output; `zero` where s is 0.
step_outputs <- function(values, s, response, zero = 0) {
  out <- if (s > 0) values[, , s, drop = FALSE] else rep(zero, each = dim(values)[1])
  out <- matrix(out, dim(values)[1], dim(values)[2], dimnames = dimnames(values)[1:2])
  if (ncol(response$target) == 1) out[, 1] else out
}

# Primal and dual values of every step, and the relative gap: the system's residual over all
# outputs, squared.
path_certificate <- function(values, model, target) {
  delta <- 1 / model$C
  target <- sweep(target, 2, model$offset)
  root <- path_roots(model)
  table <- vapply(seq_along(model$order), function(s) {
    alpha <- model$coefficients[, , s]
    f <- values[, , s] - rep(model$offset, each = nrow(target))
    rest <- root * (target - f)
    c(sum(rest^2) / (2 * delta) + 0.5 * sum(alpha * f),
      sum((rest - delta * alpha / ifelse(root > 0, root, 1))^2) / (2 * delta)) # alpha is 0 at weight 0
  }, numeric(2))
  primal <- table[1, ]
  list(primal = primal, dual = primal - table[2, ],
       gap = table[2, ] / pmax(abs(primal), .Machine$double.xmin))
}

# The roots of the rows' weights.
path_roots <- function(model) sqrt(model$cost / model$C)

# The values of step s; without kernels the function is 0, and y / delta its dual variables.
step_certificate <- function(certificate, s, model, target) {
  if (s > 0) return(lapply(certificate, `[`, s))
  square <- sum((path_roots(model) * sweep(target, 2, model$offset))^2)
  alone <- square * model$C / 2
  list(primal = alone, dual = alone, gap = 0)
}

# alpha'K_m alpha, summed over outputs, of the first s kernels; 0 for the others.
path_forms <- function(problem, path, s) {
  wanted <- seq_along(problem$data$kernels) %in% path$kernel[seq_len(s)]
  if (s == 0) return(as.double(wanted))
  outputs <- length(path$offset)
  alpha <- path$alpha[, (s - 1) * outputs + seq_len(outputs), drop = FALSE]
  handle <- problem$handle
  forms <- from_core(.Call(C_mk_forms, handle, alpha, to_handle(wanted, handle), FALSE,
                           thread_count(problem$settings$control)))
  from_handle(forms, handle)
}

warn_path <- function(fit) {
  if (fit$converged) return(invisible())
  short <- sprintf("the path has %s", count_of(nrow(fit$path), "step"))
  reason <- switch(fit$status,
    time_limit = paste("The time limit `max_time` was reached:", short),
    interrupted = paste("The user stopped it:", short),
    if (fit$gap > fit$control$tol) {
      sprintf("The refit's relative gap is %.2g, above `tol` = %g", fit$gap, fit$control$tol)
    } else {
      paste("The refit isn't positive definite in double precision:", short)
    }
  )
  mk_warn(paste0(reason, "."), "not_converged", "lambda", fit$gap)
}
