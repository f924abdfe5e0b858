# Entry points of the core, called as no function that users see calls them: with arguments that R never sends, and
# with memory that R moves.

ns <- asNamespace("manykernels")
quietly <- mkl_control(progress = FALSE)

# ---- memory that R moves -------------------------------------------------------------------------

# Handles read R's memory for as long as they live. R moves what an ALTREP vector holds whenever
# somebody asks for an address to write to, and frees the old block; a handle must not notice. A
# handle that goes wrong here reads -1 or 255, and the address sanitizer reports it.

set_of <- function(view, type = 1L, par = c(0, 0, 0), data = list(NULL), n = nrow(view)) {
  .Call(ns$C_mk_set_new, list(view), type, rep(1L, length(type)),
        list(start = numeric(length(type) + 1), column = integer()), matrix(par, 3, length(type)),
        data, n, 1L)
}
values_of <- function(handle, m = 1L) .Call(ns$C_mk_matrix, handle, m, 1:20, 1:20, 1L)

wrapper <- function(x) {
  y <- x
  attr(y, "note") <- "a" # y is a vector of its own, over the values of x
  y
}

# `values()` is what a handle is to be made of. The handle's answer, and its answer after R has moved
# that and used the old memory for other things.
both_answers <- function(values, make, read) {
  y <- wrapper(values())
  handle <- make(y)
  before <- read(handle)
  z <- y
  attr(z, "note") <- "b"
  if (is.double(y)) crossprod(y) # asks for an address to write to
  y[1] <- y[1]
  rm(z)
  gc()
  gc()
  junk <- lapply(1:400, function(i) rep(if (is.raw(y)) as.raw(255) else y[1] * 0L - 1L, length(y)))
  list(before = before, after = read(handle), junk = length(junk))
}

# 80 linear kernels.
stream_of <- function(scaling = rep(0L, 80), centre = logical(80)) {
  part <- list(type = rep(1L, 80), view = rep(1L, 80),
               features = list(start = numeric(81), column = integer()), par = matrix(0, 3, 80),
               data = vector("list", 80), centre = centre, scaling = scaling, sets = NULL)
  .Call(ns$C_mk_stream_new, list(part), list(matrix(as.double(1:100), 20)), 20L, 1L)
}
strengths_of <- function(stream) .Call(ns$C_mk_stream_strengths, stream, matrix(1:20 / 7), 1L)

dense <- function() matrix(as.double(1:100), 50)
sparse <- list(dim = c(80L, 90L), p = 0:90, i = rep(0:79, length.out = 90), x = as.double(1:90))
places <- list(
  view = list(dense, set_of, values_of),
  "sparse p" = list(function() c(0:80, rep(80L, 10)),
                    function(p) set_of(replace(sparse, "p", list(p)), n = 80L), values_of),
  "sparse i" = list(function() rep(0:79, length.out = 90),
                    function(i) set_of(replace(sparse, "i", list(i)), n = 80L), values_of),
  "sparse x" = list(function() as.double(1:90),
                    function(x) set_of(replace(sparse, "x", list(x)), n = 80L), values_of),
  "who has a view" = list(function() rep(c(1, 0, 1), 30),
                          function(has) set_of(list(matrix(as.double(1:180), 90), has), n = 90L),
                          function(handle) {
                            .Call(ns$C_mk_set_normalize, handle, TRUE, 0L, NULL, Inf, NULL, 1L)
                            values_of(handle)
                          }),
  "kernel matrix" = list(function() 2 * diag(30),
                         function(K) set_of(matrix(0, 30, 1), 4L, data = list(K)), values_of),
  "slice of an array" = list(function() array(as.double(1:1800), c(30, 30, 2)),
                             function(K) set_of(matrix(0, 30, 1), c(4L, 4L), rep(0, 6),
                                                list(list(K, 1L), list(K, 2L))),
                             function(handle) values_of(handle, 2L)),
  anchor = list(function() as.double(1:90) / 90,
                function(a) set_of(matrix(as.double(1:2700) / 2700, 30), 6L, c(1, 0.1, 0), list(a)),
                values_of),
  letters = list(function() as.raw(rep(c(0:3, 2:0), length.out = 200)),
                 function(code) {
                   .Call(ns$C_mk_weighted_degree, list(code = code, start = c(0, 100, 200), letters = 4),
                         matrix(1, 1, 3), 1, NULL)
                 },
                 function(handle) .Call(ns$C_mk_degree_profile, handle, c(1, 1), 1L)),
  "scalings of a dictionary" = list(function() rep(0:1, 40), function(scaling) stream_of(scaling),
                                    strengths_of),
  "centrings of a dictionary" = list(function() rep(c(FALSE, TRUE), 40),
                                     function(centre) stream_of(centre = centre), strengths_of))

test_that("a handle's values stay what they were when R moves the vectors it was made of", {
  for (place in names(places)) {
    found <- do.call(both_answers, unname(places[[place]]))
    expect_identical(found$after, found$before, info = place)
    expect_true(all(is.finite(unlist(found$before))), info = place)
  }
})

# ALTREP vectors that wrap nothing: files that R maps. What is written to the file shows in the vector,
# and must not in the handle, which has the values as they were.
mapped <- function(values) {
  file <- tempfile()
  write_values(file, values)
  x <- eval(as.call(list(as.name(".Internal"), # no error of R CMD check where this is not known
                         call("mmap_file", file, typeof(values), TRUE, FALSE, FALSE))))
  if (!is.null(dim(values))) dim(x) <- dim(values) # wraps the map
  list(x = x, file = file)
}

write_values <- function(file, values) {
  connection <- file(file, if (file.exists(file)) "r+b" else "wb")
  on.exit(close(connection))
  writeBin(as.vector(values), connection)
}

# Other values that are as valid in that place.
others <- function(place, values) {
  switch(place, "sparse p" = c(0L, values[-(1:2)], values[length(values)]), "who has a view" = 1 - values,
         "scalings of a dictionary" = 1L - values, "sparse i" = rev(values), 2 * values)
}

test_that("a handle has copies of what lies in memory that isn't R's", {
  skip_if(inherits(try(mapped(1:3), silent = TRUE), "try-error"), "R maps no files")
  for (place in setdiff(names(places), c("letters", "centrings of a dictionary"))) { # not of these types
    own <- places[[place]]
    values <- own[[1]]()
    source <- mapped(values)
    handle <- own[[2]](source$x)
    before <- own[[3]](handle)
    expect_identical(before, own[[3]](own[[2]](values)), info = place)
    write_values(source$file, others(place, values))
    expect_identical(source$x[seq_along(values)], as.vector(others(place, values)), info = place)
    gc()
    junk <- lapply(1:400, function(i) rep(values[1] * 0L - 1L, length(values)))
    expect_identical(own[[3]](handle), before, info = place)
    expect_false(identical(own[[3]](own[[2]](others(place, values))), before), info = place)
  }
})

test_that("compact sequences are read as what they stand for", {
  diagonal <- list(dim = c(90L, 90L), p = 0:90, i = 0:89, x = as.double(1:90))
  handle <- set_of(diagonal, n = 90L)
  gc()
  junk <- lapply(1:400, function(i) rep(-1L, 90))
  expect_identical(values_of(handle), diag((1:20)^2))
})

test_that("what R holds is not copied for a handle", {
  x <- matrix(as.double(1:4e6), 2000) # 32 megabytes
  y <- wrapper(x)
  used <- gc(reset = TRUE)["Vcells", 1]
  handle <- set_of(y)
  most <- gc()["Vcells", "max used"]
  expect_lt(8 * (most - used), 16e6)
  rm(x, y)
  expect_identical(values_of(handle)[2, 1], sum((2 + 2000 * 0:1999) * (1 + 2000 * 0:1999)))
})

test_that("passes over columns and matrices read what wrappers hold", {
  x <- matrix(as.double(1:400) %% 17, 20)
  passes <- list(
    function(x) .Call(ns$C_mk_distances, x, 1:20, NULL, 1L),
    function(x) .Call(ns$C_mk_column_sums, x, rep(1, 20), 1L),
    function(x) .Call(ns$C_mk_standardize, x, rep(1, 20), rep(2, 20), 1L),
    function(x) .Call(ns$C_mk_inspect, list(x), 20L, 1L)
  )
  for (pass in passes) {
    found <- pass(x)
    expect_equal(as.vector(pass(wrapper(x))), as.vector(found))
  }
})

# ---- arguments that R never sends ----------------------------------------------------------------

test_that("progress may jump out of the core", {
  d <- judge_clouds(60)
  data <- ns$bridge_data(d$x, gaussian_kernel(1:2))
  handle <- ns$kernel_handle(data$kernels, data$views, 60L, 1L)
  fit <- function(progress) {
    .Call(ns$C_mk_fit, handle, matrix(ifelse(d$y == levels(d$y)[1], -1, 1)), matrix(1, 60),
          list(type = 0L, parameter = 0, offset = TRUE), 2, ns$core_control(quietly), NULL,
          progress)
  }
  expect_error(fit(function(...) stop(errorCondition("No such luck.", class = "my_error"))), class = "my_error")
  left <- withRestarts(fit(function(...) invokeRestart("leave", "left")), leave = identity)
  expect_identical(left, "left")
  said <- testthat::capture_messages(fit(function(iteration, ...) message("line")))
  expect_gt(length(said), 0)
})

test_that("mkl()'s core has the optimum and certificate of mkl_gomp() for the kernels taken", {
  d <- judge_clouds(40)
  kernels <- c(gaussian_kernel(c(1, 4)), linear_kernel())
  fit <- mkl_gomp(d$x, d$y, kernels, lambda = 0.05, max_kernels = 2, control = quiet(), scale = FALSE)
  data <- ns$bridge_data(d$x, kernels[sort(fit$order)])
  handle <- ns$kernel_handle(data$kernels, data$views, 40L, 1L)
  ns$normalize_handle(handle, data$kernels, "multiplicative", 1L)
  y <- matrix(2 * (as.integer(d$y) - 1.5))
  cost <- matrix(fit$cost)
  squared <- list(type = 3L, parameter = 0, offset = FALSE)
  found <- .Call(ns$C_mk_gap, handle, c(1, 1), matrix(fit$alpha), y, cost, squared, Inf, 1L)
  expect_equal(found$primal, fit$primal, tolerance = 1e-12)
  expect_equal(found$dual, fit$objective, tolerance = 1e-12)
  own <- .Call(ns$C_mk_fit, handle, y, cost, squared, Inf, ns$core_control(quiet(tol = 1e-10)), NULL,
               NULL)
  expect_equal(own$alpha[, 1], unname(fit$alpha), tolerance = 1e-5)
})

test_that("hostile calls for matching pursuits are R errors", {
  d <- judge_clouds(12)
  core <- function(name, ...) do.call(".Call", list(ns[[paste0("C_mk_", name)]], ...))
  data <- ns$bridge_data(d$x, gaussian_kernel(1:2))
  handle <- ns$kernel_handle(data$kernels, data$views, 12L, 1L)
  y <- matrix(sin(1:12))
  control <- ns$core_control(quiet())
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    core("gomp", NULL, 1:12, y, NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, NULL, y, NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 0:11, y, NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 2:13, y, NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y[-1], NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, replace(y, 1, NaN), NULL, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, y, 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, abs(y)[-1], 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, abs(cbind(y, y)), 1, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, NULL, 0, 2, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, NULL, 1, 0, 0, NULL, control, NULL)
    core("gomp", handle, 1:12, y, NULL, 1, 2, -1, NULL, control, NULL)
    core("gomp", handle, 1:12, y, NULL, 1, 2, 0, list(count = 1, drawn = 1:3), control, NULL)
    core("gomp", handle, 1:12, y, NULL, 1, 2, 0, list(count = 1, drawn = c(1L, 99L)), control, NULL)
    core("gomp", handle, 1:12, y, NULL, 1, 2, 0, NULL, list(), NULL)
    core("path_values", handle, 3L, 1L, y, 1:12, 1:12, 12, 1L)
    core("path_values", handle, 1L, 2L, y, 1:12, 1:12, 12, 1L)
    core("path_values", handle, 1L, integer(), y, 1:12, 1:12, 12, 1L)
    core("path_values", handle, 1L, 1L, y[-1], 1:12, 1:12, 12, 1L)
    core("path_values", handle, 1L, 1L, y, integer(), 1:12, 12, 1L)
    core("forms", handle, y[-1], c(1L, 0L), FALSE, 1L)
    core("forms", handle, y, 1L, FALSE, 1L)
  })
})

test_that("hostile calls for files of kernels are R errors", {
  d <- judge_clouds(120)
  K <- kernel_matrix(gaussian_kernel(1:2), d$x)
  folder <- tempfile("kernel-files")
  dir.create(folder)
  path <- function(name) file.path(folder, name)
  open <- function(file) .Call(ns$C_mk_file_open, file)
  write_kernel(K[[1]], path("core"))
  file <- open(path("core"))$pointer
  for (bad in list(NULL, 1, NA_character_, c("a", "b"), file)) expect_error(open(bad), "path")
  saved <- unserialize(serialize(file, NULL))
  handle <- .Call(ns$C_mk_set_new, list(d$x), 1L, 1L, list(start = c(0, 0), column = integer()),
                  matrix(0, 3, 1), list(NULL), 120L, 1L)
  missing <- open(path("nowhere"))
  expect_identical(missing$fault, 1L)
  for (bad in list(NULL, 1, "a", saved, handle, missing$pointer)) {
    expect_error(.Call(ns$C_mk_file_verify, bad, 1L), "file")
    expect_error(.Call(ns$C_mk_file_values, bad, 1L, 1L), "file")
    expect_error(.Call(ns$C_mk_file_add, bad, 1), "writer")
    expect_error(.Call(ns$C_mk_file_finish, bad), "writer")
  }
  for (bad in list(0L, 121L, NA, "a", NULL)) {
    expect_error(.Call(ns$C_mk_file_values, file, bad, 1L), "rows")
    expect_error(.Call(ns$C_mk_file_values, file, 1L, bad), "cols")
  }
  new_set <- function(data, n) {
    .Call(ns$C_mk_set_new, list(), 4L, 0L, list(start = c(0, 0), column = integer()),
          matrix(0, 3, 1), list(data), n, 1L)
  }
  expect_identical(typeof(new_set(file, 120L)), "externalptr")
  expect_error(new_set(file, 119L), "symmetric")
  expect_error(new_set(saved, 120L), "not open")
  expect_error(new_set(open(write_kernel(K[[1]], path("oblong"), new = TRUE))$pointer, 120L),
               "symmetric")
  expect_error(.Call(ns$C_mk_file_create, path("draft"), -1L, 3L, FALSE, FALSE, NULL, NULL), "rows")
  expect_error(.Call(ns$C_mk_file_create, path("draft"), 2L, 0L, FALSE, FALSE, NULL, NULL), "cols")
  expect_error(.Call(ns$C_mk_file_create, path("draft"), 2L, 3L, NA, FALSE, NULL, NULL), "single")
  expect_error(.Call(ns$C_mk_file_create, path("draft"), 2L, 3L, FALSE, FALSE, "a", NULL),
               "row_names")
  expect_error(.Call(ns$C_mk_file_create, path("draft"), 2L, 3L, FALSE, FALSE, NULL, 1:3),
               "col_names")
  writer <- .Call(ns$C_mk_file_create, path("draft"), 2L, 3L, FALSE, FALSE, NULL, NULL)
  for (bad in list(NULL, 1:3, c(1, 2), "a")) {
    expect_error(.Call(ns$C_mk_file_add, writer, bad), "rows")
  }
  expect_error(.Call(ns$C_mk_file_add, writer, as.double(1:9)), "argument")
  expect_error(.Call(ns$C_mk_file_finish, writer), "argument")
  expect_error(.Call(ns$C_mk_file_finish, writer), "writer")
})

test_that("hostile calls for kernels in C are R errors", {
  x <- matrix(1, 2, 2)
  file <- .Call(ns$C_mk_file_open, tempfile())$pointer
  for (bad in list(NULL, 1, "a", file, sum)) {
    expect_identical(.Call(ns$C_mk_native_alive, bad), NA)
    expect_error(.Call(ns$C_mk_native_values, bad, x, x, 1L), "pointer")
    expect_error(.Call(ns$C_mk_set_new, list(x), 5L, 1L, list(start = c(0, 0), column = integer()),
                       matrix(0, 3, 1), if (is.function(bad)) list(1) else list(bad), 2L, 1L),
                 "function")
  }
})

test_that("hostile calls for streams of kernels are errors", {
  clouds <- judge_clouds(40, 6)
  part <- list(type = 3L, view = 1L, features = list(start = c(0, 0), column = integer()),
               par = matrix(c(1, 0, 0)), data = list(NULL), centre = FALSE, scaling = 1L,
               sets = list(start = c(0, 2), column = 1:2))
  make <- function(parts, views = list(clouds$x), n = 40L) {
    .Call(ns$C_mk_stream_new, parts, views, n, 1L)
  }
  stream <- make(list(part))
  expect_length(.Call(ns$C_mk_stream_strengths, stream, matrix(1, 40, 1), 1L), 1)
  change <- function(...) list(utils::modifyList(part, list(...)))
  for (bad in list(list(), list(1), NULL, 1, change(type = 0L), change(type = 99L), change(view = 2L),
                   change(scaling = 7L), change(centre = NA), change(par = 1),
                   change(sets = list(start = c(0, 3), column = 1:2)),
                   change(sets = list(start = c(0, 0, 2), column = 1:2)),
                   change(sets = list(start = c(0, 2), column = c(1L, 99L))),
                   change(sets = list(start = c(0, 2), column = c(0L, 1L))),
                   change(sets = 1), list(open = function(i) 1, size = 0))) {
    expect_error(make(bad))
  }
  expect_error(make(list(part), n = 39L))
  expect_error(make(list(part), n = 0L))
  for (bad in list(1, matrix(1, 39, 1), matrix(NA_real_, 40, 1), "a", numeric())) {
    expect_error(.Call(ns$C_mk_stream_strengths, stream, bad, 1L))
  }
  expect_error(.Call(ns$C_mk_stream_strengths, NULL, matrix(1, 40, 1), 1L))
  dead <- unserialize(serialize(stream, NULL))
  expect_error(.Call(ns$C_mk_stream_strengths, dead, matrix(1, 40, 1), 1L))
  other <- ns$kernel_handle(ns$resolve_kernels(gaussian_kernel(1), ns$as_views(clouds$x[-1, ])),
                            ns$as_views(clouds$x[-1, ]))
  own <- ns$kernel_handle(ns$resolve_kernels(gaussian_kernel(1), ns$as_views(clouds$x)),
                          ns$as_views(clouds$x))
  for (bad in list(1, NULL, list(stream, FALSE, 1L), list(other, FALSE, 1L), list(own, FALSE, 9L),
                   list(own, FALSE, NA_integer_), list(own, 1, 1L), list(own, FALSE, 1:2))) {
    rubbish <- make(list(open = function(i, seconds, selected) bad, size = 1))
    expect_error(.Call(ns$C_mk_stream_strengths, rubbish, matrix(1, 40, 1), 1L))
  }
})
