# Constructors of kernel sets. resolve.R applies a set to data.

#' Linear kernel
#'
#' \eqn{k(x, z) = \langle x, z\rangle}{k(x, z) = <x, z>}.
#'
#' @details If no other type of kernel uses the same columns, a fit treats linear kernels as weighted
#' columns, not as matrices of rows by rows. [per_feature()] may therefore make very many of them. For
#' prediction they become explicit weights of the columns (except under spherical scaling).
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel called `linear`.
#' @seealso [on_view()], [on_features()] and [per_feature()] to choose the columns of the kernel.
#' @family kernels
#' @export
#' @examples
#' linear_kernel()
#' on_view(linear_kernel(), c("mirna", "mrna"))
linear_kernel <- function(...) {
  check_dots_empty(..., .hints = constructor_hints)
  new_kernel_set("linear", "linear", list(list()))
}

#' Polynomial kernels
#'
#' \eqn{k(x, z) = (scale \langle x, z\rangle + offset)^{degree}}{k(x, z) = (scale <x, z> +
#' offset)^degree}. This is `kernlab::polydot(degree, scale, offset)`, and e1071's polynomial kernel
#' with `gamma = scale` and `coef0 = offset`.
#'
#' @param degree Whole numbers from 1 to 100.
#' @param scale Positive numbers, in units of 1 / (unit of x)^2.
#' @param offset Non-negative numbers, so that the kernel is positive semidefinite.
#' @param ... Not used; anything given is an error.
#' @details The parameters are vectors; one of length 1 is repeated to the length of the longest.
#' Polynomial kernels on the same columns share their dot products in a fit.
#' @return A [kernel set][kernel_set] with one kernel for each degree, scale and offset. The name shows
#'   scale and offset if they are not 1. Errors: class `manykernels_invalid_argument`.
#' @family kernels
#' @export
#' @examples
#' polynomial_kernel(degree = 1:3)
#' polynomial_kernel(degree = 2, scale = c(0.1, 1), offset = 0)
polynomial_kernel <- function(degree = 2, scale = 1, offset = 1, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  parameters <- polynomial_parameters(degree, scale, offset)
  shown <- function(name) {
    ifelse(parameters[[name]] == 1, "", paste0(",", name, "=", number_text(parameters[[name]])))
  }
  name <- paste0("polynomial(degree=", parameters$degree, shown("scale"), shown("offset"), ")")
  specs <- Map(list, degree = parameters$degree, scale = parameters$scale,
               offset = parameters$offset)
  new_kernel_set(name, "polynomial", unname(specs))
}

#' Gaussian kernels
#'
#' \eqn{k(x, z) = \exp(-\|x - z\|^2 / width)}{k(x, z) = exp(-||x - z||^2 / width)}, the RBF kernel. The
#' papers write the width as \eqn{2\sigma^2}{2 sigma^2}.
#'
#' The same kernel in other packages is `kernlab::rbfdot(sigma = 1 / width)` and
#' `e1071::svm(gamma = 1 / width)`. These packages standardise columns by default, as fits here do.
#' [default_kernels()] chooses widths from the data.
#'
#' With standardised columns, the default of fits ([scaling]), the squared distance of two rows is about
#' `2 * ncol(x)`.
#'
#' In a fit, Gaussian kernels of all widths on the same columns share their distances, and their
#' weighted sum is evaluated as one function. On 1,000 digits
#' `r widths_text()` (`bench/growth.R` in the sources).
#'
#' @param width Positive numbers, at least 5.6e-309, in squared units of the columns (for fits, of
#'   standardised columns); one kernel for each.
#' @param distance `NULL`: Euclidean distances of the data. Otherwise distances between the training
#'   rows, in place of data: a `dist` object, or a symmetric matrix with 0 on the diagonal and no
#'   negative numbers. A named list of these gives one set of kernels for each. `width` is in their
#'   squared units: \eqn{k_{ij} = \exp(-d_{ij}^2/width)}{k_ij = exp(-d_ij^2 / width)}.
#' @param ... Not used; anything given is an error.
#' @details Names of kernels of given distances begin with the name of the distance, as in
#' `phylogeny:gaussian(width=2)`. It is the name in the list, or that of the variable given as `distance`
#' (`distance` itself for an expression). These kernels are precomputed ([precomputed_kernel()]), one matrix
#' for each width. Samples are matched by the labels of the `dist`. For new rows, give the matrix of their
#' distances to the training rows: `predict(fit, list(phylogeny = D))`, or `predict(fit, D)` if there is
#' nothing else. If the distances are not Euclidean, the kernel may be indefinite, which gives a warning of
#' class `manykernels_warning_indefinite`.
#' @return A [kernel set][kernel_set]. Errors: class `manykernels_invalid_argument`; for distances
#'   also those of [precomputed_kernel()].
#' @references M. Kloft, U. Brefeld, S. Sonnenburg and A. Zien (2011). lp-norm multiple kernel
#'   learning. *Journal of Machine Learning Research* 12, 953-997.
#' @family kernels
#' @export
#' @examples
#' gaussian_kernel(width = 2^(-2:2))
#' d <- dist(iris[1:30, 1:4])
#' names(gaussian_kernel(width = c(0.5, 2), distance = d))
#' x <- as.matrix(iris[1:4, 1:4])
#' kernel_matrix(gaussian_kernel(width = 2), x)
gaussian_kernel <- function(width = 1, distance = NULL, ...) {
  check_dots_empty(..., .hints = constructor_hints)
  expression <- substitute(distance)
  width <- check_widths(width)
  if (!is.null(distance)) {
    label <- if (is.name(expression)) format(expression) else "distance"
    return(distance_kernels(width, distance, label))
  }
  name <- paste0("gaussian(width=", number_text(width), ")")
  new_kernel_set(name, "gaussian", lapply(width, function(w) list(width = w)))
}

#' Kernels from R functions
#'
#' A kernel that an R function computes. The function is called for each block of rows, never in parallel, and
#' shares no work with other kernels. [mkl()], [mkl_path()] and [mkl_gomp()] compute each value once if the
#' matrices of all such kernels take at most a quarter of `cache` of [mkl_control()]. For several fits,
#' compute the matrix once by [kernel_matrix()] and give it to [precomputed_kernel()], or write it to a file
#' by [write_kernel()]. [native_kernel()] takes a function in C.
#'
#' @param f A function `f(X, Z)` of two numeric matrices (sparse `dgCMatrix` when the view is sparse)
#'   with the same columns, that returns the numeric matrix of `nrow(X)` times `nrow(Z)` kernel values.
#'   In a fit the columns are standardised unless `scale = FALSE` ([scaling]). The function must be
#'   symmetric, `f(X, Z) == t(f(Z, X))`, and positive semidefinite, and the value of a pair of rows must
#'   not depend on the other rows. This is checked on at most 20 rows of the data. Asymmetry is an
#'   error; a negative eigenvalue gives a warning of class `manykernels_warning_indefinite`. `f` may
#'   also be a `kernel` object of the kernlab package, such as `kernlab::laplacedot(0.1)`.
#' @param name One string, the kernel's name; by default the name of `f`.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel. A fit keeps the function. Errors: class
#'   `manykernels_invalid_argument`. When the function is called: `manykernels_function_kernel` for a
#'   wrong result or an error, and `manykernels_not_symmetric` for an asymmetric result. An error of the
#'   function is in the field `parent` of the condition. Its warnings, messages and other conditions
#'   reach the handlers around the call, and it can use restarts outside the call.
#' @family kernels
#' @export
#' @examples
#' histogram <- function(X, Z) {
#'   apply(Z, 1, function(z) rowSums(pmin(X, rep(z, each = nrow(X)))))
#' }
#' k <- function_kernel(histogram)
#' kernel_matrix(k, abs(as.matrix(iris[1:4, 1:4])))
function_kernel <- function(f, name = NULL, ...) {
  check_dots_empty(...)
  check_given(c(f = missing(f)))
  expression <- substitute(f)
  if (is.null(name)) {
    name <- if (is_kernlab(f)) class(f)[1L] else if (is.name(expression)) format(expression) else
      "function"
  }
  name <- check_string(name, "name")
  if (!is.function(f)) abort_argument(f, "f", "a function of two matrices, or a kernlab kernel")
  if (is_kernlab(f)) {
    f <- kernlab_function(f)
  } else if (!takes_two(f)) {
    mk_abort("`f` must be a function of two matrices, f(X, Z); this one takes fewer arguments.",
             "invalid_argument", "f", f)
  }
  new_kernel_set(name, "function", list(list(f = f)))
}

is_kernlab <- function(f) isS4(f) && identical(attr(class(f), "package"), "kernlab")

kernlab_function <- function(kernel) {
  force(kernel)
  function(X, Z) {
    if (!requireNamespace("kernlab", quietly = TRUE)) {
      mk_abort("This kernel needs the package kernlab, which is not installed.", "unsupported", "f")
    }
    kernlab::kernelMatrix(kernel, as.matrix(X), as.matrix(Z))@.Data
  }
}
