# Decision values of swapped rows as predict() gives them for rows that were swapped by hand.

# swap(newdata, donors): the new data with the unit's values of the donors.
expect_swapped <- function(fit, newdata, by, unit, swap, repeats = 2, tolerance = 1e-8, ...) {
  ns <- asNamespace("manykernels")
  part <- ns$new_part(fit, newdata, list(...), list(), repeats)
  swaps <- ns$open_swaps(part)
  found <- ns$importance_units(fit, by, newdata)
  donors <- part$donors(ns$unit_has(swaps, found$units[[unit]]))
  got <- ns$swapped_decision(swaps, found$units[[unit]])
  wanted <- do.call(rbind, lapply(seq_len(repeats), function(r) {
    as.matrix(predict(fit, swap(newdata, part$rows$number, part$rows$number[donors[, r]]), type = "decision"))[part$rows$number, , drop = FALSE]
  }))
  size <- max(abs(swaps$decision))
  testthat::expect_lt(max(abs(unname(got) - unname(wanted))) / size, tolerance)
  testthat::expect_gt(max(abs(got - rep(1, repeats) %x% swaps$decision)), 0)
}

# Rows take the values of others in one view, or in some columns of it.
swap_view <- function(view) function(newdata, rows, from) {
  if (is.character(newdata[[view]])) newdata[[view]][rows] <- newdata[[view]][from] else
    newdata[[view]][rows, ] <- newdata[[view]][from, , drop = FALSE]
  newdata
}

swap_columns <- function(columns, view = NULL) function(newdata, rows, from) {
  x <- if (is.null(view)) newdata else newdata[[view]]
  x[rows, columns] <- x[from, columns]
  if (is.null(view)) return(x)
  newdata[[view]] <- x
  newdata
}
