# Draws on a null device; fails on warnings (such as text that doesn't fit) and on changed par().
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
  for (how in c("ovr", "ovo", "shared", "joint")) {
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
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
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
  expect_identical(rows$set, c("k", "l", "k"))
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

test_that("scores of one-class models are inside where print() counts them so", {
  set.seed(3)
  x <- matrix(rnorm(240), 60)
  fit <- mkl(x, kernels = gaussian_kernel(c(1, 2, 4)), control = quiet())
  data <- score_data(fit)
  left <- colSums(data$counts)[data$breaks[-1] <= 0]
  expect_equal(sum(left), sum(fit$decision < 0))
  expect_equal(sum(data$counts), 60)
})

test_that("kernels of weight zero are hidden, and said to be", {
  table <- data.frame(kernel = letters[1:5], view = "x", value = c(0, 2, 0, 1, 0))
  rows <- bar_rows(table, 30)
  expect_identical(rows$kernel, c("b", "d"))
  expect_identical(c(rows$left_out, rows$zeros), c(0L, 3L))
  expect_identical(bar_rows(table, 30, zeros = TRUE)$kernel, c("b", "d", "a", "c", "e"))
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
  expect_draws(mkl(views, d$x[, 1] + 1, kernels, normalize = c("centre", "spherical"),
                   control = quiet()), "alignment", data = views, main = "Centred")
  expect_draws(mkl(views, kernels = kernels, control = quiet()), "alignment", data = views)
  t <- judge_triangle()
  expect_draws(mkl(t$x, t$y, kernels, control = quiet()), "alignment", data = t$x)
  # the same as from the kernels, of those with most weight
  same <- function(fit, centre, chosen) {
    own <- fit_alignment(fit, views, length(chosen), FALSE)
    left <- attr(own, "left_out")
    expect_identical(is.null(left), length(chosen) == length(fit$theta))
    attr(own, "left_out") <- NULL
    expected <- kernel_alignment(fit$kernels[chosen], views, if (is.null(fit$models)) fit$y,
                                 centre = centre, scale = TRUE)
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
  expect_classed(plot(fit, "alignment", data = views["a"]), "missing_views", "data")
})

test_that("arguments that say nothing about what is drawn are errors", {
  d <- judge_clouds(40)
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  local <- mllkm(d$x[, 1:2], d$y, gamma = 1, control = quiet())
  wide <- mllkm(d$x, d$y, gamma = 1, control = quiet())
  path <- mkl_gomp(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
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

test_that("labels keep what tells kernels apart, headings what they share", {
  d <- judge_clouds(40, 6)
  sets <- list(HALLMARK_TNFA_SIGNALING = 1:2, HALLMARK_PROTEIN_SECRETION = 3:4, KEGG_REST = 5:6)
  rows_of <- function(kernels, x = d$x) {
    table <- kernel_weights(mkl(x, d$y, kernels, p = 2, control = quiet()))
    table$value <- rev(seq_len(nrow(table))) # bars in the order of the kernels
    bar_rows(table, 30)
  }
  one <- rows_of(on_features(gaussian_kernel(12), sets))
  expect_identical(one$set, names(sets))
  expect_identical(one$rest, c("", "", ""))
  expect_identical(one$heads$label, "gaussian(width=12)")
  two <- rows_of(on_features(gaussian_kernel(c(6, 12)), sets))
  expect_identical(two$set, rep(names(sets), each = 2))
  expect_identical(two$rest, rep(c(", width=6", ", width=12"), 3))
  expect_identical(two$heads$label, "gaussian")
  mixed <- rows_of(c(linear_kernel(), on_features(c(linear_kernel(), gaussian_kernel(12)), sets[1])))
  expect_identical(paste0(mixed$set, mixed$rest),
                   c("linear", "HALLMARK_TNFA_SIGNALING, linear",
                     "HALLMARK_TNFA_SIGNALING, gaussian(width=12)"))
  expect_identical(nrow(mixed$heads), 0L)
  x <- d$x
  colnames(x) <- paste0("G", 1:6)
  expect_identical(rows_of(per_feature(linear_kernel()), x)$set, colnames(x))
  views <- list(rna = x[, 1:3], protein = x[, 4:6])
  both <- rows_of(c(on_view(per_feature(linear_kernel()), "rna"),
                    on_view(gaussian_kernel(c(2, 4)), "protein")), views)
  expect_identical(both$heads$label, c("rna: linear", "protein"))
  expect_identical(both$set, c("G1", "G2", "G3", "gaussian(width=2)", "gaussian(width=4)"))
})

test_that("shortened names stay different", {
  long <- paste0("KEGG_", c("ALPHA", "BETA", "GAMMA"), "_AND_WHAT_ALL_PATHWAYS_ARE_CALLED_IN_THE_END")
  for (most in c(15L, 26L, 45L)) {
    short <- shorten_apart(long, most)
    expect_identical(anyDuplicated(short), 0L)
    expect_true(all(nchar(short) <= most))
  }
  middle <- paste0(strrep("a", 30), c("X", "Y"), strrep("b", 60))
  expect_identical(anyDuplicated(shorten_apart(middle, 20L)), 0L)
  expect_identical(shorten_apart(c("a", "a")), c("a", "a"))
  # apart in two places
  kernels <- sprintf("gaussian(width=%d)[a column of a name that is too long for any plot %d]", rep(c(1, 4), 3),
                     rep(1:3, each = 2))
  for (most in c(15L, 20L, 24L, 45L)) {
    expect_identical(anyDuplicated(shorten_apart(kernels, most)), 0L)
    expect_true(all(nchar(shorten_apart(kernels, most)) <= most))
  }
})

test_that("labels of many kernels shrink and thin out before they touch", {
  pdf(NULL, 7, 5)
  on.exit(dev.off())
  plot.new()
  for (count in c(5, 20, 60, 200)) for (inches in c(1, 3, 6)) {
    step <- inches / count
    cex <- label_cex_at(step)
    shown <- labels_shown(count, step, cex)
    expect_gte(min(diff(c(shown, Inf))) * step, cex * line_inches() * (1 - 1e-9))
    expect_true(cex >= 0.5 && cex <= 0.75)
  }
  for (count in c(5, 20, 60, 200)) {
    k <- gaussian_kernel(seq(1, 9, length.out = count))
    names(k) <- sprintf("a view:a kernel with such a long name(width=%d)", seq_len(count))
    d <- judge_clouds(40)
    expect_draws(kernel_alignment(k, d$x, d$y))
    expect_draws(kernel_alignment(on_features(linear_kernel(), list(a = 1, b = 2)), d$x))
  }
})

test_that("bands of classes are filled, and tell the training error", {
  d <- judge_triangle()
  fit <- mkl(d$x, d$y, gaussian_kernel(c(1, 4)), control = quiet())
  bands <- class_bands(fit)
  expect_equal(unname(apply(bands$height, 2, max)), rep(1, 3))
  expect_equal(unname(bands$rows), as.vector(table(d$y)))
  wrong <- fitted(fit) != d$y
  expect_equal(unname(bands$error), as.vector(tapply(wrong, d$y, mean)))
  # the boundary is an edge; without rows near it the axis begins at the margins
  expect_lt(min(abs(class_breaks(c(-0.3, 0.2, 1:5)))), 1e-9)
  expect_identical(min(class_breaks(c(0.5, 1:5))), 0)
  far <- class_breaks(c(1.9, 2, 2.5, 3))
  expect_gt(min(far), 1.8)
  expect_lte(length(class_breaks(c(0, 1e6))), 47)
  for (count in c(4, 5, 7, 10, 12)) {
    y <- factor(rep(paste("class", seq_len(count)), length.out = 120))
    x <- cbind(as.integer(y), sin(seq_along(y)))
    expect_draws(mkl(x, y, gaussian_kernel(1), control = quiet()), "margins", main = "Many")
  }
})

test_that("models are labelled by class, pair, response or quantile", {
  x <- mtcars[c("wt", "hp")]
  fit <- function(y, ...) mkl(x, y, linear_kernel(), control = mkl_control(progress = FALSE), ...)
  label <- function(...) unname(model_labels(fit(...)))
  expect_identical(label(factor(mtcars$cyl)), c("4", "6", "8"))
  expect_identical(label(factor(mtcars$cyl), multiclass = "ovo"), c("4 : 6", "4 : 8", "6 : 8"))
  expect_identical(label(cbind(manual = mtcars$am, straight = mtcars$vs)), c("manual", "straight"))
  expect_identical(label(mtcars[c("mpg", "qsec")]), c("mpg", "qsec"))
  expect_identical(label(mtcars$mpg, loss = quantile_loss(c(0.2, 0.8))), c("0.2", "0.8"))
})

test_that("ggplot2 draws margins in the colours of plot()", {
  skip_if_not_installed("ggplot2")
  fills <- function(plot) ggplot2::layer_data(plot, 1L)[c("PANEL", "fill")]
  two <- droplevels(iris[51:150, ])
  fit <- mkl(two[1:4], two$Species, gaussian_kernel(c(1, 4)), control = quiet())
  found <- fills(ggplot2::autoplot(fit, "margins"))
  for (k in 1:2) { # the positive class is above, in the second colour, as in all plots
    expect_setequal(found$fill[found$PANEL == k], state_shades(view_colours(2)[3 - k]))
  }
  fit <- mkl(iris[1:4], iris$Species, gaussian_kernel(c(1, 4)), control = quiet())
  bands <- margin_bands(fit)
  found <- fills(ggplot2::autoplot(fit, "margins"))
  for (k in 1:3) {
    expect_identical(found$fill[found$PANEL == k], band_shades(view_colours(3)[k], bands$breaks))
  }
})

test_that("logarithmic axes have powers of 10 or 1, 2, 5 between them", {
  expect_identical(log_ticks(c(-4, 2)), 10^(-4:2))
  expect_equal(log_ticks(log10(c(0.1, 10))), c(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50))
  expect_equal(log_ticks(log10(c(0.3, 2))), seq(0.5, 2, 0.5))
  x <- as.matrix(iris[51:150, 1:2])
  path <- mkl_path(x, droplevels(iris$Species[51:150]), gaussian_kernel(c(1, 8)), C = c(0.1, 10), tol = 0.2)
  expect_identical(unname(path_scale(path)$labels), c("0.1", "0.2", "0.5", "1", "2", "5", "10"))
})

test_that("the legend of precision-recall curves is beside them, so that it hides none", {
  set.seed(1)
  cv <- cv_mkl(iris[51:150, 1:2], droplevels(iris$Species[51:150]), gaussian_kernel(1), p = 1, C = 1,
               folds = 3, control = mkl_control(progress = FALSE))
  # where on the page a text begins, in points; of several the rightmost
  start_of <- function(text, which) {
    file <- tempfile(fileext = ".pdf")
    pdf(file, 7, 5, compress = FALSE, useKerning = FALSE)
    plot(cv, which)
    dev.off()
    line <- grep(sprintf("(%s) Tj", text), readLines(file, warn = FALSE), fixed = TRUE,
                 useBytes = TRUE, value = TRUE)
    max(as.numeric(sub(".* ([0-9.]+) [0-9.]+ Tm.*", "\\1", line)))
  }
  ends <- start_of("1.0", "pr") # of the horizontal axis
  expect_gt(start_of("chance", "pr"), ends)
  expect_lt(start_of("chance", "roc"), start_of("1.0", "roc"))
})

# ---- sums, widths and the boundary ---------------------------------------------------------------

test_that("sums leave nothing out: every kernel is in some bar", {
  fit <- many_sets()
  for (most in c(1, 3, 40)) {
    bars <- sum_bars(kernel_weights(fit, by = "set"), "share", most)
    expect_equal(sum(bars$share), 1)
    expect_equal(sum(bars$kernels), 62)
    expect_lte(sum(!bars$rest), most + 1) # a single smaller set keeps its name
    for (view in unique(bars$view)) expect_false(is.unsorted(-bars$share[bars$view == view & !bars$rest]))
  }
  bars <- sum_bars(kernel_weights(fit, by = "set"), "share", 3)
  expect_match(bars$label[bars$rest], "^[0-9]+ smaller sets$")
  rows <- sum_rows(bars, 1.4)
  expect_length(unique(rows$y), nrow(bars))
  expect_identical(nrow(rows$heads), 2L)
})

test_that("many kernels are summed by set, or view, where bars would leave out much", {
  fit <- many_sets()
  expect_identical(suitable_sums(fit, 30), "set")
  expect_identical(suitable_sums(fit, 62), "kernel")
  x <- matrix(sin(1:120), 40)
  alike <- mkl(list(a = x, b = x^2), factor(x[, 1] > 0), gaussian_kernel(2^(1:20)), control = quiet())
  expect_identical(suitable_sums(alike, 5), "view")
  expect_identical(suitable_sums(mkl(x, factor(x[, 1] > 0), gaussian_kernel(2^(1:20)), p = Inf,
                                     control = quiet()), 5), "kernel")
  expect_identical(weight_data(fit, 30, NULL, NULL, FALSE)$value, "share")
  expect_identical(weight_data(fit, 30, "theta", "set", FALSE)$value, "theta")
  expect_draws(fit, "weights")
  for (by in c("kernel", "view", "set")) expect_draws(fit, "weights", by = by, most = 4, main = by)
  expect_draws(mkl(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(1, 4))), control = quiet()),
               "weights", by = "set", most = 2)
  expect_draws(mkl_gomp(iris[1:4], iris$Species, per_feature(gaussian_kernel(c(1, 4)))), "weights",
               by = "set")
})

test_that("weights along width are sums over the kernels of a width, a curve for each view", {
  fit <- many_sets()
  data <- width_data(fit, "share")
  weights <- kernel_weights(fit)
  expect_identical(nrow(data$table), 4L)
  of <- weights$view == "a" & weights$parameters == "width = 4"
  expect_equal(data$table$value[data$table$view == "a" & data$table$width == 4],
               sum(weights$share[of]))
  expect_draws(fit, "widths")
  three <- mkl(iris[1:4], iris$Species, gaussian_kernel(2^(0:12)), control = quiet())
  expect_true(width_data(three, NULL)$several)
  expect_equal(mean_widths(width_data(three, "theta"))$value, unname(rowMeans(coef(three))))
  expect_draws(three, "widths", value = "share", main = "Three")
  expect_error(plot(mkl(iris[1:4], iris$Species, linear_kernel(), control = quiet()), "widths"),
               class = "manykernels_unsupported")
})

test_that("the boundary in the plane is where the fit's own predictions change", {
  x <- as.matrix(iris[51:150, 3:4])
  y <- droplevels(iris$Species[51:150])
  k <- gaussian_kernel(c(0.5, 2))
  fits <- list(mkl(x, y, k, control = quiet()), mkl(x, as.numeric(x[, 1]), k, control = quiet()),
               mkl(x, kernels = k, control = quiet()), mkl(x, y, linear_kernel(), control = quiet()),
               mllkm(x, y, gamma = 1, control = quiet()))
  for (fit in fits) {
    data <- boundary_data(fit, x, 12)
    grid <- as.matrix(expand.grid(data$axes))
    colnames(grid) <- colnames(x)
    expect_equal(data$values, unname(predict(fit, grid, type = "decision")))
    expect_equal(as.matrix(data$rows[c("x1", "x2")]), x, ignore_attr = TRUE)
    expect_identical(which(data$rows$support), sort(fit$support))
    expect_draws(fit, "boundary", data = x)
  }
  expect_draws(fits[[4]], "boundary") # a linear kernel keeps no rows, but the scale
  kept <- boundary_data(fits[[1]], NULL, 12)$rows
  expect_setequal(kept$row, fits[[1]]$support)
  expect_equal(as.matrix(kept[c("x1", "x2")]), x[kept$row, ], ignore_attr = TRUE)
  three <- mkl(iris[3:4], iris$Species, k, control = quiet())
  data <- boundary_data(three, iris[3:4], 12)
  grid <- as.data.frame(expand.grid(data$axes))
  names(grid) <- names(iris)[3:4]
  expect_gt(mean(data$values == as.integer(predict(three, grid))), 0.99) # between the points of a grid of 12 x 12
  expect_draws(three, "boundary", main = "Three")
  expect_draws(mkl(mpg ~ wt + hp, mtcars, control = quiet()), "boundary", data = mtcars)
  expect_error(plot(mkl(iris[1:4], iris$Species, k, control = quiet()), "boundary"),
               class = "manykernels_unsupported")
  expect_error(plot(mkl(x, y, linear_kernel(), scale = FALSE, control = quiet()), "boundary"),
               class = "manykernels_invalid_argument")
})

test_that("bars are shares of the fitted function, which tell kernels apart at p = Inf", {
  fit <- mkl(iris[1:4], iris$Species == "setosa", gaussian_kernel(c(0.1, 4, 100)), p = Inf, control = quiet())
  data <- weight_data(fit, 30L, NULL, NULL, FALSE)
  expect_identical(data$table$value, kernel_weights(fit)$share)
  expect_gt(max(data$table$value) / min(data$table$value), 2)
  expect_identical(data$label, "share of the fitted function")
  expect_length(unique(weight_data(fit, 30L, "theta", NULL, FALSE)$table$value), 1L)
})

# ---- order, labels, bands and edges ---------------------------------------------------------------

two_views <- function(...) {
  d <- judge_clouds(40, 12)
  mkl(list(a = d$x[, 1:6], b = d$x[, 7:12]), d$y, c(linear_kernel(), gaussian_kernel(c(1, 8))),
      control = mkl_control(progress = FALSE), ...)
}

test_that("bars of a view fall in size, and uniform weights are summed by view", {
  rows <- manykernels:::weight_data(two_views(p = 1.5), 30L, NULL, NULL, FALSE)
  bars <- rows$rows(1)
  size <- rows$table$value[match(bars$kernel, rows$table$kernel)]
  for (one in split(size, bars$view)) expect_false(is.unsorted(-one))
  uniform <- manykernels:::weight_data(two_views(p = Inf), 30L, NULL, NULL, FALSE)
  expect_identical(uniform$by, "view")
  expect_equal(sum(uniform$table$value), 1)
})

test_that("logarithmic axes have plain numbers", {
  expect_identical(manykernels:::power_labels(c(-7, -2, -1, 0, 1)), c("1e-07", "0.01", "0.1", "1", "10"))
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(two_views(), "convergence"))
  labels <- lapply(built$layout$panel_params, function(panel) stats::na.omit(panel$y$get_labels()))
  expect_true(all(labels[[2]] %in% c(sprintf("%g", 10^(-5:2)), "0.0001", "0.00001")))
  expect_false(any(grepl("e\\+|-1e", unlist(labels))))
})

test_that("the bands of curves are Wilson's intervals", {
  truth <- rep(c(FALSE, TRUE), c(6, 4))
  part <- data.frame(decision = c(1:6, 4.5, 7:9), positive = truth, weight = 1)
  band <- manykernels:::tradeoff_band(part, TRUE, 0.95)
  at <- which(band$x == 0 & !duplicated(band$x, fromLast = TRUE)) # three of four, without a false one
  expect_equal(unlist(band[at, c("low", "high")], use.names = FALSE),
               unclass(prop.test(3, 4, correct = FALSE)$conf.int)[1:2])
  precision <- manykernels:::tradeoff_band(part, FALSE, 0.95)
  expect_equal(nrow(precision), 4)
  expect_equal(unlist(precision[4, c("low", "high")], use.names = FALSE),
               unclass(prop.test(4, 6, correct = FALSE)$conf.int)[1:2])
})

test_that("a cross-validation draws the plots of its fit", {
  d <- judge_clouds(40)
  cv <- cv_mkl(d$x, d$y, gaussian_kernel(c(1, 8)), p = 2, C = 1, folds = 2, control = mkl_control(progress = FALSE))
  expect_draws(cv, "weights", most = 1)
  expect_draws(cv, c("roc", "convergence"))
  expect_classed(plot(cv, "nonsense"), "invalid_argument", "which")
  expect_classed(plot(cv, "roc", most = 1), "invalid_argument", "most")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(cv, "weights", most = 1), "ggplot")
})

test_that("edges between classes are finer than the grid", {
  data <- manykernels:::boundary_data(mllkm(iris[3:4], iris$Species, gamma = 1), iris[3:4], 20L)
  expect_length(data$axes[[1]], 80)
  expect_length(data$values, 80^2)
  steps <- matrix(1:9, 3)
  expect_equal(matrix(manykernels:::refined(cbind(as.vector(steps)), 3, 5), 5)[c(1, 3, 5), c(1, 3, 5)], steps + 0)
})

test_that("weights of models with kernels of their own are all drawn", {
  skip_if_not_installed("ggplot2")
  fit <- mllkm(as.matrix(iris[3:4]), iris$Species, control = quiet())
  weights <- kernel_weights(fit)
  drawn <- ggplot2::autoplot(fit, "weights")$data
  expect_setequal(paste(drawn$model, drawn$kernel), paste(weights$model, weights$kernel))
  pdf(NULL)
  on.exit(dev.off())
  expect_no_warning(plot(fit, "weights"))
})

test_that("margins that are all in one bin are drawn", {
  fit <- mkl(matrix(1:3, 3), factor(c("a", "b", "c")), gaussian_kernel(1), multiclass = "ovo")
  expect_draws(fit, "margins")
})

test_that("names of many classes stay different where they are cut", {
  fit <- mkl(iris[1:4], factor(paste("Iris of the species number", as.integer(iris$Species), "by the key of Fisher")),
             linear_kernel())
  expect_identical(anyDuplicated(model_labels(fit)), 0L)
  skip_if_not_installed("ggplot2")
  panels <- levels(ggplot2::autoplot(fit, "weights")$data$model)
  expect_identical(anyDuplicated(panels), 0L)
  expect_match(panels, "\n")
})

test_that("margins that are all near 1 have an axis of their own", {
  expect_identical(range(margin_breaks(c(0.999, 1, 1.001))), c(-0.5, 1.5))
  near <- margin_breaks(c(0.999, 1, 1.1, 1.2))
  expect_true(near[1] > 0.9 && any(abs(near - 1) < 1e-12) && max(near) >= 1.2)
  expect_gt(length(near), 10)
  expect_identical(range(margin_breaks(c(-0.2, 1, 1.2))), c(-0.5, 1.5))
})

test_that("names that are cut stay different, whatever they have in common", {
  names <- c("Kidney renal clear cell carcinoma", "Kidney renal papillary cell carcinoma", "Lung adenocarcinoma",
             "Kidney chromophobe cell carcinoma", "tumour type A batch 1 of the hospital",
             "tumour type A batch 2 of the hospital", "tumour type B batch 1 of the hospital")
  for (most in c(9L, 12L, 20L, 36L)) {
    short <- shorten_apart(rep(names, 2), most)
    expect_identical(anyDuplicated(short[seq_along(names)]), 0L)
    expect_identical(short[seq_along(names)], short[-seq_along(names)])
    expect_lte(max(nchar(short)), most + 2L)
  }
  y <- factor(rep(names, 8), names)
  set.seed(1)
  x <- matrix(rnorm(112), 56) + as.integer(y)
  skip_if_not_installed("ggplot2")
  for (strategy in c("ovr", "ovo")) {
    fit <- mkl(x, y, gaussian_kernel(c(1, 4)), multiclass = strategy, control = quiet())
    drawn <- ggplot2::autoplot(fit, "weights")$data$model
    expect_identical(nlevels(drawn), if (strategy == "ovr") 7L else 21L)
  }
})
