# The cells of bench/speed.R: the work people have, each kind with its own data at real size. Each of
# `works` makes its data and models, which takes no part in its times, and returns its cells:
# functions of the number of threads that return a fit.

source("bench/work.R")
source("bench/sequences.R")
source("bench/level-kernels.R")

# ---- data and models -----------------------------------------------------------------------------

# The value of `code`, computed once, in a session of its own, and kept in .build/speed until the
# sources of the data change.
prepared <- function(code) {
  text <- paste(deparse(substitute(code)), collapse = " ")
  sources <- file.path("bench", c("data.R", "work.R", "sequences.R", "level-kernels.R"))
  versions <- substr(tools::md5sum(sources), 1, 4)
  file <- file.path(".build/speed", sprintf("%s-%s.rds", gsub("[^A-Za-z0-9]+", "-", text),
                                            paste(versions, collapse = "")))
  if (!file.exists(file)) {
    unfinished <- paste0(file, ".unfinished")
    script <- c("options(warn = 2)", sprintf("source(\"%s\")", sources),
                sprintf("saveRDS(%s, \"%s\", compress = FALSE)", text, unfinished))
    status <- system2(file.path(R.home("bin"), "Rscript"), c(rbind("-e", shQuote(script))))
    stopifnot("the data could not be made" = status == 0)
    file.rename(unfinished, file)
  }
  readRDS(file)
}

# Widths from 1/16 to 16 times the number of standardised columns.
gaussians <- function(data, count) {
  gaussian_kernel(ncol(data$x) * 2^seq(-4, 4, length.out = count))
}

# Predictions in place of a fit; it is made before, and what is told of it is told of the cell.
prediction <- function(fit, rows) {
  force(fit)
  force(rows)
  function(threads = NULL) {
    stats::predict(fit, rows)
    fit
  }
}

level_work <- function(set) {
  data <- random_half(read_level_set(set), 1)$train
  kernels <- level_kernels()
  list(`p = 1, C = 100, gap 1e-2` = function(threads = NULL) {
    fit_work(data, kernels, p = 1, C = 100, tol = 1e-2, threads = threads, normalize = "trace")
  })
}

# ---- cells ---------------------------------------------------------------------------------------

works <- list(
  `digits 4,000 x 784, 50 Gaussians` = function() {
    grid(prepared(read_digits(4000)), gaussian_kernel(1.2^(0:49)), p = norms)
  },
  `digits 10,000 x 784, 50 Gaussians` = function() {
    grid(prepared(read_digits(10000)), gaussian_kernel(1.2^(0:49)), p = norms)
  },
  `letters 8,000 x 16, 50 Gaussians` = function() {
    data <- prepared(read_letters(8000))
    grid(data, gaussians(data, 50), p = norms)
  },
  `satellite 6,435 x 36, 50 Gaussians` = function() {
    data <- prepared(read_satellite())
    grid(data, gaussians(data, 50), p = norms)
  },
  `noise 5,000 x 5, 10 Gaussians` = function() {
    grid(prepared(make_noise(5000)), gaussian_kernel(2^(-3:6)), p = norms, C = c(1, 100))
  },
  `kernels per column, sonar 104 x 60` = function() level_work("sonar"),
  `kernels per column, vote 217 x 16` = function() level_work("vote"),
  `kernels per column, ionosphere 175 x 33` = function() level_work("ionosphere"),
  `linear kernels per column, 1,000 x 50,000` = function() {
    grid(make_wide(1000, 50000), per_feature(linear_kernel()), p = c(4 / 3, 2))
  },
  `mixed set 3,000 x 57, 68 kernels` = function() {
    c(grid(prepared(components(3000)), mixed_kernels(), p = norms),
      grid(prepared(skewed(3000)), mixed_kernels(), p = norms, name = "skewed"))
  },
  `wide views 600 x 45,800, 24 kernels` = function() {
    data <- prepared(wide_views())
    kernels <- lapply(names(data$x), function(view) {
      widths <- 2^(-3:3) * 2 * ncol(data$x[[view]])
      on_view(c(linear_kernel(), gaussian_kernel(widths)), view)
    })
    grid(data, do.call(c, kernels), p = norms)
  },
  `precomputed, 50 matrices of 1,500` = function() {
    data <- make_matrices(1500, 50) # quicker made than read
    grid(list(x = NULL, y = data$y), do.call(precomputed_kernel, list(data$x)), p = norms)
  },
  `splice sites, 3,000 strings of 141` = function() {
    needs("spectrum_kernel")
    data <- prepared(read_acceptors(1000, 2000))
    c(grid(data, c(spectrum_kernel(1:6), mismatch_kernel(4:5, 1)), p = 4 / 3, name = "words,"),
      grid(data, weighted_degree_kernel(c(5, 10, 20)), p = 4 / 3, name = "weighted degree,"))
  },
  `regression 4,000 x 10, 20 Gaussians` = function() {
    data <- prepared(with_response(components(4000, 10)))
    grid(data, gaussians(data, 20), p = norms, loss = "epsilon_insensitive")
  },
  `regression 8,000 x 50, 20 Gaussians` = function() {
    data <- prepared(with_response(components(8000, 50)))
    grid(data, gaussians(data, 20), p = 2, loss = "epsilon_insensitive")
  },
  `three classes 6,000 x 20, 20 Gaussians` = function() {
    data <- prepared(make_classes(6000, 20, 3, 3))
    grid(data, gaussians(data, 20), p = norms, multiclass = "ovr")
  },
  `noise, few rows, 8 Gaussians` = function() {
    rows <- c(100, 300, 1000)
    fits <- lapply(rows, function(n) grid(make_noise(n), gaussian_kernel(2^(-2:5)), p = 2))
    stats::setNames(unlist(fits), paste(rows, "x 5"))
  },
  `cv_mkl(x, y), satellite 4,000 x 36` = function() {
    needs("cv_mkl")
    data <- prepared(read_satellite())
    data <- list(x = data$x[1:4000, ], y = data$y[1:4000])
    list(`default grid` = function(threads = NULL) {
      set.seed(25)
      told_of_cv(cv_mkl(data$x, data$y, control = quiet(threads = threads)))
    })
  },
  `predict, noise 1,000 x 5, 8 Gaussians` = function() {
    data <- make_noise(1000)
    fit <- fit_work(data, gaussian_kernel(2^(-2:5)), threads = 1)
    list(`one row` = prediction(fit, data$x[1, , drop = FALSE]))
  },
  `predict, digits 4,000 x 784, 50 Gaussians` = function() {
    data <- prepared(read_digits(10000))
    train <- list(x = data$x[1:4000, ], y = data$y[1:4000])
    fit <- fit_work(train, gaussian_kernel(1.2^(0:49)), threads = 1)
    list(`one row` = prediction(fit, data$x[4001, , drop = FALSE]),
         `6,000 rows` = prediction(fit, data$x[-(1:4000), ]))
  },
  `predict, one against one, 8 Gaussians` = function() {
    models <- function(n, classes) {
      data <- make_classes(n, 10, classes, 6)
      fit <- fit_work(data, gaussian_kernel(10 * 2^(-3:4)), threads = 1, multiclass = "ovo")
      cells <- list(`one row` = prediction(fit, data$x[1, , drop = FALSE]),
                    `600 rows` = prediction(fit, data$x[1:600, ]))
      stats::setNames(cells, sprintf("%d classes, %s", classes, names(cells)))
    }
    c(models(1000, 5), models(1200, 60))
  }
)
