skip_on_cran() # a slow file

# Two classes with a little noise, three classes, numbers, times; half of the rows are new.
ill <- function(n = 200, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(4 * n), n, dimnames = list(NULL, paste0("v", 1:4)))
  y <- factor(ifelse(x[, 1] + x[, 2]^2 / 2 + rnorm(n) > 0.4, "ill", "healthy"))
  list(x = x, y = y, train = seq(1, n, 2), new = seq(2, n, 2))
}

k <- gaussian_kernel(c(2, 8))
d <- ill()
two <- mkl(d$x[d$train, ], d$y[d$train], k, loss = "logistic", control = quiet())
other <- mkl(d$x[d$train, ], d$y[d$train], linear_kernel(), loss = "logistic", control = quiet())
flowers <- seq(1, 150, 2)
three <- mkl(Species ~ Sepal.Width + Sepal.Length, iris[flowers, ], kernels = k, loss = "logistic", control = quiet())

tested <- function(fit, ..., draws = 20) assess(fit, ..., draws = draws)
estimate <- function(x, name) x$measures$estimate[x$measures$measure == name]
limits <- function(x, name) unlist(x$measures[x$measures$measure == name, c("lower", "upper")], use.names = FALSE)

test_that("areas, their intervals and curves are those of pROC", {
  skip_if_not_installed("pROC")
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  decision <- predict(two, d$x[d$new, ], type = "decision")
  roc <- pROC::roc(d$y[d$new], decision, levels = levels(d$y), direction = "<", quiet = TRUE)
  expect_equal(estimate(a, "auc"), as.numeric(pROC::auc(roc)), tolerance = 1e-10)
  expect_equal(limits(a, "auc"), as.numeric(pROC::ci.auc(roc))[c(1, 3)], tolerance = 1e-10)
  expect_equal(rev(a$roc$sensitivity), roc$sensitivities, tolerance = 1e-10)
  expect_equal(rev(a$roc$specificity), roc$specificities, tolerance = 1e-10)
  wide <- tested(two, d$x[d$new, ], d$y[d$new], level = 0.8)
  expect_equal(limits(wide, "auc"), as.numeric(pROC::ci.auc(roc, 0.8))[c(1, 3)], tolerance = 1e-10)
  # ties
  set.seed(4)
  scores <- round(rnorm(60), 1)
  positive <- runif(60) < plogis(scores)
  tied <- pROC::roc(positive, scores, levels = c(FALSE, TRUE), direction = "<", quiet = TRUE)
  found <- auc_influence(scores, positive, rep(1, 60))
  expect_equal(found$area, as.numeric(pROC::auc(tied)), tolerance = 1e-10)
  expect_equal(delong_variance(found$influence, positive), pROC::var(tied), tolerance = 1e-10)
  # pairs
  both <- tested(list(a = two, b = other), d$x[d$new, ], d$y[d$new])
  linear <- pROC::roc(d$y[d$new], predict(other, d$x[d$new, ], type = "decision"), levels = levels(d$y),
                      direction = "<", quiet = TRUE)
  test <- pROC::roc.test(roc, linear, method = "delong", paired = TRUE)
  row <- both$comparisons[both$comparisons$measure == "auc", ]
  expect_equal(row$p_value, as.numeric(test$p.value), tolerance = 1e-10)
  expect_equal(c(row$lower, row$upper), as.numeric(test$conf.int), tolerance = 1e-10)
  expect_identical(row$test, "DeLong")
})

test_that("measures of classes are those of yardstick", {
  skip_if_not_installed("yardstick")
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  truth <- d$y[d$new]
  class <- predict(two, d$x[d$new, ])
  prob <- predict(two, d$x[d$new, ], type = "prob")[, "ill"]
  same <- function(name, value) expect_equal(estimate(a, name), value, tolerance = 1e-10)
  same("accuracy", yardstick::accuracy_vec(truth, class))
  same("balanced_accuracy", yardstick::bal_accuracy_vec(truth, class))
  same("sensitivity", yardstick::sens_vec(truth, class, event_level = "second"))
  same("specificity", yardstick::spec_vec(truth, class, event_level = "second"))
  same("precision", yardstick::precision_vec(truth, class, event_level = "second"))
  same("f1", yardstick::f_meas_vec(truth, class, event_level = "second"))
  same("mcc", yardstick::mcc_vec(truth, class))
  same("auc", yardstick::roc_auc_vec(truth, prob, event_level = "second"))
  same("auprc", yardstick::average_precision_vec(truth, prob, event_level = "second"))
  same("log_loss", yardstick::mn_log_loss_vec(truth, prob, event_level = "second"))
  frame <- data.frame(truth, score = predict(two, d$x[d$new, ], type = "decision"))
  curve <- yardstick::pr_curve(frame, truth, score, event_level = "second")
  expect_equal(as.data.frame(curve)[-1, 1:3], a$pr[c("threshold", "recall", "precision")], tolerance = 1e-10,
               ignore_attr = TRUE)
  curve <- yardstick::roc_curve(frame, truth, score, event_level = "second")
  # the first of yardstick's is at -Inf, below all values
  expect_equal(rev(curve$sensitivity[-1]), a$roc$sensitivity, tolerance = 1e-10)
  expect_equal(rev(curve$specificity[-1]), a$roc$specificity, tolerance = 1e-10)
})

test_that("means over classes are the macro averages of yardstick", {
  skip_if_not_installed("yardstick")
  new <- iris[-flowers, ]
  a <- tested(three, new)
  class <- predict(three, new)
  mean <- function(name) a$parts$estimate[a$parts$part == "(mean)" & a$parts$measure == name]
  expect_equal(mean("sensitivity"), yardstick::sens_vec(new$Species, class), tolerance = 1e-10)
  expect_equal(mean("specificity"), yardstick::spec_vec(new$Species, class), tolerance = 1e-10)
  expect_equal(mean("precision"), yardstick::precision_vec(new$Species, class), tolerance = 1e-10)
  expect_equal(mean("f1"), yardstick::f_meas_vec(new$Species, class), tolerance = 1e-10)
  expect_equal(estimate(a, "precision"), mean("precision"))
  expect_equal(estimate(a, "balanced_accuracy"), mean("sensitivity"))
  expect_equal(estimate(a, "mcc"), yardstick::mcc_vec(new$Species, class), tolerance = 1e-10)
  prob <- predict(three, new, type = "prob")
  indicators <- diag(3)[as.integer(new$Species), ]
  expect_equal(estimate(a, "brier"), base::mean(rowSums((prob - indicators)^2)) / 2)
  decision <- predict(three, new, type = "decision")
  colnames(decision) <- levels(new$Species)
  for (level in levels(new$Species)) {
    one <- a$parts$estimate[a$parts$part == level & a$parts$measure == "auc"]
    expect_equal(one, yardstick::roc_auc_vec(factor(new$Species == level), decision[, level],
                                             event_level = "second"), tolerance = 1e-10)
  }
  expect_equal(unclass(a$confusion), unclass(table(truth = new$Species, predicted = class)), ignore_attr = "class")
  expect_named(dimnames(a$confusion), c("truth", "predicted"))
})

test_that("intervals are those of the drawn rows, which a user's function gets", {
  binary <- function(truth, decision, weights) {
    own <- truth == levels(truth)[2]
    won <- outer(decision[own], decision[!own], function(a, b) (a > b) + (a == b) / 2)
    sum(won * outer(weights[own], weights[!own])) / (sum(weights[own]) * sum(weights[!own]))
  }
  area <- function(truth, decision, weights) if (length(unique(truth)) < 2) NA else binary(truth, decision, weights)
  recall <- function(truth, response, weights) {
    mean(rowsum(weights * (truth == response), as.integer(truth)) / rowsum(weights, as.integer(truth)))
  }
  precise <- function(truth, response, weights) {
    called <- split(data.frame(right = truth == response, weights), factor(response, levels(truth)))
    each <- sapply(called[levels(truth) %in% truth], function(rows) weighted.mean(rows$right, rows$weights))
    mean(each, na.rm = TRUE)
  }
  error <- function(truth, prob, weights) {
    weighted.mean(1 - prob[cbind(seq_along(truth), as.integer(truth))], weights)
  }
  same <- function(fit, x, y, names, own, ...) {
    found <- tested(fit, x, y, measures = c(as.list(names), own), ...)$measures
    found <- found[match(c(names, names(own)), found$measure), c("estimate", "lower", "upper")]
    expect_equal(found[seq_along(names), ], found[-seq_along(names), ], ignore_attr = TRUE)
    expect_true(all(found$lower < found$upper))
  }
  rows <- d$new[1:30]
  weights <- rep(c(1, 0.3, 2), 10)
  same(two, d$x[rows, ], d$y[rows], "auc", list(area = area), group = rep(1:15, 2))
  same(two, d$x[rows, ], d$y[rows], c("auc", "balanced_accuracy"), list(area = area, recall = recall), weights = weights,
       group = rep(1:15, 2))
  same(three, iris[-flowers, 1:2], iris$Species[-flowers], c("precision", "balanced_accuracy"),
       list(precise = precise, recall = recall), weights = rep(c(1, 0.3, 2), 25))
  times <- tested(two, d$x[rows, ], d$y[rows], measures = "brier", draws = 250)$measures
  expect_lt(times$lower, times$estimate) # of three blocks of draws
})

test_that("the concordance, its interval and comparison are those of survival", {
  skip_if_not_installed("survival")
  v <- survival::veteran
  y <- survival::Surv(v$time, v$status)
  train <- seq(1, nrow(v), 2)
  fit <- mkl(v[train, 5:8], y[train], k, control = quiet())
  small <- mkl(v[train, 5:6], y[train], k, control = quiet())
  new <- v[-train, 5:8]
  group <- rep(1:17, 4)
  a <- assess(fit, new, y[-train])
  time <- predict(fit, new)
  own <- survival::concordance(y[-train] ~ time)
  expect_equal(estimate(a, "concordance"), own$concordance[[1]], tolerance = 1e-10)
  se <- function(found, df = Inf) (found[2] - found[1]) / 2 / qt(0.975, df)
  expect_equal(se(limits(a, "concordance")), sqrt(own$var), tolerance = 1e-10)
  by_group <- assess(fit, new, y[-train], group = group)
  clustered <- survival::concordance(y[-train] ~ time, cluster = group)
  expect_equal(se(limits(by_group, "concordance"), 16), sqrt(clustered$var), tolerance = 1e-10)
  weights <- rep(1:2, 34)
  weighted <- assess(fit, new, y[-train], weights = weights)
  own <- survival::concordance(y[-train] ~ time, weights = weights)
  expect_equal(estimate(weighted, "concordance"), own$concordance[[1]], tolerance = 1e-10)
  expect_equal(se(limits(weighted, "concordance")), sqrt(own$var), tolerance = 1e-10)
  both <- assess(list(a = fit, b = small), new, y[-train], draws = 5)
  smaller <- predict(small, new)
  own <- survival::concordance(y[-train] ~ time, influence = 1)
  less <- survival::concordance(y[-train] ~ smaller, influence = 1)
  variance <- sum((own$dfbeta - less$dfbeta)^2)
  expect_equal(both$comparisons$difference, (own$concordance - less$concordance)[[1]], tolerance = 1e-10)
  expect_equal(se(unlist(both$comparisons[c("lower", "upper")])), sqrt(variance), tolerance = 1e-10,
               ignore_attr = TRUE)
  expect_s3_class(a$predictions$status, "factor")
  one_group <- assess(list(a = fit, b = small), new, y[-train], group = rep("a", 68), draws = 5)
  expect_identical(anyNA(one_group$fits$a$measures[1, c("lower", "upper")]), TRUE)
  expect_true(all(is.na(one_group$comparisons[1, c("lower", "upper", "p_value")])))
})

test_that("differences that don't vary among the rows have no p-value, and equal predictions have 1", {
  x <- cbind(c(-2, -1, 1, 2, -2, -1, 1, 2))
  y <- rep(c("a", "b"), each = 2, times = 2)
  fit <- mkl(x, y, linear_kernel(), control = quiet())
  against <- mkl(-x, y, linear_kernel(), control = quiet())
  found <- assess(list(right = fit, wrong = against), x[1:4, , drop = FALSE], y[1:4], "auc")$comparisons
  expect_identical(found$difference, 1)
  expect_true(all(is.na(found[c("lower", "upper", "p_value")])))
  expect_identical(assess(list(a = fit, b = fit), x, y, "auc")$comparisons$p_value, 1)
})

test_that("fits of which one has probabilities are drawn by what both have", {
  d <- droplevels(iris[51:150, c(1, 2, 5)])
  with <- mkl(Species ~ ., d, gaussian_kernel(2), loss = "logistic", control = quiet())
  without <- mkl(Species ~ ., d, gaussian_kernel(2), control = quiet())
  both <- assess(list(with = with, without = without), d, draws = 2)
  local_pdf <- tempfile(fileext = ".pdf")
  grDevices::pdf(local_pdf)
  on.exit({
    grDevices::dev.off()
    unlink(local_pdf)
  })
  expect_no_error(plot(both))
  expect_no_error(plot(assess(list(with = with, without = without), d[1:50, ], draws = 2)))
})

test_that("numbers: yardstick's, with bootstrap intervals around them", {
  train <- seq(1, 32, 2)
  fit <- mkl(mpg ~ ., mtcars[train, ], control = quiet())
  new <- mtcars[-train, ]
  set.seed(1)
  a <- assess(fit, new, draws = 200)
  predicted <- predict(fit, new)
  expect_equal(estimate(a, "rmse"), sqrt(mean((new$mpg - predicted)^2)))
  expect_equal(estimate(a, "mae"), mean(abs(new$mpg - predicted)))
  for (name in c("rmse", "mae", "r2")) {
    expect_lt(limits(a, name)[1], estimate(a, name))
    expect_gt(limits(a, name)[2], estimate(a, name))
  }
  expect_null(a$confusion)
  expect_null(a$roc)
  set.seed(1)
  expect_identical(assess(fit, new, draws = 200)$measures, a$measures)
  skip_if_not_installed("yardstick")
  expect_equal(estimate(a, "r2"), yardstick::rsq_trad_vec(new$mpg, unname(predicted)), tolerance = 1e-10)
  expect_equal(estimate(a, "rmse"), yardstick::rmse_vec(new$mpg, unname(predicted)), tolerance = 1e-10)
})

test_that("rates have Wilson's intervals", {
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  wilson <- function(hits, n) suppressWarnings(as.vector(prop.test(hits, n, correct = FALSE)$conf.int))
  counts <- unclass(a$confusion)
  expect_equal(limits(a, "accuracy"), wilson(sum(diag(counts)), sum(counts)))
  expect_equal(limits(a, "sensitivity"), wilson(counts[2, 2], sum(counts[2, ])))
  expect_equal(limits(a, "specificity"), wilson(counts[1, 1], sum(counts[1, ])))
  expect_equal(limits(a, "precision"), wilson(counts[2, 2], sum(counts[, 2])))
  # weights that are all alike say no more than none
  same <- tested(two, d$x[d$new, ], d$y[d$new], weights = rep(0.25, 100))
  fields <- c("estimate", "lower", "upper")
  formula <- a$measures$interval != "bootstrap"
  expect_equal(same$measures[formula, fields], a$measures[formula, fields])
  expect_equal(same$measures$estimate, a$measures$estimate)
  expect_equal(same$calibration, a$calibration)
})

test_that("accuracies are compared by McNemar's exact test, others by the paired bootstrap", {
  set.seed(2)
  both <- assess(list(a = two, b = other), d$x[d$new, ], d$y[d$new], draws = 200)
  right <- lapply(both$fits, function(fit) fit$predictions$response == fit$predictions$truth)
  only <- c(sum(right$a & !right$b), sum(right$b & !right$a))
  row <- function(x, name) x$comparisons[x$comparisons$measure == name, ]
  expect_equal(row(both, "accuracy")$p_value, binom.test(only[1], sum(only))$p.value)
  expect_equal(row(both, "accuracy")$difference, (only[1] - only[2]) / 100)
  expect_identical(row(both, "brier")$test, "bootstrap")
  expect_equal(row(both, "brier")$difference, diff(rev(sapply(both$fits, estimate, "brier"))), ignore_attr = TRUE)
  expect_equal(mcnemar_p(rep(c(TRUE, FALSE, TRUE), c(9, 2, 5)), rep(c(FALSE, TRUE, TRUE), c(9, 2, 5))),
               binom.test(2, 11)$p.value)
  expect_equal(mcnemar_p(TRUE, TRUE), 1)
  # the same fit twice differs in nothing, and the other way round all signs turn
  same <- assess(list(a = two, b = two), d$x[d$new, ], d$y[d$new], draws = 50)$comparisons
  expect_equal(same$difference, numeric(nrow(same)))
  expect_equal(same$p_value, rep(1, nrow(same)))
  turned <- assess(list(b = other, a = two), d$x[d$new, ], d$y[d$new], draws = 50)
  expect_equal(row(turned, "auc")$difference, -row(both, "auc")$difference)
  expect_equal(row(turned, "auc")$p_value, row(both, "auc")$p_value)
  # groups and weights leave McNemar's assumptions
  grouped <- assess(list(a = two, b = other), d$x[d$new, ], d$y[d$new], draws = 50, group = rep(1:20, 5))
  expect_identical(unique(grouped$comparisons$test), "bootstrap")
  triple <- tested(list(a = two, b = other, c = two), d$x[d$new, ], d$y[d$new], measures = "mcc")
  expect_output(print(triple), "b: mcc +[0-9.]+ +[0-9.]+ to [0-9.]+  bootstrap")
  expect_identical(paste(triple$comparisons$fit, triple$comparisons$with), c("a b", "a c", "b c"))
})

test_that("fits with and without probabilities are compared by what both have", {
  plain <- mkl(d$x[d$train, ], d$y[d$train], k, control = quiet())
  fits <- list(a = two, b = plain, c = other)
  for (some in list(fits[1:2], fits[2:1], fits)) {
    both <- tested(some, d$x[d$new, ], d$y[d$new])
    shared <- tested(plain, d$x[d$new, ], d$y[d$new])$measures$measure
    for (fit in both$fits) expect_identical(fit$measures$measure, shared)
    expect_identical(unique(both$comparisons$measure), shared)
    expect_output(print(summary(both)), "accuracy")
  }
  expect_false(is.null(both$fits$a$calibration))
  expect_error(tested(fits, d$x[d$new, ], d$y[d$new], measures = "brier"), class = "manykernels_no_probability")
})

test_that("errors of one of several fits name it", {
  views <- function(rows) list(one = d$x[rows, 1:2], two = d$x[rows, 3:4])
  narrow <- mkl(views(d$train)[1], d$y[d$train], k, control = quiet())
  wide <- mkl(views(d$train), d$y[d$train], k, control = quiet())
  expect_error(tested(list(narrow = narrow, wide = wide), views(d$new)[1], d$y[d$new]),
               "For `wide`: `newdata` lacks the view `two`", fixed = TRUE, class = "manykernels_error")
  both <- tested(list(with = two, without = mkl(d$x[d$train, ], d$y[d$train], k, control = quiet())), d$x[d$new, ],
                 d$y[d$new])
  expect_error(plot(both, "calibration"), "and `without` has none", fixed = TRUE, class = "manykernels_no_probability")
})

test_that("a print says where an interval and its p-value disagree", {
  both <- tested(list(a = two, b = other), d$x[d$new, ], d$y[d$new], measures = c("auc", "accuracy"))
  note <- function(x) grep("disagree", capture.output(print(x)), value = TRUE)
  both$comparisons[c("lower", "upper", "p_value")] <- list(c(0.1, -0.1), c(0.2, 0.2), c(0.01, 0.3))
  expect_identical(note(both), character())
  both$comparisons$p_value <- c(0.01, 0.03)
  expect_identical(note(both), "Interval and p of accuracy disagree about 0, as they are made in different ways")
  both$comparisons$p_value <- c(0.2, 0.3)
  expect_match(note(both), "p of auc disagree")
})

test_that("groups are drawn whole", {
  # ten copies of each row: the bootstrap of groups has the width of that of the rows
  rows <- rep(d$new, each = 10)
  set.seed(1)
  copies <- assess(two, d$x[rows, ], d$y[rows], draws = 300, group = rep(seq_along(d$new), each = 10))
  set.seed(1)
  once <- assess(two, d$x[d$new, ], d$y[d$new], draws = 300, group = seq_along(d$new))
  expect_equal(copies$measures, once$measures, tolerance = 1e-10)
  expect_identical(unique(copies$measures$interval), "bootstrap")
  expect_identical(copies$groups, 100L)
  expect_match(paste(capture.output(print(copies)), collapse = " "), "100 groups together")
  single <- assess(two, d$x[d$new, ], d$y[d$new], group = rep("a", 100), draws = 5)
  expect_true(all(is.na(single$measures$lower)))
})

test_that("calibration: slope and intercept by glm(), exact parts of the Brier score", {
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  p <- predict(two, d$x[d$new, ], type = "prob")[, "ill"]
  y <- as.numeric(d$y[d$new] == "ill")
  logit <- qlogis(p)
  s <- a$calibration$summary
  joint <- glm(y ~ logit, family = binomial)
  expect_equal(s$slope, coef(joint)[["logit"]], tolerance = 1e-6)
  expect_equal((s$slope_upper - s$slope_lower) / 2 / qnorm(0.975), sqrt(vcov(joint)[2, 2]), tolerance = 1e-5)
  alone <- glm(y ~ 1, offset = logit, family = binomial)
  expect_equal(s$intercept, coef(alone)[[1]], tolerance = 1e-6)
  expect_equal((s$intercept_upper - s$intercept_lower) / 2 / qnorm(0.975), sqrt(vcov(alone)[1, 1]), tolerance = 1e-5)
  expect_equal(s$brier, mean((p - y)^2))
  expect_equal(s$brier, s$reliability - s$resolution + s$uncertainty)
  expect_equal(s$uncertainty, mean(y) * (1 - mean(y)))
  isotonic <- isoreg(p, y)$yf[order(order(p))]
  expect_equal(s$reliability, s$brier - mean((isotonic - y)^2))
  expect_gte(s$reliability, 0)
  # ties and weights as by repeating rows
  side <- data.frame(positive = c(TRUE, FALSE, TRUE, FALSE, TRUE), prob = c(0.2, 0.2, 0.5, 0.6, 0.9),
                     weight = c(1, 2, 1, 3, 1))
  repeated <- side[rep(1:5, side$weight), ]
  repeated$weight <- 1
  expect_equal(brier_parts(side), brier_parts(repeated))
  expect_equal(isotonic_shares(side), c(2, 2, 2, 2, 7) / 7) # 0.6 falls below 0.5, both below 0.2
  # classes that a probability separates have no finite slope
  side$positive <- side$prob > 0.4
  expect_true(is.na(calibration_slope(side, 0.95)$slope))
  expect_equal(nrow(a$calibration$curve), 10)
})

test_that("levels in another order, text, 0 and 1, and names are the same response", {
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  turned <- factor(d$y[d$new], rev(levels(d$y)))
  expect_identical(tested(two, d$x[d$new, ], turned)$confusion, a$confusion)
  expect_identical(tested(two, d$x[d$new, ], as.character(turned))$confusion, a$confusion)
  more <- factor(d$y[d$new], c("none", levels(d$y)))
  expect_identical(tested(two, d$x[d$new, ], more)$confusion, a$confusion)
  numbers <- mkl(d$x[d$train, ], as.numeric(d$y[d$train] == "ill"), k, loss = "logistic", control = quiet())
  expect_equal(unname(unclass(tested(numbers, d$x[d$new, ], as.numeric(d$y[d$new] == "ill"))$confusion)),
               unname(unclass(a$confusion)))
  named <- d$x[d$new, ]
  rownames(named) <- paste0("s", 1:100)
  y <- setNames(d$y[d$new], rownames(named))[100:1]
  expect_message(b <- tested(two, named, y), class = "manykernels_message_row_order")
  expect_identical(b$confusion, a$confusion)
  expect_identical(b$predictions$name, rownames(named))
  expect_classed(tested(two, named, setNames(d$y[d$new], paste0("t", 1:100))), "sample_names", "y")
})

test_that("classes without cases, single rows, and constant decision values", {
  rows <- d$new[d$y[d$new] == "ill"]
  one <- tested(two, d$x[rows, ], d$y[rows])
  expect_identical(estimate(one, "auc"), NA_real_)
  expect_identical(estimate(one, "specificity"), NA_real_)
  expect_equal(estimate(one, "accuracy"), estimate(one, "sensitivity"))
  expect_null(one$roc)
  expect_output(print(summary(one)))
  expect_classed(plot(one, "roc"), "unsupported", "which")
  expect_identical(dim(one$confusion), c(2L, 2L))
  single <- tested(two, d$x[2, , drop = FALSE], d$y[2])
  expect_false(is.na(limits(single, "accuracy")[1]))
  expect_true(is.na(limits(single, "brier")[1]))
  expect_output(print(single), "1 new row")
  lacking <- tested(three, iris[-flowers, ][26:75, ])
  expect_identical(rowSums(lacking$confusion)[["setosa"]], 0)
  expect_false("setosa" %in% lacking$roc$class)
  expect_equal(lacking$parts$estimate[lacking$parts$part == "(mean)" & lacking$parts$measure == "sensitivity"],
               mean(lacking$parts$estimate[lacking$parts$part != "(mean)" & lacking$parts$measure == "sensitivity"],
                    na.rm = TRUE))
  constant <- tested(two, d$x[rep(2, 100), ], d$y[d$new])
  expect_equal(estimate(constant, "auc"), 0.5)
  expect_equal(nrow(constant$roc), 2)
  expect_draws(constant, c("roc", "pr", "confusion"))
})

test_that("rows without a response or a prediction are left out, and said", {
  x <- d$x[d$new, ]
  y <- d$y[d$new]
  x[3, 2] <- NA
  y[c(3, 10)] <- NA
  x[20, 1] <- NaN
  expect_message(a <- tested(two, x, y), "2 rows without a response, 1 row without a prediction",
                 class = "manykernels_message_left_out")
  kept <- setdiff(1:100, c(3, 10, 20))
  b <- tested(two, x[kept, ], y[kept])
  expect_equal(a$measures$estimate, b$measures$estimate)
  expect_identical(a$predictions$row, kept)
  expect_identical(a$rows, 97L)
  expect_match(paste(capture.output(print(a)), collapse = " "), "Left out: 2 rows")
  # a fit that doesn't read the column keeps the row, but the pair doesn't
  expect_message(both <- tested(list(a = two, b = other), x, y), class = "manykernels_message_left_out")
  expect_identical(both$fits$b$rows, 97L)
  weights <- replace(rep(1, 100), 1:50, 0)
  expect_equal(tested(two, d$x[d$new, ], d$y[d$new], weights = weights)$measures$estimate,
               tested(two, d$x[d$new[51:100], ], d$y[d$new[51:100]])$measures$estimate)
  suppressMessages(expect_classed(tested(two, x, replace(y, TRUE, NA)), "missing_values", "newdata"))
})

test_that("what can't be assessed is a classed error", {
  x <- d$x[d$new, ]
  y <- d$y[d$new]
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    assess(1, x, y)
    assess(list(two, two), x, y)
    assess(list(a = two, b = three), x, y)
    assess(two, x)
    assess(two, x, replace(as.character(y), 1:2, c("dead", "alive")))
    assess(two, x, y[-1])
    assess(two, x, rnorm(100))
    assess(two, x, y, na.action = na.omit)
    assess(two, x, y, measures = "rmse")
    assess(two, x, y, level = 1)
    assess(two, x, y, group = 1:3)
    assess(two, x, y, weights = -seq_len(100))
    assess(three, iris[-flowers, -5])
  })
  numbers <- mkl(mpg ~ wt, mtcars, kernels = linear_kernel(), control = quiet())
  expect_classed(assess(numbers, mtcars, as.character(mtcars$mpg)), "invalid_argument", "y")
  expect_classed(assess(numbers, mtcars, replace(mtcars$mpg, 1, Inf)), "invalid_argument", "y")
  expect_classed(assess(numbers, mtcars, measures = "auc"), "invalid_argument", "measures")
  hinge <- mkl(d$x[d$train, ], d$y[d$train], k, control = quiet())
  expect_classed(assess(hinge, x, y, measures = "brier"), "no_probability", "measures")
  expect_classed(plot(tested(hinge, x, y), "calibration"), "no_probability", "which")
})

test_that("fits from all interfaces are assessed alike", {
  frame <- data.frame(d$x, y = d$y)
  by_formula <- mkl(y ~ ., frame[d$train, ], kernels = k, loss = "logistic", control = quiet())
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  alike <- function(b) expect_equal(b$measures$estimate, a$measures$estimate, tolerance = 1e-6)
  alike(tested(by_formula, frame[d$new, ]))
  alike(tested(by_formula, frame[d$new, 1:4], frame$y[d$new]))
  views <- function(rows) list(one = d$x[rows, 1:2], two = d$x[rows, 3:4])
  several <- mkl(views(d$train), d$y[d$train], k, control = quiet())
  b <- tested(several, views(d$new), d$y[d$new])
  expect_equal(estimate(b, "accuracy"), mean(predict(several, views(d$new)) == d$y[d$new]))
  set.seed(1)
  cv <- cv_mkl(d$x[d$train, ], d$y[d$train], k, p = 2, C = 1, folds = 3, loss = "logistic", control = quiet())
  alike(tested(cv, d$x[d$new, ], d$y[d$new]))
  path <- mkl_path(d$x[d$train, ], d$y[d$train], k, p = 2, C = c(0.1, 1), control = quiet())
  at <- tested(path, d$x[d$new, ], d$y[d$new], C = 0.5)
  expect_equal(estimate(at, "accuracy"), mean(predict(path, d$x[d$new, ], C = 0.5) == d$y[d$new]))
  skip_if_not_installed("jsonlite")
  model <- read_model(write_model(two, tempfile(fileext = ".json")))
  alike(tested(model, d$x[d$new, ], d$y[d$new]))
})

test_that("containers bring the response and groups by name", {
  skip_unless_slow()
  skip_if_not_installed("SummarizedExperiment")
  values <- t(d$x)
  colnames(values) <- paste0("s", seq_along(d$y))
  se <- SummarizedExperiment::SummarizedExperiment(
    list(raw = values), colData = data.frame(state = d$y, patient = rep(1:50, 4), row.names = colnames(values))
  )
  fit <- mkl(se[, d$train], "state", k, loss = "logistic", control = quiet())
  b <- tested(fit, se[, d$new], "state", group = "patient")
  expect_equal(b$measures$estimate, tested(two, d$x[d$new, ], d$y[d$new])$measures$estimate, tolerance = 1e-6)
  expect_identical(b$groups, 25L)
})

test_that("one class, labels, several numbers and quantiles", {
  fits <- fits_of_every_class()
  x <- fits$x
  one <- tested(fits$fits$one_class, x)
  expect_identical(one$measures$measure, c("inside", "outside_shift"))
  inside <- mean(predict(fits$fits$one_class, x))
  expect_equal(estimate(one, "inside"), inside)
  expect_equal(estimate(one, "outside_shift"), abs(inside / mean(fits$fits$one_class$decision >= 0) - 1))
  expect_identical(names(dimnames(tested(fits$fits$one_class, x, x[, 1] > 0)$confusion)), c("truth", "predicted"))
  several <- tested(fits$fits$outputs, x, x[, 1:2])
  rmse <- several$parts$estimate[several$parts$measure == "rmse"]
  expect_equal(rmse, unname(sqrt(colMeans((x[, 1:2] - predict(fits$fits$outputs, x))^2))))
  expect_equal(estimate(several, "rmse"), mean(rmse))
  expect_equal(tested(fits$fits$outputs, x, x[, 2:1])$measures$estimate, several$measures$estimate)
  quantiles <- tested(fits$fits$quantiles, x, x[, 1])
  expect_identical(quantiles$parts$part, c("0.2", "0.7"))
  labels <- cbind(up = as.integer(x[, 1] > 0), down = as.integer(x[, 2] < 0))
  fit <- mkl(x, labels, linear_kernel(), type = "classification", control = quiet())
  a <- tested(fit, x, labels)
  expect_named(a$confusion, c("up", "down"))
  expect_identical(unique(a$roc$class), c("up", "down"))
  for (x in list(one, several, quantiles, a)) expect_output(print(summary(x)))
  expect_draws(a, c("roc", "pr"))
})

test_that("every fit can be assessed, printed in 15 lines, and read as tables", {
  fits <- fits_of_every_class()
  truth <- list(formula = NULL, regression = fits$x[, 1], multiclass = fits$classes, shared = fits$classes,
                outputs = fits$x[, 1:2], quantiles = fits$x[, 1], mllkm_classes = fits$classes)
  for (name in setdiff(names(fits$fits), "one_class")) {
    fit <- fits$fits[[name]]
    if (!is_assessable(fit)) next
    place <- if (inherits(fit, "mkl_path")) list(C = fit$range[1])
    newdata <- if (is.null(fit$terms)) fits$x else data.frame(fits$x, y = fits$y)
    if (is.null(fit$terms) && is.null(truth[[name]]) && !identical(fit$levels, levels(fits$y))) next
    a <- do.call(assess, c(list(fit, newdata, truth[[name]] %||% fits$y, draws = 5), place))
    expect_s3_class(a, "mkl_assessment")
    expect_lte(length(capture.output(print(a))), 15)
    expect_identical(as.data.frame(a), a$measures)
    expect_named(format(a), a$measures$measure)
  }
})

test_that("text and tables", {
  set.seed(1)
  a <- assess(two, d$x[d$new, ], d$y[d$new], draws = 50)
  both <- assess(list(kernels = two, linear = other), d$x[d$new, ], d$y[d$new], draws = 50)
  expect_snapshot({
    a
    summary(a)
    both
    format(a)[c("accuracy", "auc")]
  })
  expect_lte(length(capture.output(print(both))), 15)
  many <- setNames(rep(list(two, other), 6), paste("a fit of", letters[1:12]))
  expect_snapshot(assess(many, d$x[d$new, ], d$y[d$new], draws = 2))
  expect_identical(as.data.frame(both), both$comparisons)
  skip_if_not_installed("generics")
  expect_identical(as.data.frame(generics::tidy(a)), a$measures)
  expect_identical(as.data.frame(generics::tidy(a, "calibration")), a$calibration$curve)
  expect_true(".prob" %in% names(a) || "prob_ill" %in% names(generics::tidy(a, "predictions")))
  expect_identical(unique(generics::tidy(both, "roc")$fit), c("kernels", "linear"))
  expect_identical(as.data.frame(generics::tidy(both)), both$comparisons)
  expect_classed(generics::tidy(a, "parts"), "unsupported", "what")
})

test_that("users' functions are measures, also where a draw has no value of them", {
  cost <- function(truth, response, ...) sum(truth != response & truth == "ill")
  fails <- function(truth, decision) if (length(unique(truth)) < 2) stop("one class") else 1
  rows <- d$new[c(which(d$y[d$new] == "ill")[1:2], which(d$y[d$new] != "ill")[1])]
  a <- tested(two, d$x[rows, ], d$y[rows], measures = list("auc", cost = structure(cost, larger = FALSE), odd = fails))
  expect_identical(a$measures$measure, c("auc", "cost", "odd"))
  expect_equal(estimate(a, "cost"), sum(predict(two, d$x[rows, ]) != d$y[rows] & d$y[rows] == "ill"))
})

test_that("assessments are drawn by base graphics and ggplot2", {
  skip_unless_slow()
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  many <- tested(three, iris[-flowers, ])
  both <- tested(list(kernels = two, linear = other), d$x[d$new, ], d$y[d$new])
  numbers <- tested(mkl(mpg ~ ., mtcars[1:20, ], control = quiet()), mtcars[21:32, ])
  cases <- list(list(a, c("roc", "pr", "calibration", "confusion")), list(many, c("roc", "pr", "calibration", "confusion")),
                list(both, c("roc", "pr", "calibration", "measures")), list(numbers, "predictions"))
  for (case in cases) {
    expect_draws(case[[1]])
    expect_draws(case[[1]], case[[2]], main = "A title")
  }
  expect_draws(both, "measures", measure = "mcc")
  expect_classed(plot(both, "confusion"), "unsupported", "which")
  expect_classed(plot(a, "predictions"), "unsupported", "which")
  expect_classed(plot(a, "measures"), "unsupported", "which")
  expect_classed(plot(numbers, "roc"), "unsupported", "which")
  expect_classed(plot(a, measure = "auc"), "invalid_argument", "measure")
  expect_classed(plot(both, "measures", measure = "rmse"), "invalid_argument", "measure")
  three_fits <- tested(list(a = three, b = three), iris[-flowers, ])
  expect_classed(plot(three_fits, "roc"), "unsupported", "which")
  expect_draws(three_fits)
  # the area is that of the table
  expect_equal(assessment_data(a, "roc", NULL)$classes$ill$area, estimate(a, "auc"))
  expect_equal(unname(assessment_data(a, "roc", NULL)$classes$ill$limits), limits(a, "auc"))
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  for (case in cases) {
    for (which in case[[2]]) {
      plot <- ggplot2::autoplot(case[[1]], which, main = "A title")
      expect_s3_class(plot, "ggplot")
      expect_no_warning(print(plot))
    }
  }
})

test_that("assessments that were changed by hand are refused", {
  a <- tested(two, d$x[d$new, ], d$y[d$new])
  a$measures$estimate <- "high"
  expect_classed(print(a), "invalid_object", "x")
})

# The slope and the intercept of calibration, and half of the widths of their intervals.
calibrated <- function(a) {
  s <- a$calibration$summary
  c(s$intercept, s$slope, s$intercept_upper - s$intercept, s$slope_upper - s$slope)
}

test_that("calibration: rows of almost no weight don't narrow the intervals", {
  kept <- d$new[rep(c(TRUE, FALSE), 50)]
  weighted <- calibrated(tested(two, d$x[d$new, ], d$y[d$new], weights = rep(c(1, 1e-9), 50)))
  once <- calibrated(tested(two, d$x[kept, ], d$y[kept]))
  expect_equal(weighted[1:2], once[1:2], tolerance = 1e-5)
  expect_equal(weighted[3:4], once[3:4], tolerance = 0.15)
  # the sandwich by hand
  weights <- rep(1:4, 25)
  found <- calibrated(tested(two, d$x[d$new, ], d$y[d$new], weights = weights))
  logit <- qlogis(predict(two, d$x[d$new, ], type = "prob")[, "ill"])
  y <- as.numeric(d$y[d$new] == "ill")
  joint <- glm(y ~ logit, family = quasibinomial, weights = weights)
  scores <- model.matrix(joint) * weights * residuals(joint, "response")
  inverse <- summary(joint)$cov.unscaled
  sandwich <- inverse %*% crossprod(scores) %*% inverse * 100 / 99
  expect_equal(found[4], qnorm(0.975) * sqrt(sandwich[2, 2]), tolerance = 1e-5)
})

test_that("calibration: copies in one group don't narrow the intervals", {
  copies <- rep(d$new, each = 4)
  group <- rep(seq_along(d$new), each = 4)
  grouped <- tested(two, d$x[copies, ], d$y[copies], group = group)
  once <- tested(two, d$x[d$new, ], d$y[d$new])
  expect_equal(calibrated(grouped)[1:2], calibrated(once)[1:2], tolerance = 1e-6)
  expect_equal(calibrated(grouped)[3:4], calibrated(once)[3:4], tolerance = 0.15)
  expect_equal(grouped$calibration$curve, once$calibration$curve)
  # the plot has the intervals of the table
  drawn <- assessment_data(grouped, "calibration", NULL)$classes$ill$table
  expect_equal(drawn$low, grouped$calibration$curve$lower)
  # classes against the others, and groups that say nothing of the class: intervals hardly change
  rows <- iris[-flowers, ][1:70, ]
  classes <- tested(three, rows[rep(1:70, each = 4), ], group = rep(1:70, each = 4))$calibration$curve
  expect_equal(classes, tested(three, rows)$calibration$curve)
  apart <- tested(two, d$x[d$new, ], d$y[d$new], group = rep(1:50, 2))
  expect_equal(calibrated(apart)[3:4], calibrated(once)[3:4], tolerance = 0.3)
  # a single group doesn't show how slope and intercept vary
  single <- tested(two, d$x[d$new, ], d$y[d$new], group = rep("a", 100))$calibration
  expect_identical(single$summary$slope_lower, NA_real_)
  expect_true(all(single$curve$upper - single$curve$lower > 0.7))
})

test_that("curves: copies in one group don't narrow bands and the area's interval", {
  copies <- rep(d$new, each = 4)
  grouped <- tested(two, d$x[copies, ], d$y[copies], group = rep(seq_along(d$new), each = 4))
  once <- tested(two, d$x[d$new, ], d$y[d$new])
  for (which in c("roc", "pr")) {
    drawn <- lapply(list(grouped, once), function(one) assessment_data(one, which, NULL)$classes$ill)
    expect_equal(drawn[[1]]$band, drawn[[2]]$band, ignore_attr = TRUE)
    expect_equal(drawn[[1]]$limits, drawn[[2]]$limits, tolerance = 0.02)
  }
})

test_that("the mean over classes has limits of the same mean", {
  # a test set that lacks a class
  rows <- c(51:100, 2:20)
  two_of_three <- mkl(iris[flowers, 1:2], iris$Species[flowers], k, control = quiet())
  set.seed(1)
  a <- assess(two_of_three, iris[rows, 1:2], iris$Species[rows], draws = 50)
  mean <- a$parts[a$parts$part == "(mean)", ]
  shared <- c("precision", "f1", "auprc")
  fields <- c("estimate", "lower", "upper")
  expect_equal(mean[match(shared, mean$measure), fields], a$measures[match(shared, a$measures$measure), fields],
               ignore_attr = TRUE)
  expect_true(all(is.na(mean$lower) | (mean$lower <= mean$estimate & mean$estimate <= mean$upper)))
  # without other cases a mean has no value, and no limits
  a <- assess(two_of_three, iris[51:100, 1:2], iris$Species[51:100], measures = c("precision", "specificity"), draws = 50)
  mean <- a$parts[a$parts$part == "(mean)" & a$parts$measure == "specificity", ]
  expect_true(all(is.na(mean[fields])))
  one_draw <- assess(two_of_three, iris[rows, 1:2], iris$Species[rows], draws = 1)
  expect_true(all(is.na(one_draw$parts$lower[one_draw$parts$part == "(mean)"])))
})

test_that("draws that are all alike give no interval and no p-value", {
  x <- d$x[d$new, ]
  sure <- assess(two, x, predict(two, x), draws = 30)
  table <- sure$measures
  expect_identical(table$measure[is.na(table$lower)], c("balanced_accuracy", "f1", "mcc", "auc", "auprc"))
  expect_identical(is.na(table$upper), is.na(table$lower))
  expect_true(all((table$upper > table$lower)[!is.na(table$lower)]))
  # right and wrong everywhere: the same difference in each draw
  x1 <- cbind(rep(c(-1, 1), 10))
  y1 <- factor(rep(c("a", "b"), 10))
  opposite <- list(right = mkl(x1, y1, linear_kernel(), control = quiet()),
                   wrong = mkl(-x1, y1, linear_kernel(), control = quiet()))
  pair <- assess(opposite, x1, y1, "f1", draws = 30)$comparisons
  expect_identical(pair$difference, 1)
  expect_true(all(is.na(pair[c("lower", "upper", "p_value")])))
  same <- assess(list(a = two, b = two), x, d$y[d$new], c("f1", "auc"), draws = 30)
  expect_identical(same$comparisons$p_value, c(1, 1))
  expect_true(all(is.na(same$comparisons[c("lower", "upper")])))
  expect_output(print(same), "No interval: the rows don't show how the difference varies")
})

test_that("a note says why there are no intervals", {
  note <- function(...) grep("No interval", capture.output(print(assess(...))), value = TRUE)
  x <- d$x[d$new, ]
  # one class for all rows: errors, and the same value in each draw
  always <- mkl(d$x[d$train, ], factor(c("healthy", rep("ill", 99))), linear_kernel(), control = quiet())
  expect_identical(note(always, x, d$y[d$new], measures = c("mcc", "sensitivity"), draws = 30),
                   "No interval: the rows don't show how the value varies")
  expect_identical(note(always, x, d$y[d$new], measures = c("accuracy", "mcc"), draws = 30),
                   "No interval: the rows don't show how the value varies; see that of the accuracy")
  expect_identical(note(always, x, d$y[d$new], measures = c("accuracy", "mcc"), draws = 30, group = rep(1:20, 5)),
                   "No interval: the rows don't show how the value varies")
  expect_identical(note(two, x, d$y[d$new], measures = "brier", draws = 1),
                   "No interval: there is 1 draw alone; give more `draws`")
  # areas have an interval without draws
  expect_identical(note(two, x, predict(two, x), measures = "auc"),
                   "No interval: the rows don't show how the value varies")
  expect_identical(note(two, x, d$y[d$new], draws = 30), character())
})

test_that("measures may have any different names", {
  x <- d$x[d$new, ]
  twice <- expect_classed(tested(two, x, d$y[d$new], measures = c("auc", "auc")), "invalid_argument", "measures")
  expect_match(conditionMessage(twice), "`measures` must have different names, but has `auc` twice. Leave one out",
               fixed = TRUE)
  one <- function(truth) 1
  a <- tested(two, x, d$y[d$new], measures = list(mean = one, "auc", auc_se = one))
  expect_identical(a$measures$measure, c("mean", "auc", "auc_se"))
  both <- tested(list(a = two, b = other), x, d$y[d$new], measures = list(mean = one))
  expect_identical(both$comparisons$measure, "mean")
  for (shown in list(a, both)) expect_output(print(shown), "mean")
})

test_that("each label has a sensitivity and a specificity", {
  labels <- cbind(up = d$x[, 1] > 0, down = d$x[, 2] < 0)
  fit <- mkl(d$x[d$train, ], labels[d$train, ], linear_kernel(), control = quiet())
  x <- d$x[d$new, ]
  a <- tested(fit, x, labels[d$new, ])
  expect_false("sensitivity" %in% a$measures$measure)
  counts <- a$confusion$down
  part <- a$parts[a$parts$part == "down", ]
  expect_equal(part$estimate[part$measure == "sensitivity"], counts[2, 2] / sum(counts[2, ]))
  expect_equal(part$estimate[part$measure == "specificity"], counts[1, 1] / sum(counts[1, ]))
  expect_true(all(a$measures$measure %in% part$measure))
  expect_output(print(summary(a)), "sensitivity")
  both <- tested(list(a = fit, b = fit), x, labels[d$new, ])
  expect_true("sensitivity" %in% both$fits$b$parts$measure)
  # measures that were asked for are all
  expect_identical(unique(tested(fit, x, labels[d$new, ], measures = "auc")$parts$measure), "auc")
})

test_that("sensitivities and specificities are compared by the exact test on the rows of their class", {
  both <- tested(list(a = two, b = other), d$x[d$new, ], d$y[d$new])
  right <- lapply(both$fits, function(fit) fit$predictions$response == fit$predictions$truth)
  for (class in levels(d$y)) {
    own <- d$y[d$new] == class
    only <- c(sum(right$a & !right$b & own), sum(right$b & !right$a & own))
    row <- both$comparisons[both$comparisons$measure == if (class == "ill") "sensitivity" else "specificity", ]
    expect_equal(row$p_value, binom.test(only[1], sum(only))$p.value)
    expect_identical(row$test, "McNemar")
  }
  test_of <- function(x, name) x$comparisons$test[x$comparisons$measure == name]
  expect_identical(test_of(both, "precision"), "bootstrap")
  # not with unequal weights, nor for means over classes
  weighted <- tested(list(a = two, b = other), d$x[d$new, ], d$y[d$new], weights = rep(1:2, 50))
  expect_identical(test_of(weighted, "sensitivity"), "bootstrap")
  mean <- tested(list(a = three, b = three), iris[-flowers, ], measures = "sensitivity")
  expect_identical(test_of(mean, "sensitivity"), "bootstrap")
  # without rows of the class there is no p-value
  rows <- d$new[d$y[d$new] == "ill"]
  lacking <- tested(list(a = two, b = other), d$x[rows, ], d$y[rows], measures = "specificity")
  expect_identical(lacking$comparisons$p_value, NA_real_)
})

test_that("intervals cover the true value", {
  skip_unless_slow()
  # groups have half of the variance of columns and noise in common
  draw <- function(groups, size) {
    shared <- function(k) sqrt(0.5) * (matrix(rnorm(groups * k), groups)[rep(seq_len(groups), each = size), ] +
                                         matrix(rnorm(groups * size * k), groups * size))
    x <- shared(2)
    list(x = x, y = factor(x[, 1] + shared(1)[seq_len(groups * size)] > 0), group = rep(seq_len(groups), each = size))
  }
  set.seed(1)
  train <- draw(200, 1)
  fit <- mkl(train$x, train$y, linear_kernel(), control = quiet())
  many <- draw(50000, 1)
  measures <- c("accuracy", "auc", "balanced_accuracy")
  truth <- assess(fit, many$x, many$y, measures, draws = 1)$measures$estimate
  covered <- function(groups, size, grouped) {
    rowMeans(replicate(200, {
      data <- draw(groups, size)
      found <- assess(fit, data$x, data$y, measures, group = if (grouped) data$group, draws = 200)$measures
      found$lower <= truth & truth <= found$upper
    }))
  }
  expect_true(all(covered(80, 1, FALSE) >= 0.9)) # Wilson, DeLong, bootstrap of rows
  expect_true(all(covered(40, 5, TRUE) >= 0.9)) # bootstrap of groups
  expect_lt(min(covered(40, 5, FALSE)), 0.88) # groups that are ignored
})
