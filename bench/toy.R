# The toy experiment of Kloft et al. (2011, section 6.1): which p is best when only some of the
# kernels carry information? Two classes in 50 features with a linear kernel each, a share nu of
# which is noise; C is chosen on a validation set, along which each fit starts at the one before.
# The paper's figure 3, test error and error of the kernel weights against nu, is drawn anew.
# The tolerance is smaller than the paper's 1e-3: where C is tiny nearly all of the objective is
# loss, and uniform weights are within 1e-3 of the optimum whatever p says. Beside the paper's norms
# stands a block norm beyond q = 2 (block=0: none), which the paper expects to be better than the
# plain sum where all kernels are alike. The paper's repeats are more; the standard errors tell.
# usage: Rscript bench/toy.R [rows=50,800] [repeats=50,10] [p=1,4/3,2,4,Inf] [block=4] [held=10000]
#   [tol=1e-6] [figure=bench/results/toy.png]
# stale after: model R/norms.R

source("bench/common.R")
settings <- bench_arguments(rows = c(50, 800), repeats = c(50, 10), p = c(1, 4 / 3, 2, 4, Inf),
                            block = 4, held = 10000, tol = 1e-6,
                            figure = "bench/results/toy.png")
shares <- c(0, 0.44, 0.64, 0.82, 0.92, 1)
costs <- 10^seq(-4, 0, by = 0.5)
norms <- c(stats::setNames(lapply(settings$p, lp_norm), paste("p =", round(settings$p, 2))),
           if (settings$block) stats::setNames(list(block_norm(settings$block)),
                                               paste("block q =", settings$block)))

# ---- the experiment ------------------------------------------------------------------------------

error_rate <- function(fit, data) mean(predict(fit, data$x) != data$y)
unit <- function(x) x / sqrt(sum(x^2))

# Test error, error of the weights and C of one norm; the fit of least error on the validation set
# (of several the one of the largest C).
run_norm <- function(norm, train, validation, test) {
  fit <- NULL
  least <- Inf
  for (C in costs) {
    control <- bench_control(tol = settings$tol, start = fit)
    fit <- quiet(mkl(train$x, train$y, per_feature(linear_kernel()), C = C, norm = norm, scale = FALSE,
                     control = control))
    error <- error_rate(fit, validation)
    if (error <= least) {
      least <- error
      best <- fit
    }
  }
  c(error = error_rate(best, test), weights = sqrt(sum((unit(best$theta) - unit(test$theta))^2)),
    C = best$C)
}

run_repeat <- function(seed, n, nu) {
  set.seed(seed)
  data <- lapply(c(n, settings$held, settings$held), simulate_mkl_toy, nu = nu)
  vapply(norms, run_norm, c(error = 0, weights = 0, C = 0), data[[1]], data[[2]], data[[3]])
}

# An array: measures by norms by repeats by shares.
run_rows <- function(n, repeats) {
  cells <- lapply(shares, function(nu) vapply(seq_len(repeats), run_repeat,
                                              matrix(0, 3, length(norms)), n, nu))
  array(unlist(cells), c(3, length(norms), repeats, length(shares)),
        list(c("error", "weights", "C"), names(norms), NULL, format(shares)))
}

# ---- what came out -------------------------------------------------------------------------------

# norms x shares
mean_of <- function(runs, what) apply(runs[what, , , , drop = FALSE], c(2, 4), mean)
error_of <- function(runs, what) {
  apply(runs[what, , , , drop = FALSE], c(2, 4), stats::sd) / sqrt(dim(runs)[3])
}

show_runs <- function(runs, n) {
  error <- mean_of(runs, "error")
  cells <- function(what, scale) {
    text <- sprintf("%.*f +- %.*f", 2, scale * mean_of(runs, what), 2, scale * error_of(runs, what))
    data.frame(nu = format(shares), matrix(text, ncol = nrow(error), byrow = TRUE,
                                           dimnames = list(NULL, rownames(error))),
               check.names = FALSE)
  }
  table <- cells("error", 100)
  table$best <- rownames(error)[apply(error, 2, which.min)]
  section(sprintf("Test error in percent, n = %d", n), sprintf(
    "%d repeats, mean and its standard error; the least error possible is %.2f %%.", dim(runs)[3],
    100 * stats::pnorm(-1.75)), table)
  section(sprintf("Error of the kernel weights, n = %d", n), "", cells("weights", 1))
  chosen <- table(factor(match(runs["C", , , ], costs), seq_along(costs)))
  cat(sprintf("C chosen at either end of its grid: %.1f %% of the fits.\n\n",
              100 * sum(chosen[c(1, length(costs))]) / sum(chosen)))
}

# ---- the figure ----------------------------------------------------------------------------------

colours <- c("#D55E00", "#E69F00", "#009E73", "#0072B2", "#000000", "#999999", "#CC79A7")
signs <- c(16, 17, 15, 18, 4, 1, 2)

draw_panel <- function(runs, what, scale, title, label, legend) {
  mean <- scale * t(mean_of(runs, what))
  error <- scale * t(error_of(runs, what))
  at <- seq_along(shares)
  k <- seq_len(ncol(mean))
  # the block norm may leave the panel
  top <- max((mean + error)[, paste("p =", round(settings$p, 2))]) * if (legend) 1.25 else 1
  graphics::matplot(at, mean, type = "b", pch = signs[k], lty = 1, col = colours[k], xaxt = "n",
                    ylim = c(if (legend) 3 else 0, top), main = title,
                    xlab = "share of noise kernels in percent", ylab = label)
  graphics::axis(1, at, c(100 * shares[-length(shares)], 98))
  graphics::segments(rep(at, ncol(mean)), mean - error, y1 = mean + error,
                     col = rep(colours[k], each = length(at)))
  if (what == "error") graphics::abline(h = 100 * stats::pnorm(-1.75), lty = 3)
  if (legend) graphics::legend("top", names(norms), pch = signs[k], col = colours[k], lty = 1,
                               ncol = 3, bty = "n", cex = 0.85)
}

draw_figure <- function(all, rows, file) {
  dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
  grDevices::png(file, 1000, 420 * length(all), res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(length(all), 2), mar = c(4.2, 4.2, 2.2, 0.8), las = 1,
                mgp = c(2.6, 0.6, 0))
  for (k in seq_along(all)) {
    title <- sprintf("n = %d", rows[k])
    draw_panel(all[[k]], "error", 100, title, "test error in percent", TRUE)
    draw_panel(all[[k]], "weights", 1, title, "error of the kernel weights", FALSE)
  }
}

repeats <- rep_len(settings$repeats, length(settings$rows))
all <- Map(run_rows, settings$rows, repeats)
invisible(Map(show_runs, all, settings$rows))
draw_figure(all, settings$rows, settings$figure)
cat(sprintf("Figure: [%s](%s)\n\n", basename(settings$figure), basename(settings$figure)))

# The paper's "most robust": of the largest errors over all shares that of p = 4 is the least.
robust <- function(runs, n) {
  worst <- apply(mean_of(runs, "error"), 1, max)[paste("p =", round(settings$p, 2))]
  bar(sprintf("toy data, n = %d: largest test error over all shares of noise, p = 4 against others",
              n), worst[["p = 4"]] / min(worst[names(worst) != "p = 4"]), 1)
}
if ("p = 4" %in% names(norms)) report_bars(do.call(rbind, Map(robust, all, settings$rows)))
