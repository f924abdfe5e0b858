# Objects with our class but not our content.
skip_on_cran() # a slow file
made <- suppressMessages(fits_of_every_class())
uses <- uses_of_fits(made$x)
grDevices::pdf(NULL) # for all plots of this file

expect_refused <- function(use, object, label) {
  problem <- problem_of(use, object)
  # a class without such a method is R's to say
  if (is.null(problem) || grepl("no applicable method", conditionMessage(problem))) {
    return(testthat::succeed())
  }
  testthat::expect_true(inherits(problem, "manykernels_error"),
                        label = paste0(label, ": ", conditionMessage(problem)))
}

test_that("every use of every fit ends well or in a classed error", {
  skip_unless_slow()
  for (name in names(made$fits)) for (use in names(uses)) {
    expect_refused(uses[[use]], made$fits[[name]], paste(name, use))
  }
})

test_that("a field that is removed, shortened or changed is refused, or serves all uses", {
  slow <- nzchar(Sys.getenv("MANYKERNELS_SLOW"))
  here <- setwd(tempdir()) # a damaged control may name a file of a checkpoint
  on.exit(setwd(here))
  tried <- refused <- 0L
  for (name in names(made$fits)) {
    objects <- damaged(made$fits[[name]])
    works <- Filter(function(use) is.null(problem_of(use, made$fits[[name]])), uses)
    # every 77th one, unless there is time for all, and one use of it in turn
    for (k in if (slow) seq_along(objects) else seq(1L, length(objects), 77L)) {
      tried <- tried + 1L
      problem <- problem_of(print, objects[[k]])
      if (!is.null(problem)) {
        refused <- refused + 1L
        expect_s3_class(problem, "manykernels_invalid_object")
        next
      }
      use <- names(works)[1L + k %% length(works)]
      expect_refused(works[[use]], objects[[k]], paste(name, names(objects)[k], use))
    }
  }
  expect_gt(refused, 0.7 * tried)
})

test_that("objects that have nothing but a class are classed errors in every use", {
  classes <- unique(lapply(made$fits, class))
  others <- list("duality_gap", "gomp_recovery", "kernel_stability", "permutation_importance",
                 c("summary.permutation_importance", "mkl_whole"), c("summary.kernel_stability", "mkl_whole"),
                 "kernel_alignment", "mkl_model",
                 c("rademacher_bound", "bound"), c("risk_bound", "bound"), "summary.mkl",
                 "summary.cv_mkl", "summary.mkl_path", c("drop_view", "mkl_table", "data.frame"))
  contents <- list(1, list(), list(models = 1), "a", sum, new.env())
  for (class in c(classes, others)) for (content in contents) {
    # newer R warns of attributes of primitive functions
    object <- suppressWarnings(tryCatch(structure(content, class = class), error = function(e) NULL))
    if (is.null(object)) next
    problem <- problem_of(print, object)
    expect_true(inherits(problem, "manykernels_invalid_object"), label = class[[1L]])
  }
  for (class in classes) for (use in uses) {
    problem <- problem_of(use, structure(list(), class = class))
    expect_true(is.null(problem) || !grepl("subscript|argument is of length zero|EXPR",
                                           conditionMessage(problem)))
  }
})

test_that("parts of a cross-validation that methods read are refused where they are no such parts", {
  cv <- made$fits$cv
  for (one in list(1, list(theta = 1, share = 1), list(theta = cv$weights[[1L]]$theta, share = 1))) {
    weights <- replace(cv$weights, 1L, list(one))
    expect_error(kernel_stability(replace(cv, "weights", list(weights))),
                 class = "manykernels_invalid_object")
  }
  skip_if_not_installed("generics")
  expect_error(generics::augment(replace(cv, "predictions", list(NULL))),
               class = "manykernels_unsupported")
})

test_that("a chosen setting without a value is refused", {
  cv <- made$fits$cv
  for (value in list(NULL, list(), numeric(), 1:2)) {
    best <- replace(cv$best, "p", list(value))
    expect_error(print(replace(cv, "best", list(best))), class = "manykernels_invalid_object")
  }
  norms <- cv_mkl(made$x, made$y, made$kernels, norm = list(lp_norm(2), elastic_net_norm()), C = 1, folds = 2)
  expect_output(print(norms), "norm")
})

test_that("a start is checked as other fits are, and nothing in it is evaluated", {
  fit <- made$fits$regression
  for (field in c("loss", "theta", "y", "cost")) {
    expect_classed(mkl_control(start = replace(fit, field, list(NULL))), "invalid_object", "start")
  }
  broken <- replace(fit, "loss_parameter", list(list(quote(evaluated_by_a_fit <<- TRUE))))
  expect_error(print(broken), class = "manykernels_invalid_object")
  expect_false(exists("evaluated_by_a_fit", globalenv()))
})

test_that("numbers of a response are all there", {
  fit <- made$fits$regression
  expect_error(summary(replace(fit, "y", list(replace(fit$y, 1L, NA)))),
               class = "manykernels_invalid_object")
})

test_that("messages name the object, the field and what it must be", {
  fit <- made$fits$mkl
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    print(structure(1, class = "mkl"))
    predict(structure(list(version = 1L), class = "mkl"), 1)
    coef(replace(fit, "theta", list("a")))
    predict(replace(fit, "alpha", list(1:3)), made$x)
    plot(replace(made$fits$path, "status", list("done")))
    print(replace(made$fits$cv, "measure", list(NULL)))
    print(replace(fit, "version", list(NULL)))
    print(replace(fit, "version", list(99L)))
  })
})

grDevices::dev.off()

print_quietly <- function(object) utils::capture.output(print(object))

# Descriptions that users save as they save results: version is an attribute.
descriptions <- list(
  kernels = gaussian_kernel(1:2), dictionary = kernel_dictionary(linear_kernel(), list(1:2)),
  norm = elastic_net_norm(), loss = huber_loss(), control = mkl_control()
)
use_description <- function(object) {
  x <- made$x
  y <- made$y
  switch(class(object),
    kernel_set = mkl(x, y, object),
    kernel_dictionary = mkl_sequential(x, y, object),
    mkl_norm = mkl(x, y, gaussian_kernel(1:2), norm = object),
    mkl_loss = mkl(x, x[, 1], gaussian_kernel(1:2), loss = object),
    mkl_control = mkl(x, y, gaussian_kernel(1:2), control = object)
  )
}

test_that("descriptions have a version, also where they are changed, and others are refused", {
  for (object in c(descriptions, list(descriptions$kernels[2], rep(descriptions$kernels, 2),
                                      on_view(descriptions$kernels, "a"), lp_norm(2),
                                      quantile_loss(0.2), gaussian_kernel(1)[0]))) {
    expect_identical(attr(object, "version"), 1L)
  }
  for (object in descriptions) for (version in list(99L, 0L, "a", 1:2, list(1L))) {
    error <- expect_error(use_description(`attr<-`(object, "version", version)),
                          class = "manykernels_version")
    problem <- if (length(version) != 1L || !is.integer(version)) "must be an integer" else
      if (version > 1L) "a later" else "an earlier"
    expect_match(conditionMessage(error), problem)
  }
  # the first ones were made without
  for (object in descriptions) expect_error(use_description(`attr<-`(object, "version", NULL)), NA)
})

test_that("tables and matrices of results have a version, and others are refused", {
  x <- made$x
  views <- list(a = x[, 1:2], b = x[, 3, drop = FALSE])
  cv <- cv_mkl(views, made$y, gaussian_kernel(1), p = 2, C = 1, folds = 2)
  dropped <- drop_view(cv, views, made$y, gaussian_kernel(1))
  for (object in list(dropped, kernel_alignment(gaussian_kernel(1:2), x))) {
    expect_identical(attr(object, "version"), 1L)
    expect_output(print(object), "view|alignment")
    for (version in list(NULL, 99L, "a")) {
      expect_error(print(`attr<-`(object, "version", version)), class = "manykernels_version")
    }
  }
})

test_that("settings of a cross-validation that are none are refused", {
  x <- made$x
  views <- list(a = x[, 1:2], b = x[, 3, drop = FALSE])
  cv <- cv_mkl(views, made$y, gaussian_kernel(1), p = 2, C = 1, folds = 2)
  wrong <- list(loss = "hinge", class_weights = "a", multiclass = NA, scale = NA, missing_views = NA,
                normalize = 1, C = -1, norm = 2, intercept = "no", control = list())
  for (name in names(wrong)) {
    broken <- cv
    broken$settings[[name]] <- wrong[[name]]
    expect_error(drop_view(broken, views, made$y, gaussian_kernel(1)), class = "manykernels_invalid_object")
  }
})

test_that("objects of this version, as they were saved, are read by every later one", {
  for (file in list.files(test_path("saved"), full.names = TRUE)) {
    saved <- readRDS(file)
    expect_error(print_quietly(saved$object), NA)
    if (is.null(saved$decision)) next
    found <- predict(saved$object, saved$newdata, type = "decision")
    expect_equal(found, saved$decision, tolerance = 1e-12)
  }
})

test_that("what was made of a fit is not used for another one", {
  x <- as.matrix(iris[51:150, 1:4])
  fit <- mkl(x, droplevels(iris$Species[51:150]), gaussian_kernel(c(1, 4)), control = mkl_control(progress = FALSE))
  value <- predict(fit, x, "decision")
  expect_identical(predict(fit, x, "decision"), value)
  twice <- fit
  twice$alpha <- 2 * fit$alpha
  for (turn in 1:2) {
    expect_equal(predict(twice, x, "decision"), 2 * value - fit$offset)
    expect_identical(predict(fit, x, "decision"), value)
  }
})
