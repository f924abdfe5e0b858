# Following the advice of a message leads on. Each case has a piece of a message, code that provokes it, and
# code that does what it says. The last test makes this complete: every text of the package that gives advice
# (advice_texts() finds them in its code) has a case here, or is listed there with the reason why it has none.

skip_on_cran()
skip_unless_slow() # a minute

# ---- texts of messages, and what tries one -------------------------------------------------------

# Texts of the package's functions and lists, each with all that paste() and sprintf() put together.
package_texts <- function() {
  namespace <- asNamespace("manykernels")
  joins <- c("paste", "paste0", "sprintf")
  is_join <- function(code) is.call(code) && is.name(code[[1]]) && as.character(code[[1]]) %in% joins
  parts <- function(code) Filter(function(part) !identical(part, quote(expr = )), as.list(code))
  joined <- function(code) {
    arguments <- parts(code)[-1]
    if (!is.null(names(arguments))) arguments <- arguments[!names(arguments) %in% c("collapse", "sep")]
    paste(unlist(lapply(arguments, function(one) {
      if (is.character(one)) one else if (is_join(one)) joined(one)
    })), collapse = " ")
  }
  texts <- function(code, inside = FALSE) {
    if (is.character(code)) return(if (!inside) code)
    if (is.function(code)) return(c(texts(as.list(formals(code))), texts(body(code))))
    if (is.list(code)) return(unlist(lapply(parts(code), texts)))
    if (!is.call(code)) return(NULL)
    join <- is_join(code)
    c(if (join && !inside) joined(code), unlist(lapply(parts(code)[-1], function(one) {
      texts(one, inside = join && (is.character(one) || is_join(one)))
    })))
  }
  found <- lapply(ls(namespace, all.names = TRUE), function(name) {
    value <- get(name, namespace)
    # hints have a test of their own
    if (is.function(value)) texts(value) else if (is.character(value)) value
  })
  unique(gsub("[[:space:]]+", " ", unlist(found)))
}

# Those that say what to do: by a verb at the start of a clause, or by code to write.
advice_texts <- function() {
  verbs <- paste("give", "use", "leave", "make", "take", "fit", "set", "remove", "install", "try", "see", "choose",
                 "rescale", "check", "cut", "say", "write", "keep", "call", "subtract", "name", "train", "start",
                 "delete", "impute", "put", "don't", "is it", sep = "|")
  pattern <- sprintf(paste0("(^|[.:;,] |, or |, and |, best )(%s)\\b|as by|as in `|",
                            "`[^`%%]*\\w\\(|`[^`%%]* = [^`]*`|[a-z]_[a-z]+\\(\\)"), verbs)
  texts <- package_texts()
  a_class <- grepl("^(made by )?[a-z_]+\\(\\)$", texts) # what an argument must be
  texts[nchar(texts) > 10 & !a_class & grepl(pattern, texts, ignore.case = TRUE, perl = TRUE)]
}

# What the cases of a file say, those in tests that are skipped, too.
advice_cases <- function(file) {
  says <- function(code) {
    if (!is.call(code) && !is.expression(code)) return(NULL)
    own <- if (identical(code[[1]], as.name("try_advice"))) code[[2]]
    c(own, unlist(lapply(Filter(function(part) !identical(part, quote(expr = )), as.list(code)), says)))
  }
  says(parse(file, keep.source = FALSE))
}

# `wrong` signals a condition of the package, or prints something, that says `says`; `right` does what it says, and leads to a
# value, a fit that is certified where it is one, without being told so again.
try_advice <- function(says, wrong, right, needs = NULL) {
  if (!all(vapply(needs, requireNamespace, NA, quietly = TRUE))) return(invisible())
  here <- parent.frame()
  heard <- conditions_of(eval(substitute(wrong), new.env(parent = here)))$messages
  testthat::expect(any(grepl(says, heard, fixed = TRUE)),
                   sprintf("Nothing says \"%s\", but: %s", says, paste(heard, collapse = " / ")))
  after <- conditions_of(eval(substitute(right), new.env(parent = here)))
  testthat::expect(!any(grepl(says, after$messages, fixed = TRUE)), sprintf("\"%s\" is said again.", says))
  testthat::expect(is.null(after$error) && !is.null(after$value),
                   sprintf("\"%s\" leads to: %s", says, after$error))
  if (inherits(after$value, "mkl") && !inherits(after$value, "mkl_gomp")) testthat::expect_true(after$value$converged)
}

# The value of code or its error, and what it said on the way: the messages of all conditions of the package,
# and what it printed.
conditions_of <- function(code) {
  messages <- character()
  value <- error <- NULL
  note <- function(condition) {
    if (any(grepl("^manykernels_", class(condition)))) {
      messages <<- c(messages, gsub("[[:space:]]+", " ", conditionMessage(condition)))
    }
    if (inherits(condition, "message")) invokeRestart("muffleMessage")
    if (inherits(condition, "warning")) invokeRestart("muffleWarning")
  }
  printed <- utils::capture.output(tryCatch(value <- withCallingHandlers(code, condition = note),
                                            error = function(e) error <<- conditionMessage(e)))
  printed <- gsub("[[:space:]]+", " ", paste(printed, collapse = " "))
  list(value = value, error = error, messages = c(messages, printed))
}

# ---- what the cases use --------------------------------------------------------------------------

set.seed(1)
n <- 40
x <- matrix(rnorm(4 * n), n, dimnames = list(NULL, c("a", "b", "e", "g")))
y <- factor(ifelse(x[, 1] + rnorm(n) / 4 > 0, "v", "u"))
numbers <- x[, 1] + rnorm(n) / 4
d <- data.frame(x, y = y)
k <- gaussian_kernel(c(2, 8))
K <- tcrossprod(x) + 1
named <- function(values, names = paste0("s", seq_len(NROW(values)))) {
  if (is.null(dim(values))) stats::setNames(values, names) else {
    rownames(values) <- names
    values
  }
}
letters_of <- function(alphabet, length = 12) {
  vapply(seq_len(n), function(i) paste(sample(alphabet, length, TRUE), collapse = ""), "")
}
dna <- letters_of(c("A", "C", "G", "T"))
times <- if (requireNamespace("survival", quietly = TRUE)) survival::Surv(exp(numbers), rep(0:1, n / 2))

# ---- data ----------------------------------------------------------------------------------------

test_that("data that are something else", {
  try_advice("Give the formula without quotes", mkl("y ~ .", d), mkl(y ~ ., d))
  expect_error(cv_mkl("y ~ .", d), "without quotes", class = "manykernels_invalid_argument")
  try_advice("(x, y, kernels = k)`, or `", mkl(k, y), mkl(x, y, kernels = k))
  try_advice("(y = y, kernels = precomputed_kernel(x))`",
    { x <- K; mkl(x, y) },
    { x <- K; mkl(y = y, kernels = precomputed_kernel(x)) })
  try_advice("mkl_gomp(y = y, kernels = precomputed_kernel(x))`",
    { x <- K; mkl_gomp(x, y) },
    { x <- K; mkl_gomp(y = y, kernels = precomputed_kernel(x)) })
  try_advice("has the same name, and new data are matched to kernels and views by their names",
             mkl(list(g = x), y, c(precomputed_kernel(list(g = K)), k)),
             mkl(list(g = x), y, c(precomputed_kernel(list(g_kernel = K)), k)))
  try_advice("among the `kernels`", mkl(list(a = x, b = K), y),
             mkl(list(a = x), y, c(linear_kernel(), precomputed_kernel(K))))
  try_advice("if its columns are features", mkl(K, y), { x <- K; mkl(as.data.frame(x), y) })
  try_advice("give `gaussian_kernel(width, distance =", { x <- dist(x); mkl(x, y) },
             { x <- dist(x); width <- 2; mkl(y = y, kernels = gaussian_kernel(width, distance = x)) })
  try_advice("is one column, `[i, , drop = FALSE]` keeps one row",
    mkl(x[, 1], y),
    { x <- x[, 1]; mkl(matrix(x, ncol = 1), y) })
  try_advice("Two ways on: give mkl() or cv_mkl() `impute", { x[2, 3] <- NA; mkl(x, y) },
             { x[2, 3] <- NA; mkl(x, y, impute = "median") })
  try_advice("or leave rows out, as by `complete.cases()`", { x[2, 3] <- NA; mkl(x, y) },
             { x[2, 3] <- NA; keep <- complete.cases(x); mkl(x[keep, ], y[keep]) })
  try_advice("Set infinite values to NA for `impute` of mkl(), or leave these rows out", mkl(list(u = replace(x, 2, Inf)), y),
             { mkl(list(u = replace(x, 2, NA)), y, impute = "median"); mkl(list(u = x[-2, ]), y[-2]) })
  holes <- replace(x, 2, NA)
  sparse <- methods::as(abs(holes), "CsparseMatrix")
  groups <- data.frame(a = x[, 1], f = factor(c(NA, rep(1:3, 13))))
  try_advice("Give mkl() or cv_mkl() `impute = \"median\"`, or leave these rows out", mkl(groups, y),
             mkl(groups, y, impute = "median"))
  try_advice("which is sparse, or give a dense matrix", mkl(sparse, y, impute = "knn"),
             { mkl(as.matrix(sparse), y, impute = "knn"); mkl(sparse, y, impute = "median") })
  try_advice("\"half_minimum\" is for amounts", mkl(holes, y, impute = "half_minimum"), mkl(holes, y, impute = "knn"))
  file <- tempfile(fileext = ".json")
  try_advice("`impute` is a function, which can't be exchanged",
    write_model(mkl(holes, y, impute = function(x, train) replace(x, is.na(x), 0)), file),
    write_model(mkl(holes, y, impute = "median"), file))
  try_advice("Let cv_mkl() choose", mkl(x, y, scale = "auto"), cv_mkl(x, y, k, p = 2, C = 1, scale = "auto"))
  try_advice("Make it numbers, as by `as.numeric(as.character(",
    { x <- data.frame(z = factor(x[, 1]), w = x[, 2]); mkl(x, y) },
    {
    x <- data.frame(z = factor(x[, 1]), w = x[, 2])
    x$z <- as.numeric(as.character(x$z))
    mkl(x, y)
  })
  try_advice("Sequences are a view of their own, as in", mkl(data.frame(dna, w = x[, 2]), y),
             mkl(list(sequence = dna, other = x[, 2, drop = FALSE]), y))
  empty <- data.frame(x, s = NA_character_)
  try_advice("it has no value in any row", mkl(empty, y, impute = "median"),
             { x <- empty; x$s <- NULL; mkl(x, y, impute = "median") })
  try_advice("Leave it out, or make it row names", mkl(data.frame(id = paste0("p", 1:n), x), y),
             { x <- data.frame(id = paste0("p", 1:n), x); rownames(x) <- x$id; mkl(x[-1], y) })
  try_advice("Sequences are text, `as.character(",
    { x <- factor(dna); mkl(x, y) },
    { x <- factor(dna); mkl(as.character(x), y) })
  try_advice("Sequences are a character vector: `unlist(",
    { x <- as.list(dna); mkl(x, y) },
    { x <- as.list(dna); mkl(unlist(x), y) })
  try_advice("whose unit you must choose: give numbers",
    { x <- data.frame(x, z = Sys.Date() + 1:n); mkl(x, y) },
    { x <- data.frame(x, z = Sys.Date() + 1:n); x$z <- as.numeric(x$z); mkl(x, y) })
  try_advice("make them numbers by `bit64::as.double.integer64(",
    mkl(data.frame(x, z = bit64::as.integer64(1:n)), y),
    {
    x <- data.frame(x, z = bit64::as.integer64(1:n))
    x$z <- bit64::as.double.integer64(x$z)
    mkl(x, y)
  },
    "bit64")
  try_advice("Take it out of the formula; in a regression subtract it",
             { x <- data.frame(x, check.names = FALSE); x[["offset(a)"]] <- x$a; mkl(x, numbers) },
             mkl(data.frame(x), numbers - x[, "a"]))
  try_advice("`sigma` is not an argument here: widths are 1 / sigma: `width = 0.5`", gaussian_kernel(sigma = 2),
             mkl(x, y, kernels = gaussian_kernel(width = 0.5)))
  try_advice("it is `control = mkl_control(tol = 1e-3)`", mkl_control(tolerance = 1),
             mkl(x, y, control = mkl_control(tol = 1e-3)))
  expect_error(mkl_control(tolerances = 1), "`tolerances` is not an argument here.", fixed = TRUE)
  expect_error(gaussian_kernel(widht = 1), "`widht` is not an argument here.", fixed = TRUE)
  given <- function(newdata, logical = FALSE) {
    old <- data.frame(x)
    if (logical) old$g <- x[, 4] > 0
    predict(mkl(old, y), newdata)
  }
  newdata <- data.frame(x[, 1:3], g = factor(x[, 4]))
  try_advice("`as.numeric(as.character(newdata$g))`", given(newdata),
             { newdata$g <- as.numeric(as.character(newdata$g)); given(newdata) })
  yes <- rep(c("no", "yes"), n / 2)
  expect_error(given(cbind(newdata[1:3], g = yes), TRUE), ", as by `newdata$g == \"yes\"`", fixed = TRUE)
  try_advice("numbers, as in training (TRUE and FALSE count as such)",
             { newdata$g <- yes; given(newdata, TRUE) }, { newdata$g <- yes; newdata$g <- newdata$g == "yes"; given(newdata, TRUE) })
  try_advice("as by `as.logical(newdata$g)`", { newdata$g <- factor(yes == "no"); given(newdata, TRUE) },
             { newdata$g <- factor(yes == "no"); newdata$g <- as.logical(newdata$g); given(newdata, TRUE) })
  flagged <- mkl(y ~ flag, data.frame(y, flag = yes == "no"))
  try_advice("TRUE and FALSE, as in training, as by `newdata$flag == \"yes\"`", predict(flagged, data.frame(flag = yes)),
             { newdata <- data.frame(flag = yes); newdata$flag <- newdata$flag == "yes"; predict(flagged, newdata) })
  try_advice("as by `newdata$flag != 0`", predict(flagged, data.frame(flag = rep(0:1, n / 2))),
             { newdata <- data.frame(flag = rep(0:1, n / 2)); newdata$flag <- newdata$flag != 0; predict(flagged, newdata) })
  try_advice("as by `scale = TRUE`, or check its largest numbers",
    mkl(x * 1e160, y, scale = FALSE),
    mkl(x * 1e160, y, scale = TRUE))
  try_advice("or check the values of the kernels, `y` and",
    mkl(x, numbers / max(abs(numbers)) * 1e306, k, scale = FALSE),
    mkl(x, numbers / max(abs(numbers)) * 1e306, k, scale = TRUE))
  try_advice("leave such columns out of the model",
    predict(mkl(cbind(x, h = 1), y), cbind(x, h = 2)),
    predict(mkl(x, y), cbind(x, h = 2)))
  try_advice("kernel values overflow double precision there, and the prediction is NA",
    predict(mkl(x, y, polynomial_kernel(3)), x * 1e150),
    predict(mkl(x, y, polynomial_kernel(3)), x * 10))
  try_advice("Check the size of the numbers in", predict(mkl(x, y, polynomial_kernel(3)), x * 1e150),
             predict(mkl(x, y, polynomial_kernel(3)), x * 10))
  try_advice("give a data frame with factors or text, not its model matrix",
             mkl(model.matrix(~ g, data.frame(g = rep(c("a", "b"), n / 2))), y, categorical_kernel()),
             mkl(data.frame(g = rep(c("a", "b"), n / 2)), y, categorical_kernel()))
  made <- function(i) on_view(tanimoto_kernel(), c("u", "v")[i])
  views <- list(u = abs(x), v = abs(x[, 1:2]))
  try_advice("is standardised: give `scale = c(", mkl_sequential(views, y, kernel_dictionary(made, size = 2)),
             mkl_sequential(views, y, kernel_dictionary(made, size = 2), scale = c(u = FALSE, v = FALSE)))
})

# ---- formulas ------------------------------------------------------------------------------------

test_that("formulas", {
  try_advice("Give the data frame that has the variables of `formula` as `data`", mkl(numbers ~ nowhere),
             mkl(numbers ~ nowhere, data.frame(numbers, nowhere = x[, 2])))
  expect_error(mkl(numbers ~ nowhere, d), "'nowhere' not found: it is no column of `data`, which has `a`",
               class = "manykernels_formula")
  holes <- data.frame(d, s = NA_character_)
  try_advice("Leave variables with many missing values out of", mkl(y ~ ., holes),
             { data <- holes; data$s <- NULL; mkl(y ~ ., data) })
  try_advice("out of `data` and `formula`, as by `data$", mkl(y ~ ., holes, impute = "median"),
             { data <- holes; data$s <- NULL; mkl(y ~ ., data, impute = "median") })
  expect_error(mkl(y ~ ., transform(d, y = factor(NA))), "`y`, must have values",
               class = "manykernels_missing_values")
  expect_error(mkl(y ~ ., d, subset = a > 99), "`subset` chooses none", class = "manykernels_dimension")
  try_advice("can't be evaluated: ", mkl(y ~ ., d, weights = nowhere), mkl(y ~ ., d, weights = seq_len(n)))
  try_advice("Give terms that R can compute", mkl(y ~ nowhere(a), d), mkl(y ~ sqrt(abs(a)), d))
  try_advice("Give a data frame, or a list of variables", mkl(y ~ a, list(a = x[1:3, 1], y = y)), mkl(y ~ a, d))
  try_advice(", as by `as.data.frame(data)`", mkl(y ~ a, as.matrix(d["a"])),
             { data <- as.matrix(d["a"]); mkl(y ~ a, as.data.frame(data)) })
  named <- transform(d, s = factor(rep(c("p", "q"), n / 2)))
  for (wrong in list(3, quote(nowhere))) {
    try_advice("`list(a = \"contr.sum\")`", eval(bquote(mkl(y ~ s + b, named, contrasts = .(wrong)))),
               mkl(y ~ s + b, named, contrasts = list(s = "contr.sum")))
  }
  try_advice("a list named by factor of functions", mkl(y ~ s + b, named, contrasts = 3),
             mkl(y ~ s + b, named, contrasts = list(s = contr.sum)))
  try_advice("Leave out these rows, as by", mkl(y ~ ., replace(d, cbind(2, 1), NA), na.action = na.fail),
             mkl(y ~ ., replace(d, cbind(2, 1), NA), na.action = na.omit))
  two <- data.frame(y, s = rep(c("p", "q"), n / 2), w = x[, 2])
  for (given in list(mkl(y ~ s + w, two, kernels = k), mkl(two[-1], y, k))) {
    try_advice("or set it to NA, a missing value", predict(given, data.frame(s = "r", w = 1)),
               { newdata <- data.frame(s = NA_character_, w = 1); expect_true(is.na(predict(given, newdata))) })
  }
  try_advice("as in `mkl(y ~ ., data = data)`",
    mkl(data = d, formula = y ~ .),
    { data <- d; mkl(y ~ ., data = data) })
  try_advice("Give the formula first, as in", mkl(d, y ~ .), mkl(y ~ ., data = d))
  try_advice("Give the formula first and without a name", mkl(x = y ~ ., data = d), mkl(y ~ ., data = d))
  try_advice("formulas come first, without quotes", mkl(formula = "y ~ .", data = d), mkl(y ~ ., data = d))
  try_advice("Give the column itself as `y`", mkl(d, "y"), mkl(d[1:4], d[, "y"]))
  try_advice(", or a formula", mkl(d, "y"), mkl(y ~ ., d))
  u <- x[, 1:2]
  v <- x[, 3:4]
  try_advice("Give them as views", mkl(y ~ u + v), mkl(list(u = u, v = v), y))
  try_advice("or as one, `cbind(", mkl(y ~ u + v), mkl(cbind(u, v), y))
  try_advice("subtract it from the response instead", mkl(numbers ~ a + offset(b), d),
             mkl(numbers - d$b ~ a, d))
  try_advice("Fit with the names of columns alone",
    predict(mkl(y ~ d$a), d),
    { d <- data.frame(z = x[, 1], y = y); predict(mkl(y ~ z, data = d), d) })
  try_advice("a variable with a single level does not distinguish rows",
    mkl(y ~ ., data.frame(d, one = "k")),
    mkl(y ~ . - one, data.frame(d, one = "k")))
  try_advice("or the model learns from it",
    cv_mkl(y ~ ., data.frame(d, pat = rep(1:10, 4)), k, p = 2, C = 1, folds = 2, group = pat),
    cv_mkl(y ~ . - pat, data.frame(d, pat = rep(1:10, 4)), k, p = 2, C = 1, folds = 2, group = pat))
})

# ---- responses -----------------------------------------------------------------------------------

test_that("responses and kinds of problems", {
  for (fit in list(mkl, cv_mkl, mkl_gomp, mllkm, mkl_path)) {
    try_advice("Leave these rows out, as by `keep <- is.finite(y)`", fit(x, replace(numbers, 2, NA)),
               { y <- replace(numbers, 2, NA); keep <- is.finite(y); mkl(x[keep, ], y[keep]) })
  }
  try_advice("Leave these rows out, as by `keep <- !is.na(y)`", mkl(x, replace(y, 2, NA)),
             { y <- replace(y, 2, NA); keep <- !is.na(y); mkl(x[keep, ], y[keep]) })
  try_advice("a formula leaves out rows with NA", mkl(x, replace(y, 2, NA)), mkl(y ~ ., data = replace(d, cbind(2, 5), NA)))
  try_advice("Leave these rows out, as by `keep <- is.finite(rowSums(y))`", mkl(x, replace(x[, 1:2], 2, Inf)),
             { y <- replace(x[, 1:2], 2, Inf); keep <- is.finite(rowSums(y)); mkl(x[keep, ], y[keep, ]) })
  views <- list(u = x, v = x[, 1:2])
  try_advice("`lapply(x, function(view) view[keep, , drop = FALSE])`", mkl(views, replace(y, 2, NA)), {
    y <- replace(y, 2, NA)
    keep <- !is.na(y)
    mkl(lapply(views, function(view) view[keep, , drop = FALSE]), y[keep])
  })
  joined <- list(u = named(x), v = named(x)[-1, ])
  try_advice("`lapply(x, function(view) view[rownames(view) %in% names(y)[keep], , drop = FALSE])`",
    mkl(joined, named(replace(y, 2, NA)), missing_views = "drop"),
    {
    y <- named(replace(y, 2, NA))
    keep <- !is.na(y)
    mkl(lapply(joined, function(view) view[rownames(view) %in% names(y)[keep], , drop = FALSE]), y[keep],
        missing_views = "drop")
  })
  expect_error(mkl(joined, named(replace(y, 2, NA)), missing_views = "drop"), "the first is at `s2`")
  try_advice("`x[keep]` and", mkl(dna, replace(y, 2, NA)),
             { x <- dna; y <- replace(y, 2, NA); keep <- !is.na(y); mkl(x[keep], y[keep]) })
  try_advice("`K[keep, keep]` of kernel matrices", mkl(y = replace(y, 2, NA), kernels = precomputed_kernel(K)), {
    y <- replace(y, 2, NA)
    keep <- !is.na(y)
    mkl(y = y[keep], kernels = precomputed_kernel(K[keep, keep]))
  })
  if (!is.null(times)) {
    times[2] <- NA
    try_advice("as by `keep <- is.finite(rowSums(as.matrix(y)))`", mkl(x, times),
               { y <- times; keep <- is.finite(rowSums(as.matrix(y))); mkl(x[keep, ], y[keep]) })
  }
  try_advice("so this is a regression; for classes give `factor(y)`",
    mkl(x, rep(1:4, 10)),
    { y <- rep(1:4, 10); mkl(x, factor(y)) })
  try_advice("; for a regression give `type = \"regression\"`",
    mkl(x, rep(1:2, 20)),
    mkl(x, rep(1:2, 20), type = "regression"))
  try_advice("For a regression give `type = \"regression\"`",
    mkl(x, rep(1, n)),
    mkl(x, rep(1, n), type = "regression"))
  try_advice("If that is right, give `type = \"regression\"`",
    mkl(x, cbind(numbers, 1)),
    mkl(x, cbind(numbers, 1), type = "regression"))
  try_advice("For regression give `type = \"regression\"`",
    mkl(x, stats::setNames(numbers, NULL), type = "classification"),
    mkl(x, numbers, type = "regression"))
  try_advice("For regression make it numbers, as by",
    mkl(x, as.character(numbers)),
    { y <- as.character(numbers); mkl(x, as.numeric(as.character(y))) })
  try_advice("`type` must be ", mkl(x, numbers, type = "eps-svr"), mkl(x, numbers, type = "regression"))
  try_advice("Give numbers",
    mkl(x, as.character(numbers), type = "regression"),
    { y <- as.character(numbers); mkl(x, as.numeric(y), type = "regression") })
  try_advice("Give the classes of the rows, or numbers for regression",
    mkl(x, paste("patient", 1:n)),
    mkl(x, y))
  try_advice("or leave `type` out for classes", mkl(x, y, type = "regression"), mkl(x, y))
  try_advice("or a loss for classes: \"hinge\"", mkl(x, y, loss = "huber"), mkl(x, y, loss = "hinge"))
  try_advice("or a loss for regression: \"epsilon_insensitive\"",
    mkl(x, numbers, loss = "hinge"),
    mkl(x, numbers, loss = "epsilon_insensitive"))
  try_advice("Leave one of them out, or change it",
    mkl(x, numbers, type = "regression", loss = "hinge"),
    mkl(x, numbers, type = "regression"))
  try_advice("Give a matrix of 0 and 1, or a",
    mkl(x, x[, 1:2], type = "classification"),
    mkl(x, (x[, 1:2] > 0) * 1, type = "classification"))
  try_advice("To separate classes, choose another",
    mkl(x, y, type = "one_class"),
    mkl(x, y, type = "classification"))
  try_advice("`y` must be left out for `type = \"one_class\"`",
    mkl(x, y, type = "one_class"),
    mkl(x, type = "one_class"))
  try_advice("`y` must be given for `type =", mkl(x, type = "regression"), mkl(x, numbers, type = "regression"))
  try_advice("fit a regression to `as.integer(y)`", mkl(x, cut(numbers, 3, ordered_result = TRUE)),
             { y <- cut(numbers, 3, ordered_result = TRUE); mkl(x, as.integer(y), type = "regression") })
  try_advice("give one of both as one",
    mkl(x, x[, 1:2], loss = quantile_loss(c(0.2, 0.8))),
    mkl(x, x[, 1:2], loss = quantile_loss(0.2)))
  try_advice("`multiclass = \"ovo\"` is for pairs of classes",
    mkl(x, x[, 1:2], multiclass = "ovo"),
    mkl(x, x[, 1:2], multiclass = "shared"))
  try_advice("`intercept = TRUE` is not for one-class models", mkl(x, intercept = TRUE), mkl(x))
  try_advice("that its squares", mkl_gomp(x, numbers * 1e200, k), mkl_gomp(x, numbers, k))
  try_advice("`y` has a label for each value", mkl(x, haven::labelled(rep(1:2, 20), c(no = 1, yes = 2))),
             mkl(x, haven::labelled(rep(1:2, 20), c(no = 1, yes = 2)), type = "regression"), "haven")
  try_advice("`group` is for the folds of class probabilities", mkl(x, y, group = rep(1:10, 4)),
             cv_mkl(x, y, k, p = 2, C = 1, folds = 2, group = rep(1:10, 4)))
  try_advice("`group` is for `folds`, such as `folds = 5`", mkl_gomp(x, numbers, k, group = rep(1:10, 4)),
             mkl_gomp(x, numbers, k, group = rep(1:10, 4), folds = 5))
  try_advice("cv_mkl() chooses between several values",
    mkl(x, y, C = c(1, 2)),
    cv_mkl(x, y, k, p = 2, C = c(1, 2), folds = 2))
  try_advice("`y` must have two levels for kernel_alignment()",
    kernel_alignment(k, x, factor(rep(1:4, 10))),
    kernel_alignment(k, x, y))
})

test_that("censored times", {
  skip_if_not_installed("survival")
  try_advice("For censored times give `survival::Surv(",
    mkl(x, cbind(time = exp(numbers), status = rep(0:1, n / 2))),
    {
    y <- cbind(time = exp(numbers), status = rep(0:1, n / 2))
    mkl(x, survival::Surv(y[, "time"], y[, "status"]))
  })
  try_advice("time per row: give `survival::Surv(",
    mkl(x, cbind(start = exp(numbers), stop = exp(numbers) + 1, status = rep(0:1, n / 2))),
    {
    y <- cbind(start = exp(numbers), stop = exp(numbers) + 1, status = rep(0:1, n / 2))
    mkl(x, survival::Surv(y[, "stop"] - y[, "start"], y[, "status"]))
  })
  try_advice("for a regression of each column give",
    mkl(x, cbind(time = exp(numbers), status = rep(0:1, n / 2))),
    mkl(x, cbind(time = exp(numbers), status = rep(0:1, n / 2)), type = "regression"))
  try_advice("must be a Surv object of package survival, as by",
    mkl(x, numbers, loss = "censored"),
    {
    time <- exp(numbers)
    status <- rep(0:1, n / 2)
    mkl(x, survival::Surv(time, status), loss = "censored")
  })
  try_advice("or give the times themselves as `y`", mkl(x, times, type = "regression"), mkl(x, times))
  try_advice("these take censored_loss()", mkl(x, times, loss = "huber"), mkl(x, times, loss = censored_loss()))
  try_advice("For times as they are, `loss = censored_loss(log = FALSE)`",
    mkl(x, survival::Surv(numbers, rep(0:1, n / 2))),
    mkl(x, survival::Surv(numbers, rep(0:1, n / 2)), loss = censored_loss(log = FALSE)))
  both <- survival::Surv(c(1, exp(numbers)[-1]), c(2, exp(numbers)[-1]), type = "interval2")
  try_advice("Leave such rows out", mkl(x, both), mkl(x[-1, ], both[-1]))
  start <- survival::Surv(rep(0, n), exp(numbers), rep(0:1, n / 2))
  try_advice("Censored regression takes one time per row",
    mkl(x, start),
    { time <- exp(numbers); status <- rep(0:1, n / 2); mkl(x, survival::Surv(time, status)) })
  try_advice("mkl(), cv_mkl() and mkl_path() take censored ones", mkl_gomp(x, times), mkl(x, times))
  try_advice("is for censored times, and this is a",
    predict(mkl(x, y), x, type = "time"),
    predict(mkl(x, times), x, type = "time"))
})

# ---- samples -------------------------------------------------------------------------------------

test_that("names of samples", {
  a <- named(x[, 1:2])
  b <- named(x[, 3:4])
  twice <- named(b, c("s1", rownames(b)[-n]))
  rows <- as.data.frame(a)[c(1, 1, 3:n), ]
  try_advice("Give each sample once; where both have", mkl(list(a = a, b = rows), y), {
    x <- list(a = a, b = rows)
    rownames(x$b) <- NULL
    rownames(x$a) <- NULL
    mkl(x, y)
  })
  try_advice("Make the names unique, or remove them", mkl(list(a = a, b = twice), y),
             { x <- list(a = a, b = twice); rownames(x$b) <- NULL; mkl(x, y) })
  rows <- rep(1:10, 4)
  views <- list(p = as.data.frame(a)[rows, ], q = a[rows, ])
  try_advice("where all views have the same rows, remove the names of both", mkl(views, y),
             { x <- views; rownames(x$q) <- NULL; rownames(x$p) <- NULL; mkl(x, y) })
  repeated <- named(x, rep(paste0("s", 1:20), 2))
  try_advice("Make the names unique, or remove them, as by",
    mkl(list(a = repeated, b = repeated[n:1, ]), y),
    {
    x <- list(a = repeated, b = repeated[n:1, ])
    rownames(x$a) <- rownames(x$b) <- NULL
    mkl(x, y)
  })
  try_advice("Make the names of",
    mkl(list(a = a, b = twice[-n, ]), named(y), missing_views = "neutral"),
    {
    rownames(twice) <- make.unique(rownames(twice))
    mkl(list(a = a, b = twice[rownames(twice) %in% rownames(a), ]), named(y), missing_views = "neutral")
  })
  fewer <- list(a = a, b = named(x[, 3:4], paste0("s", c(1:30, 41:50))))
  try_advice("must have names: the samples are those of several views",
    mkl(fewer, y[c(1:n, 1:10)], missing_views = "neutral"),
    mkl(fewer, named(y[c(1:n, 1:10)], paste0("s", 1:50)), missing_views = "neutral"))
  for (missing_views in c("neutral", "drop")) {
    try_advice("Leave the others out of every view, as by",
      mkl(fewer, named(y), missing_views = missing_views),
      {
      y <- named(y)
      x <- lapply(fewer, function(view) view[rownames(view) %in% names(y), , drop = FALSE])
      mkl(x, y, missing_views = missing_views)
    })
  }
  try_advice("Take the samples that both have: `common <- intersect(", mkl(fewer, y), {
    x <- fewer
    common <- intersect(rownames(x$a), rownames(x$b))
    mkl(list(a = x$a[common, ], b = x$b[common, ]), named(y)[common])
  })
  try_advice("; or see `missing_views` of mkl()",
    mkl(fewer, y),
    mkl(fewer, named(y[c(1:n, 1:10)], paste0("s", 1:50)), missing_views = "drop"))
  try_advice("Where they are the same samples row by row, remove the names",
    mkl(list(a = a, b = named(x[, 3:4], paste0("t", 1:n))), y),
    {
    x <- list(a = a, b = named(x[, 3:4], paste0("t", 1:n)))
    rownames(x$b) <- NULL
    mkl(x, y)
  })
  both <- function(K, names) {
    dimnames(K) <- list(names, names)
    K
  }
  one <- both(K, paste0("s", 1:n))
  other <- both(K, paste0("s", c(1:30, 41:50)))
  try_advice("Give all matrices the samples that they share, as by",
    mkl(y = y, kernels = precomputed_kernel(list(a = one, b = other))),
    {
    common <- intersect(rownames(one), rownames(other))
    mkl(y = y[1:30], kernels = precomputed_kernel(list(a = one[common, common], b = other[common, common])))
  })
  try_advice("Give the same samples as in training",
    duality_gap(mkl(a, y), named(a, paste0("z", 1:n)), y),
    duality_gap(mkl(a, y), a, y))
  try_advice("samples must be its rows: give `t(",
    mkl(list(a = a, b = t(b)), y),
    { x <- list(a = a, b = t(b)); mkl(list(a = a, b = t(x$b)), y) })
  try_advice("if these are the samples, give `t(", mkl(t(unname(x)), y), { x <- t(unname(x)); mkl(t(x), y) })
  of_genes <- function(names) {
    matrix(rnorm(n * length(names)), n, dimnames = list(paste0("s", 1:n), names))
  }
  turned <- list(u = of_genes(c("g1", "g2", "g3")), v = of_genes(paste0("h", 1:5)))
  try_advice("share names of columns, not of rows; if these are the samples, give views as `t(",
    {
    mkl(lapply(turned, t), y)
  },
    mkl(turned, y))
  none <- rbind(rep(NA_real_, 2), b[-1, ])
  try_advice("See `missing_views` of mkl() for samples that lack a view", mkl(list(a = a, b = unname(none)), y),
             mkl(list(a = a, b = unname(none)), y, missing_views = "drop"))
  bare <- list(a = unname(replace(a, cbind(1, 1:2), NA)), b = unname(none))
  try_advice("without any view",
    mkl(bare, y, missing_views = "neutral"),
    mkl(lapply(bare, function(view) view[-1, ]), y[-1], missing_views = "neutral"))
  try_advice("put in the order of", mkl(list(a = a, b = b[n:1, ]), y), mkl(list(a = a, b = b), y))
  try_advice("separate samples from the centre: use \"drop\"",
    mkl(fewer, missing_views = "neutral"),
    mkl(fewer, missing_views = "drop"))
  halves <- list(a = unname(rbind(NA * a[1:20, ], a[21:n, ])), b = unname(rbind(b[1:20, ], NA * b[21:n, ])))
  try_advice("`missing_views = \"drop\"` leaves no sample",
    mkl(halves, y, missing_views = "drop"),
    mkl(list(a = a, b = b), y, missing_views = "drop"))
  try_advice("`missing_views = \"neutral\"` is not for `model = \"mllkm\"`",
    cv_mkl(a, y, model = "mllkm", C = 1, gamma = 1, folds = 2, missing_views = "neutral"),
    cv_mkl(a, y, model = "mllkm", C = 1, gamma = 1, folds = 2, missing_views = "drop"))
})

# ---- containers ----------------------------------------------------------------------------------

test_that("containers", {
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("MultiAssayExperiment")
  table <- t(named(x))
  kinds <- data.frame(kind = y, row.names = colnames(table))
  se <- SummarizedExperiment::SummarizedExperiment(list(raw = table, log = exp(table)), colData = kinds)
  try_advice("Choose by arguments `assay` and `colData`, as in",
    mkl(se, "kind"),
    mkl(se, "kind", assay = c("raw", "log")))
  try_advice("Kernels choose that name views, as by",
    kernel_matrix(linear_kernel(), se),
    kernel_matrix(on_view(linear_kernel(), "log"), se))
  try_advice("Give `y` as text to name a column of colData", mkl(se, kind), mkl(se, y = "kind"))
  unknown <- se
  unknown$kind[2] <- NA
  for (fit in list(mkl, mkl_gomp, mllkm)) {
    try_advice("Leave these samples out, as by `keep <- ", fit(unknown, "kind"),
               { x <- unknown; keep <- !is.na(x$kind); fit(x[, keep], "kind") })
  }
  try_advice("Give one of its matrices as the view, samples in rows, as in", mkl(list(u = se, v = x), y),
             { x <- list(u = se, v = x); mkl(list(u = t(SummarizedExperiment::assay(x$u)), v = x$v), y) })
  try_advice("Fits choose others by `assay`, as in", default_kernels(se),
             { x <- se; mkl(x, "kind", assay = "log") })
  try_advice("out of `colData`: it is given as", mkl(se, "kind", assay = "raw", colData = "kind"),
             mkl(se, "kind", assay = "raw"))
  try_advice("Give the container as `x` and the name of a column of colData",
    mkl(kind ~ ., se),
    mkl(se, "kind"))
  mae <- suppressMessages(MultiAssayExperiment::MultiAssayExperiment(
    list(a = table, b = table[, 1:30]), colData = kinds))
  try_advice("Take the samples that all experiments have, as by", mkl(mae, "kind"),
             { x <- mae; mkl(MultiAssayExperiment::intersectColumns(x), "kind") })
  skip_if_not_installed("Biobase")
  try_advice("is an ExpressionSet, which has no method here", mkl(Biobase::ExpressionSet(table), y), {
    x <- Biobase::ExpressionSet(table)
    mkl(methods::as(x, "SummarizedExperiment"), named(y))
  })
  skip_if_not_installed("phyloseq")
  x <- phyloseq::phyloseq(phyloseq::otu_table(table, taxa_are_rows = TRUE), phyloseq::sample_data(data.frame(
    u = seq_along(y), v = 1, row.names = colnames(table))))
  try_advice("Give the tables of", mkl(x, y), mkl(list(
    taxa = t(phyloseq::otu_table(x)), samples = phyloseq::sample_data(x)), named(y)))
})

# ---- kernels -------------------------------------------------------------------------------------

test_that("kernels", {
  try_advice("Give data or kernels that differ between the training rows", mkl(x * 0, y, linear_kernel()),
             mkl(x, y, linear_kernel()))
  try_advice("Give data or kernels that differ between the training rows",
    mkl(y = y, kernels = precomputed_kernel(matrix(1, n, n))),
    mkl(y = y, kernels = precomputed_kernel(K)))
  try_advice("make a new one with the constructors, `c()` and `[`",
    { k[1] <- linear_kernel(); k },
    mkl(x, y, c(linear_kernel(), k[2])))
  try_advice("Give `gaussian_kernel(width = 1)`", mkl(x, y, "rbfdot"), mkl(x, y, gaussian_kernel(width = 1)))
  try_advice("Give `polynomial_kernel(degree = 2, scale = 1, offset = 1)`",
    mkl(x, y, "polydot"),
    mkl(x, y, polynomial_kernel(degree = 2, scale = 1, offset = 1)))
  try_advice("Give `linear_kernel()`", mkl(x, y, "vanilladot"), mkl(x, y, linear_kernel()))
  try_advice("Kernel matrices go into `precomputed_kernel()`",
    mkl(y = y, kernels = K),
    mkl(y = y, kernels = precomputed_kernel(K)))
  try_advice("Functions of two matrices go into `function_kernel()`",
    mkl(x, y, function(a, b) tcrossprod(a, b)),
    mkl(x, y, function_kernel(function(a, b) tcrossprod(a, b), "f")))
  try_advice("`c()` joins kernel sets", mkl(x, y, list(k, linear_kernel())), mkl(x, y, c(k, linear_kernel())))
  try_advice("must be a kernel set, made by `gaussian_kernel()`", mkl(x, y, 3), mkl(x, y, gaussian_kernel()))
  try_advice("this one takes fewer arguments",
    function_kernel(function(a) a, "f"),
    mkl(x, y, function_kernel(function(a, b) tcrossprod(a, b), "f")))
  try_advice("f(X, Z) and t(f(Z, X)) differ by up to",
    mkl(x, y, function_kernel(function(a, b) matrix(seq_len(nrow(a) * nrow(b)), nrow(a)), "f")),
    mkl(x, y, function_kernel(function(a, b) tcrossprod(a, b), "f")))
  try_advice("Choose a view by on_view()",
    mkl_sequential(list(u = x, v = x), y, kernel_dictionary(k, sets = list(1, 2))),
    mkl_sequential(list(u = x, v = x), y, kernel_dictionary(on_view(k, "u"), sets = list(1, 2))))
  try_advice("Is it another view (see on_view())",
    mkl(list(u = x[, 1:2], v = x[, 3:4]), y, on_view(on_features(k, list(s = c("e", "g"))), "u")),
    mkl(list(u = x[, 1:2], v = x[, 3:4]), y, on_view(on_features(k, list(s = c("e", "g"))), "v")))
  A <- matrix(0, 4, 4, dimnames = list(colnames(x), colnames(x)))
  A[1, 2] <- A[2, 3] <- A[3, 4] <- 1
  genes <- function(A) diffusion_kernel(A, nodes = "features")
  try_advice("to ignore the directions", genes(A), mkl(x, y, genes(A + t(A))))
  try_advice("name the nodes", mkl(x[, 1:3], y, genes(unname(A + t(A)))), mkl(x[, 1:3], y, genes(A + t(A))))
  try_advice("score_kernel(K, \"clip\")` in place of `precomputed_kernel(K)`",
    precomputed_kernel(K - 10 * diag(n)),
    { K <- K - 10 * diag(n); mkl(y = y, kernels = score_kernel(K, "clip")) })
  S <- -as.matrix(dist(x, "manhattan"))
  y <- unname(y)
  try_advice("makes it positive semidefinite, and so do", mkl(y = y, kernels = precomputed_kernel(S), normalize = "none"),
             { K <- S; predict(mkl(y = y, kernels = score_kernel(K, "clip")), K[1:3, ]) })
  try_advice("If it is, `score_kernel(K, \"clip\")`", mkl_gomp(y = y, kernels = suppressWarnings(precomputed_kernel(S))),
             { K <- S; mkl_gomp(y = y, kernels = score_kernel(K, "clip")) })
  distance <- dist(x, "manhattan")^2
  width <- 5
  try_advice("\"clip\")` in place of `gaussian_kernel(width, distance = distance)`", gaussian_kernel(width, distance = distance),
             mkl(y = y, kernels = score_kernel(exp(-as.matrix(distance)^2 / width), "clip")))
  f <- function(X, Z) -unname(as.matrix(dist(rbind(X, Z))))[seq_len(nrow(X)), nrow(X) + seq_len(nrow(Z)), drop = FALSE]
  for (transform in c("clip", "shift", "square", "nearest")) {
    try_advice("newdata is then `f(newdata, x)`", mkl(x, y, function_kernel(f)), {
      fit <- mkl(y = y, kernels = score_kernel(f(x, x), transform))
      predict(fit, f(x[1:3, ] + 0.1, x))
    })
  }
  try_advice("in place of `K` makes it positive semidefinite", pair_kernel(S), {
    K <- S
    mkl(cbind(1:n, n:1), y, pair_kernel(score_kernel(K, "clip")))
  })
  waves <- function(X, Z) tanh(0.5 * tcrossprod(X, Z) - 1)
  try_advice("Kernels may be indefinite (see `score_kernel()`)",
             mkl(x, y, function_kernel(waves), C = 1e3, normalize = "none"),
             mkl(y = y, kernels = score_kernel(waves(x, x), "clip"), C = 1))
  lopsided <- replace(tcrossprod(x), 3, 1)
  try_advice("For the mean of both give `(K + t(K)) / 2`", precomputed_kernel(lopsided),
             { K <- lopsided; mkl(y = y, kernels = precomputed_kernel((K + t(K)) / 2)) })
  f <- function(X, Z) tcrossprod(X, Z) + X[, 1]
  try_advice("For the mean of both give `function_kernel(", mkl(x, y, function_kernel(f)),
             mkl(x, y, function_kernel(function(X, Z) (f(X, Z) + t(f(Z, X))) / 2), normalize = "none"))
  named_both <- named(lopsided)
  colnames(named_both) <- rownames(named_both)
  try_advice("give `score_kernel(x$s)` among the `kernels`", mkl(list(a = x, s = named_both), y),
             mkl(list(a = x), y, c(k, score_kernel(list(s = named_both)))))
  try_advice("if larger scores are of less similar", score_kernel(-K, "clip"),
             { mkl(y = y, kernels = score_kernel(K, "clip")); mkl(y = y, kernels = score_kernel(-K, "square")) })
  try_advice("`beta` must be smaller",
    score_kernel(K * 1e5, "exp", beta = 1),
    score_kernel(K, "exp", beta = 0.001))
  try_advice("left out, unless `transform = \"exp\"`",
    score_kernel(K, "clip", beta = 1),
    score_kernel(K, "exp", beta = 0.01))
  try_advice("sums of values above 1e307 overflow", mkl(x, x[, 1] * 3e307), mkl(x, x[, 1]))
  try_advice("Give at least two rows", mkl(x[1, , drop = FALSE]), mkl(x))
  try_advice("Give rows that differ, or rescale, as by `scale = TRUE`:", mkl(x * 1e-200, y, scale = FALSE),
             mkl(x * 1e-200, y, scale = TRUE))
  try_advice("has values that overflow double precision: rescale the data",
    mkl(x * 1e120, y, polynomial_kernel(3), scale = FALSE),
    mkl(x, y, polynomial_kernel(3), scale = FALSE))
  try_advice("centre or rescale the data, or leave it out",
    mkl(x * 1e-9 + 1, y, linear_kernel(), scale = FALSE),
    mkl(scale(x), y, linear_kernel(), scale = FALSE))
  try_advice("a norm such as `block_norm()`",
    rademacher_convert(1, 5, "a", 2),
    rademacher_convert(1, 5, lp_norm(1), 2))
  try_advice("NULL or made by lp_norm()", mkl(x, y, k, norm = "l2"), mkl(x, y, k, norm = lp_norm(2)))
  try_advice("one or several norms by lp_norm()", mkl(x, y, k, norm = sum_norm(1)),
             mkl(x, y, k, norm = sum_norm(lp_norm(1), lp_norm(2))))
  try_advice("such as lp_norm(32)", sum_norm(lp_norm(1), lp_norm(Inf)),
             mkl(x, y, k, norm = sum_norm(lp_norm(1), lp_norm(32))))
  by_functions <- mkl(x, y, k, norm = sum_norm(lp_norm(1), lp_norm(2)))
  try_advice("Use `complexity = \"empirical\"`", risk_bound(by_functions, x),
             suppressWarnings(risk_bound(by_functions, x, complexity = "empirical")))
  try_advice("Use empirical_rademacher()", rademacher_convert(1, 5, 1, by_functions$penalty),
             empirical_rademacher(k, x, norm = by_functions$penalty, draws = 5))
  try_advice("or made by epsilon_loss(), huber_loss()",
    mkl(x, numbers, loss = "tube"),
    mkl(x, numbers, loss = epsilon_loss()))
  try_advice("\"auto\" supports all",
    mkl(x, y, k, p = 2, control = mkl_control(optimizer = "reduced_gradient")),
    mkl(x, y, k, p = 2, control = mkl_control(optimizer = "auto")))
  three <- cut(numbers, 3)
  joint <- function(..., y = three) mkl(x, y, k, multiclass = "joint", ...)
  try_advice("Leave `loss` out, or give `multiclass = \"joint\"`",
    mkl(x, three, k, loss = "multiclass_hinge"),
    { mkl(x, three, k); joint(loss = "multiclass_hinge") })
  try_advice("Leave `loss` out, or choose another `multiclass`",
    joint(loss = "logistic"),
    { joint(); mkl(x, three, k, loss = "logistic", multiclass = "shared") })
  try_advice("Leave `intercept` out, or choose another `multiclass`",
    joint(intercept = TRUE),
    { joint(); mkl(x, three, k, intercept = TRUE, multiclass = "shared") })
  try_advice("Leave `multiclass` out, or give a factor as `y`", joint(y = numbers), { mkl(x, numbers, k); joint() })
  try_advice("Leave `optimizer` out, or choose ",
    joint(control = mkl_control(optimizer = "newton")),
    { joint(); joint(control = mkl_control(optimizer = "wrapper")) })
  try_advice("Give the whole fit, not one of its models",
    { fit <- joint(); duality_gap(fit$models[[1]], x) },
    { fit <- joint(); duality_gap(fit, x); residuals(fit) })
  try_advice("`search = \"adaptive\"` is for `model = \"mkl\"`",
    cv_mkl(x, y, model = "mllkm", folds = 2, search = "adaptive"),
    cv_mkl(x, y, model = "mllkm", folds = 2, C = 1, gamma = 1, search = "grid"))
  try_advice("Use `scale = TRUE` for sparse data, or give a dense matrix",
    mkl(Matrix::Matrix(x * (x > 0), sparse = TRUE), y, k, scale = "normal_scores"),
    mkl(Matrix::Matrix(x * (x > 0), sparse = TRUE), y, k, scale = TRUE))
  try_advice("is for the hinge loss with `intercept = FALSE`",
    mllkm(x, y, solver = "sdca"),
    mllkm(x, y, solver = "sdca", intercept = FALSE))
  own <- custom_loss(function(t, y) log1p(exp(-t * y)), function(t, y) -y / (1 + exp(t * y)), function(u, y) {
    v <- pmin(pmax(-u * y, 0), 1)
    ifelse(v * (1 - v) > 0, v * log(v) + (1 - v) * log1p(-v), 0)
  }, "classes")
  try_advice("give a named loss, or use mkl()", mllkm(x, y, loss = own), mllkm(x, y, loss = "logistic"))
  expect_s3_class(mkl(x, y, k, loss = own), "mkl")
})

test_that("kernels of sequences", {
  for (word in c("AA", "aminoacids", "amino")) {
    try_advice("Give \"protein\" as `alphabet` for amino acids", mkl(dna, y, spectrum_kernel(2, alphabet = word)),
               mkl(letters_of(c("A", "E", "K", "L")), y, spectrum_kernel(2, alphabet = "protein")))
  }
  try_advice("or \"rna\" for nucleotides", weighted_degree_kernel(2, alphabet = "nucleotides"),
             mkl(dna, y, weighted_degree_kernel(2, alphabet = "dna")))
  try_advice("leave it out, as by `gsub(", spectrum_kernel(2, alphabet = "AC GT"),
             { alphabet <- "AC GT"; mkl(dna, y, spectrum_kernel(2, alphabet = gsub("\\s", "", alphabet))) })
  try_advice("Leave out `width`: the distance weights", spectrum_kernel(3, distance_weight = "swd", width = 2),
             mkl(dna, y, spectrum_kernel(3, distance_weight = "swd")))
  try_advice("Cut windows around a common point, or use spectrum_kernel()",
    mkl(c("ACGTA", dna[-1]), y, weighted_degree_kernel(2)),
    mkl(c("ACGTA", dna[-1]), y, spectrum_kernel(2)))
  mixed <- c(dna[1:20], letters_of(strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]])[21:40])
  try_advice("If all are of one kind, name it by `alphabet =`",
    mkl(mixed, y, spectrum_kernel(1)),
    mkl(mixed, y, spectrum_kernel(1, alphabet = "protein")))
  text <- letters_of(c("X", "Z", "J", "O", "U", "B"))
  try_advice("or the letters themselves, as in",
    mkl(text, y, spectrum_kernel(2)),
    mkl(text, y, spectrum_kernel(2, alphabet = "XZJOUB")))
  proteins <- letters_of(strsplit("DEFHIKLMPQRSVWY", "")[[1]])
  try_advice("by `alphabet =` of the kernels",
    mkl(proteins, y, spectrum_kernel(2, alphabet = "dna")),
    mkl(proteins, y, spectrum_kernel(2, alphabet = "protein")))
  fit <- mkl(dna, y, spectrum_kernel(2))
  try_advice("of the same alphabet as in training", predict(fit, proteins), predict(fit, dna[1:3]))
  try_advice("which kernel", predict(fit, c(dna[-1], paste(rep("EFIL", 3), collapse = ""))), predict(fit, dna))
  try_advice("Give sequences as text, one string for each sample, or", mkl(list(s = strsplit(dna, "")), y),
             mkl(list(s = vapply(strsplit(dna, ""), paste, "", collapse = "")), y))
  try_advice("sequences, as in training", predict(fit, x), predict(fit, dna))
  try_advice("columns of numbers, as in training", predict(mkl(x, y), dna), predict(mkl(x, y), x))
  try_advice("take shorter words",
    mkl(rep(paste(rep("ACDEFGHIKL", 200), collapse = ""), n), y, mismatch_kernel(12, 6, alphabet = "protein")),
    mkl(proteins, y, mismatch_kernel(3, 1, alphabet = "protein")))
})

test_that("dictionaries", {
  many <- kernel_dictionary(function(i) gaussian_kernel(2^i), size = 4)
  try_advice("Functions can't be joined with other kernels: write one function", c(many, kernel_dictionary(k)),
             mkl_sequential(x, y, kernel_dictionary(function(i) c(gaussian_kernel(2^(1:4)), k)[i], size = 5)))
  try_advice("a kernel set, a dictionary by kernel_dictionary(), or a function",
    mkl_sequential(x, y, 3),
    mkl_sequential(x, y, kernel_dictionary(k)))
  try_advice("choose its view or column",
    mkl_sequential(list(u = x, v = x), y, many),
    {
      one_view <- kernel_dictionary(function(i) on_view(gaussian_kernel(2^i), "u"), size = 4)
      mkl_sequential(list(u = x, v = x), y, one_view)
    })
  try_advice("Leave out `size`: it is only for functions", kernel_dictionary(k, size = 2), kernel_dictionary(k))
  try_advice("Leave out `size`: it is only for a function in place of `dictionary`",
             mkl_sequential(x, y, k, size = 2), mkl_sequential(x, y, k))
  A <- matrix(1, 4, 4, dimnames = list(colnames(x), colnames(x))) - diag(4)
  genes <- diffusion_kernel(A, nodes = "features")
  try_advice("but a function can return it", mkl_sequential(x, y, kernel_dictionary(genes, sets = list(1, 2))),
             { k <- genes; mkl_sequential(x, y, kernel_dictionary(function(i) k[i], size = length(k))) })
  try_advice("on_features() can do that",
    kernel_dictionary(function_kernel(function(a, b) tcrossprod(a, b), "f"), sets = list(1, 2)),
    mkl(x, y, on_features(function_kernel(function(a, b) tcrossprod(a, b), "f"), list(s = 1, t = 2))))
  try_advice("leave out:",
    mkl_sequential(x, y, kernel_dictionary(k, sets = list("a", "zz"))),
    mkl_sequential(x, y, kernel_dictionary(k, sets = list("a"))))
  try_advice("is for mkl(), not for mkl_sequential()",
    mkl_sequential(x, y, k, control = mkl_control(trace = TRUE)),
    mkl(x, y, k, control = mkl_control(trace = TRUE)))
  try_advice("Give precomputed kernels again as `dictionary`",
    duality_gap(mkl_sequential(y = y, dictionary = precomputed_kernel(K)), y = y),
    duality_gap(mkl_sequential(y = y, dictionary = precomputed_kernel(K)), y = y,
                dictionary = precomputed_kernel(K)))
})

# ---- folds and paths -----------------------------------------------------------------------------

test_that("folds, measures and grids", {
  drawn <- list(sample(n, n, TRUE), sample(n, n, TRUE))
  crossed <- function(folds) cv_mkl(x, y, k, p = 2, C = 1, folds = folds)
  try_advice("`caret::createResample(y)`, give `folds = list(index = ...)`", crossed(drawn), crossed(list(index = drawn)))
  try_advice("`caret::createResample(y)`, give `folds = list(index = ...)`", mkl_gomp(x, y, k, folds = drawn),
             mkl_gomp(x, y, k, folds = list(index = drawn)))
  try_advice("or `folds = list(index = lapply(splits, as.integer))`", crossed(rsample::vfold_cv(d, 2)$splits),
             { splits <- rsample::vfold_cv(d, 2)$splits; crossed(list(index = lapply(splits, as.integer))) }, "rsample")
  try_advice("is a split of rsample: give the whole set", crossed(rsample::vfold_cv(d, 2)$splits),
             crossed(rsample::vfold_cv(d, 2)), "rsample")
  try_advice("give `folds = list(index = list(as.integer(split)))`", crossed(rsample::initial_split(d)),
             { split <- rsample::initial_split(d); crossed(list(index = list(as.integer(split)))) }, "rsample")
  cross <- function(...) cv_mkl(x, y, k, p = 2, C = 1, ...)
  skip_if_not_installed("caret")
  try_advice("trainControl() lists of training rows", cross(folds = caret::trainControl(method = "cv")),
             cross(folds = caret::trainControl(index = caret::createFolds(y, returnTrain = TRUE))))
  try_advice("as by `caret::createFolds(y, returnTrain = TRUE)`, give `folds = list(index = ...)`",
    cross(folds = caret::createFolds(y, returnTrain = TRUE)),
    cross(folds = list(index = caret::createFolds(y, returnTrain = TRUE))))
  try_advice("Say what the rows of `folds` are: to train on them, give `folds = list(index = ...)`",
             cross(folds = list(1:25)), cross(folds = list(index = list(1:25))))
  repeated <- lapply(1:2, function(r) list(train = 1:20, test = 21:n))
  try_advice("give lists with `train`, `test` and `repeat_number`", cross(folds = list(21:n, 21:n, 1:20)),
             cross(folds = lapply(1:2, function(r) list(train = 1:20, test = 21:n, repeat_number = r))))
  try_advice("give each list its `repeat_number`",
    cross(folds = repeated),
    cross(folds = Map(c, repeated, repeat_number = 1:2)))
  try_advice("needs probabilities: give",
    cross(folds = 2, measure = "log_loss"),
    cross(folds = 2, measure = "log_loss", loss = "logistic"))
  try_advice("`start` of mkl_control() is for one fit",
    cross(folds = 2, control = mkl_control(start = mkl(x, y, k))),
    mkl(x, y, k, control = mkl_control(start = mkl(x, y, k))))
  file <- tempfile()
  cross(folds = 2, resume = file)
  try_advice("Give another name, or delete it", cv_mkl(x, y, k, p = 1, C = 1, folds = 2, resume = file),
             { unlink(file); cv_mkl(x, y, k, p = 1, C = 1, folds = 2, resume = file) })
  writeLines("a", file)
  try_advice(". Give another name.",
    cross(folds = 2, resume = file),
    cross(folds = 2, resume = tempfile()))
  cross(folds = 2, resume = whole <- tempfile())
  bytes <- readBin(whole, "raw", 1e6)
  own <- nchar(sub(" [0-9a-f]{32} .*", "", readLines(whole, 1, warn = FALSE)))
  writeBin(utils::head(bytes, -5), file)
  try_advice("Delete it and call again: with the same set.seed() before", cross(folds = 2, resume = file),
             { unlink(file); cross(folds = 2, resume = file) })
  writeBin(c(charToRaw("manykernels resume 0.0.1"), bytes[-seq_len(own)]), file)
  try_advice("Go on with that version, or give another name", cross(folds = 2, resume = file),
             cross(folds = 2, resume = tempfile()))
  folder <- tempfile()
  dir.create(folder, mode = "0555")
  if (file.access(folder, 2L) != 0L) {
    try_advice("Make room on its disk, or give the name of a file", cross(folds = 2, resume = file.path(folder, "a")),
               cross(folds = 2, resume = tempfile()))
  }
  # a sample of the rows
  some <- function(size, ...) cv_mkl(x, y, k, p = 1, C = c(0.1, 1), ..., sample_size = size)
  try_advice("`sample_size = Inf` chooses on all.", some(24, folds = 2), some(Inf, folds = 2))
  try_advice("Set `sample_size = Inf` to choose on all rows", some(24, folds = 2, nested = 2), some(Inf, folds = 2, nested = 2))
  # the file of one fit
  kept <- tempfile()
  keep <- function(file, ...) mkl(x, y, k, ..., control = mkl_control(checkpoint = file, progress = FALSE))
  keep(kept)
  start <- readBin(kept, "raw", 1e6)
  writeBin(utils::head(start, -9), kept)
  try_advice("Delete it and call again from the start", keep(kept), { unlink(kept); keep(kept) })
  saveRDS(1, kept)
  try_advice(". Give another name.", keep(kept), keep(tempfile()))
  try_advice("of mkl_control() is for mkl(), not for",
    mkl_gomp(x, y, k, control = mkl_control(checkpoint = kept)), keep(tempfile()))
  try_advice("whose own file is `resume`",
    cross(folds = 2, control = mkl_control(checkpoint = kept)), cross(folds = 2, resume = tempfile()))
  # one fit on several workers
  workers <- parallel::makeCluster(2)
  parallel::clusterCall(workers, eval, bquote(.libPaths(.(.libPaths()))))
  shared <- function(kernels, cluster = TRUE, ...) {
    mkl(x + 3, y, kernels, ..., control = mkl_control(cluster = cluster, progress = FALSE))
  }
  try_advice("Start several workers first", shared(k), shared(k, workers), "future")
  own <- function_kernel(function(a, b) tcrossprod(a, b))
  try_advice("Leave out `cluster`, or kernel", shared(own), shared(own, NULL), "future")
  centred <- normalize_kernels(linear_kernel(), c("centre", "trace"))
  try_advice("Use `scale = TRUE` with `cluster`", shared(centred, workers, scale = FALSE), shared(centred, workers), "future")
  parallel::stopCluster(workers)
  try_advice("whose grid is of", cross(folds = 2, lambda = 1), cross(folds = 2))
  try_advice("is not an argument of cv_mkl() with",
    cv_mkl(x, y, k, model = "mllkm", folds = 2, C = 1, gamma = 1),
    cv_mkl(x, y, model = "mllkm", folds = 2, C = 1, gamma = 1))
  different <- cross(folds = 3)
  different$weights[[3]]$theta <- different$weights[[3]]$theta[1, , drop = FALSE]
  try_advice("Give cv_mkl() `kernels`, as by `default_kernels(x)`",
    kernel_stability(different),
    {
    x <- list(u = x, v = x)
    kernel_stability(cv_mkl(x, y, kernels = default_kernels(x), folds = 2, p = 2, C = 1))
  })
  by_formula <- function(...) cv_mkl(y ~ ., d, kernels = k, p = 2, C = 1, ...)
  try_advice("`subset` repeats rows", by_formula(folds = 2, subset = c(1:n, 1)),
             by_formula(folds = 2, weights = rep(2:1, c(1, n - 1))))
  if (requireNamespace("rsample", quietly = TRUE)) {
    try_advice("`folds`, an rset, has the rows", by_formula(folds = rsample::vfold_cv(d[n:1, ], 2)),
               by_formula(folds = rsample::vfold_cv(d, 2)))
  }
  kept <- cross(folds = 3)
  try_advice("Make it again by `kernel_stability(cv)`",
    plot(replace(kernel_stability(kept), "weights", list(NULL)), which = "map"), kernel_stability(kept))
  skip_if_not_installed("mlr3")
  task <- mlr3::as_task_classif(d, target = "y")
  try_advice("call its method `instantiate(task)` first", cross(folds = mlr3::rsmp("cv", folds = 3)), {
    folds <- mlr3::rsmp("cv", folds = 3)
    folds$instantiate(task)
    cross(folds = folds)
  })
})

# ---- results -------------------------------------------------------------------------------------

test_that("predictions, plots and tables of fits", {
  fit <- mkl(x, y, k)
  several <- mkl(x, cut(numbers, 3), k)
  cv <- cv_mkl(x, y, k, p = 2, C = 1, folds = 2)
  likely <- mkl(x, y, k, loss = "logistic")
  path <- mkl_path(x, y, k, C = c(0.5, 1))
  seen <- function(code) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    code
    TRUE
  }
  try_advice("a fit with `control = mkl_control(probability = TRUE)`", predict(fit, x, type = "prob"),
             predict(mkl(x, y, k, control = mkl_control(probability = TRUE)), x, type = "prob"))
  try_advice("a path with `loss = \"logistic\"`",
    predict(path, x, C = 1, type = "prob"),
    predict(mkl_path(x, y, k, C = c(0.5, 1), loss = "logistic"), x, C = 1, type = "prob"))
  try_advice("mkl_gomp() has no class probabilities",
    predict(mkl_gomp(x, y, k), x, type = "prob"),
    predict(likely, x, type = "prob"))
  try_advice("is for classes, but this fit has none",
    predict(mkl(x, numbers, k), x, type = "prob"),
    predict(likely, x, type = "prob"))
  try_advice("`type = \"numeric\"` is for numbers",
    predict(fit, x, type = "numeric"),
    predict(mkl(x, numbers, k), x, type = "numeric"))
  try_advice("this is a fit of the", residuals(fit, "response"), residuals(mkl(x, numbers, k), "response"))
  try_advice("only the logistic loss has probabilities there",
    mkl_path(x, y, k, C = c(0.5, 1), control = mkl_control(probability = TRUE)),
    predict(mkl_path(x, y, k, C = c(0.5, 1), loss = "logistic"), x, C = 1, type = "prob"))
  try_advice("`object` must be a fit of mkl() with several `tau`",
    quantile_crossing(fit),
    quantile_crossing(mkl(x, numbers, k, loss = quantile_loss(c(0.2, 0.8)))))
  try_advice("Fit by mkl() with `linear_kernel()`",
    kernel_weights(fit, features = TRUE),
    kernel_weights(mkl(x, y, linear_kernel()), features = TRUE))
  try_advice("for weights that describe all of it",
    kernel_weights(mkl(x, y, c(k, linear_kernel())), features = TRUE),
    kernel_weights(mkl(x, y, linear_kernel()), features = TRUE))
  try_advice("Give the data of `cv` again, as in",
    {
    views <- NULL
    drop_view((function(tables) cv_mkl(tables, y, k, p = 2, C = 1, folds = 2))(list(u = x[, 1:2], v = x[, 3:4])))
  },
    {
    tables <- list(u = x[, 1:2], v = x[, 3:4])
    cv <- cv_mkl(tables, y, k, p = 2, C = 1, folds = 2)
    drop_view(cv, x = tables, y = y, kernels = k)
  })
  try_advice("Give `kernels`, too, as to cv_mkl()",
    {
    views <- list(u = x[, 1:2], v = x[, 3:4])
    drop_view(cv_mkl(views, y, k, p = 2, C = 1, folds = 2), views, y)
  },
    {
    views <- list(u = x[, 1:2], v = x[, 3:4])
    drop_view(cv_mkl(views, y, k, p = 2, C = 1, folds = 2), views, y, k)
  })
  try_advice("Give several views to cv_mkl() as a list",
    drop_view(cv_mkl(y ~ ., d, k, p = 2, C = 1, folds = 2)),
    {
    views <- list(u = x[, 1:2], v = x[, 3:4])
    drop_view(cv_mkl(views, y, k, p = 2, C = 1, folds = 2))
  })
  try_advice("`start` is not for paths",
    mkl_path(x, y, k, C = c(0.5, 1), control = mkl_control(start = fit)),
    mkl_path(x, y, k, C = c(0.5, 1)))
  try_advice("Choose `multiclass` as ",
    mllkm(x, cut(numbers, 3), multiclass = "shared"),
    mllkm(x, cut(numbers, 3), multiclass = "ovo"))
  try_advice("`start` of mkl_control() is not for mllkm()",
    mllkm(x, y, control = mkl_control(start = fit)),
    mllkm(x, y))
  try_advice("or take mkl() with locally_linear_kernel() on each",
    mllkm(list(u = x, v = x), y),
    mkl(list(u = x, v = x), y, c(on_view(locally_linear_kernel(gamma = 1, anchors = x[1:3, ]), "u"))))
  try_advice("with `power = 1`: with power",
    kernel_features(spectrum_kernel(2, power = 2), dna),
    kernel_features(spectrum_kernel(2, power = 1), dna))
  try_advice("Give mllkm() the kernel_features() of the sequences",
    mllkm(dna, y),
    mllkm(as.matrix(kernel_features(spectrum_kernel(2), dna)), y))
  try_advice("mkl() and cv_mkl() take several", mllkm(x, x[, 1:2]), mkl(x, x[, 1:2]))
  try_advice("of mkl_control() is for mkl(), not for mkl_gomp()",
    mkl_gomp(x, y, k, control = mkl_control(start = fit)),
    mkl(x, y, k, control = mkl_control(start = fit)))
  try_advice("for `which = \"alignment\"`, as a fit doesn't keep them",
    seen(plot(fit, "alignment")),
    seen(plot(fit, "alignment", data = x)))
  try_advice("for `which = \"boundary\"`: the fit keeps no rows",
    seen(plot(mkl(x[, 1:2], y, linear_kernel(), scale = FALSE), "boundary")),
    seen(plot(mkl(x[, 1:2], y, linear_kernel()), "boundary", data = x[, 1:2])))
  try_advice("`which = \"boundary\"` is for data of two columns",
    seen(plot(fit, "boundary", data = x)),
    seen(plot(mkl(x[, 1:2], y, k), "boundary", data = x[, 1:2])))
  try_advice("`x$models[[1]]` and so on",
    seen(plot(mkl(x[, 1:2], x[, 1:2], k), "boundary", data = x[, 1:2])),
    { x2 <- x[, 1:2]; seen(plot(mkl(x2, x2, k)$models[[1]], "boundary", data = x2)) })
  map <- sample_map(fit, x)
  try_advice("plot the whole result of sample_map()",
    seen(plot(map[, c("sample", "component_1")])),
    seen(plot(map)))
  bound <- rademacher_bound(1:2, 10, 100, 1)
  try_advice("Leave such rows out.",
    seen(plot(bound, beside = list(error = data.frame(p = 1:2, value = c(0.1, NA))))),
    seen(plot(bound, beside = list(error = data.frame(p = 1, value = 0.1)))))
  try_advice("is for fits with Gaussian kernels of several widths",
    seen(plot(mkl(x, y, linear_kernel()), "widths")),
    seen(plot(fit, "widths")))
  try_advice("or `position_specific = TRUE`",
    seen(plot(mkl(dna, y, spectrum_kernel(2)), "profile")),
    seen(plot(mkl(dna, y, spectrum_kernel(2, position_specific = TRUE)), "profile")))
  try_advice("which is not drawn here",
    seen(plot(fit, "convergence", most = 3)),
    seen(plot(fit, "weights", most = 3)))
  try_advice("is for classes.",
    seen(plot(cv_mkl(x, numbers, k, p = 2, C = 1, folds = 2), "roc")),
    seen(plot(cv, "roc")))
  try_advice("`which = \"calibration\"` needs probabilities",
    seen(plot(cv, "calibration")),
    seen(plot(cv_mkl(x, y, k, p = 2, C = 1, folds = 2, loss = "logistic"), "calibration")))
  unit <- mkl(y = y, kernels = precomputed_kernel(K), normalize = "spherical")
  try_advice("spherical scaling divides by them",
    predict(unit, list(K[1:3, ])),
    predict(unit, list(structure(K[1:3, ], diagonal = diag(K)[1:3]))))
  placed <- mkl(dna, y, weighted_degree_kernel(2))
  try_advice("compares sequences position by position: those of",
    predict(placed, substr(dna[1:2], 1, 5)),
    predict(placed, dna[1:2]))
  small <- precomputed_kernel(K - 30 * diag(n))
  try_advice("is too small for its scale",
    mkl_gomp(y = numbers, kernels = small, lambda = 0.1, normalize = "none"),
    mkl_gomp(y = numbers, kernels = small, lambda = 1, normalize = "none"))
  try_advice("Don't rely on the probabilities",
    {
    set.seed(3)
    mkl(x, factor(rep(c("u", "v"), n / 2)), gaussian_kernel(100), control = mkl_control(probability = TRUE))
  },
    predict(mkl(x, y, k, control = mkl_control(probability = TRUE)), x, type = "prob"))
  try_advice("See `by_fold`",
    cv_mkl(x, y, k, p = 2, C = 100, folds = 2, control = mkl_control(tol = 1e-12, max_iter = 1)),
    cv$by_fold)
  try_advice("without a certified fit; see `by_fold`",
    {
    print(cv_mkl(x, y, k, p = 2, C = 100, folds = 2, control = mkl_control(tol = 1e-12, max_iter = 1)))
    TRUE
  },
    cv$by_fold)
  old <- fit
  old$version <- NULL
  try_advice("fit it again", predict(old, x), predict(mkl(x, y, k), x))
  old$version <- 99L
  try_advice("install that version", predict(old, x), TRUE)
  aged <- structure(k, version = 0L)
  try_advice("make it again", mkl(x, y, aged), mkl(x, y, gaussian_kernel(c(2, 8))))
  try_advice("make it again from",
    kernel_matrix(mkl(y = y, kernels = precomputed_kernel(K))$kernels, NULL),
    kernel_matrix(precomputed_kernel(K), NULL))
})

test_that("bounds", {
  fit <- mkl(x, y, k)
  several <- mkl(x, cut(numbers, 3), k)
  gomp <- mkl_gomp(x, numbers, k, intercept = FALSE)
  try_advice("mkl_gomp() fits it with `intercept = FALSE`",
    gomp_bound(mkl_gomp(x, numbers, k), x = x),
    gomp_bound(gomp, x = x))
  try_advice("Leave out `x`: it is only for a fit of mkl_gomp() as `s`",
    gomp_bound(2, 1, 1, n, 1, 0.05, M = 5, x = x),
    gomp_bound(gomp, x = x))
  try_advice("Use gomp_bound(): `fit` is", risk_bound(mkl_gomp(x, y, k), x, y), gomp_bound(gomp, x = x))
  try_advice("Use `rotate = FALSE`, or give a dense matrix", mllkm(Matrix::Matrix(x, sparse = TRUE), y, rotate = TRUE),
             mllkm(x, y, rotate = TRUE), needs = "Matrix")
  hinge <- mkl_gomp(x, y, k, loss = "hinge")
  try_advice("which the bound is for", gomp_bound(hinge, x = x), gomp_bound(gomp, x = x))
  try_advice("there is no bound for fits of mkl_gomp() with the", risk_bound(hinge, x, y),
             risk_bound(mkl(x, y, k, p = 1), x, y))
  try_advice("is for classes and labels, but `y` is a number", mkl_gomp(x, numbers, k, loss = "hinge"),
             mkl_gomp(x, numbers, k))
  try_advice("A fit of mkl_gomp() has no table of support vectors", support(hinge), hinge$alpha)
  try_advice("`fit$models[[1]]` and so on",
    risk_bound(several, x, cut(numbers, 3)),
    {
    fit <- mkl(x, cut(numbers, 3), k)
    one <- fit$models[[1]]
    suppressWarnings(risk_bound(one, x, one$y))
  })
  try_advice("`q` is used by `type = \"cortes\"` alone",
    rademacher_bound(2, 3, 10, 1, type = "kloft", q = 2),
    rademacher_bound(2, 3, 10, 1, type = "cortes", q = 2))
  try_advice("`R` is not used by `complexity = \"empirical\"`",
    risk_bound(fit, x, y, complexity = "empirical", R = 1),
    suppressWarnings(risk_bound(fit, x, y, complexity = "empirical")))
  try_advice("`draws` is used by `complexity = \"empirical\"` alone",
    risk_bound(fit, x, y, draws = 10),
    suppressWarnings(risk_bound(fit, x, y, complexity = "empirical", draws = 10)))
  bound <- rademacher_bound(c(1, 2), 3, 10, 1)
  pdf(NULL)
  on.exit(dev.off())
  try_advice("Give a bound with several `p`", plot(rademacher_convert(0.1, 3, 1, 2)), plot(bound))
  try_advice("Leave out `beside`: this bound", plot(gomp_bound(1, 1, 1, 100), beside = list(a = bound)),
             plot(gomp_bound(1, 1, 1, 100)))
  try_advice("is for a plain sum of kernels, `p = Inf`",
    rademacher_bound(2, 3, 10, 1, type = "gomp"),
    rademacher_bound(Inf, 3, 10, 1, type = "gomp"))
})

# ---- new rows ------------------------------------------------------------------------------------

test_that("assessments of new rows", {
  one <- mkl(x, y, k)
  for (word in names(assess_hints)) {
    words <- stats::setNames(list(quote(one), quote(x), quote(y), 1), c("fit", "newdata", "y", word))
    try_advice(assess_hints[[word]], eval(as.call(c(quote(assess), words))),
               assess(one, newdata = x, y = y, measures = "accuracy", level = 0.95, draws = 5))
  }
  for (word in names(importance_hints)) {
    words <- stats::setNames(list(quote(one), quote(x), quote(y), 1), c("fit", "newdata", "y", word))
    try_advice(importance_hints[[word]], eval(as.call(c(quote(permutation_importance), words))), {
      permutation_importance(one, newdata = x, y = y, measure = "accuracy", by = "feature", repeats = 2, level = 0.95)
      permutation_importance(one, newdata = x, y = y, by = list(pair = c("a", "b")), repeats = 2)
    })
  }
  fit <- mkl(x, y, k)
  likely <- mkl(x, y, k, loss = "logistic")
  of_three <- cut(numbers, 3, letters[1:3])
  three <- mkl(x, of_three, k)
  likely_three <- mkl(x, of_three, k, loss = "logistic")
  of_numbers <- mkl(x, numbers, k)
  take <- function(y, rows) if (is.matrix(y)) y[rows, , drop = FALSE] else y[rows]
  tested <- function(fit, truth = y, rows = 1:n, ...) {
    assess(fit, x[rows, , drop = FALSE], take(truth, rows), draws = 20, ...)
  }
  both <- tested(list(a = fit, b = likely))
  seen <- function(code) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    code
    TRUE
  }
  shown <- function(x) {
    print(x)
    TRUE
  }
  try_advice("a fit, a result of cv_mkl(), or a list of these", tested(3), tested(list(a = fit, b = likely)))
  try_advice("a list of at least two with different names, such as", tested(list(fit, likely)),
             tested(list(a = fit, b = likely)))
  try_advice("Leave other rows out of `newdata` and `y`",
    assess(fit, x, replace(as.character(y), 1:3, "w"), draws = 20),
    { y <- replace(as.character(y), 1:3, "w"); assess(fit, x[y != "w", ], y[y != "w"], draws = 20) })
  try_advice("Give the response that the fit was trained on",
    assess(fit, x, cut(numbers, 2, c("low", "high")), draws = 20),
    assess(fit, x, y, draws = 20))

  try_advice("is for one fit: plot one of `fits`",
    seen(plot(both, "confusion")),
    seen(plot(both$fits$a, "confusion")))
  compared <- tested(list(a = three, b = likely_three), of_three)
  try_advice("is for one fit: plot one of `fits`",
    seen(plot(compared, "roc")),
    seen(plot(compared$fits$a, "roc")))
  try_advice("is for several fits", seen(plot(both$fits$a, "measures")), seen(plot(both, "measures")))
  try_advice("needs a fit with probabilities",
    seen(plot(tested(fit), "calibration")),
    {
    seen(plot(tested(mkl(x, y, k, control = mkl_control(probability = TRUE))), "calibration"))
    seen(plot(tested(mkl(x, y, k, loss = "logistic")), "calibration"))
  })
  try_advice("needs new rows of both classes",
    seen(plot(tested(fit, rows = which(y == "u")), "roc")),
    seen(plot(tested(fit, rows = c(which(y == "u"), which(y == "v"))), "roc")))
  try_advice("is for a response of classes", seen(plot(tested(of_numbers, numbers), "confusion")),
             seen(plot(tested(fit), "confusion")))
  two_numbers <- cbind(a = numbers, b = x[, 2])
  try_advice("as.data.frame(x$predictions) has all of them",
    seen(plot(tested(mkl(x, two_numbers, k), two_numbers), "predictions")),
    { x <- tested(mkl(x, two_numbers, k), two_numbers); as.data.frame(x$predictions) })
  of_parts <- list(parts = three, roc = fit, pr = fit, calibration = likely)
  for (what in names(of_parts)) {
    try_advice("classes have \"roc\" and \"pr\", with probabilities \"calibration\"",
      generics::tidy(tested(of_numbers, numbers), what),
      generics::tidy(tested(of_parts[[what]], if (what == "parts") of_three else y), what),
      "generics")
  }
  try_advice("several classes, responses or quantiles have \"parts\"", generics::tidy(tested(fit), "parts"), {
    generics::tidy(tested(three, of_three), "parts")
    generics::tidy(tested(mkl(x, two_numbers, k), two_numbers), "parts")
    generics::tidy(tested(mkl(x, numbers, k, loss = quantile_loss(c(0.2, 0.8))), numbers), "parts")
  }, "generics")

  many <- lapply(stats::setNames(nm = paste0("m", 1:14)), function(name) {
    function(truth, response) mean(truth == response)
  })
  try_advice(": see as.data.frame()", shown(tested(fit, measures = many)),
             { one <- as.data.frame(tested(fit, measures = many)); stopifnot(nrow(one) == 14); one })
  try_advice(": see as.data.frame()", shown(tested(list(a = fit, b = likely), measures = many)), {
    pair <- as.data.frame(tested(list(a = fit, b = likely), measures = many))
    stopifnot(nrow(pair) == 14)
    pair
  })
  try_advice("with p-values: see tidy()", shown(tested(list(a = fit, b = likely, c = fit))), {
    several <- tested(list(a = fit, b = likely, c = fit))
    stopifnot(setequal(generics::tidy(several, "measures")$fit, c("a", "b", "c")))
    as.data.frame(several)
  }, "generics")
  apart <- mkl(x, x[, 1] > 0, linear_kernel(), C = 1000)
  certain <- function(measures) tested(apart, x[, 1] > 0, measures = measures)
  width <- function(x) x$measures$upper - x$measures$lower
  try_advice("see that of the accuracy", shown(certain(c("accuracy", "mcc"))), {
    stopifnot(width(certain("accuracy")) > 0)
    shown(certain("accuracy"))
  })
  mistaken <- replace(y, 1:4, rev(levels(y))[y[1:4]])
  try_advice("there is 1 draw alone; give more `draws`",
    shown(assess(fit, x, mistaken, measures = "mcc", draws = 1)),
    shown(assess(fit, x, mistaken, measures = "mcc", draws = 20)))
  try_advice("Leave one out, or give names, as in `list(a = , b = )`", tested(fit, measures = c("mcc", "mcc")), {
    tested(fit, measures = "mcc")
    tested(fit, measures = list(a = "mcc", b = "mcc"))
  })
  labels <- x[, 1:2] > 0
  try_advice("`x$confusion` has a table for each label",
    seen(plot(tested(mkl(x, labels, k), labels), "confusion")),
    {
    x <- tested(mkl(x, labels, k), labels)
    stopifnot(length(x$confusion) == 2)
    x$confusion[[1]]
  })
})

test_that("importances", {
  fit <- mkl(x, y, k)
  cv <- cv_mkl(x, y, k, p = 2, C = 1, folds = 2)
  importance <- function(...) permutation_importance(..., repeats = 2)
  shown <- function(x) {
    print(x)
    TRUE
  }
  try_advice("a fit of mkl(), mkl_gomp(), mllkm() or mkl_sequential(), or a result of", importance(3, x, y), {
    importance(mkl_gomp(x, y, k), x, y)
    importance(mkl_sequential(x, y, k), x, y)
    importance(mllkm(x, y), x, y)
    importance(cv, x, y)
  })
  try_advice("Give a fit of mkl() at the `C` (or `p`)",
    importance(mkl_path(x, y, k, C = c(0.5, 1)), x, y),
    importance(mkl(x, y, k, C = 0.7), x, y))
  try_advice("Give `newdata` for new rows, or `x` and `kernels` for rows held out",
    importance(cv, x, y, x = x, kernels = k),
    {
    importance(cv, x, y)
    importance(cv, y = y, x = x, kernels = k)
  })
  try_advice("Give `newdata` and `y` for new rows, or `x` (and `kernels`) and `y`",
    importance(cv, y = y),
    {
    importance(cv, newdata = x, y = y)
    importance(cv, x = x, kernels = k, y = y)
  })
  one_out <- cv_mkl(x, y, k, p = 2, C = 1, folds = n)
  try_advice("a result of cv_mkl() with larger folds", importance(one_out, x = x, kernels = k, y = y), {
    importance(one_out, newdata = x, y = y)
    importance(cv_mkl(x, y, k, p = 2, C = 1, folds = 5), x = x, kernels = k, y = y)
  })
  try_advice("Give rows of several groups",
    importance(fit, x, y, group = rep("a", n)),
    importance(fit, x, y, group = rep(1:4, n / 4)))
  try_advice("Give rows of several groups",
    importance(fit, x, y, group = rep("a", n), strata = rep(1:2, n / 2)),
    importance(fit, x, y, group = rep(1:4, n / 4), strata = rep(1:2, n / 2)))
  try_advice("Give fewer strata with more", importance(fit, x, y, strata = 1:n),
             importance(fit, x, y, strata = cut(numbers, 4)))
  try_advice("Give fewer strata with more",
    importance(fit, x, y, group = rep(1:2, n / 2), strata = rep(1:2, n / 2)),
    importance(fit, x, y, group = rep(1:4, n / 4), strata = rep(1:2, n / 2)))
  try_advice("Leave other rows out of `newdata` and `y`",
    importance(fit, x, replace(as.character(y), 1:3, "w")),
    { y <- replace(as.character(y), 1:3, "w"); importance(fit, x[y != "w", ], y[y != "w"]) })
  try_advice("have kernels of their own: give `by = \"feature\"`", importance(mllkm(x, y), x, y, by = "kernel"),
             importance(mllkm(x, y), x, y, by = "feature"))
  edges <- matrix(1, 4, 4, dimnames = list(colnames(x), colnames(x))) - diag(4)
  joint <- mkl(x, y, c(linear_kernel(), diffusion_kernel(edges, nodes = "features")))
  for (by in c("view", "feature")) {
    try_advice("Give `by = \"view\"` or `by = \"feature\"`: a fit keeps the linear kernels",
      importance(joint, x, y, by = "kernel"),
      importance(joint, x, y, by = by))
  }
  try_advice("see summary()",
    shown(importance(mkl(x, y, gaussian_kernel(1:19)), x, y, by = "kernel")),
    summary(importance(mkl(x, y, gaussian_kernel(1:19)), x, y, by = "kernel"))$importance)
  try_advice("permutation_importance() measures what predictions need",
    shown(kernel_weights(mkl(x, y))),
    importance(mkl(x, y), x, y, by = "kernel"))
})

# ---- files and other packages --------------------------------------------------------------------

test_that("files", {
  fit <- mkl(x, y, k)
  file <- tempfile(fileext = ".kernel")
  on.exit(unlink(file))
  write_kernel(K, file)
  try_advice("as write_kernel() makes it",
    { other <- tempfile(); writeLines(rep("a", 99), other); precomputed_kernel(file = other) },
    mkl(y = y, kernels = precomputed_kernel(file = file)))
  bytes <- readBin(file, "raw", file.size(file))
  try_advice("has extra bytes at its end: write it again",
    {
    other <- tempfile()
    writeBin(bytes[seq_len(length(bytes) - 8)], other)
    precomputed_kernel(file = other)
  },
    {
    other <- tempfile()
    write_kernel(K, other)
    mkl(y = y, kernels = precomputed_kernel(file = other))
  })
  new <- tempfile()
  write_kernel(K[1:3, ], new, new = TRUE)
  try_advice("it goes into `newdata` of predict()",
    precomputed_kernel(file = new),
    predict(mkl(y = y, kernels = precomputed_kernel(file = file)), new))
  try_advice("beyond the range of single precision: write \"double\"",
    write_kernel(K * 1e40, file, precision = "single"),
    {
    write_kernel(K * 1e40, new, precision = "double")
    mkl(y = y, kernels = precomputed_kernel(file = new))
  })
  skip_if_not_installed("jsonlite")
  json <- tempfile(fileext = ".json")
  on.exit(unlink(json), add = TRUE)
  try_advice("or have no ending, not in", write_model(fit, tempfile(fileext = ".rds")),
             predict(read_model(write_model(fit, json)), x))
  try_advice("JSON is written, and R's own form by `saveRDS(object", write_model(fit, tempfile(fileext = ".rds")),
             { object <- fit; saveRDS(object, other <- tempfile()); predict(readRDS(other), x) })
  try_advice("in other forms by `saveRDS(K", write_kernel(K, tempfile(fileext = ".csv")),
             { write.csv(K, other <- tempfile()); dim(read.csv(other)) })
  try_advice("Keep the fit itself by `saveRDS()` for these",
    duality_gap(read_model(write_model(fit, json)), x, y),
    { file <- tempfile(); saveRDS(fit, file); duality_gap(readRDS(file), x, y) })
  path <- mkl_path(x, y, k, C = c(0.5, 1))
  try_advice("Fit mkl() with the `C` and `p` of a point", support(path), support(mkl(x, y, k, C = 0.5)))
  try_advice("See `object$points$gap`", duality_gap(path, x, y), path$points$gap)
  try_advice("Use `predict()` for new rows: `fitted()` has no", fitted(fit, newdata = x), predict(fit, x))
  try_advice("is not a model as write_model() writes it",
    { writeLines("{}", json); read_model(json) },
    predict(read_model(write_model(fit, json)), x))
  try_advice("write a fit at one of its points, as mkl() makes it",
    write_model(mkl_path(x, y, k, C = c(0.5, 1)), json),
    read_model(write_model(mkl(x, y, k, C = 0.7), json)))
  try_advice("fit to `x` and `y`",
    write_model(mkl(y ~ sin(a) + b, d), json),
    read_model(write_model(mkl(cbind(sin(x[, "a"]), x[, "b"]), y), json)))
})

test_that("reports are what their names say", {
  expect_identical(unname(format_of_file("a.docx")), "word_document")
  expect_identical(format_of_file("dir.x/report"), "html_document")
  expect_error(format_of_file("a.txt"), ".html", class = "manykernels_invalid_argument")
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available())
  word <- tempfile(fileext = ".docx")
  on.exit(unlink(word))
  report(mkl(x, y, k), word)
  fit <- mkl(x, y, k)
  folder <- tempfile()
  file <- file.path(folder, "a.html")
  on.exit(unlink(folder, recursive = TRUE), add = TRUE)
  try_advice("Make the folder of `", report(fit, file), { dir.create(folder, recursive = TRUE); report(fit, file) })
  try_advice("must be a format of package rmarkdown", report(fit, file, format = "html"),
             report(fit, file, format = "html_document"))
  try_advice("a format of package rmarkdown, such as", report(fit, file, format = "html"),
             report(fit, file, format = "html_document"))
  try_advice("Leave `format` out, or let `file` end in", report(fit, file, format = "word_document"),
             report(fit, file))
  try_advice("or see all messages by `quiet", report(fit, file, format = "render"), report(fit, file))
  expect_identical(readBin(word, "raw", 2), charToRaw("PK"))
})

test_that("mlr3", {
  skip_if_not_installed("mlr3")
  skip_if_not_installed("paradox")
  try_advice("as by `task$set_col_roles(",
    mlr3::lrn("classif.mkl")$train(mlr3::as_task_classif(d, target = "y")$select(character())),
    {
    task <- mlr3::as_task_classif(d, target = "y")$select(character())
    task$set_col_roles("a", "feature")
    mlr3::lrn("classif.mkl")$train(task)$model
  })
  try_advice("make one by $new()",
    {
    print(LearnerClassifMKL)
    TRUE
  },
    LearnerClassifMKL$new()$train(mlr3::as_task_classif(d, target = "y"))$model)
})

test_that("tidymodels", {
  for (package in c("parsnip", "workflows", "hardhat")) skip_if_not_installed(package)
  fit <- mkl(x, y, k)
  of_tidymodels <- function() {
    parsnip::fit(parsnip::set_engine(svm_mkl("classification"), "manykernels"), y ~ ., d)
  }
  in_workflow <- function() parsnip::fit(workflows::workflow(y ~ ., svm_mkl("classification")), d)
  weighted <- cbind(d, w = hardhat::importance_weights(rep(1:2, length.out = n)))
  try_advice("Name the column without quotes, as in `", mkl(y ~ a, weighted, kernels = k, weights = "w"),
             mkl(y ~ a, weighted, kernels = k, weights = w))
  try_advice("` as `weights` and not among the predictors", mkl(y ~ ., weighted, kernels = k),
             mkl(y ~ . - w, weighted, kernels = k, weights = w))
  try_advice("Give interactions as columns, as by `recipes::step_interact()` or `I(a * b)`",
             parsnip::fit(svm_mkl("classification"), y ~ a * b, d),
             parsnip::fit(svm_mkl("classification"), y ~ a + b + I(a * b), d))
  for (make in list(of_tidymodels, in_workflow)) {
    try_advice("give `hardhat::extract_fit_engine(fit)`",
      permutation_importance(make(), d, y),
      { fit <- make(); permutation_importance(hardhat::extract_fit_engine(fit), d[colnames(x)], y) })
    try_advice("give `hardhat::extract_fit_engine(fit)`",
      assess(make(), d, y),
      { fit <- make(); assess(hardhat::extract_fit_engine(fit), d[colnames(x)], y) })
    try_advice("give `hardhat::extract_fit_engine(fit)`",
      assess(list(a = make(), b = fit), d, y),
      { one <- hardhat::extract_fit_engine(make()); assess(list(a = one, b = fit), d[colnames(x)], y) })
  }
})

test_that("DALEX", {
  skip_if_not_installed("DALEX")
  fit <- mkl(x, y, k)
  explained <- function(...) {
    DALEX::explain(..., data = as.data.frame(x), y = as.numeric(y == "v"), verbose = FALSE)$y_hat
  }
  try_advice("as explainers need probabilities",
    DALEX::yhat(fit, x),
    explained(mkl(x, y, k, loss = "logistic")))
  try_advice("Or explain decision values by",
    DALEX::yhat(fit, x),
    explained(fit, predict_function = function(model, data) DALEX::yhat(model, data, type = "decision")))
  try_advice("Give `predict_function`: kernel",
    DALEX::yhat(mkl(y = y, kernels = precomputed_kernel(K), loss = "logistic"), x),
    explained(mkl(y = y, kernels = precomputed_kernel(K), loss = "logistic"),
              predict_function = function(model, data) predict(model, K, type = "prob")[, 2]))
  try_advice("Name columns by view and column, as `data.frame(views, check.names = FALSE)`",
    DALEX::yhat(mkl(list(u = x, v = x), y, loss = "logistic"), x),
    {
    views <- list(u = x, v = x)
    DALEX::yhat(mkl(views, y, loss = "logistic"), data.frame(views, check.names = FALSE))
  })
})

# ---- hints for words of other packages -----------------------------------------------------------

test_that("hints name arguments that there are, and following them leads to a fit", {
  functions <- list(mkl = fit_hints, cv_mkl = cv_hints, mkl_path = path_hints, mkl_gomp = gomp_hints,
                    mllkm = mllkm_hints, mkl_sequential = sequential_hints)
  base <- list(mkl = quote(mkl(x, y, k)), cv_mkl = quote(cv_mkl(x, y, k, folds = 2, p = 2, C = 1)),
               mkl_path = quote(mkl_path(x, y, k, C = c(0.5, 1))), mkl_gomp = quote(mkl_gomp(x, y, k)),
               mllkm = quote(mllkm(x, y)), mkl_sequential = quote(mkl_sequential(x, y, k)))
  # what hints speak of; models that only some arguments are for
  fit <- mkl(x, y, k)
  data <- d
  newdata <- x
  time <- exp(numbers)
  event <- status <- rep(0:1, n / 2)
  degree <- 2
  sigma <- 0.5
  scale <- offset <- lambda <- 1
  own_arguments <- function(name) names(formals(getS3method(name, "default")))
  text <- vapply(unlist(unname(c(functions, list(predict_hints)))), function(hint) {
    if (is.function(hint)) hint(2) else hint
  }, "")
  expect_true(all(nzchar(text)))
  tried <- character()
  for (name in names(functions)) for (word in setdiff(names(functions[[name]]), own_arguments(name))) {
    hint <- functions[[name]][[word]]
    if (is.function(hint)) hint <- hint(2)
    others <- intersect(gsub("[(]", "", regmatches(hint, gregexpr("[a-z_]+[(]", hint))[[1]]), names(functions))
    for (code in gsub("`", "", regmatches(hint, gregexpr("`[^`?]+`", hint))[[1]])) {
      given <- as.list(str2lang(sprintf("f(%s)", code)))[-1]
      argument <- names(given) %||% (if (is.name(given[[1]])) as.character(given[[1]]) else "")
      if (!any(nzchar(argument)) || argument[1] == word) next
      where <- if (grepl("only mkl()", hint, fixed = TRUE)) "mkl" else unique(c(name, others))
      known <- Filter(function(one) all(argument %in% own_arguments(one)), where)
      if (word == "coef0" && identical(argument, "offset")) next # of polynomial_kernel()
      expect(length(known) > 0, sprintf("%s(%s = ): no argument `%s`: %s", name, word, toString(argument), hint))
      if (!length(known) || is.null(names(given))) next
      if (paste(known[1], code) %in% tried) next
      tried <- c(tried, paste(known[1], code))
      call <- base[[known[1]]]
      if ("norm" %in% argument) call$p <- NULL
      if ("y" %in% argument) skip_if_not_installed("survival")
      if (any(grepl("regression|epsilon_loss|quantile_loss", unlist(lapply(given, deparse))))) call[[3]] <- quote(numbers)
      call[names(given)] <- given
      if ("dictionary" %in% argument) call[[4]] <- NULL
      if ("kernels" %in% argument) call[[4]] <- NULL
      if ("y" %in% argument) call[[3]] <- NULL
      outcome <- conditions_of(eval(call))
      expect(is.null(outcome$error), sprintf("%s(%s = ): %s: %s", name, word, code, outcome$error))
    }
  }
  expect_gt(length(tried), 50)
})

test_that("hints of a specification of parsnip name its arguments or the engine's", {
  skip_if_not_installed("parsnip")
  fit <- mkl(x, y)
  sigma <- degree <- 2
  scale <- offset <- lambda <- 1
  engine <- c("manykernels", setdiff(names(formals(getS3method("mkl", "default"))), c("x", "y", "...")))
  for (word in names(spec_hints)) {
    hint <- spec_hints[[word]]
    if (is.function(hint)) hint <- hint(2)
    # of other functions, which their own tests follow
    if (grepl("mkl[(][)]|for formulas|known parts|fits have|decision values|fit[(][)]", hint)) next
    for (code in gsub("`", "", regmatches(hint, gregexpr("`[^`]+`", hint))[[1]])) {
      if (grepl("set_engine|rsample|^offset|^lambda$", code)) next
      given <- as.list(str2lang(sprintf("f(%s)", code)))[-1]
      argument <- names(given) %||% as.character(given[[1]])
      if (identical(argument, word)) next
      of_engine <- grepl("set_engine", hint, fixed = TRUE)
      own <- names(formals(svm_mkl))
      expect(all(argument %in% if (of_engine) engine else own), sprintf("svm_mkl(%s = ): %s", word, hint))
      if (is.null(names(given)) || !all(argument %in% engine)) next
      spec <- do.call(parsnip::set_engine, c(list(svm_mkl("classification"), "manykernels"), given))
      regression <- grepl("epsilon_loss", code)
      if (regression) spec <- parsnip::set_mode(spec, "regression")
      outcome <- conditions_of(parsnip::fit(spec, if (regression) a ~ b + e else y ~ ., d))
      expect(is.null(outcome$error), sprintf("svm_mkl(%s = ): %s: %s", word, code, outcome$error))
    }
  }
})

test_that("caret", {
  skip_if_not_installed("caret")
  trained <- function(method = caret_mkl(), tuneGrid = data.frame(C = 1, p = 2), ...) {
    caret::train(d[1:4], y, method = method, tuneGrid = tuneGrid, trControl = caret::trainControl("none"), ...)
  }
  try_advice("` of train() by `", trained(kernels = k), { kernels <- k; trained(method = caret_mkl(kernels)) })
  try_advice("` of train() by `", trained(C = 1), trained(tuneGrid = data.frame(C = 1, p = 2)))
  of_loss <- function(loss) {
    caret::train(d[2:4], d$a, method = caret_mkl(), tuneGrid = data.frame(C = 1, p = 2), loss = loss,
                 trControl = caret::trainControl("none"))
  }
  try_advice("Give a loss of one quantile, `loss = quantile_loss(0.5)`", of_loss(quantile_loss(c(0.1, 0.9))),
             of_loss(quantile_loss(0.5)))
})

test_that("rare classes and thresholds", {
  rare <- factor(ifelse(seq_len(n) %in% order(x[, 1])[1:4], "a", "z"))
  try_advice("`class_weights = \"balanced\"`", print(mkl(x, rare, k, C = 1e-3)),
             print(mkl(x, rare, k, C = 1, class_weights = "balanced")))
  try_advice("`loss = \"logistic\"`", print(mkl(x, rare, k, C = 1e-3)), print(mkl(x, rare, k, C = 10, loss = "logistic")))
  set.seed(1)
  try_advice("`threshold = \"balanced\"`", print(mkl(x, rare, k, C = 1e-3)),
             print(mkl(x, rare, k, C = 1, threshold = "balanced")))
  try_advice("To give rare classes more weight, use `class_weights = \"balanced\"`",
             mkl(iris[1:4], iris$Species, k, threshold = "youden"),
             mkl(iris[1:4], iris$Species, k, class_weights = "balanced"))
  for (fit in list(mkl, cv_mkl, mllkm)) {
    try_advice("Leave it out, or give `y` as a factor of two classes", fit(x, numbers, threshold = "youden"),
               { fit(x, numbers); fit(x, factor(numbers > 0), threshold = "youden") })
  }
  alone <- factor(rep(c("u", "v"), c(n - 1, 1)))
  try_advice("Give a number as `threshold`",
             mkl(x, alone, k, threshold = "youden"), mkl(x, alone, k, threshold = 0.1))
})

test_that("products of kernels", {
  set.seed(1)
  two <- list(u = x, v = x[, 1:2])
  u <- on_view(k, "u")
  v <- on_view(k, "v")
  try_advice("give cv_mkl() kernels of other views", drop_view(cv_mkl(two, y, c(u, u * v), p = 2, C = 1, folds = 2)),
             drop_view(cv_mkl(two, y, c(u, v, u * v), p = 2, C = 1, folds = 2)))
  two <- lapply(two, named)
  own <- stats::setNames(y, c("t1", paste0("s", 2:n)))
  try_advice(", and then out of `", mkl(two, own), {
    inside <- names(own) %in% rownames(two$u)
    mkl(lapply(two, function(view) view[rownames(view) %in% names(own), ]), own[inside])
  })
  x <- as.matrix(iris[51:80, 1:2])
  k <- gaussian_kernel(1)
  given <- precomputed_kernel(list(K = tcrossprod(x)))
  try_advice("multiply two precomputed kernels, one of them precomputed_kernel(kernel_matrix(k, x))",
             given * k, given * precomputed_kernel(kernel_matrix(k, x)))
  try_advice("join them by `c()`, then a fit learns the weight of each", k + linear_kernel(),
             mkl(x, rep(c("a", "b"), 15), c(k, linear_kernel())))
  try_advice("Choose columns before you multiply", on_features(k * linear_kernel(), 1),
             on_features(k, 1) * on_features(linear_kernel(), 1))
})

test_that("pairs of objects, and costs of other forms", {
  edges <- cbind(rep(1:5, 6), rep(1:6, 5), 1)
  of_pairs <- pair_kernel(diag(5) + 1, diag(6) + 1)
  label <- rep(c("a", "b"), 15)
  try_advice("choose two columns of the view", mkl(edges, label, of_pairs),
             mkl(edges, label, on_features(of_pairs, 1:2)))
  set.seed(1)
  of_norm <- empirical_rademacher(k, x, norm = elastic_net_norm(0.5), draws = 5)
  by_p <- empirical_rademacher(k, x, draws = 5)
  try_advice("Give a bound with several `p`", plot(of_norm), plot(by_p))
  try_advice("Leave out `beside`", plot(gomp_bound(1:2, kappa = 1, tau = 1, n = 40), beside = list(signs = by_p)),
             plot(gomp_bound(1:2, kappa = 1, tau = 1, n = 40)))
  try_advice("give `p` to mkl()", equivalent_cost(mkl(x, y, norm = elastic_net_norm(0.5))),
             equivalent_cost(mkl(x, y, p = 2)))
})

test_that("compression", {
  fit <- mkl(x, y, gaussian_kernel(2), control = mkl_control(progress = FALSE))
  fit$control$cache <- 2000 # three points
  try_advice("can't change all decision values by less than", compress(fit, 0.001), compress(fit, 9))
  small <- compress(mkl(x, y, polynomial_kernel(2)), 0.01)
  try_advice("or predict with the fit itself", predict(small, 100 * x),
             predict(mkl(x, y, polynomial_kernel(2)), 100 * x))
  try_advice("Predict with the fit itself", compress(mkl(kernels = precomputed_kernel(K), y = y), 0.1),
             predict(mkl(kernels = precomputed_kernel(K), y = y), K))
})

test_that("thresholds", {
  try_advice("choose the decision value between two classes by `threshold", mkl_path(x, y, k, threshold = 0.2),
             mkl(x, y, k, threshold = "balanced"))
  try_advice(", which chooses it; mkl_gomp() takes a number.",
             mkl_gomp(x, y, k, threshold = "youden"),
             cv_mkl(x, y, k, model = "mkl_gomp", threshold = "youden", lambda = c(0.1, 1)))
  try_advice("it is `threshold`, a number", mkl_gomp(x, y, k, cutoff = 0.2), mkl_gomp(x, y, k, threshold = 0.2))
  try_advice("labels are those of the fit: give mkl(), cv_mkl() or mllkm() a `threshold`",
             predict(mkl(x, y, k), x, threshold = 0.2), predict(mkl(x, y, k, threshold = 0.2), x))
})

# ---- all of them ---------------------------------------------------------------------------------

test_that("tables on disk", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  base <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(base))
  DBI::dbWriteTable(base, "d", data.frame(x, y = y, id = seq_len(n) + 0))
  DBI::dbWriteTable(base, "many", data.frame(a = seq_len(1200), id = sprintf("p%d", seq_len(1200)), y = rep(0:1, 600)))
  table <- dplyr::tbl(base, "d")
  many <- dplyr::tbl(base, "many")
  try_advice(", or give numbers: it has more", mkl(many, "y", linear_kernel()),
             mkl(dplyr::select(many, -id), "y", linear_kernel()))
  DBI::dbWriteTable(base, "holes", data.frame(x, y = replace(as.numeric(y), 2, NA)))
  holes <- dplyr::tbl(base, "holes")
  try_advice("Leave these rows out, as by `dplyr::filter(", mkl(holes, "y", k),
             { x <- holes; mkl(dplyr::filter(x, !is.na(y)), "y", k) })
  try_advice("Give a table on disk without a formula and name its response", mkl(y ~ ., table, kernels = k),
             mkl(table, "y", k))
  try_advice("Give `y` as text to name a column of ", mkl(table, a, k), mkl(table, "y", k))
  try_advice("Choose columns of a table by `dplyr::select()`", mkl(table, "y", k, assay = "a"),
             mkl(dplyr::select(table, a, y), "y", k))
  try_advice("Name a column of `x` as `", mkl(table, "z", k), mkl(table, "y", k))
})

test_that("every text that gives advice has a case", {
  # Texts that look like advice and have no case, and why.
  none <- c(
    # frames and parts of texts that have a case
    "`type = \"prob\"` needs %s.", ", as by `%s`",
    # names of functions and sources, what an argument must be
    "`svm_mkl()`", "a fit or a result of cv_mkl()", "a fit, a result of cv_mkl() or a model of read_model()",
    "Sindhwani and Lozano (2011), Theorem 2, as far as it is proved: see ?gomp_recovery",
    # of a kernel in C, which test-kernel-native.R compiles
    paste("an external pointer made by manykernels_kernel_pointer() in C, or a function without arguments",
          "that returns one"),
    # of packages that are not there, of full disks and of more rows than R's matrices have
    "Install %s, which `%s`, %s, needs: %s. ",
    paste("Make room in the temporary folder, %s, or start R with TMPDIR set to a folder of a larger disk: `%s`",
          "takes %s there."),
    "Call again when nothing writes to `%s`: its number of rows changed while it was read.",
    "The temporary folder, %s, can't be written to: make room on its disk.",
    # of workers that all end: test-blocks.R
    "Make `cluster` again, as by parallel::makeCluster(%d): it can't be used (%s).",
    paste(" Update package future, %s here, to 1.40 or later, which goes on without a lost worker, or",
          "start the workers again by future::plan() before you repeat the call."),
    " With `mkl_control(checkpoint = )` the same call goes on from what was done.",
    # of a response that is no column: the question is the advice, which test-mkl.R has
    "`y = %s` is NULL, so this is a model of one class: is it the name of a column?",
    "Give fewer rows of `%s`: it has %.0f, and a fit takes at most %d.",
    # of tables on disk: test-tables.R
    "Name a column of %s as `%s`: it has no `%s`, but %s.",
    # of computers without free memory: test-internals-core.R
    "End other programs, or use fewer rows at a time.",
    "Take fewer rows", "Set a smaller budget, `mkl_control(cache = \"%s\")`", "use fewer workers, ",
    "use fewer `threads`, ",
    paste("Fit fewer at a time, `mkl_control(threads = 1)` and fewer workers, or set a smaller budget, as by",
          "`mkl_control(cache = \"500 MB\")`."),
    # of a temporary folder without room
    "See all messages by `quiet = FALSE`: no report was written (%s).",
    # of other computers: of another byte order, without LaTeX
    "was written on a computer of another byte order: write it again on this one",
    paste("Give `file` the ending .html or .docx, or install LaTeX, on Debian and Ubuntu the packages",
          "texlive-latex-recommended and lmodern, elsewhere `tinytex::install_tinytex()`: PDF needs %s."),
    paste("Start R on all computers with the environment variable TMPDIR set to a folder that they share: the worker",
          "on %s can't read %s."),
    # names of columns
    "start|^(begin|entry|enter|from|time1?)$",
    # hints
    cv_strata_hint, strata_hint,
    "kernels are made by constructors, such as `kernels = polynomial_kernel(degree = 2)`",
    "cv_mkl() cross-validates, with `folds = %s`, and chooses `C` and `p`",
    "only mkl() starts from a fit, by `control = mkl_control(start = fit)`",
    "Gaussian kernels have a width, 1 / %s: `kernels = gaussian_kernel(width = %s)`",
    paste("several processes are `future::plan(future::multisession, workers = 2)` before the call, or",
          "`BPPARAM`; threads of one are `control = mkl_control(threads = 2)`")
  )
  elsewhere <- c("Install manykernels", "goes on from what is done", "can't be checked: make room", "See `work` of the result") # test-cv-workers.R
  texts <- setdiff(advice_texts(), none)
  says <- c(advice_cases("test-advice.R"), elsewhere)
  found <- lapply(says, grepl, x = gsub("%%", "%", texts, fixed = TRUE), fixed = TRUE)
  expect_identical(texts[!Reduce(`|`, found)], character())
  expect_identical(setdiff(none, advice_texts()), character())
})
