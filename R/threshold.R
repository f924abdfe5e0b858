# The decision value beyond which the second level is predicted: 0, a number of the user's, or one that is
# chosen by decision values of rows that no fit has counted.

threshold_rules <- c("balanced", "youden")

check_threshold <- function(threshold) {
  if (is.null(threshold)) return(NULL)
  if (is_threshold_rule(threshold) && isTRUE(threshold %in% threshold_rules)) return(threshold)
  check_cut(threshold, "\"balanced\", \"youden\", or a decision value, a finite number")
}

check_cut <- function(threshold, expected) {
  if (!is.numeric(threshold) || length(threshold) != 1L || !is.finite(threshold)) {
    abort_argument(threshold, "threshold", expected)
  }
  as.double(threshold)
}

# A path has no decision values of rows held out at the step that is chosen.
check_pursuit_threshold <- function(threshold) {
  if (is.null(threshold)) return(NULL)
  if (is_threshold_rule(threshold) && isTRUE(threshold %in% threshold_rules)) {
    way_on <- paste("Use `cv_mkl(x, y, model = \"mkl_gomp\", threshold = \"%s\")`, which chooses it; mkl_gomp()",
                    "takes a number.")
    abort_unsupported("threshold", sprintf(way_on, threshold), threshold)
  }
  check_cut(threshold, "a decision value, a finite number")
}

# A threshold moves the boundary between two classes.
check_threshold_serves <- function(threshold, response) {
  if (is.null(threshold) || (is.factor(response) && nlevels(response) == 2L)) return(invisible())
  what <- if (is.factor(response)) sprintf("`y` has %d", nlevels(response)) else
    if (is_labels(response)) "`y` has several labels" else "`y` has none"
  advice <- if (is.factor(response)) "To give rare classes more weight, use `class_weights = \"balanced\"`" else
    "Leave it out, or give `y` as a factor of two classes"
  mk_abort(sprintf("`threshold` is for two classes, but %s. %s.", what, advice), "invalid_argument",
           "threshold", threshold)
}

is_threshold_rule <- function(threshold) is.character(threshold)

# Chooses by a rule among the values midway between decision values: "youden" has the largest sum of the
# shares of both classes that are predicted right, "balanced" the least difference of these shares; the other
# one decides between equals, then the distance from 0. signs: 1 or -1. 0 where a class is missing.
choose_threshold <- function(decision, signs, weights, rule) {
  positive <- signs > 0
  total <- c(sum(weights[positive]), sum(weights[!positive]))
  distinct <- sort(unique(decision))
  if (any(total == 0) || length(distinct) < 2L) return(0)
  step <- match(decision, distinct)
  below <- function(own) {
    sums <- rowsum(weights * own, step)
    utils::head(cumsum(sums[order(as.integer(rownames(sums)))]), -1L)
  }
  right <- 1 - below(positive) / total[1L]
  left <- below(!positive) / total[2L]
  cut <- (distinct[-1L] + distinct[-length(distinct)]) / 2
  criteria <- list(youden = -signif(right + left, 12L), balanced = signif(abs(right - left), 12L))
  other <- setdiff(names(criteria), rule)
  cut[order(criteria[[rule]], criteria[[other]], abs(cut))[1L]]
}

# The threshold of a fit of two classes; of others, and where none was asked for, 0.
fit_threshold <- function(object) object$threshold %||% 0
