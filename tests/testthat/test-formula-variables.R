# Which variables of a formula are predictors, and where their values come from.

set.seed(6)
n <- 40L
d <- data.frame(a = rnorm(n), b = rnorm(n), patient = rep(paste0("p", 1:8), 5), number = rep(1:8, 5))
d$y <- d$a + rnorm(n) / 3
k <- linear_kernel()

test_that("a number that is measured once in each group is no group", {
  set.seed(1)
  group <- rep(1:20, each = 3)
  d <- data.frame(base = rnorm(20)[group], other = rnorm(60))
  y <- factor(rep(1:2, 30))
  expect_no_warning(cv_mkl(d, y, gaussian_kernel(2), p = 2, C = 1, group = group, folds = 2, control = quiet()))
  d$base <- round(1000 * d$base)
  expect_warning(cv_mkl(d, y, gaussian_kernel(2), p = 2, C = 1, group = group, folds = 2, control = quiet()),
                 class = "manykernels_warning_predictor")
})

test_that("what goes with the rows and is a predictor, too, is warned about", {
  skip_unless_slow()
  warned <- function(expr, what, name) {
    expect_warning(expr, sprintf("`%s` is a predictor, too: leave `%s` out", what, name),
                   class = "manykernels_warning_predictor")
  }
  warned(cv_mkl(y ~ a + b + patient, d, k, p = 2, C = 1, group = patient), "group", "patient")
  warned(cv_mkl(y ~ . - number, d, k, p = 2, C = 1, group = d$patient), "group", "patient")
  warned(cv_mkl(y ~ . - patient, d, k, p = 2, C = 1, group = number, subset = a < 1), "group",
         "number")
  warned(cv_mkl(y ~ . - patient, d, k, p = 2, C = 1, folds = number), "folds", "number")
  warned(cv_mkl(d[c("a", "patient")], d$y, k, p = 2, C = 1, group = d$patient), "group", "patient")
  warned(cv_mkl(list(u = d["a"], v = d[c("b", "patient")]), d$y, k, p = 2, C = 1, group = d$patient),
         "group", "patient")
  warned(cv_mkl(as.matrix(d[c("a", "number")]), d$y, k, p = 2, C = 1, group = d$number), "group",
         "number")
  warned(cv_mkl(Matrix::Matrix(as.matrix(d[c("a", "number")]), sparse = TRUE), d$y, k, p = 2, C = 1, group = d$number),
         "group", "number")
  warned(mkl(y ~ . - patient, d, weights = number), "weights", "number")
  prob <- mkl_control(probability = TRUE)
  d$z <- factor(d$y > 0)
  warned(mkl(z ~ . - y - number, d, group = patient, control = prob), "group", "patient")
  warned(mllkm(d[c("a", "patient")], d$z, group = d$number, control = prob), "group", "patient") # the same groups
  warned(mkl_gomp(as.matrix(d[c("a", "number")]), d$y, group = d$patient, folds = 4), "group", "number")
  warned(mkl_sequential(z ~ a + number, d, dictionary = k, group = factor(patient), control = prob), "group", "number")
  d$z <- NULL
  expect_silent(cv <- cv_mkl(y ~ . - patient - number, d, k, p = 2, C = 1, group = patient, folds = 4))
  # the advice holds in prediction, too: nothing asks for what was left out
  expect_identical(predict(cv, d[c("a", "b")]), predict(cv, d))
  expect_equal(fitted(cv$fit), fitted(mkl(y ~ a + b, d, linear_kernel(), p = 2, C = 1)))
})

test_that("a response among the data is warned about", {
  d$class <- factor(d$y > 0)
  numbers <- as.matrix(d[c("a", "b", "y")])
  warned <- function(expr, name) {
    expect_warning(expr, sprintf("`y` is a predictor, too: leave `%s` out", name), class = "manykernels_warning_predictor")
  }
  warned(mkl(d[c("a", "class")], d$class, k), "class")
  warned(mkl(numbers, d$y, k), "y")
  warned(mkl(list(u = d["a"], v = numbers[, 2:3]), d$y, k), "y")
  warned(mkl(Matrix::Matrix(numbers, sparse = TRUE), d$y, k), "y")
  warned(cv_mkl(numbers, d$y, k, p = 2, C = 1, folds = 3), "y")
  warned(mkl_gomp(numbers, d$y, k), "y")
  warned(mkl_path(numbers, d$y, k, C = c(0.1, 1)), "y")
  warned(mkl_sequential(numbers, d$y, dictionary = k), "y")
  warned(mllkm(d[c("a", "class")], d$class), "class")
  for (y in list(d$y, d$class, cbind(d$y, d$a))) expect_no_warning(mkl(as.matrix(d[c("a", "b")]), y, k))
})

test_that("an identifier that the formula takes out is none", {
  d$id <- paste0("row", seq_len(n))
  expect_error(mkl(y ~ ., d), class = "manykernels_identifier")
  fit <- mkl(y ~ poly(a, 2) + . - a - id - patient - number, d)
  plain <- mkl(y ~ poly(a, 2) + b, d)
  expect_equal(predict(fit, d[5:9, c("a", "b")]), predict(plain, d[5:9, ]))
})

test_that("variables and functions of the workspace are found, and not taken for new data", {
  plain <- mkl(y ~ a + b, d)
  for (fit in list(mkl(d$y ~ d$a + d$b), mkl(d[["y"]] ~ d[["a"]] + d$b), mkl(y ~ d$a + d$b, d))) {
    expect_equal(unname(fitted(fit)), unname(fitted(plain)))
    expect_error(predict(fit, d), "names of columns alone.*new values in .newdata. would be ignored", class = "manykernels_missing_columns")
    expect_lt(duality_gap(fit, d, d$y)$gap, 1e-3)
  }
  fit <- mkl(datasets::mtcars$mpg ~ datasets::mtcars$wt)
  expect_error(predict(fit, mtcars), class = "manykernels_missing_columns")
  expect_identical(cv_mkl(d$y ~ d$a, p = 2, C = 1, folds = 2)$measure, "rmse")
  a <- d$a
  y <- d$y
  expect_equal(unname(predict(mkl(y ~ a), data.frame(a = d$a[1:3]))),
               unname(predict(mkl(y ~ a, d), d[1:3, ])))
  square <- function(v) v^2
  power <- 3
  fit <- mkl(y ~ square(a) + I(b^power), d)
  other <- mkl(cbind(d$a^2, d$b^3), d$y)
  expect_equal(unname(predict(fit, d[1:5, ])), unname(predict(other, cbind(d$a^2, d$b^3)[1:5, ])))
})

test_that("columns of another kind in new data are told the way to the old one", {
  d$flag <- d$b > 0
  d$group <- ifelse(d$b > 1, "u", "v")
  fit <- mkl(y ~ a + flag + group, d, k)
  cv <- cv_mkl(y ~ a + flag + group, d, k, p = 2, C = 1, folds = 3)
  refused <- function(text, ...) {
    for (model in list(fit, cv)) {
      expect_error(predict(model, transform(d, ...)), text, class = "manykernels_invalid_argument", fixed = TRUE)
    }
    expect_error(duality_gap(fit, transform(d, ...), d$y), gsub("newdata", "x", text), fixed = TRUE)
  }
  refused("`newdata$flag` must be TRUE and FALSE, as in training, as by `newdata$flag == \"yes\"`",
          flag = ifelse(flag, "yes", "no"))
  refused("as by `as.logical(newdata$flag)`", flag = factor(flag))
  refused("as by `newdata$flag != 0`", flag = as.numeric(flag))
  refused("must be numbers, as in training, as by `as.numeric(as.character(newdata$a))`", a = as.character(a))
  refused("`newdata$group` must be a factor or text, as in training, such as \"u\"", group = 1)
  expect_equal(predict(fit, transform(d, group = factor(group))), predict(fit, d))
})

test_that("names of columns in quotes are told the way to the column", {
  names(d)[names(d) == "number"] <- "my number"
  quoted <- function(expr) {
    expect_error(expr, "without quotes, as in `.* = `my number``", class = "manykernels_invalid_argument")
  }
  quoted(mkl(y ~ a, d, k, weights = "my number"))
  quoted(mkl(y ~ a, d, k, group = "my number"))
  quoted(cv_mkl(y ~ a, d, k, folds = "my number"))
  quoted(cv_mkl(y ~ a, d, k, group = "my number"))
})

test_that("an offset is an error where a variable is taken out, too", {
  expect_error(mkl(y ~ a + b + offset(number) - b, d), "offset", class = "manykernels_unsupported")
})

test_that("names that are no words work as in lm()", {
  plain <- data.frame(a = d$a, b = d$b, f = factor(rep(c("l-1 x", "m", "2"), length.out = n)), w = d$number, y = d$y)
  odd <- stats::setNames(plain, c("HLA-A", "my b", "2 f", "the w", "the y"))
  same <- function(formula, plain_formula, columns) {
    fit <- mkl(formula, odd, k)
    expect_identical(variable.names(fit), columns)
    expect_equal(predict(fit, odd), predict(mkl(plain_formula, plain, k), plain))
  }
  f <- c("2 fl-1 x", "2 fm")
  same(`the y` ~ . - `the w`, y ~ a + b + f, c("HLA-A", "my b", f))
  same(`the y` ~ `HLA-A` * `my b`, y ~ a * b, c("HLA-A", "my b", "HLA-A:my b"))
  same(`the y` ~ poly(`HLA-A`, 2) + `2 f`, y ~ poly(a, 2) + f, c(paste0("poly(`HLA-A`, 2)", 1:2), f))
  same(exp(`the y`) ~ `2 f`:`my b` - `HLA-A`, exp(y) ~ f:b, paste0(c("2 f2", f), ":my b"))
  above <- mkl(`the y` ~ `HLA-A`, odd, k, weights = `the w`, subset = `my b` > 0)
  expect_equal(above$decision, mkl(y ~ a, plain, k, weights = w, subset = b > 0)$decision)
  expect_output(print(above), "weights = `the w`", fixed = TRUE)
  expect_warning(mkl(`the y` ~ `the w` + `my b`, odd, k, weights = `the w`), "`y ~ . - `the w``", fixed = TRUE,
                 class = "manykernels_warning_predictor")
  expect_error(predict(above, odd["my b"]), "`HLA-A`", class = "manykernels_missing_columns")
  fit <- mkl_gomp(cbind(`the y`, `the w`) ~ `HLA-A` + `2 f`, odd, kernels = k)
  expect_identical(colnames(predict(fit, odd)), c("the y", "the w"))
  cv <- cv_mkl(`the y` ~ `HLA-A` + `2 f`, odd, k, p = 2, C = 1, folds = 3, group = `the w`)
  expect_true(all(is.finite(assess(cv, odd, draws = 2)$measures$estimate)))
  expect_setequal(permutation_importance(cv, odd, by = "feature", repeats = 2)$importance$feature, c("HLA-A", "2 f"))
  file <- tempfile(fileext = ".json")
  write_model(cv$fit, file)
  expect_equal(predict(read_model(file), odd), predict(cv, odd))
})

test_that("new data may have the response in another form", {
  fit <- mkl(am ~ hp + wt, transform(mtcars, am = factor(am)), gaussian_kernel(4), control = quiet())
  expect_identical(predict(fit, mtcars), predict(fit, mtcars[c("hp", "wt")]))
  expect_equal(sum(assess(fit, mtcars, draws = 2)$confusion), 32)
})
