# Tables on disk as data: the same fits as those of the same values in memory.

skip_on_cran() # a slow file
kernels <- gaussian_kernel(c(1, 4))

example_table <- function(n = 300) {
  set.seed(1)
  x <- matrix(rnorm(4 * n), n, dimnames = list(NULL, letters[1:4]))
  data.frame(x, count = sample(9L, n, TRUE), flag = x[, 4] > 0, kind = sample(c("r", "s", "t"), n, TRUE),
             weight = runif(n), label = ifelse(x[, 1] * x[, 2] > 0, "u", "v"))
}

# Blocks of a few rows, and what is large or too much is so for small data.
for (name in c("BLOCK_VALUES", "FILE_VALUES", "MOST_LEVELS")) {
  utils::assignInNamespace(name, c(BLOCK_VALUES = 100, FILE_VALUES = 1000, MOST_LEVELS = 20)[[name]], "manykernels")
}

expect_same_fits <- function(table, frame = example_table()) {
  predictors <- setdiff(names(frame), c("weight", "label"))
  here <- mkl(frame[predictors], frame$label, kernels, weights = frame$weight, control = quiet())
  there <- mkl(table, "label", kernels, weights = "weight", control = quiet())
  expect_identical(unname(there$alpha), unname(here$alpha))
  expect_identical(unname(predict(there, table, type = "decision")), unname(predict(here, frame, type = "decision")))
  expect_identical(unname(predict(there, frame, type = "decision")), unname(predict(here, frame, type = "decision")))
  expect_equal(duality_gap(there, table)$gap, there$gap)
  swapped <- function(...) {
    set.seed(1)
    permutation_importance(..., by = "feature", repeats = 2)$importance$importance
  }
  expect_equal(swapped(there, table, "label", group = "kind"), swapped(here, frame, frame$label, group = frame$kind))
  expect_equal(duality_gap(there, table, "label")$gap, there$gap)
  expect_error(duality_gap(there, table, "kind"), "training response", class = "manykernels_mismatch")
  expect_error(duality_gap(there, table, "none"), "it has no `none`, but `a`", class = "manykernels_unknown_variable")
  measured <- function(newdata, ...) assess(there, newdata, ..., draws = 2)$summary$estimate
  expect_identical(measured(table, "label", weights = "weight"), measured(frame, frame$label, weights = frame$weight))
  expect_error(assess(there, table, "none"), "`newdata` as `y`", class = "manykernels_unknown_variable")
  expect_error(mkl(table, label, kernels), "column of `x`", class = "manykernels_unknown_variable")
  expect_error(mkl(table, "nothing", kernels), "it has no `nothing`", class = "manykernels_unknown_variable")
  expect_error(mkl(label ~ ., table), "without a formula", class = "manykernels_unsupported")
  expect_error(mkl(table, "label", assay = 1), "dplyr::select", class = "manykernels_unsupported")
  expect_error(predict(there, dplyr::select(table, -kind)), class = "manykernels_missing_columns")
}

test_that("tables of a database are read in blocks of rows", {
  skip_unless_slow()
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  frame <- example_table()
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base))
  DBI::dbWriteTable(base, "samples", transform(frame, flag = as.integer(flag)))
  table <- dplyr::tbl(base, "samples")
  expect_same_fits(table, transform(frame, flag = as.integer(flag)))
  some <- mkl(dplyr::filter(table, count > 3L), "label", kernels, control = quiet())
  expect_length(some$alpha, sum(frame$count > 3))
  expect_error(mkl(dplyr::filter(table, count > 9L), "label"), "no rows", class = "manykernels_dimension")
  DBI::dbExecute(base, "update samples set a = null where rowid = 170")
  expect_error(mkl(table, "label", kernels), "row 170", class = "manykernels_missing_values")
  filled <- mkl(table, "label", kernels, impute = "median", control = quiet())
  expect_lt(filled$gap, 1e-3)
  DBI::dbExecute(base, "update samples set kind = rowid")
  expect_error(mkl(table, "label", kernels), "more than 20 different", class = "manykernels_identifier")
})

test_that("a string names a column of a table in a list of views", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  frame <- example_table()
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base))
  DBI::dbWriteTable(base, "samples", frame[c("a", "b", "label")])
  DBI::dbWriteTable(base, "others", frame[c("c", "weight")])
  views <- list(p = dplyr::tbl(base, "samples"), q = dplyr::tbl(base, "others"), r = as.matrix(frame["d"]))
  here <- mkl(list(p = frame[c("a", "b")], q = frame["c"], r = as.matrix(frame["d"])), frame$label, kernels,
              weights = frame$weight, control = quiet())
  there <- mkl(views, "label", kernels, weights = "weight", control = quiet())
  expect_identical(unname(there$alpha), unname(here$alpha))
  expect_identical(unname(predict(there, views)), unname(predict(here)))
  expect_equal(duality_gap(there, views, "label")$gap, there$gap)
  expect_s3_class(cv_mkl(views, "label", kernels, C = 1, p = 2, folds = 2, control = quiet()), "cv_mkl")
  expect_error(mkl(views, "nothing", kernels), "it has no `nothing`", class = "manykernels_unknown_variable")
  expect_error(mkl(views, label, kernels), "column of `x`", class = "manykernels_unknown_variable")
})

test_that("tables of DuckDB are read in blocks of rows", {
  skip_if_not_installed("duckdb")
  skip_if_not_installed("dbplyr")
  base <- DBI::dbConnect(duckdb::duckdb())
  on.exit(DBI::dbDisconnect(base, shutdown = TRUE))
  DBI::dbWriteTable(base, "samples", example_table())
  expect_same_fits(dplyr::tbl(base, "samples"))
})

test_that("datasets of Arrow are read in blocks of rows", {
  skip_if_not_installed("arrow")
  skip_if_not_installed("dplyr")
  frame <- example_table()
  folder <- tempfile("dataset")
  on.exit(unlink(folder, recursive = TRUE))
  arrow::write_dataset(transform(frame, part = rep(1:3, each = 100)), folder, format = "parquet", partitioning = "part")
  table <- dplyr::select(arrow::open_dataset(folder), -part)
  expect_same_fits(table)
  expect_same_fits(arrow::arrow_table(transform(frame, kind = factor(kind))), transform(frame, kind = factor(kind)))
  cut <- list.files(folder, recursive = TRUE, full.names = TRUE)[2L]
  writeBin(readBin(cut, "raw", file.size(cut) / 2), cut)
  expect_error(mkl(table, "label", kernels, control = quiet()))
})

test_that("matrices in HDF5 files are read in blocks of rows", {
  skip_unless_slow()
  skip_if_not_installed("HDF5Array")
  x <- as.matrix(example_table()[1:5])
  rownames(x) <- sprintf("row%d", seq_len(nrow(x)))
  y <- example_table()$label
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- HDF5Array::writeHDF5Array(x, file, "x", chunkdim = c(30, 5), with.dimnames = TRUE)
  here <- mkl(x, y, kernels, control = quiet())
  there <- mkl(stored, y, kernels, control = quiet())
  expect_identical(there$alpha, here$alpha)
  expect_identical(predict(there, stored[200:1, 5:1], type = "decision"), predict(here, x[200:1, ], type = "decision"))
  expect_equal(duality_gap(there, stored, y)$gap, there$gap)
  numbered <- HDF5Array::writeHDF5Array(cbind(x, label = (y == "u") + 0), file, "numbered", with.dimnames = TRUE)
  named <- mkl(numbered, "label", kernels, type = "classification", control = quiet())
  expect_equal(suppressMessages(duality_gap(named, numbered[300:1, ], "label"))$gap, named$gap)
  copy <- unserialize(serialize(there, NULL))
  expect_identical(predict(copy, x, type = "decision"), predict(here, x, type = "decision"))
  views <- mkl(list(p = stored, q = x[, 1:2]), y, control = quiet())
  expect_identical(views$alpha, mkl(list(p = x, q = x[, 1:2]), y, control = quiet())$alpha)
  chosen <- cv_mkl(stored, y, kernels, p = 2, C = c(1, 10), folds = rep(1:3, 100), control = quiet())
  expect_identical(chosen$C, cv_mkl(x, y, kernels, p = 2, C = c(1, 10), folds = rep(1:3, 100), control = quiet())$C)
  cut <- readBin(file, "raw", file.size(file) / 2)
  writeBin(cut, file)
  expect_error(mkl(stored, y, kernels, control = quiet()))
})

test_that("large integer matrices become numbers block by block", {
  x <- matrix(sample(0:9, 2000, TRUE), 400, dimnames = list(NULL, letters[1:5]))
  y <- factor(x[, 1] > x[, 2])
  here <- mkl(x + 0, y, kernels, control = quiet())
  there <- mkl(x, y, kernels, control = quiet())
  expect_identical(there$alpha, here$alpha)
  expect_identical(predict(there, x > 4, type = "decision"), predict(here, (x > 4) + 0, type = "decision"))
})

test_that("matrices of single precision are read in blocks of rows", {
  skip_if_not_installed("float")
  x <- as.matrix(example_table()[1:4])
  y <- example_table()$label
  single <- float::fl(x)
  expect_identical(unname(mkl(single, y, kernels, control = quiet())$alpha),
                   unname(mkl(float::dbl(single), y, kernels, control = quiet())$alpha))
})

test_that("new data without rows have no predictions", {
  for (package in c("RSQLite", "dbplyr", "DelayedArray", "float")) skip_if_not_installed(package)
  frame <- example_table()
  none <- function(fit, newdata) {
    expect_identical(predict(fit, newdata), factor(character(), c("u", "v")))
    expect_identical(predict(fit, newdata, type = "decision"), numeric())
  }
  x <- as.matrix(frame[1:4])
  fit <- mkl(x, frame$label, kernels, control = quiet())
  views <- mkl(list(p = x, q = x), frame$label, kernels, control = quiet())
  for (stored in list(x, DelayedArray::DelayedArray(x), float::fl(x))) {
    none(fit, stored[0, ])
    none(views, list(p = stored[0, ], q = x[0, ]))
    expect_error(mkl(stored[0, ], factor(c("u", "v"))[0], kernels), "`x` has no rows", class = "manykernels_dimension")
  }
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base))
  DBI::dbWriteTable(base, "samples", frame)
  table <- dplyr::tbl(base, "samples")
  fit <- mkl(dplyr::select(table, a, kind, label), "label", kernels, control = quiet())
  none(fit, dplyr::filter(table, count > 9L))
  expect_error(assess(fit, dplyr::filter(table, count > 9L), "label"), "must have a row",
               class = "manykernels_missing_values")
})

test_that("copies of the response and of groups are warned about", {
  for (package in c("RSQLite", "dbplyr", "HDF5Array", "float")) skip_if_not_installed(package)
  warned <- function(..., name = "copy") {
    expect_warning(cv_mkl(..., kernels = kernels, p = 2, C = 1, folds = 3, control = quiet()),
                   sprintf("leave `%s` out", name), class = "manykernels_warning_predictor")
  }
  frame <- example_table()
  frame$copy <- frame$label
  frame$again <- match(frame$kind, c("s", "t", "r"))
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base))
  DBI::dbWriteTable(base, "samples", frame)
  table <- dplyr::tbl(base, "samples")
  few <- dplyr::select(table, a, b, copy, label, kind)
  warned(few, "label")
  warned(few, frame$label)
  warned(list(p = few), "label")
  warned(list(p = dplyr::select(few, -copy), q = frame["copy"]), "label")
  warned(dplyr::select(table, a, b, again, label, kind), "label", group = "kind", name = "again")
  expect_no_warning(mkl(dplyr::select(table, a, b, again, label), "label", kernels, control = quiet()))
  x <- cbind(as.matrix(frame[1:2]), y = frame$c)
  for (stored in list(methods::as(x, "HDF5Array"), float::fl(x), DelayedArray::DelayedArray(unname(x)))) {
    warned(stored, x[, "y"], name = if (is.null(colnames(stored))) "V3" else "y")
    warned(list(p = stored), x[, "y"], name = if (is.null(colnames(stored))) "V3" else "y")
  }
})

test_that("packages that a table needs and that are not there are named", {
  skip_if(requireNamespace("arrow", quietly = TRUE))
  expect_error(mkl(structure(list(), class = "Dataset"), "y"), "^Install the package.* arrow",
               class = "manykernels_unsupported")
})
