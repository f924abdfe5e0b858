# The points of a path: their places, their solution, and the test that there are enough of them.
#
# An axis is list(name, range): "C" (costs grow with it, the norm is fixed) or "p" (the other way
# round). Points stand at values of C or p; the walk goes along places, log C or 1/p, from the
# lowest to the highest. A point is list(at, results, ...) with one result of the core for each group
# of tasks that share kernel weights.

point_share <- 0.3 # of the path's tolerance is what its points are solved to
first_step <- c(C = 0.25, p = 0.05) # in places
gap_order <- 2.6 # an interval's gap grows with about this power of its width
aimed_share <- 0.7 # of the tolerance: what the next interval's gap should be
most_growth <- 6 # of a step
least_step <- 1e-4 # in places; narrower intervals are left as they are

# ---- a point -------------------------------------------------------------------------------------

# starts: lists of theta and alpha, one for each group, or NULL.
solve_point <- function(path, at, starts) {
  began <- seconds_now()
  problem <- path$problem
  problem$settings$norm <- axis_norm(path$axis, problem$settings$norm, at)
  results <- lapply(seq_along(path$groups), function(g) {
    group <- path$groups[[g]]
    cost <- axis_cost(path$axis, at) * problem$cost[, group, drop = FALSE]
    run_core(problem, problem$targets[, group, drop = FALSE], group_cost(problem, group, cost),
             starts[[g]], fits_left = length(path$groups) - g + 1)
  })
  list(at = at, results = results, gap = max(vapply(results, `[[`, 0, "gap")),
       seconds = seconds_now() - began)
}

# Starts beyond the last point, extrapolated from the last two: dual variables over C, within their boxes.
starts_beyond <- function(path, points, at) {
  last <- points[[length(points)]]
  # before the first point stands C = 0, where all dual variables are 0
  before <- if (length(points) > 1) points[[length(points) - 1]] else list(at = 0)
  place <- axis_place(path$axis, c(before$at, last$at, at))
  further <- (place[3] - place[2]) / (place[2] - place[1])
  lapply(seq_along(path$groups), function(g) {
    result <- last$results[[g]]
    result_before <- if (!is.null(before$results)) before$results[[g]]
    alpha <- result$alpha
    if (path$axis$name == "C") {
      alpha <- extended_alpha(path, path$groups[[g]], alpha, result_before$alpha %||% 0,
                              c(before$at, last$at, at))
    }
    start <- list(theta = point_theta(path, result$theta), alpha = alpha, decision = NULL)
    if (is.null(result_before)) return(start)
    change <- further * (result$decision - result_before$decision)
    theta <- result$theta + further * (result$theta - result_before$theta)
    list(theta = point_theta(path, theta), alpha = alpha, decision = result$decision + change,
         decision_error = mean(abs(change)))
  })
}

# Steps of sparse weights find those that are worth more than 0.
point_theta <- function(path, theta) {
  settings <- path$problem$settings
  sparse <- settings$norm$type == "lp" && identical(as.numeric(settings$norm$p), 1)
  if (sparse && is_default_optimizer(settings$control)) pmax(theta, 0) else feasible_theta(theta)
}

# last, before: dual variables; values: C of the point before, of the last and of the next.
extended_alpha <- function(path, group, last, before, values) {
  further <- (values[3] - values[2]) / (values[2] - values[1])
  alpha <- last + further * (last - before)
  reach <- point_reach(path, group, values[3], last)
  # on the side of zero where they are
  within <- ifelse(last > 0, pmin(pmax(alpha, 0), reach), pmax(pmin(alpha, 0), -reach))
  ifelse(last == 0, 0, within)
}

# Starts from the mixture of two points. Dual variables that are 0 or at their bounds in one of them are so
# here, since moving them there later would cost more.
starts_between <- function(path, a, b, at) {
  t <- mixture_share(path$axis, a$at, b$at, at)
  lapply(seq_along(path$groups), function(g) {
    first <- a$results[[g]]
    last <- b$results[[g]]
    reach <- function(at, alpha) point_reach(path, path$groups[[g]], at, alpha)
    alpha <- (1 - t) * first$alpha + t * last$alpha
    bound <- is_at_bound(last$alpha, reach(b$at, last$alpha)) |
      is_at_bound(first$alpha, reach(a$at, first$alpha))
    alpha <- ifelse(bound, sign(alpha) * pmin(reach(at, alpha), .Machine$double.xmax), alpha)
    alpha[first$alpha == 0 | last$alpha == 0] <- 0
    list(theta = point_theta(path, (1 - t) * first$theta + t * last$theta), alpha = alpha,
         decision = (1 - t) * first$decision + t * last$decision,
         decision_error = t * (1 - t) * mean(abs(last$decision - first$decision)))
  })
}

# The largest |alpha| of every row and task at a point.
point_reach <- function(path, group, at, alpha) {
  problem <- path$problem
  loss_reach(problem$settings$loss, axis_cost(path$axis, at) * problem$cost[, group, drop = FALSE],
             alpha, side_of(problem$response))
}

# ---- settled points ------------------------------------------------------------------------------

# Whether a point over C is settled: no dual variable is at its bound, and their gain doesn't depend on C. The
# pair is then equally good at every larger C.
is_settled <- function(path, point) {
  path$axis$name == "C" && all(vapply(seq_along(path$groups), function(g) {
    group <- path$groups[[g]]
    alpha <- point$results[[g]]$alpha
    if (any(is_at_bound(alpha, point_reach(path, group, point$at, alpha)))) return(FALSE)
    gains <- function(C) group_gains(path, group, C, alpha)
    isTRUE(all.equal(gains(point$at), gains(path$axis$range[2])))
  }, NA))
}

group_gains <- function(path, group, C, alpha) {
  problem <- path$problem
  targets <- core_targets(problem$targets[, group, drop = FALSE], problem$response, problem$settings$loss)
  gain_values(problem$settings$loss, C * as.vector(problem$cost[, group]), as.vector(alpha),
              as.vector(targets))
}

settled_start <- function(result, path) {
  list(theta = point_theta(path, result$theta), alpha = result$alpha, decision = result$decision,
       decision_error = 0)
}

# The least C beyond the point `last` that has room for the dual variables of `point`.
settled_from <- function(path, last, point) {
  share <- vapply(seq_along(path$groups), function(g) {
    alpha <- point$results[[g]]$alpha
    max(abs(alpha) / point_reach(path, path$groups[[g]], point$at, alpha), na.rm = TRUE)
  }, 0)
  max(point$at * max(share), axis_value(path$axis, axis_place(path$axis, last$at) + least_step))
}

# The pair of a point at another C.
point_again <- function(path, point, at) {
  began <- seconds_now()
  problem <- path$problem
  settings <- problem$settings
  results <- lapply(seq_along(path$groups), function(g) {
    group <- path$groups[[g]]
    result <- point$results[[g]]
    own <- certify_pair(
      problem$handle, to_handle(result$theta, problem$handle), result$alpha,
      core_targets(problem$targets[, group, drop = FALSE], problem$response, settings$loss),
      group_cost(problem, group, at * problem$cost[, group, drop = FALSE]),
      settings$loss, settings$intercept, settings$norm, thread_count(settings$control)
    )
    result$objective <- own$dual
    own$forms <- from_handle(own$forms, problem$handle)
    kept <- c("primal", "gap", "offset", "forms", "decision")
    result[kept] <- own[kept]
    result
  })
  list(at = at, results = results, gap = max(vapply(results, `[[`, 0, "gap")),
       seconds = seconds_now() - began)
}

is_at_bound <- function(alpha, reach) alpha != 0 & abs(alpha) >= reach * (1 - 1e-8)

mixture_share <- function(axis, a, b, at) {
  (axis_mixing(axis, at) - axis_mixing(axis, a)) / (axis_mixing(axis, b) - axis_mixing(axis, a))
}

# ---- the walk ------------------------------------------------------------------------------------

# Walks from the lowest place to the highest, in steps as long as the tolerance seems to allow. Returns the
# points (at least one), the intervals between them, and the status.
walk_path <- function(path, tell) {
  place <- axis_place(path$axis, path$axis$range)
  walk <- list(points = list(solve_point(path, path$axis$range[1], NULL)),
               intervals = list(), status = "converged")
  step <- first_step[[path$axis$name]]
  on <- place[1]
  while (on < place[2] && walk$status == "converged") {
    left <- place[2] - on
    on <- if (left < 1.5 * step || is_settled(path, last_of(walk$points))) place[2] else on + step
    at <- if (on == place[2]) path$axis$range[2] else axis_value(path$axis, on)
    width <- min(step, left)
    before <- length(walk$intervals)
    walk <- step_to(path, walk, at, tell)
    new <- walk$intervals[-seq_len(before)]
    if (length(new)) step <- next_step(path, new)
  }
  late <- is_late(path) && any(vapply(walk$intervals, `[[`, 0, "gap") > path$tol)
  if (walk$status == "converged" && late) stopped_walk(walk, "time_limit") else walk
}

is_late <- function(path) seconds_until(path$problem$settings$deadline) == 0

# Adds a point, and further points in the interval before it if they are needed.
step_to <- function(path, walk, at, tell) {
  if (is_late(path)) return(stopped_walk(walk, "time_limit"))
  last <- last_of(walk$points)
  settled <- is_settled(path, last)
  starts <- if (settled) lapply(last$results, settled_start, path) else
    starts_beyond(path, walk$points, at)
  point <- interruptible(solve_point(path, at, starts))
  if (is.null(point)) return(stopped_walk(walk, "interrupted"))
  tell(length(walk$points) + 1, at, point$gap)
  from <- if (settled) settled_from(path, last, point) else point$at
  if (diff(axis_place(path$axis, c(from, point$at))) > least_step) {
    first <- interruptible(point_again(path, point, from))
    if (is.null(first)) return(stopped_walk(walk, "interrupted"))
    walk <- close_interval(path, walk, last, first, tell)
    if (walk$status == "interrupted") return(walk)
    last <- first
  }
  close_interval(path, walk, last, point, tell)
}

last_of <- function(x) x[[length(x)]]

stopped_walk <- function(walk, status) {
  walk$status <- status
  walk
}

# NULL after an interrupt: the path so far is returned.
interruptible <- function(value) tryCatch(value, interrupt = function(condition) NULL)

# The interval between a (the last of the walk's points) and b, in two halves where mixtures are not
# good enough.
close_interval <- function(path, walk, a, b, tell) {
  bound <- interruptible(bound_interval(path, a, b))
  if (is.null(bound)) return(stopped_walk(walk, "interrupted"))
  place <- axis_place(path$axis, c(a$at, b$at))
  hopeless <- max(a$gap, b$gap) > path$tol || diff(place) < least_step
  if (bound$gap > path$tol && !hopeless && !is_late(path)) {
    at <- axis_value(path$axis, mean(place))
    middle <- interruptible(solve_point(path, at, starts_between(path, a, b, at)))
    if (is.null(middle)) return(stopped_walk(walk, "interrupted"))
    tell(length(walk$points) + 1, at, middle$gap)
    walk <- close_interval(path, walk, a, middle, tell)
    if (walk$status == "interrupted") return(walk)
    return(close_interval(path, walk, middle, b, tell))
  }
  walk$points <- c(walk$points, list(b))
  walk$intervals <- c(walk$intervals, list(c(bound, list(lower = a$at, upper = b$at,
                                                         width = diff(place)))))
  walk
}

# Chooses the next step by the gap of the last interval.
next_step <- function(path, intervals) {
  last <- intervals[[length(intervals)]]
  wanted <- aimed_share * path$tol
  last$width * min((wanted / max(last$gap, .Machine$double.xmin))^(1 / gap_order), most_growth)
}
