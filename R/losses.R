# Losses: constructors, what each asks of the response, their values, and what the core is told.

#' Losses
#'
#' What a model pays for its errors: the argument `loss` of [mkl()], as a name with the parameter's
#' default, or made by these constructors.
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
#' | `"one_class"` | no response | \eqn{\max(0, 1 - t)}{max(0, 1 - t)} |
#'
#' Fits standardise the response of a regression unless `scale = FALSE` ([scaling]): `epsilon` and
#' `delta` count standard deviations of `y`, as in e1071 and kernlab. With `scale = FALSE` they are in
#' the units of `y`.
#'
#' @param epsilon Half the width of the tube in which errors cost nothing, a non-negative number; 0
#'   is the absolute loss.
#' @param delta Where the Huber loss goes over from squares to absolute values, a positive number.
#' @return An object of class `mkl_loss`, a list with `type` and its parameter. Errors: class
#'   `manykernels_invalid_argument`.
#' @references
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

new_loss <- function(type, ...) structure(list(type = type, ...), class = "mkl_loss")

# In the order of the core's codes: what each loss is for, what it is called, how far |alpha| may
# go, as a multiple of C.
loss_table <- data.frame(
  type = c("hinge", "squared_hinge", "logistic", "squared", "epsilon_insensitive", "huber",
           "one_class"),
  classes = c(TRUE, TRUE, TRUE, TRUE, FALSE, FALSE, FALSE),
  numbers = c(FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, FALSE),
  text = c("hinge", "squared hinge", "logistic", "squared", "epsilon-insensitive", "Huber",
           "one-class"),
  reach = c(1, Inf, 1, Inf, 1, NA, 1)
)

loss_row <- function(type) loss_table[match(type, loss_table$type), ]

# NULL (to be chosen by the response) or an object of class `mkl_loss`.
check_loss <- function(loss) {
  if (is.null(loss)) return(NULL)
  if (inherits(loss, "mkl_loss")) return(remade_loss(loss))
  if (!is.character(loss) || length(loss) != 1L || !loss %in% loss_table$type) {
    abort_argument(loss, "loss", paste0("NULL, one of ",
                                        paste(dQuote(loss_table$type, FALSE), collapse = ", "),
                                        ", or made by epsilon_loss() or huber_loss()"))
  }
  if (loss == "epsilon_insensitive") epsilon_loss() else if (loss == "huber") huber_loss() else
    new_loss(as.vector(loss))
}

# The same by its constructor.
remade_loss <- function(x, argument = "loss") {
  type <- known_type(x, loss_table$type, argument, "a constructor of losses")
  fields <- without_type(x)
  switch(type,
    epsilon_insensitive = remade(fields, epsilon_loss, argument, "epsilon_loss()"),
    huber = remade(fields, huber_loss, argument, "huber_loss()"),
    remade(fields, function() new_loss(type), argument, "a constructor of losses")
  )
}

# The loss of a fit, and whether it is for classes, numbers or rows without response.
loss_of <- function(object) do.call(new_loss, c(object$loss, as.list(object$loss_parameter)))

kind_of <- function(object) {
  if (!is.null(object$levels)) "classes" else
    if (object$loss == "one_class") "one_class" else "numbers"
}

# What f must exceed for a row to be inside: decision values are f less this.
threshold_of <- function(loss) as.numeric(loss$type == "one_class")

# Of every row: V at the decision values, y as the core has it.
loss_values <- function(loss, decision, y) {
  switch(loss$type,
    hinge = pmax(0, 1 - y * decision),
    squared_hinge = pmax(0, 1 - y * decision)^2 / 2,
    logistic = pmax(-y * decision, 0) + log1p(exp(-abs(decision))),
    squared = (y - decision)^2 / 2,
    epsilon_insensitive = pmax(0, abs(y - decision) - loss$epsilon),
    huber = {
      size <- abs(y - decision)
      ifelse(size <= loss$delta, size^2 / 2, loss$delta * (size - loss$delta / 2))
    },
    one_class = pmax(0, -decision)
  )
}

# Of every row: what alpha gains in the dual, where `cost` is C_i; alpha is feasible.
gain_values <- function(loss, cost, alpha, y) {
  along <- y * alpha
  quadratic <- function() along - ifelse(cost > 0, alpha^2 / (2 * cost), 0)
  switch(loss$type,
    hinge = , one_class = along,
    squared_hinge = , squared = , huber = quadratic(),
    logistic = {
      u <- ifelse(cost > 0, pmin(pmax(along / cost, 0), 1), 0)
      entropy <- function(v) ifelse(v > 0, v * log(v), 0)
      -cost * (entropy(u) + entropy(1 - u))
    },
    epsilon_insensitive = along - loss$epsilon * abs(alpha)
  )
}

# The largest |alpha| of every row; Inf where the loss sets none.
loss_reach <- function(loss, cost) cost * if (loss$type == "huber") loss$delta else
  loss_row(loss$type)$reach

core_loss <- function(loss, intercept) {
  list(type = match(loss$type, loss_table$type) - 1L,
       parameter = as.double(loss$epsilon %||% loss$delta %||% 0), offset = intercept)
}

# Fits of older versions have no field of their own for the offset.
has_intercept <- function(object) object$intercept %||% TRUE

# "hinge loss, C = 1", "Huber loss (delta = 2), C = 1, no offset"
loss_text <- function(object) {
  loss <- loss_of(object)
  sprintf("%s, C = %s%s", format(loss), format(object$C),
          if (has_intercept(object) || loss$type == "one_class") "" else ", no offset")
}

#' @export
format.mkl_loss <- function(x, ...) {
  x <- remade_loss(x, "x")
  parameter <- unlist(without_type(x))
  paste0(loss_row(x$type)$text, " loss",
         if (length(parameter)) sprintf(" (%s = %s)", names(parameter), format(unname(parameter))))
}

#' @export
print.mkl_loss <- function(x, ...) {
  cat("Loss for multiple kernel learning: ", format(x), "\n", sep = "")
  invisible(x)
}
