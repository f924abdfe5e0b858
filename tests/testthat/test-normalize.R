test_that("choices have one form", {
  expect_identical(check_normalize("trace"), "trace")
  expect_identical(check_normalize("centre"), c("centre", "none"))
  expect_identical(check_normalize("center"), c("centre", "none"))
  expect_identical(check_normalize(c("spherical", "center")), c("centre", "spherical"))
  expect_snapshot(error = TRUE, {
    check_normalize("max")
    check_normalize(c("trace", "none"))
    check_normalize(c("centre", "max"))
    check_normalize(character())
    check_normalize(NULL)
    check_normalize(NA_character_)
    normalize_kernels(linear_kernel(), TRUE)
    normalize_kernels("linear", "trace")
  })
})

test_that("a kernel's own choice goes before the fit's", {
  k <- c(linear_kernel(), normalize_kernels(gaussian_kernel(1:2), c("centre", "trace")),
         normalize_kernels(linear_kernel(), "none"))
  expect_identical(normalize_codes(k, "multiplicative"),
                   list(centre = c(FALSE, TRUE, TRUE, FALSE), scaling = c(1L, 3L, 3L, 0L)))
  expect_identical(normalize_codes(k[1], c("centre", "spherical")),
                   list(centre = TRUE, scaling = 2L))
})

test_that("normalised matrices are as defined", {
  x <- as.matrix(iris[c(1:5, 51:55, 101:105), 1:4])
  z <- as.matrix(iris[c(6:8, 56:58), 1:4])
  k <- c(linear_kernel(), gaussian_kernel(3), polynomial_kernel(3))
  raw <- list(judge_linear, function(x, z = x) judge_gaussian(x, z, 3),
              function(x, z = x) judge_polynomial(x, z, 3))
  choices <- list("none", "multiplicative", "spherical", "trace")
  choices <- c(choices, lapply(choices, function(choice) c("centre", choice)))
  for (choice in choices) {
    train <- kernel_matrix(k, x, normalize = choice)
    new <- kernel_matrix(k, x, z, normalize = choice)
    for (m in seq_along(k)) {
      judge <- judge_normalize(raw[[m]](x), choice, raw[[m]](z, x), diag(raw[[m]](z)))
      expect_equal(train[[m]], judge$train, tolerance = 1e-10, ignore_attr = TRUE)
      expect_equal(t(new[[m]]), judge$new, tolerance = 1e-10, ignore_attr = TRUE)
    }
  }
})

test_that("the choice of a set is used by kernel_matrix", {
  x <- as.matrix(iris[1:10, 1:4])
  k <- c(normalize_kernels(linear_kernel(), "trace"), gaussian_kernel(1))
  K <- kernel_matrix(k, x, normalize = "multiplicative")
  expect_equal(sum(diag(K[[1]])), 1)
  expect_equal(mean(diag(K[[2]])) - mean(K[[2]]), 1)
})

test_that("kernels that can't be normalised are named", {
  x <- matrix(c(1, 1, 1, 2, 3, 5), 3, dimnames = list(NULL, c("a", "b")))
  k <- per_feature(linear_kernel())
  zero <- rbind(0, x)
  flat <- list(u = matrix(0, 3, 2), v = x)
  expect_snapshot(error = TRUE, {
    kernel_matrix(k, x, normalize = "multiplicative")
    kernel_matrix(k, x, normalize = c("centre", "multiplicative"))
    kernel_matrix(k, x, normalize = c("centre", "trace"))
    kernel_matrix(linear_kernel(), zero, normalize = "spherical")
    kernel_matrix(c(linear_kernel(), polynomial_kernel(2)), flat, normalize = "multiplicative")
  })
  expect_error(kernel_matrix(k, x, normalize = "multiplicative"),
               class = "manykernels_constant_kernel")
  expect_silent(kernel_matrix(k, x))
})

test_that("the message about a kernel without scale is true of its values", {
  x <- as.matrix(iris[1:20, 1:4])
  expect_snapshot(error = TRUE, {
    kernel_matrix(linear_kernel(), matrix(0, 3, 2))
    kernel_matrix(linear_kernel(), matrix(1, 3, 2), normalize = "centre")
    kernel_matrix(linear_kernel(), x + 1e9, normalize = "multiplicative")
    kernel_matrix(linear_kernel(), x * 1e-200, normalize = "multiplicative")
    kernel_matrix(linear_kernel(), x * 1e200, normalize = "multiplicative")
  })
  expect_warning(indefinite <- precomputed_kernel(matrix(c(0, 1, 1, 0), 2)))
  expect_snapshot(error = TRUE, kernel_matrix(indefinite, NULL, normalize = "multiplicative"))
})
