skip_on_cran() # a slow file
d <- cv_data()
pair <- gaussian_kernel(c(1, 8))

# Everything that has random numbers: drawn folds, and folds of probabilities in each fit.
drawn_cv <- function(..., control = quiet(probability = TRUE), y = d$classes) {
  set.seed(7)
  cv_mkl(d$x, y, c(linear_kernel(), pair), p = c(1, 2), C = c(0.1, 1, 10), folds = 3, repeats = 2,
         measure = c("accuracy", "log_loss"), control = control, ...)
}

# Workers find the package under test.
local_library <- function(frame = parent.frame()) {
  folder <- getNamespaceInfo("manykernels", "path")
  skip_if_not(file.exists(file.path(folder, "Meta", "package.rds")), "an installed package")
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(c(dirname(folder), if (!is.na(old)) old), collapse = .Platform$path.sep))
  undo <- function() if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old)
  do.call(on.exit, list(as.call(list(undo)), add = TRUE), envir = frame)
}

local_plan <- function(..., frame = parent.frame()) {
  old <- future::plan(...)
  do.call(on.exit, list(as.call(list(function() future::plan(old))), add = TRUE, after = FALSE),
          envir = frame)
}

expect_same_anywhere <- function(reference, ...) {
  here <- drawn_cv(...)
  expect_same_numbers(here, reference)
}

# How many steps are announced, and the sum of the steps that are signalled.
signals_of <- function(code) {
  heard <- c(steps = 0, sum = 0)
  withCallingHandlers(
    progressr::with_progress(code, handlers = progressr::handler_void(), enable = TRUE),
    progression = function(p) {
      if (p$type == "initiate") heard[["steps"]] <<- p$steps
      if (p$type == "update") heard[["sum"]] <<- heard[["sum"]] + p$amount
    }
  )
  heard
}

# ---- threads and processes -----------------------------------------------------------------------

test_that("numbers are the same on any number of threads", {
  one <- drawn_cv(control = quiet(probability = TRUE, threads = 1))
  expect_same_numbers(drawn_cv(control = quiet(probability = TRUE, threads = 2)), one)
  expect_same_numbers(drawn_cv(control = quiet(probability = TRUE, threads = 5)), one)
})

test_that("the session's random numbers go on as without any fit", {
  set.seed(7)
  run <- open_run(small_plan(d$x, d$classes, pair), list(folds = 3, repeats = 2, nested = FALSE))
  after <- runif(1)
  drawn_cv()
  expect_identical(runif(1), after)
})

test_that("numbers are the same on futures: two sessions, with their progress", {
  skip_unless_slow()
  for (package in c("future", "progressr")) skip_if_not_installed(package)
  reference <- drawn_cv()
  following <- runif(1)
  local_library()
  local_plan(future::multisession, workers = 2)
  expect_equal(choose_backend()$workers, 2)
  heard <- signals_of(cv <- drawn_cv())
  expect_same_numbers(cv, reference)
  expect_identical(runif(1), following)
  expect_equal(heard, c(steps = 36, sum = 36))
  expect_gt(nrow(cv$work), 2)
  expect_identical(sum(cv$work$sent > 0), 2L) # the data once to each worker
})

test_that("a worker keeps what the packs of a call need, and no more than that", {
  files <- lapply(1:2, share_given)
  on.exit(unlink(dirname(unlist(files)), recursive = TRUE))
  known <- vapply(files[c(1, 1, 2, 1)], function(file) do_pack(7, "rep", file)$known, NA)
  expect_identical(known, c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(do_pack(7, "rep_len", share_given(list(length.out = 2)))$value, c(7, 7))
  unlink(files[[2]])
  expect_s3_class(do_pack(7, "rep", files[[2]])$error, "manykernels_unread_block")
})

test_that("waiting for packs takes a twentieth of their time, and queues are asked once a second", {
  expect_equal(vapply(c(0, 1, 10, 100), poll_pause, 0), c(0.02, 0.05, 0.5, 1))
})

test_that("fingerprints of plain data do not load Matrix, and chains are kept after each C for `resume` alone", {
  values <- cbind(a = c(1, NA, 3), b = 4:6)
  expect_equal(column_totals(values), column_totals(Matrix::Matrix(values, sparse = TRUE)))
  kept <- function(...) {
    plan <- small_plan(d$x, d$y, pair)
    plan$chains <- function(plan, parts, deadline, tick, keep) stop(is.null(keep))
    run_plan(plan, resamples(rep(1:3, 25), 1, plan$response, NULL, 75, NULL), list(seeds = 1:3, deadline = Inf, ...))
  }
  expect_error(kept(), "TRUE")
  expect_error(kept(store = tempfile()), "FALSE")
  expect_error(kept(store = tempfile(), scratch = identity), "TRUE")
})

test_that("what functions of kernels use of the workspace travels to workers", {
  skip_unless_slow()
  skip_if_not_installed("future")
  assign("mk_test_scale", 2, globalenv())
  assign("mk_test_helper", eval(quote(function(K) mk_test_scale * K), globalenv()), globalenv())
  on.exit(rm(mk_test_scale, mk_test_helper, envir = globalenv()))
  f <- eval(quote(function(a, b) mk_test_helper(tcrossprod(a, b))), globalenv())
  run <- function() {
    set.seed(7)
    cv_mkl(d$x, d$y, c(function_kernel(f), pair), p = 2, C = 1, folds = 2, control = quiet())
  }
  expect_identical(session_values(pair), list(globals = list()))
  expect_setequal(names(session_values(function_kernel(f))$globals), c("mk_test_scale", "mk_test_helper"))
  reference <- run()
  local_library()
  local_plan(future::multisession, workers = 2)
  expect_same_numbers(run(), reference)
})

test_that("what losses, `impute` and measures use of the workspace travels to workers", {
  skip_unless_slow()
  skip_if_not_installed("future")
  values <- list(mk_test_half = 0.5, mk_test_fill = 0)
  list2env(values, globalenv())
  on.exit(rm(list = names(values), envir = globalenv()))
  here <- function(code) eval(code, globalenv())
  loss <- custom_loss(here(quote(function(t, y) mk_test_half * (t - y)^2)), function(t, y) t - y,
                      function(u, y) u * y + u^2 / 2)
  fill <- here(quote(function(x, train) replace(x, is.na(x), mk_test_fill)))
  measure <- here(quote(function(truth, response, ...) mk_test_half * mean(abs(truth - response))))
  expect_setequal(names(session_values(list(pair, list(loss = loss, impute = list(a = fill))))$globals), names(values))
  x <- replace(d$x, 5, NA)
  run <- function() {
    set.seed(7)
    cv <- cv_mkl(x, as.double(d$classes), pair, p = 2, C = 1, loss = loss, impute = fill, folds = 2, measure = measure,
                 control = quiet())
    list(cv, permutation_importance(cv$fit, x, as.double(d$classes), by = "feature", repeats = 2, measure = measure),
         mkl_gomp(x, as.double(d$classes), kernels = pair, impute = fill, folds = 2, control = quiet())$cv)
  }
  reference <- suppressMessages(run())
  local_library()
  local_plan(future::multisession, workers = 2)
  found <- suppressMessages(run())
  expect_same_numbers(found[[1]], reference[[1]])
  expect_identical(found[-1], reference[-1])
})

test_that("numbers are the same on a cluster of two processes, and on forks", {
  skip_unless_slow()
  for (package in c("future", "parallel")) skip_if_not_installed(package)
  reference <- drawn_cv()
  nested <- drawn_cv(nested = 2, y = d$y)
  local_library()
  cluster <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(cluster))
  local_plan(future::cluster, workers = cluster)
  expect_same_anywhere(reference)
  expect_same_anywhere(nested, nested = 2, y = d$y)
  file <- tempfile()
  expect_same_anywhere(reference, resume = file)
  expect_identical(unit_files(file), character())
  skip_on_os("windows")
  local_plan(future::multicore, workers = 2)
  expect_same_anywhere(reference)
})

test_that("numbers are the same on batchtools' local backend", {
  skip_unless_slow()
  for (package in c("batchtools", "future.batchtools")) skip_if_not_installed(package)
  reference <- drawn_cv()
  local_library()
  folder <- tempfile()
  dir.create(folder)
  here <- setwd(folder) # registries are made in the working directory
  on.exit(setwd(here))
  local_plan(future.batchtools::batchtools_local)
  expect_same_anywhere(reference)
})

test_that("numbers are the same on workers of BiocParallel", {
  skip_unless_slow()
  skip_if_not_installed("BiocParallel")
  reference <- drawn_cv()
  following <- runif(1)
  local_library()
  expect_same_anywhere(reference, BPPARAM = BiocParallel::SerialParam())
  expect_same_anywhere(reference, BPPARAM = BiocParallel::SnowParam(2))
  expect_identical(runif(1), following)
  skip_on_os("windows")
  expect_same_anywhere(reference, BPPARAM = BiocParallel::MulticoreParam(2))
})

test_that("models that share nothing run on workers, too", {
  skip_unless_slow()
  skip_if_not_installed("future")
  run <- function() {
    set.seed(3)
    cv_mkl(d$x, d$y, model = "mllkm", gamma = c(0.5, 2), C = c(1, 10), folds = 3,
           control = quiet())
  }
  reference <- run()
  local_library()
  local_plan(future::multisession, workers = 2)
  expect_identical(without_clock(run())[1:3], without_clock(reference)[1:3])
  expect_identical(run()$predictions, reference$predictions)
})

test_that("units are dealt out in runs that are nearly as long", {
  for (n in c(1, 5, 12)) for (workers in c(1, 2, 5, 20)) {
    chunks <- packs_of(seq_len(n), rep(1, n), workers)
    expect_identical(unlist(chunks), seq_len(n))
    expect_length(chunks, min(n, workers))
    expect_lte(diff(range(lengths(chunks))), 1)
  }
})

test_that("packs have nearly equal times, and small p takes longest", {
  packs <- packs_of(1:9, c(8, rep(1, 8)), 2)
  expect_identical(packs, list(1L, 2:9))
  time <- chain_time(small_plan(d$x, d$y, pair, p = c(1, 2, Inf)), c(3, 1, 2))
  expect_equal(time, c(1, 2, 1.5))
})

test_that("what reports progress takes no data along", {
  large <- numeric(1e6)
  tick <- (function(x) work_progress("Work", length(x), FALSE)$tick)(large)
  expect_lt(length(serialize(tick, NULL)), 1e5)
})

test_that("numbers are the same where outcomes are put away in files, which are removed", {
  skip_unless_slow()
  space <- asNamespace("manykernels")
  limit <- function(bytes) {
    unlockBinding("HELD_BYTES", space)
    assign("HELD_BYTES", bytes, space)
  }
  file <- tempfile()
  run <- list(
    function() drawn_cv(),
    function() drawn_cv(y = d$y, threshold = "youden", nested = 2),
    function() drawn_cv(resume = file),
    function() drawn_cv(resume = file)
  )
  reference <- lapply(run, function(own) own())
  unlink(file)
  on.exit(limit(16e6))
  limit(1000)
  plan <- small_plan(d$x, d$classes, pair)
  expect_true(dir.exists(folder <- outcomes_folder(plan, list(list(test = 1:75)))))
  expect_true(is_put_away(put_away(list(list(1)), 1, folder)[[1]]))
  unlink(folder, recursive = TRUE)
  for (k in seq_along(run)) expect_same_numbers(run[[k]](), reference[[k]])
  expect_identical(list.files(tempdir(), "^outcomes-"), character())
})

test_that("without a plan nothing of the packages for workers is needed", {
  expect_identical(choose_backend()[["workers"]], 1)
  expect_classed(need_package("no.such.package", "This"), "missing_package", "no.such.package")
})

# ---- progress ------------------------------------------------------------------------------------

test_that("signals of progress sum to the number of cells, whatever a cell takes", {
  skip_unless_slow()
  skip_if_not_installed("progressr")
  run <- function(y = d$y, ..., control = quiet()) {
    signals_of(cv_mkl(d$x, y, pair, p = c(1, 2), C = 1:3, folds = 3, control = control, ...))
  }
  all <- function(cells) c(steps = cells, sum = cells)
  for (threads in 1:2) {
    expect_equal(run(control = quiet(threads = threads)), all(18))
    expect_equal(run(d$classes, control = quiet(threads = threads)), all(18))
    expect_equal(run(control = quiet(threads = threads, probability = TRUE)), all(18))
  }
  expect_equal(run(nested = 2), all(18 + 36))
  expect_equal(signals_of(cv_mkl(mtcars[-1], mtcars$mpg, pair, model = "mkl_gomp", folds = 2,
                                 lambda = c(0.1, 1), control = quiet())), all(4))
  file <- tempfile()
  expect_equal(run(resume = file), all(18))
  constant <- cbind(c(rep(0, 70), 1:5), d$x[, 1])
  expect_equal(suppressWarnings(signals_of(cv_mkl(constant, d$y, per_feature(pair), p = 2, C = 1:2,
                                                  folds = c(rep(1:2, 35), rep(3, 5)),
                                                  scale = FALSE))), all(6))
})

test_that("scripts hear nothing", {
  expect_silent(cv_mkl(d$x, d$y, pair, p = 2, C = 1:2, folds = 2))
  expect_silent(cv_mkl(d$x, d$y, pair, p = 2, C = 1:2, folds = 2, nested = TRUE, control = quiet()))
})

# ---- resume --------------------------------------------------------------------------------------

# A kernel that takes its time where it is told to, and can be interrupted. Views are scaled by
# training rows, so that it is asked again in each fold.
pausing <- function(a, b) {
  Sys.sleep(as.numeric(Sys.getenv("MANYKERNELS_TEST_PAUSE", "0")))
  hook <- getOption("manykernels_test_hook")
  if (is.function(hook)) hook()
  (1 + tcrossprod(a, b))^2
}

resumed_cv <- function(file, ...) {
  set.seed(11)
  cv_mkl(d$x, d$y, c(function_kernel(pausing), pair), p = c(1, 2), C = c(0.1, 1, 10), folds = 4,
         repeats = 2, resume = file, control = quiet(probability = TRUE), ...)
}

interrupt_after <- function(calls) {
  function() {
    calls <<- calls - 1
    if (calls <= 0) signalCondition(structure(list(), class = c("interrupt", "condition")))
  }
}

interrupted_cv <- function(file, calls) {
  old <- options(manykernels_test_hook = interrupt_after(calls))
  on.exit(options(old))
  tryCatch(resumed_cv(file), interrupt = function(e) "interrupted")
}

test_that("interrupts leave what is done, and calls go on there", {
  reference <- resumed_cv(NULL)
  expect_same_numbers(resumed_cv(tempfile()), reference)
  file <- tempfile()
  done <- 0
  for (calls in c(6, 14, 18)) {
    expect_identical(interrupted_cv(file, calls), "interrupted")
    expect_gte(length(unit_files(file)), done)
    done <- length(unit_files(file))
  }
  expect_gt(done, 0)
  expect_lt(done, 16)
  expect_same_numbers(resumed_cv(file), reference)
  expect_identical(unit_files(file), character())
  # all is known: no fold is opened again
  calls <- 0
  old <- options(manykernels_test_hook = function() calls <<- calls + 1)
  on.exit(options(old))
  set.seed(100)
  runif(3)
  expect_same_numbers(resumed_cv(file), reference)
  again <- calls
  calls <- 0
  resumed_cv(NULL)
  expect_lte(again, calls - 8)
})

test_that("chains that were cut are gone on with, and random numbers are drawn as without a file", {
  skip_unless_slow()
  plans <- list(small_plan(d$x, d$y, pair),
                cv_plan(d$x, d$y, pair, NULL, small_plan(d$x, d$y)$settings,
                        cv_grid("mkl_gomp", list(lambda = c(1, 0.1, 0.01), given = "lambda")), "mkl_gomp", list()))
  for (plan in plans) {
    parts <- resamples(rep(1:3, 25), 1, plan$response, NULL, 75, NULL)
    run <- list(seeds = 1:3, deadline = Inf)
    values <- function(outcomes) {
      lapply(outcomes, lapply, lapply, function(cell) cell[names(cell) != "seconds"])
    }
    reference <- values(run_plan(plan, parts, run))
    run$store <- tempfile()
    cut <- plan
    made <- 0
    cut$chains <- local({
      chains <- plan$chains
      function(plan, parts, deadline, tick, keep) {
        chains(plan, parts, deadline, tick, function(unit, begun) {
          keep(unit, begun)
          made <<- made + 1
          if (made == 3) stop("cut")
        })
      }
    })
    expect_error(run_plan(cut, parts, run), "cut")
    begun <- lapply(unit_files(run$store), function(file) read_whole(file)$value$begun)
    expect_gt(sum(lengths(lapply(begun, `[[`, "cells"))), 0)
    expect_identical(values(run_plan(plan, parts, run)), reference)
    expect_identical(unit_files(run$store), character())
  }
  file <- tempfile()
  following <- vapply(list(NULL, file, file), function(file) {
    resumed_cv(file)
    runif(1)
  }, 0)
  expect_length(unique(following), 1)
})

test_that("nested folds are resumed, too", {
  skip_unless_slow()
  reference <- resumed_cv(NULL, nested = 2)
  file <- tempfile()
  old <- options(manykernels_test_hook = interrupt_after(25))
  tryCatch(resumed_cv(file, nested = 2), interrupt = identity)
  options(old)
  expect_gt(length(unit_files(file)), 0)
  expect_same_numbers(resumed_cv(file, nested = 2), reference)
})

test_that("files of other calls, and others' files, are refused", {
  file <- tempfile()
  resumed_cv(file)
  run <- function(x = d$x, y = d$y, kernels = pair, ..., control = quiet(), resume = file) {
    set.seed(1)
    cv_mkl(x, y, kernels, p = 2, C = 1, folds = 3, resume = resume, control = control, ...)
  }
  expect_classed(run(), "resume", "resume")
  own <- tempfile()
  cv <- run(resume = own)
  x <- d$x
  x[3, 2] <- x[3, 2] + 1e-6
  swapped <- d$x[c(2, 1, 3:75), ]
  width <- function(w) function_kernel(function(a, b) exp(-abs(outer(a[, 1], b[, 1], "-")) / w))
  others <- list(
    quote(run(x)), quote(run(swapped)), quote(run(y = rev(d$y))),
    quote(run(kernels = gaussian_kernel(c(1, 7)))), quote(run(kernels = width(2))),
    quote(run(loss = "squared_hinge")), quote(run(weights = rep(1:3, 25))),
    quote(run(normalize = "trace")), quote(run(scale = FALSE)), quote(run(nested = 2)),
    quote(run(group = 1:75)), quote(run(repeats = 2)), quote(run(control = quiet(tol = 1e-5))),
    quote(run(class_weights = "balanced")), quote(run(control = quiet(probability = TRUE))),
    quote(run(intercept = FALSE))
  )
  for (call in others) expect_classed(eval(call), "resume", "resume")
  for (call in others) expect_error(eval(call, list(file = own)), class = "manykernels_resume")
  functions <- tempfile()
  run(kernels = width(2), resume = functions)
  expect_classed(run(kernels = width(3), resume = functions), "resume", "resume")
  expect_same_numbers(run(resume = own, control = quiet(threads = 2)), cv)
  both <- c("accuracy", "auc")
  expect_same_numbers(run(resume = own, measure = both), run(measure = both, resume = NULL))
  bytes <- readBin(own, "raw", file.size(own))
  bad <- list(function(f) writeLines("text", f), function(f) file.create(f),
              function(f) saveRDS(list(1), f), function(f) saveRDS(1:3, f),
              function(f) saveRDS(NULL, f), function(f) saveRDS(sum, f),
              function(f) writeBin(bytes[seq_len(length(bytes) / 2)], f))
  for (make in bad) {
    foreign <- tempfile()
    make(foreign)
    expect_no_warning(expect_classed(run(resume = foreign), "resume", "resume"))
  }
  expect_classed(run(resume = tempdir()), "invalid_argument", "resume")
  expect_snapshot(error = TRUE, cnd_class = TRUE, transform = function(line) gsub("/[^ ]*/file[0-9a-f]+", "<file>", line), {
    run()
    {
      writeLines("text", foreign <- tempfile())
      run(resume = foreign)
    }
  })
})

test_that("data that were rounded otherwise, as on another machine, are the same data", {
  file <- tempfile()
  set.seed(5)
  other <- function(x) x * (1 + 2e-16 * matrix(sample(-1:1, length(x), TRUE), nrow(x)))
  run <- function(x, K, y = d$y) {
    set.seed(1)
    cv_mkl(x, y, c(pair, precomputed_kernel(list(K = K))), p = 2, C = 1, folds = 3, resume = file,
           control = quiet())
  }
  K <- tcrossprod(d$x)
  rounded <- other(K)
  reference <- run(d$x, K)
  again <- run(other(d$x), (rounded + t(rounded)) / 2)
  expect_identical(again$by_fold, reference$by_fold) # times, too: nothing is fitted but the choice
  rounded[1, 1] <- rounded[1, 1] + 1e-4
  expect_classed(run(d$x, rounded), "resume", "resume")
})

test_that("sequences and samples without a view are told apart, too", {
  file <- tempfile()
  text <- rep(c("GATTACA", "CATGCAT", "TTAGGCA", "GGCATTA", "ACGTACG", "CCATTGA"), 5)
  y <- factor(rep(c("a", "b"), 15))
  kernels <- spectrum_kernel(1:2)
  run <- function(text) cv_mkl(text, y, kernels, p = 1, C = 1, folds = 3, resume = file, control = quiet())
  reference <- run(text)
  expect_same_numbers(run(text), reference)
  expect_classed(run(replace(text, 7, "GATTACC")), "resume", "resume")
  file <- tempfile()
  samples <- paste0("s", 1:75)
  views <- list(a = `rownames<-`(d$x[, 1:2], samples), b = `rownames<-`(d$x[, 3:4], samples)[-1, ])
  run <- function(views) {
    suppressMessages(cv_mkl(views, stats::setNames(d$y, samples), p = 2, C = 1, folds = 3, resume = file,
                            missing_views = "neutral", control = quiet()))
  }
  run(views)
  views$b[5, 1] <- 9
  expect_classed(run(views), "resume", "resume")
})

test_that("broken units are computed again, and those of a deleted file are not read", {
  reference <- resumed_cv(NULL)
  file <- tempfile()
  interrupted_cv(file, 22)
  units <- unit_files(file)
  expect_gt(length(units), 2)
  bytes <- readBin(units[1], "raw", file.size(units[1]))
  writeBin(bytes[seq_len(length(bytes) %/% 2)], units[1])
  file.create(units[2])
  file.create(draft <- paste0(units[2], "-12ab"))
  expect_no_warning(found <- resumed_cv(file))
  expect_same_numbers(found, reference)
  expect_false(file.exists(draft))
  file <- tempfile()
  interrupted_cv(file, 22)
  unlink(file)
  set.seed(12)
  cv <- cv_mkl(d$x, d$y, pair, p = c(1, 2), C = 1, folds = 4, control = quiet(), resume = file)
  set.seed(12)
  expect_same_numbers(cv, cv_mkl(d$x, d$y, pair, p = c(1, 2), C = 1, folds = 4, control = quiet()))
})

test_that("what found no time is made the next time", {
  skip_unless_slow()
  reference <- resumed_cv(NULL)
  file <- tempfile()
  calls <- 0
  # The first resamples have all the time they need, and those after the pause have none: no fit stops
  # at the limit with a certificate, which would be kept but have other numbers.
  old <- options(manykernels_test_hook = function() {
    calls <<- calls + 1
    if (calls == 14) Sys.sleep(1.6)
  })
  on.exit(options(old))
  suppressWarnings(tryCatch(resumed_cv(file, max_time = 1.5), manykernels_no_choice = identity))
  options(old)
  expect_lt(length(unit_files(file)), 16)
  expect_same_numbers(resumed_cv(file), reference)
})

test_that("a cell is made again if time cut any of its models short, whichever has the largest gap", {
  result <- function(status, gap) {
    list(decision = matrix(0, 2), theta = matrix(1), alpha = matrix(1, 2), forms = matrix(1),
         status = status, gap = gap, seconds = 0)
  }
  problem <- list(tasks = list(a = 1, b = 2), scaling = list(NULL, NULL),
                  settings = list(loss = list(type = "squared")), response = matrix(0, 2, 2))
  outcome <- function(...) cell_outcome(list(...), problem, list(test = 1))$status
  expect_identical(outcome(result("time_limit", 1e-5), result("converged", 1e-4)), "time_limit")
  expect_identical(outcome(result("converged", 1e-5), result("iteration_limit", 1)), "iteration_limit")
})

test_that("probabilities of refitted cells that can't be certified, though there is time, are done", {
  set.seed(1)
  cv <- suppressWarnings(cv_mkl(d$x, d$y, model = "mllkm", gamma = 1, C = 10, folds = 2,
                                control = quiet(probability = TRUE, max_time = 3600, tol = 1e-15)))
  expect_identical(unique(cv$by_fold$status), "stalled")
})

test_that("a refitted cell is made again if the fit warned that time was short, and only then", {
  status <- function(argument) {
    told <- structure(list(message = "open folds", call = NULL, argument = argument, value = 1),
                      class = c("manykernels_warning_not_converged", "warning", "condition"))
    telling <- function_kernel(function(a, b) {
      warning(told)
      a %*% t(b)
    })
    cv <- suppressWarnings(cv_mkl(d$x, d$y, c(linear_kernel(), telling), model = "mkl_gomp",
                                  lambda = 1, folds = 2, control = quiet()))
    unique(cv$by_fold$status)
  }
  expect_identical(status("max_time"), "time_limit")
  expect_identical(status("probability"), "converged")
})

test_that("the warning about folds of probabilities says whether time was short", {
  told <- function(status) {
    crossed <- Map(function(status, gap) list(status = status, gap = gap), status, c(1e-5, 0.2))
    tryCatch(warn_not_converged(list(list(status = "converged", gap = 0)), crossed, NULL), warning = identity)
  }
  expect_null(told(c("converged", "converged")))
  expect_identical(told(c("converged", "iteration_limit"))$argument, "probability")
  late <- told(c("converged", "time_limit"))
  expect_identical(late[c("argument", "value")], list(argument = "max_time", value = 0.2))
  expect_match(conditionMessage(late), "1 of 2 .* within `max_time`")
})

test_that("group and folds are told apart by their values, not by how R holds them", {
  file <- tempfile()
  rows <- 1:75
  run <- function(rows) {
    set.seed(1)
    cv_mkl(d$x, d$y, pair, p = 2, C = 1, folds = 3, group = rows, resume = file, control = quiet())
  }
  cv <- run(rows)
  expect_same_numbers(run(rows), cv)
  expect_same_numbers(run(rows + 0L), cv)
})

# Without those that a process has just begun to write.
whole_units <- function(file) sum(grepl("[.]unit[0-9]+$", unit_files(file)))

test_that("a process that is killed at any moment loses nothing that was done", {
  skip_unless_slow()
  skip_on_os("windows")
  local_library()
  reference <- resumed_cv(NULL)
  folder <- tempfile()
  dir.create(folder)
  file <- file.path(folder, "store")
  script <- file.path(folder, "script.R")
  dump(c("d", "pair", "quiet", "pausing", "resumed_cv"), script, envir = environment(resumed_cv),
       control = c("all", "hexNumeric"))
  cat(sprintf("library(manykernels)\ncat(Sys.getpid(), file = %s)\nresumed_cv(%s)\n",
              deparse(file.path(folder, "pid")), deparse(file)), file = script, append = TRUE)
  Sys.setenv(MANYKERNELS_TEST_PAUSE = "0.05")
  on.exit(Sys.unsetenv("MANYKERNELS_TEST_PAUSE"), add = TRUE)
  done <- 0
  for (units in c(0, 1, 5, 10)) {
    unlink(file.path(folder, "pid"))
    system2(file.path(R.home("bin"), "Rscript"), script, wait = FALSE, stdout = FALSE, stderr = FALSE)
    waited <- 0
    while ((!file.exists(file) || whole_units(file) < max(units, done)) && waited < 60) {
      Sys.sleep(0.01)
      waited <- waited + 0.01
    }
    tools::pskill(scan(file.path(folder, "pid"), quiet = TRUE), tools::SIGKILL)
    Sys.sleep(0.1)
    done <- whole_units(file)
    expect_gte(done, units)
    expect_lt(done, 16)
  }
  Sys.unsetenv("MANYKERNELS_TEST_PAUSE")
  expect_same_numbers(resumed_cv(file), reference)
})

# ---- workers that are lost -----------------------------------------------------------------------

# A kernel that ends the process of a worker, `times` times in all.
deadly <- function(times) {
  folder <- tempfile()
  dir.create(folder)
  eval(substitute(function(a, b) {
    deaths <- length(list.files(FOLDER))
    if (Sys.getpid() != MASTER && deaths < TIMES && file.create(file.path(FOLDER, deaths))) {
      tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(10)
    }
    tcrossprod(a, b)
  }, list(FOLDER = folder, MASTER = Sys.getpid(), TIMES = times)), globalenv())
}

lossy_cv <- function(times, ...) {
  set.seed(7)
  cv_mkl(d$x, d$y, c(function_kernel(deadly(times)), pair), p = c(1, 2), C = c(0.1, 1), folds = 4,
         control = quiet(), ...)
}

expect_work_repeated <- function(reference, times, ..., reason = "the worker's process ended") {
  expect_message(cv <- lossy_cv(times, ...), paste("(1 was|were) lost and done again:", reason),
                 class = "manykernels_message_lost_work")
  expect_same_numbers(cv, reference)
  expect_gt(max(cv$work$attempt), 1)
  expect_identical(sum(cv$work$units[is.na(cv$work$lost)]), 8L)
  expect_identical(is.na(cv$work$seconds), !is.na(cv$work$lost))
  expect_identical(check_object(cv), cv)
}

test_that("what workers lose when they are killed is done again", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_if_not_installed("future", "1.40.0") # before, it starts no worker for one that ended
  reference <- lossy_cv(0)
  expect_null(reference$work)
  local_library()
  local_plan(future::multisession, workers = 2)
  expect_work_repeated(reference, 2)
  file <- tempfile()
  expect_work_repeated(reference, 1, resume = file)
  expect_identical(unit_files(file), character())
  cluster <- parallel::makeCluster(2)
  local_plan(future::cluster, workers = cluster)
  expect_work_repeated(reference, 1)
})

test_that("with a version of future that starts no worker anew, errors say so and clusters go on", {
  skip_unless_slow()
  skip_on_os("windows")
  old <- Filter(function(path) {
    found <- tryCatch(utils::packageVersion("future", path), error = function(e) NULL)
    !is.null(found) && found < "1.40"
  }, .libPaths())
  skip_if_not(length(old) > 0, "a version of future before 1.40")
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "library(manykernels)",
    "quiet <- function(...) mkl_control(progress = FALSE, threads = 1, ...)",
    "y <- factor(rep(c('a', 'b'), 20))",
    "x <- matrix(sin(1:80), 40)",
    "cv <- function() cv_mkl(x, y, gaussian_kernel(c(1, 4)), p = 2, C = c(1, 2), folds = 4, control = quiet())",
    "end <- function(cluster, k) tools::pskill(parallel::clusterCall(cluster, Sys.getpid)[[k]], tools::SIGKILL)",
    "said <- function(code) cat(tryCatch({ code; 'done' }, error = function(e) c(class(e)[1], conditionMessage(e))), '\n')",
    "cluster <- parallel::makeCluster(3)",
    "future::plan(future::cluster, workers = cluster)",
    "end(cluster, 1)",
    "said(cv())",
    "said(mkl(x, y, control = quiet(cluster = cluster)))",
    "future::plan(future::multisession, workers = 2)",
    "first <- future::future({ Sys.sleep(1); 1 })",
    "tools::pskill(future::value(future::future(Sys.getpid())), tools::SIGKILL)",
    "said(cv())"
  ), script)
  folders <- c(dirname(getNamespaceInfo("manykernels", "path")), old)
  said <- withr::with_envvar(
    c(R_LIBS = paste(folders, collapse = .Platform$path.sep), R_PROFILE_USER = "", R_TESTS = ""),
    suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--no-save", shQuote(script)), stdout = TRUE,
                             stderr = FALSE))
  )
  expect_match(said[1], "^done")
  expect_match(said[2], "^manykernels_lost_work Make `cluster` again, .*makeCluster\\(3\\)")
  expect_match(said[3], paste("^manykernels_lost_work Lost 4 times .*process ended[.] Update package future,",
                              "[0-9.]* here, to 1.40 or later, .*future::plan\\(\\) .*goes on"))
})

test_that("what workers of BiocParallel lose is done again", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_if_not_installed("BiocParallel")
  reference <- lossy_cv(0)
  local_library()
  expect_work_repeated(reference, 1, BPPARAM = BiocParallel::SnowParam(2))
})

test_that("what a job of BiocParallel by batchtools loses is done again, without a word of other packages", {
  skip_unless_slow()
  skip_on_os("windows")
  for (package in c("batchtools", "BiocParallel")) skip_if_not_installed(package)
  reference <- lossy_cv(0)
  local_library()
  expect_no_warning(expect_work_repeated(reference, 1, BPPARAM = BiocParallel::BatchtoolsParam(2, "multicore"),
                                         reason = "a job ended without a result"))
})

test_that("what two jobs of batchtools lose at once is done again", {
  skip_unless_slow()
  skip_on_os("windows")
  for (package in c("batchtools", "future.batchtools")) skip_if_not_installed(package)
  reference <- lossy_cv(0)
  local_library()
  folder <- tempfile()
  dir.create(folder)
  here <- setwd(folder)
  on.exit(setwd(here))
  local_plan(future.batchtools::batchtools_multicore, workers = 2)
  expect_work_repeated(reference, 2)
})

test_that("the folder of a lost job is removed when its future is garbage", {
  folder <- tempfile()
  dir.create(folder)
  future <- structure(new.env(), class = "BatchtoolsFuture")
  future$config <- list(reg = list(file.dir = folder))
  remove_later(future)
  gc()
  expect_true(dir.exists(folder))
  rm(future)
  gc()
  expect_false(dir.exists(folder))
  expect_null(remove_later(new.env()))
})

test_that("work that is lost four times ends the call, in one line, with what is done in a file", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_if_not_installed("future")
  reference <- lossy_cv(0)
  local_library()
  local_plan(future::multisession, workers = 2)
  error <- expect_error(lossy_cv(100), class = "manykernels_lost_work")
  expect_match(conditionMessage(error), "^Lost 4 times on the workers: fold 1 \\(p = 1\\), [^\n]*process ended[.] [^\n]* goes on")
  file <- sub('.*resume = "([^"]*)".*', "\\1", conditionMessage(error))
  expect_true(file.exists(file))
  future::plan(future::sequential)
  expect_same_numbers(lossy_cv(0), reference)
})

# A backend of one's own: parts that `lose` says are lost.
with_losses <- function(lose) {
  list(workers = 3, run = function(packs, task, given, take) {
    lapply(packs, function(pack) {
      take(pack, if (lose(pack)) simpleError("slurmstepd: error: *** JOB 7 CANCELLED DUE TO TIME LIMIT ***") else
        list(value = list(outcomes = as.list(pack)), seconds = 1, waited = 0))
    })
  })
}

test_that("units are sent again until they were lost four times", {
  log <- new_work_log()
  rounds <- 0
  lose <- function(pack) 5 %in% pack && (rounds <<- rounds + 1) <= 3
  run <- function(lose) {
    do_work(10, with_losses(lose), "none", list(), log,
            give_up = function(units, reason, values) mk_abort(reason, "lost_work", value = list(units, lengths(values))))
  }
  expect_identical(run(lose), as.list(1:10))
  expect_message(work <- work_report(log), "Of 9 parts .*, 3 were lost and done again: out of time \\(3\\)")
  expect_identical(work$attempt[!is.na(work$lost)], 1:3)
  error <- expect_error(run(function(pack) 5 %in% pack), class = "manykernels_lost_work")
  expect_identical(error$value, list(5L, c(1L, 1L, 1L, 1L, 0L, 1L, 1L, 1L, 1L, 1L)))
})

test_that("what queues say of a lost job is a reason in a few words", {
  reason <- function(text) loss_reason(simpleError(text))
  expect_identical(reason("slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 12:00 DUE TO TIME LIMIT ***"), "out of time")
  expect_identical(reason("TERM_RUNLIMIT: job killed after reaching LSF run time limit."), "out of time")
  expect_identical(reason("=>> PBS: job killed: walltime 61 exceeded limit 60"), "out of time")
  expect_identical(reason("Exceeded job memory limit at some point."), "out of memory")
  expect_identical(reason("Detected 1 oom-kill event(s) in StepId=7.batch."), "out of memory")
  expect_identical(reason("TERM_MEMLIMIT: job killed after reaching LSF memory usage limit."), "out of memory")
  expect_identical(reason("*** JOB 9 ON n1 CANCELLED AT 12:00 DUE TO NODE FAILURE ***"), "the node failed")
  expect_identical(reason("*** JOB 9 ON n1 CANCELLED AT 12:00 ***"), "the job was cancelled")
  expect_identical(reason("All jobs must be have been successfully computed"), "a job ended without a result")
  expect_match(reason("Error in gzfile(file)\nCalls: <Anonymous> -> doJobCollection.character -> readRDS"), "--no-requeue")
  expect_identical(reason("BatchtoolsExpiration: Future ('<none>') expired. No logged output exist."),
                   "the worker's process ended")
})

test_that("errors of the work are no losses, but short memory is", {
  found <- do_pack("x", "check_count", list("n"))
  expect_error(received(found, 1), "n", class = "manykernels_invalid_argument")
  short <- list(error = simpleError("cannot allocate vector of size 8.0 Gb"), short = TRUE)
  expect_identical(loss_reason(received(short, 1)), "out of memory")
  expect_identical(received(list(value = 3, seconds = 2), 5),
                   list(value = 3, seconds = 2, waited = 3, known = FALSE))
})

# ---- workers without the package -----------------------------------------------------------------

test_that("a worker without the package, or with another version, is named", {
  other <- task_on_worker(1, "0.0.1", "run_chunk", list())
  expect_error(received(other, 1), paste("version", own_version()), fixed = TRUE,
               class = "manykernels_missing_package")
  expect_identical(environment(task_on_worker), baseenv())
})

test_that("following the advice for workers without the package leads to a fit", {
  skip_unless_slow()
  skip_if_not_installed("future")
  local_library()
  cross <- function() cv_mkl(d$x, d$y, pair, p = 2, C = c(1, 2), folds = 2, control = quiet())
  libraries <- .libPaths()
  old <- Sys.getenv("R_LIBS")
  on.exit({
    Sys.setenv(R_LIBS = old)
    .libPaths(libraries)
  })
  Sys.setenv(R_LIBS = "")
  skip_if(nzchar(system.file(package = "manykernels", lib.loc = c(.Library.site, .Library))),
          "the package is in the library of all processes")
  lost <- parallel::makeCluster(2)
  local_plan(future::cluster, workers = lost)
  message <- conditionMessage(expect_error(cross(), class = "manykernels_missing_package"))
  future::plan(future::sequential)
  parallel::stopCluster(lost)
  # the code between backticks, as it is written
  for (code in regmatches(message, gregexpr("`([.]libPaths|Sys.setenv)[^`]*`", message))[[1]]) {
    eval(parse(text = gsub("`", "", code)), globalenv())
  }
  found <- parallel::makeCluster(2)
  on.exit(parallel::stopCluster(found), add = TRUE)
  future::plan(future::cluster, workers = found)
  expect_lte(cross()$fit$gap, 1e-3)
  future::plan(future::multisession, workers = 2)
  expect_lte(cross()$fit$gap, 1e-3)
  skip_if_not_installed("BiocParallel")
  expect_lte(cv_mkl(d$x, d$y, pair, p = 2, C = c(1, 2), folds = 2, control = quiet(),
                    BPPARAM = BiocParallel::SnowParam(2))$fit$gap, 1e-3)
})

test_that("all long work is the same on workers that are lost", {
  skip_unless_slow()
  skip_on_os("windows")
  skip_if_not_installed("future", "1.40.0") # as above
  views <- list(a = d$x, b = matrix(sin(seq_len(2 * nrow(d$x))), nrow(d$x)))
  kernels <- function(times) c(on_view(function_kernel(deadly(times)), "a"), pair)
  cv <- cv_mkl(views, d$y, kernels(0), p = 2, C = 1, folds = 3, control = quiet())
  run <- list(
    held_out = function(times) permutation_importance(cv, x = views, y = d$y, kernels = kernels(times)),
    new = function(times) permutation_importance(cv$fit, views, d$y, by = "feature"),
    dropped = function(times) drop_view(cv, views, d$y, kernels(times)),
    nested = function(times) {
      cv_mkl(views, d$y, kernels(times), p = c(1, 2), C = 1, folds = 3, nested = 2, control = quiet())$nested
    },
    searched = function(times) {
      cv_mkl(views, d$y, kernels(times), search = "adaptive", p = 2, folds = 2, control = quiet())$best
    },
    pursuits = function(times) {
      kernel_stability(cv_mkl(views, d$y, kernels(times), model = "mkl_gomp", lambda = c(0.01, 0.1), folds = 3,
                              control = quiet()))$kernels
    },
    paths = function(times) mkl_gomp(views, d$y, kernels(times), lambda = c(0.01, 0.1), folds = 3, control = quiet())$tuning
  )
  seeded <- function(name, times) {
    set.seed(3)
    list(run[[name]](times), runif(1))
  }
  here <- lapply(names(run), seeded, 0)
  local_library()
  local_plan(future::multisession, workers = 2)
  there <- lapply(names(run), function(name) {
    if (name == "new") return(seeded(name, 0))
    expect_message(found <- seeded(name, 1), class = "manykernels_message_lost_work")
    found
  })
  expect_identical(there, here)
})
