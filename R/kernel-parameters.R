# Checks of kernels' parameters, by the constructors and again for sets that were made by hand.

# Parameters of one length; length one is repeated.
recycle_parameters <- function(..., class = "invalid_argument") {
  parameters <- list(...)
  size <- lengths(parameters)
  m <- max(size)
  odd <- which(size != 1L & size != m)
  if (length(odd)) {
    mk_abort(sprintf("`%s` must have length 1 or %d, as the longest argument, not %d.",
                     names(parameters)[odd[1L]], m, size[odd[1L]]),
             class, names(parameters)[odd[1L]], parameters[[odd[1L]]])
  }
  lapply(parameters, rep_len, m)
}

check_widths <- function(width) {
  width <- check_numbers(width, "width", 0, lower_open = TRUE)
  check_numbers(width, "width", 1 / .Machine$double.xmax) # 1 / width is finite
}

polynomial_parameters <- function(degree, scale, offset) {
  recycle_parameters(
    degree = as.double(check_counts(degree, "degree", upper = 100L)),
    scale = check_numbers(scale, "scale", 0, lower_open = TRUE),
    offset = check_numbers(offset, "offset", 0)
  )
}

check_lists <- function(parameters, needed) {
  fine <- vapply(parameters, function(own) is.list(own) && all(needed %in% names(own)), NA)
  if (all(fine)) return(invisible())
  refuse_field("parameters",
               paste("hold lists", if (length(needed)) paste("with", enumerate(needed, 5L))))
}

# The numbers of all kernels in one vector; each kernel must have `size` of them.
flat_parameters <- function(parameters, size) {
  flat <- unlist(parameters, use.names = FALSE)
  if (any(lengths(parameters) != size) || length(flat) != size * length(parameters)) {
    refuse_field("parameters", sprintf("hold %s for each kernel", count_of(size, "number")))
  }
  flat
}

# The limits of sizes of sets; NULL if every size is allowed.
check_limits <- function(min_size, max_size) {
  least <- as.double(check_count(min_size, "min_size"))
  most <- if (identical(max_size, Inf)) Inf else
    as.double(check_count(max_size, "max_size", lower = as.integer(least)))
  if (least > 1 || is.finite(most)) c(least, most)
}

local_maps <- c("exponential", "gaussian", "linear", "squared") # in the order of the core's numbers

check_maps <- function(map) {
  if (is.character(map) && length(map) && all(map %in% local_maps)) return(invisible())
  abort_argument(if (is.character(map)) setdiff(map, local_maps)[1L] else map, "map", paste0(
    "one or several of ", paste(dQuote(local_maps, FALSE), collapse = ", ")
  ))
}

are_scores <- function(x) {
  is.list(x) && is.matrix(x$vectors) && is_number(x$plain) && is_number(x$constant) &&
    length(x$weights) == ncol(x$vectors) && is.data.frame(x$spectrum)
}

check_network <- function(network) {
  fine <- is.list(network) && isTRUE(network$operator %in% names(network_operators)) &&
    is.numeric(network$values) && inherits(network$laplacian, "dgCMatrix")
  if (!fine) refuse_field("parameters", "hold networks")
}
