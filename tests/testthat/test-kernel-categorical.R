set.seed(1)
n <- 80
clinical <- data.frame(
  sex = factor(sample(c("f", "m"), n, TRUE)),
  stage = factor(sample(c("I", "II", "III", "IV"), n, TRUE), ordered = TRUE),
  age = rnorm(n), site = sample(letters[1:5], n, TRUE)
)
clinical$site[7] <- NA
clinical$stage[3] <- NA
y <- rowSums(cbind(clinical$sex == "f", clinical$stage >= "III", clinical$age > 0), na.rm = TRUE) > 1

# by the definition, of the levels and shares of `clinical`
plain_factor <- function(name, a, b, alpha) {
  u <- as.character(a[[name]])
  v <- as.character(b[[name]])
  if (name == "stage") {
    rank <- function(x) match(x, levels(clinical$stage))
    value <- 1 - abs(outer(rank(u), rank(v), `-`)) / 3
  } else {
    share <- table(clinical[[name]]) / n
    weight <- if (is.finite(alpha)) (1 - share[u]^alpha)^(1 / alpha) else 1 + 0 * share[u]
    value <- outer(u, v, `==`) * as.vector(weight)
  }
  replace(value, is.na(value), 0)
}
plain <- function(a, b, alpha = Inf, names = c("sex", "stage", "site")) {
  Reduce(`+`, lapply(names, plain_factor, a, b, alpha)) / length(names)
}
value <- function(...) unname(kernel_matrix(...))

test_that("tiny cases by hand", {
  x <- data.frame(a = factor(c("u", "v", "u")), b = factor(c("1", "2", "3"), ordered = TRUE))
  expect_equal(value(categorical_kernel(), x),
               rbind(c(2, 0.5, 1), c(0.5, 2, 0.5), c(1, 0.5, 2)) / 2)
  expect_equal(value(on_features(categorical_kernel(1), "a"), x),
               rbind(c(1, 0, 1), c(0, 2, 0), c(1, 0, 1)) / 3)
  one <- data.frame(a = factor(c("u", "u"), ordered = TRUE))
  expect_equal(value(categorical_kernel(), one), matrix(1, 2, 2))
})

test_that("values are those of the definition", {
  for (alpha in c(Inf, 1, 0.5, 3)) {
    expect_equal(value(categorical_kernel(alpha), clinical), plain(clinical, clinical, alpha))
  }
  each <- kernel_matrix(per_feature(categorical_kernel()), clinical)
  expect_named(each, paste0("categorical[", c("sex", "stage", "site"), "]"))
  for (name in c("sex", "stage", "site")) {
    expect_equal(unname(each[[paste0("categorical[", name, "]")]]),
                 plain(clinical, clinical, names = name))
  }
  expect_equal(value(on_features(categorical_kernel(), c("stage", "sex")), clinical),
               plain(clinical, clinical, names = c("sex", "stage")))
})

test_that("missing values and new levels are unlike all rows", {
  new <- clinical[1:6, ]
  new$site[1] <- "elsewhere"
  new$sex <- as.character(new$sex)
  new$sex[2] <- "other"
  new$stage[4] <- NA
  expect_equal(value(categorical_kernel(), clinical, new), plain(clinical, new))
  fit <- mkl(clinical, y, kernels = categorical_kernel())
  expect_length(predict(fit, new), 6)
  expect_false(anyNA(predict(fit, new)))
  numbers <- on_features(gaussian_kernel(2), "age")
  expect_length(predict(mkl(clinical, y, kernels = c(categorical_kernel(), numbers)), new), 6)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(clinical, y, kernels = c(categorical_kernel(), gaussian_kernel(1)))
    mkl(clinical, y, kernels = c(categorical_kernel(), on_features(linear_kernel(), "stageI")))
    predict(mkl(clinical[11:40, ], y[11:40], kernels = c(categorical_kernel(), linear_kernel())),
            data.frame(sex = "x", stage = "I", age = 0, site = "a"))
  })
})

test_that("fits are certified and predict by weights as by pairs", {
  kernels <- c(categorical_kernel(c(Inf, 1)), on_features(gaussian_kernel(2), "age"))
  for (normalize in list("multiplicative", "spherical", c("centre", "multiplicative"),
                         c("centre", "spherical"))) {
    fit <- mkl(clinical, y, kernels = kernels, normalize = normalize)
    expect_lt(fit$gap, 1e-3)
    expect_equal(duality_gap(fit, clinical, y)$gap, fit$gap, tolerance = 1e-6)
    expect_equal(predict(fit, clinical, type = "decision"), predict(fit, type = "decision"),
                 tolerance = 1e-10)
  }
  own <- mkl(clinical, y, kernels = categorical_kernel())
  given <- mkl(y = y, kernels = precomputed_kernel(plain(clinical, clinical)))
  expect_equal(own$objective, given$objective, tolerance = 2e-3)
  path <- tempfile()
  saveRDS(own, path)
  expect_identical(predict(readRDS(path), clinical), predict(own, clinical))
  expect_lt(mkl_gomp(clinical, y, kernels)$gap, 1e-3)
})

test_that("kernels of factors stand on the views that have some", {
  x <- list(clinical = clinical, numbers = matrix(rnorm(3 * n), n))
  expect_identical(kernel_weights(mkl(x, y, kernels = categorical_kernel()))$view, "clinical")
  two <- mkl(x, y, kernels = c(categorical_kernel(), on_view(gaussian_kernel(3), "numbers")))
  expect_identical(kernel_weights(two)$kernel, c("clinical:categorical", "numbers:gaussian(width=3)"))
})

test_that("folds leave levels out without harm", {
  x <- clinical
  x$site[10] <- "once"
  cv <- cv_mkl(x, y, categorical_kernel(), p = 1, C = c(0.1, 1), folds = rep(1:4, 20))
  expect_true(all(is.finite(cv$results$mean)))
})

test_that("shares of levels are those of the training rows of each fold, by hand", {
  folds <- rep(1:4, 20)
  tight <- mkl_control(tol = 1e-8)
  kernels <- c(categorical_kernel(c(0.5, 1)), on_features(gaussian_kernel(2), "age"))
  sets <- list(all = kernels, some = categorical_kernel(0.5))
  for (scale in c(TRUE, FALSE)) for (tried in list(kernels, sets)) {
    cv <- cv_mkl(clinical, y, tried, p = 2, C = 1, folds = folds, scale = scale, control = tight)
    chosen <- if (is.null(cv$best$set)) tried else tried[[cv$best$set]]
    for (fold in 1:2) {
      out <- folds == fold
      fit <- mkl(clinical[!out, ], y[!out], chosen, p = 2, C = 1, scale = scale, control = tight)
      expect_equal(cv$predictions$decision[cv$predictions$fold == fold],
                   unname(predict(fit, clinical[out, ], type = "decision")), tolerance = 1e-5)
    }
  }
})

test_that("several kernel sets let values be missing as one does", {
  set.seed(3)
  sets <- list(a = categorical_kernel(), b = categorical_kernel(1))
  cv <- cv_mkl(clinical, y, sets, p = 1, C = 1, folds = 3)
  expect_false(anyNA(cv$results$mean))
  views <- list(c = clinical[c("sex", "site")], z = clinical["age"])
  set <- c(on_view(categorical_kernel(), "c"), on_view(gaussian_kernel(1), "z"))
  cv <- cv_mkl(views, y, set, p = 1, C = 1, folds = 3)
  expect_identical(drop_view(cv, views, y, set)$view, c("c", "z"))
})

test_that("sets show and refuse as others do", {
  expect_snapshot({
    c(categorical_kernel(c(Inf, 0.5)), on_features(categorical_kernel(), "sex"))
    kernel_weights(mkl(clinical, y, kernels = categorical_kernel()))[c("kernel", "features")]
  })
  expect_length(unique(rep(categorical_kernel(), 2)), 1)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    categorical_kernel(0)
    categorical_kernel("1")
    mkl(matrix(rnorm(n), n), y, kernels = categorical_kernel())
    mkl(y ~ sex, clinical, kernels = categorical_kernel())
    mkl(clinical, y, kernels = on_features(categorical_kernel(), "age"))
    mkl(clinical, y, kernels = on_features(categorical_kernel(), 1))
    mkl_sequential(clinical[-c(3, 7), ], y[-c(3, 7)], kernel_dictionary(categorical_kernel(), list(1)))
  })
  made <- unclass(categorical_kernel())
  made$parameters <- list(list(alpha = -1))
  expect_error(kernel_matrix(structure(made, class = "kernel_set"), clinical),
               class = "manykernels_invalid_argument")
})
