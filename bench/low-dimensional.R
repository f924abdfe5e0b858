# Data of few features, where one plain support vector machine is quick: 50 kernels against one.
# usage: Rscript bench/low-dimensional.R [n=5000,10000] [p=4/3] [runs=5] [limit=60]

source("bench/common.R")
source("bench/data.R")
settings <- bench_arguments(n = c(5000, 10000), p = 4 / 3, runs = 5, limit = 60)

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
  turns <- in_turns(installed_programs(list(
    e1071 = function() fit_e1071(data$x, data$y, width),
    mkl = function() {
      if (is_failure(data)) stop(data$message)
      fit_mkl(data, settings$p, settings$limit, gaussian_kernel(width * 1.2^(-25:24)))
    }
  )), settings$runs)
  median <- turns$median[c("e1071", "mkl")]
  fit <- turns$values$mkl
  row <- data.frame(data = name, n = n, e1071 = median[[1]], mkl = median[[2]],
                    ratio = median[[2]] / median[[1]], gap = gap_text(fit),
                    `support vectors` = support_text(turns$values), check.names = FALSE)
  list(row = row, fit = fit)
}

cells <- expand.grid(name = names(sets), n = settings$n, stringsAsFactors = FALSE)
results <- unname(Map(compare, cells$name, cells$n))
table <- do.call(rbind, lapply(results, `[[`, "row"))
shown <- table
shown[c("e1071", "mkl")] <- lapply(table[c("e1071", "mkl")], seconds_text)
shown$ratio <- ratio_text(table$ratio)
if (!"e1071" %in% peers) shown$e1071 <- "-"
section("Low-dimensional data", sprintf(paste(
  "One e1071 SVM (Gaussian kernel, width twice the sum of the features' variances) against 50",
  "Gaussians around that width, p = %s, C = 1, gap 1e-3; %s."),
  round(settings$p, 2), medians_text(settings$runs)), shown)
# a failed set is the worst
worst <- order(table$ratio, decreasing = TRUE, na.last = FALSE)[1]
report_bars(bar(
  sprintf("50 Gaussians against one e1071 SVM on 5 to 40 features, slowest set (%s, n = %d)",
          table$data[worst], table$n[worst]),
  table$ratio[worst], 1, 0.4, fits = lapply(results, `[[`, "fit")
))
