# Units of permutation: whole kernels, columns of a view, or variables of a formula. A unit is a list of
# `kernels` (logical, by kernel of the fit: whether all its columns are swapped), `columns` (positions by
# view) and `variables` (of a formula, if their columns depend on others, too).

importance_by <- c("view", "kernel", "set", "feature")

# list(labels, units): a row of labels for each unit. newdata: for the variables of a formula.
importance_units <- function(object, by, newdata) {
  if (is.list(by)) return(group_units(object, by, newdata))
  switch(by,
    view = view_units(object), kernel = kernel_units(object), set = set_units(object),
    feature = feature_units(object, newdata)
  )
}

# The labels alone, of groups that a user names none.
importance_labels <- function(object, by) {
  if (by == "group") return(NULL)
  if (by == "feature" && !is.null(object$terms)) return(data.frame(feature = object$variables))
  local <- inherits(first_model(object), "mllkm")
  if (local && by %in% c("kernel", "set")) return(data.frame(view = character()))
  importance_units(object, by, NULL)$labels
}

new_unit <- function(kernels = NULL, columns = NULL, variables = NULL) {
  list(kernels = kernels, columns = columns, variables = variables)
}

# Each precomputed kernel is a view of its own, as in drop_view().
kernel_source <- function(kernels) {
  ifelse(kernel_field(kernels, "type") == "precomputed", names(kernels), kernel_field(kernels, "view"))
}

# A product of two views has a unit of its own, too.
view_units <- function(object) {
  views <- unique(c(names(layout_of(object)), kernel_source(first_model(object)$kernels)))
  list(labels = data.frame(view = views), units = lapply(views, view_unit, object))
}

# Kernels of the view alone change as a whole; a product with another view has its columns swapped.
view_unit <- function(view, object) {
  kernels <- first_model(object)$kernels
  own <- kernel_source(kernels) == view
  layout <- layout_of(object)[[view]]
  if (is.null(layout) || all(own | !reads_view(kernels, view))) return(new_unit(own))
  new_unit(columns = stats::setNames(list(seq_len(if (layout$sequences) 1L else layout$width)), view))
}

kernel_units <- function(object) {
  refuse_own_kernels(object, "kernel")
  kernels <- first_model(object)$kernels
  list(labels = data.frame(kernel = names(kernels), view = kernel_source(kernels)),
       units = lapply(seq_along(names(kernels)), function(m) new_unit(seq_along(names(kernels)) == m)))
}

set_units <- function(object) {
  refuse_own_kernels(object, "set")
  kernels <- first_model(object)$kernels
  keys <- data.frame(set = kernel_sets(kernels), view = kernel_source(kernels))
  key <- paste(keys$view, keys$set, sep = "\r")
  labels <- keys[!duplicated(key), , drop = FALSE]
  rownames(labels) <- NULL
  list(labels = labels, units = lapply(unique(key), function(one) new_unit(key == one)))
}

refuse_own_kernels <- function(object, by) {
  if (!inherits(first_model(object), "mllkm")) return(invisible())
  abort_unsupported("by", "The models of mllkm() have kernels of their own: give `by = \"feature\"`.", by)
}

# ---- features ------------------------------------------------------------------------------------

# Columns, factors with all their levels; views of sequences and precomputed kernels as a whole.
feature_units <- function(object, newdata) {
  found <- features_of(object, newdata)
  list(labels = data.frame(feature = found$feature, view = found$view), units = found$units)
}

# list(feature, view, units)
features_of <- function(object, newdata) {
  if (!is.null(object$terms)) return(formula_features(object, newdata))
  kernels <- first_model(object)$kernels
  layout <- layout_of(object)
  parts <- Map(view_features, names(layout), unclass(layout), MoreArgs = list(object = object))
  matrices <- names(kernels)[kernel_field(kernels, "type") == "precomputed"]
  whole <- lapply(matrices, function(name) new_unit(names(kernels) == name))
  list(feature = c(unlist(lapply(parts, `[[`, "feature"), use.names = FALSE), matrices),
       view = c(rep(names(layout), lengths(lapply(parts, `[[`, "feature"))), matrices),
       units = c(unlist(lapply(unname(parts), `[[`, "units"), recursive = FALSE), whole))
}

view_features <- function(name, layout, object) {
  if (layout$sequences) return(list(feature = name, units = list(view_unit(name, object))))
  width <- attr(layout$encoder, "width") %||% rep(1L, layout$width)
  last <- cumsum(width)
  units <- Map(function(first, last) new_unit(columns = stats::setNames(list(first:last), name)),
               last - width + 1L, last)
  list(feature = names(layout$encoder) %||% layout$columns %||% as.character(seq_len(layout$width)),
       units = unname(units))
}

# Variables of the data. If all terms of a variable have no other, its columns are swapped; otherwise, as in
# interactions, the columns are made again.
formula_features <- function(object, newdata) {
  list(feature = object$variables, view = rep(names(layout_of(object)), length(object$variables)),
       units = lapply(object$variables, formula_unit, object = object, newdata = newdata))
}

formula_unit <- function(variables, object, newdata) {
  predictors <- stats::delete.response(object$terms)
  factors <- attr(predictors, "factors")
  read <- lapply(as.list(attr(predictors, "variables"))[-1L], all.vars)
  of_terms <- apply(factors > 0, 2L, function(own) {
    intersect(unlist(read[own]), object$variables)
  }, simplify = FALSE)
  mine <- vapply(of_terms, function(own) any(own %in% variables), NA)
  if (!all(unlist(of_terms[mine]) %in% variables)) return(new_unit(variables = variables))
  columns <- which(design_terms(object, newdata) %in% which(mine))
  new_unit(columns = stats::setNames(list(columns), names(layout_of(object))))
}

# The term of each column of the design.
design_terms <- function(object, newdata) {
  predictors <- stats::delete.response(object$terms)
  frame <- stats::model.frame(predictors, newdata[seq_len(min(nrow(newdata), 1L)), , drop = FALSE],
                              na.action = stats::na.pass, xlev = object$xlevels)
  design <- stats::model.matrix(predictors, frame, contrasts.arg = object$contrasts)
  attr(design, "assign")[colnames(design) != "(Intercept)"]
}

# ---- groups of the user's ------------------------------------------------------------------------

# by: a named list of names of features, or of views.
group_units <- function(object, by, newdata) {
  if (!length(by) || is.null(names(by)) || !all(nzchar(names(by))) || anyDuplicated(names(by))) {
    abort_argument(by, "by", paste("a named list of the features that are permuted together, or",
                                   choices_text(importance_by)))
  }
  found <- features_of(object, newdata)
  units <- Map(function(members, name) {
    members <- check_members(members, sprintf("by$%s", name), found, object)
    if (!is.null(object$terms)) return(formula_unit(members, object, newdata))
    join_units(member_units(members, found, object))
  }, by, names(by))
  list(labels = data.frame(group = names(by)), units = unname(units))
}

# Names are those of features, of features with their view ("view:feature"), or of views.
check_members <- function(members, label, found, object) {
  if (!is.character(members) || !length(members) || anyNA(members)) {
    abort_argument(members, label, "names of features or views")
  }
  strange <- setdiff(members, c(found$feature, full_names(found), names(layout_of(object))))
  if (length(strange)) {
    mk_abort(sprintf("`%s` must have names of features or views of the fit, not %s.", label,
                     enumerate(strange)), "invalid_argument", label, strange)
  }
  several <- members[members %in% found$feature[duplicated(found$feature)]]
  if (length(several)) {
    mk_abort(sprintf("`%s` must name the view of %s, as in \"%s\".", label, enumerate(several),
                     full_names(found)[match(several[1L], found$feature)]),
             "invalid_argument", label, several)
  }
  members
}

full_names <- function(found) paste(found$view, found$feature, sep = ":")

member_units <- function(members, found, object) {
  views <- setdiff(intersect(members, names(layout_of(object))), found$feature)
  c(found$units[found$feature %in% members | full_names(found) %in% members], lapply(views, view_unit, object))
}

join_units <- function(units) {
  kernels <- Filter(Negate(is.null), lapply(units, `[[`, "kernels"))
  columns <- do.call(c, lapply(units, `[[`, "columns"))
  by_view <- if (length(columns)) split(columns, factor(names(columns), unique(names(columns))))
  new_unit(if (length(kernels)) Reduce(`|`, kernels),
           lapply(by_view, function(own) sort(unique(unlist(own)))))
}
