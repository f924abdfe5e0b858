# The kinds of work that fits are compared on: what users have, not what one optimiser is good at.
# Each is a list of fits: name = function() a call of mkl(), or a path, as if it were one.

quiet <- function(tol = 1e-3, ...) mkl_control(tol = tol, progress = FALSE, ...)

# Several views, many more columns than rows; a few columns of each know the class.
wide_views <- function(n = 600, columns = c(rna = 20000, methylation = 25000, protein = 800)) {
  set.seed(21)
  y <- rep(c(-1, 1), length.out = n)
  x <- lapply(columns, function(d) {
    view <- matrix(rnorm(n * d), n)
    informative <- seq_len(min(d, 200))
    view[, informative] <- view[, informative] + 0.15 * y
    view
  })
  list(x = x, y = factor(y))
}

# Sets of correlated genes, of which some know the class.
gene_sets <- function(n = 300, genes = 3000, sets = 500) {
  set.seed(22)
  y <- rep(c(-1, 1), length.out = n)
  factors <- matrix(rnorm(n * 100), n)
  x <- factors[, rep_len(1:100, genes)] + matrix(rnorm(n * genes), n)
  x[, 1:60] <- x[, 1:60] + 0.4 * y
  colnames(x) <- paste0("g", seq_len(genes))
  members <- lapply(seq_len(sets), function(k) {
    sample(colnames(x)[seq_len(genes) %% 100 == k %% 100], 20)
  })
  list(x = x, y = factor(y), sets = stats::setNames(members, paste0("set", seq_len(sets))))
}

# Digits as 57 columns of unit variance, odd against even.
components <- function(n, d = 57) {
  data <- read_digit_components(n, d)
  list(x = scale(data$x), y = data$y)
}

# A smooth function of the first four columns, with noise.
with_response <- function(data) {
  set.seed(23)
  data$y <- data$x[, 1] + sin(2 * data$x[, 2]) + data$x[, 3] * data$x[, 4] +
    0.3 * rnorm(nrow(data$x))
  data
}

# Counts and frequencies: most values are small, few are large.
skewed <- function(n) {
  data <- components(n)
  list(x = scale(exp(data$x)), y = data$y)
}

mixed_kernels <- function() {
  c(gaussian_kernel(57 * 2^(-3:4)), polynomial_kernel(2:4, scale = 1 / 57),
    per_feature(linear_kernel()))
}

# Of 40 places, 0, 1 or 2; four of them know the class.
genotypes <- function(n, d = 40) {
  set.seed(24)
  x <- matrix(rbinom(n * d, 2, rep(runif(d, 0.1, 0.5), each = n)), n)
  effect <- x[, 1] - x[, 2] + 0.5 * (x[, 3] == 1) - 0.5 * x[, 4] + rnorm(n)
  list(x = x, y = factor(effect > median(effect)))
}

# The same as matrices of low rank.
genotype_matrices <- function(n, d) {
  data <- genotypes(n, d)
  kernels <- kernel_matrix(per_feature(c(linear_kernel(), gaussian_kernel(2))), data$x)
  list(x = NULL, y = data$y, kernels = suppressMessages(precomputed_kernel(kernels)))
}

feature_kernels <- function() {
  all <- c(gaussian_kernel(2^(-3:6)), polynomial_kernel(1:3))
  c(all, per_feature(all))
}

# scale = FALSE, and nothing left to defaults that change: all builds that are compared solve the same
# problem.
fit_work <- function(data, kernels, p = 2, C = 1, tol = 1e-3, threads = NULL, ...,
                     normalize = "multiplicative") { # after the dots, or it would take `norm`
  arguments <- list(data$x, data$y, kernels, p = p, C = C, normalize = normalize,
                    control = quiet(tol, threads = threads), ...)
  if ("scale" %in% names(formals(getS3method("mkl", "default")))) arguments$scale <- FALSE
  do.call(mkl, arguments)
}

cell_text <- function(cell) {
  number <- suppressWarnings(as.numeric(cell))
  ifelse(is.na(number), cell, vapply(signif(number, 3), format, ""))
}

grid <- function(data, kernels, ..., name = "") {
  force(data) # made once, and before a fit is timed
  force(kernels)
  cells <- expand.grid(..., stringsAsFactors = FALSE)
  fits <- lapply(seq_len(nrow(cells)), function(k) {
    cell <- as.list(cells[k, , drop = FALSE])
    function(threads = NULL) do.call(fit_work, c(list(data, kernels, threads = threads), cell))
  })
  text <- apply(cells, 1, function(cell) {
    paste(names(cells), cell_text(cell), sep = " = ",
          collapse = ", ")
  })
  stats::setNames(fits, trimws(paste(name, text)))
}

# Says that a build has no such function; bench/speed.R then shows the cells without it.
needs <- function(name) {
  if (exists(name, mode = "function")) return(invisible())
  stop(errorCondition(paste("this build has no", name), class = "not_in_build"))
}

# A path over C, with what is told of a fit.
path_work <- function(data, kernels, p) {
  needs("mkl_path")
  force(data)
  function(threads = NULL) {
    path <- mkl_path(data$x, data$y, kernels, C = c(0.01, 1000), p = p,
                     control = quiet(threads = threads))
    list(theta = path$theta, solves = sum(path$points$iterations), gap = max(path$intervals$gap),
         status = path$status)
  }
}

# Five folds of a grid.
grid_work <- function(data, kernels, p) {
  needs("cv_mkl")
  force(data)
  function(threads = NULL) {
    set.seed(25)
    told_of_cv(cv_mkl(data$x, data$y, kernels, C = 10^(-2:3), p = p,
                      control = quiet(threads = threads)))
  }
}

# The fits of a cross-validation. Cells that lose are stopped before their last folds.
cv_fits <- function(cv) cv$by_fold[cv$by_fold$status != "stopped", ]

# A cross-validation, with what is told of a fit.
told_of_cv <- function(cv) {
  fits <- cv_fits(cv)
  list(theta = cv$fit$theta, solves = cv$fit$solves, gap = max(fits$gap),
       status = if (all(fits$status == "converged")) cv$fit$status else "stalled")
}

norms <- c(1, 4 / 3, 2)
works <- list(
  `wide views, p >> n` = function() {
    data <- wide_views()
    grid(data, default_kernels(data$x), p = norms)
  },
  `gene sets, 500 x 3` = function() {
    data <- gene_sets()
    grid(data, on_features(c(linear_kernel(), gaussian_kernel(c(20, 80))), data$sets), p = norms)
  },
  `mixed set, 68 kernels` = function() {
    c(grid(components(3000), mixed_kernels(), p = norms),
      grid(skewed(3000), mixed_kernels(), p = norms, name = "skewed"))
  },
  `views of different kinds` = function() {
    data <- read_mfeat()
    kernels <- c(
      on_view(gaussian_kernel(2^(4:9)), "fou"), on_view(polynomial_kernel(1:3, 1 / 216), "fac"),
      on_view(linear_kernel(), "kar"), on_view(per_feature(linear_kernel()), "zer"),
      on_view(gaussian_kernel(2^(1:4)), "mor")
    )
    grid(data, kernels, p = norms)
  },
  `precomputed, 30 matrices` = function() {
    data <- make_matrices(1500, 30)
    grid(list(x = NULL, y = data$y), do.call(precomputed_kernel, list(data$x)), p = norms)
  },
  `few columns, noise` = function() {
    grid(make_noise(5000), gaussian_kernel(2^(-3:6)), p = norms, C = c(1, 100))
  },
  `many columns` = function() {
    data <- read_digits(4000)
    c(grid(data, gaussian_kernel(1.2^(0:49)), p = norms),
      grid(data, gaussian_kernel(1.2^(0:49)), p = 2, loss = "squared", name = "squared"))
  },
  `per-feature, 442 kernels` = function() {
    data <- read_level_set("ionosphere")
    grid(list(x = scale(data$x), y = data$y), feature_kernels(), p = norms, C = c(1, 100))
  },
  `10,000 rows` = function() {
    grid(read_digits(10000), gaussian_kernel(1.2^(0:49)), p = norms)
  },
  `C from 0.01 to 1000` = function() {
    grid(components(2000, 16), gaussian_kernel(16 * 2^(-4:4)), p = c(1, 2),
         C = c(0.01, 0.1, 10, 100, 1000))
  },
  `paths over C` = function() {
    data <- components(1500, 10)
    kernels <- gaussian_kernel(10 * 2^(-4:4))
    list(`p = 1` = path_work(data, kernels, 1), `p = 2` = path_work(data, kernels, 2))
  },
  `grids over C` = function() {
    data <- components(1500, 10)
    kernels <- gaussian_kernel(10 * 2^(-4:4))
    list(`p = 1` = grid_work(data, kernels, 1), `p = 2` = grid_work(data, kernels, 2))
  },
  `gap 1e-6` = function() {
    data <- components(2000, 16)
    kernels <- gaussian_kernel(16 * 2^(-4:4))
    c(grid(data, kernels, p = norms, tol = 1e-6),
      grid(data, kernels, p = c(1, 2), tol = 1e-6, C = 1e4, name = "large C"))
  },
  `ten classes` = function() {
    data <- read_mfeat()
    data$y <- factor(rep(0:9, each = 200))
    c(grid(data, default_kernels(data$x), p = norms),
      grid(data, default_kernels(data$x), p = 4 / 3, multiclass = "shared", name = "shared"))
  },
  regression = function() {
    data <- with_response(components(2500, 20))
    kernels <- c(linear_kernel(), gaussian_kernel(20 * 2^(-3:3)))
    c(grid(data, kernels, p = norms), grid(data, kernels, p = 2, loss = "squared", name = "squared"))
  },
  `sparse 0/1 columns` = function() {
    grid(read_a9a(5000), c(linear_kernel(), gaussian_kernel(2^(1:6))), p = norms)
  },
  `5,000 linear kernels` = function() {
    grid(make_wide(1000, 5000), per_feature(linear_kernel()), p = c(1, 4 / 3, 2))
  },
  `100,000 linear kernels` = function() {
    grid(make_wide(400, 1e5), per_feature(linear_kernel()), p = c(1, 4 / 3))
  },
  `3,000 Gaussians` = function() {
    grid(components(400, 16), gaussian_kernel(16 * 2^seq(-6, 6, length.out = 3000)), p = norms)
  },
  genotypes = function() {
    grid(genotypes(2000), per_feature(c(linear_kernel(), polynomial_kernel(2))), p = norms)
  },
  `kernels of low rank` = function() {
    given <- genotype_matrices(1000, 30)
    columns <- components(1000, 20)
    squares <- per_feature(c(linear_kernel(), polynomial_kernel(2)))
    c(grid(given, given$kernels, p = 1, C = c(0.1, 10), name = "matrices"),
      grid(columns, squares, p = 1, C = c(0.1, 10), name = "columns"),
      grid(columns, c(squares, gaussian_kernel(20)), p = 1, C = c(0.1, 10), name = "and a Gaussian"))
  },
  `57 linear kernels` = function() {
    c(grid(components(5000), per_feature(linear_kernel()), p = norms),
      grid(skewed(3000), per_feature(linear_kernel()), p = norms, name = "skewed"))
  },
  `losses and norms` = function() {
    data <- components(1500, 16)
    kernels <- gaussian_kernel(16 * 2^(-4:4))
    c(grid(data, kernels, loss = c("logistic", "squared_hinge"), name = "p = 2"),
      list(`elastic net` = function(threads = NULL) {
        fit_work(data, kernels, norm = elastic_net_norm(0.5), threads = threads)
      }, `block norm, q = 4` = function(threads = NULL) {
        fit_work(data, kernels, norm = block_norm(4), threads = threads)
      }, `one class` = function(threads = NULL) {
        fit_work(list(x = data$x), kernels, threads = threads, normalize = "spherical")
      }))
  }
)
