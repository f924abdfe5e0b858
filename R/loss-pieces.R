# Losses of users: checks of their three functions, and the tables of knots that the optimiser reads.

# The values of one of the functions at t (of "conjugate": at the slopes u), for responses y of that length.
# Conjugates may be Inf.
loss_function <- function(loss, which, t, y) {
  y <- rep_len(as.vector(y), length(t))
  out <- call_user(loss[[which]](as.vector(t), y), sprintf("The function `%s` of the loss", which),
                   "invalid_argument", which)
  bad <- !is.numeric(out) || length(out) != length(t) || anyNA(out) || any(out == -Inf) ||
    (which != "conjugate" && any(out == Inf))
  if (bad) {
    mk_abort(sprintf("`%s` must return a %snumber for each of the %d values of %s between %s and %s, not %s.",
                     which, if (which == "conjugate") "" else "finite ", length(t), loss_variable(which),
                     format(min(t)), format(max(t)),
                     if (is.numeric(out) && length(out) != length(t)) count_of(length(out), "value") else
                       describe(if (is.numeric(out)) out[!is.finite(out)][1] else out)),
             "invalid_argument", which, out)
  }
  as.double(out)
}

loss_variable <- function(which) if (which == "conjugate") "u" else "t"

# The least value of the loss at each response: the conjugate at 0 with the other sign.
least_loss <- function(loss, y) {
  y <- as.vector(y)
  least <- -loss_function(loss, "conjugate", numeric(length(y)), y)
  if (any(least == -Inf)) {
    mk_abort(sprintf(paste("The loss must have a lower bound: its `conjugate` at u = 0 is Inf for y = %s.",
                           "Change the loss, or the response."), format(y[least == -Inf][1])),
             "invalid_argument", "conjugate", y[least == -Inf][1])
  }
  least
}

# The t at which the loss of each response is least, or falls by a thousandth of what it does at 0.
loss_centres <- function(loss, y) {
  slope <- function(t) suppressWarnings(as.double(loss$derivative(t, y)))
  first <- loss_function(loss, "derivative", numeric(length(y)), y)
  falls <- function(t) {
    own <- slope(t)
    !is.na(own) & sign(own) == sign(first) & abs(own) > 1e-3 * abs(first)
  }
  near <- numeric(length(y))
  far <- -sign(first)
  for (k in 1:50) {
    going <- falls(far)
    if (!any(going)) break
    near[going] <- far[going]
    far[going] <- 2 * far[going]
  }
  for (k in 1:40) {
    middle <- (near + far) / 2
    going <- falls(middle)
    near[going] <- middle[going]
    far[!going] <- middle[!going]
  }
  far
}

# The decision values to expect: those of the least losses, and as many on either side.
loss_range <- function(loss, y) {
  y <- unique(as.vector(y))
  around <- range(loss_centres(loss, y))
  around + c(-1, 1) * (diff(around) + 2)
}

# ---- checks --------------------------------------------------------------------------------------

# Compares the functions on a grid, for at most 20 of the responses: the derivative must not fall, the loss must
# lie above its tangents, and value(t) + conjugate(u) - t u must be 0 at u = derivative(t) and nowhere less.
check_loss_functions <- function(loss, y) {
  y <- sort(unique(as.double(y)))
  y <- y[unique(round(seq(1, length(y), length.out = min(length(y), 20L))))]
  # A loss that is not convex may have its least values far away, where the grid sees no change of its slope.
  near <- grid_of(range(0, y) + c(-1, 1))
  for (one in y) check_rising(loss_function(loss, "derivative", near, one), near, one)
  least_loss(loss, y)
  t <- grid_of(loss_range(loss, y))
  n <- length(t)
  for (one in y) {
    at <- function(which, x) loss_function(loss, which, x, one)
    value <- at("value", t)
    slope <- at("derivative", t)
    room <- 1e-6 * (1 + abs(value) + abs(slope * t))
    refuse <- function(bad, argument, text) refuse_loss(bad, argument, text, t, one)
    check_rising(slope, t, one)
    step <- diff(t)
    rise <- diff(value)
    refuse(rise < slope[-n] * step - room[-1] | rise > slope[-1] * step + room[-1], "derivative",
           "be the derivative of `value`")
    own <- at("conjugate", slope)
    refuse(!(abs(value + own - t * slope) <= room), "conjugate",
           "be t * u - value(t, y) at u = derivative(t, y)")
    between <- c((slope[-1] + slope[-n]) / 2, 0)
    most <- apply(outer(t, between) - value, 2, max)
    refuse(at("conjugate", between) < most - c(room[-1], max(room)), "conjugate",
           "be at least t * u - value(t, y) at every u")
  }
}

grid_of <- function(range) seq(range[1], range[2], length.out = 61L)

check_rising <- function(slope, t, y) {
  refuse_loss(diff(slope) < -1e-8 * (1 + abs(slope[-1])), "derivative",
              "not fall as t rises, for the loss must be convex", t, y)
}

refuse_loss <- function(bad, argument, text, t, y) {
  if (!any(bad)) return(invisible())
  at <- t[which(bad)[1]]
  mk_abort(sprintf("`%s` must %s, but does not for y = %s near t = %s.", argument, text, format(y),
                   format(at, digits = 4)), "invalid_argument", argument, at)
}

# ---- knots ---------------------------------------------------------------------------------------

# The loss as the core takes it (src/problem/pieces.h): for each response y the derivative of V(y - t, y) as a
# piecewise linear function of t. Pieces are split until alpha from them costs at most `accuracy` of the
# loss at t and of `unit`. range: of the decision values.
loss_pieces <- function(loss, y, range, accuracy) {
  y <- sort(unique(as.vector(y)))
  slope <- function(t, row) -loss_function(loss, "derivative", y[row] - t, y[row])
  least <- least_loss(loss, y)
  above <- function(t, row) loss_function(loss, "value", y[row] - t, y[row]) - least[row]
  row <- rep(seq_along(y), each = 25L)
  t <- y[row] - rep(seq(range[2], range[1], length.out = 25L), length(y))
  a <- slope(t, row)
  unit <- loss_unit(loss, y, range)
  knots <- list(list(row = row, t = t, a = a))
  inner <- row[-1] == row[-length(row)]
  part <- list(row = row[-1][inner], low = t[-length(t)][inner], high = t[-1][inner],
               from = a[-length(a)][inner], to = a[-1][inner])
  while (length(part$row)) {
    # not the middle, where the deviation of a symmetric piece is 0
    width <- part$high - part$low
    t <- part$low + 0.43 * width
    a <- pmin(pmax(slope(t, part$row), part$from), part$to)
    rise <- part$to - part$from
    off <- a - (part$from + 0.43 * rise)
    cost <- ifelse(rise > 0, off^2 * width / rise, 0)
    split <- cost > accuracy * (unit + above(t, part$row)) &
      width > 1e-13 * (diff(range) + abs(part$low) + abs(part$high))
    part <- lapply(part, `[`, split)
    t <- t[split]
    a <- a[split]
    knots[[length(knots) + 1]] <- list(row = part$row, t = t, a = a)
    part <- list(row = c(part$row, part$row), low = c(part$low, t), high = c(t, part$high),
                 from = c(part$from, a), to = c(a, part$to))
  }
  tables_of_knots(y, knots, function(t, row) suppressWarnings(-as.double(loss$derivative(y[row] - t, y[row]))))
}

# The mean loss of the best constant, or else that at the end of the range.
loss_unit <- function(loss, y, range) {
  mean_loss <- function(f) mean(loss_function(loss, "value", rep(f, length(y)), y) - least_loss(loss, y))
  found <- stats::optimize(mean_loss, range)$objective
  if (found > 0) found else max(mean_loss(range[1]), mean_loss(range[2]), .Machine$double.eps)
}

tables_of_knots <- function(y, knots, slope) {
  field <- function(name) unlist(lapply(knots, `[[`, name))
  row <- field("row")
  order <- order(row, field("t"))
  row <- row[order]
  t <- field("t")[order]
  a <- stats::ave(field("a")[order], row, FUN = cummax)
  # slopes of 0: where they change their sign, or at the end where they fade away
  first <- !duplicated(row)
  last <- !duplicated(row, fromLast = TRUE)
  far <- 4 * (t[last] - t[first])
  open <- rbind(goes_on(slope, t[first], a[first], -far), goes_on(slope, t[last], a[last], far))
  open[1, a[first] > 0] <- open[2, a[last] < 0] <- FALSE
  a[first & a > 0] <- a[last & a < 0] <- 0
  crossing <- which(!last & a < 0 & c(a[-1], 0) > 0)
  row <- c(row, row[crossing])
  t <- c(t, t[crossing] - a[crossing] * (t[crossing + 1] - t[crossing]) / (a[crossing + 1] - a[crossing]))
  a <- c(a, numeric(length(crossing)))
  order <- order(row, t)
  kept <- order[c(TRUE, diff(row[order]) > 0 | diff(t[order]) > 0)]
  list(y = as.double(y), start = c(0L, cumsum(tabulate(row[kept], length(y)))), at = t[kept],
       slope = a[kept], open = as.integer(open))
}

# Whether the slope changes beyond the knots by more than 1 %.
goes_on <- function(slope, t, a, far) {
  beyond <- slope(t + far, seq_along(t))
  is.na(beyond) | abs(beyond - a) > 0.01 * abs(a)
}
