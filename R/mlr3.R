# Learners for mlr3. Their classes are made at their first use, since mlr3 may not be installed.

#' Multiple kernel learning in mlr3
#'
#' `LearnerClassifMKL$new()` and `LearnerRegrMKL$new()` are learners of package \pkg{mlr3} for [mkl()].
#' Once mlr3 is loaded, `mlr3::lrn("classif.mkl")` and `mlr3::lrn("regr.mkl")` make them, too.
#'
#' Parameters, each as in [mkl()]: `C` and `p` (numbers, which can be tuned; `p` from 1 to `Inf`),
#' `kernels`, `loss`, `norm`, `normalize`, `intercept`, `scale`, `control`, `impute` ([imputation]), and for
#' classification `class_weights`, `multiclass` and `threshold`, which decides on the predicted class also where
#' `predict_type` is `"prob"`. Weights of the task's rows are case weights.
#'
#' Factors and text are indicators, logical columns are 0 and 1. `predict_type = "prob"` fits a sigmoid
#' by cross-validation unless the loss is logistic; see [mkl_control()].
#'
#' @format Each is a list of class `mkl_learner_generator` with one function, `new()`, which returns a
#'   learner (class `Learner` of mlr3). `new()` signals an error of class `manykernels_missing_package`
#'   where mlr3 isn't installed.
#' @seealso [svm_mkl()] for tidymodels, [caret_mkl()] for caret.
#' @examples
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   task <- mlr3::as_task_classif(iris, target = "Species")
#'   learner <- LearnerClassifMKL$new()
#'   learner$param_set$values <- list(C = 2, p = 4 / 3)
#'   learner$train(task)
#'   learner$predict(task)$score()
#' }
#' @name mlr3_learners_mkl
NULL

#' @rdname mlr3_learners_mkl
#' @export
LearnerClassifMKL <- structure(list(new = function() mlr3_learner("classif")),
                               class = "mkl_learner_generator")

#' @rdname mlr3_learners_mkl
#' @export
LearnerRegrMKL <- structure(list(new = function() mlr3_learner("regr")),
                            class = "mkl_learner_generator")

#' @export
print.mkl_learner_generator <- function(x, ...) {
  cat("A learner of mlr3 for mkl(): make one by $new()\n")
  invisible(x)
}

# Names that R6 gives to methods of its classes.
utils::globalVariables(c("self", "super"))

mlr3_learner <- function(task_type) {
  need_package("mlr3", "A learner of mlr3")
  is_classif <- task_type == "classif"
  parent <- if (is_classif) mlr3::LearnerClassif else mlr3::LearnerRegr
  class <- R6::R6Class(
    if (is_classif) "LearnerClassifMKL" else "LearnerRegrMKL", inherit = parent,
    public = list(initialize = function() {
      super$initialize(
        id = paste0(task_type, ".mkl"), param_set = mlr3_parameters(is_classif),
        predict_types = c("response", if (is_classif) "prob"),
        feature_types = c("logical", "integer", "numeric", "character", "factor", "ordered"),
        properties = c("weights", "missings", if (is_classif) c("twoclass", "multiclass")),
        packages = "manykernels", label = "Multiple kernel learning", man = "manykernels::mkl"
      )
    }),
    private = list(
      .train = function(task) mlr3_train(task, self),
      .predict = function(task) mlr3_predict(task, self)
    )
  )
  class$new()
}

mlr3_parameters <- function(is_classif) {
  any_value <- function() paradox::p_uty(tags = "train")
  shared <- list(
    C = paradox::p_dbl(lower = 0, tags = "train"),
    p = paradox::p_dbl(lower = 1, tags = "train", special_vals = list(Inf)),
    kernels = any_value(), loss = any_value(), norm = any_value(), normalize = any_value(),
    intercept = paradox::p_lgl(tags = "train"), scale = any_value(), control = any_value(),
    impute = any_value()
  )
  classes <- list(class_weights = any_value(),
                  multiclass = paradox::p_fct(c("ovr", "ovo", "shared", "joint"), tags = "train"),
                  threshold = any_value())
  do.call(paradox::ps, c(shared, if (is_classif) classes))
}

mlr3_train <- function(task, learner) {
  values <- learner$param_set$get_values(tags = "train")
  control <- values$control %||% mkl_control()
  if (learner$predict_type == "prob") control$probability <- TRUE
  values$control <- quote(control)
  x <- mlr3_features(task)
  y <- task$truth()
  weights <- mlr3_weights(task)
  # by name, so that the call in the fit doesn't hold the data
  values$type <- if (learner$task_type == "classif") "classification" else "regression"
  stops_as_whole(do.call(mkl, c(alist(x, y, weights = weights), values)))
}

mlr3_predict <- function(task, learner) {
  types <- unique(c("response", learner$predict_type)) # a threshold may not predict the most probable class
  new <- mlr3_features(task)
  lapply(stats::setNames(nm = types), function(type) stats::predict(learner$model, new, type = type))
}

mlr3_features <- function(task) {
  if (!length(task$feature_names)) {
    mk_abort(sprintf(paste(
      "Give columns of the task the role of features, as by `task$set_col_roles(\"z\", \"feature\")`:",
      "task `%s` has no features."
    ), task$id), "dimension", "task", task$id)
  }
  as.data.frame(task$data(cols = task$feature_names))
}

# Older versions of mlr3 have `weights` where newer ones have `weights_learner`.
mlr3_weights <- function(task) {
  table <- if ("weights_learner" %in% names(task)) task$weights_learner else task$weights
  if (is.null(table)) NULL else table$weight
}

register_mlr3 <- function() {
  mlr3::mlr_learners$add("classif.mkl", function() LearnerClassifMKL$new())
  mlr3::mlr_learners$add("regr.mkl", function() LearnerRegrMKL$new())
}
