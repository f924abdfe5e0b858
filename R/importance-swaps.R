# Decision values of rows that take values of other rows, from kernel values: nothing is fitted again. A
# decision value is a sum over kernels. If a unit has all columns of a kernel, the kernel's terms of the rows
# change places. If it has some of them, distances and inner products of the rows to the support vectors
# change by the terms of these columns; kernels that have neither are evaluated anew.

# The fit and the rows of a part made ready. Its `donors` are a function(has) of the rows' swaps, where `has`
# says which rows have values to be swapped (NULL: all).
open_swaps <- function(part) {
  object <- part$object
  models <- swap_models(object)
  rows <- part$rows
  swaps <- list2env(list(object = object, models = models, rows = rows, newdata = part$newdata,
                         donors = part$donors, decision = decide_rows(object, models, rows)))
  swaps$bases <- if (!is_local(object)) lapply(models, swap_bases, rows = rows)
  swaps$handles <- if (!is_local(object)) lapply(models, evaluated_handle, rows = rows)
  swaps
}

is_local <- function(object) inherits(first_model(object), "mllkm")

# The models of a fit in the form that predictions take: those of mkl_gomp() are one for each output.
swap_models <- function(object) {
  if (!inherits(object, "mkl_gomp")) return(models_of(object))
  chosen <- seq_along(object$kernels) %in% object$order[seq_len(object$selected)]
  outputs <- dimnames(object$coefficients)[[2L]] %||% seq_len(dim(object$coefficients)[2L])
  models <- lapply(seq_along(outputs), function(t) {
    alpha <- if (any(chosen)) object$coefficients[, t, object$selected] else object$alpha * 0
    list(theta = stats::setNames(as.double(chosen), names(object$kernels)), kernels = object$kernels,
         constants = object$constants, missing_views = object$missing_views, control = object$control,
         data = data_of_views(object$data, kernel_field(
           leaf_kernels(pick_kernels(object$kernels, chosen)), "view"
         )),
         alpha = alpha, support = seq_along(alpha))
  })
  stats::setNames(models, outputs)
}

# Rows x models.
decide_rows <- function(object, models, rows) {
  if (inherits(object, "mkl_gomp")) {
    return(matrix(new_path_values(object, rows, object$selected), rows$n))
  }
  matrix(decide_all(models, rows), rows$n)
}

# The decision values of all repeats, (rows in the first, in the second, ...) x models.
swapped_decision <- function(swaps, unit) {
  donors <- swaps$donors(unit_has(swaps, unit))
  if (length(unit$variables)) return(swap_variables(swaps, unit$variables, donors))
  if (any(vapply(names(unit$columns), has_slow, NA, swaps, unit$columns))) {
    return(swap_anew(swaps, unit, donors))
  }
  change <- vapply(seq_along(swaps$models), function(k) {
    model_change(swaps, k, unit, donors) * (swaps$models[[k]]$scaling$response[["scale"]] %||% 1)
  }, numeric(length(donors)))
  rep(1, ncol(donors)) %x% swaps$decision + change
}

# Whether rows of swaps, or of a part, have the unit: a sample that lacks a view neither gives nor takes its
# values.
unit_has <- function(swaps, unit) {
  kernels <- first_model(swaps$object)$kernels
  views <- c(names(unit$columns), if (!is.null(unit$kernels) && !is_local(swaps$object)) {
    kernel_field(leaf_kernels(pick_kernels(kernels, unit$kernels)), "view")
  })
  has <- Filter(Negate(is.null), views_have(swaps$rows$views)[intersect(views, names(swaps$rows$views))])
  if (length(has)) Reduce(`&`, has)
}

# Changes of one model's decision values, before conversion to the response's units.
model_change <- function(swaps, k, unit, donors) {
  change <- matrix(0, nrow(donors), ncol(donors))
  if (any(unit$kernels)) {
    part <- kernels_part(swaps, k, unit$kernels)
    change <- change + part[donors] - part
  }
  for (view in names(unit$columns)) {
    change <- change + columns_change(swaps, k, view, unit$columns[[view]], donors)
  }
  change
}

# ---- whole kernels -------------------------------------------------------------------------------

# Contributions of the chosen kernels to the decision values.
kernels_part <- function(swaps, k, chosen) {
  model <- swaps$models[[k]]
  rows <- swaps$rows
  if (is_local(swaps$object)) return(swaps$decision[, k] / (model$scaling$response[["scale"]] %||% 1))
  chosen <- chosen & model$theta > 0 & length(model$support) > 0L
  value <- numeric(rows$n)
  if (!any(chosen)) return(value)
  evaluated <- evaluated_kernels(model)
  if (any(chosen[evaluated])) {
    theta <- unname(model$theta[evaluated]) * chosen[evaluated]
    value <- value + drop(from_core(.Call(C_mk_predict, swaps$handles[[k]], theta,
                                          matrix(unname(model$alpha[model$data$rows])),
                                          thread_count(model$control))))
  }
  for (m in which(chosen & kernel_field(model$kernels, "type") == "precomputed")) {
    value <- value + decide_precomputed(model, rows$matrices[[names(model$theta)[m]]], m)
  }
  if (any(chosen & is_scored(model))) {
    scored <- model
    scored$theta[!chosen] <- 0
    value <- value + decide_words(list(scored), rows)[, 1L]
  }
  if (!is.null(model$data$linear)) {
    value <- value + decide_linear(linear_of_kernels(model, chosen), rows$views)
  }
  value
}

# Active kernels that are evaluated between new rows and support vectors.
evaluated_kernels <- function(model) {
  active <- model$theta > 0 & length(model$support) > 0L
  weighted <- !is.null(model$data$linear) & has_weights(model$kernels, model$constants)
  which(active & kernel_field(model$kernels, "type") != "precomputed" & !weighted & !is_scored(model))
}

evaluated_handle <- function(model, rows) {
  evaluated <- evaluated_kernels(model)
  if (length(evaluated)) rows_handle(model, rows, evaluated)
}

# A fit keeps the weights of all linear kernels of a view as their sum. Each column's weight belongs to the
# kernels that read it, in proportion to their sizes.
linear_of_kernels <- function(model, chosen) {
  linear <- model$data$linear
  kernels <- model$kernels
  mine <- model$theta > 0 & has_weights(kernels, model$constants)
  size <- unname(model$theta * model$constants$scale)
  for (view in names(linear$weights)) {
    own <- mine & kernel_field(kernels, "view") == view
    if (all(chosen[own])) next
    if (any(chosen & own)) refuse_joint(model, own, view)
    width <- model$data$layout[[view]]$width
    part <- function(which) {
      column_sizes(kernel_field(kernels, "features")[which], size[which], width)
    }
    columns <- linear$columns[[view]] %||% seq_len(width)
    share <- if (any(chosen & own)) (part(chosen & own) / part(own))[columns] else 0
    linear$weights[[view]] <- linear$weights[[view]] * share
    linear$shift[[view]] <- 0 # a constant doesn't change when rows are swapped
  }
  linear
}

# Refuses sums of linear kernels that can't be divided: kernels x'Qz mix columns, and plain and centred
# kernels have different weights of a column.
refuse_joint <- function(model, own, view) {
  alike <- all(kernel_field(model$kernels, "type")[own] == "linear") &&
    (length(unique(model$constants$centre[own])) == 1L || abs(sum(model$alpha)) < 1e-8 * sum(abs(model$alpha)))
  if (alike) return(invisible())
  abort_unsupported("by", sprintf(paste(
    "Give `by = \"view\"` or `by = \"feature\"`: a fit keeps the linear kernels of view `%s` as one",
    "function, which can't be divided into %s."
  ), view, enumerate(names(model$kernels)[own])))
}

# ---- columns -------------------------------------------------------------------------------------

# Kernels that share distances (or inner products): those of one family on the same columns. A list of
# `bases` (view, columns, sums, par, alpha, kept) and, by view, `index` (column to bases) and `whole`.
swap_bases <- function(model, rows) {
  evaluated <- evaluated_kernels(model)
  slow <- evaluated[!is_separable(model, evaluated)]
  fast <- setdiff(evaluated, slow)
  type <- ifelse(kernel_field(model$kernels, "type")[fast] == "gaussian", "distance", "product")
  features <- kernel_field(model$kernels, "features")[fast]
  view <- kernel_field(model$kernels, "view")[fast]
  key <- paste(view, type, vapply(features, paste, "", collapse = ","))
  bases <- lapply(unname(split(seq_along(fast), factor(key, unique(key)))), function(own) {
    swap_base(model, rows, fast[own], view[own[1L]], features[[own[1L]]], type[own[1L]])
  })
  list(bases = bases, slow = slow, index = index_bases(bases, model$data$layout))
}

# Gaussian, polynomial and linear kernels of rows that have their view; spherical scaling depends on what
# is swapped, but for Gaussians.
is_separable <- function(model, which) {
  kernels <- pick_kernels(model$kernels, which)
  type <- kernel_field(kernels, "type")
  spherical <- is_spherical(model$constants)[which]
  type %in% c("gaussian", "polynomial", "linear") & !is_partial(kernels, model$data$views) &
    (!spherical | (type == "gaussian" & !model$constants$centre[which]))
}

swap_base <- function(model, rows, kernels, view, columns, type) {
  kept <- model$data$columns[[view]]
  columns <- columns %||% seq_len(model$data$layout[[view]]$width)
  par <- core_parameters(pick_kernels(model$kernels, kernels))
  of_type <- kernel_field(model$kernels, "type")[kernels]
  weight <- unname(model$theta[kernels] * model$constants$scale[kernels])
  linear <- of_type == "linear"
  par[, linear] <- c(1, 1, 0)
  list(view = view, columns = columns, distance = type == "distance",
       at = if (is.null(kept)) columns else match(columns, kept),
       par = if (type == "distance") rbind(weight, 1 / par[1L, ], 0, 0, 0) else
         rbind(weight, 0, par[1L, ], par[2L, ], par[3L, ]),
       centred = model$constants$centre[kernels])
}

# An index by view: the bases that read each column, and those that read all columns.
index_bases <- function(bases, layout) {
  view <- vapply(bases, `[[`, "", "view")
  lapply(stats::setNames(nm = unique(view)), function(name) {
    own <- which(view == name)
    columns <- lapply(bases[own], `[[`, "columns")
    whole <- lengths(columns) == layout[[name]]$width
    list(whole = own[whole],
         by_column = split(rep(own[!whole], lengths(columns[!whole])),
                           factor(unlist(columns[!whole]), seq_len(layout[[name]]$width))))
  })
}

bases_of <- function(index, columns) {
  c(index$whole, unique(unlist(index$by_column[columns], use.names = FALSE)))
}

# TRUE if a kernel of any model uses some of the columns and must be evaluated again.
has_slow <- function(view, swaps, columns) {
  if (is_local(swaps$object)) return(TRUE)
  any(vapply(seq_along(swaps$models), function(k) {
    slow <- leaf_kernels(pick_kernels(swaps$models[[k]]$kernels, swaps$bases[[k]]$slow))
    any(vapply(kernel_field(slow, "features")[kernel_field(slow, "view") == view], function(own) {
      !length(own) || any(own %in% columns[[view]])
    }, NA))
  }, NA))
}

columns_change <- function(swaps, k, view, columns, donors) {
  model <- swaps$models[[k]]
  own <- swaps$bases[[k]]
  change <- linear_change(model$data$linear, view, columns, swaps$rows$views[[view]], donors)
  for (b in bases_of(own$index[[view]], columns)) {
    change <- change + base_change(swaps, k, b, columns, donors)
  }
  change
}

linear_change <- function(linear, view, columns, x, donors) {
  weights <- linear$weights[[view]]
  if (is.null(weights)) return(0)
  at <- if (is.null(linear$columns[[view]])) columns else match(columns, linear$columns[[view]])
  columns <- columns[!is.na(at)]
  at <- at[!is.na(at)]
  if (!length(at)) return(0)
  part <- as.vector(x[, columns, drop = FALSE] %*% weights[at])
  part[donors] - part
}

base_change <- function(swaps, k, b, columns, donors) {
  model <- swaps$models[[k]]
  base <- swaps$bases[[k]]$bases[[b]]
  mine <- which(base$columns %in% columns)
  x <- model$data$views[[base$view]]
  z <- swaps$rows$views[[base$view]]
  pairs <- function(which) {
    pair_sums(x[, base$at[which], drop = FALSE], z[, base$columns[which], drop = FALSE], base$distance)
  }
  part <- pairs(mine)
  if (length(mine) < length(base$columns)) {
    rest <- base_sums(swaps, k, b, function() pairs(seq_along(base$columns))) - part
    if (base$distance) rest <- pmax(rest, 0)
  } else {
    rest <- 0 * part
  }
  # rows as they are come first: the change is from the same sums
  donors <- cbind(seq_len(nrow(donors)), donors)
  value <- swapped_sums(rest, part, base, model, donors)
  value[, -1L, drop = FALSE] - value[, 1L]
}

# Sums after a swap. Centred kernels subtract the mean over all training rows, which the fit keeps if needed.
swapped_sums <- function(rest, part, base, model, donors) {
  alpha <- unname(model$alpha[model$data$rows])
  value <- 0
  for (centred in unique(base$centred)) {
    own <- if (centred && model$data$every_row) alpha - mean(alpha) else alpha
    value <- value + from_core(.Call(C_mk_swapped, rest, part, own, donors,
                                     base$par[, base$centred == centred, drop = FALSE]))
  }
  value
}

# Squared distances (or inner products) of kept rows and new ones. Distances don't depend on the origin,
# and sums of squares are most exact near it.
pair_sums <- function(x, z, distance) {
  if (!distance) return(as.matrix(Matrix::tcrossprod(x, z)))
  if (ncol(x) == 1L) return(outer(as.vector(x), as.vector(z), `-`)^2)
  if (is.matrix(x) && is.matrix(z)) {
    means <- colMeans(x)
    x <- x - rep(means, each = nrow(x))
    z <- z - rep(means, each = nrow(z))
  }
  pmax(outer(Matrix::rowSums(x^2), Matrix::rowSums(z^2), `+`) - 2 * as.matrix(Matrix::tcrossprod(x, z)), 0)
}

# Sums over all columns of a base serve every unit that has some of them.
base_sums <- function(swaps, k, b, make) {
  key <- sprintf("sums %d %d", k, b)
  known <- swaps[[key]]
  if (!is.null(known)) return(known)
  value <- make()
  swaps$kept <- (swaps$kept %||% 0) + 8 * length(value)
  if (swaps$kept < kept_sums) swaps[[key]] <- value
  value
}

kept_sums <- 2^30 # bytes

# ---- evaluated anew ------------------------------------------------------------------------------

# Decision values of whole rows with other values in some columns.
swap_anew <- function(swaps, unit, donors) {
  decided <- lapply(seq_len(ncol(donors)), function(r) {
    rows <- swaps$rows
    for (view in names(unit$columns)) {
      columns <- unit$columns[[view]]
      axes <- swaps$models[[1L]]$scaling$views[[view]]$rotation
      values <- rows$views[[view]]
      if (inherits(values, "mk_sequences")) {
        rows$views[[view]] <- values[donors[, r]]
        next
      }
      if (!is.null(axes)) values <- rotated(values, t(axes))
      values[, columns] <- values[donors[, r], columns, drop = FALSE]
      rows$views[[view]] <- rotated(values, axes)
    }
    decision <- decide_rows(swaps$object, swaps$models, rows)
    for (k in seq_along(swaps$models)[rep(any(unit$kernels), length(swaps$models))]) {
      part <- kernels_part(swaps, k, unit$kernels)
      decision[, k] <- decision[, k] + (part[donors[, r]] - part) *
        (swaps$models[[k]]$scaling$response[["scale"]] %||% 1)
    }
    decision
  })
  do.call(rbind, decided)
}

# The columns of a formula are made again from swapped variables.
swap_variables <- function(swaps, variables, donors) {
  decided <- lapply(seq_len(ncol(donors)), function(r) {
    data <- swaps$newdata[swaps$rows$number, , drop = FALSE]
    data[variables] <- lapply(data[variables], take_rows, donors[, r])
    rows <- new_rows(swaps$models, new_design(swaps$object, data))
    decide_rows(swaps$object, swaps$models, rows)
  })
  do.call(rbind, decided)
}
