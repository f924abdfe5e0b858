# Decision values of swapped rows are those of predict() for data that were swapped by hand, donors are drawn as they
# should be, and importances follow from both.

# swap(newdata, donors): the new data with the unit's values of the donors.
expect_swapped <- function(fit, newdata, by, unit, swap, repeats = 2, tolerance = 1e-8, ...) {
  part <- new_part(fit, newdata, list(...), list(), repeats)
  swaps <- open_swaps(part)
  found <- importance_units(fit, by, newdata)
  donors <- part$donors(unit_has(swaps, found$units[[unit]]))
  got <- swapped_decision(swaps, found$units[[unit]])
  wanted <- do.call(rbind, lapply(seq_len(repeats), function(r) {
    as.matrix(predict(fit, swap(newdata, part$rows$number, part$rows$number[donors[, r]]), type = "decision"))[part$rows$number, , drop = FALSE]
  }))
  size <- max(abs(swaps$decision))
  testthat::expect_lt(max(abs(unname(got) - unname(wanted))) / size, tolerance)
  testthat::expect_gt(max(abs(got - rep(1, repeats) %x% swaps$decision)), 0)
}

# Rows take the values of others in one view, or in some columns of it.
swap_view <- function(view) function(newdata, rows, from) {
  if (is.character(newdata[[view]])) newdata[[view]][rows] <- newdata[[view]][from] else
    newdata[[view]][rows, ] <- newdata[[view]][from, , drop = FALSE]
  newdata
}

swap_columns <- function(columns, view = NULL) function(newdata, rows, from) {
  x <- if (is.null(view)) newdata else newdata[[view]]
  x[rows, columns] <- x[from, columns]
  if (is.null(view)) return(x)
  newdata[[view]] <- x
  newdata
}

x <- as.matrix(iris[1:4])
rownames(x) <- NULL
odd <- seq(1, 150, by = 2)
new <- x[-odd, ]
two <- iris$Species[odd] == "versicolor"
class2 <- factor(two)
truth2 <- factor(iris$Species[-odd] == "versicolor")

test_that("features of Gaussian, polynomial and linear kernels change as their columns do", {
  sets <- list(a = 1:2, b = 2:4)
  kernels <- list(
    gaussian_kernel(c(0.5, 4)), polynomial_kernel(degree = 3), linear_kernel(),
    c(gaussian_kernel(2), polynomial_kernel(2), linear_kernel()),
    per_feature(c(gaussian_kernel(1), linear_kernel())), on_features(gaussian_kernel(c(1, 3)), sets),
    on_features(linear_kernel(), sets), on_features(polynomial_kernel(2), sets)
  )
  for (k in kernels) {
    fit <- mkl(x[odd, ], class2, k)
    for (j in c(2, 3)) expect_swapped(fit, new, "feature", j, swap_columns(j), y = truth2)
  }
})

test_that("whatever the scaling of kernels", {
  for (normalize in list("spherical", "trace", "none", c("centre", "multiplicative"), c("centre", "spherical"))) {
    for (intercept in c(TRUE, FALSE)) {
      fit <- mkl(x[odd, ], class2, c(gaussian_kernel(c(1, 4)), polynomial_kernel(2), linear_kernel()),
                 normalize = normalize, intercept = intercept)
      expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
    }
  }
})

test_that("kernels without a short way are evaluated anew", {
  laplace <- function_kernel(function(X, Z) {
    exp(-as.matrix(dist(rbind(as.matrix(X), as.matrix(Z)), "manhattan"))[seq_len(nrow(X)),
                                                                        nrow(X) + seq_len(nrow(Z)), drop = FALSE])
  }, "laplace")
  fit <- mkl(x[odd, ], class2, c(laplace, gaussian_kernel(2)))
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
  fit <- mkl(x[odd, ], class2, tanimoto_kernel(), scale = FALSE)
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
})

test_that("every kind of model", {
  three <- iris$Species[odd]
  truth <- iris$Species[-odd]
  for (strategy in c("ovr", "ovo", "shared", "joint")) {
    fit <- mkl(x[odd, ], three, multiclass = strategy)
    expect_swapped(fit, new, "feature", 4, swap_columns(4), y = truth)
  }
  fit <- mkl(x[odd, -1], x[odd, 1])
  expect_swapped(fit, new[, -1], "feature", 2, swap_columns(2), y = new[, 1])
  fit <- mkl(x[odd, 3:4], x[odd, 1:2])
  expect_swapped(fit, new[, 3:4], "feature", 2, swap_columns(2), y = new[, 1:2])
  fit <- mkl(x[odd, ], type = "one_class")
  expect_swapped(fit, new, "feature", 2, swap_columns(2))
  fit <- mkl_gomp(x[odd, ], class2, c(gaussian_kernel(c(1, 4)), per_feature(linear_kernel())), max_kernels = 3)
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
  fit <- mkl_gomp(x[odd, ], three, c(gaussian_kernel(c(1, 4)), per_feature(gaussian_kernel(1))), max_kernels = 3)
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth)
  fit <- mllkm(x[odd, ], class2)
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
  expect_swapped(fit, new, "view", 1, function(newdata, rows, from) newdata[replace(seq_along(rows), rows, from), ],
                 y = truth2)
  fit <- mkl_sequential(x[odd, ], class2, per_feature(gaussian_kernel(c(1, 4))))
  expect_swapped(fit, new, "feature", 3, swap_columns(3), y = truth2)
})

test_that("views, sets and kernels are swapped as a whole", {
  views <- list(petal = x[, 3:4], sepal = x[, 1:2])
  pick <- function(rows) lapply(views, function(view) view[rows, ])
  kernels <- c(on_view(c(gaussian_kernel(c(1, 4)), linear_kernel()), "petal"),
               on_view(c(polynomial_kernel(2), linear_kernel()), "sepal"))
  fit <- mkl(pick(odd), iris$Species[odd], kernels)
  truth <- iris$Species[-odd]
  expect_swapped(fit, pick(-odd), "view", 1, swap_view("petal"), y = truth)
  expect_swapped(fit, pick(-odd), "view", 2, swap_view("sepal"), y = truth)
  expect_swapped(fit, pick(-odd), "feature", 4, swap_columns(2, "sepal"), y = truth)
  both <- list(both = c("petal", "Sepal.Width"))
  expect_swapped(fit, pick(-odd), both, 1, function(newdata, rows, from) {
    swap_columns(2, "sepal")(swap_view("petal")(newdata, rows, from), rows, from)
  }, y = truth)
  # sets without common columns: a set's kernels are those of its columns
  fit <- mkl(x[odd, ], class2, on_features(c(gaussian_kernel(2), linear_kernel()), list(a = 1:2, b = 3:4)))
  expect_swapped(fit, new, "set", 2, swap_columns(3:4), y = truth2)
  fit <- mkl(x[odd, ], class2, per_feature(linear_kernel()))
  expect_swapped(fit, new, "kernel", 2, swap_columns(2), y = truth2)
  fit <- mkl_gomp(x[odd, ], class2, per_feature(linear_kernel()), max_kernels = 3)
  expect_swapped(fit, new, "kernel", fit$order[2], swap_columns(fit$order[2]), y = truth2)
})

test_that("factors, formulas and sparse views", {
  d <- data.frame(a = x[, 3], f = factor(rep(c("u", "v", "w"), 50)), b = x[, 2], y = iris$Species)
  fit <- mkl(d[odd, 1:3], d$y[odd], gaussian_kernel(c(1, 4)))
  expect_swapped(fit, d[-odd, 1:3], "feature", 2, swap_columns(2), y = d$y[-odd])
  fit <- mkl(y ~ poly(a, 2) + f * b, d[odd, ], kernels = c(gaussian_kernel(2), linear_kernel()))
  for (j in 1:3) expect_swapped(fit, d[-odd, ], "feature", j, swap_columns(j))
  sparse <- methods::as(Matrix::Matrix(x * (x > 2), sparse = TRUE), "CsparseMatrix")
  fit <- mkl(sparse[odd, ], class2, c(gaussian_kernel(c(1, 4)), polynomial_kernel(2), linear_kernel()))
  expect_swapped(fit, sparse[-odd, ], "feature", 3, swap_columns(3), y = truth2)
})

test_that("sequences and precomputed kernels are swapped by rows", {
  seen <- seq(1, 106, by = 2)
  views <- list(dna = promoters$sequence, noise = matrix(cos(1:212), 106))
  pick <- function(rows) list(dna = views$dna[rows], noise = views$noise[rows, ])
  kernels <- c(on_view(c(spectrum_kernel(1:3), weighted_degree_kernel(3)), "dna"), on_view(gaussian_kernel(2), "noise"))
  fit <- mkl(pick(seen), promoters$class[seen], kernels)
  expect_swapped(fit, pick(-seen), "view", 1, swap_view("dna"), y = promoters$class[-seen])
  expect_swapped(fit, pick(-seen), "feature", 1, swap_view("dna"), y = promoters$class[-seen])
  K <- tcrossprod(scale(x))
  L <- exp(-as.matrix(dist(scale(x)))^2 / 4)
  fit <- mkl(NULL, class2, precomputed_kernel(list(K = K[odd, odd], L = L[odd, odd])))
  cross <- list(K = K[-odd, odd], L = L[-odd, odd])
  for (by in c("view", "kernel", "feature", "set")) {
    expect_swapped(fit, cross, by, 2, swap_view("L"), y = truth2)
  }
})

test_that("samples that lack a view neither give nor take its values", {
  views <- list(petal = x[, 3:4], sepal = x[, 1:2])
  views$petal[c(1:10, 60:70), ] <- NA
  pick <- function(rows) lapply(views, function(view) view[rows, ])
  for (k in list(gaussian_kernel(c(1, 4)), c(linear_kernel(), gaussian_kernel(2)))) {
    fit <- mkl(pick(odd), class2, k, missing_views = "neutral")
    expect_swapped(fit, pick(-odd), "view", 1, swap_view("petal"), y = truth2)
    expect_swapped(fit, pick(-odd), "feature", 2, swap_columns(2, "petal"), y = truth2)
    expect_swapped(fit, pick(-odd), "feature", 4, swap_columns(2, "sepal"), y = truth2)
  }
  complete <- lapply(views, function(view) view[71:150, ])
  fit <- mkl(complete, factor(iris$Species[71:150]), c(linear_kernel(), gaussian_kernel(2)), missing_views = "neutral")
  rows <- c(1:20, 71:150)
  new <- lapply(views, function(view) view[rows, ])
  truth <- factor(rep(c("versicolor", "virginica"), 50))
  expect_swapped(fit, new, "feature", 1, swap_columns(1, "petal"), y = truth)
  expect_swapped(fit, new, "view", 1, swap_view("petal"), y = truth)
})

test_that("a view that products read is swapped in them, too", {
  set.seed(1)
  a <- matrix(rnorm(80), 40, dimnames = list(NULL, c("p", "q")))
  b <- matrix(rnorm(80), 40, dimnames = list(NULL, c("r", "s")))
  dna <- vapply(1:40, function(i) paste(sample(c("A", "C", "G", "T"), 8, TRUE), collapse = ""), "")
  y <- factor(a[, 1] * b[, 1] > 0)
  u <- on_view(linear_kernel(), "u")
  v <- on_view(gaussian_kernel(4), "v")
  of <- function(fit, views, by) {
    set.seed(2)
    found <- as.data.frame(permutation_importance(fit, views, y, by = by, repeats = 3, measure = "log_loss"))
    stats::setNames(found$importance, found[[1L]])
  }
  views <- list(u = a, v = b)
  for (k in list(u * v, c(u, v, u * v))) {
    fit <- mkl(views, y, k, control = mkl_control(probability = TRUE))
    by_view <- of(fit, views, "view")
    by_columns <- of(fit, views, list(u = c("p", "q"), v = c("r", "s")))
    expect_equal(by_view[c("u", "v")], by_columns)
    expect_equal(of(fit, views, list(u = "u", v = "v")), by_columns)
    expect_named(by_view, c("u", "v", "u*v"), ignore.order = TRUE)
  }
  # sequences are swapped as a whole
  fit <- mkl(list(u = a, s = dna), y, u * on_view(spectrum_kernel(2), "s"))
  set.seed(2)
  found <- as.data.frame(permutation_importance(fit, list(u = a, s = dna), y, repeats = 3))
  expect_setequal(found$view, c("u", "s", "u*s"))
  expect_gt(found$importance[found$view == "s"], 0)
})

# ---- donors and importances ----------------------------------------------------------------------

truth <- iris$Species[-odd]
three <- mkl(x[odd, ], iris$Species[odd], gaussian_kernel(c(1, 4)))

test_that("importances are losses of the measure, by hand", {
  set.seed(1)
  found <- permutation_importance(three, new, truth, by = "feature", repeats = 5)
  set.seed(1)
  donors <- draw_donors(75, 5)
  blocks <- draw_blocks(75)
  right <- predict(three, new) == truth
  swapped <- vapply(1:5, function(r) {
    z <- new
    z[, 3] <- z[donors[, r], 3]
    predict(three, z) == truth
  }, right)
  expect_equal(found$value, mean(right))
  expect_equal(unname(found$repeats[3, ]), mean(right) - colMeans(swapped))
  expect_equal(found$importance$importance, rowMeans(found$repeats))
  left <- vapply(1:20, function(b) {
    pairs <- blocks != b & matrix(blocks[donors], 75) != b
    mean(matrix(right, 75, 5)[pairs]) - mean(swapped[pairs])
  }, 0)
  se <- sqrt(19 / 20 * sum((left - mean(left))^2))
  own <- found$importance[3, ]
  expect_equal(own$se, se)
  expect_equal(c(own$lower, own$upper), own$importance + c(-1, 1) * qt(0.975, 19) * se)
  expect_equal(own$p_value, pt(own$importance / se, 19, lower.tail = FALSE))
  expect_equal(found$importance$p_adjusted, p.adjust(found$importance$p_value, "BH"))
  expect_identical(found$importance$feature, colnames(x))
})

test_that("no row keeps its values, and each gives them once", {
  for (n in c(2, 7, 50)) {
    donors <- draw_donors(n, 30)
    expect_true(all(donors != row(donors)))
    expect_true(all(apply(donors, 2, function(d) setequal(d, seq_len(n)))))
  }
  strata <- rep(1:3, c(4, 1, 5))
  donors <- draw_donors(10, 20, strata = strata)
  expect_identical(matrix(strata[donors], 10), matrix(strata, 10, 20))
  expect_true(all(donors[5, ] == 5))
})

test_that("groups move together", {
  group <- c(1, 1, 2, 2, 3, 3)
  donors <- draw_donors(6, 20, group = group)
  from <- matrix(group[donors], 6)
  expect_true(all(from[c(1, 3, 5), ] == from[c(2, 4, 6), ]))
  expect_true(all(from != group))
  expect_true(all(donors[c(2, 4, 6), ] == donors[c(1, 3, 5), ] + 1))
  # from the first row again where the other group is shorter
  donors <- draw_donors(5, 1, group = c(1, 1, 1, 2, 2))
  expect_identical(donors[, 1], c(4L, 5L, 4L, 1L, 2L))
  blocks <- draw_blocks(60, rep(1:30, 2))
  expect_identical(blocks[1:30], blocks[31:60])
  expect_identical(sort(unique(blocks)), 1:20)
  # a repeated sample is one unit: intervals don't shrink
  twice <- rep(seq_len(75), 2)
  set.seed(2)
  once <- permutation_importance(three, new, truth)$importance
  both <- permutation_importance(three, new[twice, ], truth[twice], group = twice)$importance
  expect_gt(both$se, 0.6 * once$se)
  expect_equal(both$importance, once$importance, tolerance = 0.1)
})

test_that("the data travel to workers once with the fit and once as new rows", {
  wide <- matrix(sin(1:20000), 100)
  fit <- mkl(wide, wide[, 1] > 0, gaussian_kernel(100))
  part <- new_part(fit, wide, list(wide[, 1] > 0), list(), 2L)
  bytes <- function(x) length(serialize(x, NULL))
  expect_lt(bytes(new_source(part, "view")), 2.5 * bytes(wide))
})

test_that("package vip gets a table of its own", {
  features <- permutation_importance(three, new, truth, by = "feature")
  vi <- vi_of_importance(features)
  expect_identical(names(vi), c("Variable", "Importance", "StDev"))
  expect_s3_class(vi, "vi")
})
