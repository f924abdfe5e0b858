test_that("settings are checked and kept", {
  control <- mkl_control(tol = 1e-5, cache = "2GB", threads = 2, max_time = 10, progress = FALSE)
  expect_s3_class(control, "mkl_control")
  expect_identical(control$optimizer, "interleaved")
  expect_identical(control$cache, 2 * 1024^3)
  expect_identical(control$threads, 2L)
  expect_identical(control$max_iter, Inf)
  expect_snapshot(control)
  expect_snapshot(mkl_control(progress = FALSE))
})

test_that("sizes are read with their units", {
  sizes <- list("500 MB" = 500 * 1024^2, "1.5GB" = 1.5 * 1024^3, "100k" = 100 * 1024, "12" = 12,
                "1e3 b" = 1000, " 1 TB " = 1024^4)
  for (text in names(sizes)) expect_equal(mkl_control(cache = text)$cache, sizes[[text]])
  expect_identical(mkl_control(cache = 1e9)$cache, 1e9)
  expect_null(mkl_control()$cache)
})

test_that("wrong settings are errors that name them", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl_control(tol = 0)
    mkl_control(tol = 1)
    mkl_control(tol = 1e-16)
    mkl_control(tol = "small")
    mkl_control(cache = "2 apples")
    mkl_control(cache = -1)
    mkl_control(cache = 1e19)
    mkl_control(precision = "single")
    mkl_control(threads = 0)
    mkl_control(threads = 65537)
    mkl_control(threads = 1.5)
    mkl_control(max_iter = 0)
    mkl_control(max_time = -3)
    mkl_control(progress = NA)
    mkl_control(probability = "yes")
    mkl_control(start = 1)
    mkl_control(candidate = NULL)
    mkl_control(exact = NA)
    mkl_control(trace = "all")
    mkl_control(optimizer = "magic")
  })
  expect_classed(mkl_control(tol = 2), "invalid_argument", "tol")
})

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

test_that("the fit is the same with one and two threads", {
  d <- judge_clouds(80)
  fits <- lapply(1:2, function(threads) {
    mkl(d$x, d$y, gaussian_kernel(2^(0:4)),
        control = mkl_control(tol = 1e-6, threads = threads, progress = FALSE))
  })
  expect_equal(fits[[1]]$objective, fits[[2]]$objective, tolerance = 1e-8)
})

test_that("two threads give the same bits each time", {
  d <- judge_clouds(400)
  fits <- lapply(1:4, function(k) {
    fit <- mkl(d$x, d$y, gaussian_kernel(2^(0:4)), p = 4 / 3,
               control = mkl_control(threads = 2, progress = FALSE))
    list(fit$theta, fit$alpha, fit$gap)
  })
  for (fit in fits[-1]) expect_identical(fit, fits[[1]])
})
