# The same numbers: again, on any number of threads, from a file, and nothing else is touched.
skip_on_cran() # a slow file
control <- function(threads = 1L, ...) mkl_control(progress = FALSE, threads = threads, ...)
set.seed(3)
x <- matrix(rnorm(240), 60)
y <- factor(ifelse(x[, 1] + 0.5 * rnorm(60) > 0, "a", "b"))
kernels <- c(linear_kernel(), gaussian_kernel(c(1, 4, 16)))

# Everything a fit has but times.
without_times <- function(fit) {
  fields <- unclass(fit)
  for (name in c("history", "path")) fields[[name]]$time <- NULL
  fields$call <- fields$control <- NULL
  if (!is.null(fields$models)) fields$models <- lapply(fields$models, without_times)
  fields
}

makers_of <- function(x, y, kernels) {
  list(
    interleaved = function(threads) mkl(x, y, kernels, control = control(threads)),
    sparse = function(threads) mkl(x, y, kernels, p = 1, control = control(threads)),
    wrapper = function(threads) {
      mkl(x, y, kernels, control = control(threads, optimizer = "wrapper"))
    },
    newton = function(threads) mkl(x, y, kernels, control = control(threads, optimizer = "newton")),
    cutting_plane = function(threads) {
      mkl(x, y, kernels, control = control(threads, optimizer = "cutting_plane"))
    },
    level = function(threads) mkl(x, y, kernels, control = control(threads, optimizer = "level")),
    reduced_gradient = function(threads) {
      mkl(x, y, kernels, p = 1, control = control(threads, optimizer = "reduced_gradient"))
    },
    squared_hinge = function(threads) {
      mkl(x, y, kernels, loss = "squared_hinge", control = control(threads))
    },
    logistic = function(threads) mkl(x, y, kernels, loss = "logistic", control = control(threads)),
    squared = function(threads) mkl(x, x[, 1], kernels, control = control(threads)),
    epsilon = function(threads) {
      mkl(x, x[, 1], kernels, loss = epsilon_loss(0.1), control = control(threads))
    },
    huber = function(threads) {
      mkl(x, x[, 1], kernels, loss = huber_loss(0.5), control = control(threads))
    },
    one_class = function(threads) mkl(x, kernels = kernels, control = control(threads)),
    gomp = function(threads) mkl_gomp(x, y, kernels, control = control(threads)),
    sequential = function(threads) {
      mkl_sequential(x, y, kernel_dictionary(linear_kernel(), as.list(1:4)),
                     control = control(threads))
    },
    mllkm = function(threads) mllkm(x, y, control = control(threads))
  )
}
makers <- makers_of(x, y, kernels)

expect_same_on_threads <- function(makers) {
  for (name in names(makers)) {
    one <- makers[[name]](1L)
    expect_identical(without_times(makers[[name]](1L)), without_times(one), label = name)
    two <- makers[[name]](2L)
    expect_identical(without_times(makers[[name]](2L)), without_times(two), label = name)
    expect_equal(two$objective, one$objective, tolerance = 1e-10, label = name)
  }
}

test_that("fits are the same bits again, and of the same objective on more threads", {
  expect_same_on_threads(makers)
})

test_that("cross-validation with one seed is the same bits on any number of threads", {
  run <- function(threads) {
    set.seed(5)
    cv <- cv_mkl(x, y, kernels, p = c(1, 2), C = c(0.1, 1), folds = 3, control = control(threads))
    cv$results[c("mean", "se")]
  }
  expect_identical(run(1L), run(1L))
  expect_equal(run(2L), run(1L), tolerance = 1e-10)
})

test_that("a thousand rows are the same bits again, and of the same objective on more threads", {
  skip_unless_slow()
  set.seed(4)
  x <- matrix(rnorm(20000), 1000)
  y <- factor(ifelse(x[, 1] * x[, 2] + 0.5 * rnorm(1000) > 0, "a", "b"))
  kernels <- c(linear_kernel(), gaussian_kernel(c(4, 16, 64)), polynomial_kernel(2:3))
  large <- makers_of(x, y, kernels)
  large$small_cache <- function(threads) mkl(x, y, kernels, control = control(threads, cache = 2e6))
  large$wide <- function(threads) {
    mkl(x, y, per_feature(gaussian_kernel(c(1, 4))), control = control(threads))
  }
  expect_same_on_threads(large)
})

test_that("fits that were saved predict the same bits in a new process", {
  skip_on_cran()
  made <- suppressMessages(fits_of_every_class())
  new <- as.data.frame(made$x[1:5, ] + 0.1)
  ask <- function(fit, new) {
    suppressMessages(if (inherits(fit, "mkl_path")) predict(fit, new, C = 1) else predict(fit, new))
  }
  environment(ask) <- globalenv()
  files <- tempfile(c("fits", "found", "script"))
  saveRDS(list(fits = made$fits, ask = ask, new = new), files[1])
  writeLines(c("library(manykernels)", sprintf("given <- readRDS(%s)", deparse(files[1])),
               sprintf("saveRDS(lapply(given$fits, given$ask, given$new), %s)", deparse(files[2]))),
             files[3])
  paths <- paste(c(dirname(find.package("manykernels")), .libPaths()), collapse = .Platform$path.sep)
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(files[3]), stdout = FALSE,
                    stderr = FALSE, env = paste0("R_LIBS=", shQuote(paths)))
  expect_identical(status, 0L)
  found <- readRDS(files[2])
  for (name in names(made$fits)) {
    expect_identical(found[[name]], ask(made$fits[[name]], new), label = name)
  }
})

test_that("the seed, options, par, locale and working directory are left alone", {
  skip_unless_slow()
  made <- suppressMessages(fits_of_every_class())
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::plot.new()
  # options of the device and of packages that plots load are theirs
  state <- function() {
    list(par = graphics::par(no.readonly = TRUE)[c("mar", "mfrow", "oma", "las", "xpd", "cex", "bg")],
         locale = Sys.getlocale(), folder = getwd(),
         options = options()[c("digits", "OutDec", "width", "warn", "scipen", "stringsAsFactors",
                               "manykernels.threads", "na.action", "contrasts")])
  }
  uses <- uses_of_fits(made$x)
  uses$drop_view <- NULL # resamples, by the seed
  uses$risk <- NULL
  before <- state()
  for (name in names(made$fits)) for (use in names(uses)) {
    set.seed(1)
    seed <- .Random.seed
    problem_of(uses[[use]], made$fits[[name]])
    expect_identical(.Random.seed, seed, label = paste(name, use))
  }
  expect_identical(state(), before)
  set.seed(1)
  seed <- .Random.seed
  for (name in names(makers)) makers[[name]](1L)
  expect_identical(.Random.seed, seed)
})
