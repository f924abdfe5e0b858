# Locally linear machines on principal components, against those on the scores of prcomp().

slanted <- function(n = 60) {
  d <- judge_clouds(n)
  d$x <- d$x %*% matrix(c(2, 1, 0, 1, 2, 1, 0, 0.5, 1), 3) + 5
  colnames(d$x) <- c("u", "v", "w")
  d
}

rotated_fit <- function(x, y, ...) {
  mllkm(x, y, gamma = c(0.3, 1), C = 2, componentwise = TRUE, control = quiet(tol = 1e-6), ...)
}

test_that("a rotated fit is that on the scores of prcomp()", {
  d <- slanted()
  new <- slanted(25)$x + 0.1
  for (scale in c(TRUE, FALSE)) {
    axes <- stats::prcomp(d$x, scale. = scale)
    for (map in c("gaussian", "squared")) {
      fit <- rotated_fit(d$x, d$y, map = map, rotate = TRUE, scale = scale)
      other <- rotated_fit(axes$x, d$y, map = map, scale = FALSE)
      expect_equal(fit$objective, other$objective, tolerance = 1e-5)
      expect_equal(predict(fit, new, type = "decision"),
                   predict(other, predict(axes, new), type = "decision"), tolerance = 1e-3, ignore_attr = TRUE)
      expect_equal(abs(fit$scaling$views[[1]]$rotation), abs(unname(axes$rotation)), tolerance = 1e-8)
      # anchors are rows of the data
      expect_equal(fit$anchors, d$x[fit$anchor_rows, ], tolerance = 1e-8, ignore_attr = TRUE)
      expect_identical(colnames(fit$coefficients), c("PC1", "PC2", "PC3"))
      expect_lte(duality_gap(fit, d$x, d$y)$gap, 1e-5)
    }
  }
  plain <- rotated_fit(d$x, d$y, scale = FALSE)
  expect_gt(abs(plain$objective - rotated_fit(d$x, d$y, rotate = TRUE, scale = FALSE)$objective), 1e-3)
})

test_that("maps of distances don't change", {
  d <- slanted()
  plain <- mllkm(d$x, d$y, gamma = 0.3, control = quiet(tol = 1e-6))
  expect_equal(mllkm(d$x, d$y, gamma = 0.3, rotate = TRUE, control = quiet(tol = 1e-6))$objective, plain$objective,
               tolerance = 1e-5)
})

test_that("kernel_features() of a fit are its maps: their sum is its function", {
  d <- slanted()
  new <- slanted(10)$x + 0.3
  fit <- rotated_fit(d$x, d$y, rotate = TRUE)
  maps <- kernel_features(fit, new)
  expect_named(maps, names(fit$theta))
  value <- Reduce(`+`, lapply(seq_along(maps), function(m) maps[[m]] %*% fit$coefficients[m, ])) + fit$offset
  expect_equal(drop(value), predict(fit, new, type = "decision"), ignore_attr = TRUE)
  # the constructor's maps on the scores, up to the sign of each axis
  axes <- stats::prcomp(d$x, scale. = TRUE)
  row <- fit$anchor_rows[1]
  kernel <- locally_linear_kernel(fit$map[1], fit$gamma[1], TRUE, anchors = unname(axes$x[row, ]))
  expect_equal(abs(maps[[1]]), abs(kernel_features(kernel, unname(predict(axes, new)))), tolerance = 1e-7,
               ignore_attr = TRUE)
  several <- mllkm(Species ~ ., iris, gamma = 0.5, componentwise = TRUE, rotate = TRUE, control = quiet())
  found <- kernel_features(several, iris[1:4, ])
  expect_named(found, levels(iris$Species))
  expect_identical(dim(found[[2]][[1]]), c(4L, 4L))
})

test_that("axes are those of the training rows, in folds, files and importance", {
  d <- slanted()
  fold <- rep(1:2, each = 30)
  cv <- cv_mkl(d$x, d$y, model = "mllkm", gamma = 0.3, C = 2, componentwise = TRUE, rotate = TRUE, folds = fold,
               control = quiet())
  own <- mllkm(d$x[fold == 2, ], d$y[fold == 2], gamma = 0.3, C = 2, componentwise = TRUE, rotate = TRUE,
               control = quiet())
  held <- cv$predictions[cv$predictions$fold == 1, ]
  expect_equal(held$decision, predict(own, d$x[held$row, ], type = "decision"), tolerance = 1e-6,
               ignore_attr = TRUE)
  expect_false(is.null(cv$fit$scaling$views[[1]]$rotation))
  file <- withr::local_tempfile()
  write_model(own, file)
  expect_equal(predict(read_model(file), d$x, type = "decision"), predict(own, d$x, type = "decision"))
  # columns of the data are swapped, not axes: with maps of distances both fits are the same function
  importance <- function(rotate) {
    fit <- mllkm(d$x, d$y, gamma = 0.3, rotate = rotate, control = quiet(tol = 1e-8))
    set.seed(1)
    permutation_importance(fit, d$x, d$y, by = "feature", repeats = 3)$repeats
  }
  expect_equal(importance(TRUE), importance(FALSE))
  expect_output(print(own), "on principal axes")
})

test_that("what can't be rotated is refused", {
  d <- slanted(20)
  expect_classed(mllkm(Matrix::Matrix(d$x, sparse = TRUE), d$y, rotate = TRUE), "unsupported", "rotate")
  expect_classed(mllkm(d$x, d$y, rotate = NA), "invalid_argument", "rotate")
})
