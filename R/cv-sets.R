# Kernel sets that a grid chooses between. They stand in one set, the plan's `kernels`, each by its
# positions there; NULL: all of them.

# list(kernels, sets, brief). brief: names of sets that are tried with the last norm alone.
kernel_choices <- function(kernels, raw, model) {
  if (is.null(kernels) && model == "mkl") return(default_choices(raw))
  several <- is.list(kernels) && !inherits(kernels, "kernel_set")
  if (!several) return(list(kernels = kernels, sets = list(NULL)))
  names <- set_names(kernels)
  sets <- Map(function(set, name) {
    resolve_kernels(check_kernel_set(set, paste0("kernels$", name)), raw)
  }, unname(kernels), names)
  all <- do.call(c, sets)
  first <- match(kernel_keys(all), kernel_keys(all)) # a kernel of two sets is there once
  kept <- which(first == seq_along(first))
  set <- factor(rep(names, lengths(sets)), names)
  list(kernels = all[kept], sets = split(match(first, kept), set))
}

# All sets as one, for what depends on all kernels; what isn't kernel sets is refused later.
join_sets <- function(kernels) {
  several <- is.list(kernels) && !is.object(kernels) && length(kernels) > 0
  sets <- several && all(vapply(kernels, inherits, NA, "kernel_set"))
  if (sets) do.call(c, unname(kernels)) else kernels
}

set_names <- function(kernels) {
  if (!length(kernels)) abort_argument(kernels, "kernels", "a kernel set, or a list of them")
  names <- names(kernels) %||% seq_along(kernels)
  if (anyDuplicated(names) || anyNA(names) || !all(nzchar(names))) {
    mk_abort("The kernel sets in `kernels` must have different names, or none.", "invalid_argument",
             "kernels", names)
  }
  as.character(names)
}

# The default kernels and a smooth set without narrow kernels. If nearly a plane separates the classes, narrow
# kernels do harm: they take weight because they fit the training rows by themselves. The norm hardly matters
# for the smooth set, whose kernels are nearly alike.
default_choices <- function(raw) {
  need_views(raw)
  kernels <- resolve_kernels(kernels_around(raw, 1), raw)
  width <- vapply(kernel_field(kernels, "parameters"), function(own) own$width %||% Inf, 0)
  smooth <- which(width >= SMOOTH_WIDTH)
  if (length(smooth) == length(kernels)) return(list(sets = list(NULL)))
  list(sets = list(all = NULL, smooth = smooth), brief = "smooth")
}

SMOOTH_WIDTH <- 4 # in medians of the squared distances: the two largest of default_kernels()

# Every set with every one of `outer`.
cross_sets <- function(grid, choices) {
  sets <- choices$sets
  last <- length(grid$outer)
  outer <- rep(list(seq_len(last)), length(sets))
  outer[names(sets) %in% choices$brief] <- last
  grid$outer <- grid$outer[unlist(outer)]
  if (length(sets) > 1) grid$tuned <- c("set", grid$tuned)
  c(grid, list(set = rep(seq_along(sets), lengths(outer)), sets = sets))
}

pick_set <- function(kernels, positions) if (is.null(positions)) kernels else kernels[positions]

# Returns the kernels of a set as the model's function takes them; NULL for its defaults.
kernels_of_set <- function(plan, set) {
  positions <- plan$sets[[set]]
  if (!is.null(plan$kernels) || is.null(positions)) return(pick_set(plan$kernels, positions))
  all_kernels(plan)[positions]
}

# Resolves the kernels on the views of all rows, silently, as the plan has already given the messages.
all_kernels <- function(plan) {
  if (!is.null(plan$kernels)) return(suppressMessages(resolve_kernels(plan$kernels, plan$raw)))
  views <- standard_views(plan$raw, plan$settings$scale, plan$centred)
  default_handle(views, thread_count(plan$settings$control))$kernels
}
