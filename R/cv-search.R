# The search of a cross-validation: which cells of the plan's space are fitted, round after round. Each
# round is made of grids of cells, which the engine fits as any other grid.

cv_searches <- c("adaptive", "grid")

# The axes of an adaptive search where the user gave none: C doubles, 1/p falls by eighths.
adaptive_C <- 2^(-10:15)
adaptive_p <- 8 / (8:0)

START_C <- 2^c(-1, 1, 3)           # where the search begins
START_C_TIMES <- 2^c(-7, -4, -1, 2) # censored times are often fitted best at small C
COARSE_STEP <- 2L                  # positions of the axis by which the first search along C goes on
START_P <- 2

# How to search where the user doesn't say: values of the grid that are given are that grid.
check_search <- function(search, model, given) {
  if (is.null(search)) {
    return(if (length(given) || !cv_models[[model]]$shares) "grid" else "adaptive")
  }
  search <- check_choice(search, cv_searches, "search")
  if (search == "adaptive" && !cv_models[[model]]$shares) {
    abort_unsupported("search", sprintf(paste("`search = \"adaptive\"` is for `model = \"mkl\"`; with \"%s\"",
                                              "it is \"grid\"."),
                                        model), search)
  }
  search
}

# values: as for cv_grid().
searched_values <- function(values) {
  if (!"C" %in% values$given) values$C <- adaptive_C
  if (!"p" %in% values$given) values$p <- adaptive_p
  values
}

# list(plan, outcomes): the cells that were tried over the resamples in `on`, as a plan of their own.
search_cells <- function(plan, run, on, judge) {
  cells <- data.frame(outer = integer(), inner = integer(), scale = integer(), search = character(),
                      waits = logical())
  search <- list(plan = plan, run = run, on = on, judge = judge, cells = cells, scale = 1L,
                 outcomes = rep(list(list()), length(on)))
  start <- coarse_cells(plan)
  search <- choose_scale(search, start[start$outer == start$outer[1L], ])
  if (is_adaptive(plan)) {
    search <- search |> search_along(start) |> try_balanced(start)
  } else {
    all <- expand.grid(inner = seq_along(plan$inner), outer = seq_along(plan$outer))
    search <- try_cells(search, all, "grid", race = FALSE)
  }
  plan <- search$plan
  plan$cells <- search$cells
  list(plan = plan, outcomes = lapply(search$outcomes, list))
}

# The rounds of an adaptive search with one scaling.
search_along <- function(search, start) {
  search |> try_cells(start, "coarse C") |> extend_costs() |> try_norms() |> refine_leader()
}

# The search goes on with the scaling chosen and balanced weights. They are another scaling to it: cells of
# both stand in the same positions.
try_balanced <- function(search, start) {
  if (!isTRUE(search$plan$weighs)) return(search)
  scales <- search$plan$scales
  if (length(scales)) search$plan$scales <- c(scales, scales[search$scale])
  search$scale <- max(length(scales), 1L) + 1L
  search$plan$weighting <- c(rep("equal", search$scale - 1L), "balanced")
  search_along(search, start)
}

# ---- rounds --------------------------------------------------------------------------------------

# Positions in the plan's `outer` that the search begins with: of each kernel set the p nearest to 2, or
# the first norm.
start_outer <- function(plan) {
  distance <- vapply(plan$outer, function(norm) {
    if (is.list(norm) && !is.null(norm$p)) abs(1 / norm$p - 1 / START_P) else 0
  }, 0)
  vapply(split(seq_along(plan$outer), plan$set), function(own) own[which.min(distance[own])], 0L,
         USE.NAMES = FALSE)
}

# Values of C that were given are all there is: every second one is tried first.
coarse_cells <- function(plan) {
  start <- if (is_times(plan$response)) START_C_TIMES else START_C
  known <- identical(plan$inner, adaptive_C)
  inner <- if (known) match(start, plan$inner) else seq(1L, length(plan$inner), by = COARSE_STEP)
  expand.grid(inner = inner, outer = start_outer(plan))
}

# Along the C of the leader, until it has neighbours on both sides or the axis ends.
extend_costs <- function(search) {
  repeat {
    at <- leader_of(search)
    if (is.null(at)) return(search)
    tried <- search$cells$inner[search$cells$outer == at$outer & search$cells$scale == search$scale]
    step <- if (at$inner == max(tried)) COARSE_STEP else if (at$inner == min(tried)) -COARSE_STEP else 0L
    beyond <- min(max(at$inner + step, 1L), length(search$plan$inner))
    if (beyond %in% tried) return(search)
    search <- try_cells(search, data.frame(outer = at$outer, inner = beyond), "extended C")
  }
}

# All norms of the leader's kernel set at its C, of the adaptive axis every second one.
try_norms <- function(search) {
  at <- leader_of(search)
  if (is.null(at)) return(search)
  plan <- search$plan
  sets <- which(tabulate(plan$set, length(plan$sets)) > 1L)
  set <- if (plan$set[at$outer] %in% sets || !length(sets)) plan$set[at$outer] else sets[1L]
  outer <- which(plan$set == set)
  p <- vapply(plan$outer[outer], function(norm) norm$p %||% NA_real_, 0, USE.NAMES = FALSE)
  if (identical(p, adaptive_p)) outer <- outer[seq(1L, length(outer), by = 2L)]
  try_cells(search, data.frame(outer = outer, inner = at$inner), "p")
}

# The neighbours of the leader, until it is none of them.
refine_leader <- function(search) {
  repeat {
    at <- leader_of(search)
    if (is.null(at)) return(search)
    search <- try_cells(search, neighbours_of(search$plan, at), "refined")
    if (identical(leader_of(search), at)) return(search)
  }
}

neighbours_of <- function(plan, at) {
  inner <- intersect(at$inner + c(-1L, 1L), seq_along(plan$inner))
  outer <- intersect(at$outer + c(-1L, 1L), which(plan$set == plan$set[at$outer]))
  data.frame(outer = c(rep(at$outer, length(inner)), outer),
             inner = c(inner, rep(at$inner, length(outer))))
}
