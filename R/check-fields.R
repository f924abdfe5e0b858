# The fields of the package's objects: a table for each class.

# A field is "type length". Types are those of `field_types`. The length is a number, a letter that stands for
# the same number throughout an object, or left out. A "?" in front allows NULL. A list is a table of its own.

constant_fields <- list(centre = "flags M", scaling = "codes M", scale = "finite M",
                        centre_list = "list M", total = "finite M")

data_fields <- list(views = "?list", rows = "positions", columns = "?list", every_row = "flags 1",
                    linear = "?linear", layout = "mk_layout", diagonal = "?list")

# Fields that all fits of one model share; M kernels, N rows.
single_fields <- list(
  theta = "weights M", alpha = "finite N", offset = "finite 1", support = "positions",
  objective = "numbers 1", primal = "numbers 1", gap = "numbers 1", converged = "flags 1",
  status = "status 1", C = "positive 1", loss = "loss 1", levels = "?texts", kernels = "kernels M",
  terms = "?terms", call = "?call", constants = constant_fields, forms = "numbers M",
  decision = "numbers N", y = "?response", cost = "numbers N", data = data_fields,
  scaling = list(views = "?scalings", response = "?finite 2"), normalize = "normalize",
  control = "control", memory = "numbers 1", iterations = "numbers 1", threshold = "?finite 1",
  version = "version"
)

norm_fields <- list(p = "parameter 1", norm = "texts 1", penalty = "mkl_norm",
                    loss_parameter = "?any", intercept = "flags 1", weights = "?numbers N")

mkl_fields <- c(single_fields, norm_fields, list(
  solves = "numbers 1", optimizer = "?texts 1", history = "history", task = "task",
  probability = "?sigmoid", missing_views = "?texts 1", compression = "?compression"
))

replaced <- function(fields, ...) utils::modifyList(fields, list(...))

several_fields <- c(norm_fields, list(
  models = "models T", levels = "?texts", strategy = "strategy 1", theta = "weight_table",
  decision = "matrix T", objective = "numbers T", primal = "numbers T", gap = "numbers T",
  converged = "flags 1", status = "status T", C = "numbers 1", loss = "loss 1", kernels = "kernels",
  terms = "?terms", call = "call", y = "response", scaling = single_fields$scaling,
  normalize = "normalize", missing_views = "?texts 1", control = "control", version = "version"
))

object_fields <- list(
  mkl_gomp = replaced(
    single_fields[names(single_fields) != "scaling"],
    alpha = "finite", offset = "finite T", decision = "numbers", path = "pursuit",
    selected = "numbers 1", tuning = "?frame", kept = "numbers 1", order = "positions S",
    lambda = "numbers 1", missing_views = "?texts 1", coefficients = "array N T S",
    values = "?array N T S", weights = "?numbers N", cost = "numbers", y = "response",
    scaling = list(views = "?scalings"), intercept = "?flags 1", offsets = "?array T S"
  ),
  mkl_sequential = c(mkl_fields, list(
    selected = "positions M", size = "numbers 1", dictionary = "?kernel_dictionary",
    largest = "numbers 1", passes = "numbers 1"
  )),
  mllkm = replaced(
    mkl_fields[names(mkl_fields) != "constants"],
    scaling = list(views = "scalings 1", response = "?finite 2"), anchors = "matrix", coefficients = "matrix",
    map = "texts M", gamma = "numbers M", componentwise = "flags M", anchor_rows = "positions M",
    solver = "texts 1",
    dictionary = list(maps = "frame", anchors = "?matrix", size = "numbers 1", largest = "numbers 1",
                      selected = "positions M")
  ),
  mkl = mkl_fields,
  mkl_multioutput = c(several_fields, list(outputs = "output 1")),
  mkl_multiclass = replaced(several_fields, levels = "texts"),
  mkl_path = list(
    points = "points", intervals = "intervals", over = "over 1", range = "range 2",
    theta = "array K M", kernels = "kernels M",
    C = "numbers", p = "numbers", tol = "numbers 1", certified = "flags 1", status = "status 1",
    models = "models T", data = data_fields, linear = "?list K",
    groups = "groups G", alpha = "array N T K", offset = "array T K", decision = "array N T K",
    forms = "array M G K", cross = "list", norm = "texts 1", loss = "loss 1",
    loss_parameter = "?any", intercept = "flags 1", levels = "?texts", strategy = "strategy 1",
    terms = "?terms", call = "call", seconds = "numbers 1",
    version = "version"
  ),
  cv_mkl = list(
    results = "cells", by_fold = "frame", best = "choice", best_row = "positions 1", fit = "?fit",
    predictions = "?predictions", resamples = "resamples F", weights = "fold_weights F", nested = "?nested",
    work = "?frame", estimate = "?estimates", row_values = "?any", sample = "?choice_sample",
    measure = "texts 1", larger = "flags 1", measures = "measures", tuned = "texts",
    rule = "rule 1", model = "model 1", n = "numbers 1", grid = "grid", settings = "settings",
    arguments = "?list", call = "call", version = "version"
  ),
  kernel_stability = list(kernels = "frame", views = "frame", weights = "?matrix", view_weights = "?matrix",
                          resamples = "numbers 1", level = "numbers 1", value = "texts 1", version = "version"),
  duality_gap = list(primal = "numbers T", dual = "numbers T", gap = "numbers T", model = "texts T",
                     offset = "numbers", tol = "numbers 1", version = "version"),
  gomp_recovery = list(value = "numbers 1", coherence = "numbers", good = "texts",
                       first_step = "flags 1", attained = "?numbers 1", lambda = "numbers 1", n = "numbers 1",
                       source = "texts 1", version = "version"),
  bound = list(value = "numbers", terms = "frame", source = "texts 1", version = "version"),
  drop_view = list(view = "texts", measure = "texts 1", version = "version"),
  permutation_importance = list(
    importance = "importances", repeats = "losses", value = "?any", measure = "texts 1",
    larger = "flags 1", by = "texts 1", level = "numbers 1", n = "numbers 1", left_out = "numbers 1",
    held_out = "flags 1", kind = "?texts 1", levels = "?texts", version = "version"
  ),
  summary.permutation_importance = list(importance = "importances", x = "importance_of"),
  summary.kernel_stability = list(x = "stability_of"),
  kernel_alignment = list(values = "matrix M", response = "?numbers M", view = "?texts M", centred = "flags 1",
                          version = "version"),
  mkl_assessment = list(
    measures = "estimates", parts = "?estimates", roc = "?frame", pr = "?frame", calibration = "?list",
    predictions = "frame", kind = "texts 1", rows = "numbers 1", left_out = "numbers 2",
    groups = "?numbers 1", level = "numbers 1", draws = "numbers 1", version = "version"
  ),
  mkl_comparison = list(fits = "models", comparisons = "frame", level = "numbers 1", version = "version"),
  summary.mkl_assessment = list(assessment = "fit"),
  mkl_model = list(fit = "fit", package = "texts 1", version = "version"),
  summary.mkl_path = list(path = "fit"),
  summary.cv_mkl = list(cv = "fit", top = "frame", views = "?any"),
  summary.mkl = list(fit = "fit", weights = "?any", views = "?any")
)

cv_rules <- c("best", "one_se", "margin") # by which cv_mkl() chooses

# ---- types of fields -----------------------------------------------------------------------------

is_plain_numbers <- function(x) is.numeric(x) && !is.object(x) && !anyNA(x)

is_finite_numbers <- function(x) is_plain_numbers(x) && all(is.finite(x))

# Columns of equal length, as data.frame() makes them.
is_frame <- function(x) is.data.frame(x) && all(vapply(unclass(x), NROW, 0L) == nrow(x))

has_numbers <- function(x, columns, holds = is_plain_numbers) {
  is_frame(x) && all(columns %in% names(x)) && all(vapply(unclass(x)[columns], holds, NA))
}

all_lists <- function(x, holds = function(one) TRUE) {
  is.list(x) && length(x) > 0L && all(vapply(x, function(one) is.list(one) && holds(one), NA))
}

# The layout of a view for predictions: its columns and their standardisation.
is_view_layout <- function(view) {
  is.list(view) && is.numeric(view$width) && is.logical(view$sequences) &&
    (is.null(view$columns) || (is.character(view$columns) && length(view$columns) == view$width)) &&
    is_view_scaling(view$scaling, view$width) && is_imputation(view$imputation, view$width)
}

is_compression <- function(x) {
  is.list(x) && setequal(names(x), c("error", "tolerance", "support_vectors", "norms", "largest")) &&
    all(vapply(x, is_finite_numbers, NA)) &&
    all(lengths(x[c("error", "tolerance", "support_vectors")]) == 1L) &&
    length(x$norms) == length(x$largest) && all(unlist(x) >= 0)
}

# What fills missing cells of a view.
is_imputation <- function(own, width) {
  if (is.null(own)) return(TRUE)
  positions <- function(x) is.null(x) || (is_plain_numbers(x) && all(x %in% seq_len(width)))
  is.list(own) && (is.function(own$method) || isTRUE(own$method %in% impute_methods)) &&
    is_finite_numbers(own$value) && length(own$value) == width && positions(own$empty) &&
    (is.null(own$blocks) || (is.list(own$blocks) && all(vapply(own$blocks, positions, NA)))) &&
    (!needs_rows(own$method) || (is.double(own$rows) && identical(ncol(own$rows), as.integer(width)) &&
                                   is_finite_numbers(own$inverse) && length(own$inverse) == width))
}

is_view_scaling <- function(scaling, width) {
  if (is.null(scaling)) return(TRUE)
  is.list(scaling) && all(vapply(scaling[c("centre", "scale")], function(constants) {
    is.double(constants) && length(constants) == width && all(is.finite(constants))
  }, NA)) && all(scaling$scale > 0) && is_knots(scaling$scores, width) && is_rotation(scaling$rotation, width)
}

is_rotation <- function(axes, width) {
  is.null(axes) || (is.matrix(axes) && is.double(axes) && all(dim(axes) == width) && all(is.finite(axes)))
}

is_isotonic <- function(x) {
  is_finite_numbers(x$decision) && is_finite_numbers(x$prob) && length(x$prob) == length(x$decision) &&
    length(x$prob) > 0L && !is.unsorted(x$decision, strictly = TRUE) && !is.unsorted(x$prob) &&
    all(x$prob > 0 & x$prob < 1)
}

# Checks normal scores: for each column values and scores that rise, or NULL.
is_knots <- function(scores, width) {
  is.null(scores) || (is.list(scores) && length(scores) == width && all(vapply(scores, function(one) {
    is.null(one) || (is.matrix(one) && is.numeric(one) && identical(colnames(one), c("value", "score")) &&
                       nrow(one) > 1L && all(is.finite(one)) && !is.unsorted(one[, 1L], strictly = TRUE) &&
                       !is.unsorted(one[, 2L], strictly = TRUE))
  }, NA)))
}

# Constants of all views; NULL for views that are not scaled.
is_scalings <- function(scalings) {
  is.list(scalings) &&
    all(vapply(scalings, function(one) is_view_scaling(one, length(one$centre)), NA))
}

# Values are missing for measures that are not defined on some rows.
is_importances <- function(x) {
  has_numbers(x, c("importance", "se", "lower", "upper", "p_value", "p_adjusted"), is.numeric) &&
    nrow(x) > 0L && any(c("view", "kernel", "set", "feature", "group") %in% names(x))
}

# The types of fields by name: the requirement in words, and its test.
field_types <- list(
  any = list("anything", function(x) TRUE),
  compression = list("numbers of a compression", is_compression),
  importances = list("a data frame of importances", is_importances),
  losses = list("a matrix of numbers", function(x) is.matrix(x) && is.numeric(x)),
  stability_of = list("a result of kernel_stability()", function(x) inherits(x, "kernel_stability")),
  importance_of = list("a result of permutation_importance()", function(x) {
    inherits(x, "permutation_importance")
  }),
  numbers = list("numbers", is_plain_numbers),
  finite = list("finite numbers", is_finite_numbers),
  positive = list("positive finite numbers", function(x) {
    is_plain_numbers(x) && all(x > 0 & x < Inf)
  }),
  weights = list("non-negative finite numbers with names", function(x) {
    is_plain_numbers(x) && all(x >= 0 & x < Inf) && (length(x) == 0L || is.character(names(x)))
  }),
  parameter = list("a number of at least 1, or NA", function(x) {
    is.numeric(x) && length(x) == 1L && (is.na(x) || x >= 1)
  }),
  positions = list("positive whole numbers", function(x) {
    is_plain_numbers(x) && all(x >= 1 & x == round(x))
  }),
  codes = list("codes of scalings", function(x) is.integer(x) && all(x %in% 0:3)),
  flags = list("TRUE or FALSE", function(x) is.logical(x) && !anyNA(x)),
  texts = list("strings", function(x) is.character(x) && !anyNA(x)),
  status = list("words for how a fit ended", function(x) all(x %in% core_status)),
  loss = list("the name of a loss", function(x) is.character(x) && all(x %in% loss_table$type)),
  strategy = list("the name of a strategy", function(x) {
    all(x %in% c(multiclass_schemes, "own"))
  }),
  output = list("a kind of outputs", function(x) all(x %in% names(output_words))),
  over = list("\"C\" or \"p\"", function(x) all(x %in% c("C", "p"))),
  rule = list("a rule", function(x) all(x %in% cv_rules)),
  model = list("the name of a model", function(x) is.character(x) && !anyNA(x)),
  normalize = list("a normalisation", function(x) passes(check_normalize(x))),
  list = list("a list", is.list),
  frame = list("a data frame", is_frame),
  history = list("a data frame of steps with their gaps", function(x) {
    has_numbers(x, c("objective", "gap", "time")) && all(x$time >= 0)
  }),
  pursuit = list("a data frame of steps", function(x) {
    chosen_by <- if ("gradient" %in% names(x)) "gradient" else "improvement"
    has_numbers(x, c("step", chosen_by, "objective", "training_error", "gap")) &&
      is.character(x$kernel)
  }),
  estimates = list("a data frame of measures with their intervals", function(x) {
    is.character(x$measure) && has_numbers(x, c("estimate", "lower", "upper"), is.numeric)
  }),
  choice_sample = list("the sample of a choice", function(x) {
    is.list(x) && all(c("half", "loss", "stable") %in% names(x)) && (is.null(x$half) || is.list(x$half)) &&
      is_plain_numbers(c(x$rows, x$of)) && is.character(x$measure) && is.numeric(c(x$loss, x$se)) &&
      is.logical(x$stable)
  }),
  points = list("a data frame of points with their gaps", function(x) {
    has_numbers(x, setdiff(names(x), "status")) && all(c("gap", "status") %in% names(x)) &&
      any(c("C", "p") %in% names(x))
  }),
  intervals = list("a data frame of intervals with their gaps", function(x) {
    has_numbers(x, c("lower", "upper", "gap"))
  }),
  cells = list("a data frame of cells with their scores", function(x) {
    has_numbers(x, "folds") && nrow(x) > 0L &&
      has_numbers(x, c("mean", "se", "kernels", "support", "gap", "seconds", "failed"), is.numeric)
  }),
  predictions = list("a data frame of rows held out", function(x) {
    has_numbers(x, c("row", "repeat")) && all(c("fold", "response", "decision") %in% names(x)) &&
      is.numeric(x$decision)
  }),
  range = list("two rising numbers", function(x) is_plain_numbers(x) && !is.unsorted(x)),
  matrix = list("a matrix of finite numbers", function(x) is.matrix(x) && is_finite_numbers(x)),
  array = list("an array of finite numbers", function(x) length(dim(x)) >= 2L && is_finite_numbers(x)),
  weight_table = list("non-negative numbers", function(x) {
    values <- unlist(x)
    is_plain_numbers(values) && all(values >= 0)
  }),
  response = list("a response", is.atomic), # NA: rows that a pair of classes leaves out
  scalings = list("centres and scales of views", is_scalings),
  linear = list("weights of columns", function(x) {
    is.list(x) && is.list(x$weights) && all(vapply(x$weights, is_finite_numbers, NA)) &&
      is_finite_numbers(x$shift) && length(x$shift) == length(x$weights)
  }),
  sigmoid = list("the two numbers of a sigmoid, or an isotonic map", function(x) {
    is.list(x) && if (is.null(x$prob)) is_finite_numbers(x$A) && is_finite_numbers(x$B) else is_isotonic(x)
  }),
  task = list("a list", is.list),
  terms = list("terms of a formula", function(x) inherits(x, "terms")),
  call = list("a call", is.call),
  kernels = list("a kernel set", function(x) {
    inherits(x, "kernel_set") && passes(check_kernel_shape(x))
  }),
  kernel_dictionary = list("a dictionary", function(x) inherits(x, "kernel_dictionary")),
  mkl_norm = list("a norm", function(x) inherits(x, "mkl_norm") && passes(check_norm(x))),
  mk_layout = list("a layout of views", function(x) {
    inherits(x, "mk_layout") && is.list(x) && is.logical(attr(x, "single")) &&
      length(attr(x, "single")) == 1L && length(names(x)) == length(x) && !anyDuplicated(names(x)) &&
      all(vapply(unclass(x), is_view_layout, NA))
  }),
  control = list("settings made by mkl_control()", function(x) passes(check_made_control(x))),
  settings = list("settings of cv_mkl()", function(x) is.list(x) && passes(check_made_settings(x))),
  grid = list("a grid", function(x) {
    is.list(x) && is.character(x$tuned) && is_plain_numbers(x$inner) && is.list(x$outer) &&
      all(vapply(x$outer, function(one) {
        is.null(one) || is_plain_numbers(one) || (inherits(one, "mkl_norm") && passes(check_norm(one)))
      }, NA))
  }),
  fold_weights = list("kernel weights of each fold", function(x) {
    is.list(x) && all(vapply(x, function(one) {
      is.list(one) && all(vapply(one[c("theta", "share")], function(part) {
        is.null(part) || (is.matrix(part) && is.numeric(part))
      }, NA))
    }, NA))
  }),
  choice = list("a value for each setting that is tuned", function(x) {
    is.list(x) && all(vapply(x, function(one) {
      (is.atomic(one) && length(one) == 1L) || (is.character(one) && passes(check_scale(one))) ||
        (inherits(one, "mkl_norm") && passes(check_norm(one)))
    }, NA))
  }),
  nested = list("a nested estimate", function(x) {
    is.list(x) && is_frame(x$by_fold) && is.character(x$estimate$measure) &&
      has_numbers(x$estimate, c("mean", "se"), is.numeric)
  }),
  measures = list("measures", function(x) {
    all_lists(x, function(one) {
      is.character(one$name) && length(one$name) == 1L && isTRUE(one$larger %in% c(TRUE, FALSE))
    })
  }),
  resamples = list("resamples", function(x) {
    all_lists(x, function(one) {
      is.integer(one$repeat_number) && length(one$repeat_number) == 1L && is.numeric(one$test)
    })
  }),
  groups = list("positions of models", function(x) {
    is.list(x) && identical(sort(unlist(x)), seq_along(unlist(x))) && all(lengths(x) > 0L)
  }),
  models = list("fits", function(x) if (is_packed(x)) is_sound_packed(x) else all_lists(x)),
  fit = list("a fit", is.list),
  version = list("a version", is.numeric)
)

check_made_settings <- function(x) {
  check_class(x$loss, "mkl_loss", "loss", "a loss")
  check_scale(x$scale)
  check_missing_views(x$missing_views)
  check_settings(2, x$C, x$loss, x$norm, x$normalize, x$class_weights, x$multiclass,
                 check_made_control(x$control), x$intercept)
  check_threshold(x$threshold)
}
