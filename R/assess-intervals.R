# Intervals of measures on new rows: by formula for rates, areas and the concordance, by the bootstrap for
# the rest.

# The name that a measure has in the table; "" for a user's function.
measure_key <- function(measure) {
  same <- vapply(measure_table, function(row) identical(row$f, measure$f), NA)
  c(names(measure_table)[same], "")[1L]
}

# Whether probabilities may matter to a measure.
reads_probability <- function(measure) measure$own || measure_table[[measure_key(measure)]]$probability

# list(estimate, lower, upper, interval) by formula, or NULL where there is none. group: codes, or NULL.
formula_interval <- function(measure, data, level, group) {
  key <- if (is.matrix(data$response)) "" else measure_key(measure)
  if (key == "concordance") return(jackknife_interval(data, level, group))
  if (!is.null(group)) return(NULL)
  if (key == "auc" && !is.matrix(data$decision)) return(delong_interval(data, level))
  rows <- rate_rows(key, data)
  if (!is.null(rows)) rate_interval(rows, data$weights, level)
}

# df: degrees of freedom of the variance.
normal_limits <- function(estimate, variance, level, df = Inf) {
  estimate + c(-1, 1) * stats::qt((1 + level) / 2, df) * sqrt(variance)
}

# Limits that are alike don't show how a value varies: NA.
limits_apart <- function(limits) {
  alike <- isTRUE(limits[2L] - limits[1L] <= rounding_of(max(abs(limits))))
  if (alike) c(NA_real_, NA_real_) else limits
}

# The normal interval of a measure in [0, 1], cut at its ends.
normal_interval <- function(estimate, variance, level, method, df = Inf) {
  limits <- limits_apart(pmin(pmax(normal_limits(estimate, variance, level, df), 0), 1))
  list(estimate = estimate, lower = limits[1L], upper = limits[2L], interval = method)
}

# ---- rates ---------------------------------------------------------------------------------------

# The rows that a rate is about, and which of them are hits; NULL for other measures. Means over several
# classes are no rates.
rate_rows <- function(key, data) {
  if (key == "inside") return(list(hit = data$response, among = rep(TRUE, length(data$response))))
  if (!is.factor(data$truth)) return(NULL)
  hit <- data$response == data$truth
  if (key == "accuracy") return(list(hit = hit, among = rep(TRUE, length(hit))))
  if (nlevels(data$truth) != 2L) return(NULL)
  among <- switch(key, sensitivity = as.integer(data$truth) == 2L, specificity = as.integer(data$truth) == 1L,
                  precision = as.integer(data$response) == 2L)
  if (!is.null(among)) list(hit = hit, among = among)
}

# Unequal weights tell as much as this number of rows of equal ones.
equal_weights <- function(weights) sum(weights)^2 / sum(weights^2)

# The number of independent rows that tell as much about the share of a class as rows in groups: fewer by the
# design effect (Kish 1965), at least as many as if a group were one row, at most as many as without groups.
equal_rows <- function(rows) {
  without <- equal_weights(rows$weight)
  if (is.null(rows$group)) return(without)
  least <- equal_weights(rowsum(rows$weight, rows$group))
  share <- sum(rows$weight * rows$positive) / sum(rows$weight)
  variance <- sandwich_variance(rows$weight * (rows$positive - share) / sum(rows$weight), rows$group)
  # a single group, or rows of one class, don't show the design effect
  if (is.na(variance) || share %in% c(0, 1)) return(least)
  max(least, min(without, share * (1 - share) / variance))
}

rate_interval <- function(rows, weights, level) {
  used <- weights[rows$among]
  if (!length(used)) return(list(estimate = NA_real_, lower = NA_real_, upper = NA_real_, interval = "Wilson"))
  share <- sum(used[rows$hit[rows$among]]) / sum(used)
  limits <- wilson_interval(share, equal_weights(used), stats::qnorm((1 + level) / 2))
  list(estimate = share, lower = limits[[1L]], upper = limits[[2L]], interval = "Wilson")
}

# ---- areas under the ROC curve -------------------------------------------------------------------

# Influence of each row on the area, after DeLong, DeLong and Clarke-Pearson (1988).
auc_influence <- function(scores, positive, weights) {
  value <- match(scores, sort(unique(scores)))
  # weight of smaller scores, and half of the equal ones
  below <- function(w) {
    sums <- as.vector(rowsum(w, value))
    (cumsum(sums) - sums / 2)[value]
  }
  sides <- c(sum(weights[!positive]), sum(weights[positive]))
  won <- ifelse(positive, below(weights * !positive) / sides[1L], 1 - below(weights * positive) / sides[2L])
  area <- sum((weights * won)[positive]) / sides[2L]
  list(area = area, influence = weights / sides[positive + 1L] * (won - area))
}

# Sums over either class, around the mean of that class.
delong_variance <- function(influence, positive) {
  sizes <- c(sum(!positive), sum(positive))
  if (any(sizes < 2L)) return(NA_real_)
  sum(influence[positive]^2) * sizes[2L] / (sizes[2L] - 1) +
    sum(influence[!positive]^2) * sizes[1L] / (sizes[1L] - 1)
}

has_both <- function(positive) any(positive) && !all(positive)

delong_interval <- function(data, level) {
  positive <- as.integer(data$truth) == 2L
  if (!has_both(positive)) return(normal_interval(NA_real_, NA_real_, level, "DeLong"))
  found <- auc_influence(data$decision, positive, data$weights)
  normal_interval(found$area, delong_variance(found$influence, positive), level, "DeLong")
}

# ---- concordance ---------------------------------------------------------------------------------

# The infinitesimal jackknife, as in package survival.
concordance_influence <- function(data) {
  pairs <- ordered_pairs(data$truth, data$decision, data$weights)
  concordance <- sum(pairs$right) / sum(pairs$known)
  list(value = concordance, influence = 2 * (pairs$right - concordance * pairs$known) / sum(pairs$known))
}

# influence: that of each row on a value. Rows, or groups, are the independent units; one alone shows no spread.
jackknife_variance <- function(influence, group) {
  sums <- if (is.null(group)) influence else rowsum(influence, group)
  if (length(sums) < 2L) NA_real_ else sum(sums^2)
}

sandwich_variance <- function(influence, group) {
  units <- if (is.null(group)) length(influence) else length(unique(group))
  jackknife_variance(influence, group) * units / (units - 1)
}

# Groups are few, rows mostly many.
group_freedom <- function(group) if (is.null(group)) Inf else max(1, length(unique(group)) - 1)

jackknife_interval <- function(data, level, group) {
  found <- concordance_influence(data)
  value <- if (is.nan(found$value)) NA_real_ else found$value
  normal_interval(value, jackknife_variance(found$influence, group), level, "jackknife", group_freedom(group))
}

# ---- the bootstrap -------------------------------------------------------------------------------

# For each data set a matrix with a row for each draw of rows (or whole groups) and a column for each of
# its measures. NULL where a single unit leaves nothing to draw.
bootstrap_values <- function(sets, group, draws) {
  progress <- share_progress("Bootstrap", getOption("manykernels.progress", interactive()))
  on.exit(progress$done())
  unit <- group %||% seq_along(sets[[1L]]$weights)
  units <- max(unit)
  if (units < 2L) return(NULL)
  size <- max(1, min(MOST_DRAWS, BLOCK_NUMBERS %/% length(unit)))
  counts <- lengths(split(seq_len(draws), ceiling(seq_len(draws) / size)))
  blocks <- Map(function(count, done) {
    times <- draw_units(units, count)[unit, , drop = FALSE]
    values <- lapply(sets, drawn_values, times)
    if (!is.null(progress$tell)) progress$tell(done / draws)
    values
  }, counts, cumsum(counts))
  lapply(seq_along(sets), function(k) {
    structure(do.call(rbind, lapply(blocks, `[[`, k)), units = units)
  })
}

MOST_DRAWS <- 100L # of a block, after which progress is told
BLOCK_NUMBERS <- 1e6 # of draws that are made at once times rows: 8 MB

# How often each of `size` units, 2 or more, is drawn: a matrix of units by draws, of doubles for its products.
draw_units <- function(size, draws) {
  vapply(seq_len(draws), function(k) tabulate(sample.int(size, size, TRUE), size), numeric(size))
}

# The values of all measures on a data set.
measure_values <- function(set, weights = set$weights) {
  vapply(set$measures, function(measure) {
    measure_value(measure, set$truth, set$response, set$decision, set$prob, weights,
                  set$training_outside, set$tau, set$loss)
  }, numeric(NCOL(weights)))
}

# Draws by measures. times: how often each row is drawn, rows by draws. A class has another column, `cases`,
# the share of its cases.
drawn_values <- function(set, times) {
  weights <- set$weights * times
  values <- vapply(seq_along(set$measures), function(k) {
    if (!set$drawn[k]) return(rep(NA_real_, ncol(times)))
    set$measures <- set$measures[k]
    if (set$measures[[1L]]$own) apply(times, 2L, own_drawn_value, set) else
      as.vector(measure_values(set, weights))
  }, numeric(ncol(times)))
  values <- matrix(values, ncol(times))
  if (is.null(set$class)) values else cbind(values, cases = mean_by(set$truth == "own", weights))
}

# A user's function gets each row as often as it is drawn. It may fail on a draw, as one that lacks a class:
# then the draw has no value.
own_drawn_value <- function(times, set) {
  set <- take_measured(set, rep(seq_along(times), times))
  tryCatch(measure_values(set), manykernels_measure = function(e) NA_real_)
}

take_measured <- function(set, rows) {
  fields <- c("truth", "response", "decision", "prob", "weights")
  set[fields] <- lapply(set[fields], function(x) if (!is.null(x)) response_rows(x, rows))
  set
}

# list(estimate, lower, upper, interval) by the values of draws; NULL: there are none.
bootstrap_interval <- function(estimate, values, level, units) {
  limits <- if (is.null(values) || is.na(estimate)) c(NA_real_, NA_real_) else
    percentile_limits(values, level, units)
  list(estimate = estimate, lower = limits[1L], upper = limits[2L], interval = "bootstrap")
}

# Percentiles, moved outwards as far as a t-interval is wider than a normal one with variance / n
# (Hesterberg 2015): the bootstrap is a little too narrow for few units.
percentile_limits <- function(values, level, units) {
  known <- values[!is.na(values)]
  if (length(known) < length(values) / 2) return(c(NA_real_, NA_real_))
  tail <- stats::pnorm(sqrt(units / (units - 1)) * stats::qt((1 - level) / 2, units - 1))
  limits_apart(stats::quantile(known, c(tail, 1 - tail), names = FALSE))
}

# Twice the share of draws on the other side of 0.
bootstrap_p <- function(values) {
  known <- values[!is.na(values)]
  if (length(known) < length(values) / 2) return(NA_real_)
  min(1, 2 * (1 + min(sum(known <= 0), sum(known >= 0))) / (length(known) + 1))
}

wilson_interval <- function(share, n, z = stats::qnorm(0.975)) {
  middle <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  list(pmax(middle - half, 0), pmin(middle + half, 1))
}
