# Row numbers are those of the data as they were given, whatever rows are left out, and what is given
# for the data goes with its rows.

quiet <- function(...) mkl_control(progress = FALSE, threads = 1, ...)

# Rows 3 and 10 can't be used; the response is a number that tells the row.
row_data <- function() {
  set.seed(1)
  d <- data.frame(z = rnorm(60), w = rnorm(60), patient = rep(1:12, each = 5), weight = rep(1:2, 30))
  d$y <- 1:60 + 0.5
  d$z[c(3, 10)] <- NA
  d
}

# As if the call stood where this one does: arguments of formulas see columns of the data.
row_cv <- function(...) {
  given <- as.list(substitute(list(...)))[-1]
  if (is.null(given$formula)) given$formula <- y ~ z + w
  if (is.null(given$data)) given$data <- quote(d)
  common <- list(kernels = gaussian_kernel(2), C = 1, p = 2, control = quiet())
  eval(as.call(c(quote(cv_mkl), given[c("formula", "data")],
                 given[setdiff(names(given), c("formula", "data"))], common)), parent.frame())
}

# Predictions, resamples and augment() agree with the data, and no group is on both sides.
expect_data_rows <- function(cv, d, used, patient = d$patient) {
  expect_equal(cv$predictions$truth, d$y[cv$predictions$row])
  for (one in cv$resamples) {
    expect_true(all(c(one$train, one$test) %in% used))
    expect_length(intersect(patient[one$train], patient[one$test]), 0)
  }
  shown <- generics::augment(cv, data = d)
  found <- !is.na(shown$.row)
  expect_equal(shown$y[found], d$y[shown$.row[found]])
  held <- cv$predictions[order(cv$predictions$`repeat`, cv$predictions$row), ]
  expect_equal(shown$.row[found], held$row)
  expect_equal(shown$.fitted[found], held$response)
}

test_that("formulas: rows are those of the data under na.action, subset, and without a data frame", {
  d <- row_data()
  used <- setdiff(1:60, c(3, 10))
  by_list <- row_cv(folds = split(1:60, d$patient), group = patient)
  expect_data_rows(by_list, d, used)
  expect_identical(by_list$resamples[[1]]$test, c(1L, 2L, 4L, 5L))
  expect_identical(row_cv(folds = d$patient)$predictions$response, by_list$predictions$response)
  # a fold whose rows are all left out is gone
  late <- row_cv(folds = split(1:60, d$patient), subset = patient > 1)
  expect_data_rows(late, d, setdiff(used, 1:5))
  expect_length(late$resamples, 11)
  set.seed(2)
  nested <- row_cv(folds = 3, group = patient, nested = 2, weights = weight)
  expect_data_rows(nested, d, used)
  expect_equal(nested$nested$predictions$truth, d$y[nested$nested$predictions$row])
  own <- list2env(as.list(d))
  formula <- y ~ z + w
  environment(formula) <- own
  bare <- cv_mkl(formula, kernels = gaussian_kernel(2), C = 1, p = 2, control = quiet(),
                 folds = split(1:60, d$patient), subset = patient > 1)
  expect_identical(bare$predictions, late$predictions)
  # names decide where both have them
  rownames(d) <- paste0("s", 1:60)
  group <- stats::setNames(d$patient, rownames(d))
  named <- row_cv(folds = rev(group), group = rev(group))
  expect_identical(named$predictions$response, by_list$predictions$response)
  expect_classed(row_cv(group = 1:59), "length", "group")
  refused <- expect_classed(row_cv(folds = 1:61), "length", "folds")
  expect_match(conditionMessage(refused), "(60), not 61", fixed = TRUE)
})

test_that("samples that lack a view: rows are those of all samples, alone and after a formula", {
  d <- row_data()
  used <- setdiff(1:60, c(3, 10))
  views <- list(a = cbind(d$z), b = cbind(d$w))
  cv <- suppressMessages(cv_mkl(
    views, d$y, gaussian_kernel(2), C = 1, p = 2, folds = split(1:60, d$patient), group = d$patient,
    weights = d$weight, missing_views = "drop", control = quiet()
  ))
  expect_data_rows(cv, d, used)
  expect_identical(cv$n, 58L)
  expect_identical(cv$rows, list(n = 60L, used = used))
  expect_identical(unname(unclass(stats::na.action(cv$fit))), c(3L, 10L), ignore_attr = TRUE)
  gone <- suppressMessages(drop_view(cv, views, d$y, gaussian_kernel(2), weights = d$weight))
  expect_identical(gone$view, c("a", "b"))
  whole <- suppressMessages(row_cv(
    formula = y ~ z, subset = w > -1, na.action = na.pass, missing_views = "drop",
    folds = split(1:60, patient)
  ))
  expect_data_rows(whole, d, setdiff(which(d$w > -1), c(3, 10)))
  expect_identical(whole$fit$rows$used, setdiff(which(d$w > -1), c(3, 10)))
  fit <- suppressMessages(mkl(views, d$y, gaussian_kernel(2), missing_views = "drop"))
  expect_true(all(is.na(generics::augment(fit, data = d)$.fitted[c(3, 10)])))
})

test_that("messages name the rows of the data", {
  d <- row_data()
  d$patient[20] <- NA
  d$w[30] <- d$y[40] <- Inf
  d$time <- replace(exp(d$weight), 50, -1)
  expect_row <- function(expr, row) expect_error(expr, row, fixed = TRUE, class = "manykernels_error")
  expect_row(row_cv(formula = weight ~ z, group = patient), "the first is at 20.")
  expect_row(mkl(weight ~ z, d, group = patient, control = quiet(probability = TRUE)), "the first is at 20.")
  expect_row(row_cv(formula = weight ~ z, group = 1), "per row of the data (60), not 1")
  for (fit in list(mkl, mkl_gomp)) {
    expect_row(fit(weight ~ z + w, d), "the first is Inf in row `30`, column `w`")
    expect_row(fit(y ~ z, d), "the first is at `40`.")
    expect_row(fit(cbind(weight, y) ~ z, d), "`40`")
  }
  expect_row(mkl(survival::Surv(time, weight) ~ z, d), "row `50` has -1")
  views <- list(a = cbind(row_data()$z), b = cbind(row_data()$y))
  expect_row(suppressMessages(cv_mkl(views, d$weight, p = 2, C = 1, missing_views = "drop", group = d$patient)),
             "the first is at 20.")
})

test_that("responses of every kind are those of the samples that stay", {
  d <- row_data()
  views <- list(a = cbind(d$z), b = cbind(d$w))
  some <- lapply(views, function(x) x[-c(3, 10), , drop = FALSE])
  set.seed(7)
  numbers <- cbind(u = d$y, v = rnorm(60))
  labels <- cbind(u = d$y > 20, v = rnorm(60) > 0)
  skip_if_not_installed("survival")
  times <- survival::Surv(d$y, rep(0:1, 30))
  for (y in list(d$y, numbers, labels, times)) for (fit in list(mkl, mkl_gomp)) {
    if (inherits(y, "Surv") && identical(fit, mkl_gomp)) next
    kept <- if (is.matrix(y)) y[-c(3, 10), ] else y[-c(3, 10)]
    dropped <- suppressMessages(fit(views, y, gaussian_kernel(2), missing_views = "drop"))
    expect_equal(fitted(dropped), fitted(fit(some, kept, gaussian_kernel(2))))
    expect_no_error(duality_gap(dropped, views, y))
  }
})

test_that("support vectors have their row in the data", {
  d <- row_data()
  fit <- mkl(y ~ z + w, d, kernels = gaussian_kernel(2), subset = -1)
  table <- support(fit)
  expect_equal(table$y, d$y[table$row])
  expect_identical(table$row, setdiff(2:60, c(3, 10))[fit$support])
})

test_that("mkl_gomp() takes folds of the data's rows", {
  d <- row_data()
  run <- function(data) {
    mkl_gomp(y ~ z + w, data, kernels = gaussian_kernel(2), lambda = c(0.1, 1), folds = patient)$tuning
  }
  expect_identical(run(d), run(d[-c(3, 10), ]))
  views <- list(a = cbind(d$z), b = cbind(d$w))
  some <- lapply(views, function(x) x[-c(3, 10), , drop = FALSE])
  fit <- function(x, rows, ...) {
    mkl_gomp(x, d$y[rows], gaussian_kernel(2), c(0.1, 1), folds = d$patient[rows], ...)$tuning
  }
  expect_identical(suppressMessages(fit(views, 1:60, missing_views = "drop")), fit(some, -c(3, 10)))
})

# ---- folds as other packages hold them -----------------------------------------------------------

test_that("lists of training rows are refused with advice that leads to a fit", {
  d <- row_data()[-c(3, 10), ]
  set.seed(3)
  training <- lapply(split(1:58, sample(rep(1:5, length.out = 58))), function(rows) setdiff(1:58, rows))
  refused <- expect_classed(row_cv(folds = training), "overlapping_folds", "folds")
  expect_error(row_cv(folds = list(rep(c(TRUE, FALSE), 29))), "must be whole numbers", class = "manykernels_invalid_argument")
  expect_match(conditionMessage(refused), "`folds = list(index = ...)`", fixed = TRUE)
  cv <- row_cv(folds = list(index = training))
  expect_identical(lapply(cv$resamples, `[[`, "train"), unname(training))
  expect_identical(sort(cv$predictions$row), 1:58)
  # both parts, without and with the number of the repeat
  both <- lapply(list(1:20, 11:30), function(rows) list(train = setdiff(1:58, rows), test = rows))
  refused <- expect_classed(row_cv(folds = both), "overlapping_folds", "folds")
  expect_match(conditionMessage(refused), "`repeat_number`", fixed = TRUE)
  both[[2]]$repeat_number <- 2
  expect_length(row_cv(folds = both)$resamples, 2)
})

test_that("`train` and `test` are one split, or lists of several", {
  d <- row_data()[-c(3, 10), ]
  cv <- row_cv(folds = list(train = 1:40, test = 41:58))
  expect_identical(lapply(cv$resamples, `[[`, "test"), list(41:58))
  slices <- list(train = list(1:20, 1:40), test = list(21:30, 41:50)) # caret::createTimeSlices()
  cv <- row_cv(folds = slices)
  expect_identical(lapply(cv$resamples, `[[`, "train"), slices$train)
  expect_classed(row_cv(folds = list(1:40)), "invalid_argument", "folds") # caret::createDataPartition()
  expect_length(row_cv(folds = list(1:20))$resamples, 1)
  expect_classed(row_cv(folds = new.env()), "invalid_argument", "folds")
})

test_that("resamples of rsample, caret and mlr3 are taken as they are", {
  skip_unless_slow()
  d <- row_data()
  used <- setdiff(1:60, c(3, 10))
  set.seed(4)
  rows <- function(cv, part) lapply(cv$resamples, `[[`, part)
  repeats <- function(cv) vapply(cv$resamples, `[[`, 0L, "repeat_number")
  if (requireNamespace("rsample", quietly = TRUE)) {
    folds <- rsample::vfold_cv(d, 4, repeats = 2)
    cv <- row_cv(folds = folds)
    expect_data_rows(cv, d, used, 1:60)
    expect_identical(repeats(cv), rep(1:2, each = 4))
    expect_identical(rows(cv, "train"), lapply(folds$splits, function(s) intersect(sort(s$in_id), used)))
    grouped <- row_cv(folds = rsample::group_vfold_cv(d, patient, 4))
    expect_data_rows(grouped, d, used)
    expect_classed(row_cv(folds = rsample::vfold_cv(d[-1, ], 4)), "length", "folds")
    expect_classed(row_cv(folds = rsample::vfold_cv(d[60:1, ], 4)), "invalid_argument", "folds")
    changed <- transform(d, w = exp(w))
    expect_data_rows(row_cv(folds = rsample::vfold_cv(changed, 4)), d, used, 1:60)
  }
  if (requireNamespace("caret", quietly = TRUE)) {
    index <- caret::createMultiFolds(d$y, 3, 2)
    cv <- row_cv(folds = caret::trainControl(index = index))
    expect_identical(repeats(cv), rep(1:2, each = 3))
    expect_identical(rows(cv, "train"), lapply(unname(index), intersect, used))
    out <- lapply(index, function(train) setdiff(1:60, train)[1:5])
    cv <- row_cv(folds = list(index = index, indexOut = out))
    expect_identical(rows(cv, "test"), lapply(unname(out), intersect, used))
    expect_classed(row_cv(folds = caret::trainControl()), "invalid_argument", "folds")
  }
  if (requireNamespace("mlr3", quietly = TRUE)) {
    task <- mlr3::as_task_regr(d, target = "y")
    resampling <- mlr3::rsmp("repeated_cv", folds = 3, repeats = 2)
    expect_classed(row_cv(folds = resampling), "invalid_argument", "folds")
    resampling$instantiate(task)
    cv <- row_cv(folds = resampling)
    expect_identical(repeats(cv), rep(1:2, each = 3))
    expect_identical(rows(cv, "test")[[2]], intersect(sort(resampling$test_set(2)), used))
  }
  expect_true(TRUE)
})

test_that("rows that `subset` repeats are not cross-validated", {
  d <- row_data()
  expect_classed(row_cv(folds = 3, subset = c(1:60, 5)), "invalid_argument", "subset")
  gomp <- function(...) {
    mkl_gomp(y ~ z + w, d, kernels = gaussian_kernel(2), subset = c(1:60, 5), control = quiet(), ...)
  }
  expect_classed(gomp(lambda = c(0.1, 1), folds = 3), "invalid_argument", "subset")
  expect_s3_class(gomp(lambda = 0.1), "mkl_gomp")
})

test_that("rows that a bootstrap drew several times have as many times the weight", {
  d <- row_data()[-c(3, 10), ]
  set.seed(5)
  drawn <- sort(sample(58, replace = TRUE))
  x <- as.matrix(d[c("z", "w")])
  run <- function(...) {
    cv_mkl(x, d$y, ..., C = 1, folds = list(index = list(drawn)), control = quiet(tol = 1e-8), scale = FALSE)
  }
  test <- setdiff(1:58, drawn)
  rows <- unique(drawn)
  fit <- mkl(x[rows, ], d$y[rows], gaussian_kernel(2), weights = tabulate(drawn, 58)[rows],
             control = quiet(tol = 1e-8), scale = FALSE)
  expect_equal(run(gaussian_kernel(2), p = 2)$predictions$response, unname(predict(fit, x[test, ])),
               tolerance = 1e-4)
  set.seed(6)
  expect_false(is.na(run(gaussian_kernel(2), p = 1:2, nested = 3)$nested$estimate$mean))
})
