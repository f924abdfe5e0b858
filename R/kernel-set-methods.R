# Kernel sets as vectors of kernels, and as text.

# ---- as a vector of kernels --------------------------------------------------

#' Kernel sets
#'
#' The constructors ([linear_kernel()], [polynomial_kernel()], [gaussian_kernel()], [laplace_kernel()],
#' [arc_cosine_kernel()], [precomputed_kernel()], [score_kernel()], [function_kernel()], [native_kernel()],
#' [tanimoto_kernel()], [categorical_kernel()], [those of networks][network_kernels], [those of
#' sequences][string_kernels], [weighted_degree_kernel()], [locally_linear_kernel()]) return a *kernel set*, a
#' description of kernels that behaves like a list of them. Nothing is computed before it is used with data.
#'
#' Names are unique and describe the kernel: `gaussian(width=2)`, after [on_view()]
#' `mrna:gaussian(width=2)`, after [on_features()] `gaussian(width=2)[set_a]`. One kernel for each
#' column ([per_feature()]) is `gaussian(width=2)[each]`, which on data becomes `gaussian(width=2)[V1]`
#' and so on. A repeated name gets `#2` at its end, then `#3`. Numbers in names have up to seven digits.
#'
#' `names(k) <- value` renames kernels; other replacements (`k[[1]] <- ...`) are errors of class
#' `manykernels_unsupported`. Unknown names and positions are errors of class
#' `manykernels_unknown_kernel`.
#'
#' @param x,object A kernel set.
#' @param ... For `c()`: kernel sets (`NULL` is skipped); for `rep()`: `times`, `each` and the like.
#'   Otherwise unused.
#' @param i Which kernels: positions, names, or a logical vector.
#' @param name The name of one kernel.
#' @param value New names: a character vector as long as the set, all different.
#' @param incomparables Unused, for compatibility with the generic.
#' @param n The largest number of kernels to print, a positive whole number.
#' @param row.names,optional Unused, for compatibility with the generic.
#'
#' @return `c()`, `rep()`, `[`, `unique()` (without kernels that are the same under another name): a kernel
#' set. `summary()`: a data frame with the number of kernels of each type and view. `[[`, `$`: one kernel as a
#' list. It has `name`, `type`, `view` (`NA`: every view), `features` (`NULL`: all), `each`, `group` (the
#' feature set's label or `NA`), `parameters` (a list), `normalize` (`NULL`: that of the fit), and `limits`,
#' the sizes of sets for [on_features()] (`NULL`: any). `as.list()`: the list of these. `as.data.frame()`: one
#' row for each kernel. `length()`: the number of kernels.
#' @name kernel_set
#' @examples
#' k <- c(linear_kernel(), gaussian_kernel(width = 2^(0:3)))
#' k
#' names(k[-1])
#' k[["gaussian(width=4)"]]$parameters
#' as.data.frame(on_view(k, "mrna"))
NULL

#' @rdname kernel_set
#' @export
length.kernel_set <- function(x) length(kernel_field(x, "name"))

#' @rdname kernel_set
#' @export
names.kernel_set <- function(x) kernel_field(x, "name")

#' @rdname kernel_set
#' @export
`names<-.kernel_set` <- function(x, value) {
  check_kernel_shape(x)
  if (!is.character(value) || length(value) != length(x) || anyNA(value) || !all(nzchar(value)) ||
        anyDuplicated(value)) {
    mk_abort(sprintf("`names` must be %d different strings.", length(x)), "invalid_argument",
             "names", value)
  }
  modify_kernels(x, name = as.vector(value))
}

#' @rdname kernel_set
#' @export
c.kernel_set <- function(...) {
  sets <- Filter(Negate(is.null), unname(list(...)))
  lapply(sets, check_kernel_set, argument = "...")
  bind_kernels(sets)
}

#' @rdname kernel_set
#' @export
rep.kernel_set <- function(x, ...) {
  positions <- seq_len(length(x))
  x[tryCatch(rep(positions, ...), error = function(e) {
    mk_abort(sprintf("Kernels can't be repeated in this way: %s.", conditionMessage(e)), "invalid_argument",
             "times")
  })]
}

check_index <- function(i) {
  expected <- "names, positions or a logical vector"
  if (!(is.character(i) || is.numeric(i) || is.logical(i)) || is.object(i)) {
    abort_argument(i, "i", expected)
  }
  if (is.numeric(i) && any(i > 0, na.rm = TRUE) && any(i < 0, na.rm = TRUE)) {
    mk_abort("`i` must be positive positions, or negative ones to leave out, not both.",
             "invalid_argument", "i", i)
  }
}

# Positions of kernels for any kind of index.
kernel_index <- function(x, i) {
  check_index(i)
  index <- if (is.character(i)) match(i, names(x)) else seq_along(names(x))[i]
  if (anyNA(index)) {
    unknown <- unique(if (is.logical(i)) which(is.na(index)) else i[is.na(index)])
    mk_abort(
      sprintf("There is no kernel %s in this set of %d.", enumerate(unknown), length(x)),
      "unknown_kernel", "i", unknown
    )
  }
  index
}

#' @rdname kernel_set
#' @export
`[.kernel_set` <- function(x, i) {
  check_kernel_shape(x)
  if (missing(i)) return(x)
  out <- pick_kernels(x, kernel_index(x, i))
  modify_kernels(out, name = unique_names(names(out)))
}

#' @rdname kernel_set
#' @export
`[[.kernel_set` <- function(x, i) {
  check_given(c(i = missing(i)))
  check_kernel_shape(x)
  if (length(i) != 1L) abort_argument(i, "i", "one name or position")
  index <- kernel_index(x, i)
  if (length(index) != 1L) abort_argument(i, "i", "one name or position")
  lapply(unclass(x), `[[`, index)
}

#' @rdname kernel_set
#' @export
`$.kernel_set` <- function(x, name) x[[name]]

#' @rdname kernel_set
#' @export
unique.kernel_set <- function(x, incomparables = FALSE, ...) {
  check_kernel_set(x, "x")
  x[!duplicated(kernel_keys(x))]
}

# Strings that are equal for equal kernels, whatever their names.
kernel_keys <- function(kernels) {
  fields <- c("type", "view", "each", "features", "normalize", "limits")
  plain <- lapply(unclass(kernels)[fields], as.character)
  do.call(paste, c(plain, list(parameter_keys(kernels)), sep = "\r"))
}

# Strings that are equal for equal parameters. Matrices and functions are compared as they are.
parameter_keys <- function(kernels) {
  parameters <- kernel_field(kernels, "parameters")
  type <- kernel_field(kernels, "type")
  local <- type == "locally_linear"
  others <- c("precomputed", "function", "product", "pair", quadratic_types, sequence_types)
  numbers <- !local & !type %in% others
  keys <- character(length(parameters))
  keys[numbers] <- vapply(parameters[numbers], function(p) {
    paste(sprintf("%a", unlist(p)), recycle0 = TRUE, collapse = " ")
  }, "")
  keys[local] <- vapply(parameters[local], function(p) {
    paste(c(p$map, p$componentwise, p$row, sprintf("%a", c(p$gamma, p$anchor)), names(p$anchor)),
          collapse = " ")
  }, "")
  objects <- which(!numbers & !local)
  for (k in seq_along(objects)) {
    same <- vapply(parameters[objects[seq_len(k)]], identical, NA, parameters[[objects[k]]])
    keys[objects[k]] <- match(TRUE, same)
  }
  keys
}

refuse_replacement <- function(x, ..., value) {
  mk_abort(
    paste("Kernel sets and dictionaries are not changed in place; make a new one with the",
          "constructors, `c()` and `[`."),
    "unsupported", "x"
  )
}

#' @rdname kernel_set
#' @export
`[<-.kernel_set` <- refuse_replacement

#' @rdname kernel_set
#' @export
`[[<-.kernel_set` <- refuse_replacement

#' @rdname kernel_set
#' @export
`$<-.kernel_set` <- refuse_replacement

#' @export
`[<-.kernel_dictionary` <- refuse_replacement

#' @export
`[[<-.kernel_dictionary` <- refuse_replacement

#' @export
`$<-.kernel_dictionary` <- refuse_replacement

#' @export
`length<-.kernel_dictionary` <- refuse_replacement

#' @rdname kernel_set
#' @export
as.list.kernel_set <- function(x, ...) {
  check_kernel_set(x, "x")
  specs <- lapply(seq_along(names(x)), function(i) x[[i]])
  stats::setNames(specs, names(x))
}

# ---- as text -------------------------------------------------------------------

#' @rdname kernel_set
#' @export
as.data.frame.kernel_set <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_kernel_set(x, "x")
  data.frame(
    name = names(x), type = kernel_field(x, "type"), view = kernel_field(x, "view"),
    features = features_text(x), parameters = parameters_text(x), normalize = normalize_text(x),
    stringsAsFactors = FALSE
  )
}

features_text <- function(kernels) {
  features <- kernel_field(kernels, "features")
  text <- rep("all", length(features))
  size <- lengths(features)
  text[size == 1L] <- as.character(unlist(features[size == 1L]))
  text[size > 1L] <- vapply(features[size > 1L], feature_label, "")
  group <- kernel_field(kernels, "group")
  named <- which(!is.na(group))
  text[named] <- sprintf("%s (%d)", group[named], size[named])
  each <- which(kernel_field(kernels, "each"))
  text[each] <- paste("each of", text[each])
  text
}

parameters_text <- function(kernels) {
  parameters <- kernel_field(kernels, "parameters")
  type <- kernel_field(kernels, "type")
  text <- character(length(type))
  gaussian <- type == "gaussian"
  text[gaussian] <- sprintf("width = %.7g", as.double(unlist(parameters[gaussian])))
  local <- type == "locally_linear"
  text[local] <- vapply(parameters[local], local_parameters_text, "")
  native <- vapply(parameters, function(own) !is.null(own$native), NA)
  text[native] <- "in C"
  several <- !type %in% c("gaussian", "linear", "function", "locally_linear")
  text[several] <- vapply(parameters[several], function(parameters) {
    numbers <- parameters[vapply(parameters, is_number, NA)]
    rows <- matrix_rows(parameters)
    if (!is.null(rows)) return(paste0(rows, " x ", rows, file_text(parameters$file)))
    paste(names(numbers), "=", number_text(unlist(numbers)), recycle0 = TRUE, collapse = ", ")
  }, "")
  text
}

normalize_text <- function(kernels) {
  normalize <- kernel_field(kernels, "normalize")
  text <- rep(NA_character_, length(normalize))
  own <- lengths(normalize) > 0L
  text[own] <- vapply(normalize[own], paste, "", collapse = ", ")
  text
}

# The table that print() shows, without columns that are the same for all kernels.
#' @rdname kernel_set
#' @export
format.kernel_set <- function(x, n = length(x), ...) {
  check_kernel_shape(x)
  n <- check_count(n, "n", lower = 0L)
  table <- as.data.frame(pick_kernels(x, seq_len(min(n, length(x)))))
  if (all(is.na(kernel_field(x, "view")))) table$view <- NULL
  if (all(lengths(kernel_field(x, "features")) == 0L) && !any(kernel_field(x, "each"))) {
    table$features <- NULL
  }
  if (all(is.na(table$normalize))) table$normalize <- NULL
  if (!is.null(table$view)) table$view[is.na(table$view) & table$type != "precomputed"] <- "every"
  table[is.na(table)] <- "-"
  if (nrow(table) == 0L) return(character())
  padded <- Map(function(column, head) format(c(head, column)), table, names(table))
  trimws(do.call(paste, c(unname(padded), sep = "  ")), "right")
}

#' @rdname kernel_set
#' @export
print.kernel_set <- function(x, n = NULL, ...) {
  check_kernel_shape(x)
  n <- check_shown(n)
  most <- min(n %||% PRINTED_LINES, length(x))
  lines <- format(x, n = most)
  wide <- getOption("width") - 2L
  long <- nchar(lines) > wide
  lines[long] <- paste0(strtrim(lines[long], wide - 3L), "...")
  lines <- paste0("  ", lines, recycle0 = TRUE)
  spectra <- spectrum_lines(pick_kernels(x, seq_len(most)))
  print_short(sprintf("A set of %s\n", count_of(length(x), "kernel")),
              short_lines(lines[-1L], "kernel", head = lines[1L], total = length(x)),
              short_lines(spectra[-1L], "spectrum", head = spectra[1L]), n = n)
  invisible(x)
}

#' @rdname kernel_set
#' @export
summary.kernel_set <- function(object, ...) {
  check_kernel_set(object, "object")
  view <- kernel_field(object, "view")
  type <- kernel_field(object, "type")
  view <- ifelse(type == "precomputed", "-", ifelse(is.na(view), "every", view))
  table <- as.data.frame(table(type = type, view = view), responseName = "kernels",
                         stringsAsFactors = FALSE)
  table <- table[table$kernels > 0L, ]
  rownames(table) <- NULL
  table
}

#' @rdname kernel_set
#' @importFrom utils str
#' @export
str.kernel_set <- function(object, ...) {
  cat(" A set of ", count_of(length(object), "kernel"), "\n", sep = "")
}
