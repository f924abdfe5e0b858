#' Choose C, p and other settings by cross-validation
#'
#' Fits cells, which are combinations of a scaling, a kernel set, `p` and `C`, to the training rows of each
#' fold, and measures how well they predict the held-out rows. It then chooses a cell and fits it to all
#' rows. Start here with new data; a single [mkl()] fit takes `C` and `p` as given.
#'
#' By default the search is adaptive (see below). If you give `p`, `C` or another grid, all cells of that
#' grid are fitted.
#'
#' The cells of a fold share one set of kernels, so distances, inner products, values of function
#' kernels and matrices are computed or read once. If only the normalisation depends on the fold
#' (`scale = FALSE` and given kernels), all folds share them. Held-out rows have no weight in the loss.
#' The constants of columns ([scaling]) and of kernels ([normalize_kernels()]), the widths of
#' [default_kernels()], and the shares of levels ([categorical_kernel()]) come from the training rows of
#' the fold alone. Fits go from the smallest `C` to the largest, and each starts from the one before.
#' Every fit has its certificate, the relative duality gap.
#'
#' @param x,y,loss,normalize,weights,multiclass,intercept,type As in [mkl()].
#'   `weights` count in the fits and in the measures.
#' @param class_weights As in [mkl()]. If it is not given, an adaptive search tries `"balanced"` beside equal
#'   weights if the classes are of very different size (see the section *Rare classes*).
#' @param threshold As in [mkl()]: `NULL`, a number, `"youden"` or `"balanced"`. It is chosen by the decision
#'   values of the chosen cell on the rows held out, without further fits. Measures and `predictions` of a
#'   fold use the threshold of the other folds, and are therefore not too optimistic.
#' @param scale `"auto"`, or how to scale the columns as in [mkl()] ([scaling]). `"auto"` tries each view
#'   standardised, as it is given, and by normal scores: first all views alike, then one view at a time from
#'   the best of these. The folds choose by the margin loss (for other responses by the measure), at the `p`
#'   nearest to 2 along a coarse `C`. Sparse views are never tried by normal scores. Nothing is chosen for
#'   sequences, views of indicators, precomputed kernels, and views whose kernels are not computed from
#'   columns, such as function kernels. `"auto"` is the default of the adaptive search. With a grid the
#'   default is `TRUE`; give `"auto"` to choose there, too.
#' @param search How to search, one of `"adaptive"` (for `model = "mkl"` without given grids the default) and
#'   `"grid"`, which fits every cell of `p` and `C`. With `search = "adaptive"`, a given `p` or `C` has all
#'   the values that the search may try.
#' @param kernels A kernel set, or a named list of kernel sets to choose between. Each set is tried with
#'   `p` (or norm) and `C` of the search, and the results have a column `set`. `NULL` (with `model = "mkl"`) is
#'   a choice between two sets: `all`, the [default_kernels()], and `smooth`, the linear kernel and the
#'   two widest Gaussians of each view. `smooth` is tried with the largest `p` only; it helps if the
#'   classes are almost linearly separable, where narrow kernels overfit.
#' @param formula,data,subset,na.action,contrasts As in [mkl()]. Terms that are made from the whole
#'   column, such as `poly()`, `splines::ns()` or `scale()`, depend on the held-out rows. Give the
#'   columns themselves to keep them apart.
#' @param p The norms to try, different numbers in \eqn{[1, \infty]}. If it is not given, an adaptive search
#'   tries some of 1, 8/7, 4/3, 8/5, 2, 8/3, 4, 8 and `Inf`.
#' @param C The weights of the loss to try, different positive numbers. If it is not given, an adaptive
#'   search tries some of the powers of 2 from 2^-10 to 2^15.
#' @param folds How to hold rows out, one of
#'   * a whole number: the number of random folds (set a seed to draw the same ones again). They are
#'     stratified by class, by the size of a numeric response (for several responses by their mean, each
#'     standardised), by event or censoring (times), or by the rarest label of a row (labels);
#'   * a vector with one value per row: the fold of each row; rows with `NA` are always training rows;
#'   * a list: of the positions held out, or of lists with `train` and `test`, such as `resamples` of
#'     another result, for a comparison on the same rows. Lists may also have `repeat_number` and `fold`.
#'     A row that is held out twice in a repeat is an error of class `manykernels_overlapping_folds`;
#'   * resamples of other packages: an `rset` of rsample, an instantiated `Resampling` of mlr3, or
#'     `trainControl()` of caret with `index` and perhaps `indexOut`. `list(index = rows)` takes any list
#'     of training rows, such as that of `caret::createFolds(y, returnTrain = TRUE)`. A new repeat begins
#'     where a row is held out again. Rows that a bootstrap drew several times have as many times the
#'     weight.
#'
#'   Positions are those of the rows of the data as they were given, here and in the result. Rows that
#'   are left out (by `subset`, `na.action` or `missing_views = "drop"`) are left out of `folds` and
#'   `group`, too. With a formula, `folds` and `group` may name columns of `data`.
#' @param repeats How many times to draw the folds, a positive whole number.
#' @param measure What to choose by: the name of one of the [measures], a function, or a list of these.
#'   The first of a list decides, by `rule`; the others are reported. `NULL`: `"accuracy"` for classes
#'   (`"balanced_accuracy"` where balanced class weights are tried, see the section *Rare classes*),
#'   `"rmse"` for numbers, the loss itself for numbers with a [custom_loss()], `"pinball"` for quantiles,
#'   `"concordance"` for censored times,
#'   `"outside_shift"` for one-class models. The mean over several responses or quantiles counts.
#' @param rule How to choose by the means, one of
#'   * `"best"`: the cell with the best mean;
#'   * `"margin"`, for classes: of all cells within one standard error of the best, the one with the
#'     least mean margin loss ([measures]), which is then measured, too;
#'   * `"one_se"`: the simplest cell within one standard error of the best, of the same kernel set.
#'
#'   `NULL`: `"margin"` for classes without a `measure`, otherwise `"best"`. The accuracy on a few hundred
#'   rows is a coarse measure, and the best of many nearly equal cells is best partly by chance. `"margin"`
#'   therefore decides between them by the distances of held-out rows from the boundary.
#'
#'   A cell is simpler if its `C` is smaller (its `lambda` larger), then if its `p` (which selects more) or
#'   `gamma` is smaller, or `max_kernels` is smaller, or its norm comes earlier. Of equal cells, `"best"` and
#'   `"margin"` take the one with the least margin loss (for classes, whatever the `measure`; for censored
#'   times the loss is `time_loss`, see [measures]), then the simplest. Losses and concordances that differ by
#'   less than the relative tolerance of the fits (`tol` of [mkl_control()]) are equal. Of equal kernel sets
#'   the one with fewer kernels of positive weight comes first.
#' @param group A vector with one value per row, such as the patient: rows with the same value are
#'   never on both sides of a fold, nor of the folds that class probabilities are calibrated on.
#' @param model The function to tune: `"mkl"`, `"mkl_gomp"` (by `lambda`, and by `max_kernels` if that is
#'   given) or `"mllkm"` (by `gamma` and `C`). Fits of `"mllkm"` and `"mkl_gomp"` share no kernels; held-out
#'   rows are left out of them altogether.
#' @param norm For `model = "mkl"`: a norm such as [elastic_net_norm()], or a list of norms to try, in
#'   place of `p`.
#' @param lambda For `model = "mkl_gomp"`: the penalties to try, different positive numbers.
#' @param max_kernels For `model = "mkl_gomp"`: the largest numbers of kernels to try, different whole
#'   numbers; `NULL`: that of [mkl_gomp()]. A cell with fewer kernels is simpler.
#' @param gamma For `model = "mllkm"`: values of its `gamma` to try, different positive numbers; `NULL`
#'   leaves the choice to [mllkm()].
#' @param control Settings from [mkl_control()] for each fit. With `probability = TRUE` there are class
#'   probabilities, which measures such as `"log_loss"` need. They take no further fits: the decision values of
#'   the rows held out calibrate them (see [predict.mkl()]). The logistic loss has its own. `progress`
#'   shows a bar with the time left, by package cli.
#' @param nested Whether to estimate how well the whole procedure, choice included, predicts: `TRUE`, `FALSE`,
#'   or the number of inner folds. The training rows of each fold are then split again (into as many folds, or
#'   5), a cell is chosen on them alone, and its error on the held-out rows counts. `estimate` of the result
#'   answers the same question without further fits.
#' @param sample_size The number of rows that the choice is made on, at least 20, `Inf` for all. `NULL` is 20,000
#'   where the data have more than 50,000, else all. The rows are drawn evenly from all classes, at least two of
#'   each, so give a larger number where a class is rare; with `group` whole groups are drawn. Half of these
#'   rows make the choice once more: it is *stable* if both agree, or if the choice of the half is at most one
#'   standard error worse on the whole sample; otherwise a warning of class `manykernels_warning_sample` is
#'   signalled. The fit is to all rows. A message and `print()` show the sizes, and
#'   `$sample` has them, with `half` (the choice of the half), `loss`, `se` and `stable`. It is for a number of
#'   `folds` without `nested`.
#' @param resume `NULL`, or a file name. Each chain of fits (one `p`, all `C`, one fold) is kept there, from
#'   one `C` to the next. If the call was interrupted or killed, the same call goes on from there, with the same
#'   numbers: drawn folds are those of the file, whatever `set.seed()` was. After `max_time` it makes the cells
#'   that are missing. A fit that was within the tolerance when time ran out stays as it is. A file is written
#'   whole or not at all, and has a checksum. Several processes may use the same file. A file that is damaged,
#'   or that belongs to another call (other data, folds, settings or another version of the package), is an
#'   error of class `manykernels_resume` that names it. Until all is done, there are further files with its name
#'   and `.unit` beside it. If the disk is full, the call goes on without it, with a warning of class
#'   `manykernels_warning_resume`.
#' @param max_time Time limit for all fits of the grid in seconds, a positive number. Cells that are not
#'   reached, and fits that are stopped above the tolerance, are missing from the results, with a warning. The
#'   fit to all rows is made afterwards, beyond this limit.
#' @param BPPARAM A `BiocParallelParam` of package BiocParallel to run on, or `NULL`.
#' @param missing_views As in [mkl()]: what to do with samples that lack a view ([missing_views]). `model =
#'   "mllkm"` does not allow `"neutral"`.
#' @param impute As in [mkl()]: how to fill missing cells ([imputation]), learnt in each fold from its training
#'   rows alone.
#' @param ... For `model = "mkl_gomp"` and `"mllkm"` further arguments of [mkl_gomp()] or [mllkm()].
#'   For the formula and data frame methods also arguments of the default method.
#'
#' @return An object of class `c("cv_mkl", "mkl_holder", "mkl_fit")`, a list with
#' \item{estimate}{an estimate for `fit` on new samples: a data frame with one row for each measure and the
#'   columns `measure`, `estimate`, `lower` and `upper` (an interval of 95 %). See the section.}
#' \item{results}{a data frame with one row for each cell. It has the values that were tried. `mean` and `se`
#'   are the mean of the first measure over the folds and its standard error (see the section), and `folds` is
#'   the number of folds in which it was measured. Each measure has the same under its name (`accuracy`,
#'   `accuracy_se`); for classes there is the margin loss, which breaks ties (`margin_loss`). `kernels` (with
#'   positive weight) and `support` (support vectors) are means, `gap` is the largest one, and `seconds` is
#'   the time in all. `failed` is the number of folds without a certified fit. `search` is the round in which
#'   the cell was tried (see below). `scale` is the scaling, where several were tried.}
#' \item{by_fold}{a data frame with one row for each fold and cell: `repeat`, `fold`, the values that were
#'   tried, each measure, `kernels`, `support`, `status`, `gap`, `seconds`, and `message`: why a fit failed,
#'   or which kernels do not vary over the fold's training rows.}
#' \item{best, best_row}{the chosen values, a named list, and their row in `results`.}
#' \item{fit}{the chosen cell fitted to all rows, of the class of `model`.}
#' \item{predictions}{a data frame with one row for each row held out (once for each repeat) and its
#'   prediction by the chosen cell, for calibration, ROC curves and stacking. It has the columns `row`
#'   (of the data as they were given), `name`, `repeat`, `fold`, `truth`, `response`, `decision` (a
#'   matrix for several models) and, if they were fitted, `prob` (a matrix). For several responses
#'   `truth` and `response` are matrices. For censored times `truth` is the time, and `status` is
#'   `"event"`, `"before"` (the event came earlier) or `"later"` (it comes later).}
#' \item{resamples}{a list with one entry for each fold of each repeat: `repeat_number`, `fold`,
#'   `train` and `test` (rows of the data as they were given; a bootstrap has some several times).}
#' \item{weights}{a list with one entry for each fold: a list with `theta` and `share` of the chosen
#'   cell, matrices of kernels by models; see [kernel_stability()].}
#' \item{nested}{`NULL`, or a list with `estimate` (a data frame with `measure`, `mean`, `se`),
#'   `by_fold` (what was chosen in each fold, and its measures) and `predictions` as above.}
#' \item{measure, larger, tuned, rule, model, n, call}{the first measure and whether larger values of
#'   it are better, the names of what was tuned, the rule that was used (never `NULL`), the model, the
#'   number of rows used, the call.}
#' \item{rows, na.action}{where not all rows were used: see [mkl()].}
#' \item{work}{`NULL` on one process, otherwise a data frame with one row for each part of the work that was
#'   sent to a worker: `units` (chains of fits), `attempt` (1, or more if it was lost before), `seconds` (of
#'   computing), `waited` (seconds in the queue and on the way), `sent` and `received` (the size in bytes of the
#'   data and settings, and of the outcomes), and `lost` (`NA`, or why it was lost).}
#' \item{row_values}{a matrix with a row for each row used: the `value` that it adds to the first measure of
#'   the chosen cell, the mean over the repeats, and its `weight`. Their weighted mean is the measure.}
#' \item{group}{the number of the group of each row used, or `NULL`.}
#' \item{measures, grid, settings, arguments}{what [drop_view()] needs to repeat the cross-validation.}
#'
#' `print()`, `summary()`, [`plot()`][plot.cv_mkl], `predict()`, `coef()`, [kernel_weights()],
#' [kernel_stability()] and [drop_view()] have methods. Those that concern one fit use `$fit`.
#'
#' @section The adaptive search:
#' The search goes on in rounds; `results$search` names that of each cell:
#' * `"scaling"`, `"scaling of a view"`: the scalings, at the `p` nearest to 2 along a coarse `C`;
#' * `"coarse C"`: 1/2, 2 and 8 (for censored times 2^-7, 2^-4, 1/2 and 4), for each kernel set;
#' * `"extended C"`: further values, as long as the leader is at the end of those tried;
#' * `"p"`: 1, 4/3, 2, 4 and `Inf` at the best `C`;
#' * `"refined"`: the neighbours of the chosen cell (`C` twice and half of its value, the next `p`), as long
#'   as one of them takes its place.
#'
#' A cell that can't win is stopped after the first folds, as soon as these hold out 100 rows (or groups) or
#' more, if less than half of all folds are needed for that. A cell is stopped if it loses to the leading one
#' by at least a standard error of the paired difference of the losses of these rows, and the measure does
#' not contradict; in the round `"refined"` also if it loses at all to the cell whose neighbour it is. Where the
#' first folds hold out 500 rows, they choose the scaling and the `p` to go on with. In `results` such cells
#' have fewer `folds`; they are never chosen. Everything is learnt in the folds, and with `nested` each outer
#' fold has a search of its own.
#'
#' @section Rare classes:
#' A class is rare if it has up to a fifth of the rows and less than half of the largest class. If
#' neither `class_weights` nor a grid is given, and `measure` is `NULL` or `"balanced_accuracy"`, the search
#' then goes on with `class_weights = "balanced"` after it has ended with equal weights, through the same rounds
#' with the scaling that it has chosen. `results` has a column `class_weights`. The balanced accuracy decides
#' between all cells, by default with `rule = "margin"`; in the margin loss all classes then count alike, too.
#' Give `class_weights = NULL` to try equal weights only. `print()` shows the share of the largest class beside
#' the accuracy, and a line tells you if all rows are predicted as one class.
#'
#' @section What to expect on new samples:
#' The mean of the chosen cell is a little too good, since the cell was chosen by it. `estimate` allows for
#' this without further fits, by the bias-corrected bootstrap of Tsamardinos, Greasidou and Borboudakis
#' (2018). Each of 1,000 draws of the samples, with replacement, chooses a cell by the same rule, by the
#' held-out rows of the samples drawn. The cell is then measured on the samples that were not drawn. `estimate`
#' is the mean over the draws, `lower` and `upper` are percentiles. Samples of the same `group` are drawn
#' together. If all draws are alike, as after folds without a single error, the interval of the accuracy is
#' Wilson's, and other measures have none. With fewer than 6 groups there is no interval.
#'
#' Measures that are no means over rows, such as the area under the ROC curve, are linearised within each
#' fold: the value of a row depends on how much the measure changes with its weight (the infinitesimal
#' jackknife; a function of yours is evaluated once without each row). The values of a row are averaged over
#' the repeats before anything is drawn. Standard errors are those of Nadeau and Bengio (2003): with the
#' variance \eqn{S^2} of the fold means of these averages around the mean of their repeat, \eqn{((1 / J +
#' n_{test} / n_{train}) S^2)^{1/2}}{sqrt((1/J + n_test/n_train) S^2)} for `J` folds. Where all fold means are
#' equal, as of stratified folds in which one class is predicted, \eqn{S^2} comes from the rows. Repeats make the
#' mean steadier, but the samples stay the same, so the standard error does not shrink with their number.
#'
#' @section Several processes and computers:
#' The grid is fitted on the workers of the user's [future::plan()], if one is set, or of `BPPARAM`. The
#' numbers are the same on any plan, up to rounding where this process has several threads, and bitwise with
#' `mkl_control(threads = 1)`. Each part of the work has the data once, and there are as many parts as
#' workers, or more if the outcomes of a part would take over 16 MB. Each fit has one thread unless `control`
#' gives another number. Without a plan the fits run one after the other, on several threads. If the outcomes of
#' a grid would take over 32 MB, they are kept in files in [tempdir()] until the call ends.
#' ```
#' future::plan(future::multisession, workers = 4)          # this computer
#' future::plan(future::cluster, workers = c("n1", "n2"))   # others by ssh
#' future::plan(future.mirai::mirai_multisession)
#' future::plan(future.batchtools::batchtools_slurm,        # a queue
#'              template = "slurm.tmpl",
#'              resources = list(walltime = 3600, memory = 4000, ncpus = 1))
#' ```
#' A template for Slurm that takes these `resources`:
#' ```
#' #!/bin/bash
#' #SBATCH --job-name=<%= job.name %>
#' #SBATCH --output=<%= log.file %>
#' #SBATCH --error=<%= log.file %>
#' #SBATCH --time=<%= ceiling(resources$walltime / 60) %>
#' #SBATCH --ntasks=1
#' #SBATCH --no-requeue
#' #SBATCH --cpus-per-task=<%= resources$ncpus %>
#' #SBATCH --mem-per-cpu=<%= resources$memory %>
#' export OMP_NUM_THREADS=<%= resources$ncpus %>
#' Rscript -e 'batchtools::doJobCollection("<%= uri %>")'
#' ```
#' If a worker is lost (its job was cancelled or killed, it had no time or memory left, or its computer
#' failed), its part of the work is sent again, up to three times, to the workers that are left. Plans of
#' sessions, here or by ssh, need package future 1.40 or later for that: older versions send it to the lost
#' worker again, except where a cluster of `parallel::makeCluster()` is the plan's. At the end a message (class
#' `manykernels_message_lost_work`) lists what was lost; see also `work` of the result. If a part is lost a
#' fourth time, the call is an error of class `manykernels_lost_work`. It names the lost folds, the reason, and
#' the file for `resume`. If the call is interrupted, its jobs are taken out of the queue.
#'
#' Set for each worker: as many processors (`ncpus`) as `threads` of `control`, or one without it; memory for R,
#' a few copies of the data, and the kernels of one fold, which `cache` of [mkl_control()] bounds; and time
#' (`walltime`) for its chains of fits, one for each fold and `p` with all `C`. Try one `p` with `folds = 2` first:
#' the sum of `by_fold$seconds` over a fold is the time of a chain. With `resume`, a job that ran out of time goes
#' on from what it had finished when it is sent again.
#'
#' Objects of the workspace that functions of [function_kernel()] use are sent to the workers of a plan. With
#' `BPPARAM` the functions must contain them. Workers need this version of the package in one of their
#' libraries; if they lack it, an error of class `manykernels_missing_package` explains how to install it
#' there.
#'
#' Progress is signalled to package progressr if it is installed; wrap the call in
#' `progressr::with_progress()`. A `resume` file must be visible to all workers.
#'
#' @section Errors:
#' The input is checked as in [mkl()], before anything is computed. If the fit of a cell fails, or stops above
#' `tol`, the other cells are kept. The cell is reported in `by_fold` and by a warning (class
#' `manykernels_warning_cells`). Cells within the folds of `nested` are in the warning alone. If the fit to
#' all rows fails, `fit` is `NULL`, with a warning of class `manykernels_warning_no_fit`. If no cell can be
#' chosen, the call is an error of class `manykernels_no_choice`. Kernels that do not vary over the training
#' rows of a fold have weight 0 there (see [mkl()]); one message of class
#' `manykernels_message_constant_kernels` names them and the folds. If no kernel varies, the fold's cells
#' fail. `control = mkl_control(start = )` is an error. A column of the data that is also `group` or `folds`
#' gives a warning of class `manykernels_warning_predictor`.
#'
#' @references
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997 (section 6: p and C chosen on rows held
#' out).
#'
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* **52**,
#' 239--281 (the standard errors).
#'
#' Tsamardinos, I., Greasidou, E. and Borboudakis, G. (2018). Bootstrapping the out-of-sample predictions for
#' efficient and accurate cross-validation. *Machine Learning* **107**, 1895--1922 (`estimate`).
#'
#' Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). *Classification and Regression Trees*.
#' Wadsworth (section 3.4.3: the rule of one standard error).
#'
#' Maron, O. and Moore, A. W. (1997). The racing algorithm: model selection for lazy learners. *Artificial
#' Intelligence Review* **11**, 193--225 (cells that can't win are stopped early).
#'
#' Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for model
#' selection. *BMC Bioinformatics* **7**, 91 (nested cross-validation).
#' @seealso [mkl()], [assess()] for new rows, [mkl_path()] for all C in a range, [measures], [plot.cv_mkl()],
#'   [kernel_stability()], [drop_view()]
#' @examples
#' set.seed(1)
#' cv <- cv_mkl(Species ~ ., iris[51:150, ], kernels = gaussian_kernel(c(0.5, 2, 8)),
#'              p = c(1, 2), C = c(0.1, 1, 10), measure = c("accuracy", "auc"))
#' cv
#' cv$results[, 1:5]
#' head(predict(cv, iris[51:150, ]))
#' @export
cv_mkl <- function(x, ...) if (is_container(x)) UseMethod("cv_mkl", any_container) else UseMethod("cv_mkl")

#' @rdname cv_mkl
#' @export
cv_mkl.default <- function(x = NULL, y, kernels = NULL, p = c(1, 4/3, 2, 4, Inf), C = 2^(-3:5),
                           folds = 5, repeats = 1, measure = NULL, rule = NULL,
                           group = NULL, model = c("mkl", "mkl_gomp", "mllkm"), norm = NULL,
                           lambda = 10^(-4:1), gamma = NULL, loss = NULL,
                           normalize = "multiplicative", class_weights = NULL, weights = NULL,
                           multiclass = c("ovr", "ovo", "shared", "joint"), control = mkl_control(),
                           intercept = TRUE, scale = "auto",
                           missing_views = c("error", "drop", "neutral"), nested = FALSE,
                           resume = NULL, max_time = Inf, BPPARAM = NULL,
                           type = c("auto", "classification", "regression", "censored",
                                    "one_class"), search = NULL, threshold = NULL, impute = NULL,
                           max_kernels = NULL, sample_size = NULL, ...) {
  refuse_abbreviated(cv_hints)
  call <- match.call()
  call[[1]] <- quote(cv_mkl)
  given <- as.character(names(call)[-1])
  model <- check_choice(model, names(cv_models), "model")
  if (!is.null(rule)) rule <- check_choice(rule, cv_rules, "rule")
  max_time <- check_number(max_time, "max_time", lower = 0, lower_open = TRUE, allow_inf = TRUE)
  values <- list(p = p, C = C, norm = norm, lambda = lambda, gamma = gamma, max_kernels = max_kernels,
                 given = intersect(grid_arguments, given))
  search <- check_search(search, model, values$given)
  if (search == "adaptive") values <- searched_values(values)
  grid <- c(cv_grid(model, values), list(search = search))
  norm <- if (model == "mkl") grid$outer[[1]]
  settings <- check_settings(2, 1, loss, norm, normalize, class_weights, multiclass, check_control(control),
                             if (!missing(intercept)) intercept, type)
  if (model == "mkl") lapply(grid$outer, check_serves, optimizer = settings$control$optimizer)
  # a given grid is fitted to standardised columns by default
  if (missing(scale) && search == "grid") scale <- TRUE
  settings$scale <- check_scale(scale, auto = TRUE)
  settings$missing_views <- check_missing_views(missing_views)
  settings$threshold <- check_threshold(threshold)
  settings["impute"] <- list(check_impute(impute))
  own <- c(mget(intersect(model_arguments, given)), list(...))
  check_model_arguments(c(names(own), "weights"[!is.null(weights)], "kernels"[!is.null(kernels)]),
                        model, ...)
  for (name in c("group", "folds")) warn_row_column(get(name), name, x)
  if (!missing(y)) watch_response(y, x)
  run <- list(grid = grid, folds = folds, repeats = repeats, group = group, nested = nested,
              resume = resume, deadline = seconds_now() + max_time, BPPARAM = BPPARAM)
  warn_once("indefinite", {
    plan <- cv_plan(x, if (!missing(y)) y, kernels, weights, settings, grid, model, own)
    run$sample_size <- check_sample_size(sample_size, plan$n, folds, nested)
    cross_validate(plan, measure, rule, run, call)
  })
}

#' @rdname cv_mkl
#' @export
cv_mkl.formula <- function(formula, data, ..., folds, group, subset, weights, na.action,
                           contrasts = NULL) {
  call <- match.call()
  caller <- parent.frame()
  data <- if (!missing(data)) plain_object(data)
  fit_formula("cv_mkl", call, data, contrasts, caller, function(parts) {
    refuse_repeated_rows(parts$memory$rows)
    by_row <- row_arguments(call, c("folds", "group"), data, parts, caller)
    given <- list(parts$x, parts$y, weights = parts$weights, ...)
    in_data_rows(do.call(cv_mkl.default, c(given, by_row), quote = TRUE), parts$memory$rows)
  })
}

# ---- implementation ------------------------------------------------------------------------------

cross_validate <- function(plan, measure, rule, run, call) {
  kind <- measure_kind(response_kind(plan$response), plan$settings$loss)
  plan <- with_class_weights(plan, measure)
  if (plan$weighs) {
    rule <- rule %||% if (is.null(measure)) "margin"
    measure <- measure %||% c("balanced_accuracy", "accuracy")
  }
  rule <- check_rule(rule, measure, kind)
  measures <- check_measure(measure, kind, has_probability(plan))
  if (rule == "margin") measures <- with_loss(measures, "margin_loss", "classification")
  reported <- measures
  measures <- with_tie_loss(measures, kind)
  if (plan$weighs) {
    reported <- with_balanced_loss(reported)
    measures <- with_balanced_loss(measures)
  }
  run <- open_run(plan, run)
  run$lines <- line_writer() # of all rounds of a search
  on.exit(run$lines$end())
  run$folder <- outcomes_folder(plan, run$resamples)
  on.exit(unlink(run$folder, recursive = TRUE), add = TRUE)
  judge <- new_judge(measures, rule, plan$settings$control$tol)
  outer <- seq_len(run$outer)
  halves <- seq_along(run$resamples)[run$halves]
  half <- NULL
  all <- found <- nested <- NULL
  with_rescue(run, {
    fixed <- is_fixed_grid(plan)
    all <- if (fixed) run_plan(plan, run$resamples, run)
    found <- if (fixed) list(plan = plan, outcomes = all[outer]) else search_cells(plan, run, outer, judge)
    if (length(halves)) {
      half <- if (fixed) list(plan = plan, outcomes = all[halves]) else search_cells(plan, run, halves, judge)
    } else if (run$outer < length(run$resamples)) nested <- nested_estimate(plan, run, all, judge, reported)
    close_rounds(run)
    run$lines$end()
  })
  tell_files(run)
  outcomes <- found$outcomes
  plan <- found$plan
  scores <- score_outcomes(plan, run$resamples[outer], outcomes, measures)
  by_fold <- scores$by_fold
  values <- scores$values
  results <- scores$results
  chosen <- judge_cells(judge, results)
  if (is.na(chosen)) abort_no_choice(by_fold)
  warn_cells(by_fold, plan$settings$control$tol)
  inform_constant_folds(run$resamples, lapply(all %||% outcomes, function(chains) {
    unique(unlist(lapply(cells_of(chains), `[[`, "constant")))
  }))
  sample <- if (length(halves)) check_half(half, plan, run, measures, judge, results, chosen)
  cells <- lapply(outcomes, function(chains) cells_of(chains)[[chosen]])
  rules <- decision_rules(cells, plan, run$resamples[outer])
  own <- cell_plan(plan, chosen)
  cv <- structure(list(
    results = results, by_fold = by_fold, best = cell_values(plan, chosen), best_row = chosen,
    fit = with_rules(with_seed(run$final_seed, try_final_fit(own, call)), rules$all, plan),
    predictions = held_out_frame(plan, run$resamples[outer], interpret_cell(cells, plan, run$resamples[outer])),
    estimate = with_seed(run$final_seed, estimate_choice(values, results, measures[[1]]$larger, rule,
                                                         reported, run$group, judge$tol)),
    row_values = cbind(value = values[[1]]$sum[, chosen] / values[[1]]$weight[, chosen],
                       weight = values[[1]]$weight[, chosen]), group = run$group,
    resamples = run$resamples[outer], weights = lapply(cells, `[`, c("theta", "share")),
    nested = nested, sample = sample, work = work_report(run$log),
    measure = measures[[1]]$name, larger = measures[[1]]$larger, measures = reported,
    tuned = plan$tuned, rule = rule, model = plan$model, n = plan$n,
    grid = run$grid, settings = own$settings,
    arguments = own$arguments, call = call, version = model_version
  ), class = c("cv_mkl", "mkl_holder", "mkl_fit"))
  note_dropped(in_data_rows(cv, dropped_rows(plan$samples)), plan$samples)
}

# The results of one cell on all folds of the sample, where a search has not tried it or stopped it early.
try_cell <- function(plan, cell, run, measures) {
  plan <- cell_plan(plan, cell)
  plan$search <- "grid"
  resamples <- run$resamples[seq_len(run$outer)]
  run <- c(run[c("deadline", "log", "BPPARAM")], list(seeds = run$seeds[seq_len(run$outer)]))
  score_outcomes(plan, resamples, run_plan(plan, resamples, run), measures)$results
}

# The sample of the choice, and whether the choice on half of it is as good there.
check_half <- function(half, plan, run, measures, judge, results, chosen) {
  resamples <- run$resamples[run$halves]
  own <- judge_cells(judge, score_outcomes(half$plan, resamples, half$outcomes, measures)$results)
  rows <- length(unique(unlist(lapply(run$resamples[seq_len(run$outer)], `[[`, "test"))))
  values <- if (!is.na(own)) cell_values(half$plan, own)
  tried <- lapply(seq_len(nrow(results)), cell_values, plan = plan)
  at <- which(vapply(tried, identical, NA, values) & results$folds == max(results$folds))[1L]
  found <- if (!is.na(at)) results[at, ] else if (!is.na(own)) try_cell(half$plan, own, run, measures)
  sample <- c(list(rows = rows, of = plan$n, measure = measures[[1L]]$name),
              compare_choices(values, found, results[chosen, ], measures[[1L]]))
  if (!sample$stable) {
    text <- stable_text(sample, cell_values(plan, chosen), 3)
    mk_warn(paste(text, "A larger `sample_size` may choose better."), "sample", "sample_size", rows)
  }
  sample
}

# The rule given, or the default, which depends on whether a measure is given.
check_rule <- function(rule, measure, kind) {
  if (is.null(rule)) return(if (kind == "classification" && is.null(measure)) "margin" else "best")
  if (rule == "margin" && kind != "classification") {
    others <- choices_text(setdiff(cv_rules, "margin"))
    abort_argument(rule, "rule", sprintf("%s for %s", others, kind_text(kind)))
  }
  rule
}

# The resamples, `outer` of them for the choice and the others within these, with seeds for all of them and
# for the fit to all rows, newly made or from the file of `resume`.
open_run <- function(plan, run) {
  inner <- check_nested(run$nested, run$folds)
  group <- of_samples(run$group, plan$samples, "group")
  run$folds <- given_splits(run$folds, plan$samples$n)
  folds <- folds_of_samples(run$folds, plan$samples)
  make <- function() {
    draw <- function(rows) resamples_within(rows, folds, run$repeats, plan$response, group, plan$weights)
    rows <- if (!is.null(run$sample_size)) {
      sampled_rows(seq_len(plan$n), run$sample_size, plan$response, group)
    }
    resamples <- if (is.null(rows))
      resamples(folds, run$repeats, plan$response, group, plan$n, plan$weights) else
      draw(rows)
    outer <- length(resamples)
    if (!is.null(rows)) {
      resamples <- c(resamples, draw(sampled_rows(rows, length(rows) %/% 2L, plan$response, group)))
    }
    if (inner) resamples <- c(resamples, inner_resamples(plan, resamples, inner, group))
    list(resamples = resamples, outer = outer,
         seeds = sample.int(.Machine$integer.max, length(resamples)),
         final_seed = sample.int(.Machine$integer.max, 1L))
  }
  workers <- choose_backend(run$BPPARAM)$workers
  c(open_store(run$resume, function() plan_fingerprint(plan, run), make, workers),
    run[c("grid", "deadline", "BPPARAM")],
    list(group = check_group(group, plan$n), log = new_work_log())) |> with_halves(run) |> open_rounds(plan)
}

with_halves <- function(opened, run) {
  opened$halves <- seq_along(opened$resamples) > opened$outer & !is.null(run$sample_size)
  opened
}

# The number of inner folds; 0 for none.
check_nested <- function(nested, folds) {
  if (is.logical(nested)) {
    if (!check_flag(nested, "nested")) return(0L)
    return(if (is.numeric(folds) && length(folds) == 1) as.integer(folds) else 5L)
  }
  if (!is.numeric(nested)) abort_argument(nested, "nested", "TRUE, FALSE or a whole number >= 2")
  check_count(nested, "nested", lower = 2L)
}

# The values of a cell, named; `norm` is an object, and `scale` is as mkl() takes it.
cell_values <- function(plan, cell) {
  position <- plan_cells(plan)[cell, ]
  values <- as.list(grid_table(plan)[cell, , drop = FALSE])
  if (!is.null(values$norm)) values$norm <- plan$outer[[position$outer]]
  if (!is.null(values$scale)) values$scale <- plan$scales[[position$scale]]
  values
}

# The plan of one of its cells alone.
cell_plan <- function(plan, cell) {
  position <- plan_cells(plan)[cell, ]
  part_of_plan(plan, position$outer, position$inner, position$scale)
}

# The fit to all rows, or NULL with a warning, so that the results of the folds are not lost. Kernels that do
# not vary over all rows vary in no fold, so a message has named them.
try_final_fit <- function(plan, call) {
  tryCatch(catch_constant(final_fit(plan, call))$value, manykernels_error = function(e) {
    mk_warn(paste("The fit to all rows failed, `fit` is NULL:", conditionMessage(e)), "no_fit")
    NULL
  })
}

# plan: of one cell.
final_fit <- function(plan, call) {
  data <- list(x = if (length(plan$raw)) plan$raw, y = plan$response,
               kernels = kernels_of_set(plan, plan$set), weights = plan$weights)
  control <- plan$settings$control
  control$probability <- FALSE # the folds calibrate the decision values
  with_call(refit(plan, data, plan$outer[[1L]], plan$inner, control), call)
}
