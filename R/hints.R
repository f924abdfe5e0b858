# Arguments that other packages have for what is done another way here: hints for those who come
# from there. A function of the argument's value where the hint depends on it.

fit_hints <- list(
  cost = "the weight of the loss is `C`",
  class.weights = "class weights are `class_weights`, a vector named by level or \"balanced\"",
  case_weights = "case weights are `weights`",
  wts = "case weights are `weights`",
  probability = "class probabilities are `control = mkl_control(probability = TRUE)`",
  prob.model = "class probabilities are `control = mkl_control(probability = TRUE)`",
  prob = "class probabilities are `control = mkl_control(probability = TRUE)`",
  type = "`y` and `loss` say what is fitted: a factor is classification, numbers are regression",
  nu = "there is no nu-parametrisation; `C` weighs the loss",
  epsilon = function(value) {
    sprintf("the width of the tube is `loss = epsilon_loss(%s)`", number_or(value, "0.1"))
  },
  kernel = "kernels are made by constructors, such as `kernels = gaussian_kernel(width = 1)`",
  sigma = function(value) width_hint(value, "sigma"),
  gamma = function(value) width_hint(value, "gamma"),
  kpar = function(value) {
    sigma <- if (is.list(value)) value$sigma
    if (is.null(sigma) && is.list(value) && !is.null(value$degree)) return(degree_hint)
    width_hint(sigma, "sigma")
  },
  width = "widths are given to the kernels, `kernels = gaussian_kernel(width = 1)`",
  degree = "it belongs to the kernels, `kernels = polynomial_kernel(degree, scale, offset)`",
  coef0 = "it is `offset` of `kernels = polynomial_kernel(degree, scale, offset)`",
  offset = paste("a model without offset has `intercept = FALSE`; the offset of polynomials is an",
                 "argument of `polynomial_kernel()`"),
  scaled = "columns are standardised by `scale`",
  shrinking = "the optimiser shrinks by itself",
  fitted = "fits have their training values, see `fitted()`",
  decision.values = "decision values are `predict(fit, newdata, type = \"decision\")`",
  cross = function(value) {
    sprintf("cv_mkl() cross-validates, with `folds = %s`, and chooses `C` and `p`",
            number_or(value, "5"))
  },
  subset = "it is for formulas; take the rows of `x` and `y`, as in `x[rows, ]` and `y[rows]`",
  na.action = "it is for formulas; leave out rows with missing values before",
  data = "it is for formulas, which come first, as in `mkl(y ~ ., data = data)`",
  lambda = "the weight of the loss is `C`, for a penalty `lambda` on n rows `C = 1 / (lambda * n)`",
  tolerance = "it is `control = mkl_control(tol = 1e-3)`, the relative duality gap",
  tol = "it is `control = mkl_control(tol = 1e-3)`, the relative duality gap",
  eps = "it is `control = mkl_control(tol = 1e-3)`, the relative duality gap",
  cachesize = "it is `control = mkl_control(cache = \"500MB\")`",
  cache.size = "it is `control = mkl_control(cache = \"500MB\")`",
  cache = "it is `control = mkl_control(cache = \"500MB\")`",
  threads = "it is `control = mkl_control(threads = 2)`",
  nthreads = "it is `control = mkl_control(threads = 2)`",
  num_threads = "it is `control = mkl_control(threads = 2)`",
  cores = "it is `control = mkl_control(threads = 2)`",
  max_iter = "it is `control = mkl_control(max_iter = 100)`",
  maxiter = "it is `control = mkl_control(max_iter = 100)`",
  iterations = "it is `control = mkl_control(max_iter = 100)`",
  max_time = "it is `control = mkl_control(max_time = 60)`, in seconds",
  optimizer = "it is `control = mkl_control(optimizer = \"newton\")`",
  precision = "it is `control = mkl_control(precision = \"double\")`",
  progress = "it is `control = mkl_control(progress = TRUE)`",
  verbose = "it is `control = mkl_control(progress = TRUE)`",
  trace = "it is `control = mkl_control(trace = TRUE)`",
  start = "it is `control = mkl_control(start = fit)`"
)

# Hints that differ by function: least squares over kernels have no C, fits by anchors no kernels.
gomp_hints <- utils::modifyList(fit_hints, list(
  cost = "the weight of the penalty is `lambda`, 1 / (n C) for n rows",
  C = "the weight of the penalty is `lambda`, 1 / (n C) for n rows",
  nu = "the weight of the penalty is `lambda`",
  probability = "there are no class probabilities in least squares over kernels; mkl() has them",
  prob.model = "there are no class probabilities in least squares over kernels; mkl() has them",
  loss = "the loss is the squared one; mkl() has others",
  cross = paste("the number of folds is `folds`, which chooses `lambda`;",
                "cv_mkl(model = \"mkl_gomp\") does so by any measure")
))

mllkm_hints <- utils::modifyList(fit_hints, list(
  kernel = "kernels are made from anchors, see `map` and `gamma`",
  kernels = "kernels are made from anchors, see `map` and `gamma`",
  kpar = "kernels are made from anchors, see `map` and `gamma`",
  sigma = "it is `gamma`, one or several numbers", width = "it is `gamma`, 1 / width",
  degree = "kernels are made from anchors, see `map` and `gamma`",
  p = "mllkm() always has p = 1",
  cross = function(value) {
    sprintf(paste("cv_mkl(model = \"mllkm\") cross-validates, with `folds = %s`, and chooses",
                  "`gamma` and `C`"), number_or(value, "5"))
  }
))

# What fits call by other names, cross-validation has itself.
cv_hints <- utils::modifyList(fit_hints, list(
  cross = "the number of folds is `folds`", nfolds = "the number of folds is `folds`",
  k = "the number of folds is `folds`", seed = "call set.seed() before",
  tuneGrid = "the grid is `p` and `C`, as in `p = c(1, 2), C = 10^(-2:2)`",
  ranges = "the grid is `p` and `C`, as in `p = c(1, 2), C = 10^(-2:2)`",
  metric = "the measure is `measure`, see `?measures`",
  type.measure = "the measure is `measure`, see `?measures`"
))

sequential_hints <- utils::modifyList(fit_hints, list(
  kernel = "kernels go into `dictionary`, as in `dictionary = gaussian_kernel(2^(-3:3))`",
  kernels = "kernels go into `dictionary`",
  p = "fits over a dictionary have p = 1; mkl() has others",
  norm = "fits over a dictionary have p = 1; mkl() has others",
  cross = "fits over a dictionary don't cross-validate; cv_mkl() does, for given kernels"
))

predict_hints <- list(
  decision.values = "decision values are `type = \"decision\"`",
  probability = "class probabilities are `type = \"prob\"`",
  prob = "class probabilities are `type = \"prob\"`",
  se.fit = "there are no standard errors"
)

# Types of predictions by the names that they have elsewhere.
type_aliases <- c(
  class = "response", classes = "response", raw = "response", numeric = "response",
  link = "decision", scores = "decision", score = "decision", decision.values = "decision",
  probabilities = "prob", probability = "prob", probs = "prob", posterior = "prob"
)

# What a type is called here.
type_elsewhere <- function(type) {
  one <- is.character(type) && length(type) == 1L && type %in% names(type_aliases)
  if (one) type_aliases[[type]] else type
}

# What to give in place of something that is no kernel set; "" where that can't be told.
kernel_hint <- function(x) {
  if (is.character(x) && length(x) == 1L) {
    kind <- c(rbfdot = "gaussian", radial = "gaussian", rbf = "gaussian", gaussian = "gaussian",
              polydot = "polynomial", polynomial = "polynomial", poly = "polynomial",
              vanilladot = "linear", linear = "linear")[tolower(x)]
    return(switch(if (is.na(kind)) "" else kind,
      gaussian = paste(" Give `gaussian_kernel(width = 1)`; the width is 1 / sigma of kernlab and",
                       "1 / gamma of e1071."),
      polynomial = " Give `polynomial_kernel(degree = 2, scale = 1, offset = 1)`.",
      linear = " Give `linear_kernel()`.", ""
    ))
  }
  if (is.matrix(x) || inherits(x, "Matrix")) {
    return(" Kernel matrices go into `precomputed_kernel()`.")
  }
  if (is.function(x)) return(" Functions of two matrices go into `function_kernel()`.")
  if (is.list(x) && all(vapply(x, inherits, NA, "kernel_set"))) return(" `c()` joins kernel sets.")
  ""
}

degree_hint <- "kernels are made by constructors, such as `kernels = polynomial_kernel(degree = 2)`"

# exp(-sigma ||x - z||^2) is the Gaussian kernel of width 1 / sigma.
width_hint <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1L || !isTRUE(value > 0)) value <- NULL
  sprintf("Gaussian kernels have a width, 1 / %s: `kernels = gaussian_kernel(width = %s)`", name,
          if (is.null(value)) paste("1 /", name) else format(1 / value, digits = 4L))
}

number_or <- function(value, otherwise) {
  if (is.numeric(value) && length(value) == 1L) format(value, digits = 4L) else otherwise
}

# ": the weight of the loss is `C`", or "".
hint_text <- function(hints, argument, value) {
  hint <- if (nzchar(argument)) hints[[argument, exact = TRUE]]
  if (is.null(hint)) return("")
  paste0(": ", if (is.function(hint)) hint(value) else hint)
}

path_hints <- utils::modifyList(fit_hints, list(
  lambda = "the weight of the loss is `C`, a range such as `C = c(0.01, 1000)`",
  tol = NULL, tolerance = "it is `tol`, the relative duality gap everywhere on the path",
  nlambda = "the path chooses its points itself, to be within `tol` everywhere",
  start = NULL,
  cross = "paths don't cross-validate; cv_mkl() does"
))
