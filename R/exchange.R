# Models as JSON: the parts of a fit that prediction needs, in plain text that is checked when it is read.

#' Exchange models as plain text
#'
#' `write_model()` writes the parts of a fit that prediction needs as JSON. `read_model()` reads and checks
#' such a file. It never evaluates text as code and unserializes nothing, so it is safe for files from others,
#' which [readRDS()] is not. Both need package jsonlite.
#'
#' @param object A fit of [mkl()], [mkl_gomp()], [mkl_sequential()] or [mllkm()], of any response; or a
#'   result of [cv_mkl()], whose fit to all rows is written.
#' @param file The path of the file, a string. `write_model()` replaces an existing file; a name that ends in
#'   anything but `.json`, such as `.rds` or `.onnx`, is refused, as JSON is all that it writes.
#' @return `write_model()`: `file`, invisibly. `read_model()`: an object of class `mkl_model`, a list. `fit`
#'   is the model, without its training data. `package` is the version of manykernels that wrote it, and
#'   `version` that of the form. `predict(model, newdata)` takes the arguments of the fit's own method (see
#'   [predict.mkl()]) and gives the same numbers, bit by bit. `kernel_weights()`, `coef()`,
#'   `variable.names()`, `formula()` (without the response), `tidy()`, `augment()` of new data, and `print()`
#'   work, too. Everything that needs the training data, such as fitted values, residuals, the number of rows,
#'   certificates, plots and `update()`, is an error of class `manykernels_unsupported`.
#'
#' @section Errors:
#' Some fits can't be written (class `manykernels_unsupported`): those with kernels that are R or C
#' functions, those of formulas that call functions other than arithmetic, `I()`, logarithms, `exp()`,
#' `sqrt()` and `abs()`, and paths of [mkl_path()]. A faulty file (truncated, changed, of another form,
#' with unknown or missing fields), and one that can't be written, as on a full disk, is an error of class
#' `manykernels_model_file`. A file that was there before stays then.
#'
#' @section Privacy:
#' A saved model holds measurements of patients unless all its kernels are linear.
#' * *Linear kernels* (except under spherical scaling): the weights, means and standard deviations of the
#'   columns. There is no row of the training data, and no value of it except for normal scores.
#' * *Other kernels of data*: also the rows of the support vectors, in the columns that kernels use,
#'   with their dual variables, which show on which side of the margin each row is. For centred
#'   spherical kernels and for [mkl_gomp()] these are all rows.
#' * *Precomputed kernels*: the dual variables of all rows, and the names of the rows if the matrix has
#'   names, since they order new values.
#' * *Normal scores* (see [scaling]): up to 200 values of each column, and their ranks.
#' * [mllkm()]: the anchors, which are rows of the training data unless `anchors` was given.
#'
#' Responses, weights, decision values of training rows, their names and the call are not written. They are in
#' the fit itself, so a file of `saveRDS(fit)` contains them, and the support vectors as well. If rows must
#' not be disclosed, use linear kernels, and inspect the file, which is text. Even then data are not
#' anonymous: weights and scalings of few patients depend on each of them. Rows of expression or sequence
#' identify people.
#'
#' @section The form of the file:
#' An object with `format` (`"manykernels model"`), `form` (a number, now 1), `package`, `formula`
#' (text, or null), `classes` (of the variables of the formula) and `object`. Every value of R is an
#' object with `type`, `value` and, where it has any, `attributes`, themselves such values by name. The
#' types are `"null"`, `"logical"`, `"integer"`, `"double"`, `"character"`, `"raw"` (an array of
#' numbers), `"list"` (an array of values) and `"sparse"`. The last is a matrix by columns: a list of
#' `i`, `p`, `x`, `Dim` and `Dimnames`, as class `dgCMatrix` of package Matrix has them. Doubles have 17
#' digits, which is exact; if one is not finite, all values of its vector are strings. Matrices are
#' stored by columns; their size is the attribute `dim`. `system.file("schema", "model.json", package =
#' "manykernels")` is this form as a JSON schema (draft 7), for validators of other languages. Reading
#' checks more: that the values make a model.
#'
#' @seealso [predict.mkl()], [saveRDS()]
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' x <- as.matrix(iris[1:100, 1:4])
#' fit <- mkl(x, droplevels(iris$Species[1:100]), c(linear_kernel(), gaussian_kernel(2)))
#' file <- write_model(fit, tempfile(fileext = ".json"))
#' model <- read_model(file)
#' identical(predict(model, x, type = "decision"), predict(fit, x, type = "decision"))
#' @export
write_model <- function(object, file) {
  check_given(c(object = missing(object), file = missing(file)))
  file <- check_string(file, "file")
  check_ending(file, "json", paste("JSON is written, and R's own form by",
                                   "`saveRDS(object, \"model.rds\")`"))
  need_jsonlite()
  model <- exchanged(object)
  content <- list(
    format = model_format, form = model_version,
    package = as.character(utils::packageVersion("manykernels")),
    formula = formula_text(model$terms), classes = formula_classes(model$terms),
    object = encode_value(without_terms(model), "object")
  )
  text <- jsonlite::toJSON(content, auto_unbox = TRUE, null = "null", json_verbatim = TRUE)
  draft <- tempfile()
  on.exit(unlink(draft))
  tryCatch(writeBin(charToRaw(paste0(enc2utf8(text), "\n")), draft), error = abort_full_folder,
           warning = abort_full_folder)
  if (!replace_file(file, draft)) abort_unwritable(file, "file", "model_file")
  invisible(file)
}

#' @rdname write_model
#' @export
read_model <- function(file) {
  check_given(c(file = missing(file)))
  file <- check_string(file, "file")
  need_jsonlite()
  tryCatch(model_of_text(read_text(file)), error = function(e) {
    mk_abort(sprintf("The file `%s` is not a model as write_model() writes it: %s", file,
                     conditionMessage(e)), "model_file", "file", file, parent = e)
  }, warning = function(w) {
    mk_abort(sprintf("The file `%s` can't be read: %s", file, conditionMessage(w)), "model_file",
             "file", file, parent = w)
  })
}

model_format <- "manykernels model"

need_jsonlite <- function() {
  if (requireNamespace("jsonlite", quietly = TRUE)) return(invisible())
  abort_unsupported("file", "Models are exchanged by way of package jsonlite, which is not installed.")
}

# ---- what is written -----------------------------------------------------------------------------

# The fit with only the fields that prediction needs; the other fields of its class are empty, or zero.
exchanged <- function(object) {
  if (inherits(object, "cv_mkl")) object <- fit_within(object)
  if (inherits(object, "mkl_path")) {
    abort_unsupported("object", "`object` is a path: write a fit at one of its points, as mkl() makes it.")
  }
  check_class(object, c("mkl", "mkl_multiclass", "mkl_model"), "object", "a fit or a result of cv_mkl()")
  fit <- fit_within(object)
  check_exchangeable(fit$kernels)
  check_exchangeable_imputation(layout_of(fit))
  exchanged_fields(fit)
}

check_exchangeable <- function(kernels) {
  kernels <- leaf_kernels(kernels)
  type <- kernel_field(kernels, "type")
  if (any(type == "function")) {
    abort_unsupported("object", sprintf("Kernel `%s` is a function, which can't be exchanged as text.",
                                        names(kernels)[type == "function"][1L]))
  }
}

check_exchangeable_imputation <- function(layout) {
  for (view in unclass(layout)) {
    if (is.function(view$imputation$method)) {
      abort_unsupported("object", paste(
        "`impute` is a function, which can't be exchanged as text: fit with `impute = \"median\"` or",
        "another method by name, or use saveRDS()."
      ))
    }
  }
}

# ---- formulas ------------------------------------------------------------------------------------

formula_functions <- c("~", "+", "-", "*", "/", "^", ":", "(", "%in%", "I", "log", "log2", "log10",
                       "log1p", "exp", "sqrt", "abs")

# Names, numbers and calls of harmless functions.
is_plain_formula <- function(call) {
  if (is.call(call)) {
    return(is.symbol(call[[1L]]) && as.character(call[[1L]]) %in% formula_functions &&
             all(vapply(as.list(call)[-1L], is_plain_formula, NA)))
  }
  is.symbol(call) || (is.numeric(call) && length(call) == 1L)
}

formula_text <- function(terms) {
  if (is.null(terms)) return(NULL)
  formula <- stats::formula(stats::delete.response(terms))
  if (!is_plain_formula(as.call(as.list(formula)))) {
    abort_unsupported("object", sprintf(
      "The formula `%s` calls functions that can't be exchanged: fit to `x` and `y`.",
      deparse1(formula)
    ))
  }
  deparse1(formula)
}

formula_classes <- function(terms) {
  if (is.null(terms)) return(NULL)
  as.list(attr(stats::delete.response(terms), "dataClasses"))
}

# Terms from the text of a formula, which is parsed and checked, but never evaluated. Its functions are those
# of R itself.
formula_terms <- function(text, classes) {
  if (is.null(text)) return(NULL)
  parsed <- parse(text = check_string(text, "formula"), keep.source = FALSE)
  if (length(parsed) != 1L || !is.call(parsed[[1L]]) || !identical(parsed[[1L]][[1L]], as.name("~")) ||
        !is_plain_formula(parsed[[1L]])) stop("its formula is none", call. = FALSE)
  formula <- structure(parsed[[1L]], class = "formula", .Environment = baseenv())
  structure(stats::terms(formula), dataClasses = unlist(classes))
}

# Puts the same terms into all parts of a fit.
with_terms <- function(fit, terms) {
  if (is.null(terms)) return(fit)
  fields <- unclass(fit)
  fields$terms <- terms
  if (!is.null(fields$models)) fields$models <- lapply(fields$models, with_terms, terms)
  structure(fields, class = class(fit))
}

without_terms <- function(fit) {
  fields <- unclass(fit)
  fields["terms"] <- list(NULL)
  fields$call <- NULL
  if (!is.null(fields$models)) fields$models <- lapply(fields$models, without_terms)
  structure(fields, class = class(fit))
}

# ---- values --------------------------------------------------------------------------------------

plain_types <- c("logical", "integer", "double", "character", "raw")

encode_value <- function(x, where) {
  if (is.null(x)) return(list(type = "null"))
  if (inherits(x, "dgCMatrix")) {
    parts <- list(i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = x@Dimnames)
    return(list(type = "sparse", value = encode_list(parts, where)))
  }
  type <- typeof(x)
  if (isS4(x) || !type %in% c(plain_types, "list")) {
    abort_unsupported("object", sprintf("`%s` is %s, which can't be exchanged as text.", where,
                                        describe(x)))
  }
  attributes <- attributes(x)
  if (is.data.frame(x)) attributes$row.names <- seq_len(nrow(x))
  value <- if (type == "list") unname(encode_list(x, where)) else encode_atomic(x, type)
  c(list(type = type, value = value),
    if (length(attributes)) list(attributes = encode_list(attributes, where)))
}

encode_list <- function(x, where) {
  x <- unclass(x)
  labels <- names(x) %||% seq_along(x)
  lapply(stats::setNames(seq_along(x), names(x)), function(k) {
    encode_value(x[[k]], paste0(where, "$", labels[k]))
  })
}

# I(): an array, also of one value. Doubles have 17 digits, two more than jsonlite writes.
encode_atomic <- function(x, type) {
  x <- as.vector(unclass(x))
  attributes(x) <- NULL
  if (type == "double") {
    text <- sprintf("%.17g", x)
    if (!all(is.finite(x))) return(I(text))
    return(structure(sprintf("[%s]", paste(text, collapse = ",")), class = "json"))
  }
  if (type == "raw") return(I(as.integer(x)))
  I(x)
}

# Classes that a value may have, beside those of fits.
exchanged_classes <- c("kernel_set", "mkl_norm", "mkl_loss", "mkl_control", "mk_layout", "mk_views",
                       "mk_sequences", "data.frame", "factor", "ordered", "matrix", "AsIs",
                       "mkl_multioutput", "mkl_multiclass", "mllkm_multiclass", "mkl", "mkl_gomp",
                       "mkl_sequential", "mllkm", "mkl_fit")

decode_value <- function(node) {
  if (!is.list(node) || is.null(names(node)) ||
        !all(names(node) %in% c("type", "value", "attributes")) || anyDuplicated(names(node))) {
    stop("a value does not have the documented form", call. = FALSE)
  }
  type <- check_choice(node$type, c("null", plain_types, "list", "sparse"), "type")
  if (type == "null") return(NULL)
  if (type == "sparse") return(decode_sparse(decode_list(node$value)))
  value <- if (type == "list") decode_list(node$value) else decode_atomic(node$value, type)
  attributes <- decode_list(node$attributes)
  if (!all(attributes$class %in% exchanged_classes)) stop("a class is unknown", call. = FALSE)
  if (identical(attributes$class, "data.frame") && length(attributes$row.names) > 1e9) stop("too long")
  if (length(attributes)) attributes(value) <- attributes
  value
}

decode_list <- function(nodes) {
  if (is.null(nodes)) return(list())
  if (!is.list(nodes)) stop("a list is none", call. = FALSE)
  lapply(nodes, decode_value)
}

# The elements of an array, unsimplified: a parser that simplifies vectors would turn the strings "NA" and
# "Inf" into numbers. Vectors with values that are not finite are strings.
decode_atomic <- function(value, type) {
  if (!is.list(value) || !is.null(names(value))) stop("a vector is none", call. = FALSE)
  absent <- vapply(value, is.null, NA)
  kinds <- unique(vapply(value[!absent], typeof, ""))
  known <- switch(type, logical = "logical", character = "character",
                  c("integer", "double", "character"))
  value[absent] <- list(NA)
  value <- unlist(value)
  whole <- type %in% c("integer", "raw")
  if (whole) value <- as.double(value)
  if (!all(kinds %in% known) || whole && any(value %% 1 != 0, na.rm = TRUE)) {
    stop(sprintf("a vector is not of type \"%s\"", type), call. = FALSE)
  }
  if (type == "double") value[value %in% "NA"] <- NA
  as.vector(value, type)
}

decode_sparse <- function(parts) {
  check_fields(parts, c("i", "p", "x", "Dim", "Dimnames"))
  matrix <- new_sparse(parts, parts$Dim, parts$Dimnames)
  methods::validObject(matrix)
  matrix
}

# ---- what is read --------------------------------------------------------------------------------

deepest <- 1000L # brackets within brackets, beyond which parsers may end the process

read_text <- function(file) {
  size <- file.size(file)
  if (is.na(size) || dir.exists(file)) stop("there is no such file", call. = FALSE)
  bytes <- readBin(file, "raw", size)
  if (any(bytes == 0L)) stop("it is not text", call. = FALSE)
  opens <- bytes == charToRaw("{") | bytes == charToRaw("[")
  closes <- bytes == charToRaw("}") | bytes == charToRaw("]")
  if (max(0L, cumsum(opens - closes)) > deepest) stop("it is too deep", call. = FALSE)
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  if (!validUTF8(text)) stop("it is not text in UTF-8", call. = FALSE)
  text
}

model_of_text <- function(text) {
  content <- jsonlite::parse_json(text)
  known <- c("format", "form", "package", "formula", "classes", "object")
  check_fields(content, setdiff(known, c("formula", "classes")), c("formula", "classes"))
  if (!identical(content$format, model_format)) stop("its format is another", call. = FALSE)
  if (!identical(as.numeric(content$form), as.numeric(model_version))) {
    stop(sprintf("its form is %s, this version of the package supports %d", describe(content$form),
                 model_version), call. = FALSE)
  }
  fit <- with_terms(with_call_again(decode_value(content$object)),
                    formula_terms(content$formula, content$classes))
  check_model(fit)
  structure(list(fit = fit, package = check_string(content$package, "package"),
                 version = model_version), class = c("mkl_model", "mkl_holder", "mkl_fit"))
}

with_call_again <- function(fit) {
  fields <- unclass(fit)
  if (!is.list(fields)) stop("it holds no fit", call. = FALSE)
  fields$call <- quote(read_model())
  if (!is.null(fields$models)) fields$models <- lapply(fields$models, with_call_again)
  structure(fields, class = class(fit))
}

# Checks a model: the table of its class, its kernels by their constructors, and its data by its kernels.
check_model <- function(fit) {
  if (!inherits(fit, c("mkl", "mkl_multiclass"))) stop("it holds no fit", call. = FALSE)
  check_object(fit, "object")
  known <- c(names(object_fields[[known_class(fit)]]), "xlevels", "contrasts", "variables")
  given <- Filter(Negate(is.null), unclass(fit))
  unknown <- setdiff(names(given), known)
  if (length(unknown)) stop(sprintf("it has %s, which is unknown", enumerate(unknown)), call. = FALSE)
  for (name in intersect(c("xlevels", "contrasts"), names(given))) check_by_variable(given[[name]], name)
  check_kernel_set(fit$kernels, "kernels")
  check_exchangeable(fit$kernels)
  if (!is.null(fit$models)) return(lapply(fit$models, check_model))
  check_kept_views(fit$data)
  try_model(fit)
}

# Arguments of model.frame() and model.matrix() for the factors of a formula, which may have none.
check_by_variable <- function(x, name) {
  none <- name == "xlevels" && length(x) == 0L
  if (is.list(x) && (none || !is.null(names(x)))) return(invisible())
  stop(sprintf("its field `%s` must be a list with names, not %s", name, describe(x)), call. = FALSE)
}

check_kept_views <- function(data) {
  for (view in unclass(data$views)) {
    fine <- is_sequences(view) || inherits(view, "dgCMatrix") || (is.matrix(view) && is.double(view))
    if (!fine || nrow(view) != length(data$rows)) stop("a view has another number of rows than `rows`", call. = FALSE)
  }
}

# Predicts a row of ones, so that parts that don't fit each other are found here, not by predict(). An error
# about the row itself is no fault of the model.
try_model <- function(fit) {
  if (any(vapply(fit$data$layout, function(view) isTRUE(view$sequences), NA))) return(invisible())
  views <- lapply(fit$data$layout, function(view) matrix(1, 1L, view$width))
  rows <- list(views = new_views(views, 1L, FALSE), matrices = ones_for_matrices(fit), n = 1L,
               number = 1L, argument = "newdata")
  value <- tryCatch(one_row_values(fit, rows), manykernels_error = function(e) {
    if (identical(e$argument, "newdata")) return(0)
    stop(sprintf("it can't predict: %s", conditionMessage(e)), call. = FALSE)
  })
  if (!is.numeric(value)) stop("it can't predict", call. = FALSE)
}

# New values of precomputed kernels, by name.
ones_for_matrices <- function(fit) {
  names <- names(fit$kernels)[kernel_field(fit$kernels, "type") == "precomputed"]
  lapply(stats::setNames(nm = names), function(name) {
    structure(matrix(1, 1L, NROW(fit$cost)), diagonal = 1)
  })
}

# Values of one row at every step of a pursuit.
one_row_values <- function(fit, rows) {
  if (!inherits(fit, "mkl_gomp")) return(decide_all(list(fit), rows))
  new_path_values(fit, rows, seq_along(fit$order))
}
