# An object of each class that fits and their results have, and what users do with them.

fits_of_every_class <- function() {
  quiet <- mkl_control(progress = FALSE)
  set.seed(1)
  x <- matrix(rnorm(60), 20, dimnames = list(NULL, c("u", "v", "w")))
  y <- factor(rep(c("a", "b"), 10))
  classes <- factor(rep(c("a", "b", "c", "a"), 5))
  kernels <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  frame <- data.frame(x, y = y)
  dictionary <- kernel_dictionary(linear_kernel(), list(one = 1:2, two = 3))
  list(
    x = x, y = y, classes = classes, kernels = kernels,
    fits = list(
      mkl = mkl(x, y, kernels, control = mkl_control(progress = FALSE, probability = TRUE)),
      formula = mkl(y ~ u + v, frame, control = quiet),
      regression = mkl(x, x[, 1], kernels, loss = epsilon_loss(0.1), control = quiet),
      one_class = mkl(x, kernels = kernels, control = quiet),
      multiclass = mkl(x, classes, kernels, control = quiet),
      shared = mkl(x, classes, kernels, multiclass = "shared", control = quiet),
      joint = mkl(x, classes, kernels, multiclass = "joint", control = quiet),
      outputs = mkl(x, x[, 1:2], kernels, control = quiet),
      quantiles = mkl(x, x[, 1], kernels, loss = quantile_loss(c(0.2, 0.7)), control = quiet),
      gomp = mkl_gomp(x, y, kernels, control = quiet),
      sequential = mkl_sequential(x, y, dictionary, control = quiet),
      mllkm = mllkm(x, y, control = quiet),
      mllkm_classes = mllkm(x, classes, control = quiet),
      path = mkl_path(x, y, kernels, p = 2, C = c(0.1, 1)),
      cv = cv_mkl(x, y, kernels, p = c(1, 2), C = c(0.1, 1), folds = 3, control = quiet)
    )
  )
}

# What fits are asked for, each on its own.
uses_of_fits <- function(x) {
  uses <- list(
    print = print, summary = function(object) print(summary(object)), coef = stats::coef,
    fitted = stats::fitted, residuals = stats::residuals, nobs = stats::nobs,
    predict = function(object) stats::predict(object),
    new = function(object) stats::predict(object, x[1:3, , drop = FALSE]),
    decision = function(object) stats::predict(object, x[1:3, , drop = FALSE], type = "decision"),
    prob = function(object) stats::predict(object, x[1:3, , drop = FALSE], type = "prob"),
    kernel_weights = kernel_weights, support = support, plot = plot,
    case_names = stats::case.names, variable_names = stats::variable.names,
    formula = stats::formula, weights = stats::weights,
    duality_gap = function(object) print(duality_gap(object, x)),
    tidy = function(object) generics::tidy(object),
    glance = function(object) generics::glance(object),
    augment = function(object) generics::augment(object),
    autoplot = function(object) ggplot2::autoplot(object),
    stability = function(object) kernel_stability(object),
    crossing = function(object) quantile_crossing(object),
    drop_view = function(object) drop_view(object, x),
    risk = function(object) risk_bound(object, x),
    report = function(object) { # what the document shows; paths have none
      if (!inherits(object, "mkl_path")) {
        manykernels:::report_facts(manykernels:::check_object(object))
      }
    },
    write_model = function(object) write_model(object, tempfile(fileext = ".json")),
    start = function(object) {
      mkl(x, rep(c("a", "b"), 10), c(linear_kernel(), gaussian_kernel(c(1, 4))),
          control = mkl_control(start = object, progress = FALSE))
    }
  )
  needs <- c(tidy = "generics", glance = "generics", augment = "generics", autoplot = "ggplot2")
  there <- vapply(needs, requireNamespace, NA, quietly = TRUE)
  uses[setdiff(names(uses), names(needs)[!there])]
}

# What a use ends in: NULL, or its error.
problem_of <- function(use, object) {
  tryCatch({
    utils::capture.output(suppressMessages(suppressWarnings(use(object))))
    NULL
  }, error = identity)
}

# The object without a field, and with others in its place; thorough: also in the lists and data
# frames that it holds.
damaged <- function(object, thorough = FALSE) {
  fields <- unclass(object)
  remade <- function(fields) structure(fields, class = class(object))
  out <- list()
  for (name in names(fields)) {
    own <- fields[[name]]
    values <- c(list(list(), NA, "a", -1, 1:2, list(a = 1), sum, quote(f(x))), altered(own))
    out[[paste(name, "removed")]] <- remade(fields[names(fields) != name])
    for (k in seq_along(values)) {
      out[[paste(name, k)]] <- remade(replace(fields, name, list(values[[k]])))
    }
    if (!thorough || !is.list(own)) next
    for (part in names(unclass(own))) {
      for (k in 1:5) {
        inner <- unclass(own)
        inner[part] <- list(list(NULL, NA, "a", -1, list())[[k]])
        attributes(inner) <- c(attributes(inner), attributes(own)[setdiff(names(attributes(own)), "names")])
        out[[paste0(name, "$", part, " ", k)]] <- remade(replace(fields, name, list(inner)))
      }
    }
  }
  out
}

# A value with something missing, added or NA.
altered <- function(own) {
  if (length(own) < 1L || !(is.atomic(own) || is.list(own))) return(list())
  changed <- list(
    function() if (length(own) > 1L) own[-1L] else stop(), function() c(own, own[1L]),
    function() replace(own, 1L, NA), function() rev(own)
  )
  lapply(changed, function(change) tryCatch(change(), error = function(e) NULL))
}

# ---- files of models -----------------------------------------------------------------------------

# Where values of R stand in a tree of JSON, each a path of names and positions.
tree_places <- function(node, at = NULL) {
  if (!is.list(node)) return(list())
  own <- if (!is.null(at) && !is.null(node$type)) list(at)
  keys <- if (is.null(names(node))) seq_along(node) else names(node)
  c(own, unlist(lapply(keys, function(key) tree_places(node[[key]], c(at, list(key)))), recursive = FALSE))
}

value_at <- function(node, at) {
  if (length(at)) value_at(node[[at[[1L]]]], at[-1L]) else node
}

replace_at <- function(node, at, value) {
  node[at[[1L]]] <- list(if (length(at) == 1L) value else replace_at(node[[at[[1L]]]], at[-1L], value))
  node
}

# What may stand in a file where a value of R stood: other kinds, too few, too many, out of range, without
# what its attributes say.
damaged_values <- function(node) {
  out <- list(list(type = "null"), list(type = "double", value = list(-1)),
              list(type = "character", value = list("a")), list(type = "list", value = list()), 7, NULL)
  if (is.null(node$attributes$names) && length(node$value) > 0L) {
    out <- c(out, lapply(list(node$value[-1L], c(node$value, node$value[1L])), function(value) {
      replace(node, "value", list(value))
    }))
  }
  if (node$type %in% c("integer", "double") && length(node$value) > 0L) {
    out <- c(out, lapply(list("Inf", "NaN", -1, 0, 1e6, NULL), function(one) {
      replace(node, "value", list(replace(node$value, 1L, list(one))))
    }))
  }
  if (length(node$attributes)) out <- c(out, list(node[names(node) != "attributes"]))
  out
}

# Kernels of every kind on matrices of n rows; on_sets: further ones, of sets of their columns.
every_kind <- function(n, on_sets = NULL) {
  half <- matrix(sin(seq_len(n * n)), n)
  c(gaussian_kernel(c(1, 8)), linear_kernel(), polynomial_kernel(2), per_feature(linear_kernel()),
    per_feature(gaussian_kernel(2)), on_sets,
    function_kernel(function(X, Z) exp(-abs(outer(X[, 1], Z[, 1], `-`))), "laplace"),
    precomputed_kernel(list(given = tcrossprod(half) / n)))
}
