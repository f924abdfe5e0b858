# Checks of objects by the table of their fields (check-fields.R): methods check the objects that they are
# given, which may have been changed by hand, and read_model() the content of a file.

# The object of each class that passed its checks last, and what was made of it. The same object is
# recognised by the addresses of its parts, so a loop of predictions checks its fit once.
last_checked <- new.env(parent = emptyenv())

is_last_checked <- function(x, last = last_checked[[class(x)[1L]]]) {
  !is.null(last) && identical(x, last$object)
}

# A method's first line: the object must hold what its class says.
check_object <- function(x, argument = deparse1(substitute(x))) {
  if (!is_last_checked(x)) {
    check_whole(x, argument)
    assign(class(x)[1L], list(object = x), last_checked)
  }
  invisible(with_parent(x))
}

# What `make` makes of a checked object, for all calls with it.
made_once <- function(object, make) {
  if (!is_last_checked(object)) return(make(object))
  class <- class(object)[1L]
  if (is.null(last_checked[[class]]$made)) last_checked[[class]]$made <- make(object)
  last_checked[[class]]$made
}

check_whole <- function(x, argument) {
  class <- known_class(x)
  fields <- content_of(x, class)
  if (is.environment(fields) || !is.list(fields)) {
    abort_object(class, argument, sprintf("it must be a list, not %s", describe(fields)))
  }
  table <- object_fields[[class]]
  if (!is.null(table$version)) check_version(fields$version, argument)
  check_contents(fields, table, class, argument, new.env())
  for (one in parts_of(fields, class)) check_whole(one, argument)
  check_agreement(fields, names(table), class, argument)
}

# The content that the tables describe, for classes that keep a part of it in attributes.
content_of <- function(x, class) {
  if (class == "kernel_alignment") {
    if (!is.numeric(x)) return(list())
    return(c(list(values = matrix(as.vector(x), NROW(x))),
             attributes(x)[c("response", "view", "centred", "version")]))
  }
  if (class == "drop_view") return(c(own_fields(x), attributes(x)[c("measure", "version")]))
  own_fields(x)
}

# The class whose table applies; that of several models comes before all others.
known_class <- function(x) {
  known <- intersect(class(x), names(object_fields))
  c(intersect(known, c("mkl_multioutput", "mkl_multiclass")), known)[1L]
}

# Fits within a fit.
parts_of <- function(fields, class) {
  parts <- switch(class,
    mkl_multiclass = , mkl_multioutput =
      if (is_packed(fields$models)) list(first_model(fields)) else fields$models,
    mkl_model = , summary.mkl = , cv_mkl = fields["fit"],
    summary.cv_mkl = fields["cv"],
    summary.permutation_importance = , summary.kernel_stability = fields["x"],
    summary.mkl_path = fields["path"],
    mkl_comparison = fields$fits,
    summary.mkl_assessment = fields["assessment"]
  )
  parts <- Filter(Negate(is.null), parts)
  if (!all(vapply(parts, function(one) !is.na(known_class(one)), NA))) {
    abort_object(class, "object", "its fits must be fits")
  }
  parts
}

# sizes: the numbers that letters stand for so far.
check_contents <- function(fields, table, class, argument, sizes, within = "") {
  for (name in names(table)) {
    value <- fields[[name]]
    spec <- table[[name]]
    label <- paste0(within, name)
    if (is.list(spec)) {
      if (!is.list(value)) abort_field(class, argument, label, "a list", value)
      check_contents(value, spec, class, argument, sizes, paste0(label, "$"))
    } else {
      check_content(value, spec, class, argument, label, sizes)
    }
  }
}

# Checks that concern several fields.
check_agreement <- function(fields, names, class, argument) {
  if ("loss_parameter" %in% names && !passes(check_loss(loss_of(fields)))) {
    abort_field(class, argument, "loss_parameter", "that of the loss", fields$loss_parameter)
  }
  if ("models" %in% names && "y" %in% names) check_joint(fields, class, argument)
  if ("order" %in% names && !fields$selected %in% c(0, seq_along(fields$order))) {
    abort_field(class, argument, "selected", "a number of steps of the path", fields$selected)
  }
  if ("order" %in% names && (anyDuplicated(fields$order) || any(fields$order > length(fields$theta)))) {
    abort_field(class, argument, "order", "different kernels", fields$order)
  }
  if ("data" %in% names && !all(names(fields$data$views) %in% names(fields$data$columns))) {
    abort_field(class, argument, "data$columns", "those of the views", fields$data$columns)
  }
  if (class == "mkl_path") check_path_points(fields, argument)
  if (class == "cv_mkl") check_cells(fields, argument)
  if (!all(c("y", "levels") %in% names)) return(invisible())
  y <- fields$y
  if (is.null(y) != (fields$loss == "one_class")) {
    abort_field(class, argument, "y", "the training response", y)
  }
  n <- NROW(fields$cost %||% first_model(fields)$cost)
  if (anyNA(y) && !is.factor(y)) abort_field(class, argument, "y", "without missing values", y)
  if (!is.null(y) && NROW(y) != n) abort_field(class, argument, "y", sprintf("of %d rows", n), y)
  if (!identical(if (is.factor(y)) levels(y), fields$levels)) {
    abort_field(class, argument, "levels", "those of the response", fields$levels)
  }
}

# Weights of several models are those of the models.
check_joint <- function(fields, class, argument) {
  models <- fields$models
  own <- if (is_packed(models)) unpack_each(models$parts$theta, length(models$names)) else
    lapply(models, function(one) unclass(one)[["theta"]])
  if (shares_weights(fields$strategy)) own <- own[1L]
  if (identical(as.double(unlist(own)), as.double(unlist(fields$theta)))) return(invisible())
  abort_field(class, argument, "theta", "that of the models", fields$theta)
}

check_path_points <- function(fields, argument) {
  if (is.numeric(fields$points[[fields$over]]) && nrow(fields$points) == nrow(fields$theta)) return()
  abort_field("mkl_path", argument, "points", "those of `theta`", fields$points)
}

# The columns of the grid and of all measures, and a row that is chosen.
check_cells <- function(fields, argument) {
  results <- fields$results
  measures <- vapply(fields$measures, `[[`, "", "name")
  if (!all(c(fields$tuned, names(fields$best)) %in% names(results)) || length(fields$tuned) == 0L ||
        !setequal(fields$tuned, names(fields$best))) {
    abort_field("cv_mkl", argument, "tuned", "names of columns of `results`", fields$tuned)
  }
  if (!has_numbers(results, setdiff(fields$tuned, c("class_weights", "scale", "set", "norm"))) ||
        !has_numbers(results, c(measures, paste0(measures, "_se")), is.numeric) ||
        !all(vapply(unclass(results)[fields$tuned], is.atomic, NA))) {
    abort_field("cv_mkl", argument, "results", "cells of the grid with all measures", results)
  }
  if (fields$best_row > nrow(results)) {
    abort_field("cv_mkl", argument, "best_row", "a row of `results`", fields$best_row)
  }
  if (!fields$measure %in% measures) {
    abort_field("cv_mkl", argument, "measure", "one of `measures`", fields$measure)
  }
  if (fields$rule == "margin" && !"margin_loss" %in% measures) {
    abort_field("cv_mkl", argument, "rule", "a rule whose measure is in `measures`", fields$rule)
  }
}

check_content <- function(value, spec, class, argument, label, sizes) {
  optional <- startsWith(spec, "?")
  if (optional && is.null(value)) return(invisible())
  words <- strsplit(sub("?", "", spec, fixed = TRUE), " ", fixed = TRUE)[[1L]]
  type <- field_types[[words[1L]]]
  holds <- tryCatch(isTRUE(type[[2L]](value)), error = function(e) FALSE)
  if (!holds || (is.null(value) && words[1L] != "any")) {
    abort_field(class, argument, label, type[[1L]], value)
  }
  size <- switch(words[1L], matrix = ncol(value), array = dim(value),
                 kernels = length(kernel_field(value, "name")),
                 models = length(if (is_packed(value)) value$names else value), length(value))
  for (k in seq_along(words)[-1L]) {
    wanted <- sizes[[words[k]]] %||% suppressWarnings(as.numeric(words[k]))
    found <- size[k - 1L]
    if (is.na(wanted)) assign(words[k], found, sizes) else if (!found %in% wanted) {
      abort_field(class, argument, label, sprintf("%s, %d of them", type[[1L]], as.integer(wanted)),
                  value)
    }
  }
}

abort_field <- function(class, argument, label, expected, value) {
  abort_object(class, argument, sprintf("its field `%s` must be %s, not %s", label, expected,
                                        describe(value)), value)
}

abort_object <- function(class, argument, why, value = NULL) {
  mk_abort(sprintf("`%s` is not what the package makes as an object of class \"%s\": %s.", argument,
                   class, why), c("invalid_object", "invalid_argument"), argument, value)
}

# ---- the fit that a method is about --------------------------------------------------------------

# Gives the fit to all rows of a cross-validation, the fit of a model that was read, or else the object
# itself. untrained: what a model that was read lacks for this method, as a file holds no training rows.
fit_within <- function(object, untrained = NULL, argument = deparse1(name)) {
  name <- substitute(object)
  object <- check_object(object, argument)
  if (inherits(object, "cv_mkl")) return(held_fit(object))
  if (!is.null(untrained) && was_read(object)) abort_read_model(argument, untrained)
  if (inherits(object, "mkl_model")) with_parent(object$fit) else object
}

# A model that was read, or the fit in it.
was_read <- function(object) inherits(object, "mkl_model") || identical(object$call, quote(read_model()))

refuse_path <- function(object, argument) {
  if (!inherits(object, "mkl_path")) return(invisible())
  abort_unsupported(argument, paste("Give a fit of mkl() at the `C` (or `p`) that you have chosen:",
                                    "a path has many."))
}

abort_read_model <- function(argument, what) {
  abort_unsupported(argument, sprintf(paste(
    "Use `predict()` and `kernel_weights()`: a model that was read has %s, as a file holds no training",
    "rows. Keep the fit itself by `saveRDS()` for these."
  ), what))
}

abort_no_newdata <- function() {
  mk_abort("`newdata` must be given: a model that was read has no training rows.", "invalid_argument",
           "newdata")
}

# Gives the fit of a cross-validation that has been checked.
held_fit <- function(cv) {
  if (!is.null(cv$fit)) return(with_parent(cv$fit))
  mk_abort("`object` has no fit to all rows: it failed.", "no_fit", "object")
}
