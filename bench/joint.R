# Several classes in four ways: one against the rest, pairs, one against the rest with shared kernel weights, and
# the joint loss of all classes. Error on held-out rows, processor seconds of a fit, the gap, and the shared
# weights, on sets of packages datasets and mlbench.
# usage: Rscript bench/joint.R [splits=5] [p=1,4/3,2]
# stale after: model grid src/svm/joint.c

source("bench/common.R")

settings <- bench_arguments(splits = 5, p = c(1, 4 / 3, 2))
kernels <- gaussian_kernel(2^(-2:4))
costs <- c(0.1, 1, 10)

numbers <- function(data, y) list(x = as.matrix(sapply(data[setdiff(names(data), y)], as.numeric)), y = data[[y]])

read_set <- function(name, y, drop = NULL) {
  held <- new.env()
  utils::data(list = name, package = "mlbench", envir = held)
  numbers(held[[name]][setdiff(names(held[[name]]), drop)], y)
}

sets <- list(iris = numbers(iris, "Species"), vowel = read_set("Vowel", "Class", "V1"), glass = read_set("Glass", "Type"))

# Of one way on one split: the error, seconds, gap and largest weight of a fit at the C that three folds choose.
one_fit <- function(data, test, p, way) {
  x <- data$x[!test, ]
  y <- data$y[!test]
  set.seed(1)
  cv <- cv_mkl(x, y, kernels, p = p, C = costs, folds = 3, measure = "accuracy", multiclass = way,
               control = bench_control(threads = 1))
  taken <- system.time(fit <- mkl(x, y, kernels, p = p, C = cv$best$C, multiclass = way,
                                  control = bench_control(threads = 1)))
  c(error = mean(predict(fit, data$x[test, ]) != data$y[test]), seconds = sum(taken[1:2]), gap = max(fit$gap),
    active = mean(colSums(as.matrix(fit$theta) > 0)))
}

of_set <- function(name, p) {
  data <- sets[[name]]
  each <- lapply(c("ovr", "ovo", "shared", "joint"), function(way) {
    runs <- vapply(seq_len(settings$splits), function(seed) {
      set.seed(seed)
      one_fit(data, seq_along(data$y) %in% sample.int(length(data$y), length(data$y) %/% 3), p, way)
    }, numeric(4))
    means <- rowMeans(runs)
    data.frame(
      data = sprintf("%s, %d rows, %d classes", name, length(data$y), nlevels(data$y)), p = format(p, digits = 3),
      multiclass = way,
      `error, %` = sprintf("%.1f +- %.1f", 100 * means["error"],
                           100 * stats::sd(runs["error", ]) / sqrt(settings$splits)),
      seconds = sprintf("%.3f", means["seconds"]), `largest gap` = sprintf("%.1e", max(runs["gap", ])),
      `kernels with weight` = sprintf("%.1f of %d", means["active"], length(kernels)), check.names = FALSE
    )
  })
  do.call(rbind, each)
}

cells <- expand.grid(p = settings$p, set = names(sets), stringsAsFactors = FALSE)
section("Several classes in four ways", sprintf(paste(
  "Errors on a third of the rows with standard errors over %d splits, at the C that three folds choose of %s;",
  "means of processor seconds of that fit on one thread; 7 Gaussians, hinge losses. \"joint\" has one problem for",
  "all classes and no offset, \"shared\" one vector of weights for one model per class."),
  settings$splits, paste(costs, collapse = ", ")),
  do.call(rbind, Map(of_set, cells$set, cells$p)))
