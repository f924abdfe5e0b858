judge_alignment <- function(Ks, centre) {
  if (centre) {
    n <- nrow(Ks[[1]])
    H <- diag(n) - 1 / n
    Ks <- lapply(Ks, function(K) H %*% K %*% H)
  }
  outer(seq_along(Ks), seq_along(Ks), Vectorize(function(i, j) {
    sum(Ks[[i]] * Ks[[j]]) / sqrt(sum(Ks[[i]]^2) * sum(Ks[[j]]^2))
  }))
}

test_that("alignment is the cosine of kernel matrices", {
  d <- judge_clouds(37)
  kernels <- c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(1, 4)),
               per_feature(linear_kernel()))
  y <- ifelse(d$y == "yes", 1, -1)
  for (centre in c(FALSE, TRUE)) for (normalize in c("none", "spherical")) {
    if (normalize == "spherical") kernels <- kernels[1:4]
    Ks <- kernel_matrix(kernels, d$x, normalize = normalize)
    a <- kernel_alignment(kernels, d$x, d$y, centre = centre, normalize = normalize)
    whole <- judge_alignment(c(Ks, list(outer(y, y))), centre)
    m <- seq_along(Ks)
    expect_equal(matrix(as.double(a), length(m)), whole[m, m], tolerance = 1e-12)
    expect_equal(unname(attr(a, "response")), whole[m, length(m) + 1], tolerance = 1e-12)
    expect_identical(dimnames(a), rep(list(names(Ks)), 2))
  }
})

test_that("alignment by hand, for many rows, and on precomputed kernels", {
  K <- list(a = diag(2), b = matrix(1, 2, 2))
  a <- kernel_alignment(precomputed_kernel(K), NULL)
  expect_equal(a[1, 2], 1 / sqrt(2))
  expect_null(attr(a, "response"))
  expect_equal(diag(a), c(a = 1, b = 1), ignore_attr = TRUE)
  set.seed(1)
  x <- matrix(rnorm(700 * 2), 700)
  k <- gaussian_kernel(c(0.5, 20))
  expect_equal(kernel_alignment(k, x, centre = TRUE)[1, 2],
               judge_alignment(kernel_matrix(k, x), TRUE)[1, 2], tolerance = 1e-11)
})

test_that("alignment serves the quadratic norm, prints and is drawn", {
  d <- judge_clouds(30)
  k <- gaussian_kernel(c(0.5, 2, 8))
  a <- kernel_alignment(k, d$x, d$y, centre = TRUE)
  fit <- mkl(d$x, d$y, k, norm = quadratic_norm(a), control = mkl_control(progress = FALSE))
  expect_true(fit$converged)
  expect_output(print(a), "Centred kernel alignment")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  expect_identical(plot(a, main = "alignment"), a)
  expect_invisible(plot(kernel_alignment(k, d$x)))
  a[1, 2] <- a[2, 1] <- -0.4
  expect_invisible(plot(a))
  expect_classed(plot(a, colour = 2), "invalid_argument", "colour")
})

test_that("alignment refuses what has none", {
  d <- judge_clouds(20)
  k <- gaussian_kernel(c(0.5, 2))
  expect_classed(kernel_alignment(k, d$x, centre = NA), "invalid_argument", "centre")
  expect_classed(kernel_alignment(k, d$x, d$y[1:5]), "length", "y")
  expect_classed(kernel_alignment(k, d$x, factor(rep(1:3, length.out = 20))), "invalid_argument",
                 "y")
  constant <- precomputed_kernel(list(one = matrix(1, 20, 20), other = diag(20)))
  expect_classed(kernel_alignment(constant, NULL, centre = TRUE), "constant_kernel", "kernels")
  rounded <- cbind(d$x, 0.1) # whose centred products are not quite 0
  expect_classed(kernel_alignment(per_feature(linear_kernel()), rounded, centre = TRUE),
                 "constant_kernel", "kernels")
})

test_that("numbers are responses, too", {
  d <- judge_clouds(20)
  y <- d$x[, 1]^2
  a <- kernel_alignment(gaussian_kernel(1:2), d$x, y)
  K <- judge_gaussian(d$x)
  expect_equal(unname(attr(a, "response")[1]), sum(K * outer(y, y)) / sqrt(sum(K^2)) / sum(y^2))
  centred <- kernel_alignment(gaussian_kernel(1:2), d$x, y, centre = TRUE)
  expect_equal(attr(centred, "response"),
               attr(kernel_alignment(gaussian_kernel(1:2), d$x, y + 5, centre = TRUE), "response"))
})

test_that("alignments are drawn by ggplot2", {
  skip_if_not_installed("ggplot2")
  d <- judge_clouds(20)
  k <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  a <- kernel_alignment(k, d$x, d$y)
  plot <- ggplot2::autoplot(a, main = "A title")
  expect_s3_class(plot, "ggplot")
  drawn <- plot$data
  expect_equal(drawn$alignment, c(as.vector(a), unname(attr(a, "response"))))
  expect_identical(levels(drawn$row), rev(rownames(a)))
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(print(plot))
  expect_no_warning(print(ggplot2::autoplot(kernel_alignment(k, d$x))))
  expect_classed(ggplot2::autoplot(a, colour = 2), "invalid_argument", "colour")
})
