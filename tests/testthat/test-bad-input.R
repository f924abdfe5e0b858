d <- judge_clouds(20)
fit_with <- function(x = d$x, y = d$y, kernels = linear_kernel(), ...) {
  mkl(x, y, kernels, control = quiet(), ...)
}

test_that("wrong responses are errors that say what is wrong", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(d$x, kernels = linear_kernel(), loss = "hinge")
    fit_with(y = NULL, loss = "squared")
    fit_with(y = d$x[, 1] + 1, loss = "logistic")
    fit_with(loss = "huber")
    fit_with(y = d$y == "yes", loss = epsilon_loss(1))
    fit_with(loss = "one_class")
    fit_with(y = rep("a", 20))
    fit_with(y = factor(rep("a", 20), levels = c("a", "b")))
    fit_with(y = rep(1, 20))
    fit_with(y = replace(d$y, c(4, 9), NA))
    fit_with(y = replace(as.numeric(d$y), 3, Inf))
    fit_with(y = d$y[-1])
    fit_with(y = "y")
    fit_with(y = as.list(d$y))
    fit_with(y = array(1, c(20, 2, 2)))
    fit_with(y = Sys.Date() + 0:19)
  })
  expect_classed(fit_with(y = NULL, loss = "hinge"), "invalid_argument", "y")
  expect_classed(fit_with(y = d$x[, 1], loss = "hinge"), "invalid_argument", "loss")
  expect_classed(fit_with(y = rep("a", 20)), "one_class", "y")
  expect_classed(fit_with(y = replace(d$y, 4, NA)), "missing_values", "y")
  expect_classed(fit_with(y = d$y[-1]), "length", "y")
})

test_that("levels without cases are dropped with a message", {
  y <- factor(d$y, levels = c("maybe", "no", "yes", "never"))
  expect_snapshot(fit <- fit_with(y = y), cnd_class = TRUE)
  expect_identical(fit$levels, c("no", "yes"))
  expect_message(fit_with(y = y), class = "manykernels_message_levels")
  three <- factor(rep(c("low", "middle", "high"), length.out = 20), c("low", "middle", "high"))
  expect_message(fit_with(y = ordered(three, levels(three))), "order of its 3 levels is not used",
                 class = "manykernels_message_ordered")
  expect_no_message(fit_with(y = three))
  expect_no_message(fit_with(y = ordered(d$y)))
})

test_that("levels of one name are one class", {
  y <- structure(as.integer(d$y), levels = c("a", "a"), class = "factor")
  expect_classed(fit_with(y = y), "one_class", "y")
})

test_that("wrong parameters are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(p = 0.5)
    fit_with(p = NA)
    fit_with(p = c(1, 2))
    fit_with(p = "two")
    fit_with(C = 0)
    fit_with(C = -1)
    fit_with(C = Inf)
    fit_with(C = c(1, 2))
    fit_with(loss = "hinges")
    fit_with(loss = c("hinge", "squared"))
    fit_with(loss = epsilon_loss(-1))
    fit_with(loss = huber_loss(0))
    fit_with(loss = structure(list(type = "huber", delta = NA), class = "mkl_loss"))
    fit_with(loss = structure(list(type = "ramp"), class = "mkl_loss"))
    fit_with(intercept = NA)
    mkl(d$x, kernels = linear_kernel(), intercept = TRUE)
    mkl(d$x, kernels = linear_kernel(), class_weights = "balanced")
    fit_with(y = 1:20, class_weights = c(a = 1))
    mkl(d$x, 1:20, linear_kernel(), control = quiet(probability = TRUE))
    fit_with(y = 1:20, weights = numeric(20))
    fit_with(y = 1:20, weights = 1:3)
    fit_with(y = 1:20, weights = rep(1e308, 20), C = 10)
    fit_with(norm = "block")
    fit_with(normalize = "unit")
    fit_with(multiclass = "all")
    mkl(d$x, d$y, linear_kernel(), control = list(tol = 1))
    fit_with(cost = 3)
  })
  expect_classed(fit_with(p = 0.5), "invalid_argument", "p")
  expect_classed(fit_with(C = -1), "invalid_argument", "C")
  expect_classed(fit_with(loss = 3), "invalid_argument", "loss")
  expect_classed(fit_with(norm = 3), "invalid_argument", "norm")
})

test_that("wrong weights are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(weights = rep(1, 19))
    fit_with(weights = rep(0, 20))
    fit_with(weights = as.numeric(d$y == "yes"))
    fit_with(weights = replace(rep(1, 20), 5, -1))
    fit_with(weights = replace(rep(1, 20), 5, NA))
    fit_with(class_weights = c(1, 2))
    fit_with(class_weights = c(yes = 1, perhaps = 2))
    fit_with(class_weights = c(yes = 0))
    fit_with(class_weights = c(yes = 1, yes = 2))
    fit_with(class_weights = "equal")
  })
  expect_classed(fit_with(weights = rep(0, 20)), "invalid_argument", "weights")
  expect_classed(fit_with(class_weights = c(maybe = 1)), "invalid_argument", "class_weights")
})

test_that("wrong data and kernels are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(x = replace(d$x, 7, NaN))
    fit_with(x = d$x[0, ], y = d$y[0])
    fit_with(x = d$x[, 0])
    fit_with(x = matrix("a", 20, 2))
    fit_with(x = list(a = d$x, b = d$x[1:3, ]))
    fit_with(x = list(d$x, d$x))
    fit_with(kernels = "linear")
    fit_with(kernels = on_view(linear_kernel(), "mrna"))
    fit_with(x = NULL, kernels = NULL)
    fit_with(x = NULL)
    fit_with(kernels = precomputed_kernel(diag(19)))
    fit_with(x = NULL, kernels = precomputed_kernel(diag(19)))
    fit_with(x = matrix(1, 20, 2))
    fit_with(x = matrix(0, 20, 2), normalize = "spherical")
  })
})

test_that("wrong formulas are errors", {
  frame <- data.frame(d$x, y = d$y)
  fit_formula <- function(...) mkl(..., kernels = linear_kernel(), control = quiet())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_formula(~ 1, frame)
    fit_formula(y ~ 1, frame)
    fit_formula(y ~ v1 + offset(v2), frame)
    fit_formula(v1 ~ v2, frame, loss = "hinge")
  })
})

test_that("warm starts from another problem are errors", {
  other <- mkl(d$x[1:18, ], d$y[1:18], linear_kernel(), control = quiet())
  two <- mkl(d$x, d$y, gaussian_kernel(1:2), control = quiet())
  t <- judge_triangle(45)
  three <- mkl(t$x, t$y, linear_kernel(), control = quiet())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(d$x, d$y, linear_kernel(), control = quiet(start = other))
    mkl(d$x, d$y, linear_kernel(), control = quiet(start = two))
    mkl(t$x, t$y == "a", linear_kernel(), control = quiet(start = three))
    mkl(t$x, t$x[, 1] + 1, linear_kernel(), control = quiet(start = three$models[[1]]))
  })
})

test_that("indefinite kernels warn, and the fit is certified for what it is", {
  odd <- judge_gaussian(d$x, width = 4)
  odd[1, 2] <- odd[2, 1] <- 3
  Ks <- list(odd = odd, fine = judge_linear(d$x))
  expect_warning(kernels <- precomputed_kernel(Ks), class = "manykernels_warning_indefinite")
  fit <- suppressWarnings(mkl(NULL, d$y, kernels, normalize = "none", control = quiet()))
  verdict <- judge_gap(Ks, fit$theta, fit$alpha, judge_signs(fit), fit$cost, fit$p)
  expect_lt(abs(fit$gap - verdict$gap), 1e-8)
  expect_true(verdict$theta_ok && verdict$box_ok && verdict$sum_ok)
})

test_that("a missing level is a missing value", {
  y <- addNA(replace(d$y, 4, NA))
  expect_classed(fit_with(y = y), "missing_values", "y")
})

test_that("responses of one dimension and of nearly equal numbers are taken", {
  expect_identical(fit_with(y = array(as.character(d$y)))$y, fit_with()$y)
  near <- ifelse(d$y == "yes", 0.1 + 0.2, 0.3)
  fit <- fit_with(y = near)
  expect_identical(as.integer(fit$y), as.integer(d$y))
  expect_identical(as.numeric(fit$levels), c(0.3, 0.1 + 0.2))
  expect_identical(fit_with(y = as.integer(d$y))$levels, c("1", "2"))
})

test_that("loss weights beyond the range of numbers are errors", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(C = 1e300, weights = rep(1e20, 20))
    fit_with(C = 1e-300, weights = rep(1e-50, 20))
    fit_with(C = 1e308)
    fit_with(C = 1e308, class_weights = c(yes = 10))
  })
  expect_classed(fit_with(C = 1e300, weights = rep(1e20, 20)), "invalid_argument", "weights")
})

test_that("what model.frame() would refuse names the argument", {
  frame <- data.frame(d$x, y = d$y, g = factor(rep(1:2, 10)))
  by_formula <- function(formula, data, ...) mkl(formula, data, ..., kernels = linear_kernel())
  expect_error(by_formula(y ~ nowhere, frame), "'nowhere' not found")
  expect_classed(by_formula(y ~ nowhere, frame), "formula", "formula")
  expect_classed(by_formula(y ~ nofun(v1), frame), "formula", "formula")
  expect_error(by_formula(y ~ nofun(v1), frame), "`formula` can't be evaluated: could not find function \"nofun\".",
               fixed = TRUE)
  expect_classed(mkl(y ~ v1, frame, weights = 1:3), "length", "weights")
  expect_classed(mkl(y ~ v1, frame, weights = rep("a", 20)), "invalid_argument", "weights")
  for (g in list(3, list("contr.sum"), list(g = "contr.none"))) {
    expect_classed(by_formula(y ~ g, frame, contrasts = g), "invalid_argument", "contrasts")
  }
  for (wrong in list("d", as.matrix(frame[1:2]), list(v1 = 1:3, y = 1:2), function(x) x)) {
    expect_classed(by_formula(y ~ v1, wrong), "invalid_argument", "data")
  }
  expect_s3_class(by_formula(y ~ v1, as.list(frame)), "mkl")
  expect_classed(by_formula(y ~ v1, frame, na.action = 3), "invalid_argument", "na.action")
  frame$v1[1] <- NA
  expect_classed(by_formula(y ~ v1, frame, na.action = na.fail), "missing_values", "data")
  old <- options(na.action = "na.fail")
  on.exit(options(old))
  expect_classed(by_formula(y ~ v1, frame), "missing_values", "data")
  expect_s3_class(by_formula(y ~ v1, frame, na.action = na.omit), "mkl")
})

test_that("arguments with a value for each row are evaluated by their own names", {
  frame <- data.frame(d$x, y = d$y)
  cv <- function(...) cv_mkl(y ~ v1, frame, kernels = linear_kernel(), p = 1, C = 1, control = quiet(), ...)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    cv(weights = nope)
    cv(subset = nope > 2)
    cv(group = nope)
    cv(folds = nope)
    cv(contrasts = nope)
  })
})

test_that("`subset` chooses rows by conditions, numbers or names, and nothing else", {
  frame <- data.frame(d$x, y = d$y)
  fit <- function(rows) mkl(y ~ v1, frame, subset = rows, kernels = linear_kernel(), control = quiet())
  for (rows in list("a", list(1), factor(1:20), 21, c(-1, 2), 1.5, NA, NA_integer_, quote(v1))) {
    expect_classed(fit(rows), "invalid_argument", "subset")
  }
  expect_classed(fit(rep(TRUE, 21)), "length", "subset")
  expect_classed(fit(integer()), "dimension", "data")
  kept <- lapply(list(as.character(2:20), -1, 2:20, rep(c(FALSE, TRUE), c(1, 19))), function(rows) fit(rows)$decision)
  for (other in kept[-1]) expect_equal(other, kept[[1]])
  drawn <- withr::with_seed(1, mkl(y ~ v1, frame, subset = sample(20, 15), kernels = linear_kernel(),
                                   control = quiet()))
  expect_identical(drawn$rows$used, withr::with_seed(1, sample(20, 15)))
})

test_that("kernels and distances in the place of data are errors that say where they go", {
  K <- judge_gaussian(d$x)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(x = K)
    fit_with(x = dist(d$x))
    fit_with(x = list(dist(d$x)))
    fit_with(x = list(a = d$x, K = K))
    fit_with(x = array(K, c(20, 20, 1)))
    mkl(precomputed_kernel(K), d$y)
    fit_with(kernels = K)
    fit_with(kernels = list(linear_kernel(), linear_kernel()))
    mllkm(cor(t(d$x)), d$y)
    mkl_gomp(K, d$y, linear_kernel())
    mkl_sequential(K, d$y, linear_kernel())
    kernel_alignment(linear_kernel(), K)
  })
  for (x in list(K, dist(d$x), list(dist(d$x)), Matrix::Matrix(K))) {
    expect_error(mkl(x, d$y), "precomputed_kernel|gaussian_kernel", class = "manykernels_kernel_as_data")
  }
  # numbers that are features: not symmetric, diagonal, named otherwise, or said to be
  expect_s3_class(fit_with(x = as.data.frame(K)), "mkl")
  expect_s3_class(fit_with(x = diag(20)), "mkl")
  expect_s3_class(fit_with(x = `dimnames<-`(K, list(1:20, paste0("v", 1:20)))), "mkl")
  expect_s3_class(fit_with(x = K + outer(1:20, 1:20, ">")), "mkl")
  # nobody reads K as data
  both <- c(on_view(linear_kernel(), "a"), precomputed_kernel(list(K = K)))
  expect_s3_class(fit_with(x = list(a = d$x, K = K), kernels = both), "mkl")
})

test_that("kernel matrices of other packages in the place of data are errors", {
  skip_if_not_installed("kernlab")
  K <- kernlab::kernelMatrix(kernlab::rbfdot(0.1), d$x)
  for (x in list(K, list(K), list(a = d$x, b = K))) {
    expect_error(mkl(x, d$y), "precomputed_kernel|gaussian_kernel", class = "manykernels_kernel_as_data")
  }
  expect_error(predict(fit_with(), K), class = "manykernels_error")
})

test_that("x may be left out where all kernels are precomputed", {
  k <- precomputed_kernel(list(a = judge_gaussian(d$x), b = judge_linear(d$x)))
  fit <- mkl(y = d$y, kernels = k, control = quiet())
  expect_identical(fit$alpha, mkl(NULL, d$y, k, control = quiet())$alpha)
  expect_identical(mkl(y = data.frame(d$y), kernels = k, control = quiet())$alpha, fit$alpha)
  expect_identical(update(fit, C = 2)$C, 2)
  expect_equal(duality_gap(fit, k)$gap, fit$gap)
  expect_identical(mkl_gomp(y = d$y, kernels = k)$alpha, mkl_gomp(NULL, d$y, k)$alpha)
  expect_s3_class(mkl_sequential(y = d$y, dictionary = k, control = quiet()), "mkl_sequential")
  expect_equal(kernel_alignment(k, y = d$y), kernel_alignment(k, NULL, d$y))
  expect_length(empirical_rademacher(k, p = 2)$value, 1)
  expect_length(kernel_matrix(k), 2)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl()
    mkl(y = d$y)
    mkl(y = d$y, kernels = c(k, linear_kernel()))
    mkl_gomp(y = d$y, kernels = linear_kernel())
    mkl_sequential(y = d$y, dictionary = linear_kernel())
    mllkm(y = d$y)
    duality_gap(fit)
  })
})

test_that("columns and responses that identify rows are errors", {
  id <- paste0("patient", 1:20)
  frame <- data.frame(id = id, d$x)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(x = frame)
    fit_with(x = transform(frame, id = factor(id)))
    fit_with(x = list(clinic = frame, other = d$x))
    mkl(d$y ~ ., frame)
    mkl(d$y ~ factor(id) + v1, frame)
    fit_with(x = transform(frame, id = NULL, v1 = as.character(v1)))
    fit_with(y = id)
    fit_with(y = factor(id))
    fit_with(y = as.character(d$x[, 1] + 1))
    mkl_gomp(d$x, id, linear_kernel())
    mkl(id ~ v1, frame)
  })
  # a table with a column of sequences is led to views
  set.seed(1)
  words <- replicate(20, paste(sample(c("A", "C", "G", "T"), 12, TRUE), collapse = ""))
  expect_error(fit_with(x = transform(frame, id = words)), "x = list(sequence = x$id, other = ...)",
               fixed = TRUE)
  expect_no_match(tryCatch(fit_with(x = frame), error = conditionMessage), "Sequences")
  expect_classed(fit_with(x = frame), "identifier", "x$id")
  expect_classed(fit_with(x = list(a = frame)), "identifier", "x$a$id")
  expect_classed(mllkm(frame, d$y), "identifier", "x$id")
  # nearly every row has a value of its own
  expect_classed(fit_with(x = transform(frame, id = replace(id, 2, id[1]))), "identifier", "x$id")
  # factors of few rows, or with values that come again
  expect_s3_class(fit_with(x = transform(frame, id = rep(id[1:10], 2))), "mkl")
  small <- data.frame(f = c("a", "b", "c", "d", "e", "e"), n = 1:6)
  expect_s3_class(mkl(small, rep(c("p", "q"), 3), linear_kernel()), "mkl")
})

test_that("dates are refused in data frames and formulas alike", {
  frame <- data.frame(day = Sys.Date() + 1:20, time = Sys.time() + 1:20, d$x)
  frame$span <- frame$day - frame$day[1]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(x = frame["day"])
    fit_with(x = frame["span"])
    mkl(d$y ~ day, frame)
    mkl(d$y ~ time + v1, frame)
    mkl(d$y ~ span, frame)
    mkl(day ~ v1, frame)
  })
  for (name in c("day", "time", "span")) {
    expect_classed(fit_with(x = frame[name]), "invalid_argument", paste0("x$", name))
    expect_classed(mkl(reformulate(name, "d$y"), frame), "invalid_argument", name)
  }
  expect_s3_class(mkl(d$y ~ as.numeric(day), frame, kernels = linear_kernel()), "mkl")
})

test_that("a few whole numbers are taken for regression with a message", {
  three <- rep_len(1:3, 20)
  expect_snapshot(fit <- fit_with(y = three), cnd_class = TRUE)
  expect_identical(fit$loss, "epsilon_insensitive")
  expect_message(mkl_gomp(d$x, three, linear_kernel()), class = "manykernels_message_regression")
  expect_message(mllkm(d$x, three), class = "manykernels_message_regression")
  expect_message(mkl_sequential(d$x, three, gaussian_kernel(1:2)),
                 class = "manykernels_message_regression")
  expect_no_message(fit_with(y = three, loss = "epsilon_insensitive"))
  expect_no_message(fit_with(y = 1:20))
  expect_no_message(fit_with(y = three + 0.5))
  expect_no_message(fit_with(y = factor(three)))
  expect_no_message(duality_gap(fit, d$x, three))
})

test_that("arguments of other packages have hints", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(cost = 3)
    fit_with(class.weights = c(yes = 2))
    fit_with(probability = TRUE)
    fit_with(type = "C-svc")
    fit_with(nu = 0.1)
    fit_with(epsilon = 0.2)
    fit_with(gamma = 0.5)
    fit_with(sigma = 0.5)
    fit_with(kpar = list(sigma = 0.1))
    fit_with(degree = 3)
    fit_with(tolerance = 1e-4)
    fit_with(cachesize = 200)
    fit_with(threads = 2)
    fit_with(prob.model = TRUE)
    fit_with(cross = 5)
    fit_with(subset = 1:3)
    fit_with(decision.values = TRUE)
    mkl(d$x, d$y, kernel = "rbfdot")
    mkl(d$x, d$y, "polynomial")
    mkl_gomp(d$x, d$y, linear_kernel(), cost = 3)
    mkl_gomp(d$x, d$y, linear_kernel(), cross = 5)
    mllkm(d$x, d$y, kernel = "radial")
    mllkm(d$x, d$y, cross = 5)
    cv_mkl(d$x, d$y, linear_kernel(), cross = 5)
    mkl_sequential(d$x, d$y, linear_kernel(), kernels = linear_kernel())
    mkl(y ~ ., data.frame(d$x, y = d$y), kernels = linear_kernel(), cost = nowhere)
    predict(fit_with(), d$x, type = "votes")
    predict(fit_with(), d$x, type = "probabilities")
    predict(fit_with(), d$x, decision.values = TRUE)
    predict(fit_with(), d$x, probability = TRUE)
    predict(mkl_gomp(d$x, d$y, linear_kernel()), d$x, type = "votes")
  })
})

test_that("a formula with several matrices would lose the views: an error", {
  data <- list(a = d$x, b = d$x^2, y = d$y)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(y ~ a + b, data)
    mkl(y ~ ., data)
    mkl_gomp(y ~ a + b, data)
    with(data, mkl(y ~ a + b))
  })
  fit <- mkl(y ~ a, data, kernels = linear_kernel(), control = quiet())
  expect_equal(unname(fit$alpha), unname(fit_with()$alpha), tolerance = 1e-6)
})

test_that("what is of another kind is refused under its own name, before anything is done with it", {
  x <- matrix(rnorm(40), 20)
  y <- factor(rep(c("a", "b"), 10))
  k <- gaussian_kernel(1)
  for (fit in list(mkl, mkl_path, mkl_gomp, mkl_sequential)) {
    expect_classed(fit(x, y, k, missing_views = NULL), "invalid_argument", "missing_views")
  }
  expect_classed(mllkm(x, y, multiclass = mean), "invalid_argument", "multiclass")
  expect_classed(mkl_sequential(x, y, k, multiclass = mean), "invalid_argument", "multiclass")
  for (given in list(mean, list(NULL), "ten")) {
    expect_no_warning(expect_classed(on_features(k, 1:2, max_size = given), "invalid_argument", "max_size"))
  }
  expect_classed(diffusion_kernel(diag(3), nodes = mean), "invalid_argument", "nodes")
  expect_classed(predict(mkl(x, y, k), x, na.action = ""), "invalid_argument", "na.action")
  expect_classed(write_kernel(diag(3), tempfile(), normalize = "spherical"), "invalid_argument", "normalize")
})
