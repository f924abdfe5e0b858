# Kernels in C of another package: the example package, installed as its users would, with a few more
# kernels that do what they must not.

skip_on_cran() # a slow file
# Installs a package from its sources into a library of its own.
install_package <- function(source) {
  testthat::skip_on_cran()
  testthat::skip_if(Sys.which("make") == "", "make")
  folder <- tempfile("package")
  library <- file.path(folder, "library")
  dir.create(library, recursive = TRUE)
  file.copy(source, folder, recursive = TRUE)
  own <- dirname(system.file(package = "manykernels"))
  paths <- paste(unique(c(own, .libPaths())), collapse = .Platform$path.sep)
  r <- function(...) {
    system2(file.path(R.home("bin"), "R"), c("CMD", ...), stdout = log, stderr = log,
            env = paste0("R_LIBS=", shQuote(paste(library, paths, sep = .Platform$path.sep))))
  }
  log <- file.path(folder, "log")
  package <- file.path(folder, basename(source))
  status <- r("INSTALL", "--no-docs", paste0("--library=", shQuote(library)), shQuote(package))
  if (status != 0L) stop(paste(readLines(log), collapse = "\n"))
  list(tests = file.path(package, "tests", "kernels.R"), run = r, log = log, library = library)
}

# A package with one kernel, min(x, z), built with the text `header` in the place of manykernels.h.
linked_package <- function(name, header) {
  source <- file.path(tempfile("source"), name)
  write <- function(file, ...) {
    file <- file.path(source, file)
    dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
    writeLines(c(...), file)
  }
  write("DESCRIPTION", paste("Package:", name), "Version: 1.0", "Title: A Kernel", "License: GPL-3",
        "Imports: manykernels", "LinkingTo: manykernels")
  write("NAMESPACE", sprintf("useDynLib(%s, C_least = least)", name), "importFrom(manykernels, native_kernel)",
        "export(least_kernel)")
  write("R/kernel.R", 'least_kernel <- function() native_kernel(function() .Call(C_least), "least")')
  write("src/former/manykernels.h", header)
  write("src/Makevars", "PKG_CPPFLAGS = -Iformer") # goes before LinkingTo's folder
  write("src/kernel.c", '#include <manykernels.h>
static int values(void *data, size_t depth, const double *const *x, size_t x_count, const double *const *z,
                  size_t z_count, double *out) {
  (void)data; (void)depth;
  for (size_t c = 0; c < z_count; c++)
    for (size_t r = 0; r < x_count; r++) out[r + c * x_count] = x[r][0] < z[c][0] ? x[r][0] : z[c][0];
  return 0;
}
SEXP least(void) {
  manykernels_kernel kernel = {.abi = MANYKERNELS_ABI, .thread_safe = 1, .values = values};
  return manykernels_kernel_pointer(&kernel, R_NilValue);
}')
  loadNamespace(name, lib.loc = install_package(source)$library)
}

# Kernels that fail: compiled beside the package, from this text.
bad_kernels <- '
#include <manykernels.h>
#include <math.h>
#include <string.h>
static int destroyed = 0;
static void destroy(void *data) { (void)data; destroyed++; }
#define KERNEL(name, value)                                                                        \\
  static int name(void *data, size_t depth, const double *const *x, size_t x_count,               \\
                  const double *const *z, size_t z_count, double *out) {                          \\
    (void)data; (void)depth;                                                                      \\
    for (size_t c = 0; c < z_count; c++)                                                          \\
      for (size_t r = 0; r < x_count; r++) out[r + c * x_count] = (value);                        \\
    return 0;                                                                                     \\
  }
KERNEL(fine, x[r][0] * z[c][0])
KERNEL(crooked, x[r][0])
KERNEL(endless, 1.0 / (x[r][0] - x[r][0]))
static int failing(void *data, size_t depth, const double *const *x, size_t x_count,
                   const double *const *z, size_t z_count, double *out) {
  fine(data, depth, x, x_count, z, z_count, out);
  return x_count * z_count > 401; /* after the check of 20 rows */
}
static int talking(void *data, size_t depth, const double *const *x, size_t x_count,
                   const double *const *z, size_t z_count, double *out) {
  fine(data, depth, x, x_count, z, z_count, out);
  if (x_count * z_count > 401) Rf_error("R stops here");
  return 0;
}
SEXP make(SEXP name, SEXP safe, SEXP abi) {
  const char *which = CHAR(STRING_ELT(name, 0));
  manykernels_kernel kernel = {Rf_asInteger(abi), Rf_asLogical(safe), NULL, NULL, destroy};
  if (strcmp(which, "fine") == 0) kernel.values = fine;
  if (strcmp(which, "crooked") == 0) kernel.values = crooked;
  if (strcmp(which, "endless") == 0) kernel.values = endless;
  if (strcmp(which, "failing") == 0) kernel.values = failing;
  if (strcmp(which, "talking") == 0) kernel.values = talking;
  return manykernels_kernel_pointer(&kernel, R_NilValue);
}
/* A fit on matrices; ask: numbers by name, in the order below. */
typedef struct matrix { const double *value; int rows, mode; } matrix;
static int read_matrix(void *data, const int *rows, size_t row_count, const int *cols,
                       size_t col_count, double *out) {
  const matrix *from = data;
  if (from->mode == 1) return 1;
  if (from->mode == 2) Rf_error("R stops here");
  for (size_t c = 0; c < col_count; c++)
    for (size_t r = 0; r < row_count; r++)
      out[r + c * row_count] =
          from->mode == 3 ? NAN : from->value[rows[r] + (size_t)cols[c] * (size_t)from->rows];
  return 0;
}
SEXP fit(SEXP matrices, SEXP y, SEXP cost, SEXP ask, SEXP count) {
  const double *a = REAL(ask);
  size_t kernels = (size_t)XLENGTH(matrices);
  manykernels_provider *provider = (void *)R_alloc(kernels + 1, sizeof *provider);
  matrix *from = (void *)R_alloc(kernels + 1, sizeof *from);
  for (size_t m = 0; m < kernels; m++) {
    SEXP own = VECTOR_ELT(matrices, (R_xlen_t)m);
    from[m] = (matrix){REAL(own), Rf_nrows(own), (int)a[8]};
    provider[m] = (manykernels_provider){(int)a[9], a[8] == 4 ? NULL : read_matrix, &from[m]};
  }
  manykernels_problem problem = {(int)a[0], (size_t)a[1], kernels, provider,
    Rf_isNull(y) ? NULL : REAL(y), Rf_isNull(cost) ? NULL : REAL(cost), (manykernels_loss)a[2], a[3],
    a[4], a[5], a[6], 0, (int)a[7]};
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 4));
  for (int k = 0; k < 4; k++)
    SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP,
      k == 0 ? (R_xlen_t)kernels : k == 1 ? (R_xlen_t)a[1] : k == 2 ? 5 : Rf_asInteger(count)));
  double *number = REAL(VECTOR_ELT(out, 2));
  manykernels_solution solution = {.theta = REAL(VECTOR_ELT(out, 0)),
                                   .alpha = REAL(VECTOR_ELT(out, 1))};
  manykernels_fit(&problem, &solution);
  manykernels_predict(&problem, &solution, (size_t)Rf_asInteger(count), REAL(VECTOR_ELT(out, 3)));
  number[0] = solution.offset;
  number[1] = solution.objective;
  number[2] = solution.primal;
  number[3] = solution.gap;
  number[4] = solution.converged;
  UNPROTECT(1);
  return out;
}
SEXP clear(SEXP pointer) { R_ClearExternalPtr(pointer); return R_NilValue; }
SEXP count(void) { return Rf_ScalarInteger(destroyed); }
SEXP interface_number(void) { return Rf_ScalarInteger(manykernels_abi()); }
'

compile <- function(folder) {
  file <- file.path(folder, "bad.c")
  writeLines(bad_kernels, file)
  include <- system.file("include", package = "manykernels")
  system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", shQuote(file)), stdout = FALSE,
          stderr = FALSE, env = paste0("PKG_CPPFLAGS=", shQuote(paste0("-I", include))))
  dyn.load(file.path(folder, paste0("bad", .Platform$dynlib.ext)))
  bad <- function(...) .Call(..., PACKAGE = "bad")
  list(
    make = function(name, safe = TRUE, abi = 1L) bad("make", name, safe, abi),
    clear = function(pointer) bad("clear", pointer), count = function() bad("count"),
    abi = function() bad("interface_number"),
    fit = function(K, y, cost = rep(1, length(y)), count = 0L, abi = 2, samples = length(y), loss = 0,
                   parameter = 0, p = 2, tol = 0, max_time = 0, threads = 1, mode = 0, safe = 1) {
      ask <- c(abi, samples, loss, parameter, p, tol, max_time, threads, mode, safe)
      out <- bad("fit", K, y, cost, as.double(ask), as.integer(count))
      numbers <- as.list(stats::setNames(out[[3]], c("offset", "objective", "primal", "gap",
                                                     "converged")))
      c(list(theta = out[[1]], alpha = out[[2]], new = out[[4]]), numbers)
    }
  )
}

test_that("the example package installs, and its tests pass on threads", {
  skip_unless_slow()
  source <- system.file("example-package", package = "manykernels")
  testthat::skip_if(source == "", "the example package")
  example <- install_package(source)
  status <- example$run("BATCH", "--vanilla", "--no-timing", shQuote(example$tests),
                        shQuote(example$log))
  expect_identical(status, 0L)
  expect_true(any(grepl("all is well", readLines(example$log))))
})

test_that("packages built with former headers work, with those of a later version they are refused", {
  skip_unless_slow()
  headers <- list.files(test_path("former"), full.names = TRUE)
  present <- readLines(system.file("include", "manykernels.h", package = "manykernels"))
  abi <- as.integer(sub("#define MANYKERNELS_ABI ", "", grep("^#define MANYKERNELS_ABI ", present, value = TRUE)))
  # The header of an interface is kept in `former` before the next one is made.
  expect_identical(basename(headers), sprintf("manykernels-%d.h", seq_len(abi - 1L)))
  x <- matrix(seq(0.1, 4, length.out = 40)[c(21:40, 1:20)])
  y <- factor(x > 2)
  for (header in headers) {
    name <- paste0("former", match(header, headers))
    kernel <- linked_package(name, readLines(header))$least_kernel()
    on.exit(unloadNamespace(name), add = TRUE)
    expect_equal(kernel_matrix(kernel, x), outer(x[, 1], x[, 1], pmin), ignore_attr = TRUE)
    fit <- unserialize(serialize(mkl(x, y, kernel, scale = FALSE, control = quiet(threads = 2)), NULL))
    expect_identical(predict(fit, x), y)
    expect_lte(duality_gap(fit, x, y)$gap, 1e-3)
  }
  later <- linked_package("later", sub("(#define MANYKERNELS_ABI ).*", paste0("\\1", abi + 1L), present))
  on.exit(unloadNamespace("later"), add = TRUE)
  expect_snapshot(error = TRUE, cnd_class = TRUE, later$least_kernel())
})

test_that("the header is C++, too", {
  testthat::skip_on_cran()
  compiler <- strsplit(system2(file.path(R.home("bin"), "R"), c("CMD", "config", "CXX"),
                               stdout = TRUE), " ")[[1]]
  testthat::skip_if(Sys.which(compiler[1]) == "", "a C++ compiler")
  file <- tempfile(fileext = ".cpp")
  writeLines("#include <manykernels.h>\nint main() { return MANYKERNELS_ABI - 1; }", file)
  status <- system2(compiler[1], c(compiler[-1], "-fsyntax-only", "-Wall", "-Werror",
                                   shQuote(paste0("-I", R.home("include"))),
                                   paste0("-I", system.file("include", package = "manykernels")),
                                   "-I/usr/share/R/include", shQuote(file)))
  expect_identical(status, 0L)
})

test_that("pointers are what C made and alive, and are let go once", {
  testthat::skip_on_cran()
  testthat::skip_if(Sys.which("make") == "", "make")
  folder <- tempfile("bad")
  dir.create(folder)
  c_code <- compile(folder)
  d <- judge_clouds(60)
  expect_identical(c_code$abi(), 2L)
  # one and two threads, safe or not: the same kernel
  plain <- kernel_matrix(function_kernel(function(X, Z) outer(X[, 1], Z[, 1]), "f"), d$x)
  for (safe in c(TRUE, FALSE)) {
    k <- native_kernel(c_code$make("fine", safe), "first")
    expect_equal(kernel_matrix(k, d$x), plain, tolerance = 1e-15)
    sparse <- Matrix::Matrix(replace(d$x, abs(d$x) < 0.5, 0), sparse = TRUE)
    expect_equal(kernel_matrix(k, sparse), outer(sparse[, 1], sparse[, 1]), ignore_attr = TRUE)
    second <- on_features(k, 2)
    expect_equal(kernel_matrix(second, d$x), outer(d$x[, 2], d$x[, 2]), ignore_attr = TRUE)
    fit <- mkl(d$x, d$y, c(k, second, gaussian_kernel(1)), control = quiet(threads = 2))
    expect_lte(duality_gap(fit, d$x, d$y)$gap, 1e-3)
    expect_identical(predict(fit, d$x), unname(fitted(fit)))
    set.seed(1)
    cv <- cv_mkl(d$x, d$y, c(k, second), p = 2, C = c(0.1, 1), folds = 3, control = quiet())
    expect_false(anyNA(cv$results$mean))
    sequential <- mkl_sequential(d$x, d$y, c(k, gaussian_kernel(1)), control = quiet())
    expect_lte(sequential$gap, 1e-3)
  }
  expect_snapshot(k)

  # failures, on threads or not
  for (safe in c(TRUE, FALSE)) {
    failing <- native_kernel(c_code$make("failing", safe), "failing")
    expect_classed(mkl(d$x, d$y, failing, control = quiet()), "function_kernel", "kernels")
  }
  talking <- native_kernel(c_code$make("talking", FALSE), "talking")
  expect_error(mkl(d$x, d$y, talking, control = quiet()), "R stops here",
               class = "manykernels_error")
  expect_s3_class(mkl(d$x, d$y, gaussian_kernel(1), control = quiet()), "mkl") # all is well after
  # a saved fit
  gone <- unserialize(serialize(fit, NULL))
  again <- unserialize(serialize(
    mkl(d$x, d$y, native_kernel(function() c_code$make("fine"), "mine"), control = quiet()), NULL
  ))
  expect_length(predict(again, d$x), 60)

  pointer <- c_code$make("fine")
  dead <- native_kernel(pointer, "dead")
  c_code$clear(pointer)
  other <- getDLLRegisteredRoutines("stats")$.Call[[1]]$address
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    native_kernel()
    native_kernel(c_code$make("fine"))
    native_kernel(1, "one")
    native_kernel("fine", "one")
    native_kernel(other, "one")
    native_kernel(pointer, "one")
    native_kernel(function() 1, "one")
    native_kernel(function() pointer, "one")
    native_kernel(function() stop("no such luck"), "one")
    native_kernel(c_code$make("fine"), "")
    kernel_matrix(dead, d$x)
    mkl(d$x, d$y, dead)
    predict(gone, d$x)
    duality_gap(gone, d$x)
    mkl(d$x, d$y, native_kernel(c_code$make("crooked"), "crooked"))
    mkl(d$x, d$y, native_kernel(c_code$make("endless"), "endless"))
    c_code$make("nothing")
    c_code$make("fine", abi = 3L)
    c_code$make("fine", abi = 0L)
  })
  expect_classed(predict(gone, d$x), "native_pointer", "pointer")
  expect_classed(mkl(d$x, d$y, dead), "native_pointer", "pointer")

  before <- c_code$count()
  local(native_kernel(c_code$make("fine"), "short"))
  invisible(gc())
  expect_gt(c_code$count(), before)
})

test_that("fits that C asks for are those of mkl()", {
  testthat::skip_on_cran()
  testthat::skip_if(Sys.which("make") == "", "make")
  folder <- tempfile("fit")
  dir.create(folder)
  c_code <- compile(folder)
  d <- judge_clouds(90)
  set.seed(4)
  own <- seq_len(70)
  K <- lapply(c(0.5, 2, 8), function(width) exp(-as.matrix(dist(d$x))^2 / width))
  K[[4]] <- tcrossprod(d$x)
  train <- unname(lapply(K, function(k) unname(k[own, own])))
  sign <- ifelse(d$y == levels(d$y)[2], 1, -1)[own]
  numbers <- d$x[own, 1] + rnorm(70) / 4
  weight <- runif(70, 0.2, 2)
  ask <- function(y, loss, parameter, p, mkl_loss, safe = 1, threads = 1) {
    got <- c_code$fit(K, as.double(y), 2 * weight, 20L, loss = loss, parameter = parameter, p = p,
                      tol = 1e-6, safe = safe, threads = threads)
    y <- if (loss == 6) NULL else if (loss < 3) factor(y) else y
    fit <- mkl(NULL, y, precomputed_kernel(train), p = p, C = 2, loss = mkl_loss, weights = weight,
               normalize = "none", scale = FALSE, control = quiet(tol = 1e-6))
    expect_equal(got$converged, 1)
    expect_lte(got$gap, 1e-6)
    expect_equal(got$objective, fit$objective, tolerance = 2e-6)
    expect_equal(got$primal, fit$primal, tolerance = 2e-6)
    expect_equal(sum(got$theta^p)^(1 / p), 1, tolerance = 1e-9)
    f <- Reduce(`+`, Map(function(k, t) t * drop(k[71:90, own] %*% got$alpha), K, got$theta))
    expect_equal(got$new, unname(f) + got$offset, tolerance = 1e-10)
  }
  ask(sign, 0, 0, 2, "hinge")
  ask(sign, 0, 0, 1, "hinge", safe = 0)
  ask(sign, 1, 0, 4 / 3, "squared_hinge", threads = 2)
  ask(sign, 2, 0, 2, "logistic")
  ask(numbers, 3, 0, 4, "squared")
  ask(numbers, 4, 0.1, 2, epsilon_loss(0.1))
  ask(numbers, 5, 0.5, 2, huber_loss(0.5), safe = 0)
  ask(rep(1, 70), 6, 0, 2, "one_class")

  late <- c_code$fit(K, sign, max_time = 1e-9)
  expect_equal(late$converged, 0)
  expect_true(is.finite(late$gap))

  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    c_code$fit(K, sign, abi = 0)
    c_code$fit(K, sign, abi = 1)
    c_code$fit(K, sign, abi = 3)
    c_code$fit(list(), sign)
    c_code$fit(K, double(), samples = 0)
    c_code$fit(K, sign, mode = 4)
    c_code$fit(K, sign, threads = -1)
    c_code$fit(K, sign, loss = 7)
    c_code$fit(K, numbers, loss = 5, parameter = 0)
    c_code$fit(K, numbers, loss = 4, parameter = NaN)
    c_code$fit(K, sign, p = 0.5)
    c_code$fit(K, sign, p = NaN)
    c_code$fit(K, sign, tol = 2)
    c_code$fit(K, sign, max_time = -1)
    c_code$fit(K, NULL, samples = 70)
    c_code$fit(K, sign, NULL)
    c_code$fit(K, c(0.5, sign[-1]))
    c_code$fit(K, c(sign[-1], NA))
    c_code$fit(K, sign, rep(-1, 70))
    c_code$fit(K, sign, rep(Inf, 70))
    c_code$fit(K, sign, mode = 1)
    c_code$fit(K, sign, mode = 2, safe = 0)
    c_code$fit(K, sign, mode = 3)
  })
  expect_equal(c_code$fit(K, sign)$converged, 1) # all is well after
})
