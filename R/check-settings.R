# The settings that all models share, checked together. control: checked settings of the optimiser.

# For functions that fit each class as a problem of its own. schemes: those that they have.
check_separate <- function(multiclass, where, schemes = setdiff(multiclass_schemes, "joint")) {
  if (is.character(multiclass) && length(multiclass) == 1L && multiclass %in% setdiff(multiclass_schemes, schemes)) {
    abort_unsupported("multiclass", sprintf("Choose `multiclass` as %s: \"%s\" is not for %s.",
                                            paste(dQuote(schemes, FALSE), collapse = " or "), multiclass,
                                            where),
                      multiclass)
  }
  check_choice(multiclass, schemes, "multiclass")
}

check_settings <- function(p, C, loss, norm, normalize, class_weights, multiclass, control,
                           intercept, type = "auto") {
  norm <- check_norm(norm, p)
  check_serves(control$optimizer, norm)
  list(
    deadline = seconds_now() + control$max_time,
    p = norm$p %||% NA_real_,
    C = check_number(C, "C", lower = 0, lower_open = TRUE),
    loss = check_loss(loss),
    type = check_problem_type(type),
    norm = norm,
    normalize = check_normalize(normalize),
    class_weights = check_class_weights(class_weights),
    multiclass = check_choice(multiclass, multiclass_schemes, "multiclass"),
    control = control,
    intercept = if (!is.null(intercept)) check_flag(intercept, "intercept")
  )
}
