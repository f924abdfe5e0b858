# A kernel set meets data: afterwards every kernel has one view, and its features
# are increasing column positions (NULL: all).

resolve_kernels <- function(kernels, views) {
  check_kernel_set(kernels)
  if (length(kernels) == 0L) {
    mk_abort("`kernels` is an empty kernel set.", "invalid_argument", "kernels")
  }
  check_size(kernels, views)
  check_sample_order(kernels, views)
  check_views_known(kernels, views)
  kernels <- kernels |> resolve_views(views) |> resolve_features(views) |> resolve_each(views) |>
    resolve_anchors(views)
  check_function_kernels(kernels, views)
  kernels
}

# Precomputed kernels have their matrix, and the rows of x or of the first of them.
check_size <- function(kernels, views) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  if (length(precomputed) == 0L) return(invisible())
  parameters <- kernel_field(kernels, "parameters")[precomputed]
  size <- vapply(parameters, matrix_rows, 0L)
  gone <- precomputed[vapply(parameters, function(p) !is.null(p$size), NA)]
  if (length(gone)) {
    mk_abort(
      sprintf("Kernel `%s` is precomputed, and fits don't keep matrices: make it again from %s.",
              names(kernels)[gone[1L]], "its matrix"),
      "invalid_argument", "kernels", names(kernels)[gone]
    )
  }
  n <- if (length(views)) view_rows(views) else size[1L]
  odd <- which(size != n)
  if (length(odd) == 0L) return(invisible())
  reference <- if (length(views)) "`x`" else sprintf("kernel `%s`", names(kernels)[precomputed[1L]])
  mk_abort(
    sprintf("Kernel `%s` is precomputed for %s, but %s has %s.",
            names(kernels)[precomputed[odd[1L]]], count_of(size[odd[1L]], "row"), reference,
            count_of(n, "row")),
    "dimension", "kernels", size
  )
}

# Named rows of precomputed kernels are in the order of the views' and of each other.
check_sample_order <- function(kernels, views) {
  precomputed <- which(kernel_field(kernels, "type") == "precomputed")
  if (length(precomputed) == 0L) return(invisible())
  rows <- lapply(kernel_field(kernels, "parameters")[precomputed], `[[`, "rows")
  view_labels <- if (is_single(views)) "`x`" else sprintf("view `%s`", names(views))
  check_same_samples(
    c(rows, unname(lapply(plain_views(views), rownames))),
    c(sprintf("kernel `%s`", names(kernels)[precomputed]), if (length(views)) view_labels),
    "kernels"
  )
}

check_views_known <- function(kernels, views) {
  reads <- kernel_field(kernels, "type") != "precomputed"
  if (length(views) == 0L && any(reads)) {
    mk_abort(sprintf("Kernel `%s` needs data, but `x` is NULL.", names(kernels)[reads][1L]),
             "invalid_argument", "x", NULL)
  }
  view <- kernel_field(kernels, "view")
  unknown <- which(!is.na(view) & !view %in% names(views))
  if (length(unknown) == 0L) return(invisible())
  has <- if (is_single(views)) "is a single matrix" else paste("has", enumerate(names(views), 10L))
  mk_abort(
    sprintf("Kernel `%s` reads the view `%s`, but `x` %s.", names(kernels)[unknown[1L]],
            view[unknown[1L]], has),
    "unknown_view", "kernels", unique(view[unknown])
  )
}

# Kernels without a view are repeated on every view: a run of them on the first
# view, then the run on the second.
resolve_views <- function(kernels, views) {
  open <- is.na(kernel_field(kernels, "view")) & kernel_field(kernels, "type") != "precomputed"
  if (!any(open)) return(kernels)
  run <- cumsum(c(TRUE, diff(open) != 0))
  index <- c(which(!open), rep(which(open), length(views)))
  place <- c(rep(0L, sum(!open)), rep(seq_along(views), each = sum(open)))
  order <- order(run[index], place, index)
  out <- pick_kernels(kernels, index[order])
  place <- place[order]
  view <- kernel_field(out, "view")
  view[place > 0L] <- names(views)[place]
  name <- names(out)
  if (!is_single(views)) {
    name[place > 0L] <- paste0(names(views)[place], ":", name[place > 0L])
  }
  modify_kernels(out, view = view, name = unique_names(name))
}

resolve_features <- function(kernels, views) {
  features <- kernel_field(kernels, "features")
  view <- kernel_field(kernels, "view")
  for (name in unique(view[lengths(features) > 0L])) {
    mine <- which(view == name & lengths(features) > 0L)
    features[mine] <- column_positions(features[mine], views[[name]], names(kernels)[mine], name)
  }
  modify_kernels(kernels, features = features)
}

# One look-up for all subsets of a view.
column_positions <- function(features, view, kernel, name) {
  kernel <- rep(kernel, lengths(features))
  text <- rep(vapply(features, is.character, NA), lengths(features))
  flat <- unlist(features)
  position <- flat
  if (any(text)) {
    position <- integer(length(flat))
    position[text] <- match(flat[text], colnames(view))
    position[!text] <- as.integer(flat[!text])
  }
  if (any(text)) check_unambiguous(flat[text], kernel[text], view, name)
  unknown <- which(is.na(position) | position > ncol(view))
  if (length(unknown)) abort_unknown_feature(flat[unknown], kernel[unknown], view, name)
  position <- unname(split(position, rep(seq_along(features), lengths(features))))
  lapply(position, function(p) if (is.unsorted(p, strictly = TRUE)) sort(unique(p)) else p)
}

# A name that two columns have picks neither of them.
check_unambiguous <- function(features, kernel, view, name) {
  if (!anyDuplicated(colnames(view))) return(invisible())
  twice <- which(features %in% colnames(view)[duplicated(colnames(view))])
  if (length(twice) == 0L) return(invisible())
  mk_abort(
    sprintf("Kernel `%s` reads the column `%s`, but the view `%s` has more than one of that name.",
            kernel[twice[1L]], features[twice[1L]], name),
    "duplicated_columns", "kernels", unique(features[twice])
  )
}

abort_unknown_feature <- function(unknown, kernel, view, name) {
  first <- unknown[kernel == kernel[1L]]
  mk_abort(
    sprintf("Kernel `%s` reads %s that the view `%s` (%s%s) does not have: %s.", kernel[1L],
            if (length(first) == 1L) "a column" else "columns", name,
            count_of(ncol(view), "column"),
            if (is.null(colnames(view))) ", without names" else "", enumerate(first)),
    "unknown_feature", "kernels", first
  )
}

# One kernel for each column; the parameters are shared.
resolve_each <- function(kernels, views) {
  each <- kernel_field(kernels, "each")
  if (!any(each)) return(kernels)
  view <- kernel_field(kernels, "view")
  features <- kernel_field(kernels, "features")
  columns <- lapply(which(each), function(m) features[[m]] %||% seq_len(ncol(views[[view[m]]])))
  labels <- Map(function(p, m) colnames(views[[view[m]]])[p] %||% p, columns, which(each))
  count <- rep(1L, length(each))
  count[each] <- lengths(columns)
  index <- rep(seq_along(each), count)
  new <- each[index]
  name <- sub("[each]", "", names(kernels), fixed = TRUE)
  own <- Map(column_names, name[each], labels)
  name <- name[index]
  name[new] <- unlist(own, use.names = FALSE)
  out_features <- unlist(columns)
  if (!all(new)) {
    out_features <- features[index]
    out_features[new] <- as.list(unlist(columns))
  }
  modify_kernels(pick_kernels(kernels, index), features = out_features,
                 each = logical(length(index)), name = unique_names(name))
}

# sprintf() is several times as fast as paste0() for numbers.
column_names <- function(name, label) {
  sprintf(if (is.character(label)) "%s[%s]" else "%s[%d]", name, label)
}
