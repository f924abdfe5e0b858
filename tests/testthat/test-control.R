test_that("settings are checked and kept", {
  control <- mkl_control(tol = 1e-5, cache = "2GB", threads = 2, max_time = 10, progress = FALSE)
  expect_s3_class(control, "mkl_control")
  expect_identical(control$optimizer, "auto")
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
