# Standard columns: what is done to which columns, and that everything downstream knows.

cars <- as.matrix(mtcars[, -1])
widths <- gaussian_kernel(2^(1:5))
standard <- function(x) {
  left <- apply(x, 2, function(column) all(column %in% 0:1))
  z <- scale(x)
  z[, left] <- x[, left]
  z[, ]
}

test_that("a fit with standard columns is the fit to standardised data", {
  y <- factor(mtcars$mpg > 20)
  fit <- mkl(cars, y, widths)
  by_hand <- mkl(standard(cars), y, widths, scale = FALSE)
  expect_equal(fit$theta, by_hand$theta)
  expect_equal(fit$decision, by_hand$decision)
  expect_equal(predict(fit, cars, type = "decision"), fit$decision)
  expect_equal(predict(fit, cars[3, , drop = FALSE], type = "decision"), fit$decision[3])
  expect_equal(duality_gap(fit, cars, y)$gap, fit$gap)
  expect_equal(fit$scaling$views$x$centre[["hp"]], mean(mtcars$hp))
  expect_equal(fit$scaling$views$x$scale[["hp"]], sd(mtcars$hp))
  expect_null(fit$scaling$response)
})

test_that("units of the columns don't matter", {
  units <- c(1e-8, 1e3, 1, 1e6, 1, 1e-3, 1, 1, 1e150, 1e-200)
  other <- sweep(cars, 2, units, `*`)
  other[, "hp"] <- other[, "hp"] + 1e5
  expect_equal(unname(mkl(other, mtcars$mpg, widths)$decision),
               unname(mkl(cars, mtcars$mpg, widths)$decision), tolerance = 1e-5)
})

test_that("indicators and constant columns are not divided", {
  x <- cbind(cars, zero = 0, constant = 7.3, huge = 1e300, nearly = 1 + c(1e-17, rep(0, 31)))
  fit <- mkl(x, mtcars$mpg, widths)
  scaling <- fit$scaling$views$x
  expect_equal(unname(scaling$scale[c("vs", "am", "zero", "constant", "huge")]), rep(1, 5))
  expect_equal(unname(scaling$centre[c("vs", "am", "zero", "constant", "huge")]),
               c(0, 0, 0, 7.3, 1e300))
  same <- mkl(cars, mtcars$mpg, widths)
  expect_equal(fit$decision, same$decision)
})

test_that("formulas, data frames, matrices and sparse matrices are treated alike", {
  fits <- list(
    mkl(cars, mtcars$mpg, widths), mkl(mtcars[, -1], mtcars$mpg, widths),
    mkl(mpg ~ ., mtcars, kernels = widths), mkl(Matrix::Matrix(cars, sparse = TRUE), mtcars$mpg, widths)
  )
  for (fit in fits[-1]) {
    expect_equal(unname(fit$decision), unname(fits[[1]]$decision))
    expect_equal(fit$scaling$views$x$scale, fits[[1]]$scaling$views$x$scale)
  }
  expect_equal(unname(fits[[4]]$scaling$views$x$centre), rep(0, ncol(cars)))
  new <- mtcars[1:5, ]
  expect_equal(predict(fits[[3]], new), predict(fits[[1]], cars[1:5, ]))
  expect_equal(predict(fits[[4]], Matrix::Matrix(cars[1:5, ], sparse = TRUE)),
               predict(fits[[1]], cars[1:5, ]))
  frame <- data.frame(a = rnorm(20) * 100, f = gl(2, 10, labels = c("u", "v")), l = rep(c(TRUE, FALSE), 10))
  scaling <- mkl(frame, rnorm(20), linear_kernel())$scaling$views$x$scale
  expect_equal(scaling, c(a = sd(frame$a), fu = 1, fv = 1, l = 1))
})

test_that("a sparse column's deviation counts its zeros", {
  x <- matrix(0, 30, 3, dimnames = list(NULL, c("a", "b", "c")))
  x[c(1, 5, 9), 1] <- c(2, -1, 5)
  x[2:20, 2] <- 3
  x[, 3] <- seq_len(30)
  y <- rep(c(-1, 1, 2), 10)
  fit <- mkl(Matrix::Matrix(x, sparse = TRUE), y, linear_kernel())
  expect_equal(fit$scaling$views$x$scale, apply(x, 2, sd))
})

test_that("the response of a regression is standardised", {
  for (loss in list("squared", epsilon_loss(0.05), huber_loss(0.5))) {
    fit <- mkl(cars, mtcars$mpg, widths, loss = loss)
    by_hand <- mkl(cars, scale(mtcars$mpg)[, 1], widths, loss = loss)
    expect_equal(fit$alpha, by_hand$alpha)
    expect_equal(fit$objective, by_hand$objective)
    expect_equal(fit$decision, mean(mtcars$mpg) + sd(mtcars$mpg) * by_hand$decision)
    expect_equal(fitted(fit), predict(fit, cars))
    expect_equal(residuals(fit), setNames(mtcars$mpg, rownames(cars)) - fitted(fit))
    expect_equal(residuals(fit, "loss"), residuals(by_hand, "loss"))
    expect_equal(duality_gap(fit, cars, mtcars$mpg)$gap, fit$gap)
    expect_equal(fit$y, mtcars$mpg)
  }
})

test_that("the response's constants come from rows that count", {
  weights <- rep(c(1, 1, 0), length.out = 32)
  y <- mtcars$mpg
  y[weights == 0] <- 1e6
  fit <- mkl(cars, y, widths, weights = weights)
  expect_equal(fit$scaling$response, c(centre = mean(y[weights > 0]), scale = sd(y[weights > 0])))
  expect_equal(mkl(cars, rep(2, 32), widths, loss = epsilon_loss())$scaling$response,
               c(centre = 2, scale = 1))
})

test_that("one-class models are not centred", {
  fit <- mkl(cars, kernels = widths)
  expect_equal(unname(fit$scaling$views$x$centre), rep(0, ncol(cars)))
  expect_equal(fit$scaling$views$x$scale[["hp"]], sd(mtcars$hp))
  expect_equal(mkl(~ . - mpg, mtcars, kernels = widths)$decision, fit$decision)
})

test_that("views are chosen by name, columns by position", {
  views <- list(a = cars[, 1:5], b = cars[, 6:10])
  fit <- mkl(views, mtcars$mpg, widths, scale = c(b = FALSE, response = FALSE))
  expect_null(fit$scaling$views$b)
  expect_equal(fit$scaling$views$a$scale, apply(cars[, 1:5], 2, sd))
  expect_null(fit$scaling$response)
  expect_equal(predict(fit, views), fit$decision)
  some <- mkl(cars, mtcars$mpg, widths, scale = rep(c(TRUE, FALSE), 5))$scaling$views$x
  expect_equal(some$scale[["cyl"]], sd(mtcars$cyl))
  expect_equal(some$scale[["disp"]], 1)
  expect_equal(some$centre[["disp"]], 0)
  none <- mkl(cars, mtcars$mpg, widths, scale = FALSE)
  expect_null(none$scaling$views$x)
  expect_null(none$scaling$response)
})

test_that("other fits have standard columns, too", {
  y <- factor(mtcars$mpg > 20)
  z <- standard(cars)
  gomp <- mkl_gomp(cars, mtcars$mpg, widths)
  expect_equal(gomp$decision, mkl_gomp(z, mtcars$mpg, widths, scale = FALSE)$decision)
  expect_equal(predict(gomp, cars), gomp$decision)
  expect_equal(duality_gap(gomp, cars)$primal, gomp$primal)
  stream <- mkl_sequential(cars, y, widths)
  expect_equal(stream$decision, mkl_sequential(z, y, widths, scale = FALSE)$decision)
  expect_equal(predict(stream, cars, type = "decision"), stream$decision)
  expect_equal(duality_gap(stream, cars)$gap, stream$gap)
  sharp <- mkl_control(tol = 1e-9)
  local <- mllkm(cars, mtcars$mpg, gamma = 0.1, control = sharp)
  by_hand <- mllkm(z, scale(mtcars$mpg)[, 1], gamma = 0.1, scale = FALSE, control = sharp)
  expect_equal(local$decision, by_hand$decision * sd(mtcars$mpg) + mean(mtcars$mpg),
               tolerance = 1e-6)
  expect_equal(predict(local, cars), local$decision)
  expect_equal(local$anchors, cars[local$anchor_rows, ], ignore_attr = TRUE)
  expect_equal(duality_gap(local, cars)$gap, local$gap)
})

test_that("anchors are in the units of the data", {
  y <- factor(mtcars$mpg > 20)
  rows <- c(3, 20)
  z <- standard(cars)
  sharp <- mkl_control(tol = 1e-9) # constants by hand differ by rounding
  given <- mkl(cars, y, locally_linear_kernel(gamma = 0.1, anchors = cars[rows, ]), control = sharp)
  by_hand <- mkl(z, y, locally_linear_kernel(gamma = 0.1, anchors = z[rows, ]), scale = FALSE,
                 control = sharp)
  expect_equal(given$decision, by_hand$decision, tolerance = 1e-6)
  expect_equal(predict(given, cars, type = "decision"), given$decision)
  again <- mkl(cars, y, given$kernels, control = sharp)
  expect_equal(again$decision, given$decision)
  expect_error(kernel_matrix(given$kernels, cars), class = "manykernels_invalid_argument")
  expect_equal(kernel_matrix(given$kernels, cars, scale = TRUE),
               kernel_matrix(by_hand$kernels, z), ignore_attr = TRUE)
  local <- mllkm(cars, y, gamma = 0.1, anchors = cars[rows, ])
  expect_equal(local$anchors, cars[rows, ][local$anchor_rows, , drop = FALSE], ignore_attr = TRUE)
})

test_that("several classes, by formula, keep their constants", {
  fit <- mkl(Species ~ ., iris)
  expect_equal(fit$scaling$views$x$scale, apply(iris[1:4], 2, sd))
  expect_equal(predict(fit, iris[c(1, 60, 120), ], type = "decision"), fit$decision[c(1, 60, 120), ],
               ignore_attr = TRUE)
  expect_equal(duality_gap(fit, iris)$gap, fit$gap)
})

test_that("kernels without a fit take columns as they are unless told", {
  expect_equal(kernel_matrix(linear_kernel(), cars), tcrossprod(cars))
  expect_equal(kernel_matrix(linear_kernel(), cars, scale = TRUE), tcrossprod(standard(cars)))
  expect_equal(kernel_matrix(linear_kernel(), cars, cars[1:3, ], scale = TRUE),
               tcrossprod(standard(cars))[, 1:3])
  expect_equal(unclass(kernel_alignment(widths, cars, scale = TRUE)),
               unclass(kernel_alignment(widths, standard(cars))))
  expect_equal(default_kernels(cars), default_kernels(standard(cars), scale = FALSE))
  set.seed(1)
  one <- empirical_rademacher(widths, cars, p = 2, draws = 20, scale = TRUE)$value
  set.seed(1)
  expect_equal(one, empirical_rademacher(widths, standard(cars), p = 2, draws = 20)$value)
})

test_that("precomputed kernels have no columns to scale", {
  K <- kernel_matrix(gaussian_kernel(8), cars)
  fit <- mkl(NULL, mtcars$mpg, precomputed_kernel(K))
  expect_length(fit$scaling$views, 0)
  expect_equal(fit$scaling$response, c(centre = mean(mtcars$mpg), scale = sd(mtcars$mpg)))
  expect_equal(predict(fit, K), fit$decision)
})

test_that("a wrong scale is an error", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(cars, mtcars$mpg, scale = "yes")
    mkl(cars, mtcars$mpg, scale = NA)
    mkl(cars, mtcars$mpg, scale = c(TRUE, FALSE))
    mkl(cars, mtcars$mpg, scale = c(z = TRUE))
    mkl(list(a = cars, b = cars), mtcars$mpg, scale = c(TRUE, FALSE))
  })
})
