# The optimiser for many rows: it ends where the default does, its gap is that of duality_gap(), and
# hostile data are no harm to it.

skip_on_cran() # a slow file

quiet <- function(...) mkl_control(progress = FALSE, ...)

noisy_rows <- function(n, d = 6, flipped = 0.1) {
  set.seed(11)
  x <- matrix(rnorm(n * d), n)
  inside <- rowSums(x[, 1:2]^2) > 1.5
  wrong <- runif(n) < flipped
  inside[wrong] <- !inside[wrong]
  list(x = x, y = factor(ifelse(inside, "out", "in")),
       number = x[, 1] + sin(2 * x[, 2]) + rnorm(n) / 3)
}

widths <- function() gaussian_kernel(12 * 2^(-4:4))

# Both optima are between their bounds, and the gap is the true one.
expect_same_optimum <- function(fit, best, x, y) {
  expect_identical(fit$control$optimizer, "chunking")
  expect_true(fit$converged)
  expect_lte(fit$gap, fit$control$tol)
  expect_lte(fit$objective, best$primal)
  expect_lte(best$objective, fit$primal)
  expect_equal(duality_gap(fit, x, y)$gap, fit$gap, tolerance = 1e-6)
}

expect_chunks_agree <- function(x, y, kernels, ...) {
  best <- mkl(x, y, kernels, ..., control = quiet())
  fit <- mkl(x, y, kernels, ..., control = quiet("chunking"))
  expect_same_optimum(fit, best, x, y)
  invisible(fit)
}

test_that("the optimum is the default's for every p", {
  d <- noisy_rows(2500)
  for (p in c(1, 1.1, 4 / 3, 2, Inf)) expect_chunks_agree(d$x, d$y, widths(), p = p)
})

test_that("it is for other losses, one class, no intercept, weights and other norms", {
  skip_unless_slow()
  d <- noisy_rows(1800)
  for (loss in c("squared_hinge", "logistic")) {
    expect_chunks_agree(d$x, d$y, widths(), p = 2, loss = loss)
  }
  for (loss in list("squared", "epsilon_insensitive", "huber", quantile_loss(0.8))) {
    expect_chunks_agree(d$x, d$number, widths(), p = 2, loss = loss)
  }
  expect_chunks_agree(d$x, NULL, widths(), p = 2)
  expect_chunks_agree(d$x, d$y, widths(), p = 2, intercept = FALSE)
  expect_chunks_agree(d$x, d$y, widths(), p = 2, class_weights = c(out = 3),
                      weights = rep(c(0, 1, 2), 600))
  expect_chunks_agree(d$x, d$y, widths(), norm = elastic_net_norm(0.5))
})

test_that("it is for several views and kernels of any kind", {
  d <- noisy_rows(1500)
  x <- list(a = d$x[, 1:2], b = d$x[, 3:6])
  kernels <- c(on_view(c(gaussian_kernel(c(1, 4)), per_feature(linear_kernel())), "a"),
               on_view(c(polynomial_kernel(2), linear_kernel()), "b"))
  expect_chunks_agree(x, d$y, kernels, p = 4 / 3)
  given <- precomputed_kernel(list(wide = exp(-as.matrix(dist(d$x))^2 / 30),
                                   narrow = exp(-as.matrix(dist(d$x))^2 / 3)))
  fits <- lapply(c("interleaved", "chunking"), function(optimizer) {
    mkl(y = d$y, kernels = given, p = 4 / 3, control = quiet(optimizer))
  })
  expect_true(fits[[2]]$converged)
  expect_lte(fits[[2]]$objective, fits[[1]]$primal)
  expect_lte(fits[[1]]$objective, fits[[2]]$primal)
})

many <- function() noisy_rows(36000, d = 2, flipped = 0.4)

optimizer_of <- function(x, y, ...) {
  mkl(x, y, gaussian_kernel(c(1, 16)), ..., control = quiet(tol = 0.3))$optimizer
}

test_that("it is chosen where rows and expected support vectors are many", {
  skip_unless_slow()
  d <- many()
  expect_identical(mkl_control()$optimizer, "auto")
  expect_identical(optimizer_of(d$x, d$y), "chunking")
  clear <- factor(rowSums(d$x^2) > 1.5)
  expect_identical(optimizer_of(d$x, clear), "interleaved") # few support vectors
})

test_that("it is not chosen for fewer rows, fixed or sparse weights, or a large C", {
  skip_unless_slow()
  d <- many()
  fewer <- 1:27999
  expect_identical(optimizer_of(d$x[fewer, ], d$y[fewer]), "interleaved")
  expect_identical(optimizer_of(d$x, d$y, p = Inf), "interleaved") # fixed weights
  expect_identical(optimizer_of(d$x, d$y, p = 1), "interleaved") # sparse weights
  expect_identical(optimizer_of(d$x, d$y, C = 2), "interleaved")
})

test_that("duplicates, constant columns and a rare class are no harm", {
  d <- noisy_rows(2400)
  again <- c(rep(1, 1000), rep(2, 800), seq_len(600))
  y <- d$y[again]
  y[seq(1, 1000, by = 3)] <- "in" # equal rows of both classes
  y[seq(2, 1000, by = 3)] <- "out"
  expect_chunks_agree(d$x[again, ], y, widths(), p = 4 / 3)
  expect_chunks_agree(cbind(d$x, 1, 0), d$y, widths(), p = 4 / 3)
  rare <- factor(ifelse(seq_along(d$y) %% 240 == 0, "rare", "common"))
  expect_chunks_agree(d$x, rare, widths(), p = 4 / 3)
  sorted <- order(d$y)
  expect_chunks_agree(d$x[sorted, ], d$y[sorted], widths(), p = 4 / 3)
})

test_that("several classes have weights of their own, or share them and the passes", {
  d <- noisy_rows(1500)
  y <- factor(ifelse(d$x[, 1] > 0.5, "high", as.character(d$y)))
  fit <- mkl(d$x, y, widths(), p = 2, control = quiet("chunking"))
  for (model in fit$models) expect_lte(model$gap, 1e-3)
  for (p in c(4 / 3, 2, Inf)) {
    fits <- lapply(c("interleaved", "chunking"), function(optimizer) {
      mkl(d$x, y, widths(), p = p, multiclass = "shared", control = quiet(optimizer))
    })
    expect_identical(fits[[2]]$models[[1]]$optimizer, "chunking")
    expect_true(all(fits[[2]]$converged))
    expect_lte(fits[[2]]$objective[[1]], fits[[1]]$primal[[1]])
    expect_lte(fits[[1]]$objective[[1]], fits[[2]]$primal[[1]])
    expect_equal(duality_gap(fits[[2]], d$x, y)$gap, fits[[2]]$gap[[1]], tolerance = 1e-6,
                 ignore_attr = TRUE)
  }
  outputs <- cbind(a = d$number, b = d$x[, 3] + d$number)
  shared <- mkl(d$x, outputs, widths(), p = 2, multiclass = "shared", control = quiet("chunking"))
  expect_true(all(shared$converged))
})

test_that("limits leave a usable fit with its true gap", {
  d <- noisy_rows(3000)
  cut <- suppressWarnings(mkl(d$x, d$y, widths(), p = 4 / 3,
                              control = quiet("chunking", tol = 1e-6, max_iter = 1)))
  expect_identical(cut$status, "iteration_limit")
  expect_equal(duality_gap(cut, d$x, d$y)$gap, cut$gap, tolerance = 1e-6)
  expect_gt(cut$gap, 1e-6)
  warm <- mkl(d$x, d$y, widths(), p = 4 / 3, control = quiet("chunking", start = cut))
  expect_true(warm$converged)
})

test_that("interrupts between chunks leave a usable fit with its true gap, and its file goes on to the same end", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_unless_interrupts_arrive()
  skip_if_not_installed("progressr")
  d <- noisy_rows(2500)
  fit <- function(...) {
    mkl(d$x, d$y, widths(), p = 4 / 3, control = quiet("chunking", tol = 1e-5, cache = "4 MB", threads = 1, ...))
  }
  # Interrupts at so many signals of progress, whatever the time.
  interrupted_at <- function(signal, ...) {
    heard <- 0
    Sys.sleep(2.1) # a second interrupt within 2 s would stop the call
    suppressWarnings(suppressMessages(withCallingHandlers(
      progressr::with_progress(fit(...), handlers = progressr::handler_void(), enable = TRUE),
      progression = function(p) {
        heard <<- heard + (p$type == "update")
        if (heard == signal) tools::pskill(Sys.getpid(), tools::SIGINT)
      }
    )))
  }
  file <- tempfile()
  gaps <- vapply(c(2, 6), function(signal) {
    cut <- interrupted_at(signal, checkpoint = file)
    expect_identical(cut$status, "interrupted")
    expect_equal(duality_gap(cut, d$x, d$y)$gap, cut$gap, tolerance = 1e-6)
    expect_equal(predict(cut, d$x[1:9, ], type = "decision"), cut$decision[1:9], tolerance = 1e-8, ignore_attr = TRUE)
    cut$gap
  }, 0)
  expect_true(all(gaps > 1e-5))
  whole <- fit()
  on <- fit(checkpoint = file)
  for (field in c("alpha", "theta", "offset", "gap")) expect_identical(on[[field]], whole[[field]])
  expect_true(fit(start = interrupted_at(6))$converged)
})

test_that("a small budget of memory makes chunks smaller, not fits worse", {
  d <- noisy_rows(2500)
  fits <- lapply(c("4 MB", "4 GB"), function(cache) {
    mkl(d$x, d$y, widths(), p = 4 / 3, control = quiet("chunking", cache = cache, threads = 1))
  })
  for (fit in fits) expect_lte(fit$gap, 1e-3)
  expect_lte(fits[[1]]$memory, 4 * 1024^2)
  expect_lt(fits[[1]]$memory, fits[[2]]$memory)
})

test_that("progress tells rows per second", {
  d <- noisy_rows(2500)
  lines <- capture.output(mkl(d$x, d$y, widths(), p = 4 / 3, control = mkl_control("chunking", progress = TRUE)),
                          type = "message")
  expect_match(lines, "[0-9] rows/s", all = FALSE)
})

test_that("hostile rows of many kinds end in a certified fit or a clear error", {
  skip_unless_slow()
  d <- noisy_rows(2000)
  copies <- rep(1:20, each = 100)
  ten <- factor(ifelse(seq_len(2000) %in% seq(7, 2000, by = 200), "ten", "rest"))
  missing <- d$x
  missing[sample.int(length(missing), 0.01 * length(missing))] <- NA
  cases <- list(
    duplicates = list(d$x[copies, ], d$y[copies]),
    opposite = list(d$x[copies, ], factor(rep(c("a", "b"), 1000))),
    constant = list(cbind(d$x, 3, 0), d$y),
    ten = list(d$x, ten)
  )
  for (name in names(cases)) {
    for (optimizer in c("chunking", "auto")) {
      fit <- suppressMessages(mkl(cases[[name]][[1]], cases[[name]][[2]], widths(), p = 4 / 3, control = quiet(optimizer)))
      expect_true(fit$converged, label = paste(name, optimizer))
      expect_equal(duality_gap(fit, cases[[name]][[1]], cases[[name]][[2]])$gap, fit$gap, tolerance = 1e-6)
    }
  }
  expect_error(mkl(missing, d$y, widths(), control = quiet("chunking")), "missing", class = "manykernels_missing_values")
  filled <- suppressMessages(mkl(missing, d$y, widths(), impute = "median", control = quiet("chunking")))
  expect_true(filled$converged)
  expect_length(predict(filled, missing), 2000)
})
