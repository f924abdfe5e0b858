# Paths against fits of their own at C (or p) between the points, and against values from kernel
# matrices.

two_classes <- function(n = 80) {
  set.seed(4)
  x <- matrix(rnorm(n * 3), n)
  list(x = x, y = factor(x[, 1]^2 + x[, 2] + 0.5 * rnorm(n) > 0.8))
}

path_kernels <- function() gaussian_kernel(2^(-1:4))

# The point before `at`, and how much of the next one there is in the model at `at`: linear in C, or in
# 1 / p.
place_of <- function(path, at) {
  points <- path$points[[path$over]]
  from <- findInterval(at, points, rightmost.closed = TRUE)
  axis <- if (path$over == "C") identity else function(p) 1 / p
  list(from = from, share = (axis(at) - axis(points[from])) / (axis(points[from + 1]) - axis(points[from])))
}

# Of the model at `at`: primal value from kernel matrices and predictions alone.
primal_at <- function(path, x, at, C, p, targets, side = 0) {
  place <- place_of(path, at)
  K <- kernel_matrix(path$kernels, x, normalize = "multiplicative")
  K <- if (is.list(K)) K else lapply(seq_len(dim(K)[3]), function(m) K[, , m])
  part <- function(point, m) path$theta[point, m] * path$alpha[, 1, point]
  norms <- vapply(seq_along(K), function(m) {
    a <- (1 - place$share) * part(place$from, m)
    if (place$share > 0) a <- a + place$share * part(place$from + 1, m)
    sqrt(max(sum(a * (K[[m]] %*% a)), 0))
  }, 0)
  decision <- unname(fitted(path, C = if (path$over == "C") at, p = if (path$over == "p") at, type = "decision")) + (path$loss == "one_class")
  e <- if (is.null(path$loss_parameter)) 0 else path$loss_parameter[[1]]
  loss <- sum(mapply(function(f, y, side) judge_loss(path$loss, f, y, e, side), decision, targets, side))
  q <- if (is.infinite(p)) 2 else 2 * p / (p + 1)
  C * loss + judge_norm(norms, q)^2 / 2
}

# The path's models between its points are no worse than it says.
expect_path_holds <- function(path, data, targets, cold, count = 7, side = 0) {
  expect_true(path$certified)
  expect_lte(max(path$intervals$gap, path$points$gap), path$tol)
  expect_equal(path$intervals$lower[-1], path$intervals$upper[-nrow(path$intervals)])
  expect_equal(c(path$intervals$lower[1], max(path$intervals$upper)), path$range)
  place <- if (path$over == "C") log else function(p) 1 / p
  back <- if (path$over == "C") exp else function(u) 1 / u
  set.seed(1)
  for (at in back(runif(count, min(place(path$range)), max(place(path$range))))) {
    C <- if (path$over == "C") at else path$C
    p <- if (path$over == "p") at else path$p
    best <- cold(C, p)
    primal <- primal_at(path, data$x, at, C, p, targets, side)
    expect_gte(primal, best$objective * (1 - 1e-9))
    expect_lte((primal - best$primal) / primal, path$tol)
  }
}

test_that("paths over C hold between their points, for several norms", {
  data <- two_classes()
  signs <- ifelse(data$y == "TRUE", 1, -1)
  for (p in c(1, 4 / 3, 2, Inf)) {
    path <- mkl_path(data$x, data$y, path_kernels(), C = c(0.05, 50), p = p, tol = 1e-2, scale = FALSE)
    cold <- function(C, p) {
      mkl(data$x, data$y, path_kernels(), C = C, p = p, scale = FALSE,
          control = mkl_control(tol = 1e-6))
    }
    expect_path_holds(path, data, signs, cold)
  }
})

test_that("paths over C hold for all losses", {
  data <- two_classes(60)
  set.seed(2)
  numbers <- as.vector(scale(data$x[, 1]^2 + data$x[, 2] + 0.3 * rnorm(60)))
  signs <- ifelse(data$y == "TRUE", 1, -1)
  check <- function(loss, y, targets) {
    path <- mkl_path(data$x, y, path_kernels(), C = c(0.1, 20), tol = 1e-2, loss = loss, scale = FALSE)
    cold <- function(C, p) {
      mkl(data$x, y, path_kernels(), C = C, p = p, loss = loss, scale = FALSE,
          control = mkl_control(tol = 1e-6))
    }
    expect_path_holds(path, data, targets, cold, 4)
  }
  for (loss in c("squared_hinge", "logistic", "squared")) check(loss, data$y, signs)
  for (loss in list(epsilon_loss(0.2), huber_loss(0.5))) check(loss, numbers, numbers)
  check("one_class", NULL, rep(1, 60))
})

test_that("paths of censored times hold between their points, over C and over p", {
  skip_unless_slow()
  skip_if_not_installed("survival")
  data <- two_classes(60)
  set.seed(2)
  time <- exp(data$x[, 1] + 0.3 * rnorm(60))
  status <- rep(c(1, 0, 1), length.out = 60)
  y <- survival::Surv(time, status)
  for (loss in list(censored_loss(0.1), censored_loss(0, log = FALSE))) {
    for (over in list(list(C = c(0.1, 500), p = 4 / 3), list(C = 2, p = c(1, 2)))) {
      path <- mkl_path(data$x, y, path_kernels(), C = over$C, p = over$p, tol = 1e-2, loss = loss,
                       scale = FALSE)
      cold <- function(C, p) {
        mkl(data$x, y, path_kernels(), C = C, p = p, loss = loss, scale = FALSE,
            control = mkl_control(tol = 1e-6))
      }
      expect_path_holds(path, data, if (loss$log) log(time) else time, cold, 4, 1 - status)
    }
  }
  path <- mkl_path(data$x, y, path_kernels(), C = c(0.1, 2), tol = 1e-2)
  fit <- mkl(data$x, y, path_kernels(), C = 2, control = mkl_control(tol = 3e-3))
  for (type in c("response", "time", "risk", "decision")) {
    expect_equal(predict(path, data$x[1:9, ], C = 2, type = type),
                 predict(fit, data$x[1:9, ], type = type), tolerance = 0.05, ignore_attr = TRUE)
  }
  expect_equal(predict(path, C = 1, type = "time"), exp(predict(path, C = 1, type = "decision")))
  expect_error(predict(mkl_path(data$x, data$y, path_kernels(), C = c(0.5, 1)), C = 1, type = "risk"),
               class = "manykernels_unsupported")
})

test_that("paths over p hold between their points", {
  data <- two_classes()
  signs <- ifelse(data$y == "TRUE", 1, -1)
  path <- mkl_path(data$x, data$y, path_kernels(), C = 2, p = c(1, Inf), tol = 5e-3, scale = FALSE)
  expect_equal(path$over, "p")
  cold <- function(C, p) {
    mkl(data$x, data$y, path_kernels(), C = C, p = p, scale = FALSE,
        control = mkl_control(tol = 1e-6))
  }
  expect_path_holds(path, data, signs, cold, 10)
})

test_that("bounds of an interval are no smaller than the gap anywhere in it", {
  data <- two_classes()
  for (over in list(list(C = c(0.5, 5), p = 1), list(C = c(0.5, 5), p = 3), list(C = 1, p = c(1, 2)))) {
    path <- mkl_path(data$x, data$y, path_kernels(), C = over$C, p = over$p, tol = 0.3,
                     scale = FALSE)
    interval <- path$intervals[1, ]
    for (t in c(0.03, 0.31, 0.5, 0.77)) {
      at <- if (path$over == "C") (1 - t) * interval$lower + t * interval$upper else
        1 / ((1 - t) / interval$lower + t / interval$upper)
      place <- place_of(path, at)
      alpha <- (1 - place$share) * path$alpha[, 1, place$from] +
        place$share * path$alpha[, 1, place$from + 1]
      C <- if (path$over == "C") at else path$C
      p <- if (path$over == "p") at else path$p
      K <- kernel_matrix(path$kernels, data$x, normalize = "multiplicative")
      forms <- vapply(seq_along(path$kernels), function(m) {
        one <- if (is.list(K)) K[[m]] else K[, , m]
        sum(alpha * (one %*% alpha))
      }, 0)
      signs <- ifelse(data$y == "TRUE", 1, -1)
      expect_true(all(signs * alpha >= -1e-9 & signs * alpha <= C * (1 + 1e-9)))
      expect_lte(abs(sum(alpha)), 1e-7 * sum(abs(alpha)))
      dual <- sum(signs * alpha) - judge_norm(forms, if (p == 1) Inf else p / (p - 1)) / 2
      primal <- primal_at(path, data$x, at, C, p, signs)
      expect_lte((primal - dual) / primal, interval$gap)
    }
  }
})

test_that("two rows and one kernel are solved by hand", {
  # K = diag(1, 1), no offset: alpha_i = min(C, 1), f = +-alpha, v(C) = 2 (C - C^2/2), 1 from C = 1
  k <- precomputed_kernel(diag(2))
  path <- mkl_path(y = c("a", "b"), kernels = k, C = c(0.25, 4), tol = 1e-3, intercept = FALSE,
                   normalize = "none")
  expect_true(path$certified)
  for (C in c(0.25, 0.4, 0.8, 1.3, 4)) {
    a <- abs(unname(fitted(path, C = C, type = "decision")))
    expect_equal(a[1], a[2], tolerance = 1e-6)
    value <- 2 * C * max(0, 1 - a[1]) + a[1]^2
    best <- if (C < 1) 2 * (C - C^2 / 2) else 1
    expect_gte(value, best - 1e-9)
    expect_lte(value, best * (1 + 1.1e-3))
  }
})

test_that("predictions at points are those of fits, between them mixtures", {
  data <- two_classes(100)
  train <- 1:80
  kernels <- c(linear_kernel(), gaussian_kernel(c(0.5, 2, 8)))
  path <- mkl_path(data$x[train, ], data$y[train], kernels, C = c(0.1, 10), p = 4 / 3, tol = 1e-2)
  points <- path$points$C
  k <- ceiling(length(points) / 2)
  new <- kernel_matrix(path$kernels, data$x[train, ], data$x[-train, ], normalize = "multiplicative",
                       scale = TRUE)
  sum_K <- Reduce(`+`, Map(`*`, new, path$theta[k, ]))
  by_hand <- drop(crossprod(sum_K, path$alpha[, 1, k])) + path$offset[1, k]
  expect_equal(predict(path, data$x[-train, ], C = points[k], type = "decision"), by_hand,
               ignore_attr = TRUE)
  middle <- mean(points[k + 0:1])
  both <- vapply(points[k + 0:1], function(C) {
    predict(path, data$x[-train, ], C = C, type = "decision")
  }, numeric(20))
  expect_equal(predict(path, data$x[-train, ], C = middle, type = "decision"), rowMeans(both))
  # training rows again, and classes
  expect_equal(unname(predict(path, data$x[train, ], C = middle, type = "decision")),
               unname(fitted(path, C = middle, type = "decision")))
  expect_s3_class(predict(path, data$x[-train, ], C = 1), "factor")
  tight <- mkl(data$x[train, ], data$y[train], kernels, C = middle, p = 4 / 3,
               control = mkl_control(tol = 1e-6))
  expect_gt(cor(predict(tight, data$x[-train, ], type = "decision"), rowMeans(both)), 0.99)
  # saved and read again
  file <- tempfile()
  saveRDS(path, file)
  expect_equal(predict(readRDS(file), data$x[-train, ], C = middle),
               predict(path, data$x[-train, ], C = middle))
  weights <- kernel_weights(path, C = middle)
  expect_equal(weights$theta, unname(coef(path, C = middle)))
  expect_equal(sum(weights$share), 1)
  expect_equal(dim(coef(path)), c(length(points), 4L))
})

test_that("formulas, several classes, views and precomputed kernels have paths", {
  path <- mkl_path(Species ~ ., iris, kernels = gaussian_kernel(c(0.5, 2)), C = c(0.1, 10), tol = 0.05)
  expect_true(path$certified)
  expect_equal(dim(path$theta), c(nrow(path$points), 2L, 3L))
  expect_gt(mean(predict(path, iris, C = 3) == iris$Species), 0.9)
  expect_equal(predict(path, iris, C = 3), fitted(path, C = 3), ignore_attr = TRUE)
  expect_equal(nrow(kernel_weights(path, C = 3)), 6)
  shared <- mkl_path(list(petal = iris[3:4], sepal = iris[1:2]), iris$Species, C = c(1, 5),
                     tol = 0.05, multiclass = "shared")
  expect_true(shared$certified)
  expect_true(is.matrix(shared$theta))
  logistic <- mkl_path(iris[51:150, 1:4], factor(iris$Species[51:150]), gaussian_kernel(1:2),
                       C = c(1, 5), tol = 0.05, loss = "logistic")
  expect_equal(unname(rowSums(predict(logistic, C = 2, type = "prob"))), rep(1, 100))
  numbers <- mkl_path(mpg ~ wt + hp, mtcars, C = c(0.1, 10), tol = 0.05)
  expect_gt(cor(predict(numbers, mtcars, C = 2), mtcars$mpg), 0.8)
  K <- exp(-as.matrix(dist(iris[51:150, 1:4]))^2)
  stored <- mkl_path(y = factor(iris$Species[51:150]), kernels = precomputed_kernel(K),
                     C = c(0.1, 10), tol = 0.05)
  expect_equal(unname(predict(stored, K, C = 2, type = "decision")),
               unname(fitted(stored, C = 2, type = "decision")))
})

test_that("other norms have paths over C", {
  data <- two_classes(60)
  for (norm in list(elastic_net_norm(0.5), block_norm(4), lp_norm(2, c(1, 2, 3, 1, 2, 3)),
                    quadratic_norm(diag(6) + 0.2))) {
    path <- mkl_path(data$x, data$y, path_kernels(), C = c(0.2, 5), norm = norm, tol = 1e-2)
    expect_true(path$certified)
    for (C in c(0.33, 1.7)) {
      tight <- mkl(data$x, data$y, path_kernels(), C = C, norm = norm,
                   control = mkl_control(tol = 1e-6))
      expect_equal(unname(fitted(path, C = C, type = "decision")),
                   unname(fitted(tight, type = "decision")), tolerance = 0.15)
    }
  }
})

test_that("a path that runs out of time ends where it is, honestly", {
  data <- two_classes(300)
  expect_warning(path <- mkl_path(data$x, data$y, path_kernels(), tol = 1e-6,
                                  control = mkl_control(max_time = 0.2)),
                 class = "manykernels_warning_not_converged")
  expect_false(path$certified)
  expect_equal(path$status, "time_limit")
  expect_lt(path$range[2], 1000)
  expect_length(predict(path, data$x, C = path$range[2]), 300)
  expect_error(predict(path, data$x, C = 1000), class = "manykernels_invalid_argument")
  expect_output(print(path), "time limit")
})

test_that("an interrupt leaves what there is of a path", {
  data <- two_classes(60)
  calls <- 0
  stop_at <- Inf
  f <- function(X, Z) {
    calls <<- calls + 1
    if (calls >= stop_at) {
      stop(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
    }
    tcrossprod(X, Z)
  }
  # So small a cache keeps no values, so the function is called all along the path.
  control <- mkl_control(cache = 512, progress = FALSE)
  fit <- function() {
    mkl_path(data$x, data$y, function_kernel(f), C = c(0.01, 100), tol = 1e-2, control = control)
  }
  whole <- fit()
  stop_at <- calls %/% 2
  calls <- 0
  expect_warning(path <- fit(), class = "manykernels_warning_not_converged")
  expect_equal(path$status, "interrupted")
  expect_false(path$certified)
  expect_lt(nrow(path$points), nrow(whole$points))
  expect_equal(nrow(path$intervals), nrow(path$points) - 1)
  stop_at <- Inf
  expect_length(predict(path, data$x, C = path$range[1]), 60)

  # Before the first point there is nothing to leave: the call ends in the interrupt.
  stop_at <- 1
  calls <- 0
  expect_equal(tryCatch(fit(), interrupt = function(condition) "interrupted"), "interrupted")
})

test_that("hostile arguments are refused by class", {
  data <- two_classes(30)
  refused <- function(..., class = "manykernels_invalid_argument") {
    expect_error(mkl_path(data$x, data$y, path_kernels(), ...), class = class)
  }
  refused(C = 1)
  refused(C = c(1, 1))
  refused(C = c(0, 1))
  refused(C = c(1, Inf))
  refused(C = "a")
  refused(C = 1:3)
  refused(C = c(1, 2), p = c(1, 2))
  refused(p = c(0.5, 2))
  refused(p = c(1, 2), norm = elastic_net_norm())
  refused(tol = 0)
  refused(tol = 1)
  refused(tolerance = 1)
  refused(control = mkl_control(probability = TRUE), class = "manykernels_unsupported")
  refused(control = mkl_control(start = mkl(data$x, data$y, path_kernels())),
          class = "manykernels_unsupported")
  path <- mkl_path(data$x, data$y, path_kernels(), C = c(1, 3), tol = 0.1)
  for (C in list(NULL, 0.5, 4, NA, "a", 1:2)) {
    expect_error(predict(path, data$x, C = C), class = "manykernels_invalid_argument")
  }
  expect_error(predict(path, data$x, p = 2), class = "manykernels_invalid_argument")
  expect_error(predict(path, data$x, C = 2, type = "prob"), "a path with `loss = \"logistic\"`",
               class = "manykernels_no_probability")
  expect_error(plot(path, "margins"), class = "manykernels_invalid_argument")
})

test_that("paths print, summarise and draw", {
  data <- two_classes(40)
  path <- mkl_path(data$x, data$y, path_kernels(), C = c(0.5, 5), tol = 0.05)
  expect_output(print(path), "within tol = 0.05")
  expect_output(print(summary(path)), "Largest gaps between them")
  over_p <- mkl_path(data$x, data$y, path_kernels(), p = c(1, Inf), tol = 0.05)
  expect_output(print(over_p), "Over p from 1 to Inf at C = 1")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  for (one in list(path, over_p)) {
    for (which in c("weights", "gap")) expect_identical(plot(one, which), one)
  }
})

test_that("weights of a mixture are not negative by rounding", {
  path <- mkl_path(as.matrix(iris[51:150, 3:4]), droplevels(iris$Species[51:150]),
                   gaussian_kernel(2^(-1:3)), C = c(0.1, 10), p = 1, tol = 0.05,
                   control = mkl_control(progress = FALSE))
  expect_lte(max(path$intervals$gap, path$points$gap), 0.05)
})

test_that("one pair serves every C that has room for its dual variables", {
  data <- two_classes()
  signs <- ifelse(data$y == "TRUE", 1, -1)
  path <- mkl_path(data$x, data$y, gaussian_kernel(c(0.05, 0.1)), C = c(0.5, 1e4), tol = 1e-3,
                   scale = FALSE)
  last <- nrow(path$points)
  reach <- max(abs(path$alpha[, , last]))
  expect_lt(reach, path$points$C[last - 1] * (1 + 1e-9))
  expect_lt(path$points$C[last - 1], 100)
  expect_equal(path$alpha[, , last], path$alpha[, , last - 1])
  cold <- function(C, p) {
    mkl(data$x, data$y, gaussian_kernel(c(0.05, 0.1)), C = C, p = p, scale = FALSE,
        control = mkl_control(tol = 1e-6))
  }
  expect_path_holds(path, data, signs, cold)
})

test_that("losses whose duals depend on C beyond their bounds go on point by point", {
  data <- two_classes(60)
  path <- mkl_path(data$x, data$y, gaussian_kernel(c(0.05, 0.1)), C = c(0.5, 500), tol = 1e-2,
                   loss = "squared_hinge", scale = FALSE)
  expect_true(path$certified)
  expect_gt(nrow(path$points), 4)
})

test_that("residuals of joint paths are those of the joint fit", {
  at <- function(fit, C, ...) fit(iris[1:4], iris$Species, gaussian_kernel(2), C = C, multiclass = "joint", ...)
  path <- at(mkl_path, c(0.1, 1))
  expect_equal(residuals(path, C = 1), residuals(at(mkl, 1, control = quiet(tol = 1e-5))), tolerance = 0.05)
})

test_that("the end of a path is one point where dual variables reach their bounds up to rounding", {
  path <- mkl_path(iris[51:150, 1:4], iris$Species[51:150] == "virginica", gaussian_kernel(c(2, 8)),
                   norm = sum_norm(lp_norm(2)), C = c(0.1, 1), tol = 0.05)
  expect_gt(min(diff(log(path$points$C))), 1e-4)
})
