skip_on_cran() # a slow file
quiet <- mkl_control(progress = FALSE, tol = 1e-6)
d <- cv_data()
views <- list(petal = d$x[, 3:4], sepal = d$x[, 1:2])
pair <- gaussian_kernel(c(1, 4))
view_cv <- function(x = views, y = d$y, kernels = pair, p = c(1, 2), C = c(0.1, 1), ...,
                    folds = rep(1:3, 25), control = quiet) {
  cv_mkl(x, y, kernels, p = p, C = C, folds = folds, control = control, ...)
}

# What is expected, by cross-validation of the other views by the same folds.
expect_dropped <- function(found, cv, without, view) {
  mine <- found[found$view == view, ]
  row <- without$best_row
  expect_equal(mine$without, without$results$mean[row])
  own <- without$by_fold[[cv$measure]][seq(row, nrow(without$by_fold), nrow(without$results))]
  with <- cv$by_fold[[cv$measure]][seq(cv$best_row, nrow(cv$by_fold), nrow(cv$results))]
  change <- if (cv$larger) with - own else own - with
  expect_equal(mine$change, mean(change))
  folds <- length(change)
  expect_equal(mine$se, sqrt(1 / folds + 1 / (folds - 1)) * sd(change))
  expect_equal(mine$p_value, if (any(change != 0)) 2 * pt(-abs(mean(change)) / mine$se, folds - 1) else 1)
  expect_equal(as.list(mine[cv$tuned]), without$best[cv$tuned])
}

test_that("the grid without a view, by the same folds, is what is compared: by hand", {
  for (y in list(d$y, d$classes, d$x[, 4] + 0)) {
    cv <- view_cv(y = y)
    found <- drop_view(cv, views, y, pair)
    expect_s3_class(found, "drop_view")
    expect_named(found, c("view", "without", "change", "se", "p_value", "p", "C"))
    expect_identical(found$view, c("petal", "sepal"))
    expect_dropped(found, cv, view_cv(views["sepal"], y), "petal")
    expect_dropped(found, cv, view_cv(views["petal"], y), "sepal")
    found$change <- c(0.04286, -2e-17) # differences that cancel leave rounding errors
    shown <- capture.output(print(found))
    expect_match(shown[4], " 0.0429 ")
    expect_match(shown[5], " 0.0000 ")
  }
})

test_that("default kernels, weights, rules and norms are those of the cross-validation", {
  weights <- rep(1:3, each = 25)
  cv <- view_cv(kernels = NULL, weights = weights, rule = "one_se")
  found <- drop_view(cv, views, d$y, weights = weights)
  expect_dropped(found, cv, view_cv(views["sepal"], kernels = NULL, weights = weights,
                                    rule = "one_se"), "petal")
  cv <- cv_mkl(views, d$y, pair, norm = list(elastic_net_norm(0.1), lp_norm(2)), C = 1,
               folds = rep(1:3, 25), control = quiet)
  expect_named(drop_view(cv, views, d$y, pair), c("view", "without", "change", "se", "p_value", "norm", "C"))
})

test_that("scaling and class weights of the cross-validation are kept, and shown", {
  skip_unless_slow()
  set.seed(1)
  rows <- c(1:8, 51:90)
  views <- list(petal = as.matrix(iris[rows, 3:4]), sepal = as.matrix(iris[rows, 1:2]))
  y <- iris$Species[rows] == "setosa"
  cv <- cv_mkl(views, y, gaussian_kernel(c(1, 4)), folds = 3, control = quiet())
  d <- drop_view(cv, views, y, gaussian_kernel(c(1, 4)))
  expect_identical(d$class_weights, rep(cv$results$class_weights[cv$best_row], 2))
  own <- cv$best$scale
  expect_identical(d$scale, if (length(own) == 1) rep(own, 2) else unname(own[c("sepal", "petal")]))
})

test_that("the view that helps is told from the one that doesn't", {
  set.seed(1)
  noisy <- list(good = d$x[, 3:4], noise = matrix(rnorm(150), 75))
  cv <- view_cv(noisy)
  found <- drop_view(cv, noisy, d$y, pair)
  expect_gt(found$change[1], 0.2)
  expect_lt(abs(found$change[2]), 0.1)
})

test_that("values can be kept", {
  cv <- view_cv(C = c(0.01, 1, 100))
  found <- drop_view(cv, views, d$y, pair, tune = FALSE)
  expect_identical(found$p, rep(cv$best$p, 2))
  expect_identical(found$C, rep(cv$best$C, 2))
  own <- view_cv(views["sepal"], p = cv$best$p, C = cv$best$C)
  expect_equal(found$without[1], own$results$mean, tolerance = 0.02)
})

test_that("precomputed kernels count as views, and kernels stay with theirs", {
  matrices <- lapply(list(a = tcrossprod(d$x[, 3:4]), b = tcrossprod(d$x[, 1:2])), unname)
  cv <- cv_mkl(y = d$y, kernels = precomputed_kernel(matrices), p = 2, C = 1, folds = rep(1:3, 25),
               control = quiet)
  found <- drop_view(cv, y = d$y, kernels = precomputed_kernel(matrices))
  expect_identical(found$view, names(precomputed_kernel(matrices)))
  alone <- cv_mkl(y = d$y, kernels = precomputed_kernel(matrices["b"]), p = 2, C = 1,
                  folds = rep(1:3, 25), control = quiet)
  expect_dropped(found, cv, alone, found$view[1])
  both <- c(precomputed_kernel(matrices["a"]), on_view(pair, "sepal"))
  cv <- view_cv(kernels = both)
  found <- drop_view(cv, views, d$y, both)
  expect_identical(sort(found$view), sort(c("sepal", names(both)[1])))
  expect_dropped(found, cv, view_cv(kernels = on_view(pair, "sepal")), names(both)[1])
})

test_that("greedy models have views, too", {
  cars <- list(size = mtcars[c("disp", "wt")], power = mtcars[c("hp", "qsec")])
  run <- function(x) {
    cv_mkl(x, mtcars$mpg, gaussian_kernel(c(4, 32)), model = "mkl_gomp", lambda = c(0.01, 0.1),
           folds = rep(1:4, 8), control = quiet)
  }
  cv <- run(cars)
  expect_dropped(drop_view(cv, cars, mtcars$mpg, gaussian_kernel(c(4, 32))), cv, run(cars["power"]),
                 "size")
})

test_that("what can't be dropped is refused with a class", {
  cv <- view_cv()
  expect_classed(drop_view(cv$fit, views, d$y), "invalid_argument", "cv")
  expect_classed(drop_view(cv, views, d$y, pair, tune = NA), "invalid_argument", "tune")
  expect_classed(drop_view(cv, lapply(views, `[`, 1:70, ), d$y[1:70], pair), "length", "x")
  single <- cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = 2, control = quiet)
  expect_classed(drop_view(single, d$x, d$y, pair), "unsupported", "x")
  one_read <- on_view(pair, "petal")
  expect_classed(drop_view(view_cv(kernels = one_read), views, d$y, one_read), "unsupported", "x")
  local <- cv_mkl(d$x, d$y, model = "mllkm", gamma = 1, C = 1, folds = 2, control = quiet)
  expect_classed(drop_view(local, d$x, d$y), "unsupported", "cv")
  expect_classed(drop_view(cv, views, d$y, pair, drop = 1), "invalid_argument", "drop")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    drop_view(1)
    drop_view(cv, views, d$y, pair, tune = "yes")
    drop_view(cv, lapply(views, `[`, 1:70, ), d$y[1:70], pair)
    drop_view(cv, views, kernels = pair)
    drop_view(single, d$x, d$y, pair)
    drop_view(local, d$x, d$y)
  })
})

test_that("rows or kernels that are not those of the cross-validation are refused", {
  cv <- view_cv()
  order <- c(26:75, 1:25)
  turned <- lapply(views, function(view) unname(view[order, ]))
  expect_classed(drop_view(cv, turned, d$y[order], pair), "invalid_argument", "y")
  expect_classed(drop_view(cv, views, d$y), "invalid_argument", "kernels")
  expect_classed(drop_view(cv, views, d$y, gaussian_kernel(1)), "invalid_argument", "kernels")
  default <- view_cv(kernels = NULL, C = 1)
  expect_classed(drop_view(default, views, d$y, pair), "invalid_argument", "kernels")
  sets <- list(one = pair, two = gaussian_kernel(8))
  cv <- view_cv(kernels = sets, C = 1)
  expect_s3_class(drop_view(cv, views, d$y, sets), "drop_view")
  other <- if (cv$best$set == "one") sets$two else sets$one
  expect_classed(drop_view(cv, views, d$y, other), "invalid_argument", "kernels")
  numbers <- view_cv(y = d$x[, 1], C = 1)
  expect_classed(drop_view(numbers, views, rev(unname(d$x[, 1])), pair), "invalid_argument", "y")
})

test_that("views that are missing or too many are named, not the kernels", {
  cv <- view_cv(p = 1, C = 1)
  names_it <- function(code, found) {
    error <- expect_classed(code, "invalid_argument", "x")
    expect_identical(conditionMessage(error), paste("`x` must have the views that `cv` was made with, `petal`, `sepal`,",
                                                    found))
  }
  more <- c(views, list(z = d$x))
  names_it(drop_view(cv, views["petal"], d$y, pair), "but lacks `sepal`.")
  names_it(drop_view(cv, more, d$y, pair), "but has `z`, which `cv` has not.")
  names_it(permutation_importance(cv, x = more[-1], y = d$y, kernels = pair),
           "but lacks `petal` and has `z`, which `cv` has not.")
})

test_that("rows and columns may have any order where they have names", {
  id <- sprintf("s%d", 1:75)
  named <- lapply(views, `rownames<-`, id)
  y <- stats::setNames(d$y, id)
  weights <- stats::setNames(rep(1:3, each = 25), id)
  set.seed(1)
  other <- sample(75)
  moved <- lapply(named, function(view) view[other, 2:1])
  first <- function(call) {
    set.seed(2)
    suppressMessages(call)
  }
  cv <- view_cv(named, y, weights = weights)
  found <- first(drop_view(cv, named, y, pair, weights))
  expect_equal(first(drop_view(cv, moved, y, pair, weights)), found)
  expect_equal(first(drop_view(cv, moved, unname(y[other]), pair, unname(weights[other]))), found)
  explain <- function(...) {
    first(permutation_importance(cv, kernels = pair, repeats = 2, ...))$importance
  }
  expect_equal(explain(x = moved, y = y, group = unname(rep(1:25, 3)[other]), weights = weights),
               explain(x = named, y = y, group = rep(1:25, 3), weights = weights))
  # matrices alone, in a list of sets
  K <- lapply(named, tcrossprod)
  sets <- function(K) list(a = precomputed_kernel(K), b = precomputed_kernel(K["petal"]))
  cv <- cv_mkl(y = y, kernels = sets(K), p = 2, C = 1, folds = rep(1:3, 25), control = quiet)
  expect_equal(first(drop_view(cv, y = unname(y[other]), kernels = sets(lapply(K, function(K) K[other, other])))),
               first(drop_view(cv, y = y, kernels = sets(K))))
  # dropped samples are behind the others
  gone <- list(petal = named$petal[-1, ], sepal = named$sepal[-75, ])
  mixed <- list(petal = gone$petal[sample(74), ], sepal = gone$sepal[sample(74), ])
  cv <- suppressMessages(view_cv(gone, y, missing_views = "drop", folds = 3))
  expect_equal(first(drop_view(cv, mixed, y, pair)), first(drop_view(cv, gone, y, pair)))
})

test_that("a formula's data may have any order", {
  data <- data.frame(y = d$y, d$x, row.names = sprintf("s%d", 1:75))
  data[3, 2] <- NA
  cv <- cv_mkl(y ~ ., data, kernels = pair, p = 2, C = 1, folds = 3, control = quiet)
  found <- lapply(list(1:75, 75:1), function(rows) {
    set.seed(1)
    permutation_importance(cv, x = data[rows, ], kernels = pair, repeats = 2)$importance
  })
  expect_equal(found[[1]], found[[2]])
})

test_that("other weights and other values of the views are refused", {
  weights <- ifelse(d$y == "TRUE", 10, 1)
  cv <- view_cv(weights = weights)
  expect_s3_class(drop_view(cv, views, d$y, pair, weights = weights, tune = FALSE), "drop_view")
  expect_classed(drop_view(cv, views, d$y, pair), "invalid_argument", "weights")
  expect_classed(drop_view(cv, views, d$y, pair, weights = weights[c(2:75, 1)]), "invalid_argument", "weights")
  expect_classed(drop_view(view_cv(), views, d$y, pair, weights = weights), "invalid_argument", "weights")
  turned <- list(petal = unname(views$petal[75:1, ]), sepal = unname(views$sepal))
  expect_told <- function(cv, y) {
    expect_s3_class(drop_view(cv, views, y, pair, tune = FALSE), "drop_view")
    expect_classed(drop_view(cv, turned, y, pair), "invalid_argument", "x")
  }
  for (y in list(d$y, d$classes, d$x[, 1])) expect_told(view_cv(y = y), y)
  expect_told(view_cv(y = NULL), NULL)
  expect_told(view_cv(y = d$classes, multiclass = "ovo"), d$classes)
  greedy <- cv_mkl(views, d$y, pair, model = "mkl_gomp", lambda = 0.01, folds = 3, control = quiet)
  expect_told(greedy, d$y)
  K <- lapply(views, tcrossprod)
  kernels <- precomputed_kernel(K)
  cv <- cv_mkl(NULL, d$y, kernels, p = 2, C = 1, folds = rep(1:3, 25), control = quiet)
  expect_s3_class(drop_view(cv, NULL, d$y, kernels), "drop_view")
  K[[1]] <- K[[1]][75:1, 75:1]
  dimnames(K[[1]]) <- NULL
  expect_classed(drop_view(cv, NULL, d$y, precomputed_kernel(K)), "invalid_argument", "x")
})

test_that("norms with a value for each kernel have none for fewer", {
  for (norm in list(quadratic_norm(diag(4) + 0.5), lp_norm(2, weights = 1:4))) {
    cv <- cv_mkl(views, d$y, pair, norm = norm, C = 1, folds = 2, control = quiet)
    expect_classed(drop_view(cv, views, d$y, pair), "unsupported", "cv")
  }
})

test_that("dropped views print", {
  cv <- view_cv()
  expect_snapshot(drop_view(cv, views, d$y, pair))
  capture.output(expect_invisible(print(drop_view(cv, views, d$y, pair), digits = 2)))
})

test_that("without the data those of the call are found again, or it is said how to give them", {
  skip_unless_slow()
  y <- d$y
  cv <- cv_mkl(views, y, pair, p = 2, C = c(0.1, 1), folds = rep(1:3, 25), control = quiet)
  expect_identical(drop_view(cv), drop_view(cv, views, y, pair))
  weights <- rep(1:3, each = 25)
  weighted <- cv_mkl(views, y, p = 2, C = 1, folds = rep(1:3, 25), weights = weights, control = quiet)
  expect_identical(drop_view(weighted), drop_view(weighted, views, y, weights = weights))
  K <- list(a = tcrossprod(d$x[, 1:2]), b = tcrossprod(d$x[, 3:4]))
  matrices <- cv_mkl(y = y, kernels = precomputed_kernel(K), p = 2, C = 1, folds = rep(1:3, 25), control = quiet)
  expect_identical(drop_view(matrices)$view, names(matrices$fit$kernels))

  made_elsewhere <- (function(tables, response) {
    cv_mkl(tables, response, pair, p = 2, C = 1, folds = rep(1:3, 25), control = quiet)
  })(views, d$y)
  expect_error(drop_view(made_elsewhere, views, d$y), "^Give `kernels`, too",
               class = "manykernels_invalid_argument")
  expect_error(drop_view(made_elsewhere), "`drop_view(cv, x = tables, y = response, kernels = pair)`", fixed = TRUE,
               class = "manykernels_no_data")
  tables <- views
  response <- d$y
  expect_s3_class(drop_view(made_elsewhere, x = tables, y = response, kernels = pair), "drop_view")
  formula <- cv_mkl(y ~ ., data.frame(d$x, y = d$y), pair, p = 2, C = 1, folds = 3, control = quiet)
  expect_error(drop_view(formula), "as a list", class = "manykernels_unsupported")

  skip_if_not_installed("SummarizedExperiment")
  values <- unname(t(d$x[, 3:4]))
  colnames(values) <- paste0("s", 1:75)
  se <- SummarizedExperiment::SummarizedExperiment(
    list(petal = values, sepal = exp(values)), colData = data.frame(kind = d$y, row.names = colnames(values)))
  cv <- suppressMessages(cv_mkl(se, "kind", pair, p = 2, C = 1, folds = rep(1:3, 25), control = quiet,
                                assay = c("petal", "sepal")))
  expect_length(drop_view(cv)$view, 2)
})

test_that("views that every kernel reads are named, and the others are compared", {
  set.seed(1)
  views <- list(u = matrix(rnorm(60), 30), v = matrix(rnorm(60), 30))
  y <- gl(2, 1, 30)
  u <- on_view(gaussian_kernel(1), "u")
  both <- u * on_view(linear_kernel(), "v")
  cv <- cv_mkl(views, y, c(u, both), p = 2, C = 1, folds = 3)
  expect_message(gain <- drop_view(cv), "gain from `u`, give", class = "manykernels_message_drop_view")
  expect_identical(gain$view, "v")
  cv <- cv_mkl(views, y, both, p = 2, C = 1, folds = 3)
  expect_error(drop_view(cv), "gain from `u`, `v`, give", class = "manykernels_unsupported")
})
