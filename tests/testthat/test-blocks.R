# One fit over several processes: the fit of one process, also where a worker dies on the way.
skip_on_cran() # starts workers
skip_if_not_installed("future")

data_of <- function(n = 1300) {
  set.seed(5)
  x <- matrix(rnorm(n * 4), n)
  inside <- rowSums(x[, 1:2]^2) > 1.4
  list(x = x, y = factor(xor(inside, runif(n) < 0.1)), class = cut(rowSums(x[, 1:2]^2) + rnorm(n) / 4, c(-Inf, 1, 2, Inf)))
}
d <- data_of()
kernels <- c(gaussian_kernel(c(1, 8)), polynomial_kernel(2), linear_kernel(),
             normalize_kernels(gaussian_kernel(4), "spherical"))
chunks <- function(...) mkl_control("chunking", tol = 1e-2, precision = "double", progress = FALSE, threads = 1, ...)

local_workers <- function(count = 2, frame = parent.frame()) {
  workers <- parallel::makeCluster(count)
  parallel::clusterCall(workers, eval, bquote(.libPaths(.(.libPaths()))))
  withr::defer(tryCatch(parallel::stopCluster(workers), error = function(e) NULL), frame)
  workers
}

expect_same_fit <- function(fit, whole, tolerance = 1e-8) {
  for (field in c("theta", "alpha", "decision", "offset", "forms", "gap", "primal", "objective")) {
    expect_equal(fit[[field]], whole[[field]], tolerance = tolerance, label = field)
  }
  expect_identical(fit$optimizer, "chunking")
}

test_that("the fit of two workers is that of one process, and so is its certificate", {
  skip_unless_slow()
  workers <- local_workers()
  whole <- mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks())
  fit <- mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks(cluster = workers))
  expect_same_fit(fit, whole)
  expect_equal(duality_gap(fit, d$x, d$y)$gap, fit$gap, tolerance = 1e-6)
  expect_equal(predict(fit, d$x[1:50, ], type = "decision"), fit$decision[1:50], tolerance = 1e-8,
               ignore_attr = TRUE)
  expect_null(fit$control$cluster)
  expect_s3_class(future::plan(), "sequential") # as before
  again <- mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks(cluster = workers))
  expect_identical(again$decision, fit$decision) # whoever was first
})

test_that("it serves several views, classes that share weights, other losses and no intercept", {
  skip_unless_slow()
  old <- future::plan(future::cluster, workers = local_workers())
  on.exit(future::plan(old))
  both <- function(...) {
    expect_same_fit(first(mkl(..., control = chunks(cluster = TRUE))), first(mkl(..., control = chunks())))
  }
  first <- function(fit) if (inherits(fit, "mkl")) fit else fit$models[[1L]]
  x <- list(a = d$x[, 1:2], b = Matrix::Matrix(d$x[, 3:4] * (d$x[, 3:4] > 0), sparse = TRUE))
  both(x, d$x[, 1] + d$x[, 2]^2, c(on_view(gaussian_kernel(2), "a"), on_view(tanimoto_kernel(), "b")),
       loss = "squared", p = 2)
  both(d$x, d$class, gaussian_kernel(c(1, 8)), multiclass = "shared", p = 2)
  both(d$x, d$y, gaussian_kernel(c(1, 8)), intercept = FALSE, p = 2)
})

# The fit on these workers, during which process `victim` is killed.
fit_with_loss <- function(cluster, victim) {
  heard <- 0
  fit <- suppressMessages(withCallingHandlers(
    progressr::with_progress(
      mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks(cluster = cluster)),
      handlers = progressr::handler_void(), enable = TRUE
    ),
    progression = function(p) {
      heard <<- heard + 1
      if (heard == 3) tools::pskill(victim, tools::SIGKILL)
    }
  ))
  expect_gt(heard, 3)
  fit
}

test_that("the others take over the block of a worker that dies", {
  skip_if_not_installed("progressr")
  workers <- local_workers()
  victim <- parallel::clusterCall(workers[2L], Sys.getpid)[[1L]]
  fit <- fit_with_loss(workers, victim)
  expect_error(parallel::clusterCall(workers[2L], Sys.getpid))
  expect_same_fit(fit, mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks()))
})

test_that("a session of the plan that dies is started again, and reads its block", {
  skip_unless_slow()
  skip_if_not_installed("progressr")
  skip_if_not_installed("future", "1.40") # whose plan tells its workers
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  pids <- function() unlist(parallel::clusterCall(future::plan("backend")$workers, Sys.getpid))
  before <- pids()
  fit <- fit_with_loss(TRUE, before[[2L]])
  after <- pids()
  expect_length(setdiff(after, before), 1)
  expect_length(intersect(after, before), 1)
  expect_same_fit(fit, mkl(d$x, d$y, kernels, p = 4 / 3, control = chunks()))
})

test_that("what can't be shared is refused", {
  fit <- function(x = d$x, kernels = gaussian_kernel(1), ..., cluster = TRUE) {
    mkl(x, d$y, kernels, ..., control = mkl_control(cluster = cluster, progress = FALSE))
  }
  expect_error(fit(), "Start several workers first", class = "manykernels_unsupported")
  expect_error(fit(kernels = function_kernel(function(a, b) tcrossprod(a, b))), "Leave out `cluster`",
               class = "manykernels_unsupported")
  expect_error(fit(d$x + 3, linear_kernel(), scale = FALSE, normalize = c("centre", "trace")), "Use `scale = TRUE`", class = "manykernels_unsupported")
  expect_error(mkl_control("newton", cluster = TRUE), "optimisers", class = "manykernels_unsupported")
  expect_error(mkl_control(cluster = 2), "makeCluster", class = "manykernels_invalid_argument")
  expect_error(cv_mkl(d$x, d$y, control = mkl_control(cluster = TRUE)), "is for mkl()",
               class = "manykernels_unsupported")
  expect_output(print(mkl_control(cluster = TRUE)), "the workers of the plan")
})
