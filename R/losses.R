# Losses: constructors, the responses that they are for, their values, and their form in the core.

#' Losses
#'
#' The argument `loss` of [mkl()] determines how errors are penalised. It is a name, for the loss with
#' its default parameter, or an object made by one of these constructors.
#'
#' With decision value \eqn{t = f(x)} and response \eqn{y}, 1 or -1 for classes:
#'
#' | `loss` | for | \eqn{V(t, y)}{V(t, y)} |
#' | --- | --- | --- |
#' | `"hinge"` | classes | \eqn{\max(0, 1 - ty)}{max(0, 1 - ty)} |
#' | `"squared_hinge"` | classes | \eqn{\frac12\max(0, 1 - ty)^2}{max(0, 1 - ty)^2 / 2} |
#' | `"logistic"` | classes | \eqn{\log(1 + \exp(-ty))}{log(1 + exp(-ty))} |
#' | `"squared"` | classes, numbers | \eqn{\frac12(y - t)^2}{(y - t)^2 / 2} |
#' | `"epsilon_insensitive"`, `epsilon_loss()` | numbers | \eqn{\max(0, |y - t| - \epsilon)}{max(0, |y - t| - epsilon)} |
#' | `"huber"`, `huber_loss()` | numbers | \eqn{\frac12(y - t)^2}{(y - t)^2 / 2} where \eqn{|y - t| \le \delta}{|y - t| <= delta}, else \eqn{\delta(|y - t| - \delta/2)}{delta (|y - t| - delta/2)} |
#' | `"quantile"`, `quantile_loss()` | numbers | \eqn{\tau(y - t)}{tau (y - t)} where \eqn{t \le y}{t <= y}, else \eqn{(1 - \tau)(t - y)}{(1 - tau) (t - y)} |
#' | `"censored"`, `censored_loss()` | times | \eqn{\max(0, |y - t| - \epsilon)}{max(0, |y - t| - epsilon)}; 0 where \eqn{t \ge y}{t >= y} and the event comes after y, and where \eqn{t \le y}{t <= y} and it came before y |
#' | `"one_class"` | no response | \eqn{\max(0, 1 - t)}{max(0, 1 - t)} |
#' | `"multiclass_hinge"` | more than two classes, `multiclass = "joint"` | \eqn{\max(0, \max_{r \ne y} 1 + t_r - t_y)}{max(0, max over r != y of 1 + t_r - t_y)} |
#' | `custom_loss()` | classes or numbers | any convex V, by your own functions |
#'
#' Fits standardise the response of a regression unless `scale = FALSE` ([scaling]): `epsilon` and
#' `delta` count standard deviations of `y`, as in e1071 and kernlab. With `scale = FALSE` they are in
#' the units of `y`.
#'
#' Package \pkg{yardstick} has a function `huber_loss()`, too. With both packages attached, write
#' `loss = manykernels::huber_loss()`, or `loss = "huber"` for its default.
#'
#' @section Quantiles:
#' With the quantile (pinball) loss \eqn{f}{f} estimates the conditional quantile of level `tau`: about
#' that share of the responses lies below it (Koenker and Bassett 1978; with kernels Takeuchi et al.
#' 2006). `"quantile"` is the median. With several `tau`, [mkl()] fits one model for each, with kernel
#' weights of their own or shared ones (`multiclass = "shared"`). Predictions are a matrix with a column
#' for each `tau`. Such quantiles may cross; see [quantile_crossing()].
#' The share of training rows below \eqn{f}{f} is about `tau` for any `C`. That of new rows is not:
#' outer quantiles of a flexible model are too near to the middle, as those of `kernlab::kqr()` with
#' the same kernel are. Choose `C` and the kernels by [cv_mkl()], which measures the pinball loss, and
#' compare `tau` with the share of `$predictions` that lie above the response.
#'
#' @section Censored times:
#' This is the loss for a response `Surv(time, status)` of package survival. The model is a regression
#' of log time in which a censored row has a loss on one side only. A row without an event up to time y
#' has no loss if a later time is predicted (Shivaswamy, Chu and Jansche 2007). A left-censored row,
#' whose event came before y, has no loss if an earlier time is predicted. Times between two limits
#' (interval censoring) are not supported. The logarithm makes effects multiply the time, as in
#' accelerated failure time models, and keeps predicted times positive. `log = FALSE` models the times
#' as they are. Rows with events and censored rows have the same `epsilon`. Its default is that of
#' [epsilon_loss()]: 0.1 standard deviations of (log) time over all rows, with censored rows at their
#' censoring time. `epsilon = 0` is the loss of the paper.
#'
#' @section Losses of your own:
#' `custom_loss()` takes a convex loss as three functions, each of two vectors of one length that returns a
#' vector of that length: \eqn{V(t, y)}{V(t, y)}, its derivative in \eqn{t}{t} (at a kink any slope between
#' the left and the right one), and its conjugate \eqn{V^*(u, y) = \sup_t u t - V(t, y)}{V*(u, y) = sup over
#' t of u t - V(t, y)}, `Inf` where there is none. The loss must be finite for all t and have a lower
#' bound for each y, that is a finite \eqn{V^*(0, y)}{V*(0, y)}.
#'
#' The functions are checked on a grid of decision values: the derivative must not fall, `value` must lie
#' above its tangents, and \eqn{V(t, y) + V^*(u, y) - t u}{V(t, y) + V*(u, y) - t u} must be 0 at the derivative
#' and never less (Rifkin and Lippert 2007). `custom_loss()` checks at -1 and 1 for classes and at `y` for
#' numbers, and [mkl()] at the responses of the data.
#'
#' Values of primal, dual and gap count \eqn{V(t, y) - \min_t V(t, y)}{V(t, y) - min over t of V(t, y)}, which
#' for the loss of a likelihood is half the deviance. The optimiser works with piecewise quadratic losses
#' that it derives from `derivative`. The certificate of each fit and [duality_gap()] are computed from
#' `value` and `conjugate` themselves (Kloft et al. 2011, section 3, Equations 14 and 15). If it is not
#' within `tol`, the fit goes on with finer pieces. Fits never standardise the response. The fit keeps the
#' functions, with the environment that they were made in.
#'
#' Such losses work in [mkl()], [cv_mkl()] and [mkl_path()] and what takes their results. [cv_mkl()] chooses
#' by the loss itself for numbers. [mkl_sequential()] and [mllkm()] don't take them.
#'
#' @param epsilon Half the width of the tube in which errors cost nothing, a non-negative number; 0
#'   is the absolute loss.
#' @param delta The error at which the Huber loss changes from squares to absolute values, a positive
#'   number.
#' @param tau The level of the quantile, a number between 0 and 1, or several different ones, which are
#'   sorted.
#' @param log Whether to model the logarithm of time, `TRUE` or `FALSE`.
#' @param value,derivative A function of decision values t and responses y (-1 and 1 for classes; 1 stands for
#'   the second level), two numeric vectors of one length: \eqn{V(t, y)}{V(t, y)}, and its derivative in
#'   \eqn{t}{t}. It returns finite numbers.
#' @param conjugate A function of slopes u and responses y: \eqn{V^*(u, y)}{V*(u, y)}. It returns numbers,
#'   or `Inf`.
#' @param response What the loss is for, `"numbers"` or `"classes"`.
#' @param y For numbers: `NULL`, or responses at which the functions are checked at once, finite numbers.
#' @param name A word for the loss in prints, a string.
#' @return An object of class `mkl_loss`, a list with `type` and its parameters. Errors: class
#'   `manykernels_invalid_argument`, which for `custom_loss()` names the function, the response and the place
#'   where it is wrong. A loss for which there is no certificate is such an error, too, from the fit.
#' @references
#' Koenker, R. and Bassett, G. (1978). Regression quantiles. *Econometrica* **46**, 33--50.
#'
#' Shivaswamy, P. K., Chu, W. and Jansche, M. (2007). A support vector approach to censored targets.
#' *Seventh IEEE International Conference on Data Mining*, 655--660.
#'
#' Takeuchi, I., Le, Q. V., Sears, T. D. and Smola, A. J. (2006). Nonparametric quantile estimation.
#' *Journal of Machine Learning Research* **7**, 1231--1264.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 3; one class in
#' section 3.4).
#'
#' Rifkin, R. M. and Lippert, R. A. (2007). Value regularization and Fenchel duality. *Journal of
#' Machine Learning Research* **8**, 441--479 (losses and their duals).
#' @seealso [mkl()]
#' @examples
#' epsilon_loss(0.2)
#' fit <- mkl(mpg ~ wt + hp + qsec, mtcars, loss = huber_loss(2), C = 10)
#' cor(fitted(fit), mtcars$mpg)
#'
#' # about 80 % of the stopping distances lie between these two quantiles
#' band <- mkl(dist ~ speed, cars, loss = quantile_loss(c(0.1, 0.9)), C = 10)
#' predict(band, data.frame(speed = c(5, 15, 25)))
#'
#' # Poisson regression: f is the logarithm of the expected count
#' poisson <- custom_loss(
#'   value = function(t, y) exp(t) - y * t,
#'   derivative = function(t, y) exp(t) - y,
#'   conjugate = function(u, y) {
#'     v <- u + y
#'     ifelse(v > 0, v * log(pmax(v, 1e-300)) - v, ifelse(v < 0, Inf, 0))
#'   },
#'   y = c(0, 1, 10), name = "Poisson"
#' )
#' counts <- mkl(breaks ~ wool + tension, warpbreaks, loss = poisson)
#' counts$gap
#' tapply(exp(fitted(counts)), warpbreaks[c("wool", "tension")], mean) # expected breaks
#'
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   veteran <- survival::veteran
#'   times <- mkl(survival::Surv(time, status) ~ ., veteran, C = 0.1)
#'   predict(times, veteran[1:3, ], type = "time") # days
#' }
#' @name losses
NULL

#' @rdname losses
#' @export
epsilon_loss <- function(epsilon = 0.1) {
  new_loss("epsilon_insensitive", epsilon = check_number(epsilon, "epsilon", lower = 0))
}

#' @rdname losses
#' @export
huber_loss <- function(delta = 1) {
  new_loss("huber", delta = check_number(delta, "delta", lower = 0, lower_open = TRUE))
}

#' @rdname losses
#' @export
quantile_loss <- function(tau = 0.5) {
  tau <- check_distinct(tau, "tau", lower = 0, upper = 1, lower_open = TRUE, upper_open = TRUE)
  new_loss("quantile", tau = tau)
}

#' @rdname losses
#' @export
censored_loss <- function(epsilon = 0.1, log = TRUE) {
  new_loss("censored", epsilon = check_number(epsilon, "epsilon", lower = 0),
           log = check_flag(log, "log"))
}

#' @rdname losses
#' @export
custom_loss <- function(value, derivative, conjugate, response = "numbers", y = NULL, name = "custom") {
  check_given(c(value = missing(value), derivative = missing(derivative), conjugate = missing(conjugate)))
  functions <- list(value = value, derivative = derivative, conjugate = conjugate)
  for (one in names(functions)) {
    if (!is.function(functions[[one]])) {
      abort_argument(functions[[one]], one,
                     sprintf("a function of %s and y", loss_variable(one)))
    }
  }
  response <- check_choice(response, c("numbers", "classes"), "response")
  y <- if (response == "classes") c(-1, 1) else if (!is.null(y)) check_numbers(y, "y")
  loss <- do.call(new_loss, c("custom", functions, list(response = response, y = y,
                                                        name = check_string(name, "name"))), quote = TRUE)
  if (!is.null(y)) check_loss_functions(loss, y)
  loss
}

new_loss <- function(type, ...) {
  structure(list(type = type, ...), version = model_version, class = "mkl_loss")
}

joint_loss <- "multiclass_hinge" # of all classes together (`multiclass = "joint"`)

# Each loss has its number in the core, the responses that it is for, its name in prints, and the bound of
# |alpha| as a multiple of C (`reach`). In the core, quantile and censored losses are epsilon-insensitive ones
# with different weights on the two sides of y.
loss_table <- data.frame(
  type = c("hinge", "squared_hinge", "logistic", "squared", "epsilon_insensitive", "huber",
           "one_class", "quantile", "censored", joint_loss, "custom"),
  core = c(0L, 1L, 2L, 3L, 4L, 5L, 6L, 4L, 4L, 8L, 7L),
  classes = c(TRUE, TRUE, TRUE, TRUE, FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, TRUE),
  numbers = c(FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, FALSE, TRUE, FALSE, FALSE, TRUE),
  text = c("hinge", "squared hinge", "logistic", "squared", "epsilon-insensitive", "Huber",
           "one-class", "quantile", "censored", "multi-class hinge", "custom"),
  reach = c(1, Inf, 1, Inf, 1, NA, 1, 1, 1, 1, Inf)
)

is_joint_loss <- function(loss) identical(loss$type, joint_loss)

# Refuses one model of a fit with a joint loss, which is that of all its models.
refuse_alone <- function(object, argument) {
  if (!is_joint_loss(list(type = object$loss))) return(invisible())
  abort_unsupported(argument, paste("Give the whole fit, not one of its models: the multi-class hinge loss is",
                                    "that of all its classes together."))
}

loss_row <- function(type) lapply(loss_table, `[`, match(type, loss_table$type))

# NULL (to be chosen by the response) or an object of class `mkl_loss`.
check_loss <- function(loss) {
  if (is.null(loss)) return(NULL)
  if (inherits(loss, "mkl_loss")) return(remade_loss(loss))
  named <- setdiff(loss_table$type, "custom")
  if (!is.character(loss) || length(loss) != 1L || !loss %in% named) {
    abort_argument(loss, "loss", paste0("NULL, one of ", paste(dQuote(named, FALSE), collapse = ", "),
                                        ", or made by epsilon_loss(), huber_loss(), ",
                                        "quantile_loss(), censored_loss() or custom_loss()"))
  }
  switch(loss,
    epsilon_insensitive = epsilon_loss(), huber = huber_loss(), quantile = quantile_loss(),
    censored = censored_loss(), new_loss(as.vector(loss))
  )
}

# Makes the loss again by its constructor.
remade_loss <- function(x, argument = "loss") {
  type <- known_type(x, loss_table$type, argument, "a constructor of losses")
  fields <- without_type(x)
  switch(type,
    epsilon_insensitive = remade(fields, epsilon_loss, argument, "epsilon_loss()"),
    huber = remade(fields, huber_loss, argument, "huber_loss()"),
    quantile = remade(fields, quantile_loss, argument, "quantile_loss()"),
    censored = remade(fields, censored_loss, argument, "censored_loss()"),
    custom = remade(fields, custom_loss, argument, "custom_loss()"),
    remade(fields, function() new_loss(type), argument, "a constructor of losses")
  )
}

# The loss of a fit, and whether it is for classes, numbers, censored times or rows without response.
loss_of <- function(object) {
  do.call(new_loss, c(object$loss, as.list(object$loss_parameter)), quote = TRUE)
}

# The parameters of a loss: a named vector if each is one number, otherwise a list; NULL if it has none.
loss_parameter <- function(loss) {
  own <- without_type(loss)
  if (length(own) && all(lengths(own) == 1L) && all(vapply(own, is.double, NA))) unlist(own) else
    if (length(own)) own
}

kind_of <- function(object) {
  first <- first_model(object)
  if (!is.null(first$levels) || is_labels(first$y)) return("classes")
  switch(first$loss, one_class = "one_class", censored = "times", "numbers")
}

# The weights of the loss where f is below y and where it is above, as shares of C_i; NULL if both are equal.
# side: that of censored times (censored-times.R).
loss_sides <- function(loss, side) {
  switch(loss$type,
    quantile = list(below = loss$tau, above = 1 - loss$tau),
    censored = list(below = as.double(side >= 0), above = as.double(side <= 0))
  )
}

# Threshold that f must exceed for a row to be inside; decision values are f minus this.
threshold_of <- function(type) as.numeric(type == "one_class")

# Loss V of every row at the decision values; y is as in the core, `side` belongs to censored times.
loss_values <- function(loss, decision, y, side = NULL) {
  sides <- loss_sides(loss, side)
  switch(loss$type,
    hinge = pmax(0, 1 - y * decision),
    squared_hinge = pmax(0, 1 - y * decision)^2 / 2,
    logistic = pmax(-y * decision, 0) + log1p(exp(-abs(decision))),
    squared = (y - decision)^2 / 2,
    epsilon_insensitive = pmax(0, abs(y - decision) - loss$epsilon),
    quantile = , censored = {
      error <- y - decision
      ifelse(error > 0, sides$below, sides$above) * pmax(0, abs(error) - (loss$epsilon %||% 0))
    },
    huber = {
      size <- abs(y - decision)
      ifelse(size <= loss$delta, size^2 / 2, loss$delta * (size - loss$delta / 2))
    },
    one_class = pmax(0, -decision),
    multiclass_hinge = joint_values(decision, y),
    custom = {
      decision[] <- loss_function(loss, "value", decision, y) - least_loss(loss, y)
      decision
    }
  )
}

# The multi-class hinge loss of every row in the column of its class, whose y is 1, and 0 in the others. NA for
# the values of one class, which do not tell.
joint_values <- function(decision, y) {
  if (length(dim(decision)) != 2L) return(decision * NA)
  y * pmax(apply(decision + 1 - y, 1, max) - rowSums(y * decision), 0)
}

# Gain of every row's alpha in the dual; `cost` is C_i, alpha is feasible.
gain_values <- function(loss, cost, alpha, y) {
  along <- y * alpha
  quadratic <- function() along - ifelse(cost > 0, alpha^2 / (2 * cost), 0)
  switch(loss$type,
    hinge = , one_class = , quantile = , multiclass_hinge = along,
    squared_hinge = , squared = , huber = quadratic(),
    logistic = {
      u <- ifelse(cost > 0, pmin(pmax(along / cost, 0), 1), 0)
      entropy <- function(v) ifelse(v > 0, v * log(v), 0)
      -cost * (entropy(u) + entropy(1 - u))
    },
    epsilon_insensitive = , censored = along - loss$epsilon * abs(alpha),
    custom = {
      share <- ifelse(cost > 0, -alpha / cost, 0)
      ifelse(cost > 0, -cost * (loss_function(loss, "conjugate", share, y) + least_loss(loss, y)), 0)
    }
  )
}

# The bound of |alpha| of every row on the side of its sign; Inf for losses without a bound.
loss_reach <- function(loss, cost, alpha, side = NULL) {
  sides <- loss_sides(loss, side)
  share <- if (is.null(sides)) 1 else ifelse(alpha < 0, sides$above, sides$below)
  cost * share * if (loss$type == "huber") loss$delta else loss_row(loss$type)$reach
}

# Costs as the core takes them, a column for each loss.
core_cost <- function(cost, losses, side) {
  sides <- lapply(losses, loss_sides, side)
  if (is.null(sides[[1]])) return(cost)
  weighed <- function(which) {
    cost * vapply(sides, function(one) rep_len(one[[which]], nrow(cost)), numeric(nrow(cost)))
  }
  list(below = weighed("below"), above = weighed("above"))
}

# pieces: of a loss by custom_loss(), from loss_pieces().
core_loss <- function(loss, intercept, pieces = NULL) {
  list(type = loss_row(loss$type)$core,
       parameter = as.double(loss$epsilon %||% loss$delta %||% 0), offset = intercept, pieces = pieces)
}

is_custom <- function(loss) identical(loss$type, "custom")

refuse_custom <- function(loss, what) {
  if (!is_custom(loss)) return(invisible())
  abort_unsupported("loss", sprintf(
    "`loss` of %s can't be made by custom_loss(): give a named loss, or use mkl().", what
  ))
}

# "hinge loss, C = 1", "Huber loss (delta = 2), C = 1, no offset"
loss_text <- function(object) {
  loss <- loss_of(object)
  sprintf("%s, C = %s%s", format(loss), format(object$C),
          if (object$intercept || loss$type == "one_class") "" else ", no offset")
}

#' @export
format.mkl_loss <- function(x, ...) {
  x <- remade_loss(x, "x")
  if (is_custom(x)) return(paste(x$name, "loss"))
  parameter <- vapply(without_type(x), function(values) {
    paste(format(values, trim = TRUE, drop0trailing = TRUE), collapse = ", ")
  }, "")
  paste0(loss_row(x$type)$text, " loss", if (length(parameter)) {
    sprintf(" (%s)", paste(names(parameter), "=", parameter, collapse = ", "))
  })
}

#' @export
print.mkl_loss <- function(x, ...) {
  writeLines(text_lines(paste0("Loss for multiple kernel learning: ", format(x))))
  invisible(x)
}
