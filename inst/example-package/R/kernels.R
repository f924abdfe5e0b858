# A kernel of rows of numbers. The pointer is made by a function, so that saved fits and worker
# processes can make it again.
intersection_kernel <- function(power = 1) {
  stopifnot(is.numeric(power), length(power) == 1, is.finite(power), power > 0)
  native_kernel(function() .Call(C_intersection_pointer, as.double(power)), "intersection")
}

# A kernel of objects that are no rows of numbers: its samples are positions in a collection, which C
# keeps ready for the kernel, and R keeps so that it can be built again. A graph is a list of `labels`
# (whole numbers, one for each node) and `edges` (a matrix with the two nodes of an edge in each row).
graph_collection <- function(graphs = list()) {
  collection <- new.env(parent = emptyenv())
  collection$graphs <- list()
  collection$pointer <- NULL
  add_graphs(collection, graphs)
  collection
}

# Returns the positions of the new graphs: what goes into `x` and `newdata`.
add_graphs <- function(collection, graphs) {
  first <- length(collection$graphs) + 1L
  collection$graphs <- c(collection$graphs, graphs)
  if (is_living(collection$pointer)) .Call(C_add_graphs, collection$pointer, lapply(graphs, codes))
  seq(first, length.out = length(graphs))
}

graph_kernel <- function(collection) {
  native_kernel(function() .Call(C_graph_pointer, living_collection(collection)), "edges")
}

# A fit that C asks for: y (1 or -1) belongs to the first graphs of the collection. Its kernels are powers
# of the cosine between graphs, so no view, scaling or normalisation is needed.
graph_fit <- function(collection, y, C = 1, p = 2, threads = 1L) {
  stopifnot(length(y) >= 1, length(y) <= length(collection$graphs), y %in% c(-1, 1))
  .Call(C_fit_graphs, living_collection(collection), as.double(y), as.double(C), as.double(p),
        as.integer(threads))
}

# The decision values of the graphs that follow those of the fit.
graph_decision <- function(fit, collection, threads = 1L) {
  stopifnot(length(fit$alpha) <= length(collection$graphs))
  .Call(C_predict_graphs, living_collection(collection), fit, as.integer(threads))
}

living_collection <- function(collection) {
  if (!is_living(collection$pointer)) {
    collection$pointer <- .Call(C_collection)
    .Call(C_add_graphs, collection$pointer, lapply(collection$graphs, codes))
  }
  collection$pointer
}

is_living <- function(pointer) !is.null(pointer) && .Call(C_is_living, pointer)

# The labels at both ends of each edge as one number, sorted.
codes <- function(graph) {
  ends <- matrix(graph$labels[graph$edges], ncol = 2)
  as.double(sort(pmin(ends[, 1], ends[, 2]) * 2^26 + pmax(ends[, 1], ends[, 2])))
}
