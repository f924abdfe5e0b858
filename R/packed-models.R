# The models of one fit in little memory. Equal values are kept once, and different ones as one vector for all
# models. Alphas and responses of pairs of classes are kept by their values other than 0, and the training
# rows for predictions as one set of rows.

# decision: of all models, by columns. kept: the rows for predictions, as rows_of_models() has them.
pack_models <- function(models, decision, kept) {
  fields <- names(models[[1L]])
  parts <- lapply(stats::setNames(nm = fields), function(field) {
    if (field == "decision") return(list(same = NULL))
    values <- lapply(models, .subset2, field)
    if (field == "data" && !is.null(kept)) values <- lapply(values, replace, "views", list(NULL))
    pack_values(values)
  })
  structure(list(names = names(models), fields = fields, parts = parts, kept = kept,
                 class = class(models[[1L]])), class = "packed_models")
}

is_packed <- function(models) inherits(models, "packed_models")

# The rows and columns that any of the models keeps, out of all views.
rows_of_models <- function(models, views) {
  data <- lapply(models, .subset2, "data")
  rows <- sort(unique(unlist(lapply(data, `[[`, "rows"))))
  each <- unlist(unname(lapply(data, `[[`, "columns")), recursive = FALSE)
  columns <- lapply(stats::setNames(nm = unique(names(each))), function(view) {
    own <- each[names(each) == view]
    if (all(lengths(own) > 0L)) sort(unique(unlist(own)))
  })
  if (!length(rows) || !length(columns)) return(NULL)
  list(views = subset_views(views, rows, columns), rows = rows, columns = columns)
}

# ---- one value of each model ---------------------------------------------------------------------

# A tree of nodes: `same` is one value for all; `parts` are those of lists, with their attributes; `bare` are
# vectors without their attributes `dress`; `vector` has all values, with the end of each; `few` has the
# values other than `fill`, with their positions `at`; `each` has any other values.
pack_values <- function(values) {
  values <- unname(values)
  first <- values[[1L]]
  if (all(vapply(values, identical, NA, first))) return(list(same = first))
  if (!all(vapply(values, typeof, "") == typeof(first))) return(list(each = values))
  if (is.list(first)) return(pack_lists(values))
  if (!is.atomic(first)) return(list(each = values))
  dress <- lapply(values, attributes)
  if (!all(vapply(dress, is.null, NA))) {
    bare <- lapply(values, function(value) {
      attributes(value) <- NULL
      value
    })
    return(list(bare = pack_values(bare), dress = pack_values(dress)))
  }
  pack_vectors(values)
}

pack_lists <- function(values) {
  shape <- lapply(values, list_attributes)
  fields <- lapply(values, unclass) # kernel sets have a length of their own
  alike <- all(vapply(shape, identical, NA, shape[[1L]])) && all(lengths(fields) == length(fields[[1L]]))
  if (!alike || any(vapply(values, has_row_names, NA))) return(list(each = values))
  list(parts = lapply(seq_along(fields[[1L]]), function(k) pack_values(lapply(fields, `[[`, k))),
       like = shape[[1L]])
}

has_row_names <- function(x) is.data.frame(x) && .row_names_info(x) > 0L

# The number of rows of a data frame follows from its columns.
list_attributes <- function(x) {
  out <- attributes(x)
  if (is.data.frame(x)) out$row.names <- NULL
  out
}

pack_vectors <- function(values) {
  size <- lengths(values)
  all <- unlist(values)
  fill <- if (anyNA(all)) all[NA_integer_] else as.vector(0, typeof(all))
  other <- if (is.na(fill)) !is.na(all) else all != fill
  if (length(unique(size)) > 1L || is.character(all) || 2 * sum(other) > length(all)) {
    return(list(vector = all, end = cumsum(size)))
  }
  place <- rep(seq_along(values), size)
  list(few = all[other], at = sequence(size)[other], end = cumsum(tabulate(place[other], length(values))),
       size = size[1L], fill = fill)
}

# The value of model k.
unpack_value <- function(packed, k) {
  switch(names(packed)[1L],
    same = packed$same,
    each = packed$each[[k]],
    parts = unpack_list(packed, k),
    bare = {
      value <- unpack_value(packed$bare, k)
      attributes(value) <- unpack_value(packed$dress, k)
      value
    },
    vector = packed$vector[own_places(packed$end, k)],
    few = {
      own <- own_places(packed$end, k)
      value <- rep(packed$fill, packed$size)
      value[packed$at[own]] <- packed$few[own]
      value
    }
  )
}

unpack_list <- function(packed, k) {
  value <- lapply(packed$parts, unpack_value, k)
  attributes(value) <- packed$like
  if (inherits(value, "data.frame")) {
    attr(value, "row.names") <- .set_row_names(if (length(value)) NROW(value[[1L]]) else 0L)
  }
  value
}

unpack_each <- function(packed, count) {
  if ("same" %in% names(packed)) rep(list(packed$same), count) else
    lapply(seq_len(count), unpack_value, packed = packed)
}

# Values of one length as a matrix, a column for each model.
value_columns <- function(packed, count) {
  packed <- undressed(packed)
  values <- if (is.null(packed$vector)) unlist(unpack_each(packed, count), use.names = FALSE) else packed$vector
  matrix(values, ncol = count)
}

# Returns the packed models without the attributes that differ between them.
undressed <- function(packed) if (is.null(packed$bare)) packed else packed$bare

# A field of lists that were packed.
packed_field <- function(packed, name) {
  if (is.null(packed$parts)) return(list(same = packed$same[[name]]))
  packed$parts[[match(name, packed$like$names)]]
}

own_places <- function(end, k) {
  from <- if (k > 1L) end[k - 1L] else 0L
  from + seq_len(end[k] - from)
}

# ---- models --------------------------------------------------------------------------------------

# Model k as it was packed. decision: of the fit.
unpack_model <- function(packed, k, decision) {
  model <- lapply(packed$parts, unpack_value, k)
  model$decision <- if (is.null(rownames(decision))) as.vector(decision[, k]) else decision[, k]
  if (!is.null(packed$kept)) model$data["views"] <- list(kept_views(packed$kept, model$data))
  structure(model[packed$fields], class = packed$class)
}

unpack_models <- function(packed, decision) {
  lapply(stats::setNames(seq_along(packed$names), packed$names), unpack_model, packed = packed,
         decision = decision)
}

# The views of a model out of those of all.
kept_views <- function(kept, data) {
  if (!length(data$rows) || !length(data$columns)) return(NULL)
  columns <- Map(function(own, all) if (!is.null(own)) if (is.null(all)) own else match(own, all),
                 data$columns, kept$columns[names(data$columns)])
  subset_views(kept$views, match(data$rows, kept$rows), columns)
}

# Sets fields that all models have alike.
set_in_models <- function(packed, values) {
  packed$fields <- union(packed$fields, names(values))
  packed$parts[names(values)] <- lapply(values, function(value) list(same = value))
  packed
}

# ---- checks --------------------------------------------------------------------------------------

# Whether each of the models can be unpacked, with finite alphas and offsets.
is_sound_packed <- function(packed) {
  packed <- unclass(packed)
  count <- length(packed$names)
  is.character(packed$names) && count > 0L && is.character(packed$fields) &&
    identical(sort(names(packed$parts)), sort(packed$fields)) && is.character(packed$class) &&
    all(vapply(packed$parts, is_sound_value, NA, count)) && is_sound_kept(packed$kept) &&
    all(vapply(packed$parts[c("alpha", "offset")], has_finite, NA))
}

is_sound_value <- function(packed, count) {
  if (!is.list(packed) || !length(packed)) return(FALSE)
  switch(names(packed)[1L],
    same = TRUE,
    each = is.list(packed$each) && length(packed$each) == count,
    parts = is.list(packed$parts) && all(vapply(packed$parts, is_sound_value, NA, count)),
    bare = is_sound_value(packed$bare, count) && is_sound_value(packed$dress, count),
    vector = is.atomic(packed$vector) && are_ends(packed$end, count, length(packed$vector)),
    few = is.atomic(packed$few) && are_ends(packed$end, count, length(packed$few)) &&
      is.numeric(packed$at) && length(packed$at) == length(packed$few) && !anyNA(packed$at) &&
      length(packed$fill) == 1L && is.numeric(packed$size) && all(packed$at %in% seq_len(packed$size)),
    FALSE
  )
}

are_ends <- function(end, count, last) {
  is.numeric(end) && length(end) == count && !anyNA(end) && !is.unsorted(c(0, end)) && end[count] == last
}

is_sound_kept <- function(kept) {
  if (is.null(kept)) return(TRUE)
  is.list(kept) && is.numeric(kept$rows) && !anyNA(kept$rows) && is.list(kept$columns) &&
    identical(names(kept$views), names(kept$columns)) &&
    all(vapply(unclass(kept$views), NROW, 0L) == length(kept$rows))
}

has_finite <- function(packed) {
  all(is.finite(unlist(undressed(packed))))
}
