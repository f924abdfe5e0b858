# The response, the weights of its rows, and the two-class tasks made from it.

# Any accepted response to n rows of `data` as a factor without unused levels.
check_response <- function(y, n, data = "the data") {
  if (is.null(y)) {
    abort_unsupported("y", "`y` is missing: one-class machines are not available in this version.")
  }
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (length(dim(y)) == 1 || (is.matrix(y) && ncol(y) == 1)) y <- drop_dim(y)
  check_response_type(y)
  if (length(y) != n) {
    mk_abort(sprintf("`y` must have one value per row of %s (%d), not %d.", data, n, length(y)),
             "length", "y", length(y))
  }
  check_no_missing(y, "y")
  if (is.factor(y)) y <- drop_levels(y)
  distinct <- if (is.factor(y)) levels(y) else sort(unique(y))
  if (is.numeric(y) && length(distinct) > 2) {
    abort_unsupported("y", sprintf(paste(
      "`y` is numeric with %d distinct values: regression losses are not available in this",
      "version. Classification is: give a factor, character, logical or two-valued numeric `y`."
    ), length(distinct)))
  }
  if (length(distinct) < 2) {
    mk_abort(sprintf("`y` must have at least two classes, but every value is \"%s\".", distinct),
             "one_class", "y", as.character(distinct))
  }
  if (is.factor(y)) y <- as.character(y)
  factor(match(y, distinct), seq_along(distinct), value_labels(as.vector(distinct)))
}

# A column or an array of one dimension as a vector; a factor stays one.
drop_dim <- function(y) {
  dim(y) <- NULL
  y
}

# Different values get different labels, with as many digits as that takes.
value_labels <- function(distinct) {
  labels <- as.character(distinct)
  if (is.numeric(distinct) && anyDuplicated(labels)) sprintf("%.17g", distinct) else labels
}

abort_unsupported <- function(argument, message, value = NULL) {
  mk_abort(message, "unsupported", argument, value)
}

check_response_type <- function(y) {
  plain <- is.factor(y) || is.character(y) || is.logical(y) || (is.numeric(y) && !is.object(y))
  if (!plain || !is.null(dim(y))) {
    abort_argument(y, "y", "a factor or a character, logical or two-valued numeric vector")
  }
}

check_no_missing <- function(x, argument) {
  # a factor may have a level NA, made by addNA()
  bad <- which(if (is.numeric(x)) !is.finite(x) else is.na(as.character(x)))
  if (length(bad)) {
    mk_abort(sprintf(
      "`%s` must have no missing or infinite values, but has %d; the first is at %d.", argument,
      length(bad), bad[1]
    ), "missing_values", argument, bad)
  }
}

drop_levels <- function(y) {
  unused <- setdiff(levels(y), as.character(y))
  if (length(unused)) {
    mk_inform(sprintf("`y` has %s without cases, dropped: %s.",
                      count_of(length(unused), "level"), enumerate(unused)), "levels", "y", unused)
  }
  droplevels(y)
}

# Case weights: NULL for all 1, else one number >= 0 per row; every class needs some weight.
check_weights <- function(weights, response) {
  if (is.null(weights)) return(NULL)
  weights <- check_numbers(weights, "weights", lower = 0)
  if (length(weights) != length(response)) {
    mk_abort(sprintf("`weights` must have one value per row (%d), not %d.", length(response),
                     length(weights)), "length", "weights", length(weights))
  }
  empty <- levels(response)[tapply(weights, response, sum) == 0]
  if (length(empty)) {
    mk_abort(paste0("`weights` must not be zero for every case of a class, but are for ",
                    enumerate(empty), "."), "invalid_argument", "weights", empty)
  }
  weights
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

# ---- tasks ---------------------------------------------------------------------------------------

# A task is a two-class problem on the rows of the data: which levels are on either side (rows of
# other levels are left out), and what its own two levels are called.
two_class_tasks <- function(levels, strategy) {
  if (length(levels) == 2) return(list(new_task(levels[1], levels[2])))
  if (strategy != "ovo") {
    tasks <- lapply(levels, function(level) {
      new_task(setdiff(levels, level), level, paste("not", level))
    })
    return(stats::setNames(tasks, levels))
  }
  pairs <- utils::combn(levels, 2, simplify = FALSE)
  tasks <- lapply(pairs, function(pair) new_task(pair[1], pair[2]))
  stats::setNames(tasks, vapply(pairs, paste, "", collapse = pair_separator(levels)))
}

# One that no level contains: from "a:b" alone the levels of a pair can't be told.
pair_separator <- function(levels) {
  candidates <- c(":", " : ", " vs ", " <> ", " :: ")
  used <- vapply(candidates, function(one) any(grepl(one, levels, fixed = TRUE)), NA)
  c(candidates[!used], " <:> ")[1]
}

new_task <- function(negative, positive, negative_name = negative) {
  list(negative = negative, positive = positive, levels = c(negative_name, positive))
}

# +1, -1, or 0 for rows the task leaves out
task_signs <- function(task, response) {
  (response %in% task$positive) - (response %in% task$negative)
}

# The loss weight C_i of each row: C times case weight times class weight; 0 for rows left out.
task_cost <- function(signs, response, weights, class_weights, C) {
  cost <- if (is.null(weights)) rep(1, length(response)) else weights
  cost[signs == 0] <- 0
  if (identical(class_weights, "balanced")) {
    side <- ifelse(signs > 0, sum(cost[signs > 0]), sum(cost[signs < 0]))
    cost <- cost * sum(cost) / (2 * side)
  } else if (!is.null(class_weights)) {
    factors <- stats::setNames(rep(1, nlevels(response)), levels(response))
    factors[names(class_weights)] <- class_weights
    cost <- cost * unname(factors[as.character(response)])
  }
  C * cost
}

# Products of C and weights that leave the range of numbers would make every row count alike.
check_cost <- function(cost, signs, weights, class_weights) {
  sides <- rbind(colSums(ifelse(signs > 0, cost, 0)), colSums(ifelse(signs < 0, cost, 0)))
  if (all(is.finite(sides)) && all(sides > 0)) return(invisible())
  argument <- c(if (!is.null(weights)) "weights", if (!is.null(class_weights)) "class_weights", "C")
  mk_abort(sprintf(
    "%s must give finite loss weights, not all zero in a class, but the weight of a class is %s.",
    paste0("`", argument, "`", collapse = " times "),
    format(sides[!(is.finite(sides) & sides > 0)][1])
  ), "invalid_argument", argument[1])
}

task_response <- function(task, signs) {
  factor(ifelse(signs == 0, NA, task$levels[(signs > 0) + 1]), levels = task$levels)
}
