# Valid calls of the core, recorded while R code of the package makes them, and calls made of them by
# changing one thing. Used by boundary.R.

package <- asNamespace("manykernels")
routines <- getDLLRegisteredRoutines("manykernels")$.Call

# ---- valid calls ---------------------------------------------------------------------------------

# Every call that goes through these functions of the package is kept.
recorders <- c("from_core", "from_stream")

record_calls <- function(work, most = 40L) {
  calls <- list()
  keep <- function(name, arguments) {
    if (length(calls[[name]]) < most) calls[[name]] <<- c(calls[[name]], list(arguments))
  }
  for (recorder in recorders) local({
    own <- get(recorder, package)
    replacement <- function(expr, ...) {
      call <- substitute(expr)
      if (!is.call(call) || !identical(call[[1L]], as.name(".Call"))) return(own(expr, ...))
      values <- lapply(as.list(call)[-1L], eval, parent.frame())
      keep(values[[1L]]$name, unname(values[-1L]))
      own(do.call(.Call, values, quote = TRUE), ...)
    }
    utils::assignInNamespace(recorder, replacement, package)
  })
  work()
  calls
}

# Fits and questions that reach all entry points but those below.
usual_work <- function() {
  quiet <- function(...) mkl_control(progress = FALSE, ...)
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  y <- factor(rep(c("a", "b"), 10))
  kernels <- c(linear_kernel(), gaussian_kernel(c(1, 4)), polynomial_kernel(),
               normalize_kernels(gaussian_kernel(2), "spherical"),
               normalize_kernels(gaussian_kernel(3), c("centre", "trace")))
  fit <- mkl(x, y, kernels, control = quiet())
  predict(fit, x + 0.1)
  compress(mkl(x, y, kernels[1:4], control = quiet()), 0.1)
  duality_gap(fit, x, y)
  duality_gap(mkl(x, factor(rep(c("a", "b", "c", "a"), 5)), kernels, multiclass = "joint", control = quiet()), x)
  pairs <- mkl(x[rep(1:20, 2), ], factor(rep(letters[1:10], each = 4)), kernels[1:2], multiclass = "ovo",
               control = quiet())
  predict(pairs, x)
  permutation_importance(update(fit, kernels = kernels[1:4]), x, y, by = "feature", repeats = 2)
  for (optimizer in c("wrapper", "newton", "cutting_plane", "level")) {
    update(fit, control = quiet(optimizer = optimizer, start = fit))
  }
  mkl(x, x[, 1], kernels, norm = elastic_net_norm(), loss = epsilon_loss(0.1), control = quiet())
  mkl(x, x[, 1], kernels[1], loss = custom_loss(function(t, y) (t - y)^2 / 2, function(t, y) t - y,
                                                function(u, y) u^2 / 2 + u * y), control = quiet())
  mkl(x, x[, 1], kernels, norm = quadratic_norm(diag(length(kernels))), loss = quantile_loss(0.3),
      control = quiet())
  sparse <- Matrix::Matrix(x * (x > 0), sparse = TRUE)
  mkl(list(a = x, b = sparse), y, default_kernels(list(a = x, b = sparse)), control = quiet())
  K <- tcrossprod(x)
  mkl(kernels = c(precomputed_kernel(list(K = K)), precomputed_kernel(array(K, c(20, 20, 2)))), y = y,
      control = quiet())
  native <- function_kernel(function(X, Z) tcrossprod(X, Z))
  mkl(x, y, native, control = quiet())
  named <- `rownames<-`(x, letters[1:20])
  mkl(list(a = named[-1, ], b = named), stats::setNames(y, letters[1:20]), gaussian_kernel(1),
      normalize = c("centre", "multiplicative"), missing_views = "neutral", control = quiet())
  cv_mkl(x, y, kernels, p = c(1, 2), C = c(0.1, 1), folds = 3, control = quiet())
  mkl_path(x, y, kernels, p = 2, C = c(0.1, 1))
  kernel_matrix(gaussian_kernel(1), x, x)
  kernel_alignment(kernels, x, y)
  default_kernels(x)
  mkl(x, y, control = quiet())
  path <- mkl_gomp(x, y, kernels, control = quiet())
  predict(path, x)
  duality_gap(path, x, y)
  gomp_recovery(kernels, x, good = 1:2)
  wide <- mkl_sequential(x, y, kernel_dictionary(linear_kernel(), list(a = 1:2, b = 3)),
                         control = quiet())
  duality_gap(wide, x, y)
  by_number <- kernel_dictionary(function(i) gaussian_kernel(i), size = 5)
  mkl_sequential(x, y, by_number, control = quiet())
  local <- mllkm(x, y, control = quiet())
  predict(local, x)
  duality_gap(local, x, y)
  rademacher_bound(p = 2, M = 3, n = 10, R = 1)
  empirical_rademacher(kernels, x, p = c(1, 2), draws = 5)
  suppressWarnings(risk_bound(fit, x))
  words <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC", "ACGAACGTAA")
  y4 <- factor(c("a", "b", "a", "b"))
  sets <- list(spectrum_kernel(3), mismatch_kernel(3, 1), gapped_kernel("1101"), gappy_pair_kernel(1, 2),
               motif_kernel(c(m = "A[CG]G")), weighted_degree_kernel(3),
               weighted_degree_kernel(2, mismatch = 1), weighted_degree_kernel(2, shift = 1))
  for (set in sets) {
    fit <- mkl(words, y4, set, control = quiet())
    predict(fit, words[1:2])
  }
  mkl(x, y, linear_kernel() * gaussian_kernel(1), control = quiet())
  mkl(cbind(rep(1:4, 5), rep(1:5, 4)), y, pair_kernel(diag(4) + 1, diag(5) + 1), control = quiet())
  file <- tempfile(fileext = ".kernel")
  stored <- precomputed_kernel(file = write_kernel(K, file))
  mkl(kernels = stored, y = y, control = quiet())
  kernel_matrix(stored)
  invisible()
}

# Calls that no recorder sees, and those whose handles take them once.
written_calls <- function(recorded) {
  view <- recorded$mk_weighted_degree[[1L]][[1L]]
  words <- recorded$mk_words[[1L]]
  writer <- function() {
    .Call(routines$mk_file_create, tempfile("written"), 2, 3, FALSE, FALSE, NULL, NULL)
  }
  finished <- writer()
  .Call(routines$mk_file_add, finished, matrix(0, 3, 2))
  .Call(routines$mk_file_finish, finished)
  one <- recorded$mk_predict[[1L]] # handle, theta, alpha, threads
  share <- function(what) c(list(one[[1L]], what), one[2:3], list(TRUE, list(tol = 1e-3, single = TRUE, part = 1, parts = 2), 1L))
  columns <- tempfile("columns")
  .Call(routines$mk_write_rows, columns, matrix(0, 2, 3), 1L, 2L)
  list(
    mk_share = lapply(c("response", "forms", "expansion"), share),
    mk_threads = list(list()), mk_kinds = list(list()), mk_stay_alone = list(list()),
    mk_first_not_finite = list(list(c(1, 2, NA), 1L)),
    mk_standardize = list(list(matrix(1:6 / 2, 2), numeric(3), c(1, 1, 1), 1L)),
    mk_file_create = list(list(tempfile("written"), 2, 3, FALSE, FALSE, NULL, c("a", "b", "c"))),
    mk_file_add = list(list(writer(), matrix(0, 3, 2)), list(finished, matrix(0, 3, 2))),
    mk_file_finish = list(list(writer()), list(finished)),
    mk_file_values = list(list(recorded$mk_file_verify[[1L]][[1L]], 1:2, 3L)),
    mk_write_rows = list(list(tempfile("rows"), diag(2), 1L, 4L)),
    mk_column_file = list(list(columns, 2L, 3L, list(NULL, c("a", "b", "c")))),
    mk_in_file = list(list(diag(2)), list(.Call(routines$mk_column_file, columns, 2L, 3L, list(NULL, NULL)))),
    mk_native_alive = list(list(NULL)),
    mk_native_values = list(list(NULL, diag(2), diag(2), 1L)),
    mk_degree_profile = list(list(do.call(.Call, c(list(routines$mk_weighted_degree),
                                                   recorded$mk_weighted_degree[[1L]])), NULL, 1L)),
    mk_word_letters = list(list(words[[1L]], words[[2L]], words[[3L]], c(0, 1)))
  )
}

# By routine the lists of arguments of real calls.
valid_calls <- function() {
  recorded <- record_calls(usual_work)
  written <- written_calls(recorded)
  for (name in names(written)) recorded[[name]] <- c(recorded[[name]], written[[name]])
  recorded
}

# ---- hostile values ------------------------------------------------------------------------------

cyclic_environment <- function() {
  out <- new.env()
  out$self <- out
  attr(out, "self") <- out
  out
}

stale <- function(pointer) unserialize(serialize(pointer, NULL))

hostile_values <- function(calls) {
  methods::setClass("fuzz_s4", representation(x = "numeric"))
  loop <- cyclic_environment()
  flat <- unlist(lapply(calls, unlist, recursive = FALSE), recursive = FALSE)
  pointers <- Filter(function(one) typeof(one) == "externalptr", flat)
  pointers <- pointers[!duplicated(lapply(pointers, format))]
  c(list(
    NULL, NA, NaN, Inf, -Inf, -1, 0, 1e308, -1e308, 5e-324, 2^31, 2^53, .Machine$integer.max,
    -.Machine$integer.max, NA_integer_, 0L, TRUE, FALSE, "", "a", NA_character_, character(),
    numeric(), integer(), list(), list(NULL), list(1), list(list()), raw(3), 1i, as.name("a"),
    quote(f(x)), expression(a), sum, `if`, function(...) 1, function(...) stop("no"),
    function(...) NULL, globalenv(), loop, structure(1, loop = loop), structure(list(loop), names = "a"),
    methods::new("fuzz_s4", x = 1), pairlist(a = 1), data.frame(a = 1), factor("a"),
    matrix(0, 0, 3), matrix(0, 3, 0), array(0, c(2, 2, 2)), matrix(list(), 0, 0), 1:20, seq(0.5, 20),
    sort(c(2, 1)), as.character(1:3), rep(0, 1e5), seq_len(1e5), structure(1:4, dim = c(2L, 2L)),
    c(a = 1, a = 2), list(a = 1, a = 2), methods::new("externalptr"), compiler::compile(quote(x)),
    list(dim = c(2L, 2L), p = c(0L, 9L, 1L), i = 0:1, x = c(1, 2)),
    list(dim = c(-1L, 2L), p = 0:2, i = 0:1, x = c(1, 2)), globalenv
  ), pointers, lapply(pointers, stale))
}

# ---- changed calls -------------------------------------------------------------------------------

pick <- function(x) x[[sample.int(length(x), 1L)]]

# One entry, or the length, or the type or the attributes of a vector are others.
change_vector <- function(x) {
  i <- if (length(x)) sample.int(length(x), 1L)
  switch(sample.int(9L, 1L),
    if (length(x)) x[-i] else x,
    c(x, x),
    if (length(x) && !is.raw(x)) replace(x, i, NA) else x,
    if (is.numeric(x) && length(x)) replace(x, i, pick(list(-1, 0, 1e9, Inf, 1e-300, 2^31, 1.5))) else
      x,
    tryCatch(as.integer(x), warning = function(w) NULL, error = function(e) NULL),
    tryCatch(as.double(x), warning = function(w) NULL, error = function(e) NULL),
    `attributes<-`(x, NULL),
    if (is.matrix(x)) t(x) else rev(x),
    `names<-`(as.list(x), rev(names(x)))
  )
}

change <- function(x, hostile, depth = 0L) {
  if (is.list(x) && !is.data.frame(x) && length(x) && stats::runif(1) < 0.75 && depth < 4L) {
    k <- sample.int(length(x), 1L)
    x[k] <- list(change(x[[k]], hostile, depth + 1L))
    return(x)
  }
  if (is.vector(x) && stats::runif(1) < 0.5) return(change_vector(x))
  if (is.matrix(x) && stats::runif(1) < 0.5) return(change_vector(x))
  pick(hostile)
}

# The k-th call of a routine: all arguments at random, or those of a real call with one or two
# changed.
changed_call <- function(name, valid, hostile) {
  count <- routines[[name]]$numParameters
  if (stats::runif(1) < 0.15) return(lapply(seq_len(count), function(k) pick(hostile)))
  arguments <- pick(valid)
  for (turn in seq_len(1L + (stats::runif(1) < 0.2))) {
    if (!count) break
    k <- sample.int(count, 1L)
    arguments[k] <- list(change(arguments[[k]], hostile))
  }
  arguments
}
