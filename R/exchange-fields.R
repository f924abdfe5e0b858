# Fits reduced to what predictions need of them, for files (exchange.R) and for smaller models (compress.R).

# The fit with only the fields that prediction needs; the other fields of its class are empty, or zero.
# change: what becomes of each model first; shared: rows that all models number alike.
exchanged_fields <- function(object, change = identity, shared = integer()) {
  fields <- unclass(object)
  if (is.null(fields$models)) {
    model <- change(object)
    fields <- exchanged_model(unclass(model), model, shared)
  } else {
    models <- models_of(object)
    fields$models <- lapply(models, exchanged_fields, change, rows_with_words(models))
    fields$decision <- matrix(0, 0, length(fields$models),
                              dimnames = list(NULL, names(fields$models)))
    fields$y <- blank_response(fields$y, length(fields$models[[1L]]$cost))
    fields["weights"] <- list(NULL)
  }
  fields$call <- quote(read_model())
  fields$rows <- fields$na.action <- NULL # of formulas: which rows were left out
  structure(fields, class = class(object))
}

exchanged_model <- function(fields, object, shared) {
  rows <- sort(union(exchanged_rows(fields, object), shared))
  n <- length(rows)
  if (!inherits(object, "mkl_gomp")) {
    fields$alpha <- unname(fields$alpha[rows])
    fields$support <- which(fields$alpha != 0)
    fields$data$rows <- seq_len(n)[rows %in% fields$data$rows]
    if (is.list(fields$constants)) {
      fields$constants$centre_list <- lapply(fields$constants$centre_list, `[`, rows)
    }
  } else {
    rownames(fields$coefficients) <- NULL
    fields["values"] <- list(NULL)
    fields$alpha <- unname(fields$alpha)
  }
  fields$decision <- fields$cost <- numeric(n)
  fields$y <- blank_response(fields$y, n)
  fields["weights"] <- list(NULL)
  for (field in intersect(c("history", "tuning"), names(fields))) {
    if (!is.null(fields[[field]])) fields[[field]] <- fields[[field]][0L, ]
  }
  fields$data["views"] <- list(if (n) without_row_names(fields$data$views))
  if ("dictionary" %in% names(fields)) fields$dictionary <- exchanged_dictionary(fields$dictionary)
  fields
}

# Rows whose values predictions need: all rows for precomputed kernels and paths of kernels.
exchanged_rows <- function(fields, object) {
  if (inherits(object, "mllkm")) return(integer())
  n <- NROW(fields$cost)
  type <- kernel_field(fields$kernels, "type")
  if (inherits(object, "mkl_gomp") || any(type[fields$theta > 0] == "precomputed")) return(seq_len(n))
  if (any(is_evaluated(fields$kernels, fields$constants, fields$theta > 0))) fields$data$rows else
    integer()
}

# Rows that any of the models keeps, where kernels count words: those count them for all models at once, so
# equal numbers must be equal rows (kept_sequences()).
rows_with_words <- function(models) {
  words <- vapply(models, function(model) any(kernel_field(model$kernels, "type") %in% word_types), NA)
  if (any(words)) Reduce(union, lapply(models, function(model) model$data$rows)) else integer()
}

# A response of the same kind without its values.
blank_response <- function(y, n) {
  if (is.null(y)) return(NULL)
  if (is.factor(y)) return(factor(rep(levels(y)[1L], n), levels(y)))
  if (!is.matrix(y)) return(numeric(n))
  out <- matrix(0, n, ncol(y), dimnames = list(NULL, colnames(y)))
  storage.mode(out) <- storage.mode(y)
  out
}

without_row_names <- function(views) {
  for (name in names(views)) {
    view <- .subset2(views, name)
    if (is_sequences(view)) {
      own <- unclass(view)
      own["names"] <- list(NULL)
      view <- structure(own, class = class(view))
    } else if (!is.null(rownames(view))) {
      rownames(view) <- NULL
    }
    views[[name]] <- view
  }
  attr(views, "samples") <- NULL
  views
}

# Returns the fields that the table of a locally linear fit needs; a sequential fit needs none.
exchanged_dictionary <- function(dictionary) {
  if (is.null(dictionary) || inherits(dictionary, "kernel_dictionary")) return(NULL)
  dictionary["anchors"] <- list(NULL)
  dictionary
}
