set.seed(1)
x <- matrix(rnorm(120), 40, dimnames = list(paste0("s", 1:40), NULL))
S <- -as.matrix(dist(x, "manhattan"))^2 / 5 + diag(0.3, 40) # indefinite
y <- x[, 1] + x[, 2] > 0
e <- eigen(S, symmetric = TRUE)
value <- function(k) unname(kernel_matrix(k))
spectral <- function(f) e$vectors %*% (t(e$vectors) * f(e$values))

test_that("matrices are those of the definitions", {
  expect_equal(value(score_kernel(S)), unname(S) - min(e$values) * diag(40))
  expect_identical(names(score_kernel(S)), "shift")
  expect_equal(value(score_kernel(S, "clip")), spectral(function(l) pmax(l, 0)))
  expect_equal(value(score_kernel(-S, "clip")), -spectral(function(l) pmin(l, 0)))
  expect_equal(value(score_kernel(S, "exp", beta = 0.1)), spectral(function(l) exp(0.1 * l)))
  expect_equal(value(score_kernel(S, "exp")), spectral(function(l) exp(l / max(abs(l)))))
  for (transform in c("shift", "clip", "exp")) {
    values <- eigen(value(score_kernel(S, transform)), symmetric = TRUE)$values
    expect_gt(min(values), -1e-10 * max(values))
  }
  expect_identical(value(score_kernel(diag(3))), diag(3))
})

test_that("what was done to the spectrum is told", {
  spectrum <- attr(score_kernel(S, "clip"), "spectrum")
  negative <- e$values[e$values < 0]
  expect_equal(spectrum$smallest, min(e$values))
  expect_identical(c(spectrum$negative, spectrum$changed), rep(length(negative), 2))
  expect_equal(spectrum$share, sum(abs(negative)) / sum(abs(e$values)))
  expect_equal(attr(score_kernel(S), "spectrum")$constant, -min(e$values))
  expect_identical(attr(score_kernel(diag(3)), "spectrum")$changed, 0L)
  few <- diag(c(3, 2, 1, -0.5))
  expect_snapshot(cnd_class = TRUE, {
    c(score_kernel(list(a = few, b = diag(4)), "clip"), score_kernel(few), linear_kernel())
    score_kernel(few, "exp", beta = 2)
  })
})

test_that("asymmetric scores are symmetrised with a note", {
  A <- S + matrix(rnorm(1600, sd = 0.01), 40)
  expect_snapshot(k <- score_kernel(A), cnd_class = TRUE, transform = function(line) sub("[0-9.]+ \\(.*", "...", line))
  expect_equal(value(k), value(score_kernel((A + t(A)) / 2)))
  expect_message(score_kernel(A, "clip"), class = "manykernels_message_symmetrised")
  expect_silent(score_kernel(S + 1e-15 * upper.tri(S)))
})

test_that("new samples give their scores", {
  train <- 1:30
  new <- 31:40
  t_e <- eigen(S[train, train], symmetric = TRUE)
  g <- list(
    shift = function(l) rep(1, length(l)), clip = function(l) as.numeric(l > 0),
    exp = function(l) expm1(0.1 * l) / l
  )
  for (transform in names(g)) {
    k <- score_kernel(S[train, train], transform, beta = if (transform == "exp") 0.1)
    for (normalize in list("multiplicative", c("centre", "multiplicative"))) {
      fit <- mkl(y = y[train], kernels = k, normalize = normalize)
      expect_lt(fit$gap, 1e-3)
      K <- kernel_matrix(k)
      expect_equal(duality_gap(fit, k)$gap, fit$gap, tolerance = 1e-6)
      expect_equal(duality_gap(fit, S[train, train])$gap, fit$gap, tolerance = 1e-6)
      by_hand <- mkl(y = y[train], kernels = precomputed_kernel(K), normalize = normalize)
      mapped <- S[new, train] %*% t_e$vectors %*% (t(t_e$vectors) * g[[transform]](t_e$values))
      colnames(mapped) <- colnames(K)
      expect_equal(predict(fit, S[new, train], type = "decision"),
                   predict(by_hand, mapped, type = "decision"), tolerance = 1e-8)
      # by name, in any order
      expect_equal(predict(fit, S[new, rev(train)]), predict(fit, S[new, train]))
    }
    # of training samples these are the training values, but for the sample itself
    fit <- mkl(y = y[train], kernels = k)
    again <- predict(fit, S[train, train], type = "decision")
    expect_equal(again + attr(k, "spectrum")$constant * fit$constants$scale * fit$theta * fit$alpha,
                 fitted(fit, "decision"), tolerance = 1e-8)
    expect_equal(predict(fit, k), fitted(fit))
    path <- tempfile()
    saveRDS(fit, path)
    expect_identical(predict(readRDS(path), S[new, train]), predict(fit, S[new, train]))
  }
})

test_that("samples are put in order by name, also beside views", {
  turn <- sample(40)
  k <- score_kernel(S, "clip")
  fit <- suppressMessages(mkl(list(v = x[turn, ]), y[turn], kernels = c(k, linear_kernel())))
  expect_lt(fit$gap, 1e-3)
  straight <- mkl(list(v = x), y, kernels = c(k, linear_kernel()))
  expect_equal(fit$objective, straight$objective, tolerance = 2e-3)
  new <- list(v = x[1:9, ], clip = S[1:9, ])
  expect_equal(predict(fit, new, type = "decision"), fitted(fit, "decision")[rownames(x)[1:9]],
               tolerance = 1e-8)
})

test_that("folds take the kernel's values", {
  folds <- rep(1:4, 10)
  for (transform in c("shift", "clip")) {
    k <- score_kernel(S, transform)
    plain <- precomputed_kernel(kernel_matrix(k))
    scores <- function(k, ...) cv_mkl(y = y, kernels = k, folds = folds, ...)$results$mean
    expect_equal(scores(k, p = 1, C = c(1, 10)), scores(plain, p = 1, C = c(1, 10)))
    expect_equal(scores(k, model = "mkl_gomp", lambda = 0.1),
                 scores(plain, model = "mkl_gomp", lambda = 0.1))
  }
})

test_that("real scores of drugs fit", {
  file <- shared_file("data/drugtarget_yamanishi/nr_simmat_dc.txt.gz")
  drugs <- as.matrix(utils::read.table(gzfile(file), header = TRUE, row.names = 1))
  k <- suppressMessages(score_kernel(drugs, "clip"))
  class <- drugs[, 1] > stats::median(drugs[, 1])
  expect_lt(mkl(y = class, kernels = k)$gap, 1e-3)
})

test_that("bad input is refused", {
  expect_classed(score_kernel(S[1:3, ]), "dimension", "S")
  expect_classed(score_kernel(list(a = S[1:3, ])), "dimension", "S")
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    score_kernel()
    score_kernel("a")
    score_kernel(S[1:3, ])
    score_kernel(S, "flip")
    score_kernel(S, "clip", beta = 1)
    score_kernel(S, "exp", beta = 0)
    score_kernel(1000 * diag(3), "exp", beta = 1)
    score_kernel(list(a = diag(2), b = replace(diag(2), 2, NA)))
    score_kernel(matrix(1, 2, 2, dimnames = list(c("a", "b"), c("b", "a"))))
    score_kernel(list(diag(2), diag(3)))
  })
})

test_that("square and nearest are as documented, also for new samples", {
  set.seed(4)
  S <- matrix(rnorm(900), 30)
  S <- S + t(S)
  e <- eigen(S, symmetric = TRUE)
  square <- kernel_matrix(score_kernel(S, "square"))
  expect_equal(square, S %*% S)
  nearest <- kernel_matrix(score_kernel(S, "nearest"))
  expect_equal(nearest, e$vectors %*% (t(e$vectors) * pmax(e$values, 0)))
  y <- rep(c("a", "b"), 15)
  for (transform in c("square", "nearest")) {
    fit <- mkl(y = y, kernels = score_kernel(S, transform))
    expect_lte(fit$gap, 1e-3)
    expect_equal(unname(predict(fit, S[1:9, ], type = "decision")), unname(fit$decision[1:9]))
    expect_equal(duality_gap(fit, S)$gap, fit$gap, tolerance = 1e-6)
  }
  # an indefinite matrix names its most negative eigenvalue and the ways on, each of which leads to a fit
  expect_warning(precomputed_kernel(S), format(min(e$values), digits = 3), class = "manykernels_warning_indefinite")
  warning <- tryCatch(precomputed_kernel(S), warning = conditionMessage)
  ways <- regmatches(warning, gregexpr('"[a-z]+"', warning))[[1]]
  expect_setequal(ways, c('"clip"', '"shift"', '"square"', '"nearest"'))
  for (way in gsub('"', "", ways)) expect_lte(mkl(y = y, kernels = score_kernel(S, way))$gap, 1e-3)
})
