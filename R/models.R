# What all fits have in common: the parent class `mkl_fit`, and the binary models and regressions that a
# fit consists of.

# A fit as its class says, and a fit of the parent class. Fits saved by earlier versions lack that class.
with_parent <- function(object) {
  if (is_fit(object) && !inherits(object, "mkl_fit")) class(object) <- c(class(object), "mkl_fit")
  object
}

is_fit <- function(object) inherits(object, c("mkl", "mkl_multiclass"))

# Whether a fit has several models: classes one against the rest or in pairs, responses, quantiles.
has_models <- function(object) !is.null(unclass(object)[["models"]])

# The models of a fit, by name; a fit of one model is the only one in the list.
models_of <- function(object) {
  models <- unclass(object)[["models"]]
  if (is.null(models)) list(object) else models
}

first_model <- function(object) models_of(object)[[1L]]
