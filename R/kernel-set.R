# The class kernel_set. A set of a million kernels takes little memory, because it is stored by columns (the
# fields below, each of length M) and parameter lists are shared by reference. Since names(), length(), $ and
# [[ are about kernels, only kernel_field() reads the fields.

new_kernel_set <- function(name, type, parameters, view = NA_character_, features = list(NULL),
                           each = FALSE, group = NA_character_, normalize = list(NULL),
                           limits = list(NULL)) {
  m <- length(name)
  structure(
    list(
      name = unique_names(name), # readable and unique
      type = rep_len(type, m), # one of kernel_types()
      view = rep_len(view, m), # NA: every view
      # column names or positions; NULL: all columns. Where every kernel reads one column, an
      # integer vector of them may take the place of the list.
      features = rep_len(features, m),
      each = rep_len(each, m), # TRUE: one kernel for each column, expanded on the data
      group = rep_len(group, m), # the feature set's label
      parameters = rep_len(parameters, m),
      normalize = rep_len(normalize, m), # NULL: as the fit says
      limits = rep_len(limits, m) # least and most columns of a set by names; NULL: 1 and Inf
    ),
    version = model_version, class = "kernel_set"
  )
}

# A field of a set; its shape is checked, since methods get sets that were made by hand.
kernel_field <- function(kernels, field) {
  value <- if (is.list(kernels)) .subset(kernels, field)[[1L]]
  if (is.null(value)) {
    check_is_set(kernels, "kernels")
    check_kernel_shape(kernels, "kernels")
  }
  value
}

# Returns the set with fields replaced, or picked by an index.
modify_kernels <- function(kernels, ...) {
  out <- unclass(kernels)
  changes <- list(...)
  out[names(changes)] <- changes
  structure(out, class = "kernel_set")
}

pick_kernels <- function(kernels, index) {
  out <- lapply(unclass(kernels), `[`, index)
  attributes(out) <- list(names = names(out), version = model_version, class = "kernel_set")
  out
}

# The kernels of checked sets as one set.
bind_kernels <- function(sets) do.call(new_kernel_set, bind_fields(sets))

bind_fields <- function(sets) {
  lapply(stats::setNames(nm = kernel_columns), function(field) do.call(c, lapply(sets, kernel_field, field)))
}

no_kernels <- function() new_kernel_set(character(), character(), list())

# The second "a" becomes "a#2", the third "a#3".
unique_names <- function(name) {
  while (anyDuplicated(name)) {
    several <- unique(name[duplicated(name)])
    of <- match(name, several)
    place <- order(of, na.last = NA)
    turn <- sequence(tabulate(of, length(several)))
    later <- place[turn > 1L]
    name[later] <- paste0(name[later], "#", turn[turn > 1L])
  }
  name
}

# ---- as text -------------------------------------------------------------------

# "all", "a,b,c" or "a,b and 7 more"
feature_label <- function(features) {
  size <- length(features)
  if (size == 0L) return("all")
  if (size <= 3L) return(paste(features, collapse = ","))
  sprintf("%s,%s and %d more", features[1L], features[2L], size - 2L)
}

is_number <- function(x) is.numeric(x) && length(x) == 1L

# Up to seven digits, or as many as it takes to tell different numbers apart.
number_text <- function(x) {
  text <- sprintf("%.7g", x)
  if (anyDuplicated(text) && anyDuplicated(text) != anyDuplicated(x)) sprintf("%.15g", x) else text
}

# ---- what a set must hold -----------------------------------------------------------

# The columns of a kernel set, in the order of new_kernel_set().
kernel_columns <- c("name", "type", "view", "features", "each", "group", "parameters", "normalize",
                    "limits")

check_is_set <- function(x, argument) {
  if (inherits(x, "kernel_set")) return(invisible())
  mk_abort(paste0(sprintf(
    "`%s` must be a kernel set, made by `gaussian_kernel()` or another constructor, not %s.", argument,
    describe(x)
  ), kernel_hint(x)), "invalid_argument", argument, x)
}

# Checks the fields that picking and printing kernels need, which is quick for any number of kernels.
check_kernel_shape <- function(x, argument = "x") {
  check_form(x, argument)
  as_made(check_columns(own_fields(x)), argument, "a constructor of kernels")
}

check_columns <- function(fields) {
  if (!identical(names(fields), kernel_columns)) check_fields(fields, kernel_columns)
  size <- lengths(fields)
  if (any(size != length(fields$name))) {
    refuse_field(names(size)[size != length(fields$name)][1L], "have an entry for each kernel")
  }
  plain <- vapply(fields, is.vector, NA)
  if (!all(plain)) refuse_field(names(plain)[!plain][1L], "be a vector")
  for (name in c("name", "type")) {
    check_field(fields, name, is.character(fields[[name]]), "hold strings")
  }
  check_field(fields, "each", is.logical(fields$each), "hold TRUE or FALSE")
  check_field(fields, "features", is.list(fields$features) || is.integer(fields$features),
              "be a list")
  for (name in c("parameters", "normalize", "limits")) {
    check_field(fields, name, is.list(fields[[name]]), "be a list")
  }
}

check_field <- function(fields, name, fine, expected) if (!fine) refuse_field(name, expected)

refuse_field <- function(name, expected) {
  mk_abort(sprintf("Its field `%s` must %s.", name, expected), "invalid_argument", name)
}

# ---- products ------------------------------------------------------------------------

is_product <- function(kernels) kernel_field(kernels, "type") == "product"

# The factors of a product. Those without a view have that of the product.
product_parts <- function(kernels, m) {
  parts <- kernel_field(kernels, "parameters")[[m]]$parts
  view <- kernel_field(parts, "view")
  modify_kernels(parts, view = replace(view, is.na(view), kernel_field(kernels, "view")[m]))
}

# The kernels that use data: other kernels, then the factors of products under the names of the products.
leaf_kernels <- function(kernels) {
  products <- which(is_product(kernels))
  if (!length(products)) return(kernels)
  sets <- c(list(pick_kernels(kernels, -products)), lapply(products, function(m) {
    parts <- product_parts(kernels, m)
    modify_kernels(parts, name = rep(names(kernels)[m], length(names(parts))))
  }))
  structure(bind_fields(sets), version = model_version, class = "kernel_set")
}

# TRUE for kernels that use one of these views.
reads_view <- function(kernels, views) {
  out <- kernel_field(kernels, "view") %in% views
  products <- which(is_product(kernels))
  out[products] <- vapply(products, function(m) {
    any(kernel_field(product_parts(kernels, m), "view") %in% views)
  }, NA)
  out
}

# Applies f to the factors of each product.
modify_factors <- function(kernels, f, ...) {
  products <- is_product(kernels)
  if (!any(products)) return(kernels)
  parameters <- kernel_field(kernels, "parameters")
  parameters[products] <- lapply(parameters[products], function(own) list(parts = f(own$parts, ...)))
  modify_kernels(kernels, parameters = parameters)
}
