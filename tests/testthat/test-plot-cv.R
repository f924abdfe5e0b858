skip_on_cran() # a slow file

made_settings <- function() {
  c(check_settings(2, 1, "hinge", NULL, "multiplicative", NULL, "ovr", quiet(), TRUE),
    list(scale = TRUE, missing_views = "error"))
}

# Results of cross-validations made by hand: what plots read.
cv_object <- function(p = c(1, 4 / 3, 2, Inf), C = 10^(-2:3), rule = "one_se", larger = TRUE,
                      n = 120) {
  results <- expand.grid(C = C, p = p)
  quality <- 0.96 - 0.03 * (log10(results$C) - 1)^2 - 0.02 * (1 / results$p - 0.75)^2
  results$mean <- if (larger) quality else 1.1 - quality
  results$se <- 0.012
  results$folds <- 5L
  name <- if (larger) "accuracy" else "rmse"
  results[[name]] <- results$mean
  results[[paste0(name, "_se")]] <- results$se
  results$auc <- results$mean + 0.01
  results$auc_se <- 0.01
  results[c("kernels", "support", "gap", "seconds", "failed")] <- 0
  set.seed(1)
  truth <- factor(rep(c("healthy", "ill"), length.out = n))
  decision <- rnorm(n) + 1.5 * (truth == "ill")
  predictions <- data.frame(
    row = seq_len(n), `repeat` = 1L, fold = rep(1:5, length.out = n), truth = truth,
    response = truth, decision = decision, check.names = FALSE
  )
  ill <- plogis(decision - 0.75)
  predictions$prob <- cbind(healthy = 1 - ill, ill = ill)
  measures <- list(list(name = name, larger = larger), list(name = "auc", larger = TRUE))
  structure(list(results = results, tuned = c("p", "C"), measure = name, larger = larger,
                 measures = measures, predictions = predictions,
                 best_row = max(1L, choose_cell(results, larger, rule), na.rm = TRUE),
                 by_fold = data.frame(), best = list(p = 2, C = 1), fit = NULL, resamples = list(list(repeat_number = 1L, test = 1)),
                 weights = list(list()), nested = NULL, rule = rule, model = "mkl", n = n,
                 grid = list(tuned = c("p", "C"), inner = C, outer = as.list(p)),
                 settings = made_settings(), arguments = list(), call = quote(cv_mkl()),
                 version = manykernels:::model_version),
            class = c("cv_mkl", "mkl_holder", "mkl_fit"))
}

every_plot <- c("grid", "curve", "roc", "pr", "calibration")

test_that("all plots are drawn and leave par() alone", {
  for (x in list(cv_object(), cv_object(larger = FALSE), cv_object(p = 2), cv_object(C = 1),
                 cv_object(p = 2, C = 1), cv_object(p = 1:9, C = 2^(-20:20)))) {
    expect_draws(x)
    expect_draws(x, every_plot, main = "A title")
    expect_draws(x, "curve", measure = "auc")
  }
  pdf(NULL, 9, 9)
  on.exit(dev.off())
  par(mfrow = c(2, 3))
  for (which in every_plot) expect_no_error(plot(cv_object(), which))
})

test_that("grids of other arguments are drawn", {
  x <- cv_object()
  x$tuned[1] <- names(x$best)[1] <- names(x$results)[2] <- "gamma"
  x$results$gamma <- 10 * match(x$results$gamma, unique(x$results$gamma))
  expect_draws(x)
  x$tuned[1] <- names(x$best)[1] <- names(x$results)[2] <- "norm"
  x$results$norm <- factor(paste0("elastic_net(", x$results$norm, ")"))
  expect_draws(x)
  path <- cv_object(p = 1)
  names(path$results)[1] <- path$tuned <- "lambda"
  path$best <- list(lambda = 1)
  expect_draws(path)
})

test_that("cells without values or folds are drawn as such, and no warning is given", {
  x <- cv_object()
  x$results$folds[1:3] <- 2L
  x$results$accuracy[c(1, 9)] <- NA
  x$results$accuracy_se[c(1, 4, 9)] <- NA
  expect_draws(x)
  data <- cell_data(x, "grid", NULL)
  expect_identical(data$table$complete, rep(c(FALSE, TRUE), c(3, 21)))
  x$results$accuracy <- 0.5
  expect_draws(x)
  x$results$accuracy <- NA_real_
  expect_classed(plot(x), "invalid_argument", "x")
})

test_that("what is marked is the choice, the best, and one standard error off it", {
  for (larger in c(TRUE, FALSE)) {
    x <- cv_object(larger = larger)
    data <- cell_data(x, "grid", NULL)
    best <- if (larger) which.max(x$results$mean) else which.min(x$results$mean)
    expect_identical(which(data$table$best), best)
    expect_identical(which(data$table$chosen), x$best_row)
    expect_equal(data$line, x$results$mean[best] + (if (larger) -1 else 1) * 0.012)
    expect_identical(data$inner$labels, c("0.01", "0.1", "1", "10", "100", "1000"))
    expect_identical(data$outer$labels, c("1", "4/3", "2", "Inf"))
    # the better the darker
    expect_identical(which.max(if (larger) data$table$place else 1 - data$table$place), best)
  }
  other <- cell_data(cv_object(), "curve", "auc")
  expect_length(other$line, 0)
  expect_false(any(other$table$best))
  # one value of p, or of C, leaves one dimension
  expect_identical(other$outer$entries, paste("p =", other$outer$labels))
  sets <- outer_dimension(c("set", "p"), data.frame(set = c("a", "a", "b"), p = c(1, 2, 2)))
  expect_identical(sets$entries, c("a, p = 1", "a, p = 2", "b, p = 2"))
  expect_identical(cell_data(cv_object(p = 2), "grid", NULL)$type, "curve")
  expect_identical(cell_data(cv_object(C = 2), "grid", NULL)$inner$name, "p")
})

test_that("curves enclose the areas that the measures give", {
  x <- cv_object(n = 60)
  x$predictions$decision <- round(x$predictions$decision, 1) # ties
  predictions <- predictions_by_class(x, "roc")$ill
  roc <- roc_curve(predictions)
  trapezoids <- sum(diff(roc$x) * (roc$y[-1] + roc$y[-nrow(roc)]) / 2)
  expect_equal(trapezoids,
               binary_auc(predictions$decision, predictions$positive, predictions$weight))
  pr <- pr_curve(predictions)
  expect_equal(sum(diff(pr$x) * pr$y[-1]),
               binary_auprc(predictions$decision, predictions$positive, predictions$weight))
  # by hand: hit, miss, hit, miss
  four <- data.frame(decision = 4:1, positive = c(TRUE, FALSE, TRUE, FALSE), weight = 1)
  expect_equal(roc_curve(four), data.frame(x = c(0, 0, 0.5, 0.5, 1), y = c(0, 0.5, 0.5, 1, 1)))
  expect_equal(pr_curve(four), data.frame(x = c(0, 0.5, 0.5, 1), y = c(1, 1, 2 / 3, 2 / 3)))
})

test_that("curves of pairs of classes are by their votes", {
  set.seed(2)
  cv <- cv_mkl(as.matrix(iris[1:4]), iris$Species, gaussian_kernel(c(1, 4)), p = 2, C = 1, folds = 3,
               multiclass = "ovo", measure = "auc", control = quiet())
  parts <- predictions_by_class(cv, "roc")
  expect_named(parts, levels(iris$Species))
  votes <- pair_scores(cv$predictions$decision, levels(iris$Species))
  expect_equal(lapply(unname(parts), `[[`, "decision"), lapply(1:3, function(k) votes[, k]))
  areas <- vapply(cv_plot_data(cv, "roc", NULL)$classes, `[[`, 0, "area")
  expect_true(all(areas > 0.95))
})

test_that("rows count once, by the mean of their decision values over the repeats", {
  x <- cv_object(n = 60)
  other <- x$predictions
  other$`repeat` <- 2L
  other$decision <- other$decision + rep(c(0, 2, 0), 20)
  x$predictions <- rbind(x$predictions, other)
  mean <- (x$predictions$decision[1:60] + other$decision) / 2
  class <- cv_plot_data(x, "roc", NULL)$classes$ill
  truth <- other$truth == "ill"
  expect_equal(class$area, binary_auc(mean, truth, rep(1, 60)))
  expect_equal(class$curve, roc_curve(data.frame(decision = mean, positive = truth, weight = 1)))
  expect_length(class$curves, 10)
  expect_equal(cv_plot_data(x, "pr", NULL)$classes$ill$area, binary_auprc(mean, truth, rep(1, 60)))
})

test_that("folds of one class make no curve of their own", {
  x <- cv_object(n = 40)
  x$predictions$fold <- ifelse(x$predictions$truth == "ill", 1, 2)
  data <- cv_plot_data(x, "roc", NULL)
  expect_length(data$classes$ill$curves, 0)
  expect_draws(x, c("roc", "pr"))
  x$predictions$fold[1:10] <- 3
  expect_length(cv_plot_data(x, "roc", NULL)$classes$ill$curves, 1)
})

test_that("calibration is by groups of rows, with Wilson's intervals", {
  data <- cv_plot_data(cv_object(), "calibration", NULL)
  x <- cv_object()$predictions
  group <- rep(1:10, each = 12)[rank(x$prob[, "ill"])]
  table <- data$classes$ill$table
  expect_equal(table$x, as.vector(tapply(x$prob[, "ill"], group, mean)))
  expect_equal(table$y, as.vector(tapply(x$truth == "ill", group, mean)))
  wilson <- suppressWarnings(prop.test(3, 12, correct = FALSE)$conf.int)
  expect_equal(unlist(wilson_interval(3 / 12, 12)), as.vector(wilson))
  # repeats count once
  twice <- cv_object()
  twice$predictions <- rbind(twice$predictions, twice$predictions)
  expect_equal(cv_plot_data(twice, "calibration", NULL), data)
  # only how weights differ says how much they tell
  weighted <- function(weights) {
    x <- cv_object()
    x$fit$weights <- weights
    cv_plot_data(x, "calibration", NULL)$classes$ill$table
  }
  expect_equal(weighted(rep(0.005, 120)), table)
  odd <- rep(c(1, 3), 60)
  expect_equal(weighted(odd), weighted(100 * odd))
  width <- function(table) mean(table$high - table$low)
  expect_gt(width(weighted(rep(c(1, 0.001), 60))), width(table))
  # probabilities that are all alike are one group
  twice$predictions$prob[] <- 0.5
  expect_identical(nrow(cv_plot_data(twice, "calibration", NULL)$classes$ill$table), 1L)
  expect_draws(twice, "calibration")
})

test_that("what can't be drawn is a classed error", {
  x <- cv_object()
  expect_classed(plot(x, "weights"), "no_fit", "object")
  expect_classed(plot(x, "weight"), "invalid_argument", "which")
  expect_classed(plot(x, measure = "f1"), "invalid_argument", "measure")
  expect_classed(plot(x, measure = "C"), "invalid_argument", "measure")
  expect_classed(plot(x, col = 2), "invalid_argument", "col")
  expect_classed(plot(x, main = 1:2), "invalid_argument", "main")
  x$predictions$prob <- NULL
  expect_classed(plot(x, "calibration"), "no_probability", "which")
  x$predictions$truth <- rnorm(120)
  expect_classed(plot(x, "roc"), "unsupported", "which")
  x$predictions <- NULL
  expect_classed(plot(x, "pr"), "unsupported", "which")
})

test_that("ggplot2 draws the same", {
  skip_unless_slow()
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  lacking <- cv_object()
  lacking$results$accuracy[3] <- NA
  lacking$results$folds[3] <- 0L
  for (x in list(cv_object(), cv_object(p = 2), cv_object(p = 2, C = 1), lacking,
                 cv_object(p = 1:9, C = 2^(-20:20), larger = FALSE))) {
    for (which in every_plot) {
      plot <- ggplot2::autoplot(x, which, main = "A title")
      expect_s3_class(plot, "ggplot")
      expect_no_warning(print(plot))
    }
  }
  expect_classed(ggplot2::autoplot(cv_object(), c("grid", "curve")), "invalid_argument", "which")
})

stability_object <- function() {
  kernels <- c(paste0("rna:gaussian(width=", 2^(0:5), ")"), paste0("protein:linear[SET_", 1:3, "]"))
  mean <- c(0.1, 0.3, 0.25, 0.05, 0.01, 0, 0.2, 0.4, 0.15)
  table <- data.frame(
    kernel = kernels, view = rep(c("rna", "protein"), c(6, 3)), mean = mean,
    lower = pmax(mean - 0.1, 0), upper = mean + 0.1 * (mean > 0),
    chosen = c(0.6, 1, 0.95, 0.3, 0.05, 0, 0.8, 1, 0.7)
  )
  structure(list(kernels = table, views = table, resamples = 20L, level = 0.95, value = "theta",
                 version = manykernels:::model_version), class = "kernel_stability")
}

test_that("the stability of kernels is drawn", {
  x <- stability_object()
  expect_draws(x)
  expect_draws(x, zeros = TRUE, main = "Stability")
  expect_draws(x, most = 3)
  one <- many <- models <- x
  one$kernels <- x$kernels[6, ]
  expect_draws(one)
  many$kernels <- x$kernels[rep(1:9, 30), ]
  many$kernels$kernel <- make.unique(many$kernels$kernel)
  expect_draws(many, most = 300)
  models$kernels <- cbind(model = rep(c("a", "b"), each = 9), x$kernels[rep(1:9, 2), ])
  models$kernels$mean[10:18] <- rev(models$kernels$mean[10:18])
  expect_draws(models, most = 3)
  expect_identical(bar_rows(with_value(x$kernels), 30L)$zeros, 1L)
  expect_classed(plot(x, most = 0), "invalid_argument", "most")
  expect_classed(plot(x, zeros = NA), "invalid_argument", "zeros")
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  for (plot in list(ggplot2::autoplot(x), ggplot2::autoplot(x, zeros = TRUE, main = "S"),
                    ggplot2::autoplot(many, most = 2), ggplot2::autoplot(models, most = 3))) {
    expect_s3_class(plot, "ggplot")
    expect_no_warning(print(plot))
  }
})

test_that("what cv_mkl() and kernel_stability() give is drawn", {
  d <- judge_clouds(60)
  set.seed(1)
  cv <- cv_mkl(list(a = d$x[, 1:2], b = d$x[, 3, drop = FALSE]), d$y, gaussian_kernel(c(1, 4)),
               p = c(1, 2), C = c(0.1, 1), folds = 3, measure = c("auc", "brier"),
               loss = "logistic", weights = rep(c(1, 1, 2, 0), 15), control = quiet())
  expect_draws(cv, every_plot)
  expect_draws(cv, measure = "brier")
  expect_draws(kernel_stability(cv))
  counted <- cv$predictions[cv$fit$weights[cv$predictions$row] > 0, ]
  expect_equal(sum(predictions_by_class(cv, "roc")[[1]]$weight > 0), nrow(counted))
  # the area in the plot is that of all rows held out
  expect_equal(cv_plot_data(cv, "roc", NULL)$classes[[1]]$area,
               binary_auc(counted$decision, counted$truth == levels(d$y)[2],
                          cv$fit$weights[counted$row]))
  t <- judge_triangle()
  three <- cv_mkl(t$x, t$y, gaussian_kernel(c(1, 4)), p = 1, C = c(0.1, 1), folds = 3,
                  loss = "logistic", control = quiet())
  expect_draws(three)
  expect_draws(kernel_stability(three, value = "share"))
  # several classes, each against the others
  expect_draws(three, every_plot)
  areas <- vapply(cv_plot_data(three, "roc", NULL)$classes, `[[`, 0, "area")
  expect_named(areas, levels(t$y))
  expect_equal(areas[["b"]], binary_auc(three$predictions$decision[, 2], three$predictions$truth == "b",
                                        rep(1, length(t$y))))
  skip_if_not_installed("ggplot2")
  for (which in c("roc", "pr", "calibration")) {
    plot <- ggplot2::autoplot(three, which)
    expect_no_warning(print(plot))
    expect_identical(levels(plot$data$class), levels(t$y))
  }
})

test_that("a grid whose cells are all alike is drawn", {
  set.seed(1)
  cv <- cv_mkl(iris[c(1:30, 51:80), 1:4], droplevels(iris$Species[c(1:30, 51:80)]),
               gaussian_kernel(4), p = c(1, 2), C = c(1, 10), folds = 3,
               control = mkl_control(progress = FALSE))
  expect_identical(unique(cv$results$mean), 1)
  expect_draws(cv, "grid")
})

test_that("margins of rows held out are those of their predictions", {
  set.seed(1)
  x <- matrix(rnorm(40 * 200), 40)
  y <- factor(rep(c("a", "b"), 20))
  cv <- cv_mkl(x, y, linear_kernel(), C = 10, p = 2, folds = 4, repeats = 2, control = mkl_control(progress = FALSE))
  expect_draws(cv, "held_out")
  expect_draws(cv, "margins") # all training rows are on the margin
  bands <- held_out_bands(cv)
  expect_gt(sum(rowSums(bands$height) > 0), 5) # bars
  expect_identical(unname(bands$rows), c(20, 20))
  mean <- tapply(cv$predictions$decision, cv$predictions$row, mean)
  expect_equal(bands$error, c(a = mean(mean[y == "a"] >= 0), b = mean(mean[y == "b"] <= 0)))
  three <- cv_mkl(iris[1:4], iris$Species, gaussian_kernel(4), p = 2, C = 1, folds = 3, multiclass = "ovo",
                  control = mkl_control(progress = FALSE))
  expect_draws(three, "held_out")
  numbers <- cv_mkl(iris[1:3], iris[[4]], linear_kernel(), p = 2, C = 1, folds = 3,
                    control = mkl_control(progress = FALSE))
  expect_classed(plot(numbers, "held_out"), "unsupported", "which")
  skip_if_not_installed("ggplot2")
  for (plot in list(ggplot2::autoplot(three, "held_out"), ggplot2::autoplot(cv, "margins"))) {
    expect_no_warning(print(plot))
  }
})

test_that("drawings stay as they are", {
  skip_unless_drawn_alike()
  for (which in c("curve", "roc", "pr", "calibration")) {
    vdiffr::expect_doppelganger(paste("cross-validation", which),
                                textless(ggplot2::autoplot(cv_object(), which)))
  }
})

test_that("areas and calibration of a cross-validation count its groups", {
  set.seed(1)
  group <- rep(1:12, each = 8)
  x <- matrix(rnorm(12), 12)[group, , drop = FALSE] + matrix(rnorm(96, 0, 0.2), 96)
  y <- factor(x[, 1] + rnorm(12)[group] > 0)
  cv <- cv_mkl(x, y, gaussian_kernel(2), p = 2, C = 1, group = group, folds = 4,
               control = mkl_control(progress = FALSE, threads = 1))
  width <- function(group) {
    part <- predictions_by_class(replace(cv, "group", list(group)), "roc")[[1]]
    diff(class_tradeoff(part, "roc")$limits)
  }
  expect_gt(width(cv$group), 1.2 * width(NULL))
})

test_that("weights that are all alike are drawn as shares by view", {
  views <- list(a = iris[51:150, 1:2], b = iris[51:150, 3:4])
  cv <- cv_mkl(views, droplevels(iris$Species[51:150]), gaussian_kernel(c(1, 4)), C = 1, p = Inf,
               folds = rep(1:2, 50), control = quiet())
  stable <- kernel_stability(cv)
  expect_equal(rowMeans(stable$view_weights), stable$views$mean)
  for (which in c("intervals", "map")) {
    drawn <- drawn_text(plot(stable, which = which))$text
    expect_identical(sum(drawn %in% c("a", "b")), 2L)
    expect_true(any(startsWith(drawn, "share")))
  }
  skip_if_not_installed("ggplot2")
  data <- ggplot2::autoplot(stable)$data
  expect_equal(data$mean[match(c("a", "b"), data$kernel)], stable$views$mean)
  expect_equal(sort(ggplot2::autoplot(stable, which = "map")$data$value), sort(as.vector(stable$view_weights)))
})

test_that("a chosen cell whose mean is the best is alone in its frame, and moved points are told", {
  cv <- cv_mkl(iris[51:150, 1:4], droplevels(iris$Species[51:150]), gaussian_kernel(c(1, 4)), C = c(1, 10), p = c(1, 2),
               folds = rep(1:2, 50), search = "grid", control = quiet())
  cv$results[c("mean", "accuracy")] <- c(0.9, 0.95, 0.95, 0.8)
  cv$best_row <- 3L
  expect_false("best mean" %in% drawn_text(plot(cv, "grid"))$text)
  expect_true("C (points are moved apart)" %in% drawn_text(plot(cv, "curve"))$text)
  cv$best_row <- 1L
  expect_true("best mean" %in% drawn_text(plot(cv, "grid"))$text)
})
