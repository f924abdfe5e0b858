# Names of arguments: they are not completed, and those of other packages have hints.

set.seed(7)
x <- matrix(rnorm(90), 30)
y <- x[, 1] + rnorm(30) / 3
d <- data.frame(x, y)

test_that("no function that fits completes the name of an argument", {
  refused <- function(expr, text) {
    expect_error(expr, text, class = "manykernels_invalid_argument")
  }
  refused(mkl(x, y, cl = 2), "`cl` is not an argument here.*threads")
  refused(cv_mkl(x, y, cl = 2), "`cl` is not an argument here.*future::plan")
  refused(cv_mkl(y ~ ., d, cl = 2), "future::plan")
  refused(do.call(mkl, list(x, y, cl = 2)), "threads")
  refused(cv_mkl(x, y, k = 5), "`k` is not an argument here: it is `folds`")
  refused(mkl(x, y, kernel = gaussian_kernel(1)), "`kernel` is not an argument here: it is `kernels`")
  refused(mkl(x, y, kernel = "rbfdot"), "it is `kernels`. Give `gaussian_kernel\\(width = 1\\)`")
  refused(mkl(d[1:3], y, weigh = 1), "names are not completed; `weights` is one")
  refused(mkl_path(x, y, cl = 2), "threads")
  refused(mkl_gomp(x, y, max_k = 2), "`max_kernels` is one")
  refused(mllkm(x, y, cl = 2), "threads")
  refused(mkl_sequential(x, y, dict = gaussian_kernel(1)), "`dictionary` is one")
})

test_that("words of other packages have hints", {
  hint <- function(f, name, text) {
    arguments <- c(list(x, y), stats::setNames(list(2), name))
    expect_error(do.call(f, arguments), sprintf("`%s` is not an argument here: .*%s", name, text),
                 class = "manykernels_invalid_argument", label = name)
  }
  for (name in c("parallel", "ncores", "n_jobs", "num.threads", "cl")) {
    hint(mkl, name, "mkl_control\\(threads = 2\\)")
    hint(cv_mkl, name, if (name == "num.threads") "threads = 2" else "future::plan")
  }
  for (name in c("v", "nfolds", "cross", "k")) hint(cv_mkl, name, "`folds`")
  for (name in c("v", "nfolds", "folds", "cross")) hint(mkl, name, "cv_mkl\\(\\).*`folds = 2`")
  for (f in list(mkl, cv_mkl)) {
    hint(f, "groups", "`group`")
    hint(f, "strata", "stratified by `y`")
    hint(f, "family", "`type = \"classification\"`")
    hint(f, "alpha", "`norm = elastic_net_norm\\(0.5\\)`")
    hint(f, "event", "`y = survival::Surv\\(time, event\\)`")
    hint(f, "offset", "give `y - offset` as `y`")
    hint(f, "sigma", "`kernels = gaussian_kernel\\(width = 0.5\\)`")
    hint(f, "cost", "`C`")
    hint(f, "assay", "`x`, samples in rows")
  }
})

test_that("svm_mkl() has hints for what mkl() and others call it", {
  skip_if_not_installed("parsnip")
  hint <- function(name, text) {
    expect_error(do.call(svm_mkl, stats::setNames(list(2), name)), text,
                 class = "manykernels_invalid_argument", label = name)
  }
  hint("p", "`norm_p`")
  hint("C", "`cost`")
  hint("sigma", "gaussian_kernel\\(width = 0.5\\).*set_engine")
  hint("kernels", "set_engine\\(\"manykernels\", kernels")
  hint("norm", "set_engine\\(\"manykernels\", norm")
  hint("other", "not an argument here")
})

test_that("a formula or the name of a column in another place is met by a hint", {
  set.seed(1)
  d <- data.frame(a = rnorm(20), b = rnorm(20), y = gl(2, 10))
  sequential <- function(...) mkl_sequential(..., dictionary = linear_kernel())
  fits <- list(mkl = mkl, cv_mkl = cv_mkl, mkl_path = mkl_path, mkl_gomp = mkl_gomp, mllkm = mllkm,
               mkl_sequential = sequential)
  for (name in names(fits)) {
    fit <- fits[[name]]
    refused <- function(expr, text, class = "manykernels_invalid_argument") {
      expect_error(expr, sprintf(text, name), class = class, label = name)
    }
    refused(fit(d, y ~ a), "Give the formula first, as in `%s\\(y ~ a, data")
    refused(fit(x = y ~ a, data = d), "without a name, as in `%s\\(", "manykernels_formula")
    refused(fit(x = y ~ a, d), "without a name, as in `%s\\(", "manykernels_formula")
    refused(fit(formula = "y ~ a", data = d), "without quotes.*, as in `%s\\(")
    refused(fit(d, formula = y ~ a), "formulas come first.*`%s\\(y ~ \\.")
    refused(fit(d, "y"), "`%s\\(y ~ ., x\\)`", "manykernels_length")
  }
  expect_error(cv_mkl(diag(3) + 1, 1:3), "`cv_mkl\\(y = y, kernels = precomputed")
  expect_error(cv_mkl(gaussian_kernel(1), 1:3), "`cv_mkl\\(x, y, kernels = k\\)`")
  expect_error(mkl(as.matrix(d[1:2]), "a"), "leave it out of `x`: ", class = "manykernels_length")
  expect_error(mkl(list(u = d[1], v = d[2:3]), "y"), "`x\\$v\\[, \"y\"\\]`, and leave it out of `x\\$v`: ")
})

test_that("constructors have hints for words of other packages", {
  K <- crossprod(matrix(rnorm(9), 3))
  fit <- mkl(x, y)
  k <- gaussian_kernel(1)
  calls <- list(
    linear_kernel, polynomial_kernel, gaussian_kernel, laplace_kernel, arc_cosine_kernel, tanimoto_kernel,
    categorical_kernel, spectrum_kernel, mismatch_kernel, gapped_kernel, gappy_pair_kernel, weighted_degree_kernel,
    protein_motif_kernels, locally_linear_kernel,
    motif_kernel = function(...) motif_kernel("AC", ...), pair = function(...) pair_kernel(K, ...),
    score = function(...) score_kernel(K, ...), given = function(...) precomputed_kernel(K, ...),
    diffusion = function(...) diffusion_kernel(K, ...), laplacian = function(...) laplacian_kernel(K, ...),
    walk = function(...) random_walk_kernel(K, ...), on_view = function(...) on_view(k, "a", ...),
    on_features = function(...) on_features(k, 1, ...), per_feature = function(...) per_feature(k, ...),
    normalize_kernels = function(...) normalize_kernels(k, "none", ...)
  )
  for (f in calls) {
    expect_error(f(sigma = 2), "`sigma` is not an argument here: widths are 1 / sigma: `width = 0.5`",
                 class = "manykernels_invalid_argument")
    expect_error(f(other = 2), "`other` is not an argument here.", class = "manykernels_invalid_argument")
  }
  expect_error(spectrum_kernel(length = 3), "the length of words is `k`")
  expect_error(laplace_kernel(gamma = 4), "`width = 0.25`")
  expect_error(compress(fit, 0.1, epsilon = 1), "it is `tolerance`", class = "manykernels_invalid_argument")
  for (f in list(function(...) function_kernel(sum, ...), function(...) native_kernel(1, "a", ...))) {
    expect_error(f(other = 2), class = "manykernels_invalid_argument")
  }
})

test_that("thresholds of predictions and of other models are met by a hint", {
  classes <- factor(y > 0)
  path <- mkl_path(x, classes, C = c(0.5, 1))
  gomp <- mkl_gomp(x, classes)
  for (call in list(function(...) predict(mkl(x, classes), x, ...), function(...) predict(path, x, C = 1, ...),
                    function(...) predict(gomp, x, ...))) {
    expect_error(call(threshold = 0.5), "not an argument here: labels are.*give mkl", class = "manykernels_invalid_argument")
  }
  expect_error(mkl_path(x, classes, threshold = 0.5), "by `threshold = \"balanced\"`",
               class = "manykernels_invalid_argument")
  for (threshold in list(c(0.1, 0.2), NA_real_, "half", sum)) {
    expect_error(mkl_gomp(x, classes, threshold = threshold), "must be a decision value, a finite number",
                 class = "manykernels_invalid_argument")
  }
})
