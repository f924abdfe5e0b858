x <- as.matrix(iris[51:150, 1:4])
y <- droplevels(iris$Species[51:150])
quiet <- mkl_control(progress = FALSE)
sets <- list(petal = c("Petal.Length", "Petal.Width"), sepal = c("Sepal.Length", "Sepal.Width"))
views <- list(a = x, b = x[, 3:4])
kernels <- c(on_view(on_features(gaussian_kernel(c(1, 4)), sets), "a"), on_view(linear_kernel(), "b"))

test_that("sums by view and by set are those of the kernels' weights and shares", {
  fit <- mkl(views, y, kernels, p = 1.5, control = quiet)
  weights <- kernel_weights(fit)
  by_set <- kernel_weights(fit, by = "set")
  expect_identical(by_set$set, c("petal", "sepal", "all columns"))
  expect_identical(by_set$view, c("a", "a", "b"))
  expect_identical(by_set$kernels, c(2L, 2L, 1L))
  of <- grepl("petal", weights$kernel)
  expect_equal(by_set$theta[1], sum(weights$theta[of]))
  expect_equal(by_set$share[1], sum(weights$share[of]))
  by_view <- kernel_weights(fit, by = "view", sort = TRUE)
  expect_equal(sum(by_view$share), 1)
  expect_false(is.unsorted(-by_view$share))
  expect_equal(by_view$share[by_view$view == "a"], sum(weights$share[weights$view == "a"]))
  expect_equal(summary(fit)$views$share, kernel_weights(fit, by = "view")$share)
  expect_error(kernel_weights(fit, by = "type"), class = "manykernels_invalid_argument")
})

test_that("columns of per_feature() and precomputed kernels are sets of their own", {
  fit <- mkl(x, y, c(per_feature(gaussian_kernel(c(1, 4))), precomputed_kernel(tcrossprod(x))),
             control = quiet)
  by_set <- kernel_weights(fit, by = "set")
  expect_identical(by_set$set, c(colnames(x), "precomputed"))
  expect_identical(by_set$kernels, c(2L, 2L, 2L, 2L, 1L))
})

test_that("several classes have sums for each model", {
  fit <- mkl(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(1, 4))), control = quiet)
  sums <- kernel_weights(fit, by = "view")
  expect_identical(sums$model, levels(iris$Species))
  expect_equal(sums$share, rep(1, 3))
  path <- mkl_path(x, y, gaussian_kernel(c(1, 4)), C = c(0.1, 1), tol = 0.2)
  expect_equal(kernel_weights(path, C = 0.5, by = "view")$share, 1)
})

test_that("tidy(), glance() and augment() say what the fit says", {
  skip_if_not_installed("generics")
  fit <- mkl(views, y, kernels, p = 1.5, C = 2, loss = "logistic", control = quiet)
  weights <- kernel_weights(fit)
  tidied <- generics::tidy(fit)
  expect_equal(tidied$weight, weights$theta)
  expect_equal(tidied$share, weights$share)
  expect_equal(as.data.frame(generics::tidy(fit, "support")), support(fit))
  expect_equal(generics::tidy(fit, by = "set")$share,
               kernel_weights(fit, by = "set", sort = TRUE)$share)
  glance <- generics::glance(fit)
  expect_identical(unlist(glance[c("n", "M", "C", "p")], use.names = FALSE), c(100, 5, 2, 1.5))
  expect_identical(glance$gap, fit$gap)
  expect_identical(glance$support_vectors, length(fit$support))
  expect_identical(glance$training_error, mean(fitted(fit) != y))
  new <- generics::augment(fit, newdata = lapply(views, head, 3))
  expect_identical(names(new), c(".pred_class", ".pred_versicolor", ".pred_virginica", ".decision"))
  own <- generics::augment(fit, data = x)
  expect_identical(own$.rownames, rownames(x))
  expect_identical(own$.decision, unname(fit$decision))
})

test_that("training rows that a formula left out are there with NA", {
  skip_if_not_installed("generics")
  data <- iris[1:100, ]
  data$Sepal.Width[7] <- NA
  fit <- mkl(Sepal.Length ~ ., data, kernels = gaussian_kernel(4), subset = -(1:2), control = quiet)
  own <- generics::augment(fit, data = data)
  expect_identical(which(is.na(own$.fitted)), c(1L, 2L, 7L))
  expect_equal(own$.resid[-c(1, 2, 7)], unname(residuals(fit)))
  expect_identical(nrow(generics::augment(fit)), 97L)
  expect_identical(generics::augment(fit, newdata = data)$.fitted, unname(predict(fit, data)))
  expect_error(generics::augment(fit, data = data[-(1:9), ]), class = "manykernels_length")
  expect_error(generics::augment(fit, data, data), class = "manykernels_invalid_argument")
})

test_that("cross-validations give their predictions out of fold", {
  skip_if_not_installed("generics")
  set.seed(1)
  cv <- cv_mkl(x, y, gaussian_kernel(c(1, 4)), p = 2, C = c(0.1, 1), folds = 4, repeats = 2,
               control = quiet)
  own <- generics::augment(cv, data = x)
  expect_identical(own$.row, rep(1:100, 2))
  expect_equal(own$Petal.Width, rep(x[, "Petal.Width"], 2), ignore_attr = TRUE)
  found <- cv$predictions[order(cv$predictions[["repeat"]], cv$predictions$row), ]
  expect_identical(own$.decision, found$decision)
  expect_identical(sum(generics::tidy(cv)$chosen), 1L)
  expect_equal(generics::glance(cv)$estimate, cv$results$mean[cv$best_row])
  expect_equal(nrow(generics::tidy(cv, "kernels")), 2)
})

test_that("bounds, alignments and stability are tables", {
  skip_if_not_installed("generics")
  bound <- rademacher_bound(c(1, 2, Inf), M = 50, n = 1000, R = 1)
  expect_equal(generics::tidy(bound)$value, bound$value)
  expect_equal(generics::glance(bound)$value, min(bound$value))
  alignment <- kernel_alignment(gaussian_kernel(c(1, 4)), x, y)
  expect_equal(generics::tidy(alignment)$alignment, c(alignment, attr(alignment, "response")),
               ignore_attr = TRUE)
  set.seed(1)
  cv <- cv_mkl(x, y, gaussian_kernel(c(1, 4)), p = 2, C = 1, folds = 3, control = quiet)
  stability <- kernel_stability(cv)
  expect_equal(as.data.frame(generics::tidy(stability)), stability$kernels)
  expect_identical(generics::glance(stability)$resamples, 3L)
})
