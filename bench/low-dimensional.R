# Data of few features, where one plain support vector machine is quick: 50 kernels against one.
# usage: Rscript bench/low-dimensional.R [n=5000,10000] [p=1,4/3,2,4] [runs=5] [limit=60]
# stale after: fit

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(5000, 10000), p = c(1, 4 / 3, 2, 4), runs = 5, limit = 60)

sets <- list(
  "noise in 5 features, 10 % flipped" = function(n) make_noise(n),
  "clouds in 10 features" = function(n) make_clouds(n, 10),
  "digits' first 20 components" = function(n) read_digit_components(n, 20),
  "clouds in 40 features" = function(n) make_clouds(n, 40),
  "digits' first 40 components" = function(n) read_digit_components(n, 40),
  "clouds 4 apart in 5 features" = function(n) make_pair(n, 5, 4),
  "clouds 4 apart in 10 features" = function(n) make_pair(n, 10, 4),
  "clouds 2 apart in 5 features" = function(n) make_pair(n, 5, 2),
  "clouds 2 apart in 10 features" = function(n) make_pair(n, 10, 2),
  "a ball in 5 features" = function(n) make_ball(n, 5),
  "sides of a plane in 5 features" = function(n) make_sides(n, 5),
  "sides of a plane in 30 features" = function(n) make_sides(n, 30)
)

compare <- function(name, n) {
  data <- attempt(sets[[name]](n))
  width <- if (!is_failure(data)) 2 * mean(apply(data$x, 2, stats::var)) * ncol(data$x)
  models <- lapply(settings$p, function(p) function() {
    if (is_failure(data)) stop(data$message)
    fit_mkl(data, p, settings$limit, gaussian_kernel(width * 1.2^(-25:24)))
  })
  names(models) <- paste("mkl, p =", round(settings$p, 2))
  turns <- in_turns(installed_programs(c(list(
    e1071 = function() fit_e1071(data$x, data$y, width)), models)), settings$runs)
  median <- turns$median[c("e1071", names(models))]
  row <- data.frame(data = name, n = n, e1071 = median[[1]], t(median[-1] / median[[1]]))
  names(row)[-(1:3)] <- sub("mkl, ", "", names(models))
  list(row = row, fits = turns$values[names(models)])
}

cells <- expand.grid(name = names(sets), n = settings$n, stringsAsFactors = FALSE)
results <- unname(Map(compare, cells$name, cells$n))
table <- do.call(rbind, lapply(results, `[[`, "row"))
ratios <- as.matrix(table[-(1:3)])
shown <- table
shown$e1071 <- if ("e1071" %in% peers) seconds_text(table$e1071) else "-"
shown[-(1:3)] <- lapply(table[-(1:3)], ratio_text)
section("Low-dimensional data", sprintf(paste(
  "One e1071 SVM (Gaussian kernel, width twice the sum of the features' variances), and how many",
  "times as long 50 Gaussians around that width take for each p, C = 1, gap 1e-3; %s."),
  medians_text(settings$runs)), shown)
cat(sprintf("%d of %d cells above 1x.\n\n", sum(ratios > 1, na.rm = TRUE), length(ratios)))
# a failed set is the worst
worst <- arrayInd(order(ratios, decreasing = TRUE, na.last = FALSE)[1], dim(ratios))
report_bars(bar(
  sprintf("50 Gaussians against one e1071 SVM on 5 to 40 features, slowest cell (%s, n = %d, %s)",
          table$data[worst[1]], table$n[worst[1]], colnames(ratios)[worst[2]]),
  ratios[worst], 1, 0.4, fits = unlist(lapply(results, `[[`, "fits"), recursive = FALSE)
))
