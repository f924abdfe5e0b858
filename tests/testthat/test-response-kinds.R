# What weights of cases and classes, models without offset and centring mean is the same for every
# kind of response: each is held against its plain definition.

skip_on_cran() # a slow file
set.seed(11)
n <- 40L
x <- matrix(rnorm(n * 3), n)
z <- x[, 1] + rnorm(n) / 2
kinds <- list(
  two = list(y = factor(ifelse(z > 0, "b", "a"))),
  several = list(y = cut(z, c(-Inf, -0.5, 0.5, Inf), labels = c("l", "m", "h"))),
  ordered = list(y = cut(z, c(-Inf, -0.5, 0.5, Inf), labels = c("l", "m", "h"), ordered_result = TRUE)),
  pairs = list(y = cut(z, c(-Inf, 0, 1, Inf), labels = c("l", "m", "h")), multiclass = "ovo"),
  joint = list(y = cut(z, c(-Inf, 0, 1, Inf), labels = c("l", "m", "h")), multiclass = "shared"),
  labels = list(y = cbind(u = +(z > 0), v = +(x[, 2] > 0.3))),
  shared_labels = list(y = cbind(u = +(z > 0), v = +(x[, 2] > 0.3)), multiclass = "shared"),
  number = list(y = z),
  numbers = list(y = cbind(u = z, v = x[, 2]^2)),
  shared_numbers = list(y = cbind(u = z, v = x[, 2]^2), multiclass = "shared"),
  quantile = list(y = z, loss = quantile_loss(0.3)),
  quantiles = list(y = z, loss = quantile_loss(c(0.2, 0.7))),
  one_class = list()
)
if (requireNamespace("survival", quietly = TRUE)) {
  event <- rep(c(TRUE, FALSE, TRUE), length.out = n)
  kinds$times <- list(y = survival::Surv(exp(z), event))
  kinds$left <- list(y = survival::Surv(exp(z), event, type = "left"))
}

kernels <- c(linear_kernel(), gaussian_kernel(c(2, 8)))
matrices <- list(tcrossprod(x), exp(-as.matrix(dist(x))^2 / 2), exp(-as.matrix(dist(x))^2 / 8))
one_by_one <- function(fit) fit$models %||% list(fit)
field <- function(fit, name) unname(unlist(lapply(one_by_one(fit), `[[`, name)))

fit_kind <- function(kind, intercept, rows = NULL, x, kernels, ...) {
  if (!is.null(rows) && !is.null(kind$y)) {
    kind$y <- if (length(dim(kind$y)) && !inherits(kind$y, "Surv")) kind$y[rows, ] else kind$y[rows]
  }
  suppressMessages(do.call(mkl, c(
    list(x = x, kernels = kernels, C = 0.7, intercept = intercept, scale = FALSE,
         control = mkl_control(tol = 1e-8, progress = FALSE)), kind, list(...)
  )))
}

for_each_kind <- function(check, kinds) {
  for (name in names(kinds)) {
    for (intercept in if (name == "one_class") FALSE else c(TRUE, FALSE)) {
      check(kinds[[name]], intercept, paste(name, if (!intercept) "without offset"))
    }
  }
}

test_that("case weights are repeated rows, and models without offset have none", {
  weights <- rep(c(1, 0, 2, 1), length.out = n)
  rows <- rep(seq_len(n), weights)
  for_each_kind(function(kind, intercept, label) {
    weighted <- fit_kind(kind, intercept, NULL, x, kernels, normalize = "none", weights = weights)
    repeated <- fit_kind(kind, intercept, rows, x[rows, ], kernels, normalize = "none")
    expect_equal(field(weighted, "objective"), field(repeated, "objective"), tolerance = 1e-6,
                 label = label)
    expect_equal(predict(weighted, x, type = "decision"), predict(repeated, x, type = "decision"),
                 tolerance = 1e-3, label = label)
    alpha_sums <- vapply(one_by_one(weighted), function(model) abs(sum(model$alpha)), 0)
    if (intercept) expect_lt(max(alpha_sums), 1e-12, label = label)
    if (!intercept) expect_identical(unique(field(weighted, "offset")), 0, label = label)
  }, kinds)
})

test_that("class weights multiply the cost of the rows of a class", {
  weights <- rep(c(1, 0.5, 2), length.out = n)
  sides <- function(y, model) {
    if (is.matrix(y)) return(factor(y[, model]))
    if (is.null(model)) return(y)
    pair <- strsplit(model, ":")[[1L]]
    if (length(pair) == 2L) factor(y, pair) else factor(y == model)
  }
  classes <- kinds[c("two", "several", "ordered", "pairs", "joint", "labels", "shared_labels")]
  for_each_kind(function(kind, intercept, label) {
    levels <- if (is.matrix(kind$y)) c("0", "1") else levels(kind$y)
    factors <- stats::setNames(seq_along(levels) / 2, levels)
    named <- fit_kind(kind, intercept, NULL, x, kernels, class_weights = factors, weights = weights)
    balanced <- fit_kind(kind, intercept, NULL, x, kernels, class_weights = "balanced",
                         weights = weights)
    for (model in names(named$models) %||% list(NULL)) {
      side <- sides(kind$y, model)
      own <- if (is.matrix(kind$y)) as.character(kind$y[, model]) else as.character(kind$y)
      used <- !is.na(side)
      total <- tapply(weights[used], side[used], sum)
      costs <- list(weights * factors[own], weights * sum(total) / (2 * total[as.character(side)]))
      for (i in 1:2) {
        fit <- list(named, balanced)[[i]]
        fit <- if (is.null(model)) fit else fit$models[[model]]
        expect_equal(fit$cost, ifelse(used, 0.7 * unname(costs[[i]]), 0), ignore_attr = TRUE,
                     label = paste(label, model))
      }
    }
  }, classes)
})

test_that("centred kernels are kernel matrices with rows and columns of mean zero", {
  centre <- diag(n) - 1 / n
  centred <- lapply(stats::setNames(matrices, c("a", "b", "c")), function(matrix) {
    matrix <- centre %*% matrix %*% centre
    (matrix + t(matrix)) / 2
  })
  for_each_kind(function(kind, intercept, label) {
    ours <- fit_kind(kind, intercept, NULL, x, kernels, normalize = c("centre", "none"))
    plain <- fit_kind(kind, intercept, NULL, NULL, precomputed_kernel(centred), normalize = "none")
    expect_equal(field(ours, "objective"), field(plain, "objective"), tolerance = 1e-6, label = label)
    expect_equal(field(ours, "decision"), field(plain, "decision"), tolerance = 1e-3, label = label)
  }, kinds)
})

test_that("every function takes a kind of response, or refuses it by a classed error", {
  skip_unless_slow()
  functions <- list(
    mkl_path = function(...) mkl_path(x, kernels = kernels, C = c(0.5, 2), tol = 0.1, ...),
    cv_mkl = function(...) cv_mkl(x, kernels = kernels, p = 2, C = c(0.1, 1), folds = 2, ...),
    mkl_sequential = function(...) mkl_sequential(x, dictionary = kernels, ...),
    mllkm = function(...) mllkm(x, ...),
    cv_mllkm = function(...) cv_mkl(x, model = "mllkm", C = 1, folds = 2, ...),
    mkl_gomp = function(...) mkl_gomp(x, kernels = kernels, ...),
    cv_gomp = function(...) cv_mkl(x, kernels = kernels, model = "mkl_gomp", lambda = 1, folds = 2, ...)
  )
  some <- kinds[intersect(names(kinds), c("two", "several", "ordered", "labels", "number", "numbers",
                                          "quantile", "quantiles", "one_class", "times", "left"))]
  one_column <- c("labels", "numbers", "quantiles")
  squared <- c("quantile", "quantiles", "one_class", "times", "left")
  refused <- list(mkl_path = one_column, mllkm = one_column, cv_mllkm = one_column,
                  mkl_gomp = squared, cv_gomp = squared)
  for (name in names(functions)) {
    for (kind in names(some)) {
      label <- paste(name, kind)
      arguments <- some[[kind]]
      if (kind == "one_class") arguments["y"] <- list(NULL)
      fit <- tryCatch(suppressMessages(do.call(functions[[name]], arguments)), error = identity)
      if (kind %in% refused[[name]]) {
        expect_s3_class(fit, "manykernels_error")
        next
      }
      expect_false(inherits(fit, "error"), label = label)
      new <- do.call(predict, c(list(fit, x[1:3, ]), if (name == "mkl_path") list(C = 1)))
      expect_identical(NROW(new), 3L, label = label)
      expect_identical(is.factor(new), kind %in% c("two", "several", "ordered"), label = label)
      expect_identical(NCOL(new), if (kind %in% one_column) 2L else 1L, label = label)
    }
  }
})
