# Bioconductor's containers: the same fits as by plain views.
skip_on_cran() # a slow file

d <- judge_clouds(40)
genes <- t(d$x)
dimnames(genes) <- list(paste0("g", seq_len(nrow(genes))), paste0("s", 1:40))
variables <- data.frame(group = d$y, weight = seq_len(40) / 10, patient = rep(1:20, 2),
                        row.names = colnames(genes))
views <- list(raw = t(genes), square = t(genes^2))
k <- gaussian_kernel(c(1, 4))

experiment <- function(assays = list(raw = genes, square = genes^2), rows = variables) {
  skip_if_not_installed("SummarizedExperiment")
  SummarizedExperiment::SummarizedExperiment(assays, colData = rows)
}

several <- function(...) {
  skip_if_not_installed("MultiAssayExperiment")
  MultiAssayExperiment::MultiAssayExperiment(list(...), colData = variables)
}

both <- c("raw", "square")

test_that("assays are views with samples in rows, and colData has the response", {
  se <- experiment()
  fit <- mkl(se, "group", k, assay = both)
  plain <- mkl(views, d$y, k)
  expect_equal(fit$theta, plain$theta)
  expect_equal(fit$alpha, plain$alpha)
  expect_equal(predict(fit, se[, 3:7], "decision"), plain$decision[3:7])
  expect_equal(duality_gap(fit, se, "group")$gap, fit$gap)
  expect_message(turned <- duality_gap(fit, se[, 40:1], "group"),
                 class = "manykernels_message_row_order")
  expect_equal(turned$gap, fit$gap)
  weighted <- mkl(se, variables$group, k, weights = "weight", assay = both)
  expect_equal(weighted$weights, variables$weight)
  expect_equal(mkl(se, "weight", k, assay = 1:2)$theta, mkl(views, variables$weight, k)$theta)
})

test_that("every function of data takes them", {
  se <- experiment()
  set.seed(1)
  cv <- cv_mkl(se, "group", k, p = 2, C = c(0.1, 1), folds = 3, group = "patient", weights = "weight",
               assay = both)
  set.seed(1)
  plain <- cv_mkl(views, d$y, k, p = 2, C = c(0.1, 1), folds = 3, group = variables$patient,
                  weights = variables$weight)
  expect_equal(cv$predictions, plain$predictions)
  expect_equal(drop_view(cv, se, "group", k, weights = "weight")$view, c("raw", "square"))
  expect_equal(kernel_matrix(on_view(k, "raw"), se)[[1]], kernel_matrix(on_view(k, "raw"), views)[[1]])
  each <- c(on_view(k, "raw"), on_view(k, "square"))
  expect_equal(kernel_alignment(each, se, "group"), kernel_alignment(k, views, d$y))
  expect_message(first <- kernel_matrix(k, se), "on_view(kernels, \"square\")", fixed = TRUE,
                 class = "manykernels_message_assay")
  expect_equal(first[[1]], kernel_matrix(on_view(k, "raw"), views)[[1]])
  single <- experiment(genes)
  expect_named(default_kernels(single), paste0("assay1:", names(default_kernels(views$raw))))
  for (fit in list(mkl_gomp(se, "group", k, assay = both), mkl_sequential(se, "group", k, assay = "raw"),
                   mllkm(single, "group"), mkl_path(se, "group", k, C = c(0.1, 1), assay = both))) {
    new <- if (inherits(fit, "mllkm")) single else se
    expect_length(if (inherits(fit, "mkl_path")) predict(fit, new, C = 1) else predict(fit, new), 40)
  }
})

test_that("sparse assays, and those without names", {
  sparse <- experiment(Matrix::Matrix(genes * (genes > 0), sparse = TRUE))
  fit <- mkl(sparse, "group", k)
  expect_identical(names(fit$scaling$views), "assay1")
  plain <- mkl(list(assay1 = Matrix::Matrix(t(genes * (genes > 0)), sparse = TRUE)), d$y, k)
  expect_equal(fit$theta, plain$theta)
  bare <- SummarizedExperiment::SummarizedExperiment(list(raw = unname(genes)))
  expect_null(names(mkl(bare, d$y, k)$alpha))
})

test_that("experiments have the samples that the sample map leads to", {
  se <- experiment()
  mae <- several(rna = se, protein = genes[1:2, 40:1])
  fit <- mkl(mae, "group", k, assay = c("raw", "rna.square", "protein"))
  expect_equal(fit$theta, mkl(list(rna.raw = views$raw, rna.square = views$square,
                                   protein = views$raw[, 1:2]), d$y, k)$theta)
  partly <- several(rna = se[, 40:6], protein = genes[1:2, 1:30])
  expect_classed(mkl(partly, "group", k), "dimension", "x")
  neutral <- suppressMessages(mkl(partly, "group", k, missing_views = "neutral"))
  expect_identical(names(neutral$alpha), colnames(genes)) # the order of colData
  expect_equal(duality_gap(neutral, partly, "group")$gap, neutral$gap)
  expect_equal(predict(neutral, partly, "decision"), neutral$decision)
  expect_length(predict(neutral, partly[, 1:4, ]), 4)
  by_place <- suppressMessages(mkl(partly, unname(d$y), k, missing_views = "neutral"))
  expect_equal(by_place$alpha, neutral$alpha)
  expect_equal(assess(neutral, partly, unname(d$y))$confusion, assess(neutral, partly, "group")$confusion)
  dropped <- suppressMessages(mkl(partly, "group", k, missing_views = "drop"))
  expect_identical(names(dropped$alpha), colnames(genes)[6:30])
  set.seed(1)
  cv <- suppressMessages(cv_mkl(partly, "group", k, p = 2, C = 1, folds = 2, missing_views = "neutral"))
  expect_s3_class(cv$fit, "mkl")
})

test_that("what isn't there is an error that says what is", {
  se <- experiment()
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(se, "grup", k)
    cv_mkl(se, "group", k, group = "person")
    mkl(experiment(list()), "group", k)
    predict(mkl(se, "group", k, assay = both), experiment(list(raw = genes)))
    mkl(se, "group", k, assay = "logcounts")
    mkl(se, "group", k, assay = 3)
    mkl(se, "group", k, colData = "person")
    mkl(se, group, k)
    mkl(se, nobody, k)
    mkl(group ~ ., se)
    cv_mkl(group ~ weight, data = se)
  })
  given <- stats::setNames(d$y, colnames(genes))
  other <- tcrossprod(t(genes))
  dimnames(other) <- list(paste0("q", 1:40), paste0("q", 1:40))
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(se, given[1:30], k)
    mkl(se, "group", c(k, precomputed_kernel(other)))
  })
  common <- intersect(names(given[1:30]), colnames(se)) # as the hint says
  expect_length(fitted(mkl(se[, common], given[1:30][common], k)), 30)
  twice <- genes
  colnames(twice)[2] <- "extra"
  map <- data.frame(assay = "rna", primary = c("s1", "s1", colnames(genes)[3:40]),
                    colname = colnames(twice))
  skip_if_not_installed("MultiAssayExperiment")
  mae <- MultiAssayExperiment::MultiAssayExperiment(list(rna = twice), colData = variables[-2, ],
                                                    sampleMap = methods::as(map, "DataFrame"))
  expect_snapshot(error = TRUE, cnd_class = TRUE, mkl(mae, "group", k))

  partly <- several(rna = genes[, 5:40], protein = genes[1:2, 1:30])
  whole <- suppressMessages(MultiAssayExperiment::intersectColumns(partly))
  fit <- mkl(whole, "group", k)
  expect_length(fitted(fit), 26)
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    mkl(partly, "group", k)
    mkl(several(rna = genes[, 11:40], protein = genes[1:2, 1:30]), "group", k)
    mkl(whole, given, k)
    predict(fit, partly)
  })
  common <- intersect(names(given), rownames(MultiAssayExperiment::colData(whole)))
  expect_length(fitted(mkl(whole[, common, ], given[common], k)), 26)
})

test_that("the first assay is the default, and what is left out is said", {
  se <- experiment()
  expect_message(fit <- mkl(se, "group", k), "`raw` is used, not `square`",
                 class = "manykernels_message_assay")
  expect_equal(fit$theta, mkl(views["raw"], d$y, k)$theta)
  expect_silent(one <- mkl(se, "group", k, assay = "raw"))
  expect_silent(named <- mkl(se, "group", on_view(k, "square")))
  expect_equal(named$alpha, mkl(views["square"], d$y, k)$alpha)
  expect_silent(predict(one, se))
  expect_silent(duality_gap(one, se))
  # the call can be evaluated again
  expect_equal(update(one, C = 2)$alpha, mkl(views["raw"], d$y, k, C = 2)$alpha)
  # assays in another order are found by name
  expect_equal(predict(one, experiment(rev(list(raw = genes, square = genes^2))), "decision"), one$decision)
  mae <- several(rna = se, protein = genes[1:2, ])
  expect_message(fit <- mkl(mae, "group", k), "`rna.raw`, `protein` are used, not `rna.square`",
                 class = "manykernels_message_assay")
  expect_named(fit$data$layout, c("rna.raw", "protein"))
})

test_that("columns of colData are a view", {
  se <- experiment(genes)
  fit <- mkl(se, "group", colData = c("weight", "patient"))
  plain <- mkl(list(assay1 = t(genes), colData = variables[c("weight", "patient")]), d$y)
  expect_equal(fit$alpha, plain$alpha)
  expect_equal(predict(fit, se[, 5:9], "decision"), fit$decision[5:9])
  expect_equal(duality_gap(fit, se)$gap, fit$gap)
  set.seed(1)
  cv <- cv_mkl(se, "group", colData = "weight", p = 2, C = 1, folds = 2)
  expect_named(cv$fit$data$layout, c("assay1", "colData"))
  expect_equal(nrow(drop_view(cv, se, "group")), 2)
  mae <- several(rna = genes[, 40:6])
  fit <- mkl(mae, "group", colData = "weight")
  expect_setequal(names(fit$alpha), colnames(genes)[6:40])
  expect_length(predict(fit, mae), 35)
})

test_that("an assay with the name of the colData view is an error", {
  se <- experiment(list(colData = genes, raw = genes))
  taken <- function(expr) expect_error(expr, "Rename the .*`names|assayNames", class = "manykernels_view_names")
  taken(mkl(se, "group", k, assay = "raw", colData = "weight"))
  fit <- mkl(experiment(list(raw = genes)), "group", k, colData = "weight")
  taken(predict(fit, se))
  alone <- mkl(se, "group", k, assay = "colData")
  expect_equal(predict(alone, se, type = "decision"), alone$decision)
  taken(mkl(several(colData = genes, a = genes), "group", k, assay = "a", colData = "weight"))
})

test_that("a string names a column of a single sample, too, unless it is a class", {
  rows <- transform(variables, yes = ifelse(group == "yes", "no", "yes"))
  one <- experiment(list(raw = genes), rows)[, 1]
  fit <- mkl(experiment(list(raw = genes)), "group", k)
  measured <- function(y) assess(fit, one, y, draws = 2)$confusion
  own <- as.character(variables$group[1])
  expect_identical(measured("group"), measured(own))
  expect_identical(measured("yes"), measured(factor("yes", c("no", "yes")))) # a class comes first
  numbers <- mkl(experiment(list(raw = genes)), "weight", k)
  expect_identical(assess(numbers, one, "weight", draws = 2)$measures, assess(numbers, one, 0.1, draws = 2)$measures)
})

test_that("a container without samples has no predictions", {
  skip_if_not_installed("DelayedArray")
  for (values in list(genes, DelayedArray::DelayedArray(genes))) {
    se <- experiment(list(raw = values))
    fit <- mkl(se, "group", k)
    expect_identical(predict(fit, se[, 0]), factor(character(), levels(variables$group)))
    expect_error(predict(fit, se[0, ]), "`newdata", class = "manykernels_error")
    expect_error(mkl(se[, 0], "group", k), "no rows", class = "manykernels_dimension")
  }
})

test_that("a copy of the response in colData is warned about", {
  rows <- variables
  rows$copy <- rows$group
  rows$person <- paste0("p", rows$patient)
  se <- experiment(genes, rows)
  warned <- function(expr, name = "copy") {
    expect_warning(expr, sprintf("leave `%s` out", name), class = "manykernels_warning_predictor")
  }
  warned(mkl(se, "group", k, colData = "copy"))
  warned(cv_mkl(se, "group", k, colData = "person", p = 2, C = 1, folds = 2, group = "patient"), "person")
  warned(mkl_gomp(se, "group", k, colData = "copy"))
  warned(mkl_path(se, "group", k, colData = "copy", C = c(0.1, 1)))
  warned(mkl_sequential(se, "group", dictionary = k, colData = "copy"))
  mae <- suppressMessages(several(a = genes[, 30:1], b = experiment(genes[, 5:25], rows[5:25, ])))
  MultiAssayExperiment::colData(mae)$copy <- MultiAssayExperiment::colData(mae)$group
  warned(mkl(mae, "group", k, colData = "copy", missing_views = "drop"))
  expect_no_warning(mkl(se, "group", k, colData = "weight"))
})

test_that("columns of colData may be runs or factors of S4Vectors", {
  skip_if_not_installed("S4Vectors")
  rows <- S4Vectors::DataFrame(group = S4Vectors::Rle(d$y), kind = S4Vectors::Factor(as.character(d$y)),
                               weight = S4Vectors::Rle(variables$weight), row.names = colnames(genes))
  se <- experiment(genes, rows)
  plain <- mkl(views$raw, d$y, k)
  for (y in c("group", "kind")) expect_equal(unname(mkl(se, y, k)$decision), unname(plain$decision))
  expect_equal(unname(mkl(se, "weight", k)$decision), unname(mkl(views$raw, variables$weight, k)$decision))
  expect_equal(mkl(se, "group", colData = "weight")$alpha,
               mkl(experiment(genes), "group", colData = "weight")$alpha)
  expect_equal(mkl(rows[c("kind", "weight")], d$y)$alpha,
               mkl(data.frame(kind = as.character(d$y), variables["weight"]), d$y)$alpha)
})

test_that("a column of colData may hold survival times", {
  skip_if_not_installed("survival")
  se <- experiment(genes)
  times <- survival::Surv(1:40, rep(0:1, 20))
  se$os <- times
  fit <- mkl(se, "os", k)
  expect_equal(fit$alpha, mkl(list(assay1 = t(genes)), times, k)$alpha)
  expect_equal(duality_gap(fit, se, "os")$gap, fit$gap)
})

test_that("alternative experiments and reduced dimensions are views, or named", {
  skip_if_not_installed("SingleCellExperiment")
  cells <- SingleCellExperiment::SingleCellExperiment(list(logcounts = genes, counts = genes^2),
                                                      colData = variables)
  tags <- rbind(CD1 = 6 * (d$y == levels(d$y)[1]), CD2 = 1:40)
  colnames(tags) <- colnames(genes)
  SingleCellExperiment::altExp(cells, "ADT") <- SummarizedExperiment::SummarizedExperiment(list(adt = tags))
  SingleCellExperiment::reducedDim(cells, "PCA") <- t(genes)[, 1, drop = FALSE]
  expect_message(fit <- mkl(cells, "group"), "`logcounts`, `ADT` are used, not `counts`, `PCA`",
                 class = "manykernels_message_assay")
  expect_equal(fit$alpha, mkl(list(logcounts = t(genes), ADT = t(tags)), d$y)$alpha)
  expect_equal(predict(fit, cells[, 9:1], "decision"), fit$decision[9:1])
  chosen <- mkl(cells, "group", assay = c("PCA", "ADT"))
  expect_equal(chosen$alpha, mkl(list(ADT = t(tags), PCA = t(genes)[, 1, drop = FALSE]), d$y)$alpha)
  expect_equal(predict(chosen, cells, "decision"), chosen$decision)
})

test_that("classes that extend a table are read as that", {
  methods::setClass("table_of_tests", contains = "data.frame", where = environment())
  methods::setClass("matrix_of_tests", contains = "matrix", where = environment())
  methods::setMethod("[", "table_of_tests", function(x, i, j, ...) stop("not a table"), where = environment())
  x <- variables[c("weight", "patient")]
  fit <- mkl(x, d$y, k)
  formal <- methods::new("table_of_tests", x)
  expect_equal(mkl(formal, d$y, k)$alpha, fit$alpha)
  expect_identical(predict(fit, formal), predict(fit, x))
  expect_equal(duality_gap(fit, formal)$gap, fit$gap)
  expect_equal(unname(kernel_matrix(k[1], formal)), unname(kernel_matrix(k[1], x)))
  views <- list(a = x, b = t(genes))
  both <- mkl(views, d$y, k)
  formal <- list(a = formal, b = methods::new("matrix_of_tests", t(genes)))
  expect_equal(mkl(formal, d$y, k)$alpha, both$alpha)
  expect_identical(predict(both, formal), predict(both, views))
  of_formula <- mkl(y ~ ., cbind(x, y = d$y), k)
  expect_identical(predict(of_formula, methods::new("table_of_tests", x)), predict(of_formula, x))
  formal <- methods::new("table_of_tests", cbind(x, y = d$y))
  expect_equal(mkl(y ~ ., formal, k)$alpha, of_formula$alpha)
  cv <- cv_mkl(y ~ weight, formal, k, p = 2, C = 1, group = patient, folds = 3)
  expect_lte(max(tapply(cv$predictions$fold, x$patient[cv$predictions$row], function(fold) length(unique(fold)))), 1)
  skip_if_not_installed("S4Vectors")
  for (one in list(fit, of_formula)) expect_identical(predict(one, methods::as(x, "DataFrame")), predict(one, x))
  expect_equal(mkl(list(a = methods::as(x, "DataFrame"), b = t(genes)), d$y, k)$alpha, both$alpha)
})

test_that("an ExpressionSet is an error that says how to convert it", {
  skip_if_not_installed("SummarizedExperiment") # loads the class
  set <- methods::new("ExpressionSet", exprs = genes)
  expect_error(mkl(set, d$y, k), "SummarizedExperiment", class = "manykernels_unsupported")
  expect_error(predict(mkl(t(genes), d$y, k), set), class = "manykernels_unsupported")
  mae <- several(rna = set)
  expect_error(mkl(mae, "group", k), 'as(x[["rna"]], "SummarizedExperiment")', fixed = TRUE,
               class = "manykernels_unsupported")
  mae[["rna"]] <- methods::as(mae[["rna"]], "SummarizedExperiment")
  expect_equal(mkl(mae, "group", k)$alpha, mkl(several(rna = genes), "group", k)$alpha)
  fit <- mkl(methods::as(set, "SummarizedExperiment"), d$y, k)
  expect_equal(fit$alpha, mkl(list(exprs = t(genes)), d$y, k)$alpha)
})

test_that("training and testing by an index agree between containers and a learner schema's calls", {
  se <- experiment(genes)
  train <- 1:20
  fit <- mkl(se[, train], "group", k)
  predicted <- predict(fit, se[, -train])
  # the calls that MLInterfaces makes of a schema's function and of the standard converter
  learn <- function(formula, data, name, train, ...) {
    fun <- do.call("::", list("manykernels", name))
    part <- data[train, ]
    object <- fun(formula, part, ...)
    test <- predict(object, data[-train, ])
    names(test) <- rownames(data[-train, ])
    test
  }
  table <- data.frame(t(genes), group = variables$group)
  by_schema <- learn(group ~ ., table, "mkl", train, kernels = k)
  expect_s3_class(by_schema, "factor")
  expect_identical(names(by_schema), colnames(genes)[-train])
  expect_identical(unname(by_schema), unname(predicted))
  expect_length(learn(group ~ ., table, "mllkm", train), 20)
  expect_length(learn(group ~ ., table, "mkl_gomp", train, kernels = k), 20)
  expect_length(learn(group ~ ., table, "mkl_sequential", train, dictionary = k), 20)
  expect_length(learn(group ~ ., table, "cv_mkl", train, kernels = k, p = 2, C = 1, folds = 3), 20)
  one_out <- cv_mkl(se, "group", k, p = 2, C = 1, folds = 1:40)
  expect_identical(length(unique(one_out$predictions$fold)), 40L)
  expect_setequal(one_out$predictions$name, colnames(genes))
})
