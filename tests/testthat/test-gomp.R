# Group matching pursuit against its definition, written down with solve().

gomp <- function(x, y, kernels, ..., control = quiet()) {
  mkl_gomp(x, y, kernels, ..., control = control, scale = FALSE)
}

# The path of the definition: the chosen kernels, their improvements and every A.
judge_gomp <- function(Ks, Y, lambda, steps) {
  Y <- as.matrix(Y)
  delta <- lambda * nrow(Y)
  ridge <- diag(delta, nrow(Y))
  chosen <- integer()
  improvement <- numeric()
  alpha <- list()
  residual <- Y
  for (s in seq_len(steps)) {
    offers <- vapply(Ks, function(K) sum(residual * (K %*% solve(K + ridge, residual))), 0)
    offers[chosen] <- -Inf
    chosen[s] <- which(offers >= max(offers) * (1 - 1e-10))[1]
    improvement[s] <- max(offers)
    sum_K <- Reduce(`+`, Ks[chosen])
    alpha[[s]] <- solve(sum_K + ridge, Y)
    residual <- Y - sum_K %*% alpha[[s]]
  }
  list(order = chosen, improvement = improvement, alpha = alpha)
}

expect_path <- function(fit, Ks, Y, steps = nrow(fit$path)) {
  expected <- judge_gomp(unname(Ks), Y, fit$lambda, steps)
  expect_identical(fit$order, expected$order)
  expect_equal(fit$path$improvement, expected$improvement, tolerance = 1e-8)
  for (s in seq_len(steps)) {
    expect_equal(matrix(fit$coefficients[, , s], nrow(fit$coefficients)),
                 unname(expected$alpha[[s]]), tolerance = 1e-8)
  }
  expected
}

# Primal, dual and relative gap of the ridge problem on a sum of kernels.
judge_ridge <- function(K, alpha, Y, lambda) {
  delta <- lambda * nrow(Y)
  f <- K %*% alpha
  primal <- sum((Y - f)^2) / (2 * delta) + sum(alpha * f) / 2
  dual <- sum(Y * alpha) - delta / 2 * sum(alpha^2) - sum(alpha * f) / 2
  c(primal = primal, dual = dual)
}

signs_of <- function(y) {
  if (nlevels(y) == 2) return(matrix(2 * (as.integer(y) - 1.5)))
  vapply(levels(y), function(l) ifelse(y == l, 1, -1), numeric(length(y)))
}

# ---- by hand -------------------------------------------------------------------------------------

test_that("two kernels by hand", {
  K <- precomputed_kernel(list(a = diag(c(1, 1, 0)), b = diag(c(0, 0, 3))))
  # delta = 1: I_a = 1/2 + 4/2, I_b = 9 * 3/4; then A = y/(K + 1) and R = A
  fit <- gomp(NULL, c(1, 2, 3), K, lambda = 1 / 3, normalize = "none", intercept = FALSE)
  expect_identical(fit$path$kernel, c("b", "a"))
  expect_equal(fit$path$improvement, c(6.75, 2.5))
  expect_equal(unname(fit$coefficients[, 1, 1]), c(1, 2, 0.75))
  expect_equal(unname(fit$alpha), c(0.5, 1, 0.75))
  expect_equal(unname(fitted(fit)), c(0.5, 1, 2.25))
  expect_equal(unname(fitted(fit, kernels = 1)), c(0, 0, 2.25))
  # 1/2 sum (y - f)^2 + 1/2 alpha'K alpha
  expect_equal(fit$primal, (0.25 + 1 + 0.5625) / 2 + (0.25 + 1 + 3 * 0.5625) / 2)
  expect_equal(fit$path$training_error, c((1 + 4 + 0.5625) / 3, (0.25 + 1 + 0.5625) / 3))
})

test_that("one Gaussian kernel is kernel ridge regression", {
  d <- judge_clouds(30)
  y <- d$x[, 1]^2
  K <- judge_gaussian(d$x, width = 4)
  fit <- gomp(d$x, y, gaussian_kernel(4), lambda = 0.05, normalize = "none")
  alpha <- solve(K + diag(0.05 * 30, 30), y - mean(y))
  expect_equal(unname(fit$alpha), alpha)
  new <- judge_clouds(8, seed = 5)$x
  expect_equal(unname(predict(fit, new)),
               drop(judge_gaussian(new, d$x, 4) %*% alpha) + mean(y))
})

# ---- paths ---------------------------------------------------------------------------------------

test_that("paths are those of the definition, for every kind of kernel and scaling", {
  d <- judge_clouds(50, 4)
  y <- cbind(d$x[, 1] * d$x[, 2], sin(d$x[, 3]))
  kernels <- every_kind(50)
  for (how in list("multiplicative", "trace", "spherical", "none", c("centre", "multiplicative"),
                   c("centre", "spherical"))) {
    Ks <- kernel_matrix(kernels, d$x, normalize = how)
    fit <- gomp(d$x, y, kernels, lambda = 0.01, normalize = how, max_kernels = 6, intercept = FALSE)
    expect_path(fit, Ks, y)
    expect_lt(max(fit$path$gap), 1e-20)
  }
})

test_that("classes are columns of signs that share the kernels", {
  two <- judge_clouds(40)
  three <- judge_triangle(60)
  for (d in list(two, three)) {
    Ks <- kernel_matrix(every_kind(nrow(d$x)), d$x, normalize = "multiplicative")
    fit <- gomp(d$x, d$y, every_kind(nrow(d$x)), lambda = 0.02, max_kernels = 5)
    expected <- expect_path(fit, Ks, signs_of(d$y))
    f <- Reduce(`+`, Ks[expected$order]) %*% expected$alpha[[5]]
    expect_equal(unname(as.matrix(fit$decision)), unname(f), tolerance = 1e-8)
    class <- if (ncol(f) == 1) 1 + (f > 0) else max.col(f)
    expect_identical(as.integer(predict(fit)), as.integer(class))
    expect_equal(fit$path$training_error[5], mean(class != as.integer(d$y)))
    expect_identical(sum(fit$theta), 5)
    expect_identical(names(which(fit$theta == 1)), names(fit$theta)[sort(fit$order)])
  }
})

test_that("real data: the definition's path on ionosphere and nutrimouse", {
  skip_unless_slow()
  uci <- shared_uci("ionosphere")
  x <- scale(uci$x)
  kernels <- c(gaussian_kernel(33 * 2^(-2:2)), polynomial_kernel(1:3), per_feature(linear_kernel()))
  fit <- gomp(x, uci$y, kernels, lambda = 0.01, max_kernels = 4)
  expect_path(fit, kernel_matrix(kernels, x, normalize = "multiplicative"), signs_of(uci$y))
  table <- utils::read.csv(gzfile(shared_file("data", "nutrimouse", "labels.csv.gz")))
  numeric <- function(file) {
    values <- utils::read.csv(gzfile(shared_file("data", "nutrimouse", file)))
    scale(as.matrix(values[vapply(values, is.double, NA)]))
  }
  views <- list(gene = numeric("gene.csv.gz"), lipid = numeric("lipid.csv.gz"))
  diet <- factor(table$diet)
  kernels <- c(linear_kernel(), gaussian_kernel(c(50, 200)),
               on_view(per_feature(linear_kernel()), "lipid"))
  fit <- gomp(views, diet, kernels, lambda = 0.1, max_kernels = 8)
  expect_path(fit, kernel_matrix(kernels, views, normalize = "multiplicative"), signs_of(diet))
})

test_that("the path is the same for any memory, number of threads and order of kernels", {
  d <- judge_triangle(150)
  kernels <- c(gaussian_kernel(2^(-3:6)), per_feature(linear_kernel()))
  fit <- gomp(d$x, d$y, kernels, max_kernels = 8)
  expect_identical(fit$kept, 12)
  poor <- gomp(d$x, d$y, kernels, max_kernels = 8, control = quiet(cache = 1))
  expect_identical(poor$kept, 0)
  expect_lt(poor$memory, fit$memory)
  some <- gomp(d$x, d$y, kernels, max_kernels = 8, control = quiet(cache = "900KB", threads = 1))
  expect_true(some$kept > 0 && some$kept < 12)
  single <- gomp(d$x, d$y, kernels, max_kernels = 8, control = quiet(threads = 1))
  for (other in list(poor, some, single)) {
    expect_identical(other$order, fit$order)
    expect_equal(other$coefficients, fit$coefficients, tolerance = 1e-10)
  }
  shuffled <- c(7, 3, 10, 1, 4, 9, 2, 8, 6, 5)
  moved <- gomp(d$x, d$y, c(gaussian_kernel((2^(-3:6))[shuffled]), per_feature(linear_kernel())),
                max_kernels = 8)
  expect_identical(moved$path$kernel, fit$path$kernel)
  expect_equal(moved$coefficients, fit$coefficients, tolerance = 1e-10)
})

test_that("of equal kernels the first is taken, and the copy when its turn comes", {
  d <- judge_clouds(40)
  K <- judge_gaussian(d$x, width = 4)
  kernels <- c(precomputed_kernel(list(one = K)), gaussian_kernel(4),
               precomputed_kernel(list(two = K)), linear_kernel())
  fit <- gomp(d$x, d$y, kernels, normalize = "none")
  expect_identical(setdiff(fit$path$kernel, "linear"), c("one", "gaussian(width=4)", "two"))
  expect_path(fit, kernel_matrix(kernels, d$x), signs_of(d$y))
})

test_that("linear kernels of few columns never make a matrix", {
  d <- judge_clouds(3000, 30)
  y <- drop(d$x[, c(3, 11)] %*% c(2, -1)) + 0.01 * sin(seq_len(3000))
  fit <- gomp(d$x, y, per_feature(linear_kernel()), lambda = 1e-4, max_kernels = 5)
  expect_identical(fit$path$kernel[1:2], c("linear[v3]", "linear[v11]"))
  expect_lt(fit$memory, 3000^2) # one matrix would take 8 times as much
  little <- gomp(d$x, y, per_feature(linear_kernel()), lambda = 1e-4, max_kernels = 5,
                 control = quiet(cache = "10MB"))
  expect_identical(little$kept, 30)
  expect_lt(fit$gap, 1e-16)
  z <- scale(d$x[, fit$order], scale = FALSE)
  z <- sweep(d$x[, fit$order], 2, sqrt(colMeans(z^2)), `/`)
  w <- solve(crossprod(z) + diag(0.3, 5), crossprod(z, y - mean(y)))
  expect_equal(unname(predict(fit)), drop(z %*% w) + mean(y), tolerance = 1e-8)
})

# ---- stopping ------------------------------------------------------------------------------------

test_that("a path ends by number, by epsilon, or where nothing is left", {
  d <- judge_clouds(40, 6)
  kernels <- per_feature(linear_kernel())
  all <- gomp(d$x, d$y, kernels)
  expect_identical(nrow(all$path), 6L)
  expect_identical(gomp(d$x, d$y, kernels, max_kernels = 2)$order, all$order[1:2])
  epsilon <- mean(all$path$improvement[2:3])
  expect_identical(nrow(gomp(d$x, d$y, kernels, epsilon = epsilon)$path), 2L)
  # one kernel explains all there is: its refit leaves a residual that others can't see
  K <- precomputed_kernel(list(a = diag(c(1, 0, 0, 0)), b = diag(c(0, 1, 0, 0))))
  fit <- gomp(NULL, c(3, 0, 0, 1), K, normalize = "none", intercept = FALSE)
  expect_identical(fit$path$kernel, "a")
  none <- gomp(d$x, d$y, kernels, epsilon = Inf)
  gap <- duality_gap(none, d$x)
  expect_identical(gap$gap, 0)
  expect_equal(gap$primal, none$primal)
  expect_output(print(gap), "within the tolerance")
  expect_identical(nrow(none$path), 0L)
  expect_true(all(none$theta == 0) && all(none$alpha == 0))
  expect_identical(unname(predict(none, d$x, "decision")), numeric(40))
  expect_snapshot(print(none), transform = function(lines) lines[-(1:5)])
})

test_that("a validation set chooses the number of kernels and lambda", {
  d <- judge_clouds(60, 8, seed = 3)
  v <- judge_clouds(90, 8, seed = 4)
  lambda <- c(0.001, 0.1, 1)
  fit <- gomp(d$x, d$y, per_feature(gaussian_kernel(2)), lambda = lambda,
              validation = list(x = v$x, y = v$y))
  errors <- vapply(lambda, function(l) {
    one <- gomp(d$x, d$y, per_feature(gaussian_kernel(2)), lambda = l)
    vapply(1:8, function(s) mean(predict(one, v$x, kernels = s) != v$y), 0)
  }, numeric(8))
  expect_equal(fit$tuning$error, as.vector(errors))
  expect_equal(min(errors), min(fit$path$validation_error))
  expect_identical(fit$selected, which.min(fit$path$validation_error))
  expect_true(fit$lambda %in% lambda[apply(errors, 2, min) == min(errors)])
  expect_identical(sum(fit$theta), as.double(fit$selected))
  expect_equal(mean(predict(fit, v$x) != v$y), min(errors))
  expect_equal(predict(fit, v$x), predict(fit, v$x, kernels = fit$selected))
})

test_that("cross-validation holds out each fold in turn", {
  d <- judge_triangle(45)
  folds <- rep(1:3, 15)[order(sin(1:45))]
  kernels <- c(gaussian_kernel(c(0.5, 4)), linear_kernel())
  fit <- gomp(d$x, d$y, kernels, lambda = 0.05, folds = folds)
  Ks <- kernel_matrix(kernels, d$x)
  # the normalisation is that of the training rows
  normalized <- function(K, kept) K / (mean(diag(K)[kept]) - mean(K[kept, kept]))
  Y <- signs_of(d$y)
  wrong <- Reduce(`+`, lapply(1:3, function(fold) {
    kept <- folds != fold
    Ks <- lapply(Ks, normalized, kept)
    path <- judge_gomp(lapply(unname(Ks), function(K) K[kept, kept]), Y[kept, ], 0.05, 3)
    vapply(1:3, function(s) {
      K <- Reduce(`+`, unname(Ks)[path$order[seq_len(s)]])
      sum(max.col(K[!kept, kept] %*% path$alpha[[s]]) != as.integer(d$y)[!kept])
    }, 0)
  }))
  expect_equal(fit$tuning$error, wrong / 45)
  expect_identical(fit$selected, which.min(wrong))
  expect_identical(fit$order, gomp(d$x, d$y, kernels, lambda = 0.05)$order)
  set.seed(1)
  one <- gomp(d$x, d$y, kernels, folds = 5)
  set.seed(1)
  expect_equal(gomp(d$x, d$y, kernels, folds = 5)$tuning, one$tuning)
  # regression takes the mean off each training part
  y <- d$x[, 1] + 10
  fit <- gomp(d$x, y, linear_kernel(), lambda = 0.05, folds = folds)
  square <- sum(vapply(1:3, function(fold) {
    kept <- folds != fold
    K <- normalized(Ks$linear, kept)
    alpha <- solve(K[kept, kept] + diag(0.05 * sum(kept), sum(kept)), y[kept] - mean(y[kept]))
    sum((y[!kept] - K[!kept, kept] %*% alpha - mean(y[kept]))^2)
  }, 0))
  expect_equal(fit$tuning$error, square / 45)
  # where a fold takes no kernel, its means are the prediction
  none <- gomp(d$x, y, linear_kernel(), folds = folds, epsilon = 1e9)
  expect_equal(none$tuning$error, mean((y - (sum(y) - tapply(y, folds, sum)[folds]) / 30)^2))
  expect_warning(expect_warning(gomp(d$x, d$y, kernels, folds = 3, control = quiet(max_time = 1e-9)),
                                "cross-validation"), "time limit")
})

test_that("folds learn columns, kernels and imputed cells from their training rows", {
  set.seed(2)
  x <- matrix(rt(80, 1), 20, dimnames = list(NULL, letters[1:4]))
  x[c(3, 30, 55)] <- NA
  y <- rnorm(20)
  folds <- rep(1:5, 4)
  kernels <- c(per_feature(linear_kernel()), gaussian_kernel(1))
  own <- function(...) mkl_gomp(..., kernels = kernels, impute = "median", control = quiet())
  errors <- sapply(1:5, function(fold) {
    fit <- own(x[folds != fold, ], y[folds != fold], lambda = 0.1)
    vapply(1:5, function(s) mean((predict(fit, x[folds == fold, ], kernels = s) - y[folds == fold])^2), 0)
  })
  tuned <- own(x, y, lambda = c(0.1, 1), folds = folds)$tuning
  expect_equal(tuned$error[tuned$lambda == 0.1], rowMeans(errors))
  # two values in a fold are numbers as in all rows
  expect_identical(own(x, rep(c(1, 2, 3), c(9, 9, 2)), folds = folds)$tuning$kernels, 1:5)
  # precomputed kernels have their rows
  K <- tcrossprod(replace(x, is.na(x), 0))
  matrices <- precomputed_kernel(list(all = K, first = tcrossprod(x[, 4])))
  by_hand <- mean(sapply(1:5, function(fold) {
    kept <- folds != fold
    fit <- gomp(NULL, y[kept], precomputed_kernel(list(all = K[kept, kept], first = tcrossprod(x[kept, 4]))),
                lambda = 0.1)
    new <- list(all = K[!kept, kept], first = tcrossprod(x[!kept, 4], x[kept, 4]))
    mean((predict(fit, new, kernels = 2) - y[!kept])^2)
  }))
  expect_equal(gomp(NULL, y, matrices, lambda = 0.1, folds = folds)$tuning$error[2], by_hand)
})

test_that("folds are those of cv_mkl(): lists, resamples, bootstraps and groups", {
  d <- judge_triangle(45)
  k <- c(gaussian_kernel(c(0.5, 4)), linear_kernel())
  tuned <- function(folds, ...) gomp(d$x, d$y, k, lambda = c(0.05, 1), folds = folds, ...)$tuning
  label <- rep(1:3, 15)[order(sin(1:45))]
  tests <- unname(split(1:45, label))
  trains <- lapply(tests, function(test) setdiff(1:45, test))
  expected <- tuned(label)
  for (folds in list(tests, Map(function(train, test) list(train = train, test = test), trains, tests),
                     list(index = trains))) {
    expect_identical(tuned(folds), expected)
  }
  # one fold, whose rows alone count, and NA for rows that always train
  held <- tuned(list(1:9))
  expect_identical(tuned(replace(rep(NA, 45), 1:9, 1)), held)
  fit <- gomp(d$x[-(1:9), ], d$y[-(1:9)], k, lambda = 0.05, normalize = "none")
  wrong <- vapply(1:3, function(s) mean(predict(fit, d$x[1:9, ], kernels = s) != d$y[1:9]), 0)
  expect_equal(gomp(d$x, d$y, k, lambda = 0.05, normalize = "none", folds = list(1:9))$tuning$error,
               wrong)
  # a bootstrap counts rows as often as it drew them
  drawn <- rep(1:45, rep_len(c(0, 1, 2, 1), 45))
  out <- setdiff(1:45, drawn)
  counts <- tabulate(drawn, 45)
  boot <- gomp(d$x, d$y, k, lambda = 0.05, normalize = "none", folds = list(list(train = drawn, test = out)))
  fit <- gomp(d$x[-out, ], d$y[-out], k, lambda = 0.05, normalize = "none", weights = counts[-out])
  wrong <- vapply(1:3, function(s) mean(predict(fit, d$x[out, ], kernels = s) != d$y[out]), 0)
  expect_equal(boot$tuning$error, wrong)

  patient <- rep(1:15, each = 3)
  expect_classed(tuned(label, group = patient), "invalid_argument", "folds")
  set.seed(6)
  grouped <- cv_mkl(d$x, d$y, k, p = 2, C = 1, folds = 3, repeats = 1, group = patient, control = quiet())$resamples
  expect_true(all(vapply(grouped, function(one) !any(patient[one$test] %in% patient[one$train]), NA)))
  expect_identical(sort(unlist(lapply(grouped, `[[`, "test"))), 1:45)
  set.seed(6)
  expect_identical(tuned(3, group = patient), tuned(lapply(grouped, `[[`, "test")))
  data <- data.frame(d$x, y = d$y, patient = patient)
  lambda <- c(0.05, 1)
  set.seed(3)
  by_formula <- mkl_gomp(y ~ . - patient, data, kernels = k, lambda = lambda, folds = 3, group = patient,
                         subset = 4:45, scale = FALSE, control = quiet())
  set.seed(3)
  plain <- gomp(d$x[4:45, ], d$y[4:45], k, lambda = lambda, folds = 3, group = patient[4:45])
  expect_identical(by_formula$tuning, plain$tuning)
  by_formula <- mkl_gomp(y ~ . - patient, data, kernels = k, lambda = lambda, folds = tests,
                         subset = 2:45, scale = FALSE, control = quiet())
  plain <- gomp(d$x[2:45, ], d$y[2:45], k, lambda = lambda, folds = label[2:45])
  expect_identical(by_formula$tuning, plain$tuning)
  expect_classed(gomp(d$x, d$y, k, group = patient), "invalid_argument", "group")
})

# ---- predictions ---------------------------------------------------------------------------------

test_that("predictions at every step are sums over kernels, whatever their kind and scaling", {
  d <- judge_clouds(40, 4)
  new <- judge_clouds(9, 4, seed = 7)$x
  y <- cbind(d$x[, 1]^2, d$x[, 2])
  kernels <- every_kind(40)
  evaluated <- setdiff(names(kernel_matrix(kernels, d$x)), "given")
  given_new <- matrix(cos(1:360), 9)
  diagonal <- rep(3, 9)
  for (how in list("multiplicative", "spherical", "none", c("centre", "multiplicative"),
                   c("centre", "spherical"))) {
    fit <- gomp(d$x, y, kernels, lambda = 0.01, normalize = how)
    values <- kernel_matrix(kernels[seq_along(kernels) < length(kernels)], d$x, new,
                            normalize = how)
    half <- matrix(sin(seq_len(1600)), 40)
    values$given <- t(judge_normalize(tcrossprod(half) / 40, how, given_new, diagonal)$new)
    parts <- list(x = new, given = structure(given_new, diagonal = diagonal))
    for (s in c(1, 4, nrow(fit$path))) {
      K <- Reduce(`+`, values[fit$path$kernel[seq_len(s)]])
      expected <- sweep(t(K) %*% fit$coefficients[, , s], 2, colMeans(y), `+`)
      newdata <- if ("given" %in% fit$path$kernel[seq_len(s)]) parts else new
      expect_equal(unname(predict(fit, newdata, kernels = s)), unname(expected), tolerance = 1e-8)
    }
  }
  expect_equal(predict(fit), predict(fit, kernels = fit$selected))
  expect_identical(dim(predict(fit, list(x = new[0, ], given = parts$given[0, ]))), c(0L, 2L))
})

test_that("a fit read from a file predicts the same", {
  d <- judge_triangle(40)
  fit <- gomp(d$x, d$y, gaussian_kernel(c(1, 4)))
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d$x + 0.1), predict(fit, d$x + 0.1))
})

test_that("views, sparse data and formulas", {
  d <- judge_clouds(60, 4)
  views <- list(a = d$x[, 1:2], b = d$x[, 3:4])
  kernels <- c(gaussian_kernel(c(1, 4)), per_feature(linear_kernel()))
  fit <- gomp(views, d$y, kernels, lambda = 0.01)
  expect_path(fit, kernel_matrix(kernels, views, normalize = "multiplicative"), signs_of(d$y))
  first <- gomp(views, d$y, on_view(kernels, "a"))
  expect_equal(predict(first, list(a = views$a), "decision"), predict(first, type = "decision"))
  # early steps need the views of their kernels alone
  early <- gomp(views, d$y, c(on_view(linear_kernel(), "a"), on_view(gaussian_kernel(1), "b")))
  expect_identical(early$order[1], 1L)
  expect_identical(predict(early, views["a"], kernels = 1), fitted(early, kernels = 1))
  expect_classed(predict(early, views["a"]), "missing_views", "newdata")
  sparse <- Matrix::Matrix(d$x * (abs(d$x) > 0.7), sparse = TRUE)
  dense <- as.matrix(sparse)
  for (k in list(per_feature(linear_kernel()), gaussian_kernel(c(1, 4)))) {
    fit <- gomp(sparse, d$y, k)
    expect_equal(fit$coefficients, gomp(dense, d$y, k)$coefficients, tolerance = 1e-8)
    expect_equal(predict(fit, dense, "decision"), predict(fit, type = "decision"))
  }
  frame <- data.frame(d$x, y = d$y)
  frame$v1[5] <- NA
  fit <- mkl_gomp(y ~ ., frame, kernels = linear_kernel(), control = quiet(),
                  validation = list(x = frame, y = frame$y), na.action = stats::na.exclude,
                  scale = FALSE)
  expect_identical(nobs(fit), 59L)
  expect_identical(which(is.na(fitted(fit))), c(`5` = 5L))
  expect_identical(unname(is.na(predict(fit, frame))), seq_len(60) == 5)
  expect_equal(fit$path$validation_error, fit$path$training_error)
  expect_lt(duality_gap(fit, frame, d$y[-5])$gap, 1e-20)
})

# ---- certificate and methods ---------------------------------------------------------------------

test_that("every step is certified by the ridge problem on its kernels", {
  d <- judge_triangle(50)
  kernels <- c(gaussian_kernel(c(0.5, 2, 8)), linear_kernel())
  fit <- gomp(d$x, d$y, kernels, lambda = 0.03)
  Ks <- unname(kernel_matrix(kernels, d$x, normalize = "multiplicative"))
  for (s in 1:4) {
    values <- judge_ridge(Reduce(`+`, Ks[fit$order[1:s]]), fit$coefficients[, , s], signs_of(d$y),
                          0.03)
    expect_equal(fit$path$objective[s], values[["dual"]], tolerance = 1e-10)
    expect_equal(values[["primal"]], values[["dual"]], tolerance = 1e-10)
  }
  expect_true(fit$converged)
  expect_equal(fit$C, 1 / (0.03 * 50))
  again <- duality_gap(fit, d$x, d$y)
  expect_equal(again$primal, fit$primal)
  expect_equal(again$dual, fit$objective)
  # what isn't a solution is found out
  fit$coefficients[1, 1, 4] <- fit$coefficients[1, 1, 4] + 0.1
  values <- judge_ridge(Reduce(`+`, Ks), fit$coefficients[, , 4], signs_of(d$y), 0.03)
  bad <- duality_gap(fit, d$x)
  expect_equal(bad$gap, (values[["primal"]] - values[["dual"]]) / values[["primal"]],
               tolerance = 1e-8)
  expect_gt(bad$gap, 1e-4)
})

test_that("methods of class mkl make sense or say that they don't apply", {
  d <- judge_clouds(40)
  kernels <- c(gaussian_kernel(c(1, 4)), linear_kernel())
  fit <- gomp(d$x, d$y, kernels, max_kernels = 2)
  Ks <- unname(kernel_matrix(kernels, d$x, normalize = "multiplicative"))
  forms <- vapply(Ks, function(K) sum(fit$alpha * (K %*% fit$alpha)), 0)
  weights <- kernel_weights(fit)
  expect_equal(weights$theta, as.double(1:3 %in% fit$order))
  expect_equal(weights$share, weights$theta * forms / sum(weights$theta * forms), tolerance = 1e-8)
  expect_identical(coef(fit), fit$theta)
  expect_identical(nobs(fit), 40L)
  expect_equal(unname(residuals(fit)), drop(signs_of(d$y)) - unname(fit$decision))
  expect_identical(fitted(fit), predict(fit))
  named <- d$x
  rownames(named) <- paste0("r", 1:40)
  fit <- gomp(named, d$y, kernels)
  expect_equal(fit$decision, predict(fit, type = "decision"))
  expect_identical(names(fit$alpha), rownames(named))
  own <- mkl_gomp(d$x, d$y, kernels, control = quiet(), scale = FALSE)
  expect_identical(update(own, max_kernels = 1)$order, fit$order[1])
  expect_classed(support(fit), "unsupported", "object")
  expect_classed(risk_bound(fit, d$x), "unsupported", "fit")
  expect_classed(predict(fit, type = "prob"), "no_probability", "type")
  expect_equal(summary(fit)$error, mean(fitted(fit) != d$y))
  number <- gomp(d$x, d$x[, 1]^3, kernels)
  expect_equal(summary(number)$error, mean((d$x[, 1]^3 - fitted(number))^2))
  expect_identical(kernel_weights(gomp(d$x, d$y, per_feature(linear_kernel())))$share > 0,
                   rep(TRUE, 3))
})

test_that("printing and plotting", {
  set.seed(1)
  toy <- simulate_mkl_toy(60, nu = 0.5, d = 12)
  fit <- gomp(toy$x, toy$y, per_feature(linear_kernel()), validation = toy[c("x", "y")])
  expect_snapshot(fit, transform = hide_digits)
  expect_snapshot(summary(gomp(toy$x, toy$x[, 1]^2, gaussian_kernel(c(4, 40)))),
                  transform = hide_digits)
  pdf(NULL)
  on.exit(dev.off())
  before <- graphics::par(no.readonly = TRUE)
  expect_identical(withVisible(plot(fit))$visible, FALSE)
  expect_no_warning(plot(gomp(toy$x, toy$y, linear_kernel())))
  expect_no_warning(plot(gomp(toy$x, toy$x[, 1:2], gaussian_kernel(c(4, 40))), "path", main = "A"))
  after <- graphics::par(no.readonly = TRUE)
  same <- setdiff(names(before), c("usr", "xaxp", "yaxp"))
  expect_identical(after[same], before[same])
})

# ---- bad input -----------------------------------------------------------------------------------

test_that("wrong arguments are errors that name them", {
  d <- judge_clouds(20)
  k <- c(gaussian_kernel(c(1, 4)), linear_kernel())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl_gomp(d$x, kernels = k)
    gomp(d$x, d$y[-1], k)
    gomp(d$x, d$x[-1, ], k)
    gomp(d$x, replace(d$x[, 1], 2, NA), k)
    gomp(d$x, rep("a", 20), k)
    gomp(d$x, 1e160 * d$x[, 1], k)
    gomp(d$x, 1e-170 * d$x[, 1], k)
    gomp(d$x, as.list(d$y), k)
    gomp(d$x, d$y, "linear")
    gomp(d$x, d$y, k, lambda = 0)
    gomp(d$x, d$y, k, lambda = -1)
    gomp(d$x, d$y, k, lambda = c(1, 2))
    gomp(d$x, d$y, k, lambda = Inf)
    gomp(d$x, d$y, k, max_kernels = 0)
    gomp(d$x, d$y, k, max_kernels = 1.5)
    gomp(d$x, d$y, k, epsilon = -1)
    gomp(d$x, d$y, k, intercept = 1)
    gomp(d$x, d$y, k, normalize = "size")
    gomp(d$x, d$y, k, folds = 1)
    gomp(d$x, d$y, k, folds = 21)
    gomp(d$x, d$y, k, folds = rep(1, 20))
    gomp(d$x, d$y, k, folds = 1:3)
    gomp(d$x, d$y, k, folds = 2, validation = list(x = d$x, y = d$y))
    gomp(d$x, d$y, k, validation = d$x)
    gomp(d$x, d$y, k, validation = list(x = d$x[, 1:2], y = d$y))
    gomp(d$x, d$y, k, validation = list(x = d$x, y = d$y[1:3]))
    gomp(d$x, d$y, k, validation = list(x = d$x, y = rep("maybe", 20)))
    gomp(d$x, d$x, k, validation = list(x = d$x, y = d$x[, 1]))
    gomp(d$x, d$x, k, validation = list(x = d$x, y = d$y))
    gomp(d$x, d$y, k, p = 2)
    gomp(d$x, d$y, k, control = list())
    gomp(d$x, d$y, k, control = quiet(probability = TRUE))
    gomp(0 * d$x, d$y, per_feature(linear_kernel()))
  })
  expect_classed(gomp(d$x, d$y, k, lambda = 0), "invalid_argument", "lambda")
  expect_classed(gomp(d$x, d$y[-1], k), "length", "y")
})

test_that("wrong requests of a fit are errors that name them", {
  d <- judge_clouds(20)
  fit <- gomp(d$x, d$y, c(gaussian_kernel(c(1, 4)), linear_kernel()))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    predict(fit, kernels = 4)
    predict(fit, kernels = 0)
    predict(fit, d$x[, 1:2])
    predict(fit, data = d$x)
    predict(fit, d$x, type = "votes")
    predict(fit, type = "prob")
    plot(fit, "margins")
    duality_gap(fit, d$x[-1, ])
    duality_gap(fit, d$x, rev(d$y))
    support(fit)
  })
})

test_that("kernels that are no kernels, or fail, stop the fit", {
  d <- judge_clouds(20)
  K <- diag(20)
  K[1, 1] <- -30
  indefinite <- suppressWarnings(precomputed_kernel(list(odd = K, even = diag(20))))
  condition <- expect_classed(gomp(NULL, d$y, indefinite, normalize = "none"), "indefinite",
                              "lambda")
  expect_identical(condition$value, "odd")
  calls <- 0
  broken <- function_kernel(function(X, Z) {
    calls <<- calls + 1
    if (calls > 3) stop("no more")
    X %*% t(Z)
  }, "broken")
  expect_error(gomp(d$x, d$y, c(linear_kernel(), broken), max_kernels = 2), "no more")
})

test_that("a gap above the tolerance is no convergence", {
  x <- matrix(sin(1:60), 20)
  expect_warning(fit <- gomp(x, cos((1:20)^2), per_feature(linear_kernel()), lambda = 1e-17), "gap",
                 class = "manykernels_warning_not_converged")
  expect_gt(fit$gap, fit$control$tol)
  expect_identical(fit$status, "stalled")
})

test_that("a path that runs out of time is what was done till then", {
  d <- judge_clouds(400)
  expect_warning(fit <- gomp(d$x, d$y, gaussian_kernel(2^(-5:10)),
                             control = quiet(max_time = 1e-6)),
                 class = "manykernels_warning_not_converged")
  expect_identical(fit$status, "time_limit")
  expect_false(fit$converged)
  expect_identical(nrow(fit$path), 0L)
  expect_identical(nlevels(predict(fit, d$x)), 2L)
  expect_output(print(fit), "No kernel was taken: the time limit `max_time` was reached.", fixed = TRUE)
})

test_that("a validation set without rows is an error", {
  d <- judge_clouds(20)
  empty <- list(x = d$x[0, ], y = d$y[0])
  expect_classed(gomp(d$x, d$y, gaussian_kernel(1), validation = empty), "dimension", "validation")
})

test_that("an interrupt or a time limit of R's ends a path at once", {
  d <- judge_clouds(1500)
  expect_error({
    setTimeLimit(elapsed = 0.3, transient = TRUE)
    gomp(d$x, d$y, gaussian_kernel(2^seq(-5, 10, length.out = 200)))
  }, "time limit")
  setTimeLimit()
  expect_identical(nrow(gomp(d$x[1:50, ], d$y[1:50], linear_kernel())$path), 1L)
})

test_that("a certificate is asked for with a response of numbers", {
  d <- judge_clouds(20)
  fit <- mkl_gomp(d$x, d$x[, 1], gaussian_kernel(1:2))
  expect_classed(duality_gap(fit, d$x, mean), "invalid_argument", "y")
  expect_classed(duality_gap(fit, d$x, "a"), "invalid_argument", "y")
  expect_classed(duality_gap(fit, d$x, as.list(d$x[, 1])), "invalid_argument", "y")
  expect_lt(duality_gap(fit, d$x, data.frame(d$x[, 1]))$gap, 1e-3)
})

test_that("a cross-validation chooses the number of kernels of a pursuit", {
  set.seed(5)
  x <- matrix(rnorm(60 * 5), 60)
  y <- x[, 1] - x[, 2] + rnorm(60)
  folds <- rep(1:3, 20)
  kernels <- per_feature(linear_kernel())
  cv <- cv_mkl(x, y, kernels, model = "mkl_gomp", lambda = c(0.01, 0.1), max_kernels = c(1, 2, 5), folds = folds,
               measure = list(mse = function(truth, response) -mean((truth - response)^2)), rule = "best", control = quiet())
  expect_identical(cv$tuned, c("max_kernels", "lambda"))
  errors <- mapply(function(most, lambda) {
    mean(vapply(1:3, function(k) {
      fit <- mkl_gomp(x[folds != k, ], y[folds != k], kernels, lambda = lambda, max_kernels = most, control = quiet())
      mean((predict(fit, x[folds == k, ]) - y[folds == k])^2)
    }, 0))
  }, cv$results$max_kernels, cv$results$lambda)
  expect_equal(cv$results$mse, -errors, tolerance = 1e-8)
  best <- cv$results[which.min(errors), ]
  expect_identical(unlist(cv$best), unlist(best[c("max_kernels", "lambda")]))
  expect_length(cv$fit$order, best$max_kernels)
  expect_error(cv_mkl(x, y, kernels, max_kernels = 2), class = "manykernels_invalid_argument")
  expect_error(cv_mkl(x, y, kernels, model = "mkl_gomp", max_kernels = 0), class = "manykernels_invalid_argument")
})

test_that("folds and validation choose by a measure", {
  set.seed(6)
  x <- matrix(rnorm(60 * 4), 60)
  score <- x[, 1] + 0.5 * x[, 2] + rnorm(60)
  kernels <- per_feature(linear_kernel())
  folds <- rep(1:3, 20)
  y <- factor(ifelse(score > 0.5, "yes", "no"))
  area <- function(d, y) mean(outer(d[y == "yes"], d[y == "no"], `>`) + outer(d[y == "yes"], d[y == "no"], `==`) / 2)
  fit <- mkl_gomp(x, y, kernels, folds = folds, measure = "auc", control = quiet())
  by_hand <- vapply(1:4, function(most) {
    -mean(vapply(1:3, function(k) {
      own <- mkl_gomp(x[folds != k, ], y[folds != k], kernels, max_kernels = most, scale = FALSE, control = quiet())
      area(predict(own, x[folds == k, ], type = "decision"), y[folds == k])
    }, 0))
  }, 0)
  unscaled <- mkl_gomp(x, y, kernels, folds = folds, measure = "auc", scale = FALSE, control = quiet())
  expect_equal(unscaled$tuning$error, by_hand, tolerance = 0.02)
  expect_identical(fit$selected, as.integer(which.min(fit$tuning$error)), ignore_attr = TRUE)
  absolute <- mkl_gomp(x, score, kernels, validation = list(x = x[1:20, ], y = score[1:20]), measure = "mae",
                       control = quiet())
  expect_equal(absolute$tuning$error[absolute$selected], mean(abs(predict(absolute, x[1:20, ]) - score[1:20])))
  own <- mkl_gomp(x, score, kernels, folds = folds, measure = structure(function(truth, response) mean((truth - response)^2),
                                                                         larger = FALSE), control = quiet())
  expect_equal(own$tuning$error, mkl_gomp(x, score, kernels, folds = folds, control = quiet())$tuning$error)
  expect_error(mkl_gomp(x, score, kernels, measure = "mae"), class = "manykernels_invalid_argument")
  expect_error(mkl_gomp(x, score, kernels, folds = 3, measure = "auc"), class = "manykernels_invalid_argument")
  expect_error(mkl_gomp(x, score, kernels, folds = 3, measure = c("mae", "rmse")), class = "manykernels_invalid_argument")
})

# Each step by definition, among the kernels of the smallest priorities.
test_that("random candidates: each step takes the best of those that it tries", {
  set.seed(6)
  x <- matrix(rnorm(60 * 12), 60)
  y <- x[, 1] + 2 * x[, 5] - x[, 9] + rnorm(60)
  kernels <- per_feature(linear_kernel())
  run <- function(count, ...) {
    set.seed(3)
    mkl_gomp(x, y, kernels, lambda = 0.1, max_kernels = 8, candidates = count, normalize = "none", scale = FALSE,
             control = mkl_control(progress = FALSE), ...)
  }
  fit <- run(3)
  set.seed(3)
  priority <- matrix(runif(12 * 8), 12)
  K <- lapply(1:12, function(j) tcrossprod(x[, j]))
  taken <- integer()
  r <- y - mean(y)
  for (s in 1:8) {
    tried <- utils::head(setdiff(order(priority[, s]), taken), 3)
    gain <- vapply(K[tried], function(K) sum(r * (K %*% solve(K + 6 * diag(60), r))), 0)
    taken <- c(taken, tried[which.max(gain)])
    expect_equal(fit$path$improvement[s], max(gain), tolerance = 1e-8)
    r <- 6 * solve(Reduce(`+`, K[taken]) + 6 * diag(60), y - mean(y))
  }
  expect_identical(unname(fit$order), taken)
  expect_identical(run(3)$path$kernel, fit$path$kernel)
  expect_identical(run(12)$path$kernel, run(NULL)$path$kernel)
  expect_s3_class(run(3, folds = 3), "mkl_gomp")
  x[, 1] <- 1 # a constant kernel is no candidate
  some <- suppressMessages(suppressWarnings(mkl_gomp(x, y, kernels, candidates = 4, max_kernels = 12,
                                                     normalize = "multiplicative",
                                                     control = mkl_control(progress = FALSE))))
  expect_lte(some$selected, 11)
  expect_error(run(0), "`candidates`", class = "manykernels_invalid_argument")
})

test_that("a path by a measure shows the measure, not its negative", {
  set.seed(1)
  fit <- mkl_gomp(iris[1:4], iris$Species, gaussian_kernel(c(1, 4)), folds = 3, measure = "accuracy", control = quiet())
  shown <- capture.output(print(fit, n = Inf))
  expect_match(shown, "training accuracy", all = FALSE)
  expect_match(shown, "validation accuracy", all = FALSE)
  expect_false(any(grepl("-0[.]", shown)))
  skip_if_not_installed("ggplot2")
  drawn <- ggplot2::autoplot(fit, "path")$data
  expect_setequal(drawn$panel, c("accuracy", "improvement"))
  expect_equal(drawn$y[drawn$line == "training accuracy"], -fit$path$training_error)
})

test_that("fits to labels are assessed as labels", {
  labels <- cbind(a = iris$Species == "setosa", b = iris$Petal.Width > 1.5)
  fit <- mkl_gomp(iris[1:4], labels, gaussian_kernel(c(1, 4)), control = quiet())
  found <- assess(fit, iris[1:4], labels, draws = 20)
  expect_equal(found$measures$estimate[found$measures$measure == "accuracy"], mean(fitted(fit) == labels))
  expect_named(found$confusion, c("a", "b"))
})
