# Every cell of the table of R's generics and the package's classes: "yes" where the generic answers,
# the class of its error where the question has no answer.
skip_on_cran() # a slow file

two <- droplevels(iris[seq(51, 150, 3), ])
three <- iris[seq(1, 150, 5), ]
k <- gaussian_kernel(c(1, 4))
quiet <- mkl_control(progress = FALSE)

interface_fits <- local({
  fits <- NULL
  function() {
    if (!is.null(fits)) return(fits)
    fits <<- list(
      mkl = mkl(Species ~ ., two, kernels = k, control = quiet, loss = "logistic"),
      regression = mkl(Sepal.Length ~ Sepal.Width + Petal.Length, two, kernels = k, control = quiet),
      one_class = mkl(~ Sepal.Length + Petal.Length, two, kernels = k, control = quiet),
      mkl_multiclass = mkl(Species ~ ., three, kernels = k, control = quiet),
      shared = mkl(Species ~ ., three, kernels = k, multiclass = "shared", control = quiet),
      joint = mkl(Species ~ ., three, kernels = k, multiclass = "joint", control = quiet),
      labels = mkl(cbind(small = Petal.Length < 4, wide = Petal.Width > 1.5) ~ Sepal.Length +
                     Sepal.Width, two, kernels = k, control = quiet),
      numbers = mkl(cbind(Petal.Length, Petal.Width) ~ Sepal.Length + Sepal.Width, two, kernels = k,
                    multiclass = "shared", control = quiet),
      quantiles = mkl(Sepal.Length ~ Sepal.Width + Petal.Length, two, kernels = k, control = quiet,
                      loss = quantile_loss(c(0.2, 0.8))),
      mkl_gomp = mkl_gomp(Species ~ ., three, kernels = k),
      gomp_numbers = mkl_gomp(cbind(Petal.Length, Petal.Width) ~ Sepal.Length + Sepal.Width, two,
                              kernels = k),
      gomp_labels = mkl_gomp(cbind(small = Petal.Length < 4, wide = Petal.Width > 1.5) ~
                               Sepal.Length + Sepal.Width, two, kernels = k),
      mkl_sequential = mkl_sequential(Species ~ ., three, dictionary = k, control = quiet),
      mllkm = mllkm(Species ~ Petal.Length + Petal.Width, two, gamma = 1, control = quiet),
      mllkm_multiclass = mllkm(Species ~ Petal.Length + Petal.Width, three, gamma = 1,
                               control = quiet),
      cv_mkl = cv_mkl(Species ~ ., three, kernels = k, p = c(1, 2), C = c(0.1, 1), folds = 3,
                      control = quiet),
      cv_labels = cv_mkl(cbind(small = Petal.Length < 4, wide = Petal.Width > 1.5) ~ Sepal.Length +
                           Sepal.Width, two, kernels = k, p = 2, C = c(0.1, 1), folds = 3,
                         control = quiet),
      mkl_path = mkl_path(Species ~ ., two, kernels = k, C = c(0.1, 1), tol = 0.2)
    )
  }
})

generics_of_fits <- list(
  print = function(x) utils::capture.output(print(x)),
  summary = summary, coef = coef, nobs = nobs, formula = formula, model.frame = model.frame,
  variable.names = variable.names, case.names = case.names, weights = weights,
  update = function(x) update(x, control = mkl_control(tol = 0.01, progress = FALSE)),
  predict = function(x, ...) predict(x, iris[c(2, 60, 140), ], ...),
  fitted = fitted, residuals = residuals, kernel_weights = kernel_weights, support = support,
  plot = function(x) {
    pdf(NULL)
    on.exit(dev.off())
    plot(x)
  }
)

# Cells that are not "yes"; paths need a place.
exceptions <- list(
  mkl_gomp = c(support = "manykernels_unsupported"),
  gomp_numbers = c(support = "manykernels_unsupported"),
  gomp_labels = c(support = "manykernels_unsupported"),
  mkl_path = c(support = "none")
)

test_that("every generic of R answers for every fit", {
  skip_unless_slow()
  set.seed(1)
  for (class in names(interface_fits())) {
    fit <- interface_fits()[[class]]
    place <- if (class == "mkl_path") list(C = 0.5)
    for (generic in names(generics_of_fits)) {
      expected <- if (generic %in% names(exceptions[[class]])) exceptions[[class]][[generic]]
      at <- if (generic %in% c("predict", "fitted", "residuals", "kernel_weights")) place
      ask <- function() do.call(generics_of_fits[[generic]], c(list(fit), at))
      if (is.null(expected)) {
        expect_no_error(ask(), message = paste(generic, class))
      } else if (expected != "none") {
        expect_error(ask(), class = expected)
      }
    }
  }
})

test_that("rows agree between predict, fitted, residuals, nobs and names", {
  for (class in setdiff(names(interface_fits()), "mkl_path")) {
    fit <- interface_fits()[[class]]
    n <- nobs(fit)
    expect_identical(NROW(fitted(fit)), n, label = class)
    expect_identical(NROW(residuals(fit)), n, label = class)
    expect_identical(nrow(model.frame(fit)), n, label = class)
    expect_length(case.names(fit), n)
    expect_identical(NROW(predict(fit, iris[1:3, ])), 3L)
    # columns of the model frame without the response
    expect_setequal(all.vars(formula(fit)[[length(formula(fit))]]), variable.names(fit))
  }
  path <- interface_fits()$mkl_path
  expect_length(residuals(path, C = 0.5), nobs(path))
  expect_identical(nrow(model.frame(path)), nobs(path))
})

test_that("formulas and model frames of fits without them are classed errors", {
  fit <- mkl(iris[1:4], iris$Species == "setosa", gaussian_kernel(4), control = mkl_control(progress = FALSE))
  expect_error(formula(fit), class = "manykernels_unsupported")
  expect_error(model.frame(fit), class = "manykernels_unsupported")
  expect_identical(variable.names(fit), names(iris)[1:4])
  views <- list(a = as.matrix(iris[1:2]), b = as.matrix(iris[3]))
  fit <- mkl(views, iris[[4]], gaussian_kernel(4), control = mkl_control(progress = FALSE))
  expect_identical(variable.names(fit), lapply(views, colnames))
})

test_that("every generic of package generics answers for every fit", {
  skip_if_not_installed("generics")
  for (class in names(interface_fits())) {
    fit <- interface_fits()[[class]]
    place <- if (class == "mkl_path") list(C = 0.5)
    expect_s3_class(generics::tidy(fit), "data.frame")
    expect_identical(nrow(generics::glance(fit)), 1L, label = class)
    expect_true(all(c("n", "M") %in% names(generics::glance(fit))))
    new <- do.call(generics::augment, c(list(fit, newdata = iris[c(2, 60, 140), ]), place))
    expect_identical(nrow(new), 3L, label = class)
    expect_true(all(names(iris) %in% names(new)), label = class)
    own <- do.call(generics::augment, c(list(fit), place))
    expect_identical(nrow(own), nobs(fit), label = class)
    response <- grep("^[.](pred_class|fitted)", names(new))
    predicted <- do.call(predict, c(list(fit, iris[c(2, 60, 140), ]), place))
    expect_length(response, NCOL(predicted))
    for (column in seq_along(response)) {
      values <- if (is.matrix(predicted)) predicted[, column] else predicted
      expect_identical(new[[response[column]]], unname(values), label = class)
    }
  }
})

test_that("ggplot2 draws whatever plot() draws", {
  skip_unless_slow()
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  drawn <- function(x, ...) {
    plot <- ggplot2::autoplot(x, ..., main = "A title")
    expect_s3_class(plot, "ggplot")
    expect_no_warning(print(plot))
    expect_identical(plot$labels$title, "A title")
  }
  other <- c("mkl_gomp", "gomp_numbers", "gomp_labels", "mkl_path", "cv_mkl", "cv_labels")
  for (class in setdiff(names(interface_fits()), other)) {
    fit <- interface_fits()[[class]]
    local <- startsWith(class, "mllkm")
    for (which in c("weights", "convergence", "margins", if (!local) "widths",
                    if (local || class == "one_class") "boundary")) drawn(fit, which)
  }
  drawn(interface_fits()$mkl, "alignment", data = two)
  drawn(interface_fits()$mllkm, "boundary", data = two)
  for (by in c("kernel", "view", "set")) drawn(interface_fits()$mkl, "weights", by = by)
  for (class in other[1:3]) {
    for (which in c("path", "weights")) drawn(interface_fits()[[class]], which)
  }
  for (which in c("weights", "gap")) drawn(interface_fits()$mkl_path, which)
  for (which in c("grid", "curve")) drawn(interface_fits()$cv_mkl, which)
  expect_error(ggplot2::autoplot(interface_fits()$mkl, c("weights", "margins")),
               class = "manykernels_invalid_argument")
  expect_error(ggplot2::autoplot(interface_fits()$mkl, "alignment"),
               class = "manykernels_invalid_argument")
})

interface_results <- local({
  results <- NULL
  function() {
    if (!is.null(results)) return(results)
    toy <- mkl_gomp(as.matrix(two[1:4]), two$Sepal.Length, per_feature(gaussian_kernel(c(1, 4))),
                    intercept = FALSE)
    results <<- list(
      rademacher_bound = rademacher_bound(c(1, 2, Inf), M = 50, n = 1000, R = 1),
      cortes = rademacher_bound(c(2, 4), M = 50, n = 1000, R = 1, type = "cortes", q = 2),
      rademacher_convert = rademacher_convert(0.1, M = 50, from = 1, to = 2),
      empirical_rademacher = empirical_rademacher(k, as.matrix(two[1:4]), p = c(1, 2), draws = 10),
      bound_by_norm = bound_by_norm(M = 100, n = 1e4),
      risk_bound = suppressWarnings(risk_bound(interface_fits()$mkl, two, margin = c(0.5, 1))), # above 1
      gomp_bound = gomp_bound(s = c(1, 5, 20), kappa = 1, tau = 1, n = 1e5),
      gomp_bound_of_fit = gomp_bound(toy, x = as.matrix(two[1:4])),
      kernel_stability = kernel_stability(interface_fits()$cv_mkl),
      permutation_importance = permutation_importance(interface_fits()$mkl, two, by = "feature", repeats = 2),
      kernel_alignment = kernel_alignment(k, as.matrix(two[1:4]), two$Species)
    )
  }
})

# Without p there is nothing to be drawn along; bounds and comparisons have no rows of data.
result_exceptions <- list(
  rademacher_convert = c(plot = "manykernels_unsupported", autoplot = "manykernels_unsupported")
)

test_that("every generic answers for bounds, stability and alignment", {
  skip_unless_slow()
  skip_if_not_installed("generics")
  generics <- list(
    print = function(x) expect_gt(length(utils::capture.output(print(x))), 1L),
    tidy = function(x) expect_gt(nrow(generics::tidy(x)), 0L),
    glance = function(x) expect_identical(nrow(generics::glance(x)), 1L),
    augment = function(x) expect_error(generics::augment(x), "augment"),
    predict = function(x) expect_error(predict(x), "predict"),
    plot = generics_of_fits$plot
  )
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    generics$autoplot <- function(x) {
      pdf(NULL)
      on.exit(dev.off())
      expect_no_warning(print(ggplot2::autoplot(x)))
    }
  }
  set.seed(1)
  for (name in names(interface_results())) {
    x <- interface_results()[[name]]
    for (generic in names(generics)) {
      expected <- result_exceptions[[name]][generic]
      if (is.null(expected) || is.na(expected)) {
        expect_no_error(generics[[generic]](x), message = NULL)
      } else {
        expect_error(generics[[generic]](x), class = expected[[1]])
      }
    }
  }
})

test_that("tables of bounds hold their values", {
  skip_if_not_installed("generics")
  bounds <- Filter(function(x) inherits(x, "bound"), interface_results())
  expect_length(bounds, 8)
  for (x in bounds) {
    expect_identical(generics::tidy(x)$value, x$value)
    expect_identical(generics::glance(x)$value, min(x$value))
    expect_identical(generics::glance(x)$source, x$source)
  }
})
