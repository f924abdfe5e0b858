# mkl_sequential() against mkl(p = 1) with all kernels at once, and against the judge.
skip_on_cran() # a slow file

sequential <- function(x, y, dictionary, ..., control = quiet()) {
  if (missing(y)) return(mkl_sequential(x, dictionary = dictionary, ..., control = control,
                                        scale = FALSE))
  mkl_sequential(x, y, dictionary, ..., control = control, scale = FALSE)
}

# The same problem with all kernels at once.
at_once <- function(x, y, kernels, ..., control = quiet(tol = 1e-8)) {
  if (missing(y)) return(mkl(x, kernels = kernels, p = 1, ..., control = control, scale = FALSE))
  mkl(x, y, kernels, p = 1, ..., control = control, scale = FALSE)
}

expect_same_optimum <- function(fit, whole, rows = NULL) {
  expect_s3_class(fit, c("mkl_sequential", "mkl", "mkl_fit"), exact = TRUE)
  expect_true(fit$converged)
  expect_equal(fit$objective, whole$objective, tolerance = 1e-6)
  expect_equal(fit$primal, whole$primal, tolerance = 1e-6)
  expect_equal(unname(fit$decision), unname(whole$decision), tolerance = 1e-3)
  expect_equal(sum(fit$theta), 1)
  expect_gt(min(fit$theta), 0)
}

fine <- quiet(tol = 1e-8)
clouds <- judge_clouds(40, 6)
on_sets <- c(on_features(gaussian_kernel(c(1, 4)), list(c(1, 3), c(2, 3, 4), c(1, 2, 5, 6))),
             on_features(polynomial_kernel(3), list(c(1, 2))))

# ---- the optimum ---------------------------------------------------------------------------------

test_that("it is the optimum of all kernels at once, for kernels of every kind", {
  k <- every_kind(40, on_sets)
  fit <- sequential(clouds$x, clouds$y, k, control = fine)
  whole <- at_once(clouds$x, clouds$y, k)
  expect_same_optimum(fit, whole)
  expect_equal(fit$theta, whole$theta[names(fit$theta)], tolerance = 1e-3)
  expect_identical(names(fit$theta), names(whole$theta)[fit$selected])
  expect_equal(fit$largest, max(whole$forms), tolerance = 1e-5)
})

test_that("so it is for every normalisation", {
  k <- every_kind(40, on_sets)[-(1:2)]
  for (how in list("none", "trace", "spherical", c("centre", "multiplicative"), "centre",
                   c("centre", "spherical"), c("centre", "trace"))) {
    own <- if ("spherical" %in% how) k[seq_len(length(k) - 2)] else k
    C <- if (any(how %in% "trace")) 40 else 1
    # rows near the centre of a column, scaled to length 1, leave 2e-8 to rounding
    reached <- if (setequal(how, c("centre", "spherical"))) quiet(tol = 1e-7) else fine
    fit <- sequential(clouds$x, clouds$y, own, C = C, normalize = how, control = reached)
    whole <- at_once(clouds$x, clouds$y, own, C = C, normalize = how, control = reached)
    expect_same_optimum(fit, whole)
  }
})

test_that("so it is without offset, where centring is not for free", {
  k <- normalize_kernels(every_kind(40, on_sets), c("centre", "multiplicative"))
  k <- c(k[1:5], every_kind(40, on_sets)[c(3, 9)])
  fit <- sequential(clouds$x, clouds$y, k, intercept = FALSE, control = fine)
  expect_same_optimum(fit, at_once(clouds$x, clouds$y, k, intercept = FALSE))
})

test_that("so it is for every loss", {
  k <- on_features(gaussian_kernel(c(1, 6)), utils::combn(6, 2, simplify = FALSE))
  number <- clouds$x[, 1] + sin(clouds$x[, 2])
  for (loss in c("hinge", "squared_hinge", "logistic", "squared")) {
    fit <- sequential(clouds$x, clouds$y, k, loss = loss, C = 2, control = fine)
    expect_same_optimum(fit, at_once(clouds$x, clouds$y, k, loss = loss, C = 2))
  }
  for (loss in list("squared", epsilon_loss(0.05), huber_loss(0.5))) {
    fit <- sequential(clouds$x, number, k, loss = loss, C = 2, control = fine)
    expect_same_optimum(fit, at_once(clouds$x, number, k, loss = loss, C = 2))
  }
  fit <- sequential(clouds$x, dictionary = k, C = 0.3, normalize = "none", control = fine)
  expect_same_optimum(fit, at_once(clouds$x, kernels = k, C = 0.3, normalize = "none"))
})

test_that("class and case weights count", {
  k <- per_feature(gaussian_kernel(c(1, 4)))
  w <- rep(c(1, 2, 0, 0.5), 10)
  fit <- sequential(clouds$x, clouds$y, k, weights = w, class_weights = "balanced", control = fine)
  expect_same_optimum(fit, at_once(clouds$x, clouds$y, k, weights = w, class_weights = "balanced"))
})

test_that("the certificate is that of all kernels, by the judge", {
  sets <- utils::combn(6, 3)
  d <- kernel_dictionary(gaussian_kernel(c(1, 5)), sets = sets)
  for (control in list(quiet(), quiet(tol = 0.3), quiet(max_iter = 1))) {
    fit <- suppressWarnings(sequential(clouds$x, clouds$y, d, control = control))
    Ks <- unlist(lapply(seq_len(ncol(sets)), function(s) lapply(c(1, 5), function(width) {
      judge_normalize(judge_gaussian(clouds$x[, sets[, s]], width = width))$train
    })), recursive = FALSE)
    theta <- numeric(length(Ks))
    theta[fit$selected] <- fit$theta
    whole <- fit
    whole$theta <- theta
    expect_certified(whole, Ks, tol = max(fit$gap, fit$control$tol))
    expect_equal(fit$largest, max(judge_forms(Ks, fit$alpha)), tolerance = 1e-9)
    expect_equal(unname(fit$forms), judge_forms(Ks, fit$alpha)[fit$selected], tolerance = 1e-9)
  }
})

# ---- dictionaries --------------------------------------------------------------------------------

test_that("kernel set, list, sets of columns and function are the same dictionary", {
  sets <- utils::combn(6, 2)
  lists <- lapply(seq_len(ncol(sets)), function(s) sets[, s])
  bases <- c(gaussian_kernel(2), linear_kernel())
  set <- on_features(bases, lists)
  blocks <- kernel_dictionary(bases, sets = sets)
  f <- function(i) set[i]
  fits <- list(
    sequential(clouds$x, clouds$y, set), sequential(clouds$x, clouds$y, blocks),
    sequential(clouds$x, clouds$y, f, size = length(set)),
    sequential(clouds$x, clouds$y, kernel_dictionary(bases, sets = lists)),
    sequential(clouds$x, clouds$y, list(set[1:4], set[-(1:4)])),
    sequential(clouds$x, clouds$y, c(kernel_dictionary(bases, sets = sets[, 1:3]),
                                     kernel_dictionary(set[7:10]),
                                     kernel_dictionary(bases, sets = sets[, -(1:5)])))
  )
  fields <- c("theta", "alpha", "objective", "gap", "selected", "size", "decision", "largest")
  for (fit in fits[-1]) expect_equal(fit[fields], fits[[1]][fields], tolerance = 1e-10)
  named <- kernel_dictionary(bases, sets = lapply(lists, function(s) colnames(clouds$x)[s]))
  fit <- sequential(clouds$x, clouds$y, named)
  expect_equal(unname(fit$theta), unname(fits[[1]]$theta))
  expect_match(names(fit$theta)[1], "linear[v1,v2]", fixed = TRUE)
  texts <- kernel_dictionary(bases, sets = matrix(colnames(clouds$x)[sets], 2))
  expect_equal(sequential(clouds$x, clouds$y, texts)$theta, fit$theta)
})

test_that("a dictionary is a vector of kernels", {
  d <- kernel_dictionary(gaussian_kernel(c(1, 4)), sets = rbind(3:1, 4:6))
  expect_length(d, 6)
  expect_equal(names(d[1:6]), names(on_features(gaussian_kernel(c(1, 4)), list(3:4, c(2, 5), c(1, 6)))))
  expect_equal(d[c(6, 1)], d[1:6][c(6, 1)])
  joined <- c(d, linear_kernel(), kernel_dictionary(linear_kernel(), sets = list(a = 1:2)))
  expect_length(joined, 8)
  expect_equal(names(joined[c(8, 2, 7)]), c("linear[a]", "gaussian(width=4)[3,4]", "linear"))
  expect_equal(names(kernel_dictionary(function(i) gaussian_kernel(i), size = 9)[3:4]),
               c("gaussian(width=3)", "gaussian(width=4)"))
  expect_length(d[integer()], 0)
  expect_identical(d[[3]], d[1:6][[3]])
  expect_identical(as.list(d), as.list(d[1:6]))
  expect_null(names(d))
  expect_identical(summary(joined)$kernels, c(6, 1, 1))
  expect_output(str(d), "A dictionary of 6 kernels")
  expect_classed(d[[1:2]], "invalid_argument", "i")
  expect_classed(d[1] <- 3, "unsupported", "x")
  expect_classed(d[[1]] <- 3, "unsupported", "x")
  expect_classed(length(d) <- 3, "unsupported", "x")
  expect_snapshot({
    joined
    kernel_dictionary(function(i) gaussian_kernel(i), size = 2e6)
    kernel_dictionary(gaussian_kernel(1:9), sets = list(1, 2:3))
  })
})

test_that("order, repetition and the sizes of blocks make no difference", {
  k <- on_features(gaussian_kernel(c(1, 3, 9)), utils::combn(6, 3, simplify = FALSE))
  fit <- sequential(clouds$x, clouds$y, k, control = fine)
  set.seed(3)
  order <- sample(length(k))
  shuffled <- sequential(clouds$x, clouds$y, k[order], control = fine)
  expect_equal(shuffled$objective, fit$objective, tolerance = 1e-7)
  expect_setequal(order[shuffled$selected], fit$selected)
  twice <- sequential(clouds$x, clouds$y, rep(k, 3), control = fine)
  expect_equal(twice$objective, fit$objective, tolerance = 1e-7)
  expect_equal(twice$decision, fit$decision, tolerance = 1e-4)
  for (insert in c(1, 7)) {
    small <- sequential(clouds$x, clouds$y, k, control = fine, insert = insert, recheck = 5)
    expect_equal(small$objective, fit$objective, tolerance = 1e-7)
    expect_equal(small$theta, fit$theta, tolerance = 1e-3)
    expect_true(all(small$history$inserted <= max(insert)))
  }
})

test_that("different kernels of the same strength all join", {
  skip_unless_slow()
  n <- 100
  x <- diag(n)
  y <- factor(rep(c("a", "b"), n / 2))
  for (k in list(per_feature(linear_kernel()), per_feature(gaussian_kernel(1)))) {
    fit <- sequential(x, y, k, C = 100, control = quiet(tol = 1e-5))
    expect_true(fit$converged)
    expect_length(fit$selected, n)
    expect_equal(fit$objective, at_once(x, y, k, C = 100)$objective, tolerance = 1e-5)
  }
  # but of kernels that are the same, one does
  few <- on_features(gaussian_kernel(c(1, 3, 9)), utils::combn(6, 3, simplify = FALSE))
  many <- kernel_dictionary(function(i) few[(i * 7) %% 60 + 1], size = 600)
  fit <- sequential(clouds$x, clouds$y, many, control = quiet(tol = 1e-5))
  expect_equal(fit$objective, at_once(clouds$x, clouds$y, few)$objective, tolerance = 1e-5)
  joined <- fit$selected > 1 & !fit$selected %in% (floor(0:63 * 600 / 64) + 1)
  expect_false(anyDuplicated(fit$selected[joined] %% 60) > 0)
})

test_that("pools are looked at between passes, and all kernels last", {
  k <- kernel_dictionary(gaussian_kernel(2^seq(-3, 4, length.out = 40)), sets = utils::combn(6, 2))
  fit <- sequential(clouds$x, clouds$y, k, recheck = 50)
  expect_lt(fit$passes, nrow(fit$history))
  expect_identical(fit$history$scanned[nrow(fit$history)], 600)
  expect_true(all(fit$history$scanned %in% c(600, seq_len(50))))
  expect_equal(fit$gap, fit$history$gap[nrow(fit$history)], tolerance = 1e-2)
  whole <- sequential(clouds$x, clouds$y, k, recheck = 600)
  expect_identical(whole$passes, nrow(whole$history))
  expect_equal(whole$objective, fit$objective, tolerance = 2e-3)
})

test_that("one kernel, kernels all alike, and one of weight are fine", {
  expect_equal(unname(sequential(clouds$x, clouds$y, linear_kernel())$theta), 1)
  fit <- sequential(clouds$x, clouds$y, rep(gaussian_kernel(2), 100), control = fine)
  expect_equal(fit$objective, at_once(clouds$x, clouds$y, gaussian_kernel(2))$objective,
               tolerance = 1e-7)
  expect_identical(fit$size, 100)
})

test_that("threads make no difference but rounding", {
  d <- kernel_dictionary(gaussian_kernel(c(1, 3)), sets = utils::combn(6, 3))
  one <- sequential(clouds$x, clouds$y, d, control = quiet(tol = 1e-6, threads = 1))
  three <- sequential(clouds$x, clouds$y, d, control = quiet(tol = 1e-6, threads = 3))
  expect_equal(three$objective, one$objective, tolerance = 1e-9)
  expect_identical(three$selected, one$selected)
})

# ---- data ----------------------------------------------------------------------------------------

test_that("views, data frames, sparse matrices and formulas are read", {
  x <- clouds$x
  views <- list(left = x[, 1:3], right = x[, 4:6])
  k <- on_view(gaussian_kernel(c(1, 4)), c("left", "right"))
  fit <- sequential(views, clouds$y, k, control = fine)
  expect_same_optimum(fit, at_once(views, clouds$y, k))
  expect_equal(predict(fit, views, type = "decision"), fit$decision, tolerance = 1e-8)
  expect_lt(abs(duality_gap(fit, views)$gap - fit$gap), 1e-10)
  d <- kernel_dictionary(on_view(gaussian_kernel(2), "right"), sets = utils::combn(3, 2))
  fit <- sequential(views, clouds$y, d)
  expect_identical(unique(kernel_weights(fit)$view), "right")
  expect_classed(sequential(views, clouds$y, kernel_dictionary(gaussian_kernel(2), sets = list(1))),
                 "invalid_argument", "dictionary")
  sparse <- Matrix::Matrix(x * (x > 0), sparse = TRUE)
  d <- kernel_dictionary(c(gaussian_kernel(2), linear_kernel()), sets = utils::combn(6, 2))
  fit <- sequential(sparse, clouds$y, d, control = fine)
  expect_equal(fit$objective, sequential(as.matrix(sparse), clouds$y, d, control = fine)$objective,
               tolerance = 1e-7)
  frame <- data.frame(x, y = clouds$y)
  fit <- mkl_sequential(y ~ ., frame, dictionary = d, control = quiet(), scale = FALSE)
  expect_equal(fit$theta, sequential(x, clouds$y, d)$theta)
  expect_identical(length(predict(fit, frame[1:3, ])), 3L)
  expect_lt(abs(duality_gap(fit, frame)$gap - fit$gap), 1e-10)
  expect_equal(sequential(frame[-7], clouds$y, d)$theta, fit$theta)
})

test_that("several classes are fitted by every strategy", {
  triangle <- judge_triangle(45)
  k <- on_features(gaussian_kernel(2^(-2:3)), list(1, 2, 1:2))
  for (strategy in c("ovr", "ovo", "shared")) {
    fit <- sequential(triangle$x, triangle$y, k, multiclass = strategy, control = quiet(tol = 1e-7))
    whole <- mkl(triangle$x, triangle$y, k, p = 1, multiclass = strategy,
                 control = quiet(tol = 1e-7), scale = FALSE)
    expect_s3_class(fit, c("mkl_sequential", "mkl_multiclass", "mkl_fit"), exact = TRUE)
    expect_equal(fit$objective, whole$objective, tolerance = 1e-6)
    expect_equal(fit$decision, whole$decision, tolerance = 1e-2)
    expect_identical(predict(fit, triangle$x), predict(whole, triangle$x))
    expect_equal(duality_gap(fit, triangle$x)$gap, unique(fit$gap), tolerance = 1e-5,
                 ignore_attr = TRUE)
    expect_output(print(fit), "Dictionary of 18 kernels")
  }
})

test_that("fits are saved, printed, plotted, updated and predict like others", {
  d <- kernel_dictionary(gaussian_kernel(c(1, 4)), sets = utils::combn(6, 2))
  fit <- sequential(clouds$x, clouds$y, d)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  new <- judge_clouds(15, 6, seed = 5)$x
  expect_identical(predict(again, new), predict(fit, new))
  expect_lt(abs(duality_gap(again, clouds$x, clouds$y)$gap - fit$gap), 1e-10)
  expect_equal(unname(predict(fit, clouds$x, type = "decision")), unname(fit$decision),
               tolerance = 1e-8)
  expect_equal(nrow(kernel_weights(fit)), length(fit$selected))
  expect_identical(coef(fit), fit$theta)
  expect_identical(support(fit)$row, fit$support)
  expect_identical(nobs(fit), 40L)
  expect_output(print(summary(fit)), "Training rows")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off(), add = TRUE)
  expect_invisible(plot(fit))
  # match.call() keeps symbols: they are looked up where update() is called
  looser <- mkl_sequential(clouds$x, clouds$y, d, control = quiet(tol = 0.01), scale = FALSE)
  expect_lte(update(looser, control = quiet(tol = 1e-6))$gap, 1e-6)
  exact <- sequential(clouds$x, clouds$y, d, control = quiet(tol = 1e-8)) # to all printed digits
  expect_snapshot(print(exact), transform = hide_digits)
  classes <- sequential(clouds$x, clouds$y, d, control = quiet(probability = TRUE))
  expect_equal(rowSums(predict(classes, new, type = "prob")), rep(1, 15))
})

test_that("precomputed kernels are given again for the certificate, or the fit's bound is taken", {
  Ks <- lapply(c(a = 1, b = 4, c = 9), function(width) judge_gaussian(clouds$x, width = width))
  k <- precomputed_kernel(Ks)
  fit <- sequential(NULL, clouds$y, k)
  expect_null(fit$dictionary)
  expect_lt(abs(duality_gap(fit, dictionary = k)$gap - fit$gap), 1e-10)
  expect_message(verdict <- duality_gap(fit, Ks), class = "manykernels_message_dictionary")
  expect_lt(abs(verdict$gap - fit$gap), 1e-10)
  expect_equal(unname(predict(fit, lapply(Ks, function(K) K[1:3, ]), type = "decision")),
               unname(fit$decision[1:3]), tolerance = 1e-8)
  made <- sequential(NULL, clouds$y, function(i) Ks[[i]], size = 3)
  expect_equal(unname(made$theta), unname(fit$theta), tolerance = 1e-6)
  expect_lt(abs(duality_gap(made)$gap - made$gap), 1e-10)
  expect_classed(duality_gap(fit, dictionary = k[1]), "length", "dictionary")
})

# ---- limits --------------------------------------------------------------------------------------

test_that("time runs out before and after the first pass", {
  slow <- function(i) {
    Sys.sleep(0.002)
    gaussian_kernel(1 + i / 100)
  }
  expect_warning(
    fit <- sequential(clouds$x, clouds$y, slow, size = 5000, control = quiet(max_time = 0.5)),
    class = "manykernels_warning_not_converged"
  )
  expect_identical(fit$status, "time_limit")
  expect_identical(fit$gap, 1)
  expect_identical(fit$objective, 0)
  d <- kernel_dictionary(gaussian_kernel(2^(-2:3)), sets = utils::combn(6, 3))
  begun <- suppressWarnings(sequential(clouds$x, clouds$y, d, control = quiet(max_iter = 1)))
  expect_identical(begun$status, "iteration_limit")
  expect_identical(nrow(begun$history), 1L)
  expect_lt(abs(duality_gap(begun, clouds$x)$gap - begun$gap), 1e-9)
  pool <- suppressWarnings(sequential(clouds$x, clouds$y, d, recheck = 5, insert = 1,
                                      control = quiet(max_iter = 2, tol = 1e-8)))
  expect_identical(pool$history$scanned, c(120, 5, 120))
  expect_identical(pool$history$gap[3], pool$gap)
  expect_identical(pool$passes, 2L)
})

test_that("time may run out at any moment: the fit is usable, its gap no less than the true one", {
  d <- kernel_dictionary(gaussian_kernel(c(0.5, 2, 8)), sets = utils::combn(6, 3))
  one_set <- d[seq_along(d)]
  for (seconds in c(1e-9, 1e-3 * 1.3^(-8:12))) {
    hurry <- quiet(max_time = seconds, tol = 1e-8)
    for (call in list(
      function() sequential(clouds$x, clouds$y, d, control = hurry),
      function() at_once(clouds$x, clouds$y, one_set[1:20], control = hurry),
      function() at_once(clouds$x, clouds$y, rep(one_set, 2), control = hurry)
    )) {
      fit <- suppressWarnings(unless_late(call))
      expect_equal(sum(fit$theta), 1)
      expect_gt(fit$primal, 0)
      expect_lte(duality_gap(fit, clouds$x)$gap, fit$gap + 1e-9)
    }
  }
})

test_that("errors and interrupts of the function are passed on", {
  fails <- function(i) if (i > 70) stop("no kernel here") else gaussian_kernel(i)
  expect_error(sequential(clouds$x, clouds$y, fails, size = 100), "no kernel here")
  stops <- function(i) {
    if (i == 80) stop(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
    gaussian_kernel(i)
  }
  stopped <- tryCatch(sequential(clouds$x, clouds$y, stops, size = 100), interrupt = identity)
  expect_s3_class(stopped, "interrupt")
  kernel <- function_kernel(function(X, Z) if (nrow(X) > 25) stop("too many") else tcrossprod(X, Z))
  expect_error(sequential(clouds$x, clouds$y, function(i) kernel, size = 3), "too many")
  expect_error(sequential(clouds$x, clouds$y, c(gaussian_kernel(1), kernel)), "too many")
})

test_that("warnings about kernels come after the fit, once however often a kernel is made", {
  shaken <- diag(40) + 0.4 * sin(outer(1:40, 1:40))
  f <- function(i) if (i == 7) shaken - diag(0.9, 40) else tcrossprod(clouds$x^(1 + i %% 3)) + i * diag(40)
  said <- testthat::capture_warnings(
    fit <- sequential(clouds$x, clouds$y, f, size = 90, normalize = "trace", control = quiet(tol = 0.1))
  )
  expect_match(said, "Kernel `kernel 7` is indefinite")
  expect_length(said, 1)
  warns <- function(i) {
    if (i %in% c(3, 80)) warning("careful with ", i)
    gaussian_kernel(i)
  }
  said <- testthat::capture_warnings(sequential(clouds$x, clouds$y, warns, size = 90))
  expect_setequal(said, c("careful with 3", "careful with 80"))
})

# ---- wrong arguments -----------------------------------------------------------------------------

test_that("functions that return something else are errors", {
  f <- function(value) function(i) if (i > 3) value else gaussian_kernel(i)
  for (value in list(NULL, 1, "linear", gaussian_kernel(1:2), list(), NA,
                     per_feature(linear_kernel()))) {
    expect_classed(sequential(clouds$x, clouds$y, f(value), size = 10), "dictionary", "dictionary")
  }
  expect_error(sequential(clouds$x, clouds$y, f(matrix(NA_real_, 40, 40)), size = 10),
               class = "manykernels_error")
  expect_error(sequential(clouds$x, clouds$y, f(diag(3)), size = 10), class = "manykernels_error")
  for (bad in list(diag(39), matrix(NA_real_, 40, 40), matrix(1:1600 + 0, 40))) {
    g <- function(i) if (i == 7) bad else diag(40) + 1 / i
    expect_error(sequential(clouds$x, clouds$y, g, size = 10), "kernel 7")
  }
  expect_classed(sequential(NULL, clouds$y, function(i) diag(41 - (i == 1)), size = 3),
                 "dimension", "dictionary")
  expect_message(sequential(clouds$x, clouds$y, f(matrix(1, 40, 40)), size = 10), "`kernel 4`",
                 class = "manykernels_message_constant_kernels")
  expect_error(sequential(clouds$x, clouds$y, f(on_features(linear_kernel(), 99)), size = 10),
               class = "manykernels_unknown_feature")
})

test_that("kernels that nobody has looked at yet take no memory", {
  skip_on_cran()
  skip_if_not(file.exists("/proc/self/status"))
  skip_if(nzchar(Sys.getenv("ASAN_OPTIONS")), "blocks of the exact size are written whole")
  peak <- function() { # kB
    line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
    as.numeric(gsub("[^0-9]", "", line))
  }
  before <- peak()
  # a fit at the limit, or none where the machine is busy
  try(suppressWarnings(mkl_sequential(
    iris[1:100, 1:4], droplevels(iris$Species[1:100]), function(i) gaussian_kernel(i), size = 5e8,
    control = quiet(max_time = 1)
  )), silent = TRUE)
  expect_lt(peak() - before, 1e6)
})

test_that("a kernel that can't be scaled is named", {
  x <- cbind(clouds$x, mostly = c(0, rep(1, 39)))
  d <- kernel_dictionary(linear_kernel(), sets = rbind(c(1:6, 7)))
  e <- expect_classed(sequential(x, clouds$y, d, normalize = "spherical"),
                      "constant_kernel", "kernels")
  expect_match(conditionMessage(e), "linear[7]", fixed = TRUE)
})

test_that("wrong arguments are errors that name them", {
  x <- clouds$x
  y <- clouds$y
  k <- gaussian_kernel(1:3)
  expect_classed(mkl_sequential(x, y, scale = FALSE), "invalid_argument", "dictionary")
  for (bad in list(NULL, 1, "linear", list(), list(1), NA, x)) {
    expect_classed(sequential(x, y, bad), "invalid_argument", "dictionary")
  }
  expect_classed(sequential(x, y, k[integer()]), "invalid_argument", "dictionary")
  expect_classed(sequential(x, y, function(i) k[i]), "invalid_argument", "size")
  for (bad in list(0, -1, NA, 1.5, "3", c(1, 2), Inf, 1e13)) {
    expect_classed(sequential(x, y, function(i) k[i], size = bad), "invalid_argument", "size")
  }
  expect_classed(sequential(x, y, k, size = 3), "invalid_argument", "size")
  for (bad in list(0, -1, NA, "a", 1:2)) {
    expect_classed(sequential(x, y, k, insert = bad), "invalid_argument", "insert")
    expect_classed(sequential(x, y, k, recheck = bad), "invalid_argument", "recheck")
  }
  expect_classed(sequential(x, y, k, C = -1), "invalid_argument", "C")
  expect_error(sequential(x, y, k, p = 2), class = "manykernels_error")
  expect_classed(sequential(NULL, y, k), "invalid_argument", "x")
  fit <- sequential(x, y, k)
  expect_classed(sequential(x, y, k, control = quiet(start = fit)), "unsupported", "start")
  expect_classed(sequential(x, y, k, control = quiet(trace = TRUE)), "unsupported", "trace")
  expect_classed(risk_bound(fit, x), "unsupported", "fit")
  expect_classed(duality_gap(fit, x[1:5, ]), "length", "x")
})

test_that("wrong dictionaries are errors that name what is wrong", {
  k <- gaussian_kernel(1)
  for (bad in list(NULL, 1, "a")) {
    expect_classed(kernel_dictionary(bad), "invalid_argument", "kernels")
  }
  for (bad in list(1:3, "a", list(), matrix(NA_character_), matrix(numeric(), 0, 2), matrix(0), matrix(NA_real_),
                   matrix(1.5), list(1, "a"))) {
    expect_classed(kernel_dictionary(k, sets = bad), "invalid_argument", "sets")
  }
  expect_error(kernel_dictionary(k, sets = list(1, NA)), class = "manykernels_invalid_argument")
  expect_error(kernel_dictionary(k, sets = list(character())), class = "manykernels_invalid_argument")
  expect_classed(kernel_dictionary(per_feature(k), sets = list(1)), "invalid_argument", "kernels")
  expect_classed(kernel_dictionary(on_features(k, 1), sets = list(1)), "invalid_argument", "kernels")
  expect_classed(kernel_dictionary(precomputed_kernel(diag(3)), sets = list(1)),
                 "invalid_argument", "kernels")
  expect_classed(kernel_dictionary(function_kernel(function(X, Z) X %*% t(Z), "f"), sets = list(1)),
                 "unsupported", "kernels")
  expect_classed(kernel_dictionary(k, size = 2), "invalid_argument", "size")
  expect_classed(kernel_dictionary(function(i) k, sets = list(1), size = 2), "invalid_argument",
                 "sets")
  f <- kernel_dictionary(function(i) k, size = 2)
  expect_classed(c(f, f), "unsupported", "...")
  for (bad in list(0, 3, NA_real_, 1.5)) expect_classed(f[bad], "unknown_kernel", "i")
  expect_classed(f["a"], "invalid_argument", "i")
  expect_classed(sequential(clouds$x, clouds$y, kernel_dictionary(k, sets = list(1:2, 7))),
                 "unknown_feature", "dictionary")
  expect_classed(sequential(clouds$x, clouds$y, kernel_dictionary(k, sets = list("v1", "z"))),
                 "unknown_feature", "dictionary")
})

test_that("errors inside the core have the classes of the package", {
  d <- judge_clouds(60)
  kernel <- function_kernel(function(X, Z) {
    if (nrow(X) * nrow(Z) > 400) stop("boom")
    X %*% t(Z)
  }, "odd")
  expect_error(mkl_sequential(d$x, d$y, kernel), "boom", class = "manykernels_error")
  expect_error(mkl_gomp(d$x, d$y, kernel), "boom", class = "manykernels_error")
  expect_error(mkl_sequential(d$x, d$y, function(i) if (i > 1) stop("boom") else linear_kernel(),
                              size = 3), "boom", class = "manykernels_error")
})
