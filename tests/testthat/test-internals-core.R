# What is sent to the core, and entry points with arguments that R never sends, which end in an R error:
# no function that users see leads there.

test_that("errors of the core have the classes of the package", {
  expect_error(from_core(stop("inside")), "inside", class = "manykernels_core")
  expect_error(from_core(stop("not enough memory")), "fewer rows", class = "manykernels_memory")
  expect_null(check_memory(mkl_control(), 1e6, 1, free = NA))
  expect_null(check_memory(mkl_control(cache = "8 GB"), 1e3, 1, free = 2^28))
  expect_error(check_memory(mkl_control(cache = "8 GB"), 1e5, 1, free = 2^32),
               "Only 4 GB of memory is free.*8 GB for kernel values.*22.89 MB for vectors.*cache = \"1 GB\"",
               class = "manykernels_memory")
  expect_error(check_memory(mkl_control(), 1e6, 3, free = 2^29), "686.6 MB for vectors.*Take fewer rows", class = "manykernels_memory")
  expect_error(check_memory(mkl_control(cache = "2 GB"), 1e5, 1, fits = 1, processes = 4, free = 2^32),
               "These 4 fits at a time may take 8 GB for kernel values.*91.55 MB for vectors of their 100000 rows.*fewer workers",
               class = "manykernels_memory")
  expect_error(check_memory(mkl_control(), 1e6, 1, fits = 8, free = 2^30),
               "1.788 GB for vectors.*Take fewer rows, use fewer `threads`",
               class = "manykernels_memory")
  expect_match(memory_needed(mkl_control(cache = "8 GB"), 1e5, 1, free = 2^28), "`mkl_control(cache = \"128 MB\")`", fixed = TRUE)
  expect_identical(vapply(c(NA, 2^40, 2^32, 2^30, 1), cache_budget, 0, control = mkl_control()),
                   2^c(32, 32, 31, 29, 24))
  expect_identical(cache_budget(mkl_control(cache = "8 GB"), 1), 2^33)
  expect_identical(cache_budget(mkl_control(), 1, use = 1e6), default_cache) # small fits don't ask
  folder <- tempfile()
  dir.create(folder)
  writeLines(c("MemTotal: 9 kB", "MemAvailable:   2048 kB"), file.path(folder, "meminfo"))
  system <- file.path(folder, "meminfo")
  expect_identical(free_memory(system, folder, folder), 2048 * 1024)
  writeLines("1000", file.path(folder, "memory.max"))
  writeLines("400", file.path(folder, "memory.current"))
  expect_identical(free_memory(system, folder, folder), 600)
  writeLines(c("anon 5", "inactive_file 150"), file.path(folder, "memory.stat"))
  expect_identical(free_memory(system, folder, folder), 750)
  writeLines("max", file.path(folder, "memory.max"))
  expect_identical(free_memory(system, folder, folder), 2048 * 1024)
  expect_identical(free_memory("none", "none", "none"), NA_real_)
  # the group of a job, within one that leaves less, of either version
  dir.create(file.path(folder, "memory", "jobs", "job7"), recursive = TRUE)
  dir.create(file.path(folder, "jobs", "job7"), recursive = TRUE)
  writeLines(c("9:cpu:/other", "4:memory:/jobs/job7", "0::/jobs/job7"), file.path(folder, "cgroup"))
  writeLines("5000", file.path(folder, "jobs", "job7", "memory.max"))
  writeLines("1000", file.path(folder, "jobs", "job7", "memory.current"))
  expect_identical(free_memory(system, folder, folder), 4000)
  writeLines("4000", file.path(folder, "memory", "jobs", "memory.limit_in_bytes"))
  writeLines("3500", file.path(folder, "memory", "jobs", "memory.usage_in_bytes"))
  expect_identical(free_memory(system, folder, folder), 500)
  writeLines(c("Max processes 5 5", "Max address space   102400  unlimited  bytes"), file.path(folder, "limits"))
  writeLines(c("Name: R", "VmSize:\t   99900 kB"), file.path(folder, "status"))
  expect_identical(free_memory(system, folder, folder), 0)
  writeLines("VmSize:\t   99 kB", file.path(folder, "status"))
  expect_identical(free_memory(system, folder, folder), 500)
  needs <- memory_needed(mkl_control(cache = "2 GB"), 1e6, 1)
  expect_match(needs, "2 GB for kernel values (`cache`) and 228.9 MB for vectors of its 1000000 rows.",
               fixed = TRUE)
  expect_match(needs, "`mkl_control(cache = \"256 MB\")`", fixed = TRUE)
})

test_that("the core refuses targets, costs and losses that don't belong together", {
  d <- judge_clouds(20)
  kernels <- bridge_data(d$x, kernels_of_two())
  handle <- kernel_handle(kernels$kernels, kernels$views, 20, 1L)
  call <- function(y = ones, cost = ones, loss = core_loss(new_loss("hinge"), TRUE)) {
    .Call(C_mk_fit, handle, y, cost, loss, 2, core_control(quiet()), NULL, NULL)
  }
  ones <- matrix(1, 20)
  expect_type(call(), "list")
  for (y in list(NULL, 1:20, ones[-1], 2 * ones, replace(ones, 3, NaN), "a", list())) {
    expect_error(call(y = y))
  }
  for (cost in list(NULL, 1L, ones[-1], -ones, replace(ones, 3, NA), replace(ones, 3, Inf))) {
    expect_error(call(cost = cost))
  }
  of <- function(type, parameter = 0, offset = TRUE) {
    list(type = type, parameter = parameter, offset = offset)
  }
  for (loss in list(NULL, 0L, list(), of(-1L), of(7L), of("hinge"), of(NA_integer_), of(0L, NaN),
                    of(4L, -1), of(5L, 0), of(5L, Inf), of(0L, offset = NA), of(0L, offset = 3),
                    of(0L, offset = NULL), of(6L, offset = "no"))) {
    expect_error(call(loss = loss))
  }
  expect_error(call(y = -ones, loss = of(6L, offset = FALSE)))
})

test_that("the core refuses costs that differ between sides of other losses", {
  d <- judge_clouds(20)
  kernels <- bridge_data(d$x, kernels_of_two())
  handle <- kernel_handle(kernels$kernels, kernels$views, 20, 1L)
  ones <- matrix(1, 20)
  call <- function(cost, type = 4L) {
    .Call(C_mk_fit, handle, d$x[, 1, drop = FALSE], cost, list(type = type, parameter = 0, offset = TRUE), 2,
          core_control(quiet()), NULL, NULL)
  }
  expect_type(call(list(below = ones, above = 2 * ones)), "list")
  # nothing holds f back: it ends, whatever it is worth
  expect_type(call(list(below = ones, above = 0 * ones)), "list")
  for (cost in list(list(), list(below = ones), list(below = ones, above = ones[-1]),
                    list(below = -ones, above = ones), list(below = ones, above = NULL),
                    list(below = ones, above = replace(ones, 2, NA)))) {
    expect_error(call(cost))
  }
  expect_error(call(list(below = ones, above = ones), 3L), "sides")
})

test_that("the core refuses norms that it can't work with", {
  d <- judge_clouds(20)
  E <- diag(4) + 0.3
  kernels <- c(linear_kernel(), polynomial_kernel(2), gaussian_kernel(c(1, 4)))
  fit <- mkl(d$x, d$y, kernels, control = quiet(), scale = FALSE)
  core <- function(norm) {
    views <- as_views(d$x)
    handle <- kernel_handle(fit$kernels, views, 20L, 1L)
    .Call(C_mk_gap, handle, unname(fit$theta), matrix(fit$alpha), matrix(judge_signs(fit)),
          matrix(fit$cost), core_loss(new_loss("hinge"), TRUE), norm, 1L)
  }
  one <- function(type, parameter, values = NULL) {
    list(type = type, parameter = parameter, values = values)
  }
  expect_gt(core(2)$gap, -1)
  expect_gt(core(one(1L, 0, E))$gap, -1)
  bad <- list(
    0.5, NA_real_, "2", NULL, list(), one(9L, 2), one(-1L, 2), one("lp", 2), one(0L, 0.5),
    one(0L, 2, c(1, 2)), one(0L, 2, c(1, 2, 0, 1)), one(0L, 2, c(1, 2, -1, 1)),
    one(0L, 2, c(1, 2, NA, 1)), one(0L, 2, 1:4), one(1L, 0), one(1L, 0, diag(3)),
    one(1L, 0, matrix(1, 4, 4)), one(1L, 0, -diag(4)), one(1L, 0, diag(c(1, 1, 1, Inf))),
    one(2L, 0.5), one(2L, NaN), one(3L, 1.5), one(3L, -1), list(type = 0L)
  )
  for (norm in bad) expect_error(core(norm))
})

test_that("a handle takes widths of its Gaussian kernels only", {
  views <- as_views(matrix(rnorm(40 * 400), 40))
  kernels <- resolve_kernels(c(linear_kernel(), gaussian_kernel(1)), views)
  handle <- kernel_handle(kernels, views)
  for (widths in list(c(1, 0), c(0, -1), c(0, NaN), c(0, Inf), 1, c("a", "b"), NULL)) {
    expect_error(.Call(C_mk_set_widths, handle, widths))
  }
  for (rows in list(0L, 41L, NA_integer_, 1.5, NULL)) {
    expect_error(.Call(C_mk_kept_distances, handle, 1L, rows, 1L))
    expect_error(.Call(C_mk_distances, views[[1]], rows, NULL, 1L))
  }
  expect_error(.Call(C_mk_distances, views[[1]], 1:2, 1, 1L))
  expect_error(.Call(C_mk_kept_distances, handle, 3L, 1:2, 1L))
})

test_that("the core refuses who has what in another form", {
  n <- 20
  views <- as_views(list(a = matrix(rnorm(3 * n), n), b = matrix(rnorm(2 * n), n)))
  kernels <- resolve_kernels(linear_kernel(), views)
  attr(views, "has") <- list(a = NULL, b = rep(2, n))
  expect_error(kernel_handle(kernels, views), "must hold 0 and 1")
  attr(views, "has") <- list(a = NULL, b = TRUE)
  expect_error(kernel_handle(kernels, views), "has")
})

test_that("the core refuses weights, shifts and sequences of other forms", {
  call <- function(...) .Call(C_mk_weighted_degree, ...)
  view <- list(code = as.raw(c(0, 1, 255)), start = c(0, 1, 3), letters = 4)
  expect_error(call(1, matrix(1), 1, NULL))
  expect_error(call(replace(view, "start", list(c(0, 4))), matrix(1), 1, NULL), "start")
  expect_error(call(replace(view, "start", list(c(0, 2, 1))), matrix(1), 1, NULL), "start")
  expect_error(call(replace(view, "code", list(1:3)), matrix(1), 1, NULL), "raw")
  expect_error(call(replace(view, "letters", list(100)), matrix(1), 1, NULL), "letters")
  expect_error(call(view, 1, 1, NULL), "weights")
  expect_error(call(view, matrix(NaN), 1, NULL), "weights")
  expect_error(call(view, matrix(0, 0, 3), 1, NULL), "weights")
  expect_error(call(view, matrix(1, 3, 2), 1, NULL))
  expect_error(call(view, matrix(1), numeric(), NULL), "shift_weights")
  expect_error(call(view, matrix(1), 1, 1), "position_weights")
  kernel <- call(view, matrix(1), 1, NULL)
  set <- function(data, n) {
    .Call(C_mk_set_new, list(), 5L, 0L, list(start = c(0, 0), column = integer()), matrix(0, 3, 1),
          list(data), n, 1L)
  }
  expect_error(set(kernel, 3L), "samples")
  dead <- unserialize(serialize(kernel, NULL))
  expect_error(set(dead, 2L), "live")
  expect_type(set(kernel, 2L), "externalptr")
})

test_that("the core refuses words, motifs and scores of other forms", {
  words <- function(...) .Call(C_mk_words, ...)
  good <- list(code = as.raw(c(0, 1, 2)), start = c(0, 3), letters = 4)
  options <- list(mismatches = 0L, positions = 0, presence = FALSE, complement = NULL)
  expect_type(words(good, list(0:1), options), "list")
  expect_error(words(NULL, list(0:1), options))
  expect_error(words(good, list(), options))
  expect_error(words(good, list(c(1L, 0L)), options))
  expect_error(words(good, list(0:1), NULL))
  expect_error(words(good, list(0:1), modifyList(options, list(mismatches = -1L))))
  expect_error(words(good, list(0:1), modifyList(options, list(complement = 0:9))))
  expect_error(words(modifyList(good, list(start = c(0, 9))), list(0:1), options))
  expect_error(words(modifyList(good, list(code = as.raw(c(0, 7, 2)))), list(0:1), options))
  motif <- matrix(c(TRUE, FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, TRUE), 4)
  expect_equal(words(good, list(motif), options)$x, 1)
  expect_error(words(good, list(motif[1:3]), options))
  expect_error(words(good, list(motif, 0:1), options))
  expect_error(words(good, list(logical()), options))
  expect_error(.Call(C_mk_word_letters, good, list(motif), options, 0))
  scores <- function(...) .Call(C_mk_word_scores, good, list(0:1), options, ...)
  two <- rbind(c(0.5, 2), c(1, -1))
  expect_equal(scores(c(1, 6), two, TRUE), list(score = matrix(c(2.5, 0)), square = 2))
  expect_error(scores(c(1, 1), two, FALSE))
  expect_error(scores(-1, matrix(1), FALSE))
  expect_error(scores(1, two, FALSE))
  expect_error(scores(1, 1, FALSE))
  expect_error(scores(1, matrix(1L), FALSE))
  expect_error(scores(1, matrix(NaN), FALSE))
})

test_that("the core refuses what is not signs, norms or a set", {
  handle <- open_kernels(as.matrix(iris[1:4]), gaussian_kernel(1), "none")$handle
  signs <- function(..., progress = NULL) {
    .Call(C_mk_sign_forms, ..., progress)
  }
  bound <- function(...) .Call(C_mk_rademacher, ...)
  good <- rep(1L, 150)
  expect_identical(dim(signs(handle, good, 1L)), c(1L, 1L))
  for (bad in list(1, "x", list(), NA)) {
    expect_error(signs(handle, good, 1L, progress = bad), "progress")
  }
  for (bad in list(NULL, "1", rep(1, 150), good[-1], 0L * good, replace(good, 2, NA), list(1L))) {
    expect_error(signs(handle, bad, 1L), "signs")
  }
  for (bad in list(NULL, "2", 2L, 0.5, NaN, c(1, NA), sum, globalenv(), handle)) {
    expect_error(bound(1L, bad, 10, 10, 1, 1), "`p`")
  }
  expect_error(signs(NULL, good, 1L), "set")
  sides <- function(...) .Call(C_mk_norm_sides, ...)
  expect_equal(sides(2, c(0, 0), cbind(c(3, 4)))$dual, 5)
  for (bad in list(NULL, "2", 0.5, NaN, sum, globalenv())) expect_error(sides(bad, c(0, 0), cbind(c(3, 4))))
  expect_error(sides(2, c(0, 0, 0), cbind(c(3, 4))))
  expect_error(sides(2, c(0, 0), c("3", "4")))
  expect_error(.Call(C_mk_largest_diagonal, list()), "set")
  expect_error(bound(9L, 2, 10, 10, 1, 1), "type")
  expect_error(bound(1L, 2, c(10, 10), 10, 1, 1), "`M`")
  expect_error(bound(1L, 2, 0, 10, 1, 1), "`M`")
  expect_error(bound(1L, 2, 10, Inf, 1, 1), "`n`")
  expect_error(bound(1L, 2, 10, 0, 1, 1), "`n`")
  expect_error(bound(1L, 2, 10, 10, -1, 1), "`R`")
  expect_error(bound(1L, 2, 10, 10, "1", 1), "`R`")
  expect_error(bound(1L, 2, 10, 10, 1, 0), "`q`")
})

test_that("the core refuses maps, anchors and orders of other forms", {
  data <- judge_clouds(20)
  linear <- core_maps(map_grid("linear", 1, FALSE))
  call <- function(view = unname(data$x), anchors = NULL, maps = linear,
                   y = matrix(rep(c(-1, 1), 10)), cost = matrix(1, 20), order = NULL) {
    .Call(C_mk_local_fit, view, anchors, maps, y, cost, core_loss(new_loss("hinge"), TRUE),
          core_control(quiet()), order, NULL)
  }
  expect_error(call(view = "a"), "views")
  expect_error(call(anchors = matrix(0, 2, 4)), "anchors")
  expect_error(call(anchors = matrix(NaN, 2, 3)), "anchors")
  expect_error(call(maps = list(map = 5L, gamma = 1, componentwise = 0L)), "map")
  expect_error(call(maps = list(map = 1L, gamma = 0, componentwise = 0L)), "gamma")
  expect_error(call(maps = list(map = 1L, gamma = c(1, 2), componentwise = 0L)), "gamma")
  none <- list(map = integer(), gamma = double(), componentwise = integer())
  expect_error(call(maps = none), "maps")
  expect_error(call(y = matrix(0, 20)), "y")
  expect_error(call(y = matrix(1, 20, 2)), "cost|column")
  expect_error(call(order = c(1:20, 1:19)), "order")
  expect_error(call(order = c(1:20, rep(1L, 20))), "order")
  decide <- function(view = unname(data$x), anchors = matrix(0, 3, 1), coefficients = anchors,
                     maps = core_maps(map_grid("linear", 1, FALSE)), offset = 0) {
    .Call(C_mk_local_decide, view, anchors, coefficients, maps, offset, 1L)
  }
  expect_identical(decide(), numeric(20))
  expect_error(decide(anchors = matrix(0, 2, 1)), "anchors")
  expect_error(decide(coefficients = matrix(NA_real_, 3, 1)), "coefficients")
  expect_error(decide(offset = "a"), "offset")
  gap <- function(selected = 1, theta = 1) {
    .Call(C_mk_local_gap, unname(data$x), NULL, core_maps(map_grid("linear", 1, FALSE)), selected,
          theta, numeric(20), matrix(rep(c(-1, 1), 10)), matrix(1, 20),
          core_loss(new_loss("hinge"), TRUE), 1L)
  }
  expect_named(gap(), c("primal", "dual", "gap", "offset"))
  for (selected in list(0, 21, 1.5, c(2, 1), numeric(), NaN, "a")) {
    expect_error(gap(selected, rep(1, length(selected))), "selected")
  }
  expect_error(gap(theta = -1), "theta")
})

test_that("the core refuses handles that are none, or of other samples", {
  expect_error(.Call(C_mk_inner_products, NULL, 1, TRUE, 1L))
  d <- judge_clouds(40)
  opened <- function(x) kernel_handle(bridge_data(x, linear_kernel())$kernels, as_views(x))
  expect_error(.Call(C_mk_set_borrow_pairs, opened(d$x), opened(d$x[-1, ])), "samples")
  expect_error(.Call(C_mk_set_borrow_pairs, opened(d$x), 1), "handle")
})

test_that("sequences are codes of an alphabet's letters to the core, other letters 255", {
  core <- core_sequences(as_views(c(a = "ACGT", b = "", c = "acgtt", d = "NNACG"))$x, "ACGT")
  expect_identical(core$code[10:14], as.raw(c(255, 255, 0, 1, 2)))
  expect_identical(core$start, c(0, 4, 4, 9, 14))
  expect_identical(core$letters, 4L)
})

test_that("Surv objects of every kind become times and their sides", {
  skip_if_not_installed("survival")
  time <- c(3, 1, 4, 1, 5)
  status <- c(1, 0, 1, 0, 1)
  right <- times_of_surv(survival::Surv(time, status))
  expect_identical(as.vector(right), time)
  expect_identical(side_of(right), c(0L, 1L, 0L, 1L, 0L))
  expect_identical(side_of(times_of_surv(survival::Surv(time, status == 1))), side_of(right))
  expect_identical(side_of(times_of_surv(survival::Surv(time, status + 1))), side_of(right))
  expect_identical(side_of(times_of_surv(survival::Surv(time, status, type = "left"))),
                   c(0L, -1L, 0L, -1L, 0L))
  two <- survival::Surv(c(3, 1, -Inf), c(3, Inf, 2), type = "interval2")
  expect_identical(side_of(times_of_surv(two)), c(0L, 1L, -1L))
  expect_identical(as.vector(times_of_surv(two)), c(3, 1, 2))
  expect_identical(format(right), c("3", "1+", "3" = "4", "1+", "5"), ignore_attr = TRUE)
  expect_output(print(right[2:3]), "1\\+ 4")
})
