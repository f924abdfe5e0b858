x <- matrix(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), 4, dimnames = list(NULL, c("a", "b", "c")))
frame <- data.frame(n = c(0.5, 1, 1.5, 2), f = factor(c("u", "v", "u", "w")),
                    l = c(TRUE, FALSE, TRUE, TRUE), t = c("b", "a", "b", "b"))

test_that("a matrix is one view called x, a list several", {
  one <- as_views(x)
  expect_identical(names(one), "x")
  expect_identical(one$x, x)
  expect_true(is_single(one))
  expect_identical(view_rows(one), 4L)
  expect_identical(as_views(one), one)

  two <- as_views(list(u = x, v = x[, 1:2]))
  expect_identical(names(two), c("u", "v"))
  expect_false(is_single(two))

  none <- as_views(NULL)
  expect_length(none, 0)
  expect_identical(view_rows(none), NA_integer_)
})

test_that("numbers become plain double matrices", {
  expect_identical(as_views(matrix(1:4, 2))$x, matrix(c(1, 2, 3, 4), 2))
  expect_identical(as_views(matrix(c(TRUE, FALSE), 1))$x, matrix(c(1, 0), 1))
  expect_identical(as_views(scale(x, scale = FALSE))$x, sweep(x, 2, colMeans(x)))
  expect_identical(as_views(as.table(x))$x, unclass(as.table(x)))
  expect_identical(as_views(Matrix::Matrix(x, sparse = FALSE))$x, x)
})

test_that("every sparse Matrix becomes a dgCMatrix of the same values", {
  sparse <- Matrix::sparseMatrix(i = c(1, 3, 4), j = c(1, 1, 3), x = c(2, -1, 5), dims = c(4, 4))
  inputs <- list(
    sparse,
    methods::as(sparse, "TsparseMatrix"),
    methods::as(sparse, "RsparseMatrix"),
    methods::as(sparse, "nMatrix"),
    sparse != 0,
    Matrix::forceSymmetric(sparse),
    Matrix::triu(sparse),
    Matrix::Diagonal(4),
    Matrix::Diagonal(4, x = 1:4),
    methods::as(4:1, "pMatrix")
  )
  for (input in inputs) {
    view <- as_views(input)$x
    expect_s4_class(view, "dgCMatrix")
    expect_equal(as.matrix(view), as.matrix(input) * 1, ignore_attr = TRUE)
  }
})

test_that("a large sparse matrix is not densified", {
  wide <- Matrix::sparseMatrix(i = 1:3, j = c(1, 5e5, 1e7), x = 1:3, dims = c(1e6, 1e7))
  expect_identical(as_views(wide)$x, wide)
})

test_that("data frames become numbers, and new ones the same columns", {
  views <- as_views(frame)
  expect_identical(
    views$x,
    cbind(n = frame$n, fu = c(1, 0, 1, 0), fv = c(0, 1, 0, 0), fw = c(0, 0, 0, 1),
          l = c(1, 0, 1, 1), ta = c(0, 1, 0, 0), tb = c(1, 0, 1, 1))
  )
  new <- data.frame(t = "a", f = "w", l = FALSE, n = 7, other = NA)
  matched <- match_views(view_layout(views), new)
  expect_equal(matched$x, cbind(n = 7, fu = 0, fv = 0, fw = 1, l = 0, ta = 1, tb = 0))
  expect_identical(colnames(as_views(data.frame(m = I(x)))$x), c("m.a", "m.b", "m.c"))
  expect_identical(rownames(as_views(data.frame(n = 1:2, row.names = c("p", "q")))$x), c("p", "q"))
})

test_that("bad data are errors that say what and where", {
  missing <- x
  missing[2, 3] <- NA
  missing[4, 3] <- Inf
  unnamed <- unname(missing)
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  sparse[3, 2] <- NaN
  factor_missing <- data.frame(f = factor(c("a", NA)))
  named <- x
  rownames(named) <- letters[1:4]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    as_views(missing)
    as_views(unnamed)
    as_views(list(u = x, v = missing))
    as_views(sparse)
    as_views(factor_missing)
    as_views(x[0, ])
    as_views(x[, 0])
    as_views(data.frame())
    as_views(1:3)
    as_views(c("ACGT", NA))
    as_views(matrix(letters, 2))
    as_views(matrix(1i, 2, 2))
    as_views(sum)
    as_views(array(1, c(2, 2, 2)))
    as_views(list())
    as_views(list(x, x))
    as_views(list(u = x, x))
    as_views(list(u = x, u = x))
    as_views(list(u = x, v = x[1:3, ]))
    as_views(data.frame(d = as.Date("2020-01-01")))
    as_views(data.frame(d = I(list(1))))
    as_views(data.frame(a = 1, a = 2, check.names = FALSE))
  })
  expect_error(as_views(missing), class = "manykernels_missing_values")
})

test_that("huge values whose sum overflows are fine", {
  expect_silent(as_views(matrix(.Machine$double.xmax, 2, 2)))
})

test_that("new data are brought to the training layout", {
  layout <- view_layout(as_views(x))
  expect_identical(view_layout(layout), layout)
  expect_identical(match_views(layout, cbind(d = NA, x[, 3:1]))$x, x)
  expect_identical(match_views(as_views(x), as.data.frame(x))$x, x)
  expect_identical(match_views(layout, list(x = x))$x, x)
  expect_identical(match_views(view_layout(as_views(unname(x))), x)$x, x)

  doubled <- x
  colnames(doubled) <- c("a", "a", "b") # not unique: by position
  expect_identical(match_views(as_views(doubled), doubled)$x, doubled)

  two <- as_views(list(u = x, v = x))
  expect_identical(names(match_views(two, list(v = x), needed = "v")), "v")
  expect_identical(names(match_views(two, list(v = x, u = x, w = "any"))), c("u", "v"))
  expect_length(match_views(two, NULL, needed = character()), 0)
})

test_that("new data that don't fit are errors", {
  one <- as_views(x)
  two <- as_views(list(u = x, v = x))
  unnamed <- as_views(unname(x))
  levels <- as_views(frame)
  new <- frame
  new$f <- c("u", "z", "y", "z")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    match_views(one, x[, 1:2])
    match_views(one, unname(x))
    match_views(one, x[1, ])
    match_views(unnamed, x[, 1:2])
    match_views(levels, new)
    match_views(levels, frame[, 1:2])
    match_views(two, x)
    match_views(two, list(u = x))
    match_views(two, list(x, x))
    match_views(two, list(u = x[, 1:2], v = x))
    match_views(two, list(u = x, v = x[1:2, ]))
    match_views(one, x[c(1, NA), ])
  })
})

test_that("rows are picked and bound, and sparse stays sparse", {
  views <- as_views(list(d = x, s = Matrix::Matrix(x, sparse = TRUE)))
  part <- subset_views(views, c(4, 2))
  expect_identical(view_rows(part), 2L)
  expect_identical(part$d, x[c(4, 2), ])
  expect_s4_class(part$s, "dgCMatrix")

  both <- bind_views(part, views)
  expect_identical(view_rows(both), 6L)
  expect_identical(both$d, rbind(x[c(4, 2), ], x))
  expect_s4_class(both$s, "dgCMatrix")
  mixed <- bind_views(views["d"] |> new_views(4L, FALSE), as_views(list(d = views$s)))
  expect_s4_class(mixed$d, "dgCMatrix")
  expect_equal(as.matrix(mixed$d), rbind(x, x))
})

test_that("matrices of package Matrix are the same data in every storage", {
  x <- round(pmax(judge_clouds(20)$x, 0), 1)
  y <- judge_clouds(20)$y
  expected <- as_views(unname(x))$x
  same <- function(stored, values = expected) {
    found <- as_views(stored)$x
    expect_true(is.matrix(found) || inherits(found, "dgCMatrix"))
    expect_equal(unname(as.matrix(found)), unname(values))
  }
  columns <- Matrix::Matrix(x, sparse = TRUE)
  as_class <- function(class, object = columns) methods::as(object, class)
  for (class in c("TsparseMatrix", "RsparseMatrix", "unpackedMatrix")) same(as_class(class))
  for (class in c("TsparseMatrix", "RsparseMatrix", "CsparseMatrix")) {
    same(as_class(class, columns > 0), 1 * (expected > 0))
    same(as_class(class, as_class("nMatrix", columns > 0)), 1 * (expected > 0))
  }
  twice <- Matrix::sparseMatrix(i = c(1, 1, 3), j = c(2, 2, 1), x = c(1, 2, 4), dims = c(3, 2), repr = "T")
  same(twice, rbind(c(0, 3), c(0, 0), c(4, 0)))
  S <- Matrix::sparseMatrix(i = c(1, 1, 3), j = c(1, 3, 3), x = c(1, 2, 4), dims = c(3, 3), symmetric = TRUE)
  same(S, rbind(c(1, 0, 2), 0, c(2, 0, 4)))
  same(Matrix::triu(S), rbind(c(1, 0, 2), 0, c(0, 0, 4)))
  same(Matrix::Diagonal(3), diag(3))
  same(Matrix::Diagonal(3, 2:4), diag(2:4))
  same(as_class("pMatrix", c(2L, 3L, 1L)), rbind(c(0, 1, 0), c(0, 0, 1), c(1, 0, 0)))
  missing <- columns
  missing@x[2] <- NA
  expect_classed(mkl(missing, y), "missing_values", "x")
})

test_that("new rows of another storage are the same rows", {
  d <- judge_clouds(30)
  sparse <- Matrix::Matrix(d$x * (d$x > 0), sparse = TRUE)
  dense <- as.matrix(sparse)
  for (x in list(sparse, dense)) {
    fit <- mkl(x, d$y, c(linear_kernel(), gaussian_kernel(4)))
    expect_equal(predict(fit, sparse, "decision"), fit$decision, ignore_attr = TRUE)
    expect_equal(predict(fit, dense, "decision"), fit$decision, ignore_attr = TRUE)
  }
})

test_that("columns that aren't numbers of their own are errors that say what they are", {
  d <- judge_clouds(20)
  with_column <- function(column) {
    x <- data.frame(d$x)
    x$column <- column
    mkl(x, d$y, linear_kernel())
  }
  long <- structure(seq_len(20) * 5e-324, class = "integer64")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    with_column(lapply(1:20, identity))
    with_column(long)
    mkl(structure(long, dim = c(20L, 1L)), d$y)
    with_column(I(matrix("a", 20, 2)))
    with_column(as.character(1:20 + 0.5))
    with_column(paste0("id", 1:20))
    with_column(c(paste0("id", 1:18), "id1", "id2"))
  })
  # formulas and new data, too; values that SPSS takes for missing are missing
  of_long <- function(expr) expect_error(expr, "64-bit", class = "manykernels_invalid_argument")
  x <- data.frame(z = d$x[, 1], count = 1:20, y = d$y)
  fits <- list(mkl(y ~ ., x), mkl(x[1:2], d$y))
  x$count <- long
  of_long(mkl(y ~ ., x))
  for (fit in fits) of_long(predict(fit, x))
  of_long(cv_mkl(d$x, d$y, folds = long))
  spss <- structure(c(9, 1:19), na_values = 9, class = c("haven_labelled_spss", "haven_labelled"))
  expect_error(with_column(spss), "column `column`", class = "manykernels_missing_values")
  largest <- matrix(.Machine$integer.max - 0:19, 20)
  expect_equal(as_views(largest)$x[, 1], .Machine$integer.max - 0:19)
})

test_that("columns without a name among others have that of their position", {
  d <- judge_clouds(20)
  x <- d$x
  colnames(x) <- replace(letters[seq_len(ncol(x))], 2, "")
  for (z in list(x, stats::setNames(as.data.frame(x), colnames(x)), Matrix::Matrix(x, sparse = TRUE))) {
    fit <- mkl(z, d$y, per_feature(linear_kernel()))
    expect_identical(names(fit$theta)[1:2], c("linear[a]", "linear[2]"))
    expect_equal(predict(fit, z, type = "decision"), fit$decision, ignore_attr = TRUE)
  }
})

test_that("missing values are an error that names columns, shares and ways on", {
  x <- matrix(rnorm(80), 20, dimnames = list(NULL, letters[1:4]))
  x[1:5, 2] <- NA
  x[3, 3] <- NA
  y <- rep(1:2, 10)
  said <- expect_error(mkl(x, y), class = "manykernels_missing_values")
  for (part in c("6 values (7.5 %) are NA", "`b (25 %)`, `c (5 %)`", "2 columns of 4", "missing_views",
                 "inside the folds", "complete.cases()")) {
    expect_match(conditionMessage(said), part, fixed = TRUE)
  }
  expect_error(mkl(Matrix::Matrix(x, sparse = TRUE), y), "2 columns of 4", fixed = TRUE,
               class = "manykernels_missing_values")
  kept <- stats::complete.cases(x)
  expect_lte(mkl(x[kept, ], y[kept])$gap, 1e-3)
  x[1:5, ] <- NA
  x[3, ] <- NA
  x <- list(a = x, b = matrix(rnorm(20), 20))
  expect_lte(suppressMessages(mkl(x, y, missing_views = "neutral"))$gap, 1e-3)
})

test_that("text for a column of numbers is an error that says what to do", {
  set.seed(1)
  fit <- mkl(data.frame(z = rnorm(20), w = 1:20), rep(1:2, 10))
  for (z in list(c("1.5", "2"), factor(c("1.5", "2")))) {
    expect_error(predict(fit, data.frame(z = z, w = 1:2)), "must be numbers, as in training",
                 class = "manykernels_invalid_argument")
    expect_length(predict(fit, data.frame(z = as.numeric(as.character(z)), w = 1:2)), 2)
  }
})

# ---- sequences -----------------------------------------------------------------------------------

text_of <- function(view) {
  start <- unclass(view)$start
  vapply(seq_len(nrow(view)), function(i) {
    rawToChar(unclass(view)$bytes[seq_len(start[i + 1] - start[i]) + start[i]])
  }, "")
}

test_that("a view of sequences behaves like a table with rows", {
  x <- c(a = "ACGT", b = "", c = "acgtt", d = "NNACG")
  view <- as_views(x)$x
  expect_identical(dim(view), c(4L, 1L))
  expect_identical(rownames(view), names(x))
  expect_null(colnames(view))
  expect_identical(text_of(view), toupper(unname(x)))
  expect_identical(text_of(view[c(3, 1), , drop = FALSE]), c("ACGTT", "ACGT"))
  expect_identical(rownames(view[c(3, 1), , drop = FALSE]), c("c", "a"))
  expect_identical(text_of(view[c("d", "b"), ]), c("NNACG", ""))
  expect_identical(text_of(view[-2, ]), c("ACGT", "ACGTT", "NNACG"))
  expect_identical(dim(view[integer(), ]), c(0L, 1L))
  expect_identical(text_of(bind_rows(view, view[2:3, ])), toupper(unname(x[c(1:4, 2:3)])))
  expect_null(rownames(as_views(unname(x))$x))
})
