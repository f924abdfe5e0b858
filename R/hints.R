# Hints for arguments of other packages that have another name here. A hint is a function of the argument's
# value if it depends on it.

cutoff_hint <- paste("mkl(), cv_mkl() and mllkm() choose the decision value between two classes by",
                     "`threshold = \"balanced\"`")

strata_hint <- "folds of cv_mkl() are stratified by `y`; for others give `folds`, one value per row"

fit_hints <- list(
  cost = "the weight of the loss is `C`",
  family = paste("the kind of problem is `type = \"classification\"` or `type = \"regression\"`, and",
                 "`loss = \"logistic\"` is that of the binomial family"),
  alpha = paste("the norm of the kernel weights is `p`, and a mixture of two is",
                "`norm = elastic_net_norm(0.5)`"),
  penalty = "the weight of the loss is `C`; the norm of the kernel weights is `p`",
  event = "times that may be censored are `y = survival::Surv(time, event)`",
  status = "times that may be censored are `y = survival::Surv(time, status)`",
  time = "times that may be censored are `y = survival::Surv(time, status)`",
  assay = "it is for containers; else take the assay as `x`, samples in rows",
  colData = "it is for containers; else give variables of the samples as a view, a data frame in a list `x`",
  groups = "it is `group` of cv_mkl(), which keeps rows of a group in one fold",
  group = "cv_mkl() keeps rows of a `group` in one fold",
  strata = strata_hint, stratify = strata_hint,
  v = function(value) fold_hint(value), nfolds = function(value) fold_hint(value),
  n_folds = function(value) fold_hint(value), nfold = function(value) fold_hint(value),
  cv = function(value) fold_hint(value),
  folds = function(value) fold_hint(value),
  class.weights = "class weights are `class_weights`, a vector named by level or \"balanced\"",
  case_weights = "case weights are `weights`",
  wts = "case weights are `weights`",
  sample_weight = "case weights are `weights`",
  sample.weights = "case weights are `weights`",
  standardize = function(value) {
    sprintf("columns are standardised by `scale = %s`", if (isFALSE(value)) "FALSE" else "TRUE")
  },
  probability = "class probabilities are `control = mkl_control(probability = TRUE)`",
  prob.model = "class probabilities are `control = mkl_control(probability = TRUE)`",
  prob = "class probabilities are `control = mkl_control(probability = TRUE)`",
  nu = "there is no nu-parametrisation; `C` weighs the loss",
  epsilon = function(value) {
    sprintf("the width of the tube is `loss = epsilon_loss(%s)`", number_or(value, "0.1"))
  },
  kernel = function(value) {
    if (inherits(value, "kernel_set")) return("it is `kernels`")
    hint <- kernel_hint(value)
    if (nzchar(hint)) return(paste0("it is `kernels`.", sub("[.]$", "", hint)))
    "kernels are made by constructors, such as `kernels = gaussian_kernel(width = 1)`"
  },
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
  offset = paste("known parts of the response, the offset of glm(), are not supported: in a regression",
                 "give `y - offset` as `y`. A model without a constant has `intercept = FALSE`, and",
                 "polynomials have `offset` of `polynomial_kernel()`"),
  cutoff = cutoff_hint, threshold = cutoff_hint,
  imputation = "mkl() and cv_mkl() fill missing cells by `impute = \"median\"`",
  tau = function(value) {
    inside <- is.numeric(value) && length(value) == 1L && isTRUE(value > 0 && value < 1)
    sprintf("quantiles are those of mkl() and cv_mkl() with `loss = quantile_loss(%s)`",
            if (inside) format(value) else "0.5")
  },
  scaled = "columns are standardised by `scale`",
  shrinking = "the optimiser shrinks by itself",
  fitted = "fits have their training values, see `fitted()`",
  decision.values = "decision values are `predict(fit, newdata, type = \"decision\")`",
  cross = function(value) fold_hint(value),
  subset = "it is for formulas; take the rows of `x` and `y`, as in `x[rows, ]` and `y[rows]`",
  na.action = "it is for formulas; missing cells are filled by `impute = \"median\"`",
  data = function(value) {
    sprintf("it is for formulas, which come first, as in `%s(y ~ ., data = data)`; data without one are `x`",
            called_function())
  },
  formula = function(value) {
    sprintf("formulas come first, without quotes and without a name, as in `%s(y ~ ., data = data)`",
            called_function())
  },
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
  ncores = "it is `control = mkl_control(threads = 2)`",
  n_cores = "it is `control = mkl_control(threads = 2)`",
  n_jobs = "it is `control = mkl_control(threads = 2)`",
  num.threads = "it is `control = mkl_control(threads = 2)`",
  nthread = "it is `control = mkl_control(threads = 2)`",
  n.cores = "it is `control = mkl_control(threads = 2)`",
  parallel = "it is `control = mkl_control(threads = 2)`",
  mc.cores = "it is `control = mkl_control(threads = 2)`",
  cl = "it is `control = mkl_control(threads = 2)`",
  max_iter = "it is `control = mkl_control(max_iter = 100)`",
  maxit = "it is `control = mkl_control(max_iter = 100)`",
  maxiter = "it is `control = mkl_control(max_iter = 100)`",
  iterations = "it is `control = mkl_control(max_iter = 100)`",
  max_time = "it is `control = mkl_control(max_time = 60)`, in seconds",
  optimiser = "it is `control = mkl_control(optimizer = \"newton\")`",
  optimizer = "it is `control = mkl_control(optimizer = \"newton\")`",
  precision = "it is `control = mkl_control(precision = \"double\")`",
  progress = "it is `control = mkl_control(progress = TRUE)`",
  verbose = "it is `control = mkl_control(progress = TRUE)`",
  trace = "it is `control = mkl_control(trace = TRUE)`",
  start = "it is `control = mkl_control(start = fit)`"
)

# Refuses abbreviated names, as the first line of every function that fits: R would complete `cl` of other
# packages to `class_weights`.
refuse_abbreviated <- function(hints) {
  parent <- sys.parent()
  known <- names(formals(sys.function(parent)))
  given <- names(match.call(function(...) NULL, sys.call(parent), envir = parent.frame(2)))
  short <- setdiff(given, c("", known))
  full <- known[pmatch(short, known, duplicates.ok = TRUE)]
  if (all(is.na(full))) return(invisible())
  argument <- short[!is.na(full)][1L]
  value <- tryCatch(get(full[!is.na(full)][1L], parent.frame()), error = function(e) NULL)
  hint <- hint_text(hints, argument, value)
  mk_abort(sprintf("`%s` is not an argument here%s.", argument, if (nzchar(hint)) hint else
    sprintf(": names are not completed; `%s` is one", full[!is.na(full)][1L])),
    "invalid_argument", argument)
}

# A table that gives several words one hint.
alike <- function(words, hint) stats::setNames(rep(list(hint), length(words)), words)

fold_words <- c("cross", "v", "nfolds", "n_folds", "nfold", "cv", "folds")
norm_words <- c("alpha", "p", "norm")
width_words <- c("sigma", "gamma", "kpar", "width")
start_hint <- "only mkl() starts from a fit, by `control = mkl_control(start = fit)`"

# Hints that differ by function: mkl_gomp() has no C, and mllkm() no kernels.
gomp_hints <- utils::modifyList(fit_hints, c(
  alike(c("cost", "C", "penalty"), "the weight of the penalty is `lambda`, 1 / (n C) for n rows"),
  alike(c("probability", "prob.model", "prob"),
        "there are no class probabilities in a matching pursuit; mkl() has them"),
  alike(norm_words, paste("the kernels are chosen one by one, at most `max_kernels = 50`; mkl() has norms",
                          "of weights")),
  alike(fold_words, paste("the number of folds is `folds`, which chooses `lambda`;",
                          "cv_mkl(model = \"mkl_gomp\") does so by any measure")),
  alike(c("event", "status", "time"), "times that may be censored are for mkl(), cv_mkl() and mkl_path()"),
  list(
    groups = "it is `group`, one value per row, which `folds` keep together",
    cutoff = "it is `threshold`, a number; cv_mkl(model = \"mkl_gomp\") chooses it by a rule",
    nu = "the weight of the penalty is `lambda`", start = start_hint, tau = "mkl() and cv_mkl() fit quantiles",
    family = paste("the kind of problem is `type = \"classification\"` or `type = \"regression\"`; the",
                   "losses are `loss = \"squared\"`, \"hinge\" and \"logistic\", and mkl() has others")
  )
))

mllkm_hints <- utils::modifyList(fit_hints, c(
  alike(c("kernel", "kernels", "kpar", "degree", "coef0"),
        "kernels are made from anchors, see `map` and `gamma`"),
  alike(norm_words, "mllkm() always has p = 1"),
  alike(fold_words, function(value) {
    sprintf(paste("cv_mkl(model = \"mllkm\") cross-validates, with `folds = %s`, and chooses",
                  "`gamma` and `C`"), number_or(value, "5"))
  }),
  list(penalty = "the weight of the loss is `C`", start = start_hint,
       sigma = "it is `gamma`, one or several numbers", width = "it is `gamma`, 1 / width")
))

cv_folds_hint <- "it is `folds`, their number or the fold of each row"
workers_hint <- paste("several processes are `future::plan(future::multisession, workers = 2)` before",
                      "the call, or `BPPARAM`; threads of one are `control = mkl_control(threads = 2)`")

cv_strata_hint <- paste("folds are stratified by `y`; for other strata give `folds`, the fold of each row,",
                        "as of `rsample::vfold_cv(strata = )`")

# Hints for arguments that fits call by other names and cross-validation has itself.
cv_hints <- utils::modifyList(fit_hints, list(
  cross = cv_folds_hint, nfolds = cv_folds_hint, n_folds = cv_folds_hint, nfold = cv_folds_hint,
  k = cv_folds_hint,
  v = cv_folds_hint, cv = cv_folds_hint, fold = cv_folds_hint, foldid = cv_folds_hint,
  groups = "it is `group`, one value per row",
  strata = cv_strata_hint, stratify = cv_strata_hint,
  parallel = workers_hint, cl = workers_hint, ncores = workers_hint, n_cores = workers_hint,
  n_jobs = workers_hint, n.cores = workers_hint, cores = workers_hint, workers = workers_hint,
  mc.cores = workers_hint,
  seed = "call set.seed() before",
  tuneGrid = "the grid is `p` and `C`, as in `p = c(1, 2), C = 10^(-2:2)`",
  ranges = "the grid is `p` and `C`, as in `p = c(1, 2), C = 10^(-2:2)`",
  metric = "the measure is `measure`, see `?measures`",
  type.measure = "the measure is `measure`, see `?measures`", start = start_hint
))

sequential_hints <- utils::modifyList(fit_hints, c(
  alike(norm_words, "fits over a dictionary have p = 1; mkl() has others"),
  alike(fold_words, "fits over a dictionary don't cross-validate; cv_mkl() does, for given kernels"),
  alike(width_words, "kernels go into `dictionary`, as in `dictionary = gaussian_kernel(2^(-3:3))`"),
  alike(c("kernel", "kernels"), "kernels go into `dictionary`, as in `dictionary = gaussian_kernel(2^(-3:3))`"),
  alike(c("degree", "coef0"),
        "kernels go into `dictionary`, as in `dictionary = polynomial_kernel(degree, scale, offset)`"),
  list(penalty = "the weight of the loss is `C`", start = start_hint,
       trace = "only mkl() traces its weights, by `control = mkl_control(trace = TRUE)`")
))

# Arguments of mkl() and of others, in a specification of parsnip: those of mkl() are the engine's.
spec_hints <- local({
  own <- c("kernels", "loss", "norm", "normalize", "class_weights", "multiclass", "control",
           "intercept", "scale", "impute", "threshold")
  engine <- function(name) {
    sprintf("it is an argument of the engine, as in `set_engine(\"manykernels\", %s = ...)`", name)
  }
  of_engine <- sprintf("`(%s)( =|`)", paste(own, collapse = "|"))
  in_engine <- function(hint) {
    if (is.function(hint)) return(function(value) in_engine(hint(value)))
    if (grepl(of_engine, hint)) paste0(hint, ", in `set_engine(\"manykernels\", ...)`") else hint
  }
  utils::modifyList(lapply(fit_hints, in_engine), c(
    stats::setNames(lapply(own, engine), own),
    alike(c("C", "penalty"), "the weight of the loss is `cost`; the norm of the kernel weights is `norm_p`"),
    alike(c("p", "alpha"), "the norm of the kernel weights is `norm_p`"),
    alike(c("weights", "wts", "sample_weight", "sample.weights"), "case weights are `case_weights` of fit()"),
    alike(c("type", "family"), "the kind of problem is `mode`"),
    alike(c("assay", "colData"), "it is for containers, which mkl() and cv_mkl() take"),
    alike(c("event", "status", "time"), "there is no censored regression here; mkl() has it"),
    alike(fold_words, "folds are those of `rsample::vfold_cv(v = 5)`"),
    alike(c("groups", "group"), "`rsample::group_vfold_cv()` keeps rows of a group in one fold"),
    list(cost = NULL, case_weights = "it is an argument of fit()", data = "it is an argument of fit()",
         formula = "it is an argument of fit()",
         strata = "strata are those of `rsample::vfold_cv()`",
         stratify = "strata are those of `rsample::vfold_cv()`",
         nu = "there is no nu-parametrisation; `cost` weighs the loss", rbf_sigma = in_engine(fit_hints$sigma),
         lambda = paste("the weight of the loss is `cost`, for a penalty `lambda` on n rows",
                        "`cost = 1 / (lambda * n)`"))
  ))
})

# Words of other packages for parameters of kernels, for constructors and what changes their sets.
constructor_hints <- local({
  width <- function(name) {
    function(value) {
      if (!is.numeric(value) || length(value) != 1L || !isTRUE(value > 0)) value <- NULL
      sprintf("widths are 1 / %s: `width = %s`, of `gaussian_kernel()` and `laplace_kernel()`", name,
              if (is.null(value)) paste("1 /", name) else format(1 / value, digits = 4L))
    }
  }
  c(
    list(sigma = width("sigma"), gamma = width("gamma"), width = "Gaussian and Laplace kernels have a `width`",
         degree = "it is an argument of `polynomial_kernel()` and `weighted_degree_kernel()`",
         distWeight = "it is `distance_weight` of `spectrum_kernel()`",
         revComplement = "it is `reverse_complement` of `spectrum_kernel()`"),
    alike(c("coef0", "offset"), "it is `offset` of `polynomial_kernel()`"),
    alike(c("d", "order"), "it is `degree`"),
    alike(c("length", "kmer", "n"), "the length of words is `k`"),
    alike(c("normalized", "normalize", "normalise"),
          "it is `normalize` of mkl() and kernel_matrix(); `normalize_kernels()` gives each kernel its own"),
    alike(c("scaled", "standardize"), "columns are standardised by `scale` of mkl() and kernel_matrix()"),
    alike(c("x", "data", "X"), "kernels get their data in mkl() or kernel_matrix()"),
    alike(c("view", "views"), "it is `view` of `on_view()`"),
    alike(c("features", "columns", "vars"), "columns of a kernel are `sets` of `on_features()`")
  )
})

compress_hints <- alike(c("epsilon", "eps", "error"),
                        "it is `tolerance`, in units of the decision values")

# Words for what assess() and permutation_importance() take.
row_hints <- c(
  alike(c("new_data", "newx", "test", "data"), "the rows are `newdata`"),
  alike(c("truth", "response", "labels", "new_y", "newy"), "the response of these rows is `y`"),
  alike("groups", "it is `group`, one value per row"),
  alike(c("conf.level", "conf_level", "confidence"), "the level of the intervals is `level = 0.95`"),
  alike(c("cutoff", "threshold"), "decisions are those of the fit: give mkl() a `threshold`")
)

assess_hints <- c(
  row_hints,
  alike(c("metric", "metrics"), "it is `measures`, see `?measures`"),
  alike(c("R", "B", "nsim", "n_boot", "times", "repeats"), "it is `draws`, the number of bootstrap samples")
)

importance_hints <- c(
  row_hints,
  alike(c("metric", "metrics", "measures", "loss_function"), "it is `measure`, see `?measures`"),
  alike(c("nsim", "n_repeats", "nperm", "n_permutations", "times"), "it is `repeats`, how often to swap"),
  alike(c("features", "variables", "feature_names"),
        paste("what is swapped is `by = \"feature\"`, or a list of features, as in",
              "`by = list(pair = c(\"a\", \"b\"))`"))
)

threshold_hint <- paste("labels are those of the fit: give mkl(), cv_mkl() or mllkm() a `threshold`, or",
                        "compare `predict(fit, newdata, type = \"decision\")` with one")

predict_hints <- list(
  decision.values = "decision values are `type = \"decision\"`",
  probability = "class probabilities are `type = \"prob\"`",
  prob = "class probabilities are `type = \"prob\"`",
  se.fit = "there are no standard errors",
  threshold = threshold_hint, cutoff = threshold_hint
)

# Types of predictions by the names that they have elsewhere.
type_aliases <- c(
  class = "response", classes = "response", raw = "response", numeric = "response",
  link = "decision", scores = "decision", score = "decision", decision.values = "decision",
  probabilities = "prob", probability = "prob", probs = "prob", posterior = "prob"
)

# Names of types in this package.
type_elsewhere <- function(type) {
  one <- is.character(type) && length(type) == 1L && type %in% names(type_aliases)
  if (one) type_aliases[[type]] else type
}

# Advice for an object that is no kernel set; "" if there is none.
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

fold_hint <- function(value) {
  sprintf("cv_mkl() cross-validates, with `folds = %s`, and chooses `C` and `p`", number_or(value, "5"))
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

path_hints <- utils::modifyList(fit_hints, c(alike(
  c("probability", "prob.model", "prob"), "class probabilities of a path are those of `loss = \"logistic\"`"
), list(
  lambda = "the weight of the loss is `C`, a range such as `C = c(0.01, 1000)`",
  tol = NULL, tolerance = "it is `tol`, the relative duality gap everywhere on the path",
  nlambda = "the path chooses its points itself, to be within `tol` everywhere",
  start = start_hint,
  cross = "paths don't cross-validate; cv_mkl() does"
)))
