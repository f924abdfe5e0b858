# Several fits on the same rows: differences of their measures, in pairs.

# A row for each pair of fits and each measure. values: of each fit the draws of its measures, which are of
# the same rows.
compare_sets <- function(sets, values, rows, level) {
  pairs <- utils::combn(length(sets), 2L, simplify = FALSE)
  list_columns(unlist(lapply(pairs, function(pair) {
    lapply(seq_along(sets[[1L]]$measures), function(k) {
      of_measure <- lapply(sets[pair], function(set) {
        set$measures <- set$measures[k]
        set
      })
      drawn <- if (!is.null(values[[1L]])) {
        structure(values[[pair[1L]]][, k] - values[[pair[2L]]][, k], units = attr(values[[1L]], "units"))
      }
      c(list(fit = names(sets)[pair[1L]], with = names(sets)[pair[2L]],
             measure = sets[[1L]]$measures[[k]]$name),
        compare_measure(of_measure[[1L]], of_measure[[2L]], drawn, rows$group, level))
    })
  }), recursive = FALSE))
}

compare_measure <- function(a, b, drawn, group, level) {
  key <- if (is.matrix(a$response)) "" else measure_key(a$measures[[1L]])
  if (key == "concordance") {
    own <- lapply(list(a, b), concordance_influence)
    variance <- jackknife_variance(own[[1L]]$influence - own[[2L]]$influence, group)
    return(normal_difference(own[[1L]]$value - own[[2L]]$value, variance, level, "jackknife", group_freedom(group)))
  }
  if (key == "auc" && is.null(group) && !is.matrix(a$decision)) return(delong_difference(a, b, level))
  difference <- measure_values(a) - measure_values(b)
  found <- bootstrap_interval(difference, drawn, level, attr(drawn, "units"))
  # rates of rows that don't depend on the fit
  own <- if (key %in% c("accuracy", "sensitivity", "specificity")) lapply(list(a, b), rate_rows, key = key)
  exact <- !is.null(own[[1L]]) && is.null(group) && length(unique(a$weights)) == 1L
  among <- own[[1L]]$among
  p <- if (is.na(difference)) NA_real_ else if (exact) mcnemar_p(own[[1L]]$hit[among], own[[2L]]$hit[among]) else
    if (is.null(drawn) || (is.na(found$lower) && difference != 0)) NA_real_ else bootstrap_p(drawn)
  list(difference = difference, lower = found$lower, upper = found$upper, p_value = p,
       test = if (exact) "McNemar" else "bootstrap")
}

# The test of a difference with a known variance, which is 0 if predictions are in the same order. If they are
# not and it is 0 all the same, the rows don't show how the difference varies.
normal_difference <- function(difference, variance, level, test, df = Inf) {
  limits <- limits_apart(normal_limits(difference, variance, level, df))
  p <- if (variance %in% 0 && difference %in% 0) 1 else if (anyNA(limits)) NA_real_ else
    2 * stats::pt(-abs(difference) / sqrt(variance), df)
  list(difference = difference, lower = limits[1L], upper = limits[2L], p_value = p, test = test)
}

delong_difference <- function(a, b, level) {
  positive <- as.integer(a$truth) == 2L
  if (!has_both(positive)) return(normal_difference(NA_real_, NA_real_, level, "DeLong"))
  own <- lapply(list(a, b), function(set) auc_influence(set$decision, positive, set$weights))
  normal_difference(own[[1L]]$area - own[[2L]]$area,
                    delong_variance(own[[1L]]$influence - own[[2L]]$influence, positive), level, "DeLong")
}

# The exact test: under the null hypothesis both fits are equally likely to be right on rows where only one
# is.
mcnemar_p <- function(a, b) {
  only <- c(sum(a & !b), sum(b & !a))
  min(1, 2 * stats::pbinom(min(only), sum(only), 0.5))
}
