#' manykernels: multiple kernel learning with certified solutions
#'
#' @description Learns a support vector machine together with a non-negative combination of many kernels, for
#' data that come as several views, or as one table with kernels of many bandwidths. The kernel weights are
#' constrained to the unit ball of an lp-norm, with any p between 1 and infinity. Every fit reports its
#' relative duality gap, computed from the true kernels in double precision. The gap proves how close the fit
#' is to the optimum.
#'
#' * Kernels: [linear_kernel()], [polynomial_kernel()], [gaussian_kernel()], [laplace_kernel()],
#'   [arc_cosine_kernel()], [precomputed_kernel()], [function_kernel()], [native_kernel()]. For sequences
#'   [string kernels][string_kernels] and [weighted_degree_kernel()], for similarities [score_kernel()], for
#'   fingerprints [tanimoto_kernel()], for factors [categorical_kernel()]. [Kernels of
#'   networks][network_kernels], and a recipe for [compositional counts][compositional_counts]. Their views,
#'   columns and scales: [on_view()], [on_features()], [per_feature()], [normalize_kernels()].
#' * Choosing C, p and kernels: start with [cv_mkl()], its [measures] and [plots][plot.cv_mkl].
#'   [mkl_path()] is for all C in a range. [default_kernels()] are those of fits without `kernels`.
#'   [permutation_importance()], [kernel_stability()] and [drop_view()] show which kernels and views
#'   matter. The article *Choosing C, p and kernels* shows them on data.
#' * Fitting: [mkl()], [mkl_control()]; kernel by kernel: [mkl_gomp()]; dictionaries of any size:
#'   [mkl_sequential()], [kernel_dictionary()]; locally linear: [mllkm()].
#' * After the fit: [predict()][predict.mkl()], [assess()], [plot()][plot.mkl()], [summary()][summary.mkl()],
#'   [kernel_weights()], [duality_gap()], [sample_map()], [report()], [write_model()].
#' * Theory: [risk_bound()], [empirical_rademacher()], [rademacher_bound()], [rademacher_convert()],
#'   [bound_by_norm()], [gomp_bound()].
#' * Other frameworks: [svm_mkl()], [mlr3_learners_mkl], [caret_mkl()], [bioconductor], [dalex].
#' * Data: [breast_tcga], [promoters], [simulate_mkl_toy()].
#'
#' Options of the session are in [manykernels-options].
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997.
#' @useDynLib manykernels, .registration = TRUE, .fixes = "C_"
#' @importFrom stats coef fitted nobs predict residuals update
#' @importFrom methods is
#' @keywords internal
"_PACKAGE"

#' Options of manykernels
#'
#' Set them with [options()], once in a session, a script or the `.Rprofile`. All are unset by default.
#'
#' | option | value | effect |
#' | --- | --- | --- |
#' | `manykernels.threads` | a whole number | The threads of fits and predictions whose `control` sets none. Without it see "Threads and parallel workers" in [mkl_control()]. |
#' | `manykernels.progress` | `TRUE` or `FALSE` | Whether long calls show progress where `progress` isn't given. Without it they do in interactive sessions. In a script, `TRUE` writes a line every ten seconds. |
#' | `manykernels.blas` | `TRUE` or `FALSE` | Whether R's BLAS computes the inner products of views with at least four times as many columns as rows. Without it a short measurement at first use decides. A BLAS with threads of its own follows its own settings. |
#'
#' Options of other packages count, too: `mc.cores` limits the threads, `future::plan()` and `BPPARAM` choose
#' the workers of [cv_mkl()], and `progressr::handlers()` show progress in their own way.
#' @seealso [mkl_control()] for settings of single calls
#' @examples
#' old <- options(manykernels.threads = 1, manykernels.progress = FALSE)
#' fit <- mkl(Species ~ ., iris)
#' options(old)
#' @name manykernels-options
NULL
