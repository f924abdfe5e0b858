# Bioconductor's containers as views: their assays, samples in rows, and the variables of the samples
# by name.

#' Data in Bioconductor's containers
#'
#' The arguments `x` and `newdata` of [mkl()], [cv_mkl()], [predict()][predict.mkl()],
#' [kernel_matrix()], [duality_gap()] and all other functions may be a `SummarizedExperiment` or a
#' `MultiAssayExperiment`. The columns of these are the samples.
#'
#' @details
#' * A `SummarizedExperiment` (and what extends it) has a view for each of the chosen **assays**, with the
#'   assay's name (`assay1`, `assay2`, ... without names). By default this is the first one. `assay =`
#'   chooses others, and so do `kernels` that name views by [on_view()].
#' * A `SingleCellExperiment` has a view for each of its **alternative experiments**, too, with its name
#'   (`name.assay` where it has several assays). Its **reduced dimensions** are used if `assay` names
#'   them; predictions need those of new cells in the same coordinates.
#' * A `MultiAssayExperiment` has a view for each **experiment** (`experiment.assay` where an experiment
#'   has several assays, of which the first is the default). `assay` may name these views, or an assay
#'   such as `"logcounts"`, in each experiment that has it. Samples are the rows of its `colData`, in
#'   their order, as its `sampleMap` assigns them. Experiments may lack some of them; see
#'   `missing_views` of [mkl()] for what to do ([missing_views]). Two columns of an experiment for one
#'   sample are an error; `MultiAssayExperiment::mergeReplicates()` makes them one.
#'
#' A message lists what is left out. New data, as those of `predict()`, need the views of the fit by
#' name; what else they hold is not used.
#'
#' A string as `y`, `weights`, `group` or `folds` names a column of `colData`: `mkl(se, "subtype")`. Such
#' a column may be a survival time, `Surv(time, status)`. `colData = c("age", "stage")` uses columns as a
#' further view, called `colData`. Rows of an assay become the columns of its view, with their names.
#' Assays are numeric matrices or sparse ones of package Matrix, or matrices on disk ([tables]).
#'
#' Other classes that extend a data frame, a matrix or a list, such as `sample_data` of package phyloseq,
#' are read as what they extend; a `DataFrame` as a data frame.
#'
#' Convert an `ExpressionSet` first: `as(eset, "SummarizedExperiment")`.
#'
#' @section Coming from MLInterfaces:
#' `MLearn()` of package MLInterfaces trains on an index and tests on the other samples. Here indexing
#' of the container determines which samples are used:
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
#' cross-validation, as in `MLearn()`. Otherwise report `cv$estimate` as the accuracy on new samples: that of
#' the chosen cell is a little too good.
#'
#' [mkl()] has the form that a learner schema requires: a formula, a data frame and a factor from `predict()`.
#' The schema is one line, and `MLearn()` passes arguments on to `mkl()`:
#'
#' ```
#' library(MLInterfaces)
#' mklI <- makeLearnerSchema("manykernels", "mkl", standardMLIConverter)
#' out <- MLearn(type ~ ., eset, mklI, train, kernels = gaussian_kernel(2^(0:4)), C = 10)
#' confuMat(out)
#' MLearn(type ~ ., eset, mklI, xvalSpec("LOG", 5, balKfold.xvspec(5)), C = 10)
#' ```
#'
#' `mllkm()`, `mkl_gomp()`, `mkl_sequential()` (with `dictionary =`) and `cv_mkl()` can take the place
#' of `"mkl"`. `MLearn()` takes one table of features. For views call [mkl()] itself.
#'
#' @section Errors:
#' `manykernels_unknown_variable` for a name that `colData` doesn't have, `manykernels_dimension` for
#' containers without assays, `manykernels_unknown_view` for an `assay` that there isn't,
#' `manykernels_duplicated_samples` for replicates, `manykernels_view_names` for an assay called `colData`
#' where `colData =` is a view,
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
#' @aliases SummarizedExperiment MultiAssayExperiment SingleCellExperiment ExpressionSet MLInterfaces
NULL

# The package whose container x is, or NULL.
container_package <- function(x) {
  if (!isS4(x)) return(NULL)
  known <- c("MultiAssayExperiment", "SummarizedExperiment")
  Find(function(class) inherits(x, class), known)
}

# The classes of containers have no parent class in common: generics choose the methods of one class for all.
any_container <- structure(list(), class = "mk_container")

is_container <- function(x) {
  !missing(x) && (is_table_on_disk(x) || holds_tables(x) || !is.null(container_package(x)))
}

need_container <- function(x, argument) {
  if (isS4(x) && inherits(x, "ExpressionSet")) {
    abort_unsupported(argument, sprintf(paste(
      "Give `as(%2$s, \"SummarizedExperiment\")`: `%1$s` is an ExpressionSet, which has no method here."
    ), argument, argument))
  }
  if (isS4(x) && inherits(x, "phyloseq")) {
    abort_unsupported(argument, sprintf(paste(
      "Give the tables of `%1$s` as views, samples in rows, as in",
      "`list(taxa = t(phyloseq::otu_table(%1$s)), samples = phyloseq::sample_data(%1$s))`:",
      "a phyloseq object has",
      "no method here."
    ), argument))
  }
  package <- container_package(x)
  if (!is.null(package) && !requireNamespace(package, quietly = TRUE)) {
    abort_unsupported(argument, sprintf("`%s` needs the package %s, which is not installed.",
                                        argument, package))
  }
  package
}

# Refuses a container among views, each of which is one matrix.
refuse_container_view <- function(x, label) {
  package <- need_container(x, label)
  if (is.null(package)) return(invisible())
  mk_abort(sprintf(paste(
    "Give one of its matrices as the view, samples in rows, as in `t(SummarizedExperiment::assay(%1$s))`:",
    "`%1$s` is a %2$s, which can be all of `x`, but not a view among others."
  ), label, package), "invalid_argument", label, x)
}

# ---- views of a container ------------------------------------------------------------------------

# Training data: a container becomes a named list of the chosen views with samples in rows, with its class for
# hints and its variables; other data lose formal classes. Views are those named by `assay`, else those that
# kernels name, else the first assay of each experiment.
unpacked <- function(x, argument, kernels = NULL, assay = NULL, colData = NULL, fit = FALSE) {
  package <- need_container(x, argument)
  if (is.null(package)) return(plain_object(x))
  tables <- container_tables(x, package, argument)
  named <- if (inherits(kernels, "kernel_set")) kernel_field(leaf_kernels(kernels), "view")
  chosen <- if (!is.null(assay)) chosen_tables(tables, assay) else if (any(named %in% names(tables)))
    intersect(names(tables), named) else first_tables(tables, argument, fit, !is.null(kernels))
  views <- lapply(tables[chosen], function(table) table$view())
  if (!is.null(colData)) {
    refuse_name_taken(tables, package, argument)
    views$colData <- variable_columns(views, sample_variables(x, argument), colData)
  }
  container_views(views, x, package, argument)
}

# New data: the views of a layout, as far as the container has them.
unpacked_new <- function(x, argument, layout) {
  names <- names(layout)
  package <- need_container(x, argument)
  if (is.null(package)) return(plain_object(x))
  tables <- container_tables(x, package, argument)
  if (!is.null(layout$colData$encoder)) refuse_name_taken(tables, package, argument) # it is a data frame
  views <- lapply(tables[intersect(names, names(tables))], function(table) table$view())
  if ("colData" %in% setdiff(names, names(tables))) {
    variables <- sample_variables(x, argument)
    columns <- intersect(names(layout$colData$encoder), names(variables))
    views$colData <- only_present(views, variables[columns])
  }
  if (!length(views)) {
    mk_abort(sprintf("`%s` lacks the views %s: it has %s.", argument, enumerate(names),
                     enumerate(names(tables), 10L)), "missing_views", argument, names)
  }
  container_views(views, x, package, argument)
}

# `samples` of the container is the order of rows of views that lack some.
container_views <- function(views, x, package, argument) {
  variables <- sample_variables(x, argument)
  structure(views, variables = variables,
            container = list(class = package, code = argument, samples = row.names(variables)))
}

# Refuses an assay or experiment with the name of the view of columns of colData.
refuse_name_taken <- function(tables, package, argument) {
  if (!"colData" %in% names(tables)) return(invisible())
  many <- package == "MultiAssayExperiment"
  mk_abort(sprintf(paste("Rename the %s \"colData\" of `%s` by `%s()`: the view of columns of colData has this",
                         "name."), if (many) "experiment" else "assay", argument,
                   if (many) "names" else "SummarizedExperiment::assayNames"),
           "view_names", argument, "colData")
}

# The variables of a container's samples, a data frame. Columns stay what they are, such as survival
# times.
sample_variables <- function(x, argument) {
  package <- need_container(x, argument)
  if (is.null(package)) return(attr(x, "variables", exact = TRUE))
  own <- getExportedValue(package, "colData")(x)
  columns <- lapply(as.list(own), plain_object)
  structure(columns, class = "data.frame", names = names(columns) %||% character(),
            row.names = rownames(own) %||% .set_row_names(nrow(own)))
}

# The variables of the rows that a fit is compared with: those of a container, or a table on disk, whose columns
# are read when they are named.
row_variables <- function(x, argument) {
  if (holds_tables(x)) return(joined_tables(x, argument))
  if (is_table_on_disk(x)) open_table(x, argument) else sample_variables(x, argument)
}

# The tables of a container by name: how to read each, whether it is an experiment's first, and the names by
# which `assay` may choose it.
container_tables <- function(x, package, argument) {
  tables <- if (package == "MultiAssayExperiment") experiment_tables(x, argument) else assay_tables(x, argument)
  if (!length(tables)) mk_abort(sprintf("`%s` has no assays.", argument), "dimension", argument)
  stats::setNames(tables, make.unique(names(tables)))
}

new_table <- function(view, first, assay, experiment = "") {
  list(view = view, first = first, assay = assay, experiment = experiment)
}

# Assays; of a SingleCellExperiment its alternative experiments and reduced dimensions, too.
assay_tables <- function(x, argument) {
  n <- length(SummarizedExperiment::assays(x, withDimnames = FALSE))
  names <- SummarizedExperiment::assayNames(x) %||% character(n)
  names <- ifelse(nzchar(names), names, paste0("assay", seq_len(n)))
  tables <- lapply(seq_len(n), function(k) {
    new_table(function() samples_in_rows(SummarizedExperiment::assay(x, k), argument), k == 1L, names[k])
  })
  c(stats::setNames(tables, names), single_cell_tables(x, argument))
}

single_cell_tables <- function(x, argument) {
  if (!inherits(x, "SingleCellExperiment") || !requireNamespace("SingleCellExperiment", quietly = TRUE)) {
    return(list())
  }
  others <- lapply(SingleCellExperiment::altExpNames(x), function(name) {
    inner <- assay_tables(SingleCellExperiment::altExp(x, name, withColData = FALSE), argument)
    inner <- lapply(inner, function(table) replace(table, "experiment", name))
    stats::setNames(inner, if (length(inner) > 1L) paste(name, names(inner), sep = ".") else name)
  })
  reduced <- lapply(stats::setNames(nm = SingleCellExperiment::reducedDimNames(x)), function(name) {
    new_table(function() as.matrix(SingleCellExperiment::reducedDim(x, name)), FALSE, name)
  })
  c(do.call(c, others), reduced)
}

samples_in_rows <- function(assay, label) {
  if (inherits(assay, "Matrix")) return(Matrix::t(assay))
  if (is_table_on_disk(assay)) return(read_table(open_table(t(assay), label), NULL, label)$view)
  t(as.matrix(assay))
}

# Experiments with the names and the order of the samples that their columns belong to.
experiment_tables <- function(x, argument) {
  map <- as.data.frame(MultiAssayExperiment::sampleMap(x))
  samples <- rownames(MultiAssayExperiment::colData(x))
  experiments <- as.list(MultiAssayExperiment::experiments(x))
  tables <- Map(function(experiment, name) {
    label <- sprintf("%s[[\"%s\"]]", argument, name)
    package <- need_container(experiment, label)
    own <- map[map$assay == name, ]
    inner <- if (!is.null(package)) assay_tables(experiment, label) else
      list(new_table(function() samples_in_rows(experiment, label), TRUE, name))
    several <- length(inner) > 1L
    inner <- lapply(inner, function(table) {
      read <- table$view
      table$view <- function() {
        view <- read()
        in_primary_order(view, own$primary[match(rownames(view), own$colname)], samples,
                         paste0(argument, "$", name))
      }
      table$experiment <- if (nzchar(table$experiment)) paste(name, table$experiment, sep = ".") else name
      table
    })
    stats::setNames(inner, if (several) paste(name, names(inner), sep = ".") else name)
  }, experiments, names(experiments))
  do.call(c, unname(tables))
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

# Formal classes that extend a table or a list, such as sample_data of phyloseq, as that; a DataFrame as a
# data frame, and its columns of runs or factors as vectors. Classes with a meaning of their own stay.
plain_object <- function(x) {
  if (!isS4(x) || inherits(x, c("kernelMatrix", "KernelMatrix"))) return(x)
  if (inherits(x, "DataFrame") && requireNamespace("S4Vectors", quietly = TRUE)) {
    for (k in which(vapply(as.list(x), inherits, NA, "Factor"))) x[[k]] <- S4Vectors::unfactor(x[[k]])
    return(S4Vectors::as.data.frame(x, optional = TRUE))
  }
  if (inherits(x, "Rle")) return(S4Vectors::decode(x))
  if (inherits(x, "Factor")) return(S4Vectors::unfactor(x))
  if (methods::is(x, "data.frame")) return(methods::S3Part(x, strictS3 = TRUE))
  if (methods::is(x, "matrix")) return(matrix(x@.Data, nrow(x), dimnames = dimnames(x)))
  if (methods::is(x, "list")) return(stats::setNames(x@.Data, names(x)))
  x
}

# The tables that `assay` chooses: names of views, or of assays in every experiment that has them.
chosen_tables <- function(tables, assay) {
  if (is.numeric(assay)) assay <- names(tables)[check_counts(assay, "assay", upper = length(tables))]
  if (!is.character(assay) || !length(assay) || anyNA(assay)) {
    abort_argument(assay, "assay", "names of assays")
  }
  own <- vapply(tables, `[[`, "", "assay")
  unknown <- setdiff(assay, c(names(tables), own))
  if (length(unknown)) {
    mk_abort(sprintf("`assay` is %s, but `x` has %s.", paste(dQuote(unknown, FALSE), collapse = ", "),
                     enumerate(names(tables), 10L)), "unknown_view", "assay", unknown)
  }
  chosen <- names(tables) %in% assay | own %in% assay
  names(tables)[chosen]
}

# The first assay of each experiment; a message lists the others. fit: whether the call is a fit, which has
# arguments that choose; kernels: whether it has kernels.
first_tables <- function(tables, argument, fit, kernels) {
  first <- vapply(tables, `[[`, NA, "first")
  if (all(first)) return(names(tables))
  others <- names(tables)[!first]
  advice <- if (fit) sprintf("Choose by arguments `assay` and `colData`, as in `assay = %s`.",
                             deparse1(names(tables))) else if (kernels)
    sprintf("Kernels choose that name views, as by `on_view(kernels, \"%s\")`.", others[1L]) else
      sprintf("Fits choose others by `assay`, as in `mkl(x, y, assay = \"%s\")`.", others[1L])
  mk_inform(sprintf("`%s`: %s %s used, not %s. %s", argument, enumerate(names(tables)[first], 10L),
                    if (sum(first) == 1L) "is" else "are", enumerate(others, 10L), advice),
            "assay", argument, others)
  names(tables)[first]
}

# The rows of `variables` whose sample is in one of the views.
only_present <- function(views, variables) {
  names <- unlist(lapply(unname(views), rownames))
  if (is.null(names)) return(variables)
  variables[row.names(variables) %in% names, , drop = FALSE]
}

# Columns of the samples' variables as a view.
variable_columns <- function(views, variables, columns) {
  if (!is.character(columns) || !length(columns) || anyNA(columns)) {
    abort_argument(columns, "colData", "names of columns of colData")
  }
  unknown <- setdiff(columns, names(variables))
  if (length(unknown)) {
    mk_abort(sprintf("`colData` is %s, but colData has %s.", paste(dQuote(unknown, FALSE), collapse = ", "),
                     if (length(variables)) enumerate(names(variables), 10L) else "no columns"),
             "unknown_variable", "colData", unknown)
  }
  only_present(views, variables[columns])
}
