# A model specification for parsnip. Registered when parsnip is loaded, see zzz.R.

#' Multiple kernel learning in tidymodels
#'
#' `svm_mkl()` is a model specification of package \pkg{parsnip} for [mkl()]: classification with class
#' probabilities, and regression. It works with `fit()`, `predict()`, `augment()`, \pkg{recipes},
#' \pkg{workflows}, and `tune_grid()`. `norm_p()` is the parameter of package \pkg{dials} for the norm of
#' the kernel weights.
#'
#' The only engine is `"manykernels"`. All other arguments of [mkl()] are engine arguments:
#' `set_engine("manykernels", kernels = gaussian_kernel(2^(0:9)), loss = "logistic")`. Without `kernels`
#' each fit takes [default_kernels()] of its own training rows. Kernels on sets of columns
#' ([on_features()]) use the column names that the recipe produces.
#'
#' A recipe needs no `step_dummy()` and no `step_normalize()`: [mkl()] turns factors into indicators and
#' standardises columns (`scale = TRUE`).
#'
#' Sparse predictors (`fit_xy()` with a sparse matrix of package Matrix) stay sparse. A formula with an
#' `offset()` is an error in `fit()`; `workflows::add_formula()` removes it before the model is fitted. So is one
#' with interactions (class `manykernels_formula`): give them as columns, as by `recipes::step_interact()`. The
#' mode alone decides between classification and regression: parsnip warns of an engine argument `type` and
#' leaves it out. A level without training rows, as in a small fold, has probability 0.
#'
#' Package \pkg{yardstick} has a function `huber_loss()`, too. With both packages attached, write
#' `loss = manykernels::huber_loss()`.
#'
#' Class probabilities come from a sigmoid that five further fits calibrate
#' (`mkl_control(probability = TRUE)`), except for the logistic loss. If you need no probabilities,
#' `set_engine("manykernels", control = mkl_control())` saves these fits. Measures of probabilities, such as
#' the area under the ROC curve, are then not available.
#'
#' @param mode `"classification"`, `"regression"`, or `"unknown"`, to be set later by `parsnip::set_mode()`.
#'   parsnip takes a factor for a classification: make labels of haven one by `haven::as_factor()`.
#' @param engine `"manykernels"`.
#' @param cost The weight of the loss, `C` of [mkl()]: a positive number or `tune()`.
#' @param norm_p The norm of the kernel weights, `p` of [mkl()]: a number in \[1, Inf\] or `tune()`.
#' @param range Two numbers, the smallest and the largest norm to try, on the scale of `trans`: 0 to 3
#'   are norms from 1 to 8. `Inf` can't be part of a range; give it in a grid of your own.
#' @param trans A transformation of package \pkg{scales}; by default the logarithm of base 2.
#'
#' @return `svm_mkl()`: an object of class `svm_mkl` and `model_spec`. `norm_p()`: a parameter of class
#'   `quant_param`.
#'
#'   Both signal an error of class `manykernels_missing_package` if parsnip or dials isn't installed.
#' @seealso [cv_mkl()], which shares kernels among the fits of a grid, unlike
#'   `tune_grid()`; [mlr3_learners_mkl] and [caret_mkl()] for other frameworks.
#' @examples
#' if (requireNamespace("parsnip", quietly = TRUE)) {
#'   spec <- svm_mkl("classification", cost = 1, norm_p = 4 / 3)
#'   fit <- parsnip::fit(spec, Species ~ ., iris)
#'   predict(fit, iris[c(1, 51, 101), ])
#'   predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' }
#' @export
svm_mkl <- function(mode = "unknown", engine = "manykernels", cost = NULL, norm_p = NULL, ...) {
  refuse_abbreviated(spec_hints)
  check_dots_empty(..., .hints = spec_hints)
  need_package("parsnip", "`svm_mkl()`")
  parsnip::new_model_spec(
    "svm_mkl", args = list(cost = rlang::enquo(cost), norm_p = rlang::enquo(norm_p)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine)
  )
}

#' @param object A specification.
#' @param parameters A list or a one-row tibble with values of `cost` and `norm_p`.
#' @param fresh `TRUE`: arguments that are not given are reset.
#' @param ... Of `update()`: engine arguments. Otherwise not used; anything given is an error.
#' @rdname svm_mkl
#' @export
update.svm_mkl <- function(object, parameters = NULL, cost = NULL, norm_p = NULL, fresh = FALSE,
                           ...) {
  parsnip::update_spec(
    object, parameters, args_enquo_list = list(cost = rlang::enquo(cost),
                                               norm_p = rlang::enquo(norm_p)),
    fresh = fresh, cls = "svm_mkl", ...
  )
}

# The columns that parsnip takes are the variables of a formula: it would drop interactions without a word, and
# keep variables that `- variable` removes.
#' @rawNamespace S3method(generics::fit,svm_mkl)
fit.svm_mkl <- function(object, formula, data, ...) {
  terms <- if (inherits(formula, "formula")) tryCatch(stats::terms(formula, data = data), error = function(e) NULL)
  if (any(attr(terms, "order") > 1L)) {
    mk_abort(paste("Give interactions as columns, as by `recipes::step_interact()` or `I(a * b)`, or fit by `mkl()`:",
                   "`formula` has interactions, which parsnip would leave out."), "formula", "formula")
  }
  if (!is.null(terms)) formula <- stats::formula(used_terms(terms))
  utils::getS3method("fit", "model_spec", envir = asNamespace("parsnip"))(object, formula, data, ...)
}

#' @rdname svm_mkl
#' @export
norm_p <- function(range = c(0, 3), trans = NULL) {
  need_package("dials", "`norm_p()`")
  dials::new_quant_param(
    "double", range = range, inclusive = c(TRUE, TRUE),
    trans = if (is.null(trans)) scales::log2_trans() else trans,
    label = c(norm_p = "Norm of the kernel weights"), finalize = NULL
  )
}

# Tells parsnip about the model; called once, when parsnip is there.
register_parsnip <- function() {
  if ("svm_mkl" %in% parsnip::get_model_env()$models) return(invisible())
  parsnip::set_new_model("svm_mkl")
  for (mode in c("classification", "regression")) register_parsnip_mode(mode)
  parsnip_argument <- function(name, original, package, fun) {
    parsnip::set_model_arg("svm_mkl", "manykernels", name, original,
                           func = list(pkg = package, fun = fun), has_submodel = FALSE)
  }
  parsnip_argument("cost", "C", "dials", "cost")
  parsnip_argument("norm_p", "p", "manykernels", "norm_p")
}

# Probabilities with a column for each level, 0 where training had no rows of it.
with_levels <- function(prob, levels) {
  out <- matrix(0, nrow(prob), length(levels), dimnames = list(rownames(prob), levels))
  out[, colnames(prob)] <- prob
  out
}

register_parsnip_mode <- function(mode) {
  parsnip::set_model_mode("svm_mkl", mode)
  parsnip::set_model_engine("svm_mkl", mode, "manykernels")
  parsnip::set_dependency("svm_mkl", "manykernels", "manykernels", mode)
  defaults <- list(type = mode)
  if (mode == "classification") {
    defaults$control <- quote(manykernels::mkl_control(probability = TRUE))
  }
  parsnip::set_fit("svm_mkl", mode, "manykernels", value = list(
    interface = "data.frame", data = c(x = "x", y = "y", weights = "weights"),
    protect = c("x", "y", "weights", "type"),
    func = c(pkg = "manykernels", fun = "mkl"), defaults = defaults
  ))
  parsnip::set_encoding("svm_mkl", mode, "manykernels", options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = TRUE
  ))
  # parsnip's name of a prediction, and ours
  types <- if (mode == "regression") c(numeric = "response", raw = "decision") else {
    c(class = "response", prob = "prob", raw = "decision")
  }
  for (name in names(types)) {
    post <- if (name == "prob") function(x, object) tibble::as_tibble(with_levels(x, object$lvl))
    parsnip::set_pred("svm_mkl", mode, "manykernels", name, value = list(
      pre = NULL, post = post, func = c(fun = "predict"),
      args = list(object = quote(object$fit), newdata = quote(new_data), type = types[[name]])
    ))
  }
}
