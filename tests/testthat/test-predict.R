four_kernels <- function() c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(1, 8)))
normalisations <- list("multiplicative", "spherical", "trace", "none",
                       c("centre", "multiplicative"), c("centre", "spherical"), c("centre", "trace"), "centre")

# Decision values of new rows by the definition.
judge_decision <- function(fit, train, new, how) {
  raw <- list(
    list(judge_linear, list()), list(judge_polynomial, list()),
    list(judge_gaussian, list(width = 1)), list(judge_gaussian, list(width = 8))
  )
  values <- lapply(raw, function(kernel) {
    f <- function(x, z) do.call(kernel[[1]], c(list(x, z), kernel[[2]]))
    judge_normalize(f(train, train), how, f(new, train), diag(f(new, new)))$new
  })
  drop(Reduce(`+`, Map(`*`, values, fit$theta)) %*% fit$alpha) + fit$offset
}

test_that("new rows are predicted as the definition says, for every normalisation", {
  d <- judge_clouds(36)
  new <- judge_clouds(12, seed = 7)$x
  for (how in normalisations) {
    fit <- mkl(d$x, d$y, four_kernels(), p = 4 / 3, normalize = how, control = quiet(),
               scale = FALSE)
    expect_equal(unname(predict(fit, new, "decision")), unname(judge_decision(fit, d$x, new, how)),
                 tolerance = 1e-8)
    expect_equal(predict(fit, d$x, "decision"), predict(fit, type = "decision"), tolerance = 1e-8)
  }
})

test_that("linear kernels are kept as weights, one for each column that they read", {
  d <- judge_clouds(40, 4)
  new <- judge_clouds(15, 4, seed = 7)$x
  sets <- list(a = c("v1", "v2"), b = c("v2", "v4"))
  kernels <- c(on_features(linear_kernel(), sets), gaussian_kernel(4))
  for (how in list("none", "trace", c("centre", "multiplicative"))) {
    fit <- mkl(d$x, d$y, kernels, p = 2, normalize = how, control = quiet(), scale = FALSE)
    expect_identical(fit$data$linear$columns$x, c(1L, 2L, 4L))
    expect_length(fit$data$linear$weights$x, 3)
    judged <- Map(function(f, columns, t) {
      self <- f(new[, columns], new[, columns])
      K <- f(d$x[, columns], d$x[, columns])
      judge_normalize(K, how, f(new[, columns], d$x[, columns]), diag(self))$new * t
    }, list(judge_linear, judge_linear, function(x, z) judge_gaussian(x, z, 4)),
       list(sets$a, sets$b, colnames(d$x)), fit$theta)
    expected <- drop(Reduce(`+`, judged) %*% fit$alpha) + fit$offset
    expect_equal(unname(predict(fit, new, "decision")), unname(expected), tolerance = 1e-8)
    sparse <- Matrix::Matrix(new, sparse = TRUE)
    expect_equal(unname(predict(fit, sparse, "decision")), unname(expected), tolerance = 1e-8)
  }
  alone <- mkl(d$x, d$y, linear_kernel(), control = quiet(), scale = FALSE)
  expect_null(alone$data$views)
  expect_null(alone$data$linear$columns$x)
  sparse <- mkl(Matrix::Matrix(d$x, sparse = TRUE), d$y, linear_kernel(), control = quiet(),
                scale = FALSE)
  expect_length(sparse$data$linear$weights$x, 4)
  expect_equal(predict(sparse, d$x, "decision"), sparse$decision, tolerance = 1e-8)
  sphere <- mkl(d$x, d$y, linear_kernel(), normalize = "spherical", control = quiet(),
                scale = FALSE)
  expect_null(sphere$data$linear)
})

test_that("models of several classes keep the columns that any of them reads", {
  d <- judge_triangle(60)
  x <- cbind(d$x, sin(1:60))
  fit <- mkl(x, d$y, per_feature(linear_kernel()), p = 1, control = quiet(), scale = FALSE)
  expect_equal(unname(predict(fit, x, "decision")), unname(fit$decision), tolerance = 1e-8)
  read <- unlist(lapply(fit$models, function(model) which(model$theta > 0)))
  x[, setdiff(1:3, read)] <- NA # nobody asks for these
  expect_equal(unname(predict(fit, x, "decision")), unname(fit$decision), tolerance = 1e-8)
})

test_that("precomputed kernels are predicted from new x training values", {
  d <- judge_clouds(36)
  new <- judge_clouds(12, seed = 7)$x
  f <- list(a = judge_linear, b = judge_gaussian)
  train <- lapply(f, function(f) f(d$x))
  values <- lapply(f, function(f) structure(f(new, d$x), diagonal = diag(f(new))))
  for (how in normalisations) {
    given <- mkl(NULL, d$y, precomputed_kernel(train), normalize = how, control = quiet(),
                 scale = FALSE)
    own <- mkl(d$x, d$y, c(linear_kernel(), gaussian_kernel(1)), normalize = how,
               control = quiet(tol = 1e-3), scale = FALSE)
    own$theta[] <- given$theta
    own$alpha[] <- given$alpha
    own$offset <- given$offset
    want <- Reduce(`+`, lapply(names(f), function(m) {
      new_values <- judge_normalize(train[[m]], how, values[[m]], attr(values[[m]], "diagonal"))$new
      given$theta[[m]] * drop(new_values %*% given$alpha)
    })) + given$offset
    expect_equal(predict(given, values, "decision"), want, tolerance = 1e-8)
  }
  plain <- mkl(NULL, d$y, precomputed_kernel(train), control = quiet(), scale = FALSE)
  expect_equal(predict(plain, unname(values)), predict(plain, values))
  stack <- array(unlist(values), c(12, 36, 2))
  expect_equal(predict(plain, stack), predict(plain, values))
  one <- mkl(NULL, d$y, precomputed_kernel(train$a), control = quiet(), scale = FALSE)
  expect_length(predict(one, values$a), 12)
})

test_that("precomputed and evaluated kernels mix", {
  d <- judge_clouds(36)
  new <- judge_clouds(12, seed = 7)$x
  K <- precomputed_kernel(list(K = judge_gaussian(d$x, width = 3)))
  mixed <- mkl(d$x, d$y, c(linear_kernel(), K), control = quiet(), scale = FALSE)
  plain <- mkl(d$x, d$y, c(linear_kernel(), gaussian_kernel(3)), control = quiet(), scale = FALSE)
  values <- list(x = new, K = judge_gaussian(new, d$x, width = 3))
  expect_equal(predict(mixed, values, "decision"), predict(plain, new, "decision"),
               tolerance = 0.02)
  two <- list(u = d$x[, 1:2], v = d$x[, 3, drop = FALSE])
  fit <- mkl(two, d$y, c(linear_kernel(), K), control = quiet(), scale = FALSE)
  expect_equal(predict(fit, c(two, list(K = judge_gaussian(d$x, width = 3))), "decision"),
               fit$decision, tolerance = 1e-8)
})

test_that("kernels without weight ask for nothing", {
  d <- judge_clouds(40)
  noise <- cbind(sin(1:40), cos(7 * 1:40))
  views <- list(good = cbind(d$y == "yes", d$x[, 1]), bad = noise)
  fit <- mkl(views, d$y, linear_kernel(), p = 1, control = quiet(tol = 1e-6), scale = FALSE)
  expect_lt(fit$theta[[2]], 1e-6)
  skip_if(fit$theta[[2]] > 0, "the second weight is tiny, not zero")
  expect_named(fit$data$linear$weights, "good")
  expect_equal(predict(fit, views["good"], "decision"), fit$decision, tolerance = 1e-8)
})

test_that("columns are matched by name and rows keep their names", {
  d <- judge_clouds(30)
  fit <- mkl(d$x, d$y, gaussian_kernel(2), control = quiet(), scale = FALSE)
  new <- judge_clouds(8, seed = 3)$x
  rownames(new) <- letters[1:8]
  shuffled <- cbind(extra = 1, new[, c(3, 1, 2)])
  expect_equal(predict(fit, shuffled, "decision"), predict(fit, new, "decision"))
  expect_named(predict(fit, new), letters[1:8])
  expect_equal(predict(fit, as.data.frame(new), "decision"), predict(fit, new, "decision"))
  expect_equal(unname(predict(fit, Matrix::Matrix(new, sparse = TRUE), "decision")),
               unname(predict(fit, new, "decision")))
  expect_length(predict(fit, new[1, , drop = FALSE]), 1)
  expect_identical(levels(predict(fit, new)), levels(d$y))
})

test_that("formula fits predict data frames, rows with missing values as NA", {
  d <- judge_clouds(40)
  frame <- data.frame(d$x, y = d$y, g = factor(rep(c("u", "v"), 20)))
  fit <- mkl(y ~ poly(v1, 2) + v2 + g, frame, kernels = gaussian_kernel(c(1, 4)), control = quiet(),
             scale = FALSE)
  expect_equal(predict(fit, frame, "decision"), fit$decision, tolerance = 1e-8)
  expect_equal(predict(fit, frame[5:1, -4], "decision"), fit$decision[5:1], tolerance = 1e-8,
               ignore_attr = TRUE)
  frame$v2[2] <- NA
  expect_identical(is.na(predict(fit, frame[1:3, ])), c(FALSE, TRUE, FALSE))
  frame$v2 <- NA_real_
  expect_identical(as.character(predict(fit, frame[1:3, ])), rep(NA_character_, 3))
  expect_error(predict(fit, data.frame(v1 = 1, v2 = 1, g = "z")),
               class = "manykernels_unknown_level")
})

test_that("wrong new data are errors that say what is missing", {
  d <- judge_clouds(30)
  fit <- mkl(d$x, d$y, gaussian_kernel(2), control = quiet(), scale = FALSE)
  views <- mkl(list(a = d$x, b = d$x[, 1:2]), d$y, gaussian_kernel(2), control = quiet(),
               scale = FALSE)
  frame <- data.frame(d$x, y = d$y)
  formula <- mkl(y ~ ., frame, kernels = gaussian_kernel(2), control = quiet(), scale = FALSE)
  K <- list(a = judge_linear(d$x), b = judge_gaussian(d$x))
  given <- mkl(NULL, d$y, precomputed_kernel(K), control = quiet(), scale = FALSE)
  round <- mkl(NULL, d$y, precomputed_kernel(K), normalize = "spherical", control = quiet(),
               scale = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    predict(fit, d$x[, 1:2])
    predict(fit, unname(d$x)[, 1:2])
    predict(fit, replace(d$x, 4, Inf))
    predict(fit, replace(d$x, 4, NA), na.action = na.fail)
    predict(fit, replace(d$x, 4, NA), na.action = sum)
    predict(fit, replace(d$x, 4, NA), na.action = "no such function")
    predict(fit, "v1")
    predict(fit, d$x, type = "votes")
    predict(fit, d$x, type = "prob")
    predict(fit, d$x, threshold = 1)
    predict(views, list(a = d$x))
    predict(views, d$x)
    predict(views, list(a = d$x, b = d$x[1:3, ]))
    predict(formula, frame[, -1])
    predict(formula, d$x)
    predict(given, list(a = K$a))
    predict(given, list(K$a))
    predict(given, lapply(K, function(K) K[, 1:3]))
    predict(given, list(a = K$a, b = K$b[1:3, ]))
    predict(given, list(a = K$a, b = K$b * Inf))
    predict(round, K)
  })
  expect_classed(predict(fit, d$x[, 1:2]), "missing_columns", "newdata")
  expect_classed(predict(fit, d$x, type = "prob"), "no_probability", "type")
  expect_classed(predict(round, K), "missing_diagonal", "newdata")
})

test_that("fitted values and residuals are those of the training rows", {
  d <- judge_clouds(30)
  fit <- mkl(d$x, d$y, gaussian_kernel(2), control = quiet(), scale = FALSE)
  expect_identical(fitted(fit), predict(fit, d$x))
  margin <- ifelse(d$y == "yes", 1, -1) * fit$decision
  expect_equal(residuals(fit), pmax(0, 1 - margin))
  expect_equal(residuals(fit, "margin"), margin)
  expect_equal(sum(residuals(fit) * fit$cost) + 0.5 * fit$theta^2 * fit$forms, fit$primal,
               ignore_attr = TRUE, tolerance = 1e-6)
})

test_that("kernels on whole views and on single columns predict together", {
  iris2 <- droplevels(iris[iris$Species != "setosa", ])
  train <- seq(1, 100, by = 2)
  both <- c(gaussian_kernel(1), per_feature(gaussian_kernel(1)))
  x <- as.matrix(iris2[, 1:4])
  fit <- mkl(x[train, ], iris2$Species[train], both, control = quiet(), scale = FALSE)
  expect_equal(predict(fit, x[train, ], "decision"), fit$decision, tolerance = 1e-10)
  expect_length(predict(fit, x[-train, ]), 50)

  columns <- c(gaussian_kernel(1), on_features(gaussian_kernel(1), "Petal.Width"))
  fit <- mkl(Species ~ ., iris2[train, ], kernels = columns, control = quiet(), scale = FALSE)
  expect_equal(unname(predict(fit, iris2[train, ], "decision")), unname(fit$decision),
               tolerance = 1e-10)
  expect_length(predict(fit, iris2[-train, ]), 50)
})

test_that("no new rows give no predictions", {
  d <- judge_clouds(40)
  K <- list(u = judge_linear(d$x))
  fit <- mkl(NULL, d$y, precomputed_kernel(K), control = quiet(), scale = FALSE)
  none <- list(u = K$u[0, ])
  expect_identical(predict(fit, none), factor(character(), c("no", "yes")))
  expect_identical(predict(fit, none, "decision"), numeric())
  t <- judge_triangle()
  K <- list(u = judge_linear(t$x))
  for (how in c("ovr", "ovo", "shared", "joint")) {
    fit <- mkl(NULL, t$y, precomputed_kernel(K), multiclass = how,
               control = quiet(probability = TRUE), scale = FALSE)
    expect_identical(predict(fit, list(u = K$u[0, ])), factor(character(), levels(t$y)))
    expect_identical(dim(predict(fit, list(u = K$u[0, ]), "decision")), c(0L, 3L))
    expect_identical(dim(predict(fit, list(u = K$u[0, ]), "prob")), c(0L, 3L))
  }
  fit <- mkl(Species ~ ., iris, kernels = linear_kernel(), control = quiet(), scale = FALSE)
  expect_identical(predict(fit, iris[0, ]), factor(character(), levels(iris$Species)))
})

test_that("misspelt and superfluous arguments are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, linear_kernel(), control = quiet(), scale = FALSE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    predict(fit, newx = d$x)
    predict(fit, d$x, foo = 1)
    fitted(fit, foo = 1)
    residuals(fit, foo = 1)
    coef(fit, foo = 1)
    nobs(fit, foo = 1)
    support(fit, foo = 1)
    kernel_weights(fit, foo = 1)
    summary(fit, foo = 1)
  })
})

test_that("rows with missing values are treated as na.action says, whatever form they have", {
  d <- judge_clouds(30)
  frame <- data.frame(d$x, g = factor(rep(c("p", "q", "r"), 10)))
  views <- list(a = d$x[, 1:2], b = d$x[, 3, drop = FALSE])
  K <- tcrossprod(d$x)
  dimnames(K) <- NULL
  gap <- function(x, i, j) {
    x[i, j] <- NA
    x
  }
  sparse <- Matrix::Matrix(d$x, sparse = TRUE)
  cases <- list(
    matrix = list(d$x, gap(d$x, c(4, 9), 2)), frame = list(frame, gap(gap(frame, 4, "g"), 9, 1)),
    sparse = list(sparse, gap(gap(sparse, 4, 1), 9, 2)),
    views = list(views, list(a = gap(views$a, 4, 1), b = gap(views$b, 9, 1)))
  )
  lacking <- c(4, 9)
  for (case in cases) {
    fit <- mkl(case[[1]], d$y, c(linear_kernel(), gaussian_kernel(c(1, 4))), control = quiet())
    whole <- predict(fit, case[[1]], "link")
    found <- predict(fit, case[[2]], "link")
    expect_equal(unname(which(is.na(found))), lacking)
    expect_equal(found[-lacking], whole[-lacking], tolerance = 1e-10)
    expect_equal(predict(fit, case[[2]], "link", na.action = na.omit), found[-lacking])
    expect_equal(predict(fit, case[[2]], "link", na.action = "na.exclude"), found[-lacking])
    expect_identical(predict(fit, case[[2]], "class", na.action = NULL),
                     predict(fit, case[[2]]))
    expect_classed(predict(fit, case[[2]], na.action = na.fail), "missing_values", "newdata")
  }
  fit <- mkl(y = d$y, kernels = precomputed_kernel(K), normalize = "spherical", control = quiet())
  new <- structure(K[1:6, ], diagonal = diag(K)[1:6])
  whole <- predict(fit, new, "decision")
  new[2, 9] <- NA
  attr(new, "diagonal")[5] <- NA
  expect_equal(predict(fit, new, "decision"), replace(whole, c(2, 5), NA))
})

test_that("every kind of fit takes na.action", {
  x <- as.matrix(iris[seq(1, 150, 3), 1:4])
  y <- iris$Species[seq(1, 150, 3)]
  k <- gaussian_kernel(c(1, 4))
  new <- x[1:5, ]
  new[2, 3] <- NaN
  path <- mkl_path(x, y, k, C = c(0.1, 1), tol = 0.2)
  fits <- list(
    mkl(x, y, k, loss = "logistic", control = quiet()), mkl_gomp(x, y, k),
    mllkm(x, y, gamma = 1, control = quiet()), mkl_sequential(x, y, k, control = quiet()),
    cv_mkl(x, y, k, p = 2, C = 1, control = quiet()),
    mkl(x, y, k, multiclass = "ovo", control = quiet())
  )
  for (fit in fits) {
    found <- predict(fit, new)
    expect_identical(which(is.na(found)), 2L, ignore_attr = TRUE)
    expect_identical(predict(fit, new, na.action = na.omit), found[-2])
    expect_identical(dim(predict(fit, new, type = "decision", na.action = na.omit))[1], 4L)
  }
  expect_identical(rowSums(predict(fits[[1]], new, "probabilities"))[[2]], NA_real_)
  expect_length(predict(path, new, C = 0.5, na.action = na.omit), 4)
})

test_that("types have the names that people type", {
  d <- judge_clouds(30)
  fit <- mkl(d$x, d$y, gaussian_kernel(4), loss = "logistic", control = quiet())
  same <- list(response = c("class", "raw"), decision = c("link", "scores"),
               prob = c("probabilities", "posterior"))
  for (type in names(same)) for (alias in same[[type]]) {
    expect_identical(predict(fit, d$x, alias), predict(fit, d$x, type))
    expect_identical(fitted(fit, alias), fitted(fit, type))
  }
  numbers <- mkl(d$x, d$x[, 1] + 1, gaussian_kernel(4), control = quiet())
  expect_identical(predict(numbers, d$x, "link"), predict(numbers, d$x))
  expect_identical(predict(numbers, d$x, "numeric"), predict(numbers, d$x))
  labels <- cbind(a = d$x[, 1] > 0, b = d$x[, 2] > 0)
  for (several in list(mkl(d$x, labels, gaussian_kernel(4), control = quiet()),
                       mkl_gomp(d$x, labels, gaussian_kernel(4)))) {
    expect_identical(predict(several, d$x, "class"), predict(several, d$x))
    expect_classed(predict(several, d$x, "numeric"), "unsupported", "type")
  }
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    predict(fit, d$x, "votes")
    predict(fit, d$x, "numeric")
    predict(numbers, d$x, "class")
    predict(numbers, d$x, "probabilities")
    predict(mkl_gomp(d$x, d$x[, 1] + 1, gaussian_kernel(4)), type = "class")
  })
})

test_that("many rows are predicted in blocks, as they are in parts", {
  fit <- mkl(iris[51:150, 1:2], droplevels(iris$Species[51:150]), gaussian_kernel(c(1, 4)))
  classes <- mkl(iris[, 1:2], iris$Species, gaussian_kernel(c(1, 4)))
  set.seed(3)
  new <- matrix(runif(2 * 100003, 2, 7), ncol = 2, dimnames = list(NULL, names(iris)[1:2]))
  new[c(7, 99999), 1] <- NA
  parts <- list(1:30000, 30001:60000, 60001:100003)
  for (model in list(fit, classes)) {
    whole <- as.matrix(predict(model, new, type = "decision"))
    each <- lapply(parts, function(part) as.matrix(predict(model, new[part, ], type = "decision")))
    expect_equal(whole, do.call(rbind, each), tolerance = 1e-10)
    expect_identical(which(is.na(whole[, 1])), c(7L, 99999L))
  }
  distant <- new
  distant[60000, 2] <- Inf
  expect_error(predict(fit, distant), class = "manykernels_missing_values")
})
