# Missing cells: what fills them is learnt from training rows alone, and is the same for new rows.

skip_on_cran() # a slow file
n <- 60
set.seed(5)
full <- matrix(rexp(n * 4), n, dimnames = list(NULL, c("a", "b", "e", "g")))
y <- factor(ifelse(full[, 1] + full[, 2] > 1.7, "u", "v"))
x <- replace(full, sample(length(full), 30), NA)
k <- gaussian_kernel(c(2, 8))
exact <- mkl_control(tol = 1e-8)
quietly <- function(code) suppressMessages(code, "manykernels_message_imputed")
by_column <- function(f) function(x, train) {
  gaps <- which(is.na(x), arr.ind = TRUE)
  x[gaps] <- apply(train, 2, f)[gaps[, 2]]
  x
}
medians <- by_column(function(column) stats::median(column, na.rm = TRUE))
halves <- by_column(function(column) min(column, na.rm = TRUE) / 2)

# The 10 nearest rows of `train`, by hand.
by_neighbours <- function(x, train) {
  sd <- apply(train, 2, stats::sd, na.rm = TRUE)
  out <- x
  for (i in which(rowSums(is.na(x)) > 0)) {
    far <- apply(train, 1, function(row) mean(((row - x[i, ]) / sd)^2, na.rm = TRUE))
    for (j in which(is.na(x[i, ]))) {
      known <- train[order(far), j]
      out[i, j] <- mean(known[!is.na(known)][1:10])
    }
  }
  out
}

test_that("each method is what it says, for training rows and new ones", {
  new <- replace(full[1:8, ] * 1.1, c(1, 10, 20, 30), NA)
  for (case in list(list("median", medians), list("half_minimum", halves), list("knn", by_neighbours))) {
    fit <- quietly(mkl(x, y, k, impute = case[[1]], control = exact))
    by_hand <- mkl(case[[2]](x, x), y, k, control = exact)
    expect_equal(fit$decision, by_hand$decision, tolerance = 1e-5)
    expect_equal(predict(fit, new, type = "decision"), predict(by_hand, case[[2]](new, x), type = "decision"),
                 tolerance = 1e-5)
    expect_equal(predict(fit, x, type = "decision"), fit$decision, tolerance = 1e-5, ignore_attr = TRUE)
    expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 0.1)
    by_function <- quietly(mkl(x, y, k, impute = case[[2]], control = exact))
    expect_equal(by_function$decision, fit$decision, tolerance = 1e-5)
  }
  expect_true(is.na(predict(mkl(full, y, k), new)[[1]]))
  complete <- mkl(full, y, k, impute = "median")
  expect_equal(predict(complete, new), predict(mkl(full, y, k), medians(new, full)))
})

test_that("folds learn from their training rows alone, whatever the model", {
  folds <- rep(1:3, length.out = n)
  for (method in list("median", "knn", "half_minimum", medians)) {
    cv <- quietly(cv_mkl(x, y, k, p = 2, C = 1, folds = folds, impute = method))
    for (fold in 1:3) {
      train <- folds != fold
      own <- quietly(mkl(x[train, ], y[train], k, p = 2, C = 1, impute = method))
      found <- cv$predictions[cv$predictions$fold == fold, ]
      expect_equal(found$decision, unname(predict(own, x[found$row, ], type = "decision")), tolerance = 5e-2)
      expect_equal(mean(abs(found$decision - predict(own, x[found$row, ], type = "decision"))), 0, tolerance = 1e-2)
    }
  }
  for (model in c("mkl_gomp", "mllkm")) {
    cv <- quietly(cv_mkl(x, y, model = model, folds = folds, impute = "median"))
    expect_s3_class(cv, "cv_mkl")
    expect_length(predict(cv, x), n)
  }
  # held-out values must not leak: another value there changes nothing that the fold has learnt
  other <- x
  other[folds == 1, ] <- other[folds == 1, ] * 100
  a <- quietly(cv_mkl(x, y, k, p = 2, C = 1, folds = folds, impute = "median"))
  b <- quietly(cv_mkl(other, y, k, p = 2, C = 1, folds = folds, impute = "median"))
  expect_equal(a$weights[[1]]$theta, b$weights[[1]]$theta, tolerance = 1e-6)
})

test_that("all models, judges and files take missing cells", {
  fit <- quietly(mkl(x, y, k, impute = "knn"))
  expect_equal(assess(fit, x, y)$left_out, c(0, 0), ignore_attr = TRUE)
  expect_equal(permutation_importance(fit, x, y, repeats = 2)$left_out, 0)
  for (other in list(quietly(mkl_gomp(x, y, k, impute = "median", validation = list(x = x, y = y))),
                     quietly(mllkm(x, y, impute = "median")), quietly(mkl_sequential(x, y, k, impute = "median")))) {
    expect_false(anyNA(predict(other, x)))
  }
  expect_false(anyNA(predict(quietly(mkl_path(x, y, k, impute = "median")), x, C = 1)))
  skip_if_not_installed("jsonlite")
  file <- withr::local_tempfile(fileext = ".json")
  for (method in c("median", "knn", "half_minimum")) {
    fit <- quietly(mkl(x, y, k, impute = method))
    write_model(fit, file)
    expect_equal(predict(read_model(file), x), predict(fit, x), ignore_attr = TRUE)
  }
  expect_error(write_model(quietly(mkl(x, y, k, impute = medians)), file), "`impute` is a function",
               class = "manykernels_unsupported")
})

test_that("factors, text and logical columns take the most frequent level", {
  d <- data.frame(x[, 1:2], f = factor(rep(c("p", "q", "q"), 20)), t = rep(c("m", "w", "w"), 20),
                  l = rep(c(TRUE, TRUE, FALSE), 20))
  full <- d
  d$f[3] <- d$t[6] <- NA
  d$l[7] <- NA
  full[3, "f"] <- "q"
  full[6, "t"] <- "w"
  full[7, "l"] <- TRUE
  full[1:2] <- medians(as.matrix(d[1:2]), as.matrix(d[1:2]))
  fit <- quietly(mkl(d, y, k, impute = "median"))
  expect_equal(fit$decision, mkl(full, y, k)$decision, tolerance = 1e-5)
  expect_message(mkl(d, y, k, impute = "median"), "`f` (1)", fixed = TRUE, class = "manykernels_message_imputed")
  frame <- cbind(d, y = y)
  frame$y[9] <- NA
  by_formula <- quietly(mkl(y ~ ., frame, kernels = k, impute = "median"))
  expect_equal(by_formula$na.action, 9, ignore_attr = TRUE)
  expect_equal(predict(by_formula, frame[-9, ], type = "decision"), by_formula$decision, tolerance = 1e-5,
               ignore_attr = TRUE)
  expect_equal(duality_gap(by_formula, frame)$gap, by_formula$gap, tolerance = 1e-3)
  expect_s3_class(quietly(cv_mkl(y ~ ., frame, kernels = k, p = 2, C = 1, impute = "knn")), "cv_mkl")
  expect_error(mkl(d[3:5], y, k), "`impute = \"median\"`", fixed = TRUE, class = "manykernels_missing_values")
})

test_that("empty columns have no influence, empty rows are samples that lack the view, infinite cells errors", {
  with_empty <- cbind(x, z = NA)
  expect_message(fit <- mkl(with_empty, y, k, impute = "median"), "without influence: `z`", fixed = TRUE)
  expect_equal(predict(fit, replace(with_empty, is.na(with_empty), 7)[1:3, ]),
               predict(fit, cbind(replace(x, is.na(x), 7), z = 0)[1:3, ]))
  once <- cbind(x, z = c(100, rep(NA, n - 1))) # some fold's training rows have none
  expect_true(all(quietly(cv_mkl(once, y, k, p = 2, C = 1, impute = "knn"))$by_fold$status == "converged"))
  bare <- replace(x, cbind(3, 1:4), NA)
  expect_error(mkl(bare, y, k, impute = "median"), "missing_views", class = "manykernels_missing_views")
  fit <- suppressMessages(mkl(bare, y, k, impute = "median", missing_views = "drop"))
  expect_identical(which(is.na(predict(fit, bare))), 3L, ignore_attr = TRUE)
  expect_error(mkl(replace(x, 5, Inf), y, k, impute = "median"), "1 value is infinite", class = "manykernels_missing_values")
  expect_error(mkl(replace(x, 5, NA), y, k), "`impute = \"median\"`", fixed = TRUE, class = "manykernels_missing_values")
})

test_that("views have methods of their own, beside missing_views", {
  views <- list(a = x[, 1:2], b = matrix(rnorm(n * 3), n))
  views$a[1:2, ] <- NA
  views$b[9, 2] <- NA
  only <- lacking <- views
  expect_error(mkl(views, y, k, impute = c(a = "median"), missing_views = "drop"), "`x$b`", fixed = TRUE)
  expect_error(mkl(views, y, k, impute = c(q = "median")), "names `q`", class = "manykernels_unknown_view")
  fit <- suppressMessages(mkl(views, y, k, impute = list(a = "half_minimum", b = medians), missing_views = "neutral"))
  expect_equal(suppressMessages(duality_gap(fit, views, y))$gap, fit$gap, tolerance = 1e-3)
  expect_false(anyNA(predict(fit, lapply(views, head))))
  cv <- suppressMessages(cv_mkl(views, y, k, p = 2, C = 1, impute = "median", missing_views = "drop"))
  expect_s3_class(suppressMessages(drop_view(cv)), "drop_view")
})

test_that("sparse views have medians, with their zeros", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(full * (full > 1.5), sparse = TRUE)
  full <- as.matrix(sparse)
  gap <- which(full[, 2] > 0)[1]
  sparse[gap, 2] <- NA
  fit <- quietly(mkl(sparse, y, k, impute = "median", control = exact))
  full[gap, 2] <- stats::median(full[-gap, 2])
  by_hand <- mkl(Matrix::Matrix(full, sparse = TRUE), y, k, control = exact)
  expect_equal(fit$decision, by_hand$decision, tolerance = 1e-5)
  expect_error(mkl(sparse, y, k, impute = "knn"), "dense", class = "manykernels_unsupported")
})

test_that("other methods and functions are refused", {
  for (wrong in list("mode", 1, c("median", "knn"), list(), NA)) {
    expect_error(mkl(x, y, k, impute = wrong), "`impute` must be", class = "manykernels_invalid_argument")
  }
  expect_error(quietly(mkl(x, y, k, impute = function(x, train) x)), "must return", class = "manykernels_invalid_argument")
  expect_error(quietly(mkl(x, y, k, impute = function(x, train) stop("no"))), "failed: no", class = "manykernels_invalid_argument")
  expect_error(mkl(-x, y, k, impute = "half_minimum"), "negative values", class = "manykernels_invalid_argument")
})

test_that("functions of one matrix are refused before anything is said to be imputed", {
  cv <- function(impute) cv_mkl(x, y, k, p = 1, C = 1, impute = impute, control = mkl_control(progress = FALSE))
  one <- function(x) x
  for (wrong in list(one, list(x = one))) {
    error <- expect_no_message(expect_classed(cv(wrong), "invalid_argument", "impute"))
    expect_match(conditionMessage(error), "must be a function of two matrices, `function(x, train)`", fixed = TRUE)
    expect_no_message(expect_classed(mkl(x, y, k, impute = wrong), "invalid_argument", "impute"))
  }
  expect_s3_class(quietly(cv(function(...) medians(...))), "cv_mkl")
})

test_that("what a function returns wrongly has the same class in cv_mkl() as in mkl()", {
  for (wrong in list(function(x, train) x, function(x, train) stop("no"))) {
    for (model in list(mkl, function(...) cv_mkl(..., p = 1, C = 1))) {
      quietly(expect_classed(model(x, y, k, impute = wrong), "invalid_argument", "impute"))
    }
  }
})

test_that("parsnip, mlr3 and caret pass it on", {
  d <- as.data.frame(x)
  if (requireNamespace("parsnip", quietly = TRUE)) {
    spec <- parsnip::set_engine(svm_mkl("classification"), "manykernels", kernels = k, impute = "median")
    fit <- quietly(parsnip::fit_xy(spec, d, y))
    expect_false(anyNA(predict(fit, d)))
  }
  if (requireNamespace("mlr3", quietly = TRUE)) {
    learner <- LearnerClassifMKL$new()
    learner$param_set$values <- list(kernels = k, impute = "median")
    task <- mlr3::as_task_classif(cbind(d, y = y), target = "y")
    expect_false(anyNA(quietly(learner$train(task))$predict(task)$response))
  }
  skip_if_not_installed("caret")
  tuned <- quietly(caret::train(d, y, method = caret_mkl(k), tuneGrid = data.frame(C = 1, p = 2), impute = "median",
                                trControl = caret::trainControl("none")))
  expect_false(anyNA(predict(tuned, d)))
})
