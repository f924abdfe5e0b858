# Parts of a fit that no call brings about at will: how models share time, what the progress of a fit is
# taken for, texts about fits that did not converge, threads by the session's settings.

quiet <- function(...) mkl_control(tol = 1e-9, progress = FALSE, ...)
limited <- function(seconds, ...) mkl_control(max_time = seconds, progress = FALSE, ...)
d <- judge_clouds(40)

# ---- time ----------------------------------------------------------------------------------------

test_that("models of several classes share the time", {
  settings <- list(deadline = seconds_now() + 9, control = limited(9))
  share <- function(fits) share_of_time(settings, fits)$deadline - seconds_now()
  expect_lt(abs(share(3) - 9 * (1 - 0.2 * 2 / 3)), 0.5)
  expect_lt(abs(share(1) - 9), 0.5)
})

# Calls of a core whose fits need these seconds, without a core: time is counted, not spent.
spent_by <- function(needed, limit, warm = TRUE) {
  clock <- 0
  done <- numeric(length(needed))
  problem <- list(settings = list(control = limited(limit, probability = FALSE)),
                  groups = as.list(seq_along(needed)), tasks = as.list(seq_along(needed)))
  problem$settings$deadline <- limit
  if (!warm) problem$solve <- function(...) NULL
  own <- new.env(parent = environment(fit_parts))
  for (name in c("fit_parts", "has_time", "share_of_time", "seconds_until")) {
    f <- get(name)
    environment(f) <- own
    assign(name, f, own)
  }
  own$seconds_now <- function() clock
  own$fit_part <- function(problem, part, before, progress, fits_left) {
    end <- own$share_of_time(problem$settings, fits_left)$deadline
    took <- min(end - clock, needed[part$group] - done[part$group])
    clock <<- clock + took
    done[part$group] <<- done[part$group] + took
    list(status = if (done[part$group] < needed[part$group] - 1e-9) "time_limit" else "converged")
  }
  results <- own$fit_parts(problem, core_parts(problem), no_checkpoint)
  list(status = vapply(results, `[[`, "", "status"), clock = clock, done = done)
}

test_that("time that one model leaves goes to the others", {
  for (needed in list(c(4, 4, 1), c(1, 4, 4), c(8, 1, 1), c(1, 1, 8), rep(0.1, 90))) {
    for (warm in c(TRUE, FALSE)) {
      expect_true(all(spent_by(needed, 1.3 * sum(needed), warm)$status == "converged"))
    }
  }
  # too little time: it is used up, and every model has some
  short <- spent_by(c(8, 8, 8), 6)
  expect_equal(short$clock, 6, tolerance = 0.03)
  expect_true(all(short$done > 0.3))
})

test_that("a fit that goes on from where time cut it has its whole record", {
  set.seed(3)
  x <- matrix(rnorm(900), 300)
  d <- list(x = x, y = factor(ifelse(x[, 1] + rnorm(300) > 0, "a", "b")))
  data <- list(d$x, d$y, gaussian_kernel(2^(-2:2)), C = 10)
  cut <- do.call(mkl, c(data, list(control = mkl_control(max_iter = 3, progress = FALSE)))) |>
    suppressWarnings()
  as_result <- function(fit) c(unclass(fit)[c("gap", "status", "iterations", "solves", "memory")],
                               list(history = as.list(fit$history)))
  full <- do.call(mkl, c(data, list(control = mkl_control(start = cut, progress = FALSE))))
  joined <- continued_result(as_result(cut), as_result(full))
  expect_identical(joined$status, "converged")
  expect_identical(joined$gap, full$gap)
  expect_identical(joined$iterations, cut$iterations + full$iterations)
  expect_length(joined$history$gap, nrow(cut$history) + nrow(full$history))
  expect_false(is.unsorted(joined$history$time))
  expect_identical(continued_result(as_result(full), as_result(cut))$gap, full$gap)
})

# ---- progress ------------------------------------------------------------------------------------

test_that("bars of cli move where lines can be redrawn", {
  skip_if_not_installed("cli")
  old <- options(cli.dynamic = TRUE)
  on.exit(options(old))
  expect_true(bar_can_move())
  options(cli.dynamic = FALSE)
  expect_false(bar_can_move())
})

test_that("the time left is told from how far the gap has fallen", {
  share <- gap_share(1e-4)
  expect_identical(share(1, 0, 1), 0)
  expect_equal(share(2, 0, 1e-2), 0.5)
  expect_identical(share(3, 0, 1e-5), 1)
  expect_identical(gap_share(0.1)(1, 0, 0.05), 1)
  expect_identical(capture.output({
    lines <- line_writer(in_place = FALSE)
    for (time in c(1, 9, 11, 20, 22, 23)) lines$write(paste("at", time), time)
    lines$end()
  }, type = "message"), c("at 11", "at 22", "at 23"))
  expect_match(capture.output(line_writer(in_place = TRUE)$write("at 1", 1), type = "message"), "\rat 1", fixed = TRUE)
  shown <- function(line, ...) {
    capture.output({
      line$write(...)
      line$end()
    }, type = "message")
  }
  expect_identical(shown(step_line("Work", 4), 1), "Work: 1 of 4, 0 s")
  expect_match(shown(progress_line(), 1, 2, 3, 0.1, left = 6), "2.0 s, 6 s left")
  expect_no_match(shown(progress_line(), 1, 2, 3, 0.1, left = Inf), "left")
})

test_that("what is done only grows, from one model to the next", {
  skip_if_not_installed("progressr")
  run <- function() {
    progress <- run_progress("Fit", 2, FALSE, gap_share(1e-2))
    for (model in 1:2) {
      tell <- progress$tell(model)
      for (gap in c(1, 0.1, 0.5, 0.01)) tell(1, 1, 1, gap)
    }
    progress$done()
  }
  expect_equal(signals(run()), 100)
  expect_null(run_progress("Fit", 2, FALSE, gap_share(1e-2))$tell(1))
})

# ---- texts ---------------------------------------------------------------------------------------

test_that("a fit that didn't converge prints why", {
  fit <- mkl(d$x, d$y, c(linear_kernel(), gaussian_kernel(c(1, 8))), control = quiet())
  fit[c("status", "converged", "gap")] <- list("time_limit", FALSE, 0.02)
  expect_snapshot(cat(certificate_text(fit)), transform = hide_digits)
})

test_that("warnings of fits that didn't converge name the limit and the worst machine", {
  model <- function(status, gap) list(status = status, gap = gap)
  of <- function(tol, names) {
    list(settings = list(control = list(tol = tol)), tasks = stats::setNames(nm = names))
  }
  expect_snapshot(cnd_class = TRUE, {
    warn_not_converged(list(model("time_limit", 0.02)), NULL, of(1e-3, "a"))
    warn_not_converged(list(model("stalled", 2e-9)), NULL, of(1e-9, "a"))
    warn_not_converged(list(model("converged", 1e-4), model("iteration_limit", 0.3),
                            model("iteration_limit", 0.1)), NULL, of(1e-3, c("a", "b", "c")))
  })
})

test_that("a fit stalled far from the optimum says what may be the matter", {
  model <- list(status = "stalled", gap = 0.4)
  problem <- list(settings = list(control = list(tol = 1e-3)), tasks = list(y = 1))
  expect_warning(warn_not_converged(list(model), NULL, problem), "indefinite")
  model$gap <- 0.002
  near <- tryCatch(warn_not_converged(list(model), NULL, problem), warning = conditionMessage)
  expect_no_match(near, "indefinite")
})

test_that("data inside a call are not printed", {
  d <- judge_clouds(40)
  fit <- do.call(mkl, list(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet()))
  lines <- call_lines(fit$call)
  expect_lt(length(lines), 10)
  expect_true(all(nchar(lines) <= 100))
  expect_snapshot(writeLines(call_lines(quote(mkl(x = x, y = y, p = 4/3)))))
})

test_that("the ten largest positive weights are found, in falling order", {
  theta <- stats::setNames(c(5, 3, 9, 1, 7, 2, 8, 6, 4, 12, 11, 10) / 10, letters[1:12])
  top <- top_kernels(theta)
  expect_identical(names(top), names(sort(theta, decreasing = TRUE))[1:10])
  expect_identical(unname(theta[top]), unname(theta[names(top)]))
  expect_identical(top_kernels(c(a = 0, b = 1, c = 2)), c(c = 3L, b = 2L))
})

test_that("weights of several models have the same decimals, and none is told from a small one", {
  theta <- matrix(c(0.25, 1e-5, 0, 0.0123), 2)
  expect_identical(fixed_digits(theta, 3), matrix(c("0.250", "0.000", "0", "0.012"), 2))
  expect_identical(fixed_digits(c(a = 123.4, b = 5), 2), c(a = "123", b = "5"))
  expect_identical(fixed_digits(c(0, 0), 3), c("0", "0"))
  expect_identical(fixed_digits(c(-1e-9, -0.02), 2), c("0.000", "-0.020"))
})

# ---- threads -------------------------------------------------------------------------------------

# Environment variables and options that speak of cores, as they were afterwards.
without_limits <- function(expr) {
  names <- c("MC_CORES", "R_PARALLELLY_AVAILABLECORES_FALLBACK", "_R_CHECK_LIMIT_CORES_")
  variables <- Sys.getenv(names, NA, names = TRUE)
  old <- options(mc.cores = NULL, manykernels.threads = NULL)
  Sys.unsetenv(names)
  on.exit({
    options(old)
    Sys.unsetenv(names)
    if (!all(is.na(variables))) do.call(Sys.setenv, as.list(variables[!is.na(variables)]))
  })
  expr
}

test_that("threads come from the argument, then the option, then the core", {
  without_limits({
    options(manykernels.threads = 3)
    expect_identical(thread_count(mkl_control(threads = 2)), 2L)
    expect_identical(thread_count(mkl_control()), 3L)
    options(manykernels.threads = NULL)
    expect_identical(thread_count(mkl_control()), 0L)
    options(manykernels.threads = "many")
    expect_error(thread_count(mkl_control()), class = "manykernels_invalid_argument")
  })
})

test_that("a session takes no more threads than it is said to have", {
  without_limits({
    expect_identical(session_threads(), 0L)
    Sys.setenv(R_PARALLELLY_AVAILABLECORES_FALLBACK = "5")
    expect_identical(session_threads(), 5L)
    Sys.setenv(MC_CORES = "4")
    expect_identical(session_threads(), 4L)
    options(mc.cores = 3)
    expect_identical(thread_count(mkl_control()), 3L)
    Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
    expect_identical(session_threads(), 2L)
    options(mc.cores = 1)
    expect_identical(session_threads(), 1L)
    options(mc.cores = 0) # no process beside this one
    expect_identical(session_threads(), 1L)
    for (nonsense in list("many", NA, -3, character())) {
      options(mc.cores = nonsense)
      expect_true(session_threads() %in% 1:2)
    }
    Sys.setenv("_R_CHECK_LIMIT_CORES_" = "false")
    options(mc.cores = "many")
    expect_identical(session_threads(), 0L)
    options(mc.cores = 1, manykernels.threads = 2)
    expect_identical(thread_count(mkl_control()), 2L)
  })
})

test_that("workers of a cluster take one thread unless they are told otherwise", {
  expect_identical(session_threads(c("R", "--args", "MASTER=localhost", "PORT=1")), 1L)
  skip_on_cran()
  cluster <- parallel::makeCluster(1)
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, function(folders) .libPaths(folders), .libPaths())
  there <- function() parallel::clusterEvalQ(cluster, manykernels:::thread_count())[[1]]
  expect_identical(there(), 1L)
  parallel::clusterEvalQ(cluster, options(manykernels.threads = 8))
  expect_identical(there(), 8L)
})

# ---- paths ---------------------------------------------------------------------------------------

test_that("Bernstein coefficients bound their polynomials", {
  x <- c(2, 5)
  y <- c(1, -3)
  t <- seq(0, 1, 0.01)
  value <- function(coefficients) {
    vapply(t, function(s) sum(coefficients * choose(4, 0:4) * s^(0:4) * (1 - s)^(4:0)), 0)
  }
  expect_equal(value(line_coefficients(x, 1)), (1 - t) * 2 + t * 5)
  expect_equal(value(product_coefficients(x, y, 1)), ((1 - t) * 2 + t * 5) * ((1 - t) - 3 * t))
  norms <- matrix(c(1, 2, 1.5, NA, NA, 1.2), 2,
                  dimnames = list(NULL, c("own", "next_node", "last_node")))
  chord <- (1 - t) * ((1 - t) * 1 + t * 1.5) + t * ((1 - t) * 1.2 + t * 2)
  expect_equal(value(square_coefficients(norms, 1)), chord^2)
})

test_that("a call checks objects at most twice", {
  skip_unless_slow()
  made <- fits_of_every_class()
  x <- made$x
  newx <- x[1:3, , drop = FALSE]
  uses <- list(
    predict = function(fit) predict(fit, newx), training = function(fit) predict(fit),
    fitted = fitted, residuals = residuals, coef = coef, nobs = nobs, kernel_weights = kernel_weights,
    support = support, summary = summary, print = print, duality_gap = function(fit) duality_gap(fit, x),
    tidy = function(fit) generics::tidy(fit), glance = function(fit) generics::glance(fit),
    augment = function(fit) generics::augment(fit, newdata = newx),
    variable.names = variable.names, case.names = case.names, formula = formula,
    start = function(fit) mkl(x, made$y, made$kernels, control = mkl_control(start = fit, progress = FALSE))
  )
  if (!requireNamespace("generics", quietly = TRUE)) uses[c("tidy", "glance", "augment")] <- NULL
  checks <- new.env()
  namespace <- asNamespace("manykernels")
  suppressMessages(trace("check_object", bquote({
    checks <- .(checks)
    checks$count <- checks$count + 1
  }), where = namespace, print = FALSE))
  on.exit(suppressMessages(untrace("check_object", where = namespace)))
  for (name in names(made$fits)) for (use in names(uses)) {
    checks$count <- 0
    problem_of(function(fit) invisible(uses[[use]](fit)), made$fits[[name]])
    expect_lte(checks$count, 2, label = sprintf("checks by %s() of %s", use, name))
  }
})
