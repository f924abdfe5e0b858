# Samples that lack a view: what they are taken for, against the plain definition; dropped or refused.

n <- 40
set.seed(3)
samples <- paste0("s", seq_len(n))
a <- matrix(rnorm(n * 3), n, dimnames = list(samples, paste0("a", 1:3)))
b <- matrix(rnorm(n * 5), n, dimnames = list(samples, paste0("b", 1:5)))
y <- factor(ifelse(unname(a[, 1] + b[, 2]) + rnorm(n, sd = 0.5) > 0, "p", "q"))
without <- c(2, 5, 20:27)
has <- !seq_len(n) %in% without
holes <- list(a = a, b = replace(b, cbind(rep(without, 5), rep(1:5, each = length(without))), NA))
k <- c(linear_kernel(), gaussian_kernel(c(4, 16)), polynomial_kernel(2))
exact <- mkl_control(tol = 1e-7)

quietly <- function(code) suppressMessages(code, "manykernels_message_missing_views")
fit_holes <- function(..., x = holes, missing_views = "neutral", control = exact) {
  quietly(mkl(x, ..., missing_views = missing_views, control = control))
}

# Kernel values between all samples of a view, and what is made of them by those that have it.
plain_kernels <- function(x) {
  d <- as.matrix(dist(x))^2
  list(tcrossprod(x), exp(-d / 4), exp(-d / 16), (tcrossprod(x) + 1)^2)
}

plain_neutral <- function(K, has, normalize) {
  mean <- rowMeans(K[, has])
  K <- (K - outer(mean, mean, "+") + mean(K[has, has])) * outer(has, has)
  own <- diag(K)[has]
  switch(normalize,
    multiplicative = K / mean(own), trace = K / sum(own), none = K,
    spherical = K / sqrt(outer(ifelse(has, diag(K), 1), ifelse(has, diag(K), 1)))
  )
}

plain_matrices <- function(normalize) {
  standard <- scale(holes$b)
  standard[is.na(standard)] <- 7 # whatever stands there doesn't matter
  c(lapply(plain_kernels(scale(a)), plain_neutral, rep(TRUE, n), normalize),
    lapply(plain_kernels(standard), plain_neutral, has, normalize))
}

test_that("a sample without a view is 0 in its kernels, whose constants are those of the others", {
  for (normalize in c("multiplicative", "spherical", "trace", "none")) {
    K <- plain_matrices(normalize)
    fit <- fit_holes(y, k, normalize = normalize)
    expect_identical(fit$normalize, c("centre", normalize))
    plain <- mkl(y = y, kernels = precomputed_kernel(lapply(K, function(one) (one + t(one)) / 2)),
                 normalize = "none", control = exact)
    expect_equal(fit$objective, plain$objective, tolerance = 1e-6)
    mixture <- Reduce(`+`, Map(`*`, K, fit$theta))
    decision <- as.vector(mixture %*% fit$alpha) + fit$offset
    expect_equal(unname(fit$decision), decision, tolerance = 1e-10)
    expect_equal(predict(fit, holes, "decision"), fit$decision, tolerance = 1e-10)
    expect_lte(duality_gap(fit, holes, y)$gap, 1e-7)
    new <- predict(fit, list(a = a[1:6, ]), "decision")
    first <- Reduce(`+`, Map(`*`, K[1:4], fit$theta[1:4]))
    expect_equal(unname(new), (as.vector(first %*% fit$alpha) + fit$offset)[1:6], tolerance = 1e-10)
  }
})

test_that("widths of default kernels and constants of columns come from those that have the view", {
  fit <- fit_holes(y)
  widths <- function(fit, view) {
    spec <- fit$kernels[[paste0(view, names(default_kernels(b[has, ]))[5])]]
    spec$parameters$width
  }
  expected <- default_kernels(b[has, ])
  own <- vapply(as.list(fit$kernels)[10:16], function(one) one$parameters$width, 0)
  expect_equal(own, vapply(as.list(expected)[-1], function(one) one$parameters$width, 0),
               ignore_attr = TRUE)
  expect_equal(fit$scaling$views$b$centre, colMeans(b[has, ]))
})

test_that("names that a view doesn't have are rows of NA", {
  reference <- fit_holes(y, k)
  named <- stats::setNames(y, samples)
  absent <- list(a = a, b = b[has, ])
  fit <- fit_holes(y, k, x = absent)
  expect_equal(fit$objective, reference$objective, tolerance = 1e-6)
  expect_named(fit$alpha, samples)
  shuffled <- suppressMessages(fit_holes(named, k, x = list(b = b[has, ][30:1, ], a = a)))
  expect_equal(shuffled$objective, reference$objective, tolerance = 1e-6)
  expect_equal(shuffled$decision[samples], reference$decision, tolerance = 1e-3)
  expect_message(fit_holes(y, k, x = list(a = a, b = b[has, ][30:1, ])),
                 class = "manykernels_message_row_order")
  expect_equal(predict(fit, absent, "decision"), fit$decision)
  expect_equal(predict(fit, list(a = a[1:3, ], b = b[3:4, ]), "decision"),
               predict(fit, list(a = rbind(a[1:3, ], s4 = NA), b = rbind(s1 = NA, s2 = NA, b[3:4, ])),
                       "decision"))
  expect_equal(duality_gap(fit, absent, named)$gap, fit$gap)
})

test_that("sparse views and data frames may lack samples, too", {
  reference <- fit_holes(y, k)
  frame <- list(a = a, b = as.data.frame(holes$b))
  expect_equal(fit_holes(y, k, x = frame)$objective, reference$objective, tolerance = 1e-6)
  sparse <- list(a = a, b = Matrix::Matrix(b * (b > 0), sparse = TRUE))
  dense <- list(a = a, b = as.matrix(sparse$b))
  sparse$b <- sparse$b[has, ]
  dense$b <- dense$b[has, ]
  fits <- lapply(list(sparse, dense), function(x) fit_holes(y, k, x = x, scale = FALSE))
  expect_equal(fits[[1]]$objective, fits[[2]]$objective, tolerance = 1e-6)
  expect_equal(predict(fits[[1]], sparse, "decision"), predict(fits[[2]], dense, "decision"),
               tolerance = 1e-3)
  frame$b$sex <- factor(rep(c("f", "m"), n / 2))
  frame$b$sex[without] <- NA
  expect_lte(fit_holes(y, k, x = frame)$gap, 1e-7)
})

test_that("samples may lack their sequence", {
  set.seed(5)
  text <- replicate(n, paste(sample(c("A", "C", "G", "T"), 30, TRUE), collapse = ""))
  names(text) <- samples
  kernels <- c(on_view(linear_kernel(), "a"), on_view(spectrum_kernel(2), "text"))
  fits <- lapply(list(list(a = a, text = replace(text, without, NA)), list(a = a, text = text[has])),
                 function(x) fit_holes(y, kernels, x = x))
  expect_equal(fits[[1]]$objective, fits[[2]]$objective, tolerance = 1e-6)
  expect_equal(predict(fits[[1]], list(a = a), "decision")[without], fits[[1]]$decision[without])
})

test_that("every kind of kernel, loss and machine has its certificate and predicts its training rows", {
  kinds <- c(locally_linear_kernel(gamma = 0.1), per_feature(linear_kernel()),
             locally_linear_kernel("linear", gamma = 0.1, componentwise = TRUE),
             function_kernel(function(X, Z) tcrossprod(X, Z)^2, "square"))
  expect_sound <- function(fit, y) {
    expect_equal(max(duality_gap(fit, holes, y)$gap), max(fit$gap), tolerance = 1e-3)
    expect_true(all(fit$gap <= 1e-3))
    expect_equal(predict(fit, holes, "decision"), fit$decision, tolerance = 1e-8)
  }
  rough <- mkl_control()
  expect_sound(fit_holes(y, kinds, control = rough), y)
  expect_length(fit_holes(y, locally_linear_kernel(gamma = 0.1), control = rough)$theta, n + sum(has))
  three <- factor(rep(c("u", "v", "w"), length.out = n))
  for (multiclass in c("ovr", "ovo", "shared", "joint")) {
    expect_sound(fit_holes(three, k, multiclass = multiclass, control = rough), three)
  }
  number <- a[, 1] + b[, 1]
  for (loss in c("squared", "epsilon_insensitive", "huber")) for (intercept in c(TRUE, FALSE)) {
    expect_sound(fit_holes(number, k, loss = loss, intercept = intercept, control = rough), number)
  }
  for (optimizer in c("wrapper", "newton", "cutting_plane", "level")) {
    expect_sound(fit_holes(y, k, control = mkl_control(optimizer = optimizer)), y)
  }
  saved <- tempfile()
  saveRDS(fit_holes(y, k), saved)
  expect_equal(predict(readRDS(saved), holes[1])[1:2], predict(fit_holes(y, k), holes[1])[1:2])
})

test_that("cross-validation fits each fold as a fit of its own would", {
  for (choice in c("neutral", "drop")) for (scale in c(TRUE, FALSE)) {
    kept <- if (choice == "drop") which(has) else seq_len(n)
    cv <- quietly(cv_mkl(holes, y, k, p = c(1, 2), C = c(0.1, 1), folds = rep(1:4, n / 4),
                         missing_views = choice, scale = scale, control = mkl_control(tol = 1e-6)))
    expect_identical(cv$n, length(kept))
    expect_setequal(cv$predictions$name, samples[kept])
    train <- cv$resamples[[1]]$train
    test <- cv$resamples[[1]]$test
    expect_true(all(c(train, test) %in% kept))
    rows <- function(i) lapply(holes, function(view) view[i, ])
    fit <- fit_holes(y[train], k, x = rows(train), p = cv$best$p, C = cv$best$C, scale = scale,
                     missing_views = choice)
    expect_equal(cv$predictions$decision[cv$predictions$fold == 1],
                 unname(predict(fit, rows(test), "decision")), tolerance = 1e-3)
    expect_identical(cv$fit$missing_views, choice)
    expect_length(predict(cv, holes), n)
    added <- quietly(drop_view(cv, holes, y, k))
    expect_identical(added$view, c("a", "b"))
  }
})

test_that("\"drop\" is a fit to the samples that have all views", {
  reference <- mkl(lapply(holes, function(view) view[has, ]), y[has], k, control = exact)
  named <- stats::setNames(y, samples)
  weights <- seq_len(n)
  for (x in list(holes, list(a = a, b = b[has, ]))) {
    fit <- fit_holes(named, k, x = x, missing_views = "drop")
    expect_equal(fit$objective, reference$objective, tolerance = 1e-6)
    expect_named(stats::na.action(fit), samples[without])
    expect_named(fitted(fit), samples[has])
    expect_equal(duality_gap(fit, x, named)$gap, fit$gap, tolerance = 1e-6)
    expect_equal(which(is.na(predict(fit, x))), stats::setNames(without, samples[without]))
  }
  weighted <- fit_holes(y, k, missing_views = "drop", weights = weights)
  expect_equal(weighted$weights, weights[has])
  # kernel matrices and a response that is missing there, too
  K <- tcrossprod(a)
  both <- fit_holes(replace(y, without, NA), c(k, precomputed_kernel(K)), missing_views = "drop")
  expect_equal(nobs(both), sum(has))
  one_class <- factor(ifelse(has, "in", "out"))
  expect_classed(quietly(mkl(holes, one_class, k, missing_views = "drop")), "one_class", "y")
})

test_that("a new sample without any view gets what all samples share", {
  fit <- fit_holes(y, k)
  new <- predict(fit, list(a = a[1:2, ] * NA, b = b[1:2, ] * NA), "decision")
  expect_equal(unname(new), rep(fit$offset, 2))
  some <- holes
  some$a[1, 2] <- NA
  expect_identical(unname(is.na(predict(fit, some))), seq_len(n) == 1)
})

# Of all models that take samples without a view: kernels as they should be, as matrices.
mixed <- on_view(c(linear_kernel(), gaussian_kernel(4)), c("a", "b"))
mixed_matrices <- function() {
  K <- plain_matrices("multiplicative")[c(1, 2, 5, 6)]
  precomputed_kernel(lapply(K, function(one) (one + t(one)) / 2))
}

test_that("paths, pursuits and dictionaries take them as mkl() does", {
  pursuit <- quietly(mkl_gomp(holes, y, mixed, lambda = 0.01, missing_views = "neutral"))
  plain <- mkl_gomp(y = y, kernels = mixed_matrices(), lambda = 0.01, normalize = "none")
  expect_identical(pursuit$order, plain$order)
  expect_equal(pursuit$path$objective, plain$path$objective, tolerance = 1e-10)
  expect_lt(max(pursuit$path$gap), 1e-10)
  expect_equal(predict(pursuit, holes, "decision"), predict(pursuit, type = "decision"))
  expect_equal(predict(pursuit, list(a = a), "decision")[without],
               predict(pursuit, type = "decision")[without])
  expect_lt(duality_gap(pursuit, holes, y)$gap, 1e-10)

  path <- quietly(mkl_path(holes, y, mixed, C = c(0.5, 2), missing_views = "neutral"))
  end <- fit_holes(y, mixed, C = 2)
  expect_equal(path$points$objective[nrow(path$points)], end$objective, tolerance = 1e-3)
  expect_equal(predict(path, holes, C = 1, type = "decision"),
               predict(path, C = 1, type = "decision"))
  expect_equal(predict(path, list(a = a), C = 1, type = "decision")[without],
               predict(path, C = 1, type = "decision")[without])

  reference <- fit_holes(y, mixed, p = 1)
  by_number <- kernel_dictionary(function(i) normalize_kernels(mixed[i], "multiplicative"), size = 4)
  for (dictionary in list(kernel_dictionary(mixed), by_number)) {
    fit <- quietly(mkl_sequential(holes, y, dictionary, missing_views = "neutral", control = exact))
    expect_equal(fit$objective, reference$objective, tolerance = 1e-6)
    expect_equal(predict(fit, list(a = a), "decision"), predict(reference, list(a = a), "decision"),
                 tolerance = 1e-3)
    expect_lte(duality_gap(fit, holes, y)$gap, 1e-6)
  }
  cv <- quietly(cv_mkl(holes, y, mixed, model = "mkl_gomp", lambda = c(0.01, 0.1), folds = 3,
                       missing_views = "neutral"))
  expect_equal(predict(cv, holes, "decision"), predict(cv$fit, holes, "decision"))
})

test_that("all of them drop samples, and say which", {
  complete <- list(a = a[has, ], b = b[has, ])
  of <- list(
    function(x, y, ...) mkl_gomp(x, y, mixed, ...),
    function(x, y, ...) mkl_path(x, y, mixed, C = c(0.5, 2), ...),
    function(x, y, ...) mkl_sequential(x, y, mixed, ...)
  )
  for (fit in of) {
    dropped <- quietly(fit(holes, y, missing_views = "drop"))
    expect_identical(unclass(dropped$na.action)[], stats::setNames(as.integer(without), samples[without]))
    expect_equal(dropped$objective, fit(complete, y[has])$objective)
    if (inherits(dropped, "mkl")) expect_equal(duality_gap(dropped, holes, y)$gap, dropped$gap)
  }
})

test_that("kernel matrices and default kernels know them", {
  K <- quietly(kernel_matrix(mixed, holes, normalize = "multiplicative", scale = TRUE,
                             missing_views = "neutral"))
  expect_equal(unname(K), unname(plain_matrices("multiplicative")[c(1, 2, 5, 6)]),
               tolerance = 1e-12, ignore_attr = TRUE)
  new <- quietly(kernel_matrix(mixed, holes, list(a = a[3:6, ]), normalize = "multiplicative",
                               scale = TRUE, missing_views = "neutral"))
  expect_equal(new[1:2], lapply(K[1:2], function(one) one[, 3:6]), tolerance = 1e-12)
  expect_true(all(unlist(new[3:4]) == 0))
  left <- quietly(kernel_matrix(mixed, holes, missing_views = "drop"))
  expect_equal(left[[3]], kernel_matrix(linear_kernel(), b[has, ]))
  expect_classed(kernel_matrix(mixed, holes), "missing_views", "x")
  own <- quietly(default_kernels(holes, missing_views = "neutral"))
  parameters <- function(kernels) lapply(as.list(kernels), `[[`, "parameters")
  expect_equal(unname(parameters(own)[9:16]), unname(parameters(default_kernels(b[has, ]))))
})

test_that("shares of levels are those among samples that have the view", {
  clinical <- data.frame(site = factor(rep(c("u", "v", "v", "w"), n / 4)), row.names = samples)
  kernels <- on_view(categorical_kernel(1), "clinical")
  for (choice in c("neutral", "drop")) {
    values <- quietly(kernel_matrix(kernels, list(a = a, clinical = clinical[has, , drop = FALSE]),
                                    missing_views = choice))
    site <- clinical$site[has]
    own <- outer(site, site, `==`) * (1 - as.vector(table(site)[site]) / sum(has))
    if (choice == "neutral") own <- plain_neutral(own, rep(TRUE, sum(has)), "none")
    expect_equal(unname(values[samples[has], samples[has]]), own, tolerance = 1e-12)
  }
})

test_that("functions and position by position kernels never see what a sample lacks", {
  set.seed(5)
  text <- stats::setNames(replicate(n, paste(sample(c("A", "C", "G", "T"), 12, TRUE), collapse = "")),
                          samples)
  cosine <- function(X, Z) tcrossprod(X / sqrt(rowSums(X^2)), Z / sqrt(rowSums(Z^2)))
  kernels <- c(on_view(linear_kernel(), "a"), on_view(function_kernel(cosine), "b"),
               on_view(weighted_degree_kernel(3), "text"))
  x <- c(holes, list(text = replace(text, 1:4, NA)))
  fit <- quietly(mkl(x, y, kernels, scale = FALSE, missing_views = "neutral"))
  expect_equal(predict(fit, x, "decision"), fit$decision)
  expect_true(all(is.finite(predict(fit, list(a = a), "decision"))))
})

test_that("what can't be done is an error that says so", {
  named <- stats::setNames(y, samples)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(holes, y, k)
    mkl(holes, y, k, missing_views = "impute")
    mkl(holes, kernels = k, missing_views = "neutral")
    mkl(list(a = a, b = b * NA), y, k, missing_views = "drop")
    mkl(list(a = replace(a, 1:2, NA), b = b), y, k, missing_views = "neutral")
    mkl(list(a = a[1:20, ], b = b[21:40, ]), named, k, missing_views = "neutral")
    mkl(list(a = a, b = unname(b[1:20, ])), named, k, missing_views = "neutral")
    mkl(list(b = b[1:20, ], a = a), y, k, missing_views = "neutral")
    mkl(list(a = a[c(1:5, 5), ], b = b), named, k, missing_views = "drop")
    cv_mkl(holes, y, model = "mllkm", missing_views = "neutral")
    mkl_gomp(holes, y, k)
    mkl_path(holes, y, k, missing_views = "none")
    predict(mkl(list(a = a, b = b), y, k), list(a = a))
  })
  for (some in list(list(a = a[-1, ], b = b), list(a = a[-1, ], b = b[-2, ]))) { # by their names
    expect_error(mkl(some, named, k), "common <- intersect", class = "manykernels_missing_views")
    expect_s3_class(quietly(mkl(some, named, k, missing_views = "drop")), "mkl")
  }
  nowhere <- lapply(list(a = a, b = b), function(view) replace(view, col(view) > 0 & row(view) == 3, NA))
  expect_classed(mkl(nowhere, y, k, missing_views = "neutral"), "missing_views", "x")
  apart <- list(a = replace(a, row(a) <= 20, NA), b = replace(b, row(b) > 20, NA))
  expect_classed(mkl(apart, y, k, missing_views = "drop"), "missing_views", "x")
  expect_message(mkl(holes, y, k, missing_views = "neutral"), "10 lack `b`",
                 class = "manykernels_message_missing_views")
  rare <- list(a = a, b = replace(b, row(b) > 5, NA))
  folds <- rep(1:2, c(5, 35))
  expect_message(
    cv <- suppressMessages(cv_mkl(rare, y, k, p = 2, C = 1, folds = folds, missing_views = "neutral",
                                  control = mkl_control(progress = FALSE)),
                           "manykernels_message_missing_views"),
    "all kernels of view `b` (fold 1)", fixed = TRUE, class = "manykernels_message_constant_kernels"
  )
  expect_identical(cv$by_fold$status, rep("converged", 2))
})

test_that("views that no active kernel uses still say which samples there are", {
  k <- on_view(linear_kernel(), c("a", "b"))
  y <- a[, 1] + a[, 2] > 0
  for (missing_views in c("neutral", "drop")) {
    fit <- suppressMessages(mkl(list(a = a, b = b), y, k, p = 1, C = 0.01, missing_views = missing_views))
    expect_equal(unname(fit$theta[2]), 0)
    some <- list(b = b[6:1, ], a = a[3:8, ])
    new <- suppressMessages(predict(fit, some, "decision"))
    expect_identical(names(new), names(suppressMessages(predict(fit, rev(some), "decision"))))
    expect_setequal(names(new), samples[1:8])
    expect_equal(new[samples[3:8]], predict(fit, some["a"], "decision")[samples[3:8]])
    lacking <- unname(new[samples[1:2]])
    expect_equal(lacking, if (missing_views == "drop") c(NA_real_, NA_real_) else rep(fit$offset, 2))
  }
  # the order is that of the first view, whichever kernels are active
  whole <- mkl(list(b = b, a = a), y, k, p = 1, C = 0.01)
  turned <- suppressMessages(predict(whole, list(b = b[9:1, ], a = a[1:9, ]), "decision"))
  expect_identical(names(turned), samples[9:1])
  expect_equal(turned, whole$decision[9:1])
})

test_that("the response of new samples needs names where no view has all of these", {
  fit <- quietly(mkl(list(a = a[-(1:5), ], b = b), setNames(y, samples), k, missing_views = "neutral"))
  new <- list(a = a[1:30, ], b = b[11:40, ])
  predicted <- predict(fit, new)
  expect_equal(assess(fit, new, setNames(y, samples))$measures$estimate[1],
               mean(predicted == y[match(names(predicted), samples)]))
  expect_error(assess(fit, new, y), "no view of `newdata` has all of them", class = "manykernels_sample_names")
  expect_error(permutation_importance(fit, new, y), class = "manykernels_sample_names")
  expect_equal(sum(assess(fit, list(a = a[1:30, ], b = b), setNames(y, samples))$confusion), n)
})
