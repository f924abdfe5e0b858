# Errors of matching pursuits on rows held out. The paths of a fold are fits of their own: what the data
# determine, from imputed values to the kernels' constants, is learnt from the fold's training rows.

# What all folds share: the data as they were given, and the arguments of gomp_problem(). problem: that on all
# rows, whose draw of candidates is that of the folds.
fold_plan <- function(x, kernels, weights, problem, given) {
  data <- suppressMessages(given_data(x, kernels, given$missing_views, check_impute(given$impute)))
  response <- problem$response
  given$type <- if (is.null(response$levels) && !isTRUE(response$labels)) "regression" else "classification"
  given$drawn <- problem$settings$candidates
  list(raw = data$views, kernels = if (!is.null(kernels)) ordered_kernels(data$kernels, data$views),
       sets = list(NULL), n = problem$data$n, weights = weights, response = response$y, given = given,
       most = problem$settings$max_kernels)
}

# Cross-validated error by lambda and number of kernels; a path that ended early stays as it is. response: of
# all rows, for the errors; folds: as by resamples().
cross_errors <- function(plan, response, folds, backend) {
  log <- new_work_log()
  shown <- plan$given$settings$control$progress && backend$workers == 1
  progress <- work_progress("Matching pursuit", length(folds), shown)
  on.exit(progress$done())
  parts <- do_work(
    length(folds), backend, "gomp_chunk",
    list(plan = plan, response = response, folds = folds, tick = progress$tick), log,
    give_up = function(lost, reason, paths) {
      abort_lost(sprintf("fold %s", vapply(folds[lost], function(one) as.character(one$fold), "")), reason)
    }
  )
  work_report(log)
  short <- sum(unlist(lapply(parts, `[[`, "short")))
  if (short > 0) {
    mk_warn(sprintf("%s of the cross-validation ended early.", count_of(short, "path")),
            "not_converged", "folds", short)
  }
  lambda <- plan$given$settings$lambda
  do.call(rbind, lapply(seq_along(lambda), function(k) mean_errors(parts, k, lambda[k], plan$most)))
}

# The mean over the folds, weighted by their rows. A fold with one class may have no error, such as an area.
mean_errors <- function(parts, k, lambda, most) {
  known <- Filter(function(part) part$weight > 0 && !anyNA(part$errors[[k]]), parts)
  steps <- seq_len(most)
  total <- Reduce(`+`, lapply(known, function(part) {
    part$weight * part$errors[[k]][pmin(steps, length(part$errors[[k]]))]
  }), 0)
  data.frame(lambda = lambda, kernels = steps, error = total / sum(vapply(known, `[[`, 0, "weight")))
}

# The errors of the paths of some folds: list(outcomes) of lists(errors, weight, short), with the errors by
# number of kernels for each lambda.
gomp_chunk <- function(pack, plan, response, folds, tick) {
  left <- length(pack)
  list(outcomes = lapply(folds[pack], function(fold) {
    out <- fold_errors(plan, response, fold, left)
    left <<- left - 1
    tick(1)
    out
  }))
}

# left: folds that share the time, this one among them; the paths on all rows count as one more.
fold_errors <- function(plan, response, fold, left) {
  data <- refit_data(plan, fold, 1L)
  own <- plan$given
  problem <- suppressMessages(without_signals(gomp_problem(
    data$x, data$y, data$kernels, data$weights, own
  )$problem))
  lambda <- own$settings$lambda
  held <- fold$test
  paths <- lapply(seq_along(lambda), function(k) {
    gomp_model(problem, lambda[k], paths_left = (left + 1) * length(lambda) - k + 1)
  })
  weight <- if (is.null(response$weights)) length(held) else sum(response$weights[held])
  list(errors = lapply(paths, function(path) {
    if (weight > 0) path_errors(held_values(path, data$newdata, length(held)), response, held)
  }), weight = weight, short = sum(vapply(paths, function(path) path$core$status != "converged", NA)))
}

# The functions of a path at the rows held out: rows x outputs x steps; the offset if it has no steps.
held_values <- function(path, newdata, count) {
  steps <- seq_along(path$order)
  if (!length(steps)) return(array(rep(path$offset, each = count), c(count, length(path$offset), 1L)))
  rows <- new_rows(list(path_model(path, length(steps))), newdata, argument = "x")
  new_path_values(path, rows, steps)
}
