# The common ground of all fits: the parent class `mkl_fit`, and the models that a fit consists of.

# Parent classes by class. A holder has a fit as its field `fit`.
parent_classes <- list(mkl = "mkl_fit", mkl_multiclass = "mkl_fit", mkl_path = "mkl_fit",
                       cv_mkl = c("mkl_holder", "mkl_fit"), mkl_model = c("mkl_holder", "mkl_fit"),
                       mllkm_multiclass = "mllkm")

# Gives the object its parent classes, which those saved by earlier versions lack.
with_parent <- function(object) {
  if (inherits(object, "mkl_fit")) return(object)
  for (class in intersect(class(object), names(parent_classes))) {
    own <- class(object)
    class(object) <- unique(append(own, parent_classes[[class]], match(class, own)))
  }
  object
}

# Whether a fit has several models: classes one against the rest or in pairs, responses, quantiles.
has_models <- function(object) !is.null(unclass(object)[["models"]])

multiclass_schemes <- c("ovr", "ovo", "shared", "joint")

# The models of these schemes share one vector of kernel weights, and one certificate.
shares_weights <- function(multiclass) multiclass %in% c("shared", "joint")

# Whether the models of a fit have one vector of kernel weights.
has_shared_weights <- function(object) isTRUE(shares_weights(object$strategy %||% ""))

# The models of a fit, by name; a fit of one model is the only one in the list.
models_of <- function(object) {
  models <- unclass(object)[["models"]]
  if (is.null(models)) return(list(object))
  if (is_packed(models)) unpack_models(models, unclass(object)[["decision"]]) else models
}

first_model <- function(object) {
  models <- unclass(object)[["models"]]
  if (is_packed(models)) unpack_model(models, 1L, unclass(object)[["decision"]]) else
    models_of(object)[[1L]]
}

# The names of the models; NULL for a fit of one model.
model_names <- function(object) {
  models <- unclass(object)[["models"]]
  if (is_packed(models)) models$names else names(models)
}

# Applies `change` to all models; it sets fields to values that don't depend on the model.
change_models <- function(models, change, ...) {
  if (is_packed(models)) set_in_models(models, change(list(), ...)) else lapply(models, change, ...)
}

# The tables that f makes of each model, one below the other.
stack_models <- function(object, f, ...) {
  models <- models_of(object)
  tables <- Map(function(model, name) {
    table <- f(model, ...)
    cbind(model = rep(name, nrow(table)), table)
  }, models, names(models))
  out <- do.call(rbind, tables)
  rownames(out) <- NULL
  out
}

#' @export
`$.mkl_multiclass` <- function(x, name) {
  value <- .subset2(x, name, exact = FALSE)
  if (is_packed(value)) models_of(x) else value
}

#' @export
`[[.mkl_multiclass` <- function(x, i, ...) {
  value <- .subset2(x, i, ...)
  if (is_packed(value)) models_of(x) else value
}
