# Locally linear machines beside what they lie between (Picard): one linear SVM, localised multiple kernel
# learning with a softmax gate (LMKL; Gonen and Alpaydin 2008), written here in R after their paper, and a Gaussian
# SVM. Errors on digits (odd against even, principal components), and numbers of pieces or support vectors.
# gamma, width and C are chosen on held-out rows, for LMKL the number of its linear pieces, too. Second, componentwise
# maps of correlated columns, with and without a rotation to principal components.
# usage: Rscript bench/local-machines.R [train=1500] [held=1000] [test=5000] [columns=30] [steps=40]
# stale after: model src/sequential R/locally-linear.R

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(train = 1500, held = 1000, test = 5000, columns = 30, steps = 40)

rows <- rep(c("train", "held", "test"), c(settings$train, settings$held, settings$test))
parts_of <- function(x, y) lapply(split(seq_along(y), rows[seq_along(y)]), function(own) list(x = x[own, ], y = y[own]))
digits <- read_digit_components(length(rows), settings$columns)
digits <- parts_of(digits$x / stats::sd(digits$x), digits$y)
train <- digits$train
error_of <- function(predicted, data) 100 * mean(predicted != data$y)

# ---- LMKL with linear kernels --------------------------------------------------------------------

gate <- function(x, V) {
  score <- cbind(1, x) %*% V
  score <- exp(score - apply(score, 1, max))
  score / rowSums(score)
}

# The SVM for a fixed gate: k(x, z) = sum_m eta_m(x) <x, z> eta_m(z).
gated_svm <- function(x, y, V, C) {
  eta <- gate(x, V)
  inner <- tcrossprod(x)
  fit <- quiet(mkl(NULL, y, precomputed_kernel(inner * tcrossprod(eta)), p = 1, C = C, normalize = "none",
                   control = bench_control(tol = 1e-3)))
  list(fit = fit, eta = eta, inner = inner, value = fit$objective)
}

# Gradient of the SVM's optimal value in the gate: with A = aa' o XX', B_m = eta_m' A eta_m,
# d value / d v_m = -sum_i (eta_m A eta_m - eta_m sum_p eta_p A eta_p)_i (1, x_i).
gate_gradient <- function(state, x) {
  A <- tcrossprod(state$fit$alpha) * state$inner
  pull <- state$eta * (A %*% state$eta)
  -crossprod(cbind(1, x), pull - state$eta * rowSums(pull))
}

fit_lmkl <- function(x, y, pieces, C) {
  set.seed(1)
  V <- matrix(stats::rnorm((ncol(x) + 1) * pieces, sd = 0.1), ncol(x) + 1)
  state <- gated_svm(x, y, V, C)
  step <- 1
  for (k in seq_len(settings$steps)) {
    slope <- gate_gradient(state, x)
    slope <- slope / sqrt(sum(slope^2))
    repeat {
      tried <- gated_svm(x, y, V - step * slope, C)
      if (tried$value < state$value || step < 1e-3) break
      step <- step / 2
    }
    if (tried$value >= state$value * (1 - 1e-4)) break
    V <- V - step * slope
    state <- tried
    step <- 2 * step
  }
  list(V = V, w = lapply(seq_len(pieces), function(m) crossprod(x, state$eta[, m] * state$fit$alpha)),
       offset = state$fit$offset, steps = k, levels = levels(y))
}

predict_lmkl <- function(fit, x) {
  eta <- gate(x, fit$V)
  f <- Reduce(`+`, lapply(seq_along(fit$w), function(m) eta[, m] * drop(x %*% fit$w[[m]]))) + fit$offset
  factor(fit$levels[1 + (f > 0)], fit$levels)
}

# ---- choosing ------------------------------------------------------------------------------------

# The fit of the smallest held-out error over a grid.
choose <- function(grid, fit_of, predict_of = stats::predict, data = digits) {
  started <- proc.time()[["user.self"]]
  fits <- lapply(seq_len(nrow(grid)), function(k) fit_of(grid[k, , drop = FALSE]))
  errors <- vapply(fits, function(fit) error_of(predict_of(fit, data$held$x), data$held), 0)
  best <- which.min(errors)
  list(fit = fits[[best]], at = grid[best, , drop = FALSE],
       error = error_of(predict_of(fits[[best]], data$test$x), data$test),
       seconds = proc.time()[["user.self"]] - started)
}

median <- stats::median(stats::dist(train$x[seq_len(min(500, settings$train)), ])^2)
plain <- function(kernels_of) function(at) quiet(mkl(train$x, train$y, kernels_of(at), p = 1, C = at$C,
                                                     normalize = "none", scale = FALSE, control = bench_control()))
costs <- c(0.01, 0.1, 1, 10)
found <- list(
  "linear SVM" = choose(data.frame(C = costs), plain(function(at) linear_kernel())),
  "LMKL, softmax gate" = choose(expand.grid(pieces = c(2, 4, 8), C = c(0.01, 0.1, 1)),
                                function(at) fit_lmkl(train$x, train$y, at$pieces, at$C), predict_lmkl),
  "mllkm()" = choose(expand.grid(scale = c(0.3, 1, 3), C = c(0.1, 1, 10)), function(at) {
    quiet(mllkm(train$x, train$y, "gaussian", at$scale / median, C = at$C, scale = FALSE, control = bench_control()))
  }),
  "Gaussian SVM" = choose(expand.grid(scale = c(0.3, 1, 3), C = c(1, 10)),
                          plain(function(at) gaussian_kernel(at$scale * median)))
)
size <- c("1 piece", sprintf("%d pieces", found[[2]]$at$pieces), sprintf("%d anchors", length(found[[3]]$fit$theta)),
          sprintf("%d support vectors", length(found[[4]]$fit$support)))
section("Between a linear and a Gaussian machine", sprintf(paste(
  "Digits, odd against even, %d principal components; %d rows to train, %d to choose, %d to test. Time is that of",
  "the whole grid in this session; LMKL is plain R."), settings$columns, settings$train, settings$held, settings$test),
  data.frame(machine = names(found), `test error, %` = sprintf("%.2f", vapply(found, `[[`, 0, "error")),
             size = size, chosen = vapply(found, function(one) paste(names(one$at), "=", unlist(one$at), collapse = ", "), ""), `time, s` = round(vapply(found, `[[`, 0, "seconds"), 1), check.names = FALSE))

# ---- rotation ------------------------------------------------------------------------------------

satellite <- read_satellite()
set.seed(1)
drawn <- sample(nrow(satellite$x), min(length(rows), nrow(satellite$x)))
satellite <- parts_of(satellite$x[drawn, ], satellite$y[drawn])
local_machine <- function(...) {
  choose(data.frame(C = c(0.1, 1, 10, 100)), function(at) {
    quiet(mllkm(satellite$train$x, satellite$train$y, C = at$C, ..., control = bench_control()))
  }, data = satellite)
}
maps <- list("of the distance" = local_machine(), "componentwise" = local_machine(componentwise = TRUE),
             "componentwise, rotated" = local_machine(componentwise = TRUE, rotate = TRUE))
section("Componentwise maps and rotation", sprintf(paste(
  "Grey soil against the others, seen from a satellite: 36 correlated columns; %d rows to train, %d to choose, %d to",
  "test. Time is that of the whole grid."), settings$train, length(satellite$held$y), length(satellite$test$y)),
  data.frame(map = names(maps), `test error, %` = sprintf("%.2f", vapply(maps, `[[`, 0, "error")),
             anchors = vapply(maps, function(one) length(one$fit$theta), 0L),
             chosen = vapply(maps, function(one) paste(names(one$at), "=", unlist(one$at), collapse = ", "), ""),
             `time, s` = round(vapply(maps, `[[`, 0, "seconds"), 1), check.names = FALSE))
