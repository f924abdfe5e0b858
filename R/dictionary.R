# Dictionaries: kernels by number, in a form that takes little memory for a million of them. A dictionary is a
# list with `parts`, each a kernel set with or without sets of columns, or with a function and a size.

#' Dictionaries of kernels
#'
#' Describes thousands or millions of kernels for [mkl_sequential()], which computes them a block at a
#' time. A dictionary is made of a kernel set, of kernels on many sets of columns without a list entry
#' for each, or of a function that makes each kernel on demand.
#'
#' @param kernels A [kernel set][kernel_set]. With `sets`, its kernels use data and have no columns of
#'   their own yet, and each is repeated on every set. Or a function of one number `i`, from 1 to
#'   `size`, that returns kernel i: a kernel set of one kernel, or a symmetric numeric matrix with the
#'   kernel's values between the training rows. It must always return the same kernel for the same
#'   number. Its errors become the `parent` of an error of class `manykernels_dictionary`; each of its
#'   warnings is given once. A scan of the dictionary calls it once for each kernel; those that are being
#'   fitted are kept. `max_time` of [mkl_control()] is checked between two calls.
#' @param sets Sets of columns: a matrix of positions or names of columns with **one set in each
#'   column** (as [utils::combn()] makes it), or a list of vectors of these, as in [on_features()].
#'   Names of the list become part of the kernels' names.
#' @param size The number of kernels of a function, a positive whole number up to 1e12.
#' @param x A dictionary.
#' @param object A dictionary.
#' @param i Numbers of kernels, positive whole numbers; for `[[`, one.
#' @param n How many lines to print: a positive whole number, `Inf` for all, `NULL` for as many as 15 lines hold.
#' @param ... For `c()`: dictionaries and kernel sets, but no functions. Otherwise not used.
#'
#' @details With \eqn{B} kernels and \eqn{S} sets, kernel number \eqn{(s - 1) B + b} is kernel b on set s, as
#' in [on_features()]. Columns of a set are used in increasing order, each once. A dictionary of a million
#' kernels on sets of five columns takes 20 MB; a kernel set of as many about 350 MB.
#'
#' @return An object of class `kernel_dictionary`. `length()`: the number of kernels, before kernels are
#'   repeated on views or made for each column ([per_feature()]). `x[i]`: a [kernel set][kernel_set] with
#'   these kernels. `x[[i]]` and `as.list()`: one kernel, and a list of all, as in a kernel set. `c()`: a
#'   dictionary with the kernels of all, in their order. `summary()`: a data frame with a row for each part.
#'   Kernels have numbers, not names. Errors: class `manykernels_invalid_argument`;
#'   `manykernels_unknown_kernel` for numbers out of range; `manykernels_unsupported` for changes in place.
#' @seealso [mkl_sequential()]
#' @examples
#' # Gaussians on all pairs and on random triples of iris's four columns
#' pairs <- kernel_dictionary(gaussian_kernel(c(1, 4)), sets = combn(4, 2))
#' triples <- kernel_dictionary(linear_kernel(), sets = replicate(10, sample(4, 3)))
#' both <- c(pairs, triples)
#' both
#' both[c(1, 12, 13)]
#'
#' # a kernel on demand
#' widths <- kernel_dictionary(function(i) gaussian_kernel(1.1^i), size = 100)
#' widths[7]
#' @export
kernel_dictionary <- function(kernels, sets = NULL, size = NULL) {
  check_given(c(kernels = missing(kernels)))
  if (is.function(kernels)) {
    if (!is.null(sets)) {
      mk_abort("`sets` is for kernel sets; a function chooses the columns of its kernels itself.",
               "invalid_argument", "sets")
    }
    if (is.null(size)) {
      mk_abort("`size` must be given: the number of kernels that the function makes.",
               "invalid_argument", "size")
    }
    return(new_dictionary(list(), maker_of_kernels(kernels), check_size_of(size)))
  }
  if (!is.null(size)) {
    mk_abort("Leave out `size`: it is only for functions.", "invalid_argument", "size",
             size)
  }
  if (!inherits(kernels, "kernel_set")) {
    abort_argument(kernels, "kernels", "a kernel set or a function of a number")
  }
  check_not_empty(kernels, "kernels")
  if (is.null(sets)) return(new_dictionary(list(list(kernels = kernels))))
  check_open_kernels(kernels)
  new_dictionary(list(c(list(kernels = kernels), column_sets(sets))))
}

new_dictionary <- function(parts, f = NULL, size = sum(vapply(parts, part_size, 0))) {
  structure(list(parts = parts, f = f, size = size), version = model_version,
            class = "kernel_dictionary")
}

# All columns in one vector, by set; `length`: how many in each (one number where all have as many).
column_sets <- function(sets) {
  if (is.matrix(sets)) return(matrix_sets(sets))
  if (!is.list(sets) || is.object(sets) || length(sets) == 0L) {
    abort_argument(sets, "sets", "a matrix with a set of columns in each column, or a list of sets")
  }
  label <- names(sets) %||% rep("", length(sets))
  sets <- Map(check_features, unname(sets), set_labels(label))
  text <- vapply(sets, is.character, NA)
  if (any(text) && !all(text)) {
    mk_abort("`sets` must be all names of columns, or all positions, not some of both.",
             "invalid_argument", "sets")
  }
  list(column = unlist(sets, use.names = FALSE), length = lengths(sets),
       label = if (any(nzchar(label))) label)
}

matrix_sets <- function(sets) {
  text <- is.character(sets) && !anyNA(sets)
  if (!(text || is.numeric(sets)) || is.object(sets) || length(sets) == 0L) {
    abort_argument(sets, "sets", "a matrix of positions or names, a set of columns in each column")
  }
  list(column = if (text) as.vector(sets) else check_counts(as.vector(sets), "sets"),
       length = nrow(sets))
}

# Offsets of the sets in the vector of columns, and the end of the last one.
set_starts <- function(part) {
  size <- as.double(part$length)
  if (length(size) == 1L) size * 0:set_count(part) else c(0, cumsum(size))
}

# Columns of some sets, a list.
set_columns <- function(part, s) {
  if (length(part$length) == 1L) {
    return(lapply(s, function(one) part$column[part$length * (one - 1) + seq_len(part$length)]))
  }
  end <- cumsum(as.double(part$length))[s]
  Map(function(end, length) part$column[end - length + seq_len(length)], end, part$length[s])
}

# ---- as a vector of kernels ----------------------------------------------------------------------

#' @rdname kernel_dictionary
#' @export
length.kernel_dictionary <- function(x) {
  fields <- own_fields(x)
  as_made(check_dictionary_size(fields), "x", "kernel_dictionary()")
  fields$size
}

#' @rdname kernel_dictionary
#' @export
`[.kernel_dictionary` <- function(x, i) {
  if (missing(i)) i <- seq_len(length(x))
  if (!is.numeric(i) || is.object(i)) abort_argument(i, "i", "numbers of kernels")
  inside <- !is.na(i) & i >= 1 & i <= length(x) & i == round(i)
  if (!all(inside)) {
    mk_abort(sprintf("There is no kernel %s in this dictionary of %s.", enumerate(i[!inside]),
                     format(length(x), big.mark = ",", scientific = FALSE)), "unknown_kernel", "i",
             i[!inside])
  }
  numbered_kernels(unclass(check_dictionary(x, "x")), i)
}

#' @rdname kernel_dictionary
#' @export
`[[.kernel_dictionary` <- function(x, i) {
  check_given(c(i = missing(i)))
  if (length(i) != 1L) abort_argument(i, "i", "one number of a kernel")
  x[i][[1L]]
}

#' @export
as.list.kernel_dictionary <- function(x, ...) as.list(x[])

#' @export
names.kernel_dictionary <- function(x) NULL

# Kernels by number, out of a dictionary as it was given or resolved on data. Of a function's, NULL
# where the deadline passes before all are made.
numbered_kernels <- function(dictionary, i, deadline = Inf, keep = FALSE) {
  if (!is.null(dictionary$f)) return(made_kernels(dictionary, i, deadline, keep))
  first <- cumsum(c(0, vapply(dictionary$parts, part_size, 0)))
  part <- findInterval(i - 1, first)
  places <- split(seq_along(i), part)
  pieces <- Map(function(place, p) part_kernels(dictionary$parts[[p]], i[place] - first[p]),
                places, as.integer(names(places)))
  joined <- do.call(c, unname(pieces))
  if (is.null(joined)) return(no_kernels())
  if (length(pieces) > 1L) joined <- pick_kernels(joined, order(unlist(places)))
  modify_kernels(joined, name = unique_names(names(joined)))
}

part_kernels <- function(part, i) {
  if (is.null(part$column)) return(pick_kernels(part$kernels, i))
  b <- (i - 1) %% length(part$kernels) + 1
  s <- (i - 1) %/% length(part$kernels) + 1
  out <- pick_kernels(part$kernels, b)
  columns <- set_columns(part, s)
  if (is.integer(part$column)) columns <- lapply(columns, function(one) sort(unique(one)))
  label <- if (is.null(part$label)) rep("", length(s)) else part$label[s]
  group <- ifelse(nzchar(label), label, NA_character_)
  shown <- vapply(columns, function(one) {
    feature_label(if (is.null(part$shown)) one else part$shown[one])
  }, "")
  shown <- ifelse(nzchar(label), label, shown)
  modify_kernels(out, features = columns, group = group,
                 name = unique_names(paste0(names(out), "[", shown, "]")))
}

# A user's function of a number, whose errors say for which one.
maker_of_kernels <- function(f) {
  force(f)
  function(i) {
    what <- sprintf("The function of `dictionary` for kernel %s", format(i, scientific = FALSE))
    call_user(f(i), what, "dictionary", "dictionary")
  }
}

# The kernels that a function makes for some numbers, as one set; the deadline is checked before each.
made_kernels <- function(dictionary, i, deadline, keep) {
  kept <- dictionary$kept
  at <- match(i, kept$number)
  made <- vector("list", length(i))
  made[!is.na(at)] <- kept$kernels[at[!is.na(at)]]
  for (k in which(is.na(at))) {
    if (seconds_now() > deadline) return(NULL)
    made[[k]] <- made_kernel(dictionary$f(i[k]), i[k])
  }
  if (keep) keep_made(kept, made, i)
  do.call(c, made) %||% no_kernels()
}

# Kernels of the next model and of finished models are kept: the function may be slow, and the certificate and
# the fit need them again.
keep_made <- function(kept, made, i) {
  done <- kept$number %in% setdiff(kept$fitted, i)
  kept$kernels <- c(made, kept$kernels[done])
  kept$number <- c(i, kept$number[done])
}

keep_fitted <- function(kept, i) if (!is.null(kept)) kept$fitted <- union(kept$fitted, i)

made_kernel <- function(value, i) {
  if (is.matrix(value) || inherits(value, "Matrix")) {
    name <- sprintf("kernel %s", format(i, scientific = FALSE))
    return(precomputed_kernel(stats::setNames(list(value), name)))
  }
  if (!inherits(value, "kernel_set") || length(value) != 1L) {
    found <- if (inherits(value, "kernel_set")) count_of(length(value), "kernel") else
      describe(value)
    mk_abort(sprintf("The function of `dictionary` must return one kernel for number %s, not %s.",
                     format(i, scientific = FALSE), found), "dictionary", "dictionary", value)
  }
  value
}

#' @rdname kernel_dictionary
#' @export
c.kernel_dictionary <- function(...) {
  given <- lapply(Filter(Negate(is.null), list(...)), as_dictionary, argument = "...")
  if (any(vapply(given, function(one) !is.null(unclass(one)$f), NA))) {
    mk_abort(paste("Functions can't be joined with other kernels: write one function that makes",
                   "all of them."), "unsupported", "...")
  }
  new_dictionary(do.call(c, lapply(given, function(one) unclass(one)$parts)))
}

#' @rdname kernel_dictionary
#' @export
print.kernel_dictionary <- function(x, n = NULL, ...) {
  n <- check_shown(n)
  print_short(sprintf("A dictionary of %s\n", count_of(length(x), "kernel")),
              short_lines(paste0("  ", summary(x)$part), "part", "summary()"), n = n)
  invisible(x)
}

#' @rdname kernel_dictionary
#' @export
summary.kernel_dictionary <- function(object, ...) {
  d <- unclass(check_dictionary(object, "object"))
  if (!is.null(d$f)) return(data.frame(part = "made by a function", kernels = d$size))
  data.frame(part = vapply(d$parts, part_text, ""), kernels = vapply(d$parts, part_size, 0))
}

#' @export
str.kernel_dictionary <- function(object, ...) {
  cat(sprintf(" A dictionary of %s\n", count_of(length(object), "kernel")))
}

part_text <- function(part, most = 3L) {
  name <- utils::head(names(part$kernels), most)
  rest <- length(part$kernels) - length(name)
  text <- paste0(paste(name, collapse = ", "), if (rest > 0) sprintf(" and %s more",
                                                                     format(rest, big.mark = ",")))
  if (is.null(part$column)) return(text)
  size <- unique(range(part$length))
  sprintf("%s on each of %s of %s", text, count_of(set_count(part), "set"),
          if (length(size) == 1L) count_of(size, "column") else
            sprintf("%d to %d columns", size[1L], size[2L]))
}

# ---- on data -------------------------------------------------------------------------------------

# Kernel sets, lists of them, functions with their size, dictionaries.
as_dictionary <- function(dictionary, size = NULL, argument = "dictionary") {
  if (is.function(dictionary)) return(kernel_dictionary(dictionary, size = size))
  if (!is.null(size)) {
    mk_abort("Leave out `size`: it is only for a function in place of `dictionary`.",
             "invalid_argument", "size", size)
  }
  if (inherits(dictionary, "kernel_dictionary")) {
    return(check_dictionary(dictionary, argument))
  }
  is_set <- function(one) inherits(one, "kernel_set")
  if (is.list(dictionary) && !is.object(dictionary) && length(dictionary) &&
        all(vapply(dictionary, is_set, NA))) {
    dictionary <- do.call(c, unname(dictionary))
  }
  if (!is_set(dictionary)) {
    abort_argument(dictionary, argument,
                   "a kernel set, a dictionary by kernel_dictionary(), or a function of a number")
  }
  check_not_empty(dictionary, argument)
  kernel_dictionary(dictionary)
}

# Resolves a dictionary on data: its kernels then have one view each, and columns are positions. `named`:
# kernels whose matrices may name the samples, if no view does.
resolve_dictionary <- function(dictionary, views, reference = NULL, deadline = Inf) {
  d <- unclass(dictionary)
  if (!is.null(d$f)) {
    made <- say_once(d$f, views)
    if (is.null(view_row_names(views))) d$named <- made(1)
    n <- d$n <- if (length(views)) view_rows(views) else precomputed_size(d$named)
    samples <- reference %||% data_samples(views, d$named, n)
    d$f <- function(i) check_made_size(made(i, samples), i, n)
    d$kept <- new.env(parent = emptyenv())
    return(d)
  }
  if (is.null(view_row_names(views))) d$named <- do.call(c, lapply(d$parts, `[[`, "kernels"))
  d$parts <- lapply(d$parts, resolve_part, views, reference %||% data_samples(views, d$named),
                    deadline)
  sizes <- vapply(d$parts, function(part) precomputed_size(part$kernels), 0L)
  d$n <- if (length(views)) view_rows(views) else sizes[1L]
  if (any(sizes != d$n, na.rm = TRUE)) {
    mk_abort("All precomputed kernels of `dictionary` must be of one size.", "dimension",
             "dictionary", sizes)
  }
  d$size <- sum(vapply(d$parts, part_size, 0))
  d
}

# Signals a warning or message once, however often its kernel is made.
say_once <- function(f, views, most = 50L) {
  force(f)
  said <- character()
  hear <- function(condition) {
    text <- conditionMessage(condition)
    if (length(said) < most && !text %in% said) {
      said <<- c(said, text)
    } else {
      invokeRestart(if (inherits(condition, "warning")) "muffleWarning" else "muffleMessage")
    }
  }
  function(i, reference = NULL) {
    withCallingHandlers(resolve_made(f, i, views, reference), warning = hear,
                        manykernels_message = hear)
  }
}

check_made_size <- function(kernel, i, n) {
  size <- precomputed_size(kernel)
  if (is.na(size) || size == n) return(kernel)
  mk_abort(sprintf("Kernel %s of `dictionary` is precomputed for %d rows, but kernel 1 for %d.",
                   format(i, scientific = FALSE), size, n), "dimension", "dictionary", size)
}

resolve_made <- function(f, i, views, reference) {
  kernel <- resolve_kernels(check_kernel_set(made_kernel(f(i), i)), views, reference)
  if (length(kernel) != 1L) {
    mk_abort(sprintf(paste("Kernel %s of `dictionary` must be one kernel on the data, not %d:",
                           "choose its view or column."), format(i, scientific = FALSE),
                     length(kernel)), "dictionary", "dictionary", kernel)
  }
  kernel
}

resolve_part <- function(part, views, reference, deadline) {
  part$kernels <- resolve_kernels(part$kernels, views, reference, deadline)
  if (is.null(part$column)) return(part)
  refuse_on_sets(part$kernels)
  read <- unique(kernel_field(part$kernels, "view"))
  if (length(read) > 1L) {
    mk_abort(sprintf(paste("Choose a view by on_view(): kernels on sets of columns use one view, but",
                           "`x` has %s."), enumerate(names(views))),
             "invalid_argument", "dictionary", read)
  }
  if (is.character(part$column)) part <- named_columns(part, views[[read]], read)
  outside <- which(part$column > ncol(views[[read]]))
  if (length(outside)) {
    mk_abort(sprintf("`sets` of `dictionary` has column %d, but the view `%s` has %s.",
                     part$column[outside[1L]], read, count_of(ncol(views[[read]]), "column")),
             "unknown_feature", "dictionary", unique(part$column[outside]))
  }
  part
}

# Names of columns as positions, without those that the data don't have. Kernels go by number, so
# that no set can be dropped.
named_columns <- function(part, view, name) {
  position <- name_positions(part$column, rep(names(part$kernels)[1L], length(part$column)), view,
                             name)
  unknown <- is.na(position)
  if (any(unknown)) {
    length <- rep_len(part$length, set_count(part))
    set <- rep(seq_along(length), length)
    label <- part$label %||% sprintf("%d", seq_along(length))
    left <- tabulate(set[!unknown], length(length))
    if (any(left == 0L)) {
      mk_abort(sprintf("%s of `dictionary` %s no column of the view `%s`; leave out: %s.",
                       count_of(sum(left == 0L), "set"), if (sum(left == 0L) == 1L) "has" else "have",
                       name, enumerate(label[left == 0L])), "unknown_feature", "dictionary",
               label[left == 0L])
    }
    inform_features(part$column[unknown], label[set[unknown]], label, name)
    part$length <- left
  }
  part$column <- position[!unknown]
  part$shown <- colnames(view)
  part
}

# ---- handles -------------------------------------------------------------------------------------

# A stream of the core over a resolved dictionary; that of a function has no parts.
open_stream <- function(dictionary, views, normalize, threads) {
  given <- if (is.null(dictionary$f)) dictionary$parts
  sets <- lapply(given, `[[`, "kernels")
  made <- with_made_columns(do.call(c, sets) %||% no_kernels(), plain_views(views))
  parts <- if (is.null(dictionary$f)) {
    own <- split(seq_along(made$kernels), rep(seq_along(sets), lengths(sets)))
    Map(function(part, k) {
      part$kernels <- pick_kernels(made$kernels, k)
      core_part(part, made$views, normalize)
    }, given, unname(own))
  } else {
    list(open = core_opener(dictionary, views, normalize, threads), size = dictionary$size)
  }
  from_core(.Call(C_mk_stream_new, parts, core_views(made, views), as.integer(dictionary$n),
                  threads))
}

core_part <- function(part, views, normalize) {
  kernels <- part$kernels
  codes <- normalize_codes(kernels, normalize)
  list(
    type = core_type(kernel_field(kernels, "type")),
    view = match(kernel_field(kernels, "view"), names(views), nomatch = 0L),
    features = core_features(kernels), par = core_parameters(kernels),
    data = core_data(kernels, views), centre = codes$centre, scaling = codes$scaling,
    sets = if (!is.null(part$column)) list(start = set_starts(part), column = part$column)
  )
}

# The function that the core calls with numbers of kernels, the seconds left and whether they are to be
# fitted; it returns a handle to the kernels, or NULL if the time doesn't suffice.
core_opener <- function(dictionary, views, normalize, threads) {
  function(i, seconds, selected) {
    kernels <- numbered_kernels(dictionary, i, seconds_now() + seconds, keep = selected)
    if (is.null(kernels)) return(NULL)
    codes <- normalize_codes(kernels, normalize)
    list(kernel_handle(kernels, views, dictionary$n, threads), codes$centre, codes$scaling)
  }
}

# An answer of the core, a promise whose errors are the core's; for a kernel that can't be
# normalised an error that names it.
from_stream <- function(answer, dictionary, views, normalize, threads) {
  answer <- from_core(answer)
  if (!is.list(answer) || is.null(answer$bad)) return(answer)
  if (answer$bad == 0) {
    abort_all_constant(numbered_kernels(dictionary, seq_len(min(dictionary$size, 10))))
  }
  kernel <- numbered_kernels(dictionary, answer$bad)
  handle <- kernel_handle(kernel, views, dictionary$n, threads)
  abort_degenerate(1L, handle, kernel, normalize_codes(kernel, normalize), threads)
}
