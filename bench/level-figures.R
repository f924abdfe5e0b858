# Figures 1 and 2 of the extended level method's paper (Xu, Jin, King and Lyu 2009): the objective against time
# and against the number of SVMs, and the five largest weights by iteration, for its three sets and the
# methods compared there, by the protocol of bench/level-kernels.R on one half of each set. A third figure has
# the level method's gap of every step beside the rate of the paper's Theorem 3. Beside the methods
# stands the plain subgradient method, written here in R: projected steps of length sqrt(2/t), where sqrt(2) is
# the diameter of the simplex. Its time is that of R's sums of stored matrices, so it is compared by SVMs.
# Times are processor times on one thread; ratios are to the level method run in the same process.
# usage: Rscript bench/level-figures.R [sets=ionosphere,breast,pima] [limit=300] [steps=500] [half=1]
#          [figure=bench/results/level-figures.png]
# stale after: fit bench/level-kernels.R

source("bench/common.R")
source("bench/data.R")
source("bench/level-kernels.R")
settings <- bench_arguments(sets = c("ionosphere", "breast", "pima"), limit = 300, steps = 500, half = 1,
                            figure = "bench/results/level-figures.png")
methods <- c("level", "reduced_gradient", "cutting_plane")
# Seconds that the paper's Table 1 prints.
printed <- data.frame(row.names = c("reduced_gradient", "cutting_plane", "level"),
                      ionosphere = c(33.5, 1161.0, 7.1), breast = c(47.4, 54.2, 4.6), pima = c(39.4, 62.0, 9.1))

# ---- runs ----------------------------------------------------------------------------------------

# What a run went through: seconds, SVMs, the least upper bound so far, weights.
run_method <- function(optimizer, data) {
  started <- proc.time()
  fit <- quiet(fit_level(data, optimizer, settings$limit, max_iter = 500, trace = TRUE, threads = 1))
  used <- proc.time() - started
  history <- fit$history
  list(seconds = history$time * used[["user.self"]] / max(used[["elapsed"]], 1e-3), svms = history$solves,
       objective = cummin(history$objective / (1 - history$gap)), theta = history$theta, gap = fit$gap,
       delta = history$delta,
       total = used[["user.self"]], solves = fit$solves, status = fit$status)
}

# Euclidean projection onto the simplex.
on_simplex <- function(v) {
  sorted <- sort(v, decreasing = TRUE)
  excess <- (cumsum(sorted) - 1) / seq_along(v)
  pmax(v - excess[max(which(sorted > excess))], 0)
}

run_subgradient <- function(data) {
  started <- proc.time()[["user.self"]]
  K <- kernel_matrix(level_kernels(), data$x, normalize = "trace", scale = FALSE)
  n <- nrow(data$x)
  columns <- vapply(K, as.vector, numeric(n * n))
  theta <- rep(1 / length(K), length(K))
  out <- list(seconds = numeric(), svms = numeric(), objective = numeric(), theta = NULL, status = "max_iter")
  for (t in seq_len(settings$steps)) {
    mixture <- matrix(columns %*% theta, n)
    fit <- quiet(mkl(NULL, data$y, precomputed_kernel(mixture), p = 1, C = 100, normalize = "none",
                     control = bench_control(tol = 1e-4, threads = 1)))
    s <- drop(crossprod(columns, as.vector(tcrossprod(fit$alpha))))
    out$objective[t] <- fit$primal
    out$svms[t] <- t
    out$seconds[t] <- proc.time()[["user.self"]] - started
    out$theta <- rbind(out$theta, theta)
    # the dual value with the largest form bounds the optimum from below
    dual <- fit$primal * (1 - fit$gap) + 0.5 * (sum(theta * s) - max(s))
    out$gap <- (min(out$objective) - max(dual, out$dual)) / min(out$objective)
    out$dual <- max(dual, out$dual)
    if (out$gap <= 0.01) {
      out$status <- "converged"
      break
    }
    if (out$seconds[t] > settings$limit) break
    theta <- on_simplex(theta + sqrt(2 / t) * s / sqrt(sum(s^2)))
  }
  out$objective <- cummin(out$objective)
  out$total <- out$seconds[length(out$seconds)]
  out$solves <- length(out$svms)
  out
}

# Theorem 3: to a gap of eps, the level method takes at most 2 c(lambda) L^2 / eps^2 steps. Returns the gap that
# it so allows after each of `steps`.
lambda <- 0.9 # up to a relative gap of `tol`, where these runs end

theorem_gap <- function(data, steps) {
  K <- kernel_matrix(level_kernels(), data$x, normalize = "trace", scale = FALSE)
  largest <- max(vapply(K, function(k) max(eigen(k, symmetric = TRUE, only.values = TRUE)$values), 0))
  lipschitz <- 0.5 * sqrt(length(K)) * nrow(data$x) * 100^2 * largest
  lipschitz * sqrt(2 / ((1 - lambda)^2 * lambda * (2 - lambda)) / steps)
}

study <- function(set) {
  train <- random_half(read_level_set(set), settings$half)$train
  runs <- lapply(stats::setNames(nm = methods), run_method, train)
  runs$subgradient <- run_subgradient(train)
  list(runs = runs, allowed = theorem_gap(train, seq_along(runs$level$delta)), title = sprintf("%s, n = %d, %d kernels", set, nrow(train$x), ncol(runs$level$theta)))
}
studies <- lapply(stats::setNames(nm = settings$sets), study)

# ---- tables --------------------------------------------------------------------------------------

rows <- do.call(rbind, lapply(names(studies), function(set) {
  runs <- studies[[set]]$runs
  level <- runs$level$total
  ours <- printed[match(names(runs), rownames(printed)), set]
  data.frame(set = studies[[set]]$title, method = names(runs),
             `time, s` = sprintf("%.2f", vapply(runs, `[[`, 0, "total")),
             `to level` = ratio_text(vapply(runs, `[[`, 0, "total") / level),
             `paper: s` = ifelse(is.na(ours), "", format(ours)),
             `paper: to level` = ifelse(is.na(ours), "", ratio_text(ours / printed["level", set])),
             SVMs = vapply(runs, `[[`, 0, "solves"), gap = signif(vapply(runs, `[[`, 0, "gap"), 2),
             status = vapply(runs, `[[`, "", "status"), check.names = FALSE)
}))
rownames(rows) <- NULL
section("Objective against time: what it took", sprintf(paste(
  "One half of each set, relative gap 0.01, at most 500 iterations (subgradient: %d) or %g s. The paper's",
  "seconds are of another computer; its ratio is to be compared with ours."), settings$steps, settings$limit),
  rows)

# The slope of log(gap) over log(step) is that of a least squares line. The first step has no lower bound yet.
rates <- do.call(rbind, lapply(studies, function(study) {
  gap <- study$runs$level$delta
  step <- which(gap > 0)
  last <- max(step)
  slope <- stats::coef(stats::lm(log(gap[step]) ~ log(step)))[[2]]
  data.frame(set = study$title, steps = last, `first gap` = signif(gap[step[1]], 3), `last gap` = signif(gap[last], 3),
             `theorem: last gap` = signif(study$allowed[last], 3), slope = round(slope, 2), `theorem: slope` = -0.5,
             check.names = FALSE)
}))
rownames(rates) <- NULL
section("The gap of every step and Theorem 3", paste(
  "The level method's upper minus lower bound of the objective, and what the theorem allows after as many steps",
  "(its constant with the largest eigenvalue of these kernels)."), rates)

# ---- figures -------------------------------------------------------------------------------------

colours <- c(level = "#0072B2", reduced_gradient = "#E69F00", cutting_plane = "#D55E00", subgradient = "#777777")

draw_objectives <- function(runs, against, title, label) {
  at <- lapply(runs, `[[`, against)
  value <- lapply(runs, function(run) log10(run$objective))
  graphics::plot(NULL, xlim = range(pmax(unlist(at), if (against == "svms") 1 else 0.01)), log = "x",
                 ylim = range(unlist(value)), xlab = label, ylab = "log10 of the objective", main = title)
  for (name in names(runs)) {
    graphics::lines(pmax(at[[name]], 0.01), value[[name]], col = colours[[name]], lwd = 2, type = "s")
  }
  graphics::legend("topright", names(runs), col = colours[names(runs)], lwd = 2, bty = "n", cex = 0.8)
}

draw_weights <- function(run, name, title) {
  top <- utils::head(order(-run$theta[nrow(run$theta), ]), 5)
  graphics::matplot(run$theta[, top], type = "l", lty = 1, ylim = c(0, 1), xlab = "iteration",
                    ylab = "five largest weights", main = sprintf("%s: %s", title, name))
}

draw_rate <- function(study, title) {
  gap <- study$runs$level$delta
  step <- which(gap > 0)
  graphics::plot(step, log10(gap[step]), type = "s", log = "x", col = colours[["level"]], lwd = 2,
                 ylim = range(log10(gap[step]), log10(study$allowed[step])), main = title, xlab = "step",
                 ylab = "log10 of the gap")
  graphics::lines(step, log10(study$allowed[step]), lty = 2)
  graphics::legend("right", c("Theorem 3", "level"), col = c("black", colours[["level"]]), lty = 2:1, lwd = 1:2,
                   bty = "n", cex = 0.8)
}

dir.create(dirname(settings$figure), recursive = TRUE, showWarnings = FALSE)
save_figure <- function(number, rows, draw) {
  file <- sub("[.]png$", sprintf("-%d.png", number), settings$figure)
  grDevices::png(file, 360 * length(studies), 320 * rows, res = 90)
  graphics::par(mfrow = c(rows, length(studies)), mar = c(4, 4, 2, 0.6), las = 1, mgp = c(2.5, 0.6, 0), cex = 0.8)
  draw()
  grDevices::dev.off()
  cat(sprintf("Figure: [%s](%s)\n\n", basename(file), basename(file)))
}
save_figure(1, 2, function() {
  for (set in names(studies)) draw_objectives(studies[[set]]$runs, "seconds", set, "processor time, s")
  for (set in names(studies)) draw_objectives(studies[[set]]$runs, "svms", set, "SVMs solved")
})
save_figure(2, 4, function() {
  for (name in c(methods, "subgradient")) {
    for (set in names(studies)) draw_weights(studies[[set]]$runs[[name]], name, set)
  }
})
save_figure(3, 1, function() {
  for (set in names(studies)) draw_rate(studies[[set]], set)
})
