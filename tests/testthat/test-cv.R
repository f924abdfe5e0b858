skip_on_cran() # a slow file
d <- cv_data()
pair <- gaussian_kernel(c(1, 8))
cv_with <- function(x = d$x, y = d$y, kernels = pair, p = c(1, 2), C = c(0.1, 1), ...,
                    folds = rep(1:3, 25), control = quiet()) {
  cv_mkl(x, y, kernels, p = p, C = C, folds = folds, control = control, ...)
}

# ---- the object ----------------------------------------------------------------------------------

test_that("results, folds and predictions belong together", {
  set.seed(4)
  cv <- cv_with(folds = 4, repeats = 3, measure = c("accuracy", "auc", "mcc"))
  expect_s3_class(cv, "cv_mkl")
  expect_identical(nrow(cv$results), 4L)
  expect_identical(cv$results$p, c(1, 1, 2, 2))
  expect_identical(cv$results$C, c(0.1, 1, 0.1, 1))
  expect_identical(nrow(cv$by_fold), 48L)
  expect_identical(cv$by_fold$`repeat`, rep(1:3, each = 16))
  expect_identical(cv$by_fold$fold, rep(rep(1:4, each = 4), 3))
  expect_identical(cv$results$mean, cv$results$accuracy)
  expect_identical(cv$results$se, cv$results$accuracy_se)
  for (measure in c("accuracy", "auc", "mcc", "kernels", "support")) {
    by_cell <- matrix(cv$by_fold[[measure]], 4)
    expect_equal(cv$results[[measure]], rowMeans(by_cell))
    if (measure %in% c("kernels", "support")) next
    # repeats are averaged within rows, which makes fold means vary less
    expect_true(all(cv$results[[paste0(measure, "_se")]] < sqrt(1 / 4 + 1 / 3) * 1.5 * apply(by_cell, 1, sd)))
  }
  expect_equal(cv$results$gap, apply(matrix(cv$by_fold$gap, 4), 1, max))
  expect_equal(cv$results$seconds, rowSums(matrix(cv$by_fold$seconds, 4)))
  expect_true(all(cv$results$folds == 12 & cv$results$failed == 0))
  expect_identical(unname(table(cv$predictions$row, cv$predictions$`repeat`)),
                   unname(table(rep(1:75, 3), rep(1:3, each = 75))))
  expect_identical(cv$predictions$truth, d$y[cv$predictions$row])
  right <- tapply(cv$predictions$response == cv$predictions$truth,
                  cv$predictions[c("fold", "repeat")], mean)
  chosen <- seq(cv$best_row, 48, 4)
  expect_equal(as.vector(right), cv$by_fold$accuracy[chosen])
  own <- split(cv$predictions, list(cv$predictions$fold, cv$predictions$`repeat`))
  auc <- vapply(own, function(one) {
    pairs <- outer(one$decision[one$truth == "TRUE"], one$decision[one$truth == "FALSE"], `-`)
    mean((pairs > 0) + 0.5 * (pairs == 0))
  }, 0)
  expect_equal(unname(auc), cv$by_fold$auc[chosen])
  expect_length(cv$resamples, 12)
  expect_length(cv$weights, 12)
  expect_identical(cv$best, list(p = cv$results$p[cv$best_row], C = cv$results$C[cv$best_row]))
})

test_that("grids are sorted, whatever their order", {
  a <- cv_with(p = c(2, 1), C = c(1, 0.01, 0.1))
  b <- cv_with(p = c(1, 2), C = c(0.01, 0.1, 1))
  expect_identical(a$results$C, rep(c(0.01, 0.1, 1), 2))
  expect_same_numbers(a, b)
})

test_that("the fit to all rows is mkl() at the choice", {
  cv <- cv_with(class_weights = "balanced", normalize = "trace", scale = FALSE, loss = "squared_hinge",
                weights = rep(1:3, 25), control = quiet(tol = 1e-8))
  fit <- mkl(d$x, d$y, pair, p = cv$best$p, C = cv$best$C, class_weights = "balanced",
             normalize = "trace", scale = FALSE, loss = "squared_hinge", weights = rep(1:3, 25),
             control = quiet(tol = 1e-8))
  expect_s3_class(cv$fit, "mkl")
  expect_identical(cv$fit[c("theta", "alpha", "offset", "gap")],
                   fit[c("theta", "alpha", "offset", "gap")])
  for (type in c("response", "decision")) {
    expect_identical(predict(cv, d$x, type = type), predict(cv$fit, d$x, type = type))
  }
  expect_identical(predict(cv), predict(cv$fit))
  expect_identical(coef(cv), coef(fit))
  expect_identical(kernel_weights(cv), kernel_weights(cv$fit))
  classes <- cv_with(y = d$classes)
  expect_s3_class(classes$fit, "mkl_multiclass")
  expect_identical(predict(classes, d$x), predict(classes$fit, d$x))
})

test_that("probabilities are fitted in each cell where they are asked for", {
  set.seed(2)
  for (y in list(d$y, d$classes)) {
    cv <- cv_with(y = y, measure = c("log_loss", "brier"), p = 2, C = 1,
                  control = quiet(probability = TRUE))
    expect_identical(colnames(cv$predictions$prob), levels(y))
    expect_equal(rowSums(cv$predictions$prob), rep(1, 75))
    truth <- cv$predictions$prob[cbind(1:75, as.integer(cv$predictions$truth))]
    expect_equal(cv$by_fold$log_loss, as.vector(tapply(-log(truth), cv$predictions$fold, mean)))
    expect_identical(dim(predict(cv, d$x, type = "prob")), c(75L, nlevels(y)))
  }
  expect_null(cv_with()$predictions$prob)
  logistic <- cv_with(loss = "logistic", measure = "log_loss", p = 2, C = 1)
  expect_equal(unname(rowSums(logistic$predictions$prob)), rep(1, 75))
})

test_that("regression and one class have their own measures", {
  cv <- cv_with(d$x[, 1:3], d$x[, 4], measure = c("mae", "rmse", "r2"))
  expect_false(cv$larger)
  expect_identical(cv$best_row, which.min(cv$results$mean))
  error <- cv$predictions$response - d$x[cv$predictions$row, 4]
  chosen <- seq(cv$best_row, 12, 4)
  expect_equal(cv$by_fold$mae[chosen], as.vector(tapply(abs(error), cv$predictions$fold, mean)))
  expect_equal(cv$by_fold$rmse[chosen],
               as.vector(sqrt(tapply(error^2, cv$predictions$fold, mean))))
  one <- cv_mkl(d$x, kernels = pair, p = 2, C = c(0.02, 0.1), folds = rep(1:3, 25),
                control = quiet())
  expect_identical(one$measure, "outside_shift")
  expect_type(one$predictions$response, "logical")
  expect_null(one$predictions$truth)
})

# ---- the choice ----------------------------------------------------------------------------------

test_that("rules choose from the results as they say", {
  set.seed(6)
  noisy <- replace(d$y, 1:20 * 3, rev(levels(d$y))[as.integer(d$y[1:20 * 3])])
  run <- function(rule) {
    set.seed(1)
    cv_with(y = noisy, C = 2^(-4:4), folds = 5, rule = rule)
  }
  best <- run("best")
  simple <- run("one_se")
  expect_identical(best$by_fold$accuracy, simple$by_fold$accuracy)
  means <- best$results$mean
  expect_identical(means[best$best_row], max(means))
  floor <- max(means) - best$results$se[which.max(means)] - 1e-10
  near <- best$results[means >= floor, ]
  near <- near[near$C == min(near$C), ]
  expect_identical(simple$best, as.list(near[which.min(near$p), c("p", "C")]))
  expect_lte(simple$best$C, best$best$C)
})

test_that("a measure may be infinite", {
  cv <- cv_with(measure = list(most = function(truth, ...) Inf, "auc"))
  expect_identical(cv$best_row, which.min(cv$results$margin_loss)) # all are equal
  expect_classed(plot(cv), "invalid_argument", "x")
  expect_draws(cv, measure = "auc")
})

test_that("decision values of several classes have their names", {
  for (model in c("mkl", "mkl_gomp")) {
    settings <- if (model == "mkl") list(p = 2, C = 1) else list(lambda = 0.1)
    cv <- do.call(cv_mkl, c(list(d$x, d$classes, pair, folds = 2, model = model, control = quiet()),
                            settings))
    expect_identical(colnames(cv$predictions$decision), levels(d$classes))
  }
})

# ---- folds ---------------------------------------------------------------------------------------

test_that("own folds are taken as they are", {
  sites <- rep(c("Bern", "Oslo", "Rome"), 25)
  by_site <- cv_with(folds = sites)
  expect_identical(unique(by_site$by_fold$fold), c("Bern", "Oslo", "Rome"))
  expect_identical(by_site$predictions$fold, rep(c("Bern", "Oslo", "Rome"), each = 25))
  listed <- cv_with(folds = split(1:75, sites))
  expect_same_numbers(listed, by_site)
  both <- cv_with(folds = list(list(train = 26:75, test = 1:10)))
  expect_identical(both$predictions$row, 1:10)
  some <- cv_with(folds = replace(rep(1:3, 25), 70:75, NA))
  expect_false(any(some$predictions$row %in% 70:75))
  for (one in some$resamples) expect_true(all(70:75 %in% one$train))
})

# ---- methods for data ----------------------------------------------------------------------------

frame_data <- function() {
  frame <- data.frame(d$x, type = d$y, site = factor(rep(c("a", "b", "c"), 25)),
                      w = rep(c(1, 2, 0.5), each = 25))
  frame$Sepal.Length[c(5, 50)] <- NA
  frame
}

test_that("formulas take factors, subset, na.action and weights", {
  frame <- frame_data()
  cv <- cv_mkl(type ~ . - w, frame, kernels = pair, p = c(1, 2), C = c(0.1, 1), subset = -(1:3),
               weights = w, folds = rep(1:2, 35), control = quiet())
  expect_identical(cv$n, 70L)
  expect_identical(cv$predictions$name, rownames(frame)[cv$predictions$row])
  expect_identical(cv$predictions$truth, frame$type[cv$predictions$row])
  fit <- mkl(type ~ . - w, frame, kernels = pair, p = cv$best$p, C = cv$best$C, subset = -(1:3),
             weights = w, control = quiet())
  expect_identical(unname(coef(cv)), unname(coef(fit)))
  expect_identical(predict(cv, frame[10:20, ]), predict(fit, frame[10:20, ]))
  expect_identical(predict(cv$fit, frame[10:20, ]), predict(fit, frame[10:20, ]))
  weight <- frame$w[cv$predictions$row]
  expect_setequal(cv$predictions$row, setdiff(4:75, c(5, 50)))
  right <- weight * (cv$predictions$response == cv$predictions$truth)
  by_hand <- tapply(right, cv$predictions$fold, sum) / tapply(weight, cv$predictions$fold, sum)
  expect_equal(cv$by_fold$accuracy[seq(cv$best_row, 8, 4)], as.vector(by_hand))
  classes <- cv_mkl(site ~ Sepal.Width + Petal.Length, frame, kernels = pair, p = 2, C = 1,
                    folds = rep(1:3, each = 25), control = quiet())
  expect_identical(classes$fit$call, classes$call)
  expect_identical(predict(classes, frame), predict(classes$fit, frame))
})

test_that("formulas know folds and groups of the rows of their data", {
  frame <- frame_data()
  frame$patient <- rep(1:15, 5)
  frame$part <- replace(rep(c("u", "v", "w"), 25), 7, NA)
  used <- setdiff(4:75, c(5, 50))
  run <- function(...) {
    cv_mkl(type ~ Sepal.Length + Petal.Length, frame, kernels = pair, p = 2, C = 1, subset = -(1:3),
           control = quiet(), ...)
  }
  cv <- cv_mkl(type ~ Sepal.Length + Petal.Length, frame, kernels = pair, p = 2, C = 1,
               subset = -(1:3), folds = part, control = quiet())
  expect_identical(cv$predictions$fold, frame$part[cv$predictions$row])
  expect_identical(cv$resamples[[1]]$test, intersect(used, which(frame$part == "u")))
  expect_identical(run(folds = frame$part)$predictions, cv$predictions)
  expect_identical(run(folds = frame$part[used])$predictions, cv$predictions)
  cv <- cv_mkl(type ~ Sepal.Length + Petal.Length, frame, kernels = pair, p = 2, C = 1,
               subset = -(1:3), folds = 3, group = patient, control = quiet())
  for (one in cv$resamples) {
    expect_false(any(frame$patient[one$test] %in% frame$patient[one$train]))
  }
  expect_identical(update(cv, C = 2)$best$C, 2)
  expect_length(run(folds = list(1:10, 11:20))$resamples, 2)
  expect_length(cv_mkl(type ~ Petal.Length, frame, pair, 2, 1, 4, control = quiet())$resamples, 4)
  expect_classed(run(group = 1:3), "length", "group")
  expect_classed(run(group = nobody), "formula", "group")
})

test_that("data frames keep their factors, and calls can be updated", {
  frame <- frame_data()[c("Sepal.Width", "Petal.Length", "site")]
  cv <- cv_mkl(frame, d$y, kernels = pair, p = 2, C = c(0.1, 1), folds = rep(1:2, length.out = 75),
               control = quiet())
  expect_identical(cv$call[[1]], quote(cv_mkl))
  expect_identical(cv$fit$call, cv$call)
  expect_identical(predict(cv, frame[1:4, ]), predict(cv$fit, frame[1:4, ]))
  more <- update(cv, C = c(0.1, 1, 10))
  expect_identical(more$results$C, c(0.1, 1, 10))
  expect_identical(more$by_fold$accuracy[more$by_fold$C < 5], cv$by_fold$accuracy)
  data <- data.frame(d$x, type = d$y)
  by_formula <- cv_mkl(type ~ ., data, kernels = pair, p = 2, C = 1, folds = rep(1:3, 25))
  less <- update(by_formula, . ~ . - Sepal.Width)
  expect_match(deparse1(less$call), "type ~ Sepal.Length \\+ Petal.Length \\+ Petal.Width")
  by_matrix <- cv_mkl(d$x, d$y, pair, p = 2, C = 0.1, folds = rep(1:3, 25))
  expect_identical(update(by_matrix, C = 1)$best$C, 1)
})

test_that("rows are matched by name where they have names", {
  x <- d$x
  rownames(x) <- paste0("r", 1:75)
  weights <- stats::setNames(rep(1:3, each = 25), rownames(x))
  named <- cv_with(x, weights = rev(weights), group = rev(stats::setNames(1:75, rownames(x))))
  expect_identical(named$predictions$name, rownames(x)[named$predictions$row])
  plain <- cv_with(weights = unname(weights), group = 1:75)
  expect_identical(named$by_fold$accuracy, plain$by_fold$accuracy)
})

# ---- other models --------------------------------------------------------------------------------

test_that("mkl_gomp() is tuned by lambda, further arguments pass", {
  folds <- rep(1:3, length.out = 32)
  cv <- cv_mkl(mtcars[-1], mtcars$mpg, gaussian_kernel(c(4, 32)), model = "mkl_gomp",
               lambda = c(1, 0.01), folds = folds, normalize = "trace", max_kernels = 1,
               control = quiet())
  expect_identical(cv$tuned, c("max_kernels", "lambda"))
  expect_identical(cv$results$lambda, c(0.01, 1))
  expect_s3_class(cv$fit, "mkl_gomp")
  for (k in 1:2) for (r in 1:3) {
    test <- folds == r
    fit <- mkl_gomp(mtcars[!test, -1], mtcars$mpg[!test], gaussian_kernel(c(4, 32)),
                    lambda = cv$results$lambda[k], normalize = "trace", max_kernels = 1,
                    control = quiet())
    error <- predict(fit, mtcars[test, -1]) - mtcars$mpg[test]
    expect_equal(cv$by_fold$rmse[2 * r - 2 + k], sqrt(mean(error^2)))
  }
  expect_identical(unique(cv$by_fold$kernels), 1)
})

test_that("mllkm() of several classes is tuned, each class with anchors of its own", {
  set.seed(2)
  cv <- expect_silent(cv_mkl(as.matrix(iris[1:4]), iris$Species, model = "mllkm", gamma = 0.5,
                             C = c(1, 4), folds = 2, control = quiet()))
  expect_gt(max(cv$results$accuracy), 0.9)
  expect_true(all(cv$results$kernels >= 1))
})

test_that("mllkm() is tuned by gamma and C", {
  folds <- rep(1:3, 25)
  run <- function() {
    set.seed(4)
    cv_mkl(d$x, d$y, model = "mllkm", gamma = c(2, 0.5), C = c(1, 10), folds = folds,
           control = quiet())
  }
  cv <- run()
  expect_identical(cv$tuned, c("gamma", "C"))
  expect_identical(cv$results[c("gamma", "C")],
                   data.frame(gamma = c(0.5, 0.5, 2, 2), C = c(1, 10, 1, 10)))
  expect_s3_class(cv$fit, "mllkm")
  expect_identical(without_clock(run())[1:2], without_clock(cv)[1:2])
  alone <- cv_mkl(d$x, d$y, model = "mllkm", C = 1, folds = folds, control = quiet())
  expect_identical(alone$tuned, "C")
  right <- tapply(cv$predictions$response == cv$predictions$truth, cv$predictions$fold, mean)
  expect_equal(as.vector(right), cv$by_fold$accuracy[seq(cv$best_row, 12, 4)])
})

# ---- what goes wrong -----------------------------------------------------------------------------

test_that("a fold whose kernels fail is reported, the others are not lost", {
  x <- cbind(c(rep(0, 70), 1:5), d$x[, 1])
  folds <- c(rep(1:2, 35), rep(3, 5))
  expect_warning(cv <- cv_with(x, kernels = on_features(pair, 1), folds = folds, scale = FALSE),
                 class = "manykernels_warning_cells")
  failed <- cv$by_fold$fold == 3
  expect_identical(cv$by_fold$status, ifelse(failed, "error", "converged"))
  expect_identical(!is.na(cv$by_fold$message), failed)
  expect_true(all(cv$results$folds == 2 & cv$results$failed == 1))
  expect_identical(sort(cv$predictions$row), 1:70)
  flat <- function(a, b) tcrossprod(a[, 1], b[, 1])
  expect_warning(
    expect_warning(cv <- cv_with(x, kernels = function_kernel(flat), folds = folds,
                                 scale = FALSE, nested = 2), "of the grid"),
    "In 1 of 3 folds no cell could be chosen"
  )
  expect_identical(is.na(cv$nested$by_fold$accuracy), c(FALSE, FALSE, TRUE))
  expect_error(cv_with(x, kernels = on_features(pair, 1), folds = list(71:75), scale = FALSE),
               class = "manykernels_no_choice")
})

test_that("kernels made from the data that fail in one fold are reported, too", {
  expect_warning(
    cv <- cv_mkl(d$x, d$x[, 1], model = "mkl_gomp", lambda = 0.1, folds = list(1:25, 26:50),
                 kernels = function_kernel(function(a, b) {
                   if (nrow(a) == 50 && a[1, 1] == d$x[1, 1]) stop("no value")
                   tcrossprod(a, b)
                 }), scale = FALSE, control = quiet()),
    class = "manykernels_warning_cells"
  )
  expect_identical(cv$by_fold$status == "error", c(FALSE, TRUE))
  expect_match(cv$by_fold$message[2], "no value")
})

test_that("what fails within nested folds is said", {
  set.seed(1)
  x <- cbind(d$x, z = 0)
  x[c(1, 26), "z"] <- 1
  kernels <- on_features(linear_kernel(), list(z = "z"))
  run <- function(nested) {
    cv_mkl(x, factor(rep_len(1:2, 75)), kernels, p = 2, C = c(0.1, 1), folds = rep(1:3, each = 25),
           nested = nested, control = quiet())
  }
  expect_no_warning(run(FALSE))
  heard <- tryCatch(run(3), warning = identity)
  expect_s3_class(heard, "manykernels_warning_cells")
  expect_identical(heard$argument, "nested")
  expect_match(conditionMessage(heard), "Of the 18 fits within the folds of `nested`, [0-9]+ failed")
})

test_that("what time there is goes to one fold after the other", {
  asked <- 0 # for all values, once in each fold: views are scaled by its training rows
  slow <- function(a, b) {
    asked <<- asked + (nrow(a) == 75)
    if (nrow(a) == 75 && asked <= 3) Sys.sleep(0.5)
    tcrossprod(a, b) + 1
  }
  expect_warning(cv <- cv_with(kernels = function_kernel(slow), p = 2, max_time = 1.4,
                               control = quiet(threads = 1)), class = "manykernels_warning_cells")
  open <- cv$by_fold$status == "time_limit"
  expect_false(any(open[cv$by_fold$fold == 1]))
  expect_true(all(open[cv$by_fold$fold == 3]))
  expect_true(all(is.na(cv$by_fold[open, c("accuracy", "gap", "kernels")])))
  expect_true(all(cv$results$folds < 3 & cv$results$failed > 0))
  expect_true(all(cv$predictions$fold < 3))
})

test_that("measures without values or that fail are errors", {
  none <- function(truth, ...) NA_real_
  expect_error(cv_with(measure = none), "not defined in any fold", class = "manykernels_no_choice")
  expect_classed(cv_with(measure = function(truth, ...) stop("no")), "measure", "measure")
  # in one fold there is one class only: all cells miss it
  yes <- which(d$y == "TRUE")
  one_class <- cv_with(measure = "auc", folds = list(yes[1:5], setdiff(1:25 * 3, yes[1:5])))
  expect_identical(one_class$results$folds, rep(1, 4))
  expect_true(all(is.na(one_class$results$se)))
})

test_that("fits that end before `tol` are reported with their gap, and count", {
  suppressWarnings(
    expect_warning(cv <- cv_with(control = quiet(tol = 1e-12, max_iter = 1)), "largest gap",
                   class = "manykernels_warning_cells"),
    "manykernels_warning_not_converged"
  )
  expect_true(any(cv$by_fold$status == "iteration_limit"))
  expect_false(anyNA(cv$by_fold$accuracy))
  expect_gt(sum(cv$results$failed), 0)
})

test_that("wrong arguments are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    cv_with(p = 0.5)
    cv_with(p = c(1, 1))
    cv_with(p = "a")
    cv_with(C = 0)
    cv_with(C = numeric())
    cv_with(C = c(1, NA))
    cv_with(norm = elastic_net_norm(0.5))
    cv_mkl(d$x, d$y, norm = 2)
    cv_mkl(d$x, d$y, norm = list())
    cv_mkl(d$x, d$y, norm = list(lp_norm(1), "b"))
    cv_mkl(d$x, d$y, norm = quadratic_norm(diag(3)), kernels = pair)
    cv_with(lambda = 1)
    cv_with(gamma = 1)
    cv_mkl(d$x, d$y, model = "mkl_gomp", C = 1)
    cv_mkl(d$x, d$y, model = "mllkm", p = 1)
    cv_mkl(d$x, d$y, model = "mllkm", kernels = pair, normalize = "none", C = 1)
    cv_mkl(d$x, d$y, model = "mkl_gomp", lambda = -1)
    cv_mkl(d$x, d$y, model = "svm")
    cv_with(rule = "worst")
    cv_with(measure = "rmse")
    cv_with(measure = "log_loss")
    cv_with(measure = 3)
    cv_with(folds = 1)
    cv_with(folds = 76)
    cv_with(folds = "a")
    cv_with(folds = list(0))
    cv_with(folds = list(1:75))
    cv_with(folds = 3, repeats = 0)
    cv_with(repeats = 2)
    cv_with(group = 1:3)
    cv_with(group = c(NA, 2:75))
    cv_with(nested = 1)
    cv_with(nested = NA)
    cv_with(nested = "yes")
    cv_with(max_time = 0)
    cv_with(max_time = "1 s")
    cv_with(resume = 3)
    cv_with(resume = "/no/such/folder/file.rds")
    cv_with(control = list())
    cv_with(control = quiet(start = mkl(d$x, d$y, pair, control = quiet())))
    cv_with(control = quiet("level"), norm = elastic_net_norm(0.5), p = NULL)
    cv_with(control = quiet("reduced_gradient"))
    cv_with(loss = "squares")
    cv_with(normalize = "all")
    cv_with(class_weights = c(A = 1))
    cv_with(weights = 1:3)
    cv_with(weights = rep(-1, 75))
    cv_with(scale = 3)
    cv_with(multiclass = "all")
    cv_with(intercept = 0)
    cv_with(kernels = "gaussian")
    cv_with(y = rep("a", 75))
    cv_with(y = d$y[-1])
    cv_with(y = replace(d$y, 3, NA))
    cv_with(x = NULL)
    cv_with(x = letters)
    cv_with(degree = 3)
    cv_mkl(d$x, d$y, model = "mkl_gomp", degree = 3)
    cv_mkl(d$x, d$y, model = "mkl_gomp", validation = 1:3)
  })
})

test_that("nothing that is given is ignored, and `nested` is named where its folds can't be", {
  expect_classed(cv_mkl(d$x, d$y, pair, model = "mllkm"), "invalid_argument", "kernels")
  expect_classed(cv_mkl(), "invalid_argument", "x")
  expect_classed(cv_mkl(d$x, kernels = pair, model = "mkl_gomp"), "invalid_argument", "y")
  expect_classed(cv_mkl(Species ~ ., pair), "invalid_argument", "data")
  few <- d$y
  few[-(1:2)] <- "FALSE"
  few[1:2] <- "TRUE"
  expect_classed(suppressWarnings(cv_with(y = few, folds = 3, nested = 2)), "too_few", "nested")
  expect_classed(cv_with(folds = 5, nested = 70), "too_few", "nested")
})

test_that("wrong arguments have classes", {
  expect_classed(cv_with(p = 0.5), "invalid_argument", "p")
  expect_classed(cv_with(C = c(1, 1)), "invalid_argument", "C")
  expect_classed(cv_with(lambda = 1), "invalid_argument", "lambda")
  expect_classed(cv_with(measure = "log_loss"), "no_probability", "measure")
  expect_classed(cv_with(folds = 80), "too_few", "folds")
  expect_classed(cv_with(group = 1:3), "length", "group")
  expect_classed(cv_with(resume = NA), "invalid_argument", "resume")
  if (requireNamespace("BiocParallel", quietly = TRUE)) {
    expect_classed(cv_with(BPPARAM = 2), "invalid_argument", "BPPARAM")
  } else {
    expect_classed(cv_with(BPPARAM = 2), "missing_package", "BiocParallel")
  }
  expect_classed(cv_with(control = quiet("reduced_gradient")), "unsupported", "optimizer")
  expect_no_error(cv_with(p = 1, control = quiet("reduced_gradient")))
  expect_classed(cv_with(degree = 3), "invalid_argument", "degree")
  start <- quiet(start = mkl(d$x, d$y, pair, control = quiet()))
  expect_classed(cv_with(control = start), "unsupported", "start")
  expect_classed(cv_with(y = replace(d$y, 3, NA)), "missing_values", "y")
})

# ---- printing ------------------------------------------------------------------------------------

test_that("cross-validations print and have summaries", {
  run <- function(...) {
    set.seed(1)
    cv_mkl(d$x, d$y, pair, p = c(1, 2), C = c(0.1, 1), control = quiet(tol = 1e-8), ...)
  }
  no_gaps <- function(lines) gsub("[0-9.]+e-[0-9]+", "<gap>", gsub(" +gap", " gap", lines))
  cv <- run(measure = c("accuracy", "auc"), nested = 2, folds = 3)
  expect_snapshot(cv, transform = no_gaps)
  expect_snapshot(print(cv, digits = 2), transform = no_gaps)
  expect_snapshot(summary(cv), transform = no_gaps)
  expect_snapshot(print(run(rule = "one_se", repeats = 2, folds = 3)), transform = no_gaps)
  expect_snapshot(print(cv_mkl(d$x[, 1:3], d$x[, 4], pair, p = 2, C = 1:2, folds = list(1:20),
                               control = quiet(tol = 1e-8))), transform = no_gaps)
  capture.output(expect_invisible(print(cv)))
  expect_s3_class(summary(cv), "summary.cv_mkl")
  expect_identical(summary(cv)$cv, cv)
  expect_classed(print(cv, digits = 0), "invalid_argument", "digits")
  expect_classed(print(cv, places = 3), "invalid_argument", "places")
  expect_classed(summary(cv, 3), "invalid_argument", "...")
})

test_that("what to expect of new samples says so, and that a choice is allowed for", {
  text <- function(...) gsub("\\s+", " ", paste(capture.output(print(cv_with(...))), collapse = " "))
  expect_match(text(p = 1, C = c(0.1, 1)), "Expect on new samples, with the choice among 2 cells allowed for (intervals made",
               fixed = TRUE)
  expect_match(text(p = 1, C = 1), "Expect on new samples (intervals made to hold the value", fixed = TRUE)
})

test_that("failed cells are told of when printed", {
  suppressWarnings(cv <- cv_with(control = quiet(tol = 1e-12, max_iter = 1)))
  expect_match(capture.output(print(cv)), "without a certified fit", all = FALSE)
})

test_that("a fit to all rows that fails doesn't lose the folds", {
  x <- d$x
  # the values between all rows are asked for once for the folds, and again for the fit
  calls <- 0
  once <- function(a, b) {
    calls <<- calls + 1
    if (calls > limit) stop("no more")
    tcrossprod(a, b)
  }
  limit <- Inf
  set.seed(1)
  cv_mkl(x, d$y, function_kernel(once), p = 2, C = 1, folds = 3, control = quiet())
  expect_gt(calls, 1)
  limit <- calls - 1
  calls <- 0
  set.seed(1)
  expect_warning(
    cv <- cv_mkl(x, d$y, function_kernel(once), p = 2, C = 1, folds = 3, control = quiet()),
    class = "manykernels_warning_no_fit"
  )
  expect_null(cv$fit)
  expect_equal(nrow(cv$predictions), nrow(x))
  expect_classed(predict(cv, x), "no_fit", "object")
  expect_classed(coef(cv), "no_fit", "object")
  expect_output(print(cv))
})

test_that("an estimate without a single error has Wilson's interval for the accuracy, and none for others", {
  rows <- c(1:10, 51:60)
  set.seed(1)
  cv <- cv_mkl(iris[rows, 1:4], droplevels(iris$Species[rows]), linear_kernel(), p = 2, C = c(1, 10), folds = 5,
               measure = c("accuracy", "auc"), control = quiet())
  expect_identical(cv$estimate$estimate, c(1, 1))
  # 20 of 20: the limit is n / (n + z^2)
  expect_equal(cv$estimate$lower, c(20 / (20 + qnorm(0.975)^2), NA))
  expect_equal(cv$estimate$upper, c(1, NA))
  expect_match(capture.output(print(cv)), "^  accuracy 1 \\(0.839 to 1\\)$", all = FALSE)
})
