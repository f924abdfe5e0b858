quiet <- function(...) mkl_control(progress = FALSE, probability = TRUE, ...)

test_that("the sigmoid is the maximum of the penalised likelihood", {
  set.seed(4)
  f <- rnorm(80)
  signs <- ifelse(runif(80) < plogis(2 * f - 0.5), 1, -1)
  fit <- fit_sigmoid(f, signs)
  target <- ifelse(signs > 0, (sum(signs > 0) + 1) / (sum(signs > 0) + 2),
                   1 / (sum(signs < 0) + 2))
  loss <- function(par) {
    p <- 1 / (1 + exp(par[1] * f + par[2]))
    -sum(target * log(p) + (1 - target) * log(1 - p))
  }
  best <- optim(c(0, 0), loss, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(c(fit$A, fit$B), best$par, tolerance = 1e-4)
  expect_equal(sigmoid_loss(c(fit$A, fit$B), f, target), best$value, tolerance = 1e-8)
})

test_that("the sigmoid stays finite on separable and constant decision values", {
  sharp <- fit_sigmoid(c(-1000:-990, 990:1000), rep(c(-1, 1), each = 11))
  expect_true(all(is.finite(unlist(sharp))))
  expect_lt(sharp$A, 0)
  flat <- fit_sigmoid(rep(0, 20), rep(c(-1, 1), 10))
  expect_equal(sigmoid_value(flat, 0), 0.5)
})

test_that("pairwise coupling returns consistent probabilities", {
  p <- c(0.6, 0.3, 0.1)
  r <- outer(p, p, function(a, b) a / (a + b))
  diag(r) <- 0
  expect_equal(couple(r), p)
  pairs <- utils::combn(3, 2)
  second <- rbind(r[t(pairs)[, 2:1]], c(0, 0.5, 1))
  out <- couple_pairs(second, 3)
  expect_equal(out[1, ], p)
  expect_equal(sum(out[2, ]), 1)
  expect_true(all(out >= 0))
})

test_that("coupling minimises its objective over the simplex", {
  set.seed(1)
  r <- matrix(0, 4, 4)
  r[upper.tri(r)] <- runif(6)
  r[lower.tri(r)] <- 1 - t(r)[lower.tri(r)]
  loss <- function(p) sum(vapply(1:4, function(i) sum((r[-i, i] * p[i] - r[i, -i] * p[-i])^2), 0))
  best <- optim(rep(0, 3), function(v) loss(exp(c(0, v)) / sum(exp(c(0, v)))), method = "BFGS",
                control = list(reltol = 1e-14, maxit = 1000))
  expect_equal(loss(couple(r)), best$value, tolerance = 1e-6)
})

test_that("two-class probabilities are reproducible, ordered and calibrated in the large", {
  d <- judge_clouds(100, shift = 1.5)
  make <- function() {
    set.seed(3)
    mkl(d$x, d$y, gaussian_kernel(c(2, 8)), control = quiet())
  }
  fit <- make()
  expect_identical(make()$probability, fit$probability)
  new <- judge_clouds(30, seed = 8)$x
  prob <- predict(fit, new, "prob")
  expect_identical(colnames(prob), levels(d$y))
  expect_equal(rowSums(prob), rep(1, 30))
  expect_identical(order(prob[, "yes"]), order(predict(fit, new, "decision")))
  expect_equal(mean(predict(fit, type = "prob")[, "yes"]), 0.5, tolerance = 0.2)
})

test_that("probabilities of several classes sum to one for every strategy", {
  d <- judge_triangle(60)
  rownames(d$x) <- paste0("r", 1:60)
  for (how in c("ovr", "ovo", "shared", "joint")) {
    set.seed(1)
    fit <- mkl(d$x, d$y, gaussian_kernel(c(2, 8)), multiclass = how, control = quiet())
    prob <- predict(fit, d$x[1:10, ], "prob")
    expect_identical(dimnames(prob), list(rownames(d$x)[1:10], levels(d$y)))
    expect_equal(unname(rowSums(prob)), rep(1, 10))
    expect_gt(mean(levels(d$y)[max.col(prob)] == d$y[1:10]), 0.6)
  }
})

# Of one task that tells "b" from "a".
sign_problem <- function(y, group = NULL, cost = rep(1, length(y))) {
  list(response = y, cost = cbind(cost), targets = cbind(ifelse(y == "b", 1, -1)),
       settings = list(group = group), groups = list(1L))
}

test_that("folds are stratified and leave out rows without weight", {
  problem <- sign_problem(factor(rep(c("a", "b"), c(23, 10))), cost = rep(0:1, c(3, 30)))
  folds <- fold_rows(problem)
  expect_identical(folds[1:3], integer(3))
  expect_identical(as.vector(table(folds[4:23])), rep(4L, 5))
  expect_identical(as.vector(table(folds[24:33])), rep(2L, 5))
})

test_that("folds keep groups together and are as many as the rarest class allows", {
  set.seed(1)
  group <- rep(1:20, each = 4)
  y <- factor(rep(c("a", "b"), c(68, 12)))
  folds <- fold_rows(sign_problem(y, group))
  expect_true(all(tapply(folds, group, function(own) length(unique(own))) == 1))
  expect_identical(sort(unique(folds)), 1:3)
  expect_identical(as.vector(table(folds[y == "b"])), rep(4L, 3))
  y <- factor(rep(c("a", "b"), c(20, 2)))
  expect_identical(sort(unique(fold_rows(sign_problem(y)))), 1:2)
  # one row or one group of a class can't be held out
  alone <- factor(rep(c("a", "b"), c(20, 1)))
  expect_false(is_calibrated(c(sign_problem(alone), list(folds = fold_rows(sign_problem(alone)))), 1))
  problem <- sign_problem(factor(rep(c("a", "b"), c(76, 4))), group)
  folds <- fold_rows(problem)
  expect_identical(unique(folds[77:80]), 0L)
})

test_that("probabilities of groups' noise are no surer than chance", {
  set.seed(1)
  patient <- rep(1:60, each = 5)
  centre <- matrix(rnorm(240), 60)
  x <- centre[patient, ] + matrix(rnorm(1200, sd = 0.05), 300)
  y <- factor(rbinom(60, 1, 0.5)[patient])
  new <- matrix(rnorm(800), 200)
  truth <- rbinom(200, 1, 0.5)
  loss <- function(fit) {
    p <- suppressWarnings(predict(fit, new, type = "prob"))[, 2]
    -mean(log(ifelse(truth == 1, p, 1 - p)))
  }
  run <- function(f, ...) {
    set.seed(2)
    suppressWarnings(f(x, y, C = 10, group = patient, control = quiet(), ...))
  }
  expect_lt(loss(run(mkl, gaussian_kernel(1))), 0.75)
  expect_lt(loss(run(mkl_sequential, gaussian_kernel(1))), 0.75)
  cv <- run(cv_mkl, gaussian_kernel(1), p = 2, measure = "log_loss")
  expect_lt(loss(cv), 0.75)
  expect_lt(cv$results$log_loss, 0.85)
  local <- run(cv_mkl, model = "mllkm", gamma = 1, folds = 2, measure = "log_loss")
  expect_lt(local$results$log_loss, 0.85)
  # a column of the data, with rows left out
  d <- data.frame(x, y = y, patient = patient)
  d$X1[1] <- NA
  set.seed(2)
  fit <- suppressWarnings(mkl(y ~ X1 + X2 + X3 + X4, d, C = 10, kernels = gaussian_kernel(1),
                              group = patient, control = quiet()))
  new <- data.frame(new)
  expect_lt(loss(fit), 0.75)
  set.seed(2)
  stream <- suppressWarnings(mkl_sequential(y ~ X1 + X2 + X3 + X4, d, C = 10, group = patient,
                                            dictionary = gaussian_kernel(1), control = quiet()))
  expect_equal(stream$probability, fit$probability, tolerance = 0.05)
  expect_classed(mkl(x, y, gaussian_kernel(1), group = patient), "invalid_argument", "group")
  expect_classed(mkl_sequential(x, y, gaussian_kernel(1), group = patient), "invalid_argument", "group")
})

test_that("few rows of a class never fail the call, and the fit says what they mean", {
  d <- judge_clouds(60)
  others <- which(d$y == "no")
  for (count in 1:4) {
    rows <- c(others, which(d$y == "yes")[seq_len(count)])
    fit <- function() mkl(d$x[rows, ], d$y[rows], gaussian_kernel(2), control = quiet())
    if (count == 1) {
      expect_warning(found <- fit(), class = "manykernels_warning_few_cases")
      expect_output(print(found), "Probabilities are from training rows alone")
    } else {
      expect_no_warning(found <- fit(), class = "manykernels_warning_few_cases")
    }
    expect_identical(isFALSE(found$probability$held_out), count == 1)
    prob <- predict(found, d$x, "prob")
    expect_true(all(prob > 0 & prob < 1))
  }
  # of three classes one is alone; all strategies, and within cross-validation
  rows <- c(1:20, 51:70, 101)
  for (how in c("ovr", "ovo", "shared", "joint")) {
    told <- expect_warning(
      fit <- mkl(iris[rows, 1:4], iris$Species[rows], gaussian_kernel(c(1, 4)), multiclass = how,
                 control = quiet()), class = "manykernels_warning_few_cases"
    )
    alone <- vapply(fit$models, function(model) isFALSE(model$probability$held_out), NA)
    expect_identical(names(fit$models)[alone], told$value)
    expect_true(all(grepl("virginica", told$value)))
    expect_equal(unname(rowSums(predict(fit, iris[1:4], "prob"))), rep(1, 150))
  }
  labels <- cbind(u = iris$Sepal.Length[1:40] > 5, v = 1:40 == 7)
  expect_warning(fit <- mkl(iris[1:40, 1:4], labels, gaussian_kernel(1), control = quiet()),
                 class = "manykernels_warning_few_cases")
  expect_false(anyNA(predict(fit, iris[1:40, 1:4], "prob")))
  rows <- c(1:20, 51:70, 101:104)
  set.seed(1)
  cv <- suppressWarnings(cv_mkl(iris[rows, 1:4], iris$Species[rows], gaussian_kernel(1), p = 2, C = 1,
                                folds = 4, measure = "log_loss", control = quiet()))
  expect_identical(cv$results$failed, 0)
  expect_identical(cv$results$folds, 4)
})

test_that("probabilities that point the wrong way are told once", {
  set.seed(3)
  x <- matrix(rnorm(300), 60)
  y <- factor(sample(c("a", "b"), 60, TRUE))
  turned <- expect_warning(fit <- mkl(x, y, control = quiet()), class = "manykernels_warning_sigmoid")
  expect_gt(fit$probability$A, 0)
})

test_that("the isotonic map is the rising function of least squares on the targets", {
  set.seed(2)
  f <- round(rnorm(200), 1) # with ties
  signs <- ifelse(runif(200) < pnorm(3 * f), 1, -1)
  map <- fit_isotonic(f, signs)
  value <- sigmoid_value(map, f)
  target <- ifelse(signs > 0, (sum(signs > 0) + 1) / (sum(signs > 0) + 2), 1 / (sum(signs < 0) + 2))
  expect_false(is.unsorted(value[order(f)]))
  expect_true(all(value > 0 & value < 1))
  # means of the targets over blocks of equal values
  expect_equal(as.vector(tapply(target, value, mean)), sort(unique(value)))
  expect_identical(sigmoid_value(map, c(-99, NA, 99)), c(min(value), NA, max(value)))
  expect_identical(sigmoid_value(fit_isotonic(c(1, 1), c(1, -1)), 5), fit_isotonic(c(1, 1), c(1, -1))$prob)
})

test_that("case weights count in both maps by their ratios", {
  set.seed(6)
  value <- rnorm(50)
  weights <- sample(1:4, 50, replace = TRUE)
  expect_equal(rep(rising_means(value, weights), weights), isoreg(rep(value, weights))$yf)
  f <- rnorm(80)
  signs <- ifelse(runif(80) < plogis(2 * f - 0.5), 1, -1)
  weights <- ifelse(signs > 0, 6, 2)
  fit <- fit_sigmoid(f, signs, weights)
  expect_equal(fit_sigmoid(f, signs, 10 * weights), fit)
  # the maximum of the likelihood has the weighted mean of the targets
  target <- platt_targets(signs, weights)
  expect_equal(weighted.mean(sigmoid_value(fit, f), weights), weighted.mean(target, weights), tolerance = 1e-5)
  x <- matrix(rnorm(600), 300)
  y <- factor(rep(c("no", "yes"), 150))
  weights <- ifelse(y == "yes", 4, 1)
  fit <- mkl(x, y, gaussian_kernel(8), weights = weights, control = quiet())
  expect_equal(mean(predict(fit, x, type = "prob")[, "yes"]), 0.8, tolerance = 0.05)
  set.seed(1)
  cv <- cv_mkl(x, y, gaussian_kernel(8), p = 2, C = 1, weights = weights, control = quiet())
  expect_equal(mean(predict(cv, x, type = "prob")[, "yes"]), 0.8, tolerance = 0.05)
})

test_that("the better map by held-out log loss is taken", {
  set.seed(5)
  fold <- rep(1:5, 400)
  f <- runif(2000, -3, 3)
  smooth <- ifelse(runif(2000) < plogis(2 * f), 1, -1)
  expect_named(calibrate(f, smooth, fold)$map, c("A", "B"))
  steps <- ifelse(runif(2000) < ifelse(abs(f) < 1, 0.5, ifelse(f > 0, 0.95, 0.3)), 1, -1)
  found <- calibrate(f, steps, fold)
  expect_named(found$map, c("decision", "prob"))
  expect_length(found$crossed, 5)
  others <- fold != 2
  expect_identical(found$crossed[[2]], fit_isotonic(f[others], steps[others]))
  # repeats leave the rows of a fold out of their own repeat
  twice <- calibrate(c(f, f), c(steps, steps), c(fold, fold + 5), rep(1:2, each = 2000), rep(1:2000, 2))
  expect_identical(twice$crossed[[2]], found$crossed[[2]])
})

test_that("a cross-validation calibrates by its own folds, without further fits", {
  set.seed(1)
  x <- matrix(rnorm(900), 300)
  y <- factor(runif(300) < plogis(2 * x[, 1]), labels = c("no", "yes"))
  run <- function(control) {
    set.seed(2)
    cv_mkl(x, y, gaussian_kernel(8), p = 2, C = c(1, 4), control = control)
  }
  cv <- run(quiet())
  plain <- run(mkl_control(progress = FALSE))
  expect_identical(cv$results[names(cv$results) != "seconds"], plain$results[names(plain$results) != "seconds"])
  expect_identical(cv$predictions$decision, plain$predictions$decision)
  held <- cv$predictions
  signs <- ifelse(held$truth == "yes", 1, -1)
  expect_equal(cv$fit$probability, fit_sigmoid(held$decision, signs))
  own <- held$fold == held$fold[1]
  expect_equal(held$prob[own, "yes"], sigmoid_value(fit_sigmoid(held$decision[!own], signs[!own]), held$decision[own]))
  # the logistic loss, a single fold, several classes in pairs
  expect_equal(colnames(cv_mkl(x, y, gaussian_kernel(8), p = 2, C = 1, loss = "logistic",
                               control = mkl_control(progress = FALSE))$predictions$prob), levels(y))
  one <- cv_mkl(x, y, gaussian_kernel(8), p = 2, C = c(1, 4), folds = list(1:100), measure = "brier", control = quiet())
  expect_false(anyNA(one$predictions$prob))
  pairs <- cv_mkl(iris[1:4], iris$Species, gaussian_kernel(4), p = 2, C = 1, multiclass = "ovo", control = quiet())
  expect_equal(rowSums(pairs$predictions$prob), rep(1, 150))
  expect_equal(rowSums(predict(pairs, iris[1:4], type = "prob")), rep(1, 150), ignore_attr = TRUE)
  labels <- cv_mkl(x, cbind(u = y == "yes", v = x[, 2] > 0), gaussian_kernel(8), p = 2, C = 1, control = quiet())
  expect_identical(dim(predict(labels, x, type = "prob")), c(300L, 2L))
})
