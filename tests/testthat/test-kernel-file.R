# Kernel matrices in files against the same matrices in memory.

d <- judge_clouds(120)
set <- c(gaussian_kernel(c(1, 4, 16)), polynomial_kernel(2))
K <- kernel_matrix(set, d$x)
decisive <- c("theta", "alpha", "offset", "objective", "primal", "gap", "decision")

folder <- tempfile("kernel-files")
dir.create(folder)
path <- function(name) file.path(folder, name)

# Matrices as files, kernels of the same names.
files_of <- function(matrices, precision = "double", prefix = "m") {
  files <- path(paste0(prefix, seq_along(matrices), ".kernel"))
  Map(write_kernel, matrices, files, precision)
  stats::setNames(files, names(matrices))
}

as_single <- function(K) { # what floats make of doubles
  values <- readBin(writeBin(as.vector(K), raw(), size = 4), "double", length(K), size = 4)
  array(values, dim(K), dimnames(K))
}

test_that("a fit of files is the fit of the matrices, bit for bit", {
  files <- files_of(K)
  narrow <- files_of(K, "single", "s")
  on_disk <- precomputed_kernel(file = files)
  single <- precomputed_kernel(file = narrow)
  rounded <- lapply(K, as_single)
  expect_identical(names(on_disk), names(set))
  expect_identical(lapply(kernel_matrix(on_disk), unname), lapply(K, unname))
  expect_identical(lapply(kernel_matrix(single), unname), lapply(rounded, unname))
  in_memory <- precomputed_kernel(K)
  in_floats <- suppressWarnings(precomputed_kernel(rounded)) # which are indefinite by rounding
  ways <- list("multiplicative", "spherical", "trace", "none", "centre", c("centre", "spherical"))
  for (how in ways) for (p in c(1, 4 / 3)) {
    fit <- function(kernels) {
      mkl(y = d$y, kernels = kernels, p = p, normalize = how, control = quiet(tol = 1e-4))
    }
    own <- fit(on_disk)
    expect_true(own$converged)
    expect_identical(own[decisive], fit(in_memory)[decisive])
    expect_identical(fit(single)[decisive], fit(in_floats)[decisive])
    expect_identical(duality_gap(own)$gap, own$gap)
  }
})

test_that("little memory, other optimisers and a mixed set are certified", {
  files <- precomputed_kernel(file = files_of(K, "single"))
  for (optimizer in c("wrapper", "newton", "level")) {
    fit <- mkl(y = d$y, kernels = files, normalize = "none",
               control = quiet(optimizer = optimizer, cache = 1e4))
    expect_certified(fit, lapply(K, as_single))
  }
  both <- c(files, gaussian_kernel(8), precomputed_kernel(K[1]))
  fit <- mkl(d$x, d$y, both, control = quiet(), scale = FALSE)
  expect_lte(fit$gap, 1e-3)
  expect_equal(duality_gap(fit, list(x = d$x, K[[1]]) |> stats::setNames(c("x", names(both)[6])),
                           d$y)$gap, fit$gap, tolerance = 1e-9)
})

test_that("a kernel set is written block by block, symmetric to the last bit", {
  x <- judge_clouds(1100)$x # blocks have 512 rows
  files <- path(paste0("set", seq_along(set)))
  expect_identical(write_kernel(set, files, x = x), normalizePath(files, winslash = "/"))
  written <- kernel_matrix(precomputed_kernel(file = files))
  plain <- kernel_matrix(set, x)
  for (m in seq_along(set)) {
    expect_identical(written[[m]], t(written[[m]]))
    expect_equal(written[[m]], plain[[m]], tolerance = 1e-12, ignore_attr = TRUE)
  }
  new <- write_kernel(set[1], path("new"), x = d$x, z = d$x[1:30, ] + 1)
  fit <- mkl(y = d$y, kernels = precomputed_kernel(K[1]), control = quiet())
  expect_equal(predict(fit, new, "decision"),
               predict(fit, t(kernel_matrix(set[1], d$x, d$x[1:30, ] + 1)), "decision"),
               tolerance = 1e-12)
})

test_that("new rows are predicted from matrices and from files", {
  files <- files_of(K)
  fit <- mkl(y = d$y, kernels = precomputed_kernel(file = files), control = quiet())
  new <- d$x[1:25, ] + 0.3
  values <- lapply(kernel_matrix(set, d$x, new), t)
  given <- predict(fit, values, type = "decision")
  paths <- path(paste0("new", seq_along(set)))
  Map(write_kernel, values, paths, new = TRUE)
  expect_identical(predict(fit, stats::setNames(as.list(paths), names(set)), type = "decision"),
                   given)
  expect_identical(predict(fit, stats::setNames(paths, names(set)), type = "decision"), given)
  expect_equal(unname(given), unname(predict(
    mkl(d$x, d$y, set, control = quiet(), scale = FALSE), new, type = "decision"
  )), tolerance = 0.1)

  spherical <- mkl(y = d$y, kernels = precomputed_kernel(file = files), normalize = "spherical",
                   control = quiet())
  diagonals <- lapply(stats::setNames(nm = names(set)), function(m) {
    diag(as.matrix(kernel_matrix(set[m], new)))
  })
  from_files <- Map(structure, as.list(paths), diagonal = diagonals)
  from_memory <- Map(structure, values, diagonal = diagonals)
  expect_identical(predict(spherical, from_files, type = "decision"),
                   predict(spherical, from_memory, type = "decision"))
})

test_that("rows are matched by name", {
  x <- d$x
  rownames(x) <- paste0("s", seq_len(120))
  write_kernel(gaussian_kernel(4), path("named"), x = x)
  kernel <- precomputed_kernel(file = c(g = path("named")))
  expect_identical(rownames(kernel_matrix(kernel)), rownames(x))
  y <- stats::setNames(d$y, rownames(x))
  fit <- mkl(y = y, kernels = kernel, control = quiet())
  turned <- 120:1
  expect_message(
    other <- mkl(x[turned, ], y[turned], c(kernel, linear_kernel()), control = quiet()),
    class = "manykernels_message_row_order"
  )
  expect_lte(other$gap, 1e-3)
  expect_message(mkl(y = y[turned], kernels = kernel, control = quiet()), "order")
  expect_identical(names(fit$alpha), rownames(x))
})

test_that("cross-validation and pursuits read files", {
  skip_unless_slow()
  files <- precomputed_kernel(file = files_of(K))
  memory <- precomputed_kernel(K)
  cv <- function(kernels) {
    set.seed(4)
    cv_mkl(y = d$y, kernels = kernels, p = 4 / 3, C = c(0.1, 1), folds = 3, control = quiet())
  }
  numbers <- c("p", "C", "mean", "se", "support", "gap")
  expect_identical(cv(files)$results[numbers], cv(memory)$results[numbers])
  pursuit <- function(kernels) mkl_gomp(y = as.double(d$y), kernels = kernels, lambda = 0.1)
  steps <- c("step", "kernel", "improvement", "training_error")
  expect_identical(pursuit(files)$path[steps], pursuit(memory)$path[steps])
  skip_if_not_installed("future")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_identical(cv(files)$results[numbers], cv(memory)$results[numbers])
})

test_that("a saved fit keeps the path, and a missing or changed file is an error", {
  files <- files_of(K, prefix = "kept")
  fit <- mkl(y = d$y, kernels = precomputed_kernel(file = files), control = quiet())
  saved <- path("fit.rds")
  saveRDS(fit, saved)
  expect_lt(file.size(saved), 2e4)
  again <- readRDS(saved)
  expect_identical(duality_gap(again)$gap, fit$gap)
  expect_identical(duality_gap(again, precomputed_kernel(K))$gap, fit$gap)
  expect_identical(duality_gap(again, unname(K))$gap, fit$gap)
  bytes <- readBin(files[[1]], "raw", 1e6)
  write_kernel(K[[2]], files[[1]])
  expect_classed(duality_gap(again), "kernel_file", "kernels")
  writeBin(replace(bytes, 5000, as.raw(255)), files[[1]])
  expect_classed(duality_gap(again), "kernel_file", "kernels")
  writeBin(bytes, files[[1]])
  expect_identical(duality_gap(again)$gap, fit$gap)
  unlink(files[[1]])
  expect_classed(duality_gap(again), "kernel_file", "kernels")
})

test_that("a file that was verified long after its last change is not read again", {
  file <- files_of(K[1])
  # another value in the file, which then looks as it did at that time
  damage <- function(time) {
    bytes <- readBin(file, "raw", file.size(file))
    last <- length(bytes) - 64L * 8L
    bytes[last] <- xor(bytes[last], as.raw(1L))
    writeBin(bytes, file)
    Sys.setFileTime(file, time)
  }
  old <- Sys.time() - 60
  Sys.setFileTime(file, old)
  kernel <- precomputed_kernel(file = file)
  damage(old)
  expect_no_error(kernel_matrix(kernel))
  Sys.setFileTime(file, old + 1)
  expect_error(kernel_matrix(kernel), class = "manykernels_kernel_file")
  file <- files_of(K[1])
  now <- Sys.time()
  Sys.setFileTime(file, now)
  young <- precomputed_kernel(file = file)
  damage(now) # it may change again within the same tick
  expect_error(kernel_matrix(young), class = "manykernels_kernel_file")
})

test_that("other files are refused, each with its reason", {
  clean <- function(lines) gsub(normalizePath(folder, winslash = "/"), "<folder>", lines,
                                fixed = TRUE)
  write_kernel(K[[1]], path("good"))
  bytes <- readBin(path("good"), "raw", 1e6)
  put <- function(bytes) invisible(writeBin(bytes, path("bad")))
  read <- function() precomputed_kernel(file = path("bad"))
  rectangular <- write_kernel(K[[1]][1:5, ], path("rows"))
  write_kernel(K[[1]][1:9, 1:9], path("small"))
  expect_snapshot(error = TRUE, cnd_class = TRUE, transform = clean, {
    read()
    put(charToRaw("no kernel at all"))
    read()
    put(raw())
    read()
    put(bytes[1:4000])
    read()
    put(utils::head(bytes, -8))
    read()
    put(c(bytes, as.raw(0)))
    read()
    put(replace(bytes, 9:12, rev(bytes[9:12])))
    read()
    put(replace(bytes, 13:16, as.raw(c(9, 9, 9, 9))))
    read()
    put(replace(bytes, 30, as.raw(1)))
    read()
    put(replace(bytes, 6000, xor(bytes[6000], as.raw(1))))
    read()
    precomputed_kernel(file = rectangular)
    precomputed_kernel(file = c(path("good"), path("small")))
  })
  fit <- mkl(y = d$y, kernels = precomputed_kernel(K[1]), control = quiet())
  put(utils::head(bytes, -8))
  expect_snapshot(error = TRUE, cnd_class = TRUE, transform = clean, {
    predict(fit, list(path("bad")))
    predict(fit, list(path("nowhere")))
    predict(fit, list(path("small")))
  })
})

test_that("what can't be written is an error, and leaves no file", {
  inf <- replace(K[[1]], 7, Inf)
  before <- list.files(folder)
  here <- setwd(folder) # other tests may have a file "a" in theirs
  on.exit(setwd(here))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    write_kernel(K[[1]])
    write_kernel(K[[1]], 1)
    write_kernel(K[[1]], c("a", "a"))
    write_kernel(K[[1]], c("a", "b"))
    write_kernel(K[[1]], "no/such/folder/file")
    write_kernel("K", "a")
    write_kernel(K[[1]][, 1], "a")
    write_kernel(inf, "a")
    write_kernel(inf, "a", new = TRUE)
    write_kernel(replace(K[[1]], 7, 2), "a")
    write_kernel(K[[1]], "a", "half")
    write_kernel(1e300 * K[[1]], "a", "single")
    write_kernel(K[[1]], "a", x = d$x)
    write_kernel(K[[1]], "a", z = d$x)
    write_kernel(K[[1]], "a", new = NA)
    write_kernel(set, "a", x = d$x)
    write_kernel(set[1], "a", x = d$x, new = TRUE)
    write_kernel(set[1], "a")
    precomputed_kernel(K[[1]], file = "a")
    precomputed_kernel(file = character())
    precomputed_kernel(file = NA)
  })
  expect_identical(list.files(folder), before)
  expect_false(file.exists("a"))
})

test_that("names in any script and a fit kernel by kernel survive", {
  x <- d$x[1:6, ]
  rownames(x) <- c("a", "\u00e9", "\u6c34", "", "b c", "z")
  file <- write_kernel(gaussian_kernel(1), path("names \u00e9"), x = x)
  expect_identical(precomputed_kernel(file = file)[[1]]$parameters$rows,
                   rownames(x))
  expect_snapshot(precomputed_kernel(file = c(a = path("good"))))
})
