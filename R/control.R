#' Settings of the optimiser
#'
#' These settings determine *how* a fit is computed, not *what* is fitted: accuracy, memory, threads,
#' limits, progress, class probabilities and warm starts.
#'
#' @param optimizer The algorithm. `"auto"` takes `"chunking"` where rows are many and `"interleaved"`
#'   otherwise; see the section on many rows. `"interleaved"` moves the kernel weights while the support
#'   vector machine (SVM) is still being solved, and works on a growing set of rows. `"chunking"` keeps no
#'   kernel values of the rows. The others come from the literature and solve an SVM on all rows for each
#'   value of the weights; see the section on them. All end with the same certificate.
#' @param tol The relative duality gap at which a fit stops, a number from 1e-15 to below 1. It is the
#'   true gap, computed from the kernels in double precision. The dual objective of a fit with status
#'   `"converged"` is within `tol` of the optimum, relative to the primal value.
#' @param cache The budget for the memory of the optimiser, without the data: bytes (a number), or text
#'   such as `"500 MB"` or `"2GB"` (units B, KB, MB, GB, TB, powers of 1024). `NULL` is 4 GB (1 GB where R has 32
#'   bits); where less than a third more is free it is the largest power of 2 within three quarters of what the
#'   system, a container, the group of a job or `ulimit -v` leave. It is a limit, not an amount: `fit$memory` is
#'   the memory that a fit used. Threads beyond the first take 1.4 MB each besides. See the section on memory.
#' @param precision `"auto"`: kernel values inside the optimiser may be in single precision; see the
#'   section on precision. `"double"`: everything is in double precision.
#' @param threads Number of threads, a whole number from 1 to 65536, up to the system's limit. `NULL`
#'   takes `getOption("manykernels.threads")` or, if that isn't set, all cores that this session may
#'   use; see the section on threads. Kernel values, checks of all rows and certificates run on all
#'   threads, function kernels on one. Results agree up to rounding for any number of threads.
#' @param max_iter The largest number of iterations of the optimiser, a positive whole number or `Inf` (no
#'   limit).
#' @param max_time Time limit of the whole call in seconds, a positive number; `Inf` for no limit. It includes
#'   the normalisation of the kernels and the certificate. The models of a fit with several classes share it:
#'   time that one does not use goes to the others, and models that were stopped go on if time is left. At the
#'   limit the call returns the best model so far with its gap and a warning, at most a tenth of the time or a
#'   second late. If the kernels are not yet normalised, or in [mkl_sequential()] and [mllkm()] not one of
#'   them could be evaluated, the call is an error of class `manykernels_time_limit`. Functions in R (function
#'   kernels, dictionaries by a function) are not stopped in the middle of a call, and a certificate that
#'   needs their values is completed, so the call may end later. In [cv_mkl()] the limit holds for each fit.
#' @param progress Whether to show progress on the standard error stream: a bar with the time left if package
#'   cli is installed and the terminal can redraw lines, otherwise a line with iteration, objective, gap, time
#'   left and, where chunks serve many rows, the rows of the kernel matrix that passes compute in a second; in
#'   files, such as the log of a job, a new line every ten seconds. A normalisation of the kernels that takes
#'   seconds shows its own progress before.
#'   `options(manykernels.progress = TRUE)` shows it in scripts, too ([manykernels-options]). The time left is
#'   estimated from how fast the gap falls. The call also signals progress to package progressr;
#'   `progressr::with_progress(mkl(...))` shows it.
#' @param probability Whether to fit a sigmoid to cross-validated decision values, so that `predict(type =
#'   "prob")` is available; see [predict.mkl()]. This takes five more fits, or fewer where a class has fewer
#'   rows. [cv_mkl()] uses its own folds and needs none.
#' @param start `NULL`, or a fit to start from (class `mkl` or `mkl_multiclass`) on the same rows and as
#'   many kernels, such as the one at the neighbouring value of `C` or `p`. The optimiser begins with
#'   its kernel weights and support vectors, and moves them into the new constraints if necessary. The
#'   start changes the time of the fit; the result is the same within `tol`.
#' @param candidate `TRUE`: the optimiser works on a growing set of rows and checks the others from time
#'   to time. `FALSE`: it works on all rows at once, which is meant for comparisons. Both end with the
#'   same certificate over all rows. With up to 1,000 rows the optimiser always works on all of them.
#' @param exact For the optimisers from the literature. `TRUE`: each SVM is solved to the
#'   final accuracy, as in the papers. `FALSE`: each SVM is solved to a tenth of the present gap, which
#'   turns `"cutting_plane"` into its interleaved variant.
#' @param trace Whether to keep the kernel weights of every iteration, as the matrix column `theta` of
#'   `fit$history`. `NULL`: not for `"auto"` and `"interleaved"`. The matrix takes at most
#'   a sixteenth of `cache`; rows that don't fit are `NA`.
#' @param level For `optimizer = "level"`: the paper's \eqn{\lambda}, the share of the upper bound in the
#'   level, a number above 0 and below 1; or two, the second for the steps after the relative difference of
#'   the bounds has come below `tol`. `NULL`: 0.9 and then 0.99.
#' @param checkpoint For [mkl()]: `NULL`, or a file name. The fit, which is then made by `"chunking"`, keeps
#'   its state there every few passes over the rows. If it is interrupted, killed, or ends at `max_time`, the
#'   same call continues from there, and its result is bitwise the same if the number of threads is the same and
#'   `max_time` did not end the fit to the sample that begins it. Models
#'   that are done are kept, too, so that a call whose fit is complete returns it at once; delete the file then.
#'   The file has a checksum and replaces the previous one only when it is complete. If the process is killed or
#'   the disk is full, only the work since the last complete file is lost; on a full disk the call goes on, with a
#'   warning of class `manykernels_warning_checkpoint`. A file that is damaged, or of another call, is an error of class
#'   `manykernels_checkpoint` that names it.
#' @param cluster For [mkl()]: `NULL`, or the workers that share one fit: a cluster of package parallel, such as
#'   `parallel::makeCluster(2)`, or `TRUE` for the workers of the present `future::plan()`. See the section on
#'   several processes.
#' @param ... Not used; anything given is an error.
#'
#' @return A list of class `mkl_control` with one element per argument; `cache` is in bytes (`NULL`:
#'   default).
#'
#' @section The optimiser, and the algorithm of the paper:
#' Algorithm 2 of Kloft et al. (2011) renews the kernel weights while the support vector machine is
#' still being solved. `"interleaved"`, the default up to some ten thousand rows, does the same: it solves
#' neither part more accurately than the other requires.
#' * *Working set.* A fit of more than 1,000 rows begins with some 600 rows, evenly from all classes,
#'   but with all of them for losses that make each row a support vector, and for linear kernels alone
#'   if their columns are few, or more than a third of the rows. (More than 500 rows: kernels of low
#'   rank, such as polynomials of one column or all kernels on genotypes, are linear ones here.) Once
#'   their problem is solved, all other rows are checked, and the worst violators join; at most, the
#'   working set doubles. The fit ends when no violator is left that matters for the gap over all rows.
#' * *SVM and weights.* The SVM is solved, from its current state, until its part of the gap is 0.3 of
#'   what is allowed over the working set. Then the weights move.
#' * *Weights* move by Newton steps with second derivatives from the support vectors off their bounds,
#'   damped where the quadratic model is poor, and by analytic steps if Newton steps would cost too
#'   much, as for such linear kernels. If neither makes progress, an interior point method moves weights
#'   and dual variables together; for `p` up to 1.02 and linear kernels alone it does so at once.
#' * *Many columns.* With thousands of linear kernels on columns of their own and `p` up to 1.02, the
#'   fit works on a growing set of kernels, too (column generation).
#'
#' The certificate, over all rows and kernels in double precision, decides when the fit has converged.
#'
#' @section The other optimisers:
#' Each of those from the literature solves a sequence of SVMs, one for each theta, starting from the dual
#' variables of the one before. They differ in how they choose the next theta. All work on all rows at once,
#' with the same kernel rows and the same SVM solver as the default. A comparison of them therefore compares
#' how they move the kernel weights. `fit$solves` counts the SVMs. The numbers below are those of 50 Gaussians
#' on 1,000 digits with a gap of 1e-3 (`bench/results/optimizers.md` in the sources, which has times, too).
#' The default solves `r solves_text("interleaved")` there.
#'
#' \describe{
#' \item{`"wrapper"`}{The analytic step (Kloft et al. 2011, Algorithm 1 with eq. 16), for all norms. It
#'   takes `r solves_text("wrapper")`. At p = 1 there is no proof that it converges, and a kernel whose
#'   weight has become 0 never returns. If it gives up, the status is `"stalled"`. The default takes the
#'   same steps if Newton steps cost too much.}
#' \item{`"newton"`}{Newton steps in theta on the ball (for p = 1 HessianMKL, Chapelle and Rakotomamonjy
#'   2008), halved until the objective falls, for all norms. It takes `r solves_text("newton")`. Each
#'   iteration factors a linear system of the support vectors off their bounds. With `exact = TRUE` second
#'   derivatives are
#'   recomputed in each step. The default takes the same steps.}
#' \item{`"cutting_plane"`}{Every solved SVM gives a plane that bounds the objective from below; the
#'   next theta minimises the largest of these planes. For p = 1 this is the linear program of
#'   Sonnenburg et al. (2006), SILP. For p > 1 it is the convex program of Kloft et al. (2009), SIP,
#'   with the exact norm in place of second-order expansions. It works for lp-norms, weighted or not. For
#'   p = 1 theta jumps from corner to corner. The method takes `r solves_text("cutting_plane")`, and by the level
#'   method's protocol (p = 1) `r level_solves_text("cutting_plane")`, where 500 iterations were allowed.}
#' \item{`"level"`}{The extended level method (Xu, Jin, King and Lyu 2009, Algorithm 2): theta is projected
#'   onto the set where no plane exceeds a level between the bounds. The level is 0.9 of the way to the upper
#'   bound, and 0.99 once the relative difference of the bounds is below `tol` (in the paper 0.01, its
#'   tolerance); `level` changes both. That difference, the paper's \eqn{\Delta}, is never larger than the gap
#'   of the fit, which decides here. The method works for lp-norms; if p > 1, the projection is onto the ball.
#'   It takes `r solves_text("level")`, and by its paper's protocol `r level_solves_text("level")`.}
#' \item{`"reduced_gradient"`}{SimpleMKL (Rakotomamonjy et al. 2008, Algorithm 1): it moves along the
#'   reduced gradient, takes one weight after the other to zero while the objective falls, and ends the
#'   step with a golden-section line search. It works for p = 1 only. Each trial step is a solve, and an
#'   iteration is one accepted step. If the sum of few kernels is singular and leaves no descent
#'   direction, as with columns of few values, all kernels get a little weight and the method goes on
#'   from there.}
#' }
#'
#' An interior point method solves the programs of cutting planes. Its systems are as large as the
#' number of active planes. The other planes are checked, and join when a solution violates them. Planes
#' are dropped only if there are more than 1,024 or they don't fit into a quarter of `cache`. Those that
#' have been inactive for longest go first, and the bound of the others stays. If the dual variables are
#' not unique, the mean of those behind the planes proves the bound.
#'
#' A norm that an optimiser doesn't support is an error of class `manykernels_unsupported`. A
#' method ends with status `"stalled"` if twice the iterations so far, plus 100, don't reduce the gap by
#' a tenth, or at once if rounding leaves it no better weights to try. Limits of iterations and time
#' hold for all optimisers. The fit is then the best pair of weights and dual variables that was found.
#'
#' @section Many rows:
#' The working set of `"interleaved"` keeps kernel values between its rows, and with noisy classes most rows
#' join it. `"chunking"` keeps none. It has three parts:
#' * *Weights from a sample.* `"interleaved"` fits a fifth of the rows, evenly spaced, at least 1,000 and at
#'   most 10,000 of them, with the losses scaled up to the total of all rows. The weights are then near those
#'   of all rows. Its dual variables, cut to the box of single rows, are the start, and are what a fit that is
#'   interrupted here returns, with their gap over all rows. The sample takes at most 30 percent of `max_time`.
#'   A `start` takes the place of this fit.
#' * *Chunks.* Rows that violate optimality, or nearly do, are solved in turns. A chunk is a sixth of all rows
#'   (at least 1,000; fewer where `cache` is small), and its losses stand for those of the other rows, too.
#'   Its dual variables are solved with the kernel values between its rows (decomposition, Joachims 1999). One
#'   pass over all rows and the dual variables that changed then updates all decision values.
#' * *Steps of the weights.* Analytic steps, which a secant method lengthens kernel by kernel.
#'
#' `"interleaved"` goes on from there where these stop short of `tol`. Losses, norms and kernels are those
#' of the other optimisers. Models that share their weights (`multiclass = "shared"`) share the passes, too:
#' each of them has a chunk of its own, then one pass serves all. Models with weights of their own are fitted
#' one after the other.
#'
#' `"auto"` takes `"chunking"` for the hinge and the one-class loss with a finite `p` above 1.02 and costs of
#' at most 1, from 28,000 rows and, as far as the sample shows, 28,000 support vectors on, if all kernels are
#' linear or read at most 40 dense columns. From there on the values of `"interleaved"` don't fit into the
#' default `cache`. With fewer rows `"chunking"` saves memory but no time, and with larger costs it takes more
#' time. In all other cases `"auto"` takes `"interleaved"`. `fit$optimizer` is the one that was used.
#'
#' @section Several processes:
#' With `cluster` workers make the passes of `"chunking"` over all rows: each keeps a block of the rows, as many
#' blocks as there are workers. Each request sends them the kernel weights, the dual variables that changed,
#' and the columns of their rows; decision values come back. Quadratic forms and the certificate, which is
#' computed in double precision over all rows, are shared in the same way, pair by pair. The calling session
#' keeps all columns, normalises the kernels, and solves sample and chunks. Results are those of one process up
#' to rounding, and bitwise the same for the same number of workers.
#'
#' Blocks are files in the temporary folder, so workers on other computers need one that all share (environment
#' variable `TMPDIR`). If a worker dies, another one reads its block from the file and takes over; this is done up
#' to three times for a request. A cluster whose workers ended before the call may have to be made again, and
#' plans of sessions need package future 1.40 or later to go on without a lost worker (see [cv_mkl()]). Each
#' worker takes one thread unless `options(manykernels.threads = )` is set there. It needs package future, and
#' linear, polynomial, Gaussian, Laplace, Tanimoto or arc-cosine kernels on columns that no row lacks; others
#' are an error of class `manykernels_unsupported`. A request costs some hundredths of a second in addition to
#' its computations, so a fit of less than some ten thousand rows takes longer on workers.
#'
#' @section Memory:
#' Three quarters of `cache` are for kernel values. One quarter is for the linear systems of Newton
#' steps and for cutting planes. If `cache` is below 128 MB, the latter get 32 MB or half of `cache`,
#' whichever is less, but at least 16 MB. A budget below 32 MB may therefore be exceeded. Say the
#' working set has `a` rows, the kernels use `g` different sets of columns, and a value takes 4 bytes
#' (8 in double precision). Then there are two cases:
#'
#' * If about `a (g a + 512)` values fit, those between rows of the working set are kept. Those for the
#'   checks of all rows are recomputed each time.
#' * Otherwise only rows of the summed kernel are kept, as many as there is room for.
#'
#' A smaller budget costs time. A fit that needs Newton steps, as with `p` near 1 and a small `tol`, can
#' also end as `"stalled"` above `tol` if the budget is small; give it more. A few vectors as long as
#' the data, and the constants of each kernel, are needed beyond the budget. Copies that R makes of the
#' data, and the work space of the certificate, are not counted.
#'
#' @section Threads and parallel workers:
#' `threads` and `options(manykernels.threads = )` set the number of threads of a call. If neither is
#' set, it takes all cores, but no more than
#' * what the system gives to the process and OpenMP allows (`OMP_NUM_THREADS`, `OMP_THREAD_LIMIT`);
#' * `getOption("mc.cores")` or, where it isn't set, the environment variable `MC_CORES` or
#'   `R_PARALLELLY_AVAILABLECORES_FALLBACK`;
#' * two where the environment variable `_R_CHECK_LIMIT_CORES_` is set, as in checks of packages.
#'
#' Workers that run side by side share the cores, so each of them takes one thread:
#' * *Forked workers* (`parallel::mclapply()` and `mcparallel()`, `BiocParallel::MulticoreParam()`,
#'   `doParallel::registerDoParallel(cores = )`, `future::plan("multicore")`,
#'   `parallel::makeForkCluster()`) always take one, regardless of `threads`. Threads don't survive a
#'   fork, and a child that waits for those of its parent waits for ever.
#' * *Workers of a cluster* (`parallel::makeCluster()`, `BiocParallel::SnowParam()`,
#'   `future::plan("multisession")`) are new sessions. They take one thread unless `threads` or the
#'   option is set there. For one worker on each of several computers, set it:
#'   `parallel::clusterEvalQ(cluster, options(manykernels.threads = 8))`.
#' * Other new sessions, such as those of callr, are not recognised as workers. Set the option or
#'   `OMP_NUM_THREADS` for them.
#'
#' A call from within a parallel region of OpenMP also takes one thread. So does a call from within a
#' function kernel of a fit that runs on several threads.
#'
#' @section Precision:
#' Kernel values in single precision (about seven digits) take half the memory. `"auto"`
#' uses them for more than 1,000 rows and a `tol` of at least 3e-6, unless all kernels are linear. Sums
#' over rows are in double precision. The fit switches to double precision by itself when single
#' precision makes no more progress, or when the certificate finds that `tol` is not met. The
#' certificate, [duality_gap()] and predictions always use kernels in double precision. So `precision`
#' changes the time of a fit, not its accuracy. Two fits of the same data agree within `tol`, not digit
#' by digit.
#'
#' @section Errors:
#' `mkl_control()` checks every value. Errors have the class `manykernels_error` and the fields
#' `argument` and `value`.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (Algorithm 1 is the wrapper, Algorithm 2
#' the interleaved optimiser).
#'
#' Chapelle, O. and Rakotomamonjy, A. (2008). Second order optimization of kernel parameters. *NIPS
#' Workshop on Kernel Learning*.
#'
#' Joachims, T. (1999). Making large-scale SVM learning practical. In *Advances in Kernel Methods:
#' Support Vector Learning*, 169--184. MIT Press.
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S., Laskov, P., Müller, K.-R. and Zien, A. (2009). Efficient
#' and accurate lp-norm multiple kernel learning. *Advances in Neural Information Processing
#' Systems* **22**, 997--1005.
#'
#' Rakotomamonjy, A., Bach, F. R., Canu, S. and Grandvalet, Y. (2008). SimpleMKL. *Journal of
#' Machine Learning Research* **9**, 2491--2521.
#'
#' Sonnenburg, S., Rätsch, G., Schäfer, C. and Schölkopf, B. (2006). Large scale multiple kernel
#' learning. *Journal of Machine Learning Research* **7**, 1531--1565.
#'
#' Xu, Z., Jin, R., King, I. and Lyu, M. R. (2009). An extended level method for efficient multiple
#' kernel learning. *Advances in Neural Information Processing Systems* **21**, 1825--1832.
#'
#' @seealso [mkl()]
#' @examples
#' mkl_control(tol = 1e-5, cache = "500 MB")
#'
#' fit <- mkl(iris[1:100, 1:4], droplevels(iris$Species[1:100]), control = mkl_control(tol = 1e-6))
#' fit$gap
#' fit$memory # bytes
#' # a neighbouring problem, from a warm start
#' update(fit, C = 2, control = mkl_control(start = fit))
#' # another optimiser for the same problem, and the path of its weights
#' level <- update(fit, p = 1, control = mkl_control("level", tol = 1e-6))
#' level$solves
#' matplot(level$history$theta, type = "l", lty = 1, xlab = "iteration", ylab = "weight")
#' @export
mkl_control <- function(optimizer = c("auto", "interleaved", "wrapper", "newton", "cutting_plane",
                                      "level", "reduced_gradient", "chunking"),
                        tol = 1e-3, cache = NULL, precision = c("auto", "double"), threads = NULL,
                        max_iter = Inf, max_time = Inf,
                        progress = getOption("manykernels.progress", interactive()),
                        probability = FALSE, start = NULL, candidate = TRUE, exact = TRUE,
                        trace = NULL, level = NULL, checkpoint = NULL, cluster = NULL, ...) {
  check_dots_empty(..., .hints = fit_hints)
  new_control(optimizer, tol, cache, precision, threads, max_iter, max_time, progress, probability,
              check_start(start), candidate, exact, trace, level, checkpoint,
              cluster)
}

check_start <- function(start) {
  if (is.null(start)) return(NULL)
  expected <- "a fit made by mkl(), or NULL"
  check_class(start, c("mkl", "mkl_multiclass"), "start", expected)
  check_object(start)
  finite <- vapply(models_of(start), function(model) {
    all(is.finite(model$theta)) && all(is.finite(model$alpha))
  }, NA)
  if (!all(finite)) {
    mk_abort(sprintf("`start` must be %s; this one's weights or dual variables are not finite.",
                     expected), "invalid_argument", "start", start)
  }
  start
}

check_control <- function(control, argument = "control") {
  check_class(control, "mkl_control", argument, "made by mkl_control()")
  remade(control, mkl_control, argument, "mkl_control()")
}

#' @export
print.mkl_control <- function(x, n = NULL, ...) {
  x <- check_control(x, "x")
  n <- check_shown(n)
  shown <- x
  shown$cache <- if (is.null(x$cache)) "default" else format_bytes(x$cache)
  shown$threads <- if (is.null(x$threads)) "all available" else x$threads
  shown$trace <- if (is.null(x$trace)) !is_default_optimizer(x) else x$trace
  shown$start <- if (is.null(x$start)) "none" else paste("a fit of class", class(x$start)[1])
  shown$level <- if (!is.null(x$level)) paste(format(x$level), collapse = ", then ")
  shown$checkpoint <- x$checkpoint
  shown$cluster <- if (!is.null(x$cluster)) if (isTRUE(x$cluster)) "the workers of the plan" else
    count_of(length(x$cluster), "worker")
  labels <- format(paste0(names(shown), ":"))
  lines <- sprintf("  %s %s", labels, vapply(shown, format, ""))
  print_short("Settings of an mkl() fit\n", short_lines(lines, "setting"),
              n = n)
  invisible(x)
}
