# What bench/evidence.R compares: each method is a function of a split's training rows and new rows that
# returns classes, numbers or risks of the new rows. Methods choose their settings on the training rows alone.
#
# A split has kind ("classes", "numbers", "censored"), y (training), x and new (as given, for manykernels),
# table and new_table (data frames of all views side by side), columns and new_columns (matrices, factors as
# dummy variables, without columns that are constant in training), and block (the view of each column).

one_thread <- function(...) mkl_control(progress = FALSE, threads = 1, ...)

own_predictions <- function(fit, split) {
  predict(fit, split$new, type = if (split$kind == "censored") "risk" else "response")
}

# ---- glmnet and packages built on it -------------------------------------------------------------

glmnet_family <- function(split) {
  c(classes = if (nlevels(split$y) == 2) "binomial" else "multinomial", numbers = "gaussian",
    censored = "cox")[[split$kind]]
}

glmnet_predictions <- function(fit, new, split) {
  type <- if (split$kind == "classes") "class" else "link"
  values <- drop(stats::predict(fit, new, s = "lambda.min", type = type))
  if (split$kind == "classes") factor(values, levels(split$y)) else values
}

glmnet_method <- function(alpha) {
  function(split) {
    fit <- glmnet::cv.glmnet(split$columns, split$y, family = glmnet_family(split), alpha = alpha)
    glmnet_predictions(fit, split$new_columns, split)
  }
}

# For methods that know two classes: the class whose own model gives the largest value.
one_against_rest <- function(split, values) {
  if (split$kind != "classes") return(values(split$y))
  shown <- if (nlevels(split$y) == 2) levels(split$y)[2] else levels(split$y)
  found <- vapply(shown, function(level) values(as.numeric(split$y == level)), numeric(nrow(split$new_columns)))
  largest <- if (ncol(found) == 1) levels(split$y)[1 + (found[, 1] > 0)] else shown[max.col(found)]
  factor(largest, levels(split$y))
}

views_of <- function(columns, block) {
  lapply(split(seq_along(block), block), function(own) columns[, own, drop = FALSE])
}

# Ding, Li, Narasimhan and Tibshirani (2022); the penalty of agreement by cross-validation on the same folds.
cooperative_learning <- function(split) {
  family <- switch(split$kind, classes = stats::binomial(), numbers = stats::gaussian(), censored = "cox")
  x <- lapply(views_of(split$columns, split$block), scale)
  new <- Map(scale_like, views_of(split$new_columns, split$block), x)
  folds <- fold_of(split$y, 5)
  one_against_rest(split, function(y) {
    fits <- lapply(c(0, 0.1, 0.5, 1), function(rho) {
      multiview::cv.multiview(x, y, family = family, rho = rho, foldid = folds)
    })
    fit <- fits[[which.min(vapply(fits, function(fit) min(fit$cvm), 0))]]
    drop(stats::predict(fit, new, s = "lambda.min", type = "link"))
  })
}

# Views by their number of columns, the smallest first, as its authors advise for clinical data.
priority_lasso <- function(split) {
  family <- c(classes = "binomial", numbers = "gaussian", censored = "cox")[[split$kind]]
  blocks <- split(seq_along(split$block), split$block)
  blocks <- blocks[order(lengths(blocks))]
  one_against_rest(split, function(y) {
    fit <- prioritylasso::prioritylasso(
      split$columns, y, family = family, blocks = stats::setNames(blocks, paste0("bp", seq_along(blocks))),
      type.measure = c(binomial = "deviance", gaussian = "mse", cox = "deviance")[[family]],
      standardize = TRUE, nfolds = 5
    )
    drop(stats::predict(fit, split$new_columns, type = "link"))
  })
}

# ---- forests and boosting ------------------------------------------------------------------------

forest_predictions <- function(fit, new, split) {
  values <- stats::predict(fit, new, num.threads = 1)
  if (split$kind != "censored") return(values$predictions)
  rowSums(values$chf) # the cumulative hazard, as ranger's own concordance
}

forest_frame <- function(split) {
  if (split$kind == "censored") cbind(split$table, .time = split$y[, 1], .status = split$y[, 2]) else
    cbind(split$table, .y = split$y)
}

random_forest <- function(split) {
  response <- if (split$kind == "censored") c(".time", ".status") else ".y"
  fit <- ranger::ranger(data = forest_frame(split), dependent.variable.name = response[1],
                        status.variable.name = if (length(response) == 2) response[2], num.threads = 1)
  forest_predictions(fit, split$new_table, split)
}

# A third of its default number of sets of block weights and of trees for each: the default takes minutes.
block_forest <- function(split) {
  blocks <- unname(split(seq_along(split$block), split$block))
  fit <- blockForest::blockfor(split$columns, split$y, blocks = blocks, nsets = 100, num.trees.pre = 500,
                               num.threads = 1)$forest
  values <- stats::predict(fit, split$new_columns, num.threads = 1, block.method = "BlockForest")
  if (split$kind == "censored") return(rowSums(values$chf))
  if (split$kind == "numbers" || is.factor(values$predictions)) return(values$predictions)
  factor(colnames(values$predictions)[max.col(values$predictions)], levels(split$y))
}

# Depth by cross-validation, the number of trees by early stopping.
boosted_trees <- function(split) {
  y <- switch(split$kind, classes = as.integer(split$y) - 1, numbers = split$y,
              censored = ifelse(split$y[, 2] == 1, split$y[, 1], -split$y[, 1]))
  classes <- if (split$kind == "classes") nlevels(split$y) else 0
  objective <- switch(split$kind, numbers = "reg:squarederror", censored = "survival:cox",
                      classes = if (classes == 2) "binary:logistic" else "multi:softprob")
  data <- xgboost::xgb.DMatrix(split$columns, label = y)
  folds <- lapply(1:5, function(k) which(fold_of(split$y, 5, seed = 1) == k))
  tried <- lapply(c(2, 4, 6), function(depth) {
    settings <- c(list(objective = objective, max_depth = depth, eta = 0.1, subsample = 0.8,
                       colsample_bytree = 0.8, nthread = 1), if (classes > 2) list(num_class = classes))
    log <- xgboost::xgb.cv(settings, data, nrounds = 500, folds = folds, early_stopping_rounds = 20,
                           verbose = FALSE)$evaluation_log
    loss <- log[[grep("^test_.*_mean$", names(log))]]
    list(settings = settings, trees = which.min(loss), loss = min(loss))
  })
  best <- tried[[which.min(vapply(tried, `[[`, 0, "loss"))]]
  fit <- xgboost::xgb.train(best$settings, data, nrounds = best$trees, verbose = 0)
  values <- stats::predict(fit, split$new_columns)
  if (split$kind != "classes") return(values)
  if (classes == 2) return(factor(levels(split$y)[1 + (values > 0.5)], levels(split$y)))
  if (is.null(dim(values))) values <- matrix(values, ncol = classes, byrow = TRUE)
  factor(levels(split$y)[max.col(values)], levels(split$y))
}

# Columns by the constants of others that scale() made standard.
scale_like <- function(x, like) scale(x, attr(like, "scaled:center"), attr(like, "scaled:scale"))

# ---- e1071 ---------------------------------------------------------------------------------------

# One Gaussian kernel, 7 gamma and 5 cost by 5 folds; columns and numbers are standardised.
tuned_svm <- function(split) {
  x <- scale(split$columns)
  centre <- if (split$kind == "numbers") c(mean(split$y), stats::sd(split$y)) else c(0, 1)
  y <- if (split$kind == "numbers") (split$y - centre[1]) / centre[2] else split$y
  tuned <- e1071::tune.svm(x, y, gamma = 4^(-3:3) / ncol(x), cost = 10^(-1:3), scale = FALSE,
                           tunecontrol = e1071::tune.control(cross = 5))
  values <- stats::predict(tuned$best.model, scale_like(split$new_columns, x))
  if (split$kind == "numbers") values * centre[2] + centre[1] else values
}

# ---- late fusion ---------------------------------------------------------------------------------

# One model for each view; their class probabilities, numbers or standardised risks are averaged.
late_fusion <- function(values) {
  function(split) {
    views <- views_of(split$columns, split$block)
    new <- views_of(split$new_columns, split$block)
    found <- Map(function(x, new) values(split, x, new), views, new)
    mean <- Reduce(`+`, found) / length(found)
    if (split$kind == "classes") factor(levels(split$y)[max.col(mean)], levels(split$y)) else mean
  }
}

ridge_values <- function(split, x, new) {
  if (ncol(x) == 1) x <- cbind(x, 0)
  if (ncol(new) == 1) new <- cbind(new, 0)
  fit <- glmnet::cv.glmnet(x, split$y, family = glmnet_family(split), alpha = 0)
  type <- if (split$kind == "classes") "response" else "link"
  values <- stats::predict(fit, new, s = "lambda.min", type = type)
  if (split$kind == "classes" && nlevels(split$y) == 2) return(cbind(1 - drop(values), drop(values)))
  values <- drop(values)
  if (split$kind == "censored") values / max(stats::sd(values), 1e-12) else values
}

forest_values <- function(split, x, new) {
  frame <- split
  frame$table <- as.data.frame(x)
  new <- as.data.frame(new)
  response <- if (split$kind == "censored") c(".time", ".status") else ".y"
  fit <- ranger::ranger(data = forest_frame(frame), dependent.variable.name = response[1],
                        status.variable.name = if (length(response) == 2) response[2],
                        probability = split$kind == "classes", num.threads = 1)
  values <- forest_predictions(fit, new, split)
  if (split$kind == "classes") values[, levels(split$y)] else
    if (split$kind == "censored") values / max(stats::sd(values), 1e-12) else values
}

# ---- Cox -----------------------------------------------------------------------------------------

cox_regression <- function(split) {
  data <- data.frame(split$columns)
  fit <- suppressWarnings(survival::coxph(split$y ~ ., data))
  stats::predict(fit, data.frame(split$new_columns), type = "lp")
}

# ---- all of them ---------------------------------------------------------------------------------

several_views <- function(split) length(unique(split$block)) > 1
# One class against the rest with five classes takes multiview longer than any limit.
several_views_two_classes <- function(split) several_views(split) && (split$kind != "classes" || nlevels(split$y) == 2)
any_split <- function(split) TRUE

# package: whose version is kept with the results; fits: which splits a method is for.
method <- function(package, run, fits = any_split) list(package = package, run = run, fits = fits)

methods <- list(
  `cv_mkl()` = method("manykernels", function(split) {
    own_predictions(cv_mkl(split$x, split$y, control = one_thread()), split)
  }),
  `mkl() as it is` = method("manykernels", function(split) {
    own_predictions(mkl(split$x, split$y, control = one_thread()), split)
  }),
  `glmnet, lasso` = method("glmnet", glmnet_method(1)),
  `glmnet, ridge` = method("glmnet", glmnet_method(0)),
  ranger = method("ranger", random_forest),
  xgboost = method("xgboost", boosted_trees),
  `e1071, tuned` = method("e1071", tuned_svm, function(split) split$kind != "censored"),
  `Cox regression` = method("survival", cox_regression, function(split) {
    split$kind == "censored" && ncol(split$columns) <= 20
  }),
  `late fusion, ridge` = method("glmnet", late_fusion(ridge_values), several_views),
  `late fusion, ranger` = method("ranger", late_fusion(forest_values), several_views),
  blockForest = method("blockForest", block_forest, several_views),
  `multiview, cooperative` = method("multiview", cooperative_learning, several_views_two_classes),
  prioritylasso = method("prioritylasso", priority_lasso, several_views)
)
