# Tasks of a response: a model is fitted to each.

# A task is a problem on the rows of the data. For classes it has the levels on either side (rows of other
# levels are left out), and names for its own two levels.
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

# A separator that no level contains, so that the levels of a pair can be found in its name.
pair_separator <- function(levels) {
  candidates <- c(":", " : ", " vs ", " <> ", " :: ")
  used <- vapply(candidates, function(one) any(grepl(one, levels, fixed = TRUE)), NA)
  c(candidates[!used], " <:> ")[1]
}

new_task <- function(negative, positive, negative_name = negative) {
  list(negative = negative, positive = positive, levels = c(negative_name, positive))
}

# The targets of a task: the numbers, 1 without a response, and for classes +1, -1, or 0 in rows that the task
# leaves out.
task_targets <- function(task, response, n) {
  if (is.null(response)) return(rep(1, n))
  if (!is.factor(response)) return(as.vector(response))
  side <- (levels(response) %in% task$positive) - (levels(response) %in% task$negative)
  targets <- as.double(side[response])
  replace(targets, is.na(targets), 0)
}

# The loss weight C_i of each row: C times case weight times class weight; 0 for rows left out. joint: whether
# the classes are balanced among all, not each against the others.
task_cost <- function(targets, response, weights, class_weights, C, joint = FALSE) {
  cost <- if (is.null(weights)) rep(1, length(targets)) else weights
  if (!is.factor(response)) return(C * cost)
  cost[targets == 0] <- 0
  if (identical(class_weights, "balanced")) {
    side <- if (joint) response else targets > 0
    cost <- cost * sum(cost) / (length(unique(side)) * stats::ave(cost, side, FUN = sum))
  } else if (!is.null(class_weights)) {
    factors <- stats::setNames(rep(1, nlevels(response)), levels(response))
    factors[names(class_weights)] <- class_weights
    cost <- cost * unname(factors[as.character(response)])
  }
  C * cost
}

# Refuses products of C and weights that overflow or underflow.
check_cost <- function(cost, targets, response, weights, class_weights) {
  classes <- is_classes(response)
  sides <- if (!classes) colSums(cost) else {
    rbind(colSums(replace(cost, targets <= 0, 0)), colSums(replace(cost, targets >= 0, 0)))
  }
  if (all(is.finite(sides)) && all(sides > 0)) return(invisible())
  argument <- c(if (!is.null(weights)) "weights", if (!is.null(class_weights)) "class_weights", "C")
  mk_abort(sprintf(
    "%s must give finite loss weights, not all zero%s, but %s is %s.",
    paste0("`", argument, "`", collapse = " times "), if (classes) " in a class" else "",
    if (classes) "the weight of a class" else "their sum",
    format(sides[!(is.finite(sides) & sides > 0)][1])
  ), "invalid_argument", argument[1])
}

# The response of a task: its own two levels, NA for rows left out.
task_response <- function(task, response) {
  response <- of_task(task, response)
  if (!is.factor(response)) return(response)
  targets <- task_targets(task, response)
  code <- 1L + (targets > 0)
  code[targets == 0] <- NA
  structure(as.vector(code), levels = task$levels, class = "factor")
}

# Targets of a fit: the same as task_targets() from its own response.
own_targets <- function(object) {
  switch(kind_of(object),
    classes = ifelse(is.na(object$y), 0, 2 * (as.integer(object$y) - 1.5)),
    numbers = standard_response(object$y, object$scaling$response),
    times = as.vector(standard_response(model_scale(object$y, loss_of(object)),
                                        object$scaling$response)),
    one_class = rep(1, length(object$alpha))
  )
}

# The response of one task: a factor, numbers, times, or NULL.
of_task <- function(task, response) {
  if (is.null(task$column)) return(response)
  own <- response[, task$column]
  if (is_labels(response)) label_factor(unname(own)) else unname(own)
}

# The loss of one task, for several quantiles that of its own.
task_loss <- function(task, loss) if (is.null(task$tau)) loss else quantile_loss(task$tau)

# One task for each column, or for each quantile; a single one has no name.
response_tasks <- function(response, loss, strategy) {
  if (is.factor(response)) return(two_class_tasks(levels(response), strategy))
  if (is.matrix(response)) {
    return(lapply(stats::setNames(nm = colnames(response)), function(column) {
      sides <- label_levels(response)
      c(if (is_labels(response)) new_task(sides[1], sides[2]), list(column = column))
    }))
  }
  if (length(loss$tau) > 1) {
    names <- vapply(loss$tau, format, "", digits = 15L)
    return(lapply(stats::setNames(loss$tau, names), function(tau) list(tau = tau)))
  }
  list(list(levels = NULL))
}
