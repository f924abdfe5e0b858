# A column that never varied in training and does in new data is warned about, once for a call.

set.seed(5)
n <- 30L
plain <- cbind(matrix(rnorm(n * 3), n, dimnames = list(NULL, c("a", "b", "c"))), flat = 5)
y <- plain[, 1] + rnorm(n) / 3
moved <- replace(plain[1:4, ], cbind(2, 4), 6)

warned <- function(expr) {
  found <- list()
  withCallingHandlers(expr, manykernels_warning_constant_column = function(w) {
    found <<- c(found, list(w))
    invokeRestart("muffleWarning")
  })
  found
}

test_that("every fit warns once, and names the column", {
  fits <- list(
    mkl(plain, y), mkl(plain, y, scale = FALSE), mkl(plain, y, linear_kernel()),
    mkl(plain, cut(y, 3, labels = FALSE), type = "classification", multiclass = "ovo"),
    mkl(Matrix::Matrix(round(plain), sparse = TRUE), y), mkl(y ~ ., data.frame(plain)),
    mkl_gomp(plain, y), mllkm(plain, y), mkl_sequential(plain, y, gaussian_kernel(4)),
    cv_mkl(plain, y, p = 2, C = 1, folds = 2)
  )
  for (fit in fits) {
    one <- warned(predict(fit, data.frame(moved)))
    expect_length(one, 1)
    expect_match(conditionMessage(one[[1]]), "`newdata` has other values in `flat` than training")
    expect_identical(one[[1]]$value, "flat")
    expect_length(warned(predict(fit, data.frame(plain))), 0)
  }
  path <- mkl_path(plain, y, gaussian_kernel(4), C = c(0.5, 2), tol = 0.1)
  expect_length(warned(predict(path, moved, C = 1)), 1)
})

test_that("views, levels without cases and columns without names are told apart", {
  views <- list(u = plain[, 1:2], v = data.frame(z = plain[, 3], g = factor(rep("x", n), c("x", "y"))))
  fit <- mkl(views, y)
  new <- lapply(views, head, 3)
  expect_length(warned(predict(fit, new)), 0)
  new$v$g[2] <- "y"
  expect_match(conditionMessage(warned(predict(fit, new))[[1]]), "`newdata\\$v`.*`gx`, `gy`")
  both <- warned(predict(mkl(list(u = plain, v = plain), y), list(u = moved, v = moved)))
  expect_length(both, 1)
  expect_match(conditionMessage(both[[1]]), "`newdata` has other values in `u$flat`, `v$flat` than", fixed = TRUE)
  fit <- mkl(unname(plain), y)
  expect_match(conditionMessage(warned(predict(fit, unname(moved)))[[1]]), "`column 4`")
})

test_that("columns that no kernel reads, missing values and held-out rows are no reason", {
  fit <- mkl(plain, y, on_features(gaussian_kernel(4), c("a", "b")))
  expect_length(warned(predict(fit, moved)), 0)
  fit <- mkl(plain, y)
  expect_length(warned(predict(fit, replace(moved, cbind(2, 4), NA))), 0)
  rare <- replace(plain, cbind(3, 4), 6)
  expect_length(warned(cv_mkl(rare, y, model = "mllkm", C = 1, folds = rep(1:3, 10))), 0)
})

# ---- formulas and data frames agree --------------------------------------------------------------

test_that("levels without rows are predicted, with a warning, by formulas and data frames alike", {
  table <- data.frame(z = plain[, 1], g = factor(rep(c("u", "v"), n / 2), c("u", "v", "w")), y = y)
  before <- transform(table, g = factor(g, c("w", "u", "v")))
  for (d in list(table, before)) {
    new <- d[1:3, ]
    new$g[2] <- "w"
    by_formula <- list(mkl(y ~ z + g, d), mkl_gomp(y ~ z + g, d), mllkm(y ~ z + g, d),
                       cv_mkl(y ~ z + g, d, p = 2, C = 1, folds = 2), mkl_sequential(y ~ z + g, d, dictionary = gaussian_kernel(2)))
    for (fit in by_formula) {
      found <- warned(value <- predict(fit, new))
      expect_length(found, 1)
      expect_match(conditionMessage(found[[1]]), "`gw`", fixed = TRUE)
      expect_false(anyNA(value))
      expect_length(warned(predict(fit, d[1:3, ])), 0)
    }
    expect_length(warned(predict(mkl(d[1:2], y), new)), 1)
  }
  # what contrasts say is left as it is
  sums <- mkl(y ~ z + g, table, contrasts = list(g = "contr.sum"))
  expect_identical(variable.names(sums), c("z", "g1", "g2"))
})

test_that("a factor or text of one level is a constant column, and a message names it", {
  d <- data.frame(z = plain[, 1], one = factor(rep("k", n)), text = "t", y = y)
  for (f in list(mkl, mkl_gomp, mllkm, function(...) cv_mkl(..., p = 2, C = 1, folds = 2))) {
    expect_message(fit <- f(y ~ z + one + text, d), "Leave out `one`, `text`, as in",
                   class = "manykernels_message_constant_column")
    plain_fit <- suppressMessages(f(y ~ z, d))
    expect_identical(variable.names(fit), c("z", "one", "text"))
    if (!inherits(fit, "cv_mkl")) {
      expect_equal(predict(fit, d[1:5, ]), predict(plain_fit, d[1:5, ]), tolerance = 0.02)
    }
    new <- d[1:3, ]
    new$one <- "m"
    expect_error(predict(fit, new), "did not have: `m`", class = "manykernels_error")
    new$one <- d$one[c(1, NA, 1)]
    expect_identical(is.na(unname(predict(fit, new))), c(FALSE, TRUE, FALSE))
  }
  # the advice
  expect_no_message(mkl(y ~ . - one - text, d))
  skip_if_not_installed("mlbench")
  data("Ionosphere", package = "mlbench", envir = environment())
  expect_message(cv <- cv_mkl(Class ~ ., Ionosphere, linear_kernel(), p = 2, C = 1, folds = 2), "`V2`")
  expect_gt(cv$results$mean, 0.8)
})
