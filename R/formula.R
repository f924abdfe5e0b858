# Formulas: the fit of a method for formulas, its design matrix, and that of new data.

# The fit of a method of `generic` for formulas, by its call: fit(parts) is what the default method
# makes of formula_parts().
fit_formula <- function(generic, call, data, contrasts, caller, fit) {
  if (is_table_on_disk(data)) {
    abort_unsupported("data", sprintf(paste("Give a table on disk without a formula and name its response, as",
                                            "in `%s(table, \"y\")`: a formula needs all of it in memory."),
                                      generic))
  }
  if (!is.null(call$x)) {
    mk_abort(sprintf("Give the formula first and without a name, as in `%s(%s, data = data)`: `x` is for data.",
                     generic, deparse1(call$x)), "formula", "x")
  }
  call <- formula_call(call, generic, match.fun(paste0(generic, ".default")))
  refuse_container(data, call, caller)
  check_formula_data(data)
  contrasts <- check_contrasts(given_value(contrasts, "contrasts"))
  parts <- formula_parts(call, data, contrasts, caller)
  fit <- with_call(fit(parts), call)
  remember_formula(fit, with_dropped(parts$memory, fit$rows))
}

# The record of a formula's rows, after samples without a view were dropped.
with_dropped <- function(memory, rows) {
  if (is.null(rows)) return(memory)
  before <- memory$rows %||% list(n = rows$n, used = seq_len(rows$n))
  memory$rows <- list(n = before$n, used = before$used[rows$used])
  memory$na.action <- structure(setdiff(seq_len(before$n), memory$rows$used), class = "omit")
  memory
}

# The call of a method for formulas as update() can evaluate it again: arguments have the names that
# the default method takes them by. (Where `formula` has its name, a generic dispatches on the first
# argument that has none.)
formula_call <- function(call, generic, default) {
  call[[1]] <- as.name(generic)
  bare <- which(!nzchar(names(call)))[-1]
  by_name <- c("x", "y", "weights", "validation", names(call))
  names(call)[bare] <- setdiff(names(formals(default)), by_name)[seq_along(bare)]
  call
}

# x, y and case weights of a call with a formula, and the parts of it that prediction needs.
formula_parts <- function(call, data, contrasts, caller) {
  if (!is.data.frame(data)) refuse_matrices(eval(call$formula, caller), data, call[[1]])
  parts <- match(c("formula", "data", "subset", "weights", "na.action"), names(call), 0L)
  frame_call <- call[c(1L, parts)]
  frame_call[[1]] <- quote(stats::model.frame)
  frame_call$data <- data
  default <- is.null(call$na.action)
  frame_call$na.action <- if (default && !is.null(call$impute)) keep_predictors else
    asked_action(if (default) getOption("na.action", "na.fail") else call$na.action, caller)
  n <- data_rows(frame_call, data, caller)
  frame_call <- with_row_values(frame_call, n, data, caller)
  frame_call$rows <- seq_len(n)
  frame <- from_formula(eval(frame_call, caller), eval(call$formula, caller), data)
  refuse_no_rows(frame, frame_call, caller)
  frame <- match_variables(frame, data, call$weights)
  attr(frame, "terms") <- used_terms(attr(frame, "terms"))
  warn_predictor(stats::model.weights(frame), "weights", predictors_of(frame))
  design <- from_formula(training_design(frame, names(data), contrasts))
  list(
    x = design$x, y = named_outputs(stats::model.response(frame, "any"), attr(frame, "terms")),
    weights = unname(stats::model.weights(frame)), predictors = predictors_of(frame),
    memory = c(design[-1], list(
      na.action = attr(frame, "na.action"), rows = used_rows(frame, n)
    ))
  )
}

# The call of a model frame with the values of its arguments that have one for each row, each checked by its
# own name.
with_row_values <- function(frame_call, n, data, caller) {
  enclosure <- environment(eval(frame_call$formula, caller)) %||% caller
  checks <- list(subset = check_subset, weights = check_row_weights)
  for (name in intersect(names(checks), names(frame_call))) {
    value <- given_value(eval(frame_call[[name]], data, enclosure), name)
    if (name == "weights") refuse_quoted(value, name, data)
    if (!is.null(value)) checks[[name]](value, n, data)
    if (name == "weights") value <- plain_weights(value)
    frame_call[[name]] <- value
  }
  frame_call
}

# Several responses by the code of each: cbind() names only those that are variables.
named_outputs <- function(y, terms) {
  code <- if (attr(terms, "response")) terms[[2L]]
  bare <- which(!nzchar(colnames(y) %||% character(NCOL(y))))
  if (!is.matrix(y) || !is.call(code) || !identical(code[[1L]], quote(cbind)) ||
      length(code) != ncol(y) + 1L) return(y)
  colnames(y) <- replace(colnames(y) %||% character(ncol(y)), bare,
                         vapply(as.list(code)[bare + 1L], deparse1, ""))
  y
}

# The `na.action` of formulas whose missing predictors are imputed: rows without a response or weight are left
# out.
keep_predictors <- function(frame) {
  left <- attr(attr(frame, "terms"), "response")
  needed <- c(if (isTRUE(left > 0)) left, which(names(frame) == "(weights)"))
  bad <- which(!stats::complete.cases(frame[needed]))
  if (!length(needed) || !length(bad)) return(frame)
  names(bad) <- row.names(frame)[bad]
  structure(frame[-bad, , drop = FALSE], terms = attr(frame, "terms"),
            na.action = structure(bad, class = "omit"))
}

# The terms of each variable, which has the name of its column in the model frame: R itself has the name in
# backticks where it is no word.
plain_factors <- function(terms) {
  factors <- attr(terms, "factors")
  if (!length(factors)) return(factors)
  rownames(factors) <- vapply(as.list(attr(terms, "variables"))[-1L], function(one) {
    paste(deparse(one, width.cutoff = 500L), collapse = " ")
  }, "")
  factors
}

# Terms without the variables that `- variable` has removed: new data need not have them.
used_terms <- function(terms) {
  factors <- plain_factors(terms)
  if (!length(factors) || !is.null(attr(terms, "offset"))) return(terms) # an offset is an error later
  used <- rowSums(factors) > 0
  used[attr(terms, "response")] <- TRUE
  if (all(used)) return(terms)
  left <- if (attr(terms, "response")) terms[[2]]
  kept <- stats::terms(stats::reformulate(attr(terms, "term.labels"), left, attr(terms, "intercept"),
                                          environment(terms)))
  if (!is.null(attr(terms, "predvars"))) {
    attr(kept, "predvars") <- attr(terms, "predvars")[c(TRUE, used)]
  }
  classes <- attr(terms, "dataClasses")
  attr(kept, "dataClasses") <- classes[!names(classes) %in% rownames(factors)[!used]]
  kept
}

# The variables of a model frame on the right-hand side.
predictors_of <- function(frame) {
  factors <- plain_factors(attr(frame, "terms"))
  if (length(factors)) frame[rownames(factors)[rowSums(factors) > 0]]
}

# The number of rows before any is left out; without a data frame, that of the variables.
data_rows <- function(frame_call, data, caller) {
  if (is.data.frame(data)) return(nrow(data))
  frame_call$subset <- frame_call$weights <- NULL
  frame_call$na.action <- quote(stats::na.pass)
  nrow(from_formula(eval(frame_call, caller), eval(frame_call$formula, caller), data))
}

# Refuses several matrices: a formula makes one view of all its columns, which would mix their views.
refuse_matrices <- function(formula, data, generic) {
  if (identical(generic, quote(mllkm))) return(invisible())
  names <- plain_variables(formula, data)
  values <- lapply(names, function(name) {
    (if (is.list(data)) data[[name]]) %||% get0(name, environment(formula))
  })
  names <- names[vapply(values, function(value) length(dim(value)) == 2L, NA)]
  if (length(names) < 2) return(invisible())
  mk_abort(sprintf(paste(
    "`formula` makes one view of all its columns, but %s are matrices. Give them as views,",
    "`%s(list(%s), y)`, or as one, `cbind(%s)`."
  ), enumerate(names), deparse(generic), paste(names, "=", names, collapse = ", "),
  paste(names, collapse = ", ")), "formula_views", "formula", names)
}

# The variables on the right-hand side that stand there by their names alone.
plain_variables <- function(formula, data) {
  right <- formula[[length(formula)]]
  if ("." %in% all.vars(right)) return(setdiff(names(data), all.vars(formula[[2]])))
  terms <- from_formula(stats::terms(stats::as.formula(call("~", right))))
  variables <- as.list(attr(terms, "variables"))[-1]
  as.character(Filter(is.name, variables))
}

# Variables from outside the data frame are matched to its rows, or to each other, by name.
match_variables <- function(frame, data, weights) {
  terms <- attr(frame, "terms")
  expressions <- c(as.list(attr(terms, "variables"))[-1], list(weights))
  columns <- c(seq_len(length(expressions) - 1L), match("(weights)", names(frame)))
  predictors_first <- order(columns == attr(terms, "response"))
  expressions <- expressions[predictors_first]
  columns <- columns[predictors_first]
  outside <- !is.na(columns) & !vapply(expressions, function(one) {
    any(looked_up(one) %in% names(data))
  }, NA)
  parts <- Map(function(column, one) {
    value_part(frame[[column]], paste(deparse(one), collapse = ""))
  }, columns[outside], expressions[outside])
  proper <- is.data.frame(data) && .row_names_info(data) > 0L
  rows <- if (proper) sample_part(row.names(frame), nrow(frame), "data", "rows")
  orders <- order_parts(parts, "formula", rows %||% reference_part(parts))
  for (k in which(!vapply(orders, is.null, NA))) {
    column <- columns[outside][k]
    frame[[column]] <- take_rows(frame[[column]], orders[[k]])
  }
  frame
}

# Errors of model frames with the classes of the package. formula, data: where variables are missing.
from_formula <- function(expr, formula = NULL, data = NULL) {
  tryCatch(expr, error = function(e) {
    if (inherits(e, "manykernels_error")) stop(e)
    unknown <- unknown_variables(formula, data)
    mk_abort(if (!length(unknown)) sprintf(
      "`formula` can't be evaluated: %s. Give terms that R can compute, with a value for each row.", reason_text(e)
    ) else if (is.null(data)) sprintf(
      "Give the data frame that has the variables of `formula` as `data`: '%s' not found.", unknown[1L]
    ) else sprintf("`formula`: '%s' not found: it is no column of `data`, which has %s.", unknown[1L],
                   enumerate(names(data), 10L)), "formula", "formula")
  })
}

# Names in a formula of what is neither in the data nor in the formula's environment.
unknown_variables <- function(formula, data) {
  known <- c(".", names(data))
  Filter(function(name) is.null(get0(name, environment(formula))), setdiff(looked_up(formula), known))
}

# Refuses a formula that leaves out all rows, as some variable is missing in each. frame_call: that of the
# model frame.
refuse_no_rows <- function(frame, frame_call, caller) {
  if (nrow(frame)) return(invisible())
  frame_call$na.action <- quote(stats::na.pass)
  whole <- eval(frame_call, caller)
  if (!nrow(whole)) {
    mk_abort("`data` must have rows: it has none, or `subset` chooses none.", "dimension", "data", 0L)
  }
  missing <- vapply(whole, function(column) mean(rowSums(is.na(as.matrix(column))) > 0), 0)
  worst <- names(sort(missing[missing > 0], decreasing = TRUE))
  left <- attr(attr(whole, "terms"), "response")
  if (left && missing[[left]] == 1) {
    mk_abort(sprintf("The response of `formula`, `%s`, must have values, but is missing in all rows.",
                     names(whole)[left]), "missing_values", "formula", worst)
  }
  worst <- setdiff(worst, names(whole)[left])
  mk_abort(sprintf(paste(
    "Leave variables with many missing values out of `data` and `formula`, as by `data$%s <- NULL`: a formula",
    "leaves out rows with NA, and no row has all of %s (%s is missing in %.0f %% of the rows)."
  ), code_name(worst[1L]), enumerate(worst), worst[1L], 100 * missing[[worst[1L]]]), "missing_values", "formula", worst)
}

# Refuses text and factors without any value, which rows that `impute` keeps may have.
refuse_no_levels <- function(levels) {
  none <- names(levels)[lengths(levels) == 0L]
  if (!length(none)) return(invisible())
  mk_abort(sprintf("Leave %s out of `data` and `formula`, as by `data$%s <- NULL`: it has no value in any row.",
                   enumerate(none), code_name(none[1L])), "missing_values", "formula", none)
}

# The rows of the data that a model frame has, where these aren't all of them.
used_rows <- function(frame, n) {
  rows <- frame[["(rows)"]]
  if (!identical(rows, seq_len(n))) list(n = n, used = rows)
}

# Arguments of a call with a value per row of the data, for the rows that are used. They are evaluated in the
# data, as weights are.
row_arguments <- function(call, names, data, parts, caller) {
  given <- intersect(names, names(call))
  every <- seq_len(nrow(parts$x))
  rows <- parts$memory$rows %||% list(n = length(every), used = every)
  lapply(stats::setNames(nm = given), function(name) {
    value <- given_value(eval(call[[name]], data, caller), name)
    refuse_quoted(value, name, data)
    value <- if (name == "folds") given_splits(value, rows$n, if (is.data.frame(data)) data) else value
    if (is_splits(value)) return(keep_splits(value, rows$used))
    value <- used_values(value, name, rows, if (is.data.frame(data)) data)
    # numbers are found in the design matrix
    warn_predictor(value, name, Filter(Negate(is.numeric), parts$predictors))
    value
  })
}

# Refuses rows that `subset` repeats: folds would hold out copies of rows that they train on.
refuse_repeated_rows <- function(rows) {
  if (!anyDuplicated(rows$used)) return(invisible())
  mk_abort(sprintf(paste(
    "`subset` repeats rows, such as row %d, and folds would hold out copies of rows that they train on.",
    "Give each row once, and how often it counts as `weights`."
  ), rows$used[anyDuplicated(rows$used)]), "invalid_argument", "subset", rows$used)
}

# One value for each row of the data, or for each row that is used; others as they are.
used_values <- function(value, name, rows, data) {
  one <- is.null(value) || (name == "folds" && length(value) == 1L) # their number
  if (one || !is.atomic(value) || length(value) == length(rows$used)) return(value)
  if (length(value) != rows$n) {
    mk_abort(sprintf("`%s` must have one value per row of the data (%d), not %d.", name, rows$n,
                     length(value)), "length", name, length(value))
  }
  if (!is.null(data) && .row_names_info(data) > 0L) {
    reference <- sample_part(row.names(data), rows$n, "data", "rows")
    value <- take_rows(value, sample_order(value_part(value, name), reference, name))
  }
  if (name == "group") check_group_known(value, at = rows$used)
  value[rows$used]
}

# The call of the user, in the fit and in each of its models.
with_call <- function(fit, call) {
  fit$call <- call
  in_parts(fit, with_call, call)
}

# Applies `change` to the models of a fit, or to the fit of a cross-validation.
in_parts <- function(fit, change, ...) {
  if (has_models(fit)) fit$models <- change_models(unclass(fit)$models, change, ...)
  if (inherits(fit, "cv_mkl") && !is.null(fit$fit)) fit$fit <- change(fit$fit, ...)
  fit
}

# Stores the parts of the formula that predictions need in the fit and in each of its models.
remember_formula <- function(fit, parts) {
  fit[names(parts)] <- parts
  in_parts(fit, remember_formula, parts)
}

# The design matrix of a model frame and what is needed to build it again for new data.
training_design <- function(frame, data_names, contrasts) {
  terms <- attr(frame, "terms")
  if (!is.null(stats::model.offset(frame))) {
    mk_abort(paste("`formula` must not contain an offset() term. In a regression subtract it from",
                   "the response instead."), "unsupported", "formula")
  }
  predictors <- stats::delete.response(terms)
  check_predictors(predictors_of(frame))
  factors <- vapply(frame, is.factor, NA)
  factors[attr(terms, "response")] <- FALSE
  frame[factors] <- lapply(frame[factors], levels_with_rows_first)
  levels <- stats::.getXlevels(predictors, frame)
  refuse_no_levels(levels)
  inform_one_level(levels)
  x <- predictor_matrix(predictors, frame, contrasts, levels)
  if (!ncol(x)) {
    mk_abort("`formula` has no predictors on its right-hand side.", "invalid_argument", "formula")
  }
  list(
    x = x, terms = light_terms(terms, data_names), xlevels = levels,
    contrasts = attr(x, "contrasts"),
    variables = predictor_variables(predictors, data_names, nrow(frame))
  )
}

check_predictors <- function(variables) {
  for (name in names(variables)) {
    refuse_dates(variables[[name]], name)
    refuse_case_weights(variables[[name]], name)
    refuse_long_integers(variables[[name]], name)
    if (is_identifier(variables[[name]])) abort_identifier(variables[[name]], name, "data")
  }
}

# Levels without rows stay, as in a data frame of predictors, but none of them is the reference level, whose
# rows are 0 in all indicators.
levels_with_rows_first <- function(x) {
  used <- levels(x) %in% x
  if (is.ordered(x) || !is.null(attr(x, "contrasts")) || used[1L] || !any(used)) return(x)
  factor(x, c(levels(x)[used], levels(x)[!used]))
}

inform_one_level <- function(levels) {
  one <- levels[lengths(levels) == 1L]
  if (!length(one)) return(invisible())
  mk_inform(sprintf(paste("Leave out %s, as in `y ~ . - %s`: a variable with a single level does not",
                          "distinguish rows."),
                    enumerate(names(one)), code_name(names(one)[1L])),
            "constant_column", "formula", names(one))
}

# levels: by variable. A variable with a single level has no contrasts: it becomes a column of ones.
predictor_matrix <- function(predictors, frame, contrasts, levels) {
  one <- names(levels)[lengths(levels) == 1L]
  frame[one] <- lapply(frame[one], function(column) ifelse(is.na(column), NA, 1))
  attr(predictors, "factors") <- plain_factors(predictors)
  x <- stats::model.matrix(predictors, frame, contrasts.arg = contrasts)
  kept <- x[, colnames(x) != "(Intercept)", drop = FALSE]
  rownames(kept) <- own_row_names(frame)
  structure(kept, contrasts = attr(x, "contrasts"), blocks = factor_terms(predictors, frame, x))
}

# Positions of the columns of each term of factors alone.
factor_terms <- function(predictors, frame, x) {
  factors <- attr(predictors, "factors")
  if (!length(factors)) return(NULL)
  category <- vapply(frame[rownames(factors)], function(one) {
    is.factor(one) || is.character(one) || is.logical(one)
  }, NA)
  own <- which(colSums(factors[!category, , drop = FALSE]) == 0)
  term <- attr(x, "assign")[colnames(x) != "(Intercept)"]
  lapply(own, function(k) which(term == k))
}

# Row names that aren't just the row numbers.
own_row_names <- function(frame) {
  names <- row.names(frame)
  if (!identical(names, as.character(seq_along(names)))) names
}

# The variables that new data must have. Without data these are vectors of the workspace; elements of a list
# there, such as `d$z`, can't be in new data.
predictor_variables <- function(predictors, data_names, n) {
  variables <- looked_up(attr(predictors, "variables"))
  if (!is.null(data_names)) return(intersect(variables, data_names))
  brought <- vapply(variables, function(name) {
    value <- get0(name, environment(predictors))
    !is.data.frame(value) && NROW(value) >= n && NROW(value) > 1
  }, NA)
  variables[brought]
}

# The variables of an expression that R looks up by name, without names after `$` or `@`.
looked_up <- function(expression) {
  if (is.name(expression)) return(Filter(nzchar, as.character(expression)))
  if (!is.call(expression)) return(character())
  parts <- as.list(expression)[-1]
  from <- if (is.name(expression[[1]])) as.character(expression[[1]]) else ""
  if (from %in% c("::", ":::")) return(deparse1(expression))
  if (from %in% c("$", "@")) parts <- parts[1]
  unique(unlist(lapply(parts, looked_up)))
}

# Refuses predictors whose values would come from the workspace, not from new data.
check_from_newdata <- function(predictors, newdata, argument) {
  expressions <- as.list(attr(predictors, "variables"))[-1]
  outside <- Filter(function(one) {
    names <- looked_up(one)
    length(names) && !any(names %in% names(newdata))
  }, expressions)
  if (!length(outside)) return(invisible())
  taken <- vapply(outside, deparse1, "")
  mk_abort(sprintf(paste(
    "Fit with the names of columns alone, as in `mkl(y ~ z, data = d)`: the formula takes %2$s from the",
    "workspace, so new values in `%1$s` would be ignored."
  ), argument, enumerate(taken)), "missing_columns", argument, taken)
}

# A formula keeps its environment, and with it everything there. If all its names have the same values in the
# global environment, that one is kept instead, so that fits stay small.
light_terms <- function(terms, data_names) {
  here <- environment(terms)
  names <- setdiff(all.names(terms, unique = TRUE), c(data_names, "."))
  same <- vapply(names, function(name) {
    identical(get0(name, envir = here), get0(name, envir = globalenv()))
  }, NA)
  if (all(same)) environment(terms) <- globalenv()
  terms
}

# New data for a fit made from a formula as a matrix, with NA where they have.
new_design <- function(object, newdata, argument = "newdata") {
  newdata <- plain_object(newdata)
  check_class(newdata, "data.frame", argument, "a data frame, as the fit came from a formula")
  missing <- setdiff(object$variables, names(newdata))
  if (length(missing)) {
    mk_abort(sprintf("`%s` lacks %s of the formula: %s.", argument,
                     count_of(length(missing), "variable"), enumerate(missing)),
             "missing_columns", argument, missing)
  }
  predictors <- stats::delete.response(object$terms)
  if (argument == "newdata") check_from_newdata(predictors, newdata, argument)
  kinds <- attr(predictors, "dataClasses") # that of the response among them, which new data may have in another form
  check_kinds(kinds[names(kinds) %in% object$variables], newdata, object$xlevels, argument)
  frame <- tryCatch({
    frame <- stats::model.frame(predictors, newdata, na.action = stats::na.pass,
                                xlev = object$xlevels)
    stats::.checkMFClasses(attr(predictors, "dataClasses"), frame)
    frame
  }, error = function(e) {
    mk_abort(sprintf("`%s` doesn't fit the formula: %s.", argument, conditionMessage(e)),
             "invalid_argument", argument)
  })
  for (name in names(frame)) refuse_long_integers(frame[[name]], paste0(argument, "$", name))
  predictor_matrix(predictors, frame, object$contrasts, object$xlevels)
}

# Refuses columns of another kind than in training. was: kinds by variable, as model.frame() names them.
check_kinds <- function(was, newdata, levels, argument) {
  for (name in intersect(names(was), names(newdata))) {
    column <- newdata[[name]]
    label <- paste0(argument, "$", name)
    text <- is.factor(column) || is.character(column)
    if (is.object(column) && !text || !is.null(dim(column)) || all(is.na(column))) next
    if (was[[name]] %in% c("factor", "ordered", "character")) {
      unknown <- if (text) setdiff(column[!is.na(column)], levels[[name]])
      if (length(unknown) && !is.null(levels[[name]])) abort_unknown_levels(unknown, label)
      if (text) next
      abort_argument(column, label, sprintf("a factor or text, as in training, such as \"%s\"",
                                            levels[[name]][1L]))
    } else if (text || was[[name]] == "logical" && !is.logical(column)) {
      code <- if (text) numbers_code(column, label) else sprintf("%s != 0", label)
      abort_argument(column, label, paste0(
        if (was[[name]] == "logical") "TRUE and FALSE" else "numbers", ", as in training",
        if (nzchar(code)) sprintf(", as by `%s`", code)
      ))
    }
  }
}

# The complete rows of a validation set as a formula has them.
formula_validation <- function(validation, memory, imputes) {
  if (!is.list(validation) || !is.data.frame(validation$x)) return(validation)
  x <- new_design(memory, validation$x, "validation$x")
  if (imputes) return(list(x = x, y = validation$y))
  complete <- stats::complete.cases(x)
  y <- validation$y
  if (NROW(y) == length(complete)) y <- take_rows(y, which(complete))
  list(x = x[complete, , drop = FALSE], y = y)
}

# Refuses a container as the data of a formula, which takes one table.
refuse_container <- function(data, call, caller) {
  package <- need_container(data, "data")
  if (is.null(package)) return(invisible())
  response <- all.vars(eval(call$formula, caller))[1L]
  named <- is.name(call$data) && !grepl("^[.][.][0-9]+$", call$data) # not the `..1` of a function around
  mk_abort(sprintf(paste(
    "Give the container as `x` and the name of a column of colData as `y`, as in `%s(%s, \"%s\")`:",
    "formulas are for data frames, and `data` is a %s."
  ), deparse1(call[[1L]]), if (named) deparse1(call$data) else "x", response, package),
  "formula", "data", package)
}

# Notes dropped samples in a fit.
note_dropped <- function(fit, samples) {
  if (is.null(samples$kept)) return(fit)
  dropped <- setdiff(seq_len(samples$n), samples$kept)
  names(dropped) <- samples$names[dropped]
  remember_formula(fit, list(na.action = structure(dropped, class = "omit"),
                             rows = dropped_rows(samples)))
}

# The rows that are used where samples were dropped, in the form of used_rows(); NULL where none were.
dropped_rows <- function(samples) {
  if (!is.null(samples$kept)) list(n = samples$n, used = samples$kept)
}
