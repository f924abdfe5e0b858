# Handles read R's memory for as long as they live. R moves what an ALTREP vector holds whenever
# somebody asks for an address to write to, and frees the old block; a handle must not notice. A
# handle that goes wrong here reads -1 or 255, and the address sanitizer reports it.

ns <- asNamespace("manykernels")
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
