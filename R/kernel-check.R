# Checks of the constructors, made again, since kernel sets are lists that may have been made or changed by
# hand. All kernels of a type are checked together, as sets may have a million of them. Only
# precomputed_kernel() checks the values of kernel matrices.

check_kernel_set <- function(x, argument = "kernels") {
  check_is_set(x, argument)
  check_form(x, argument)
  as_made(check_kernel_fields(own_fields(x)), argument, "a constructor of kernels")
  x
}

check_kernel_fields <- function(fields) {
  check_columns(fields)
  check_field(fields, "name", !anyNA(fields$name) && all(nzchar(fields$name)) &&
                !anyDuplicated(fields$name), "hold different strings")
  check_field(fields, "type", all(fields$type %in% kernel_types()),
              paste("hold types of kernels:", enumerate(kernel_types(), 10L)))
  check_field(fields, "view", are_labels(fields$view), "hold names of views, or NA")
  check_field(fields, "group", are_labels(fields$group), "hold labels of feature sets, or NA")
  check_field(fields, "each", !anyNA(fields$each), "hold TRUE or FALSE")
  check_field(fields, "features", are_features(fields$features),
              "hold names or positions of columns, or NULL")
  reads <- !is.na(fields$view) | lengths(fields$features) > 0L | fields$each
  check_field(fields, "view", !any(reads & fields$type == "precomputed"),
              "be NA where kernels are precomputed, which have no columns either")
  for (own in unique(fields$normalize[lengths(fields$normalize) > 0L])) check_normalize(own)
  for (own in unique(fields$limits[lengths(fields$limits) > 0L])) check_limits(own[1L], own[2L])
  for (type in unique(fields$type)) {
    check <- check_parameters[[type]] %||% function(parameters) remake_numbers(parameters, type)
    check(fields$parameters[fields$type == type])
  }
}

are_labels <- function(x) (is.character(x) && all(nzchar(x), na.rm = TRUE)) || all(is.na(x))

# Checks names or positions of columns (NULL for all) of all kernels together, so that positions among names
# are names, too.
are_features <- function(features) {
  if (is.list(features) && any(vapply(features, is.list, NA))) return(FALSE)
  flat <- unlist(features, use.names = FALSE)
  if (is.null(flat) || is.character(flat)) return(!anyNA(flat))
  is.numeric(flat) && all(is.finite(flat)) && all(flat >= 1) && all(flat == round(flat))
}

# ---- by type -------------------------------------------------------------------------------------

# Checks parameters by the constructor that takes them as arguments.
remake_kernels <- function(parameters, make) {
  check_lists(parameters, setdiff(names(formals(make)), "..."))
  for (own in unique(parameters)) do.call(make, own[setdiff(names(formals(make)), "...")])
}

# Kinds without a check below: their parameters are numbers, of which the constructor takes vectors.
remake_numbers <- function(parameters, type) {
  make <- get(paste0(type, "_kernel"))
  names <- setdiff(names(formals(make)), "...")
  check_lists(parameters, names)
  flat_parameters(parameters, length(names))
  do.call(make, lapply(stats::setNames(nm = names), function(name) {
    unlist(lapply(parameters, `[[`, name), use.names = FALSE)
  }))
}

check_parameters <- list(
  linear = function(parameters) {
    if (any(lengths(parameters))) refuse_field("parameters", "be empty for linear kernels")
  },
  tanimoto = function(parameters) {
    if (any(lengths(parameters))) refuse_field("parameters", "be empty for Tanimoto kernels")
  },
  categorical = function(parameters) {
    check_lists(parameters, "alpha")
    check_alpha(unlist(lapply(parameters, `[[`, "alpha"), use.names = FALSE))
  },
  network = function(parameters) {
    check_lists(parameters, "network")
    lapply(parameters, function(own) check_network(own$network))
  },
  gaussian = function(parameters) check_widths(flat_parameters(parameters, 1L)),
  polynomial = function(parameters) {
    check_lists(parameters, c("degree", "scale", "offset"))
    flat <- matrix(flat_parameters(parameters, 3L), 3L)
    polynomial_parameters(flat[1L, ], flat[2L, ], flat[3L, ])
  },
  precomputed = function(parameters) {
    check_lists(parameters, character())
    fine <- vapply(parameters, function(own) {
      kept <- is_number(own$size) # of a fit, which keeps no matrices
      matrix <- is.matrix(own$matrix) && is.double(own$matrix) &&
        nrow(own$matrix) == ncol(own$matrix)
      slice <- is.double(own$array) && length(dim(own$array)) == 3L && is_number(own$slice) &&
        own$slice %in% seq_len(dim(own$array)[3L])
      distance <- is.null(own$distance) ||
        (is.character(own$distance) && length(own$distance) == 1L && is_number(own$width))
      (kept || matrix || slice || is_file_fact(own$file)) && distance &&
        (is.null(own$rows) || is.character(own$rows)) &&
        (is.null(own$scores) || are_scores(own$scores))
    }, NA)
    if (!all(fine)) refuse_field("parameters", "hold a square matrix of numbers, or its file")
  },
  `function` = function(parameters) {
    check_lists(parameters, "f")
    fine <- vapply(parameters, function(own) {
      is.function(own$f) && (is.null(own$native) || is.function(own$native))
    }, NA)
    if (!all(fine)) refuse_field("parameters", "hold a function `f`")
  },
  pair = function(parameters) {
    check_lists(parameters, "K")
    fine <- vapply(parameters, function(own) {
      all(vapply(Filter(Negate(is.null), own[c("K", "L")]), function(K) {
        is.matrix(K) && is.double(K) && nrow(K) == ncol(K)
      }, NA))
    }, NA)
    if (!all(fine)) refuse_field("parameters", "hold square matrices `K` and `L`")
  },
  product = function(parameters) {
    check_lists(parameters, "parts")
    for (own in parameters) {
      check_kernel_set(own$parts, "parts")
      if (any(kernel_field(own$parts, "type") %in% c("product", "precomputed"))) {
        refuse_field("parameters", "hold sets `parts` of kernels that use data")
      }
    }
  },
  weighted_degree = function(parameters) remake_kernels(parameters, weighted_degree_kernel),
  distance_spectrum = function(parameters) remake_kernels(parameters, distance_spectrum),
  spectrum = function(parameters) remake_words(parameters, spectrum_kernel),
  mismatch = function(parameters) remake_words(parameters, mismatch_kernel),
  gapped = function(parameters) remake_words(parameters, gapped_kernel),
  gappy_pair = function(parameters) remake_words(parameters, gappy_pair_kernel),
  motif = function(parameters) remake_words(parameters, motif_kernel),
  locally_linear = function(parameters) {
    check_lists(parameters, c("map", "gamma", "componentwise", "anchor", "row"))
    for (name in c("map", "gamma", "componentwise", "row")) {
      if (any(lengths(lapply(parameters, `[[`, name)) != 1L)) {
        refuse_field("parameters", sprintf("have one value of `%s` for each kernel", name))
      }
    }
    each <- function(name) unlist(lapply(parameters, `[[`, name), use.names = FALSE)
    check_maps(each("map"))
    check_numbers(each("gamma"), "gamma", lower = 0, lower_open = TRUE)
    flags <- each("componentwise")
    if (!is.logical(flags) || anyNA(flags) || length(flags) != length(parameters)) {
      refuse_field("parameters", "have TRUE or FALSE as `componentwise`")
    }
    if (!is.numeric(each("row")) && !all(is.na(each("row")))) {
      refuse_field("parameters", "have a number or NA as `row`")
    }
    anchors <- each("anchor")
    if (!is.null(anchors)) check_numbers(anchors, "anchor")
  }
)

is_file_fact <- function(x) {
  is.list(x) && is_number(x$size) && all(vapply(x[c("path", "checksum")], is.character, NA)) &&
    all(lengths(x[c("path", "checksum")]) == 1L) && is.numeric(x$stamp) && is_number(x$verified)
}
