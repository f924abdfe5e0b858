# Classes of very different size: balanced class weights are a choice of the search beside equal ones, by the
# balanced accuracy.

RARE_SHARE <- 1 / 5   # of the rows, that the smallest class has at most
RARE_RATIO <- 1 / 2   # of the largest class, which a rare class is below: ten equal classes aren't rare

# The shares of the classes where one is rare, else NULL.
unequal_shares <- function(y) {
  if (!is.factor(y)) return(NULL)
  share <- stats::setNames(tabulate(y, nlevels(y)) / length(y), levels(y))
  if (min(share) <= RARE_SHARE && min(share) < RARE_RATIO * max(share)) share
}

# A plan whose search tries balanced weights, too, unless an argument of the user excludes it. A given grid
# has the given weights.
with_class_weights <- function(plan, measure) {
  open <- is.null(measure) || identical(measure, "balanced_accuracy")
  plan$weighs <- open && is_adaptive(plan) && !"class_weights" %in% names(plan$arguments) &&
    !is.null(unequal_shares(plan$response))
  if (plan$weighs) plan$tuned <- c("class_weights", plan$tuned)
  plan
}

# The words of cells, and the plan with the weights of one of them.
class_weights_of <- function(plan, scale) {
  weighting <- plan$weighting %||% "equal"
  ifelse(scale <= length(weighting), weighting[scale], "equal")
}

weigh_classes <- function(plan, scale) {
  if (isTRUE(plan$weighs) && class_weights_of(plan, scale) == "balanced") {
    plan$settings$class_weights <- plan$arguments$class_weights <- "balanced"
  }
  plan
}

# Weights of rows by which each class counts alike; case weights as they are where no class is rare.
judged_weights <- function(weights, plan, truth) {
  if (!isTRUE(plan$weighs)) return(weights)
  weights * balance_of(truth, weights)
}
