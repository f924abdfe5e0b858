# The scaling of views as a choice of a cross-validation: which candidate the search goes on with.

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
