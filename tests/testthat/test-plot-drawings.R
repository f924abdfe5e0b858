# Drawings that are kept. Their numbers are written here, as those of a fit depend on the rounding of a machine.

test_that("drawings of fits stay as they are", {
  skip_unless_drawn_alike()
  views <- list(petal = as.matrix(iris[51:150, 3:4]), sepal = as.matrix(iris[51:150, 1:2]))
  fit <- mkl(views, droplevels(iris$Species[51:150]), c(linear_kernel(), gaussian_kernel(c(1, 4))), p = 1.5,
             control = quiet())
  fit$theta[] <- c(0.6, 0.3, 0.1, 0.4, 0, 0.2)
  fit$decision[] <- rep(c(-1, 1), each = 50) * seq(-0.45, 2, by = 0.05)
  fit$alpha[] <- rep(c(-1, 1), each = 50) * rep(c(1, 0.5, 0), c(20, 10, 20))
  fit$history <- fit$history[rep(1L, 4L), ]
  fit$history[c("iteration", "time", "objective", "gap", "solves")] <-
    list(1:4, c(0.01, 0.02, 0.03, 0.05), c(1, 3, 3.9, 4), c(0.5, 0.1, 0.01, 5e-4), 1:4)
  vdiffr::expect_doppelganger("weights of kernels", function() plot(fit, "weights", value = "theta"))
  vdiffr::expect_doppelganger("margins of two classes", function() plot(fit, "margins"))
  vdiffr::expect_doppelganger("convergence", function() plot(fit, "convergence"))
})

test_that("drawings of importances, stability, curves and maps stay as they are", {
  skip_unless_drawn_alike()
  odd <- seq(1, 149, by = 2)
  fit <- mkl(iris[odd, 1:4], iris$Species[odd] == "versicolor", gaussian_kernel(c(1, 4)), control = quiet())
  truth <- iris$Species[odd + 1] == "versicolor"
  set.seed(1)
  found <- permutation_importance(fit, iris[odd + 1, 1:4], truth, by = "feature", repeats = 3)
  own <- c(0.3, 0.2, 0.05, 0)
  found$importance[c("importance", "lower", "upper", "p_value", "p_adjusted")] <-
    list(own, own - 0.06, own + 0.06, c(1e-6, 0.001, 0.04, 0.5), c(4e-6, 0.002, 0.06, 0.5))
  vdiffr::expect_doppelganger("importances", function() plot(found))
  stable <- kernel_stability(cv_mkl(iris[odd, 1:4], iris$Species[odd] == "versicolor", gaussian_kernel(c(1, 4, 16)),
                                    p = 1, C = 1, folds = rep(1:5, 15), control = quiet()))
  stable$kernels[c("mean", "lower", "upper", "chosen")] <- list(c(0.7, 0.3, 0.01), c(0.5, 0.2, 0), c(0.9, 0.4, 0.05), c(1, 0.8, 0.2))
  vdiffr::expect_doppelganger("stability of kernels", function() plot(stable))
  assessed <- assess(fit, iris[odd + 1, 1:4], truth)
  decision <- ifelse(truth, 1, -1) * rep(c(1, 2, -0.5), 25) + (1:75) / 1024
  assessed$predictions$decision <- decision
  thresholds <- c(Inf, sort(decision, decreasing = TRUE))
  assessed$roc <- data.frame(class = "TRUE", threshold = thresholds,
                             sensitivity = vapply(thresholds, function(t) mean(decision[truth] >= t), 0),
                             specificity = vapply(thresholds, function(t) mean(decision[!truth] < t), 0))
  assessed$measures[assessed$measures$measure == "auc", c("estimate", "lower", "upper")] <- list(0.7, 0.6, 0.8)
  vdiffr::expect_doppelganger("ROC curve of new rows", function() plot(assessed, "roc"))
  map <- sample_map(fit, iris[odd, 1:4], iris[odd + 1, 1:4], truth)
  map$component_1 <- sin(seq_len(nrow(map)))
  map$component_2 <- cos(seq_len(nrow(map))^2)
  vdiffr::expect_doppelganger("map of samples", function() plot(map))
})

test_that("drawings of grids, paths, boundaries and tables of classes stay as they are", {
  skip_unless_drawn_alike()
  odd <- seq(1, 149, by = 2)
  cv <- cv_mkl(iris[odd, 1:4], iris$Species[odd], gaussian_kernel(c(1, 4)), p = c(1, 2, Inf), C = 10^(-1:2),
               search = "grid", scale = "standard", folds = rep(1:5, 15), control = quiet())
  cv$results[c("mean", "accuracy")] <- 0.8 + (seq_len(nrow(cv$results)) * 5) %% 12 / 64
  cv$best_row <- which.max(cv$results$mean)
  vdiffr::expect_doppelganger("grid of a cross-validation", function() plot(cv, "grid"))
  gomp <- mkl_gomp(iris[odd, 1:3], iris$Petal.Width[odd], per_feature(gaussian_kernel(1)), max_kernels = 3)
  gomp$path[c("improvement", "training_error")] <- list(c(30, 3, 0.2), c(0.08, 0.05, 0.04))
  vdiffr::expect_doppelganger("path of greedy selection", function() plot(gomp, "path"))
  two <- data.frame(width = c(-1, 1), height = c(-1, 2))
  fit <- mkl(two, c("left", "right"), linear_kernel(), C = 100, scale = FALSE,
             control = quiet())
  vdiffr::expect_doppelganger("boundary of two classes", function() plot(fit, "boundary", data = two))
  assessed <- assess(mkl(iris[odd, 1:4], iris$Species[odd], gaussian_kernel(1), control = quiet()),
                     iris[odd + 1, 1:4], iris$Species[odd + 1])
  assessed$confusion[] <- c(25, 0, 0, 0, 22, 3, 0, 1, 24)
  vdiffr::expect_doppelganger("table of classes", function() plot(assessed, "confusion"))
})
