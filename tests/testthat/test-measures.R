measured <- function(name, ..., kind = "classification") {
  measure_value(check_measure(name, kind, TRUE)[[1]], ...)
}

# All pairs of a positive and a negative row, one by one.
pair_auc <- function(scores, positive, weights = rep(1, length(scores))) {
  won <- total <- 0
  for (i in which(positive)) for (j in which(!positive)) {
    pair <- weights[i] * weights[j]
    total <- total + pair
    won <- won + pair * (if (scores[i] > scores[j]) 1 else if (scores[i] == scores[j]) 0.5 else 0)
  }
  won / total
}

# Precision and recall at every threshold from their definitions.
stepwise_auprc <- function(scores, positive, weights = rep(1, length(scores))) {
  area <- recall <- 0
  for (threshold in sort(unique(scores), decreasing = TRUE)) {
    inside <- scores >= threshold & weights > 0
    if (!any(inside)) next
    now <- sum(weights[inside & positive]) / sum(weights[positive])
    area <- area + (now - recall) * sum(weights[inside & positive]) / sum(weights[inside])
    recall <- now
  }
  area
}

test_that("two classes: values by hand", {
  # 3 true positives, 1 false positive, 2 false negatives, 4 true negatives
  truth <- factor(rep(c("a", "b"), each = 5))
  response <- factor(c("a", "a", "a", "a", "b", "a", "a", "b", "b", "b"))
  value <- function(name) measured(name, truth, response, decision = numeric(10))
  expect_equal(value("accuracy"), 7 / 10)
  expect_equal(value("balanced_accuracy"), (4 / 5 + 3 / 5) / 2)
  expect_equal(value("f1"), 2 * 3 / (2 * 3 + 1 + 2))
  expect_equal(value("mcc"), (3 * 4 - 1 * 2) / sqrt(4 * 5 * 5 * 6))
})

test_that("the area under the ROC curve is the share of pairs in order, ties by half, weighted", {
  truth <- factor(c("n", "y", "n", "y", "y"))
  expect_equal(measured("auc", truth, truth, c(1, 2, 2, 3, 0)), (1 + 0.5 + 1 + 1 + 0 + 0) / 6)
  set.seed(1)
  for (trial in 1:20) {
    n <- sample(5:40, 1)
    truth <- factor(c("n", "y", sample(c("n", "y"), n - 2, TRUE)))
    scores <- if (trial %% 2) rnorm(n) else sample(6, n, TRUE)
    weights <- if (trial %% 3) NULL else sample(0:3, n, TRUE) + (seq_len(n) <= 2)
    used <- weights %||% rep(1, n)
    expect_equal(measured("auc", truth, truth, scores, weights = weights),
                 pair_auc(scores, truth == "y", used))
    expect_equal(measured("auprc", truth, truth, scores, weights = weights),
                 stepwise_auprc(scores, truth == "y", used))
  }
  expect_equal(measured("auc", factor(c("n", "y")), NULL, c(-Inf, Inf)), 1)
  # from the largest score on: hit, miss, hit
  expect_equal(measured("auprc", factor(c("y", "n", "y")), NULL, c(3, 2, 1)), (1 + 2 / 3) / 2)
})

test_that("areas of many rows take no time", {
  n <- 2e5
  set.seed(2)
  truth <- factor(sample(c("n", "y"), n, TRUE))
  scores <- rnorm(n) + (truth == "y")
  ranks <- rank(scores)
  positive <- sum(truth == "y")
  by_ranks <- (sum(ranks[truth == "y"]) - positive * (positive + 1) / 2) / positive / (n - positive)
  spent <- system.time(value <- measured("auc", truth, truth, scores))[["elapsed"]]
  expect_equal(value, by_ranks)
  expect_lt(spent, 5)
})

test_that("several classes: AUC of Hand and Till, macro means, Gorodkin's correlation", {
  set.seed(3)
  truth <- factor(sample(c("a", "b", "c"), 60, TRUE))
  scores <- matrix(rnorm(180), 60) + 1.2 * diag(3)[as.integer(truth), ]
  weights <- runif(60)
  response <- factor(levels(truth)[max.col(scores)], levels(truth))
  pairs <- list(c(1, 2), c(1, 3), c(2, 3))
  hand_till <- mean(sapply(pairs, function(pair) {
    rows <- as.integer(truth) %in% pair
    mean(sapply(pair, function(k) {
      pair_auc(scores[rows, k], as.integer(truth)[rows] == k, weights[rows])
    }))
  }))
  value <- function(name) measured(name, truth, response, scores, weights = weights)
  expect_equal(value("auc"), hand_till)
  expect_equal(value("auprc"), mean(sapply(1:3, function(k) {
    stepwise_auprc(scores[, k], as.integer(truth) == k, weights)
  })))
  # R_K is the correlation of the indicator matrices: sums of covariances over classes
  centred <- function(y) {
    indicators <- sapply(levels(truth), function(level) as.numeric(y == level))
    sweep(indicators, 2, colSums(weights * indicators) / sum(weights))
  }
  x <- centred(truth)
  y <- centred(response)
  expect_equal(value("mcc"),
               sum(weights * x * y) / sqrt(sum(weights * x^2) * sum(weights * y^2)))
  each <- sapply(levels(truth), function(level) {
    hit <- sum(weights[truth == level & response == level])
    c(hit / sum(weights[truth == level]),
      2 * hit / (sum(weights[truth == level]) + sum(weights[response == level])))
  })
  expect_equal(value("balanced_accuracy"), mean(each[1, ]))
  expect_equal(value("f1"), mean(each[2, ]))
})

test_that("Matthews' coefficient is Pearson's for two classes", {
  set.seed(4)
  truth <- factor(sample(c("a", "b"), 50, TRUE))
  response <- factor(ifelse(runif(50) < 0.3, "a", as.character(truth)), levels(truth))
  expect_equal(measured("mcc", truth, response, numeric(50)),
               cor(as.integer(truth), as.integer(response)))
})

test_that("the loss of margins is by hand, of any scale, and has no infinite values", {
  truth <- factor(c("a", "b", "b"))
  decision <- c(-2, 1, -2)
  margin <- c(2, 1, -2) / sqrt(3)
  loss <- log2(1 + exp(-2 * margin))
  value <- function(...) measured("margin_loss", truth, truth, ...)
  expect_equal(value(decision), mean(loss))
  expect_equal(value(1e6 * decision), mean(loss))
  expect_equal(value(decision, weights = c(1, 2, 0)), {
    margin <- c(2, 1) / sqrt((4 + 2) / 3)
    sum(c(1, 2) * log2(1 + exp(-2 * margin))) / 3
  })
  expect_equal(value(numeric(3)), 1) # a coin
  three <- factor(c("a", "b", "c"))
  scores <- rbind(c(3, 1, -1), c(2, 1, 0), c(0, 0, 4))
  ahead <- c(2, -1, 4)
  expect_equal(measured("margin_loss", three, three, scores),
               mean(log2(1 + exp(-2 * ahead / sqrt(mean(ahead^2))))))
  many <- factor(rep(c("a", "b"), c(1, 1e6)))
  expect_equal(measured("margin_loss", many, many, c(1, numeric(1e6))), 1 + 2 * 1e3 / log(2) / 1e6,
               tolerance = 1e-4)
})

test_that("probabilities: log loss and Brier score", {
  truth <- factor(c("a", "b", "b"))
  prob <- cbind(a = c(0.9, 0.4, 0), b = c(0.1, 0.6, 1))
  value <- function(name, ...) measured(name, truth, truth, numeric(3), prob, ...)
  expect_equal(value("log_loss"), -mean(log(c(0.9, 0.6, 1))))
  expect_equal(value("brier"), mean(c(0.1, 0.4, 0)^2))
  expect_equal(value("brier", weights = c(1, 2, 0)), (0.01 + 2 * 0.16) / 3)
  expect_equal(measured("log_loss", factor("a", c("a", "b")), NULL, 0, prob[3, , drop = FALSE]),
               -log(.Machine$double.eps))
  three <- rbind(c(0.2, 0.3, 0.5))
  expect_equal(measured("brier", factor("c", c("a", "b", "c")), NULL, three, three),
               (0.04 + 0.09 + 0.25) / 2)
})

test_that("numbers", {
  y <- c(1, 2, 4, 7)
  f <- c(1, 3, 4, 5)
  value <- function(name, ...) measured(name, y, f, f, ..., kind = "regression")
  expect_equal(value("rmse"), sqrt(5 / 4))
  expect_equal(value("mae"), 3 / 4)
  expect_equal(value("r2"), 1 - 5 / sum((y - 3.5)^2))
  w <- c(1, 2, 3, 0)
  repeated <- rep(1:4, w)
  for (name in c("rmse", "mae", "r2")) {
    expect_equal(value(name, weights = w),
                 measured(name, y[repeated], f[repeated], f[repeated], kind = "regression"))
  }
})

test_that("one class: the part of the inside share that new rows lose", {
  value <- function(decision, training_outside, ...) {
    measured("outside_shift", NULL, decision >= 0, decision, ..., kind = "one_class",
             training_outside = training_outside)
  }
  expect_equal(value(c(1, 1, -1, -1), 0), 0.5)
  expect_equal(value(c(1, 1, -1, -1), 0.5), 0)
  expect_equal(value(c(1, 1, -1, -1), 0.75), 1)
  expect_equal(value(c(1, 1, -1, -1), 0.2, weights = c(3, 3, 1, 1)), abs(0.75 / 0.8 - 1))
  expect_identical(value(-1, 1), NA_real_)
})

test_that("weights count rows, and rows without weight aren't there", {
  set.seed(5)
  truth <- factor(sample(c("a", "b", "c"), 30, TRUE))
  scores <- matrix(rnorm(90), 30)
  prob <- exp(scores) / rowSums(exp(scores))
  response <- factor(levels(truth)[max.col(scores)], levels(truth))
  w <- sample(0:3, 30, TRUE)
  r <- rep(1:30, w)
  for (name in measures_for("classification")) {
    expect_equal(measured(name, truth, response, scores, prob, w),
                 measured(name, truth[r], response[r], scores[r, ], prob[r, ]))
    expect_identical(measured(name, truth, response, scores, prob, 0 * w), NA_real_)
  }
})

test_that("what the held-out rows leave without meaning is NA, whatever is predicted", {
  all_a <- factor(rep("a", 4), c("a", "b"))
  mixed <- factor(c("a", "b", "a", "b"))
  for (response in list(all_a, mixed)) {
    for (name in c("auc", "auprc", "mcc", "f1", "balanced_accuracy")) {
      expect_identical(measured(name, all_a, response, c(1, 2, -1, 0)), NA_real_)
    }
  }
  expect_identical(measured("mcc", mixed, all_a, numeric(4)), 0)
  expect_identical(measured("f1", mixed, all_a, numeric(4)), 0)
  expect_identical(measured("r2", c(3, 3), c(1, 2), c(1, 2), kind = "regression"), NA_real_)
  # a class that the fold lacks takes no part
  truth <- factor(c("a", "b", "a", "b"), c("a", "b", "c"))
  scores <- cbind(c(1, 0, 1, 0), c(0, 1, 0, 1), 0)
  for (name in c("auc", "auprc", "f1", "balanced_accuracy")) {
    expect_equal(measured(name, truth, truth, scores), 1)
  }
  expect_identical(measured("auc", factor(rep("a", 4), letters[1:3]), NULL, scores), NA_real_)
})

test_that("the choice: defaults, names, functions, several at once", {
  names_of <- function(...) vapply(check_measure(...), `[[`, "", "name")
  expect_identical(names_of(NULL, "classification"), "accuracy")
  expect_identical(names_of(NULL, "regression"), "rmse")
  expect_identical(names_of(NULL, "one_class"), "outside_shift")
  own <- function(truth, response, ...) 1
  expect_identical(names_of(own, "classification"), "measure")
  expect_identical(names_of(list("auc", cost = own, b = "brier"), "classification", TRUE),
                   c("auc", "cost", "b"))
  expect_identical(names_of(c(one = "rmse", "r2"), "regression"), c("one", "r2"))
  larger <- vapply(check_measure(c("auc", "log_loss"), "classification", TRUE), `[[`, NA, "larger")
  expect_identical(larger, c(TRUE, FALSE))
  expect_false(check_measure(structure(own, larger = FALSE), "regression")[[1]]$larger)
})

test_that("a function gets the arguments it has", {
  truth <- factor(c("a", "b", "b"))
  value <- function(f, ...) measured(f, truth, rev(truth), c(-1, 1, 2), ...)
  expect_identical(value(function(decision) sum(decision)), 2)
  expect_identical(value(function(weights, truth) sum(weights[truth == "b"])), 2)
  expect_identical(value(function(...) length(list(...))), 5)
  expect_identical(value(function(prob, power = 2) if (is.null(prob)) power else 0), 2)
  expect_identical(value(function(truth, ...) length(truth), weights = c(1, 0, 1)), 2)
  expect_identical(value(function(truth) NA), NA_real_)
  expect_identical(value(function(truth) 0 / 0), NA_real_)
})

test_that("what can't be a measure is a classed error", {
  refused <- function(measure, kind = "classification", class = "invalid_argument", ...) {
    expect_classed(check_measure(measure, kind, ...), class, "measure")
  }
  for (measure in list("rmse", "Accuracy", c("auc", NA), 1, list(), character(), list(1),
                       list(c("auc", "f1")), factor("auc"), c("auc", "auc"), list(C = "auc"), list(set = "auc"),
                       c(a = "auc", a_se = "f1"), function(x, y) 1, function() 1)) refused(measure)
  refused("accuracy", "regression")
  refused("auc", "one_class")
  refused("brier", class = "no_probability")
  refused(list("auc", "log_loss"), class = "no_probability", probability = FALSE)
  expect_classed(check_measure(structure(function(truth) 1, larger = NA), "regression"),
                 "invalid_argument", "attr(measure, \"larger\")")
  fails <- function(f, class) {
    expect_classed(measured(list(mine = f), c(1, 2), c(1, 2), c(1, 2), kind = "regression"), class,
                   "measure")
  }
  fails(function(truth) stop("no"), "measure")
  for (f in list(function(truth) truth, function(truth) "1", function(truth) NULL,
                 function(truth) TRUE)) fails(f, "invalid_argument")
})

test_that("messages of measures say what to do", {
  expect_snapshot(error = TRUE, cnd_class = TRUE, {
    check_measure("rsq", "regression")
    check_measure("brier", "classification", FALSE)
    check_measure(function(x, y) 1, "regression")
    check_measure(list(gap = function(truth) 1), "regression")
    measured(function(truth) truth, 1:2, 1:2, 1:2, kind = "regression")
  })
})

# ---- a row's value: the weighted mean is the measure, the slope in the row's weight as derived -----
set.seed(1)
n <- 40
w <- runif(n, 0.5, 2)
classes_of <- function(k) {
  levels <- letters[seq_len(k)]
  truth <- factor(sample(levels, n, TRUE), levels)
  decision <- matrix(round(rnorm(n * k), 1), n)
  decision[cbind(seq_len(n), as.integer(truth))] <- decision[cbind(seq_len(n), as.integer(truth))] + 1
  prob <- exp(decision) / rowSums(exp(decision))
  response <- factor(levels[max.col(prob, "first")], levels)
  list(truth = truth, response = response, prob = prob, weights = w,
       decision = if (k == 2) decision[, 2] - decision[, 1] else decision)
}
numbers <- list(truth = rnorm(n), weights = w)
numbers$response <- numbers$decision <- numbers$truth + rnorm(n)
squared_by_hand <- function() {
  custom_loss(function(t, y) (t - y)^2 / 2, function(t, y) t - y, function(u, y) u^2 / 2 + u * y)
}
data_of <- function(kind) {
  switch(kind,
    classification = list(classes_of(2), classes_of(4)),
    regression = list(numbers), custom = list(c(numbers, loss = list(squared_by_hand()))), quantiles = list(c(numbers, tau = 0.3)),
    one_class = list(list(truth = NULL, response = numbers$decision > 0, decision = numbers$decision,
                          weights = w, training_outside = 0.1)),
    times = {
      skip_if_not_installed("survival")
      settings <- check_settings(2, 1, NULL, NULL, "none", NULL, "ovr", mkl_control(), NULL)
      y <- survival::Surv(rexp(n), rep(1:0, c(25, 15)))
      list(list(truth = check_response(y, list(n = n), settings$loss, "auto"), response = numbers$response,
                decision = numbers$decision, weights = w))
    }
  )
}
value_of <- function(measure, data) do.call(measure_value, c(list(measure), data))
rows_of <- function(measure, data) do.call(row_contributions, c(list(measure), data))

test_that("row values have the measure as their mean, and its slopes", {
  for (name in names(measure_table)) for (kind in measure_table[[name]]$kind) for (data in data_of(kind)) {
    measure <- check_measure(name, kind, TRUE)[[1]]
    found <- rows_of(measure, data)
    expect_equal(weighted.mean(found, w), value_of(measure, data), info = name)
    slopes <- vapply(seq_len(n), function(i) {
      moved <- lapply(c(-1e-5, 1e-5), function(by) {
        data$weights[i] <- w[i] + by
        value_of(measure, data)
      })
      sum(w) * (moved[[2]] - moved[[1]]) / 2e-5
    }, 0)
    expect_equal(found, value_of(measure, data) + slopes, tolerance = 1e-6, info = name)
  }
})

test_that("a function of the user is asked without each row", {
  data <- classes_of(2)
  own <- function(f) check_measure(f, "classification", FALSE)[[1]]
  hits <- as.double(data$response == data$truth)
  expect_equal(rows_of(own(function(truth, response, weights) weighted.mean(truth == response, weights)), data),
               hits)
  data$weights <- NULL
  spread <- function(decision) sd(decision)
  jackknife <- vapply(seq_len(n), function(i) sd(data$decision[-i]), 0)
  pseudo <- (n - 1) * (sd(data$decision) - jackknife)
  expect_equal(rows_of(own(spread), data), sd(data$decision) + pseudo - mean(pseudo))
  # without a row that it needs the function has no value, and the row no influence
  picky <- function(truth) if (length(truth) < n) NA else 1
  expect_identical(rows_of(own(picky), data), rep(1, n))
  failing <- function(truth) if (length(truth) < n) stop("too few") else 1
  expect_identical(rows_of(own(failing), data), rep(1, n))
})

test_that("rows without weight, and measures without a value, have none", {
  data <- classes_of(2)
  data$weights[1:3] <- 0
  measure <- check_measure("auc", "classification", FALSE)[[1]]
  found <- rows_of(measure, data)
  expect_identical(which(is.na(found)), 1:3)
  expect_equal(weighted.mean(found[-(1:3)], data$weights[-(1:3)]), value_of(measure, data))
  data$truth[] <- "a"
  expect_true(all(is.na(rows_of(measure, data))))
  data$weights[] <- 0
  expect_true(all(is.na(rows_of(check_measure("accuracy", "classification", FALSE)[[1]], data))))
})

test_that("several responses and quantiles have the mean of their values", {
  Y <- cbind(a = numbers$truth, b = rev(numbers$truth))
  P <- cbind(numbers$response, numbers$response)
  measure <- check_measure("rmse", "regression", FALSE)[[1]]
  found <- row_contributions(measure, Y, P, P, weights = w)
  each <- lapply(1:2, function(k) row_contributions(measure, Y[, k], P[, k], P[, k], weights = w))
  expect_equal(found, (each[[1]] + each[[2]]) / 2)
  pinball <- check_measure("pinball", "quantiles", FALSE)[[1]]
  both <- row_contributions(pinball, numbers$truth, P, P, weights = w, tau = c(0.1, 0.9))
  expect_equal(both, abs(numbers$truth - numbers$response) / 2) # tau and 1 - tau
})

test_that("concordance is survival's", {
  skip_if_not_installed("survival")
  set.seed(6)
  for (round in 1:10) {
    time <- sample(1:12, 40, TRUE) # ties
    status <- rbinom(40, 1, 0.6)
    score <- sample(1:15, 40, TRUE)
    weights <- if (round > 5) runif(40) else rep(1, 40)
    y <- survival::Surv(time, status)
    ours <- concordance_measure(times_of_surv(y), score, weights)
    expect_equal(ours, survival::concordance(y ~ score, weights = weights)$concordance[[1]])
  }
  expect_identical(concordance_measure(new_times(1:3, c(0L, 0L, 1L)), c(1, 2, 3), rep(1, 3)), 1)
  expect_identical(concordance_measure(new_times(1:3, c(0L, 1L, 1L)), c(2, 1, 2), rep(1, 3)), 0.25)
  # an event before 2 is earlier than one at 2 or after 3
  expect_identical(concordance_measure(new_times(c(2, 2, 3), c(-1L, 0L, 1L)), c(1, 2, 3), rep(1, 3)), 1)
  expect_identical(concordance_measure(new_times(1:2, c(1L, 1L)), 1:2, c(1, 1)), NA_real_)
})
