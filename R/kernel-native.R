#' Kernels in C of other packages
#'
#' A kernel that another package computes in C, by the interface of the header `manykernels.h`
#' (`LinkingTo: manykernels`). It works like [function_kernel()], without calling R, and on several
#' threads if the package allows it. The vignette "For package authors" shows how;
#' `system.file("example-package", package = "manykernels")` is a complete package.
#'
#' The kernel uses the columns of a view, standardised unless `scale = FALSE` ([scaling]). Kernels of samples
#' that aren't rows of numbers, such as graphs, use a column of positions in a collection that their package
#' keeps; see the vignette. During a computation the core holds a copy of the columns that the kernel uses.
#'
#' At most 20 rows of the data are used to check that the kernel is symmetric and has no negative
#' eigenvalue, as for [function_kernel()].
#'
#' Give a function as `pointer` if fits are to be saved or sent to worker processes: a pointer lasts only as
#' long as the session, and the function is called again when its pointer is gone.
#'
#' The header has functions that fit and predict from C, too, `manykernels_fit()` and
#' `manykernels_predict()`, on kernel rows that the package provides; see the vignette.
#'
#' @param pointer An external pointer that the C function `manykernels_kernel_pointer()` has made; or
#'   a function without arguments that returns one.
#' @param name One string, the kernel's name.
#' @param ... Not used; anything given is an error.
#' @return A [kernel set][kernel_set] with one kernel of type `"function"`. Errors: class
#'   `manykernels_invalid_argument`; `manykernels_native_pointer` if the pointer is gone, here and whenever
#'   values are needed; `manykernels_function_kernel` if the C code reports a failure or returns a value that
#'   is not finite; `manykernels_not_symmetric`.
#' @seealso [function_kernel()]
#' @family kernels
#' @export
#' @examples
#' # package `histograms` has C code that makes the pointer
#' \dontrun{
#' intersection_kernel <- function() {
#'   native_kernel(function() .Call(C_intersection_pointer), "intersection")
#' }
#' fit <- mkl(x, y, c(histograms::intersection_kernel(), gaussian_kernel(2^(0:3))))
#' }
native_kernel <- function(pointer, name, ...) {
  check_dots_empty(...)
  check_given(c(pointer = missing(pointer), name = missing(name)))
  name <- check_string(name, "name")
  living <- living_pointer(pointer, name)
  living()
  values <- function(X, Z) {
    from_core(.Call(C_mk_native_values, living(), as.matrix(X), as.matrix(Z), thread_count()))
  }
  new_kernel_set(name, "function", list(list(f = values, native = living)))
}

# A function that returns the pointer while it is alive, or makes it again.
living_pointer <- function(pointer, name) {
  make <- if (is.function(pointer)) pointer
  expected <- paste("an external pointer made by manykernels_kernel_pointer() in C,",
                    "or a function without arguments that returns one")
  if (is.null(make) && is.na(is_alive(pointer))) abort_argument(pointer, "pointer", expected)
  if (!is.null(make)) pointer <- NULL
  function() {
    if (isTRUE(is_alive(pointer))) return(pointer)
    if (is.null(make)) abort_dead(name)
    made <- call_user(make(), sprintf("The function `pointer` of kernel `%s`", name),
                      "native_pointer", "pointer")
    if (!isTRUE(is_alive(made))) abort_made(made, name)
    pointer <<- made
  }
}

# NA: not a pointer to a kernel.
is_alive <- function(pointer) .Call(C_mk_native_alive, pointer)

abort_dead <- function(name) {
  mk_abort(sprintf(paste(
    "Make kernel `%s` again, best by `native_kernel(function() <what makes the pointer>, \"%s\")`, which",
    "can make it again when needed: the present pointer is gone, as pointers are lost when they are saved",
    "or sent to other processes."
  ), name, name), "native_pointer", "pointer")
}

abort_made <- function(made, name) {
  found <- if (is.na(is_alive(made))) describe(made) else "one that is gone"
  mk_abort(sprintf("The function `pointer` of kernel `%s` must return a valid pointer, not %s.",
                   name, found), "native_pointer", "pointer", made)
}
