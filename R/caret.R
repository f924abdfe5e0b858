# A model for caret's train().

#' Multiple kernel learning in caret
#'
#' Describes [mkl()] to `caret::train(method = caret_mkl())`, for classification (with class
#' probabilities on request) and regression. It tunes `C` and `p`.
#'
#' @param kernels A kernel set, see [mkl()]; `NULL`: [default_kernels()] of the training rows of each
#'   resample.
#' @return A list with the elements of a custom model, as the help page of `caret::train()` describes
#'   them.
#' @details Further arguments of `train()` go to [mkl()], such as `loss`, `normalize`, `class_weights` or
#'   `threshold`; so do its case `weights`. `caret::trainControl(classProbs = TRUE)` adds class probabilities,
#'   which take five more fits each. The default grid has `tuneLength` values of `C` (powers of 4 around 1)
#'   and `p` in 1, 4/3 and 2. The kind of problem is that of `train()`: numbers are a regression, whatever
#'   their values. A loss of several quantiles is an error (class `manykernels_unsupported`). `train()`
#'   silently drops an `offset()` from a formula.
#' @seealso [cv_mkl()], which shares kernels among the fits of a grid;
#'   [svm_mkl()], [mlr3_learners_mkl].
#' @examples
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   set.seed(1)
#'   tuned <- caret::train(Species ~ ., iris, method = caret_mkl(),
#'                         tuneGrid = expand.grid(C = c(1, 4), p = c(1, 2)),
#'                         trControl = caret::trainControl("cv", number = 3))
#'   tuned$bestTune
#'   predict(tuned, iris[c(1, 51, 101), ])
#' }
#' @export
caret_mkl <- function(kernels = NULL) {
  list(
    label = "Multiple kernel learning", library = "manykernels",
    type = c("Classification", "Regression"),
    parameters = data.frame(parameter = c("C", "p"), class = "numeric",
                            label = c("Cost", "Norm of the kernel weights")),
    grid = caret_grid,
    fit = function(x, y, wts, param, lev, last, classProbs, ...) {
      refuse_elsewhere(...names())
      caret_fit(x = x, y = y, kernels = kernels, weights = wts, param = param, classProbs = classProbs, ...)
    },
    predict = function(modelFit, newdata, submodels = NULL) predict(modelFit, newdata),
    prob = function(modelFit, newdata, submodels = NULL) {
      prob <- predict(modelFit, newdata, type = "prob")
      as.data.frame(with_levels(prob, modelFit$obsLevels %||% colnames(prob)))
    },
    levels = function(x) x$levels,
    sort = function(x) x[order(x$C, x$p), ],
    tags = c("Kernel Method", "Support Vector Machines"), loop = NULL
  )
}

caret_grid <- function(x, y, len = NULL, search = "grid") {
  if (search == "random") {
    return(data.frame(C = 2^stats::runif(len, -3, 6), p = 1 / stats::runif(len, 0.1, 1)))
  }
  expand.grid(C = 4^(seq_len(len) - 1 - len %/% 3), p = c(1, 4 / 3, 2))
}

# Refuses arguments of train() that have a place of their own.
refuse_elsewhere <- function(names) {
  places <- c(kernels = "method = caret_mkl(kernels)", C = "tuneGrid = data.frame(C = 1, p = 2)",
              p = "tuneGrid = data.frame(C = 1, p = 2)")
  for (name in intersect(names(places), names)) {
    mk_abort(sprintf("Give `%s` of train() by `%s`.", name, places[[name]]), "invalid_argument", name)
  }
}

caret_fit <- function(x, y, kernels, weights, param, classProbs, ..., loss = NULL, control = mkl_control(),
                      type = if (is.numeric(y)) "regression" else "classification") {
  if (is.list(loss) && length(loss$tau) > 1L) {
    abort_unsupported("loss", paste("Give a loss of one quantile, `loss = quantile_loss(0.5)`, or use `cv_mkl()`:",
                                    "train() would compare the response with all quantiles as if they were one."))
  }
  control$probability <- isTRUE(classProbs)
  # train() has changed the names of the rows, but not those of the response
  stops_as_whole(mkl(x, unname(y), kernels, p = param$p, C = param$C, weights = weights,
                     loss = loss, control = control, type = type, ...))
}
