# Models as JSON: the same predictions, no more of the data than is said, hostile files.
skip_on_cran() # a slow file
skip_if_not_installed("jsonlite")
made <- suppressMessages(fits_of_every_class())
new <- made$x[1:6, ] + 0.01
written <- function(object) write_model(object, tempfile(fileext = ".json"))

expect_same_predictions <- function(fit, newdata, types = c("response", "decision")) {
  model <- read_model(written(fit))
  for (type in types) {
    expect_identical(predict(model, newdata, type = type), predict(fit, newdata, type = type))
  }
  model
}

test_that("models of every class predict the same bits", {
  for (name in setdiff(names(made$fits), "path")) {
    expect_same_predictions(made$fits[[name]], if (name == "formula") data.frame(new) else new)
  }
  expect_same_predictions(made$fits$mkl, new, "prob")
  expect_classed(write_model(made$fits$path, tempfile()), "unsupported", "object")
})

test_that("pursuits of several classes and responses keep their names", {
  outputs <- cbind(first = made$x[, 1], second = made$x[, 2]^2)
  for (y in list(cut(made$x[, 1], 3, c("low", "mid", "high")), outputs, outputs > 0.5)) {
    fit <- mkl_gomp(made$x, y, kernels = gaussian_kernel(c(1, 4)), control = quiet())
    expect_identical(colnames(predict(fit, new, type = "decision")), levels(y) %||% colnames(y))
    expect_same_predictions(fit, new)
  }
})

test_that("sparse models are read, and words counted, before package Matrix is loaded", {
  skip_unless_slow()
  skip_on_cran()
  sparse <- Matrix::Matrix(made$x * (made$x > 0), sparse = TRUE)
  fit <- mkl(sparse, made$y, gaussian_kernel(2), control = mkl_control(progress = FALSE))
  file <- written(fit)
  files <- tempfile(c("found", "script", "new"))
  saveRDS(as.matrix(sparse[1:2, ]), files[3])
  writeLines(c(
    "library(manykernels)", sprintf("fit <- read_model(%s)", deparse(file)),
    sprintf("found <- predict(fit, readRDS(%s), type = \"decision\")", deparse(files[3])),
    sprintf("saveRDS(found, %s)", deparse(files[1])),
    "if (isNamespaceLoaded(\"Matrix\")) unloadNamespace(\"Matrix\")",
    "stopifnot(sum(kernel_matrix(spectrum_kernel(2), c(\"ACG\", \"ACT\"))) == 6)"
  ), files[2])
  paths <- paste(c(dirname(find.package("manykernels")), .libPaths()), collapse = .Platform$path.sep)
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(files[2]), stdout = FALSE,
                    stderr = FALSE, env = paste0("R_LIBS=", shQuote(paths)))
  expect_identical(status, 0L)
  expect_equal(readRDS(files[1]), fit$decision[1:2], tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("models of every kernel predict the same bits", {
  x <- made$x
  y <- made$y
  quiet <- mkl_control(progress = FALSE)
  sets <- list(polynomial_kernel(), gaussian_kernel(c(0.5, 2)),
               normalize_kernels(gaussian_kernel(1), c("centre", "spherical")),
               normalize_kernels(linear_kernel(), "spherical"),
               locally_linear_kernel(gamma = 1, anchors = x[1:2, ]),
               on_features(gaussian_kernel(1), list(a = c("u", "v"))), per_feature(linear_kernel()))
  for (set in sets) expect_same_predictions(mkl(x, y, set, control = quiet), new)
  positive <- abs(round(x))
  expect_same_predictions(mkl(positive, y, tanimoto_kernel(), scale = FALSE, control = quiet),
                          abs(round(new)))
  sparse <- Matrix::Matrix(x * (x > 0), sparse = TRUE)
  expect_same_predictions(mkl(list(a = x, b = sparse), y, control = quiet),
                          list(a = new, b = sparse[1:6, ]))
  words <- c("ACGTACGTAC", "ACGTTCGTAC", "TTGTACGAAC", "ACGAACGTAA")
  for (set in list(spectrum_kernel(2), weighted_degree_kernel(3))) {
    expect_same_predictions(mkl(words, y[1:4], set, control = quiet), words[2:3])
  }
  K <- tcrossprod(x)
  fit <- mkl(kernels = precomputed_kernel(list(K = K)), y = y, control = quiet)
  expect_same_predictions(fit, list(K = new %*% t(x)))
  frame <- data.frame(x, colour = factor(rep(c("red", "blue"), 10)))
  expect_same_predictions(mkl(frame, y, control = quiet), frame[3:6, ])
  formula <- mkl(y ~ log(abs(u)) * v, data.frame(x, y = y), control = quiet)
  expect_same_predictions(formula, data.frame(new))
  expect_classed(write_model(mkl(y ~ poly(u, 2), data.frame(x, y = y), control = quiet), tempfile()),
                 "unsupported", "object")
  own <- mkl(x, y, function_kernel(function(X, Z) tcrossprod(X, Z)), control = quiet)
  expect_classed(write_model(own, tempfile()), "unsupported", "object")
})

test_that("names and classes that look like numbers are text", {
  x <- made$x[, 1:2]
  labels <- list(c("NA", "Inf"), c("1", "NaN"), c("TRUE", "-Inf"))
  for (own in labels) {
    colnames(x) <- own
    fit <- mkl(x, factor(rep(own, 10)), c(gaussian_kernel(1), linear_kernel()),
               control = mkl_control(progress = FALSE))
    model <- expect_same_predictions(fit, x)
    expect_identical(kernel_weights(model), kernel_weights(fit))
  }
  only <- mkl(list("NA" = x), made$y, control = mkl_control(progress = FALSE))
  expect_same_predictions(only, list("NA" = x))
})

test_that("the schema names the fields and types that files have", {
  schema <- jsonlite::read_json(system.file("schema", "model.json", package = "manykernels"))
  content <- jsonlite::read_json(written(made$fits$mkl))
  expect_setequal(names(schema$properties), names(content))
  types <- vapply(schema$definitions$value$oneOf, function(one) basename(one[["$ref"]]), "")
  expect_setequal(types, c("logical", "integer", "double", "character", "raw", "null", "list", "sparse"))
  for (type in types) expect_identical(schema$definitions[[type]]$properties$type$const, type)
})

test_that("linear models hold no row, and no model responses or names", {
  x <- made$x
  rownames(x) <- sprintf("patient_%d", seq_len(nrow(x)))
  quiet <- mkl_control(progress = FALSE)
  linear <- mkl(x, made$y, linear_kernel(), control = quiet)
  file <- written(linear)
  model <- read_model(file)
  expect_null(model$fit$data$views)
  expect_length(model$fit$alpha, 0L)
  expect_identical(predict(model, new), predict(linear, new))
  other <- written(mkl(x, made$y, gaussian_kernel(1), control = quiet))
  expect_false(any(grepl("patient", c(readLines(file), readLines(other)))))
  expect_snapshot(print(read_model(written(made$fits$mkl))))
})

test_that("hostile files are one classed error", {
  file <- written(made$fits$mkl)
  text <- paste(readLines(file), collapse = "\n")
  refused <- function(text) {
    path <- tempfile()
    writeLines(text, path)
    expect_classed(read_model(path), "model_file", "file")
  }
  for (at in round(seq(0, nchar(text) - 1, length.out = 40))) refused(substr(text, 1, at))
  for (one in c("", "1", "[]", "{}", "null", "\"a\"", strrep("[", 1e6), "{\"format\": \"manykernels model\"}")) {
    refused(one)
  }
  changed <- function(from, to) refused(sub(from, to, text, fixed = TRUE))
  changed("\"form\":1", "\"form\":2")
  changed("\"type\":\"double\"", "\"type\":\"closure\"")
  changed("\"mkl_control\"", "\"connection\"")
  changed("\"value\":[\"theta\",", "\"value\":[\"beta\",")
  changed("\"formula\":null", "\"formula\":\"~ system('touch hacked')\"")
  changed("\"format\"", "\"more\":1,\"format\"")
  expect_false(file.exists("hacked"))
  expect_classed(read_model(tempfile()), "model_file", "file")
  expect_classed(read_model(tempdir()), "model_file", "file")
  expect_classed(read_model(1), "invalid_argument", "file")
  expect_classed(write_model(made$fits$mkl, file.path(tempdir(), "no", "such")), "model_file", "file")
  folder <- tempfile("endings")
  dir.create(folder)
  own <- function(name) file.path(folder, name)
  for (name in c("m.rds", "m.onnx", "m.pkl", "m.XML", "m.json.gz")) {
    expect_classed(write_model(made$fits$mkl, own(name)), "invalid_argument", "file")
    expect_classed(write_kernel(diag(3), own(name)), "invalid_argument", "file")
  }
  expect_classed(write_kernel(linear_kernel(), own(c("a.kernel", "b.csv")), x = diag(3)), "invalid_argument", "file")
  expect_length(list.files(folder), 0)
  for (name in c("m", "m.JSON", "m_0.5")) expect_identical(write_model(made$fits$mkl, own(name)), own(name))
  for (name in c("k", "k.kernel", "k_0.5")) expect_type(write_kernel(diag(3), own(name)), "character")
  expect_classed(write_model(1, tempfile()), "invalid_argument", "object")
})

# A file with one value in it replaced.
refused_with <- function(fit, damage, words) {
  content <- jsonlite::parse_json(paste(readLines(written(fit)), collapse = "\n"))
  content$object <- damage(content$object)
  path <- tempfile(fileext = ".json")
  writeLines(jsonlite::toJSON(content, auto_unbox = TRUE, digits = NA, null = "null"), path)
  text <- readLines(path)
  writeLines(sub("\"Inf\"", "1e999", text, fixed = TRUE), path)
  problem <- expect_classed(read_model(path), "model_file", "file")
  for (one in c(basename(path), words)) expect_match(conditionMessage(problem), one, fixed = TRUE)
}

# The first number of a field, or of a part of it, in the tree of a file.
set_number <- function(object, field, value, part = NULL) {
  at <- list("value", match(field, unlist(object$attributes$names$value)))
  node <- value_at(object, at)
  if (!is.null(part)) {
    at <- c(at, "value", match(part, unlist(node$attributes$names$value)))
    node <- value_at(object, at)
  }
  node$value[1L] <- list(value)
  replace_at(object, at, node)
}

test_that("numbers that no model has are refused by the name of the field", {
  for (fit in made$fits[c("mkl", "gomp", "regression")]) {
    for (field in c("theta", "alpha", "offset")) {
      refused_with(fit, function(object) set_number(object, field, "Inf"), sprintf("`%s`", field))
    }
  }
  for (part in c("scale", "total")) {
    refused_with(made$fits$mkl, function(object) set_number(object, "constants", "Inf", part),
                 sprintf("`constants$%s`", part))
  }
})

test_that("levels and contrasts of formulas are lists with names", {
  frame <- data.frame(made$x, colour = factor(rep(c("red", "blue"), 10)), y = made$y)
  fit <- mkl(y ~ u + colour, frame, control = mkl_control(progress = FALSE))
  expect_same_predictions(fit, frame[3:6, ])
  for (field in c("xlevels", "contrasts")) {
    refused_with(fit, function(object) {
      at <- list("value", match(field, unlist(object$attributes$names$value)))
      replace_at(object, at, list(type = "list", value = list(list(type = "integer", value = list(1)))))
    }, sprintf("`%s`", field))
  }
})

test_that("pursuits that can't predict are refused", {
  gomp <- made$fits$gomp
  for (value in c(1e6, gomp$order[2])) { # no such kernel; one twice
    refused_with(gomp, function(object) set_number(object, "order", value), "`order`")
  }
  refused_with(gomp, function(object) set_number(object, "coefficients", "Inf"), "`coefficients`")
  refused_with(gomp, function(object) set_number(object, "constants", 0, "scale"), "can't predict")
  K <- tcrossprod(made$x)
  precomputed <- mkl_gomp(kernels = precomputed_kernel(list(K = K)), y = made$y)
  expect_same_predictions(precomputed, list(K = K[1:3, ]))
  refused_with(precomputed, function(object) set_number(object, "constants", "Inf", "scale"),
               "`constants$scale`")
})

# Every value of the tree is replaced in turn: the file is refused, or the model predicts.
replaced_in_turn <- function(fit, number) {
  content <- jsonlite::parse_json(paste(readLines(written(fit)), collapse = "\n"))
  places <- tree_places(content$object)
  wrong <- list(list(type = "null"), list(type = "double", value = list(-1)),
                list(type = "character", value = list("a")), list(type = "list", value = list()), 7)
  set.seed(2)
  few <- if (nzchar(Sys.getenv("MANYKERNELS_SLOW"))) seq_along(places) else
    sample.int(length(places), number)
  for (k in few) {
    own <- content
    place <- paste(unlist(places[[k]]), collapse = " ")
    own$object <- replace_at(own$object, places[[k]], wrong[[1L + k %% length(wrong)]])
    path <- tempfile()
    writeLines(jsonlite::toJSON(own, auto_unbox = TRUE, digits = NA, null = "null"), path)
    problem <- tryCatch({
      predict(read_model(path), new)
      NULL
    }, error = identity)
    expect_true(is.null(problem) || inherits(problem, "manykernels_error"),
                label = paste(c(place, if (!is.null(problem)) conditionMessage(problem)), collapse = " "))
    expect_false(inherits(problem, "manykernels_core"), label = place)
  }
}

test_that("a value of another kind is refused, or harmless", {
  skip_unless_slow()
  replaced_in_turn(made$fits$mkl, 60L)
  replaced_in_turn(made$fits$gomp, 40L)
})

test_that("a locally linear kernel has one value of each parameter", {
  kernel <- locally_linear_kernel(gamma = c(1, 2))
  for (name in c("map", "gamma", "componentwise", "row")) {
    own <- unclass(kernel)
    value <- own$parameters[[1L]][[name]]
    own$parameters[[1L]][[name]] <- c(value, value)
    changed <- structure(own, class = class(kernel))
    expect_classed(mkl(made$x, made$y, changed), "invalid_argument", "kernels")
  }
})

test_that("methods of models work, or say that a file has no training data", {
  d <- data.frame(iris[51:150, 1:4], y = droplevels(iris$Species[51:150]))
  fits <- list(mkl(y ~ ., d), mkl(Species ~ ., iris), mkl_gomp(y ~ ., d, linear_kernel()))
  for (fit in fits) {
    model <- read_model(written(fit))
    expect_identical(coef(model), coef(fit))
    expect_identical(variable.names(model), variable.names(fit))
    expect_equal(formula(model), stats::formula(stats::delete.response(fit$terms)), ignore_formula_env = TRUE)
    if (requireNamespace("generics", quietly = TRUE)) {
      expect_identical(generics::tidy(model), generics::tidy(fit))
      expect_identical(generics::augment(model, newdata = d[1:3, ]), generics::augment(fit, newdata = d[1:3, ]))
      expect_classed(generics::augment(model), "invalid_argument", "newdata")
      expect_classed(generics::glance(model), "unsupported", "x")
    }
    needs_data <- list(nobs, fitted, residuals, support, summary, weights, case.names,
                       function(object) update(object, C = 2))
    for (f in needs_data) expect_classed(f(model), "unsupported", "object")
    expect_classed(model.frame(model), "unsupported", "formula")
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_classed(ggplot2::autoplot(model), "unsupported", "object")
  }
  expect_classed(formula(read_model(written(mkl(d[1:4], d$y)))), "unsupported", "x")
})

test_that("the fit within a model that was read tells no untruths about training rows", {
  for (y in list(iris$Species, iris$Sepal.Length)) {
    file <- withr::local_tempfile(fileext = ".json")
    write_model(mkl(iris[2:4], y, linear_kernel()), file)
    model <- read_model(file)
    for (f in list(residuals, fitted, summary, nobs, generics::glance, duality_gap)) {
      expect_error(f(model$fit), "as a file holds no training", class = "manykernels_unsupported")
    }
    expect_error(predict(model$fit), "`newdata` must be given", class = "manykernels_invalid_argument")
    expect_identical(predict(model$fit, iris[1:3, ]), predict(model, iris[1:3, ]))
    expect_output(print(model$fit), "without training rows")
  }
})

test_that("several models that count words predict from a file as before", {
  set.seed(11)
  letters <- c("A", "C", "G", "T")
  y <- factor(rep(c("a", "b", "c"), c(8, 12, 16)))
  x <- replicate(length(y), paste(sample(letters, 25, TRUE), collapse = ""))
  substr(x[y == "a"], 1, 6) <- "AAAAAA"
  substr(x[y == "b"], 1, 6) <- "CCCCCC"
  reread <- function(fit) read_model(write_model(fit, tempfile(fileext = ".json")))
  for (multiclass in c("ovo", "ovr", "shared", "joint")) {
    fit <- mkl(x, y, c(spectrum_kernel(1:2), gappy_pair_kernel(1, 2)), C = 0.05, multiclass = multiclass,
               control = mkl_control(progress = FALSE))
    expect_identical(predict(reread(fit), x, type = "decision"), predict(fit, x, type = "decision"))
  }
  fit <- mkl(x, cbind(nchar(gsub("A", "", x)), nchar(gsub("C", "", x))), spectrum_kernel(2),
             control = mkl_control(progress = FALSE))
  expect_identical(predict(reread(fit), x), predict(fit, x))
})

test_that("a model that can't be written leaves the old file and no other", {
  fit <- mkl(mpg ~ wt, mtcars, kernels = linear_kernel(), control = mkl_control(progress = FALSE))
  expect_error(write_model(fit, file.path(tempdir(), "none", "a.json")), "can't be written",
               class = "manykernels_model_file")
  file <- file.path(small_disk(100), "a.json")
  write_model(fit, file)
  fill_disk(file)
  before <- tools::md5sum(file)
  open <- nrow(showConnections())
  for (k in 1:2) expect_error(write_model(fit, file), "Make room on its disk", class = "manykernels_model_file")
  expect_identical(tools::md5sum(file), before)
  expect_identical(sort(list.files(dirname(file))), c("a.json", "filler"))
  expect_identical(nrow(showConnections()), open)
})
