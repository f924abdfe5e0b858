# Applies a checked kernel set to data: then every kernel has one view, and its features are increasing column
# positions (NULL: all).

# reference: the part whose order of samples precomputed kernels take if there are no views. deadline: that of
# the call, on the clock of seconds_now().
resolve_kernels <- function(kernels, views, reference = NULL, deadline = Inf) {
  if (length(kernels) == 0L) {
    mk_abort("`kernels` is an empty kernel set.", "invalid_argument", "kernels")
  }
  check_size(kernels, views)
  check_views_known(kernels, views)
  check_names_differ(kernels, views)
  kernels <- order_kernels(kernels, views, reference)
  kernels <- kernels |> resolve_views(views) |> resolve_products(views) |> resolve_columns(views)
  refuse_standard_columns(kernels, views)
  check_function_kernels(kernels, views, deadline)
  kernels
}

resolve_columns <- function(kernels, views) {
  kernels |> resolve_categorical(views) |> resolve_features(views) |> resolve_each(views) |>
    resolve_networks(views) |> resolve_anchors(views) |> resolve_pairs(views) |> resolve_alphabets(views)
}

# A factor that becomes several kernels, such as one for each column, makes as many products.
resolve_products <- function(kernels, views) {
  products <- which(is_product(kernels))
  if (!length(products)) return(kernels)
  sets <- lapply(seq_along(names(kernels)), function(m) pick_kernels(kernels, m))
  sets[products] <- lapply(products, function(m) resolve_product(kernels, m, views))
  do.call(c, sets)
}

resolve_product <- function(kernels, m, views) {
  parts <- product_parts(kernels, m)
  factors <- lapply(seq_along(names(parts)), function(k) {
    resolve_columns(pick_kernels(parts, k), views)
  })
  choice <- as.matrix(expand.grid(lapply(factors, function(one) seq_along(names(one)))))
  chosen <- lapply(seq_len(nrow(choice)), function(i) {
    do.call(c, Map(pick_kernels, factors, choice[i, ]))
  })
  names <- if (nrow(choice) == 1L) names(kernels)[m] else
    vapply(chosen, function(one) paste(names(one), collapse = "*"), "")
  out <- pick_kernels(kernels, rep(m, nrow(choice)))
  modify_kernels(out, name = unique_names(names), view = rep(joint_view(chosen[[1L]]), nrow(choice)),
                 parameters = lapply(chosen, function(one) list(parts = one)))
}

check_views_known <- function(kernels, views) {
  kernels <- leaf_kernels(kernels)
  reads <- kernel_field(kernels, "type") != "precomputed"
  if (length(views) == 0L && any(reads)) {
    mk_abort(sprintf("`x` must be given: kernel `%s` uses data, only precomputed kernels don't.",
                     names(kernels)[reads][1L]), "invalid_argument", "x", NULL)
  }
  view <- kernel_field(kernels, "view")
  unknown <- which(!is.na(view) & !view %in% names(views))
  if (length(unknown) == 0L) return(check_views_fit(kernels, views))
  has <- if (is_single(views)) "is a single matrix" else paste("has", enumerate(names(views), 10L))
  mk_abort(
    sprintf("Kernel `%s` uses the view `%s`, but `x` %s.", names(kernels)[unknown[1L]],
            view[unknown[1L]], has),
    "unknown_view", "kernels", unique(view[unknown])
  )
}

# Checks that no precomputed kernel has the name of a view that others read: new data are lists of both, by
# name.
check_names_differ <- function(kernels, views) {
  kernels <- leaf_kernels(kernels)
  precomputed <- kernel_field(kernels, "type") == "precomputed"
  if (!any(precomputed)) return(invisible())
  read <- kernel_field(kernels, "view")[!precomputed]
  same <- intersect(names(kernels)[precomputed], if (anyNA(read)) names(views) else read)
  if (!length(same)) return(invisible())
  mk_abort(sprintf(paste("Rename kernel `%s`, as in `precomputed_kernel(list(%s_kernel = K))`: %s has the same",
                         "name, and new data are matched to kernels and views by their names."),
                   same[1L], same[1L], if (is_single(views)) "the matrix `x`" else "a view"),
           "view_names", "kernels", same)
}

hold_sequences <- function(views) vapply(plain_views(views), is_sequences, NA)

# Checks that kernels of sequences have sequences, and all others columns.
check_views_fit <- function(kernels, views) {
  view <- kernel_field(kernels, "view")
  sequences <- hold_sequences(views)
  reads <- reads_sequences(kernels)
  fine <- ifelse(is.na(view), reads %in% sequences, reads == sequences[view]) |
    kernel_field(kernels, "type") == "precomputed"
  if (all(fine)) return(invisible())
  bad <- which(!fine)[1L]
  label <- if (is_single(views)) "`x`" else if (is.na(view[bad])) "no view of `x`" else
    sprintf("`x$%s`", view[bad])
  mk_abort(sprintf("Kernel `%s` uses %s, but %s holds %s.", names(kernels)[bad],
                   if (reads[bad]) "sequences" else "columns of numbers", label,
                   if (is.na(view[bad]) && !is_single(views)) "any" else
                     if (reads[bad]) "numbers" else "sequences"),
           "kernel_view", "kernels", names(kernels)[bad])
}

# Kernels by views: whether a kernel without a view is made on it.
fits_views <- function(kernels, views) {
  fits <- outer(reads_sequences(kernels), hold_sequences(views), `==`) & have_factors(kernels, views)
  for (m in which(is_product(kernels))) {
    parts <- kernel_field(kernels, "parameters")[[m]]$parts
    open <- is.na(kernel_field(parts, "view"))
    fits[m, ] <- apply(fits_views(pick_kernels(parts, open), views), 2L, all)
  }
  fits
}

# Kernels without a view are repeated on every view that they fit: a run of them on the first
# view, then the run on the second.
resolve_views <- function(kernels, views) {
  open <- is.na(kernel_field(kernels, "view")) & kernel_field(kernels, "type") != "precomputed"
  if (!any(open)) return(kernels)
  run <- cumsum(c(TRUE, diff(open) != 0))
  index <- c(which(!open), rep(which(open), length(views)))
  place <- c(rep(0L, sum(!open)), rep(seq_along(views), each = sum(open)))
  order <- order(run[index], place, index)
  fits <- place == 0L | fits_views(kernels, views)[cbind(index, pmax(place, 1L))]
  order <- order[fits[order]]
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
  if (!any(lengths(features) > 0L)) return(kernels)
  view <- kernel_field(kernels, "view")
  for (name in unique(view[lengths(features) > 0L])) {
    mine <- which(view == name & lengths(features) > 0L)
    features[mine] <- column_positions(features[mine], views[[name]], pick_kernels(kernels, mine),
                                       name)
  }
  kernels <- turn_pairs(kernels, features)
  drop_sets(kernels, lapply(features, function(p) if (is.unsorted(p, strictly = TRUE)) sort(unique(p)) else p))
}

# One look-up for all subsets of a view, in the given order. Names that are no columns are left out.
column_positions <- function(features, view, kernels, name) {
  set <- rep(seq_along(features), lengths(features))
  text <- rep(vapply(features, is.character, NA), lengths(features))
  flat <- unlist(features)
  position <- flat
  if (any(text)) {
    position <- integer(length(flat))
    position[text] <- name_positions(flat[text], names(kernels)[set[text]], view, name)
    position[!text] <- as.integer(flat[!text])
  }
  beyond <- which(position > ncol(view))
  if (length(beyond)) {
    abort_unknown_feature(flat[beyond], names(kernels)[set[beyond]], view, name)
  }
  unknown <- is.na(position)
  if (any(unknown)) {
    sets <- set_labels_of(kernels)
    inform_features(flat[unknown], sets[set[unknown]], sets, name)
  }
  unname(split(position[!unknown], factor(set[!unknown], seq_along(features))))
}

# Positions of columns by name, NA where there is none. kernel: the name of the kernel that uses each.
name_positions <- function(features, kernel, view, name) {
  check_unambiguous(features, kernel, view, name)
  position <- match(features, colnames(view))
  if (all(is.na(position))) abort_no_features(unique(features), view, name)
  position
}

# The error for names of which none is a column.
abort_no_features <- function(features, view, name) {
  columns <- colnames(view)
  mk_abort(sprintf(paste(
    "No name in the sets of columns is a column of the view `%s`: the sets have %s, the view %s.",
    "Is it another view (see on_view()), or another kind of identifiers?"
  ), name, enumerate(features),
  if (is.null(columns)) "has no column names" else enumerate(columns)),
  "unknown_feature", "kernels", features)
}

# Labels of the kernels' sets; kernels on one set share a label.
set_labels_of <- function(kernels) {
  group <- kernel_field(kernels, "group")
  open <- which(is.na(group))
  group[open] <- vapply(kernel_field(kernels, "features")[open], feature_label, "")
  group
}

# unknown: names that are no columns; affected: the sets they are in; sets: of all kernels.
inform_features <- function(unknown, affected, sets, name) {
  unknown <- unique(unknown)
  affected <- unique(affected)
  count <- length(unique(sets))
  one <- length(unknown) == 1L
  mk_inform(sprintf(
    "%s in %s %s of the view `%s` and %s left out: %s%s.",
    count_of(length(unknown), "name"),
    if (count == 1L) "the set of columns" else paste(length(affected), "of", count, "sets"),
    if (one) "is not a column" else "are not columns", name, if (one) "was" else "were",
    enumerate(unknown), if (count == 1L) "" else
      sprintf(" (%s %s)", if (length(affected) == 1L) "set" else "sets", enumerate(affected))
  ), "features", "kernels", unknown)
}

# Sets with too few or too many columns of the data, or with none.
drop_sets <- function(kernels, features) {
  on_set <- lengths(kernel_field(kernels, "features")) > 0L
  size <- lengths(features)
  limits <- kernel_field(kernels, "limits")
  own <- lengths(limits) > 0L
  least <- replace(rep(1, length(size)), own, vapply(limits[own], `[[`, 0, 1L))
  most <- replace(rep(Inf, length(size)), own, vapply(limits[own], `[[`, 0, 2L))
  bad <- on_set & (size < least | size > most)
  resolved <- modify_kernels(kernels, features = features)
  if (!any(bad)) return(resolved)
  inform_sets(kernels, bad, on_set, size, least, most)
  pick_kernels(resolved, which(!bad))
}

inform_sets <- function(kernels, bad, on_set, size, least, most) {
  view <- kernel_field(kernels, "view")
  set <- paste0(if (length(unique(view[on_set])) > 1L) paste0(view[on_set], ":"),
                set_labels_of(pick_kernels(kernels, which(on_set))))
  dropped <- !duplicated(set) & bad[on_set]
  limits <- paste(c(
    if (any(size[bad] < least[bad])) sprintf("fewer than `min_size` = %g", max(least[bad])),
    if (any(size[bad] > most[bad])) sprintf("more than `max_size` = %g", min(most[bad]))
  ), collapse = " or ")
  lost <- setdiff(view[bad], view[on_set & !bad])
  if (length(lost)) {
    mine <- bad & view == lost[1L]
    mk_abort(sprintf(
      "No set is left: all have %s columns of the view `%s`, namely %s.", limits, lost[1L],
      paste(unique(range(size[mine])), collapse = " to ")
    ), "no_sets", "kernels", set[dropped])
  }
  mk_inform(sprintf(
    "%d of %s %s dropped, with %s columns of the data: %s.", sum(dropped),
    count_of(length(unique(set)), "set"), if (sum(dropped) == 1L) "was" else "were", limits,
    enumerate(sprintf("%s (%d)", set[dropped], size[on_set][dropped]))
  ), "sets", "kernels", set[dropped])
}

# Refuses a name that two columns have.
check_unambiguous <- function(features, kernel, view, name) {
  if (!anyDuplicated(colnames(view))) return(invisible())
  twice <- which(features %in% colnames(view)[duplicated(colnames(view))])
  if (length(twice) == 0L) return(invisible())
  mk_abort(
    sprintf("Kernel `%s` uses the column `%s`, but the view `%s` has more than one of that name.",
            kernel[twice[1L]], features[twice[1L]], name),
    "duplicated_columns", "kernels", unique(features[twice])
  )
}

abort_unknown_feature <- function(unknown, kernel, view, name) {
  first <- unknown[kernel == kernel[1L]]
  mk_abort(
    sprintf("Kernel `%s` uses %s that the view `%s` (%s%s) does not have: %s.", kernel[1L],
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
