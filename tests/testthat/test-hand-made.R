# Objects of our classes that were made or changed by hand.
skip_on_cran() # a slow file
quiet <- mkl_control(progress = FALSE)
d <- judge_clouds(20)
fit_with <- function(kernels = linear_kernel(), control = quiet, ...) {
  mkl(d$x, d$y, kernels, control = control, ...)
}
edited <- function(object, ...) {
  fields <- unclass(object)
  changes <- list(...)
  fields[names(changes)] <- changes
  structure(fields, class = class(object))
}

test_that("hand-made objects are errors that name the argument", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    fit_with(control = structure(list(), class = "mkl_control"))
    fit_with(control = edited(quiet, tol = "a"))
    fit_with(control = edited(quiet, speed = 2))
    fit_with(control = edited(quiet, start = structure(list(), class = "mkl")))
    print(edited(quiet, threads = "many"))
    fit_with(norm = structure(list(), class = "mkl_norm"))
    fit_with(norm = edited(lp_norm(2), p = NULL))
    fit_with(norm = edited(quadratic_norm(diag(1)), E = matrix(-1)))
    print(edited(block_norm(2), q = "a"))
    fit_with(loss = structure("hinge", class = "mkl_loss"))
    print(structure(list(type = "huber"), class = "mkl_loss"))
    fit_with(structure(1, class = "kernel_set"))
    fit_with(edited(gaussian_kernel(2), parameters = list(list(width = -1))))
    fit_with(edited(polynomial_kernel(), parameters = list(list(degree = 2))))
    print(edited(linear_kernel(), type = "cubic"))
    on_view(edited(gaussian_kernel(1:2), name = "a"), "v")
    mkl_sequential(d$x, d$y, structure(list(), class = "kernel_dictionary"))
  })
  expect_classed(fit_with(control = edited(quiet, tol = "a")), "invalid_argument", "control")
  expect_classed(fit_with(structure(1, class = "kernel_set")), "invalid_argument", "kernels")
})

test_that("whatever a field holds, every function refuses with a class or takes it", {
  skip_unless_slow()
  values <- list(NULL, NA, "a", -1, list(NULL), list("a"), sum, 1:2, list(list(width = "a")))
  refused <- function(object, uses) {
    for (field in names(unclass(object))) for (value in values) {
      made <- unclass(object)
      made[field] <- list(value)
      class(made) <- class(object)
      for (use in uses) {
        problem <- tryCatch({
          utils::capture.output(suppressMessages(suppressWarnings(use(made))))
          NULL
        }, error = identity)
        if (!is.null(problem)) expect_s3_class(problem, "manykernels_error")
      }
    }
  }
  sets <- list(gaussian_kernel(2), polynomial_kernel(), precomputed_kernel(judge_linear(d$x)),
               function_kernel(function(X, Z) X %*% t(Z)), on_features(linear_kernel(), 1:2),
               locally_linear_kernel(gamma = 1, anchors = d$x[1, ]), tanimoto_kernel(),
               categorical_kernel(), score_kernel(judge_linear(d$x), "clip"),
               laplacian_kernel(matrix(1, 2, 2), nodes = "features"))
  pick <- list(function(k) k[1], function(k) k[[1]], function(k) rep(k, 2), function(k) c(k, k))
  for (set in sets) {
    refused(set, c(pick, fit_with, print, summary, as.list, unique, as.data.frame, per_feature,
                   function(k) kernel_matrix(k, d$x)))
  }
  for (norm in list(lp_norm(2), quadratic_norm(diag(1)), block_norm(3), elastic_net_norm())) {
    refused(norm, list(print, function(one) fit_with(norm = one)))
  }
  for (loss in list(huber_loss(), epsilon_loss())) {
    refused(loss, list(print, function(one) mkl(d$x, d$x[, 1], linear_kernel(), loss = one,
                                                control = quiet)))
  }
  here <- setwd(tempdir()) # any text is a `checkpoint`
  on.exit(setwd(here))
  refused(quiet, list(function(one) fit_with(control = edited(one, progress = FALSE))))
  dictionaries <- list(kernel_dictionary(linear_kernel(), list(a = 1:2, b = 3)),
                       kernel_dictionary(function(i) linear_kernel(), size = 2))
  for (one in dictionaries) {
    refused(one, c(pick[1:2], print, as.list,
                   function(set) mkl_sequential(d$x, d$y, set, control = quiet)))
  }
})

test_that("fields that were set to NULL stand for their default", {
  control <- quiet
  control$cache <- NULL
  control$threads <- NULL
  expect_true(fit_with(control = control)$converged)
})
