# Bounds that two solved points of a path prove for all points between them, without new kernel values.
#
# Between the points a and b the dual variables alpha and the functions f are mixed: a share 1 - t of
# a's and t of b's, where t grows with C itself (over p: with u = 1/p). Boxes of dual variables are
# linear in C, so the mixture stays feasible. Its quadratic forms follow from those of a, of b and
# one form between them; losses, gains and norms at a few nodes are then exact. From node to node
# * the loss is convex in f, and the gain is concave in C and alpha together: chords bound both;
# * both norms obey the triangle inequality, and log norm_u(w) is convex in u = 1/p for a given w
#   (Littlewood): a chord of chords bounds them, which is a polynomial of second degree.
# The gap is thus bounded by a polynomial, which is nowhere larger than its largest Bernstein
# coefficient.

interval_pieces <- 16L # chords of an interval: what they add to its gap falls with their square

# ---- an interval ---------------------------------------------------------------------------------

# The relative gap that mixtures of points a and b have at most, over the groups of tasks, and the
# forms between them, a column for each group.
bound_interval <- function(path, a, b) {
  groups <- seq_along(path$groups)
  cross <- vapply(groups, function(g) {
    cross_forms(path$problem, a$results[[g]], b$results[[g]])
  }, numeric(length(a$results[[1]]$theta)))
  cross <- matrix(cross, ncol = length(groups))
  nodes <- path_nodes(path$axis, a$at, b$at)
  gap <- vapply(groups, function(g) {
    bound_group(path, path$groups[[g]], a$results[[g]], b$results[[g]], cross[, g], nodes)
  }, 0)
  list(gap = max(gap), cross = cross)
}

# alpha'K_m beta by polarisation.
cross_forms <- function(problem, first, last) {
  handle <- problem$handle
  wanted <- to_handle(rep(1L, length(first$theta)), handle)
  sum <- from_core(.Call(C_mk_forms, handle, first$alpha + last$alpha, wanted, FALSE,
                         thread_count(problem$settings$control)))
  sum <- from_handle(sum, handle)
  (sum - first$forms - last$forms) / 2
}

# Values of C or p at the nodes, and how much of b there is in the mixture.
path_nodes <- function(axis, a, b) {
  place <- seq(axis_place(axis, a), axis_place(axis, b), length.out = interval_pieces + 1L)
  at <- axis_value(axis, place)
  share <- (axis_mixing(axis, at) - axis_mixing(axis, a)) /
    (axis_mixing(axis, b) - axis_mixing(axis, a))
  list(at = at, share = pmin(pmax(share, 0), 1)) # rounding would make weights negative
}

bound_group <- function(path, group, first, last, cross, nodes) {
  t <- nodes$share
  sides <- node_sides(path, group, first, last, nodes)
  forms <- mixed_forms(first$forms, cross, last$forms, t)
  weights <- outer(first$theta, 1 - t) + outer(last$theta, t)
  functions <- mixed_forms(first$theta^2 * first$forms, first$theta * last$theta * cross,
                           last$theta^2 * last$forms, t)
  norms <- lapply(list(function_norm = functions / ifelse(weights > 0, weights, 1)^2,
                       dual_norm = forms), function(squares) {
    node_norms(path, nodes$at, weights, squares)
  })
  price <- norms$function_norm[, "function_norm", ]
  worth <- norms$dual_norm[, "dual_norm", ]
  lost <- end_roundings(list(first, last), sides, price[, "own"]^2 / 2, worth[, "own"]^2 / 2)
  relative_bound(sides, price, worth, lost)
}

# s_m of (1 - t) alpha + t beta, a column for each t.
mixed_forms <- function(first, cross, last, t) {
  pmax(outer(first, (1 - t)^2) + outer(cross, 2 * t * (1 - t)) + outer(last, t^2), 0)
}

# Loss at C = 1, C and gain of the mixture at each node.
node_sides <- function(path, group, first, last, nodes) {
  problem <- path$problem
  loss <- problem$settings$loss
  targets <- core_targets(problem$targets[, group, drop = FALSE], problem$response, loss)
  cost <- problem$cost[, group, drop = FALSE]
  mix <- function(field, t) (1 - t) * first[[field]] + t * last[[field]]
  each <- function(f) vapply(seq_along(nodes$at), f, 0)
  scale <- axis_cost(path$axis, nodes$at)
  list(
    scale = scale,
    loss = each(function(j) {
      decision <- mix("decision", nodes$share[j]) - threshold_of(loss$type)
      sum(cost * loss_values(loss, decision, targets, side_of(problem$response)))
    }),
    gain = each(function(j) {
      sum(gain_values(loss, scale[j] * cost, mix("alpha", nodes$share[j]), targets))
    })
  )
}

# Norms of the functions and of the forms' roots: of each node at its own p, and at that of the next
# and the last node. Over C these are the same.
node_norms <- function(path, at, weights, squares) {
  problem <- path$problem
  weights <- to_handle(weights, problem$handle)
  squares <- to_handle(squares, problem$handle)
  sides <- function(columns, value) {
    norm <- axis_norm(path$axis, problem$settings$norm, value)
    if (has_functions(norm)) {
      all <- lapply(list(weights, squares), from_handle, problem$handle)
      return(sqrt(as.matrix(list2DF(function_sides(norm, all[[1]], all[[2]])))))
    }
    norm <- core_norm(norm, problem$handle)
    sqrt(from_core(.Call(C_mk_sides, norm, weights[, columns, drop = FALSE],
                         squares[, columns, drop = FALSE])))
  }
  out <- array(0, c(length(at), 2, 3),
               list(NULL, c("function_norm", "dual_norm"), c("own", "next_node", "last_node")))
  if (path$axis$name == "C") {
    out[] <- sides(seq_along(at), at[1])
    return(out)
  }
  for (j in seq_along(at)) {
    out[j, , "own"] <- sides(j, at[j])
    if (j < length(at)) out[j, , "next_node"] <- sides(j, at[j + 1])
    if (j > 1) out[j, , "last_node"] <- sides(j, at[j - 1])
  }
  out
}

# Excess of the ends' certified values over those computed here, by rounding bounds and other differences.
end_roundings <- function(ends, sides, price, worth) {
  at <- c(1, length(price))
  primal <- sides$scale[at] * sides$loss[at] + price[at]
  dual <- sides$gain[at] - worth[at]
  max(pmax(vapply(ends, `[[`, 0, "primal") - primal, 0) +
        pmax(dual - vapply(ends, `[[`, 0, "objective"), 0))
}

# ---- polynomials of Bernstein coefficients, a row for each piece ---------------------------------

# The largest relative gap over all pieces.
relative_bound <- function(sides, price, worth, lost) {
  from <- seq_len(length(sides$loss) - 1)
  dual <- line_coefficients(sides$gain, from) - square_coefficients(worth, from) / 2
  primal <- product_coefficients(sides$scale, sides$loss, from) +
    square_coefficients(price, from) / 2
  gap <- apply(primal - dual, 1, max) + lost
  least <- apply(dual, 1, min) - lost # of the optimum, and so of the primal value
  max(ifelse(gap <= 0, 0, ifelse(least > 0, gap / least, Inf)))
}

# Bernstein coefficients of fourth degree.
line_coefficients <- function(x, from) {
  outer(x[from], c(4, 3, 2, 1, 0) / 4) + outer(x[from + 1], c(0, 1, 2, 3, 4) / 4)
}

product_coefficients <- function(x, y, from) {
  first <- x[from] * y[from]
  middle <- (x[from] * y[from + 1] + x[from + 1] * y[from]) / 2
  last <- x[from + 1] * y[from + 1]
  cbind(first, (first + middle) / 2, (first + 4 * middle + last) / 6, (middle + last) / 2, last)
}

# The square of a chord of chords.
square_coefficients <- function(norms, from) {
  first <- norms[from, "own"]
  middle <- (norms[from, "next_node"] + norms[from + 1, "last_node"]) / 2
  last <- norms[from + 1, "own"]
  cbind(first^2, first * middle, (first * last + 2 * middle^2) / 3, middle * last, last^2)
}
