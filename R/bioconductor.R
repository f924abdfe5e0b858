# Bioconductor's containers as views: their assays, samples in rows, and the variables of the samples
# by name.

#' Data in Bioconductor's containers
#'
#' The arguments `x` and `newdata` of [mkl()], [cv_mkl()], [predict()][predict.mkl()],
#' [kernel_matrix()], [duality_gap()] and all other functions may be a `SummarizedExperiment` or a
#' `MultiAssayExperiment`. The columns of these are the samples.
#'
#' @details
#' * A `SummarizedExperiment` (and what extends it, such as `SingleCellExperiment`) has a view for each
#'   of its **assays**, with the assay's name (`assay1`, `assay2`, ... without names). If it holds the
#'   same values twice, such as counts and their logarithms, keep the ones you want,
#'   `SummarizedExperiment::assays(se) <- SummarizedExperiment::assays(se)["logcounts"]`, or choose them
#'   by [on_view()].
#' * A `MultiAssayExperiment` has a view for each **experiment** (`experiment.assay` where an experiment
#'   has several assays). Samples are the rows of its `colData`, in their order, as its `sampleMap`
#'   assigns them. Experiments may lack some of them; `missing_views` of [mkl()] says what to do
#'   ([missing_views]). Two columns of an experiment for one sample are an error;
#'   `MultiAssayExperiment::mergeReplicates()` makes them one.
#'
#' A string as `y`, `weights`, `group` or `folds` names a column of `colData`: `mkl(se, "subtype")`.
#' Rows of an assay become the columns of its view, with their names. Assays are numeric matrices or
#' sparse ones of package Matrix; others, such as those on disk, are read by `as.matrix()`. To use
#' columns of `colData` as data, make a list of views: `list(rna = t(SummarizedExperiment::assay(se)),
#' clinical = as.data.frame(SummarizedExperiment::colData(se)[c("age", "stage")]))`.
#'
#' An `ExpressionSet` has to be made a `SummarizedExperiment` first: `as(eset, "SummarizedExperiment")`.
#'
#' @section Coming from MLInterfaces:
#' `MLearn()` of package MLInterfaces trains on an index and tests on the other samples. Here indexing of
#' the container says which samples are used:
#'
#' | MLInterfaces | manykernels |
#' | --- | --- |
#' | `MLearn(type ~ ., eset, svmI, train)` | `fit <- mkl(se[, train], "type")` |
#' | `testPredictions(out)` | `predict(fit, se[, -train])` |
#' | `testScores(out)` | `predict(fit, se[, -train], type = "decision")`, or `"prob"` |
#' | `confuMat(out)` | `table(given = se$type[-train], predicted = predict(fit, se[, -train]))` |
#' | `RObject(out)` | `fit` |
#' | `xvalSpec("LOG", 5, balKfold.xvspec(5))` | `cv <- cv_mkl(se, "type", folds = 5)` |
#' | `xvalSpec("LOO")` | `cv_mkl(se, "type", folds = seq_len(ncol(se)))` |
#' | `confuMat()` of a cross-validation | `table(cv$predictions$truth, cv$predictions$response)` |
#'
#' [cv_mkl()] also chooses `p` and `C`. A single value of each, such as `p = 2, C = 1`, makes it a plain
#' cross-validation, as `MLearn()` has it. Otherwise the accuracy of the chosen cell is too high for new
#' samples; `nested =` corrects this.
#'
#' [mkl()] has the form that a learner schema asks for: a formula, a data frame and a factor from
#' `predict()`. So the schema is one line, and arguments of `mkl()` go through `MLearn()`:
#'
#' ```
#' library(MLInterfaces)
#' mklI <- makeLearnerSchema("manykernels", "mkl", standardMLIConverter)
#' out <- MLearn(type ~ ., eset, mklI, train, kernels = gaussian_kernel(2^(0:4)), C = 10)
#' confuMat(out)
#' MLearn(type ~ ., eset, mklI, xvalSpec("LOG", 5, balKfold.xvspec(5)), C = 10)
#' ```
#'
#' `mllkm()`, `mkl_gomp()`, `mkl_sequential()` (with `dictionary =`) and `cv_mkl()` can take the place of
#' `"mkl"`. `MLearn()` knows one table of features. Views need [mkl()] itself.
#'
#' @section Errors:
#' `manykernels_unknown_variable` for a name that `colData` doesn't have, `manykernels_dimension` for
#' containers without assays, `manykernels_duplicated_samples` for replicates,
#' `manykernels_unsupported` where the container's package is not installed, and for an `ExpressionSet`.
#' @examples
#' \donttest{ # loading the container's package takes seconds
#' if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
#'   flowers <- SummarizedExperiment::SummarizedExperiment(
#'     assays = list(size = t(as.matrix(iris[51:150, 1:4]))),
#'     colData = data.frame(species = droplevels(iris$Species[51:150]))
#'   )
#'   fit <- mkl(flowers, "species", kernels = gaussian_kernel(c(1, 4)))
#'   table(predict(fit, flowers[, 1:10]))
#'
#'   # train on an index, test on the rest
#'   train <- seq(1, 100, 2)
#'   fit <- mkl(flowers[, train], "species", kernels = gaussian_kernel(c(1, 4)))
#'   table(given = flowers$species[-train], predicted = predict(fit, flowers[, -train]))
#' }
#' }
#' @name bioconductor
#' @aliases SummarizedExperiment MultiAssayExperiment ExpressionSet MLInterfaces
NULL

# The package whose container x is, or NULL.
container_package <- function(x) {
  if (!isS4(x)) return(NULL)
  known <- c("MultiAssayExperiment", "SummarizedExperiment")
  Find(function(class) inherits(x, class), known)
}

need_container <- function(x, argument) {
  if (isS4(x) && inherits(x, "ExpressionSet")) {
    abort_unsupported(argument, sprintf(paste(
      "`%s` is an ExpressionSet. `as(%s, \"SummarizedExperiment\")` makes it a container that is read here."
    ), argument, argument))
  }
  package <- container_package(x)
  if (!is.null(package) && !requireNamespace(package, quietly = TRUE)) {
    abort_unsupported(argument, sprintf("`%s` needs the package %s, which is not installed.",
                                        argument, package))
  }
  package
}

# A container as a named list of views with samples in rows, which remembers it for hints; anything else
# as it is.
unpacked <- function(x, argument) {
  package <- need_container(x, argument)
  if (is.null(package)) return(x)
  views <- if (package == "MultiAssayExperiment") experiment_views(x, argument) else assay_views(x)
  if (!length(views)) {
    mk_abort(sprintf("`%s` has no assays.", argument), "dimension", argument)
  }
  structure(views, container = list(class = package, code = argument))
}

# The variables of a container's samples, a data frame.
sample_variables <- function(x, argument) {
  package <- need_container(x, argument)
  if (is.null(package)) return(NULL)
  as.data.frame(getExportedValue(package, "colData")(x), optional = TRUE)
}

assay_views <- function(x) {
  assays <- as.list(SummarizedExperiment::assays(x, withDimnames = TRUE))
  names <- names(assays) %||% character(length(assays))
  plain <- paste0("assay", seq_along(assays))
  lapply(stats::setNames(assays, ifelse(nzchar(names), names, plain)), samples_in_rows)
}

samples_in_rows <- function(assay) {
  if (inherits(assay, "Matrix")) return(Matrix::t(assay))
  if (is.data.frame(assay) || !is.matrix(assay)) assay <- as.matrix(assay)
  t(assay)
}

# Experiments with the names and the order of the samples that their columns belong to.
experiment_views <- function(x, argument) {
  map <- as.data.frame(MultiAssayExperiment::sampleMap(x))
  samples <- rownames(MultiAssayExperiment::colData(x))
  experiments <- as.list(MultiAssayExperiment::experiments(x))
  views <- Map(function(experiment, name) {
    own <- map[map$assay == name, ]
    views <- if (is.null(container_package(experiment))) list(samples_in_rows(experiment)) else
      assay_views(experiment)
    lapply(views, function(view) {
      in_primary_order(view, own$primary[match(rownames(view), own$colname)], samples,
                       paste0(argument, "$", name))
    })
  }, experiments, names(experiments))
  names(views) <- NULL
  several <- lengths(views) > 1L
  label <- rep(names(experiments), lengths(views))
  inner <- unlist(lapply(views, function(view) names(view) %||% ""))
  stats::setNames(unlist(views, recursive = FALSE),
                  ifelse(rep(several, lengths(views)), paste(label, inner, sep = "."), label))
}

in_primary_order <- function(view, primary, samples, label) {
  twice <- unique(primary[duplicated(primary)])
  if (length(twice)) {
    mk_abort(sprintf(paste(
      "`%s` has more than one column for %s: %s. MultiAssayExperiment::mergeReplicates() makes one",
      "of them."
    ), label, count_of(length(twice), "sample"), enumerate(twice)), "duplicated_samples", label,
    twice)
  }
  rownames(view) <- primary
  view[order(match(primary, samples)), , drop = FALSE]
}

# ---- variables by name ---------------------------------------------------------------------------

is_variable <- function(x, samples) {
  !is.null(samples$variables) && is.character(x) && length(x) == 1L && is.null(names(x)) &&
    samples$n > 1L
}

# In the order of the samples; those of a container that have no assay at all are left out.
take_variable <- function(name, samples, argument) {
  variables <- samples$variables
  if (!name %in% names(variables)) {
    mk_abort(sprintf("`%s` is \"%s\", but colData has %s.", argument, name,
                     if (length(variables)) enumerate(names(variables), 10L) else "no columns"),
             "unknown_variable", argument, name)
  }
  rows <- if (is.null(samples$names)) seq_len(nrow(variables)) else
    match(samples$names, row.names(variables))
  stats::setNames(variables[[name]][rows], samples$names)
}
