# The response and the weights of its rows.

# Any accepted response to the rows of `samples`, in their order: a factor without unused levels for classes,
# a vector for numbers, times (see censored-times.R), a matrix for several responses (see outputs.R), NULL for
# none. The kind of problem is that of `type` or of the loss (NULL: not chosen yet); if neither decides, the
# values of y do.
check_response <- function(y, samples, loss = NULL, type = "auto") {
  type <- type %||% "auto"
  kind <- asked_kind(loss, type)
  check_response_given(y, loss, kind)
  if (is.null(y)) return(NULL)
  if (is_variable(y, samples)) {
    samples$response <- y
    y <- take_variable(y, samples, "y")
  }
  y <- unlabelled(y, kind)
  if (inherits(y, "Surv")) y <- times_of_surv(y)
  if (is_times(y)) return(check_times(y, samples, loss, kind))
  if (is_outputs_table(y)) return(check_outputs_table(y, samples, loss, kind))
  y <- in_sample_order(y, samples, "y")
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (length(dim(y)) == 1 || (is.matrix(y) && ncol(y) == 1)) y <- drop_dim(y)
  check_response_type(y)
  check_value_count(y, samples, "y")
  y <- kept_values(y, samples)
  check_no_missing(y, "y", samples)
  check_summable(y, "y")
  if (is_numbers(y, loss, kind)) {
    if (kind == "auto" && is.null(loss)) inform_regression(y)
    return(as.double(y))
  }
  check_classes_asked(y, loss, kind)
  check_numbers_as_classes(y, loss, type)
  if (is.ordered(y)) inform_ordered(y)
  refuse_identifier_response(y)
  if (is.factor(y)) y <- drop_levels(y)
  distinct <- if (is.factor(y)) levels(y) else sort(unique(y))
  if (length(distinct) < 2) {
    mk_abort(sprintf("`y` must have at least two classes, but every value is \"%s\".%s", distinct,
                     if (is.numeric(y)) " For a regression give `type = \"regression\"`." else ""),
             "one_class", "y", as.character(distinct))
  }
  if (kind == "auto") inform_classes(y)
  if (is.factor(y)) y <- as.character(y)
  structure(match(y, distinct), levels = value_labels(as.vector(distinct)), class = "factor")
}

# ---- values with labels --------------------------------------------------------------------------

# Removes labels of packages haven and Hmisc: gives the classes that they name if each value has one and y
# decides the kind of problem, else the values.
unlabelled <- function(y, kind) {
  if (is.data.frame(y)) {
    y[] <- lapply(y, unlabelled, if (ncol(y) == 1L) kind else "regression")
    return(y)
  }
  if (!inherits(y, c("haven_labelled", "labelled", "AsIs")) || is.list(y)) return(y)
  if (inherits(y, "AsIs")) return(structure(y, class = setdiff(class(y), "AsIs")))
  labels <- attr(y, "labels", exact = TRUE)
  values <- without_user_missing(y)
  known <- unique(values[!is.na(values)])
  named <- length(labels) > 0L && all(known %in% labels)
  if (!(kind == "classification" || kind == "auto" && named)) return(values)
  levels <- sort(known)
  text <- names(labels)[match(levels, labels)]
  text[is.na(text)] <- as.character(levels)[is.na(text)]
  if (kind == "auto") inform_labelled(text)
  stats::setNames(factor(values, levels, text), names(values))
}

inform_labelled <- function(text) {
  mk_inform(sprintf(paste(
    "`y` has a label for each value (%s), so this is a classification; for a regression give",
    "`type = \"regression\"`."
  ), enumerate(text)), "classification", "y", text)
}

# ---- the kind of problem -------------------------------------------------------------------------

problem_types <- c("auto", "classification", "regression", "censored", "one_class")

# Types of other packages, with their names here.
types_elsewhere <- c(
  "C-svc" = "classification", "nu-svc" = "classification", "C-bsvc" = "classification",
  "spoc-svc" = "classification", "kbb-svc" = "classification", "C-classification" = "classification",
  "nu-classification" = "classification", classif = "classification", class = "classification",
  "eps-svr" = "regression", "nu-svr" = "regression", "eps-bsvr" = "regression",
  "eps-regression" = "regression", "nu-regression" = "regression", regr = "regression",
  "one-svc" = "one_class", "one-classification" = "one_class", survival = "censored"
)

check_problem_type <- function(type, choices = problem_types) {
  if (is.character(type) && length(type) == 1L && type %in% names(types_elsewhere)) {
    mk_abort(sprintf("`type` must be %s, not \"%s\": give `type = \"%s\"`.", choices_text(choices),
                     type, types_elsewhere[[type]]), "invalid_argument", "type", type)
  }
  check_choice(type, choices, "type")
}

# The kind of problem that `type` or the loss asks for; "auto": y decides.
asked_kind <- function(loss, type) {
  if (is.null(loss)) return(type)
  can <- loss_row(loss$type)
  if (is_custom(loss)) can[setdiff(c("classes", "numbers"), loss$response)] <- FALSE
  kinds <- c(if (can$classes) "classification", if (can$numbers) "regression",
             if (loss$type %in% problem_types) loss$type)
  if (type == "auto") return(if (length(kinds) == 1L) kinds else "auto")
  if (type %in% kinds) return(type)
  mk_abort(sprintf(paste(
    "`type` is \"%s\", but `loss` is the %s, which is for `type = \"%s\"`. Leave one of them out,",
    "or change it."
  ), type, format(loss), kinds[1L]), "invalid_argument", "type", type)
}

# The `type` of a response of a kind, as by response_kind().
type_of_kind <- function(kind) {
  switch(kind, classes = "classification", numbers = "regression", times = "censored",
         one_class = "one_class")
}

check_response_given <- function(y, loss, kind) {
  if (is.null(y) && !is.null(loss) && loss$type != "one_class") {
    mk_abort(sprintf("`y` must be given for %s; only the one-class loss works without it.",
                     format(loss)), "invalid_argument", "y")
  }
  if (is.null(y) && !kind %in% c("auto", "one_class")) {
    mk_abort(sprintf("`y` must be given for `type = \"%s\"`.", kind), "invalid_argument", "y")
  }
  if (!is.null(y) && kind == "one_class") {
    mk_abort(paste(if (is.null(loss)) "`y` must be left out for `type = \"one_class\"`:" else
      "`y` must be left out for the one-class loss:", "all rows count as one class.",
      "To separate classes, choose another", if (is.null(loss)) "`type`." else "loss."),
      "invalid_argument", "y", y)
  }
}

# Whether y is a regression's. If y decides, two values are classes, and so is a constant unless there is a
# loss.
is_numbers <- function(y, loss, kind) {
  if (!is.numeric(y)) return(FALSE)
  distinct <- length(unique(y))
  kind == "regression" || (kind == "auto" && (distinct > 2 || (distinct == 1 && !is.null(loss))))
}

# Numbers with more than two values are classes only with `type = "classification"`: a loss alone may be an
# oversight.
check_numbers_as_classes <- function(y, loss, type) {
  if (!is.numeric(y) || type == "classification") return(invisible())
  distinct <- length(unique(y))
  if (distinct < 3) return(invisible())
  mk_abort(sprintf(paste(
    "`loss` is the %s, for classes, but `y` is numeric with %d distinct values. Give a factor,",
    "or a loss for regression: \"epsilon_insensitive\", \"huber\" or \"squared\"."
  ), format(loss), distinct), "invalid_argument", "loss", loss)
}

# Settings that a response implies unless the user gave them.
default_loss <- function(response) {
  if (is.null(response)) new_loss("one_class") else
    if (is_classes(response)) new_loss("hinge") else
      if (is_times(response)) censored_loss() else epsilon_loss()
}

# A column or an array of one dimension as a vector; a factor stays one.
drop_dim <- function(y) {
  dim(y) <- NULL
  y
}

# Labels of values, with enough digits to make them different.
value_labels <- function(distinct) {
  labels <- as.character(distinct)
  if (is.numeric(distinct) && anyDuplicated(labels)) sprintf("%.17g", distinct) else labels
}

check_response_type <- function(y) {
  if (inherits(y, "formula")) {
    mk_abort(sprintf("Give the formula first, as in `%s(%s, data = data)`: as `y` it is no response.",
                     called_function(), deparse1(y)),
             "invalid_argument", "y", y)
  }
  refuse_dates(y, "y")
  plain <- is.factor(y) || is.character(y) || is.logical(y) || (is.numeric(y) && !is.object(y))
  if (!plain || !is.null(dim(y))) {
    abort_argument(y, "y", "a factor or a character, logical or numeric vector")
  }
}

# Informs that the order of more than two levels is not used; that of two determines the positive one.
inform_ordered <- function(y) {
  if (nlevels(y) < 3L) return(invisible())
  mk_inform(sprintf(paste(
    "`y` is an ordered factor; the order of its %d levels is not used. To use it, fit a regression",
    "to `as.integer(y)`, or one model for each threshold, such as `y > \"%s\"`."
  ), nlevels(y), levels(y)[1L]), "ordered", "y", levels(y))
}

drop_levels <- function(y) {
  if (all(tabulate(y, nlevels(y)) > 0) && !anyDuplicated(levels(y))) return(y)
  unused <- setdiff(levels(y), as.character(y))
  if (length(unused)) {
    mk_inform(sprintf("`y` has %s without cases, dropped: %s.",
                      count_of(length(unused), "level"), enumerate(unused)), "levels", "y", unused)
  }
  droplevels(y)
}

# Case weights: NULL for all 1, else one number >= 0 per row; every class needs some weight.
check_weights <- function(weights, response, samples) {
  if (is.null(weights)) return(NULL)
  weights <- without_class_names(plain_weights(weights), response, samples)
  weights <- in_sample_order(weights, samples, "weights")
  weights <- check_numbers(weights, "weights", lower = 0)
  check_value_count(weights, samples, "weights")
  weights <- kept_values(weights, samples)
  if (is.factor(response)) {
    empty <- levels(response)[tapply(weights, response, sum) == 0]
    if (length(empty)) {
      mk_abort(paste0("`weights` must not be zero for every case of a class, but are for ",
                      enumerate(empty), "."), "invalid_argument", "weights", empty)
    }
  } else if (all(weights == 0)) {
    mk_abort("`weights` must not all be zero.", "invalid_argument", "weights", 0)
  }
  if (is_labels(response)) check_labels_vary(response, weights > 0, "weights")
  if (is_times(response)) check_both_sides(response, weights > 0, "weights")
  weights
}

# Removes names of classes from weights that were looked up by class.
without_class_names <- function(weights, response, samples) {
  by_class <- length(names(weights)) && all(names(weights) %in% class_levels(response))
  if (!by_class || length(weights) == samples$n) return(if (by_class) unname(weights) else weights)
  mk_abort(sprintf(paste("`weights` must have one value per row of the data (%d), not %d; weights",
                         "of classes go into `class_weights`."), samples$n, length(weights)),
           "length", "weights", length(weights))
}

check_class_weights <- function(class_weights) {
  if (is.null(class_weights) || identical(class_weights, "balanced")) return(class_weights)
  named <- !is.null(names(class_weights)) && all(nzchar(names(class_weights)))
  if (!is.numeric(class_weights) || !named || anyDuplicated(names(class_weights))) {
    abort_argument(class_weights, "class_weights",
                   "NULL, \"balanced\" or a numeric vector named by level")
  }
  check_numbers(unname(class_weights), "class_weights", lower = 0, lower_open = TRUE)
  class_weights
}
