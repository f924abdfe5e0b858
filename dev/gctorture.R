# Calls of every entry point of the glue that returns something, small, under gctorture.
# usage: Rscript dev/gctorture.R STEP [calls, such as fit,gomp]
suppressMessages(library(manykernels))
step <- as.integer(commandArgs(trailingOnly = TRUE)[1])
only <- strsplit(commandArgs(trailingOnly = TRUE)[2], ",")[[1]]
set.seed(1)
n <- 24
x <- matrix(rnorm(n * 3), n, dimnames = list(paste0("s", 1:n), c("a", "b", "c")))
y <- factor(ifelse(x[, 1] > 0, "no", "yes"))
number <- x[, 1] + 0.1 * rnorm(n)
text <- vapply(1:n, function(i) paste(sample(c("A", "C", "G", "T"), 12, TRUE), collapse = ""), "")
kernels <- c(gaussian_kernel(1:2), linear_kernel(), polynomial_kernel(degree = 2),
             function_kernel(function(X, Z) tcrossprod(X, Z)))
quiet <- function(...) mkl_control(progress = FALSE, threads = 1, ...)
file <- tempfile(fileext = ".kernel")

calls <- list(
  fit = function() mkl(x, y, kernels, control = quiet()),
  predict = function() predict(mkl(x, y, kernels, control = quiet()), x[1:5, ]),
  shared = function() mkl(x, factor(rep(c("u", "v", "w"), 8)), kernels, multiclass = "shared", control = quiet()),
  regression = function() mkl(x, number, gaussian_kernel(1:2), control = quiet()),
  gap = function() duality_gap(mkl(x, y, kernels, control = quiet()), x, y),
  level = function() mkl(x, y, gaussian_kernel(1:2), p = 1, control = quiet(optimizer = "level")),
  matrix = function() kernel_matrix(gaussian_kernel(1), x),
  alignment = function() kernel_alignment(gaussian_kernel(1:2), x),
  gomp = function() mkl_gomp(x, number, gaussian_kernel(1:2), control = quiet()),
  sequential = function() mkl_sequential(x, y, kernel_dictionary(gaussian_kernel(1:4)), control = quiet()),
  dictionary = function() {
    mkl_sequential(x, y, function(i) gaussian_kernel(i), size = 4, control = quiet(max_time = 100))
  },
  local = function() predict(mllkm(x, y, control = quiet()), x),
  path = function() mkl_path(x, y, gaussian_kernel(1:2), C = c(0.5, 1), control = quiet()),
  cv = function() cv_mkl(x, y, gaussian_kernel(1:2), C = 1, p = 2, folds = 2, control = quiet()),
  words = function() mkl(text, y, spectrum_kernel(2), control = quiet()),
  degree = function() mkl(text, y, weighted_degree_kernel(3), control = quiet()),
  files = function() {
    write_kernel(tcrossprod(x), file)
    mkl(y = y, kernels = precomputed_kernel(file = file), control = quiet())
  },
  complexity = function() empirical_rademacher(gaussian_kernel(1:2), x, draws = 5, progress = FALSE)
)

for (what in if (anyNA(only)) names(calls) else only) {
  expected <- tryCatch({set.seed(2); suppressWarnings(suppressMessages(calls[[what]]()))}, error = identity)
  if (inherits(expected, "error")) {
    message(what, ": ", conditionMessage(expected))
    cat(sprintf("| under gctorture: %s | 1 | 1 |\n", what))
    next
  }
  gctorture2(step, inhibit_release = FALSE)
  set.seed(2)
  found <- tryCatch(suppressWarnings(suppressMessages(calls[[what]]())), error = identity)
  gctorture2(0)
  same <- inherits(found, class(expected)[1]) &&
    (!is.list(expected) || isTRUE(all.equal(expected$theta, found$theta)))
  if (!is.list(expected)) same <- isTRUE(all.equal(expected, found))
  if (!same && inherits(found, "error")) message(what, ": ", conditionMessage(found))
  cat(sprintf("| under gctorture: %s | 1 | %d |\n", what, !same))
}
