# The scaling of views as a choice of a cross-validation: each view standardised, as it is given, or by
# normal scores.

scale_words <- c("standard", "as_given", "normal_scores")

# The candidates that treat all views alike, each as mkl() takes it; an empty list where there is no
# choice. Views that other kernels than those of columns read stay standardised: their parameters may
# have the units of these columns.
scale_candidates <- function(views, kernels) {
  own <- scalable_views(views, kernels)
  if (!length(own)) return(list())
  lapply(stats::setNames(nm = scale_words), function(word) {
    if (is_single(views)) word else vapply(own, function(name) view_scale(views[[name]], word), "")
  })
}

# Normal scores would fill a sparse view.
view_scale <- function(view, word) if (word == "normal_scores" && !is.matrix(view)) "standard" else word

column_types <- c("linear", "polynomial", "gaussian", "laplace", "arc_cosine", "precomputed")

scalable_views <- function(views, kernels) {
  own <- names(views)[vapply(plain_views(views), has_units, NA)]
  if (!inherits(kernels, "kernel_set")) return(own)
  other <- kernel_field(kernels, "view")[!kernel_field(kernels, "type") %in% column_types]
  if (anyNA(other)) character() else setdiff(own, other)
}

# Columns of which at least one is no indicator.
has_units <- function(view) {
  if (is_sequences(view)) return(FALSE)
  values <- if (is.matrix(view)) view else view@x
  any(values != 0 & values != 1)
}

# Tries the cells of `start` by all candidates, then one view after the other by those it doesn't have.
choose_scale <- function(search, start) {
  scales <- search$plan$scales
  if (length(scales) < 2L) return(search)
  cells <- do.call(rbind, lapply(seq_along(scales), function(k) cbind(start, scale = k)))
  search <- take_scale(try_cells(search, cells, "scaling"))
  views <- names(scales[[1L]])
  for (view in if (length(views) > 1L) views) search <- take_scale(vary_view(search, view))
  forget_others(search)
}

vary_view <- function(search, view) {
  at <- leader_of(search)
  if (is.null(at)) return(search)
  current <- search$plan$scales[[search$scale]]
  words <- unique(vapply(scale_words, view_scale, "", view = search$plan$raw[[view]]))
  scale <- integer()
  for (word in setdiff(words, current[[view]])) {
    value <- replace(current, view, word)
    k <- Position(function(one) identical(one, value), search$plan$scales)
    if (is.na(k)) {
      k <- length(search$plan$scales) + 1L
      search$plan$scales[[paste(names(value), "=", value, collapse = ", ")]] <- value
    }
    scale <- c(scale, k)
  }
  try_cells(search, data.frame(at, scale = scale), "scaling of a view")
}

# Goes on with the scaling of the least loss; of those that agree within the tolerance the first.
take_scale <- function(search) {
  worth <- cell_worth(search$results, search$judge$measures[[1L]]$larger)
  loss <- if (is.null(search$results$margin_loss)) -worth else
    replace(search$results$margin_loss, is.na(worth), NA)
  if (all(is.na(loss))) return(search)
  best <- min(loss, na.rm = TRUE)
  search$scale <- min(search$cells$scale[which(loss <= best + rounding_of(best, search$judge$tol))])
  search
}

# What is kept open of other scalings serves no more.
forget_others <- function(search) {
  open <- ls(search$run$kept)
  own <- startsWith(open, paste0(names(search$plan$scales)[search$scale], " "))
  rm(list = open[!own], envir = search$run$kept)
  search
}
