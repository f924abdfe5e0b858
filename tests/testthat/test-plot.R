quiet <- function(...) mkl_control(progress = FALSE, ...)

# Draws on a null device; fails on warnings (such as text that doesn't fit) and on changed par().
expect_draws <- function(fit, ...) {
  pdf(NULL)
  on.exit(dev.off())
  before <- par(no.readonly = TRUE)
  expect_no_warning(out <- withVisible(plot(fit, ...)))
  after <- par(no.readonly = TRUE)
  same <- setdiff(names(before), c("usr", "xaxp", "yaxp"))
  expect_identical(after[same], before[same])
  expect_false(out$visible)
  expect_identical(out$value, fit)
}

test_that("all plots of two classes are drawn and leave par() alone", {
  d <- judge_clouds(40)
  fit <- mkl(list(a = d$x[, 1:2], b = d$x[, 3, drop = FALSE]), d$y, control = quiet())
  expect_draws(fit)
  expect_draws(fit, "weights", value = "share", main = "Shares")
  expect_draws(fit, "weights", most = 3)
  expect_draws(fit, "convergence", main = "Gap")
  expect_draws(fit, "margins", main = "Margins")
})

test_that("all plots of several classes are drawn, bars or heat map", {
  d <- judge_triangle()
  for (how in c("ovr", "ovo", "shared")) {
    expect_draws(mkl(d$x, d$y, gaussian_kernel(c(1, 4)), multiclass = how, control = quiet()))
  }
  five <- factor(rep(letters[1:5], 9))
  expect_draws(mkl(d$x, five, gaussian_kernel(c(1, 4)), multiclass = "ovo", control = quiet()))
})

test_that("edge cases are drawn", {
  d <- judge_clouds(40)
  K <- list(`a name so long that it would not fit beside any bar of the plot` = judge_linear(d$x))
  fit <- mkl(NULL, d$y, precomputed_kernel(K), p = Inf, control = quiet())
  expect_draws(fit)
  fit$history <- fit$history[nrow(fit$history), ]
  expect_draws(fit, "convergence")
  fit$history$gap <- 0
  expect_draws(fit, "convergence")
  fit$history$objective <- 0
  fit$history$gap <- 1
  expect_draws(fit, "convergence")
})

test_that("plots join in par(mfrow = )", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  pdf(NULL, 12, 4)
  on.exit(dev.off())
  par(mfrow = c(1, 3))
  plot(fit)
  expect_identical(par("mfrow"), c(1L, 3L))
  expect_identical(par("mfg"), c(1L, 3L, 1L, 3L))
})

test_that("wrong arguments are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  expect_snapshot(error = TRUE, {
    plot(fit, "everything")
    plot(fit, 1)
    plot(fit, most = 0)
    plot(fit, value = "alpha")
    plot(fit, col = 2)
  })
})

test_that("rows of bars are grouped by view and cut to the largest", {
  table <- data.frame(kernel = c("a:k", "b:k", "a:l", "p"), view = c("a", "b", "a", NA),
                      value = c(3, 1, 2, 0.5))
  rows <- bar_rows(table, 3)
  expect_identical(rows$kernel, c("a:k", "a:l", "b:k"))
  expect_identical(rows$label, c("k", "l", "k"))
  expect_identical(rows$heads$view, c("a", "b"))
  expect_identical(rows$left_out, 1L)
  expect_true(all(diff(sort(c(rows$y, rows$heads$y))) >= 1))
})

test_that("histograms of margins have 0 and 1 among their edges and count every row", {
  margin <- c(-3, 0.2, 1, 1.5, 40, sin(1:200))
  breaks <- margin_breaks(margin)
  for (edge in 0:1) expect_lt(min(abs(breaks - edge)), 1e-9)
  state <- factor(rep("other", length(margin)), c("bound", "free", "other"))
  expect_identical(sum(state_counts(margin, state, breaks)), length(margin))
})

test_that("kernels of weight zero are hidden, and said to be", {
  table <- data.frame(kernel = letters[1:5], view = "x", value = c(0, 2, 0, 1, 0))
  rows <- bar_rows(table, 30)
  expect_identical(rows$kernel, c("b", "d"))
  expect_identical(c(rows$left_out, rows$zeros), c(0L, 3L))
  expect_identical(bar_rows(table, 30, zeros = TRUE)$kernel, letters[1:5])
  expect_identical(bar_rows(table, 1)[c("left_out", "zeros")], list(left_out = 1L, zeros = 3L))
})

test_that("many kernels and machines are drawn", {
  d <- judge_clouds(40)
  fit <- mkl(list(a = d$x, b = d$x), d$y, gaussian_kernel(2^seq(-3, 3, length.out = 150)),
             control = quiet())
  expect_draws(fit, "weights", most = 300)
  expect_draws(fit, "weights", most = 300, zeros = TRUE)
  seven <- factor(rep(letters[1:7], 7))
  x <- cbind(sin(seq_along(seven)), cos(2 * seq_along(seven)))
  expect_draws(mkl(x, seven, gaussian_kernel(c(1, 4)), multiclass = "ovo", control = quiet()))
})

test_that("long names keep their ends", {
  names <- paste0("a_pathway_with_a_very_long_name_in_front_of_what_tells_it_", c("apart", "else"))
  expect_match(shorten(names), "^a_pathway.*[.]{3}.*_tells_it_(apart|else)$")
  expect_true(all(nchar(shorten(names)) == 45))
})

test_that("gap axes have two ticks at least", {
  for (gap in list(1e-3, c(2e-4, 1e-3), c(0.5, 1e-12), 40)) {
    expect_gte(length(gap_band(gap, 1e-3, 0, 0.42)$ticks), 2)
  }
})

test_that("figures that are too small are classed errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  pdf(NULL, 1, 1)
  on.exit(dev.off())
  for (which in c("weights", "convergence", "margins")) {
    expect_error(plot(fit, which), class = "manykernels_figure_size")
  }
})

test_that("the alignment of a fit's kernels is drawn from the training data", {
  d <- judge_clouds(40)
  views <- list(a = d$x[, 1:2], b = d$x[, 3, drop = FALSE])
  kernels <- c(linear_kernel(), gaussian_kernel(c(1, 4)))
  fit <- mkl(views, d$y, kernels, control = quiet())
  expect_draws(fit, "alignment", data = views)
  expect_draws(fit, data = views, most = 3)
  expect_draws(mkl(views, as.numeric(d$x[, 1]), kernels, normalize = c("centre", "spherical"),
                   control = quiet()), "alignment", data = views, main = "Centred")
  expect_draws(mkl(views, kernels = kernels, control = quiet()), "alignment", data = views)
  t <- judge_triangle()
  expect_draws(mkl(t$x, t$y, kernels, control = quiet()), "alignment", data = t$x)
  # the same as from the kernels, of those with most weight
  same <- function(fit, centre, chosen) {
    own <- fit_alignment(fit, views, length(chosen), FALSE)
    expected <- kernel_alignment(fit$kernels[chosen], views, if (is.null(fit$models)) fit$y,
                                 centre = centre)
    expect_equal(own, expected, tolerance = 1e-12, ignore_attr = "centred")
  }
  same(fit, FALSE, seq_along(fit$theta))
  same(fit, FALSE, sort(order(-fit$theta)[1:2]))
  centred <- mkl(views, d$y, kernels, normalize = c("centre", "trace"), control = quiet())
  same(centred, TRUE, seq_along(fit$theta))
  K <- list(u = judge_linear(d$x), v = judge_gaussian(d$x))
  own <- mkl(NULL, d$y, precomputed_kernel(K), p = Inf, control = quiet())
  expect_draws(own, "alignment", data = K)
  expect_classed(plot(fit, "alignment"), "invalid_argument", "data")
  expect_classed(plot(fit, "alignment", data = views["a"]), "missing_views", "x")
})

test_that("arguments that say nothing about what is drawn are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  local <- mllkm(d$x[, 1:2], d$y, gamma = 1, control = quiet())
  wide <- mllkm(d$x, d$y, gamma = 1, control = quiet())
  path <- mkl_gomp(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  expect_snapshot(error = TRUE, {
    plot(fit, "weights", data = d$x)
    plot(fit, "margins", most = 3)
    plot(fit, "alignment", data = d$x, value = "share")
    plot(fit, c("convergence", "margins"), zeros = TRUE)
    plot(local, "weights", data = d$x[, 1:2])
    plot(local, "margins", resolution = 50)
    plot(local, "boundary", most = 3)
    plot(wide, data = d$x)
    plot(path, "path", most = 3)
    plot(fit, main = c("a", "b"))
    plot(fit, main = list())
  })
  expect_draws(fit, "weights", most = 3, zeros = TRUE, value = "share")
  expect_draws(local, "boundary", data = d$x[, 1:2], resolution = 20)
  expect_draws(local, most = 3, value = "share")
  expect_draws(fit, "margins", main = quote(alpha + beta))
})
