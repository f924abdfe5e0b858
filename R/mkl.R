#' Multiple kernel learning
#'
#' @description
#' Fits a model that combines several kernels, and learns how much weight each of them gets. With kernels
#' on several data sets ("views") of the same samples, it learns from all of them together. The model is
#' a classifier, a regression, a regression of censored times, or a region that contains most samples.
#'
#' A typical analysis has four steps:
#' 1. Put the data into `x`: a matrix or a data frame with one row per sample, or a named list of these
#'   with one element per view. Put the response into `y`.
#' 2. Call `mkl(x, y)`. By default each view gets a linear kernel and seven Gaussian kernels, and columns
#'   are standardised.
#' 3. Choose `C` and `p` by cross-validation with [cv_mkl()], which takes the same `x` and `y`. `mkl()`
#'   uses the values that it is given.
#' 4. Call [predict()][predict.mkl()] for new samples, [kernel_weights()] for the weights, and [assess()]
#'   for errors on a test set.
#'
#' With `p = 1` few kernels get all the weight. With `p = Inf` all kernels get the same weight, which is a
#' plain support vector machine (SVM) on their sum. With values in between, such as 4/3 or 2, weights
#' differ and few or none of them are 0.
#'
#' @details
#' Given kernels \eqn{k_1, \dots, k_M}{k_1, ..., k_M}, `mkl()` finds weights \eqn{\theta \ge 0},
#' \eqn{\|\theta\|_p \le 1}{||theta||_p <= 1}, and a function
#' \deqn{f(x) = \sum_m \theta_m \sum_j \alpha_j k_m(x_j, x) + b}{
#'   f(x) = sum_m theta_m sum_j alpha_j k_m(x_j, x) + b}
#' that minimise \eqn{\sum_i C_i V(f(x_i), y_i) + \frac12 \sum_m \|w_m\|^2/\theta_m}{
#'   sum_i C_i V(f(x_i), y_i) + 1/2 sum_m ||w_m||^2 / theta_m} for a loss \eqn{V}, such as the hinge
#' loss \eqn{\max(0, 1 - y f)}{max(0, 1 - y f)} of the SVM (see [losses] and the section *Losses and
#' their duals*). Other [norms] can replace the p-norm. Each fit contains its relative duality gap, which
#' proves how close to the optimum it is.
#'
#' @param x The data, one row per sample: a numeric matrix, a data frame (factors become indicator columns), a
#'   sparse matrix of package Matrix, a table on disk such as a dataset of Arrow or a matrix in an HDF5 file
#'   ([tables]), or a **named list of views** of these, all with the same rows. It may be left out when every
#'   kernel is precomputed: `mkl(y = y, kernels = k)`. See the sections *Names of samples* and *Data that are
#'   refused* of [mkl()].
#' @param formula A formula `response ~ predictors`. Predictors are coded as in [stats::lm()]
#'   (`contrasts`, factors, interactions), without the intercept column. Levels
#'   without rows keep their columns, as in a data frame `x`. A factor or text with a single level becomes
#'   a constant column; a message of class `manykernels_message_constant_column` names it.
#' @param data A data frame with the variables of `formula`. Without it the variables are taken from
#'   the formula's environment. A formula makes one view of all columns. To use several views,
#'   give a list `x`; several matrices in a formula are an error (class `manykernels_formula_views`).
#' @param subset,na.action,contrasts As in [stats::lm()]: the rows to use, what to do with rows that
#'   have missing values (by default they are left out), and the coding of factors.
#' @param y The response, one value per row. A factor, a character or logical vector, or a numeric vector with
#'   exactly two distinct values means classification, other numbers mean regression. If this is not what you
#'   mean, set `type`. A response that is also a column of `x` gives a warning of class
#'   `manykernels_warning_predictor`. A message reports the choice if `y` has two numeric values (class
#'   `manykernels_message_classification`) or at most 10 different whole numbers
#'   (`manykernels_message_regression`) and neither `type` nor `loss` decides. The **second** level is the
#'   positive one, which positive decision values predict. Levels are in the order of the factor, of other
#'   types in sorted order, so `TRUE` is positive. Levels without cases are dropped with a message (class
#'   `manykernels_message_levels`). The order of an ordered factor with more than two levels is not used,
#'   which a message of class `manykernels_message_ordered` points out. A factor or text with nearly as many
#'   classes as rows is an error. A `Surv` object of package survival means censored times, see
#'   [censored_loss()]. A matrix or data frame with several columns means several responses, see the section
#'   *Several responses*. Without `y`, or with `NULL` (a formula without left-hand side), the model is a
#'   one-class model of the region where the rows lie.
#' @param kernels The kernels, a `kernel_set` made by [linear_kernel()], [gaussian_kernel()],
#'   [precomputed_kernel()] and the like, joined by `c()`. Kernels without a view apply to every
#'   view. `NULL` means [default_kernels()]: a linear kernel and seven Gaussians for each view, which
#'   printing the fit shows.
#' @param p The norm of the kernel weights, a number in \eqn{[1, \infty]}. It is not used if `norm`
#'   is given. See the section *Defaults of p and C*.
#' @param C The weight of the loss, a positive finite number. Large values fit the training data
#'   more closely. In a regression the loss is that of the standardised response; see `scale`. For
#'   the quality of the default see the section *Defaults of p and C*.
#' @param loss The loss, a name or an object as in [losses]. `NULL`: `"hinge"` for classes,
#'   `"epsilon_insensitive"` (with epsilon 0.1, in standard deviations of `y`; see `scale`) for
#'   numbers, `"censored"` for times, `"one_class"` without a response. [quantile_loss()] with several
#'   values of `tau` fits one model for each.
#' @param norm A norm of the kernel weights made by [lp_norm()], [quadratic_norm()], [block_norm()],
#'   [elastic_net_norm()], [sum_norm()] or [custom_norm()], in place of `p`; `NULL`: the lp-norm of `p`.
#' @param normalize How each kernel is scaled: `"multiplicative"` (unit variance in feature space),
#'   `"spherical"` (\eqn{k(x,x) = 1}), `"trace"` (unit trace) or `"none"`, or one of these after
#'   centring in feature space, as in `c("centre", "multiplicative")`. The constants come from the
#'   training data and are kept for prediction. [normalize_kernels()] chooses per kernel.
#' @param class_weights Factors that multiply `C` by class: a positive numeric vector named by level
#'   (1 for levels that are not named), or `"balanced"`. This gives both sides of each two-class problem
#'   the same total weight; the factor is (sum of case weights)/(2 sum of the side's case weights).
#' @param weights Case weights, one non-negative finite number per row, not all zero. They multiply
#'   `C`. Rows with weight zero don't count in the loss and can't be support vectors, but they take part
#'   in the normalisation of the kernels. Probabilities are calibrated with these weights, too, of which
#'   only the ratios count there. With a formula they may be a column of `data`. Weights with names
#'   are matched to the rows, unless the names are those of classes.
#' @param multiclass What to do with more than two levels. `"ovr"` fits one model per level, the level
#'   against the others. `"ovo"` fits one model per pair of levels. `"shared"` is `"ovr"` with **one**
#'   vector of kernel weights for all models, which is found jointly. `"joint"` is one problem for all
#'   levels: the multi-class hinge loss of Crammer and Singer (2001) with one vector of kernel weights (Zien and
#'   Ong 2007), without an offset, by the optimisers `"auto"`, `"wrapper"`, `"level"`, `"cutting_plane"` and
#'   `"reduced_gradient"`. With several responses or quantiles, `"ovr"` means that each model has its own kernel
#'   weights and `"shared"` that all models share one vector; `"ovo"` is not allowed. `"joint"` is for classes
#'   alone.
#' @param control Settings of the optimiser from [mkl_control()]: accuracy, time, memory, threads,
#'   class probabilities, warm starts.
#' @param intercept `TRUE` for a model with the offset b, `FALSE` for one without. One-class models
#'   have no offset, so it must not be `TRUE` for them.
#' @param scale Whether to standardise columns, and the response of a regression: `TRUE`, `FALSE`,
#'   `"normal_scores"`, or a choice by view. See [scaling] for what that means and which columns are left
#'   alone. `mkl()` standardises by default, whatever the data; [cv_mkl()] chooses.
#' @param missing_views What to do with samples that lack a view: all values of their row in the view are
#'   `NA`, or the view has no row of their name. `"error"` stops and names the samples, `"drop"` leaves
#'   them out with a message, and `"neutral"` keeps them at the mean of centred kernels. See
#'   [missing_views] for the assumptions.
#' @param type The kind of problem: `"classification"`, `"regression"`, `"censored"` (times) or
#'   `"one_class"`. With `"regression"` numbers are values, even if there are only two different ones or
#'   one; with `"classification"` numbers are classes. `"auto"` follows the loss, or `y` if the loss
#'   allows both. Set `type` in code that fits models to many responses, or to parts of one.
#' @param group `NULL`, or a vector with one value per row, such as the patient, for
#'   `mkl_control(probability = TRUE)` and for a `threshold` that is chosen. The folds that calibrate class
#'   probabilities then keep rows of a group together. Otherwise several rows of one patient make the
#'   probabilities of other patients too extreme. With a formula it may be a column of `data`. [cv_mkl()] passes
#'   its own `group` on.
#' @param threshold For two classes: the decision value above which the second level is predicted. `NULL` is
#'   0; a finite number is used as it is. `"youden"` and `"balanced"` choose it from decision values of
#'   held-out rows, which takes five more fits (none if `probability = TRUE` makes them anyway). `"youden"`
#'   maximises sensitivity plus specificity (Youden 1950), that is the balanced accuracy; `"balanced"` makes
#'   the two as equal as possible. `fit$threshold` is the number, and all predictions of classes use it.
#'   Decision values and probabilities stay as they are. For several classes or labels use `class_weights`; a
#'   threshold is an error.
#' @param impute How to fill missing cells: `NULL` (they are an error), `"median"`, `"knn"`, `"half_minimum"`, a
#'   function of two matrices, or these named by view. See [imputation].
#' @param ... For the data frame and formula methods, arguments of the default method. Other
#'   methods use no further arguments, and any that are given are an error.
#'
#' @return An object of class `mkl_fit`, the parent class of all fits. For two classes, numbers, times
#' and one class it is of class `mkl`, too: a list with
#' \item{theta}{numeric, named by kernel, length M: the kernel weights, \eqn{\ge 0}, of unit
#'   p-norm; for other norms see [norms].}
#' \item{alpha}{numeric, length n: the signed dual variables, 0 off the support.}
#' \item{offset}{the number b; 0 in models without an offset.}
#' \item{support}{integer: the rows with non-zero `alpha`.}
#' \item{objective, primal, gap}{the dual value, the primal value, and (primal - dual)/|primal|,
#'   computed from the kernels in double precision by code apart from the optimiser's.}
#' \item{converged, status}{whether `gap` is at most `tol`; `"converged"`, `"time_limit"`,
#'   `"iteration_limit"`, `"interrupted"` or `"stalled"` (no further progress in floating-point arithmetic).}
#' \item{optimizer}{the optimiser that made the fit, which `"auto"` of [mkl_control()] chose.}
#' \item{iterations, solves, history}{the number of iterations, how many times an SVM was solved, and a
#'   data frame. Its columns are `iteration`, `time` (seconds), `objective`, `gap`, `active_kernels`,
#'   `support_vectors` and `solves` (so far). With `trace` of [mkl_control()] the matrix `theta` has the
#'   kernel weights of each iteration in a row. The optimisers `"level"` and `"cutting_plane"` add
#'   `lower` and `upper`, the bounds of the optimum by their planes and by the best weights so far, and
#'   their difference `delta` (`NA` in steps without planes).}
#' \item{p, norm, penalty, C}{p (`NA` for norms other than lp), the name of the norm (`"lp"`,
#'   `"quadratic"`, `"block"`, `"elastic_net"`), the norm itself (see [norms]), and C as given.}
#' \item{loss, loss_parameter, intercept}{the name of the loss, its parameter (named; `NULL` if the
#'   loss has none, a list if it has several), and whether there is an offset.}
#' \item{levels, task}{the two levels, of which the second is the positive one (`NULL` for regression
#'   and one class), and in models of several classes the levels of the response that each side stands
#'   for.}
#' \item{kernels, constants}{the kernels as resolved on the views, and their normalisation
#'   constants: a list with `centre`, `scaling`, `scale` (0 for kernels that do not vary), `centre_list`,
#'   `total`.}
#' \item{terms, call}{the terms of the formula (`NULL` without one) and the call. Fits made from a
#'   formula also have `xlevels` and `contrasts`. Where not all rows of the data were used, there are
#'   `na.action` and `rows`: a list with their number `n` and the positions `used`.}
#' \item{forms}{numeric, length M: \eqn{\alpha^\top K_m \alpha}{alpha' K_m alpha}.}
#' \item{decision, y, cost, weights}{values of each row. The decision value is f(x) - 1 for one class.
#'   The response is `NULL` for one class; censored times are printed with "+" where the event comes
#'   later. The loss weight \eqn{C_i} is `C` times class and case weight, and 0 for rows left out. The
#'   case weights are `NULL` if all are 1.}
#' \item{data}{the parts of the data for prediction: support vectors, explicit weights of linear
#'   kernels, and the layout of the views.}
#' \item{scaling}{the constants of standard columns and response: a list with `views` (for each view
#'   `NULL`, or a list of `centre` and `scale`, for normal scores also `scores`) and `response` (`NULL`,
#'   or `centre` and `scale`); see [scaling].}
#' \item{probability}{the sigmoid of [predict.mkl()], or `NULL`; for logistic loss that of the model
#'   itself.}
#' \item{normalize, missing_views, control}{settings.}
#' \item{memory}{the peak memory of the optimiser in bytes, without the data: kernel values, systems of
#'   Newton steps, constants of the kernels; see `cache` in [mkl_control()].}
#' \item{version}{the version of the structure of fits, a whole number. Methods refuse fits of other
#'   versions.}
#'
#' For more than two levels, an object of class `mkl_multiclass`. It is a list with `models`, a named
#' list of `mkl` objects. `theta` is a vector for `"shared"` and `"joint"`, otherwise a matrix (kernels by models),
#' and `decision` is a matrix (rows by models). `gap`, `converged` and `status` have one value per
#' model. Further fields are `levels`, `strategy`, and `p`, `C`, `y`, `kernels`, `terms`, `call`, ... as
#' above. The names are levels, or `"a:b"` for the pair of levels a and b, where b is positive; if a
#' level contains ":", another separator is used. In models of `"ovr"`, `"shared"` and `"joint"` the first
#' level is called `"not a"`. For `"shared"` and `"joint"`, objective, gap, history and theta are those of the
#' problem of all models, the same in every model.
#'
#' For several responses or quantiles, an object of class `mkl_multioutput`, which inherits from
#' `mkl_multiclass`. Its `models` are named by column or `tau`, `levels` is `NULL`, `strategy` is
#' `"own"` or `"shared"`, and `outputs` is `"labels"`, `"numbers"` or `"quantiles"`.
#'
#' @section Defaults of p and C:
#' `p = 2` and `C = 1` were measured with default kernels on 20 sets of real data with classes and 6
#' regressions (`bench/defaults.R` in the package's sources). `p` in 1, 4/3, 2, `Inf` and `C` from 1/32
#' to 128 were compared by cross-validation. `r defaults_text()` For probabilities choose `C` by
#' `measure = "log_loss"`.
#'
#' @section Several responses:
#' A matrix or data frame `y` of 0 and 1, or of `FALSE` and `TRUE`, holds labels. A row may have none,
#' one or several of them. Each column gets a two-class model, in which 1 (`TRUE`) is positive.
#' `class_weights` are named `"0"` and `"1"` (`"FALSE"` and `"TRUE"`), and `"balanced"` balances each
#' column separately. Any other matrix of numbers, or one whose `loss` is for numbers, holds the
#' responses of a regression, each standardised separately (see `scale`). Predictions are matrices
#' with the columns' names. By default each model has its own kernel weights, as if it were fitted
#' alone. With `multiclass = "shared"` all models have the same weights, which minimise the sum of the
#' columns' problems. Use it if the responses are likely to depend on the same views. [cv_mkl()]
#' averages each measure over the columns, and [mkl_gomp()] takes the same matrices.
#'
#' @section Names of samples:
#' Views, kernel matrices, `y` and `weights` are matched by the names of the samples if they have any. These
#' are the row names of matrices and data frames (`y` may be a data frame or matrix with one column), the
#' names of vectors and factors, and the row and column names of kernel matrices. The reference is the first
#' view with names or, without such a view, the first precomputed kernel with names. A part with the same
#' names in another order is reordered; a message (class `manykernels_message_row_order`) names the part.
#' Different names are an error of class `manykernels_sample_names` that lists some of them (views: see
#' [missing_views]). Where two parts have names, duplicated ones are an error of class
#' `manykernels_duplicated_samples`, unless the sequences are the same. If only one side has names,
#' positions count, and names may be duplicated. Row numbers (1, 2, ..., which data frames have by default)
#' count as names only if the other side has the same ones in another order. If different names mean the
#' same samples row by row, remove those of one side: `rownames(x$b) <- NULL`. Variables of a formula belong
#' to the rows of `data`; variables from elsewhere are matched to these by name. [predict()][predict.mkl()],
#' [duality_gap()] and all other functions that take data do the same.
#'
#' @section Data that are refused:
#' Some input is an error, because a model of it would probably not be what you intend:
#' * Kernel matrices and distances given as `x` (class `manykernels_kernel_as_data`): `dist`, kernel matrices
#'   of kernlab and kebabs, arrays, and symmetric numeric matrices of three rows or more that a kernel would
#'   use. Diagonal matrices, and those with row names that differ from their column names, are data. Give
#'   kernel matrices and distances to [precomputed_kernel()]. If a symmetric matrix does hold features, give
#'   it as a data frame or as a sparse matrix of package Matrix.
#' * Text and factors that identify rows (class `manykernels_identifier`): more than 10 different
#'   values, and at least 9 for every 10 rows, in data frames, formulas and `y`.
#' * Dates, times and time spans in data frames and formulas. Their unit would be arbitrary, so give
#'   numbers, as by `as.numeric()`.
#' * Case weights of package hardhat as predictors (class `manykernels_predictor`): give them as `weights`, and
#'   leave them out of `.`, as in `y ~ . - w`.
#'
#' @section Kernels that do not vary:
#' Kernels that are constant over the training rows, or 0, can't be
#' normalised and add nothing to any function. Examples are kernels on a constant column
#' ([per_feature()], [on_features()]) or on a view of constant columns, such as a rare mutation that no
#' row of a fold has. Their weight is 0, also for `p = Inf`, and `scale` of `constants` is 0. They take
#' no part in the problem that is solved and certified; a quadratic norm keeps its values for weights
#' that are 0 there. A message of class `manykernels_message_constant_kernels` names them. Its field
#' `value` contains the names: views whose kernels are all constant, then single kernels. If no kernel
#' varies, the call is an error of class `manykernels_constant_kernel`. With `normalize = "none"`,
#' `"trace"` or `"spherical"` without centring, only kernels that are 0 count as constant.
#'
#' @section Speed and memory:
#' Kernels on the same columns of the same view share their distances and dot products, which are computed for
#' each set of columns, not for each kernel.
#'
#' | kernels | cost |
#' | --- | --- |
#' | Gaussians on the same columns | one distance; from three on, one function of it for all |
#' | polynomials on the same columns | one dot product, shared by all kernels there; a power each |
#' | linear kernels on columns of their own | weighted columns: never a matrix of rows by rows |
#' | precomputed | used in R's memory, without a copy |
#' | function kernels | no sharing: R functions are called block by block, on one thread |
#'
#' Standardised columns ([scaling]) are a copy of the data and take as much memory.
#'
#' Let a fit have n rows, d columns, g sets of columns, s support vectors, and a rows in the working set
#' (the support vectors and some more; see [mkl_control()]). It takes about a n d g operations for
#' distances and dot products, once if they fit into memory. Each move of the kernel weights takes about
#' a s g more, and each check of all rows n s g. The certificate takes about n s (d + 1) g in double
#' precision. Time grows with the number of support vectors, which depends on `C` and on the overlap of
#' the classes, and with a smaller `tol`. In sparse views, products of rows cost as much as their
#' nonzero values. A prediction takes s d g operations per row. Linear kernels take d, as their weights
#' are kept in place of support vectors, except under spherical scaling.
#'
#' Kernels keep no matrices of size n x n, with one exception. If a set of columns has at least four
#' times as many columns as rows, the distances of all rows are kept, and their inner products if
#' kernels need them. Both take at most half the memory of the columns. The optimiser stores about 4 a a
#' g bytes or less (twice that in double precision). It stays within the budget `cache` of
#' [mkl_control()], at some loss of time if need be, and `fit$memory` is the memory that it used.
#' Several classes by `"ovr"` and `"ovo"` are fitted one after the other, each within this budget.
#' Centring keeps n numbers for each kernel.
#'
#' @section Losses and their duals:
#' With \eqn{s_m = \alpha^\top K_m \alpha}{s_m = alpha' K_m alpha}, `alpha` maximises the dual value
#' \eqn{\sum_i D_i(\alpha_i) - \frac12\|(s_m)\|_{p^*}}{sum_i D_i(alpha_i) - 1/2 ||(s_m)||_p*},
#' p* = p/(p-1) (other norms have another last term, see [norms]), where the \eqn{\alpha_i}{alpha_i} sum
#' to 0 in models with an offset. The largest dual value is the least primal value; `objective` of the
#' fit reaches it up to the gap. A row's `alpha` is minus the slope of its loss at its decision value,
#' so it is 0 for rows without loss.
#'
#' | loss | \eqn{V(t, y)}{V(t, y)} | \eqn{D_i(\alpha)}{D_i(alpha)} | feasible |
#' | --- | --- | --- | --- |
#' | hinge | \eqn{\max(0, 1 - ty)}{max(0, 1 - ty)} | \eqn{y\alpha}{y alpha} | \eqn{0 \le y\alpha \le C_i}{0 <= y alpha <= C_i} |
#' | squared hinge | \eqn{\frac12\max(0, 1 - ty)^2}{max(0, 1 - ty)^2 / 2} | \eqn{y\alpha - \alpha^2/(2C_i)}{y alpha - alpha^2/(2 C_i)} | \eqn{y\alpha \ge 0}{y alpha >= 0} |
#' | logistic | \eqn{\log(1 + \exp(-ty))}{log(1 + exp(-ty))} | \eqn{C_i H(y\alpha/C_i)}{C_i H(y alpha/C_i)}, \eqn{H(u) = -u\log u - (1-u)\log(1-u)}{H(u) = -u log u - (1-u) log(1-u)} | \eqn{0 \le y\alpha \le C_i}{0 <= y alpha <= C_i} |
#' | squared | \eqn{\frac12(y - t)^2}{(y - t)^2 / 2} | \eqn{y\alpha - \alpha^2/(2C_i)}{y alpha - alpha^2/(2 C_i)} | any |
#' | epsilon-insensitive | \eqn{\max(0, |y - t| - \epsilon)}{max(0, |y - t| - epsilon)} | \eqn{y\alpha - \epsilon|\alpha|}{y alpha - epsilon |alpha|} | \eqn{|\alpha| \le C_i}{|alpha| <= C_i} |
#' | Huber | squared up to \eqn{|y - t| = \delta}{|y - t| = delta}, linear beyond | \eqn{y\alpha - \alpha^2/(2C_i)}{y alpha - alpha^2/(2 C_i)} | \eqn{|\alpha| \le C_i\delta}{|alpha| <= C_i delta} |
#' | quantile | \eqn{\tau(y - t)}{tau (y - t)} for \eqn{t \le y}{t <= y}, else \eqn{(1 - \tau)(t - y)}{(1 - tau) (t - y)} | \eqn{y\alpha}{y alpha} | \eqn{-C_i(1 - \tau) \le \alpha \le C_i\tau}{-C_i (1 - tau) <= alpha <= C_i tau} |
#' | censored, event | \eqn{\max(0, |y - t| - \epsilon)}{max(0, |y - t| - epsilon)} | \eqn{y\alpha - \epsilon|\alpha|}{y alpha - epsilon |alpha|} | \eqn{|\alpha| \le C_i}{|alpha| <= C_i} |
#' | censored, event after y | \eqn{\max(0, y - t - \epsilon)}{max(0, y - t - epsilon)} | \eqn{y\alpha - \epsilon\alpha}{y alpha - epsilon alpha} | \eqn{0 \le \alpha \le C_i}{0 <= alpha <= C_i} |
#' | censored, event before y | \eqn{\max(0, t - y - \epsilon)}{max(0, t - y - epsilon)} | \eqn{y\alpha + \epsilon\alpha}{y alpha + epsilon alpha} | \eqn{-C_i \le \alpha \le 0}{-C_i <= alpha <= 0} |
#' | multi-class hinge (no b) | \eqn{\max(0, \max_{r \ne y} 1 + t_r - t_y)}{max(0, max over r != y of 1 + t_r - t_y)} | \eqn{\alpha_y}{alpha_y} | \eqn{\alpha_y \le C_i}{alpha_y <= C_i}, \eqn{\alpha_r \le 0}{alpha_r <= 0} for the other levels r, \eqn{\sum_r \alpha_r = 0}{sum_r alpha_r = 0} |
#' | one-class (no y, no b) | \eqn{\max(0, 1 - t)}{max(0, 1 - t)} | \eqn{\alpha}{alpha} | \eqn{0 \le \alpha \le C_i}{0 <= alpha <= C_i} |
#'
#' The multi-class hinge loss (`multiclass = "joint"`) has a decision value \eqn{t_r}{t_r} and a dual variable
#' \eqn{\alpha_r}{alpha_r} for each level r, and \eqn{s_m}{s_m} is summed over the levels.
#'
#' Squared loss with one kernel is kernel ridge regression. With `p = 1` and linear kernels on sets of columns
#' it is the group lasso, which is smoothed for p above 1 (Kloft et al. 2011, section 3.3). One-class models
#' (their section 3.4) separate the rows from the origin of the feature space. Up to scale they are the
#' one-class SVMs of other packages: with n rows, the sum of `alpha` over `C` n is their \eqn{\nu}{nu}. Do not
#' centre kernels for them: this would move the origin into the middle of the rows.
#'
#' @section Errors:
#' Input is checked before anything is computed. All errors have the class `manykernels_error` and a more
#' specific one (`manykernels_invalid_argument`, `manykernels_length`, `manykernels_missing_values`,
#' `manykernels_one_class`, `manykernels_constant` (a column of several responses), `manykernels_no_events`
#' (of censored times), `manykernels_times_table` (times beside their status, which are not two responses),
#' `manykernels_memory` (not enough free memory; where the system reports it, this is checked before the fit
#' begins, and the message gives the memory needed and what to do),
#' `manykernels_unsupported`, `manykernels_formula`, ...), and the fields `argument` and `value`. A fit that
#' doesn't reach `tol` is returned with a warning of class `manykernels_warning_not_converged`. An object that
#' was damaged or changed by hand is an error of class `manykernels_invalid_object`, and one that another
#' version of the package made is one of class `manykernels_version`. If you interrupt a fit, it returns
#' the best model so far with its true gap, the status `"interrupted"` and a message. A second interrupt, during
#' the certificate or within two seconds, stops the call at once with R's own condition of class `interrupt`.
#' So does the first one within a kernel function, before the optimiser runs, and within [cv_mkl()] or a
#' framework that resamples (\pkg{mlr3}, \pkg{caret}).
#'
#' @references
#' Crammer, K. and Singer, Y. (2001). On the algorithmic implementation of multiclass kernel-based vector
#' machines. *Journal of Machine Learning Research* **2**, 265--292 (`multiclass = "joint"`).
#'
#' Zien, A. and Ong, C. S. (2007). Multiclass multiple kernel learning. *International Conference on Machine
#' Learning*, 1191--1198 (the same; with an offset for each class, which is left out here).
#'
#' Youden, W. J. (1950). Index for rating diagnostic tests. *Cancer* **3**, 32--35 (`threshold = "youden"`).
#'
#' Kloft, M., Brefeld, U., Sonnenburg, S. and Zien, A. (2011). lp-norm multiple kernel learning.
#' *Journal of Machine Learning Research* **12**, 953--997: the problem is its equations 14 and 15,
#' the weights its Proposition 2 and equation 21, the optimiser follows its Algorithm 2.
#'
#' @seealso [cv_mkl()] to choose `C` and `p`, [mkl_path()] for all `C` in a range, [predict.mkl()],
#'   [plot.mkl()], [kernel_weights()], [duality_gap()], [mkl_control()], [default_kernels()].
#'   [`breast_tcga`] is an example with several views.
#' @examples
#' # two views of the same flowers, with the default kernels
#' views <- list(petal = iris[, 3:4], sepal = iris[, 1:2])
#' fit <- mkl(views, iris$Species)
#' fit
#' kernel_weights(fit)
#' predict(fit, lapply(views, head))
#'
#' # two classes by a formula, with kernels of your choice
#' iris2 <- droplevels(iris[iris$Species != "setosa", ])
#' fit2 <- mkl(Species ~ ., iris2, kernels = gaussian_kernel(width = 2^(-1:4)), p = 4/3)
#' table(predict(fit2, iris2), iris2$Species)
#' @export
mkl <- function(x, ...) if (is_container(x)) UseMethod("mkl", any_container) else UseMethod("mkl")

#' @rdname mkl
#' @export
mkl.default <- function(x = NULL, y, kernels = NULL, p = 2, C = 1, loss = NULL, norm = NULL,
                        normalize = "multiplicative", class_weights = NULL, weights = NULL,
                        multiclass = c("ovr", "ovo", "shared", "joint"), control = mkl_control(),
                        intercept = TRUE, scale = TRUE,
                        missing_views = c("error", "drop", "neutral"),
                        type = c("auto", "classification", "regression", "censored", "one_class"),
                        group = NULL, threshold = NULL, impute = NULL, ...) {
  refuse_abbreviated(fit_hints)
  check_dots_empty(..., .hints = fit_hints)
  call <- match.call()
  call[[1]] <- quote(mkl)
  refuse_grid(p, "p")
  refuse_grid(C, "C")
  settings <- check_settings(p, C, loss, norm, normalize, class_weights, multiclass, check_control(control),
                             if (!missing(intercept)) intercept, type)
  settings$threshold <- check_threshold(threshold)
  warn_row_column(group, "group", x)
  if (!missing(y)) watch_response(y, x)
  prepared <- prepare_fit(read_kernels(x, kernels), if (!missing(y)) y, weights, settings, scale,
                          missing_views, impute, group)
  note_dropped(fit_classes(prepared, call), prepared$data$samples)
}

#' @rdname mkl
#' @export
mkl.formula <- function(formula, data, ..., group, subset, weights, na.action, contrasts = NULL) {
  call <- match.call()
  caller <- parent.frame()
  data <- if (!missing(data)) plain_object(data)
  fit_formula("mkl", call, data, contrasts, caller, function(parts) {
    group <- row_arguments(call, "group", data, parts, caller)$group
    mkl.default(parts$x, parts$y, weights = parts$weights, group = group, ...)
  })
}
