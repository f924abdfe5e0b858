# Every loss with every norm on real data, by the package's certificate and by the judge's.

# name: list(x, class, number): two responses to the same n rows, or to all where they are fewer.
loss_data <- list(
  pima = function(n = 100) {
    d <- shared_uci("pima")
    x <- scale(d$x)[seq_len(n), ]
    list(x = x[, -2], class = d$y[seq_len(n)], number = x[, 2])
  },
  ionosphere = function(n = 100) {
    d <- shared_uci("ionosphere")
    rows <- seq_len(n)
    list(x = scale(d$x[, -5])[rows, ], class = d$y[rows], number = d$x[rows, 5])
  },
  yeast = function(n = 100) {
    d <- shared_yeast(n)
    list(x = d$x, class = d$y, number = d$x$expression[, 1])
  },
  nutrimouse = function(n) {
    d <- shared_nutrimouse()
    list(x = d$x, class = d$y, number = d$x$lipid[, 1])
  },
  rna = function(n = 100) {
    d <- shared_rna(n)
    list(x = d$x, class = factor(d$y > stats::median(d$y)), number = d$y)
  }
)

loss_names <- list(
  classes = list("hinge", "squared_hinge", "logistic", "squared"),
  numbers = list("squared", epsilon_loss(0.1), huber_loss(0.5)), none = list("one_class")
)

for (name in names(loss_data)) test_that(paste("every loss and norm on", name), {
  skip_unless_slow()
  d <- loss_data[[name]]()
  kernels <- c(linear_kernel(), gaussian_kernel(if (is.list(d$x)) c(4, 64) else c(2, 16)))
  matrices <- unname(kernel_matrix(kernels, d$x, normalize = "multiplicative"))
  M <- length(matrices)
  norms <- c(lapply(c(1, 4 / 3, 2, 4, Inf), lp_norm),
             list(lp_norm(1.5, seq_len(M)), quadratic_norm(diag(M) + 0.3), block_norm(1.2),
                  block_norm(4), block_norm(64), block_norm(Inf), elastic_net_norm(0.5)))
  response <- list(classes = d$class, numbers = d$number, none = NULL)
  for (kind in names(response)) for (loss in loss_names[[kind]]) for (norm in norms) {
    fit <- NULL
    # beyond q = 4 weights may reach 1e7, and what rounding leaves of them is worth more than 1e-6
    finest <- if (identical(norm$type, "block") && norm$q > 4) 1e-5 else 1e-6
    for (tol in c(1e-3, finest)) for (C in c(0.1, 10)) {
      fit <- mkl(d$x, response[[kind]], kernels, loss = loss, norm = norm, C = C,
                 control = mkl_control(tol = tol, progress = FALSE), scale = FALSE)
      label <- paste(name, fit$loss, format(norm), tol, C)
      expect_true(fit$converged, info = label)
      expect_lte(duality_gap(fit, d$x)$gap, tol)
    }
    expect_fit_certified(fit, matrices, info = label, rounding = finest / 10)
  }
})

# Where w_m of a kernel is as good as free alpha is orthogonal to its features, and s_m the rounding
# of larger terms; and weights must not be larger than the tolerance asks for.
test_that("block norms of large q reach fine tolerances where some kernels weigh 1e5 and more", {
  skip_unless_slow()
  cells <- list(
    list(data = "pima", loss = "one_class", C = c(0.1, 1)),
    list(data = "rna", loss = epsilon_loss(0.1), C = c(10, 100))
  )
  for (cell in cells) {
    d <- loss_data[[cell$data]](400)
    kernels <- c(linear_kernel(), gaussian_kernel(if (is.list(d$x)) c(4, 64) else c(2, 16)))
    response <- if (!identical(cell$loss, "one_class")) d$number
    for (C in cell$C) {
      fit <- mkl(d$x, response, kernels, loss = cell$loss, norm = block_norm(Inf), C = C,
                 control = mkl_control(tol = 1e-6, progress = FALSE), scale = FALSE)
      label <- paste(cell$data, C)
      expect_true(fit$converged, info = label)
      expect_lte(duality_gap(fit, d$x)$gap, 1e-6)
      expect_gt(max(fit$theta), 1e3)
      matrices <- unname(kernel_matrix(kernels, d$x, normalize = "multiplicative"))
      verdict <- judge_fit(fit, matrices)
      expect_equal(verdict$size, 1, tolerance = 1e-6, info = label)
      expect_equal(fit$objective, verdict$lower, tolerance = 1e-7, info = label)
      expect_lte(verdict$gap, 1e-6 + 1e-9)
    }
  }
})
